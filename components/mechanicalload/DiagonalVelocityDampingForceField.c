/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DiagonalVelocityDampingForceField: F = -c v component by component, c of each point. */
#include "components/mechanicalload/load.h"

typedef struct DiagonalVelocityDampingForceField {
  SofaForceField force_field;
  SofaCoords coefficients; /* derivs, N s/m */
} DiagonalVelocityDampingForceField;

static const SofaField fields[] = {
    SOFA_FIELD(DiagonalVelocityDampingForceField, coefficients, "dampingCoefficient", NULL, "N s/m",
               "force per velocity of every component of a point; points after the last entry have "
               "its values; empty: no force",
               .flags = SOFA_FIELD_DERIV,
               SOFA_PER(SOFA_ELEMENT_POINT, .inserted = SOFA_INSERTED_LAST)),
};

/* Coefficients of point i; there is at least one entry. */
static const double *of_point(const SofaForceField *ff, size_t i) {
  const SofaCoords *list = &((const DiagonalVelocityDampingForceField *)ff)->coefficients;
  return list->data + (i < list->n ? i : list->n - 1) * list->width;
}
static size_t n_damped(const SofaForceField *ff) {
  const SofaCoords *list = &((const DiagonalVelocityDampingForceField *)ff)->coefficients;
  return list->n ? load_n_points(ff) : 0;
}

/* f -= factor c v */
static void add(const SofaForceField *ff, double factor, const double *v, double *f) {
  const unsigned deriv = load_kind(ff)->deriv;
  const size_t n = n_damped(ff);
  for (size_t i = 0; i < n; i++) {
    const double *c = of_point(ff, i);
    for (unsigned k = 0; k < deriv; k++) f[i * deriv + k] -= factor * c[k] * v[i * deriv + k];
  }
}

static SofaErr damping_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  add(ff, 1, at->v[0], f[0]);
  return SOFA_OK;
}

static SofaErr damping_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df) {
  (void)at;
  add(ff, params->b, dx[0], df[0]);
  return SOFA_OK;
}

static SofaErr damping_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  const unsigned deriv = load_kind(ff)->deriv;
  const uint32_t n = (uint32_t)n_damped(ff);
  double block[36] = {0};
  for (uint32_t i = 0; i < n; i++) {
    for (unsigned c = 0; c < deriv; c++) block[c * deriv + c] = -of_point(ff, i)[c];
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

/* A force of velocity alone stores none. */
static SofaErr damping_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)ff, (void)params, (void)at;
  *energy = 0;
  return SOFA_OK;
}

/* The force is linear. */
static bool damping_constant(const SofaForceField *ff) {
  (void)ff;
  return true;
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
  const SofaCoords *v = &ff->state[0]->velocity;
  const double *c = of_point(ff, point);
  for (unsigned k = 0; k < load_kind(ff)->deriv; k++) f[k] = -c[k] * v->data[point * v->width + k];
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const SofaForceField *ff = (const SofaForceField *)object;
  if (ff->state[0])
    load_draw_arrows(ff, args, &(LoadArrows){force_of, n_damped(ff), 0, SOFA_RGB(0.6, 0.4, 0.9)});
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(DiagonalVelocityDampingForceField) = {
    SOFA_NAMED(DiagonalVelocityDampingForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Viscous damping with its own coefficient for every component of every point.",
    .equations = "f_i = -diag(c_i) v_i",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_FIELDS(fields),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
