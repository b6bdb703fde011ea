/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements. */
#include "object/factory.h"

extern const SofaClass sofa_TetrahedronFEMForceField_class, sofa_HexahedronFEMForceField_class,
    sofa_TetrahedralCorotationalFEMForceField_class,
    sofa_FastTetrahedralCorotationalForceField_class, sofa_HexahedralFEMForceField_class,
    sofa_HexahedronFEMForceFieldAndMass_class, sofa_HexahedralFEMForceFieldAndMass_class,
    sofa_CorotationalFEMForceField_class, sofa_LinearSmallStrainFEMForceField_class;

static const SofaClass *const classes[] = {
    &sofa_TetrahedronFEMForceField_class,
    &sofa_HexahedronFEMForceField_class,
    &sofa_TetrahedralCorotationalFEMForceField_class,
    &sofa_FastTetrahedralCorotationalForceField_class,
    &sofa_HexahedralFEMForceField_class,
    &sofa_HexahedronFEMForceFieldAndMass_class,
    &sofa_HexahedralFEMForceFieldAndMass_class,
    &sofa_CorotationalFEMForceField_class,
    &sofa_LinearSmallStrainFEMForceField_class,
    NULL,
};

extern const SofaModule sofa_module_solidmechanics;
const SofaModule sofa_module_solidmechanics = {SOFA_ABI, "Sofa.Component.SolidMechanics",
                                               CSOFA_VERSION, classes};
