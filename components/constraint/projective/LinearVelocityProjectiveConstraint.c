/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LinearVelocityProjectiveConstraint: points moved with a velocity that follows key times. */

#include "behavior/checks.h"
#include "object/checkpoint.h"
#include "components/constraint/projective/key_motion.h"

enum { QUIRK_VELOCITY_START = 1, QUIRK_VELOCITY_COORDINATES = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_VELOCITY_START, "velocity-start",
     "LinearVelocityProjectiveConstraint moves points at initialisation and for trial states too",
     "test_quirks_motion.constraints"},
    {QUIRK_VELOCITY_COORDINATES, "velocity-coordinates",
     "LinearVelocityProjectiveConstraint holds all components although only some are imposed",
     "test_quirks_motion.constraints"},
};

typedef struct LinearVelocityProjectiveConstraint {
  KeyMotion motion;        /* values are velocities */
  SofaIndices coordinates; /* moved components; empty: all */
  bool continues;
  bool moved[6];    /* per deriv component */
  SofaReals place;  /* coords the next movement starts from */
  SofaReals target; /* coords of the last movement */
  double time;      /* of the last movement, s */
  bool started;     /* a movement has been made */
} LinearVelocityProjectiveConstraint;

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(KeyMotion, "0"),
    KEY_MOTION_ROW_TIMES(LinearVelocityProjectiveConstraint),
    SOFA_FIELD(LinearVelocityProjectiveConstraint, motion.values, "velocities", NULL, "m/s",
               "velocity at each key time", .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    SOFA_FIELD(LinearVelocityProjectiveConstraint, coordinates, "coordinates", NULL, "",
               "components of the velocity that are imposed; empty: all",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(LinearVelocityProjectiveConstraint, continues, "continueAfterEnd", "0", "",
               "go on with the last velocity behind the last key"),
};

static const SofaPrivateList lists[] = {
    KEY_MOTION_LISTS,
    PROJECTIVE_COORDS(LinearVelocityProjectiveConstraint, place),
    PROJECTIVE_COORDS(LinearVelocityProjectiveConstraint, target),
};

static LinearVelocityProjectiveConstraint *self(SofaProjective *c) {
  return (LinearVelocityProjectiveConstraint *)c;
}

static SofaErr velocity_init(SofaObject *object) {
  LinearVelocityProjectiveConstraint *l = self((SofaProjective *)object);
  SOFA_TRY(key_motion_init(&l->motion, "velocities"));
  const uint32_t deriv = l->motion.values.width;
  for (uint32_t i = 0; i < deriv; i++) l->moved[i] = !l->coordinates.n;
  for (size_t k = 0; k < l->coordinates.n; k++) {
    if (l->coordinates.data[k] < deriv) {
      l->moved[l->coordinates.data[k]] = true;
      continue;
    }
    SOFA_TRY(sofa_keep_going(object, sofa_field_fail(object, "coordinates", SOFA_ERR_RANGE,
                                                     "%u is not one of the %u components",
                                                     l->coordinates.data[k], deriv)));
  }
  return SOFA_OK;
}

static SofaErr velocity_reset(SofaObject *object) {
  LinearVelocityProjectiveConstraint *l = self((SofaProjective *)object);
  l->started = false;
  if (l->place.n) sofa_copy(l->place.data, l->motion.x0.data, l->place.n * sizeof *l->place.data);
  return SOFA_OK;
}

/* The velocity at t: between keys; at the last key its own; behind it only when it continues. */
static bool velocity_at(const LinearVelocityProjectiveConstraint *l, double t, double *v) {
  const KeyMotion *motion = &l->motion;
  const size_t n = motion->times.n, deriv = motion->values.width;
  if (key_motion_at(motion, t, v, NULL)) return true;
  if (n < 2 || t < motion->times.data[n - 1]) return false;
  if (t > motion->times.data[n - 1] && !l->continues) return false;
  sofa_copy(v, motion->values.data + (n - 1) * deriv, deriv * sizeof *v);
  return true;
}

/* SOFA holds all components although only some are imposed. */
static const bool *held(const LinearVelocityProjectiveConstraint *l) {
  return l->coordinates.n &&
                 sofa_quirk(&l->motion.indexed.constraint.object, QUIRK_VELOCITY_COORDINATES)
             ? NULL
             : l->moved;
}

static SofaErr velocity_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  double v[6];
  if (velocity_at(self(c), params->from, v))
    indexed_clear((IndexedConstraint *)c, held(self(c)), dx);
  return SOFA_OK;
}

