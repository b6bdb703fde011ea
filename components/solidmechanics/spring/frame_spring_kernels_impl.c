/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of angular springs and of springs with arms, compiled once per instruction set with
 * KERNELS_ISA naming it. */
#include "components/solidmechanics/spring/frame_kernels.h"

#include "components/solidmechanics/spring/frame_lanes_impl.h"
#include "numerics/fem/lane_block_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* ---- angular springs ---- */

/* Rotation vector from frame p to frame q. The long way round it goes against the short one, of
 * which the axis is (0, 1, 0) where there is none. */
ALWAYS void rotation(const Lanes *p, const Lanes *q, bool long_way, Lanes *v) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  Lanes d[4];
  quat_between(p, q, false, d);
  const Lanes factor = quat_turn(d);
  for (int i = 0; i < 3; i++) v[i] = factor * d[i];
  const LaneBits behind = lanes_less(d[3], zero);
  if (!long_way || !lanes_any(behind)) return;
  const Lanes turn = lanes_sqrt(lanes_dot3(v, v));
  const LaneBits some = lanes_less(lanes_set(0x1p-51), turn);
  const Lanes by = one - lanes_set(2 * M_PI) / lanes_select(some, turn, one);
  for (int i = 0; i < 3; i++) {
    const Lanes whole = lanes_set(i == 1 ? -2 * M_PI : 0);
    v[i] = lanes_select(behind, lanes_select(some, by * v[i], whole), v[i]);
  }
}

/* Torques of the springs of a register. */
ALWAYS void torques_of(const AngularSpring *springs, size_t n, bool long_way, const double *x,
                       Lanes *r) {
  const LaneSprings s = lane_springs(springs, sizeof *springs, n);
  Lanes frame[4], before[4], torque;
  load_ends(&s, 0, 7, 4, x + 3, frame);
  load_ends(&s, 1, 7, 4, x + 3, before);
  load_members(&s, offsetof(AngularSpring, torque), 1, &torque);
  rotation(before, frame, long_way, r);
  for (int i = 0; i < 3; i++) r[i] = -(torque * r[i]);
}

static void angular(const AngularSpring *springs, size_t n, bool long_way, const double *x,
                    double *f) {
  for (size_t k = 0; k < n; k += BLOCK, springs += BLOCK) {
    const size_t count = n - k < BLOCK ? n - k : BLOCK;
    Block block;
    for (size_t l = 0; l < count; l += LANES) {
      Lanes r[3];
      torques_of(springs + l, count - l, long_way, x, r);
      put(l, r, &block);
    }
    for (size_t l = 0; l < count; l++) {
      const double *xy = (l & 1 ? block.odd : block.even) + (l & ~(size_t)1);
      add_three(*(const Two *)(const void *)xy, block.z[l], f + 6 * (size_t)springs[l].frame + 3);
    }
  }
}

/* ---- springs with arms ---- */

/* Lanes of a law, and of what is kept of a force. */
typedef struct Law {
  Lanes arm1[3], arm2[3], kt, kr;
} Law;
typedef struct Kept {
  Lanes kt, kr, a1[3], a2[3];
} Kept;
_Static_assert(offsetof(FrameSpring, arm2) == offsetof(FrameSpring, arm1) + 3 * sizeof(double) &&
                   offsetof(FrameSpring, kt) == offsetof(FrameSpring, arm2) + 3 * sizeof(double) &&
                   offsetof(FrameSpring, kr) == offsetof(FrameSpring, kt) + sizeof(double) &&
                   offsetof(FrameSpring, a1) == offsetof(FrameSpring, kr) + sizeof(double) &&
                   offsetof(FrameSpring, a2) == offsetof(FrameSpring, a1) + 3 * sizeof(double),
               "eight reals of a law, eight that are kept");

/* Velocity of the end of the second arm in relation to that of the first. v: of the second frame in
 * relation to the first one; w1, w2: their spins. */
ALWAYS void closing(const Kept *s, const Lanes *v, const Lanes *w1, const Lanes *w2, Lanes *out) {
  Lanes turn1[3], turn2[3];
  lanes_cross(w1, s->a1, turn1);
  lanes_cross(w2, s->a2, turn2);
  for (int i = 0; i < 3; i++) out[i] = v[i] + (turn2[i] - turn1[i]);
}

/* The force on the first frame, and the torques: m1 on this one, minus m2 on the second one. */
typedef struct Pull {
  Lanes force[3], m1[3], m2[3];
} Pull;

/* Both frames' twists, with the torques of the force at the ends of the arms. */
ALWAYS void twists_of(const Kept *s, const Pull *by, Lanes *f) {
  Lanes torque1[3], torque2[3];
  lanes_cross(s->a1, by->force, torque1);
  lanes_cross(s->a2, by->force, torque2);
  for (int i = 0; i < 3; i++) {
    f[i] = by->force[i];
    f[3 + i] = by->m1[i] + torque1[i];
    f[6 + i] = -by->force[i];
    f[9 + i] = -(by->m2[i] + torque2[i]);
  }
}

/* The arms, and kt times the way from the end of the first one to that of the second one, kr times
 * the rotation vector from the first frame to the second one; SOFA leaves it in the axes of the
 * first. */
