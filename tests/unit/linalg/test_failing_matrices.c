/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every linear solver of csofa and of the plugin SofaCaribou on matrices it may not be able to
 * solve: it solves them, or it says why not, with the time; and it works again with the next good
 * matrix. A solver without a row here fails the test. */
#include "solver_bench.h"
#include "object/factory.h"
#include "tests/support/gpl_parts.h"

#define SCALARS "CompressedRowSparseMatrixd"
#define FREE "GraphScattered"

typedef enum Kind {
  DEFINITE,
  ASYMMETRIC,
  HOLED,    /* row and column 4 are zero */
  FLOATING, /* singular to rounding: springs between points that nothing holds */
  INDEFINITE,
  NAN_MATRIX,
  NAN_SIDE,
  N_KINDS
} Kind;
static const char *const kind_names[] = {"definite",   "asymmetric", "holed",   "floating",
                                         "indefinite", "nan matrix", "nan side"};

/* What becomes of it. */
typedef enum Outcome {
  SOLVES,
  REFUSES,
  FINITE, /* no solution is promised (a preconditioner, an inconsistent system), but no NaN */
  LEAST,  /* solves what is left without the singular part */
  EITHER  /* what comes first: solved well enough, or refused */
} Outcome;

typedef struct Row {
  const char *name, *template_name;
  const char *words[N_KINDS]; /* of a refusal */
  Outcome outcome[N_KINDS];
  const char *fields[7];
} Row;

#define ASYMMETRY "is not symmetric: entry (0, 1)"
#define NOT_POSITIVE "not positive definite"
#define NOT_FINITE "not finite"
#define SIDE "right-hand side"
#define LDL_WITH(...)                                                                              \
  {NULL, ASYMMETRY, "zero pivot at dof 4", "is singular", NULL, NOT_FINITE, SIDE},                 \
      {SOLVES, REFUSES, REFUSES, REFUSES, SOLVES, REFUSES, REFUSES}, {                             \
    __VA_ARGS__                                                                                    \
  }
#define LDL LDL_WITH(NULL)
#define KEPT LDL_WITH("use_file", "0")
#define LLT                                                                                        \
  {NULL, ASYMMETRY, "pivot <= 0 at dof 4", "time", NOT_POSITIVE, NOT_FINITE, SIDE},                \
      {SOLVES, REFUSES, REFUSES, REFUSES, REFUSES, REFUSES, REFUSES}, {                            \
    NULL                                                                                           \
  }
#define LU                                                                                         \
  {NULL, NULL, "zero pivot at dof 4", "is singular", NULL, NOT_FINITE, SIDE},                      \
      {SOLVES, SOLVES, REFUSES, REFUSES, SOLVES, REFUSES, REFUSES}, {                              \
    NULL                                                                                           \
  }
/* an iterative solver of an operator that is only known by its products cannot see asymmetry */
#define CG(asymmetric)                                                                             \
  {NULL, ASYMMETRY, NULL, NULL, NULL, "finite", "finite"}, {                                       \
    SOLVES, asymmetric, EITHER, EITHER, SOLVES, REFUSES, REFUSES                                   \
  }

#define CARIBOU(method)                                                                            \
  {                                                                                                \
    "maximum_number_of_iterations", "500", "residual_tolerance_threshold", "1e-13",                \
        "preconditioning_method", method, NULL                                                     \
  }

