/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J A^-1 J^T by direct solvers, which reach only a part of their factor for each row of J: all
 * kinds of factors, more rows than go through a factor together. */
#include "solver_bench.h"

#include "numerics/direct/cholmod_solver.h"
#include "numerics/direct/gpl_parts.h"

#define SCALARS "CompressedRowSparseMatrixd"
#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { ROWS = 250, LD = 260, ENTRIES = 4 };

typedef struct Row {
  const char *what, *name, *template_name;
  uint32_t n; /* blocks of 3 */
  Shape shape;
  bool supernodal, factored;
} Row;

static const Row table[] = {
    {"supernodal",
     "SparseLDLSolver",
     SCALARS,
     150,
     {.reach = 6, .far = 37, .diagonal = 60},
     true,
     true},
    {"supernodal", "CholmodSupernodalLLT", SCALARS, 90, {.reach = 2, .diagonal = 20}, true, true},
    {"simplicial L D L^T",
     "SparseLDLSolver",
     SCALARS,
     120,
     {.reach = 1, .diagonal = 12},
     false,
     true},
    {"simplicial L D L^T",
     "EigenSimplicialLDLT",
     SCALARS,
     99,
     {.reach = 1, .diagonal = 9},
     false,
     true},
    {"simplicial L L^T",
     "EigenSimplicialLLT",
     SCALARS,
     120,
     {.reach = 1, .diagonal = 12},
     false,
     true},
    {"simplicial, diagonal", "EigenSimplicialLLT", SCALARS, 70, {.diagonal = 5}, false, true},
    {"indefinite",
     "SparseLDLSolver",
     SCALARS,
     60,
     {.reach = 6, .far = 37, .diagonal = 60, .alternate = true},
     false,
     false},
    {"chain", "BTDLinearSolver", "BTDMatrix6d", 61, {.reach = 1, .diagonal = 12}, false, false},
};

/* Rows with up to four entries anywhere; some rows are empty, some alike. */
typedef struct Constraints {
  uint32_t start[ROWS + 1], column[ENTRIES * ROWS], number[ROWS];
  double value[ENTRIES * ROWS];
  SofaSparseRows rows;
} Constraints;

static void make_constraints(Constraints *c, size_t n) {
  uint64_t seed = 5;
  uint32_t k = 0;
  for (uint32_t i = 0; i < ROWS; i++) {
    const uint32_t near = random_below(&seed, (uint32_t)n - 3);
    c->start[i] = k;
    c->number[i] = LD - 1 - i;
    for (uint32_t e = 0; e < i % (ENTRIES + 1); e++, k++) {
      c->column[k] = i % 3 == 0 ? random_below(&seed, (uint32_t)n) : near + e % 3;
      c->value[k] = random_real(&seed);
    }
  }
  c->start[ROWS] = k;
  c->rows = (SofaSparseRows){ROWS, c->start, c->column, c->value, c->number};
}

static void open_row(SolverBench *b, const Row *row, int threads, Constraints *c) {
  const SofaContextOptions options = {.threads = threads};
  bench_open_shaped(b, row->name, row->template_name, &options, NULL, row->n, row->shape);
  make_constraints(c, b->n);
}

static double *matrix_of(double value) {
  double *w = malloc(sizeof(double) * LD * LD);
  for (size_t k = 0; k < LD * LD; k++) w[k] = value;
  return w;
}

/* What solutions of the whole system give; w has what it had, plus that. */
static void equals_solutions(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    SolverBench b;
    Constraints c;
    double *w = matrix_of(0.5), *expected = matrix_of(0.5), apart = 0, size = 0;
    open_row(&b, &table[i], 1, &c);
    assert_non_null(sofa_linear_solver_ops(b.solver)->add_jainvjt);
    assert_int_equal(sofa_linear_solver_add_by_solving(b.solver, &c.rows, 0.3, LD, expected),
                     SOFA_OK);
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 0.3, LD, w), SOFA_OK);
    for (size_t k = 0; k < LD * LD; k++) {
      apart = fmax(apart, fabs(w[k] - expected[k]));
      size = fmax(size, fabs(expected[k] - 0.5));
    }
    if (!(apart <= 1e-14 * size + 1e-15))
      fail_msg("%s, %s: %g apart of %g", table[i].name, table[i].what, apart, size);
    if (strcmp(table[i].name, "BTDLinearSolver") != 0) {
      const SofaCholmodLinearSolver *s = (const SofaCholmodLinearSolver *)b.solver;
      assert_int_equal(sofa_cholmod_solver_counts(s->cholmod).supernodal,
                       table[i].supernodal && sofa_has_gpl_parts());
      for (size_t r = 0; r < LD; r++)
        for (size_t s2 = 0; s2 < r; s2++) assert_true(w[r + LD * s2] == w[s2 + LD * r]);
    }
    assert_int_equal(b.n_errors, 0);
    free(w), free(expected);
    bench_close(&b);
  }
}

/* y += Y_i */
static void add_dense_row(const SofaFactoredRows *rows, size_t i, double *y) {
  for (uint32_t r = 0; r < rows->n_runs.data[i]; r++) {
    const SofaRowRun run = rows->run.data[rows->first_run.data[i] + r];
    const double *value = sofa_run_values(rows->value.data, &run, rows->place.data[i]);
    assert_true(run.column + run.n <= rows->n_columns);
    for (uint32_t k = 0; k < run.n; k++) y[run.column + k] += *value++;
  }
}

