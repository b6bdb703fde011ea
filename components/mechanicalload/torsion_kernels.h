/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A surface that turns as a whole about an axis, compiled once per instruction set: a point in each
 * lane. avx2 and avx512 give the same bits; lanes do not see each other. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_TORSION_KERNELS_H
#define SOFA_COMPONENTS_MECHANICALLOAD_TORSION_KERNELS_H

#include "base/context.h"
#include "numerics/fem/lane_count.h"

/* Rows of a point at rest: along the axis, across it in two directions, its distance from the axis,
 * its share of the moment. */
enum {
  TORSION_ALONG,
  TORSION_FIRST,
  TORSION_SECOND,
  TORSION_DISTANCE,
  TORSION_SHARE,
  TORSION_ROWS
};

typedef struct TorsionSurface {
  size_t n;
  const uint32_t *index; /* ascending; the last one is repeated up to the end of its group */
  const double *rest; /* of each group of SOFA_LANES points TORSION_ROWS rows, 0 behind the last */
  double center[3], frame[9]; /* a point of the axis; rows: the axis and two directions across it */
} TorsionSurface;

/* Sums over the points that are off the axis, at rest and now. With the places p at rest and q now
 * across the axis: */
typedef struct TorsionSums {
  double turned, weight; /* |q| times the angle from p to q; |q| */
  double along, across;  /* p.q, p x q */
} TorsionSums;

typedef struct TorsionPush {
  double sine, cosine; /* of the angle by which the rest shape turns */
  double penalty;      /* times the way from a point to its place in that shape */
  double moment;       /* shared out */
} TorsionPush;

typedef struct TorsionKernels {
  const char *name; /* as of SofaKernels */
  /* Sums of every SOFA_LANES-th point, then their sum. now: three rows of each group, its places in
   * the frame. */
  void (*measure)(const TorsionSurface *surface, const double *x, double *now, TorsionSums *sums);
  /* f += F */
  void (*push)(const TorsionSurface *surface, const TorsionPush *push, const double *now,
               double *f);
} TorsionKernels;

/* The kernels of the context's instruction set. */
const TorsionKernels *torsion_kernels(const SofaContext *ctx);

/* Use torsion_kernels. The last two exist on x86-64 only. */
extern const TorsionKernels torsion_kernels_baseline, torsion_kernels_avx2, torsion_kernels_avx512;

#endif
