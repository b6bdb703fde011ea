/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixedRotationProjectiveConstraint: frames that keep their rotation about some axes. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/constraint/projective/indexed.h"
#include "math/quaternion.h"

typedef struct FixedRotationProjectiveConstraint {
  SofaProjective constraint;
  bool fixed[3]; /* about x, y, z */
  SofaReals x0;  /* coords at the first projection */
} FixedRotationProjectiveConstraint;

#define ROW(k, xml, axis)                                                                          \
  SOFA_FIELD(FixedRotationProjectiveConstraint, fixed[k], xml, "0", "",                            \
             "keep the rotation about the " axis " axis")

static const SofaField fields[] = {
    ROW(0, "FixedXRotation", "x"),
    ROW(1, "FixedYRotation", "y"),
    ROW(2, "FixedZRotation", "z"),
};

static const SofaPrivateList lists[] = {
    PROJECTIVE_COORDS(FixedRotationProjectiveConstraint, x0),
};

/* q = swing twist, the twist being the part of q about an axis. */
static void split(const double *q, int axis, double *swing, double *twist) {
  double inverse[4];
  const double norm = sqrt(q[axis] * q[axis] + q[3] * q[3]);
  sofa_quat_identity(twist);
  if (norm > 0) {
    twist[axis] = q[axis] / norm;
    twist[3] = q[3] / norm;
  }
  sofa_quat_inverse(twist, inverse);
  sofa_quat_multiply(q, inverse, swing);
  sofa_quat_normalize(swing);
}

static SofaErr rotation_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  (void)params;
  FixedRotationProjectiveConstraint *f = (FixedRotationProjectiveConstraint *)c;
  SOFA_TRY(projective_capture(c, x, &f->x0));
  for (size_t i = 0; i < sofa_state_size(c->state); i++) {
    double *q = SOFA_POSE_QUAT(x, i), first[4], keep[4], twist[4];
    for (int k = 0; k < 4; k++) first[k] = SOFA_POSE_QUAT(f->x0.data, i)[k];
    sofa_quat_identity(keep);
    /* what q has about each axis is replaced by what the first orientation has */
    for (int axis = 0; axis < 3; axis++) {
      if (!f->fixed[axis]) continue;
      split(q, axis, q, twist);
      split(first, axis, first, twist);
      sofa_quat_multiply(twist, keep, keep);
    }
    sofa_quat_multiply(q, keep, q);
  }
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.position = rotation_position};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const FixedRotationProjectiveConstraint *f = (const FixedRotationProjectiveConstraint *)object;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || !f->constraint.state)
    return;
  sofa_draw_state_points(args->list, f->constraint.state, NULL, 0, SOFA_RGB(1, 0.5, 0.5));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(FixedRotationProjectiveConstraint) = {
    SOFA_NAMED(FixedRotationProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "At the end of each step gives all frames of the state the rotation about the chosen "
            "axes that they had first. Velocities are not touched.",
    .equations = "R_i = R_{i0}",
    .base = &sofa_projective_class,
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows},
                    {SOFA_DRAW, &draw_ops}),
};
