/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solvers against dense elimination: definite, indefinite and other matrices, failures,
 * reuse. */
#include "solver_bench.h"

#include "components/linearsolver/cholmod_solver.h"
#include "components/linearsolver/blas_threads.h"

static const char *const symmetric_solvers[] = {"SparseLDLSolver", "EigenSimplicialLDLT",
                                                "EigenSimplicialLLT"};
#define CRS "CompressedRowSparseMatrixMat3x3d"

static SofaErr solve(SolverBench *b) {
  return sofa_linear_solver_solve(b->solver, b->b, b->x);
}

/* 10 blocks stay simplicial, 150 with far couplings become supernodal. */
static const struct {
  uint32_t n;
  Shape shape;
} shapes[] = {
    {10, {.reach = 2, .diagonal = 20}},
    {150, {.reach = 6, .far = 37, .diagonal = 60}},
    {1, {.reach = 0, .diagonal = 5}},
};

static void definite(void **state) {
  (void)state;
  static const char *const names[] = {"SparseLDLSolver",    "EigenSimplicialLDLT",
                                      "EigenSimplicialLLT", "EigenSparseLU",
                                      "EigenSparseQR",      "SVDLinearSolver"};
  for (size_t k = 0; k < 6; k++) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      bench_open_with(&b, names[k], CRS, NULL, NULL);
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      bench_random_b(&b, 4);
      Dense d = dense_of(b.matrix);
      assert_true(dense_solve(&d, b.b, b.expected));
      assert_int_equal(solve(&b), SOFA_OK);
      assert_true(bench_error(&b) < 1e-12);
      if (k < 3) {
        const CholmodCounts counts =
            cholmod_solver_counts(((CholmodLinearSolver *)b.solver)->cholmod);
        assert_int_equal(counts.supernodal, s == 1);
      }
      free(d.a);
      bench_close(&b);
    }
  }
}

static void indefinite(void **state) {
  (void)state;
  static const char *const names[] = {"SparseLDLSolver", "EigenSimplicialLDLT", "EigenSparseLU",
                                      "EigenSparseQR", "SVDLinearSolver"};
  for (size_t k = 0; k < 5; k++) {
    for (size_t s = 0; s < 2; s++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      shape.alternate = true;
      bench_open_with(&b, names[k], CRS, NULL, NULL);
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      bench_random_b(&b, 5);
      Dense d = dense_of(b.matrix);
      assert_true(dense_solve(&d, b.b, b.expected));
      for (int again = 0; again < 2; again++) {
        shape.scale = again ? 2 : 1;
        bench_matrix(&b, shapes[s].n, shaped, &shape);
        assert_int_equal(solve(&b), SOFA_OK);
        for (size_t i = 0; i < b.n; i++) b.x[i] *= shape.scale;
        assert_true(bench_error(&b) < 1e-11);
      }
      free(d.a);
      bench_close(&b);
    }
  }
}

static void not_positive(void **state) {
  (void)state;
  for (size_t s = 0; s < 2; s++) {
    SolverBench b;
    Shape shape = shapes[s].shape;
    shape.alternate = true;
    bench_open_with(&b, "EigenSimplicialLLT", CRS, NULL, NULL);
    b.root->time = 0.25;
    bench_matrix(&b, shapes[s].n, shaped, &shape);
    bench_random_b(&b, 5);
    assert_int_equal(solve(&b), SOFA_ERR_SINGULAR);
    assert_int_equal(b.n_errors, 1);
    assert_non_null(strstr(b.said, "not positive definite"));
    assert_non_null(strstr(b.said, "dof "));
    assert_non_null(strstr(b.said, "time 0.25"));

    /* the solver works again as soon as the matrix is definite */
    shape.alternate = false;
    bench_matrix(&b, shapes[s].n, shaped, &shape);
    Dense d = dense_of(b.matrix);
    assert_true(dense_solve(&d, b.b, b.expected));
    assert_int_equal(solve(&b), SOFA_OK);
    assert_true(bench_error(&b) < 1e-12);
    free(d.a);
    bench_close(&b);
  }
}

/* Row and column 4 are zero. */
static bool holed(uint32_t i, uint32_t j, double *block, void *user) {
  if (!shaped(i, j, block, user)) return false;
  for (int k = 0; k < 3; k++) {
    if (i == 1) block[3 * 1 + k] = 0;
    if (j == 1) block[3 * k + 1] = 0;
  }
  return true;
}

