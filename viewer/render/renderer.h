/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The renderer: draws surfaces and draw lists with OpenGL 3.3 core into the bound framebuffer. It
 * knows nothing of scenes; scene_view.h does. A picture is
 *
 *   renderer_begin
 *   for each layer of renderer_shadow_layers: renderer_shadow_layer, renderer_shadow_surface ...
 *   for each view: renderer_view; renderer_scope, surfaces and lists
 *   renderer_end */
#ifndef VIEWER_RENDER_RENDERER_H
#define VIEWER_RENDER_RENDERER_H

#include "draw/draw.h"
#include "behavior/visual_model.h"
#include "components/visual/camera_math.h"

typedef struct Renderer Renderer;

/* Of a light that casts shadows. Soft ones are variance shadow maps (Donnelly and Lauritzen,
 * "Variance shadow maps", I3D 2006). */
typedef struct RenderShadow {
  bool on, soft;
  unsigned size;         /* of the map, pixels; 0: 1024 */
  double z_near, z_far;  /* m, 0: around the scene */
  double darkness;       /* 1: what is in the shadow has no light of it, 0: all */
  double bleeding;       /* soft: what is less lit than that counts as dark, 0..1 */
  double least_variance; /* soft: of depths between 0 (z_near) and 1 (z_far) */
} RenderShadow;

typedef struct RenderLight {
  bool of_eye;        /* position and direction are in the camera's axes, not the world's */
  double position[4]; /* w 1: a point; w 0: direction towards the light */
  double direction[3];
  double color[3];
  double cutoff, exponent, attenuation; /* degrees (>= 180: no cone), 1, 1/m */
  RenderShadow shadow;
} RenderLight;

enum { RENDER_MAX_LIGHTS = 8, RENDER_MAX_PLANES = 6 };

/* What holds for a whole picture. */
typedef struct RenderFrame {
  RenderLight lights[RENDER_MAX_LIGHTS];
  int n_lights;
  double ambient[3]; /* multiplies the ambient colour of materials */
  SofaCamera camera; /* of the first view */
  SofaBox box;       /* around what casts shadows */
  bool srgb;         /* colours are linear: written as sRGB, where the framebuffer can */
} RenderFrame;

/* A part of the framebuffer, seen by a camera. */
typedef struct RenderView {
  int x, y, width, height; /* pixels, from the lower left corner */
  SofaCamera camera;
  double top[3], bottom[3]; /* background */
  const char *image;        /* background image, repeated in its own size; NULL: none */
} RenderView;

/* What holds for the objects of some nodes. */
typedef struct RenderScope {
  double position[3], orientation[4]; /* moves what is drawn; quaternion x y z w */
  struct {
    bool on;
    double position[3], normal[3]; /* what is behind it is not drawn */
  } planes[RENDER_MAX_PLANES];
} RenderScope;

/* ---- shaders of a scene: everything is borrowed for the picture ---- */

enum { RENDER_N_STAGES = 5 }; /* vertex, fragment, geometry, tessellation control, evaluation */

typedef struct RenderMacro {
  const char *name, *value;
} RenderMacro;

/* Numbers of a scene: double, int or uint32_t. */
typedef struct RenderValue {
  SofaScalar scalar;
  size_t n; /* numbers in all */
  const void *data;
} RenderValue;

typedef struct RenderUniform {
  const char *name;
  RenderValue value;
  unsigned columns, rows; /* vectors: 1 column; else a matrix */
  bool transpose;         /* rows of a matrix follow each other */
} RenderUniform;

typedef struct RenderAttribute {
  const void *key; /* tells them apart from picture to picture */
  const char *name;
  RenderValue value;
  unsigned width;   /* numbers per vertex */
  uint64_t version; /* grows when it changed */
} RenderAttribute;

typedef struct RenderImage {
  const char *name;     /* of the sampler */
  const char *paths[6]; /* a cube: +x -x +y -y +z -z; else the first; NULL: none */
  bool cube, repeat, nearest, no_mipmaps, srgb;
  double min_lod, max_lod;
  unsigned width, height, channels; /* of made-up pixels, when no file is given */
  const uint32_t *pixels;
  uint64_t version;
  const void *key;
  const void *target; /* not NULL: what was drawn into the target of this key, or its depths */
  bool target_depth;
} RenderImage;

SOFA_LIST(RenderMacro, RenderMacros);
SOFA_LIST(RenderUniform, RenderUniforms);
SOFA_LIST(RenderAttribute, RenderAttributes);
SOFA_LIST(RenderImage, RenderImages);

