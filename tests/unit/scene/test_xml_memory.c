/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes for which the XML library gets no memory: each of its allocations in turn fails. */
#include "scene_test.h"

#include <libxml/parser.h>

#include "components/builtins.h"
#include "scene/save.h"
#include "simulation/simulation.h"

static long calls, fail_at, alive; /* of the XML library: one thread reads */

static bool fails(void) {
  return ++calls == fail_at;
}

static void *allocate(size_t size) {
  void *block = fails() ? NULL : malloc(size);
  alive += block != NULL;
  return block;
}

static void *reallocate(void *block, size_t size) {
  void *moved = fails() ? NULL : realloc(block, size);
  alive += moved && !block;
  return moved;
}

static void release(void *block) {
  alive -= block != NULL;
  free(block);
}

static char *duplicate(const char *text) {
  char *copy = fails() ? NULL : strdup(text);
  alive += copy != NULL;
  return copy;
}

/* Names and values that are long, many, and with references. */
static const char *scene(void) {
  static char text[8000];
  size_t n = (size_t)snprintf(text, sizeof text, "<Node name='&lt;&#65;&amp;' dt='0.5'>");
  for (int i = 0; i < 3; i++) {
    n += (size_t)snprintf(text + n, sizeof text - n, "<Node name='child%d' gravity='", i);
    for (int k = 0; k < 300 * i; k++) text[n++] = ' ';
    n += (size_t)snprintf(text + n, sizeof text - n, "1 2 %d' activated='1'>\n", i);
  }
  for (int i = 0; i < 3; i++) n += (size_t)snprintf(text + n, sizeof text - n, "</Node>\n");
  snprintf(text + n, sizeof text - n, "</Node>");
  return text;
}

static SofaErr load(Bench *b, const char *text, long at, SofaText *print) {
  SofaSimulation *s = NULL;
  bench_open(b, false);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  calls = 0;
  fail_at = at;
  const SofaErr err = sofa_simulation_load_text(b->ctx, text, &s);
  fail_at = 0;
  if (err == SOFA_OK) assert_int_equal(sofa_scene_print(s, print), SOFA_OK);
  sofa_simulation_destroy(&s);
  return err;
}

/* The scene without memory is not read, or it is that with memory; *n: how often it is not read. */
static void without_memory(const char *text, SofaErr expected, const char *message, long *n) {
  static Bench whole, b;
  SofaText all = {0}, print = {0};
  assert_int_equal(load(&whole, text, 0, &all), expected);
  assert_ptr_equal(strstr(whole.messages, message), whole.messages);
  xmlResetLastError();
  const long n_calls = calls, before = alive;
  *n = 0;
  for (long k = 1; k <= n_calls; k++) {
    const SofaErr err = load(&b, text, k, &print);
    if (err != expected && err != SOFA_ERR_MEMORY)
      fail_msg("call %ld of %ld: %s\n%s", k, n_calls, sofa_err_text(err), b.messages);
    const char *begin = err == SOFA_ERR_MEMORY ? "text:0: error: out of memory\n" : message;
    if (strncmp(b.messages, begin, strlen(begin)) != 0)
      fail_msg("call %ld of %ld: %s", k, n_calls, b.messages);
    if (err == SOFA_OK) assert_no_message(&b);
    if (err == SOFA_OK) assert_string_equal(print.data, all.data);
    *n += err == SOFA_ERR_MEMORY;
    sofa_list_free(b.ctx, &print);
    bench_close(&b);
    xmlResetLastError(); // the library keeps its text
    assert_int_equal(alive, before);
  }
  sofa_list_free(whole.ctx, &all);
  bench_close(&whole);
}

static void memory_of_the_parser(void **state) {
  long n;
  (void)state;
  without_memory(scene(), SOFA_OK, "", &n);
  assert_true(n > 10);
  // what the library kept of an error does not concern the next scene
  static Bench b;
  SofaText print = {0};
  for (int k = 1; k >= 0; k--) {
    assert_int_equal(load(&b, scene(), k, &print), k ? SOFA_ERR_MEMORY : SOFA_OK);
    sofa_list_free(b.ctx, &print);
    bench_close(&b);
  }
}

/* The text of a message takes memory, too. */
static void memory_for_messages(void **state) {
  long n;
  (void)state;
  without_memory("<Node>\n</Knot>", SOFA_ERR_SCENE,
                 "text:2: error: malformed XML: Opening and ending tag mismatch: Node", &n);
  assert_true(n > 10);
}

/* What the library says of itself is not of interest. */
static void drop(void *user, const char *format, ...) {
  (void)user;
  (void)format;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_of_the_parser),
      cmocka_unit_test(memory_for_messages),
  };
  if (xmlMemSetup(release, allocate, reallocate, duplicate) != 0) return 1;
  xmlSetGenericErrorFunc(NULL, drop);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
