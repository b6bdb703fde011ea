/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimpleTesselatedTetraMechanicalMapping: moves the points of a
 * SimpleTesselatedTetraTopologicalMapping. */
#include "components/mapping/tesselated_tetra.h"
#include "numerics/mapping/weighted_points.h"

static SofaErr find(const SofaMapping *mapping, const SofaTesselatedTetra **out) {
  *out = (const SofaTesselatedTetra *)sofa_node_find_class(
      mapping->object.node, &sofa_SimpleTesselatedTetraTopologicalMapping_class, SOFA_SEARCH_UP);
  if (!*out)
    return sofa_object_fail(&mapping->object, SOFA_ERR_NOT_FOUND,
                            "there is no SimpleTesselatedTetraTopologicalMapping in the node or "
                            "above");
  if (!(*out)->mapping.object.initialised)
    return sofa_object_fail(&mapping->object, SOFA_ERR_SCENE,
                            "'%s' comes after the mapping in the scene: move it before the mapping",
                            (*out)->mapping.object.name);
  if ((*out)->from_point.n == mapping->inputs[0]->position.n) return SOFA_OK;
  return sofa_object_fail(
      &mapping->object, SOFA_ERR_RANGE, "'%s' was made of %zu points, the input has %zu",
      (*out)->mapping.object.name, (*out)->from_point.n, mapping->inputs[0]->position.n);
}

static SofaErr tetra_setup(SofaMapping *mapping) {
  SofaWeightedPoints *m = (SofaWeightedPoints *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  const SofaTesselatedTetra *t;
  SOFA_TRY(find(mapping, &t));
  const SofaEdges *edges = sofa_topology_edges(t->mapping.from);
  SOFA_TRY(sofa_point_weights_begin(ctx, &m->weights, t->from_point.n, t->point_source.n));
  for (size_t i = 0; i < t->point_source.n; i++) {
    static const double one = 1, half[2] = {0.5, 0.5};
    const int source = t->point_source.data[i];
    const uint32_t point = (uint32_t)(source - 1);
    SOFA_TRY(source > 0 ? sofa_point_weights_append(ctx, &m->weights, &point, &one, 1)
                        : sofa_point_weights_append(ctx, &m->weights, edges->data[-source - 1].v,
                                                    half, 2));
  }
  return sofa_weighted_points_finish(m);
}

static const SofaMappingOps tetra_ops = {
    .setup = tetra_setup,
    .apply = sofa_weighted_points_apply,
    .apply_j = sofa_weighted_points_apply_j,
    .apply_jt = sofa_weighted_points_apply_jt,
    .jacobian = sofa_weighted_points_jacobian,
    .linear = true,
};

static const char *const tetra_templates[] = {"Vec3d,Vec3d", NULL};

SOFA_CLASS(SimpleTesselatedTetraMechanicalMapping) = {
    .name = "SimpleTesselatedTetraMechanicalMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves the points of tetrahedra that a SimpleTesselatedTetraTopologicalMapping cut: "
            "points as in the input, and the middles of its edges.",
    .equations = "y_i = x_i, y_e = 1/2 (x_a + x_b)\n"
                 "\"e: the edge from a to b\"",
    .base = &sofa_mapping_class,
    .size = sizeof(SofaWeightedPoints),
    .templates = tetra_templates,
    .destroy = sofa_weighted_points_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &tetra_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_weighted_points_listener}),
};
