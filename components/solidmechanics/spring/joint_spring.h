/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One joint: its stiffnesses, and the force it exerts. */
#ifndef SOFA_JOINT_SPRING_H
#define SOFA_JOINT_SPRING_H

#include "components/solidmechanics/spring/spring_items.h"
#include "components/solidmechanics/spring/spring_set.h"

/* Kernels read neighbouring reals at once. */
typedef struct SofaJointSpring {
  SofaItemHead head;     /* points: first frame, second frame */
  double translation[2]; /* N/m: of free and of blocked axes */
  double free[6];     /* translations and rotations along the axes of the first frame: 0 blocked */
  double rotation[2]; /* N m: of free and of blocked axes */
  double beyond;      /* N m: of a free rotation beyond its limits */
  double rest_r[4], rest_t[3]; /* multiplies the rotation; subtracted from the offset */
  double limit[6];             /* rad: low, high about x, y, z */
  double kt[3];                /* N/m: of the axes */
  double damping;              /* N s/m and N m s */
  double kr[3], reference[4];  /* of the last force, for its derivative */
  double constant[6];          /* N, N m: further force, along the axes of the first frame */
} SofaJointSpring;

extern const SofaItemFormat sofa_joint_format;
/* Completes a spring that was read. */
void sofa_joint_finish(SofaJointSpring *s);
bool sofa_joint_is_pivot(const SofaJointSpring *s); /* exactly one free rotation */
bool sofa_joint_rest_given(const SofaJointSpring *s);
/* What SOFA puts in the place of a rest offset that is given: the offset of two poses. */
void sofa_joint_take_rest(SofaJointSpring *s, const double *x1, const double *x2);

/* What a force is made of. */
typedef struct SofaJointReport {
  double x[7], spring[6]; /* offset and rotation, force and torque along the axes of frame 1 */
  double v[6], damping[6];
  double f[6]; /* on the first frame; minus that on the second */
} SofaJointReport;

/* K of the first frame by the second one, 6 x 6; minus that by the first one. */
void sofa_joint_matrix(const SofaJointSpring *s, double *k);

#endif
