/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of triangles of springs: forces against differences of the energy, products and blocks
 * against differences of the forces, of triangles that are stretched and compressed; AVX2 and
 * AVX-512 give the same bits. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <string.h>

#include "tests/unit/mechanics/each_isa.h"
#include "math/vec.h"
#include "numerics/fem/membrane_kernels.h"

enum { MOST = 19, GROUPS = 3, POINTS = 12, REALS = 3 * POINTS };

/* Triangles of springs, where they are, and what they gave. */
typedef struct Model {
  SofaMembraneLaw law;
  SofaMembraneGroup groups[GROUPS];
  size_t n;
  double normals[MOST][3], x[REALS], v[REALS], dx[REALS], f[REALS], df[REALS];
} Model;

static void corners(const Model *m, size_t e, const double *x, double p[3][3]) {
  for (int n = 0; n < 3; n++)
    sofa_vec3_copy(x + 3 * (size_t)m->groups[e / SOFA_LANES].v[n][e % SOFA_LANES], p[n]);
}

static double area_of(double (*p)[3], double *normal) {
  double ab[3], ac[3];
  sofa_vec3_sub(p[1], p[0], ab);
  sofa_vec3_sub(p[2], p[0], ac);
  sofa_vec3_cross(ab, ac, normal);
  return sofa_vec3_norm(normal) / 2;
}

/* Edges and areas at rest are 0.8 to 1.25 times those at x. */
static void set_lane(Model *m, size_t e, size_t lane) {
  SofaMembraneGroup *g = &m->groups[e / SOFA_LANES];
  double p[3][3], d[3];
  for (uint32_t n = 0; n < 3; n++)
    g->v[n][lane] = ((uint32_t)e * (1 + 3 * n) + 4 * n + (uint32_t)e / POINTS) % POINTS;
  for (int n = 0; n < 3; n++) sofa_vec3_copy(m->x + 3 * (size_t)g->v[n][lane], p[n]);
  g->area[lane] = area_of(p, m->normals[e]) * (e % 3 ? 1.25 : 0.8);
  sofa_vec3_normalize(m->normals[e]);
  for (int j = 0; j < 3; j++) {
    sofa_vec3_sub(p[(j + 2) % 3], p[(j + 1) % 3], d);
    const double length = sofa_vec3_norm(d) * (1 + 0.2 * sin(3.0 * (double)e + j));
    g->rest[j][lane] = m->law.squares ? length * length : length;
    g->k[j][lane] = 2 + sin((double)e + j);
    g->gamma[j][lane] = 0.4 * cos((double)e - j);
  }
}

static void fill(Model *m, size_t n, SofaMembraneLaw law) {
  memset(m, 0, sizeof *m);
  m->law = law;
  m->n = n;
  for (int i = 0; i < REALS; i++) {
    m->x[i] = sin(1.7 * i * i + 0.4);
    m->v[i] = sin(2.3 * i + 0.2);
    m->dx[i] = sin(0.9 * i + 0.1);
  }
  for (size_t e = 0; e < n; e++)
    for (size_t lane = e % SOFA_LANES; lane < SOFA_LANES; lane++) set_lane(m, e, lane);
}

static double energy(const Model *m, const double *x) {
  double sum = 0;
  for (size_t e = 0; e < m->n; e++) {
    const SofaMembraneGroup *g = &m->groups[e / SOFA_LANES];
    const size_t lane = e % SOFA_LANES;
    double p[3][3], d[3], q[3], normal[3], own = 0;
    corners(m, e, x, p);
    for (int j = 0; j < 3; j++) {
      sofa_vec3_sub(p[(j + 2) % 3], p[(j + 1) % 3], d);
      const double square = sofa_vec3_norm2(d);
      q[j] = (m->law.squares ? square : sqrt(square)) - g->rest[j][lane];
    }
    for (int j = 0; j < 3; j++)
      own += g->k[j][lane] / 2 * q[j] * q[j] + g->gamma[j][lane] * q[(j + 1) % 3] * q[(j + 2) % 3];
    const double c = area_of(p, normal) / g->area[lane] - 1;
    sum += m->law.squares ? own / 2 : own;
    if (c < 0) sum += g->area[lane] * m->law.compression * c * c * c * c / 4;
  }
  return sum;
}

static size_t add_force(const SofaMembraneKernels *kernels, Model *m, const double *x,
                        const double *v, double *f) {
  const double *const xv[2] = {x, v};
  return kernels->force(&m->law, m->groups, m->n, xv, m->normals, (SofaVectorsTo){.f = f});
}

