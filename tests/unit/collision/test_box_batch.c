/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of boxes in groups: the answers of sofa_boxes_are_close on every instruction set, also at
 * the very distance, and for boxes that are infinite or not numbers. */
#include <math.h>

#include "math/kernels.h"
#include "numerics/spatial/bounding_tree.h"
#include "numerics/spatial/box_batch_impl.h"
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

static void same_answers(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(names); i++) {
    EngineRandom random = engine_random_seed(5);
    const SofaContext ctx = {.kernels = sofa_kernels_select(names[i])};
    if (!ctx.kernels) continue; // not on this processor
    assert_string_equal(box_kernels(&ctx)->name, names[i]);
    for (int round = 0; round < ROUNDS; round++) check(box_kernels(&ctx), &random);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_answers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