static void singular(void **state) {
  (void)state;
  static const char *const names[] = {"SparseLDLSolver", "EigenSimplicialLDLT",
                                      "EigenSimplicialLLT", "EigenSparseLU"};
  for (size_t k = 0; k < 4; k++) {
    for (size_t s = 0; s < 2; s++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      bench_open_with(&b, names[k], CRS, NULL, NULL);
      bench_matrix(&b, shapes[s].n, holed, &shape);
      bench_random_b(&b, 5);
      assert_int_equal(solve(&b), SOFA_ERR_SINGULAR);
      assert_int_equal(b.n_errors, 1);
      assert_non_null(strstr(b.said, "dof 4"));
      bench_close(&b);
    }
  }
}

static bool poisoned(uint32_t i, uint32_t j, double *block, void *user) {
  if (!shaped(i, j, block, user)) return false;
  if (i == 2 && j == 2) block[0] = NAN;
  return true;
}

static void not_a_number(void **state) {
  (void)state;
  static const char *const names[] = {"SparseLDLSolver", "EigenSimplicialLDLT",
                                      "EigenSimplicialLLT", "EigenSparseLU"};
  for (size_t k = 0; k < 4; k++) {
    for (size_t s = 0; s < 2; s++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      bench_open_with(&b, names[k], CRS, NULL, NULL);
      bench_matrix(&b, shapes[s].n, poisoned, &shape);
      bench_random_b(&b, 5);
      assert_int_not_equal(solve(&b), SOFA_OK);
      assert_int_equal(b.n_errors, 1);
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      b.b[3] = INFINITY;
      assert_int_equal(solve(&b), SOFA_ERR_NOT_FINITE);
      assert_non_null(strstr(b.said, "right-hand side"));
      assert_non_null(strstr(b.said, "dof 3,"));
      bench_close(&b);
    }
  }
}

/* Which half of a matrix that is not symmetric is read. */
static void halves(void **state) {
  (void)state;
  for (size_t s = 0; s < 2; s++) {
    for (int k = 0; k < 3; k++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      shape.skew = 0.5;
      bench_open_with(&b, k == 2 ? "EigenSparseLU" : symmetric_solvers[k], CRS, NULL, NULL);
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      bench_random_b(&b, 6);
      Dense d = dense_of(b.matrix), read = dense_new(d.rows, d.rows);

      /* rank of a row: its number, or its place in the order of elimination */
      int *order = NULL, *rank = calloc(d.rows, sizeof *rank);
      SofaBlockRows rows;
      sofa_block_matrix_rows(b.matrix, &rows);
      assert_int_equal(sofa_order_scalars(b.ctx, &rows, NULL, SOFA_ORDER_SPARSEST, &order), SOFA_OK);
      for (size_t i = 0; i < d.rows; i++) rank[k == 0 ? (size_t)order[i] : i] = (int)i;
      for (size_t i = 0; i < d.rows; i++)
        for (size_t j = 0; j < d.rows; j++)
          *dense_at(&read, i, j) =
              k == 2 || rank[i] >= rank[j] ? *dense_at(&d, i, j) : *dense_at(&d, j, i);
      assert_true(dense_solve(&read, b.b, b.expected));
      assert_int_equal(solve(&b), SOFA_OK);
      assert_true(bench_error(&b) < 1e-12);
      sofa_free(b.ctx, order);
      free(rank), free(d.a), free(read.a);
      bench_close(&b);
    }
  }
}

static void orderings(void **state) {
  (void)state;
  static const char *const orders[] = {"NaturalOrderingMethod", "AMDOrderingMethod",
                                       "COLAMDOrderingMethod"};
  static const char *const names[] = {"SparseLDLSolver", "EigenSparseLU"};
  for (size_t o = 0; o < 3; o++) {
    for (size_t k = 0; k < 2; k++) {
      SolverBench b;
      Shape shape = shapes[1].shape;
      SofaObject *ordering = NULL;
      bench_open_with(&b, names[k], CRS, NULL, NULL);
      assert_int_equal(sofa_object_create(b.root, sofa_factory_find(b.ctx, orders[o], NULL),
                                          "order", NULL, &ordering),
                       SOFA_OK);
      bench_matrix(&b, shapes[1].n, shaped, &shape);
      bench_random_b(&b, 8);
      Dense d = dense_of(b.matrix);
      assert_true(dense_solve(&d, b.b, b.expected));
      assert_int_equal(solve(&b), SOFA_OK);
      assert_true(bench_error(&b) < 1e-12);
      free(d.a);
      bench_close(&b);
    }
  }
}

