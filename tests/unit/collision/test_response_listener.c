/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ContactListener: contacts of all pairs, seen from its first model. */
#include <math.h>

#include "tests/support/scene_run.h"

#define SCENE(listener)                                                                            \
  "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/>"        \
  "<BruteForceBroadPhase/><BVHNarrowPhase/>"                                                       \
  "<MinProximityIntersection alarmDistance='0.5' contactDistance='0.2'/>"                          \
  "<CollisionResponse response='PenalityContactForceField'/>"                                      \
  "<Node name='a'><MeshTopology position='0 0 0 4 0 0 0 4 0' triangles='0 1 2'/>"                  \
  "<MechanicalObject/><TriangleCollisionModel name='t' simulated='0'/></Node>"                     \
  "<Node name='b'><MechanicalObject name='s' position='9 9 9 1 1 0.15'/><UniformMass "             \
  "vertexMass='1'/><PointCollisionModel name='p'/></Node>"                                         \
  "<Node name='c'><MechanicalObject name='s' position='0.5 0.5 0.1 2 1 0.18'/><UniformMass "       \
  "vertexMass='1'/><PointCollisionModel name='q'/></Node>" listener "</Node>"

static const void *output(SceneRun *run, const char *name) {
  SofaObject *object = scene_run_object(run, "/l");
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_non_null(field);
  assert_int_equal(sofa_field_compute(object, field), SOFA_OK);
  return sofa_field_value(object, field);
}

static void open_listener(SceneRun *run, const char *text) {
  scene_run_open(run, text, NULL);
  assert_int_equal(((const SofaVec3s *)output(run, "points1"))->n, 0);
  scene_run_steps(run, 1);
}

/* The point of b is 0.05 m inside, at 500 N/m. */
static void check_one(SceneRun *run, double sign) {
  const SofaVec3s *first = output(run, sign > 0 ? "points1" : "points2");
  const SofaVec3s *second = output(run, sign > 0 ? "points2" : "points1");
  const SofaVec3s *normals = output(run, "normals"), *forces = output(run, "forces");
  const SofaIndices *points = output(run, sign > 0 ? "elements2" : "elements1");
  const SofaReals *distances = output(run, "distances");
  assert_int_equal(first->n, 1);
  assert_true(first->data[0].v[2] == 0 && fabs(second->data[0].v[2] - 0.15) < 1e-15);
  assert_true(normals->data[0].v[2] == sign);
  assert_true(fabs(forces->data[0].v[2] - 25 * sign) < 1e-12);
  assert_true(fabs(distances->data[0] + 0.05) < 1e-15);
  assert_int_equal(points->data[0], 1);
}

static void of_two_models(void **state) {
  (void)state;
  SceneRun run;
  open_listener(&run, SCENE("<ContactListener name='l' collisionModel1='@a/t' "
                            "collisionModel2='@b/p'/>"));
  check_one(&run, 1);
  scene_run_close(&run);
  open_listener(&run, SCENE("<ContactListener name='l' collisionModel1='@b/p' "
                            "collisionModel2='@a/t'/>"));
  check_one(&run, -1);
  scene_run_close(&run);
}

/* All pairs of one model, in the order of the graph. */
static void of_one_model(void **state) {
  (void)state;
  SceneRun run;
  open_listener(&run, SCENE("<ContactListener name='l' collisionModel2='@a/t'/>"));
  const SofaStrings *pairs = output(&run, "pairs");
  assert_int_equal(pairs->n, 2);
  assert_string_equal(pairs->data[0], "t-p");
  assert_string_equal(pairs->data[1], "t-q");
  const SofaIndices *pair = output(&run, "pairOfContact");
  assert_int_equal(*(const unsigned *)output(&run, "numberOfContacts"), 3);
  assert_int_equal(pair->n, 3);
  assert_int_equal(pair->data[0] + pair->data[1] + pair->data[2], 2);
  const SofaVec3s *forces = output(&run, "forces");
  for (size_t i = 0; i < 3; i++) assert_true(forces->data[i].v[2] < 0);
  scene_run_close(&run);
}

static void without_models(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err =
      sofa_simulation_load_text(run.ctx, SCENE("<ContactListener name='l'/>"), &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  assert_non_null(strstr(run.all, "neither collisionModel1 nor collisionModel2"));
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_two_models),
      cmocka_unit_test(of_one_model),
      cmocka_unit_test(without_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
