/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mesh2PointMechanicalMapping: moves the points of a Mesh2PointTopologicalMapping. */
#include "components/mapping/mesh_to_points.h"
#include "numerics/mapping/weighted_points.h"

typedef struct Mesh2PointMechanicalMapping {
  SofaWeightedPoints points;
  SofaLink topological, input_topology, output_topology;
} Mesh2PointMechanicalMapping;

static const SofaLinkRule topological_rule = {.interface = SOFA_TOPOLOGICAL_MAPPING,
                                              .klass = &sofa_Mesh2PointTopologicalMapping_class,
                                              .search = SOFA_SEARCH_UP};
static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_NONE};

static const SofaField mesh_fields[] = {
    SOFA_FIELD(Mesh2PointMechanicalMapping, topological, "topologicalMapping", NULL, "",
               "mapping that made the points; default: the first in the node or above",
               .link = &topological_rule),
    SOFA_FIELD(Mesh2PointMechanicalMapping, input_topology, "inputTopology", NULL, "",
               "no effect: the input of that mapping is used", .link = &topology_rule,
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(Mesh2PointMechanicalMapping, output_topology, "outputTopology", NULL, "",
               "no effect: the output of that mapping is used", .link = &topology_rule,
               .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr find(const Mesh2PointMechanicalMapping *m, const SofaMeshToPoints **out) {
  const SofaObject *object = &m->points.mapping.object;
  *out = (const SofaMeshToPoints *)m->topological.target;
  if (!*out)
    return sofa_field_fail(object, "topologicalMapping", SOFA_ERR_NOT_FOUND,
                           "there is no Mesh2PointTopologicalMapping in the node or above");
  if (!(*out)->mapping.object.initialised)
    return sofa_object_fail(object, SOFA_ERR_SCENE,
                            "'%s' comes after the mapping in the scene: move it before the mapping",
                            (*out)->mapping.object.name);
  return SOFA_OK;
}

/* Appends the row of a point. */
static SofaErr add_row(Mesh2PointMechanicalMapping *m, const SofaMeshToPoints *t,
                       const SofaPointOrigin *o) {
  SofaContext *ctx = m->points.mapping.object.ctx;
  const SofaElements e = sofa_mesh_to_points_elements(t, (int)o->kind);
  const SofaVec3 zero = {{0, 0, 0}};
  double w[8];
  const unsigned n = sofa_mesh_to_points_weights(t, (int)o->kind, o->place, w);
  const uint32_t *v = e.v ? e.v + (size_t)n * o->element : &o->element;
  for (unsigned c = 0; c < n; c++)
    if (v[c] >= m->points.weights.n_in)
      return sofa_object_fail(&m->points.mapping.object, SOFA_ERR_RANGE,
                              "%s %u of '%s' has the point %u: the input has %zu points",
                              sofa_element_kind_info(sofa_mesh_to_points_kinds[o->kind])->name,
                              o->element, t->mapping.from->object.name, v[c],
                              m->points.weights.n_in);
  SOFA_TRY(sofa_point_weights_append(ctx, &m->points.weights, v, w, n));
  return SOFA_APPEND(ctx, &m->points.offset, o->kind ? &zero : &t->coords[0].data[o->place]);
}

static SofaErr mesh_setup(SofaMapping *mapping) {
  Mesh2PointMechanicalMapping *m = (Mesh2PointMechanicalMapping *)mapping;
  const SofaMeshToPoints *t;
  SOFA_TRY(find(m, &t));
  m->points.offset.n = 0;
  SOFA_TRY(sofa_point_weights_begin(mapping->object.ctx, &m->points.weights,
                                    mapping->inputs[0]->position.n, t->origin.n));
  for (size_t i = 0; i < t->origin.n; i++) SOFA_TRY(add_row(m, t, &t->origin.data[i]));
  return sofa_weighted_points_finish(&m->points);
}

static const SofaMappingOps mesh_ops = {
    .setup = mesh_setup,
    .apply = sofa_weighted_points_apply,
    .apply_j = sofa_weighted_points_apply_j,
    .apply_jt = sofa_weighted_points_apply_jt,
    .jacobian = sofa_weighted_points_jacobian,
    .linear = true,
};

static const char *const mesh_templates[] = {"Vec3d,Vec3d", NULL};

SOFA_CLASS(Mesh2PointMechanicalMapping) = {
    SOFA_NAMED(Mesh2PointMechanicalMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves the points that a Mesh2PointTopologicalMapping made in elements.",
    .equations = "y = sum_i w_i x_i + d\n"
                 "f_i = sum_y w_i f_y\n"
                 "\"w_i: weights of the place in its element; d: pointBaryCoords for places at "
                 "points, else 0\"",
    .base = &sofa_mapping_class,
    SOFA_FIELDS(mesh_fields),
    .templates = mesh_templates,
    .destroy = sofa_weighted_points_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &mesh_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_weighted_points_listener}),
};