static void run(const SofaMembraneKernels *kernels, Model *m, const double *v) {
  assert_int_equal(add_force(kernels, m, m->x, v, m->f), m->n);
  kernels->product(&m->law, m->groups, m->n, (const double[2]){0.7, 0}, m->dx,
                   (SofaVectorsTo){.f = m->df});
}

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance * (1 + fabs(expected))))
    fail_msg("%.12g, expected %.12g", value, expected);
}

static void check_derivatives(const SofaMembraneKernels *kernels, Model *m) {
  const double h = 1e-5;
  double x[REALS], change[2][REALS] = {{0}};
  for (int i = 0; i < REALS; i++) {
    memcpy(x, m->x, sizeof x);
    x[i] = m->x[i] + h;
    const double more = energy(m, x);
    x[i] = m->x[i] - h;
    near(m->f[i], (energy(m, x) - more) / (2 * h), 1e-7);
  }
  for (int k = 0; k < 2; k++) {
    Model copy = *m;
    for (int i = 0; i < REALS; i++) x[i] = m->x[i] + (k ? -h : h) * m->dx[i];
    add_force(kernels, &copy, x, NULL, change[k]);
  }
  for (int i = 0; i < REALS; i++)
    near(m->df[i], 0.7 * (change[0][i] - change[1][i]) / (2 * h), 1e-6);
}

static void check_blocks(const SofaMembraneKernels *kernels, const Model *m) {
  double df[REALS] = {0};
  for (size_t e = 0; e < m->n; e++) {
    const SofaMembraneGroup *g = &m->groups[e / SOFA_LANES];
    double blocks[SOFA_LANES][3][9], d[3], r[3];
    kernels->blocks(&m->law, g, blocks);
    for (int k = 0; k < 3; k++) {
      const double *of = blocks[e % SOFA_LANES][k];
      const size_t i = 3 * (size_t)g->v[(k + 1) % 3][e % SOFA_LANES];
      const size_t j = 3 * (size_t)g->v[(k + 2) % 3][e % SOFA_LANES];
      sofa_vec3_sub(m->dx + i, m->dx + j, d);
      sofa_mat3_apply(of, d, r);
      sofa_vec3_axpy(0.7, r, df + i);
      sofa_mat3_apply_t(of, d, r);
      sofa_vec3_axpy(-0.7, r, df + j);
    }
  }
  for (int i = 0; i < REALS; i++) near(m->df[i], df[i], 1e-11);
}

static const SofaMembraneLaw laws[] = {
    {.squares = false}, {.squares = true}, {.squares = true, .compression = 5}};

static void check(const SofaMembraneKernels *kernels) {
  for (size_t n = 0; n <= MOST; n++)
    for (size_t k = 0; k < SOFA_COUNT(laws); k++) {
      Model m;
      fill(&m, n, laws[k]);
      run(kernels, &m, NULL);
      check_derivatives(kernels, &m);
      check_blocks(kernels, &m);
    }
}

static void derivatives(void **state) {
  (void)state;
  EACH_ISA(check, sofa_membrane_kernels);
}

static void same_bits(void **state) {
  (void)state;
#if defined(__x86_64__)
  if (!sofa_kernels_select("avx512")) skip();
  for (size_t n = 1; n <= MOST; n++)
    for (size_t k = 0; k < SOFA_COUNT(laws); k++) {
      Model two, five;
      SofaMembraneLaw law = laws[k];
      law.rate = 0.3;
      fill(&two, n, law);
      fill(&five, n, law);
      run(&sofa_membrane_kernels_avx2, &two, two.v);
      run(&sofa_membrane_kernels_avx512, &five, five.v);
      assert_memory_equal(two.f, five.f, sizeof two.f);
      assert_memory_equal(two.df, five.df, sizeof two.df);
      assert_memory_equal(two.normals, five.normals, sizeof two.normals);
    }
#else
  skip();
#endif
}

/* A triangle whose last normal is the opposite is named. */
static void flipped(void **state) {
  (void)state;
  Model m;
  fill(&m, MOST, laws[2]);
  for (int i = 0; i < 3; i++) m.normals[13][i] = -m.normals[13][i];
  assert_int_equal(add_force(&sofa_membrane_kernels_baseline, &m, m.x, NULL, m.f), 13);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(same_bits),
                                     cmocka_unit_test(flipped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
