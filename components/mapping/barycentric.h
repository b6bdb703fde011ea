/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of weights of barycentric mappings, one per output point, for each way of finding elements.
 * Points are p, 3 reals each and `stride` apart; the caller begins and finishes w. */
#ifndef SOFA_MAPPING_BARYCENTRIC_H
#define SOFA_MAPPING_BARYCENTRIC_H

#include "numerics/spatial/locator.h"
#include "numerics/mapping/point_weights.h"

/* A regular grid: point (i, j, k) = p0 + i dx + j dy + k dz has the index i + n0 (j + n1 k). */
typedef struct SofaGridFrame {
  int n[3]; /* points per axis, at least 2 */
  double p0[3], step[3][3];
} SofaGridFrame;
/* A point belongs to the cell it is in, else to the nearest one (extrapolating). */
SofaErr sofa_barycentric_grid(SofaContext *ctx, const SofaGridFrame *grid, size_t n_points,
                              const double *p, size_t stride, SofaPointWeights *w);

/* The first edge on which the foot of the perpendicular from the point lies; if there is none, the
 * last edge. Edges without length are skipped; x are the vertices' positions. SOFA_ERR_GEOMETRY,
 * unreported, when no edge has a length. */
SofaErr sofa_barycentric_edges(SofaContext *ctx, const double *x, SofaElements edges,
                               size_t n_points, const double *p, size_t stride,
                               SofaPointWeights *w);

/* Rows of located points. SOFA_ERR_GEOMETRY, unreported, and *lost when one is nowhere. */
SofaErr sofa_barycentric_elements(SofaContext *ctx, const SofaLocator *locator, size_t n_points,
                                  const SofaLocation *location, SofaPointWeights *w, size_t *lost);

#endif
