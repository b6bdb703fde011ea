/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plots: what was recorded of the steps, in one set of axes, and how solvers converge. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "viewer/window/imgui_shim.h"
#include "viewer/window/panel_tabs.h"

static const unsigned colors[] = {0xffc850, 0x6ec6ff, 0xff7f6e, 0x8be08b, 0xd6a2ff, 0xffffff,
                                  0xf5a3d0, 0x5fe0d0, 0xc9b37e, 0x9fb4ff, 0xb8e986, 0xff9f40};

/* Curve k: 0 to 3 are recorded of every step, then come the watched numbers. */
static bool find_curve(const App *app, int k, UiCurve *out) {
  static const char *const names[OWN_CURVES] = {"step, s", "residual of the last solve",
                                                "kinetic energy, J", "potential energy, J"};
  const Sample *s = app->history;
  const double *const own[OWN_CURVES] = {&s->seconds, &s->residual, &s->kinetic, &s->potential};
  const int w = k - OWN_CURVES;
  if (k < OWN_CURVES) *out = (UiCurve){.name = names[k], .y = own[k]};
  else *out = (UiCurve){.name = app->watches[w].label, .y = &s->watch[w]};
  out->rgb = colors[k % (int)(sizeof colors / sizeof *colors)];
  if (k >= OWN_CURVES) return app->watches[w].path != NULL;
  return k < 2 || app->sample_energies;
}

static double last_value(const App *app, const double *first) {
  if (!app->history_n) return NAN;
  const int last = (app->history_at + HISTORY - 1) % HISTORY;
  return *(const double *)(const void *)((const char *)first + (size_t)last * sizeof(Sample));
}

/* A line of the list: chosen or not, its name in its colour, its value, and what takes it away. */
static void draw_line(App *app, int k, const UiCurve *curve, float width) {
  char text[40];
  const double now = last_value(app, curve->y);
  ui_push_id(k);
  ui_checkbox_fit(curve->name, curve->rgb, width - 110, &app->panels.curve[k]);
  ui_same_line();
  if (k >= OWN_CURVES && ui_small_button("x")) app_command(app, "unwatch %d", k - OWN_CURVES);
  if (k >= OWN_CURVES) ui_same_line();
  if (isfinite(now)) snprintf(text, sizeof text, "%.5g", now);
  else snprintf(text, sizeof text, "none");
  ui_text_color(text, 0x9a9fa6);
  ui_pop_id();
}

/* The curves that there are; those that are chosen go to the plot. */
static int draw_list(App *app, UiCurve *chosen, float width) {
  int n = 0;
  bool energies = app->sample_energies;
  ui_column("curves", width, ui_height());
  if (ui_checkbox("energies", &energies)) app_command(app, "energies %d", energies ? 1 : 0);
  ui_tooltip("Kinetic and potential energy after every step; costs an evaluation of all forces");
  ui_same_line();
  if (ui_small_button("save CSV")) app_command(app, "save-plots");
  ui_tooltip("All that was recorded: <scene>_NNNN.csv in the current folder");
  for (int k = 0; k < MOST_CURVES; k++) {
    UiCurve curve;
    if (!find_curve(app, k, &curve)) continue;
    draw_line(app, k, &curve, width);
    if (app->panels.curve[k]) chosen[n++] = curve;
  }
  ui_text_color("the ... next to a field adds one", 0x9a9fa6);
  ui_child_end();
  return n;
}

void panel_plots_draw(App *app) {
  UiCurve chosen[MOST_CURVES];
  const float left = ui_width() > 700 ? 300 : 0.4f * ui_width();
  const int n = draw_list(app, chosen, left);
  ui_same_line();
  const UiPlot p = {.label = "all",
                    .x = &app->history->time,
                    .curves = chosen,
                    .n_curves = n,
                    .x_label = "s",
                    .n = app->history_n,
                    .offset = app->history_n < HISTORY ? 0 : app->history_at,
                    .stride = (int)sizeof(Sample),
                    .zoom = &app->panels.zoom};
  app->panels.curves_drawn = n;
  app->panels.plot_width = ui_width();
  app->panels.plot_height = ui_height();
  if (n) ui_plot(&p, ui_width(), ui_height());
  else ui_text_color("choose a curve on the left", 0x9a9fa6);
}

/* ---- one curve ---- */

void panel_plot(App *app, const char *name, const double *first, int id, float width,
                float height) {
  const UiCurve curve = {.name = name, .y = first, .rgb = colors[0]};
  const UiPlot p = {.label = name,
                    .x = &app->history->time,
                    .curves = &curve,
                    .n_curves = 1,
                    .x_label = "s",
                    .n = app->history_n,
                    .offset = app->history_n < HISTORY ? 0 : app->history_at,
                    .stride = (int)sizeof(Sample),
                    .zoom = &app->panels.zoom};
  ui_push_id(id);
  ui_plot(&p, width, height);
  ui_pop_id();
}

static void plot_curve(const char *name, const Curve *curve, int id, float width, float height) {
  const UiCurve one = {.name = name, .y = curve->values, .rgb = colors[0]};
  const UiPlot p = {.label = name,
                    .curves = &one,
                    .n_curves = 1,
                    .x_label = "iteration",
                    .n = curve->n,
                    .stride = (int)sizeof *curve->values};
  ui_push_id(id);
  ui_plot(&p, width, height);
  ui_pop_id();
}

void panel_convergence_draw(App *app) {
  const Sample *s = app->history;
  if (ui_small_button("save CSV")) app_command(app, "save-convergence");
  ui_tooltip("The two upper curves: <scene>_NNNN.csv in the current folder");
  const float width = ui_width() / 2 - 6, half = (ui_height() - 8) / 2;
  const float height = half > 80 ? half : 80;
  plot_curve("log10 |R| of Newton in the last step", &app->newton, 1, width, height);
  ui_same_line();
  plot_curve("log10 |b - Ax| of the last solve", &app->linear, 2, width, height);
  panel_plot(app, "Newton iterations per step", &s->newton, 3, width, height);
  ui_same_line();
  panel_plot(app, "linear iterations per step", &s->linear, 4, width, height);
}
