/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Newton-Raphson with line search by step reduction and a report per iteration. */
#include "simulation/newton.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/profiler.h"
#include "object/node.h"
#include "simulation/convergence.h"
#include "simulation/step_limits.h"

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
  SofaNewtonReport *report;
  double first, before, now; /* residual: initial, of the last iteration, current */
  double correction, estimate;
  double loads;            /* at the guess */
  double sum;              /* of |dx| so far */
  double bound;            /* with limiters: a trial with a residual below it is good */
  double least;            /* residual of all taken guesses */
  uint32_t descents, left; /* iterations with the tangent that descends: in a row, still to come */
  bool forces_decide;      /* the forces are not those of the potential: see disagree */
} Iteration;

/* ---- the report ---- */

static void print_row(const SofaObject *log, uint32_t k, const SofaNewtonRow *row) {
  if (k == 0) {
    sofa_object_message(log, SOFA_INFO, "Newton 0: |R| %g", row->residual);
    return;
  }
  char residual[80] = "|R| not evaluated";
  if (!isnan(row->residual))
    snprintf(residual, sizeof residual, "|R| %g, |R|/|R0| %g", row->residual, row->relative);
  sofa_object_message(log, SOFA_INFO,
                      "Newton %u: %s, |dx| %g, |dx|/sum|dx| %g, %u linear iterations, %u trials, "
                      "%.3g ms",
                      k, residual, row->correction, row->relative_correction,
                      row->linear_iterations, row->trials, (double)row->ns * 1e-6);
}

/* The criterion that ended it with its value and threshold. */
static void print_end(const SofaObject *log, const Iteration *it) {
  const SofaNewtonCriteria *c = it->criteria;
  const SofaNewtonRows *rows = &it->report->rows;
  const SofaNewtonRow *row = &rows->data[rows->n - 1];
  const SofaNewtonStatus status = it->report->status;
  struct {
    const char *what;
    double value, threshold;
  } end = {"", 0, 0};
  if (status == SOFA_NEWTON_EQUILIBRIUM || status == SOFA_NEWTON_RESIDUAL_ABSOLUTE) {
    end.what = "|R|", end.value = row->residual;
    end.threshold =
        fmax(fmax(c->residual_absolute, c->equilibrium), c->residual_loads * sqrt(it->loads));
  } else if (status == SOFA_NEWTON_RESIDUAL_INITIAL) {
    end.what = "|R|/|R0|", end.value = row->relative, end.threshold = c->residual_initial;
  } else if (status == SOFA_NEWTON_CORRECTION && c->correction_relative > 0) {
    end.what = "|dx|/sum|dx|", end.value = row->relative_correction;
    end.threshold = c->correction_relative;
  }
  const char *how = sofa_newton_converged(status) ? "[CONVERGED]" : "[DIVERGED]";
  const char *why = sofa_newton_status_text(status);
  if (end.threshold > 0)
    sofa_object_message(log, SOFA_INFO, "%s after %zu iterations: %s, %s %g below %g", how,
                        rows->n - 1, why, end.what, end.value, end.threshold);
  else sofa_object_message(log, SOFA_INFO, "%s after %zu iterations: %s", how, rows->n - 1, why);
}

/* Appends the row and reports it to the observer; status: RUNNING while it goes on. */
static SofaErr push(Iteration *it, const SofaNewtonRow *row, SofaNewtonStatus status) {
  const SofaNewtonProblem *p = it->problem;
  const SofaObject *log = p->log ? p->log : p->owner;
  SofaNewtonRows *rows = &it->report->rows;
  const uint32_t k = (uint32_t)rows->n;
  it->report->status = status;
  SOFA_TRY(SOFA_APPEND(p->owner->ctx, rows, row));
  if (log->print_log) print_row(log, k, row);
  if (log->print_log && status != SOFA_NEWTON_RUNNING) print_end(log, it);
  SofaConvergenceRow record = {
      .kind = SOFA_CONVERGENCE_NEWTON,
      .solver = p->owner,
      .iteration = k,
      .residual = row->residual,
      .relative_residual = row->relative,
      .correction = k ? row->correction : NAN,
      .relative_correction = k ? row->relative_correction : NAN,
      .linear_iterations = row->linear_iterations,
      .ns = row->ns,
      .reason = status == SOFA_NEWTON_RUNNING ? "" : sofa_newton_status_text(status)};
  sofa_convergence_record(&record);
  return SOFA_OK;
}

