/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the check of an initialised scene reports: each rule by a scene that breaks it and by
 * similar scenes that do not, with all the messages that come: ready.txt. */
#include "scene_test.h"

#include "components/builtins.h"
#include "scene/builder.h"

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

static void reports_what_the_file_says(void **state) {
  static char text[200000], found[sizeof((Bench *)0)->messages];
  static Bench b;
  Part part;
  int n = 0, failed = 0;
  (void)state;
  FILE *file = fopen("tests/unit/scene/ready.txt", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  for (char *at = text; (at = next(at, &part)); n++) {
    run(&part, &b);
    char *end = strstr(at, "\n## "); // of the messages
    const size_t length = end ? (size_t)(end - part.messages + 1) : strlen(part.messages);
    snprintf(found, sizeof found, "%.*s", (int)length, part.messages);
    if (strcmp(b.messages, found) != 0) {
      print_error("%s:\n%sexpected\n%s", part.what, b.messages, found);
      failed++;
    }
    bench_close(&b);
  }
  assert_true(n > 100);
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reports_what_the_file_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
