/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the collision models of points, lines and triangles share: the state and the topology of
 * their node, the corners of their elements, and the places of contacts on them. */
#ifndef COMPONENTS_COLLISION_MESH_MODEL_H
#define COMPONENTS_COLLISION_MESH_MODEL_H

#include "behavior/collision_model.h"

typedef struct MeshModel {
  SofaCollisionModel model;
  SofaIndices corners; /* of the elements */
  uint32_t topology_revision;
  size_t n_points; /* of the state, at the last update */
  bool is_known;   /* the elements were read */
} MeshModel;

extern const SofaClass mesh_collision_model_class; /* abstract: link topology */

#define MESH_MODEL_ROW_BOTH_SIDE(T)                                                                \
  SOFA_FIELD(T, mesh.model.both_side, "bothSide", "0", "",                                         \
             "LocalMinDistance finds contacts on both sides of the surface")

/* Have the topology or the number of points changed since the elements were read? */
bool mesh_model_changed(const SofaCollisionModel *model);
/* Begins an update: *stale when the elements must be read again; the model's revision then grows.
 */
void mesh_model_begin(MeshModel *m, bool *stale);
/* Checks the corners of the elements and makes them the model's. */
SofaErr mesh_model_set(MeshModel *m, size_t n);

/* can_create: a state of Vec3 stands in the node or above. */
bool mesh_model_can_create(SofaNode *node, const struct SofaElement *element,
                           const char *template_name, SofaText *why);

/* Weights (1 - t, t) of the place p on a line, not limited to the line. */
void line_weights(const double *a, const double *b, const double p[3], double w[2]);
/* Weights of the point of the triangle that is closest to p by SOFA's rule: the projection, moved
 * to a border or corner when it is outside. */
void triangle_weights(const double *a, const double *b, const double *c, const double p[3],
                      double w[3]);

#endif