/* The first fields of iterative solvers are the most iterations and the tolerance. */
static const Row table[] = {
    {"SparseLDLSolver", SCALARS, LDL},
    {"AsyncSparseLDLSolver", SCALARS, LDL},
    {"EigenSimplicialLDLT", SCALARS, LDL},
    {"PrecomputedLinearSolver", "FullVector", KEPT},
    {"PrecomputedWarpPreconditioner", SCALARS, KEPT},
    {"EigenSimplicialLLT", SCALARS, LLT},
    {"CholmodSupernodalLLT", SCALARS, LLT},
    {"CholeskySolver", "FullMatrix", LLT},
    {"EigenSparseLU", SCALARS, LU},
    {"EigenSparseQR",
     SCALARS,
     {NULL, NULL, "singular", "singular", NULL, NOT_FINITE, SIDE},
     {SOLVES, SOLVES, REFUSES, REFUSES, SOLVES, REFUSES, REFUSES},
     {NULL}},
    {"SVDLinearSolver",
     "FullMatrix",
     {NULL, NULL, NULL, NULL, NULL, NOT_FINITE, SIDE},
     {SOLVES, SOLVES, LEAST, FINITE, SOLVES, REFUSES, REFUSES},
     {NULL}},
    {"BTDLinearSolver",
     "BTDMatrix6d",
     {NULL, NULL, "singular", "singular", NULL, NOT_FINITE, SIDE},
     {SOLVES, SOLVES, REFUSES, REFUSES, SOLVES, REFUSES, REFUSES},
     {NULL}},
    {"CGLinearSolver",
     FREE,
     CG(REFUSES),
     {"iterations", "500", "tolerance", "1e-13", "threshold", "0"}},
    {"PCGLinearSolver", FREE, CG(REFUSES), {"iterations", "500", "tolerance", "1e-26"}},
    {"MinResLinearSolver",
     FREE,
     {NULL, ASYMMETRY, NULL, NULL, NULL, "finite", "finite"},
     {SOLVES, REFUSES, FINITE, FINITE, SOLVES, REFUSES, REFUSES},
     {"iterations", "500", "tolerance", "1e-15"}},
    {"JacobiPreconditioner",
     "DiagonalMatrix",
     {NULL, NULL, "dof 4", NULL, NULL, NOT_FINITE, SIDE},
     {FINITE, FINITE, REFUSES, FINITE, FINITE, REFUSES, REFUSES},
     {NULL}},
    {"BlockJacobiPreconditioner",
     "FullVector",
     {NULL, NULL, "singular at dof 3", NULL, NULL, NOT_FINITE, SIDE},
     {FINITE, FINITE, REFUSES, EITHER, FINITE, REFUSES, REFUSES},
     {NULL}},
    {"SSORPreconditioner",
     SCALARS,
     {NULL, NULL, "dof 4", NULL, NULL, NOT_FINITE, SIDE},
     {FINITE, FINITE, REFUSES, FINITE, FINITE, REFUSES, REFUSES},
     {NULL}},
    {"IncompleteCholeskyPreconditioner",
     SCALARS,
     {NULL, NULL, "dof 4", NULL, NOT_POSITIVE, NOT_FINITE, SIDE},
     {FINITE, FINITE, REFUSES, FINITE, EITHER, REFUSES, REFUSES},
     {NULL}},
    {"AggregationMultigridPreconditioner",
     SCALARS,
     {NULL, NULL, NOT_POSITIVE, NULL, NOT_POSITIVE, NOT_FINITE, SIDE},
     {FINITE, FINITE, REFUSES, EITHER, EITHER, REFUSES, REFUSES},
     {NULL}},
    {"LDLTSolver", SCALARS, LDL},
    {"LLTSolver", SCALARS, LLT},
    {"LUSolver", SCALARS, LU},
    {"ConjugateGradientSolver", FREE, CG(REFUSES), CARIBOU("None")},
    {"ConjugateGradientSolver", SCALARS, CG(REFUSES), CARIBOU("Identity")},
    {"ConjugateGradientSolver", SCALARS, CG(REFUSES), CARIBOU("Diagonal")},
    {"ConjugateGradientSolver", SCALARS, CG(REFUSES), CARIBOU("IncompleteCholesky")},
    {"ConjugateGradientSolver", SCALARS, CG(REFUSES), CARIBOU("IncompleteLU")},
};

/* Solved by another linear solver, or as another class does, which has a row. */
static const char *const delegates[] = {"WarpPreconditioner", "ParallelCGLinearSolver"};

static bool is_iterative(const Row *row) {
  return row->fields[0] && strstr(row->fields[0], "iterations");
}

static bool has_row(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name)) return true;
  for (size_t i = 0; i < sizeof delegates / sizeof *delegates; i++)
    if (!strcmp(delegates[i], name)) return true;
  return false;
}

