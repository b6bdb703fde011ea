/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts, allocation, scratch memory, lists, messages, quirks; clean failure without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <unistd.h>
#include "base/array.h"
#include "base/context.h"
#include "base/files.h"
#include "base/profiler.h"
#include "base/quirks.h"
#include "base/text.h"
#include "failing_allocator.h"
#include "math/kernels.h"
#include "object/factory.h"

typedef struct Heard {
  int n;
  SofaSeverity severity;
  char text[2048], file[64];
  int line;
} Heard;

static void hear(void *user, const SofaMessage *m) {
  Heard *heard = user;
  heard->n++;
  heard->severity = m->severity;
  strncpy(heard->text, m->text, sizeof heard->text - 1);
  strncpy(heard->file, m->origin.file ? m->origin.file : "", sizeof heard->file - 1);
  heard->line = m->origin.line;
}

static SofaContext *heard_context(Heard *heard, bool quirks) {
  SofaContext *ctx = NULL;
  memset(heard, 0, sizeof *heard);
  const SofaContextOptions options = {.sink = hear, .sink_user = heard, .quirks = quirks};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  return ctx;
}

static void creation(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(ctx->threads, 1);
  assert_non_null(ctx->kernels);
  assert_non_null(ctx->factory);
  sofa_context_destroy(&ctx);
  assert_null(ctx);
  sofa_context_destroy(&ctx);
  // refusals name the reason
  Heard heard = {0};
  SofaContextOptions options = {.sink = hear, .sink_user = &heard, .isa = "pentium"};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_ERR_ARGUMENT);
  assert_null(ctx);
  assert_non_null(strstr(heard.text, "pentium"));
  options = (SofaContextOptions){.sink = hear, .sink_user = &heard, .threads = -1};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_ERR_ARGUMENT);
  // a chosen instruction set is kept
  options = (SofaContextOptions){.isa = "baseline"};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_string_equal(ctx->kernels->name, "baseline");
  sofa_context_destroy(&ctx);
}

static void allocation(void **state) {
  (void)state;
  Heard heard;
  SofaContext *ctx = heard_context(&heard, false);
  const uint64_t before = ctx->n_allocations;
  unsigned char *block = sofa_alloc(ctx, 100, 3);
  for (int i = 0; i < 300; i++) assert_int_equal(block[i], 0);
  assert_int_equal(ctx->n_allocations, before + 1);
  block = sofa_realloc(ctx, block, 1000, 3);
  assert_non_null(block);
  assert_int_equal(block[299], 0);
  sofa_free(ctx, block);
  // large ones begin with a line of the cache, also when they grow out of small ones
  for (size_t n = 4096; n < 1 << 22; n *= 4) {
    block = sofa_alloc(ctx, n, 1);
    assert_int_equal((uintptr_t)block % 64, 0);
    sofa_free(ctx, block);
    block = sofa_alloc(ctx, 1000, 1);
    for (size_t size = 1000; size < 4 * n; size += n) {
      memset(block, 7, size);
      block = sofa_realloc(ctx, block, size + n, 1);
      assert_int_equal((uintptr_t)block % 64, 0);
      for (size_t i = 0; i < size; i++) assert_int_equal(block[i], 7);
    }
    sofa_free(ctx, block);
  }
  // an empty block is a block
  block = sofa_alloc(ctx, 0, 8);
  assert_non_null(block);
  block = sofa_realloc(ctx, block, 0, 8);
  assert_non_null(block);
  sofa_free(ctx, block);
  sofa_free(ctx, NULL);
  // overflow is one error
  assert_int_equal(heard.n, 0);
  assert_null(sofa_alloc(ctx, SIZE_MAX / 4, 8));
  assert_null(sofa_realloc(ctx, NULL, SIZE_MAX, 2));
  assert_int_equal(heard.n, 2);
  assert_int_equal(ctx->n_messages[SOFA_ERROR], 2);
  // strings
  assert_null(sofa_strdup(ctx, NULL));
  char *a = sofa_strdup(ctx, "beam"), *b = sofa_strndup(ctx, "beam", 2);
  char *c = sofa_format(ctx, "%s-%d", a, 7);
  assert_string_equal(a, "beam");
  assert_string_equal(b, "be");
  assert_string_equal(c, "beam-7");
  sofa_free(ctx, a);
  sofa_free(ctx, b);
  sofa_free(ctx, c);
  sofa_context_destroy(&ctx);
}

