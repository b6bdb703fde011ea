/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PCGLinearSolver, MinResLinearSolver and preconditioners against plain dense versions of their
 * formulas, and whole scenes with every combination against a direct solver. */
#include "solver_bench.h"

#include "components/linearsolver/rotation_matrix_system.h"
#include "tests/support/scene_run.h"
#include "tests/support/gpl_parts.h"

/* ---- preconditioners by themselves ---- */

static const Shape definite = {.reach = 3, .far = 7, .diagonal = 15};

static void jacobi(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    SolverBench b;
    bench_open_shaped(&b, k ? "BlockJacobiPreconditioner" : "JacobiPreconditioner",
                      k ? "FullVector" : "DiagonalMatrix", NULL, NULL, 20, definite);
    Dense d = dense_of(b.matrix);
    for (size_t i = 0; i < d.rows; i++)
      for (size_t j = 0; j < d.rows; j++)
        if (k ? i / 3 != j / 3 : i != j) *dense_at(&d, i, j) = 0;
    assert_true(dense_solve(&d, b.b, b.expected));
    assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
    assert_true(bench_error(&b) < 1e-14);

    /* another matrix */
    Shape twice = definite;
    twice.scale = 2;
    bench_matrix(&b, 20, shaped, &twice);
    assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
    for (size_t i = 0; i < b.n; i++) b.x[i] *= 2;
    assert_true(bench_error(&b) < 1e-14);
    free(d.a);
    bench_close(&b);
  }
}

/* z from (D/w + U) w/(2 - w) D^-1 (D/w + L) z = r: the sweep against the rows comes first. */
static void over_relaxation(void **state) {
  (void)state;
  static const char *const omegas[] = {"1", "0.7", "1.6"};
  for (int k = 0; k < 3; k++) {
    SolverBench b;
    const char *const fields[] = {"omega", omegas[k], NULL};
    bench_open_shaped(&b, "SSORPreconditioner", "CompressedRowSparseMatrixd", NULL, fields, 20,
                      definite);
    const double w = atof(omegas[k]);
    Dense a = dense_of(b.matrix);
    Dense q = dense_new(a.rows, a.rows);
    for (size_t i = 0; i < a.rows; i++)
      for (size_t j = 0; j < a.rows; j++) {
        for (size_t m = i > j ? i : j; m < a.rows; m++) {
          const double d = *dense_at(&a, m, m);
          const double left = m == i ? d / w : *dense_at(&a, i, m);
          const double right = m == j ? d / w : *dense_at(&a, m, j);
          *dense_at(&q, i, j) += left * right / d * w / (2 - w);
        }
      }
    assert_true(dense_solve(&q, b.b, b.expected));
    assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
    assert_true(bench_error(&b) < 1e-12);
    free(a.a), free(q.a);
    bench_close(&b);
  }
}

/* Levels of fill by their recurrence: lev(i, j) = min(lev(i, j), lev(i, k) + lev(k, j) + 1). */
static void plain_levels(const Dense *a, Dense *level) {
  const size_t n = a->rows;
  for (size_t i = 0; i < n * n; i++) level->a[i] = a->a[i] != 0 ? 0 : 1e9;
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++)
      for (size_t j = k + 1; j < n; j++) {
        const double new_level = *dense_at(level, i, k) + *dense_at(level, k, j) + 1;
        *dense_at(level, i, j) = fmin(*dense_at(level, i, j), new_level);
      }
}

/* L L^T over the entries of the lower triangle up to a level of fill; scalar by scalar. */
static void plain_incomplete(const Dense *a, double shift, double most, Dense *l) {
  Dense level = dense_new(a->rows, a->rows);
  plain_levels(a, &level);
  for (size_t i = 0; i < a->rows; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = a->a[i * a->rows + j];
      if (i == j) sum *= 1 + shift;
      else if (*dense_at(&level, i, j) > most) continue;
      for (size_t k = 0; k < j; k++) sum -= *dense_at(l, i, k) * *dense_at(l, j, k);
      *dense_at(l, i, j) = i == j ? sqrt(sum) : sum / *dense_at(l, j, j);
    }
  }
  free(level.a);
}

/* a = L L^T */
static Dense times_transposed(const Dense *l) {
  Dense a = dense_new(l->rows, l->rows);
  for (size_t i = 0; i < l->rows; i++)
    for (size_t j = 0; j < l->rows; j++)
      for (size_t m = 0; m <= i && m <= j; m++)
        *dense_at(&a, i, j) += l->a[i * l->rows + m] * l->a[j * l->rows + m];
  return a;
}

