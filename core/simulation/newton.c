/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Newton-Raphson with line search by step reduction and a report per iteration. */
#include "simulation/newton.h"

#include <math.h>

#include "base/profiler.h"

const char *sofa_newton_status_text(SofaNewtonStatus status) {
  static const char *const words[] = {
#define WORD(id, word) word,
      SOFA_NEWTON_STATUSES(WORD)
#undef WORD
  };
  return (unsigned)status < SOFA_N_NEWTON_STATUSES ? words[status] : "";
}

void sofa_newton_report_free(SofaContext *ctx, SofaNewtonReport *report) {
  sofa_list_free(ctx, &report->rows);
}

/* What the iteration knows besides the report. Squares of norms throughout. */
typedef struct Iteration {
  const SofaNewtonCriteria *criteria;
  const SofaNewtonProblem *problem;
  double first, before, now; /* residual: initial, of the last iteration, current */
  double correction, estimate;
  double sum; /* of |dx| so far */
} Iteration;

static SofaErr residual(Iteration *it) {
  SOFA_TRY(it->problem->residual(it->problem->user, &it->now));
  return isfinite(it->now) ? SOFA_OK : SOFA_ERR_NOT_FINITE;
}

static bool below(double square, double threshold, double reference) {
  return threshold > 0 && square < threshold * threshold * reference;
}

/* The tests in their order; SOFA_NEWTON_RUNNING when none holds. */
static SofaNewtonStatus test(const Iteration *it) {
  const SofaNewtonCriteria *c = it->criteria;
  if (below(it->now, c->residual_successive, it->before)) return SOFA_NEWTON_RESIDUAL_SUCCESSIVE;
  if (below(it->now, c->residual_initial, it->first)) return SOFA_NEWTON_RESIDUAL_INITIAL;
  if (below(it->now, c->residual_absolute, 1)) return SOFA_NEWTON_RESIDUAL_ABSOLUTE;
  if (it->estimate > 0 && below(it->correction, c->estimate_relative, it->estimate))
    return SOFA_NEWTON_ESTIMATE_RELATIVE;
  if (below(it->correction, c->estimate_absolute, 1)) return SOFA_NEWTON_ESTIMATE_ABSOLUTE;
  if (below(it->correction, c->correction_relative, it->sum * it->sum))
    return SOFA_NEWTON_CORRECTION;
  return SOFA_NEWTON_RUNNING;
}

/* Tries steps alpha = 1, c, c^2, ... until the residual falls; when none does, the whole step. */
static SofaErr search(Iteration *it, SofaNewtonRow *row, bool *failed) {
  const SofaNewtonCriteria *c = it->criteria;
  double alpha = 1, done = 0;
  *failed = true;
  for (row->trials = 0; row->trials < c->line_searches && *failed; row->trials++) {
    SOFA_TRY(it->problem->advance(it->problem->user, alpha - done));
    SOFA_TRY(residual(it));
    *failed = !(it->now < it->before);
    done = alpha;
    alpha *= c->line_search_factor;
  }
  if (!*failed || c->line_searches < 2) return SOFA_OK;
  SOFA_TRY(it->problem->advance(it->problem->user, 1 - done));
  return residual(it);
}

static SofaErr iterate(Iteration *it, SofaNewtonRow *row, bool *failed) {
  const SofaNewtonProblem *p = it->problem;
  const double begin = sofa_now();
  it->before = it->now;
  it->estimate = p->estimate && it->criteria->estimate_relative > 0 ? p->estimate(p->user) : 0;
  SOFA_TRY(p->solve(p->user));
  it->correction = p->correction ? p->correction(p->user) : 0;
  it->sum += sqrt(it->correction);
  SOFA_TRY(search(it, row, failed));
  row->correction = sqrt(it->correction);
  row->residual = sqrt(it->now);
  row->seconds = sofa_now() - begin;
  return SOFA_OK;
}

SofaErr sofa_newton_solve(SofaContext *ctx, const SofaNewtonCriteria *criteria,
                          const SofaNewtonProblem *problem, SofaNewtonReport *report) {
  Iteration it = {.criteria = criteria, .problem = problem};
  report->status = SOFA_NEWTON_RUNNING;
  report->line_search_failed = false;
  report->rows.n = 0;
  SOFA_TRY(SOFA_RESERVE(ctx, &report->rows, (size_t)criteria->iterations + 1));
  SOFA_TRY(residual(&it));
  it.first = it.now;
  report->rows.data[report->rows.n++] = (SofaNewtonRow){.residual = sqrt(it.now)};
  const double absolute = criteria->residual_absolute;
  if (absolute > 0 && it.now <= absolute * absolute) {
    report->status = SOFA_NEWTON_EQUILIBRIUM;
    return SOFA_OK;
  }
  for (uint32_t i = 0; i < criteria->iterations; i++) {
    SofaNewtonRow row = {0};
    bool failed = false;
    SOFA_TRY(iterate(&it, &row, &failed));
    report->rows.data[report->rows.n++] = row;
    report->line_search_failed |= failed;
    report->status = test(&it);
    if (report->status != SOFA_NEWTON_RUNNING) return SOFA_OK;
  }
  report->status = SOFA_NEWTON_DIVERGED_ITERATIONS;
  return SOFA_OK;
}
