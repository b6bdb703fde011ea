/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference elements: those of first order, quadrature, gradients, element matrices. */
#include "numerics/fem/finite_element.h"

#include <math.h>

#include "base/bytes.h"
#include "numerics/fem/quadratic_element_impl.h"

#define FIRST(name, n, dim, shape) [shape] = {name, n, dim, shape, 1}
static const SofaShapeInfo infos[SOFA_N_SHAPES] = {
    FIRST("Edge", 2, 1, SOFA_SHAPE_EDGE),
    FIRST("Triangle", 3, 2, SOFA_SHAPE_TRIANGLE),
    FIRST("Quad", 4, 2, SOFA_SHAPE_QUAD),
    FIRST("Tetrahedron", 4, 3, SOFA_SHAPE_TETRA),
    FIRST("Pyramid", 5, 3, SOFA_SHAPE_PYRAMID),
    FIRST("Prism", 6, 3, SOFA_SHAPE_PRISM),
    FIRST("Hexahedron", 8, 3, SOFA_SHAPE_HEXA),
    [SOFA_SHAPE_EDGE3] = {"Edge3", 3, 1, SOFA_SHAPE_EDGE, 2},
    [SOFA_SHAPE_TRIANGLE6] = {"Triangle6", 6, 2, SOFA_SHAPE_TRIANGLE, 2},
    [SOFA_SHAPE_QUAD8] = {"Quad8", 8, 2, SOFA_SHAPE_QUAD, 2},
    [SOFA_SHAPE_QUAD9] = {"Quad9", 9, 2, SOFA_SHAPE_QUAD, 2},
    [SOFA_SHAPE_TETRA10] = {"Tetrahedron10", 10, 3, SOFA_SHAPE_TETRA, 2},
    [SOFA_SHAPE_PYRAMID13] = {"Pyramid13", 13, 3, SOFA_SHAPE_PYRAMID, 2},
    [SOFA_SHAPE_PRISM15] = {"Prism15", 15, 3, SOFA_SHAPE_PRISM, 2},
    [SOFA_SHAPE_HEXA20] = {"Hexahedron20", 20, 3, SOFA_SHAPE_HEXA, 2},
    [SOFA_SHAPE_HEXA27] = {"Hexahedron27", 27, 3, SOFA_SHAPE_HEXA, 2},
};

const SofaShapeInfo *sofa_shape_info(SofaShape shape) {
  return &infos[shape];
}

SofaShape sofa_shape_from_name(const char *name) {
  unsigned i = 0;
  while (i < SOFA_N_SHAPES && strcmp(infos[i].name, name) != 0) i++;
  return (SofaShape)i;
}

/* ---- shape functions ---- */

/* Signs of the nodes of a hexahedron; the first two columns of the first four: of a quad. */
static const double sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/* Products of (1 + s x) / 2 over the first `dim` axes. */
static void multilinear(unsigned n_nodes, unsigned dim, const double *xi, double *n,
                        double (*d)[3]) {
  for (unsigned a = 0; a < n_nodes; a++) {
    double f[3];
    n[a] = 1;
    for (unsigned i = 0; i < dim; i++) {
      f[i] = 0.5 * (1 + sign[a][i] * xi[i]);
      n[a] *= f[i];
    }
    for (unsigned i = 0; i < 3; i++) {
      d[a][i] = i < dim ? 0.5 * sign[a][i] : 0;
      for (unsigned j = 0; j < dim; j++) {
        if (j != i) d[a][i] *= f[j];
      }
    }
  }
}

/* Barycentric coordinates. */
static void simplex(unsigned dim, const double *xi, double *n, double (*d)[3]) {
  sofa_zero(d, (dim + 1) * sizeof *d);
  n[0] = 1;
  for (unsigned i = 0; i < dim; i++) {
    n[0] -= xi[i];
    n[i + 1] = xi[i];
    d[0][i] = -1;
    d[i + 1][i] = 1;
  }
}

