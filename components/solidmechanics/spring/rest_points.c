/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that springs pull to a rest shape. */
#include "components/solidmechanics/spring/rest_points.h"

const SofaLinkRule sofa_rest_points_rule = {.interface = SOFA_MECHANICAL_STATE,
                                            .search = SOFA_SEARCH_NONE};

static const SofaCoords *target_of(const SofaRestPoints *r, const SofaForceField *ff) {
  const SofaState *state = ff->state[0];
  if (r->external.target) return &((const SofaState *)r->external.target)->position;
  return state->rest_position.n ? &state->rest_position : &state->position;
}

const double *sofa_rest_points_target(const SofaRestPoints *r, const SofaForceField *ff) {
  return target_of(r, ff)->data;
}

static SofaErr count_up(SofaContext *ctx, SofaIndices *list, size_t n) {
  SOFA_TRY(SOFA_RESIZE(ctx, list, n));
  for (size_t i = 0; i < n; i++) list->data[i] = (uint32_t)i;
  return SOFA_OK;
}

static SofaErr check(const SofaForceField *ff, const char *field, const SofaIndices *list,
                     size_t n) {
  for (size_t k = 0; k < list->n; k++) {
    if (list->data[k] >= n)
      return sofa_field_fail(&ff->object, field, SOFA_ERR_RANGE,
                             "index %u does not exist, there are %zu points", list->data[k], n);
  }
  return SOFA_OK;
}

static SofaErr find(SofaRestPoints *r, const SofaForceField *ff, bool exact) {
  SofaContext *ctx = ff->object.ctx;
  SOFA_TRY(sofa_list_copy(ctx, &r->held, &r->points, sizeof *r->points.data));
  SOFA_TRY(sofa_list_copy(ctx, &r->at, &r->external_points, sizeof *r->points.data));
  if (!r->held.n) SOFA_TRY(count_up(ctx, &r->held, r->n_state));
  if (!r->at.n && r->external.target) SOFA_TRY(count_up(ctx, &r->at, r->n_target));
  if (!r->at.n) SOFA_TRY(sofa_list_copy(ctx, &r->at, &r->held, sizeof *r->held.data));
  SOFA_TRY(check(ff, "points", &r->held, r->n_state));
  SOFA_TRY(check(ff, "external_points", &r->at, r->n_target));
  if (r->held.n > r->at.n || (exact && r->held.n != r->at.n))
    return sofa_field_fail(&ff->object, "external_points", SOFA_ERR_ARGUMENT,
                           "%zu points are held, but there are %zu targets", r->held.n, r->at.n);
  // without an external state SOFA pulls each point to its own rest position
  if (!r->external.target) SOFA_TRY(sofa_list_copy(ctx, &r->at, &r->held, sizeof *r->held.data));
  return SOFA_OK;
}

SofaErr sofa_rest_points_find(SofaRestPoints *r, const SofaForceField *ff, bool exact) {
  const SofaState *external = (const SofaState *)r->external.target;
  r->n_state = sofa_state_size(ff->state[0]);
  r->n_target = target_of(r, ff)->n;
  if (external && external->object.kind != ff->state[0]->object.kind)
    return sofa_field_fail(&ff->object, "external_rest_shape", SOFA_ERR_TYPE,
                           "the state is of kind %s, the held one of kind %s",
                           sofa_state_kind_info(external->object.kind)->name,
                           sofa_state_kind_info(ff->state[0]->object.kind)->name);
  const SofaErr err = find(r, ff, exact);
  if (err != SOFA_OK) r->held.n = r->at.n = 0;
  return err;
}

SofaErr sofa_rest_points_update(SofaRestPoints *r, const SofaForceField *ff, bool exact) {
  if (!r->recompute ||
      (r->n_state == sofa_state_size(ff->state[0]) && r->n_target == target_of(r, ff)->n))
    return SOFA_OK;
  const SofaErr err = sofa_rest_points_find(r, ff, exact);
  return ff->object.ctx->keep_going && err != SOFA_ERR_MEMORY ? SOFA_OK : err;
}

void sofa_rest_points_free(SofaRestPoints *r, SofaContext *ctx) {
  sofa_list_free(ctx, &r->held);
  sofa_list_free(ctx, &r->at);
}
