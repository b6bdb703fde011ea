/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the check of an initialised scene reports: each rule by a scene that breaks it and by
 * similar scenes that do not, with all the messages that come: ready.txt. */
#include "scene_test.h"

#include "components/builtins.h"
#include "scene/builder.h"
#include "scene/save.h"

typedef struct Part {
  const char *what;
  char *scene, *messages;
} Part;

/* The messages of the check of the initialised scene alone. */
static void run(const Part *part, Bench *b) {
  SofaSimulation *s = NULL;
  const bool keep_going = strstr(part->what, "(keep going)") != NULL;
  bench_open(b, keep_going);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  SofaErr err = sofa_simulation_load(b->ctx, bench_file(b, "s", part->scene), &s);
  if (err == SOFA_OK) err = sofa_simulation_init(s);
  if (err != SOFA_OK && !keep_going) fail_msg("%s: %s", part->what, b->messages);
  bench_clear(b);
  assert_int_equal(sofa_scene_check_ready(s), SOFA_OK);
  sofa_simulation_destroy(&s);
}

/* The messages of loading and of the check, then the scene as it would be saved. */
static void run_loading(const Part *part, Bench *b) {
  SofaSimulation *s = NULL;
  SofaText text = {0};
  bench_open(b, true);
  assert_int_equal(sofa_register_builtins(b->ctx), SOFA_OK);
  SofaErr err = sofa_simulation_load(b->ctx, bench_file(b, "s", part->scene), &s);
  if (err == SOFA_OK) err = sofa_scene_check(s);
  if (err == SOFA_OK) err = sofa_scene_print(s, &text);
  b->n += (size_t)snprintf(b->messages + b->n, sizeof b->messages - b->n, "%s\n%s",
                           sofa_err_text(err), text.n ? text.data : "");
  assert_true(b->n < sizeof b->messages);
  sofa_list_free(b->ctx, &text);
  sofa_simulation_destroy(&s);
}

/* Cuts the next part out of a text; NULL: there is none. */
static char *next(char *text, Part *out) {
  static char head[] = "\n## ", middle[] = "\nmessages\n";
  char *what = strstr(text, head);
  if (!what) return NULL;
  out->what = what + sizeof head - 1;
  char *line = strchr(out->what, '\n'), *end = strstr(line, middle);
  assert_non_null(end);
  *line = *end = 0;
  out->scene = line + 1;
  out->messages = end + sizeof middle - 1;
  return end + sizeof middle - 2;
}

/* The loops behind all other objects instead of before them: then the first object is one that is
 * checked. */
static bool put_loops_last(const char *scene, char out[4000]) {
  static const char loops[] = "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>";
  const char *at = strstr(scene, loops), *end = NULL;
  for (const char *next = scene; (next = strstr(next, "</Node>")); next++) end = next;
  if (!at || !end || strstr(at + 1, loops)) return false;
  assert_true(strlen(scene) < 4000);
  snprintf(out, 4000, "%.*s%.*s%s%s", (int)(at - scene), scene,
           (int)(end - at - (ptrdiff_t)strlen(loops)), at + strlen(loops), loops, end);
  return true;
}

static void run_both(const Part *part, Bench *b) {
  static char scene[4000];
  static Bench other;
  run(part, b);
  if (!put_loops_last(part->scene, scene)) return;
  run(&(Part){.what = part->what, .scene = scene}, &other);
  if (strcmp(other.messages, b->messages) != 0)
    fail_msg("%s:\n%sotherwise\n%s", scene, other.messages, b->messages);
  bench_close(&other);
}

static int run_file(const char *name, void (*run_part)(const Part *, Bench *), int *n) {
  static char text[200000], found[sizeof((Bench *)0)->messages];
  static Bench b;
  const char *record = getenv("CSOFA_RECORD");
  char path[300];
  Part part;
  int failed = 0;
  snprintf(path, sizeof path, "tests/unit/scene/%s", name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  snprintf(path, sizeof path, "%s/%s", record ? record : "", name);
  FILE *out = record ? fopen(path, "w") : NULL;
  if (out) fprintf(out, "%.*s\n", (int)(strstr(text, "\n## ") - text), text);
  for (char *at = text; (at = next(at, &part)); ++*n) {
    run_part(&part, &b);
    char *end = strstr(at, "\n## "); // of the messages
    const size_t length = end ? (size_t)(end - part.messages + 1) : strlen(part.messages);
    snprintf(found, sizeof found, "%.*s", (int)length, part.messages);
    if (out) fprintf(out, "## %s\n%s\nmessages\n%s", part.what, part.scene, b.messages);
    if (strcmp(b.messages, found) != 0) {
      print_error("%s:\n%sexpected\n%s", part.what, b.messages, found);
      failed++;
    }
    bench_close(&b);
  }
  if (out) fclose(out);
  return failed;
}

static void checks_of_initialised_scenes(void **state) {
  int n = 0;
  (void)state;
  assert_int_equal(run_file("ready.txt", run_both, &n), 0);
  assert_true(n > 100);
}

static void loading(void **state) {
  int n = 0;
  (void)state;
  assert_int_equal(run_file("load.txt", run_loading, &n), 0);
  assert_true(n > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(checks_of_initialised_scenes),
                                     cmocka_unit_test(loading)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
