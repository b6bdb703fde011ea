/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translates old shading language. */
#include "viewer/render/glsl.h"

#include <string.h>

/* ---- words ---- */

/* Old words that need a declaration; a bit each in GlslProgram.uses. */
enum {
  USE_VERTEX,
  USE_NORMAL,
  USE_COLOR,
  USE_TEXCOORD,
  USE_MULTITEXCOORD,
  USE_FOG,
  USE_BACK_COLOR,
  USE_FRAG_COLOR,
  USE_FRAG_DATA,
  USE_FTRANSFORM,
  USE_CLIP_VERTEX,
  USE_SHADOW_2D,
  USE_SHADOW_PROJ,
  USE_LAYOUT, /* no old word: the text says itself what a geometry shader reads */
  NO_USE
};

typedef struct Word {
  const char *old, *new; /* new NULL: depends on the stage */
  int use;
} Word;

#define TYPE(name)                                                                                 \
  { "gl_" name, "csofa_" name, NO_USE }
#define STATE(name)                                                                                \
  {"gl_" name, "csofa_" name, NO_USE}, {"gl_" name "Inverse", "inverse(csofa_" name ")", NO_USE},  \
      {"gl_" name "Transpose", "transpose(csofa_" name ")", NO_USE}, {                             \
    "gl_" name "InverseTranspose", "transpose(inverse(csofa_" name "))", NO_USE                    \
  }
#define NO_COORDINATES(n)                                                                          \
  { "gl_MultiTexCoord" n, "vec4(0, 0, 0, 1)", NO_USE }

static const Word words[] = {
    {"attribute", "in", NO_USE},
    {"varying", NULL, NO_USE},
    {"gl_Vertex", "csofa_Vertex", USE_VERTEX},
    {"gl_Normal", "csofa_Normal", USE_NORMAL},
    {"gl_Color", NULL, USE_COLOR},
    {"gl_FrontColor", "csofa_Color", USE_COLOR},
    {"gl_BackColor", "csofa_BackColor", USE_BACK_COLOR},
    {"gl_TexCoord", "csofa_TexCoord", USE_TEXCOORD},
    {"gl_FogFragCoord", "csofa_FogFragCoord", USE_FOG},
    {"gl_MultiTexCoord0", "csofa_MultiTexCoord0", USE_MULTITEXCOORD},
    NO_COORDINATES("1"),
    NO_COORDINATES("2"),
    NO_COORDINATES("3"),
    NO_COORDINATES("4"),
    NO_COORDINATES("5"),
    NO_COORDINATES("6"),
    NO_COORDINATES("7"),
    {"gl_ClipVertex", "csofa_ClipVertex", USE_CLIP_VERTEX},
    {"gl_FragColor", "csofa_FragColor", USE_FRAG_COLOR},
    {"gl_FragData", "csofa_FragData", USE_FRAG_DATA},
    {"ftransform", "csofa_ftransform", USE_FTRANSFORM},
    STATE("ModelViewMatrix"),
    STATE("ProjectionMatrix"),
    STATE("ModelViewProjectionMatrix"),
    TYPE("NormalMatrix"),
    TYPE("TextureMatrix"),
    {"gl_NormalScale", "1.0", NO_USE},
    TYPE("LightSource"),
    TYPE("LightSourceParameters"),
    TYPE("LightModel"),
    TYPE("LightModelParameters"),
    TYPE("MaterialParameters"),
    TYPE("LightProducts"),
    TYPE("LightModelProducts"),
    {"gl_FrontMaterial", "csofa_Material", NO_USE},
    {"gl_BackMaterial", "csofa_Material", NO_USE},
    {"gl_FrontLightProduct", "csofa_LightProduct", NO_USE},
    {"gl_BackLightProduct", "csofa_LightProduct", NO_USE},
    {"gl_FrontLightModelProduct", "csofa_LightModelProduct", NO_USE},
    {"gl_BackLightModelProduct", "csofa_LightModelProduct", NO_USE},
    {"gl_MaxLights", "8", NO_USE},
    {"gl_MaxTextureCoords", "8", NO_USE},
    {"gl_MaxTextureUnits", "8", NO_USE},
    {"gl_VerticesIn", NULL, NO_USE},
    {"texture1D", "texture", NO_USE},
    {"texture2D", "texture", NO_USE},
    {"texture3D", "texture", NO_USE},
    {"textureCube", "texture", NO_USE},
    {"texture2DRect", "texture", NO_USE},
    {"texture2DArray", "texture", NO_USE},
    {"texture1DProj", "textureProj", NO_USE},
    {"texture2DProj", "textureProj", NO_USE},
    {"texture3DProj", "textureProj", NO_USE},
    {"texture1DLod", "textureLod", NO_USE},
    {"texture2DLod", "textureLod", NO_USE},
    {"texture3DLod", "textureLod", NO_USE},
    {"textureCubeLod", "textureLod", NO_USE},
    {"texture2DProjLod", "textureProjLod", NO_USE},
    {"shadow2D", "csofa_shadow2D", USE_SHADOW_2D},
    {"shadow2DProj", "csofa_shadow2DProj", USE_SHADOW_PROJ},
    {"layout", "layout", USE_LAYOUT},
};

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const Word *find_word(const char *p, size_t n) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].old) == n && sofa_compare(words[i].old, p, n) == 0) return &words[i];
  return NULL;
}

