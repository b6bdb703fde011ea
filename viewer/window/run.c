/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of the simulation, made by the worker, and what is recorded of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/profiler.h"
#include "object/numbers.h"
#include "viewer/window/app.h"

/* ---- in the worker ---- */

static void append(Curve *curve, double value) {
  const int most = (int)(sizeof curve->values / sizeof *curve->values);
  if (curve->n >= most || !(value >= 0)) return;
  curve->values[curve->n++] = value > 0 ? log10(value) : -20;
}

static void take_row(void *user, const SofaConvergenceRow *row) {
  Batch *b = user;
  switch (row->kind) {
  case SOFA_CONVERGENCE_NEWTON:
    append(&b->newton, row->residual);
    b->residual = row->residual;
    b->newton_count = row->iteration;
    break;
  case SOFA_CONVERGENCE_LINEAR:
    b->linear_count += row->linear_iterations;
    if (isnan(b->residual) || b->newton.n == 0) b->residual = row->residual;
    break;
  case SOFA_CONVERGENCE_CONSTRAINT:
    break;
  default:
    if (row->iteration <= 1 && b->linear.n > 1) b->linear.n = 0;
    append(&b->linear, row->residual);
    break;
  }
}

/* The watched number, NAN when it is not there (any more). */
static double watched(const Watch *w) {
  double value = NAN;
  if (!w->object) return NAN;
  const size_t width = sofa_value_width(w->field, sofa_field_value(w->object, w->field));
  if (w->component >= width) return NAN;
  return sofa_field_number(w->object, w->field, w->entry * width + w->component, &value) ? value
                                                                                         : NAN;
}

static void sample(App *app, double seconds) {
  Batch *b = &app->batch;
  Sample *s = &b->samples[b->n++];
  double kinetic = NAN, potential = NAN;
  *s = (Sample){.step = (double)app->simulation->steps,
                .time = app->simulation->root->time,
                .seconds = seconds,
                .residual = b->residual,
                .newton = b->newton_count,
                .linear = b->linear_count};
  if (app->sample_energies) sofa_simulation_energies(app->simulation, &kinetic, &potential);
  s->kinetic = kinetic;
  s->potential = potential;
  for (int i = 0; i < WATCHES; i++) s->watch[i] = watched(&app->watches[i]);
}

void run_step_job(void *user) {
  App *app = user;
  Batch *b = &app->batch;
  const SofaConvergence observer = {take_row, b};
  const double start = sofa_now();
  const bool observed = sofa_convergence_observed(app->ctx);
  const bool animate = app->simulation->root->animate;
  b->n = 0;
  if (app->past.states.n == 0) time_record(app, 0);
  if (!observed) sofa_convergence_observe(app->ctx, &observer);
  while (b->n < BATCH) {
    const double begin = sofa_now();
    b->newton.n = b->linear.n = 0;
    b->residual = NAN;
    b->newton_count = b->linear_count = 0;
    b->failure = sofa_simulation_step(app->simulation, 0);
    if (b->failure != SOFA_OK) break;
    const double took = sofa_now() - begin;
    sample(app, took);
    time_record(app, took);
    if (animate && !app->simulation->root->animate) break;
    if (!app->animate && (uint64_t)b->n >= app->steps_wanted) break;
    if (app->options->n_steps && app->simulation->steps >= app->options->n_steps) break;
    if (!time_allows_step(app)) break;
    if (sofa_now() - start >= app->batch_seconds || atomic_load(&app->worker.hurry)) break;
  }
  if (!observed) sofa_convergence_observe(app->ctx, NULL);
}

/* ---- in the window ---- */

static void take_timers(App *app) {
  const SofaTimerRow *rows = NULL;
  const size_t n = sofa_profiler_rows(app->ctx, &rows);
  const double steps = app->timer_steps ? (double)app->timer_steps : 1;
  if (SOFA_RESIZE(app->ui, &app->timer_lines, n) != SOFA_OK) return;
  for (size_t i = 0; i < n; i++) {
    TimerLine *line = &app->timer_lines.data[i];
    snprintf(line->name, sizeof line->name, "%s", rows[i].name);
    line->level = rows[i].level;
    line->ms = 1e3 * rows[i].seconds / steps;
    line->calls = (double)rows[i].calls / steps;
  }
  if (app->timer_steps < 100) return;
  sofa_profiler_clear(app->ctx);
  app->timer_steps = 0;
}

