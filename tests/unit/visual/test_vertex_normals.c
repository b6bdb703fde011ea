/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Normals at the points of surfaces: values, missing points, the same bits on all instruction sets.
 */
#include <math.h>
#include <string.h>

#include "math/kernels.h"
#include "numerics/spatial/vertex_normals.h"
#include "tests/support/scene_run.h"

enum { RINGS = 13, AROUND = 17, POINTS = RINGS * AROUND };

/* Points of a cylinder of radius 1 around z; 2 (RINGS - 1) AROUND triangles. */
static size_t make_cylinder(double *x, uint32_t *v) {
  size_t n = 0;
  for (uint32_t j = 0; j < RINGS; j++)
    for (uint32_t i = 0; i < AROUND; i++) {
      const double a = 2 * acos(-1) * i / AROUND;
      const double p[3] = {cos(a), sin(a), 0.1 * j};
      memcpy(x + 3 * (j * AROUND + i), p, sizeof p);
      const uint32_t next = (i + 1) % AROUND, here = j * AROUND + i, right = j * AROUND + next;
      const uint32_t t[6] = {here, right, here + AROUND, right, right + AROUND, here + AROUND};
      if (j + 1 < RINGS) memcpy(v + n, t, sizeof t), n += 6;
    }
  return n / 3;
}

/* The inner points of a cylinder have its normals, whatever the instruction set. */
static void normals_of_a_cylinder(void **state) {
  static double x[3 * POINTS], first[3 * POINTS], normals[3 * POINTS];
  static uint32_t v[6 * POINTS];
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  SofaContext *ctx = *state;
  const SofaFaces faces = {
      .x = x, .n_points = POINTS, .triangles = v, .n_triangles = make_cylinder(x, v)};
  for (int s = 0; s < 3; s++) {
    const SofaKernels *kernels = sofa_kernels_select(isas[s]);
    if (!kernels) continue; // not on this processor
    ctx->kernels = kernels;
    sofa_vertex_areas(ctx, &faces, normals);
    sofa_normalize_all(ctx, normals, POINTS);
    if (s == 0) memcpy(first, normals, sizeof first);
    assert_memory_equal(normals, first, sizeof first);
  }
  for (size_t i = 3 * AROUND; i < 3 * (POINTS - AROUND); i++)
    assert_true(fabs(first[i] - (i % 3 < 2 ? x[i] : 0)) < 1e-12);
}

/* Vector areas: twice that of a triangle at its points, the products of its edges at a quad's. */
static void sums_vector_areas(void **state) {
  const double x[] = {0, 0, 0, 2, 0, 0, 2, 3, 0, 0, 1, 0};
  const uint32_t triangle[] = {0, 1, 2}, quad[] = {0, 1, 2, 3};
  const SofaFaces faces = {
      .x = x, .n_points = 4, .triangles = triangle, .n_triangles = 1, .quads = quad, .n_quads = 1};
  double n[12];
  sofa_vertex_areas(*state, &faces, n);
  const double expected[] = {6 + 2, 6 + 6, 6 + 6, 2};
  for (int i = 0; i < 4; i++) assert_true(n[3 * i + 2] == expected[i]);
  for (int i = 0; i < 12; i++)
    if (i % 3 < 2) assert_true(n[i] == 0);
}

/* An element with a point that does not exist adds nothing; a normal of no length stays so. */
static void leaves_out_missing_points(void **state) {
  const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const uint32_t triangles[] = {0, 1, 3, UINT32_MAX, 1, 2}, quads[] = {0, 1, 2, 3};
  const SofaFaces faces = {.x = x,
                           .n_points = 3,
                           .triangles = triangles,
                           .n_triangles = 2,
                           .quads = quads,
                           .n_quads = 1};
  double n[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  sofa_vertex_areas(*state, &faces, n);
  sofa_normalize_all(*state, n, 3);
  for (int i = 0; i < 9; i++) assert_true(n[i] == 0);
}

/* Groups of eight and the rest are scaled alike; zero among them stays zero. */
static void scales_any_number(void **state) {
  double v[3 * 19], w[3];
  for (int i = 0; i < 3 * 19; i++) v[i] = i / 3 % 5 == 2 ? 0 : 1 + i % 7;
  sofa_normalize_all(*state, v, 19);
  for (int i = 0; i < 19; i++) {
    for (int k = 0; k < 3; k++) w[k] = i % 5 == 2 ? 0 : 1 + (3 * i + k) % 7;
    const double l = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (int k = 0; k < 3; k++) assert_true(v[3 * i + k] == (l > 0 ? w[k] / l : 0));
  }
}

static int setup(void **state) {
  return sofa_context_create(NULL, (SofaContext **)state) == SOFA_OK ? 0 : -1;
}

static int teardown(void **state) {
  sofa_context_destroy((SofaContext **)state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(normals_of_a_cylinder),
      cmocka_unit_test(sums_vector_areas),
      cmocka_unit_test(leaves_out_missing_points),
      cmocka_unit_test(scales_any_number),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
