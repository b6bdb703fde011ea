/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of hyperelastic tetrahedra: fields, parameters, elements. The loops over the elements
 * are in hyper_elements.c. */
#include "behavior/checks.h"
#include "behavior/draw_state.h"
#include "topology/element_source.h"
#include "components/solidmechanics/hyperelastic/hyperelastic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "components/solidmechanics/hyperelastic/hyper_elements.h"
#include "components/solidmechanics/hyperelastic/hyper_solid.h"
#include "math/vec.h"
#include "numerics/fem/pair_assembly.h"
#include "object/checkpoint.h"

enum { QUIRK_COSTA_TANGENT = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_COSTA_TANGENT, "costa-tangent",
     "the tangent of the hyperelastic material Costa has terms of wrong size",
     "test_hyperelastic.quirk"},
};

static const SofaLinkRule material_rule = {.interface = SOFA_SOLID_MATERIAL,
                                           .search = SOFA_SEARCH_NONE};
static const SofaLinkRule elements_rule = {.interface = SOFA_ELEMENT_SOURCE,
                                           .search = SOFA_SEARCH_NONE};
static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef SofaHyperelastic SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ENERGY_ROWS(0),
    SOFA_ENERGY_LINKS_ROW,
    SOFA_ROW(anisotropy, "AnisotropyDirections", NULL, "",
             "not used: the fibres of Costa lie along x, y, z", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(tetrahedron_info, "tetrahedronInfo", NULL, "",
             "bookkeeping of SOFA: nothing reads it, no effect", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(edge_info, "edgeInfo", NULL, "", "bookkeeping of SOFA: nothing reads it, no effect",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the tetrahedra; default: the node's, else the nearest ancestor's",
             .link = &topology_rule),
    SOFA_ROW(elements, "elements", NULL, "",
             "object with solid elements instead of the tetrahedra of the topology, as a "
             "CaribouTopology: of any shape, those of second order with all their nodes (addition "
             "of csofa)",
             .link = &elements_rule),
    SOFA_SOLID_DILATATION_ROW(dilatation, " of `elements`"),
    SOFA_ROW(solid_material, "material", NULL, "",
             "material with a law of its own (ViscoelasticMaterial, J2PlasticMaterial, ...), which "
             "takes the place of materialName and ParameterSet (addition of csofa)",
             .link = &material_rule),
    SOFA_SOLID_RESULT_ROWS(SofaHyperelastic),
};

/* ---- elements ---- */

static void forget_pattern(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  sofa_hyper_solid_forget(h);
  sofa_element_pairs_free(ctx, &h->pairs);
  sofa_pair_product_free(ctx, &h->product);
  sofa_element_sums_free(ctx, &h->sums);
  sofa_late_blocks_free(ctx, &h->late);
  sofa_free(ctx, h->places);
  sofa_free(ctx, h->own);
  sofa_free(ctx, h->windows);
  sofa_free(ctx, h->blocks);
  h->places = h->own = NULL;
  h->windows = NULL;
  h->blocks = NULL;
}

static void forget(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  forget_pattern(h);
  sofa_free(ctx, h->tetras);
  sofa_free(ctx, h->backwards);
  h->n = 0;
  h->tetras = NULL;
  h->backwards = NULL;
}

/* Volume against the cube of the longest edge: below this it is rounding noise. */
static const double flat = 1e-14;

/* Rest data of one element from its positions (4 x 3). */
static SofaErr make_element(const double *p, SofaHyperTetra *t) {
  double e[9], inverse[9], six, longest = 0;
  for (int n = 0; n < 4; n++) {
    for (int m = 0; m < n; m++) longest = fmax(longest, sofa_vec3_distance(p + 3 * n, p + 3 * m));
  }
  for (int n = 0; n < 3; n++) sofa_vec3_sub(p + 3 * n + 3, p, e + 3 * n);
  // rows of e are edges: e s_n^T = unit vector n, so s_n is column n of the inverse
  if (!sofa_mat3_inverse(e, inverse, &six)) return SOFA_ERR_GEOMETRY;
  if (!(fabs(six) > flat * longest * longest * longest)) return SOFA_ERR_GEOMETRY;
  for (int n = 0; n < 3; n++) {
    for (int i = 0; i < 3; i++) t->s[n][i] = inverse[3 * i + n];
  }
  t->volume = fabs(six) / 6;
  sofa_mat3_identity(t->f);
  return SOFA_OK;
}

/* Rest data of the elements from `first` on. */
static SofaErr make_elements(SofaHyperelastic *h, const SofaTetras *tetras, size_t first) {
  const SofaObject *object = &h->force_field.object;
  const SofaState *state = h->force_field.state[0];
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  for (size_t e = first; e < tetras->n; e++) {
    const uint32_t *v = tetras->data[e].v;
    double p[12];
    SOFA_TRY(sofa_check_element(object, "tetrahedron", e, v, 4, rest->n));
    for (int k = 0; k < 4; k++) sofa_vec3_copy(rest->data + 3 * (size_t)v[k], p + 3 * k);
    SofaHyperTetra t;
    memcpy(t.v, v, sizeof t.v);
    if (make_element(p, &t) != SOFA_OK)
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                              "tetrahedron %zu (vertices %u %u %u %u) has no volume at rest", e,
                              v[0], v[1], v[2], v[3]);
    sofa_hyper_put_tetra(&t, h->tetras, e);
  }
  return SOFA_OK;
}

