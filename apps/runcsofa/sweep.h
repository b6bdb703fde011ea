/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sweeps: the same scene many times with other settings, each variant in a process and a folder of
 * its own. Finished variants are marked by a file in their folder, so that a sweep that was
 * interrupted goes on where it stopped. */
#ifndef RUNCSOFA_SWEEP_H
#define RUNCSOFA_SWEEP_H

#include "base/array.h"
#include "options.h"
#include "progress.h"

/* Runs all variants that are not finished, and writes results.csv in the sweep's folder. Returns
 * the exit status: EXIT_FAILED when a variant failed. */
int sweep_run(SofaContext *ctx, const RunOptions *options, Progress *progress);
/* Prints a script that runs the same sweep on a cluster or with GNU parallel. */
int sweep_print_script(SofaContext *ctx, const RunOptions *options, FILE *out);

/* One variant, in this process: its settings and its folder come into *used, the caller frees both
 * with sweep_free_variant. */
typedef struct SweepVariant {
  RunOptions options;
  SofaStrings texts; /* what the options borrow */
  SofaText inputs;   /* files that its scene was made of, as its mark has them */
} SweepVariant;
SofaErr sweep_open_variant(SofaContext *ctx, const RunOptions *options, SweepVariant *out);
/* Notes what the scene of `run` was made of. */
SofaErr sweep_note_inputs(SofaContext *ctx, const SofaContext *run, SweepVariant *variant);
/* Marks it as finished. */
SofaErr sweep_mark(SofaContext *ctx, const RunOptions *options, const SweepVariant *variant,
                   int status);
void sweep_free_variant(SofaContext *ctx, SweepVariant *variant);

#endif