/* Length of the token at p: a comment, a word, a number, else one character. */
static size_t piece_length(const char *p) {
  size_t n = 1;
  if (p[0] == '/' && p[1] == '/') return strcspn(p, "\n");
  if (p[0] == '/' && p[1] == '*') {
    const char *end = strstr(p + 2, "*/");
    return end ? (size_t)(end + 2 - p) : strlen(p);
  }
  if (!is_letter(p[0]) && !is_digit(p[0])) return 1;
  while (is_letter(p[n]) || is_digit(p[n])) n++;
  return n;
}

/* Is a directive at p, and which line does it take? 0: none; else its length without the newline.
 */
static size_t directive(const char *text, const char *p, const char *name) {
  const char *start = p;
  while (start > text && (start[-1] == ' ' || start[-1] == '\t')) start--;
  if (*p != '#' || (start > text && start[-1] != '\n')) return 0;
  const char *word = p + 1 + strspn(p + 1, " \t");
  const size_t n = strlen(name);
  if (strncmp(word, name, n) != 0 || is_letter(word[n]) || is_digit(word[n])) return 0;
  return strcspn(p, "\n");
}

void glsl_scan(GlslProgram *program, const char *text) {
  for (const char *p = text; *p;) {
    if (directive(text, p, "version")) {
      int version = 0;
      const char *digit = p + strcspn(p, "0123456789\n");
      while (is_digit(*digit) && version < 10000) version = 10 * version + (*digit++ - '0');
      if (version > program->version) program->version = version;
    }
    const size_t n = piece_length(p);
    const Word *word = is_letter(*p) ? find_word(p, n) : NULL;
    if (word && word->use != NO_USE) program->uses |= (uint64_t)1 << word->use;
    p += n;
  }
}

/* ---- what is written in front ---- */

static const char state_text[] =
    "struct csofa_LightSourceParameters {\n"
    "  vec4 ambient, diffuse, specular, position, halfVector;\n"
    "  vec3 spotDirection;\n"
    "  float spotExponent, spotCutoff, spotCosCutoff, constantAttenuation, linearAttenuation,\n"
    "    quadraticAttenuation;\n"
    "};\n"
    "struct csofa_MaterialParameters {\n"
    "  vec4 emission, ambient, diffuse, specular;\n"
    "  float shininess;\n"
    "};\n"
    "struct csofa_LightModelParameters { vec4 ambient; };\n"
    "struct csofa_LightModelProducts { vec4 sceneColor; };\n"
    "struct csofa_LightProducts { vec4 ambient, diffuse, specular; };\n"
    "layout(std140) uniform " GLSL_STATE_BLOCK " {\n"
    "  mat4 csofa_ModelViewMatrix, csofa_ProjectionMatrix, csofa_ModelViewProjectionMatrix;\n"
    "  mat4 csofa_TextureMatrix[8];\n"
    "  mat3 csofa_NormalMatrix;\n"
    "  csofa_LightSourceParameters csofa_LightSource[8];\n"
    "  csofa_MaterialParameters csofa_Material;\n"
    "  csofa_LightModelParameters csofa_LightModel;\n"
    "  csofa_LightModelProducts csofa_LightModelProduct;\n"
    "  csofa_LightProducts csofa_LightProduct[8];\n"
    "};\n";

