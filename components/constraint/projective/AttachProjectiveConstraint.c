/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AttachProjectiveConstraint: points of one state attached to points of another. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/constraint/projective/indexed.h"
#include "math/quaternion.h"

enum { QUIRK_ATTACH_HALF_WAY = 1, QUIRK_ATTACH_MATRIX = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_ATTACH_HALF_WAY, "attach-half-way",
     "AttachProjectiveConstraint moves the second points half of the way only",
     "test_quirks_motion.constraints"},
    {QUIRK_ATTACH_MATRIX, "attach-matrix",
     "AttachProjectiveConstraint takes dofs of the wrong state out of assembled systems",
     "test_quirks_motion.constraints"},
};

typedef struct Quaternion {
  double q[4];
} Quaternion;
SOFA_LIST(Quaternion, Quaternions);

/* Moves a pair of points by the share s of their distance. */
typedef void (*Join)(double s, unsigned width, double *p1, double *p2);

typedef struct AttachProjectiveConstraint {
  SofaProjective constraint;
  SofaIndices indices1, indices2;
  bool two_way, free_rotations, last_free_rotation, rest_rotations, clamp;
  SofaVec3 last_pos, last_dir;
  double min_distance, position_factor, velocity_factor, response_factor;
  SofaReals factors;
  /* per pair, since the last projection of positions */
  SofaBools released; /* too far apart, or behind the plane and not clamped */
  SofaBools behind;   /* behind the plane: with clamp the second point is held at lastPos */
  SofaReals height;   /* (x1 - lastPos) . lastDir */
  Quaternions rest;   /* see rest_rotation; none: not used */
  Join join_positions, join_rates; /* rates: velocities and responses */
} AttachProjectiveConstraint;

