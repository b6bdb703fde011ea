/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block matrices: life, assembly by replay, access. Patterns are made in block_pattern.c. */

#include "base/team.h"
#include "math/block_matrix_impl.h"
#include "math/kernels.h"

enum {
  MAX_BLOCK = 6,
  /* what a thread takes at once of loops over */
  VALUES_GRAIN = 16384,
  ROWS_GRAIN = 4096,
  BLOCK_ROWS_GRAIN = 512 /* of loops over their blocks */
};

/* ---- life ---- */

static uint32_t *first_scalars(SofaContext *ctx, size_t n, const uint8_t *blocks) {
  uint32_t *first = sofa_alloc(ctx, n + 1, sizeof *first);
  if (!first) return NULL;
  for (size_t i = 0; i < n; i++) first[i + 1] = first[i] + blocks[i];
  return first;
}

static uint8_t *copy_sizes(SofaContext *ctx, size_t n, const uint8_t *blocks) {
  uint8_t *copy = sofa_alloc(ctx, n + 1, 1);
  if (copy && n) sofa_copy(copy, blocks, n);
  return copy;
}

/* The common size of all blocks, or 0. */
static unsigned common_size(const SofaBlockMatrix *m) {
  const unsigned size = m->n_rows ? m->row_blocks[0] : 0;
  for (size_t i = 0; i < m->n_rows; i++)
    if (m->row_blocks[i] != size) return 0;
  for (size_t i = 0; i < m->n_columns; i++)
    if (m->column_blocks[i] != size) return 0;
  return size;
}

static bool sizes_sane(size_t n, const uint8_t *blocks) {
  uint64_t total = 0;
  for (size_t i = 0; i < n; i++) {
    if (blocks[i] < 1 || blocks[i] > MAX_BLOCK) return false;
    total += blocks[i];
  }
  return n < UINT32_MAX && total < UINT32_MAX;
}

SofaErr sofa_block_matrix_create(SofaContext *ctx, size_t n_rows, const uint8_t *row_blocks,
                                 size_t n_columns, const uint8_t *column_blocks,
                                 SofaBlockMatrix **out) {
  *out = NULL;
  if (!sizes_sane(n_rows, row_blocks) || !sizes_sane(n_columns, column_blocks))
    return sofa_fail(ctx, SOFA_ERR_ARGUMENT, NULL, "block matrix: block sizes must be 1 to 6");
  SofaBlockMatrix *m = sofa_alloc(ctx, 1, sizeof *m);
  if (!m) return SOFA_ERR_MEMORY;
  m->ctx = ctx;
  m->n_rows = n_rows;
  m->n_columns = n_columns;
  // no two matrices ever have the same versions, also when one takes the memory of another
  m->pattern_version = m->value_version = ++ctx->n_matrices << 32;
  m->row_blocks = copy_sizes(ctx, n_rows, row_blocks);
  m->column_blocks = copy_sizes(ctx, n_columns, column_blocks);
  m->row_scalar = first_scalars(ctx, n_rows, row_blocks);
  m->column_scalar = first_scalars(ctx, n_columns, column_blocks);
  m->touched = sofa_alloc(ctx, n_columns + 1, 1);
  if (!m->row_blocks || !m->column_blocks || !m->row_scalar || !m->column_scalar || !m->touched) {
    sofa_block_matrix_destroy(&m);
    return SOFA_ERR_MEMORY;
  }
  m->alike = n_rows == n_columns && sofa_compare(m->row_blocks, m->column_blocks, n_rows) == 0;
  m->replay.uniform = common_size(m);

  /* the first pattern has no calls: the diagonal, or nothing */
  m->diverged = true;
  const SofaErr err = sofa_block_matrix_end(m);
  if (err != SOFA_OK) sofa_block_matrix_destroy(&m);
  *out = m;
  return err;
}

