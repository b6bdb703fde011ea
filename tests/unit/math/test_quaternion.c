/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Identities of small vectors and matrices, quaternions and rigid frames, and SOFA's thresholds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/quaternion.h"
#include "math/three.h"
#include "random.h"

#define PI 3.14159265358979323846

static void near(const double *a, const double *b, int n, double tolerance) {
  for (int i = 0; i < n; i++) assert_true(fabs(a[i] - b[i]) <= tolerance);
}

static void random_unit(Random *r, double *q) {
  do {
    random_reals(r, 4, q);
  } while (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < 0.01);
  sofa_quat_normalize(q);
}

static void vectors(void **state) {
  (void)state;
  Random r = {7};
  for (int i = 0; i < 200; i++) {
    double a[9], b[9], ab[9], c[9], d[9], v[3], w[3], det = 0;
    random_reals(&r, 9, a);
    random_reals(&r, 9, b);
    random_reals(&r, 3, v);
    // (A B) v = A (B v), A^T B and A B^T by transposes
    sofa_mat3_mul(a, b, ab);
    sofa_mat3_apply(ab, v, c);
    sofa_mat3_apply(b, v, w);
    sofa_mat3_apply(a, w, w);
    near(c, w, 3, 1e-15 * 20);
    sofa_mat3_transpose(a, c);
    sofa_mat3_mul(c, b, c);
    sofa_mat3_mul_tn(a, b, d);
    near(c, d, 9, 1e-15);
    sofa_mat3_transpose(b, c);
    sofa_mat3_mul(a, c, c);
    sofa_mat3_mul_nt(a, b, d);
    near(c, d, 9, 1e-15);
    sofa_mat3_transpose(a, c);
    sofa_mat3_apply(c, v, w);
    sofa_mat3_apply_t(a, v, d);
    near(d, w, 3, 1e-15);
    assert_true(fabs(sofa_mat3_det(ab) - sofa_mat3_det(a) * sofa_mat3_det(b)) < 1e-14);
    if (sofa_mat3_inverse(a, c, &det) && fabs(det) > 0.1) {
      const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
      assert_true(det == sofa_mat3_det(a) || fabs(det / sofa_mat3_det(a) - 1) < 1e-14);
      sofa_mat3_mul(a, c, c);
      near(c, one, 9, 1e-13);
    }
    sofa_mat3_cross(a, c);
    sofa_mat3_apply(c, v, c);
    sofa_vec3_cross(a, v, d);
    near(c, d, 3, 1e-15);
    // the frame is a rotation and maps u to |u| ex
    sofa_mat3_frame(a, a + 3, c);
    sofa_mat3_apply(c, a, d);
    near(d, (double[]){sofa_vec3_norm(a), 0, 0}, 3, 1e-15);
    assert_true(fabs(sofa_mat3_det(c) - 1) < 1e-14);
  }
  const double zero[9] = {0};
  double untouched[9] = {5};
  assert_false(sofa_mat3_inverse(zero, untouched, NULL));
  assert_true(untouched[0] == 5);
}

static void rotations(void **state) {
  (void)state;
  Random r = {11};
  for (int i = 0; i < 500; i++) {
    double p[4], q[4], pq[4], v[3], a[3], b[3], m[9], back[4], axis[3], angle = 0;
    random_unit(&r, p);
    random_unit(&r, q);
    random_reals(&r, 3, v);
    // q first, then p
    sofa_quat_multiply(p, q, pq);
    sofa_quat_rotate(pq, v, a);
    sofa_quat_rotate(q, v, b);
    sofa_quat_rotate(p, b, b);
    near(a, b, 3, 1e-14);
    // as the matrix does, and back again
    sofa_quat_to_matrix(q, m);
    sofa_mat3_apply(m, v, a);
    sofa_quat_rotate(q, v, b);
    near(a, b, 3, 1e-15 * 4);
    sofa_quat_rotate_inverse(q, b, b);
    near(v, b, 3, 1e-14);
    // matrix, axis and angle, rotation vector: the same rotation, perhaps with the other sign
    sofa_quat_from_matrix(m, back);
    const double sign = back[0] * q[0] + back[1] * q[1] + back[2] * q[2] + back[3] * q[3];
    assert_true(fabs(fabs(sign) - 1) < 1e-14);
    sofa_quat_to_axis_angle(q, axis, &angle);
    assert_true(angle >= 0 && angle <= PI + 1e-15 && fabs(sofa_vec3_norm(axis) - 1) < 1e-7);
    sofa_quat_from_axis_angle(axis, angle, back);
    sofa_quat_rotate(back, v, a);
    sofa_quat_rotate(q, v, b);
    near(a, b, 3, 1e-12);
    sofa_quat_to_rotation_vector(q, axis);
    sofa_quat_from_rotation_vector(axis, back);
    sofa_quat_rotate(back, v, a);
    near(a, b, 3, 1e-12);
    // inverse
    sofa_quat_inverse(q, back);
    sofa_quat_multiply(q, back, back);
    near(back, (double[]){0, 0, 0, 1}, 4, 1e-15 * 4);
  }
}

