/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectSAPNarrowPhase: the contacts of BVHNarrowPhase; with the quirk those of a sweep. */
#include "tests/support/scene_run.h"

/* Balls of a and b at x = 2, 0, 1, in this order; c touches both of its neighbours, which share a
 * group. */
static const char scene[] =
    "<Node name='root' gravity='0 0 0' dt='0.01'><RequiredPlugin pluginName='Sofa.Component'/>"
    "<DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
    "<DirectSAPNarrowPhase name='sap'/>"
    "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
    "<CollisionResponse response='PenalityContactForceField'/>"
    "<ContactListener name='l' collisionModel1='@a/m' collisionModel2='@b/m'/>"
    "<Node name='a'><MechanicalObject position='2 0 0 0 0 0 1 0 0'/><UniformMass vertexMass='1'/>"
    "<SphereCollisionModel name='m' radius='0.3'/></Node>"
    "<Node name='b'><MechanicalObject position='2 0.6 0 0 0.6 0 1 0.6 0'/>"
    "<UniformMass vertexMass='1'/><SphereCollisionModel name='m' radius='0.3'/></Node>"
    "<Node name='c'><MechanicalObject position='9 0 0'/><UniformMass vertexMass='1'/>"
    "<SphereCollisionModel name='m' radius='0.3'/></Node>"
    "<Node name='d'><MechanicalObject position='9 0.6 0'/><UniformMass vertexMass='1'/>"
    "<SphereCollisionModel name='m' radius='0.3' group='1'/></Node>"
    "<Node name='e'><MechanicalObject position='9.4 0.4 0'/><UniformMass vertexMass='1'/>"
    "<SphereCollisionModel name='m' radius='0.3' group='1'/></Node></Node>";

static const SofaIndices *elements(SceneRun *run, const char *name) {
  SofaObject *object = scene_run_object(run, "/l");
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_int_equal(sofa_field_compute(object, field), SOFA_OK);
  return (const SofaIndices *)sofa_field_value(object, field);
}

static void check(const char *quirk, const uint32_t order[3], const char *contacts_of_d) {
  SceneRun run;
  SofaText text = {0};
  scene_run_open(&run, scene, &(SofaContextOptions){.quirk_words = quirk});
  scene_run_steps(&run, 2);
  const SofaIndices *first = elements(&run, "elements1"), *second = elements(&run, "elements2");
  assert_int_equal(first->n, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(first->data[i], order[i]);
    assert_int_equal(second->data[i], order[i]);
  }
  SofaObject *d = scene_run_object(&run, "/d/m");
  assert_int_equal(sofa_field_print(d, sofa_class_field(d->klass, "numberOfContacts"), &text),
                   SOFA_OK);
  assert_string_equal(text.data, contacts_of_d);
  sofa_list_free(run.ctx, &text);
  assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  scene_run_steps(&run, 1);
  assert_int_equal(elements(&run, "elements1")->n, 3);
  scene_run_close(&run);
}

/* A sweep finds the ball at x = 0 first, and lets models of a group meet. */
static void order(void **state) {
  (void)state;
  check("direct-sap-sweep", (const uint32_t[]){1, 2, 0}, "2");
  check("", (const uint32_t[]){0, 1, 2}, "1");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
