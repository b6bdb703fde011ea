/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shaders of scenes are mostly GLSL 1.20, whose matrices, lights and attributes the core profile
 * does not have. They are translated word by word: what the language has under another name is
 * renamed, what OpenGL kept of state is declared in front of the text. Lines stay where they are.
 */
#ifndef VIEWER_RENDER_GLSL_H
#define VIEWER_RENDER_GLSL_H

#include "base/text.h"

typedef enum GlslStage {
  GLSL_VERTEX,
  GLSL_FRAGMENT,
  GLSL_GEOMETRY,
  GLSL_TESSELLATION_CONTROL,
  GLSL_TESSELLATION_EVALUATION,
  GLSL_N_STAGES
} GlslStage;

typedef struct GlslMacro {
  const char *name, *value;
} GlslMacro;

/* What is said of a program besides the texts of its stages. */
typedef struct GlslProgram {
  int version;   /* as glsl_scan finds it; at least 330 is written */
  uint64_t uses; /* the old words in any of its stages */
  const GlslMacro *macros;
  size_t n_macros;
  int geometry_in, geometry_out, geometry_most; /* for geometry shaders without layouts; OpenGL's
                                                   numbers of primitives, vertices; < 0: unknown */
} GlslProgram;

/* Looks for the version and the old words of a text; adds to the program. */
void glsl_scan(GlslProgram *program, const char *text);
/* Appends a text that the core profile reads. Errors in it have the lines of the original. */
SofaErr glsl_translate(SofaContext *ctx, const GlslProgram *program, GlslStage stage,
                       const char *text, SofaText *out);
/* The line that the first message of a compiler is about ("0:12(3): ...", "0(12) : ...",
 * "ERROR: 0:12: ..."); 0: it does not say. *message: where its words begin. */
int glsl_error_line(const char *log, const char **message);

/* The block of state that every translated stage can read, as the library lays it out (std140). */
enum { GLSL_LIGHTS = 8, GLSL_TEXTURES = 8 };
typedef struct GlslLight {
  float ambient[4], diffuse[4], specular[4], position[4], half_vector[4], spot_direction[3],
      spot_exponent, spot_cutoff, spot_cos_cutoff, constant, linear, quadratic, unused[3];
} GlslLight;
typedef struct GlslState {
  float model_view[16], projection[16], model_view_projection[16], texture[GLSL_TEXTURES][16],
      normal[3][4]; /* columns */
  GlslLight lights[GLSL_LIGHTS];
  struct {
    float emission[4], ambient[4], diffuse[4], specular[4], shininess, unused[3];
  } material;
  float light_model_ambient[4], scene_color[4];
  struct {
    float ambient[4], diffuse[4], specular[4];
  } products[GLSL_LIGHTS]; /* light times material */
} GlslState;
#define GLSL_STATE_BLOCK "csofa_State"

#endif
