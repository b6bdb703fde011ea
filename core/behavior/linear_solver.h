/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear solvers: x with A x = b, A from the solver's linear system. */
#ifndef SOFA_BEHAVIOR_LINEAR_SOLVER_H
#define SOFA_BEHAVIOR_LINEAR_SOLVER_H

#include "behavior/linear_system.h"

extern const SofaInterface sofa_linear_solver_interface;
#define SOFA_LINEAR_SOLVER (&sofa_linear_solver_interface)

typedef struct SofaLinearSolver {
  SofaObject object;
  SofaLink linear_system; /* given; else the one found or created at init is its target */
  int n_threads;          /* without effect, as in SOFA */
  char *scheduler;        /* without effect, as in SOFA */
  bool parallel_inverse_product, factorization_invalidation; /* likewise */
  SofaLinearSystem *system;                                  /* resolved; NULL before init */
  int last_iterations;  /* of the last solve; 0 for direct solvers */
  double last_residual; /* |r| / |b| of the last solve where the method knows it, else -1 */
  bool gave_up;         /* the last solve ended before its tolerance: at its most iterations */
  const struct SofaConvergence *observer; /* of the solve that runs; NULL: not recorded */
  double row_time;                        /* of its last row; sofa_now() */
} SofaLinearSolver;

extern const SofaClass sofa_linear_solver_class; /* abstract */

typedef struct SofaLinearSolverOps {
  /* required: solves; b and x have n_v reals of which the main part counts. x holds the previous
   * solution on entry (initial guess where the method uses one). Failures (not positive definite,
   * zero pivot) are reported with object and time and returned. */
  SofaErr (*solve)(SofaLinearSolver *solver, const double *b, double *x);
  /* optional: does solve keep all it needs from an earlier build of this plan? Then building does
   * nothing */
  bool (*keeps)(const SofaLinearSolver *solver, const SofaMechanics *m);
  /* optional: class of the system that is made when there is none; default: by the template */
  const char *system_class;
  /* optional: template of the systems it takes; default: its own */
  const char *system_template;
  /* optional: makes the next solve analyse the pattern of the matrix anew. Without it, and without
   * a call, the analysis is kept while the pattern stays the same. */
  void (*forget_pattern)(SofaLinearSolver *solver);
} SofaLinearSolverOps;

static inline const SofaLinearSolverOps *sofa_linear_solver_ops(const SofaLinearSolver *s) {
  return (const SofaLinearSolverOps *)sofa_ops(&s->object, SOFA_LINEAR_SOLVER);
}

/* What an ODE solver calls: builds the system for the factors at a point, then solves. A preconditioner P is a
 * linear solver too: it solves P z = r, after its system was built. A solve is recorded
 * (simulation/convergence.h), those of preconditioners inside of it are not. */
SofaErr sofa_linear_solver_build(SofaLinearSolver *solver, SofaMechanics *m,
                                 const SofaMechParams *params, const SofaMechPoint *at);
SofaErr sofa_linear_solver_solve(SofaLinearSolver *solver, const double *b, double *x);
void sofa_linear_solver_forget_pattern(SofaLinearSolver *solver);

/* Is the solve that runs recorded, so that what only its rows need is worth computing? */
static inline bool sofa_linear_solver_recorded(const SofaLinearSolver *solver) {
  return solver->observer != NULL;
}
/* Called inside of solve by iterative methods: records |r| after `iteration` iterations, 0 before
 * the first; `norm` is |b|. The last row of a solve is that of its last_residual. */
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

#endif