/* A hexahedron whose upper four nodes are one. */
static void pyramid(const double *xi, double *n, double (*d)[3]) {
  multilinear(4, 3, xi, n, d);
  n[4] = 0.5 * (1 + xi[2]);
  d[4][0] = d[4][1] = 0;
  d[4][2] = 0.5;
}

/* A triangle times a line. */
static void prism(const double *xi, double *n, double (*d)[3]) {
  double t[3], dt[3][3];
  simplex(2, xi, t, dt);
  for (int a = 0; a < 6; a++) {
    const double z = a < 3 ? 1 - xi[2] : xi[2];
    n[a] = t[a % 3] * z;
    d[a][0] = dt[a % 3][0] * z;
    d[a][1] = dt[a % 3][1] * z;
    d[a][2] = a < 3 ? -t[a % 3] : t[a % 3];
  }
}

void sofa_shape_functions(SofaShape shape, const double xi[3], double *n, double (*d)[3]) {
  if (infos[shape].order == 2) {
    sofa_quadratic_functions(shape, xi, n, d);
    return;
  }
  switch (shape) {
  case SOFA_SHAPE_EDGE:
    multilinear(2, 1, xi, n, d);
    break;
  case SOFA_SHAPE_TRIANGLE:
    simplex(2, xi, n, d);
    break;
  case SOFA_SHAPE_QUAD:
    multilinear(4, 2, xi, n, d);
    break;
  case SOFA_SHAPE_TETRA:
    simplex(3, xi, n, d);
    break;
  case SOFA_SHAPE_PYRAMID:
    pyramid(xi, n, d);
    break;
  case SOFA_SHAPE_PRISM:
    prism(xi, n, d);
    break;
  default:
    multilinear(8, 3, xi, n, d);
    break;
  }
}

/* ---- gradients ---- */

/* Inverse of the leading m x m part of a (rows of 3), m <= 3; returns its determinant. */
static double invert(unsigned m, double a[3][3], double inverse[3][3]) {
  if (m == 1) {
    inverse[0][0] = 1 / a[0][0];
    return a[0][0];
  }
  if (m == 2) {
    const double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    inverse[0][0] = a[1][1] / det;
    inverse[1][1] = a[0][0] / det;
    inverse[0][1] = -a[0][1] / det;
    inverse[1][0] = -a[1][0] / det;
    return det;
  }
  double det = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      inverse[j][i] = a[(i + 1) % 3][(j + 1) % 3] * a[(i + 2) % 3][(j + 2) % 3] -
                      a[(i + 1) % 3][(j + 2) % 3] * a[(i + 2) % 3][(j + 1) % 3];
  }
  for (int j = 0; j < 3; j++) det += a[0][j] * inverse[j][0];
  for (int i = 0; i < 9; i++) inverse[i / 3][i % 3] /= det;
  return det;
}

double sofa_shape_gradients(SofaShape shape, unsigned dim, const double *p, double (*d)[3],
                            double *g) {
  const unsigned n_nodes = infos[shape].n_nodes, m = infos[shape].dim;
  double j[3][3] = {{0}}, square[3][3] = {{0}}, inverse[3][3];
  for (unsigned n = 0; n < n_nodes; n++) {
    for (unsigned i = 0; i < dim; i++) {
      for (unsigned k = 0; k < m; k++) j[i][k] += p[n * dim + i] * d[n][k];
    }
  }
  // rows of `left` are the gradients of the reference coordinates: J^-1, or (J^T J)^-1 J^T
  double left[3][3] = {{0}}, measure;
  if (m == dim) {
    measure = invert(m, j, left);
  } else {
    for (unsigned a = 0; a < m; a++) {
      for (unsigned b = 0; b < m; b++) {
        for (unsigned i = 0; i < dim; i++) square[a][b] += j[i][a] * j[i][b];
      }
    }
    measure = sqrt(invert(m, square, inverse));
    for (unsigned a = 0; a < m; a++) {
      for (unsigned i = 0; i < dim; i++) {
        for (unsigned b = 0; b < m; b++) left[a][i] += inverse[a][b] * j[i][b];
      }
    }
  }
  if (!(fabs(measure) > 0) || !isfinite(measure)) return measure;
  for (unsigned n = 0; n < n_nodes; n++) {
    for (unsigned i = 0; i < dim; i++) {
      double sum = 0;
      for (unsigned k = 0; k < m; k++) sum += left[k][i] * d[n][k];
      g[n * dim + i] = sum;
    }
  }
  return measure;
}

