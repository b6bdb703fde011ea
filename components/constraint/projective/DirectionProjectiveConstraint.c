/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectionProjectiveConstraint: points that move along one direction only. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(LinearProjection, "0"),
    SOFA_FIELD(LinearProjection, given, "direction", NULL, "1",
               "direction; need not have unit length", .flags = SOFA_FIELD_REINIT),
    INDEXED_ROW_DRAW(LinearProjection),
};

static SofaErr init(SofaObject *object) {
  LinearProjection *p = (LinearProjection *)object;
  p->plane = false;
  p->from_start = true;
  return linear_projection_init(p, "direction");
}

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

const SofaClass sofa_DirectionProjectiveConstraint_class = {
    .name = "DirectionProjectiveConstraint",
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Lets each point move along one direction only, through its first position.",
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
