/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PenalityContactForceField in scenes: forces, momentum, rest, reset, memory, topological changes.
 */
#include <math.h>

#include "change/topology_edit.h"
#include "tests/support/contact_touch.h"

#define DT 0.01
#define PIPELINE_OF(method, response)                                                              \
  "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/>"        \
  "<BruteForceBroadPhase/><BVHNarrowPhase/>" method "<CollisionResponse response='" response "'/>"
#define PIPELINE(method) PIPELINE_OF(method, "PenalityContactForceField")
#define MIN(alarm, contact)                                                                        \
  "<MinProximityIntersection alarmDistance='" alarm "' contactDistance='" contact "'/>"
#define NEW(alarm, contact)                                                                        \
  "<NewProximityIntersection alarmDistance='" alarm "' contactDistance='" contact "'/>"
/* Points of 1 kg: after a step of an explicit solver the velocity is DT times the force. */
#define BODY(name, points, elements, model)                                                        \
  "<Node name='" name "'><EulerExplicitSolver/><MeshTopology position='" points "' " elements "/>" \
  "<MechanicalObject name='s'/><UniformMass vertexMass='1'/>" model "</Node>"
#define POINTS(name, points, model)                                                                \
  "<Node name='" name "'><EulerExplicitSolver/><MechanicalObject name='s' position='" points "'/>" \
  "<UniformMass vertexMass='1'/>" model "</Node>"
#define TRIANGLE "triangles='0 1 2'"
#define LINE "edges='0 1'"

/* ---- forces on the points, computed by hand ---- */

typedef struct ForceCase {
  const char *what, *scene;
  double a[12], b[12]; /* N, on the points of /a/s and /b/s */
} ForceCase;

static const ForceCase cases[] = {
    {"a triangle and a point above it",
     PIPELINE(MIN("0.5", "0.2"))
         BODY("a", "0 0 0 4 0 0 0 4 0", TRIANGLE, "<TriangleCollisionModel/>")
             POINTS("b", "1 1 0.15", "<PointCollisionModel/>") "</Node>",
     {0, 0, -12.5, 0, 0, -6.25, 0, 0, -6.25},
     {0, 0, 25}},
    {"and below it",
     PIPELINE(MIN("0.5", "0.2"))
         BODY("a", "0 0 0 4 0 0 0 4 0", TRIANGLE, "<TriangleCollisionModel/>")
             POINTS("b", "1 1 -0.15", "<PointCollisionModel/>") "</Node>",
     {0, 0, 12.5, 0, 0, 6.25, 0, 0, 6.25},
     {0, 0, -25}},
    {"with skins",
     PIPELINE(MIN("0.5", "0.2"))
         BODY("a", "0 0 0 4 0 0 0 4 0", TRIANGLE, "<TriangleCollisionModel contactDistance='0.1'/>")
             POINTS("b", "1 1 0.15", "<PointCollisionModel contactDistance='0.05'/>") "</Node>",
     {0, 0, -200 / 7., 0, 0, -100 / 7., 0, 0, -100 / 7.},
     {0, 0, 400 / 7.}},
    {"with a stiffness",
     PIPELINE(MIN("0.5", "0.2")) BODY("a", "0 0 0 4 0 0 0 4 0", TRIANGLE,
                                      "<TriangleCollisionModel contactStiffness='500'/>")
         POINTS("b", "1 1 0.15", "<PointCollisionModel/>") "</Node>",
     {0, 0, -625, 0, 0, -312.5, 0, 0, -312.5},
     {0, 0, 1250}},
    {"the end of a line and a point",
     PIPELINE(MIN("1", "0.6")) BODY("a", "0 0 0 1 0 0", LINE, "<LineCollisionModel/>")
         POINTS("b", "1.3 0.4 0", "<PointCollisionModel/>") "</Node>",
     {0, 0, 0, -10, -40 / 3., 0},
     {10, 40 / 3., 0}},
    {"two lines",
     PIPELINE(MIN("0.5", "0.2")) BODY("a", "0 0 0 1 0 0", LINE, "<LineCollisionModel/>")
         BODY("b", "0.25 -0.5 0.1 0.25 0.5 0.1", LINE, "<LineCollisionModel/>") "</Node>",
     {0, 0, -37.5, 0, 0, -12.5},
     {0, 0, 25, 0, 0, 25}},
    {"spheres",
     PIPELINE("<DiscreteIntersection/>")
         POINTS("a", "0 0 0", "<SphereCollisionModel radius='0.5'/>")
             POINTS("b", "0.8 0 0", "<SphereCollisionModel radius='0.5'/>") "</Node>",
     {-20, 0, 0},
     {20, 0, 0}},
    {"spheres of one state",
     PIPELINE("<DiscreteIntersection/>") POINTS(
         "a", "0 0 0 0.5 0 0 2 0 0", "<SphereCollisionModel radius='0.3' selfCollision='1'/>")
         POINTS("b", "9 9 9", "") "</Node>",
     {-50 / 3., 0, 0, 50 / 3., 0, 0},
     {0}},
    {"two triangles",
     PIPELINE(NEW("0.3", "0.2"))
         BODY("a", "0 0 0 2 0 0 0 2 0", TRIANGLE, "<TriangleCollisionModel/>")
             BODY("b", "0.5 0.5 0.1 0.5 0.5 1.1 1.5 0.5 1.1", TRIANGLE,
                  "<TriangleCollisionModel/>") "</Node>",
     {0, 0, -25, 0, 0, -12.5, 0, 0, -12.5},
     {0, 0, 50}},
    {"of two detections of a point the deeper one",
     PIPELINE(MIN("0.5", "0.25")) BODY("a", "-1 0 -1 1 0 -1 0 0 1 -1 0.3 -1 1 0.3 -1 0 0.3 1",
                                       "triangles='0 1 2 3 4 5'", "<TriangleCollisionModel/>")
         POINTS("b", "0 0.1 -0.2", "<PointCollisionModel/>") "</Node>",
     {0, -18, 0, 0, -18, 0, 0, -24, 0},
     {0, 60, 0}},
    {"a quad",
     PIPELINE(MIN("0.5", "0.2"))
         BODY("a", "0 0 0 2 0 0 2 1 0 0 1 0", "quads='0 1 2 3'", "<TriangleCollisionModel/>")
             POINTS("b", "0.5 0.75 0.1", "<PointCollisionModel/>") "</Node>",
     {0, 0, -9.375, 0, 0, -3.125, 0, 0, -9.375, 0, 0, -28.125},
     {0, 0, 50}},
};

