/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports of checks: findings, their text and their JSON. */
#include "numerics/check/check.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "numerics/check/check_impl.h"

const char *sofa_check_verdict_text(SofaCheckVerdict verdict) {
  static const char *const words[] = {
#define WORD(code, word) word,
      SOFA_CHECK_VERDICTS(WORD)
#undef WORD
  };
  return words[verdict];
}

void sofa_check_report_free(SofaCheckReport *report) {
  for (size_t i = 0; i < report->findings.n; i++) {
    sofa_free(report->ctx, report->findings.data[i].path);
    sofa_free(report->ctx, report->findings.data[i].text);
  }
  sofa_list_free(report->ctx, &report->findings);
  sofa_list_free(report->ctx, &report->energy);
  *report = (SofaCheckReport){.ctx = report->ctx};
}

/* Takes the text. */
static SofaErr add_finding(SofaCheckReport *report, SofaFinding *finding,
                           const SofaObject *object) {
  SofaContext *ctx = report->ctx;
  finding->klass = object ? object->klass->name : "";
  finding->path = object ? sofa_object_path(object) : sofa_strdup(ctx, "");
  SofaErr err = finding->path && finding->text ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = SOFA_APPEND(ctx, &report->findings, finding);
  if (err != SOFA_OK) {
    sofa_free(ctx, finding->path);
    sofa_free(ctx, finding->text);
    return err;
  }
  report->n_warnings += finding->verdict == SOFA_CHECK_WARNING;
  report->n_wrong += finding->verdict == SOFA_CHECK_WRONG;
  return SOFA_OK;
}

SofaErr sofa_check_add(SofaCheckReport *report, const SofaObject *object, SofaCheckVerdict verdict,
                       double error, const char *format, ...) {
  char text[1000];
  va_list args;
  va_start(args, format);
  sofa_vprint(text, sizeof text, format, args);
  va_end(args);
  SofaFinding finding = {.check = report->check,
                         .verdict = verdict,
                         .error = error,
                         .text = sofa_strdup(report->ctx, text)};
  return add_finding(report, &finding, object);
}

/* ---- comparisons ---- */

SofaErr sofa_compare_add(SofaComparisons *c, const char *what, SofaCheckVerdict verdict,
                         double error) {
  char number[32];
  sofa_print_real(number, error, 2);
  if (c->text.n == 0) c->error = error;
  if (verdict > c->verdict || (verdict == c->verdict && !(error <= c->error))) {
    c->verdict = verdict;
    c->error = error;
  }
  return sofa_text_printf(c->ctx, &c->text, "%s%s %s", c->text.n ? ", " : "", what, number);
}

SofaErr sofa_compare_say(SofaComparisons *c, const char *why) {
  return sofa_text_printf(c->ctx, &c->text, "%s%s", c->text.n ? "; " : "", why);
}

SofaErr sofa_compare_end(SofaComparisons *c, const SofaObject *object, SofaCheckReport *report) {
  const SofaErr err =
      sofa_check_add(report, object, c->verdict, c->error, "%s", c->text.n ? c->text.data : "");
  sofa_list_free(c->ctx, &c->text);
  return err;
}

/* ---- text ---- */

static SofaErr print_finding(SofaContext *ctx, const SofaFinding *f, SofaText *out) {
  SOFA_TRY(sofa_text_printf(ctx, out, "%s: %s: ", f->check, sofa_check_verdict_text(f->verdict)));
  if (*f->path) {
    SOFA_TRY(sofa_text_escaped(ctx, out, f->path));
    SOFA_TRY(sofa_text_printf(ctx, out, " (%s): ", f->klass));
  }
  SOFA_TRY(sofa_text_escaped(ctx, out, f->text));
  return sofa_text_append(ctx, out, "\n", 1);
}

#define ENERGY_COLUMNS(X)                                                                          \
  X(time)                                                                                          \
  X(kinetic)                                                                                       \
  X(potential)                                                                                     \
  X(loads)                                                                                         \
  X(imposed)                                                                                       \
  X(constraints)                                                                                   \
  X(damping)                                                                                       \
  X(dissipated)                                                                                    \
  X(unstored)                                                                                      \
  X(residual)

