/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of joints, compiled once per instruction set with KERNELS_ISA naming it. */
#include "components/solidmechanics/spring/frame_kernels.h"

#include "components/solidmechanics/spring/frame_lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Lanes of a law: those of the struct from the rotations of `free` on. */
typedef struct Law {
  Lanes free[3], rotation[2], beyond, rest_r[4], rest_t[3], limit[6], kt[3], damping;
} Law;
enum { LAW_AT = offsetof(SofaJointSpring, free) + 3 * sizeof(double), LAW_REALS = 23 };
_Static_assert(sizeof(Law) == LAW_REALS * sizeof(Lanes) &&
                   offsetof(SofaJointSpring, damping) ==
                       LAW_AT + (LAW_REALS - 1) * sizeof(double) &&
                   offsetof(SofaJointSpring, kt) ==
                       offsetof(SofaJointSpring, damping) - 3 * sizeof(double),
               "the reals of a law");
/* What a product needs but for the stiffness of translations. */
typedef struct Kept {
  Lanes damping, kr[3], reference[4];
} Kept;
_Static_assert(offsetof(SofaJointSpring, reference) ==
                       offsetof(SofaJointSpring, damping) + 4 * sizeof(double) &&
                   sizeof(Kept) == 8 * sizeof(Lanes),
               "eight reals that are kept");

/* Reals begin .. end - 1 of a law, eight at once. */
ALWAYS void load_law(const LaneSprings *s, size_t begin, size_t end, Law *law) {
  Lanes *to = (Lanes *)(void *)law;
  for (size_t k = begin; k < end; k += 8) {
    const size_t left = end - k;
    load_members(s, LAW_AT + k * sizeof(double), left < 8 ? left : 8, to + k);
  }
}
/* The offset and rotation at rest. */
enum {
  REST_AT = offsetof(Law, rest_r) / sizeof(Lanes),
  REST_END = REST_AT + 7,
};
_Static_assert(offsetof(Law, limit) / sizeof(Lanes) == REST_END, "seven reals");

/* ---- torque ---- */

ALWAYS LaneBits is_free(const Law *law, int axis) {
  return (LaneBits)(law->free[axis] != lanes_set(0));
}

/* The nearer limit of an angle that is beyond both, angles being equal modulo 2 pi. */
ALWAYS Lanes nearer_limit(Lanes angle, Lanes low, Lanes high) {
  const Lanes turn = lanes_set(2 * M_PI);
  const LaneBits positive = lanes_less(lanes_set(0), angle);
  const Lanes above = lanes_select(positive, angle - high, (angle - high) + turn);
  const Lanes below = lanes_select(positive, (low + turn) - angle, low - angle);
  return lanes_select(lanes_less(above, below), high, low);
}

ALWAYS LaneBits is_inside(const Law *law, int axis, Lanes angle) {
  return lanes_less(law->limit[2 * axis], angle) & lanes_less(angle, law->limit[2 * axis + 1]);
}

/* Down by full turns to at most pi. */
ALWAYS Lanes wrapped_size(Lanes size) {
  for (;;) {
    const LaneBits more = lanes_less(lanes_set(M_PI), size);
    if (!lanes_any(more)) return size;
    size = lanes_select(more, size - lanes_set(2 * M_PI), size);
  }
}

/* Limits act by KS_B on what is beyond them; all else is the plain spring of the axis. */
ALWAYS void general_torque(const Law *law, const Lanes *torsion, Lanes *kr, Lanes *torque) {
  const Lanes zero = lanes_set(0);
  Lanes extra[3];
  LaneBits beyond[3];
  for (int i = 0; i < 3; i++) {
    const LaneBits inside = is_inside(law, i, torsion[i]), free = is_free(law, i);
    const Lanes limit = nearer_limit(torsion[i], law->limit[2 * i], law->limit[2 * i + 1]);
    extra[i] = torsion[i] - lanes_select(free, lanes_select(inside, torsion[i], limit), zero);
    beyond[i] = free & ~inside & (LaneBits)(extra[i] != zero);
    kr[i] = lanes_select(free, law->rotation[0], law->rotation[1]);
    torque[i] = kr[i] * torsion[i];
  }
  if (!lanes_any(beyond[0] | beyond[1] | beyond[2])) return;
  const Lanes size = lanes_sqrt(lanes_dot3(extra, extra));
  const LaneBits some = lanes_less(zero, size);
  const Lanes by = wrapped_size(size) / lanes_select(some, size, lanes_set(1));
  for (int i = 0; i < 3; i++) {
    kr[i] = lanes_select(beyond[i], law->beyond, kr[i]);
    torque[i] = lanes_select(beyond[i], kr[i] * (extra[i] * by), torque[i]);
  }
}

