/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solvers against dense elimination: definite, indefinite and other matrices, reuse. (What
 * they refuse: test_failing_matrices.c.) */
#include "solver_bench.h"

#include "numerics/direct/blas_threads.h"
#include "numerics/direct/cholmod_solver.h"
#include "numerics/direct/umfpack_solver.h"
#include "tests/support/gpl_parts.h"

#define CRS "CompressedRowSparseMatrixMat3x3d"
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* those of CHOLMOD first */
static const char *const sparse_solvers[] = {
    "SparseLDLSolver",      "EigenSimplicialLDLT", "AsyncSparseLDLSolver", "EigenSimplicialLLT",
    "CholmodSupernodalLLT", "EigenSparseLU",       "EigenSparseQR",        "SVDLinearSolver"};
enum { N_LDL = 3, N_CHOLMOD = 5 };

/* AsyncSparseLDLSolver solves with the matrix that it has. */
static const char *const at_once[] = {"handOver", "0", NULL};

static const char *const *fields_of(const char *name) {
  return strcmp(name, "AsyncSparseLDLSolver") == 0 ? at_once : NULL;
}

static SofaCholmodCounts counts_of(const SolverBench *b) {
  return sofa_cholmod_solver_counts(((const SofaCholmodLinearSolver *)b->solver)->cholmod);
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
  for (size_t k = 0; k < COUNT(sparse_solvers); k++) {
    if (lacks_gpl_part(sparse_solvers[k])) continue;
    for (size_t s = 0; s < COUNT(shapes); s++) {
      SolverBench b;
      bench_open_shaped(&b, sparse_solvers[k], CRS, NULL, fields_of(sparse_solvers[k]), shapes[s].n,
                        shapes[s].shape);
      bench_expect(&b, 1e-12);
      if (k < N_CHOLMOD)
        assert_int_equal(counts_of(&b).supernodal,
                         sofa_has_gpl_parts() && (s == 1 || k == N_CHOLMOD - 1));
      bench_close(&b);
    }
  }
}

/* Also after other values of the matrix. */
static void indefinite(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT(sparse_solvers); k++) {
    if ((k >= N_LDL && k < N_CHOLMOD) || lacks_gpl_part(sparse_solvers[k])) continue;
    for (size_t s = 0; s < 2; s++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      shape.alternate = true;
      bench_open_shaped(&b, sparse_solvers[k], CRS, NULL, fields_of(sparse_solvers[k]), shapes[s].n,
                        shape);
      bench_expect(&b, 1e-11);
      shape.scale = 2;
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      bench_expect(&b, 1e-11);
      bench_close(&b);
    }
  }
}

/* Which half of a matrix that is not symmetric is read in SOFA's way; LU reads all of it. */
static void halves(void **state) {
  (void)state;
  static const SofaContextOptions quirks = {.quirks = true};
  static const size_t solvers[] = {0, 1, 3, 5};
  for (size_t s = 0; s < 2; s++) {
    for (size_t k = 0; k < COUNT(solvers); k++) {
      if (lacks_gpl_part(sparse_solvers[solvers[k]])) continue;
      SolverBench b;
      Shape shape = shapes[s].shape;
      const bool reordered = solvers[k] == 0, all = solvers[k] >= N_CHOLMOD;
      shape.skew = 0.5;
      bench_open_shaped(&b, sparse_solvers[solvers[k]], CRS, &quirks,
                        fields_of(sparse_solvers[solvers[k]]), shapes[s].n, shape);
      Dense d = dense_of(b.matrix), read = dense_new(d.rows, d.rows);

      /* rank of a row: its number, or its place in the order of elimination */
      int *order = calloc(d.rows, sizeof *order), *rank = calloc(d.rows, sizeof *rank);
      SofaBlockRows rows;
      sofa_block_matrix_rows(b.matrix, &rows);
      assert_int_equal(sofa_order_scalars(b.ctx, &rows, NULL, SOFA_ORDER_SPARSEST, order), SOFA_OK);
      for (size_t i = 0; i < d.rows; i++) rank[reordered ? (size_t)order[i] : i] = (int)i;
      for (size_t i = 0; i < d.rows; i++)
        for (size_t j = 0; j < d.rows; j++)
          *dense_at(&read, i, j) =
              all || rank[i] >= rank[j] ? *dense_at(&d, i, j) : *dense_at(&d, j, i);
      bench_expect_of(&b, &read, 1, 1e-12);
      assert_int_equal(bench_solve(&b), SOFA_OK);
      assert_int_equal(b.n_warnings, !all);
      free(order);
      free(rank), free(d.a), free(read.a);
      bench_close(&b);
    }
  }
}

