/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Closest points against exact rational arithmetic: the least of all candidates, which are the
 * corners, the feet on edges that are inside of them, and the foot on the face when it is inside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "integers.h"
#include "numerics/contact/closest.h"
#include "numerics/contact/exact.h"

/* ---- the exact squared distance: a fraction, and the region that has it ---- */

typedef struct Best {
  Wide num, den; /* den > 0 */
  unsigned region;
} Best;

static void offer(Best *best, Wide num, Wide den, unsigned region) {
  if (best->den > 0 && num * best->den >= best->num * den) return;
  *best = (Best){num, den, region};
}
static void offer_points(Best *best, Integers p, Integers a, unsigned region) {
  const Integers d = integers_sub(p, a);
  offer(best, integers_dot(d, d), 1, region);
}
/* foot strictly inside of the edge */
static void offer_edge(Best *best, Integers p, const Integers e[2], unsigned region) {
  const Integers d = integers_sub(p, e[0]), u = integers_sub(e[1], e[0]);
  const int64_t along = integers_dot(d, u), length = integers_dot(u, u);
  if (along <= 0 || along >= length) return;
  const Integers c = integers_cross(d, u);
  offer(best, integers_dot(c, c), length, region);
}
static void offer_face(Best *best, Integers p, const Integers t[3]) {
  const Integers n = integers_cross(integers_sub(t[1], t[0]), integers_sub(t[2], t[0]));
  if (integers_zero(n)) return;
  for (int k = 0; k < 3; k++) {
    const Integers e = integers_sub(t[(k + 1) % 3], t[k]), d = integers_sub(p, t[k]);
    if (integers_dot(n, integers_cross(e, d)) <= 0) return;
  }
  const Wide h = integers_dot(n, integers_sub(p, t[0]));
  offer(best, h * h, integers_dot(n, n), 15);
}
static Best exact_point_triangle(Integers p, const Integers t[3]) {
  Best best = {0, 0, 0};
  for (int k = 0; k < 3; k++) offer_points(&best, p, t[k], 1 | 2U << k);
  for (int k = 0; k < 3; k++) {
    const Integers e[2] = {t[k], t[(k + 1) % 3]};
    offer_edge(&best, p, e, 1 | 2U << k | 2U << (k + 1) % 3);
  }
  offer_face(&best, p, t);
  return best;
}
static Best exact_point_segment(Integers p, const Integers e[2]) {
  Best best = {0, 0, 0};
  offer_points(&best, p, e[0], 3);
  offer_points(&best, p, e[1], 5);
  offer_edge(&best, p, e, 7);
  return best;
}
static Best exact_segments(const Integers a[2], const Integers b[2]) {
  Best best = {0, 0, 0};
  for (int k = 0; k < 4; k++) offer_points(&best, a[k / 2], b[k % 2], 1U << k / 2 | 4U << k % 2);
  for (int k = 0; k < 2; k++) {
    offer_edge(&best, a[k], b, 12 | 1U << k);
    offer_edge(&best, b[k], a, 3 | 4U << k);
  }
  const Integers u = integers_sub(a[1], a[0]), v = integers_sub(b[1], b[0]);
  const Integers n = integers_cross(u, v), w = integers_sub(b[0], a[0]);
  const int64_t n2 = integers_dot(n, n);
  const int64_t s = integers_dot(integers_cross(w, v), n),
                t = integers_dot(integers_cross(w, u), n);
  if (s > 0 && s < n2 && t > 0 && t < n2) {
    const Wide h = integers_dot(n, w);
    offer(&best, h * h, n2, 15);
  }
  return best;
}

/* ---- checks of a result ---- */

typedef struct Case {
  double x[4][3];
  int first, all; /* points of the first element, of both */
  double size;    /* largest difference of coordinates */
} Case;

/* Coordinates are integers times a power of two, so that all their differences are exact. */
static void case_set(Case *c, const Integers *x, int first, int all, double scale) {
  c->first = first;
  c->all = all;
  c->size = 0;
  for (int i = 0; i < all; i++) integers_reals(x[i], scale, c->x[i]);
  for (int i = 0; i < 3 * all; i++) {
    for (int j = i % 3; j < i; j += 3)
      c->size = fmax(c->size, fabs(c->x[i / 3][i % 3] - c->x[j / 3][j % 3]));
  }
  if (c->size == 0) c->size = scale;
}

