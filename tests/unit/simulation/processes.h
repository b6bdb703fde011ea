/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several processes as threads of one: each has a context of its own, and they pass data through
 * shared memory. One that ends with an error lets the others fail, instead of wait. */
#ifndef TESTS_PROCESSES_H
#define TESTS_PROCESSES_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "object/process.h"

enum { MOST_PROCESSES = 7 };

typedef struct Threads Threads;

/* One of the processes; `user` of its context's SofaProcesses. */
typedef struct ThreadProcess {
  Threads *all;
  int rank;
  SofaErr err;
  pthread_t thread;
} ThreadProcess;

struct Threads {
  int n, waiting;
  int cpu;
  unsigned turn;
  bool failed;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  const void *data[MOST_PROCESSES]; /* what each shows to the others */
  ThreadProcess process[MOST_PROCESSES];
  SofaErr (*run)(ThreadProcess *process, void *user);
  void *user;
};

static inline ThreadProcess *thread_process(const SofaContext *ctx) {
  return ctx->processes->user;
}

/* Until all are here. */
static inline SofaErr threads_wait(Threads *t) {
  pthread_mutex_lock(&t->mutex);
  const unsigned turn = t->turn;
  if (++t->waiting == t->n) {
    t->waiting = 0;
    t->turn++;
    pthread_cond_broadcast(&t->changed);
  }
  while (t->turn == turn && !t->failed) pthread_cond_wait(&t->changed, &t->mutex);
  const bool failed = t->failed;
  pthread_mutex_unlock(&t->mutex);
  return failed ? SOFA_ERR_IO : SOFA_OK;
}

static inline void threads_fail(Threads *t) {
  pthread_mutex_lock(&t->mutex);
  t->failed = true;
  pthread_cond_broadcast(&t->changed);
  pthread_mutex_unlock(&t->mutex);
}

static inline SofaErr threads_show(SofaContext *ctx, const void *data) {
  ThreadProcess *p = thread_process(ctx);
  p->all->data[p->rank] = data;
  return threads_wait(p->all);
}

static inline SofaErr threads_collect(SofaContext *ctx, size_t n, const void *mine, void *all) {
  ThreadProcess *p = thread_process(ctx);
  SOFA_TRY(threads_show(ctx, mine));
  for (int r = 0; r < p->all->n; r++)
    if (n) memcpy((char *)all + (size_t)r * n, p->all->data[r], n);
  return threads_wait(p->all);
}

static inline SofaErr threads_gather(SofaContext *ctx, int root, const size_t *n, const void *mine,
                                     void *all) {
  ThreadProcess *p = thread_process(ctx);
  SOFA_TRY(threads_show(ctx, mine));
  char *to = all;
  for (int r = 0; p->rank == root && r < p->all->n; to += n[r], r++)
    if (n[r]) memcpy(to, p->all->data[r], n[r]);
  return threads_wait(p->all);
}

static inline SofaErr threads_spread(SofaContext *ctx, int root, size_t n, void *data) {
  ThreadProcess *p = thread_process(ctx);
  SOFA_TRY(threads_show(ctx, data));
  if (p->rank != root && n) memcpy(data, p->all->data[root], n);
  return threads_wait(p->all);
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
  SofaErr err = SOFA_OK;
  size_t to = 0;
  SOFA_TRY(threads_show(ctx, exchange));
  for (size_t k = 0; k < exchange->n_neighbours && err == SOFA_OK; k++) {
    err = threads_receive(exchange, k, to, p->rank, p->all->data[exchange->neighbours[k]]);
    to += exchange->n_receive[k];
  }
  if (err != SOFA_OK) return err;
  return threads_wait(p->all);
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
  pthread_cond_init(&t.changed, NULL);
  for (int r = 0; r < n; r++) {
    t.process[r] = (ThreadProcess){.all = &t, .rank = r};
    pthread_create(&t.process[r].thread, NULL, thread_main, &t.process[r]);
  }
  for (int r = 0; r < n; r++) {
    pthread_join(t.process[r].thread, NULL);
    if (err == SOFA_OK || err == SOFA_ERR_IO) err = t.process[r].err ? t.process[r].err : err;
  }
  pthread_cond_destroy(&t.changed);
  pthread_mutex_destroy(&t.mutex);
  return err;
}

#endif
