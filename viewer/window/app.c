/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The window's life: opening, the loop, loading, closing. */
#include <epoxy/gl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/profiler.h"
#include "base/provenance.h"
#include "components/setting/setting.h"
#include "object/factory.h"
#include "scene/builder.h"
#include "viewer/window/app.h"
#include "viewer/view_file.h"
#include "viewer/window/imgui_shim.h"

static const SofaOrigin origin = {.emitter = "window"};

void app_say(App *app, SofaSeverity severity, const char *format, ...) {
  va_list args;
  va_start(args, format);
  sofa_message_va(app->ui, severity, &origin, format, args);
  va_end(args);
}

bool window_has_display(void) {
  const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  return (x && *x) || (wayland && *wayland);
}

bool window_has_widgets(void) {
  return ui_available();
}

/* ---- loading ---- */

/* The last loop of the root is the one that steps: that of the scene is left as it is. */
static SofaErr show_modes(App *app, SofaSimulation *simulation) {
  const SofaClass *klass = sofa_factory_find(app->ctx, "ModesAnimationLoop", NULL);
  SofaObject *loop = NULL;
  char number[24];
  if (!app->options->modes || !klass) return SOFA_OK;
  snprintf(number, sizeof number, "%llu", (unsigned long long)app->options->modes);
  SOFA_TRY(sofa_object_create(simulation->root, klass, "modes", NULL, &loop));
  SOFA_TRY(sofa_field_set_text(loop, "modes", number, 0));
  return sofa_field_set_text(loop, "kind", app->options->buckling ? "buckling" : "vibration", 0);
}

/* In the worker. Messages tell what is wrong; what could be made is shown all the same when going
 * on is asked for. */