/* ---- the iteration ---- */

static SofaErr residual(Iteration *it) {
  SofaContext *ctx = it->problem->owner->ctx;
  sofa_timer_begin(ctx, "Newton residual");
  const SofaErr err = it->problem->residual(it->problem->user, &it->now);
  sofa_timer_end(ctx);
  if (err != SOFA_OK) return err;
  if (it->problem->loads && it->criteria->residual_loads > 0)
    it->loads = it->problem->loads(it->problem->user);
  return isfinite(it->now) ? SOFA_OK : SOFA_ERR_NOT_FINITE;
}

static bool below(double square, double threshold, double reference) {
  return threshold > 0 && square < threshold * threshold * reference;
}

/* No residual, or one that is small against the loads. */
static bool balanced(const Iteration *it) {
  return it->now == 0 || below(it->now, it->criteria->residual_loads, it->loads);
}

/* A correction of about the spacing of the numbers it is added to. */
static bool rounds(const Iteration *it) {
  const SofaNewtonProblem *p = it->problem;
  return it->criteria->rounding && p->estimate &&
         below(it->correction, 2 * DBL_EPSILON, p->estimate(p->user));
}

static double ratio(double square, double reference) {
  return reference > 0 ? sqrt(square / reference) : square > 0 ? INFINITY : 0;
}

/* The tests in their order; SOFA_NEWTON_RUNNING when none holds. */
static SofaNewtonStatus test(const Iteration *it, uint32_t k) {
  const SofaNewtonCriteria *c = it->criteria;
  const SofaNewtonProblem *p = it->problem;
  if (below(it->correction, c->correction_relative, it->sum * it->sum))
    return SOFA_NEWTON_CORRECTION;
  if (p->converged && p->converged(p->user)) return SOFA_NEWTON_CORRECTION;
  if (!c->late_residual) { /* else `now` is that before the iteration */
    if (below(it->now, c->residual_successive, it->before)) return SOFA_NEWTON_RESIDUAL_SUCCESSIVE;
    if (below(it->now, c->residual_initial, it->first)) return SOFA_NEWTON_RESIDUAL_INITIAL;
    if (below(it->now, c->residual_absolute, 1) || balanced(it))
      return SOFA_NEWTON_RESIDUAL_ABSOLUTE;
  }
  if (it->estimate > 0 && below(it->correction, c->estimate_relative, it->estimate))
    return SOFA_NEWTON_ESTIMATE_RELATIVE;
  if (below(it->correction, c->estimate_absolute, 1)) return SOFA_NEWTON_ESTIMATE_ABSOLUTE;
  if (rounds(it)) return SOFA_NEWTON_ESTIMATE_RELATIVE;
  if (c->refuse_growth && k > 1 && it->now > it->before) return SOFA_NEWTON_DIVERGED_GROWING;
  return k < c->iterations ? SOFA_NEWTON_RUNNING : SOFA_NEWTON_DIVERGED_ITERATIONS;
}

/* ---- step limiters ---- */

/* A line search in every iteration, and the residual of every guess. */
static SofaNewtonCriteria limited_criteria(const SofaNewtonCriteria *criteria) {
  SofaNewtonCriteria c = *criteria;
  if (c.line_searches < SOFA_NEWTON_SEARCHES) c.line_searches = SOFA_NEWTON_SEARCHES;
  if (!(c.line_search_factor > 0 && c.line_search_factor < 1)) c.line_search_factor = 0.5;
  c.search_last = c.late_residual = false;
  return c;
}

