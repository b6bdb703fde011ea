/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of the decompositions of 3x3 matrices: random, inverted, stiff, singular. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/polar.h"
#include "math/quaternion.h"
#include "random.h"

static double largest(const double *a) {
  double m = 0;
  for (int i = 0; i < 9; i++) m = fmax(m, fabs(a[i]));
  return m;
}

static double distance(const double *a, const double *b) {
  double d[9];
  for (int i = 0; i < 9; i++) d[i] = a[i] - b[i];
  return largest(d);
}

static void check_orthogonal(const double *q, double det) {
  const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double m[9];
  sofa_mat3_mul_tn(q, q, m);
  assert_true(distance(m, one) < 2e-15);
  assert_true(fabs(sofa_mat3_det(q) - det) < 4e-15);
}

static void random_rotation(Random *r, double *m) {
  double q[4];
  random_reals(r, 4, q);
  sofa_quat_normalize(q);
  sofa_quat_to_matrix(q, m);
}

/* U diag(s) V^T of random rotations. */
static void with_singular_values(Random *r, const double *s, double *a, double *rotation) {
  double u[9], v[9], us[9];
  random_rotation(r, u);
  random_rotation(r, v);
  for (int i = 0; i < 9; i++) us[i] = u[i] * s[i % 3];
  sofa_mat3_mul_nt(us, v, a);
  sofa_mat3_mul_nt(u, v, rotation);
}

static void newton(void **state) {
  (void)state;
  Random r = {3};
  for (int i = 0; i < 2000; i++) {
    double a[9], q[9], s[9], qs[9];
    random_reals(&r, 9, a);
    const double det = sofa_mat3_det(a);
    assert_true(sofa_polar(a, q, s));
    check_orthogonal(q, det > 0 ? 1 : -1);
    sofa_mat3_mul(q, s, qs);
    assert_true(distance(qs, a) < 1e-14);
    assert_true(s[1] == s[3] && s[2] == s[6] && s[5] == s[7]);
    // the closest rotation is the same thing when nothing is inverted
    if (det > 0.01) {
      double stable[9];
      sofa_polar_stable(a, stable, NULL);
      assert_true(distance(stable, q) < 1e-13);
    }
  }
  // any scale, in place; a singular matrix is refused
  double a[9], exact[9];
  const double scaled[3] = {3e-9, 2e-9, 1e-9};
  with_singular_values(&r, scaled, a, exact);
  assert_true(sofa_polar(a, a, NULL));
  assert_true(distance(a, exact) < 1e-14);
  const double singular[9] = {1, 2, 3, 2, 4, 6, 0, 0, 1}, bad[9] = {NAN};
  assert_false(sofa_polar(singular, a, NULL));
  assert_false(sofa_polar(bad, a, NULL));
}

static void stable(void **state) {
  (void)state;
  static const double cases[][3] = {
      {1.3, 1.1, 0.8}, {1, 1, 1},     {1, 1, 0.5},          {2, 1e-3, 1e-5},       {1, 0.9, 0},
      {1, 0.5, -0.2},  {1, 1, -1e-3}, {1e-9, 5e-10, 1e-10}, {1e150, 1e150, 1e149},
  };
  Random r = {5};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    for (int i = 0; i < 200; i++) {
      double a[9], exact[9], q[9], s[9], qs[9];
      with_singular_values(&r, cases[k], a, exact);
      sofa_polar_stable(a, q, s);
      check_orthogonal(q, 1);
      sofa_mat3_mul(q, s, qs);
      assert_true(distance(qs, a) < 1e-14 * largest(a));
      // rounding of A turns Q by about eps s0 / (s1 + s2)
      const double turn = cases[k][0] / (cases[k][1] + cases[k][2]);
      assert_true(distance(q, exact) < 4e-15 * turn);
    }
  }
  // degenerate: a rotation all the same
  const double zero[9] = {0}, line[9] = {1, 2, 3, 2, 4, 6, 3, 6, 9}, point[9] = {0, 0, 0, 0, 0, 2};
  const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double q[9];
  sofa_polar_stable(zero, q, NULL);
  assert_true(distance(q, one) == 0);
  sofa_polar_stable(line, q, NULL);
  check_orthogonal(q, 1);
  sofa_polar_stable(point, q, NULL);
  check_orthogonal(q, 1);
  sofa_polar_stable(one, q, NULL);
  assert_true(distance(q, one) == 0);
}

static void singular_values(void **state) {
  (void)state;
  Random r = {17};
  for (int i = 0; i < 3000; i++) {
    double a[9], u[9], v[9], s[3], us[9];
    random_reals(&r, 9, a);
    if (i % 4 == 1) sofa_vec3_scale(2, a, a + 3);
    if (i % 4 == 2) sofa_vec3_scale(1e-9, a, a);
    sofa_svd3(a, u, s, v);
    check_orthogonal(u, 1);
    check_orthogonal(v, 1);
    assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
    for (int k = 0; k < 9; k++) us[k] = u[k] * s[k % 3];
    sofa_mat3_mul_nt(us, v, us);
    assert_true(distance(us, a) < 3e-15);
    const double det = sofa_mat3_det(a);
    if (fabs(det) > 1e-12) assert_true(s[2] * det > 0);
  }
}

static void eigenvalues(void **state) {
  (void)state;
  Random r = {19};
  for (int i = 0; i < 3000; i++) {
    double a[9], d[3], v[9], vd[9];
    random_reals(&r, 9, a);
    for (int k = 0; k < 3; k++) a[3 * ((k + 1) % 3) + k] = a[3 * k + (k + 1) % 3];
    if (i % 3 == 1) sofa_mat3_diagonal(a[0], a[1], a[0], a);
    if (i % 3 == 2) sofa_mat3_outer(a, a, a);
    sofa_eigen3(a, d, v);
    check_orthogonal(v, 1);
    assert_true(d[0] <= d[1] && d[1] <= d[2]);
    for (int k = 0; k < 9; k++) vd[k] = v[k] * d[k % 3];
    sofa_mat3_mul_nt(vd, v, vd);
    assert_true(distance(vd, a) < 4e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(newton), cmocka_unit_test(stable),
                                     cmocka_unit_test(singular_values),
                                     cmocka_unit_test(eigenvalues)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
