/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The methods that find multipliers, on problems filled by hand. */
#include "solver_problem.h"

static const SofaConstraintBlock row = {.law = &sofa_law_bilateral, .n = 1, .relaxation = 1},
                                 joint = {.law = &sofa_law_bilateral, .n = 3, .relaxation = 1},
                                 contact = {.law = &sofa_law_unilateral, .n = 1},
                                 rubbing = {.law = &sofa_law_friction, .n = 3, .friction = 0.5};

/* ---- iterates in closed form ---- */

/* Two rows with the solution (1/3, 1/3). */
static void open_two_rows(Bench *b) {
  bench_open(b);
  bench_blocks(b, &row, 2);
  bench_fill(b, (double[]){2, 1, 1, 2}, (double[]){-1, -1});
  b->solve.method.tolerance = 0;
}

static SofaErr plain_jacobi(SofaConstraintSolve *s) {
  return sofa_constraint_jacobi(s, &(SofaJacobiOptions){.factor = 1, .speed = 10});
}

static void iterates_of_two_rows(void **state) {
  (void)state;
  const struct {
    Method method;
    double sor;
    bool extrapolated;
    int iterations;
    double lambda[2], error;
  } rows[] = {
      {sofa_constraint_gauss_seidel, 1, false, 1, {0.5, 0.25}, 1.5},
      {sofa_constraint_gauss_seidel, 1, false, 2, {0.375, 0.3125}, 0.375},
      {sofa_constraint_gauss_seidel, 1, false, 3, {0.34375, 0.328125}, 0.09375},
      {sofa_constraint_gauss_seidel, 1.5, false, 3, {0.45703125, 0.333984375}, NAN},
      {sofa_constraint_nncg, 1, true, 3, {0.312133789062, 0.351867675781}, NAN},
      {sofa_constraint_nncg, 1, true, 4, {0.317696751912, 0.339573728651}, NAN},
      {plain_jacobi, 1, false, 1, {0.5, 0.5}, 2.118033989},
      {plain_jacobi, 1, false, 2, {0.25, 0.25}, 1.266123776},
      {plain_jacobi, 1, false, 3, {0.375, 0.375}, 0.633061888},
      {plain_jacobi, 1, false, 4, {0.3125, 0.3125}, 0.316530944},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Bench b;
    open_two_rows(&b);
    b.solve.method.max_iterations = rows[i].iterations;
    b.solve.method.sor = rows[i].sor;
    b.solve.method.last_extrapolated = rows[i].extrapolated;
    bench_solve(&b, rows[i].method);
    bench_assert(&b, rows[i].lambda, 1e-12);
    assert_int_equal(b.solve.report.iterations, rows[i].iterations);
    assert_false(b.solve.report.converged);
    if (!isnan(rows[i].error)) assert_near(b.solve.report.error, rows[i].error, 1e-9);
    bench_close(&b);
  }
}

/* The lists of a recorded solve. */
static void records_of_sweeps(void **state) {
  (void)state;
  Bench b;
  open_two_rows(&b);
  b.solve.method.max_iterations = 3;
  b.solve.method.record = true;
  bench_solve(&b, sofa_constraint_gauss_seidel);
  const SofaConstraintReport *r = &b.solve.report;
  assert_true(r->errors.n == 3 && r->forces.n == 6 && r->violations.n == 6);
  assert_true(r->block_errors.n == 6);
  const double errors[] = {1.5, 0.375, 0.09375}, forces[] = {0.5, 0.25, 0.375, 0.3125};
  for (size_t i = 0; i < 3; i++) {
    assert_near(r->errors.data[i], errors[i], 1e-15);
    assert_near(r->block_errors.data[2 * i] + r->block_errors.data[2 * i + 1], errors[i], 1e-15);
  }
  for (size_t i = 0; i < 4; i++) assert_near(r->forces.data[i], forces[i], 1e-15);
  assert_near(r->violations.data[0], -1, 0);
  assert_near(r->violations.data[1], -0.5, 1e-15);
  bench_close(&b);
}

