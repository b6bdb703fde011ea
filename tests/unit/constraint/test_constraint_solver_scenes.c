/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constraint solvers in scenes with contacts: an incline, stacks of bodies of different masses,
 * resets, lack of memory. */
#include "tests/support/scene_memory.h"

#include <math.h>

#include "components/constraint/lagrangian/solver/lagrangian_solver.h"
#include "tests/support/gpl_parts.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

#define PIPELINE                                                                                   \
  "<RequiredPlugin pluginName='Sofa.Component'/><FreeMotionAnimationLoop/>"                        \
  "<DefaultVisualManagerLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
#define SOLVER                                                                                     \
  "<EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-14' threshold='1e-30'/>"

static const char *const solvers[] = {
    "<BlockGaussSeidelConstraintSolver tolerance='1e-14' %s/>",
    "<NNCGConstraintSolver tolerance='1e-14' %s/>",
    "<ImprovedJacobiConstraintSolver tolerance='1e-14' %s/>",
    "<UnbuiltGaussSeidelConstraintSolver tolerance='1e-14' %s/>",
    "<LCPConstraintSolver tolerance='1e-14' %s/>",
    "<LCPConstraintSolver tolerance='1e-14' build_lcp='0' %s/>",
    "<NonsmoothNewtonConstraintSolver %s/>",
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* ---- an incline of 30 degrees; x points down ---- */

static void incline(char *text, size_t size, size_t solver, double mu) {
  char line[200];
  snprintf(line, sizeof line, solvers[solver], "computeConstraintForces='1' name='s'");
  snprintf(text, size,
           "<Node dt='0.01' gravity='4.905 -8.495709211 0'>" PIPELINE "%s"
           "<LocalMinDistance alarmDistance='0.1' contactDistance='0.01'/>"
           "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=%g'/>"
           "<Node name='body'>" SOLVER "<MechanicalObject name='state' position='0 0.01 0'/>"
           "<UniformMass totalMass='2'/><UncoupledConstraintCorrection defaultCompliance='0.5'/>"
           "<PointCollisionModel/></Node><Node name='floor'>"
           "<MeshTopology position='-5 0 -5  5 0 -5  0 0 5' triangles='0 2 1'/><MechanicalObject/>"
           "<TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
           line, mu);
}

/* It slides with n h g (sin - mu cos), or sticks when mu is at least tan; the forces are impulses
 * of m g h cos and min(m g h sin, mu times that). */
static void weight_on_an_incline(void **state) {
  (void)state;
  static const double coefficients[] = {0.2, 0.5, 0.57, 0.58, 0.9};
  for (size_t i = 0; i < SOLVERS; i++)
    for (size_t k = 0; k < sizeof coefficients / sizeof *coefficients; k++) {
      const double mu = coefficients[k], along = 4.905 - mu * 8.495709211;
      const double speed = along > 0 ? along : 0;
      char text[2500];
      SceneRun run;
      incline(text, sizeof text, i, mu);
      scene_run_open(&run, text, NULL);
      scene_run_steps(&run, 100);
      const SofaState *body = scene_run_state(&run, "/body/state");
      assert_near(body->velocity.data[0], speed, 1e-9);
      assert_near(body->position.data[0], speed * 0.505, 1e-9);
      assert_near(body->position.data[1], 0.01, 1e-10);
      const SofaConstraintSolver *s = (SofaConstraintSolver *)scene_run_object(&run, "/s");
      const double *f = s->problem.lambda.data;
      assert_int_equal(s->problem.n, 3);
      assert_near(f[0], 0.1699141842, 1e-9);
      assert_near(hypot(f[1], f[2]), fmin(0.0981, mu * f[0]), 1e-9);
      assert_int_equal(run.n_problems, 0);
      scene_run_close(&run);
    }
}

/* What a solver of iterations tells of its last step: after a reset there was none. */
static void counts_of_a_step(SceneRun *run, bool ran) {
  static const char *const names[] = {"currentNumConstraints", "currentNumConstraintGroups",
                                      "currentIterations", "currentError"};
  const SofaObject *solver = scene_run_object(run, "/s");
  for (size_t k = 0; k < SOFA_COUNT(names); k++) {
    const SofaField *field = sofa_class_field(solver->klass, names[k]);
    if (!field) continue;
    const void *value = sofa_field_value(solver, field);
    const bool is_error = k == 3;
    const double number = is_error ? *(const double *)value : *(const int *)value;
    if (ran ? !is_error && !(number > 0) : number != 0)
      fail_msg("%s: %s is %g", solver->klass->name, names[k], number);
  }
}

/* A reset begins the run again: the same bits. */
static void resets(void **state) {
  (void)state;
  for (size_t i = 0; i < SOLVERS; i++) {
    char text[2500];
    SceneRun run;
    double first[6];
    incline(text, sizeof text, i, 0.5);
    scene_run_open(&run, text, NULL);
    for (int n = 0; n < 2; n++) {
      scene_run_steps(&run, 20);
      const SofaState *body = scene_run_state(&run, "/body/state");
      double *now = n ? first + 3 : first;
      memcpy(now, body->position.data, 3 * sizeof *now);
      counts_of_a_step(&run, true);
      assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
      counts_of_a_step(&run, false);
    }
    assert_memory_equal(first, first + 3, 3 * sizeof *first);
    scene_run_close(&run);
  }
}

static void lack_of_memory(void **state) {
  (void)state;
  for (size_t i = 0; i < SOLVERS; i++) {
    char text[2500];
    incline(text, sizeof text, i, 0.5);
    scene_runs_without_memory(solvers[i], text, 2, 20);
  }
}

/* Steps ask for no memory once they have run. */
static void warm_steps(void **state) {
  (void)state;
  for (size_t i = 0; i < SOLVERS; i++) {
    char text[2500];
    FailingAllocator allocator = {0};
    SceneRun run = {0};
    incline(text, sizeof text, i, 0.5);
    scene_run_open(
        &run, text,
        &(SofaContextOptions){.allocate = failing_allocate, .allocate_user = &allocator});
    scene_run_steps(&run, 5);
    const uint64_t before = allocator.calls;
    scene_run_steps(&run, 20);
    if (allocator.calls != before)
      fail_msg("%s: %lu requests", solvers[i], (unsigned long)(allocator.calls - before));
    scene_run_close(&run);
  }
}

/* Points that lines and planes hold: the projections of their rows keep their memory. */
static void warm_projections(void **state) {
  (void)state;
  static const char *const held[] = {
      "<LineProjectiveConstraint indices='0 1' direction='1 1 0'/>",
      "<PlaneProjectiveConstraint indices='0 1' normal='1 2 0'/>",
      ("<LineProjectiveConstraint indices='0' direction='1 1 0'/>"
       "<PlaneProjectiveConstraint indices='1' normal='1 2 0'/>"),
  };
  for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
    char text[1500];
    FailingAllocator allocator = {0};
    SceneRun run = {0};
    snprintf(text, sizeof text,
             "<Node dt='0.01' gravity='0 -9 0'><RequiredPlugin pluginName='Sofa.Component'/>"
             "<FreeMotionAnimationLoop/><DefaultVisualManagerLoop/>"
             "<BlockGaussSeidelConstraintSolver/><Node name='body'>" SOLVER
             "<MechanicalObject name='state' position='0 0 0  1 0 0'/><UniformMass totalMass='2'/>"
             "<UncoupledConstraintCorrection defaultCompliance='1'/>"
             "<BilateralLagrangianConstraint object1='@state' object2='@state' first_point='0' "
             "second_point='1' rest_vector='1 0 0'/>%s</Node></Node>",
             held[i]);
    scene_run_open(
        &run, text,
        &(SofaContextOptions){.allocate = failing_allocate, .allocate_user = &allocator});
    scene_run_steps(&run, 5);
    const uint64_t before = allocator.calls;
    scene_run_steps(&run, 20);
    if (allocator.calls != before)
      fail_msg("%s: %lu requests", held[i], (unsigned long)(allocator.calls - before));
    scene_run_close(&run);
  }
}

