/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Newton routine alone, on equations of one unknown: all that it asks for, reports and prints,
 * for each criterion and search, as recorded in newton_traces.txt. A trace that changes on purpose
 * is recorded again: CSOFA_RECORD=FILE writes what was found. */
#include "tests/support/scene_run.h"
#include "tests/support/trace.h"

#include <math.h>

#include "simulation/newton.h"

enum { MOST_TEXT = 200000 };

/* ---- equations F(x) = 0 ---- */

typedef struct Equation {
  const char *name;
  double (*f)(double);
  double (*slope)(double); /* that the solver takes */
  double (*potential)(double);
  double start, loads, rounding;
  bool wants_descent;
} Equation;

static double square_minus_2(double x) {
  return x * x - 2;
}
static double twice(double x) {
  return 2 * x;
}
static double arctangent(double x) {
  return atan(x);
}
static double of_arctangent(double x) {
  return 1 / (1 + x * x);
}
static double over_arctangent(double x) {
  return x * atan(x) - log(1 + x * x) / 2;
}
static double blows_up(double x) {
  return x > 1.1 ? INFINITY : x - 2;
}
static double minus_1(double x) {
  return x - 1;
}
static double one(double x) {
  (void)x;
  return 1;
}
static double minus_one(double x) {
  (void)x;
  return -1;
}
static double half(double x) {
  (void)x;
  return 0.5;
}
static double bowl(double x) {
  return (x - 1) * (x - 1) / 2;
}
static double elsewhere(double x) { /* least at 1.2, where the force does not vanish */
  return (x - 1.2) * (x - 1.2) / 2;
}
static double steep(double x) { /* Newton begins with steps far too long */
  return x * x * x - 1;
}
static double of_steep(double x) {
  return 3 * x * x;
}
static double over_steep(double x) {
  return x * x * x * x / 4 - x;
}
static double no_root(double x) {
  return x * x + 1;
}

static const Equation equations[] = {
    {"root of 2", square_minus_2, twice, NULL, 1, 0, 0, false},
    {"root of 2 with loads", square_minus_2, twice, NULL, 1, 4, 0, false},
    {"root of 2 with small loads", square_minus_2, twice, NULL, 1, 1e-6, 0, false},
    {"root of 2 with rounding", square_minus_2, twice, NULL, 1, 0, 2, false},
    {"arctangent", arctangent, of_arctangent, NULL, 3, 0, 0, false},
    {"arctangent with potential", arctangent, of_arctangent, over_arctangent, 3, 0, 0, true},
    {"infinite behind 1.1", blows_up, one, NULL, 0, 0, 0, false},
    {"solved", minus_1, one, bowl, 1, 0, 0, false},
    {"linear", minus_1, one, bowl, 3, 0, 0, false},
    {"linear, uphill", minus_1, minus_one, bowl, 3, 0, 0, false},
    {"linear, too long", minus_1, half, bowl, 3, 0, 0, true},
    {"no potential", minus_1, half, elsewhere, 3, 0, 0, true},
    {"steep", steep, of_steep, NULL, 0.05, 0, 0, false},
    {"steep with potential", steep, of_steep, over_steep, 0.05, 0, 0, true},
    {"no root", no_root, twice, NULL, 1, 0, 0, false},
};

typedef struct Named {
  const char *name;
  SofaNewtonCriteria criteria;
} Named;

#define SEARCH .line_searches = 12, .line_search_factor = 0.5
static const Named criteria[] = {
    {"none", {.iterations = 3}},
    {"no iterations", {.iterations = 0}},
    {"successive", {.iterations = 6, .residual_successive = 0.01}},
    {"initial", {.iterations = 6, .residual_initial = 0.01}},
    {"initial from 1", {.iterations = 6, .residual_initial = 0.01, .from_first_iteration = true}},
    {"absolute", {.iterations = 6, .residual_absolute = 1e-9}},
    {"absolute of 1", {.iterations = 6, .residual_absolute = 1}},
    {"equilibrium", {.iterations = 6, .equilibrium = 1.5, .residual_absolute = 1e-9}},
    {"loads", {.iterations = 6, .residual_loads = 0.1}},
    {"loads of 1", {.iterations = 6, .residual_loads = 1}},
    {"estimate, relative", {.iterations = 6, .estimate_relative = 0.1}},
    {"estimate, absolute", {.iterations = 6, .estimate_absolute = 0.1}},
    {"correction", {.iterations = 6, .correction_relative = 0.01}},
    {"growth", {.iterations = 6, .refuse_growth = true, .residual_absolute = 1e-9}},
    {"rounding", {.iterations = 8, .rounding = true}},
    {"late", {.iterations = 6, .late_residual = true, .correction_relative = 1e-4, SEARCH}},
    {"late, few", {.iterations = 2, .late_residual = true, .correction_relative = 1e-9}},
    {"search", {.iterations = 7, .residual_absolute = 1e-9, SEARCH}},
    {"short search",
     {.iterations = 4, .residual_absolute = 1e-9, .line_searches = 2, .line_search_factor = 0.9}},
    {"search last", {.iterations = 5, .residual_absolute = 1e-9, .search_last = true, SEARCH}},
    {"one search last",
     {.iterations = 5, .residual_absolute = 1e-9, .search_last = true, .line_searches = 1}},
};

/* ---- traces ---- */

