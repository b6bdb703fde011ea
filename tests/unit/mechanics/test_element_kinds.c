/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements that share their stiffness: which they are, their places, and the symmetry of boxes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../base/failing_allocator.h"
#include "numerics/fem/element_kernels_impl.h"
#include "numerics/fem/hexa_element.h"
#include "object/factory.h"

enum { NX = 9, NY = 7, NZ = 5, HEXAS = NX * NY * NZ, POINTS = (NX + 1) * (NY + 1) * (NZ + 1) };

typedef struct Grid {
  uint32_t hexas[8 * HEXAS];
  double rest[3 * POINTS], x[3 * POINTS], dx[3 * POINTS];
} Grid;

static double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*seed * 0x1p-63;
}

static void make_grid(Grid *g) {
  uint64_t seed = 5;
  for (uint32_t e = 0; e < HEXAS; e++)
    for (uint32_t n = 0; n < 8; n++) {
      const uint32_t corner = (uint32_t)sofa_mirror_corner(n), x = e % NX + (corner & 1),
                     y = e / NX % NY + (corner >> 1 & 1), z = e / NX / NY + (corner >> 2);
      g->hexas[8 * e + n] = x + (NX + 1) * (y + (NY + 1) * z);
    }
  for (size_t i = 0; i < POINTS; i++) {
    const size_t c[3] = {i % (NX + 1), i / (NX + 1) % (NY + 1), i / (NX + 1) / (NY + 1)};
    for (size_t k = 0; k < 3; k++) {
      g->rest[3 * i + k] = 0.1 * (double)c[k];
      g->x[3 * i + k] = 0.1 * (double)c[(k + 1) % 3] + 0.01 * noise(&seed); // turned
      g->dx[3 * i + k] = noise(&seed);
    }
  }
}

/* The moduli of elements: of three kinds in turns, and one alone. */
static double factor_of(size_t e) {
  return e == 100 ? 1.7 : (double)(1 + e % 3);
}

static void set_stiffness(SofaElementBatch *batch) {
  for (size_t e = 0; e < batch->n; e++) {
    double q[24], k[576];
    sofa_element_batch_rest(batch, e, q);
    sofa_hexa_stiffness(q, factor_of(e), 0.7 * factor_of(e), k, NULL);
    sofa_element_batch_stiffness(batch, e, k);
  }
}

static SofaErr create(SofaContext *ctx, const Grid *g, SofaElementBatch *out) {
  const SofaElementMesh mesh = {.shape = SOFA_SHAPE_HEXA,
                                .dim = 3,
                                .vertices = g->hexas,
                                .n = HEXAS,
                                .rest = g->rest,
                                .n_points = POINTS};
  return sofa_element_batch_create(ctx, &mesh, SOFA_FRAME_CENTER, ctx->threads, out);
}

/* What a batch gives: force, product and blocks. */
typedef struct Results {
  double f[3 * POINTS], df[3 * POINTS], blocks[9 * 14 * POINTS], energy;
} Results;

static void compute(SofaContext *ctx, const Grid *g, SofaElementBatch *batch, Results *out) {
  const SofaElementKernels *kernels = sofa_element_kernels(ctx);
  memset(out, 0, sizeof *out);
  kernels->dense_force(batch, ctx, g->x, out->f);
  kernels->dense_dforce(batch, ctx, 1, g->dx, out->df);
  assert_true(batch->pairs.n <= 14 * POINTS);
  kernels->dense_blocks(batch, ctx, out->blocks);
  out->energy = sofa_element_batch_energy(batch, g->x);
}

static void near(size_t n, const double *a, const double *b) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  assert_true(most > 0);
  for (size_t i = 0; i < n; i++) assert_true(fabs(a[i] - b[i]) <= 1e-12 * most);
}

