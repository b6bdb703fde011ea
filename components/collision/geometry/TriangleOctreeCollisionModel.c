/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangleOctreeCollisionModel: a triangle collision model that RayTraceNarrowPhase takes. */
#include "components/collision/geometry/triangle_model.h"

typedef struct TriangleOctreeCollisionModel {
  TriangleCollisionModel triangles;
  bool draw_octree;
} TriangleOctreeCollisionModel;

static const SofaField fields[] = {
    SOFA_FIELD(TriangleOctreeCollisionModel, draw_octree, "drawOctree", "0", "",
               "no effect: there is no octree, the bounding tree finds the triangles of a ray",
               .flags = SOFA_FIELD_NO_EFFECT),
};

SOFA_CLASS(TriangleOctreeCollisionModel) = {
    SOFA_NAMED(TriangleOctreeCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "A TriangleCollisionModel whose contacts with others of its class RayTraceNarrowPhase "
            "can find by rays.",
    .base = &sofa_TriangleCollisionModel_class,
    SOFA_FIELDS(fields),
};
