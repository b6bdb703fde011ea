/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles and links shader programs. */
#include "viewer/render/program.h"

#include <string.h>

static const char *const uniform_names[N_UNIFORMS] = {
#define UNIFORM_NAME(symbol, name) name,
    UNIFORMS(UNIFORM_NAME)
#undef UNIFORM_NAME
};

static const SofaOrigin origin = {.emitter = "viewer"};

GLuint program_compile(GLenum type, const char *text, char *log, GLsizei size) {
  GLint good = 0;
  const GLuint shader = glCreateShader(type);
  log[0] = '\0';
  if (!shader) return 0;
  glShaderSource(shader, 1, &text, NULL);
  glCompileShader(shader);
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  if (good) return shader;
  glGetShaderInfoLog(shader, size, NULL, log);
  glDeleteShader(shader);
  return 0;
}

bool program_link(GLuint program, char *log, GLsizei size) {
  GLint good = 0;
  log[0] = '\0';
  glLinkProgram(program);
  glGetProgramiv(program, GL_LINK_STATUS, &good);
  if (!good) glGetProgramInfoLog(program, size, NULL, log);
  return good;
}

/* 0: refused and reported */
static GLuint compile(SofaContext *ctx, const char *name, GLenum type, const char *text) {
  char log[512];
  const GLuint shader = program_compile(type, text, log, sizeof log);
  if (!shader)
    sofa_message(ctx, SOFA_ERROR, &origin, "the shader '%s' does not compile: %s", name, log);
  return shader;
}

static bool link_program(SofaContext *ctx, const char *name, GLuint program) {
  char log[512];
  glBindAttribLocation(program, ATTRIBUTE_POSITION, "position");
  glBindAttribLocation(program, ATTRIBUTE_NORMAL, "normal");
  glBindAttribLocation(program, ATTRIBUTE_COLOR, "color");
  glBindAttribLocation(program, ATTRIBUTE_UV, "uv");
  glBindAttribLocation(program, ATTRIBUTE_SIZE, "size");
  glBindAttribLocation(program, ATTRIBUTE_OFFSET, "offset");
  if (program_link(program, log, sizeof log)) return true;
  sofa_message(ctx, SOFA_ERROR, &origin, "the program '%s' does not link: %s", name, log);
  return false;
}

SofaErr program_create(SofaContext *ctx, const ShaderText *text, Program *out) {
  const struct {
    GLenum type;
    const char *text;
  } stages[] = {{GL_VERTEX_SHADER, text->vertex},
                {GL_GEOMETRY_SHADER, text->geometry},
                {GL_FRAGMENT_SHADER, text->fragment}};
  bool good = true;
  *out = (Program){.name = glCreateProgram()};
  for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
    if (!stages[i].text) continue;
    const GLuint shader = compile(ctx, text->name, stages[i].type, stages[i].text);
    if (!shader) {
      good = false;
      continue;
    }
    // deleted together with the program
    glAttachShader(out->name, shader);
    glDeleteShader(shader);
  }
  if (!good || !link_program(ctx, text->name, out->name)) {
    program_destroy(out);
    return SOFA_ERR_UNSUPPORTED;
  }
  for (int i = 0; i < N_UNIFORMS; i++)
    out->uniforms[i] = glGetUniformLocation(out->name, uniform_names[i]);
  return SOFA_OK;
}

void program_destroy(Program *program) {
  if (program->name) glDeleteProgram(program->name);
  program->name = 0;
}
