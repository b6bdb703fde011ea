/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LinearForceField: forces on points that follow key values in time. */
#include <math.h>

#include "behavior/state_division.h"
#include "behavior/draw_state.h"
#include "behavior/key_times.h"
#include "topology/topology.h"
#include "components/mechanicalload/load.h"

enum { QUIRK_LINEAR_FORCE_END = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_LINEAR_FORCE_END, "linear-force-end",
     "LinearForceField does not scale the last key by `force`", "test_quirks_motion.loads"},
};

typedef struct LinearForceField {
  SofaForceField force_field;
  SofaIndices points;
  double scale;
  SofaReals times;   /* s */
  SofaCoords forces; /* derivs, one per time */
  double arrow_size;
  SofaLink topology;
} LinearForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(LinearForceField, points, "points", NULL, "", "loaded points",
               .flags = SOFA_FIELD_REINIT, SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),
    SOFA_FIELD(LinearForceField, scale, "force", "1", "1", "factor of all forces"),
    SOFA_FIELD(LinearForceField, times, "times", NULL, "s", "key times, ascending",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(LinearForceField, forces, "forces", NULL, "N", "force on each point at key times",
               .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    SOFA_FIELD(LinearForceField, arrow_size, "arrowSizeCoef", "0", "1", "length of drawn arrows",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(LinearForceField, topology, "topology", NULL, "",
               "topology whose changes renumber points", .link = &topology_rule),
};

static SofaErr linear_init(SofaObject *object) {
  LinearForceField *l = (LinearForceField *)object;
  if (l->times.n != l->forces.n)
    return sofa_field_fail(object, "forces", SOFA_ERR_ARGUMENT, "has %zu forces for %zu key times",
                           l->forces.n, l->times.n);
  return sofa_key_times_check(object, "times", &l->times);
}

/* The force on a listed point; false before the first key, and without a force for each key. Linear
 * between keys, then constant. */
static bool force_at(const LinearForceField *l, double t, double *force) {
  if (!l->times.n || l->times.n != l->forces.n) return false;
  const SofaKeyInterval key = sofa_key_interval(&l->times, t);
  const unsigned deriv = load_kind(&l->force_field)->deriv;
  if (key.where == SOFA_KEY_BEFORE) return false;
  const double *a = l->forces.data + key.prev * deriv, *b = l->forces.data + key.next * deriv;
  double scale = l->scale;
  if (key.where == SOFA_KEY_AFTER && scale != 1 &&
      sofa_quirk(&l->force_field.object, QUIRK_LINEAR_FORCE_END))
    scale = 1;
  for (unsigned c = 0; c < deriv; c++) force[c] = scale * (a[c] + (b[c] - a[c]) * key.s);
  return true;
}

static SofaErr linear_add_force(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, double *const *f) {
  (void)params;
  const LinearForceField *l = (LinearForceField *)ff;
  const unsigned deriv = load_kind(ff)->deriv;
  double force[6];
  if (!force_at(l, at->time, force)) return SOFA_OK;
  for (size_t k = 0; k < l->points.n; k++)
    for (unsigned c = 0; c < deriv; c++) f[0][l->points.data[k] * deriv + c] += force[c];
  return SOFA_OK;
}

static SofaErr linear_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                       const SofaPoint *at, double *energy) {
  (void)params;
  const LinearForceField *l = (LinearForceField *)ff;
  const SofaStateKindInfo *info = load_kind(ff);
  double force[6];
  *energy = 0;
  if (info->rigid || !force_at(l, at->time, force)) return SOFA_OK;
  const size_t owned = sofa_state_n_owned(ff->state[0]);
  for (size_t k = 0; k < l->points.n; k++)
    for (unsigned c = 0; c < info->deriv && l->points.data[k] < owned; c++)
      *energy -= force[c] * at->x[0][l->points.data[k] * info->coord + c];
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {.add_force = linear_add_force,
                                      .potential_energy = linear_potential_energy,
                                      .conservative = load_is_conservative,
                                      .is_load = true,
                                      .own_points = true};

/* An arrow at each point: arrowSizeCoef times the force of the moment; without one, a tenth of the
 * scene long. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const LinearForceField *l = (const LinearForceField *)object;
  double force[6], size = 0, scale = l->arrow_size;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)l->force_field.state)) return;
  const SofaStateKindInfo *kind = load_kind(&l->force_field);
  const unsigned n = kind->space < 3 ? kind->space : 3;
  if (!force_at(l, args->time, force)) return;
  for (int k = 0; k < 3; k++) size = fmax(size, args->box->max[k] - args->box->min[k]);
  double length = 0;
  for (unsigned k = 0; k < n; k++) length += force[k] * force[k];
  if (!(scale > 0)) scale = length > 0 ? 0.1 * size / sqrt(length) : 0;
  for (size_t i = 0; i < l->points.n; i++)
    sofa_draw_force(args->list, (SofaStatePoint){l->force_field.state[0], l->points.data[i]}, force,
                    n, scale, SOFA_RGB(0.2, 0.9, 0.3));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", "Rigid3d", NULL};

SOFA_CLASS(LinearForceField) = {
    SOFA_NAMED(LinearForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help = "Forces on points, interpolated linearly between key times: none before the first, the "
            "last one from the last on. The time is that of the start of a step; of solvers of "
            "equilibria its end.",
    .equations = "f(t) = (1 - s) F_k + s F_{k+1}, s = (t - t_k)/(t_{k+1} - t_k)",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = linear_init,
    .reinit = linear_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
