/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exact tests of pairs of elements on any number of threads: the detections of each pair of
 * models in the order of the pairs, the first failure, and no allocation when warm. */
#include "components/collision/detection/exact_tests.h"
#include "tests/support/scene_run.h"

enum { MODELS = 5, PAIRS = 3000, BAD = 7777777 };

typedef struct Fixture {
  SofaContext *ctx;
  SofaIntersection method;
  SofaCollisionModel model[MODELS + 1];
  SofaDetections found[MODELS], expected[MODELS];
  ExactTests tests;
} Fixture;

/* A pair (i, k) has i % 3 detections, with k and the number of the detection as their names. A call
 * without pairs comes first where there are threads. */
static SofaErr find(const SofaIntersection *method, const SofaCollisionModel *first,
                    const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,
                    SofaDetections *out) {
  (void)second;
  if (n == 0) ((SofaCollisionModel *)(uintptr_t)first)->revision = 1;
  if (n > 0 && method->object.ctx->threads > 1 && !first->revision) return SOFA_ERR_ARGUMENT;
  for (size_t i = 0; i < n; i++) {
    if (pairs[i].first == BAD) return SOFA_ERR_RANGE;
    for (uint32_t k = 0; k < pairs[i].first % 3; k++) {
      const SofaDetection d = {
          .element = {pairs[i].first, pairs[i].second}, .value = first->stiffness, .id = k};
      SofaErr err;
#pragma omp critical
      err = SOFA_APPEND(method->object.ctx, out, &d);
      SOFA_TRY(err);
    }
  }
  return SOFA_OK;
}
static const SofaIntersectionRule rule = {.find = find};

static int setup(void **state) {
  Fixture *f = calloc(1, sizeof *f);
  assert_int_equal(sofa_context_create(NULL, &f->ctx), SOFA_OK);
  f->method.object.ctx = f->ctx;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  Fixture *f = *state;
  exact_tests_free(f->ctx, &f->tests);
  for (int i = 0; i < MODELS; i++) {
    sofa_list_free(f->ctx, &f->found[i]);
    sofa_list_free(f->ctx, &f->expected[i]);
  }
  sofa_context_destroy(&f->ctx);
  free(f);
  return 0;
}

/* Model i has about PAIRS pairs, the third one has none. bad: a pair that fails is among them. */
static SofaErr run(Fixture *f, int threads, bool bad, SofaDetections *out) {
  f->ctx->threads = threads;
  exact_tests_begin(&f->tests);
  for (uint32_t i = 0; i < MODELS; i++) {
    const SofaCollisionBody first = {&f->model[i], NULL}, second = {&f->model[MODELS], NULL};
    const PairFilter filter = {&f->method, &rule, &first, &second};
    const size_t begin = f->tests.pairs.n;
    f->model[i].stiffness = i;
    f->model[i].revision = 0;
    out[i].n = 0;
    for (uint32_t k = 0; k < (i == 2 ? 0 : PAIRS + 13 * i); k++) {
      const SofaElementPair pair = {bad && i == 3 && k == 77 ? (uint32_t)BAD : (k * k + i) % 1000,
                                    k};
      assert_int_equal(SOFA_APPEND(f->ctx, &f->tests.pairs, &pair), SOFA_OK);
    }
    SOFA_TRY(exact_tests_add(f->ctx, &f->tests, &filter, begin, &out[i]));
  }
  return exact_tests_end(f->ctx, &f->tests, &f->method);
}

static void same_detections(void **state) {
  Fixture *f = *state;
  assert_int_equal(run(f, 1, false, f->expected), SOFA_OK);
  assert_true(f->expected[4].n > PAIRS / 2);
  for (int threads = 2; threads < 8; threads++) {
    assert_int_equal(run(f, threads, false, f->found), SOFA_OK);
    for (int i = 0; i < MODELS; i++) {
      assert_int_equal(f->found[i].n, f->expected[i].n);
      if (f->found[i].n)
        assert_memory_equal(f->found[i].data, f->expected[i].data,
                            f->found[i].n * sizeof *f->found[i].data);
    }
  }
}

static void failures(void **state) {
  Fixture *f = *state;
  for (int threads = 1; threads < 4; threads++)
    assert_int_equal(run(f, threads, true, f->found), SOFA_ERR_RANGE);
}

static void memory(void **state) {
  Fixture *f = *state;
  for (int threads = 1; threads < 6; threads++) {
    assert_int_equal(run(f, threads, false, f->found), SOFA_OK);
    const uint64_t before = f->ctx->n_allocations;
    assert_int_equal(run(f, threads, false, f->found), SOFA_OK);
    assert_int_equal(f->ctx->n_allocations, before);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(same_detections, setup, teardown),
      cmocka_unit_test_setup_teardown(failures, setup, teardown),
      cmocka_unit_test_setup_teardown(memory, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
