/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds the blocks of pairs of points to a tangent: on the context's team where the assembly follows
 * its record, since no two pairs have the same block, else one by one. The bits are the same.
 * Blocks of other sizes than 3 x 3 and 6 x 6 are always added one by one. */
#ifndef SOFA_NUMERICS_FEM_PAIR_ASSEMBLY_H
#define SOFA_NUMERICS_FEM_PAIR_ASSEMBLY_H

#include "behavior/force_field.h"
#include "numerics/fem/element_pairs.h"

SOFA_BEGIN_DECLS

typedef struct SofaPairBlocks {
  unsigned dim;         /* a block has dim^2 reals, row major: up to 6 */
  const double *blocks; /* of all pairs; NULL: `make` computes them */
  /* The blocks of the pairs begin .. end - 1, at most SOFA_PAIRS_AT_ONCE; on any thread. */
  void (*make)(void *user, size_t begin, size_t end, double *blocks);
  /* Else the blocks of all pieces one after the other, for one thread; NULL: on any. */
  const double *(*next)(void *user, size_t piece);
  void *user;
} SofaPairBlocks;

/* Adds each block at (row, column) of its pair, and its transpose at (column, row) of others than
 * diagonal ones, to the tangent of the only state. */
void sofa_pairs_add(const SofaContext *ctx, SofaElementPairs *pairs, const SofaPairBlocks *source,
                    const SofaTangent *tangent);

SOFA_END_DECLS

#endif