static void data_paths(void **state) {
  (void)state;
  Heard heard;
  SofaContext *ctx = heard_context(&heard, false);
  assert_int_equal(sofa_context_add_data_paths(ctx, "/a:b::c/d:"), SOFA_OK);
  assert_int_equal(sofa_context_add_data_paths(ctx, NULL), SOFA_OK);
  assert_int_equal(sofa_context_add_data_paths(ctx, ""), SOFA_OK);
  assert_int_equal(ctx->n_data_paths, 3);
  assert_string_equal(ctx->data_paths[0], "/a");
  assert_string_equal(ctx->data_paths[2], "c/d");
  sofa_context_destroy(&ctx);
}

static void scratch(void **state) {
  (void)state;
  Heard heard;
  SofaContext *ctx = heard_context(&heard, false);
  uint64_t warm = 0;
  for (int round = 0; round < 5; round++) {
    const SofaScratchMark outer = sofa_scratch_mark(ctx);
    double *a = SOFA_SCRATCH(ctx, double, 1000);
    a[0] = 1;
    a[999] = 2;
    const SofaScratchMark inner = sofa_scratch_mark(ctx);
    for (size_t i = 1; i < 40; i++) {
      char *b = SOFA_SCRATCH(ctx, char, i * 7001);
      assert_int_equal((uintptr_t)b % 64, 0);
      memset(b, (int)i, i * 7001);
    }
    sofa_scratch_release(ctx, inner);
    // what is taken again is the same memory
    char *c = SOFA_SCRATCH(ctx, char, 1), *d = SOFA_SCRATCH(ctx, char, 0);
    assert_non_null(d);
    assert_ptr_not_equal(c, d);
    assert_true(a[0] == 1 && a[999] == 2);
    sofa_scratch_release(ctx, outer);
    if (round == 0) warm = ctx->n_allocations;
  }
  assert_int_equal(ctx->n_allocations, warm);
  assert_null(sofa_scratch_bytes(ctx, SIZE_MAX / 2, 4));
  assert_null(sofa_scratch_bytes(ctx, SIZE_MAX - 70, 1));
  assert_int_equal(heard.n, 2);
  sofa_context_destroy(&ctx);
}

static void lists(void **state) {
  (void)state;
  Heard heard;
  SofaContext *ctx = heard_context(&heard, false);
  SofaReals list = {0}, other = {0};
  for (int i = 0; i < 1000; i++) {
    const double x = i;
    assert_int_equal(SOFA_APPEND(ctx, &list, &x), SOFA_OK);
  }
  assert_int_equal(list.n, 1000);
  assert_true(list.data[999] == 999);
  // an element of the list itself may be appended
  while (list.n < 3000) assert_int_equal(SOFA_APPEND(ctx, &list, &list.data[5]), SOFA_OK);
  assert_true(list.data[2999] == 5);
  // shrinking keeps the memory, growing again gives zeros
  double *data = list.data;
  assert_int_equal(SOFA_RESIZE(ctx, &list, 2), SOFA_OK);
  assert_int_equal(SOFA_RESIZE(ctx, &list, 10), SOFA_OK);
  assert_ptr_equal(list.data, data);
  assert_true(list.data[1] == 1 && list.data[2] == 0 && list.data[9] == 0);
  assert_int_equal(sofa_list_copy(ctx, &other, &list, sizeof *list.data), SOFA_OK);
  assert_int_equal(other.n, 10);
  assert_memory_equal(other.data, list.data, 80);
  sofa_list_free(ctx, &list);
  sofa_list_free(ctx, &other);
  assert_null(list.data);
  // text
  SofaText text = {0};
  assert_int_equal(sofa_text_append(ctx, &text, "", 0), SOFA_OK);
  assert_string_equal(text.data, "");
  for (int i = 0; i < 100; i++) {
    assert_int_equal(sofa_text_printf(ctx, &text, "%d,", i), SOFA_OK);
  }
  assert_int_equal(strlen(text.data), text.n);
  assert_non_null(strstr(text.data, "98,99,"));
  sofa_list_free(ctx, &text);
  // strings
  SofaStrings strings = {0};
  assert_int_equal(sofa_strings_append(ctx, &strings, "first second", 5), SOFA_OK);
  assert_string_equal(strings.data[0], "first");
  sofa_strings_free(ctx, &strings);
  sofa_context_destroy(&ctx);
}

