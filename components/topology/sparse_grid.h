/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sparse grids: the cells of a regular grid that a closed surface crosses or encloses, and coarser
 * grids made of them. */
#ifndef SOFA_TOPOLOGY_SPARSE_GRID_H
#define SOFA_TOPOLOGY_SPARSE_GRID_H

#include "topology/topology.h"

/* A surface: facet f has the vertices corner[start[f]] .. corner[start[f + 1] - 1]. */
typedef struct SofaFacets {
  SofaVec3s vertex; /* [m] */
  SofaIndices start, corner;
} SofaFacets;
void sofa_facets_free(SofaContext *ctx, SofaFacets *facets);
/* Appends a facet of n corners. */
SofaErr sofa_facets_append(SofaContext *ctx, SofaFacets *facets, const uint32_t *corner, size_t n);

/* What a grid is made of: a surface, and the factors of the material in it. */
typedef struct SofaSparseBody {
  SofaFacets facets;
  double stiffness, mass;
} SofaSparseBody;
SOFA_LIST(SofaSparseBody, SofaSparseBodies);
void sofa_sparse_bodies_free(SofaContext *ctx, SofaSparseBodies *bodies);

/* Fine hexahedron in an octant (bits x, y, z) of a coarse one. */
typedef struct SofaSparseChild {
  uint32_t octant, hexa;
} SofaSparseChild;
SOFA_LIST(SofaSparseChild, SofaSparseChildren);
/* Hexahedron `a` is joined to `b` at its lower side along an axis: 0, 1, 2 for x, y, z. */
typedef struct SofaSparseLink {
  uint32_t a, axis, b;
} SofaSparseLink;
SOFA_LIST(SofaSparseLink, SofaSparseLinks);

enum { SOFA_CELL_INSIDE, SOFA_CELL_BOUNDARY, SOFA_CELL_OUTSIDE };
#define SOFA_NO_CELL UINT32_MAX

/* One level. A place is a cell of the regular grid that is not outside; it holds one hexahedron, or
 * several where the body is ramified, which follow each other. */
typedef struct SofaSparseLevel {
  int n[3]; /* points per axis of the regular grid, at least 2 */
  double min[3], step[3];
  size_t n_places;
  SofaIndices place;   /* of each cell of the regular grid, or SOFA_NO_CELL */
  SofaIndices cell;    /* regular cell of each place */
  SofaIndices first;   /* n_places + 1: first hexahedron of each place */
  SofaHexas hexas;     /* point indices */
  SofaIndices at;      /* place of each hexahedron */
  SofaBools boundary;  /* of each hexahedron: crossed by the surface, or not wholly inside */
  SofaReals stiffness; /* factor of each hexahedron */
  SofaReals mass;
  SofaVec3s points;
  SofaSparseLinks links;       /* sorted; ramified grids only */
  SofaIndices child_start;     /* n hexas + 1; coarse levels only */
  SofaSparseChildren children; /* of each hexahedron, by octant */
  SofaIndices parent;          /* hexahedron of the next coarser level, when there is one */
} SofaSparseLevel;

typedef struct SofaSparseOptions {
  bool fill_weighted, only_inside;
  bool ramified;            /* points are shared by connected cells only */
  bool lost_factors;        /* quirk: stiffness and mass of some children are lost */
  bool finest_connectivity; /* and cells at the surface are connected through it only */
  bool several;        /* bodies in bodies: a cell inside of one is not a cell at the surface */
  bool erase_previous; /* cells that a surface crosses take its body's factors, not the mean */
} SofaSparseOptions;

void sofa_sparse_level_free(SofaContext *ctx, SofaSparseLevel *level);
/* The finest level: n, min and step are set. Later bodies replace earlier ones; the surface of the
 * first one decides on links. Reports errors for the object. */
SofaErr sofa_sparse_level_build(const SofaObject *object, const SofaSparseBodies *bodies,
                                const SofaSparseOptions *options, SofaSparseLevel *level);
/* Likewise from the share of matter in each cell of the regular grid: those with some are inside;
 * with fill_weighted stiffness and mass are the share of the whole. */
SofaErr sofa_sparse_level_fill(SofaContext *ctx, const double *share,
                               const SofaSparseOptions *options, SofaSparseLevel *level);
/* A level of cells twice as large. `fine` gets its parents. */
SofaErr sofa_sparse_level_coarsen(SofaContext *ctx, const SofaSparseOptions *options,
                                  SofaSparseLevel *fine, SofaSparseLevel *coarse);

/* Kinds of the cells of the regular grid (sparse_voxels.c); kind: one per cell. */
SofaErr sofa_sparse_voxels(const SofaObject *object, const SofaFacets *facets,
                           const SofaSparseLevel *level, uint8_t *kind);
/* Points of the grid (sparse_points.c): shared by place, or by links. */
SofaErr sofa_sparse_points(SofaContext *ctx, SofaSparseLevel *level);
SofaErr sofa_sparse_linked_points(SofaContext *ctx, SofaSparseLevel *level);
/* Links of the finest level (sparse_links.c), and of a coarse one by those of its children. */
SofaErr sofa_sparse_link_finest(SofaContext *ctx, const SofaFacets *facets,
                                const SofaSparseOptions *options, SofaSparseLevel *level);
SofaErr sofa_sparse_link_coarse(SofaContext *ctx, const SofaSparseLevel *fine,
                                SofaSparseLevel *coarse);

/* Position of a point of the regular grid. */
void sofa_sparse_position(const SofaSparseLevel *level, const int at[3], double p[3]);
static inline size_t sofa_sparse_n_cells(const SofaSparseLevel *l) {
  return (size_t)(l->n[0] - 1) * (size_t)(l->n[1] - 1) * (size_t)(l->n[2] - 1);
}
static inline uint32_t sofa_sparse_cell(const SofaSparseLevel *l, int x, int y, int z) {
  return (uint32_t)(x + (l->n[0] - 1) * (y + (l->n[1] - 1) * z));
}
static inline void sofa_sparse_cell_at(const SofaSparseLevel *l, uint32_t cell, int at[3]) {
  const int nx = l->n[0] - 1, ny = l->n[1] - 1, c = (int)cell;
  at[0] = c % nx;
  at[1] = c / nx % ny;
  at[2] = c / nx / ny;
}

/* The regular cell that p is in, f its coordinates there; SOFA_NO_CELL when outside of the grid. */
uint32_t sofa_sparse_find(const SofaSparseLevel *level, const double p[3], double f[3]);
/* The regular cell nearest to p: f may be outside of [0, 1]. */
uint32_t sofa_sparse_nearest_cell(const SofaSparseLevel *level, const double p[3], double f[3]);
/* The hexahedron (first of its place) that p is in, else the nearest one at the boundary. */
uint32_t sofa_sparse_find_hexa(const SofaSparseLevel *level, const double p[3], double f[3]);
/* The hexahedron at the boundary whose centre is nearest to p, f as above; where there is no
 * boundary, the nearest of all; SOFA_NO_CELL: none. */
uint32_t sofa_sparse_nearest(const SofaSparseLevel *level, const double p[3], double f[3]);

#endif
