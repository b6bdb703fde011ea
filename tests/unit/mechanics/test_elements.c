/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element numerics apart from components: the batched kernels against the matrix formulas of a
 * single element, for every instruction set and number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"
#include "numerics/fem/element_kernels_impl.h"
#include "numerics/fem/hexa_element.h"
#include "math/kernels.h"
#include "math/polar.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "object/factory.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};
static const double young = 5000, poisson = 0.3;

static uint32_t random_state = 12345;
static double noise(double size) {
  random_state = random_state * 1664525u + 1013904223u;
  return size * ((double)(random_state >> 8) / (1 << 23) - 1);
}

/* A block of nx x ny x nz cells with slightly moved points, in tetrahedra or hexahedra. */
typedef struct Block {
  size_t n_points, n_hexas, n_tetras;
  double *rest, *x, *dx;
  SofaHexa *hexas;
  SofaTetra *tetras;
} Block;

static void make_block(SofaContext *ctx, size_t nx, size_t ny, size_t nz, double shake,
                       Block *out) {
  static const int split[6][4] = {{0, 5, 1, 6}, {0, 1, 3, 6}, {1, 3, 6, 2},
                                  {6, 3, 0, 7}, {6, 7, 0, 5}, {7, 5, 4, 0}};
  out->n_points = (nx + 1) * (ny + 1) * (nz + 1);
  out->n_hexas = nx * ny * nz;
  out->n_tetras = 6 * out->n_hexas;
  out->rest = sofa_alloc(ctx, 3 * out->n_points, sizeof(double));
  out->x = sofa_alloc(ctx, 3 * out->n_points, sizeof(double));
  out->dx = sofa_alloc(ctx, 3 * out->n_points, sizeof(double));
  out->hexas = sofa_alloc(ctx, out->n_hexas, sizeof(SofaHexa));
  out->tetras = sofa_alloc(ctx, out->n_tetras, sizeof(SofaTetra));
  for (size_t i = 0; i < out->n_points; i++) {
    const size_t c[3] = {i % (nx + 1), i / (nx + 1) % (ny + 1), i / (nx + 1) / (ny + 1)};
    for (size_t k = 0; k < 3; k++) {
      out->rest[3 * i + k] = 0.1 * (double)c[k] + noise(0.1 * shake);
      out->x[3 * i + k] = out->rest[3 * i + k] + noise(0.01);
      out->dx[3 * i + k] = noise(1);
    }
    /* bent and turned */
    const double angle = 3 * out->rest[3 * i];
    double *p = out->x + 3 * i;
    const double y = p[1], z = p[2];
    p[1] = cos(angle) * y - sin(angle) * z;
    p[2] = sin(angle) * y + cos(angle) * z;
  }
  for (size_t e = 0; e < out->n_hexas; e++) {
    const size_t cx = e % nx, cy = e / nx % ny, cz = e / nx / ny;
    static const size_t corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                        {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int k = 0; k < 8; k++)
      out->hexas[e].v[k] =
          (uint32_t)(cx + corner[k][0] +
                     (nx + 1) * (cy + corner[k][1] + (ny + 1) * (cz + corner[k][2])));
    for (int t = 0; t < 6; t++) {
      for (int k = 0; k < 4; k++)
        out->tetras[6 * e + (size_t)t].v[k] = out->hexas[e].v[split[t][k]];
    }
  }
}

static void free_block(SofaContext *ctx, Block *b) {
  sofa_free(ctx, b->rest);
  sofa_free(ctx, b->x);
  sofa_free(ctx, b->dx);
  sofa_free(ctx, b->hexas);
  sofa_free(ctx, b->tetras);
}

static double distance(size_t n, const double *a, const double *b) {
  double d = 0, m = 0;
  for (size_t i = 0; i < n; i++) {
    d = fmax(d, fabs(a[i] - b[i]));
    m = fmax(m, fabs(b[i]));
  }
  return d / (m > 0 ? m : 1);
}

/* ---- tetrahedra: f = R^T J Km J^T D and df = -R^T K R dx by 12 x 6 matrices ---- */