/* The motion to the guess, *done corrections, shrinks until the limiters allow it; else to 0. It is
 * asked for again, because of roundings and of curved paths. */
static SofaErr shorten(Iteration *it, double *done) {
  const SofaNewtonProblem *p = it->problem;
  for (int k = 0; k < 8; k++) {
    double share = 1;
    SOFA_TRY(sofa_mech_limit(p->limited, p->guess->x, &share));
    if (share >= 1) return SOFA_OK;
    SOFA_TRY(p->advance(p->user, (share - 1) * *done));
    *done *= share;
  }
  SOFA_TRY(p->advance(p->user, -*done));
  *done = 0;
  return SOFA_OK;
}

/* The next trial: guess += (alpha - *done) dx. Shorter ones than the first are on its path, unless
 * that is curved. */
static SofaErr try_step(Iteration *it, double alpha, uint32_t trial, double *done) {
  const SofaNewtonProblem *p = it->problem;
  SOFA_TRY(p->advance(p->user, alpha - *done));
  *done = alpha;
  if (!p->limited || (trial > 0 && !sofa_mech_limit_bends(p->limited))) return SOFA_OK;
  return shorten(it, done);
}

/* No trial was good: the whole step, with limiters the shortest. */
static SofaErr give_up(Iteration *it, double done) {
  if (it->problem->limited) return SOFA_OK;
  SOFA_TRY(it->problem->advance(it->problem->user, 1 - done));
  return residual(it);
}

/* The solver goes on from the guess. */
static SofaErr take_guess(Iteration *it, bool *changed) {
  const SofaNewtonProblem *p = it->problem;
  *changed = false;
  return p->limited ? sofa_mech_limit_take(p->limited, p->guess, changed) : SOFA_OK;
}

/* ---- line search ---- */

/* Tries steps alpha = 1, c, c^2, ... until the residual falls; when none does, the whole step. */
static SofaErr search(Iteration *it, SofaNewtonRow *row, bool *failed) {
  const SofaNewtonCriteria *c = it->criteria;
  const uint32_t trials = c->line_searches > 1 ? c->line_searches : 1;
  double alpha = 1, done = 0;
  *failed = true;
  for (row->trials = 0; row->trials < trials && *failed; row->trials++) {
    SOFA_TRY(try_step(it, alpha, row->trials, &done));
    SOFA_TRY(residual(it));
    *failed = !(it->now < (it->problem->limited ? it->bound : it->before));
    alpha = done * c->line_search_factor;
  }
  return !*failed || trials < 2 ? SOFA_OK : give_up(it, done);
}

/* Does the step alpha of the work `work` reduce the potential enough? Where rounding hides it, the
 * residual decides. */
static bool is_lower(const Iteration *it, double from, double to, double alpha, double work) {
  const double wanted = 1e-4 * alpha * fabs(work), hidden = 1e-13 * (fabs(from) + fabs(to));
  if (!isfinite(to)) return false;
  return fabs(work) * alpha > hidden ? to <= from - wanted : it->now < it->before;
}

/* A trial of the search by potential: what the potential changes by, and what it would change by if
 * the forces at both ends were its derivative (the trapezoidal rule). */
typedef struct Trial {
  double length, change, by_forces, hidden; /* hidden: rounding errors of the change */
} Trial;

static Trial trial_of(double done, const double v[2], const double work[2]) {
  return (Trial){fabs(done), v[1] - v[0], -done * (work[0] + work[1]) / 2,
                 1e-13 * (fabs(v[0]) + fabs(v[1]))};
}

/* The difference falls with the square of the length at least, where the second derivative jumps;
 * does it not, down to short lengths (friction jumps between longer ones), then the forces are not
 * the derivative of the potential: those of corotational elements are not. */
