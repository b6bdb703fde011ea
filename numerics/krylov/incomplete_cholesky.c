/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incomplete factors: pattern, factorization with a shift where it needs one, substitution. */
#include "numerics/krylov/incomplete_cholesky.h"

#include <math.h>
#include "math/isa.h"

#include "numerics/krylov/assembled.h"
#include "numerics/krylov/fill.h"
#include "numerics/krylov/incomplete_kernels_impl.h"

enum { SIZE_MAX_BLOCK = 6 };

void sofa_incomplete_cholesky_free(SofaContext *ctx, SofaIncompleteCholesky *f) {
  void *lists[] = {&f->start, &f->column, &f->place, &f->a, &f->l, &f->padded};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(ctx, lists[i]);
  sofa_scalar_columns_free(ctx, &f->scalars);
}

/* ---- the lower triangle ---- */

static SofaErr take_pattern(SofaContext *ctx, SofaIncompleteCholesky *f, size_t n, size_t entries) {
  f->n = n;
  SOFA_TRY(SOFA_RESIZE(ctx, &f->start, n + 1));
  return SOFA_RESIZE(ctx, &f->column, entries);
}

static SofaErr pattern_of_blocks(SofaContext *ctx, SofaIncompleteCholesky *f,
                                 const SofaBlockRows *rows) {
  size_t entries = 0;
  for (size_t i = 0; i < rows->n_rows; i++) entries += rows->diagonal[i] + 1 - rows->start[i];
  f->size = rows->uniform;
  SOFA_TRY(take_pattern(ctx, f, rows->n_rows, entries));
  entries = 0;
  for (size_t i = 0; i < rows->n_rows; i++) {
    f->start.data[i] = (uint32_t)entries;
    for (uint32_t k = rows->start[i]; k <= rows->diagonal[i]; k++)
      f->column.data[entries++] = rows->column[k];
  }
  f->start.data[f->n] = (uint32_t)entries;
  return SOFA_OK;
}

/* The columns of the upper triangle are the rows of the lower one. */
static SofaErr pattern_of_scalars(SofaContext *ctx, SofaIncompleteCholesky *f,
                                  const SofaBlockMatrix *matrix) {
  SofaScalarColumns *c = &f->scalars;
  SOFA_TRY(sofa_scalar_columns_build(ctx, matrix, SOFA_COLUMNS_UPPER, NULL, NULL, c));
  f->size = 1;
  SOFA_TRY(take_pattern(ctx, f, c->n, c->n_entries));
  for (size_t i = 0; i <= c->n; i++) f->start.data[i] = (uint32_t)c->start[i];
  for (size_t k = 0; k < c->n_entries; k++) f->column.data[k] = (uint32_t)c->row[k];
  return SOFA_OK;
}

static SofaTriangle3Solve *kernel_of(const SofaContext *ctx) {
  static SofaTriangle3Solve *const variants[] = SOFA_VARIANTS(sofa_triangle3_solve);
  return variants[sofa_isa(ctx)];
}

static SofaErr make_room(SofaContext *ctx, SofaIncompleteCholesky *f) {
  const size_t square = (size_t)f->size * f->size;
  f->a.n = 0; /* entries of fill are 0 */
  SOFA_TRY(SOFA_RESIZE(ctx, &f->a, f->column.n * square));
  SOFA_TRY(SOFA_RESERVE(ctx, &f->l, f->column.n * square + 1)); /* the kernel reads one more */
  SOFA_TRY(SOFA_RESIZE(ctx, &f->l, f->column.n * square));
  f->solve = kernel_of(ctx);
  return f->size == 3 ? SOFA_RESIZE(ctx, &f->padded, 4 * f->n) : SOFA_OK;
}

