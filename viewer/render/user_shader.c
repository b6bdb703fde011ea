/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles and feeds shaders of scenes. */
#include "viewer/render/user_shader.h"

#include <math.h>
#include <string.h>

#include "base/files.h"
#include "viewer/render/glsl.h"
#include "viewer/render/renderer_impl.h"
#include "viewer/render/stb.h"

enum { FIRST_ATTRIBUTE = ATTRIBUTE_OFFSET + 1, MOST_ATTRIBUTES = 8, MOST_IMAGES = 12 };

static const GLenum stage_types[RENDER_N_STAGES] = {GL_VERTEX_SHADER, GL_FRAGMENT_SHADER,
                                                    GL_GEOMETRY_SHADER, GL_TESS_CONTROL_SHADER,
                                                    GL_TESS_EVALUATION_SHADER};

void user_shaders_free(SofaContext *ctx, UserShaders *user) {
  for (size_t i = 0; i < user->programs.n; i++)
    if (user->programs.data[i].name) glDeleteProgram(user->programs.data[i].name);
  for (size_t i = 0; i < user->buffers.n; i++) glDeleteBuffers(1, &user->buffers.data[i].name);
  for (size_t i = 0; i < user->textures.n; i++)
    if (user->textures.data[i].name) glDeleteTextures(1, &user->textures.data[i].name);
  if (user->state) glDeleteBuffers(1, &user->state);
  sofa_list_free(ctx, &user->programs);
  sofa_list_free(ctx, &user->buffers);
  sofa_list_free(ctx, &user->textures);
  sofa_list_free(ctx, &user->numbers);
  user->state = 0;
}

/* ---- compiling ---- */

/* Says what the compiler says first, at the line of the user's file. */
static void report(SofaContext *ctx, const char *path, const char *log, const char *what) {
  const char *message = log;
  const int line = path ? glsl_error_line(log, &message) : 0;
  const SofaOrigin origin = {.file = path, .line = line, .emitter = "viewer"};
  const size_t n = strcspn(message, "\r\n");
  sofa_message(ctx, SOFA_WARNING, &origin, "%s: %.*s; drawn with the built-in shading", what,
               (int)n, message);
}

/* 0: refused and reported */
static GLuint compile_stage(SofaContext *ctx, GLenum type, const char *path, const char *text) {
  char log[1024];
  const GLuint shader = program_compile(type, text, log, sizeof log);
  if (!shader) report(ctx, path, log, "the shader does not compile");
  return shader;
}

/* Names of attributes get their places before linking. */
static bool link_user(SofaContext *ctx, const RenderShader *shader, GLuint program) {
  static const struct {
    GLuint place;
    const char *name;
  } own[] = {{ATTRIBUTE_POSITION, "csofa_Vertex"},
             {ATTRIBUTE_NORMAL, "csofa_Normal"},
             {ATTRIBUTE_COLOR, "csofa_VertexColor"},
             {ATTRIBUTE_UV, "csofa_MultiTexCoord0"}};
  char log[1024];
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    glBindAttribLocation(program, own[i].place, own[i].name);
  for (size_t i = 0; i < shader->attributes.n && i < MOST_ATTRIBUTES; i++)
    if (strncmp(shader->attributes.data[i].name, "gl_", 3) != 0)
      glBindAttribLocation(program, (GLuint)(FIRST_ATTRIBUTE + i), shader->attributes.data[i].name);
  if (program_link(program, log, sizeof log)) return true;
  const char *path = NULL;
  for (int i = 0; i < RENDER_N_STAGES && !path; i++) path = shader->paths[i];
  const SofaOrigin origin = {.file = path, .emitter = "viewer"};
  sofa_message(
      ctx, SOFA_WARNING, &origin,
      "the stages of the shader do not fit together: %.*s; drawn with the built-in shading",
      (int)strcspn(log, "\r\n"), log);
  return false;
}