static void incomplete(void **state) {
  (void)state;
  static const Shape given[] = {{.reach = 3, .far = 7, .diagonal = 15},
                                {.reach = 1, .diagonal = 12}, /* nothing is left out */
                                {.reach = 3, .far = 7, .diagonal = 4.2}};
  for (int k = 0; k < 6; k++) {
    SolverBench b;
    const char *const fields[] = {"block", k % 2 ? "0" : "1", "firstShift", "0.01", NULL};
    bench_open_shaped(&b, "IncompleteCholeskyPreconditioner", "CompressedRowSparseMatrixd", NULL,
                      fields, 20, given[k / 2]);
    Dense a = dense_of(b.matrix), l = dense_new(a.rows, a.rows);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    const SofaField *field = sofa_class_field(b.solver->object.klass, "shift");
    const double shift = *(const double *)sofa_field_value(&b.solver->object, field);
    assert_true(k / 2 < 2 ? shift == 0 : shift > 0);
    plain_incomplete(&a, shift, 0, &l);
    Dense p = times_transposed(&l);
    bench_expect_of(&b, &p, 1, 1e-10);
    if (k / 2 == 1) bench_expect(&b, 1e-12);

    /* other values: no allocation */
    Shape twice = given[k / 2];
    twice.scale = 2;
    bench_matrix(&b, 20, shaped, &twice);
    const uint64_t allocations = b.ctx->n_allocations;
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_int_equal(b.ctx->n_allocations, allocations);
    bench_expect_of(&b, &p, 2, 1e-10);
    free(a.a), free(l.a), free(p.a);
    bench_close(&b);
  }
}

/* Every level against the recurrence, and all of the fill against a direct solution. */
static void fill(void **state) {
  (void)state;
  static const Shape shape = {.reach = 1, .far = 6, .diagonal = 12};
  for (int level = 0; level <= 7; level++) {
    for (int k = 0; k < 2; k++) {
      SolverBench b;
      char text[16];
      snprintf(text, sizeof text, "%d", level < 7 ? level : 1000);
      const char *const fields[] = {"levelOfFill", text, "block", k ? "0" : "1", NULL};
      bench_open_shaped(&b, "IncompleteCholeskyPreconditioner", "CompressedRowSparseMatrixd", NULL,
                        fields, 20, shape);
      Dense a = dense_of(b.matrix), l = dense_new(a.rows, a.rows);
      plain_incomplete(&a, 0, level, &l);
      Dense p = times_transposed(&l);
      bench_expect_of(&b, &p, 1, 1e-12);
      if (level == 7) bench_expect(&b, 1e-12);

      /* other values, then another pattern with less of it */
      Shape other = shape;
      other.scale = 2;
      bench_matrix(&b, 20, shaped, &other);
      const uint64_t allocations = b.ctx->n_allocations;
      assert_int_equal(bench_solve(&b), SOFA_OK);
      assert_int_equal(b.ctx->n_allocations, allocations);
      bench_expect_of(&b, &p, 2, 1e-12);
      other = (Shape){.reach = 1, .far = 3, .diagonal = 12};
      bench_matrix(&b, 20, shaped, &other);
      free(a.a), free(l.a), free(p.a);
      a = dense_of(b.matrix), l = dense_new(a.rows, a.rows);
      plain_incomplete(&a, 0, level, &l);
      p = times_transposed(&l);
      bench_expect_of(&b, &p, 1, 1e-12);
      free(a.a), free(l.a), free(p.a);
      bench_close(&b);
    }
  }
}

/* Where the plain factor breaks down, the shift holds with fill, too; and so it does for L D L^T,
 * where only a pivot of 0 matters. */
static bool broken(uint32_t i, uint32_t j, double *block, void *user) {
  (void)user;
  memset(block, 0, 9 * sizeof *block);
  for (int r = 0; r < 3; r++) block[4 * r] = i == j ? 1 + (i == 2) : 1;
  return i == j || (i < 2 && j < 2);
}

static void breakdown(void **state) {
  (void)state;
  static const Shape weak = {.reach = 3, .far = 7, .diagonal = 4.2};
  static const char *const levels[] = {"0", "1", "2"};
  for (int k = 0; k < 3; k++) {
    SolverBench b;
    const char *const fields[] = {"levelOfFill", levels[k], NULL};
    bench_open_shaped(&b, "IncompleteCholeskyPreconditioner", "CompressedRowSparseMatrixd", NULL,
                      fields, 20, weak);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    const SofaField *field = sofa_class_field(b.solver->object.klass, "shift");
    const double shift = *(const double *)sofa_field_value(&b.solver->object, field);
    assert_true(k > 0 || shift > 0);
    for (size_t i = 0; i < b.n; i++) assert_true(isfinite(b.x[i]));
    bench_close(&b);

    /* rows 0 and 1 are the same: the second pivot is 0 */
    const char *const lu[] = {"preconditioning_method", "IncompleteLU", "level_of_fill", levels[k],
                              NULL};
    bench_open_with(&b, "ConjugateGradientSolver", "CompressedRowSparseMatrixd", NULL, lu);
    bench_matrix(&b, 3, broken, NULL);
    for (size_t i = 0; i < b.n; i++) b.b[i] = 1;
    assert_int_equal(bench_solve(&b), SOFA_OK);
    field = sofa_class_field(b.solver->object.klass, "shift");
    assert_true(*(const double *)sofa_field_value(&b.solver->object, field) > 0);
    for (size_t i = 0; i < b.n; i++) assert_true(fabs(b.x[i] - 0.5) < 1e-4);
    bench_close(&b);
  }
}

