/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plays a file of commands and input to the window, for tests and recorded pictures. README.md
 * lists the words. */
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "base/profiler.h"
#include "base/text.h"
#include "object/numbers.h"
#include "viewer/window/app.h"
#include "viewer/window/imgui_shim.h"

enum { VARIABLES = 16, LONGEST = 60 };

struct Script {
  char *text, *at; /* owned; the next line */
  int line;
  double started; /* the line that is waited for, 0: none */
  uint64_t steps; /* to be waited for */
  struct {
    char name[16];
    double value;
  } variables[VARIABLES];
  int n_variables;
};

typedef enum Outcome { DONE, WAIT, FAILED } Outcome;

static Outcome fail(App *app, const char *what, const char *detail) {
  app_say(app, SOFA_ERROR, "script, line %d: %s%s", app->script->line, what, detail);
  return FAILED;
}

SofaErr script_open(App *app, const char *path) {
  size_t size = 0;
  app->script = sofa_alloc(app->ui, 1, sizeof *app->script);
  if (!app->script) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_read_file(app->ui, path, 1 << 20, &app->script->text, &size));
  app->script->at = app->script->text;
  return SOFA_OK;
}

bool script_is_over(const App *app) {
  const Script *s = app->script;
  return !s || s->at[strspn(s->at, " \n")] == '\0';
}

void script_close(App *app) {
  if (!app->script) return;
  sofa_free(app->ui, app->script->text);
  sofa_free(app->ui, app->script);
  app->script = NULL;
}

/* ---- quantities ---- */

/* /path:field[3] */
static bool field_quantity(App *app, const char *word, double *value) {
  char path[256], name[64];
  const char *colon = strchr(word, ':');
  int64_t index = 0;
  if (!colon) return false;
  snprintf(path, sizeof path, "%.*s", (int)(colon - word), word);
  snprintf(name, sizeof name, "%.*s", (int)strcspn(colon + 1, "["), colon + 1);
  const char *bracket = strchr(colon, '[');
  if (bracket) {
    bracket++;
    sofa_read_int(&bracket, &index);
  }
  const TreeRow *row = tree_find(app, path);
  const SofaField *field = row ? sofa_class_field(row->object->klass, name) : NULL;
  return field && index >= 0 && sofa_field_number(row->object, field, (size_t)index, value);
}

/* Objects with an error. */
static double marked(const App *app) {
  double n = 0;
  for (size_t i = 0; i < app->tree.n; i++) n += app->tree.data[i].severity >= SOFA_ERROR;
  return n;
}

