/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectionProjectiveConstraint: points that move along one direction only. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    SOFA_FIELD(LinearProjection, given, "direction", NULL, "1",
               "direction; need not have unit length", .flags = SOFA_FIELD_REINIT),
};

static SofaErr construct(SofaObject *object) {
  LinearProjection *p = (LinearProjection *)object;
  p->field = "direction";
  p->from_start = true;
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

SOFA_CLASS(DirectionProjectiveConstraint) = {
    .name = "DirectionProjectiveConstraint",
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Lets each point move along one direction only, through its first position.",
    .base = &linear_projection_class,
    .size = sizeof(LinearProjection),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
};
