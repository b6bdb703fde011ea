/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear solvers: x with A x = b, A from the solver's linear system. */
#ifndef SOFA_BEHAVIOR_LINEAR_SOLVER_H
#define SOFA_BEHAVIOR_LINEAR_SOLVER_H

#include "behavior/linear_system.h"
#include "behavior/solve_count.h"
#include "math/kernels.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_linear_solver_interface;
#define SOFA_LINEAR_SOLVER (&sofa_linear_solver_interface)

/* How a solve ended. */
typedef struct SofaSolveResult {
  bool converged;  /* its stopping rule holds; false: it reached its largest number of iterations */
  int iterations;  /* 0 for direct solvers */
  double residual; /* |r| / |b| as the method knows it, else -1; see sofa_linear_solver_residual */
  const char *remedy; /* not converged: what a scene can change, with the field's name; or NULL */
} SofaSolveResult;

/* Rows of sparse constraints over the scalar rows of the system's matrix; borrowed. Row i has the
 * entries start[i] .. start[i + 1] - 1; entries of a repeated column add up. */
typedef struct SofaSparseRows {
  size_t n_rows;
  const uint32_t *start, *column;
  const double *value;
  const uint32_t *number; /* of each row among those of all systems; NULL: 0, 1, .. */
} SofaSparseRows;

SOFA_LIST(SofaRowRun, SofaRowRuns);

/* J A^-1 J^T = Y Y^T by its factor: row i of Y has the runs first_run[i], ..., n_runs[i] of them,
 * and is at place[i] in each. Begins as zeros; lists keep their memory. */
typedef struct SofaFactoredRows {
  size_t n_columns; /* 0: there is no factor */
  size_t most;      /* of the caller: a factor of more reals is not made; 0: any is */
  SofaRowRuns run;  /* rows share them */
  SofaIndices first_run, n_runs, place;
  SofaReals value;
} SofaFactoredRows;

typedef struct SofaLinearSolver {
  SofaObject object;
  const struct SofaLinearSolverOps *ops; /* of the class */
  SofaLink linear_system; /* given; else the one found or created at init is its target */
  int n_threads;          /* without effect, as in SOFA */
  char *scheduler;        /* without effect, as in SOFA */
  bool parallel_inverse_product, factorization_invalidation; /* likewise */
  SofaLinearSystem *system;                                  /* resolved; NULL before init */
  SofaSolveResult result; /* of the last solve; of several right-hand sides: the worst */
  SofaSolveCount solves;  /* of this run, those of preconditioners not counted */
  SofaReals columns;      /* owned; work space of solves with several right-hand sides */
  const double *half;     /* of the caller, for its next solve: Y^T lambda by the last factored rows
                             of this matrix, where b is J^T lambda; NULL: not known. Solvers may
                             begin from it. */
  const struct SofaConvergence *observer; /* of the solve that runs; NULL: not recorded */
  double row_time;                        /* of its last row; sofa_now() */
} SofaLinearSolver;

extern const SofaClass sofa_linear_solver_class; /* abstract */

typedef struct SofaLinearSolverOps {
  /* required: solves; b and x have n_v reals of which the main part counts. x holds the previous
   * solution on entry (initial guess where the method uses one). Failures (not positive definite,
   * zero pivot) are reported with object and time and returned. */
  SofaErr (*solve)(SofaLinearSolver *solver, const double *b, double *x);
  /* optional: x_k = A^-1 b_k for n right-hand sides, as many reals as the matrix has rows each, one
   * behind the other; x holds initial guesses. Default: one after the other. A class with it can
   * take sofa_linear_solver_solve_one as its solve. */
  SofaErr (*solve_many)(SofaLinearSolver *solver, size_t n, const double *b, double *x);
  /* optional: what sofa_linear_solver_add_jainvjt says, for rows that were checked. Default:
   * sofa_linear_solver_add_by_solving */
  SofaErr (*add_jainvjt)(SofaLinearSolver *solver, const SofaSparseRows *j, double factor,
                         size_t ld, double *w);
  /* optional: what sofa_linear_solver_factor_rows says, for rows that were checked */
  SofaErr (*factor_rows)(SofaLinearSolver *solver, const SofaSparseRows *j, SofaFactoredRows *out);
  /* optional: does solve keep all it needs from an earlier build of this plan? Then building does
   * nothing */
  bool (*keeps)(const SofaLinearSolver *solver, const SofaMechanics *m);
  /* optional: class of the system that is made when there is none; default: by the template */
  const char *system_class;
  /* optional: template of the systems it takes; default: its own */
  const char *system_template;
  /* optional: makes the next solve analyse the pattern of the matrix again. Without it, and without
   * a call, the analysis is kept while the pattern stays the same. */
  void (*forget_pattern)(SofaLinearSolver *solver);
} SofaLinearSolverOps;

