/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(BeamFEMForceField)                                                                             \
  X(CorotationalFEMForceField)                                                                     \
  X(FastTetrahedralCorotationalForceField)                                                         \
  X(HexahedralFEMForceField)                                                                       \
  X(HexahedralFEMForceFieldAndMass)                                                                \
  X(HexahedronFEMForceField)                                                                       \
  X(HexahedronCompositeFEMForceFieldAndMass)                                                       \
  X(HexahedronFEMForceFieldAndMass)                                                                \
  X(NonUniformHexahedralFEMForceFieldAndMass)                                                      \
  X(NonUniformHexahedronFEMForceFieldAndMass)                                                      \
  X(LinearSmallStrainFEMForceField)                                                                \
  X(QuadBendingFEMForceField)                                                                      \
  X(TetrahedralCorotationalFEMForceField)                                                          \
  X(TetrahedronFEMForceField)                                                                      \
  X(TriangleFEMForceField)                                                                         \
  X(TriangularAnisotropicFEMForceField)                                                            \
  X(TriangularFEMForceField)                                                                       \
  X(TriangularFEMForceFieldOptim)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)

#define ENTRY(name) &sofa_##name##_class,
static const SofaClass *const classes[] = {CLASSES(ENTRY) NULL};

extern const SofaModule sofa_module_solidmechanics;
const SofaModule sofa_module_solidmechanics = {SOFA_ABI, "solidmechanics", CSOFA_VERSION, classes};
