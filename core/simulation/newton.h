/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Newton-Raphson: one routine with one report for every solver that iterates. */
#ifndef SOFA_SIMULATION_NEWTON_H
#define SOFA_SIMULATION_NEWTON_H

#include "base/array.h"
#include "behavior/linear_solver.h"
#include "simulation/mechanics.h"

SOFA_BEGIN_DECLS

/* X(id, word): why an iteration ended. */
#define SOFA_NEWTON_STATUSES(X)                                                                    \
  X(SOFA_NEWTON_UNDEFINED, "Undefined")                                                            \
  X(SOFA_NEWTON_RUNNING, "Running")                                                                \
  X(SOFA_NEWTON_EQUILIBRIUM, "ConvergedEquilibrium")                                               \
  X(SOFA_NEWTON_DIVERGED_LINE_SEARCH, "DivergedLineSearch")                                        \
  X(SOFA_NEWTON_DIVERGED_ITERATIONS, "DivergedMaxIterations")                                      \
  X(SOFA_NEWTON_RESIDUAL_SUCCESSIVE, "ConvergedResidualSuccessiveRatio")                           \
  X(SOFA_NEWTON_RESIDUAL_INITIAL, "ConvergedResidualInitialRatio")                                 \
  X(SOFA_NEWTON_RESIDUAL_ABSOLUTE, "ConvergedAbsoluteResidual")                                    \
  X(SOFA_NEWTON_ESTIMATE_RELATIVE, "ConvergedRelativeEstimateDifference")                          \
  X(SOFA_NEWTON_ESTIMATE_ABSOLUTE, "ConvergedAbsoluteEstimateDifference")                          \
  X(SOFA_NEWTON_CORRECTION, "ConvergedCorrection")                                                 \
  X(SOFA_NEWTON_DIVERGED_GROWING, "DivergedGrowingResidual")                                       \
  X(SOFA_NEWTON_DIVERGED_NOT_FINITE, "DivergedNotFinite")                                          \
  X(SOFA_NEWTON_FAILED, "Failed")

typedef enum SofaNewtonStatus {
#define SOFA_NEWTON_ENUM(id, word) id,
  SOFA_NEWTON_STATUSES(SOFA_NEWTON_ENUM)
#undef SOFA_NEWTON_ENUM
      SOFA_N_NEWTON_STATUSES
} SofaNewtonStatus;
const char *sofa_newton_status_text(SofaNewtonStatus status);
static inline bool sofa_newton_converged(SofaNewtonStatus status) {
  return status == SOFA_NEWTON_EQUILIBRIUM ||
         (status >= SOFA_NEWTON_RESIDUAL_SUCCESSIVE && status <= SOFA_NEWTON_CORRECTION);
}

/* A threshold <= 0 is off. Norms are Euclidean. R residual, dx correction, x estimate. */
typedef struct SofaNewtonCriteria {
  uint32_t iterations;        /* at most; 0: only the initial residual is checked */
  double residual_successive; /* |R_k| / |R_k-1| */
  double residual_initial;    /* |R_k| / |R_0| */
  double residual_absolute;   /* |R_k|; also: no iteration when |R_0| is not above it */
  double equilibrium;         /* no iteration when |R_0| is not above it, either */
  double residual_loads;      /* |R_k| / the loads at the guess; also at the start */
  double estimate_relative;   /* |dx_k| / |x_k-1| */
  double estimate_absolute;   /* |dx_k| */
  double correction_relative; /* |dx_k| / (|dx_0| + ... + |dx_k|) */
  uint32_t line_searches;     /* trials per iteration; 0 is 1 */
  double line_search_factor;  /* of the step after a trial that was refused */
  bool search_last;           /* iterates without the line search first, and again with it when that
                                 does not converge: it is then never worse than none */
  bool from_first_iteration;  /* |R_0| of the ratios is that after the first iteration */
  bool refuse_growth;         /* a residual that grows after the first iteration ends it */
  bool rounding;              /* residuals and corrections that are rounding errors end it */
  bool late_residual;         /* the residual is evaluated only when a further iteration follows,
                                 and not tested but at the start; no line search */
} SofaNewtonCriteria;

