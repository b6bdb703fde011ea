/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EigenSparseLU: direct solution by L U with UMFPACK, for any regular matrix; by L L^T of those
 * that need no pivots. */
#include "numerics/direct/umfpack_solver.h"

typedef SofaUmfpackSolver EigenSparseLU;

static const char *const templates[] = {"CompressedRowSparseMatrixMat3x3d",
                                        "CompressedRowSparseMatrixd", NULL};

static SofaErr construct(SofaObject *object) {
  ((EigenSparseLU *)object)->tries_definite = true;
  return SOFA_OK;
}

SOFA_CLASS(EigenSparseLU) = {
    SOFA_NAMED(EigenSparseLU),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution by L U with partial pivoting (UMFPACK); the matrix need not be "
            "symmetric. One that is symmetric to rounding and positive definite needs no pivoting: "
            "it is solved by L L^T, with the same accuracy at a fraction of the cost.",
    .equations = "P A Q = L U",
    .base = &sofa_umfpack_solver_class,
    .templates = templates,
    .construct = construct,
};