static void iterates_of_conjugate_residuals(void **state) {
  (void)state;
  const double wanted[][3] = {{0.33893920, 0.45191893, 0.08473480},
                              {0.23857842, 0.58486042, -0.03450452},
                              {7 / 36.0, 11 / 18.0, -1 / 36.0}};
  for (int i = 0; i < 3; i++) {
    Bench b;
    bench_open(&b);
    bench_blocks(&b, &row, 3);
    bench_fill(&b, (double[]){2, 1, 0, 1, 3, 1, 0, 1, 4}, (double[]){-1, -2, -0.5});
    b.solve.method.max_iterations = i + 1;
    b.solve.method.tolerance = 1e-12;
    bench_solve(&b, sofa_constraint_conjugate_residual);
    bench_assert(&b, wanted[i], i < 2 ? 1e-8 : 1e-14);
    assert_int_equal(b.solve.report.converged, i == 2);
    if (i == 2) assert_true(b.solve.report.residual[1] < 1e-14);
    bench_close(&b);
  }
}

/* Four sweeps of one contact; the error in the norm of blocks. */
static void error_of_a_friction_block(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  bench_blocks(&b, &rubbing, 1);
  bench_fill(&b, (double[]){2, 0.5, 0, 0.5, 1, 0, 0, 0, 3}, (double[]){-1, 0.1, 0.2});
  b.solve.method.max_iterations = 4;
  b.solve.method.tolerance = 0;
  b.solve.method.norm = SOFA_NORM_BLOCK;
  bench_solve(&b, sofa_constraint_gauss_seidel);
  bench_assert(&b, (double[]){0.5690220731, -0.2786745301, -0.0573326797}, 1e-10);
  assert_near(b.solve.report.error, 0.0205601648, 1e-9);
  bench_close(&b);
}

/* ---- the end of a solve ---- */

static void stopping_rules(void **state) {
  (void)state;
  const struct {
    double tolerance, block_tolerance;
    bool scaled, all;
    uint32_t sweeps;
  } rows[] = {{0.2, 0, true, false, 2},     // 0.375 < 2 * 0.2
              {0.2, 0, false, false, 3},    // 0.09375 < 0.2
              {0.3, 0, true, true, 2},      // rows: 0.25 and 0.125
              {0.2, 0, true, true, 3},      // unscaled
              {0.2, 0.05, false, false, 4}, // errors count four times
              {0.2, 0.01, true, true, 5}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    Bench b;
    open_two_rows(&b);
    for (size_t k = 0; k < 2; k++) b.problem.blocks.data[k].tolerance = rows[i].block_tolerance;
    b.solve.method.tolerance = rows[i].tolerance;
    b.solve.method.scale_tolerance = rows[i].scaled;
    b.solve.method.all_verified = rows[i].all;
    bench_solve(&b, sofa_constraint_gauss_seidel);
    assert_true(b.solve.report.converged);
    if (b.solve.report.iterations != rows[i].sweeps)
      fail_msg("row %zu: %u sweeps", i, b.solve.report.iterations);
    bench_close(&b);
  }
}

/* lambda = (0.5, 0.25) leaves d = (0.25, 0): in the unit of d 0.25, of lambda 0.125. */
static void residual_of_a_solution(void **state) {
  (void)state;
  Bench b;
  open_two_rows(&b);
  b.solve.method.max_iterations = 1;
  bench_solve(&b, sofa_constraint_gauss_seidel);
  assert_near(b.solve.report.residual[0], 0.125, 1e-15);
  assert_near(b.solve.report.residual[1], 0.25, 1e-15);
  bench_close(&b);
}

