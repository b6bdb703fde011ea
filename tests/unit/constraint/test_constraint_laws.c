/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The visits of constraint laws, and their natural maps against finite differences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "numerics/constraint/laws.h"

enum { MOST = 8 };

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct Visit {
  SofaConstraintBlock block;
  double w[MOST * MOST], work[MOST * MOST + MOST], free[MOST], lambda[MOST];
} Visit;

static void begin(Visit *v) {
  const SofaConstraintLaw *law = v->block.law;
  if (v->block.relaxation == 0) v->block.relaxation = 1;
  assert_true(!law->work_size || law->work_size(v->block.n) <= sizeof v->work / sizeof *v->work);
  if (law->begin) law->begin(&v->block, v->w, v->work);
}

static void violation(const Visit *v, double *d) {
  for (uint32_t i = 0; i < v->block.n; i++) {
    d[i] = v->free[i];
    for (uint32_t k = 0; k < v->block.n; k++) d[i] += v->w[i * v->block.n + k] * v->lambda[k];
  }
}

static void visit(Visit *v) {
  double d[MOST];
  violation(v, d);
  v->block.law->resolve(&v->block, v->w, v->work, d, v->lambda);
}

static void assert_lambda(const Visit *v, const double *wanted, double tolerance) {
  for (uint32_t i = 0; i < v->block.n; i++) assert_near(v->lambda[i], wanted[i], tolerance);
}

static double residual(const Visit *v) {
  double d[MOST], r[MOST], largest = 0;
  violation(v, d);
  const double rho = sofa_law_rho(v->block.n, v->w);
  const SofaLawVisit parts = {.w = v->w, .work = v->work, .d = d, .r = r};
  sofa_law_residual(&v->block, rho, v->lambda, &parts);
  for (uint32_t i = 0; i < v->block.n; i++) largest = fmax(largest, fabs(r[i]));
  return largest;
}

/* ---- bilateral ---- */

/* A symmetric positive definite matrix of n rows. */
static void fill(size_t n, double *w) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      w[i * n + j] = (i == j ? 3.0 + (double)i : 0) + cos((double)(i * j)) * 0.5;
}

static void bilateral_blocks_are_solved_by_one_visit(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 7; n++) {
    Visit v = {.block = {.law = &sofa_law_bilateral, .n = n}};
    fill(n, v.w);
    for (uint32_t i = 0; i < n; i++) v.free[i] = sin(1.0 + i);
    begin(&v);
    visit(&v);
    double d[MOST];
    violation(&v, d);
    for (uint32_t i = 0; i < n; i++) assert_near(d[i], 0, 1e-14);
    assert_true(residual(&v) < 1e-14);
  }
}

/* The joint of a rigid body of 0.1 kg with unit inertia per mass, 1 ms. */
static void first_visit_of_a_joint(void **state) {
  (void)state;
  Visit v = {.block = {.law = &sofa_law_bilateral, .n = 3},
             .w = {0.035625, -0.0125, -0.01, -0.0125, 0.03, -0.0125, -0.01, -0.0125, 0.035625},
             .free = {0, -9.8090190981e-4, 0}};
  begin(&v);
  visit(&v);
  assert_lambda(&v, (double[]){0.026874024926, 0.055091751099, 0.026874024926}, 1e-11);
}

static void relaxation_is_a_factor_of_each_correction(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 4; n++) {
    Visit v = {.block = {.law = &sofa_law_bilateral, .n = n, .relaxation = 0.5}};
    for (uint32_t i = 0; i < n; i++) v.w[i * n + i] = 2, v.free[i] = -4;
    begin(&v);
    visit(&v);
    for (uint32_t i = 0; i < n; i++) assert_near(v.lambda[i], 1, 1e-15);
    visit(&v);
    for (uint32_t i = 0; i < n; i++) assert_near(v.lambda[i], 1.5, 1e-15);
  }
}

/* SOFA compares the determinant with a number that has no unit. */
static void small_compliances(void **state) {
  (void)state;
  const struct {
    const SofaConstraintLaw *law;
    double w, lambda;
  } rows[] = {{&sofa_law_bilateral, 1e-7, 1e4},
              {&sofa_law_bilateral, 1e-60, 1e57},
              {&sofa_law_bilateral_guarded, 1e-7, 0},
              {&sofa_law_bilateral_guarded, 1e-5, 100}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    Visit v = {.block = {.law = rows[r].law, .n = 3}, .free = {0, -1e-3, 0}};
    for (unsigned i = 0; i < 3; i++) v.w[4 * i] = rows[r].w;
    begin(&v);
    visit(&v);
    assert_lambda(&v, (double[]){0, rows[r].lambda, 0}, 1e-14 * rows[r].lambda);
  }
}

