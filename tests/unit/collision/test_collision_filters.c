/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which models may meet, and which elements of one node. */
#include "behavior/collision.h"
#include <math.h>
#include "tests/support/scene_run.h"

static const SofaCollisionModel *model(SceneRun *run, const char *path) {
  return (const SofaCollisionModel *)scene_run_object(run, path);
}

static bool may_meet(SceneRun *run, const char *a, const char *b) {
  const bool meet = sofa_collision_may_meet(model(run, a), model(run, b));
  assert_int_equal(meet, sofa_collision_may_meet(model(run, b), model(run, a)));
  return meet;
}

static const char *const spheres =
    "<Node><DefaultAnimationLoop/>"
    "<Node name='a'><MechanicalObject template='Vec3' position='0 0 0 1 0 0'/>"
    "<SphereCollisionModel name='plain'/>"
    "<SphereCollisionModel name='self' selfCollision='1' group='1 2'/>"
    "<SphereCollisionModel name='self2' selfCollision='1' group='2 3'/>"
    "<SphereCollisionModel name='self3' selfCollision='1' group='4'/></Node>"
    "<Node name='b'><MechanicalObject template='Vec3' position='0 0 0'/>"
    "<SphereCollisionModel name='free'/><SphereCollisionModel name='grouped' group='3'/></Node>"
    "</Node>";

/* A shared group excludes; in one node both models need selfCollision. */
static void groups(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    const SofaContextOptions options = {.quirk_words = quirk ? "self-collision-groups" : NULL};
    scene_run_open(&run, spheres, &options);
    assert_true(may_meet(&run, "/a/plain", "/b/free"));
    assert_true(may_meet(&run, "/a/plain", "/b/grouped"));
    assert_true(may_meet(&run, "/a/self", "/b/grouped"));
    assert_false(may_meet(&run, "/a/self2", "/b/grouped"));
    assert_false(may_meet(&run, "/a/plain", "/a/plain"));
    assert_false(may_meet(&run, "/a/plain", "/a/self"));
    assert_true(may_meet(&run, "/a/self", "/a/self")); // its own group does not count
    assert_true(may_meet(&run, "/a/self", "/a/self3"));
    assert_int_equal(may_meet(&run, "/a/self", "/a/self2"), quirk);
    scene_run_close(&run);
  }
}

/* A band of four triangles: points 0 .. 5, edges between neighbours. */
static const char *const band =
    "<Node><DefaultAnimationLoop/><Node name='a'>"
    "<MeshTopology position='0 0 0 0 1 0 1 0 0 1 1 0 2 0 0 2 1 0 3 0 0' "
    "triangles='0 2 1 1 2 3 2 4 3 3 4 5'/>"
    "<MechanicalObject template='Vec3'/>"
    "<TriangleCollisionModel name='t' selfCollision='1'/>"
    "<LineCollisionModel name='l' selfCollision='1'/>"
    "<PointCollisionModel name='p' selfCollision='1'/>"
    "<TriangleCollisionModel name='t_off'/></Node></Node>";

static uint32_t edge(SceneRun *run, uint32_t a, uint32_t b) {
  const uint32_t e = sofa_topology_edge_index(model(run, "/a/l")->topology, a, b);
  assert_int_not_equal(e, SOFA_NO_ELEMENT);
  return e;
}

/* Both ways around, for different models. */
static bool may_touch(SceneRun *run, const char *a, uint32_t i, const char *b, uint32_t j) {
  const bool touch = sofa_collision_elements_may_touch(model(run, a), i, model(run, b), j);
  if (strcmp(a, b) != 0)
    assert_int_equal(touch, sofa_collision_elements_may_touch(model(run, b), j, model(run, a), i));
  return touch;
}