/* The geometry stage must take what is drawn. */
static bool takes_triangles(SofaContext *ctx, const RenderShader *shader, GLuint program) {
  GLint in = GL_TRIANGLES;
  if (shader->paths[GLSL_GEOMETRY]) glGetProgramiv(program, GL_GEOMETRY_INPUT_TYPE, &in);
  if (in == GL_TRIANGLES) return true;
  const SofaOrigin origin = {.file = shader->paths[GLSL_GEOMETRY], .emitter = "viewer"};
  sofa_message(ctx, SOFA_WARNING, &origin,
               "a geometry shader of anything but triangles is not supported yet; drawn with the "
               "built-in shading");
  return false;
}

static bool has_version(SofaContext *ctx, const RenderShader *shader, const GlslProgram *program) {
  const bool tessellates =
      shader->paths[GLSL_TESSELLATION_CONTROL] || shader->paths[GLSL_TESSELLATION_EVALUATION];
  const int has = epoxy_gl_version() * 10; // GLSL 3.30 came with OpenGL 3.3
  const int needs = tessellates && program->version < 400 ? 400 : program->version;
  if (needs <= has) return true;
  const SofaOrigin origin = {.file = shader->paths[0], .emitter = "viewer"};
  sofa_message(ctx, SOFA_WARNING, &origin,
               "the shader needs GLSL %d, this OpenGL has %d; drawn with the built-in shading",
               needs, has);
  return false;
}

static SofaErr read_texts(SofaContext *ctx, const RenderShader *shader, GlslProgram *program,
                          char *texts[RENDER_N_STAGES]) {
  for (int i = 0; i < RENDER_N_STAGES; i++) {
    size_t size = 0;
    const bool own = i == GLSL_VERTEX && !shader->paths[i] && shader->vertex_text;
    if (own && !(texts[i] = sofa_strdup(ctx, shader->vertex_text))) return SOFA_ERR_MEMORY;
    if (own) glsl_scan(program, texts[i]);
    if (!shader->paths[i]) continue;
    SOFA_TRY(sofa_read_file(ctx, shader->paths[i], (size_t)1 << 24, &texts[i], &size));
    glsl_scan(program, texts[i]);
  }
  if (program->version < 400 &&
      (texts[GLSL_TESSELLATION_CONTROL] || texts[GLSL_TESSELLATION_EVALUATION]))
    program->version = 400;
  return SOFA_OK;
}

/* Compiles all stages, so that every one says what is wrong with it. 0: it does not work. */
static GLuint make_program(SofaContext *ctx, const RenderShader *shader) {
  GlslProgram program = {.macros = (const GlslMacro *)shader->macros.data,
                         .n_macros = shader->macros.n,
                         .geometry_in = shader->geometry_in,
                         .geometry_out = shader->geometry_out,
                         .geometry_most = shader->geometry_most};
  char *texts[RENDER_N_STAGES] = {NULL};
  SofaText text = {0};
  bool good = read_texts(ctx, shader, &program, texts) == SOFA_OK;
  good = good && has_version(ctx, shader, &program);
  GLuint name = good ? glCreateProgram() : 0;
  const bool all = name != 0;
  for (int i = 0; i < RENDER_N_STAGES && all; i++) {
    if (!texts[i]) continue;
    text.n = 0;
    GLuint stage = 0;
    if (glsl_translate(ctx, &program, (GlslStage)i, texts[i], &text) == SOFA_OK)
      stage = compile_stage(ctx, stage_types[i], shader->paths[i], text.data);
    good = good && stage;
    if (!stage) continue;
    glAttachShader(name, stage);
    glDeleteShader(stage); // with the program
  }
  if (name && !(good && link_user(ctx, shader, name) && takes_triangles(ctx, shader, name))) {
    glDeleteProgram(name);
    name = 0;
  }
  for (int i = 0; i < RENDER_N_STAGES; i++) sofa_free(ctx, texts[i]);
  sofa_list_free(ctx, &text);
  if (!name) return 0;
  const GLuint block = glGetUniformBlockIndex(name, GLSL_STATE_BLOCK);
  if (block != GL_INVALID_INDEX) glUniformBlockBinding(name, block, 0);
  return name;
}

