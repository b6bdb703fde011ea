/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of plane triangles: forces and products against the formulas of triangle_element.h in
 * plain code, blocks against products, vectors that are put aside against those that are added;
 * AVX2 and AVX-512 give the same bits. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"
#include "numerics/fem/triangle_kernels.h"
#include "tests/unit/mechanics/each_isa.h"

enum { MOST = 19, POINTS = 12, REALS = 3 * POINTS, METHODS = SOFA_TRIANGLE_WORLD_FLAT + 1 };

/* Triangles and what they gave. */
typedef struct Model {
  SofaContext *ctx;
  SofaTriangleBatch batch;
  double x[REALS], dx[REALS], f[REALS], df[REALS];
} Model;

static void set_laws(Model *m, bool anisotropic) {
  for (size_t e = 0; e < m->batch.n; e++) {
    const double y = 2 + sin((double)e), bent = anisotropic ? 0.3 : 0;
    const double law[SOFA_TRIANGLE_LAW] = {y, 0.3 * y, bent, y + bent, -bent, 0.4 * y};
    sofa_triangle_set_law(&m->batch, e, 0.7, law);
  }
}

static void open_model(Model *m, size_t n, SofaTriangleMethod method, bool anisotropic) {
  SofaTriangle triangles[MOST];
  double corners[9 * MOST];
  size_t bad = 0;
  memset(m, 0, sizeof *m);
  assert_int_equal(sofa_context_create(NULL, &m->ctx), SOFA_OK);
  for (int i = 0; i < REALS; i++) {
    m->x[i] = sin(1.7 * i * i + 0.4);
    m->dx[i] = sin(0.9 * i + 0.1);
  }
  for (uint32_t e = 0; e < n; e++)
    for (uint32_t k = 0; k < 3; k++) {
      triangles[e].v[k] = (e * (1 + 3 * k) + 4 * k + e / POINTS) % POINTS;
      for (uint32_t i = 0; i < 3; i++)
        corners[9 * e + 3 * k + i] = m->x[3 * triangles[e].v[k] + i] + 0.1 * sin(5.0 * e + k + i);
    }
  const SofaTriangleMesh mesh = {method, triangles, n, POINTS, corners};
  assert_int_equal(sofa_triangle_batch_create(m->ctx, &mesh, &m->batch, &bad), SOFA_OK);
  set_laws(m, anisotropic);
}

static void close_model(Model *m) {
  sofa_triangle_batch_free(m->ctx, &m->batch);
  sofa_context_destroy(&m->ctx);
}

static void run(const SofaTriangleKernels *kernels, Model *m) {
  kernels->force(&m->batch, 0, m->batch.n, m->x, (SofaVectorsTo){.f = m->f});
  kernels->dforce(&m->batch, 0, m->batch.n, 0.7, m->dx, (SofaVectorsTo){.f = m->df});
}

/* ---- the formulas ---- */

/* p = E (b - a), E (c - a) */
static void edges_in(const SofaTriangleElement *t, const double *x, double p[4]) {
  for (size_t k = 0; k < 4; k++) {
    double d[3];
    sofa_vec3_sub(x + 3 * (size_t)t->v[1 + k / 2], x + 3 * (size_t)t->v[0], d);
    p[k] = sofa_vec3_dot(t->axes + 3 * (k % 2), d);
  }
}

/* Axes at x, and gradients. */
static void shape(SofaTriangleMethod method, const double *x, SofaTriangleElement *t) {
  double ab[3], ac[3], n[3], frame[9], p[4];
  if (method == SOFA_TRIANGLE_SMALL) return;
  sofa_vec3_sub(x + 3 * (size_t)t->v[1], x + 3 * (size_t)t->v[0], ab);
  sofa_vec3_sub(x + 3 * (size_t)t->v[2], x + 3 * (size_t)t->v[0], ac);
  sofa_mat3_frame(ab, ac, frame);
  if (method == SOFA_TRIANGLE_LARGE || method == SOFA_TRIANGLE_CURRENT)
    memcpy(t->axes, frame, sizeof t->axes);
  if (method == SOFA_TRIANGLE_LARGE) return;
  edges_in(t, x, p);
  sofa_vec3_cross(ab, ac, n);
  const double det = method == SOFA_TRIANGLE_WORLD ? sofa_vec3_norm(n) : p[0] * p[3];
  const double g[4] = {p[3] / det, -p[2] / det, -p[1] / det, p[0] / det};
  memcpy(t->g, g, sizeof g);
  if (method != SOFA_TRIANGLE_WORLD) t->g[2] = 0;
}

/* f_n += factor E^T G_n^T A t C sum_m G_m u_m */
static void add_forces(const SofaTriangleElement *t, const double *u, double factor, double *f) {
  const double *g = t->g, *c = t->law;
  const double e[3] = {g[0] * u[0] + g[2] * u[2], g[1] * u[1] + g[3] * u[3],
                       g[1] * u[0] + g[0] * u[1] + g[3] * u[2] + g[2] * u[3]};
  const double s[3] = {c[0] * e[0] + c[1] * e[1] + c[2] * e[2],
                       c[1] * e[0] + c[3] * e[1] + c[4] * e[2],
                       c[2] * e[0] + c[4] * e[1] + c[5] * e[2]};
  for (int n = 0; n < 2; n++) {
    const double x = g[2 * n] * s[0] + g[2 * n + 1] * s[2];
    const double y = g[2 * n + 1] * s[1] + g[2 * n] * s[2];
    for (int i = 0; i < 3; i++) {
      const double force = factor * (t->axes[i] * x + t->axes[3 + i] * y);
      f[3 * (size_t)t->v[n + 1] + (size_t)i] += force;
      f[3 * (size_t)t->v[0] + (size_t)i] -= force;
    }
  }
}

