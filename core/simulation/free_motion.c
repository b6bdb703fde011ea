/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The motion of a step without constraint forces. */

#include "base/profiler.h"
#include "simulation/constraint_step.h"

static SofaErr want_free(SofaSchedule *s) {
  for (size_t i = 0; i < s->states.n; i++)
    SOFA_TRY(sofa_state_want_free((SofaState *)s->states.data[i]));
  return SOFA_OK;
}

/* Free velocities, or free positions. */
static SofaErr project(SofaSchedule *s, double dt, SofaProjection which) {
  for (size_t i = 0; i < s->constraints.n; i++) {
    SofaProjective *c = (SofaProjective *)s->constraints.data[i];
    SofaState *first = c->state, *second = c->second;
    const SofaMechParams p = sofa_mech_params(dt, c->object.node->time, 0, 0, 0);
    if (!first) continue;
    const bool x = which == SOFA_PROJECT_POSITION;
    double *one = x ? first->free_position.data : first->free_velocity.data;
    double *other = !second ? NULL : x ? second->free_position.data : second->free_velocity.data;
    SOFA_TRY(sofa_projective_apply(c, which, &p, one, other));
  }
  return SOFA_OK;
}

static SofaErr map_velocity(SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_OK;
  SofaPoint at;
  const double **v = SOFA_SCRATCH(ctx, const double *, map->n_inputs + 1);
  SOFA_GO(err, done, v ? SOFA_OK : SOFA_ERR_MEMORY);
  for (size_t k = 0; k < map->n_inputs; k++) v[k] = map->inputs[k]->free_velocity.data;
  SOFA_GO(err, done, sofa_mapping_point(map, &at));
  err = sofa_mapping_apply_j(map, &at, v, map->out->free_velocity.data);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

/* x_free = x + dt v_free. */
static void move_free(SofaState *s, double dt) {
  const SofaCoords *x = &s->position;
  if (x->n) sofa_copy(s->free_position.data, x->data, x->n * x->width * sizeof *x->data);
  sofa_state_integrate(s->object.kind, x->n, dt, s->free_velocity.data, s->free_position.data);
}

/* The free positions of mapped states follow their free velocities; those of independent states
 * are the solvers'. */
static bool has_position(const SofaState *s, const SofaConstrainedStep *step) {
  return s->mechanics && !s->mapped && !step->by_velocity;
}

static SofaErr map_positions(SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_OK;
  SofaPoint at;
  const double **x = SOFA_SCRATCH(ctx, const double *, map->n_inputs + 1);
  SOFA_GO(err, done, x ? SOFA_OK : SOFA_ERR_MEMORY);
  SOFA_GO(err, done, sofa_mapping_point(map, &at));
  for (size_t k = 0; k < map->n_inputs; k++) x[k] = map->inputs[k]->free_position.data;
  at.x = x;
  err = sofa_mapping_apply(map, &at, map->out->free_position.data);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr find_positions(SofaSchedule *s, const SofaConstrainedStep *step) {
  for (size_t i = 0; i < s->states.n; i++) {
    SofaState *state = (SofaState *)s->states.data[i];
    if (!has_position(state, step)) move_free(state, step->dt);
  }
  if (!step->by_mappings) return SOFA_OK;
  SOFA_TRY(project(s, step->dt, SOFA_PROJECT_POSITION));
  for (size_t i = 0; i < s->mappings.n; i++)
    SOFA_TRY(map_positions((SofaMapping *)s->mappings.data[i]));
  return SOFA_OK;
}

SofaErr sofa_schedule_free_motion(SofaSchedule *s, const SofaConstrainedStep *step) {
  SofaErr err = SOFA_OK;
  SOFA_TRY(want_free(s));
  sofa_timer_begin(s->ctx, "free motion");
  SOFA_GO(err, done, sofa_schedule_solve_free(s, step->dt));
  SOFA_GO(err, done, project(s, step->dt, SOFA_PROJECT_RESPONSE));
  for (size_t i = 0; i < s->mappings.n; i++)
    SOFA_GO(err, done, map_velocity((SofaMapping *)s->mappings.data[i]));
  if (step->order == SOFA_CONSTRAIN_POSITIONS) err = find_positions(s, step);
done:
  sofa_timer_end(s->ctx);
  return err;
}
