/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AsyncSparseLDLSolver: L D L^T, by default as SparseLDLSolver; SOFA factorises in another thread
 * and solves meanwhile with an older factor. */
#include "numerics/krylov/assembled.h"
#include "object/checkpoint.h"
#include "components/linearsolver/SparseLDLSolver.h"
#include "simulation/mechanics.h"

enum { QUIRK_ASYNC_FACTOR = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_ASYNC_FACTOR, "async-factor",
     "AsyncSparseLDLSolver solves with a factor that was begun 20 to 39 solves before",
     "test_direct_solvers.late_factors"},
};

/* Solves that SOFA makes while its other thread factorises, by decision; on the machine of the
 * recorded trajectories it was between 9 and 21. */
enum { LAG = 20 };

typedef struct AsyncSparseLDLSolver {
  SparseLDLSolver base;
  bool enable_assembly;
  SofaCholmodSolver *late[2];     /* owned; the factor to solve with and the one in the making */
  int latest, used;               /* of late: the last that was begun; to solve with */
  int left;                       /* solves until the last one is finished */
  const SofaMechanics *mechanics; /* plan of the factors; only compared */
  uint64_t serial, value_version; /* of the plan; of the matrix of the last build */
} AsyncSparseLDLSolver;

static const SofaField fields[] = {
    SOFA_FIELD(AsyncSparseLDLSolver, enable_assembly, "enableAssembly", "1", "",
               "no effect: matrices are always assembled", .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr construct(SofaObject *object) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)object;
  for (int i = 0; i < 2; i++)
    SOFA_TRY(sofa_cholmod_solver_create(object->ctx, SPARSE_LDL_KIND, &s->late[i]));
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)object;
  for (int i = 0; i < 2; i++) sofa_cholmod_solver_destroy(&s->late[i]);
}

/* The first factor is used at once. A later one comes into use LAG solves after it was begun;
 * matrices that are built meanwhile are passed over. */
static SofaErr advance(AsyncSparseLDLSolver *s) {
  SofaCholmodLinearSolver *base = &s->base.base;
  const SofaMechanics *m = base->solver.system->mechanics;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(&base->solver, &matrix, &rows));
  const bool first = s->mechanics != m || s->serial != m->serial;
  if (first) s->left = 0;
  if (s->left > 0 && --s->left == 0) s->used = s->latest;
  const bool built = first || s->value_version != rows.value_version;
  s->value_version = rows.value_version;
  if (!built || s->left > 0) return SOFA_OK;

  const int next = 1 - s->used;
  SofaCholmodSolver *own = base->cholmod;
  base->cholmod = s->late[next];
  const SofaErr err = sofa_cholmod_solver_update(base);
  base->cholmod = own;
  if (err != SOFA_OK) s->mechanics = NULL;
  if (err != SOFA_OK) return err;
  if (first) s->used = next;
  else s->left = LAG;
  s->latest = next;
  s->mechanics = m;
  s->serial = m->serial;
  return SOFA_OK;
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  AsyncSparseLDLSolver *s = (AsyncSparseLDLSolver *)solver;
  SofaCholmodLinearSolver *base = &s->base.base;
  if (!sofa_quirk(&solver->object, QUIRK_ASYNC_FACTOR))
    return sofa_sparse_ldl_solve(solver, n, b, x);
  SOFA_TRY(advance(s));
  SofaCholmodSolver *own = base->cholmod;
  base->cholmod = s->late[s->used];
  const SofaErr err = sofa_cholmod_solver_apply(base, n, b, x);
  base->cholmod = own;
  return err;
}

static SofaErr add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j, double factor,
                           size_t ld, double *w) {
  if (sofa_quirk(&solver->object, QUIRK_ASYNC_FACTOR))
    return sofa_linear_solver_add_by_solving(solver, j, factor, ld, w);
  return sofa_sparse_ldl_add_jainvjt(solver, j, factor, ld, w);
}

static SofaErr factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                           SofaFactoredRows *out) {
  if (sofa_quirk(&solver->object, QUIRK_ASYNC_FACTOR)) return SOFA_OK;
  return sofa_sparse_ldl_factor_rows(solver, j, out);
}

static const SofaLinearSolverOps ops = {.solve = sofa_linear_solver_solve_one,
                                        .solve_many = solve_many,
                                        .add_jainvjt = add_jainvjt,
                                        .factor_rows = factor_rows,
                                        .forget_pattern = sofa_cholmod_forget_pattern};

/* With the quirk a step uses the factor of an earlier one. */
static const char *refuses(const SofaObject *object) {
  return sofa_quirk(object, QUIRK_ASYNC_FACTOR) ? "the quirk keeps factors of earlier matrices"
                                                : NULL;
}

static const SofaCheckpointOps checkpoint = {.refuses = refuses};

SOFA_CLASS(AsyncSparseLDLSolver) = {
    SOFA_NAMED(AsyncSparseLDLSolver),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution by L D L^T, as SparseLDLSolver. Nothing is left to the timing of "
            "threads: the factor is always that of the current matrix.",
    .equations = "A = P^T L D L^T P",
    .base = &sofa_SparseLDLSolver_class,
    .checkpoint = &checkpoint,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = sofa_cholmod_scalar_first,
    .construct = construct,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