static void reference_tetra(const SofaTetra *t, SofaTetraMethod method, bool update,
                            const double *rest, const double *x, const double *dx, double *f,
                            double *df) {
  double X[12], p[12], q[12], lp[12], r0[9], r[9], g[12], j[72], c[36], k[144], d[12];
  for (int n = 0; n < 4; n++) {
    sofa_vec3_copy(rest + 3 * t->v[n], X + 3 * n);
    sofa_vec3_copy(x + 3 * t->v[n], p + 3 * n);
  }
  sofa_tetra_frame(method, X, r0);
  sofa_tetra_frame(method, p, r);
  for (int n = 0; n < 4; n++) {
    double e[3];
    sofa_vec3_sub(X + 3 * n, X, e);
    sofa_mat3_apply(r0, e, q + 3 * n);
    sofa_vec3_sub(p + 3 * n, p, e);
    sofa_mat3_apply(r, e, lp + 3 * n);
    sofa_vec3_sub(q + 3 * n, lp + 3 * n, d + 3 * n);
  }
  double lambda, mu;
  sofa_lame(young, poisson, &lambda, &mu);
  sofa_tetra_gradients(update ? lp : q, g);
  sofa_tetra_j(g, g, j);
  sofa_tetra_law(lambda, mu, 1 / (6 * fabs(sofa_tetra_volume6(X))), c);
  sofa_tetra_stiffness(j, c, k);
  for (int a = 0; a < 4; a++) {
    double fl[3] = {0}, dl[3] = {0}, world[3];
    for (int b = 0; b < 4; b++) {
      double ld[3];
      sofa_mat3_apply(r, dx + 3 * t->v[b], ld);
      for (int i = 0; i < 3; i++) {
        for (int m = 0; m < 3; m++) {
          fl[i] += k[12 * (3 * a + i) + 3 * b + m] * d[3 * b + m];
          dl[i] -= k[12 * (3 * a + i) + 3 * b + m] * ld[m];
        }
      }
    }
    sofa_mat3_apply_t(r, fl, world);
    sofa_vec3_add(f + 3 * t->v[a], world, f + 3 * t->v[a]);
    sofa_mat3_apply_t(r, dl, world);
    sofa_vec3_add(df + 3 * t->v[a], world, df + 3 * t->v[a]);
  }
}

/* y += sum of symmetric pair blocks times x */
static void multiply_blocks(const SofaElementPairs *pairs, const double *blocks, const double *x,
                            double *y) {
  for (size_t p = 0; p < pairs->n; p++) {
    const size_t i = pairs->row[p], j = pairs->column[p];
    double v[3];
    sofa_mat3_apply(blocks + 9 * p, x + 3 * j, v);
    sofa_vec3_add(y + 3 * i, v, y + 3 * i);
    if (i == j) continue;
    sofa_mat3_apply_t(blocks + 9 * p, x + 3 * i, v);
    sofa_vec3_add(y + 3 * j, v, y + 3 * j);
  }
}

static void check_tetras(SofaContext *ctx, const Block *block, SofaTetraMethod method,
                         bool update) {
  const size_t n = 3 * block->n_points;
  double *f = sofa_alloc(ctx, n, sizeof *f), *df = sofa_alloc(ctx, n, sizeof *df);
  double *g = sofa_alloc(ctx, n, sizeof *g), *h = sofa_alloc(ctx, n, sizeof *h);
  double *first = sofa_alloc(ctx, n, sizeof *first);
  for (size_t e = 0; e < block->n_tetras; e++)
    reference_tetra(&block->tetras[e], method, update, block->rest, block->x, block->dx, f, df);
  for (size_t s = 0; s < sizeof isas / sizeof *isas; s++) {
    ctx->kernels = sofa_kernels_select(isas[s]);
    if (!ctx->kernels) continue;
    const SofaElementKernels *kernels = sofa_element_kernels(ctx);
    assert_string_equal(kernels->name, isas[s]);
    for (int threads = 1; threads < 4; threads++) {
      SofaTetraBatch batch;
      SofaTetraFaults faults;
      ctx->threads = threads;
      const SofaTetraMesh mesh = {.method = method,
                                  .update = update,
                                  .tetras = block->tetras,
                                  .n = block->n_tetras,
                                  .n_points = block->n_points,
                                  .rest = block->rest};
      assert_int_equal(sofa_tetra_batch_create(ctx, &mesh, threads, &batch, &faults), SOFA_OK);
      for (size_t e = 0; e < block->n_tetras; e++)
        sofa_tetra_batch_material(&batch, e, young, poisson);
      memset(g, 0, n * sizeof *g);
      memset(h, 0, n * sizeof *h);
      kernels->tetra_force(&batch, ctx, block->x, g);
      assert_true(distance(n, g, f) < 1e-12);
      kernels->tetra_dforce(&batch, ctx, 1, block->dx, h);
      assert_true(distance(n, h, df) < 1e-13);
      if (threads == 1) {
        memcpy(first, g, n * sizeof *g);
        assert_int_equal(sofa_tetra_batch_pairs(ctx, &batch), SOFA_OK);
        double *blocks = sofa_alloc(ctx, 9 * batch.pairs.n, sizeof *blocks);
        kernels->tetra_pack(&batch, 0, batch.n_groups);
        kernels->tetra_blocks(&batch, 0, batch.pairs.n, blocks);
        memset(h, 0, n * sizeof *h);
        multiply_blocks(&batch.pairs, blocks, block->dx, h);
        assert_true(distance(n, h, df) < 1e-13);
        sofa_free(ctx, blocks);
      } else {
        assert_memory_equal(first, g, n * sizeof *g);
      }
      sofa_tetra_batch_free(ctx, &batch);
    }
  }
  sofa_free(ctx, f);
  sofa_free(ctx, df);
  sofa_free(ctx, g);
  sofa_free(ctx, h);
  sofa_free(ctx, first);
}

