/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic tetrahedra of a linked material, and the outputs of all. */
#include "components/solidmechanics/hyperelastic/hyper_solid.h"

#include "numerics/fem/element_mesh.h"

/* The linked material's law at `time` after a step dt, or the energy of the fields. */
static SofaErr law_at(const SofaHyperelastic *h, double dt, double time, SofaSolidLaw *law) {
  if (h->solid_material.target)
    return sofa_solid_points_law(h->solid_material.target, &h->batch, dt, time, law);
  *law = (SofaSolidLaw){.material = h->material};
  sofa_copy(law->p, h->p, sizeof law->p);
  return SOFA_OK;
}

static SofaErr check(const SofaHyperelastic *h, size_t bad) {
  const SofaObject *material = h->solid_material.target;
  if (bad >= h->batch.n) return SOFA_OK;
  if (h->elements.target)
    return sofa_object_fail(&h->force_field.object, SOFA_ERR_GEOMETRY,
                            "element %zu is flat or inverted: its volume is %g times the one at "
                            "rest somewhere, and material %s is not defined there",
                            bad, sofa_solid_batch_least_det(&h->batch, bad),
                            material ? material->name : h->material->name);
  const SofaHyperTetra t = sofa_hyper_tetra(h->tetras, bad);
  const uint32_t *v = t.v;
  return sofa_object_fail(&h->force_field.object, SOFA_ERR_GEOMETRY,
                          "tetrahedron %zu (vertices %u %u %u %u) is flat or inverted: its volume "
                          "is %g times the one at rest, and material %s is not defined there",
                          bad, v[0], v[1], v[2], v[3], sofa_solid_batch_least_det(&h->batch, bad),
                          material->name);
}

SofaErr sofa_hyper_solid_make(SofaHyperelastic *h) {
  const SofaObject *object = &h->force_field.object;
  SofaElementMesh mesh;
  SofaSolidLaw law;
  const SofaObject *source = h->elements.target;
  const SofaState *state = h->force_field.state[0];
  if (h->batch.n || (!h->n && !source)) return SOFA_OK;
  if (source) SOFA_TRY(sofa_element_source_mesh(object, source, SOFA_N_SHAPES, state, &mesh));
  else SOFA_TRY(sofa_element_mesh(object, h->mesh, SOFA_SHAPE_TETRA, state, &mesh));
  mesh.dilatation = (SofaDilatation)h->dilatation.index;
  if (h->solid_material.target) SOFA_TRY(sofa_solid_material_law(h->solid_material.target, &law));
  else SOFA_TRY(law_at(h, 0, 0, &law));
  SOFA_TRY(sofa_solid_check_dilatation(
      object, &mesh, &law,
      h->solid_material.target ? h->solid_material.target->klass->name : law.material->name));
  SOFA_TRY(sofa_solid_batch_create(object, &mesh, object->ctx->threads, &h->batch));
  if (!sofa_hyperelastic_by_batch(h)) return SOFA_OK;
  SOFA_TRY(sofa_solid_points_create(object->ctx, &law, &h->batch));
  return law_at(h, 0, 0, &law); // checks that its values fit the elements
}

void sofa_hyper_solid_forget(SofaHyperelastic *h) {
  sofa_solid_batch_free(h->force_field.object.ctx, &h->batch);
}

SofaErr sofa_hyper_solid_results(SofaForceField *ff, SofaResultElements *out) {
  SofaHyperelastic *h = (SofaHyperelastic *)ff;
  const SofaState *state = ff->state[0];
  out->n = 0;
  SOFA_TRY(sofa_hyper_solid_make(h));
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

SofaErr sofa_hyper_solid_force(SofaHyperelastic *h, const SofaMechParams *params,
                               const SofaPoint *at, double *f) {
  SofaContext *ctx = h->force_field.object.ctx;
  SofaSolidLaw law;
  SOFA_TRY(sofa_hyper_solid_make(h));
  SOFA_TRY(law_at(h, params->dt, at->time, &law));
  return check(h, sofa_solid_batch_force(ctx, &h->batch, &law, at->x[0], f));
}

SofaErr sofa_hyper_solid_blocks(SofaHyperelastic *h) {
  SofaSolidLaw law;
  SOFA_TRY(law_at(h, 0, 0, &law));
  return check(h, sofa_solid_batch_blocks(h->force_field.object.ctx, &h->batch, &law));
}

SofaErr sofa_hyper_solid_energy(SofaHyperelastic *h, const SofaMechParams *params,
                                const SofaPoint *at, double *energy) {
  SofaSolidLaw law;
  SOFA_TRY(sofa_hyper_solid_make(h));
  SOFA_TRY(law_at(h, params->dt, at->time, &law));
  return check(h, sofa_solid_batch_energy(&h->batch, &law, at->x[0], energy));
}

SofaErr sofa_hyper_solid_accept(SofaHyperelastic *h, const SofaMechParams *params,
                                const SofaPoint *at) {
  SofaContext *ctx = h->force_field.object.ctx;
  SofaSolidLaw law;
  SOFA_TRY(sofa_hyper_solid_make(h));
  SOFA_TRY(law_at(h, params->dt, at->time, &law));
  return check(h, sofa_solid_points_accept(ctx, &h->batch, &law, at->x[0]));
}
