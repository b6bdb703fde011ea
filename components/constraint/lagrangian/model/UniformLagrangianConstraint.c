/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UniformLagrangianConstraint: every coordinate is 0, or that of the rest position. */
#include "components/constraint/lagrangian/model/model.h"

typedef struct UniformLagrangianConstraint {
  SofaLagrangian lagrangian;
  bool iterative, to_rest;
} UniformLagrangianConstraint;

typedef UniformLagrangianConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(iterative, "iterative", "1", "",
             "0: the rows are one block, which the constraint solver solves at once"),
    SOFA_ROW(to_rest, "constrainToRestPos", "0", "", "1: rest positions instead of 0"),
};

static size_t gap(const SofaLagrangian *c, const double *const x[2], double *d) {
  const bool to_rest = ((const UniformLagrangianConstraint *)c)->to_rest;
  const SofaCoords *rest = &c->state[0]->rest_position;
  const size_t n = sofa_state_size(c->state[0]);
  for (size_t i = 0; i < n; i++) d[i] = x[0][i] - (to_rest && i < rest->n ? rest->data[i] : 0);
  return n;
}

static void add_rate(const SofaLagrangian *c, const double *const v[2], double *d) {
  for (size_t i = 0; i < sofa_state_size(c->state[0]); i++) d[i] += v[0][i];
}

static const ModelRows rows = {.gap = gap, .add_rate = add_rate};

static SofaErr violation(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d) {
  model_violation(c, &rows, problem, d);
  return SOFA_OK;
}

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  const UniformLagrangianConstraint *u = (const UniformLagrangianConstraint *)c;
  const uint32_t n = (uint32_t)sofa_state_size(c->state[0]);
  const uint32_t block = u->iterative ? 1 : n;
  uint32_t row = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (i % block) row++;
    else SOFA_TRY(model_bilateral(problem, &sofa_law_bilateral, block, NULL, &row));
    SOFA_TRY(model_axis(problem, c->state[0], row, i, 0, 1));
  }
  return SOFA_OK;
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = violation, .solved = sofa_lagrangian_solved};

static const char *const templates[] = {"Vec1d", NULL};

SOFA_CLASS(UniformLagrangianConstraint) = {
    SOFA_NAMED(UniformLagrangianConstraint),
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .category = "ConstraintSet",
    .help = "Holds every coordinate of a state, such as the distances of a DistanceMapping, at 0.",
    .equations = "x = 0",
    .base = &sofa_state_lagrangian_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
