/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UniformVelocityDampingForceField: F = -c v on every point. */
#include "change/topology_change.h"
#include "components/mechanicalload/load.h"

typedef struct UniformVelocityDampingForceField {
  SofaForceField force_field;
  double coefficient; /* N s/m */
  bool implicit;
} UniformVelocityDampingForceField;

static const SofaField fields[] = {
    SOFA_FIELD(UniformVelocityDampingForceField, coefficient, "dampingCoefficient", "0.1", "N s/m",
               "force per velocity, of every component", .flags = SOFA_FIELD_REINIT,
               .aliases = "damping", .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(
        UniformVelocityDampingForceField, implicit, "implicit", "0", "",
        "let implicit solvers know dF/dv; off: in a step with one linearisation the force of "
        "the velocity before it"),
};

static UniformVelocityDampingForceField *self(SofaForceField *ff) {
  return (UniformVelocityDampingForceField *)ff;
}

static SofaErr damping_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  const size_t n = load_n_points(ff) * load_kind(ff)->deriv;
  const double c = self(ff)->coefficient;
  for (size_t k = 0; k < n; k++) f[0][k] -= c * at->v[0][k];
  return SOFA_OK;
}

static SofaErr damping_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  const size_t n = load_n_points(ff) * load_kind(ff)->deriv;
  const double c = self(ff)->coefficient * params->b;
  if (!self(ff)->implicit && !params->iterates) return SOFA_OK;
  for (size_t k = 0; k < n; k++) df[0][k] -= c * dx[0][k];
  return SOFA_OK;
}

static SofaErr damping_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)at;
  const unsigned deriv = load_kind(ff)->deriv;
  const uint32_t n = (uint32_t)load_n_points(ff);
  double block[36] = {0};
  if (!self(ff)->implicit && !params->iterates) return SOFA_OK;
  for (unsigned c = 0; c < deriv; c++) block[c * deriv + c] = -self(ff)->coefficient;
  for (uint32_t i = 0; i < n; i++) sofa_tangent_add(tangent, 0, i, 0, i, block);
  return SOFA_OK;
}

/* A force of velocity alone stores none. */
static SofaErr damping_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)ff, (void)params, (void)at;
  *energy = 0;
  return SOFA_OK;
}

/* A damping that is not implicit has a matrix for Newton iterations only. */
static bool damping_constant(const SofaForceField *ff) {
  return ((const UniformVelocityDampingForceField *)ff)->implicit;
}

static const SofaForceFieldOps ops = {
    .add_force = damping_add_force,
    .potential_energy = damping_energy,
    .add_dforce = damping_add_dforce,
    .add_b = damping_add_b,
    .tangent_is_dforce = true,
    .own_points = true,
    .constant_tangent = damping_constant,
};

static void force_of(const SofaForceField *ff, size_t point, double *f) {
  const UniformVelocityDampingForceField *d = (const UniformVelocityDampingForceField *)ff;
  const SofaCoords *v = &ff->state[0]->velocity;
  for (unsigned k = 0; k < load_kind(ff)->deriv; k++)
    f[k] = -d->coefficient * v->data[point * v->width + k];
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SofaForceField *ff = (const SofaForceField *)object;
  if (ff->state[0])
    load_draw_arrows(ff, args,
                     &(LoadArrows){force_of, load_n_points(ff), 0, SOFA_RGB(0.6, 0.4, 0.9)});
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(UniformVelocityDampingForceField) = {
    SOFA_NAMED(UniformVelocityDampingForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Viscous damping of every point, F = -c v.",
    .equations = "f_i = -c v_i",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_FIELDS(fields),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