/* FNV-1a of what a program is made from. */
static uint64_t add_words(uint64_t hash, const char *text) {
  for (; text && *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return (hash ^ 0xff) * 1099511628211u;
}

static uint64_t recipe_of(const RenderShader *shader) {
  uint64_t hash = 14695981039346656037u;
  const int geometry[] = {(int)shader->geometry_in, (int)shader->geometry_out,
                          (int)shader->geometry_most};
  for (int i = 0; i < 3; i++) hash = (hash ^ (uint64_t)(unsigned)geometry[i]) * 1099511628211u;
  for (int i = 0; i < RENDER_N_STAGES; i++) hash = add_words(hash, shader->paths[i]);
  for (size_t i = 0; i < shader->macros.n; i++)
    hash = add_words(add_words(hash, shader->macros.data[i].name), shader->macros.data[i].value);
  for (size_t i = 0; i < shader->attributes.n; i++)
    hash = add_words(hash, shader->attributes.data[i].name);
  return hash;
}

static const UserProgram *program_of(Renderer *r, const RenderShader *shader) {
  UserPrograms *list = &r->user.programs;
  const uint64_t recipe = recipe_of(shader);
  size_t i = 0;
  while (i < list->n && list->data[i].key != shader->key) i++;
  if (i < list->n && list->data[i].recipe == recipe) return &list->data[i];
  if (i == list->n) {
    const UserProgram program = {.key = shader->key};
    if (SOFA_APPEND(r->ctx, list, &program) != SOFA_OK) return NULL;
  }
  UserProgram *program = &list->data[i];
  if (program->name) glDeleteProgram(program->name);
  program->recipe = recipe;
  program->name = make_program(r->ctx, shader);
  program->patches = shader->paths[GLSL_TESSELLATION_EVALUATION] != NULL;
  return program;
}

/* ---- values ---- */

static double number_at(const RenderValue *v, size_t i) {
  if (v->scalar == SOFA_SCALAR_REAL) return ((const double *)v->data)[i];
  if (v->scalar == SOFA_SCALAR_INT) return ((const int *)v->data)[i];
  return ((const uint32_t *)v->data)[i];
}

/* The numbers as floats, in scratch memory; NULL: there is none. */
static float *floats_of(Renderer *r, const RenderValue *v) {
  if (SOFA_RESERVE(r->ctx, &r->user.numbers, v->n ? v->n : 1) != SOFA_OK) return NULL;
  float *out = (float *)(void *)r->user.numbers.data;
  for (size_t i = 0; i < v->n; i++) out[i] = (float)number_at(v, i);
  return out;
}

typedef void (*SetMatrix)(GLint, GLsizei, GLboolean, const GLfloat *);

static void set_user_matrix(Renderer *r, const RenderUniform *u, GLint place, GLsizei n) {
  const SetMatrix set[3][3] = {{glUniformMatrix2fv, glUniformMatrix2x3fv, glUniformMatrix2x4fv},
                               {glUniformMatrix3x2fv, glUniformMatrix3fv, glUniformMatrix3x4fv},
                               {glUniformMatrix4x2fv, glUniformMatrix4x3fv, glUniformMatrix4fv}};
  const float *v = floats_of(r, &u->value);
  if (v) set[u->columns - 2][u->rows - 2](place, n, u->transpose, v);
}

static bool is_unsigned(GLenum type) {
  return type == GL_UNSIGNED_INT || type == GL_UNSIGNED_INT_VEC2 || type == GL_UNSIGNED_INT_VEC3 ||
         type == GL_UNSIGNED_INT_VEC4;
}

/* A uniform takes numbers of its own type only: a whole number may be meant for a float. */
static void set_user_vector(Renderer *r, const RenderUniform *u, GLint place, GLsizei n,
                            GLenum type) {
  const bool whole = type == GL_INT || type == GL_INT_VEC2 || type == GL_INT_VEC3 ||
                     type == GL_INT_VEC4 || type == GL_BOOL || is_unsigned(type) ||
                     (u->value.scalar != SOFA_SCALAR_REAL && type != GL_FLOAT &&
                      type != GL_FLOAT_VEC2 && type != GL_FLOAT_VEC3 && type != GL_FLOAT_VEC4);
  if (!whole) {
    const float *v = floats_of(r, &u->value);
    if (!v) return;
    if (u->rows == 1) glUniform1fv(place, n, v);
    else if (u->rows == 2) glUniform2fv(place, n, v);
    else if (u->rows == 3) glUniform3fv(place, n, v);
    else glUniform4fv(place, n, v);
    return;
  }
  if (SOFA_RESERVE(r->ctx, &r->user.numbers, u->value.n + 1) != SOFA_OK) return;
  GLint *v = (GLint *)(void *)r->user.numbers.data;
  for (size_t i = 0; i < u->value.n; i++) v[i] = (GLint)number_at(&u->value, i);
  if (is_unsigned(type)) {
    const GLuint *w = (const GLuint *)(const void *)v;
    if (u->rows == 1) glUniform1uiv(place, n, w);
    else if (u->rows == 2) glUniform2uiv(place, n, w);
    else if (u->rows == 3) glUniform3uiv(place, n, w);
    else glUniform4uiv(place, n, w);
    return;
  }
  if (u->rows == 1) glUniform1iv(place, n, v);
  else if (u->rows == 2) glUniform2iv(place, n, v);
  else if (u->rows == 3) glUniform3iv(place, n, v);
  else glUniform4iv(place, n, v);
}

static GLenum uniform_type(GLuint program, const char *name) {
  GLuint index = GL_INVALID_INDEX;
  GLint type = GL_FLOAT;
  glGetUniformIndices(program, 1, &name, &index);
  if (index != GL_INVALID_INDEX) glGetActiveUniformsiv(program, 1, &index, GL_UNIFORM_TYPE, &type);
  return (GLenum)type;
}

static void set_uniforms(Renderer *r, const RenderShader *shader, GLuint program) {
  for (size_t i = 0; i < shader->uniforms.n; i++) {
    const RenderUniform *u = &shader->uniforms.data[i];
    const GLint place = glGetUniformLocation(program, u->name);
    const GLsizei n = (GLsizei)(u->value.n / (u->columns * u->rows));
    if (place < 0 || n < 1) continue;
    if (u->columns > 1) set_user_matrix(r, u, place, n);
    else set_user_vector(r, u, place, n, uniform_type(program, u->name));
  }
}

/* ---- attributes ---- */

static UserBuffer *buffer_of(Renderer *r, const RenderAttribute *a) {
  UserBuffers *list = &r->user.buffers;
  size_t i = 0;
  while (i < list->n && list->data[i].key != a->key) i++;
  if (i == list->n) {
    UserBuffer buffer = {.key = a->key, .version = a->version - 1};
    if (SOFA_APPEND(r->ctx, list, &buffer) != SOFA_OK) return NULL;
    glGenBuffers(1, &list->data[i].name);
  }
  UserBuffer *buffer = &list->data[i];
  glBindBuffer(GL_ARRAY_BUFFER, buffer->name);
  if (buffer->version == a->version && buffer->n == a->value.n) return buffer;
  const bool real = a->value.scalar == SOFA_SCALAR_REAL;
  const void *data = real ? floats_of(r, &a->value) : a->value.data;
  if (!data && a->value.n) return NULL;
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(4 * a->value.n), data, GL_STATIC_DRAW);
  r->stats.uploaded_bytes += 4 * a->value.n;
  buffer->version = a->version;
  buffer->n = a->value.n;
  return buffer;
}