/* The factor Y of J A^-1 J^T; an indefinite matrix has none. */
static void factor_equals_product(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    SolverBench b;
    Constraints c;
    SofaFactoredRows rows = {0};
    double *w = matrix_of(0), size = 0;
    open_row(&b, &table[i], 2, &c);
    assert_int_equal(sofa_linear_solver_factor_rows(b.solver, &c.rows, &rows), SOFA_OK);
    assert_int_equal(rows.n_columns, table[i].factored ? b.n : 0);
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 1, LD, w), SOFA_OK);
    for (size_t k = 0; k < LD * LD; k++) size = fmax(size, fabs(w[k]));
    double *y = calloc(ROWS * b.n, sizeof *y);
    for (size_t k = 0; k < ROWS && rows.n_columns; k++) add_dense_row(&rows, k, y + k * b.n);
    for (size_t k = 0; k < ROWS * ROWS && rows.n_columns; k++) {
      const double *one = y + k / ROWS * b.n, *other = y + k % ROWS * b.n;
      double sum = 0;
      for (size_t column = 0; column < b.n; column++) sum += one[column] * other[column];
      const double expected = w[c.number[k / ROWS] + LD * c.number[k % ROWS]];
      assert_true(fabs(sum - expected) <= 1e-14 * size);
    }
    free(w), free(y);
    sofa_factored_rows_free(b.ctx, &rows);
    bench_close(&b);
  }
}

/* x of A x = J^T lambda, with Y^T lambda as the half that is known, or `half`. */
static void solve_known(SolverBench *b, const Constraints *c, const double *half, double *x) {
  SofaFactoredRows rows = {0};
  double *sum = calloc(b->n + 1, sizeof *sum), *side = calloc(b->n + 1, sizeof *side);
  assert_int_equal(sofa_linear_solver_factor_rows(b->solver, &c->rows, &rows), SOFA_OK);
  for (size_t i = 0; i < ROWS; i++) {
    for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++)
      side[c->column[k]] += (double)(i % 7) * c->value[k];
    for (size_t times = 0; times < i % 7 && rows.n_columns; times++) add_dense_row(&rows, i, sum);
  }
  b->solver->half = half ? half : sum;
  if (!rows.n_columns) b->solver->half = NULL;
  assert_int_equal(sofa_linear_solver_solve(b->solver, side, x), SOFA_OK);
  b->solver->half = NULL;
  free(sum), free(side);
  sofa_factored_rows_free(b->ctx, &rows);
}

/* A half of another matrix is not taken. */
static void solutions_go_on_from_their_half(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    SolverBench b;
    Constraints c;
    Shape next = table[i].shape;
    open_row(&b, &table[i], 1, &c);
    double *zero = calloc(b.n + 1, sizeof *zero), *x = calloc(3 * (b.n + 1), sizeof *x);
    double *y = x + b.n + 1, *r = y + b.n + 1, size = 0, apart = 0, left = 0;
    solve_known(&b, &c, NULL, x);
    sofa_block_matrix_multiply(b.system->matrix, x, r, 1);
    for (size_t k = 0; k < b.n; k++) size = fmax(size, fabs(r[k]));
    for (size_t row = 0; row < ROWS; row++)
      for (uint32_t k = c.start[row]; k < c.start[row + 1]; k++)
        r[c.column[k]] -= (double)(row % 7) * c.value[k];
    for (size_t k = 0; k < b.n; k++) apart = fmax(apart, fabs(r[k]));
    assert_true(size > 1 && apart <= 1e-13 * size);
    solve_known(&b, &c, zero, y);
    for (size_t k = 0; k < b.n; k++) left = fmax(left, fabs(y[k]));
    assert_int_equal(left == 0, table[i].supernodal && table[i].factored && sofa_has_gpl_parts());
    next.scale = 2;
    bench_matrix(&b, table[i].n, shaped, &next);
    b.solver->half = zero;
    left = 0;
    assert_int_equal(sofa_linear_solver_solve(b.solver, x, y), SOFA_OK);
    b.solver->half = NULL;
    for (size_t k = 0; k < b.n; k++) left = fmax(left, fabs(y[k]));
    assert_true(left > 0);
    free(zero), free(x);
    bench_close(&b);
  }
}

static void same_bits_on_any_threads(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    double *one = matrix_of(0);
    for (int threads = 1; threads <= 3; threads++) {
      SolverBench b;
      Constraints c;
      double *w = matrix_of(0);
      open_row(&b, &table[i], threads, &c);
      assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 1, LD, w), SOFA_OK);
      if (threads == 1) memcpy(one, w, sizeof(double) * LD * LD);
      assert_memory_equal(one, w, sizeof(double) * LD * LD);
      free(w);
      bench_close(&b);
    }
    free(one);
  }
}

/* Also with the next matrix, whose factor has the same pattern. */
static void warm_products_allocate_nothing(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    SolverBench b;
    Constraints c;
    double *w = matrix_of(0);
    Shape next = table[i].shape;
    open_row(&b, &table[i], 2, &c);
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 1, LD, w), SOFA_OK);
    next.scale = 2;
    bench_matrix(&b, table[i].n, shaped, &next);
    const uint64_t requests = b.ctx->n_allocations;
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 1, LD, w), SOFA_OK);
    if (b.ctx->n_allocations != requests)
      fail_msg("%s, %s: %llu allocations", table[i].name, table[i].what,
               (unsigned long long)(b.ctx->n_allocations - requests));
    free(w);
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_solutions),
      cmocka_unit_test(factor_equals_product),
      cmocka_unit_test(solutions_go_on_from_their_half),
      cmocka_unit_test(same_bits_on_any_threads),
      cmocka_unit_test(warm_products_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