typedef struct Declaration {
  int use;
  const char *text[2]; /* vertex, fragment */
} Declaration;

static const Declaration declarations[] = {
    {USE_VERTEX, {"in vec4 csofa_Vertex;\n", NULL}},
    {USE_NORMAL, {"in vec3 csofa_Normal;\n", NULL}},
    {USE_COLOR, {"in vec4 csofa_VertexColor;\nout vec4 csofa_Color;\n", "in vec4 csofa_Color;\n"}},
    {USE_BACK_COLOR, {"vec4 csofa_BackColor;\n", NULL}},
    {USE_TEXCOORD, {"out vec4 csofa_TexCoord[8];\n", "in vec4 csofa_TexCoord[8];\n"}},
    {USE_FOG, {"out float csofa_FogFragCoord;\n", "in float csofa_FogFragCoord;\n"}},
    {USE_MULTITEXCOORD, {"in vec4 csofa_MultiTexCoord0;\n", NULL}},
    {USE_CLIP_VERTEX, {"vec4 csofa_ClipVertex;\n", NULL}},
    {USE_FRAG_COLOR, {NULL, "out vec4 csofa_FragColor;\n"}},
    {USE_FRAG_DATA, {NULL, "out vec4 csofa_FragData[4];\n"}},
    {USE_SHADOW_2D,
     {NULL, "vec4 csofa_shadow2D(sampler2DShadow s, vec3 p) { return vec4(texture(s, p)); }\n"}},
    {USE_SHADOW_PROJ,
     {NULL,
      "vec4 csofa_shadow2DProj(sampler2DShadow s, vec4 p) { return vec4(textureProj(s, p)); }\n"}},
};

static bool uses(const GlslProgram *program, int use) {
  return program->uses >> use & 1;
}

/* #version and the #extension lines of the text, which must come before anything else. Those of
 * extensions that the core profile has are left out. */
static SofaErr write_head(SofaContext *ctx, const GlslProgram *program, const char *text,
                          SofaText *out) {
  static const char *const core[] = {"gpu_shader4", "geometry_shader4", "texture_rectangle",
                                     "texture_array", "draw_buffers"};
  SOFA_TRY(sofa_text_printf(ctx, out, "#version %d core\n",
                            program->version < 330 ? 330 : program->version));
  for (const char *p = text; *p;) {
    const size_t line = directive(text, p, "extension");
    bool known = false;
    for (size_t i = 0; i < sizeof core / sizeof *core; i++) {
      const char *at = line ? strstr(p, core[i]) : NULL;
      known |= at && at < p + line;
    }
    if (line && !known) SOFA_TRY(sofa_text_printf(ctx, out, "%.*s\n", (int)line, p));
    p += line ? line : piece_length(p);
  }
  return SOFA_OK;
}

static const char *name_of(int primitive, bool in) {
  static const struct {
    int number;
    const char *in, *out;
  } names[] = {{0, "points", "points"},
               {1, "lines", "line_strip"},
               {3, "lines", "line_strip"},
               {4, "triangles", "triangle_strip"},
               {5, "triangles", "triangle_strip"},
               {10, "lines_adjacency", "line_strip"},
               {12, "triangles_adjacency", "triangle_strip"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].number == primitive) return in ? names[i].in : names[i].out;
  return in ? "triangles" : "triangle_strip";
}