/* Bits of the edges that the topology lists from their second vertex: the quirk of an unsymmetric
 * tangent sees their direction. */
static SofaErr make_directions(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  if (h->law != sofa_costa_unsymmetric) return SOFA_OK;
  if (!(h->backwards = sofa_alloc(ctx, h->n, sizeof *h->backwards))) return SOFA_ERR_MEMORY;
  const SofaEdges *edges = sofa_topology_edges(h->mesh);
  SOFA_TRY(h->mesh->failure);
  for (size_t e = 0; e < h->n; e++) {
    const SofaHyperTetra t = sofa_hyper_tetra(h->tetras, e);
    for (int k = 0; k < 6; k++) {
      const uint32_t a = t.v[sofa_tetra_edges[k][0]], b = t.v[sofa_tetra_edges[k][1]];
      const uint32_t edge = sofa_topology_edge_index(h->mesh, a, b);
      if (edge < edges->n && edges->data[edge].v[0] == b) h->backwards[e] |= (uint8_t)(1 << k);
    }
  }
  return SOFA_OK;
}

enum { CHUNKS_PER_THREAD = 2 };

static const SofaBlockOrder edge_order = {SOFA_LANES, sofa_hyper_edge_pairs, SOFA_HYPER_EDGES,
                                          false};

enum { SHARED_LEAST = 128 }; /* fewer elements: threads cost more than they give */

/* What several threads need. Few chunks have few pairs with elements of several. */
static SofaErr make_for_threads(SofaHyperelastic *h, const SofaElements *elements, size_t n) {
  SofaContext *ctx = h->force_field.object.ctx;
  const SofaSummed of = {.elements = *elements,
                         .n_points = n,
                         .states = 1,
                         .width = 3,
                         .kind = SOFA_SUM_EACH,
                         .least = SHARED_LEAST};
  if (ctx->threads < 2) return SOFA_OK;
  SOFA_TRY(sofa_element_sums_create(ctx, &of, &h->sums));
  SOFA_TRY(sofa_late_blocks_create(ctx, &h->pairs, CHUNKS_PER_THREAD * (size_t)ctx->threads,
                                   &edge_order, &h->late));
  return sofa_pair_product_create(ctx, &h->pairs, sofa_state_size(h->force_field.state[0]),
                                  &h->product);
}

static void reach(uint32_t number, uint32_t *end) {
  if (number >= *end) *end = number + 1;
}