/* Rows without compliance, and rows that depend on others, keep 0; the others are solved. */
static void semidefinite_blocks(void **state) {
  (void)state;
  Visit held = {.block = {.law = &sofa_law_bilateral, .n = 3},
                .w = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 0},
                .free = {-1, 1, 7}};
  begin(&held);
  visit(&held);
  double d[MOST];
  violation(&held, d);
  assert_near(d[0], 0, 1e-15);
  assert_near(d[1], 0, 1e-15);
  assert_true(held.lambda[2] == 0);

  for (uint32_t n = 3; n <= 4; n++) {
    Visit twice = {.block = {.law = &sofa_law_bilateral, .n = n}};
    for (uint32_t i = 0; i < n * n; i++) twice.w[i] = 2;
    for (uint32_t i = 0; i < n; i++) twice.free[i] = -3;
    begin(&twice);
    visit(&twice);
    violation(&twice, d);
    for (uint32_t i = 0; i < n; i++) assert_near(d[i], 0, 1e-14);
  }

  for (uint32_t n = 1; n <= 4; n++) {
    Visit none = {.block = {.law = &sofa_law_bilateral, .n = n}, .free = {1, 2, 3, 4}};
    begin(&none);
    visit(&none);
    assert_lambda(&none, (double[]){0, 0, 0, 0}, 0);
  }
}

/* ---- one row ---- */

static void unilateral_rows(void **state) {
  (void)state;
  Visit v = {.block = {.law = &sofa_law_unilateral, .n = 1}, .w = {2}, .free = {-3}};
  begin(&v);
  visit(&v);
  assert_lambda(&v, (double[]){1.5}, 0);
  assert_true(residual(&v) == 0);
  v.free[0] = 1;
  visit(&v);
  assert_lambda(&v, (double[]){0}, 0);
  assert_true(residual(&v) == 0);
  v.w[0] = 0;
  v.free[0] = -1;
  visit(&v);
  assert_lambda(&v, (double[]){0}, 0);
}

static void stopper_rows(void **state) {
  (void)state;
  const double rows[][3] = {{5, -1, 3}, {-6, 2.5, -1}, {1, 0, 1}}; // d_free, lambda, d
  for (size_t r = 0; r < 3; r++) {
    Visit v = {.block = {.law = &sofa_law_stopper, .n = 1, .low = -1, .high = 3},
               .w = {2},
               .free = {rows[r][0]},
               .lambda = {0.7}};
    begin(&v);
    visit(&v);
    double d[MOST];
    violation(&v, d);
    assert_near(v.lambda[0], rows[r][1], 1e-15);
    assert_near(d[0], rows[r][2], 1e-15);
    assert_true(residual(&v) < 1e-15);
  }
  Visit none = {.block = {.law = &sofa_law_stopper, .n = 1, .low = -1, .high = 3}, .free = {5}};
  visit(&none);
  assert_true(none.lambda[0] == 0);
}

/* ---- friction ---- */

static void friction_visits(void **state) {
  (void)state;
  Visit a = {.block = {.law = &sofa_law_friction, .n = 3, .friction = 0.5},
             .w = {2, 0, 0, 0, 1, 0, 0, 0, 1},
             .free = {-1, 0.6, 0}};
  for (unsigned i = 0; i < 3; i++) {
    visit(&a);
    assert_lambda(&a, (double[]){0.5, -0.25, 0}, 1e-15);
  }
  assert_true(residual(&a) < 1e-15);

  Visit b = {.block = {.law = &sofa_law_friction, .n = 3, .friction = 0.5},
             .w = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 3},
             .free = {-1, 0.1, 0.2}};
  const double wanted[][3] = {{0.5, -0.175, -0.1},
                              {0.54375, -0.2674405932, -0.0489034227},
                              {0.5668601483, -0.2760882921, -0.0640926040},
                              {0.5690220731, -0.2786745301, -0.0573326797}};
  for (unsigned i = 0; i < 4; i++) {
    visit(&b);
    assert_lambda(&b, wanted[i], 1e-10);
  }
  for (unsigned i = 0; i < 200; i++) visit(&b);
  assert_true(residual(&b) < 1e-15);
}

