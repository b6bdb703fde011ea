/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedronHyperelasticityFEMForceField: hyperelastic tetrahedra. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/hyperelastic/hyperelastic.h"

typedef struct TetrahedronHyperelasticityFEMForceField {
  SofaHyperelastic base;
  bool regularization;
} TetrahedronHyperelasticityFEMForceField;

static const SofaField fields[] = {
    SOFA_FIELD(TetrahedronHyperelasticityFEMForceField, regularization, "matrixRegularization", "0",
               "", "not used: the tangent is never changed", .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr hyperelasticity_init(SofaObject *object) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  h->costa_law = sofa_costa_unscaled;
  return sofa_hyperelastic_build(h);
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TetrahedronHyperelasticityFEMForceField) = {
    SOFA_NAMED(TetrahedronHyperelasticityFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.HyperElastic",
    .category = "ForceField",
    .help = "Hyperelastic tetrahedra with a choice of strain energy densities.",
    .equations =
        "F = sum_n x_n g_n^T, C = F^T F, E = 1/2 (C - I), J = det F\n"
        "f_n = -V F S g_n, S = dW/dE\n"
        "\"x_n, g_n: positions of the nodes, gradients of the shape functions; V: volume at rest\"",
    .base = &sofa_hyperelastic_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = hyperelasticity_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &sofa_hyperelastic_ops},
                    {SOFA_DRAW, &sofa_hyperelastic_draw}),
};
