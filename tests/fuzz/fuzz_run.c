/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: a scene is loaded, initialised, stepped, reset and stepped again; never a crash, a
 * leak of the context's memory or a hang.
 *
 * usage: fuzz_run [--starve] [--seconds S] [--count N] [--first K] [--keep FOLDER] FILE|FOLDER...
 *
 * Runs the scenes as they are, then changed ones (mutate_scene.h), the same ones in every run:
 * input K is scene K mod n. A child process runs them; an input that ends it is kept as
 * FOLDER/K.scn, and the next child goes on behind it. Status 1 when an input failed.
 *
 * --starve: the scenes are not changed, and one of the requests for memory of each run fails, or
 * all from it on: which one follows from K. */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#include "base/files.h"
#include "base/profiler.h"
#include "components/builtins.h"
#include "mutate_scene.h"
#include "scene/builder.h"
#include "scene/description.h"

enum { SECONDS_EACH = 20, STEPS = 3, MAX_SCENES = 2000, MOST_FAILURES = 50, LEAK = 99 };

/* ---- one scene ---- */

typedef struct Memory {
  size_t blocks;   /* not freed yet */
  uint64_t calls;  /* requests so far */
  uint64_t failed; /* number of the request that fails, from 1; 0: none */
  bool all;        /* those behind it fail, too */
} Memory;

static bool fails(Memory *memory) {
  memory->calls++;
  if (!memory->failed) return false;
  return memory->all ? memory->calls >= memory->failed : memory->calls == memory->failed;
}

static void *count_blocks(void *user, void *block, size_t size) {
  Memory *memory = user;
  if (size && fails(memory)) return NULL;
  void *result = fuzz_allocate(NULL, block, size);
  if (block && !size) memory->blocks--;
  if (!block && result) memory->blocks++;
  return result;
}

static void step(SofaSimulation *simulation) {
  for (int i = 0; i < STEPS; i++)
    if (sofa_simulation_step(simulation, 0) != SOFA_OK) return;
}

static void run(SofaContext *ctx, const char *folder, const char *text, size_t size) {
  SofaSimulation *simulation = NULL;
  SofaDescription description = {0};
  if (sofa_register_builtins(ctx) == SOFA_OK &&
      sofa_description_read_text(ctx, "scene.scn", folder, text, size, &description) == SOFA_OK &&
      sofa_simulation_create(ctx, &simulation) == SOFA_OK &&
      sofa_scene_build(simulation, &description) == SOFA_OK) {
    (void)sofa_scene_check(simulation);
    if (sofa_simulation_init(simulation) == SOFA_OK) {
      step(simulation);
      if (sofa_simulation_reset(simulation) == SOFA_OK) step(simulation);
      (void)sofa_simulation_finish(simulation);
    }
  }
  sofa_simulation_destroy(&simulation);
  sofa_description_free(ctx, &description);
}

static SofaContext *make_context(Memory *memory, size_t *said) {
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {.allocate = memory ? count_blocks : fuzz_allocate,
                                      .allocate_user = memory,
                                      .sink = fuzz_sink,
                                      .sink_user = said,
                                      .sandbox = true,
                                      .keep_going = true};
  return sofa_context_create(&options, &ctx) == SOFA_OK ? ctx : NULL;
}

