/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BarycentricMapping: points move with the elements they lie in. */
#include <string.h>
#include "barycentric_search.h"

typedef struct BarycentricMapping {
  SofaMapping mapping;
  bool use_rest_position;
  SofaLink mapper, input_topology, output_topology;
  SofaWeights weights;
} BarycentricMapping;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_NONE};
static const SofaLinkRule any_rule = {.interface = -1, .search = SOFA_SEARCH_NONE};

static const SofaField barycentric_fields[] = {
    SOFA_FIELD(BarycentricMapping, use_rest_position, "useRestPosition", "0", "",
               "Locates the points at the rest positions of both states.", ),
    SOFA_FIELD(BarycentricMapping, mapper, "mapper", NULL, "",
               "Object that finds the elements; it is always made anew.",
               .flags = SOFA_FIELD_UNSUPPORTED, .link = &any_rule),
    SOFA_FIELD(BarycentricMapping, input_topology, "input_topology", NULL, "",
               "Elements of the input; the first topology of its node or above when none is given.",
               .link = &topology_rule),
    SOFA_FIELD(BarycentricMapping, output_topology, "output_topology", NULL, "",
               "Topology of the output; used only when points are added or removed.",
               .flags = SOFA_FIELD_NO_EFFECT, .link = &topology_rule),
};

static size_t coord_of(const SofaState *state) {
  return sofa_state_kind_info(state->object.kind)->coord;
}
static size_t deriv_of(const SofaState *state) {
  return sofa_state_kind_info(state->object.kind)->deriv;
}

/* Positions of a state, or its rest positions where it has them. */
static SofaPointsView points_of(const SofaState *state, bool rest) {
  const bool use_rest = rest && state->rest_position.n == state->position.n;
  const SofaCoords *list = use_rest ? &state->rest_position : &state->position;
  return (SofaPointsView){.x = list->data, .n = list->n, .stride = coord_of(state)};
}

static SofaErr barycentric_setup(SofaMapping *mapping) {
  BarycentricMapping *barycentric = (BarycentricMapping *)mapping;
  const SofaObject *object = &mapping->object;
  SofaObject *topology = barycentric->input_topology.target;
  if (!topology)
    topology = sofa_node_find(mapping->inputs[0]->object.node, SOFA_TOPOLOGY, SOFA_SEARCH_UP);
  if (!topology)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "no topology in the node of the input or above");
  const bool rest = barycentric->use_rest_position;
  const SofaPointsView vertices = points_of(mapping->inputs[0], rest);
  const SofaPointsView points = points_of(mapping->out, rest);
  return sofa_barycentric_weights(object, (SofaTopology *)topology, &vertices, &points,
                                  &barycentric->weights);
}

static SofaErr barycentric_apply(SofaMapping *mapping, const double *const *x_in, double *x_out) {
  const SofaWeights *weights = &((BarycentricMapping *)mapping)->weights;
  const size_t width = coord_of(mapping->out);
  // frames only move: their orientations stay those of the state
  if (width > 3 && x_out != mapping->out->position.data)
    memcpy(x_out, mapping->out->position.data, weights->n_out * width * sizeof *x_out);
  sofa_weights_apply(weights, x_in[0], coord_of(mapping->inputs[0]), x_out, width,
                     mapping->object.ctx->threads);
  return SOFA_OK;
}

static SofaErr barycentric_apply_j(SofaMapping *mapping, const double *const *v_in, double *v_out) {
  const SofaWeights *weights = &((BarycentricMapping *)mapping)->weights;
  const size_t width = deriv_of(mapping->out);
  if (width > 3) memset(v_out, 0, weights->n_out * width * sizeof *v_out);
  sofa_weights_apply(weights, v_in[0], deriv_of(mapping->inputs[0]), v_out, width,
                     mapping->object.ctx->threads);
  return SOFA_OK;
}

static SofaErr barycentric_apply_jt(SofaMapping *mapping, const double *f_out,
                                    double *const *f_in) {
  sofa_weights_apply_transpose(&((BarycentricMapping *)mapping)->weights, f_out,
                               deriv_of(mapping->out), f_in[0], deriv_of(mapping->inputs[0]),
                               mapping->object.ctx->threads);
  return SOFA_OK;
}

static SofaErr barycentric_jacobian(SofaMapping *mapping, size_t k, SofaJacobian *out) {
  return sofa_weights_jacobian(mapping->object.ctx, &((BarycentricMapping *)mapping)->weights,
                               deriv_of(mapping->inputs[k]), deriv_of(mapping->out), out);
}

static void barycentric_destroy(SofaObject *object) {
  sofa_weights_free(object->ctx, &((BarycentricMapping *)object)->weights);
}

static const SofaMappingOps barycentric_ops = {.setup = barycentric_setup,
                                               .apply = barycentric_apply,
                                               .apply_j = barycentric_apply_j,
                                               .apply_jt = barycentric_apply_jt,
                                               .jacobian = barycentric_jacobian,
                                               .linear = true};

static const char *const barycentric_templates[] = {"Vec3d,Vec3d", "Vec3d,Rigid3d", NULL};

extern const SofaClass sofa_BarycentricMapping_class;
const SofaClass sofa_BarycentricMapping_class = {
    .name = "BarycentricMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Moves points with the elements of the input's topology: each is a weighted sum of the "
            "vertices of one element, with the weights it has at the start.",
    .base = &sofa_mapping_class,
    .size = sizeof(BarycentricMapping),
    .fields = barycentric_fields,
    .n_fields = sizeof barycentric_fields / sizeof *barycentric_fields,
    .templates = barycentric_templates,
    .destroy = barycentric_destroy,
    .ops = {[SOFA_MAPPING] = &barycentric_ops},
};
