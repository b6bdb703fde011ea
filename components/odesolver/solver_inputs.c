/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What implicit ODE solvers take from the scene: their linear solver and checked parameters. */
#include "components/odesolver/solver_inputs.h"

const SofaLinkRule ode_linear_solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                             .search = SOFA_SEARCH_DOWN};

SofaErr ode_linear_solver(const SofaObject *solver, const SofaLink *link, SofaLinearSolver **out) {
  *out = link->target ? (SofaLinearSolver *)link->target : sofa_node_linear_solver(solver->node);
  if (*out) return SOFA_OK;
  return sofa_object_fail(solver, SOFA_ERR_NOT_FOUND,
                          "no linear solver in the node or below it: add for instance "
                          "<CGLinearSolver/> or <SparseLDLSolver/>");
}

SofaErr ode_check_range(const SofaObject *solver, const char *field, double value, double most) {
  if (value >= 0 && value <= most) return SOFA_OK;
  return sofa_field_fail(solver, field, SOFA_ERR_RANGE, "%g, expected in [0, %g]", value, most);
}

SofaErr ode_check_not_negative(const SofaObject *solver, const char *field, double value) {
  if (value >= 0) return SOFA_OK;
  return sofa_field_fail(solver, field, SOFA_ERR_RANGE, "%g, expected >= 0", value);
}
