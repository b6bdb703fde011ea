/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timers of phases, and the record of solves. */
#include "api/api_impl.h"
#include "base/profiler.h"
#include "object/handle.h"

void csofa_time_phases(CsofaContext *context, int on) {
  sofa_profiler_enable(context->ctx, on != 0);
  sofa_profiler_clear(context->ctx);
}

const char *csofa_timer(CsofaContext *context, size_t i, int *level, uint64_t *calls,
                        double *seconds) {
  const SofaTimerRow *rows = NULL;
  if (i >= sofa_profiler_rows(context->ctx, &rows)) return NULL;
  *level = rows[i].level;
  *calls = rows[i].calls;
  *seconds = rows[i].seconds;
  return rows[i].name;
}

static void pass_row(void *user, const SofaConvergenceRow *row) {
  const CsofaContext *context = user;
  SofaObject *solver = (SofaObject *)(uintptr_t)row->solver;
  if (row->kind == SOFA_CONVERGENCE_ITERATION) return;
  context->on_solve(context->solve_user, sofa_convergence_kind_text(row->kind),
                    sofa_handle_of(solver), (int)row->iteration, (int)row->linear_iterations,
                    1e-9 * (double)row->ns);
}

void csofa_on_solve(CsofaContext *context, CsofaSolveFn function, void *user) {
  context->on_solve = function;
  context->solve_user = user;
  context->observer = (SofaConvergence){pass_row, context};
  sofa_convergence_observe(context->ctx, function ? &context->observer : NULL);
}
