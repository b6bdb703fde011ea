/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of 3 and 3x3 matrices (row-major, m[3 i + j]) on plain arrays of doubles, all inline.
 * A result may be one of the arguments. Shapes are in the names and in the comments, not checked.
 */
#ifndef SOFA_MATH_VEC_H
#define SOFA_MATH_VEC_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- vectors ---- */

static inline void sofa_vec3_set(double *r, double x, double y, double z) {
  r[0] = x;
  r[1] = y;
  r[2] = z;
}
static inline void sofa_vec3_copy(const double *a, double *r) {
  sofa_vec3_set(r, a[0], a[1], a[2]);
}
static inline void sofa_vec3_add(const double *a, const double *b, double *r) {
  for (int i = 0; i < 3; i++) r[i] = a[i] + b[i];
}
static inline void sofa_vec3_sub(const double *a, const double *b, double *r) {
  for (int i = 0; i < 3; i++) r[i] = a[i] - b[i];
}
static inline void sofa_vec3_scale(double f, const double *a, double *r) { /* r = f a */
  for (int i = 0; i < 3; i++) r[i] = f * a[i];
}
static inline void sofa_vec3_axpy(double f, const double *a, double *r) { /* r += f a */
  for (int i = 0; i < 3; i++) r[i] += f * a[i];
}
static inline double sofa_vec3_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void sofa_vec3_cross(const double *a, const double *b, double *r) { /* r = a x b */
  sofa_vec3_set(r, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}
static inline double sofa_vec3_norm2(const double *a) {
  return sofa_vec3_dot(a, a);
}
static inline double sofa_vec3_norm(const double *a) {
  return sqrt(sofa_vec3_norm2(a));
}
static inline double sofa_vec3_distance(const double *a, const double *b) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sofa_vec3_norm(d);
}
/* Divides by the norm and returns it. A zero vector stays zero. */
static inline double sofa_vec3_normalize(double *a) {
  const double n = sofa_vec3_norm(a);
  if (n > 0) {
    for (int i = 0; i < 3; i++) a[i] /= n;
  }
  return n;
}
/* a . (b x c): six times the volume of the tetrahedron they span. */
static inline double sofa_vec3_triple(const double *a, const double *b, const double *c) {
  double n[3];
  sofa_vec3_cross(b, c, n);
  return sofa_vec3_dot(a, n);
}

/* ---- matrices ---- */

static inline void sofa_mat3_copy(const double *a, double *r) {
  memmove(r, a, 9 * sizeof(double));
}
static inline void sofa_mat3_diagonal(double x, double y, double z, double *r) {
  const double m[9] = {x, 0, 0, 0, y, 0, 0, 0, z};
  sofa_mat3_copy(m, r);
}
static inline void sofa_mat3_identity(double *r) {
  sofa_mat3_diagonal(1, 1, 1, r);
}
static inline void sofa_mat3_transpose(const double *a, double *r) {
  const double m[9] = {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]};
  sofa_mat3_copy(m, r);
}
static inline void sofa_mat3_scale(double f, const double *a, double *r) { /* R = f A */
  for (int i = 0; i < 9; i++) r[i] = f * a[i];
}
static inline void sofa_mat3_axpy(double f, const double *a, double *r) { /* R += f A */
  for (int i = 0; i < 9; i++) r[i] += f * a[i];
}
static inline void sofa_mat3_mul(const double *a, const double *b, double *r) { /* R = A B */
  double m[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      m[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    }
  }
  sofa_mat3_copy(m, r);
}
static inline void sofa_mat3_mul_tn(const double *a, const double *b, double *r) { /* R = A^T B */
  double m[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      m[3 * i + j] = a[i] * b[j] + a[3 + i] * b[3 + j] + a[6 + i] * b[6 + j];
  }
  sofa_mat3_copy(m, r);
}
static inline void sofa_mat3_mul_nt(const double *a, const double *b, double *r) { /* R = A B^T */
  double m[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m[3 * i + j] = sofa_vec3_dot(a + 3 * i, b + 3 * j);
  }
  sofa_mat3_copy(m, r);
}
static inline void sofa_mat3_apply(const double *a, const double *v, double *r) { /* r = A v */
  sofa_vec3_set(r, sofa_vec3_dot(a, v), sofa_vec3_dot(a + 3, v), sofa_vec3_dot(a + 6, v));
}
static inline void sofa_mat3_apply_t(const double *a, const double *v, double *r) { /* r = A^T v */
  sofa_vec3_set(r, a[0] * v[0] + a[3] * v[1] + a[6] * v[2], a[1] * v[0] + a[4] * v[1] + a[7] * v[2],
                a[2] * v[0] + a[5] * v[1] + a[8] * v[2]);
}
static inline void sofa_mat3_outer(const double *a, const double *b, double *r) { /* R = a b^T */
  double m[9];
  for (int i = 0; i < 9; i++) m[i] = a[i / 3] * b[i % 3];
  sofa_mat3_copy(m, r);
}
static inline void sofa_mat3_cross(const double *a, double *r) { /* R v = a x v */
  const double m[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  sofa_mat3_copy(m, r);
}
static inline double sofa_mat3_trace(const double *a) {
  return a[0] + a[4] + a[8];
}
static inline double sofa_mat3_det(const double *a) {
  return sofa_vec3_triple(a, a + 3, a + 6);
}
static inline double sofa_mat3_dot(const double *a, const double *b) { /* A : B */
  return sofa_vec3_dot(a, b) + sofa_vec3_dot(a + 3, b + 3) + sofa_vec3_dot(a + 6, b + 6);
}
/* Cofactors, det(A) A^-T: its rows are the cross products of the rows of A. */
static inline void sofa_mat3_cofactors(const double *a, double *r) {
  double m[9];
  sofa_vec3_cross(a + 3, a + 6, m);
  sofa_vec3_cross(a + 6, a, m + 3);
  sofa_vec3_cross(a, a + 3, m + 6);
  sofa_mat3_copy(m, r);
}
/* R = A^-1 by cofactors; *det (may be NULL) gets det A. false and R untouched if it is 0 or NaN. */
static inline bool sofa_mat3_inverse(const double *a, double *r, double *det) {
  double c[9];
  sofa_mat3_cofactors(a, c);
  const double d = sofa_vec3_dot(a, c);
  if (det) *det = d;
  if (!(d < 0 || d > 0)) return false;
  sofa_mat3_transpose(c, r);
  for (int i = 0; i < 9; i++) r[i] /= d;
  return true;
}
/* Orthonormal frame of two directions: rows ex = u/|u|, ey = ez x ex, ez along u x w. R maps world
 * to local coordinates. Not finite when u and w are parallel or zero. */
static inline void sofa_mat3_frame(const double *u, const double *w, double *r) {
  double x[3], y[3], z[3];
  sofa_vec3_scale(1 / sofa_vec3_norm(u), u, x);
  sofa_vec3_cross(x, w, z);
  sofa_vec3_scale(1 / sofa_vec3_norm(z), z, z);
  sofa_vec3_cross(z, x, y);
  sofa_vec3_copy(x, r);
  sofa_vec3_copy(y, r + 3);
  sofa_vec3_copy(z, r + 6);
}

#endif
