/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that springs pull to a rest shape. */
#include "behavior/checks.h"
#include "behavior/state_division.h"
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

/* Springs of a mesh that is divided among processes: points of the scene's text are those of the
 * whole mesh. */
static SofaErr divide(SofaRestPoints *r, const SofaForceField *ff) {
  const SofaDivision *division = sofa_state_division(ff->state[0]);
  const SofaField *field = sofa_class_field(ff->object.klass, "points");
  SofaFieldState *state = field ? sofa_field_state(&ff->object, field) : NULL;
  size_t n = 0;
  if (!division || !state) return SOFA_OK;
  if (r->external.target || r->external_points.n)
    return sofa_object_undivided(&ff->object,
                                 "external points on a mesh that is divided among processes");
  if (!state->source && !state->divided && r->points.n) {
    SOFA_TRY(check(ff, "points", &r->points, division->n_whole));
    for (size_t k = 0; k < r->points.n; k++) {
      const uint32_t local = sofa_division_local(division, r->points.data[k]);
      if (local != SOFA_NO_ELEMENT) r->points.data[n++] = local;
    }
    r->points.n = n;
    state->divided = true;
  }
  r->none = !r->points.n && (state->divided || state->source);
  return SOFA_OK;
}

static SofaErr find(SofaRestPoints *r, const SofaForceField *ff, bool exact) {
  SofaContext *ctx = ff->object.ctx;
  SOFA_TRY(divide(r, ff));
  SOFA_TRY(sofa_list_copy(ctx, &r->held, &r->points, sizeof *r->points.data));
  SOFA_TRY(sofa_list_copy(ctx, &r->at, &r->external_points, sizeof *r->points.data));
  if (r->points.n) r->none = false;
  if (r->none) return SOFA_OK;
  r->all = !r->held.n && !r->at.n;
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

SofaErr sofa_rest_points_find(SofaRestPoints *r, SofaForceField *ff, bool exact) {
  sofa_object_changed(&ff->object);
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

SofaErr sofa_rest_points_update(SofaRestPoints *r, SofaForceField *ff, bool exact) {
  if (!r->recompute ||
      (r->n_state == sofa_state_size(ff->state[0]) && r->n_target == target_of(r, ff)->n))
    return SOFA_OK;
  return sofa_keep_going(&ff->object, sofa_rest_points_find(r, ff, exact));
}

/* ---- topological changes ---- */

/* A list of some values gets one for each of the springs; of one or none it serves them all. */
static SofaErr complete(SofaContext *ctx, const SofaColumn *column, size_t n) {
  SofaAnyList *list = column->list;
  const size_t before = list->n;
  if (before < 2 || before >= n) return SOFA_OK;
  SOFA_TRY(sofa_list_resize(ctx, list, column->size, n));
  for (size_t k = before; k < n; k++)
    sofa_copy((char *)list->data + k * column->size, list->data, column->size);
  return SOFA_OK;
}

/* Longer lists than springs lose what no spring has, so that all are of one length or of one entry.
 */
static SofaErr complete_all(SofaContext *ctx, const SofaColumn *columns, size_t n, size_t n_rows) {
  for (size_t i = 0; i < n; i++) {
    SofaAnyList *list = columns[i].list;
    if (list->n > n_rows && list->n > 1) list->n = n_rows ? n_rows : 1;
    SOFA_TRY(complete(ctx, &columns[i], n_rows));
  }
  return SOFA_OK;
}

static SofaErr ends_go(SofaRestPoints *r, const SofaForceField *ff,
                       const SofaTopologyChange *change, const SofaColumn *columns, size_t n) {
  const SofaState *external = (const SofaState *)r->external.target;
  SofaColumn rows[2 + SOFA_REST_COLUMNS] = {
      {&r->held, sizeof *r->held.data, 1, {ff->state[0]}},
      {&r->at, sizeof *r->at.data, 1, {external ? external : ff->state[0]}}};
  if (r->at.n > r->held.n) r->at.n = r->held.n; // unused targets
  SOFA_TRY(complete_all(ff->object.ctx, columns, n, r->held.n));
  size_t n_rows = 2;
  for (size_t i = 0; i < n; i++)
    if (((SofaAnyList *)columns[i].list)->n > 1) rows[n_rows++] = columns[i];
  sofa_change_rows(change, rows, n_rows, false);
  // a value stays for inserted points
  for (size_t i = 2; i < n_rows; i++) {
    SofaAnyList *list = rows[i].list;
    if (!list->n) list->n = 1;
  }
  return SOFA_OK;
}

static SofaErr add(SofaRestPoints *r, SofaContext *ctx, uint32_t point, const SofaColumn *columns,
                   size_t n) {
  SOFA_TRY(complete_all(ctx, columns, n, r->held.n));
  SOFA_TRY(SOFA_APPEND(ctx, &r->held, &point));
  SOFA_TRY(SOFA_APPEND(ctx, &r->at, &point));
  return complete_all(ctx, columns, n, r->held.n);
}

/* The lists of the scene, for the next time they are read; they stay empty where each point is
 * pulled to its own place, and no target is left over. */
static SofaErr tell_fields(SofaRestPoints *r, const SofaForceField *ff) {
  SofaContext *ctx = ff->object.ctx;
  SofaObject *object = (SofaObject *)(uintptr_t)&ff->object;
  const bool targets = r->external.target || r->external_points.n;
  bool own = r->all && r->held.n == r->n_state && r->n_target == r->n_state;
  for (size_t k = 0; k < r->held.n; k++) own &= r->held.data[k] == k && r->at.data[k] == k;
  sofa_field_touch_name(object, "points");
  sofa_field_touch_name(object, "external_points");
  r->points.n = r->external_points.n = 0;
  r->none = !own && !r->held.n; // empty lists would mean all
  if (own) return SOFA_OK;
  SOFA_TRY(sofa_list_copy(ctx, &r->points, &r->held, sizeof *r->points.data));
  return targets ? sofa_list_copy(ctx, &r->external_points, &r->at, sizeof *r->at.data) : SOFA_OK;
}

SofaErr sofa_rest_points_listen(SofaRestPoints *r, const SofaForceField *ff,
                                const SofaTopologyChange *change, const SofaColumn *columns,
                                size_t n) {
  SofaContext *ctx = ff->object.ctx;
  const SofaState *external = (const SofaState *)r->external.target;
  const bool held = sofa_change_moves(change, ff->state[0]);
  const bool pulls = external ? sofa_change_moves(change, external) : held;
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  const size_t now = goes ? change->n_before - change->n : change->n_before + change->n;
  uint32_t point;
  if (!held && !pulls) return SOFA_OK;
  if (r->all) SOFA_TRY(sofa_change_note_new(change, ctx, ff->state[0], &r->came));
  if (goes) SOFA_TRY(ends_go(r, ff, change, columns, n));
  if (held) r->n_state = now;
  if (pulls) r->n_target = now;
  while (r->all && sofa_change_next_new(&r->came, r->n_target, &point))
    SOFA_TRY(add(r, ctx, point, columns, n));
  return tell_fields(r, ff);
}

void sofa_rest_points_free(SofaRestPoints *r, SofaContext *ctx) {
  sofa_list_free(ctx, &r->held);
  sofa_list_free(ctx, &r->at);
  sofa_list_free(ctx, &r->came);
}

void sofa_rest_points_draw(const SofaRestPoints *r, const SofaForceField *ff,
                           const SofaDrawArgs *args, SofaRgba color) {
  const SofaState *state = ff->state[0];
  if (!sofa_draw_shows_field(args, (const SofaState *const[2]){state, NULL})) return;
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const double *target = sofa_rest_points_target(r, ff);
  for (size_t i = 0; target && i < r->held.n && i < r->at.n; i++) {
    double a[3], b[3] = {0, 0, 0};
    if (r->held.data[i] >= state->position.n) continue;
    sofa_state_point(state, r->held.data[i], a);
    for (unsigned k = 0; k < kind->space && k < 3; k++)
      b[k] = target[r->at.data[i] * kind->coord + k];
    sofa_draw_line(args->list, a, b, 5, color);
  }
}
