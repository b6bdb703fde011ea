/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract ODE solver. */
#include "behavior/ode_solver.h"
#include "object/checkpoint.h"

const SofaInterface sofa_ode_solver_interface = {
    .name = "ODE solver",
    SOFA_REQUIRES(offsetof(SofaOdeSolverOps, prepare), offsetof(SofaOdeSolverOps, step)),
    .slot = true,
    .ops_member = offsetof(SofaOdeSolver, ops)};

static const SofaQuirk quirks[] = {
    {SOFA_QUIRK_RUNAWAY_STATES, "runaway-states",
     "a run goes on wherever its points are, until a number is not finite",
     "test_runaway.quirk_goes_on"},
    {SOFA_QUIRK_FREE_FORCES, "free-forces",
     "EulerExplicitSolver and CentralDifferenceSolver take the forces of a free motion at the "
     "velocities of the free motion before",
     "test_step_parts.forces_of_the_free_motion"},
    {SOFA_QUIRK_ODE_FACTORS, "integration-factors",
     "some ODE solvers give constraint corrections other factors than those of their scheme",
     "test_step_parts.factors_of_quirks"},
    {SOFA_QUIRK_WEIGHTLESS, "weightless-masses",
     "masses with separateGravity have no weight under BDFOdeSolver, VariationalSymplecticSolver "
     "and "
     "static solvers",
     "test_separate_gravity.every_solver_has_weight"},
    {SOFA_QUIRK_MAPPED_INERTIA, "mapped-inertia",
     "masses below mappings have no momentum under BDFOdeSolver and VariationalSymplecticSolver, "
     "and no forces of the motion of their Jacobians",
     "test_mapped_masses.quirk_leaves_out_inertia"},
};

bool sofa_node_is_constrained(const SofaNode *node) {
  for (; node; node = sofa_node_parent(node)) {
    const SofaObject *solver = sofa_node_slot(node, SOFA_ODE_SOLVER);
    if (!solver || !sofa_valid(solver)) continue;
    if (sofa_ode_solver_traits((const SofaOdeSolver *)solver) & SOFA_ODE_CONSTRAINS) return true;
  }
  return false;
}

static const SofaField fields[] = {
    SOFA_FIELD(
        SofaOdeSolver, runaway_factor, "runawayFactor", "1e6", "1",
        "a step fails that moves a point further than this times the size of the scene at its "
        "start and the way of a free flight; 0: no limit",
        .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
};

/* A reset begins the run again. */
static SofaErr reset(SofaObject *object) {
  ((SofaOdeSolver *)object)->scale.known = false;
  ((SofaOdeSolver *)object)->solves = (SofaSolveCount){0};
  return SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  sofa_solve_count_event(&((const SofaOdeSolver *)object)->solves, object, event, "|R|/|R_0|");
  return SOFA_OK;
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(SofaOdeSolver, scale),
    SOFA_KEEP(SofaOdeSolver, solves),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaOdeSolver, plan_version),
    SOFA_REMADE(SofaOdeSolver, v_forces),
};

const SofaClass sofa_ode_solver_class = {
    .name = "OdeSolver",
    .module = "csofa",
    .category = "OdeSolver",
    .help = "Advances the states below its node by one time step.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .size = sizeof(SofaOdeSolver),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .reset = reset,
    .handle_event = handle_event,
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, SOFA_NO_OPS}),
};
