/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keeps messages. */
#include "viewer/window/log.h"

#include "base/output.h"
#include "base/text.h"
#include "object/factory.h"

static void free_entry(Log *log, LogEntry *entry) {
  sofa_free(log->ctx, entry->file);
  sofa_free(log->ctx, entry->path);
  sofa_free(log->ctx, entry->text);
}

static void no_message(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

SofaErr log_open(Log *log, SofaMessageSink next, void *next_user) {
  const SofaContextOptions options = {.sink = no_message};
  *log = (Log){.next = next, .next_user = next_user};
  SOFA_TRY(sofa_context_create(&options, &log->ctx));
  pthread_mutex_init(&log->mutex, NULL);
  log->ready = true;
  return SOFA_OK;
}

void log_clear(Log *log) {
  pthread_mutex_lock(&log->mutex);
  for (size_t i = 0; i < log->entries.n; i++) free_entry(log, &log->entries.data[i]);
  log->entries.n = 0;
  log->version++;
  pthread_mutex_unlock(&log->mutex);
}

void log_close(Log *log) {
  if (!log->ready) return;
  log_clear(log);
  sofa_list_free(log->ctx, &log->entries);
  sofa_context_destroy(&log->ctx);
  pthread_mutex_destroy(&log->mutex);
  log->ready = false;
}

/* A message that finds no memory is only passed on. */
static void keep(Log *log, const SofaMessage *m) {
  LogEntries *list = &log->entries;
  const char *path = m->origin.path ? m->origin.path : m->origin.emitter;
  LogEntry entry = {.severity = m->severity, .line = m->origin.line, .number = log->n_kept++};
  if (list->n >= LOG_KEPT) {
    const size_t dropped = LOG_KEPT / 10;
    for (size_t i = 0; i < dropped; i++) free_entry(log, &list->data[i]);
    sofa_move(list->data, list->data + dropped, (list->n - dropped) * sizeof *list->data);
    list->n -= dropped;
  }
  entry.file = sofa_strdup(log->ctx, m->origin.file);
  entry.path = sofa_strdup(log->ctx, path);
  entry.text = sofa_strdup(log->ctx, m->text);
  if (!entry.text || SOFA_APPEND(log->ctx, list, &entry) != SOFA_OK) free_entry(log, &entry);
}

void log_sink(void *user, const SofaMessage *message) {
  Log *log = user;
  pthread_mutex_lock(&log->mutex);
  keep(log, message);
  log->version++;
  log->n_errors += message->severity >= SOFA_ERROR;
  if (log->next) log->next(log->next_user, message);
  pthread_mutex_unlock(&log->mutex);
}

const LogEntries *log_lock(Log *log) {
  pthread_mutex_lock(&log->mutex);
  return &log->entries;
}

void log_unlock(Log *log) {
  pthread_mutex_unlock(&log->mutex);
}

uint64_t log_version(Log *log) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t version = log->version;
  pthread_mutex_unlock(&log->mutex);
  return version;
}

uint64_t log_next(Log *log) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t n = log->n_kept;
  pthread_mutex_unlock(&log->mutex);
  return n;
}

uint64_t log_errors(Log *log) {
  pthread_mutex_lock(&log->mutex);
  const uint64_t n = log->n_errors;
  pthread_mutex_unlock(&log->mutex);
  return n;
}

static SofaErr add_entry(SofaContext *ctx, SofaText *text, const LogEntry *e) {
  if (e->file) {
    SOFA_TRY(sofa_text_escaped(ctx, text, e->file));
    if (e->line > 0) SOFA_TRY(sofa_text_printf(ctx, text, ":%d", e->line));
    SOFA_TRY(sofa_text_append(ctx, text, ": ", 2));
  }
  SOFA_TRY(sofa_text_printf(ctx, text, "%s: ", sofa_severity_text(e->severity)));
  if (e->path) {
    SOFA_TRY(sofa_text_escaped(ctx, text, e->path));
    SOFA_TRY(sofa_text_append(ctx, text, ": ", 2));
  }
  SOFA_TRY(sofa_text_escaped(ctx, text, e->text));
  return sofa_text_append(ctx, text, "\n", 1);
}

SofaErr log_save(Log *log, SofaContext *ctx, const char *path) {
  const SofaOutputSpec spec = {.path = path, .what = "the log", .provenance = SOFA_REMARK_NONE};
  SofaText text = {0};
  SofaErr err = SOFA_OK;
  const LogEntries *list = log_lock(log);
  for (size_t i = 0; i < list->n && err == SOFA_OK; i++)
    err = add_entry(ctx, &text, &list->data[i]);
  log_unlock(log);
  if (err == SOFA_OK) err = sofa_output_whole(ctx, &spec, text.data, text.n);
  sofa_list_free(ctx, &text);
  return err;
}
