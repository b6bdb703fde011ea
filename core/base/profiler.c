/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tree of named timers that grows until every name has been seen. */
#include "base/profiler.h"

#include <string.h>
#include <time.h>
#include "base/array.h"
#include "base/text.h"

#define NO_TIMER UINT32_MAX

typedef struct Timer {
  const char *name; /* borrowed */
  uint32_t parent, first_child, last_child, next;
  uint64_t calls;
  double seconds, started;
} Timer;
SOFA_LIST(Timer, Timers);
SOFA_LIST(SofaTimerRow, TimerRows);

struct SofaProfiler {
  bool on;
  Timers timers;    /* the first one is the root: never timed */
  uint32_t current; /* the innermost open timer */
  uint64_t lost;    /* open timers below it that found no memory */
  TimerRows rows;
};

double sofa_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static SofaErr add_timer(SofaContext *ctx, const char *name, uint32_t parent, uint32_t *index) {
  Timers *timers = &ctx->profiler->timers;
  const Timer timer = {.name = name,
                       .parent = parent,
                       .first_child = NO_TIMER,
                       .last_child = NO_TIMER,
                       .next = NO_TIMER};
  SOFA_TRY(SOFA_APPEND(ctx, timers, &timer));
  *index = (uint32_t)timers->n - 1;
  if (parent == NO_TIMER) return SOFA_OK;
  // children stay in the order of their first call
  Timer *above = &timers->data[parent];
  if (above->first_child == NO_TIMER) above->first_child = *index;
  else timers->data[above->last_child].next = *index;
  above->last_child = *index;
  return SOFA_OK;
}

void sofa_profiler_clear(SofaContext *ctx) {
  SofaProfiler *p = ctx->profiler;
  uint32_t root = 0;
  if (!p) return;
  p->timers.n = 0;
  p->current = 0;
  p->lost = 0;
  if (add_timer(ctx, "", NO_TIMER, &root)) p->on = false;
}

void sofa_profiler_enable(SofaContext *ctx, bool on) {
  if (!ctx->profiler && on) {
    ctx->profiler = sofa_alloc(ctx, 1, sizeof *ctx->profiler);
    if (!ctx->profiler) return;
    ctx->profiler->on = true;
    sofa_profiler_clear(ctx);
    return;
  }
  if (!ctx->profiler) return;
  // timers left open when it was switched off are closed unseen
  ctx->profiler->on = on && ctx->profiler->timers.n;
  ctx->profiler->current = 0;
  ctx->profiler->lost = 0;
}

bool sofa_profiler_enabled(const SofaContext *ctx) {
  return ctx->profiler && ctx->profiler->on;
}

void sofa_timer_begin(SofaContext *ctx, const char *name) {
  SofaProfiler *p = ctx->profiler;
  if (!p || !p->on) return;
  if (p->lost) {
    p->lost++;
    return;
  }
  // the child of that name, or a new one
  uint32_t i = p->timers.data[p->current].first_child;
  while (i != NO_TIMER && p->timers.data[i].name != name && strcmp(p->timers.data[i].name, name)) {
    i = p->timers.data[i].next;
  }
  if (i == NO_TIMER && add_timer(ctx, name, p->current, &i)) {
    p->lost++;
    return;
  }
  p->current = i;
  p->timers.data[i].started = sofa_now();
}

void sofa_timer_end(SofaContext *ctx) {
  SofaProfiler *p = ctx->profiler;
  if (!p || !p->on) return;
  if (p->lost) {
    p->lost--;
    return;
  }
  if (!p->current) return;
  Timer *timer = &p->timers.data[p->current];
  timer->seconds += sofa_now() - timer->started;
  timer->calls++;
  p->current = timer->parent;
}

/* ---- report ---- */

/* The timer behind i in a walk that visits parents before children; adds its depth to *level. */
static uint32_t next_timer(const Timers *timers, uint32_t i, int *level) {
  const Timer *t = &timers->data[i];
  if (t->first_child != NO_TIMER) {
    ++*level;
    return t->first_child;
  }
  while (t->next == NO_TIMER && t->parent != NO_TIMER) {
    --*level;
    t = &timers->data[t->parent];
  }
  return t->next;
}

size_t sofa_profiler_rows(SofaContext *ctx, const SofaTimerRow **rows) {
  SofaProfiler *p = ctx->profiler;
  *rows = NULL;
  if (!p || p->timers.n < 2 || SOFA_RESIZE(ctx, &p->rows, p->timers.n - 1)) return 0;
  int level = -1;
  size_t n = 0;
  for (uint32_t i = next_timer(&p->timers, 0, &level); i != NO_TIMER;
       i = next_timer(&p->timers, i, &level)) {
    const Timer *t = &p->timers.data[i];
    p->rows.data[n++] = (SofaTimerRow){t->name, level, t->calls, t->seconds};
  }
  *rows = p->rows.data;
  return n;
}

/* Sum of the outermost timers, s. */
static double total_seconds(const SofaTimerRow *rows, size_t n) {
  double total = 0;
  for (size_t i = 0; i < n; i++) total += rows[i].level == 0 ? rows[i].seconds : 0;
  return total;
}

static void print_json_string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c < ' ') fprintf(out, "\\u%04x", *c);
    else if (*c == '"' || *c == '\\') fprintf(out, "\\%c", *c);
    else fputc(*c, out);
  }
  fputc('"', out);
}

static void print_json_row(FILE *out, const SofaTimerRow *row, uint64_t steps) {
  char seconds[32];
  sofa_print_real(seconds, row->seconds, 9);
  fputs("{\"name\": ", out);
  print_json_string(out, row->name);
  fprintf(out, ", \"level\": %d, \"calls\": %llu, \"seconds\": %s, \"steps\": %llu}\n", row->level,
          (unsigned long long)row->calls, seconds, (unsigned long long)steps);
}

void sofa_profiler_print(SofaContext *ctx, FILE *out, bool json, uint64_t steps) {
  const SofaTimerRow *rows = NULL;
  const size_t n = sofa_profiler_rows(ctx, &rows);
  SofaText line = {0};
  const double total = total_seconds(rows, n);
  const double per_step = steps ? 1e3 / (double)steps : 0;
  if (!json && n)
    fprintf(out, "%10s %10s %7s %10s  %s\n", "seconds", "ms/step", "%", "calls", "timer");
  for (size_t i = 0; i < n; i++) {
    const SofaTimerRow *r = &rows[i];
    if (json) {
      print_json_row(out, r, steps);
      continue;
    }
    line.n = 0;
    if (sofa_text_printf(ctx, &line, "%10.4f %10.4f %7.2f %10llu  %*s", r->seconds,
                         r->seconds * per_step, total > 0 ? 100 * r->seconds / total : 0,
                         (unsigned long long)r->calls, 2 * r->level, "")) {
      break;
    }
    fputs(line.data, out);
    sofa_print_escaped(out, r->name);
    fputc('\n', out);
  }
  sofa_list_free(ctx, &line);
}

void sofa_profiler_destroy(SofaContext *ctx) {
  if (!ctx->profiler) return;
  sofa_list_free(ctx, &ctx->profiler->timers);
  sofa_list_free(ctx, &ctx->profiler->rows);
  sofa_free(ctx, ctx->profiler);
  ctx->profiler = NULL;
}
