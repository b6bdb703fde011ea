/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HyperelasticForcefield: solid elements of a hyperelastic material. */
#include <math.h>
#include <string.h>

#include "numerics/fem/pair_assembly.h"
#include "numerics/material/solid_fields.h"
#include "object/checkpoint.h"
#include "topology/elements.h"

enum { QUIRK_CARIBOU_REDUCED = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_CARIBOU_REDUCED, "caribou-reduced",
     "HyperelasticForcefield integrates hexahedra of 20 nodes with 8 points",
     "test_caribou_quadratic.reduced"},
    QUIRK_CARIBOU_REST_ROW,
};

SOFA_LIST(SofaRgba, Colors);

typedef struct HyperelasticForcefield {
  SofaForceField force_field;
  SofaLink topology, material;
  bool threads;
  double draw_scale;
  bool draw_stress;
  SofaOption dilatation;      /* SofaDilatation */
  SofaElementResults results; /* outputs */
  double dissipated;          /* likewise, J */
  SofaSolidSource source;     /* of the results */
  CaribouCorners corners;     /* of the elements, for drawing */
  Colors colors;              /* of the drawn elements */
  /* resolved at init */
  SofaObject *law;      /* with SOFA_SOLID_MATERIAL */
  SofaSolidBatch batch; /* owned */
  bool stale;           /* its blocks are older than the last force */
} HyperelasticForcefield;

static const SofaLinkRule material_rule = {.interface = SOFA_SOLID_MATERIAL,
                                           .search = SOFA_SEARCH_NONE};

