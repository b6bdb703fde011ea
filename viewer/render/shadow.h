/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shadow maps: how far the light of each light reaches, in the layers of one texture. A light of a
 * direction or a cone has one layer, a light to all sides six. */
#ifndef VIEWER_RENDER_SHADOW_H
#define VIEWER_RENDER_SHADOW_H

#include <epoxy/gl.h>

#include "viewer/render/program.h"
#include "viewer/render/renderer.h"

enum { SHADOW_MAX_LAYERS = 6 * RENDER_MAX_LIGHTS };

typedef enum ShadowKind { SHADOW_NONE, SHADOW_PARALLEL, SHADOW_CONE, SHADOW_CUBE } ShadowKind;

typedef struct ShadowLight {
  ShadowKind kind;
  bool soft;
  int first, size;      /* layer, pixels */
  float z_near, z_far;  /* m */
  float texel;          /* size of a pixel of the map, m; at a distance of 1 m for points */
  float world[16];      /* from the world to the light's axes, column-major */
  float projection[16]; /* to the map; of all six sides */
} ShadowLight;

typedef struct Shadows {
  GLuint framebuffer, depth, moments, blurred; /* layers; layers; one layer for blurring */
  int side, n_kept;                            /* of the textures: pixels, layers */
  bool soft_kept;                              /* moments exist */
  bool refused;                                /* the card has no room (was reported) */
  int n_layers;                                /* of this picture */
  ShadowLight lights[RENDER_MAX_LIGHTS];
} Shadows;

/* Finds the maps the lights ask for and makes room for them; the same room serves from picture to
 * picture. */
void shadows_prepare(SofaContext *ctx, Shadows *s, const RenderFrame *frame);
/* From the world to the axes of a layer. */
void shadows_view(const Shadows *s, int layer, float view[16]);
const ShadowLight *shadows_light(const Shadows *s, int layer);
/* Binds and clears a layer. */
void shadows_bind(const Shadows *s, int layer);
/* Blurs the moments of a layer; the vertex array is an empty one, bound. */
void shadows_blur(const Shadows *s, int layer, const Program *blur);
/* Uniforms and textures of a program that shades; view: from the world to the eye. */
void shadows_set(const Shadows *s, const RenderFrame *frame, const Program *p, const float *view);
void shadows_destroy(Shadows *s);

#endif