/* Every ordering is a permutation, and every solver that takes one solves with it. */
static void orderings(void **state) {
  (void)state;
  static const char *const orders[] = {"NaturalOrderingMethod", "AMDOrderingMethod",
                                       "COLAMDOrderingMethod", "MetisOrderingMethod"};
  static const size_t solvers[] = {0, 4, 5, 6};
  for (size_t o = 0; o < COUNT(orders); o++) {
    for (size_t k = 0; k < COUNT(solvers); k++) {
      if (lacks_gpl_part(sparse_solvers[solvers[k]])) continue;
      SolverBench b;
      SofaObject *ordering = NULL;
      bench_open_shaped(&b, sparse_solvers[solvers[k]], CRS, NULL,
                        fields_of(sparse_solvers[solvers[k]]), shapes[1].n, shapes[1].shape);
      assert_int_equal(sofa_object_create(b.root, sofa_factory_find(b.ctx, orders[o], NULL),
                                          "order", NULL, &ordering),
                       SOFA_OK);
      bench_expect(&b, 1e-12);
      int *order = calloc(b.n, sizeof *order);
      char seen[450] = {0};
      SofaBlockRows rows;
      sofa_block_matrix_rows(b.matrix, &rows);
      assert_int_equal(sofa_order_scalars(b.ctx, &rows, (SofaOrdering *)ordering, 0, order),
                       SOFA_OK);
      for (size_t i = 0; i < b.n; i++) assert_int_equal(seen[order[i]]++, 0);
      free(order);
      bench_close(&b);
    }
  }
}

/* An ordering takes effect: it decides how the solution is rounded. */
static void ordering_of_qr(void **state) {
  (void)state;
  double *x[3];
  size_t n = 0;
  static const char *const orders[] = {NULL, "NaturalOrderingMethod", "AMDOrderingMethod"};
  if (lacks_gpl_part("EigenSparseQR")) skip();
  for (size_t o = 0; o < 3; o++) {
    SolverBench b;
    SofaObject *ordering = NULL;
    bench_open_shaped(&b, "EigenSparseQR", CRS, NULL, NULL, shapes[1].n, shapes[1].shape);
    if (orders[o])
      assert_int_equal(sofa_object_create(b.root, sofa_factory_find(b.ctx, orders[o], NULL),
                                          "order", NULL, &ordering),
                       SOFA_OK);
    bench_expect(&b, 1e-12);
    n = b.n;
    x[o] = malloc(n * sizeof *x[o]);
    memcpy(x[o], b.x, n * sizeof *x[o]);
    bench_close(&b);
  }
  assert_memory_not_equal(x[0], x[1], n * sizeof *x[0]);
  assert_memory_not_equal(x[1], x[2], n * sizeof *x[0]);
  for (size_t o = 0; o < 3; o++) free(x[o]);
}