/* [1 2; 2 1] for each coordinate: positive along (1, 1) alone. L D L^T has a pivot of each sign and
 * needs no shift; L L^T needs one above 1. */
static bool indefinite(uint32_t i, uint32_t j, double *block, void *user) {
  (void)user;
  memset(block, 0, 9 * sizeof *block);
  for (int r = 0; r < 3; r++) block[4 * r] = i == j ? 1 : 2;
  return true;
}

static void pivots_of_both_signs(void **state) {
  (void)state;
  static const char *const methods[] = {"IncompleteLU", "IncompleteCholesky"};
  for (int k = 0; k < 2; k++) {
    SolverBench b;
    const char *const fields[] = {"preconditioning_method", methods[k], NULL};
    bench_open_with(&b, "ConjugateGradientSolver", "CompressedRowSparseMatrixd", NULL, fields);
    bench_matrix(&b, 2, indefinite, NULL);
    for (size_t i = 0; i < b.n; i++) b.b[i] = 1;
    assert_int_equal(bench_solve(&b), SOFA_OK);
    const SofaField *field = sofa_class_field(b.solver->object.klass, "shift");
    const double shift = *(const double *)sofa_field_value(&b.solver->object, field);
    assert_true(k == 0 ? shift == 0 : shift > 1);
    for (size_t i = 0; i < b.n; i++) assert_true(fabs(b.x[i] - 1. / 3) < 1e-12);
    bench_close(&b);
  }
}

/* The solution for no loads is 0, whatever the last one was. */
static void no_loads(void **state) {
  (void)state;
  static const char *const methods[] = {"None", "Identity", "Diagonal", "IncompleteCholesky",
                                        "IncompleteLU"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    SolverBench b;
    const char *const fields[] = {"preconditioning_method", methods[k], NULL};
    bench_open_shaped(&b, "ConjugateGradientSolver",
                      k ? "CompressedRowSparseMatrixd" : "GraphScattered", NULL, fields, 20,
                      definite);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    assert_true(b.x[0] != 0);
    for (size_t i = 0; i < b.n; i++) b.b[i] = 0;
    assert_int_equal(bench_solve(&b), SOFA_OK);
    for (size_t i = 0; i < b.n; i++) assert_true(b.x[i] == 0);
    bench_close(&b);
  }
}

/* Solutions with blocks of 3 by each instruction set: that by numbers; avx2 and avx512 give the
 * same bits. */
static void by_instruction_set(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  static const char *const by_numbers[] = {"block", "0", NULL};
  const Shape shape = {.reach = 5, .far = 17, .diagonal = 30};
  SolverBench plain, b[3];
  bench_open_shaped(&plain, "IncompleteCholeskyPreconditioner", "CompressedRowSparseMatrixd", NULL,
                    by_numbers, 90, shape);
  assert_int_equal(bench_solve(&plain), SOFA_OK);
  for (size_t i = 0; i < 3; i++) {
    const bool there = sofa_kernels_select(isas[i]) != NULL;
    const SofaContextOptions options = {.isa = there ? isas[i] : "baseline"};
    bench_open_shaped(&b[i], "IncompleteCholeskyPreconditioner", "CompressedRowSparseMatrixd",
                      &options, NULL, 90, shape);
    assert_int_equal(bench_solve(&b[i]), SOFA_OK);
    for (size_t k = 0; k < plain.n; k++) assert_true(fabs(b[i].x[k] - plain.x[k]) < 1e-13);
  }
  if (sofa_kernels_select("avx512")) assert_memory_equal(b[1].x, b[2].x, plain.n * sizeof *plain.x);
  for (size_t i = 0; i < 3; i++) bench_close(&b[i]);
  bench_close(&plain);
}

/* ---- iterations ---- */

