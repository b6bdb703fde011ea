/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EllipsoidForceField: repels points from an ellipsoid, or attracts them to it. */
#include "behavior/draw_state.h"
#include "components/mechanicalload/ellipsoid.h"
#include "components/mechanicalload/penalty.h"

static const SofaQuirk quirks[] = {
    QUIRK_ELLIPSOID_TANGENT_ROW,
};

typedef struct EllipsoidForceField {
  Penalty penalty;
  SofaReals center, radius;
} EllipsoidForceField;

static const SofaField fields[] = {
    PENALTY_ROW_CONTACTS(EllipsoidForceField),
    SOFA_FIELD(EllipsoidForceField, center, "center", NULL, "m",
               "centre of the ellipsoid; default: 0", .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(EllipsoidForceField, radius, "vradius", NULL, "m", "radii along the axes",
               .flags = SOFA_FIELD_REINIT, .range = SOFA_ABOVE(0)),
    PENALTY_ROW_COLOR(EllipsoidForceField, "0 0.5 1 1"),
};

static void describe(const Penalty *p, PenaltyTerms *terms) {
  const EllipsoidForceField *e = (const EllipsoidForceField *)p;
  for (unsigned c = 0; c < p->dims; c++) {
    terms->center[c] = e->center.data[c];
    terms->inverse[c] = 1 / e->radius.data[c];
  }
  terms->sofa_term = sofa_quirk(&p->force_field.object, QUIRK_ELLIPSOID_TANGENT);
}

static SofaErr ellipsoid_init(SofaObject *object) {
  EllipsoidForceField *e = (EllipsoidForceField *)object;
  e->penalty.law = PENALTY_ELLIPSOID;
  e->penalty.describe = describe;
  SOFA_TRY(sofa_take_reals(object, "center", &e->center, e->penalty.dims));
  SOFA_TRY(sofa_take_reals(object, "vradius", &e->radius, e->penalty.dims));
  return SOFA_OK;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const EllipsoidForceField *e = (const EllipsoidForceField *)object;
  double center[3] = {0, 0, 0}, radius[3] = {0, 0, 0};
  if (!sofa_draw_shows_field(args, (const SofaState *const *)e->penalty.force_field.state)) return;
  for (size_t k = 0; k < 3 && k < e->center.n && k < e->radius.n; k++) {
    center[k] = e->center.data[k];
    radius[k] = e->radius.data[k];
  }
  sofa_draw_ellipsoid(args->list, center, NULL, radius, sofa_rgba(&e->penalty.color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};

SOFA_CLASS(EllipsoidForceField) = {
    SOFA_NAMED(EllipsoidForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "With stiffness > 0 pushes points out of an ellipsoid, with stiffness < 0 draws points "
            "outside towards it, along the gradient of its level function.",
    .equations = "d = x - c, s^2 = sum_j d_j^2/r_j^2, g_j = d_j/r_j^2, G = |g|\n"
                 "f = -|k| (s - 1) g/G - b |s - 1| v if k (s - 1) < 0\n"
                 "\"c: center, r: vradius, k: stiffness, b: damping\"",
    .base = &penalty_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = ellipsoid_init,
    .reinit = ellipsoid_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &penalty_ops}, {SOFA_DRAW, &draw_ops}),
};