typedef struct RenderShader {
  const void *key;
  const char *paths[RENDER_N_STAGES]; /* of the texts; NULL: none */
  const char *vertex_text;            /* of the vertex stage, when it has no path */
  RenderMacros macros;
  RenderUniforms uniforms;
  RenderAttributes attributes;
  RenderImages images;
  int geometry_in, geometry_out, geometry_most; /* < 0: as the text says */
  double outer_level, inner_level;              /* of tessellation without a control shader */
} RenderShader;

/* Which faces of a surface: translucent ones are drawn after all that is not. */
typedef enum RenderPass { RENDER_OPAQUE, RENDER_TRANSLUCENT } RenderPass;

/* Needs a current context of OpenGL 3.3 or later. CSOFA_PLAIN_FONT in the environment asks for the
 * built-in font. */
SofaErr renderer_create(SofaContext *ctx, Renderer **out);
void renderer_destroy(Renderer **renderer);
void renderer_forget(Renderer *renderer); /* drops what is kept of objects */

void renderer_begin(Renderer *renderer, const RenderFrame *frame);

/* How many shadow maps the lights of the frame ask for. */
int renderer_shadow_layers(const Renderer *renderer);
/* The following surfaces go into a shadow map, until renderer_shadow_end. */
void renderer_shadow_layer(Renderer *renderer, int layer);
SofaErr renderer_shadow_surface(Renderer *renderer, const void *key, const SofaSurface *surface);
void renderer_shadow_end(Renderer *renderer);

/* Begins a view: clears its part of the framebuffer, draws the background, leaves all scopes. */
void renderer_view(Renderer *renderer, const RenderView *view);
/* For what follows, shadow maps too; NULL: the world, uncut. */
void renderer_scope(Renderer *renderer, const RenderScope *scope);
/* For the faces of surfaces that follow; NULL: the built-in shading, which also takes the place of
 * a shader that does not compile (that is reported once). */
void renderer_shader(Renderer *renderer, const RenderShader *shader);
/* key: tells surfaces apart, from picture to picture. */
SofaErr renderer_surface(Renderer *renderer, const void *key, const SofaSurface *surface,
                         RenderPass pass, bool wireframe);
/* Opaque items of the scene layer. */
void renderer_list(Renderer *renderer, const SofaDrawList *list);
void renderer_list_translucent(Renderer *renderer, const SofaDrawList *list); /* triangles */
void renderer_list_texts(Renderer *renderer, const SofaDrawList *list);       /* of the scene */
/* Translucent surfaces and triangles whatever their order: begin, all that is opaque once more,
 * accumulate, all that is translucent, end. false: it cannot be done, draw as usual. depth_scale,
 * 1/m: decrease of the weight with the distance. */
bool renderer_oit_begin(Renderer *renderer);
void renderer_oit_accumulate(Renderer *renderer, double depth_scale);
void renderer_oit_end(Renderer *renderer);
/* What follows is not hidden by what was drawn. */
void renderer_clear_depth(Renderer *renderer);
void renderer_list_front(Renderer *renderer, const SofaDrawList *list);  /* front layer */
void renderer_list_screen(Renderer *renderer, const SofaDrawList *list); /* screen layer */
/* The shadow maps, as small pictures in the lower left corner. */
void renderer_show_shadows(Renderer *renderer);
/* What follows (a view, a shader over all of it) is drawn into textures that are kept for `key`,
 * until renderer_target_end. false: there is no room, nothing is to be drawn. */
bool renderer_target_begin(Renderer *renderer, const void *key, int width, int height);
void renderer_target_end(Renderer *renderer);
/* Draws a shader over the whole view. false: it is broken, nothing was drawn. */
bool renderer_screen(Renderer *renderer, const RenderShader *shader);
/* Ends the picture: state of OpenGL as it was, meshes no longer drawn are dropped. */
void renderer_end(Renderer *renderer);

typedef struct RenderStats {
  size_t triangles, uploaded_bytes;
  double call_seconds; /* processor time of this thread inside draw calls: the driver's */
} RenderStats;
RenderStats renderer_stats(const Renderer *renderer); /* since renderer_begin */

bool render_is_empty(const SofaDrawList *list, SofaDrawLayer layer);
/* Does the surface have faces in this pass? */
bool render_has_pass(const SofaSurface *surface, RenderPass pass);

#endif
