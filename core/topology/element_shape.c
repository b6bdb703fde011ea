/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Determinants of Jacobians of elements, relative to their size. */
#include "topology/element_shape_impl.h"

#include <math.h>

#include "topology/topology.h"

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Diagonal of the box around the vertices. */
static double diameter(const double (*x)[3], unsigned n) {
  double square = 0;
  for (int k = 0; k < 3; k++) {
    double low = x[0][k], high = x[0][k];
    for (unsigned i = 1; i < n; i++) {
      low = fmin(low, x[i][k]);
      high = fmax(high, x[i][k]);
    }
    square += (high - low) * (high - low);
  }
  return sqrt(square);
}

/* Tangents of a hexahedron of the given vertices at a point of [-1, 1]^3. */
static void hexa_tangents(const double (*x)[3], const unsigned char *vertex, const double p[3],
                          double t[3][3]) {
  static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  for (int a = 0; a < 3; a++)
    for (int k = 0; k < 3; k++) t[a][k] = 0;
  for (int i = 0; i < 8; i++)
    for (int a = 0; a < 3; a++) {
      const int b = (a + 1) % 3, c = (a + 2) % 3;
      const double slope = corner[i][a] * (1 + corner[i][b] * p[b]) * (1 + corner[i][c] * p[c]) / 8;
      for (int k = 0; k < 3; k++) t[a][k] += slope * x[vertex[i]][k];
    }
}

/* The least determinant at the 8 Gauss points of a hexahedron; prisms and pyramids are hexahedra
 * with repeated vertices. */
static double least_of_solid(const double (*x)[3], const unsigned char *vertex) {
  const double g = 1 / sqrt(3);
  double least = INFINITY;
  for (int i = 0; i < 8; i++) {
    const double p[3] = {i & 1 ? g : -g, i & 2 ? g : -g, i & 4 ? g : -g};
    double t[3][3], normal[3];
    hexa_tangents(x, vertex, p, t);
    cross(t[0], t[1], normal);
    const double det = dot(normal, t[2]);
    if (!(det >= least)) least = det; // also NaN
  }
  return least;
}

static double least_of_tetra(const double (*x)[3]) {
  double e[3][3], normal[3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) e[i][k] = x[i + 1][k] - x[0][k];
  cross(e[0], e[1], normal);
  return dot(normal, e[2]);
}

/* Faces: the normals at the corners, along their mean or, in the plane, along z. */
static double least_of_face(const double (*x)[3], int n, bool planar) {
  double normal[4][3], mean[3] = {0, 0, 0}, least = INFINITY;
  for (int i = 0; i < n; i++) {
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
      a[k] = x[(i + 1) % n][k] - x[i][k];
      b[k] = x[(i + n - 1) % n][k] - x[i][k];
    }
    cross(a, b, normal[i]);
    for (int k = 0; k < 3; k++) mean[k] += normal[i][k];
  }
  const double size = sqrt(dot(mean, mean));
  if (planar) mean[0] = mean[1] = 0, mean[2] = 1;
  else if (size > 0)
    for (int k = 0; k < 3; k++) mean[k] /= size;
  for (int i = 0; i < n; i++) {
    const double det = dot(normal[i], mean);
    if (!(det >= least)) least = det;
  }
  return least;
}

double sofa_element_quality(SofaElementKind kind, const double (*x)[3], bool planar) {
  static const unsigned char hexa[8] = {0, 1, 2, 3, 4, 5, 6, 7},
                             prism[8] = {0, 1, 2, 2, 3, 4, 5, 5},
                             pyramid[8] = {0, 1, 2, 3, 4, 4, 4, 4};
  const double d = diameter(x, sofa_element_kind_info(kind)->width);
  if (d == 0) return 0;
  switch (kind) {
  case SOFA_ELEMENT_EDGE:
    return 1;
  case SOFA_ELEMENT_TRIANGLE:
    return least_of_face(x, 3, planar) / (d * d);
  case SOFA_ELEMENT_QUAD:
    return least_of_face(x, 4, planar) / (d * d);
  case SOFA_ELEMENT_TETRA:
    return least_of_tetra(x) / (d * d * d);
  case SOFA_ELEMENT_HEXA:
    return least_of_solid(x, hexa) / (d * d * d);
  case SOFA_ELEMENT_PRISM:
    return least_of_solid(x, prism) / (d * d * d);
  case SOFA_ELEMENT_PYRAMID:
    return least_of_solid(x, pyramid) / (d * d * d);
  default:
    return 1;
  }
}
