/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BTDLinearSolver: direct solution of block tridiagonal systems with blocks of 6 x 6, such as
 * chains of frames give. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "numerics/krylov/assembled.h"
#include "numerics/krylov/work_vector.h"
#include "object/checkpoint.h"

enum { QUIRK_BTD_DROPPED_ENTRIES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_BTD_DROPPED_ENTRIES, "btd-dropped-entries",
     "BTDLinearSolver drops entries beyond the next block instead of refusing the matrix",
     "test_direct_solvers.tridiagonal"},
};

enum { B = 6, BB = B * B };

typedef struct BTDLinearSolver {
  SofaLinearSolver solver;
  bool verbose, show_problem, subpart, verification;
  SofaReals alpha, lower, upper; /* 36 reals per block row, row major: the inverse of alpha_i; B_i;
                                    lambda_i = alpha_i^-1 C_i */
  SofaReals side, solution;      /* of a row of constraints */
  const SofaBlockMatrix *matrix;
  uint64_t value_version, checked_version; /* of the factor and of the pattern; 0: none */
} BTDLinearSolver;

static const SofaField fields[] = {
    SOFA_FIELD(BTDLinearSolver, verbose, "verbose", "0", "", "no effect on the result",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(BTDLinearSolver, show_problem, "showProblem", "0", "", "no effect on the result",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(BTDLinearSolver, subpart, "subpartSolve", "0", "",
               "no effect: constraints always solve only the part that they need",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(BTDLinearSolver, verification, "verification", "0", "", "no effect on the result",
               .flags = SOFA_FIELD_NO_EFFECT),
};

static void destroy(SofaObject *object) {
  BTDLinearSolver *s = (BTDLinearSolver *)object;
  sofa_list_free(object->ctx, &s->alpha);
  sofa_list_free(object->ctx, &s->lower);
  sofa_list_free(object->ctx, &s->upper);
  sofa_list_free(object->ctx, &s->side);
  sofa_list_free(object->ctx, &s->solution);
}

/* ---- blocks of 6 x 6 ---- */

/* c -= a b */
static void subtract_product(const double *restrict a, const double *restrict b,
                             double *restrict c) {
  for (int i = 0; i < B; i++) {
    double row[B];
    memcpy(row, c + B * i, sizeof row);
    for (int k = 0; k < B; k++)
      for (int j = 0; j < B; j++) row[j] -= a[B * i + k] * b[B * k + j];
    memcpy(c + B * i, row, sizeof row);
  }
}

/* y -= a x */
static void subtract_image(const double *restrict a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < B; i++) {
    double sum = y[i];
    for (int j = 0; j < B; j++) sum -= a[B * i + j] * x[j];
    y[i] = sum;
  }
}

static void swap_rows(double *a, int i, int k) {
  for (int j = 0; j < B && i != k; j++) {
    const double kept = a[B * i + j];
    a[B * i + j] = a[B * k + j];
    a[B * k + j] = kept;
  }
}

/* a becomes its inverse, by elimination with partial pivoting. Returns the column without pivot, or
 * B; a pivot that is all rounding beside `size` of its column is none. */
static int invert(double *a, const double *size) {
  double m[BB], inverse[BB] = {0};
  memcpy(m, a, sizeof m);
  for (int i = 0; i < B; i++) inverse[(B + 1) * i] = 1;
  for (int k = 0; k < B; k++) {
    int pivot = k;
    for (int i = k + 1; i < B; i++)
      if (fabs(m[B * i + k]) > fabs(m[B * pivot + k])) pivot = i;
    if (fabs(m[B * pivot + k]) <= 8 * DBL_EPSILON * size[k]) return k;
    swap_rows(m, k, pivot);
    swap_rows(inverse, k, pivot);
    const double d = 1 / m[(B + 1) * k];
    for (int j = 0; j < B; j++) m[B * k + j] *= d, inverse[B * k + j] *= d;
    for (int i = 0; i < B; i++) {
      const double f = m[B * i + k];
      if (i == k || f == 0) continue;
      for (int j = 0; j < B; j++) {
        m[B * i + j] -= f * m[B * k + j];
        inverse[B * i + j] -= f * inverse[B * k + j];
      }
    }
  }
  memcpy(a, inverse, sizeof inverse);
  return B;
}

/* ---- factorization ---- */

/* Are all entries of a block of the matrix in the band? */
static bool is_in_band(const SofaBlockRows *rows, size_t i, size_t j) {
  const size_t row = rows->row_scalar[i] / B, last_row = (rows->row_scalar[i + 1] - 1) / B;
  const size_t column = rows->column_scalar[j] / B;
  const size_t last_column = (rows->column_scalar[j + 1] - 1) / B;
  return last_row <= column + 1 && last_column <= row + 1;
}

/* The first entry beyond the next block that is not zero. */
static bool find_outside(const SofaBlockRows *rows, size_t *row, size_t *column) {
  for (size_t i = 0; i < rows->n_rows; i++) {
    for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const double *v = sofa_block_values(rows, k);
      const size_t j = rows->column[k];
      if (is_in_band(rows, i, j)) continue;
      for (*row = rows->row_scalar[i]; *row < rows->row_scalar[i + 1]; ++*row)
        for (*column = rows->column_scalar[j]; *column < rows->column_scalar[j + 1]; ++*column)
          if (*v++ != 0 && (*row / B > *column / B + 1 || *column / B > *row / B + 1)) return true;
    }
  }
  return false;
}

/* SOFA drops what does not fit and solves another system. */
static SofaErr check_band(BTDLinearSolver *s, const SofaBlockRows *rows) {
  const SofaObject *object = &s->solver.object;
  size_t row = 0, column = 0;
  if (!find_outside(rows, &row, &column)) return SOFA_OK;
  if (!sofa_quirk(object, QUIRK_BTD_DROPPED_ENTRIES))
    return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                            "the matrix is not block tridiagonal: entry (%zu, %zu) is beyond the "
                            "next block of 6; use a sparse solver such as SparseLDLSolver",
                            row, column);
  if (s->checked_version != rows->pattern_version)
    sofa_object_message(object, SOFA_WARNING,
                        "entries beyond the next block of 6, such as (%zu, %zu), are dropped", row,
                        column);
  s->checked_version = rows->pattern_version;
  return SOFA_OK;
}

