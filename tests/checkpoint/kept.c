/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does it matter what classes keep from step to step? Runs a scene, saves its state, restores it
 * and takes from the objects of one class what the class keeps beside its fields, as if it were not
 * saved: the run should go on otherwise.
 *
 * usage: kept STEPS AT SCENE [CLASS,...]   not these classes
 * Prints "kept CLASS" for each class that keeps something else than after init, and "shown CLASS"
 * where its loss changes the run. */
#include "object/checkpoint.h"
#include "trial.h"

enum { MOST_CLASSES = 64, MOST_NAME = 128 };

typedef struct Names {
  char name[MOST_CLASSES][MOST_NAME];
  int n;
} Names;

static bool has(const Names *names, const char *name) {
  for (int i = 0; i < names->n; i++)
    if (strcmp(names->name[i], name) == 0) return true;
  return false;
}

static void add(Names *names, const char *name) {
  if (names->n < MOST_CLASSES && strlen(name) < MOST_NAME && !has(names, name))
    strcpy(names->name[names->n++], name);
}

/* ---- what objects keep ---- */

static SofaErr collect(SofaNode *root, SofaObjects *out) {
  SofaNodes nodes = {0};
  SofaContext *ctx = root->object.ctx;
  SofaErr err = sofa_node_order(root, &nodes);
  for (size_t i = 0; i < nodes.n && err == SOFA_OK; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n && err == SOFA_OK; k++) {
      SofaObject *object = nodes.data[i]->objects.data[k];
      if (!object->of_run && sofa_valid(object)) err = SOFA_APPEND(ctx, out, &object);
    }
  sofa_list_free(ctx, &nodes);
  return err;
}

static int by_address(const void *a, const void *b) {
  const uintptr_t p = (uintptr_t) * (SofaObject *const *)a,
                  q = (uintptr_t) * (SofaObject *const *)b;
  return (p > q) - (p < q);
}

/* What the objects keep, each in a text of its own. */
static SofaErr take(SofaContext *ctx, const SofaObjects *objects, SofaText *texts) {
  SofaCheckpointWriter w = {.ctx = ctx, .objects = objects};
  SofaErr err = sofa_list_copy(ctx, &w.sorted, objects, sizeof *objects->data);
  if (w.sorted.n) qsort(w.sorted.data, w.sorted.n, sizeof *w.sorted.data, by_address);
  for (size_t i = 0; i < w.sorted.n && err == SOFA_OK; i++) {
    uint32_t place = 0;
    while (objects->data[place] != w.sorted.data[i]) place++;
    err = SOFA_APPEND(ctx, &w.places, &place);
  }
  for (size_t i = 0; i < objects->n && err == SOFA_OK; i++) {
    w.bytes = (SofaText){0};
    w.err = SOFA_OK; // an object of the run is not among these
    sofa_checkpoint_put_hidden(&w, objects->data[i]);
    texts[i] = w.bytes;
  }
  sofa_list_free(ctx, &w.sorted);
  sofa_list_free(ctx, &w.places);
  return err;
}

static void free_texts(SofaContext *ctx, SofaText *texts, size_t n) {
  for (size_t i = 0; i < n; i++) sofa_list_free(ctx, &texts[i]);
  free(texts);
}

/* Gives the objects of a class what they kept after init. */
static SofaErr forget(SofaContext *ctx, const SofaObjects *objects, const SofaText *texts,
                      const char *klass) {
  for (size_t i = 0; i < objects->n; i++) {
    if (strcmp(objects->data[i]->klass->name, klass) != 0 || !texts[i].n) continue;
    SofaCheckpointReader from = {
        .ctx = ctx, .at = texts[i].data, .end = texts[i].data + texts[i].n, .objects = objects};
    SOFA_TRY(sofa_checkpoint_get_hidden(&from, objects->data[i]));
  }
  return SOFA_OK;
}

/* ---- runs ---- */

