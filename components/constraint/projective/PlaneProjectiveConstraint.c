/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PlaneProjectiveConstraint: points held on a plane. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    SOFA_FIELD(LinearProjection, origin, "origin", NULL, "m", "a point of the plane; default: 0",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(LinearProjection, given, "normal", NULL, "1",
               "normal of the plane; need not have unit length", .flags = SOFA_FIELD_REINIT),
};

static SofaErr construct(SofaObject *object) {
  LinearProjection *p = (LinearProjection *)object;
  p->field = "normal";
  p->plane = true;
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

SOFA_CLASS(PlaneProjectiveConstraint) = {
    .name = "PlaneProjectiveConstraint",
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Projects points, their velocities and accelerations on a plane.",
    .base = &linear_projection_class,
    .size = sizeof(LinearProjection),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
};
