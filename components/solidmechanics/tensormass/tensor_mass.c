/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of tensor-mass models. */
#include "behavior/checks.h"
#include "components/solidmechanics/tensormass/tensor_mass.h"

#include "change/topology_change.h"
#include "math/vec.h"
#include "object/checkpoint.h"
#include "numerics/fem/pair_assembly.h"
#include "numerics/fem/edge_kernels.h"

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

static void free_tensors(SofaTensorMass *t) {
  SofaContext *ctx = t->force_field.object.ctx;
  sofa_element_pairs_free(ctx, &t->pairs);
  sofa_list_free(ctx, &t->start);
  sofa_list_free(ctx, &t->blocks);
  sofa_list_free(ctx, &t->rest);
}

static void tensor_mass_destroy(SofaObject *object) {
  sofa_element_results_free(object->ctx, &((SofaTensorMass *)object)->results);
  free_tensors((SofaTensorMass *)object);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaTensorMass, start),
    SOFA_REMADE(SofaTensorMass, blocks),
    SOFA_REMADE(SofaTensorMass, rest),
};

const SofaClass sofa_tensor_mass_class = {
    .name = "TensorMassForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "Linear elasticity with one tensor per edge.",
    .base = &sofa_force_field_class,
    .size = sizeof(SofaTensorMass),
    SOFA_FIELDS(fields),
    SOFA_SPARES(spared),
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

/* Room for the blocks of the pairs of elements, and what products need beside them. */
static SofaErr make_pairs(SofaTensorMass *t, SofaElements elements) {
  size_t n_points;
  const double *x = rest_positions(t, &n_points);
  SofaContext *ctx = t->force_field.object.ctx;
  free_tensors(t);
  SOFA_TRY(sofa_element_pairs_create(ctx, elements, n_points, SOFA_PAIRS_SLOTS, &t->pairs));
  // a point of an element has a pair with itself, hence the last row is that of the last point
  const size_t n = t->pairs.n ? (size_t)t->pairs.row[t->pairs.n - 1] + 1 : 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &t->blocks, 9 * t->pairs.n + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &t->rest, 3 * n));
  SOFA_TRY(SOFA_RESIZE(ctx, &t->start, n + 1));
  sofa_zero(t->blocks.data, t->blocks.n * sizeof *t->blocks.data);
  sofa_copy(t->rest.data, x, t->rest.n * sizeof *x);
  size_t p = 0;
  for (size_t i = 0; i <= n; i++) {
    while (p < t->pairs.n && t->pairs.row[p] < i) p++;
    t->start.data[i] = (uint32_t)p;
  }
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

/* The slot of an edge of an element. */
static uint32_t slot_of(const SofaTensorMass *t, const uint8_t *nodes, size_t e) {
  const unsigned n = t->pairs.n_nodes, a = nodes[0] < nodes[1] ? nodes[0] : nodes[1];
  const unsigned b = nodes[0] + nodes[1] - a;
  return t->pairs.slot[e * sofa_element_pairs_local(n) + a * n - a * (a + 1) / 2 + b];
}

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
    if (v[nodes[0]] < v[nodes[1]]) sofa_mat3_transpose(blocks[j], blocks[j]);
    sofa_mat3_axpy(-1, blocks[j], t->blocks.data + 9 * (size_t)(slot_of(t, nodes, e) >> 2));
  }
  return true;
}

/* A point's own block, the first one of its row: the rows of the matrix sum up to 0. */
static void set_own_blocks(SofaTensorMass *t) {
  double *blocks = t->blocks.data, transposed[9];
  for (size_t p = 0; p < t->pairs.n; p++) {
    const uint32_t i = t->pairs.row[p], j = t->pairs.column[p];
    if (i == j) continue;
    sofa_mat3_axpy(-1, blocks + 9 * p, blocks + 9 * (size_t)t->start.data[i]);
    sofa_mat3_transpose(blocks + 9 * p, transposed);
    sofa_mat3_axpy(-1, transposed, blocks + 9 * (size_t)t->start.data[j]);
  }
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
  rest_positions(t, &n_points);
  SOFA_TRY(sofa_check_any(object, t->mesh, kind, elements.n));
  SOFA_TRY(sofa_check_elements(object, kind, elements, n_points));
  const uint32_t *ids = sofa_topology_sub(t->mesh, SOFA_ELEMENT_EDGE, kind, &per);
  SOFA_TRY(t->mesh->failure);
  const SofaElements edge_list = sofa_mesh_elements(&t->mesh->mesh, SOFA_ELEMENT_EDGE);
  SOFA_TRY(sofa_check_elements(object, SOFA_ELEMENT_EDGE, edge_list, n_points));
  SOFA_TRY(make_pairs(t, elements));
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
  set_own_blocks(t);
  t->revision = t->mesh->revision;
  return SOFA_OK;
}

/* ---- forces ---- */

/* f += factor times the product of the matrix with x - origin (NULL: with x). */
static SofaErr multiply(const SofaTensorMass *t, double factor, const double *x,
                        const double *origin, double *f) {
  SofaContext *ctx = t->force_field.object.ctx;
  const size_t n = t->rest.n / 3;
  const SofaEdgeRows rows = {n, t->start.data, t->pairs.column, t->blocks.data};
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *moved = SOFA_SCRATCH(ctx, double, 8 * n + 1);
  if (moved) {
    double *sums = moved + 4 * n;
    sofa_zero(sums, 4 * n * sizeof *sums);
    for (size_t i = 0; i < n; i++) {
      for (size_t c = 0; c < 3; c++)
        moved[4 * i + c] = x[3 * i + c] - (origin ? origin[3 * i + c] : 0);
      moved[4 * i + 3] = 0;
    }
    sofa_edge_kernels(ctx)->product(&rows, factor, moved, sums, f);
  }
  sofa_scratch_release(ctx, mark);
  return moved ? SOFA_OK : SOFA_ERR_MEMORY;
}

SofaErr sofa_tensor_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *const *f) {
  (void)params;
  const SofaTensorMass *t = (SofaTensorMass *)ff;
  return multiply(t, 1, at->x[0], t->rest.data, f[0]);
}

SofaErr sofa_tensor_mass_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *moves,
                                    double *const *df) {
  (void)at;
  return multiply((SofaTensorMass *)ff, sofa_kfactor(ff, params), moves[0], NULL, df[0]);
}

SofaErr sofa_tensor_mass_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  SofaTensorMass *t = (SofaTensorMass *)ff;
  const SofaPairBlocks source = {.dim = 3, .blocks = t->blocks.data};
  if (t->pairs.n) sofa_pairs_add(ff->object.ctx, &t->pairs, &source, tangent);
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
  for (size_t p = 0; p < t->pairs.n; p++) {
    const size_t a = 3 * (size_t)t->pairs.row[p], b = 3 * (size_t)t->pairs.column[p];
    const double *block = t->blocks.data + 9 * p;
    double ua[3], ub[3], u[3], f[3];
    if (a == b) continue;
    sofa_vec3_sub(at->x[0] + a, rest + a, ua);
    sofa_vec3_sub(at->x[0] + b, rest + b, ub);
    sofa_vec3_sub(ub, ua, u);
    sofa_mat3_apply(block, u, f);
    twice -= sofa_vec3_dot(ua, f);
    sofa_mat3_apply_t(block, u, f);
    twice += sofa_vec3_dot(ub, f);
  }
  *energy = twice / 2;
  return SOFA_OK;
}
