/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs scenes, runs them again up to a step, saves their state, restores it in a simulation that is
 * loaded for it and goes on: positions and velocities must have the same bits at every step, and at
 * the end all fields of all objects and what their classes keep.
 *
 * usage: restart STEPS AT SCENE...; status 1 when a scene differs. A scene with an object whose
 * state cannot be saved is reported with its message and counts as refused. */
#include <sofa.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "components/builtins.h"
#include "scene/checkpoint.h"

enum { MOST_STEPS = 256 };

typedef struct Record {
  int begin, n; /* steps [begin, n] */
  SofaErr end;
  uint64_t sums[MOST_STEPS + 1];
  SofaText saved, last; /* lines of sofa_checkpoint_print at the save and at the end */
} Record;

typedef struct Trial {
  const char *scene;
  int steps, at;
  const char *quirks; /* words, "": all; NULL: none */
  char refusal[400];
} Trial;

static void keep_message(void *user, const SofaMessage *message) {
  Trial *t = user;
  if (getenv("RESTART_MESSAGES")) fprintf(stderr, "%s\n", message->text);
  if (message->severity >= SOFA_ERROR && !*t->refusal)
    snprintf(t->refusal, sizeof t->refusal, "%s: %s",
             message->origin.path ? message->origin.path : "", message->text);
}

static uint64_t sum_of(SofaSimulation *simulation) {
  SofaObjects states = {0};
  uint64_t sum = SOFA_CHECKSUM_BEGIN;
  if (sofa_simulation_states(simulation, &states) != SOFA_OK) return 0;
  for (size_t i = 0; i < states.n; i++) {
    const SofaState *state = (const SofaState *)states.data[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
    const SofaCoords *x = &state->position, *v = &state->velocity;
    sum = sofa_checksum(sum, x->data, x->n * kind->coord * sizeof(double));
    sum = sofa_checksum(sum, v->data, v->n * kind->deriv * sizeof(double));
  }
  sofa_list_free(simulation->ctx, &states);
  return sum;
}

static void run(SofaSimulation *simulation, int begin, int end, Record *record) {
  record->begin = record->n = begin;
  record->sums[begin] = sum_of(simulation);
  while (record->n < end) {
    record->end = sofa_simulation_step(simulation, 0);
    if (record->end != SOFA_OK) return;
    record->sums[++record->n] = sum_of(simulation);
  }
}

/* ---- comparison ---- */

/* The next word of a line, or NULL. */
static const char *word(const char **at, size_t *n) {
  while (**at == ' ') ++*at;
  const char *begin = *at;
  while (**at && **at != ' ' && **at != '\n') ++*at;
  *n = (size_t)(*at - begin);
  return *n ? begin : NULL;
}

/* Does the field belong to the state? Those below say how long and how often the program worked. */
static bool counts(const char *name, size_t n) {
  static const char *const others[] = {"iteration_times", "analyses", "factorizations"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strlen(others[i]) == n && memcmp(name, others[i], n) == 0) return false;
  return true;
}

/* Prints the fields that differ; returns how many. */
static int compare_line(const char *what, const char *a, const char *b) {
  size_t n, m;
  const char *klass = word(&a, &n), *path, *p, *q;
  const int klass_n = (int)n;
  if (!klass) return 0;
  path = word(&a, &n);
  const int path_n = path ? (int)n : 0;
  int differ = 0;
  for (int k = 0; k < 2; k++) (void)word(&b, &m);
  while ((p = word(&a, &n)) != NULL) {
    q = word(&b, &m);
    if (q && n == m && memcmp(p, q, n) == 0) continue;
    const char *end = memchr(p, '=', n);
    if (!end || !counts(p, (size_t)(end - p))) continue;
    printf("  %s: %.*s %.*s.%.*s\n", what, klass_n, klass, path_n, path ? path : "", (int)(end - p),
           p);
    differ++;
  }
  return differ;
}

static int compare_text(const char *what, const SofaText *a, const SofaText *b) {
  const char *p = a->n ? a->data : "", *q = b->n ? b->data : "";
  int differ = 0;
  while (*p && *q) {
    differ += compare_line(what, p, q);
    p = strchr(p, '\n') + 1;
    q = strchr(q, '\n') + 1;
  }
  if (*p || *q) {
    printf("  %s: the objects differ\n", what);
    differ++;
  }
  return differ;
}

static int compare(const Trial *t, const Record *a, const Record *b) {
  for (int i = b->begin; i <= a->n && i <= b->n; i++)
    if (a->sums[i] != b->sums[i]) {
      printf("%s: step %d differs\n", t->scene, i);
      (void)compare_text("restored", &a->saved, &b->saved);
      return 1;
    }
  if (a->n != b->n || a->end != b->end) {
    printf("%s: %d steps (%d), restored %d (%d)\n", t->scene, a->n, (int)a->end, b->n, (int)b->end);
    return 1;
  }
  const int differ = compare_text("restored", &a->saved, &b->saved) +
                     compare_text("at the end", &a->last, &b->last);
  if (!differ) return 0;
  printf("%s: values differ\n", t->scene);
  return 1;
}

/* ---- the three runs ---- */

static SofaErr begin(Trial *t, SofaContext **ctx, SofaSimulation **simulation) {
  const SofaContextOptions options = {.threads = 1,
                                      .keep_going = true,
                                      .quirks = t->quirks && !*t->quirks,
                                      .quirk_words = t->quirks,
                                      .discard_outputs = true,
                                      .sink = keep_message,
                                      .sink_user = t};
  SOFA_TRY(sofa_context_create_with_builtins(&options, ctx));
  SOFA_TRY(sofa_simulation_load(*ctx, t->scene, simulation));
  SOFA_TRY(sofa_simulation_init(*simulation));
  *t->refusal = 0;
  return SOFA_OK;
}

static void end(SofaContext **ctx, SofaSimulation **simulation) {
  sofa_simulation_destroy(simulation);
  sofa_context_destroy(ctx);
}

/* Texts outlive the context. */
static SofaErr keep(SofaErr err, SofaText *from, SofaText *to) {
  *to = (SofaText){0};
  if (err == SOFA_OK && from->n) {
    to->data = malloc(from->n + 1);
    if (!to->data) return SOFA_ERR_MEMORY;
    memcpy(to->data, from->data, from->n);
    to->data[from->n] = 0;
    to->n = from->n;
  }
  return err;
}

static SofaErr print(SofaContext *ctx, SofaSimulation *simulation, SofaText *to) {
  SofaText text = {0};
  const SofaErr err = keep(sofa_checkpoint_print(simulation, &text), &text, to);
  sofa_list_free(ctx, &text);
  return err;
}

static SofaErr run_whole(Trial *t, Record *record) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) {
    run(simulation, 0, t->steps, record);
    err = print(ctx, simulation, &record->last);
  }
  end(&ctx, &simulation);
  return err;
}

