/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

/* Looks before a thread sleeps, or gives its processor away: about 50 us. */
enum { MOST_LOOKS = 2000 };

/* The pieces of a job that one thread begins with, and others when they have done their own: a
 * thread has the same pieces in every job of as many, so that their data stays in its cache. */
typedef struct Queue {
  /* The number of the job, times 2^32, and the pieces that nobody has taken. One number, so that a
   * piece is taken of the job that was looked at or of none. */
  _Alignas(64) _Atomic uint64_t ticket;
  size_t first; /* of its pieces; taken from the last one on */
} Queue;

typedef struct Member {
  struct SofaTeam *team;
  size_t number; /* of its queue; the caller's is 0 */
  pthread_t thread;
} Member;

typedef struct SofaTeam {
  SofaTeamWork work; /* of the job: written while no piece is left, read with a piece */
  void *user;
  uint64_t job;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  pthread_mutex_t context; /* sofa_team_lock */
  bool stop;               /* under the mutex, as waiting is */
  pid_t process;           /* that has the threads: none after a fork */
  size_t n;                /* threads beside the caller's */
  Member *members;
  Queue *queues; /* n + 1 */
  void *memory;  /* of the queues */
  _Atomic int sleepers;
  atomic_flag busy;      /* a job is being done */
  char apart[64];        /* another cache line */
  _Atomic uint32_t done; /* finished pieces */
} SofaTeam;

static inline void pause_a_little(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static bool has_pieces(const SofaTeam *t) {
  for (size_t q = 0; q <= t->n; q++)
    if ((uint32_t)atomic_load_explicit(&t->queues[q].ticket, memory_order_relaxed) > 0) return true;
  return false;
}

/* Takes pieces of a queue and does them until none is left. */
static void empty_queue(SofaTeam *t, Queue *q) {
  uint64_t ticket = atomic_load_explicit(&q->ticket, memory_order_acquire);
  while ((uint32_t)ticket > 0) {
    if (!atomic_compare_exchange_weak_explicit(&q->ticket, &ticket, ticket - 1,
                                               memory_order_acq_rel, memory_order_acquire))
      continue;
    t->work(t->user, q->first + (uint32_t)ticket - 1);
    atomic_fetch_add_explicit(&t->done, 1, memory_order_release);
    ticket = atomic_load_explicit(&q->ticket, memory_order_acquire);
  }
}

/* The own queue first. */
static void take_pieces(SofaTeam *t, size_t own) {
  for (size_t k = 0; k <= t->n; k++) empty_queue(t, &t->queues[(own + k) % (t->n + 1)]);
}

/* false: the team ends. */
static bool sleep_until_woken(SofaTeam *t) {
  pthread_mutex_lock(&t->mutex);
  atomic_fetch_add(&t->sleepers, 1);
  while (!t->stop && !has_pieces(t)) pthread_cond_wait(&t->wake, &t->mutex);
  const bool goes_on = !t->stop;
  atomic_fetch_sub(&t->sleepers, 1);
  pthread_mutex_unlock(&t->mutex);
  return goes_on;
}

static void *live(void *member) {
  const Member *m = member;
  SofaTeam *t = m->team;
  do {
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      if (has_pieces(t)) {
        take_pieces(t, m->number);
        looks = 0;
      }
      pause_a_little();
    }
  } while (sleep_until_woken(t));
  return NULL;
}

static void *begin_life(void *member) {
  SofaTeam *t = ((const Member *)member)->team;
  pthread_mutex_lock(&t->mutex); // the team is made
  pthread_mutex_unlock(&t->mutex);
  return live(member);
}

static void free_team(SofaContext *ctx, SofaTeam *t) {
  sofa_free(ctx, t->members);
  sofa_free(ctx, t->memory);
  sofa_free(ctx, t);
}

static bool make_parts(SofaContext *ctx, SofaTeam *t, size_t n) {
  t->members = sofa_alloc(ctx, n + 1, sizeof *t->members);
  t->memory = sofa_alloc(ctx, n + 2, sizeof *t->queues);
  if (!t->members || !t->memory) return false;
  t->queues = (Queue *)(((uintptr_t)t->memory + 63) / 64 * 64);
  atomic_flag_clear(&t->busy);
  t->process = getpid();
  return pthread_mutex_init(&t->mutex, NULL) == 0 && pthread_cond_init(&t->wake, NULL) == 0 &&
         pthread_mutex_init(&t->context, NULL) == 0;
}

/* Threads that cannot be had are done without. They see the team when its number of them is known.
 */
