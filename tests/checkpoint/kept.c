/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Does it matter what classes keep from step to step? Runs a scene, saves its state, restores it
 * and takes from all objects what a class keeps beside its fields (rows, and what its functions
 * write; private lists are always saved), as if it were not saved: the run should go on otherwise.
 * What a class keeps and spares must not change the run.
 *
 * usage: kept STEPS AT ,CLASS,..., SCENE...   not these classes
 * Prints "kept CLASS" for each class that keeps something else than after init, else "idle CLASS";
 * "shown CLASS" where its loss changes the steps, the fields, the outputs or the messages; "spared
 * CLASS.MEMBER" for kept members that are spared, and "wrong CLASS.MEMBER" where one is shown.
 * After each scene: "scene PATH: done". */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/checkpoint.h"
#include "trial.h"

enum { MOST_PARTS = 256, MOST_NAME = 128 };

typedef struct Part {
  char name[MOST_NAME];
  bool spared, kept;
} Part;

typedef struct Parts {
  Part part[MOST_PARTS];
  int n;
} Parts;

/* A run, with all that comes out of it. */
typedef struct Result {
  Record record;
  uint64_t messages, outputs;
} Result;

/* ---- the parts ---- */

static bool is_spared(const SofaHiddenPart *part) {
  if (!part->member) return false;
  const size_t at = part->member->offset;
  for (size_t i = 0; i < part->klass->n_spared; i++) {
    const SofaSparedMember *m = &part->klass->spared[i];
    if (at >= m->offset && at < m->offset + m->size) return true;
  }
  return false;
}

/* What is lost together: all that the class keeps, but each spared member for itself. */
static void name_part(const SofaHiddenPart *part, char name[MOST_NAME]) {
  const bool alone = is_spared(part);
  snprintf(name, MOST_NAME, "%s%s%s", part->klass->name, alone ? "." : "",
           alone ? part->member->name : "");
}

static Part *find_part(Parts *parts, const SofaHiddenPart *part) {
  char name[MOST_NAME];
  name_part(part, name);
  for (int i = 0; i < parts->n; i++)
    if (strcmp(parts->part[i].name, name) == 0) return &parts->part[i];
  if (parts->n == MOST_PARTS) abort();
  Part *one = &parts->part[parts->n++];
  *one = (Part){.spared = is_spared(part)};
  memcpy(one->name, name, sizeof name);
  return one;
}

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

static size_t count_texts(const SofaObjects *objects) {
  size_t n = 0;
  for (size_t i = 0; i < objects->n; i++) n += sofa_checkpoint_n_hidden(objects->data[i]);
  return n;
}

/* What the objects keep, each part in a text of its own. */
static SofaErr take(SofaContext *ctx, const SofaObjects *objects, SofaText **out) {
  SofaCheckpointWriter w = {.ctx = ctx, .objects = objects};
  SofaText *text = *out = calloc(count_texts(objects) + 1, sizeof **out);
  SofaErr err = sofa_list_copy(ctx, &w.sorted, objects, sizeof *objects->data);
  if (w.sorted.n) qsort(w.sorted.data, w.sorted.n, sizeof *w.sorted.data, by_address);
  for (size_t i = 0; i < w.sorted.n && err == SOFA_OK; i++) {
    uint32_t place = 0;
    while (objects->data[place] != w.sorted.data[i]) place++;
    err = SOFA_APPEND(ctx, &w.places, &place);
  }
  for (size_t i = 0; i < objects->n && err == SOFA_OK; i++)
    for (size_t k = 0; k < sofa_checkpoint_n_hidden(objects->data[i]); k++) {
      const SofaHiddenPart part = sofa_checkpoint_hidden(objects->data[i], k);
      w.bytes = (SofaText){0};
      w.err = SOFA_OK; // an object of the run is not among these
      sofa_checkpoint_put_part(&w, objects->data[i], &part);
      *text++ = w.bytes;
    }
  sofa_list_free(ctx, &w.sorted);
  sofa_list_free(ctx, &w.places);
  return err;
}

