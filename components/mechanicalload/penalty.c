/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Penalty loads: evaluation of a law over the points, its tangent, and what the scene says. */
#include "behavior/state_division.h"
#include "components/mechanicalload/penalty.h"

#include <stdint.h>

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
    SOFA_PRIVATE_NAMES(Penalty, named),
};

static Penalty *penalty(SofaForceField *ff) {
  return (Penalty *)ff;
}

static SofaErr penalty_init(SofaObject *object) {
  Penalty *p = (Penalty *)object;
  p->dims = load_dims(&p->force_field);
  /* on the far side of a bilateral surface SOFA's sign drives the point */
  p->beyond = sofa_quirk(object, QUIRK_BILATERAL_DAMPING) ? p->damping : -p->damping;
  return SOFA_OK;
}

/* ---- points ---- */

/* Is the number that the point had when it came one of low .. high - 1? */
static bool is_named(const Penalty *p, size_t point, size_t low, size_t high) {
  const size_t number = sofa_point_number(&p->named, (uint32_t)point);
  return number >= low && number < high;
}

/* The next points that it acts on: first .. end - 1, from *end on; false: there are no more. Where
 * points went or came, the range names them by the numbers they had when they came. */
static bool next_points(const Penalty *p, size_t *first, size_t *end) {
  const size_t n = load_n_points(&p->force_field);
  size_t low, high;
  load_range(&p->range, p->named.changed ? SIZE_MAX : n, &low, &high);
  *first = *end;
  if (!p->named.changed) {
    if (*first < low) *first = low;
    *end = high;
    return *first < *end;
  }
  while (*first < n && !is_named(p, *first, low, high)) ++*first;
  for (*end = *first; *end < n && is_named(p, *end, low, high);) ++*end;
  return *first < *end;
}

/* A law and what it needs. */
typedef struct Use {
  const PenaltyLoops *loops;
  PenaltyTerms terms;
} Use;
static Use use_of(const Penalty *p) {
  Use use = {&penalty_kernels(p->force_field.object.ctx)->of[p->law],
             {.dims = p->dims,
              .bilateral = p->bilateral,
              .stiffness = p->stiffness,
              .damping = p->damping,
              .beyond = p->beyond}};
  p->describe(p, &use.terms);
  return use;
}

static PenaltyPoints points_of(const SofaForceField *ff, const SofaPoint *at, size_t first,
                               size_t end) {
  const SofaStateKindInfo *info = load_kind(ff);
  return (PenaltyPoints){.x = at->x[0] + first * info->coord,
                         .v = at->v[0] + first * info->deriv,
                         .n = end - first,
                         .coord = info->coord,
                         .deriv = info->deriv};
}

/* ---- forces ---- */

static SofaErr penalty_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  const Use use = use_of(penalty(ff));
  for (size_t first, end = 0; next_points(penalty(ff), &first, &end);) {
    const PenaltyPoints points = points_of(ff, at, first, end);
    use.loops->force(&use.terms, &points, f[0] + first * points.deriv);
  }
  return SOFA_OK;
}

static SofaErr penalty_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *moves,
                                  double *const *changes) {
  const Use use = use_of(penalty(ff));
  const PenaltyFactors by = {sofa_kfactor(ff, params), penalty_bfactor(ff, params)};
  for (size_t first, end = 0; next_points(penalty(ff), &first, &end);) {
    const PenaltyPoints points = points_of(ff, at, first, end);
    const size_t begin = first * points.deriv;
    use.loops->product(&use.terms, &points, by, moves[0] + begin, changes[0] + begin);
  }
  return SOFA_OK;
}

/* Adds a point's block of width x width reals, of which dims x dims count. */
static void add_block(const SofaForceField *ff, const Use *use, const SofaTangent *tangent,
                      uint32_t point, const double *block) {
  const unsigned deriv = load_kind(ff)->deriv, width = use->loops->width, d = use->terms.dims;
  double wide[PENALTY_MOST * PENALTY_MOST] = {0};
  for (unsigned r = 0; r < d; r++)
    for (unsigned c = 0; c < d; c++) wide[r * deriv + c] = block[r * width + c];
  sofa_tangent_add(tangent, 0, point, 0, point, wide);
}

/* The blocks k dF/dx + b dF/dv. Points without contact add zeros, so that contacts do not change
 * the pattern. */
static void add_blocks(SofaForceField *ff, PenaltyFactors by, const SofaPoint *at,
                       const SofaTangent *tangent) {
  const Use use = use_of(penalty(ff));
  const unsigned width = use.loops->width, size = width * width;
  const bool whole = load_kind(ff)->deriv == width && use.terms.dims == width;
  double blocks[SOFA_LANES * PENALTY_MOST * PENALTY_MOST];
  for (size_t first, end = 0; next_points(penalty(ff), &first, &end);) {
    for (size_t i = first; i < end; i += SOFA_LANES) {
      const size_t last = end - i < SOFA_LANES ? end : i + SOFA_LANES;
      const PenaltyPoints points = points_of(ff, at, i, last);
      use.loops->blocks(&use.terms, &points, by, blocks);
      for (uint32_t p = (uint32_t)i; p < last; p++) {
        const double *block = blocks + (p - i) * size;
        if (whole) sofa_tangent_add(tangent, 0, p, 0, p, block);
        else add_block(ff, &use, tangent, p, block);
      }
    }
  }
}

static SofaErr penalty_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params;
  add_blocks(ff, (PenaltyFactors){1, 0}, at, tangent);
  return SOFA_OK;
}

static SofaErr penalty_add_b(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent) {
  (void)params;
  if (penalty(ff)->damping != 0 && !sofa_quirk(&ff->object, QUIRK_LOAD_DAMPING_MATRIX))
    add_blocks(ff, (PenaltyFactors){0, 1}, at, tangent);
  return SOFA_OK;
}

static SofaErr penalty_energy(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                              double *energy) {
  (void)params;
  const Penalty *p = penalty(ff);
  const unsigned coord = load_kind(ff)->coord;
  const size_t owned = sofa_state_n_owned(ff->state[0]);
  *energy = 0;
  for (size_t first, end = 0; next_points(p, &first, &end);)
    for (size_t i = first; i < end && i < owned; i++)
      *energy += p->law_energy(p, at->x[0] + i * coord);
  return SOFA_OK;
}

double penalty_energy_at(const Penalty *p, double distance) {
  return distance < 0 || p->bilateral ? 0.5 * p->stiffness * distance * distance : 0;
}

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
};
const SofaForceFieldOps penalty_energy_ops = {
    .add_force = penalty_add_force,
    .add_dforce = penalty_add_dforce,
    .add_k = penalty_add_k,
    .add_b = penalty_add_b,
    .approximation = penalty_approximation,
    .potential_energy = penalty_energy,
    .tangent_is_dforce = true,
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
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
