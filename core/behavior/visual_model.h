/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Visual models: surfaces to draw. A visual model is a state (mappings may move it); it simulates
 * nothing. */
#ifndef SOFA_BEHAVIOR_VISUAL_MODEL_H
#define SOFA_BEHAVIOR_VISUAL_MODEL_H

#include "behavior/state.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_visual_model_interface;
#define SOFA_VISUAL_MODEL (&sofa_visual_model_interface)

/* Faces that have a material of their own. */
typedef struct SofaSurfacePart {
  const SofaMaterial *material;
  size_t first_triangle, n_triangles, first_quad, n_quads;
} SofaSurfacePart;

/* The data of a renderer. Everything is borrowed from the model until its next update. */
typedef struct SofaSurface {
  const double *position, *normal; /* n_points x 3; normal NULL: flat faces */
  size_t n_points;
  const uint8_t *color; /* n_points x 4, instead of the material's diffuse colour; NULL: none */
  const SofaEdges *edges;
  const SofaTriangles *triangles;
  const SofaQuads *quads;
  const SofaVec2s *texcoords; /* n 0: none */
  const SofaMaterial *material;
  const SofaSurfacePart *parts; /* all faces are in one of them; n_parts 0: material for all */
  size_t n_parts;
  const char *texture;                         /* path of an image, NULL: none */
  double image_scale[2], image_translation[2]; /* of texture coordinates; scale 0: 1 */
  double line_width, point_size;               /* pixels; 0: 1 */
  int cull_face;                               /* 1 back, 2 front faces are not drawn */
  bool enabled, points_only, no_depth_test, write_z, no_shadow; /* no_shadow: it casts none */
  bool srgb_texture; /* the image is sRGB, colours are linear */
  /* grow when positions, normals or colours changed, and when anything else of the geometry did */
  uint64_t points_version, elements_version;
} SofaSurface;

/* Ops of SOFA_VISUAL_MODEL. */
typedef struct SofaVisualModelOps {
  /* required: brings normals up to date when positions changed since the last call, and fills
   * *out. Called before drawing, never by a simulation step. */
  SofaErr (*surface)(SofaState *visual, SofaSurface *out);
} SofaVisualModelOps;

static inline const SofaVisualModelOps *sofa_visual_model_ops(const SofaState *visual) {
  return (const SofaVisualModelOps *)sofa_ops(&visual->object, SOFA_VISUAL_MODEL);
}

SOFA_END_DECLS

#endif