static double dot(size_t n, const double *x, const double *y) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* Conjugate gradients from x, with PCGLinearSolver's rule; returns the iterations made. */
static int plain_cg(const Dense *a, const double *b, double *x, int most, double tolerance) {
  const size_t n = a->rows;
  double *r = calloc(n, 8), *w = calloc(n, 8), *s = calloc(n, 8);
  int k = 0;
  dense_times(a, x, s);
  for (size_t i = 0; i < n; i++) w[i] = r[i] = b[i] - s[i];
  double d = dot(n, r, r);
  for (; k < most && d > tolerance * dot(n, b, b); k++) {
    dense_times(a, w, s);
    const double alpha = d / dot(n, w, s), last = d;
    for (size_t i = 0; i < n; i++) x[i] += alpha * w[i], r[i] -= alpha * s[i];
    d = dot(n, r, r);
    for (size_t i = 0; i < n; i++) w[i] = r[i] + d / last * w[i];
  }
  free(r), free(w), free(s);
  return k;
}

static void pcg_iterates(void **state) {
  (void)state;
  static const char *const rules[][2] = {{"0", "0"}, {"3", "0"}, {"9", "0"}, {"99", "1e-6"}};
  for (size_t k = 0; k < 4; k++) {
    SolverBench b;
    const char *const fields[] = {"iterations", rules[k][0], "tolerance", rules[k][1], NULL};
    const SofaContextOptions options = {.keep_going = true}; /* 0 iterations are refused else */
    bench_open_shaped(&b, "PCGLinearSolver", "GraphScattered", &options, fields, 40, definite);
    Dense d = dense_of(b.matrix);

    /* the second solve begins where the first one ended */
    for (int solve = 0; solve < 2; solve++) {
      assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
      assert_int_equal(plain_cg(&d, b.b, b.expected, atoi(rules[k][0]), atof(rules[k][1])),
                       b.solver->result.iterations);
      for (size_t i = 0; i < b.n; i++) assert_true(fabs(b.x[i] - b.expected[i]) < 1e-12);
      // the graph has r.r / b.b before each iteration: all above the tolerance, 1 at x = 0
      const SofaObject *object = &b.solver->object;
      const SofaReals *graph = sofa_field_value(object, sofa_class_field(object->klass, "graph"));
      assert_int_equal(graph->n, b.solver->result.iterations);
      for (size_t i = 0; i < graph->n; i++) assert_true(graph->data[i] > atof(rules[k][1]));
      if (solve == 0 && graph->n) assert_true(fabs(graph->data[0] - 1) < 1e-15);
    }
    free(d.a);
    bench_close(&b);
  }
}

static void minres_indefinite(void **state) {
  (void)state;
  SolverBench b;
  Shape shape = definite;
  shape.alternate = true;
  const char *const fields[] = {"iterations", "500", "tolerance", "1e-13", NULL};
  bench_open_shaped(&b, "MinResLinearSolver", "CompressedRowSparseMatrixMat3x3d", NULL, fields, 30,
                    shape);
  Dense d = dense_of(b.matrix);
  assert_true(dense_solve(&d, b.b, b.expected));
  for (size_t i = 0; i < b.n; i++) b.x[i] = 0.1 * (double)i; /* any start */
  assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
  assert_true(bench_error(&b) < 1e-10);
  free(d.a);
  bench_close(&b);
}

/* The residual after k iterations is as small as any in the Krylov space: it never grows, is never
 * above that of conjugate gradients, and the estimate is the true one. */
static void minres_residuals(void **state) {
  (void)state;
  double last = 2;
  for (int k = 1; k <= 15; k++) {
    SolverBench b;
    char text[8];
    snprintf(text, sizeof text, "%d", k);
    const char *const fields[] = {"iterations", text, "tolerance", "0", NULL};
    bench_open_shaped(&b, "MinResLinearSolver", "CompressedRowSparseMatrixMat3x3d", NULL, fields,
                      40, definite);
    Dense d = dense_of(b.matrix);
    double *r = calloc(b.n, 8), norms[2];
    assert_int_equal(sofa_linear_solver_solve(b.solver, b.b, b.x), SOFA_OK);
    assert_int_equal(b.solver->result.iterations, k);
    plain_cg(&d, b.b, b.expected, k, 0);
    for (int which = 0; which < 2; which++) {
      dense_times(&d, which ? b.expected : b.x, r);
      for (size_t i = 0; i < b.n; i++) r[i] = b.b[i] - r[i];
      norms[which] = sqrt(dot(b.n, r, r) / dot(b.n, b.b, b.b));
    }
    assert_true(fabs(norms[0] - b.solver->result.residual) < 1e-12);
    assert_true(norms[0] <= last * (1 + 1e-12) && norms[0] <= norms[1] * (1 + 1e-12));
    last = norms[0];
    free(r), free(d.a);
    bench_close(&b);
  }
  assert_true(last < 1e-3);
}

/* ---- scenes ---- */

