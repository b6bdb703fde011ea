/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshBoundaryROI: the points on the border of a surface. */
#include <stdlib.h>

#include "components/engine/engine.h"

typedef struct MeshBoundaryROI {
  SofaObject object;
  SofaTriangles triangles;
  SofaQuads quads;
  SofaIndices roi, indices;
} MeshBoundaryROI;

typedef MeshBoundaryROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(triangles, "triangles", NULL, "", "triangles of the surface"),
    SOFA_ROW_INPUT(quads, "quads", NULL, "", "quads of the surface"),
    SOFA_ROW_INPUT(roi, "inputROI", NULL, "",
                   "only elements on these points are the surface; empty: all elements"),
    SOFA_ROW_OUTPUT(indices, "indices", "", "points of the edges with one element, ascending"),
};

static int by_index(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static int by_edge(const void *a, const void *b) {
  const SofaEdge *x = a, *y = b;
  const int order = by_index(&x->v[0], &y->v[0]);
  return order ? order : by_index(&x->v[1], &y->v[1]);
}

static bool chosen(const SofaIndices *sorted, const uint32_t *v, unsigned n) {
  for (unsigned k = 0; sorted->n && k < n; k++)
    if (!sofa_search(&v[k], sorted->data, sorted->n, sizeof *v, by_index)) return false;
  return true;
}

static size_t add_edges(const SofaIndices *roi, const uint32_t *v, size_t n, unsigned width,
                        SofaEdge *edges, size_t n_edges) {
  for (size_t e = 0; e < n; e++, v += width) {
    if (!chosen(roi, v, width)) continue;
    for (unsigned k = 0; k < width; k++) {
      const uint32_t a = v[k], b = v[(k + 1) % width];
      edges[n_edges++] = a < b ? (SofaEdge){{a, b}} : (SofaEdge){{b, a}};
    }
  }
  return n_edges;
}

static SofaErr list_border(MeshBoundaryROI *r, SofaEdge *edges, size_t n) {
  sofa_sort(edges, n, sizeof *edges, by_edge);
  for (size_t i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && by_edge(&edges[i], &edges[next]) == 0;) next++;
    for (int k = 0; k < 2 && next == i + 1; k++)
      SOFA_TRY(SOFA_APPEND(r->object.ctx, &r->indices, &edges[i].v[k]));
  }
  // each point once
  size_t n_points = 0;
  if (r->indices.n) sofa_sort(r->indices.data, r->indices.n, sizeof *r->indices.data, by_index);
  for (size_t i = 0; i < r->indices.n; i++)
    if (!i || r->indices.data[i] != r->indices.data[n_points - 1])
      r->indices.data[n_points++] = r->indices.data[i];
  r->indices.n = n_points;
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MeshBoundaryROI *r = (MeshBoundaryROI *)object;
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_ERR_MEMORY;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaIndices roi = {SOFA_SCRATCH(ctx, uint32_t, r->roi.n), r->roi.n, r->roi.n};
  SofaEdge *edges = SOFA_SCRATCH(ctx, SofaEdge, 3 * r->triangles.n + 4 * r->quads.n);
  r->indices.n = 0;
  if (roi.data && edges) {
    for (size_t i = 0; i < roi.n; i++) roi.data[i] = r->roi.data[i];
    sofa_sort(roi.data, roi.n, sizeof *roi.data, by_index);
    size_t n = add_edges(&roi, (const uint32_t *)(const void *)r->triangles.data, r->triangles.n, 3,
                         edges, 0);
    n = add_edges(&roi, (const uint32_t *)(const void *)r->quads.data, r->quads.n, 4, edges, n);
    err = list_border(r, edges, n);
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

ENGINE_CLASS(MeshBoundaryROI, "Select", "Selects the points on the border of a surface.",
             .init = engine_init, );
