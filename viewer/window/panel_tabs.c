/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tabs: log, performance, view, selection. */
#include "viewer/window/panel_tabs.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "viewer/window/imgui_shim.h"

/* ---- log ---- */

static void draw_entry(App *app, const LogEntry *e, int id) {
  char text[900];
  const unsigned color = e->severity >= SOFA_ERROR     ? 0xff6a5a
                         : e->severity >= SOFA_WARNING ? 0xffb347
                                                       : 0xc8ccd2;
  char line[16] = "";
  if (e->line > 0) snprintf(line, sizeof line, ":%d", e->line);
  if (e->file)
    snprintf(text, sizeof text, "%s%s: %s%s%s", e->file, line, e->path ? e->path : "",
             e->path ? ": " : "", e->text);
  else snprintf(text, sizeof text, "%s", e->text);
  ui_push_id(id);
  if (e->path && e->path[0] == '/') {
    if (ui_small_button("show")) app_command(app, "select %s", e->path);
    ui_same_line();
  }
  ui_text_wrapped(text, color);
  ui_pop_id();
}

static void draw_log(App *app) {
  static const char *const levels[] = {"all", "warnings", "errors"};
  static const int least[] = {SOFA_INFO, SOFA_DEPRECATED, SOFA_ERROR};
  for (int i = 0; i < 3; i++) {
    char label[32];
    snprintf(label, sizeof label, i == app->panels.log_level ? "[%s]" : " %s ", levels[i]);
    if (ui_small_button(label)) app->panels.log_level = i;
    ui_same_line();
  }
  if (ui_small_button("clear")) app_command(app, "clear-log");
  ui_same_line();
  if (ui_small_button("save")) app_command(app, "save-log csofa.log");
  ui_child("log", ui_height(), true);
  const LogEntries *list = log_lock(&app->log);
  const size_t first = list->n > 400 ? list->n - 400 : 0;
  for (size_t i = first; i < list->n; i++)
    if ((int)list->data[i].severity >= least[app->panels.log_level])
      draw_entry(app, &list->data[i], (int)i);
  log_unlock(&app->log);
  ui_scroll_to_end();
  ui_child_end();
}

/* ---- performance ---- */

static void draw_timers(const App *app) {
  char text[64];
  double whole = 0; // of the outermost ones
  for (size_t i = 0; i < app->timer_lines.n; i++)
    if (app->timer_lines.data[i].level == 0) whole += app->timer_lines.data[i].ms;
  if (!ui_table("timers", 4, ui_height())) return;
  ui_table_column("timer", 0.55f);
  ui_table_column("ms per step", 0.15f);
  ui_table_column("part", 0.15f);
  ui_table_column("calls per step", 0.15f);
  ui_table_headers();
  for (size_t i = 0; i < app->timer_lines.n; i++) {
    const TimerLine *line = &app->timer_lines.data[i];
    ui_table_row();
    snprintf(text, sizeof text, "%*s%s", 2 * line->level, "", line->name);
    ui_text(text);
    ui_table_next();
    snprintf(text, sizeof text, "%.4f", line->ms);
    ui_text(text);
    ui_table_next();
    snprintf(text, sizeof text, "%.1f %%", whole > 0 ? 100 * line->ms / whole : 0);
    ui_text(text);
    ui_table_next();
    snprintf(text, sizeof text, "%.3g", line->calls);
    ui_text(text);
  }
  ui_table_end();
}

static void draw_performance(App *app) {
  char text[200];
  const SceneViewStats stats = scene_view_stats(app->view);
  bool timers = app->timers;
  if (ui_checkbox("timers", &timers)) app_command(app, "timers %d", timers ? 1 : 0);
  ui_same_line();
  snprintf(text, sizeof text,
           "   %.3g ms/step (%.0f steps/s)   %.3g ms/picture   %zu triangles   %.3g MB uploaded",
           app->step_ms, app->step_ms > 0 ? 1e3 / app->step_ms : 0, 1e3 * stats.seconds,
           stats.triangles, 1e-6 * (double)stats.uploaded_bytes);
  ui_text(text);
  if (app->timers) draw_timers(app);
  else panel_plot(app, "step, s", &app->history[0].seconds, 1, ui_width(), ui_height());
}