static void free_texts(SofaContext *ctx, SofaText *texts, const SofaObjects *objects) {
  const size_t n = texts ? count_texts(objects) : 0;
  for (size_t i = 0; i < n; i++) sofa_list_free(ctx, &texts[i]);
  free(texts);
}

/* Notes the parts, and which of them are kept: other than before. */
static void note(Parts *parts, const SofaObjects *objects, const SofaText *before,
                 const SofaText *now) {
  for (size_t i = 0; i < objects->n; i++)
    for (size_t k = 0; k < sofa_checkpoint_n_hidden(objects->data[i]); k++, before++, now++) {
      const SofaHiddenPart part = sofa_checkpoint_hidden(objects->data[i], k);
      if (part.list) continue;
      Part *one = find_part(parts, &part);
      one->kept |= before->n != now->n || (now->n && memcmp(before->data, now->data, now->n) != 0);
    }
}

/* Gives the objects what they kept after init of a part. `name` NULL: of all spared ones. */
static SofaErr forget(SofaContext *ctx, const SofaObjects *objects, const SofaText *texts,
                      const char *name) {
  for (size_t i = 0; i < objects->n; i++)
    for (size_t k = 0; k < sofa_checkpoint_n_hidden(objects->data[i]); k++, texts++) {
      char here[MOST_NAME];
      const SofaHiddenPart part = sofa_checkpoint_hidden(objects->data[i], k);
      name_part(&part, here);
      if (part.list || !texts->n || (name ? strcmp(here, name) != 0 : !is_spared(&part))) continue;
      SofaCheckpointReader from = {
          .ctx = ctx, .at = texts->data, .end = texts->data + texts->n, .objects = objects};
      SOFA_TRY(sofa_checkpoint_get_part(&from, objects->data[i], &part));
    }
  return SOFA_OK;
}

/* ---- outputs ---- */

/* Adds the files of a folder to a sum, in any order, and removes it. */
static uint64_t sum_folder(const char *folder) {
  uint64_t sum = 0;
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
    char path[512];
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) abort();
    struct stat is;
    if (lstat(path, &is) == 0 && S_ISDIR(is.st_mode)) {
      sum += sum_folder(path);
      continue;
    }
    uint64_t one = sofa_checksum(SOFA_CHECKSUM_BEGIN, e->d_name, strlen(e->d_name));
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    for (size_t n; file && (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
      one = sofa_checksum(one, bytes, n);
    if (file) fclose(file);
    (void)remove(path);
    sum += one;
  }
  if (dir) closedir(dir);
  (void)rmdir(folder);
  return sum;
}

/* ---- runs ---- */

static void count_message(void *user, const SofaMessage *message) {
  uint64_t *sum = user;
  if (*sum) *sum = sofa_checksum(*sum, message->text, strlen(message->text));
}

/* The whole run; the state after t->at steps, and what is kept then. */
static SofaErr run_whole(Trial *t, Record *record, SofaText *state, Parts *parts) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaObjects objects = {0};
  SofaText bytes = {0}, *before = NULL, *now = NULL;
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) err = collect(simulation->root, &objects);
  if (err == SOFA_OK) err = take(ctx, &objects, &before);
  if (err == SOFA_OK) {
    run(simulation, 0, t->at, record);
    err = record->end;
  }
  if (err == SOFA_OK) err = keep(sofa_checkpoint_write(simulation, &bytes), &bytes, state);
  if (err == SOFA_OK) err = take(ctx, &objects, &now);
  if (err == SOFA_OK) note(parts, &objects, before, now);
  if (ctx) free_texts(ctx, before, &objects), free_texts(ctx, now, &objects);
  if (ctx) sofa_list_free(ctx, &objects), sofa_list_free(ctx, &bytes);
  end(&ctx, &simulation);
  return err;
}

