/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereForceField: pushes points out of a sphere. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/penalty.h"

typedef struct SphereForceField {
  Penalty penalty;
  SofaReals center;
  double radius; /* m */
} SphereForceField;

static const SofaField fields[] = {
    PENALTY_ROW_CONTACTS(SphereForceField),
    SOFA_FIELD(SphereForceField, center, "center", NULL, "m", "centre of the sphere; default: 0",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(SphereForceField, radius, "radius", "1", "m", "radius of the sphere",
               .flags = SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    PENALTY_ROW_COLOR(SphereForceField, "0 0 1 1"),
    PENALTY_ROWS_RANGE(SphereForceField),
};

/* F = -k (|p - c| - r) n - c |dist| v, n outwards; dF/dx = -k (q n n^T + (1 - q) I), q = r/|p - c|.
 * The centre itself has no direction: no force there. */
static void describe(const Penalty *p, PenaltyTerms *terms) {
  const SphereForceField *s = (const SphereForceField *)p;
  for (unsigned c = 0; c < p->dims; c++) terms->center[c] = s->center.data[c];
  terms->size = s->radius;
}

static double sphere_energy(const Penalty *p, const double *x) {
  const SphereForceField *s = (const SphereForceField *)p;
  double norm2 = 0;
  for (unsigned c = 0; c < p->dims; c++)
    norm2 += (x[c] - s->center.data[c]) * (x[c] - s->center.data[c]);
  return penalty_energy_at(p, sqrt(norm2) - s->radius);
}

static SofaErr sphere_init(SofaObject *object) {
  SphereForceField *s = (SphereForceField *)object;
  s->penalty.law = PENALTY_SPHERE;
  s->penalty.describe = describe;
  s->penalty.law_energy = sphere_energy;
  return sofa_take_reals(object, "center", &s->center, s->penalty.dims);
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SphereForceField *s = (const SphereForceField *)object;
  double center[3] = {0, 0, 0};
  if (!sofa_draw_shows_field(args, (const SofaState *const *)s->penalty.force_field.state)) return;
  for (size_t k = 0; k < 3 && k < s->center.n; k++) center[k] = s->center.data[k];
  sofa_draw_sphere(args->list, center, s->radius, sofa_rgba(&s->penalty.color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};

SOFA_CLASS(SphereForceField) = {
    SOFA_NAMED(SphereForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Pushes points inside a sphere outwards with a force proportional to the depth and "
            "brakes them; bilateral: holds all points on the sphere.",
    .equations = "l = |x - c|, n = (x - c)/l, d = l - r\n"
                 "f = -k d n - b |d| v if d < 0 or \"bilateral\"\n"
                 "\"c: center, r: radius, k: stiffness, b: damping\"",
    .base = &penalty_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_FIELDS(fields),
    SOFA_RANGES({"stiffness", SOFA_AT_LEAST(0), SOFA_BAD_DEFAULT}),
    .templates = templates,
    .init = sphere_init,
    .reinit = sphere_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &penalty_energy_ops}, {SOFA_DRAW, &draw_ops}),
};