/* ---- view ---- */

/* What is coloured, and by what range. */
static void draw_colors(App *app) {
  char text[512];
  double low = 0, high = 0;
  if (!app->color) {
    ui_text_color("colours: the ... next to a field, or colour PATH.FIELD in Ctrl+P", 0x9a9fa6);
    return;
  }
  const bool ranged = scene_view_color_range(app->view, &low, &high);
  snprintf(text, sizeof text, "colours of %.380s: %.4g to %.4g%s  ", app->color, low, high,
           !ranged                                        ? " (no numbers)"
           : app->color_range.low < app->color_range.high ? " (given)"
                                                          : "");
  ui_text(text);
  ui_same_line();
  if (ui_small_button("rescale")) app_command(app, "rescale");
  ui_tooltip("K: the range of the numbers of now");
  ui_same_line();
  if (ui_small_button("no colours")) app_command(app, "colour");
}

static void draw_view(App *app) {
  static const char *const states[] = {"as the scene says", "show", "hide"};
  static const char *const words[] = {"scene", "show", "hide"};
  draw_colors(app);
  if (!ui_table("flags", 4, ui_height())) return;
  for (int k = 0; k < 4; k++) ui_table_column("", k % 2 ? 0.2f : 0.3f);
  int cell = 0;
  for (int i = 0; i < SOFA_N_DISPLAY_FLAGS; i++) {
    static const int groups[] = {SOFA_DISPLAY_ALL,      SOFA_DISPLAY_VISUAL,
                                 SOFA_DISPLAY_BEHAVIOR, SOFA_DISPLAY_COLLISION,
                                 SOFA_DISPLAY_MAPPING,  SOFA_DISPLAY_OPTIONS};
    bool is_group = false;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) is_group |= groups[k] == i;
    if (is_group) continue;
    const char *word = sofa_display_flag_word((SofaDisplayFlag)i);
    const int value = scene_view_options(app->view)->flags.value[i];
    int current = value > 0 ? 1 : value < 0 ? 2 : 0;
    if (cell++ % 2 == 0) ui_table_row();
    else ui_table_next();
    ui_text(word);
    ui_table_next();
    ui_push_id(i);
    if (ui_combo("##flag", states, 3, &current))
      app_command(app, "flag %s %s", word, words[current]);
    ui_pop_id();
  }
  ui_table_end();
}

/* ---- selection ---- */

static void draw_selection(App *app) {
  const Selection *s = &app->selection;
  if (!s->active) {
    ui_text_color("Click on a body to see the element and the point below the mouse.", 0x9a9fa6);
    return;
  }
  if (ui_small_button("copy")) ui_copy(s->text);
  ui_same_line();
  if (ui_small_button("show its state")) app_command(app, "select %s", s->path);
  ui_child("selection", ui_height(), true);
  ui_text(s->text);
  ui_child_end();
}

/* ---- all ---- */

static bool is_wanted(const char *wanted, const char *name, size_t i) {
  char number[24];
  snprintf(number, sizeof number, "%zu", i + 1);
  return strcasecmp(wanted, name) == 0 || strcmp(wanted, number) == 0;
}

void panel_tabs_draw(App *app) {
  static const struct {
    const char *name;
    void (*draw)(App *app);
  } tabs[] = {{"Log", draw_log},
              {"Plots", panel_plots_draw},
              {"Time", panel_time_draw},
              {"Convergence", panel_convergence_draw},
              {"Performance", draw_performance},
              {"View", draw_view},
              {"Mouse", panel_mouse_draw},
              {"Selection", draw_selection}};
  if (!ui_tabs("tabs")) return;
  for (size_t i = 0; i < sizeof tabs / sizeof *tabs; i++) {
    const bool chosen = is_wanted(app->panels.tab_wanted, tabs[i].name, i);
    if (!ui_tab(tabs[i].name, chosen)) continue;
    if (chosen) app->panels.tab_wanted[0] = '\0';
    tabs[i].draw(app);
    ui_tab_end();
  }
  ui_tabs_end();
}
