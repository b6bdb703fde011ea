/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of boxes in groups: the answers of sofa_boxes_are_close on every instruction set, also at
 * the very distance, and for boxes that are infinite or not numbers. */
#include <math.h>

#include "math/kernels.h"
#include "numerics/spatial/bounding_tree.h"
#include "numerics/spatial/bounding_tree_impl.h"
#include "numerics/spatial/random.h"
#include "tests/support/scene_run.h"

enum { ROUNDS = 20000, N_GROUPS = 3, N_BOXES = N_GROUPS * BOX_GROUP };

static const char *const names[] = {"baseline", "avx2", "avx512"};

/* On a grid, so that many gaps are the distance. */
static void random_box(EngineRandom *random, double box[6]) {
  const double special[] = {NAN, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    box[k] = 0.25 * floor(engine_random(random, 0, 12));
    box[3 + k] = box[k] + 0.25 * floor(engine_random(random, 0, 6));
  }
  if (engine_random(random, 0, 1) < 0.05)
    box[(int)engine_random(random, 0, 5.99)] = special[(int)engine_random(random, 0, 2.99)];
}

static void put(BoxGroup *groups, size_t i, const double box[6]) {
  for (int k = 0; k < 3; k++) {
    groups[i / BOX_GROUP].low[k][i % BOX_GROUP] = box[k];
    groups[i / BOX_GROUP].high[k][i % BOX_GROUP] = box[3 + k];
  }
}

static void check(const BoxKernels *kernels, EngineRandom *random) {
  BoxGroup groups[N_GROUPS];
  double box[N_BOXES][6];
  const double d = 0.5;
  for (size_t i = 0; i < N_BOXES; i++) {
    random_box(random, box[i]);
    put(groups, i, box[i]);
  }
  const uint32_t rows = (uint32_t)engine_random(random, 0, 15.99);
  const uint32_t all = kernels->close(groups, N_GROUPS, box[0], d),
                 meet = kernels->meet(&groups[0], rows, &groups[1], d);
  for (unsigned i = 0; i < N_BOXES; i++)
    assert_int_equal(all >> i & 1, sofa_boxes_are_close(box[0], box[i], d));
  for (unsigned i = 0; i < BOX_GROUP; i++)
    for (unsigned k = 0; k < BOX_GROUP; k++)
      assert_int_equal(meet >> (BOX_GROUP * i + k) & 1,
                       (rows >> i & 1) && sofa_boxes_are_close(box[i], box[BOX_GROUP + k], d));
}

/* All pairs of two rows of boxes, and the motion from one row to the other. */
static void check_rows(const BoxKernels *kernels, EngineRandom *random) {
  double a[N_BOXES][6], b[N_BOXES][6];
  SofaElementPair in[N_BOXES * N_BOXES], out[N_BOXES * N_BOXES];
  size_t n = 0, expected = 0;
  for (uint32_t i = 0; i < N_BOXES; i++) {
    random_box(random, a[i]);
    random_box(random, b[i]);
    for (uint32_t k = 0; k < N_BOXES; k++) in[n++] = (SofaElementPair){i, k};
  }
  const size_t found = kernels->close_pairs(a[0], b[0], 0.5, in, n, out);
  for (size_t i = 0; i < n; i++) {
    const double *one = a[in[i].first], *other = b[in[i].second];
    assert_int_equal(bounding_close(one, other, 0.5), sofa_boxes_are_close(one, other, 0.5));
    if (!sofa_boxes_are_close(a[in[i].first], b[in[i].second], 0.5)) continue;
    assert_memory_equal(&out[expected], &in[i], sizeof in[i]);
    expected++;
  }
  assert_int_equal(found, expected);
}

static void check_motion(const BoxKernels *kernels, EngineRandom *random, size_t n) {
  double now[N_BOXES][6], before[N_BOXES][6], low = INFINITY, high = -INFINITY, end = -INFINITY;
  BoxMotion m;
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 6; k++) {
      now[i][k] = engine_random(random, -1, 1);
      before[i][k] = engine_random(random, -1, 1);
    }
  kernels->move(now[0], before[0], n, &m);
  for (size_t i = 0; i < n; i++) {
    for (int k = 1; k < 6; k += 3) {
      low = fmin(low, now[i][k] - before[i][k]);
      high = fmax(high, now[i][k] - before[i][k]);
    }
    end = fmax(end, now[i][4]);
  }
  assert_true(m.low[1] == low && m.high[1] == high && m.box[4] == end && isfinite(m.sum));
  now[n - 1][5] = NAN;
  kernels->move(now[0], before[0], n, &m);
  assert_true(!isfinite(m.sum));
}

static void same_answers(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(names); i++) {
    EngineRandom random = engine_random_seed(5);
    const SofaContext ctx = {.kernels = sofa_kernels_select(names[i])};
    if (!ctx.kernels) continue; // not on this processor
    assert_string_equal(box_kernels(&ctx)->name, names[i]);
    for (int round = 0; round < ROUNDS; round++) {
      check(box_kernels(&ctx), &random);
      check_rows(box_kernels(&ctx), &random);
      check_motion(box_kernels(&ctx), &random, 1 + (unsigned)round % N_BOXES);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_answers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