static const char beam[] =
    "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>"
    "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>%s"
    "<RegularGridTopology name='grid' n='3 3 6' min='0 0 0' max='2 2 5'/>"
    "<MechanicalObject name='state'/><UniformMass totalMass='10'/>"
    "<%sFEMForceField name='fem' method='large' youngModulus='4000' poissonRatio='0.3'/>"
    "<BoxROI name='box' box='-1 -1 -0.1 4 4 0.1'/>"
    "<FixedProjectiveConstraint indices='@box.indices'/>"
    "</Node></Node>";

/* Positions after 20 steps; *iterations of the last solve, when it is a PCG. */
static size_t run_beam(const char *solver, const char *element, double *out, int *iterations) {
  char text[3000];
  SceneRun run;
  snprintf(text, sizeof text, beam, solver, element);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 20);
  const SofaState *s = scene_run_state(&run, "/body/state");
  const size_t n = 3 * sofa_state_size(s);
  memcpy(out, s->position.data, n * sizeof *out);
  *iterations = ((SofaLinearSolver *)sofa_node_find(sofa_node_child(run.simulation->root, "body"),
                                                    SOFA_LINEAR_SOLVER, SOFA_SEARCH_LOCAL))
                    ->result.iterations;
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
  return n;
}

#define PCG "<PCGLinearSolver iterations='500' tolerance='1e-26' preconditioner='@p'/>"
#define FEM_RATE(rate)                                                                             \
  "<PreconditionedMatrixFreeSystem name='free'/>"                                                  \
  "<RotationMatrixSystem assemblingRate='" rate "' rotationFinder='@fem'/>" PCG                    \
  "<SparseLDLSolver name='inner'/><WarpPreconditioner name='p' linearSolver='@inner'/>"

/* Without a name WarpPreconditioner takes the solver beside it that is assembled. */
static void the_solver_that_is_warped(void **state) {
  double named[300], found[300];
  int n_named, n_found;
  (void)state;
#define WARPED(link)                                                                               \
  "<PreconditionedMatrixFreeSystem name='free'/><RotationMatrixSystem assemblingRate='7' "         \
  "rotationFinder='@fem'/>" PCG "<WarpPreconditioner name='p' " link "/>"                          \
  "<SparseLDLSolver name='inner'/>"
  const size_t n = run_beam(WARPED("linearSolver='@inner'"), "Tetrahedron", named, &n_named);
  assert_int_equal(run_beam(WARPED(""), "Tetrahedron", found, &n_found), n);
  assert_int_equal(n_found, n_named);
  assert_memory_equal(found, named, n * sizeof *found);
}

static void same_motion(void **state) {
  (void)state;
  static const char *const solvers[] = {
      "<PCGLinearSolver iterations='500' tolerance='1e-26'/>",
      PCG "<JacobiPreconditioner name='p'/>",
      PCG "<BlockJacobiPreconditioner name='p'/>",
      PCG "<SSORPreconditioner name='p' omega='1.2'/>",
      PCG "<IncompleteCholeskyPreconditioner name='p'/>",
      PCG "<IncompleteCholeskyPreconditioner name='p' block='0'/>",
      PCG "<PrecomputedWarpPreconditioner name='p' use_file='0'/>",
      PCG "<PrecomputedWarpPreconditioner name='p' use_file='0' use_rotations='0'/>",
      "<CholmodSupernodalLLT ordering='metis'/>",
      "<MetisOrderingMethod/><EigenSimplicialLDLT/>",
      PCG "<SparseLDLSolver name='p'/>",
      PCG "<AsyncSparseLDLSolver name='p'/>",
      "<PreconditionedMatrixFreeSystem assemblingRate='6'/>" PCG "<SparseLDLSolver name='p'/>",
      FEM_RATE("1"),
      FEM_RATE("7"),
      "<MinResLinearSolver iterations='1000' tolerance='1e-15'/>",
      "<AsyncSparseLDLSolver handOver='0'/>",
      "<CholeskySolver/>",
      "<SVDLinearSolver minSingularValue='1e-12'/>",
      "<EigenSparseQR/>",
      "<ConstantSparsityPatternSystem name='a'/><SparseLDLSolver linearSystem='@a'/>",
      "<MatrixLinearSystem name='a'/><MatrixLinearSystem name='m' assembleStiffness='0'/>"
      "<CompositeLinearSystem name='c' linearSystems='@m @a' solverLinearSystem='@a'/>"
      "<SparseLDLSolver linearSystem='@c'/>"};
  static const char *const elements[] = {"Hexahedron", "Tetrahedron"};
  for (int e = 0; e < 2; e++) {
    double direct[300], x[300];
    int iterations = 0;
    const size_t n = run_beam("<SparseLDLSolver/>", elements[e], direct, &iterations);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
      if (lacks_gpl_part(solvers[k])) continue;
      assert_int_equal(run_beam(solvers[k], elements[e], x, &iterations), n);
      for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - direct[i]) < 1e-8))
          fail_msg("%s: coordinate %zu is %.17g, not %.17g", solvers[k], i, x[i], direct[i]);
    }
  }
}

