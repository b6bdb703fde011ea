/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of triangles under pressure: area vectors, and products against differences of forces,
 * for every count of triangles up to two groups; AVX2 and AVX-512 give the same bits. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "tests/unit/mechanics/each_isa.h"
#include "math/vec.h"
#include "numerics/fem/face_kernels.h"

enum { FACES = 70, POINTS = 20, REALS = 3 * POINTS, KEPT = 72 * SOFA_FACE_ROWS };

/* Triangles and what they gave. */
typedef struct Model {
  uint32_t v[FACES][3];
  size_t n;
  double x[REALS], dx[REALS], f[REALS], df[REALS], kept[KEPT];
  double volume, area, pressed[REALS], kept_again[KEPT]; /* of the surface */
  double blocks[72 * 27];
} Model;

static const double origin[3] = {0.3, -0.2, 0.5};

static void fill(Model *m, size_t n) {
  memset(m, 0, sizeof *m);
  m->n = n;
  for (size_t i = 0; i < REALS; i++) {
    m->x[i] = sin(1.7 * (double)i + 0.4);
    m->dx[i] = sin(0.9 * (double)i + 0.1);
  }
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t c = 0; c < 3; c++) m->v[k][c] = (k * (3 + 4 * c) + k / 9 + 5 * c) % POINTS;
}

/* Sums of all groups together. */
static void sum_up(const SofaFaceKernels *kernels, Model *m, SofaVectorsTo to, double *kept) {
  double measures[SOFA_SURFACE_MEASURES] = {0};
  const SofaSurface surface = {(const uint32_t(*)[3])m->v, m->n, m->x, origin, measures, 0};
  kernels->surface(&surface, 0.7, to, kept);
  m->volume = m->area = 0;
  for (int l = 0; l < SOFA_LANES; l++) {
    m->volume += measures[l] / 6;
    m->area += measures[SOFA_LANES + l] / 2;
  }
}

static void run(const SofaFaceKernels *kernels, Model *m) {
  kernels->force((const uint32_t(*)[3])m->v, m->n, 0.7, m->x, (SofaVectorsTo){.f = m->f}, m->kept);
  kernels->product((const uint32_t(*)[3])m->v, m->n, -0.3, m->kept, m->dx,
                   (SofaVectorsTo){.f = m->df});
  kernels->blocks(0, m->n, -0.6, m->kept, m->blocks);
  sum_up(kernels, m, (SofaVectorsTo){.f = m->pressed}, m->kept_again);
}

/* Volumes of tetrahedra with the origin, and areas. */
static void compare_sums(const Model *m) {
  double volume = 0, area = 0;
  for (size_t k = 0; k < m->n; k++) {
    double corner[3][3], ab[3], ac[3], n[3];
    for (int c = 0; c < 3; c++) sofa_vec3_sub(m->x + 3 * (size_t)m->v[k][c], origin, corner[c]);
    sofa_vec3_sub(corner[1], corner[0], ab);
    sofa_vec3_sub(corner[2], corner[0], ac);
    sofa_vec3_cross(ab, ac, n);
    volume += sofa_vec3_triple(corner[0], corner[1], corner[2]) / 6;
    area += sofa_vec3_norm(n) / 2;
  }
  if (!(fabs(m->volume - volume) <= 1e-13 * area) || !(fabs(m->area - area) <= 1e-14 * area))
    fail_msg("%zu triangles: volume %.17g, area %.17g, expected %.17g, %.17g", m->n, m->volume,
             m->area, volume, area);
}

static void add_faces(const Model *m, double part, const double *x, double *f) {
  for (size_t k = 0; k < m->n; k++) {
    double ab[3], ac[3], n[3];
    sofa_vec3_sub(x + 3 * (size_t)m->v[k][1], x + 3 * (size_t)m->v[k][0], ab);
    sofa_vec3_sub(x + 3 * (size_t)m->v[k][2], x + 3 * (size_t)m->v[k][0], ac);
    sofa_vec3_cross(ab, ac, n);
    for (int c = 0; c < 3; c++) sofa_vec3_axpy(part, n, f + 3 * (size_t)m->v[k][c]);
  }
}

/* The force is of the second order in x: central differences are exact. */
static void compare(const Model *m) {
  double f[REALS] = {0}, df[REALS] = {0}, x[REALS];
  add_faces(m, 0.7, m->x, f);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = 0; i < REALS; i++) x[i] = m->x[i] + sign * m->dx[i];
    add_faces(m, -0.3 * 0.7 * sign / 2, x, df);
  }
  for (int i = 0; i < REALS; i++) {
    if (!(fabs(m->f[i] - f[i]) <= 1e-13 * (1 + fabs(f[i]))))
      fail_msg("%zu triangles, force %d: %.17g, expected %.17g", m->n, i, m->f[i], f[i]);
    if (!(fabs(m->df[i] - df[i]) <= 1e-13 * (1 + fabs(df[i]))))
      fail_msg("%zu triangles, product %d: %.17g, expected %.17g", m->n, i, m->df[i], df[i]);
  }
}

/* Blocks of edges turn dx by half of what the edge opposite their second end is more than that
 * opposite their first. */
