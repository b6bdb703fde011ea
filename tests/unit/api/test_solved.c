/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What solvers made in a step, a step as equations, and timers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

/* Two points of 2 kg with springs to their rest positions; the first one is held. A = m + h^2 k = 3
 * in each direction of the second one, b = -h m g = -2 along y: s = b / A. */
static const char scene_text[] =
    "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='body'>"
    "<EulerImplicitSolver name='scheme' rayleighStiffness='0' rayleighMass='0'/>%s"
    "<MechanicalObject name='state' position='0 0 0  1 0 0'/><UniformMass vertexMass='2'/>"
    "<RestShapeSpringsForceField stiffness='100'/><FixedProjectiveConstraint indices='0'/>"
    "</Node></Node>";
static const char direct[] =
    "<SparseLDLSolver name='solver' template='CompressedRowSparseMatrixMat3x3d'/>";
static const char iterative[] =
    "<CGLinearSolver name='solver' iterations='50' tolerance='1e-14' threshold='1e-14'/>";

static void hear_nothing(void *user, int severity, const char *text, const char *file, int line,
                         const char *path, const char *emitter) {
  (void)user, (void)severity, (void)text, (void)file, (void)line, (void)path, (void)emitter;
}

typedef struct Fixture {
  CsofaContext *csofa;
  CsofaScene *scene;
  CsofaObject scheme, solver, state;
} Fixture;

static void open_scene(Fixture *f, const char *solver) {
  char text[1024];
  *f = (Fixture){0};
  snprintf(text, sizeof text, scene_text, solver);
  assert_int_equal(csofa_create(NULL, &f->csofa), CSOFA_OK);
  csofa_on_message(f->csofa, hear_nothing, NULL);
  if (csofa_load_text(f->csofa, text, NULL, &f->scene) != CSOFA_OK)
    fail_msg("%s", csofa_last_error(f->csofa));
  f->scheme = csofa_find(f->scene, 0, "/body/scheme");
  f->solver = csofa_find(f->scene, 0, "/body/solver");
  f->state = csofa_find(f->scene, 0, "/body/state");
}

static void assert_near(const double *values, const double *expected, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!(fabs(values[i] - expected[i]) < 1e-12))
      fail_msg("number %zu: %.17g, expected %.17g", i, values[i], expected[i]);
}

/* ---- what solvers made ---- */

static double entry(const CsofaSparse *matrix, size_t row, size_t column) {
  const uint32_t *start = csofa_sparse_start(matrix), *columns = csofa_sparse_columns(matrix);
  for (uint32_t i = start[row]; i < start[row + 1]; i++)
    if (columns[i] == column) return csofa_sparse_values(matrix)[i];
  return 0;
}

static void solved(void **unused) {
  Fixture f;
  CsofaSparse *a = NULL;
  const double *values = NULL;
  size_t n = 0;
  (void)unused;
  open_scene(&f, direct);
  assert_int_equal(csofa_solved_matrix(f.scene, f.solver, "A", &a), CSOFA_ERR_NOT_FOUND);
  assert_null(a);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_int_equal(csofa_solved_matrix(f.scene, f.solver, "A", &a), CSOFA_OK);
  assert_int_equal(csofa_sparse_size(a), 6);
  for (size_t row = 0; row < 6; row++)
    for (size_t column = 0; column < 6; column++)
      assert_near(&(double){entry(a, row, column)},
                  &(double){row != column ? 0
                            : row < 3     ? 1
                                          : 3},
                  1);
  csofa_free_sparse(a);
  assert_int_equal(csofa_solved_vector(f.scene, f.scheme, "b", &values, &n), CSOFA_OK);
  assert_int_equal(n, 6);
  assert_near(values, (const double[6]){0, 0, 0, 0, -2, 0}, 6);
  assert_int_equal(csofa_solved_vector(f.scene, f.scheme, "x", &values, &n), CSOFA_OK);
  assert_int_equal(n, 6);
  assert_near(values, (const double[6]){0, 0, 0, 0, -2 / 3.0, 0}, 6);
  assert_true(csofa_solved_vector(f.scene, f.scheme, "c", &values, &n) != CSOFA_OK);
  assert_true(csofa_solved_matrix(f.scene, f.state, "W", &a) != CSOFA_OK);
  csofa_destroy(f.csofa);
}

/* ---- a step as equations ---- */

