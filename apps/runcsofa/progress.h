/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress line: how far a run is, how fast, how long it still takes. */
#ifndef RUNCSOFA_PROGRESS_H
#define RUNCSOFA_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Progress {
  bool enabled;       /* a person watches stderr */
  bool shown;         /* the cursor is on the line */
  double start, last; /* s */
  uint64_t n_steps;   /* 0: no end */
  const char *unit;   /* of what is counted, "steps" */
} Progress;

void progress_start(Progress *progress, bool enabled, uint64_t n_steps);
/* Shows the line, at most ten times a second. */
void progress_update(Progress *progress, uint64_t step);
/* Takes the line away, before something else is printed and at the end. */
void progress_clear(Progress *progress);

#endif
