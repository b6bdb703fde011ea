/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of hyperelastic tetrahedra against the materials one by one, for every instruction set.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"
#include "math/kernels.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "object/factory.h"

static const char *const isas[] = {"baseline", "avx2", "avx512"};

/* Deformations with principal stretches that are equal, nearly equal and far apart. */
static void deformation(size_t i, double *f) {
  static const double stretch[SOFA_LANES][3] = {{1, 1, 1},
                                                {1, 1 + 1e-15, 1 - 1e-12},
                                                {1.2, 1.2, 0.9},
                                                {1.2, 1.2 + 1e-9, 0.9},
                                                {1.1, 1.1 + 1e-5, 1.1 - 1e-7},
                                                {3, 0.4, 1},
                                                {0.7, 0.72, 1.5},
                                                {1.3, 1.05, 0.8}};
  const double u[4] = {0.3, -0.2, 0.5, sqrt(1 - 0.38)}, v[4] = {0.1, 0.7, -0.1, 0.7};
  double a[9], b[9], d[9];
  sofa_quat_to_matrix(u, a);
  sofa_quat_to_matrix(v, b);
  for (int k = 0; k < 9; k++) d[k] = stretch[i][k / 3] * b[k];
  sofa_mat3_mul(a, d, f);
}

/* A material with parameters and the largest number of which its stress is a difference, Pa. */
typedef struct LawCase {
  const SofaHyperMaterial *material;
  double p[SOFA_HYPER_MAX_PARAMETERS], size;
} LawCase;

static const LawCase laws[] = {
    {&sofa_ogden, {1500, 5, 5000}, 300},
    {&sofa_ogden, {1500, -3.3, 5000}, 500},
    {&sofa_ogden, {900, 2, 100}, 450},
    {&sofa_ogden, {900, 0.01, 100}, 90000},
    {&sofa_ogden, {10, 14, 1}, 1},
    {&sofa_ogden, {700, 3, 100}, 300},
    {&sofa_costa, {200, 900, 3, 2, 1, 1.5, 0.5, 2.5}, 1},
    {&sofa_arruda_boyce, {340, 3100, 8}, 1000},
    {&sofa_st_venant_kirchhoff, {340, 3100}, 3000},
    {&sofa_neo_hookean, {340, 3100}, 340},
    {&sofa_mooney_rivlin, {500, 70, 1500}, 1500},
    {&sofa_veronda_westman, {120, 0.8, 1500}, 300},
    {&sofa_stable_neo_hookean, {340, 3100}, 340},
};
enum { N_LAWS = sizeof laws / sizeof *laws, FIRST_OF_INVARIANTS = 7 };

/* The stress of a material in the forces and the blocks of an element, one by one. */
static void expected_law(const LawCase *c, const SofaHyperTetra *t, size_t l,
                         SofaHyperGroup *group) {
  SofaDeformation x;
  double d[36], s[6];
  memcpy(x.f, t->f, sizeof x.f);
  assert_true(sofa_deformation(c->material, &x));
  c->material->stress(c->p, &x, s, d);
  for (int k = 0; k < 9; k++) group->f[k][l] = t->f[k];
  for (int k = 0; k < 9; k++) group->g[k][l] = t->s[k / 3][k % 3];
  for (int k = 0; k < 6; k++) group->s[k][l] = s[k];
  for (int i = 0, k = 0; i < 6; i++)
    for (int j = i; j < 6; j++) group->d[k++][l] = d[6 * i + j];
  group->volume[l] = t->volume;
}

/* Forces of nodes 1, 2, 3: the columns of -V F S, as gradients are unit vectors. most: the largest
 * number that the stress is a difference of. */
