/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of three reals by value, for loops over points: they stay in registers, where arrays of
 * three reals are stored in parts and wait to be read again. The operations are those of vec.h and
 * quaternion.h, to the bit. */
#ifndef SOFA_MATH_THREE_H
#define SOFA_MATH_THREE_H

typedef struct SofaThree {
  double x, y, z;
} SofaThree;

static inline SofaThree sofa_three(const double *p) {
  return (SofaThree){p[0], p[1], p[2]};
}
static inline void sofa_three_put(SofaThree a, double *p) {
  p[0] = a.x;
  p[1] = a.y;
  p[2] = a.z;
}
static inline SofaThree sofa_three_add(SofaThree a, SofaThree b) {
  return (SofaThree){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline SofaThree sofa_three_scale(double f, SofaThree a) {
  return (SofaThree){f * a.x, f * a.y, f * a.z};
}
static inline SofaThree sofa_three_axpy(double f, SofaThree a, SofaThree b) { /* f a + b */
  return (SofaThree){b.x + f * a.x, b.y + f * a.y, b.z + f * a.z};
}
static inline SofaThree sofa_three_cross(SofaThree a, SofaThree b) {
  return (SofaThree){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/* The matrix m, row major, times v. */
static inline SofaThree sofa_three_apply(const double *m, SofaThree v) {
  return (SofaThree){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                     m[6] * v.x + m[7] * v.y + m[8] * v.z};
}
/* v turned by the unit quaternion q. */
static inline SofaThree sofa_three_rotate(const double *q, SofaThree v) {
  const SofaThree axis = sofa_three(q), t = sofa_three_scale(2, sofa_three_cross(axis, v));
  return sofa_three_add(sofa_three_axpy(q[3], t, v), sofa_three_cross(axis, t));
}

#endif
