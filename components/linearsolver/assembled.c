/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dense and banded copies of assembled matrices. */
#include "components/linearsolver/assembled.h"

#include <string.h>

SofaErr assembled_rows(const SofaLinearSolver *solver, const SofaBlockMatrix **matrix,
                       SofaBlockRows *rows) {
  *matrix = sofa_linear_system_matrix(solver->system);
  if (!*matrix)
    return sofa_object_fail(&solver->object, SOFA_ERR_TYPE, "needs an assembled linear system");
  sofa_block_matrix_rows(*matrix, rows);
  return SOFA_OK;
}

SofaErr assembled_check_dense(const SofaLinearSolver *solver, const SofaBlockRows *rows) {
  if (rows->n_scalar_rows <= DENSE_ROWS_MAX) return SOFA_OK;
  return sofa_object_fail(&solver->object, SOFA_ERR_RANGE,
                          "%zu rows are too many for a dense matrix (at most %d): use a sparse "
                          "solver such as SparseLDLSolver",
                          rows->n_scalar_rows, DENSE_ROWS_MAX);
}

void assembled_dense(const SofaBlockRows *rows, double *a) {
  const size_t n = rows->n_scalar_rows;
  memset(a, 0, n * n * sizeof *a);
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

void assembled_diagonal(const SofaBlockRows *rows, double *d) {
  for (size_t i = 0; i < rows->n_rows; i++) {
    const double *v = sofa_block_values(rows, rows->diagonal[i]);
    const size_t first = rows->row_scalar[i], size = rows->row_scalar[i + 1] - first;
    for (size_t r = 0; r < size; r++) d[first + r] = v[r * (size + 1)];
  }
}

void assembled_band(const SofaBlockRows *rows, size_t size, int beside, double *d) {
  const size_t n = rows->n_scalar_rows, n_blocks = (n + size - 1) / size;
  memset(d, 0, n_blocks * size * size * sizeof *d);
  for (size_t s = n; beside == 0 && s < n_blocks * size; s++)
    d[(s / size) * size * size + (s % size) * (size + 1)] = 1;
  for (size_t i = 0; i < rows->n_rows; i++) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const double *v = sofa_block_values(rows, k);
      const size_t j = rows->column[k];
      for (size_t r = rows->row_scalar[i]; r < rows->row_scalar[i + 1]; r++)
        for (size_t c = rows->column_scalar[j]; c < rows->column_scalar[j + 1]; c++, v++)
          if ((ptrdiff_t)(c / size) - (ptrdiff_t)(r / size) == beside)
            d[(r / size) * size * size + (r % size) * size + c % size] = *v;
    }
  }
}
