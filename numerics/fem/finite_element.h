/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference elements of first and second order: shape functions, quadrature, gradients in space. */
#ifndef SOFA_NUMERICS_FEM_FINITE_ELEMENT_H
#define SOFA_NUMERICS_FEM_FINITE_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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
 *   hexa      (-,-,-) (+,-,-) (+,+,-) (-,+,-) (-,-,+) (+,-,+) (+,+,+) (-,+,+)
 * Elements of second order have the nodes of the first order, then one in the middle of each edge,
 * in the order of VTK:
 *   edge 01; triangle 01 12 20; quad 01 12 23 30; tetra 01 12 20 03 13 23;
 *   pyramid 01 12 23 30 04 14 24 34; prism 01 12 20 34 45 53 03 14 25;
 *   hexa 01 12 23 30 45 56 67 74 04 15 26 37
 * and with centres: quad9 the middle; hexa27 the middles of the faces -x +x -y +y -z +z, the
 * middle.
 */
typedef enum SofaShape {
  SOFA_SHAPE_EDGE,
  SOFA_SHAPE_TRIANGLE,
  SOFA_SHAPE_QUAD,
  SOFA_SHAPE_TETRA,
  SOFA_SHAPE_PYRAMID,
  SOFA_SHAPE_PRISM,
  SOFA_SHAPE_HEXA,
  SOFA_SHAPE_EDGE3,
  SOFA_SHAPE_TRIANGLE6,
  SOFA_SHAPE_QUAD8,
  SOFA_SHAPE_QUAD9,
  SOFA_SHAPE_TETRA10,
  SOFA_SHAPE_PYRAMID13,
  SOFA_SHAPE_PRISM15,
  SOFA_SHAPE_HEXA20,
  SOFA_SHAPE_HEXA27,
  SOFA_N_SHAPES
} SofaShape;

typedef struct SofaShapeInfo {
  const char *name;      /* as in templates: "Tetrahedron" */
  unsigned n_nodes, dim; /* dim: of the reference element */
  SofaShape corners;     /* the shape of first order with the same corners */
  unsigned order;        /* 1 or 2 */
} SofaShapeInfo;
const SofaShapeInfo *sofa_shape_info(SofaShape shape);
/* SOFA_N_SHAPES when the name is unknown. */
SofaShape sofa_shape_from_name(const char *name);

enum { SOFA_SHAPE_MAX_NODES = 27, SOFA_QUADRATURE_MAX = 64 };

/* The corners in whose middle a node lies; a corner lies in its own. Returns their number. */
unsigned sofa_shape_node_corners(SofaShape shape, unsigned node, uint8_t corners[8]);
/* Reference coordinates of a node; those beyond the element's dimension are 0. */
void sofa_shape_node(SofaShape shape, unsigned node, double xi[3]);

/* Values n (n_nodes) and derivatives d (n_nodes, in reference coordinates; components beyond the
 * element's dimension are 0) of the shape functions at xi. */
void sofa_shape_functions(SofaShape shape, const double xi[3], double *n, double (*d)[3]);

typedef enum SofaRule {
  /* one point in simplices and edges, 3 in quads, 2 in prisms, 2 x 2 x 2 in hexahedra and pyramids.
   * Second order: 2 in edges, 3 in triangles, 4 in tetrahedra, 3 x 3 in prisms, 3 per axis in the
   * others */
  SOFA_RULE_STIFFNESS,
  /* exact for the product of three shape functions, whatever the shape of the element; of two of
   * second order where the edges are straight and the nodes in their middle */
  SOFA_RULE_MASS,
  /* as for stiffness matrices, with 2 x 2 points in quads and 3 x 2 in prisms: an element has no
   * motion without energy but the rigid ones */
  SOFA_RULE_FULL,
  /* as the last, with 2 points per axis in quads of 8 and hexahedra of 20 nodes */
  SOFA_RULE_REDUCED
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
