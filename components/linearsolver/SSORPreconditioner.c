/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SSORPreconditioner: symmetric successive over-relaxation. */
#include "math/three.h"
#include "numerics/krylov/assembled.h"
#include "numerics/krylov/work_vector.h"
#include "object/checkpoint.h"

typedef struct SSORPreconditioner {
  SofaLinearSolver solver;
  double omega;
  SofaReals scale; /* omega / D */
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the matrix; 0: none */
} SSORPreconditioner;

static const SofaField fields[] = {
    SOFA_FIELD(SSORPreconditioner, omega, "omega", "1", "1",
               "relaxation factor w; 1: symmetric Gauss-Seidel", .range = SOFA_BETWEEN(0, 2),
               .on_bad = SOFA_BAD_KEEP),
};

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((SSORPreconditioner *)object)->scale);
}

static SofaErr prepare(SSORPreconditioner *p, const SofaBlockMatrix *matrix,
                       const SofaBlockRows *rows) {
  p->value_version = 0;
  SOFA_TRY(work_vector(p->solver.object.ctx, rows->n_scalar_rows, &p->scale));
  double *d = p->scale.data;
  sofa_assembled_diagonal(rows, d);
  for (size_t i = 0; i < rows->n_scalar_rows; i++) {
    if (d[i] == 0)
      return sofa_linear_solver_fail_at(&p->solver, SOFA_ERR_SINGULAR, i,
                                        "zero on the diagonal of the matrix");
    d[i] = p->omega / d[i];
  }
  p->matrix = matrix;
  p->value_version = rows->value_version;
  return SOFA_OK;
}

/* sums = blocks `begin` to `end` of a block row of `size` rows, times x. */
static inline void sum_blocks(const SofaBlockRows *rows, size_t begin, size_t end, size_t size,
                              const double *x, double *sums) {
  if (rows->uniform == 3) {
    SofaThree sum = {0, 0, 0};
    for (size_t k = begin; k < end; k++) {
      const SofaThree from = sofa_three(x + 3 * (size_t)rows->column[k]);
      sum = sofa_three_add(sum, sofa_three_apply(sofa_block_values(rows, k), from));
    }
    sofa_three_put(sum, sums);
    return;
  }
  for (size_t r = 0; r < size; r++) sums[r] = 0;
  for (size_t k = begin; k < end; k++) {
    const double *v = sofa_block_values(rows, k);
    const size_t j = rows->column[k];
    const double *from = x + rows->column_scalar[j];
    const size_t columns = rows->column_scalar[j + 1] - rows->column_scalar[j];
    for (size_t r = 0; r < size; r++)
      for (size_t c = 0; c < columns; c++) sums[r] += v[r * columns + c] * from[c];
  }
}

/* t from (D/omega + U) t = b; rows descending */
static void backward(const SofaBlockRows *rows, const double *scale, const double *b, double *t) {
  for (size_t i = rows->n_rows; i-- > 0;) {
    const size_t first = rows->row_scalar[i], size = rows->row_scalar[i + 1] - first;
    const double *a = sofa_block_values(rows, rows->diagonal[i]);
    double sums[8];
    sum_blocks(rows, rows->diagonal[i] + 1, rows->start[i + 1], size, t, sums);
    for (size_t r = size; r-- > 0;) {
      for (size_t c = r + 1; c < size; c++) sums[r] += a[r * size + c] * t[first + c];
      t[first + r] = scale[first + r] * (b[first + r] - sums[r]);
    }
  }
}

/* z from (D/omega + L) z = D/omega t, in place; rows ascending */
static void forward(const SofaBlockRows *rows, const double *scale, double *z) {
  for (size_t i = 0; i < rows->n_rows; i++) {
    const size_t first = rows->row_scalar[i], size = rows->row_scalar[i + 1] - first;
    const double *a = sofa_block_values(rows, rows->diagonal[i]);
    double sums[8];
    sum_blocks(rows, rows->start[i], rows->diagonal[i], size, z, sums);
    for (size_t r = 0; r < size; r++) {
      for (size_t c = 0; c < r; c++) sums[r] += a[r * size + c] * z[first + c];
      z[first + r] -= scale[first + r] * sums[r];
    }
  }
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  SSORPreconditioner *p = (SSORPreconditioner *)solver;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  if (p->matrix != matrix || p->value_version != rows.value_version)
    SOFA_TRY(prepare(p, matrix, &rows));
  backward(&rows, p->scale.data, b, x);
  forward(&rows, p->scale.data, x);
  for (size_t i = 0; p->omega != 1 && i < rows.n_scalar_rows; i++) x[i] *= 2 - p->omega;
  return sofa_assembled_check_solution(solver, &rows, b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {"CompressedRowSparseMatrixd",
                                        "CompressedRowSparseMatrixMat3x3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SSORPreconditioner, matrix),
    SOFA_REMADE(SSORPreconditioner, scale),
    SOFA_REMADE(SSORPreconditioner, value_version),
};

SOFA_CLASS(SSORPreconditioner) = {
    SOFA_NAMED(SSORPreconditioner),
    .module = "Sofa.Component.LinearSolver.Preconditioner",
    .category = "LinearSolver",
    .help = "Preconditioner of PCGLinearSolver: symmetric successive over-relaxation, "
            "P = (D/w + U) (w/(2 - w)) D^-1 (D/w + L) for A = L + D + U.",
    .equations = "P = (D/omega + U) (omega/(2 - omega)) D^-1 (D/omega + L)",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
