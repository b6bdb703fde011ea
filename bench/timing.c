/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Timing of a piece of work by the processor time of its thread. */
#include "bench/machine.h"

#include <stdio.h>
#include <time.h>

/* Processor time of this thread, s: what other programs take does not count. */
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double group_seconds(Work work, void *user, long calls, double *sum) {
  const double start = now();
  for (long i = 0; i < calls; i++) *sum += work(user);
  return now() - start;
}

double best_seconds(Work work, void *user) {
  enum { GROUPS = 12 };
  double sum = 0;
  long calls = 1;
  while (group_seconds(work, user, calls, &sum) < 0.02) calls *= 2;
  double best = group_seconds(work, user, calls, &sum);
  for (int g = 1; g < GROUPS; g++) {
    const double seconds = group_seconds(work, user, calls, &sum);
    if (seconds < best) best = seconds;
  }
  // a sum that is nobody's result keeps the calls alive
  if (sum == 1.2345) fputs(" ", stderr);
  return best / (double)calls;
}

void report(const char *name, double value, const char *unit) {
  printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", name, value, unit);
  fflush(stdout);
}
