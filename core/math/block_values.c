/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "math/block_values.h"

#include "base/checksum.h"
#include "base/team.h"
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

/* ---- the same assembly ---- */

static bool same_pattern(const SofaBlockMatrix *m, const SofaBlockPattern *a,
                         const SofaBlockPattern *b) {
  return a->n_blocks == b->n_blocks &&
         sofa_compare(a->start, b->start, (m->n_rows + 1) * sizeof *a->start) == 0 &&
         sofa_compare(a->column, b->column, a->n_blocks * sizeof *a->column) == 0;
}

static SofaErr take_record(SofaBlockMatrix *m, const SofaBlockMatrix *from) {
  m->taken_pattern = 0;
  m->rebuilds = from->rebuilds; /* which says whether memory is kept */
  SOFA_TRY(sofa_block_calls_copy(m, &from->calls));
  m->lone_blocks = from->lone_blocks;
  m->record++;
  if (!same_pattern(m, &m->pattern, &from->pattern)) {
    SOFA_TRY(sofa_block_pattern_copy(m, &from->pattern, &m->pattern));
    m->pattern_version++;
  }
  m->taken_pattern = from->pattern_version;
  m->taken_record = from->record;
  m->own_record = m->record;
  return SOFA_OK;
}

typedef struct Copy {
  const double *from;
  double *to;
} Copy;

static void copy_values(void *user, size_t begin, size_t end) {
  const Copy *copy = user;
  sofa_copy(copy->to + begin, copy->from + begin, (end - begin) * sizeof *copy->to);
}

enum { VALUES_GRAIN = 16384 };

SofaErr sofa_block_matrix_take(SofaBlockMatrix *m, const SofaBlockMatrix *from) {
  SofaErr err = SOFA_OK;
  if (m->n_rows != from->n_rows || m->n_columns != from->n_columns ||
      sofa_compare(m->row_blocks, from->row_blocks, m->n_rows) != 0 ||
      sofa_compare(m->column_blocks, from->column_blocks, m->n_columns) != 0)
    return sofa_fail(m->ctx, SOFA_ERR_ARGUMENT, NULL,
                     "block matrix: the matrix to take is cut in another way");
  m->value_version++;
  if (m->taken_pattern != from->pattern_version || m->taken_record != from->record ||
      m->own_record != m->record)
    err = take_record(m, from);
  if (err != SOFA_OK) sofa_block_drop_record(m);
  sofa_block_follow(m);
  m->replay.cursor = m->replay.n;
  SOFA_TRY(err);
  Copy copy = {from->pattern.values, m->pattern.values};
  sofa_team_for(m->ctx, m->pattern.n_values, VALUES_GRAIN, copy_values, &copy);
  return SOFA_OK;
}