ALWAYS void pull_of(const Law *law, bool as_sofa, const Lanes *x1, const Lanes *x2, Kept *s,
                    Pull *out) {
  Lanes m1[9], m2[9], q[4], r[3];
  quat_matrix(x1 + 3, m1);
  quat_matrix(x2 + 3, m2);
  lanes_apply(m1, law->arm1, s->a1);
  lanes_apply(m2, law->arm2, s->a2);
  quat_between(x1 + 3, x2 + 3, false, q);
  const Lanes factor = law->kr * quat_turn(q);
  for (int i = 0; i < 3; i++) {
    out->force[i] = law->kt * ((x2[i] + s->a2[i]) - (x1[i] + s->a1[i]));
    out->m1[i] = out->m2[i] = r[i] = factor * q[i];
  }
  if (!as_sofa) return;
  lanes_apply_t(m1, r, out->m1);
  lanes_apply_t(m1, r, out->m2);
}

/* Adds the damping to the force and to the torques of both frames: SOFA takes the velocities of the
 * frames, and damps the first only, the second is driven. */
ALWAYS void damp(const LaneSprings *at, const Kept *s, bool as_sofa, const double *const *v,
                 Pull *to) {
  Lanes damping, v1[6], v2[6], d[6], rate[3];
  load_members(at, offsetof(FrameSpring, damping), 1, &damping);
  if (!lanes_any((LaneBits)(damping != lanes_set(0)))) return;
  load_ends(at, 0, 6, 6, v[0], v1);
  load_ends(at, 1, 6, 6, v[1], v2);
  for (int k = 0; k < 6; k++) d[k] = v2[k] - v1[k];
  if (as_sofa) memcpy(rate, d, sizeof rate);
  else closing(s, d, v1 + 3, v2 + 3, rate);
  for (int i = 0; i < 3; i++) {
    const Lanes torque = damping * d[3 + i];
    to->force[i] = lanes_madd(damping, rate[i], to->force[i]);
    to->m1[i] = to->m1[i] + torque;
    to->m2[i] = as_sofa ? to->m2[i] - torque : to->m2[i] + torque;
  }
}

ALWAYS void force_of(const LaneSprings *at, bool as_sofa, const FrameVectors *by) {
  Law law;
  Kept kept;
  Pull pull;
  Lanes x1[7], x2[7], f[12];
  load_members(at, offsetof(FrameSpring, arm1), 8, (Lanes *)(void *)&law);
  load_ends(at, 0, 7, 7, by->x[0], x1);
  load_ends(at, 1, 7, 7, by->x[1], x2);
  kept.kt = law.kt;
  kept.kr = law.kr;
  pull_of(&law, as_sofa, x1, x2, &kept, &pull);
  store_members(at, offsetof(FrameSpring, kt), (const Lanes *)(const void *)&kept);
  damp(at, &kept, as_sofa, by->v, &pull);
  twists_of(&kept, &pull, f);
  give_both(at, f, by->f);
}

static void force(FrameSpring *springs, size_t n, bool as_sofa, const FrameVectors *at) {
  for (size_t k = 0; k < n; k += LANES) {
    const LaneSprings s = lane_springs(springs + k, sizeof *springs, n - k);
    if (as_sofa) force_of(&s, true, at);
    else force_of(&s, false, at);
  }
}

/* The part of the second derivative of the energy that is exact at rest and never indefinite. */
ALWAYS void product_of(const LaneSprings *at, SofaSpringFactors by, const double *const *dx,
                       double *const *df) {
  Kept s;
  Pull pull;
  Lanes d1[6], d2[6], d[6], f[12], damping = lanes_set(0);
  load_members(at, offsetof(FrameSpring, kt), 8, (Lanes *)(void *)&s);
  if (by.b != 0) load_members(at, offsetof(FrameSpring, damping), 1, &damping);
  load_ends(at, 0, 6, 6, dx[0], d1);
  load_ends(at, 1, 6, 6, dx[1], d2);
  const Lanes damps = lanes_set(by.b) * damping, kt = lanes_madd(lanes_set(by.k), s.kt, damps),
              kr = lanes_madd(lanes_set(by.k), s.kr, damps);
  for (int k = 0; k < 6; k++) d[k] = d2[k] - d1[k];
  closing(&s, d, d1 + 3, d2 + 3, pull.force);
  for (int i = 0; i < 3; i++) {
    pull.force[i] = kt * pull.force[i];
    pull.m1[i] = pull.m2[i] = kr * d[3 + i];
  }
  twists_of(&s, &pull, f);
  give_both(at, f, df);
}

/* What SOFA has: no arms. */
ALWAYS void product_of_sofa(const LaneSprings *at, const double *const *dx, double *const *df) {
  Lanes k[2], d[6];
  load_members(at, offsetof(FrameSpring, kt), 2, k);
  load_relative(at, dx, d);
  for (int i = 0; i < 6; i++) d[i] = k[i / 3] * d[i];
  give_opposite(at, d, df);
}

static void product(const FrameSpring *springs, size_t n, bool as_sofa, SofaSpringFactors by,
                    const double *const *dx, double *const *df) {
  for (size_t k = 0; k < n; k += LANES) {
    const LaneSprings s = lane_springs(springs + k, sizeof *springs, n - k);
    if (as_sofa) product_of_sofa(&s, dx, df);
    else product_of(&s, by, dx, df);
  }
}

const FrameSpringKernels CAT(frame_spring_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA), .angular = angular, .force = force, .product = product};
