/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AggregationMultigridPreconditioner: its operator, iterations against the size of the mesh, bits
 * with threads, after a reset and from a checkpoint, and what it refuses. */
#include <math.h>

#include "behavior/linear_solver.h"
#include "behavior/state.h"
#include "scene/checkpoint.h"
#include "tests/support/scene_memory.h"

/* A beam of 6 x 6 x 3 n^3 tetrahedra that is fixed at one end. */
static void beam(const char *ode, const char *solver, int n, char *text, size_t size) {
  snprintf(text, size,
           "<Node name='root' dt='0.05' gravity='0 -9.81 0'><DefaultAnimationLoop/>%s%s"
           "<RegularGridTopology n='%d %d %d' min='0 0 0' max='1 1 3'/>"
           "<MechanicalObject name='state'/><UniformMass totalMass='3'/>"
           "<TetrahedronFEMForceField method='%s' youngModulus='1e4' poissonRatio='0.3'/>"
           "<BoxROI name='end' box='-1 -1 -0.001 2 2 0.001'/>"
           "<FixedProjectiveConstraint indices='@end.indices'/></Node>",
           ode, solver, n + 1, n + 1, 3 * n + 1, strstr(ode, "Static") ? "small" : "polar");
}

#define STATIC "<StaticSolver newton_iterations='1'/>"
#define EULER "<EulerImplicitSolver/>"
#define PCG(fields)                                                                                \
  "<PCGLinearSolver name='cg' iterations='300' tolerance='1e-16' preconditioner='@p'/>"            \
  "<AggregationMultigridPreconditioner name='p' " fields "/>"

static SofaLinearSolver *solver_of(SceneRun *run, const char *path) {
  return (SofaLinearSolver *)scene_run_object(run, path);
}

/* ---- iterations ---- */

static int iterations(const char *solver, int n) {
  SceneRun run = {0};
  char text[2000];
  beam(STATIC, solver, n, text, sizeof text);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  assert_true(solver_of(&run, "/cg")->result.converged);
  const int count = solver_of(&run, "/cg")->result.iterations;
  scene_run_close(&run);
  return count;
}

/* 1 152, 9 216 and 73 728 tetrahedra, to 1e-8; with the blocks of points alone the iterations are
 * 86, 179 and 372. */
static void iterations_hardly_grow_with_the_mesh(void **state) {
  (void)state;
  const int small = iterations(PCG(""), 4), middle = iterations(PCG(""), 8),
            large = iterations(PCG(""), 16);
  printf("%d, %d, %d iterations\n", small, middle, large);
  assert_in_range(small, 1, 21);
  assert_in_range(middle, 1, 25);
  assert_in_range(large, 1, 27);
  // a polynomial of higher degree smooths more
  assert_true(iterations(PCG("degree='4'"), 8) < middle);
}

/* A mesh that is solved directly has one level and nothing beside it; each level of another one has
 * less than a third of the points before it. */
static void levels_are_told(void **state) {
  (void)state;
  static const struct {
    const char *solver;
    uint32_t least, most;
  } rows[] = {{PCG("coarsestSize='5000'"), 1, 1}, {PCG("coarsestSize='300'"), 2, 3}};
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SceneRun run = {0};
    char text[2000];
    beam(STATIC, rows[i].solver, 4, text, sizeof text);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 1);
    const SofaObject *p = scene_run_object(&run, "/p");
    const uint32_t n = *(const uint32_t *)sofa_field_value(p, sofa_class_field(p->klass, "levels"));
    const double complexity =
        *(const double *)sofa_field_value(p, sofa_class_field(p->klass, "complexity"));
    assert_in_range(n, rows[i].least, rows[i].most);
    assert_true(n == 1 ? complexity == 1 : complexity > 1 && complexity < 2);
    scene_run_close(&run);
  }
}

/* One level is solved directly: the first iteration ends at the solution. */
static void a_small_mesh_is_solved_directly(void **state) {
  (void)state;
  assert_in_range(iterations(PCG("coarsestSize='5000'"), 2), 1, 2);
  assert_in_range(iterations(PCG("coarsestSize='5000'"), 4), 1, 2);
}

/* ---- the operator ---- */

static void fill(double *x, size_t n, uint32_t seed) {
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
  }
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* a . M b = b . M a and a . M a > 0 for the cycle M. */
static void the_cycle_is_symmetric_and_positive(void **state) {
  (void)state;
  static const char *const fields[] = {PCG(""), PCG("degree='1' strength='0.05'"),
                                       PCG("degree='3' coarsestSize='30'")};
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
    SceneRun run = {0};
    char text[2000];
    beam(EULER, fields[k], 5, text, sizeof text);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 1);
    SofaLinearSolver *p = solver_of(&run, "/p");
    const size_t n = p->system->mechanics->n_v;
    double *v[4];
    for (int i = 0; i < 4; i++) v[i] = calloc(n, sizeof(double));
    for (uint32_t seed = 1; seed < 5; seed++) {
      fill(v[0], n, seed);
      fill(v[1], n, seed + 10);
      assert_int_equal(sofa_linear_solver_solve(p, v[0], v[2]), SOFA_OK);
      assert_int_equal(sofa_linear_solver_solve(p, v[1], v[3]), SOFA_OK);
      const double ab = dot(n, v[0], v[3]), ba = dot(n, v[1], v[2]), aa = dot(n, v[0], v[2]);
      assert_true(aa > 0);
      assert_true(fabs(ab - ba) < 1e-11 * aa);
    }
    for (int i = 0; i < 4; i++) free(v[i]);
    scene_run_close(&run);
  }
}

