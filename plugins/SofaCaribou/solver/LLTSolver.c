/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LLTSolver: direct solution of symmetric systems by L L^T. */
#include "solver/direct.h"

SOFA_CLASS(LLTSolver) = {
    .name = "LLTSolver",
    .module = "SofaCaribou",
    .category = "LinearSolver",
    .help = "Direct solution of symmetric positive definite systems by L L^T (CHOLMOD); the lower "
            "triangle is read.",
    .equations = "A = P^T L L^T P",
    .base = &sofa_cholmod_linear_solver_class,
    .construct = sofa_cholmod_construct_positive,
    .size = sizeof(CaribouSymmetric),
    .fields = caribou_symmetric_fields,
    .n_fields = CARIBOU_SYMMETRIC_FIELDS,
    .templates = caribou_symmetric_templates,
    .init = caribou_symmetric_init,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &caribou_symmetric_ops}),
};
