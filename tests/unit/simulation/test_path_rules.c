/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of PathFollowingSolver on a truss whose path is known: what an increment measures, how
 * its size adapts, where a path begins, and what is refused. */
#include "tests/support/scene_run.h"

#include <math.h>

/* Two bars of EA = 1000 N over a half span of 1 m, the apex 0.5 m above it: one displacement. */
static const char truss[] =
    "<Node name='root' dt='%s' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<PathFollowingSolver name='path' %s/>"
    "<MechanicalObject name='state' template='Vec2d' position='-1 0 1 0 0 0.5'/>%s"
    "<MeshTopology lines='0 2 1 2'/><MeshSpringForceField name='bars' linesStiffness='1000' "
    "linesDamping='0'/><FixedProjectiveConstraint indices='0 1'/>"
    "<ConstantForceField name='push' indices='2' forces='0 %s'/>%s</Node>";
static const char ldl[] = "<SparseLDLSolver name='linear'/>";

typedef struct Path {
  SceneRun run;
  SofaObject *object;
} Path;

static SofaErr load_path(Path *t, const char *push, const char *path, const char *linear,
                         const char *more) {
  char text[2000];
  snprintf(text, sizeof text, truss, "1", path, linear, push, more);
  *t = (Path){.run.quiet = true};
  scene_run_context(&t->run, NULL);
  const SofaErr err = sofa_simulation_load_text(t->run.ctx, text, &t->run.simulation);
  if (err != SOFA_OK) return err;
  return sofa_simulation_init(t->run.simulation);
}

static void open_path(Path *t, const char *path) {
  assert_int_equal(load_path(t, "-1", path, ldl, ""), SOFA_OK);
  t->object = scene_run_object(&t->run, "/path");
  assert_int_equal(t->run.n_problems, 0);
}

static double real_of(const Path *t, const char *name) {
  return *(const double *)sofa_field_value(t->object, sofa_class_field(t->object->klass, name));
}

static uint32_t count_of(const Path *t, const char *name) {
  return *(const uint32_t *)sofa_field_value(t->object, sofa_class_field(t->object->klass, name));
}

static double height(Path *t) {
  return scene_run_state(&t->run, "/state")->position.data[5];
}

static double load_at(double y) {
  return 2000 * y * (1 / hypot(1, y) - 1 / hypot(1, 0.5));
}

/* d load / d sag at the start: 2 EA / L0 sin^2, sin^2 = 0.5^2 / (1 + 0.5^2). */
static double first_stiffness(void) {
  return 2000 / hypot(1, 0.5) * 0.2;
}

static void assert_close(double a, double b, double tolerance) {
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.12g is not %.12g", a, b);
}

/* ---- sizes ---- */

/* Ramm's rule: the next length is sqrt(wanted / used) of the last one, half to twice of it, within
 * the limits. */
static double next_size(double size, unsigned wanted, unsigned used, double least, double most) {
  const double ratio = sqrt((double)wanted / (double)(used ? used : 1));
  return fmin(fmax(size * fmin(fmax(ratio, 0.5), 2), least), most);
}

static void lengths_follow_the_iterations(void **state) {
  static const struct {
    const char *more;
    unsigned wanted;
    double least, most;
  } cases[] = {
      {"targetIterations='5' largestIncrement='8'", 5, 0.001, 8},
      {"targetIterations='3' largestIncrement='1.4'", 3, 0.001, 1.4},
      {"targetIterations='40' largestIncrement='10'", 40, 0.001, 10},
      {"targetIterations='1' smallestIncrement='0.1'", 1, 0.1, 1},
      {"targetIterations='2' smallestIncrement='0.01'", 2, 0.01, 1},
      {"", 5, 0.001, 1},
  };
  const double first = 0.02, scale = 0.005;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[300];
    Path t;
    snprintf(text, sizeof text,
             "method='spherical' increment='%g' loadScale='%g' tolerance='1e-10' %s", first, scale,
             cases[i].more);
    open_path(&t, text);
    double size = 1, y = 0.5, load = 0;
    for (unsigned k = 1; k <= 7; k++) {
      scene_run_steps(&t.run, 1);
      assert_close(hypot(height(&t) - y, scale * (real_of(&t, "loadFactor") - load)), first * size,
                   1e-9);
      y = height(&t);
      load = real_of(&t, "loadFactor");
      assert_int_equal(count_of(&t, "increments"), k);
      assert_int_equal(count_of(&t, "repeatedIncrements"), 0);
      /* the first step finds the equilibrium of no load with no iteration */
      size = next_size(size, cases[i].wanted, count_of(&t, "iterations"), cases[i].least,
                       cases[i].most);
    }
    scene_run_close(&t.run);
  }
}

