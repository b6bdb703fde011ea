/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes registered in the cells of a regular lattice, kept in a hash: which boxes may hold a point?
 */
#ifndef SOFA_MAPPING_BOX_HASH_H
#define SOFA_MAPPING_BOX_HASH_H

#include "base/array.h"
#include "behavior/tuple_map.h"

typedef struct SofaCell {
  int32_t v[3];
} SofaCell;
typedef struct SofaCellBox {
  SofaCell min, max;
  uint32_t id;
} SofaCellBox;

typedef struct SofaBoxHash { /* all-zero: empty */
  double inverse_size;       /* 1 / cell size */
  SofaTupleMap cells;        /* cell -> row */
  size_t n_rows;
  uint32_t *start, *ids; /* boxes of each row, ascending */
  SofaCellBox *large;    /* boxes of more cells than are worth registering, ascending */
  size_t n_large;
} SofaBoxHash;

/* Cell of a point: floor(x / size) per axis, limited to what an int32 holds; NaN gives 0. */
SofaCell sofa_box_hash_cell(const SofaBoxHash *hash, const double p[3]);
/* n boxes: min and max corner, 6 reals each; a box with min > max is left out. */
SofaErr sofa_box_hash_build(SofaContext *ctx, size_t n, const double *boxes, double size,
                            SofaBoxHash *out);
void sofa_box_hash_free(SofaContext *ctx, SofaBoxHash *hash);

/* Walks the boxes of a cell, ascending. */
typedef struct SofaBoxWalk {
  const SofaBoxHash *hash;
  SofaCell cell;
  const uint32_t *at, *end; /* registered ones */
  size_t large;             /* next of the large ones */
} SofaBoxWalk;
SofaBoxWalk sofa_box_hash_walk(const SofaBoxHash *hash, SofaCell cell);
/* The next box, UINT32_MAX at the end. */
uint32_t sofa_box_walk_next(SofaBoxWalk *walk);

#endif
