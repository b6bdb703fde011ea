/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of a sweep: settings and recorded quantities of all variants. */
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "base/output.h"
#include "base/provenance.h"
#include "csv.h"
#include "math/kernels.h"
#include "scene/settings.h"
#include "sweep_impl.h"

typedef struct Table {
  Sweep *sweep;
  SofaText text;
  bool named; /* the columns of the quantities are in the first line */
  SofaText rows;
} Table;

/* The recorded table of a variant; *out NULL: there is none. */
static SofaErr read_records(const Sweep *sweep, size_t variant, char **out) {
  const char *name = sweep->options->record_file ? sweep->options->record_file : "record.csv";
  size_t size = 0;
  char *folder = sweep_folder(sweep, variant);
  char *path = folder ? sofa_path_join(sweep->ctx, folder, name) : NULL;
  SofaErr err = path ? SOFA_OK : SOFA_ERR_MEMORY;
  *out = NULL;
  if (path && sweep->options->record.n && sofa_is_file(path))
    err = sofa_read_file(sweep->ctx, path, 0, out, &size);
  sofa_free(sweep->ctx, path);
  sofa_free(sweep->ctx, folder);
  return err;
}

/* Variant, status, settings. */
static SofaErr begin_row(Table *t, size_t variant, int status) {
  const Variants *v = &t->sweep->variants;
  SofaContext *ctx = t->sweep->ctx;
  SOFA_TRY(sofa_text_printf(ctx, &t->rows, "%zu,%d", variant, status));
  for (size_t i = 0; i < v->n_settings; i++) {
    SOFA_TRY(sofa_text_append(ctx, &t->rows, ",", 1));
    SOFA_TRY(csv_add_cell(ctx, &t->rows, v->values[(variant - 1) * v->n_settings + i]));
  }
  return SOFA_OK;
}

static SofaErr end_row(Table *t, const char *line, size_t n) {
  if (n) SOFA_TRY(sofa_text_append(t->sweep->ctx, &t->rows, ",", 1));
  SOFA_TRY(sofa_text_append(t->sweep->ctx, &t->rows, line, n));
  return sofa_text_append(t->sweep->ctx, &t->rows, "\n", 1);
}

/* The recorded lines of a variant: all, or the last one. */
static SofaErr add_lines(Table *t, size_t variant, int status, const char *line) {
  const bool all = t->sweep->options->record_every_given;
  for (; line && *line; line += strcspn(line, "\n") + 1) {
    const size_t n = strcspn(line, "\n");
    if (!line[n]) break; // not complete
    if (!all && line[n + 1]) continue;
    SOFA_TRY(begin_row(t, variant, status));
    SOFA_TRY(end_row(t, line, n));
  }
  return SOFA_OK;
}

static SofaErr add_variant(Table *t, size_t variant, int status) {
  char *records = NULL;
  SofaContext *ctx = t->sweep->ctx;
  SOFA_TRY(read_records(t->sweep, variant, &records));
  const size_t names = records ? strcspn(records, "\n") : 0;
  SofaErr err = SOFA_OK;
  if (names && !t->named) {
    t->named = true;
    err = sofa_text_append(ctx, &t->text, ",", 1);
    if (err == SOFA_OK) err = sofa_text_append(ctx, &t->text, records, names);
  }
  const bool has_lines = names && records[names] && records[names + 1];
  if (err == SOFA_OK && has_lines) err = add_lines(t, variant, status, records + names + 1);
  else if (err == SOFA_OK) {
    err = begin_row(t, variant, status);
    if (err == SOFA_OK) err = end_row(t, "", 0);
  }
  sofa_free(ctx, records);
  return err;
}

static SofaErr add_all(Table *t) {
  Sweep *sweep = t->sweep;
  SOFA_TRY(sofa_text_printf(sweep->ctx, &t->text, "variant,status"));
  for (size_t i = 0; i < sweep->variants.n_settings; i++) {
    SOFA_TRY(sofa_text_append(sweep->ctx, &t->text, ",", 1));
    SOFA_TRY(csv_add_cell(sweep->ctx, &t->text, sweep->variants.names[i]));
  }
  for (size_t i = 1; i <= sweep->variants.n; i++) {
    bool finished = false;
    int status = 0;
    SOFA_TRY(sweep_read_mark(sweep, i, &finished, &status));
    if (finished) SOFA_TRY(add_variant(t, i, status));
  }
  SOFA_TRY(sofa_text_append(sweep->ctx, &t->text, "\n", 1));
  return t->rows.n ? sofa_text_append(sweep->ctx, &t->text, t->rows.data, t->rows.n) : SOFA_OK;
}

/* Its line names the sweep, and all files that the variants were made of. */
static SofaErr add_provenance(Table *t) {
  const RunOptions *o = t->sweep->options;
  SofaContext *ctx = t->sweep->ctx;
  SofaText words = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < o->sweep.n && err == SOFA_OK; i++)
    err = sofa_text_printf(ctx, &words, "%s%s", i ? ", " : "sweep ", o->sweep.data[i]);
  for (size_t i = 0; i < o->set.n && err == SOFA_OK; i++) err = sofa_scene_set(ctx, o->set.data[i]);
  if (err == SOFA_OK) err = sofa_provenance_begin(ctx, o->scene, words.data);
  for (size_t i = 0; i < t->sweep->found.n && err == SOFA_OK; i++)
    err = sofa_provenance_input(ctx, t->sweep->found.data[i].path, t->sweep->found.data[i].sum);
  if (err == SOFA_OK) err = sofa_provenance_seal(ctx, ctx->kernels ? ctx->kernels->name : NULL);
  sofa_list_free(ctx, &words);
  return err;
}

SofaErr sweep_write_table(Sweep *sweep) {
  Table t = {.sweep = sweep};
  char *path = sofa_path_join(sweep->ctx, sweep->folder, "results.csv");
  SofaErr err = path ? add_all(&t) : SOFA_ERR_MEMORY;
  const SofaOutputSpec spec = {.path = path, .what = "the table of the sweep"};
  if (err == SOFA_OK) err = add_provenance(&t);
  if (err == SOFA_OK) err = sofa_output_whole(sweep->ctx, &spec, t.text.data, t.text.n);
  sofa_list_free(sweep->ctx, &t.text);
  sofa_list_free(sweep->ctx, &t.rows);
  sofa_free(sweep->ctx, path);
  return err;
}
