/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules of quadrature on reference elements. */
#include <math.h>

#include "numerics/fem/finite_element.h"

/* ---- products of Gauss points ---- */

/* Points and weights on [-1, 1], exact to degree 2 n - 1. */
static void gauss(size_t n, double *at, double *weight) {
  if (n == 2) {
    at[1] = 1 / sqrt(3);
    weight[0] = weight[1] = 1;
  } else if (n == 3) {
    at[1] = 0;
    at[2] = sqrt(0.6);
    weight[0] = weight[2] = 5. / 9;
    weight[1] = 8. / 9;
  } else {
    at[2] = sqrt(3. / 7 - 2. / 7 * sqrt(1.2));
    at[3] = sqrt(3. / 7 + 2. / 7 * sqrt(1.2));
    at[1] = -at[2];
    weight[1] = weight[2] = (18 + sqrt(30)) / 36;
    weight[0] = weight[3] = (18 - sqrt(30)) / 36;
  }
  at[0] = -at[n - 1];
}

/* Maps a point of the cube [-1, 1]^3 to a simplex (its first `dim` axes) by collapsing; the weight
 * takes the Jacobian. */
static void collapse(unsigned dim, SofaQuadraturePoint *q) {
  double left = 1;
  for (unsigned i = 0; i < dim; i++) {
    const double t = 0.5 * (1 + q->xi[i]);
    // the axes that follow shrink by 1 - t each
    q->xi[i] = left * t;
    q->weight *= 0.5;
    for (unsigned j = i + 1; j < dim; j++) q->weight *= 1 - t;
    left *= 1 - t;
  }
}

/* Products of `per_axis` Gauss points, the first axis fastest, collapsed to simplices. */
static size_t products(SofaShape corners, size_t per_axis, SofaQuadraturePoint *q) {
  double at[4], weight[4];
  const unsigned dim = sofa_shape_info(corners)->dim;
  size_t n = per_axis;
  gauss(per_axis, at, weight);
  for (unsigned i = 1; i < dim; i++) n *= per_axis;
  for (size_t k = 0; k < n; k++) {
    const size_t axis[3] = {k % per_axis, k / per_axis % per_axis, k / per_axis / per_axis};
    q[k] = (SofaQuadraturePoint){{0}, 1};
    for (unsigned i = 0; i < dim; i++) {
      q[k].xi[i] = at[axis[i]];
      q[k].weight *= weight[axis[i]];
    }
    if (corners == SOFA_SHAPE_TRIANGLE || corners == SOFA_SHAPE_TETRA) collapse(dim, &q[k]);
    if (corners != SOFA_SHAPE_PRISM) continue;
    collapse(2, &q[k]);
    q[k].xi[2] = 0.5 * (1 + q[k].xi[2]);
    q[k].weight *= 0.5;
  }
  return n;
}

/* A product of three shape functions of first order and the measure has at most degree 5 in each
 * axis, the collapse counted; two functions of second order: 6. */
static size_t mass_rule(SofaShape shape, SofaQuadraturePoint *q) {
  const SofaShapeInfo *info = sofa_shape_info(shape);
  return products(info->corners, info->order == 2 ? 4 : 3, q);
}

/* ---- rules for stiffness ---- */

