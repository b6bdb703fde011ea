/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over springs between frames (Rigid3d), compiled once per instruction set: a spring
 * in each lane. avx2 and avx512 give the same bits; lanes do not see each other. Forces are added
 * spring by spring. */
#ifndef SOFA_COMPONENTS_SPRING_FRAME_KERNELS_H
#define SOFA_COMPONENTS_SPRING_FRAME_KERNELS_H

#include "components/solidmechanics/spring/joint_spring.h"
#include "components/solidmechanics/spring/spring_items.h"
#include "numerics/fem/spring_kernels.h"

/* Kernels read neighbouring reals of the structs below at once. */

/* Of AngularSpringForceField. */
typedef struct AngularSpring {
  uint32_t frame, before; /* turns to the one before */
  double torque, tangent; /* N m: of its force, of its derivative */
} AngularSpring;

/* Of FrameSpringForceField. With arms a_i = R_i vec_i, d = c2 + a2 - c1 - a1 and the rotation
 * vector r of R2 R1^T, the energy is kt |d|^2 / 2 + kr |r|^2 / 2. The damping acts on the
 * velocities of the ends of the arms and on the angular velocities (SOFA: on the velocities of the
 * frames). */
typedef struct FrameSpring {
  SofaItemHead head; /* points: first frame, second frame */
  double damping, arm1[3], arm2[3], kt, kr;
  double a1[3], a2[3]; /* of the last force */
} FrameSpring;

/* Of GearSpringForceField. points: parent 1, gear 1 (first state), parent 2, gear 2 (second state).
 * A gear that is its own parent turns about where it was at the start. */
typedef struct GearSpring {
  SofaItemHead head;
  double axis[2];                                  /* 0 1 2: which axis of the gear is free */
  double rotation[2], ratio, translation, damping; /* N m: of the gearing, of blocked axes; N/m */
  double along[2][3]; /* the free axes of the parents at the last force */
  /* history, rad: angles summed up; the last ones; those at the start */
  double angle[2], previous[2], first[2];
  double parent[2][7]; /* poses at the start of gears that are their own parents */
} GearSpring;

/* Positions, velocities and forces of the two states at one evaluation. */
typedef struct FrameVectors {
  const double *const *x, *const *v;
  double *const *f; /* NULL: forces are not added, and v is not read */
} FrameVectors;

typedef struct FrameSpringKernels {
  const char *name; /* as of SofaKernels */
  /* Adds the torques; long_way: quaternions are not turned back, which SOFA leaves out. */
  void (*angular)(const AngularSpring *springs, size_t n, bool long_way, const double *x,
                  double *f);
  /* Adds the forces, sets the arms. */
  void (*force)(FrameSpring *springs, size_t n, bool as_sofa, const FrameVectors *at);
  /* df += K dx; as_sofa: without arms, and the factors do not count */
  void (*product)(const FrameSpring *springs, size_t n, bool as_sofa, SofaSpringFactors by,
                  const double *const *dx, double *const *df);
} FrameSpringKernels;

/* How the forces of joints are evaluated. */
typedef struct JointCall {
  bool constant;           /* some have constant forces */
  bool unscaled_pivot;     /* quirk: the torque against tilting a single free axis has a factor
                              sin(tilt) */
  SofaJointReport *report; /* of each joint; NULL: not asked for. With it v is read */
} JointCall;

typedef struct JointKernels {
  const char *name; /* as of SofaKernels */
  /* Adds the forces, sets what is kept of them. */
  void (*force)(SofaJointSpring *springs, size_t n, const JointCall *call, const FrameVectors *at);
  /* df += K dx: the axes count as fixed, which is exact at rest. */
  void (*product)(const SofaJointSpring *springs, size_t n, SofaSpringFactors by,
                  const double *const *dx, double *const *df);
} JointKernels;

typedef struct GearReport {
  double angle[2], torque; /* rad; N m, F = -soft (ratio angle1 + angle2) */
} GearReport;

/* How the forces of gears are evaluated. */
typedef struct GearCall {
  bool as_sofa;       /* quirk: counts tilts as turns, takes 2/pi for a full turn */
  bool advances;      /* the angles at these poses are taken in */
  GearReport *report; /* of each gear; NULL: not asked for */
} GearCall;

typedef struct GearKernels {
  const char *name; /* as of SofaKernels */
  /* Adds the forces, sets the free axes of the parents. */
  void (*force)(GearSpring *springs, size_t n, const GearCall *call, const FrameVectors *at);
  /* df += K dx: axes count as fixed in the parents, and parents as not turning for the gearing:
   * exact at rest where gears are their own parents, symmetric everywhere. */
  void (*product)(const GearSpring *springs, size_t n, SofaSpringFactors by,
                  const double *const *dx, double *const *df);
} GearKernels;

/* The kernels of the context's instruction set. */
const FrameSpringKernels *frame_spring_kernels(const SofaContext *ctx);
const JointKernels *joint_kernels(const SofaContext *ctx);
const GearKernels *gear_kernels(const SofaContext *ctx);

/* Use the functions above. The last two of each exist on x86-64 only. */
extern const FrameSpringKernels frame_spring_kernels_baseline, frame_spring_kernels_avx2,
    frame_spring_kernels_avx512;
extern const JointKernels joint_kernels_baseline, joint_kernels_avx2, joint_kernels_avx512;
extern const GearKernels gear_kernels_baseline, gear_kernels_avx2, gear_kernels_avx512;

#endif
