/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshClosingEngine: closes the holes of a surface with triangles around their middles. */
#include <stdlib.h>

#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct MeshClosingEngine {
  SofaObject object;
  SofaVec3s input, position, closing_position;
  SofaTriangles input_triangles, triangles, closing_triangles;
  SofaQuads input_quads, quads;
  SofaIndexLists loops;
} MeshClosingEngine;

typedef MeshClosingEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "inputPosition", NULL, "", "points of the surface"),
    SOFA_ROW_INPUT(input_triangles, "inputTriangles", NULL, "", "its triangles"),
    SOFA_ROW_INPUT(input_quads, "inputQuads", NULL, "", "its quads"),
    SOFA_ROW_OUTPUT(position, "position", "",
                    "points of the closed surface: the middles of the holes follow"),
    SOFA_ROW_OUTPUT(triangles, "triangles", "", "triangles of the closed surface"),
    SOFA_ROW_OUTPUT(quads, "quads", "", "quads of the closed surface"),
    SOFA_ROW_OUTPUT(loops, "indices", "", "points around each hole, then its middle"),
    SOFA_ROW_OUTPUT(closing_position, "closingPosition", "", "points of the closing parts only"),
    SOFA_ROW_OUTPUT(closing_triangles, "closingTriangles", "",
                    "triangles of the closing parts only"),
};

/* ---- border edges, directed as their face goes round ---- */

static int by_ends(const void *a, const void *b) {
  const SofaEdge *x = a, *y = b;
  const int k = x->v[0] == y->v[0];
  return (x->v[k] > y->v[k]) - (x->v[k] < y->v[k]);
}

static size_t add_face(SofaEdge *edges, size_t n_edges, const uint32_t *v, unsigned n) {
  for (unsigned k = 0; k < n; k++) edges[n_edges++] = (SofaEdge){{v[(k + n - 1) % n], v[k]}};
  return n_edges;
}

/* Keeps the edges whose reverse is not there; sorted. Of several from one point the last stays. */
static size_t keep_border(SofaEdge *edges, size_t n, SofaEdge *border) {
  size_t n_border = 0;
  sofa_sort(edges, n, sizeof *edges, by_ends);
  for (size_t i = 0; i < n; i++) {
    const SofaEdge back = {{edges[i].v[1], edges[i].v[0]}};
    if (sofa_search(&back, edges, n, sizeof back, by_ends)) continue;
    if (n_border && border[n_border - 1].v[0] == edges[i].v[0]) n_border--;
    border[n_border++] = edges[i];
  }
  return n_border;
}

/* The unused edge from a point; n: none. */
static size_t edge_from(const SofaEdge *border, const uint8_t *used, size_t n, uint32_t point) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (border[middle].v[0] < point) low = middle + 1;
    else high = middle;
  }
  return low < n && border[low].v[0] == point && !used[low] ? low : n;
}

/* ---- closing ---- */

static SofaErr close_loop(MeshClosingEngine *m, const SofaIndices *loop) {
  SofaContext *ctx = m->object.ctx;
  const uint32_t n = (uint32_t)loop->n, first = (uint32_t)m->closing_position.n;
  const uint32_t middle = (uint32_t)m->position.n;
  SofaVec3 center = {{0, 0, 0}};
  for (uint32_t k = 0; k < n; k++) {
    const uint32_t before = k ? k - 1 : n - 1;
    const SofaTriangle whole = {{middle, loop->data[k], loop->data[before]}};
    const SofaTriangle part = {{first + n, first + k, first + before}};
    const SofaVec3 *p = &m->input.data[loop->data[k]];
    sofa_vec3_axpy(1.0 / n, p->v, center.v);
    SOFA_TRY(SOFA_APPEND(ctx, &m->closing_position, p));
    SOFA_TRY(SOFA_APPEND(ctx, &m->triangles, &whole));
    SOFA_TRY(SOFA_APPEND(ctx, &m->closing_triangles, &part));
  }
  SOFA_TRY(SOFA_APPEND(ctx, &m->closing_position, &center));
  SOFA_TRY(SOFA_APPEND(ctx, &m->position, &center));
  SOFA_TRY(sofa_index_lists_resize(ctx, &m->loops, m->loops.n + 1));
  SofaIndices *list = &m->loops.data[m->loops.n - 1];
  SOFA_TRY(sofa_list_copy(ctx, list, loop, sizeof *loop->data));
  return engine_append(ctx, list, middle);
}

/* Follows the border from edge i until it comes back or ends. */
static SofaErr follow(MeshClosingEngine *m, const SofaEdge *border, uint8_t *used, size_t n,
                      size_t i, SofaIndices *loop) {
  loop->n = 0;
  for (; i < n; i = edge_from(border, used, n, border[i].v[1])) {
    used[i] = 1;
    SOFA_TRY(engine_append(m->object.ctx, loop, border[i].v[0]));
  }
  return loop->n > 1 ? close_loop(m, loop) : SOFA_OK;
}

static SofaErr close_holes(MeshClosingEngine *m, SofaIndices *loop) {
  SofaContext *ctx = m->object.ctx;
  const size_t most = 3 * m->input_triangles.n + 4 * m->input_quads.n;
  SofaEdge *edges = SOFA_SCRATCH(ctx, SofaEdge, most), *border = SOFA_SCRATCH(ctx, SofaEdge, most);
  uint8_t *used = SOFA_SCRATCH(ctx, uint8_t, most);
  if (!edges || !border || !used) return SOFA_ERR_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < m->input_triangles.n; i++)
    n = add_face(edges, n, m->input_triangles.data[i].v, 3);
  for (size_t i = 0; i < m->input_quads.n; i++) n = add_face(edges, n, m->input_quads.data[i].v, 4);
  n = keep_border(edges, n, border);
  for (size_t i = 0; i < n; i++) used[i] = 0;
  for (size_t i = 0; i < n; i++)
    if (!used[i]) SOFA_TRY(follow(m, border, used, n, i, loop));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MeshClosingEngine *m = (MeshClosingEngine *)object;
  SofaContext *ctx = object->ctx;
  SofaIndices loop = {0};
  SOFA_TRY(ENGINE_CHECK(object, "inputTriangles", &m->input_triangles, m->input.n));
  SOFA_TRY(ENGINE_CHECK(object, "inputQuads", &m->input_quads, m->input.n));
  m->closing_position.n = m->closing_triangles.n = 0;
  SOFA_TRY(sofa_index_lists_resize(ctx, &m->loops, 0));
  SOFA_TRY(sofa_list_copy(ctx, &m->position, &m->input, sizeof(SofaVec3)));
  SOFA_TRY(sofa_list_copy(ctx, &m->triangles, &m->input_triangles, sizeof(SofaTriangle)));
  SOFA_TRY(sofa_list_copy(ctx, &m->quads, &m->input_quads, sizeof(SofaQuad)));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaErr err = close_holes(m, &loop);
  sofa_scratch_release(ctx, mark);
  sofa_list_free(ctx, &loop);
  return err;
}

ENGINE_CLASS(MeshClosingEngine, "Generate",
             "Closes the holes of a surface with triangles around their middles.",
             .templates = engine_vec3_templates, .init = engine_init, );