static void points(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    const SofaContextOptions options = {.quirk_words = quirk ? "point-self-collision" : NULL};
    scene_run_open(&run, band, &options);
    assert_int_equal(may_touch(&run, "/a/p", 0, "/a/p", 4), !quirk);
    assert_false(may_touch(&run, "/a/p", 4, "/a/p", 0)); // each pair once
    assert_false(may_touch(&run, "/a/p", 0, "/a/p", 0));
    assert_false(may_touch(&run, "/a/p", 0, "/a/p", 2)); // ends of an edge
    assert_int_equal(may_touch(&run, "/a/p", 5, "/a/p", 6), !quirk);
    scene_run_close(&run);
  }
}

static void neighbours(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, band, NULL);
  // a triangle and its corners
  assert_false(may_touch(&run, "/a/t", 0, "/a/p", 0));
  assert_false(may_touch(&run, "/a/t", 0, "/a/p", 1));
  assert_false(may_touch(&run, "/a/t", 0, "/a/p", 2));
  assert_true(may_touch(&run, "/a/t", 0, "/a/p", 3));
  assert_true(may_touch(&run, "/a/t", 0, "/a/t", 1)); // left to the intersection method
  assert_false(may_touch(&run, "/a/t", 1, "/a/t", 0));
  // lines that an edge joins, and lines and the ends of edges around them
  const uint32_t e01 = edge(&run, 0, 1), e23 = edge(&run, 2, 3), e45 = edge(&run, 4, 5);
  const uint32_t low = e01 < e45 ? e01 : e45, high = e01 < e45 ? e45 : e01;
  assert_true(may_touch(&run, "/a/l", low, "/a/l", high));
  assert_false(may_touch(&run, "/a/l", high, "/a/l", low));
  assert_false(may_touch(&run, "/a/l", e01 < e23 ? e01 : e23, "/a/l", e01 < e23 ? e23 : e01));
  assert_false(may_touch(&run, "/a/l", e01, "/a/p", 1));
  assert_false(may_touch(&run, "/a/l", e01, "/a/p", 2)); // edge 0 2
  assert_false(may_touch(&run, "/a/l", e01, "/a/p", 3)); // edge 1 3
  assert_true(may_touch(&run, "/a/l", e01, "/a/p", 4));
  assert_true(may_touch(&run, "/a/t", 0, "/a/l", e45));
  scene_run_close(&run);
}

/* The first triangle around a corner or an edge owns it; each is owned once. */
static void owners(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, band, NULL);
  const SofaCollisionModel *t = model(&run, "/a/t");
  unsigned corners[7] = {0}, edges = 0;
  assert_int_equal(t->n, 4);
  for (uint32_t i = 0; i < t->n; i++)
    for (unsigned k = 0; k < 3; k++) {
      if (t->owned[i] & SOFA_OWNS_CORNER(k)) corners[t->corners[3 * i + k]]++;
      if (t->owned[i] & SOFA_OWNS_EDGE(k)) edges++;
    }
  for (int i = 0; i < 6; i++) assert_int_equal(corners[i], 1);
  assert_int_equal(edges, 9);
  assert_int_equal(t->owned[0] & 7, 7);
  scene_run_close(&run);
}

/* Quads are two triangles each, after the triangles, and own what no triangle has. */
static void quads(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 "<Node><DefaultAnimationLoop/><Node name='a'>"
                 "<MeshTopology position='0 0 0 2 0 0 2 1 0 0 1 0 5 0 0' triangles='0 1 4' "
                 "quads='0 1 2 3'/><MechanicalObject template='Vec3'/>"
                 "<TriangleCollisionModel name='t'/></Node></Node>",
                 NULL);
  const SofaCollisionModel *t = model(&run, "/a/t");
  const uint32_t expected[9] = {0, 1, 4, 1, 2, 0, 3, 0, 2};
  assert_int_equal(t->n, 3);
  assert_int_equal(t->n_triangles, 1);
  assert_memory_equal(t->corners, expected, sizeof expected);
  assert_int_equal(t->owned[1], SOFA_OWNS_CORNER(1) | SOFA_OWNS_EDGE(0) | SOFA_OWNS_EDGE(2));
  assert_int_equal(t->owned[2], SOFA_OWNS_CORNER(0) | SOFA_OWNS_EDGE(1) | SOFA_OWNS_EDGE(2));
  double normal[3];
  for (uint32_t i = 1; i < 3; i++) {
    sofa_collision_triangle_normal(t, i, normal);
    assert_true(normal[2] == 1);
  }
  // a place on the second half: bilinear weights of the quad
  SofaContactPoint point;
  t->ops->contact_point(t, 2, (const double[]){0.5, 0.75, 0.1}, &point);
  const double weight[4] = {0.1875, 0.0625, 0.1875, 0.5625};
  assert_int_equal(point.n, 4);
  for (uint32_t k = 0; k < 4; k++) {
    assert_int_equal(point.index[k], k);
    assert_true(fabs(point.weight[k] - weight[k]) < 1e-15);
  }
  scene_run_close(&run);
}

