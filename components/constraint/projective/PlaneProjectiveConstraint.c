/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PlaneProjectiveConstraint: points held on a plane. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(LinearProjection, "0"),
    SOFA_FIELD(LinearProjection, origin, "origin", NULL, "m", "a point of the plane; default: 0",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(LinearProjection, given, "normal", NULL, "1",
               "normal of the plane; need not have unit length", .flags = SOFA_FIELD_REINIT),
    INDEXED_ROW_DRAW(LinearProjection),
};

static SofaErr init(SofaObject *object) {
  LinearProjection *p = (LinearProjection *)object;
  p->plane = true;
  p->from_start = false;
  return linear_projection_init(p, "normal");
}

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

const SofaClass sofa_PlaneProjectiveConstraint_class = {
    .name = "PlaneProjectiveConstraint",
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Projects points, their velocities and accelerations on a plane.",
    .base = &indexed_constraint_class,
    .size = sizeof(LinearProjection),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = init,
    .reinit = init,
    .destroy = linear_projection_destroy,
    .ops =
        {[SOFA_PROJECTIVE] = &linear_projection_ops, [SOFA_FOLLOWER] = &linear_projection_follower},
};