static SofaErr make_room(BTDLinearSolver *s, size_t n_blocks) {
  SofaContext *ctx = s->solver.object.ctx;
  SOFA_TRY(work_vector(ctx, n_blocks * BB, &s->alpha));
  SOFA_TRY(work_vector(ctx, n_blocks * BB, &s->lower));
  return work_vector(ctx, n_blocks * BB, &s->upper);
}

/* alpha_i = A_i - B_i lambda_{i-1}, lambda_i = alpha_i^-1 C_i */
static SofaErr factorise(BTDLinearSolver *s, const SofaBlockMatrix *matrix,
                         const SofaBlockRows *rows) {
  const size_t n_blocks = (rows->n_scalar_rows + B - 1) / B;
  s->value_version = 0;
  SOFA_TRY(check_band(s, rows));
  SOFA_TRY(make_room(s, n_blocks));
  sofa_assembled_band(rows, B, 0, s->alpha.data);
  sofa_assembled_band(rows, B, -1, s->lower.data);
  sofa_assembled_band(rows, B, 1, s->upper.data);
  for (size_t i = 0; i < n_blocks; i++) {
    double *alpha = s->alpha.data + BB * i, *lambda = s->upper.data + BB * i, c[BB], size[B] = {0};
    for (int k = 0; k < BB; k++) size[k % B] = fmax(size[k % B], fabs(alpha[k]));
    if (i > 0) subtract_product(s->lower.data + BB * i, lambda - BB, alpha);
    const int pivot = invert(alpha, size);
    if (pivot < B)
      return sofa_linear_solver_fail_at(&s->solver, SOFA_ERR_SINGULAR, B * i + (size_t)pivot,
                                        "the matrix is singular: pivot 0 to rounding");
    for (int k = 0; k < BB; k++) c[k] = -lambda[k];
    memset(lambda, 0, sizeof c);
    subtract_product(alpha, c, lambda);
  }
  s->matrix = matrix;
  s->value_version = rows->value_version;
  return SOFA_OK;
}

/* ---- solution ---- */

/* Blocks with a part in a solution. */
typedef struct Part {
  size_t first, last;
} Part;

/* Reals of block i within n. */
static size_t part(size_t n, size_t i) {
  return n - B * i < B ? n - B * i : B;
}

/* x from block `last` on, for a right-hand side that is 0 before block `first`. */
static void solve_part(const BTDLinearSolver *s, size_t n, const Part *p, const double *b,
                       double *x) {
  const size_t n_blocks = (n + B - 1) / B;
  double before[B] = {0}, after[B] = {0};
  for (size_t i = p->last; i < p->first; i++) sofa_zero(x + B * i, part(n, i) * sizeof *x);
  for (size_t i = p->first; i < n_blocks; i++) {
    double side[B] = {0}, here[B] = {0};
    for (size_t r = 0; r < part(n, i); r++) side[r] = -b[B * i + r];
    for (int r = 0; r < B; r++) before[r] = -before[r];
    if (i > p->first) subtract_image(s->lower.data + BB * i, before, side);
    subtract_image(s->alpha.data + BB * i, side, here);
    sofa_copy(x + B * i, here, part(n, i) * sizeof *x);
    memcpy(before, here, sizeof before);
  }
  for (size_t i = n_blocks; i-- > p->last;) {
    double here[B] = {0};
    sofa_copy(here, x + B * i, part(n, i) * sizeof *x);
    if (i + 1 < n_blocks) subtract_image(s->upper.data + BB * i, after, here);
    sofa_copy(x + B * i, here, part(n, i) * sizeof *x);
    memcpy(after, here, sizeof after);
  }
}

