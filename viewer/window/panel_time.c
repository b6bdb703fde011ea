/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of the scene: pace, states of the past, saved states, undo; and the offer to run without
 * components that have errors. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "viewer/window/imgui_shim.h"
#include "viewer/window/panel_tabs.h"

enum { GREY = 0x9a9fa6, ORANGE = 0xffb347, PINK = 0xffbfb3 };

/* ---- pace ---- */

static void draw_pace(App *app) {
  static const struct {
    const char *label, *command;
    double factor;
  } rows[] = {{"as fast as possible", "pace max", 0},
              {"real time", "pace 1", 1},
              {"1/2", "pace 0.5", 0.5},
              {"1/10", "pace 0.1", 0.1},
              {"1/100", "pace 0.01", 0.01},
              {"2 x", "pace 2", 2}};
  char text[120];
  ui_text("pace");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const bool is = app->pace.factor >= rows[i].factor && app->pace.factor <= rows[i].factor;
    snprintf(text, sizeof text, is ? "[%s]" : " %s ", rows[i].label);
    ui_same_line();
    if (ui_small_button(text)) app_command(app, "%s", rows[i].command);
  }
  ui_same_line();
  const bool slow =
      app->pace.factor > 0 && app->pace.rate > 0 && app->pace.rate < 0.9 * app->pace.factor;
  snprintf(text, sizeof text, "  now %.3g s of the scene per second%s", app->pace.rate,
           slow ? ": the steps take longer" : "");
  ui_text_color(text, slow ? ORANGE : GREY);
}

/* ---- the past ---- */

static void draw_slider(App *app) {
  const PastShown *p = &app->past_shown;
  char text[120];
  int step = (int)app->step_shown;
  snprintf(text, sizeof text, "step %llu of %llu to %llu", (unsigned long long)app->step_shown,
           (unsigned long long)p->first, (unsigned long long)p->last);
  if (p->n < 2 || p->last > INT32_MAX) {
    ui_text_color(p->refusal[0] ? p->refusal : "no past yet: make steps", GREY);
    return;
  }
  const int last = (int)(app->step_shown > p->last ? app->step_shown : p->last);
  if (ui_slider_int("##past", &step, (int)p->first, last, text) && app->queue.n == 0)
    app_command(app, "go-to %d", step);
}

static void draw_past(App *app) {
  const PastShown *p = &app->past_shown;
  char text[200];
  bool kept = !p->off;
  draw_slider(app);
  if (ui_small_button("|< first")) app_command(app, "go-to 0");
  ui_same_line();
  if (ui_small_button("< back")) app_command(app, "go-to -1");
  ui_tooltip("Left: the state before");
  ui_same_line();
  if (ui_small_button("forward >")) app_command(app, "go-to +1");
  ui_same_line();
  if (ui_small_button("last >|")) app_command(app, "go-to %llu", (unsigned long long)p->last);
  ui_same_line();
  if (ui_checkbox("keep states", &kept)) app_command(app, "past %d", kept ? 1 : 0);
  ui_tooltip("Whole states, from which the run goes on with the same bits. They take at most a "
             "tenth of the time of the steps, so that fast scenes keep some of their steps only, "
             "and no more memory than shown: the oldest ones go");
  ui_same_line();
  snprintf(text, sizeof text, "%zu states, %.2f of %.0f MB, %.4g s of the scene", p->n,
           1e-6 * (double)p->bytes, 1e-6 * (double)p->most, p->span);
  ui_text_color(text, GREY);
}

/* ---- files and edits ---- */

static void draw_files(App *app) {
  char text[300];
  if (ui_small_button("save the state")) app_command(app, "save-state");
  ui_tooltip("<scene>_NNNN.state in the current folder, as --save-state writes it");
  ui_same_line();
  snprintf(text, sizeof text, "undo (%d)", app->n_undo);
  if (ui_small_button(text)) app_command(app, "undo");
  if (app->n_undo) {
    const Undo *u = &app->undo[app->n_undo - 1];
    snprintf(text, sizeof text, "Ctrl+Z: %.100s.%.60s = %.80s", u->path, u->field, u->text);
    ui_tooltip(text);
  }
  ui_same_line();
  ui_text("restore a file (Return)");
  ui_same_line();
  if (ui_input("##restore", "a saved state of this scene", app->panels.restore,
               sizeof app->panels.restore) &&
      app->panels.restore[0])
    app_command(app, "restore-state %s", app->panels.restore);
}

void panel_time_draw(App *app) {
  draw_pace(app);
  ui_separator();
  draw_past(app);
  ui_separator();
  draw_files(app);
}

/* ---- components with errors ---- */

static void draw_fault(void *user, const LogEntry *entry) {
  char text[700];
  (void)user;
  app_entry_text(entry, true, text, sizeof text);
  ui_text_wrapped(text, PINK);
}

void panel_faults_draw(App *app, int width, int height) {
  PanelState *p = &app->panels;
  char text[120];
  if (!p->offering || app->loading) return;
  const bool can = app->n_faults > 0 && !app->ctx->keep_going;
  const float w = width > 760 ? 700 : (float)width - 20,
              h = height > 400 ? 300 : (float)height - 40;
  ui_dialog("The scene has errors", ((float)width - w) / 2, 130, w, h, &p->offering);
  ui_text(app->file ? sofa_path_name(app->file) : "");
  snprintf(text, sizeof text, "Run without %s %llu component%s",
           app->n_faults == 1 ? "this" : "these", (unsigned long long)app->n_faults,
           app->n_faults == 1 ? "" : "s");
  if (can && ui_button(text)) app_command(app, "keep-going 1");
  if (can) ui_tooltip("Ctrl+G: as --keep-going does. What the others need of them is missing, too");
  if (can) ui_same_line();
  if (ui_button("Read the file again")) app_command(app, "reload");
  ui_tooltip("Ctrl+R");
  ui_child("faults", ui_height(), true);
  faults_each(app, draw_fault, NULL);
  ui_child_end();
  ui_panel_end();
}

/* In the menu, as long as components are left out. */
void panel_faults_badge(App *app) {
  char text[80];
  if (!app->left_out_shown) return;
  snprintf(text, sizeof text, "  ! without %llu component%s ",
           (unsigned long long)app->left_out_shown, app->left_out_shown == 1 ? "" : "s");
  ui_text_color(text, ORANGE);
  ui_tooltip("The scene has errors: it runs without these components (the log names them). "
             "Run with all components: keep-going 0 in Ctrl+P");
}