/* An increment that is repeated has half the length, and the next one does not grow. */
static void repeated_increments_are_halved(void **state) {
  (void)state;
  const double scale = 0.005, first = 0.2;
  Path t;
  open_path(&t, "method='spherical' increment='0.2' loadScale='0.005' maxIterations='3' "
                "targetIterations='20' largestIncrement='4' tolerance='1e-9'");
  unsigned repeated = 0, cuts = 0;
  double size = 1, y = 0.5, load = 0;
  for (int k = 0; k < 12; k++) {
    scene_run_steps(&t.run, 1);
    const unsigned more = count_of(&t, "repeatedIncrements") - repeated;
    size = ldexp(size, -(int)more);
    assert_close(hypot(height(&t) - y, scale * (real_of(&t, "loadFactor") - load)), first * size,
                 1e-8);
    y = height(&t);
    load = real_of(&t, "loadFactor");
    assert_close(load, load_at(y), 1e-5);
    if (more == 0) size = fmin(2 * size, 4);
    cuts += more > 0;
    repeated += more;
  }
  assert_true(cuts > 1);
  scene_run_close(&t.run);
}

/* ---- what an increment measures ---- */

/* |dx|^2 + b dl^2 = r^2, b the square of loadScale. */
static void spheres_weigh_the_load(void **state) {
  static const double scales[] = {0.001, 0.004, 0.02};
  (void)state;
  for (int i = 0; i < 3; i++) {
    Path t;
    char text[200];
    snprintf(text, sizeof text,
             "method='spherical' increment='0.05' loadScale='%g' targetIterations='1000' "
             "tolerance='1e-11'",
             scales[i]);
    open_path(&t, text);
    double y = 0.5, load = 0;
    for (int k = 0; k < 5; k++) {
      scene_run_steps(&t.run, 1);
      const double dx = height(&t) - y, dl = real_of(&t, "loadFactor") - load;
      assert_close(hypot(dx, scales[i] * dl), 0.05, 1e-9);
      y = height(&t);
      load = real_of(&t, "loadFactor");
      assert_close(load, load_at(y), 1e-6);
    }
    scene_run_close(&t.run);
  }
}

/* Without loadScale a load factor counts for its first displacement. */
static void the_first_increment_gives_the_scale(void **state) {
  (void)state;
  const double k = first_stiffness();
  Path t;
  open_path(&t, "method='spherical' loadIncrement='2' tolerance='1e-12'");
  scene_run_steps(&t.run, 1);
  const double dx = height(&t) - 0.5, dl = real_of(&t, "loadFactor");
  assert_close(hypot(dx, dl / k), 2 * sqrt(2) / k, 1e-9);
  scene_run_close(&t.run);

  open_path(&t, "method='cylindrical' loadIncrement='2' tolerance='1e-12'");
  scene_run_steps(&t.run, 1);
  assert_close(0.5 - height(&t), 2 / k, 1e-9);
  scene_run_close(&t.run);

  /* as many numbers as are given */
  open_path(&t, "method='displacement' controlledPoint='2' controlledDirection='0 2' "
                "loadIncrement='2' tolerance='1e-12'");
  scene_run_steps(&t.run, 1);
  assert_close(0.5 - height(&t), 2 / k, 1e-9);
  scene_run_close(&t.run);
}

/* Corrections are normal to the increment so far: it is r and the sum of their squares long. */
static void planes_are_normal(void **state) {
  (void)state;
  Path t;
  open_path(&t, "method='normalPlane' increment='0.1' loadScale='0.002' targetIterations='1000' "
                "tolerance='1e-11'");
  double y = 0.5, load = 0;
  for (int k = 0; k < 5; k++) {
    scene_run_steps(&t.run, 1);
    const double dx = height(&t) - y, dl = real_of(&t, "loadFactor") - load;
    const double length = hypot(dx, 0.002 * dl);
    assert_true(length >= 0.1 - 1e-12 && length < 0.104);
    y = height(&t);
    load = real_of(&t, "loadFactor");
    assert_close(load, load_at(y), 1e-6);
  }
  scene_run_close(&t.run);
}

