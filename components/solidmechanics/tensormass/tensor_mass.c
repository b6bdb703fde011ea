/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of tensor-mass models. */
#include "behavior/checks.h"
#include "components/solidmechanics/tensormass/tensor_mass.h"

#include "change/topology_change.h"
#include "math/vec.h"

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(SofaTensorMass, edge_info, "edgeInfo", NULL, "",
               "bookkeeping of SOFA: nothing reads it, no effect", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaTensorMass, poisson, "poissonRatio", "0.3", "1", "Poisson ratio",
               .range = SOFA_BETWEEN(-1, 0.5)),
    SOFA_FIELD(SofaTensorMass, young, "youngModulus", "1000", "Pa", "Young modulus",
               .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_FIELD(SofaTensorMass, topology, "topology", NULL, "",
               "topology with the elements; default: the node's, else the nearest ancestor's",
               .link = &topology_rule),
    SOFA_RESULT_ROWS(
        SofaTensorMass,
        "of the linear law, in the axes of the scene (of a triangle: x along its first "
        "edge; yz and zx are those of its resistance across its plane)",
        "of small displacements, in the same axes"),
};

static SofaErr tensor_mass_init(SofaObject *object) {
  SofaTensorMass *t = (SofaTensorMass *)object;
  t->mesh =
      t->topology.target ? (SofaTopology *)t->topology.target : sofa_node_topology(object->node);
  if (!t->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take elements from");
  return SOFA_OK;
}

static SofaErr tensor_mass_compute(SofaObject *object, const SofaField *field) {
  return sofa_element_results_output(object, field, &((SofaTensorMass *)object)->results);
}

static void tensor_mass_destroy(SofaObject *object) {
  sofa_element_results_free(object->ctx, &((SofaTensorMass *)object)->results);
  sofa_edge_matrix_free(object->ctx, &((SofaTensorMass *)object)->matrix);
}

const SofaClass sofa_tensor_mass_class = {
    .name = "TensorMassForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "Linear elasticity with one tensor per edge.",
    .base = &sofa_force_field_class,
    .size = sizeof(SofaTensorMass),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = tensor_mass_init,
    .compute_output = tensor_mass_compute,
    .destroy = tensor_mass_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_ELEMENT_RESULTS, &sofa_tensor_mass_results}),
};

/* ---- tensors ---- */

static const double *rest_positions(const SofaTensorMass *t, size_t *n) {
  const SofaState *state = t->force_field.state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  *n = rest->n;
  return rest->data;
}

/* The elements of a mesh, their edges and the function that computes the blocks of these. */
typedef struct Tensors {
  SofaElements elements;
  unsigned n_edges;
  const uint8_t (*nodes)[2]; /* of each edge of an element */
  const uint32_t *ids;       /* of the edges, n_edges per element */
  SofaTensorBlocks function;
} Tensors;

/* Takes the blocks of one element from those of its edges. */
static bool add_element(SofaTensorMass *t, const Tensors *tensors, size_t e) {
  const size_t n_nodes = tensors->elements.width;
  const uint32_t *v = tensors->elements.v + n_nodes * e;
  double p[12], blocks[6][9];
  size_t n_points;
  const double *x = rest_positions(t, &n_points);
  for (size_t i = 0; i < n_nodes; i++) sofa_vec3_copy(x + 3 * (size_t)v[i], p + 3 * i);
  if (!tensors->function(t, p, blocks)) return false;
  for (size_t j = 0; j < tensors->n_edges; j++) {
    const uint8_t *nodes = tensors->nodes[j];
    sofa_mat3_scale(-1, blocks[j], blocks[j]);
    sofa_edge_matrix_add(&t->matrix, e, nodes[1], nodes[0], blocks[j]);
  }
  return true;
}

SofaErr sofa_tensor_mass_make(SofaTensorMass *t, SofaElementKind kind, unsigned n_edges,
                              const uint8_t (*nodes)[2], SofaTensorBlocks blocks) {
  SofaObject *object = &t->force_field.object;
  const char *what = sofa_element_kind_info(kind)->name;
  sofa_topology_edges(t->mesh);
  if (kind == SOFA_ELEMENT_TRIANGLE) sofa_topology_triangles(t->mesh);
  const SofaElements elements = sofa_mesh_elements(&t->mesh->mesh, kind);
  unsigned per = 0;
  size_t n_points;
  t->kind = kind;
  sofa_object_changed(object);
  const double *rest = rest_positions(t, &n_points);
  SOFA_TRY(sofa_check_any(object, t->mesh, kind, elements.n));
  SOFA_TRY(sofa_check_elements(object, kind, elements, n_points));
  const uint32_t *ids = sofa_topology_sub(t->mesh, SOFA_ELEMENT_EDGE, kind, &per);
  SOFA_TRY(t->mesh->failure);
  const SofaElements edge_list = sofa_mesh_elements(&t->mesh->mesh, SOFA_ELEMENT_EDGE);
  SOFA_TRY(sofa_check_elements(object, SOFA_ELEMENT_EDGE, edge_list, n_points));
  sofa_edge_matrix_free(object->ctx, &t->matrix);
  SOFA_TRY(sofa_edge_matrix_create(object->ctx, elements, rest, n_points, &t->matrix));
  const Tensors tensors = {elements, n_edges, nodes, ids, blocks};
  for (size_t e = 0; e < elements.n; e++) {
    for (size_t j = 0; j < n_edges; j++) {
      if (!ids || ids[n_edges * e + j] == SOFA_NO_ELEMENT)
        return sofa_object_fail(object, SOFA_ERR_SCENE,
                                "the topology does not list all edges of %s %zu", what, e);
    }
    if (!add_element(t, &tensors, e))
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY, "%s %zu is degenerate at rest", what, e);
  }
  sofa_edge_matrix_finish(&t->matrix);
  t->revision = t->mesh->revision;
  return SOFA_OK;
}

/* ---- forces ---- */

SofaErr sofa_tensor_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *const *f) {
  (void)params;
  const SofaEdgeMatrix *m = &((SofaTensorMass *)ff)->matrix;
  return sofa_edge_matrix_multiply(ff->object.ctx, m, 1, at->x[0], m->rest.data, f[0]);
}

SofaErr sofa_tensor_mass_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *moves,
                                    double *const *df) {
  (void)at;
  return sofa_edge_matrix_multiply(ff->object.ctx, &((SofaTensorMass *)ff)->matrix,
                                   sofa_kfactor(ff, params), moves[0], NULL, df[0]);
}

SofaErr sofa_tensor_mass_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  sofa_edge_matrix_add_k(ff->object.ctx, &((SofaTensorMass *)ff)->matrix, tangent);
  return SOFA_OK;
}

bool sofa_tensor_mass_constant(const SofaForceField *ff) {
  (void)ff;
  return true;
}

/* -1/2 sum f . (x - X) */
SofaErr sofa_tensor_mass_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                          const SofaPoint *at, double *energy) {
  (void)params;
  const SofaTensorMass *t = (SofaTensorMass *)ff;
  size_t n_points;
  *energy = sofa_edge_matrix_energy(&t->matrix, at->x[0], rest_positions(t, &n_points));
  return SOFA_OK;
}
