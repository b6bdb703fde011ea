/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The projective constraints. */
#include "object/factory.h"

extern const SofaClass sofa_FixedProjectiveConstraint_class;

static const SofaClass *const classes[] = {
    &sofa_FixedProjectiveConstraint_class,
    NULL,
};

extern const SofaModule sofa_module_constraint_projective;
const SofaModule sofa_module_constraint_projective = {
    SOFA_ABI, "Sofa.Component.Constraint.Projective", CSOFA_VERSION, classes};
