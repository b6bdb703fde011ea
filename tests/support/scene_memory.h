/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes whose requests for memory fail: a clean error, no crash, and nothing is lost. */
#ifndef TESTS_SUPPORT_SCENE_MEMORY_H
#define TESTS_SUPPORT_SCENE_MEMORY_H

#include "tests/support/scene_run.h"
#include "tests/unit/base/failing_allocator.h"

/* ---- a scene that is loaded and initialised ---- */

/* The requests from number n on fail, n = 1, 2, ...: an error, or a reported problem, each time.
 * part > 0: of many requests only some fail, n grows by n / part + 1. */
static inline void scene_loads_without_memory(const char *scene, unsigned part) {
  bool done = false;
  for (uint64_t fail_at = 1; !done; fail_at += part ? fail_at / part + 1 : 1) {
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
static inline void scene_without_memory(const char *scene) {
  scene_loads_without_memory(scene, 40);
}
static inline void scene_survives_lack_of_memory(const char *scene, bool thin) {
  scene_loads_without_memory(scene, thin ? 50 : 0);
}

/* ---- a scene that is run, too ---- */

/* Makes a context, loads, initialises, makes steps, destroys; *used: requests before the end. */
static inline SofaErr scene_run_allocating(const char *text, int steps, FailingAllocator *allocator,
                                           uint64_t *used) {
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = allocator, .sink = quiet_sink};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = sofa_context_create(&options, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  if (err == SOFA_OK) err = sofa_simulation_load_text(ctx, text, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  for (int i = 0; i < steps && err == SOFA_OK; i++) err = sofa_simulation_step(simulation, 0);
  *used = allocator->calls;
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return err;
}

/* The requests from number n on fail, n = 1, 2, ...: an error each time. part: as above. */
static inline void scene_runs_without_memory(const char *what, const char *text, int steps,
                                             unsigned part) {
  FailingAllocator all = {0};
  uint64_t used = 0, ignored = 0;
  assert_int_equal(scene_run_allocating(text, steps, &all, &used), SOFA_OK);
  assert_int_equal(all.live, 0);
  for (uint64_t n = 1; n <= used; n += part ? n / part + 1 : 1) {
    FailingAllocator allocator = {.fail_at = n};
    if (scene_run_allocating(text, steps, &allocator, &ignored) == SOFA_OK)
      fail_msg("%s: the failure of request %lu has no error", what, (unsigned long)n);
    if (allocator.live)
      fail_msg("%s: %ld blocks lost at request %lu", what, (long)allocator.live, (unsigned long)n);
  }
}

#endif
