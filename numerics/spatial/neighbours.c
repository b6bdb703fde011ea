/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Neighbours of points along edges. */
#include "numerics/spatial/neighbours.h"

SofaErr sofa_neighbours_make(SofaContext *ctx, const SofaEdges *edges, size_t n, SofaAround *out) {
  *out = (SofaAround){.n_rows = n};
  out->start = sofa_alloc(ctx, n + 1, sizeof *out->start);
  out->ids = sofa_alloc(ctx, 2 * edges->n, sizeof *out->ids);
  if (!out->start || !out->ids) {
    sofa_around_free(ctx, out);
    return SOFA_ERR_MEMORY;
  }
  for (size_t e = 0; e < edges->n; e++)
    for (int k = 0; k < 2; k++) out->start[edges->data[e].v[k]]++;
  // start[i] becomes the end of row i, then its begin as the row is filled from behind
  for (size_t i = 1; i <= n; i++) out->start[i] += out->start[i - 1];
  for (size_t e = edges->n; e-- > 0;)
    for (int k = 2; k-- > 0;) {
      const uint32_t *v = edges->data[e].v;
      out->ids[--out->start[v[k]]] = v[1 - k];
    }
  return SOFA_OK;
}