enum { DISAGREEMENTS = 8 };
static bool disagree(const Trial *t, const Trial *before) {
  const double gap = t->change - t->by_forces, gap_before = before->change - before->by_forces;
  return before->length > t->length && gap > t->hidden && gap_before > 0 &&
         gap > gap_before * pow(t->length / before->length, 1.5);
}

/* Where the forces decide: they lead downhill to a residual below all before, so that steps by
 * forces and steps by the potential cannot alternate for ever. */
static bool is_downhill(const Iteration *it, const Trial *t, double work) {
  return it->forces_decide && t->by_forces <= -1e-4 * t->length * fabs(work) &&
         it->now < (1 - 1e-4 * t->length) * it->least;
}

/* The steps by the potential, downhill; when no trial reduces it, the whole step. */
static SofaErr search_potential(Iteration *it, SofaNewtonRow *row, bool *failed) {
  const SofaNewtonCriteria *c = it->criteria;
  const SofaNewtonProblem *p = it->problem;
  double work[2] = {p->work(p->user), 0}, v[2] = {0, 0};
  double alpha = work[0] < 0 ? -1 : 1, done = 0;
  Trial before = {0};
  int disagreements = 0;
  SOFA_TRY(p->potential(p->user, &v[0]));
  *failed = true;
  for (row->trials = 0; row->trials < c->line_searches && *failed; row->trials++) {
    SOFA_TRY(try_step(it, alpha, row->trials, &done));
    SOFA_TRY(residual(it));
    SOFA_TRY(p->potential(p->user, &v[1]));
    work[1] = p->work(p->user);
    const Trial t = trial_of(done, v, work);
    disagreements = disagree(&t, &before) ? disagreements + 1 : 0;
    it->forces_decide |= disagreements >= DISAGREEMENTS;
    *failed = !is_lower(it, v[0], v[1], t.length, work[0]) && !is_downhill(it, &t, work[0]);
    alpha = done * c->line_search_factor;
    before = t;
  }
  return *failed ? give_up(it, done) : SOFA_OK;
}

/* After a step with the exact tangent that was not good the other tangent is taken, each time for
 * twice as many iterations. */
static void choose_tangent(Iteration *it, const SofaNewtonRow *row) {
  if (!it->problem->descends) return;
  if (it->left > 0) {
    it->left--;
  } else if (row->trials > 2) {
    it->descents = it->descents ? 2 * it->descents : 8;
    it->left = it->descents;
  }
}

/* One iteration up to its correction; fills the row as far as it gets. */
static SofaErr move(Iteration *it, SofaNewtonRow *row, bool *failed) {
  const SofaNewtonProblem *p = it->problem;
  it->bound = fmax(it->before, it->now); /* Grippo, Lampariello and Lucidi, 1986 */
  it->before = it->now;
  it->least = fmin(it->least, it->now);
  it->estimate = p->estimate && it->criteria->estimate_relative > 0 ? p->estimate(p->user) : 0;
  if (p->descends) *p->descends = it->left > 0;
  sofa_timer_begin(p->owner->ctx, "Newton solve");
  const SofaErr err = p->solve(p->user);
  sofa_timer_end(p->owner->ctx);
  if (err != SOFA_OK) return err;
  if (p->linear && p->linear->result.iterations > 0)
    row->linear_iterations = (uint32_t)p->linear->result.iterations;
  if (it->criteria->late_residual) {
    row->trials = 1;
    SOFA_TRY(p->advance(p->user, 1));
  } else if (p->potential && p->work && it->criteria->line_searches > 1) {
    SOFA_TRY(search_potential(it, row, failed));
    choose_tangent(it, row);
  } else {
    SOFA_TRY(search(it, row, failed));
  }
  it->correction = p->correction ? p->correction(p->user) : 0;
  it->sum += sqrt(it->correction);
  return isfinite(it->correction) ? SOFA_OK : SOFA_ERR_NOT_FINITE;
}