/* precomputeSymbolicDecomposition: off, every matrix is analysed, but not every solve. */
static void analyses_of_ldl(void **state) {
  (void)state;
  for (int keep = 0; keep < 2; keep++) {
    SolverBench b;
    Shape shape = shapes[1].shape;
    const char *const fields[] = {"precomputeSymbolicDecomposition", keep ? "1" : "0", NULL};
    bench_open_shaped(&b, "SparseLDLSolver", CRS, NULL, fields, shapes[1].n, shape);
    for (int k = 1; k <= 3; k++) {
      shape.scale = k;
      bench_matrix(&b, shapes[1].n, shaped, &shape);
      for (int again = 0; again < 2; again++) bench_expect(&b, 1e-12);
      assert_int_equal(counts_of(&b).analyses, keep ? 1 : k);
    }
    bench_close(&b);
  }
}

static void count_infos(void *user, const SofaMessage *m) {
  *(int *)user += m->severity == SOFA_INFO && strstr(m->text, "condition number");
}

static void verbose_svd(void **state) {
  (void)state;
  static const char *const words[][2] = {{"verbose", "0"}, {"verbose", "1"}, {"printLog", "1"}};
  for (int k = 0; k < 3; k++) {
    SolverBench b;
    int infos = 0;
    const char *const fields[] = {words[k][0], words[k][1], NULL};
    bench_open_shaped(&b, "SVDLinearSolver", "FullMatrix", NULL, fields, 5, shapes[0].shape);
    b.ctx->sink = count_infos;
    b.ctx->sink_user = &infos;
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_int_equal(infos, k > 0);
    bench_close(&b);
  }
}

/* The fields of CholmodSupernodalLLT. */
static void supernodal_fields(void **state) {
  (void)state;
  static const char *const orders[] = {"sparsest", "natural", "amd", "colamd", "metis"};
  double entries[COUNT(orders)];
  for (size_t o = 0; o < COUNT(orders); o++) {
    SolverBench b;
    const char *const fields[] = {"ordering", orders[o], "deterministic", "0", "blasThreads",
                                  "2",        NULL};
    bench_open_shaped(&b, "CholmodSupernodalLLT", CRS, NULL, fields, 150, shapes[1].shape);
    bench_expect(&b, 1e-12);
    entries[o] = counts_of(&b).l_entries;
    assert_int_equal(b.n_warnings, 0);
    bench_close(&b);
  }
  assert_true(entries[0] <= entries[2] && entries[0] <= entries[4] && entries[0] < entries[1]);

  /* threads are not used in a deterministic run, which is said */
  static const char *const threads[] = {"numThreads", "2", NULL};
  SolverBench b;
  bench_open_shaped(&b, "EigenCholmodSupernodalLLT", CRS, NULL, threads, 10, shapes[0].shape);
  assert_int_equal(b.n_warnings, 1);
  assert_non_null(strstr(b.said, "deterministic"));
  bench_close(&b);
}

static void reuse(void **state) {
  (void)state;
  for (size_t k = 0; k < N_CHOLMOD; k++) {
    for (size_t s = 0; s < 2; s++) {
      SolverBench b;
      Shape shape = shapes[s].shape;
      bench_open_shaped(&b, sparse_solvers[k], CRS, NULL, fields_of(sparse_solvers[k]), shapes[s].n,
                        shape);
      assert_int_equal(bench_solve(&b), SOFA_OK);
      assert_int_equal(bench_solve(&b), SOFA_OK);
      SofaCholmodCounts n = counts_of(&b);
      assert_true(n.analyses == 1 && n.factorizations == 1 && n.solves == 2);

      /* other values: no analysis, nothing allocated */
      shape.scale = 3;
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      const uint64_t allocations = b.ctx->n_allocations;
      assert_int_equal(bench_solve(&b), SOFA_OK);
      assert_int_equal(b.ctx->n_allocations, allocations);
      n = counts_of(&b);
      assert_true(n.analyses == 1 && n.factorizations == 2);

      /* another pattern */
      shape.reach++;
      bench_matrix(&b, shapes[s].n, shaped, &shape);
      bench_expect(&b, 1e-12);
      n = counts_of(&b);
      assert_true(n.analyses == 2 && n.factorizations == 3);
      bench_close(&b);
    }
  }
}