/* After the run went back: what was recorded of the steps that are made again. */
static void forget_future(App *app, double step) {
  while (app->history_n) {
    const int last = (app->history_at + HISTORY - 1) % HISTORY;
    if (app->history[last].step < step) return;
    app->history_at = last;
    app->history_n--;
  }
}

void run_take(App *app) {
  Batch *b = &app->batch;
  double seconds = 0;
  if (b->n == 0 && b->failure == SOFA_OK) return;
  if (b->n) forget_future(app, b->samples[0].step);
  for (int i = 0; i < b->n; i++) {
    app->history[app->history_at] = b->samples[i];
    app->history_at = (app->history_at + 1) % HISTORY;
    if (app->history_n < HISTORY) app->history_n++;
    seconds += b->samples[i].seconds;
  }
  if (b->n) app->step_ms = 1e3 * seconds / b->n;
  if (b->newton.n) app->newton = b->newton;
  if (b->linear.n) app->linear = b->linear;
  app->steps_wanted = app->steps_wanted > (uint64_t)b->n ? app->steps_wanted - (uint64_t)b->n : 0;
  app->timer_steps += (uint64_t)b->n;
  if (app->timers) take_timers(app);
  if (b->failure != SOFA_OK) {
    app->animate = false;
    app->steps_wanted = 0;
    app_say(app, SOFA_INFO, "stopped after step %llu, at the last good state: reset or reload",
            (unsigned long long)app->simulation->steps);
  }
  b->n = 0;
  b->failure = SOFA_OK;
  app->picture_stale = true;
}

void run_clear(App *app) {
  app->history_at = app->history_n = 0;
  app->newton.n = app->linear.n = 0;
  app->timer_steps = 0;
  app->timer_lines.n = 0;
  app->batch.n = 0;
  app->batch.failure = SOFA_OK;
}

/* ---- watched numbers ---- */

void watch_resolve(App *app) {
  for (int i = 0; i < WATCHES; i++) {
    Watch *w = &app->watches[i];
    const TreeRow *row = w->path ? tree_find(app, w->path) : NULL;
    w->field = row ? sofa_class_field(row->object->klass, w->name) : NULL;
    w->object = w->field ? row->object : NULL;
  }
}

/* "state.position[62].y" */
static void make_label(Watch *w, const char *object) {
  static const char letters[] = "xyz";
  const size_t width = sofa_value_width(w->field, sofa_field_value(w->object, w->field));
  int n = snprintf(w->label, sizeof w->label, "%s.%s", object, w->name);
  const size_t size = sizeof w->label;
  if (w->field->type->list && (size_t)n < size)
    n += snprintf(w->label + n, size - (size_t)n, "[%zu]", w->entry);
  if (width < 2 || (size_t)n >= size) return;
  if (w->component < 3) snprintf(w->label + n, size - (size_t)n, ".%c", letters[w->component]);
  else snprintf(w->label + n, size - (size_t)n, ".%zu", w->component);
}

bool watch_add(App *app, const char *path, const char *name, size_t entry, size_t component) {
  const TreeRow *row = tree_find(app, path);
  Watch made = {.entry = entry, .component = component};
  snprintf(made.name, sizeof made.name, "%s", name);
  made.field = row ? sofa_class_field(row->object->klass, name) : NULL;
  made.object = made.field ? row->object : NULL;
  if (!isfinite(watched(&made))) {
    app_say(app, SOFA_ERROR, "%s has no number %zu.%zu in a field '%s' to plot", path, entry,
            component, name);
    return false;
  }
  for (int i = 0; i < WATCHES; i++) {
    if (app->watches[i].path) continue;
    made.path = sofa_strdup(app->ui, path);
    make_label(&made, row->name);
    app->watches[i] = made;
    app->panels.curve[0] = false; // seconds have other axes
    app->panels.curve[OWN_CURVES + i] = true;
    for (int k = 0; k < HISTORY; k++) app->history[k].watch[i] = NAN;
    return made.path != NULL;
  }
  app_say(app, SOFA_ERROR, "at most %d numbers can be plotted", (int)WATCHES);
  return false;
}

void watch_remove(App *app, size_t i) {
  if (i >= WATCHES) return;
  sofa_free(app->ui, app->watches[i].path);
  app->watches[i] = (Watch){.path = NULL};
}
