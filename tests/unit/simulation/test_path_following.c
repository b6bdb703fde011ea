/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PathFollowingSolver against closed forms: the truss of von Mises through its limit points, loads
 * that are dead, increments that are cut, and what it says when there is no equilibrium. */
#include "tests/support/scene_memory.h"

#include <math.h>

static const char truss[] =
    "<Node name='root' dt='1' gravity='0 %s 0'><DefaultAnimationLoop/>"
    "<PathFollowingSolver name='path' %s/><SparseLDLSolver/>"
    "<MechanicalObject name='state' template='Vec2d' position='-1 0 1 0 0 0.5'/>"
    "<MeshTopology lines='0 2 1 2'/><MeshSpringForceField linesStiffness='1000' "
    "linesDamping='0'/><FixedProjectiveConstraint indices='0 1'/>%s"
    "<ConstantForceField name='push' indices='2' forces='0 -1'/></Node>";

typedef struct Truss {
  SceneRun run;
  SofaObject *path;
} Truss;

static void open_truss(Truss *t, const char *gravity, const char *path, const char *more) {
  char text[2000];
  snprintf(text, sizeof text, truss, gravity, path, more);
  *t = (Truss){.run.quiet = true};
  scene_run_context(&t->run, &(SofaContextOptions){0});
  assert_int_equal(sofa_simulation_load_text(t->run.ctx, text, &t->run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(t->run.simulation), SOFA_OK);
  t->path = scene_run_object(&t->run, "/path");
}

static double real_of(const Truss *t, const char *name) {
  return *(const double *)sofa_field_value(t->path, sofa_class_field(t->path->klass, name));
}

static uint32_t count_of(const Truss *t, const char *name) {
  return *(const uint32_t *)sofa_field_value(t->path, sofa_class_field(t->path->klass, name));
}

static double height(Truss *t) {
  return scene_run_state(&t->run, "/state")->position.data[5];
}

/* The load on the apex at height y: two bars of EA = 1000 over a half span of 1. */
static double load_at(double y) {
  return 2000 * y * (1 / hypot(1, y) - 1 / hypot(1, 0.5));
}

/* Every method follows the same curve down to the other side, and the load falls and rises. */
static void all_methods_follow_the_curve(void **state) {
  static const char *const methods[] = {
      "method='cylindrical' increment='0.05' loadIncrement='1'",
      "method='spherical' increment='0.07' loadIncrement='1'",
      "method='normalPlane' increment='0.07' loadIncrement='1'",
      "method='displacement' increment='0.05' controlledPoint='2' controlledDirection='0 -1'",
  };
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    Truss t;
    double least = 0, most = 0;
    open_truss(&t, "0", methods[i], "");
    for (int k = 0; k < 60 && height(&t) > -0.6; k++) {
      scene_run_steps(&t.run, 1);
      const double load = real_of(&t, "loadFactor");
      assert_true(fabs(load - load_at(height(&t))) < 1e-6);
      least = fmin(least, load);
      most = fmax(most, load);
    }
    assert_true(height(&t) < -0.599);
    assert_true(most > 36 && least < -36);
    assert_true(fabs(real_of(&t, "arcLength") - (0.5 - height(&t))) < 1e-9);
    scene_run_close(&t.run);
  }
}

/* Weight is a load: dead, it is there from the start, and the factor is that of the push alone. */
static void dead_loads_are_not_scaled(void **state) {
  (void)state;
  Truss t;
  open_truss(&t, "-10", "method='cylindrical' increment='0.02' deadLoads='@mass'",
             "<UniformMass name='mass' vertexMass='1'/>");
  scene_run_steps(&t.run, 10);
  assert_true(fabs(real_of(&t, "loadFactor") + 10 - load_at(height(&t))) < 1e-6);
  scene_run_close(&t.run);
  open_truss(&t, "-10", "method='cylindrical' increment='0.02'",
             "<UniformMass name='mass' vertexMass='1'/>");
  scene_run_steps(&t.run, 10);
  assert_true(fabs(11 * real_of(&t, "loadFactor") - load_at(height(&t))) < 1e-6);
  scene_run_close(&t.run);
}