static SofaErr write_front(SofaContext *ctx, const GlslProgram *program, GlslStage stage,
                           SofaText *out) {
  static const char *const names[] = {"VertexShader", "FragmentShader", "GeometryShader",
                                      "TessellationControlShader", "TessellationEvaluationShader"};
  SOFA_TRY(sofa_text_printf(ctx, out, "#define %s\n", names[stage]));
  for (size_t i = 0; i < program->n_macros; i++)
    SOFA_TRY(sofa_text_printf(ctx, out, "#define %s %s\n", program->macros[i].name,
                              program->macros[i].value));
  SOFA_TRY(sofa_text_append(ctx, out, state_text, sizeof state_text - 1));
  for (size_t i = 0; i < sizeof declarations / sizeof *declarations && stage <= GLSL_FRAGMENT;
       i++) {
    const char *text = declarations[i].text[stage];
    const bool vertex = declarations[i].use == USE_VERTEX && uses(program, USE_FTRANSFORM);
    if (text && (vertex || uses(program, declarations[i].use)))
      SOFA_TRY(sofa_text_append(ctx, out, text, strlen(text)));
  }
  if (stage == GLSL_VERTEX && uses(program, USE_FTRANSFORM))
    SOFA_TRY(sofa_text_printf(ctx, out,
                              "vec4 csofa_ftransform() { return csofa_ModelViewProjectionMatrix * "
                              "csofa_Vertex; }\n"));
  if (stage == GLSL_GEOMETRY && !uses(program, USE_LAYOUT))
    SOFA_TRY(sofa_text_printf(ctx, out, "layout(%s) in;\nlayout(%s, max_vertices = %d) out;\n",
                              name_of(program->geometry_in, true),
                              name_of(program->geometry_out, false),
                              program->geometry_most > 0 ? program->geometry_most : 64));
  return sofa_text_printf(ctx, out, "#line 1 1\n");
}

/* ---- the text ---- */

static const char *new_word(const Word *word, const GlslProgram *program, GlslStage stage,
                            const char *behind) {
  if (word->new) return word->new;
  if (strcmp(word->old, "gl_Color") == 0)
    return stage == GLSL_VERTEX ? "csofa_VertexColor" : "csofa_Color";
  if (strcmp(word->old, "gl_VerticesIn") == 0)
    return program->geometry_in == 0 ? "1" : program->geometry_in == 1 ? "2" : "3";
  // varying; geometry shaders say "varying in", "varying out"
  const char *next = behind + strspn(behind, " \t");
  if (strncmp(next, "in ", 3) == 0 || strncmp(next, "out ", 4) == 0) return "";
  return stage == GLSL_FRAGMENT ? "in" : "out";
}

SofaErr glsl_translate(SofaContext *ctx, const GlslProgram *program, GlslStage stage,
                       const char *text, SofaText *out) {
  int depth = -1; // of brackets behind gl_PositionIn; < 0: not there
  SOFA_TRY(write_head(ctx, program, text, out));
  SOFA_TRY(write_front(ctx, program, stage, out));
  for (const char *p = text; *p;) {
    size_t n = directive(text, p, "version");
    if (!n) n = directive(text, p, "extension");
    if (n) { // comes first
      p += n;
      continue;
    }
    n = piece_length(p);
    const Word *word = is_letter(*p) ? find_word(p, n) : NULL;
    if (word) {
      const char *new = new_word(word, program, stage, p + n);
      SOFA_TRY(sofa_text_append(ctx, out, new, strlen(new)));
    } else if (n == 13 && sofa_compare(p, "gl_PositionIn", n) == 0) {
      SOFA_TRY(sofa_text_append(ctx, out, "gl_in", 5));
      depth = 0;
    } else {
      SOFA_TRY(sofa_text_append(ctx, out, p, n));
      if (depth >= 0 && *p == '[') depth++;
      if (depth >= 0 && *p == ']' && --depth == 0) {
        SOFA_TRY(sofa_text_append(ctx, out, ".gl_Position", 12));
        depth = -1;
      }
    }
    p += n;
  }
  return SOFA_OK;
}

/* ---- messages ---- */

int glsl_error_line(const char *log, const char **message) {
  const char *p = log + strcspn(log, "0123456789");
  int line = 0;
  *message = log;
  while (is_digit(*p)) p++;
  if (*p != ':' && *p != '(') return 0;
  for (p++; is_digit(*p) && line < 10000000; p++) line = 10 * line + (*p - '0');
  if (line == 0) return 0;
  // behind the column, blanks, colons, and the word error
  if (*p == '(') p += strcspn(p, ")\n");
  p += strspn(p, "): \t");
  if (strncmp(p, "error", 5) == 0) p += 5 + strspn(p + 5, ": ");
  *message = p;
  return line;
}