/* Each element is found by its number. */
static void check_places(const SofaElementBatch *batch, const Grid *g) {
  size_t shared = 0;
  assert_non_null(batch->place);
  assert_int_equal(batch->n_kinds, 3);
  for (size_t e = 0; e < HEXAS; e++) {
    double q[24], k[576], got[576];
    const size_t lane = sofa_element_batch_lane(batch, e);
    assert_memory_equal(batch->vertices + 8 * lane, g->hexas + 8 * e, 8 * sizeof *g->hexas);
    sofa_element_batch_rest(batch, e, q);
    sofa_hexa_stiffness(q, factor_of(e), 0.7 * factor_of(e), k, NULL);
    sofa_element_batch_matrix(batch, e, got);
    near(576, k, got);
  }
  for (size_t i = 0; i < batch->n_groups; i++) shared += batch->kind[i] > 0;
  assert_true(shared + 3 >= batch->n_groups);
}

/* Elements of kinds in turns change their places. The results stay, and are the same on two
 * threads. */
static void kinds_in_turns_are_gathered(void **state) {
  (void)state;
  Grid *g = malloc(sizeof *g);
  Results *own = malloc(sizeof *own), *r[2] = {malloc(sizeof *own), malloc(sizeof *own)};
  assert_true(g && own && r[0] && r[1]);
  make_grid(g);
  for (int threads = 1; threads < 3; threads++) {
    const SofaContextOptions options = {.threads = threads};
    SofaContext *ctx = NULL;
    SofaElementBatch batch;
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_int_equal(create(ctx, g, &batch), SOFA_OK);
    set_stiffness(&batch);
    compute(ctx, g, &batch, own);
    for (int twice = 0; twice < 2; twice++) {
      // the second time from places that have changed
      set_stiffness(&batch);
      assert_int_equal(sofa_element_batch_compare(ctx, &batch), SOFA_OK);
      check_places(&batch, g);
      assert_true(batch.in_order);
    }
    compute(ctx, g, &batch, r[threads - 1]);
    near(3 * POINTS, own->f, r[threads - 1]->f);
    near(3 * POINTS, own->df, r[threads - 1]->df);
    near(9 * batch.pairs.n, own->blocks, r[threads - 1]->blocks);
    near(1, &own->energy, &r[threads - 1]->energy);
    sofa_element_batch_free(ctx, &batch);
    sofa_context_destroy(&ctx);
  }
  assert_memory_equal(r[0], r[1], sizeof *own);
  free(g), free(own), free(r[0]), free(r[1]);
}

/* Whatever memory fails, the batch can be freed. */
static void comparing_without_memory(void **state) {
  (void)state;
  Grid *g = malloc(sizeof *g);
  FailingAllocator a = {0};
  const SofaContextOptions options = {
      .threads = 2, .allocate = failing_allocate, .allocate_user = &a};
  SofaContext *ctx = NULL;
  SofaErr err = SOFA_ERR_MEMORY;
  assert_non_null(g);
  make_grid(g);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  const int64_t live = a.live;
  for (uint64_t n = 1; err != SOFA_OK; n++) {
    SofaElementBatch batch;
    assert_true(n < 100);
    a.fail_at = 0;
    assert_int_equal(create(ctx, g, &batch), SOFA_OK);
    set_stiffness(&batch);
    a.fail_at = a.calls + n;
    err = sofa_element_batch_compare(ctx, &batch);
    assert_true(err == SOFA_OK || err == SOFA_ERR_MEMORY);
    assert_true(n > 5 || err == SOFA_ERR_MEMORY);
    sofa_element_batch_free(ctx, &batch);
    assert_int_equal(a.live, live);
  }
  sofa_context_destroy(&ctx);
  free(g);
}

static double *const *packed(double (*blocks)[9], double **out) {
  for (size_t p = 0; p < SOFA_MIRROR_PAIRS; p++) out[p] = blocks[p];
  return out;
}

