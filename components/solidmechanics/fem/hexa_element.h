/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trilinear corotational hexahedra, apart from any component: frames, stiffness matrices, batches.
 *
 * With R the element's frame (rows are its axes: world to local), q_n = R0 X_n at rest and x_n the
 * current position, f = R^T K (q - R x), K = sum over 2x2x2 Gauss points of B^T C B det J. Nodes:
 * (-,-,-)(+,-,-)(+,+,-)(-,+,-)(-,-,+)(+,-,+)(+,+,+)(-,+,+). Elements stand in groups of SOFA_LANES,
 * the same entry of all elements of a group side by side. */
#ifndef SOFA_FEM_HEXA_ELEMENT_H
#define SOFA_FEM_HEXA_ELEMENT_H

#include "components/solidmechanics/fem/tetra_element.h"

typedef enum SofaHexaMethod {
  SOFA_HEXA_SMALL, /* R = identity */
  SOFA_HEXA_LARGE, /* R = frame of the mean edges along xi and eta */
  SOFA_HEXA_POLAR  /* R = polar factor of the matrix of the three mean edges */
} SofaHexaMethod;

enum {
  SOFA_HEXA_PAIRS = 36, /* local pairs (a, b), a <= b, ordered by a, then b */
  SOFA_HEXA_PACKED = 9 * SOFA_HEXA_PAIRS
};

typedef struct SofaHexaGroup {
  uint32_t v[8][SOFA_LANES];              /* points; lanes beyond the last element repeat it */
  double q[24][SOFA_LANES];               /* rest positions in the rest frame, m */
  double k[SOFA_HEXA_PACKED][SOFA_LANES]; /* blocks K_ab of the local stiffness, N/m; 0 beyond */
} SofaHexaGroup;

/* A mesh of hexahedra. All arrays are owned. */
typedef struct SofaHexaBatch {
  SofaHexaMethod method;
  size_t n, n_groups, n_points;
  uint32_t *vertices; /* n x 8 */
  SofaHexaGroup *groups;
  double (*rotation)[9][SOFA_LANES]; /* n_groups: R since the last force */
  double (*force)[24][SOFA_LANES];   /* n_groups, for several threads; else NULL */
  uint32_t *around_start, *around;   /* elements around a point, see sofa_elements_around */
  SofaElementPairs pairs;
  double *blocks; /* pairs.n x 9: for assembly */
} SofaHexaBatch;

/* Takes rest positions (n_points x 3, m) and elements with points below n_points. Stiffness is 0
 * until sofa_hexa_batch_stiffness. threads > 1 keeps room for parallel forces. */
SofaErr sofa_hexa_batch_create(SofaContext *ctx, SofaHexaMethod method, const SofaHexa *hexas,
                               size_t n, const double *rest, size_t n_points, int threads,
                               SofaHexaBatch *out);
void sofa_hexa_batch_free(SofaContext *ctx, SofaHexaBatch *batch);
/* Stores a 24 x 24 local stiffness. */
void sofa_hexa_batch_stiffness(SofaHexaBatch *batch, size_t element, const double *k);
/* Rest positions of an element in its rest frame, 8 x 3. */
void sofa_hexa_batch_rest(const SofaHexaBatch *batch, size_t element, double *q);

/* Elastic energy at x in the frames of x: sum of 1/2 D . K D with D = q - R x, J. */
double sofa_hexa_energy(const SofaHexaBatch *batch, const double *x);

/* ---- single elements; p: 8 x 3 positions ---- */

void sofa_hexa_frame(SofaHexaMethod method, const double *p, double *r);
/* Rows: mean edges along xi, eta and zeta. */
void sofa_hexa_mean_edges(const double *p, double *m);
/* Is it near enough to a parallelepiped (0.1 % of an edge) to be computed as one? */
bool sofa_hexa_is_parallelepiped(const double *p);
/* 24 x 24 stiffness from node positions, times `factor`. *det_min (may be NULL) gets the smallest
 * Jacobian determinant over the Gauss points, m^3 / 8. */
void sofa_hexa_stiffness(const double *p, double lambda, double mu, double factor, double *k,
                         double *det_min);

#endif