/* ---- stacks of six balls, the heaviest on top ---- */

enum { BALLS = 6 };

static void stack(char *text, size_t size, const char *solver, double ratio) {
  size_t n = (size_t)snprintf(
      text, size,
      "<Node dt='0.01' gravity='0 -9.81 0'>" PIPELINE "%s"
      "<MinProximityIntersection alarmDistance='0.1' contactDistance='0.01'/>"
      "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>"
      "<Node name='floor'><MechanicalObject position='0 -10 0'/>"
      "<SphereCollisionModel radius='10' simulated='0' moving='0'/></Node>",
      solver);
  for (int i = 0; i < BALLS; i++) {
    const double mass = pow(ratio, i / (BALLS - 1.0));
    n += (size_t)snprintf(
        text + n, size - n,
        "<Node name='b%d'>" SOLVER "<MechanicalObject name='state' position='0 %.17g 0'/>"
        "<UniformMass totalMass='%.17g'/><UncoupledConstraintCorrection defaultCompliance='%.17g'/>"
        "<SphereCollisionModel radius='0.5'/></Node>",
        i, 0.51 + 1.01 * i, mass, 1 / mass);
  }
  snprintf(text + n, size - n, "</Node>");
}

/* Newton's method holds any stack; Gauss-Seidel sweeps let heavy balls sink into light ones, and
 * say so. */
