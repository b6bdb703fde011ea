/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Engines when memory runs out at any moment of loading, evaluating and evaluating again: a clean
 * error, no crash, nothing lost. */
#include "components/builtins.h"
#include "tests/support/engine_cases.h"
#include "tests/support/scene_run.h"

#include "object/data_graph.h"
#include "tests/unit/base/failing_allocator.h"

/* *used: calls until the end; *ready: calls until the classes are registered. */
static SofaErr run(const EngineCase *c, FailingAllocator *allocator, uint64_t *ready,
                   uint64_t *used) {
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = allocator, .sink = quiet_sink};
  char text[8000];
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><Node name='n'>%s<%s name='e' %s/></Node>"
           "</Node>",
           c->before ? c->before : "", c->name, c->attributes ? c->attributes : "");
  SofaErr err = sofa_context_create(&options, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  *ready = allocator->calls;
  if (err == SOFA_OK) err = sofa_simulation_load_text(ctx, text, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (err == SOFA_OK && c->change) {
    SofaObject *object =
        sofa_resolve_path(simulation->root, "/n/e", &(SofaPathRule){.strict = true});
    err = object ? sofa_field_set_text(object, c->change, c->to, 0) : SOFA_ERR_NOT_FOUND;
    if (err == SOFA_OK) err = sofa_data_update(object);
  }
  *used = allocator->calls;
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return err;
}

static void every_failure_is_clean(void **state) {
  (void)state;
  for (size_t i = 0; i < N_ENGINE_CASES; i++) {
    const EngineCase *c = engine_case(i);
    FailingAllocator all = {0};
    uint64_t ready = 0, used = 0, ignored = 0;
    const SofaErr whole = run(c, &all, &ready, &used);
    if (whole != SOFA_OK) fail_msg("%s: %s", c->name, sofa_err_text(whole));
    if (all.live) fail_msg("%s: %ld blocks lost", c->name, (long)all.live);
    for (uint64_t n = ready + 1; n <= used; n++) {
      FailingAllocator allocator = {.fail_at = n};
      const SofaErr err = run(c, &allocator, &ignored, &ignored);
      if (err == SOFA_OK)
        fail_msg("%s: failure of call %lu went unnoticed", c->name, (unsigned long)(n - ready));
      if (allocator.live)
        fail_msg("%s: %ld blocks lost at call %lu", c->name, (long)allocator.live,
                 (unsigned long)(n - ready));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_failure_is_clean)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
