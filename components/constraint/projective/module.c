/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The projective constraints. */
#include "object/factory.h"

extern const SofaClass sofa_AffineMovementProjectiveConstraint_class;
extern const SofaClass sofa_AttachProjectiveConstraint_class;
extern const SofaClass sofa_DirectionProjectiveConstraint_class;
extern const SofaClass sofa_FixedPlaneProjectiveConstraint_class;
extern const SofaClass sofa_FixedProjectiveConstraint_class;
extern const SofaClass sofa_FixedRotationProjectiveConstraint_class;
extern const SofaClass sofa_FixedTranslationProjectiveConstraint_class;
extern const SofaClass sofa_HermiteSplineProjectiveConstraint_class;
extern const SofaClass sofa_LineProjectiveConstraint_class;
extern const SofaClass sofa_LinearMovementProjectiveConstraint_class;
extern const SofaClass sofa_LinearVelocityProjectiveConstraint_class;
extern const SofaClass sofa_OscillatorProjectiveConstraint_class;
extern const SofaClass sofa_ParabolicProjectiveConstraint_class;
extern const SofaClass sofa_PartialFixedProjectiveConstraint_class;
extern const SofaClass sofa_PartialLinearMovementProjectiveConstraint_class;
extern const SofaClass sofa_PatchTestMovementProjectiveConstraint_class;
extern const SofaClass sofa_PlaneProjectiveConstraint_class;
extern const SofaClass sofa_PointProjectiveConstraint_class;
extern const SofaClass sofa_PositionBasedDynamicsProjectiveConstraint_class;
extern const SofaClass sofa_SkeletalMotionProjectiveConstraint_class;

static const SofaClass *const classes[] = {
    &sofa_AffineMovementProjectiveConstraint_class,
    &sofa_AttachProjectiveConstraint_class,
    &sofa_DirectionProjectiveConstraint_class,
    &sofa_FixedPlaneProjectiveConstraint_class,
    &sofa_FixedProjectiveConstraint_class,
    &sofa_FixedRotationProjectiveConstraint_class,
    &sofa_FixedTranslationProjectiveConstraint_class,
    &sofa_HermiteSplineProjectiveConstraint_class,
    &sofa_LineProjectiveConstraint_class,
    &sofa_LinearMovementProjectiveConstraint_class,
    &sofa_LinearVelocityProjectiveConstraint_class,
    &sofa_OscillatorProjectiveConstraint_class,
    &sofa_ParabolicProjectiveConstraint_class,
    &sofa_PartialFixedProjectiveConstraint_class,
    &sofa_PartialLinearMovementProjectiveConstraint_class,
    &sofa_PatchTestMovementProjectiveConstraint_class,
    &sofa_PlaneProjectiveConstraint_class,
    &sofa_PointProjectiveConstraint_class,
    &sofa_PositionBasedDynamicsProjectiveConstraint_class,
    &sofa_SkeletalMotionProjectiveConstraint_class,
    NULL,
};

extern const SofaModule sofa_module_constraint_projective;
const SofaModule sofa_module_constraint_projective = {
    SOFA_ABI, "Sofa.Component.Constraint.Projective", CSOFA_VERSION, classes};
