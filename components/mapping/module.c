/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(AreaMapping)                                                                                   \
  X(BarycentricMapping)                                                                            \
  X(BeamLinearMapping)                                                                             \
  X(BeamLinearMapping_mt)                                                                          \
  X(CenterOfMassMapping)                                                                           \
  X(CenterOfMassMulti2Mapping)                                                                     \
  X(CenterOfMassMultiMapping)                                                                      \
  X(DeformableOnRigidFrameMapping)                                                                 \
  X(DistanceFromTargetMapping)                                                                     \
  X(DistanceMapping)                                                                               \
  X(DistanceMultiMapping)                                                                          \
  X(DistanceToPlaneMapping)                                                                        \
  X(HexahedronCompositeFEMMapping)                                                                 \
  X(IdentityMapping)                                                                               \
  X(IdentityMultiMapping)                                                                          \
  X(LineSetSkinningMapping)                                                                        \
  X(Mesh2PointMechanicalMapping)                                                                   \
  X(Mesh2PointTopologicalMapping)                                                                  \
  X(RigidMapping)                                                                                  \
  X(SimpleTesselatedHexaTopologicalMapping)                                                        \
  X(SimpleTesselatedTetraMechanicalMapping)                                                        \
  X(SimpleTesselatedTetraTopologicalMapping)                                                       \
  X(SkinningMapping)                                                                               \
  X(SquareDistanceMapping)                                                                         \
  X(SquareMapping)                                                                                 \
  X(SubsetMapping)                                                                                 \
  X(SubsetMultiMapping)                                                                            \
  X(TubularMapping)                                                                                \
  X(VoidMapping)                                                                                   \
  X(VolumeMapping)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_mapping;
const SofaModule sofa_module_mapping = {SOFA_ABI, "mapping", CSOFA_VERSION, classes};
