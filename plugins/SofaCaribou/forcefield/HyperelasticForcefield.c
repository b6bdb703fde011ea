/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HyperelasticForcefield: tetrahedra and hexahedra of a hyperelastic material. */
#include "numerics/material/solid_batch.h"
#include "material/material.h"
#include "topology/elements.h"

static const SofaQuirk quirks[] = {
    QUIRK_CARIBOU_REST_ROW,
};

typedef struct HyperelasticForcefield {
  SofaForceField force_field;
  SofaLink topology, material;
  bool threads;
  double draw_scale;
  /* resolved at init */
  CaribouMaterial *law;
  SofaSolidBatch batch; /* owned */
  bool stale;           /* its blocks are older than the last force */
} HyperelasticForcefield;

static const SofaLinkRule material_rule = {.klass = &caribou_material_class,
                                           .search = SOFA_SEARCH_NONE};

typedef HyperelasticForcefield SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(topology, "topology", NULL, "",
             "CaribouTopology or topology with the elements; default: the one of this node",
             .link = &caribou_topology_rule),
    SOFA_ROW(material, "material", NULL, "", "material; default: the one of this node",
             .link = &material_rule),
    SOFA_ROW(threads, "enable_multithreading", "0", "", "the threads of the run are used",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(draw_scale, "draw_scale", "0.85", "1", "size of drawn elements",
             .flags = SOFA_FIELD_DISPLAY),
};

static HyperelasticForcefield *self(SofaForceField *ff) {
  return (HyperelasticForcefield *)ff;
}

/* ---- lifecycle ---- */

/* The linked material, else the one of the node. */
static SofaErr find_material(HyperelasticForcefield *h) {
  const SofaObject *object = &h->force_field.object;
  const SofaObjects *objects = &object->node->objects;
  h->law = (CaribouMaterial *)h->material.target;
  for (size_t i = 0; !h->material.target && i < objects->n; i++) {
    if (!sofa_class_is_a(objects->data[i]->klass, &caribou_material_class)) continue;
    if (h->law)
      return sofa_field_fail(object, "material", SOFA_ERR_SCENE,
                             "must be given: this node has more than one material, %s and %s",
                             h->law->object.name, objects->data[i]->name);
    h->law = (CaribouMaterial *)objects->data[i];
  }
  if (h->law) return SOFA_OK;
  return sofa_field_fail(object, "material", SOFA_ERR_NOT_FOUND,
                         "must be given: this node has no material");
}

/* Deformation gradients at the positions of the moment, for a tangent before the first force. A
 * material that is not defined there is for the first force to report. */
static SofaErr deform(HyperelasticForcefield *h, const SofaSolidLaw *law) {
  SofaContext *ctx = h->force_field.object.ctx;
  const SofaState *state = h->force_field.state[0];
  double *f = sofa_alloc(ctx, 3 * sofa_state_size(state), sizeof *f);
  if (!f) return SOFA_ERR_MEMORY;
  sofa_solid_batch_force(ctx, &h->batch, law, state->position.data, f);
  sofa_free(ctx, f);
  return SOFA_OK;
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
  SOFA_TRY(caribou_material_law(h->law, &law));
  SOFA_TRY(caribou_elements(&h->force_field, &h->topology, &mesh));
  SOFA_TRY(sofa_solid_batch_create(object, &mesh, object->ctx->threads, &h->batch));
  h->stale = true;
  sofa_object_message(object, SOFA_INFO, "%zu elements with a volume of %g m^3", h->batch.n,
                      sofa_solid_batch_volume(&h->batch));
  return deform(h, &law);
}

static void destroy(SofaObject *object) {
  sofa_solid_batch_free(object->ctx, &((HyperelasticForcefield *)object)->batch);
}

/* ---- operations ---- */

/* Says which element the material cannot describe. */
static SofaErr check(const HyperelasticForcefield *h, size_t bad) {
  if (bad >= h->batch.n) return SOFA_OK;
  return sofa_object_fail(&h->force_field.object, SOFA_ERR_GEOMETRY,
                          "element %zu is flat or inverted: its volume is %g times the one at "
                          "rest somewhere, and the material %s is not defined there",
                          bad, sofa_solid_batch_least_det(&h->batch, bad),
                          h->law->object.klass->name);
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                         double *const *f) {
  HyperelasticForcefield *h = self(ff);
  SofaSolidLaw law;
  (void)params;
  SOFA_TRY(caribou_material_law(h->law, &law));
  h->stale = true;
  return check(h, sofa_solid_batch_force(ff->object.ctx, &h->batch, &law, at->x[0], f[0]));
}

/* Makes the blocks of the last force when they are not there yet. */
static SofaErr refresh(HyperelasticForcefield *h) {
  SofaSolidLaw law;
  if (!h->stale) return SOFA_OK;
  SOFA_TRY(caribou_material_law(h->law, &law));
  SOFA_TRY(check(h, sofa_solid_batch_blocks(h->force_field.object.ctx, &h->batch, &law)));
  h->stale = false;
  return SOFA_OK;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  (void)at;
  HyperelasticForcefield *h = self(ff);
  SOFA_TRY(refresh(h));
  sofa_linear_fem_multiply(&h->batch.pairs, h->batch.blocks, sofa_kfactor(ff, params), dx[0],
                           df[0]);
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                     const SofaTangent *tangent) {
  HyperelasticForcefield *h = self(ff);
  (void)params, (void)at;
  SOFA_TRY(refresh(h));
  sofa_linear_fem_add_blocks(&h->batch.pairs, 0, h->batch.pairs.n, h->batch.blocks, tangent);
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  const HyperelasticForcefield *h = self(ff);
  SofaSolidLaw law;
  (void)params;
  SOFA_TRY(caribou_material_law(h->law, &law));
  return check(h, sofa_solid_batch_energy(&h->batch, &law, at->x[0], energy));
}

static const SofaForceFieldOps ops = {
    .add_force = add_force,
    .add_dforce = add_dforce,
    .add_k = add_k,
    .potential_energy = potential_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

SOFA_CLASS(HyperelasticForcefield) = {
    .name = "HyperelasticForcefield",
    .category = "ForceField",
    .help = "Finite elements of a hyperelastic material. The template names the kind of element.",
    .base = &sofa_force_field_class,
    SOFA_QUIRKS(quirks),
    .size = sizeof(HyperelasticForcefield),
    SOFA_FIELDS(fields),
    CARIBOU_SOLID_MEMBERS,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &caribou_solid_listener}),
};