/* The multipliers of the last solve are the start of the next. */
static void memory_of_blocks(void **state) {
  (void)state;
  double memory[2] = {0, 0};
  Bench b;
  open_two_rows(&b);
  for (size_t k = 0; k < 2; k++) b.problem.blocks.data[k].memory = &memory[k];
  b.solve.method.max_iterations = 1;
  const double wanted[][2] = {{0.5, 0.25}, {0.375, 0.3125}, {0.34375, 0.328125}};
  for (size_t i = 0; i < 3; i++) {
    bench_solve(&b, sofa_constraint_gauss_seidel);
    bench_assert(&b, wanted[i], 1e-15);
    bench_assert(&b, memory, 0);
  }
  b.solve.method.cold = true;
  bench_solve(&b, sofa_constraint_gauss_seidel);
  bench_assert(&b, wanted[0], 1e-15);
  b.solve.method.cold = false;
  b.problem.w.data[0] = b.problem.w.data[1] = b.problem.w.data[2] = 0;
  bench_solve(&b, sofa_constraint_gauss_seidel);
  bench_assert(&b, (double[]){0, 0.5}, 1e-15); // a row that lost its compliance
  bench_close(&b);
}

static void regularization(void **state) {
  (void)state;
  Bench b;
  bench_open(&b);
  bench_blocks(&b, &row, 3);
  b.solve.method.regularization = 1e-3;
  const double w[] = {2, 2, 0, 2, 2, 0, 0, 0, 3}, free[] = {-1, -1, -3};
  bench_fill(&b, w, free);
  bench_solve(&b, sofa_constraint_gauss_seidel);
  for (size_t i = 0; i < 9; i++)
    assert_near(b.problem.w.data[i], w[i] + (i % 4 == 0 ? 1e-3 : 0), 1e-15);
  b.solve.method.by_svd = true; // the first two rows are in the null space
  bench_fill(&b, w, free);
  bench_solve(&b, sofa_constraint_gauss_seidel);
  for (size_t i = 0; i < 9; i++)
    assert_near(b.problem.w.data[i], w[i] + (i == 0 || i == 4 ? 1e-3 : 0), 1e-15);
  bench_close(&b);
}

/* ---- solutions ---- */

/* The forces of unilateral rows: the only choice of active rows that fits. */
static void brute_force(const Bench *b, double *best) {
  const uint32_t n = b->problem.n;
  for (uint32_t active = 0; active < 1u << n; active++) {
    double a[8][9], lambda[8];
    for (uint32_t i = 0; i < n; i++) {
      const bool on = active >> i & 1;
      for (uint32_t j = 0; j < n; j++) a[i][j] = on ? b->problem.w.data[j * n + i] : i == j;
      a[i][n] = on ? -b->problem.violation.data[i] : 0;
    }
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t i = 0; i < n; i++) {
        const double f = a[i][k] / a[k][k];
        for (uint32_t j = 0; j <= n && i != k; j++) a[i][j] -= f * a[k][j];
      }
    bool fits = true;
    for (uint32_t i = 0; i < n; i++) lambda[i] = a[i][n] / a[i][i];
    for (uint32_t i = 0; i < n; i++) {
      double d = b->problem.violation.data[i];
      for (uint32_t j = 0; j < n; j++) d += b->problem.w.data[j * n + i] * lambda[j];
      fits &= lambda[i] >= -1e-12 && d >= -1e-10;
    }
    if (!fits) continue;
    memcpy(best, lambda, n * sizeof *best);
    return;
  }
  fail_msg("no choice of rows fits");
}

