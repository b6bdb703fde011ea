/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What scenes with collisions are refused for, and what they are warned of. */
#include "behavior/collision.h"
#include "tests/support/scene_run.h"

#define PIPELINE                                                                                   \
  "<DefaultAnimationLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>\n"
#define METHOD "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>\n"
#define RESPONSE "<CollisionResponse response='PenalityContactForceField'/>\n"
#define ALL PIPELINE METHOD RESPONSE
#define BALL(more)                                                                                 \
  "<Node name='b'><MechanicalObject position='0 0 0'/><SphereCollisionModel " more "/></Node>\n"
#define FLOOR(name, model)                                                                         \
  "<Node name='" name "'><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"           \
  "<MechanicalObject/><TriangleCollisionModel " model "/></Node>\n"

#define ON_PLANE(model)                                                                            \
  "<Node name='f'><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"         \
  "<MechanicalObject template='Vec2d'/><" model "CollisionModel/></Node>"

typedef struct Case {
  const char *what, *text; /* of the nodes below the root */
  bool error;
  const char *message; /* part of it */
} Case;

static const Case cases[] = {
    {"no topology",
     ALL BALL(
         "") "<Node name='f'><MechanicalObject position='0 0 0'/><TriangleCollisionModel/></Node>",
     true, "no topology in this node or above whose triangles"},
    {"no topology of lines",
     ALL BALL("") "<Node name='f'><MechanicalObject position='0 0 0'/><LineCollisionModel/></Node>",
     true, "no topology in this node or above whose edges"},
    {"no state",
     ALL BALL("") "<Node name='f'><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                  "<TriangleCollisionModel/></Node>",
     true, "no mechanical state of Vec3d stands before it"},
    {"points on a plane", ALL BALL("") ON_PLANE("Point"), true,
     "nearest one above, is not of Vec3d"},
    {"lines on a plane", ALL BALL("") ON_PLANE("Line"), true, "nearest one above, is not of Vec3d"},
    {"triangles on a plane", ALL BALL("") ON_PLANE("Triangle"), true,
     "nearest one above, is not of Vec3d"},
    {"tetrahedra on a plane", ALL BALL("") ON_PLANE("Tetrahedron"), true,
     "nearest one above, is not of Vec3d"},
    {"no state of spheres", ALL FLOOR("f", "") "<Node name='n'><SphereCollisionModel/></Node>",
     true, "no mechanical state in this node or above"},
    {"an index beyond the state",
     ALL BALL("") "<Node name='f'><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                  "<MechanicalObject position='0 0 0 1 0 0'/><TriangleCollisionModel/></Node>",
     true, "triangle 0 of the topology has point 2, but there are 2 points"},
    {"an index beyond the mesh",
     ALL BALL("") "<Node name='f'><MeshTopology position='0 0 0 1 0 0 0 1 0' "
                  "triangles='0 1 2 0 1 5'/><MechanicalObject/><TriangleCollisionModel/></Node>",
     true, "triangle 1 of the topology has point 5, but there are 3 points"},
    {"a radius of 0", ALL FLOOR("f", "") BALL("radius='0'"), true, "'radius': 0, expected > 0"},
    {"a negative radius", ALL FLOOR("f", "") BALL("listRadius='-1'"), true,
     "'listRadius': entry 0: -1, expected > 0"},
    {"a skin below 0", ALL FLOOR("f", "") BALL("contactDistance='-1'"), true,
     "'contactDistance': -1, expected >= 0"},
    {"distances in the wrong order",
     PIPELINE
     "<MinProximityIntersection alarmDistance='0.1' contactDistance='0.3'/>" RESPONSE FLOOR("f", "")
         BALL(""),
     true, "alarmDistance (0.1) is smaller than contactDistance (0.3)"},
    {"an unknown response",
     PIPELINE METHOD "<CollisionResponse response='PenaltyContactForceField'/>" FLOOR("f", "")
         BALL(""),
     true, "did you mean 'PenalityContactForceField'?"},
    {"a response of models", ALL FLOOR("f", "") BALL("contactResponse='PenalityContact'"), true,
     "'contactResponse': there is no response to contacts 'PenalityContact'; did you mean"},
    {"no response", PIPELINE METHOD "<CollisionResponse/>" FLOOR("f", "") BALL(""), true,
     "'response': must be given"},
    {"a response that is not built",
     PIPELINE METHOD "<CollisionResponse response='RayContact'/>" FLOOR("f", "") BALL(""), true,
     "is not supported yet"},
    {"a parameter that is not supported",
     PIPELINE METHOD
     "<CollisionResponse response='PenalityContactForceField' responseParams='mu=0.2'/>" FLOOR(
         "f", "") BALL(""),
     true, "'responseParams': 'mu' is not supported"},
    {"a rule without a model",
     PIPELINE METHOD
     "<RuleBasedContactManager response='PenalityContactForceField' rules='none * nullptr'/>" FLOOR(
         "f", "") BALL(""),
     true, "no collision model of the name 'none'"},
    {"an incomplete rule",
     PIPELINE METHOD
     "<RuleBasedContactManager response='PenalityContactForceField' rules='default'/>" FLOOR(
         "f", "") BALL(""),
     true, "expected three for each rule"},
    {"a negative depth",
     "<DefaultAnimationLoop/><CollisionPipeline depth='-1'/>" FLOOR("f", "") BALL(""), true,
     "'depth': -1, expected >= 0"},
    {"no models", ALL, false, "no collision model below this node"},
    {"no method", PIPELINE RESPONSE FLOOR("f", "") BALL(""), false, "no intersection method"},
    {"no phases",
     "<DefaultAnimationLoop/><CollisionPipeline/>" METHOD RESPONSE FLOOR("f", "") BALL(""), false,
     "no broad phase"},
    {"no manager", PIPELINE METHOD FLOOR("f", "") BALL(""), false, "no contact manager"},
    {"ignored kinds", ALL FLOOR("f", "") FLOOR("g", ""), false,
     "does not test triangles with triangles"},
    {"unknown kinds", PIPELINE "<DiscreteIntersection/>" RESPONSE FLOOR("f", "") BALL(""), false,
     "knows no test of spheres with triangles"},
    {"a shared group", ALL FLOOR("f", "group='1'") BALL("group='1 2'"), false, "share a group"},
    {"none simulated", ALL FLOOR("f", "simulated='0'") BALL("simulated='0'"), false,
     "both have simulated=\"0\""},
    {"one model", ALL BALL(""), false, "only with selfCollision"},
    {"two models of a node",
     ALL "<Node name='b'><MechanicalObject position='0 0 0'/><SphereCollisionModel name='s'/>"
         "<PointCollisionModel name='p'/></Node>",
     false, "are in one node without selfCollision"},
    {"no sub-pipeline", "<DefaultAnimationLoop/><CompositeCollisionPipeline/>" BALL(""), false,
     "no sub-pipeline"},
};

