/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The renderer: draws surfaces and draw lists with OpenGL 3.3 core into the bound framebuffer. It
 * knows nothing of scenes; scene_view.h does. */
#ifndef VIEWER_RENDER_RENDERER_H
#define VIEWER_RENDER_RENDERER_H

#include "behavior/draw.h"
#include "behavior/visual_model.h"
#include "components/visual/camera_math.h"

typedef struct Renderer Renderer;

typedef struct RenderLight {
  bool of_eye;        /* position and direction are in the camera's axes, not the world's */
  double position[4]; /* w 1: a point; w 0: direction towards the light */
  double direction[3];
  double color[3];
  double cutoff, exponent, attenuation; /* degrees (>= 180: no cone), 1, 1/m */
} RenderLight;

enum { RENDER_MAX_LIGHTS = 8 };

typedef struct RenderFrame {
  int width, height;
  SofaCamera camera;
  RenderLight lights[RENDER_MAX_LIGHTS];
  int n_lights;
  double ambient[3];        /* multiplies the ambient colour of materials */
  double top[3], bottom[3]; /* background */
  const char *image;        /* background image, repeated in its own size; NULL: none */
} RenderFrame;

/* Which faces of a surface: translucent ones are drawn after all that is not. */
typedef enum RenderPass { RENDER_OPAQUE, RENDER_TRANSLUCENT } RenderPass;

/* Needs a current context of OpenGL 3.3 or later. CSOFA_PLAIN_FONT in the environment asks for the
 * built-in font. */
SofaErr renderer_create(SofaContext *ctx, Renderer **out);
void renderer_destroy(Renderer **renderer);
void renderer_forget(Renderer *renderer); /* drops what is kept of objects */

/* Clears and draws the background. */
void renderer_begin(Renderer *renderer, const RenderFrame *frame);
/* key: tells surfaces apart, from picture to picture. */
SofaErr renderer_surface(Renderer *renderer, const void *key, const SofaSurface *surface,
                         RenderPass pass, bool wireframe);
/* Opaque items of the scene layer. */
void renderer_list(Renderer *renderer, const SofaDrawList *list);
/* Translucent triangles. */
void renderer_list_translucent(Renderer *renderer, const SofaDrawList *list);
/* What is in front: front layer, screen layer, texts. */
void renderer_list_front(Renderer *renderer, const SofaDrawList *list);
/* Ends the picture: state of OpenGL as it was, meshes no longer drawn are dropped. */
void renderer_end(Renderer *renderer);

typedef struct RenderStats {
  size_t triangles, uploaded_bytes;
  double call_seconds; /* processor time of this thread inside draw calls: the driver's */
} RenderStats;
RenderStats renderer_stats(const Renderer *renderer); /* since renderer_begin */

/* Does the surface have faces in this pass? */
bool render_has_pass(const SofaSurface *surface, RenderPass pass);

#endif
