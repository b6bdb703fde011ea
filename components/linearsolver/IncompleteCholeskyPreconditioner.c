/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IncompleteCholeskyPreconditioner: L L^T with the pattern of the matrix, by points or by scalars
 * (Meijerink and van der Vorst, 1977; the shift: Manteuffel, An incomplete factorization technique
 * for positive definite linear systems, Math. Comp. 34, 1980). */
#include <math.h>
#include <string.h>

#include "components/linearsolver/assembled.h"
#include "components/linearsolver/work_vector.h"
#include "math/scalar_columns.h"

enum { SIZE_MAX_BLOCK = 6 };

typedef struct IncompleteCholesky {
  SofaLinearSolver solver;
  bool by_blocks;
  double first_shift, shift; /* relative to the diagonal; the second one is that of the factor */
  unsigned size;             /* of a block of the factor: 1, or that of the matrix */
  size_t n;                  /* rows of blocks */
  SofaIndices start, column; /* rows of the lower triangle, columns ascending, diagonal last */
  SofaReals a, l;            /* blocks, row major: the matrix's, the factor's; on the diagonal of l
                                the inverse of the triangular block */
  SofaScalarColumns scalars; /* the matrix, when by scalars */
  const SofaBlockMatrix *matrix;
  uint64_t pattern_version, value_version; /* of the matrix; 0: none */
} IncompleteCholesky;