/* Does the program read whole numbers there? */
static bool reads_whole(GLuint program, GLint place) {
  GLint n = 0, size = 0;
  GLenum type = GL_FLOAT;
  char name[256];
  glGetProgramiv(program, GL_ACTIVE_ATTRIBUTES, &n);
  for (GLint i = 0; i < n; i++) {
    glGetActiveAttrib(program, (GLuint)i, sizeof name, NULL, &size, &type, name);
    if (glGetAttribLocation(program, name) != place) continue;
    return type != GL_FLOAT && type != GL_FLOAT_VEC2 && type != GL_FLOAT_VEC3 &&
           type != GL_FLOAT_VEC4;
  }
  return false;
}

static void set_attributes(Renderer *r, const RenderShader *shader, GLuint program,
                           const Mesh *mesh) {
  for (size_t i = 0; i < shader->attributes.n && i < MOST_ATTRIBUTES; i++) {
    const RenderAttribute *a = &shader->attributes.data[i];
    const GLint place = glGetAttribLocation(program, a->name);
    if (place < 0) continue;
    UserBuffer *buffer = buffer_of(r, a);
    if (!buffer) continue;
    const bool enough = a->value.n >= mesh->n_points * a->width;
    if (!enough && !buffer->reported) {
      const SofaOrigin origin = {.emitter = "viewer"};
      sofa_message(r->ctx, SOFA_WARNING, &origin,
                   "the attribute '%s' has values for %zu vertices, the surface has %zu; it is 0",
                   a->name, a->value.n / a->width, mesh->n_points);
      buffer->reported = true;
    }
    if (!enough) {
      glDisableVertexAttribArray((GLuint)place);
      continue;
    }
    const GLenum type = a->value.scalar == SOFA_SCALAR_REAL  ? GL_FLOAT
                        : a->value.scalar == SOFA_SCALAR_INT ? GL_INT
                                                             : GL_UNSIGNED_INT;
    glEnableVertexAttribArray((GLuint)place);
    if (type != GL_FLOAT && reads_whole(program, place))
      glVertexAttribIPointer((GLuint)place, (GLint)a->width, type, 0, NULL);
    else glVertexAttribPointer((GLuint)place, (GLint)a->width, type, GL_FALSE, 0, NULL);
  }
}

