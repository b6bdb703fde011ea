/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses, strains and energies of the elements of tensor-mass models. */
#include "components/solidmechanics/tensormass/tensor_mass.h"
#include "numerics/fem/element_mesh.h"
#include "numerics/fem/strain_sample.h"

static const double *rest_of(const SofaTensorMass *t) {
  const SofaState *state = t->force_field.state[0];
  return state->rest_position.n ? state->rest_position.data : state->position.data;
}

static SofaElements elements_of(const SofaTensorMass *t) {
  return sofa_mesh_elements(&t->mesh->mesh, t->kind);
}

/* Triangles are in plane stress; out of their plane they are as stiff as a Laplacian. */
static void stress_of(const void *law, size_t element, const double *strain, double *stress) {
  const SofaTensorMass *t = law;
  const bool plane = t->kind == SOFA_ELEMENT_TRIANGLE;
  (void)element;
  sofa_isotropic_stress(t->young, t->poisson, plane ? 2 : 3, plane ? 2 : 3, strain, stress);
  const double across = 2 * t->young / (1 - t->poisson * t->poisson);
  for (int k = 4; k < 6 && plane; k++) stress[k] = across * strain[k];
}

static void sample(const void *source, size_t i, SofaElementSample *out) {
  const SofaTensorMass *t = source;
  const SofaElements list = elements_of(t);
  const double *rest = rest_of(t), *now = t->force_field.state[0]->position.data;
  SofaStrainElement e = {.shape = t->kind == SOFA_ELEMENT_TRIANGLE ? SOFA_SHAPE_TRIANGLE
                                                                   : SOFA_SHAPE_TETRA,
                         .dim = 3,
                         .fixed_frame = true,
                         .across = true,
                         .rule = SOFA_RULE_STIFFNESS,
                         .stress = stress_of,
                         .law = t,
                         .element = i};
  for (size_t k = 0; k < 3 * (size_t)list.width; k++) {
    const uint32_t v = out->v[k / 3] = list.v[list.width * i + k / 3];
    e.rest[k] = rest[3 * (size_t)v + k % 3];
    e.now[k] = now[3 * (size_t)v + k % 3];
  }
  const unsigned n = sofa_strain_sample(&e, out);
  out->energy = 0;
  for (unsigned q = 0; q < n; q++)
    for (int k = 0; k < 6; k++)
      out->energy += (k < 3 ? 0.5 : 1) * out->weight[q] * out->stress[q][k] * out->strain[q][k];
}

static SofaErr elements(SofaForceField *ff, SofaResultElements *out) {
  const SofaTensorMass *t = (const SofaTensorMass *)ff;
  out->n = 0;
  if (!t->matrix.pairs.n || t->revision != t->mesh->revision) return SOFA_OK;
  const SofaElements list = elements_of(t);
  *out = (SofaResultElements){.n = list.n,
                              .n_points = ff->state[0]->position.n,
                              .n_nodes = (unsigned)list.width,
                              .n_gauss = 1,
                              .dim = t->kind == SOFA_ELEMENT_TRIANGLE ? 2 : 3,
                              .rest = rest_of(t),
                              .rest_width = 3,
                              .space = 3,
                              .middle = true,
                              .turned = t->kind == SOFA_ELEMENT_TRIANGLE,
                              .source = t,
                              .sample = sample};
  return SOFA_OK;
}

const SofaElementResultsOps sofa_tensor_mass_results = {.elements = elements};
