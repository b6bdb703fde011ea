/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bases of constraints, corrections and their solvers. */
#include "behavior/lagrangian.h"

#include "behavior/animation_loop.h"

const SofaInterface sofa_lagrangian_interface = {
    .name = "Lagrangian constraint",
    .ops_member = offsetof(SofaLagrangian, ops),
    SOFA_REQUIRES(offsetof(SofaLagrangianOps, build), offsetof(SofaLagrangianOps, violation))};
const SofaInterface sofa_constraint_correction_interface = {
    .name = "constraint correction",
    .ops_member = offsetof(SofaConstraintCorrection, ops),
    SOFA_REQUIRES(offsetof(SofaConstraintCorrectionOps, add_compliance),
                  offsetof(SofaConstraintCorrectionOps, find_motion))};
const SofaInterface sofa_constraint_solver_interface = {
    .name = "constraint solver",
    .ops_member = offsetof(SofaConstraintSolver, ops),
    SOFA_REQUIRES(offsetof(SofaConstraintSolverOps, solve))};

static const SofaField lagrangian_fields[] = {
    SOFA_FIELD(SofaLagrangian, end_time, "endTime", "-1", "s", "no effect, as in SOFA",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLagrangian, group, "group", "0", "", "number of a group; not used",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLagrangian, constraint_index, "constraintIndex", "0", "",
               "its first row in the last constraint problem", .flags = SOFA_FIELD_OUTPUT),
};

/* In a scene whose loop does not solve constraints they do nothing. */
static SofaErr bwd_init(SofaObject *object) {
  const SofaObject *loop = sofa_node_slot(sofa_node_root(object->node), SOFA_ANIMATION_LOOP);
  const SofaAnimationLoopOps *ops = loop ? sofa_ops(loop, SOFA_ANIMATION_LOOP) : NULL;
  if (ops && !ops->constrains)
    sofa_object_message(object, SOFA_WARNING,
                        "it has no effect: %s does not solve Lagrangian constraints; use "
                        "FreeMotionAnimationLoop",
                        loop->klass->name);
  return SOFA_OK;
}

const SofaClass sofa_lagrangian_class = {
    .name = "BaseLagrangianConstraint",
    .module = "Sofa.Core",
    .category = "ConstraintSet",
    .help = "A constraint whose forces are unknowns of the step.",
    .size = sizeof(SofaLagrangian),
    SOFA_FIELDS(lagrangian_fields),
    .bwd_init = bwd_init,
    .abstract = true,
};

const SofaClass sofa_constraint_correction_class = {
    .name = "BaseConstraintCorrection",
    .module = "Sofa.Core",
    .category = "ConstraintCorrection",
    .help = "The motion of states under constraint forces.",
    .size = sizeof(SofaConstraintCorrection),
    .abstract = true,
};

static const SofaLinkRule correction_rule = {.search = SOFA_SEARCH_NONE};

static const SofaField solver_fields[] = {
    SOFA_FIELD(SofaConstraintSolver, corrections, "constraintCorrections", NULL, "",
               "the constraint corrections in its node and below", .link = &correction_rule,
               .flags = SOFA_FIELD_OUTPUT),
};

static void destroy_solver(SofaObject *object) {
  sofa_constraint_problem_free(&((SofaConstraintSolver *)object)->problem);
}

const SofaClass sofa_constraint_solver_class = {
    .name = "BaseConstraintSolver",
    .module = "Sofa.Core",
    .category = "ConstraintSolver",
    .help = "Finds the forces of Lagrangian constraints.",
    .size = sizeof(SofaConstraintSolver),
    SOFA_FIELDS(solver_fields),
    .abstract = true,
    .destroy = destroy_solver,
};
