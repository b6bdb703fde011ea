/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows and violations of all Lagrangian constraint models, and bad input. */
#include "behavior/collision.h"
#include "draw/draw.h"
#include "tests/unit/constraint/rows_test.h"

#define TWO(a, b, constraint)                                                                      \
  "<Node name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>\n<Node "        \
  "name='a'>" a "</Node>\n<Node name='b'>" b "</Node>\n" constraint "</Node>"
#define STATE(kind, x) "<MechanicalObject name='s' template='" kind "' position='" x "'/>"
#define LINKS "object1='@a/s' object2='@b/s'"
#define POINTS_A STATE("Vec3d", "0.1 0.2 0.3 1 2 3")
#define POINTS_B STATE("Vec3d", "0.5 0.4 -0.7 4 0 0 2 2 1")
#define FRAMES_A STATE("Rigid3d", "0 0 0 0 0 0 1 1 2 3 0.6 0 0 0.8")
#define FRAMES_B STATE("Rigid3d", "1 1 1 0 0.6 0 0.8 0.2 0.1 0.4 0 0 0 1")

typedef struct RowCase {
  const char *klass, *scene;
  size_t n_rows, n_blocks;
} RowCase;

/* Frames have the orientations that they should have: there J of a rotation vector is exact. */
static const RowCase cases[] = {
    {"BilateralLagrangianConstraint",
     TWO(POINTS_A, POINTS_B,
         "<BilateralLagrangianConstraint " LINKS
         " first_point='1 0' second_point='2 0' rest_vector='0.5 0 0'/>"),
     6, 2},
    {"BilateralLagrangianConstraint",
     TWO(POINTS_A, "",
         "<BilateralLagrangianConstraint object1='@a/s' object2='@a/s' first_point='1' "
         "second_point='0'/>"),
     3, 1},
    {"BilateralLagrangianConstraint",
     TWO(FRAMES_A, FRAMES_B,
         "<BilateralLagrangianConstraint " LINKS " first_point='0' second_point='1'/>"),
     6, 2},
    {"BilateralLagrangianConstraint",
     TWO(FRAMES_A, FRAMES_B,
         "<BilateralLagrangianConstraint " LINKS
         " first_point='0 1' second_point='1 0' keepOrientationDifference='1'/>"),
     12, 4},
    {"FixedLagrangianConstraint",
     TWO(POINTS_B, "", "<FixedLagrangianConstraint mstate='@a/s' indices='2 0'/>"), 6, 2},
    {"FixedLagrangianConstraint",
     TWO(FRAMES_A, "", "<FixedLagrangianConstraint mstate='@a/s' fixAll='1'/>"), 12, 4},
    {"FixedLagrangianConstraint",
     TWO(STATE("Vec1d", "1 2 3"), "", "<FixedLagrangianConstraint mstate='@a/s' indices='1'/>"), 1,
     1},
    {"FixedLagrangianConstraint",
     TWO(STATE("Vec2d", "1 2 3 4"), "", "<FixedLagrangianConstraint mstate='@a/s' indices='1'/>"),
     2, 1},
    {"FixedLagrangianConstraint",
     TWO(STATE("Vec6d", "1 2 3 4 5 6"), "",
         "<FixedLagrangianConstraint mstate='@a/s' fixAll='1'/>"),
     6, 1},
    {"SlidingLagrangianConstraint",
     TWO(POINTS_A, POINTS_B,
         "<SlidingLagrangianConstraint " LINKS " sliding_point='1' axis_1='0' axis_2='2'/>"),
     4, 4},
    {"SlidingLagrangianConstraint",
     TWO(POINTS_A, POINTS_B,
         "<SlidingLagrangianConstraint " LINKS " sliding_point='1' axis_1='2' axis_2='2'/>"),
     3, 3},
    {"SlidingLagrangianConstraint",
     TWO("", STATE("Vec3d", "0 0 0 1 0 0 4 0 0"),
         "<SlidingLagrangianConstraint object1='@b/s' object2='@b/s' sliding_point='1' axis_1='0' "
         "axis_2='2'/>"),
     4, 4},
    {"StopperLagrangianConstraint",
     TWO(STATE("Vec1d", "1 2 3"), "",
         "<StopperLagrangianConstraint mstate='@a/s' index='1' min='0' max='1'/>"),
     1, 1},
    {"UniformLagrangianConstraint",
     TWO(STATE("Vec1d", "1 2 3"), "", "<UniformLagrangianConstraint mstate='@a/s'/>"), 3, 3},
    {"UniformLagrangianConstraint",
     TWO(STATE("Vec1d", "1 2 3 4"), "",
         "<UniformLagrangianConstraint mstate='@a/s' iterative='0' constrainToRestPos='1'/>"),
     4, 1},
};

