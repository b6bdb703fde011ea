/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The progress line on stderr. */
#include "progress.h"

#include <stdio.h>
#include <string.h>

#include "base/profiler.h"

enum { BAR = 30 };

void progress_start(Progress *progress, bool enabled, uint64_t n_steps) {
  *progress = (Progress){.enabled = enabled, .n_steps = n_steps, .unit = "steps"};
  progress->start = progress->last = sofa_now();
}

/* "1 h 02 min", "3 min 20 s", "12 s" */
static void print_time(char *out, size_t size, double seconds) {
  const long s = seconds < 1e8 ? (long)(seconds + 0.5) : 100000000;
  if (s >= 3600) snprintf(out, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
  else if (s >= 60) snprintf(out, size, "%ld min %02ld s", s / 60, s % 60);
  else snprintf(out, size, "%ld s", s);
}

void progress_update(Progress *progress, uint64_t step) {
  if (!progress->enabled) return;
  const double now = sofa_now();
  if (now - progress->last < 0.1) return;
  progress->last = now;
  progress->shown = true;
  const double rate = (double)step / (now - progress->start);

  // without an end there is no bar
  if (progress->n_steps == 0) {
    fprintf(stderr, "\r\033[Kstep %llu  %.1f steps/s", (unsigned long long)step, rate);
    fflush(stderr);
    return;
  }
  char bar[BAR + 1], left[32];
  const int filled = (int)((double)BAR * (double)step / (double)progress->n_steps);
  memset(bar, '-', BAR);
  sofa_fill(bar, '#', (size_t)filled);
  bar[BAR] = '\0';
  print_time(left, sizeof left, (double)(progress->n_steps - step) / rate);
  fprintf(stderr, "\r\033[K[%s] %llu/%llu  %.1f %s/s  %s left", bar, (unsigned long long)step,
          (unsigned long long)progress->n_steps, rate, progress->unit, left);
  fflush(stderr);
}

void progress_clear(Progress *progress) {
  if (!progress->shown) return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  progress->shown = false;
}