/* ---- textures ---- */

static bool load_side(SofaContext *ctx, const RenderImage *image, GLenum target, const char *path) {
  char *bytes = NULL;
  size_t size = 0;
  int width = 0, height = 0, channels = 0;
  GLint largest = 0;
  if (sofa_read_file(ctx, path, (size_t)1 << 30, &bytes, &size) != SOFA_OK) return false;
  uint8_t *pixels = size > 0x7fffffff ? NULL
                                      : stbi_load_from_memory((const uint8_t *)bytes, (int)size,
                                                              &width, &height, &channels, 4);
  sofa_free(ctx, bytes);
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  const bool good = pixels && width <= largest && height <= largest;
  if (!good)
    sofa_message(ctx, SOFA_WARNING, &(SofaOrigin){.file = path}, "the image is not shown: %s",
                 pixels ? "it is too large for a texture" : stbi_failure_reason());
  // rows of an image file go down, v goes up; the sides of a cube are seen from the inside
  for (int y = 0; good && !image->cube && y < height / 2; y++)
    for (int x = 0; x < 4 * width; x++) {
      uint8_t *a = pixels + 4 * (size_t)y * (size_t)width + x;
      uint8_t *b = pixels + 4 * (size_t)(height - 1 - y) * (size_t)width + x;
      const uint8_t kept = *a;
      *a = *b;
      *b = kept;
    }
  if (good)
    glTexImage2D(target, 0, image->srgb ? GL_SRGB8_ALPHA8 : GL_RGBA8, width, height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, pixels);
  stbi_image_free(pixels);
  return good;
}

/* Made-up pixels: numbers 0 to 255 (one bit: 0 or 1 of 255 is taken as given). */
static bool load_pixels(Renderer *r, const RenderImage *image) {
  static const GLenum formats[] = {GL_RED, GL_RED, GL_RG, GL_RGB, GL_RGBA};
  const size_t n = (size_t)image->width * image->height * image->channels;
  const RenderValue value = {SOFA_SCALAR_UINT, n, image->pixels};
  float *v = floats_of(r, &value);
  if (!v) return false;
  for (size_t i = 0; i < n; i++) v[i] /= 255;
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, (GLsizei)image->width, (GLsizei)image->height, 0,
               formats[image->channels], GL_FLOAT, v);
  return true;
}

static bool fill_texture(Renderer *r, const RenderImage *image, GLenum target) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  if (!image->cube)
    return image->paths[0] ? load_side(r->ctx, image, target, image->paths[0])
                           : image->pixels && load_pixels(r, image);
  for (GLenum side = 0; side < 6; side++)
    if (!image->paths[side] ||
        !load_side(r->ctx, image, GL_TEXTURE_CUBE_MAP_POSITIVE_X + side, image->paths[side]))
      return false;
  return true;
}

