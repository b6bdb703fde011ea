/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RayCollisionModel in a pipeline: what the rays of a scene meet, as a contact class of a plugin is
 * told it. */
#include <math.h>

#include "base/abi.h"
#include "behavior/collision.h"
#include "object/factory.h"
#include "tests/support/scene_run.h"

/* ---- a contact class that keeps what it is told ---- */

typedef struct RayHits {
  SofaObject object;
  const SofaCollisionModel *model[2];
  SofaDetections found;
} RayHits;

static bool supports(const SofaCollisionKind *first, const SofaCollisionKind *second) {
  return first == &sofa_collision_ray || second == &sofa_collision_ray;
}
static SofaErr connect(SofaObject *contact, SofaCollisionModel *first, SofaCollisionModel *second) {
  RayHits *h = (RayHits *)contact;
  h->model[0] = first;
  h->model[1] = second;
  return SOFA_OK;
}
static SofaErr set(SofaObject *contact, const SofaIntersection *method, const SofaDetection *all,
                   size_t n) {
  RayHits *h = (RayHits *)contact;
  (void)method;
  h->found.n = 0;
  for (size_t i = 0; i < n; i++) SOFA_TRY(SOFA_APPEND(contact->ctx, &h->found, &all[i]));
  return SOFA_OK;
}
static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((RayHits *)object)->found);
}
static const SofaContactOps contact_ops = {.supports = supports, .connect = connect, .set = set};
static const SofaClass ray_hits = {.name = "RayHits",
                                   .help = "Keeps what rays meet.",
                                   .base = &sofa_object_class,
                                   .size = sizeof(RayHits),
                                   .destroy = destroy,
                                   SOFA_IMPLEMENTS({SOFA_CONTACT, &contact_ops})};
static const SofaClass *const classes[] = {&ray_hits, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "rays", .version = "1", .classes = classes};

/* ---- scenes ---- */

/* Rays of length 2: straight down onto the floor, a slanted one, one that ends above the floor, one
 * beside it, one that goes up, one along the floor. The last point has no direction. */
#define RAYS                                                                                       \
  "<Node name='rays'><MechanicalObject name='state' template='Vec3' position='"                    \
  "0.5 1 0.25  -0.5 1 0  0 3 0  5 1 0  1 1 1  -1 1 1  0.25 1 0.25'/>"                              \
  "<RayCollisionModel name='model' defaultLength='2' directions='"                                 \
  "0 -3 0  -0.6 -0.8 0  0 -1 0  0 -1 0  0 1 0  1 0 0'/></Node>"
#define FLOOR                                                                                      \
  "<Node name='floor'><MeshTopology position='-2 0 -2  -2 0 2  2 0 2  2 0 -2' "                    \
  "triangles='0 1 2  0 2 3'/><MechanicalObject template='Vec3'/>"                                  \
  "<TriangleCollisionModel name='model' simulated='0'/></Node>"
#define BALLS                                                                                      \
  "<Node name='balls'><MechanicalObject template='Vec3' position='0.5 0 0.75  0 0 0  5 -1.25 0'/>" \
  "<SphereCollisionModel name='model' radius='0.6' simulated='0'/></Node>"
#define SCENE(method, narrow, bodies)                                                              \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<CollisionPipeline/><BruteForceBroadPhase/><" narrow "/>" method                                \
  "<CollisionResponse response='RayHits'/>" bodies "</Node>"

static const RayHits *hits_of(SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (node->objects.data[i]->klass == &ray_hits) return (const RayHits *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    const RayHits *found = hits_of(node->children.data[i]);
    if (found) return found;
  }
  return NULL;
}

