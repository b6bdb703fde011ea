/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The force of one joint. */
#include "components/solidmechanics/spring/joint_spring.h"

#include <string.h>

#include "math/quaternion.h"

#define PI 3.14159265358979323846

enum { KEY_BEYOND = 3, KEY_REST_T = 8 };
#define KEY(word, n, member)                                                                       \
  { word, n, offsetof(SofaJointSpring, member) }
static const SofaItemKey keys[] = {
    KEY("FREE_AXIS", 6, free),   KEY("KS_T", 2, translation), KEY("KS_R", 2, rotation),
    KEY("KS_B", 1, beyond),      KEY("KD", 1, damping),       KEY("R_LIM_X", 2, limit[0]),
    KEY("R_LIM_Y", 2, limit[2]), KEY("R_LIM_Z", 2, limit[4]), KEY("REST_T", 3, rest_t),
    KEY("REST_R", 4, rest_r),
};

static const SofaJointSpring preset = {
    .free = {0, 0, 0, 1, 1, 1},
    .translation = {0, 10000},
    .rotation = {0, 10000},
    .limit = {-100000, 100000, -100000, 100000, -100000, 100000},
    .rest_r = {0, 0, 0, 1},
};

const SofaItemFormat sofa_joint_format = {sizeof(SofaJointSpring), 2, keys,
                                          sizeof keys / sizeof *keys, &preset};

void sofa_joint_finish(SofaJointSpring *s) {
  if (!(s->head.given >> KEY_BEYOND & 1)) s->beyond = s->rotation[1] / 100;
  for (int i = 0; i < 3; i++) {
    if (!(s->limit[2 * i] < s->limit[2 * i + 1]) && !(s->limit[2 * i] > s->limit[2 * i + 1]))
      s->free[3 + i] = 0;
  }
}

bool sofa_joint_is_pivot(const SofaJointSpring *s) {
  return (s->free[3] != 0) + (s->free[4] != 0) + (s->free[5] != 0) == 1;
}

bool sofa_joint_rest_given(const SofaJointSpring *s) {
  return s->head.given >> KEY_REST_T & 1;
}

void sofa_joint_take_rest(SofaJointSpring *s, const double *x1, const double *x2) {
  double inverse[4];
  sofa_vec3_sub(x2, x1, s->rest_t);
  sofa_quat_inverse(x1 + 3, inverse);
  sofa_quat_multiply(x2 + 3, inverse, s->rest_r);
}

/* ---- torque ---- */

static bool is_free(const SofaJointSpring *s, int axis) {
  return s->free[3 + axis] != 0;
}

/* The nearer limit of an angle that is beyond both, angles being equal modulo 2 pi. */
static double nearer_limit(double angle, double low, double high) {
  const double turn = 2 * PI, above = angle > 0 ? angle - high : angle - high + turn;
  const double below = angle > 0 ? low + turn - angle : low - angle;
  return above < below ? high : low;
}

/* Limits act by KS_B on what is beyond them; all else is the plain spring of the axis. */
static void general_torque(SofaJointSpring *s, const double *torsion, double *torque) {
  double extra[3];
  bool beyond[3];
  for (int i = 0; i < 3; i++) {
    const double low = s->limit[2 * i], high = s->limit[2 * i + 1];
    const bool inside = torsion[i] > low && torsion[i] < high;
    const double lawful = !is_free(s, i) ? 0
                          : inside       ? torsion[i]
                                         : nearer_limit(torsion[i], low, high);
    extra[i] = torsion[i] - lawful;
    beyond[i] = is_free(s, i) && !inside && (extra[i] < 0 || extra[i] > 0);
  }
  const double size = sofa_vec3_norm(extra);
  double wrapped = size;
  while (wrapped > PI) wrapped -= 2 * PI;
  for (int i = 0; i < 3; i++) {
    if (beyond[i]) s->kr[i] = s->beyond;
    torque[i] = s->kr[i] * (beyond[i] ? extra[i] / size * wrapped : torsion[i]);
  }
}