static void check_force(const ForceCase *c, SceneRun *run, const char *path, const double *f) {
  const SofaState *s = scene_run_state(run, path);
  for (size_t i = 0; i < 3 * s->velocity.n && i < 12; i++)
    if (!(fabs(s->velocity.data[i] / DT - f[i]) < 1e-9))
      fail_msg("%s: force %zu of %s is %.10g, expected %.10g", c->what, i, path,
               s->velocity.data[i] / DT, f[i]);
}

static void forces(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    SceneRun run;
    scene_run_open(&run, cases[k].scene, NULL);
    scene_run_steps(&run, 1);
    check_force(&cases[k], &run, "/a/s", cases[k].a);
    check_force(&cases[k], &run, "/b/s", cases[k].b);
    scene_run_close(&run);
  }
}

/* ---- momentum ---- */

/* Two free sheets that cross: the sums of the forces and of their torques are zero. */
static void momentum(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PIPELINE(NEW("0.6", "0.4"))
                     BODY("a", "0 0 0 1 0 0.1 0.2 1 0 1.1 0.9 -0.2", "triangles='0 1 2 1 3 2'",
                          "<TriangleCollisionModel/><PointCollisionModel/>")
                         BODY("b", "0.1 0.2 0.2 0.9 0.1 0.3 0.3 0.8 0.1 1.4 0.9 0.2",
                              "triangles='0 1 2 1 3 2'", "<TriangleCollisionModel/>") "</Node>",
                 NULL);
  double before[2][12], sum[6] = {0}, size = 0;
  const char *const paths[2] = {"/a/s", "/b/s"};
  for (int b = 0; b < 2; b++)
    memcpy(before[b], scene_run_state(&run, paths[b])->position.data, sizeof before[b]);
  scene_run_steps(&run, 1);
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < 4; i++) {
      const double *v = scene_run_state(&run, paths[b])->velocity.data + 3 * i;
      double turn[3];
      sofa_vec3_cross(before[b] + 3 * i, v, turn);
      for (int k = 0; k < 3; k++) sum[k] += v[k], sum[3 + k] += turn[k], size += fabs(v[k]);
    }
  assert_true(size > 1);
  for (int k = 0; k < 6; k++) assert_true(fabs(sum[k]) < 1e-14 * size);
  scene_run_close(&run);
}

/* ---- a ball on a floor ---- */

/* 0.5 kg; the contact begins at 0.5 + 0.2 m and has 10 * 400 / 0.7 N/m. */
#define BALL                                                                                       \
  "<Node name='root' gravity='0 0 -9.81' dt='0.02'><DefaultAnimationLoop/><CollisionPipeline/>"    \
  "<BruteForceBroadPhase/><BVHNarrowPhase/>" MIN(                                                  \
      "0.5",                                                                                       \
      "0.2") "<CollisionResponse name='r' response='PenalityContactForceField'/>"                  \
             "<Node name='floor'><MeshTopology position='-4 -4 0 4 -4 0 0 4 0' triangles='0 1 "    \
             "2'/>"                                                                                \
             "<MechanicalObject name='s'/>"                                                        \
             "<TriangleCollisionModel moving='0' simulated='0' contactStiffness='400'/></Node>"    \
             "<Node name='ball'><EulerImplicitSolver rayleighMass='2'/><SparseLDLSolver/>"         \
             "<MechanicalObject name='s' position='0.1 0.2 1'/><UniformMass totalMass='0.5'/>"     \
             "<SphereCollisionModel name='m' radius='0.5'/></Node></Node>"

