/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A step that moves a point beyond any scale of its scene fails; what may go far does not. */
#include <math.h>

#include "tests/support/scene_run.h"

#define SCENE(settings, body)                                                                      \
  "<Node name='root' " settings "><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" body "</"    \
  "Node>"

/* Explicit steps of h w = 10: the amplitude grows by about 100 in each. */
#define OSCILLATOR(solver, position)                                                               \
  SCENE("dt='0.1' gravity='0 0 0'",                                                                \
        solver "<MechanicalObject name='state' position='" position "'/>"                          \
               "<UniformMass vertexMass='1'/><RestShapeSpringsForceField stiffness='10000'/>"      \
               "<ConstantForceField forces='1 0 0'/>")

/* Steps until one fails, at most n. */
static int steps_of(SceneRun *run, int n) {
  int i = 0;
  while (i < n && sofa_simulation_step(run->simulation, 0) == SOFA_OK) i++;
  return i;
}

static void open_quietly(SceneRun *run, const char *scene, const char *quirks) {
  const SofaContextOptions options = {.quirk_words = quirks};
  *run = (SceneRun){.quiet = true};
  scene_run_context(run, quirks ? &options : NULL);
  assert_int_equal(sofa_simulation_load_text(run->ctx, scene, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

static double position_of(SceneRun *run) {
  return scene_run_state(run, "/state")->position.data[0];
}

static void diverging_motion_fails(void **state) {
  (void)state;
  SceneRun run;
  open_quietly(&run, OSCILLATOR("<EulerExplicitSolver/>", "0 0 0 1 0 0"), NULL);
  assert_in_range(steps_of(&run, 100), 2, 8);
  assert_int_equal(run.simulation->failure, SOFA_ERR_RANGE);
  assert_non_null(strstr(run.all, "/state: position of point 0 is "));
  assert_non_null(strstr(run.all, "runawayFactor"));
  assert_non_null(strstr(run.all, "the state is that of the step before"));
  const double last = position_of(&run);
  assert_true(fabs(last) > 1e3 && fabs(last) < 1e6);
  scene_run_close(&run);
}

/* The factor, or none. */
static void factor_moves_the_limit(void **state) {
  (void)state;
  SceneRun run;
  open_quietly(&run, OSCILLATOR("<EulerExplicitSolver runawayFactor='10'/>", "0 0 0 1 0 0"), NULL);
  assert_in_range(steps_of(&run, 100), 1, 3);
  scene_run_close(&run);
  open_quietly(&run, OSCILLATOR("<EulerExplicitSolver runawayFactor='0'/>", "0 0 0 1 0 0"), NULL);
  assert_int_equal(steps_of(&run, 50), 50);
  assert_true(fabs(position_of(&run)) > 1e20);
  scene_run_close(&run);
}

static void quirk_goes_on(void **state) {
  (void)state;
  SceneRun run;
  open_quietly(&run, OSCILLATOR("<EulerExplicitSolver/>", "0 0 0 1 0 0"), "runaway-states");
  assert_int_equal(steps_of(&run, 50), 50);
  assert_true(fabs(position_of(&run)) > 1e20);
  scene_run_close(&run);
}

/* Another body of the scene gives the scale, too; a reset begins the run again. */
static void the_whole_scene_is_the_scale(void **state) {
  (void)state;
  static const char far[] =
      "<EulerExplicitSolver/><Node name='far'><MechanicalObject position='1e12 "
      "0 0'/></Node>";
  SceneRun run;
  char scene[2000];
  snprintf(scene, sizeof scene, OSCILLATOR("%s", "0 0 0 1 0 0"), far);
  open_quietly(&run, scene, NULL);
  assert_int_equal(steps_of(&run, 8), 8);
  assert_true(fabs(position_of(&run)) > 1e8);
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  assert_in_range(steps_of(&run, 100), 8, 12);
  scene_run_close(&run);
}

/* Bodies that fall and fly from the origin, a frame in a scene of nanometres, and values that are
 * no places: a state of Vec1 that starts at 0. */
static void free_bodies_may_go_far(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE("dt='1' gravity='-9.81 0 0'", "<EulerImplicitSolver/><CGLinearSolver/>"
                                          "<MechanicalObject name='state' position='0 0 0'/>"
                                          "<UniformMass vertexMass='1'/>"),
      SCENE("dt='1' gravity='0 0 0'", "<EulerExplicitSolver/><MechanicalObject name='state' "
                                      "position='0 0 0' velocity='1e4 0 0'/>"
                                      "<UniformMass vertexMass='1'/>"),
      SCENE("dt='1' gravity='0 0 0'",
            "<EulerExplicitSolver/><MechanicalObject name='state' template='Rigid3' "
            "position='1e-9 0 0 0 0 0 1' velocity='1e-5 0 0 0 0 1'/><UniformMass vertexMass='1 1 "
            "[1 0 0,0 1 0,0 0 1]'/>"),
      SCENE("dt='1' gravity='0 0 0'",
            "<EulerExplicitSolver/><MechanicalObject name='state' template='Vec1d' position='0'/>"
            "<UniformMass vertexMass='1'/><ConstantForceField forces='1e9'/>"),
  };
  for (size_t i = 0; i < SOFA_COUNT(scenes); i++) {
    SceneRun run;
    scene_run_open(&run, scenes[i], NULL);
    scene_run_steps(&run, 2000);
    assert_true(fabs(position_of(&run)) > 1e-2);
    scene_run_close(&run);
  }
}

/* A point that a force throws away: what the limit is measured by. */
typedef struct Throw {
  const char *gravity, *state, *other; /* the scene, the state's attributes, another node */
  const char *force;
  double size, speed, fall; /* expected: size, and what t adds to it, (speed + fall t) t */
  double x, v, a;           /* of the thrown point, along x */
} Throw;

static bool passes(const Throw *c, double factor, int steps) {
  char scene[2000];
  SceneRun run;
  snprintf(
      scene, sizeof scene,
      "<Node name='root' dt='0.1' gravity='%s'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
      "<EulerExplicitSolver runawayFactor='%.17g'/><MechanicalObject name='state' %s/>"
      "<UniformMass vertexMass='1'/><ConstantForceField indices='0' forces='%s'/>%s</Node>",
      c->gravity, factor, c->state, c->force, c->other);
  open_quietly(&run, scene, NULL);
  const bool passed = steps_of(&run, steps) == steps;
  scene_run_close(&run);
  return passed;
}

static void the_limit_is_exact(void **state) {
  static const char space[] = "1e6 0 0", none[] = "0 0 0";
  static const Throw cases[] = {
      {none, "position='1 2 -4'", "", space, 4, 0, 0, 1, 0, 1e6},
      {none, "position='1 2 -4 3 -6 1'", "", space, 6, 0, 0, 1, 0, 1e6},
      {none, "position='1 2 -4' rest_position='-7 0 0'", "", space, 7, 0, 0, 1, 0, 1e6},
      {none, "position='1 2 -4' velocity='0 0 -30'", "", space, 4, 30, 0, 1, 0, 1e6},
      {"3 0 4", "position='1 2 -4'", "", space, 4, 0, 5, 1, 0, 1e6 + 3},
      {"2 3 6", "position='1 2 -4' velocity='9 0 0'", "", space, 4, 9, 7, 1, 9, 1e6 + 2},
      {none, "position='1 2 -4'", "<Node name='n'><MechanicalObject position='0 0 9'/></Node>",
       space, 9, 0, 0, 1, 0, 1e6},
      {none, "template='Vec1d' position='2' velocity='30'",
       "<Node name='n'><MechanicalObject position='0 0 9'/></Node>", "1e6", 2, 0, 0, 2, 30, 1e6},
      {none, "position='1 2 -4'",
       "<Node name='n'><MechanicalObject template='Vec1d' position='90'/></Node>", space, 4, 0, 0,
       1, 0, 1e6},
      {none, "template='Vec2d' position='2 -3'", "", "1e6 0", 3, 0, 0, 2, 0, 1e6},
      {none, "template='Rigid3d' position='0.5 0 0 0 0 0 1' velocity='0 0 0 0 0 50'", "",
       "1e6 0 0 0 0 0", 0.5, 0, 0, 0.5, 0, 1e6},
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    for (int steps = 1; steps <= 2; steps++) {
      const Throw *c = &cases[i];
      const double t = 0.1 * steps;
      double x = c->x, v = c->v;
      for (int k = 0; k < steps; k++) {
        v += 0.1 * c->a;
        x += 0.1 * v;
      }
      const double factor = x / (c->size + (c->speed + c->fall * t) * t);
      if (!passes(c, factor * (1 + 1e-9), steps) || passes(c, factor * (1 - 1e-9), steps))
        fail_msg("case %zu, %d steps: the limit is not at the factor %g", i, steps, factor);
    }
}

/* All solvers have the size of the scene before the first step, not that after another one's. */
static void one_size_for_all_solvers(void **state) {
  static const char body[] =
      "<Node name='%s'><EulerExplicitSolver runawayFactor='%s'/><MechanicalObject name='state' "
      "position='1 0 0'/><UniformMass vertexMass='1'/><ConstantForceField forces='%s 0 0'/></Node>";
  static const struct {
    const char *factor, *force;
    bool passes;
  } cases[] = {{"50", "1e4", false}, {"200", "1e4", true}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    char first[500], second[500], scene[1500];
    SceneRun run;
    snprintf(first, sizeof first, body, "a", "0", "1e8");
    snprintf(second, sizeof second, body, "b", cases[i].factor, cases[i].force);
    snprintf(scene, sizeof scene, SCENE("dt='0.1' gravity='0 0 0'", "%s%s"), first, second);
    open_quietly(&run, scene, NULL);
    assert_int_equal(steps_of(&run, 1), cases[i].passes);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(diverging_motion_fails),
      cmocka_unit_test(factor_moves_the_limit),
      cmocka_unit_test(quirk_goes_on),
      cmocka_unit_test(the_whole_scene_is_the_scale),
      cmocka_unit_test(free_bodies_may_go_far),
      cmocka_unit_test(the_limit_is_exact),
      cmocka_unit_test(one_size_for_all_solvers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