static SofaErr prepare(BTDLinearSolver *s, size_t *n) {
  const SofaBlockMatrix *matrix = NULL;
  SofaBlockRows rows;
  SOFA_TRY(sofa_assembled_rows(&s->solver, &matrix, &rows));
  *n = rows.n_scalar_rows;
  if (s->matrix == matrix && s->value_version == rows.value_version) return SOFA_OK;
  return factorise(s, matrix, &rows);
}

static SofaErr solve_many(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  BTDLinearSolver *s = (BTDLinearSolver *)solver;
  const SofaBlockMatrix *matrix = NULL;
  const Part all = {0, 0};
  SofaBlockRows rows;
  size_t size = 0;
  SOFA_TRY(prepare(s, &size));
  for (size_t k = 0; k < n; k++) solve_part(s, size, &all, b + k * size, x + k * size);
  SOFA_TRY(sofa_assembled_rows(solver, &matrix, &rows));
  return sofa_assembled_check_solutions(solver, &rows, n, b, x);
}

/* ---- between sparse rows ---- */

static size_t first_block(const SofaSparseRows *j, size_t row, size_t least) {
  for (uint32_t k = j->start[row]; k < j->start[row + 1]; k++)
    if (j->column[k] / B < least) least = j->column[k] / B;
  return least;
}

static size_t number_of(const SofaSparseRows *j, size_t row) {
  return j->number ? j->number[row] : row;
}

/* column += factor J x */
static void add_column(const SofaSparseRows *j, double factor, const double *x, double *column) {
  for (size_t i = 0; i < j->n_rows; i++) {
    double sum = 0;
    for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++) sum += j->value[k] * x[j->column[k]];
    if (j->start[i] < j->start[i + 1]) column[number_of(j, i)] += factor * sum;
  }
}

/* The elimination begins where a row of J does, the substitution ends where the first one does. */
static SofaErr add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j, double factor,
                           size_t ld, double *w) {
  BTDLinearSolver *s = (BTDLinearSolver *)solver;
  size_t n = 0;
  SOFA_TRY(prepare(s, &n));
  SOFA_TRY(work_vector(solver->object.ctx, n, &s->side));
  SOFA_TRY(work_vector(solver->object.ctx, n, &s->solution));
  const size_t n_blocks = (n + B - 1) / B;
  Part p = {0, n_blocks};
  for (size_t i = 0; i < j->n_rows; i++) p.last = first_block(j, i, p.last);
  for (size_t i = 0; i < n; i++) s->side.data[i] = 0;
  for (size_t row = 0; row < j->n_rows; row++) {
    const uint32_t start = j->start[row], end = j->start[row + 1];
    p.first = first_block(j, row, n_blocks);
    if (start == end) continue;
    for (uint32_t k = start; k < end; k++) s->side.data[j->column[k]] += j->value[k];
    solve_part(s, n, &p, s->side.data, s->solution.data);
    for (uint32_t k = start; k < end; k++) s->side.data[j->column[k]] = 0;
    add_column(j, factor, s->solution.data, w + ld * number_of(j, row));
  }
  return SOFA_OK;
}

static const SofaLinearSolverOps ops = {
    .solve = sofa_linear_solver_solve_one, .solve_many = solve_many, .add_jainvjt = add_jainvjt};

static const char *const templates[] = {"BTDMatrix6d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(BTDLinearSolver, alpha),         SOFA_REMADE(BTDLinearSolver, lower),
    SOFA_REMADE(BTDLinearSolver, matrix),        SOFA_REMADE(BTDLinearSolver, upper),
    SOFA_REMADE(BTDLinearSolver, value_version),
};

SOFA_CLASS(BTDLinearSolver) = {
    SOFA_NAMED(BTDLinearSolver),
    .module = "Sofa.Component.LinearSolver.Direct",
    .category = "LinearSolver",
    .help = "Direct solution of block tridiagonal systems with blocks of 6 x 6, by elimination "
            "along the chain; for beams whose frames are numbered in order.",
    .equations = "A_{i,i-1} x_{i-1} + A_{ii} x_i + A_{i,i+1} x_{i+1} = b_i",
    .base = &sofa_linear_solver_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_LINEAR_SOLVER, &ops}),
};
