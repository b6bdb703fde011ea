/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The symmetric operator. Rows are cut into chunks whose bounds depend on the pattern alone; a
 * chunk adds into its own buffer, which reaches as far as its columns do, and the buffers are
 * added in order: the sum of every entry has one shape whatever the number of threads. */
#include "math/symmetric_operator.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/team.h"
#include "math/isa.h"
#include "math/kernels.h"
#include "math/mirrored_copy_kernels_impl.h"

enum {
  CHUNK_ROWS = 512,
  SMALL_ROWS = 2048, /* matrices below have chunks of about SMALL_CHUNK_ROWS */
  SMALL_CHUNK_ROWS = 128,
  RENUMBER_MIN = 4096,
  UPDATE_GRAIN = 128,        /* rows that a thread copies at once */
  PARALLEL_MIN = 256,        /* rows below which threads cost more than they give */
  LIGHT_PARALLEL_MIN = 16384 /* the same of copies and sums of vectors */
};

typedef struct Chunk {
  size_t begin, end; /* rows */
  size_t reach;      /* one behind the last column */
  size_t direct;     /* rows from here on get nothing from earlier chunks */
  size_t buffer;     /* place of row `begin` in sums, in blocks of 4 reals */
} Chunk;
SOFA_LIST(Chunk, Chunks);

struct SofaSymmetricOperator {
  SofaContext *ctx;
  uint64_t pattern_version;
  size_t n; /* block rows */
  bool symmetric_pattern;
  SofaIndices order;          /* new row -> row of the matrix */
  SofaIndices start, column;  /* upper triangle in the new numbering, diagonal first */
  SofaIndices source, mirror; /* block of the matrix, and the one across the diagonal */
  SofaReals values, diagonal; /* diagonal: largest magnitude there, of each row */
  Chunks chunks;
  SofaReals sums; /* 4 reals per row of each chunk's reach */
  bool renumbered;
  SofaReals x, y; /* in the new numbering, when that is another one */
};

SofaErr sofa_symmetric_operator_create(SofaContext *ctx, SofaSymmetricOperator **out) {
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  (*out)->ctx = ctx;
  return SOFA_OK;
}

void sofa_symmetric_operator_destroy(SofaSymmetricOperator **op) {
  SofaSymmetricOperator *s = *op;
  if (!s) return;
  void *lists[] = {&s->order,  &s->start,    &s->column, &s->source, &s->mirror, &s->values,
                   &s->chunks, &s->diagonal, &s->x,      &s->y,      &s->sums};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(s->ctx, lists[i]);
  sofa_free(s->ctx, s);
  *op = NULL;
}

/* ---- renumbering ---- */

static uint32_t degree(const SofaBlockRows *a, uint32_t i) {
  return a->start[i + 1] - a->start[i];
}

/* Unseen neighbours of row i, appended by growing degree. */
static void append_neighbours(const SofaBlockRows *a, uint32_t i, uint8_t *seen,
                              SofaIndices *list) {
  const size_t first = list->n;
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const uint32_t j = a->column[k];
    if (seen[j]) continue;
    seen[j] = 1;
    size_t at = list->n++;
    for (; at > first && degree(a, list->data[at - 1]) > degree(a, j); at--)
      list->data[at] = list->data[at - 1];
    list->data[at] = j;
  }
}

/* Breadth-first numbering of the part that holds `seed`; returns the row reached last. */
static uint32_t number_part(const SofaBlockRows *a, uint32_t seed, uint8_t *seen,
                            SofaIndices *list) {
  size_t at = list->n;
  seen[seed] = 1;
  list->data[list->n++] = seed;
  for (; at < list->n; at++) append_neighbours(a, list->data[at], seen, list);
  return list->data[list->n - 1];
}

/* Cuthill-McKee numbering, each part from an end of it (George and Liu, 1981, chapter 4). `order`
 * has room for all rows. */
static SofaErr cuthill_mckee(SofaContext *ctx, const SofaBlockRows *a, SofaIndices *order) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint8_t *seen = SOFA_SCRATCH(ctx, uint8_t, a->n_rows);
  if (!seen) return SOFA_ERR_MEMORY;
  sofa_zero(seen, a->n_rows);
  order->n = 0;
  for (uint32_t i = 0; i < a->n_rows; i++) {
    if (seen[i]) continue;
    uint32_t seed = i;
    const size_t first = order->n;
    for (int sweep = 0; sweep < 3; sweep++) {
      for (size_t k = first; k < order->n; k++) seen[order->data[k]] = 0;
      order->n = first;
      seed = number_part(a, seed, seen, order);
    }
  }
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* ---- pattern ---- */

