/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes around a parallelogram p0 p1 p2, as thick as a depth. */
#ifndef SOFA_COMPONENTS_ENGINE_SELECT_ORIENTED_BOX_H
#define SOFA_COMPONENTS_ENGINE_SELECT_ORIENTED_BOX_H

#include "object/type.h"

/* |(p - origin) . axis| <= extent */
typedef struct Slab {
  double origin[3], axis[3], extent;
} Slab;
typedef struct OrientedBox {
  Slab slabs[5];
} OrientedBox;
SOFA_LIST(OrientedBox, OrientedBoxes);

/* The boxes of rows p0 p1 p2 depth; frees nothing that `out` has. */
SofaErr oriented_boxes_make(SofaContext *ctx, const SofaVec10s *rows, OrientedBoxes *out);
/* Is the point in one of the boxes, borders included? */
bool oriented_boxes_contain(const OrientedBoxes *boxes, const double p[3]);

#endif
