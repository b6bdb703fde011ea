/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading of sweeps, and their combination. */
#include "variants.h"

#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "csv.h"

enum { MAX_VARIANTS = 1000000 };

void variants_free(SofaContext *ctx, Variants *v) {
  for (size_t i = 0; v->names && i < v->n_settings; i++) sofa_free(ctx, v->names[i]);
  for (size_t i = 0; v->values && i < v->n * v->n_settings; i++) sofa_free(ctx, v->values[i]);
  sofa_free(ctx, v->names);
  sofa_free(ctx, v->values);
  *v = (Variants){0};
}

static SofaErr allocate(SofaContext *ctx, size_t n, size_t n_settings, Variants *out) {
  *out = (Variants){.n = n, .n_settings = n_settings};
  out->names = sofa_alloc(ctx, n_settings, sizeof *out->names);
  out->values = sofa_alloc(ctx, n * n_settings, sizeof *out->values);
  return out->names && out->values ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* ---- a file ---- */

static size_t count_lines(const char *text) {
  size_t n = 0;
  for (; *text; text += *text == '\n') {
    const size_t length = strcspn(text, "\n");
    n += text[strspn(text, " \t\r")] != '\n' && length > 0;
    text += length;
  }
  return n;
}

/* Moves the cells to a row of texts. */
static SofaErr take_cells(SofaContext *ctx, const SofaOrigin *origin, SofaStrings *cells, size_t n,
                          char **row) {
  if (cells->n != n)
    return sofa_fail(ctx, SOFA_ERR_PARSE, origin, "the line has %zu cells, the first one has %zu",
                     cells->n, n);
  for (size_t i = 0; i < n; i++) {
    row[i] = cells->data[i];
    cells->data[i] = NULL;
  }
  return SOFA_OK;
}

static SofaErr read_rows(SofaContext *ctx, const char *path, const char *text, Variants *out) {
  SofaStrings cells = {0};
  SofaOrigin origin = {.file = path};
  const size_t n_lines = count_lines(text);
  size_t row = 0;
  SofaErr err = SOFA_OK;
  while (*text && err == SOFA_OK) {
    origin.line++;
    SOFA_GO(err, done, csv_read_line(ctx, &text, &cells));
    if (cells.n == 1 && !cells.data[0][0]) continue;
    if (row == 0) SOFA_GO(err, done, allocate(ctx, n_lines - 1, cells.n, out));
    char **to = row == 0 ? out->names : out->values + (row - 1) * out->n_settings;
    err = take_cells(ctx, &origin, &cells, out->n_settings, to);
    row++;
  }
  if (err == SOFA_OK && out->n == 0)
    err = sofa_fail(ctx, SOFA_ERR_PARSE, &(SofaOrigin){.file = path},
                    "expected a line of names (PATH.FIELD) and a line of values for each variant");
done:
  csv_free_line(ctx, &cells);
  return err;
}

static SofaErr read_file(SofaContext *ctx, const char *path, Variants *out) {
  char *bytes = NULL;
  size_t size = 0;
  SOFA_TRY(sofa_read_file(ctx, path, (size_t)1 << 30, &bytes, &size));
  const SofaErr err = read_rows(ctx, path, bytes, out);
  sofa_free(ctx, bytes);
  return err;
}

/* ---- NAME=... ---- */

static SofaErr refuse(SofaContext *ctx, const char *text) {
  return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.emitter = "runcsofa"},
                   "--sweep %s: expected a file (.csv), PATH.FIELD=FIRST:LAST:NUMBER or "
                   "PATH.FIELD=VALUE,VALUE,...",
                   text);
}

/* "a:b:n" */
static bool read_range(const char *text, double *first, double *last, size_t *n) {
  int64_t count = 0;
  if (!sofa_read_real(&text, first) || *text++ != ':') return false;
  if (!sofa_read_real(&text, last) || *text++ != ':') return false;
  if (!sofa_read_int(&text, &count) || *text || count < 1 || count > MAX_VARIANTS) return false;
  *n = (size_t)count;
  return true;
}