static void check_weights(const Case *c, const SofaClosest *r) {
  double sum[2] = {0, 0}, point[2][3] = {{0}};
  for (int k = 0; k < 4; k++) {
    assert_true(r->w[k] >= 0 && r->w[k] <= 1);
    if (!(r->region >> k & 1)) assert_true(r->w[k] == 0);
    if (k >= c->all) continue;
    const int side = k >= c->first;
    sum[side] += r->w[k];
    for (int i = 0; i < 3; i++) point[side][i] += r->w[k] * c->x[k][i];
  }
  double most = 0;
  for (int i = 0; i < 3 * c->all; i++) most = fmax(most, fabs(c->x[i / 3][i % 3]));
  for (int side = 0; side < 2; side++) assert_true(fabs(sum[side] - 1) < 4e-16);
  const double near = 4e-15 * most + 1e-300;
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(point[0][i] - r->p[i]) <= near);
    assert_true(fabs(point[1][i] - r->q[i]) <= near);
    assert_true(fabs(r->p[i] + r->r[i] - r->q[i]) <= near);
  }
}

/* The distance, relative to the size; region 0 is not checked. */
static void check(const Case *c, const SofaClosest *r, Best best, double scale, unsigned region) {
  check_weights(c, r);
  const double expected = sqrt((double)best.num / (double)best.den), unit = 1 / scale;
  const double x = unit * r->r[0], y = unit * r->r[1], z = unit * r->r[2];
  assert_true(fabs(sqrt(x * x + y * y + z * z) - expected) <= 2e-15 * unit * c->size);
  assert_true(r->d2 == r->r[0] * r->r[0] + r->r[1] * r->r[1] + r->r[2] * r->r[2]);
  if (region) assert_int_equal(r->region, region);
}

/* Extents from 1, where most is degenerate, to 300; scales from squares that underflow to those
 * that overflow. */
static int64_t extent(int n) {
  static const int64_t all[5] = {1, 2, 4, 20, 300};
  return all[n % 5];
}
static double scale(int n) {
  static const double all[8] = {1, 1, 1, 0x1p-20, 1, 0x1p-320, 0x1p400, 0x1p-250};
  return all[n / 5 % 8];
}

enum { CASES = 1000000 };

static void points(void **state) {
  (void)state;
  Random r = {1};
  SofaClosest out;
  for (int n = 0; n < CASES; n++) {
    const Integers x[2] = {integers_random(&r, extent(n)), integers_random(&r, extent(n))};
    Case c;
    case_set(&c, x, 1, 2, scale(n));
    Best best = {0, 0, 0};
    offer_points(&best, x[0], x[1], 3);
    sofa_closest_points(c.x[0], c.x[1], &out);
    check(&c, &out, best, scale(n), 3);
  }
}

static void point_and_segment(void **state) {
  (void)state;
  Random r = {2};
  SofaClosest out;
  unsigned seen = 0;
  for (int n = 0; n < CASES; n++) {
    Integers x[3];
    for (int i = 0; i < 3; i++) x[i] = integers_random(&r, extent(n));
    Case c;
    case_set(&c, x, 1, 3, scale(n));
    sofa_closest_point_segment(c.x[0], c.x[1], c.x[2], &out);
    check(&c, &out, exact_point_segment(x[0], x + 1), scale(n),
          exact_point_segment(x[0], x + 1).region);
    seen |= 1U << out.region;
  }
  assert_int_equal(seen, 1 << 3 | 1 << 5 | 1 << 7);
}

/* every tenth triangle is a sliver, or without area */
static void random_triangle(Random *r, int n, Integers t[3]) {
  const int64_t e = extent(n);
  for (int i = 0; i < 3; i++) t[i] = integers_random(r, e);
  if (n % 10 < 9) return;
  const Integers d = integers_random(r, e / 50 + 1);
  const int64_t a = random_integer(r, 30), b = random_integer(r, 30);
  for (int k = 0; k < 3; k++) {
    t[1].v[k] = t[0].v[k] + a * d.v[k];
    t[2].v[k] = t[0].v[k] + b * d.v[k];
  }
  if (n % 20 == 9) t[2].v[n % 3] += 1;
}