/* The caller's equations. All functions are called with `user`. */
typedef struct SofaNewtonProblem {
  SofaErr (*residual)(void *user, double *square); /* evaluates R at the current guess; |R|^2 */
  SofaErr (*solve)(void *user);                 /* builds the tangent at the guess, solves for dx */
  SofaErr (*advance)(void *user, double alpha); /* guess += alpha dx */
  double (*correction)(void *user);             /* |dx|^2, after advance; may be NULL */
  double (*estimate)(void *user);               /* |x|^2 of the guess; may be NULL */
  SofaErr (*rounding)(void *user, double *square); /* square of the rounding error of R at the
                                                      start, when criteria->rounding; or NULL */
  double (*loads)(void *user);    /* square of the scale of R, after residual; may be NULL */
  SofaErr (*restore)(void *user); /* resets the guess to its start; may be NULL */
  SofaErr (*again)(void *user);   /* the first guess once more, for search_last; may be NULL */
  /* The potential V with R = -dV/dx at the guess, J, and R . dx after solve, before advance. A line
   * search reduces V, along -dx where dx leads uphill; without it the residual. May be NULL, both
   */
  SofaErr (*potential)(void *user, double *value);
  double (*work)(void *user);
  void *user;
  const SofaObject *owner;        /* the ODE solver: named by messages and records */
  const SofaLinearSolver *linear; /* that solve uses; may be NULL */
  const SofaObject *log;          /* whose printLog counts; NULL: the owner's */
  bool (*converged)(void *user);  /* a criterion of the caller's own, on the correction; or NULL */
  /* The plan, when it has step limiters: every advance is then shortened to what they allow, and a
   * line search (SOFA_NEWTON_SEARCHES trials unless the criteria say more) begins there. NULL: none
   */
  SofaMechanics *limited;
  const SofaMechPoint *guess; /* with limited: the guess, mapped parts propagated */
  /* Set before solve, of a search by potential: take SofaMechParams.descends. The exact tangent is
   * taken first, the other one after steps that had to be shortened much. May be NULL */
  bool *descends;
} SofaNewtonProblem;

enum { SOFA_NEWTON_SEARCHES = 40 };

/* Row 0 is before the first iteration, row k after iteration k. */
typedef struct SofaNewtonRow {
  double residual;            /* |R|; NAN: not evaluated */
  double relative;            /* |R| / |R_0| */
  double correction;          /* |dx|, 0 in row 0 */
  double relative_correction; /* |dx_k| / (|dx_0| + ... + |dx_k|) */
  uint32_t trials;            /* of the line search */
  uint32_t linear_iterations; /* of the linear solver; direct ones: 0 */
  uint64_t ns;                /* the iteration took */
} SofaNewtonRow;
SOFA_LIST(SofaNewtonRow, SofaNewtonRows);

typedef struct SofaNewtonReport {
  SofaNewtonStatus status;
  SofaNewtonRows rows;     /* owned */
  bool line_search_failed; /* in some iteration */
} SofaNewtonReport;
void sofa_newton_report_free(SofaContext *ctx, SofaNewtonReport *report);

/* Iterates until one of the criteria holds, or the residual is 0. Not converging is not an error:
 * see report->status (the guess is kept). Errors are those of the callbacks, SOFA_ERR_NOT_FINITE
 * for a residual or a correction that is not finite and SOFA_ERR_NOT_CONVERGED for one that must
 * not grow; the last two are reported. The rows are printed with printLog and recorded
 * (simulation/convergence.h). Allocates only while the report's rows grow. */
SofaErr sofa_newton_solve(SofaContext *ctx, const SofaNewtonCriteria *criteria,
                          const SofaNewtonProblem *problem, SofaNewtonReport *report);

/* Counts a solve that ended without an error, and says how far it came when it did not converge:
 * see sofa_newton_warn. *count is the owner's, which passes its events on to it. */
SofaErr sofa_newton_tell(SofaObject *owner, const SofaNewtonReport *report, SofaSolveCount *count,
                         bool *converged);
/* The message itself; `what` failed. The first failure is a warning, later ones are information
 * (printLog); with ctx->strict each is an error. */
SofaErr sofa_newton_warn(const SofaObject *owner, const SofaNewtonReport *report, const char *what,
                         bool first);

SOFA_END_DECLS

#endif
