/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shader programs. */
#ifndef VIEWER_RENDER_PROGRAM_H
#define VIEWER_RENDER_PROGRAM_H

#include <epoxy/gl.h>

#include "base/context.h"

typedef enum ProgramId {
  PROGRAM_MESH,   /* lit triangles */
  PROGRAM_LINES,  /* lines of any width */
  PROGRAM_SPRITE, /* points and spheres */
  PROGRAM_TEXT,
  PROGRAM_BACKGROUND,
  PROGRAM_DEPTH, /* of shadow maps */
  PROGRAM_BLUR,
  PROGRAM_MAP,      /* a shadow map as a picture */
  PROGRAM_MESH_OIT, /* sums of translucent triangles */
  PROGRAM_OIT,      /* puts the sums into the picture */
  N_PROGRAMS
} ProgramId;

/* X(symbol, name in GLSL): all uniforms of all programs; -1 where a program has none. */
#define UNIFORMS(X)                                                                                \
  X(VIEW, "view")                                                                                  \
  X(PROJECTION, "projection")                                                                      \
  X(VIEWPORT, "viewport")                                                                          \
  X(N_LIGHTS, "n_lights")                                                                          \
  X(LIGHT_POSITION, "light_position")                                                              \
  X(LIGHT_COLOR, "light_color")                                                                    \
  X(LIGHT_DIRECTION, "light_direction")                                                            \
  X(LIGHT_SPOT, "light_spot")                                                                      \
  X(DIFFUSE, "diffuse")                                                                            \
  X(AMBIENT, "ambient")                                                                            \
  X(SPECULAR, "specular")                                                                          \
  X(EMISSIVE, "emissive")                                                                          \
  X(SHININESS, "shininess")                                                                        \
  X(HAS_NORMALS, "has_normals")                                                                    \
  X(HAS_COLORS, "has_colors")                                                                      \
  X(HAS_IMAGE, "has_image")                                                                        \
  X(IMAGE, "image")                                                                                \
  X(IMAGE_TRANSFORM, "image_transform")                                                            \
  X(SPHERES, "spheres")                                                                            \
  X(TOP, "top")                                                                                    \
  X(BOTTOM, "bottom")                                                                              \
  X(PLANES, "planes")                                                                              \
  X(RANGE, "range")                                                                                \
  X(BLUR, "blur")                                                                                  \
  X(MOMENTS, "moments")                                                                            \
  X(SHADOW_DEPTH, "shadow_depth")                                                                  \
  X(SHADOW_MOMENTS, "shadow_moments")                                                              \
  X(SHADOW_KIND, "shadow_kind")                                                                    \
  X(SHADOW_MATRIX, "shadow_matrix")                                                                \
  X(SHADOW_MAP, "shadow_map")                                                                      \
  X(SHADOW_TUNE, "shadow_tune")                                                                    \
  X(SHADOW_SIZE, "shadow_size")

typedef enum Uniform {
#define UNIFORM_ENUM(symbol, name) UNIFORM_##symbol,
  UNIFORMS(UNIFORM_ENUM)
#undef UNIFORM_ENUM
      N_UNIFORMS
} Uniform;

/* Attributes of vertices, the same places in all programs. */
enum {
  ATTRIBUTE_POSITION,
  ATTRIBUTE_NORMAL,
  ATTRIBUTE_COLOR,
  ATTRIBUTE_UV,
  ATTRIBUTE_SIZE,
  ATTRIBUTE_OFFSET
};

enum { MAX_LIGHTS = 8 };

typedef struct Program {
  GLuint name;
  GLint uniforms[N_UNIFORMS];
} Program;

typedef struct ShaderText {
  const char *name, *vertex, *geometry, *fragment; /* geometry may be NULL */
} ShaderText;
extern const ShaderText shader_texts[N_PROGRAMS];

/* Compiles and links. A shader that is refused: SOFA_ERR_UNSUPPORTED with the compiler's words. */
SofaErr program_create(SofaContext *ctx, const ShaderText *text, Program *out);
void program_destroy(Program *program);

/* The steps of it, for programs whose shaders come from elsewhere. When the compiler refuses, the
 * shader is 0 (the link false) and its words are in `log`, of `size` characters. */
GLuint program_compile(GLenum type, const char *text, char *log, GLsizei size);
bool program_link(GLuint program, char *log, GLsizei size);

#endif