void sofa_block_matrix_destroy(SofaBlockMatrix **matrix) {
  SofaBlockMatrix *m = *matrix;
  if (!m) return;
  SofaContext *ctx = m->ctx;
  sofa_free(ctx, m->row_blocks);
  sofa_free(ctx, m->column_blocks);
  sofa_free(ctx, m->row_scalar);
  sofa_free(ctx, m->column_scalar);
  sofa_free(ctx, m->touched);
  sofa_free(ctx, m->projected);
  sofa_block_pattern_free(ctx, &m->pattern);
  sofa_list_free(ctx, &m->calls);
  sofa_block_scratch_free(m);
  sofa_free(ctx, m);
  *matrix = NULL;
}

/* ---- assembly ---- */

static void follow_record(SofaBlockMatrix *m) {
  SofaBlockReplay *r = &m->replay;
  r->blocks = m->calls.data;
  r->n = m->calls.n;
  r->row = m->pattern.row;
  r->column = m->pattern.column;
  r->values = m->pattern.values;
}

void sofa_block_follow(SofaBlockMatrix *m) {
  m->diverged = false;
  m->error = SOFA_OK;
  m->keys.n = 0;
  follow_record(m);
  m->replay.cursor = 0;
}

void sofa_block_drop_record(SofaBlockMatrix *m) {
  m->calls.n = 0;
  m->lone_blocks = true;
}

static void zero_values(void *user, size_t begin, size_t end) {
  double *values = user;
  sofa_zero(values + begin, (end - begin) * sizeof *values);
}

void sofa_block_matrix_begin(SofaBlockMatrix *m) {
  if (m->lone_blocks)
    sofa_team_for(m->ctx, m->pattern.n_values, VALUES_GRAIN, zero_values, m->pattern.values);
  sofa_block_follow(m);
}

static size_t block_size(const SofaBlockMatrix *m, size_t k) {
  return (size_t)m->row_blocks[m->pattern.row[k]] * m->column_blocks[m->pattern.column[k]];
}

/* The blocks that the record reaches from a call on become 0. */
static void zero_from(SofaBlockMatrix *m, size_t call) {
  for (size_t c = call; c < m->calls.n; c++) {
    const size_t k = m->calls.data[c] & SOFA_BLOCK_NUMBER;
    if (sofa_block_call_first(m->calls.data[c]))
      sofa_zero(m->pattern.values + sofa_block_place(m, k),
                block_size(m, k) * sizeof *m->pattern.values);
  }
}

/* From here on the assembly writes its own list of calls; those replayed so far come first. */
static SofaErr diverge(SofaBlockMatrix *m) {
  const size_t n = m->replay.cursor;
  m->diverged = true;
  m->replay.n = 0;
  zero_from(m, n);
  SOFA_TRY(SOFA_RESIZE(m->ctx, &m->keys, n));
  for (size_t c = 0; c < n; c++) {
    const uint32_t k = m->calls.data[c] & SOFA_BLOCK_NUMBER;
    m->keys.data[c] = (uint64_t)m->pattern.row[k] << 32 | m->pattern.column[k];
  }
  return SOFA_OK;
}

