/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cells of a regular grid a surface crosses, and which lie outside of it. */
#include <float.h>
#include "cube_triangle.h"
#include "math/vec.h"
#include "sparse_grid.h"

typedef struct Voxels {
  const SofaSparseLevel *level;
  const SofaFacets *facets;
  uint8_t *kind;
  uint32_t *vertex_cell;
} Voxels;

/* ---- vertices ---- */

/* A vertex on the border of the grid is looked for half a cell inside. */
static uint32_t find_nudged(const SofaSparseLevel *l, const double *v) {
  double p[3], f[3];
  for (int k = 0; k < 3; k++) {
    const double max = l->min[k] + l->step[k] * (l->n[k] - 1);
    p[k] = v[k];
    if (v[k] - (double)FLT_EPSILON < l->min[k]) p[k] = l->min[k] + l->step[k] / 2;
    else if (v[k] + (double)FLT_EPSILON > max) p[k] = max - l->step[k] / 2;
  }
  return sofa_sparse_find(l, p, f);
}

static bool is_beyond(const SofaSparseLevel *l, const double *p) {
  bool beyond = false;
  for (int k = 0; k < 3; k++) {
    const double max = l->min[k] + l->step[k] * (l->n[k] - 1), slack = 1e-6 * l->step[k];
    beyond = beyond || p[k] < l->min[k] - slack || p[k] > max + slack;
  }
  return beyond;
}

static SofaErr locate_vertices(const SofaObject *object, const Voxels *v) {
  size_t n_beyond = 0;
  for (size_t i = 0; i < v->facets->vertex.n; i++) {
    double f[3];
    const double *p = v->facets->vertex.data[i].v;
    uint32_t cell = sofa_sparse_find(v->level, p, f);
    if (cell != SOFA_NO_CELL) v->kind[cell] = SOFA_CELL_BOUNDARY;
    else cell = find_nudged(v->level, p);
    v->vertex_cell[i] = cell;
    n_beyond += is_beyond(v->level, p);
    if (cell == SOFA_NO_CELL)
      return sofa_object_fail(object, SOFA_ERR_RANGE,
                              "vertex %zu of the surface, (%g, %g, %g), is in no cell", i, p[0],
                              p[1], p[2]);
  }
  if (n_beyond)
    sofa_object_message(object, SOFA_WARNING,
                        "%zu of %zu vertices of the surface are outside of the grid: cells where "
                        "the surface leaves it may be missing; 'min' and 'max' should enclose it",
                        n_beyond, v->facets->vertex.n);
  return SOFA_OK;
}

/* ---- facets ---- */

/* Does the triangle meet the cell? Both are moved to the unit cube, in single precision. */
static bool meets(const SofaSparseLevel *l, const int at[3], const double *const corner[3]) {
  const int end[3] = {at[0] + 1, at[1] + 1, at[2] + 1};
  double low[3], high[3];
  float p[3][3];
  sofa_sparse_position(l, at, low);
  sofa_sparse_position(l, end, high);
  for (int k = 0; k < 3; k++) {
    const double diagonal = high[k] - low[k], center = low[k] + diagonal * .5;
    for (int i = 0; i < 3; i++) p[i][k] = (float)((corner[i][k] - center) / diagonal);
  }
  return sofa_triangle_meets_cube((const float(*)[3])p);
}

static void mark_triangle(const Voxels *v, const uint32_t t[3]) {
  const SofaSparseLevel *l = v->level;
  const uint32_t c[3] = {v->vertex_cell[t[0]], v->vertex_cell[t[1]], v->vertex_cell[t[2]]};
  int low[3], high[3], at[3];
  const double *corner[3];
  if (c[0] == c[1] && c[0] == c[2] && v->kind[c[0]] == SOFA_CELL_BOUNDARY) return;
  for (int i = 0; i < 3; i++) {
    corner[i] = v->facets->vertex.data[t[i]].v;
    sofa_sparse_cell_at(l, c[i], at);
    for (int k = 0; k < 3; k++) {
      if (i == 0 || at[k] < low[k]) low[k] = at[k];
      if (i == 0 || at[k] > high[k]) high[k] = at[k];
    }
  }
  for (at[0] = low[0]; at[0] <= high[0]; at[0]++)
    for (at[1] = low[1]; at[1] <= high[1]; at[1]++)
      for (at[2] = low[2]; at[2] <= high[2]; at[2]++) {
        uint8_t *kind = &v->kind[sofa_sparse_cell(l, at[0], at[1], at[2])];
        if (*kind != SOFA_CELL_BOUNDARY && meets(l, at, corner)) *kind = SOFA_CELL_BOUNDARY;
      }
}

static void mark_facets(const Voxels *v) {
  const SofaFacets *f = v->facets;
  for (size_t i = 0; i + 1 < f->start.n; i++) {
    const uint32_t *c = f->corner.data + f->start.data[i];
    const size_t n = f->start.data[i + 1] - f->start.data[i];
    for (size_t j = 2; j < n; j++) mark_triangle(v, (const uint32_t[3]){c[0], c[j - 1], c[j]});
  }
}

/* ---- outside ---- */

/* Makes a cell outside that is not at the boundary; true when it was not outside yet. */
static bool leave(uint8_t *kind, uint32_t cell) {
  if (kind[cell] != SOFA_CELL_INSIDE) return false;
  kind[cell] = SOFA_CELL_OUTSIDE;
  return true;
}

/* From the border of the grid through faces to all cells that the surface does not enclose. */
static void flood(const SofaSparseLevel *l, uint8_t *kind, uint32_t *stack) {
  size_t n = 0;
  const size_t n_cells = sofa_sparse_n_cells(l);
  for (uint32_t c = 0; c < n_cells; c++) {
    int at[3];
    bool border = false;
    sofa_sparse_cell_at(l, c, at);
    for (int k = 0; k < 3; k++) border = border || at[k] == 0 || at[k] == l->n[k] - 2;
    if (border && leave(kind, c)) stack[n++] = c;
  }
  while (n > 0) {
    int at[3];
    sofa_sparse_cell_at(l, stack[--n], at);
    for (int k = 0; k < 6; k++) {
      int next[3] = {at[0], at[1], at[2]};
      next[k / 2] += k % 2 ? 1 : -1;
      if (next[k / 2] < 0 || next[k / 2] > l->n[k / 2] - 2) continue;
      const uint32_t c = sofa_sparse_cell(l, next[0], next[1], next[2]);
      if (leave(kind, c)) stack[n++] = c;
    }
  }
}

SofaErr sofa_sparse_voxels(const SofaObject *object, const SofaFacets *facets,
                           const SofaSparseLevel *level, uint8_t *kind) {
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  const size_t n = sofa_sparse_n_cells(level);
  uint32_t *stack = sofa_alloc(ctx, n, sizeof *stack);
  Voxels v = {.level = level, .facets = facets, .kind = kind};
  v.vertex_cell = sofa_alloc(ctx, facets->vertex.n + 1, sizeof *v.vertex_cell);
  if (!stack || !v.vertex_cell) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  for (size_t c = 0; c < n; c++) kind[c] = SOFA_CELL_INSIDE;
  SOFA_GO(err, done, locate_vertices(object, &v));
  mark_facets(&v);
  flood(level, kind, stack);
done:
  sofa_free(ctx, stack);
  sofa_free(ctx, v.vertex_cell);
  return err;
}
