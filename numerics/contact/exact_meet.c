/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments and triangles that meet, decided by exact signs. Points in a common plane are projected
 * along a coordinate axis that is not in the plane: the projection keeps what meets. */
#include "numerics/contact/exact.h"

#include <math.h>

/* sofa_orient2d of points projected along an axis */
static int turn(int axis, const double *a, const double *b, const double *c) {
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  return sofa_orient2d((double[2]){a[i], a[j]}, (double[2]){b[i], b[j]}, (double[2]){c[i], c[j]});
}
/* An axis along which the triangle has an area; -1 when it has none. */
static int axis_of(const double *a, const double *b, const double *c) {
  for (int axis = 0; axis < 3; axis++) {
    if (turn(axis, a, b, c) != 0) return axis;
  }
  return -1;
}

/* Segments on one line meet when their boxes do. */
static bool boxes_meet(const double *p, const double *q, const double *a, const double *b) {
  for (int k = 0; k < 3; k++) {
    if (fmax(p[k], q[k]) < fmin(a[k], b[k]) || fmax(a[k], b[k]) < fmin(p[k], q[k])) return false;
  }
  return true;
}

/* Segments in one plane. */
static bool segments_meet_flat(int axis, const double *p, const double *q, const double *a,
                               const double *b) {
  const int pa = turn(axis, p, q, a), pb = turn(axis, p, q, b);
  const int ap = turn(axis, a, b, p), aq = turn(axis, a, b, q);
  if (pa * pb > 0 || ap * aq > 0) return false;
  if (pa == 0 && pb == 0 && ap == 0 && aq == 0) return boxes_meet(p, q, a, b);
  return true;
}

bool sofa_segments_meet(const double *p, const double *q, const double *a, const double *b) {
  if (!boxes_meet(p, q, a, b) || sofa_orient3d(p, q, a, b) != 0) return false;
  int axis = axis_of(p, q, a);
  if (axis < 0) axis = axis_of(p, q, b);
  if (axis < 0) axis = axis_of(a, b, p);
  if (axis < 0) return true; /* on one line, with common boxes; or two points */
  return segments_meet_flat(axis, p, q, a, b);
}

static bool same_sign(const int s[3]) {
  const bool negative = s[0] < 0 || s[1] < 0 || s[2] < 0;
  const bool positive = s[0] > 0 || s[1] > 0 || s[2] > 0;
  return !(negative && positive);
}

/* The segment is in the plane of the triangle, or the triangle has no area. */
static bool flat_meets(const double *p, const double *q, const double *const t[3]) {
  const int axis = axis_of(t[0], t[1], t[2]);
  if (axis >= 0) {
    const int s[3] = {turn(axis, t[0], t[1], p), turn(axis, t[1], t[2], p),
                      turn(axis, t[2], t[0], p)};
    if (same_sign(s)) return true;
  }
  for (int k = 0; k < 3; k++) {
    const double *a = t[k], *b = t[(k + 1) % 3];
    if (axis < 0 ? sofa_segments_meet(p, q, a, b) : segments_meet_flat(axis, p, q, a, b))
      return true;
  }
  return false;
}

/* sp, sq: the sides of the plane of t on which p and q are */
static bool crossing_meets(const double *p, const double *q, const double *const t[3], int sp,
                           int sq) {
  if (sp * sq > 0) return false;
  if (sp == 0 && sq == 0) return flat_meets(p, q, t);
  const int s[3] = {sofa_orient3d(p, q, t[0], t[1]), sofa_orient3d(p, q, t[1], t[2]),
                    sofa_orient3d(p, q, t[2], t[0])};
  return same_sign(s);
}

bool sofa_segment_meets_triangle(const double *p, const double *q, const double *const t[3]) {
  const int sp = sofa_orient3d(t[0], t[1], t[2], p), sq = sofa_orient3d(t[0], t[1], t[2], q);
  return crossing_meets(p, q, t, sp, sq);
}

/* Does one of the edges first .. last of a meet b? Edge k is opposite of corner k. */
static bool edges_meet(const double *const a[3], const double *const b[3], int last) {
  int side[3];
  for (int k = 0; k < 3; k++) side[k] = sofa_orient3d(b[0], b[1], b[2], a[k]);
  for (int k = 0; k <= last; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    if (crossing_meets(a[i], a[j], b, side[i], side[j])) return true;
  }
  return false;
}

/* c is on the line through a and b: -1 before a, 1 behind b, 0 on the segment */
static int place_on_line(const double *a, const double *b, const double *c) {
  for (int k = 0; k < 3; k++) {
    const double sign = b[k] < a[k] ? -1 : 1;
    if (a[k] != b[k]) return (sign * c[k] > sign * b[k]) - (sign * c[k] < sign * a[k]);
  }
  return 0;
}

/* Triangles a0 a1 a2 and a0 a1 b2 meet beyond their edge when they are folded flat onto each other,
 * or are on one line and reach beyond the same end. */
static bool folded(const double *const a[3], const double *c) {
  if (a[0][0] == a[1][0] && a[0][1] == a[1][1] && a[0][2] == a[1][2]) return true;
  const int axis = axis_of(a[0], a[1], a[2]);
  if (axis >= 0)
    return sofa_orient3d(a[0], a[1], a[2], c) == 0 &&
           turn(axis, a[0], a[1], a[2]) == turn(axis, a[0], a[1], c);
  if (axis_of(a[0], a[1], c) >= 0) return false;
  return place_on_line(a[0], a[1], a[2]) * place_on_line(a[0], a[1], c) > 0;
}

bool sofa_triangles_meet(const double *const a[3], const double *const b[3], unsigned shared) {
  if (shared == 2) return folded(a, b[2]);
  const int last = shared == 1 ? 0 : 2;
  return edges_meet(a, b, last) || edges_meet(b, a, last);
}
