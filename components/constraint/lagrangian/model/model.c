/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/constraint/lagrangian/model/model.h"

/* ---- violations ---- */

bool model_is_position(const SofaLagrangian *c, const ModelRows *rows,
                       const SofaConstraintProblem *problem) {
  return problem->order == SOFA_CONSTRAIN_POSITIONS ||
         (!rows->velocities && sofa_quirk(&c->object, QUIRK_VELOCITY_ORDER));
}

void model_violation(const SofaLagrangian *c, const ModelRows *rows,
                     const SofaConstraintProblem *problem, double *d) {
  const bool free = model_is_position(c, rows, problem);
  const double *x[2] = {NULL, NULL}, *v[2] = {NULL, NULL};
  for (int end = 0; end < 2; end++) {
    const SofaState *s = c->state[end];
    if (!s) continue;
    x[end] = free ? sofa_free_position(s) : s->position.data;
    v[end] = sofa_free_velocity(s);
  }
  const size_t n = rows->gap(c, x, d);
  if (free) return;
  for (size_t i = 0; i < n; i++) d[i] /= problem->dt;
  rows->add_rate(c, v, d);
}

/* ---- rows ---- */

const SofaConstraintLaw *model_three_rows(const SofaLagrangian *c) {
  return sofa_quirk(&c->object, QUIRK_JOINT_GUARD) ? &sofa_law_bilateral_guarded
                                                   : &sofa_law_bilateral;
}

SofaErr model_bilateral(SofaConstraintProblem *problem, const SofaConstraintLaw *law, uint32_t n,
                        double *memory, uint32_t *first) {
  const SofaConstraintBlock block = {.law = law, .n = n, .relaxation = 1, .memory = memory};
  return sofa_constraint_block(problem, &block, first);
}

SofaErr model_axis(SofaConstraintProblem *problem, const SofaState *state, uint32_t row,
                   size_t point, unsigned k, double value) {
  double entry[6] = {0};
  entry[k] = value;
  return sofa_constraint_entry(problem, state, row, point, entry);
}

SofaErr model_check_point(const SofaObject *object, const char *field, unsigned index,
                          const SofaState *state) {
  if (!state || index < sofa_state_size(state)) return SOFA_OK;
  return sofa_field_fail(object, field, SOFA_ERR_RANGE, "is %u, the state has %zu points", index,
                         sofa_state_size(state));
}

/* ---- classes without rows ---- */

static SofaErr build_nothing(SofaLagrangian *c, SofaConstraintProblem *problem) {
  (void)c, (void)problem;
  return SOFA_OK;
}

static SofaErr no_violation(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d) {
  (void)c, (void)problem, (void)d;
  return SOFA_OK;
}

const SofaLagrangianOps model_without_rows = {.build = build_nothing, .violation = no_violation};