/* No step lowers the energy: because of roundings, or there is no way. */
static SofaErr end_search(const Iteration *it, SofaNewtonStatus *status) {
  const SofaNewtonProblem *p = it->problem;
  double rounding = 0;
  if (it->criteria->rounding && p->rounding) SOFA_TRY(p->rounding(p->user, &rounding));
  *status = it->now <= 16 * rounding ? SOFA_NEWTON_EQUILIBRIUM : SOFA_NEWTON_DIVERGED_LINE_SEARCH;
  return SOFA_OK;
}

static SofaNewtonStatus status_of(SofaErr err) {
  return err == SOFA_ERR_NOT_FINITE ? SOFA_NEWTON_DIVERGED_NOT_FINITE : SOFA_NEWTON_FAILED;
}

static SofaErr iterate(Iteration *it, uint32_t k) {
  const SofaNewtonCriteria *c = it->criteria;
  SofaNewtonRow row = {.residual = NAN, .relative = NAN};
  SofaNewtonStatus status = SOFA_NEWTON_RUNNING;
  bool failed = false, changed = false, evaluated = !c->late_residual;
  const double begin = sofa_now();
  SofaErr err = move(it, &row, &failed);
  if (err == SOFA_OK) err = take_guess(it, &changed);
  if (err == SOFA_OK && changed) err = residual(it);
  if (c->from_first_iteration && k == 1 && evaluated) it->first = it->now;
  if (err == SOFA_OK) status = test(it, k);
  if (err == SOFA_OK && status == SOFA_NEWTON_RUNNING && failed && it->problem->limited)
    err = end_search(it, &status);
  if (err == SOFA_OK && status == SOFA_NEWTON_RUNNING && c->late_residual) {
    err = residual(it);
    evaluated = true;
  }
  if (evaluated) {
    row.residual = sqrt(it->now);
    row.relative = ratio(it->now, it->first);
  }
  row.correction = sqrt(it->correction);
  row.relative_correction = it->sum > 0 ? row.correction / it->sum : 0;
  row.ns = (uint64_t)((sofa_now() - begin) * 1e9);
  it->report->line_search_failed |= failed;
  const SofaErr pushed = push(it, &row, err == SOFA_OK ? status : status_of(err));
  return err == SOFA_OK ? pushed : err;
}

/* The initial residual; RUNNING when there is something to do. */
static SofaErr start(Iteration *it) {
  const double absolute = fmax(it->criteria->residual_absolute, it->criteria->equilibrium);
  bool changed;
  SofaErr err = take_guess(it, &changed);
  if (err == SOFA_OK) err = residual(it);
  SofaNewtonStatus status = SOFA_NEWTON_RUNNING;
  double rounding = 0;
  const SofaNewtonProblem *p = it->problem;
  it->first = it->least = it->now;
  if (err == SOFA_OK && it->criteria->rounding && p->rounding && it->now > 0)
    err = p->rounding(p->user, &rounding);
  if (err != SOFA_OK) status = status_of(err);
  else if ((absolute > 0 && it->now <= absolute * absolute) || balanced(it) || it->now <= rounding)
    status = SOFA_NEWTON_EQUILIBRIUM;
  else if (it->criteria->iterations == 0) status = SOFA_NEWTON_DIVERGED_ITERATIONS;
  const SofaNewtonRow row = {.residual = sqrt(it->now), .relative = ratio(it->now, it->now)};
  const SofaErr pushed = push(it, &row, status);
  return err == SOFA_OK ? pushed : err;
}

