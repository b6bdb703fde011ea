/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solvers with precision="single": the accuracy of double precision, which takes over where
 * single precision is not enough; bits, memory, kept factors, J A^-1 J^T. */
#include "solver_bench.h"

#include "numerics/direct/cholmod_solver.h"
#include "tests/support/gpl_parts.h"
#include "tests/support/scene_run.h"

#define CRS "CompressedRowSparseMatrixMat3x3d"
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const solvers[] = {"SparseLDLSolver", "EigenSimplicialLDLT",
                                      "EigenSimplicialLLT", "CholmodSupernodalLLT"};
static const char *const single[] = {"precision", "single", NULL};

static SofaCholmodCounts counts_of(const SolverBench *b) {
  return sofa_cholmod_solver_counts(((const SofaCholmodLinearSolver *)b->solver)->cholmod);
}

/* |b - A x| / |b| */
static double residual_of(const SolverBench *b) {
  double *r = calloc(b->n + 1, sizeof *r), rr = 0, bb = 0;
  sofa_block_matrix_multiply(b->matrix, b->x, r, 1);
  for (size_t i = 0; i < b->n; i++) {
    rr += (b->b[i] - r[i]) * (b->b[i] - r[i]);
    bb += b->b[i] * b->b[i];
  }
  free(r);
  return sqrt(rr / bb);
}

static void accuracy(void **state) {
  (void)state;
  static const double scales[] = {1, 1e-40, 1e40, 1e-140, 1e140};
  static const Shape shape = {.reach = 6, .far = 37, .diagonal = 60};
  static const uint32_t sizes[] = {1, 10, 150};
  for (size_t k = 0; k < COUNT(solvers) * COUNT(sizes) * COUNT(scales); k++) {
    SolverBench b;
    Shape scaled = shape;
    scaled.scale = scales[k / COUNT(solvers) / COUNT(sizes)];
    bench_open_shaped(&b, solvers[k % COUNT(solvers)], CRS, NULL, single,
                      sizes[k / COUNT(solvers) % COUNT(sizes)], scaled);
    for (size_t i = 0; i < b.n; i++) b.b[i] *= k % 3 ? 1e-30 : 1e30;
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_true(residual_of(&b) <= 1e-12);
    const SofaCholmodCounts n = counts_of(&b);
    assert_true(n.sweeps > 0 && n.sweeps <= 4);
    assert_true(n.supernodal);
    assert_int_equal(b.n_warnings, 0);
    bench_close(&b);
  }
}

/* A chain of points with springs between them and, to the ground, `shift`: condition 4 / shift. */
enum { CHAIN = 300 };
static bool chain(uint32_t i, uint32_t j, double *block, void *user) {
  const double springs = i == 0 || i == CHAIN - 1 ? 1 : 2;
  if (i != j && i != j + 1 && j != i + 1) return false;
  for (int k = 0; k < 9; k++)
    block[k] = k % 4    ? 0.05 * (i == j ? springs : -1)
               : i == j ? springs + *(const double *)user
                        : -1;
  return true;
}

/* Double precision for the rest of the run, said once; the bits are its own. */
static void conditions(void **state) {
  (void)state;
  for (int power = 1; power <= 13; power++) {
    SolverBench b, d;
    double shift = pow(10, -power), other = 1.5 * shift;
    bench_open_with(&b, "SparseLDLSolver", CRS, NULL, single);
    bench_matrix(&b, CHAIN, chain, &shift);
    bench_open_with(&d, "SparseLDLSolver", CRS, NULL, NULL);
    bench_matrix(&d, CHAIN, chain, &shift);
    for (int again = 0; again < 3; again++) {
      bench_random_b(&b, 5 + (uint64_t)again);
      bench_random_b(&d, 5 + (uint64_t)again);
      assert_int_equal(bench_solve(&b), SOFA_OK);
      assert_int_equal(bench_solve(&d), SOFA_OK);
      assert_true(residual_of(&b) <= fmax(1e-12, 4 * residual_of(&d)));
      if (b.n_warnings) assert_memory_equal(b.x, d.x, b.n * sizeof *b.x);
      bench_matrix(&b, CHAIN, chain, &other);
      bench_matrix(&d, CHAIN, chain, &other);
    }
    if (power <= 4) assert_int_equal(b.n_warnings, 0);
    if (power >= 8) {
      assert_int_equal(b.n_warnings, 1);
      assert_non_null(strstr(b.said, "precision=\"single\" is not enough"));
    }
    bench_close(&b);
    bench_close(&d);
  }
}

