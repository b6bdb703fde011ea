/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Newton-Raphson: one routine with one report for every solver that iterates. */
#ifndef SOFA_SIMULATION_NEWTON_H
#define SOFA_SIMULATION_NEWTON_H

#include "base/array.h"

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
  X(SOFA_NEWTON_CORRECTION, "ConvergedCorrection")

typedef enum SofaNewtonStatus {
#define SOFA_NEWTON_ENUM(id, word) id,
  SOFA_NEWTON_STATUSES(SOFA_NEWTON_ENUM)
#undef SOFA_NEWTON_ENUM
      SOFA_N_NEWTON_STATUSES
} SofaNewtonStatus;
const char *sofa_newton_status_text(SofaNewtonStatus status);
static inline bool sofa_newton_converged(SofaNewtonStatus status) {
  return status == SOFA_NEWTON_EQUILIBRIUM || status >= SOFA_NEWTON_RESIDUAL_SUCCESSIVE;
}

/* A threshold <= 0 is off. Norms are Euclidean. R residual, dx correction, x estimate. */
typedef struct SofaNewtonCriteria {
  uint32_t iterations;        /* at most, >= 1 */
  double residual_successive; /* |R_k| / |R_k-1| */
  double residual_initial;    /* |R_k| / |R_0| */
  double residual_absolute;   /* |R_k|; also: no iteration when |R_0| is not above it */
  double estimate_relative;   /* |dx_k| / |x_k-1| */
  double estimate_absolute;   /* |dx_k| */
  double correction_relative; /* |dx_k| / (|dx_0| + ... + |dx_k|) */
  uint32_t line_searches;     /* trials per iteration, >= 1 */
  double line_search_factor;  /* of the step after a trial that did not reduce the residual */
} SofaNewtonCriteria;

/* What the caller's equations are made of. All are called with `user`. */
typedef struct SofaNewtonProblem {
  SofaErr (*residual)(void *user, double *square); /* evaluates R at the current guess; |R|^2 */
  SofaErr (*solve)(void *user);                 /* builds the tangent at the guess, solves for dx */
  SofaErr (*advance)(void *user, double alpha); /* guess += alpha dx */
  double (*correction)(void *user);             /* |dx|^2; may be NULL when not needed */
  double (*estimate)(void *user);               /* |x|^2 of the guess; may be NULL */
  void *user;
} SofaNewtonProblem;

typedef struct SofaNewtonRow {
  double residual;   /* |R| after the iteration; row 0: before the first */
  double correction; /* |dx|, 0 in row 0 */
  uint32_t trials;   /* of the line search */
  double seconds;    /* of the iteration */
} SofaNewtonRow;
SOFA_LIST(SofaNewtonRow, SofaNewtonRows);

typedef struct SofaNewtonReport {
  SofaNewtonStatus status;
  SofaNewtonRows rows;     /* owned; row 0 is the initial residual, row k iteration k */
  bool line_search_failed; /* in some iteration */
} SofaNewtonReport;
void sofa_newton_report_free(SofaContext *ctx, SofaNewtonReport *report);

/* Iterates until one of the criteria holds. Not converging is no error: see report->status (the
 * guess is kept). Errors are those of the callbacks and SOFA_ERR_NOT_FINITE for a residual that is
 * not finite. Allocates only while the report's rows grow. */
SofaErr sofa_newton_solve(SofaContext *ctx, const SofaNewtonCriteria *criteria,
                          const SofaNewtonProblem *problem, SofaNewtonReport *report);

#endif