/* The run from the state, without the part (see forget); "": with all. */
static SofaErr run_without(Trial *t, const SofaText *state, const char *name, Result *result) {
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaObjects objects = {0};
  SofaText *fresh = NULL;
  *result = (Result){.record = {.n = 0}};
  t->output_folder = "out";
  (void)mkdir(t->output_folder, 0777);
  t->sink = count_message;
  t->sink_user = &result->messages;
  SofaErr err = begin(t, &ctx, &simulation);
  if (err == SOFA_OK) err = collect(simulation->root, &objects);
  if (err == SOFA_OK) err = take(ctx, &objects, &fresh);
  if (err == SOFA_OK) err = sofa_checkpoint_read(simulation, "the state", state->data, state->n);
  if (err == SOFA_OK && (!name || *name)) err = forget(ctx, &objects, fresh, name);
  result->messages = SOFA_CHECKSUM_BEGIN;
  if (err == SOFA_OK) run(simulation, t->at, t->steps, &result->record);
  if (err == SOFA_OK) err = print(ctx, simulation, &result->record.last);
  if (ctx) free_texts(ctx, fresh, &objects);
  if (ctx) sofa_list_free(ctx, &objects);
  end(&ctx, &simulation);
  result->outputs = sum_folder(t->output_folder);
  t->output_folder = NULL;
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

static bool differ(const Trial *t, const Result *x, const Result *y) {
  const Record *a = &x->record, *b = &y->record;
  for (int i = t->at; i <= a->n && i <= b->n; i++)
    if (a->sums[i] != b->sums[i]) return true;
  if (a->n != b->n || a->end != b->end) return true;
  if (x->messages != y->messages || x->outputs != y->outputs) return true;
  return fields_differ(a->last.n ? a->last.data : "", b->last.n ? b->last.data : "");
}

/* Does the run change without the part? */
static bool matters(Trial *t, const SofaText *state, const Result *whole, const char *name) {
  Result other;
  const SofaErr err = run_without(t, state, name, &other);
  const bool changed = err == SOFA_OK && differ(t, whole, &other);
  free(other.record.last.data);
  return changed;
}

static void try_scene(Trial *t, const char *without) {
  Record record = {.n = 0};
  Result whole;
  SofaText state = {0};
  Parts *parts = calloc(1, sizeof *parts);
  if (!parts || run_whole(t, &record, &state, parts) != SOFA_OK ||
      run_without(t, &state, "", &whole) != SOFA_OK)
    goto done;
  if (matters(t, &state, &whole, "")) printf("unsteady %s\n", t->scene); // it has a clock
  bool any = false;
  for (int i = 0; i < parts->n; i++) {
    const Part *part = &parts->part[i];
    char name[MOST_NAME + 2];
    snprintf(name, sizeof name, ",%s,", part->name);
    if (part->spared) printf("spared %s\n", part->name);
    any |= part->spared;
    if (part->spared) continue;
    printf("%s %s\n", part->kept ? "kept" : "idle", part->name);
    if (!part->kept) continue;
    if (!strstr(without, name) && matters(t, &state, &whole, part->name))
      printf("shown %s\n", part->name);
  }
  if (any && matters(t, &state, &whole, NULL))
    for (int i = 0; i < parts->n; i++)
      if (parts->part[i].spared && matters(t, &state, &whole, parts->part[i].name))
        printf("wrong %s\n", parts->part[i].name);
  free(whole.record.last.data);
done:
  free(state.data);
  free(parts);
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 0, at = argc > 2 ? atoi(argv[2]) : 0;
  if (argc < 5 || at < 1 || steps <= at || steps > MOST_STEPS) {
    fprintf(stderr, "usage: kept STEPS AT ,CLASS.MEMBER,..., SCENE...\n");
    return 2;
  }
  for (int i = 4; i < argc; i++) {
    Trial trial = {.scene = argv[i], .steps = steps, .at = at, .quirks = getenv("RESTART_QUIRKS")};
    try_scene(&trial, argv[3]);
    printf("scene %s: done\n", trial.scene);
    fflush(stdout);
  }
  return 0;
}