static uint32_t find_block(const SofaBlockRows *a, uint32_t row, uint32_t column) {
  uint32_t low = a->start[row], high = a->start[row + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (a->column[middle] < column) low = middle + 1;
    else high = middle;
  }
  return low < a->start[row + 1] && a->column[low] == column ? low : UINT32_MAX;
}

typedef struct Upper {
  uint32_t column, source;
} Upper;
static int compare_upper(const void *a, const void *b) {
  const uint32_t x = ((const Upper *)a)->column, y = ((const Upper *)b)->column;
  return (x > y) - (x < y);
}

/* Fills the row of the upper triangle that comes next; false: the pattern is not symmetric. */
static bool fill_row(SofaSymmetricOperator *s, const SofaBlockRows *a, size_t i,
                     const uint32_t *place, Upper *row) {
  const uint32_t old = s->order.data[i];
  size_t n = 0;
  for (uint32_t k = a->start[old]; k < a->start[old + 1]; k++)
    if (place[a->column[k]] >= i) row[n++] = (Upper){place[a->column[k]], k};
  sofa_sort(row, n, sizeof *row, compare_upper);
  for (size_t e = 0; e < n; e++) {
    const uint32_t mirror = find_block(a, a->column[row[e].source], old);
    const size_t at = s->column.n++;
    if (mirror == UINT32_MAX || at >= s->column.capacity) return false;
    s->column.data[at] = row[e].column;
    s->source.data[at] = row[e].source;
    s->mirror.data[at] = mirror;
  }
  s->start.data[i + 1] = (uint32_t)s->column.n;
  return true;
}

static SofaErr fill_upper(SofaSymmetricOperator *s, const SofaBlockRows *a) {
  SofaContext *ctx = s->ctx;
  SofaErr err = SOFA_OK;
  const size_t n_upper = (a->start[a->n_rows] + a->n_rows) / 2;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint32_t *place = SOFA_SCRATCH(ctx, uint32_t, a->n_rows);
  Upper *row = SOFA_SCRATCH(ctx, Upper, a->n_rows);
  if (!place || !row) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  s->column.n = 0;
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &s->start, a->n_rows + 1));
  SOFA_GO(err, done, SOFA_RESERVE(ctx, &s->column, n_upper + 1));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &s->source, n_upper + 1));
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &s->mirror, n_upper + 1));
  for (uint32_t i = 0; i < a->n_rows; i++) place[s->order.data[i]] = i;
  s->start.data[0] = 0;
  s->symmetric_pattern = true;
  for (size_t i = 0; i < a->n_rows && s->symmetric_pattern; i++)
    s->symmetric_pattern = fill_row(s, a, i, place, row);
  s->symmetric_pattern &= 2 * s->column.n == a->start[a->n_rows] + a->n_rows;
  if (s->symmetric_pattern) SOFA_GO(err, done, SOFA_RESIZE(ctx, &s->values, 9 * s->column.n + 1));
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Cuts the rows into chunks of `rows`; returns by how many rows the buffers overlap. */
static SofaErr cut(SofaSymmetricOperator *s, size_t rows, size_t *overlap) {
  *overlap = 0;
  s->chunks.n = 0;
  size_t buffer = 0, reached = 0;
  for (size_t begin = 0; begin < s->n; begin += rows) {
    Chunk c = {.begin = begin, .end = begin + rows < s->n ? begin + rows : s->n, .buffer = buffer};
    c.reach = c.end;
    c.direct = reached < c.begin ? c.begin : reached < c.end ? reached : c.end;
    for (size_t i = c.begin; i < c.end; i++) {
      const size_t last = s->column.data[s->start.data[i + 1] - 1] + 1u;
      if (last > c.reach) c.reach = last;
    }
    buffer += c.reach - c.begin;
    *overlap += c.reach - c.end;
    if (c.reach > reached) reached = c.reach;
    SOFA_TRY(SOFA_APPEND(s->ctx, &s->chunks, &c));
  }
  return SOFA_OK;
}

/* Rows of a chunk to begin with. Threads share small matrices, too; those that are too small for
 * threads have one chunk, whose rows need no sums. */