typedef AttachProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(indices1, "indices1", NULL, "", "points of object1", .flags = SOFA_FIELD_REINIT,
             SOFA_TABLE(SOFA_ENDS(SOFA_STATE_FIRST), .keep_order = true)),
    SOFA_ROW(indices2, "indices2", NULL, "", "points of object2, as many",
             .flags = SOFA_FIELD_REINIT, SOFA_TABLE(SOFA_ENDS(SOFA_STATE_SECOND))),
    SOFA_ROW(two_way, "twoWay", "0", "", "object1 receives the forces of the points attached to it",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(free_rotations, "freeRotations", "0", "", "frames: attach the centres only"),
    SOFA_ROW(last_free_rotation, "lastFreeRotation", "0", "",
             "frames: attach the centres only of the last pair before the plane"),
    SOFA_ROW(
        rest_rotations, "restRotations", "0", "",
        "frames: the direction from a frame to the next one at rest, not its own x axis, turns "
        "with "
        "the x axis of the frame it is attached to",
        .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(last_pos, "lastPos", "0 0 0", "m",
             "point of the plane behind which pairs are released"),
    SOFA_ROW(
        last_dir, "lastDir", "0 0 0", "1",
        "normal of that plane; 0: no plane; a pair is released where (x1 - lastPos).lastDir > 0"),
    SOFA_ROW(clamp, "clamp", "0", "", "hold points at lastPos instead of releasing them"),
    SOFA_ROW(min_distance, "minDistance", "-1", "m",
             "pairs further apart are released; -1: no pair is released"),
    SOFA_ROW(position_factor, "positionFactor", "1", "1", "share of the way positions are moved"),
    SOFA_ROW(velocity_factor, "velocityFactor", "1", "1",
             "share by which velocities are made equal"),
    SOFA_ROW(response_factor, "responseFactor", "1", "1",
             "share by which responses are made equal"),
    SOFA_ROW(factors, "constraintFactor", NULL, "1", "further factor of each pair; empty: 1",
             .flags = SOFA_FIELD_REINIT, .range = SOFA_WITHIN(0, 1), SOFA_TABLE_VALUE),
};

static const SofaPrivateList lists[] = {
    SOFA_PRIVATE(AttachProjectiveConstraint, released, SOFA_TABLE_VALUE),
    SOFA_PRIVATE(AttachProjectiveConstraint, behind, SOFA_TABLE_VALUE),
    SOFA_PRIVATE(AttachProjectiveConstraint, height, SOFA_TABLE_VALUE),
    SOFA_PRIVATE(AttachProjectiveConstraint, rest, SOFA_TABLE_VALUE),
};

static AttachProjectiveConstraint *self(SofaProjective *c) {
  return (AttachProjectiveConstraint *)c;
}

/* ---- what the scene says ---- */

/* The rotation, in the frame x at rest, of the direction to the next frame into the x axis. */
static void rest_rotation(const double *x, const double *next, double *q) {
  static const double axis[3] = {1, 0, 0};
  double arm[3], across[3];
  sofa_rigid3_to_local(x, next, arm);
  const double length = sofa_vec3_norm(arm);
  sofa_vec3_cross(arm, axis, across);
  sofa_quat_from_axis_angle(across, length > 0 ? atan2(sofa_vec3_norm(across), arm[0]) : 0, q);
}

/* The last frame of the state has no next one: no rotation. */
static SofaErr take_rest_rotations(AttachProjectiveConstraint *a) {
  const SofaState *s = a->constraint.second;
  const SofaCoords *x = s->rest_position.n ? &s->rest_position : &s->position;
  if (!a->rest_rotations || s->object.kind != SOFA_RIGID3) {
    a->rest.n = 0;
    return SOFA_OK;
  }
  SOFA_TRY(SOFA_RESIZE(s->object.ctx, &a->rest, a->indices2.n));
  for (size_t k = 0; k < a->indices2.n; k++) {
    const size_t i = a->indices2.data[k];
    if (i + 1 < x->n)
      rest_rotation(SOFA_POSE(x->data, i), SOFA_POSE(x->data, i + 1), a->rest.data[k].q);
    else sofa_quat_identity(a->rest.data[k].q);
  }
  return SOFA_OK;
}

static SofaErr attach_check(AttachProjectiveConstraint *a) {
  SofaObject *object = &a->constraint.object;
  if (a->indices1.n != a->indices2.n)
    return sofa_field_fail(object, "indices2", SOFA_ERR_ARGUMENT,
                           "has %zu points, indices1 has %zu", a->indices2.n, a->indices1.n);
  if (a->factors.n && a->factors.n != a->indices1.n)
    return sofa_field_fail(object, "constraintFactor", SOFA_ERR_ARGUMENT,
                           "has %zu factors for %zu pairs", a->factors.n, a->indices1.n);
  SOFA_TRY(SOFA_RESIZE(object->ctx, &a->behind, a->indices1.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &a->height, a->indices1.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &a->released, a->indices1.n));
  return take_rest_rotations(a);
}

/* ---- joining points ---- */

/* The second point moves the share s of the way to the first. */
static void follow(double s, unsigned width, double *p1, double *p2) {
  for (unsigned c = 0; c < width; c++) p2[c] -= s * (p2[c] - p1[c]);
}

/* Both points move half of the share. */
static void meet(double s, unsigned width, double *p1, double *p2) {
  for (unsigned c = 0; c < width; c++) {
    const double step = 0.5 * s * (p2[c] - p1[c]);
    p1[c] += step;
    p2[c] -= step;
  }
}

/* SOFA's: the second point moves half of the share, the first stays. */
static void follow_half_way(double s, unsigned width, double *p1, double *p2) {
  follow(0.5 * s, width, p1, p2);
}

/* In SOFA the second points go half of the way only, and the first ones' velocities change too. */
static void choose_joints(AttachProjectiveConstraint *a) {
  const bool half_way = sofa_quirk(&a->constraint.object, QUIRK_ATTACH_HALF_WAY);
  a->join_positions = half_way ? follow_half_way : a->two_way ? meet : follow;
  a->join_rates = half_way || a->two_way ? meet : follow;
}

/* States of nodes below have their size only now. */
static SofaErr attach_bwd_init(SofaObject *object) {
  AttachProjectiveConstraint *a = self((SofaProjective *)object);
  const SofaErr err = attach_check(a);
  choose_joints(a);
  if (err != SOFA_OK) a->indices1.n = a->indices2.n = 0;
  return err;
}

/* ---- pairs ---- */

static double factor(const AttachProjectiveConstraint *a, size_t k) {
  return k < a->factors.n ? a->factors.data[k] : 1;
}

/* Is the next pair behind the plane, or is there none? */
static bool is_last(const AttachProjectiveConstraint *a, size_t k) {
  return k + 1 == a->behind.n || a->behind.data[k + 1];
}

/* Is only the centre of the frames of pair k attached? */
static bool centre_only(const AttachProjectiveConstraint *a, size_t k) {
  return a->free_rotations || (a->last_free_rotation && !a->behind.data[k] && is_last(a, k));
}

/* Which pairs are behind the plane. */
static void find_behind(AttachProjectiveConstraint *a, const double *x) {
  const SofaStateKindInfo *kind = constrained_kind(&a->constraint);
  const unsigned dims = constrained_dims(&a->constraint);
  for (size_t k = 0; k < a->behind.n; k++) {
    double height = 0;
    for (unsigned c = 0; c < dims && c < 3; c++)
      height += (x[a->indices1.data[k] * kind->coord + c] - a->last_pos.v[c]) * a->last_dir.v[c];
    a->height.data[k] = height;
    a->behind.data[k] = height > 0;
  }
}

static bool is_far(const AttachProjectiveConstraint *a, const double *x1, const double *x2) {
  const unsigned dims = constrained_dims(&a->constraint);
  double distance2 = 0;
  for (unsigned c = 0; c < dims; c++) distance2 += (x2[c] - x1[c]) * (x2[c] - x1[c]);
  return a->min_distance >= 0 && sqrt(distance2) > a->min_distance;
}

/* Frame 2 := frame 1, its orientation with the rotation at rest. In the last pair before the plane
 * that rotation grows from none as the next frame comes out of it. */
static void attach_frame(const AttachProjectiveConstraint *a, size_t k, const double *p1,
                         double *p2) {
  const SofaStateKindInfo *kind = constrained_kind(&a->constraint);
  sofa_copy(p2, p1, (centre_only(a, k) ? kind->space : kind->coord) * sizeof *p2);
  if (!a->rest.n || centre_only(a, k)) return;
  const double *rest = a->rest.data[k].q;
  double share[4] = {rest[0], rest[1], rest[2], rest[3]};
  if (k + 1 < a->behind.n && a->behind.data[k + 1]) {
    const double here = a->height.data[k], next = a->height.data[k + 1];
    double axis[3], angle;
    sofa_quat_to_axis_angle(rest, axis, &angle);
    sofa_quat_from_axis_angle(axis, -here / (next - here) * angle, share);
  }
  sofa_quat_multiply(p1 + 3, share, p2 + 3);
}

static SofaErr attach_position(SofaProjective *c, const SofaMechParams *params, double *x,
                               double *x2) {
  (void)params;
  AttachProjectiveConstraint *a = self(c);
  const SofaStateKindInfo *kind = constrained_kind(c);
  const unsigned dims = constrained_dims(c);
  find_behind(a, x);
  for (size_t k = 0; k < a->released.n; k++) {
    double *p1 = x + a->indices1.data[k] * kind->coord, held[7];
    double *p2 = x2 + a->indices2.data[k] * kind->coord;
    if (a->behind.data[k]) {
      sofa_copy(held, p1, kind->coord * sizeof *held);
      for (unsigned d = 0; d < dims && d < 3; d++) held[d] = a->last_pos.v[d];
      p1 = held;
    }
    a->released.data[k] = (a->behind.data[k] && !a->clamp) || is_far(a, p1, p2);
    if (a->released.data[k]) continue;
    if (kind->rigid) attach_frame(a, k, p1, p2);
    else a->join_positions(a->position_factor * factor(a, k), kind->coord, p1, p2);
  }
  return SOFA_OK;
}

static SofaErr attach_velocity(SofaProjective *c, const SofaMechParams *params, double *v,
                               double *v2) {
  (void)params;
  const AttachProjectiveConstraint *a = self(c);
  const SofaStateKindInfo *kind = constrained_kind(c);
  for (size_t k = 0; k < a->released.n; k++) {
    double still[6] = {0};
    double *p1 = a->behind.data[k] ? still : v + a->indices1.data[k] * kind->deriv;
    double *p2 = v2 + a->indices2.data[k] * kind->deriv;
    if (a->released.data[k]) continue;
    if (kind->rigid)
      sofa_copy(p2, p1, (centre_only(a, k) ? kind->space : kind->deriv) * sizeof *p2);
    else a->join_rates(a->velocity_factor * factor(a, k), kind->deriv, p1, p2);
  }
  return SOFA_OK;
}

/* One-way: the second point does what the first says, so its own response is 0. Two-way: points
 * share the difference, frames the sum. */
static SofaErr attach_response(SofaProjective *c, const SofaMechParams *params, double *r,
                               double *r2) {
  (void)params;
  const AttachProjectiveConstraint *a = self(c);
  const SofaStateKindInfo *kind = constrained_kind(c);
  for (size_t k = 0; k < a->released.n; k++) {
    double *p1 = r + a->indices1.data[k] * kind->deriv;
    double *p2 = r2 + a->indices2.data[k] * kind->deriv;
    const unsigned width = kind->rigid && centre_only(a, k) ? kind->space : kind->deriv;
    if (a->released.data[k]) continue;
    if (!a->two_way || a->behind.data[k]) {
      sofa_zero(p2, width * sizeof *p2);
    } else if (kind->rigid) {
      for (unsigned i = 0; i < width; i++) p2[i] = p1[i] += p2[i];
    } else {
      a->join_rates(a->response_factor * factor(a, k), width, p1, p2);
    }
  }
  return SOFA_OK;
}

/* SOFA takes the second points' dofs out at the place of the first state. */
static SofaErr attach_discard(SofaProjective *c, const SofaMechParams *params, SofaDiscard *discard,
                              SofaDiscard *discard2) {
  (void)params;
  const AttachProjectiveConstraint *a = self(c);
  const SofaStateKindInfo *kind = constrained_kind(c);
  const bool misplaced =
      !a->two_way && a->released.n && sofa_quirk(&c->object, QUIRK_ATTACH_MATRIX);
  const SofaDiscard *where = misplaced ? discard : discard2;
  for (size_t k = 0; k < a->released.n; k++) {
    if (a->two_way && !a->behind.data[k]) continue;
    const size_t at = (size_t)a->indices2.data[k] * kind->deriv;
    const unsigned width = kind->rigid && centre_only(a, k) ? kind->space : kind->deriv;
    if (!a->released.data[k] && at + width <= where->n) sofa_fill(where->mask + at, 1, width);
  }
  return SOFA_OK;
}

static const SofaPairProjectiveOps pair_ops = {.response = attach_response,
                                               .velocity = attach_velocity,
                                               .position = attach_position,
                                               .discard = attach_discard};
static const SofaProjectiveOps ops = {.pair = &pair_ops};

/* The pairs that hold each other. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const AttachProjectiveConstraint *a = (const AttachProjectiveConstraint *)object;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || !a->constraint.state)
    return;
  const SofaState *first = a->constraint.state, *second = a->constraint.second;
  const SofaRgba color = SOFA_RGB(1, 0.5, 0.5);
  if (!second) return;
  for (size_t k = 0; k < a->indices1.n && k < a->indices2.n; k++) {
    if (k < a->released.n && a->released.data[k]) continue;
    sofa_draw_link(args->list, (SofaStatePoint){first, a->indices1.data[k]},
                   (SofaStatePoint){second, a->indices2.data[k]}, 1, color);
  }
  sofa_draw_state_points(args->list, first, &a->indices1, 0, color);
  sofa_draw_state_points(args->list, second, &a->indices2, 0, SOFA_RGB(0.5, 0.5, 1));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Rigid2d", "Rigid3d", NULL};

SOFA_CLASS(AttachProjectiveConstraint) = {
    SOFA_NAMED(AttachProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Attaches points of object2 to points of object1: at the end of a step they get their "
            "place and velocity. Two-way, both move half of the way.",
    .equations = "x_2 = x_1, v_2 = v_1",
    .base = &sofa_pair_projective_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .bwd_init = attach_bwd_init,
    .reinit = attach_bwd_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