static inline const SofaLinearSolverOps *sofa_linear_solver_ops(const SofaLinearSolver *s) {
  return s->ops;
}

/* What an ODE solver calls: builds the system for the factors at a point, then solves. A
 * preconditioner P is a linear solver too: it solves P z = r, after its system was built. A solve
 * is recorded (simulation/convergence.h), those of preconditioners inside of it are not. */
SofaErr sofa_linear_solver_build(SofaLinearSolver *solver, SofaMechanics *m,
                                 const SofaMechParams *params, const SofaMechPoint *at);
/* The first solve of a run that does not converge is a warning with its true residual, their number
 * one at the end of the run; with ctx->strict it is an error. */
SofaErr sofa_linear_solver_solve(SofaLinearSolver *solver, const double *b, double *x);
/* The same for n right-hand sides, see SofaLinearSolverOps; the matrix is factorised at most once.
 */
SofaErr sofa_linear_solver_solve_many(SofaLinearSolver *solver, size_t n, const double *b,
                                      double *x);
SofaErr sofa_linear_solver_solve_one(SofaLinearSolver *solver, const double *b, double *x);
/* For n > 1 the class must have solve_many. */
SofaErr sofa_linear_solver_solve_block(SofaLinearSolver *solver, size_t n, const double *b,
                                       double *x);
/* w += factor J A^-1 J^T with the rows J: the entry of rows i and k of J is added at row number[i]
 * and column number[k] of w, dense, column major, ld rows. The system was built; an
 * unchanged matrix is not factorised again. */
SofaErr sofa_linear_solver_add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j,
                                       double factor, size_t ld, double *w);
/* The same by solutions with each row as right-hand side; rows that were checked. */
SofaErr sofa_linear_solver_add_by_solving(SofaLinearSolver *solver, const SofaSparseRows *j,
                                          double factor, size_t ld, double *w);
/* For methods that do not need the entries of J A^-1 J^T: its factor, when the solver has one of
 * that form (A is symmetric and positive definite); else out->n_columns becomes 0. */
SofaErr sofa_linear_solver_factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                                       SofaFactoredRows *out);
void sofa_factored_rows_free(SofaContext *ctx, SofaFactoredRows *rows);
/* |b - A x| / |b| by a product with A; |b - A x| when b is 0. What a method reports in `result`
 * comes from its recurrences. */
SofaErr sofa_linear_solver_residual(SofaLinearSolver *solver, const double *b, const double *x,
                                    double *residual);
void sofa_linear_solver_forget_pattern(SofaLinearSolver *solver);

/* Is the current solve recorded? Then quantities that only its rows need are computed. */
static inline bool sofa_linear_solver_recorded(const SofaLinearSolver *solver) {
  return solver->observer != NULL;
}
/* Called inside of solve by iterative methods: records |r| after `iteration` iterations, 0 before
 * the first; `norm` is |b|. The last row of a solve is that of the residual in its result. */
void sofa_linear_solver_iteration(SofaLinearSolver *solver, uint32_t iteration, double residual,
                                  double norm);

/* The linear solver an ODE solver uses when its link is empty: first in the node, then below. */
SofaLinearSolver *sofa_node_linear_solver(const SofaNode *node);

/* Reports a failed factorization at scalar row `dof` of the solver's system and returns err. The
 * message names state, point, component and time; `what` begins it ("zero pivot"). */
SofaErr sofa_linear_solver_fail_at(const SofaLinearSolver *solver, SofaErr err, size_t dof,
                                   const char *what);
/* After a solve: are the n_v_main reals of x finite? Otherwise reports which dof is not, and
 * whether b was the reason. */
SofaErr sofa_linear_solver_check_finite(const SofaLinearSolver *solver, const double *b,
                                        const double *x);

SOFA_END_DECLS

#endif