static void a_ball_rests_at_the_depth_of_the_spring(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, BALL, NULL);
  scene_run_steps(&run, 1500);
  const double z = scene_run_state(&run, "/ball/s")->position.data[2];
  assert_true(fabs(z - (0.7 - 0.5 * 9.81 / (4000 / 0.7))) < 1e-12);
  const uint64_t before = run.ctx->n_allocations;
  scene_run_steps(&run, 20);
  assert_int_equal(run.ctx->n_allocations, before);
  scene_run_close(&run);
}

/* A ball that bounces: the solver's plan is made again at the first contact alone. */
static void plans_stay(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, BALL, NULL);
  SofaNode *ball = scene_run_state(&run, "/ball/s")->object.node;
  int bounces = 0;
  uint64_t plans = 0;
  for (int i = 0; i < 400; i++) {
    const double *v = &scene_run_state(&run, "/ball/s")->velocity.data[2];
    const bool falls = *v < 0;
    scene_run_steps(&run, 1);
    v = &scene_run_state(&run, "/ball/s")->velocity.data[2];
    if (!falls || *v <= 0) continue;
    if (!bounces++) plans = ball->n_plans;
    assert_int_equal(ball->n_plans, plans);
  }
  assert_true(bounces > 1);
  scene_run_close(&run);
}

/* The same bits after a reset, also when it comes while the bodies touch. */
static void reset(void **state) {
  (void)state;
  enum { STEPS = 60 };
  double first[STEPS][6];
  SceneRun run;
  scene_run_open(&run, BALL, NULL);
  const SofaState *s = scene_run_state(&run, "/ball/s");
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < STEPS; i++) {
      scene_run_steps(&run, 1);
      double now[6];
      memcpy(now, s->position.data, 3 * sizeof *now);
      memcpy(now + 3, s->velocity.data, 3 * sizeof *now);
      if (!round) memcpy(first[i], now, sizeof now);
      assert_memory_equal(now, first[i], sizeof now);
    }
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  }
  scene_run_close(&run);
}

/* ---- topological changes ---- */

static size_t n_contacts(SceneRun *run, const char *path) {
  const SofaObject *contact = scene_run_object(run, path);
  const SofaContactOps *ops = sofa_ops(contact, SOFA_CONTACT);
  SofaContactReports rows = {0};
  assert_int_equal(ops->report(contact, &rows), SOFA_OK);
  const size_t n = rows.n;
  sofa_list_free(run->ctx, &rows);
  return n;
}

#define CUT(response)                                                                              \
  PIPELINE_OF(MIN("0.5", "0.2"), response)                                                         \
  "<Node name='a'><EulerExplicitSolver/><TriangleSetTopologyContainer name='mesh' "                \
  "position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 0 2 3'/><TriangleSetTopologyModifier/>"     \
  "<MechanicalObject name='s'/><UniformMass vertexMass='1'/><TriangleCollisionModel name='t'/>"    \
  "</Node>" POINTS("b", "0.2 0.6 0.1 0.6 0.2 0.1", "<PointCollisionModel name='p'/>") "</Node>"

static void cut(const char *scene) {
  SceneRun run;
  const uint32_t triangle = 1;
  SofaTopologyEdit edit;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 1);
  assert_int_equal(n_contacts(&run, "/t-p"), 2);
  SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/a/mesh");
  assert_int_equal(sofa_topology_edit_begin(run.simulation->root, &edit), SOFA_OK);
  assert_int_equal(sofa_topology_remove(&edit, mesh, SOFA_ELEMENT_TRIANGLE, &triangle, 1,
                                        SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS),
                   SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
  assert_int_equal(n_contacts(&run, "/t-p"), 0);
  assert_int_equal(sofa_state_size(scene_run_state(&run, "/a/s")), 3);
  scene_run_steps(&run, 1);
  assert_int_equal(n_contacts(&run, "/t-p"), 1);
  scene_run_close(&run);
}

/* The triangle below a point is removed, and a vertex with it: the contacts are dropped at once,
 * and the next detection does not find the one of that triangle. */
static void a_triangle_is_removed_under_contact(void **state) {
  (void)state;
  cut(CUT("PenalityContactForceField"));
  cut(CUT("StickContactForceField"));
}

/* ---- an object of a scene ---- */

static void in_a_scene_it_does_nothing(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 PIPELINE(MIN("0.5", "0.2")) POINTS("a", "0 0 0", "<PointCollisionModel/>")
                     POINTS("b", "0 0 5",
                            "<PointCollisionModel/>") "<PenalityContactForceField object1='@a/s' "
                                                      "object2='@b/s'/>"
                                                      "<StickContactForceField object1='@a/s' "
                                                      "object2='@b/s'/></Node>",
                 NULL);
  scene_run_steps(&run, 2);
  for (int k = 0; k < 3; k++) assert_true(scene_run_state(&run, "/a/s")->velocity.data[k] == 0);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces),
      cmocka_unit_test(momentum),
      cmocka_unit_test(a_ball_rests_at_the_depth_of_the_spring),
      cmocka_unit_test(plans_stay),
      cmocka_unit_test(reset),
      cmocka_unit_test(a_triangle_is_removed_under_contact),
      cmocka_unit_test(in_a_scene_it_does_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
