/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "math/block_values.h"

#include "base/checksum.h"
#include "math/block_matrix_impl.h"

const double *sofa_block_matrix_values(const SofaBlockMatrix *matrix, size_t *n) {
  *n = matrix->pattern.n_values;
  return matrix->pattern.values;
}

void sofa_block_matrix_set_values(SofaBlockMatrix *matrix, const double *values) {
  sofa_copy(matrix->pattern.values, values, matrix->pattern.n_values * sizeof *values);
  matrix->value_version++;
}

uint64_t sofa_block_matrix_pattern_sum(const SofaBlockMatrix *matrix) {
  const SofaBlockPattern *p = &matrix->pattern;
  uint64_t sum = SOFA_CHECKSUM_BEGIN;
  if (p->start) sum = sofa_checksum(sum, p->start, (matrix->n_rows + 1) * sizeof *p->start);
  return sofa_checksum(sum, p->column, p->n_blocks * sizeof *p->column);
}
