/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What plots show, as files. */
#include <math.h>

#include "base/output.h"
#include "base/text.h"
#include "viewer/window/app.h"

/* A number, nothing where there is none. */
static void put(App *app, SofaText *text, double value, char end) {
  if (isfinite(value)) sofa_text_printf(app->ui, text, "%.17g", value);
  sofa_text_printf(app->ui, text, "%c", end);
}

static void save(App *app, const char *path, SofaText *text) {
  char *own = path ? NULL : record_name(app, "csv");
  if (!path) path = own;
  const SofaOutputSpec spec = {.path = path, .what = "the plot"};
  if (path && sofa_output_whole(app->ui, &spec, text->data, text->n) == SOFA_OK)
    app_say(app, SOFA_INFO, "wrote %s", path);
  sofa_free(app->ui, own);
  sofa_list_free(app->ui, text);
}

static void put_sample(App *app, SofaText *text, const Sample *s, int n_watches) {
  const double numbers[] = {s->step,   s->time,   s->seconds, s->residual,
                            s->newton, s->linear, s->kinetic, s->potential};
  const int n = (int)(sizeof numbers / sizeof *numbers);
  for (int i = 0; i < n; i++) put(app, text, numbers[i], i + 1 < n || n_watches > 0 ? ',' : '\n');
  for (int i = 0; i < n_watches; i++) put(app, text, s->watch[i], i + 1 < n_watches ? ',' : '\n');
}

void plots_save(App *app, const char *path) {
  SofaText text = {0};
  int n_watches = 0; // up to the last one; a column that was taken away is empty
  sofa_text_printf(app->ui, &text,
                   "step,time,step_seconds,residual,newton_iterations,linear_iterations,"
                   "kinetic_energy,potential_energy");
  for (int i = 0; i < WATCHES; i++)
    if (app->watches[i].path) n_watches = i + 1;
  for (int i = 0; i < n_watches; i++)
    sofa_text_printf(app->ui, &text, ",%s", app->watches[i].path ? app->watches[i].label : "");
  sofa_text_printf(app->ui, &text, "\n");
  const int first = app->history_n < HISTORY ? 0 : app->history_at;
  for (int i = 0; i < app->history_n; i++)
    put_sample(app, &text, &app->history[(first + i) % HISTORY], n_watches);
  save(app, path, &text);
}

void plots_save_convergence(App *app, const char *path) {
  const Curve *newton = &app->newton, *linear = &app->linear;
  SofaText text = {0};
  sofa_text_printf(app->ui, &text, "iteration,log10_newton_residual,log10_linear_residual\n");
  for (int i = 0; i < newton->n || i < linear->n; i++) {
    sofa_text_printf(app->ui, &text, "%d,", i + 1);
    put(app, &text, i < newton->n ? newton->values[i] : NAN, ',');
    put(app, &text, i < linear->n ? linear->values[i] : NAN, '\n');
  }
  save(app, path, &text);
}