typedef HyperelasticForcefield SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(topology, "topology", NULL, "",
             "CaribouTopology or topology with the elements; default: the one of this node",
             .link = &caribou_topology_rule),
    SOFA_ROW(material, "material", NULL, "", "material; default: the one of this node",
             .link = &material_rule),
    SOFA_SOLID_DILATATION_ROW(dilatation, ""),
    SOFA_ROW(threads, "enable_multithreading", "0", "", "the threads of the run are used",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(draw_scale, "draw_scale", "0.85", "1", "size of drawn elements",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(draw_stress, "showVonMisesStressPerElement", "0", "",
             "draw the elements in the colours of their stress (addition of csofa)",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_SOLID_RESULT_ROWS(HyperelasticForcefield),
};

static HyperelasticForcefield *self(SofaForceField *ff) {
  return (HyperelasticForcefield *)ff;
}

/* ---- lifecycle ---- */

/* The linked material, else the one of the node. */
static SofaErr find_material(HyperelasticForcefield *h) {
  const SofaObject *object = &h->force_field.object;
  const SofaObjects *objects = &object->node->objects;
  h->law = h->material.target;
  for (size_t i = 0; !h->material.target && i < objects->n; i++) {
    if (!sofa_implements(objects->data[i], SOFA_SOLID_MATERIAL)) continue;
    if (h->law)
      return sofa_field_fail(object, "material", SOFA_ERR_SCENE,
                             "must be given: this node has more than one material, %s and %s",
                             h->law->name, objects->data[i]->name);
    h->law = objects->data[i];
  }
  if (h->law) return SOFA_OK;
  return sofa_field_fail(object, "material", SOFA_ERR_NOT_FOUND,
                         "must be given: this node has no material");
}

/* The law at `time` after a step dt. */
static SofaErr law_at(const HyperelasticForcefield *h, double dt, double time, SofaSolidLaw *law) {
  return sofa_solid_points_law(h->law, &h->batch, dt, time, law);
}

static SofaErr init(SofaObject *object) {
  HyperelasticForcefield *h = (HyperelasticForcefield *)object;
  SofaElementMesh mesh;
  SofaSolidLaw law;
  sofa_solid_batch_free(object->ctx, &h->batch);
  if (h->force_field.state[0]->object.kind != SOFA_VEC3)
    return sofa_object_fail(object, SOFA_ERR_TYPE, "the state is of kind %s, not Vec3d",
                            sofa_state_kind_info(h->force_field.state[0]->object.kind)->name);
  SOFA_TRY(find_material(h));
  SOFA_TRY(sofa_solid_material_law(h->law, &law));
  SOFA_TRY(caribou_elements(&h->force_field, &h->topology, &mesh));
  mesh.reduced = sofa_quirk(object, QUIRK_CARIBOU_REDUCED);
  mesh.dilatation = (SofaDilatation)h->dilatation.index;
  SOFA_TRY(sofa_solid_check_dilatation(object, &mesh, &law, h->law->klass->name));
  SOFA_TRY(sofa_solid_batch_create(object, &mesh, object->ctx->threads, &h->batch));
  SOFA_TRY(sofa_solid_points_create(object->ctx, &law, &h->batch));
  SOFA_TRY(law_at(h, 0, 0, &law)); // checks that its values fit the elements
  SOFA_TRY(caribou_corners(object->ctx, &mesh, &h->corners));
  h->stale = true;
  h->force_field.kept_point = 0;
  sofa_object_message(object, SOFA_INFO, "%zu elements with a volume of %g m^3", h->batch.n,
                      sofa_solid_batch_volume(&h->batch));
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  HyperelasticForcefield *h = (HyperelasticForcefield *)object;
  sofa_solid_batch_free(object->ctx, &h->batch);
  sofa_element_results_free(object->ctx, &h->results);
  sofa_list_free(object->ctx, &h->corners.list);
  sofa_list_free(object->ctx, &h->colors);
}

static SofaErr reset(SofaObject *object) {
  HyperelasticForcefield *h = (HyperelasticForcefield *)object;
  sofa_solid_points_reset(&h->batch);
  h->force_field.kept_point = 0;
  return SOFA_OK;
}

/* ---- stress ---- */

static SofaErr result_elements(SofaForceField *ff, SofaResultElements *out) {
  HyperelasticForcefield *h = (HyperelasticForcefield *)ff;
  const SofaState *state = ff->state[0];
  out->n = 0;
  if (!h->batch.n) return SOFA_OK;
  h->source = (SofaSolidSource){.batch = &h->batch,
                                .x = state->position.data,
                                .rest = state->rest_position.n ? state->rest_position.data
                                                               : state->position.data};
  SOFA_TRY(law_at(h, 0, ff->object.node->time, &h->source.law));
  h->dissipated = h->batch.dissipated;
  sofa_solid_result_elements(&h->source, sofa_state_size(state), out);
  return SOFA_OK;
}

static const SofaElementResultsOps results_ops = {.elements = result_elements};

static SofaErr compute_output(SofaObject *object, const SofaField *field) {
  return sofa_element_results_output(object, field, &((HyperelasticForcefield *)object)->results);
}

/* ---- drawing ---- */

/* From blue over green to yellow, with a brightness that grows (viridis at five places). */
static SofaRgba color_at(double t) {
  static const float map[5][3] = {{0.267f, 0.005f, 0.329f},
                                  {0.229f, 0.322f, 0.546f},
                                  {0.128f, 0.567f, 0.551f},
                                  {0.369f, 0.789f, 0.383f},
                                  {0.993f, 0.906f, 0.144f}};
  if (!(t >= 0)) return SOFA_RGB(0, 0, 0); // not a number
  const double at = 4 * fmin(t, 1);
  const int i = at < 3 ? (int)at : 3;
  const float s = (float)(at - i);
  SofaRgba c = SOFA_RGB(0, 0, 0);
  for (int k = 0; k < 3; k++) c.v[k] = (1 - s) * map[i][k] + s * map[i + 1][k];
  return c;
}

static SofaErr color_elements(HyperelasticForcefield *h) {
  double low = INFINITY, high = -INFINITY;
  SofaResultElements now;
  SOFA_TRY(result_elements(&h->force_field, &now));
  SOFA_TRY(sofa_element_results_compute(h->force_field.object.ctx, &now, false, &h->results));
  SOFA_TRY(SOFA_RESIZE(h->force_field.object.ctx, &h->colors, h->batch.n));
  for (size_t e = 0; e < h->batch.n; e++) {
    low = fmin(low, h->results.element_mises.data[e]);
    high = fmax(high, h->results.element_mises.data[e]);
  }
  for (size_t e = 0; e < h->batch.n; e++)
    h->colors.data[e] =
        color_at(high > low ? (h->results.element_mises.data[e] - low) / (high - low) : 0.5);
  return SOFA_OK;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  HyperelasticForcefield *h = (HyperelasticForcefield *)object;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)h->force_field.state)) return;
  const bool colored = h->draw_stress && color_elements(h) == SOFA_OK;
  caribou_draw_elements(args, &(CaribouDrawing){.state = h->force_field.state[0],
                                                .corners = &h->corners,
                                                .scale = h->draw_scale,
                                                .colors = colored ? h->colors.data : NULL});
}

static SofaElements elements(const SofaObject *object, SofaElementKind *kind) {
  return caribou_source(&((const HyperelasticForcefield *)object)->corners, kind);
}

static const SofaDrawOps draw_ops = {.draw = draw};
static const SofaElementSourceOps source_ops = {.elements = elements};

/* ---- operations ---- */

