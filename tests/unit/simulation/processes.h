/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several processes as threads of one: each has a context of its own, and they pass data through
 * shared memory. One that ends with an error lets the others fail, instead of wait. */
#ifndef TESTS_PROCESSES_H
#define TESTS_PROCESSES_H

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "object/process.h"

enum { MOST_PROCESSES = 7, THREADS_FAILED = 1 };

typedef struct Threads Threads;

/* One of the processes; `user` of its context's SofaProcesses. */
typedef struct ThreadProcess {
  Threads *all;
  int rank;
  unsigned calls; /* of functions that pass data */
  char
      *shown[2]; /* what it shows to the others, of the last call with an even, odd number; owned */
  SofaErr err;
  pthread_t thread;
} ThreadProcess;

struct Threads {
  int n, waiting;
  int cpu;
  uint32_t turn;         /* changes when all are here; with THREADS_FAILED when one has failed */
  pthread_mutex_t mutex; /* for what a test shares */
  ThreadProcess process[MOST_PROCESSES];
  SofaErr (*run)(ThreadProcess *process, void *user);
  void *user;
};

static inline ThreadProcess *thread_process(const SofaContext *ctx) {
  return ctx->processes->user;
}

/* Until all are here: one sleep of each and one call that wakes all. One that fails later, while
 * others have not woken yet, does not spoil what they wait for. */
