/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Normals of points as the mean of the unit normals of their faces. */
#ifndef SOFA_NUMERICS_SPATIAL_FACE_NORMALS_H
#define SOFA_NUMERICS_SPATIAL_FACE_NORMALS_H

#include "base/array.h"
#include "math/vec.h"

/* Adds the unit normal of the triangle v[0] v[1] v[2] to the normals of all n corners. */
static inline void face_normals_add(const SofaVec3 *x, const uint32_t *v, unsigned n,
                                    SofaVec3 *normals) {
  double a[3], b[3], c[3];
  sofa_vec3_sub(x[v[1]].v, x[v[0]].v, a);
  sofa_vec3_sub(x[v[2]].v, x[v[0]].v, b);
  sofa_vec3_cross(a, b, c);
  const double norm = sofa_vec3_norm(c);
  for (unsigned k = 0; norm > 0 && k < n; k++) sofa_vec3_axpy(1 / norm, c, normals[v[k]].v);
}
/* Unit length; zero stays zero. */
static inline void face_normals_finish(SofaVec3 *normals, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const double norm = sofa_vec3_norm(normals[i].v);
    if (norm > 0) sofa_vec3_scale(1 / norm, normals[i].v, normals[i].v);
  }
}

#endif
