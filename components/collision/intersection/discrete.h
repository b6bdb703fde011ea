/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests that several intersection methods share: those of DiscreteIntersection, whose rules all
 * others extend, and rays that meet triangles within the alarm distance.
 *
 * A ray is an element with one corner, its origin; `normal` of its model has the unit direction and
 * `radius` the length. */
#ifndef COMPONENTS_COLLISION_DISCRETE_H
#define COMPONENTS_COLLISION_DISCRETE_H

#include "components/collision/intersection/proximity.h"

extern const SofaIntersectionOps discrete_intersection_ops;

/* Two spheres of any kind that are closer than the distances of `b`; touching ones count. */
void spheres_test(Proximity *b, SofaElementPair pair);

typedef struct Ray {
  const double *origin, *direction;
  double length; /* m */
} Ray;
ALWAYS Ray ray_of(const SofaCollisionModel *m, uint32_t i) {
  return (Ray){sofa_collision_corner(m, i, 0), m->normal + 3 * (size_t)i,
               sofa_collision_radius(m, i)};
}
ALWAYS void ray_point(const Ray *r, double t, double *p) {
  for (int k = 0; k < 3; k++) p[k] = r->origin[k] + r->direction[k] * t;
}

/* A ray closer to a triangle than the alarm distance; the value counts from there. */
void ray_near_triangle_test(Proximity *b, SofaElementPair pair);
/* A ray through a sphere: the point of the ray that is closest to the centre. Returns the
 * detection, whose second place is the centre, or NULL. */
SofaDetection *ray_sphere(Proximity *b, SofaElementPair pair);

#endif