/* A reset run begins as the first one. */
static void after_reset(void **state) {
  (void)state;
  SolverBench b;
  double bad = 1e-13, good = 0.1;
  bench_open_with(&b, "SparseLDLSolver", CRS, NULL, single);
  bench_matrix(&b, CHAIN, chain, &bad);
  bench_random_b(&b, 5);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  bench_matrix(&b, CHAIN, chain, &good);
  const uint64_t sweeps = counts_of(&b).sweeps;
  assert_int_equal(bench_solve(&b), SOFA_OK);
  assert_int_equal(counts_of(&b).sweeps, sweeps);
  assert_int_equal(sofa_object_run(&b.solver->object, SOFA_RUN_RESET), SOFA_OK);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  assert_true(counts_of(&b).sweeps > sweeps);
  bench_close(&b);
}

static void indefinite(void **state) {
  (void)state;
  static const Shape shape = {.reach = 6, .far = 37, .diagonal = 60, .alternate = true};
  for (size_t k = 0; k < 2; k++) {
    SolverBench b;
    bench_open_shaped(&b, solvers[k], CRS, NULL, single, 150, shape);
    bench_expect(&b, 1e-11);
    assert_int_equal(b.n_warnings, 1);
    assert_non_null(strstr(b.said, "a pivot is not positive"));
    bench_close(&b);
  }
}

/* What is not finite is the error that it is with double precision. */
static void not_finite(void **state) {
  (void)state;
  const Shape shape = {.reach = 2, .diagonal = 20};
  for (int which = 0; which < 3; which++) {
    SolverBench b;
    Shape bad = shape;
    bench_open_shaped(&b, "SparseLDLSolver", CRS, NULL, single, 10, shape);
    if (which == 0) b.b[7] = NAN;
    if (which == 1) b.b[7] = INFINITY;
    if (which == 2) bad.diagonal = NAN, bench_matrix(&b, 10, shaped, &bad);
    assert_int_equal(bench_solve(&b), SOFA_ERR_NOT_FINITE);
    assert_int_equal(b.n_warnings, 0);
    bench_close(&b);
  }
}

static void nothing_to_do(void **state) {
  (void)state;
  SolverBench b;
  bench_open_shaped(&b, "SparseLDLSolver", CRS, NULL, single, 10, (Shape){.diagonal = 20});
  for (size_t i = 0; i < b.n; i++) b.b[i] = 0, b.x[i] = 3;
  assert_int_equal(bench_solve(&b), SOFA_OK);
  for (size_t i = 0; i < b.n; i++) assert_true(b.x[i] == 0);
  bench_close(&b);
}

static void same_bits(void **state) {
  (void)state;
  double *first = NULL;
  for (int threads = 1; threads <= 4; threads++) {
    SolverBench b;
    const SofaContextOptions options = {.threads = threads};
    bench_open_shaped(&b, "SparseLDLSolver", CRS, &options, single, 400,
                      (Shape){.reach = 40, .far = 300, .diagonal = 200});
    assert_int_equal(bench_solve(&b), SOFA_OK);
    if (!first) first = memcpy(malloc(b.n * sizeof *first), b.x, b.n * sizeof *first);
    assert_memory_equal(first, b.x, b.n * sizeof *first);
    bench_close(&b);
  }
  free(first);
}

static void reuse(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT(solvers); k++) {
    SolverBench b;
    Shape shape = {.reach = 6, .far = 37, .diagonal = 60};
    bench_open_shaped(&b, solvers[k], CRS, NULL, single, 150, shape);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    SofaCholmodCounts n = counts_of(&b);
    assert_true(n.analyses == 1 && n.factorizations == 1 && n.solves == 2);

    /* the same values again */
    bench_matrix(&b, 150, shaped, &shape);
    const uint64_t allocations = b.ctx->n_allocations;
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_int_equal(counts_of(&b).factorizations, 1);

    /* others: no analysis, nothing allocated */
    shape.scale = 3;
    bench_matrix(&b, 150, shaped, &shape);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_int_equal(b.ctx->n_allocations, allocations);
    n = counts_of(&b);
    assert_true(n.analyses == 1 && n.factorizations == 2);
    bench_close(&b);
  }
}

/* J A^-1 J^T of 20 rows with three entries each. */
static void between_rows(const char *const *fields, double *w, bool *factored) {
  enum { ROWS = 20 };
  uint32_t start[ROWS + 1], column[3 * ROWS];
  double value[3 * ROWS];
  SofaFactoredRows rows = {0};
  SolverBench b;
  for (uint32_t i = 0; i <= ROWS; i++) start[i] = 3 * i;
  for (uint32_t k = 0; k < 3 * ROWS; k++) column[k] = (k * 37) % 450, value[k] = 1 + 0.1 * k;
  const SofaSparseRows j = {.n_rows = ROWS, .start = start, .column = column, .value = value};
  bench_open_shaped(&b, "SparseLDLSolver", CRS, NULL, fields, 150,
                    (Shape){.reach = 6, .far = 37, .diagonal = 60});
  assert_int_equal(sofa_linear_solver_add_jainvjt(b.solver, &j, 2, ROWS, w), SOFA_OK);
  assert_int_equal(sofa_linear_solver_factor_rows(b.solver, &j, &rows), SOFA_OK);
  *factored = rows.n_columns > 0;
  sofa_factored_rows_free(b.ctx, &rows);
  bench_close(&b);
}