static void load_job(void *user) {
  App *app = user;
  SofaSimulation *simulation = NULL;
  const double start = sofa_now();
  sofa_simulation_destroy(&app->simulation);
  SofaErr err = sofa_simulation_load(app->ctx, app->file, &simulation);
  if (err == SOFA_OK) err = show_modes(app, simulation);
  if (err == SOFA_OK && !app->options->no_check) err = sofa_scene_check(simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  if (err == SOFA_OK && !app->options->no_check) err = sofa_scene_check_ready(simulation);
  if (err != SOFA_OK) sofa_simulation_destroy(&simulation);
  app->simulation = simulation;
  app->load_seconds = sofa_now() - start;
}

/* Nothing may refer to what goes away. */
static void forget_scene(App *app) {
  pull_end(&app->pull);
  operations_release(&app->operations, app->ctx);
  for (int i = 0; i < WATCHES; i++) app->watches[i].object = NULL;
  scene_view_open(app->view, NULL, true);
  tree_free(app);
  fields_free(app);
  app->palette.n = 0;
  app->panels.palette = false;
  run_clear(app);
  edit_forget(app);
  past_clear(&app->past, app->ctx);
  sofa_profiler_clear(app->ctx);
  app->refusal[0] = '\0';
  app->animate = false;
  app->steps_wanted = 0;
}

static void set_title(App *app) {
  char title[300];
  snprintf(title, sizeof title, "%s%scsofa", app->file ? sofa_path_name(app->file) : "",
           app->file ? " - " : "");
  glfwSetWindowTitle(app->window, title);
}

void app_load(App *app, const char *path, bool keep_camera) {
  char *file = sofa_strdup(app->ui, path);
  if (!file) return;
  forget_scene(app);
  sofa_free(app->ui, app->file);
  app->file = file;
  if (!keep_camera) app->selection.active = false;
  app->n_screenshots = 0;
  app->keep_camera = keep_camera;
  app->loading = true;
  app->load_errors = log_errors(&app->log);
  app->load_number = log_next(&app->log);
  set_title(app);
  app->frame_stale = true;
  worker_give(&app->worker, load_job);
}

static void say_loaded(App *app) {
  const uint64_t errors = log_errors(&app->log) - app->load_errors;
  if (!app->simulation) {
    app_say(app, SOFA_INFO, "%s has %llu error%s: it is not shown. Ctrl+R reads it again",
            app->file, (unsigned long long)errors, errors == 1 ? "" : "s");
    app->panels.offering = true;
    snprintf(app->panels.tab_wanted, sizeof app->panels.tab_wanted, "Log");
  } else app_say(app, SOFA_INFO, "%s: loaded in %.2g s", app->file, app->load_seconds);
}

/* What the scene says about its window. */
static void apply_setting(App *app) {
  const SofaObject *object =
      sofa_node_find_class(app->simulation->root, &sofa_ViewerSetting_class, SOFA_SEARCH_DOWN);
  const ViewerSetting *setting = (const ViewerSetting *)object;
  if (!object || app->keep_camera) return;
  const int *size = setting->resolution.v;
  if (sofa_field_is_set(object, "resolution") && size[0] > 0 && size[1] > 0 && size[0] <= 16384 &&
      size[1] <= 16384)
    glfwSetWindowSize(app->window, size[0], size[1]);
  if (setting->fullscreen && !glfwGetWindowMonitor(app->window)) app_command(app, "fullscreen");
}

/* The scene is there, or is not. */
static void take_loaded(App *app) {
  app->loading = false;
  faults_count(app);
  say_loaded(app);
  app->tree_stale = true;
  tree_refresh(app);
  watch_resolve(app);
  // pictures and plots say what they show; the hand may have changed it
  sofa_provenance_copy(app->ui, app->ctx, "in the window");
  if (app->simulation) {
    if (scene_view_open(app->view, app->simulation, app->keep_camera) == SOFA_OK)
      scene_view_update(app->view);
    if (!app->keep_camera && app->simulation->file &&
        view_file_of_scene(app->ui, app->simulation->file, scene_view_camera(app->view)))
      app_say(app, SOFA_INFO, "the camera is that of %s.view", app->simulation->file);
    look_opened(app);
    if (!app->options->no_recent) settings_recent(app, app->file);
    apply_setting(app);
    mouse_of_scene(app);
    app->animate = app->simulation->root->animate || app->options->start;
    app->animate_given = app->simulation->root->animate;
    app->video_next = app->simulation->root->time;
    const TreeRow *row = app->selected ? tree_find(app, app->selected) : NULL;
    scene_view_options(app->view)->mark = row ? row->object : NULL;
  }
  fields_refresh(app, true);
  app->picture_stale = true;
}

/* ---- the scene is free ---- */

void app_center(const App *app, double *center) {
  const SofaCamera *camera = scene_view_camera(app->view);
  for (int k = 0; k < 3; k++) center[k] = camera->look_at[k];
}

static void draw_picture(App *app) {
  if (app->view_width < 1 || app->view_height < 1) return;
  pull_draw(&app->pull, scene_view_extra(app->view));
  operations_draw(&app->operations, scene_view_extra(app->view));
  selection_draw(app);
  overlay_draw(app);
  const int samples = app->options->msaa ? app->options->msaa : 4;
  if (!picture_bind(&app->picture, app->view_width, app->view_height, samples)) return;
  scene_view_draw(app->view, app->view_width, app->view_height);
  picture_finish(&app->picture);
  record_frame(app);
  app->picture_stale = false;
  app->frame_stale = true;
}

static bool wants_steps(const App *app) {
  const SofaSimulation *s = app->simulation;
  if (!s || s->failure != SOFA_OK) return false;
  return app->animate || app->steps_wanted;
}

static void copy_past(App *app) {
  const Past *p = &app->past;
  PastShown *out = &app->past_shown;
  const PastState *first = p->states.data, *last = first + (p->states.n ? p->states.n - 1 : 0);
  *out = (PastShown){.n = p->states.n, .bytes = p->bytes, .most = p->most, .off = p->off};
  snprintf(out->refusal, sizeof out->refusal, "%s", p->refusal);
  if (!out->n) return;
  out->first = first->step;
  out->last = last->step;
  out->span = last->time - first->time;
}

static void copy_state(App *app) {
  const SofaSimulation *s = app->simulation;
  copy_past(app);
  app->left_out_shown = s && app->ctx->keep_going ? app->n_faults : 0;
  app->step_shown = s ? s->steps : 0;
  app->time_shown = s ? s->root->time : 0;
  app->dt_shown = s ? s->root->dt : 0;
  app->held_shown = operations_held(&app->operations);
  if (s && app->options->n_steps && s->steps >= app->options->n_steps) app->quit = true;
}

/* Steps go on until the next picture is due, and for as long as the last one took to draw: one at
 * least. A video wants its own pictures. */
static void start_steps(App *app, double period) {
  const double drawing = scene_view_stats(app->view).seconds;
  app->batch_seconds = app->video ? 0 : fmax(period, drawing);
  app->step_started = true;
  worker_give(&app->worker, run_step_job);
}

/* `animate` of the root says whether the simulation runs; an object of the scene or an edit may
 * have changed it since. */
static void share_animate(App *app) {
  SofaNode *root = app->simulation ? app->simulation->root : NULL;
  if (!root) return;
  if (root->animate != app->animate_given && app->simulation->failure == SOFA_OK)
    app->animate = root->animate;
  root->animate = app->animate_given = app->animate;
}

static void with_scene(App *app, double period) {
  if (app->loading) take_loaded(app);
  if (app->step_started) {
    app->step_started = false;
    run_take(app);
    if (app->simulation) scene_view_update(app->view);
  }
  if (app->went.going) time_take(app);
  time_follow(app);
  commands_run(app);
  if (!app_free(app)) return;
  input_scene(app);
  tree_refresh(app);
  copy_state(app);
  if (app->script) script_tick(app);
  fields_refresh(app, false);
  selection_refresh(app);
  if (app->picture_stale) draw_picture(app);
  commands_run(app);
  if (!app_free(app)) return;
  share_animate(app);
  if (wants_steps(app) && !app->quit && time_allows_step(app)) start_steps(app, period);
}

/* ---- the loop ---- */

static void check_gl(App *app) {
  for (GLenum error; (error = glGetError()) != GL_NO_ERROR; app->gl_errors++)
    if (app->gl_errors < 5) app_say(app, SOFA_ERROR, "OpenGL reports error 0x%04x", error);
}

static void write_window_shot(App *app, int width, int height) {
  const uint8_t *rgb = NULL;
  if (!app->window_shot) return;
  if (picture_read_window(&app->picture, app->ui, width, height, &rgb) == SOFA_OK)
    png_write(app->ui, app->window_shot, rgb, width, height);
  sofa_free(app->ui, app->window_shot);
  app->window_shot = NULL;
}

static void draw_window(App *app, int width, int height) {
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width, height);
  glClearColor(0.16f, 0.17f, 0.19f, 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  picture_show(&app->picture, app->view_x, height - app->view_y - app->view_height, app->view_width,
               app->view_height);
  if (app->settings.panels && app->options->widgets) {
    ui_begin(app->mouse.x, app->mouse.y, app->ui_down);
    panels_draw(app, width, height);
    ui_end();
  }
  write_window_shot(app, width, height);
  check_gl(app);
  app->busy_frames += !app_free(app);
  if (app->n_frames++ == 0) app->first_frame = sofa_now();
  glfwSwapBuffers(app->window);
  app->frame_stale = app->events.n > 0;
  if (app->ui_wait > 0) app->ui_wait--;
  app->last_frame = sofa_now();
}

/* Place of the picture in the window. */
static void place_picture(App *app, int width, int height) {
  const int was[2] = {app->view_width, app->view_height};
  app->view_x = app->view_y = 0;
  app->view_width = width;
  app->view_height = height;
  if (app->settings.panels && app->options->widgets) panels_layout(app, width, height);
  if (was[0] != app->view_width || was[1] != app->view_height) app->picture_stale = true;
}

static double frame_period(void) {
  GLFWmonitor *monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
  return 1. / (mode && mode->refreshRate >= 20 ? mode->refreshRate : 60);
}

static void wait_for_events(App *app, double period) {
  const double due = app->last_frame + period - sofa_now();
  // widgets follow the mouse at once; without anything to do they are drawn ten times a second
  double wait = app->frame_stale || app->picture_stale || app->queue.n ? due : 0.1;
  if (!app_free(app) && wait < 1e-3) wait = due > 1e-3 ? due : 0.02;
  // a step is due before that, or has to wait for its time
  if (app_free(app) && app->animate && app->pace.factor > 0)
    wait = fmin(wait, time_until_step(app));
  if (wait > 1e-4) glfwWaitEventsTimeout(wait);
  else glfwPollEvents();
}

static void loop(App *app) {
  const double period = frame_period();
  while (!app->quit && !glfwWindowShouldClose(app->window)) {
    int width = 0, height = 0;
    wait_for_events(app, period);
    input_deliver(app);
    // nothing is drawn while nothing is to be seen
    if (!glfwGetWindowAttrib(app->window, GLFW_ICONIFIED))
      glfwGetFramebufferSize(app->window, &width, &height);
    if (width > 0 && height > 0) place_picture(app, width, height);
    if (app_free(app)) with_scene(app, period);
    // commands may have changed the layout
    if (width > 0 && height > 0) place_picture(app, width, height);
    const double since = sofa_now() - app->last_frame;
    if (width > 0 && height > 0 && ((app->frame_stale && since > 0.9 * period) || since > 0.1))
      draw_window(app, width, height);
  }
}

/* ---- opening and closing ---- */

static SofaErr fail_glfw(App *app, const char *what) {
  const char *why = NULL;
  glfwGetError(&why);
  return sofa_fail(app->ui, SOFA_ERR_UNSUPPORTED, &origin, "no window: %s%s%s", what,
                   why ? ": " : "", why ? why : "");
}

/* Where it was the last time, if a screen is still there. */
static void place_window(const App *app) {
  const Settings *s = &app->settings;
  int n = 0;
  GLFWmonitor **monitors = glfwGetMonitors(&n);
  for (int i = 0; s->has_place && i < n; i++) {
    int x, y, w, h;
    glfwGetMonitorWorkarea(monitors[i], &x, &y, &w, &h);
    if (s->x < x || s->y < y || s->x > x + w - 100 || s->y > y + h - 100) continue;
    glfwSetWindowPos(app->window, s->x, s->y);
    break;
  }
  if (s->maximised && !app->options->width) glfwMaximizeWindow(app->window);
}

static void remember_place(App *app) {
  Settings *s = &app->settings;
  if (glfwGetWindowMonitor(app->window)) return;
  s->maximised = glfwGetWindowAttrib(app->window, GLFW_MAXIMIZED);
  if (s->maximised || glfwGetWindowAttrib(app->window, GLFW_ICONIFIED)) return;
  glfwGetWindowSize(app->window, &s->width, &s->height);
  glfwGetWindowPos(app->window, &s->x, &s->y);
  s->has_place = true;
}

static SofaErr open_window(App *app) {
  const WindowOptions *o = app->options;
  if (!window_has_display()) return fail_glfw(app, "there is no display");
  if (!glfwInit()) return fail_glfw(app, "GLFW cannot start");
  app->glfw = true;
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  const int width = o->width ? o->width : app->settings.width ? app->settings.width : 1280;
  const int height = o->height ? o->height : app->settings.height ? app->settings.height : 800;
  app->window = glfwCreateWindow(width, height, "csofa", NULL, NULL);
  if (!app->window) return fail_glfw(app, "OpenGL 3.3 is not to be had");
  glfwMakeContextCurrent(app->window);
  // the loop keeps the rate itself: waiting inside the driver would hold up the scene
  glfwSwapInterval(0);
  glfwSetWindowSizeLimits(app->window, 320, 240, GLFW_DONT_CARE, GLFW_DONT_CARE);
  place_window(app);
  return scene_view_create(app->ctx, &app->view);
}

static void wake_up(void) {
  glfwPostEmptyEvent();
}

static void close_window(App *app) {
  if (app->window && app->glfw) remember_place(app);
  // a long step is waited for, but not in sight
  if (app->window && !app_free(app)) glfwHideWindow(app->window);
  worker_stop(&app->worker);
  if (app->video) record_video(app, NULL);
  if (app->view) forget_scene(app);
  sofa_simulation_destroy(&app->simulation);
  ui_destroy();
  if (app->view) picture_free(&app->picture, app->ui);
  scene_view_destroy(&app->view);
  if (app->window) glfwDestroyWindow(app->window);
  if (app->glfw) glfwTerminate();
}

static void free_app(App *app) {
  if (app->window) settings_write(app);
  settings_free(app);
  script_close(app);
  sofa_strings_free(app->ui, &app->queue);
  sofa_list_free(app->ui, &app->events);
  sofa_strings_free(app->ui, &app->panels.closed);
  sofa_strings_free(app->ui, &app->panels.files);
  sofa_list_free(app->ui, &app->timer_lines);
  for (size_t i = 0; i < WATCHES; i++) watch_remove(app, i);
  edit_forget(app);
  palette_free(app);
  tree_free(app);
  fields_free(app);
  sofa_free(app->ui, app->selected);
  sofa_free(app->ui, app->file);
  sofa_free(app->ui, app->window_shot);
  sofa_free(app->ui, app->color);
  sofa_free(app->ui, app->went.path);
}

static SofaErr start(App *app) {
  const char *script = getenv("CSOFA_UI_SCRIPT");
  settings_read(app);
  SOFA_TRY(open_window(app));
  input_attach(app);
  if (!worker_start(&app->worker, app, wake_up)) return fail_glfw(app, "no thread can be started");
  if (app->options->widgets && app->settings.folder)
    app->layout = sofa_path_join(app->ui, app->settings.folder, "layout.ini");
  if (app->options->widgets && !ui_create(app->window, app->layout))
    app_say(app, SOFA_WARNING, "no panels: keys and text only (H for help)");
  if (script && *script) SOFA_TRY(script_open(app, script));
  operations_init(&app->operations);
  mouse_of_scene(app);
  app->panels.zoom = 1;
  app->panels.curve[0] = true;
  app->picture_stale = true;
  if (app->options->scene) app_load(app, app->options->scene, false);
  return SOFA_OK;
}

SofaErr window_run(SofaContext *ctx, const WindowOptions *given) {
  WindowOptions options = *given;
  const SofaMessageSink sink = ctx->sink;
  void *const sink_user = ctx->sink_user;
  options.widgets &= ui_available();
  App *app = sofa_alloc(ctx, 1, sizeof *app);
  if (!app) return SOFA_ERR_MEMORY;
  app->ctx = ctx;
  app->options = &options;
  app->keep_going = ctx->keep_going;
  app->past.most = 256000000;
  app->past.share = 0.1;
  SofaErr err = log_open(&app->log, sink, sink_user);
  if (err != SOFA_OK) goto done;
  ctx->sink = log_sink;
  ctx->sink_user = &app->log;
  SOFA_GO(err, done,
          sofa_context_create(&(SofaContextOptions){.sink = log_sink, .sink_user = &app->log},
                              &app->ui));
  err = start(app);
  if (err == SOFA_OK) loop(app);
  if (err == SOFA_OK && !app->failed && !script_is_over(app)) {
    app_say(app, SOFA_ERROR, "the window was closed before the end of the script");
    app->failed = true;
  }
  if (err == SOFA_OK && (app->failed || (app->script && app->gl_errors))) err = SOFA_ERR_ARGUMENT;
  close_window(app);
  free_app(app);
  sofa_free(app->ui, app->layout);
done:
  ctx->sink = sink;
  ctx->sink_user = sink_user;
  sofa_context_destroy(&app->ui);
  log_close(&app->log);
  sofa_free(ctx, app);
  return err;
}
