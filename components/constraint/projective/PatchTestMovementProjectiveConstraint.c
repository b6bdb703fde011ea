/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PatchTestMovementProjectiveConstraint: points moved by the interpolated movement of corners. */
#include <math.h>

#include "behavior/checks.h"
#include "components/constraint/projective/final_motion.h"

static const SofaQuirk quirks[] = {
    {QUIRK_PATCH_FRAMES, "patch-frames",
     "PatchTestMovementProjectiveConstraint sets frames along the axes of the world until the end "
     "of the movement",
     "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

typedef struct PatchTestMovementProjectiveConstraint {
  FinalMotion motion;
  SofaCoords constrained, movements, corners;
  bool found; /* corners were searched */
} PatchTestMovementProjectiveConstraint;

typedef PatchTestMovementProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    FINAL_MOTION_ROWS(PatchTestMovementProjectiveConstraint),
    SOFA_ROW(constrained, "constrainedPoints", NULL, "m",
             "points among which the corners are searched"),
    SOFA_ROW(movements, "cornerMovements", NULL, "m",
             "movement of each corner; frames: and its rotation vector",
             .flags = SOFA_FIELD_REINIT | SOFA_FIELD_DERIV),
    SOFA_ROW(
        corners, "cornerPoints", NULL, "m",
        "4 corners of a rectangle or 8 of a box, counterclockwise, first the lower ones; those "
        "found among constrainedPoints are appended"),
};

static const SofaPrivateList lists[] = {
    FINAL_MOTION_LISTS,
};

/* ---- corners ---- */

/* Which way each coordinate of a corner lies: -1 the smallest, 1 the largest. */
static const signed char towards[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                          {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

/* A point takes the place of a corner when any of its coordinates lies further its way. */
static bool replaces(const double *p, const double *corner, const signed char *way) {
  for (int c = 0; c < 3; c++)
    if ((p[c] - corner[c]) * way[c] > 0) return true;
  return false;
}

/* The upper corner k looks at x and y of itself, but at z of the lower corner below it. */
static bool replaces_upper(const double *p, const double *corner, const double *below,
                           const signed char *way) {
  for (int c = 0; c < 2; c++)
    if ((p[c] - corner[c]) * way[c] > 0) return true;
  return p[2] > below[2];
}

static SofaErr find_corners(PatchTestMovementProjectiveConstraint *p) {
  SofaContext *ctx = p->motion.indexed.constraint.object.ctx;
  const size_t w = p->constrained.width, n = p->constrained.n;
  const double *all = p->constrained.data, *corner[8];
  bool flat = true;
  for (int k = 0; k < 8; k++) corner[k] = all;
  for (size_t i = 0; i < n; i++) {
    const double *x = all + i * w;
    for (int k = 0; k < 4; k++)
      if (replaces(x, corner[k], towards[k])) corner[k] = x;
    if (x[2] != all[2]) flat = false;
  }
  if (!flat)
    for (size_t i = 0; i < n; i++) {
      const double *x = all + i * w;
      if (replaces_upper(x, corner[4], corner[0], towards[4])) corner[4] = x;
      if (replaces_upper(x, corner[6], corner[2], towards[6])) corner[6] = x;
      if (replaces(x, corner[5], towards[5])) corner[5] = x;
      else if (replaces(x, corner[7], towards[7])) corner[7] = x;
    }
  const size_t old = p->corners.n, more = flat ? 4 : 8;
  SOFA_TRY(sofa_coords_resize(ctx, &p->corners, old + more));
  for (size_t k = 0; k < more; k++)
    sofa_copy(p->corners.data + (old + k) * w, corner[k], w * sizeof(double));
  return SOFA_OK;
}

/* ---- motion ---- */

/* Share of the point along an edge of the patch. */
static double along(const double *x, const double *from, const double *to, int axis) {
  return fabs(x[axis] - from[axis]) / fabs(to[axis] - from[axis]);
}

/* The sum of weights times movements, bilinear or trilinear. */
static void interpolate(const FinalMotion *motion, const double *x0, double *move) {
  const PatchTestMovementProjectiveConstraint *p =
      (const PatchTestMovementProjectiveConstraint *)motion;
  const size_t w = p->corners.width, deriv = p->movements.width;
  const double *c = p->corners.data;
  const double a = along(x0, c, c + w, 0), b = along(x0, c, c + 3 * w, 1);
  const double g = p->corners.n == 8 ? along(x0, c, c + 4 * w, 2) : 0;
  const double plane[4] = {(1 - a) * (1 - b), a * (1 - b), a * b, (1 - a) * b};
  for (size_t i = 0; i < deriv; i++) move[i] = 0;
  for (size_t k = 0; k < p->corners.n; k++) {
    const double weight = plane[k % 4] * (k < 4 ? 1 - g : g);
    for (size_t i = 0; i < deriv; i++) move[i] += weight * p->movements.data[k * deriv + i];
  }
}

/* xf = x0 moved by the interpolated movement. */
static SofaErr compute(FinalMotion *motion) {
  const SofaProjective *c = &motion->indexed.constraint;
  const size_t coord = constrained_kind(c)->coord, n = indexed_n(&motion->indexed);
  if (!motion->move) return SOFA_OK;
  for (size_t k = 0; k < n; k++) {
    const size_t at = indexed_at(&motion->indexed, k) * coord;
    double move[6], last[7];
    interpolate(motion, motion->x0.data + at, move);
    sofa_copy(last, motion->x0.data + at, coord * sizeof *last);
    sofa_state_integrate(c->state->object.kind, 1, 1, move, last);
    sofa_copy(motion->final.data + at, last, coord * sizeof *last);
  }
  return SOFA_OK;
}

static SofaErr patch_init(SofaObject *object) {
  PatchTestMovementProjectiveConstraint *p = (PatchTestMovementProjectiveConstraint *)object;
  const SofaStateKindInfo *kind = constrained_kind(&p->motion.indexed.constraint);
  p->motion.compute = compute;
  p->constrained.width = p->corners.width = kind->coord;
  p->movements.width = kind->deriv;
  if (p->constrained.n && !p->found) SOFA_TRY(find_corners(p));
  p->found = true;
  p->motion.move = p->corners.n == 4 || p->corners.n == 8 ? interpolate : NULL;
  if (p->corners.n != 4 && p->corners.n != 8)
    SOFA_TRY(sofa_keep_going(object, sofa_field_fail(object, "cornerPoints", SOFA_ERR_ARGUMENT,
                                                     "there are %zu corners, expected 4 or 8",
                                                     p->corners.n)));
  else if (p->movements.n < p->corners.n) {
    SOFA_TRY(sofa_keep_going(object, sofa_field_fail(object, "cornerMovements", SOFA_ERR_ARGUMENT,
                                                     "has %zu movements for %zu corners",
                                                     p->movements.n, p->corners.n)));
    SOFA_TRY(sofa_coords_resize(object->ctx, &p->movements, p->corners.n));
  }
  return final_motion_init(&p->motion);
}

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(PatchTestMovementProjectiveConstraint) = {
    SOFA_NAMED(PatchTestMovementProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Brings points linearly from their first place to one displaced by the bilinear or "
            "trilinear interpolation of the corners' movements between two times, and holds them.",
    .equations = "y = x_0 + sum_k N_k(x_0) m_k, x = (1 - s) x_0 + s y\n"
                 "s = (t - t_0)/(t_1 - t_0), v = (y - x_0)/(t_1 - t_0)\n"
                 "\"y: last place, N_k: bilinear or trilinear weight of corner k, m_k: "
                 "cornerMovements; t_0: "
                 "beginConstraintTime, t_1: endConstraintTime\"",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = patch_init,
    .reinit = patch_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &final_motion_ops},
                    {SOFA_TOPOLOGY_LISTENER, &final_motion_listener}),
};
