/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nodes and shape functions of elements of second order: Lagrange (edge, quad9, hexa27),
 * serendipity (quad8, hexa20, prism15), simplices, and the pyramid of Bedrosian (1992), whose
 * functions are polynomials in the collapsed coordinates of this library. */
#include "numerics/fem/quadratic_element_impl.h"

#include <string.h>

/* ---- nodes ---- */

/* Corners of the mid nodes of edges, behind the corners themselves. */
static const uint8_t edge_mids[][2] = {{0, 1}};
static const uint8_t triangle_mids[][2] = {{0, 1}, {1, 2}, {2, 0}};
static const uint8_t quad_mids[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
static const uint8_t tetra_mids[][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const uint8_t pyramid_mids[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0},
                                          {0, 4}, {1, 4}, {2, 4}, {3, 4}};
static const uint8_t prism_mids[][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                        {5, 3}, {0, 3}, {1, 4}, {2, 5}};
static const uint8_t hexa_mids[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                       {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
/* Faces of a hexahedron with a node in their middle. */
static const uint8_t hexa_faces[6][4] = {{0, 3, 7, 4}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                         {2, 3, 7, 6}, {0, 1, 2, 3}, {4, 5, 6, 7}};

/* Mid nodes by the shape of the corners, and the corners in reference coordinates. */
typedef struct Corners {
  unsigned n_mids;
  const uint8_t (*mids)[2];
  double at[8][3];
} Corners;

static const Corners all_corners[SOFA_SHAPE_HEXA + 1] = {
    [SOFA_SHAPE_EDGE] = {1, edge_mids, {{-1}, {1}}},
    [SOFA_SHAPE_TRIANGLE] = {3, triangle_mids, {{0}, {1}, {0, 1}}},
    [SOFA_SHAPE_QUAD] = {4, quad_mids, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
    [SOFA_SHAPE_TETRA] = {6, tetra_mids, {{0}, {1}, {0, 1}, {0, 0, 1}}},
    [SOFA_SHAPE_PYRAMID] = {8,
                            pyramid_mids,
                            {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {0, 0, 1}}},
    [SOFA_SHAPE_PRISM] = {9, prism_mids, {{0}, {1}, {0, 1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}},
    [SOFA_SHAPE_HEXA] = {12,
                         hexa_mids,
                         {{-1, -1, -1},
                          {1, -1, -1},
                          {1, 1, -1},
                          {-1, 1, -1},
                          {-1, -1, 1},
                          {1, -1, 1},
                          {1, 1, 1},
                          {-1, 1, 1}}},
};

unsigned sofa_shape_node_corners(SofaShape shape, unsigned node, uint8_t corners[8]) {
  const SofaShapeInfo *info = sofa_shape_info(shape);
  const unsigned n_corners = sofa_shape_info(info->corners)->n_nodes;
  const Corners *of = &all_corners[info->corners];
  corners[0] = (uint8_t)node;
  if (node < n_corners) return 1;
  node -= n_corners;
  if (node < of->n_mids) {
    memcpy(corners, of->mids[node], 2);
    return 2;
  }
  node -= of->n_mids;
  if (info->dim == 3 && node < 6) {
    memcpy(corners, hexa_faces[node], 4);
    return 4;
  }
  for (unsigned k = 0; k < n_corners; k++) corners[k] = (uint8_t)k;
  return n_corners;
}

void sofa_shape_node(SofaShape shape, unsigned node, double xi[3]) {
  uint8_t corners[8];
  const unsigned n = sofa_shape_node_corners(shape, node, corners);
  const Corners *of = &all_corners[sofa_shape_info(shape)->corners];
  for (int i = 0; i < 3; i++) {
    xi[i] = 0;
    for (unsigned k = 0; k < n; k++) xi[i] += of->at[corners[k]][i];
    xi[i] /= n;
  }
  // the middle of an edge to the apex of a pyramid is above its corner in collapsed coordinates
  if (n == 2 && corners[1] == 4 && of->n_mids == 8)
    for (int i = 0; i < 2; i++) xi[i] = of->at[corners[0]][i];
}

/* ---- cubes ---- */

/* A function of one coordinate and its derivative. */
typedef struct Factor {
  double value, slope;
} Factor;

/* The quadratic function at x that is 1 at c (-1, 0 or 1) and 0 at the other two. */
static Factor lagrange_at(double c, double x) {
  if (c == 0) return (Factor){1 - x * x, -2 * x};
  return (Factor){0.5 * x * (x + c), x + 0.5 * c};
}

/* The function of a serendipity node along one of its axes: linear, or a bubble on its edge. */
static Factor serendipity_at(double c, double x) {
  if (c == 0) return (Factor){1 - x * x, -2 * x};
  return (Factor){0.5 * (1 + c * x), 0.5 * c};
}

static void product(unsigned dim, const Factor *f, double *n, double *d) {
  *n = 1;
  for (unsigned i = 0; i < dim; i++) *n *= f[i].value;
  for (unsigned i = 0; i < 3; i++) {
    d[i] = i < dim ? f[i].slope : 0;
    for (unsigned j = 0; j < dim; j++)
      if (j != i) d[i] *= f[j].value;
  }
}

static void lagrange(SofaShape shape, const double *xi, double *n, double (*d)[3]) {
  const SofaShapeInfo *info = sofa_shape_info(shape);
  for (unsigned a = 0; a < info->n_nodes; a++) {
    double c[3];
    Factor f[3];
    sofa_shape_node(shape, a, c);
    for (unsigned i = 0; i < info->dim; i++) f[i] = lagrange_at(c[i], xi[i]);
    product(info->dim, f, &n[a], d[a]);
  }
}

/* Corners: the multilinear function times sum c_i x_i - (dim - 1). */
static void serendipity(SofaShape shape, const double *xi, double *n, double (*d)[3]) {
  const SofaShapeInfo *info = sofa_shape_info(shape);
  const unsigned n_corners = sofa_shape_info(info->corners)->n_nodes;
  for (unsigned a = 0; a < info->n_nodes; a++) {
    double c[3], sum = 1 - (double)info->dim;
    Factor f[3];
    sofa_shape_node(shape, a, c);
    for (unsigned i = 0; i < info->dim; i++) {
      f[i] = serendipity_at(c[i], xi[i]);
      sum += c[i] * xi[i];
    }
    product(info->dim, f, &n[a], d[a]);
    if (a >= n_corners) continue;
    for (unsigned i = 0; i < info->dim; i++) d[a][i] = sum * d[a][i] + c[i] * n[a];
    n[a] *= sum;
  }
}

/* ---- simplices ---- */

/* Barycentric coordinates and their derivatives. */
typedef struct Barycentric {
  double t[4], d[4][3];
} Barycentric;

static Barycentric barycentric(unsigned dim, const double *xi) {
  Barycentric b = {.t = {1}};
  for (unsigned i = 0; i < dim; i++) {
    b.t[0] -= xi[i];
    b.t[i + 1] = xi[i];
    b.d[0][i] = -1;
    b.d[i + 1][i] = 1;
  }
  return b;
}

/* t (2 t - 1) of corners, 4 t_a t_b of edges. */
static void simplex(SofaShape shape, const double *xi, double *n, double (*d)[3]) {
  const SofaShapeInfo *info = sofa_shape_info(shape);
  const Barycentric b = barycentric(info->dim, xi);
  for (unsigned a = 0; a < info->n_nodes; a++) {
    uint8_t c[8];
    const bool corner = sofa_shape_node_corners(shape, a, c) == 1;
    const double s = b.t[c[0]], t = corner ? 0 : b.t[c[1]];
    n[a] = corner ? s * (2 * s - 1) : 4 * s * t;
    for (int i = 0; i < 3; i++)
      d[a][i] = corner ? (4 * s - 1) * b.d[c[0]][i] : 4 * (s * b.d[c[1]][i] + t * b.d[c[0]][i]);
  }
}

/* ---- prism and pyramid ---- */

/* With z in [-1, 1]: corners t ((2 t - 1) (1 + c z) - (1 - z^2)) / 2, edges of triangles
 * 2 t_a t_b (1 + c z), upright edges t (1 - z^2). */
static void prism(const double *xi, double *n, double (*d)[3]) {
  const Barycentric b = barycentric(2, xi);
  const double z = 2 * xi[2] - 1, bubble = 1 - z * z;
  for (unsigned a = 0; a < 15; a++) {
    uint8_t node[8];
    sofa_shape_node_corners(SOFA_SHAPE_PRISM15, a, node);
    const unsigned i = node[0] % 3, j = node[1] % 3;
    const double c = node[0] < 3 ? -1 : 1, side = 1 + c * z, s = b.t[i];
    double by_s, by_t = 0, by_z;
    if (a < 6) {
      n[a] = 0.5 * s * ((2 * s - 1) * side - bubble);
      by_s = 0.5 * ((4 * s - 1) * side - bubble);
      by_z = 0.5 * s * ((2 * s - 1) * c + 2 * z);
    } else if (a < 12) {
      n[a] = 2 * s * b.t[j] * side;
      by_s = 2 * b.t[j] * side;
      by_t = 2 * s * side;
      by_z = 2 * s * b.t[j] * c;
    } else {
      n[a] = s * bubble;
      by_s = bubble;
      by_z = -2 * z * s;
    }
    for (int k = 0; k < 2; k++) d[a][k] = by_s * b.d[i][k] + (a < 6 ? 0 : by_t * b.d[j][k]);
    d[a][2] = 2 * by_z;
  }
}

/* With t = (1 + z) / 2, r = 1 - t: corners r (1 + cx)(1 + ey)(r (cx + ey) - 1) / 4, base edges
 * r^2 (1 - x^2)(1 + ey) / 2, other edges t r (1 + cx)(1 + ey), apex t (2 t - 1). */
static void pyramid(const double *xi, double *n, double (*d)[3]) {
  const double x = xi[0], y = xi[1], t = 0.5 * (1 + xi[2]), r = 1 - t;
  for (unsigned a = 0; a < 13; a++) {
    double c[3], by_t;
    Factor f[2];
    sofa_shape_node(SOFA_SHAPE_PYRAMID13, a, c);
    for (int i = 0; i < 2; i++) {
      f[i] = serendipity_at(c[i], xi[i]);
      if (c[i] != 0) f[i].value *= 2, f[i].slope *= 2;
    }
    const double both = f[0].value * f[1].value;
    const double by_x = f[0].slope * f[1].value, by_y = f[0].value * f[1].slope;
    if (a < 4) {
      const double sum = c[0] * x + c[1] * y, factor = r * sum - 1;
      n[a] = 0.25 * r * both * factor;
      d[a][0] = 0.25 * r * (by_x * factor + both * r * c[0]);
      d[a][1] = 0.25 * r * (by_y * factor + both * r * c[1]);
      by_t = -0.25 * both * (2 * r * sum - 1);
    } else if (a == 4) {
      n[a] = t * (2 * t - 1);
      d[a][0] = d[a][1] = 0;
      by_t = 4 * t - 1;
    } else {
      const double g = a < 9 ? 0.5 * r * r : t * r;
      n[a] = g * both;
      d[a][0] = g * by_x;
      d[a][1] = g * by_y;
      by_t = (a < 9 ? -r : 1 - 2 * t) * both;
    }
    d[a][2] = 0.5 * by_t;
  }
}

void sofa_quadratic_functions(SofaShape shape, const double xi[3], double *n, double (*d)[3]) {
  switch (shape) {
  case SOFA_SHAPE_EDGE3:
  case SOFA_SHAPE_QUAD9:
  case SOFA_SHAPE_HEXA27:
    lagrange(shape, xi, n, d);
    break;
  case SOFA_SHAPE_QUAD8:
  case SOFA_SHAPE_HEXA20:
    serendipity(shape, xi, n, d);
    break;
  case SOFA_SHAPE_PRISM15:
    prism(xi, n, d);
    break;
  case SOFA_SHAPE_PYRAMID13:
    pyramid(xi, n, d);
    break;
  default:
    simplex(shape, xi, n, d);
    break;
  }
}
