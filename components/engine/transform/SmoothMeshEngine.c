/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SmoothMeshEngine: Laplacian smoothing: points move to the mean of their neighbours. */
#include "components/engine/engine.h"
#include "numerics/spatial/neighbours.h"

typedef struct SmoothMeshEngine {
  SofaObject object;
  SofaVec3s input, output;
  SofaIndices indices;
  uint32_t iterations;
  bool show_input, show_output;
  SofaLink topology;
} SmoothMeshEngine;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef SmoothMeshEngine SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "input_position", NULL, "m", "points to smooth"),
    SOFA_ROW_INPUT(indices, "input_indices", NULL, "", "the points that move; empty: all"),
    SOFA_ROW_OUTPUT(output, "output_position", "m", "smoothed points"),
    SOFA_ROW_INPUT(iterations, "nb_iterations", "1", "", "number of iterations",
                   .range = SOFA_WITHIN(0, 1000000)),
    SOFA_ROW_DISPLAY(show_input, "showInput", "0", "draw the points before"),
    SOFA_ROW_DISPLAY(show_output, "showOutput", "0", "draw the points after"),
    SOFA_ROW(topology, "topology", NULL, "",
             "edges that make neighbours; default: the node's topology",
             .flags = SOFA_FIELD_NO_AUTOLINK, .link = &topology_rule),
};

static void smooth(const SofaVec3 *from, const SofaAround *around, size_t i, SofaVec3 *to) {
  const uint32_t *near = NULL;
  const size_t n = sofa_around_row(around, i, &near);
  double sum[3] = {0, 0, 0};
  for (size_t k = 0; k < n; k++)
    for (int c = 0; c < 3; c++) sum[c] += from[near[k]].v[c];
  for (int c = 0; n && c < 3; c++) to->v[c] = sum[c] / (double)n;
}

static SofaErr update(SofaObject *object) {
  SmoothMeshEngine *e = (SmoothMeshEngine *)object;
  SofaContext *ctx = object->ctx;
  SofaAround around = {0};
  const size_t n = e->input.n;
  SOFA_TRY(ENGINE_CHECK(object, "input_indices", &e->indices, n));
  SOFA_TRY(sofa_list_copy(ctx, &e->output, &e->input, sizeof(SofaVec3)));
  if (!e->topology.target)
    return sofa_field_fail(object, "topology", SOFA_ERR_NOT_FOUND, "there is no topology");
  const SofaEdges *edges = sofa_topology_edges((SofaTopology *)e->topology.target);
  SOFA_TRY(ENGINE_CHECK(object, "topology", edges, n));
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = sofa_neighbours_make(ctx, edges, n, &around);
  SofaVec3 *from = SOFA_SCRATCH(ctx, SofaVec3, n);
  if (!err && !from) err = SOFA_ERR_MEMORY;
  for (uint32_t k = 0; !err && k < e->iterations; k++) {
    for (size_t i = 0; i < n; i++) from[i] = e->output.data[i];
    const size_t n_moving = e->indices.n ? e->indices.n : n;
    for (size_t i = 0; i < n_moving; i++) {
      const size_t point = e->indices.n ? e->indices.data[i] : i;
      smooth(from, &around, point, &e->output.data[point]);
    }
  }
  sofa_around_free(ctx, &around);
  sofa_scratch_release(ctx, mark);
  return err;
}

ENGINE_CLASS(SmoothMeshEngine, "Transform", "Smooths a mesh: points move towards their neighbours.",
             .equations = "x_i' = 1/n_i sum_j x_j\n"
                          "\"j: the n_i neighbours of point i; nb_iterations times\"",
             .templates = engine_vec3_templates, .init = engine_init, );
