/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances of batches against those of single pairs, degenerate elements included; every
 * instruction set of the processor has the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "integers.h"
#include "math/kernels.h"
#include "math/vec.h"
#include "numerics/contact/distance.h"
#include "numerics/contact/pair_batch.h"

enum { GROUPS = 4000, PAIRS = GROUPS * SOFA_PAIR_GROUP };

typedef struct Batch {
  SofaPairGroup groups[GROUPS];
  double d2[PAIRS];
} Batch;

/* Nearly parallel edges, 0.3 apart, that cross: their normal is not known. */
static void cross_flat(Random *r, double *x) {
  double u[3], v[3], across[3], n[3];
  for (int k = 0; k < 3; k++) {
    u[k] = random_real(r);
    across[k] = random_real(r);
    v[k] = u[k] + 1e-12 * across[k];
  }
  sofa_vec3_cross(u, across, n);
  sofa_vec3_normalize(n);
  for (int k = 0; k < 3; k++) {
    x[k] = -u[k];
    x[3 + k] = u[k];
    x[6 + k] = 0.3 * (n[k] + u[k]) - v[k];
    x[9 + k] = 0.3 * (n[k] + u[k]) + v[k];
  }
}

/* general positions, small integers, parallel and nearly parallel edges */
static void batch_random(Batch *b) {
  Random r = {404};
  for (int i = 0; i < PAIRS; i++) {
    double x[12];
    for (int k = 0; k < 12; k++) x[k] = i % 2 ? random_real(&r) : (double)random_integer(&r, 2);
    for (int k = 0; k < 3 && i % 8 == 7; k++) x[9 + k] = x[6 + k] + 2 * (x[3 + k] - x[k]);
    if (i % 16 == 15) x[9 + i / 16 % 3] += 1e-9;
    if (i % 32 == 31) cross_flat(&r, x);
    for (int k = 0; k < 12; k++)
      b->groups[i / SOFA_PAIR_GROUP].x[k / 3][k % 3][i % SOFA_PAIR_GROUP] = x[k];
  }
}

static void check(const Batch *b, SofaPairKind kind) {
  for (int i = 0; i < PAIRS; i++) {
    double x[12];
    SofaClosest c;
    for (int k = 0; k < 12; k++)
      x[k] = b->groups[i / SOFA_PAIR_GROUP].x[k / 3][k % 3][i % SOFA_PAIR_GROUP];
    sofa_pair_closest(kind, x, &c);
    assert_true(fabs(sqrt(b->d2[i]) - sqrt(c.d2)) <= (i % 16 == 15 ? 1e-6 : 2e-12));
  }
}

static void batches(void **state) {
  (void)state;
  static const char *const sets[3] = {"baseline", "avx2", "avx512"};
  static Batch b;
  static double first[2][PAIRS];
  batch_random(&b);
  for (int i = 0; i < 3; i++) {
    const SofaContext ctx = {.kernels = sofa_kernels_select(sets[i])};
    if (!ctx.kernels) continue;
    const SofaPairKernels *pairs = sofa_pair_kernels(&ctx);
    assert_string_equal(pairs->name, sets[i]);
    for (int edges = 0; edges < 2; edges++) {
      (edges ? pairs->edge_edge : pairs->point_triangle)(b.groups, GROUPS, b.d2);
      if (i == 0) {
        check(&b, edges ? SOFA_PAIR_EDGE_EDGE : SOFA_PAIR_POINT_TRIANGLE);
        memcpy(first[edges], b.d2, sizeof b.d2);
      }
      assert_memory_equal(first[edges], b.d2, sizeof b.d2);
    }
  }
}

/* The largest difference of coordinates; infinite with one that is not a number. */
static void extents(void **state) {
  (void)state;
  static const char *const sets[3] = {"baseline", "avx2", "avx512"};
  static Batch b;
  batch_random(&b);
  b.groups[1].x[2][1][3] = NAN;
  b.groups[2].x[0][0][5] = NAN;
  b.groups[3].x[3][2][0] = -INFINITY;
  for (int s = 0; s < 3; s++) {
    const SofaContext ctx = {.kernels = sofa_kernels_select(sets[s])};
    if (!ctx.kernels) continue;
    sofa_pair_kernels(&ctx)->extent(b.groups, GROUPS, b.d2);
    for (int i = 0; i < PAIRS; i++) {
      double most = 0;
      for (int k = 3; k < 12; k++) {
        const SofaPairGroup *g = &b.groups[i / SOFA_PAIR_GROUP];
        const int lane = i % SOFA_PAIR_GROUP;
        const double size = fabs(g->x[k / 3][k % 3][lane] - g->x[0][k % 3][lane]);
        most = isfinite(size) ? fmax(most, size) : INFINITY;
      }
      assert_true(b.d2[i] == most);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(batches), cmocka_unit_test(extents)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
