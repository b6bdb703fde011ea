/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixedProjectiveConstraint: points that do not accelerate. The simplest projective constraint. */
#include "components/constraint/projective/indexed.h"

typedef struct FixedProjectiveConstraint {
  IndexedConstraint indexed;
  bool project_velocity, show_object;
} FixedProjectiveConstraint;

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(FixedProjectiveConstraint, "0"),
    INDEXED_ROW_ALL(FixedProjectiveConstraint),
    SOFA_FIELD(FixedProjectiveConstraint, project_velocity, "activate_projectVelocity", "0", "",
               "also set the velocities of the fixed points to zero"),
    SOFA_FIELD(FixedProjectiveConstraint, show_object, "showObject", "1", "",
               "draw the fixed points", .flags = SOFA_FIELD_DISPLAY),
    INDEXED_ROW_DRAW(FixedProjectiveConstraint),
};

static SofaErr fixed_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  indexed_clear((IndexedConstraint *)c, NULL, dx);
  return SOFA_OK;
}

static SofaErr fixed_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  (void)params;
  if (((FixedProjectiveConstraint *)c)->project_velocity)
    indexed_clear((IndexedConstraint *)c, NULL, v);
  return SOFA_OK;
}

static SofaErr fixed_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  (void)params;
  indexed_discard((IndexedConstraint *)c, NULL, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps fixed_ops = {
    .response = fixed_response, .velocity = fixed_velocity, .discard = fixed_discard};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(FixedProjectiveConstraint) = {
    SOFA_NAMED(FixedProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Fixes points: solvers do not change their velocity. Positions and velocities "
            "themselves are not set, so an initial velocity persists.",
    .equations = "dv_i = 0",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &fixed_ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
