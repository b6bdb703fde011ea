/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Exact signs of determinants, and with them exact tests whether segments and triangles meet.
 * The signs are those of the real determinant of the given doubles. They are computed in floating
 * point with a bound of the rounding error; where the bound does not decide, by expansions, sums of
 * doubles without rounding (Shewchuk, Adaptive precision floating-point arithmetic and fast robust
 * geometric predicates, 1997). A point is 3 doubles (2 in the plane).
 * Range: coordinates that are 0 or of magnitude 2^-280 to 2^300. Outside, products underflow or
 * overflow and a sign may be wrong; no function fails or loops. */
#ifndef SOFA_NUMERICS_CONTACT_EXACT_H
#define SOFA_NUMERICS_CONTACT_EXACT_H

#include <stdbool.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

/* Sign, -1, 0 or 1, of (b - a) x (c - a) of points in the plane: 1 when a, b, c turn left. */
int sofa_orient2d(const double *a, const double *b, const double *c);
/* Sign of ((b - a) x (c - a)) . (d - a): 1 when d is on the side of the normal of a, b, c. */
int sofa_orient3d(const double *a, const double *b, const double *c, const double *d);

/* Have the closed segments p q and a b a common point? Segments may have no length. */
bool sofa_segments_meet(const double *p, const double *q, const double *a, const double *b);
/* Have the closed segment p q and the closed triangle a common point? Segments without length and
 * triangles without area count as the point sets they are. */
bool sofa_segment_meets_triangle(const double *p, const double *q, const double *const t[3]);
/* Have the closed triangles a and b a common point, apart from the part they share by construction?
 * Their first `shared` corners (0, 1 or 2) are the same corners of a mesh: with 1, the common point
 * is none but this corner; with 2, none of this edge. Triangles without area count as the point
 * sets they are, with two exceptions: with shared = 1, a triangle whose shared corner is on its
 * opposite edge meets the other; with shared = 2, triangles whose common edge has no length meet.
 */
bool sofa_triangles_meet(const double *const a[3], const double *const b[3], unsigned shared);

SOFA_END_DECLS

#endif