static void make_texture(Renderer *r, const RenderImage *image, UserTexture *texture) {
  const GLenum target = image->cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
  const GLint wrap = image->repeat ? GL_REPEAT : GL_CLAMP_TO_EDGE;
  const GLint filter = image->nearest ? GL_NEAREST : GL_LINEAR;
  if (texture->name) glDeleteTextures(1, &texture->name);
  glGenTextures(1, &texture->name);
  glBindTexture(target, texture->name);
  if (!fill_texture(r, image, target)) {
    glDeleteTextures(1, &texture->name);
    texture->name = 0;
    return;
  }
  if (!image->no_mipmaps) glGenerateMipmap(target);
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER,
                  image->no_mipmaps ? filter
                  : image->nearest  ? GL_NEAREST_MIPMAP_NEAREST
                                    : GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(target, GL_TEXTURE_WRAP_S, wrap);
  glTexParameteri(target, GL_TEXTURE_WRAP_T, wrap);
  glTexParameteri(target, GL_TEXTURE_WRAP_R, wrap);
  glTexParameterf(target, GL_TEXTURE_MIN_LOD, (float)image->min_lod);
  glTexParameterf(target, GL_TEXTURE_MAX_LOD, (float)image->max_lod);
}

static GLuint texture_name(Renderer *r, const RenderImage *image) {
  UserTextures *list = &r->user.textures;
  size_t i = 0;
  while (i < list->n && list->data[i].key != image->key) i++;
  if (i < list->n && list->data[i].version == image->version) return list->data[i].name;
  if (i == list->n) {
    const UserTexture texture = {.key = image->key};
    if (SOFA_APPEND(r->ctx, list, &texture) != SOFA_OK) return 0;
  }
  list->data[i].version = image->version;
  make_texture(r, image, &list->data[i]);
  return list->data[i].name;
}

static void set_images(Renderer *r, const RenderShader *shader, GLuint program) {
  for (size_t i = 0; i < shader->images.n && i < MOST_IMAGES; i++) {
    const RenderImage *image = &shader->images.data[i];
    const GLint place = glGetUniformLocation(program, image->name);
    if (place < 0) continue;
    const GLenum unit = UNIT_FIRST_FREE + (GLenum)i;
    glActiveTexture(GL_TEXTURE0 + unit);
    const Target *target = image->target ? target_find(&r->targets, image->target) : NULL;
    const GLuint name = image->target ? 0 : texture_name(r, image);
    if (image->target)
      glBindTexture(GL_TEXTURE_2D, !target               ? 0
                                   : image->target_depth ? target->depth
                                                         : target->color);
    else glBindTexture(image->cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D, name);
    glUniform1i(place, (GLint)unit);
  }
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
}

/* ---- the state that old shaders read ---- */

static void copy4(float *to, double a, double b, double c, double d) {
  const double v[4] = {a, b, c, d};
  for (int k = 0; k < 4; k++) to[k] = (float)v[k];
}

static void fill_lights(const Renderer *r, GlslState *s) {
  for (int i = 0; i < r->frame.n_lights; i++) {
    const RenderLight *l = &r->frame.lights[i];
    GlslLight *to = &s->lights[i];
    const bool cone = l->cutoff < 180;
    render_light_to_eye(r, i, to->position, to->spot_direction);
    copy4(to->ambient, l->color[0], l->color[1], l->color[2], 1);
    memcpy(to->diffuse, to->ambient, sizeof to->diffuse);
    memcpy(to->specular, to->ambient, sizeof to->specular);
    double h[3], n = 0;
    for (int k = 0; k < 3; k++) n += (double)to->position[k] * (double)to->position[k];
    for (int k = 0; k < 3; k++)
      h[k] = (double)to->position[k] / (n > 0 ? sqrt(n) : 1) + (k == 2 ? 1 : 0);
    n = sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
    for (int k = 0; k < 3; k++) to->half_vector[k] = (float)(h[k] / (n > 0 ? n : 1));
    to->spot_exponent = cone ? (float)l->exponent : 0;
    to->spot_cutoff = (float)l->cutoff;
    to->spot_cos_cutoff = cone ? (float)cos(l->cutoff * 3.14159265358979323846 / 180) : -1.f;
    to->constant = 1;
    to->linear = (float)l->attenuation;
  }
}