/* Every message names its file and line; errors refuse the scene. */
static void check(const Case *c) {
  SceneRun run = {.quiet = true};
  SofaText text = {0};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_text_printf(run.ctx, &text, "<Node gravity='0 0 0'>\n%s</Node>", c->text),
                   SOFA_OK);
  SofaErr err = sofa_simulation_load_text(run.ctx, text.data, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (!strstr(run.all, c->message)) fail_msg("%s: no '%s' in: %s", c->what, c->message, run.all);
  if ((err != SOFA_OK) != c->error)
    fail_msg("%s: %s: %s", c->what, c->error ? "accepted" : "refused", run.all);
  if (err == SOFA_OK) scene_run_steps(&run, 2);
  sofa_list_free(run.ctx, &text);
  scene_run_close(&run);
}

static void messages(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) check(&cases[i]);
}

/* Only a model that no sub-pipeline names is told of, and none where nothing is detected at all. */
static void models_that_no_sub_pipeline_names(void **state) {
  (void)state;
  static const struct {
    const char *models;
    size_t told;
  } rows[] = {{"@f/m @b/m", 1}, {"@f/m @b/m @free/m", 0}, {"@b/m @free/m", 1}, {NULL, 0}};
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SceneRun run = {.quiet = true};
    char text[3000], sub[300] = "";
    if (rows[i].models)
      snprintf(sub, sizeof sub,
               "<SubCollisionPipeline name='sub' collisionModels='%s' intersectionMethod='@method' "
               "contactManager='@response' broadPhaseDetection='@broad' "
               "narrowPhaseDetection='@narrow'/>",
               rows[i].models);
    snprintf(text, sizeof text,
             "<Node gravity='0 0 0'><DefaultAnimationLoop/><CompositeCollisionPipeline %s/>%s"
             "<MinProximityIntersection name='method' alarmDistance='0.3' contactDistance='0.1'/>"
             "<CollisionResponse name='response' response='PenalityContactForceField'/>"
             "<BruteForceBroadPhase name='broad'/><BVHNarrowPhase name='narrow'/>" FLOOR(
                 "f", "name='m'") BALL("name='m'") "<Node name='free'><MechanicalObject "
                                                   "position='9 9 9'/><SphereCollisionModel "
                                                   "name='m'/></Node></Node>",
             rows[i].models ? "subCollisionPipelines='@sub'" : "", sub);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    size_t told = 0;
    for (const char *at = run.all; (at = strstr(at, "no sub-pipeline names")) != NULL; at++) told++;
    if (told != rows[i].told) fail_msg("%s: %zu: %s", rows[i].models, told, run.all);
    scene_run_close(&run);
  }
}