static size_t first_rows(size_t n) {
  if (n < PARALLEL_MIN) return PARALLEL_MIN;
  const size_t chunks = (n + SMALL_CHUNK_ROWS) / (2 * SMALL_CHUNK_ROWS) * 2; // for two threads
  return n < SMALL_ROWS ? (n + chunks - 1) / chunks : CHUNK_ROWS;
}

/* The smallest chunks whose overlap costs little. */
static SofaErr cut_well(SofaSymmetricOperator *s, size_t *overlap) {
  for (size_t rows = first_rows(s->n);; rows *= 2) {
    SOFA_TRY(cut(s, rows, overlap));
    if (*overlap <= s->n / 2 || s->chunks.n <= 1) return SOFA_OK;
  }
}

static SofaErr make_pattern(SofaSymmetricOperator *s, const SofaBlockRows *a) {
  size_t overlap = 0;
  s->n = a->n_rows;
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->order, a->n_rows));
  for (uint32_t i = 0; i < a->n_rows; i++) s->order.data[i] = i;
  SOFA_TRY(fill_upper(s, a));
  if (!s->symmetric_pattern) return SOFA_OK;
  SOFA_TRY(cut_well(s, &overlap));

  /* long chunks mean that neighbours have far numbers */
  s->renumbered = a->n_rows >= RENUMBER_MIN && s->chunks.n < 8;
  if (s->renumbered) {
    SOFA_TRY(cuthill_mckee(s->ctx, a, &s->order));
    SOFA_TRY(fill_upper(s, a));
    SOFA_TRY(cut_well(s, &overlap));
  }
  SOFA_TRY(SOFA_RESIZE(s->ctx, &s->diagonal, s->n));
  s->x.n = s->y.n = s->sums.n = 0;
  if (s->renumbered) SOFA_TRY(SOFA_RESIZE(s->ctx, &s->x, 3 * s->n + 1));
  if (s->renumbered) SOFA_TRY(SOFA_RESIZE(s->ctx, &s->y, 3 * s->n));
  return SOFA_RESIZE(s->ctx, &s->sums, 4 * (s->n + overlap) + 4);
}

/* ---- values ---- */

/* Largest magnitude on the diagonal of block k. */
static double diagonal_size(const SofaBlockRows *a, uint32_t row) {
  const double *d = a->values + 9 * (size_t)a->diagonal[row];
  return fmax(fmax(fabs(d[0]), fabs(d[4])), fabs(d[8]));
}

/* Largest difference of mirror images, by the size of the diagonal. */
#define ROUNDING 1e-12

typedef struct Update {
  SofaSymmetricOperator *s;
  const SofaBlockRows *a;
  SofaMirroredCopy *copy;
  atomic_bool unsymmetric;
} Update;

static void size_rows(void *user, size_t begin, size_t end) {
  const Update *u = user;
  for (size_t i = begin; i < end; i++)
    u->s->diagonal.data[i] = diagonal_size(u->a, u->s->order.data[i]);
}

/* Some are not the mirror images of their columns (or no numbers): the others are not copied. */
static void copy_rows(void *user, size_t begin, size_t end) {
  Update *u = user;
  SofaSymmetricOperator *s = u->s;
  const SofaMirroredRows rows = {.start = s->start.data,
                                 .column = s->column.data,
                                 .source = s->source.data,
                                 .mirror = s->mirror.data,
                                 .values = u->a->values,
                                 .size = s->diagonal.data,
                                 .rounding = ROUNDING};
  if (atomic_load_explicit(&u->unsymmetric, memory_order_relaxed)) return;
  if (!u->copy(&rows, begin, end, s->values.data))
    atomic_store_explicit(&u->unsymmetric, true, memory_order_relaxed);
}

SofaErr sofa_symmetric_operator_update(SofaSymmetricOperator *s, const SofaBlockMatrix *matrix,
                                       bool *usable) {
  static SofaMirroredCopy *const variants[] = SOFA_VARIANTS(sofa_mirrored_copy);
  SofaBlockRows a;
  sofa_block_matrix_rows(matrix, &a);
  *usable = false;
  if (a.uniform != 3 || !a.diagonal) return SOFA_OK;
  if (s->pattern_version != a.pattern_version || s->n != a.n_rows) {
    s->pattern_version = 0;
    SOFA_TRY(make_pattern(s, &a));
    s->pattern_version = a.pattern_version;
  }
  if (!s->symmetric_pattern) return SOFA_OK;
  Update update = {.s = s, .a = &a, .copy = variants[sofa_isa(s->ctx)]};
  sofa_team_for(s->ctx, s->n, 8 * UPDATE_GRAIN, size_rows, &update);
  sofa_team_for(s->ctx, s->n, UPDATE_GRAIN, copy_rows, &update);
  *usable = !atomic_load(&update.unsymmetric);
  return SOFA_OK;
}

