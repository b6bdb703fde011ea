/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points of sparse grids: one per used corner of the regular grid, or one per set of corners that
 * links bring together. */
#include "sparse_grid.h"

/* Steps from the first corner of a cell to its eight. */
static const int steps[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

static void corner_of(const SofaSparseLevel *l, size_t hexa, int k, int at[3]) {
  sofa_sparse_cell_at(l, l->cell.data[l->at.data[hexa]], at);
  for (int i = 0; i < 3; i++) at[i] += steps[k][i];
}

/* Rank of a corner, x slowest: the order of coordinates. */
static size_t rank_of(const SofaSparseLevel *l, const int at[3]) {
  return ((size_t)at[0] * (size_t)l->n[1] + (size_t)at[1]) * (size_t)l->n[2] + (size_t)at[2];
}

SofaErr sofa_sparse_points(SofaContext *ctx, SofaSparseLevel *l) {
  SofaErr err = SOFA_OK;
  const size_t n = (size_t)l->n[0] * (size_t)l->n[1] * (size_t)l->n[2];
  uint32_t *id = sofa_alloc(ctx, n, sizeof *id), used = 0;
  int at[3];
  if (!id) return SOFA_ERR_MEMORY;
  for (size_t h = 0; h < l->at.n; h++)
    for (int k = 0; k < 8; k++) {
      corner_of(l, h, k, at);
      id[rank_of(l, at)] = 1;
    }
  for (size_t i = 0; i < n; i++) id[i] = id[i] ? used++ : SOFA_NO_CELL;
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &l->hexas, l->at.n));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &l->points, used));
  for (size_t h = 0; h < l->at.n; h++)
    for (int k = 0; k < 8; k++) {
      corner_of(l, h, k, at);
      const uint32_t p = id[rank_of(l, at)];
      l->hexas.data[h].v[k] = p;
      sofa_sparse_position(l, at, l->points.data[p].v);
    }
done:
  sofa_free(ctx, id);
  return err;
}

/* ---- by links ---- */

static uint32_t root(uint32_t *of, uint32_t i) {
  while (of[i] != i) i = of[i] = of[of[i]];
  return i;
}

/* The four corners of the lower side of a cell along an axis, and of the upper side of its
 * neighbour that they meet. */
static const uint8_t sides[3][4][2] = {{{0, 1}, {4, 5}, {7, 6}, {3, 2}},
                                       {{0, 3}, {4, 7}, {5, 6}, {1, 2}},
                                       {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};

/* Corners of each hexahedron, in order, take the numbers of their neighbours': along z first. */
static void join_corners(const SofaSparseLevel *l, uint32_t *of) {
  for (size_t begin = 0, end; begin < l->links.n; begin = end) {
    const uint32_t a = l->links.data[begin].a;
    for (end = begin; end < l->links.n && l->links.data[end].a == a;) end++;
    for (uint32_t axis = 3; axis-- > 0;)
      for (size_t i = begin; i < end; i++) {
        if (l->links.data[i].axis != axis) continue;
        for (int k = 0; k < 4; k++) {
          const uint8_t *pair = sides[axis][k];
          const uint32_t old = root(of, 8 * a + pair[0]);
          of[old] = root(of, 8 * l->links.data[i].b + pair[1]);
        }
      }
  }
}

SofaErr sofa_sparse_linked_points(SofaContext *ctx, SofaSparseLevel *l) {
  SofaErr err = SOFA_OK;
  const size_t n = 8 * l->at.n;
  uint32_t *of = sofa_alloc(ctx, n + 1, sizeof *of), *id = sofa_alloc(ctx, n + 1, sizeof *id);
  uint32_t used = 0;
  if (!of || !id) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  for (uint32_t i = 0; i < n; i++) of[i] = i;
  join_corners(l, of);
  for (uint32_t i = 0; i < n; i++)
    if (of[i] == i) id[i] = used++;
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &l->hexas, l->at.n));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &l->points, used));
  for (uint32_t i = (uint32_t)n; i-- > 0;) {
    int at[3];
    corner_of(l, i / 8, (int)(i % 8), at);
    const uint32_t p = id[root(of, i)];
    l->hexas.data[i / 8].v[i % 8] = p;
    sofa_sparse_position(l, at, l->points.data[p].v);
  }
done:
  sofa_free(ctx, of);
  sofa_free(ctx, id);
  return err;
}
