/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PartialLinearMovementProjectiveConstraint: some components of points moved along with key times.
 */
#include <string.h>

#include "base/quirks.h"
#include "components/constraint/projective/key_motion.h"

typedef struct PartialLinearMovementProjectiveConstraint {
  KeyMotion motion;
  bool between_nodes;
  uint32_t main_index, min_index, max_index;
  SofaReals imposed;
  double size[3];
  SofaBools directions;
  bool moved[6]; /* per deriv component */
} PartialLinearMovementProjectiveConstraint;

#define ROW(member, xml, def, unit, ...)                                                           \
  SOFA_FIELD(PartialLinearMovementProjectiveConstraint, member, xml, def, unit, __VA_ARGS__)
#define ROW_MACRO(member, xml, def, unit)                                                          \
  ROW(member, xml, def, unit, "used with linearMovementBetweenNodesInIndices only",                \
      .flags = SOFA_FIELD_NO_EFFECT)

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(KeyMotion, "0"),
    KEY_MOTION_ROW_TIMES(PartialLinearMovementProjectiveConstraint),
    ROW(motion.values, "movements", NULL, "m",
        "movement from the first place at each key time; rigid kinds: and Euler angles (radians)",
        .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    KEY_MOTION_ROW_SHOW(PartialLinearMovementProjectiveConstraint),
    ROW(between_nodes, "linearMovementBetweenNodesInIndices", "0", "",
        "interpolate the movement between macro nodes", .flags = SOFA_FIELD_UNSUPPORTED),
    ROW_MACRO(main_index, "mainIndice", "0", ""),
    ROW_MACRO(min_index, "minDepIndice", "0", ""),
    ROW_MACRO(max_index, "maxDepIndice", "0", ""),
    ROW_MACRO(imposed, "imposedDisplacmentOnMacroNodes", NULL, "m"),
    ROW_MACRO(size[0], "X0", "0", "m"),
    ROW_MACRO(size[1], "Y0", "0", "m"),
    ROW_MACRO(size[2], "Z0", "0", "m"),
    ROW(directions, "movedDirections", NULL, "",
        "which components of a movement are imposed, one flag each; none given: all",
        .flags = SOFA_FIELD_REINIT),
};

static PartialLinearMovementProjectiveConstraint *self(SofaProjective *c) {
  return (PartialLinearMovementProjectiveConstraint *)c;
}

static SofaErr movement_init(SofaObject *object) {
  PartialLinearMovementProjectiveConstraint *p = self((SofaProjective *)object);
  SOFA_TRY(key_motion_init(&p->motion, "movements"));
  return projective_take_flags(object, "movedDirections", &p->directions, p->motion.values.width,
                               p->moved);
}

static SofaErr movement_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  const KeyMotion *motion = (KeyMotion *)c;
  if (key_motion_active(motion, params->time)) indexed_clear(&motion->indexed, self(c)->moved, dx);
  return SOFA_OK;
}

/* SOFA overwrites the free components too. */
static SofaErr movement_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  const KeyMotion *motion = (KeyMotion *)c;
  double slope[6];
  bool partial = false;
  if (!key_motion_at(motion, params->time, NULL, slope)) return SOFA_OK;
  const size_t deriv = motion->values.width, n = indexed_n(&motion->indexed);
  for (size_t i = 0; i < deriv; i++) partial |= !self(c)->moved[i];
  const bool whole = partial && sofa_quirk(c->object.ctx, SOFA_QUIRK_PARTIAL_MOVEMENT_VELOCITY);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < deriv; i++)
      if (whole || self(c)->moved[i]) v[indexed_at(&motion->indexed, k) * deriv + i] = slope[i];
  return SOFA_OK;
}

static SofaErr movement_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  KeyMotion *motion = (KeyMotion *)c;
  const bool *moved = self(c)->moved;
  double m[6];
  SOFA_TRY(projective_capture(c, x, &motion->x0));
  if (!key_motion_at(motion, params->time, m, NULL)) return SOFA_OK;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  const unsigned dims = constrained_dims(c);
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(&motion->indexed, k) * coord;
    for (unsigned a = 0; a < dims; a++)
      if (moved[a]) x[at + a] = motion->x0.data[at + a] + m[a];
    if (c->state->object.kind == SOFA_RIGID3 && (moved[3] || moved[4] || moved[5]))
      key_motion_turn(motion, params->time, motion->x0.data + at, true, x + at + 3);
  }
  return SOFA_OK;
}

/* SOFA fixes the dofs in the matrix also while nothing moves them. */
static SofaErr movement_discard(SofaProjective *c, const SofaMechParams *params,
                                SofaDiscard *discard) {
  const KeyMotion *motion = (KeyMotion *)c;
  if (key_motion_active(motion, params->time) ||
      sofa_quirk(c->object.ctx, SOFA_QUIRK_INACTIVE_MOVEMENT))
    indexed_discard(&motion->indexed, self(c)->moved, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = movement_response,
                                      .velocity = movement_velocity,
                                      .position = movement_position,
                                      .discard = movement_discard};

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", "Vec6d", "Rigid3d", NULL};

const SofaClass sofa_PartialLinearMovementProjectiveConstraint_class = {
    .name = "PartialLinearMovementProjectiveConstraint",
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves some components of points linearly between key times; the other components stay "
            "free.",
    .base = &indexed_constraint_class,
    .size = sizeof(PartialLinearMovementProjectiveConstraint),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = movement_init,
    .reinit = movement_init,
    .destroy = key_motion_destroy,
    .ops = {[SOFA_PROJECTIVE] = &ops, [SOFA_FOLLOWER] = &key_motion_follower},
};
