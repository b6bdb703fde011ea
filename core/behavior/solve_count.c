/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many solves of a run did not converge. */
#include "behavior/solve_count.h"

#include <math.h>
#include <stdio.h>

void sofa_solve_count_add(SofaSolveCount *count, SofaObject *owner, bool converged,
                          double residual) {
  count->n++;
  if (converged) return;
  count->worst = count->n_unconverged++ ? fmax(count->worst, residual) : residual;
  owner->listening = true;
}

void sofa_solve_count_event(const SofaSolveCount *count, const SofaObject *owner,
                            const SofaEvent *event, const char *ratio) {
  char worst[80] = "";
  if (event->type != SOFA_EVENT_END || count->n_unconverged < 2) return;
  if (!isnan(count->worst))
    snprintf(worst, sizeof worst, ", %s of the worst is %g", ratio, count->worst);
  sofa_object_message(owner, SOFA_WARNING, "%llu of %llu solves of this run did not converge%s",
                      (unsigned long long)count->n_unconverged, (unsigned long long)count->n,
                      worst);
}
