/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conversions of quaternions, and the integration of rigid frames. */
#include "math/quaternion.h"

#include <float.h>

#define PI 3.14159265358979323846

static double quat_norm2(const double *q) {
  return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

void sofa_quat_normalize(double *q) {
  const double n2 = quat_norm2(q);
  if (!(fabs(n2 - 1) > 1e-10)) return;
  if (n2 == 0) {
    q[3] = 1;
    return;
  }
  const double n = sqrt(n2);
  for (int i = 0; i < 4; i++) q[i] /= n;
}

void sofa_quat_inverse(const double *q, double *r) {
  const double n = sqrt(quat_norm2(q));
  for (int i = 0; i < 3; i++) r[i] = -q[i] / n;
  r[3] = q[3] / n;
}

void sofa_quat_from_matrix(const double *m, double *q) {
  const double trace = sofa_mat3_trace(m);
  double r[4];
  if (trace > 0) {
    double s = sqrt(trace + 1);
    r[3] = s * 0.5;
    s = 0.5 / s;
    r[0] = (m[7] - m[5]) * s;
    r[1] = (m[2] - m[6]) * s;
    r[2] = (m[3] - m[1]) * s;
  } else {
    // the largest of x, y, z first: nothing cancels
    int i = m[4] > m[0] ? 1 : 0;
    if (m[8] > m[4 * i]) i = 2;
    const int j = (i + 1) % 3, k = (j + 1) % 3;
    double s = sqrt(m[4 * i] - (m[4 * j] + m[4 * k]) + 1);
    r[i] = s * 0.5;
    s = s > 0 ? 0.5 / s : 0;
    r[j] = (m[3 * j + i] + m[3 * i + j]) * s;
    r[k] = (m[3 * k + i] + m[3 * i + k]) * s;
    r[3] = (m[3 * k + j] - m[3 * j + k]) * s;
  }
  memcpy(q, r, sizeof r);
}

static void from_half_angles(const double *half, double *q) {
  double c[3], s[3];
  for (int i = 0; i < 3; i++) {
    c[i] = cos(half[i]);
    s[i] = sin(half[i]);
  }
  q[0] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
  q[1] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
  q[2] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
  q[3] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
}

void sofa_quat_from_euler_degrees(const double *degrees, double *q) {
  double half[3];
  for (int i = 0; i < 3; i++) half[i] = degrees[i] * PI / 180 / 2;
  from_half_angles(half, q);
}

void sofa_quat_from_euler(const double *angles, double *q) {
  double half[3];
  for (int i = 0; i < 3; i++) half[i] = angles[i] / 2;
  from_half_angles(half, q);
}

void sofa_quat_slerp(const double *p, const double *q, double s, double *r) {
  const double cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  double a = 1, b = 0;
  if (fabs(cosine) < 1) {
    const double arc = acos(cosine), sine = sqrt(1 - cosine * cosine);
    const bool parallel = fabs(sine) < 0.001;
    a = parallel ? 0.5 : sin((1 - s) * arc) / sine;
    b = parallel ? 0.5 : sin(s * arc) / sine;
  }
  for (int i = 0; i < 4; i++) r[i] = a * p[i] + b * q[i];
}

void sofa_quat_from_axis_angle(const double *axis, double angle, double *q) {
  double unit[3];
  sofa_vec3_copy(axis, unit);
  if (!(sofa_vec3_normalize(unit) > 0)) {
    sofa_quat_identity(q);
    return;
  }
  sofa_vec3_scale(sin(angle / 2), unit, q);
  q[3] = cos(angle / 2);
}

/* Half the length of the rotation of a quaternion with w >= 0 as sine and angle. */
static void half_turn(const double *q, double *sine, double *angle) {
  if (q[3] > 0.999) {
    *sine = fmin(sofa_vec3_norm(q), 1);
    *angle = 2 * asin(*sine);
  } else {
    *angle = 2 * acos(q[3]);
    *sine = sin(*angle / 2);
  }
}

void sofa_quat_to_axis_angle(const double *q, double *axis, double *angle) {
  const double sign = q[3] < 0 ? -1 : 1;
  const double p[4] = {sign * q[0], sign * q[1], sign * q[2], sign * q[3]};
  double sine = 0;
  half_turn(p, &sine, angle);
  if (sine < DBL_EPSILON) {
    sofa_vec3_set(axis, 0, 1, 0);
  } else {
    for (int i = 0; i < 3; i++) axis[i] = p[i] / sine;
  }
}

void sofa_quat_to_rotation_vector(const double *q, double *v) {
  double p[4] = {q[0], q[1], q[2], q[3]}, sine = 0, angle = 0;
  sofa_quat_normalize(p);
  if (p[3] < 0) {
    for (int i = 0; i < 4; i++) p[i] = -p[i];
  }
  half_turn(p, &sine, &angle);
  for (int i = 0; i < 3; i++) v[i] = sine < DBL_EPSILON ? 0 : p[i] / sine * angle;
}

void sofa_quat_from_rotation_vector(const double *v, double *q) {
  const double angle = sofa_vec3_norm(v);
  if (angle <= 1e-5) {
    sofa_quat_identity(q);
    return;
  }
  sofa_quat_from_axis_angle(v, angle, q);
}

void sofa_quat_integrate(double *q, const double *omega) {
  double turn[4];
  sofa_vec3_scale(0.5, omega, turn);
  const double half = sofa_vec3_norm(turn);
  if (half < DBL_EPSILON) {
    turn[3] = 1;
    sofa_quat_normalize(turn);
  } else {
    sofa_vec3_scale(sin(half) / half, turn, turn);
    turn[3] = cos(half);
  }
  sofa_quat_multiply(turn, q, q);
}

void sofa_rigid3_integrate(double *coord, const double *deriv) {
  sofa_vec3_add(coord, deriv, coord);
  sofa_quat_integrate(coord + 3, deriv + 3);
}

void sofa_rigid3_difference(const double *a, const double *b, double *deriv) {
  double q[4], d[3];
  sofa_vec3_sub(a, b, d);
  sofa_quat_inverse(b + 3, q);
  sofa_quat_multiply(a + 3, q, q);
  sofa_vec3_copy(d, deriv);
  sofa_quat_to_rotation_vector(q, deriv + 3);
}

void sofa_rigid3_to_world(const double *coord, const double *v, double *r) {
  double t[3];
  sofa_quat_rotate(coord + 3, v, t);
  sofa_vec3_add(coord, t, r);
}

void sofa_rigid3_to_local(const double *coord, const double *v, double *r) {
  double t[3];
  sofa_vec3_sub(v, coord, t);
  sofa_quat_rotate_inverse(coord + 3, t, r);
}

void sofa_rigid3_multiply(const double *a, const double *b, double *r) {
  double p[3], q[4];
  sofa_rigid3_to_world(a, b, p);
  sofa_quat_multiply(a + 3, b + 3, q);
  sofa_vec3_copy(p, r);
  memcpy(r + 3, q, sizeof q);
}

void sofa_rigid2_integrate(double *coord, const double *deriv) {
  sofa_vec3_add(coord, deriv, coord);
}

void sofa_rigid2_difference(const double *a, const double *b, double *deriv) {
  sofa_vec3_sub(a, b, deriv);
  deriv[2] = fmod(deriv[2] + PI, 2 * PI) - PI;
}
