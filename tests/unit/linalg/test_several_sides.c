/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every linear solver of csofa and of the plugin SofaCaribou with several right-hand sides, between
 * sparse rows, and what it reports. A solver without a row here fails the test. */
#include "solver_bench.h"

#include "numerics/direct/cholmod_solver.h"
#include "tests/support/gpl_parts.h"

#define SCALARS "CompressedRowSparseMatrixd"
#define FREE "GraphScattered"
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef enum Kind { DIRECT, ITERATIVE, PRECONDITIONER } Kind;

typedef struct Row {
  const char *name, *template_name;
  Kind kind;
  const char *fields[7];
} Row;

#define CARIBOU(method)                                                                            \
  {                                                                                                \
    "maximum_number_of_iterations", "500", "residual_tolerance_threshold", "1e-13",                \
        "preconditioning_method", method, NULL                                                     \
  }

/* The first fields of iterative solvers are the most iterations and the tolerance. */
static const Row table[] = {
    {"SparseLDLSolver", SCALARS, DIRECT, {NULL}},
    {"AsyncSparseLDLSolver", SCALARS, DIRECT, {NULL}},
    {"EigenSimplicialLDLT", SCALARS, DIRECT, {NULL}},
    {"EigenSimplicialLLT", SCALARS, DIRECT, {NULL}},
    {"CholmodSupernodalLLT", SCALARS, DIRECT, {NULL}},
    {"PrecomputedLinearSolver", "FullVector", DIRECT, {"use_file", "0"}},
    {"CholeskySolver", "FullMatrix", DIRECT, {NULL}},
    {"EigenSparseLU", SCALARS, DIRECT, {NULL}},
    {"EigenSparseQR", SCALARS, DIRECT, {NULL}},
    {"SVDLinearSolver", "FullMatrix", DIRECT, {NULL}},
    {"BTDLinearSolver", "BTDMatrix6d", DIRECT, {NULL}},
    {"LDLTSolver", SCALARS, DIRECT, {NULL}},
    {"LLTSolver", SCALARS, DIRECT, {NULL}},
    {"LUSolver", SCALARS, DIRECT, {NULL}},
    {"CGLinearSolver",
     FREE,
     ITERATIVE,
     {"iterations", "500", "tolerance", "1e-13", "threshold", "0"}},
    {"ParallelCGLinearSolver",
     "ParallelCompressedRowSparseMatrixMat3x3d",
     ITERATIVE,
     {"iterations", "500", "tolerance", "1e-13", "threshold", "0"}},
    {"PCGLinearSolver", FREE, ITERATIVE, {"iterations", "500", "tolerance", "1e-26"}},
    {"MinResLinearSolver", FREE, ITERATIVE, {"iterations", "500", "tolerance", "1e-14"}},
    {"ConjugateGradientSolver", FREE, ITERATIVE, CARIBOU("None")},
    {"ConjugateGradientSolver", SCALARS, ITERATIVE, CARIBOU("Diagonal")},
    {"ConjugateGradientSolver", SCALARS, ITERATIVE, CARIBOU("IncompleteCholesky")},
    {"JacobiPreconditioner", "DiagonalMatrix", PRECONDITIONER, {NULL}},
    {"BlockJacobiPreconditioner", "FullVector", PRECONDITIONER, {NULL}},
    {"SSORPreconditioner", SCALARS, PRECONDITIONER, {NULL}},
    {"IncompleteCholeskyPreconditioner", SCALARS, PRECONDITIONER, {NULL}},
    {"AggregationMultigridPreconditioner", SCALARS, PRECONDITIONER, {"coarsestSize", "6"}},
    {"PrecomputedWarpPreconditioner", SCALARS, PRECONDITIONER, {"use_file", "0"}},
};

/* needs another linear solver, which solves for it one after the other */
static const char *const delegates[] = {"WarpPreconditioner"};

static void every_solver(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(&(SofaContextOptions){0}, &ctx), SOFA_OK);
  bench_register(ctx);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    bool found = false;
    if (klass->abstract || !sofa_class_ops(klass, SOFA_LINEAR_SOLVER)) continue;
    for (size_t k = 0; k < COUNT(table); k++) found |= !strcmp(table[k].name, klass->name);
    for (size_t k = 0; k < COUNT(delegates); k++) found |= !strcmp(delegates[k], klass->name);
    if (!found) fail_msg("%s has no row in the table of this test", klass->name);
  }
  sofa_context_destroy(&ctx);
}

/* A chain of blocks, so that BTDLinearSolver takes it; large enough for two blocks of columns. */
static void open_row(SolverBench *b, const Row *row) {
  const Shape shape = {.reach = 1, .diagonal = 12};
  bench_open_shaped(b, row->name, row->template_name, NULL, row->fields, 12, shape);
}

