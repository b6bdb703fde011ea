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
  if (r->points.n) r->none = false;
  if (r->none) return SOFA_OK;
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

/* ---- topological changes ---- */

bool sofa_rest_points_can_follow(const SofaRestPoints *r, const SofaReals *const *lists, size_t n,
                                 const char **why) {
  *why = "is about to change, and the rest shape is another state";
  if (r->external.target) return false;
  *why = "is about to change, and values were given for some of the springs";
  for (size_t i = 0; i < n; i++)
    if (lists[i]->n > 1 && lists[i]->n != r->held.n) return false;
  return true;
}

/* Listed points that go; entry k of the lists belongs to spring k. */
static void drop_listed(SofaRestPoints *r, const SofaTopologyChange *change,
                        SofaReals *const *lists, size_t n) {
  const size_t before = r->points.n;
  for (size_t k = 0; k < r->points.n;) {
    const uint32_t id = r->points.data[k];
    const uint32_t now = id < change->n_before ? change->renamed[id] : SOFA_NO_ELEMENT;
    if (now != SOFA_NO_ELEMENT) {
      r->points.data[k++] = now;
      continue;
    }
    const size_t last = --r->points.n;
    r->points.data[k] = r->points.data[last];
    for (size_t i = 0; i < n; i++)
      if (lists[i]->n == before) lists[i]->data[k] = lists[i]->data[last];
  }
  for (size_t i = 0; i < n; i++)
    if (lists[i]->n == before) lists[i]->n = r->points.n;
  // empty means all
  r->none = !r->points.n;
}

/* Points of the other state that pull are renumbered. */
static SofaErr targets_go(SofaRestPoints *r, const SofaForceField *ff,
                          const SofaTopologyChange *change) {
  if (!r->external_points.n) return SOFA_OK; // all of them: counted again at the next force
  for (size_t k = 0; k < r->external_points.n; k++) {
    uint32_t *id = &r->external_points.data[k];
    *id = *id < change->n_before ? change->renamed[*id] : SOFA_NO_ELEMENT;
    if (*id == SOFA_NO_ELEMENT)
      return sofa_object_unsupported(&ff->object, "a point of external_rest_shape that goes");
  }
  r->n_target = change->n_before - change->n;
  return sofa_list_copy(ff->object.ctx, &r->at, &r->external_points, sizeof *r->at.data);
}

SofaErr sofa_rest_points_follow(SofaRestPoints *r, const SofaForceField *ff,
                                const SofaTopologyChange *change, SofaReals *const *lists,
                                size_t n) {
  if (change->kind != SOFA_CHANGE_REMOVE) return SOFA_OK;
  if (sofa_change_moves(change, (const SofaState *)r->external.target))
    return targets_go(r, ff, change);
  if (!sofa_change_moves(change, ff->state[0])) return SOFA_OK;
  if (r->points.n) drop_listed(r, change, lists, n);
  for (size_t i = 0; !r->none && !r->points.n && i < n; i++)
    if (lists[i]->n > 1) sofa_change_remove_entries(change, lists[i], sizeof *lists[i]->data);
  // each point is pulled to its own place
  if (!r->external_points.n) return SOFA_OK;
  return sofa_list_copy(ff->object.ctx, &r->external_points, &r->points, sizeof *r->points.data);
}

void sofa_rest_points_free(SofaRestPoints *r, SofaContext *ctx) {
  sofa_list_free(ctx, &r->held);
  sofa_list_free(ctx, &r->at);
}