static void compare_forces(const SofaHyperGroup *group, size_t l, double most,
                           const double *force) {
  static const int at[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  double f[9], s[9], p[9];
  for (int k = 0; k < 9; k++) {
    f[k] = group->f[k][l];
    s[k] = group->s[at[k]][l];
  }
  sofa_mat3_mul(f, s, p);
  for (int k = 0; k < 9; k++) most = fmax(most, fabs(p[k]));
  for (int k = 0; k < 9; k++)
    assert_true(fabs(force[3 + 3 * (k % 3) + k / 3] + group->volume[l] * p[k]) < 1e-12 * most);
}

/* Elements 0 .. n - 1 that have four points each, of x. Element l is of deformation l + first;
 * `inverted` is turned inside out. */
typedef struct LawMesh {
  SofaHyperTetras tetras[2];
  double x[24 * SOFA_LANES];
  size_t n;
} LawMesh;

static void make_law_mesh(size_t n, size_t first, size_t inverted, LawMesh *m) {
  m->n = n;
  for (size_t e = 0; e < 2 * SOFA_LANES; e++) {
    const size_t same = e < n ? e : n - 1;
    const uint32_t at = 4 * (uint32_t)same;
    const SofaHyperTetra t = {.v = {at, at + 1, at + 2, at + 3},
                              .s = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                              .volume = 1. / 6};
    double f[9], *x = m->x + 12 * same;
    deformation((same + first) % SOFA_LANES, f);
    sofa_hyper_put_tetra(&t, m->tetras, e);
    for (int k = 0; k < 12; k++) x[k] = k < 3 ? 0 : f[3 * (k % 3) + k / 3 - 1];
    for (int k = 3; k < 12; k += 3) x[k] = same == inverted ? -x[k] : x[k];
  }
}

/* What kernels give for a mesh. */
typedef struct LawResult {
  double force[2 * SOFA_LANES][12], sum[24 * SOFA_LANES];
  SofaHyperBlocks blocks;
} LawResult;

/* The blocks of n elements of a group, as rows of lanes; those of other lanes are not touched. */
static size_t law_blocks(const SofaHyperKernels *kernels, const SofaHyperInvariants *law,
                         const SofaHyperTetras *group, size_t n, SofaHyperBlocks out) {
  double blocks[SOFA_HYPER_PLACES][9];
  const int64_t untouched = -1;
  uint32_t places[SOFA_HYPER_PLACES];
  memset(blocks, 0xff, sizeof blocks);
  for (uint32_t k = 0; k < SOFA_HYPER_PLACES; k++)
    places[k] = k << SOFA_PLACE_SHIFT | SOFA_PLACE_FIRST;
  const size_t good = kernels->blocks(law, group, n, places, blocks[0]);
  for (size_t k = 0; good == n && k < 9 * SOFA_HYPER_PLACES; k++) {
    const size_t place = k / 9, e = place / SOFA_LANES, l = place % SOFA_LANES;
    if (l < n) out[e][k % 9][l] = blocks[place][k % 9];
    else assert_memory_equal(&blocks[place][k % 9], &untouched, sizeof untouched);
  }
  return good;
}

static size_t law_result(const SofaHyperKernels *kernels, const LawCase *c, LawMesh *m,
                         LawResult *r) {
  const SofaHyperInvariants law = {.material = c->material, .p = c->p};
  memset(r, 0, sizeof *r);
  const SofaVectorsTo parts = {.parts = r->force[0]}, points = {.f = r->sum};
  const size_t good = kernels->force(&law, m->tetras, m->n, m->x, parts);
  assert_int_equal(kernels->force(&law, m->tetras, m->n, m->x, points), good);
  const size_t n = m->n < SOFA_LANES ? m->n : SOFA_LANES;
  assert_int_equal(law_blocks(kernels, &law, m->tetras, n, r->blocks), good < n ? good : n);
  return good;
}

/* Blocks are those of S and D; size: the largest number that they are differences of. */
static void compare_blocks(const SofaHyperKernels *kernels, const SofaHyperGroup *group,
                           double size, double (*blocks)[9][SOFA_LANES]) {
  SofaHyperBlocks expected;
  kernels->general_blocks(group, expected);
  for (size_t l = 0; l < SOFA_LANES; l++) {
    double most = size;
    for (int k = 0; k < 9 * SOFA_HYPER_EDGES; k++)
      most = fmax(most, fabs(expected[k / 9][k % 9][l]));
    for (int k = 0; k < 9 * SOFA_HYPER_EDGES; k++)
      assert_true(fabs(blocks[k / 9][k % 9][l] - expected[k / 9][k % 9][l]) < 1e-12 * most);
  }
}

/* Lane a of one result has the bits of lane b of another. */
static void same_lane(const LawResult *r, size_t a, const LawResult *other, size_t b) {
  assert_memory_equal(r->force[a], other->force[b], sizeof *r->force);
  for (int k = 0; k < 9 * SOFA_HYPER_EDGES; k++)
    assert_memory_equal(&r->blocks[k / 9][k % 9][a], &other->blocks[k / 9][k % 9][b],
                        sizeof(double));
}

/* Forces and blocks are those of the elements one by one. */
static void compare_law(const SofaHyperKernels *kernels, const LawCase *c, LawMesh *m,
                        LawResult *r) {
  SofaHyperGroup group;
  assert_int_equal(law_result(kernels, c, m, r), m->n);
  assert_memory_equal(r->sum, r->force, 12 * m->n * sizeof *r->sum);
  for (size_t l = 0; l < SOFA_LANES; l++) {
    const SofaHyperTetra t = sofa_hyper_tetra(m->tetras, l);
    expected_law(c, &t, l, &group);
    compare_forces(&group, l, c->size, r->force[l]);
  }
  compare_blocks(kernels, &group, c->size, r->blocks);
}

/* The bits of an element do not depend on its lane nor on the elements beside it. */
static void neighbours_do_not_matter(const SofaHyperKernels *kernels, const LawCase *c,
                                     const LawResult *r) {
  for (size_t n = 1; n <= SOFA_LANES; n++) {
    LawMesh m;
    LawResult other;
    make_law_mesh(n, 3, SIZE_MAX, &m);
    assert_int_equal(law_result(kernels, c, &m, &other), n);
    for (size_t e = 0; e < n; e++) {
      same_lane(&other, e, r, (e + 3) % SOFA_LANES);
    }
  }
}

/* The first element that is turned inside out is told, where the material is not defined there;
 * else the others are not changed by it. */
static void inverted_among_others(const SofaHyperKernels *kernels, const LawCase *c,
                                  const LawResult *r) {
  for (size_t bad = 0; bad < SOFA_LANES + 3; bad++) {
    LawMesh m;
    LawResult other;
    make_law_mesh(SOFA_LANES + 3, 0, bad, &m);
    if (!c->material->inverts) {
      assert_int_equal(law_result(kernels, c, &m, &other), bad);
      continue;
    }
    compare_law(kernels, c, &m, &other);
    for (size_t e = 0; e < SOFA_LANES; e++) {
      if (e == bad) continue;
      same_lane(&other, e, r, e);
    }
  }
}

static void laws_in_lanes_are_those_of_single_elements(void **state) {
  (void)state;
  for (int k = 0; k < N_LAWS; k++) {
    static LawResult results[3];
    bool done[3] = {false};
    for (int s = 0; s < 3; s++) {
      const SofaContextOptions options = {.isa = isas[s]};
      SofaContext *ctx;
      LawMesh m;
      if (!sofa_kernels_select(isas[s])) continue;
      assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
      const SofaHyperKernels *kernels = sofa_hyper_kernels(ctx);
      make_law_mesh(SOFA_LANES + 5, 0, SIZE_MAX, &m);
      compare_law(kernels, &laws[k], &m, &results[s]);
      neighbours_do_not_matter(kernels, &laws[k], &results[s]);
      inverted_among_others(kernels, &laws[k], &results[s]);
      done[s] = true;
      sofa_context_destroy(&ctx);
    }
    if (done[1] && done[2]) assert_memory_equal(&results[1], &results[2], sizeof *results);
  }
}

/* A material without a law in lanes is asked for its derivatives one by one. */
static void unknown_laws_are_asked_one_by_one(void **state) {
  (void)state;
  for (int k = FIRST_OF_INVARIANTS; k < N_LAWS; k++) {
    const SofaHyperMaterial unknown = *laws[k].material;
    LawCase c = laws[k];
    LawMesh m;
    LawResult r;
    c.material = &unknown;
    make_law_mesh(SOFA_LANES + 5, 0, SIZE_MAX, &m);
    compare_law(sofa_hyper_kernels(*state), &c, &m, &r);
    inverted_among_others(sofa_hyper_kernels(*state), &c, &r);
  }
}

/* Principal stretches that differ by 10^-i and 10^-j of their size, or one of them by much. */
static void nearby_deformation(int i, int j, bool far, double *f) {
  const double stretch[3] = {1.2, 1.2 * (1 + pow(10, -i)), far ? 2.5 : 1.2 * (1 - pow(10, -j))};
  double a[9], b[9], d[9];
  const double u[4] = {0.3, -0.2, 0.5, sqrt(1 - 0.38)}, v[4] = {0.1, 0.7, -0.1, 0.7};
  sofa_quat_to_matrix(u, a);
  sofa_quat_to_matrix(v, b);
  for (int k = 0; k < 9; k++) d[k] = stretch[k / 3] * b[k];
  sofa_mat3_mul(a, d, f);
}

/* Ogden's blocks interpolate between principal values, of which any may be near each other. */
static void ogden_has_no_bad_distance_of_stretches(void **state) {
  const SofaHyperKernels *kernels = sofa_hyper_kernels(*state);
  for (int c = 0; c < FIRST_OF_INVARIANTS; c++) {
    for (int k = 0; k < 2 * 17 * 17 && laws[c].material == &sofa_ogden; k += SOFA_LANES) {
      const SofaHyperInvariants law = {.material = laws[c].material, .p = laws[c].p};
      SofaHyperTetras group;
      SofaHyperGroup expected;
      SofaHyperBlocks blocks;
      for (int l = 0; l < SOFA_LANES; l++) {
        SofaHyperTetra t = {.s = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .volume = 1. / 6};
        const int case_of = (k + l) / 2;
        nearby_deformation(case_of % 17 + 1, case_of / 17 % 17 + 1, (k + l) % 2, t.f);
        sofa_hyper_put_tetra(&t, &group, (size_t)l);
        expected_law(&laws[c], &t, (size_t)l, &expected);
      }
      assert_int_equal(law_blocks(kernels, &law, &group, SOFA_LANES, blocks), SOFA_LANES);
      compare_blocks(kernels, &expected, laws[c].size, blocks);
    }
  }
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
      cmocka_unit_test(laws_in_lanes_are_those_of_single_elements),
      cmocka_unit_test(unknown_laws_are_asked_one_by_one),
      cmocka_unit_test(ogden_has_no_bad_distance_of_stretches),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
