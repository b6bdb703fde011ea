/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Continuous collision detection of points that move on straight lines at constant speed from t = 0
 * to t = 1, without false negatives: a pair of which the exact motion of the given doubles comes to
 * the minimum separation is always reported, at a time that is not later.
 * Inclusion-based root finding after Wang, Ferguson, Schneider, Jiang, Attene and Panozzo, A
 * large-scale benchmark and an inclusion-based algorithm for continuous collision detection, 2021:
 * the difference F(t, u, v) of two points of the elements is linear in each parameter, so on a box
 * of parameters it is in the hull of its values at the corners; boxes are halved until the hull is
 * away from the origin or smaller than the tolerance. Different from the paper are these:
 * - F is built of differences of coordinates, and the bound of its rounding errors of their size,
 * so that a translation of the scene does not change it;
 * - the hull has a fourth component, F along the direction of the closest points at t = 0;
 * - the hulls at both ends of the times of a box also shorten its interval of times: the least
 * value of a component is a concave function of t, so it is above its chord;
 * - in the same way all three intervals of a box are shortened by the components of F along the
 * rows of its inverse Jacobian, which depend mostly on one parameter (a step of interval Newton):
 * near a single root, boxes shrink quadratically instead of by halves;
 * - boxes are taken by their earliest time, so the first small enough box is the result, and the
 *   earliest time of all is a lower bound at any moment.
 * The functions are pure: the same input has the same bits. */
#ifndef SOFA_NUMERICS_CONTACT_CCD_H
#define SOFA_NUMERICS_CONTACT_CCD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

typedef enum SofaCcdKind {
  SOFA_CCD_POINT_TRIANGLE, /* x0 | x1 x2 x3 */
  SOFA_CCD_EDGE_EDGE       /* x0 x1 | x2 x3 */
} SofaCcdKind;

/* 3 coordinates of 4 points at both times; magnitudes below 2^300 */
typedef struct SofaCcdQuery {
  SofaCcdKind kind;
  const double *start[4], *end[4];
} SofaCcdQuery;

typedef struct SofaCcdOptions {
  double separation; /* a distance of this or less is a collision, 0 or more */
  double tolerance;  /* delta: the largest side of an accepted hull; 0: the finest boxes */
  double until;      /* collisions at this time or later are not asked for; 1: all before the end */
  uint32_t max_boxes; /* to be divided */
} SofaCcdOptions;

typedef struct SofaCcdResult {
  /* If false, the distance is larger than the separation at all times up to `until`. If true and
   * complete, the distance at `time` is at most separation + 2 tolerance + 1e-13 times the largest
   * difference of coordinates. */
  bool hit;
  bool complete;  /* false: the boxes or the queue were not enough, and a hit is a guess */
  double time;    /* before it, or up to `until` without a hit, there is no collision */
  uint32_t boxes; /* that were divided */
} SofaCcdResult;

/* Work space of a call, of the caller; its contents do not matter. */
enum { SOFA_CCD_QUEUE = 1024 };
typedef struct SofaCcdBox {
  double low[3], high[3]; /* of t, u, v */
  uint32_t halvings;
  bool accepted;
} SofaCcdBox;
typedef struct SofaCcdWork {
  SofaCcdBox box[SOFA_CCD_QUEUE];
} SofaCcdWork;

/* When the queue is full, or the last box is used up, the remaining boxes count as collisions at
 * their earliest times. */
SofaCcdResult sofa_ccd(const SofaCcdQuery *query, const SofaCcdOptions *options, SofaCcdWork *work);

typedef struct SofaCcdPair {
  SofaCcdKind kind;
  uint32_t point[4];
} SofaCcdPair;

/* Arrays of 3 coordinates per point. */
typedef struct SofaCcdMotion {
  const double *start, *end;
} SofaCcdMotion;

typedef struct SofaCcdStepRule {
  double separation;  /* that all pairs keep */
  double keep;        /* share, 0 to below 1, of the distance beyond it that a pair keeps, too */
  double tolerance;   /* largest delta; of a pair at most a quarter of what it may approach */
  uint32_t max_boxes; /* per pair */
} SofaCcdStepRule;

/* Largest share, 0 to 1, of the motion before which all pairs keep their distance; above 0 unless a
 * pair starts at the separation or closer, or needs more boxes. Parts of a list on several threads
 * give the same by their least value. */
double sofa_ccd_step(const SofaCcdMotion *motion, const SofaCcdPair *pairs, size_t n,
                     const SofaCcdStepRule *rule, SofaCcdWork *work);

SOFA_END_DECLS

#endif
