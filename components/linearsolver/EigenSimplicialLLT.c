/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSimplicialLLT: direct solution by L L^T. */
#include "numerics/direct/cholmod_solver.h"

SOFA_CLASS(EigenSimplicialLLT) = {
    .name = "EigenSimplicialLLT",
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric positive definite systems by L L^T; the lower triangle "
            "is read.",
    .equations = "A = P^T L L^T P",
    .base = &sofa_cholmod_linear_solver_class,
    .size = sizeof(SofaCholmodLinearSolver),
    .templates = sofa_cholmod_blocked_first,
    .construct = sofa_cholmod_construct_positive,
};