static double *random_columns(size_t n, uint64_t seed) {
  double *x = malloc((n + 1) * sizeof *x);
  for (size_t i = 0; i < n; i++) x[i] = random_real(&seed);
  return x;
}

static double worst_difference(size_t n, const double *x, const double *y) {
  double worst = 0;
  for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
  return worst;
}

/* 19 columns together are those one by one; what is solved one by one is so to the bit. */
static void many_equals_single(void **state) {
  (void)state;
  enum { N = 19 };
  for (size_t i = 0; i < COUNT(table); i++) {
    if (lacks_gpl_part(table[i].name)) continue;
    SolverBench b;
    open_row(&b, &table[i]);
    double *sides = random_columns(N * b.n, 8), *many = calloc(N * b.n + 1, sizeof *many);
    const bool together = sofa_linear_solver_ops(b.solver)->solve_many != NULL;
    assert_int_equal(together, table[i].kind == DIRECT);
    assert_int_equal(sofa_linear_solver_solve_many(b.solver, N, sides, many), SOFA_OK);
    for (size_t k = 0; k < N; k++) {
      memcpy(b.b, sides + k * b.n, b.n * sizeof *b.b);
      memset(b.x, 0, b.n * sizeof *b.x);
      assert_int_equal(bench_solve(&b), SOFA_OK);
      const double apart = worst_difference(b.n, b.x, many + k * b.n);
      if (!(apart <= (together ? 1e-15 : 0)))
        fail_msg("%s: column %zu is %g apart", table[i].name, k, apart);
    }
    assert_int_equal(sofa_linear_solver_solve_many(b.solver, 0, sides, many), SOFA_OK);
    assert_int_equal(b.n_errors, 0);
    free(sides), free(many);
    bench_close(&b);
  }
}

/* Also supernodal factors. */
static void together_with_a_supernodal_factor(void **state) {
  (void)state;
  enum { N = 21 };
  const Shape shape = {.reach = 6, .far = 37, .diagonal = 60};
  SolverBench b;
  bench_open_shaped(&b, "SparseLDLSolver", SCALARS, NULL, NULL, 150, shape);
  double *sides = random_columns(N * b.n, 9), *many = calloc(N * b.n + 1, sizeof *many);
  assert_int_equal(sofa_linear_solver_solve_many(b.solver, N, sides, many), SOFA_OK);
  for (size_t k = 0; k < N; k++) {
    memcpy(b.b, sides + k * b.n, b.n * sizeof *b.b);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_true(worst_difference(b.n, b.x, many + k * b.n) <= 1e-15);
  }

  /* the matrix is factorised once, and again when it changed */
  const SofaCholmodLinearSolver *cholmod = (const SofaCholmodLinearSolver *)b.solver;
  assert_true(sofa_cholmod_solver_counts(cholmod->cholmod).supernodal == sofa_has_gpl_parts());
  assert_int_equal(sofa_cholmod_solver_counts(cholmod->cholmod).factorizations, 1);
  Shape other = shape;
  other.scale = 2;
  bench_matrix(&b, 150, shaped, &other);
  assert_int_equal(sofa_linear_solver_solve_many(b.solver, N, sides, many), SOFA_OK);
  for (size_t i = 0; i < b.n; i++) b.x[i] /= 2;
  assert_true(worst_difference(b.n, b.x, many + (N - 1) * b.n) <= 1e-15);
  assert_int_equal(sofa_cholmod_solver_counts(cholmod->cholmod).factorizations, 2);
  assert_int_equal(sofa_cholmod_solver_counts(cholmod->cholmod).analyses, 1);
  free(sides), free(many);
  bench_close(&b);
}

/* ---- sparse rows ---- */

enum { ROWS = 20, LD = 30 };

/* Rows with 3 entries, one of them in a column that comes twice; row 5 is empty. Row i of J has the
 * number 29 - i. */
typedef struct Constraints {
  uint32_t start[ROWS + 1], column[3 * ROWS], number[ROWS];
  double value[3 * ROWS];
  SofaSparseRows rows;
} Constraints;

static void make_constraints(Constraints *c, size_t n) {
  uint64_t seed = 99;
  uint32_t k = 0;
  for (uint32_t i = 0; i < ROWS; i++) {
    c->start[i] = k;
    c->number[i] = LD - 1 - i;
    for (uint32_t e = 0; e < 3 && i != 5; e++, k++) {
      c->column[k] = e == 2 && i % 4 == 0 ? c->column[k - 1] : random_below(&seed, (uint32_t)n);
      c->value[k] = random_real(&seed);
    }
  }
  c->start[ROWS] = k;
  c->rows = (SofaSparseRows){ROWS, c->start, c->column, c->value, c->number};
}

/* column = J_i, dense */
static void dense_row(const Constraints *c, size_t i, size_t n, double *row) {
  memset(row, 0, n * sizeof *row);
  for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++) row[c->column[k]] += c->value[k];
}

