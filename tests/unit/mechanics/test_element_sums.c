/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of the vectors of elements: the bits of one thread that adds element by element, on any
 * number of threads, whether points near each other have numbers near each other or not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "numerics/fem/element_sums.h"
#include "numerics/fem/lane_count.h"
#include "object/factory.h"

enum {
  POINTS = 1200,
  ELEMENTS = 5003,
  MOST_NODES = 4,
  MOST_WIDTH = 6,
  REALS = MOST_WIDTH * POINTS
};

/* Elements with their vectors, what the points had, and the sums. */
typedef struct Case {
  uint32_t v[MOST_NODES * ELEMENTS];
  double vectors[MOST_NODES * MOST_WIDTH * ELEMENTS];
  double before[2][REALS], f[2][REALS], one[2][REALS];
  SofaSummed of;
  size_t given; /* elements, of all calls */
} Case;

static double random_real(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*seed * 0x1p-63;
}

/* Nodes of an element are at most `reach` numbers apart. */
static void fill(Case *c, const SofaSummed *of, uint32_t reach, uint64_t seed) {
  c->of = *of;
  c->of.elements = (SofaElements){c->v, ELEMENTS, of->elements.width};
  c->of.n_points = POINTS;
  const unsigned width = of->elements.width;
  for (uint32_t e = 0; e < ELEMENTS; e++) {
    const uint32_t first = (uint32_t)((uint64_t)e * (POINTS - reach) / ELEMENTS);
    for (unsigned n = 0; n < width; n++)
      c->v[width * e + n] = first + (uint32_t)((random_real(&seed) + 1) / 2 * (reach - 1));
  }
  for (size_t k = 0; k < MOST_NODES * MOST_WIDTH * ELEMENTS; k++)
    c->vectors[k] = random_real(&seed) * exp(8 * random_real(&seed));
  for (size_t k = 0; k < 2 * REALS; k++) c->before[k / REALS][k % REALS] = random_real(&seed);
}

static size_t vectors_of(const Case *c) {
  return c->of.kind == SOFA_SUM_EACH ? c->of.elements.width : 1;
}

static void give(void *user, size_t begin, size_t end, double *parts) {
  Case *c = user;
  const size_t width = c->of.width, nodes = c->of.elements.width, reals = vectors_of(c) * width;
  assert_true(begin % SOFA_LANES == 0 && (end % SOFA_LANES == 0 || end == ELEMENTS));
  __atomic_fetch_add(&c->given, end - begin, __ATOMIC_RELAXED);
  if (parts) memcpy(parts, c->vectors + begin * reals, (end - begin) * reals * sizeof *parts);
  for (size_t e = begin; !parts && e < end; e++) {
    for (size_t n = 0; n < nodes; n++) {
      const double *vector = c->vectors + e * reals + (vectors_of(c) > 1 ? n * width : 0);
      const size_t point = c->v[nodes * e + n], states = c->of.states;
      double *to = c->f[point % states] + width * (point / states);
      const bool minus = c->of.kind == SOFA_SUM_OPPOSITE && n == 1;
      for (size_t k = 0; k < width; k++) to[k] += minus ? -vector[k] : vector[k];
    }
  }
}

static void run(const SofaElementSums *sums, Case *c) {
  double *const f[2] = {c->f[0], c->f[1]};
  memcpy(c->f, c->before, sizeof c->f);
  c->given = 0;
  sofa_element_sums_run(sums, ELEMENTS, give, c, f);
  assert_int_equal(c->given, ELEMENTS);
}

static void same_sums(Case *c, bool shared) {
  const SofaElementSums none = {0};
  run(&none, c);
  memcpy(c->one, c->f, sizeof c->f);
  assert_memory_not_equal(c->one, c->before, sizeof c->one);
  for (int threads = 1; threads < 6; threads++) {
    const SofaContextOptions options = {.threads = threads};
    SofaContext *ctx = NULL;
    SofaElementSums sums;
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_int_equal(sofa_element_sums_create(ctx, &c->of, &sums), SOFA_OK);
    assert_true((sums.parts != NULL) == (threads > 1));
    if (threads > 1) assert_true((sums.shares != NULL) == shared);
    for (int again = 0; again < 20; again++) {
      run(&sums, c);
      assert_memory_equal(c->f, c->one, sizeof c->one);
    }
    sofa_element_sums_free(ctx, &sums);
    sofa_context_destroy(&ctx);
  }
}

static const SofaSummed kinds[] = {
    {.elements = {.width = 3}, .states = 1, .width = 3, .kind = SOFA_SUM_EACH},
    {.elements = {.width = 4}, .states = 1, .width = 6, .kind = SOFA_SUM_EACH},
    {.elements = {.width = 2}, .states = 2, .width = 6, .kind = SOFA_SUM_EACH},
    {.elements = {.width = 3}, .states = 1, .width = 3, .kind = SOFA_SUM_SHARED},
    {.elements = {.width = 2}, .states = 1, .width = 3, .kind = SOFA_SUM_OPPOSITE},
    {.elements = {.width = 2}, .states = 2, .width = 3, .kind = SOFA_SUM_OPPOSITE},
};

static void with_reach(uint32_t reach, bool shared) {
  Case *c = calloc(1, sizeof *c);
  assert_non_null(c);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    fill(c, &kinds[k], reach, 7 + k);
    same_sums(c, shared);
  }
  free(c);
}

static void near_points_are_shared(void **state) {
  (void)state;
  with_reach(30, true);
}

static void far_points_add_what_they_get(void **state) {
  (void)state;
  with_reach(POINTS, false);
}

static void few_elements_wake_no_threads(void **state) {
  (void)state;
  const SofaContextOptions options = {.threads = 2};
  SofaContext *ctx = NULL;
  SofaElementSums sums;
  Case *c = calloc(1, sizeof *c);
  assert_non_null(c);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  fill(c, &kinds[0], 30, 3);
  c->of.least = ELEMENTS + 1;
  assert_int_equal(sofa_element_sums_create(ctx, &c->of, &sums), SOFA_OK);
  assert_null(sums.parts);
  run(&sums, c);
  assert_null(ctx->team);
  sofa_context_destroy(&ctx);
  free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(near_points_are_shared),
                                     cmocka_unit_test(far_points_add_what_they_get),
                                     cmocka_unit_test(few_elements_wake_no_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