static SofaErr fill_range(SofaContext *ctx, double first, double last, Variants *out) {
  for (size_t i = 0; i < out->n; i++) {
    char number[40];
    const double part = out->n > 1 ? (double)i / (double)(out->n - 1) : 0;
    sofa_print_real(number, first * (1 - part) + last * part, 15);
    out->values[i] = sofa_strdup(ctx, number);
    if (!out->values[i]) return SOFA_ERR_MEMORY;
  }
  return SOFA_OK;
}

static SofaErr fill_list(SofaContext *ctx, const char *text, Variants *out) {
  for (size_t i = 0; i < out->n; i++) {
    const size_t length = strcspn(text, ",");
    out->values[i] = sofa_strndup(ctx, text, length);
    if (!out->values[i]) return SOFA_ERR_MEMORY;
    text += length + 1;
  }
  return SOFA_OK;
}

static SofaErr read_values(SofaContext *ctx, const char *text, Variants *out) {
  const char *values = strchr(text, '=') + 1;
  double first, last;
  size_t n = 1;
  const bool range = read_range(values, &first, &last, &n);
  if (!*values || values == text + 1 || (!range && strchr(values, ':'))) return refuse(ctx, text);
  for (const char *p = values; !range && *p; p++) n += *p == ',';
  SOFA_TRY(allocate(ctx, n, 1, out));
  out->names[0] = sofa_strndup(ctx, text, (size_t)(values - 1 - text));
  if (!out->names[0]) return SOFA_ERR_MEMORY;
  return range ? fill_range(ctx, first, last, out) : fill_list(ctx, values, out);
}

/* ---- all ---- */

static SofaErr copy_texts(SofaContext *ctx, char *const *from, size_t n, char **to) {
  for (size_t i = 0; i < n; i++) {
    to[i] = sofa_strdup(ctx, from[i]);
    if (!to[i]) return SOFA_ERR_MEMORY;
  }
  return SOFA_OK;
}

/* Each variant of a with each of b. */
static SofaErr combine(SofaContext *ctx, const Variants *a, const Variants *b, Variants *out) {
  const size_t width = a->n_settings + b->n_settings;
  if (b->n > MAX_VARIANTS / a->n)
    return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.emitter = "runcsofa"},
                     "--sweep: more than %d variants", (int)MAX_VARIANTS);
  SOFA_TRY(allocate(ctx, a->n * b->n, width, out));
  SOFA_TRY(copy_texts(ctx, a->names, a->n_settings, out->names));
  SOFA_TRY(copy_texts(ctx, b->names, b->n_settings, out->names + a->n_settings));
  for (size_t i = 0; i < out->n; i++) {
    char **row = out->values + i * width;
    SOFA_TRY(copy_texts(ctx, a->values + i / b->n * a->n_settings, a->n_settings, row));
    SOFA_TRY(
        copy_texts(ctx, b->values + i % b->n * b->n_settings, b->n_settings, row + a->n_settings));
  }
  return SOFA_OK;
}

static SofaErr read_one(SofaContext *ctx, const char *text, Variants *out) {
  if (strchr(text, '=')) return read_values(ctx, text, out);
  return strcmp(sofa_path_extension(text), "csv") == 0 ? read_file(ctx, text, out)
                                                       : refuse(ctx, text);
}

SofaErr variants_read(SofaContext *ctx, const RunWords *sweeps, Variants *out) {
  SofaErr err = SOFA_OK;
  *out = (Variants){0};
  for (size_t i = 0; i < sweeps->n && err == SOFA_OK; i++) {
    Variants one = {0}, both = {0};
    err = read_one(ctx, sweeps->data[i], &one);
    if (err == SOFA_OK && i > 0) {
      err = combine(ctx, out, &one, &both);
      variants_free(ctx, &one);
      one = both;
    }
    variants_free(ctx, out);
    *out = one;
  }
  if (err != SOFA_OK) variants_free(ctx, out);
  return err;
}
