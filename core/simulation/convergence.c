/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The observer of convergence, and the one that writes CSV and JSON files. */
#include "simulation/convergence.h"

#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "base/text.h"
#include "object/node.h"

const char *sofa_convergence_kind_text(SofaConvergenceKind kind) {
  static const char *const words[] = {
#define WORD(id, word) word,
      SOFA_CONVERGENCE_KINDS(WORD)
#undef WORD
  };
  return (unsigned)kind < SOFA_N_CONVERGENCE_KINDS ? words[kind] : "";
}

void sofa_convergence_observe(SofaContext *ctx, const SofaConvergence *observer) {
  ctx->convergence = observer;
}

void sofa_convergence_record(SofaConvergenceRow *row) {
  const SofaContext *ctx = row->solver->ctx;
  if (!ctx->convergence) return;
  row->step = ctx->step;
  row->time = row->solver->node->time;
  ctx->convergence->row(ctx->convergence->user, row);
}

/* ---- files ---- */

struct SofaConvergenceFile {
  SofaContext *ctx;
  SofaConvergence observer;
  SofaOutput *out;
  bool json;
  uint64_t rows;
  SofaText line; /* the row being written */
  SofaErr err;   /* of the first row that failed: it was reported */
};

static const char *const names[] = {"kind",
                                    "step",
                                    "time",
                                    "solver",
                                    "iteration",
                                    "residual",
                                    "relative_residual",
                                    "correction",
                                    "relative_correction",
                                    "linear_iterations",
                                    "nanoseconds",
                                    "reason"};

/* The text before value number i. */
static SofaErr begin_value(SofaConvergenceFile *file, size_t i) {
  const char *before = i ? "," : "";
  if (!file->json) return sofa_text_append(file->ctx, &file->line, before, strlen(before));
  return sofa_text_printf(file->ctx, &file->line, "%s\"%s\":", i ? "," : "{", names[i]);
}

static SofaErr put_text(SofaConvergenceFile *file, size_t i, const char *text) {
  SofaContext *ctx = file->ctx;
  const bool quoted = file->json || strpbrk(text, ",\"\r\n");
  SOFA_TRY(begin_value(file, i));
  if (quoted) SOFA_TRY(sofa_text_append(ctx, &file->line, "\"", 1));
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"') SOFA_TRY(sofa_text_append(ctx, &file->line, file->json ? "\\" : "\"", 1));
    if (c == '\\' && file->json) SOFA_TRY(sofa_text_append(ctx, &file->line, "\\", 1));
    if (c < 0x20 && file->json) SOFA_TRY(sofa_text_printf(ctx, &file->line, "\\u%04x", c));
    else SOFA_TRY(sofa_text_append(ctx, &file->line, text, 1));
  }
  return quoted ? sofa_text_append(ctx, &file->line, "\"", 1) : SOFA_OK;
}

static SofaErr put_count(SofaConvergenceFile *file, size_t i, uint64_t value) {
  SOFA_TRY(begin_value(file, i));
  return sofa_text_printf(file->ctx, &file->line, "%llu", (unsigned long long)value);
}

static SofaErr put_real(SofaConvergenceFile *file, size_t i, double value) {
  SOFA_TRY(begin_value(file, i));
  if (isfinite(value)) return sofa_text_real(file->ctx, &file->line, value, 0);
  return sofa_text_append(file->ctx, &file->line, "null", file->json ? 4 : 0);
}

static SofaErr put_row(SofaConvergenceFile *file, const SofaConvergenceRow *row, const char *path) {
  SOFA_TRY(put_text(file, 0, sofa_convergence_kind_text(row->kind)));
  SOFA_TRY(put_count(file, 1, row->step));
  SOFA_TRY(put_real(file, 2, row->time));
  SOFA_TRY(put_text(file, 3, path));
  SOFA_TRY(put_count(file, 4, row->iteration));
  SOFA_TRY(put_real(file, 5, row->residual));
  SOFA_TRY(put_real(file, 6, row->relative_residual));
  SOFA_TRY(put_real(file, 7, row->correction));
  SOFA_TRY(put_real(file, 8, row->relative_correction));
  SOFA_TRY(put_count(file, 9, row->linear_iterations));
  SOFA_TRY(put_count(file, 10, row->ns));
  SOFA_TRY(put_text(file, 11, row->reason));
  return file->json ? sofa_text_append(file->ctx, &file->line, "}", 1)
                    : sofa_text_append(file->ctx, &file->line, "\n", 1);
}

static void write_row(void *user, const SofaConvergenceRow *row) {
  SofaConvergenceFile *file = (SofaConvergenceFile *)user;
  if (file->err != SOFA_OK) return;
  char *path = sofa_object_path(row->solver);
  file->line.n = 0;
  SofaErr err = path ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK && file->json && file->rows)
    err = sofa_text_append(file->ctx, &file->line, ",\n", 2);
  if (err == SOFA_OK) err = put_row(file, row, path);
  sofa_free(file->ctx, path);
  file->rows++;
  if (err == SOFA_OK) err = sofa_output_write(file->out, file->line.data, file->line.n);
  file->err = err;
}

bool sofa_convergence_can_write(const char *path) {
  const char *end = sofa_path_extension(path);
  return strcmp(end, "csv") == 0 || strcmp(end, "json") == 0;
}

static SofaErr write_head(SofaConvergenceFile *file) {
  const size_t n = sizeof names / sizeof *names;
  if (file->json) return sofa_output_write(file->out, "[\n", 2);
  for (size_t i = 0; i < n; i++)
    SOFA_TRY(sofa_text_printf(file->ctx, &file->line, "%s%s", names[i], i + 1 < n ? "," : "\n"));
  return sofa_output_write(file->out, file->line.data, file->line.n);
}

SofaErr sofa_convergence_open(SofaContext *ctx, const char *path, SofaConvergenceFile **out) {
  const SofaOutputSpec spec = {.path = path, .what = "the convergence"};
  *out = NULL;
  if (!sofa_convergence_can_write(path))
    return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.file = path},
                     "convergence is written to .csv or .json files");
  SofaConvergenceFile *file = sofa_alloc(ctx, 1, sizeof *file);
  if (!file) return SOFA_ERR_MEMORY;
  file->ctx = ctx;
  file->json = strcmp(sofa_path_extension(path), "json") == 0;
  file->observer = (SofaConvergence){write_row, file};
  const SofaErr err = sofa_output_open(ctx, &spec, &file->out);
  if (err != SOFA_OK) {
    sofa_free(ctx, file);
    return err;
  }
  file->err = write_head(file);
  sofa_convergence_observe(ctx, &file->observer);
  *out = file;
  return SOFA_OK;
}

SofaErr sofa_convergence_close(SofaConvergenceFile **pfile) {
  SofaConvergenceFile *file = *pfile;
  if (!file) return SOFA_OK;
  SofaContext *ctx = file->ctx;
  *pfile = NULL;
  if (ctx->convergence == &file->observer) sofa_convergence_observe(ctx, NULL);
  if (file->json && file->err == SOFA_OK)
    file->err = sofa_output_write(file->out, file->rows ? "\n]\n" : "]\n", file->rows ? 3 : 2);
  if (file->err != SOFA_OK) sofa_output_lose(file->out, "a row could not be made");
  const SofaErr err = sofa_output_close(&file->out);
  sofa_list_free(ctx, &file->line);
  sofa_free(ctx, file);
  return err;
}