static void balls_of_different_masses(void **state) {
  (void)state;
  static const double ratios[] = {1, 1e2, 1e4, 1e6};
  for (size_t k = 0; k < 4; k++)
    for (int newton = 0; newton < 2; newton++) {
      char text[6000];
      SceneRun run = {.quiet = true};
      stack(text, sizeof text,
            newton ? "<NonsmoothNewtonConstraintSolver name='s'/>"
                   : "<BlockGaussSeidelConstraintSolver name='s' tolerance='1e-12'/>",
            ratios[k]);
      scene_run_context(&run, NULL);
      run.quiet = true;
      assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
      scene_run_steps(&run, 20);
      const SofaState *top = scene_run_state(&run, "/b5/state");
      const double sunk = 5.56 - top->position.data[1];
      if (newton) {
        assert_true(fabs(sunk) < 1e-9);
        assert_int_equal(run.n_problems, 0);
      } else if (k > 0) {
        assert_true(sunk > 1e-5);
        assert_int_equal(run.n_problems, 1);
        assert_non_null(strstr(run.last, "did not converge in step 1"));
        assert_int_equal(sofa_simulation_finish(run.simulation), SOFA_OK);
        assert_non_null(strstr(run.last, "20 of 20 solves of this run did not converge"));
      }
      scene_run_close(&run);
    }
}

/* Iterations of the first step, and its problem's rows. */
static int first_step(const char *fields, double *forces, size_t *n_rows) {
  char text[6000], solver[200];
  SceneRun run;
  snprintf(solver, sizeof solver, "<BlockGaussSeidelConstraintSolver name='s' %s/>", fields);
  stack(text, sizeof text, solver, 4);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  const SofaConstraintSolver *s = (SofaConstraintSolver *)scene_run_object(&run, "/s");
  const SofaField *field = sofa_class_field(s->object.klass, "currentIterations");
  const int iterations = *(const int *)sofa_field_value(&s->object, field);
  *n_rows = s->problem.n;
  assert_in_range(*n_rows, 1, 60);
  memcpy(forces, s->problem.lambda.data, *n_rows * sizeof *forces);
  scene_run_close(&run);
  return iterations;
}

/* A tolerance of all rows is that of a row times their number; where each row has to be below it,
 * a solve is between one by the sum with the same tolerance and one by the sum with all of it. */
static void tolerances(void **state) {
  (void)state;
  double scaled[60], plain[60], other[60];
  char fields[100];
  size_t n;
  const int one = first_step("tolerance='1e-9'", scaled, &n);
  snprintf(fields, sizeof fields, "tolerance='%.17g' scaleTolerance='0'", 1e-9 * (double)n);
  assert_int_equal(first_step(fields, plain, &n), one);
  assert_memory_equal(scaled, plain, n * sizeof *plain);
  const int strict = first_step("tolerance='1e-9' scaleTolerance='0'", other, &n);
  const int each = first_step("tolerance='1e-9' allVerified='1'", other, &n);
  assert_true(one < strict);
  assert_true(one <= each && each < strict);
  assert_int_equal(first_step("tolerance='1e-9' allVerified='1' scaleTolerance='0'", other, &n),
                   each);
}

