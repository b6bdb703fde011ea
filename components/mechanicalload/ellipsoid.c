/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The law of an ellipsoid and its derivative. */
#include "components/mechanicalload/ellipsoid.h"

#include <math.h>

double ellipsoid_level2(unsigned dims, const double *radius, const double *d) {
  double s2 = 0;
  for (unsigned j = 0; j < dims; j++) s2 += (d[j] / radius[j]) * (d[j] / radius[j]);
  return s2;
}

double ellipsoid_term(double kv, double g2) {
  return kv / (g2 * sqrt(g2));
}

double ellipsoid_term_of_sofa(double kv, double g2) {
  return -kv / g2;
}

bool ellipsoid_law(const EllipsoidLaw *law, const double *d, const double *velocity, double *force,
                   double *blocks) {
  const unsigned dims = law->dims;
  const double *radius = law->radius;
  const double s2 = ellipsoid_level2(dims, radius, d), k = fabs(law->stiffness);
  if (!((s2 - 1) * law->stiffness < 0) || !(s2 > 0)) return false;
  const double s = sqrt(s2), v = s - 1;
  double g[3], norm2 = 0, *by_v = blocks + dims * dims;
  for (unsigned j = 0; j < dims; j++) {
    g[j] = d[j] / (radius[j] * radius[j]);
    norm2 += g[j] * g[j];
  }
  const double norm = sqrt(norm2);
  /* dv/dx_j = g_j / s, dg_i/dx_j = delta_ij / r_i^2, dG/dx_j = g_j / (r_j^2 G) */
  const double f1 = -k / (s * norm), f2 = -k * v / norm;
  const double f3 = law->term(k * v, norm2);
  for (unsigned i = 0; i < dims; i++) {
    force[i] += f2 * g[i] - law->damping * fabs(v) * velocity[i];
    by_v[i * dims + i] = -law->damping * fabs(v);
    for (unsigned j = 0; j < dims; j++) {
      const double r2 = radius[j] * radius[j];
      blocks[i * dims + j] = g[i] * g[j] * (f1 + f3 / r2) + (i == j ? f2 / r2 : 0);
    }
  }
  return true;
}
