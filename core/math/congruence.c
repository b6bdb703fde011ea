/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L^T K R added to a block matrix: T = K R by rows, then L^T T by rows of the target's blocks. */
#include "math/sparse_pattern.h"

enum { DROPPED = UINT32_MAX };

struct SofaCongruence {
  SofaContext *ctx;
  /* what the patterns were made for */
  SofaPatternCopy left, right;
  uint64_t k_version;
  size_t row, column, n_k_rows;
  /* T = K R over the scalar rows of K */
  SofaIndices t_start, t_column;
  SofaReals t_value;
  /* L^T: rows of K that meet a result row, and the index of the value in L */
  SofaIndices lt_start, lt_row, lt_source;
  size_t n_result_rows, n_result_columns;
  SofaIndices column_block; /* block column of the target of a result column, or DROPPED */
  /* result blocks: those of block row first_row + i are block_start[i] .. block_start[i + 1] */
  uint32_t first_row;
  SofaIndices block_start, block_column;
  SofaReals block_value; /* dense blocks one after the other */
  SofaReals sum;         /* n_result_columns, zero between rows */
  SofaIndices mark;
};

SofaErr sofa_congruence_create(SofaContext *ctx, SofaCongruence **out) {
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  (*out)->ctx = ctx;
  return SOFA_OK;
}

void sofa_congruence_destroy(SofaCongruence **congruence) {
  SofaCongruence *c = *congruence;
  if (!c) return;
  sofa_pattern_free(c->ctx, &c->left);
  sofa_pattern_free(c->ctx, &c->right);
  SofaIndices *lists[] = {&c->t_start,     &c->t_column,     &c->lt_start,
                          &c->lt_row,      &c->lt_source,    &c->column_block,
                          &c->block_start, &c->block_column, &c->mark};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(c->ctx, lists[i]);
  sofa_list_free(c->ctx, &c->t_value);
  sofa_list_free(c->ctx, &c->block_value);
  sofa_list_free(c->ctx, &c->sum);
  sofa_free(c->ctx, c);
  *congruence = NULL;
}

/* ---- patterns ---- */

/* Starts a marker over n columns. */
static SofaErr clear_marks(SofaCongruence *c, size_t n) {
  c->mark.n = 0;
  return SOFA_RESIZE(c->ctx, &c->mark, n);
}

/* Columns of T in the rows of block row i of K; all scalar rows of a block row have the same. */
static SofaErr list_t_row(SofaCongruence *c, const SofaBlockRows *k, size_t i,
                          const SofaCsr *right) {
  const uint32_t stamp = (uint32_t)i + 1;
  for (uint32_t b = k->start[i]; b < k->start[i + 1]; b++) {
    const uint32_t j = k->column[b];
    for (uint32_t s = k->column_scalar[j]; s < k->column_scalar[j + 1]; s++) {
      if (!right) SOFA_TRY(sofa_row_take(c->ctx, &c->t_column, c->mark.data, stamp, s));
      else
        for (uint32_t e = right->start[s]; e < right->start[s + 1]; e++)
          SOFA_TRY(sofa_row_take(c->ctx, &c->t_column, c->mark.data, stamp, right->column[e]));
    }
  }
  return SOFA_OK;
}

static SofaErr list_t(SofaCongruence *c, const SofaBlockRows *k, const SofaCsr *right) {
  SOFA_TRY(clear_marks(c, c->n_result_columns));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->t_start, k->n_scalar_rows + 1));
  c->t_column.n = 0;
  for (size_t i = 0; i < k->n_rows; i++) {
    const size_t first = c->t_column.n;
    SOFA_TRY(list_t_row(c, k, i, right));
    const size_t length = c->t_column.n - first;
    for (uint32_t s = k->row_scalar[i]; s < k->row_scalar[i + 1]; s++) {
      if (s > k->row_scalar[i]) {
        SOFA_TRY(SOFA_RESIZE(c->ctx, &c->t_column, c->t_column.n + length));
        if (length)
          sofa_copy(c->t_column.data + c->t_column.n - length, c->t_column.data + first,
                    length * sizeof *c->t_column.data);
      }
      c->t_start.data[s] = (uint32_t)(c->t_column.n - length);
    }
  }
  c->t_start.data[k->n_scalar_rows] = (uint32_t)c->t_column.n;
  return SOFA_RESIZE(c->ctx, &c->t_value, c->t_column.n);
}

static SofaErr transpose_left(SofaCongruence *c, const SofaCsr *left) {
  if (!left) return SOFA_OK;
  const size_t entries = left->start[left->n_rows];
  c->lt_start.n = 0;
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->lt_start, left->n_columns + 2));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->lt_row, entries));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->lt_source, entries));

  /* counts stand two further on, so that filling moves each start to its place */
  uint32_t *start = c->lt_start.data;
  for (size_t e = 0; e < entries; e++) start[left->column[e] + 2]++;
  for (size_t i = 0; i < left->n_columns; i++) start[i + 2] += start[i + 1];
  for (uint32_t r = 0; r < left->n_rows; r++) {
    for (uint32_t e = left->start[r]; e < left->start[r + 1]; e++) {
      const uint32_t at = start[left->column[e] + 1]++;
      c->lt_row.data[at] = r;
      c->lt_source.data[at] = e;
    }
  }
  return SOFA_OK;
}

