/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Springs. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(SpringForceField)                                                                              \
  X(MeshSpringForceField)                                                                          \
  X(RegularGridSpringForceField)                                                                   \
  X(RepulsiveSpringForceField)                                                                     \
  X(QuadBendingSprings)                                                                            \
  X(TriangleBendingSprings)                                                                        \
  X(TriangularBendingSprings)                                                                      \
  X(FastTriangularBendingSprings)                                                                  \
  X(QuadularBendingSprings)                                                                        \
  X(TriangularQuadraticSpringsForceField)                                                          \
  X(TriangularBiquadraticSpringsForceField)                                                        \
  X(RestShapeSpringsForceField)                                                                    \
  X(PolynomialRestShapeSpringsForceField)                                                          \
  X(PolynomialSpringsForceField)                                                                   \
  X(VectorSpringForceField)                                                                        \
  X(AngularSpringForceField)                                                                       \
  X(JointSpringForceField)                                                                         \
  X(GearSpringForceField)                                                                          \
  X(FrameSpringForceField)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)

static const SofaClass *const classes[] = {
#define ADDRESS(name) &sofa_##name##_class,
    CLASSES(ADDRESS) NULL,
};

extern const SofaModule sofa_module_spring;
const SofaModule sofa_module_spring = {SOFA_ABI, "Sofa.Component.SolidMechanics.Spring",
                                       CSOFA_VERSION, classes};
