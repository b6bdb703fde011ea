/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Squared distances of pairs of elements with gradients and Hessians, by the part of each element
 * that is closest, as in Li, Ferguson, Schneider, Langlois, Zorin, Panozzo, Jiang and Kaufman,
 * Incremental Potential Contact, 2020. The points of a pair are x0, x1, .. in one array of 3
 * coordinates each (closest.h has their order). All functions are pure. */
#ifndef SOFA_NUMERICS_CONTACT_DISTANCE_H
#define SOFA_NUMERICS_CONTACT_DISTANCE_H

#include "numerics/contact/closest.h"

SOFA_BEGIN_DECLS

typedef enum SofaPairKind {
  SOFA_PAIR_POINT_POINT,    /* x0 | x1 */
  SOFA_PAIR_POINT_EDGE,     /* x0 | x1 x2 */
  SOFA_PAIR_POINT_TRIANGLE, /* x0 | x1 x2 x3 */
  SOFA_PAIR_EDGE_EDGE       /* x0 x1 | x2 x3 */
} SofaPairKind;

/* A function of the n points of a pair. */
typedef struct SofaPairTerm {
  double value;
  double gradient[12]; /* 3 n */
  double hessian[144]; /* 3 n x 3 n, row-major, symmetric */
} SofaPairTerm;

/* 2, 3, 4, 4 */
unsigned sofa_pair_points(SofaPairKind kind);

/* The closest points of a pair. */
void sofa_pair_closest(SofaPairKind kind, const double *x, SofaClosest *out);

/* The points that count for the distance, bit k for point k: those of the closest corner, edge or
 * face of each element (SofaClosest.region). Parallel edges: an end of one of them counts, so that
 * the distance of the lines is never asked for. d2: the squared distance of the elements. */
unsigned sofa_pair_region(SofaPairKind kind, const double *x, double *d2);

/* Squared distance of the two parts that a region has: two points, point and line, point and plane,
 * two lines. It is that of the elements when the region is that of sofa_pair_region. Derivatives
 * by points that do not count are 0. Lines and planes must not be degenerate. Units: m^2, m, 1. */
void sofa_pair_distance2(SofaPairKind kind, unsigned region, const double *x, SofaPairTerm *out);

/* Mollifier of two edges x0 x1 and x2 x3, which is 1 except for nearly parallel ones and makes an
 * energy of their distance smooth: with c = |(x1 - x0) x (x3 - x2)|^2 below the threshold e it is
 * 2 c / e - (c / e)^2. */
void sofa_edge_mollifier(const double *x, double threshold, SofaPairTerm *out);
/* The paper's threshold: 1e-3 |x1 - x0|^2 |x3 - x2|^2 at rest. */
double sofa_edge_threshold(const double *rest);

SOFA_END_DECLS

#endif
