/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums over frames, compiled once per instruction set with KERNELS_ISA naming it. */
#include "numerics/mapping/frame_sums_kernels_impl.h"

#include "math/quaternion.h"
#include "math/point_register_impl.h"

static void apply(SofaFrameSums *m, const double *x, double *out) {
  const uint32_t *start = m->start.data;
  for (size_t i = 0; i < m->n; i++) {
    Quad sum = {0, 0, 0, 0};
    for (uint32_t e = start[i]; e < start[i + 1]; e++) {
      const double *frame = SOFA_POSE(x, m->frame.data[e]), *q = frame + 3;
      const Quad axis = POINT(q), axis1 = TURNED(axis);
      const Quad local = POINT(m->local.data + 3 * (size_t)e), local1 = TURNED(local);
      const Quad twice = 2 * CROSS(axis, axis1, local, local1), twice1 = TURNED(twice);
      const Quad arm = (local + q[3] * twice) + CROSS(axis, axis1, twice, twice1);
      double *kept = m->arm.data + 3 * (size_t)e;
      PUT(arm, kept);
      sum = (sum + m->weight.data[e] * POINT(frame)) + arm;
    }
    double *to = out + 3 * i;
    PUT(sum, to);
  }
}

static void apply_j(const SofaFrameSums *m, const double *v, double *out) {
  const uint32_t *start = m->start.data;
  for (size_t i = 0; i < m->n; i++) {
    Quad sum = {0, 0, 0, 0};
    for (uint32_t e = start[i]; e < start[i + 1]; e++) {
      const double *frame = SOFA_TWIST(v, m->frame.data[e]);
      const Quad arm = POINT(m->arm.data + 3 * (size_t)e), arm1 = TURNED(arm);
      const Quad turn = POINT(frame + 3), turn1 = TURNED(turn);
      sum = (sum + m->weight.data[e] * POINT(frame)) + CROSS(turn, turn1, arm, arm1);
    }
    double *to = out + 3 * i;
    PUT(sum, to);
  }
}

/* Frame by frame: its sums stay in registers, over ascending points. */
static void apply_jt(const SofaFrameSums *m, const double *f, double *in) {
  for (size_t j = 0; j + 1 < m->column_start.n; j++) {
    double *to = SOFA_TWIST(in, j), *turn_to = to + 3;
    Quad sum = POINT(to), turn = POINT(turn_to);
    for (uint32_t k = m->column_start.data[j]; k < m->column_start.data[j + 1]; k++) {
      const size_t e = m->column_entry.data[k];
      const Quad force = POINT(f + 3 * (size_t)m->column_point.data[k]), force1 = TURNED(force);
      const Quad arm = POINT(m->arm.data + 3 * e), arm1 = TURNED(arm);
      sum += m->weight.data[e] * force;
      turn += CROSS(arm, arm1, force, force1);
    }
    PUT(sum, to);
    PUT(turn, turn_to);
  }
}

const SofaFrameSumKernels CAT(sofa_frame_sum_kernels_, KERNELS_ISA) = {
    .apply = apply, .apply_j = apply_j, .apply_jt = apply_jt};