/* ---- bits ---- */

/* The state after some steps, 3 reals a point; the caller frees. */
static double *positions(SceneRun *run, size_t *n) {
  const SofaState *s = scene_run_state(run, "/state");
  *n = 3 * sofa_state_size(s);
  double *x = malloc(*n * sizeof *x);
  memcpy(x, s->position.data, *n * sizeof *x);
  return x;
}

static void check_same(SceneRun *run, const double *x) {
  size_t n;
  double *now = positions(run, &n);
  assert_memory_equal(now, x, n * sizeof *x);
  free(now);
}

/* Levels that are built at the first of three matrices. */
#define EVERY_THIRD "<PreconditionedMatrixFreeSystem assemblingRate='3'/>" PCG("")

static void bits_do_not_depend_on_threads_and_history(void **state) {
  (void)state;
  char text[2000];
  size_t n = 0;
  beam(EULER, EVERY_THIRD, 6, text, sizeof text);
  SceneRun run = {0};
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 5);
  double *x = positions(&run, &n);
  // after a reset
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  scene_run_steps(&run, 2);
  SofaText saved = {0};
  assert_int_equal(sofa_checkpoint_write(run.simulation, &saved), SOFA_OK);
  scene_run_steps(&run, 3);
  check_same(&run, x);
  // from a checkpoint, between two builds, in the same and in another process
  assert_int_equal(sofa_checkpoint_read(run.simulation, "saved", saved.data, saved.n), SOFA_OK);
  scene_run_steps(&run, 3);
  check_same(&run, x);
  for (int threads = 1; threads < 4; threads++) {
    SceneRun other = {0};
    const SofaContextOptions options = {.threads = threads};
    scene_run_open(&other, text, &options);
    assert_int_equal(sofa_checkpoint_read(other.simulation, "saved", saved.data, saved.n), SOFA_OK);
    scene_run_steps(&other, 3);
    check_same(&other, x);
    scene_run_close(&other);
  }
  sofa_list_free(run.ctx, &saved);
  scene_run_close(&run);
  free(x);
}

/* ---- other systems ---- */

/* Points without springs, points with one neighbour, partly fixed points: the same solution as that
 * of a direct solver. */
static void solves_what_has_no_modes(void **state) {
  (void)state;
  static const char *const solvers[] = {PCG("coarsestSize='6'"), "<SparseLDLSolver/>"};
  double *x[2];
  size_t n = 0;
  for (int k = 0; k < 2; k++) {
    SceneRun run = {0};
    char text[2000];
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.05' gravity='0 -9.81 0'><DefaultAnimationLoop/>" EULER "%s"
             "<MechanicalObject name='state' position='0 0 0 1 0 0 2 0 0 3 1 0 9 9 9 4 1 1 5 0 0'/>"
             "<UniformMass totalMass='7'/>"
             "<SpringForceField spring='0 1 100 1 1 1 2 100 1 1 2 3 50 1 1 5 6 80 1 1'/>"
             "<PartialFixedProjectiveConstraint indices='0 3' fixedDirections='1 0 1'/></Node>",
             solvers[k]);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 4);
    x[k] = positions(&run, &n);
    scene_run_close(&run);
  }
  for (size_t i = 0; i < n; i++) assert_true(fabs(x[0][i] - x[1][i]) < 1e-7);
  free(x[0]);
  free(x[1]);
}

static void refuse(const char *text, const char *message) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
  assert_true(err != SOFA_OK);
  if (!strstr(run.all, message)) fail_msg("no '%s' in '%s'", message, run.all);
  scene_run_close(&run);
}

#define HEAD "<Node name='root' dt='0.05'><DefaultAnimationLoop/>" EULER
static void refuses_what_it_cannot_do(void **state) {
  (void)state;
  refuse(HEAD PCG("") "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/>"
                      "<UniformMass totalMass='1'/></Node>",
         "a state of kind Rigid3d");
  refuse("<Node name='root'><DefaultAnimationLoop/>" STATIC PCG(
             "") "<MechanicalObject position='0 0 0 1 0 0'/><UniformMass totalMass='1'/></Node>",
         "not positive definite");
  refuse(HEAD PCG("degree='0'") "<MechanicalObject position='0 0 0'/></Node>", "degree");
  refuse(HEAD PCG("coarsestSize='5'") "<MechanicalObject position='0 0 0'/></Node>",
         "coarsestSize");
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  char text[2000];
  beam(EULER, PCG("coarsestSize='12'"), 2, text, sizeof text);
  scene_runs_without_memory("multigrid", text, 2, 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(iterations_hardly_grow_with_the_mesh),
      cmocka_unit_test(levels_are_told),
      cmocka_unit_test(a_small_mesh_is_solved_directly),
      cmocka_unit_test(the_cycle_is_symmetric_and_positive),
      cmocka_unit_test(bits_do_not_depend_on_threads_and_history),
      cmocka_unit_test(solves_what_has_no_modes),
      cmocka_unit_test(refuses_what_it_cannot_do),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
