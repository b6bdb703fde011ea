/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Penalty loads: evaluation of a law over the points, its tangent, and what the scene says. */
#include "behavior/state_division.h"
#include "components/mechanicalload/penalty.h"

#include <math.h>

#include "change/topology_change.h"

enum { QUIRK_BILATERAL_DAMPING = 1 << 20 };
static const SofaQuirk quirks[] = {
    {QUIRK_BILATERAL_DAMPING, "bilateral-damping",
     "damping of penalty loads drives points on the outer side instead of braking them",
     "test_quirks_motion.loads"},
    QUIRK_LOAD_DAMPING_MATRIX_ROW,
};

static const SofaField fields[] = {
    SOFA_FIELD(Penalty, stiffness, "stiffness", "500", "N/m", "force per depth",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(Penalty, damping, "damping", "5", "N s/m^2", "damping force per velocity and depth",
               .flags = SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
};

static const SofaPrivateList lists[] = {
    /* of each point: the object makes room for those that come */
    SOFA_PRIVATE(Penalty, blocks, SOFA_PER(SOFA_ELEMENT_POINT, .by_object = true)),
    SOFA_PRIVATE_NAMES(Penalty, named),
};

static Penalty *penalty(SofaForceField *ff) {
  return (Penalty *)ff;
}

/* Reals of a point: its two blocks, and 1 where a force acted, else 0 as all of them. */
static size_t stride_of(const Penalty *p) {
  return 2 * (size_t)p->dims * p->dims + 1;
}

/* Room for the blocks of each point; only when the number of points has changed. */
static SofaErr make_room(Penalty *p) {
  const size_t size = load_n_points(&p->force_field) * stride_of(p);
  if (p->blocks.n == size) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(p->force_field.object.ctx, &p->blocks, size));
  sofa_zero(p->blocks.data, size * sizeof *p->blocks.data);
  return SOFA_OK;
}

static double brake(const Penalty *p, double distance) {
  return -p->damping * fabs(distance);
}

/* On the far side of a bilateral surface SOFA's sign drives the point. */
static double drive_beyond(const Penalty *p, double distance) {
  return distance > 0 && p->damping != 0 ? p->damping * distance : brake(p, distance);
}

static SofaErr penalty_init(SofaObject *object) {
  Penalty *p = (Penalty *)object;
  p->dims = load_dims(&p->force_field);
  p->damping_factor = sofa_quirk(object, QUIRK_BILATERAL_DAMPING) ? drive_beyond : brake;
  return make_room(p);
}

/* The points it acts on: first .. end - 1 of them, those in_range(). Where points went or came, the
 * range names them by the numbers they had when they came. */
static void range_of(const Penalty *p, size_t *first, size_t *end) {
  static const SofaInts all = {0};
  load_range(p->named.changed ? &all : &p->range, load_n_points(&p->force_field), first, end);
}
static bool in_range(const Penalty *p, size_t point) {
  if (!p->named.changed) return true;
  const size_t number = sofa_point_number(&p->named, (uint32_t)point);
  size_t first, end;
  load_range(&p->range, number + 1, &first, &end);
  return number >= first && number < end;
}

static SofaErr penalty_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  Penalty *p = penalty(ff);
  const SofaStateKindInfo *info = load_kind(ff);
  const size_t stride = stride_of(p), coord = info->coord, deriv = info->deriv;
  const PenaltyLaw law = p->law;
  size_t first, end;
  SOFA_TRY(make_room(p));
  range_of(p, &first, &end);
  for (size_t i = 0; i * stride < p->blocks.n; i++) {
    double *blocks = p->blocks.data + i * stride;
    if (blocks[stride - 1] != 0) sofa_zero(blocks, stride * sizeof *blocks);
    if (i < first || i >= end || !in_range(p, i)) continue;
    blocks[stride - 1] =
        law(p, at->x[0] + i * coord, at->v[0] + i * deriv, f[0] + i * deriv, blocks);
  }
  return SOFA_OK;
}

