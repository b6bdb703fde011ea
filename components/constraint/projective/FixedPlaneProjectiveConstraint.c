/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixedPlaneProjectiveConstraint: points that do not accelerate across a plane. */
#include <math.h>

#include "components/constraint/projective/linear_projection.h"

enum { QUIRK_FIXED_PLANE_DIRECTION = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_FIXED_PLANE_DIRECTION, "fixed-plane-direction",
     "FixedPlaneProjectiveConstraint does not normalise its direction",
     "test_quirks_motion.constraints"},
    QUIRK_UNPROJECTED_MATRIX_ROW,
};

typedef struct FixedPlaneProjectiveConstraint {
  LinearProjection linear;
  double dmin, dmax; /* m */
  bool selected;     /* points between dmin and dmax were added */
} FixedPlaneProjectiveConstraint;

typedef FixedPlaneProjectiveConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(linear.given, "direction", NULL, "1",
             "normal of the plane; need not have unit length; rigid kinds: its first 3 numbers",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(dmin, "dmin", "0", "m", "points with dmin < x.direction < dmax at init are added"),
    SOFA_ROW(dmax, "dmax", "0", "m", "see dmin; equal: no points are added"),
    SOFA_ROW(linear.indexed.indices, "indices", NULL, "", "the constrained points",
             .flags = SOFA_FIELD_REINIT, .on_bad = SOFA_BAD_DROP,
             SOFA_INDICES_OF(SOFA_ELEMENT_POINT)),
};

static const SofaPrivateList lists[] = {
    LINEAR_PROJECTION_LISTS,
};

static SofaErr select_points(FixedPlaneProjectiveConstraint *p) {
  const SofaState *s = p->linear.indexed.constraint.state;
  if (p->selected || p->dmin == p->dmax) return SOFA_OK;
  p->selected = true;
  for (uint32_t i = 0; i < s->position.n; i++) {
    double d = 0;
    for (unsigned c = 0; c < p->linear.dims; c++)
      d += s->position.data[(size_t)i * s->position.width + c] * p->linear.given.data[c];
    if (p->dmin < d && d < p->dmax)
      SOFA_TRY(SOFA_APPEND(s->object.ctx, &p->linear.indexed.indices, &i));
  }
  return SOFA_OK;
}

static SofaErr plane_init(SofaObject *object) {
  FixedPlaneProjectiveConstraint *p = (FixedPlaneProjectiveConstraint *)object;
  const unsigned dims = constrained_dims(&p->linear.indexed.constraint);
  /* a direction of a rigid kind may be written as a whole coord */
  if (p->linear.given.n > dims &&
      p->linear.given.n == constrained_kind(&p->linear.indexed.constraint)->coord)
    p->linear.given.n = dims;
  p->linear.plane = true;
  SOFA_TRY(linear_projection_init(&p->linear, "direction"));
  p->linear.limit = UINT32_MAX;
  /* SOFA subtracts d (r.d) for a direction d of any length */
  double norm2 = 0;
  for (unsigned c = 0; c < dims; c++) norm2 += p->linear.given.data[c] * p->linear.given.data[c];
  if (fabs(norm2 - 1) > 1e-12 && sofa_quirk(object, QUIRK_FIXED_PLANE_DIRECTION))
    sofa_copy(p->linear.unit, p->linear.given.data, dims * sizeof *p->linear.unit);
  return select_points(p);
}

static SofaErr plane_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  linear_projection_apply((LinearProjection *)c, dx);
  return SOFA_OK;
}

/* SOFA fixes all components that the normal has. */
static SofaErr plane_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  (void)params;
  const LinearProjection *p = (LinearProjection *)c;
  bool components[6];
  if (!sofa_quirk(&c->object, QUIRK_UNPROJECTED_MATRIX))
    return linear_projection_discard(p, discard);
  linear_projection_axes(p, components);
  indexed_discard(&p->indexed, components, discard);
  return SOFA_OK;
}

static const SofaProjectiveOps ops = {.response = plane_response, .discard = plane_discard};

static const char *const templates[] = {"Vec3d", "Vec6d", "Rigid3d", NULL};

SOFA_CLASS(FixedPlaneProjectiveConstraint) = {
    SOFA_NAMED(FixedPlaneProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Restricts the acceleration of points to a plane: solvers do not change their velocity "
            "along its normal.",
    .equations = "n.dv_i = 0",
    .base = &indexed_constraint_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = plane_init,
    .reinit = plane_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &linear_projection_listener}),
};
