/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plugin starts for a process: the first class with the interface joins, all end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "base/abi.h"
#include "object/factory.h"
#include "object/process.h"

/* a test is one process: it may count */
static int joined, ended, last_status;

static SofaErr join(SofaContext *ctx, SofaPlace *place) {
  (void)ctx;
  joined++;
  *place = (SofaPlace){.rank = 2, .n = 3};
  return SOFA_OK;
}
static void end(int status) {
  ended++;
  last_status = status;
}
/* what passes data is not called */
static SofaErr collect(SofaContext *ctx, size_t n, const void *mine, void *all) {
  (void)ctx, (void)n, (void)mine, (void)all;
  return SOFA_ERR_IO;
}
static SofaErr gather(SofaContext *ctx, int root, const size_t *n, const void *mine, void *all) {
  (void)ctx, (void)root, (void)n, (void)mine, (void)all;
  return SOFA_ERR_IO;
}
static SofaErr spread(SofaContext *ctx, int root, size_t n, void *data) {
  (void)ctx, (void)root, (void)n, (void)data;
  return SOFA_ERR_IO;
}
static SofaErr exchange(SofaContext *ctx, const SofaExchange *messages) {
  (void)ctx, (void)messages;
  return SOFA_ERR_IO;
}
static const SofaProcessOps ops = {.join = join,
                                   .end = end,
                                   .collect = collect,
                                   .gather = gather,
                                   .spread = spread,
                                   .exchange = exchange};
static const SofaProcessOps silent = {.join = join, .end = end};

static const SofaClass first = {.name = "FirstOfProcess",
                                .help = "A class of a test.",
                                .base = &sofa_object_class,
                                .size = sizeof(SofaObject),
                                SOFA_IMPLEMENTS({SOFA_PROCESS, &ops})};
static const SofaClass second = {.name = "SecondOfProcess",
                                 .help = "A class of a test.",
                                 .base = &sofa_object_class,
                                 .size = sizeof(SofaObject),
                                 SOFA_IMPLEMENTS({SOFA_PROCESS, &ops})};
static const SofaClass mute = {.name = "SilentProcess",
                               .help = "A class of a test.",
                               .base = &sofa_object_class,
                               .size = sizeof(SofaObject),
                               SOFA_IMPLEMENTS({SOFA_PROCESS, &silent})};
static const SofaClass *const classes[] = {&first, &second, NULL};
static const SofaClass *const silent_classes[] = {&mute, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "ProcessTest", .version = "1", .classes = classes};
static const SofaModule silent_module = {
    .abi = SOFA_ABI, .name = "SilentTest", .version = "1", .classes = silent_classes};

static void keep(void *user, const SofaMessage *message) {
  snprintf(user, 200, "%s", message->text);
}

static void join_and_end(void **state) {
  (void)state;
  char said[200] = "";
  const SofaContextOptions options = {.sink = keep, .sink_user = said};
  SofaContext *ctx = NULL;
  SofaPlace place = {.rank = 7, .n = 7};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_process_join(ctx, &place), SOFA_ERR_NOT_FOUND);
  assert_non_null(strstr(said, "no plugin that joins processes is loaded"));
  assert_true(place.rank == 0 && place.n == 1);
  sofa_process_end(ctx, 1);
  assert_int_equal(ended, 0);

  assert_int_equal(sofa_factory_register(ctx, &module), SOFA_OK);
  assert_int_equal(sofa_process_join(ctx, &place), SOFA_OK);
  assert_true(place.rank == 2 && place.n == 3);
  assert_int_equal(joined, 1);
  sofa_process_end(ctx, 4);
  assert_int_equal(ended, 2);
  assert_int_equal(last_status, 4);
  sofa_context_destroy(&ctx);
}

/* Processes that pass no data to each other cannot run a scene together. */
static void silent_processes(void **state) {
  (void)state;
  char said[200] = "";
  const SofaContextOptions options = {.sink = keep, .sink_user = said};
  SofaContext *ctx = NULL;
  SofaPlace place;
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_factory_register(ctx, &silent_module), SOFA_OK);
  assert_int_equal(sofa_process_join(ctx, &place), SOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(said, "joins 3 processes passes no data between them"));
  assert_null(ctx->processes);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(join_and_end),
                                     cmocka_unit_test(silent_processes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
