/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParallelCGLinearSolver: CGLinearSolver on an assembled matrix, under the name that SOFA gives to
 * its version on several threads. */
#include "components/linearsolver/CGLinearSolver.h"
#include "components/multithreading/parallel.h"

static const SofaLinearSolverOps ops = {.solve = cg_solve,
                                        .system_template = "CompressedRowSparseMatrixMat3x3d"};

static const char *const templates[] = {"ParallelCompressedRowSparseMatrixMat3x3d",
                                        "ParallelCompressedRowSparseMatrixd", NULL};

SOFA_CLASS(ParallelCGLinearSolver) = {
    .name = "ParallelCGLinearSolver",
    .module = "MultiThreading",
    .category = "LinearSolver",
    .help = "The same as CGLinearSolver with an assembled matrix, which uses the threads of the "
            "run.",
    .equations = "A x = b\n"
                 "alpha = r.r/(p.A p), x' = x + alpha p, r' = r - alpha A p",
    .base = &sofa_CGLinearSolver_class,
    .size = sizeof(CGLinearSolver),
    .templates = templates,
    .init = parallel_tell,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
