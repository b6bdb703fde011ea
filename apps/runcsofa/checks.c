/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The checks of runcsofa: which are made when, and where their report goes. */
#include "checks.h"

#include "base/output.h"
#include "numerics/check/check.h"

struct Checks {
  const RunOptions *options;
  SofaSimulation *simulation;
  SofaCheckReport report;
  SofaEnergyCheck *energy; /* NULL: not asked for */
};

SofaErr checks_open(SofaSimulation *simulation, const RunOptions *options, Checks **out) {
  SofaContext *ctx = simulation->ctx;
  *out = NULL;
  if (!options_ask_checks(options)) return SOFA_OK;
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  **out = (Checks){.options = options, .simulation = simulation, .report = {.ctx = ctx}};
  if (options->check_mesh) SOFA_TRY(sofa_check_mesh(simulation, &(*out)->report));
  return options->check_energy ? sofa_check_energy_open(simulation, &(*out)->energy) : SOFA_OK;
}

SofaErr checks_step(Checks *c) {
  return c && c->energy ? sofa_check_energy_step(c->energy, &c->report) : SOFA_OK;
}

static SofaErr write_json(const Checks *c) {
  SofaContext *ctx = c->simulation->ctx;
  const SofaOutputSpec spec = {.path = c->options->check_report, .what = "the report of checks"};
  SofaText text = {0};
  SofaErr err = sofa_check_json(&c->report, &text);
  if (err == SOFA_OK) err = sofa_output_whole(ctx, &spec, text.data, text.n);
  sofa_list_free(ctx, &text);
  return err;
}

static SofaErr print(const Checks *c) {
  SofaContext *ctx = c->simulation->ctx;
  SofaText text = {0};
  const SofaErr err = sofa_check_print(&c->report, &text);
  if (err == SOFA_OK) fwrite(text.data, 1, text.n, stdout);
  fflush(stdout);
  sofa_list_free(ctx, &text);
  return err;
}

SofaErr checks_finish(Checks *c) {
  if (!c) return SOFA_OK;
  if (c->options->check_tangent) SOFA_TRY(sofa_check_tangent(c->simulation, &c->report));
  SOFA_TRY(sofa_check_energy_close(&c->energy, &c->report));
  SOFA_TRY(print(c));
  if (c->options->check_report) SOFA_TRY(write_json(c));
  return c->report.n_wrong ? SOFA_ERR_SCENE : SOFA_OK;
}

SofaErr checks_close(Checks **checks) {
  Checks *c = *checks;
  if (!c) return SOFA_OK;
  (void)sofa_check_energy_close(&c->energy, NULL);
  sofa_check_report_free(&c->report);
  sofa_free(c->simulation->ctx, c);
  *checks = NULL;
  return SOFA_OK;
}