static bool sliver(const Integers t[3]) {
  const Integers u = integers_sub(t[1], t[0]), v = integers_sub(t[2], t[0]);
  const Integers n = integers_cross(u, v);
  return (Wide)integers_dot(n, n) * 100000000 <= (Wide)integers_dot(u, u) * integers_dot(v, v);
}

static void point_and_triangle(void **state) {
  (void)state;
  Random r = {3};
  SofaClosest out;
  unsigned seen = 0;
  for (int n = 0; n < CASES; n++) {
    Integers x[4];
    x[0] = integers_random(&r, extent(n));
    random_triangle(&r, n, x + 1);
    Case c;
    case_set(&c, x, 1, 4, scale(n));
    const double *const t[3] = {c.x[1], c.x[2], c.x[3]};
    const Best best = exact_point_triangle(x[0], x + 1);
    sofa_closest_point_triangle(c.x[0], t, &out);
    check(&c, &out, best, scale(n), sliver(x + 1) ? 0 : best.region);
    seen |= 1U << out.region;
  }
  assert_int_equal(seen, 1 << 3 | 1 << 5 | 1 << 9 | 1 << 7 | 1 << 13 | 1 << 11 | 1 << 15);
}

/* sum of the ends of the overlap of parallel segments in the parameter of a, times u.u; false when
 * they have no common part with a length */
static bool overlap_of(const Integers a[2], const Integers b[2], int64_t *sum, int64_t *uu) {
  const Integers u = integers_sub(a[1], a[0]);
  int64_t from = integers_dot(u, integers_sub(b[0], a[0]));
  int64_t to = integers_dot(u, integers_sub(b[1], a[0]));
  *uu = integers_dot(u, u);
  if (from > to) {
    const int64_t swap = from;
    from = to;
    to = swap;
  }
  if (from < 0) from = 0;
  if (to > *uu) to = *uu;
  *sum = from + to;
  return from < to;
}

static void two_segments(void **state) {
  (void)state;
  Random r = {4};
  SofaClosest out;
  unsigned seen = 0;
  int middles = 0;
  for (int n = 0; n < CASES; n++) {
    Integers x[4];
    for (int i = 0; i < 4; i++) x[i] = integers_random(&r, extent(n));
    if (n % 7 == 0) { /* parallel, or nearly */
      const int64_t m = random_integer(&r, 2);
      for (int k = 0; k < 3; k++) x[3].v[k] = x[2].v[k] + m * (x[1].v[k] - x[0].v[k]);
      if (n % 14 == 0) x[3].v[n % 3]++;
    }
    Case c;
    case_set(&c, x, 2, 4, scale(n));
    const double *const a[2] = {c.x[0], c.x[1]}, *const b[2] = {c.x[2], c.x[3]};
    const Best best = exact_segments(x, x + 2);
    const Integers m = integers_cross(integers_sub(x[1], x[0]), integers_sub(x[3], x[2]));
    sofa_closest_segments(a, b, &out);
    check(&c, &out, best, scale(n), integers_zero(m) ? 0 : best.region);
    int64_t sum, uu;
    if (integers_zero(m) && overlap_of(x, x + 2, &sum, &uu)) {
      assert_int_equal(out.region, 15);
      assert_true(fabs(out.w[1] - 0.5 * (double)sum / (double)uu) < 4e-16);
      middles++;
    }
    seen |= 1U << out.region;
  }
  assert_int_equal(seen, 1 << 5 | 1 << 9 | 1 << 6 | 1 << 10 | 1 << 13 | 1 << 14 | 1 << 7 | 1 << 11 |
                             1 << 15);
  assert_true(middles > 10000);
}

