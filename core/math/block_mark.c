/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "math/block_mark.h"

#include "math/block_matrix_impl.h"

void sofa_block_mark_free(SofaContext *ctx, SofaBlockMark *mark) {
  sofa_list_free(ctx, &mark->values);
  mark->record = 0;
}

size_t sofa_block_matrix_n_calls(const SofaBlockMatrix *m) {
  return m->diverged ? m->keys.n : m->replay.cursor;
}

SofaErr sofa_block_matrix_mark(const SofaBlockMatrix *m, SofaBlockMark *mark) {
  const size_t n = m->pattern.n_values;
  mark->record = 0;
  if (m->diverged || m->error != SOFA_OK) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(m->ctx, &mark->values, n));
  sofa_copy(mark->values.data, m->pattern.values, n * sizeof *mark->values.data);
  mark->n_calls = m->replay.cursor;
  mark->record = m->record;
  return SOFA_OK;
}

bool sofa_block_matrix_begin_at(SofaBlockMatrix *m, const SofaBlockMark *mark) {
  if (mark->record != m->record) return false;
  sofa_block_follow(m);
  sofa_copy(m->pattern.values, mark->values.data, mark->values.n * sizeof *mark->values.data);
  m->replay.cursor = mark->n_calls;
  return true;
}
