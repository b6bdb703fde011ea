/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two halves of csofa_machine share: timing, and lines of results. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

/* Work to be timed; returns a value that depends on all of it, so that none is left out. */
typedef double (*Work)(void *user);

/* Fewest seconds one call took: calls are grouped so that a group takes 20 ms or more, and the best
 * of several groups counts, because other programs can only make a group slower. */
double best_seconds(Work work, void *user);

/* Prints {"name": ..., "value": ..., "unit": ...}. */
void report(const char *name, double value, const char *unit);

/* The library's kernels on a beam of nx x ny x nz cells. Returns 0, or 1 after a message. */
int measure_kernels(int nx, int ny, int nz, const char *isa);

#endif
