/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dense and banded copies of assembled matrices. */
#include "numerics/krylov/assembled.h"

#include <math.h>

SofaErr sofa_assembled_rows(const SofaLinearSolver *solver, const SofaBlockMatrix **matrix,
                            SofaBlockRows *rows) {
  *matrix = sofa_linear_system_matrix(solver->system);
  if (!*matrix)
    return sofa_object_fail(&solver->object, SOFA_ERR_TYPE, "needs an assembled linear system");
  sofa_block_matrix_rows(*matrix, rows);
  return SOFA_OK;
}

void sofa_assembled_log_blas(const SofaLinearSolver *solver, size_t n_rows) {
  if (!solver->object.print_log) return;
  sofa_object_message(&solver->object, SOFA_INFO, "%zu rows; BLAS held at 1 thread", n_rows);
}

SofaErr sofa_assembled_check_dense(const SofaLinearSolver *solver, const SofaBlockRows *rows) {
  if (rows->n_scalar_rows <= DENSE_ROWS_MAX) return SOFA_OK;
  return sofa_object_fail(&solver->object, SOFA_ERR_RANGE,
                          "%zu rows are too many for a dense matrix (at most %d): use a sparse "
                          "solver such as SparseLDLSolver",
                          rows->n_scalar_rows, DENSE_ROWS_MAX);
}

SofaErr sofa_assembled_check_finite(const SofaLinearSolver *solver, const SofaBlockRows *rows) {
  for (size_t i = 0; i < rows->n_rows; i++) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const double *v = sofa_block_values(rows, k);
      const size_t j = rows->column[k];
      const size_t columns = rows->column_scalar[j + 1] - rows->column_scalar[j];
      const size_t n = (rows->row_scalar[i + 1] - rows->row_scalar[i]) * columns;
      for (size_t e = 0; e < n; e++)
        if (!isfinite(v[e]))
          return sofa_linear_solver_fail_at(solver, SOFA_ERR_NOT_FINITE,
                                            rows->row_scalar[i] + e / columns,
                                            "the matrix is not finite");
    }
  }
  return SOFA_OK;
}

/* Four sums, so that the loop runs on vectors: 0 x is not 0 when x is not finite. */
static bool all_finite(size_t n, const double *x) {
  double sum[4] = {0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++) sum[k] += 0 * x[i + k];
  for (; i < n; i++) sum[0] += 0 * x[i];
  return isfinite(sum[0] + sum[1] + sum[2] + sum[3]);
}

SofaErr sofa_assembled_check_solution(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                      const double *b, const double *x) {
  const size_t n = rows->n_scalar_rows;
  if (all_finite(n, x)) return SOFA_OK;
  if (all_finite(n, b)) SOFA_TRY(sofa_assembled_check_finite(solver, rows));
  return sofa_linear_solver_check_finite(solver, b, x);
}

/* (b - A x)^2 of block row i. */
static double row_residual(const SofaBlockRows *rows, size_t i, const double *b, const double *x) {
  double r[8] = {0}, sum = 0;
  const size_t first = rows->row_scalar[i], n = rows->row_scalar[i + 1] - first;
  for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
    const double *v = sofa_block_values(rows, k);
    const size_t j = rows->column[k];
    for (size_t e = 0; e < n; e++)
      for (size_t c = rows->column_scalar[j]; c < rows->column_scalar[j + 1]; c++)
        r[e] += *v++ * x[c];
  }
  for (size_t e = 0; e < n; e++) sum += (b[first + e] - r[e]) * (b[first + e] - r[e]);
  return sum;
}

SofaErr sofa_assembled_check_residual(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                      const double *b, const double *x, bool *told) {
  const SofaObject *object = &solver->object;
  double rr = 0, bb = 0;
  for (size_t i = 0; i < rows->n_scalar_rows; i++) bb += b[i] * b[i];
  for (size_t i = 0; i < rows->n_rows; i++) rr += row_residual(rows, i, b, x);
  if (!(rr > 1e-6 * bb) || (*told && object->ctx->keep_going)) return SOFA_OK;
  *told = true;
  const SofaErr err =
      sofa_object_fail(object, SOFA_ERR_SINGULAR,
                       "the matrix is singular to rounding (is every body held, or has a mass?): "
                       "with the solution |r|/|b| is %g, time %g",
                       sqrt(rr / bb), object->node->time);
  return object->ctx->keep_going ? SOFA_OK : err;
}

SofaErr sofa_assembled_check_solutions(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                       size_t n, const double *b, const double *x) {
  for (size_t k = 0; k < n * rows->n_scalar_rows; k += rows->n_scalar_rows)
    SOFA_TRY(sofa_assembled_check_solution(solver, rows, b + k, x + k));
  return SOFA_OK;
}