/* In both orders: J is the derivative of d by the free positions, or by the free velocities. */
static void jacobians(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    for (int order = 0; order < 2; order++) {
      Rows r;
      rows_open(&r, cases[i].scene, NULL);
      rows_build(&r, order ? SOFA_CONSTRAIN_VELOCITIES : SOFA_CONSTRAIN_POSITIONS, 0.1);
      assert_int_equal(r.problem.n, cases[i].n_rows);
      assert_int_equal(r.problem.blocks.n, cases[i].n_blocks);
      rows_check_jacobian(&r, cases[i].scene);
      rows_close(&r);
    }
}

/* Where velocities are constrained, d is J v + gap / dt: the end of the step x + dt v has the gap
 * dt d. The motion is small: rows are those of the start. */
static void orders_agree(void **state) {
  (void)state;
  const double dt = 1e-3;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    Rows r;
    double gap[16];
    rows_open(&r, cases[i].scene, NULL);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, dt);
    for (size_t k = 0; k < r.problem.states.n; k++) {
      SofaState *s = r.problem.states.data[k].state;
      const size_t n = s->velocity.n * s->velocity.width;
      for (size_t q = 0; q < n; q++) s->free_velocity.data[q] = sin((double)(q + 3 * k));
      sofa_state_integrate(s->object.kind, s->position.n, dt, s->free_velocity.data,
                           s->free_position.data);
    }
    rows_violations(&r, gap);
    r.problem.order = SOFA_CONSTRAIN_VELOCITIES;
    rows_violations(&r, r.problem.violation.data);
    for (size_t k = 0; k < cases[i].n_rows; k++)
      if (!(fabs(dt * r.problem.violation.data[k] - gap[k]) < 1e-6))
        fail_msg("%s: row %zu: %g, %g", cases[i].scene, k, dt * r.problem.violation.data[k],
                 gap[k]);
    rows_close(&r);
  }
}

/* Every model has a case; those that a scene can name and that have no rows say so. */
static void all_classes(void **state) {
  (void)state;
  static const char *const without_rows[] = {"UnilateralLagrangianConstraint",
                                             "AugmentedLagrangianConstraint"};
  SceneRun run = {0};
  scene_run_context(&run, NULL);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    if (klass->abstract || !sofa_class_ops(klass, SOFA_LAGRANGIAN) ||
        sofa_class_ops(klass, SOFA_CONTACT))
      continue;
    bool found = false;
    for (size_t k = 0; k < SOFA_COUNT(cases); k++) found |= !strcmp(cases[k].klass, klass->name);
    for (size_t k = 0; k < SOFA_COUNT(without_rows); k++)
      found |= !strcmp(without_rows[k], klass->name);
    if (!found) fail_msg("%s has no case", klass->name);
  }
  scene_run_close(&run);
  for (size_t k = 0; k < SOFA_COUNT(without_rows); k++) {
    char scene[400];
    Rows r;
    snprintf(scene, sizeof scene, TWO(POINTS_A, POINTS_B, "<%s " LINKS "/>"), without_rows[k]);
    rows_open(&r, scene, NULL);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
    assert_int_equal(r.problem.n, 0);
    rows_close(&r);
  }
}

/* ---- numbers ---- */

static void rigid_numbers(void **state) {
  (void)state;
  static const double expected[] = {0.1, 0.2, 0.3, -0.387864151329, -0.11998044193, 0.591882102083};
  char scene[900];
  Rows r;
  snprintf(scene, sizeof scene,
           TWO(STATE("Rigid3d", "0 0 0 %.17g 0 0 %.17g"),
               STATE("Rigid3d", "0.1 0.2 0.3 0 0 %.17g %.17g"),
               "<BilateralLagrangianConstraint " LINKS " first_point='0' second_point='0'/>"),
           sin(0.2), cos(0.2), sin(0.3), cos(0.3));
  rows_open(&r, scene, NULL);
  rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
  rows_expect(&r, expected, 6, 1e-11);
  rows_close(&r);
}

