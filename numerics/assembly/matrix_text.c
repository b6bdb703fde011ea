/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembled matrices as text: dense rows, or Matrix Market coordinates. */
#include "numerics/assembly/matrix_text.h"

#include "base/text.h"

/* Row `r` of block row i, with its zeros. */
static void dense_row(const SofaBlockRows *a, size_t i, size_t r, double *row) {
  sofa_zero(row, a->n_scalar_columns * sizeof *row);
  for (size_t k = a->start[i]; k < a->start[i + 1]; k++) {
    const size_t j = a->column[k], first = a->column_scalar[j];
    const size_t columns = a->column_scalar[j + 1] - first;
    sofa_copy(row + first, sofa_block_values(a, k) + r * columns, columns * sizeof *row);
  }
}

static SofaErr append_row(SofaContext *ctx, const double *row, size_t n, bool brackets, int digits,
                          SofaText *out) {
  if (brackets) SOFA_TRY(sofa_text_append(ctx, out, "\n[", 2));
  for (size_t c = 0; c < n; c++) {
    if (brackets) SOFA_TRY(sofa_text_append(ctx, out, " ", 1));
    else if (c > 0) SOFA_TRY(sofa_text_append(ctx, out, ",", 1));
    SOFA_TRY(sofa_text_real(ctx, out, row[c], digits));
  }
  return brackets ? sofa_text_append(ctx, out, " ]", 2) : sofa_text_append(ctx, out, "\n", 1);
}

SofaErr sofa_matrix_text_dense(SofaContext *ctx, const SofaBlockRows *a, bool brackets, int digits,
                               SofaText *out) {
  SofaErr err = SOFA_OK;
  double *row = sofa_alloc(ctx, a->n_scalar_columns + 1, sizeof *row);
  if (!row) return SOFA_ERR_MEMORY;
  if (brackets) SOFA_GO(err, done, sofa_text_append(ctx, out, "[", 1));
  for (size_t i = 0; i < a->n_rows; i++) {
    for (size_t r = 0; r < a->row_scalar[i + 1] - a->row_scalar[i]; r++) {
      dense_row(a, i, r, row);
      SOFA_GO(err, done, append_row(ctx, row, a->n_scalar_columns, brackets, digits, out));
    }
  }
  if (brackets) err = sofa_text_append(ctx, out, " ]\n", 3);
done:
  sofa_free(ctx, row);
  return err;
}

/* Writes entries that are not 0, or counts them. */
typedef struct Entries {
  SofaContext *ctx;
  int digits;
  SofaText *out; /* NULL: count */
  size_t n;
} Entries;

static SofaErr append_block(Entries *e, const SofaBlockRows *a, size_t i, size_t k) {
  const double *v = sofa_block_values(a, k);
  const size_t j = a->column[k];
  for (size_t r = a->row_scalar[i]; r < a->row_scalar[i + 1]; r++) {
    for (size_t c = a->column_scalar[j]; c < a->column_scalar[j + 1]; c++, v++) {
      if (*v == 0) continue;
      e->n++;
      if (!e->out) continue;
      SOFA_TRY(sofa_text_printf(e->ctx, e->out, "%zu %zu ", r + 1, c + 1));
      SOFA_TRY(sofa_text_real(e->ctx, e->out, *v, e->digits));
      SOFA_TRY(sofa_text_append(e->ctx, e->out, "\n", 1));
    }
  }
  return SOFA_OK;
}

static SofaErr append_entries(Entries *e, const SofaBlockRows *a) {
  for (size_t i = 0; i < a->n_rows; i++)
    for (size_t k = a->start[i]; k < a->start[i + 1]; k++) SOFA_TRY(append_block(e, a, i, k));
  return SOFA_OK;
}

SofaErr sofa_matrix_text_market(SofaContext *ctx, const SofaBlockRows *a, int digits,
                                SofaText *out) {
  Entries count = {.ctx = ctx}, all = {.ctx = ctx, .digits = digits, .out = out};
  SOFA_TRY(append_entries(&count, a));
  SOFA_TRY(sofa_text_printf(ctx, out,
                            "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n",
                            a->n_scalar_rows, a->n_scalar_columns, count.n));
  return append_entries(&all, a);
}