static void messages(void **state) {
  (void)state;
  Heard heard;
  SofaContext *ctx = heard_context(&heard, true);
  const SofaOrigin origin = {.file = "beam.scn", .line = 14, .path = "/body/fem"};
  sofa_message(ctx, SOFA_WARNING, &origin, "%d of %s", 3, "it");
  assert_string_equal(heard.text, "3 of it");
  assert_string_equal(heard.file, "beam.scn");
  assert_int_equal(heard.line, 14);
  assert_int_equal(sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "%1500s|", "x"), SOFA_ERR_RANGE);
  assert_int_equal(strlen(heard.text), 1501);
  assert_int_equal(heard.severity, SOFA_ERROR);
  assert_int_equal(ctx->n_messages[SOFA_WARNING], 1);
  assert_int_equal(ctx->n_messages[SOFA_ERROR], 1);
  assert_string_equal(sofa_severity_text(SOFA_FATAL), "fatal");
  assert_string_equal(sofa_err_text(SOFA_ERR_NOT_FINITE), "value not finite");
  assert_string_equal(sofa_err_text((SofaErr)999), "unknown error");
  sofa_context_destroy(&ctx);
}

/* All quirks, those named, or none; each is announced once. */
static void quirks(void **state) {
  static const SofaQuirk row = {1, "odd-step", "the step is odd", "test_context.quirks"};
  static const char *const words[] = {NULL, "odd-step", "even,odd-step", "odd,odd-step-2", ""};
  static const bool on[] = {false, true, true, false, false};
  Heard heard;
  (void)state;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    SofaContext *ctx = NULL;
    const SofaContextOptions options = {.quirk_words = words[k]};
    assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
    assert_int_equal(sofa_quirk_chosen(ctx, row.word), on[k]);
    sofa_context_destroy(&ctx);
  }
  SofaContext *ctx = heard_context(&heard, true);
  assert_true(sofa_quirk_chosen(ctx, row.word));
  for (int k = 0; k < 2; k++) assert_int_equal(sofa_quirk_announce(ctx, &row), SOFA_OK);
  assert_int_equal(heard.n, 1);
  assert_int_equal(heard.severity, SOFA_INFO);
  assert_string_equal(heard.text, "odd-step: the step is odd");
  sofa_context_destroy(&ctx);
}

/* What a context without a sink writes to one of the standard streams. */
static void printed(int stream, SofaSeverity severity, const SofaOrigin *origin, char *text) {
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  FILE *to = tmpfile();
  fflush(NULL);
  const int saved = dup(stream);
  dup2(fileno(to), stream);
  sofa_message(ctx, severity, origin, "text");
  fflush(NULL);
  dup2(saved, stream);
  close(saved);
  rewind(to);
  memset(text, 0, 100);
  assert_true(fread(text, 1, 99, to) > 0);
  fclose(to);
  sofa_context_destroy(&ctx);
}

static void default_sink(void **state) {
  (void)state;
  char text[100];
  SofaOrigin origin = {.file = "beam.scn", .line = 14, .path = "/body/fem", .emitter = "Fem(fem)"};
  printed(2, SOFA_ERROR, &origin, text);
  assert_string_equal(text, "beam.scn:14: error: /body/fem: text\n");
  origin.path = NULL;
  origin.line = 0;
  printed(2, SOFA_WARNING, &origin, text);
  assert_string_equal(text, "beam.scn: warning: Fem(fem): text\n");
  printed(1, SOFA_INFO, NULL, text);
  assert_string_equal(text, "info: text\n");
}

