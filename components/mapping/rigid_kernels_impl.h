/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points fixed to frames in space, compiled once per instruction set. Use rigid_kernels. */
#ifndef COMPONENTS_MAPPING_RIGID_KERNELS_IMPL_H
#define COMPONENTS_MAPPING_RIGID_KERNELS_IMPL_H

#include <stddef.h>
#include <stdint.h>

/* n points: the frame of each and, n x 3 reals, their lever arms at the last apply. Neighbours
 * mostly share their frame. */
typedef struct RigidPoints {
  const uint32_t *frame;
  double *arm;
  size_t n;
} RigidPoints;

typedef struct RigidKernels {
  /* local, out: n x 3 */
  void (*apply)(const RigidPoints *points, const double *frames, const double *local, double *out);
  void (*apply_j)(const RigidPoints *points, const double *twists, double *out);
  void (*apply_jt)(const RigidPoints *points, const double *forces, double *wrenches);
} RigidKernels;

/* The last two exist on x86-64 only. All give the same bits. */
extern const RigidKernels rigid_kernels_baseline, rigid_kernels_avx2, rigid_kernels_avx512;

#endif
