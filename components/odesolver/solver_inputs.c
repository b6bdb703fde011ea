/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What ODE solvers take from the scene: their linear solver; a quirk that most of them share. */
#include "components/odesolver/solver_inputs.h"

const SofaLinkRule ode_linear_solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                             .search = SOFA_SEARCH_DOWN};

SofaErr ode_linear_solver(const SofaObject *solver, const SofaLink *link, SofaLinearSolver **out) {
  *out = link->target ? (SofaLinearSolver *)link->target : sofa_node_linear_solver(solver->node);
  if (*out) return SOFA_OK;
  static const char why[] = "no linear solver in the node or below it: add for instance "
                            "<CGLinearSolver/> or <SparseLDLSolver/>";
  if (solver->ctx->keep_going) return sofa_object_fail(solver, SOFA_ERR_NOT_FOUND, "%s", why);
  sofa_object_message(solver, SOFA_WARNING, "%s", why);
  return SOFA_OK;
}

unsigned ode_damping_traits(const SofaOdeSolver *solver) {
  return sofa_quirk(&solver->object, QUIRK_COMPONENT_RAYLEIGH) ? SOFA_ODE_LEAVES_OUT_DAMPING : 0;
}

bool ode_has_linear_solver(const SofaLinearSolver *linear) {
  return linear && sofa_valid(&linear->object);
}

SofaErr ode_need_linear_solver(const SofaObject *solver, const SofaLinearSolver *linear) {
  if (ode_has_linear_solver(linear)) return SOFA_OK;
  return sofa_object_fail(solver, SOFA_ERR_NOT_FOUND,
                          "step %llu: there is no linear solver that can be used; add for instance "
                          "<CGLinearSolver/> or <SparseLDLSolver/>",
                          (unsigned long long)solver->ctx->step);
}
