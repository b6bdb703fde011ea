/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The schedule of --realtime. */
#include "realtime.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "base/profiler.h"

/* Counts of a quantity in parts of a period: per mille, the last count is of all that is more. */
enum { N_BINS = 10001, FIRST_STEPS = 3 /* fill caches and workspaces: not counted */ };

typedef struct Counts {
  uint64_t bin[N_BINS];
  uint64_t n;
  double most;
} Counts;

struct Realtime {
  SofaContext *ctx;
  uint64_t n_steps, n_late;  /* begun; too long for their period */
  uint64_t n_allocations;    /* before the first counted step */
  double due, begun, period; /* s: of the next step, of the last one, its dt */
  double lost;               /* s, by which the schedule was moved */
  Counts jitter, load;       /* | time between beginnings / dt - 1 |; time of work / dt */
};

static const SofaOrigin origin = {.emitter = "realtime"};

static void count(Counts *counts, double parts) {
  const double mille = ceil(1000 * parts);
  counts->bin[mille < N_BINS - 1 ? (size_t)mille : N_BINS - 1]++;
  counts->n++;
  counts->most = fmax(counts->most, parts);
}

/* The least part of a period that a share of the counts does not exceed; INFINITY: over ten. */
static double quantile(const Counts *counts, double share) {
  uint64_t sum = 0;
  for (int i = 0; i < N_BINS - 1; i++) {
    sum += counts->bin[i];
    if ((double)sum >= share * (double)counts->n) return fmin(i / 1000.0, counts->most);
  }
  return INFINITY;
}

static double share_within(const Counts *counts, double parts) {
  uint64_t sum = 0;
  for (int i = 0; i <= (int)(1000 * parts); i++) sum += counts->bin[i];
  return counts->n ? (double)sum / (double)counts->n : 1;
}

/* ---- the machine ---- */

/* Pages to come are locked, too, where no limit would make that a lack of memory. */
static void lock_memory(SofaContext *ctx) {
  struct rlimit limit = {0};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  const int what = MCL_CURRENT | (limit.rlim_cur == RLIM_INFINITY ? MCL_FUTURE : 0);
  if (mlockall(what) != 0)
    sofa_message(ctx, SOFA_WARNING, &origin,
                 "the memory is not locked (%s): pages that are fetched make steps late; raise the "
                 "limit of locked memory (ulimit -l unlimited)",
                 strerror(errno));
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); // wakes in time, not up to 50 us later
}

/* A signal that arrives before the sleep begins does not end it: it is asked for now and then. */
static void sleep_until(double when, const volatile sig_atomic_t *stop) {
  static const double most = 0.1; // s at once
  for (double now = sofa_now(); now < when && !*stop; now = sofa_now()) {
    const double next = when - now > most ? now + most : when;
    struct timespec at = {.tv_sec = (time_t)next};
    at.tv_nsec = (long)((next - (double)at.tv_sec) * 1e9);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
  }
}

/* ---- the schedule ---- */

SofaErr realtime_open(SofaContext *ctx, Realtime **out) {
  Realtime *r = sofa_alloc(ctx, 1, sizeof *r);
  if (!r) return SOFA_ERR_MEMORY;
  r->ctx = ctx;
  lock_memory(ctx);
  *out = r;
  return SOFA_OK;
}

void realtime_wait(Realtime *r, double dt, const volatile sig_atomic_t *stop) {
  const bool counted = r->n_steps > FIRST_STEPS, first = r->n_steps == 0;
  double now = sofa_now();
  if (first) r->due = now;
  if (counted) count(&r->load, (now - r->begun) / r->period);
  if (counted && now > r->due) r->n_late++;
  if (now > r->due + r->period) {
    r->lost += now - r->due;
    r->due = now;
  }
  if (now < r->due) {
    sleep_until(r->due, stop);
    now = sofa_now();
  }
  if (counted) count(&r->jitter, fabs((now - r->begun) / r->period - 1));
  if (r->n_steps++ == FIRST_STEPS) r->n_allocations = r->ctx->n_allocations;
  r->begun = now;
  r->period = dt;
  r->due += dt;
}

/* "0.104 ms"; more than ten periods: "over 10 ms" */
static void print_time(char out[32], double parts, double period) {
  if (isfinite(parts)) snprintf(out, 32, "%.4g ms", 1e3 * parts * period);
  else snprintf(out, 32, "over %.4g ms", 1e4 * period);
}

static void report(const Realtime *r) {
  char jitter[32], worst[32], work[32], longest[32];
  if (!r->jitter.n) return;
  print_time(jitter, quantile(&r->jitter, 0.999), r->period);
  print_time(worst, r->jitter.most, r->period);
  print_time(work, quantile(&r->load, 0.999), r->period);
  print_time(longest, r->load.most, r->period);
  sofa_message(r->ctx, SOFA_INFO, &origin,
               "real time: %llu steps of %.4g ms: %.4g %% began within 10 %% of a period after the "
               "one before; "
               "jitter 99.9 %% below %s, at most %s; work 99.9 %% below %s, at most %s; %llu too "
               "long, %.4g s lost; %llu calls for memory",
               (unsigned long long)r->jitter.n, 1e3 * r->period,
               100 * share_within(&r->jitter, 0.1), jitter, worst, work, longest,
               (unsigned long long)r->n_late, r->lost,
               (unsigned long long)(r->ctx->n_allocations - r->n_allocations));
}

void realtime_close(Realtime **realtime) {
  Realtime *r = *realtime;
  if (!r) return;
  report(r);
  munlockall();
  sofa_free(r->ctx, r);
  *realtime = NULL;
}