static void tetra_kernels_match_the_matrix_form(void **state) {
  SofaContext *ctx = *state;
  Block block;
  make_block(ctx, 5, 4, 3, 0.1, &block);
  check_tetras(ctx, &block, SOFA_TETRA_SMALL, false);
  check_tetras(ctx, &block, SOFA_TETRA_LARGE, false);
  check_tetras(ctx, &block, SOFA_TETRA_POLAR, false);
  check_tetras(ctx, &block, SOFA_TETRA_LARGE, true);
  check_tetras(ctx, &block, SOFA_TETRA_POLAR, true);
  free_block(ctx, &block);
}

static void svd_turns_an_inverted_element_into_a_rotation(void **state) {
  SofaContext *ctx = *state;
  const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double inverted[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.1, -0.5};
  const SofaTetra t = {{0, 1, 2, 3}};
  for (int method = SOFA_TETRA_POLAR; method <= SOFA_TETRA_SVD; method++) {
    SofaTetraBatch batch;
    SofaTetraOne one;
    SofaTetraFaults faults;
    double f[12] = {0}, sum[3] = {0};
    const SofaTetraMesh mesh = {
        .method = (SofaTetraMethod)method, .tetras = &t, .n = 1, .n_points = 4, .rest = rest};
    assert_int_equal(sofa_tetra_batch_create(ctx, &mesh, 1, &batch, &faults), SOFA_OK);
    sofa_tetra_batch_material(&batch, 0, young, poisson);
    sofa_element_kernels(ctx)->tetra_force(&batch, ctx, inverted, f);
    sofa_tetra_one(&batch, 0, &one);
    assert_true(fabs(sofa_mat3_det(one.r) - (method == SOFA_TETRA_SVD ? 1 : -1)) < 1e-12);
    for (int k = 0; k < 12; k++) sum[k % 3] += f[k];
    assert_true(sofa_vec3_norm(sum) < 1e-9);
    /* svd pushes the fourth node back through the face, polar is content with the mirror image */
    if (method == SOFA_TETRA_SVD) assert_true(f[11] > 0);
    sofa_tetra_batch_free(ctx, &batch);
  }
}

static void flat_and_inverted_rest_elements_are_found(void **state) {
  SofaContext *ctx = *state;
  const double p[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0};
  const SofaTetra t[3] = {{{0, 1, 2, 3}}, {{0, 2, 1, 3}}, {{0, 1, 2, 4}}};
  SofaTetraBatch batch;
  SofaTetraFaults faults;
  SofaTetraMesh mesh = {.method = SOFA_TETRA_LARGE, .tetras = t, .n = 2, .n_points = 5, .rest = p};
  assert_int_equal(sofa_tetra_batch_create(ctx, &mesh, 1, &batch, &faults), SOFA_OK);
  assert_int_equal(faults.n_inverted, 1);
  assert_int_equal(faults.first_inverted, 1);
  sofa_tetra_batch_free(ctx, &batch);
  mesh.n = 3;
  assert_int_equal(sofa_tetra_batch_create(ctx, &mesh, 1, &batch, &faults), SOFA_ERR_GEOMETRY);
  assert_int_equal(faults.flat, 2);
}

/* ---- hexahedra ---- */

