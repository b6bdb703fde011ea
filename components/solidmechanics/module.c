/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements and springs. */
#include "object/factory.h"

extern const SofaClass sofa_TetrahedronFEMForceField_class, sofa_HexahedronFEMForceField_class,
    sofa_SpringForceField_class, sofa_MeshSpringForceField_class,
    sofa_TetrahedralCorotationalFEMForceField_class,
    sofa_FastTetrahedralCorotationalForceField_class, sofa_TriangularFEMForceField_class,
    sofa_TriangleFEMForceField_class, sofa_TriangularFEMForceFieldOptim_class,
    sofa_BeamFEMForceField_class, sofa_QuadBendingFEMForceField_class;

static const SofaClass *const classes[] = {
    &sofa_TetrahedronFEMForceField_class,
    &sofa_HexahedronFEMForceField_class,
    &sofa_TetrahedralCorotationalFEMForceField_class,
    &sofa_FastTetrahedralCorotationalForceField_class,
    &sofa_TriangularFEMForceField_class,
    &sofa_TriangleFEMForceField_class,
    &sofa_TriangularFEMForceFieldOptim_class,
    &sofa_BeamFEMForceField_class,
    &sofa_QuadBendingFEMForceField_class,
    &sofa_SpringForceField_class,
    &sofa_MeshSpringForceField_class,
    NULL,
};

extern const SofaModule sofa_module_solidmechanics;
const SofaModule sofa_module_solidmechanics = {SOFA_ABI, "Sofa.Component.SolidMechanics",
                                               CSOFA_VERSION, classes};