static bool quantity(App *app, const char *word, double *value) {
  const Script *s = app->script;
  const char *text = word;
  int width = 0, height = 0;
  double low = NAN, high = NAN;
  const bool colored = scene_view_color_range(app->view, &low, &high);
  const struct {
    const char *name;
    double value;
  } known[] = {
      {"steps", app->simulation ? (double)app->simulation->steps : -1},
      {"time", app->simulation ? app->simulation->root->time : -1},
      {"loaded", app->simulation != NULL},
      {"animate", app->animate},
      {"pulls", app->pull.grip != NULL},
      {"held", (double)operations_held(&app->operations)},
      {"picked", app->selection.active ? (double)app->selection.point : -1},
      {"element", app->selection.topology[0] ? (double)app->selection.element : -1},
      {"refused", app->refusal[0] != '\0'},
      {"errors", (double)log_errors(&app->log)},
      {"gl-errors", (double)app->gl_errors},
      {"busy-frames", (double)app->busy_frames},
      {"samples", app->history_n},
      {"timers", (double)app->timer_lines.n},
      {"newton", app->newton.n},
      {"linear", app->linear.n},
      {"kinetic",
       app->history_n ? app->history[(app->history_at + HISTORY - 1) % HISTORY].kinetic : NAN},
      {"watched",
       app->history_n ? app->history[(app->history_at + HISTORY - 1) % HISTORY].watch[0] : NAN},
      {"distance", scene_view_camera(app->view)->distance},
      {"camera-x", scene_view_camera(app->view)->position[0]},
      {"camera-y", scene_view_camera(app->view)->position[1]},
      {"camera-z", scene_view_camera(app->view)->position[2]},
      {"view-width", app->view_width},
      {"view-height", app->view_height},
      {"fields", (double)app->fields.n},
      {"marked", marked(app)},
      {"frame-rate",
       app->n_frames > 1 ? (double)(app->n_frames - 1) / (app->last_frame - app->first_frame) : 0},
      {"watches", app->watches[0].path != NULL},
      {"files", app->panels.opening},
      {"faults", (double)app->n_faults},
      {"left-out", app->ctx->keep_going ? (double)app->n_faults : 0},
      {"offered", app->panels.offering},
      {"ahead",
       app->simulation ? pace_ahead(&app->pace, sofa_now(), app->simulation->root->time) : 0},
      {"palette", app->panels.palette},
      {"found", (double)app->palette.n},
      {"curves", app->panels.curves_drawn},
      {"plot-width", (double)app->panels.plot_width},
      {"plot-height", (double)app->panels.plot_height},
      {"states", (double)app->past.states.n},
      {"past-bytes", (double)app->past.bytes},
      {"undos", app->n_undo},
      {"coloured", colored},
      {"colour-low", low},
      {"colour-high", high},
      {"panels", ui_available() && app->options->widgets && app->settings.panels}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, word) == 0) {
      *value = known[i].value;
      return true;
    }
  glfwGetWindowSize(app->window, &width, &height);
  if (strcmp(word, "width") == 0 || strcmp(word, "height") == 0) {
    *value = word[0] == 'w' ? width : height;
    return true;
  }
  glfwGetWindowPos(app->window, &width, &height);
  if (strcmp(word, "window-x") == 0 || strcmp(word, "window-y") == 0) {
    *value = word[7] == 'x' ? width : height;
    return true;
  }
  for (int i = 0; i < s->n_variables; i++)
    if (strcmp(s->variables[i].name, word) == 0) {
      *value = s->variables[i].value;
      return true;
    }
  if (field_quantity(app, word, value)) return true;
  return sofa_read_real(&text, value) && sofa_at_end(&text);
}

/* let NAME QUANTITY */
static Outcome do_let(App *app, const char *rest) {
  Script *s = app->script;
  char name[16], word[300];
  double value;
  const size_t n = strcspn(rest, " ");
  snprintf(name, sizeof name, "%.*s", (int)n, rest);
  snprintf(word, sizeof word, "%s", rest + n + (rest[n] == ' '));
  if (!quantity(app, word, &value)) return fail(app, "unknown quantity ", word);
  int i = 0;
  while (i < s->n_variables && strcmp(s->variables[i].name, name) != 0) i++;
  if (i == VARIABLES) return fail(app, "too many variables", "");
  if (i == s->n_variables) s->n_variables++;
  snprintf(s->variables[i].name, sizeof name, "%s", name);
  s->variables[i].value = value;
  return DONE;
}

static bool compare(double a, const char *op, double b, bool *known) {
  *known = true;
  if (strcmp(op, "<") == 0) return a < b;
  if (strcmp(op, ">") == 0) return a > b;
  if (strcmp(op, "<=") == 0) return a <= b;
  if (strcmp(op, ">=") == 0) return a >= b;
  if (strcmp(op, "=") == 0) return a == b;
  if (strcmp(op, "!=") == 0) return a != b;
  if (strcmp(op, "~") == 0) return fabs(a - b) <= 1e-6 * fmax(1, fabs(b));
  *known = false;
  return false;
}

/* A OP B, or A OP B + C */
static Outcome expect(App *app, const char *rest, bool wait) {
  char words[5][256] = {"", "", "", "", ""}, shown[512];
  double a = NAN, b = NAN, c = 0;
  bool known = true;
  const char *at = rest;
  for (int i = 0; i < 5 && *at; i++) {
    const size_t n = strcspn(at, " ");
    snprintf(words[i], sizeof words[i], "%.*s", (int)n, at);
    at += n + strspn(at + n, " ");
  }
  const bool there = quantity(app, words[0], &a) && quantity(app, words[2], &b) &&
                     (!words[3][0] || quantity(app, words[4], &c));
  if (words[3][0] == '-') c = -c;
  if (there && compare(a, words[1], b + c, &known)) return DONE;
  if (wait && known) return WAIT;
  snprintf(shown, sizeof shown, "%s: %.9g and %.9g", rest, a, b + c);
  return fail(app, "not so: ", shown);
}