/* One free axis a: its tilt turns it back, with the angle between both positions of the axis. */
static void pivot_torque(const SofaJointSpring *s, int a, const double *q, const double *torsion,
                         double *torque) {
  const int b = (a + 1) % 3, c = (a + 2) % 3;
  double m[9];
  sofa_quat_to_matrix(q, m);
  const double mb = m[3 * b + a], mc = m[3 * c + a], sine = sqrt(mb * mb + mc * mc);
  double tilt = atan2(sine, m[4 * a]);
  if (!s->unscaled_pivot) tilt = sine > 0 ? tilt / sine : 1;
  torque[a] = torsion[a] * s->kr[a];
  torque[b] = -mc * tilt * s->kr[b];
  torque[c] = mb * tilt * s->kr[c];
}

/* In the first frame. q: the second one in it. */
static void joint_torque(SofaJointSpring *s, const double *q, double *torque) {
  double torsion[3], angle = 0;
  int n_free = 0, axis = 0;
  sofa_quat_to_axis_angle(q, torsion, &angle);
  sofa_vec3_scale(angle, torsion, torsion);
  for (int i = 0; i < 3; i++) {
    s->kr[i] = s->rotation[is_free(s, i) ? 0 : 1];
    if (!is_free(s, i)) continue;
    n_free++;
    axis = i;
  }
  if (n_free == 1 && torsion[axis] > s->limit[2 * axis] && torsion[axis] < s->limit[2 * axis + 1]) {
    pivot_torque(s, axis, q, torsion, torque);
  } else if (n_free == 0) {
    for (int i = 0; i < 3; i++) torque[i] = s->kr[i] * torsion[i];
  } else {
    general_torque(s, torsion, torque);
  }
}

/* ---- force ---- */

void sofa_joint_force(SofaJointSpring *s, const double *const *x, const double *const *v, double *f,
                      SofaJointReport *report) {
  const size_t a = s->head.points[0], b = s->head.points[1];
  const double *x1 = SOFA_POSE(x[0], a), *x2 = SOFA_POSE(x[1], b);
  const double *v1 = SOFA_TWIST(v[0], a), *v2 = SOFA_TWIST(v[1], b);
  SofaJointReport unused, *r = report ? report : &unused;
  double t[3], q[4];
  for (int i = 0; i < 4; i++) s->reference[i] = x1[3 + i];
  for (int i = 0; i < 3; i++) s->kt[i] = s->translation[s->free[i] != 0 ? 0 : 1];
  for (int i = 0; i < 3; i++) t[i] = x2[i] - x1[i] - s->rest_t[i];
  sofa_quat_inverse(x1 + 3, q);
  sofa_quat_multiply(q, x2 + 3, q);
  sofa_quat_multiply(q, s->rest_r, q);
  sofa_quat_normalize(q);

  sofa_quat_rotate_inverse(s->reference, t, r->x);
  memcpy(r->x + 3, q, sizeof q);
  for (int i = 0; i < 3; i++) r->spring[i] = s->kt[i] * r->x[i];
  joint_torque(s, q, r->spring + 3);
  for (int part = 0; part < 6; part += 3) {
    sofa_vec3_add(s->constant + part, r->spring + part, t);
    sofa_quat_rotate(s->reference, t, f + part);
  }
  for (int i = 0; i < 6; i++) {
    r->v[i] = v2[i] - v1[i];
    r->damping[i] = s->damping * r->v[i];
    f[i] += r->damping[i];
  }
}

void sofa_joint_product(const void *spring, const double (*dx)[6], double (*df)[6]) {
  const SofaJointSpring *s = spring;
  for (int part = 0; part < 6; part += 3) {
    const double *k = part ? s->kr : s->kt;
    double d[3];
    sofa_vec3_sub(dx[1] + part, dx[0] + part, d);
    sofa_quat_rotate_inverse(s->reference, d, d);
    for (int i = 0; i < 3; i++) d[i] *= k[i];
    sofa_quat_rotate(s->reference, d, d);
    for (int i = 0; i < 3; i++) {
      df[0][part + i] = d[i];
      df[1][part + i] = -d[i];
    }
  }
}

void sofa_joint_damping(const void *spring, const double (*dv)[6], double (*df)[6]) {
  const SofaJointSpring *s = spring;
  for (int i = 0; i < 6; i++) {
    df[0][i] = s->damping * (dv[1][i] - dv[0][i]);
    df[1][i] = -df[0][i];
  }
}