/* ---- one assembly for both ---- */

static int n_assemblies;
static const SofaForceFieldOps *counted;

static SofaErr count_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                           const SofaTangent *tangent) {
  n_assemblies++;
  return counted->add_k(ff, params, at, tangent);
}

/* Positions after 5 steps, in which the elements' matrix is added as often as n_assemblies says. */
static size_t run_counted(const char *solver, double *out) {
  char text[3000];
  SceneRun run;
  snprintf(text, sizeof text, beam, solver, "Tetrahedron");
  scene_run_open(&run, text, NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/body/fem");
  counted = ff->ops;
  SofaForceFieldOps ops = *counted;
  ops.add_k = count_add_k;
  ff->ops = &ops;
  n_assemblies = 0;
  scene_run_steps(&run, 5);
  ff->ops = counted;
  const SofaState *s = scene_run_state(&run, "/body/state");
  const size_t n = 3 * sofa_state_size(s);
  memcpy(out, s->position.data, n * sizeof *out);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
  return n;
}

#define SYSTEMS(parts)                                                                             \
  "<PreconditionedMatrixFreeSystem name='free'/><MatrixLinearSystem name='a' " parts "/>"          \
  "<PCGLinearSolver iterations='500' tolerance='1e-26' linearSystem='@free' preconditioner='@p'/>" \
  "<SSORPreconditioner name='p' linearSystem='@a'/>"

/* Products and preconditioner take one assembly, which has the bits of two. Without its geometric
 * stiffness, of which there is none, the second matrix cannot be known to be the same. */
static void one_assembly(void **state) {
  double once[300], twice[300];
  (void)state;
  const size_t n = run_counted(SYSTEMS(""), once);
  assert_int_equal(n_assemblies, 5);
  assert_int_equal(run_counted(SYSTEMS("assembleGeometricStiffness='0'"), twice), n);
  assert_int_equal(n_assemblies, 10);
  assert_memory_equal(once, twice, n * sizeof *once);
}

/* More fill, fewer iterations, the same motion. */
static int iterations_with(const char *solver, const double *direct, size_t n) {
  double x[300];
  int iterations = 0;
  assert_int_equal(run_beam(solver, "Tetrahedron", x, &iterations), n);
  for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - direct[i]) < 1e-8);
  return iterations;
}

static void fill_saves_iterations(void **state) {
  (void)state;
#define CARIBOU_CG(method)                                                                         \
  "<RequiredPlugin name='SofaCaribou'/><ConjugateGradientSolver "                                  \
  "maximum_number_of_iterations='500' residual_tolerance_threshold='1e-13' "                       \
  "preconditioning_method='" method "' level_of_fill="
  static const char *const solvers[] = {
      PCG "<IncompleteCholeskyPreconditioner name='p' levelOfFill=",
      PCG "<IncompleteCholeskyPreconditioner name='p' block='0' levelOfFill=",
      CARIBOU_CG("IncompleteCholesky"), CARIBOU_CG("IncompleteLU")};
  static const int levels[] = {0, 1, 2, 99};
  double direct[300];
  int unused = 0;
  const size_t n = run_beam("<SparseLDLSolver/>", "Tetrahedron", direct, &unused);
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    int last = 1000;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
      char solver[400];
      snprintf(solver, sizeof solver, "%s'%d'/>", solvers[k], levels[i]);
      const int iterations = iterations_with(solver, direct, n);
      if (iterations >= last) fail_msg("%s: %d iterations after %d", solver, iterations, last);
      last = iterations;
    }
    assert_true(last <= 2); /* all of the fill: a direct solution */
  }
}

/* An old matrix is worth more when it is turned. */
static void turning_helps(void **state) {
  (void)state;
  double x[300];
  for (int e = 0; e < 2; e++) {
    int kept, turned, fresh;
    const char *element = e ? "Tetrahedron" : "Hexahedron";
    run_beam("<PreconditionedMatrixFreeSystem assemblingRate='100'/>" PCG
             "<SparseLDLSolver name='p'/>",
             element, x, &kept);
    run_beam(FEM_RATE("100"), element, x, &turned);
    run_beam(FEM_RATE("1"), element, x, &fresh);
    assert_true(fresh <= 3 && fresh < turned && turned < kept);

    /* the first matrix of the run is as good as one that is never built again */
    int first_turned, first_kept;
    run_beam(PCG "<PrecomputedWarpPreconditioner name='p' use_file='0'/>", element, x,
             &first_turned);
    run_beam(PCG "<PrecomputedWarpPreconditioner name='p' use_file='0' use_rotations='0'/>",
             element, x, &first_kept);
    assert_int_equal(first_turned, turned);
    assert_int_equal(first_kept, kept);
  }
}

