/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The commands of the window. A command is a word and its arguments, separated by spaces; an
 * argument with spaces stands in double quotes, the last one may have them as it is. */
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/profiler.h"
#include "base/text.h"
#include "object/event.h"
#include "viewer/view_file.h"
#include "viewer/window/app.h"

enum { MAX_ARGUMENTS = 4 };

typedef struct Command {
  const char *name;
  int arguments; /* at most; missing ones are "" */
  void (*run)(App *app, char **arguments);
} Command;

/* ---- running ---- */

static void do_play(App *app, char **a) {
  (void)a;
  if (app->simulation && app->simulation->failure != SOFA_OK)
    app_say(app, SOFA_WARNING, "the last step failed: reset or reload before going on");
  else app->animate = app->simulation != NULL;
}

static void do_pause(App *app, char **a) {
  (void)a;
  app->animate = false;
  app->steps_wanted = 0;
}

static void do_toggle(App *app, char **a) {
  if (app->animate) do_pause(app, a);
  else do_play(app, a);
}

static void do_step(App *app, char **a) {
  const char *text = a[0];
  int64_t n = 1;
  if (*text && (!sofa_read_int(&text, &n) || n < 1)) n = 1;
  if (app->simulation && app->simulation->failure == SOFA_OK) app->steps_wanted += (uint64_t)n;
}

static void do_reset(App *app, char **a) {
  do_pause(app, a);
  pull_end(&app->pull);
  operations_release(&app->operations, app->ctx);
  if (!app->simulation || sofa_simulation_reset(app->simulation) != SOFA_OK) return;
  run_clear(app);
  app->video_next = app->simulation->root->time;
  scene_view_update(app->view);
  app->picture_stale = true;
  app_say(app, SOFA_INFO, "reset");
}

static void do_reload(App *app, char **a) {
  (void)a;
  if (app->file) app_load(app, app->file, true);
}

static void do_open(App *app, char **a) {
  app->ctx->keep_going = app->keep_going;
  if (a[0][0]) app_load(app, a[0], false);
}

/* keep-going 1|0: reads the scene again, without the components that have errors, or with them */
static void do_keep_going(App *app, char **a) {
  faults_leave_out(app, a[0][0] != '0');
}

/* pace max|FACTOR: of real time */
static void do_pace(App *app, char **a) {
  time_set_pace(app, a[0]);
}

/* go-to STEP, go-to -1: a state of the past */
static void do_go_to(App *app, char **a) {
  time_go(app, a[0]);
}

/* past 1|0: states are kept, or not; past MEGABYTES */
static void do_past(App *app, char **a) {
  const char *text = a[0];
  double size = 1;
  if (*text && (!sofa_read_real(&text, &size) || !(size >= 0 && size <= 1e6))) {
    app_say(app, SOFA_ERROR, "expected past 1, 0 or a number of megabytes, not '%s'", a[0]);
    return;
  }
  app->past.off = !(size > 0);
  if (size > 1) app->past.most = (size_t)(size * 1e6);
  if (app->past.off) past_clear(&app->past, app->ctx);
}

/* past-share NUMBER: of the time of steps, for the states of the past */
static void do_past_share(App *app, char **a) {
  const char *text = a[0];
  double share = 0;
  if (sofa_read_real(&text, &share) && share >= 0) app->past.share = share;
  else app_say(app, SOFA_ERROR, "expected past-share and a number >= 0, not '%s'", a[0]);
}

static void do_save_state(App *app, char **a) {
  time_save(app, a[0]);
}

static void do_restore_state(App *app, char **a) {
  time_restore(app, a[0]);
}

static void do_undo(App *app, char **a) {
  (void)a;
  edit_undo(app);
}

static void do_quit(App *app, char **a) {
  (void)a;
  app->quit = true;
}

/* ---- view ---- */

static void do_view_all(App *app, char **a) {
  (void)a;
  scene_view_reset_camera(app->view, app->view_width, app->view_height, true);
}

/* The ranges of colours begin again with the numbers of now. */
static void do_rescale(App *app, char **a) {
  (void)a;
  scene_view_rescale(app->view);
}

static void do_view_reset(App *app, char **a) {
  (void)a;
  scene_view_reset_camera(app->view, app->view_width, app->view_height, false);
}