static void reuse(void **state) {
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    for (size_t s = 0; s < 2; s++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      bench_open_with(&b, symmetric_solvers[k], CRS, NULL, NULL);
      const CholmodSolver *c = ((CholmodLinearSolver *)b.solver)->cholmod;
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      bench_random_b(&b, 4);
      assert_int_equal(solve(&b), SOFA_OK);
      assert_int_equal(solve(&b), SOFA_OK);
      CholmodCounts n = cholmod_solver_counts(c);
      assert_true(n.analyses == 1 && n.factorizations == 1 && n.solves == 2);

      /* other values: no analysis, nothing allocated */
      shape.scale = 3;
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      const uint64_t allocations = b.ctx->n_allocations;
      assert_int_equal(solve(&b), SOFA_OK);
      assert_int_equal(b.ctx->n_allocations, allocations);
      n = cholmod_solver_counts(c);
      assert_true(n.analyses == 1 && n.factorizations == 2);

      /* another pattern */
      shape.reach++;
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      Dense d = dense_of(b.matrix);
      assert_true(dense_solve(&d, b.b, b.expected));
      assert_int_equal(solve(&b), SOFA_OK);
      assert_true(bench_error(&b) < 1e-12);
      n = cholmod_solver_counts(c);
      assert_true(n.analyses == 2 && n.factorizations == 3);
      free(d.a);
      bench_close(&b);
    }
  }
}

/* Results do not depend on threads, and the user's BLAS setting is given back. */
static void threads(void **state) {
  (void)state;
  static const char *const names[] = {"SparseLDLSolver", "EigenSparseLU"};
  for (size_t k = 0; k < 2; k++) {
    double *first = NULL;
    for (int n = 1; n <= 2; n++) {
      SolverBench b;
      Shape shape = {.reach = 40, .far = 300, .diagonal = 200};
      const SofaContextOptions options = {.threads = n};
      bench_open_with(&b, names[k], CRS, &options, NULL);
      if (openblas_set_num_threads) openblas_set_num_threads(n);
      bench_matrix(&b, 400, shaped, &shape);
      bench_random_b(&b, 8);
      assert_int_equal(solve(&b), SOFA_OK);
      if (openblas_get_num_threads) assert_int_equal(openblas_get_num_threads(), n);
      if (first) assert_memory_equal(first, b.x, b.n * sizeof *first);
      else {
        first = malloc(b.n * sizeof *first);
        memcpy(first, b.x, b.n * sizeof *first);
      }
      bench_close(&b);
    }
    free(first);
  }
}

static void cholesky(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    SolverBench b;
    Shape shape = shapes[0].shape;
    shape.skew = k == 1 ? 0.5 : 0; /* the lower triangle is read */
    shape.alternate = k == 2;
    bench_open_with(&b, "CholeskySolver", k ? "FullMatrix" : "SparseMatrix", NULL, NULL);
    bench_matrix(&b, 10, shaped, &shape);
    bench_random_b(&b, 6);
    Dense d = dense_of(b.matrix);
    for (size_t i = 0; i < d.rows; i++)
      for (size_t j = i; j < d.rows; j++) *dense_at(&d, i, j) = *dense_at(&d, j, i);
    assert_true(dense_solve(&d, b.b, b.expected));
    assert_int_equal(solve(&b), k == 2 ? SOFA_ERR_SINGULAR : SOFA_OK);
    if (k == 2) assert_non_null(strstr(b.said, "not positive definite: pivot <= 0 at dof 1"));
    else assert_true(bench_error(&b) < 1e-12);
    free(d.a);
    bench_close(&b);
  }
}

/* Small singular values are left out: the solution of least norm of what is left. */
static void singular_values(void **state) {
  (void)state;
  SolverBench b;
  Shape shape = shapes[0].shape;
  bench_open_with(&b, "SVDLinearSolver", "FullMatrix", NULL, NULL);
  bench_matrix(&b, 10, holed, &shape);
  bench_random_b(&b, 5);
  Dense d = dense_of(b.matrix);
  *dense_at(&d, 4, 4) = 1;
  b.b[4] = 0;
  assert_true(dense_solve(&d, b.b, b.expected));
  b.b[4] = 7; /* cannot be reached */
  assert_int_equal(solve(&b), SOFA_OK);
  assert_true(bench_error(&b) < 1e-12 && fabs(b.x[4]) < 1e-12);
  free(d.a);
  bench_close(&b);
}

