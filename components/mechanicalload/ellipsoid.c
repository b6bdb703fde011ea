/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The law of an ellipsoid and its derivative. */
#include "components/mechanicalload/ellipsoid.h"

#include <math.h>

#include "base/quirks.h"

double ellipsoid_level2(unsigned dims, const double *radius, const double *d) {
  double s2 = 0;
  for (unsigned j = 0; j < dims; j++) s2 += (d[j] / radius[j]) * (d[j] / radius[j]);
  return s2;
}

bool ellipsoid_law(SofaContext *ctx, unsigned dims, const double *radius, double stiffness,
                   double damping, const double *d, const double *velocity, double *force,
                   double *block) {
  const double s2 = ellipsoid_level2(dims, radius, d), k = fabs(stiffness);
  if (!((s2 - 1) * stiffness < 0) || !(s2 > 0)) return false;
  const double s = sqrt(s2), v = s - 1;
  double g[3], norm2 = 0;
  for (unsigned j = 0; j < dims; j++) {
    g[j] = d[j] / (radius[j] * radius[j]);
    norm2 += g[j] * g[j];
  }
  const double norm = sqrt(norm2);
  /* dv/dx_j = g_j / s, dg_i/dx_j = delta_ij / r_i^2, dG/dx_j = g_j / (r_j^2 G) */
  const double f1 = -k / (s * norm), f2 = -k * v / norm;
  double f3 = k * v / (norm2 * norm);
  if (sofa_quirk(ctx, SOFA_QUIRK_ELLIPSOID_TANGENT)) f3 = -k * v / norm2;
  for (unsigned i = 0; i < dims; i++) {
    force[i] += f2 * g[i] - damping * fabs(v) * velocity[i];
    for (unsigned j = 0; j < dims; j++) {
      const double r2 = radius[j] * radius[j];
      block[i * dims + j] = g[i] * g[j] * (f1 + f3 / r2) + (i == j ? f2 / r2 : 0);
    }
  }
  return true;
}
