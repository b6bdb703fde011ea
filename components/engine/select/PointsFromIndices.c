/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PointsFromIndices: the positions of chosen points, each place once. */
#include <string.h>

#include "components/engine/engine.h"

typedef struct PointsFromIndices {
  SofaObject object;
  SofaVec3s position, points;
  SofaIndices indices;
} PointsFromIndices;

typedef PointsFromIndices SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(position, "position", NULL, "m",
                   "points to choose from; default: positions of the node's state"),
    SOFA_ROW_INPUT(indices, "indices", NULL, "", "points to choose"),
    SOFA_ROW_OUTPUT(points, "indices_position", "m",
                    "positions in the order of indices, without places met before"),
};

static bool same(const SofaVec3 *a, const SofaVec3 *b) {
  for (int k = 0; k < 3; k++)
    if (a->v[k] < b->v[k] || a->v[k] > b->v[k]) return false;
  return true;
}

static SofaErr update(SofaObject *object) {
  PointsFromIndices *e = (PointsFromIndices *)object;
  e->points.n = 0;
  SOFA_TRY(ENGINE_CHECK(object, "indices", &e->indices, e->position.n));
  for (size_t i = 0; i < e->indices.n; i++) {
    const SofaVec3 *p = &e->position.data[e->indices.data[i]];
    size_t k = 0;
    while (k < e->points.n && !same(&e->points.data[k], p)) k++;
    if (k == e->points.n) SOFA_TRY(SOFA_APPEND(object->ctx, &e->points, p));
  }
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  SofaState *state = sofa_node_state(object->node);
  SOFA_TRY(engine_link(object, "position", state ? &state->object : NULL, "position"));
  return engine_init(object);
}

ENGINE_CLASS(PointsFromIndices, "Select", "Gives the positions of chosen points.",
             .templates = engine_vec3_templates, .init = init, );