static void complementarity_by_brute_force(void **state) {
  (void)state;
  const Method methods[] = {sofa_constraint_gauss_seidel, sofa_constraint_nncg,
                            sofa_constraint_newton};
  uint32_t seed = 7;
  for (unsigned trial = 0; trial < 60; trial++)
    for (size_t k = 0; k < 3; k++) {
      Bench b;
      double best[8];
      bench_open(&b);
      bench_blocks(&b, &contact, 1 + trial % 6);
      bench_randomize(&b, 8, &seed);
      brute_force(&b, best);
      b.solve.method.tolerance = 1e-13;
      b.solve.method.max_iterations = k == 2 ? 100 : 100000;
      bench_solve(&b, methods[k]);
      if (!b.solve.report.converged)
        fail_msg("method %zu, trial %u: error %g", k, trial, b.solve.report.error);
      bench_assert(&b, best, 1e-8);
      assert_true(b.solve.report.residual[0] < 1e-9 && b.solve.report.residual[1] < 1e-9);
      bench_close(&b);
    }
}

/* Redundant contacts with friction: nine freedoms for eight contacts, free violations that a motion
 * of the bodies makes. Newton's method solves them to 1e-12. */
static void redundant_friction(void **state) {
  (void)state;
  uint32_t seed = 5;
  for (unsigned trial = 0; trial < 300; trial++) {
    Bench b;
    double g[24][9], u[9];
    bench_open(&b);
    bench_blocks(&b, &rubbing, 8);
    for (size_t k = 0; k < 9; k++) {
      const double light = pow(10, (double)k / 8);
      u[k] = bench_random(&seed) * light;
      for (size_t i = 0; i < 24; i++) g[i][k] = bench_random(&seed) / light;
    }
    for (size_t i = 0; i < 24; i++)
      for (size_t k = 0; k < 9; k++) {
        b.problem.violation.data[i] += g[i][k] * u[k];
        for (size_t j = 0; j < 24; j++) b.problem.w.data[j * 24 + i] += g[i][k] * g[j][k];
      }
    b.solve.method.tolerance = 1e-12;
    b.solve.method.max_iterations = 300;
    bench_solve(&b, sofa_constraint_newton);
    if (!b.solve.report.converged)
      fail_msg("trial %u: %g after %u", trial, b.solve.report.error, b.solve.report.iterations);
    bench_close(&b);
  }
}

/* 12 contacts with friction for 12 freedoms of very different compliance. */
static void open_redundant(Bench *b, uint32_t *seed) {
  double g[36][12], u[12];
  bench_open(b);
  bench_blocks(b, &rubbing, 12);
  for (size_t k = 0; k < 12; k++) {
    u[k] = bench_random(seed);
    for (size_t i = 0; i < 36; i++) g[i][k] = bench_random(seed) * pow(2, -(double)k);
  }
  for (size_t i = 0; i < 36; i++)
    for (size_t k = 0; k < 12; k++) {
      b->problem.violation.data[i] += g[i][k] * u[k];
      for (size_t j = 0; j < 36; j++) b->problem.w.data[j * 36 + i] += g[i][k] * g[j][k];
    }
  b->solve.method.tolerance = 1e-12;
}

static void assert_in_cones(const Bench *b) {
  for (size_t k = 0; k < 36; k += 3) {
    const double *f = b->problem.lambda.data + k;
    assert_true(f[0] >= 0 && hypot(f[1], f[2]) <= 0.5 * f[0] * (1 + 1e-14));
  }
}

/* Proximal points lead to solutions of the hardest problems. */
static void many_redundant_contacts(void **state) {
  (void)state;
  uint32_t seed = 5;
  unsigned failed = 0;
  for (unsigned trial = 0; trial < 300; trial++) {
    Bench b;
    open_redundant(&b, &seed);
    b.solve.method.max_iterations = 1000;
    bench_solve(&b, sofa_constraint_newton);
    failed += !b.solve.report.converged;
    assert_true(b.solve.report.converged == (b.solve.report.error <= 1e-12));
    assert_in_cones(&b);
    bench_close(&b);
  }
  if (failed > 3) fail_msg("%u of 300", failed);
}

/* Where Newton's method may not go on it says so, and ends with the best forces that it met, within
 * their cones. */