/* An increment of half the height is repeated with less, and grows again. */
static void increments_are_cut(void **state) {
  (void)state;
  Truss t;
  open_truss(&t, "0", "loadIncrement='36' maxIterations='4' targetIterations='3'", "");
  scene_run_steps(&t.run, 1);
  assert_true(fabs(real_of(&t, "loadFactor") - 36) < 1e-12);
  assert_true(fabs(load_at(height(&t)) - 36) < 1e-4);
  assert_true(height(&t) > 0.3);
  assert_true(count_of(&t, "repeatedIncrements") > 0);
  assert_true(count_of(&t, "increments") > 1 && count_of(&t, "iterations") > 4);
  scene_run_close(&t.run);
}

/* Behind the limit load, 38.40, load control finds nothing: an error that says what to do, or a
 * warning with stopWhenDiverged='0'; the state is that of the last equilibrium. */
static void no_equilibrium(void **state) {
  (void)state;
  Truss t;
  open_truss(&t, "0", "loadIncrement='20'", "");
  scene_run_steps(&t.run, 1);
  assert_int_equal(sofa_simulation_step(t.run.simulation, 0), SOFA_ERR_NOT_CONVERGED);
  assert_true(t.run.n_problems > 0);
  assert_non_null(strstr(t.run.all, "no equilibrium was found after load factor"));
  scene_run_close(&t.run);
  open_truss(&t, "0", "loadIncrement='20' stopWhenDiverged='0'", "");
  scene_run_steps(&t.run, 3);
  assert_int_equal(t.run.n_problems, 2);
  assert_true(fabs(load_at(height(&t)) - real_of(&t, "loadFactor")) < 1e-4);
  assert_true(real_of(&t, "loadFactor") > 38 && real_of(&t, "loadFactor") < 38.41);
  scene_run_close(&t.run);
}

/* A displacement by keys, of which the last one holds: a bar of two springs of 1000 N over 1 m, and
 * the force in it. Without `holdLast` the end is let go and the force is gone. */
static void the_last_key_holds(void **state) {
  static const char text[] =
      "<Node name='root' dt='0.25' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<PathFollowingSolver name='path' initialLoadFactor='1' loadIncrement='0'/><SparseLDLSolver/>"
      "<MechanicalObject name='state' template='Vec1d' position='0 1 2'/>"
      "<MeshTopology lines='0 1 1 2'/><MeshSpringForceField linesStiffness='1000' "
      "linesDamping='0'/><FixedProjectiveConstraint indices='0'/>"
      "<%s indices='2' keyTimes='0 1' movements='0 0.2' holdLast='%d'/></Node>";
  static const char *const classes[] = {"LinearMovementProjectiveConstraint",
                                        "PartialLinearMovementProjectiveConstraint"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    char scene[1000];
    SceneRun run = {0};
    const bool hold = i % 2;
    snprintf(scene, sizeof scene, text, classes[i / 2], hold);
    scene_run_open(&run, scene, NULL);
    scene_run_steps(&run, 2);
    const double *x = scene_run_state(&run, "/state")->position.data;
    assert_true(fabs(x[1] - 1.05) < 1e-12 && fabs(x[2] - 2.1) < 1e-12);
    scene_run_steps(&run, 5);
    assert_true(fabs(x[1] - (hold ? 1.1 : 1)) < 1e-9 && fabs(x[2] - (hold ? 2.2 : 2)) < 1e-9);
    scene_run_close(&run);
  }
}

/* A way that becomes one of lengths goes on in equilibrium with the loads of the end of its step.
 */
static void the_way_can_change(void **state) {
  (void)state;
  Truss t;
  open_truss(&t, "0", "loadIncrement='1' tolerance='1e-12'",
             "<LinearForceField points='2' times='0 10' forces='0 0  0 -20' name='grows'/>");
  assert_int_equal(sofa_field_set_text(t.path, "deadLoads", "@grows", 0), SOFA_OK);
  for (int step = 1; step <= 4; step++) {
    scene_run_steps(&t.run, 1);
    const double load = 2 * step + real_of(&t, "loadFactor");
    if (!(fabs(load_at(height(&t)) - load) < 1e-6))
      fail_msg("step %d: %.12g, expected %.12g", step, load_at(height(&t)), load);
    assert_int_equal(sofa_field_set_text(t.path, "method", "cylindrical", 0), SOFA_OK);
  }
  scene_run_close(&t.run);
}