size_t sofa_block_search(const SofaBlockMatrix *m, uint32_t row, uint32_t column) {
  size_t low = m->pattern.start[row], high = m->pattern.start[row + 1];
  const size_t end = high;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (m->pattern.column[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low < end && m->pattern.column[low] == column ? low : m->pattern.n_blocks;
}

/* n, often a constant, reals; to does not overlap the block. */
static inline void put(uint32_t call, size_t n, const double *restrict block, double factor,
                       double *restrict to) {
  if (sofa_block_call_first(call)) {
    for (size_t e = 0; e < n; e++) to[e] = 0 + factor * block[e];
  } else {
    for (size_t e = 0; e < n; e++) to[e] += factor * block[e];
  }
}

/* A block of points and frames in the plane and in space, or another one. */
static void add_at(SofaBlockMatrix *m, uint32_t call, size_t size, const double *block,
                   double factor) {
  double *to = m->pattern.values + sofa_block_place(m, call & SOFA_BLOCK_NUMBER);
  switch (size) {
  case 4:
    put(call, 4, block, factor, to);
    break;
  case 9:
    put(call, 9, block, factor, to);
    break;
  case 18:
    put(call, 18, block, factor, to);
    break;
  case 36:
    put(call, 36, block, factor, to);
    break;
  default:
    put(call, size, block, factor, to);
    break;
  }
}

static size_t size_at(const SofaBlockMatrix *m, uint32_t row, uint32_t column) {
  return (size_t)m->row_blocks[row] * m->column_blocks[column];
}

static SofaErr add_new(SofaBlockMatrix *m, uint32_t row, uint32_t column, const double *block,
                       double factor) {
  if (row >= m->n_rows || column >= m->n_columns)
    return sofa_fail(m->ctx, SOFA_ERR_RANGE, NULL,
                     "block matrix: block (%u, %u) is outside of %zu x %zu blocks", row, column,
                     m->n_rows, m->n_columns);
  if (!m->diverged) SOFA_TRY(diverge(m));
  const uint64_t key = (uint64_t)row << 32 | column;
  SOFA_TRY(PUSH(m->ctx, &m->keys, key));
  const size_t k = sofa_block_search(m, row, column);
  if (k < m->pattern.n_blocks) {
    add_at(m, (uint32_t)k, size_at(m, row, column), block, factor);
    return SOFA_OK;
  }
  return sofa_fresh_add(m->ctx, &m->fresh, key, size_at(m, row, column), block, factor);
}

void sofa_block_matrix_add_slow(SofaBlockMatrix *m, uint32_t row, uint32_t column,
                                const double *block, double factor) {
  if (m->error != SOFA_OK) return;

  /* blocks of other sizes than 3 x 3 replay here */
  SofaBlockReplay *r = &m->replay;
  if (r->cursor < r->n) {
    const uint32_t call = r->blocks[r->cursor], k = call & SOFA_BLOCK_NUMBER;
    if (r->row[k] == row && r->column[k] == column) {
      r->cursor++;
      add_at(m, call, size_at(m, row, column), block, factor);
      return;
    }
  }
  m->error = add_new(m, row, column, block, factor);
}

bool sofa_block_matrix_begin_run(SofaBlockMatrix *m, unsigned size, size_t n, SofaBlockRun *run) {
  const SofaBlockReplay *r = &m->replay;
  if (m->error != SOFA_OK || r->uniform != size || r->cursor + n > r->n) return false;
  *run = (SofaBlockRun){r->blocks + r->cursor, r->row, r->column, r->values};
  return true;
}

void sofa_block_matrix_end_run(SofaBlockMatrix *m, size_t n) {
  m->replay.cursor += n;
}

SofaBlockStand sofa_block_matrix_stand(const SofaBlockMatrix *m) {
  const unsigned size = m->replay.uniform;
  if (m->error != SOFA_OK || m->diverged || (size != 3 && size != 6))
    return (SofaBlockStand){.pattern = 0};
  return (SofaBlockStand){m->pattern_version, m->record, m->replay.cursor};
}

/* Pairs from `begin` on that follow the record; returns the first one that does not. */
static size_t replay_pairs(SofaBlockMatrix *m, const SofaBlockPairs *pairs, size_t begin) {
  SofaBlockReplay *r = &m->replay;
  SofaBlockTrace trace = {r->blocks, r->row, r->column, r->n, r->cursor, r->values};
  if (r->uniform != 3 || m->error != SOFA_OK || !m->ctx->kernels) return begin;
  const size_t end = m->ctx->kernels->add_pairs3(pairs, begin, &trace);
  r->cursor = trace.cursor;
  return end;
}

void sofa_block_matrix_add_pairs(SofaBlockMatrix *m, const SofaBlockPairs *pairs) {
  for (size_t p = replay_pairs(m, pairs, 0); p < pairs->n; p++) {
    const uint32_t i = pairs->row[p], j = pairs->column[p];
    const double *block = pairs->blocks + 9 * p;
    double transposed[9];
    sofa_block_matrix_add(m, pairs->first_row + i, pairs->first_column + j, block, pairs->factor);
    if (i == j) continue;
    for (int e = 0; e < 9; e++) transposed[e] = block[3 * (e % 3) + e / 3];
    sofa_block_matrix_add(m, pairs->first_row + j, pairs->first_column + i, transposed,
                          pairs->factor);
  }
}

SofaErr sofa_block_matrix_end(SofaBlockMatrix *m) {
  SofaErr err = m->error;
  m->value_version++;
  if (err == SOFA_OK && !m->diverged && m->replay.cursor < m->replay.n) err = diverge(m);
  if (err == SOFA_OK && m->diverged) err = sofa_block_rebuild(m);
  if (err != SOFA_OK) sofa_block_drop_record(m);
  if (m->diverged || err != SOFA_OK) {
    m->record++;
    sofa_block_rebuild_end(m);
  }
  m->diverged = false;
  m->error = SOFA_OK;
  follow_record(m);
  m->replay.cursor = m->replay.n;
  return err;
}

/* ---- access ---- */

SofaContext *sofa_block_matrix_context(const SofaBlockMatrix *m) {
  return m->ctx;
}

void sofa_block_matrix_rows(const SofaBlockMatrix *m, SofaBlockRows *out) {
  *out = (SofaBlockRows){
      .n_rows = m->n_rows,
      .n_columns = m->n_columns,
      .n_scalar_rows = m->row_scalar[m->n_rows],
      .n_scalar_columns = m->column_scalar[m->n_columns],
      .start = m->pattern.start,
      .column = m->pattern.column,
      .diagonal = m->pattern.diagonal,
      .values = m->pattern.values,
      .value_offset = m->pattern.offset,
      .row_scalar = m->row_scalar,
      .column_scalar = m->column_scalar,
      .uniform = m->replay.uniform,
      .pattern_version = m->pattern_version,
      .value_version = m->value_version,
  };
}

/* Block that holds scalar i. */
static uint32_t block_of(size_t n, const uint32_t *first, size_t i) {
  size_t low = 0, high = n;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (first[middle] <= i) low = middle;
    else high = middle;
  }
  return (uint32_t)low;
}

double sofa_block_matrix_entry(const SofaBlockMatrix *m, size_t i, size_t j) {
  if (i >= m->row_scalar[m->n_rows] || j >= m->column_scalar[m->n_columns]) return 0;
  const uint32_t row = block_of(m->n_rows, m->row_scalar, i);
  const uint32_t column = block_of(m->n_columns, m->column_scalar, j);
  const size_t k = sofa_block_search(m, row, column);
  if (k == m->pattern.n_blocks) return 0;
  const double *block = m->pattern.values + sofa_block_place(m, k);
  return block[(i - m->row_scalar[row]) * m->column_blocks[column] +
               (j - m->column_scalar[column])];
}

/* Zeroes the marked rows and columns of block k; sets the marked diagonal of a diagonal block. */
static void discard_in_block(SofaBlockMatrix *m, size_t k, const uint8_t *mask) {
  const uint32_t row = m->pattern.row[k], column = m->pattern.column[k];
  const uint8_t *rows = mask + m->row_scalar[row], *columns = mask + m->column_scalar[column];
  const unsigned nr = m->row_blocks[row], nc = m->column_blocks[column];
  double *block = m->pattern.values + sofa_block_place(m, k);
  for (unsigned r = 0; r < nr; r++)
    for (unsigned c = 0; c < nc; c++)
      if (rows[r] || columns[c]) block[r * nc + c] = row == column && r == c ? 1 : 0;
}

typedef struct Discarding {
  SofaBlockMatrix *m;
  const uint8_t *mask;
} Discarding;

/* Which blocks of rows have a marked dof. */
static void touch_rows(void *user, size_t begin, size_t end) {
  const Discarding *d = user;
  SofaBlockMatrix *m = d->m;
  for (size_t i = begin; i < end; i++) {
    m->touched[i] = 0;
    for (size_t s = m->row_scalar[i]; s < m->row_scalar[i + 1]; s++) m->touched[i] |= d->mask[s];
  }
}

static void discard_in_rows(void *user, size_t begin, size_t end) {
  const Discarding *d = user;
  SofaBlockMatrix *m = d->m;
  const uint32_t *start = m->pattern.start, *column = m->pattern.column;
  for (size_t i = begin; i < end; i++)
    for (uint32_t k = start[i]; k < start[i + 1]; k++)
      if (m->touched[i] || m->touched[column[k]]) discard_in_block(m, k, d->mask);
}

void sofa_block_matrix_discard(SofaBlockMatrix *m, const uint8_t *mask) {
  Discarding discarding = {m, mask};
  if (!m->alike) return;
  m->value_version++;
  sofa_team_for(m->ctx, m->n_rows, ROWS_GRAIN, touch_rows, &discarding);
  sofa_team_for(m->ctx, m->n_rows, BLOCK_ROWS_GRAIN, discard_in_rows, &discarding);
}

/* block := P block (rows) or block P (columns); block is nr x nc. */
static void project_rows(const SofaBlockProjection *p, unsigned nc, double *block) {
  for (unsigned c = 0; c < nc; c++) {
    double column[6];
    for (unsigned r = 0; r < p->size; r++) column[r] = block[r * nc + c];
    for (unsigned r = 0; r < p->size; r++) {
      double sum = 0;
      for (unsigned k = 0; k < p->size; k++) sum += p->p[r * p->size + k] * column[k];
      block[r * nc + c] = sum;
    }
  }
}

static void project_columns(const SofaBlockProjection *p, unsigned nr, unsigned nc, double *block) {
  for (unsigned r = 0; r < nr; r++) {
    double row[6];
    for (unsigned c = 0; c < p->size; c++) row[c] = block[r * nc + c];
    for (unsigned c = 0; c < p->size; c++) {
      double sum = 0;
      for (unsigned k = 0; k < p->size; k++) sum += row[k] * p->p[k * p->size + c];
      block[r * nc + c] = sum;
    }
  }
}

/* One projection in the blocks of its row. */
static void project_one(SofaBlockMatrix *m, const SofaBlockProjection *p) {
  const SofaBlockPattern *pattern = &m->pattern;
  for (size_t k = pattern->start[p->row]; k < pattern->start[p->row + 1]; k++)
    project_rows(p, m->column_blocks[pattern->column[k]], pattern->values + sofa_block_place(m, k));
}

SofaErr sofa_block_matrix_project(SofaBlockMatrix *m, const SofaBlockProjections *list) {
  const SofaBlockPattern *pattern = &m->pattern;
  if (!m->alike || !list->n) return SOFA_OK;
  if (!m->projected) m->projected = sofa_alloc(m->ctx, m->n_rows, sizeof *m->projected);
  if (!m->projected) return SOFA_ERR_MEMORY;
  m->value_version++;

  /* rows one by one; columns in passes over all blocks, a pass for each repetition of a point */
  for (size_t done = 0; done < list->n;) {
    sofa_zero(m->projected, m->n_rows * sizeof *m->projected);
    size_t end = done;
    for (; end < list->n && !m->projected[list->data[end].row]; end++) {
      m->projected[list->data[end].row] = (uint32_t)(end + 1);
      project_one(m, &list->data[end]);
    }
    for (size_t k = 0; k < pattern->n_blocks; k++) {
      const uint32_t which = m->projected[pattern->column[k]];
      if (which)
        project_columns(&list->data[which - 1], m->row_blocks[pattern->row[k]],
                        m->column_blocks[pattern->column[k]],
                        pattern->values + sofa_block_place(m, k));
    }
    for (; done < end; done++) {
      const SofaBlockProjection *p = &list->data[done];
      double *diagonal = pattern->values + sofa_block_place(m, pattern->diagonal[p->row]);
      const unsigned n = m->row_blocks[p->row];
      for (unsigned r = 0; r < p->size; r++)
        for (unsigned c = 0; c < p->size; c++)
          diagonal[r * n + c] += (r == c) - p->p[r * p->size + c];
    }
  }
  return SOFA_OK;
}