static void reference_hexa(const SofaHexa *h, SofaFrame method, const double *rest, const double *x,
                           const double *dx, double *f, double *df) {
  double X[24], p[24], q[24], r0[9], r[9], k[576], d[24], ld[24], det;
  for (int n = 0; n < 8; n++) {
    sofa_vec3_copy(rest + 3 * h->v[n], X + 3 * n);
    sofa_vec3_copy(x + 3 * h->v[n], p + 3 * n);
  }
  sofa_element_frame(SOFA_SHAPE_HEXA, 3, method, NULL, X, r0);
  sofa_element_frame(SOFA_SHAPE_HEXA, 3, method, NULL, p, r);
  for (int n = 0; n < 8; n++) {
    double local[3];
    sofa_mat3_apply(r0, X + 3 * n, q + 3 * n);
    sofa_mat3_apply(r, p + 3 * n, local);
    sofa_vec3_sub(q + 3 * n, local, d + 3 * n);
    sofa_mat3_apply(r, dx + 3 * h->v[n], ld + 3 * n);
  }
  double lambda, mu;
  sofa_lame(young, poisson, &lambda, &mu);
  sofa_hexa_stiffness(q, lambda, mu, k, &det);
  assert_true(det > 0);
  for (int a = 0; a < 8; a++) {
    double fl[3] = {0}, dl[3] = {0}, world[3];
    for (int i = 0; i < 3; i++) {
      for (int c = 0; c < 24; c++) {
        fl[i] += k[24 * (3 * a + i) + c] * d[c];
        dl[i] -= k[24 * (3 * a + i) + c] * ld[c];
      }
    }
    sofa_mat3_apply_t(r, fl, world);
    sofa_vec3_add(f + 3 * h->v[a], world, f + 3 * h->v[a]);
    sofa_mat3_apply_t(r, dl, world);
    sofa_vec3_add(df + 3 * h->v[a], world, df + 3 * h->v[a]);
  }
}

static void fill_stiffness(SofaElementBatch *batch) {
  double lambda, mu, q[24], k[576];
  sofa_lame(young, poisson, &lambda, &mu);
  for (size_t e = 0; e < batch->n; e++) {
    sofa_element_batch_rest(batch, e, q);
    sofa_hexa_stiffness(q, lambda, mu, k, NULL);
    sofa_element_batch_stiffness(batch, e, k);
  }
}

/* All blocks; those of a window, piece by piece, have the same bits. */
static double *make_blocks(SofaContext *ctx, SofaElementBatch *batch) {
  const SofaElementKernels *kernels = sofa_element_kernels(ctx);
  const size_t n = batch->pairs.n;
  double *blocks = sofa_alloc(ctx, 9 * n, sizeof *blocks);
  kernels->dense_blocks(batch, ctx, blocks);
  if (!batch->window.blocks) return blocks;
  for (int twice = 0; twice < 2; twice++) {
    sofa_pair_window_begin(&batch->window);
    for (size_t p = 0, group; p * SOFA_PAIRS_AT_ONCE < n; p++) {
      const size_t begin = p * SOFA_PAIRS_AT_ONCE, left = n - begin;
      const size_t count = left < SOFA_PAIRS_AT_ONCE ? left : SOFA_PAIRS_AT_ONCE;
      while (sofa_pair_window_next(&batch->window, p, &group))
        kernels->dense_group_blocks(batch, group);
      assert_memory_equal(sofa_pair_window_blocks(&batch->window, p), blocks + 9 * begin,
                          9 * count * sizeof *blocks);
    }
    assert_int_equal(batch->window.group, batch->n_groups);
  }
  assert_true(batch->window.mask + 1 < n); // of layers, not of the mesh
  return blocks;
}

typedef enum Shapes { OTHER, ALIKE, ALL_BUT_ONE } Shapes; /* of the elements of a mesh */

/* The kinds of a batch, and the order in which its blocks are added. */
static void check_kinds(const SofaElementBatch *batch, Shapes shapes) {
  assert_int_equal(batch->n_kinds, shapes != OTHER);
  for (size_t i = 0; i < batch->n_groups; i++)
    assert_int_equal(batch->kind[i],
                     shapes == ALIKE || (shapes == ALL_BUT_ONE && i + 1 < batch->n_groups));
  assert_int_equal(batch->in_order, shapes != OTHER);
}