/* In SOFA's way the rotations behind the first eighth stay when the matrix is built anew. */
static void forgotten_rotations(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    char text[3000];
    SceneRun run;
    const SofaContextOptions options = {.quirks = quirks, .keep_going = quirks};
    snprintf(text, sizeof text, beam, FEM_RATE("7"), "Tetrahedron");
    scene_run_open(&run, text, &options);
    scene_run_steps(&run, 8);
    const SofaLinearSolver *warp = (SofaLinearSolver *)scene_run_object(&run, "/body/p");
    const RotationMatrixSystem *s = (const RotationMatrixSystem *)warp->system;
    assert_int_equal(s->identity, !quirks);
    const double *r = s->rotations.data;
    double before = 0, behind = 0;
    for (size_t i = 0; quirks && i < s->rotations.n; i++) {
      if (i % 9 % 4 == 0) assert_true(r[i] == 1);
      else if (i < s->rotations.n / 8) before += fabs(r[i]);
      else behind += fabs(r[i]);
    }
    assert_true(before == 0 && (behind > 0) == quirks);
    scene_run_close(&run);
  }
}

/* The matrix of the eighth step is turned by the step since then, or by all that is since rest. */
static void rotations_since_rest(void **state) {
  double turned[2] = {0, 0};
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    char text[3000];
    SceneRun run;
    const SofaContextOptions options = {.quirk_words = quirk ? "warp-from-rest" : NULL};
    snprintf(text, sizeof text, beam, FEM_RATE("7"), "Tetrahedron");
    scene_run_open(&run, text, &options);
    scene_run_steps(&run, 9);
    const SofaLinearSolver *warp = (SofaLinearSolver *)scene_run_object(&run, "/body/p");
    const RotationMatrixSystem *s = (const RotationMatrixSystem *)warp->system;
    for (size_t i = 0; i < s->rotations.n; i++)
      if (i % 9 % 4 != 0) turned[quirk] += fabs(s->rotations.data[i]);
    scene_run_close(&run);
  }
  assert_true(turned[0] > 0 && turned[1] > 2 * turned[0]);
}

/* The product with the turned matrix undoes the solution with it. */
static void turned_product(void **state) {
  (void)state;
  char text[3000];
  SceneRun run;
  snprintf(text, sizeof text, beam, FEM_RATE("100"), "Tetrahedron");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 5);
  SofaLinearSolver *warp = (SofaLinearSolver *)scene_run_object(&run, "/body/p");
  const SofaMechanics *m = warp->system->mechanics;
  double *b = calloc(3 * (m->n_v + 1), sizeof *b), *x = b + m->n_v + 1, *q = x + m->n_v + 1;
  for (size_t i = 0; i < m->n_v_main; i++) b[i] = (double)(i % 7) - 3;
  assert_int_equal(sofa_linear_solver_solve(warp, b, x), SOFA_OK);
  assert_int_equal(sofa_linear_system_ops(warp->system)->apply(warp->system, x, q), SOFA_OK);
  for (size_t i = 0; i < m->n_v_main; i++) assert_true(fabs(q[i] - b[i]) < 1e-10);
  free(b);
  scene_run_close(&run);
}

/* Assembled systems know whether they are symmetric from what their products are made with. */
static void symmetric_systems(void **state) {
  (void)state;
  static const char *const solvers[] = {
      "<MatrixLinearSystem name='a' template='CompressedRowSparseMatrixMat3x3d'/>"
      "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' linearSystem='@a'/>",
      "<MatrixLinearSystem name='m' template='CompressedRowSparseMatrixMat3x3d'/>"
      "<CompositeLinearSystem name='a' template='CompressedRowSparseMatrixMat3x3d' "
      "linearSystems='@m'/>"
      "<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' linearSystem='@a'/>"};
  for (size_t k = 0; k < 2; k++) {
    char text[3000];
    SceneRun run;
    snprintf(text, sizeof text, beam, solvers[k], "Hexahedron");
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 1);
    SofaLinearSystem *system = (SofaLinearSystem *)scene_run_object(&run, "/body/a");
    const SofaLinearSystemOps *ops = sofa_linear_system_ops(system);
    bool symmetric = false;
    assert_int_equal(ops->symmetric(system, &symmetric), SOFA_OK);
    assert_true(symmetric);

    SofaBlockMatrix *matrix = sofa_linear_system_matrix(system);
    const double block[9] = {1, 0.5, 0, 0, 1, 0, 0, 0, 1};
    sofa_block_matrix_begin(matrix);
    for (uint32_t i = 0; i < 54; i++) sofa_block_matrix_add(matrix, i, i, block, 1);
    assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
    assert_int_equal(ops->symmetric(system, &symmetric), SOFA_OK);
    assert_false(symmetric);
    scene_run_close(&run);
  }
}

