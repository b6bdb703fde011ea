/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contact managers: responses by name, their parameters, the life and the order of contact objects.
 */
#include "tests/support/scene_memory.h"
#include "tests/unit/collision/response_test.h"

#define PENALTY "<CollisionResponse name='r' response='PenalityContactForceField'/>"

/* ---- names and parameters ---- */

static const NameCase names[] = {
    {SCENE(PENALTY, POINT("p"), POINT("q")), NULL, 0},
    {SCENE("<CollisionResponse/>", POINT("p"), POINT("q")), "'response'", 2},
    {SCENE("<CollisionResponse response='PenaltyContactForceField'/>", POINT("p"), POINT("q")),
     "there is no response to contacts 'PenaltyContactForceField'; did you mean "
     "'PenalityContactForceField'?",
     2},
    {SCENE("<CollisionResponse response='UniformMass'/>", POINT("p"), POINT("q")),
     "there is no response to contacts 'UniformMass'", 2},
    {SCENE("<CollisionResponse response='nullptr'/>", POINT("p"), POINT("q")),
     "there is no response to contacts 'nullptr'", 2},
    {SCENE("<CollisionResponse response='RayContact'/>", POINT("p"), POINT("q")),
     "the response RayContact is not supported yet", 2},
    {SCENE(PENALTY, "<PointCollisionModel contactResponse='StickContactForceFeld'/>", POINT("q")),
     "field 'contactResponse': there is no response to contacts 'StickContactForceFeld'; did you "
     "mean 'StickContactForceField'?",
     4},
    {SCENE(PENALTY, "<PointCollisionModel contactResponse='nullptr'/>",
           "<PointCollisionModel contactResponse='StickContactForceField?keepAlive=1'/>"),
     NULL, 0},
    {SCENE("<CollisionResponse response='StickContactForceField' responseParams='keepAlive'/>",
           POINT("p"), POINT("q")),
     "expected name=value for a parameter of the response, found 'keepAlive'", 2},
};

static void response_names(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    check_load(&names[k], NULL, names[k].message);
}

/* A penalty contact has no friction; SOFA ignores its parameters. */
static void parameters(void **state) {
  (void)state;
  static const NameCase friction = {
      SCENE("<CollisionResponse response='PenalityContactForceField' responseParams='mu=0.3'/>",
            POINT("p"), POINT("q")),
      "field 'responseParams': 'mu' is not supported by the response PenalityContactForceField", 2};
  check_load(&friction, NULL, friction.message);
  check_load(&friction, "response-params", NULL);
}

/* ---- contacts given by hand ---- */

/* Names of the contact objects of a node, in order. */
static const char *order(const SofaNode *node, char text[200]) {
  text[0] = 0;
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_implements(node->objects.data[i], SOFA_CONTACT)) {
      strncat(text, node->objects.data[i]->name, 100);
      strncat(text, " ", 2);
    }
  return text;
}

#define FOUR SCENE(PENALTY, POINT("p0") POINT("p1"), POINT("p2") POINT("p3"))

/* The order of the contact objects does not depend on who touched first, and they stay. */
static void order_of_contacts(void **state) {
  (void)state;
  Hand h;
  char text[200];
  const SofaNode *root;
  hand_open(&h, FOUR, NULL);
  root = h.run.simulation->root;
  touch(&h, "13");
  touch(&h, "0213");
  touch(&h, "2003");
  assert_string_equal(order(root, text), "p0-p2 p0-p3 p1-p3 p2-p0 ");
  const SofaObject *contact = &contact_find(h.run.simulation->root, "p1-p3")->object;
  touch(&h, "1302");
  const SofaLinks *links =
      sofa_field_value(scene_run_object(&h.run, "/r"),
                       sofa_class_field(scene_run_object(&h.run, "/r")->klass, "contacts"));
  assert_int_equal(links->n, 4);
  assert_string_equal(links->data[2].path, "@/p1-p3");
  assert_ptr_equal(contact, contact_find(h.run.simulation->root, "p1-p3"));
  assert_string_equal(order(root, text), "p0-p2 p0-p3 p1-p3 p2-p0 ");
  scene_run_close(&h.run);
}

/* An object that was destroyed is made again; a reset leaves all, without contacts. */
static void life_of_contacts(void **state) {
  (void)state;
  Hand h;
  char text[200];
  hand_open(&h, FOUR, NULL);
  SofaNode *root = h.run.simulation->root;
  touch(&h, "0213");
  SofaObject *contact = &contact_find(root, "p0-p2")->object;
  sofa_object_destroy(&contact);
  touch(&h, "13");
  assert_string_equal(order(root, text), "p1-p3 ");
  touch(&h, "02");
  assert_string_equal(order(root, text), "p0-p2 p1-p3 ");
  assert_int_equal(sofa_simulation_reset(h.run.simulation), SOFA_OK);
  assert_string_equal(order(root, text), "p0-p2 p1-p3 ");
  touch(&h, "03");
  assert_string_equal(order(root, text), "p0-p2 p0-p3 p1-p3 ");
  SofaContactManager *manager = (SofaContactManager *)scene_run_object(&h.run, "/r");
  manager->ops->clear(manager);
  assert_string_equal(order(root, text), "");
  scene_run_close(&h.run);
}

/* A node of a model is destroyed: its contacts go with it. */
static void a_model_is_destroyed(void **state) {
  (void)state;
  Hand h;
  char text[200];
  hand_open(&h, FOUR, NULL);
  SofaNode *root = h.run.simulation->root, *b = sofa_node_child(root, "b");
  touch(&h, "0201");
  sofa_node_destroy(&b);
  touch(&h, "01");
  assert_string_equal(order(root, text), "");
  assert_string_equal(order(sofa_node_child(root, "a"), text), "p0-p1 ");
  scene_run_close(&h.run);
}

