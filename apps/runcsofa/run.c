/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The batch run: load, check, initialise, step, write. */
#include "run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/output.h"
#include "base/profiler.h"
#include "base/text.h"
#include "behavior/state_division.h"
#include "checks.h"
#include "components/builtins.h"
#include "object/factory.h"
#include "object/process.h"
#include "modes.h"
#include "pictures.h"
#include "realtime.h"
#include "recorder.h"
#include "scene/builder.h"
#include "scene/checkpoint.h"
#include "scene/reader.h"
#include "scene/settings.h"
#include "simulation/convergence.h"
#include "simulation/divide.h"
#include "states_file.h"

static const SofaOrigin program = {.emitter = "runcsofa"};

/* A signal can only leave a mark; this is the one variable of the program that is not owned. */
static volatile sig_atomic_t stop_asked;

static void on_signal(int number) {
  stop_asked = number;
}

void run_catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* A limit on the size of files is a failure to write. */
static void ignore_file_limit(void) {
  struct sigaction action = {.sa_handler = SIG_IGN};
  sigemptyset(&action.sa_mask);
  sigaction(SIGXFSZ, &action, NULL);
}

bool run_was_stopped(void) {
  return stop_asked != 0;
}

/* ---- before the run ---- */

SofaContextOptions run_context_options(const RunOptions *options) {
  return (SofaContextOptions){.threads = options->threads,
                              .quirks = options->quirks,
                              .quirk_words = options->quirk_words,
                              .keep_going = options->keep_going,
                              .strict = options->strict,
                              .trust_scene = options->trust_scene,
                              .sandbox = options->sandbox,
                              .provenance = true,
                              .output_folder = options->out,
                              .isa = options->isa};
}

static SofaErr load_plugins(SofaContext *ctx, const RunOptions *options) {
  for (const char *at = options->plugins; at && *at;) {
    const size_t length = strcspn(at, ",");
    char *name = sofa_strndup(ctx, at, length);
    if (!name) return SOFA_ERR_MEMORY;
    const SofaErr err = length ? sofa_plugin_load(ctx, name, ".", &program) : SOFA_OK;
    sofa_free(ctx, name);
    if (err != SOFA_OK) return err;
    at += length + (at[length] == ',');
  }
  return SOFA_OK;
}

/* Folders of an option; those of a variable may be for other machines. */
static void tell_missing_folders(SofaContext *ctx, const char *option, const char *list) {
  for (const char *at = list; at && *at;) {
    const size_t length = strcspn(at, ":");
    char *folder = sofa_strndup(ctx, at, length);
    if (folder && length && !sofa_is_folder(folder))
      sofa_message(ctx, SOFA_WARNING, &program, "%s: there is no folder '%s'", option, folder);
    sofa_free(ctx, folder);
    at += length + (at[length] == ':');
  }
}

static SofaErr add_paths(SofaContext *ctx, const RunOptions *options) {
  tell_missing_folders(ctx, "--data-path", options->data_path);
  tell_missing_folders(ctx, "--plugin-path", options->plugin_path);
  if (options->data_path) SOFA_TRY(sofa_context_add_data_paths(ctx, options->data_path));
  SOFA_TRY(sofa_context_add_plugin_paths(ctx, options->plugin_path));
  const char *variable = getenv("CSOFA_DATA_PATH");
  return variable ? sofa_context_add_data_paths(ctx, variable) : SOFA_OK;
}

SofaErr run_prepare(SofaContext *ctx, const RunOptions *options) {
  SOFA_TRY(add_paths(ctx, options));
  return load_plugins(ctx, options);
}

SofaErr run_prepare_scene(SofaContext *ctx, const RunOptions *options) {
  if (options->out) SOFA_TRY(sofa_make_folder(ctx, options->out));
  for (size_t i = 0; i < options->set.n; i++) SOFA_TRY(sofa_scene_set(ctx, options->set.data[i]));
  for (size_t i = 0; i < options->arguments.n; i++)
    SOFA_TRY(sofa_scene_add_arguments(ctx, options->arguments.data[i]));
  return run_prepare(ctx, options);
}

