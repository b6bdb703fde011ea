/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The triangle collision model, on which other classes are based. */
#ifndef COMPONENTS_COLLISION_TRIANGLE_MODEL_H
#define COMPONENTS_COLLISION_TRIANGLE_MODEL_H

#include "components/collision/geometry/mesh_model.h"

SOFA_LIST(uint8_t, SofaBytes);

typedef struct TriangleCollisionModel {
  MeshModel mesh;
  bool compute_normals, use_curvature;
  SofaVec3s normals;
  SofaBytes owned;
} TriangleCollisionModel;

extern const SofaClass sofa_TriangleCollisionModel_class, sofa_TriangleOctreeCollisionModel_class;

#endif
