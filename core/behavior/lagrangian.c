/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The bases of constraints, corrections and their solvers. */
#include "behavior/lagrangian.h"
#include "object/checkpoint.h"

#include "behavior/animation_loop.h"
#include "behavior/constrained_state.h"
#include "behavior/list_owner.h"
#include "behavior/ode_solver.h"
#include "object/data_graph.h"

const SofaInterface sofa_lagrangian_interface = {
    .name = "Lagrangian constraint",
    .keeps_topology = true,
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

enum { FORCES = 3 }; /* its row */
static const SofaField lagrangian_fields[] = {
    SOFA_FIELD(SofaLagrangian, end_time, "endTime", "-1", "s", "no effect, as in SOFA",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLagrangian, group, "group", "0", "", "number of a group; not used",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLagrangian, constraint_index, "constraintIndex", "0", "",
               "its first row in the last constraint problem", .flags = SOFA_FIELD_OUTPUT),
    [FORCES] = SOFA_FIELD(
        SofaLagrangian, forces, "forces", NULL, "N",
        "of its rows in the last step: multipliers divided by the time step (addition of "
        "csofa)",
        .flags = SOFA_FIELD_OUTPUT),
};

/* In a scene whose loop does not solve constraints they do nothing. */
static SofaErr bwd_init(SofaObject *object) {
  const SofaObject *loop = sofa_node_slot(sofa_node_root(object->node), SOFA_ANIMATION_LOOP);
  const SofaAnimationLoopOps *ops = loop ? sofa_ops(loop, SOFA_ANIMATION_LOOP) : NULL;
  if (ops && !ops->constrains && !sofa_node_is_constrained(object->node))
    sofa_object_message(object, SOFA_WARNING,
                        "it has no effect: %s does not solve Lagrangian constraints; use "
                        "FreeMotionAnimationLoop",
                        loop->klass->name);
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  ((SofaLagrangian *)object)->forces.n = 0;
  return SOFA_OK;
}

SofaErr sofa_lagrangian_solved(SofaLagrangian *c, const SofaConstraintProblem *problem,
                               const double *lambda) {
  SOFA_TRY(SOFA_RESIZE(c->object.ctx, &c->forces, c->n_rows));
  for (uint32_t i = 0; i < c->n_rows; i++) c->forces.data[i] = lambda[i] / problem->dt;
  sofa_field_touch(&c->object, &lagrangian_fields[FORCES]);
  return SOFA_OK;
}

static const SofaSparedMember lagrangian_spared[] = {
    SOFA_REMADE(SofaLagrangian, n_rows),
};

const SofaClass sofa_lagrangian_class = {
    .name = "BaseLagrangianConstraint",
    .module = "Sofa.Core",
    .category = "ConstraintSet",
    .help = "A constraint whose forces are unknowns of the step.",
    .size = sizeof(SofaLagrangian),
    SOFA_SPARES(lagrangian_spared),
    SOFA_FIELDS(lagrangian_fields),
    .bwd_init = bwd_init,
    .reset = reset,
    .abstract = true,
};

/* ---- their states ---- */

static const SofaField state_fields[] = {
    SOFA_FIELD(SofaLagrangian, mstate, "mstate", NULL, "",
               "constrained mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
};

static const SofaField pair_fields[] = {
    SOFA_FIELD(SofaLagrangian, object1, "object1", NULL, "",
               "first mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
    SOFA_FIELD(SofaLagrangian, object2, "object2", NULL, "",
               "second mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
};

static SofaErr state_construct(SofaObject *object) {
  ((SofaLagrangian *)object)->state[0] = sofa_node_state(object->node);
  return SOFA_OK;
}

static SofaErr state_init(SofaObject *object) {
  SofaLagrangian *c = (SofaLagrangian *)object;
  if (c->mstate.target) c->state[0] = (SofaState *)c->mstate.target;
  return sofa_constrained_state_check(object, &c->state[0]);
}

static SofaErr pair_construct(SofaObject *object) {
  SofaLagrangian *c = (SofaLagrangian *)object;
  c->state[0] = c->state[1] = sofa_node_state(object->node);
  return SOFA_OK;
}

static SofaErr pair_init(SofaObject *object) {
  SofaLagrangian *c = (SofaLagrangian *)object;
  const SofaLink *links[] = {&c->object1, &c->object2};
  SofaErr err = SOFA_OK;
  for (int end = 0; end < 2; end++) {
    if (links[end]->target) c->state[end] = (SofaState *)links[end]->target;
    const SofaErr one = sofa_constrained_state_check(object, &c->state[end]);
    if (err == SOFA_OK) err = one;
  }
  return err;
}

/* States and engines of nodes below are complete now: lists that come from them by links, too. */
static SofaErr end_init(SofaObject *object) {
  SOFA_TRY(sofa_data_update(object));
  return sofa_object_check_lists(object);
}

const SofaClass sofa_state_lagrangian_class = {
    .name = "StateLagrangianConstraint",
    .module = "csofa",
    .category = "ConstraintSet",
    .help = "A Lagrangian constraint of one state.",
    .base = &sofa_lagrangian_class,
    .size = sizeof(SofaLagrangian),
    SOFA_FIELDS(state_fields),
    .can_create = sofa_constraint_can_create,
    .construct = state_construct,
    .init = state_init,
    .bwd_init = end_init,
    .reinit = sofa_object_check_lists,
    .list_owner = sofa_list_owner,
    .abstract = true,
};

const SofaClass sofa_pair_lagrangian_class = {
    .name = "PairLagrangianConstraint",
    .module = "csofa",
    .category = "ConstraintSet",
    .help = "A Lagrangian constraint between two states, which may be the same.",
    .base = &sofa_lagrangian_class,
    .size = sizeof(SofaLagrangian),
    SOFA_FIELDS(pair_fields),
    .can_create = sofa_pair_constraint_can_create,
    .construct = pair_construct,
    .init = pair_init,
    .bwd_init = end_init,
    .reinit = sofa_object_check_lists,
    .list_owner = sofa_list_owner,
    .abstract = true,
};

/* ---- corrections and solvers ---- */

static const SofaLinkRule solver_rule = {.search = SOFA_SEARCH_NONE};

static const SofaField correction_fields[] = {
    SOFA_FIELD(SofaConstraintCorrection, solvers, "constraintSolvers", NULL, "",
               "the constraint solvers that use it", .link = &solver_rule,
               .flags = SOFA_FIELD_OUTPUT),
};

const SofaClass sofa_constraint_correction_class = {
    .name = "BaseConstraintCorrection",
    .module = "Sofa.Core",
    .category = "ConstraintCorrection",
    .help = "The motion of states under constraint forces.",
    .size = sizeof(SofaConstraintCorrection),
    SOFA_FIELDS(correction_fields),
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

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaConstraintSolver, problem),
};

const SofaClass sofa_constraint_solver_class = {
    .name = "BaseConstraintSolver",
    .module = "Sofa.Core",
    .category = "ConstraintSolver",
    .help = "Finds the forces of Lagrangian constraints.",
    .size = sizeof(SofaConstraintSolver),
    SOFA_SPARES(spared),
    SOFA_FIELDS(solver_fields),
    .abstract = true,
    .destroy = destroy_solver,
};
