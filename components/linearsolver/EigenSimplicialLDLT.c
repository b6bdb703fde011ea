/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSimplicialLDLT: direct solution by L D L^T. */
#include "numerics/direct/cholmod_solver.h"

SOFA_CLASS(EigenSimplicialLDLT) = {
    .name = "EigenSimplicialLDLT",
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric systems by L D L^T without pivoting; the lower triangle "
            "is read.",
    .equations = "A = P^T L D L^T P",
    .base = &sofa_cholmod_linear_solver_class,
    .size = sizeof(SofaCholmodLinearSolver),
    .templates = sofa_cholmod_blocked_first,
};