/* ---- timers ---- */

/* <scene without extension>_<step, 6 digits>.json in the current folder */
static SofaErr write_timers_file(SofaContext *ctx, const RunOptions *options, uint64_t step,
                                 uint64_t n_steps) {
  const char *name = sofa_path_name(options->scene);
  const char *dot = strrchr(name, '.');
  char *path = sofa_format(ctx, "%.*s_%06llu.json", dot ? (int)(dot - name) : (int)strlen(name),
                           name, (unsigned long long)step);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaOutputSpec spec = {.path = path, .what = "the timers"};
  SofaOutput *out = NULL;
  SofaErr err = sofa_output_open(ctx, &spec, &out);
  if (err == SOFA_OK) {
    sofa_profiler_print(ctx, sofa_output_stream(out), true, n_steps);
    err = sofa_output_close(&out);
  }
  sofa_free(ctx, path);
  return err;
}

static SofaErr print_timers(SofaContext *ctx, const RunOptions *options, uint64_t step,
                            uint64_t n_steps) {
  SofaErr err = SOFA_OK;
  if (options->timing == TIMING_JSON) {
    err = write_timers_file(ctx, options, step, n_steps);
  } else {
    sofa_profiler_print(ctx, stdout, options->timing == TIMING_LJSON, n_steps);
    fflush(stdout);
  }
  sofa_profiler_clear(ctx);
  return err;
}

/* ---- steps ---- */

typedef struct Run {
  SofaContext *ctx;
  const RunOptions *options;
  SofaSimulation *simulation;
  StatesFile *states;
  Recorder *recorder;
  Pictures *pictures;
  Checks *checks;
  SofaConvergenceFile *convergence;
  Progress *progress;
  Realtime *realtime;                   /* NULL: as fast as possible */
  uint64_t begin, step, written, saved; /* done; last one written + 1, of the states, of the run */
} Run;

static bool contains(const uint64_t *list, size_t n, uint64_t step) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == step) return true;
  return false;
}

static bool is_wanted(const RunSteps *at, uint64_t step, bool last) {
  static const uint64_t usual[] = {0,   1,   2,    5,    10,   20,   50,   100,
                                   200, 500, 1000, 2000, 3000, 5000, 10000};
  if (!at->steps) return last || contains(usual, sizeof usual / sizeof *usual, step);
  return at->all || (last && at->last) || contains(at->steps, at->n, step);
}

static SofaErr write_states(Run *run, bool last) {
  if (!run->states || run->written == run->step + 1) return SOFA_OK;
  if (!is_wanted(&run->options->states_at, run->step, last)) return SOFA_OK;
  run->written = run->step + 1;
  return states_file_write(run->states, run->simulation, run->step);
}

/* The whole state of the run. */
static SofaErr save_state(Run *run, bool last) {
  const RunOptions *o = run->options;
  if (!o->save_state || run->saved == run->step + 1) return SOFA_OK;
  if (!last && (!o->save_every || run->step % o->save_every || !run->step)) return SOFA_OK;
  run->saved = run->step + 1;
  return sofa_checkpoint_save(run->simulation, o->save_state);
}

/* What is written of a step. */
static SofaErr write_step(Run *run, bool last) {
  SofaErr err = write_states(run, last);
  if (err == SOFA_OK) err = recorder_write(run->recorder, run->step, last);
  const SofaErr pictures = pictures_write(run->pictures, run->step, last);
  const SofaErr saved = save_state(run, last);
  return err != SOFA_OK ? err : pictures != SOFA_OK ? pictures : saved;
}

