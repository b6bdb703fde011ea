/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CGLinearSolver against a plain implementation of the same algorithm, and its stopping rules. */
#include "solver_bench.h"

#include "components/builtins.h"

#define CRS "CompressedRowSparseMatrixMat3x3d"

/* The algorithm as SOFA documents it, written down plainly; returns the iterations made. */
typedef struct Rules {
  int iterations;
  double tolerance, threshold;
  bool warm, first_goes_on;
} Rules;

static double dot(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static int plain_cg(const Dense *a, const double *b, double *x, Rules rules) {
  const size_t n = a->rows;
  double *r = calloc(n, 8), *p = calloc(n, 8), *q = calloc(n, 8), last = 1;
  int k = 0;
  if (!rules.warm) memset(x, 0, n * sizeof *x);
  dense_times(a, x, q);
  for (size_t i = 0; i < n; i++) r[i] = b[i] - q[i];
  const double norm = sqrt(dot(n, b, b));
  for (k = 0; k < rules.iterations && norm != 0; k++) {
    const bool goes_on = k == 0 && rules.first_goes_on;
    const double rho = dot(n, r, r);
    if (sqrt(rho) / norm <= rules.tolerance && !goes_on) break;
    for (size_t i = 0; i < n; i++) p[i] = r[i] + (k ? rho / last * p[i] : 0);
    dense_times(a, p, q);
    const double den = dot(n, p, q);
    if (den == 0 || (fabs(den) <= rules.threshold && !goes_on)) break;
    for (size_t i = 0; i < n; i++) x[i] += rho / den * p[i];
    for (size_t i = 0; i < n; i++) r[i] -= rho / den * q[i];
    last = rho;
  }
  free(r), free(p), free(q);
  return k;
}

static void open_cg(SolverBench *b, const SofaContextOptions *options, const char *const *fields,
                    uint32_t n, double scale) {
  const Shape shape = {.reach = 3, .far = 17, .diagonal = 15, .scale = scale};
  bench_open_shaped(b, "CGLinearSolver", CRS, options, fields, n, shape);
  bench_random_b(b, 31);
}

static void iterates(void **state) {
  (void)state;
  const SofaContextOptions options = {.keep_going = true}; /* 0 iterations are refused else */
  for (int k = 0; k <= 12; k++) {
    char text[16];
    snprintf(text, sizeof text, "%d", k);
    const char *const fields[] = {"iterations", text, "tolerance", "0", "threshold", "0", NULL};
    SolverBench b;
    open_cg(&b, &options, fields, 60, 1);
    Dense d = dense_of(b.matrix);
    b.x[0] = 7; /* must not matter */
    assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
    const int made = plain_cg(&d, b.b, b.expected, (Rules){.iterations = k});
    assert_int_equal(b.solver->result.iterations, made);
    /* and one for the true residual in the warning */
    assert_int_equal(b.system->products, k + (b.solver->result.converged ? 0 : 1));
    for (size_t i = 0; i < b.n; i++) assert_true(fabs(b.x[i] - b.expected[i]) < 1e-13);
    free(d.a);
    bench_close(&b);
  }
}

static void stops(void **state) {
  (void)state;
  static const struct {
    const char *tolerance, *threshold;
    bool warm;
  } rules[] = {{"1e-3", "0", false}, {"1e-8", "0", false},    {"0", "1e-2", false},
               {"0", "1e-9", false}, {"1e-5", "1e-5", false}, {"1e-5", "1e-5", true},
               {"1e-9", "0", true}};
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
    const char *const fields[] = {"iterations", "200",
                                  "tolerance",  rules[k].tolerance,
                                  "threshold",  rules[k].threshold,
                                  "warmStart",  rules[k].warm ? "1" : "0",
                                  NULL};
    SolverBench b;
    open_cg(&b, NULL, fields, 60, 1);
    Dense d = dense_of(b.matrix);
    const Rules r = {200, atof(rules[k].tolerance), atof(rules[k].threshold), rules[k].warm, false};
    for (int solve = 0; solve < 3; solve++) {
      bench_random_b(&b, 31 + (uint64_t)(solve == 2));
      assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
      assert_int_equal(plain_cg(&d, b.b, b.expected, r), b.solver->result.iterations);
      for (size_t i = 0; i < b.n; i++) assert_true(fabs(b.x[i] - b.expected[i]) < 1e-12);
    }
    assert_int_equal(b.n_warnings, 0);
    free(d.a);
    bench_close(&b);
  }
}

/* The threshold holds at once: nothing is done, except in SOFA's first solve. */
static void first_solve(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    const char *const fields[] = {"iterations", "5", "tolerance", "0", "threshold", "1e6", NULL};
    const SofaContextOptions options = {.quirks = quirks};
    SolverBench b;
    open_cg(&b, &options, fields, 10, 1);
    Dense d = dense_of(b.matrix);
    for (int solve = 0; solve < 2; solve++) {
      const Rules r = {5, 0, 1e6, false, quirks && solve == 0};
      assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
      assert_int_equal(plain_cg(&d, b.b, b.expected, r), b.solver->result.iterations);
      assert_int_equal(b.solver->result.iterations, quirks && solve == 0 ? 1 : 0);
      for (size_t i = 0; i < b.n; i++) assert_true(fabs(b.x[i] - b.expected[i]) < 1e-12);
    }
    assert_int_equal(b.n_warnings, 2);
    assert_non_null(strstr(b.said, "the field 'threshold' ended them"));
    free(d.a);
    bench_close(&b);
  }
}

