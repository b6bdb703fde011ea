/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orderings: permutations that keep the factors of a sparse matrix sparse. */
#ifndef SOFA_BEHAVIOR_ORDERING_H
#define SOFA_BEHAVIOR_ORDERING_H

#include "object/node.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_ordering_interface;
#define SOFA_ORDERING (&sofa_ordering_interface)

typedef struct SofaOrdering {
  SofaObject object;
} SofaOrdering;

extern const SofaClass sofa_ordering_class; /* abstract */

/* Pattern of a symmetric matrix, both triangles, diagonal included, in compressed columns; each
 * row and column may stand for a block of equations that stay together. */
typedef struct SofaOrderingGraph {
  int n;
  const int *start, *row; /* n + 1; rows ascending within a column */
} SofaOrderingGraph;

typedef struct SofaOrderingOps {
  /* required: order[k] is the row that is eliminated as number k */
  SofaErr (*order)(SofaOrdering *ordering, const SofaOrderingGraph *graph, int *order);
} SofaOrderingOps;

static inline const SofaOrderingOps *sofa_ordering_ops(const SofaOrdering *ordering) {
  return (const SofaOrderingOps *)sofa_ops(&ordering->object, SOFA_ORDERING);
}

SOFA_END_DECLS

#endif
