/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The messages the window keeps. They come from the thread of the scene and from that of the
 * window, hence the lock. */
#ifndef VIEWER_WINDOW_LOG_H
#define VIEWER_WINDOW_LOG_H

#include <pthread.h>
#include "base/array.h"

enum { LOG_KEPT = 2000 }; /* of more, the oldest are forgotten */

typedef struct LogEntry {
  SofaSeverity severity;
  char *file, *path, *text; /* owned; file and path may be NULL */
  int line;
  uint64_t number; /* grows from entry to entry */
} LogEntry;
SOFA_LIST(LogEntry, LogEntries);

typedef struct Log {
  SofaContext *ctx; /* of the entries only; owned */
  pthread_mutex_t mutex;
  LogEntries entries;
  uint64_t version; /* grows with every message */
  uint64_t n_errors, n_kept;
  SofaMessageSink next; /* where they go, too */
  void *next_user;
  bool ready;
} Log;

/* Messages go on to `next` (may be NULL). */
SofaErr log_open(Log *log, SofaMessageSink next, void *next_user);
void log_close(Log *log);                              /* harmless when it was never opened */
void log_sink(void *user, const SofaMessage *message); /* user: the Log */
void log_clear(Log *log);

/* Between these the entries stand still. */
const LogEntries *log_lock(Log *log);
void log_unlock(Log *log);
uint64_t log_version(Log *log);
uint64_t log_next(Log *log); /* number of the next entry */
uint64_t log_errors(Log *log);
/* Writes them to a file, one per line. */
SofaErr log_save(Log *log, SofaContext *ctx, const char *path); /* ctx reports failures */

#endif
