/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PartialLinearMovementProjectiveConstraint: some components of points moved along with key times.
 */
#include <string.h>

#include "components/constraint/projective/key_motion.h"

enum { QUIRK_PARTIAL_MOVEMENT_VELOCITY = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_PARTIAL_MOVEMENT_VELOCITY, "partial-movement-velocity",
     "PartialLinearMovementProjectiveConstraint also sets the velocities of free components",
     "test_quirks_motion.constraints"},
    QUIRK_INACTIVE_MOVEMENT_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

typedef struct PartialLinearMovementProjectiveConstraint {
  KeyMotion motion;
  bool between_nodes;
  uint32_t main_index, min_index, max_index;
  SofaReals imposed; /* share of the movement at the corners */
  double size[3];    /* of the box of corners, from the origin; [2] 0: a rectangle */
  SofaBools directions;
  bool moved[6]; /* per deriv component */
} PartialLinearMovementProjectiveConstraint;

typedef PartialLinearMovementProjectiveConstraint SofaSelf; /* of SOFA_ROW */
#define ROW_SIZE(axis, xml, name)                                                                  \
  SOFA_ROW(size[axis], xml, "0", "m", "size of the box of corners along " name,                    \
           .flags = SOFA_FIELD_REINIT)

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(KeyMotion, "0"),
    KEY_MOTION_ROW_TIMES(PartialLinearMovementProjectiveConstraint),
    SOFA_ROW(
        motion.values, "movements", NULL, "m",
        "movement from the first place at each key time; rigid kinds: and Euler angles (radians)",
        .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    KEY_MOTION_ROW_HOLD(PartialLinearMovementProjectiveConstraint),
    KEY_MOTION_ROW_SHOW(PartialLinearMovementProjectiveConstraint),
    SOFA_ROW(
        between_nodes, "linearMovementBetweenNodesInIndices", "0", "",
        "each point moves by the share of the movement that is interpolated at its first place "
        "between the corners of a box with one corner at the origin",
        .flags = SOFA_FIELD_REINIT),
    SOFA_ROW_NO_EFFECT(main_index, "mainIndice", "0", "no effect, as in SOFA"),
    SOFA_ROW_NO_EFFECT(min_index, "minDepIndice", "0", "no effect, as in SOFA"),
    SOFA_ROW_NO_EFFECT(max_index, "maxDepIndice", "0", "no effect, as in SOFA"),
    SOFA_ROW(
        imposed, "imposedDisplacmentOnMacroNodes", NULL, "1",
        "share of the movement at the corners: (0 0 0) (0 0 Z) (X 0 Z) (X 0 0) (0 Y 0) (0 Y Z) "
        "(X Y Z) (X Y 0); with Z0 0: (0 0) (X 0) (X Y) (0 Y)",
        .flags = SOFA_FIELD_REINIT),
    ROW_SIZE(0, "X0", "x"),
    ROW_SIZE(1, "Y0", "y"),
    ROW_SIZE(2, "Z0", "z"),
    SOFA_ROW(directions, "movedDirections", NULL, "",
             "the components of a movement that are imposed, one flag each; empty: all",
             .flags = SOFA_FIELD_REINIT),
};

static const SofaPrivateList lists[] = {
    KEY_MOTION_LISTS,
};

static PartialLinearMovementProjectiveConstraint *self(SofaProjective *c) {
  return (PartialLinearMovementProjectiveConstraint *)c;
}

/* The corners need a size along x and y, and a share each. */
static SofaErr check_corners(PartialLinearMovementProjectiveConstraint *p) {
  const SofaObject *object = &p->motion.indexed.constraint.object;
  const size_t n = p->size[2] != 0 ? 8 : 4;
  const unsigned dims = constrained_dims(&p->motion.indexed.constraint);
  if (!p->between_nodes) return SOFA_OK;
  if (dims < 2 || (dims == 2 && n == 8) || object->kind == SOFA_RIGID3)
    return sofa_field_fail(object, "linearMovementBetweenNodesInIndices", SOFA_ERR_ARGUMENT,
                           "needs points with x and y, and with z where Z0 is given");
  if (!(p->size[0] != 0 && p->size[1] != 0))
    return sofa_field_fail(object, p->size[0] != 0 ? "Y0" : "X0", SOFA_ERR_RANGE,
                           "is 0, but the box of corners needs a size along x and y");
  if (p->imposed.n != n)
    return sofa_field_fail(object, "imposedDisplacmentOnMacroNodes", SOFA_ERR_ARGUMENT,
                           "has %zu values, expected one for each of the %zu corners", p->imposed.n,
                           n);
  return SOFA_OK;
}

