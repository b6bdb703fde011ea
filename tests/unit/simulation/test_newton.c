/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Newton routine alone, on equations of one unknown: criteria, line search, report, records. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "simulation/convergence.h"
#include "simulation/newton.h"

/* F(x) = 0 with a given derivative; what happened is counted. */
typedef struct Equation {
  double (*f)(double);
  double (*slope)(double);
  double x, r, dx;
  int residuals, solves, advances;
  SofaErr solve_fails;
} Equation;

static SofaErr residual(void *user, double *square) {
  Equation *e = user;
  e->residuals++;
  e->r = e->f(e->x);
  *square = e->r * e->r;
  return SOFA_OK;
}
static SofaErr solve(void *user) {
  Equation *e = user;
  e->solves++;
  e->dx = -e->f(e->x) / e->slope(e->x);
  return e->solve_fails;
}
static SofaErr advance(void *user, double alpha) {
  Equation *e = user;
  e->advances++;
  e->x += alpha * e->dx;
  return SOFA_OK;
}
static double correction(void *user) {
  const Equation *e = user;
  return e->dx * e->dx;
}
static double estimate(void *user) {
  const Equation *e = user;
  return e->x * e->x;
}

static double square_minus_2(double x) {
  return x * x - 2;
}
static double twice(double x) {
  return 2 * x;
}
static double slow(double x) { /* half of what it should be: steps twice too long */
  return x;
}
static double arctangent(double x) {
  return atan(x);
}
static double of_arctangent(double x) {
  return 1 / (1 + x * x);
}
static double blows_up(double x) {
  return x > 1.1 ? INFINITY : x - 2;
}
static double one(double x) {
  (void)x;
  return 1;
}

typedef struct Case {
  SceneRun run;
  Equation e;
  SofaNewtonProblem problem;
  SofaNewtonReport report;
  SofaErr err;
} Case;

static void open_case(Case *c, Equation e) {
  memset(c, 0, sizeof *c);
  c->e = e;
  scene_run_open(&c->run,
                 "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                 "</Node>",
                 NULL);
  c->run.quiet = true;
  c->problem = (SofaNewtonProblem){.residual = residual,
                                   .solve = solve,
                                   .advance = advance,
                                   .correction = correction,
                                   .estimate = estimate,
                                   .user = &c->e,
                                   .owner = &c->run.simulation->root->object};
}

static SofaNewtonStatus run(Case *c, SofaNewtonCriteria criteria) {
  if (!criteria.iterations) criteria.iterations = 20;
  c->err = sofa_newton_solve(c->run.ctx, &criteria, &c->problem, &c->report);
  return c->report.status;
}

static void close_case(Case *c) {
  sofa_newton_report_free(c->run.ctx, &c->report);
  scene_run_close(&c->run);
}

static const Equation root_of_2 = {.f = square_minus_2, .slope = twice, .x = 1};

