/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests that load a scene while memory runs out at every sampled request. */
#ifndef TESTS_SUPPORT_SCENE_MEMORY_H
#define TESTS_SUPPORT_SCENE_MEMORY_H

#include "tests/support/scene_run.h"
#include "tests/unit/base/failing_allocator.h"

/* Loads and initialises the scene; an allocation that fails must give an error, and nothing may
 * leak. All of the first requests fail once, later ones are sampled. */
static inline void scene_without_memory(const char *scene) {
  bool done = false;
  for (uint64_t fail_at = 1; !done; fail_at += fail_at / 40 + 1) {
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
    else if (err == SOFA_OK && !run.n_problems)
      fail_msg("request %u for memory failed without an error", (unsigned)fail_at);
    scene_run_close(&run);
    assert_int_equal(allocator.live, 0);
  }
}

#endif