/* SCENE.last-good.state in the folder of outputs, when there was a good step. */
static void save_last_good(Run *run) {
  const char *name = sofa_path_name(run->options->scene), *dot = strrchr(name, '.');
  if (run->step == run->begin || run->ctx->discard_outputs) return;
  if (run->ctx->processes) return; // the others do not know of the failure
  char *path = sofa_format(run->ctx, "%.*s.last-good.state",
                           dot ? (int)(dot - name) : (int)strlen(name), name);
  if (path && sofa_checkpoint_save_good(run->simulation, path) == SOFA_OK)
    sofa_message(run->ctx, SOFA_INFO, &program,
                 "the state after step %llu is in %s: look at it with --restore and a number of "
                 "steps that -n ends with",
                 (unsigned long long)run->step, path);
  sofa_free(run->ctx, path);
}

/* Processes that run together stop at the same step. */
static SofaErr ask_to_stop(Run *run, bool *stop) {
  double asked = stop_asked != 0;
  const SofaErr err = run->ctx->processes ? sofa_process_max(run->ctx, 1, &asked) : SOFA_OK;
  *stop = asked > 0;
  return err;
}

/* Makes the steps. *status is the exit status when something ended them early. */
static void make_steps(Run *run, int *status) {
  const RunOptions *o = run->options;
  const uint64_t sampling = o->time_sampling;
  while (o->infinite || run->step < o->n_steps) {
    bool stop = false;
    if (run->realtime) realtime_wait(run->realtime, run->simulation->root->dt, &stop_asked);
    if (ask_to_stop(run, &stop) != SOFA_OK) *status = EXIT_FAILED;
    if (stop || *status != EXIT_DONE) return;
    if (sofa_simulation_step(run->simulation, 0) != SOFA_OK) {
      *status = EXIT_FAILED;
      save_last_good(run);
      return;
    }
    run->step++;
    progress_update(run->progress, run->step);
    if (checks_step(run->checks) != SOFA_OK || write_step(run, false) != SOFA_OK ||
        (sampling && run->step % sampling == 0 &&
         print_timers(run->ctx, o, run->step, sampling) != SOFA_OK)) {
      *status = EXIT_SCENE;
      return;
    }
  }
}

static void print_summary(Run *run, double seconds) {
  char took[40], rate[40];
  const double n = (double)(run->step - run->begin);
  sofa_print_real(took, seconds, 4);
  sofa_print_real(rate, seconds > 0 ? n / seconds : 0, 4);
  if (stop_asked)
    sofa_message(run->ctx, SOFA_INFO, &program, "stopped by a signal after step %llu",
                 (unsigned long long)run->step);
  sofa_message(run->ctx, SOFA_INFO, &program, "%llu steps in %s s (%s steps/s)",
               (unsigned long long)(run->step - run->begin), took, rate);
}

static SofaErr open_files(Run *run) {
  const RunOptions *o = run->options;
  if (o->convergence) SOFA_TRY(sofa_convergence_open(run->ctx, o->convergence, &run->convergence));
  if (o->states) SOFA_TRY(states_file_open(run->ctx, o->states, &run->states));
  SOFA_TRY(recorder_open(run->simulation, o, &run->recorder));
  return checks_open(run->simulation, o, &run->checks);
}

static SofaErr close_files(Run *run) {
  const SofaErr closed[] = {sofa_convergence_close(&run->convergence),
                            states_file_close(&run->states), recorder_close(&run->recorder),
                            pictures_close(&run->pictures), checks_close(&run->checks)};
  for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
    if (closed[i] != SOFA_OK) return closed[i];
  return SOFA_OK;
}

/* ---- the first of two runs ---- */

