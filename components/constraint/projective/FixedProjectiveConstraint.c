/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixedProjectiveConstraint: points that do not accelerate. The simplest projective constraint. */
#include <string.h>

#include "behavior/projective.h"
#include "behavior/topology.h"

typedef struct FixedProjectiveConstraint {
  SofaProjective constraint;
  SofaIndices indices;
  bool fix_all, project_velocity, show_object;
  double draw_size;
  SofaLink topology;
} FixedProjectiveConstraint;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const SofaField fields[] = {
    SOFA_FIELD(FixedProjectiveConstraint, indices, "indices", "0", "", "the fixed points",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(FixedProjectiveConstraint, fix_all, "fixAll", "0", "", "fix every point"),
    SOFA_FIELD(FixedProjectiveConstraint, project_velocity, "activate_projectVelocity", "0", "",
               "also set the velocities of the fixed points to zero"),
    SOFA_FIELD(FixedProjectiveConstraint, show_object, "showObject", "1", "",
               "draw the fixed points", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(FixedProjectiveConstraint, draw_size, "drawSize", "0", "m",
               "radius of the drawn points; 0: dots", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(FixedProjectiveConstraint, topology, "topology", NULL, "",
               "topology whose points are renumbered by topological changes",
               .link = &topology_rule),
};

static SofaErr check(SofaObject *object) {
  FixedProjectiveConstraint *fixed = (FixedProjectiveConstraint *)object;
  if (fixed->fix_all) return SOFA_OK;
  return sofa_projective_check_indices(&fixed->constraint, "indices", &fixed->indices);
}

/* Zeroes the derivs of the fixed points. */
static void clear(const FixedProjectiveConstraint *fixed, double *dx) {
  const SofaState *state = fixed->constraint.state;
  const size_t deriv = sofa_state_kind_info(state->object.kind)->deriv;
  if (fixed->fix_all) {
    memset(dx, 0, sofa_state_size(state) * deriv * sizeof *dx);
    return;
  }
  for (size_t k = 0; k < fixed->indices.n; k++)
    memset(dx + fixed->indices.data[k] * deriv, 0, deriv * sizeof *dx);
}

static SofaErr fixed_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  clear((FixedProjectiveConstraint *)c, dx);
  return SOFA_OK;
}

static SofaErr fixed_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  (void)params;
  const FixedProjectiveConstraint *fixed = (FixedProjectiveConstraint *)c;
  if (fixed->project_velocity) clear(fixed, v);
  return SOFA_OK;
}

static SofaErr fixed_discard(SofaProjective *c, const SofaMechParams *params,
                             SofaDiscard *discard) {
  (void)params;
  const FixedProjectiveConstraint *fixed = (FixedProjectiveConstraint *)c;
  const size_t deriv = sofa_state_kind_info(c->state->object.kind)->deriv;
  if (fixed->fix_all) {
    memset(discard->mask, 1, discard->n);
    return SOFA_OK;
  }
  for (size_t k = 0; k < fixed->indices.n; k++)
    memset(discard->mask + fixed->indices.data[k] * deriv, 1, deriv);
  return SOFA_OK;
}

static const SofaProjectiveOps fixed_ops = {
    .response = fixed_response, .velocity = fixed_velocity, .discard = fixed_discard};

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

const SofaClass sofa_FixedProjectiveConstraint_class = {
    .name = "FixedProjectiveConstraint",
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Fixes points: solvers give them no change of velocity. Positions and velocities "
            "themselves stay what they are, so an initial velocity persists.",
    .base = &sofa_projective_class,
    .size = sizeof(FixedProjectiveConstraint),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = check,
    .reinit = check,
    .ops = {[SOFA_PROJECTIVE] = &fixed_ops},
};