static void equations(void **unused) {
  Fixture f;
  CsofaEquations *e = NULL;
  double x[6], v[6], s[6], r[6];
  const double start[6] = {0, 0, 0, 1, 0, 0}, still[6] = {0};
  (void)unused;
  open_scene(&f, direct);
  assert_int_equal(csofa_equations(f.scene, csofa_root(f.scene), &e), CSOFA_ERR_NOT_FOUND);
  assert_null(e);
  csofa_free_equations(e);
  assert_int_equal(csofa_equations(f.scene, f.state, &e), CSOFA_OK);
  assert_int_equal(csofa_equations_n_x(e), 6);
  assert_int_equal(csofa_equations_n_v(e), 6);
  assert_int_equal(csofa_equations_node(e), csofa_find(f.scene, 0, "/body"));
  assert_int_equal(csofa_equations_begin(e, 0, start, still), CSOFA_OK);
  // r = P (b - A P s) - (I - P) s
  assert_int_equal(csofa_equations_residual(e, still, r), CSOFA_OK);
  assert_near(r, (const double[6]){0, 0, 0, 0, -2, 0}, 6);
  assert_int_equal(csofa_equations_residual(e, (const double[6]){1, 0, 0, 0, 0, 2}, r), CSOFA_OK);
  assert_near(r, (const double[6]){-1, 0, 0, 0, -2, -6}, 6);
  csofa_equations_forces(e, (const double[6]){0, 0, 0, 5, 0, 0});
  assert_int_equal(csofa_equations_residual(e, still, r), CSOFA_OK);
  assert_near(r, (const double[6]){0, 0, 0, 0.5, -2, 0}, 6);
  csofa_equations_forces(e, NULL);
  // the end is that of a step, which the calls above have left alone
  assert_int_equal(csofa_equations_end(e, (const double[6]){0, 0, 0, 0, -2 / 3.0, 0}, x, v),
                   CSOFA_OK);
  assert_near(v, (const double[6]){0, 0, 0, 0, -2 / 3.0, 0}, 6);
  assert_near(x, (const double[6]){0, 0, 0, 1, -0.2 / 3, 0}, 6);
  assert_int_equal(csofa_equations_state(e, x, v, NULL), CSOFA_OK);
  assert_near(x, start, 6);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_int_equal(csofa_equations_state(e, x, v, s), CSOFA_OK);
  assert_near(x, (const double[6]){0, 0, 0, 1, -0.2 / 3, 0}, 6);
  assert_near(s, (const double[6]){0, 0, 0, 0, -2 / 3.0, 0}, 6);
  // of a graph that has changed
  assert_int_equal(csofa_remove(f.scene, f.scheme), CSOFA_OK);
  assert_true(csofa_equations_residual(e, still, r) != CSOFA_OK);
  csofa_free_equations(e);
  csofa_destroy(f.csofa);
}

/* ---- timers ---- */

typedef struct Solves {
  int n, iterations;
  CsofaObject solver;
} Solves;

static void count(void *user, const char *kind, CsofaObject solver, int iteration, int iterations,
                  double seconds) {
  Solves *s = user;
  assert_string_equal(kind, "linear");
  assert_true(seconds >= 0);
  (void)iteration;
  s->n++;
  s->iterations += iterations;
  s->solver = solver;
}

static void timers(void **unused) {
  Fixture f;
  Solves solves = {0};
  int level = -1, deepest = 0;
  uint64_t calls = 0;
  double seconds = -1, whole = 0;
  const char *name = NULL;
  size_t n = 0;
  (void)unused;
  open_scene(&f, iterative);
  assert_int_equal(csofa_init(f.scene), CSOFA_OK);
  assert_null(csofa_timer(f.csofa, 0, &level, &calls, &seconds));
  csofa_time_phases(f.csofa, 1);
  csofa_on_solve(f.csofa, count, &solves);
  assert_int_equal(csofa_step(f.scene, 3), CSOFA_OK);
  for (; (name = csofa_timer(f.csofa, n, &level, &calls, &seconds)); n++) {
    assert_true(*name && calls > 0 && seconds >= 0);
    if (n == 0) assert_int_equal(level, 0);
    if (n == 0) whole = seconds;
    if (level > 0) assert_true(seconds <= whole);
    if (level > deepest) deepest = level;
  }
  assert_true(n > 1 && deepest > 0);
  assert_int_equal(solves.n, 3);
  assert_true(solves.iterations >= 3);
  assert_int_equal(solves.solver, f.solver);
  // no more
  csofa_on_solve(f.csofa, NULL, NULL);
  csofa_time_phases(f.csofa, 0);
  assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
  assert_int_equal(solves.n, 3);
  assert_null(csofa_timer(f.csofa, 0, &level, &calls, &seconds));
  csofa_destroy(f.csofa);
}

/* A history is no part of the equations: they are refused. */
static void equations_of_histories(void **unused) {
  Fixture f = {0};
  CsofaEquations *e = NULL;
  (void)unused;
  assert_int_equal(csofa_create(NULL, &f.csofa), CSOFA_OK);
  csofa_on_message(f.csofa, hear_nothing, NULL);
  assert_int_equal(
      csofa_load_text(f.csofa,
                      "<Node><DefaultAnimationLoop/><Node name='body'><EulerImplicitSolver/>"
                      "<SparseLDLSolver/><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' "
                      "tetrahedra='0 1 2 3'/><MechanicalObject name='state'/>"
                      "<UniformMass totalMass='1'/><J2PlasticMaterial name='law'/>"
                      "<TetrahedronHyperelasticityFEMForceField material='@law'/></Node></Node>",
                      NULL, &f.scene),
      CSOFA_OK);
  f.state = csofa_find(f.scene, 0, "/body/state");
  assert_int_equal(csofa_equations(f.scene, f.state, &e), CSOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(csofa_last_error(f.csofa), "history"));
  csofa_free_equations(e);
  csofa_destroy(f.csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solved), cmocka_unit_test(equations),
                                     cmocka_unit_test(equations_of_histories),
                                     cmocka_unit_test(timers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