/* Share of the movement of the point that was at x0 first: bilinear or trilinear. */
static double share_at(const PartialLinearMovementProjectiveConstraint *p, const double *x0) {
  /* the far end of which axes each corner is at: bit 0 x, 1 y, 2 z */
  static const uint8_t flat[4] = {0, 1, 3, 2}, solid[8] = {0, 4, 5, 1, 2, 6, 7, 3};
  const unsigned dims = p->imposed.n == 8 ? 3 : 2;
  double share = 0;
  if (!p->between_nodes) return 1;
  for (size_t k = 0; k < p->imposed.n; k++) {
    const unsigned ends = dims == 3 ? solid[k] : flat[k];
    double weight = 1;
    for (unsigned a = 0; a < dims; a++) {
      const double t = x0[a] / p->size[a];
      weight *= ends >> a & 1 ? t : 1 - t;
    }
    share += weight * p->imposed.data[k];
  }
  return share;
}

static SofaErr movement_init(SofaObject *object) {
  PartialLinearMovementProjectiveConstraint *p = self((SofaProjective *)object);
  SOFA_TRY(key_motion_init(&p->motion, "movements"));
  const SofaErr err = check_corners(p);
  if (err != SOFA_OK) {
    p->between_nodes = false;
    if (!object->ctx->keep_going) return err;
  }
  return projective_take_flags(object, "movedDirections", &p->directions, p->motion.values.width,
                               p->moved);
}

static SofaErr movement_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  const KeyMotion *motion = (KeyMotion *)c;
  if (key_motion_active(motion, params)) indexed_clear(&motion->indexed, self(c)->moved, dx);
  return SOFA_OK;
}

/* SOFA overwrites the free components, too, and leaves the share between corners out. */
static SofaErr movement_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  const KeyMotion *motion = (KeyMotion *)c;
  double slope[6];
  bool partial = self(c)->between_nodes;
  if (!key_motion_in(motion, params, NULL, slope)) return SOFA_OK;
  const size_t deriv = motion->values.width, n = indexed_n(&motion->indexed);
  for (size_t i = 0; i < deriv; i++) partial |= !self(c)->moved[i];
  const bool whole = partial && sofa_quirk(&c->object, QUIRK_PARTIAL_MOVEMENT_VELOCITY);
  const size_t coord = constrained_kind(c)->coord;
  for (size_t k = 0; k < n; k++) {
    const size_t point = indexed_at(&motion->indexed, k);
    const double share =
        whole || !motion->x0.n ? 1 : share_at(self(c), motion->x0.data + point * coord);
    for (size_t i = 0; i < deriv; i++)
      if (whole || self(c)->moved[i]) v[point * deriv + i] = share * slope[i];
  }
  return SOFA_OK;
}

static SofaErr movement_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  KeyMotion *motion = (KeyMotion *)c;
  const bool *moved = self(c)->moved;
  SofaKeyInterval key;
  double m[6];
  SOFA_TRY(projective_capture(c, x, &motion->x0));
  if (!key_motion_in(motion, params, m, NULL)) return SOFA_OK;
  key_motion_place(motion, params, &key);
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  const unsigned dims = constrained_dims(c);
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(&motion->indexed, k) * coord;
    for (unsigned a = 0; a < dims; a++)
      if (moved[a])
        x[at + a] = motion->x0.data[at + a] + share_at(self(c), motion->x0.data + at) * m[a];
    if (c->state->object.kind == SOFA_RIGID3 && (moved[3] || moved[4] || moved[5]))
      key_motion_turn(motion, &key, motion->x0.data + at, true, x + at + 3);
  }
  return SOFA_OK;
}

static SofaErr movement_discard(SofaProjective *c, const SofaMechParams *params,
                                SofaDiscard *discard) {
  key_motion_discard((const KeyMotion *)c, params, self(c)->moved, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = movement_response,
                                      .velocity = movement_velocity,
                                      .position = movement_position,
                                      .discard = movement_discard};

SOFA_CLASS(PartialLinearMovementProjectiveConstraint) = {
    SOFA_NAMED(PartialLinearMovementProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves some components of points linearly between key times; the other components stay "
            "free.",
    .equations = "x_c = x_{0c} + (1 - s) m_{kc} + s m_{k+1,c}, s = (t - t_k)/(t_{k+1} - t_k)",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = key_motion_templates,
    .init = movement_init,
    .reinit = movement_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
