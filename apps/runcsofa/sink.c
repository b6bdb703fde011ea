/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints messages. */
#include "sink.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "json_text.h"

static bool want_color(RunSwitch wanted, int fd) {
  if (wanted != SWITCH_AUTO) return wanted == SWITCH_YES;
  const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
  return isatty(fd) && !(none && *none) && !(term && strcmp(term, "dumb") == 0);
}

void sink_open(Sink *sink, const RunOptions *options, Progress *progress) {
  sink->format = options->format;
  sink->color_out = want_color(options->colors, STDOUT_FILENO);
  sink->color_err = want_color(options->colors, STDERR_FILENO);
  sink->progress = progress;
  sink->errors_only = false;
}

static const char *color_of(SofaSeverity severity) {
  static const char *const colors[SOFA_N_SEVERITIES] = {[SOFA_INFO] = "\033[92m",
                                                        [SOFA_DEPRECATED] = "\033[33m",
                                                        [SOFA_WARNING] = "\033[93m",
                                                        [SOFA_ERROR] = "\033[91m",
                                                        [SOFA_FATAL] = "\033[95m"};
  return colors[severity];
}

/* "file:line: "; the line only where it is known. */
static void print_place(FILE *out, const SofaOrigin *o) {
  sofa_print_escaped(out, o->file);
  if (o->line > 0) fprintf(out, ":%d", o->line);
  fputs(": ", out);
}

static void print_who(FILE *out, const char *before, const char *who, const char *behind,
                      bool color) {
  fprintf(out, "%s%s", color ? "\033[34m" : "", before);
  sofa_print_escaped(out, who);
  fprintf(out, "%s%s ", behind, color ? "\033[0m" : "");
}

/* ---- file:line: severity: path: text ---- */

static void print_clang(FILE *out, const SofaMessage *m, bool color) {
  const SofaOrigin *o = &m->origin;
  const char *who = o->path ? o->path : o->emitter;

  // what the program itself tells needs no label
  if (m->severity == SOFA_INFO && !o->file && !o->path) {
    sofa_print_escaped(out, m->text);
    fputc('\n', out);
    return;
  }
  if (o->file) print_place(out, o);
  fprintf(out, "%s%s:%s ", color ? color_of(m->severity) : "", sofa_severity_text(m->severity),
          color ? "\033[0m" : "");
  if (who) print_who(out, "", who, ":", color);
  sofa_print_escaped(out, m->text);
  fputc('\n', out);
}

/* ---- [ERROR]   [Emitter] text ---- */

static void print_sofa(FILE *out, const SofaMessage *m, bool color) {
  static const char *const prefixes[SOFA_N_SEVERITIES] = {[SOFA_INFO] = "[INFO]    ",
                                                          [SOFA_DEPRECATED] = "[DEPRECATED] ",
                                                          [SOFA_WARNING] = "[WARNING] ",
                                                          [SOFA_ERROR] = "[ERROR]   ",
                                                          [SOFA_FATAL] = "[FATAL]   "};
  const char *who = m->origin.emitter ? m->origin.emitter : m->origin.path;
  fprintf(out, "%s%s%s", color ? color_of(m->severity) : "", prefixes[m->severity],
          color ? "\033[0m" : "");
  if (who) print_who(out, "[", who, "]", color);
  if (m->origin.file && m->severity >= SOFA_WARNING) print_place(out, &m->origin);
  sofa_print_escaped(out, m->text);
  fputc('\n', out);
}

/* ---- {"severity": ...} ---- */

static void print_member(FILE *out, const char *name, const char *text) {
  if (!text) return;
  fprintf(out, ", \"%s\": ", name);
  json_print_text(out, text);
}

static void print_json(FILE *out, const SofaMessage *m) {
  fprintf(out, "{\"severity\": \"%s\"", sofa_severity_text(m->severity));
  print_member(out, "file", m->origin.file);
  if (m->origin.line > 0) fprintf(out, ", \"line\": %d", m->origin.line);
  print_member(out, "path", m->origin.path);
  print_member(out, "emitter", m->origin.emitter);
  print_member(out, "text", m->text);
  fputs("}\n", out);
}

void sink_message(void *user, const SofaMessage *message) {
  const Sink *sink = user;
  if (sink->errors_only && message->severity < SOFA_ERROR) return;
  const bool out = message->severity == SOFA_INFO || sink->format == FORMAT_JSON;
  FILE *stream = out ? stdout : stderr;
  const bool color = out ? sink->color_out : sink->color_err;
  progress_clear(sink->progress);
  // keep the order of the two streams when both go to one place
  if (!out) fflush(stdout);
  if (sink->format == FORMAT_JSON) print_json(stream, message);
  else if (sink->format == FORMAT_SOFA) print_sofa(stream, message, color);
  else print_clang(stream, message, color);
  if (out) fflush(stdout);
}
