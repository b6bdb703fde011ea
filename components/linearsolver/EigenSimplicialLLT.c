/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSimplicialLLT: direct solution by L L^T. */
#include "numerics/direct/cholmod_solver.h"

static SofaErr construct(SofaObject *object) {
  const CholmodKind kind = {.positive_only = true, CHOLMOD_KIND_DEFAULT};
  cholmod_solver_set_kind(((CholmodLinearSolver *)object)->cholmod, kind);
  return SOFA_OK;
}

SOFA_CLASS(EigenSimplicialLLT) = {
    .name = "EigenSimplicialLLT",
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric positive definite systems by L L^T; the lower triangle "
            "is read.",
    .base = &cholmod_linear_solver_class,
    .size = sizeof(CholmodLinearSolver),
    .templates = cholmod_blocked_first,
    .construct = construct,
};