static size_t first_order(SofaShape shape, SofaQuadraturePoint *q) {
  static const double sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  const double g = 1 / sqrt(3);
  switch (shape) {
  case SOFA_SHAPE_EDGE:
    q[0] = (SofaQuadraturePoint){{0}, 2};
    return 1;
  case SOFA_SHAPE_TRIANGLE:
    q[0] = (SofaQuadraturePoint){{1. / 3, 1. / 3}, 0.5};
    return 1;
  case SOFA_SHAPE_TETRA:
    q[0] = (SofaQuadraturePoint){{0.25, 0.25, 0.25}, 1. / 6};
    return 1;
  case SOFA_SHAPE_QUAD:
    // three points on a circle: exact to degree 2 (Stroud 1971, C2 3-1)
    q[0] = (SofaQuadraturePoint){{sqrt(2. / 3), 0}, 4. / 3};
    q[1] = (SofaQuadraturePoint){{-1 / sqrt(6), -1 / sqrt(2)}, 4. / 3};
    q[2] = (SofaQuadraturePoint){{-1 / sqrt(6), 1 / sqrt(2)}, 4. / 3};
    return 3;
  case SOFA_SHAPE_PRISM:
    q[0] = (SofaQuadraturePoint){{1. / 3, 1. / 3, 0.5 * (1 - g)}, 0.25};
    q[1] = (SofaQuadraturePoint){{1. / 3, 1. / 3, 0.5 * (1 + g)}, 0.25};
    return 2;
  default:
    for (int k = 0; k < 8; k++)
      q[k] = (SofaQuadraturePoint){{sign[k][0] * g, sign[k][1] * g, sign[k][2] * g}, 1};
    return 8;
  }
}

/* Exact to degree 2: the points (2/3, 1/6), (1/6, 2/3), (1/6, 1/6). */
static size_t triangle_rule(SofaQuadraturePoint *q) {
  for (int k = 0; k < 3; k++)
    q[k] = (SofaQuadraturePoint){{k == 0 ? 2. / 3 : 1. / 6, k == 1 ? 2. / 3 : 1. / 6}, 1. / 6};
  return 3;
}

/* Exact to degree 2: one of the barycentric coordinates is b, the others are a. */
static size_t tetra_rule(SofaQuadraturePoint *q) {
  const double a = (5 - sqrt(5)) / 20, b = (5 + 3 * sqrt(5)) / 20;
  for (int k = 0; k < 4; k++)
    q[k] = (SofaQuadraturePoint){{k == 3 ? b : a, k == 2 ? b : a, k == 1 ? b : a}, 1. / 24};
  return 4;
}

/* The rule of triangles times `layers` Gauss points. */
static size_t prism_rule(size_t layers, SofaQuadraturePoint *q) {
  double at[4], weight[4];
  SofaQuadraturePoint triangle[3];
  triangle_rule(triangle);
  gauss(layers, at, weight);
  for (size_t k = 0; k < 3 * layers; k++) {
    q[k] = triangle[k % 3];
    q[k].xi[2] = 0.5 * (1 + at[k / 3]);
    q[k].weight *= 0.5 * weight[k / 3];
  }
  return 3 * layers;
}

static size_t second_order(SofaShape shape, bool reduced, SofaQuadraturePoint *q) {
  const bool few = reduced && (shape == SOFA_SHAPE_QUAD8 || shape == SOFA_SHAPE_HEXA20);
  switch (shape) {
  case SOFA_SHAPE_EDGE3:
    return products(SOFA_SHAPE_EDGE, 2, q);
  case SOFA_SHAPE_TRIANGLE6:
    return triangle_rule(q);
  case SOFA_SHAPE_TETRA10:
    return tetra_rule(q);
  case SOFA_SHAPE_PRISM15:
    return prism_rule(3, q);
  default:
    return products(sofa_shape_info(shape)->corners, few ? 2 : 3, q);
  }
}

size_t sofa_quadrature(SofaShape shape, SofaRule rule, SofaQuadraturePoint *points) {
  if (rule == SOFA_RULE_MASS) return mass_rule(shape, points);
  if (sofa_shape_info(shape)->order == 2)
    return second_order(shape, rule == SOFA_RULE_REDUCED, points);
  if (rule != SOFA_RULE_STIFFNESS && shape == SOFA_SHAPE_PRISM) return prism_rule(2, points);
  if (rule != SOFA_RULE_STIFFNESS && shape == SOFA_SHAPE_QUAD) return products(shape, 2, points);
  return first_order(shape, points);
}