static void hear_nothing(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

static SofaErr load(Run *run);

/* A run of the same scene that writes nothing and says nothing, for the range of the colours that
 * all pictures share. */
static SofaErr measure_ranges(const RunOptions *options, PictureRanges *ranges) {
  SofaContextOptions quiet = run_context_options(options);
  RunOptions plain = *options;
  Progress unseen = {0};
  Run run = {.options = &plain, .progress = &unseen};
  SofaErr err = SOFA_OK;
  int status = EXIT_DONE;
  quiet.sink = hear_nothing;
  quiet.discard_outputs = true;
  plain.time_sampling = 0;
  ranges->measure = true;
  SOFA_GO(err, done, sofa_context_create_with_builtins(&quiet, &run.ctx));
  SOFA_GO(err, done, load(&run));
  SOFA_GO(err, done, sofa_simulation_init(run.simulation));
  SOFA_GO(err, done, pictures_open(run.simulation, &plain, ranges, &run.pictures));
  SOFA_GO(err, done, write_step(&run, false));
  make_steps(&run, &status);
done:
  pictures_close(&run.pictures);
  sofa_simulation_destroy(&run.simulation);
  sofa_context_destroy(&run.ctx);
  ranges->measure = false;
  return err;
}

/* A run without the pictures that were asked for still gives the rest. */
static SofaErr open_pictures(Run *run, PictureRanges *ranges) {
  if (pictures_need_ranges(run->simulation, run->options)) {
    sofa_message(run->ctx, SOFA_INFO, &program,
                 "the scene is run twice: first for the range of the colours that its pictures "
                 "share (userRange of a DataDisplay, or min and max of its OglColorMap, give one)");
    // what goes wrong does so again
    if (measure_ranges(run->options, ranges) != SOFA_OK) ranges->list.n = 0;
  }
  return pictures_open(run->simulation, run->options, ranges, &run->pictures);
}

/* ---- all steps ---- */

/* What the end of a run writes, whatever ended it. */
static int finish(Run *run, int status) {
  // the other processes may wait for something else: they are ended with this one
  if (status != EXIT_DONE && run->ctx->processes) return status;
  // the last good state is written, too
  if (write_step(run, true) != SOFA_OK && status == EXIT_DONE) status = EXIT_SCENE;
  if (sofa_simulation_finish(run->simulation) != SOFA_OK && status == EXIT_DONE)
    status = EXIT_SCENE;
  return status;
}

static int step_all(Run *run) {
  PictureRanges ranges = {.ctx = run->ctx};
  const RunOptions *o = run->options;
  int status = EXIT_DONE;
  if (open_files(run) != SOFA_OK) {
    close_files(run);
    return EXIT_SCENE;
  }
  const SofaErr opened = open_pictures(run, &ranges);
  if (opened != SOFA_OK) status = EXIT_SCENE;
  if (opened == SOFA_ERR_ARGUMENT) {
    close_files(run);
    sofa_list_free(run->ctx, &ranges.list);
    return EXIT_SCENE;
  }
  const bool watched = !o->hide_progress && o->format != FORMAT_JSON && isatty(STDERR_FILENO);
  progress_start(run->progress, watched, o->infinite ? 0 : o->n_steps);
  const double start = sofa_now();
  if (write_step(run, false) != SOFA_OK ||
      (o->realtime && realtime_open(run->ctx, &run->realtime) != SOFA_OK))
    status = EXIT_SCENE;
  else make_steps(run, &status);
  const double seconds = sofa_now() - start;
  progress_clear(run->progress);
  realtime_close(&run->realtime);

  if (status == EXIT_DONE && checks_finish(run->checks) != SOFA_OK) status = EXIT_SCENE;
  if (status == EXIT_DONE && modes_write(run->simulation, o) != SOFA_OK) status = EXIT_SCENE;
  status = finish(run, status);
  if (close_files(run) != SOFA_OK && status == EXIT_DONE) status = EXIT_SCENE;
  print_summary(run, seconds);
  sofa_list_free(run->ctx, &ranges.list);
  return status;
}

/* ---- all ---- */

static SofaErr load(Run *run) {
  const RunOptions *o = run->options;
  SOFA_TRY(run_prepare_scene(run->ctx, o));
  sofa_timer_begin(run->ctx, "load");
  const SofaErr err = sofa_simulation_load(run->ctx, o->scene, &run->simulation);
  sofa_timer_end(run->ctx);
  if (err != SOFA_OK) return err;
  if (!o->no_check) SOFA_TRY(sofa_scene_check(run->simulation));
  if (o->start) run->simulation->root->animate = true;
  return SOFA_OK;
}

static unsigned long long n_errors(const SofaContext *ctx) {
  return (unsigned long long)(ctx->n_messages[SOFA_ERROR] + ctx->n_messages[SOFA_FATAL]);
}

static SofaErr restore(Run *run) {
  SOFA_TRY(sofa_checkpoint_restore(run->simulation, run->options->restore));
  run->begin = run->step = run->simulation->steps;
  sofa_message(run->ctx, SOFA_INFO, &program, "restored after step %llu, t = %g s",
               (unsigned long long)run->step, run->simulation->root->time);
  return SOFA_OK;
}

/* What the first process says of a state of which each has a part. */
static void tell_division(const SofaState *state) {
  SofaContext *ctx = state->object.ctx;
  char *path = state->mapped ? NULL : sofa_object_path(&state->object);
  if (path)
    sofa_message(ctx, SOFA_INFO, &program,
                 "%s: %zu points on %d processes; the first one has %zu, %zu of its own", path,
                 sofa_state_n_whole(state), sofa_process_count(ctx), state->position.n,
                 sofa_state_n_owned(state));
  sofa_free(ctx, path);
}

static SofaVisit find_divided(SofaNode *node, void *user) {
  bool *found = user;
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    *found = *found || sofa_implements(object, SOFA_PROCESS);
    if (!sofa_implements(object, SOFA_MECHANICAL_STATE)) continue;
    if (!sofa_state_division((const SofaState *)object)) continue;
    *found = true;
    tell_division((const SofaState *)object);
  }
  return SOFA_CONTINUE;
}