/* The sign of loadIncrement is that of the load factor at first, of a controlled displacement that
 * of increment; the load factor begins at initialLoadFactor, in equilibrium. */
static void signs_and_starts(void **state) {
  static const char *const methods[] = {"cylindrical", "spherical", "normalPlane"};
  (void)state;
  Path t;
  for (int i = 0; i < 6; i++) {
    char text[300];
    snprintf(text, sizeof text, "method='%s' %s loadIncrement='-1' tolerance='1e-11'",
             methods[i % 3], i < 3 ? "increment='0.02'" : "");
    open_path(&t, text);
    double last = 0;
    for (int k = 0; k < 3; k++) {
      scene_run_steps(&t.run, 1);
      assert_true(real_of(&t, "loadFactor") < last && height(&t) > 0.5);
      last = real_of(&t, "loadFactor");
      assert_close(last, load_at(height(&t)), 1e-6);
    }
    scene_run_close(&t.run);
  }
  open_path(&t, "method='displacement' increment='-0.02' controlledPoint='2' "
                "controlledDirection='0 -1' tolerance='1e-11'");
  scene_run_steps(&t.run, 2);
  assert_close(height(&t), 0.54, 1e-12);
  assert_true(real_of(&t, "loadFactor") < 0);
  scene_run_close(&t.run);

  open_path(&t, "method='cylindrical' increment='0.02' initialLoadFactor='20' tolerance='1e-11'");
  assert_close(real_of(&t, "loadFactor"), 20, 0);
  scene_run_steps(&t.run, 1);
  assert_close(real_of(&t, "loadFactor"), load_at(height(&t)), 1e-6);
  assert_true(real_of(&t, "loadFactor") > 20);
  assert_int_equal(count_of(&t, "increments"), 1);
  assert_close(real_of(&t, "arcLength"), 0.02, 1e-9); /* from the equilibrium of 20 on */
  scene_run_close(&t.run);

  open_path(&t, "initialLoadFactor='20' loadIncrement='0' tolerance='1e-11'");
  scene_run_steps(&t.run, 1);
  assert_close(load_at(height(&t)), 20, 1e-6);
  assert_true(height(&t) > 0.3 && count_of(&t, "iterations") > 0);
  scene_run_close(&t.run);
}

/* A step of load control ends at its load, in whatever parts. */
static void parts_of_a_step(void **state) {
  static const char *const sizes[] = {"", "smallestIncrement='0.01' targetIterations='1'",
                                      "maxIterations='3' targetIterations='3'"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    Path t;
    char text[200];
    snprintf(text, sizeof text, "loadIncrement='9' tolerance='1e-9' %s", sizes[i]);
    open_path(&t, text);
    for (int k = 1; k <= 4; k++) {
      scene_run_steps(&t.run, 1);
      assert_close(real_of(&t, "loadFactor"), 9. * k, 1e-12);
      assert_close(load_at(height(&t)), 9. * k, 1e-4);
      assert_true(height(&t) > 0.28);
      const unsigned n = count_of(&t, "increments");
      assert_true(i == 0 ? n == (unsigned)k : k < 2 || n > (unsigned)k);
    }
    scene_run_close(&t.run);
  }
}

/* A load that is dead no more is scaled from the next step on, the first one of the scene, too. */
static void dead_loads_can_change(void **state) {
  (void)state;
  Path t;
  assert_int_equal(load_path(&t, "-1", "loadIncrement='2' deadLoads='@weight' tolerance='1e-11'",
                             "<SparseLDLSolver/><ConstantForceField name='weight' indices='2' "
                             "forces='0 -5'/>",
                             ""),
                   SOFA_OK);
  t.object = scene_run_object(&t.run, "/path");
  scene_run_steps(&t.run, 1);
  assert_close(load_at(height(&t)), 5 + 2, 1e-6);
  assert_int_equal(sofa_field_set_text(t.object, "deadLoads", "", 0), SOFA_OK);
  scene_run_steps(&t.run, 1);
  assert_close(load_at(height(&t)), 4 * (5 + 1), 1e-6);
  scene_run_close(&t.run);
}

/* ---- refusals ---- */

