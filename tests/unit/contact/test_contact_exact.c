/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exact signs and meetings against integer arithmetic: small integers, where most cases are
 * degenerate, large ones, and shifts by one unit in the last place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "integers.h"
#include "numerics/contact/exact.h"

static Wide wide_det2(const Wide u[2], const Wide v[2]) {
  return u[0] * v[1] - u[1] * v[0];
}

/* points of the plane, integers of up to 60 bits */
static int turn_of(const int64_t p[3][2]) {
  const Wide u[2] = {(Wide)p[1][0] - p[0][0], (Wide)p[1][1] - p[0][1]};
  const Wide v[2] = {(Wide)p[2][0] - p[0][0], (Wide)p[2][1] - p[0][1]};
  return sign_of(wide_det2(u, v));
}
static void check_turn(const int64_t p[3][2], double scale) {
  double x[3][2];
  for (int i = 0; i < 6; i++) x[i / 2][i % 2] = scale * (double)p[i / 2][i % 2];
  const int expected = turn_of(p);
  assert_int_equal(sofa_orient2d(x[0], x[1], x[2]), expected);
  assert_int_equal(sofa_orient2d(x[1], x[2], x[0]), expected);
  assert_int_equal(sofa_orient2d(x[1], x[0], x[2]), -expected);
}

/* points of space; the determinant fits into 127 bits */
static int side_of(const int64_t p[4][3]) {
  Wide e[3][3];
  for (int i = 0; i < 9; i++) e[i / 3][i % 3] = (Wide)p[1 + i / 3][i % 3] - p[0][i % 3];
  Wide det = 0;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    det += e[0][k] * (e[1][i] * e[2][j] - e[1][j] * e[2][i]);
  }
  return sign_of(det);
}
static void check_side(const int64_t p[4][3], double scale) {
  double x[4][3];
  for (int i = 0; i < 12; i++) x[i / 3][i % 3] = scale * (double)p[i / 3][i % 3];
  const int expected = side_of(p);
  assert_int_equal(sofa_orient3d(x[0], x[1], x[2], x[3]), expected);
  assert_int_equal(sofa_orient3d(x[1], x[2], x[0], x[3]), expected);
  assert_int_equal(sofa_orient3d(x[3], x[1], x[2], x[0]), -expected);
  assert_int_equal(sofa_orient3d(x[2], x[3], x[0], x[1]), expected);
}

static void integers_of_all_sizes(void **state) {
  (void)state;
  Random r = {12345};
  for (int n = 0; n < 1000000; n++) {
    const int64_t size = INT64_C(1) << (1 + n % 38);
    int64_t p[4][3], q[3][2];
    for (int i = 0; i < 12; i++) p[i / 3][i % 3] = random_integer(&r, size);
    for (int i = 0; i < 6; i++) q[i / 2][i % 2] = p[i / 2][i % 2];
    if (n % 3 == 0) { /* in the plane of the others, or one unit from it */
      const int64_t a = random_integer(&r, 1), b = random_integer(&r, 1);
      for (int k = 0; k < 3; k++)
        p[3][k] = p[0][k] + a * (p[1][k] - p[0][k]) + b * (p[2][k] - p[0][k]);
      p[3][n / 3 % 3] += random_integer(&r, 1);
      for (int k = 0; k < 2; k++) q[2][k] = 2 * q[1][k] - q[0][k];
      q[2][n / 3 % 2] += random_integer(&r, 1);
    }
    check_turn(q, n % 2 ? 1 : 0x1p-200);
    check_side(p, n % 2 ? 1 : 0x1p-200);
  }
}

/* The differences of coordinates are rounded: 1/2 + i ulp against 12, 24 and 36. */
static void one_unit_in_the_last_place(void **state) {
  (void)state;
  const int64_t one = INT64_C(1) << 53, half = one / 2;
  int zeros = 0;
  for (int64_t i = 0; i < 64; i++) {
    for (int64_t j = 0; j < 64; j++) {
      const int64_t p[3][2] = {{half + i, half + j}, {12 * one, 12 * one}, {24 * one, 24 * one}};
      check_turn(p, 0x1p-53);
      zeros += turn_of(p) == 0;
    }
  }
  assert_int_equal(zeros, 64);
  Random r = {99};
  zeros = 0;
  for (int n = 0; n < 100000; n++) {
    int64_t p[4][3];
    for (int i = 0; i < 4; i++) {
      const int axis = n % 3;
      for (int k = 1; k < 3; k++)
        p[i][(axis + k) % 3] = i ? 12 * i * one : half + random_integer(&r, 8);
      p[i][axis] = random_integer(&r, 1) * (one >> (n % 50));
      while (llabs(p[i][axis]) > 8) p[i][axis] /= 2;
    }
    check_side(p, 0x1p-53);
    zeros += side_of(p) == 0;
  }
  assert_true(zeros > 1000 && zeros < 90000);
}

