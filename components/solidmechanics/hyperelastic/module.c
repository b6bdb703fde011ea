/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic finite elements. */
#include "object/factory.h"

extern const SofaClass sofa_PlasticMaterial_class;
extern const SofaClass sofa_TetrahedronHyperelasticityFEMForceField_class,
    sofa_StandardTetrahedralFEMForceField_class;

static const SofaClass *const classes[] = {
    &sofa_PlasticMaterial_class,
    &sofa_TetrahedronHyperelasticityFEMForceField_class,
    &sofa_StandardTetrahedralFEMForceField_class,
    NULL,
};

extern const SofaModule sofa_module_solidmechanics_hyperelastic;
const SofaModule sofa_module_solidmechanics_hyperelastic = {
    SOFA_ABI, "Sofa.Component.SolidMechanics.FEM.HyperElastic", CSOFA_VERSION, classes};
