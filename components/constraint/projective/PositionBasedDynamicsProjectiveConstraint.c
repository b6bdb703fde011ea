/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PositionBasedDynamicsProjectiveConstraint: points drawn towards targets at the end of each step.
 */

#include "behavior/draw_state.h"
#include "object/checkpoint.h"
#include "object/data_graph.h"
#include "components/constraint/projective/indexed.h"
#include "math/quaternion.h"

typedef struct PositionBasedDynamicsProjectiveConstraint {
  SofaProjective constraint;
  double stiffness;
  SofaCoords position, velocity, old;
  SofaCoords start_velocity; /* after init; owned */
  bool restored;             /* by a reset: the next positions are those after init, not moved */
} PositionBasedDynamicsProjectiveConstraint;

typedef PositionBasedDynamicsProjectiveConstraint SofaSelf; /* of SOFA_ROW */

/* The target of an inserted point is its position. */
#define PER_POINT(values) SOFA_PER(SOFA_ELEMENT_POINT, .inserted = (values))

static const SofaField fields[] = {
    SOFA_ROW(stiffness, "stiffness", "1", "1", "share of the way to the target made in a step"),
    SOFA_ROW(position, "position", NULL, "m", "target of each point of the state",
             PER_POINT(SOFA_INSERTED_POSITION)),
    SOFA_ROW(velocity, "velocity", NULL, "m/s", "velocities of the last step",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_DERIV, PER_POINT(SOFA_INSERTED_ZERO)),
    SOFA_ROW(old, "old_position", NULL, "m", "positions after the last step",
             .flags = SOFA_FIELD_OUTPUT, PER_POINT(SOFA_INSERTED_POSITION)),
};

static PositionBasedDynamicsProjectiveConstraint *self(SofaProjective *c) {
  return (PositionBasedDynamicsProjectiveConstraint *)c;
}

/* velocity = 0, old = x */
static SofaErr start(SofaObject *object) {
  PositionBasedDynamicsProjectiveConstraint *p = self((SofaProjective *)object);
  const SofaState *s = p->constraint.state;
  p->velocity.width = constrained_kind(&p->constraint)->deriv;
  p->old.width = s->position.width;
  SOFA_TRY(sofa_coords_resize(object->ctx, &p->velocity, s->position.n));
  SOFA_TRY(sofa_coords_resize(object->ctx, &p->old, s->position.n));
  if (!s->position.n) return SOFA_OK;
  sofa_zero(p->velocity.data, p->velocity.n * p->velocity.width * sizeof(double));
  sofa_copy(p->old.data, s->position.data, p->old.n * p->old.width * sizeof(double));
  return SOFA_OK;
}

static SofaErr store_reset(SofaObject *object) {
  PositionBasedDynamicsProjectiveConstraint *p = self((SofaProjective *)object);
  p->start_velocity.width = p->velocity.width;
  SOFA_TRY(sofa_coords_resize(object->ctx, &p->start_velocity, p->velocity.n));
  const size_t n = p->velocity.n * p->velocity.width;
  if (n) sofa_copy(p->start_velocity.data, p->velocity.data, n * sizeof(double));
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  PositionBasedDynamicsProjectiveConstraint *p = self((SofaProjective *)object);
  SOFA_TRY(start(object));
  p->restored = p->start_velocity.n == p->velocity.n && p->velocity.n > 0;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  PositionBasedDynamicsProjectiveConstraint *p = self((SofaProjective *)object);
  sofa_coords_free(object->ctx, &p->start_velocity);
}

/* Positions after init: they are projected already, and the memory of that time comes back. */
static void restore(PositionBasedDynamicsProjectiveConstraint *p, const double *x) {
  sofa_copy(p->old.data, x, p->old.n * p->old.width * sizeof *x);
  sofa_copy(p->velocity.data, p->start_velocity.data,
            p->velocity.n * p->velocity.width * sizeof(double));
  p->restored = false;
}

/* Each point of the state needs a target; the list may change in the run. */
static bool has_targets(const SofaProjective *c) {
  const PositionBasedDynamicsProjectiveConstraint *p =
      (const PositionBasedDynamicsProjectiveConstraint *)c;
  const size_t n = sofa_state_size(c->state);
  return p->position.n == n && p->old.n == n && p->velocity.n == n;
}