static void each_criterion(void **state) {
  (void)state;
  /* x: 1, 1.5, 1.41666, 1.4142156, ...; F: -1, 0.25, 6.9e-3, 6e-6, 4.5e-12 */
  static const struct {
    SofaNewtonCriteria criteria;
    SofaNewtonStatus status;
    size_t iterations;
  } cases[] = {
      {{.residual_initial = 0.01}, SOFA_NEWTON_RESIDUAL_INITIAL, 2},
      {{.residual_successive = 0.01}, SOFA_NEWTON_RESIDUAL_SUCCESSIVE, 3},
      {{.residual_absolute = 1e-9}, SOFA_NEWTON_RESIDUAL_ABSOLUTE, 4},
      {{.residual_absolute = 1}, SOFA_NEWTON_EQUILIBRIUM, 0},
      {{.equilibrium = 1}, SOFA_NEWTON_EQUILIBRIUM, 0},
      {{.estimate_absolute = 0.1}, SOFA_NEWTON_ESTIMATE_ABSOLUTE, 2},
      {{.estimate_relative = 0.1}, SOFA_NEWTON_ESTIMATE_RELATIVE, 2},
      {{.correction_relative = 0.01}, SOFA_NEWTON_CORRECTION, 3},
      {{.residual_initial = 0.01, .from_first_iteration = true}, SOFA_NEWTON_RESIDUAL_INITIAL, 3},
      {{.iterations = 3}, SOFA_NEWTON_DIVERGED_ITERATIONS, 3},
      {{.iterations = 3,
        .residual_initial = -1,
        .residual_absolute = -1,
        .correction_relative = -1},
       SOFA_NEWTON_DIVERGED_ITERATIONS,
       3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Case c;
    open_case(&c, root_of_2);
    const SofaNewtonStatus status = run(&c, cases[i].criteria);
    if (status != cases[i].status || c.report.rows.n != cases[i].iterations + 1)
      fail_msg("case %zu: %s after %zu iterations", i, sofa_newton_status_text(status),
               c.report.rows.n - 1);
    assert_int_equal(c.err, SOFA_OK);
    assert_int_equal(c.e.solves, cases[i].iterations);
    assert_int_equal(c.e.residuals, cases[i].iterations + 1);
    close_case(&c);
  }
}

static void the_report_adds_up(void **state) {
  (void)state;
  Case c;
  double sum = 0;
  open_case(&c, root_of_2);
  run(&c, (SofaNewtonCriteria){.residual_absolute = 1e-12});
  const SofaNewtonRow *rows = c.report.rows.data;
  assert_true(rows[0].residual == 1 && rows[0].relative == 1 && rows[0].correction == 0);
  for (size_t k = 1; k < c.report.rows.n; k++) {
    sum += rows[k].correction;
    assert_true(fabs(rows[k].relative - rows[k].residual) < 1e-15);
    assert_true(fabs(rows[k].relative_correction - rows[k].correction / sum) < 1e-15);
    assert_int_equal(rows[k].trials, 1);
  }
  assert_true(rows[1].correction == 0.5 && rows[1].residual == 0.25);
  close_case(&c);
}

/* The residual is asked for once less, and what is compared is the correction. */
static void late_residuals(void **state) {
  (void)state;
  Case c;
  open_case(&c, root_of_2);
  assert_int_equal(run(&c, (SofaNewtonCriteria){.late_residual = true,
                                                .residual_absolute = 0.1,
                                                .correction_relative = 1e-4}),
                   SOFA_NEWTON_CORRECTION);
  assert_int_equal(c.e.residuals, c.e.solves);
  const SofaNewtonRow *rows = c.report.rows.data;
  assert_true(rows[1].residual == 0.25 && isnan(rows[c.report.rows.n - 1].residual));
  close_case(&c);
}

/* Newton on the arctangent from 3 runs away, the line search brings it back. */
static void line_searches(void **state) {
  (void)state;
  const Equation e = {.f = arctangent, .slope = of_arctangent, .x = 3};
  Case c;
  open_case(&c, e);
  assert_int_equal(run(&c, (SofaNewtonCriteria){.residual_absolute = 1e-10,
                                                .line_searches = 10,
                                                .line_search_factor = 0.5}),
                   SOFA_NEWTON_RESIDUAL_ABSOLUTE);
  assert_true(c.report.rows.data[1].trials == 3 && !c.report.line_search_failed);
  close_case(&c);
}

static void divergence(void **state) {
  (void)state;
  Case c;
  /* a residual that grows, when that is refused; in the first iteration it may */
  open_case(&c, (Equation){.f = arctangent, .slope = of_arctangent, .x = 3});
  c.run.ctx->step = 7;
  run(&c, (SofaNewtonCriteria){.refuse_growth = true, .iterations = 6});
  assert_int_equal(c.err, SOFA_ERR_NOT_CONVERGED);
  assert_int_equal(c.report.status, SOFA_NEWTON_DIVERGED_GROWING);
  assert_int_equal(c.report.rows.n, 3);
  assert_non_null(strstr(c.run.last, "step 7"));
  close_case(&c);
  /* infinite */
  open_case(&c, (Equation){.f = blows_up, .slope = one, .x = 0});
  c.run.ctx->step = 3;
  run(&c, (SofaNewtonCriteria){0});
  assert_int_equal(c.err, SOFA_ERR_NOT_FINITE);
  assert_int_equal(c.report.status, SOFA_NEWTON_DIVERGED_NOT_FINITE);
  assert_non_null(strstr(c.run.last, "Newton diverged in step 3"));
  close_case(&c);
  /* a linear solver that fails: its error goes through, nothing is added to it */
  open_case(
      &c, (Equation){.f = square_minus_2, .slope = slow, .x = 1, .solve_fails = SOFA_ERR_SINGULAR});
  run(&c, (SofaNewtonCriteria){0});
  assert_int_equal(c.err, SOFA_ERR_SINGULAR);
  assert_int_equal(c.report.status, SOFA_NEWTON_FAILED);
  assert_true(c.e.x == 1 && c.run.n_problems == 0);
  assert_false(sofa_newton_converged(c.report.status));
  close_case(&c);
}

/* ---- records ---- */

typedef struct Seen {
  size_t n;
  SofaConvergenceRow rows[10];
} Seen;

static void see(void *user, const SofaConvergenceRow *row) {
  Seen *seen = user;
  if (seen->n < 10) seen->rows[seen->n++] = *row;
}

static void rows_are_recorded(void **state) {
  (void)state;
  Case c;
  Seen seen = {0};
  const SofaConvergence observer = {see, &seen};
  open_case(&c, root_of_2);
  assert_false(sofa_convergence_observed(c.run.ctx));
  sofa_convergence_observe(c.run.ctx, &observer);
  c.run.ctx->step = 5;
  run(&c, (SofaNewtonCriteria){.residual_initial = 0.01});
  assert_int_equal(seen.n, 3);
  for (uint32_t k = 0; k < 3; k++) {
    assert_int_equal(seen.rows[k].iteration, k);
    assert_int_equal(seen.rows[k].step, 5);
    assert_true(seen.rows[k].residual == c.report.rows.data[k].residual);
    assert_string_equal(seen.rows[k].reason, k < 2 ? "" : "ConvergedResidualInitialRatio");
  }
  sofa_convergence_observe(c.run.ctx, NULL);
  run(&c, (SofaNewtonCriteria){.residual_initial = 0.01});
  assert_int_equal(seen.n, 3);
  close_case(&c);
}

static void only_two_kinds_of_files(void **state) {
  (void)state;
  Case c;
  SofaConvergenceFile *file = NULL;
  open_case(&c, root_of_2);
  assert_true(sofa_convergence_can_write("a.csv") && sofa_convergence_can_write("b/c.json"));
  assert_false(sofa_convergence_can_write("a.txt") || sofa_convergence_can_write("csv"));
  assert_int_equal(sofa_convergence_open(c.run.ctx, "a.txt", &file), SOFA_ERR_ARGUMENT);
  assert_int_equal(sofa_convergence_open(c.run.ctx, "/no/such/a.csv", &file), SOFA_ERR_IO);
  assert_null(file);
  assert_int_equal(sofa_convergence_close(&file), SOFA_OK);
  close_case(&c);
}

static double minus_1(double x) {
  return x - 1;
}
static double two(double x) {
  (void)x;
  return 2;
}
/* Least at 1.2, where the force does not vanish. */
static SofaErr other_potential(void *user, double *value) {
  const Equation *e = user;
  *value = (e->x - 1.2) * (e->x - 1.2) / 2;
  return SOFA_OK;
}
static double work(void *user) {
  const Equation *e = user;
  return -e->r * e->dx;
}

/* The search goes by the potential as long as the forces agree with it, then by the forces. */
static void forces_of_no_potential(void **state) {
  const SofaNewtonCriteria by_potential = {
      .iterations = 60, .residual_absolute = 1e-10, .line_searches = 40, .line_search_factor = 0.5};
  Case c;
  (void)state;
  open_case(&c, (Equation){.f = minus_1, .slope = two, .x = 3});
  c.problem.potential = other_potential;
  c.problem.work = work;
  assert_int_equal(run(&c, by_potential), SOFA_NEWTON_RESIDUAL_ABSOLUTE);
  assert_true(fabs(c.e.x - 1) < 1e-10);
  /* one search shows that they disagree */
  size_t long_searches = 0;
  for (size_t i = 1; i < c.report.rows.n; i++) long_searches += c.report.rows.data[i].trials > 7;
  assert_int_equal(long_searches, 1);
  close_case(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_criterion),     cmocka_unit_test(forces_of_no_potential),
      cmocka_unit_test(the_report_adds_up), cmocka_unit_test(late_residuals),
      cmocka_unit_test(line_searches),      cmocka_unit_test(divergence),
      cmocka_unit_test(rows_are_recorded),  cmocka_unit_test(only_two_kinds_of_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