/* Results do not depend on threads, and the user's BLAS setting is given back. */
static void threads(void **state) {
  (void)state;
  static const char *const names[] = {"SparseLDLSolver", "CholmodSupernodalLLT", "EigenSparseLU"};
  for (size_t k = 0; k < COUNT(names); k++) {
    if (lacks_gpl_part(names[k])) continue;
    double *first = NULL;
    for (int n = 1; n <= 2; n++) {
      SolverBench b;
      const Shape shape = {.reach = 40, .far = 300, .diagonal = 200};
      const SofaContextOptions options = {.threads = n};
      if (openblas_set_num_threads) openblas_set_num_threads(n);
      bench_open_shaped(&b, names[k], CRS, &options, NULL, 400, shape);
      assert_int_equal(bench_solve(&b), SOFA_OK);
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
  static const SofaContextOptions quirks = {.quirks = true};
  for (int k = 0; k < 2; k++) {
    SolverBench b;
    Shape shape = shapes[0].shape;
    shape.skew = k == 1 ? 0.5 : 0; /* the lower triangle is read */
    bench_open_shaped(&b, "CholeskySolver", k ? "FullMatrix" : "SparseMatrix", &quirks, NULL, 10,
                      shape);
    Dense d = dense_of(b.matrix);
    for (size_t i = 0; i < d.rows; i++)
      for (size_t j = i; j < d.rows; j++) *dense_at(&d, i, j) = *dense_at(&d, j, i);
    bench_expect_of(&b, &d, 1, 1e-12);
    free(d.a);
    bench_close(&b);
  }
}

/* Blocks of three in a chain, also when their number is odd; other matrices are refused, or cut
 * down to the band as in SOFA. */
static void tridiagonal(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    SolverBench b;
    const uint32_t n = k == 1 ? 9 : 20;
    const Shape shape = {.reach = 1, .far = k >= 2 ? 7 : 0, .diagonal = 12, .skew = 0.3};
    const SofaContextOptions options = {.quirks = k == 3};
    bench_open_shaped(&b, "BTDLinearSolver", "BTDMatrix6d", &options, NULL, n, shape);
    if (k == 2) {
      assert_int_equal(bench_solve(&b), SOFA_ERR_ARGUMENT);
      assert_non_null(strstr(b.said, "entry (0, 21)"));
      bench_close(&b);
      continue;
    }
    Dense d = dense_of(b.matrix);
    for (size_t i = 0; i < d.rows; i++)
      for (size_t j = 0; j < d.rows; j++)
        if (i / 6 > j / 6 + 1 || j / 6 > i / 6 + 1) *dense_at(&d, i, j) = 0;
    bench_expect_of(&b, &d, 1, 1e-12);
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
  const char *const no_file[] = {"use_file", "0", NULL};
  bench_open_shaped(&b, "PrecomputedLinearSolver", "FullVector", NULL, no_file, 10, shape);
  b.system->system.enable_assembly = true;
  Dense d = dense_of(b.matrix);
  for (int k = 0; k < 3; k++) {
    shape.scale = 1 + k;
    bench_matrix(&b, 10, shaped, &shape);
    b.mechanics.serial = k < 2 ? 1 : 2;
    bench_expect_of(&b, &d, k < 2 ? 1 : 3, 1e-12);
  }
  free(d.a);
  bench_close(&b);
}

/* A factor is taken over a fixed number of matrices after its own (0: at once), in SOFA's way 20
 * solves after it; here each matrix is solved with twice. */
static void late_factors(void **state) {
  (void)state;
  static const char *const fields[][3] = {{"handOver", "0"}, {"handOver", "10"}, {NULL}};
  for (size_t c = 0; c < COUNT(fields); c++) {
    SolverBench b;
    Shape shape = shapes[1].shape;
    const SofaContextOptions options = {.quirks = c == 2};
    bench_open_shaped(&b, "AsyncSparseLDLSolver", CRS, &options, fields[c], shapes[1].n, shape);
    b.mechanics.serial = 1;
    Dense d = dense_of(b.matrix);
    for (int k = 1; k <= 40; k++) {
      shape.scale = k;
      bench_matrix(&b, shapes[1].n, shaped, &shape);
      const double used = c == 0 ? k : k < 12 ? 1 : k < 22 ? 2 : k < 32 ? 12 : 22;
      for (int again = 0; again < 2; again++) bench_expect_of(&b, &d, used, 1e-12);
    }
    free(d.a);
    bench_close(&b);
  }
}

/* A factor that fails in the other thread is reported where it is taken over; an indefinite matrix
 * is factorised in another way. */
static void late_failures(void **state) {
  (void)state;
  static const char *const fields[] = {"handOver", "2", NULL};
  for (int alternate = 0; alternate < 2; alternate++) {
    SolverBench b;
    Shape shape = shapes[1].shape;
    bench_open_shaped(&b, "AsyncSparseLDLSolver", CRS, NULL, fields, shapes[1].n, shape);
    b.mechanics.serial = 1;
    Dense d = dense_of(b.matrix);
    bench_expect_of(&b, &d, 1, 1e-12);
    free(d.a);
    shape.alternate = alternate;
    shape.scale = alternate ? 1 : NAN;
    for (int k = 0; k < 3; k++) {
      bench_matrix(&b, shapes[1].n, shaped, &shape);
      assert_int_equal(bench_solve(&b) == SOFA_OK, alternate || k < 2);
    }
    d = dense_of(b.matrix);
    if (alternate) bench_expect_of(&b, &d, 1, 1e-12);
    else assert_non_null(strstr(b.said, "not finite"));
    free(d.a);
    bench_close(&b);
  }
}

/* EigenSparseLU pivots where a matrix asks for it: not one that is symmetric and definite; the
 * smallest skewness, or an indefinite matrix, does. */
static void definite_lu(void **state) {
  (void)state;
  static const struct {
    double skew;
    bool alternate, definite;
  } cases[] = {{0, false, true}, {1e-12, false, false}, {0, true, false}, {0, false, true}};
  if (lacks_gpl_part("EigenSparseLU")) return;
  SolverBench b;
  Shape shape = shapes[1].shape;
  bench_open_shaped(&b, "EigenSparseLU", CRS, NULL, NULL, shapes[1].n, shape);
  const SofaUmfpackSolver *s = (const SofaUmfpackSolver *)b.solver;
  uint64_t l_u = 0, l_l = 0;
  for (size_t k = 0; k < COUNT(cases); k++) {
    shape.skew = cases[k].skew;
    shape.alternate = cases[k].alternate;
    bench_matrix(&b, shapes[1].n, shaped, &shape);
    Dense d = dense_of(b.matrix);
    for (int again = 0; again < 2; again++) bench_expect_of(&b, &d, 1, 1e-12);
    free(d.a);
    const uint64_t pivoted = s->n_factorizations - l_u;
    assert_int_equal(pivoted, !cases[k].definite);
    if (cases[k].definite)
      assert_int_equal(sofa_cholmod_solver_counts(s->base.cholmod).factorizations, l_l + 1);
    l_u = s->n_factorizations;
    l_l = sofa_cholmod_solver_counts(s->base.cholmod).factorizations;
  }
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definite),       cmocka_unit_test(indefinite),
      cmocka_unit_test(halves),         cmocka_unit_test(orderings),
      cmocka_unit_test(ordering_of_qr), cmocka_unit_test(analyses_of_ldl),
      cmocka_unit_test(verbose_svd),    cmocka_unit_test(supernodal_fields),
      cmocka_unit_test(reuse),          cmocka_unit_test(threads),
      cmocka_unit_test(cholesky),       cmocka_unit_test(tridiagonal),
      cmocka_unit_test(precomputed),    cmocka_unit_test(late_factors),
      cmocka_unit_test(late_failures),  cmocka_unit_test(definite_lu),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