static SofaErr run_first(Trial *t, SofaText *state, SofaText *saved) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaText bytes = {0};
  Record unused = {.n = 0};
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) {
    run(simulation, 0, t->at, &unused);
    err = keep(sofa_checkpoint_write(simulation, &bytes), &bytes, state);
    sofa_list_free(ctx, &bytes);
    if (err == SOFA_OK) err = print(ctx, simulation, saved);
  }
  end(&ctx, &simulation);
  return err;
}

static SofaErr run_second(Trial *t, const SofaText *state, Record *record) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) {
    err = sofa_checkpoint_read(simulation, "the state", state->data, state->n);
    if (err == SOFA_OK) err = print(ctx, simulation, &record->saved);
    if (err == SOFA_OK) run(simulation, t->at, t->steps, record);
    if (err == SOFA_OK) err = print(ctx, simulation, &record->last);
  }
  end(&ctx, &simulation);
  return err;
}

/* 0: the same; 1: differs; 2: refused; -1: it cannot be run. */
static int try_scene(Trial *t) {
  Record whole = {.n = 0}, second = {.n = 0};
  SofaText state = {0};
  int result = -1;
  if (run_whole(t, &whole) != SOFA_OK) goto done;
  if (t->at > whole.n) t->at = whole.n;
  SofaErr err = run_first(t, &state, &whole.saved);
  if (err == SOFA_ERR_UNSUPPORTED) {
    printf("%s: refused: %s\n", t->scene, t->refusal);
    result = 2;
  } else if (err != SOFA_OK || (err = run_second(t, &state, &second)) != SOFA_OK) {
    printf("%s: fails: %s: %s\n", t->scene, sofa_err_text(err), t->refusal);
    result = 1;
  } else {
    result = compare(t, &whole, &second);
  }
done:
  free(state.data);
  free(whole.saved.data), free(whole.last.data);
  free(second.saved.data), free(second.last.data);
  return result;
}

int main(int argc, char **argv) {
  Trial trial = {.quirks = getenv("RESTART_QUIRKS")};
  int count[4] = {0};
  trial.steps = argc > 1 ? atoi(argv[1]) : 0;
  const int at = argc > 2 ? atoi(argv[2]) : 0;
  if (argc < 4 || at < 1 || trial.steps <= at || trial.steps > MOST_STEPS) {
    fprintf(stderr, "usage: restart STEPS AT SCENE..., at most %d steps\n", MOST_STEPS);
    return 2;
  }
  for (int i = 3; i < argc; i++) {
    trial.scene = argv[i];
    trial.at = at;
    count[try_scene(&trial) + 1]++;
    fflush(stdout);
  }
  printf("%d scenes the same, %d differ, %d refused, %d not run\n", count[1], count[2], count[3],
         count[0]);
  return count[2] > 0 || count[1] + count[3] == 0;
}
