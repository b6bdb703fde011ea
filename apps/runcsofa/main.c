/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runcsofa: runs SOFA scenes from the command line. */
#include "doc.h"
#include "doc_json.h"
#include "gui.h"
#include "new_plugin.h"
#include "components/builtins.h"
#include "object/factory.h"
#include "object/process.h"
#include "options.h"
#include "run.h"
#include "sink.h"
#include "sweep.h"
#include "xsd.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <unistd.h>

/* What only prints and needs no context. false: it was something else. */
static bool print_plain(const RunOptions *options) {
  switch (options->action) {
  case RUN_HELP:
    options_print_help(stdout);
    return true;
  case RUN_VERSION:
    puts("csofa " CSOFA_VERSION);
    return true;
  case RUN_LICENSES:
    doc_licenses(stdout);
    return true;
  case RUN_MAN:
    options_print_man(stdout);
    return true;
  case RUN_COMPLETION:
    options_print_completion(stdout);
    return true;
  default:
    return false;
  }
}

/* The first process speaks and writes for all. */
static SofaErr join(SofaContext *ctx, const RunOptions *options, Sink *sink) {
  static const SofaOrigin program = {.emitter = "runcsofa"};
  SofaPlace place;
  SOFA_TRY(sofa_plugin_load(ctx, "SofaPETSc", NULL, &program));
  SOFA_TRY(sofa_process_join(ctx, &place));
  if (ctx->processes) ctx->processes->partition = options->partition;
  sink->errors_only = place.rank > 0;
  ctx->discard_outputs = ctx->discard_outputs || place.rank > 0;
  return SOFA_OK;
}

static int run_with(SofaContext *ctx, const RunOptions *options, Sink *sink) {
  Progress *progress = sink->progress;
  if (sofa_register_builtins(ctx) != SOFA_OK) return EXIT_SCENE;
  if (options->distributed && join(ctx, options, sink) != SOFA_OK) return EXIT_SCENE;
  if (options->action != RUN_SCENE && run_prepare(ctx, options) != SOFA_OK) return EXIT_SCENE;
  switch (options->action) {
  case RUN_LIST:
    return doc_list(ctx, stdout) == SOFA_OK ? EXIT_DONE : EXIT_SCENE;
  case RUN_LIST_QUIRKS:
    return doc_list_quirks(ctx, stdout) == SOFA_OK ? EXIT_DONE : EXIT_SCENE;
  case RUN_DOC:
    return doc_classes(ctx, options->doc, stdout) == SOFA_OK ? EXIT_DONE : EXIT_USAGE;
  case RUN_DOC_JSON:
    return doc_json(ctx, stdout) == SOFA_OK ? EXIT_DONE : EXIT_SCENE;
  case RUN_XSD:
    return xsd_print(ctx, stdout) == SOFA_OK ? EXIT_DONE : EXIT_SCENE;
  case RUN_NEW_PLUGIN:
    return new_plugin_write(ctx, options->new_plugin, options->folder) == SOFA_OK ? EXIT_DONE
                                                                                  : EXIT_USAGE;
  default:
    if (options->sweep_script) return sweep_print_script(ctx, options, stdout);
    if (options->sweep.n && !options->sweep_only) return sweep_run(ctx, options, progress);
    return gui_run(ctx, options, progress);
  }
}

/* Variant: of a sweep, or NULL; `outer` owns what is noted of it. */
static int run(const RunOptions *options, SofaContext *outer, SweepVariant *variant) {
  Progress progress = {0};
  Sink sink;
  SofaContext *ctx = NULL;
  sink_open(&sink, options, &progress);
  SofaContextOptions context = run_context_options(options);
  context.sink = sink_message;
  context.sink_user = &sink;
  // a sweep itself writes beside the folders of its variants
  if (options->sweep.n && !options->sweep_only) context.output_folder = NULL;
  if (sofa_context_create(&context, &ctx) != SOFA_OK) return EXIT_USAGE;
  int status = run_with(ctx, options, &sink);
  if (ctx->n_lost_outputs && status == EXIT_DONE) status = EXIT_SCENE;
  if (variant && sweep_note_inputs(outer, ctx, variant) != SOFA_OK) status = EXIT_SCENE;
  sofa_process_end(ctx, status);
  sofa_context_destroy(&ctx);
  return status;
}

/* One variant of a sweep: its context has its folder. One that was interrupted gets no mark. */
static int run_variant(const RunOptions *options) {
  SofaContext *ctx = NULL;
  SweepVariant variant;
  if (sofa_context_create(NULL, &ctx) != SOFA_OK) return EXIT_USAGE;
  int status = EXIT_USAGE;
  if (sweep_open_variant(ctx, options, &variant) == SOFA_OK) {
    status = run(&variant.options, ctx, &variant);
    if (!run_was_stopped() && sweep_mark(ctx, options, &variant, status) != SOFA_OK)
      status = EXIT_SCENE;
  }
  sweep_free_variant(ctx, &variant);
  sofa_context_destroy(&ctx);
  return status;
}

/* Threads that spin while they wait take the cores from those that work when cores are shared. The
 * runtime reads its policy once, before main: the program starts itself again with it. */
static void wait_passively(const RunOptions *options, char **argv) {
  if (options->threads <= 1 || getenv("OMP_WAIT_POLICY")) return;
  if (setenv("OMP_WAIT_POLICY", "passive", 1) == 0) execv("/proc/self/exe", argv);
}

/* Solvers of other libraries take and free their work space in each step: the program keeps it, so
 * that the system does not clear the same pages again. Large blocks go back. What the user asked of
 * the allocator holds. */
static void keep_freed_memory(void) {
#ifdef __GLIBC__
  enum { LARGE_BLOCK = 4 << 20, KEPT = 32 << 20 };
  static const char *const names[] = {"MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_",
                                      "GLIBC_TUNABLES"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (getenv(names[i])) return;
  mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
  mallopt(M_TRIM_THRESHOLD, KEPT);
#endif
}

/* The destructor of OpenBLAS does not end when it got no memory: the program ends without those of
 * libraries. Sanitizers report at the usual end. */
static _Noreturn void leave(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  exit(status);
#else
  fflush(NULL);
  _exit(status);
#endif
}

int main(int argc, char **argv) {
  RunOptions options;
  int status = EXIT_USAGE;
  const bool usable = options_read(argc, argv, &options);
  if (usable) wait_passively(&options, argv);
  keep_freed_memory();
  if (usable)
    status = print_plain(&options) ? EXIT_DONE
             : options.sweep_only  ? run_variant(&options)
                                   : run(&options, NULL, NULL);
  options_free(&options);
  // what was printed counts as an output, too
  if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_DONE) {
    fputs("runcsofa: error: cannot write to the standard output\n", stderr);
    status = EXIT_SCENE;
  }
  leave(status);
}
