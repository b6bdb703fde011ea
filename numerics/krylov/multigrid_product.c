/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of matrices of blocks: the smoothed prolongation and the matrix of the next level. */
#include "numerics/krylov/multigrid_impl.h"

#include <math.h>

void sofa_blocks_free(SofaContext *ctx, Blocks *b) {
  sofa_list_free(ctx, &b->start);
  sofa_list_free(ctx, &b->column);
  sofa_list_free(ctx, &b->value);
}

/* ---- rows that are summed up ---- */

/* The block of a column in the row that is being made: place[column] - 1, when stamp[column] is
 * that of the row. */
typedef struct RowSum {
  SofaContext *ctx;
  Blocks *out;
  SofaIndices stamp, place;
} RowSum;

static SofaErr sum_begin(SofaContext *ctx, Blocks *out, RowSum *s) {
  *s = (RowSum){.ctx = ctx, .out = out};
  SOFA_TRY(SOFA_RESIZE(ctx, &out->start, out->n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->stamp, out->n_columns));
  return SOFA_RESIZE(ctx, &s->place, out->n_columns);
}

static void sum_free(RowSum *s) {
  sofa_list_free(s->ctx, &s->stamp);
  sofa_list_free(s->ctx, &s->place);
}

/* The block (row, column), new ones are zero and come last in their row. */
static SofaErr sum_block(RowSum *s, uint32_t row, uint32_t column, double **block) {
  const size_t size = (size_t)s->out->height * s->out->width;
  if (s->stamp.data[column] != row + 1) {
    s->stamp.data[column] = row + 1;
    s->place.data[column] = (uint32_t)s->out->column.n;
    SOFA_TRY(SOFA_APPEND(s->ctx, &s->out->column, &column));
    const size_t n = s->out->value.n + size;
    if (n > s->out->value.capacity) SOFA_TRY(SOFA_RESERVE(s->ctx, &s->out->value, n + n / 2));
    SOFA_TRY(SOFA_RESIZE(s->ctx, &s->out->value, n));
  }
  *block = s->out->value.data + size * s->place.data[column];
  return SOFA_OK;
}

/* ---- products ---- */

/* out += A B in one row; the square blocks of A are of constant size. */
static inline __attribute__((always_inline)) SofaErr
add_row(RowSum *s, const LevelMatrix *a, unsigned size, const Blocks *b, uint32_t i) {
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const double *left = a->value + (size_t)size * size * k;
    const uint32_t j = a->column[k];
    for (uint32_t m = b->start.data[j]; m < b->start.data[j + 1]; m++) {
      const double *right = b->value.data + (size_t)size * MODES * m;
      double *to;
      SOFA_TRY(sum_block(s, i, b->column.data[m], &to));
      // the blocks of the first level are stored by rows, those of others by columns
      if (size == FINE) sofa_add_product(size, size, left, right, to);
      else sofa_add_product_t(size, size, left, right, to);
    }
  }
  return SOFA_OK;
}

static SofaErr add_row_of(RowSum *s, const LevelMatrix *a, const Blocks *b, uint32_t i) {
  return a->size == FINE ? add_row(s, a, FINE, b, i) : add_row(s, a, MODES, b, i);
}

/* block = -omega D^-1 block */
static void relax(const Level *fine, double omega, uint32_t row, double *block) {
  const unsigned size = fine->a.size;
  const double *inverse = fine->inverse.data + (size_t)size * size * row;
  double from[BLOCK_MAX];
  for (unsigned e = 0; e < size * MODES; e++) from[e] = -omega * block[e];
  sofa_zero(block, (size_t)size * MODES * sizeof *block);
  if (size == FINE) sofa_add_product(FINE, FINE, inverse, from, block);
  else sofa_add_product(MODES, MODES, inverse, from, block);
}

SofaErr sofa_multigrid_smooth(SofaContext *ctx, const Level *fine, double omega, const Blocks *p0,
                              Blocks *p) {
  const size_t block = (size_t)fine->a.size * MODES;
  RowSum s = {.ctx = ctx};
  SofaErr err;
  *p = (Blocks){
      .n_rows = p0->n_rows, .n_columns = p0->n_columns, .height = p0->height, .width = p0->width};
  SOFA_GO(err, done, sum_begin(ctx, p, &s));
  for (uint32_t i = 0; i < p->n_rows; i++) {
    const uint32_t own = p0->start.data[i];
    if (own < p0->start.data[i + 1]) { // rows without coupling are left to the smoother
      SOFA_GO(err, done, add_row_of(&s, &fine->a, p0, i));
      for (size_t k = p->start.data[i]; k < p->column.n; k++)
        relax(fine, omega, i, p->value.data + block * k);
      double *to;
      SOFA_GO(err, done, sum_block(&s, i, p0->column.data[own], &to));
      for (size_t e = 0; e < block; e++) to[e] += p0->value.data[block * own + e];
    }
    p->start.data[i + 1] = (uint32_t)p->column.n;
  }
done:
  sum_free(&s);
  return err;
}