static SofaErr velocity_discard(SofaProjective *c, const SofaMechParams *params,
                                SofaDiscard *discard) {
  double v[6];
  if (velocity_at(self(c), params->from, v))
    indexed_discard((IndexedConstraint *)c, held(self(c)), discard);
  return SOFA_OK;
}

static SofaErr velocity_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  const IndexedConstraint *indexed = (IndexedConstraint *)c;
  const size_t deriv = constrained_kind(c)->deriv, n = indexed_n(indexed);
  double imposed[6];
  if (!velocity_at(self(c), params->from, imposed)) return SOFA_OK;
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < deriv; i++)
      if (self(c)->moved[i]) v[indexed_at(indexed, k) * deriv + i] = imposed[i];
  return SOFA_OK;
}

/* x := from moved by h v in the imposed components; the others of x stay. */
static void move_point(const SofaProjective *c, const bool *moved, double h, const double *v,
                       const double *from, double *x) {
  const SofaStateKindInfo *kind = constrained_kind(c);
  double restricted[6], to[7];
  for (unsigned i = 0; i < kind->deriv; i++) restricted[i] = moved[i] ? v[i] : 0;
  sofa_copy(to, from, kind->coord * sizeof *to);
  sofa_state_integrate(c->state->object.kind, 1, h, restricted, to);
  const bool turned = kind->rigid && (moved[kind->space] || moved[kind->deriv - 1] ||
                                      moved[kind->space + (kind->deriv - kind->space) / 2]);
  for (unsigned i = 0; i < kind->coord; i++)
    if (kind->rigid && i >= kind->space ? turned : moved[i]) x[i] = to[i];
}

/* One movement per step. In SOFA every projection of positions is one, also the one at
 * initialisation and those of trial states. */
static bool is_new_movement(const LinearVelocityProjectiveConstraint *l, bool first, double t) {
  const bool again = first || (l->started && t == l->time);
  return !again || sofa_quirk(&l->motion.indexed.constraint.object, QUIRK_VELOCITY_START);
}

/* Until the first key the movement's start follows the free points. In SOFA it stays at the first
 * place, to which they then jump back. */
static void wait(LinearVelocityProjectiveConstraint *l, double t, const double *x) {
  const KeyMotion *motion = &l->motion;
  if (!motion->times.n || t >= motion->times.data[0] ||
      sofa_quirk(&motion->indexed.constraint.object, QUIRK_VELOCITY_START))
    return;
  sofa_copy(l->place.data, x, l->place.n * sizeof *x);
}

static SofaErr velocity_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  LinearVelocityProjectiveConstraint *l = self(c);
  const IndexedConstraint *indexed = (IndexedConstraint *)c;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(indexed);
  const bool first = !l->place.n;
  double v[6];
  SOFA_TRY(projective_capture(c, x, &l->motion.x0));
  SOFA_TRY(projective_capture(c, x, &l->place));
  SOFA_TRY(projective_capture(c, x, &l->target));
  if (!velocity_at(l, params->from, v)) {
    wait(l, params->from, x);
    return SOFA_OK;
  }
  const bool moves = is_new_movement(l, first, params->from);
  /* the movement of this step starts where the one of the step before ended */
  if (moves && l->started)
    for (size_t k = 0; k < n; k++)
      sofa_copy(l->place.data + indexed_at(indexed, k) * coord,
                l->target.data + indexed_at(indexed, k) * coord, coord * sizeof *x);
  if (first && !moves) return SOFA_OK;
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(indexed, k) * coord;
    move_point(c, l->moved, params->dt, v, l->place.data + at, x + at);
    sofa_copy(l->target.data + at, x + at, coord * sizeof *x);
  }
  l->started = true;
  l->time = params->from;
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = velocity_response,
                                      .velocity = velocity_velocity,
                                      .position = velocity_position,
                                      .discard = velocity_discard};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", "Rigid3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(LinearVelocityProjectiveConstraint, time),
    SOFA_KEEP(LinearVelocityProjectiveConstraint, started),
};

SOFA_CLASS(LinearVelocityProjectiveConstraint) = {
    SOFA_NAMED(LinearVelocityProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves points with a velocity that is linear between key times, from the first key to "
            "the last: each step adds dt v(t), t the time at its start.",
    .equations = "v = (1 - s) v_k + s v_{k+1}, s = (t - t_k)/(t_{k+1} - t_k), x' = x + h v",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = velocity_init,
    .reset = velocity_reset,
    .reinit = velocity_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