static void box_blocks(double shear, double (*blocks)[9]) {
  double box[24], k[576];
  for (size_t n = 0; n < 8; n++) {
    for (size_t i = 0; i < 3; i++)
      box[3 * n + i] = (1 + 0.5 * (double)i) * (double)(sofa_mirror_corner(n) >> i & 1);
    box[3 * n] += shear * box[3 * n + 1];
  }
  sofa_hexa_stiffness(box, 3, 2, k, NULL);
  for (size_t m = 0; m < 8; m++)
    for (size_t n = m; n < 8; n++)
      for (size_t e = 0; e < 9; e++)
        blocks[sofa_mirror_pair(m, n)][e] = k[24 * (3 * m + e / 3) + 3 * n + e % 3];
}

/* The stiffness of a box has its symmetry, that of a sheared one has not, nor one that is other by
 * little; the order of pairs has each of them. */
static void boxes_have_mirrors(void **state) {
  (void)state;
  double rows[SOFA_MIRROR_SIZE], blocks[36][9], copy[36][9], *at[36];
  uint8_t order[SOFA_MIRROR_PAIRS];
  bool met[SOFA_MIRROR_PAIRS] = {false};
  box_blocks(0.01, blocks);
  assert_false(sofa_mirror_kind(packed(blocks, at), rows));
  box_blocks(0, blocks);
  memcpy(copy, blocks, sizeof copy);
  assert_true(sofa_mirror_kind(packed(blocks, at), rows));
  near(36 * 9, copy[0], blocks[0]);
  for (size_t e = 0; e < 324; e++) {
    blocks[e / 9][e % 9] += 1e-9;
    assert_false(sofa_mirror_kind(packed(blocks, at), rows));
    blocks[e / 9][e % 9] -= 1e-9;
  }
  sofa_mirror_order(order);
  for (size_t p = 0; p < SOFA_MIRROR_PAIRS; p++) met[order[p]] = true;
  for (size_t p = 0; p < SOFA_MIRROR_PAIRS; p++) assert_true(met[p]);
}

/* sum_a (-1)^(k . a) x_a */
static void walsh_sums(const double *x, double *sums) {
  for (size_t k = 0; k < 24; k++) sums[k] = 0;
  for (size_t k = 0; k < 8; k++)
    for (size_t a = 0; a < 8; a++)
      for (size_t i = 0; i < 3; i++)
        sums[3 * k + i] += (__builtin_popcountl(k & a) & 1 ? -1 : 1) * x[3 * a + i];
}

/* Waves give the products of a box whose edges differ, by corners. */
static void waves_are_products(void **state) {
  (void)state;
  static const size_t entry[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
  double blocks[36][9], waves[SOFA_MIRROR_WAVES], u[24], expected[24] = {0};
  double sums[24], of_force[24] = {0}, f[24];
  const double *at[36];
  uint64_t seed = 3;
  box_blocks(0, blocks);
  for (size_t p = 0; p < 36; p++) at[p] = blocks[p];
  sofa_mirror_waves(at, waves);
  for (size_t r = 0; r < 24; r++) u[r] = noise(&seed);
  for (size_t r = 0; r < 24; r++) {
    for (size_t c = 0; c < 24; c++) {
      const size_t m = sofa_mirror_corner(r / 3), n = sofa_mirror_corner(c / 3);
      const double *k = blocks[m <= n ? sofa_mirror_pair(m, n) : sofa_mirror_pair(n, m)];
      expected[r] += k[m <= n ? 3 * (r % 3) + c % 3 : 3 * (c % 3) + r % 3] * u[c];
    }
  }
  walsh_sums(u, sums);
  for (size_t k = 0; k < 8; k++)
    for (size_t i = 0; i < 3; i++)
      for (size_t j = 0; j < 3; j++)
        of_force[3 * (k ^ 1u << i) + i] +=
            waves[SOFA_MIRROR_WAVE * k + entry[i][j]] * sums[3 * (k ^ 1u << j) + j];
  walsh_sums(of_force, f);
  near(24, expected, f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds_in_turns_are_gathered),
      cmocka_unit_test(comparing_without_memory),
      cmocka_unit_test(boxes_have_mirrors),
      cmocka_unit_test(waves_are_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
