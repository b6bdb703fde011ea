/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quantities of a run as lines of a table. */
#include "recorder.h"

#include "base/output.h"
#include "base/text.h"
#include "simulation/quantity.h"

SOFA_LIST(SofaQuantity, Quantities);

struct Recorder {
  SofaSimulation *simulation;
  Quantities quantities;
  SofaOutput *output;
  SofaText line;
  uint64_t every, written; /* steps between two lines, 0: only at the end; last one + 1 */
};

static SofaErr open_quantities(Recorder *r, const RunWords *texts) {
  SofaContext *ctx = r->simulation->ctx;
  for (size_t i = 0; i < texts->n; i++) {
    SofaQuantity q;
    SOFA_TRY(sofa_quantity_open(r->simulation->root, texts->data[i], &q));
    const SofaErr err = SOFA_APPEND(ctx, &r->quantities, &q);
    if (err != SOFA_OK) sofa_quantity_close(ctx, &q);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

static SofaErr write_line(Recorder *r) {
  SOFA_TRY(sofa_text_append(r->simulation->ctx, &r->line, "\n", 1));
  SOFA_TRY(sofa_output_write(r->output, r->line.data, r->line.n));
  return sofa_output_flush(r->output);
}

static SofaErr write_names(Recorder *r) {
  SofaContext *ctx = r->simulation->ctx;
  SOFA_TRY(sofa_text_printf(ctx, &r->line, "time [s],step"));
  for (size_t i = 0; i < r->quantities.n; i++)
    SOFA_TRY(sofa_quantity_names(ctx, &r->quantities.data[i], &r->line));
  return write_line(r);
}

SofaErr recorder_open(SofaSimulation *simulation, const RunOptions *options, Recorder **out) {
  SofaContext *ctx = simulation->ctx;
  SofaErr err;
  const char *path = options->record_file ? options->record_file : "record.csv";
  const SofaOutputSpec spec = {.path = path, .what = "the table of the run"};
  *out = NULL;
  if (options->record.n == 0) return SOFA_OK;
  Recorder *r = sofa_alloc(ctx, 1, sizeof *r);
  if (!r) return SOFA_ERR_MEMORY;
  r->simulation = simulation;
  r->every = options->record_every;
  SOFA_GO(err, done, open_quantities(r, &options->record));
  SOFA_GO(err, done, sofa_output_open(ctx, &spec, &r->output));
  err = write_names(r);
done:
  *out = r;
  if (err != SOFA_OK) {
    sofa_output_discard(&r->output);
    recorder_close(out);
  }
  return err;
}

SofaErr recorder_write(Recorder *r, uint64_t step, bool last) {
  if (!r || r->written == step + 1) return SOFA_OK;
  if (!last && (r->every == 0 || step % r->every != 0)) return SOFA_OK;
  r->written = step + 1;
  r->line.n = 0;
  SOFA_TRY(sofa_text_real(r->simulation->ctx, &r->line, r->simulation->root->time, 0));
  SOFA_TRY(sofa_text_printf(r->simulation->ctx, &r->line, ",%llu", (unsigned long long)step));
  for (size_t i = 0; i < r->quantities.n; i++)
    SOFA_TRY(sofa_quantity_cells(r->simulation->ctx, &r->quantities.data[i], &r->line));
  return write_line(r);
}

SofaErr recorder_close(Recorder **recorder) {
  Recorder *r = *recorder;
  if (!r) return SOFA_OK;
  SofaContext *ctx = r->simulation->ctx;
  const SofaErr err = sofa_output_close(&r->output);
  for (size_t i = 0; i < r->quantities.n; i++) sofa_quantity_close(ctx, &r->quantities.data[i]);
  sofa_list_free(ctx, &r->quantities);
  sofa_list_free(ctx, &r->line);
  sofa_free(ctx, r);
  *recorder = NULL;
  return err;
}
