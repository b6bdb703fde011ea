/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PlaneForceField: keeps points on one side of a plane. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/penalty.h"
#include "math/vec.h"

typedef struct PlaneForceField {
  Penalty penalty;
  SofaReals normal;
  double d, max_force, plane_size;
  bool show_plane;
  SofaColor color;
} PlaneForceField;

typedef PlaneForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(
        normal, "normal", "0 1 0", "1",
        "normal n of the plane x.n = d, towards the allowed side; used as given, not normalised",
        .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(d, "d", "0", "m", "offset d of the plane x.n = d"),
    SOFA_ROW(max_force, "maxForce", "0", "N", "largest force on a point; 0: no limit",
             .flags = SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_CLAMP),
    PENALTY_ROWS_RANGE(PlaneForceField),
    SOFA_ROW(show_plane, "showPlane", "0", "", "draw the plane", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(color, "planeColor", "0 0.5 0.2 1", "", "colour of the drawn plane",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(plane_size, "showPlaneSize", "10", "m", "size of the drawn plane",
             .flags = SOFA_FIELD_DISPLAY),
};

static double distance(const PlaneForceField *plane, const double *x) {
  double dot = -plane->d;
  for (unsigned c = 0; c < plane->penalty.dims; c++) dot += x[c] * plane->normal.data[c];
  return dot;
}

static const SofaApproximation limit_left_out = {
    "the tangent is that of the force without maxForce", true};

/* F = -k dist n - c |dist| v for dist = x.n - d < 0; at most maxForce, with the tangent unchanged:
 * dF/dx = -k n n^T */
static void describe(const Penalty *p, PenaltyTerms *terms) {
  const PlaneForceField *plane = (const PlaneForceField *)p;
  for (unsigned c = 0; c < p->dims; c++) terms->axis[c] = plane->normal.data[c];
  terms->size = plane->d;
  terms->limit = plane->max_force > 0 ? plane->max_force : (double)INFINITY;
}

static double plane_energy(const Penalty *p, const double *x) {
  return penalty_energy_at(p, distance((const PlaneForceField *)p, x));
}

static SofaErr plane_init(SofaObject *object) {
  PlaneForceField *plane = (PlaneForceField *)object;
  const bool limited = plane->max_force > 0;
  plane->penalty.law = limited || plane->penalty.dims > 3 ? PENALTY_WIDE_PLANE : PENALTY_PLANE;
  plane->penalty.describe = describe;
  plane->penalty.left_out = limited ? &limit_left_out : NULL;
  plane->penalty.law_energy = plane_energy;
  return sofa_take_reals(object, "normal", &plane->normal, plane->penalty.dims);
}

/* A square of showPlaneSize around the foot of the origin. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const PlaneForceField *plane = (const PlaneForceField *)object;
  double n[3] = {0, 0, 0}, u[3], w[3], foot[3], corner[4][3];
  if (!plane->show_plane || !sofa_display_shows(args->flags, SOFA_DISPLAY_FORCE_FIELDS)) return;
  for (size_t k = 0; k < 3 && k < plane->normal.n; k++) n[k] = plane->normal.data[k];
  const double norm2 = sofa_vec3_norm2(n);
  if (!(norm2 > 0)) return;
  sofa_vec3_scale(plane->d / norm2, n, foot);
  const double helper[3] = {fabs(n[0]) * fabs(n[0]) < 0.5 * norm2,
                            fabs(n[0]) * fabs(n[0]) >= 0.5 * norm2, 0};
  sofa_vec3_cross(n, helper, u);
  sofa_vec3_normalize(u);
  sofa_vec3_cross(n, u, w);
  sofa_vec3_normalize(w);
  for (int i = 0; i < 4; i++) {
    const double a = (i == 0 || i == 3 ? -0.5 : 0.5) * plane->plane_size;
    const double b = (i < 2 ? -0.5 : 0.5) * plane->plane_size;
    sofa_vec3_copy(foot, corner[i]);
    sofa_vec3_axpy(a, u, corner[i]);
    sofa_vec3_axpy(b, w, corner[i]);
  }
  sofa_draw_quad(args->list, corner[0], corner[1], corner[2], corner[3], sofa_rgba(&plane->color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", "Rigid3d", NULL};

SOFA_CLASS(PlaneForceField) = {
    SOFA_NAMED(PlaneForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Pushes points below the plane x.n = d back with a force proportional to the depth, "
            "and brakes them. Of rigid frames, the centres.",
    .equations = "s = x.n - d\n"
                 "F = -k s n - c |s| v if s < 0\n"
                 "\"k: stiffness, c: damping, s: signed distance\"",
    .base = &penalty_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_FIELDS(fields),
    SOFA_RANGES({"stiffness", SOFA_AT_LEAST(0), SOFA_BAD_DEFAULT}),
    .templates = templates,
    .init = plane_init,
    .reinit = plane_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &penalty_energy_ops}, {SOFA_DRAW, &draw_ops}),
};
