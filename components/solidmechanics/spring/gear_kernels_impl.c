/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of gears, compiled once per instruction set with KERNELS_ISA naming it. */
#include "components/solidmechanics/spring/frame_kernels.h"

#include "components/solidmechanics/spring/frame_lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

static const double turn_of_sofa = 2 / M_PI; /* M_2_PI, taken for a full turn */

/* Lanes of a law, and of what is kept of a force. */
typedef struct Law {
  Lanes axis[2], rotation[2], ratio, translation, damping;
} Law;
typedef struct Kept {
  Lanes translation, damping, along[6];
} Kept;
_Static_assert(offsetof(GearSpring, damping) == offsetof(GearSpring, axis) + 6 * sizeof(double) &&
                   offsetof(GearSpring, along) ==
                       offsetof(GearSpring, translation) + 2 * sizeof(double) &&
                   sizeof(Law) == 7 * sizeof(Lanes) && sizeof(Kept) == 8 * sizeof(Lanes),
               "seven reals of a law, eight that are kept");
_Static_assert(offsetof(GearSpring, previous) == offsetof(GearSpring, angle) + 2 * sizeof(double),
               "the history");

/* ---- ends ---- */

/* A gear that is its own parent is fixed to where it was at the start. */
ALWAYS bool is_fixed(const LaneSprings *s, size_t l, size_t side) {
  return end_of(s, l, 2 * side) == end_of(s, l, 2 * side + 1);
}
ALWAYS bool all_fixed(const LaneSprings *s, size_t side) {
  bool all = true;
  for (size_t l = 0; l < LANES; l++) all = all && is_fixed(s, l, side);
  return all;
}

ALWAYS void load_parents(const LaneSprings *s, size_t side, const double *x, Lanes *out) {
  const double *from[LANES];
  for (size_t l = 0; l < LANES; l++) {
    const GearSpring *gear = (const GearSpring *)(const void *)s->at[l];
    from[l] = is_fixed(s, l, side) ? gear->parent[side] : x + 7 * (size_t)end_of(s, l, 2 * side);
  }
  load_reals(7, from, out);
}

/* Twists of the parents less those of the gears. */
ALWAYS void load_behind(const LaneSprings *s, size_t side, const Lanes *gear, const double *v,
                        Lanes *out) {
  static const double none[6];
  const double *from[LANES];
  for (size_t l = 0; l < LANES; l++)
    from[l] = is_fixed(s, l, side) ? none : v + 6 * (size_t)end_of(s, l, 2 * side);
  if (all_fixed(s, side)) {
    for (int k = 0; k < 6; k++) out[k] = -gear[k];
    return;
  }
  load_reals(6, from, out);
  for (int k = 0; k < 6; k++) out[k] = out[k] - gear[k];
}

/* Gives the gears of a side what holds them and the torques of the gearing, and their parents minus
 * what holds them. */
typedef struct SideForce {
  Lanes hold[6], torque[3];
} SideForce;
ALWAYS void give_sides(const LaneSprings *s, const SideForce *sides, double *const *to) {
  LaneTwists gears[2], holds[2];
  for (int side = 0; side < 2; side++) {
    const SideForce *from = &sides[side];
    Lanes f[6];
    for (int k = 0; k < 3; k++) {
      f[k] = from->hold[k];
      f[3 + k] = from->hold[3 + k] + from->torque[k];
    }
    gears[side] = lane_twists(f);
    holds[side] = lane_twists(from->hold);
  }
#pragma GCC unroll 8
  for (int l = 0; l < LANES; l++) {
    for (size_t side = 0; side < 2 && (size_t)l < s->count; side++) {
      const size_t at = (size_t)l;
      add_lane_twist(&gears[side], l, to[side] + 6 * (size_t)end_of(s, at, 2 * side + 1));
      if (!is_fixed(s, at, side))
        take_lane_twist(&holds[side], l, to[side] + 6 * (size_t)end_of(s, at, 2 * side));
    }
  }
}

/* ---- angles ---- */

/* Column `axis` of a matrix, a number 0 1 2 of each lane. */
ALWAYS void column_of(const Lanes *m, Lanes axis, Lanes *out) {
  const LaneBits first = lanes_less(axis, lanes_set(0.5)), last = lanes_less(lanes_set(1.5), axis);
  for (int i = 0; i < 3; i++)
    out[i] = lanes_select(first, m[3 * i], lanes_select(last, m[3 * i + 2], m[3 * i + 1]));
}

/* A gear against its parent. */
typedef struct Turned {
  Lanes cross[3][3], sine2[3], cosine[3]; /* of the axes of the parent with those of the gear */
  Lanes by[3];                            /* rotation vectors over the cross products */
  Lanes about;                            /* angle about the axis */
  Lanes back[3];           /* rotation vector from the axis of the gear to that of the parent */
  Lanes gear[3], along[3]; /* both */
} Turned;

