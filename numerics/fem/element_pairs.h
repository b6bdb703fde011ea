/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which pairs of points a mesh of elements couples: the upper triangle of the pattern of an
 * assembled stiffness matrix, and where each element's blocks go in it. */
#ifndef SOFA_NUMERICS_FEM_ELEMENT_PAIRS_H
#define SOFA_NUMERICS_FEM_ELEMENT_PAIRS_H

#include "base/array.h"
#include "math/block_matrix.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* How the block (a, b) of an element's local nodes a <= b enters the pair of their points. */
typedef enum SofaPairTurn {
  SOFA_PAIR_STRAIGHT,   /* point of a <= point of b: as it is */
  SOFA_PAIR_TRANSPOSED, /* point of a > point of b */
  SOFA_PAIR_BOTH        /* different nodes, same point: the block and its transpose */
} SofaPairTurn;

/* One contribution to a pair: the block (row_node, column_node) of an element. */
typedef struct SofaPairPart {
  uint32_t element;
  uint8_t row_node, column_node;
} SofaPairPart;

/* Where an assembly stood before calls for all pairs, which followed its record; points are those
 * of the matrix from `row` on. Made again whenever it is not there. */
typedef struct SofaPairsFollowed {
  SofaBlockStand stand;
  uint32_t row, column;
} SofaPairsFollowed;

typedef struct SofaElementPairs {
  size_t n;               /* pairs */
  uint32_t *row, *column; /* points of pair p: row[p] <= column[p]; ordered by row, then column */
  size_t n_elements;
  unsigned n_nodes;   /* per element */
  uint32_t *slot;     /* n_elements x n_nodes (n_nodes + 1) / 2: pair << 2 | SofaPairTurn; local
                         pairs (a, b), a <= b, ordered by a, then b; NULL: not asked for */
  size_t *start;      /* n + 1: contributions of pair p are part[start[p]] ...; NULL as part */
  SofaPairPart *part; /* ordered by element, then local pair; NULL: not asked for */
  size_t *call;       /* blocks of the pairs before SOFA_PAIRS_AT_ONCE k, where one on the diagonal
                         counts once and another one twice; the last is that of all */
  SofaPairsFollowed followed; /* by the last assembly */
} SofaElementPairs;
enum { SOFA_PAIRS_AT_ONCE = 128 };

/* Lists that are made beside row and column. */
enum { SOFA_PAIRS_SLOTS = 1, SOFA_PAIRS_PARTS = 2 };

/* elements: of less than 256 nodes, with points below n_points. lists: SOFA_PAIRS_... */
SofaErr sofa_element_pairs_create(SofaContext *ctx, SofaElements elements, size_t n_points,
                                  unsigned lists, SofaElementPairs *out);
/* Makes `call` from row and column; sofa_element_pairs_create does it. */
SofaErr sofa_element_pairs_count(SofaContext *ctx, SofaElementPairs *pairs);
/* Frees start and part. */
void sofa_element_pairs_forget_parts(SofaContext *ctx, SofaElementPairs *pairs);
void sofa_element_pairs_free(SofaContext *ctx, SofaElementPairs *pairs);

static inline unsigned sofa_element_pairs_local(unsigned n_nodes) {
  return n_nodes * (n_nodes + 1) / 2;
}

/* The elements around each point: start has n_points + 1 entries, ids are element * width + node,
 * ascending within a row. Both arrays are owned by the caller. */
SofaErr sofa_elements_around(SofaContext *ctx, SofaElements elements, size_t n_points,
                             uint32_t **start, uint32_t **ids);

SOFA_END_DECLS

#endif