static void compare_blocks(const Model *m) {
  for (size_t k = 0; k < 3 * m->n; k++) {
    const uint32_t *v = m->v[k / 3];
    const double *i = m->x + 3 * (size_t)v[k % 3], *j = m->x + 3 * (size_t)v[(k + 1) % 3];
    const double *other = m->x + 3 * (size_t)v[(k + 2) % 3], *dx = m->dx + 3 * (k % POINTS);
    double w[3], expected[3];
    for (int c = 0; c < 3; c++) w[c] = -0.6 * 0.7 * ((i[c] - other[c]) - (other[c] - j[c])) / 2;
    sofa_vec3_cross(w, dx, expected);
    for (int c = 0; c < 3; c++) {
      const double got = sofa_vec3_dot(m->blocks + 9 * k + 3 * c, dx);
      if (!(fabs(got - expected[c]) <= 1e-14))
        fail_msg("edge %zu, row %d: %.17g, expected %.17g", k, c, got, expected[c]);
    }
  }
}

/* Sums of each group, added from the first one on, have the bits of all together. */
static void compare_groups(const SofaFaceKernels *kernels, const Model *m) {
  enum { GROUPS = (FACES + SOFA_LANES - 1) / SOFA_LANES };
  double measures[GROUPS * SOFA_SURFACE_MEASURES] = {0}, together[SOFA_SURFACE_MEASURES] = {0};
  double f[REALS] = {0}, sums[SOFA_SURFACE_MEASURES] = {0};
  SofaSurface surface = {(const uint32_t(*)[3])m->v, m->n, m->x, origin, measures,
                         SOFA_SURFACE_MEASURES};
  kernels->surface(&surface, 0.7, (SofaVectorsTo){.f = f}, NULL);
  assert_memory_equal(f, m->f, sizeof f);
  for (int k = 0; k < GROUPS * SOFA_SURFACE_MEASURES; k++)
    sums[k % SOFA_SURFACE_MEASURES] += measures[k];
  surface.measures = together;
  surface.stride = 0;
  kernels->surface(&surface, 0.7, (SofaVectorsTo){0}, NULL);
  assert_memory_equal(sums, together, sizeof sums);
}

/* A surface has the forces and keeps what they do; without a place for forces, it has the sums. */
static void compare_surface(const SofaFaceKernels *kernels, const Model *m) {
  double df[REALS] = {0};
  Model other = *m;
  assert_memory_equal(m->pressed, m->f, sizeof m->f);
  kernels->product((const uint32_t(*)[3])m->v, m->n, -0.3, m->kept_again, m->dx,
                   (SofaVectorsTo){.f = df});
  assert_memory_equal(df, m->df, sizeof df);
  sum_up(kernels, &other, (SofaVectorsTo){0}, NULL);
  assert_true(other.volume == m->volume && other.area == m->area);
  compare_groups(kernels, m);
}

/* The same bits by way of places. */
static void compare_parts(const SofaFaceKernels *kernels, const Model *m) {
  const uint32_t(*v)[3] = (const uint32_t(*)[3])m->v;
  double parts[2][3 * FACES], f[2][REALS] = {{0}};
  kernels->force(v, m->n, 0.7, m->x, (SofaVectorsTo){.parts = parts[0]}, NULL);
  kernels->product(v, m->n, -0.3, m->kept, m->dx, (SofaVectorsTo){.parts = parts[1]});
  for (size_t k = 0; k < 9 * m->n; k++)
    for (int w = 0; w < 2; w++)
      f[w][3 * (size_t)v[k / 9][k % 9 / 3] + k % 3] += parts[w][k / 9 * 3 + k % 3];
  assert_memory_equal(f[0], m->f, sizeof m->f);
  assert_memory_equal(f[1], m->df, sizeof m->df);
}

static void check(const SofaFaceKernels *kernels) {
  for (size_t n = 0; n <= FACES; n += n < 18 ? 1 : 13) {
    double f[REALS] = {0};
    Model m;
    fill(&m, n);
    run(kernels, &m);
    compare(&m);
    compare_sums(&m);
    compare_blocks(&m);
    compare_surface(kernels, &m);
    compare_parts(kernels, &m);
    kernels->force((const uint32_t(*)[3])m.v, m.n, 0.7, m.x, (SofaVectorsTo){.f = f}, NULL);
    assert_memory_equal(f, m.f, sizeof f);
  }
}

/* Sums of every so-manieth real, in their order. */
static void check_sum(const SofaFaceKernels *kernels) {
  enum { MOST = 3 * SOFA_LANES };
  double x[4 * MOST], got[MOST];
  for (size_t k = 0; k < SOFA_COUNT(x); k++) x[k] = sin(1.3 * (double)k);
  for (size_t period = 2 * SOFA_LANES; period <= MOST; period += SOFA_LANES) {
    for (size_t n = 0; n <= SOFA_COUNT(x); n++) {
      double expected[MOST] = {0};
      for (size_t k = 0; k < n; k++) expected[k % period] += x[k];
      kernels->sum(x, n, period, got);
      assert_memory_equal(got, expected, period * sizeof *got);
    }
  }
}

static void sums(void **state) {
  (void)state;
  EACH_ISA(check_sum, sofa_face_kernels);
}

static void formulas(void **state) {
  (void)state;
  EACH_ISA(check, sofa_face_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= FACES; n++) {
    Model two, five;
    fill(&two, n);
    fill(&five, n);
    run(&sofa_face_kernels_avx2, &two);
    run(&sofa_face_kernels_avx512, &five);
    assert_memory_equal(two.f, five.f, sizeof two.f);
    assert_memory_equal(two.df, five.df, sizeof two.df);
    assert_memory_equal(two.blocks, five.blocks, 27 * n * sizeof *two.blocks);
    assert_memory_equal(&two.volume, &five.volume, sizeof two.volume);
    assert_memory_equal(&two.area, &five.area, sizeof two.area);
  }
#else
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(formulas), cmocka_unit_test(sums),
                                     cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