/* ---- meetings: two convex sets meet when the origin is in the hull of the differences of their
 * corners, and then it is in a simplex of at most four of them (Caratheodory) ---- */

typedef struct Hull {
  Integers p[9];
  int n;
} Hull;

static bool pair_holds_origin(Integers a, Integers b) {
  return integers_zero(integers_cross(a, b)) && integers_dot(a, b) <= 0;
}
static bool triple_holds_origin(Integers a, Integers b, Integers c) {
  const Integers n = integers_cross(integers_sub(b, a), integers_sub(c, a));
  return !integers_zero(n) && integers_dot(n, integers_cross(a, b)) >= 0 &&
         integers_dot(n, integers_cross(b, c)) >= 0 && integers_dot(n, integers_cross(c, a)) >= 0;
}
static bool four_hold_origin(const int64_t d[4]) {
  const int64_t volume = d[0] - d[1] + d[2] - d[3];
  if (volume == 0) return false;
  for (int k = 0; k < 4; k++) {
    const int64_t share = k % 2 ? -d[k] : d[k];
    if (share != 0 && (share > 0) != (volume > 0)) return false;
  }
  return true;
}
static bool hull_holds_origin(const Hull *h) {
  int64_t det[9][9][9];
  for (int i = 0; i < h->n; i++) {
    if (integers_zero(h->p[i])) return true;
    for (int j = 0; j < i; j++) {
      if (pair_holds_origin(h->p[i], h->p[j])) return true;
      for (int k = 0; k < j; k++) {
        det[i][j][k] = integers_det(h->p[i], h->p[j], h->p[k]);
        if (det[i][j][k] == 0 && triple_holds_origin(h->p[i], h->p[j], h->p[k])) return true;
      }
    }
  }
  for (int i = 0; i < h->n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) {
        for (int l = 0; l < k; l++) {
          const int64_t d[4] = {det[j][k][l], det[i][k][l], det[i][j][l], det[i][j][k]};
          if (four_hold_origin(d)) return true;
        }
      }
    }
  }
  return false;
}
static bool sets_meet(const Integers *a, int na, const Integers *b, int nb) {
  Hull h = {.n = na * nb};
  for (int i = 0; i < h.n; i++) h.p[i] = integers_sub(a[i / nb], b[i % nb]);
  return hull_holds_origin(&h);
}

typedef struct Shapes {
  Integers a[3], b[3];
  double x[3][3], y[3][3];
} Shapes;

/* Small integers: points, edges and planes coincide often. */
static Shapes shapes_random(Random *r, int n) {
  Shapes s;
  for (int i = 0; i < 3; i++) {
    s.a[i] = integers_random(r, 1 + n % 4);
    s.b[i] = integers_random(r, 1 + n % 4);
    if (n % 5 == 0) s.a[i].v[n % 3] = s.b[i].v[n % 3] = 1;
  }
  return s;
}
/* scaled and moved without rounding */
static void shapes_reals(Shapes *s) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      s->x[i][k] = 0x1p-30 * (double)s->a[i].v[k] + 7;
      s->y[i][k] = 0x1p-30 * (double)s->b[i].v[k] + 7;
    }
  }
}

static void segments_and_triangles(void **state) {
  (void)state;
  Random r = {4711};
  int met[2] = {0, 0};
  for (int n = 0; n < 500000; n++) {
    Shapes s = shapes_random(&r, n);
    shapes_reals(&s);
    const double *const t[3] = {s.y[0], s.y[1], s.y[2]};
    const bool triangle = sets_meet(s.a, 2, s.b, 3), segment = sets_meet(s.a, 2, s.b, 2);
    assert_int_equal(sofa_segment_meets_triangle(s.x[0], s.x[1], t), triangle);
    assert_int_equal(sofa_segments_meet(s.x[0], s.x[1], s.y[0], s.y[1]), segment);
    met[0] += triangle;
    met[1] += segment;
  }
  assert_true(met[0] > 50000 && met[1] > 10000);
}

static void triangles_apart(void **state) {
  (void)state;
  Random r = {815};
  int met = 0;
  for (int n = 0; n < 300000; n++) {
    Shapes s = shapes_random(&r, n);
    shapes_reals(&s);
    const double *const x[3] = {s.x[0], s.x[1], s.x[2]}, *const y[3] = {s.y[0], s.y[1], s.y[2]};
    const bool expected = sets_meet(s.a, 3, s.b, 3);
    assert_int_equal(sofa_triangles_meet(x, y, 0), expected);
    assert_int_equal(sofa_triangles_meet(y, x, 0), expected);
    met += expected;
  }
  assert_true(met > 50000 && met < 250000);
}