/* Of equally close parts the documented one. */
static void ties(void **state) {
  (void)state;
  const double o[3] = {0, 0, 0}, x[3] = {2, 0, 0}, p[3] = {1, 1, 0}, y[3] = {0, 2, 0};
  const double far[3] = {3, 0, 0}, end[3] = {5, 0, 0};
  SofaClosest c;
  sofa_closest_point_segment(p, x, x, &c);
  assert_int_equal(c.region, 3);
  const double *const flat[3] = {x, o, x}, *const crossing[3] = {o, x, o};
  sofa_closest_point_triangle(p, flat, &c);
  assert_int_equal(c.region, 1 | 2 | 4);
  sofa_closest_point_triangle(p, crossing, &c);
  assert_int_equal(c.region, 1 | 2 | 4);
  const double *const point[3] = {y, y, y};
  sofa_closest_point_triangle(p, point, &c);
  assert_int_equal(c.region, 1 | 2);
  const double *const a[2] = {o, x}, *const b[2] = {end, far}, *const none[2] = {p, p};
  sofa_closest_segments(a, b, &c);
  assert_int_equal(c.region, 2 | 8);
  sofa_closest_segments(none, a, &c);
  assert_int_equal(c.region, 1 | 4 | 8);
  sofa_closest_segments(a, none, &c);
  assert_int_equal(c.region, 1 | 2 | 4);
}

/* Nearly parallel segments and slivers with an angle of 1e-8: the distance stays accurate. */
static void small_angles(void **state) {
  (void)state;
  Random r = {77};
  for (int n = 0; n < 100000; n++) {
    double a[2][3], b[2][3], u[3];
    for (int k = 0; k < 3; k++) {
      u[k] = random_real(&r);
      const double cross = random_real(&r), tilt = 1e-8 * random_real(&r);
      a[0][k] = cross - u[k];
      a[1][k] = cross + u[k];
      b[0][k] = cross - (u[k] + tilt);
      b[1][k] = cross + (u[k] + tilt);
    }
    const double *const pa[2] = {a[0], a[1]}, *const pb[2] = {b[0], b[1]};
    SofaClosest c;
    sofa_closest_segments(pa, pb, &c);
    assert_true(sqrt(c.d2) < 8e-15); /* they cross in the middle */
    double q[3], p[3], normal[3] = {0, 0, 0}, h = 0.25 * random_real(&r);
    const double s = 0.3 + 0.1 * random_real(&r), t = 0.3 + 0.1 * random_real(&r);
    const double v[3] = {b[1][0] - a[0][0], b[1][1] - a[0][1], b[1][2] - a[0][2]};
    const double w[3] = {a[1][0] - a[0][0], a[1][1] - a[0][1], a[1][2] - a[0][2]};
    for (int k = 0; k < 3; k++) q[k] = a[0][k] + s * v[k] + t * w[k];
    normal[0] = u[1]; /* near the plane is enough: along the triangle's length the distance is 0 */
    normal[1] = -u[0];
    const double l = hypot(u[0], u[1]) + 1e-3;
    for (int k = 0; k < 3; k++) p[k] = q[k] + h / l * normal[k];
    const double *const tri[3] = {a[0], b[1], a[1]};
    sofa_closest_point_triangle(p, tri, &c);
    const double bound = fabs(h) / l * hypot(normal[0], normal[1]);
    assert_true(sqrt(c.d2) <= bound + 8e-15);
    assert_true(sqrt(c.d2) >= bound * (1 - 1e-5) - 1.1e-8);
    sofa_closest_point_triangle(q, tri, &c);
    assert_true(sqrt(c.d2) < 8e-15);
  }
}

static void spheres(void **state) {
  (void)state;
  const double p[3] = {1, 0, 0}, q[3] = {1, 3, 4}, radius[2] = {2, 1};
  SofaClosest c;
  double n[3];
  sofa_closest_points(p, q, &c);
  assert_true(fabs(sofa_closest_gap(&c, radius, n) - 2) < 1e-15);
  assert_true(n[0] == 0 && fabs(n[1] - 0.6) < 1e-15 && fabs(n[2] - 0.8) < 1e-15);
  assert_true(fabs(c.p[1] - 1.2) < 1e-15 && fabs(c.p[2] - 1.6) < 1e-15);
  assert_true(fabs(c.q[1] - 2.4) < 1e-15 && fabs(c.q[2] - 3.2) < 1e-15 && c.d2 == 25);
  sofa_closest_points(p, p, &c);
  assert_true(sofa_closest_gap(&c, radius, n) == -3);
  assert_true(n[0] == 1 && n[1] == 0 && n[2] == 0);
  const double a[3] = {0, 0x1p-600, 0}, b[3] = {0, 0, 0}, zero[2] = {0, 0};
  sofa_closest_points(b, a, &c);
  assert_true(sofa_closest_gap(&c, zero, n) == 0x1p-600);
  assert_true(n[0] == 0 && n[1] == 1 && n[2] == 0);
}