/* p, g: the matrices of the parent and of the gear. */
ALWAYS void compare_axes(Lanes axis, const Lanes *p, const Lanes *g, Turned *out) {
  column_of(p, axis, out->along);
  column_of(g, axis, out->gear);
  for (int i = 0; i < 3; i++) {
    const Lanes u[3] = {p[i], p[3 + i], p[6 + i]}, v[3] = {g[i], g[3 + i], g[6 + i]};
    exact_cross(u, v, out->cross[i]);
    out->sine2[i] = lanes_dot3(out->cross[i], out->cross[i]);
    out->cosine[i] = lanes_dot3(u, v);
  }
}

/* The angle is the mean over the two other axes. SOFA takes for it the whole angles that these are
 * turned by, tilts included. */
ALWAYS void turned_of(Lanes axis, bool whole, Turned *out) {
  const Lanes zero = lanes_set(0), half = lanes_set(0.5);
  Lanes sum = zero;
  for (int i = 0; i < 3; i++) {
    const LaneBits is_axis = (LaneBits)(axis == lanes_set(i));
    Lanes r[3];
    for (int c = 0; c < 3; c++) {
      r[c] = out->by[i] * out->cross[i][c];
      out->back[c] = lanes_select(is_axis, -r[c], i ? out->back[c] : zero);
    }
    Lanes angle = lanes_dot3(r, out->along);
    if (whole) {
      const Lanes size = lanes_sqrt(lanes_dot3(r, r));
      angle = lanes_select(lanes_less(angle, zero), -size, size);
    }
    sum = sum + lanes_select(is_axis, zero, angle);
  }
  out->about = half * sum;
}

/* The angle less than half a turn away from the previous one. */
ALWAYS Lanes nearest_turn(Lanes angle, Lanes previous, bool as_sofa) {
  const Lanes turn = lanes_set(as_sofa ? turn_of_sofa : 2 * M_PI), pi = lanes_set(M_PI);
  for (;;) {
    const LaneBits above = lanes_less(pi, angle - previous);
    if (!lanes_any(above)) break;
    angle = lanes_select(above, angle - turn, angle);
  }
  for (;;) {
    const LaneBits below = lanes_less(angle - previous, -pi);
    if (!lanes_any(below)) return angle;
    angle = lanes_select(below, angle + turn, angle);
  }
}

/* Goes on from the history to the angles of both sides; `about` becomes the sums of angles. */
ALWAYS void turn(const LaneSprings *s, const GearCall *call, bool as_sofa, Lanes *about) {
  Lanes history[4], now[2];
  load_members(s, offsetof(GearSpring, angle), 4, history);
  for (int side = 0; side < 2; side++) {
    now[side] = nearest_turn(about[side], history[2 + side], as_sofa);
    about[side] = history[side] + (now[side] - history[2 + side]);
  }
  if (!call->advances) return;
  for (size_t l = 0; l < s->count; l++) {
    GearSpring *gear = (GearSpring *)(void *)s->at[l];
    for (int side = 0; side < 2; side++) {
      gear->angle[side] = about[side][l];
      gear->previous[side] = now[side][l];
    }
  }
}

/* ---- force ---- */

/* One side of the gears of lanes. */
typedef struct Side {
  const LaneSprings *springs;
  size_t number; /* 0 1 */
  Lanes parent[7], gear[7];
  Turned turned;
} Side;

ALWAYS void load_side(const LaneSprings *s, size_t number, const Law *law, const double *x,
                      Side *side) {
  Lanes p[9], g[9];
  side->springs = s;
  side->number = number;
  load_parents(side->springs, side->number, x, side->parent);
  load_ends(side->springs, 2 * side->number + 1, 7, 7, x, side->gear);
  quat_matrix(side->parent + 3, p);
  quat_matrix(side->gear + 3, g);
  compare_axes(law->axis[side->number], p, g, &side->turned);
}

/* Six angles, chains of a root, a division and a polynomial each, side by side: a processor looks
 * ahead less far than from one side to the other one. */
ALWAYS void find_angles(Side *sides) {
  for (int k = 0; k < 6; k++) {
    Turned *t = &sides[k / 3].turned;
    t->by[k % 3] = angle_by_sine(t->sine2[k % 3], t->cosine[k % 3]);
  }
}

/* The gear is held at its parent, but for the rotation about the free axis. */
ALWAYS void hold(const Side *side, const Law *law, const FrameVectors *at, Lanes *f) {
  const double *from = at->v[side->number];
  for (int i = 0; i < 3; i++) {
    f[i] = law->translation * (side->parent[i] - side->gear[i]);
    f[3 + i] = law->rotation[1] * side->turned.back[i];
  }
  if (!lanes_any((LaneBits)(law->damping != lanes_set(0)))) return;
  Lanes v[6], d[6];
  load_ends(side->springs, 2 * side->number + 1, 6, 6, from, v);
  load_behind(side->springs, side->number, v, from, d);
  for (int k = 0; k < 6; k++) f[k] = lanes_madd(law->damping, d[k], f[k]);
}