static void check_hexas(SofaContext *ctx, const Block *block, SofaFrame method, Shapes shapes) {
  const size_t n = 3 * block->n_points;
  double *f = sofa_alloc(ctx, n, sizeof *f), *df = sofa_alloc(ctx, n, sizeof *df);
  double *g = sofa_alloc(ctx, n, sizeof *g), *h = sofa_alloc(ctx, n, sizeof *h);
  double *first = sofa_alloc(ctx, n, sizeof *first), *blocks = NULL;
  const SofaElementMesh mesh = {.shape = SOFA_SHAPE_HEXA,
                                .dim = 3,
                                .vertices = block->hexas->v,
                                .n = block->n_hexas,
                                .rest = block->rest,
                                .n_points = block->n_points};
  for (size_t e = 0; e < block->n_hexas; e++)
    reference_hexa(&block->hexas[e], method, block->rest, block->x, block->dx, f, df);
  for (size_t s = 0; s < sizeof isas / sizeof *isas; s++) {
    ctx->kernels = sofa_kernels_select(isas[s]);
    if (!ctx->kernels) continue;
    const SofaElementKernels *kernels = sofa_element_kernels(ctx);
    for (int threads = 1; threads < 4; threads++) {
      SofaElementBatch batch;
      ctx->threads = threads;
      assert_int_equal(sofa_element_batch_create(ctx, &mesh, method, threads, &batch), SOFA_OK);
      fill_stiffness(&batch);
      assert_int_equal(sofa_element_batch_compare(ctx, &batch), SOFA_OK);
      check_kinds(&batch, shapes);
      memset(g, 0, n * sizeof *g);
      memset(h, 0, n * sizeof *h);
      kernels->dense_force(&batch, ctx, block->x, g);
      assert_true(distance(n, g, f) < 1e-12);
      kernels->dense_dforce(&batch, ctx, 1, block->dx, h);
      assert_true(distance(n, h, df) < 1e-13);
      double *all = make_blocks(ctx, &batch);
      assert_true((batch.late.n_pairs > 0) == (threads > 1));
      if (threads == 1) {
        memcpy(first, g, n * sizeof *g);
        memset(h, 0, n * sizeof *h);
        multiply_blocks(&batch.pairs, all, block->dx, h);
        assert_true(distance(n, h, df) < 1e-13);
        if (s == 2) assert_memory_equal(blocks, all, 9 * batch.pairs.n * sizeof *blocks);
        blocks = sofa_realloc(ctx, blocks, 9 * batch.pairs.n, sizeof *blocks);
        memcpy(blocks, all, 9 * batch.pairs.n * sizeof *blocks);
      } else {
        assert_memory_equal(first, g, n * sizeof *g);
        assert_memory_equal(blocks, all, 9 * batch.pairs.n * sizeof *blocks);
      }
      sofa_free(ctx, all);
      sofa_element_batch_free(ctx, &batch);
    }
  }
  sofa_free(ctx, f);
  sofa_free(ctx, df);
  sofa_free(ctx, g);
  sofa_free(ctx, h);
  sofa_free(ctx, first);
  sofa_free(ctx, blocks);
}

static void hexa_kernels_match_the_matrix_form(void **state) {
  SofaContext *ctx = *state;
  Block block;
  for (int shapes = OTHER; shapes <= ALL_BUT_ONE; shapes++) {
    make_block(ctx, 9, 7, 5, shapes == OTHER ? 0.1 : 0, &block);
    if (shapes == ALL_BUT_ONE) block.rest[3 * block.n_points - 2] += 0.2;
    for (int frame = SOFA_FRAME_FIXED; frame <= SOFA_FRAME_POLAR_EDGES; frame++)
      check_hexas(ctx, &block, (SofaFrame)frame, (Shapes)shapes);
    free_block(ctx, &block);
  }
}

/* ---- exact batches ---- */

/* Forces and products of an exact batch. */
typedef struct Exact {
  const Block *block;
  double *f, *df, *from_blocks;
} Exact;