static void between_sparse_rows(void **state) {
  (void)state;
  double of_single[400] = {0}, of_double[400] = {0}, most = 0;
  bool factored = false;
  between_rows(single, of_single, &factored);
  assert_false(factored); /* would have single precision */
  between_rows(NULL, of_double, &factored);
  for (int k = 0; k < 400; k++) most = fmax(most, fabs(of_double[k]));
  for (int k = 0; k < 400; k++) assert_true(fabs(of_single[k] - of_double[k]) <= 1e-12 * most);
}

/* Solvers that keep factors, or solve by one of another matrix. */
static void refused(void **state) {
  (void)state;
  static const char *const names[] = {"AsyncSparseLDLSolver", "PrecomputedLinearSolver",
                                      "PrecomputedWarpPreconditioner"};
  for (size_t k = 0; k < COUNT(names); k++) {
    SolverBench b;
    assert_int_equal(bench_try_open(&b, names[k], NULL, NULL, single), SOFA_ERR_UNSUPPORTED);
    assert_non_null(strstr(b.said, "precision"));
    bench_close(&b);
  }
}

/* ---- scenes ---- */

#define BEAM(solver, poisson)                                                                      \
  "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/>"                        \
  "<DefaultVisualManagerLoop/><Node name='body'>" solver                                           \
  "<RegularGridTopology n='4 4 12' min='0 0 0' max='0.2 0.2 1'/><MechanicalObject name='state'/>"  \
  "<UniformMass totalMass='40'/>"                                                                  \
  "<HexahedronFEMForceField method='large' youngModulus='2e6' poissonRatio='" poisson "'/>"        \
  "<BoxROI name='box' box='-1 -1 -1 1 1 0.001'/>"                                                  \
  "<FixedProjectiveConstraint indices='@box.indices'/></Node></Node>"

/* The largest difference of positions after 20 steps with both precisions, m. */
static double difference(const char *in_double, const char *in_single, int *n_problems) {
  SceneRun a = {.quiet = true}, b = {.quiet = true};
  double most = 0;
  scene_run_open(&a, in_double, NULL);
  scene_run_open(&b, in_single, NULL);
  a.quiet = b.quiet = true;
  scene_run_steps(&a, 20);
  scene_run_steps(&b, 20);
  const SofaState *x = scene_run_state(&a, "/body/state"), *y = scene_run_state(&b, "/body/state");
  const double *p = x->position.data, *q = y->position.data;
  for (size_t i = 0; i < 3 * (4 * 4 * 12); i++) most = fmax(most, fabs(p[i] - q[i]));
  *n_problems = b.n_problems - a.n_problems;
  if (*n_problems) assert_non_null(strstr(b.all, "/body/ls: precision=\"single\""));
  scene_run_close(&a);
  scene_run_close(&b);
  return most;
}

#define DYNAMIC(fields) "<EulerImplicitSolver/><SparseLDLSolver name='ls'" fields "/>"
#define STATIC(fields) "<StaticSolver/><SparseLDLSolver name='ls'" fields "/>"
#define IN_SINGLE " precision='single'"

static void scenes(void **state) {
  (void)state;
  int n_problems = 0;
  assert_true(difference(BEAM(DYNAMIC(""), "0.3"), BEAM(DYNAMIC(IN_SINGLE), "0.3"), &n_problems) <
              1e-11);
  assert_int_equal(n_problems, 0);
  assert_true(difference(BEAM(DYNAMIC(""), "0.45"), BEAM(DYNAMIC(IN_SINGLE), "0.45"), &n_problems) <
              1e-11);
  assert_int_equal(n_problems, 0);
  /* nearly incompressible at rest: said once, then the bits of double precision */
  assert_true(difference(BEAM(STATIC(""), "0.49999999"), BEAM(STATIC(IN_SINGLE), "0.49999999"),
                         &n_problems) == 0);
  assert_int_equal(n_problems, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accuracy),
      cmocka_unit_test(conditions),
      cmocka_unit_test(after_reset),
      cmocka_unit_test(indefinite),
      cmocka_unit_test(not_finite),
      cmocka_unit_test(nothing_to_do),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(reuse),
      cmocka_unit_test(between_sparse_rows),
      cmocka_unit_test(refused),
      cmocka_unit_test(scenes),
  };
  if (!sofa_has_gpl_parts()) return 77; /* there are no supernodal factors */
  return cmocka_run_group_tests(tests, NULL, NULL);
}
