/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StopperLagrangianConstraint: a coordinate that stays in an interval, min <= x <= max. */
#include "components/constraint/lagrangian/model/model.h"

static const SofaQuirk quirks[] = {QUIRK_VELOCITY_ORDER_ROW};

typedef struct StopperLagrangianConstraint {
  SofaLagrangian lagrangian;
  unsigned index;
  double min, max;
} StopperLagrangianConstraint;

typedef StopperLagrangianConstraint SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(index, "index", "0", "", "the point", .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(min, "min", "-100", "m", "lower end", .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(max, "max", "100", "m", "upper end", .flags = SOFA_FIELD_REINIT),
};

static SofaErr check(SofaObject *object) {
  const StopperLagrangianConstraint *s = (const StopperLagrangianConstraint *)object;
  if (!(s->min <= s->max))
    return sofa_field_fail(object, "max", SOFA_ERR_RANGE, "is %g, which is below min, %g", s->max,
                           s->min);
  return model_check_point(object, "index", s->index, s->lagrangian.state[0]);
}

static size_t gap(const SofaLagrangian *c, const double *const x[2], double *d) {
  d[0] = x[0][((const StopperLagrangianConstraint *)c)->index];
  return 1;
}

static void add_rate(const SofaLagrangian *c, const double *const v[2], double *d) {
  d[0] += v[0][((const StopperLagrangianConstraint *)c)->index];
}

static const ModelRows rows = {.gap = gap, .add_rate = add_rate};

static SofaErr violation(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d) {
  model_violation(c, &rows, problem, d);
  return SOFA_OK;
}

/* The interval in the unit of d. */
static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  const StopperLagrangianConstraint *s = (const StopperLagrangianConstraint *)c;
  const double per = model_is_position(c, &rows, problem) ? 1 : problem->dt;
  const SofaConstraintBlock block = {
      .law = &sofa_law_stopper, .n = 1, .low = s->min / per, .high = s->max / per};
  uint32_t first;
  SOFA_TRY(sofa_constraint_block(problem, &block, &first));
  return model_axis(problem, c->state[0], first, s->index, 0, 1);
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = violation, .solved = sofa_lagrangian_solved};

/* The point may be removed or get another index. */
static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  StopperLagrangianConstraint *s = (StopperLagrangianConstraint *)object;
  if (change->kind != SOFA_CHANGE_REMOVE || !sofa_change_moves(change, s->lagrangian.state[0]))
    return SOFA_OK;
  const uint32_t now = sofa_change_renamed(change, s->index);
  if (now == SOFA_NO_ELEMENT)
    return sofa_object_fail(object, SOFA_ERR_RANGE, "its point was removed");
  s->index = now;
  sofa_field_touch_name(object, "index");
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen};

static const char *const templates[] = {"Vec1d", NULL};

SOFA_CLASS(StopperLagrangianConstraint) = {
    SOFA_NAMED(StopperLagrangianConstraint),
    .module = "Sofa.Component.Constraint.Lagrangian.Model",
    .category = "ConstraintSet",
    .help = "Keeps a coordinate between two stops.",
    .equations = "a <= x <= b",
    .base = &sofa_state_lagrangian_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = check,
    .reinit = check,
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
