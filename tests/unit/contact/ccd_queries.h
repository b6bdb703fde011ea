/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Queries of continuous detection with integer coordinates, and the distance at a time. */
#ifndef TESTS_CCD_QUERIES_H
#define TESTS_CCD_QUERIES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "integers.h"
#include "numerics/contact/ccd.h"
#include "numerics/contact/closest.h"

static const SofaCcdOptions usual = {0, 1e-6, 1, 1000};

typedef struct Moving {
  SofaCcdKind kind;
  Integers start[4], end[4];
  double x[2][4][3];
} Moving;

static inline void moving_reals(Moving *m, double scale, double offset) {
  for (int i = 0; i < 4; i++) {
    integers_reals(m->start[i], scale, m->x[0][i]);
    integers_reals(m->end[i], scale, m->x[1][i]);
    for (int k = 0; k < 6; k++) m->x[k / 3][i][k % 3] += offset;
  }
}
static inline SofaCcdResult detect(const Moving *m, const SofaCcdOptions *o) {
  static _Thread_local SofaCcdWork work;
  SofaCcdQuery q = {.kind = m->kind};
  for (int i = 0; i < 4; i++) {
    q.start[i] = m->x[0][i];
    q.end[i] = m->x[1][i];
  }
  return sofa_ccd(&q, o, &work);
}

/* distance and size at a time */
static inline double distance_at(const Moving *m, double t, double *size) {
  double y[4][3];
  *size = 0;
  for (int p = 0; p < 12; p++) {
    y[p / 3][p % 3] = (1 - t) * m->x[0][p / 3][p % 3] + t * m->x[1][p / 3][p % 3];
    *size = fmax(*size, fabs(m->x[0][p / 3][p % 3]) + fabs(m->x[1][p / 3][p % 3]));
  }
  SofaClosest c;
  const double *const tri[3] = {y[1], y[2], y[3]}, *const a[2] = {y[0], y[1]},
                      *const b[2] = {y[2], y[3]};
  if (m->kind == SOFA_CCD_POINT_TRIANGLE) sofa_closest_point_triangle(y[0], tri, &c);
  else sofa_closest_segments(a, b, &c);
  return sqrt(c.d2);
}
static inline void check_distance(const Moving *m, const SofaCcdOptions *o,
                                  const SofaCcdResult *r) {
  double size;
  const double d = distance_at(m, r->time, &size);
  assert_true(d <= o->separation + 2 * o->tolerance + 1e-13 * size);
}

/* Small integers: parallel, coplanar, degenerate and resting elements are frequent. */
static inline Moving moving_random(Random *r, int n) {
  static const int64_t extents[4] = {1, 2, 3, 8};
  const int64_t e = extents[n / 2 % 4];
  Moving m = {.kind = n & 1 ? SOFA_CCD_EDGE_EDGE : SOFA_CCD_POINT_TRIANGLE};
  for (int i = 0; i < 4; i++) {
    m.start[i] = integers_random(r, e);
    m.end[i] = integers_random(r, e);
    if (n % 11 == 0) m.end[i] = m.start[i]; /* nothing moves */
  }
  if (n % 7 == 0) { /* a common translation, and one element moves */
    const Integers d = integers_random(r, e);
    for (int i = 0; i < 4; i++) {
      for (int k = 0; k < 3; k++) m.end[i].v[k] = m.start[i].v[k] + (i ? d.v[k] : -d.v[k]);
    }
  }
  return m;
}

#endif
