/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the renderer share: its struct, draw calls, uniforms. */
#ifndef VIEWER_RENDER_RENDERER_IMPL_H
#define VIEWER_RENDER_RENDERER_IMPL_H

#include "viewer/render/font.h"
#include "viewer/render/mesh.h"
#include "viewer/render/oit.h"
#include "viewer/render/program.h"
#include "viewer/render/renderer.h"
#include "viewer/render/shadow.h"
#include "viewer/render/target.h"
#include "viewer/render/texture.h"
#include "viewer/render/user_shader.h"

SOFA_LIST(Mesh, Meshes);

/* A corner of a letter. */
typedef struct TextVertex {
  float p[3], offset[2], uv[2], pixels;
  uint8_t rgba[4];
} TextVertex;
SOFA_LIST(TextVertex, TextVertices);

struct Renderer {
  SofaContext *ctx;
  Program programs[N_PROGRAMS];
  Font font;
  Textures textures;
  Meshes meshes;
  TextVertices text;
  GLuint items_array, items, text_array, text_buffer, empty_array;
  uint64_t picture;
  RenderFrame frame;
  RenderView seen;
  float view[16], projection[16]; /* of the view */
  float model_view[16];           /* the same with the transform of the scope */
  unsigned planes;                /* of the scope that are on, a bit each */
  const RenderShader *shader;     /* of the surfaces that are drawn; NULL: built-in */
  UserShaders user;
  bool surface_colors; /* the surface that is drawn has colours of its own */
  Shadows shadows;
  Oit oit;
  Targets targets;
  GLint outer;                 /* framebuffer of the caller, while a target is drawn into */
  GLuint screen_array, screen; /* a triangle over the whole picture */
  int shadow_layer;            /* that is drawn; < 0: none */
  GLint framebuffer;           /* of the caller, while shadow maps are drawn */
  bool srgb_reported;          /* that the framebuffer cannot do it */
  RenderStats stats;
};

/* Units of textures. */
enum { UNIT_IMAGE, UNIT_SHADOW_DEPTH, UNIT_SHADOW_MOMENTS, UNIT_FIRST_FREE };

/* Draw calls are timed, as a software rasteriser works inside them. n: vertices or indices. */
void render_arrays(Renderer *r, GLenum mode, size_t n);
void render_indices(Renderer *r, GLenum mode, size_t first, size_t n);
void render_blend(const Renderer *r, bool on);
/* Makes a program current and gives it back. */
const Program *render_use(const Renderer *r, ProgramId id);
/* Sets the matrices of every program. */
void render_matrices(const Renderer *r, const float *view, const float *projection);
/* The mesh that is kept for an object, made when it is not there; NULL: no memory. */
Mesh *render_mesh(Renderer *r, const void *key);

/* Diffuse, ambient, specular, emissive colours of a material, NULL: a plain one; terms that are not
 * used are black. Gives back the shininess. */
float render_material(const Renderer *r, const SofaMaterial *material, float colors[4][4]);
/* Place (w 0: direction towards it) and direction of a light in the camera's axes. */
void render_light_to_eye(const Renderer *r, int light, float position[4], float direction[3]);

static inline void set_matrix(const Program *p, Uniform which, const float *m) {
  glUniformMatrix4fv(p->uniforms[which], 1, GL_FALSE, m);
}
static inline void set_flag(const Program *p, Uniform which, bool flag) {
  glUniform1i(p->uniforms[which], flag);
}
/* out = a * b, column-major 4 x 4; out may be one of them. */
void matrix_product(const float *a, const float *b, float *out);
/* The inverse of a rigid motion, column-major. */
void matrix_inverse_rigid(const float *m, float *out);

#endif
