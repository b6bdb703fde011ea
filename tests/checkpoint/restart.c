/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs scenes, runs them again up to a step, saves their state, restores it in a simulation that is
 * loaded for it and goes on: positions and velocities must have the same bits at every step, and at
 * the end all fields of all objects and what their classes keep. A state saved at the end has the
 * same bytes.
 *
 * usage: restart STEPS AT SCENE...; status 1 when a scene differs. A scene with an object whose
 * state cannot be saved is reported with its message and counts as refused. After each scene:
 * "scene PATH: RESULT". */
#include "trial.h"

/* ---- comparison ---- */

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

static bool same_text(const SofaText *a, const SofaText *b) {
  return a->n == b->n && (!a->n || memcmp(a->data, b->data, a->n) == 0);
}

/* In these scenes a restored run makes an output anew, which its counter tells: modes, stresses for
 * pictures, the sizes of a hierarchy, the places of hinges. */
static bool counts_again(const char *scene) {
  static const char *const scenes[] = {"/ModesAnimationLoop.scn", "/demo/hook.scn",
                                       "/AggregationMultigridPreconditioner.scn",
                                       "/ArticulatedSystemMapping.scn"};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    const size_t n = strlen(scene), m = strlen(scenes[i]);
    if (n >= m && strcmp(scene + n - m, scenes[i]) == 0) return true;
  }
  return false;
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
  int differ = compare_text("restored", &a->saved, &b->saved) +
               compare_text("at the end", &a->last, &b->last);
  // values that do not count (times, counts of work) are saved, too
  if (same_text(&a->last, &b->last) && !counts_again(t->scene) &&
      !same_text(&a->state, &b->state)) {
    printf("  at the end: the saved states differ\n");
    differ++;
  }
  if (!differ) return 0;
  printf("%s: values differ\n", t->scene);
  return 1;
}

/* ---- the three runs ---- */

static SofaErr save(SofaContext *ctx, SofaSimulation *simulation, SofaText *to) {
  SofaText bytes = {0};
  const SofaErr err = keep(sofa_checkpoint_write(simulation, &bytes), &bytes, to);
  sofa_list_free(ctx, &bytes);
  return err;
}

static SofaErr run_whole(Trial *t, Record *record) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) {
    run(simulation, 0, t->steps, record);
    err = print(ctx, simulation, &record->last);
    if (err == SOFA_OK) (void)save(ctx, simulation, &record->state);
  }
  end(&ctx, &simulation);
  return err;
}

static SofaErr run_first(Trial *t, SofaText *state, SofaText *saved) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  Record unused = {.n = 0};
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) {
    run(simulation, 0, t->at, &unused);
    err = save(ctx, simulation, state);
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
    if (err == SOFA_OK) (void)save(ctx, simulation, &record->state);
  }
  end(&ctx, &simulation);
  return err;
}

typedef enum Result { NOT_RUN, SAME, DIFFERS, REFUSED, N_RESULTS } Result;
static const char *const results[N_RESULTS] = {"not run", "same", "differs", "refused"};

static Result try_scene(Trial *t) {
  Record whole = {.n = 0}, second = {.n = 0};
  SofaText state = {0};
  Result result = NOT_RUN;
  if (run_whole(t, &whole) != SOFA_OK) goto done;
  if (t->at > whole.n) t->at = whole.n;
  SofaErr err = run_first(t, &state, &whole.saved);
  if (err == SOFA_ERR_UNSUPPORTED) {
    printf("%s: refused: %s\n", t->scene, t->refusal);
    result = REFUSED;
  } else if (err != SOFA_OK || (err = run_second(t, &state, &second)) != SOFA_OK) {
    printf("%s: fails: %s: %s\n", t->scene, sofa_err_text(err), t->refusal);
    result = DIFFERS;
  } else {
    result = compare(t, &whole, &second) ? DIFFERS : SAME;
  }
done:
  free(state.data);
  free(whole.saved.data), free(whole.last.data), free(whole.state.data);
  free(second.saved.data), free(second.last.data), free(second.state.data);
  return result;
}

int main(int argc, char **argv) {
  Trial trial = {.quirks = getenv("RESTART_QUIRKS")};
  int count[N_RESULTS] = {0};
  trial.steps = argc > 1 ? atoi(argv[1]) : 0;
  const int at = argc > 2 ? atoi(argv[2]) : 0;
  if (argc < 4 || at < 1 || trial.steps <= at || trial.steps > MOST_STEPS) {
    fprintf(stderr, "usage: restart STEPS AT SCENE..., at most %d steps\n", MOST_STEPS);
    return 2;
  }
  for (int i = 3; i < argc; i++) {
    trial.scene = argv[i];
    trial.at = at;
    const Result result = try_scene(&trial);
    printf("scene %s: %s\n", trial.scene, results[result]);
    count[result]++;
    fflush(stdout);
  }
  return count[DIFFERS] > 0 || count[SAME] + count[REFUSED] == 0;
}