/* Afterwards memory->blocks are those of the context that were not freed. */
static void run_scene(const char *folder, const char *text, size_t size, Memory *memory) {
  size_t said = 0;
  SofaContext *ctx = make_context(memory, &said);
  char *copy = fuzz_copy((const uint8_t *)text, size);
  if (ctx && copy) run(ctx, folder, copy, size);
  free(copy);
  sofa_context_destroy(&ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  Memory memory = {0};
  run_scene(NULL, (const char *)bytes, size, &memory);
  if (memory.blocks) abort();
  return 0;
}

#ifndef FUZZ_LIBFUZZER

/* ---- many scenes ---- */

typedef struct Fuzz {
  SofaContext *ctx; /* of the tables of classes */
  char *paths[MAX_SCENES];
  size_t n;
  uint64_t first, count;  /* inputs; the first n are the scenes as they are */
  double end;             /* when to stop; 0: after `count` */
  bool starve;            /* requests for memory fail, in place of changes of scenes */
  char *keep;             /* folder of the inputs that fail, or NULL */
  volatile uint64_t *now; /* input being run, shared with the child */
} Fuzz;

static Fuzz *walking; /* nftw hands nothing on */

static int add_path(const char *path, const struct stat *info, int kind, struct FTW *at) {
  const char *extension = sofa_path_extension(path);
  (void)info, (void)at;
  if (kind == FTW_F && walking->n < MAX_SCENES &&
      (strcmp(extension, "scn") == 0 || strcmp(extension, "xml") == 0))
    walking->paths[walking->n++] = realpath(path, NULL);
  return 0;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The text of input k; freed with free. */
static char *input(const Fuzz *f, uint64_t k, size_t *size) {
  char *text = NULL, *out = NULL;
  if (sofa_read_file(f->ctx, f->paths[k % f->n], 0, &text, size) != SOFA_OK) return NULL;
  if (k < f->n || f->starve) out = fuzz_copy((const uint8_t *)text, *size);
  else out = mutate_scene(f->ctx, text, *size, k, size);
  sofa_free(f->ctx, text);
  return out;
}

/* Which request fails in input k, of those of a run without failures. */
static Memory starved(const Fuzz *f, uint64_t k, uint64_t calls) {
  Memory memory = {0};
  if (!f->starve || k < f->n) return memory;
  memory.failed = 1 + k / f->n * UINT64_C(0x9e3779b97f4a7c15) % (calls ? calls : 1);
  memory.all = k / f->n % 2;
  return memory;
}

static size_t run_input(const Fuzz *f, uint64_t k) {
  size_t size = 0;
  char *text = input(f, k, &size), *folder = sofa_path_folder(f->ctx, f->paths[k % f->n]);
  const struct itimerval limit = {.it_value = {SECONDS_EACH, 0}}, none = {{0, 0}, {0, 0}};
  Memory whole = {0}, memory = {0};
  setitimer(ITIMER_PROF, &limit, NULL);
  if (text && f->starve) run_scene(folder, text, size, &whole);
  memory = starved(f, k, whole.calls);
  if (text) run_scene(folder, text, size, &memory);
  setitimer(ITIMER_PROF, &none, NULL);
  sofa_free(f->ctx, folder);
  free(text);
  return memory.blocks;
}

static bool is_over(const Fuzz *f, uint64_t k) {
  return f->end > 0 ? sofa_now() > f->end : k >= f->first + f->count;
}

static void child(const Fuzz *f, uint64_t k) {
  for (; !is_over(f, k); k++) {
    *f->now = k;
    if (run_input(f, k)) _exit(LEAK);
  }
  *f->now = k;
  exit(0);
}

static void keep(const Fuzz *f, uint64_t k, int status) {
  char path[4096];
  size_t size = 0;
  const char *what = WIFSIGNALED(status)           ? strsignal(WTERMSIG(status))
                     : WEXITSTATUS(status) == LEAK ? "memory of the context is not freed"
                                                   : "the process ended";
  printf("input %llu of %s: %s\n", (unsigned long long)k, f->paths[k % f->n], what);
  char *text = f->keep ? input(f, k, &size) : NULL;
  if (!text) return;
  snprintf(path, sizeof path, "%s/%llu.scn", f->keep, (unsigned long long)k);
  FILE *out = fopen(path, "w");
  if (out) fwrite(text, 1, size, out);
  if (out) fclose(out);
  free(text);
}

static int run_all(Fuzz *f) {
  int failures = 0;
  uint64_t k = f->first;
  while (!is_over(f, k) && failures < MOST_FAILURES) {
    int status = 0;
    fflush(stdout);
    const pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) child(f, k);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    k = *f->now;
    if (status == 0) break;
    keep(f, k++, status);
    failures++;
  }
  printf("%llu inputs of %zu scenes, %d failed\n", (unsigned long long)(k - f->first), f->n,
         failures);
  return failures > 0;
}

static bool take(Fuzz *f, int argc, char **argv) {
  walking = f;
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "0";
    if (strcmp(argv[i], "--seconds") == 0) f->end = sofa_now() + atof(value), i++;
    else if (strcmp(argv[i], "--count") == 0) f->count = strtoull(value, NULL, 10), i++;
    else if (strcmp(argv[i], "--first") == 0) f->first = strtoull(value, NULL, 10), i++;
    else if (strcmp(argv[i], "--starve") == 0) f->starve = true;
    else if (strcmp(argv[i], "--keep") == 0) f->keep = realpath(value, NULL), i++;
    else nftw(argv[i], add_path, 16, FTW_PHYS);
  }
  qsort(f->paths, f->n, sizeof *f->paths, by_text);
  return f->n > 0;
}

static int remove_path(const char *path, const struct stat *s, int type, struct FTW *ftw) {
  (void)s, (void)type, (void)ftw;
  return remove(path);
}

int main(int argc, char **argv) {
  char folder[] = "/tmp/csofa_fuzz_XXXXXX";
  size_t said = 0;
  Fuzz f = {.count = 1000};
  f.ctx = make_context(NULL, &said);
  f.now = mmap(NULL, sizeof *f.now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!f.ctx || f.now == MAP_FAILED || sofa_register_builtins(f.ctx) != SOFA_OK) return 2;
  if (!take(&f, argc, argv) || !mkdtemp(folder) || chdir(folder) != 0) {
    fprintf(stderr,
            "usage: fuzz_run [--starve] [--seconds S] [--count N] [--first K] [--keep FOLDER] "
            "FILE|FOLDER...\n");
    return 2;
  }
  const int status = run_all(&f);
  if (chdir("/") == 0) nftw(folder, remove_path, 16, FTW_DEPTH | FTW_PHYS);
  for (size_t i = 0; i < f.n; i++) free(f.paths[i]);
  free(f.keep);
  sofa_context_destroy(&f.ctx);
  return status;
}

#endif
