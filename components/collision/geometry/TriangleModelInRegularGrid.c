/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangleModelInRegularGrid: a triangle collision model under another name. */
#include "components/collision/geometry/triangle_model.h"

typedef struct TriangleModelInRegularGrid {
  TriangleCollisionModel triangles;
} TriangleModelInRegularGrid;

SOFA_CLASS(TriangleModelInRegularGrid) = {
    SOFA_NAMED(TriangleModelInRegularGrid),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "The same as TriangleCollisionModel. SOFA's class puts all triangles into one box, so "
            "that it cannot meet ordinary models.",
    .base = &sofa_TriangleCollisionModel_class,
};