/* ---- product ---- */

/* The sums begin at a multiple of 32 bytes: no block of them lies across two cache lines. */
static double *chunk_sums(const SofaSymmetricOperator *s, const Chunk *c) {
  const uintptr_t begin = ((uintptr_t)s->sums.data + 31) / 32 * 32;
  return (double *)begin + 4 * c->buffer;
}

/* What the chunk's own rows give: to its buffer, or straight to y where nothing else is added. */
static void run_chunk(SofaSymmetricOperator *s, const Chunk *c, const double *x, double *y) {
  const SofaBlockCsr3 a = {s->n, s->start.data, s->column.data, s->values.data};
  double *sums = chunk_sums(s, c);
  sofa_zero(sums, 4 * (c->reach - c->begin) * sizeof *sums);
  const SofaUpperRows rows = {c->begin, c->end, sums, c->direct};
  s->ctx->kernels->spmv3_upper(&rows, &a, x, y);
}

/* Adds what earlier chunks have for the first rows of chunk number `which`, and writes them. */
static void finish_chunk(SofaSymmetricOperator *s, size_t which, double *y) {
  const Chunk *c = &s->chunks.data[which];
  double *sums = chunk_sums(s, c);
  for (size_t d = 0; d < which && c->direct > c->begin; d++) {
    const Chunk *e = &s->chunks.data[d];
    const size_t end = e->reach < c->end ? e->reach : c->end;
    if (end <= c->begin) continue;
    const double *other = chunk_sums(s, e) + 4 * (c->begin - e->begin);
    for (size_t k = 0; k < 4 * (end - c->begin); k++) sums[k] += other[k];
  }
  for (size_t i = c->begin; i < c->direct; i++)
    for (size_t r = 0; r < 3; r++) y[3 * i + r] = sums[4 * (i - c->begin) + r];
}

/* x in the new numbering, y back in the old one. */
static void gather(SofaSymmetricOperator *s, const Chunk *c, const double *x) {
  for (size_t i = c->begin; i < c->end; i++)
    for (size_t r = 0; r < 3; r++) s->x.data[3 * i + r] = x[3 * (size_t)s->order.data[i] + r];
}
static void scatter(const SofaSymmetricOperator *s, const Chunk *c, double *y) {
  for (size_t i = c->begin; i < c->end; i++)
    for (size_t r = 0; r < 3; r++) y[3 * (size_t)s->order.data[i] + r] = s->y.data[3 * i + r];
}

typedef struct Product {
  SofaSymmetricOperator *s;
  const double *x;
  double *y;
} Product;

static void gather_piece(void *product, size_t c) {
  const Product *p = product;
  gather(p->s, &p->s->chunks.data[c], p->x);
}
static void scatter_piece(void *product, size_t c) {
  const Product *p = product;
  scatter(p->s, &p->s->chunks.data[c], p->y);
}
static void run_piece(void *product, size_t c) {
  const Product *p = product;
  SofaSymmetricOperator *s = p->s;
  run_chunk(s, &s->chunks.data[c], s->renumbered ? s->x.data : p->x,
            s->renumbered ? s->y.data : p->y);
}
static void finish_piece(void *product, size_t c) {
  const Product *p = product;
  finish_chunk(p->s, c, p->s->renumbered ? p->s->y.data : p->y);
}

static void all_pieces(Product *p, bool parallel, SofaTeamWork work) {
  const size_t n = p->s->chunks.n;
  if (parallel) sofa_team_run(p->s->ctx, n, work, p);
  else
    for (size_t c = 0; c < n; c++) work(p, c);
}

/* Only the sums cost more than a job of several threads where the matrix is small. */
void sofa_symmetric_operator_apply(SofaSymmetricOperator *s, const double *x, double *y) {
  Product p = {s, x, y};
  const bool large = s->n >= LIGHT_PARALLEL_MIN;
  if (s->renumbered) all_pieces(&p, large, gather_piece);
  all_pieces(&p, s->n >= PARALLEL_MIN, run_piece);
  all_pieces(&p, large, finish_piece);
  if (s->renumbered) all_pieces(&p, large, scatter_piece);
}
