/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rays and spheres, rays near triangles. */
#include "components/collision/intersection/discrete.h"

SofaDetection *ray_sphere(Proximity *b, SofaElementPair pair) {
  const Ray ray = ray_of(b->first, pair.first);
  const double *c = proximity_second(b, pair, 0);
  const double radius = sofa_collision_radius(b->second, pair.second);
  double oc[3], p[3], r[3];
  sofa_vec3_sub(c, ray.origin, oc);
  const double along = sofa_vec3_dot(oc, ray.direction), s = fmin(fmax(along, 0), ray.length);
  ray_point(&ray, s, p);
  sofa_vec3_sub(c, p, r);
  const double d2 = b->rays ? sofa_vec3_norm2(oc) - s * s : sofa_vec3_norm2(r);
  if (!(d2 < radius * radius)) return NULL;
  SofaDetection *d = proximity_append(b, pair, pair.first);
  const double distance = sqrt(fmax(d2, 0));
  sofa_vec3_copy(p, d->point[0]);
  sofa_vec3_copy(c, d->point[1]);
  sofa_vec3_copy(r, d->normal);
  proximity_unit(b, distance, d->normal);
  d->value = distance - radius;
  return d;
}

/* ---- rays near triangles ---- */

typedef struct Closest {
  double p[3], q[3], d2;
} Closest;

static void keep(Closest *best, const double *p, const double *q, double d2) {
  if (!(d2 < best->d2)) return;
  sofa_vec3_copy(p, best->p);
  sofa_vec3_copy(q, best->q);
  best->d2 = d2;
}

/* Closest points of the segment s and the triangle t: they meet, or an end of one is closest, or
 * two edges are. */
static void segment_and_triangle(const double *const s[2], const double *const t[3],
                                 Closest *best) {
  double along, w[3], p[3];
  SofaClosest c;
  *best = (Closest){.d2 = INFINITY};
  if (sofa_segment_triangle(s[0], s[1], t, &along, w)) {
    proximity_between(s[0], s[1], along, p);
    keep(best, p, p, 0);
    return;
  }
  for (int k = 0; k < 2; k++) {
    sofa_closest_point_triangle(s[k], t, &c);
    keep(best, c.p, c.q, c.d2);
  }
  for (int k = 0; k < 3; k++) {
    const double *const edge[2] = {t[k], t[(k + 1) % 3]};
    sofa_closest_segments(s, edge, &c);
    keep(best, c.p, c.q, c.d2);
  }
}

void ray_near_triangle_test(Proximity *b, SofaElementPair pair) {
  const Ray ray = ray_of(b->first, pair.first);
  const double *t[3];
  double end[3], normal[3];
  Closest best;
  sofa_collision_triangle_normal(b->second, pair.second, normal);
  if (fabs(sofa_vec3_dot(normal, ray.direction)) < 1e-6) return;
  proximity_triangle(b->second, pair.second, t);
  ray_point(&ray, ray.length, end);
  segment_and_triangle((const double *const[]){ray.origin, end}, t, &best);
  const double distance = sqrt(best.d2);
  if (!(distance < b->alarm)) return;
  SofaDetection *d = proximity_append(b, pair, pair.first);
  sofa_vec3_copy(best.p, d->point[0]);
  sofa_vec3_copy(best.q, d->point[1]);
  sofa_vec3_scale(-1, normal, d->normal);
  d->value = distance - b->alarm;
}
