/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Continuous detection against exact arithmetic of integers: no collision is missed, and the time
 * is neither later than the collision nor earlier than the tolerance allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "ccd_queries.h"
#include "math/vec.h"
#include "numerics/contact/exact.h"

/* ---- the exact answers ---- */

/* Points times `parts` at t = i / parts. */
static void moving_at(const Moving *m, int64_t i, int64_t parts, Integers x[4]) {
  for (int p = 0; p < 12; p++)
    x[p / 3].v[p % 3] = (parts - i) * m->start[p / 3].v[p % 3] + i * m->end[p / 3].v[p % 3];
}
static bool touch(SofaCcdKind kind, const Integers x[4]) {
  double y[4][3];
  for (int k = 0; k < 4; k++) integers_reals(x[k], 1, y[k]);
  if (kind == SOFA_CCD_EDGE_EDGE) return sofa_segments_meet(y[0], y[1], y[2], y[3]);
  const double *const t[3] = {y[1], y[2], y[3]};
  return sofa_segment_meets_triangle(y[0], y[0], t);
}
/* sign of the volume of the four points */
static int volume_sign(const Integers x[4]) {
  const Integers u = integers_sub(x[1], x[0]), v = integers_sub(x[2], x[0]);
  const Integers w = integers_sub(x[3], x[0]);
  Wide det = 0;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    det += u.v[k] * ((Wide)v.v[i] * w.v[j] - (Wide)v.v[j] * w.v[i]);
  }
  return sign_of(det);
}
/* Are the feet on the lines, or on the plane, clearly within the elements, and are these not nearly
 * parallel, without length or area? (Where they are, the volume changes its sign without a
 * collision.) */
static bool clearly_inside(SofaCcdKind kind, const Integers x[4], double scale) {
  double y[4][3];
  for (int k = 0; k < 4; k++) integers_reals(x[k], scale, y[k]);
  SofaClosest c;
  const double *const t[3] = {y[1], y[2], y[3]}, *const a[2] = {y[0], y[1]},
                      *const b[2] = {y[2], y[3]};
  if (kind == SOFA_CCD_POINT_TRIANGLE) sofa_closest_point_triangle(y[0], t, &c);
  else sofa_closest_segments(a, b, &c);
  for (int k = 0; k < 4; k++) {
    if (c.w[k] < 0.01) return false;
  }
  const int first = kind == SOFA_CCD_POINT_TRIANGLE ? 1 : 0, other = first ? 3 : 2;
  double u[3], v[3], n[3];
  sofa_vec3_sub(y[first + 1], y[first], u);
  sofa_vec3_sub(y[other], first ? y[1] : y[3], v);
  sofa_vec3_cross(u, v, n);
  const double square = sofa_vec3_norm2(u) * sofa_vec3_norm2(v);
  return c.region == 15 && sofa_vec3_norm2(n) > 1e-4 * fmax(square, 0.01);
}

/* Time at or before which a collision is certain; 2: none was found. The samples see collisions of
 * rational times, also of degenerate elements; a change of the sign of the volume between samples
 * is followed to a time of 2^-30. */
static double certain_time(const Moving *m) {
  enum { PARTS = 8 };
  Integers x[4];
  int last = 0;
  for (int i = 0; i <= PARTS; i++) {
    moving_at(m, i, PARTS, x);
    const int sign = volume_sign(x);
    if (i > 0 && sign * last < 0) {
      int64_t low = i - 1, parts = PARTS;
      while (parts < INT64_C(1) << 30) {
        parts *= 2;
        low *= 2;
        moving_at(m, low + 1, parts, x);
        if (volume_sign(x) == last) low++;
      }
      moving_at(m, low, parts, x);
      if (clearly_inside(m->kind, x, 1 / (double)parts)) return (double)(low + 1) / (double)parts;
    }
    moving_at(m, i, PARTS, x);
    if (sign == 0 && touch(m->kind, x)) return (double)i / PARTS;
    last = sign;
  }
  return 2;
}

static void no_collision_is_missed(void **state) {
  (void)state;
  enum { QUERIES = 1000000 };
  Random r = {2021};
  int hits = 0, certain = 0, incomplete = 0;
  uint64_t boxes = 0;
  for (int n = 0; n < QUERIES; n++) {
    Moving m = moving_random(&r, n);
    moving_reals(&m, 1, 0);
    const SofaCcdResult got = detect(&m, &usual);
    const double time = certain_time(&m);
    if (time <= 1) assert_true(got.hit && got.time <= time);
    if (got.hit && got.complete) check_distance(&m, &usual, &got);
    hits += got.hit;
    certain += time <= 1;
    incomplete += !got.complete;
    boxes += got.boxes;
  }
  print_message("%d hits, %d certain, %d incomplete, %.1f boxes per query\n", hits, certain,
                incomplete, (double)boxes / QUERIES);
  assert_true(certain > QUERIES / 20);
  assert_true(hits - certain < QUERIES / 50);
}

/* The same with elements that come to a distance of each other. */
static void no_approach_is_missed(void **state) {
  (void)state;
  Random r = {31};
  int hits = 0, certain = 0;
  for (int n = 0; n < 50000; n++) {
    Moving m = moving_random(&r, n);
    moving_reals(&m, 1, 0);
    const SofaCcdOptions o = {0.25 * (1 + n % 5), 1e-3, 1, 300};
    const SofaCcdResult got = detect(&m, &o);
    double first = 2, size;
    for (int i = 16; i >= 0; i--) {
      if (distance_at(&m, i / 16., &size) < o.separation * (1 - 1e-12)) first = i / 16.;
    }
    if (first <= 1) assert_true(got.hit && got.time <= first);
    if (got.hit && got.complete) check_distance(&m, &o, &got);
    hits += got.hit;
    certain += first <= 1;
  }
  assert_true(certain > 15000 && hits - certain < 1500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_collision_is_missed),
      cmocka_unit_test(no_approach_is_missed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
