/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UniformDrag: a drag on every point, f = -c v, as a plugin. */
#include <sofa.h>

typedef struct UniformDrag {
  SofaForceField force_field; /* first: what every force field has */
  double coefficient;         /* c */
} UniformDrag;

static const SofaField fields[] = {
    SOFA_FIELD(UniformDrag, coefficient, "coefficient", "0.1", "N s/m", "drag per point: f = -c v",
               .range = SOFA_AT_LEAST(0)),
};

/* Reals of a velocity: the state's points times its degrees of freedom per point. */
static size_t n_reals(const SofaForceField *ff) {
  return sofa_state_size(ff->state[0]) * sofa_state_kind_info(ff->object.kind)->deriv;
}

/* f -= c v */
static SofaErr add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                         double *const *f) {
  const double c = ((const UniformDrag *)ff)->coefficient;
  (void)p;
  for (size_t i = 0, n = n_reals(ff); i < n; i++) f[0][i] -= c * at->v[0][i];
  return SOFA_OK;
}

/* df += bf dF/dv dx with dF/dv = -c I; there is no stiffness */
static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  (void)at;
  const double factor = -p->b * ((const UniformDrag *)ff)->coefficient;
  for (size_t i = 0, n = n_reals(ff); i < n; i++) df[0][i] += factor * dx[0][i];
  return SOFA_OK;
}

/* the same derivative as one diagonal block per point */
static SofaErr add_b(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  (void)at;
  const double c = ((const UniformDrag *)ff)->coefficient;
  const unsigned d = sofa_state_kind_info(ff->object.kind)->deriv;
  double block[36] = {0};
  (void)p;
  for (unsigned k = 0; k < d; k++) block[k * d + k] = -c;
  for (size_t i = 0, n = sofa_state_size(ff->state[0]); i < n; i++)
    sofa_tangent_add(tangent, 0, (uint32_t)i, 0, (uint32_t)i, block);
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {
    .add_force = add_force, .add_dforce = add_dforce, .add_b = add_b, .tangent_is_dforce = true};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", NULL};

static const SofaClass uniform_drag_class = {
    .name = "UniformDrag",
    .module = "UniformDrag",
    .category = "ForceField",
    .help = "A drag on every point, f = -c v.",
    .base = &sofa_force_field_class,
    .size = sizeof(UniformDrag),
    SOFA_FIELDS(fields),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};

SOFA_PLUGIN("UniformDrag", "1.0", &uniform_drag_class)
