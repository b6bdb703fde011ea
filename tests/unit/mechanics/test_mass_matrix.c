/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The assembled mass matrix against a dense one: one number per pair of points, and one per
 * coordinate; elements that share points, and one that has a point twice. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "numerics/mass/mass_matrix.h"
#include "tests/unit/math/random.h"

enum { POINTS = 6, ELEMENTS = 3, NODES = 4, DERIV = 3, ENTRIES = NODES * NODES };

static const uint32_t vertices[ELEMENTS * NODES] = {0, 1, 2, 3, 3, 2, 4, 0, 4, 5, 5, 1};

/* Adds random symmetric elements to both. */
static void fill(SofaMassMatrix *m, double dense[DERIV][POINTS][POINTS]) {
  const unsigned width = m->width;
  Random random = {.state = 11};
  for (size_t e = 0; e < ELEMENTS; e++) {
    double part[ENTRIES * DERIV];
    for (unsigned a = 0; a < NODES; a++)
      for (unsigned b = 0; b <= a; b++)
        for (unsigned c = 0; c < width; c++)
          part[width * (NODES * a + b) + c] = part[width * (NODES * b + a) + c] =
              random_real(&random);
    sofa_mass_matrix_add(m, e, part);
    for (unsigned k = 0; k < ENTRIES; k++)
      for (unsigned c = 0; c < DERIV; c++)
        dense[c][vertices[NODES * e + k / NODES]][vertices[NODES * e + k % NODES]] +=
            part[width * k + (width > 1 ? c : 0)];
  }
  sofa_mass_matrix_sums(m);
}

static void close(double a, double b) {
  if (!(fabs(a - b) < 1e-14)) fail_msg("%.17g instead of %.17g", a, b);
}

static void compare(const SofaContext *ctx, const SofaMassMatrix *m,
                    double dense[DERIV][POINTS][POINTS]) {
  double dx[POINTS * DERIV], res[POINTS * DERIV], expected[POINTS * DERIV], energy = 0;
  Random random = {.state = 5};
  random_reals(&random, POINTS * DERIV, dx);
  random_reals(&random, POINTS * DERIV, res);
  memcpy(expected, res, sizeof res);
  for (unsigned i = 0; i < POINTS * DERIV; i++) {
    const unsigned c = i % DERIV;
    double product = 0, sum = 0;
    for (unsigned j = 0; j < POINTS; j++) {
      product += dense[c][i / DERIV][j] * dx[DERIV * j + c];
      sum += dense[c][i / DERIV][j];
    }
    expected[i] -= 0.7 * product;
    energy += 0.5 * dx[i] * product;
    close(mass_matrix_of(m, m->row_sum + m->width * (i / DERIV), c), sum);
    close(mass_matrix_of(m, sofa_mass_matrix_diagonal(m, i / DERIV), c),
          dense[c][i / DERIV][i / DERIV]);
  }
  sofa_mass_matrix_multiply(m, ctx, DERIV, dx, res, -0.7);
  for (unsigned i = 0; i < POINTS * DERIV; i++) close(res[i], expected[i]);
  close(sofa_mass_matrix_kinetic(m, DERIV, dx), energy);
}

static void as_a_dense_matrix(void **state) {
  SofaContext *ctx;
  (void)state;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  for (unsigned width = 1; width <= DERIV; width += 2) {
    SofaMassMatrix m = {.width = width};
    double dense[DERIV][POINTS][POINTS] = {0};
    assert_int_equal(sofa_mass_matrix_create(ctx, ELEMENTS, NODES, vertices, POINTS, &m), SOFA_OK);
    fill(&m, dense);
    compare(ctx, &m, dense);
    sofa_mass_matrix_free(ctx, &m);
  }
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_a_dense_matrix)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
