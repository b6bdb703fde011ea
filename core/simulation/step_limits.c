/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "simulation/step_limits.h"

#include <math.h>

#include "simulation/vectors.h"

static const SofaStepLimiterOps *ops_of(const SofaObject *limiter) {
  return sofa_ops(limiter, SOFA_STEP_LIMITER);
}

static const double *x_of(const SofaMechanics *m, const SofaState *s, const double *x) {
  return s->mechanics == m ? x + s->x_offset : s->position.data;
}

/* Its part of a point, good until the next call. */
static SofaPoint limiter_point(SofaMechanics *m, const SofaObject *limiter,
                               const SofaMechPoint *at) {
  SofaState *const *states;
  size_t n;
  ops_of(limiter)->states(limiter, &states, &n);
  for (size_t k = 0; k < n; k++) {
    m->at_x[k] = x_of(m, states[k], at->x);
    m->at_v[k] = states[k]->mechanics == m ? at->v + states[k]->v_offset : states[k]->velocity.data;
  }
  return (SofaPoint){.x = m->at_x, .v = m->at_v, .n = n, .time = at->time, .id = at->id};
}

SofaErr sofa_mech_limit_begin(SofaMechanics *m, const SofaMechPoint *at, double dt) {
  for (size_t i = 0; i < m->n_limiters; i++) {
    SofaObject *limiter = m->limiters[i];
    if (!ops_of(limiter)->begin) continue;
    const SofaStepStart start = {limiter_point(m, limiter, at), dt, m->statics};
    SOFA_TRY(ops_of(limiter)->begin(limiter, &start));
  }
  sofa_vec_copy(sofa_all_x(m), at->x, m->x_taken);
  return SOFA_OK;
}

void sofa_mech_limit_ahead(SofaMechanics *m, double ahead) {
  for (size_t i = 0; i < m->n_limiters; i++)
    if (ops_of(m->limiters[i])->look_ahead)
      ops_of(m->limiters[i])->look_ahead(m->limiters[i], ahead);
}

SofaErr sofa_mech_limit(SofaMechanics *m, const double *x, double *share) {
  *share = 1;
  for (size_t i = 0; i < m->n_limiters; i++) {
    SofaObject *limiter = m->limiters[i];
    SofaState *const *states;
    double one = 1;
    size_t n;
    ops_of(limiter)->states(limiter, &states, &n);
    for (size_t k = 0; k < n; k++) {
      m->at_x[k] = x_of(m, states[k], m->x_taken);
      m->at_v[k] = x_of(m, states[k], x);
    }
    SOFA_TRY(ops_of(limiter)->limit(limiter, m->at_x, m->at_v, &one));
    *share = fmin(*share, fmax(one, 0));
  }
  return SOFA_OK;
}

SofaErr sofa_mech_limit_take(SofaMechanics *m, const SofaMechPoint *at, bool *changed) {
  *changed = false;
  for (size_t i = 0; i < m->n_limiters; i++) {
    SofaObject *limiter = m->limiters[i];
    bool one = false;
    if (!ops_of(limiter)->taken) continue;
    const SofaPoint point = limiter_point(m, limiter, at);
    SOFA_TRY(ops_of(limiter)->taken(limiter, &point, &one));
    *changed |= one;
  }
  sofa_vec_copy(sofa_all_x(m), at->x, m->x_taken);
  return SOFA_OK;
}

SofaErr sofa_mech_limit_guess(SofaMechanics *m, const double *x, bool *allowed) {
  double share = 1;
  SOFA_TRY(sofa_mech_limit(m, x, &share));
  *allowed = share >= 1;
  return SOFA_OK;
}

SofaErr sofa_mech_limit_imposed(SofaMechanics *m, const SofaObject *solver, const double *x) {
  double share = 1;
  SOFA_TRY(sofa_mech_limit(m, x, &share));
  if (share >= 1) return SOFA_OK;
  return sofa_object_fail(solver, SOFA_ERR_NOT_CONVERGED,
                          "step %llu (t = %g s): constraints move their points too far at once: "
                          "only %.3g of the motion of this step is possible before surfaces meet; "
                          "take a smaller dt, or a slower motion",
                          (unsigned long long)solver->ctx->step, m->node->time, share);
}

const double *sofa_mech_limit_taken(const SofaMechanics *m) {
  return m->x_taken;
}

bool sofa_mech_limit_bends(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_main; i++)
    if (sofa_state_kind_info(m->states[i]->object.kind)->rigid) return true;
  for (size_t i = 0; i < m->n_mappings; i++)
    if (!sofa_mapping_is_constant(m->mappings[i])) return true;
  return false;
}
