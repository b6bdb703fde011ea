/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConicalForceField: keeps points inside a cone with a spherical cap. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/penalty.h"
#include "math/vec.h"

typedef struct ConicalForceField {
  Penalty penalty;
  SofaVec3 center, axis; /* the axis is as long as the cone */
  double angle;          /* half-angle, degrees */
} ConicalForceField;

static const double degree = 3.14159265358979323846 / 180;

static const SofaField fields[] = {
    SOFA_FIELD(ConicalForceField, center, "coneCenter", "0 0 0", "m", "tip of the cone"),
    SOFA_FIELD(ConicalForceField, axis, "coneHeight", "0 0 0", "m",
               "axis of the cone, from the tip; its length is the radius of the cap",
               .flags = SOFA_FIELD_REINIT, .range = SOFA_DIRECTION),
    SOFA_FIELD(ConicalForceField, angle, "coneAngle", "10", "degrees",
               "angle between axis and side, > 0"),
    PENALTY_ROW_COLOR(ConicalForceField, "0 0 1 1"),
};

static const SofaApproximation direction_left_out = {
    "the tangent leaves out how the direction of the force turns", false};

static void describe(const Penalty *p, PenaltyTerms *terms) {
  const ConicalForceField *cone = (const ConicalForceField *)p;
  const double angle = fmin(cone->angle, 180) * degree;
  sofa_vec3_copy(cone->center.v, terms->center);
  terms->size = sofa_vec3_norm(cone->axis.v);
  sofa_vec3_scale(1 / terms->size, cone->axis.v, terms->axis);
  terms->sine = sin(angle);
  terms->cosine = cos(angle);
  /* the tip is far: a point on the side of a wide cone must not be behind it by rounding */
  terms->behind = terms->cosine - 1e-15;
}

static SofaErr cone_init(SofaObject *object) {
  ConicalForceField *cone = (ConicalForceField *)object;
  cone->penalty.law = PENALTY_CONE;
  cone->penalty.describe = describe;
  cone->penalty.left_out = &direction_left_out;
  return SOFA_OK;
}

/* The cone, from its tip along the axis. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const ConicalForceField *c = (const ConicalForceField *)object;
  double base[3];
  if (!sofa_draw_shows_field(args, (const SofaState *const *)c->penalty.force_field.state)) return;
  sofa_vec3_add(c->center.v, c->axis.v, base);
  const double radius = sofa_vec3_norm(c->axis.v) * tan(c->angle * 3.14159265358979323846 / 180);
  sofa_draw_tube(args->list, base, c->center.v, radius, 0, sofa_rgba(&c->penalty.color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(ConicalForceField) = {
    SOFA_NAMED(ConicalForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Pushes points outside a cone back to its side, to the spherical cap around its tip "
            "that closes it, or to the tip.",
    .equations =
        "f = k d n\n"
        "\"d: depth outside of the cone, n: direction back to its side, its cap or its tip\"",
    .base = &penalty_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_FIELDS(fields),
    SOFA_RANGES({"stiffness", SOFA_AT_LEAST(0), SOFA_BAD_DEFAULT}),
    .templates = templates,
    .init = cone_init,
    .reinit = cone_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &penalty_ops}, {SOFA_DRAW, &draw_ops}),
};
