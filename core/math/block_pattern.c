/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns of block matrices: made from the list of calls of an assembly. */
#include <stdlib.h>
#include <string.h>

#include "math/block_matrix_impl.h"

/* ---- blocks outside the pattern ---- */

static size_t hash(uint64_t key, size_t size) {
  return (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (size - 1);
}

static void insert(SofaFreshBlocks *f, size_t index) {
  size_t at = hash(f->keys.data[index], f->table_size);
  while (f->table[at]) at = (at + 1) & (f->table_size - 1);
  f->table[at] = (uint32_t)index + 1;
}

static SofaErr grow_table(SofaContext *ctx, SofaFreshBlocks *f) {
  const size_t size = f->table_size ? 2 * f->table_size : 1024;
  uint32_t *table = sofa_alloc(ctx, size, sizeof *table);
  if (!table) return SOFA_ERR_MEMORY;
  sofa_free(ctx, f->table);
  f->table = table;
  f->table_size = size;
  for (size_t i = 0; i < f->keys.n; i++) insert(f, i);
  return SOFA_OK;
}

/* Index of the block of this key, or keys.n. */
static size_t find_fresh(const SofaFreshBlocks *f, uint64_t key) {
  if (f->table_size == 0) return f->keys.n;
  for (size_t at = hash(key, f->table_size); f->table[at]; at = (at + 1) & (f->table_size - 1))
    if (f->keys.data[f->table[at] - 1] == key) return f->table[at] - 1;
  return f->keys.n;
}

static SofaErr new_fresh(SofaContext *ctx, SofaFreshBlocks *f, uint64_t key, size_t size) {
  const size_t place = f->values.n;
  if (f->keys.n >= UINT32_MAX - 1) return SOFA_ERR_RANGE;
  if (2 * f->keys.n >= f->table_size) SOFA_TRY(grow_table(ctx, f));
  if (place + size > f->values.capacity)
    SOFA_TRY(SOFA_RESERVE(ctx, &f->values, 2 * place + 1024 + size));
  SOFA_TRY(SOFA_RESIZE(ctx, &f->values, place + size));
  SOFA_TRY(SOFA_APPEND(ctx, &f->places, &place));
  SOFA_TRY(SOFA_APPEND(ctx, &f->keys, &key));
  insert(f, f->keys.n - 1);
  return SOFA_OK;
}

SofaErr sofa_fresh_add(SofaContext *ctx, SofaFreshBlocks *f, uint64_t key, size_t size,
                       const double *block, double factor) {
  const size_t index = find_fresh(f, key);
  if (index == f->keys.n) SOFA_TRY(new_fresh(ctx, f, key, size));
  double *to = f->values.data + f->places.data[index];
  for (size_t e = 0; e < size; e++) to[e] += factor * block[e];
  return SOFA_OK;
}

void sofa_fresh_clear(SofaContext *ctx, SofaFreshBlocks *f) {
  sofa_list_free(ctx, &f->keys);
  sofa_list_free(ctx, &f->places);
  sofa_list_free(ctx, &f->values);
  sofa_free(ctx, f->table);
  f->table = NULL;
  f->table_size = 0;
}

void sofa_block_pattern_free(SofaContext *ctx, SofaBlockPattern *p) {
  sofa_free(ctx, p->start);
  sofa_free(ctx, p->row);
  sofa_free(ctx, p->column);
  sofa_free(ctx, p->offset);
  sofa_free(ctx, p->diagonal);
  sofa_free(ctx, p->values);
  memset(p, 0, sizeof *p);
}

/* ---- the pattern of a list of calls ---- */

typedef struct Builder {
  uint32_t *by_row;    /* calls grouped by row, in order within a row */
  size_t *row_end;     /* n_rows + 1: end of each row's calls */
  uint32_t *mark;      /* n_columns: row + 1 that saw the column last; later block of the column */
  SofaIndices columns; /* of all rows, ascending within a row */
  SofaIndices calls;   /* the new record */
} Builder;

static SofaErr group_calls(SofaBlockMatrix *m, Builder *b) {
  const size_t n = m->keys.n;
  if (n >= UINT32_MAX)
    return sofa_fail(m->ctx, SOFA_ERR_RANGE, NULL, "block matrix: more than 2^32 contributions");
  b->by_row = sofa_alloc(m->ctx, n + 1, sizeof *b->by_row);
  b->row_end = sofa_alloc(m->ctx, m->n_rows + 1, sizeof *b->row_end);
  b->mark = sofa_alloc(m->ctx, m->n_columns + 1, sizeof *b->mark);
  if (!b->by_row || !b->row_end || !b->mark) return SOFA_ERR_MEMORY;

  /* counting sort; row_end first holds the begin of each row */
  for (size_t c = 0; c < n; c++) b->row_end[(m->keys.data[c] >> 32) + 1]++;
  for (size_t i = 0; i < m->n_rows; i++) b->row_end[i + 1] += b->row_end[i];
  for (size_t c = 0; c < n; c++) b->by_row[b->row_end[m->keys.data[c] >> 32]++] = (uint32_t)c;
  return SOFA_OK;
}

static int compare_columns(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Columns of row i, ascending, each once. */
static SofaErr list_columns(SofaBlockMatrix *m, Builder *b, size_t i) {
  const size_t first = b->columns.n;
  const uint32_t stamp = (uint32_t)i + 1;
  if (m->alike) {
    const uint32_t diagonal = (uint32_t)i;
    b->mark[i] = stamp;
    SOFA_TRY(SOFA_APPEND(m->ctx, &b->columns, &diagonal));
  }
  for (size_t c = i ? b->row_end[i - 1] : 0; c < b->row_end[i]; c++) {
    const uint32_t column = (uint32_t)m->keys.data[b->by_row[c]];
    if (b->mark[column] == stamp) continue;
    b->mark[column] = stamp;
    SOFA_TRY(SOFA_APPEND(m->ctx, &b->columns, &column));
  }
  if (b->columns.n > first)
    sofa_sort(b->columns.data + first, b->columns.n - first, sizeof *b->columns.data,
              compare_columns);
  return SOFA_OK;
}

static SofaErr list_blocks(SofaBlockMatrix *m, Builder *b, SofaBlockPattern *p) {
  p->start = sofa_alloc(m->ctx, m->n_rows + 1, sizeof *p->start);
  if (!p->start) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < m->n_rows; i++) {
    SOFA_TRY(list_columns(m, b, i));
    if (b->columns.n >= UINT32_MAX)
      return sofa_fail(m->ctx, SOFA_ERR_RANGE, NULL, "block matrix: more than 2^32 blocks");
    p->start[i + 1] = (uint32_t)b->columns.n;
  }
  p->n_blocks = b->columns.n;
  return SOFA_OK;
}

static SofaErr place_values(SofaBlockMatrix *m, SofaBlockPattern *p) {
  const size_t u = m->replay.uniform;
  if (u) {
    p->n_values = u * u * p->n_blocks;
  } else {
    p->offset = sofa_alloc(m->ctx, p->n_blocks + 1, sizeof *p->offset);
    if (!p->offset) return SOFA_ERR_MEMORY;
    for (size_t k = 0; k < p->n_blocks; k++) {
      p->offset[k] = p->n_values;
      p->n_values += (size_t)m->row_blocks[p->row[k]] * m->column_blocks[p->column[k]];
    }
  }
  p->values = sofa_alloc(m->ctx, p->n_values + 1, sizeof *p->values);
  return p->values ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr fill_pattern(SofaBlockMatrix *m, const Builder *b, SofaBlockPattern *p) {
  p->row = sofa_alloc(m->ctx, p->n_blocks + 1, sizeof *p->row);
  p->column = sofa_alloc(m->ctx, p->n_blocks + 1, sizeof *p->column);
  if (m->alike) p->diagonal = sofa_alloc(m->ctx, m->n_rows + 1, sizeof *p->diagonal);
  if (!p->row || !p->column || (m->alike && !p->diagonal)) return SOFA_ERR_MEMORY;
  if (p->n_blocks) sofa_copy(p->column, b->columns.data, p->n_blocks * sizeof *p->column);
  for (size_t i = 0; i < m->n_rows; i++) {
    for (uint32_t k = p->start[i]; k < p->start[i + 1]; k++) {
      p->row[k] = (uint32_t)i;
      if (m->alike && p->column[k] == i) p->diagonal[i] = k;
    }
  }
  return place_values(m, p);
}

static bool same_blocks(const SofaBlockMatrix *m, const Builder *b, const SofaBlockPattern *p) {
  const SofaBlockPattern *old = &m->pattern;
  return old->start && old->n_blocks == p->n_blocks &&
         sofa_compare(old->start, p->start, (m->n_rows + 1) * sizeof *p->start) == 0 &&
         (p->n_blocks == 0 ||
          sofa_compare(old->column, b->columns.data, p->n_blocks * sizeof *old->column) == 0);
}

/* The record: the block of each call. */
static SofaErr record_calls(SofaBlockMatrix *m, Builder *b, const SofaBlockPattern *p) {
  SOFA_TRY(SOFA_RESIZE(m->ctx, &b->calls, m->keys.n));
  for (size_t i = 0; i < m->n_rows; i++) {
    for (uint32_t k = p->start[i]; k < p->start[i + 1]; k++) b->mark[b->columns.data[k]] = k;
    for (size_t c = i ? b->row_end[i - 1] : 0; c < b->row_end[i]; c++) {
      const uint32_t call = b->by_row[c];
      b->calls.data[call] = b->mark[(uint32_t)m->keys.data[call]];
    }
  }
  return SOFA_OK;
}

/* Values of the old pattern and of the blocks outside of it go to their new places. */
static void move_values(const SofaBlockMatrix *m, SofaBlockMatrix *to) {
  for (size_t k = 0; k < to->pattern.n_blocks; k++) {
    const uint32_t row = to->pattern.row[k], column = to->pattern.column[k];
    const size_t size = (size_t)m->row_blocks[row] * m->column_blocks[column];
    double *values = to->pattern.values + sofa_block_place(to, k);
    const double *from = NULL;
    const size_t old = m->pattern.start ? sofa_block_search(m, row, column) : m->pattern.n_blocks;
    if (old < m->pattern.n_blocks) {
      from = m->pattern.values + sofa_block_place(m, old);
    } else {
      const size_t index = find_fresh(&m->fresh, (uint64_t)row << 32 | column);
      if (index < m->fresh.keys.n) from = m->fresh.values.data + m->fresh.places.data[index];
    }
    if (from) sofa_copy(values, from, size * sizeof *values);
  }
}

static void adopt_pattern(SofaBlockMatrix *m, SofaBlockPattern *p) {
  SofaBlockMatrix next = *m;
  next.pattern = *p;
  move_values(m, &next);
  sofa_block_pattern_free(m->ctx, &m->pattern);
  m->pattern = *p;
  m->pattern_version++;
  memset(p, 0, sizeof *p);
}

SofaErr sofa_block_rebuild(SofaBlockMatrix *m) {
  Builder b = {0};
  SofaBlockPattern p = {0};
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, group_calls(m, &b));
  SOFA_GO(err, done, list_blocks(m, &b, &p));
  SOFA_GO(err, done, record_calls(m, &b, &p));
  if (!same_blocks(m, &b, &p)) {
    SOFA_GO(err, done, fill_pattern(m, &b, &p));
    adopt_pattern(m, &p);
  }
  sofa_list_free(m->ctx, &m->calls);
  m->calls = b.calls;
  b.calls = (SofaIndices){0};
done:
  sofa_free(m->ctx, b.by_row);
  sofa_free(m->ctx, b.row_end);
  sofa_free(m->ctx, b.mark);
  sofa_list_free(m->ctx, &b.columns);
  sofa_list_free(m->ctx, &b.calls);
  sofa_block_pattern_free(m->ctx, &p);
  return err;
}
