/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scalar compressed columns of block matrices. */
#include "math/scalar_columns.h"

#include "base/team.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of one pass over the entries of the block matrix. */
typedef struct Pass {
  const SofaBlockRows *rows;
  SofaColumnsPart part;
  const int *place; /* scalar -> its row in the reordered matrix; NULL: itself */
  const int *rank;
  size_t *count; /* n + 1 when counting: entries of each column, one further on */
  size_t *next;  /* n when filling: place of each column's next entry */
  uint64_t *key; /* row << 32 | source of each entry */
} Pass;

static inline size_t numbered(const int *table, size_t i) {
  return table ? (size_t)table[i] : i;
}

/* Takes entry (r, c) of the block matrix whose value is at `source`. */
static inline void take(Pass *p, size_t r, size_t c, size_t source) {
  if (p->part != SOFA_COLUMNS_ALL && numbered(p->rank, r) < numbered(p->rank, c)) return;
  size_t row = numbered(p->place, r), column = numbered(p->place, c);
  const bool below = row >= column;
  if ((p->part == SOFA_COLUMNS_LOWER && !below) || (p->part == SOFA_COLUMNS_UPPER && below)) {
    const size_t swap = row;
    row = column;
    column = swap;
  }
  if (p->count) {
    p->count[column + 1]++;
    return;
  }
  p->key[p->next[column]++] = (uint64_t)row << 32 | (uint32_t)source;
}

static void walk(Pass *p) {
  const SofaBlockRows *a = p->rows;
  for (size_t i = 0; i < a->n_rows; i++) {
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
      const uint32_t column = a->column[k];
      const size_t place = (size_t)(sofa_block_values(a, k) - a->values);
      const size_t nc = a->column_scalar[column + 1] - a->column_scalar[column];
      for (size_t r = a->row_scalar[i]; r < a->row_scalar[i + 1]; r++)
        for (size_t c = 0; c < nc; c++)
          take(p, r, a->column_scalar[column] + c, place + (r - a->row_scalar[i]) * nc + c);
    }
  }
}

static int compare_keys(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Sorts the keys of a column: most columns are short. */
static void sort_column(uint64_t *key, size_t n) {
  if (n > 64) {
    sofa_sort(key, n, sizeof *key, compare_keys);
    return;
  }
  for (size_t k = 1; k < n; k++) {
    const uint64_t moved = key[k];
    size_t at = k;
    for (; at > 0 && key[at - 1] > moved; at--) key[at] = key[at - 1];
    key[at] = moved;
  }
}

/* Sorts the entries of each column by row and splits the keys into row and source. */
static void sort_columns(SofaScalarColumns *s, uint64_t *key) {
  for (size_t j = 0; j < s->n; j++)
    sort_column(key + s->start[j], (size_t)(s->start[j + 1] - s->start[j]));
  for (size_t k = 0; k < s->n_entries; k++) {
    s->row[k] = (int)(key[k] >> 32);
    s->source[k] = (uint32_t)key[k];
  }
}

enum { WARM_BUILDS = 2 }; /* after so many (an analysis may make two) more of them will come */

static bool is_warm(const SofaScalarColumns *s) {
  return s->builds >= WARM_BUILDS;
}

static SofaErr reserve_entries(SofaContext *ctx, SofaScalarColumns *s, size_t n) {
  if (n <= s->capacity) return SOFA_OK;
  s->capacity = is_warm(s) ? n + n / 4 : n;
  sofa_free(ctx, s->row);
  sofa_free(ctx, s->value);
  sofa_free(ctx, s->source);
  s->row = sofa_alloc(ctx, s->capacity, sizeof *s->row);
  s->value = sofa_alloc(ctx, s->capacity, sizeof *s->value);
  s->source = sofa_alloc(ctx, s->capacity, sizeof *s->source);
  return s->row && s->value && s->source ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr make_room(SofaContext *ctx, SofaScalarColumns *s, const size_t *count) {
  if (!s->start) s->start = sofa_alloc(ctx, s->n + 1, sizeof *s->start);
  if (!s->start) return SOFA_ERR_MEMORY;
  if (count[s->n] > INT_MAX)
    return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "matrix: more than 2^31 entries");
  s->n_entries = count[s->n];
  for (size_t j = 0; j <= s->n; j++) s->start[j] = (int)count[j];
  return reserve_entries(ctx, s, s->n_entries + 1);
}

static SofaErr check(SofaContext *ctx, const SofaBlockRows *rows) {
  if (!rows->diagonal)
    return sofa_fail(ctx, SOFA_ERR_ARGUMENT, NULL, "matrix: rows and columns differ");
  const uint32_t n_blocks = rows->start[rows->n_rows];
  if (n_blocks && (size_t)(sofa_block_values(rows, n_blocks - 1) - rows->values) > UINT32_MAX - 64)
    return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "matrix: more than 2^32 entries");
  return SOFA_OK;
}

