/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plane triangles in space with a linear law, apart from any component: forces, stiffness blocks.
 *
 * An element with nodes a, b, c has two axes in its plane, the rows of E (2 x 3). With g_b, g_c the
 * gradients of the shape functions in these axes, q the rest edges b - a, c - a in the rest axes,
 *   u_n = q_n - E (x_n - x_a),  e = sum_n (gx ux, gy uy, gy ux + gx uy),  s = A t C e,
 *   f_n = E^T (gx s_xx + gy s_xy, gy s_yy + gx s_xy),  f_a = -f_b - f_c,
 * where A is the rest area, t the thickness and C the 3 x 3 law of plane stress or strain
 * (Zienkiewicz, Taylor: The Finite Element Method, volume 1, constant strain triangle). The tangent
 * keeps E and the gradients of the last force. */
#ifndef SOFA_NUMERICS_FEM_TRIANGLE_ELEMENT_H
#define SOFA_NUMERICS_FEM_TRIANGLE_ELEMENT_H

#include "behavior/force_field.h"
#include "numerics/fem/edge_assembly.h"
#include "numerics/fem/element_sums.h"
#include "numerics/fem/lane_count.h"

SOFA_BEGIN_DECLS

typedef enum SofaTriangleMethod {
  SOFA_TRIANGLE_SMALL,   /* E and gradients of the rest shape: linear elasticity */
  SOFA_TRIANGLE_LARGE,   /* E from b - a and c - a; gradients of the rest shape */
  SOFA_TRIANGLE_CURRENT, /* E from b - a and c - a; gradients of the current shape */
  /* SOFA's variants of small: E is world x and y, gradients of the current shape */
  SOFA_TRIANGLE_WORLD,      /* ... divided by twice the area in space */
  SOFA_TRIANGLE_WORLD_FLAT, /* ... as if b - a were along x */
} SofaTriangleMethod;

/* Upper triangle of a symmetric 3 x 3 law: 11 12 13 22 23 33. */
enum { SOFA_TRIANGLE_LAW = 6 };

/* A triangle, out of its lane. */
typedef struct SofaTriangleElement {
  uint32_t v[3];
  double q[4];                   /* b - a, c - a at rest in the rest axes, m */
  double law[SOFA_TRIANGLE_LAW]; /* A t C, N m */
  double area;                   /* at rest, m^2 */
  /* of the last force; before it, those at rest */
  double axes[6]; /* E */
  double g[4];    /* gradients of b and c, 1/m */
} SofaTriangleElement;

/* Triangles as they are stored: the same entries of a group side by side. Lanes beyond the last
 * triangle repeat it. */
typedef struct SofaTriangleGroup {
  uint32_t v[3][SOFA_LANES];
  double q[4][SOFA_LANES], law[SOFA_TRIANGLE_LAW][SOFA_LANES], area[SOFA_LANES];
  double axes[6][SOFA_LANES], g[4][SOFA_LANES];
} SofaTriangleGroup;

/* A mesh of triangles. All arrays are owned. */
typedef struct SofaTriangleBatch {
  SofaTriangleMethod method;
  const struct SofaTriangleKernels *kernels; /* of the context */
  size_t n, n_points;
  SofaTriangleGroup *groups;
  bool anisotropic; /* laws; else 13 and 23 are 0 in all of them, and 22 is 11 */
  SofaElementSums sums;
  SofaEdgeAssembly *edges; /* made by the first assembly */
} SofaTriangleBatch;

/* What a batch is made of. */
typedef struct SofaTriangleMesh {
  SofaTriangleMethod method;
  const SofaTriangle *triangles; /* with points below n_points */
  size_t n, n_points;
  const double *corners; /* of each triangle at rest, n x 9, m */
} SofaTriangleMesh;

/* A triangle without area gives SOFA_ERR_GEOMETRY and its index in *bad; nothing is reported. Laws
 * are 0 until sofa_triangle_set_law. */
SofaErr sofa_triangle_batch_create(SofaContext *ctx, const SofaTriangleMesh *mesh,
                                   SofaTriangleBatch *out, size_t *bad);
void sofa_triangle_batch_free(SofaContext *ctx, SofaTriangleBatch *batch);
SofaTriangleElement sofa_triangle_at(const SofaTriangleBatch *batch, size_t element);
/* Law of an element, times its area and `thickness`. */
void sofa_triangle_set_law(SofaTriangleBatch *batch, size_t element, double thickness,
                           const double *law);

/* Isotropic laws, Pa. */
void sofa_plane_stress(double young, double poisson, double *law);
void sofa_plane_strain(double young, double poisson, double *law);

/* Axes and gradients at x (n_points x 3), f += forces. */
void sofa_triangle_force(SofaTriangleBatch *batch, const double *x, double *f);
/* df -= factor K dx with the axes and gradients of the last force. */
void sofa_triangle_dforce(const SofaTriangleBatch *batch, double factor, const double *dx,
                          double *df);
/* Adds -K to a tangent. */
SofaErr sofa_triangle_add_k(SofaContext *ctx, SofaTriangleBatch *batch, const SofaTangent *tangent);
/* Sum of 1/2 e . s at x, J. */
double sofa_triangle_energy(const SofaTriangleBatch *batch, const double *x);
double sofa_triangle_energy_of(const SofaTriangleBatch *batch, size_t element, const double *x);

SOFA_END_DECLS

#endif
