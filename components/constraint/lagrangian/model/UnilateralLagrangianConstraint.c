/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UnilateralLagrangianConstraint: a class that a scene can name. The contacts of SOFA's class of
 * this name are those of the response FrictionContactConstraint. */
#include "components/constraint/lagrangian/model/model.h"

typedef struct UnilateralLagrangianConstraint {
  SofaLagrangian lagrangian;
} UnilateralLagrangianConstraint;

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(UnilateralLagrangianConstraint) = {
    SOFA_NAMED(UnilateralLagrangianConstraint),
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .category = "ConstraintSet",
    .help = "In a scene it does nothing: collision responses make the contacts, see "
            "FrictionContactConstraint.",
    .base = &sofa_pair_lagrangian_class,
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &model_without_rows},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
