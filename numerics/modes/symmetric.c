/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sparse symmetric matrices with the simplicial L D L^T of CHOLMOD. */
#include "numerics/modes/symmetric.h"

#include <cholmod.h>
#include <math.h>

#include "base/bytes.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/direct/gpl_parts.h"

struct SofaSymmetric {
  SofaContext *ctx;
  cholmod_common common;
  cholmod_sparse *a; /* the upper triangle */
};

struct SofaSymmetricFactor {
  SofaContext *ctx;
  cholmod_common common;
  cholmod_factor *l;
  cholmod_dense *x, *y, *e; /* work space of solutions */
};

static void begin(cholmod_common *common) {
  cholmod_start(common);
  common->print = 0;
  common->nmethods = 2; // the better one
  common->method[0].ordering = CHOLMOD_AMD;
  common->method[1].ordering = CHOLMOD_METIS;
  common->supernodal = CHOLMOD_SIMPLICIAL;
  common->final_ll = 0;
  common->quick_return_if_not_posdef = 0;
}

static SofaErr failed(SofaContext *ctx, const cholmod_common *common) {
  const bool memory =
      common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE;
  return sofa_fail(ctx, memory ? SOFA_ERR_MEMORY : SOFA_ERR_ARGUMENT, NULL,
                   "CHOLMOD failed with status %d", common->status);
}

static SofaErr create(SofaContext *ctx, SofaSymmetric **out) {
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  (*out)->ctx = ctx;
  begin(&(*out)->common);
  return SOFA_OK;
}

void sofa_symmetric_destroy(SofaSymmetric **matrix) {
  SofaSymmetric *s = *matrix;
  *matrix = NULL;
  if (!s) return;
  cholmod_free_sparse(&s->a, &s->common);
  cholmod_finish(&s->common);
  sofa_free(s->ctx, s);
}

/* ---- from blocks ---- */

/* Entry (i, j), by halves but on the diagonal: duplicates add up. */
static void put(cholmod_triplet *t, size_t i, size_t j, double value) {
  int *rows = t->i, *columns = t->j;
  double *values = t->x;
  rows[t->nnz] = (int)(i < j ? i : j);
  columns[t->nnz] = (int)(i < j ? j : i);
  values[t->nnz++] = i == j ? value : value / 2;
}

static void put_block(cholmod_triplet *t, const SofaBlockRows *rows, size_t i, size_t k) {
  const uint32_t row = rows->row_scalar[i], n_rows = rows->row_scalar[i + 1] - row;
  const uint32_t column = rows->column_scalar[rows->column[k]];
  const uint32_t n_columns = rows->column_scalar[rows->column[k] + 1] - column;
  const double *block = sofa_block_values(rows, k);
  for (uint32_t r = 0; r < n_rows; r++)
    for (uint32_t c = 0; c < n_columns; c++) put(t, row + r, column + c, block[r * n_columns + c]);
}

static size_t count_entries(const SofaBlockRows *rows) {
  size_t n = 0;
  for (size_t i = 0; i < rows->n_rows; i++)
    for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++)
      n += (size_t)(rows->row_scalar[i + 1] - rows->row_scalar[i]) *
           (rows->column_scalar[rows->column[k] + 1] - rows->column_scalar[rows->column[k]]);
  return n;
}

static double asymmetry_of(const SofaBlockMatrix *matrix, const SofaBlockRows *rows) {
  double most = 0, gap = 0;
  for (size_t i = 0; i < rows->n_rows; i++)
    for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const uint32_t row = rows->row_scalar[i], column = rows->column_scalar[rows->column[k]];
      const uint32_t n = rows->column_scalar[rows->column[k] + 1] - column;
      const double *block = sofa_block_values(rows, k);
      for (uint32_t e = 0; e < (rows->row_scalar[i + 1] - row) * n; e++) {
        most = fmax(most, fabs(block[e]));
        gap = fmax(gap,
                   fabs(block[e] - sofa_block_matrix_entry(matrix, column + e % n, row + e / n)));
      }
    }
  return most > 0 ? gap / most : 0;
}

SofaErr sofa_symmetric_create(SofaContext *ctx, const SofaBlockMatrix *matrix, double *asymmetry,
                              SofaSymmetric **out) {
  SofaBlockRows rows;
  SOFA_TRY(create(ctx, out));
  sofa_block_matrix_rows(matrix, &rows);
  if (asymmetry) *asymmetry = asymmetry_of(matrix, &rows);
  cholmod_common *common = &(*out)->common;
  cholmod_triplet *t = cholmod_allocate_triplet(rows.n_scalar_rows, rows.n_scalar_rows,
                                                count_entries(&rows) + 1, 1, CHOLMOD_REAL, common);
  if (t) {
    for (size_t i = 0; i < rows.n_rows; i++)
      for (uint32_t k = rows.start[i]; k < rows.start[i + 1]; k++) put_block(t, &rows, i, k);
    (*out)->a = cholmod_triplet_to_sparse(t, t->nnz, common);
  }
  cholmod_free_triplet(&t, common);
  return (*out)->a ? SOFA_OK : failed(ctx, common);
}

SofaErr sofa_symmetric_sum(double a, const SofaSymmetric *x, double b, const SofaSymmetric *y,
                           SofaSymmetric **out) {
  double factors[2][2] = {{a, 0}, {b, 0}}; // complex numbers
  SOFA_TRY(create(x->ctx, out));
  (*out)->a = cholmod_add(x->a, y->a, factors[0], factors[1], 1, 1, &(*out)->common);
  return (*out)->a ? SOFA_OK : failed(x->ctx, &(*out)->common);
}

