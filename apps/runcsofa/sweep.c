/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the variants of a sweep in processes of their own. */
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/output.h"
#include "run.h"
#include "sweep_impl.h"

static const SofaOrigin program = {.emitter = "runcsofa"};

/* ---- one variant in this process ---- */

static SofaErr add_setting(const Sweep *sweep, size_t index, SweepVariant *v) {
  const Variants *all = &sweep->variants;
  const size_t at = (sweep->options->sweep_only - 1) * all->n_settings + index;
  char *text = sofa_format(sweep->ctx, "%s=%s", all->names[index], all->values[at]);
  if (!text) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(sweep->ctx, &v->texts, &text);
  if (err != SOFA_OK) sofa_free(sweep->ctx, text);
  return err;
}

/* The settings of the command line, then those of the variant. */
static SofaErr join_settings(const Sweep *sweep, SweepVariant *v) {
  const RunWords *given = &sweep->options->set;
  for (size_t i = 0; i < sweep->variants.n_settings; i++) SOFA_TRY(add_setting(sweep, i, v));
  const size_t n = given->n + v->texts.n;
  RunWords joined = {.data = sofa_alloc(sweep->ctx, n, sizeof *joined.data), .n = n};
  if (!joined.data) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    joined.data[i] = i < given->n ? given->data[i] : v->texts.data[i - given->n];
  v->options.set = joined;
  return SOFA_OK;
}

SofaErr sweep_open_variant(SofaContext *ctx, const RunOptions *options, SweepVariant *out) {
  Sweep sweep;
  *out = (SweepVariant){.options = *options};
  out->options.set = (RunWords){0};
  out->options.gui = GUI_BATCH;
  SofaErr err = sweep_open(ctx, options, &sweep);
  if (err == SOFA_OK && options->sweep_only > sweep.variants.n)
    err = sofa_fail(ctx, SOFA_ERR_ARGUMENT, &program, "--sweep-only %llu: there are %zu variants",
                    (unsigned long long)options->sweep_only, sweep.variants.n);
  if (err == SOFA_OK) err = join_settings(&sweep, out);
  char *folder = err == SOFA_OK ? sweep_folder(&sweep, options->sweep_only) : NULL;
  if (folder) err = SOFA_APPEND(ctx, &out->texts, &folder);
  out->options.out = folder;
  if (err == SOFA_OK && !folder) err = SOFA_ERR_MEMORY;
  sweep_close(&sweep);
  return err;
}

SofaErr sweep_mark(SofaContext *ctx, const RunOptions *options, const SweepVariant *variant,
                   int status) {
  Sweep sweep;
  SofaErr err = sweep_open(ctx, options, &sweep);
  if (err == SOFA_OK) err = sweep_write_mark(&sweep, options->sweep_only, status, &variant->inputs);
  sweep_close(&sweep);
  return err;
}

void sweep_free_variant(SofaContext *ctx, SweepVariant *v) {
  sofa_free(ctx, (void *)(uintptr_t)v->options.set.data);
  for (size_t i = 0; i < v->texts.n; i++) sofa_free(ctx, v->texts.data[i]);
  sofa_list_free(ctx, &v->texts);
  sofa_list_free(ctx, &v->inputs);
}

/* ---- processes ---- */

typedef struct Worker {
  pid_t process; /* 0: free */
  size_t variant;
} Worker;

typedef struct Runner {
  Sweep sweep;
  Worker *workers;
  size_t n_workers, n_running, n_done, n_failed, next;
  Progress *progress;
  SofaText failed; /* numbers of the variants */
} Runner;

static size_t n_workers(const RunOptions *o) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (o->jobs) return o->jobs;
  const size_t n = processors > 0 ? (size_t)processors / (size_t)o->threads : 1;
  return n > 0 ? n : 1;
}