/* What groups reach and complete, with points below n. */
static SofaErr make_windows(SofaHyperelastic *h, const SofaElements *elements, size_t n) {
  SofaContext *ctx = h->force_field.object.ctx;
  const SofaElementPairs *pairs = &h->pairs;
  const size_t n_groups = sofa_hyper_n_groups(h->n);
  uint32_t *last = sofa_alloc(ctx, n + 1, sizeof *last); // groups up to the last one of a point
  if (!last) return SOFA_ERR_MEMORY;
  h->windows = sofa_alloc(ctx, n_groups + 1, sizeof *h->windows);
  for (size_t k = 0; h->windows && k < 4 * h->n; k++) {
    const uint32_t point = elements->v[k];
    const size_t g = k / (4 * SOFA_LANES);
    SofaHyperWindow *window = h->windows + g;
    last[point] = (uint32_t)g + 1;
    if (g && k % (4 * SOFA_LANES) == 0) *window = window[-1];
    reach(point, &window->points);
    for (size_t i = k / 4 * SOFA_HYPER_PAIRS; i < (k / 4 + 1) * SOFA_HYPER_PAIRS; i++)
      reach(pairs->slot[i] >> 2, &window->pairs);
  }
  for (size_t g = 0, p = 0; h->windows && g < n_groups; g++) {
    while (p < pairs->n && last[pairs->row[p]] <= g + 1) p++;
    h->windows[g].complete = (uint32_t)p;
  }
  sofa_free(ctx, last);
  return h->windows ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* Blocks, and the place of those of points with themselves. */
static SofaErr make_blocks(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  const SofaState *state = h->force_field.state[0];
  const size_t size = sofa_state_size(state), n_rest = state->rest_position.n;
  const size_t n = size > n_rest ? size : n_rest;
  const size_t n_blocks = h->pairs.n + sofa_late_blocks_forget(ctx, &h->late);
  if (!(h->blocks = sofa_alloc(ctx, 9 * n_blocks, sizeof *h->blocks))) return SOFA_ERR_MEMORY;
  if (!(h->own = sofa_alloc(ctx, n + 1, sizeof *h->own))) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_block_places_create(ctx, &h->pairs, &edge_order, &h->late, &h->places));
  // the places say all that they do
  sofa_free(ctx, h->pairs.slot);
  h->pairs.slot = NULL;
  for (size_t i = 0; i < n; i++) h->own[i] = UINT32_MAX;
  for (size_t p = 0; p < h->pairs.n; p++)
    if (h->pairs.row[p] == h->pairs.column[p]) h->own[h->pairs.row[p]] = (uint32_t)p;
  return SOFA_OK;
}

/* Takes the vertices of the topology; lanes beyond the last element repeat it. */
static void take_vertices(SofaHyperelastic *h, const uint32_t *v) {
  const size_t end = SOFA_LANES * sofa_hyper_n_groups(h->n);
  for (size_t e = 0; e < h->n; e++)
    for (size_t k = 0; k < 4; k++) h->tetras[e / SOFA_LANES].v[k][e % SOFA_LANES] = v[4 * e + k];
  for (size_t e = h->n; e < end; e++) {
    const SofaHyperTetra last = sofa_hyper_tetra(h->tetras, h->n - 1);
    sofa_hyper_put_tetra(&last, h->tetras, e);
  }
}

static SofaErr make_pattern(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  const SofaState *state = h->force_field.state[0];
  const SofaTetras *tetras = sofa_topology_tetrahedra(h->mesh);
  const size_t n = state->rest_position.n ? state->rest_position.n : state->position.n;
  const uint32_t *v = h->n ? tetras->data->v : NULL;
  forget_pattern(h);
  h->pattern_stale = true;
  take_vertices(h, v);
  const SofaElements elements = {v, h->n, 4};
  SOFA_TRY(sofa_element_pairs_create(ctx, elements, n, SOFA_PAIRS_SLOTS, &h->pairs));
  SOFA_TRY(make_for_threads(h, &elements, n));
  SOFA_TRY(make_windows(h, &elements, n));
  SOFA_TRY(make_blocks(h));
  h->pattern_stale = false;
  return SOFA_OK;
}

static void choose_law(SofaHyperelastic *h) {
  const bool costa = h->material == &sofa_costa;
  h->law = costa && sofa_quirk(&h->force_field.object, QUIRK_COSTA_TANGENT) ? h->costa_law
                                                                            : h->material->stress;
}

