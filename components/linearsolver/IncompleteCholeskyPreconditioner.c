/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IncompleteCholeskyPreconditioner: L L^T without most of its entries, by points or by scalars. */
#include "numerics/krylov/incomplete_cholesky.h"

#include "numerics/krylov/assembled.h"
#include "object/checkpoint.h"

typedef struct IncompleteCholeskyPreconditioner {
  SofaLinearSolver solver;
  SofaIncompleteCholesky factor;
} IncompleteCholeskyPreconditioner;

static const SofaField fields[] = {
    SOFA_FIELD(
        IncompleteCholeskyPreconditioner, factor.by_blocks, "block", "1", "",
        "factorise whole blocks of points, where all are of one size; off: number by number, "
        "which is slower and gives the same factor to rounding"),
    SOFA_FIELD(IncompleteCholeskyPreconditioner, factor.level, "levelOfFill", "0", "1",
               "entries of the factor in addition to those of the matrix: 0 none, 1 those produced "
               "by two entries of the matrix, 2 also those produced by entries of level 1, ...; "
               "costs memory and time, saves iterations",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(IncompleteCholeskyPreconditioner, factor.first_shift, "firstShift", "0.001", "1",
               "added to the diagonal, relative to it, when a pivot is not positive, then doubled "
               "until all are",
               .range = SOFA_ABOVE(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_FIELD(IncompleteCholeskyPreconditioner, factor.shift, "shift", "0", "1",
               "shift of the last factor", .flags = SOFA_FIELD_OUTPUT),
};

static void destroy(SofaObject *object) {
  sofa_incomplete_cholesky_free(object->ctx, &((IncompleteCholeskyPreconditioner *)object)->factor);
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  SofaIncompleteCholesky *f = &((IncompleteCholeskyPreconditioner *)solver)->factor;
  SofaBlockRows rows;
  bool anew = false;
  SOFA_TRY(sofa_incomplete_cholesky_update(solver, f, &rows, &anew));
  if (anew) sofa_field_touch(&solver->object, &fields[3]);
  sofa_copy(x, b, rows.n_scalar_rows * sizeof *x);
  sofa_incomplete_cholesky_apply(f, x);
  return sofa_assembled_check_solution(solver, &rows, b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {"CompressedRowSparseMatrixd",
                                        "CompressedRowSparseMatrixMat3x3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(IncompleteCholeskyPreconditioner, factor),
};

SOFA_CLASS(IncompleteCholeskyPreconditioner) = {
    SOFA_NAMED(IncompleteCholeskyPreconditioner),
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Preconditioner of PCGLinearSolver: L L^T without the entries outside the pattern of "
            "the matrix and so many levels of fill (IC(k); Saad, 2003), by blocks or by scalars; "
            "the lower triangle is read. When a pivot is not positive the diagonal is shifted.",
    .equations = "P = L L^T, z = P^-1 r",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
