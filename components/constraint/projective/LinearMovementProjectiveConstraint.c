/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LinearMovementProjectiveConstraint: points moved along with key times. */

#include "components/constraint/projective/key_motion.h"

static const SofaQuirk quirks[] = {
    QUIRK_INACTIVE_MOVEMENT_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

typedef struct LinearMovementProjectiveConstraint {
  KeyMotion motion;
  bool relative;
} LinearMovementProjectiveConstraint;

static const SofaField fields[] = {
    INDEXED_ROW_INDICES(KeyMotion, "0"),
    KEY_MOTION_ROW_TIMES(LinearMovementProjectiveConstraint),
    SOFA_FIELD(LinearMovementProjectiveConstraint, motion.values, "movements", NULL, "m",
               "movement at each key time; rigid kinds: and Euler angles (radians, first about x, "
               "then y, then z)",
               .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    SOFA_FIELD(LinearMovementProjectiveConstraint, relative, "relativeMovements", "1", "",
               "movements are from the first place; off: places"),
    KEY_MOTION_ROW_HOLD(LinearMovementProjectiveConstraint),
    KEY_MOTION_ROW_SHOW(LinearMovementProjectiveConstraint),
};

static const SofaPrivateList lists[] = {
    KEY_MOTION_LISTS,
};

static SofaErr movement_init(SofaObject *object) {
  return key_motion_init((KeyMotion *)object, "movements");
}

static SofaErr movement_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  const KeyMotion *motion = (KeyMotion *)c;
  if (key_motion_active(motion, params)) indexed_clear(&motion->indexed, NULL, dx);
  return SOFA_OK;
}

static SofaErr movement_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  const KeyMotion *motion = (KeyMotion *)c;
  double slope[6];
  if (!key_motion_in(motion, params, NULL, slope)) return SOFA_OK;
  const size_t deriv = motion->values.width, n = indexed_n(&motion->indexed);
  for (size_t k = 0; k < n; k++)
    sofa_copy(v + indexed_at(&motion->indexed, k) * deriv, slope, deriv * sizeof *v);
  return SOFA_OK;
}

static SofaErr movement_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  const LinearMovementProjectiveConstraint *l = (LinearMovementProjectiveConstraint *)c;
  KeyMotion *motion = (KeyMotion *)c;
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
      x[at + a] = (l->relative ? motion->x0.data[at + a] : 0) + m[a];
    if (c->state->object.kind == SOFA_RIGID3)
      key_motion_turn(motion, &key, motion->x0.data + at, l->relative, x + at + 3);
  }
  return SOFA_OK;
}

static SofaErr movement_discard(SofaProjective *c, const SofaMechParams *params,
                                SofaDiscard *discard) {
  key_motion_discard((const KeyMotion *)c, params, NULL, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = movement_response,
                                      .velocity = movement_velocity,
                                      .position = movement_position,
                                      .discard = movement_discard};

SOFA_CLASS(LinearMovementProjectiveConstraint) = {
    SOFA_NAMED(LinearMovementProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves points linearly between key times, from the first key until the last; then they "
            "are released, or stay with holdLast.",
    .equations = "x = x_0 + (1 - s) m_k + s m_{k+1}, s = (t - t_k)/(t_{k+1} - t_k)",
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