/* The elements of another object. */
static SofaErr build_source(SofaHyperelastic *h) {
  forget(h);
  h->stale = true;
  const SofaErr err = sofa_hyper_solid_make(h);
  if (err != SOFA_OK) forget(h);
  return err;
}

SofaErr sofa_hyperelastic_build(SofaHyperelastic *h) {
  SofaErr err = SOFA_OK;
  if (h->elements.target) return build_source(h);
  const SofaTetras *tetras = sofa_topology_tetrahedra(h->mesh);
  forget(h);
  choose_law(h);
  h->n = tetras->n;
  h->tetras = sofa_alloc(h->force_field.object.ctx, sofa_hyper_n_groups(h->n), sizeof *h->tetras);
  if (!h->tetras) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  SOFA_GO(err, done, make_elements(h, tetras, 0));
  SOFA_GO(err, done, make_directions(h));
  SOFA_GO(err, done, make_pattern(h));
  if (h->solid_material.target) SOFA_GO(err, done, sofa_hyper_solid_make(h));
  h->revision = h->mesh->revision;
  h->stale = true;
  h->remake = false;
done:
  if (err != SOFA_OK) forget(h);
  return err;
}

/* ---- lifecycle ---- */

/* With a linked material there is no energy: the elements are computed by hyper_solid.h. */
static SofaErr find_energy(SofaHyperelastic *h) {
  SofaEnergyLaw law = {.material = &sofa_neo_hookean};
  if (!h->solid_material.target)
    SOFA_TRY(sofa_energy_law(&h->force_field.object, &h->energy, &law));
  h->material = law.material;
  sofa_copy(h->p, law.p, sizeof h->p);
  return SOFA_OK;
}

static SofaErr hyperelastic_init(SofaObject *object) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  h->mesh =
      h->topology.target ? (SofaTopology *)h->topology.target : sofa_node_topology(object->node);
  if (!h->mesh && !h->elements.target)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take elements from");
  SOFA_TRY(find_energy(h));
  if (h->elements.target) return SOFA_OK;
  if (h->dilatation.index != SOFA_DILATATION_FULL)
    return sofa_field_fail(object, "dilatation", SOFA_ERR_ARGUMENT,
                           "'%s' is for solids of another object: give 'elements', or take 'full'",
                           sofa_solid_dilatations[h->dilatation.index]);
  return sofa_check_any(object, h->mesh, SOFA_ELEMENT_TETRA, sofa_topology_tetrahedra(h->mesh)->n);
}

static SofaErr hyperelastic_reinit(SofaObject *object) {
  return sofa_hyperelastic_build((SofaHyperelastic *)object);
}

static SofaErr hyperelastic_reset(SofaObject *object) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  sofa_solid_points_reset(&h->batch);
  sofa_force_field_forget_point(&h->force_field);
  return SOFA_OK;
}

static void hyperelastic_destroy(SofaObject *object) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  forget(h);
  sofa_element_results_free(object->ctx, &h->results);
}

/* ---- topological changes ---- */

static void remove_elements(SofaHyperelastic *h, const SofaTopologyChange *change) {
  for (size_t k = 0; k < change->n; k++) {
    const size_t id = change->ids[k], last = --h->n;
    const SofaHyperTetra moved = sofa_hyper_tetra(h->tetras, last);
    sofa_hyper_put_tetra(&moved, h->tetras, id);
    if (h->backwards) h->backwards[id] = h->backwards[last];
  }
}

/* Has the state all vertices of the inserted elements? */
static bool has_vertices(const SofaHyperelastic *h, const SofaTetras *tetras) {
  const SofaState *state = h->force_field.state[0];
  const size_t n = state->rest_position.n ? state->rest_position.n : state->position.n;
  for (size_t k = 4 * h->n; k < 4 * tetras->n; k++)
    if (tetras->data[k / 4].v[k % 4] >= n) return false;
  return true;
}