/* A = 0, B = (4, 0, 0), P = (1, 2, 0); free P = (-1, 2, 0). */
static void sliding_numbers(void **state) {
  (void)state;
  static const double expected[] = {2, 0, -1, 5};
  Rows r;
  rows_open(&r,
            TWO(STATE("Vec3d", "1 2 0"), STATE("Vec3d", "0 0 0 4 0 0"),
                "<SlidingLagrangianConstraint " LINKS " axis_2='1'/>"),
            NULL);
  rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
  scene_run_state(&r.run, "/a/s")->free_position.data[0] = -1;
  rows_violations(&r, r.problem.violation.data);
  rows_expect(&r, expected, 4, 1e-15);
  const SofaConstrainedState *a =
      sofa_constrained_state(&r.problem, scene_run_state(&r.run, "/b/s"));
  assert_true(fabs(rows_entry(a, 0, 1) - -0.75) <= 1e-15);
  assert_true(fabs(rows_entry(a, 0, 4) - -0.25) <= 1e-15);
  assert_true(r.problem.blocks.data[1].law == &sofa_law_bilateral);
  assert_true(r.problem.blocks.data[2].law == &sofa_law_unilateral);
  SofaLagrangian *c = r.constraint[0];
  const double lambda[] = {3, 5, 7, 11};
  assert_int_equal(c->ops->solved(c, &r.problem, lambda), SOFA_OK);
  const SofaField *force = sofa_class_field(c->object.klass, "force");
  const double *f = sofa_field_value(&c->object, force);
  assert_true(f[0] == 7 - 11 && f[1] == 3 && f[2] == -5);
  assert_true(c->forces.n == 4 && fabs(c->forces.data[3] - 110) < 1e-12);
  rows_close(&r);
}

/* One visit ends in the interval, also where velocities are constrained. */
static void stopper_numbers(void **state) {
  (void)state;
  Rows r;
  rows_open(&r,
            TWO(STATE("Vec1d", "2.5"), "", "<StopperLagrangianConstraint mstate='@a/s' max='3'/>"),
            NULL);
  for (int order = 0; order < 2; order++) {
    rows_build(&r, order ? SOFA_CONSTRAIN_VELOCITIES : SOFA_CONSTRAIN_POSITIONS, 0.5);
    SofaState *s = scene_run_state(&r.run, "/a/s");
    s->free_position.data[0] = s->free_velocity.data[0] = 5;
    rows_violations(&r, r.problem.violation.data);
    const SofaConstraintBlock *b = &r.problem.blocks.data[0];
    const double w = 2;
    double d = r.problem.violation.data[0], lambda = 0;
    b->law->resolve(b, &w, NULL, &d, &lambda);
    assert_true(fabs(lambda - (order ? -2 : -1)) <= 1e-12); // v = 5 - 4: 2.5 + 0.5 v = 3
  }
  rows_close(&r);
}

/* ---- memory and activation ---- */

static void memory_and_activation(void **state) {
  (void)state;
  Rows r;
  rows_open(&r, cases[0].scene, NULL);
  rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
  r.problem.blocks.data[1].memory[2] = 7;
  rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
  assert_true(r.problem.blocks.data[1].memory[2] == 7);
  const SofaEvent key = {.type = SOFA_EVENT_KEY_PRESSED, .key = 'A'};
  assert_int_equal(sofa_send_event(r.run.simulation->root, &key), SOFA_OK);
  rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
  assert_int_equal(r.problem.n, 0);
  assert_int_equal(sofa_send_event(r.run.simulation->root, &key), SOFA_OK);
  assert_int_equal(sofa_simulation_reset(r.run.simulation), SOFA_OK);
  rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
  assert_true(r.problem.n == 6 && r.problem.blocks.data[1].memory[2] == 0);
  rows_close(&r);
}

/* ---- links ---- */

/* Lists that an engine of a node below gives are complete when they are checked. */
static void lists_from_below(void **state) {
  (void)state;
  Rows r;
  rows_open(&r,
            TWO("<RegularGridTopology n='7 2 2' min='-1 -1 -1' max='1 1 1'/>"
                "<MechanicalObject name='s'/><BoxROI name='top' box='0.9 -2 -2 2 2 2'/>",
                STATE("Vec3d", "0 0 0 1 0 0 2 0 0 3 0 0"),
                "<BilateralLagrangianConstraint " LINKS
                " first_point='@a/top.indices' second_point='0 1 2 3'/>"),
            NULL);
  rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
  assert_int_equal(r.problem.n, 12);
  const SofaConstrainedState *s =
      sofa_constrained_state(&r.problem, scene_run_state(&r.run, "/a/s"));
  assert_true(rows_entry(s, 9, 3 * 27) == -1);
  rows_close(&r);
}

/* ---- drawings ---- */

typedef struct DrawCase {
  const char *scene;
  SofaDisplayFlag flag;
  size_t points, lines; /* vertices */
} DrawCase;