static void best_forces(void **state) {
  (void)state;
  uint32_t seed = 5;
  unsigned failed = 0;
  for (unsigned trial = 0; trial < 20; trial++) {
    Bench b;
    open_redundant(&b, &seed);
    b.solve.method.max_iterations = 30;
    bench_solve(&b, sofa_constraint_newton);
    failed += !b.solve.report.converged;
    assert_true(b.solve.report.converged == (b.solve.report.error <= 1e-12));
    assert_true(b.solve.report.error < 0.1);
    assert_in_cones(&b);
    bench_close(&b);
  }
  assert_true(failed > 0 && failed < 20);
}

/* Joints, contacts, rubbing contacts and stoppers together: all laws hold at the end. */
static void mixed_problems(void **state) {
  (void)state;
  const SofaConstraintBlock stopper = {.law = &sofa_law_stopper, .n = 1, .low = -0.1, .high = 0.1},
                            beam = {.law = &sofa_law_bilateral, .n = 4, .relaxation = 1};
  const SofaConstraintBlock kinds[] = {joint, rubbing, contact, stopper, beam, rubbing};
  uint32_t seed = 3;
  for (unsigned trial = 0; trial < 30; trial++) {
    Bench b;
    uint32_t first;
    bench_open(&b);
    bench_blocks(&b, &kinds[0], 0);
    for (size_t i = 0; i < 6; i++)
      assert_int_equal(sofa_constraint_block(&b.problem, &kinds[i], &first), SOFA_OK);
    const size_t n = b.problem.n;
    assert_int_equal(SOFA_RESIZE(b.ctx, &b.problem.violation, n), SOFA_OK);
    assert_int_equal(SOFA_RESIZE(b.ctx, &b.problem.lambda, n), SOFA_OK);
    assert_int_equal(SOFA_RESIZE(b.ctx, &b.problem.w, n * n), SOFA_OK);
    bench_randomize(&b, 40, &seed);
    b.solve.method.tolerance = 1e-12;
    b.solve.method.max_iterations = 100;
    bench_solve(&b, sofa_constraint_newton);
    if (!b.solve.report.converged)
      fail_msg("trial %u: %g after %u", trial, b.solve.report.error, b.solve.report.iterations);
    assert_true(b.solve.report.residual[1] < 1e-10);
    bench_close(&b);
  }
}

/* Rows without compliance, alone and within blocks, leave the others solved. */
static void rows_without_compliance(void **state) {
  (void)state;
  const SofaConstraintBlock *const kinds[] = {&row, &joint, &contact, &rubbing};
  const Method methods[] = {sofa_constraint_gauss_seidel, sofa_constraint_nncg, plain_jacobi,
                            sofa_constraint_newton, sofa_constraint_conjugate_residual};
  for (size_t k = 0; k < 4; k++)
    for (size_t m = 0; m < 5; m++) {
      Bench b;
      bench_open(&b);
      bench_blocks(&b, kinds[k], 2);
      const uint32_t half = b.problem.n / 2;
      for (uint32_t i = 0; i < half; i++) b.problem.w.data[i * (b.problem.n + 1)] = 2;
      for (uint32_t i = 0; i < b.problem.n; i++) b.problem.violation.data[i] = i % 3 ? 0 : -1;
      bench_solve(&b, methods[m]);
      assert_near(b.problem.lambda.data[0], 0.5, 1e-12);
      for (uint32_t i = half; i < b.problem.n; i++) assert_true(b.problem.lambda.data[i] == 0);
      bench_close(&b);
    }
}

/* A violation that is not a number: the solve ends, and does not converge. */
static void not_a_number(void **state) {
  (void)state;
  const Method methods[] = {sofa_constraint_gauss_seidel, sofa_constraint_nncg, plain_jacobi,
                            sofa_constraint_newton, sofa_constraint_conjugate_residual};
  for (size_t m = 0; m < 5; m++) {
    Bench b;
    bench_open(&b);
    bench_blocks(&b, &joint, 1);
    for (size_t i = 0; i < 3; i++) b.problem.w.data[4 * i] = 1;
    b.problem.violation.data[1] = NAN;
    bench_solve(&b, methods[m]);
    assert_false(b.solve.report.converged);
    assert_true(isnan(b.solve.report.residual[0]) && isnan(b.problem.lambda.data[1]));
    bench_close(&b);
  }
}