static SofaTeam *make_team(SofaContext *ctx) {
  const size_t n = (size_t)ctx->threads - 1;
  SofaTeam *t = sofa_alloc(ctx, 1, sizeof *t);
  if (!t) return NULL;
  if (!make_parts(ctx, t, n)) {
    free_team(ctx, t);
    return NULL;
  }
  pthread_mutex_lock(&t->mutex);
  for (size_t i = 1; i <= n; i++) {
    Member *m = &t->members[i];
    *m = (Member){.team = t, .number = i};
    if (pthread_create(&m->thread, NULL, begin_life, m) != 0) break;
    t->n = i;
  }
  pthread_mutex_unlock(&t->mutex);
  return t;
}

void sofa_team_destroy(SofaContext *ctx) {
  SofaTeam *t = ctx->team;
  if (!t) return;
  if (t->process == getpid()) {
    pthread_mutex_lock(&t->mutex);
    t->stop = true;
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->mutex);
    for (size_t i = 1; i <= t->n; i++) pthread_join(t->members[i].thread, NULL);
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->mutex);
    pthread_mutex_destroy(&t->context);
  }
  free_team(ctx, t);
  ctx->team = NULL;
}

static void begin_job(SofaTeam *t, size_t n, SofaTeamWork work, void *user) {
  const size_t queues = t->n + 1;
  t->job++;
  t->work = work;
  t->user = user;
  atomic_store_explicit(&t->done, 0, memory_order_relaxed);
  for (size_t q = 0; q < queues; q++) {
    const size_t first = n * q / queues, end = n * (q + 1) / queues;
    t->queues[q].first = first;
    atomic_store_explicit(&t->queues[q].ticket, t->job << 32 | (end - first), memory_order_release);
  }
  if (atomic_load(&t->sleepers) == 0 || t->process != getpid()) return;
  pthread_mutex_lock(&t->mutex);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->mutex);
}

static void wait_for_pieces(const SofaTeam *t, size_t n) {
  for (int looks = 0; atomic_load_explicit(&t->done, memory_order_acquire) < n; looks++) {
    if (looks < MOST_LOOKS) pause_a_little();
    else sched_yield();
  }
}

void sofa_team_run(SofaContext *ctx, size_t n, SofaTeamWork work, void *user) {
  if (ctx->threads > 1 && n > 1 && !ctx->team) ctx->team = make_team(ctx);
  SofaTeam *t = ctx->threads > 1 && n > 1 ? ctx->team : NULL;
  if (!t || atomic_flag_test_and_set_explicit(&t->busy, memory_order_acquire)) {
    for (size_t i = 0; i < n; i++) work(user, i);
    return;
  }
  begin_job(t, n, work, user);
  take_pieces(t, 0);
  wait_for_pieces(t, n);
  atomic_flag_clear_explicit(&t->busy, memory_order_release);
}

/* ---- the context ---- */

void sofa_team_lock(const SofaContext *ctx) {
  if (ctx->team) pthread_mutex_lock(&ctx->team->context);
}

void sofa_team_unlock(const SofaContext *ctx) {
  if (ctx->team) pthread_mutex_unlock(&ctx->team->context);
}

/* ---- pieces that may fail ---- */

typedef struct Attempt {
  SofaTeamTry work;
  void *user;
  atomic_int err; /* SofaErr */
} Attempt;

static void try_piece(void *user, size_t piece) {
  Attempt *a = user;
  const SofaErr err = a->work(a->user, piece);
  if (err != SOFA_OK) atomic_store_explicit(&a->err, (int)err, memory_order_relaxed);
}

SofaErr sofa_team_try(SofaContext *ctx, size_t n, SofaTeamTry work, void *user) {
  Attempt attempt = {.work = work, .user = user, .err = SOFA_OK};
  sofa_team_run(ctx, n, try_piece, &attempt);
  return (SofaErr)atomic_load_explicit(&attempt.err, memory_order_relaxed);
}

/* ---- loops ---- */

typedef struct Loop {
  size_t n, grain;
  SofaTeamRange work;
  void *user;
} Loop;

static void do_range(void *user, size_t piece) {
  const Loop *loop = user;
  const size_t begin = piece * loop->grain, left = loop->n - begin;
  loop->work(loop->user, begin, begin + (left < loop->grain ? left : loop->grain));
}

void sofa_team_for(const SofaContext *ctx, size_t n, size_t grain, SofaTeamRange work, void *user) {
  Loop loop = {n, grain, work, user};
  if (n == 0) return;
  if (ctx->threads <= 1 || n <= grain) work(user, 0, n);
  else sofa_team_run((SofaContext *)(uintptr_t)ctx, (n - 1) / grain + 1, do_range, &loop);
}
