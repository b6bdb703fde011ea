/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window, where it is wanted and can be had, else the batch run. */
#include "gui.h"

#include "run.h"

static const SofaOrigin program = {.emitter = "runcsofa"};

/* What only a batch run does. */
static bool asks_for_batch(const RunOptions *o) {
  return o->n_given || o->states || o->record.n || o->screenshot || o->video || o->convergence ||
         o->save_state || o->restore || options_ask_checks(o) || options_ask_modes(o) ||
         o->time_at_begin || o->time_sampling || o->hide_progress || o->format == FORMAT_JSON;
}

/* What only pictures and the window have. */
static bool asks_for_view(const RunOptions *o) {
  return o->show || o->camera || o->look_at || o->colour;
}

#ifdef CSOFA_HAVE_WINDOW

#include "viewer/window/window.h"

static int show(SofaContext *ctx, const RunOptions *o, SofaErr *err) {
  const WindowOptions window = {.scene = o->scene,
                                .start = o->start,
                                .no_check = o->no_check,
                                .no_recent = o->temporary,
                                .widgets = o->gui != GUI_GLFW,
                                .n_steps = o->n_given && !o->infinite ? o->n_steps : 0,
                                .modes = o->modes ? o->modes : o->buckling,
                                .buckling = o->buckling > 0,
                                .msaa = o->msaa,
                                .view = {.show = o->show,
                                         .camera = o->camera,
                                         .look_at = o->look_at,
                                         .color = o->colour,
                                         .range = {o->colour_range[0], o->colour_range[1]}}};
  if (o->gui == GUI_IMGUI && !window_has_widgets())
    sofa_message(ctx, SOFA_WARNING, &program,
                 "the program was built without Dear ImGui: the window has keys and text only");
  *err = run_prepare_scene(ctx, o);
  if (*err == SOFA_OK) *err = window_run(ctx, &window);
  return *err == SOFA_OK ? EXIT_DONE : EXIT_SCENE;
}

static bool has_display(void) {
  return window_has_display();
}

static char *recent_file(SofaContext *ctx) {
  return window_recent_file(ctx);
}

#else

static int show(SofaContext *ctx, const RunOptions *o, SofaErr *err) {
  (void)o;
  *err = sofa_fail(
      ctx, SOFA_ERR_UNSUPPORTED, &program,
      "there is no window: the program was built without libglfw3 or a library for pictures");
  return EXIT_SCENE;
}

static bool has_display(void) {
  return false;
}

static char *recent_file(SofaContext *ctx) {
  (void)ctx;
  return NULL;
}

#endif

/* With a scene, or with none for an empty window. */
static int run(SofaContext *ctx, const RunOptions *options, Progress *progress) {
  SofaErr err = SOFA_OK;
  const bool batch =
      options->gui == GUI_BATCH || (options->gui == GUI_AUTO && asks_for_batch(options));
  if (batch && asks_for_view(options) && !options->screenshot && !options->video) {
    sofa_message(ctx, SOFA_ERROR, &program,
                 "--show, --camera, --look-at and --colour are for pictures and the window: "
                 "expected --screenshot or --video, too");
    return EXIT_USAGE;
  }
  if (batch) return run_scene(ctx, options, progress);
  if (options->gui != GUI_AUTO || has_display()) {
    const int status = show(ctx, options, &err);
    if (options->gui != GUI_AUTO || err != SOFA_ERR_UNSUPPORTED) return status;
  }
  sofa_message(ctx, SOFA_INFO, &program, "no window can be opened: %llu steps in batch",
               (unsigned long long)options->n_steps);
  return run_scene(ctx, options, progress);
}

int gui_run(SofaContext *ctx, const RunOptions *options, Progress *progress) {
  RunOptions used = *options;
  char *recent = !options->scene && options->recent ? recent_file(ctx) : NULL;
  if (!options->scene && options->recent && !recent) {
    sofa_message(ctx, SOFA_ERROR, &program,
                 "--recent: no scene is remembered; the window remembers the scenes it shows");
    return EXIT_USAGE;
  }
  if (recent) used.scene = recent;
  const int status = run(ctx, &used, progress);
  sofa_free(ctx, recent);
  return status;
}
