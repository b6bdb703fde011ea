/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tensor-mass models: linear elasticity stored per edge. */
#include "object/factory.h"

extern const SofaClass sofa_TetrahedralTensorMassForceField_class,
    sofa_TriangularTensorMassForceField_class;

static const SofaClass *const classes[] = {
    &sofa_TetrahedralTensorMassForceField_class,
    &sofa_TriangularTensorMassForceField_class,
    NULL,
};

extern const SofaModule sofa_module_solidmechanics_tensormass;
const SofaModule sofa_module_solidmechanics_tensormass = {
    SOFA_ABI, "Sofa.Component.SolidMechanics.TensorMass", CSOFA_VERSION, classes};
