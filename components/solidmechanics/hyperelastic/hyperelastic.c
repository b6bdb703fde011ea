/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of hyperelastic tetrahedra: fields, parameters, elements. The loops over the elements
 * are in hyper_elements.c. */
#include "behavior/checks.h"
#include "components/solidmechanics/hyperelastic/hyperelastic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "components/solidmechanics/hyperelastic/hyper_elements.h"
#include "math/vec.h"

enum { QUIRK_COSTA_TANGENT = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_COSTA_TANGENT, "costa-tangent",
     "the tangent of the hyperelastic material Costa has terms of wrong size",
     "test_hyperelastic.quirk"},
};

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef SofaHyperelastic SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        material_name, "materialName", "ArrudaBoyce", "",
        "strain energy density and its parameters. With C = F^T F, E = (C - I) / 2, J = det F, "
        "I1 = tr C, I2 = (I1^2 - tr C^2) / 2, I1' = J^(-2/3) I1, I2' = J^(-4/3) I2, L = ln J, and "
        "k0 "
        "the bulk modulus: "
        "ArrudaBoyce (mu k0): mu (1/2 (I1' - 3) + 1/(20 N) (I1'^2 - 9) + 11/(1050 N^2) (I1'^3 - "
        "27) "
        "+ 19/(7000 N^3) (I1'^4 - 81) + 519/(673750 N^4) (I1'^5 - 243)) + k0/2 L^2, N = "
        "chainLinks; "
        "the shear modulus at rest is mu (1 + 3/(5 N) + 99/(175 N^2) + ...), 1.085 mu for N = 8; "
        "StVenantKirchhoff (mu lambda): lambda/2 (tr E)^2 + mu tr E^2, Lame parameters; "
        "NeoHookean (mu lambda): mu/2 (I1 - 3) - mu L + lambda/2 L^2, Lame parameters at rest; "
        "MooneyRivlin (c1 c2 k0): c1 (I1' - 3) + c2 (I2' - 3) + k0/2 L^2, shear modulus "
        "2 (c1 + c2); "
        "VerondaWestman (c1 c2 k0): c1 (exp(c2 (I1' - 3)) - 1) - c1 c2/2 (I2' - 3) + k0/2 L^2, "
        "shear "
        "modulus c1 c2, c2 without a unit; "
        "Costa (a k0 bff bfs bss bfn bsn bnn): a/2 (exp Q - 1) + k0 (J L - J + 1), Q = J^(-4/3) "
        "(bff "
        "Eff^2 + 2 bfs Efs^2 + bss Ess^2 + 2 bfn Efn^2 + 2 bsn Esn^2 + bnn Enn^2), fibre f, sheet "
        "s and "
        "normal n along x, y, z; "
        "Ogden (mu1 alpha1 k0): mu1/alpha1^2 (l1^alpha1 + l2^alpha1 + l3^alpha1 - 3) + k0/2 L^2 "
        "with principal stretches li without the change of volume, shear modulus mu1/2; "
        "StableNeoHookean (mu lambda): mu/2 (I1 - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2, "
        "Lame "
        "parameters at rest",
        .options = sofa_hyper_material_names),
    SOFA_ROW(
        parameters, "ParameterSet", NULL, "Pa",
        "parameters of the material in the order of materialName's list; exponents have no unit",
        .flags = SOFA_FIELD_REQUIRED),
    SOFA_ROW(links, "chainLinks", "8", "1",
             "N of ArrudaBoyce: rigid links of a molecular chain, which locks at a stretch of "
             "sqrt(N); other materials do not use it",
             .range = SOFA_AT_LEAST(1)),
    SOFA_ROW(anisotropy, "AnisotropyDirections", NULL, "",
             "not used: the fibres of Costa lie along x, y, z", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(tetrahedron_info, "tetrahedronInfo", NULL, "",
             "bookkeeping of SOFA: nothing reads it, no effect", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(edge_info, "edgeInfo", NULL, "", "bookkeeping of SOFA: nothing reads it, no effect",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(strain, "elementStrain", NULL, "1",
             "Green strain of each element, xx yy zz xy yz zx in the axes of the rest shape",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(stress, "elementStress", NULL, "Pa",
             "Cauchy stress of each element, xx yy zz xy yz zx in the axes of the world",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the tetrahedra; default: the node's, else the nearest ancestor's",
             .link = &topology_rule),
};

/* ---- parameters ---- */

/* "2: mu (Pa, >= 0), lambda (Pa)" */
static void describe_parameters(const SofaHyperMaterial *material, char *text, size_t size) {
  size_t at = 0;
  for (size_t i = 0; i < material->n_parameters && at < size; i++) {
    const SofaHyperParameter *p = &material->parameter[i];
    at += (size_t)snprintf(text + at, size - at, "%s%s (%s%s)", i ? ", " : "", p->name,
                           strcmp(p->unit, "1") == 0 ? "no unit" : p->unit,
                           p->nonzero      ? ", not 0"
                           : p->least >= 0 ? ", at least 0"
                                           : "");
  }
}

/* Neither too few nor too many values. */
static SofaErr check_count(const SofaHyperelastic *h) {
  const SofaObject *object = &h->force_field.object;
  const SofaHyperMaterial *material = h->material;
  const size_t n = h->parameters.n, expected = material->n_parameters;
  char list[300] = "";
  if (n == expected) return SOFA_OK;
  describe_parameters(material, list, sizeof list);
  if (n < expected || !object->ctx->keep_going)
    return sofa_field_fail(object, "ParameterSet", SOFA_ERR_RANGE,
                           "%zu value%s given, but material %s takes %zu: %s", n, n == 1 ? "" : "s",
                           material->name, expected, list);
  sofa_object_message(object, SOFA_WARNING,
                      "'ParameterSet': %zu values given, but material %s takes %zu: %s. The others "
                      "are ignored",
                      n, material->name, expected, list);
  return SOFA_OK;
}

static SofaErr check_parameters(SofaHyperelastic *h) {
  const SofaObject *object = &h->force_field.object;
  SOFA_TRY(check_count(h));
  if (h->material == &sofa_arruda_boyce) h->p[SOFA_HYPER_LINKS] = h->links;
  for (size_t i = 0; i < h->material->n_parameters; i++) {
    const SofaHyperParameter *p = &h->material->parameter[i];
    const double value = h->p[i] = h->parameters.data[i];
    if (isfinite(value) && value >= p->least && !(p->nonzero && value == 0.0)) continue;
    const char *range = p->nonzero ? "not 0" : p->least >= 0 ? "at least 0" : "a finite number";
    if (!object->ctx->keep_going)
      return sofa_field_fail(object, "ParameterSet", SOFA_ERR_RANGE,
                             "%s of material %s (value %zu) is %g, expected %s", p->name,
                             h->material->name, i, value, range);
    sofa_object_message(object, SOFA_WARNING,
                        "'ParameterSet': %s of material %s (value %zu) is %g, expected %s", p->name,
                        h->material->name, i, value, range);
  }
  return SOFA_OK;
}

/* ---- elements ---- */

static void forget_pattern(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  sofa_element_pairs_free(ctx, &h->pairs);
  sofa_free(ctx, h->element_force);
  sofa_free(ctx, h->group_blocks);
  sofa_free(ctx, h->blocks);
  sofa_free(ctx, h->around_start);
  sofa_free(ctx, h->around);
  h->element_force = NULL;
  h->group_blocks = NULL;
  h->blocks = NULL;
  h->around_start = h->around = NULL;
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
    memcpy(h->tetras[e].v, v, sizeof h->tetras[e].v);
    if (make_element(p, &h->tetras[e]) != SOFA_OK)
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY,
                              "tetrahedron %zu (vertices %u %u %u %u) has no volume at rest", e,
                              v[0], v[1], v[2], v[3]);
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
    for (int k = 0; k < 6; k++) {
      const uint32_t a = h->tetras[e].v[sofa_tetra_edges[k][0]],
                     b = h->tetras[e].v[sofa_tetra_edges[k][1]];
      const uint32_t edge = sofa_topology_edge_index(h->mesh, a, b);
      if (edge < edges->n && edges->data[edge].v[0] == b) h->backwards[e] |= (uint8_t)(1 << k);
    }
  }
  return SOFA_OK;
}

static SofaErr allocate_for_threads(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  const size_t n = h->n + 1;
  if (ctx->threads < 2) return SOFA_OK;
  if (!(h->element_force = sofa_alloc(ctx, n, sizeof *h->element_force))) return SOFA_ERR_MEMORY;
  if (!(h->group_blocks = sofa_alloc(ctx, n / SOFA_LANES + 1, sizeof *h->group_blocks)))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

static SofaErr make_pattern(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  const SofaState *state = h->force_field.state[0];
  const SofaTetras *tetras = sofa_topology_tetrahedra(h->mesh);
  const size_t n = state->rest_position.n ? state->rest_position.n : state->position.n;
  const uint32_t *v = h->n ? tetras->data->v : NULL;
  forget_pattern(h);
  h->pattern_stale = true;
  SOFA_TRY(allocate_for_threads(h));
  for (size_t e = 0; e < h->n; e++) memcpy(h->tetras[e].v, v + 4 * e, 4 * sizeof *v);
  SOFA_TRY(sofa_element_pairs_create(ctx, h->n, 4, v, n, &h->pairs));
  if (!(h->blocks = sofa_alloc(ctx, 9 * h->pairs.n, sizeof *h->blocks))) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_elements_around(ctx, (SofaElements){v, h->n, 4}, n, &h->around_start, &h->around));
  h->pattern_stale = false;
  return SOFA_OK;
}

static void choose_law(SofaHyperelastic *h) {
  const bool costa = h->material == &sofa_costa;
  h->law = costa && sofa_quirk(&h->force_field.object, QUIRK_COSTA_TANGENT) ? h->costa_law
                                                                            : h->material->stress;
}

SofaErr sofa_hyperelastic_build(SofaHyperelastic *h) {
  SofaErr err = SOFA_OK;
  const SofaTetras *tetras = sofa_topology_tetrahedra(h->mesh);
  forget(h);
  choose_law(h);
  h->n = tetras->n;
  h->tetras = sofa_alloc(h->force_field.object.ctx, h->n, sizeof *h->tetras);
  if (!h->tetras) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  SOFA_GO(err, done, make_elements(h, tetras, 0));
  SOFA_GO(err, done, make_directions(h));
  SOFA_GO(err, done, make_pattern(h));
  h->revision = h->mesh->revision;
  h->stale = true;
  h->remake = false;
done:
  if (err != SOFA_OK) forget(h);
  return err;
}

/* ---- lifecycle ---- */

static SofaErr hyperelastic_init(SofaObject *object) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  h->mesh =
      h->topology.target ? (SofaTopology *)h->topology.target : sofa_node_topology(object->node);
  if (!h->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take elements from");
  h->material = sofa_hyper_material_find(h->material_name);
  if (!h->material) h->material = &sofa_arruda_boyce; // the reader reported it; keep_going is on
  SOFA_TRY(check_parameters(h));
  return sofa_check_any(object, h->mesh, SOFA_ELEMENT_TETRA, sofa_topology_tetrahedra(h->mesh)->n);
}

static SofaErr hyperelastic_reinit(SofaObject *object) {
  return sofa_hyperelastic_build((SofaHyperelastic *)object);
}

static void hyperelastic_destroy(SofaObject *object) {
  forget((SofaHyperelastic *)object);
}

/* ---- topological changes ---- */

static void remove_elements(SofaHyperelastic *h, const SofaTopologyChange *change) {
  for (size_t k = 0; k < change->n; k++) {
    const size_t id = change->ids[k], last = --h->n;
    h->tetras[id] = h->tetras[last];
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
  SofaHyperTetra *grown =
      sofa_realloc(h->force_field.object.ctx, h->tetras, tetras->n + 1, sizeof *grown);
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

static const SofaTopologyListenerOps listener = {.listen = hyperelastic_listen,
                                                 .done = hyperelastic_done};

/* ---- outputs ---- */

/* sigma = F S F^T / J, as six numbers. */
static void cauchy_stress(const SofaDeformation *x, const double *s, double *sigma) {
  static const unsigned row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  const double full[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
  for (int k = 0; k < 6; k++) {
    sigma[k] = 0;
    for (unsigned i = 0; i < 3; i++)
      for (unsigned j = 0; j < 3; j++)
        sigma[k] += x->f[3 * row[k] + i] * full[3 * i + j] * x->f[3 * column[k] + j] / x->j;
  }
}

/* An element where the material is not defined has a strain and no stress. */
static SofaErr hyperelastic_compute(SofaObject *object, const SofaField *field) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  const SofaState *state = h->force_field.state[0];
  const SofaCoords *x = &state->position;
  (void)field;
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &h->strain, h->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &h->stress, h->n));
  for (size_t e = 0; e < h->n; e++) {
    const SofaHyperTetra *t = &h->tetras[e];
    SofaDeformation d = {.f = {0}};
    double s[6];
    for (unsigned n = 0; n < 3; n++)
      for (unsigned k = 0; k < 9; k++) {
        const double *a = x->data + 3 * (size_t)t->v[0], *b = x->data + 3 * (size_t)t->v[n + 1];
        d.f[k] += (b[k / 3] - a[k / 3]) * t->s[n][k % 3];
      }
    const bool defined = sofa_deformation(h->material, &d);
    for (int k = 0; k < 6; k++) {
      h->strain.data[e].v[k] = (d.c[k] - (k < 3)) / 2;
      h->stress.data[e].v[k] = 0;
    }
    if (!defined) continue;
    h->law(h->p, &d, s, NULL);
    cauchy_stress(&d, s, h->stress.data[e].v);
  }
  sofa_field_touch_name(object, "elementStrain");
  sofa_field_touch_name(object, "elementStress");
  return SOFA_OK;
}

const SofaClass sofa_hyperelastic_class = {
    .name = "HyperelasticityFEMForceField",
    .module = "csofa",
    .category = "ForceField",
    .help = "Hyperelastic tetrahedra.",
    .base = &sofa_force_field_class,
    SOFA_QUIRKS(quirks),
    .size = sizeof(SofaHyperelastic),
    SOFA_FIELDS(fields),
    .abstract = true,
    .compute_output = hyperelastic_compute,
    .init = hyperelastic_init,
    .reinit = hyperelastic_reinit,
    .destroy = hyperelastic_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};

/* ---- operations ---- */

/* Says which element the material cannot describe. */
static SofaErr fail_element(const SofaHyperelastic *h, size_t element) {
  const SofaHyperTetra *t = &h->tetras[element];
  return sofa_object_fail(&h->force_field.object, SOFA_ERR_GEOMETRY,
                          "tetrahedron %zu (vertices %u %u %u %u) is flat or inverted: its volume "
                          "is %g times the one at rest, and material %s is not defined there",
                          element, t->v[0], t->v[1], t->v[2], t->v[3], sofa_mat3_det(t->f),
                          h->material->name);
}

static SofaErr hyperelastic_add_force(SofaForceField *ff, const SofaMechParams *params,
                                      const SofaPoint *at, double *const *f) {
  (void)params;
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  if (h->revision != h->mesh->revision) SOFA_TRY(sofa_hyperelastic_build(h));
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  const size_t bad = sofa_hyper_force(h, at->x[0], f[0]);
  h->stale = true;
  return bad < h->n ? fail_element(h, bad) : SOFA_OK;
}

/* Makes the blocks of the last force when they are not there yet. */
static SofaErr refresh(SofaHyperelastic *h) {
  if (!h->stale) return SOFA_OK;
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  const size_t bad = sofa_hyper_blocks(h);
  if (bad < h->n) return fail_element(h, bad);
  h->stale = false;
  return SOFA_OK;
}

static SofaErr hyperelastic_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, const double *const *dx,
                                       double *const *df) {
  (void)at;
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  SOFA_TRY(refresh(h));
  sofa_linear_fem_multiply(&h->pairs, h->blocks, sofa_kfactor(ff, params), dx[0], df[0]);
  return SOFA_OK;
}

static SofaErr hyperelastic_add_k(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  SOFA_TRY(refresh(h));
  sofa_linear_fem_add_blocks(&h->pairs, 0, h->pairs.n, h->blocks, tangent);
  return SOFA_OK;
}

static SofaErr hyperelastic_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                             const SofaPoint *at, double *energy) {
  (void)params;
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  if (h->pattern_stale) SOFA_TRY(make_pattern(h));
  const size_t bad = sofa_hyper_energy(h, at->x[0], energy);
  return bad < h->n ? fail_element(h, bad) : SOFA_OK;
}

const SofaForceFieldOps sofa_hyperelastic_ops = {
    .add_force = hyperelastic_add_force,
    .add_dforce = hyperelastic_add_dforce,
    .add_k = hyperelastic_add_k,
    .potential_energy = hyperelastic_potential_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};
