/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of penalty loads, compiled once per instruction set: a point in each lane. avx2 and
 * avx512 give the same bits; lanes do not see each other.
 *
 * A law gives the force F(x, v) of a point and its derivatives, which are functions of the place
 * and the velocity of the point: nothing is kept of it. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_KERNELS_H
#define SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_KERNELS_H

#include <stdbool.h>

#include "base/context.h"
#include "numerics/fem/lane_count.h"

enum { PENALTY_MOST = 6 }; /* reals of a place */

typedef enum PenaltyLaw {
  PENALTY_PLANE,      /* of places of at most three reals, without a limit */
  PENALTY_WIDE_PLANE, /* of any places, with a limit */
  PENALTY_SPHERE,
  PENALTY_ELLIPSOID,
  PENALTY_CONE,
  PENALTY_N_LAWS
} PenaltyLaw;

/* What the laws need of a load. */
typedef struct PenaltyTerms {
  unsigned dims; /* reals of a place; those of vectors behind them are zero */
  bool bilateral;
  double stiffness, damping;
  double beyond; /* F += (d < 0 ? damping : beyond) d v at a distance d, negative inside */
  double center[PENALTY_MOST]; /* of sphere and ellipsoid; tip of a cone */
  double axis[PENALTY_MOST];   /* normal of a plane; unit axis of a cone */
  double size;                 /* d of a plane, radius of a sphere, radius of a cone's cap */
  double limit;                /* wide plane: largest force */
  double inverse[3];           /* ellipsoid: 1 / radius */
  bool sofa_term;              /* ellipsoid: SOFA's derivative */
  double sine, cosine;         /* cone: of the half-angle, at most 180 degrees */
  double behind;               /* cone: its cosine or, for roundings, a little less */
} PenaltyTerms;

typedef struct PenaltyPoints {
  const double *x, *v; /* of the first one */
  size_t n;
  unsigned coord, deriv; /* reals from point to point of x; of v, f, dx and df */
} PenaltyPoints;

/* Factors of dF/dx and of dF/dv. */
typedef struct PenaltyFactors {
  double k, b;
} PenaltyFactors;

typedef struct PenaltyLoops {
  unsigned width;                                                                   /* of blocks */
  void (*force)(const PenaltyTerms *terms, const PenaltyPoints *points, double *f); /* f += F */
  /* df += (k dF/dx + b dF/dv) dx */
  void (*product)(const PenaltyTerms *terms, const PenaltyPoints *points, PenaltyFactors by,
                  const double *dx, double *df);
  /* k dF/dx + b dF/dv of at most SOFA_LANES points, row major, one behind the other; those of
   * points behind the last one are anything */
  void (*blocks)(const PenaltyTerms *terms, const PenaltyPoints *points, PenaltyFactors by,
                 double *blocks);
} PenaltyLoops;

/* An ellipsoid in the axes of its frame. */
typedef struct PenaltyShape {
  double center[3], inverse[3]; /* inverse: 1 / radius */
} PenaltyShape;

/* Ellipsoids carried by a frame. */
typedef struct PenaltyCarried {
  PenaltyTerms terms;            /* stiffness, damping, sofa_term */
  double rotation[9], origin[3]; /* of the frame; x = R p + origin */
  double moved[3];               /* how its centre moves, for products */
  const PenaltyShape *shapes;
  size_t n;
} PenaltyCarried;

/* The loops over points of three reals. dF/dx: of points that move against the frame's centre. */
typedef struct PenaltyCarriedLoops {
  /* f += F; *sum of these F */
  void (*force)(const PenaltyCarried *carried, const PenaltyPoints *points, double *f,
                double sum[3]);
  /* df += k dF/dx (dx - moved) + b dF/dv dx; *sum of these */
  void (*product)(const PenaltyCarried *carried, const PenaltyPoints *points, PenaltyFactors by,
                  const double *dx, double *df, double sum[3]);
  /* as those of PenaltyLoops, 3 x 3 */
  void (*blocks)(const PenaltyCarried *carried, const PenaltyPoints *points, PenaltyFactors by,
                 double *blocks);
} PenaltyCarriedLoops;

typedef struct PenaltyKernels {
  PenaltyLoops of[PENALTY_N_LAWS];
  const PenaltyCarriedLoops *carried;
} PenaltyKernels;

/* The kernels of the context's instruction set. */
const PenaltyKernels *penalty_kernels(const SofaContext *ctx);

/* Use penalty_kernels. The last two of each exist on x86-64 only. */
extern const PenaltyKernels penalty_kernels_baseline, penalty_kernels_avx2, penalty_kernels_avx512;
extern const PenaltyCarriedLoops penalty_carried_baseline, penalty_carried_avx2,
    penalty_carried_avx512;

#endif