/* A reset begins again, to the bit, whatever the last increment was; loads at the start need
 * iterations. */
static void reset_begins_again(void **state) {
  static const char *const methods[] = {
      "method='cylindrical' increment='0.08'",
      "method='cylindrical' increment='0.08' initialLoadFactor='20' tolerance='1e-2'",
      "method='spherical' loadIncrement='30' initialLoadFactor='5' tolerance='1e-2'",
      "method='normalPlane' increment='0.08' initialLoadFactor='20'",
      ("method='displacement' increment='0.08' controlledPoint='2' controlledDirection='0 -1' "
       "initialLoadFactor='20'"),
  };
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    Truss t;
    double x[2][5], load[2][5];
    open_truss(&t, "0", methods[i], "");
    for (int k = 0; k < 2; k++) {
      for (int step = 0; step < 5; step++) {
        scene_run_steps(&t.run, 1);
        x[k][step] = height(&t);
        load[k][step] = real_of(&t, "loadFactor");
      }
      assert_true(count_of(&t, "increments") > 0);
      assert_int_equal(sofa_simulation_reset(t.run.simulation), SOFA_OK);
      assert_int_equal(count_of(&t, "increments"), 0);
      assert_true(real_of(&t, "arcLength") == 0);
      assert_int_equal(count_of(&t, "repeatedIncrements"), 0);
      assert_int_equal(count_of(&t, "iterations"), 0);
    }
    assert_true(x[0][4] < 0.2);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(load[0], load[1], sizeof load[0]);
    scene_run_close(&t.run);
  }
}

/* The first increment after a reset is as long as the field says then. */
static void reset_takes_the_new_increment(void **state) {
  Truss t;
  double x[2];
  (void)state;
  open_truss(&t, "0", "method='cylindrical' increment='0.08'", "");
  scene_run_steps(&t.run, 2);
  assert_int_equal(sofa_field_set_text(t.path, "increment", "0.05", 0), SOFA_OK);
  assert_int_equal(sofa_simulation_reset(t.run.simulation), SOFA_OK);
  scene_run_steps(&t.run, 1);
  x[0] = height(&t);
  scene_run_close(&t.run);
  open_truss(&t, "0", "method='cylindrical' increment='0.05'", "");
  scene_run_steps(&t.run, 1);
  x[1] = height(&t);
  assert_memory_equal(&x[0], &x[1], sizeof x[0]);
  scene_run_close(&t.run);
}

/* A step has the constraints of its end: the apex is held for the first one alone. */
static void constraints_that_end(void **state) {
  static const char sideways[] =
      "<ConstantForceField indices='2' forces='1 0'/><PartialFixedProjectiveConstraint "
      "indices='2' fixedDirections='1 0' endTime='1.5'/>";
  (void)state;
  Truss t;
  open_truss(&t, "0", "method='cylindrical' increment='0.02' loadIncrement='1'", sideways);
  const SofaState *body = scene_run_state(&t.run, "/state");
  scene_run_steps(&t.run, 1);
  assert_true(body->position.data[4] == 0 && body->position.data[5] < 0.49);
  scene_run_steps(&t.run, 1);
  assert_true(body->position.data[4] > 1e-5);
  scene_run_close(&t.run);
}

static void without_memory(void **state) {
  char text[2000];
  (void)state;
  snprintf(text, sizeof text, truss, "-10", "method='spherical' increment='0.07'", "");
  scene_runs_without_memory("arc length", text, 2, 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_methods_follow_the_curve),
      cmocka_unit_test(dead_loads_are_not_scaled),
      cmocka_unit_test(increments_are_cut),
      cmocka_unit_test(no_equilibrium),
      cmocka_unit_test(the_last_key_holds),
      cmocka_unit_test(reset_begins_again),
      cmocka_unit_test(reset_takes_the_new_increment),
      cmocka_unit_test(the_way_can_change),
      cmocka_unit_test(constraints_that_end),
      cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