static void every_solver(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(&(SofaContextOptions){0}, &ctx), SOFA_OK);
  bench_register(ctx);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (klass->abstract || !sofa_class_ops(klass, SOFA_LINEAR_SOLVER)) continue;
    if (!has_row(klass->name)) fail_msg("%s has no row in the table of this test", klass->name);
  }
  sofa_context_destroy(&ctx);
}

/* ---- matrices: blocks in a chain, so that BTDLinearSolver takes them too ---- */

static bool fill(uint32_t i, uint32_t j, double *block, void *user) {
  const Kind kind = *(const Kind *)user;
  const Shape shape = {.reach = 1,
                       .diagonal = 12,
                       .skew = kind == ASYMMETRIC ? 0.5 : 0,
                       .alternate = kind == INDEFINITE};
  if (!shaped(i, j, block, (void *)(uintptr_t)&shape)) return false;
  if (kind == FLOATING) {
    /* springs in every direction between neighbours of a chain of 12 */
    const double neighbours = i == j ? (i > 0) + (i < 11) : -1;
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) block[3 * r + c] = r == c ? neighbours * 0.3 : 0;
  }
  for (int k = 0; k < 3 && kind == HOLED; k++) {
    if (i == 1) block[3 * 1 + k] = 0;
    if (j == 1) block[3 * k + 1] = 0;
  }
  if (kind == NAN_MATRIX && i == 2 && j == 2) block[4] = NAN;
  return true;
}

static void expect_refusal(const SolverBench *b, const Row *row, Kind kind, SofaErr err) {
  const char *name = kind_names[kind];
  if (err == SOFA_OK) fail_msg("%s, %s: no error", row->name, name);
  if (b->n_errors != 1) fail_msg("%s, %s: %d errors", row->name, name, b->n_errors);
  if (row->words[kind] && !strstr(b->said, row->words[kind]))
    fail_msg("%s, %s: '%s' is not in '%s'", row->name, name, row->words[kind], b->said);
  if (!strstr(b->said, "time 0.25"))
    fail_msg("%s, %s: the time is not in '%s'", row->name, name, b->said);
}

static double residual(SolverBench *b) {
  Dense d = dense_of(b->matrix);
  double sum = 0, norm = 0, *y = calloc(b->n, sizeof *y);
  dense_times(&d, b->x, y);
  for (size_t i = 0; i < b->n; i++) {
    sum += (b->b[i] - y[i]) * (b->b[i] - y[i]);
    norm += b->b[i] * b->b[i];
  }
  free(d.a), free(y);
  return sqrt(sum / norm);
}

static void expect_result(SolverBench *b, const Row *row, Kind kind, SofaErr err) {
  const Outcome outcome = row->outcome[kind];
  if (err != SOFA_OK) fail_msg("%s, %s: '%s'", row->name, kind_names[kind], b->said);
  for (size_t i = 0; i < b->n; i++)
    if (!isfinite(b->x[i]))
      fail_msg("%s, %s: x[%zu] = %g", row->name, kind_names[kind], i, b->x[i]);
  if (outcome == SOLVES && !(residual(b) < 1e-10))
    fail_msg("%s, %s: residual %g", row->name, kind_names[kind], residual(b));
  if (outcome == LEAST) {
    assert_true(fabs(b->x[4]) < 1e-12);
    b->b[4] = 0;
    assert_true(residual(b) < 1e-10);
  }
}

static void solve_kind(const Row *row, Kind kind) {
  SolverBench b;
  bench_open_with(&b, row->name, row->template_name, NULL, row->fields);
  b.root->time = 0.25;
  bench_matrix(&b, 12, fill, &kind);
  bench_random_b(&b, 5);
  if (kind == NAN_SIDE) b.b[3] = NAN;
  const SofaErr err = bench_solve(&b);
  const Outcome outcome = row->outcome[kind];
  if (outcome == REFUSES || (outcome == EITHER && err != SOFA_OK))
    expect_refusal(&b, row, kind, err);
  else expect_result(&b, row, kind, err);

  /* it recovers */
  Kind good = DEFINITE;
  bench_matrix(&b, 12, fill, &good);
  bench_random_b(&b, 6);
  memset(b.x, 0, b.n * sizeof *b.x);
  b.mechanics.serial++;
  expect_result(&b, row, good, bench_solve(&b));
  bench_close(&b);
}

