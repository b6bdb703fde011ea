/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scenes of all force fields without one of their objects, or one attribute of the force field:
 * no crash, no access of other memory, nothing lost, and the messages of broken_scenes.tsv. */
#include "tests/support/force_field_cases.h"
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <ctype.h>

enum { MOST_TEXT = 6000, MOST_ROWS = 2000, MOST_CASES = 3 }; /* in a row, of a class */

/* Messages that were found, each with its class: a row of the file. */
typedef struct Rows {
  char *row[MOST_ROWS];
  size_t n;
} Rows;

static void rows_add(Rows *rows, const char *klass, const char *message) {
  char row[1200];
  snprintf(row, sizeof row, "%s\t%s", klass, message);
  for (size_t i = 0; i < rows->n; i++)
    if (strcmp(rows->row[i], row) == 0) return;
  assert_true(rows->n < MOST_ROWS);
  rows->row[rows->n++] = strdup(row);
}

static void rows_free(Rows *rows) {
  for (size_t i = 0; i < rows->n; i++) free(rows->row[i]);
}

/* The text of a message behind the path or the place that it begins with. */
static const char *plain(const char *line) {
  const char *colon = strstr(line, ": ");
  return colon && memchr(line, ' ', (size_t)(colon - line)) == NULL ? colon + 2 : line;
}

static SofaForceField *force_field_of(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaForceField *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaForceField *found = force_field_of(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

/* The force at the positions of the states, where the object has all of them. */
static void use(const SceneRun *run, const char *klass) {
  SofaForceField *ff = force_field_of(run->simulation->root, klass);
  double *f[2] = {NULL, NULL};
  const double *x[2] = {NULL, NULL}, *v[2] = {NULL, NULL};
  if (!ff || !ff->n_states || !sofa_valid(&ff->object)) return;
  for (size_t k = 0; k < ff->n_states; k++)
    if (!ff->state[k]) return;
  for (size_t k = 0; k < ff->n_states; k++) {
    const SofaState *s = ff->state[k];
    f[k] = calloc(sofa_state_size(s) + 1, 6 * sizeof **f);
    x[k] = s->position.data;
    v[k] = s->velocity.data;
  }
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  const SofaPoint at = {.x = x, .v = v, .n = ff->n_states, .id = sofa_point_id(run->ctx)};
  (void)sofa_force_field_add_force(ff, &params, &at, f);
  free(f[0]), free(f[1]);
}

static void run_broken(const ForceFieldCase *c, const char *text, bool keep_going, Rows *rows) {
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.keep_going = keep_going};
  scene_run_context(&run, &options);
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) use(&run, c->klass);
  if (err != SOFA_OK && !run.n_problems) fail_msg("%s: an error without a message", c->klass);
  for (char *line = strtok(run.all, "\n"); line && !keep_going; line = strtok(NULL, "\n"))
    rows_add(rows, c->klass, plain(line));
  scene_run_close(&run);
}

static void run_without(const ForceFieldCase *c, const char *from, const char *to, Rows *rows) {
  char text[MOST_TEXT];
  const int before = (int)(from - c->scene);
  assert_true(snprintf(text, sizeof text, "%.*s%s", before, c->scene, to) < MOST_TEXT);
  run_broken(c, text, false, rows);
  run_broken(c, text, true, rows);
}

/* name='value' and the space before it, each in turn */
static void without_attributes(const ForceFieldCase *c, const char *at, const char *end,
                               Rows *rows) {
  while ((at = memchr(at, ' ', (size_t)(end - at)))) {
    const char *quote = memchr(at, '\'', (size_t)(end - at));
    const char *last = quote ? memchr(quote + 1, '\'', (size_t)(end - quote - 1)) : NULL;
    if (!last) break;
    run_without(c, at, last + 1, rows);
    at = last + 1;
  }
}

static void without_objects(const ForceFieldCase *c, Rows *rows) {
  const size_t length = strlen(c->klass);
  for (const char *at = c->scene; (at = strchr(at, '<')); at++) {
    const char *end = strstr(at, "/>"), *next = strchr(at + 1, '<');
    if (at[1] == '/' || !end || (next && next < end)) continue;
    if (strncmp(at, "<Default", 8) == 0 || strncmp(at, "<Required", 9) == 0) continue;
    run_without(c, at, end + 2, rows);
    if (strncmp(at + 1, c->klass, length) == 0 && !isalnum((unsigned char)at[1 + length]))
      without_attributes(c, at, end, rows);
  }
}

/* Rows of the file that were not found, and the other way round. */
static int compare(const Rows *found, char *text) {
  int changed = 0;
  bool *seen = calloc(found->n + 1, sizeof *seen);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
    size_t i = 0;
    while (i < found->n && strcmp(found->row[i], line) != 0) i++;
    if (i < found->n) seen[i] = true;
    else if (line[0] != '#') print_error("not found: %s\n", line), changed++;
  }
  for (size_t i = 0; i < found->n; i++)
    if (!seen[i]) print_error("new: %s\n", found->row[i]), changed++;
  free(seen);
  return changed;
}

/* A message that changes on purpose changes its row. */
static void messages_are_as_recorded(void **state) {
  static char text[400000];
  static Rows rows;
  (void)state;
  FILE *file = fopen("tests/unit/mechanics/broken_scenes.tsv", "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  for (size_t list = 0; list < COUNT(force_field_lists); list++)
    for (size_t i = 0, same = 0; i < force_field_list_sizes[list]; i++) {
      const ForceFieldCase *c = &force_field_lists[list][i];
      same = i && strcmp(c->klass, c[-1].klass) == 0 ? same + 1 : 0;
      if (same < MOST_CASES) without_objects(c, &rows);
    }
  const int changed = compare(&rows, text);
  rows_free(&rows);
  assert_int_equal(changed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages_are_as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