/* One free axis a: its tilt turns it back, with the angle between both positions of the axis. m:
 * the matrix of the second frame in the first one. */
ALWAYS void pivot_torque(int a, bool unscaled, const Lanes *m, const Lanes *kr, LaneBits where,
                         Lanes *torque) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  const int b = (a + 1) % 3, c = (a + 2) % 3;
  const Lanes mb = m[3 * b + a], mc = m[3 * c + a], sine2 = lanes_madd(mb, mb, mc * mc);
  Lanes tilt = angle_by_sine(sine2, m[4 * a]);
  // opposite: there is no axis to turn about
  tilt = lanes_select(lanes_less(zero, sine2), tilt, one);
  if (unscaled) tilt = tilt * lanes_sqrt(sine2);
  torque[b] = lanes_select(where, -mc * tilt * kr[b], torque[b]);
  torque[c] = lanes_select(where, mb * tilt * kr[c], torque[c]);
}

/* The torque of joints with a single free axis that is within its limits. */
ALWAYS void pivot_torques(const Law *law, bool unscaled, const Lanes *q, const Lanes *torsion,
                          const Lanes *kr, Lanes *torque) {
  const LaneBits free[3] = {is_free(law, 0), is_free(law, 1), is_free(law, 2)};
  Lanes m[9];
  for (int a = 0; a < 3; a++) {
    const LaneBits alone = free[a] & ~(free[(a + 1) % 3] | free[(a + 2) % 3]);
    const LaneBits pivot = alone & is_inside(law, a, torsion[a]);
    if (!lanes_any(pivot)) continue;
    quat_matrix(q, m);
    pivot_torque(a, unscaled, m, kr, pivot, torque);
  }
}

/* ---- force ---- */

/* Lanes of a report. */
typedef struct Report {
  Lanes x[7], spring[6], v[6], damping[6], f[6];
} Report;
_Static_assert(sizeof(Report) / sizeof(Lanes) == sizeof(SofaJointReport) / sizeof(double),
               "the reals of a report");

/* Offset and rotation of the second frame in the first one, of length one. m: the matrix of the
 * first one. */
ALWAYS void offset_of(const Law *law, const Lanes *x1, const Lanes *x2, const Lanes *m, Lanes *x) {
  Lanes t[3], q[4];
  for (int i = 0; i < 3; i++) t[i] = (x2[i] - x1[i]) - law->rest_t[i];
  lanes_apply_t(m, t, x);
  quat_between(x1 + 3, x2 + 3, true, q);
  quat_multiply(q, law->rest_r, x + 3);
  quat_unit(x + 3);
}

/* Force and torque along the axes of the first frame; turn: the rotation vector over its part of
 * the quaternion. */
ALWAYS void spring_of(const Law *law, bool unscaled, const Lanes *x, Lanes turn, Kept *kept,
                      Lanes *spring) {
  Lanes torsion[3];
  for (int i = 0; i < 3; i++) {
    torsion[i] = turn * x[3 + i];
    spring[i] = law->kt[i] * x[i];
  }
  general_torque(law, torsion, kept->kr, spring + 3);
  pivot_torques(law, unscaled, x + 3, torsion, kept->kr, spring + 3);
}

/* Whether there is any, or a report. */
ALWAYS bool damping_of(const LaneSprings *at, const JointCall *call, const FrameVectors *by,
                       Lanes factor, Report *r) {
  const bool damps = by->f && lanes_any((LaneBits)(factor != lanes_set(0)));
  if (!damps && !call->report) return false;
  load_relative(at, by->v, r->v);
  for (int i = 0; i < 6; i++) r->damping[i] = factor * r->v[i];
  return true;
}