static void timers(void **state) {
  (void)state;
  Heard heard;
  SofaContext *ctx = heard_context(&heard, false);
  const SofaTimerRow *rows = NULL;
  sofa_timer_begin(ctx, "off");
  sofa_timer_end(ctx);
  assert_int_equal(sofa_profiler_rows(ctx, &rows), 0);
  sofa_profiler_enable(ctx, true);
  assert_true(sofa_profiler_enabled(ctx));
  uint64_t warm = 0;
  for (int i = 0; i < 10; i++) {
    sofa_timer_begin(ctx, "step");
    sofa_timer_begin(ctx, "force");
    sofa_timer_end(ctx);
    sofa_timer_begin(ctx, "solve");
    sofa_timer_begin(ctx, "force");
    sofa_timer_end(ctx);
    sofa_timer_end(ctx);
    sofa_timer_end(ctx);
    if (!i) warm = ctx->n_allocations;
  }
  assert_int_equal(ctx->n_allocations, warm);
  sofa_timer_begin(ctx, "output");
  sofa_timer_end(ctx);
  sofa_timer_end(ctx); // one too many is harmless
  static const char *const names[] = {"step", "force", "solve", "force", "output"};
  static const int levels[] = {0, 1, 1, 2, 0};
  assert_int_equal(sofa_profiler_rows(ctx, &rows), 5);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(rows[i].name, names[i]);
    assert_int_equal(rows[i].level, levels[i]);
    assert_int_equal(rows[i].calls, i < 4 ? 10 : 1);
    assert_true(rows[i].seconds >= 0);
  }
  FILE *out = tmpfile();
  sofa_profiler_print(ctx, out, false, 10);
  sofa_profiler_print(ctx, out, true, 10);
  char printed[4096] = {0};
  rewind(out);
  assert_true(fread(printed, 1, sizeof printed - 1, out) > 0);
  fclose(out);
  assert_non_null(strstr(printed, "{\"name\": \"solve\", \"level\": 1, \"calls\": 10, "));
  sofa_profiler_clear(ctx);
  assert_int_equal(sofa_profiler_rows(ctx, &rows), 0);
  sofa_context_destroy(&ctx);
}

/* Everything of the base that allocates, once. */
static SofaErr use_all(SofaContext *ctx) {
  SofaErr err = SOFA_OK;
  SofaReals reals = {0}, other = {0};
  SofaStrings strings = {0};
  SofaText text = {0};
  char *path = NULL, *found = NULL;
  SOFA_GO(err, done, sofa_context_add_data_paths(ctx, "/one:/two:/three"));
  for (int i = 0; i < 50; i++) {
    const double x = i;
    SOFA_GO(err, done, SOFA_APPEND(ctx, &reals, &x));
  }
  SOFA_GO(err, done, SOFA_RESIZE(ctx, &reals, 400));
  SOFA_GO(err, done, sofa_list_copy(ctx, &other, &reals, sizeof(double)));
  SOFA_GO(err, done, sofa_strings_append(ctx, &strings, "word", 4));
  SOFA_GO(err, done, sofa_text_printf(ctx, &text, "%s", "some text"));
  SOFA_GO(err, done, sofa_text_real(ctx, &text, 1.0 / 3, 17));
  err = (path = sofa_format(ctx, "%d", 5)) ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err) goto done;
  err = SOFA_SCRATCH(ctx, double, 100000) ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err) goto done;
  err = sofa_find_file(ctx, "folder", "nothing.obj", &found);
  if (err == SOFA_ERR_NOT_FOUND) err = SOFA_OK;
  if (err) goto done;
  sofa_message(ctx, SOFA_INFO, NULL, "%2000s", "long");
  sofa_profiler_enable(ctx, true);
  sofa_timer_begin(ctx, "a");
  sofa_timer_begin(ctx, "b");
  sofa_timer_end(ctx);
  sofa_timer_end(ctx);
done:
  sofa_list_free(ctx, &reals);
  sofa_list_free(ctx, &other);
  sofa_strings_free(ctx, &strings);
  sofa_list_free(ctx, &text);
  sofa_free(ctx, path);
  sofa_free(ctx, found);
  return err;
}

static void no_memory(void **state) {
  (void)state;
  bool done = false;
  for (uint64_t n = 1; !done; n++) {
    FailingAllocator allocator = {.fail_at = n};
    const SofaContextOptions options = {
        .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
    SofaContext *ctx = NULL;
    SofaErr err = sofa_context_create(&options, &ctx);
    if (!err) err = use_all(ctx);
    sofa_context_destroy(&ctx);
    assert_int_equal(allocator.live, 0);
    done = allocator.calls < n;
    assert_true(err == SOFA_OK || err == SOFA_ERR_MEMORY);
    if (done) assert_int_equal(err, SOFA_OK);
    assert_true(n < 10000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(creation),   cmocka_unit_test(allocation),
                                     cmocka_unit_test(data_paths), cmocka_unit_test(scratch),
                                     cmocka_unit_test(lists),      cmocka_unit_test(messages),
                                     cmocka_unit_test(quirks),     cmocka_unit_test(default_sink),
                                     cmocka_unit_test(timers),     cmocka_unit_test(no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
