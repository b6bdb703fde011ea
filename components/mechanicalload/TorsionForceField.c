/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TorsionForceField: forces that turn points around an axis. */
#include "behavior/draw_state.h"
#include "components/mechanicalload/load.h"
#include "math/vec.h"

typedef struct TorsionForceField {
  SofaForceField force_field;
  SofaIndices indices;
  double torque; /* force per distance from the axis, N/m */
  SofaVec3 axis, origin;
  double unit[3]; /* axis, normalised */
} TorsionForceField;

typedef TorsionForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(indices, "indices", NULL, "", "turned points", .flags = SOFA_FIELD_REINIT,
             SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),
    SOFA_ROW(torque, "torque", "0", "N/m",
             "force per distance from the axis; rigid kinds: also the torque on each frame"),
    SOFA_ROW(axis, "axis", "0 0 0", "1", "direction of the axis, not 0", .flags = SOFA_FIELD_REINIT,
             .range = SOFA_DIRECTION),
    SOFA_ROW(origin, "origin", "0 0 0", "m", "a point of the axis"),
};

static SofaErr torsion_init(SofaObject *object) {
  TorsionForceField *t = (TorsionForceField *)object;
  sofa_vec3_copy(t->axis.v, t->unit);
  sofa_vec3_normalize(t->unit);
  return SOFA_OK;
}

/* Reals of a point in x and in f. */
typedef struct Strides {
  size_t x, f;
} Strides;

/* f_i += k u x (x_i - o); o NULL: 0. Inlined with constant strides. */
static inline void add_turns(const TorsionForceField *t, double k, const double *o, const double *x,
                             double *f, Strides stride) {
  const double u0 = t->unit[0], u1 = t->unit[1], u2 = t->unit[2];
  const double o0 = o ? o[0] : 0, o1 = o ? o[1] : 0, o2 = o ? o[2] : 0;
  const uint32_t *index = t->indices.data;
  const size_t n = t->indices.n;
  for (size_t p = 0; p < n; p++) {
    const double *at = x + index[p] * stride.x;
    double *to = f + index[p] * stride.f;
    const double a0 = at[0] - o0, a1 = at[1] - o1, a2 = at[2] - o2;
    to[0] += k * (u1 * a2 - u2 * a1);
    to[1] += k * (u2 * a0 - u0 * a2);
    to[2] += k * (u0 * a1 - u1 * a0);
  }
}

/* f += torque u x (x - o); on frames also the torque itself */
static SofaErr torsion_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *forces) {
  (void)params;
  const TorsionForceField *t = (TorsionForceField *)ff;
  const SofaStateKindInfo *info = load_kind(ff);
  const double *x = at->x[0], *o = t->origin.v;
  double *f = forces[0];
  if (!info->rigid) {
    add_turns(t, t->torque, o, x, f, (Strides){3, 3});
    return SOFA_OK;
  }
  add_turns(t, t->torque, o, x, f, (Strides){info->coord, info->deriv});
  for (size_t k = 0; k < t->indices.n; k++)
    sofa_vec3_axpy(t->torque, t->unit, f + (size_t)t->indices.data[k] * info->deriv + 3);
  return SOFA_OK;
}

/* df += k torque u x dx */
static SofaErr torsion_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *point, const double *const *dx,
                                  double *const *df) {
  (void)point;
  const TorsionForceField *t = (TorsionForceField *)ff;
  const double k = sofa_kfactor(ff, params) * t->torque;
  const unsigned deriv = load_kind(ff)->deriv;
  if (deriv == 3) add_turns(t, k, NULL, dx[0], df[0], (Strides){3, 3});
  else add_turns(t, k, NULL, dx[0], df[0], (Strides){deriv, deriv});
  return SOFA_OK;
}

static SofaErr torsion_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  const TorsionForceField *t = (TorsionForceField *)ff;
  const unsigned deriv = load_kind(ff)->deriv;
  double turn[3], cross[9], block[36] = {0};
  sofa_vec3_scale(t->torque, t->unit, turn);
  sofa_mat3_cross(turn, cross);
  for (unsigned r = 0; r < 3; r++)
    for (unsigned c = 0; c < 3; c++) block[r * deriv + c] = cross[3 * r + c];
  for (size_t k = 0; k < t->indices.n; k++)
    sofa_tangent_add(tangent, 0, t->indices.data[k], 0, t->indices.data[k], block);
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {.add_force = torsion_add_force,
                                      .add_dforce = torsion_add_dforce,
                                      .add_k = torsion_add_k,
                                      .tangent_is_dforce = true,
                                      .is_load = true};

/* The axis, and the points that are turned about it. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const TorsionForceField *t = (const TorsionForceField *)object;
  double reach = 0, a[3], b[3];
  if (!sofa_draw_shows_field(args, (const SofaState *const *)t->force_field.state)) return;
  for (int k = 0; k < 3; k++) reach = fmax(reach, args->box->max[k] - args->box->min[k]);
  for (int k = 0; k < 3; k++) {
    a[k] = t->origin.v[k] - reach * t->unit[k];
    b[k] = t->origin.v[k] + reach * t->unit[k];
  }
  sofa_draw_line(args->list, a, b, 2, SOFA_RGB(1, 0.6, 0));
  sofa_draw_state_points(args->list, t->force_field.state[0], &t->indices, 0, SOFA_RGB(1, 0.6, 0));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(TorsionForceField) = {
    SOFA_NAMED(TorsionForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Turns points around an axis with the force torque u x (x - origin), u the unit "
            "direction of the axis.",
    .equations = "f = tau u times (x - o)",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = torsion_init,
    .reinit = torsion_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
