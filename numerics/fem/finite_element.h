/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference elements of first order: shape functions, quadrature, gradients in space. */
#ifndef SOFA_NUMERICS_FEM_FINITE_ELEMENT_H
#define SOFA_NUMERICS_FEM_FINITE_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

/* Nodes in reference coordinates:
 *   edge      (-1) (1)
 *   triangle  (0,0) (1,0) (0,1)
 *   quad      (-1,-1) (1,-1) (1,1) (-1,1)
 *   tetra     (0,0,0) (1,0,0) (0,1,0) (0,0,1)
 *   pyramid   base (-1,-1,-1) (1,-1,-1) (1,1,-1) (-1,1,-1), apex: the face z = 1 of a hexahedron,
 *             collapsed
 *   prism     (0,0,0) (1,0,0) (0,1,0) (0,0,1) (1,0,1) (0,1,1)
 *   hexa      (-,-,-) (+,-,-) (+,+,-) (-,+,-) (-,-,+) (+,-,+) (+,+,+) (-,+,+) */
typedef enum SofaShape {
  SOFA_SHAPE_EDGE,
  SOFA_SHAPE_TRIANGLE,
  SOFA_SHAPE_QUAD,
  SOFA_SHAPE_TETRA,
  SOFA_SHAPE_PYRAMID,
  SOFA_SHAPE_PRISM,
  SOFA_SHAPE_HEXA,
  SOFA_N_SHAPES
} SofaShape;

typedef struct SofaShapeInfo {
  const char *name;      /* as in templates: "Tetrahedron" */
  unsigned n_nodes, dim; /* dim: of the reference element */
} SofaShapeInfo;
const SofaShapeInfo *sofa_shape_info(SofaShape shape);
/* SOFA_N_SHAPES when the name is unknown. */
SofaShape sofa_shape_from_name(const char *name);

enum { SOFA_SHAPE_MAX_NODES = 8, SOFA_QUADRATURE_MAX = 27 };

/* Values n (n_nodes) and derivatives d (n_nodes, in reference coordinates; components beyond the
 * element's dimension are 0) of the shape functions at xi. */
void sofa_shape_functions(SofaShape shape, const double xi[3], double *n, double (*d)[3]);

typedef enum SofaRule {
  /* for stiffness matrices: one point in simplices and edges, 3 in quads, 2 in prisms, 2 x 2 x 2 in
   * hexahedra and pyramids */
  SOFA_RULE_STIFFNESS,
  /* exact for the product of three shape functions, whatever the shape of the element */
  SOFA_RULE_MASS
} SofaRule;

typedef struct SofaQuadraturePoint {
  double xi[3], weight;
} SofaQuadraturePoint;
/* Fills at most SOFA_QUADRATURE_MAX points; returns their number. */
size_t sofa_quadrature(SofaShape shape, SofaRule rule, SofaQuadraturePoint *points);

/* Gradients in space of the shape functions with reference derivatives d, of an element with nodes
 * p in a space of `dim` dimensions (n_nodes x dim, m): g, n_nodes x dim, 1/m. A surface or an edge
 * has its gradients in its tangent space. Returns the ratio of measures: det J, or
 * sqrt(det J^T J) where the element has fewer dimensions than the space. g is unchanged when the
 * ratio is 0 or not finite. */
double sofa_shape_gradients(SofaShape shape, unsigned dim, const double *p, double (*d)[3],
                            double *g);

/* k += lambda g_a g_b^T + mu (g_b g_a^T + (g_a . g_b) I) for all nodes a <= b: the part of one
 * quadrature point in the stiffness of an isotropic element, upper triangle of blocks.
 * g: n_nodes x dim; k: (n_nodes dim)^2, row major; Lame parameters times weight and measure. */
void sofa_add_isotropic_stiffness(unsigned n_nodes, unsigned dim, const double *g, double lambda,
                                  double mu, double *k);
/* Copies the upper triangle of blocks to the lower. */
void sofa_mirror_blocks(unsigned n_nodes, unsigned dim, double *k);

/* Stiffness of an isotropic linear elastic element, (n_nodes dim)^2, with SOFA_RULE_STIFFNESS and
 * the absolute value of the measure. Returns the smallest measure at the points: 0 where the
 * element is degenerate (k is then useless), negative where it is inverted. */
double sofa_isotropic_stiffness(SofaShape shape, unsigned dim, const double *p, double lambda,
                                double mu, double *k);

/* Consistent mass of an element, n_nodes x n_nodes: the integral of rho N N^T with rho = sum
 * rho_n N_n. */
void sofa_consistent_mass(SofaShape shape, unsigned dim, SofaRule rule, const double *p,
                          const double *rho, double *m);

SOFA_END_DECLS

#endif