/* view-save, view-load [FILE]: the camera; the file is that of the scene */
static void do_view_file(App *app, const char *given, bool write) {
  SofaCamera *camera = scene_view_camera(app->view);
  char *own = *given || !app->file ? NULL : view_file_name(app->ui, app->file);
  const char *path = *given ? given : own;
  SofaErr err = SOFA_OK;
  if (!path) app_say(app, SOFA_WARNING, "there is no scene to keep a camera of");
  else if (write) err = view_file_write(app->ui, path, camera);
  else err = view_file_read(app->ui, path, camera);
  if (path && err == SOFA_OK)
    app_say(app, SOFA_INFO, write ? "wrote %s" : "the camera is that of %s", path);
  sofa_free(app->ui, own);
}

static void do_view_save(App *app, char **a) {
  do_view_file(app, a[0], true);
}

static void do_view_load(App *app, char **a) {
  do_view_file(app, a[0], false);
}

/* axis +x: looks from there towards the middle */
static void do_axis(App *app, char **a) {
  const double sign = a[0][0] == '-' ? -1 : 1;
  const char axis = a[0][strcspn(a[0], "xyz")];
  double direction[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  if (!axis) return;
  direction[axis - 'x'] = -sign;
  if (axis == 'y') {
    up[1] = 0;
    up[2] = -sign;
  }
  sofa_camera_align(scene_view_camera(app->view), direction, up);
}

static void do_projection(App *app, char **a) {
  SofaCamera *camera = scene_view_camera(app->view);
  camera->orthographic = a[0][0] ? strcmp(a[0], "orthographic") == 0 : !camera->orthographic;
}

static void do_background(App *app, char **a) {
  SceneViewOptions *o = scene_view_options(app->view);
  (void)a;
  o->background = (SceneBackground)((o->background + 1) % SCENE_N_BACKGROUNDS);
}

static void do_axes(App *app, char **a) {
  SceneViewOptions *o = scene_view_options(app->view);
  (void)a;
  o->axes = !o->axes;
}

static void do_box(App *app, char **a) {
  SceneViewOptions *o = scene_view_options(app->view);
  (void)a;
  o->box = !o->box;
}

/* flag Wireframe show|hide|scene|toggle */
static void do_flag(App *app, char **a) {
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++) {
    signed char *value = &scene_view_options(app->view)->flags.value[i];
    if (strcmp(sofa_display_flag_word((SofaDisplayFlag)i), a[0]) != 0) continue;
    if (strcmp(a[1], "toggle") == 0) *value = *value > 0 ? -1 : 1;
    else *value = strcmp(a[1], "show") == 0 ? 1 : strcmp(a[1], "hide") == 0 ? -1 : 0;
    return;
  }
  app_say(app, SOFA_ERROR, "there is no display flag '%s'", a[0]);
}

/* colour [PATH.FIELD]: of the numbers in it; without one nothing is coloured */
static void do_color(App *app, char **a) {
  look_color(app, a[0][0] ? a[0] : NULL, (SofaColorRange){1, 0});
}

static void do_color_range(App *app, char **a) {
  look_range(app, a[0], a[1]);
}

static void do_look_at(App *app, char **a) {
  look_at(app, "look-at", a[0]);
}

static void do_camera(App *app, char **a) {
  look_at(app, "camera", a[0]);
}

static void do_show(App *app, char **a) {
  look_at(app, "show", a[0]);
}

