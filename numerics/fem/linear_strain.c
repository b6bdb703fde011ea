/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strain and stress of linear elements, computed when they are read. */
#include <math.h>
#include <string.h>

#include "numerics/fem/linear_fem.h"
#include "numerics/fem/strain_sample.h"

/* The law of the element's forces. */
static void stress_of(const void *law, size_t e, const double *strain, double *stress) {
  const SofaLinearFem *fem = law;
  if (fem->stress_of) {
    fem->stress_of(fem, e, strain, stress);
    return;
  }
  const double *stiffness = NULL, *mass = NULL;
  const SofaReals *f = fem->factors;
  double factor = f && f->n ? f->data[e * f->n / fem->result_mesh.n] : 1;
  if (fem->graded && sofa_topology_factors(fem->mesh, &stiffness, &mass)) factor *= stiffness[e];
  sofa_isotropic_stress(factor * sofa_linear_fem_young(fem, e), sofa_linear_fem_poisson(fem, e),
                        fem->law_dim ? fem->law_dim : 3,
                        sofa_shape_info(fem->result_mesh.shape)->dim, strain, stress);
}

static const uint32_t *vertices_of(const SofaLinearFem *fem, size_t e) {
  return (const void *)((const char *)fem->result_mesh.vertices + fem->result_stride * e);
}

static void sample(const void *source, size_t i, SofaElementSample *out) {
  const SofaLinearFem *fem = source;
  const SofaElementMesh *mesh = &fem->result_mesh;
  const SofaState *state = fem->force_field.state[0];
  const uint32_t *v = vertices_of(fem, i);
  SofaStrainElement e = {.shape = mesh->shape,
                         .dim = mesh->dim,
                         .fixed_frame = fem->fixed_frame,
                         .across = fem->strains_across,
                         .rule = SOFA_RULE_STIFFNESS,
                         .stress = stress_of,
                         .law = fem,
                         .element = i};
  for (unsigned k = 0; k < sofa_shape_info(mesh->shape)->n_nodes; k++) {
    out->v[k] = v[k];
    for (unsigned c = 0; c < mesh->dim; c++) {
      e.rest[3 * k + c] = mesh->rest[(size_t)fem->rest_width * v[k] + c];
      e.now[3 * k + c] = state->position.data[(size_t)state->position.width * v[k] + c];
    }
  }
  if (fem->rest_of) fem->rest_of(fem, i, e.rest);
  const unsigned n = sofa_strain_sample(&e, out);
  out->energy = fem->energy_of ? fem->energy_of(fem, i) : NAN;
  if (fem->pressure_of) fem->pressure_of(fem, i, n, out);
}

/* ---- elements ---- */

/* Elements of the topology, or the own ones. */
static SofaErr find_mesh(SofaLinearFem *fem, const SofaState *state) {
  const SofaCoords *rest = state->rest_position.n ? &state->rest_position : &state->position;
  SofaElementMesh *mesh = &fem->result_mesh;
  fem->result_stride = fem->split
                           ? fem->split_stride
                           : sofa_shape_info(fem->strain_shape)->n_nodes * sizeof *mesh->vertices;
  fem->rest_width = sofa_state_kind_info(state->object.kind)->space;
  if (fem->source)
    return sofa_element_source_mesh(&fem->force_field.object, fem->source, fem->strain_shape, state,
                                    mesh);
  if (!fem->split)
    return sofa_element_mesh(&fem->force_field.object, fem->mesh, fem->strain_shape, state, mesh);
  *mesh = (SofaElementMesh){.shape = fem->strain_shape,
                            .dim = fem->rest_width,
                            .vertices = fem->split,
                            .n = fem->n_split,
                            .rest = rest->data,
                            .n_points = rest->n};
  return SOFA_OK;
}

static SofaErr elements(SofaForceField *ff, SofaResultElements *out) {
  SofaLinearFem *fem = (SofaLinearFem *)ff;
  const SofaState *state = ff->state[0];
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  out->n = 0;
  if (!state || (!fem->mesh && !fem->source) || !fem->gives_strain) return SOFA_OK;
  SOFA_TRY(find_mesh(fem, state));
  const SofaElementMesh *mesh = &fem->result_mesh;
  const SofaShapeInfo *info = sofa_shape_info(mesh->shape);
  *out = (SofaResultElements){.n = mesh->n,
                              .n_points = state->position.n,
                              .n_nodes = info->n_nodes,
                              .dim = info->dim,
                              .rest = mesh->rest,
                              .rest_width = fem->rest_width,
                              .space = mesh->dim,
                              .middle = info->order == 1,
                              .turned = info->dim < mesh->dim,
                              .source = fem,
                              .sample = sample};
  out->n_gauss = (unsigned)sofa_quadrature(mesh->shape, SOFA_RULE_STIFFNESS, rule);
  return SOFA_OK;
}

const SofaElementResultsOps sofa_linear_fem_results = {.elements = elements};

void sofa_linear_fem_give_strain(SofaLinearFem *fem, SofaShape shape, bool fixed, unsigned law_dim,
                                 const SofaReals *factors) {
  fem->gives_strain = true;
  fem->strain_shape = shape;
  fem->fixed_frame = fixed;
  fem->law_dim = law_dim;
  fem->factors = factors;
  sofa_linear_fem_forget_results(fem);
}

void sofa_linear_fem_give_split(SofaLinearFem *fem, const uint32_t *vertices, size_t n,
                                size_t stride) {
  fem->split = vertices;
  fem->n_split = n;
  fem->split_stride = stride;
}

/* ---- outputs ---- */

static void touch_all(SofaObject *object) {
  static const char *const names[] = {
      "elementStrain",    "elementStress",      "gaussPointStrain", "gaussPointStress",
      "nodeStrain",       "nodeStress",         "recoveredStress",  "principalStressPerElement",
      "energyPerElement", "vonMisesPerElement", "vonMisesPerNode"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) sofa_field_touch_name(object, names[i]);
}

static SofaErr compute_own_mises(SofaLinearFem *fem, uint32_t version) {
  if (version == fem->mises_version) return SOFA_OK;
  SOFA_TRY(fem->mises_of(fem));
  fem->mises_version = version;
  return SOFA_OK;
}

SofaErr sofa_linear_fem_compute(SofaObject *object, const SofaField *field) {
  SofaLinearFem *fem = (SofaLinearFem *)object;
  const SofaState *state = fem->force_field.state[0];
  const void *value = sofa_field_value(object, field);
  if (!state || !state->position.n) return SOFA_OK;
  const SofaField *position = sofa_class_field(state->object.klass, "position");
  const uint32_t version = sofa_field_state(&state->object, position)->version;
  if (fem->results.own_mises &&
      (value == &fem->results.element_mises || value == &fem->results.node_mises))
    return compute_own_mises(fem, version);
  const bool recover = value == &fem->results.recovered_stress;
  if (version == fem->results_version && (!recover || fem->recovered)) return SOFA_OK;
  SofaResultElements now = {.n = 0};
  const SofaElementResultsOps *ops = sofa_ops(object, SOFA_ELEMENT_RESULTS);
  SOFA_TRY(ops->elements(&fem->force_field, &now));
  if (!now.n) return SOFA_OK;
  SOFA_TRY(sofa_element_results_compute(object->ctx, &now, recover, &fem->results));
  fem->results_version = version;
  fem->recovered = recover;
  touch_all(object);
  return SOFA_OK;
}
