/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rotations of points from those of the elements around them. */
#include "numerics/fem/node_rotations.h"

#include "base/bytes.h"
#include "math/polar.h"

void sofa_node_rotations_begin(size_t n_points, double *r) {
  sofa_zero(r, 9 * n_points * sizeof *r);
}

static void add(const double *turned, const uint32_t *v, int n, double *r) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 9; k++) r[9 * (size_t)v[i] + (size_t)k] += turned[k];
}

void sofa_node_rotations_add(const double *rest, const double *now, const uint32_t *v, int n,
                             double *r) {
  double turned[9] = {0};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) turned[3 * i + j] += now[3 * k + i] * rest[3 * k + j];
  add(turned, v, n, r);
}

void sofa_node_rotations_add_inverse(const double *rest, const double *now, const uint32_t *v,
                                     int n, double *r) {
  double turned[9] = {0};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) turned[3 * i + j] += now[3 * i + k] * rest[3 * j + k];
  add(turned, v, n, r);
}

void sofa_node_rotations_end(size_t n_points, double *r) {
  for (size_t i = 0; i < n_points; i++) sofa_polar_stable(r + 9 * i, r + 9 * i, NULL);
}
