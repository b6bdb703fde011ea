/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One joint: its stiffnesses, and the force it exerts. */
#ifndef SOFA_JOINT_SPRING_H
#define SOFA_JOINT_SPRING_H

#include "components/solidmechanics/spring/spring_items.h"
#include "components/solidmechanics/spring/spring_set.h"

typedef struct SofaJointSpring {
  SofaItemHead head; /* points: first frame, second frame */
  double free[6];    /* translations and rotations along the axes of the first frame: 0 blocked */
  double translation[2], rotation[2]; /* N/m, N m: of free and of blocked axes */
  double beyond;                      /* N m: of a free rotation beyond its limits */
  double damping;                     /* N s/m and N m s */
  double limit[6];                    /* rad: low, high about x, y, z */
  double rest_t[3], rest_r[4];        /* subtracted from the offset; multiplies the rotation */
  double constant[6];                 /* N, N m: further force, along the axes of the first frame */
  bool unscaled_pivot; /* quirk: the torque against tilting a single free axis has a factor
                          sin(tilt) */
  /* of the last force, for its derivative */
  double reference[4], kt[3], kr[3];
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
} SofaJointReport;

/* Force on the first frame; minus that on the second. x, v: positions and velocities of the two
 * states. report: may be NULL. */
void sofa_joint_force(SofaJointSpring *s, const double *const *x, const double *const *v, double *f,
                      SofaJointReport *report);
/* A SofaFrameProduct: the axes count as fixed, which is exact at rest. */
void sofa_joint_product(const void *spring, const double (*dx)[6], double (*df)[6]);
/* The same by velocities. */
void sofa_joint_damping(const void *spring, const double (*dv)[6], double (*df)[6]);

#endif