/* The child: the same command with the number of the variant; its messages go to a file. */
static _Noreturn void become_variant(const Runner *r, size_t variant, const char *log) {
  const RunOptions *o = r->sweep.options;
  char number[32];
  char **argv = calloc((size_t)o->argc + 3, sizeof *argv);
  // it ends with the sweep, however that ends
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (!argv || fd < 0 || nothing < 0) _exit(EXIT_SCENE); // without a mark it counts as failed
  dup2(nothing, STDIN_FILENO);
  dup2(fd, STDOUT_FILENO);
  dup2(fd, STDERR_FILENO);
  snprintf(number, sizeof number, "%zu", variant);
  argv[0] = o->argv[0];
  argv[1] = "--sweep-only";
  argv[2] = number;
  for (int i = 1; i < o->argc; i++) argv[i + 2] = o->argv[i];
  execv("/proc/self/exe", argv);
  _exit(EXIT_SCENE);
}

static SofaErr start(Runner *r, size_t variant) {
  SofaContext *ctx = r->sweep.ctx;
  Worker *worker = r->workers;
  while (worker->process) worker++;
  char *folder = sweep_folder(&r->sweep, variant);
  char *log = folder ? sofa_path_join(ctx, folder, "log.txt") : NULL;
  SofaErr err = log ? sofa_make_folder(ctx, folder) : SOFA_ERR_MEMORY;
  fflush(NULL);
  const pid_t process = err == SOFA_OK ? fork() : 0;
  if (err == SOFA_OK && process == 0) become_variant(r, variant, log);
  if (process < 0) err = sofa_fail(ctx, SOFA_ERR_IO, &program, "fork: %s", strerror(errno));
  if (process > 0) {
    *worker = (Worker){process, variant};
    r->n_running++;
  }
  sofa_free(ctx, log);
  sofa_free(ctx, folder);
  return err;
}

static SofaErr note_failure(Runner *r, size_t variant) {
  r->n_failed++;
  return sofa_text_printf(r->sweep.ctx, &r->failed, "%s%zu", r->failed.n ? ", " : "", variant);
}

/* What became of the process of a variant. One that crashed has left no mark. */
static SofaErr finish(Runner *r, Worker *worker, int how) {
  bool finished = false;
  int status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  const size_t variant = worker->variant;
  worker->process = 0;
  r->n_running--;
  SOFA_TRY(sweep_read_mark(&r->sweep, variant, &finished, &status));
  // interrupted ones are run again
  if (!finished && run_was_stopped()) return SOFA_OK;
  if (!finished) SOFA_TRY(sweep_write_mark(&r->sweep, variant, status ? status : EXIT_SCENE, NULL));
  r->n_done++;
  progress_update(r->progress, r->n_done);
  return finished && status == 0 ? SOFA_OK : note_failure(r, variant);
}

static void stop_workers(const Runner *r) {
  for (size_t i = 0; i < r->n_workers; i++)
    if (r->workers[i].process) kill(r->workers[i].process, SIGTERM);
}

/* Waits until a process has ended. */
static SofaErr wait_for_one(Runner *r) {
  int how = 0;
  bool stopped = false;
  for (;;) {
    const pid_t process = waitpid(-1, &how, 0);
    for (size_t i = 0; i < r->n_workers && process > 0; i++)
      if (r->workers[i].process == process) return finish(r, &r->workers[i], how);
    if (process < 0 && errno != EINTR) return SOFA_ERR_IO;
    if (run_was_stopped() && !stopped) stop_workers(r);
    stopped = run_was_stopped();
  }
}

/* The next variant that is not finished; 0: none. */
static SofaErr next_variant(Runner *r, size_t *variant) {
  *variant = 0;
  while (*variant == 0 && r->next < r->sweep.variants.n) {
    bool finished = false;
    int status = 0;
    SOFA_TRY(sweep_read_mark(&r->sweep, ++r->next, &finished, &status));
    if (!finished) *variant = r->next;
    else r->n_done++;
    if (finished && status) SOFA_TRY(note_failure(r, r->next));
  }
  return SOFA_OK;
}

static SofaErr run_all(Runner *r) {
  size_t variant = 0;
  for (;;) {
    while (!run_was_stopped() && r->n_running < r->n_workers) {
      SOFA_TRY(next_variant(r, &variant));
      if (!variant) break;
      SOFA_TRY(start(r, variant));
    }
    if (r->n_running == 0) return SOFA_OK;
    SOFA_TRY(wait_for_one(r));
  }
}

