/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of elements between points of six reals, each with a symmetric matrix of its own:
 * their blocks are summed up to those of pairs of points, in the order of the elements, each of
 * which is added to the matrix once, on the context's team. */
#ifndef SOFA_NUMERICS_FEM_PACKED_PAIRS_H
#define SOFA_NUMERICS_FEM_PACKED_PAIRS_H

#include "behavior/force_field.h"
#include "numerics/fem/element_pairs.h"
#include "numerics/fem/lane_count.h"

SOFA_BEGIN_DECLS

/* Elements in groups of lanes: nodes and the lower halves of matrices packed by rows, each number
 * of SOFA_LANES elements side by side. */
typedef struct SofaPackedElements {
  size_t n;
  unsigned n_nodes;
  const uint32_t *v; /* of the first group */
  size_t v_stride;   /* from one group's to the next one's */
  const double *k;   /* likewise */
  size_t k_stride;
} SofaPackedElements;

/* Adds their matrices to the tangent of the only state. *pairs: NULL, and then they are made, or
 * those of before of the same nodes, which are below n_points; owned by the caller. */
SofaErr sofa_packed_pairs_add(SofaContext *ctx, const SofaPackedElements *elements, size_t n_points,
                              const SofaTangent *tangent, SofaElementPairs **pairs);
/* *pairs may be NULL, and is then. */
void sofa_packed_pairs_free(SofaContext *ctx, SofaElementPairs **pairs);

SOFA_END_DECLS

#endif
