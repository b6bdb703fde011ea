/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many solves of a run did not converge: linear and Newton solvers report the first one when it
 * happens, and their number at the end of the run. */
#ifndef SOFA_BEHAVIOR_SOLVE_COUNT_H
#define SOFA_BEHAVIOR_SOLVE_COUNT_H

#include "object/event.h"

SOFA_BEGIN_DECLS

/* Of one object since its run began. */
typedef struct SofaSolveCount {
  uint64_t n, n_unconverged;
  double worst; /* relative residual of the latter; NAN: not known */
} SofaSolveCount;

/* Counts a solve of the owner. After one that did not converge the owner listens. */
void sofa_solve_count_add(SofaSolveCount *count, SofaObject *owner, bool converged,
                          double residual);
/* The owner's handle_event: at the end of the run a warning when several did not converge. `ratio`:
 * what `worst` is, "|r|/|b|". */
void sofa_solve_count_event(const SofaSolveCount *count, const SofaObject *owner,
                            const SofaEvent *event, const char *ratio);

SOFA_END_DECLS

#endif