static const SofaField fields[] = {
    SOFA_FIELD(
        IncompleteCholesky, by_blocks, "block", "1", "",
        "factorise whole blocks of points, where all are of one size; off: number by number, "
        "which is slower and gives the same factor to rounding"),
    SOFA_FIELD(IncompleteCholesky, first_shift, "firstShift", "0.001", "1",
               "added to the diagonal, relative to it, when a pivot is not positive, then doubled "
               "until all are; > 0"),
    SOFA_FIELD(IncompleteCholesky, shift, "shift", "0", "1", "shift of the last factor",
               .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr init(SofaObject *object) {
  IncompleteCholesky *p = (IncompleteCholesky *)object;
  if (p->first_shift > 0) return SOFA_OK;
  const SofaErr err = sofa_field_fail(object, "firstShift", SOFA_ERR_RANGE,
                                      "%g, must be greater than 0", p->first_shift);
  p->first_shift = 1e-3;
  return object->ctx->keep_going ? SOFA_OK : err;
}

static void destroy(SofaObject *object) {
  IncompleteCholesky *p = (IncompleteCholesky *)object;
  void *lists[] = {&p->start, &p->column, &p->a, &p->l};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(object->ctx, lists[i]);
  sofa_scalar_columns_free(object->ctx, &p->scalars);
}

/* ---- the lower triangle ---- */

static SofaErr take_pattern(IncompleteCholesky *p, size_t n, size_t entries) {
  SofaContext *ctx = p->solver.object.ctx;
  const size_t square = (size_t)p->size * p->size;
  p->n = n;
  SOFA_TRY(SOFA_RESIZE(ctx, &p->start, n + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &p->column, entries));
  SOFA_TRY(SOFA_RESIZE(ctx, &p->a, entries * square));
  return SOFA_RESIZE(ctx, &p->l, entries * square);
}

static SofaErr pattern_of_blocks(IncompleteCholesky *p, const SofaBlockRows *rows) {
  size_t entries = 0;
  for (size_t i = 0; i < rows->n_rows; i++) entries += rows->diagonal[i] + 1 - rows->start[i];
  p->size = rows->uniform;
  SOFA_TRY(take_pattern(p, rows->n_rows, entries));
  entries = 0;
  for (size_t i = 0; i < rows->n_rows; i++) {
    p->start.data[i] = (uint32_t)entries;
    for (uint32_t k = rows->start[i]; k <= rows->diagonal[i]; k++)
      p->column.data[entries++] = rows->column[k];
  }
  p->start.data[p->n] = (uint32_t)entries;
  return SOFA_OK;
}

/* The columns of the upper triangle are the rows of the lower one. */
static SofaErr pattern_of_scalars(IncompleteCholesky *p, const SofaBlockMatrix *matrix) {
  SofaScalarColumns *c = &p->scalars;
  SOFA_TRY(
      sofa_scalar_columns_build(p->solver.object.ctx, matrix, SOFA_COLUMNS_UPPER, NULL, NULL, c));
  p->size = 1;
  SOFA_TRY(take_pattern(p, c->n, c->n_entries));
  for (size_t i = 0; i <= c->n; i++) p->start.data[i] = (uint32_t)c->start[i];
  for (size_t k = 0; k < c->n_entries; k++) p->column.data[k] = (uint32_t)c->row[k];
  return SOFA_OK;
}

static void fetch(IncompleteCholesky *p, const SofaBlockMatrix *matrix, const SofaBlockRows *rows) {
  if (p->size == 1 && rows->uniform != 1) {
    sofa_scalar_columns_refresh(matrix, 1, &p->scalars);
    memcpy(p->a.data, p->scalars.value, p->a.n * sizeof *p->a.data);
    return;
  }
  const size_t square = (size_t)p->size * p->size;
  for (size_t i = 0; i < p->n; i++)
    memcpy(p->a.data + square * p->start.data[i], sofa_block_values(rows, rows->start[i]),
           square * (p->start.data[i + 1] - p->start.data[i]) * sizeof *p->a.data);
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
  memset(c, 0, (size_t)s * s * sizeof *c);
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
static inline bool factor_row(IncompleteCholesky *p, unsigned s, size_t i, double shift,
                              unsigned *row) {
  const size_t square = (size_t)s * s;
  const uint32_t *start = p->start.data, *column = p->column.data;
  const uint32_t begin = start[i], end = start[i + 1] - 1;
  double *l = p->l.data;
  memcpy(l + square * begin, p->a.data + square * begin, square * (end + 1 - begin) * sizeof *l);
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
  const double *diagonal = p->a.data + square * end;
  double *to = l + square * end;
  for (unsigned r = 0; r < s; r++) to[r * (s + 1)] += shift * fabs(diagonal[r * (s + 1)]);
  return invert_triangle(s, diagonal, to, row);
}

/* *bad: scalar row of the first pivot that is not positive, when false. */
static bool factor_with(IncompleteCholesky *p, double shift, size_t *bad) {
  unsigned row = 0;
  for (size_t i = 0; i < p->n; i++) {
    const bool fine = p->size == 3   ? factor_row(p, 3, i, shift, &row)
                      : p->size == 1 ? factor_row(p, 1, i, shift, &row)
                                     : factor_row(p, p->size, i, shift, &row);
    if (fine) continue;
    *bad = i * p->size + row;
    return false;
  }
  return true;
}

static SofaErr factorise(IncompleteCholesky *p, const SofaBlockMatrix *matrix,
                         const SofaBlockRows *rows) {
  const bool same = p->matrix == matrix && p->pattern_version == rows->pattern_version;
  size_t bad = 0;
  p->value_version = 0;
  if (!same) {
    p->matrix = NULL;
    SOFA_TRY(p->by_blocks && rows->uniform ? pattern_of_blocks(p, rows)
                                           : pattern_of_scalars(p, matrix));
    p->matrix = matrix;
    p->pattern_version = rows->pattern_version;
  }
  fetch(p, matrix, rows);
  SOFA_TRY(assembled_check_finite(&p->solver, rows));

  /* beyond ten times the diagonal it is not a matter of dropped entries */
  p->shift = 0;
  while (!factor_with(p, p->shift, &bad)) {
    p->shift = p->shift > 0 ? 2 * p->shift : p->first_shift;
    if (p->shift > 10)
      return sofa_linear_solver_fail_at(&p->solver, SOFA_ERR_SINGULAR, bad,
                                        "the matrix is not positive definite: no shift of the "
                                        "diagonal makes the pivots positive, the first one");
  }
  if (p->shift > 0 && p->solver.object.print_log)
    sofa_object_message(&p->solver.object, SOFA_INFO, "pivots positive with a shift of %g",
                        p->shift);
  sofa_field_touch(&p->solver.object, &fields[2]);
  p->value_version = rows->value_version;
  return SOFA_OK;
}

/* ---- solution ---- */

/* L y = b, then L^T x = y, in place. */
static inline void substitute(const IncompleteCholesky *p, unsigned s, double *x) {
  const size_t square = (size_t)s * s;
  const uint32_t *start = p->start.data, *column = p->column.data;
  double sum[SIZE_MAX_BLOCK];
  for (size_t i = 0; i < p->n; i++) {
    const double *l = p->l.data + square * start[i];
    memcpy(sum, x + s * i, s * sizeof *sum);
    for (uint32_t k = start[i]; k < start[i + 1] - 1; k++, l += square)
      for (unsigned r = 0; r < s; r++)
        for (unsigned c = 0; c < s; c++) sum[r] -= l[r * s + c] * x[s * column[k] + c];
    for (unsigned r = 0; r < s; r++) {
      x[s * i + r] = 0;
      for (unsigned c = 0; c <= r; c++) x[s * i + r] += l[r * s + c] * sum[c];
    }
  }
  for (size_t i = p->n; i-- > 0;) {
    const uint32_t end = start[i + 1] - 1;
    const double *l = p->l.data + square * end;
    memcpy(sum, x + s * i, s * sizeof *sum);
    for (unsigned c = 0; c < s; c++) {
      x[s * i + c] = 0;
      for (unsigned r = c; r < s; r++) x[s * i + c] += l[r * s + c] * sum[r];
    }
    for (uint32_t k = end; k-- > start[i];) {
      l = p->l.data + square * k;
      for (unsigned r = 0; r < s; r++)
        for (unsigned c = 0; c < s; c++) x[s * column[k] + c] -= l[r * s + c] * x[s * i + r];
    }
  }
}

static SofaErr solve(SofaLinearSolver *solver, const double *b, double *x) {
  IncompleteCholesky *p = (IncompleteCholesky *)solver;
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(assembled_rows(solver, &matrix, &rows));
  if (p->matrix != matrix || p->value_version != rows.value_version)
    SOFA_TRY(factorise(p, matrix, &rows));
  memcpy(x, b, rows.n_scalar_rows * sizeof *x);
  if (p->size == 3) substitute(p, 3, x);
  else if (p->size == 1) substitute(p, 1, x);
  else substitute(p, p->size, x);
  return assembled_check_solution(solver, &rows, b, x);
}

static const SofaLinearSolverOps ops = {.solve = solve};

static const char *const templates[] = {"CompressedRowSparseMatrixd",
                                        "CompressedRowSparseMatrixMat3x3d", NULL};

const SofaClass sofa_IncompleteCholeskyPreconditioner_class = {
    .name = "IncompleteCholeskyPreconditioner",
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Preconditioner of PCGLinearSolver: L L^T without the entries outside the pattern of "
            "the matrix, by blocks or by scalars; the lower triangle is read. When a pivot is not "
            "positive the diagonal is shifted.",
    .base = &sofa_linear_solver_class,
    .size = sizeof(IncompleteCholesky),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = init,
    .destroy = destroy,
    .ops = {[SOFA_LINEAR_SOLVER] = &ops},
};
