/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HermiteSplineProjectiveConstraint: points moved along a cubic Hermite spline. */
#include "components/constraint/projective/curve_motion.h"

enum { QUIRK_HERMITE_VELOCITY = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_HERMITE_VELOCITY, "hermite-velocity",
     "HermiteSplineProjectiveConstraint's velocity is not the derivative by time",
     "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

typedef struct HermiteSplineProjectiveConstraint {
  CurveMotion motion;
  SofaVec3 x0, dx0, x1, dx1;
  SofaVec2 sx0, sx1;
} HermiteSplineProjectiveConstraint;

typedef HermiteSplineProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    CURVE_MOTION_ROWS(HermiteSplineProjectiveConstraint),
    SOFA_ROW(x0, "X0", NULL, "m", "start of the curve"),
    SOFA_ROW(dx0, "dX0", NULL, "m", "derivative of the curve at its start"),
    SOFA_ROW(x1, "X1", NULL, "m", "end of the curve"),
    SOFA_ROW(dx1, "dX1", NULL, "m", "derivative of the curve at its end"),
    SOFA_ROW(sx0, "SX0", NULL, "1", "derivative of the timing curve at its start"),
    SOFA_ROW(sx1, "SX1", NULL, "1", "derivative of the timing curve at its end"),
};

static const HermiteSplineProjectiveConstraint *self(const CurveMotion *motion) {
  return (const HermiteSplineProjectiveConstraint *)motion;
}

/* Share of the window, and the curve's parameter there: a Hermite curve from 0 to 1 (its second
 * component); slope: its derivative by the share. */
static double parameter(const CurveMotion *motion, double t, double *slope) {
  const double u = (t - motion->begin) / (motion->end - motion->begin), u2 = u * u, u3 = u2 * u;
  const double a = self(motion)->sx0.v[1], b = self(motion)->sx1.v[1];
  *slope = a * (3 * u2 - 4 * u + 1) + (6 * u - 6 * u2) + b * (3 * u2 - 2 * u);
  return a * (u3 - 2 * u2 + u) + (-2 * u3 + 3 * u2) + b * (u3 - u2);
}

static void place(const CurveMotion *motion, double t, double *x) {
  const HermiteSplineProjectiveConstraint *h = self(motion);
  double slope;
  const double s = parameter(motion, t, &slope), s2 = s * s, s3 = s2 * s;
  for (int c = 0; c < 3; c++)
    x[c] = h->x0.v[c] * (2 * s3 - 3 * s2 + 1) + h->dx0.v[c] * (s3 - 2 * s2 + s) +
           h->x1.v[c] * (-2 * s3 + 3 * s2) + h->dx1.v[c] * (s3 - s2);
}

/* rate dx/ds */
static void tangent(const HermiteSplineProjectiveConstraint *h, double s, double rate, double *v) {
  const double s2 = s * s;
  for (int c = 0; c < 3; c++)
    v[c] = rate * (h->x0.v[c] * (6 * s2 - 6 * s) + h->dx0.v[c] * (3 * s2 - 4 * s + 1) +
                   h->x1.v[c] * (-6 * s2 + 6 * s) + h->dx1.v[c] * (3 * s2 - 2 * s));
}

/* dx/dt = dx/ds ds/du du/dt */
static void velocity(const CurveMotion *motion, double t, double dt, double *v) {
  (void)dt;
  double slope;
  const double s = parameter(motion, t, &slope);
  tangent(self(motion), s, slope / (motion->end - motion->begin), v);
}

/* SOFA's: dx/ds */
static void velocity_in_s(const CurveMotion *motion, double t, double dt, double *v) {
  (void)dt;
  double slope;
  tangent(self(motion), parameter(motion, t, &slope), 1, v);
}

static SofaErr hermite_init(SofaObject *object) {
  HermiteSplineProjectiveConstraint *h = (HermiteSplineProjectiveConstraint *)object;
  h->motion.place = place;
  h->motion.velocity = sofa_quirk(object, QUIRK_HERMITE_VELOCITY) ? velocity_in_s : velocity;
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(HermiteSplineProjectiveConstraint) = {
    SOFA_NAMED(HermiteSplineProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help =
        "Moves points along a cubic Hermite spline between two times; a second spline gives the "
        "timing. Of rigid frames, the centres.",
    .equations = "x = (2 s^3 - 3 s^2 + 1) x_0 + (s^3 - 2 s^2 + s) d_0 + (3 s^2 - 2 s^3) x_1 + (s^3 "
                 "- s^2) d_1",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = hermite_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &curve_motion_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
