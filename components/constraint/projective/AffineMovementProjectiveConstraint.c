/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AffineMovementProjectiveConstraint: points brought to their image under an affine map. */
#include "components/constraint/projective/final_motion.h"
#include "math/quaternion.h"

enum { QUIRK_AFFINE_TURN = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_AFFINE_TURN, "affine-turn",
     "AffineMovementProjectiveConstraint turns frames about their own axes, although their places "
     "turn about the world's",
     "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

typedef struct AffineMovementProjectiveConstraint {
  FinalMotion motion;
  SofaMat3 rotation;
  SofaQuat quaternion;
  SofaVec3 translation; /* m */
} AffineMovementProjectiveConstraint;

typedef AffineMovementProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    FINAL_MOTION_ROWS(AffineMovementProjectiveConstraint),
    SOFA_ROW(rotation, "rotation", "1 0 0 0 1 0 0 0 1", "1",
             "linear part of the map; any matrix; rigid kinds: see quaternion",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(quaternion, "quaternion", "0 0 0 1", "1", "linear part of the map for rigid kinds",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(translation, "translation", "0 0 0", "m", "translation of the map",
             .flags = SOFA_FIELD_REINIT),
};

static const SofaPrivateList lists[] = {
    FINAL_MOTION_LISTS,
};

/* q0 turned about the axes of the world, or (SOFA) its own; a unit quaternion for any map. */
static void turn(const AffineMovementProjectiveConstraint *a, const double *q0, double *q) {
  const double *map = a->quaternion.q;
  const bool first = sofa_quirk(&a->motion.indexed.constraint.object, QUIRK_AFFINE_TURN);
  sofa_quat_multiply(first ? q0 : map, first ? map : q0, q);
  sofa_quat_normalize(q);
}

/* xf = A x0 + t; a frame is turned too */
static SofaErr compute(FinalMotion *motion) {
  const AffineMovementProjectiveConstraint *a = (AffineMovementProjectiveConstraint *)motion;
  const SofaProjective *c = &motion->indexed.constraint;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  const bool rigid = constrained_kind(c)->rigid;
  double map[9];
  sofa_mat3_copy(a->rotation.m, map);
  if (rigid) sofa_quat_to_matrix(a->quaternion.q, map);
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(&motion->indexed, k) * coord;
    double *final = motion->final.data + at;
    sofa_mat3_apply(map, motion->x0.data + at, final);
    sofa_vec3_add(final, a->translation.v, final);
    if (rigid) turn(a, motion->x0.data + at + 3, final + 3);
  }
  return SOFA_OK;
}

static SofaErr affine_init(SofaObject *object) {
  AffineMovementProjectiveConstraint *a = (AffineMovementProjectiveConstraint *)object;
  a->motion.compute = compute;
  return final_motion_init(&a->motion);
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(AffineMovementProjectiveConstraint) = {
    SOFA_NAMED(AffineMovementProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Brings points linearly from their first place x0 to A x0 + t between two times and "
            "holds them there. Frames take the map's orientation after the end.",
    .equations = "x = (1 - s) x_0 + s (A x_0 + b), s = (t - t_0)/(t_1 - t_0)",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = affine_init,
    .reinit = affine_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &final_motion_ops},
                    {SOFA_TOPOLOGY_LISTENER, &final_motion_listener}),
};
