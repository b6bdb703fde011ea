/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LCPForceFeedback: forceCoef times the impulse of the constraints on the tool. */
#include "tests/support/scene_run.h"

#include <math.h>

#define SCENE(active)                                                                              \
  "<Node name='root' dt='0.01' gravity='0 -9.81 0'><FreeMotionAnimationLoop/>"                     \
  "<BlockGaussSeidelConstraintSolver tolerance='1e-14' maxIterations='100'/>"                      \
  "<DefaultVisualManagerLoop/><Node name='tool'><EulerImplicitSolver/>"                            \
  "<CGLinearSolver iterations='20' tolerance='1e-14' threshold='1e-30'/>"                          \
  "<MechanicalObject name='state' template='Rigid3d' position='0 0 0 0 0 0 1'/>"                   \
  "<UniformMass vertexMass='2 1 1 0 0 0 1 0 0 0 1'/><UncoupledConstraintCorrection/>"              \
  "<FixedLagrangianConstraint template='Rigid3d' indices='0'/>"                                    \
  "<LCPForceFeedback name='feedback' template='Rigid3d' activate='" active "' forceCoef='0.5'/>"   \
  "</Node></Node>"

static double felt(const char *scene, double *held) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 3);
  const SofaObject *object = scene_run_object(&run, "/tool/feedback");
  const SofaCoords *force = sofa_field_value(object, sofa_class_field(object->klass, "force"));
  const SofaState *s = scene_run_state(&run, "/tool/state");
  assert_int_equal(force->n, 1);
  *held = s->constraint_force.data[1];
  const double result = force->data[1];
  scene_run_close(&run);
  return result;
}

static void the_hand_feels_the_weight(void **state) {
  (void)state;
  double held;
  assert_true(fabs(felt(SCENE("1"), &held) - 0.5 * 2 * 9.81 * 0.01) < 1e-12);
  assert_true(fabs(held - 2 * 9.81) < 1e-9);
  assert_true(felt(SCENE("0"), &held) == 0);
}

/* What is linked to the force sees that a step has changed it. */
static void steps_renew_the_force(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, SCENE("1"), NULL);
  SofaObject *object = scene_run_object(&run, "/tool/feedback");
  const SofaFieldState *force = sofa_field_state(object, sofa_class_field(object->klass, "force"));
  const uint64_t before = (uint64_t)force->version;
  scene_run_steps(&run, 1);
  assert_true((uint64_t)force->version > before);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_hand_feels_the_weight),
                                     cmocka_unit_test(steps_renew_the_force)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
