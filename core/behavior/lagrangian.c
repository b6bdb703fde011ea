/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bases of constraints, corrections and their solvers. */
#include "behavior/lagrangian.h"

const SofaInterface sofa_lagrangian_interface = {.name = "Lagrangian constraint",
                                                 .ops_member = offsetof(SofaLagrangian, ops)},
                    sofa_constraint_correction_interface = {.name = "constraint correction",
                                                            .ops_member = offsetof(
                                                                SofaConstraintCorrection, ops)},
                    sofa_constraint_solver_interface = {.name = "constraint solver",
                                                        .ops_member =
                                                            offsetof(SofaConstraintSolver, ops)};

static const SofaField lagrangian_fields[] = {
    SOFA_FIELD(SofaLagrangian, end_time, "endTime", "-1", "s", "no effect, as in SOFA",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLagrangian, group, "group", "0", "", "number of a group; not used",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLagrangian, constraint_index, "constraintIndex", "0", "",
               "its first row in the last constraint problem", .flags = SOFA_FIELD_OUTPUT),
};

const SofaClass sofa_lagrangian_class = {
    .name = "BaseLagrangianConstraint",
    .module = "Sofa.Core",
    .category = "ConstraintSet",
    .help = "A constraint whose forces are unknowns of the step.",
    .size = sizeof(SofaLagrangian),
    SOFA_FIELDS(lagrangian_fields),
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
