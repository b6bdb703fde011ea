/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inverse of the map from reference coordinates to space. */
#include "numerics/fem/shape_locate.h"

#include <math.h>
#include "math/vec.h"

enum { ITERATIONS = 40 };

static const double middles[SOFA_N_SHAPES][3] = {[SOFA_SHAPE_TETRA] = {0.25, 0.25, 0.25},
                                                 [SOFA_SHAPE_PYRAMID] = {0, 0, -0.5},
                                                 [SOFA_SHAPE_PRISM] = {1. / 3, 1. / 3, 0.5}};

/* The greatest distance of a node from the first one. */
static double size_of(unsigned n_nodes, const double *p) {
  double size = 0;
  for (unsigned n = 1; n < n_nodes; n++) size = fmax(size, sofa_vec3_distance(p, p + 3 * n));
  return size;
}

/* r = x - sum N_n p_n, and the columns of J: derivatives along the reference axes. */
static void residual(SofaShape shape, const double *p, const double *xi, double r[3], double j[9]) {
  double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3];
  const unsigned n_nodes = sofa_shape_info(shape)->n_nodes;
  sofa_shape_functions(shape, xi, n, d);
  for (int k = 0; k < 9; k++) j[k] = 0;
  for (unsigned a = 0; a < n_nodes; a++) {
    sofa_vec3_axpy(-n[a], p + 3 * a, r);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) j[3 * i + k] += p[3 * a + (unsigned)i] * d[a][k];
  }
}

bool sofa_shape_locate(SofaShape shape, const double *p, const double x[3], double xi[3]) {
  const SofaShapeInfo *info = sofa_shape_info(shape);
  const double size = size_of(info->n_nodes, p);
  for (unsigned n = 0; n < info->n_nodes; n++) {
    if (!(sofa_vec3_distance(p + 3 * n, x) <= 1e-12 * size)) continue;
    sofa_shape_node(shape, n, xi);
    return true;
  }
  sofa_vec3_copy(middles[info->corners], xi);
  for (int k = 0; k < ITERATIONS; k++) {
    double r[3], j[9], inverse[9], det, step[3];
    sofa_vec3_copy(x, r);
    residual(shape, p, xi, r, j);
    if (sofa_vec3_norm(r) <= 1e-12 * size) return true;
    if (!sofa_mat3_inverse(j, inverse, &det)) return false;
    sofa_mat3_apply(inverse, r, step);
    const double length = sofa_vec3_norm(step);
    // elements are about 2 wide: a point so far away is not in this one
    if (!(length < 1e3)) return false;
    sofa_vec3_axpy(fmin(1, 1 / length), step, xi);
  }
  return false;
}

bool sofa_shape_contains(SofaShape shape, const double xi[3], double margin) {
  const double a = xi[0], b = xi[1], c = xi[2];
  switch (sofa_shape_info(shape)->corners) {
  case SOFA_SHAPE_TETRA:
    return a >= -margin && b >= -margin && c >= -margin && a + b + c <= 1 + margin;
  case SOFA_SHAPE_PRISM:
    return a >= -margin && b >= -margin && a + b <= 1 + margin && c >= -margin && c <= 1 + margin;
  default:
    return fabs(a) <= 1 + margin && fabs(b) <= 1 + margin && fabs(c) <= 1 + margin;
  }
}