typedef struct Tracer {
  SceneRun run;
  const Equation *e;
  double x, r, dx;
  bool descends;
  char *text;
  size_t n;
} Tracer;

static void __attribute__((format(printf, 2, 3))) add(Tracer *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  t->n += (size_t)vsnprintf(t->text + t->n, MOST_TEXT - t->n, format, list);
  va_end(list);
  assert_true(t->n < MOST_TEXT);
}

/* Numbers of rounding errors are 0. */
static double plain(double x) {
  return fabs(x) < 1e-10 ? 0 : x;
}

static SofaErr residual(void *user, double *square) {
  Tracer *t = user;
  t->r = t->e->f(t->x);
  *square = t->r * t->r;
  add(t, " R");
  return SOFA_OK;
}
static SofaErr solve(void *user) {
  Tracer *t = user;
  t->dx = -t->e->f(t->x) / t->e->slope(t->x);
  if (t->descends) t->dx /= 2;
  add(t, t->descends ? " descent" : " S");
  return SOFA_OK;
}
static SofaErr advance(void *user, double alpha) {
  Tracer *t = user;
  t->x += alpha * t->dx;
  add(t, " %.4g", alpha);
  return SOFA_OK;
}
static double correction(void *user) {
  const Tracer *t = user;
  return t->dx * t->dx;
}
static double estimate(void *user) {
  const Tracer *t = user;
  return t->x * t->x;
}
static double loads(void *user) {
  Tracer *t = user;
  add(t, " L");
  return t->e->loads;
}
static SofaErr rounding(void *user, double *square) {
  Tracer *t = user;
  add(t, " O");
  *square = t->e->rounding;
  return SOFA_OK;
}
static SofaErr again(void *user) {
  Tracer *t = user;
  add(t, " again");
  t->x = t->e->start;
  return SOFA_OK;
}
static SofaErr potential(void *user, double *value) {
  Tracer *t = user;
  add(t, " V");
  *value = t->e->potential(t->x);
  return SOFA_OK;
}
static double work(void *user) {
  const Tracer *t = user;
  return -t->r * t->dx;
}

/* Times are left out. */
static void sink(void *user, const SofaMessage *message) {
  Tracer *t = user;
  const char *end = strstr(message->text, " trials, ");
  if (!end) end = strchr(message->text, 0);
  else end += 7;
  add(t, "\n    %s: ", sofa_severity_text(message->severity));
  for (const char *at = message->text, *to; at < end; at = to) {
    const double value = *at >= '0' && *at <= '9' ? strtod(at, (char **)&to) : (to = at + 1, 1);
    if (plain(value) == 0) add(t, "0");
    else add(t, "%.*s", (int)(to - at), at);
  }
}

static void trace(Tracer *t, const Equation *e, const Named *c) {
  SofaNewtonReport report = {0};
  SofaObject *owner = &t->run.simulation->root->object;
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .estimate = estimate,
                                     .loads = e->loads > 0 ? loads : NULL,
                                     .rounding = e->rounding > 0 ? rounding : NULL,
                                     .again = again,
                                     .potential = e->potential ? potential : NULL,
                                     .work = e->potential ? work : NULL,
                                     .descends = e->wants_descent ? &t->descends : NULL,
                                     .user = t,
                                     .owner = owner};
  t->e = e;
  t->x = e->start;
  t->descends = false;
  owner->print_log = e - equations < 2; // enough of them
  add(t, "%s, %s:", e->name, c->name);
  const SofaErr err = sofa_newton_solve(t->run.ctx, &c->criteria, &problem, &report);
  bool converged;
  SofaSolveCount count = {0};
  add(t, "\n  %s, %s, x = %.6g%s\n", sofa_err_text(err), sofa_newton_status_text(report.status),
      plain(t->x), report.line_search_failed ? ", a search failed" : "");
  for (size_t i = 0; i < report.rows.n; i++) {
    const SofaNewtonRow *row = &report.rows.data[i];
    add(t, "  %.6g %.6g %.6g %.6g %u\n", plain(row->residual), plain(row->relative),
        plain(row->correction), plain(row->relative_correction), row->trials);
  }
  if (err == SOFA_OK) {
    assert_int_equal(sofa_newton_tell(owner, &report, &count, &converged), SOFA_OK);
    assert_int_equal(converged, sofa_newton_converged(report.status));
    add(t, "\n");
  }
  sofa_newton_report_free(t->run.ctx, &report);
}

static void as_recorded(void **state) {
  static char found[MOST_TEXT];
  static const char head[] = "# SPDX-License-Identifier: LGPL-2.1-or-later\n";
  Tracer t = {.text = found};
  (void)state;
  scene_run_open(&t.run,
                 "<Node name='root' printLog='1'><DefaultAnimationLoop/>"
                 "<DefaultVisualManagerLoop/></Node>",
                 NULL);
  t.run.ctx->sink = sink;
  t.run.ctx->sink_user = &t;
  add(&t, "%s", head);
  for (size_t i = 0; i < SOFA_COUNT(equations); i++)
    for (size_t k = 0; k < SOFA_COUNT(criteria); k++) trace(&t, &equations[i], &criteria[k]);
  t.run.ctx->sink = scene_run_sink;
  t.run.ctx->sink_user = &t.run;
  scene_run_close(&t.run);
  trace_check(&(Trace){found, t.n, sizeof found}, "tests/unit/simulation/newton_traces.txt");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