static SofaErr pbd_init(SofaObject *object) {
  PositionBasedDynamicsProjectiveConstraint *p = self((SofaProjective *)object);
  SOFA_TRY(start(object));
  if (p->position.n == sofa_state_size(p->constraint.state)) return SOFA_OK;
  return sofa_field_fail(object, "position", SOFA_ERR_ARGUMENT,
                         "has %zu targets for a state of %zu points", p->position.n,
                         sofa_state_size(p->constraint.state));
}

/* Targets that an engine makes of the state, as ShapeMatching does, are those of the positions that
 * are projected, not of the last step. */
static SofaErr take_targets(SofaProjective *c, const double *x) {
  SofaObject *object = &c->object;
  const SofaFieldState *state =
      sofa_field_state(object, sofa_class_field(object->klass, "position"));
  if (!state->source || x != c->state->position.data) return SOFA_OK;
  sofa_state_touch(c->state);
  return sofa_data_pull(object, NULL);
}

/* x += s (target - x); frames turn along the arc to the target. Then velocity = (x - old) / dt. */
static SofaErr pbd_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  PositionBasedDynamicsProjectiveConstraint *p = self(c);
  const SofaStateKindInfo *kind = constrained_kind(c);
  const unsigned dims = constrained_dims(c);
  SOFA_TRY(take_targets(c, x));
  if (!has_targets(c)) return SOFA_OK;
  if (p->restored) {
    restore(p, x);
    return SOFA_OK;
  }
  for (size_t i = 0; i < p->position.n; i++) {
    double *at = x + i * kind->coord, *v = p->velocity.data + i * kind->deriv;
    const double *target = p->position.data + i * kind->coord;
    double *old = p->old.data + i * kind->coord;
    for (unsigned a = 0; a < dims; a++) at[a] += p->stiffness * (target[a] - at[a]);
    for (unsigned a = 0; a < dims; a++) v[a] = (at[a] - old[a]) / params->dt;
    if (kind->rigid) {
      sofa_quat_slerp(at + 3, target + 3, p->stiffness, at + 3);
      double change[6];
      sofa_rigid3_difference(at, old, change);
      sofa_vec3_scale(1 / params->dt, change + 3, v + 3);
    }
    sofa_copy(old, at, kind->coord * sizeof *old);
  }
  return SOFA_OK;
}

static SofaErr pbd_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  (void)params;
  const PositionBasedDynamicsProjectiveConstraint *p = self(c);
  if (has_targets(c) && p->velocity.n)
    sofa_copy(v, p->velocity.data, p->velocity.n * p->velocity.width * sizeof *v);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.velocity = pbd_velocity, .position = pbd_position};

/* From each point to its target. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const PositionBasedDynamicsProjectiveConstraint *p =
      (const PositionBasedDynamicsProjectiveConstraint *)object;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || !p->constraint.state)
    return;
  const SofaState *state = p->constraint.state;
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  for (size_t i = 0; i < state->position.n && i < p->position.n; i++) {
    double a[3], b[3] = {0, 0, 0};
    sofa_state_point(state, i, a);
    for (unsigned k = 0; k < kind->space && k < 3; k++)
      b[k] = p->position.data[i * p->position.width + k];
    sofa_draw_line(args->list, a, b, 2, SOFA_RGB(1, 0.5, 0.5));
    sofa_draw_point(args->list, b, 5, SOFA_RGB(1, 0.5, 0.5));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", "Rigid3d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(PositionBasedDynamicsProjectiveConstraint, restored),
};

SOFA_CLASS(PositionBasedDynamicsProjectiveConstraint) = {
    SOFA_NAMED(PositionBasedDynamicsProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves each point a fraction of the way to its target at the end of a step; velocities "
            "follow from the displacement. Solvers do not take it into account.",
    .equations = "x' = x + s (y - x)",
    .base = &sofa_projective_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = pbd_init,
    .reset = reset,
    .store_reset = store_reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