/* A mapping with more inputs than any list of fixed length has: a chain of springs between bodies.
 */
static double run_chain(const char *solver) {
  enum { BODIES = 100 };
  static char text[60000];
  char *at = text, *end = text + sizeof text;
  SceneRun run;
  at += snprintf(at, (size_t)(end - at),
                 "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/>"
                 "<DefaultVisualManagerLoop/><EulerImplicitSolver/>%s",
                 solver);
  for (int i = 0; i < BODIES; i++)
    at += snprintf(at, (size_t)(end - at),
                   "<Node name='n%d'><MechanicalObject name='s' position='%d 0 0'/>"
                   "<UniformMass totalMass='%d'/></Node>",
                   i, i, 1 + i % 3);
  at += snprintf(at, (size_t)(end - at),
                 "<Node name='all'><MechanicalObject name='points'/>"
                 "<SubsetMultiMapping template='Vec3d,Vec3d' output='@points' input='");
  for (int i = 0; i < BODIES; i++) at += snprintf(at, (size_t)(end - at), "@../n%d/s ", i);
  at += snprintf(at, (size_t)(end - at), "' indexPairs='");
  for (int i = 0; i < BODIES; i++) at += snprintf(at, (size_t)(end - at), "%d 0 ", i);
  at += snprintf(at, (size_t)(end - at), "'/><SpringForceField spring='");
  for (int i = 0; i + 1 < BODIES; i++)
    at += snprintf(at, (size_t)(end - at), "%d %d 50 0.1 0.9 ", i, i + 1);
  snprintf(at, (size_t)(end - at), "'/></Node></Node>");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 10);
  const double x = scene_run_state(&run, "/n0/s")->position.data[0];
  scene_run_close(&run);
  return x;
}

static void many_inputs(void **state) {
  (void)state;
  const double direct = run_chain("<SparseLDLSolver/>");
  const double free =
      run_chain("<CGLinearSolver iterations='1000' tolerance='1e-14' threshold='0'/>");
  assert_true(direct > 0.01 && fabs(direct - free) < 1e-9);
}

static void bad_scene(const char *solver, const char *said) {
  char text[3000];
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  snprintf(text, sizeof text, beam, solver, "Hexahedron");
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, said)) fail_msg("'%s' is not in '%s'", said, run.last);
  scene_run_close(&run);
}

static void bad_scenes(void **state) {
  (void)state;
  bad_scene("<SSORPreconditioner omega='2'/>", "expected in (0, 2)");
  bad_scene("<PreconditionedMatrixFreeSystem assemblingRate='0'/>" PCG
            "<SparseLDLSolver name='p'/>",
            "expected >= 1");
  bad_scene("<MatrixFreeSystem/>" PCG "<SparseLDLSolver name='p'/>",
            "must be a PreconditionedMatrixFreeSystem");
  bad_scene("<IncompleteCholeskyPreconditioner firstShift='0'/>", "expected > 0");
  bad_scene("<MatrixLinearSystem template='CompressedRowSparseMatrixd'/>"
            "<PrecomputedWarpPreconditioner/>",
            "must be a PrecomputedMatrixSystem");
  bad_scene("<CholmodSupernodalLLT blasThreads='0'/>", "expected >= 1");
  bad_scene("<WarpPreconditioner/>", "no linear solver with an assembled system");
  bad_scene("<CompositeLinearSystem name='c'/><SparseLDLSolver linearSystem='@c'/>",
            "at least one system");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobi),
      cmocka_unit_test(over_relaxation),
      cmocka_unit_test(incomplete),
      cmocka_unit_test(by_instruction_set),
      cmocka_unit_test(pcg_iterates),
      cmocka_unit_test(minres_indefinite),
      cmocka_unit_test(minres_residuals),
      cmocka_unit_test(the_solver_that_is_warped),
      cmocka_unit_test(same_motion),
      cmocka_unit_test(one_assembly),
      cmocka_unit_test(turning_helps),
      cmocka_unit_test(many_inputs),
      cmocka_unit_test(forgotten_rotations),
      cmocka_unit_test(rotations_since_rest),
      cmocka_unit_test(turned_product),
      cmocka_unit_test(fill),
      cmocka_unit_test(breakdown),
      cmocka_unit_test(pivots_of_both_signs),
      cmocka_unit_test(no_loads),
      cmocka_unit_test(fill_saves_iterations),
      cmocka_unit_test(symmetric_systems),
      cmocka_unit_test(bad_scenes),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
