/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quaternions (x, y, z, w) and rigid frames: coord = position and quaternion (7 reals), deriv =
 * linear and angular velocity about world axes (6 reals). Thresholds and normalisations
 * follow SOFA, because they affect results. A result may be one of the arguments. */
#ifndef SOFA_MATH_QUATERNION_H
#define SOFA_MATH_QUATERNION_H

#include "base/api.h"
#include "math/vec.h"

SOFA_BEGIN_DECLS

/* ---- access to frames of Rigid3d in flat arrays; const pointers give const pointers ---- */

/* Coord i: its position, its quaternion 3 reals later. */
#define SOFA_POSE(x, i) ((x) + 7 * (size_t)(i))
#define SOFA_POSE_QUAT(x, i) (SOFA_POSE(x, i) + 3)
/* Deriv i, or force i: its linear part (force), its angular part (torque) 3 reals later. */
#define SOFA_TWIST(v, i) ((v) + 6 * (size_t)(i))
#define SOFA_TWIST_ANGULAR(v, i) (SOFA_TWIST(v, i) + 3)

/* ---- products and rotation: inline ---- */

static inline void sofa_quat_identity(double *q) {
  q[0] = q[1] = q[2] = 0;
  q[3] = 1;
}
/* r = p q (Hamilton): the rotation q followed by p. */
static inline void sofa_quat_multiply(const double *p, const double *q, double *r) {
  const double x = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1];
  const double y = p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2];
  const double z = p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0];
  const double w = p[3] * q[3] - (p[0] * q[0] + p[1] * q[1] + p[2] * q[2]);
  r[0] = x;
  r[1] = y;
  r[2] = z;
  r[3] = w;
}
/* r = v + w t + u x t with t = 2 u x v, also when q is not a unit quaternion. */
static inline void sofa_quat_rotate(const double *q, const double *v, double *r) {
  double t[3], ut[3];
  sofa_vec3_cross(q, v, t);
  sofa_vec3_scale(2, t, t);
  sofa_vec3_cross(q, t, ut);
  for (int i = 0; i < 3; i++) r[i] = v[i] + q[3] * t[i] + ut[i];
}
static inline void sofa_quat_rotate_inverse(const double *q, const double *v, double *r) {
  const double c[4] = {-q[0], -q[1], -q[2], q[3]};
  sofa_quat_rotate(c, v, r);
}
/* The matrix of sofa_quat_rotate, row-major. */
static inline void sofa_quat_to_matrix(const double *q, double *m) {
  const double x = q[0], y = q[1], z = q[2], w = q[3];
  const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (z * x + y * w),
                       2 * (x * y + z * w),     1 - 2 * (z * z + x * x), 2 * (y * z - x * w),
                       2 * (z * x - y * w),     2 * (y * z + x * w),     1 - 2 * (y * y + x * x)};
  sofa_mat3_copy(r, m);
}

/* ---- the rest ---- */

/* Divides by the norm, but only if | |q|^2 - 1 | > 1e-10; a zero quaternion becomes identity. */
void sofa_quat_normalize(double *q);
/* Conjugate divided by |q| (not by |q|^2; the same for unit quaternions). */
void sofa_quat_inverse(const double *q, double *r);
/* From a rotation matrix (Shoemake 1985); unit up to rounding if the matrix is a rotation. */
void sofa_quat_from_matrix(const double *m, double *q);
/* R = Rz Ry Rx of three angles in degrees: x is applied first. */
void sofa_quat_from_euler_degrees(const double *degrees, double *q);
/* The same of angles in radians. */
void sofa_quat_from_euler(const double *angles, double *q);
/* Between p (s = 0) and q (s = 1) along the great arc from p to q as they are stored: the signs are
 * not flipped to the shorter arc. p when |p.q| >= 1; the mean when the arc is (nearly) a half turn
 * of the sphere. Not normalised again. */
void sofa_quat_slerp(const double *p, const double *q, double s, double *r);
/* Axis need not have unit length; identity when it is zero. Angle in radians. */
void sofa_quat_from_axis_angle(const double *axis, double angle, double *q);
/* Unit axis and angle in [0, pi] of a unit quaternion; axis (0, 1, 0) when there is no rotation. */
void sofa_quat_to_axis_angle(const double *q, double *axis, double *angle);
/* Axis times angle; q is normalised first (by the rule above; q itself is not changed). */
void sofa_quat_to_rotation_vector(const double *q, double *v);
/* Identity when |v| <= 1e-5 (unlike sofa_quat_integrate, which is exact for small rotations). */
void sofa_quat_from_rotation_vector(const double *v, double *q);
/* q := (rotation by omega about world axes) q; the result is not normalised again. */
void sofa_quat_integrate(double *q, const double *omega);

/* coord += deriv: the step of every solver, deriv being h v. */
void sofa_rigid3_integrate(double *coord, const double *deriv);
/* deriv = a - b of two coords: difference of positions, rotation vector of q_a q_b^-1. */
void sofa_rigid3_difference(const double *a, const double *b, double *deriv);
/* r = p + q v: from the frame to the world, and back. */
void sofa_rigid3_to_world(const double *coord, const double *v, double *r);
void sofa_rigid3_to_local(const double *coord, const double *v, double *r);
/* r = a b: the frame b, given in the frame a, in the world. */
void sofa_rigid3_multiply(const double *a, const double *b, double *r);

/* The plane: coord and deriv are x, y, angle; the angle adds as an ordinary number. */
void sofa_rigid2_integrate(double *coord, const double *deriv);
/* a - b with the angle wrapped as SOFA does, fmod(d + pi, 2 pi) - pi. */
void sofa_rigid2_difference(const double *a, const double *b, double *deriv);

SOFA_END_DECLS

#endif
