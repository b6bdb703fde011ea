/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VoidMapping: says that a state belongs below another, and maps nothing. */
#include "change/topology_change.h"
#include "numerics/mapping/map_matrix.h"

typedef struct VoidMapping {
  SofaMapping mapping; /* its links are not fields here */
  size_t n_in, n_out;
  SofaMapMatrix j; /* without entries */
} VoidMapping;

static const SofaField void_fields[] = {
    SOFA_FIELD(SofaMapping, map_forces, "mapForces", "1", "", "no effect: no forces are mapped",
               .aliases = "isMechanical", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaMapping, map_constraints, "mapConstraints", "1", "",
               "no effect: no constraints are mapped", .aliases = "isMechanical",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaMapping, map_masses, "mapMasses", "1", "", "no effect: no masses are mapped",
               .aliases = "isMechanical", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaMapping, map_matrices, "mapMatrices", "0", "",
               "no effect: no matrices are mapped", .flags = SOFA_FIELD_NO_EFFECT),
};

/* The state of the node, and the nearest one above it. */
static void find_states(SofaNode *node, SofaState **out, SofaState **in) {
  *out = (SofaState *)sofa_node_find(node, SOFA_STATE, SOFA_SEARCH_LOCAL);
  *in = (SofaState *)sofa_node_find(node, SOFA_STATE, SOFA_SEARCH_UP_PARENTS);
}

static bool void_can_create(SofaNode *node, const struct SofaElement *element,
                            const char *template_name, SofaText *why) {
  SofaState *out, *in;
  (void)element, (void)template_name;
  find_states(node, &out, &in);
  if (out && in) return true;
  (void)sofa_text_printf(node->object.ctx, why, "there is no state %s",
                         out ? "above the node" : "in the node before it");
  return false;
}

static SofaErr void_init(SofaObject *object) {
  SofaMapping *map = (SofaMapping *)object;
  SofaState *in;
  find_states(object->node, &map->out, &in);
  if (!map->out || !in)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "there is no state in the node or above");
  map->inputs = sofa_alloc(object->ctx, 1, sizeof *map->inputs);
  if (!map->inputs) return SOFA_ERR_MEMORY;
  map->inputs[0] = in;
  map->n_inputs = 1;
  return sofa_mapping_start(map);
}

static SofaErr void_setup(SofaMapping *mapping) {
  VoidMapping *m = (VoidMapping *)mapping;
  m->n_in = mapping->inputs[0]->position.n;
  m->n_out = mapping->out->position.n;
  sofa_map_matrix_free(mapping->object.ctx, &m->j);
  return SOFA_OK;
}

/* The output stays where it is, also in the trial vectors of solvers. */
static SofaErr void_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const VoidMapping *m = (const VoidMapping *)mapping;
  const size_t n = m->n_out * sofa_state_kind_info(mapping->out->object.kind)->coord;
  (void)at;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n_in, m->n_out));
  if (n && x_out != mapping->out->position.data)
    sofa_copy(x_out, mapping->out->position.data, n * sizeof *x_out);
  return SOFA_OK;
}

static SofaErr void_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                             SofaJacobian *out) {
  VoidMapping *m = (VoidMapping *)mapping;
  const size_t rows = m->n_out * sofa_state_kind_info(mapping->out->object.kind)->deriv;
  const size_t columns = m->n_in * sofa_state_kind_info(mapping->inputs[0]->object.kind)->deriv;
  (void)at, (void)k;
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j, rows, columns, 0));
  for (size_t r = 0; r < rows; r++) sofa_map_matrix_row(&m->j);
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

static void void_destroy(SofaObject *object) {
  VoidMapping *m = (VoidMapping *)object;
  sofa_mapping_free(&m->mapping);
  sofa_map_matrix_free(object->ctx, &m->j);
}

/* Input and output change independently of each other. */
static SofaErr void_done(SofaObject *object) {
  return void_setup((SofaMapping *)object);
}

static const SofaTopologyListenerOps listener = {.done = void_done};

static const SofaMappingOps void_ops = {
    .setup = void_setup,
    .apply = void_apply,
    .jacobian = void_jacobian,
    .linear = true,
};

SOFA_CLASS(VoidMapping) = {
    SOFA_NAMED(VoidMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "The output stays where it is, and its forces do not reach the state above: for states "
            "that something else moves.",
    .equations = "y' = y, J = 0",
    .base = &sofa_object_class,
    SOFA_FIELDS(void_fields),
    .can_create = void_can_create,
    .init = void_init,
    .destroy = void_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &void_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