static void exact_tetras(SofaContext *ctx, int threads, const Exact *e) {
  const SofaElementKernels *kernels = sofa_element_kernels(ctx);
  SofaTetraBatch batch;
  SofaTetraFaults faults;
  const SofaTetraMesh mesh = {.method = SOFA_TETRA_DEFORMATION_STABLE,
                              .exact = true,
                              .tetras = e->block->tetras,
                              .n = e->block->n_tetras,
                              .n_points = e->block->n_points,
                              .rest = e->block->rest};
  assert_int_equal(sofa_tetra_batch_create(ctx, &mesh, threads, &batch, &faults), SOFA_OK);
  for (size_t i = 0; i < batch.n; i++) sofa_tetra_batch_material(&batch, i, young, poisson);
  assert_int_equal(sofa_tetra_batch_pairs(ctx, &batch), SOFA_OK);
  double *blocks = sofa_alloc(ctx, 9 * batch.pairs.n, sizeof *blocks);
  kernels->tetra_force(&batch, ctx, e->block->x, e->f);
  kernels->tetra_dforce(&batch, ctx, 1, e->block->dx, e->df);
  kernels->tetra_pack(&batch, 0, batch.n_groups);
  kernels->tetra_blocks(&batch, 0, batch.pairs.n, blocks);
  multiply_blocks(&batch.pairs, blocks, e->block->dx, e->from_blocks);
  sofa_free(ctx, blocks);
  sofa_tetra_batch_free(ctx, &batch);
}

static void exact_hexas(SofaContext *ctx, int threads, const Exact *e) {
  const SofaElementKernels *kernels = sofa_element_kernels(ctx);
  SofaElementBatch batch;
  const SofaElementMesh mesh = {.shape = SOFA_SHAPE_HEXA,
                                .dim = 3,
                                .vertices = e->block->hexas->v,
                                .n = e->block->n_hexas,
                                .rest = e->block->rest,
                                .n_points = e->block->n_points};
  assert_int_equal(sofa_element_batch_create(ctx, &mesh, SOFA_FRAME_CENTER, threads, &batch),
                   SOFA_OK);
  assert_int_equal(sofa_element_batch_make_exact(ctx, &batch), SOFA_OK);
  fill_stiffness(&batch);
  kernels->dense_force(&batch, ctx, e->block->x, e->f);
  kernels->dense_turn(&batch, ctx);
  kernels->dense_dforce(&batch, ctx, 1, e->block->dx, e->df);
  double *blocks = make_blocks(ctx, &batch);
  multiply_blocks(&batch.pairs, blocks, e->block->dx, e->from_blocks);
  sofa_free(ctx, blocks);
  sofa_element_batch_free(ctx, &batch);
}

/* Same numbers with every instruction set, same bits with every number of threads and with the two
 * larger sets; blocks are the product. The suite of force fields has the derivatives. */
static void exact_kernels_agree(void **state) {
  SofaContext *ctx = *state;
  Block block;
  make_block(ctx, 9, 7, 5, 0.1, &block);
  const size_t n = 3 * block.n_points, size = n * sizeof(double);
  double *v = sofa_alloc(ctx, 5 * n, sizeof *v);
  for (int tetras = 0; tetras < 2; tetras++) {
    const Exact e = {&block, v, v + n, v + 2 * n};
    double *f = v + 3 * n, *df = v + 4 * n;
    for (size_t s = 0; s < sizeof isas / sizeof *isas; s++) {
      ctx->kernels = sofa_kernels_select(isas[s]);
      for (int threads = 1; ctx->kernels && threads < 4; threads++) {
        memset(v, 0, 3 * size);
        ctx->threads = threads;
        (tetras ? exact_tetras : exact_hexas)(ctx, threads, &e);
        assert_true(distance(n, e.from_blocks, e.df) < 1e-12);
        if (s == 0 && threads == 1) assert_true(sofa_vec3_norm(e.f) > 0);
        else assert_true(distance(n, e.f, f) < 1e-11 && distance(n, e.df, df) < 1e-11);
        if (threads > 1 || s == 2) {
          assert_memory_equal(e.f, f, size);
          assert_memory_equal(e.df, df, size);
        }
        memcpy(f, e.f, size);
        memcpy(df, e.df, size);
      }
    }
  }
  sofa_free(ctx, v);
  free_block(ctx, &block);
}

