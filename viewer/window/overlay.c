/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text in the picture: state of the run, keys, last errors. All there is without panels. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "viewer/window/app.h"

static const char *const help[] = {
    "Space          play, pause",
    "N, Right       one step",
    "R              reset",
    "Left           one state back; the run goes on from there",
    "Ctrl+Z         undo the last edit",
    "Ctrl+P         search actions, components and fields (panels)",
    "Ctrl+G         run without the components that have errors",
    "Ctrl+R, F5     reload the file, keep the camera",
    "left drag      turn     (Shift: pull at a point)",
    "right drag     move",
    "wheel, middle  closer, farther",
    "Shift + middle cut a surface, from click to click",
    "Shift + right  remove elements",
    "click          numbers of a point",
    "F or C, Home   see all, first view",
    "K              rescale the colours of values",
    "Ctrl+S, Ctrl+L keep the camera with the scene, take it",
    "X Y Z          along an axis (Shift: from the other side)",
    "O or T         parallel or perspective",
    "W B Ctrl+A     wireframe, background, axes",
    "P, S, F12      picture",
    "V              begin or end a video",
    "F11, Ctrl+F    fill the screen",
    "Tab            panels on or off",
    "H, F1          this text",
    "Escape         quit",
};

static void line_of(SofaDrawList *list, double x, double *y, const char *text, SofaRgba color) {
  const double p[3] = {x, *y, 0}, width = 9.2 * (double)strlen(text) + 12;
  const double a[3] = {x - 5, *y - 15, 0}, b[3] = {x - 5, *y + 4, 0};
  const double c[3] = {x + width, *y + 4, 0}, d[3] = {x + width, *y - 15, 0};
  sofa_draw_quad(list, a, b, c, d, SOFA_RGBA(0.1, 0.1, 0.12, 0.75));
  sofa_draw_text(list, p, 16, color, text);
  *y += 19;
}

static void lines_of(SofaDrawList *list, double x, double *y, const char *text, SofaRgba color) {
  char line[256];
  for (size_t n; *text; text += n + (text[n] == '\n')) {
    n = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, text);
    line_of(list, x, y, line, color);
  }
}

void app_entry_text(const LogEntry *e, bool name_only, char *out, size_t size) {
  const char *file = e->file && name_only ? sofa_path_name(e->file) : e->file;
  char line[16] = "";
  if (e->line > 0) snprintf(line, sizeof line, ":%d", e->line);
  snprintf(out, size, "%s%s%s%s", file ? file : "", file ? line : "", file ? ": " : "", e->text);
}

/* The last messages, at the bottom. */
static void draw_messages(App *app, SofaDrawList *list) {
  const LogEntries *entries = log_lock(&app->log);
  size_t shown = entries->n < 4 ? entries->n : 4;
  double y = app->view_height - 19 * (double)shown - 4;
  for (size_t i = entries->n - shown; i < entries->n; i++) {
    const LogEntry *e = &entries->data[i];
    char text[320];
    app_entry_text(e, false, text, sizeof text);
    line_of(list, 10, &y, text,
            e->severity >= SOFA_ERROR     ? SOFA_RGB(1, 0.4, 0.35)
            : e->severity >= SOFA_WARNING ? SOFA_RGB(1, 0.8, 0.3)
                                          : SOFA_RGB(0.9, 0.9, 0.9));
  }
  log_unlock(&app->log);
}

/* What is wrong with the scene that could not be shown. */
static void draw_errors(App *app, SofaDrawList *list, double *y) {
  const LogEntries *entries = log_lock(&app->log);
  int shown = 0;
  for (size_t i = 0; i < entries->n && shown < 8; i++) {
    const LogEntry *e = &entries->data[i];
    char text[320];
    if (e->number < app->load_number || e->severity < SOFA_ERROR) continue;
    app_entry_text(e, true, text, sizeof text);
    line_of(list, 10, y, text, SOFA_RGB(1, 0.75, 0.7));
    shown++;
  }
  log_unlock(&app->log);
}

void overlay_draw(App *app) {
  SofaDrawList *list = scene_view_extra(app->view);
  const SofaRgba white = SOFA_RGB(1, 1, 1), red = SOFA_RGB(1, 0.4, 0.35);
  char text[256];
  double y = 24;
  list->layer = SOFA_LAYER_SCREEN;
  const bool panels = app->settings.panels && app->options->widgets;
  if (app->simulation && !panels) {
    snprintf(text, sizeof text, "%s   step %llu   time %.4g s   %.3g ms/step   %s",
             app->animate ? "running" : "paused", (unsigned long long)app->simulation->steps,
             app->simulation->root->time, app->step_ms,
             app->show_help ? "" : "Space: play, H: help");
    line_of(list, 10, &y, text, white);
    if (app->left_out_shown) {
      snprintf(text, sizeof text, "without %llu components that have errors",
               (unsigned long long)app->left_out_shown);
      line_of(list, 10, &y, text, SOFA_RGB(1, 0.7, 0.28));
    }
  } else if (!app->simulation) {
    line_of(list, 10, &y,
            app->file ? app->n_faults && !app->ctx->keep_going
                            ? "The scene has errors. Ctrl+R reads it again, Ctrl+G runs without "
                              "the components that have them."
                            : "The scene has errors; it is read again with Ctrl+R."
                      : "No scene: drop a file on the window, or Ctrl+O.",
            red);
    if (app->file) draw_errors(app, list, &y);
  }
  if (app->selection.active && !panels)
    lines_of(list, 10, &y, app->selection.text, SOFA_RGB(1, 0.6, 0.95));
  for (size_t i = 0; app->show_help && i < sizeof help / sizeof *help; i++)
    line_of(list, 10, &y, help[i], white);
  if (!panels) draw_messages(app, list);
  list->layer = SOFA_LAYER_SCENE;
}