static void drawings(void **state) {
  (void)state;
  static const DrawCase draws[] = {
      {TWO(POINTS_A, POINTS_B,
           "<BilateralLagrangianConstraint " LINKS " first_point='1 0' second_point='2 0'/>"),
       SOFA_DISPLAY_INTERACTION_FORCE_FIELDS, 4, 4},
      {TWO(POINTS_A, POINTS_B, "<SlidingLagrangianConstraint " LINKS " axis_2='2'/>"),
       SOFA_DISPLAY_INTERACTION_FORCE_FIELDS, 1, 2},
      {TWO(POINTS_B, "", "<FixedLagrangianConstraint mstate='@a/s' indices='2 0'/>"),
       SOFA_DISPLAY_BEHAVIOR_MODELS, 2, 0},
  };
  for (size_t i = 0; i < SOFA_COUNT(draws); i++)
    for (int shown = 0; shown < 2; shown++) {
      Rows r;
      SofaDisplayFlags flags = {{0}};
      rows_open(&r, draws[i].scene, NULL);
      rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
      SofaDrawList list = {.ctx = r.run.ctx};
      const SofaDrawArgs args = {.list = &list, .flags = &flags, .width = 100, .height = 100};
      SofaObject *object = &r.constraint[0]->object;
      flags.value[draws[i].flag] = (signed char)shown;
      ((const SofaDrawOps *)sofa_ops(object, SOFA_DRAW))->draw(object, &args);
      const SofaDrawVertices *v = list.vertices[SOFA_LAYER_SCENE];
      assert_int_equal(v[SOFA_DRAW_POINTS].n, shown ? draws[i].points : 0);
      assert_int_equal(v[SOFA_DRAW_LINES].n, shown ? draws[i].lines : 0);
      sofa_draw_free(&list);
      rows_close(&r);
    }
}

/* ---- bad input ---- */

typedef struct BadCase {
  const char *scene, *message;
} BadCase;

static const BadCase bad[] = {
    {TWO(POINTS_A, POINTS_B,
         "<BilateralLagrangianConstraint " LINKS " first_point='0 2' second_point='0 1'/>"),
     "first_point"},
    {TWO(POINTS_A, POINTS_B,
         "<BilateralLagrangianConstraint " LINKS " first_point='0' second_point='3'/>"),
     "second_point"},
    {TWO(POINTS_A, POINTS_B,
         "<BilateralLagrangianConstraint " LINKS " first_point='0 1' second_point='0'/>"),
     "has 1 points, first_point has 2"},
    {TWO(POINTS_A, POINTS_B,
         "<BilateralLagrangianConstraint " LINKS
         " first_point='0' second_point='0' rest_vector='0 0 0 1 1 1'/>"),
     "has 2 vectors for 1 pairs"},
    {TWO(POINTS_A, POINTS_B,
         "<BilateralLagrangianConstraint " LINKS " first_point='0' second_point='0' load='2'/>"),
     "load"},
    {TWO(POINTS_A, FRAMES_B, "<BilateralLagrangianConstraint " LINKS "/>"), ""},
    {TWO(POINTS_A, POINTS_B, "<BilateralLagrangianConstraint object1='@a/s'/>"), ""},
    {TWO(POINTS_A, "", "<FixedLagrangianConstraint mstate='@a/s' indices='2'/>"), "indices"},
    {TWO(POINTS_A, "", "<FixedLagrangianConstraint mstate='@b/s' indices='0'/>"), ""},
    {TWO(POINTS_A, POINTS_B, "<SlidingLagrangianConstraint " LINKS " sliding_point='2'/>"),
     "is 2, the state has 2 points"},
    {TWO(POINTS_A, POINTS_B, "<SlidingLagrangianConstraint " LINKS " axis_2='3'/>"),
     "is 3, the state has 3 points"},
    {TWO(STATE("Vec1d", "1 2 3"), "", "<StopperLagrangianConstraint mstate='@a/s' index='3'/>"),
     "is 3, the state has 3 points"},
    {TWO(STATE("Vec1d", "1"), "", "<StopperLagrangianConstraint mstate='@a/s' min='2' max='1'/>"),
     "is 1, which is below min, 2"},
    {TWO(POINTS_A, "", "<UniformLagrangianConstraint mstate='@a/s'/>"), ""},
};

static void bad_input(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(bad); i++) {
    SceneRun run = {.quiet = true};
    scene_run_context(&run, NULL);
    SofaErr err = sofa_simulation_load_text(run.ctx, bad[i].scene, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    if (err == SOFA_OK || !strstr(run.all, bad[i].message))
      fail_msg("%s\ngives: %s\nexpected: %s", bad[i].scene, run.all, bad[i].message);
    if (!strstr(run.all, "LagrangianConstraint"))
      fail_msg("%s: no class in: %s", bad[i].scene, run.all);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobians),
      cmocka_unit_test(orders_agree),
      cmocka_unit_test(all_classes),
      cmocka_unit_test(rigid_numbers),
      cmocka_unit_test(sliding_numbers),
      cmocka_unit_test(stopper_numbers),
      cmocka_unit_test(memory_and_activation),
      cmocka_unit_test(lists_from_below),
      cmocka_unit_test(drawings),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