static void friction_without_compliance(void **state) {
  (void)state;
  const SofaConstraintLaw *const laws[] = {&sofa_law_friction, &sofa_law_augmented};
  for (size_t i = 0; i < 2; i++) {
    Visit v = {.block = {.law = laws[i], .n = 3, .friction = 0.5, .epsilon = 1},
               .free = {-1, 1, 1}};
    visit(&v);
    assert_lambda(&v, (double[]){0, 0, 0}, 0);
  }
}

/* Uzawa's iteration ends at the same forces as friction blocks; with SOFA's visit the force of a
 * contact that slides leaves the cone. */
static void augmented_blocks(void **state) {
  (void)state;
  Visit exact = {.block = {.law = &sofa_law_friction, .n = 3, .friction = 0.5},
                 .w = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 3},
                 .free = {-1, 0.9, 0.2}};
  Visit v = exact, open = exact;
  v.block.law = &sofa_law_augmented;
  open.block.law = &sofa_law_augmented_open;
  v.block.epsilon = open.block.epsilon = 0.2;
  for (unsigned i = 0; i < 400; i++) visit(&exact), visit(&v), visit(&open);
  assert_lambda(&v, exact.lambda, 1e-12);
  assert_true(residual(&v) < 1e-12);
  assert_true(hypot(v.lambda[1], v.lambda[2]) < 0.5 * v.lambda[0] * (1 + 1e-12));
  assert_true(residual(&open) > 1e-3);

  Visit one = {.block = {.law = &sofa_law_augmented, .n = 1}, .w = {2}, .free = {-3}};
  visit(&one);
  assert_lambda(&one, (double[]){1.5}, 0);
}

/* A contact that opens has no force left, friction included. */
static void contacts_that_open(void **state) {
  static const SofaConstraintLaw *const laws[] = {&sofa_law_friction, &sofa_law_friction_exact,
                                                  &sofa_law_augmented, &sofa_law_augmented_open};
  (void)state;
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    Visit v = {.block = {.law = laws[i], .n = 3, .friction = 0.5, .epsilon = 0.5},
               .w = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 3},
               .free = {9, 0.5, 0.25},
               .lambda = {1, 0.3, -0.2}};
    begin(&v);
    visit(&v);
    assert_lambda(&v, (double[]){0, 0, 0}, 0);
  }
}

/* SOFA's: lambda_n = 0.5 x 1, then |g| = 0.3 is not within the cone of 0.25, and lambda_t moves by
 * -mu eps d_n d_t / |d_t|. */
static void augmented_visit_as_in_sofa(void **state) {
  (void)state;
  Visit v = {.block = {.law = &sofa_law_augmented_open, .n = 3, .friction = 0.5, .epsilon = 0.5},
             .free = {-1, 0.6, 0}};
  visit(&v);
  assert_lambda(&v, (double[]){0.5, 0.25, 0}, 1e-15);
  v = (Visit){.block = v.block, .free = {-1, 0.2, 0}};
  visit(&v);
  assert_lambda(&v, (double[]){0.5, -0.1, 0}, 1e-15);
}

/* ---- exact visits ---- */

/* A random W of 3 or 6 rows whose tangential compliances differ by up to 1e6. */
static void random_exact(Visit *v, uint32_t n, uint32_t *seed) {
  double g[6][6];
  *v = (Visit){.block = {.law = &sofa_law_friction_exact,
                         .n = n,
                         .friction = 0.5,
                         .rolling = 0.2,
                         .spinning = 0.1}};
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n; k++) {
      *seed = *seed * 1664525u + 1013904223u;
      g[i][k] = (i == k ? 1 : 0.2 * (*seed / 2147483648.0 - 1)) * (i == 2 || i == 4 ? 1e-3 : 1);
    }
  for (uint32_t i = 0; i < n; i++) {
    *seed = *seed * 1664525u + 1013904223u;
    v->free[i] = (*seed / 2147483648.0 - 1) * (i == 0 ? -1 : g[i][i]);
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t j = 0; j < n; j++) v->w[i * n + k] += g[i][j] * g[k][j];
  }
}

