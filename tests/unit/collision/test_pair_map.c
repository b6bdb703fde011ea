/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of pairs of models: the example of three floor and three object models of the
 * specification of SOFA's container. */
#include "components/collision/detection/pair_map.h"

#include "tests/support/scene_run.h"

enum { T1, L1, P1, T2, L2, P2, N_MODELS };

typedef struct Fixture {
  SofaContext *ctx;
  SofaCollisionModel model[N_MODELS];
  PairMap map;
} Fixture;

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  assert_int_equal(sofa_context_create(NULL, &f->ctx), SOFA_OK);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Fixture *f = *state;
  pair_map_free(f->ctx, &f->map);
  sofa_context_destroy(&f->ctx);
  free(f);
  return 0;
}

static void insert(Fixture *f, const int pairs[][2], size_t n, PairMapFirst first) {
  PairMapEntry *entry;
  for (size_t i = 0; i < n; i++) {
    const ModelPair key = {&f->model[pairs[i][0]], &f->model[pairs[i][1]]};
    assert_int_equal(pair_map_insert(f->ctx, &f->map, key, first, &entry), SOFA_OK);
    assert_ptr_equal(entry->key.first, key.first);
    assert_ptr_equal(entry->key.second, key.second);
  }
}

static void assert_order(const Fixture *f, const int pairs[][2], size_t n) {
  assert_int_equal(f->map.entries.n, n);
  for (size_t i = 0; i < n; i++) {
    assert_ptr_equal(f->map.entries.data[i].key.first, &f->model[pairs[i][0]]);
    assert_ptr_equal(f->map.entries.data[i].key.second, &f->model[pairs[i][1]]);
  }
}

static const int found[6][2] = {{T2, P1}, {L2, L1}, {L2, P1}, {T1, P2}, {L1, P2}, {P2, P1}};
static const int detections[6][2] = {{T2, P1}, {L1, P2}, {L2, P1}, {L2, L1}, {P2, P1}, {T1, P2}};
static const int contacts[6][2] = {{P2, P1}, {L1, P2}, {T2, P1}, {L2, L1}, {L2, P1}, {T1, P2}};

static void detection_order(void **state) {
  Fixture *f = *state;
  insert(f, found, 6, PAIR_MAP_LARGEST);
  assert_order(f, detections, 6);
  insert(f, found, 6, PAIR_MAP_LARGEST); // all are there
  assert_order(f, detections, 6);
}

static void contact_order(void **state) {
  Fixture *f = *state;
  insert(f, detections, 6, PAIR_MAP_NEW);
  assert_order(f, contacts, 6);
}

static bool is_of_points(const PairMapEntry *entry, void *user) {
  const Fixture *f = user;
  return entry->key.second == &f->model[P1] || entry->key.second == &f->model[P2];
}

/* Models keep their numbers when their pairs leave. */
static void removal(void **state) {
  Fixture *f = *state;
  static const int again[1][2] = {{L2, L1}};
  insert(f, found, 6, PAIR_MAP_LARGEST);
  pair_map_filter(&f->map, is_of_points, f);
  assert_int_equal(f->map.entries.n, 5);
  insert(f, again, 1, PAIR_MAP_LARGEST);
  assert_order(f, detections, 6);
}

/* A sole entry has no numbers until something is compared with it. */
static void first_entry(void **state) {
  Fixture *f = *state;
  insert(f, found, 1, PAIR_MAP_LARGEST);
  assert_int_equal(f->map.ids.n, 0);
  const ModelPair other = {&f->model[T1], &f->model[P2]};
  assert_int_equal(pair_map_ask(f->ctx, &f->map, other), SOFA_OK);
  assert_int_equal(f->map.ids.n, 4);
  for (size_t i = 0; i < 4; i++) {
    const SofaCollisionModel *m = f->map.ids.data[i].model;
    const uint32_t id = m == &f->model[P1]   ? 0
                        : m == &f->model[T2] ? 1
                        : m == &f->model[P2] ? 2
                                             : 3;
    assert_int_equal(f->map.ids.data[i].id, id);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(detection_order, setup, teardown),
      cmocka_unit_test_setup_teardown(contact_order, setup, teardown),
      cmocka_unit_test_setup_teardown(removal, setup, teardown),
      cmocka_unit_test_setup_teardown(first_entry, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