/* A model that is removed while the simulation runs leaves the pipeline. */
static void removed_model(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(
      &run,
      "<Node gravity='0 0 0'>" ALL FLOOR(
          "f", "simulated='0'") "<Node name='m'><EulerExplicitSolver/><MechanicalObject name='s' "
                                "position='0.2 0.2 1.05'/><UniformMass totalMass='1'/>"
                                "<SphereCollisionModel name='c'/></Node>" BALL("") "</Node>",
      NULL);
  scene_run_steps(&run, 2);
  const SofaState *moves = scene_run_state(&run, "/m/s");
  const double speed = moves->velocity.data[2];
  assert_true(speed > 0);
  SofaObject *model = scene_run_object(&run, "/m/c");
  sofa_object_destroy(&model);
  run.quiet = true;
  scene_run_steps(&run, 2);
  assert_true(moves->velocity.data[2] == speed);
  SofaObject *method = sofa_node_find(run.simulation->root, SOFA_INTERSECTION, SOFA_SEARCH_LOCAL);
  sofa_object_destroy(&method);
  scene_run_steps(&run, 2);
  assert_non_null(strstr(run.all, "no intersection method"));
  scene_run_close(&run);
}

/* ---- restitution ---- */

/* Bodies whose models may be of any class. */
#define CUBE                                                                                       \
  "<MeshTopology position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1' "                      \
  "edges='0 1' triangles='0 1 2' quads='0 1 3 2' tetrahedra='0 1 2 4' hexahedra='0 1 3 2 4 5 7 "   \
  "6'/>"
static const char *const bodies[] = {
    "<MechanicalObject/>",
    "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1'/>",
};

static void count_restitution(void *user, const SofaMessage *m) {
  static const char text[] = "contactRestitution has no effect, as in SOFA; the response "
                             "FrictionContactConstraint has responseParams=\"restitution=0.5\"";
  if (m->severity == SOFA_INFO && strstr(m->text, text)) ++*(size_t *)user;
}

/* Messages about the restitution of a model. */
static size_t n_said(const char *name, const char *body, const char *restitution) {
  size_t n = 0;
  const SofaContextOptions options = {
      .keep_going = true, .sink = count_restitution, .sink_user = &n};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  char text[1000];
  snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><Node>" CUBE "%s<%s %s/></Node></Node>",
           body, name, restitution);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  if (sofa_simulation_load_text(ctx, text, &simulation) == SOFA_OK)
    (void)sofa_simulation_init(simulation);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return n;
}

/* With printLog every class of models says once that SOFA does not use the field, and which one is
 * used. */
static void restitution_of_models(void **state) {
  (void)state;
  SceneRun all = {0};
  size_t n = 0;
  scene_run_context(&all, NULL);
  for (size_t i = 0; i < sofa_factory_n_classes(all.ctx); i++) {
    const SofaClass *k = sofa_factory_class_at(all.ctx, i);
    if (k->abstract || !sofa_class_is_a(k, &sofa_collision_model_class)) continue;
    size_t said = 0;
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies && !said; b++) {
      said = n_said(k->name, bodies[b], "printLog='1' contactRestitution='0.5'");
      assert_int_equal(n_said(k->name, bodies[b], "printLog='1'"), 0);
    }
    if (said != 1) fail_msg("%s: %zu messages", k->name, said);
    n++;
  }
  assert_true(n >= 5);
  scene_run_close(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(messages),
      cmocka_unit_test(models_that_no_sub_pipeline_names),
      cmocka_unit_test(removed_model),
      cmocka_unit_test(restitution_of_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