/* Says which element the material cannot describe. */
static SofaErr check(const HyperelasticForcefield *h, size_t bad) {
  if (bad >= h->batch.n) return SOFA_OK;
  return sofa_object_fail(&h->force_field.object, SOFA_ERR_GEOMETRY,
                          "element %zu is flat or inverted: its volume is %g times the one at "
                          "rest somewhere, and the material %s is not defined there",
                          bad, sofa_solid_batch_least_det(&h->batch, bad), h->law->klass->name);
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *f) {
  HyperelasticForcefield *h = self(ff);
  SofaSolidLaw law;
  SOFA_TRY(law_at(h, params->dt, at->time, &law));
  h->stale = true;
  return check(h, sofa_solid_batch_force(ff->object.ctx, &h->batch, &law, at->x[0], f[0]));
}

/* Makes the blocks of the last force when they are not there yet. */
static SofaErr refresh(HyperelasticForcefield *h) {
  SofaSolidLaw law;
  if (!h->stale) return SOFA_OK;
  SOFA_TRY(law_at(h, 0, 0, &law));
  SOFA_TRY(check(h, sofa_solid_batch_blocks(h->force_field.object.ctx, &h->batch, &law)));
  h->stale = false;
  return SOFA_OK;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  (void)at;
  HyperelasticForcefield *h = self(ff);
  SOFA_TRY(refresh(h));
  const SofaPairMatrix matrix = {&h->batch.pairs, &h->batch.product, h->batch.blocks,
                                 h->batch.n_points};
  return sofa_pair_product_add(ff->object.ctx, &matrix, sofa_kfactor(ff, params), dx[0], df[0]);
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  HyperelasticForcefield *h = self(ff);
  (void)params, (void)at;
  SOFA_TRY(refresh(h));
  sofa_pairs_add(ff->object.ctx, &h->batch.pairs,
                 &(SofaPairBlocks){.dim = 3, .blocks = h->batch.blocks}, tangent);
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const HyperelasticForcefield *h = self(ff);
  SofaSolidLaw law;
  SOFA_TRY(law_at(h, params->dt, at->time, &law));
  return check(h, sofa_solid_batch_energy(&h->batch, &law, at->x[0], energy));
}

static SofaErr accept(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at) {
  HyperelasticForcefield *h = self(ff);
  SofaSolidLaw law;
  SOFA_TRY(law_at(h, params->dt, at->time, &law));
  return check(h, sofa_solid_points_accept(ff->object.ctx, &h->batch, &law, at->x[0]));
}

static bool dissipated(const SofaForceField *ff, double *energy) {
  return sofa_solid_points_dissipated(&((const HyperelasticForcefield *)ff)->batch, energy);
}

static const SofaForceFieldOps ops = {
    .add_force = add_force,
    .add_dforce = add_dforce,
    .add_k = add_k,
    .potential_energy = potential_energy,
    .accept = accept,
    .dissipated = dissipated,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_BLOCK(HyperelasticForcefield, batch.history, batch.n_history),
    SOFA_KEEP(HyperelasticForcefield, batch.dissipated),
};

/* Elements with a history stay those that they are. */
static bool can_listen(const SofaObject *object, const char **why) {
  const HyperelasticForcefield *h = (const HyperelasticForcefield *)object;
  *why = "is about to change, and its elements have a history, which is not supported yet";
  return !h->batch.n_history && caribou_can_listen(object, why);
}

static const SofaTopologyListenerOps listener = {.done = sofa_listen_reinit,
                                                 .can_listen = can_listen};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(HyperelasticForcefield, batch.f),
    SOFA_REMADE(HyperelasticForcefield, batch.blocks),
    SOFA_REMADE(HyperelasticForcefield, batch.corners),
    SOFA_REMADE(HyperelasticForcefield, batch.work),
    SOFA_REMADE(HyperelasticForcefield, batch.dt),
    SOFA_REMADE(HyperelasticForcefield, batch.time),
    SOFA_REMADE(HyperelasticForcefield, stale),
    SOFA_REMADE(HyperelasticForcefield, batch.pairs.followed),
};

SOFA_CLASS(HyperelasticForcefield) = {
    .name = "HyperelasticForcefield",
    .category = "ForceField",
    .help = "Finite elements of a hyperelastic material. The template names the kind of element.",
    .equations = "F = sum_n x_n g_n^T, C = F^T F, E = 1/2 (C - I), J = det F\n"
                 "f_n = -sum_q w_q F S g_n, S = dW/dE\n"
                 "\"x_n, g_n: positions of the nodes, gradients of the shape functions; w_q: "
                 "weights of quadrature\"",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .size = sizeof(HyperelasticForcefield),
    SOFA_FIELDS(fields),
    CARIBOU_SOLID_MEMBERS,
    .reset = reset,
    SOFA_KEEPS(kept),
    .compute_output = compute_output,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}, {SOFA_ELEMENT_SOURCE, &source_ops},
                    {SOFA_ELEMENT_RESULTS, &results_ops}),
};
