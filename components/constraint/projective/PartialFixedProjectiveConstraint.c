/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PartialFixedProjectiveConstraint: points that do not accelerate in some directions. */
#include "components/constraint/projective/indexed.h"

typedef struct PartialFixedProjectiveConstraint {
  IndexedConstraint indexed;
  bool unused_velocity, project_velocity, show_object;
  SofaBools directions;
  bool fixed[6]; /* per deriv component */
} PartialFixedProjectiveConstraint;

typedef PartialFixedProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(PartialFixedProjectiveConstraint, "0"),
    INDEXED_ROW_ALL(PartialFixedProjectiveConstraint),
    SOFA_ROW(directions, "fixedDirections", NULL, "",
             "the components of a velocity that are fixed, one flag each; empty: all",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(project_velocity, "projectVelocity", "0", "",
             "also set the fixed components of the velocities to zero"),
    SOFA_ROW_NO_EFFECT(unused_velocity, "activate_projectVelocity", "0",
                       "not used: see projectVelocity"),
    SOFA_ROW_DISPLAY(show_object, "showObject", "1", "draw the fixed points"),
    INDEXED_ROW_DRAW(PartialFixedProjectiveConstraint),
};

static SofaErr partial_init(SofaObject *object) {
  PartialFixedProjectiveConstraint *p = (PartialFixedProjectiveConstraint *)object;
  return projective_take_flags(object, "fixedDirections", &p->directions,
                               constrained_kind(&p->indexed.constraint)->deriv, p->fixed);
}

static SofaErr partial_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  const PartialFixedProjectiveConstraint *p = (PartialFixedProjectiveConstraint *)c;
  indexed_clear(&p->indexed, p->fixed, dx);
  return SOFA_OK;
}

static SofaErr partial_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  (void)params;
  const PartialFixedProjectiveConstraint *p = (PartialFixedProjectiveConstraint *)c;
  if (p->project_velocity) indexed_clear(&p->indexed, p->fixed, v);
  return SOFA_OK;
}

static SofaErr partial_discard(SofaProjective *c, const SofaMechParams *params,
                               SofaDiscard *discard) {
  (void)params;
  const PartialFixedProjectiveConstraint *p = (PartialFixedProjectiveConstraint *)c;
  indexed_discard(&p->indexed, p->fixed, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {
    .response = partial_response, .velocity = partial_velocity, .discard = partial_discard};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(PartialFixedProjectiveConstraint) = {
    SOFA_NAMED(PartialFixedProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Fixes some components of points: solvers give them no change of velocity there.",
    .equations = "dv_{ic} = 0",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = partial_init,
    .reinit = partial_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
