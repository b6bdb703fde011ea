/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The broad phase against all pairs of models: the same pairs in the same order, for few and many
 * models that move, come and go, on any number of threads. */
#include <math.h>

#include "components/collision/detection/brute_force.h"
#include "numerics/spatial/bounding_tree.h"
#include "numerics/spatial/random.h"
#include "tests/support/scene_run.h"

enum { BODIES = 1100, ROUNDS = 40 };

typedef struct Fixture {
  SofaContext *ctx;
  BruteForce brute;
  SofaCollisionModel models[BODIES];
  SofaBoundingTree trees[BODIES];
  SofaNode nodes[BODIES];
  SofaCollisionBody bodies[BODIES];
  SofaModelPairs found;
  EngineRandom random;
} Fixture;

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  assert_int_equal(sofa_context_create(NULL, &f->ctx), SOFA_OK);
  f->random = engine_random_seed(23);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Fixture *f = *state;
  for (int i = 0; i < BODIES; i++) sofa_bounding_tree_free(f->ctx, &f->trees[i]);
  brute_force_free(f->ctx, &f->brute);
  sofa_list_free(f->ctx, &f->found);
  sofa_context_destroy(&f->ctx);
  free(f);
  return 0;
}

static void make_bodies(Fixture *f) {
  for (int i = 0; i < BODIES; i++) {
    SofaCollisionModel *m = &f->models[i];
    SofaBoundingTree *tree = &f->trees[i];
    m->object.node = &f->nodes[i / 2];
    m->self_collision = i % 5 == 0;
    m->simulated = i % 7 != 0;
    m->contact_distance = i % 3 ? 0 : 0.02;
    assert_int_equal(sofa_bounding_tree_resize(f->ctx, tree, 1), SOFA_OK);
    for (int k = 0; k < 3; k++) {
      tree->boxes[k] = engine_random(&f->random, 0, k == 1 ? 3 : 1);
      tree->boxes[3 + k] = tree->boxes[k] + 0.3 * engine_random(&f->random, 0, 1);
    }
    assert_int_equal(sofa_bounding_tree_build(f->ctx, tree, 0), SOFA_OK);
    f->bodies[i] = (SofaCollisionBody){m, tree};
  }
}

/* round: some steps move all bodies a little, some one by much, one to places that are no numbers
 */
static void move_bodies(Fixture *f, int round) {
  for (int i = 0; i < BODIES; i++) {
    SofaBoundingTree *tree = &f->trees[i];
    const double by = round % 8 == 5 && i % 9 == 2 ? 2 : 0.01;
    for (int k = 0; k < 3; k++) {
      const double d = by * engine_random(&f->random, -1, 1);
      tree->boxes[k] += d;
      tree->boxes[3 + k] += d;
    }
    if (i == 17 && round % 16 == 9) tree->boxes[1] = NAN;
    if (i == 17 && round % 16 == 11) tree->boxes[1] = tree->boxes[4];
    if (i == 18 && round % 16 == 13) tree->boxes[3] = INFINITY;
    sofa_bounding_tree_fit(NULL, tree);
  }
}

static bool meet(const SofaCollisionScene *scene, size_t i, size_t k) {
  const SofaCollisionModel *a = scene->bodies[i].model, *b = scene->bodies[k].model;
  const double d = scene->method->alarm_distance + a->contact_distance + b->contact_distance;
  if ((!a->simulated && !b->simulated) || !sofa_collision_may_meet(a, b)) return false;
  if (i == k) return true;
  return sofa_boxes_are_close(scene->bodies[i].tree->cells[0].box,
                              scene->bodies[k].tree->cells[0].box, d);
}

/* Boxes at the distance up to rounding may count or not; the random ones are not. */
static void check(Fixture *f, const SofaCollisionScene *scene, bool self_first) {
  size_t n = 0;
  f->found.n = 0;
  assert_int_equal(brute_force_find(f->ctx, &f->brute, scene, self_first, &f->found), SOFA_OK);
  for (int pass = self_first ? 0 : 1; pass < 2; pass++)
    for (size_t i = 0; i < scene->n; i++) {
      const bool selves = self_first ? pass == 0 : true;
      if (selves && meet(scene, i, i)) {
        assert_int_equal(f->found.data[n].first, i);
        assert_int_equal(f->found.data[n++].second, i);
      }
      for (size_t k = 0; k < i && pass == 1; k++)
        if (meet(scene, i, k)) {
          assert_int_equal(f->found.data[n].first, i);
          assert_int_equal(f->found.data[n++].second, k);
        }
    }
  assert_int_equal(f->found.n, n);
}

static void all_pairs(void **state) {
  Fixture *f = *state;
  const SofaIntersection method = {.alarm_distance = 0.01};
  make_bodies(f);
  for (int round = 0; round < ROUNDS; round++) {
    const size_t n = round % 10 == 7 ? 20 : round % 10 == 8 ? 200 : BODIES;
    const SofaCollisionScene scene = {f->bodies, n, &method};
    f->ctx->threads = 1 + round % 4;
    check(f, &scene, round % 2);
    move_bodies(f, round);
  }
  assert_true(f->found.n > BODIES);
}

static void memory(void **state) {
  Fixture *f = *state;
  const SofaIntersection method = {.alarm_distance = 0.01};
  const SofaCollisionScene scene = {f->bodies, BODIES, &method};
  make_bodies(f);
  for (f->ctx->threads = 1; f->ctx->threads < 4; f->ctx->threads++) {
    check(f, &scene, false);
    const uint64_t before = f->ctx->n_allocations;
    for (int i = 0; i < 3; i++) check(f, &scene, false);
    assert_int_equal(f->ctx->n_allocations, before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(all_pairs, setup, teardown),
      cmocka_unit_test_setup_teardown(memory, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