/* In the world. */
ALWAYS void turn_force(const LaneSprings *at, bool constant, const Lanes *m, const Lanes *spring,
                       Lanes *f) {
  Lanes local[6];
  for (int i = 0; i < 6; i++) local[i] = spring[i];
  if (constant) {
    Lanes more[6];
    load_members(at, offsetof(SofaJointSpring, constant), 6, more);
    for (int i = 0; i < 6; i++) local[i] = local[i] + more[i];
  }
  lanes_apply(m, local, f);
  lanes_apply(m, local + 3, f + 3);
}

/* The rotation is a long chain of roots, divisions and a polynomial: it begins first, and what does
 * not need it is read meanwhile. */
ALWAYS void force_of(const LaneSprings *at, const JointCall *call, const FrameVectors *by,
                     Report *r) {
  Law law;
  Kept kept;
  Lanes x1[7], x2[7], m[9];
  load_law(at, REST_AT, REST_END, &law);
  load_ends(at, 0, 7, 7, by->x[0], x1);
  load_ends(at, 1, 7, 7, by->x[1], x2);
  quat_matrix(x1 + 3, m);
  offset_of(&law, x1, x2, m, r->x);
  const Lanes turn = quat_turn(r->x + 3);
  load_law(at, 0, REST_AT, &law);
  load_law(at, REST_END, LAW_REALS, &law);
  const bool damps = damping_of(at, call, by, law.damping, r);
  spring_of(&law, call->unscaled_pivot, r->x, turn, &kept, r->spring);
  kept.damping = law.damping;
  for (int i = 0; i < 4; i++) kept.reference[i] = x1[3 + i];
  store_members(at, offsetof(SofaJointSpring, damping), (const Lanes *)(const void *)&kept);
  turn_force(at, call->constant, m, r->spring, r->f);
  for (int i = 0; i < 6 && damps; i++) r->f[i] = r->f[i] + r->damping[i];
}

static void force(SofaJointSpring *springs, size_t n, const JointCall *call,
                  const FrameVectors *at) {
  for (size_t k = 0; k < n; k += LANES) {
    const LaneSprings s = lane_springs(springs + k, sizeof *springs, n - k);
    Report r;
    force_of(&s, call, at, &r);
    if (at->f) give_opposite(&s, r.f, at->f);
    if (call->report)
      store_report(&s, sizeof r / sizeof(Lanes), (const Lanes *)(const void *)&r,
                   (double *)(void *)(call->report + k));
  }
}

/* r (k r^T d) + damping d */
ALWAYS void turned_product(const Lanes *m, const Lanes *k, Lanes factor, Lanes damps,
                           const Lanes *d, Lanes *out) {
  Lanes local[3], turned[3];
  lanes_apply_t(m, d, local);
  for (int i = 0; i < 3; i++) local[i] = factor * k[i] * local[i];
  lanes_apply(m, local, turned);
  for (int i = 0; i < 3; i++) out[i] = lanes_madd(damps, d[i], turned[i]);
}

static void product(const SofaJointSpring *springs, size_t n, SofaSpringFactors by,
                    const double *const *dx, double *const *df) {
  const Lanes factor = lanes_set(by.k);
  for (size_t k = 0; k < n; k += LANES) {
    const LaneSprings s = lane_springs(springs + k, sizeof *springs, n - k);
    Kept kept;
    Lanes kt[3], m[9], d[6], f[6];
    load_members(&s, offsetof(SofaJointSpring, damping), 8, (Lanes *)(void *)&kept);
    load_members(&s, offsetof(SofaJointSpring, kt), 3, kt);
    load_relative(&s, dx, d);
    quat_matrix(kept.reference, m);
    const Lanes damps = lanes_set(by.b) * kept.damping;
    turned_product(m, kt, factor, damps, d, f);
    turned_product(m, kept.kr, factor, damps, d + 3, f + 3);
    give_opposite(&s, f, df);
  }
}

const JointKernels CAT(joint_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA), .force = force, .product = product};
