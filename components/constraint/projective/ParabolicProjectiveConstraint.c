/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParabolicProjectiveConstraint: points moved along the parabola through three points. */
#include "components/constraint/projective/curve_motion.h"
#include "math/vec.h"

enum { QUIRK_PARABOLIC_VELOCITY = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_PARABOLIC_VELOCITY, "parabolic-velocity",
     "ParabolicProjectiveConstraint gives a velocity to its first point only",
     "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

typedef struct ParabolicProjectiveConstraint {
  CurveMotion motion;
  SofaVec3 p1, p2, p3;
  double x_axis[3], y_axis[3]; /* of the plane of the three points; origin p1 */
  double x2, y2, x3;           /* p2 and p3 in it; y3 = 0 */
} ParabolicProjectiveConstraint;

typedef ParabolicProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    CURVE_MOTION_ROWS(ParabolicProjectiveConstraint),
    SOFA_ROW(p1, "P1", "0 0 0", "m", "start of the parabola", .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(p2, "P2", "0 0 0", "m", "a point between start and end", .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(p3, "P3", "0 0 0", "m", "end of the parabola", .flags = SOFA_FIELD_REINIT),
};

/* y = a x^2 + b x through (x2, y2) and (x3, 0), x = x3 s */
static void place(const CurveMotion *motion, double t, double *x) {
  const ParabolicProjectiveConstraint *p = (const ParabolicProjectiveConstraint *)motion;
  const double s = (t - motion->begin) / (motion->end - motion->begin);
  const double px = p->x3 * s, d = p->x3 * p->x2 - p->x2 * p->x2;
  const double py = -p->y2 / d * (px * px) + p->x3 * p->y2 / d * px;
  for (int c = 0; c < 3; c++) x[c] = p->p1.v[c] + px * p->x_axis[c] + py * p->y_axis[c];
}

/* forward difference over the step */
static void velocity(const CurveMotion *motion, double t, double dt, double *v) {
  double from[3], to[3];
  place(motion, t, from);
  place(motion, t + dt, to);
  sofa_vec3_sub(to, from, v);
  sofa_vec3_scale(1 / dt, v, v);
}

static SofaErr parabola_init(SofaObject *object) {
  ParabolicProjectiveConstraint *p = (ParabolicProjectiveConstraint *)object;
  double to2[3], to3[3], frame[9];
  p->motion.place = place;
  p->motion.velocity = velocity;
  p->motion.first_only = sofa_quirk(object, QUIRK_PARABOLIC_VELOCITY);
  sofa_vec3_sub(p->p2.v, p->p1.v, to2);
  sofa_vec3_sub(p->p3.v, p->p1.v, to3);
  sofa_vec3_cross(to3, to2, frame);
  if (!(sofa_vec3_norm2(frame) > 0)) {
    p->motion.indexed.indices.n = 0;
    return sofa_field_fail(object, "P2", SOFA_ERR_RANGE,
                           "the three points lie on one line: there is no parabola");
  }
  sofa_mat3_frame(to3, to2, frame);
  sofa_vec3_copy(frame, p->x_axis);
  sofa_vec3_copy(frame + 3, p->y_axis);
  p->x2 = sofa_vec3_dot(to2, p->x_axis);
  p->y2 = sofa_vec3_dot(to2, p->y_axis);
  p->x3 = sofa_vec3_dot(to3, p->x_axis);
  if (p->x2 != 0 && p->x2 != p->x3) return SOFA_OK;
  p->motion.indexed.indices.n = 0;
  return sofa_field_fail(object, "P2", SOFA_ERR_RANGE,
                         "lies at a right angle above an end: there is no parabola");
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(ParabolicProjectiveConstraint) = {
    SOFA_NAMED(ParabolicProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves points along the parabola through P1, P2 and P3 between two times, evenly along "
            "P3 - P1. Of rigid frames, the centres.",
    .equations = "x(t) = P_1 + u e_1 + w e_2, v = (x(t + h) - x(t))/h\n"
                 "u = u_3 (t - t_0)/(t_1 - t_0), w = w_2 (u (u_3 - u))/(u_2 (u_3 - u_2))\n"
                 "\"e_1: direction of P3 - P1, e_2: across it, towards P2; (u_2, w_2): P2 - P1 "
                 "along them, u_3: length of P3 - P1; t_0: BeginTime, t_1: EndTime\"",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = parabola_init,
    .reinit = parabola_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &curve_motion_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
