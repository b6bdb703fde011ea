/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StandardTetrahedralFEMForceField: hyperelastic tetrahedra, as
 * TetrahedronHyperelasticityFEMForceField; in SOFA an independent implementation of the same. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/hyperelastic/hyperelastic.h"

typedef struct StandardTetrahedralFEMForceField {
  SofaHyperelastic base;
  char *parameter_file;
} StandardTetrahedralFEMForceField;

static const SofaField fields[] = {
    SOFA_FIELD(StandardTetrahedralFEMForceField, parameter_file, "ParameterFile", "myFile.param",
               "", "not used: parameters are read from ParameterSet",
               .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr standard_init(SofaObject *object) {
  SofaHyperelastic *h = (SofaHyperelastic *)object;
  h->costa_law = sofa_costa_unsymmetric;
  return sofa_hyperelastic_build(h);
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(StandardTetrahedralFEMForceField) = {
    SOFA_NAMED(StandardTetrahedralFEMForceField),
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
    .init = standard_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &sofa_hyperelastic_ops},
                    {SOFA_DRAW, &sofa_hyperelastic_draw}),
};
