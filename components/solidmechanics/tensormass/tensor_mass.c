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
  sofa_free(object->ctx, ((SofaTensorMass *)object)->edges);
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

static SofaErr make_edges(SofaTensorMass *t, const SofaEdges *edges) {
  size_t n_points;
  const double *x = rest_positions(t, &n_points);
  SofaContext *ctx = t->force_field.object.ctx;
  sofa_free(ctx, t->edges);
  t->n = 0;
  if (!(t->edges = sofa_alloc(ctx, edges->n, sizeof *t->edges))) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < edges->n; e++) {
    SofaEdgeTensor *edge = &t->edges[e];
    memcpy(edge->v, edges->data[e].v, sizeof edge->v);
    sofa_vec3_sub(x + 3 * (size_t)edge->v[1], x + 3 * (size_t)edge->v[0], edge->rest);
  }
  t->n = edges->n;
  return SOFA_OK;
}

/* The elements of a mesh, their edges and the function that computes the blocks of these. */
typedef struct Tensors {
  SofaElements elements;
  unsigned n_edges;
  const uint8_t (*nodes)[2]; /* of each edge of an element */
  const uint32_t *ids;       /* of the edges, n_edges per element */
  SofaTensorBlocks function;
} Tensors;

/* Adds the blocks of one element to its edges; those in the other direction transposed. */
static bool add_element(SofaTensorMass *t, const Tensors *tensors, size_t e) {
  const size_t n_nodes = tensors->elements.width, n_edges = tensors->n_edges;
  const uint32_t *v = tensors->elements.v + n_nodes * e, *ids = tensors->ids + n_edges * e;
  const uint8_t(*nodes)[2] = tensors->nodes;
  double p[12], blocks[6][9];
  size_t n_points;
  const double *x = rest_positions(t, &n_points);
  for (size_t i = 0; i < n_nodes; i++) sofa_vec3_copy(x + 3 * (size_t)v[i], p + 3 * i);
  if (!tensors->function(t, p, blocks)) return false;
  for (size_t j = 0; j < n_edges; j++) {
    SofaEdgeTensor *edge = &t->edges[ids[j]];
    if (edge->v[0] != v[nodes[j][0]]) sofa_mat3_transpose(blocks[j], blocks[j]);
    sofa_mat3_axpy(1, blocks[j], edge->t);
  }
  return true;
}

SofaErr sofa_tensor_mass_make(SofaTensorMass *t, SofaElementKind kind, unsigned n_edges,
                              const uint8_t (*nodes)[2], SofaTensorBlocks blocks) {
  SofaObject *object = &t->force_field.object;
  const char *what = sofa_element_kind_info(kind)->name;
  const SofaEdges *edges = sofa_topology_edges(t->mesh);
  if (kind == SOFA_ELEMENT_TRIANGLE) sofa_topology_triangles(t->mesh);
  const SofaElements elements = sofa_mesh_elements(&t->mesh->mesh, kind);
  unsigned per = 0;
  size_t n_points;
  t->kind = kind;
  sofa_object_changed(object);
  rest_positions(t, &n_points);
  SOFA_TRY(sofa_check_any(object, t->mesh, kind, elements.n));
  SOFA_TRY(sofa_check_elements(object, kind, elements, n_points));
  const uint32_t *ids = sofa_topology_sub(t->mesh, SOFA_ELEMENT_EDGE, kind, &per);
  SOFA_TRY(t->mesh->failure);
  const SofaElements edge_list = sofa_mesh_elements(&t->mesh->mesh, SOFA_ELEMENT_EDGE);
  SOFA_TRY(sofa_check_elements(object, SOFA_ELEMENT_EDGE, edge_list, n_points));
  SOFA_TRY(make_edges(t, edges));
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
  t->revision = t->mesh->revision;
  return SOFA_OK;
}

/* ---- forces ---- */

/* f1 += factor T u, f0 -= factor T^T u */
static void add_edge(const SofaEdgeTensor *edge, double factor, const double *u, double *f) {
  double *f0 = f + 3 * (size_t)edge->v[0], *f1 = f + 3 * (size_t)edge->v[1];
  const double *t = edge->t;
  for (int i = 0; i < 3; i++) {
    f1[i] += factor * (t[3 * i] * u[0] + t[3 * i + 1] * u[1] + t[3 * i + 2] * u[2]);
    f0[i] -= factor * (t[i] * u[0] + t[3 + i] * u[1] + t[6 + i] * u[2]);
  }
}

SofaErr sofa_tensor_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *const *f) {
  (void)params;
  const SofaTensorMass *t = (SofaTensorMass *)ff;
  const double *x = at->x[0];
  for (size_t e = 0; e < t->n; e++) {
    const SofaEdgeTensor *edge = &t->edges[e];
    double u[3];
    sofa_vec3_sub(x + 3 * (size_t)edge->v[1], x + 3 * (size_t)edge->v[0], u);
    sofa_vec3_sub(u, edge->rest, u);
    add_edge(edge, 1, u, f[0]);
  }
  return SOFA_OK;
}

SofaErr sofa_tensor_mass_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *moves,
                                    double *const *df) {
  (void)at;
  const SofaTensorMass *t = (SofaTensorMass *)ff;
  const double *dx = moves[0], factor = sofa_kfactor(ff, params);
  for (size_t e = 0; e < t->n; e++) {
    const SofaEdgeTensor *edge = &t->edges[e];
    double u[3];
    sofa_vec3_sub(dx + 3 * (size_t)edge->v[1], dx + 3 * (size_t)edge->v[0], u);
    add_edge(edge, factor, u, df[0]);
  }
  return SOFA_OK;
}

SofaErr sofa_tensor_mass_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const SofaTensorMass *t = (SofaTensorMass *)ff;
  for (size_t e = 0; e < t->n; e++) {
    const SofaEdgeTensor *edge = &t->edges[e];
    double transposed[9], minus[9];
    sofa_mat3_transpose(edge->t, transposed);
    sofa_tangent_add(tangent, 0, edge->v[1], 0, edge->v[1], edge->t);
    sofa_tangent_add(tangent, 0, edge->v[0], 0, edge->v[0], transposed);
    sofa_mat3_scale(-1, edge->t, minus);
    sofa_tangent_add(tangent, 0, edge->v[1], 0, edge->v[0], minus);
    sofa_mat3_scale(-1, transposed, minus);
    sofa_tangent_add(tangent, 0, edge->v[0], 0, edge->v[1], minus);
  }
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
  const double *rest = rest_positions(t, &n_points);
  double twice = 0;
  for (size_t e = 0; e < t->n; e++) {
    const SofaEdgeTensor *edge = &t->edges[e];
    const size_t a = 3 * (size_t)edge->v[0], b = 3 * (size_t)edge->v[1];
    double ua[3], ub[3], u[3], f[3];
    sofa_vec3_sub(at->x[0] + a, rest + a, ua);
    sofa_vec3_sub(at->x[0] + b, rest + b, ub);
    sofa_vec3_sub(ub, ua, u);
    sofa_mat3_apply(edge->t, u, f);
    twice -= sofa_vec3_dot(ub, f);
    sofa_mat3_apply_t(edge->t, u, f);
    twice += sofa_vec3_dot(ua, f);
  }
  *energy = twice / 2;
  return SOFA_OK;
}