static Outcome expect_message(App *app, const char *text, bool wait) {
  const LogEntries *list = log_lock(&app->log);
  bool found = false;
  for (size_t i = 0; i < list->n && !found; i++) {
    const LogEntry *e = &list->data[i];
    char line[32];
    snprintf(line, sizeof line, "line %d", e->line);
    found = strstr(e->text, text) || (e->file && strcmp(line, text) == 0);
  }
  log_unlock(&app->log);
  if (found) return DONE;
  return wait ? WAIT : fail(app, "no message with ", text);
}

/* ---- input ---- */

static Outcome do_key(App *app, const char *rest) {
  static const struct {
    const char *name;
    int key;
  } names[] = {{"Space", GLFW_KEY_SPACE}, {"Escape", GLFW_KEY_ESCAPE}, {"Right", GLFW_KEY_RIGHT},
               {"Home", GLFW_KEY_HOME},   {"Left", GLFW_KEY_LEFT},     {"Tab", GLFW_KEY_TAB},
               {"F5", GLFW_KEY_F5}};
  int mods = 0, key = 0;
  for (;; rest = strchr(rest, '+') + 1) {
    if (strncmp(rest, "Ctrl+", 5) == 0) mods |= GLFW_MOD_CONTROL;
    else if (strncmp(rest, "Shift+", 6) == 0) mods |= GLFW_MOD_SHIFT;
    else break;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i].name, rest) == 0) key = names[i].key;
  if (!key && rest[0] && !rest[1]) key = rest[0];
  if (!key) return fail(app, "unknown key ", rest);
  input_key(app, key, GLFW_PRESS, mods);
  input_key(app, key, GLFW_RELEASE, mods);
  return DONE;
}

/* Window units of a pixel of the picture. */
static void move_to_pixel(App *app, double x, double y) {
  int w = 1, h = 1, fw = 1, fh = 1;
  glfwGetWindowSize(app->window, &w, &h);
  glfwGetFramebufferSize(app->window, &fw, &fh);
  input_move(app, (x + app->view_x) * w / fw, (y + app->view_y) * h / fh);
}

/* point PATH INDEX...: the mouse goes to a point of a state, or to the middle of several */
static Outcome do_point(App *app, const char *rest) {
  char path[256];
  int64_t index = 0;
  int count = 0;
  double x, y, depth, sum[3] = {0, 0, 0};
  const size_t n = strcspn(rest, " ");
  snprintf(path, sizeof path, "%.*s", (int)n, rest);
  const TreeRow *row = tree_find(app, path);
  if (!row || !sofa_implements(row->object, SOFA_STATE)) return fail(app, "no state ", path);
  const SofaCoords *p = &((const SofaState *)row->object)->position;
  for (rest += n; sofa_read_int(&rest, &index); count++) {
    if (index < 0 || (size_t)index >= p->n) return fail(app, "no such point in ", path);
    for (int k = 0; k < 3; k++) sum[k] += p->data[(size_t)index * p->width + (size_t)k];
  }
  for (int k = 0; k < 3; k++) sum[k] /= count > 0 ? count : 1;
  if (!sofa_camera_project(scene_view_camera(app->view), app_viewport(app), sum, &x, &y, &depth))
    return fail(app, "not in front of the camera: ", path);
  move_to_pixel(app, x, y);
  return DONE;
}

static Outcome do_mouse(App *app, const char *word, const char *rest) {
  int64_t a = 0, b = 0;
  sofa_read_int(&rest, &a);
  sofa_read_int(&rest, &b);
  if (strcmp(word, "move") == 0) move_to_pixel(app, (double)a, (double)b);
  else if (strcmp(word, "move-by") == 0)
    input_move(app, app->mouse.x + (double)a, app->mouse.y + (double)b);
  else if (strcmp(word, "scroll") == 0) input_scroll(app, (double)a);
  else if (strcmp(word, "place") == 0) glfwSetWindowPos(app->window, (int)a, (int)b);
  else if (strcmp(word, "resize") == 0) glfwSetWindowSize(app->window, (int)a, (int)b);
  return DONE;
}