/* No memory is taken when the same models touch again. */
static void memory(void **state) {
  (void)state;
  Hand h;
  hand_open(&h, FOUR, NULL);
  for (int i = 0; i < 3; i++) touch(&h, i == 1 ? "" : "02130313");
  const uint64_t before = h.run.ctx->n_allocations;
  touch(&h, "0213");
  touch(&h, "");
  touch(&h, "03");
  assert_int_equal(h.run.ctx->n_allocations, before);
  scene_run_close(&h.run);
}

/* A request for memory that fails while contact objects are made is an error, and nothing is lost.
 */
static void lack_of_memory(void **state) {
  (void)state;
  scene_runs_without_memory(
      "contacts",
      "<Node gravity='0 0 0'><DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/>"
      "<BVHNarrowPhase/><MinProximityIntersection alarmDistance='0.5' contactDistance='0.2'/>"
      "<RuleBasedContactManager response='PenalityContactForceField' variables='v' "
      "v='StickContactForceField?keepAlive=1' rules='t q $v$'/><Node><EulerExplicitSolver/>"
      "<MeshTopology position='0 0 0 4 0 0 0 4 0' triangles='0 1 2'/><MechanicalObject/>"
      "<UniformMass vertexMass='1'/><TriangleCollisionModel name='t' tags='red'/></Node><Node>"
      "<EulerExplicitSolver/><MechanicalObject position='1 1 0.15'/><UniformMass vertexMass='1'/>"
      "<PointCollisionModel name='p'/><PointCollisionModel name='q'/></Node></Node>",
      2, 60);
}

/* Models in contact with each; with the quirk a number stays when the contacts end. */
static void count_of_contacts(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Hand h;
    hand_open(&h, FOUR, quirk ? "contact-count-stays" : NULL);
    touch(&h, "0203");
    assert_int_equal(h.model[0]->n_contacts, 2);
    assert_int_equal(h.model[2]->n_contacts, 1);
    touch(&h, "02");
    assert_int_equal(h.model[0]->n_contacts, 1);
    assert_int_equal(h.model[3]->n_contacts, quirk);
    touch(&h, "");
    assert_int_equal(h.model[0]->n_contacts, quirk);
    scene_run_close(&h.run);
  }
}

/* ---- which response ---- */

/* Class of the contact object of two models with these responses: the manager's is the penalty. */
static void check_choice(const char *first, const char *second, const char *expected) {
  Hand h;
  char scene[1000];
  snprintf(scene, sizeof scene,
           SCENE("%s", "<PointCollisionModel name='p' contactResponse='%s' tags='red'/>",
                 "<PointCollisionModel name='q' contactResponse='%s' tags='blue'/>"),
           PENALTY, first, second);
  hand_open(&h, scene, NULL);
  touch(&h, "01");
  const SofaForceField *contact = contact_find(h.run.simulation->root, "p-q");
  if (!expected) {
    assert_null(contact);
  } else {
    assert_non_null(contact);
    assert_string_equal(contact->object.klass->name, expected);
    assert_int_equal(contact->object.tags.words.n, 2);
  }
  scene_run_close(&h.run);
}

static void responses_of_models(void **state) {
  (void)state;
  check_choice("", "", "PenalityContactForceField");
  check_choice("StickContactForceField", "", "StickContactForceField");
  check_choice("", "StickContactForceField?keepAlive=1", "StickContactForceField");
  check_choice("StickContactForceField", "StickContactForceField", "StickContactForceField");
  check_choice("StickContactForceField", "PenalityContactForceField", "PenalityContactForceField");
  check_choice("nullptr", "", NULL);
  check_choice("nullptr", "StickContactForceField", "PenalityContactForceField");
}

/* With keep_going what is wrong with one model leaves the others their contacts. */
static void keep_going(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.keep_going = true};
  scene_run_context(&run, &options);
  run.quiet = true;
  assert_int_equal(
      sofa_simulation_load_text(
          run.ctx,
          SCENE("<CollisionResponse response='PenalityContactForceField' responseParams='mu=1'/>",
                "<PointCollisionModel name='p' contactResponse='Nothing'/>" POINT("o"), POINT("q")),
          &run.simulation),
      SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  SofaNode *root = run.simulation->root;
  const double p[3] = {0, 0, 0}, q[3] = {0, 0, 0.1};
  SofaDetection found = contact_detection(0, 0, p, q, 0.2);
  SofaCollisionModel *second = (SofaCollisionModel *)scene_run_object(&run, "/b/q");
  SofaModelContact pairs[2];
  for (int i = 0; i < 2; i++)
    pairs[i] = (SofaModelContact){
        .model = {(SofaCollisionModel *)scene_run_object(&run, i ? "/a/o" : "/a/p"), second},
        .detections = {.data = &found, .n = 1}};
  contact_respond(root, &hand_method, pairs, 2);
  assert_null(contact_find(root, "p-q"));
  assert_non_null(contact_find(root, "o-q"));
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(response_names),       cmocka_unit_test(parameters),
      cmocka_unit_test(order_of_contacts),    cmocka_unit_test(life_of_contacts),
      cmocka_unit_test(a_model_is_destroyed), cmocka_unit_test(memory),
      cmocka_unit_test(lack_of_memory),       cmocka_unit_test(count_of_contacts),
      cmocka_unit_test(responses_of_models),  cmocka_unit_test(keep_going),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
