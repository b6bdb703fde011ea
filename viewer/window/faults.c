/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of a scene that have errors, and the run without them, as --keep-going does it. */
#include <string.h>

#include "viewer/window/app.h"

/* A component has a line in its file; several messages may be about it. */
static bool is_same(const LogEntry *a, const LogEntry *b) {
  if (a->line != b->line || !a->file != !b->file || (a->file && strcmp(a->file, b->file) != 0))
    return false;
  return a->line > 0 || (a->path && b->path && strcmp(a->path, b->path) == 0);
}

static bool is_fault(const App *app, const LogEntry *e) {
  return e->number >= app->load_number && e->severity >= SOFA_ERROR &&
         (e->line > 0 || (e->path && e->path[0] == '/'));
}

static bool was_before(const App *app, const LogEntries *list, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (is_fault(app, &list->data[k]) && is_same(&list->data[k], &list->data[i])) return true;
  return false;
}

void faults_each(App *app, void (*each)(void *user, const LogEntry *entry), void *user) {
  const LogEntries *list = log_lock(&app->log);
  for (size_t i = 0; i < list->n; i++)
    if (is_fault(app, &list->data[i]) && !was_before(app, list, i)) each(user, &list->data[i]);
  log_unlock(&app->log);
}

static void count(void *user, const LogEntry *entry) {
  (void)entry;
  ++*(uint64_t *)user;
}

void faults_count(App *app) {
  app->n_faults = 0;
  app->panels.offering = false;
  faults_each(app, count, &app->n_faults);
}

void faults_leave_out(App *app, bool leave_out) {
  if (!app->file) return;
  app->ctx->keep_going = leave_out;
  app_load(app, app->file, app->simulation != NULL);
}