/* Memory of a build, not zero: the first ones give it back, later ones have it in the arena. */
typedef struct Temporary {
  SofaContext *ctx;
  bool warm;
  SofaScratchMark mark;
  void *block[3];
  unsigned n;
} Temporary;

static void *take_temporary(Temporary *t, size_t n, size_t size) {
  if (t->warm) return sofa_scratch_bytes(t->ctx, n, size);
  return t->block[t->n++] = sofa_realloc(t->ctx, NULL, n, size);
}

static void release_temporary(Temporary *t) {
  for (unsigned i = 0; i < t->n; i++) sofa_free(t->ctx, t->block[i]);
  sofa_scratch_release(t->ctx, t->mark);
}

/* Inverse of the order. */
static SofaErr make_places(Temporary *t, const int *order, size_t n, const int **out) {
  int *place = take_temporary(t, n + 1, sizeof *place);
  if (!place) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) place[order[i]] = (int)i;
  *out = place;
  return SOFA_OK;
}

/* Counts, then fills. */
static SofaErr fill_columns(Temporary *t, Pass *pass, SofaScalarColumns *out) {
  size_t *count = take_temporary(t, out->n + 1, sizeof *count);
  if (!count) return SOFA_ERR_MEMORY;
  sofa_zero(count, (out->n + 1) * sizeof *count);
  pass->count = count;
  walk(pass);
  for (size_t j = 0; j < out->n; j++) count[j + 1] += count[j];
  SOFA_TRY(make_room(t->ctx, out, count));
  pass->count = NULL;
  pass->next = count;
  pass->key = take_temporary(t, out->n_entries + 1, sizeof *pass->key);
  if (!pass->key) return SOFA_ERR_MEMORY;
  walk(pass);
  sort_columns(out, pass->key);
  return SOFA_OK;
}

SofaErr sofa_scalar_columns_build(SofaContext *ctx, const SofaBlockMatrix *matrix,
                                  SofaColumnsPart part, const int *order, const int *rank,
                                  SofaScalarColumns *out) {
  SofaBlockRows rows;
  SofaErr err = SOFA_OK;
  sofa_block_matrix_rows(matrix, &rows);
  if (out->n != rows.n_scalar_rows) sofa_scalar_columns_free(ctx, out);
  Temporary t = {.ctx = ctx, .warm = is_warm(out), .mark = sofa_scratch_mark(ctx)};
  Pass pass = {.rows = &rows, .part = part, .rank = rank};
  SOFA_GO(err, done, check(ctx, &rows));
  out->n = rows.n_scalar_rows;
  if (order) SOFA_GO(err, done, make_places(&t, order, out->n, &pass.place));
  SOFA_GO(err, done, fill_columns(&t, &pass, out));
  sofa_scalar_columns_refresh(matrix, 1, out);
  out->pattern_version = rows.pattern_version;
  if (!is_warm(out)) out->builds++;
done:
  release_temporary(&t);
  if (err != SOFA_OK) sofa_scalar_columns_free(ctx, out);
  return err;
}

typedef struct Refresh {
  SofaScalarColumns *columns;
  const double *values;
  double factor;
} Refresh;

static void refresh_values(void *user, size_t begin, size_t end) {
  const Refresh *r = user;
  const SofaScalarColumns *c = r->columns;
  for (size_t k = begin; k < end; k++) c->value[k] = r->factor * r->values[c->source[k]];
}

enum { VALUES_GRAIN = 16384 };

void sofa_scalar_columns_refresh(const SofaBlockMatrix *matrix, double factor,
                                 SofaScalarColumns *columns) {
  SofaBlockRows rows;
  sofa_block_matrix_rows(matrix, &rows);
  Refresh refresh = {columns, rows.values, factor};
  sofa_team_for(sofa_block_matrix_context(matrix), columns->n_entries, VALUES_GRAIN, refresh_values,
                &refresh);
  columns->value_version = rows.value_version;
}

void sofa_scalar_columns_free(SofaContext *ctx, SofaScalarColumns *s) {
  sofa_free(ctx, s->start);
  sofa_free(ctx, s->row);
  sofa_free(ctx, s->value);
  sofa_free(ctx, s->source);
  memset(s, 0, sizeof *s);
}