/* The whole run; the state after t->at steps, and the classes that keep something then. */
static SofaErr run_whole(Trial *t, Record *record, SofaText *state, Names *kept) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaObjects objects = {0};
  SofaText bytes = {0}, *before = NULL, *now = NULL;
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) err = collect(simulation->root, &objects);
  before = calloc(objects.n + 1, sizeof *before), now = calloc(objects.n + 1, sizeof *now);
  if (err == SOFA_OK) err = take(ctx, &objects, before);
  if (err == SOFA_OK) {
    run(simulation, 0, t->at, record);
    err = record->end;
  }
  if (err == SOFA_OK) err = keep(sofa_checkpoint_write(simulation, &bytes), &bytes, state);
  if (err == SOFA_OK) err = take(ctx, &objects, now);
  for (size_t i = 0; i < objects.n && err == SOFA_OK; i++)
    if (before[i].n != now[i].n || (now[i].n && memcmp(before[i].data, now[i].data, now[i].n) != 0))
      add(kept, objects.data[i]->klass->name);
  if (err == SOFA_OK) run(simulation, t->at, t->steps, record);
  if (err == SOFA_OK) err = print(ctx, simulation, &record->last);
  if (ctx) free_texts(ctx, before, objects.n), free_texts(ctx, now, objects.n);
  if (ctx) sofa_list_free(ctx, &objects), sofa_list_free(ctx, &bytes);
  end(&ctx, &simulation);
  return err;
}

static SofaErr run_without(Trial *t, const SofaText *state, const char *klass, Record *record) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaObjects objects = {0};
  SofaText *fresh = NULL;
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) err = collect(simulation->root, &objects);
  fresh = calloc(objects.n + 1, sizeof *fresh);
  if (err == SOFA_OK) err = take(ctx, &objects, fresh);
  if (err == SOFA_OK) err = sofa_checkpoint_read(simulation, "the state", state->data, state->n);
  if (err == SOFA_OK) err = forget(ctx, &objects, fresh, klass);
  if (err == SOFA_OK) run(simulation, t->at, t->steps, record);
  if (err == SOFA_OK) err = print(ctx, simulation, &record->last);
  if (ctx) free_texts(ctx, fresh, objects.n);
  if (ctx) sofa_list_free(ctx, &objects);
  end(&ctx, &simulation);
  return err;
}

/* Fields at the end, without what classes keep. */
static bool fields_differ(const char *a, const char *b) {
  const char *p, *q;
  size_t n, m;
  for (;; a++, b++) {
    while ((p = word(&a, &n)) != NULL) {
      q = word(&b, &m);
      if (!q) return true;
      const char *sign = memchr(p, '=', n);
      const bool same = n == m && memcmp(p, q, n) == 0;
      if (!same && (!sign || (*p != '(' && counts(p, (size_t)(sign - p))))) return true;
    }
    if (!*a || !*b) return *a || *b;
  }
}

static bool differ(const Trial *t, const Record *a, const Record *b) {
  for (int i = t->at; i <= a->n && i <= b->n; i++)
    if (a->sums[i] != b->sums[i]) return true;
  if (a->n != b->n || a->end != b->end) return true;
  return fields_differ(a->last.n ? a->last.data : "", b->last.n ? b->last.data : "");
}

static int try_scene(Trial *t, const char *without) {
  Record whole = {.n = 0};
  SofaText state = {0};
  Names kept = {.n = 0};
  const SofaErr err = run_whole(t, &whole, &state, &kept);
  for (int i = 0; i < kept.n && err == SOFA_OK; i++) {
    Record other = {.n = 0};
    char name[MOST_NAME + 2];
    snprintf(name, sizeof name, ",%s,", kept.name[i]);
    printf("kept %s\n", kept.name[i]);
    if (strstr(without, name)) continue;
    const SofaErr failed = run_without(t, &state, kept.name[i], &other);
    if (failed != SOFA_OK || differ(t, &whole, &other)) printf("shown %s\n", kept.name[i]);
    free(other.last.data);
  }
  free(state.data), free(whole.last.data);
  return 0;
}

int main(int argc, char **argv) {
  Trial trial = {.quirks = getenv("RESTART_QUIRKS")};
  trial.steps = argc > 1 ? atoi(argv[1]) : 0;
  trial.at = argc > 2 ? atoi(argv[2]) : 0;
  if (argc < 4 || trial.at < 1 || trial.steps <= trial.at || trial.steps > MOST_STEPS) {
    fprintf(stderr, "usage: kept STEPS AT SCENE [,CLASS,...,]\n");
    return 2;
  }
  trial.scene = argv[3];
  return try_scene(&trial, argc > 4 ? argv[4] : "");
}
