/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PrecomputedLinearSolver: the first matrix is kept for ever. */
#include "components/linearsolver/cholmod_solver.h"
#include "simulation/mechanics.h"

typedef struct PrecomputedLinearSolver {
  CholmodLinearSolver base;
  bool two_step, use_file;
  const SofaMechanics *mechanics; /* plan of the factor; only compared */
  uint64_t serial;                /* likewise */
} PrecomputedLinearSolver;

static const SofaField fields[] = {
    SOFA_FIELD(PrecomputedLinearSolver, two_step, "jmjt_twostep", "1", "",
               "no effect: concerns Lagrange multipliers", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(PrecomputedLinearSolver, use_file, "use_file", "1", "",
               "no effect: the factor is made at the first step of every run; nothing is read or "
               "written",
               .flags = SOFA_FIELD_NO_EFFECT),
};

static bool keeps(const SofaLinearSolver *solver, const SofaMechanics *m) {
  const PrecomputedLinearSolver *s = (const PrecomputedLinearSolver *)solver;
  return s->mechanics == m && s->serial == m->serial;
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  PrecomputedLinearSolver *s = (PrecomputedLinearSolver *)solver;
  const SofaMechanics *m = solver->system->mechanics;
  if (!keeps(solver, m)) {
    SOFA_TRY(cholmod_solver_update(&s->base));
    s->mechanics = m;
    s->serial = m->serial;
  }
  return cholmod_solver_apply(&s->base, b, x);
}

static const SofaLinearSolverOps ops = {
    .solve = solve, .keeps = keeps, .system_template = "CompressedRowSparseMatrixd"};

static const char *const templates[] = {"FullVector", NULL};

const SofaClass sofa_PrecomputedLinearSolver_class = {
    .name = "PrecomputedLinearSolver",
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Solves every system with the matrix of the first one: right for linear forces and a "
            "fixed dt, an approximation otherwise. The matrix must be symmetric.",
    .base = &cholmod_linear_solver_class,
    .size = sizeof(PrecomputedLinearSolver),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .ops = {[SOFA_LINEAR_SOLVER] = &ops},
};
