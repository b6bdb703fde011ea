/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConicalForceField: keeps points inside a cone with a spherical cap. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/penalty.h"
#include "math/quaternion.h"

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

/* Where the point p, outside the side of the cone, is pushed to: the nearest point of the side. cp
 * = p - tip; away = unit direction to there; returns the distance. */
static double side(const ConicalForceField *cone, const double *cp, double angle, double *away) {
  double turn_axis[3], quaternion[4], along[3];
  sofa_vec3_cross(cone->axis.v, cp, turn_axis);
  sofa_quat_from_axis_angle(turn_axis, -(angle - cone->angle) * degree, quaternion);
  sofa_quat_rotate(quaternion, cp, along);
  sofa_vec3_normalize(along);
  sofa_vec3_scale(sofa_vec3_dot(cp, along), along, along);
  sofa_vec3_sub(along, cp, away);
  return sofa_vec3_normalize(away);
}

static const SofaApproximation direction_left_out = {
    "the tangent leaves out how the direction of the force turns", false};

/* F = dir (k depth - c depth-wise damping), dF/dx = -k dir dir^T, see the three cases. */
static bool cone_law(const Penalty *p, const double *x, const double *v, double *f,
                     double *blocks) {
  const ConicalForceField *cone = (const ConicalForceField *)p;
  double cp[3], dir[3];
  sofa_vec3_sub(x, cone->center.v, cp);
  const double length = sofa_vec3_norm(cp), height = sofa_vec3_norm(cone->axis.v);
  const double dot = sofa_vec3_dot(cp, cone->axis.v), cosine = dot / (length * height);
  const double angle = length > 0 ? acos(fmax(-1, fmin(1, cosine))) / degree : 0;
  if (length <= height && angle <= cone->angle) return false;
  if (length > height) {
    /* beyond the cap: back towards the tip, braked by the depth */
    const double depth = length - height;
    sofa_vec3_scale(1 / length, cp, dir);
    const double damping = p->damping_factor(p, depth);
    for (int c = 0; c < 3; c++) f[c] += -p->stiffness * depth * dir[c] + damping * v[c];
    penalty_set_diagonal(3, damping, blocks + 9);
  } else {
    /* outside the cone: to its side, or behind the tip: to the tip */
    double depth = length;
    if (dot > 0) depth = side(cone, cp, angle, dir);
    else sofa_vec3_scale(-1 / length, cp, dir);
    const double force = p->stiffness * depth - p->damping * sofa_vec3_dot(dir, v);
    for (int c = 0; c < 3; c++) f[c] += force * dir[c];
    sofa_mat3_outer(dir, dir, blocks + 9);
    sofa_mat3_scale(-p->damping, blocks + 9, blocks + 9);
  }
  sofa_mat3_outer(dir, dir, blocks);
  sofa_mat3_scale(-p->stiffness, blocks, blocks);
  return true;
}

static SofaErr cone_init(SofaObject *object) {
  ConicalForceField *cone = (ConicalForceField *)object;
  cone->penalty.law = cone_law;
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