/* Triangles in one pipeline of which b and d may meet. */
static const char *const falling =
    "<Node dt='0.1' gravity='0 0 -10'><DefaultAnimationLoop/><CollisionPipeline/>"
    "<BruteForceBroadPhase/><BVHNarrowPhase/><CollisionResponse "
    "response='PenalityContactForceField'/>"
    "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'/>"
    "<Node name='a'><EulerExplicitSolver/>"
    "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
    "<MechanicalObject template='Vec3'/><UniformMass totalMass='1'/>"
    "<TriangleCollisionModel name='t' group='1 2'/></Node>"
    "<Node name='b'><EulerExplicitSolver/>"
    "<MeshTopology position='0 0 9 1 0 9 0 1 9' triangles='0 1 2'/>"
    "<MechanicalObject template='Vec3'/><UniformMass totalMass='1'/>"
    "<TriangleCollisionModel name='t' group='1'/></Node>"
    "<Node name='d'><MeshTopology position='0 0 30 1 0 30 0 1 30' triangles='0 1 2'/>"
    "<MechanicalObject template='Vec3'/><PointCollisionModel group='2'/></Node>"
    "<Node name='c'><MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
    "<MechanicalObject template='Vec3'/>"
    "<TriangleCollisionModel name='t' group='1 2' moving='0' simulated='0'/></Node></Node>";

/* The real updates of the models, and how many there were; the test has one thread. */
static SofaErr (*real_update)(SofaCollisionModel *model);
static int n_updates;

static SofaErr count_update(SofaCollisionModel *m) {
  n_updates++;
  return real_update(m);
}

/* A model that may meet no other one is looked at once, until it may. */
static void alone(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, falling, NULL);
  SofaCollisionModel *a = (SofaCollisionModel *)scene_run_object(&run, "/a/t");
  SofaCollisionModelOps counting = *a->ops;
  real_update = counting.update;
  counting.update = count_update;
  a->ops = &counting;
  n_updates = 0;
  scene_run_steps(&run, 5);
  assert_int_equal(n_updates, 1);
  a->group.data[0] = 3;
  scene_run_steps(&run, 2);
  assert_int_equal(n_updates, 3);
  scene_run_close(&run);
}

/* Normals are kept where a model does not move, and else those of now. */
static void normals(void **state) {
  (void)state;
  SceneRun run;
  double normal[3];
  scene_run_open(&run, falling, NULL);
  scene_run_steps(&run, 1);
  for (int fixed = 0; fixed < 2; fixed++) {
    const SofaCollisionModel *t = model(&run, fixed ? "/c/t" : "/b/t");
    assert_int_equal(t->normal != NULL, fixed);
    t->state->position.data[4] = 1, t->state->position.data[7] = -1; // turned upside down
    t->state->position.data[3] = 0, t->state->position.data[6] = 1;
    sofa_collision_triangle_normal(t, 0, normal);
    assert_true(normal[0] == 0 && normal[1] == 0 && normal[2] == (fixed ? 1 : -1));
  }
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(groups),  cmocka_unit_test(points), cmocka_unit_test(neighbours),
      cmocka_unit_test(owners),  cmocka_unit_test(quads),  cmocka_unit_test(alone),
      cmocka_unit_test(normals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