/* What the quirk hexa-parallelepiped takes in the place of the element. */
static void near_parallelepipeds_are_found(void **state) {
  (void)state;
  double p[24] = {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 3, 0, 0, 0, 4, 2, 0, 4, 2, 3, 4, 0, 3, 4};
  double exact[24], straight[24], stiffness[576], bent[576], lambda, mu;
  memcpy(exact, p, sizeof p);
  sofa_lame(young, poisson, &lambda, &mu);
  assert_true(sofa_hexa_straighten(p, straight));
  assert_memory_equal(straight, exact, sizeof exact);
  sofa_hexa_stiffness(p, lambda, mu, stiffness, NULL);
  p[18] += 0.001; /* node 6, within a thousandth of lz */
  assert_true(sofa_hexa_straighten(p, straight));
  assert_memory_equal(straight, exact, sizeof exact);
  sofa_hexa_stiffness(p, lambda, mu, bent, NULL);
  assert_true(distance(576, bent, stiffness) > 1e-5);
  p[18] += 0.004;
  assert_false(sofa_hexa_straighten(p, straight));
  /* the place of the element does not count, nor do the angles of its edges */
  for (int k = 0; k < 24; k++) {
    const double x = exact[k - k % 3], z = exact[k - k % 3 + 2];
    exact[k] += k % 3 == 1 ? 0.5 * x - 0.25 * z : 0;
    p[k] = exact[k] + 0.25 * (k % 3) - 4;
  }
  assert_true(sofa_hexa_straighten(p, straight));
  assert_memory_equal(straight, exact, sizeof exact);
}

/* A linear displacement of a distorted element gives the exact constant stress: K u = sum over
 * Gauss points of B^T sigma, whose virtual work with another linear field is V sigma : grad. */
static void hexa_stiffness_is_exact_for_linear_fields(void **state) {
  (void)state;
  double p[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  for (int k = 0; k < 24; k++) p[k] += noise(0.1);
  double lambda, mu, k[576], u[24], w[24], work = 0, volume = 0;
  double a[9], b[9];
  for (int i = 0; i < 9; i++) {
    a[i] = noise(1);
    b[i] = noise(1);
  }
  sofa_lame(young, poisson, &lambda, &mu);
  sofa_hexa_stiffness(p, lambda, mu, k, NULL);
  for (int n = 0; n < 8; n++) {
    sofa_mat3_apply(a, p + 3 * n, u + 3 * n);
    sofa_mat3_apply(b, p + 3 * n, w + 3 * n);
  }
  for (int i = 0; i < 24; i++) {
    for (int j = 0; j < 24; j++) work += w[i] * k[24 * i + j] * u[j];
  }
  /* the volume by the same quadrature: stiffness with mu only of a pure x stretch is 2 mu V */
  double unit[576];
  sofa_hexa_stiffness(p, 0, 0.5, unit, NULL);
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) volume += p[3 * i] * unit[24 * 3 * i + 3 * j] * p[3 * j];
  }
  double expected = lambda * sofa_mat3_trace(a) * sofa_mat3_trace(b), bt[9];
  sofa_mat3_transpose(b, bt);
  expected += mu * (sofa_mat3_dot(a, b) + sofa_mat3_dot(a, bt));
  assert_true(fabs(work - expected * volume) < 1e-10 * fabs(expected * volume));
}

/* The kernels are those of the instruction set of the context. */
static void kernels_are_of_the_instruction_set(void **state) {
  (void)state;
#if defined(__x86_64__)
  const SofaElementKernels *const elements[] = {
      &sofa_element_kernels_baseline, &sofa_element_kernels_avx2, &sofa_element_kernels_avx512};
  const SofaHyperKernels *const hyper[] = {&sofa_hyper_kernels_baseline, &sofa_hyper_kernels_avx2,
                                           &sofa_hyper_kernels_avx512};
  for (int i = 0; i < 3; i++) {
    const SofaContextOptions options = {.isa = isas[i]};
    SofaContext *ctx;
    if (!sofa_kernels_select(isas[i])) continue;
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_ptr_equal(sofa_element_kernels(ctx), elements[i]);
    assert_ptr_equal(sofa_hyper_kernels(ctx), hyper[i]);
    sofa_context_destroy(&ctx);
  }
#endif
}

static int setup(void **state) {
  return sofa_context_create(NULL, (SofaContext **)state) != SOFA_OK;
}
static int teardown(void **state) {
  sofa_context_destroy((SofaContext **)state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tetra_kernels_match_the_matrix_form),
      cmocka_unit_test(svd_turns_an_inverted_element_into_a_rotation),
      cmocka_unit_test(flat_and_inverted_rest_elements_are_found),
      cmocka_unit_test(hexa_kernels_match_the_matrix_form),
      cmocka_unit_test(exact_kernels_agree),
      cmocka_unit_test(kernels_are_of_the_instruction_set),
      cmocka_unit_test(near_parallelepipeds_are_found),
      cmocka_unit_test(hexa_stiffness_is_exact_for_linear_fields),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
