/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of ClipPlane, for views. */
#ifndef SOFA_VISUAL_CLIPPLANE_H
#define SOFA_VISUAL_CLIPPLANE_H

#include "components/visual/visual.h"

SOFA_BEGIN_DECLS

typedef struct ClipPlane {
  SofaVisual visual;
  SofaVec3 position, normal;
  int id; /* 0..5: a plane of the same number in a node below takes its place */
  bool active;
} ClipPlane;

extern const SofaClass sofa_ClipPlane_class;

SOFA_END_DECLS

#endif