/* Several processes that divide nothing would each do all the work. */
static SofaErr check_distributed(const Run *run) {
  bool found = false;
  SOFA_TRY(sofa_visit(run->simulation->root, &(SofaVisitor){.down = find_divided, .user = &found}));
  if (found) return SOFA_OK;
  return sofa_fail(run->ctx, SOFA_ERR_UNSUPPORTED, &program,
                   "--distributed: the scene has nothing that the processes could divide: no mesh "
                   "with volume elements of a loader or regular grid, and no PETScLinearSolver");
}

/* What cannot be saved of a divided mesh is known before the first step. */
static SofaErr check_saving(const Run *run) {
  if (!run->options->save_state || !sofa_is_divided(run->simulation->root)) return SOFA_OK;
  return sofa_checkpoint_check(run->simulation);
}

int run_scene(SofaContext *ctx, const RunOptions *options, Progress *progress) {
  Run run = {.ctx = ctx, .options = options, .progress = progress};
  int status = EXIT_SCENE;
  ignore_file_limit();
  sofa_profiler_enable(ctx, options->time_at_begin || options->time_sampling > 0);
  SofaErr err = load(&run);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  run_catch_signals(); // until here there is nothing to complete, and a signal ends the program
  if (err == SOFA_OK && !options->no_check) err = sofa_scene_check_ready(run.simulation);
  if (err == SOFA_OK && options->distributed) err = check_distributed(&run);
  if (err == SOFA_OK && options->restore) err = restore(&run);
  if (err == SOFA_OK) err = check_saving(&run);
  if (err == SOFA_OK && options->time_at_begin) err = print_timers(ctx, options, 0, 0);
  sofa_profiler_clear(ctx);
  sofa_profiler_enable(ctx, options->time_sampling > 0);
  if (err == SOFA_OK) status = step_all(&run);
  else
    sofa_message(ctx, SOFA_INFO, &program, "%llu error%s: the scene was not run%s", n_errors(ctx),
                 n_errors(ctx) == 1 ? "" : "s",
                 options->keep_going ? ""
                                     : " (--keep-going leaves out objects that cannot be created)");
  sofa_simulation_destroy(&run.simulation);
  return status;
}
