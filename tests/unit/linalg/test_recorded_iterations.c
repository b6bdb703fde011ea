/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What iterative solvers tell the observer of convergence: a row per iteration, the last of which
 * is the residual they report, which is the true one. */
#include "solver_bench.h"

#include "simulation/convergence.h"

enum { MOST = 100 };

typedef struct Seen {
  SofaConvergenceRow row[MOST];
  int n;
} Seen;

static void see(void *user, const SofaConvergenceRow *row) {
  Seen *seen = user;
  assert_true(seen->n < MOST);
  seen->row[seen->n++] = *row;
}

static const struct {
  const char *name, *template_name, *fields[9];
  bool estimated; /* the residual is that of a recurrence */
} cases[] = {
    {"CGLinearSolver", "GraphScattered", {"tolerance", "1e-9", "threshold", "0"}, false},
    {"CGLinearSolver", "GraphScattered", {"iterations", "4", "threshold", "0"}, false},
    {"CGLinearSolver",
     "GraphScattered",
     {"tolerance", "1e-9", "threshold", "0", "warmStart", "1"},
     false},
    {"PCGLinearSolver", "GraphScattered", {"tolerance", "1e-18"}, false},
    {"PCGLinearSolver", "GraphScattered", {"iterations", "4", "tolerance", "0"}, false},
    {"MinResLinearSolver", "GraphScattered", {"tolerance", "1e-9"}, true},
    {"MinResLinearSolver", "GraphScattered", {"iterations", "4", "tolerance", "0"}, true},
    {"ConjugateGradientSolver", "GraphScattered", {NULL}, false},
    {"ConjugateGradientSolver",
     "CompressedRowSparseMatrixd",
     {"preconditioning_method", "IncompleteCholesky"},
     false},
    {"ConjugateGradientSolver",
     "CompressedRowSparseMatrixd",
     {"maximum_number_of_iterations", "3", "preconditioning_method", "Diagonal"},
     false},
};

static double norm(size_t n, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

/* The rows of the solve that was just made. */
static void check_rows(const SolverBench *b, const Seen *seen, const double *r, double tolerance) {
  const SofaLinearSolver *s = b->solver;
  const SofaConvergenceRow *last = &seen->row[seen->n - 1], *end = last - 1;
  assert_int_equal(seen->n, s->result.iterations + 2);
  assert_int_equal(last->kind, SOFA_CONVERGENCE_LINEAR);
  assert_int_equal(last->linear_iterations, s->result.iterations);
  for (int i = 0; i < seen->n - 1; i++) {
    const SofaConvergenceRow *row = &seen->row[i];
    assert_int_equal(row->kind, SOFA_CONVERGENCE_ITERATION);
    assert_int_equal(row->iteration, i);
    assert_ptr_equal(row->solver, s);
    assert_true(row->residual > 0 && row->reason[0] == 0);
    assert_true(fabs(row->relative_residual * norm(b->n, b->b) - row->residual) <
                1e-13 * row->residual);
  }
  assert_true(fabs(end->relative_residual - s->result.residual) <= 1e-13 * s->result.residual);
  assert_true(fabs(end->residual - last->residual) <= 1e-13 * end->residual);

  /* and it is the true one */
  assert_true(fabs(norm(b->n, r) - end->residual) < tolerance * norm(b->n, b->b));
}

static void rows_of_every_method(void **state) {
  (void)state;
  static const Shape shape = {.reach = 3, .far = 7, .diagonal = 15};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SolverBench b;
    Seen seen = {0};
    const SofaConvergence observer = {see, &seen};
    bench_open_shaped(&b, cases[k].name, cases[k].template_name, NULL, cases[k].fields, 20, shape);
    Dense d = dense_of(b.matrix);
    double *r = calloc(b.n, sizeof *r);
    for (int again = 0; again < 2; again++) {
      for (size_t i = 0; i < b.n; i++) b.b[i] += 0.1 * again;
      sofa_convergence_observe(b.ctx, &observer);
      seen.n = 0;
      assert_int_equal(bench_solve(&b), SOFA_OK);
      sofa_convergence_observe(b.ctx, NULL);
      assert_true(b.solver->result.iterations > 1);
      dense_times(&d, b.x, r);
      for (size_t i = 0; i < b.n; i++) r[i] = b.b[i] - r[i];
      check_rows(&b, &seen, r, cases[k].estimated ? 1e-8 : 1e-12);
    }
    free(r), free(d.a);
    bench_close(&b);
  }
}

/* A record changes nothing; without an observer none is made. */
static void recording_changes_nothing(void **state) {
  (void)state;
  static const Shape shape = {.reach = 3, .far = 7, .diagonal = 15};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SolverBench b[2];
    Seen seen = {0};
    const SofaConvergence observer = {see, &seen};
    for (int which = 0; which < 2; which++) {
      bench_open_shaped(&b[which], cases[k].name, cases[k].template_name, NULL, cases[k].fields, 20,
                        shape);
      if (which) sofa_convergence_observe(b[which].ctx, &observer);
      assert_int_equal(bench_solve(&b[which]), SOFA_OK);
      assert_int_equal(seen.n > 0, which);
      assert_false(sofa_linear_solver_recorded(b[which].solver));
    }
    assert_memory_equal(b[0].x, b[1].x, b[0].n * sizeof *b[0].x);
    bench_close(&b[0]), bench_close(&b[1]);
  }
}

/* b = 0: nothing to do, and no division by |b|. */
static void nothing_to_solve(void **state) {
  (void)state;
  static const Shape shape = {.reach = 3, .diagonal = 15};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SolverBench b;
    Seen seen = {0};
    const SofaConvergence observer = {see, &seen};
    bench_open_shaped(&b, cases[k].name, cases[k].template_name, NULL, cases[k].fields, 20, shape);
    memset(b.b, 0, b.n * sizeof *b.b);
    sofa_convergence_observe(b.ctx, &observer);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_true(seen.n >= 1 && seen.row[seen.n - 1].kind == SOFA_CONVERGENCE_LINEAR);
    assert_true(b.solver->result.residual == 0 && b.solver->result.iterations == 0);
    for (int i = 0; i < seen.n - 1; i++) {
      assert_true(seen.row[i].residual == 0 && isnan(seen.row[i].relative_residual));
    }
    bench_close(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_every_method),
      cmocka_unit_test(recording_changes_nothing),
      cmocka_unit_test(nothing_to_solve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