static void rank_deficient(void **state) {
  (void)state;
  SolverBench b;
  Shape shape = shapes[0].shape;
  bench_open_with(&b, "EigenSparseQR", CRS, NULL, NULL);
  bench_matrix(&b, 10, holed, &shape);
  bench_random_b(&b, 5);
  assert_int_equal(solve(&b), SOFA_ERR_SINGULAR);
  assert_int_equal(b.n_errors, 1);
  bench_close(&b);
}

/* Blocks of three in a chain, also when their number is odd; other matrices are refused, or cut
 * down to the band as in SOFA. */
static void tridiagonal(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    SolverBench b;
    const uint32_t n = k == 1 ? 9 : 20;
    Shape shape = {.reach = 1, .far = k >= 2 ? 7 : 0, .diagonal = 12, .skew = 0.3};
    const SofaContextOptions options = {.quirks = k == 3};
    bench_open_with(&b, "BTDLinearSolver", "BTDMatrix6d", &options, NULL);
    bench_matrix(&b, n, shaped, &shape);
    bench_random_b(&b, 6);
    Dense d = dense_of(b.matrix);
    for (size_t i = 0; i < d.rows; i++)
      for (size_t j = 0; j < d.rows; j++)
        if (i / 6 > j / 6 + 1 || j / 6 > i / 6 + 1) *dense_at(&d, i, j) = 0;
    assert_true(dense_solve(&d, b.b, b.expected));
    assert_int_equal(solve(&b), k == 2 ? SOFA_ERR_ARGUMENT : SOFA_OK);
    if (k == 2) assert_non_null(strstr(b.said, "entry (0, 21)"));
    else assert_true(bench_error(&b) < 1e-12);
    assert_int_equal(b.n_warnings, k == 3);
    free(d.a);
    bench_close(&b);
  }
}

/* The first matrix is kept as long as the plan is. */
static void precomputed(void **state) {
  (void)state;
  SolverBench b;
  Shape shape = shapes[0].shape;
  bench_open_with(&b, "PrecomputedLinearSolver", "FullVector", NULL, NULL);
  b.system->system.enable_assembly = true;
  b.mechanics.serial = 1;
  bench_matrix(&b, 10, shaped, &shape);
  bench_random_b(&b, 6);
  Dense d = dense_of(b.matrix);
  assert_true(dense_solve(&d, b.b, b.expected));
  for (int k = 0; k < 3; k++) {
    shape.scale = 1 + k;
    bench_matrix(&b, 10, shaped, &shape);
    b.mechanics.serial = k < 2 ? 1 : 2;
    assert_int_equal(solve(&b), SOFA_OK);
    for (size_t i = 0; i < b.n && k == 2; i++) b.x[i] *= 3;
    assert_true(bench_error(&b) < 1e-12);
  }
  free(d.a);
  bench_close(&b);
}

/* The factor of the current matrix; in SOFA's way one that is up to 31 builds old. */
static void late_factors(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SolverBench b;
    Shape shape = shapes[0].shape;
    const SofaContextOptions options = {.quirks = quirks};
    bench_open_with(&b, "AsyncSparseLDLSolver", CRS, &options, NULL);
    b.mechanics.serial = 1;
    bench_matrix(&b, 10, shaped, &shape);
    bench_random_b(&b, 6);
    Dense d = dense_of(b.matrix);
    assert_true(dense_solve(&d, b.b, b.expected));
    for (int k = 1; k <= 40; k++) {
      shape.scale = k;
      bench_matrix(&b, 10, shaped, &shape);
      const double used = !quirks ? k : k < 18 ? 1 : k < 34 ? 2 : 18;
      for (int again = 0; again < 2; again++) {
        assert_int_equal(solve(&b), SOFA_OK);
        for (size_t i = 0; i < b.n; i++) b.x[i] *= used;
        assert_true(bench_error(&b) < 1e-12);
      }
    }
    free(d.a);
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definite),        cmocka_unit_test(indefinite),
      cmocka_unit_test(not_positive),    cmocka_unit_test(singular),
      cmocka_unit_test(not_a_number),    cmocka_unit_test(halves),
      cmocka_unit_test(orderings),       cmocka_unit_test(reuse),
      cmocka_unit_test(threads),         cmocka_unit_test(cholesky),
      cmocka_unit_test(singular_values), cmocka_unit_test(rank_deficient),
      cmocka_unit_test(tridiagonal),     cmocka_unit_test(precomputed),
      cmocka_unit_test(late_factors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