static void open_rays(SceneRun *run, const char *scene) {
  memset(run, 0, sizeof *run);
  scene_run_context(run, NULL);
  assert_int_equal(sofa_factory_register(run->ctx, &module), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(run->ctx, scene, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  assert_int_equal(run->n_problems, 0);
  scene_run_steps(run, 1);
}

/* A hit of a ray: where, and the direction from the ray to what it met. */
typedef struct Hit {
  uint32_t ray, element;
  double on_ray[3], normal[3], value;
} Hit;

static bool is_hit(const SofaDetection *d, const Hit *hit) {
  bool same = d->element[0] == hit->ray && d->element[1] == hit->element && d->id == hit->ray &&
              fabs(d->value - hit->value) < 1e-14;
  for (int k = 0; k < 3; k++) {
    same &= fabs(d->point[0][k] - hit->on_ray[k]) < 1e-14;
    same &= fabs(d->normal[k] - hit->normal[k]) < 1e-14;
  }
  return same;
}

/* These, in any order. */
static void expect(const RayHits *h, const Hit *hits, size_t n) {
  assert_non_null(h);
  assert_ptr_equal(h->model[0]->kind, &sofa_collision_ray);
  assert_int_equal(h->found.n, n);
  for (size_t i = 0; i < n; i++) {
    size_t k = 0;
    while (k < n && !is_hit(&h->found.data[k], &hits[i])) k++;
    if (k == n) fail_msg("hit %zu, of ray %u, is not among the detections", i, hits[i].ray);
  }
}

static const Hit on_floor[] = {{0, 1, {0.5, 0, 0.25}, {0, -1, 0}, 0},
                               {1, 0, {-1.25, 0, 0}, {0, -1, 0}, 0}};

/* The hits are on the rays and on the floor; directions need not be unit vectors. */
static void rays_meet_triangles(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE("<DiscreteIntersection/>", "BVHNarrowPhase", RAYS FLOOR),
      SCENE("<DiscreteIntersection/>", "BVHNarrowPhase", FLOOR RAYS),
      SCENE("<DiscreteIntersection/>", "ParallelBVHNarrowPhase", RAYS FLOOR),
      SCENE("<MinProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>",
            "BVHNarrowPhase", RAYS FLOOR)};
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    SceneRun run;
    open_rays(&run, scenes[k]);
    expect(hits_of(run.simulation->root), on_floor, 2);
    scene_run_close(&run);
  }
}

/* These methods also find triangles that a ray passes within the alarm distance; rays along a
 * triangle do not count. */
static void rays_near_triangles(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE("<NewProximityIntersection alarmDistance='0.3' contactDistance='0.1'/>",
            "BVHNarrowPhase", RAYS FLOOR),
      SCENE("<LocalMinDistance alarmDistance='0.3' contactDistance='0.1'/>", "BVHNarrowPhase",
            RAYS FLOOR)};
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    SceneRun run;
    open_rays(&run, scenes[k]);
    const RayHits *h = hits_of(run.simulation->root);
    assert_non_null(h);
    for (size_t i = 0; i < h->found.n; i++) {
      const SofaDetection *d = &h->found.data[i];
      assert_true(d->element[0] < 2);
      assert_true(fabs(d->point[1][1]) < 1e-14 && d->normal[1] == -1);
    }
    assert_true(h->found.n >= 2);
    scene_run_close(&run);
  }
}

/* Balls are met where the ray is closest to their centre. */
static void rays_meet_spheres(void **state) {
  (void)state;
  /* ray 0 passes the first centre at 0.5 and the second at sqrt(0.5^2 + 0.25^2), ray 3 ends 0.25
   * above the third */
  const double r = sqrt(0.3125);
  const Hit hits[] = {{0, 0, {0.5, 0, 0.25}, {0, 0, 1}, 0.5 - 0.6},
                      {0, 1, {0.5, 0, 0.25}, {-0.5 / r, 0, -0.25 / r}, r - 0.6},
                      {3, 2, {5, -1, 0}, {0, -1, 0}, 0.25 - 0.6}};
  SceneRun run;
  open_rays(&run, SCENE("<DiscreteIntersection/>", "BVHNarrowPhase", RAYS BALLS));
  expect(hits_of(run.simulation->root), hits, 3);
  scene_run_close(&run);
}

/* The rays move with their points, change with `directions`, and leave what they met. */
static void rays_follow(void **state) {
  (void)state;
  SceneRun run;
  open_rays(&run, SCENE("<DiscreteIntersection/>", "BVHNarrowPhase", RAYS FLOOR));
  SofaState *points = (SofaState *)scene_run_object(&run, "/rays/state");
  SofaObject *rays = scene_run_object(&run, "/rays/model");
  points->position.data[1] = 2.5;
  points->position.data[3] += 0.125;
  scene_run_steps(&run, 1);
  Hit moved = on_floor[1];
  moved.on_ray[0] += 0.125;
  expect(hits_of(run.simulation->root), &moved, 1);

  /* one more ray, from the last point */
  assert_int_equal(sofa_field_set_text(rays, "directions",
                                       "0 -1 0  0 1 0  0 1 0  0 1 0  0 1 0  0 1 0  0 -1 0", 0),
                   SOFA_OK);
  points->position.data[18 + 2] = 0.125;
  scene_run_steps(&run, 1);
  const Hit last = {6, 1, {0.25, 0, 0.125}, {0, -1, 0}, 0};
  expect(hits_of(run.simulation->root), &last, 1);

  /* all up: nothing is met */
  for (size_t i = 0; i < points->position.n; i++) points->position.data[3 * i + 1] = 4;
  scene_run_steps(&run, 1);
  const RayHits *h = hits_of(run.simulation->root);
  assert_true(!h || h->found.n == 0);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rays_meet_triangles),
      cmocka_unit_test(rays_near_triangles),
      cmocka_unit_test(rays_meet_spheres),
      cmocka_unit_test(rays_follow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
