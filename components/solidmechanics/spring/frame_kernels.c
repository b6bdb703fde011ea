/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of springs between frames: those of the instruction set the context chose.
 */
#include "components/solidmechanics/spring/frame_kernels.h"

#include "math/isa.h"

const FrameSpringKernels *frame_spring_kernels(const SofaContext *ctx) {
  static const FrameSpringKernels *const variants[] = SOFA_VARIANTS(&frame_spring_kernels);
  return variants[sofa_isa(ctx)];
}

const JointKernels *joint_kernels(const SofaContext *ctx) {
  static const JointKernels *const variants[] = SOFA_VARIANTS(&joint_kernels);
  return variants[sofa_isa(ctx)];
}

const GearKernels *gear_kernels(const SofaContext *ctx) {
  static const GearKernels *const variants[] = SOFA_VARIANTS(&gear_kernels);
  return variants[sofa_isa(ctx)];
}