static void report(const Runner *r) {
  SofaContext *ctx = r->sweep.ctx;
  sofa_message(ctx, SOFA_INFO, &program, "%zu of %zu variants are done; %s/results.csv", r->n_done,
               r->sweep.variants.n, r->sweep.folder);
  if (run_was_stopped())
    sofa_message(ctx, SOFA_INFO, &program,
                 "stopped by a signal: the same command goes on with the others");
  if (r->n_failed)
    sofa_message(ctx, SOFA_ERROR, &program,
                 "%zu variant%s failed: %s; log.txt in its folder says why; without the folder it "
                 "is run again",
                 r->n_failed, r->n_failed == 1 ? "" : "s", r->failed.data);
}

int sweep_run(SofaContext *ctx, const RunOptions *options, Progress *progress) {
  Runner r = {.progress = progress, .n_workers = n_workers(options)};
  SofaErr err;
  run_catch_signals();
  SOFA_GO(err, done, sweep_open(ctx, options, &r.sweep));
  SOFA_GO(err, done, sofa_make_folder(ctx, r.sweep.folder));
  r.workers = sofa_alloc(ctx, r.n_workers, sizeof *r.workers);
  if (!r.workers) err = SOFA_ERR_MEMORY;
  if (err != SOFA_OK) goto done;
  const bool watched =
      !options->hide_progress && options->format != FORMAT_JSON && isatty(STDERR_FILENO);
  progress_start(progress, watched, r.sweep.variants.n);
  progress->unit = "variants";
  err = run_all(&r);
  progress_clear(progress);
  if (err != SOFA_OK) stop_workers(&r);
  if (err == SOFA_OK) err = sweep_write_table(&r.sweep);
  if (err == SOFA_OK) report(&r);
done:
  sofa_free(ctx, r.workers);
  sofa_list_free(ctx, &r.failed);
  sweep_close(&r.sweep);
  if (err != SOFA_OK) return err == SOFA_ERR_ARGUMENT ? EXIT_USAGE : EXIT_SCENE;
  return r.n_failed ? EXIT_FAILED : EXIT_DONE;
}

/* ---- scripts ---- */

/* A word for the shell. */
static void print_word(const char *word, FILE *out) {
  fputs(" '", out);
  for (; *word; word++) {
    if (*word == '\'') fputs("'\\''", out);
    else fputc(*word, out);
  }
  fputc('\'', out);
}

static void print_command(const RunOptions *o, FILE *out) {
  fputs("runcsofa", out);
  for (int i = 1; i < o->argc; i++) {
    const char *word = o->argv[i];
    const size_t n = strlen("--sweep-script");
    const bool own = strncmp(word, "--sweep-script", n) == 0 && (!word[n] || word[n] == '=');
    if (own) i += !word[n];
    else print_word(word, out);
  }
}

int sweep_print_script(SofaContext *ctx, const RunOptions *options, FILE *out) {
  Variants variants;
  if (variants_read(ctx, &options->sweep, &variants) != SOFA_OK) return EXIT_USAGE;
  if (options->sweep_script == SCRIPT_PARALLEL) {
    // -q: the words go to the program as they are, not once more through a shell
    fprintf(out, "seq %zu | parallel -q --bar ", variants.n);
    print_command(options, out);
    fputs(" --sweep-only {}\n", out);
  } else {
    fprintf(out, "#!/bin/sh\n#SBATCH --job-name=csofa\n#SBATCH --array=1-%zu\n", variants.n);
    fprintf(out, "#SBATCH --cpus-per-task=%d\n#SBATCH --output=csofa-%%a.log\n", options->threads);
    print_command(options, out);
    fputs(" --sweep-only \"$SLURM_ARRAY_TASK_ID\"\n", out);
  }
  fputs("# then, for the table of results, and for what was interrupted:\n# ", out);
  print_command(options, out);
  fputc('\n', out);
  variants_free(ctx, &variants);
  return EXIT_DONE;
}