/* ---- contacts of bodies with different masses ---- */

enum { BODIES = 6 };
/* A stack of cubes of the given masses without rotation on the floor, each pushed sideways; four
 * contacts between neighbours share a force: W is singular. */
static void stack(Bench *b, const double *mass, double friction, unsigned corners) {
  const SofaConstraintBlock block = {.law = &sofa_law_friction, .n = 3, .friction = friction};
  bench_blocks(b, &block, BODIES * corners);
  const size_t n = b->problem.n;
  for (size_t i = 0; i < BODIES * corners; i++)
    for (size_t j = 0; j < BODIES * corners; j++)
      for (unsigned k = 0; k < 3; k++) {
        const size_t one = i / corners, other = j / corners; // contact below body `one`
        double w = 0;
        if (one == other) w = 1 / mass[one] + (one ? 1 / mass[one - 1] : 0);
        else if (one == other + 1) w = -1 / mass[other];
        else if (other == one + 1) w = -1 / mass[one];
        b->problem.w.data[(3 * j + k) * n + 3 * i + k] = w;
      }
  for (size_t i = 0; i < BODIES * corners; i++) {
    const size_t one = i / corners;
    b->problem.violation.data[3 * i] = one ? 0 : -0.0981; // all fall alike
    b->problem.violation.data[3 * i + 1] = (one % 2 ? -0.03 : 0.02);
    b->problem.violation.data[3 * i + 2] = one ? 0.01 : -0.04;
  }
}

static void newton_on_stacks(void **state) {
  (void)state;
  for (unsigned corners = 1; corners <= 4; corners += 3)
    for (int exponent = 0; exponent <= 6; exponent++)
      for (int heavy_above = 0; heavy_above < 2; heavy_above++) {
        double mass[BODIES];
        Bench b;
        for (int i = 0; i < BODIES; i++)
          mass[i] = pow(10, exponent * (heavy_above ? i : BODIES - 1 - i) / (BODIES - 1.0));
        bench_open(&b);
        stack(&b, mass, 0.3, corners);
        b.solve.method.tolerance = 1e-12;
        b.solve.method.max_iterations = 100;
        bench_solve(&b, sofa_constraint_newton);
        const SofaConstraintReport *r = &b.solve.report;
        if (!r->converged)
          fail_msg("1e%d: %g after %u iterations", exponent, r->error, r->iterations);
        double total = 0, weight = 0;
        for (unsigned c = 0; c < corners; c++) total += b.problem.lambda.data[3 * c];
        for (int i = 0; i < BODIES; i++) weight += mass[i] * 0.0981;
        // the condition of W is some ten times the ratio of the masses
        assert_near(total, weight, (1e-12 + 1e-14 * pow(10, exponent)) * weight);
        bench_close(&b);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iterates_of_two_rows),
      cmocka_unit_test(records_of_sweeps),
      cmocka_unit_test(iterates_of_conjugate_residuals),
      cmocka_unit_test(error_of_a_friction_block),
      cmocka_unit_test(stopping_rules),
      cmocka_unit_test(residual_of_a_solution),
      cmocka_unit_test(memory_of_blocks),
      cmocka_unit_test(regularization),
      cmocka_unit_test(complementarity_by_brute_force),
      cmocka_unit_test(mixed_problems),
      cmocka_unit_test(redundant_friction),
      cmocka_unit_test(many_redundant_contacts),
      cmocka_unit_test(best_forces),
      cmocka_unit_test(rows_without_compliance),
      cmocka_unit_test(not_a_number),
      cmocka_unit_test(newton_on_stacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
