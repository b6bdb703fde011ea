/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BlockJacobiPreconditioner: the inverse of the 3x3 blocks on the diagonal. */
#include "numerics/krylov/assembled.h"
#include "numerics/krylov/work_vector.h"
#include "object/checkpoint.h"

typedef struct BlockJacobiPreconditioner {
  SofaLinearSolver solver;
  SofaReals inverse; /* nine reals, row major, for every three rows */
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the matrix; 0: none */
} BlockJacobiPreconditioner;

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((BlockJacobiPreconditioner *)object)->inverse);
}

/* In place, by cofactors. False: singular. */
static bool invert_block(double *a) {
  const double c[9] = {
      a[4] * a[8] - a[5] * a[7], a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
      a[5] * a[6] - a[3] * a[8], a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
      a[3] * a[7] - a[4] * a[6], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3]};
  const double determinant = a[0] * c[0] + a[1] * c[3] + a[2] * c[6];
  if (determinant == 0) return false;
  for (int i = 0; i < 9; i++) a[i] = c[i] / determinant;
  return true;
}

static SofaErr invert(BlockJacobiPreconditioner *p, const SofaBlockMatrix *matrix,
                      const SofaBlockRows *rows) {
  const size_t n_blocks = (rows->n_scalar_rows + 2) / 3;
  p->value_version = 0;
  SOFA_TRY(work_vector(p->solver.object.ctx, 9 * n_blocks, &p->inverse));
  sofa_assembled_band(rows, 3, 0, p->inverse.data);
  for (size_t i = 0; i < n_blocks; i++)
    if (!invert_block(p->inverse.data + 9 * i))
      return sofa_linear_solver_fail_at(&p->solver, SOFA_ERR_SINGULAR, 3 * i,
                                        "the 3x3 block on the diagonal is singular");
  p->matrix = matrix;
  p->value_version = rows->value_version;
  return SOFA_OK;
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  BlockJacobiPreconditioner *p = (BlockJacobiPreconditioner *)solver;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  if (p->matrix != matrix || p->value_version != rows.value_version)
    SOFA_TRY(invert(p, matrix, &rows));
  const size_t n = rows.n_scalar_rows;
  const double *a = p->inverse.data;
  for (size_t i = 0; i + 3 <= n; i += 3, a += 9)
    for (size_t r = 0; r < 3; r++)
      x[i + r] = a[3 * r] * b[i] + a[3 * r + 1] * b[i + 1] + a[3 * r + 2] * b[i + 2];

  /* the rest of a matrix whose size is not a multiple of three */
  for (size_t r = n - n % 3; r < n; r++) {
    x[r] = 0;
    for (size_t c = n - n % 3; c < n; c++) x[r] += a[3 * (r % 3) + c % 3] * b[c];
  }
  return sofa_assembled_check_solution(solver, &rows, b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve,
                                        .system_template = "BlockDiagonalMatrixMat3x3d"};

static const char *const templates[] = {"FullVector", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BlockJacobiPreconditioner, inverse),
    SOFA_REMADE(BlockJacobiPreconditioner, matrix),
    SOFA_REMADE(BlockJacobiPreconditioner, value_version),
};

SOFA_CLASS(BlockJacobiPreconditioner) = {
    SOFA_NAMED(BlockJacobiPreconditioner),
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSolver",
    .help = "Preconditioner of PCGLinearSolver: solves with the 3x3 blocks on the diagonal of the "
            "matrix.",
    .equations = "z_i = A_{ii}^-1 r_i",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
