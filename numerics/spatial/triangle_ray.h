/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rays against triangles. */
#ifndef SOFA_NUMERICS_SPATIAL_TRIANGLE_RAY_H
#define SOFA_NUMERICS_SPATIAL_TRIANGLE_RAY_H

#include "math/vec.h"

/* p + t d, t >= 0 */
typedef struct SofaRay {
  const double *p, *d;
} SofaRay;

/* Does the ray meet a triangle (borders widened by eps in barycentric coordinates)? *t and *along =
 * normal . d are set. Moeller and Trumbore 1997. */
static inline bool triangle_ray(const double *const corners[3], SofaRay ray, double eps, double *t,
                                double *along) {
  const double *a = corners[0], *b = corners[1], *c = corners[2], *p = ray.p, *d = ray.d;
  double ab[3], ac[3], n[3], pv[3], tv[3], qv[3];
  sofa_vec3_sub(b, a, ab);
  sofa_vec3_sub(c, a, ac);
  sofa_vec3_cross(ab, ac, n);
  *along = sofa_vec3_dot(n, d);
  sofa_vec3_cross(d, ac, pv);
  const double det = sofa_vec3_dot(ab, pv);
  if (!(fabs(det) > eps)) return false;
  sofa_vec3_sub(p, a, tv);
  const double u = sofa_vec3_dot(tv, pv) / det;
  sofa_vec3_cross(tv, ab, qv);
  const double v = sofa_vec3_dot(d, qv) / det;
  *t = sofa_vec3_dot(ac, qv) / det;
  return u >= -eps && v >= -eps && u + v <= 1 + eps && *t >= 0;
}

#endif
