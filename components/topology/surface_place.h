/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Places on triangulated surfaces, and the one nearest to a point. */
#ifndef SOFA_TOPOLOGY_SURFACE_PLACE_H
#define SOFA_TOPOLOGY_SURFACE_PLACE_H

#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* A place on a surface. */
typedef struct SofaSurfacePlace {
  uint32_t triangle;
  double weights[3]; /* of its vertices, sum 1 */
} SofaSurfacePlace;

/* How a place was found. */
typedef enum SofaSurfaceFoot {
  SOFA_FOOT_NONE,   /* there is no triangle */
  SOFA_FOOT_INSIDE, /* below the point the surface goes on to all sides */
  SOFA_FOOT_BORDER  /* the nearest place is at a border */
} SofaSurfaceFoot;

/* The place of a surface that is nearest to a point. */
typedef struct SofaSurfaceNearest {
  SofaSurfacePlace place;
  double distance; /* to it, m */
  double size;     /* the longest edge of its triangle, m */
} SofaSurfaceNearest;
/* x: the points of the surface, 3 n reals. Where several triangles are equally near, the one that
 * lies towards the other point, unless that is NULL. */
SofaSurfaceFoot sofa_surface_nearest(const double *x, size_t n, const SofaTriangles *triangles,
                                     const double p[3], const double *towards,
                                     SofaSurfaceNearest *out);
/* Weights of the place in a triangle that is nearest to p; returns the distance, m. */
double sofa_triangle_nearest(const double *a, const double *b, const double *c, const double p[3],
                             double weights[3]);
/* Where a place is; x: 3 reals per point. */
void sofa_surface_at(const double *x, const SofaTriangles *triangles, const SofaSurfacePlace *place,
                     double p[3]);

SOFA_END_DECLS

#endif
