/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of turned surfaces, compiled once per instruction set with KERNELS_ISA naming it. Points
 * are ascending: those of a register often lie one behind the other. */
#include "components/mechanicalload/torsion_kernels.h"

#include "numerics/fem/lane_functions_impl.h"
#include "numerics/fem/lane_points_impl.h"
#include "numerics/fem/lane_rows_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

enum { PARTS = SOFA_LANES / LANES }; /* registers of SOFA_LANES sums */

/* Lanes of a point at rest. */
typedef struct Rest {
  Lanes along, first, second, distance, share;
} Rest;
_Static_assert(sizeof(Rest) == TORSION_ROWS * sizeof(Lanes), "the rows of a point");

static inline Rest rest_at(const TorsionSurface *s, size_t at) {
  const double *row = s->rest + at / SOFA_LANES * SOFA_LANES * TORSION_ROWS + at % SOFA_LANES;
  return (Rest){.along = lanes_load(row + TORSION_ALONG * SOFA_LANES),
                .first = lanes_load(row + TORSION_FIRST * SOFA_LANES),
                .second = lanes_load(row + TORSION_SECOND * SOFA_LANES),
                .distance = lanes_load(row + TORSION_DISTANCE * SOFA_LANES),
                .share = lanes_load(row + TORSION_SHARE * SOFA_LANES)};
}

/* Where row 0 of the places of points from `at` on begins. */
static inline size_t now_at(size_t at) {
  return at / SOFA_LANES * SOFA_LANES * 3 + at % SOFA_LANES;
}

static inline bool in_row(const uint32_t *index) {
  return index[LANES - 1] - index[0] == LANES - 1;
}

/* The frame in lanes. */
static inline void frame_of(const TorsionSurface *s, Lanes *frame) {
  for (int k = 0; k < 9; k++) frame[k] = lanes_set(s->frame[k]);
}

/* Places of points in the frame. */
ALWAYS void places_of(const TorsionSurface *s, const uint32_t *index, const double *x, Lanes *q) {
  Lanes p[3], frame[9];
  if (in_row(index)) {
    load_row(x + 3 * (size_t)index[0], p);
  } else {
    load_three_lanes(index, x, p);
  }
  for (int i = 0; i < 3; i++) p[i] = p[i] - lanes_set(s->center[i]);
  frame_of(s, frame);
  lanes_apply(frame, p, q);
}

static inline LaneBits off_axis(Lanes distance, Lanes at_rest) {
  const Lanes least = lanes_set(1e-10);
  return lanes_less(least, distance) & lanes_less(least, at_rest);
}

/* Registers of the sums. */
typedef struct Sums {
  Lanes turned[PARTS], weight[PARTS], along[PARTS], across[PARTS];
} Sums;

static inline void add_point(const Rest *r, const Lanes *q, size_t part, Sums *sums) {
  const Lanes one = lanes_set(1), distance = lanes_sqrt(lanes_madd(q[1], q[1], q[2] * q[2]));
  const Lanes along = lanes_madd(r->first, q[1], r->second * q[2]);
  const Lanes across = lanes_madd(r->first, q[2], -(r->second * q[1]));
  const LaneBits off = off_axis(distance, r->distance);
  const Lanes length = lanes_select(off, distance * r->distance, one);
  const Lanes turned = distance * lanes_angle(along, across, length);
#define KEEP(a) ((Lanes)(off & (LaneBits)(a)))
  sums->turned[part] = sums->turned[part] + KEEP(turned);
  sums->weight[part] = sums->weight[part] + KEEP(distance);
  sums->along[part] = sums->along[part] + KEEP(along);
  sums->across[part] = sums->across[part] + KEEP(across);
#undef KEEP
}

static double sum_of(const Lanes *parts) {
  double lanes[SOFA_LANES], sum = 0;
  for (int p = 0; p < PARTS; p++) lanes_store(lanes + p * LANES, parts[p]);
  for (int l = 0; l < SOFA_LANES; l++) sum += lanes[l];
  return sum;
}

static void measure(const TorsionSurface *s, const double *x, double *now, TorsionSums *out) {
  Sums sums;
  for (int p = 0; p < PARTS; p++)
    sums.turned[p] = sums.weight[p] = sums.along[p] = sums.across[p] = lanes_set(0);
  for (size_t begin = 0; begin < s->n; begin += SOFA_LANES) {
    for (size_t part = 0; part < PARTS; part++) {
      const size_t at = begin + part * LANES;
      const Rest rest = rest_at(s, at);
      Lanes q[3];
      places_of(s, s->index + at, x, q);
      add_point(&rest, q, part, &sums);
      for (int i = 0; i < 3; i++) lanes_store(now + now_at(at) + i * SOFA_LANES, q[i]);
    }
  }
  *out = (TorsionSums){sum_of(sums.turned), sum_of(sums.weight), sum_of(sums.along),
                       sum_of(sums.across)};
}

/* F in the frame. */
ALWAYS void force_of(const TorsionPush *push, const Rest *r, const Lanes *q, Lanes *force) {
  const Lanes zero = lanes_set(0), k = lanes_set(push->penalty);
  const Lanes sine = lanes_set(push->sine), cosine = lanes_set(push->cosine);
  const Lanes norm2 = lanes_madd(q[1], q[1], q[2] * q[2]);
  const LaneBits off = off_axis(lanes_sqrt(norm2), r->distance);
  const Lanes around = lanes_set(push->moment) * r->share / norm2;
  const Lanes turn = lanes_select(off, around, zero);
  const Lanes first = lanes_madd(cosine, r->first, -(sine * r->second)) - q[1];
  const Lanes second = lanes_madd(sine, r->first, cosine * r->second) - q[2];
  force[0] = k * (r->along - q[0]);
  force[1] = lanes_madd(k, first, -(turn * q[2]));
  force[2] = lanes_madd(k, second, turn * q[1]);
}

static void add_points(const uint32_t *index, size_t count, const Lanes *r, double *f) {
  double even[LANES], odd[LANES], z[LANES];
  split_pairs(r[0], r[1], even, odd);
  lanes_store(z, r[2]);
  for (size_t l = 0; l < count; l++) {
    const double *xy = (l & 1 ? odd : even) + (l & ~(size_t)1);
    add_three(*(const Two *)(const void *)xy, z[l], f + 3 * (size_t)index[l]);
  }
}

static void push(const TorsionSurface *s, const TorsionPush *by, const double *now, double *f) {
  Lanes frame[9];
  frame_of(s, frame);
  for (size_t at = 0; at < s->n; at += LANES) {
    const Rest rest = rest_at(s, at);
    const uint32_t *index = s->index + at;
    Lanes q[3], force[3], r[3];
    for (int i = 0; i < 3; i++) q[i] = lanes_load(now + now_at(at) + i * SOFA_LANES);
    force_of(by, &rest, q, force);
    lanes_apply_t(frame, force, r);
    if (in_row(index)) {
      add_row(r, f + 3 * (size_t)index[0]);
    } else {
      add_points(index, s->n - at < LANES ? s->n - at : LANES, r, f);
    }
  }
}

const TorsionKernels CAT(torsion_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .measure = measure,
    .push = push,
};
