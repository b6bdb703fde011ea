/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PrecomputedLinearSolver: the first matrix is kept for ever. */
#include "components/linearsolver/precomputed.h"
#include "object/checkpoint.h"
#include "simulation/kept_matrix.h"
#include "simulation/mechanics.h"

typedef struct PrecomputedLinearSolver {
  PrecomputedSolver base;
  const SofaMechanics *mechanics; /* plan of the factor; only compared */
  uint64_t serial;                /* likewise */
} PrecomputedLinearSolver;

static bool keeps(const SofaLinearSolver *solver, const SofaMechanics *m) {
  const PrecomputedLinearSolver *s = (const PrecomputedLinearSolver *)solver;
  return s->mechanics == m && s->serial == m->serial;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  PrecomputedLinearSolver *s = (PrecomputedLinearSolver *)solver;
  const SofaMechanics *m = solver->system->mechanics;
  if (!keeps(solver, m)) {
    s->mechanics = NULL;
    SOFA_TRY(precomputed_update(&s->base));
    s->mechanics = m;
    s->serial = m->serial;
  }
  return sofa_cholmod_solver_apply(&s->base.base, n, b, x);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .keeps = keeps,
                                        .system_template = "CompressedRowSparseMatrixd"};

static const char *const templates[] = {"FullVector", NULL};

/* ---- checkpoints: the matrix, from which the factor is made again ---- */

static SofaErr save(const SofaObject *object, SofaCheckpointWriter *to) {
  const PrecomputedLinearSolver *s = (const PrecomputedLinearSolver *)object;
  const SofaLinearSystem *system = s->base.base.solver.system;
  const SofaMechanics *m = system ? sofa_kept_plan(system) : NULL;
  const bool kept = m && keeps(&s->base.base.solver, m);
  sofa_checkpoint_put_uint(to, kept);
  if (kept) sofa_kept_matrix_save(system, to);
  return SOFA_OK;
}

static SofaErr restore(SofaObject *object, SofaCheckpointReader *from) {
  PrecomputedLinearSolver *s = (PrecomputedLinearSolver *)object;
  SofaLinearSystem *system = s->base.base.solver.system;
  SofaMechanics *m = NULL;
  s->mechanics = NULL;
  if (!sofa_checkpoint_get_uint(from)) return SOFA_OK;
  if (!system) sofa_checkpoint_misread(from);
  else SOFA_TRY(sofa_kept_matrix_restore(system, from, &m));
  if (!m || sofa_checkpoint_is_bad(from)) return SOFA_OK;
  SOFA_TRY(precomputed_update(&s->base));
  s->mechanics = m;
  s->serial = m->serial;
  return SOFA_OK;
}

static const SofaCheckpointOps checkpoint = {.save = save, .restore = restore};

SOFA_CLASS(PrecomputedLinearSolver) = {
    SOFA_NAMED(PrecomputedLinearSolver),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Solves every system with the matrix of the first one: right for linear forces and a "
            "fixed dt, an approximation otherwise. The matrix must be symmetric.",
    .equations = "x = A_0^-1 b",
    .base = &precomputed_solver_class,
    .checkpoint = &checkpoint,
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
