/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Named nested timers per phase and component. Off by default; a call then costs one branch. */
#ifndef SOFA_BASE_PROFILER_H
#define SOFA_BASE_PROFILER_H

#include <stdio.h>
#include "base/context.h"

SOFA_BEGIN_DECLS

typedef struct SofaProfiler SofaProfiler;

void sofa_profiler_enable(SofaContext *ctx, bool on);
bool sofa_profiler_enabled(const SofaContext *ctx);
/* `name` must outlive the profiler's next report (class names and literals do). */
void sofa_timer_begin(SofaContext *ctx, const char *name);
void sofa_timer_end(SofaContext *ctx);
void sofa_profiler_clear(SofaContext *ctx);

/* One row per nested timer, parents before children. */
typedef struct SofaTimerRow {
  const char *name;
  int level;
  uint64_t calls;
  double seconds;
} SofaTimerRow;
/* Rows stay valid until the next timer call. */
size_t sofa_profiler_rows(SofaContext *ctx, const SofaTimerRow **rows);
/* Prints the table; json: one JSON object per line. */
void sofa_profiler_print(SofaContext *ctx, FILE *out, bool json, uint64_t steps);

void sofa_profiler_destroy(SofaContext *ctx); /* called by the context */

double sofa_now(void); /* monotonic clock, s */

SOFA_END_DECLS

#endif
