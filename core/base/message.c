/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats messages, counts them and hands them to the context's sink. */
#include "base/message.h"

#include <stdio.h>
#include "base/context.h"
#include "base/text.h"

const char *sofa_severity_text(SofaSeverity severity) {
  static const char *const texts[SOFA_N_SEVERITIES] = {"info", "deprecated", "warning", "error",
                                                       "fatal"};
  return (unsigned)severity < SOFA_N_SEVERITIES ? texts[severity] : "unknown";
}

/* The sink of a context without one: "file:line: severity: path: text". */
static void print_message(const SofaMessage *message) {
  const SofaOrigin *o = &message->origin;
  FILE *out = message->severity >= SOFA_WARNING ? stderr : stdout;
  const char *who = o->path ? o->path : o->emitter;
  char line[16] = "";
  if (o->file && o->line > 0) snprintf(line, sizeof line, ":%d", o->line);
  // keep the order of the two streams when both go to one terminal or file
  if (out == stderr) fflush(stdout);
  if (o->file) sofa_print_escaped(out, o->file);
  fprintf(out, "%s%s%s: ", line, o->file ? ": " : "", sofa_severity_text(message->severity));
  if (who) sofa_print_escaped(out, who);
  if (who) fputs(": ", out);
  sofa_print_escaped(out, message->text);
  fputc('\n', out);
}

static void send(SofaContext *ctx, const SofaMessage *message) {
  if ((unsigned)message->severity < SOFA_N_SEVERITIES) ctx->n_messages[message->severity]++;
  // a scene may ask for silence, but not about errors
  if (ctx->silences > 0 && message->severity < SOFA_ERROR) return;
  if (ctx->sink) ctx->sink(ctx->sink_user, message);
  else print_message(message);
}

void sofa_message_add_tap(SofaContext *ctx, SofaMessageTap *tap) {
  tap->next = ctx->taps;
  ctx->taps = tap;
}

void sofa_message_remove_tap(SofaContext *ctx, const SofaMessageTap *tap) {
  SofaMessageTap **at = &ctx->taps;
  while (*at && *at != tap) at = &(*at)->next;
  if (*at) *at = tap->next;
}

void sofa_message_va(SofaContext *ctx, SofaSeverity severity, const SofaOrigin *origin,
                     const char *format, va_list args) {
  char small[1024];
  char *large = NULL;
  va_list again;
  va_copy(again, args);
  const int n = sofa_vprint(small, sizeof small, format, args);
  // long messages need memory; without it they are cut
  if (n >= (int)sizeof small) {
    large = ctx->allocate(ctx->allocate_user, NULL, (size_t)n + 1);
    ctx->n_allocations++;
    if (large) sofa_vprint(large, (size_t)n + 1, format, again);
  }
  va_end(again);
  SofaMessage message = {.severity = severity};
  message.text = n < 0 ? format : large ? large : small;
  if (origin) message.origin = *origin;
  send(ctx, &message);
  for (const SofaMessageTap *tap = ctx->taps; tap; tap = tap->next) tap->read(tap->user, &message);
  if (large) ctx->allocate(ctx->allocate_user, large, 0);
}

void sofa_message(SofaContext *ctx, SofaSeverity severity, const SofaOrigin *origin,
                  const char *format, ...) {
  va_list args;
  va_start(args, format);
  sofa_message_va(ctx, severity, origin, format, args);
  va_end(args);
}

SofaErr sofa_fail(SofaContext *ctx, SofaErr err, const SofaOrigin *origin, const char *format,
                  ...) {
  va_list args;
  va_start(args, format);
  sofa_message_va(ctx, SOFA_ERROR, origin, format, args);
  va_end(args);
  return err;
}