static SofaErr print_energies(const SofaCheckReport *report, SofaText *out) {
  SofaContext *ctx = report->ctx;
  if (report->energy.n == 0) return SOFA_OK;
  SOFA_TRY(sofa_text_printf(ctx, out, "%6s", "step"));
#define NAME(column) SOFA_TRY(sofa_text_printf(ctx, out, " %12s", #column));
  ENERGY_COLUMNS(NAME)
#undef NAME
  for (size_t i = 0; i < report->energy.n; i++) {
    const SofaEnergyRow *row = &report->energy.data[i];
    SOFA_TRY(sofa_text_printf(ctx, out, "\n%6llu", (unsigned long long)row->step));
#define VALUE(column) SOFA_TRY(sofa_text_printf(ctx, out, " %12.4e", row->column));
    ENERGY_COLUMNS(VALUE)
#undef VALUE
  }
  return sofa_text_append(ctx, out, "\n", 1);
}

SofaErr sofa_check_print(const SofaCheckReport *report, SofaText *out) {
  SOFA_TRY(print_energies(report, out));
  for (size_t i = 0; i < report->findings.n; i++)
    SOFA_TRY(print_finding(report->ctx, &report->findings.data[i], out));
  return sofa_text_printf(report->ctx, out, "%zu wrong, %zu warning%s\n", report->n_wrong,
                          report->n_warnings, report->n_warnings == 1 ? "" : "s");
}

/* ---- JSON ---- */

static SofaErr put_number(SofaContext *ctx, SofaText *out, const char *key, double value) {
  SOFA_TRY(sofa_text_printf(ctx, out, "\"%s\": ", key));
  return isfinite(value) ? sofa_text_real(ctx, out, value, 0)
                         : sofa_text_append(ctx, out, "null", 4);
}

/* Bytes that are not printable are written as the characters of Latin-1. */
static SofaErr put_string(SofaContext *ctx, SofaText *out, const char *text) {
  SOFA_TRY(sofa_text_append(ctx, out, "\"", 1));
  while (*text) {
    const size_t n = sofa_printable(text);
    if (*text == '"' || *text == '\\') SOFA_TRY(sofa_text_append(ctx, out, "\\", 1));
    if (n > 0) SOFA_TRY(sofa_text_append(ctx, out, text, n));
    else SOFA_TRY(sofa_text_printf(ctx, out, "\\u%04x", (unsigned char)*text));
    text += n ? n : 1;
  }
  return sofa_text_append(ctx, out, "\"", 1);
}

static SofaErr put_word(SofaContext *ctx, SofaText *out, const char *key, const char *text) {
  SOFA_TRY(sofa_text_printf(ctx, out, "\"%s\": ", key));
  return put_string(ctx, out, text);
}

static SofaErr put_finding(SofaContext *ctx, SofaText *out, const SofaFinding *f) {
  const char *const keys[] = {"check", "path", "class", "verdict", "text"};
  const char *const words[] = {f->check, f->path, f->klass, sofa_check_verdict_text(f->verdict),
                               f->text};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    SOFA_TRY(sofa_text_printf(ctx, out, i ? ", " : "{"));
    SOFA_TRY(put_word(ctx, out, keys[i], words[i]));
  }
  SOFA_TRY(sofa_text_printf(ctx, out, ", "));
  SOFA_TRY(put_number(ctx, out, "error", f->error));
  return sofa_text_printf(ctx, out, "}");
}

static SofaErr put_energies(SofaContext *ctx, SofaText *out, const SofaEnergyRow *row) {
  SOFA_TRY(sofa_text_printf(ctx, out, "{\"step\": %llu", (unsigned long long)row->step));
#define PUT(column)                                                                                \
  SOFA_TRY(sofa_text_printf(ctx, out, ", "));                                                      \
  SOFA_TRY(put_number(ctx, out, #column, row->column));
  ENERGY_COLUMNS(PUT)
#undef PUT
  return sofa_text_printf(ctx, out, "}");
}

SofaErr sofa_check_json(const SofaCheckReport *report, SofaText *out) {
  SofaContext *ctx = report->ctx;
  SOFA_TRY(sofa_text_printf(ctx, out, "{\"findings\": ["));
  for (size_t i = 0; i < report->findings.n; i++) {
    SOFA_TRY(sofa_text_printf(ctx, out, i ? ",\n  " : "\n  "));
    SOFA_TRY(put_finding(ctx, out, &report->findings.data[i]));
  }
  SOFA_TRY(sofa_text_printf(ctx, out, "],\n \"energy\": ["));
  for (size_t i = 0; i < report->energy.n; i++) {
    SOFA_TRY(sofa_text_printf(ctx, out, i ? ",\n  " : "\n  "));
    SOFA_TRY(put_energies(ctx, out, &report->energy.data[i]));
  }
  return sofa_text_printf(ctx, out, "],\n \"warnings\": %zu, \"wrong\": %zu}\n", report->n_warnings,
                          report->n_wrong);
}