static void kinds(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (Kind kind = DEFINITE; kind < N_KINDS && !lacks_gpl_part(table[i].name); kind++)
      solve_kind(&table[i], kind);
}

/* ---- iterations ---- */

static void zero_iterations(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const Row *row = &table[i];
    if (!is_iterative(row)) continue;
    for (int goes_on = 0; goes_on < 2; goes_on++) {
      const char *const fields[] = {row->fields[0], "0", row->fields[4], row->fields[5], NULL};
      const SofaContextOptions options = {.keep_going = goes_on};
      SolverBench b;
      Kind kind = DEFINITE;
      if (bench_try_open(&b, row->name, row->template_name, &options, fields) != SOFA_OK) {
        assert_non_null(strstr(b.said, row->fields[0]));
        bench_close(&b);
        continue;
      }
      b.root->time = 0.25;
      bench_matrix(&b, 12, fill, &kind);
      bench_random_b(&b, 5);
      for (int again = 0; again < 1 + goes_on; again++)
        assert_int_equal(bench_solve(&b), goes_on ? SOFA_OK : SOFA_ERR_RANGE);
      assert_int_equal(b.n_errors, 1);
      assert_non_null(strstr(b.said, "iterations"));
      assert_non_null(strstr(b.said, goes_on ? "t = 0.25 s" : "time 0.25"));
      bench_close(&b);
    }
  }
}

/* A tolerance of zero is not reached, or exactly: then nothing is divided by zero. */
static void zero_tolerance(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const Row *row = &table[i];
    if (!is_iterative(row)) continue;
    const char *const fields[] = {row->fields[0], "200", row->fields[2], "0", row->fields[4],
                                  row->fields[5], NULL};
    SolverBench b;
    Kind kind = DEFINITE;
    bench_open_with(&b, row->name, row->template_name, NULL, fields);
    bench_matrix(&b, 12, fill, &kind);
    bench_random_b(&b, 5);
    for (int again = 0; again < 3; again++) expect_result(&b, row, kind, bench_solve(&b));

    /* b = 0 is solved by x = 0 */
    memset(b.b, 0, b.n * sizeof *b.b);
    memset(b.x, 0, b.n * sizeof *b.x);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    for (size_t k = 0; k < b.n; k++) assert_true(b.x[k] == 0);
    bench_close(&b);
  }
}

/* Conjugate gradients on the diagonal 1, -1.01, 1, ...: the first step makes the residual larger
 * than the right-hand side. */
static bool alternating(uint32_t i, uint32_t j, double *block, void *user) {
  (void)user;
  memset(block, 0, 9 * sizeof *block);
  for (uint32_t r = 0; r < 3; r++) block[4 * r] = (3 * i + r) % 2 ? -1.01 : 1;
  return i == j;
}

static void indefinite_iterations(void **state) {
  (void)state;
  static const char *const names[] = {"CGLinearSolver", "PCGLinearSolver"};
  for (size_t k = 0; k < 4; k++) {
    const bool cg = k % 2 == 0, goes_on = k >= 2;
    const char *const fields[] = {"iterations", "1", cg ? "threshold" : NULL, "0", NULL};
    const SofaContextOptions options = {.keep_going = goes_on};
    SolverBench b;
    bench_open_with(&b, names[k % 2], FREE, &options, fields);
    b.root->time = 0.25;
    bench_matrix(&b, 2, alternating, NULL);
    for (int again = 0; again < 1 + goes_on; again++) {
      for (size_t i = 0; i < b.n; i++) b.b[i] = 1, b.x[i] = 0;
      assert_int_equal(bench_solve(&b), goes_on ? SOFA_OK : SOFA_ERR_SINGULAR);
    }
    assert_int_equal(goes_on ? b.n_warnings : b.n_errors, goes_on ? 2 : 1); /* and its residual */
    assert_non_null(strstr(b.said, goes_on ? "not converged" : NOT_POSITIVE));
    assert_non_null(strstr(b.said, "0.25"));
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver),          cmocka_unit_test(kinds),
      cmocka_unit_test(zero_iterations),       cmocka_unit_test(zero_tolerance),
      cmocka_unit_test(indefinite_iterations),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