/* Two cones with a common apex meet elsewhere when the origin is in the hull of the rays of one and
 * the reversed rays of the other; both triangles have an area. */
static void triangles_with_a_common_corner(void **state) {
  (void)state;
  Random r = {27};
  int met = 0, cases = 0;
  for (int n = 0; n < 300000; n++) {
    Shapes s = shapes_random(&r, n);
    s.b[0] = s.a[0];
    shapes_reals(&s);
    Integers ray[4];
    for (int k = 0; k < 2; k++) {
      ray[k] = integers_sub(s.a[k + 1], s.a[0]);
      ray[k + 2] = integers_sub(s.b[0], s.b[k + 1]);
    }
    if (integers_zero(integers_cross(ray[0], ray[1]))) continue;
    if (integers_zero(integers_cross(ray[2], ray[3]))) continue;
    const Hull h = {.p = {ray[0], ray[1], ray[2], ray[3]}, .n = 4};
    const double *const x[3] = {s.x[0], s.x[1], s.x[2]}, *const y[3] = {s.y[0], s.y[1], s.y[2]};
    const bool expected = hull_holds_origin(&h);
    assert_int_equal(sofa_triangles_meet(x, y, 1), expected);
    assert_int_equal(sofa_triangles_meet(y, x, 1), expected);
    met += expected;
    cases++;
  }
  assert_true(met > cases / 10 && met < cases * 9 / 10);
}

/* The triangles are folded onto each other when their normals over the common edge are parallel. */
static void triangles_with_a_common_edge(void **state) {
  (void)state;
  Random r = {28};
  int met = 0;
  for (int n = 0; n < 300000; n++) {
    Shapes s = shapes_random(&r, n);
    s.b[0] = s.a[0];
    s.b[1] = s.a[1];
    shapes_reals(&s);
    const Integers e = integers_sub(s.a[1], s.a[0]);
    const Integers u = integers_sub(s.a[2], s.a[0]), v = integers_sub(s.b[2], s.b[0]);
    const Integers nu = integers_cross(e, u), nv = integers_cross(e, v);
    bool expected = integers_zero(integers_cross(nu, nv)) && integers_dot(nu, nv) > 0;
    if (integers_zero(nu) && integers_zero(nv)) { /* on one line: places along the edge */
      const int64_t pu = integers_dot(e, u), pv = integers_dot(e, v), l = integers_dot(e, e);
      expected = (pu < 0 && pv < 0) || (pu > l && pv > l) || l == 0;
    }
    const double *const x[3] = {s.x[0], s.x[1], s.x[2]}, *const y[3] = {s.y[0], s.y[1], s.y[2]};
    assert_int_equal(sofa_triangles_meet(x, y, 2), expected);
    met += expected;
  }
  assert_true(met > 30000 && met < 270000);
}

/* A triangle turned by an irrational angle: a point moved by one ulp decides. */
static void a_corner_one_ulp_beyond_a_plane(void **state) {
  (void)state;
  Random r = {3};
  for (int n = 0; n < 20000; n++) {
    double t[3][3], p[3], q[3];
    for (int i = 0; i < 9; i++) t[i / 3][i % 3] = random_real(&r);
    for (int k = 0; k < 3; k++) p[k] = (t[0][k] + t[1][k] + t[2][k]) / 3;
    for (int k = 0; k < 3; k++) q[k] = p[k] + 0.1 * random_real(&r);
    const double *const tri[3] = {t[0], t[1], t[2]};
    const int far_side = sofa_orient3d(t[0], t[1], t[2], q);
    for (int step = -3; step <= 3; step++) {
      double s[3] = {p[0], p[1], p[2]};
      for (int k = 0; k < abs(step); k++) s[n % 3] = nextafter(s[n % 3], step * 10);
      const int side = sofa_orient3d(t[0], t[1], t[2], s);
      assert_int_equal(sofa_segment_meets_triangle(s, q, tri), side * far_side <= 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_of_all_sizes),
      cmocka_unit_test(one_unit_in_the_last_place),
      cmocka_unit_test(segments_and_triangles),
      cmocka_unit_test(triangles_apart),
      cmocka_unit_test(triangles_with_a_common_corner),
      cmocka_unit_test(triangles_with_a_common_edge),
      cmocka_unit_test(a_corner_one_ulp_beyond_a_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
