/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records of how the solvers of a run converged: Newton iterations, linear solves and their
 * iterations, handed to one observer of the context or written to a file. Without an observer a
 * solver pays one comparison per solve. */
#ifndef SOFA_SIMULATION_CONVERGENCE_H
#define SOFA_SIMULATION_CONVERGENCE_H

#include "object/object.h"

SOFA_BEGIN_DECLS

/* X(id, word): the subject of a row. */
#define SOFA_CONVERGENCE_KINDS(X)                                                                  \
  X(SOFA_CONVERGENCE_NEWTON, "newton") /* one Newton iteration; 0: before the first */             \
  X(SOFA_CONVERGENCE_LINEAR, "linear") /* one linear solve */                                      \
  X(SOFA_CONVERGENCE_ITERATION, "linear-iteration") /* an iteration of it; 0: before the first */  \
  X(SOFA_CONVERGENCE_CONSTRAINT, "constraint")      /* one solve of constraints */

typedef enum SofaConvergenceKind {
#define SOFA_CONVERGENCE_ENUM(id, word) id,
  SOFA_CONVERGENCE_KINDS(SOFA_CONVERGENCE_ENUM)
#undef SOFA_CONVERGENCE_ENUM
      SOFA_N_CONVERGENCE_KINDS
} SofaConvergenceKind;
const char *sofa_convergence_kind_text(SofaConvergenceKind kind);

/* NAN: not known. */
typedef struct SofaConvergenceRow {
  SofaConvergenceKind kind;
  const SofaObject *solver;   /* ODE solver, linear solver, or constraint solver */
  uint64_t step;              /* being made, from 1 */
  double time;                /* at its start, s */
  uint32_t iteration;         /* of Newton, or of the linear solver; linear solve: 0 */
  double residual;            /* |R|, |b - A x|, or of constraints: m or m/s */
  double relative_residual;   /* to the initial |R|, or to |b| */
  double correction;          /* |dx| of a Newton iteration; error of the last constraint sweep */
  double relative_correction; /* to the sum of all |dx| of the step */
  uint32_t linear_iterations; /* in this Newton iteration or solve; 0 for direct solvers */
  uint64_t ns;                /* the iteration or the solve took */
  const char *reason;         /* why it ended; "" while it goes on */
} SofaConvergenceRow;

/* Called for every row when it is produced; the row is valid during the call. */
typedef struct SofaConvergence {
  void (*row)(void *user, const SofaConvergenceRow *row);
  void *user;
} SofaConvergence;

/* Makes this the observer of the context, NULL: none. The caller keeps it. */
void sofa_convergence_observe(SofaContext *ctx, const SofaConvergence *observer);

static inline bool sofa_convergence_observed(const SofaContext *ctx) {
  return ctx->convergence != NULL;
}
/* Hands the row to the observer; `step` and `time` are filled in. */
void sofa_convergence_record(SofaConvergenceRow *row);

/* An observer that writes a file as the run goes: CSV or JSON, by the extension .csv or .json. Not
 * known values are empty or null. CSV: one line of names, then one per row. JSON: an array of
 * objects, one per line, with the same names. */
typedef struct SofaConvergenceFile SofaConvergenceFile;
bool sofa_convergence_can_write(const char *path); /* is the extension one of the two? */
/* Opens the file and observes the context until it is closed. */
SofaErr sofa_convergence_open(SofaContext *ctx, const char *path, SofaConvergenceFile **out);
/* NULL-safe. Reports a write that failed. */
SofaErr sofa_convergence_close(SofaConvergenceFile **file);

SOFA_END_DECLS

#endif