/* Visits end where the natural map is 0; they are few, whatever the compliances. */
static void exact_visits(void **state) {
  (void)state;
  uint32_t seed = 7;
  for (int trial = 0; trial < 200; trial++) {
    Visit v;
    double d[MOST], r[MOST];
    random_exact(&v, trial % 2 ? 6 : 3, &seed);
    v.block.least = trial % 5 == 0 ? 0.3 : 0;
    for (int i = 0; i < 60; i++) visit(&v);
    violation(&v, d);
    const SofaNaturalMap map = {.rho = 1, .lambda = v.lambda, .d = d, .r = r};
    v.block.law->natural(&v.block, &map);
    for (uint32_t i = 0; i < v.block.n; i++) assert_near(r[i], 0, 1e-12);
    assert_true(v.lambda[0] >= v.block.least);
    assert_true(hypot(v.lambda[1], v.lambda[2]) <= 0.5 * v.lambda[0] * (1 + 1e-14));
  }
}

/* Directions without compliance have no force, forces without limit stay in a disc of radius 0. */
static void exact_visits_without_compliance(void **state) {
  (void)state;
  Visit v = {.block = {.law = &sofa_law_friction_exact, .n = 3, .friction = 0.5},
             .w = {2, 0, 0, 0, 1, 0, 0, 0, 0},
             .free = {-1, 0.1, 0.3}};
  visit(&v);
  assert_lambda(&v, (double[]){0.5, -0.1, 0}, 1e-15);
  v.block.friction = 0;
  visit(&v);
  assert_lambda(&v, (double[]){0.5, 0, 0}, 1e-15);
}

/* ---- natural maps ---- */

static void map(const SofaConstraintBlock *b, const double *x, double *r, double *slope) {
  SofaNaturalMap m = {.rho = 0.7, .lambda = x, .d = x + b->n, .r = r};
  if (slope) m.by_lambda = slope, m.by_d = slope + b->n * b->n;
  b->law->natural(b, &m);
}

static void check_slope(const SofaConstraintBlock *b, const double *at) {
  const uint32_t n = b->n;
  double slope[2 * MOST * MOST], r[MOST], x[2 * MOST], r0[MOST], r1[MOST];
  map(b, at, r, slope);
  for (uint32_t k = 0; k < 2 * n; k++) {
    memcpy(x, at, 2 * n * sizeof *x);
    x[k] = at[k] - 1e-6;
    map(b, x, r0, NULL);
    x[k] = at[k] + 1e-6;
    map(b, x, r1, NULL);
    for (uint32_t i = 0; i < n; i++)
      assert_near(slope[(k / n) * n * n + i * n + k % n], (r1[i] - r0[i]) / 2e-6, 1e-8);
  }
}

static void slopes_of_natural_maps(void **state) {
  (void)state;
  const SofaConstraintBlock blocks[] = {
      {.law = &sofa_law_bilateral, .n = 4},
      {.law = &sofa_law_unilateral, .n = 1},
      {.law = &sofa_law_stopper, .n = 1, .low = -0.3, .high = 0.4},
      {.law = &sofa_law_friction, .n = 3, .friction = 0.6},
      {.law = &sofa_law_augmented, .n = 3, .friction = 0.2},
      {.law = &sofa_law_augmented, .n = 1},
      {.law = &sofa_law_unilateral, .n = 1, .least = 0.3},
      {.law = &sofa_law_friction, .n = 3, .friction = 0.6, .least = 0.4},
      {.law = &sofa_law_friction_exact, .n = 6, .friction = 0.7, .rolling = 0.4, .spinning = 0.2},
      {.law = &sofa_law_friction_exact, .n = 6, .friction = 0.7, .rolling = 0.4, .least = 0.5},
  };
  uint32_t seed = 1;
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
    for (unsigned trial = 0; trial < 50; trial++) {
      double at[2 * MOST];
      for (uint32_t i = 0; i < 2 * blocks[k].n; i++) {
        seed = seed * 1664525u + 1013904223u;
        at[i] = seed / 2147483648.0 - 1;
      }
      check_slope(&blocks[k], at);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bilateral_blocks_are_solved_by_one_visit),
      cmocka_unit_test(first_visit_of_a_joint),
      cmocka_unit_test(relaxation_is_a_factor_of_each_correction),
      cmocka_unit_test(small_compliances),
      cmocka_unit_test(semidefinite_blocks),
      cmocka_unit_test(unilateral_rows),
      cmocka_unit_test(stopper_rows),
      cmocka_unit_test(friction_visits),
      cmocka_unit_test(friction_without_compliance),
      cmocka_unit_test(augmented_blocks),
      cmocka_unit_test(contacts_that_open),
      cmocka_unit_test(augmented_visit_as_in_sofa),
      cmocka_unit_test(exact_visits),
      cmocka_unit_test(exact_visits_without_compliance),
      cmocka_unit_test(slopes_of_natural_maps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