/* Which block column of the target each result column lies in. */
static SofaErr locate_columns(SofaCongruence *c, const SofaBlockRows *target) {
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->column_block, c->n_result_columns));
  size_t block = 0;
  for (size_t j = 0; j < c->n_result_columns; j++) {
    const size_t scalar = c->column + j;
    while (block < target->n_columns && target->column_scalar[block + 1] <= scalar) block++;
    c->column_block.data[j] = block < target->n_columns ? (uint32_t)block : DROPPED;
  }
  return SOFA_OK;
}

/* Block columns of the target that row r of T touches. */
static SofaErr list_t_blocks(SofaCongruence *c, uint32_t r, uint32_t stamp) {
  for (uint32_t e = c->t_start.data[r]; e < c->t_start.data[r + 1]; e++) {
    const uint32_t block = c->column_block.data[c->t_column.data[e]];
    if (block != DROPPED)
      SOFA_TRY(sofa_row_take(c->ctx, &c->block_column, c->mark.data, stamp, block));
  }
  return SOFA_OK;
}

/* Blocks that result row i touches. */
static SofaErr list_result_row(SofaCongruence *c, size_t i, uint32_t stamp) {
  if (c->left.identity) return list_t_blocks(c, (uint32_t)i, stamp);
  for (uint32_t e = c->lt_start.data[i]; e < c->lt_start.data[i + 1]; e++)
    SOFA_TRY(list_t_blocks(c, c->lt_row.data[e], stamp));
  return SOFA_OK;
}

static SofaErr list_blocks(SofaCongruence *c, const SofaBlockRows *target) {
  SOFA_TRY(clear_marks(c, target->n_columns));
  c->block_start.n = 0;
  c->block_column.n = 0;
  size_t values = 0, block = 0;
  while (block < target->n_rows && target->row_scalar[block + 1] <= c->row) block++;
  c->first_row = (uint32_t)block;
  const size_t end = c->row + c->n_result_rows;
  for (; block < target->n_rows && target->row_scalar[block] < end; block++) {
    const uint32_t first = (uint32_t)c->block_column.n, scalar = target->row_scalar[block];
    const size_t size = target->row_scalar[block + 1] - scalar;
    SOFA_TRY(SOFA_APPEND(c->ctx, &c->block_start, &first));
    for (size_t s = scalar; s < scalar + size; s++)
      if (s >= c->row && s < end) SOFA_TRY(list_result_row(c, s - c->row, (uint32_t)block + 1));
    for (size_t b = first; b < c->block_column.n; b++) {
      const uint32_t j = c->block_column.data[b];
      values += size * (target->column_scalar[j + 1] - target->column_scalar[j]);
    }
  }
  const uint32_t last = (uint32_t)c->block_column.n;
  SOFA_TRY(SOFA_APPEND(c->ctx, &c->block_start, &last));
  return SOFA_RESIZE(c->ctx, &c->block_value, values);
}

static SofaErr make_patterns(SofaCongruence *c, const SofaCsr *left, const SofaBlockRows *k,
                             const SofaCsr *right, const SofaBlockRows *target) {
  c->right.known = false;
  SOFA_TRY(sofa_pattern_keep(c->ctx, &c->left, left));
  c->n_result_rows = left ? left->n_columns : k->n_scalar_rows;
  c->n_result_columns = right ? right->n_columns : k->n_scalar_columns;
  c->sum.n = 0;
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->sum, c->n_result_columns));
  SOFA_TRY(list_t(c, k, right));
  SOFA_TRY(transpose_left(c, left));
  SOFA_TRY(locate_columns(c, target));
  SOFA_TRY(list_blocks(c, target));
  SOFA_TRY(sofa_pattern_keep(c->ctx, &c->right, right));
  c->k_version = k->pattern_version;
  c->n_k_rows = k->n_scalar_rows;
  return SOFA_OK;
}

/* ---- values ---- */

/* T(r, :) += v R(s, :) on the dense sum. */
static inline void add_scaled_row(double *sum, double v, const SofaCsr *right, uint32_t s) {
  if (v == 0) return;
  if (!right) {
    sum[s] += v;
    return;
  }
  for (uint32_t e = right->start[s]; e < right->start[s + 1]; e++)
    sum[right->column[e]] += v * right->value[e];
}

static void compute_t(SofaCongruence *c, const SofaBlockRows *k, const SofaCsr *right,
                      double factor) {
  double *sum = c->sum.data;
  for (size_t i = 0; i < k->n_rows; i++) {
    for (uint32_t r = 0; r < k->row_scalar[i + 1] - k->row_scalar[i]; r++) {
      for (uint32_t b = k->start[i]; b < k->start[i + 1]; b++) {
        const uint32_t s = k->column_scalar[k->column[b]];
        const uint32_t size = k->column_scalar[k->column[b] + 1] - s;
        const double *row = sofa_block_values(k, b) + (size_t)r * size;
        for (uint32_t e = 0; e < size; e++) add_scaled_row(sum, factor * row[e], right, s + e);
      }
      const uint32_t t_row = k->row_scalar[i] + r;
      for (uint32_t e = c->t_start.data[t_row]; e < c->t_start.data[t_row + 1]; e++) {
        c->t_value.data[e] = sum[c->t_column.data[e]];
        sum[c->t_column.data[e]] = 0;
      }
    }
  }
}

