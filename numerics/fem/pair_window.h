/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The blocks of pairs of points while elements are added group by group, on one thread: only those
 * that a group has reached and that are not complete and taken yet. They stay in the caches where
 * neighbours have near numbers. */
#ifndef SOFA_NUMERICS_FEM_PAIR_WINDOW_H
#define SOFA_NUMERICS_FEM_PAIR_WINDOW_H

#include "numerics/fem/element_pairs.h"

SOFA_BEGIN_DECLS

/* Pieces have SOFA_PAIRS_AT_ONCE pairs. Pair p is at p & mask. All arrays are owned. */
typedef struct SofaPairWindow {
  size_t block;     /* reals of a block */
  uint32_t *groups; /* of each piece: those that the pairs up to its end need */
  uint32_t *reach;  /* of each group: the pieces up to the last one of the groups so far */
  size_t mask;
  double *blocks;
  size_t group, piece; /* the next ones to be added and to be cleared */
} SofaPairWindow;

/* Elements in groups of `lanes`. */
SofaErr sofa_pair_window_create(SofaContext *ctx, const SofaElementPairs *pairs, size_t lanes,
                                size_t block, SofaPairWindow *out);
void sofa_pair_window_free(SofaContext *ctx, SofaPairWindow *window);
/* Before the first piece. */
void sofa_pair_window_begin(SofaPairWindow *window);
/* The next group to be added before a piece is complete, whose blocks are cleared where it is the
 * first; false: the piece is complete. */
bool sofa_pair_window_next(SofaPairWindow *window, size_t piece, size_t *group);
/* The blocks of a piece. */
const double *sofa_pair_window_blocks(const SofaPairWindow *window, size_t piece);

SOFA_END_DECLS

#endif