static SofaErr make_pattern(const SofaLinearSolver *owner, SofaIncompleteCholesky *f,
                            const SofaBlockMatrix *matrix, const SofaBlockRows *rows) {
  SofaContext *ctx = owner->object.ctx;
  const bool blocks = f->by_blocks && rows->uniform && !f->any_sign;
  SOFA_TRY(blocks ? pattern_of_blocks(ctx, f, rows) : pattern_of_scalars(ctx, f, matrix));
  SofaErr err = SOFA_OK;
  if (f->level > 0) err = sofa_fill_lower_triangle(ctx, f->level, &f->start, &f->column, &f->place);
  if (err == SOFA_ERR_RANGE)
    return sofa_object_fail(&owner->object, err,
                            "level of fill %u: the factor has too many entries", f->level);
  SOFA_TRY(err);
  SOFA_TRY(make_room(ctx, f));
  if (owner->object.print_log)
    sofa_object_message(&owner->object, SOFA_INFO,
                        "incomplete factor of %zu rows with %zu entries by blocks of %u", f->n,
                        f->column.n, f->size);
  return SOFA_OK;
}

/* n blocks of the matrix from number `first` on to their places; those of fill stay 0. */
static void put(SofaIncompleteCholesky *f, size_t first, size_t n, const double *values) {
  const size_t square = (size_t)f->size * f->size;
  if (f->level == 0) {
    sofa_copy(f->a.data + square * first, values, square * n * sizeof *values);
    return;
  }
  for (size_t k = 0; k < n; k++)
    sofa_copy(f->a.data + square * f->place.data[first + k], values + square * k,
              square * sizeof *values);
}

static void fetch(SofaIncompleteCholesky *f, const SofaBlockMatrix *matrix,
                  const SofaBlockRows *rows) {
  if (f->scalars.n == f->n && f->size == 1) {
    sofa_scalar_columns_refresh(matrix, 1, &f->scalars);
    put(f, 0, f->scalars.n_entries, f->scalars.value);
    return;
  }
  size_t first = 0;
  for (size_t i = 0; i < f->n; i++) {
    const size_t n = rows->diagonal[i] + 1 - rows->start[i];
    put(f, first, n, sofa_block_values(rows, rows->start[i]));
    first += n;
  }
}

/* ---- the factor ---- */

/* c -= a b^T for blocks of size s */
static inline void subtract_product(unsigned s, const double *a, const double *b, double *c) {
  for (unsigned i = 0; i < s; i++) {
    for (unsigned j = 0; j < s; j++) {
      double sum = 0;
      for (unsigned k = 0; k < s; k++) sum += a[i * s + k] * b[j * s + k];
      c[i * s + j] -= sum;
    }
  }
}

/* c = c u^T, u lower triangular, in place */
static inline void times_transposed(unsigned s, const double *u, double *c) {
  for (unsigned i = 0; i < s; i++) {
    for (unsigned j = s; j-- > 0;) {
      double sum = 0;
      for (unsigned k = 0; k <= j; k++) sum += c[i * s + k] * u[j * s + k];
      c[i * s + j] = sum;
    }
  }
}

/* c = (lower triangle G with c = G G^T)^-1, in place. A pivot must keep something of its diagonal
 * in the matrix. False: it does not, *row tells which. */
static bool invert_triangle(unsigned s, const double *diagonal, double *c, unsigned *row) {
  double g[SIZE_MAX_BLOCK * SIZE_MAX_BLOCK] = {0};
  for (unsigned i = 0; i < s; i++) {
    for (unsigned j = 0; j <= i; j++) {
      double sum = c[i * s + j];
      for (unsigned k = 0; k < j; k++) sum -= g[i * s + k] * g[j * s + k];
      *row = i;
      if (i == j && !(sum > 1e-8 * diagonal[i * (s + 1)] && sum > 0)) return false;
      g[i * s + j] = i == j ? sqrt(sum) : sum / g[j * (s + 1)];
    }
  }
  sofa_zero(c, (size_t)s * s * sizeof *c);
  for (unsigned j = 0; j < s; j++) {
    for (unsigned i = j; i < s; i++) {
      double sum = i == j;
      for (unsigned k = j; k < i; k++) sum -= g[i * s + k] * c[k * s + j];
      c[i * s + j] = sum / g[i * (s + 1)];
    }
  }
  return true;
}

/* Row i of the factor: L_ik = (A_ik - sum_j L_ij L_kj^T) L_kk^-T over the columns j < k that rows i
 * and k have in common. */