/* ---- inside ---- */

static void in_tetrahedra(void **state) {
  (void)state;
  Random r = {5};
  int count[3] = {0, 0, 0};
  for (int n = 0; n < CASES; n++) {
    Integers x[4], p;
    double y[4][3], z[3], w[4];
    const int64_t e = 1 + n % 6;
    for (int i = 0; i < 4; i++) {
      x[i] = integers_random(&r, e);
      integers_reals(x[i], 0x1p-30, y[i]);
      for (int k = 0; k < 3; k++) y[i][k] += 5;
    }
    p = integers_random(&r, e);
    integers_reals(p, 0x1p-30, z);
    for (int k = 0; k < 3; k++) z[k] += 5;
    int64_t part[4], sum = 0;
    bool inside = true;
    for (int k = 0; k < 4; k++) {
      Integers t[4] = {x[0], x[1], x[2], x[3]};
      t[k] = p;
      part[k] = integers_det(integers_sub(t[1], t[0]), integers_sub(t[2], t[0]),
                             integers_sub(t[3], t[0]));
      sum += part[k];
    }
    for (int k = 0; k < 4; k++) inside = inside && (sum > 0 ? part[k] >= 0 : part[k] <= 0);
    const double *const c[4] = {y[0], y[1], y[2], y[3]};
    assert_int_equal(sofa_point_in_tetrahedron(z, c, w), inside && sum != 0);
    for (int k = 0; k < 4; k++) {
      if (sum == 0) assert_true(w[k] == 0);
      if (sum != 0) assert_true(fabs(w[k] - (double)part[k] / (double)sum) < 1e-13);
      if (sum != 0 && part[k] == 0) assert_true(w[k] == 0);
    }
    count[sum == 0 ? 0 : inside ? 1 : 2]++;
  }
  assert_true(count[0] > 1000 && count[1] > 10000 && count[2] > 10000);
}

static void segment_through_triangle(void **state) {
  (void)state;
  Random r = {6};
  int met = 0, flat = 0;
  for (int n = 0; n < CASES; n++) {
    Integers x[5];
    double y[5][3], along, w[3];
    for (int i = 0; i < 5; i++) {
      x[i] = integers_random(&r, 1 + n % 6);
      if (n % 4 == 0) x[i].v[0] = 1;
      integers_reals(x[i], n % 8 == 7 ? 0x1p-250 : 0.125, y[i]);
    }
    const double *const t[3] = {y[2], y[3], y[4]};
    const bool meets = sofa_segment_triangle(y[0], y[1], t, &along, w);
    assert_int_equal(meets, sofa_segment_meets_triangle(y[0], y[1], t));
    if (!meets) continue;
    met++;
    flat += n % 4 == 0;
    assert_true(along >= 0 && along <= 1 && w[0] >= 0 && w[1] >= 0 && w[2] >= 0);
    assert_true(fabs(w[0] + w[1] + w[2] - 1) < 4e-16);
    for (int k = 0; k < 3; k++) {
      const double a = (1 - along) * y[0][k] + along * y[1][k];
      const double b = w[0] * y[2][k] + w[1] * y[3][k] + w[2] * y[4][k];
      assert_true(fabs(a - b) < 3e-15 * (n % 8 == 7 ? 0x1p-247 : 1));
    }
  }
  assert_true(met > 100000 && flat > 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points),
      cmocka_unit_test(point_and_segment),
      cmocka_unit_test(point_and_triangle),
      cmocka_unit_test(two_segments),
      cmocka_unit_test(ties),
      cmocka_unit_test(small_angles),
      cmocka_unit_test(spheres),
      cmocka_unit_test(in_tetrahedra),
      cmocka_unit_test(segment_through_triangle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