static SofaErr insert_elements(SofaHyperelastic *h) {
  const SofaTetras *tetras = sofa_topology_tetrahedra(h->mesh);
  if (!has_vertices(h, tetras)) {
    h->remake = true;
    return SOFA_OK;
  }
  SofaHyperTetras *grown = sofa_realloc(h->force_field.object.ctx, h->tetras,
                                        sofa_hyper_n_groups(tetras->n), sizeof *grown);
  if (!grown) return SOFA_ERR_MEMORY;
  h->tetras = grown;
  SOFA_TRY(make_elements(h, tetras, h->n));
  h->n = tetras->n;
  return SOFA_OK;
}

/* Elements are removed and inserted one by one; the next solve makes the pattern again. */
static SofaErr hyperelastic_listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  const bool elements = sofa_change_of(change, h->mesh, SOFA_ELEMENT_TETRA);
  const bool points = sofa_change_moves(change, h->force_field.state[0]);
  const bool removal = change->kind == SOFA_CHANGE_REMOVE;
  if (!elements && !points) return SOFA_OK;
  h->stale = h->pattern_stale = true;
  // the points of the state and those of the topology change in one: else the vertices are unknown
  if (points && change->topology != h->mesh) h->remake = true;
  if (elements && (!h->tetras || h->n != change->n_before || (!removal && h->backwards)))
    h->remake = true;
  if (!elements || h->remake) return SOFA_OK;
  if (!removal) return insert_elements(h);
  remove_elements(h, change);
  return SOFA_OK;
}

static SofaErr hyperelastic_done(SofaObject *object) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  if (h->remake || !h->tetras || h->n != sofa_topology_tetrahedra(h->mesh)->n)
    return sofa_listen_reinit(object);
  h->revision = h->mesh->revision;
  return SOFA_OK;
}

/* Elements with a history stay those that they are. */
static bool hyperelastic_can_listen(const SofaObject *object, const char **why) {
  *why = "is about to change, and the object in 'elements' keeps its elements";
  if (((const SofaHyperelastic *)object)->elements.target) return false;
  *why = "is about to change, and its elements have a history, which is not supported yet";
  return !((const SofaHyperelastic *)object)->batch.n_history;
}

static const SofaTopologyListenerOps listener = {.listen = hyperelastic_listen,
                                                 .done = hyperelastic_done,
                                                 .can_listen = hyperelastic_can_listen};

/* ---- outputs ---- */

static SofaErr result_elements(SofaForceField *ff, SofaResultElements *out) {
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  return sofa_hyper_solid_results(ff, out);
}

static const SofaElementResultsOps results_ops = {.elements = result_elements};

static SofaErr hyperelastic_compute(SofaObject *object, const SofaField *field) {
  return sofa_element_results_output(object, field, &((SofaHyperelastic *)object)->results);
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP_BLOCK(SofaHyperelastic, batch.history, batch.n_history),
    SOFA_KEEP(SofaHyperelastic, batch.dissipated),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaHyperelastic, batch.f),        SOFA_REMADE(SofaHyperelastic, batch.blocks),
    SOFA_REMADE(SofaHyperelastic, batch.work),     SOFA_REMADE(SofaHyperelastic, batch.dt),
    SOFA_REMADE(SofaHyperelastic, batch.time),     SOFA_REMADE(SofaHyperelastic, blocks),
    SOFA_REMADE(SofaHyperelastic, stale),          SOFA_REMADE(SofaHyperelastic, tetras),
    SOFA_REMADE(SofaHyperelastic, pairs.followed),
};

const SofaClass sofa_hyperelastic_class = {
    .name = "HyperelasticityFEMForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "Hyperelastic tetrahedra.",
    .base = &sofa_force_field_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .size = sizeof(SofaHyperelastic),
    SOFA_FIELDS(fields),
    .abstract = true,
    SOFA_KEEPS(kept),
    .compute_output = hyperelastic_compute,
    .reset = hyperelastic_reset,
    .init = hyperelastic_init,
    .reinit = hyperelastic_reinit,
    .destroy = hyperelastic_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}, {SOFA_ELEMENT_RESULTS, &results_ops}),
};

/* ---- operations ---- */