SofaErr sofa_assembled_check_residuals(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                       size_t n, const double *b, const double *x, bool *told) {
  SOFA_TRY(sofa_assembled_check_solutions(solver, rows, n, b, x));
  for (size_t k = 0; k < n * rows->n_scalar_rows; k += rows->n_scalar_rows)
    SOFA_TRY(sofa_assembled_check_residual(solver, rows, b + k, x + k, told));
  return SOFA_OK;
}

void sofa_assembled_dense(const SofaBlockRows *rows, double *a) {
  const size_t n = rows->n_scalar_rows;
  sofa_zero(a, n * n * sizeof *a);
  for (size_t i = 0; i < rows->n_rows; i++) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const double *v = sofa_block_values(rows, k);
      const size_t j = rows->column[k];
      for (size_t r = rows->row_scalar[i]; r < rows->row_scalar[i + 1]; r++)
        for (size_t c = rows->column_scalar[j]; c < rows->column_scalar[j + 1]; c++)
          a[r + n * c] = *v++;
    }
  }
}

void sofa_assembled_diagonal(const SofaBlockRows *rows, double *d) {
  for (size_t i = 0; i < rows->n_rows; i++) {
    const double *v = sofa_block_values(rows, rows->diagonal[i]);
    const size_t first = rows->row_scalar[i], size = rows->row_scalar[i + 1] - first;
    for (size_t r = 0; r < size; r++) d[first + r] = v[r * (size + 1)];
  }
}

/* May entries of block k, of block row i, have that difference of their blocks of `size`? */
static bool meets_band(const SofaBlockRows *rows, size_t i, size_t k, size_t size, int beside) {
  const size_t j = rows->column[k];
  const ptrdiff_t width = (ptrdiff_t)size, centre = beside * width;
  const ptrdiff_t least =
      (ptrdiff_t)rows->column_scalar[j] - (ptrdiff_t)rows->row_scalar[i + 1] + 1 - centre;
  const ptrdiff_t most =
      (ptrdiff_t)rows->column_scalar[j + 1] - 1 - (ptrdiff_t)rows->row_scalar[i] - centre;
  return least < width && most > -width;
}

/* The band of blocks of `size`: a copy of those beside the diagonal ones. */
static void copy_band(const SofaBlockRows *rows, int beside, double *d) {
  const size_t square = rows->uniform * rows->uniform;
  for (size_t i = 0; i < rows->n_rows; i++, d += square) {
    const ptrdiff_t k = (ptrdiff_t)rows->diagonal[i] + beside, j = (ptrdiff_t)i + beside;
    const bool is_there = k >= (ptrdiff_t)rows->start[i] && k < (ptrdiff_t)rows->start[i + 1] &&
                          (ptrdiff_t)rows->column[k] == j;
    if (is_there) sofa_copy(d, sofa_block_values(rows, (size_t)k), square * sizeof *d);
    else sofa_zero(d, square * sizeof *d);
  }
}

/* Puts those entries of block k, of block row i, that are in the band. */
static void put_in_band(const SofaBlockRows *rows, size_t i, size_t k, size_t size, int beside,
                        double *d) {
  const double *v = sofa_block_values(rows, k);
  const size_t first = rows->column_scalar[rows->column[k]];
  const size_t end = rows->column_scalar[rows->column[k] + 1];
  for (size_t r = rows->row_scalar[i]; r < rows->row_scalar[i + 1]; r++, v += end - first) {
    const size_t block = r / size;
    // columns of block + beside
    const ptrdiff_t low = ((ptrdiff_t)block + beside) * (ptrdiff_t)size;
    double *to = d + block * size * size + (r % size) * size;
    for (size_t c = first; c < end; c++) {
      const ptrdiff_t place = (ptrdiff_t)c - low;
      if (place >= 0 && place < (ptrdiff_t)size) to[place] = v[c - first];
    }
  }
}

void sofa_assembled_band(const SofaBlockRows *rows, size_t size, int beside, double *d) {
  const size_t n = rows->n_scalar_rows, n_blocks = (n + size - 1) / size;
  if (rows->uniform == size && rows->diagonal) {
    copy_band(rows, beside, d);
    return;
  }
  sofa_zero(d, n_blocks * size * size * sizeof *d);
  for (size_t s = n; beside == 0 && s < n_blocks * size; s++)
    d[(s / size) * size * size + (s % size) * (size + 1)] = 1;
  for (size_t i = 0; i < rows->n_rows; i++)
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
      if (meets_band(rows, i, k, size, beside)) put_in_band(rows, i, k, size, beside, d);
}
