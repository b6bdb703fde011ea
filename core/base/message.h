/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages to the user. Every message passes through the context's one sink. */
#ifndef SOFA_BASE_MESSAGE_H
#define SOFA_BASE_MESSAGE_H

#include <stdarg.h>
#include "base/error.h"

SOFA_BEGIN_DECLS

typedef struct SofaContext SofaContext;

typedef enum SofaSeverity {
  SOFA_INFO,
  SOFA_DEPRECATED,
  SOFA_WARNING,
  SOFA_ERROR,
  SOFA_FATAL,
  SOFA_N_SEVERITIES
} SofaSeverity;

/* The origin of a message. All strings are borrowed for the duration of the call; any may be
 * NULL. */
typedef struct SofaOrigin {
  const char *file;    /* scene or mesh file */
  int line;            /* 1-based, 0 when unknown */
  const char *path;    /* path of the object in the graph, e.g. "/body/state" */
  const char *emitter; /* "ClassName(name)" or a plain word such as "runcsofa" */
} SofaOrigin;

typedef struct SofaMessage {
  SofaSeverity severity;
  SofaOrigin origin;
  const char *text; /* without newline at the end */
} SofaMessage;

typedef void (*SofaMessageSink)(void *user, const SofaMessage *message);

/* A second reader of all messages, called after the sink. The caller that adds it owns it. */
typedef struct SofaMessageTap {
  SofaMessageSink read;
  void *user;
  struct SofaMessageTap *next;
} SofaMessageTap;
void sofa_message_add_tap(SofaContext *ctx, SofaMessageTap *tap);
void sofa_message_remove_tap(SofaContext *ctx, const SofaMessageTap *tap); /* unknown ones: no-op */

const char *sofa_severity_text(SofaSeverity severity); /* "info", "warning", "error", ... */

/* Formats and sends a message, and counts it in the context. `origin` may be NULL. */
void sofa_message(SofaContext *ctx, SofaSeverity severity, const SofaOrigin *origin,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void sofa_message_va(SofaContext *ctx, SofaSeverity severity, const SofaOrigin *origin,
                     const char *format, va_list args);
/* Sends an error and returns `err`, so that a check is one statement. */
SofaErr sofa_fail(SofaContext *ctx, SofaErr err, const SofaOrigin *origin, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

SOFA_END_DECLS

#endif
