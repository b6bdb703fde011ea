/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points fixed to frames, compiled once per instruction set with KERNELS_ISA naming it. */
#include "components/mapping/rigid_kernels_impl.h"

#include "math/point_register_impl.h"
#include "math/quaternion.h"

/* The first point from i on that has another frame than point i. */
static inline size_t end_of_frame(const RigidPoints *points, size_t i) {
  enum { AT_ONCE = 16 };
  const uint32_t *frame = points->frame, one = frame[i];
  if (i + 1 < points->n && frame[i + 1] != one) return i + 1;
  for (; i + AT_ONCE <= points->n; i += AT_ONCE) {
    uint32_t others = 0;
    for (size_t k = 0; k < AT_ONCE; k++) others |= frame[i + k] ^ one;
    if (others) break;
  }
  while (i < points->n && frame[i] == one) i++;
  return i;
}

/* Points [i, end) of a frame. */
static void apply_frame(const double *frame, size_t i, size_t end, const double *local, double *arm,
                        double *out) {
  double r[9];
  sofa_quat_to_matrix(frame + 3, r);
  const Quad x = {r[0], r[3], r[6], 0}, y = {r[1], r[4], r[7], 0}, z = {r[2], r[5], r[8], 0};
  const Quad center = POINT(frame);
  for (; i < end; i++) {
    const double *p = local + 3 * i;
    double *rho_to = arm + 3 * i, *to = out + 3 * i;
    const Quad rho = (x * p[0] + y * p[1]) + z * p[2], place = center + rho;
    if (i + 1 < end) {
      PUT_BEFORE(rho, rho_to);
      PUT_BEFORE(place, to);
    } else {
      PUT(rho, rho_to);
      PUT(place, to);
    }
  }
}

static void apply(const RigidPoints *points, const double *frames, const double *local,
                  double *out) {
  for (size_t i = 0, end; i < points->n; i = end) {
    end = end_of_frame(points, i);
    apply_frame(SOFA_POSE(frames, points->frame[i]), i, end, local, points->arm, out);
  }
}

static void apply_j_frame(const double *twist, size_t i, size_t end, const double *arm,
                          double *out) {
  const Quad v = POINT(twist), spin = POINT(twist + 3), spin1 = TURNED(spin);
  for (; i < end; i++) {
    double *to = out + 3 * i;
    const Quad rho = POINT(arm + 3 * i), rho1 = TURNED(rho);
    const Quad sum = v + CROSS(spin, spin1, rho, rho1);
    if (i + 1 < end) PUT_BEFORE(sum, to);
    else PUT(sum, to);
  }
}

static void apply_j(const RigidPoints *points, const double *twists, double *out) {
  for (size_t i = 0, end; i < points->n; i = end) {
    end = end_of_frame(points, i);
    apply_j_frame(SOFA_TWIST(twists, points->frame[i]), i, end, points->arm, out);
  }
}

/* Torques are summed up with their reals in the order z x y, in which they are computed. */
static void apply_jt(const RigidPoints *points, const double *forces, double *wrenches) {
  for (size_t i = 0, end; i < points->n; i = end) {
    double *to = SOFA_TWIST(wrenches, points->frame[i]), *torque_to = to + 3;
    Quad force = POINT(to), torque = {torque_to[2], torque_to[0], torque_to[1], 0};
    const double *arm = points->arm;
    end = end_of_frame(points, i);
    for (size_t k = i; k < end; k++) {
      const Quad f = POINT(forces + 3 * k), f1 = TURNED(f);
      const Quad rho = POINT(arm + 3 * k), rho1 = TURNED(rho);
      force += f;
      torque += rho * f1 - rho1 * f;
    }
    const Quad turned = TURNED(torque);
    PUT(force, to);
    PUT(turned, torque_to);
  }
}

const RigidKernels CAT(rigid_kernels_,
                       KERNELS_ISA) = {.apply = apply, .apply_j = apply_j, .apply_jt = apply_jt};
