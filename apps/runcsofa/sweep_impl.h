/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of sweeps: where variants are, and what is known of them. */
#ifndef RUNCSOFA_SWEEP_IMPL_H
#define RUNCSOFA_SWEEP_IMPL_H

#include "sweep.h"
#include "variants.h"

typedef struct Sweep {
  SofaContext *ctx;
  const RunOptions *options;
  Variants variants;
  const char *folder;
  uint64_t stamp;   /* of program, scene and options: results of others are not mixed */
  SofaInputs found; /* files that marks name, with the checksums that they have now */
} Sweep;

SofaErr sweep_open(SofaContext *ctx, const RunOptions *options, Sweep *out);
void sweep_close(Sweep *sweep);

/* "FOLDER/0012" for variant 12 (from 1); the caller frees. */
char *sweep_folder(const Sweep *sweep, size_t variant);
/* Reads the mark of a variant. *finished false: there is none. A mark of another sweep, or of files
 * that have changed since, is reported: SOFA_ERR_ARGUMENT. */
SofaErr sweep_read_mark(Sweep *sweep, size_t variant, bool *finished, int *status);
/* Inputs: lines of files; NULL: none is known. */
SofaErr sweep_write_mark(const Sweep *sweep, size_t variant, int status, const SofaText *inputs);

/* Writes results.csv: a line per variant and recorded step. */
SofaErr sweep_write_table(Sweep *sweep);

#endif