static inline bool factor_row(SofaIncompleteCholesky *f, unsigned s, size_t i, double shift,
                              unsigned *row) {
  const size_t square = (size_t)s * s;
  const uint32_t *start = f->start.data, *column = f->column.data;
  const uint32_t begin = start[i], end = start[i + 1] - 1;
  double *l = f->l.data;
  sofa_copy(l + square * begin, f->a.data + square * begin, square * (end + 1 - begin) * sizeof *l);
  for (uint32_t k = begin; k <= end; k++) {
    const uint32_t other = start[column[k]], last = start[column[k] + 1] - 1;
    double *to = l + square * k;
    for (uint32_t u = begin, v = other; u < k && v < last;) {
      if (column[u] == column[v]) {
        subtract_product(s, l + square * u, l + square * v, to);
        u++, v++;
      } else if (column[u] < column[v]) {
        u++;
      } else {
        v++;
      }
    }
    if (k < end) times_transposed(s, l + square * last, to);
  }
  const double *diagonal = f->a.data + square * end;
  double *to = l + square * end;
  for (unsigned r = 0; r < s; r++) to[r * (s + 1)] += shift * fabs(diagonal[r * (s + 1)]);
  return invert_triangle(s, diagonal, to, row);
}

/* Row i of L D L^T, as long as it is in the making times D; then L_ik = ((L D)_ik) / D_k. */
static bool factor_row_of_any_sign(SofaIncompleteCholesky *f, size_t i, double shift) {
  const uint32_t *start = f->start.data, *column = f->column.data;
  const uint32_t begin = start[i], end = start[i + 1] - 1;
  double *l = f->l.data;
  sofa_copy(l + begin, f->a.data + begin, (end + 1 - begin) * sizeof *l);
  for (uint32_t k = begin; k < end; k++) {
    const uint32_t last = start[column[k] + 1] - 1;
    for (uint32_t u = begin, v = start[column[k]]; u < k && v < last;) {
      if (column[u] == column[v]) l[k] -= l[u++] * l[v++];
      else if (column[u] < column[v]) u++;
      else v++;
    }
  }
  double d = l[end] + shift * fabs(l[end]);
  for (uint32_t k = begin; k < end; k++) {
    const double scaled = l[k] * l[start[column[k] + 1] - 1];
    d -= scaled * l[k];
    l[k] = scaled;
  }
  if (!(fabs(d) > 1e-14 * fabs(f->a.data[end])) || d == 0) return false;
  l[end] = 1 / d;
  return true;
}

/* *bad: scalar row of the first pivot that is not positive, when false. */
static bool factor_with(SofaIncompleteCholesky *f, double shift, size_t *bad) {
  unsigned row = 0;
  for (size_t i = 0; i < f->n; i++) {
    const bool fine = f->any_sign    ? factor_row_of_any_sign(f, i, shift)
                      : f->size == 3 ? factor_row(f, 3, i, shift, &row)
                      : f->size == 1 ? factor_row(f, 1, i, shift, &row)
                                     : factor_row(f, f->size, i, shift, &row);
    if (fine) continue;
    *bad = i * f->size + row;
    return false;
  }
  return true;
}

static SofaErr factorise(const SofaLinearSolver *owner, SofaIncompleteCholesky *f,
                         const SofaBlockMatrix *matrix, const SofaBlockRows *rows) {
  const bool same = f->matrix == matrix && f->pattern_version == rows->pattern_version;
  size_t bad = 0;
  f->value_version = 0;
  if (!same) {
    f->matrix = NULL;
    SOFA_TRY(make_pattern(owner, f, matrix, rows));
    f->matrix = matrix;
    f->pattern_version = rows->pattern_version;
  }
  fetch(f, matrix, rows);
  SOFA_TRY(sofa_assembled_check_finite(owner, rows));

  /* beyond ten times the diagonal it is not a matter of dropped entries */
  f->shift = 0;
  while (!factor_with(f, f->shift, &bad)) {
    f->shift = f->shift > 0 ? 2 * f->shift : f->first_shift;
    if (f->shift > 10)
      return sofa_linear_solver_fail_at(
          owner, SOFA_ERR_SINGULAR, bad,
          f->any_sign ? "the incomplete factor has a pivot of 0 that no shift of the diagonal helps"
                      : "the matrix is not positive definite: no shift of the diagonal makes the "
                        "pivots positive, the first one");
  }
  if (f->shift > 0 && owner->object.print_log)
    sofa_object_message(&owner->object, SOFA_INFO, "pivots %s with a shift of %g",
                        f->any_sign ? "not 0" : "positive", f->shift);
  f->value_version = rows->value_version;
  return SOFA_OK;
}