/* Torques of the gearing, F = -soft (ratio angle1 + angle2): ratio F' and F' / 1 without reaction
 * on the parents. */
ALWAYS void force_of(const LaneSprings *s, const GearCall *call, bool as_sofa,
                     const FrameVectors *at, Lanes *report) {
  Law law;
  Kept kept;
  SideForce f[2];
  Side sides[2];
  load_members(s, offsetof(GearSpring, axis), 7, (Lanes *)(void *)&law);
  kept.translation = law.translation;
  kept.damping = law.damping;
  load_side(s, 0, &law, at->x[0], &sides[0]);
  load_side(s, 1, &law, at->x[1], &sides[1]);
  find_angles(sides);
  for (size_t k = 0; k < 2; k++) {
    Turned *turned = &sides[k].turned;
    turned_of(law.axis[k], as_sofa, turned);
    if (at->f) hold(&sides[k], &law, at, f[k].hold);
    for (size_t i = 0; i < 3; i++) {
      kept.along[3 * k + i] = turned->along[i];
      f[k].torque[i] = turned->gear[i];
    }
    report[k] = turned->about;
  }
  store_members(s, offsetof(GearSpring, translation), (const Lanes *)(const void *)&kept);
  turn(s, call, as_sofa, report);
  report[2] = -(lanes_madd(report[0], law.ratio, report[1]) * law.rotation[0]);
  if (!at->f) return;
  const Lanes torque[2] = {report[2], report[2] / law.ratio};
  for (int k = 0; k < 6; k++) f[k / 3].torque[k % 3] = torque[k / 3] * f[k / 3].torque[k % 3];
  give_sides(s, f, at->f);
}

static void force(GearSpring *springs, size_t n, const GearCall *call, const FrameVectors *at) {
  for (size_t k = 0; k < n; k += LANES) {
    const LaneSprings s = lane_springs(springs + k, sizeof *springs, n - k);
    Lanes report[3];
    if (call->as_sofa) force_of(&s, call, true, at, report);
    else force_of(&s, call, false, at, report);
    if (call->report) store_report(&s, 3, report, (double *)(void *)(call->report + k));
  }
}

/* ---- product ---- */

/* Stiffness against moves, turns across the free axis, and the damping of turns. */
typedef struct Held {
  Lanes kt, kr, damps;
} Held;

/* What holds a gear; a: the axis. The result: how far the gear turns about it. */
ALWAYS Lanes held_product(const LaneSprings *s, size_t side, const Held *by, const Lanes *a,
                          const double *dx, Lanes *f) {
  Lanes gear[6], d[6];
  load_ends(s, 2 * side + 1, 6, 6, dx, gear);
  load_behind(s, side, gear, dx, d);
  const Lanes about = lanes_dot3(a, d + 3);
  for (int i = 0; i < 3; i++) {
    f[i] = by->kt * d[i];
    f[3 + i] = lanes_madd(by->kr, d[3 + i] - about * a[i], by->damps * d[3 + i]);
  }
  return lanes_dot3(a, gear + 3);
}

static void product(const GearSpring *springs, size_t n, SofaSpringFactors by,
                    const double *const *dx, double *const *df) {
  for (size_t k = 0; k < n; k += LANES) {
    const LaneSprings s = lane_springs(springs + k, sizeof *springs, n - k);
    Kept kept;
    SideForce f[2];
    Lanes law[3], turned[2]; // rotation, ratio
    load_members(&s, offsetof(GearSpring, translation), 8, (Lanes *)(void *)&kept);
    load_members(&s, offsetof(GearSpring, rotation), 3, law);
    Held by_side = {.kr = lanes_set(by.k) * law[1], .damps = lanes_set(by.b) * kept.damping};
    by_side.kt = lanes_madd(lanes_set(by.k), kept.translation, by_side.damps);
    for (size_t side = 0; side < 2; side++)
      turned[side] =
          held_product(&s, side, &by_side, kept.along + 3 * side, dx[side], f[side].hold);
    const Lanes both = lanes_madd(turned[0], law[2], turned[1]);
    const Lanes force = -(lanes_set(by.k) * law[0] * both);
    const Lanes torque[2] = {force, force / law[2]};
    for (int c = 0; c < 6; c++) f[c / 3].torque[c % 3] = torque[c / 3] * kept.along[c];
    give_sides(&s, f, df);
  }
}

const GearKernels CAT(gear_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA), .force = force, .product = product};
