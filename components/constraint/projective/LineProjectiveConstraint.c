/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LineProjectiveConstraint: points held on a line. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    SOFA_FIELD(LinearProjection, origin, "origin", NULL, "m", "a point of the line; default: 0",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(LinearProjection, given, "direction", NULL, "1",
               "direction of the line; need not have unit length", .flags = SOFA_FIELD_REINIT),
};

static SofaErr construct(SofaObject *object) {
  LinearProjection *p = (LinearProjection *)object;
  p->field = "direction";
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

SOFA_CLASS(LineProjectiveConstraint) = {
    .name = "LineProjectiveConstraint",
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Projects points, their velocities and accelerations on a line.",
    .base = &linear_projection_class,
    .size = sizeof(LinearProjection),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
};
