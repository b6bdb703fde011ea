/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Closest points of two elements: point, segment, triangle; spheres are points with a radius. All
 * functions are pure and read 3 doubles per point.
 * A pair of elements has up to 4 points x0 .. x3, those of the first element first:
 *   point-point (x0 | x1), point-segment (x0 | x1 x2), point-triangle (x0 | x1 x2 x3),
 *   segment-segment (x0 x1 | x2 x3).
 * The result exists and is finite for all coordinates below 2^500 in magnitude: segments without
 * length, triangles without area and parallel segments included. The distance is that of the exact
 * closest points up to a few roundings of the largest coordinate difference in the pair. Where all
 * differences and their products are exact, as for small integers, the region is exact, too, except
 * for triangles with two edges at an angle below 1e-4.
 * Triangle: Ericson, Real-time collision detection, 2005, section 5.1.5. Segments: the same, 5.1.9,
 * with the determinants as products of cross products, which keeps nearly parallel ones accurate.
 */
#ifndef SOFA_NUMERICS_CONTACT_CLOSEST_H
#define SOFA_NUMERICS_CONTACT_CLOSEST_H

#include <stdbool.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

typedef struct SofaClosest {
  double w[4];       /* weights of the points, 0 or more; those of each element sum to 1 */
  double p[3], q[3]; /* closest points of the first and of the second element */
  double r[3];       /* q - p, more accurate than this difference */
  double d2;         /* r . r */
  /* Bit k: point k belongs to the smallest corner, edge or face of its element that has the closest
   * point. The weights of all others are 0. */
  unsigned region;
} SofaClosest;

void sofa_closest_points(const double *p, const double *q, SofaClosest *out);
/* A segment without length is its first point. */
void sofa_closest_point_segment(const double *p, const double *a, const double *b,
                                SofaClosest *out);
/* A triangle without area is its edges; of equally close ones the first of ab, bc, ca counts. */
void sofa_closest_point_triangle(const double *p, const double *const t[3], SofaClosest *out);
/* Parallel segments that overlap: the middle of the overlap, with all points in the region.
 * Otherwise, of equally close pairs, the first of a0-b, a1-b, b0-a, b1-a. */
void sofa_closest_segments(const double *const a[2], const double *const b[2], SofaClosest *out);

/* Spheres around the closest points: moves p and q to the surfaces (r, d2 and w stay those of the
 * centres), gives the unit normal from the first to the second, (1, 0, 0) when the centres
 * coincide, and returns the signed distance of the surfaces. */
double sofa_closest_gap(SofaClosest *c, const double radius[2], double normal[3]);

/* Is p in the closed tetrahedron x? The answer is exact (exact.h): of two tetrahedra with a common
 * face, no point between them is lost. w: barycentric coordinates, which sum to 1, also outside. A
 * flat tetrahedron has no point, and w = 0. */
bool sofa_point_in_tetrahedron(const double *p, const double *const x[4], double w[4]);

/* Have the closed segment p q and the triangle a common point? The answer is exact (exact.h). If
 * so, it is near (1 - *along) p + *along q and near the weighted sum of the corners. In a common
 * plane this is one of the common points. */
bool sofa_segment_triangle(const double *p, const double *q, const double *const t[3],
                           double *along, double w[3]);

SOFA_END_DECLS

#endif
