/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A scene whose allocations fail, one after the other. */
#ifndef TESTS_SUPPORT_LACK_OF_MEMORY_H
#define TESTS_SUPPORT_LACK_OF_MEMORY_H

#include "tests/support/scene_run.h"
#include "tests/unit/base/failing_allocator.h"

/* Loads and initialises the scene with its allocation n failing: an error, or a reported problem,
 * and no leak each time. thin: of many allocations only some fail, ever further apart. */
static inline void scene_survives_lack_of_memory(const char *scene, bool thin) {
  bool done = false;
  for (uint64_t fail_at = 1; !done; fail_at += thin ? fail_at / 50 + 1 : 1) {
    FailingAllocator allocator = {0};
    SceneRun run = {.quiet = true};
    const SofaContextOptions options = {.allocate = failing_allocate, .allocate_user = &allocator};
    scene_run_context(&run, &options);
    run.quiet = true;
    allocator.fail_at = allocator.calls + fail_at;
    SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    done = allocator.calls < allocator.fail_at;
    if (done) assert_int_equal(err, SOFA_OK);
    else assert_true(err != SOFA_OK || run.n_problems > 0);
    scene_run_close(&run);
    assert_int_equal(allocator.live, 0);
  }
}

#endif
