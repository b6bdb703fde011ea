/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The variants of a sweep: a table of settings. A file (CSV) has a row of names, PATH.FIELD each,
 * and a row of values for each variant. NAME=A:B:N gives N values from A to B, NAME=V,W,... those.
 * Several sweeps are combined, each variant of one with each of the next, the last one fastest. */
#ifndef RUNCSOFA_VARIANTS_H
#define RUNCSOFA_VARIANTS_H

#include "base/array.h"
#include "options.h"

typedef struct Variants {
  size_t n, n_settings;
  char **names;  /* n_settings */
  char **values; /* n x n_settings, row by row */
} Variants;

/* A sweep that cannot be read is reported with its file and line. */
SofaErr variants_read(SofaContext *ctx, const RunWords *sweeps, Variants *out);
void variants_free(SofaContext *ctx, Variants *variants);

#endif
