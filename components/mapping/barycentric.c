/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Weights of points in grids, on edges and in located elements. */
#include "components/mapping/barycentric.h"

#include <math.h>

static double dot3(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- grids ---- */

/* Cell and local coordinates along each axis: the nearest cell where the point is in none. */
static void locate_in_grid(const SofaGridFrame *grid, const double p[3], uint32_t cell[3],
                           double v[3]) {
  const double r[3] = {p[0] - grid->p0[0], p[1] - grid->p0[1], p[2] - grid->p0[2]};
  for (int a = 0; a < 3; a++) {
    const double *d = grid->step[a], u = dot3(r, d) / dot3(d, d);
    double i = floor(u);
    // written so that a coordinate that is not a number gives cell 0
    if (!(i > 0)) i = 0;
    if (i > grid->n[a] - 2) i = grid->n[a] - 2;
    cell[a] = (uint32_t)i;
    v[a] = u - i;
  }
}

SofaErr sofa_barycentric_grid(SofaContext *ctx, const SofaGridFrame *grid, SofaOutputPoints points,
                              SofaPointWeights *w) {
  const uint32_t nx = (uint32_t)grid->n[0], nxy = nx * (uint32_t)grid->n[1];
  for (size_t i = 0; i < points.n; i++) {
    uint32_t cell[3], vertex[8];
    double v[3], weight[8];
    locate_in_grid(grid, points.p + points.stride * i, cell, v);
    const uint32_t first = cell[0] + nx * cell[1] + nxy * cell[2];
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t at = first + k * nxy;
      vertex[4 * k] = at;
      vertex[4 * k + 1] = at + 1;
      vertex[4 * k + 2] = at + 1 + nx;
      vertex[4 * k + 3] = at + nx;
    }
    const unsigned n = sofa_element_weights(SOFA_ELEMENT_HEXA, v, weight);
    SOFA_TRY(sofa_point_weights_append(ctx, w, vertex, weight, n));
  }
  return SOFA_OK;
}

/* ---- edges ---- */

/* Where the foot of the perpendicular lies: 0 at the first end, 1 at the second. */
static bool edge_coordinate(const double *x, const uint32_t *edge, const double p[3], double *t) {
  const double *a = x + 3 * (size_t)edge[0], *b = x + 3 * (size_t)edge[1];
  const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double r[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
  *t = dot3(r, d) / dot3(d, d); // not finite for an edge without length
  return isfinite(*t);
}

SofaErr sofa_barycentric_edges(SofaContext *ctx, const double *x, SofaElements edges,
                               SofaOutputPoints points, SofaPointWeights *w) {
  for (size_t i = 0; i < points.n; i++) {
    size_t found = edges.n;
    double t = 0, weight[8];
    bool inside = false;
    for (size_t e = 0; e < edges.n && !inside; e++) {
      double s;
      if (!edge_coordinate(x, edges.v + 2 * e, points.p + points.stride * i, &s)) continue;
      found = e;
      t = s;
      inside = t >= 0 && t <= 1;
    }
    if (found == edges.n) return SOFA_ERR_GEOMETRY;
    const double v[3] = {t, 0, 0};
    const unsigned n = sofa_element_weights(SOFA_ELEMENT_EDGE, v, weight);
    SOFA_TRY(sofa_point_weights_append(ctx, w, edges.v + 2 * found, weight, n));
  }
  return SOFA_OK;
}

/* ---- elements ---- */

SofaErr sofa_barycentric_elements(SofaContext *ctx, const SofaLocator *locator, size_t n_points,
                                  const SofaLocation *location, SofaPointWeights *w, size_t *lost) {
  for (size_t i = 0; i < n_points; i++) {
    double weight[8];
    unsigned width;
    *lost = i;
    if (location[i].element == SOFA_NOWHERE) return SOFA_ERR_GEOMETRY;
    const uint32_t *vertex = sofa_locator_vertices(locator, location[i].element, &width);
    const unsigned n =
        sofa_element_weights(locator->element[location[i].element].kind, location[i].v, weight);
    SOFA_TRY(sofa_point_weights_append(ctx, w, vertex, weight, n));
  }
  return SOFA_OK;
}
