/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The texts of joints, their rest and their matrices. */
#include "components/solidmechanics/spring/joint_spring.h"

#include <string.h>

#include "math/quaternion.h"

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
  for (int i = 0; i < 3; i++) s->kt[i] = s->translation[s->free[i] != 0 ? 0 : 1];
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

/* ---- matrix ---- */

void sofa_joint_matrix(const SofaJointSpring *s, double *k) {
  double r[9];
  sofa_quat_to_matrix(s->reference, r);
  memset(k, 0, 36 * sizeof *k);
  for (int part = 0; part < 6; part += 3) {
    const double *stiffness = part ? s->kr : s->kt;
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        double sum = 0;
        for (int a = 0; a < 3; a++) sum += r[3 * i + a] * stiffness[a] * r[3 * j + a];
        k[6 * (part + i) + part + j] = sum;
      }
    }
  }
}