/* ---- element matrices ---- */

void sofa_add_isotropic_stiffness(unsigned n_nodes, unsigned dim, const double *g, double lambda,
                                  double mu, double *k) {
  const size_t size = (size_t)n_nodes * dim;
  for (unsigned a = 0; a < n_nodes; a++) {
    const double *ga = g + a * dim;
    for (unsigned b = a; b < n_nodes; b++) {
      const double *gb = g + b * dim;
      double dot = 0;
      for (unsigned i = 0; i < dim; i++) dot += ga[i] * gb[i];
      for (unsigned i = 0; i < dim; i++) {
        double *row = k + (a * dim + i) * size + b * dim;
        for (unsigned j = 0; j < dim; j++) row[j] += lambda * ga[i] * gb[j] + mu * gb[i] * ga[j];
        row[i] += mu * dot;
      }
    }
  }
}

void sofa_mirror_blocks(unsigned n_nodes, unsigned dim, double *k) {
  const size_t size = (size_t)n_nodes * dim;
  for (size_t r = 0; r < size; r++) {
    for (size_t s = 0; s < r / dim * dim; s++) k[r * size + s] = k[s * size + r];
  }
}

double sofa_isotropic_stiffness(SofaShape shape, unsigned dim, const double *p, double lambda,
                                double mu, double *k) {
  const unsigned n_nodes = infos[shape].n_nodes;
  SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
  const size_t n_points = sofa_quadrature(shape, SOFA_RULE_STIFFNESS, q), size = n_nodes * dim;
  double smallest = INFINITY;
  sofa_zero(k, size * size * sizeof *k);
  for (size_t i = 0; i < n_points; i++) {
    double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[3 * SOFA_SHAPE_MAX_NODES];
    sofa_shape_functions(shape, q[i].xi, n, d);
    const double measure = sofa_shape_gradients(shape, dim, p, d, g);
    if (!(fabs(measure) > 0) || !isfinite(measure)) {
      smallest = 0;
      break;
    }
    const double weight = q[i].weight * fabs(measure);
    sofa_add_isotropic_stiffness(n_nodes, dim, g, weight * lambda, weight * mu, k);
    smallest = fmin(smallest, measure);
  }
  sofa_mirror_blocks(n_nodes, dim, k);
  return smallest;
}

void sofa_consistent_mass(SofaShape shape, unsigned dim, SofaRule rule, const double *p,
                          const double *rho, double *m) {
  const unsigned n_nodes = infos[shape].n_nodes;
  SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
  const size_t n_points = sofa_quadrature(shape, rule, q);
  sofa_zero(m, n_nodes * n_nodes * sizeof *m);
  for (size_t i = 0; i < n_points; i++) {
    double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[3 * SOFA_SHAPE_MAX_NODES];
    double density = 0;
    sofa_shape_functions(shape, q[i].xi, n, d);
    const double measure = fabs(sofa_shape_gradients(shape, dim, p, d, g));
    for (unsigned a = 0; a < n_nodes; a++) density += n[a] * rho[a];
    const double weight = q[i].weight * measure * density;
    if (!(weight > 0) && !(weight < 0)) continue;
    for (unsigned a = 0; a < n_nodes; a++) {
      for (unsigned b = 0; b < n_nodes; b++) m[a * n_nodes + b] += weight * n[a] * n[b];
    }
  }
}