/* ---- with and without W ---- */

/* A sheet of 25 points, all of them contacts, slides over the floor. */
static void sheet(char *text, size_t size, const char *linear_solver) {
  snprintf(text, size,
           "<Node dt='0.01' gravity='4 -9 0'>" PIPELINE
           "<BlockGaussSeidelConstraintSolver name='s' tolerance='1e-13'/>"
           "<LocalMinDistance alarmDistance='0.1' contactDistance='0.01'/>"
           "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=0.3'/>"
           "<Node name='body'><EulerImplicitSolver/><%s/>"
           "<RegularGridTopology n='5 1 5' min='0 0.01 0' max='1 0.01 1'/>"
           "<MechanicalObject name='state'/><UniformMass totalMass='2'/>"
           "<MeshSpringForceField linesStiffness='50'/><LinearSolverConstraintCorrection/>"
           "<PointCollisionModel/></Node><Node name='floor'>"
           "<MeshTopology position='-5 0 -5  15 0 -5  0 0 15' triangles='0 2 1'/>"
           "<MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node></Node>",
           linear_solver);
}

/* Where the linear solver has a factor of W that is smaller than W, W is not formed; the sweeps
 * and their result are the same, on any number of threads, and a warm step allocates nothing. */
static void sweeps_without_w(void **state) {
  (void)state;
  SofaReals lambda[2] = {{0}};
  uint32_t iterations[2];
  SceneRun run[2];
  if (lacks_gpl_part("EigenSparseLU")) skip();
  for (int lu = 0; lu < 2; lu++) {
    char text[2500];
    sheet(text, sizeof text, lu ? "EigenSparseLU" : "SparseLDLSolver");
    scene_run_open(&run[lu], text, NULL);
    scene_run_steps(&run[lu], 5);
    const LagrangianSolver *s = (LagrangianSolver *)scene_run_object(&run[lu], "/s");
    const SofaConstraintProblem *p = &s->solver.problem;
    assert_int_equal(p->n, 75);
    assert_int_equal(p->w.n, lu ? 75 * 75 : 0);
    lambda[lu] = p->lambda;
    iterations[lu] = s->solve.report.iterations;
    assert_int_equal(run[lu].n_problems, 0);
  }
  assert_int_equal(iterations[0], iterations[1]);
  for (size_t i = 0; i < 75; i++) assert_near(lambda[0].data[i], lambda[1].data[i], 1e-14);
  assert_true(lambda[0].data[0] > 1e-3);
  for (int threads = 2; threads <= 3; threads++) {
    FailingAllocator allocator = {0};
    SceneRun other = {0};
    char text[2500];
    sheet(text, sizeof text, "SparseLDLSolver");
    scene_run_open(&other, text,
                   &(SofaContextOptions){.threads = threads,
                                         .allocate = failing_allocate,
                                         .allocate_user = &allocator});
    scene_run_steps(&other, 5);
    const LagrangianSolver *s = (LagrangianSolver *)scene_run_object(&other, "/s");
    assert_memory_equal(s->solver.problem.lambda.data, lambda[0].data, 75 * sizeof(double));
    const uint64_t before = allocator.calls;
    scene_run_steps(&other, 10);
    assert_int_equal(s->solver.problem.n, 75);
    assert_int_equal(allocator.calls, before);
    scene_run_close(&other);
  }
  for (int lu = 0; lu < 2; lu++) scene_run_close(&run[lu]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weight_on_an_incline),
      cmocka_unit_test(resets),
      cmocka_unit_test(lack_of_memory),
      cmocka_unit_test(warm_steps),
      cmocka_unit_test(warm_projections),
      cmocka_unit_test(tolerances),
      cmocka_unit_test(balls_of_different_masses),
      cmocka_unit_test(sweeps_without_w),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
