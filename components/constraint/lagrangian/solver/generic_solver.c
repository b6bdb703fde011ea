/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields and outputs of constraint solvers that iterate over blocks. */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"

enum { QUIRK_CONSTRAINT_ITERATIONS = 1 << 26 };
static const SofaQuirk quirks[] = {
    {QUIRK_CONSTRAINT_ITERATIONS, "constraint-iterations",
     "currentIterations of most constraint solvers is one more than they made",
     "test_constraint_components.outputs"},
};

typedef GenericSolver SofaSelf; /* of SOFA_ROW */
#define METHOD(member, xml, def, unit, ...)                                                        \
  SOFA_ROW(base.method.member, xml, def, unit, __VA_ARGS__)
#define GRAPH(member, xml, unit, help)                                                             \
  SOFA_ROW(base.solve.report.member, xml, NULL, unit, help, .flags = SOFA_FIELD_OUTPUT)
#define CURRENT(member, xml, help) SOFA_ROW(member, xml, "0", "1", help, .flags = SOFA_FIELD_OUTPUT)

static const SofaField fields[] = {
    METHOD(max_iterations, "maxIterations", "1000", "1", "most iterations of a solve",
           .aliases = "maxIt", .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    METHOD(tolerance, "tolerance", "0.001", "",
           "a solve ends when the sum of the changes of the violations in an iteration falls below "
           "this; m, or m/s when velocities are constrained",
           .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    METHOD(sor, "sor", "1", "1",
           "over-relaxation: the forces after a sweep are sor times the new ones and 1 - sor times "
           "the old ones",
           .range = SOFA_BETWEEN(0, 2), .on_bad = SOFA_BAD_KEEP),
    METHOD(regularization, "regularizationTerm", "0", "",
           "added to the diagonal of the compliance W of all rows: constraints give way to it",
           .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    METHOD(scale_tolerance, "scaleTolerance", "1", "",
           "multiply the tolerance by the number of rows"),
    METHOD(all_verified, "allVerified", "0", "",
           "a solve ends when the change of every row falls below the tolerance, not the sum"),
    METHOD(record, "computeGraphs", "0", "", "fill the graphs"),
    GRAPH(errors, "graphErrors", "", "error after each iteration of the last solve"),
    GRAPH(block_errors, "graphConstraints", "", "errors of the blocks, iteration by iteration"),
    GRAPH(forces, "graphForces", "", "forces of all rows, iteration by iteration"),
    GRAPH(violations, "graphViolations", "", "violations as the visits found them, in their order"),
    CURRENT(n_constraints, "currentNumConstraints", "rows of the last step"),
    CURRENT(n_groups, "currentNumConstraintGroups", "blocks of rows of the last step"),
    CURRENT(iterations, "currentIterations", "iterations of the last step"),
    CURRENT(error, "currentError", "error of the last iteration; see tolerance"),
};

static void clear(GenericSolver *s) {
  s->n_constraints = s->n_groups = s->iterations = 0;
  s->error = 0;
}

static SofaErr reset(SofaObject *object) {
  clear((GenericSolver *)object);
  return SOFA_OK;
}

SofaErr generic_solver_run(SofaConstraintSolver *solver, SofaConstraintProblem *problem,
                           SofaErr (*method)(SofaConstraintSolve *s)) {
  GenericSolver *s = (GenericSolver *)solver;
  clear(s);
  if (problem->n == 0) return lagrangian_solver_idle(&s->base);
  SOFA_TRY(lagrangian_solver_begin(&s->base, problem));
  SOFA_TRY(method(&s->base.solve));
  const SofaConstraintReport *r = &s->base.solve.report;
  const SofaConstraintMethod *m = &s->base.method;
  s->n_constraints = (int)problem->n;
  s->n_groups = (int)problem->blocks.n;
  s->iterations = (int)r->iterations;
  s->error = r->error;
  const bool counts_one_more =
      method != sofa_constraint_nncg && !(method == sofa_constraint_unbuilt && r->converged);
  if (counts_one_more && sofa_quirk(&solver->object, QUIRK_CONSTRAINT_ITERATIONS))
    s->iterations = m->max_iterations < s->iterations ? m->max_iterations + 1 : s->iterations + 1;
  return lagrangian_solver_end(&s->base);
}

const SofaClass generic_solver_class = {
    .name = "GenericSolver",
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints by iterations over their blocks of rows.",
    .base = &lagrangian_solver_class,
    .size = sizeof(GenericSolver),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .reset = reset,
    .abstract = true,
};

/* ---- solvers that form W ---- */

#undef METHOD
#define METHOD(member, xml, def, unit, ...)                                                        \
  SOFA_FIELD(BuiltSolver, base.base.method.member, xml, def, unit, __VA_ARGS__)

static const SofaField built_fields[] = {
    SOFA_FIELD(BuiltSolver, n_threads, "nbThreads", "0", "1", "no effect: --threads sets them",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(BuiltSolver, scheduler, "taskSchedulerType", "_default", "", "no effect",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(BuiltSolver, multithreading, "multithreading", "0", "",
               "no effect: results do not depend on threads", .flags = SOFA_FIELD_NO_EFFECT),
    METHOD(by_svd, "useSVDForRegularization", "0", "",
           "add regularizationTerm only to rows of the null space of W"),
    METHOD(null_value, "svdSingularValueNullSpaceCriteriaFactor", "0.01", "1",
           "singular values below this times the largest one are those of the null space"),
    METHOD(
        null_vector, "svdSingularVectorNullSpaceCriteriaFactor", "0.001", "1",
        "a row belongs to the null space when the norm of its part of the vectors is above this"),
};

const SofaClass built_solver_class = {
    .name = "BuiltSolver",
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints with the matrix of their compliance.",
    .base = &generic_solver_class,
    .size = sizeof(BuiltSolver),
    SOFA_FIELDS(built_fields),
    .abstract = true,
};