/* sum += v T(r, :) */
static inline void add_t_row(SofaCongruence *c, double v, uint32_t r) {
  for (uint32_t e = c->t_start.data[r]; e < c->t_start.data[r + 1]; e++)
    c->sum.data[c->t_column.data[e]] += v * c->t_value.data[e];
}

static void compute_result_row(SofaCongruence *c, size_t i, const SofaCsr *left) {
  if (!left) {
    add_t_row(c, 1, (uint32_t)i);
    return;
  }
  for (uint32_t e = c->lt_start.data[i]; e < c->lt_start.data[i + 1]; e++)
    add_t_row(c, left->value[c->lt_source.data[e]], c->lt_row.data[e]);
}

/* Moves the sum of one result row into row r of the blocks of block row i; leaves zeros. */
static void store_row(SofaCongruence *c, const SofaBlockRows *target, size_t i, size_t r,
                      double *value) {
  const size_t size =
      target->row_scalar[c->first_row + i + 1] - target->row_scalar[c->first_row + i];
  for (uint32_t b = c->block_start.data[i]; b < c->block_start.data[i + 1]; b++) {
    const size_t scalar = target->column_scalar[c->block_column.data[b]];
    const size_t width = target->column_scalar[c->block_column.data[b] + 1] - scalar;
    for (size_t e = 0; e < width; e++) {
      const size_t j = scalar + e - c->column; /* wraps below the result's first column */
      const bool inside = scalar + e >= c->column && j < c->n_result_columns;
      value[r * width + e] = inside ? c->sum.data[j] : 0;
      if (inside) c->sum.data[j] = 0;
    }
    value += size * width;
  }
}

/* Result columns that leave the target are in no block: clear them too. */
static void clear_dropped(SofaCongruence *c) {
  for (size_t j = c->n_result_columns; j-- > 0 && c->column_block.data[j] == DROPPED;)
    c->sum.data[j] = 0;
}

static void compute_blocks(SofaCongruence *c, const SofaCsr *left, const SofaBlockRows *target) {
  double *value = c->block_value.data;
  for (size_t i = 0; i + 1 < c->block_start.n; i++) {
    const uint32_t first = c->block_start.data[i], last = c->block_start.data[i + 1];
    const size_t scalar = target->row_scalar[c->first_row + i];
    const size_t size = target->row_scalar[c->first_row + i + 1] - scalar;
    for (size_t r = 0; r < size; r++) {
      const size_t row = scalar + r - c->row; /* wraps above the result's first row */
      if (scalar + r >= c->row && row < c->n_result_rows) compute_result_row(c, row, left);
      store_row(c, target, i, r, value);
      clear_dropped(c);
    }
    for (uint32_t b = first; b < last; b++) {
      const uint32_t j = c->block_column.data[b];
      value += size * (target->column_scalar[j + 1] - target->column_scalar[j]);
    }
  }
}

void sofa_congruence_add_again(SofaCongruence *c, SofaBlockMatrix *target) {
  SofaBlockRows t;
  sofa_block_matrix_rows(target, &t);
  const double *value = c->block_value.data;
  for (size_t i = 0; i + 1 < c->block_start.n; i++) {
    const size_t row = c->first_row + i;
    const size_t size = t.row_scalar[row + 1] - t.row_scalar[row];
    for (uint32_t b = c->block_start.data[i]; b < c->block_start.data[i + 1]; b++) {
      const uint32_t j = c->block_column.data[b];
      sofa_block_matrix_add(target, (uint32_t)row, j, value, 1);
      value += size * (t.column_scalar[j + 1] - t.column_scalar[j]);
    }
  }
}

SofaErr sofa_congruence_add(SofaCongruence *c, const SofaCongruenceProduct *product,
                            SofaBlockMatrix *target, size_t row, size_t column) {
  const SofaCsr *left = product->left, *right = product->right;
  SofaBlockRows k_rows, t_rows;
  sofa_block_matrix_rows(product->k, &k_rows);
  sofa_block_matrix_rows(target, &t_rows);
  const bool known = c->k_version == k_rows.pattern_version && c->row == row &&
                     c->column == column && c->n_k_rows == k_rows.n_scalar_rows &&
                     sofa_pattern_same(&c->left, left) && sofa_pattern_same(&c->right, right);
  if (!known) {
    c->row = row;
    c->column = column;
    const SofaErr err = make_patterns(c, left, &k_rows, right, &t_rows);
    if (err != SOFA_OK) {
      c->left.known = false;
      c->block_start.n = 0;
      return err;
    }
  }
  compute_t(c, &k_rows, right, product->factor);
  compute_blocks(c, left, &t_rows);
  sofa_congruence_add_again(c, target);
  return SOFA_OK;
}
