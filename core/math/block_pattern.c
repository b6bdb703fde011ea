/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns of block matrices: made from the list of calls of an assembly. */
#include <stdlib.h>
#include <string.h>

#include "math/block_matrix_impl.h"

/* ---- blocks outside the pattern ---- */

/* A place in a table of 2^k: the upper bits of the product, in which all bits of the row and of the
 * column have a part. */
static size_t hash(uint64_t key, size_t size) {
  return (size_t)((key * 0x9e3779b97f4a7c15u) >> (64 - __builtin_ctzll(size)));
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
  SOFA_TRY(PUSH(ctx, &f->places, place));
  SOFA_TRY(PUSH(ctx, &f->keys, key));
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

void sofa_fresh_empty(SofaFreshBlocks *f) {
  if (f->keys.n) sofa_zero(f->table, f->table_size * sizeof *f->table);
  f->keys.n = f->places.n = f->values.n = 0;
}

void sofa_fresh_free(SofaContext *ctx, SofaFreshBlocks *f) {
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

/* ---- memory ---- */

enum { KEPT_FROM = 3 }; /* rebuilds: of an empty matrix, of the first record, of the second */

static bool keeps(const SofaBlockMatrix *m) {
  return m->rebuilds >= KEPT_FROM;
}

/* With some room to grow where memory is kept. */
static size_t capacity_for(const SofaBlockMatrix *m, size_t n) {
  return keeps(m) ? n + n / 4 + 16 : n;
}

static SofaErr resize(const SofaBlockMatrix *m, void *list, size_t size, size_t n) {
  if (n > ((const SofaAnyList *)list)->capacity)
    SOFA_TRY(sofa_list_reserve(m->ctx, list, size, capacity_for(m, n)));
  return sofa_list_resize(m->ctx, list, size, n);
}

static SofaErr reserve_blocks(const SofaBlockMatrix *m, SofaBlockPattern *p, size_t n) {
  const size_t capacity = capacity_for(m, n);
  if (n <= p->block_capacity) return SOFA_OK;
  sofa_free(m->ctx, p->row);
  sofa_free(m->ctx, p->column);
  sofa_free(m->ctx, p->offset);
  p->row = sofa_alloc(m->ctx, capacity, sizeof *p->row);
  p->column = sofa_alloc(m->ctx, capacity, sizeof *p->column);
  p->offset = m->replay.uniform ? NULL : sofa_alloc(m->ctx, capacity, sizeof *p->offset);
  p->block_capacity = p->row && p->column && (p->offset || m->replay.uniform) ? capacity : 0;
  return p->block_capacity ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* They are zero. */
static SofaErr reserve_values(const SofaBlockMatrix *m, SofaBlockPattern *p, size_t n) {
  if (n <= p->value_capacity) {
    sofa_zero(p->values, n * sizeof *p->values);
    return SOFA_OK;
  }
  sofa_free(m->ctx, p->values);
  p->value_capacity = capacity_for(m, n);
  p->values = sofa_alloc(m->ctx, p->value_capacity, sizeof *p->values);
  if (!p->values) p->value_capacity = 0;
  return p->values ? SOFA_OK : SOFA_ERR_MEMORY;
}

void sofa_block_scratch_free(SofaBlockMatrix *m) {
  SofaBlockBuilder *b = &m->builder;
  sofa_list_free(m->ctx, &b->by_row);
  sofa_list_free(m->ctx, &b->row_end);
  sofa_list_free(m->ctx, &b->mark);
  sofa_list_free(m->ctx, &b->columns);
  sofa_list_free(m->ctx, &b->calls);
  sofa_block_pattern_free(m->ctx, &m->spare);
  sofa_list_free(m->ctx, &m->keys);
  sofa_fresh_free(m->ctx, &m->fresh);
}

void sofa_block_rebuild_end(SofaBlockMatrix *m) {
  if (!keeps(m)) sofa_block_scratch_free(m);
  m->keys.n = 0;
  sofa_fresh_empty(&m->fresh);
}

/* ---- the pattern of a list of calls ---- */

static SofaErr group_calls(SofaBlockMatrix *m, SofaBlockBuilder *b) {
  const size_t n = m->keys.n;
  if (n >= UINT32_MAX)
    return sofa_fail(m->ctx, SOFA_ERR_RANGE, NULL, "block matrix: more than 2^32 contributions");
  SOFA_TRY(resize(m, &b->by_row, sizeof *b->by_row.data, n));
  SOFA_TRY(resize(m, &b->row_end, sizeof *b->row_end.data, m->n_rows + 1));
  SOFA_TRY(resize(m, &b->mark, sizeof *b->mark.data, m->n_columns));
  size_t *end = b->row_end.data; /* first the begin of each row */
  sofa_zero(end, b->row_end.n * sizeof *end);
  sofa_zero(b->mark.data, b->mark.n * sizeof *b->mark.data);

  /* counting sort */
  for (size_t c = 0; c < n; c++) end[(m->keys.data[c] >> 32) + 1]++;
  for (size_t i = 0; i < m->n_rows; i++) end[i + 1] += end[i];
  for (size_t c = 0; c < n; c++) b->by_row.data[end[m->keys.data[c] >> 32]++] = (uint32_t)c;
  return SOFA_OK;
}

static int compare_columns(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Assemblies by pairs of points give the columns of a row in order, but for the diagonal. */
static void sort_columns(uint32_t *column, size_t n) {
  enum { SHORT = 64 };
  if (n > SHORT) {
    sofa_sort(column, n, sizeof *column, compare_columns);
    return;
  }
  for (size_t i = 1; i < n; i++) {
    const uint32_t own = column[i];
    size_t k = i;
    for (; k > 0 && column[k - 1] > own; k--) column[k] = column[k - 1];
    column[k] = own;
  }
}

/* Columns of row i, ascending, each once. */
static SofaErr list_columns(SofaBlockMatrix *m, SofaBlockBuilder *b, size_t i) {
  const size_t first = b->columns.n, *end = b->row_end.data;
  const uint32_t stamp = (uint32_t)i + 1;
  if (m->alike) {
    const uint32_t diagonal = (uint32_t)i;
    b->mark.data[i] = stamp;
    SOFA_TRY(PUSH(m->ctx, &b->columns, diagonal));
  }
  for (size_t c = i ? end[i - 1] : 0; c < end[i]; c++) {
    const uint32_t column = (uint32_t)m->keys.data[b->by_row.data[c]];
    if (b->mark.data[column] == stamp) continue;
    b->mark.data[column] = stamp;
    SOFA_TRY(PUSH(m->ctx, &b->columns, column));
  }
  sort_columns(b->columns.data + first, b->columns.n - first);
  return SOFA_OK;
}

static SofaErr list_blocks(SofaBlockMatrix *m, SofaBlockBuilder *b, SofaBlockPattern *p) {
  b->columns.n = 0;
  if (!p->start) p->start = sofa_alloc(m->ctx, m->n_rows + 1, sizeof *p->start);
  if (!p->start) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < m->n_rows; i++) {
    SOFA_TRY(list_columns(m, b, i));
    if (b->columns.n >= SOFA_BLOCK_NUMBER)
      return sofa_fail(m->ctx, SOFA_ERR_RANGE, NULL, "block matrix: more than 2^31 blocks");
    p->start[i + 1] = (uint32_t)b->columns.n;
  }
  p->n_blocks = b->columns.n;
  return SOFA_OK;
}

static SofaErr place_values(SofaBlockMatrix *m, SofaBlockPattern *p) {
  const size_t u = m->replay.uniform;
  p->n_values = u * u * p->n_blocks;
  if (!u) {
    for (size_t k = 0; k < p->n_blocks; k++) {
      p->offset[k] = p->n_values;
      p->n_values += (size_t)m->row_blocks[p->row[k]] * m->column_blocks[p->column[k]];
    }
  }
  return reserve_values(m, p, p->n_values + 1);
}

static SofaErr fill_pattern(SofaBlockMatrix *m, const SofaBlockBuilder *b, SofaBlockPattern *p) {
  SOFA_TRY(reserve_blocks(m, p, p->n_blocks + 1));
  if (m->alike && !p->diagonal)
    p->diagonal = sofa_alloc(m->ctx, m->n_rows + 1, sizeof *p->diagonal);
  if (m->alike && !p->diagonal) return SOFA_ERR_MEMORY;
  if (p->n_blocks) sofa_copy(p->column, b->columns.data, p->n_blocks * sizeof *p->column);
  for (size_t i = 0; i < m->n_rows; i++) {
    for (uint32_t k = p->start[i]; k < p->start[i + 1]; k++) {
      p->row[k] = (uint32_t)i;
      if (m->alike && p->column[k] == i) p->diagonal[i] = k;
    }
  }
  return place_values(m, p);
}

/* Memory that is there already is used again. */
SofaErr sofa_block_pattern_copy(const SofaBlockMatrix *m, const SofaBlockPattern *from,
                                SofaBlockPattern *to) {
  const size_t n = from->n_blocks;
  if (!to->start) to->start = sofa_alloc(m->ctx, m->n_rows + 1, sizeof *to->start);
  if (from->diagonal && !to->diagonal)
    to->diagonal = sofa_alloc(m->ctx, m->n_rows + 1, sizeof *to->diagonal);
  if (!to->start || !to->diagonal != !from->diagonal) return SOFA_ERR_MEMORY;
  SOFA_TRY(reserve_blocks(m, to, n + 1));
  SOFA_TRY(reserve_values(m, to, from->n_values + 1));
  to->n_blocks = n;
  to->n_values = from->n_values;
  sofa_copy(to->start, from->start, (m->n_rows + 1) * sizeof *to->start);
  sofa_copy(to->row, from->row, n * sizeof *to->row);
  sofa_copy(to->column, from->column, n * sizeof *to->column);
  if (from->offset) sofa_copy(to->offset, from->offset, n * sizeof *to->offset);
  if (from->diagonal) sofa_copy(to->diagonal, from->diagonal, m->n_rows * sizeof *to->diagonal);
  return SOFA_OK;
}

SofaErr sofa_block_calls_copy(SofaBlockMatrix *m, const SofaIndices *from) {
  SOFA_TRY(resize(m, &m->calls, sizeof *from->data, from->n));
  sofa_copy(m->calls.data, from->data, from->n * sizeof *from->data);
  return SOFA_OK;
}

static bool same_blocks(const SofaBlockMatrix *m, const SofaBlockBuilder *b,
                        const SofaBlockPattern *p) {
  const SofaBlockPattern *old = &m->pattern;
  return old->start && old->n_blocks == p->n_blocks &&
         sofa_compare(old->start, p->start, (m->n_rows + 1) * sizeof *p->start) == 0 &&
         (p->n_blocks == 0 ||
          sofa_compare(old->column, b->columns.data, p->n_blocks * sizeof *old->column) == 0);
}

/* The record: the block of each call, and whether it is the first one. */
static SofaErr record_calls(SofaBlockMatrix *m, SofaBlockBuilder *b, const SofaBlockPattern *p) {
  const size_t *end = b->row_end.data;
  size_t reached = 0;
  SOFA_TRY(resize(m, &b->calls, sizeof *b->calls.data, m->keys.n));
  for (size_t i = 0; i < m->n_rows; i++) {
    for (uint32_t k = p->start[i]; k < p->start[i + 1]; k++)
      b->mark.data[b->columns.data[k]] = k | ~(uint32_t)SOFA_BLOCK_NUMBER;
    for (size_t c = i ? end[i - 1] : 0; c < end[i]; c++) {
      const uint32_t call = b->by_row.data[c];
      uint32_t *next = &b->mark.data[(uint32_t)m->keys.data[call]];
      b->calls.data[call] = *next;
      reached += sofa_block_call_first(*next);
      *next &= SOFA_BLOCK_NUMBER;
    }
  }
  m->lone_blocks = reached < p->n_blocks;
  return SOFA_OK;
}

/* A block of the calls goes to its place among the new ones, where it is one of them. */
static void move_block(const SofaBlockMatrix *to, uint64_t key, const double *from) {
  const uint32_t row = (uint32_t)(key >> 32), column = (uint32_t)key;
  const size_t k = sofa_block_search(to, row, column);
  const size_t size = (size_t)to->row_blocks[row] * to->column_blocks[column];
  if (k < to->pattern.n_blocks)
    sofa_copy(to->pattern.values + sofa_block_place(to, k), from, size * sizeof *from);
}

/* Values of the old pattern and of the blocks outside of it go to their new places. */
static void move_values(const SofaBlockMatrix *m, const SofaBlockMatrix *to) {
  const SofaBlockPattern *old = &m->pattern;
  const SofaFreshBlocks *f = &m->fresh;
  for (size_t k = 0; k < old->n_blocks; k++)
    move_block(to, (uint64_t)old->row[k] << 32 | old->column[k],
               old->values + sofa_block_place(m, k));
  for (size_t i = 0; i < f->keys.n; i++)
    move_block(to, f->keys.data[i], f->values.data + f->places.data[i]);
}

/* The spare pattern becomes the pattern. */
static void adopt_spare(SofaBlockMatrix *m) {
  SofaBlockMatrix next = *m;
  next.pattern = m->spare;
  move_values(m, &next);
  m->spare = m->pattern;
  m->pattern = next.pattern;
  m->pattern_version++;
}

SofaErr sofa_block_rebuild(SofaBlockMatrix *m) {
  SofaBlockBuilder *b = &m->builder;
  SofaBlockPattern *p = &m->spare;
  if (!keeps(m)) m->rebuilds++;
  p->n_blocks = p->n_values = 0;
  SOFA_TRY(group_calls(m, b));
  SOFA_TRY(list_blocks(m, b, p));
  SOFA_TRY(record_calls(m, b, p));
  if (!same_blocks(m, b, p)) {
    SOFA_TRY(fill_pattern(m, b, p));
    adopt_spare(m);
  }
  const SofaIndices old = m->calls;
  m->calls = b->calls;
  b->calls = old;
  return SOFA_OK;
}
