/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points of penalty loads to lanes and back: for kernels that are compiled once per instruction
 * set. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_ROWS_H
#define SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_ROWS_H

#include "components/mechanicalload/penalty_laws_impl.h"
#include "numerics/fem/lane_rows_impl.h"

/* Vectors of at most LANES points, `dims` reals of each; `stride` reals from one to the next. */
typedef struct Rows {
  size_t dims, stride, count;
} Rows;
ALWAYS bool is_row(Rows rows) {
  return rows.dims == 3 && rows.stride == 3 && rows.count == LANES;
}

/* Vectors of any rows, a row of lanes for each of their reals. */
typedef double Columns[PENALTY_MOST][LANES];
static void load_any(Rows rows, const double *from, Columns t) {
  for (size_t l = 0; l < rows.count; l++)
    for (size_t c = 0; c < rows.dims; c++) t[c][l] = from[l * rows.stride + c];
}
static void add_any(Rows rows, Columns t, double *to) {
  for (size_t l = 0; l < rows.count; l++)
    for (size_t c = 0; c < rows.dims; c++) to[l * rows.stride + c] += t[c][l];
}

/* The reals behind the last one, and lanes behind the last point, are zero. */
ALWAYS void load(unsigned width, Rows rows, const double *from, Lanes *p) {
  if (width == 3 && is_row(rows)) {
    load_row(from, p);
    return;
  }
  Columns t = {{0}};
  load_any(rows, from, t);
  for (unsigned c = 0; c < width; c++) p[c] = lanes_load(t[c]);
}

ALWAYS void add(unsigned width, Rows rows, const Lanes *p, double *to) {
  if (width == 3 && is_row(rows)) {
    add_row(p, to);
    return;
  }
  Columns t = {{0}};
  for (unsigned c = 0; c < width; c++) lanes_store(t[c], p[c]);
  add_any(rows, t, to);
}

/* 0 where the law does not act. */
ALWAYS Lanes acting(const Contact *c, Lanes a) {
  return (Lanes)(c->acts & (LaneBits)a);
}

/* `size` rows of lanes become a row of each lane. */
ALWAYS void store_blocks(unsigned size, const Lanes *block, double *to) {
  unsigned done = 0;
#if defined(__AVX512F__)
  if (size == 9) {
    Lanes rows[LANES];
    transpose_eight(block, rows);
    for (unsigned l = 0; l < LANES; l++) lanes_store(to + 9 * l, rows[l]);
    done = 8;
  }
#endif
  for (unsigned l = 0; l < LANES; l++)
    for (unsigned e = done; e < size; e++) to[size * l + e] = block[e][l];
}
ALWAYS void store_no_blocks(unsigned size, double *to) {
  for (unsigned e = 0; e < size; e++) lanes_store(to + LANES * e, lanes_set(0));
}

#endif