static void euler(void **state) {
  (void)state;
  const double degrees[3] = {30, -50, 110};
  double q[4], p[4], x[4], y[4], z[4];
  sofa_quat_from_euler_degrees(degrees, q);
  sofa_quat_from_axis_angle((double[]){2, 0, 0}, PI / 6, x);
  sofa_quat_from_axis_angle((double[]){0, 1, 0}, -50 * PI / 180, y);
  sofa_quat_from_axis_angle((double[]){0, 0, 1}, 110 * PI / 180, z);
  sofa_quat_multiply(y, x, p);
  sofa_quat_multiply(z, p, p);
  near(p, q, 4, 1e-15);
}

static void thresholds(void **state) {
  (void)state;
  // nearly unit quaternions are left alone
  double q[4] = {0, 0, 0, 1 + 4e-11}, v[3], angle = 9;
  sofa_quat_normalize(q);
  assert_true(q[3] == 1 + 4e-11);
  q[3] = 1 + 1e-10;
  sofa_quat_normalize(q);
  assert_true(q[3] == 1);
  q[3] = 0;
  sofa_quat_normalize(q);
  assert_true(q[3] == 1);
  // the inverse divides by |q|, not its square
  const double two[4] = {0, 0, 2, 0};
  sofa_quat_inverse(two, q);
  assert_true(q[2] == -1);
  // no rotation has the axis y
  sofa_quat_identity(q);
  sofa_quat_to_axis_angle(q, v, &angle);
  assert_true(v[0] == 0 && v[1] == 1 && v[2] == 0 && angle == 0);
  // small rotation vectors vanish, small integration steps do not
  const double small[3] = {1e-5, 0, 0};
  sofa_quat_from_rotation_vector(small, q);
  assert_true(q[0] == 0 && q[3] == 1);
  sofa_quat_integrate(q, small);
  assert_true(fabs(q[0] - 5e-6) < 1e-15);
  const double tiny[3] = {0, 1e-20, 0};
  sofa_quat_identity(q);
  sofa_quat_integrate(q, tiny);
  assert_true(q[1] == 5e-21 && q[3] == 1);
}

static void rigid(void **state) {
  (void)state;
  Random r = {13};
  for (int i = 0; i < 300; i++) {
    double a[7], b[7], c[7], d[6], back[6], v[3], w[3];
    random_reals(&r, 3, a);
    random_unit(&r, a + 3);
    random_reals(&r, 6, d);
    // (a + d) - a = d, and the angular part is about world axes
    memcpy(b, a, sizeof a);
    sofa_rigid3_integrate(b, d);
    sofa_rigid3_difference(b, a, back);
    near(back, d, 6, 1e-13);
    sofa_quat_from_rotation_vector(d + 3, c + 3);
    sofa_quat_multiply(c + 3, a + 3, c + 3);
    near(b + 3, c + 3, 4, 1e-15);
    // frames
    random_reals(&r, 3, v);
    sofa_rigid3_to_world(a, v, w);
    sofa_rigid3_to_local(a, w, w);
    near(v, w, 3, 1e-14);
    sofa_rigid3_multiply(a, b, c);
    sofa_rigid3_to_world(c, v, w);
    sofa_rigid3_to_world(b, v, v);
    sofa_rigid3_to_world(a, v, v);
    near(v, w, 3, 1e-14);
  }
  double x[3] = {0, 0, 3}, y[3] = {1, 2, -3}, d[3];
  sofa_rigid2_difference(x, y, d);
  assert_true(fabs(d[2] - (6 - 2 * PI)) < 1e-15 && d[0] == -1);
  sofa_rigid2_integrate(x, y);
  assert_true(x[0] == 1 && x[1] == 2 && x[2] == 0);
}

/* Vectors by value have the bits of those in arrays. */
static void vectors_by_value(void **state) {
  (void)state;
  Random r = {17};
  for (int i = 0; i < 200; i++) {
    double a[3], b[3], m[9], q[4], expected[3], got[3], axpy[3];
    random_reals(&r, 3, a);
    random_reals(&r, 3, b);
    random_reals(&r, 9, m);
    random_unit(&r, q);
    const SofaThree u = sofa_three(a), v = sofa_three(b);
#define SAME(value)                                                                                \
  sofa_three_put(value, got);                                                                      \
  assert_memory_equal(got, expected, sizeof got)
    sofa_vec3_add(a, b, expected);
    SAME(sofa_three_add(u, v));
    sofa_vec3_scale(m[0], a, expected);
    SAME(sofa_three_scale(m[0], u));
    sofa_vec3_cross(a, b, expected);
    SAME(sofa_three_cross(u, v));
    sofa_mat3_apply(m, a, expected);
    SAME(sofa_three_apply(m, u));
    sofa_quat_rotate(q, a, expected);
    SAME(sofa_three_rotate(q, u));
    sofa_vec3_copy(b, axpy);
    sofa_vec3_axpy(m[1], a, axpy);
    sofa_vec3_copy(axpy, expected);
    SAME(sofa_three_axpy(m[1], u, v));
#undef SAME
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vectors), cmocka_unit_test(vectors_by_value), cmocka_unit_test(rotations),
      cmocka_unit_test(euler),   cmocka_unit_test(thresholds),       cmocka_unit_test(rigid)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