/* w = factor J A^-1 J^T over what w was, by dense elimination */
static void expected_w(const Dense *a, const Constraints *c, double factor, double *w) {
  const size_t n = a->rows;
  double *ji = calloc(n, sizeof *ji), *jk = calloc(n, sizeof *jk), *y = calloc(n, sizeof *y);
  for (size_t k = 0; k < ROWS; k++) {
    dense_row(c, k, n, jk);
    assert_true(dense_solve(a, jk, y));
    for (size_t i = 0; i < ROWS; i++) {
      dense_row(c, i, n, ji);
      for (size_t s = 0; s < n; s++) w[c->number[i] + LD * c->number[k]] += factor * ji[s] * y[s];
    }
  }
  free(ji), free(jk), free(y);
}

static void inverse_between_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    if (lacks_gpl_part(table[i].name)) continue;
    if (table[i].kind == PRECONDITIONER) continue;
    SolverBench b;
    Constraints c;
    double w[LD * LD], expected[LD * LD];
    open_row(&b, &table[i]);
    make_constraints(&c, b.n);
    for (size_t k = 0; k < LD * LD; k++) w[k] = expected[k] = 0.5; /* it adds */
    Dense d = dense_of(b.matrix);
    expected_w(&d, &c, 0.01, expected);
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 0.01, LD, w), SOFA_OK);
    const double apart = worst_difference(LD * LD, w, expected);
    if (!(apart < (table[i].kind == DIRECT ? 1e-15 : 1e-14)))
      fail_msg("%s: W is %g apart", table[i].name, apart);
    for (size_t r = 0; r < LD; r++)
      for (size_t s = 0; s < r; s++) assert_true(fabs(w[r + LD * s] - w[s + LD * r]) < 1e-14);
    assert_true(b.solver->result.converged);

    /* rows and columns without a number of the problem or of the system */
    c.number[3] = LD;
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 1, LD, w), SOFA_ERR_RANGE);
    c.number[3] = 0;
    c.column[7] = (uint32_t)b.n;
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 1, LD, w), SOFA_ERR_RANGE);
    c.rows.n_rows = 0;
    assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &c.rows, 1, LD, w), SOFA_OK);
    free(d.a);
    bench_close(&b);
  }
}

/* ---- results ---- */

static void results(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    const Row *row = &table[i];
    SolverBench b;
    double residual = 0;
    if (lacks_gpl_part(row->name)) continue;
    open_row(&b, row);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_int_equal(sofa_linear_solver_residual(b.solver, b.b, b.x, &residual), SOFA_OK);
    assert_true(b.solver->result.converged);
    assert_true((b.solver->result.iterations > 0) == (row->kind == ITERATIVE));
    assert_true((b.solver->result.residual >= 0) == (row->kind == ITERATIVE));
    if (row->kind != PRECONDITIONER) assert_true(residual < 1e-11);
    else
      assert_true(residual > 1e-11 || !strcmp(row->name, "PrecomputedWarpPreconditioner") ||
                  !strcmp(row->name, "IncompleteCholeskyPreconditioner"));
    bench_close(&b);
  }
}

/* Two iterations are too few: it is reported, with the residual that there really is. */
static void unfinished(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(table); i++) {
    const Row *row = &table[i];
    /* the incomplete factor of a chain is its whole factor */
    const bool exact = row->fields[5] && !strcmp(row->fields[5], "IncompleteCholesky");
    if (row->kind != ITERATIVE || exact) continue;
    const char *const fields[] = {
        row->fields[0], "2", row->fields[2], row->fields[3], row->fields[4], row->fields[5], NULL};
    const Row few = {row->name,
                     row->template_name,
                     row->kind,
                     {fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]}};
    SolverBench b;
    double residual = 0;
    open_row(&b, &few);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_int_equal(sofa_linear_solver_residual(b.solver, b.b, b.x, &residual), SOFA_OK);
    assert_false(b.solver->result.converged);
    assert_int_equal(b.solver->result.iterations, 2);
    assert_true(residual > 1e-4 && fabs(residual - b.solver->result.residual) < 1e-12);

    /* of several right-hand sides the worst counts */
    double *sides = calloc(2 * b.n + 1, sizeof *sides), *x = calloc(2 * b.n + 1, sizeof *x);
    memcpy(sides, b.b, b.n * sizeof *sides);
    assert_int_equal(sofa_linear_solver_solve_many(b.solver, 2, sides, x), SOFA_OK);
    assert_false(b.solver->result.converged);
    assert_true(fabs(residual - b.solver->result.residual) < 1e-12);
    free(sides), free(x);
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver),
      cmocka_unit_test(many_equals_single),
      cmocka_unit_test(together_with_a_supernodal_factor),
      cmocka_unit_test(inverse_between_rows),
      cmocka_unit_test(results),
      cmocka_unit_test(unfinished),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