static SofaErr penalty_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *moves,
                                  double *const *changes) {
  (void)at;
  const Penalty *p = penalty(ff);
  const unsigned deriv = load_kind(ff)->deriv, d = p->dims;
  const double k = sofa_kfactor(ff, params), b = penalty_bfactor(ff, params);
  const size_t stride = stride_of(p);
  size_t first, end;
  range_of(p, &first, &end);
  for (size_t i = first; i < end; i++) {
    const double *by_x = p->blocks.data + i * stride, *by_v = by_x + d * d;
    const double *dx = moves[0] + i * deriv;
    if (by_x[stride - 1] == 0) continue;
    double *df = changes[0] + i * deriv;
    for (unsigned r = 0; r < d; r++) {
      double sum = 0;
      for (unsigned c = 0; c < d; c++) sum += (k * by_x[r * d + c] + b * by_v[r * d + c]) * dx[c];
      df[r] += sum;
    }
  }
  return SOFA_OK;
}

/* The blocks of rank `which`. Points without contact add zeros, so that contacts do not change the
 * pattern. */
static void add_blocks(SofaForceField *ff, size_t which, const SofaTangent *tangent) {
  const Penalty *p = penalty(ff);
  const unsigned deriv = load_kind(ff)->deriv, d = p->dims;
  const size_t stride = stride_of(p);
  double wide[36] = {0};
  size_t first, end;
  range_of(p, &first, &end);
  for (size_t i = first; i < end; i++) {
    const double *block = p->blocks.data + i * stride + which * d * d;
    for (unsigned r = 0; r < d; r++)
      for (unsigned c = 0; c < d; c++) wide[r * deriv + c] = block[r * d + c];
    sofa_tangent_add(tangent, 0, (uint32_t)i, 0, (uint32_t)i, wide);
  }
}

static SofaErr penalty_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  add_blocks(ff, 0, tangent);
  return SOFA_OK;
}

static SofaErr penalty_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params, (void)at;
  if (penalty(ff)->damping != 0 && !sofa_quirk(&ff->object, QUIRK_LOAD_DAMPING_MATRIX))
    add_blocks(ff, 1, tangent);
  return SOFA_OK;
}

static SofaErr penalty_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)params;
  const Penalty *p = penalty(ff);
  const unsigned coord = load_kind(ff)->coord;
  size_t first, end;
  *energy = 0;
  range_of(p, &first, &end);
  const size_t owned = sofa_state_n_owned(ff->state[0]);
  for (size_t i = first; i < end && i < owned; i++)
    if (in_range(p, i)) *energy += p->law_energy(p, at->x[0] + i * coord);
  return SOFA_OK;
}

double penalty_energy_at(const Penalty *p, double distance) {
  return distance < 0 || p->bilateral ? 0.5 * p->stiffness * distance * distance : 0;
}

static SofaErr penalty_done(SofaObject *object) {
  return make_room((Penalty *)object);
}

static const SofaTopologyListenerOps listener = {.done = penalty_done};

static const SofaApproximation *penalty_approximation(const SofaForceField *ff) {
  return ((const Penalty *)ff)->left_out;
}

const SofaForceFieldOps penalty_ops = {
    .add_force = penalty_add_force,
    .add_dforce = penalty_add_dforce,
    .add_k = penalty_add_k,
    .add_b = penalty_add_b,
    .approximation = penalty_approximation,
    .tangent_is_dforce = true,
    .keeps_point = true,
};
const SofaForceFieldOps penalty_energy_ops = {
    .add_force = penalty_add_force,
    .add_dforce = penalty_add_dforce,
    .add_k = penalty_add_k,
    .add_b = penalty_add_b,
    .approximation = penalty_approximation,
    .potential_energy = penalty_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
    .own_points = true,
};

const SofaClass penalty_class = {
    .name = "PenaltyLoad",
    .module = "csofa",
    .category = "ForceField",
    .help = "A force on points that depends on the place and velocity of each alone.",
    .base = &sofa_force_field_class,
    SOFA_QUIRKS(quirks),
    .size = sizeof(Penalty),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .abstract = true,
    .init = penalty_init,
    .reinit = penalty_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};