static Outcome do_button(App *app, const char *word, const char *rest) {
  const int button = rest[0] == 'r' ? 1 : rest[0] == 'm' ? 2 : 0;
  input_button(app, button, strcmp(word, "press") == 0 ? GLFW_PRESS : GLFW_RELEASE,
               strstr(rest, "shift") ? GLFW_MOD_SHIFT : 0);
  return DONE;
}

/* ---- lines ---- */

static bool one_of(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(*words, word) == 0) return true;
  return false;
}

/* copy FROM TO: a file, as somebody would save another version of a scene */
static Outcome do_copy(App *app, const char *rest) {
  char from[1024];
  char *bytes = NULL;
  size_t size = 0;
  const size_t n = strcspn(rest, " ");
  snprintf(from, sizeof from, "%.*s", (int)n, rest);
  if (!rest[n] || sofa_read_file(app->ui, from, 0, &bytes, &size) != SOFA_OK)
    return fail(app, "cannot read ", from);
  const SofaOutputSpec spec = {
      .path = rest + n + 1, .what = "the copy", .provenance = SOFA_REMARK_NONE};
  const bool good = sofa_output_whole(app->ui, &spec, bytes, size) == SOFA_OK;
  sofa_free(app->ui, bytes);
  return good ? DONE : fail(app, "cannot write ", rest + n + 1);
}

/* wait SECONDS */
static Outcome do_wait(App *app, const char *rest) {
  double seconds = 0;
  sofa_read_real(&rest, &seconds);
  return sofa_now() - app->script->started >= seconds ? DONE : WAIT;
}

static Outcome play(App *app, const char *word, const char *rest) {
  static const char *const moves[] = {"move", "move-by", "scroll", "resize", "place", NULL};
  static const char *const buttons[] = {"press", "release", NULL};
  if (!*word || *word == '#') return DONE;
  if (strcmp(word, "expect") == 0) return expect(app, rest, false);
  if (strcmp(word, "wait-for") == 0) return expect(app, rest, true);
  if (strcmp(word, "expect-message") == 0) return expect_message(app, rest, false);
  if (strcmp(word, "wait-for-message") == 0) return expect_message(app, rest, true);
  if (strcmp(word, "wait") == 0) return do_wait(app, rest);
  if (strcmp(word, "let") == 0) return do_let(app, rest);
  if (strcmp(word, "key") == 0) return do_key(app, rest);
  if (strcmp(word, "point") == 0) return do_point(app, rest);
  if (one_of(word, moves)) return do_mouse(app, word, rest);
  if (one_of(word, buttons)) return do_button(app, word, rest);
  if (strcmp(word, "close") == 0) glfwSetWindowShouldClose(app->window, GLFW_TRUE);
  else if (strcmp(word, "minimise") == 0) glfwIconifyWindow(app->window);
  else if (strcmp(word, "restore") == 0) glfwRestoreWindow(app->window);
  else if (strcmp(word, "copy") == 0) return do_copy(app, rest);
  else app_command(app, "%s %s", word, rest);
  return DONE;
}

static Outcome play_line(App *app, const char *start, size_t length) {
  char line[4096], word[32];
  if (length >= sizeof line) return fail(app, "the line is too long", "");
  sofa_copy(line, start, length);
  line[length] = '\0';
  const char *at = line + strspn(line, " ");
  const size_t n = strcspn(at, " ");
  snprintf(word, sizeof word, "%.*s", (int)n, at);
  return play(app, word, at + n + strspn(at + n, " "));
}

/* A line at a time, each with the scene as the one before has left it. */
void script_tick(App *app) {
  Script *s = app->script;
  if (app->loading || app->queue.n || glfwWindowShouldClose(app->window)) return;
  if (!*s->at) return;
  const size_t length = strcspn(s->at, "\n");
  if (s->started == 0) {
    s->started = sofa_now();
    s->line++;
  }
  Outcome outcome = play_line(app, s->at, length);
  if (outcome == WAIT && sofa_now() - s->started > LONGEST)
    outcome = fail(app, "waited for too long", "");
  if (outcome == WAIT) return;
  s->started = 0;
  s->at += length + (s->at[length] == '\n');
  app->frame_stale = true;
  if (outcome == FAILED) {
    app->failed = true;
    app->quit = true;
  }
}