/* Says what is wrong with the iteration itself; callbacks have reported their own errors. */
static SofaErr check_end(const Iteration *it, SofaErr err) {
  const SofaObject *owner = it->problem->owner;
  const SofaNewtonRows *rows = &it->report->rows;
  const unsigned long long step = (unsigned long long)owner->ctx->step;
  if (err == SOFA_ERR_NOT_FINITE)
    return sofa_object_fail(owner, err,
                            "Newton diverged in step %llu (t = %g s): the residual or the "
                            "correction of iteration %zu is not finite; |R| was %g at the start",
                            step, owner->node->time, rows->n - 1, rows->data[0].residual);
  if (err == SOFA_OK && it->report->status == SOFA_NEWTON_DIVERGED_GROWING)
    return sofa_object_fail(owner, SOFA_ERR_NOT_CONVERGED,
                            "Newton diverged in step %llu (t = %g s): |R| grew from %g to %g in "
                            "iteration %zu",
                            step, owner->node->time, sqrt(it->before), sqrt(it->now), rows->n - 1);
  return err;
}

SofaErr sofa_newton_warn(const SofaObject *owner, const SofaNewtonReport *report, const char *what,
                         bool first) {
  const unsigned long long step = (unsigned long long)owner->ctx->step;
  const SofaNewtonRows *rows = &report->rows;
  const SofaNewtonRow *last = &rows->data[rows->n - 1];
  char reached[80];
  if (isnan(last->residual))
    snprintf(reached, sizeof reached, "|R| was %g at the start, the last correction is %g",
             rows->data[0].residual, last->correction);
  else
    snprintf(reached, sizeof reached, "|R| from %g to %g", rows->data[0].residual, last->residual);
  if (owner->ctx->strict)
    return sofa_object_fail(owner, SOFA_ERR_NOT_CONVERGED,
                            "%s in step %llu after %zu iterations at t = %g s: %s", what, step,
                            rows->n - 1, owner->node->time, reached);
  sofa_object_message(owner, first ? SOFA_WARNING : SOFA_INFO,
                      "%s after %zu iterations at t = %g s: %s%s", what, rows->n - 1,
                      owner->node->time, reached, first ? " (later failures: printLog=\"1\")" : "");
  return SOFA_OK;
}

SofaErr sofa_newton_tell(SofaObject *owner, const SofaNewtonReport *report, SofaSolveCount *count,
                         bool *converged) {
  *converged = sofa_newton_converged(report->status);
  sofa_solve_count_add(count, owner, *converged, report->rows.data[report->rows.n - 1].relative);
  if (*converged) return SOFA_OK;
  return sofa_newton_warn(owner, report, "not converged", count->n_unconverged == 1);
}

static SofaErr run(Iteration *it) {
  SofaNewtonReport *report = it->report;
  report->status = SOFA_NEWTON_RUNNING;
  report->line_search_failed = false;
  report->rows.n = 0;
  SofaErr err = start(it);
  for (uint32_t k = 1; err == SOFA_OK && report->status == SOFA_NEWTON_RUNNING; k++)
    err = iterate(it, k);
  return err;
}

SofaErr sofa_newton_solve(SofaContext *ctx, const SofaNewtonCriteria *criteria,
                          const SofaNewtonProblem *problem, SofaNewtonReport *report) {
  const SofaNewtonCriteria limited = limited_criteria(criteria);
  if (problem->limited) criteria = &limited;
  Iteration it = {.criteria = criteria, .problem = problem, .report = report};
  SofaNewtonCriteria plain = *criteria;
  SOFA_TRY(SOFA_RESERVE_HISTORY(ctx, &report->rows, (size_t)criteria->iterations + 1));
  const bool twice = criteria->search_last && criteria->line_searches > 1 && problem->again;
  if (twice) {
    plain.line_searches = 1;
    it.criteria = &plain;
  }
  SofaErr err = run(&it);
  const bool lost = err == SOFA_ERR_NOT_FINITE || !sofa_newton_converged(report->status);
  if (twice && lost && (err == SOFA_OK || err == SOFA_ERR_NOT_FINITE)) {
    it = (Iteration){.criteria = criteria, .problem = problem, .report = report};
    SOFA_TRY(problem->again(problem->user));
    err = run(&it);
  }
  return check_end(&it, err);
}