static void bad_fields_are_refused(void **state) {
  static const struct {
    const char *path, *more, *message;
  } cases[] = {
      {"smallestIncrement='0.5' largestIncrement='0.4'", "", "0.5 is above largestIncrement = 0.4"},
      {"method='cylindrical' loadIncrement='0'", "", "0 gives no size of the first increment"},
      {"method='displacement'", "", "missing: it says which displacement is controlled"},
      {"deadLoads='@bars'", "", "'bars' is no load: no load factor multiplies its force"},
      {"deadLoads='@push @bars'", "", "'bars' is no load"},
      {"method='displacement' controlledDirection='1' controlledPoint='3'", "",
       "3, 'state' has 3 points"},
      {"method='displacement' controlledDirection='1 0 0'", "",
       "has 3 numbers, a velocity of 'state' has 2"},
      {"method='displacement' controlledDirection='1' controlledState='@below/mapped'",
       "<Node name='below'><MechanicalObject name='mapped' template='Vec2d'/>"
       "<IdentityMapping/></Node>",
       "must be a state below this solver that no mapping moves"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Path t;
    SofaErr err = load_path(&t, "-1", cases[i].path, ldl, cases[i].more);
    if (err == SOFA_OK) err = sofa_simulation_step(t.run.simulation, 0);
    if (err == SOFA_OK || !strstr(t.run.all, cases[i].message))
      fail_msg("%s: status %d, '%s'", cases[i].path, (int)err, t.run.all);
    scene_run_close(&t.run);
  }
  /* limits that are allowed */
  Path t;
  open_path(&t, "smallestIncrement='1' largestIncrement='1'");
  scene_run_close(&t.run);
  open_path(&t, "method='cylindrical' loadIncrement='0' increment='0.1'");
  scene_run_close(&t.run);
  open_path(&t, "loadIncrement='0'");
  scene_run_close(&t.run);
}

/* Loads that move nothing have no path, in the words of the method. */
static void no_load(void **state) {
  static const char *const rows[][2] = {
      {"method='cylindrical' increment='0.1'", "the loads of the scene move no point"},
      {"method='displacement' increment='0.1' controlledPoint='2' controlledDirection='0 1'",
       "the loads of the scene move no controlled displacement"},
  };
  (void)state;
  for (int i = 0; i < 2; i++) {
    Path t;
    assert_int_equal(load_path(&t, "0", rows[i][0], ldl, ""), SOFA_OK);
    assert_true(sofa_simulation_step(t.run.simulation, 0) != SOFA_OK);
    if (!strstr(t.run.all, rows[i][1])) fail_msg("'%s'", t.run.all);
    scene_run_close(&t.run);
  }
}

/* A step without equilibrium says what a scene can change. */
static void remedies(void **state) {
  static const struct {
    const char *path, *linear, *more, *message;
    bool has_remedy;
  } cases[] = {
      {"loadIncrement='20'", ldl, "", "method=\"cylindrical\" follows the path beyond it", true},
      {"method='spherical' increment='0.3' smallestIncrement='1' maxIterations='1' "
       "tolerance='1e-13'",
       ldl, "", "after 1 iterations", false},
      {"loadIncrement='20'", "<CGLinearSolver iterations='1' tolerance='1e-30' threshold='0'/>",
       "<ConstantForceField indices='2' forces='3 0'/>", "the linear solver did not converge",
       true},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Path t;
    assert_int_equal(load_path(&t, "-1", cases[i].path, cases[i].linear, cases[i].more), SOFA_OK);
    SofaErr err = SOFA_OK;
    for (int k = 0; k < 3 && err == SOFA_OK; k++) err = sofa_simulation_step(t.run.simulation, 0);
    if (err != SOFA_ERR_NOT_CONVERGED || !strstr(t.run.all, cases[i].message) ||
        (strstr(t.run.all, " iterations; ") != NULL) != cases[i].has_remedy)
      fail_msg("%s: status %d, '%s'", cases[i].path, (int)err, t.run.all);
    scene_run_close(&t.run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_follow_the_iterations),
      cmocka_unit_test(repeated_increments_are_halved),
      cmocka_unit_test(spheres_weigh_the_load),
      cmocka_unit_test(the_first_increment_gives_the_scale),
      cmocka_unit_test(planes_are_normal),
      cmocka_unit_test(signs_and_starts),
      cmocka_unit_test(parts_of_a_step),
      cmocka_unit_test(dead_loads_can_change),
      cmocka_unit_test(bad_fields_are_refused),
      cmocka_unit_test(no_load),
      cmocka_unit_test(remedies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
