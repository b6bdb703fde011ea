/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of corrections of one state. */
#include "components/constraint/lagrangian/correction/correction.h"

#include "behavior/constrained_state.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {QUIRK_IDLE_SOLVER_FACTORS_ROW};

static const SofaField fields[] = {
    SOFA_FIELD(StateCorrection, mstate, "mstate", NULL, "",
               "corrected mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
};

/* ---- what it belongs to ---- */

static SofaErr init(SofaObject *object) {
  StateCorrection *c = (StateCorrection *)object;
  c->state = c->mstate.target ? (SofaState *)c->mstate.target : sofa_node_state(object->node);
  return sofa_constrained_state_check(object, &c->state);
}

/* The solver may come after the correction. */
static SofaErr bwd_init(SofaObject *object) {
  StateCorrection *c = (StateCorrection *)object;
  c->ode = correction_ode_solver(object, NULL);
  return SOFA_OK;
}

SofaOdeSolver *correction_ode_solver(const SofaObject *object, const SofaLink *link) {
  if (link && link->target) return (SofaOdeSolver *)link->target;
  return (SofaOdeSolver *)sofa_node_find(object->node, SOFA_ODE_SOLVER, SOFA_SEARCH_UP);
}

/* The nearest solver that acts, at or above a node, by any of its parents; NULL: none. Solvers that
 * act have a plan in a step. */
static SofaOdeSolver *acting_above(const SofaNode *node) {
  SofaOdeSolver *solver = (SofaOdeSolver *)sofa_node_find(node, SOFA_ODE_SOLVER, SOFA_SEARCH_LOCAL);
  if (solver && solver->mechanics) return solver;
  solver = NULL;
  for (size_t i = 0; i < node->parents.n && !solver; i++)
    solver = acting_above(node->parents.data[i]);
  return solver;
}

/* The nearest one, else one above it, else one above the correction. */
static SofaOdeSolver *acting(const SofaObject *object, SofaOdeSolver *nearest) {
  SofaOdeSolver *solver = nearest->mechanics ? nearest : acting_above(nearest->object.node);
  return solver ? solver : acting_above(object->node);
}

SofaErr correction_factors(const SofaObject *object, SofaOdeSolver *nearest, double dt,
                           SofaMechanics **m, SofaOdeFactors *out) {
  SofaOdeSolver *solver = acting(object, nearest);
  SofaOdeFactors idle;
  if (!solver)
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "the ODE solver '%s' makes no step: activate its node",
                            nearest->object.name);
  *m = solver->mechanics;
  SOFA_TRY(sofa_ode_solver_factors(solver, dt, out));
  if (solver == nearest || !sofa_quirk(object, QUIRK_IDLE_SOLVER_FACTORS)) return SOFA_OK;
  SOFA_TRY(sofa_ode_solver_factors(nearest, dt, &idle));
  out->position = idle.position;
  out->velocity = idle.velocity;
  return SOFA_OK;
}

SofaErr correction_no_ode_solver(const SofaObject *object) {
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "there is no ODE solver in the node or above, whose time integration the "
                          "correction follows; add for instance <EulerImplicitSolver/>");
}

SofaErr correction_check_state(const SofaObject *object, const SofaState *state) {
  if (state->mechanics && !state->mapped) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                          state->mapped
                              ? "the state '%s' is moved by a mapping: the correction belongs to "
                                "the node of the independent state above it"
                              : "no ODE solver moves the state '%s': add one to its node, or "
                                "remove the correction",
                          state->object.name);
}

SofaErr correction_begin(StateCorrection *c, const SofaConstraintProblem *problem) {
  SOFA_TRY(correction_check_state(&c->correction.object, c->state));
  SofaMechanics *m = NULL;
  return c->ode ? correction_factors(&c->correction.object, c->ode, problem->dt, &m, &c->factors)
                : SOFA_OK;
}

const SofaConstrainedState *correction_rows(const StateCorrection *c,
                                            const SofaConstraintProblem *problem) {
  return sofa_constrained_state(problem, c->state);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(StateCorrection, factors),
};

const SofaClass state_correction_class = {
    .name = "StateConstraintCorrection",
    .module = "csofa",
    .category = "ConstraintCorrection",
    .help = "The motion of one state under constraint forces.",
    .base = &sofa_constraint_correction_class,
    SOFA_SPARES(spared),
    .size = sizeof(StateCorrection),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .can_create = sofa_constraint_can_create,
    .init = init,
    .bwd_init = bwd_init,
    .abstract = true,
};

/* ---- motion ---- */

SofaErr correction_move(SofaConstraintProblem *problem, const SofaState *state,
                        const CorrectionMove *move, SofaConstrainedState **out) {
  SofaConstrainedState *s = *out = sofa_constrained_state(problem, state);
  if (!s) return SOFA_OK;
  const size_t n = state->position.n * sofa_state_kind_info(state->object.kind)->deriv;
  SOFA_TRY(SOFA_RESIZE(problem->ctx, &s->motion, n));
  if (n) sofa_zero(s->motion.data, n * sizeof *s->motion.data);
  s->position = move->position;
  s->velocity = move->velocity;
  s->mover = move->mover;
  return SOFA_OK;
}