SofaErr sofa_multigrid_transpose(SofaContext *ctx, Level *fine) {
  const Blocks *p = &fine->p;
  SOFA_TRY(SOFA_RESIZE(ctx, &fine->from, 0));
  SOFA_TRY(SOFA_RESIZE(ctx, &fine->from, p->n_columns + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, &fine->entry, p->column.n));
  SOFA_TRY(SOFA_RESIZE(ctx, &fine->row, p->column.n));
  uint32_t *from = fine->from.data;
  for (size_t k = 0; k < p->column.n; k++) from[p->column.data[k] + 2]++;
  for (size_t j = 2; j < p->n_columns + 2; j++) from[j] += from[j - 1];
  for (uint32_t i = 0; i < p->n_rows; i++) {
    for (uint32_t k = p->start.data[i]; k < p->start.data[i + 1]; k++) {
      const uint32_t at = from[p->column.data[k] + 1]++;
      fine->entry.data[at] = k;
      fine->row.data[at] = i;
    }
  }
  return SOFA_OK;
}

/* out += P^T B in row j */
static inline __attribute__((always_inline)) SofaErr
add_transposed(RowSum *s, const Level *fine, unsigned size, const Blocks *b, uint32_t j) {
  for (uint32_t k = fine->from.data[j]; k < fine->from.data[j + 1]; k++) {
    const double *left = fine->p.value.data + (size_t)size * MODES * fine->entry.data[k];
    const uint32_t i = fine->row.data[k];
    for (uint32_t m = b->start.data[i]; m < b->start.data[i + 1]; m++) {
      const double *right = b->value.data + (size_t)size * MODES * m;
      double *to;
      SOFA_TRY(sum_block(s, j, b->column.data[m], &to));
      sofa_add_product_t(MODES, size, left, right, to);
    }
  }
  return SOFA_OK;
}

/* Puts 1 on the diagonal of unknowns whose mode is 0 on the aggregate, and turns all blocks. */
static void finish(Blocks *a) {
  for (size_t i = 0; i < a->n_rows; i++) {
    for (uint32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++) {
      double *v = a->value.data + (size_t)MODES * MODES * k;
      for (unsigned e = 0; a->column.data[k] == i && e < MODES; e++)
        if (v[(MODES + 1) * e] == 0) v[(MODES + 1) * e] = 1;
      for (unsigned e = 0; e < MODES; e++) {
        for (unsigned c = 0; c < e; c++) {
          const double t = v[MODES * e + c];
          v[MODES * e + c] = v[MODES * c + e];
          v[MODES * c + e] = t;
        }
      }
    }
  }
}

SofaErr sofa_multigrid_product(SofaContext *ctx, const Level *fine, Blocks *out) {
  const Blocks *p = &fine->p;
  Blocks ap = {
      .n_rows = p->n_rows, .n_columns = p->n_columns, .height = p->height, .width = p->width};
  RowSum s = {.ctx = ctx};
  SofaErr err;
  *out =
      (Blocks){.n_rows = p->n_columns, .n_columns = p->n_columns, .height = MODES, .width = MODES};
  SOFA_GO(err, done, sum_begin(ctx, &ap, &s));
  for (uint32_t i = 0; i < ap.n_rows; i++) {
    SOFA_GO(err, done, add_row_of(&s, &fine->a, p, i));
    ap.start.data[i + 1] = (uint32_t)ap.column.n;
  }
  sum_free(&s);
  SOFA_GO(err, done, sum_begin(ctx, out, &s));
  for (uint32_t j = 0; j < out->n_rows; j++) {
    SOFA_GO(err, done,
            fine->a.size == FINE ? add_transposed(&s, fine, FINE, &ap, j)
                                 : add_transposed(&s, fine, MODES, &ap, j));
    out->start.data[j + 1] = (uint32_t)out->column.n;
  }
  finish(out);
done:
  sum_free(&s);
  sofa_blocks_free(ctx, &ap);
  return err;
}

/* ---- the diagonal ---- */

/* The inverse of a symmetric positive definite block; the row where it is not, else size. */
static unsigned invert(unsigned size, const double *a, double *inverse) {
  double l[BLOCK_MAX] = {0}, m[BLOCK_MAX] = {0}; // a = L L^T, m = L^-1
  for (unsigned i = 0; i < size; i++) {
    for (unsigned j = 0; j <= i; j++) {
      double sum = a[size * i + j];
      for (unsigned k = 0; k < j; k++) sum -= l[size * i + k] * l[size * j + k];
      if (i == j && !(sum > 0)) return i;
      l[size * i + j] = i == j ? sqrt(sum) : sum / l[(size + 1) * j];
    }
  }
  for (unsigned c = 0; c < size; c++) {
    for (unsigned i = c; i < size; i++) {
      double sum = i == c;
      for (unsigned k = c; k < i; k++) sum -= l[size * i + k] * m[size * k + c];
      m[size * i + c] = sum / l[(size + 1) * i];
    }
  }
  sofa_zero(inverse, (size_t)size * size * sizeof *inverse);
  for (unsigned i = 0; i < size; i++)
    for (unsigned j = 0; j < size; j++)
      for (unsigned k = i > j ? i : j; k < size; k++)
        inverse[size * i + j] += m[size * k + i] * m[size * k + j];
  return size;
}

SofaErr sofa_multigrid_invert(SofaContext *ctx, Level *level, size_t *row) {
  const LevelMatrix *a = &level->a;
  const size_t block = (size_t)a->size * a->size;
  SOFA_TRY(SOFA_RESIZE(ctx, &level->inverse, block * a->n));
  for (size_t i = 0; i < a->n; i++) {
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++) {
      if (a->column[k] != i) continue;
      const unsigned at = invert(a->size, a->value + block * k, level->inverse.data + block * i);
      if (at == a->size) continue;
      *row = a->size * i + at;
      return SOFA_ERR_SINGULAR;
    }
  }
  return SOFA_OK;
}