/* Says which element the material cannot describe. */
static SofaErr fail_element(const SofaHyperelastic *h, size_t element) {
  const SofaHyperTetra t = sofa_hyper_tetra(h->tetras, element);
  return sofa_object_fail(&h->force_field.object, SOFA_ERR_GEOMETRY,
                          "tetrahedron %zu (vertices %u %u %u %u) is flat or inverted: its volume "
                          "is %g times the one at rest, and material %s is not defined there",
                          element, t.v[0], t.v[1], t.v[2], t.v[3], sofa_mat3_det(t.f),
                          h->material->name);
}

static SofaErr hyperelastic_add_force(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *const *f) {
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  if (!h->elements.target && h->revision != h->mesh->revision) SOFA_TRY(sofa_hyperelastic_build(h));
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  h->stale = true;
  if (sofa_hyperelastic_by_batch(h)) return sofa_hyper_solid_force(h, params, at, f[0]);
  const size_t bad = sofa_hyper_force(h, at->x[0], f[0]);
  return bad < h->n ? fail_element(h, bad) : SOFA_OK;
}

/* Makes the blocks of the last force when they are not there yet. */
static SofaErr refresh(SofaHyperelastic *h) {
  if (!h->stale) return SOFA_OK;
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  if (sofa_hyperelastic_by_batch(h)) {
    SOFA_TRY(sofa_hyper_solid_blocks(h));
  } else {
    const size_t bad = sofa_hyper_blocks(h);
    if (bad < h->n) return fail_element(h, bad);
  }
  h->stale = false;
  return SOFA_OK;
}

/* Pairs of points of the blocks. */
static SofaElementPairs *pairs_of(SofaHyperelastic *h) {
  return h->elements.target ? &h->batch.pairs : &h->pairs;
}

static SofaErr hyperelastic_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, const double *const *dx,
                                       double *const *df) {
  (void)at;
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  SOFA_TRY(refresh(h));
  const bool batch = sofa_hyperelastic_by_batch(h);
  const SofaPairMatrix matrix = {.pairs = pairs_of(h),
                                 .product = h->elements.target ? &h->batch.product : &h->product,
                                 .blocks = batch ? h->batch.blocks : h->blocks,
                                 .n_points = sofa_state_size(ff->state[0])};
  return sofa_pair_product_add(ff->object.ctx, &matrix, sofa_kfactor(ff, params), dx[0], df[0]);
}

static SofaErr hyperelastic_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  SOFA_TRY(refresh(h));
  const double *blocks = sofa_hyperelastic_by_batch(h) ? h->batch.blocks : h->blocks;
  sofa_pairs_add(ff->object.ctx, pairs_of(h), &(SofaPairBlocks){.dim = 3, .blocks = blocks},
                 tangent);
  return SOFA_OK;
}

static SofaErr hyperelastic_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                             const SofaPoint *at, double *energy) {
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  if (sofa_hyperelastic_by_batch(h)) return sofa_hyper_solid_energy(h, params, at, energy);
  const size_t bad = sofa_hyper_energy(h, at->x[0], energy);
  return bad < h->n ? fail_element(h, bad) : SOFA_OK;
}

static SofaErr hyperelastic_accept(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at) {
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  if (!h->solid_material.target) return SOFA_OK;
  return sofa_hyper_solid_accept(h, params, at);
}

static bool hyperelastic_dissipated(const SofaForceField *ff, double *energy) {
  return sofa_solid_points_dissipated(&((const SofaHyperelastic *)ff)->batch, energy);
}

const SofaForceFieldOps sofa_hyperelastic_ops = {
    .add_force = hyperelastic_add_force,
    .add_dforce = hyperelastic_add_dforce,
    .add_k = hyperelastic_add_k,
    .potential_energy = hyperelastic_potential_energy,
    .accept = hyperelastic_accept,
    .dissipated = hyperelastic_dissipated,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* ---- drawing ---- */

static void hyperelastic_draw(SofaObject *object, const SofaDrawArgs *args) {
  const SofaHyperelastic *h = (const SofaHyperelastic *)object;
  if (h->elements.target) sofa_draw_field_source(h->force_field.state[0], h->elements.target, args);
  else sofa_draw_field_tetrahedra.draw(object, args);
}

const SofaDrawOps sofa_hyperelastic_draw = {.draw = hyperelastic_draw};
