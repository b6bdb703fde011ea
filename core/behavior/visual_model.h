/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Visual models: surfaces to draw. A visual model is a state (mappings may move it); it simulates
 * nothing. */
#ifndef SOFA_BEHAVIOR_VISUAL_MODEL_H
#define SOFA_BEHAVIOR_VISUAL_MODEL_H

#include "behavior/state.h"

/* What a renderer needs. Everything is borrowed from the model until its next update. */
typedef struct SofaSurface {
  const double *position, *normal; /* n_points x 3; normal NULL: none */
  size_t n_points;
  const SofaEdges *edges;
  const SofaTriangles *triangles;
  const SofaQuads *quads;
  const SofaVec2s *texcoords; /* n 0: none */
  const SofaMaterial *material;
  const char *texture; /* path of an image, NULL: none */
  bool enabled;
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

#endif