/* ---- products ---- */

size_t sofa_symmetric_size(const SofaSymmetric *matrix) {
  return matrix->a->nrow;
}

void sofa_symmetric_multiply(const SofaSymmetric *matrix, const double *x, double *y) {
  const int *start = matrix->a->p, *row = matrix->a->i;
  const double *value = matrix->a->x;
  sofa_zero(y, matrix->a->nrow * sizeof *y);
  for (size_t j = 0; j < matrix->a->ncol; j++)
    for (int k = start[j]; k < start[j + 1]; k++) {
      y[row[k]] += value[k] * x[j];
      if (row[k] != (int)j) y[j] += value[k] * x[row[k]];
    }
}

double sofa_symmetric_diagonal(const SofaSymmetric *matrix, size_t i) {
  const int *start = matrix->a->p, *row = matrix->a->i;
  double sum = 0;
  for (int k = start[i]; k < start[i + 1]; k++)
    if (row[k] == (int)i) sum += ((const double *)matrix->a->x)[k];
  return sum;
}

void sofa_symmetric_row_sums(const SofaSymmetric *matrix, double *sums) {
  const int *start = matrix->a->p, *row = matrix->a->i;
  const double *value = matrix->a->x;
  sofa_zero(sums, matrix->a->nrow * sizeof *sums);
  for (size_t j = 0; j < matrix->a->ncol; j++)
    for (int k = start[j]; k < start[j + 1]; k++) {
      sums[row[k]] += fabs(value[k]);
      if (row[k] != (int)j) sums[j] += fabs(value[k]);
    }
}

/* ---- factors ---- */

void sofa_symmetric_factor_destroy(SofaSymmetricFactor **factor) {
  SofaSymmetricFactor *f = *factor;
  *factor = NULL;
  if (!f) return;
  cholmod_free_factor(&f->l, &f->common);
  cholmod_free_dense(&f->x, &f->common);
  cholmod_free_dense(&f->y, &f->common);
  cholmod_free_dense(&f->e, &f->common);
  cholmod_finish(&f->common);
  sofa_free(f->ctx, f);
}

typedef struct Pivots {
  const SofaSymmetric *matrix;
  const cholmod_factor *l;
  size_t *negative, *row;
} Pivots;

/* A pivot against the diagonal of its row. */
static SofaErr look_at(const Pivots *p, size_t k, double pivot) {
  const size_t row = (size_t)((const int *)p->l->Perm)[k];
  *p->row = row;
  *p->negative += pivot < 0;
  return fabs(pivot) > 1e-13 * fabs(sofa_symmetric_diagonal(p->matrix, row)) ? SOFA_OK
                                                                             : SOFA_ERR_SINGULAR;
}

static SofaErr look_at_columns(const Pivots *p) {
  const int *start = p->l->p;
  const double *value = p->l->x;
  for (size_t k = 0; k < p->l->n; k++) SOFA_TRY(look_at(p, k, value[start[k]]));
  return SOFA_OK;
}

static SofaErr look_at_supernodes(const Pivots *p) {
  const int *super = p->l->super, *rows = p->l->pi, *start = p->l->px;
  for (size_t s = 0; s < p->l->nsuper; s++) {
    const double *x = (const double *)p->l->x + start[s];
    for (int k = super[s]; k < super[s + 1]; k++, x += rows[s + 1] - rows[s] + 1)
      SOFA_TRY(look_at(p, (size_t)k, *x * *x));
  }
  return SOFA_OK;
}

SofaErr sofa_symmetric_factorise(const SofaSymmetric *matrix, SofaSymmetricKind kind,
                                 SofaSymmetricFactor **out, size_t *negative, size_t *row) {
  SofaSymmetricFactor *f = *out = sofa_alloc(matrix->ctx, 1, sizeof *f);
  if (!f) return SOFA_ERR_MEMORY;
  f->ctx = matrix->ctx;
  begin(&f->common);
  if (kind == SOFA_SYMMETRIC_POSITIVE && sofa_has_gpl_parts()) f->common.supernodal = CHOLMOD_AUTO;
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  f->l = cholmod_analyze(matrix->a, &f->common);
  const bool done = f->l && cholmod_factorize(matrix->a, f->l, &f->common);
  sofa_blas_threads_end(saved);
  if (!done || f->common.status < CHOLMOD_OK) return failed(f->ctx, &f->common);
  const bool complete = f->l->minor >= f->l->n;
  *row = complete ? 0 : (size_t)((int *)f->l->Perm)[f->l->minor];
  *negative = complete || !f->l->is_super ? 0 : 1;
  if (!complete) return f->l->is_super ? SOFA_OK : SOFA_ERR_SINGULAR;
  const Pivots pivots = {matrix, f->l, negative, row};
  return (f->l->is_super ? look_at_supernodes : look_at_columns)(&pivots);
}

SofaErr sofa_symmetric_solve(SofaSymmetricFactor *f, const double *b, double *x) {
  cholmod_dense right = {.nrow = f->l->n,
                         .ncol = 1,
                         .nzmax = f->l->n,
                         .d = f->l->n,
                         .x = (void *)(uintptr_t)b,
                         .xtype = CHOLMOD_REAL};
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  const int done =
      cholmod_solve2(CHOLMOD_A, f->l, &right, NULL, &f->x, NULL, &f->y, &f->e, &f->common);
  sofa_blas_threads_end(saved);
  if (!done) return failed(f->ctx, &f->common);
  sofa_copy(x, f->x->x, f->l->n * sizeof *x);
  return SOFA_OK;
}