static void fill_material(const Renderer *r, const SofaMaterial *m, GlslState *s) {
  float c[4][4];
  const float shininess = render_material(r, m, c);
  memcpy(s->material.diffuse, c[0], sizeof c[0]);
  memcpy(s->material.ambient, c[1], sizeof c[1]);
  memcpy(s->material.specular, c[2], sizeof c[2]);
  memcpy(s->material.emission, c[3], sizeof c[3]);
  s->material.shininess = shininess;
  for (int k = 0; k < 4; k++) {
    s->light_model_ambient[k] = k < 3 ? (float)r->frame.ambient[k] : 1;
    s->scene_color[k] =
        s->material.emission[k] + s->material.ambient[k] * s->light_model_ambient[k];
    for (int i = 0; i < r->frame.n_lights; i++) {
      s->products[i].ambient[k] = s->material.ambient[k] * s->lights[i].ambient[k];
      s->products[i].diffuse[k] = s->material.diffuse[k] * s->lights[i].diffuse[k];
      s->products[i].specular[k] = s->material.specular[k] * s->lights[i].specular[k];
    }
  }
}

void user_shader_material(Renderer *r, const SofaMaterial *material) {
  GlslState s;
  memset(&s, 0, sizeof s);
  memcpy(s.model_view, r->model_view, sizeof s.model_view);
  memcpy(s.projection, r->projection, sizeof s.projection);
  matrix_product(r->projection, r->model_view, s.model_view_projection);
  for (int i = 0; i < GLSL_TEXTURES; i++)
    for (int k = 0; k < 4; k++) s.texture[i][5 * k] = 1;
  for (int i = 0; i < 3; i++) memcpy(s.normal[i], r->model_view + 4 * i, 3 * sizeof(float));
  fill_lights(r, &s);
  fill_material(r, material, &s);
  const float *diffuse = s.material.diffuse;
  if (!r->surface_colors)
    glVertexAttrib4f(ATTRIBUTE_COLOR, diffuse[0], diffuse[1], diffuse[2], diffuse[3]);
  if (!r->user.state) {
    glGenBuffers(1, &r->user.state);
    glBindBuffer(GL_UNIFORM_BUFFER, r->user.state);
    glBufferData(GL_UNIFORM_BUFFER, sizeof s, NULL, GL_STREAM_DRAW);
  }
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->user.state);
  glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof s, &s);
}

/* ---- drawing ---- */

const UserProgram *user_shader_begin(Renderer *r, const RenderShader *shader, const Mesh *mesh) {
  const UserProgram *program = shader ? program_of(r, shader) : NULL;
  if (!program || !program->name) return NULL;
  glUseProgram(program->name);
  set_uniforms(r, shader, program->name);
  set_images(r, shader, program->name);
  if (mesh) set_attributes(r, shader, program->name, mesh);
  glVertexAttrib3f(ATTRIBUTE_NORMAL, 0, 0, 1);
  if (program->patches) {
    const float outer = (float)shader->outer_level, inner = (float)shader->inner_level;
    glPatchParameteri(GL_PATCH_VERTICES, 3);
    glPatchParameterfv(GL_PATCH_DEFAULT_OUTER_LEVEL, (float[]){outer, outer, outer, outer});
    glPatchParameterfv(GL_PATCH_DEFAULT_INNER_LEVEL, (float[]){inner, inner});
  }
  return program;
}

void user_shader_end(Renderer *r, const RenderShader *shader) {
  (void)r;
  for (size_t i = 0; i < shader->attributes.n && i < MOST_ATTRIBUTES; i++)
    glDisableVertexAttribArray((GLuint)(FIRST_ATTRIBUTE + i));
  for (size_t i = 0; i < shader->images.n && i < MOST_IMAGES; i++) {
    glActiveTexture(GL_TEXTURE0 + UNIT_FIRST_FREE + (GLenum)i);
    glBindTexture(shader->images.data[i].cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D, 0);
  }
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
}