SofaErr sofa_incomplete_cholesky_update(const SofaLinearSolver *owner, SofaIncompleteCholesky *f,
                                        SofaBlockRows *rows, bool *anew) {
  const SofaBlockMatrix *matrix = NULL;
  SOFA_TRY(sofa_assembled_rows(owner, &matrix, rows));
  *anew = f->matrix != matrix || f->value_version != rows->value_version;
  return *anew ? factorise(owner, f, matrix, rows) : SOFA_OK;
}

/* ---- solution ---- */

/* L y = b, then L^T x = y, in place. */
static inline void substitute(const SofaIncompleteCholesky *f, unsigned s, double *x) {
  const size_t square = (size_t)s * s;
  const uint32_t *start = f->start.data, *column = f->column.data;
  double sum[SIZE_MAX_BLOCK];
  for (size_t i = 0; i < f->n; i++) {
    const double *l = f->l.data + square * start[i];
    sofa_copy(sum, x + s * i, s * sizeof *sum);
    for (uint32_t k = start[i]; k < start[i + 1] - 1; k++, l += square)
      for (unsigned r = 0; r < s; r++)
        for (unsigned c = 0; c < s; c++) sum[r] -= l[r * s + c] * x[s * column[k] + c];
    for (unsigned r = 0; r < s; r++) {
      x[s * i + r] = 0;
      for (unsigned c = 0; c <= r; c++) x[s * i + r] += l[r * s + c] * sum[c];
    }
  }
  for (size_t i = f->n; i-- > 0;) {
    const uint32_t end = start[i + 1] - 1;
    const double *l = f->l.data + square * end;
    sofa_copy(sum, x + s * i, s * sizeof *sum);
    for (unsigned c = 0; c < s; c++) {
      x[s * i + c] = 0;
      for (unsigned r = c; r < s; r++) x[s * i + c] += l[r * s + c] * sum[r];
    }
    for (uint32_t k = end; k-- > start[i];) {
      l = f->l.data + square * k;
      for (unsigned r = 0; r < s; r++)
        for (unsigned c = 0; c < s; c++) x[s * column[k] + c] -= l[r * s + c] * x[s * i + r];
    }
  }
}

/* L y = b, z = D^-1 y, L^T x = z, in place. */
static void substitute_any_sign(const SofaIncompleteCholesky *f, double *x) {
  const uint32_t *start = f->start.data, *column = f->column.data;
  const double *l = f->l.data;
  for (size_t i = 0; i < f->n; i++) {
    double sum = x[i];
    for (uint32_t k = start[i]; k < start[i + 1] - 1; k++) sum -= l[k] * x[column[k]];
    x[i] = sum;
  }
  for (size_t i = 0; i < f->n; i++) x[i] *= l[start[i + 1] - 1];
  for (size_t i = f->n; i-- > 0;)
    for (uint32_t k = start[i]; k < start[i + 1] - 1; k++) x[column[k]] -= l[k] * x[i];
}

static void substitute_3(const SofaIncompleteCholesky *f, double *x) {
  const SofaTriangle3 t = {f->n, f->start.data, f->column.data, f->l.data};
  double *to = f->padded.data;
  for (size_t i = 0; i < f->n; i++, to += 4)
    to[0] = x[3 * i], to[1] = x[3 * i + 1], to[2] = x[3 * i + 2], to[3] = 0;
  f->solve(&t, f->padded.data);
  to = f->padded.data;
  for (size_t i = 0; i < f->n; i++, to += 4)
    x[3 * i] = to[0], x[3 * i + 1] = to[1], x[3 * i + 2] = to[2];
}

void sofa_incomplete_cholesky_apply(const SofaIncompleteCholesky *f, double *x) {
  if (f->any_sign) substitute_any_sign(f, x);
  else if (f->size == 3) substitute_3(f, x);
  else if (f->size == 1) substitute(f, 1, x);
  else substitute(f, f->size, x);
}