static void do_fullscreen(App *app, char **a) {
  int *w = app->windowed;
  (void)a;
  if (glfwGetWindowMonitor(app->window)) {
    glfwSetWindowMonitor(app->window, NULL, w[0], w[1], w[2], w[3], GLFW_DONT_CARE);
    return;
  }
  GLFWmonitor *monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
  if (!mode) return;
  glfwGetWindowPos(app->window, &w[0], &w[1]);
  glfwGetWindowSize(app->window, &w[2], &w[3]);
  glfwSetWindowMonitor(app->window, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

static void do_panels(App *app, char **a) {
  (void)a;
  app->settings.panels = !app->settings.panels;
}

/* tab NAME, or its number from 1 */
static void do_tab(App *app, char **a) {
  snprintf(app->panels.tab_wanted, sizeof app->panels.tab_wanted, "%s", a[0]);
}

/* layout left|bottom|tree PIXELS, layout reset */
static void do_layout(App *app, char **a) {
  Settings *s = &app->settings;
  const char *text = a[1];
  double size = 0;
  if (*text && (!sofa_read_real(&text, &size) || !(size >= 0 && size < 16384))) size = 0;
  if (strcmp(a[0], "left") == 0) s->left = size;
  else if (strcmp(a[0], "bottom") == 0) s->bottom = size;
  else if (strcmp(a[0], "tree") == 0) s->tree = size;
  else if (strcmp(a[0], "reset") == 0) s->left = s->bottom = s->tree = 0;
  else app_say(app, SOFA_ERROR, "expected layout left, bottom, tree or reset, not '%s'", a[0]);
}

/* The field for a file's name. */
static void do_open_menu(App *app, char **a) {
  (void)a;
  if (!app->options->widgets) {
    app_say(app, SOFA_INFO, "there is no panel to choose a file: drop it on the window");
    return;
  }
  app->panels.opening = true;
  app->settings.panels = true;
}

static void do_palette(App *app, char **a) {
  (void)a;
  if (app->options->widgets) {
    app->settings.panels = true;
    palette_open(app);
  } else {
    app_say(app, SOFA_INFO, "there is no panel to search in");
  }
}

static void do_palette_search(App *app, char **a) {
  palette_search(app, a[0]);
}

static void do_help(App *app, char **a) {
  (void)a;
  app->show_help = !app->show_help;
}

/* ---- objects ---- */

static void do_select(App *app, char **a) {
  const TreeRow *row = tree_find(app, a[0]);
  sofa_free(app->ui, app->selected);
  app->selected = row ? sofa_strdup(app->ui, a[0]) : NULL;
  app->refusal[0] = '\0';
  scene_view_options(app->view)->mark = row ? row->object : NULL;
  fields_refresh(app, true);
}

/* inspect PATH FIELD: selects the object, and shows the field */
static void do_inspect(App *app, char **a) {
  do_select(app, a);
  snprintf(app->panels.filter, sizeof app->panels.filter, "%s", a[1]);
}

static void do_activate(App *app, char **a) {
  const TreeRow *row = tree_find(app, a[0]);
  if (!row || !row->node) return;
  SofaNode *node = (SofaNode *)row->object;
  pull_end(&app->pull);
  node->activated = a[1][0] != '0';
  sofa_field_touch_name(row->object, "activated");
  sofa_graph_changed(node);
  app->tree_stale = true;
}

static void do_set(App *app, char **a) {
  const TreeRow *row = tree_find(app, a[0]);
  if (!row) {
    app_say(app, SOFA_ERROR, "there is no object '%s'", a[0]);
    return;
  }
  edit_field(app, row->object, a[1], a[2]);
  scene_view_update(app->view);
  fields_refresh(app, true);
}

/* set-entry PATH FIELD I VALUE: of a list */
static void do_set_entry(App *app, char **a) {
  const TreeRow *row = tree_find(app, a[0]);
  const char *text = a[2];
  int64_t entry = 0;
  if (!row || !sofa_read_int(&text, &entry) || entry < 0) {
    app_say(app, SOFA_ERROR, "there is no object '%s' with an entry '%s'", a[0], a[2]);
    return;
  }
  edit_entry(app, row->object, a[1], (size_t)entry, a[3]);
  scene_view_update(app->view);
  fields_refresh(app, true);
}

/* watch PATH FIELD [ENTRY[.COMPONENT]] */
static void do_watch(App *app, char **a) {
  const char *text = a[2];
  int64_t entry = 0, component = 0;
  if (*text && (!sofa_read_int(&text, &entry) || entry < 0)) entry = 0;
  if (*text == '.') {
    text++;
    if (!sofa_read_int(&text, &component) || component < 0) component = 0;
  }
  watch_add(app, a[0], a[1], (size_t)entry, (size_t)component);
}

static void do_unwatch(App *app, char **a) {
  const char *text = a[0];
  int64_t index = 0;
  if (sofa_read_int(&text, &index) && index >= 0) watch_remove(app, (size_t)index);
}

/* key-event CODE 1|0: to the listening objects of the scene */
static void do_key_event(App *app, char **a) {
  const char *text = a[0];
  int64_t key = 0;
  if (!app->simulation || !sofa_read_int(&text, &key)) return;
  sofa_send_event(
      app->simulation->root,
      &(SofaEvent){.type = a[1][0] == '0' ? SOFA_EVENT_KEY_RELEASED : SOFA_EVENT_KEY_PRESSED,
                   .key = (int)key});
}

/* ---- recording ---- */

static void do_timers(App *app, char **a) {
  app->timers = a[0][0] != '0';
  sofa_profiler_enable(app->ctx, app->timers);
  if (!app->timers) sofa_profiler_clear(app->ctx);
  app->timer_steps = 0;
}

static void do_energies(App *app, char **a) {
  app->sample_energies = a[0][0] != '0';
  app->panels.curve[2] = app->panels.curve[3] = app->sample_energies;
  if (app->sample_energies) app->panels.curve[0] = false;
}

static void do_fix(App *app, char **a) {
  mouse_operate(app, OPERATION_FIX, a[0], a[1], false);
}

/* remove X Y, or remove X Y over: the mouse goes over it */
static void do_remove(App *app, char **a) {
  mouse_operate(app, OPERATION_REMOVE, a[0], a[1], a[2][0] != '\0');
}

static void do_incise(App *app, char **a) {
  mouse_operate(app, OPERATION_INCISE, a[0], a[1], false);
}

static void do_suture(App *app, char **a) {
  mouse_operate(app, OPERATION_SUTURE, a[0], a[1], false);
}

static void do_mouse(App *app, char **a) {
  mouse_choose(app, a[0], a[1]);
}

static void do_let_go(App *app, char **a) {
  (void)a;
  operations_release(&app->operations, app->ctx);
  app->tree_stale = true;
}

static void do_hold_stiffness(App *app, char **a) {
  mouse_stiffness(app, a[0], a[1]);
}

static void do_snap(App *app, char **a) {
  mouse_snap(app, a[0], a[1]);
}

/* pick X Y: shows the element and the point there */
static void do_pick(App *app, char **a) {
  const char *x_text = a[0], *y_text = a[1];
  double x, y;
  Picked found = {.depth = 0};
  if (!app->simulation || !sofa_read_real(&x_text, &x) || !sofa_read_real(&y_text, &y)) return;
  picked_find(app, x, y, &found);
  selection_take(app, &found);
}

/* pull X Y, pull-end X Y: by the mouse at these places */
static void do_pull(App *app, char **a) {
  const char *x_text = a[0], *y_text = a[1];
  double x, y;
  Picked found = {.depth = 0};
  if (!app->simulation || !sofa_read_real(&x_text, &x) || !sofa_read_real(&y_text, &y)) return;
  picked_find(app, x, y, &found);
  pull_begin(&app->pull, app->simulation, &found.anchor, found.depth, app->pull_stiffness);
  if (app->pull.grip) pull_move(&app->pull, scene_view_camera(app->view), app_viewport(app), x, y);
}

static void do_pull_end(App *app, char **a) {
  (void)a;
  pull_end(&app->pull);
}

static void do_stiffness(App *app, char **a) {
  const char *text = a[0];
  double value = 0;
  app->pull_stiffness = sofa_read_real(&text, &value) && value > 0 ? value : 0;
}

static void do_screenshot(App *app, char **a) {
  record_screenshot(app, a[0][0] ? a[0] : NULL);
}

static void do_window_shot(App *app, char **a) {
  sofa_free(app->ui, app->window_shot);
  app->window_shot = sofa_strdup(app->ui, a[0]);
}

static void do_video(App *app, char **a) {
  record_video(app, a[0][0] ? a[0] : NULL);
}

static void do_save_log(App *app, char **a) {
  if (log_save(&app->log, app->ui, a[0]) == SOFA_OK) app_say(app, SOFA_INFO, "wrote %s", a[0]);
}

static void do_save_plots(App *app, char **a) {
  plots_save(app, a[0][0] ? a[0] : NULL);
}

static void do_save_convergence(App *app, char **a) {
  plots_save_convergence(app, a[0][0] ? a[0] : NULL);
}

static void do_clear_log(App *app, char **a) {
  (void)a;
  log_clear(&app->log);
}

static const Command commands[] = {
    {"play", 0, do_play},
    {"pause", 0, do_pause},
    {"toggle", 0, do_toggle},
    {"step", 1, do_step},
    {"reset", 0, do_reset},
    {"reload", 0, do_reload},
    {"open", 1, do_open},
    {"keep-going", 1, do_keep_going},
    {"pace", 1, do_pace},
    {"go-to", 1, do_go_to},
    {"past", 1, do_past},
    {"past-share", 1, do_past_share},
    {"save-state", 1, do_save_state},
    {"restore-state", 1, do_restore_state},
    {"undo", 0, do_undo},
    {"quit", 0, do_quit},
    {"view-all", 0, do_view_all},
    {"view-reset", 0, do_view_reset},
    {"rescale", 0, do_rescale},
    {"view-save", 1, do_view_save},
    {"view-load", 1, do_view_load},
    {"axis", 1, do_axis},
    {"projection", 1, do_projection},
    {"background", 0, do_background},
    {"axes", 0, do_axes},
    {"box", 0, do_box},
    {"flag", 2, do_flag},
    {"show", 1, do_show},
    {"camera", 1, do_camera},
    {"look-at", 1, do_look_at},
    {"colour", 1, do_color},
    {"colour-range", 2, do_color_range},
    {"fullscreen", 0, do_fullscreen},
    {"panels", 0, do_panels},
    {"tab", 1, do_tab},
    {"layout", 2, do_layout},
    {"help", 0, do_help},
    {"open-menu", 0, do_open_menu},
    {"palette", 0, do_palette},
    {"palette-search", 1, do_palette_search},
    {"select", 1, do_select},
    {"inspect", 2, do_inspect},
    {"activate", 2, do_activate},
    {"set", 3, do_set},
    {"set-entry", 4, do_set_entry},
    {"key-event", 2, do_key_event},
    {"watch", 3, do_watch},
    {"unwatch", 1, do_unwatch},
    {"timers", 1, do_timers},
    {"energies", 1, do_energies},
    {"pick", 2, do_pick},
    {"pull", 2, do_pull},
    {"pull-end", 2, do_pull_end},
    {"pull-stiffness", 1, do_stiffness},
    {"mouse", 2, do_mouse},
    {"fix", 2, do_fix},
    {"remove", 3, do_remove},
    {"incise", 2, do_incise},
    {"suture", 2, do_suture},
    {"let-go", 0, do_let_go},
    {"hold-stiffness", 2, do_hold_stiffness},
    {"snap", 2, do_snap},
    {"screenshot", 1, do_screenshot},
    {"window-shot", 1, do_window_shot},
    {"video", 1, do_video},
    {"save-log", 1, do_save_log},
    {"save-plots", 1, do_save_plots},
    {"save-convergence", 1, do_save_convergence},
    {"clear-log", 0, do_clear_log},
};

/* ---- the queue ---- */

void app_command(App *app, const char *format, ...) {
  char line[4096];
  va_list args;
  va_start(args, format);
  const int n = sofa_vprint(line, sizeof line, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof line) {
    app_say(app, SOFA_ERROR, "the text is too long");
    return;
  }
  sofa_strings_append(app->ui, &app->queue, line, (size_t)n);
  // a long batch of steps ends early for it
  atomic_store(&app->worker.hurry, true);
}

/* Cuts the next argument off; the last one takes all that is left. */
static char *next_argument(char **at, bool last) {
  char *start = *at + strspn(*at, " ");
  char *end;
  if (*start == '"' && (end = strchr(start + 1, '"')) && (!last || end[1] == '\0')) start++;
  else end = last ? start + strlen(start) : start + strcspn(start, " ");
  *at = *end ? end + 1 : end;
  *end = '\0';
  return start;
}

static void run_one(App *app, char *line) {
  char *at = line, *arguments[MAX_ARGUMENTS];
  const char *word = next_argument(&at, false);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    const Command *c = &commands[i];
    if (strcmp(c->name, word) != 0) continue;
    for (int k = 0; k < MAX_ARGUMENTS; k++)
      arguments[k] = next_argument(&at, k >= c->arguments - 1);
    c->run(app, arguments);
    app->picture_stale = app->frame_stale = true;
    return;
  }
  app_say(app, SOFA_ERROR, "unknown command '%s'", word);
}

void commands_run(App *app) {
  SofaStrings *queue = &app->queue;
  while (queue->n && app_free(app)) {
    char *line = queue->data[0];
    queue->n--;
    sofa_move(queue->data, queue->data + 1, queue->n * sizeof *queue->data);
    tree_refresh(app);
    run_one(app, line);
    sofa_free(app->ui, line);
  }
}