static inline SofaErr threads_wait(Threads *t) {
  const uint32_t turn = __atomic_load_n(&t->turn, __ATOMIC_SEQ_CST);
  if (turn & THREADS_FAILED) return SOFA_ERR_IO;
  if (__atomic_add_fetch(&t->waiting, 1, __ATOMIC_SEQ_CST) == t->n) {
    __atomic_store_n(&t->waiting, 0, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&t->turn, 2, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &t->turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
  }
  while (__atomic_load_n(&t->turn, __ATOMIC_SEQ_CST) == turn)
    syscall(SYS_futex, &t->turn, FUTEX_WAIT_PRIVATE, turn, NULL, NULL, 0);
  return __atomic_load_n(&t->turn, __ATOMIC_SEQ_CST) == (turn | THREADS_FAILED) ? SOFA_ERR_IO
                                                                                : SOFA_OK;
}

static inline void threads_fail(Threads *t) {
  __atomic_fetch_or(&t->turn, THREADS_FAILED, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &t->turn, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* A block for what the process shows in this call. The others read it until they wait in the next
 * call, which has the other block: so one wait in each call is enough. The block has the exact
 * size, for sanitizers. */
static inline void *threads_block(ThreadProcess *p, size_t n) {
  char **shown = &p->shown[++p->calls % 2];
  free(*shown);
  *shown = malloc(n ? n : 1);
  if (!*shown) abort();
  return *shown;
}

/* What the process of the rank shows in this call. */
static inline const void *threads_shown(const ThreadProcess *p, int rank) {
  return p->all->process[rank].shown[p->calls % 2];
}

static inline SofaErr threads_show(SofaContext *ctx, size_t n, const void *data) {
  ThreadProcess *p = thread_process(ctx);
  void *block = threads_block(p, n);
  if (n) memcpy(block, data, n);
  return threads_wait(p->all);
}

static inline SofaErr threads_collect(SofaContext *ctx, size_t n, const void *mine, void *all) {
  ThreadProcess *p = thread_process(ctx);
  SOFA_TRY(threads_show(ctx, n, mine));
  for (int r = 0; r < p->all->n; r++)
    if (n) memcpy((char *)all + (size_t)r * n, threads_shown(p, r), n);
  return SOFA_OK;
}

static inline SofaErr threads_gather(SofaContext *ctx, int root, const size_t *n, const void *mine,
                                     void *all) {
  ThreadProcess *p = thread_process(ctx);
  SOFA_TRY(threads_show(ctx, n[p->rank], mine));
  char *to = all;
  for (int r = 0; p->rank == root && r < p->all->n; to += n[r], r++)
    if (n[r]) memcpy(to, threads_shown(p, r), n[r]);
  return SOFA_OK;
}

static inline SofaErr threads_spread(SofaContext *ctx, int root, size_t n, void *data) {
  ThreadProcess *p = thread_process(ctx);
  SOFA_TRY(threads_show(ctx, p->rank == root ? n : 0, data));
  if (p->rank != root && n) memcpy(data, threads_shown(p, root), n);
  return SOFA_OK;
}

/* The exchange, its numbers of bytes, its neighbours and its data in one block. */
static inline void threads_show_exchange(ThreadProcess *p, const SofaExchange *exchange) {
  const size_t n = exchange->n_neighbours;
  size_t n_bytes = 0;
  for (size_t k = 0; k < n; k++) n_bytes += exchange->n_send[k];
  SofaExchange *shown =
      threads_block(p, sizeof *shown + n * (sizeof(size_t) + sizeof(uint32_t)) + n_bytes);
  size_t *n_send = (size_t *)(shown + 1);
  uint32_t *neighbours = (uint32_t *)(n_send + n);
  if (n) memcpy(n_send, exchange->n_send, n * sizeof *n_send);
  if (n) memcpy(neighbours, exchange->neighbours, n * sizeof *neighbours);
  if (n_bytes) memcpy(neighbours + n, exchange->send, n_bytes);
  *shown = (SofaExchange){n, neighbours, n_send, NULL, neighbours + n, NULL};
}

static inline SofaErr threads_receive(const SofaExchange *mine, size_t k, size_t to, int rank,
                                      const SofaExchange *other) {
  size_t from = 0, back = 0;
  while (back < other->n_neighbours && other->neighbours[back] != (uint32_t)rank)
    from += other->n_send[back++];
  if (back == other->n_neighbours || other->n_send[back] != mine->n_receive[k])
    return SOFA_ERR_ARGUMENT;
  if (mine->n_receive[k])
    memcpy((char *)mine->receive + to, (const char *)other->send + from, mine->n_receive[k]);
  return SOFA_OK;
}

static inline SofaErr threads_exchange(SofaContext *ctx, const SofaExchange *exchange) {
  ThreadProcess *p = thread_process(ctx);
  size_t to = 0;
  threads_show_exchange(p, exchange);
  SOFA_TRY(threads_wait(p->all));
  for (size_t k = 0; k < exchange->n_neighbours; k++) {
    const int rank = (int)exchange->neighbours[k];
    SOFA_TRY(threads_receive(exchange, k, to, p->rank, threads_shown(p, rank)));
    to += exchange->n_receive[k];
  }
  return SOFA_OK;
}

static const SofaProcessOps thread_ops = {.collect = threads_collect,
                                          .gather = threads_gather,
                                          .spread = threads_spread,
                                          .exchange = threads_exchange};

/* The context becomes that of the process. */
static inline SofaErr thread_join(ThreadProcess *process, SofaContext *ctx) {
  const SofaPlace place = {process->rank, process->all->n};
  return sofa_process_set(ctx, &place, &thread_ops, process);
}

/* All on one processor: they wait for each other far more than they compute, and to wake a thread
 * of another processor takes longer than what is done between two exchanges. */
static inline void stay_on(int cpu) {
  cpu_set_t set;
  if (cpu < 0 || cpu >= CPU_SETSIZE) return;
  CPU_ZERO(&set);
  CPU_SET((size_t)cpu, &set);
  (void)pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static inline void *thread_main(void *argument) {
  ThreadProcess *p = argument;
  stay_on(p->all->cpu);
  p->err = p->all->run(p, p->all->user);
  if (p->err != SOFA_OK) threads_fail(p->all);
  return NULL;
}

/* Runs n processes to their ends: the first error, SOFA_ERR_IO of those that others have failed
 * last. */
static inline SofaErr threads_run(int n, SofaErr (*run)(ThreadProcess *process, void *user),
                                  void *user) {
  Threads t = {.n = n, .cpu = sched_getcpu(), .run = run, .user = user};
  SofaErr err = SOFA_OK;
  pthread_mutex_init(&t.mutex, NULL);
  for (int r = 0; r < n; r++) {
    t.process[r] = (ThreadProcess){.all = &t, .rank = r};
    pthread_create(&t.process[r].thread, NULL, thread_main, &t.process[r]);
  }
  for (int r = 0; r < n; r++) {
    pthread_join(t.process[r].thread, NULL);
    if (err == SOFA_OK || err == SOFA_ERR_IO) err = t.process[r].err ? t.process[r].err : err;
  }
  for (int r = 0; r < n; r++)
    for (int k = 0; k < 2; k++) free(t.process[r].shown[k]);
  pthread_mutex_destroy(&t.mutex);
  return err;
}

#endif
