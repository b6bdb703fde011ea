/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedronDiffusionFEMForceField: diffusion of numbers through linear tetrahedra, f = -K x with
 * K_kl = sum of D V g_k . g_l. */
#include <math.h>
#include <string.h>
#include "behavior/checks.h"
#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "numerics/mass/mass_matrix.h"
#include "math/vec.h"

enum { QUIRK_DIFFUSION_DIRECTION = 1, QUIRK_DIFFUSION_MATRIX = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_DIFFUSION_DIRECTION, "diffusion-direction",
     "TetrahedronDiffusionFEMForceField weighs directions of anisotropy by their length",
     "test_diffusion.has_directions"},
    {QUIRK_DIFFUSION_MATRIX, "diffusion-matrix",
     "TetrahedronDiffusionFEMForceField assembles the first number of each point only",
     "test_diffusion.fades"},
};

/* Direction of a tetrahedron from its entry, whose length is not 0. */
typedef void (*Direction)(const double *entry, double *direction);

typedef struct Diffusion {
  SofaForceField force_field;
  double constant, anisotropy;
  SofaReals by_tetra;
  SofaVec3s direction;
  char *tag;
  bool draw_conductivity;
  SofaLink topology;
  SofaTopology *mesh;
  uint32_t revision; /* of the topology that k was made of */
  size_t width;      /* numbers per point */
  Direction direction_of;
  bool first_only;  /* quirk: the assembled matrix knows the first of them only */
  SofaMassMatrix k; /* the same for each of them */
} Diffusion;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef Diffusion SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(constant, "constantDiffusionCoefficient", "1", "m^2/s",
             "coefficient of all tetrahedra; times the volume of mass if there is a mass",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(by_tetra, "tetraDiffusionCoefficient", NULL, "m^2/s",
             "coefficient of each tetrahedron, instead of the one for all",
             .range = SOFA_FINITE_AT_LEAST(0),
             SOFA_PER(SOFA_ELEMENT_TETRA, .inserted = SOFA_INSERTED_NOTHING,
                      .lengths = SOFA_LENGTH_NONE | SOFA_LENGTH_ALL)),
    SOFA_ROW(anisotropy, "anisotropyRatio", "1", "1",
             "coefficient along transverseAnisotropyArray by that across",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(direction, "transverseAnisotropyArray", NULL, "",
             "direction in each tetrahedron; without, all are alike", .range = SOFA_DIRECTION,
             SOFA_PER(SOFA_ELEMENT_TETRA, .inserted = SOFA_INSERTED_NOTHING,
                      .lengths = SOFA_LENGTH_NONE | SOFA_LENGTH_ALL)),
    SOFA_ROW(tag, "tagMechanics", "meca", "",
             "tag of the state (Vec3) with the places of the points, in this node or above"),
    SOFA_ROW(draw_conductivity, "drawConduc", "0", "", "draw the coefficients",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with the tetrahedra; default: the node's, else the nearest ancestor's",
             .link = &topology_rule),
};

/* ---- setup ---- */

static bool has_tag(const SofaObject *object, const char *tag) {
  const SofaStrings *words = &object->tags.words;
  for (size_t i = 0; i < words->n; i++)
    if (strcmp(words->data[i], tag) == 0) return true;
  return false;
}

/* The nearest state of points with the tag. */
static const SofaState *find_places(const Diffusion *d) {
  for (const SofaNode *node = d->force_field.object.node; node; node = sofa_node_parent(node))
    for (size_t i = 0; i < node->objects.n; i++) {
      const SofaObject *object = node->objects.data[i];
      if (sofa_implements(object, SOFA_MECHANICAL_STATE) && object->kind == SOFA_VEC3 &&
          has_tag(object, d->tag ? d->tag : ""))
        return (const SofaState *)object;
    }
  return NULL;
}

/* g_k . (g_l + (r - 1) a (a . g_l)) */
static double product(const double *k, const double *l, const double *a, double more) {
  return sofa_vec3_dot(k, l) + (a ? more * sofa_vec3_dot(k, a) * sofa_vec3_dot(l, a) : 0);
}

/* SOFA takes the entry as long as it is. */
static void unit(const double *entry, double *direction) {
  sofa_vec3_scale(1 / sofa_vec3_norm(entry), entry, direction);
}

static SofaErr element_matrix(const Diffusion *d, size_t e, const double *p, double *k) {
  double edges[9], inverse[9], det, g[4][3], direction[3];
  const double *a = NULL;
  for (int n = 0; n < 3; n++) sofa_vec3_sub(p + 3 * (n + 1), p, edges + 3 * n);
  if (!sofa_mat3_inverse(edges, inverse, &det) || !isfinite(det))
    return sofa_object_fail(&d->force_field.object, SOFA_ERR_GEOMETRY,
                            "tetrahedron %zu has no volume", e);
  for (int i = 0; i < 3; i++) {
    g[0][i] = 0;
    for (int n = 0; n < 3; n++) {
      g[n + 1][i] = inverse[3 * i + n];
      g[0][i] -= inverse[3 * i + n];
    }
  }
  if (d->direction.n) {
    d->direction_of(d->direction.data[e].v, direction);
    a = direction;
  }
  const double coefficient = (d->by_tetra.n ? d->by_tetra.data[e] : d->constant) * fabs(det) / 6;
  for (int i = 0; i < 16; i++)
    k[i] = coefficient * product(g[i / 4], g[i % 4], a, d->anisotropy - 1);
  return SOFA_OK;
}

/* At rest, where the state knows that: changes of the mesh must not see what has moved since. */
static SofaErr add_elements(Diffusion *d, const SofaTetras *tetras, const SofaState *places) {
  const SofaCoords *at =
      places->rest_position.n == places->position.n ? &places->rest_position : &places->position;
  for (size_t e = 0; e < tetras->n; e++) {
    double p[12], k[16];
    for (int n = 0; n < 4; n++)
      sofa_vec3_copy(at->data + 3 * (size_t)tetras->data[e].v[n], p + 3 * n);
    SOFA_TRY(element_matrix(d, e, p, k));
    sofa_mass_matrix_add(&d->k, e, k);
  }
  return SOFA_OK;
}

static SofaErr build(Diffusion *d) {
  SofaObject *object = &d->force_field.object;
  sofa_object_changed(object);
  const size_t n = d->force_field.state[0]->position.n;
  const SofaTetras *tetras = sofa_topology_tetrahedra(d->mesh);
  const SofaState *places = find_places(d);
  if (!places)
    return sofa_field_fail(object, "tagMechanics", SOFA_ERR_NOT_FOUND,
                           "no state of template Vec3 in this node or above has the tag '%s'",
                           d->tag ? d->tag : "");
  const SofaElements elements = sofa_mesh_elements(&d->mesh->mesh, SOFA_ELEMENT_TETRA);
  const size_t n_places = places->position.n;
  SOFA_TRY(sofa_check_elements(object, SOFA_ELEMENT_TETRA, elements, n < n_places ? n : n_places));
  sofa_mass_matrix_free(object->ctx, &d->k);
  SOFA_TRY(sofa_mass_matrix_create(object->ctx, tetras->n, 4, tetras->n ? tetras->data->v : NULL, n,
                                   &d->k));
  SOFA_TRY(add_elements(d, tetras, places));
  d->revision = d->mesh->revision;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  Diffusion *d = (Diffusion *)object;
  d->mesh =
      d->topology.target ? (SofaTopology *)d->topology.target : sofa_node_topology(object->node);
  if (!d->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no topology in this node or above to take elements from");
  d->width = sofa_state_kind_info(object->kind)->deriv;
  d->direction_of = sofa_quirk(object, QUIRK_DIFFUSION_DIRECTION) ? sofa_vec3_copy : unit;
  d->first_only = d->width > 1 && sofa_quirk(object, QUIRK_DIFFUSION_MATRIX);
  d->force_field.partial_tangent |= d->first_only;
  return build(d);
}

static void destroy(SofaObject *object) {
  sofa_mass_matrix_free(object->ctx, &((Diffusion *)object)->k);
}

/* ---- forces ---- */

static void multiply(const Diffusion *d, double factor, const double *x, double *f) {
  sofa_mass_matrix_multiply(&d->k, d->force_field.object.ctx, d->width, x, f, factor);
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *f) {
  Diffusion *d = (Diffusion *)ff;
  (void)params;
  if (d->revision != d->mesh->revision) SOFA_TRY(build(d));
  multiply(d, -1, at->x[0], f[0]);
  return SOFA_OK;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  (void)at;
  multiply((const Diffusion *)ff, -sofa_kfactor(ff, params), dx[0], df[0]);
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  const Diffusion *d = (const Diffusion *)ff;
  (void)params, (void)at;
  for (uint32_t i = 0; i < d->k.n; i++)
    for (uint32_t k = d->k.start[i]; k < d->k.start[i + 1]; k++) {
      double block[9] = {0};
      for (size_t c = 0; c < (d->first_only ? 1 : d->width); c++)
        block[c * (d->width + 1)] = -d->k.value[k];
      sofa_tangent_add(tangent, 0, i, 0, d->k.column[k], block);
    }
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const Diffusion *d = (const Diffusion *)ff;
  (void)params;
  *energy = sofa_mass_matrix_kinetic(&d->k, d->width, at->x[0]);
  return SOFA_OK;
}

/* The force is linear. */
static bool constant_tangent(const SofaForceField *ff) {
  (void)ff;
  return true;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = add_force,
    .add_dforce = add_dforce,
    .add_k = add_k,
    .potential_energy = potential_energy,
    .tangent_is_dforce = true,
    .constant_tangent = constant_tangent,
};

/* ---- topological changes ---- */

/* Inserted tetrahedra have the coefficient for all, and the first direction. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  Diffusion *d = (Diffusion *)object;
  if (change->kind != SOFA_CHANGE_ADD || !sofa_change_of(change, d->mesh, SOFA_ELEMENT_TETRA))
    return SOFA_OK;
  const bool directed = d->direction.n > 0;
  const SofaVec3 first = directed ? d->direction.data[0] : (SofaVec3){{0}};
  for (size_t i = d->by_tetra.n; i && i < change->n_before + change->n; i++)
    SOFA_TRY(SOFA_APPEND(object->ctx, &d->by_tetra, &d->constant));
  for (size_t i = 0; directed && i < change->n; i++)
    SOFA_TRY(SOFA_APPEND(object->ctx, &d->direction, &first));
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen, .done = sofa_listen_reinit};

/* A point in the middle of each tetrahedron, from blue (no diffusion) to red (the greatest). */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const Diffusion *d = (const Diffusion *)object;
  const SofaState *places = d->draw_conductivity ? find_places(d) : NULL;
  double most = 0;
  if (!places || !d->mesh || !sofa_display_shows(args->flags, SOFA_DISPLAY_FORCE_FIELDS)) return;
  const SofaTetras *tetras = sofa_topology_tetrahedra(d->mesh);
  const bool own = d->by_tetra.n == tetras->n;
  for (size_t t = 0; t < tetras->n && own; t++)
    if (d->by_tetra.data[t] > most) most = d->by_tetra.data[t];
  for (size_t t = 0; t < tetras->n; t++) {
    double middle[3] = {0, 0, 0}, p[3];
    bool good = true;
    for (int k = 0; k < 4 && good; k++) {
      good = tetras->data[t].v[k] < places->position.n;
      if (!good) break;
      sofa_state_point(places, tetras->data[t].v[k], p);
      sofa_vec3_axpy(0.25, p, middle);
    }
    const double part = own && most > 0 ? d->by_tetra.data[t] / most : 1;
    if (good) sofa_draw_point(args->list, middle, 5, SOFA_RGB(part, 0, 1 - part));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec1d", "Vec2d", "Vec3d", NULL};

SOFA_CLASS(TetrahedronDiffusionFEMForceField) = {
    .name = "TetrahedronDiffusionFEMForceField",
    .module = "Sofa.Component.Diffusion",
    .category = "ForceField",
    .help = "Diffusion, of heat for example, through tetrahedra: the positions of its state are "
            "the diffusing quantity, and a solver of first order moves them.",
    .equations = "f_i = -sum_j K_{ij} T_j, K_{ij} = int k grad N_i . grad N_j dV",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_QUIRKS(quirks),
    .size = sizeof(Diffusion),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
    .reinit = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
