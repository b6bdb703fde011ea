/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids around an axis: frame and checks. */
#include "round_grid.h"

#include <math.h>
#include "math/vec.h"

double sofa_round_coordinate(double k, int n, double radius) {
  return n > 1 ? k * 2 * radius / (n - 1) - radius : 0;
}

void sofa_round_to_world(const SofaRoundGrid *grid, const double q[3], double p[3]) {
  const double x0[3] = {1, 0, 0}, y0[3] = {0, 1, 0};
  double x[3], y[3], z[3];
  sofa_vec3_copy(grid->axis.v, z);
  sofa_vec3_normalize(z);
  sofa_vec3_cross(z, sofa_vec3_distance(z, x0) < 1e-6 ? y0 : x0, y);
  sofa_vec3_normalize(y);
  sofa_vec3_cross(y, z, x);
  sofa_vec3_normalize(x);
  for (int k = 0; k < 3; k++) p[k] = grid->center.v[k] + x[k] * q[0] + y[k] * q[1] + z[k] * q[2];
}

SofaErr sofa_round_grid_init(SofaObject *object) {
  SofaRoundGrid *grid = (SofaRoundGrid *)object;
  const double norm = sofa_vec3_norm(grid->axis.v);
  if (!(norm > 0) || !isfinite(norm))
    return sofa_field_fail(object, "axis", SOFA_ERR_RANGE, "(%g, %g, %g) is not a direction",
                           grid->axis.v[0], grid->axis.v[1], grid->axis.v[2]);
  return sofa_grid_fill(&grid->grid);
}
