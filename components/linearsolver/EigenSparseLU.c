/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSparseLU: direct solution by L U with UMFPACK, for any regular matrix. */
#include "numerics/direct/umfpack_solver.h"

typedef SofaUmfpackSolver EigenSparseLU;

static const char *const templates[] = {"CompressedRowSparseMatrixMat3x3d",
                                        "CompressedRowSparseMatrixd", NULL};

SOFA_CLASS(EigenSparseLU) = {
    SOFA_NAMED(EigenSparseLU),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution by L U with partial pivoting (UMFPACK); the matrix need not be "
            "symmetric.",
    .equations = "P A Q = L U",
    .base = &sofa_umfpack_solver_class,
    .templates = templates,
};