static void special_sides(void **state) {
  (void)state;
  const char *const fields[] = {"tolerance", "-1", "threshold", "-2", "warmStart", "1", NULL};
  SolverBench b;
  open_cg(&b, NULL, fields, 10, 1);
  assert_int_equal(b.n_warnings, 2);

  /* b = 0 leaves a warm start untouched */
  memset(b.b, 0, b.n * sizeof *b.b);
  b.x[2] = 5;
  assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
  assert_true(b.x[2] == 5);
  assert_int_equal(b.solver->result.iterations, 0);

  b.b[7] = NAN;
  assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_ERR_NOT_FINITE);
  assert_non_null(strstr(b.said, "right-hand side is not finite at dof 7"));
  bench_close(&b);
}

static void no_waste(void **state) {
  (void)state;
  const char *const fields[] = {"iterations", "40", "tolerance", "1e-12", "threshold", "0", NULL};
  SolverBench b;
  open_cg(&b, NULL, fields, 60, 1);
  assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
  const uint64_t allocations = b.ctx->n_allocations;
  assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
  assert_int_equal(b.ctx->n_allocations, allocations);

  /* the series of residuals is a field */
  SofaText text = {0};
  const SofaField *graph = sofa_class_field(b.solver->object.klass, "graph");
  assert_int_equal(sofa_field_print(&b.solver->object, graph, &text), SOFA_OK);
  assert_true(text.n > 2 && text.data[0] == '1');
  sofa_list_free(b.ctx, &text);
  bench_close(&b);
}

static void threads(void **state) {
  (void)state;
  double *first = NULL;
  for (int n = 1; n <= 3; n++) {
    const char *const fields[] = {"iterations", "30", "tolerance", "0", "threshold", "0", NULL};
    const SofaContextOptions options = {.threads = n};
    SolverBench b;
    Shape shape = {.reach = 1, .far = 700, .diagonal = 15};
    bench_open_with(&b, "CGLinearSolver", CRS, &options, fields);
    bench_matrix(&b, 2000, shaped, &shape);
    bench_random_b(&b, 31);
    assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
    if (!first) {
      first = malloc(b.n * sizeof *first);
      memcpy(first, b.x, b.n * sizeof *first);
    }
    assert_memory_equal(first, b.x, b.n * sizeof *first);
    bench_close(&b);
  }
  free(first);
}

/* ---- finding the linear system ---- */

static SofaObject *make(SolverBench *b, SofaNode *node, const char *klass, const char *name,
                        const char *template_name) {
  SofaObject *object = NULL;
  assert_int_equal(sofa_object_create(node, sofa_factory_find(b->ctx, klass, NULL), name,
                                      template_name, &object),
                   SOFA_OK);
  return object;
}

static SofaLinearSystem *system_of(SofaObject *solver) {
  assert_int_equal(sofa_object_run(solver, SOFA_RUN_INIT), SOFA_OK);
  return ((SofaLinearSolver *)solver)->system;
}

static void systems(void **state) {
  (void)state;
  SolverBench b = {0};
  SofaNode *child = NULL;
  const SofaContextOptions options = {.sink = bench_sink, .sink_user = &b};
  assert_int_equal(sofa_context_create(&options, &b.ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(b.ctx), SOFA_OK);
  assert_int_equal(sofa_node_create(b.ctx, NULL, "root", &b.root), SOFA_OK);
  b.root->graph_version = &b.graph_version;
  assert_int_equal(sofa_node_create(b.ctx, b.root, "child", &child), SOFA_OK);

  /* made by the solver, of the class its template asks for */
  SofaObject *cg = make(&b, child, "CGLinearSolver", "cg", "GraphScattered");
  assert_string_equal(system_of(cg)->object.klass->name, "MatrixFreeSystem");
  SofaObject *ldl = make(&b, child, "SparseLDLSolver", "ldl", "CompressedRowSparseMatrixd");
  assert_string_equal(system_of(ldl)->object.klass->name, "MatrixLinearSystem");
  assert_string_equal(system_of(ldl)->object.template_name, "CompressedRowSparseMatrixd");

  /* found above, unless another solver has it; only of the same template */
  SofaObject *free_system = make(&b, b.root, "MatrixLinearSystem", "free", CRS);
  SofaObject *first = make(&b, child, "SparseLDLSolver", "first", CRS);
  SofaObject *second = make(&b, child, "SparseLDLSolver", "second", CRS);
  assert_ptr_equal(system_of(first), free_system);
  assert_ptr_not_equal(system_of(second), free_system);
  assert_int_equal(b.n_warnings, 0);

  /* a linked system of another template is not used */
  SofaObject *wrong = make(&b, child, "EigenSimplicialLDLT", "wrong", "CompressedRowSparseMatrixd");
  ((SofaLinearSolver *)wrong)->linear_system.target = free_system;
  assert_ptr_not_equal(system_of(wrong), free_system);
  assert_int_equal(b.n_warnings, 1);

  /* an ODE solver takes the first linear solver in its node, then below */
  assert_ptr_equal(sofa_node_linear_solver(b.root), cg);
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iterates),      cmocka_unit_test(stops),    cmocka_unit_test(first_solve),
      cmocka_unit_test(special_sides), cmocka_unit_test(no_waste), cmocka_unit_test(threads),
      cmocka_unit_test(systems),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
