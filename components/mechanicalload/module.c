/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mechanical loads. */
#include "object/factory.h"

extern const SofaClass sofa_ConicalForceField_class;
extern const SofaClass sofa_ConstantForceField_class;
extern const SofaClass sofa_DiagonalVelocityDampingForceField_class;
extern const SofaClass sofa_EdgePressureForceField_class;
extern const SofaClass sofa_EllipsoidForceField_class;
extern const SofaClass sofa_Gravity_class;
extern const SofaClass sofa_InteractionEllipsoidForceField_class;
extern const SofaClass sofa_LinearForceField_class;
extern const SofaClass sofa_OscillatingTorsionPressureForceField_class;
extern const SofaClass sofa_PlaneForceField_class;
extern const SofaClass sofa_QuadPressureForceField_class;
extern const SofaClass sofa_SphereForceField_class;
extern const SofaClass sofa_SurfacePressureForceField_class;
extern const SofaClass sofa_TaitSurfacePressureForceField_class;
extern const SofaClass sofa_TorsionForceField_class;
extern const SofaClass sofa_TrianglePressureForceField_class;
extern const SofaClass sofa_UniformVelocityDampingForceField_class;

static const SofaClass *const classes[] = {
    &sofa_ConicalForceField_class,
    &sofa_ConstantForceField_class,
    &sofa_DiagonalVelocityDampingForceField_class,
    &sofa_EdgePressureForceField_class,
    &sofa_EllipsoidForceField_class,
    &sofa_Gravity_class,
    &sofa_InteractionEllipsoidForceField_class,
    &sofa_LinearForceField_class,
    &sofa_OscillatingTorsionPressureForceField_class,
    &sofa_PlaneForceField_class,
    &sofa_QuadPressureForceField_class,
    &sofa_SphereForceField_class,
    &sofa_SurfacePressureForceField_class,
    &sofa_TaitSurfacePressureForceField_class,
    &sofa_TorsionForceField_class,
    &sofa_TrianglePressureForceField_class,
    &sofa_UniformVelocityDampingForceField_class,
    NULL,
};

extern const SofaModule sofa_module_mechanicalload;
const SofaModule sofa_module_mechanicalload = {SOFA_ABI, "Sofa.Component.MechanicalLoad",
                                               CSOFA_VERSION, classes};
