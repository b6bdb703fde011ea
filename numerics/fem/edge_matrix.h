/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of linear elements that resist no translation, by the blocks of pairs of points. */
#ifndef SOFA_NUMERICS_FEM_EDGE_MATRIX_H
#define SOFA_NUMERICS_FEM_EDGE_MATRIX_H

#include "behavior/force_field.h"
#include "numerics/fem/element_pairs.h"

SOFA_BEGIN_DECLS

/* df_i = sum_j B_ij (dx_j - dx_i): symmetric, its rows sum up to 0. All-zero: empty. Owned. */
typedef struct SofaEdgeMatrix {
  SofaElementPairs pairs; /* of the elements: edges, and each point with itself */
  SofaIndices start;      /* pairs of each row */
  SofaReals blocks;       /* 9 per pair, dF/dx of its row by its column; and one real more */
  SofaReals rest;         /* 3 per point up to the last one of an element */
} SofaEdgeMatrix;

/* The pattern of elements of points below n_points, all blocks 0; rest: 3 reals per point. */
SofaErr sofa_edge_matrix_create(SofaContext *ctx, SofaElements elements, const double *rest,
                                size_t n_points, SofaEdgeMatrix *out);
void sofa_edge_matrix_free(SofaContext *ctx, SofaEdgeMatrix *m);
/* Adds to the derivative of the force on node a of an element by the place of node b, not a; that
 * of b by a is its transpose. Then, once, sofa_edge_matrix_finish. */
void sofa_edge_matrix_add(SofaEdgeMatrix *m, size_t element, unsigned a, unsigned b,
                          const double *block);
void sofa_edge_matrix_finish(SofaEdgeMatrix *m);

/* f += factor times the product with x - origin (NULL: with x), 3 reals per point. */
SofaErr sofa_edge_matrix_multiply(SofaContext *ctx, const SofaEdgeMatrix *m, double factor,
                                  const double *x, const double *origin, double *f);
void sofa_edge_matrix_add_k(const SofaContext *ctx, SofaEdgeMatrix *m, const SofaTangent *tangent);
/* -1/2 f . (x - rest) of the force that is the product with x - rest */
double sofa_edge_matrix_energy(const SofaEdgeMatrix *m, const double *x, const double *rest);

SOFA_END_DECLS

#endif
