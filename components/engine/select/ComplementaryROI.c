/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ComplementaryROI: the points that are in none of several sets. */
#include "components/engine/engine.h"

typedef struct ComplementaryROI {
  SofaObject object;
  SofaVec3s position, points;
  uint32_t n_sets;
  SofaIndices indices;
} ComplementaryROI;

typedef ComplementaryROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(position, "position", NULL, "m", "points to select from"),
    SOFA_ROW(n_sets, "nbSet", "0", "", "number of sets"),
    SOFA_ROW_OUTPUT(indices, "indices", "", "points in no set, ascending"),
    SOFA_ROW_OUTPUT(points, "pointsInROI", "m", "their positions"),
};

static const SofaFieldFamily families[] = {
    ENGINE_INPUTS(indices, "setIndices", "nbSet", "", "points of a set"),
};

static SofaErr select_points(ComplementaryROI *r, uint8_t *taken) {
  SofaContext *ctx = r->object.ctx;
  for (size_t i = 0; i < r->position.n; i++) taken[i] = 0;
  for (size_t k = 0; k < sofa_family_n(&r->object, 0); k++) {
    const SofaIndices *set = sofa_family_value(&r->object, 0, k);
    SOFA_TRY(ENGINE_CHECK(&r->object, "setIndices", set, r->position.n));
    for (size_t i = 0; i < set->n; i++) taken[set->data[i]] = 1;
  }
  for (size_t i = 0; i < r->position.n; i++) {
    if (taken[i]) continue;
    SOFA_TRY(engine_append(ctx, &r->indices, i));
    SOFA_TRY(SOFA_APPEND(ctx, &r->points, &r->position.data[i]));
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  ComplementaryROI *r = (ComplementaryROI *)object;
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  uint8_t *taken = SOFA_SCRATCH(object->ctx, uint8_t, r->position.n);
  r->indices.n = r->points.n = 0;
  const SofaErr err = taken ? select_points(r, taken) : SOFA_ERR_MEMORY;
  sofa_scratch_release(object->ctx, mark);
  return err;
}

ENGINE_CLASS(ComplementaryROI, "Select", "Selects the points that are in none of several sets.",
             ENGINE_FAMILIES, .divided = SOFA_DIVIDED_LOCAL, .templates = engine_vec3_templates,
             .init = engine_init, );