static void near(const double *values, const double *expected) {
  double size = 1;
  for (int i = 0; i < REALS; i++) size = fmax(size, fabs(expected[i]));
  for (int i = 0; i < REALS; i++)
    if (!(fabs(values[i] - expected[i]) <= 1e-12 * size))
      fail_msg("real %d: %.15g, expected %.15g", i, values[i], expected[i]);
}

static void check_blocks(const SofaTriangleKernels *kernels, const Model *m) {
  double blocks[(MOST + SOFA_LANES) * 27], df[REALS] = {0};
  kernels->blocks(&m->batch, 0, m->batch.n, blocks);
  for (size_t k = 0; k < 3 * m->batch.n; k++) {
    const SofaTriangleElement t = sofa_triangle_at(&m->batch, k / 3);
    const size_t i = 3 * (size_t)t.v[k % 3], j = 3 * (size_t)t.v[(k + 1) % 3];
    double d[3], r[3];
    sofa_vec3_sub(m->dx + j, m->dx + i, d);
    sofa_mat3_apply(blocks + 9 * k, d, r);
    sofa_vec3_axpy(0.7, r, df + i);
    sofa_mat3_apply_t(blocks + 9 * k, d, r);
    sofa_vec3_axpy(-0.7, r, df + j);
  }
  near(df, m->df);
}

/* The same bits by way of places. */
static void check_parts(const SofaTriangleKernels *kernels, Model *m) {
  double parts[2][9 * MOST], sums[2][REALS] = {{0}};
  for (size_t begin = 0; begin < m->batch.n; begin += SOFA_LANES) {
    const size_t left = m->batch.n - begin, end = begin + (left < SOFA_LANES ? left : SOFA_LANES);
    kernels->force(&m->batch, begin, end, m->x, (SofaVectorsTo){.parts = parts[0] + 9 * begin});
    kernels->dforce(&m->batch, begin, end, 0.7, m->dx,
                    (SofaVectorsTo){.parts = parts[1] + 9 * begin});
  }
  for (size_t k = 0; k < 9 * m->batch.n; k++) {
    const SofaTriangleElement t = sofa_triangle_at(&m->batch, k / 9);
    for (int w = 0; w < 2; w++) sums[w][3 * (size_t)t.v[k % 9 / 3] + k % 3] += parts[w][k];
  }
  assert_memory_equal(sums[0], m->f, sizeof m->f);
  assert_memory_equal(sums[1], m->df, sizeof m->df);
}

static void check_one(const SofaTriangleKernels *kernels, size_t n, SofaTriangleMethod method,
                      bool anisotropic) {
  Model m;
  double f[REALS] = {0}, df[REALS] = {0};
  open_model(&m, n, method, anisotropic);
  assert_true(m.batch.anisotropic == anisotropic);
  for (size_t e = 0; e < n; e++) {
    SofaTriangleElement t = sofa_triangle_at(&m.batch, e);
    double p[4], u[4];
    shape(method, m.x, &t);
    edges_in(&t, m.x, p);
    for (int k = 0; k < 4; k++) u[k] = t.q[k] - p[k];
    add_forces(&t, u, 1, f);
    edges_in(&t, m.dx, u);
    add_forces(&t, u, -0.7, df);
  }
  run(kernels, &m);
  near(m.f, f);
  near(m.df, df);
  check_blocks(kernels, &m);
  check_parts(kernels, &m);
  close_model(&m);
}

static void check(const SofaTriangleKernels *kernels) {
  for (size_t n = 1; n <= MOST; n++)
    for (unsigned method = 0; method < METHODS; method++)
      for (int law = 0; law < 2; law++) check_one(kernels, n, (SofaTriangleMethod)method, law);
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, sofa_triangle_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= MOST; n++)
    for (unsigned k = 0; k < 2 * METHODS; k++) {
      Model two, five;
      double blocks[2][(MOST + SOFA_LANES) * 27];
      open_model(&two, n, (SofaTriangleMethod)(k / 2), k % 2);
      open_model(&five, n, (SofaTriangleMethod)(k / 2), k % 2);
      run(&sofa_triangle_kernels_avx2, &two);
      run(&sofa_triangle_kernels_avx512, &five);
      sofa_triangle_kernels_avx2.blocks(&two.batch, 0, n, blocks[0]);
      sofa_triangle_kernels_avx512.blocks(&five.batch, 0, n, blocks[1]);
      assert_memory_equal(two.f, five.f, sizeof two.f);
      assert_memory_equal(two.df, five.df, sizeof two.df);
      assert_memory_equal(blocks[0], blocks[1], 27 * n * sizeof(double));
      close_model(&two);
      close_model(&five);
    }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
