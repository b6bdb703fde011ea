/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ApplicationForceField: forces, derivatives and matrices that an application gives. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

static const char scene_text[] =
    "<Node name='root' dt='0.05' gravity='0 -9.8 0'><DefaultAnimationLoop/><Node name='body'>"
    "<EulerImplicitSolver/>%s<MechanicalObject name='state' position='0 0 0  1 0 0'/>"
    "<UniformMass totalMass='2'/>%s</Node></Node>";
static const char direct[] = "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>";
static const char iterative[] =
    "<CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-14'/>";

/* A spring to the start of each point. */
typedef struct Spring {
  double k;
  uint32_t outside; /* added to the rows of the matrix */
  bool fails;
} Spring;

static double rest(size_t i) {
  return i == 3 ? 1 : 0;
}

static int force(void *user, size_t n, const double *x, const double *v, double time, double *f) {
  const Spring *s = user;
  (void)v, (void)time;
  for (size_t i = 0; i < 3 * n; i++) f[i] -= s->k * (x[i] - rest(i));
  return s->fails;
}

static int change(void *user, size_t n, const double *x, const double *v, const double *factors,
                  const double *dx, double *df) {
  const Spring *s = user;
  (void)x, (void)v;
  for (size_t i = 0; i < 3 * n; i++) df[i] -= factors[0] * s->k * dx[i];
  return 0;
}

static int stiffness(void *user, size_t n, const double *x, CsofaMatrix *matrix) {
  const Spring *s = user;
  (void)x;
  for (uint32_t i = 0; i < 3 * n; i++)
    csofa_matrix_add(matrix, 1, &(uint32_t){i + s->outside}, &i, &(double){-s->k});
  return 0;
}

static void hear_nothing(void *user, int severity, const char *text, const char *file, int line,
                         const char *path, const char *emitter) {
  (void)user, (void)severity, (void)text, (void)file, (void)line, (void)path, (void)emitter;
}

static CsofaScene *open_scene(CsofaContext *csofa, const char *solver, const char *field) {
  char text[1000];
  CsofaScene *scene = NULL;
  snprintf(text, sizeof text, scene_text, solver, field);
  assert_int_equal(csofa_load_text(csofa, text, NULL, &scene), CSOFA_OK);
  return scene;
}

static double height(CsofaScene *scene) {
  double y = NAN;
  const CsofaObject state = csofa_find(scene, 0, "/body/state");
  assert_int_equal(csofa_get_reals(scene, state, "position", 4, 1, &y), CSOFA_OK);
  return y;
}

static CsofaErr run(CsofaContext *csofa, const char *solver, CsofaStiffnessFn matrix, Spring *s,
                    double *y) {
  CsofaScene *scene = open_scene(csofa, solver, "<ApplicationForceField name='field'/>");
  const CsofaObject field = csofa_find(scene, 0, "/body/field");
  assert_int_equal(csofa_set_force(scene, field, force, change, matrix, s), CSOFA_OK);
  const CsofaErr err = csofa_step(scene, 20);
  *y = height(scene);
  csofa_destroy_scene(scene);
  return err;
}

static void springs(void **unused) {
  CsofaContext *csofa = NULL;
  Spring s = {.k = 30};
  double y;
  (void)unused;
  assert_int_equal(csofa_create(NULL, &csofa), CSOFA_OK);
  csofa_on_message(csofa, hear_nothing, NULL);
  CsofaScene *scene = open_scene(csofa, direct, "<RestShapeSpringsForceField stiffness='30'/>");
  assert_int_equal(csofa_step(scene, 20), CSOFA_OK);
  const double expected = height(scene);
  assert_true(expected < -0.1);
  const char *const solvers[] = {direct, iterative};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(run(csofa, solvers[i], stiffness, &s, &y), CSOFA_OK);
    assert_true(fabs(y - expected) < 1e-10);
    // the matrix is made of `change`
    assert_int_equal(run(csofa, solvers[i], NULL, &s, &y), CSOFA_OK);
    assert_true(fabs(y - expected) < 1e-10);
  }
  csofa_destroy(csofa);
}

static void refuses(void **unused) {
  CsofaContext *csofa = NULL;
  double y;
  (void)unused;
  assert_int_equal(csofa_create(NULL, &csofa), CSOFA_OK);
  csofa_on_message(csofa, hear_nothing, NULL);
  // the state is the one before the step
  assert_true(run(csofa, direct, NULL, &(Spring){.k = 30, .fails = true}, &y) != CSOFA_OK);
  assert_non_null(strstr(csofa_last_error(csofa), "function of the application failed"));
  assert_true(fabs(y) < 1e-15);
  assert_true(run(csofa, direct, stiffness, &(Spring){.k = 30, .outside = 1}, &y) != CSOFA_OK);
  assert_non_null(strstr(csofa_last_error(csofa), "outside of the matrix of 6 rows"));
  CsofaScene *scene = open_scene(csofa, direct, "<ApplicationForceField name='field'/>");
  const CsofaObject state = csofa_find(scene, 0, "/body/state");
  assert_int_equal(csofa_set_force(scene, state, force, NULL, NULL, NULL), CSOFA_ERR_TYPE);
  assert_int_equal(csofa_set_force(scene, 0, force, NULL, NULL, NULL), CSOFA_ERR_NOT_FOUND);
  assert_true(csofa_step(scene, 1) != CSOFA_OK);
  assert_non_null(strstr(csofa_last_error(csofa), "it has no functions"));
  csofa_destroy(csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(springs), cmocka_unit_test(refuses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
