/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A point in a tetrahedron, a segment through a triangle: exact answers, rounded coordinates. */
#include "math/vec.h"
#include "numerics/contact/closest.h"
#include "numerics/contact/exact.h"

/* ((b - a) x (c - a)) . (d - a) */
static double volume(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3];
  sofa_vec3_sub(b, a, u);
  sofa_vec3_sub(c, a, v);
  sofa_vec3_sub(d, a, w);
  return sofa_vec3_triple(w, u, v);
}
/* Rounding must not give a share the wrong sign. */
static double with_sign(double share, int sign) {
  return share * sign > 0 ? share : 0;
}
/* Divides by the sum; false when there is none. */
static bool shares(double *w, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += w[k];
  if (!(fabs(sum) > 0) || !isfinite(sum)) return false;
  for (int k = 0; k < n; k++) w[k] /= sum;
  return true;
}

bool sofa_point_in_tetrahedron(const double *p, const double *const x[4], double w[4]) {
  const int whole = sofa_orient3d(x[0], x[1], x[2], x[3]);
  bool inside = whole != 0;
  for (int k = 0; k < 4; k++) {
    const double *y[4] = {x[0], x[1], x[2], x[3]};
    y[k] = p;
    const int side = sofa_orient3d(y[0], y[1], y[2], y[3]);
    w[k] = with_sign(volume(y[0], y[1], y[2], y[3]), side);
    inside = inside && side * whole >= 0;
  }
  if (whole == 0 || !shares(w, 4)) memset(w, 0, 4 * sizeof *w);
  return inside;
}

/* The nearest of both ends and the triangle, and of the segment and the edges. */
static void common_point(const double *p, const double *q, const double *const t[3], double *along,
                         double w[3]) {
  const double *const segment[2] = {p, q};
  SofaClosest best, c;
  sofa_closest_point_triangle(p, t, &best);
  *along = 0;
  memcpy(w, best.w + 1, 3 * sizeof *w);
  sofa_closest_point_triangle(q, t, &c);
  if (c.d2 < best.d2) {
    best = c;
    *along = 1;
    memcpy(w, c.w + 1, 3 * sizeof *w);
  }
  for (int k = 0; k < 3; k++) {
    const double *const edge[2] = {t[k], t[(k + 1) % 3]};
    sofa_closest_segments(segment, edge, &c);
    if (!(c.d2 < best.d2)) continue;
    best = c;
    *along = c.w[1];
    w[k] = c.w[2];
    w[(k + 1) % 3] = c.w[3];
    w[(k + 2) % 3] = 0;
  }
}

bool sofa_segment_triangle(const double *p, const double *q, const double *const t[3],
                           double *along, double w[3]) {
  if (!sofa_segment_meets_triangle(p, q, t)) return false;
  const int sp = sofa_orient3d(t[0], t[1], t[2], p), sq = sofa_orient3d(t[0], t[1], t[2], q);
  double end[2] = {with_sign(volume(t[0], t[1], t[2], q), sq),
                   -with_sign(volume(t[0], t[1], t[2], p), sp)};
  for (int k = 0; k < 3; k++) {
    const double *a = t[(k + 1) % 3], *b = t[(k + 2) % 3];
    w[k] = with_sign(volume(p, q, a, b), sofa_orient3d(p, q, a, b));
  }
  if (shares(end, 2) && shares(w, 3)) *along = end[1];
  else common_point(p, q, t, along, w);
  return true;
}
