/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LDLTSolver: direct solution of symmetric systems by L D L^T. */
#include "solver/direct.h"

SOFA_CLASS(LDLTSolver) = {
    .name = "LDLTSolver",
    .module = "SofaCaribou",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric systems by L D L^T without pivoting (CHOLMOD); the lower "
            "triangle is read.",
    .equations = "A = P^T L D L^T P",
    .base = &sofa_cholmod_linear_solver_class,
    .size = sizeof(CaribouSymmetric),
    .fields = caribou_symmetric_fields,
    .n_fields = CARIBOU_SYMMETRIC_FIELDS,
    .templates = caribou_symmetric_templates,
    .init = caribou_symmetric_init,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &caribou_symmetric_ops}),
};
