/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/direct/background_impl.h"

#include <pthread.h>
#include <signal.h>

struct SofaBackground {
  pthread_t thread;
  bool started; /* there is a thread */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  void (*work)(void *data); /* being done; NULL: none */
  void *data;
  bool end;
};

SofaErr sofa_background_create(SofaContext *ctx, SofaBackground **out) {
  SofaBackground *b = *out = sofa_alloc(ctx, 1, sizeof *b);
  if (!b) return SOFA_ERR_MEMORY;
  pthread_mutex_init(&b->lock, NULL);
  pthread_cond_init(&b->changed, NULL);
  return SOFA_OK;
}

static void *serve(void *data) {
  SofaBackground *b = data;
  pthread_mutex_lock(&b->lock);
  while (!b->end) {
    if (!b->work) {
      pthread_cond_wait(&b->changed, &b->lock);
      continue;
    }
    pthread_mutex_unlock(&b->lock);
    b->work(b->data);
    pthread_mutex_lock(&b->lock);
    b->work = NULL;
    pthread_cond_broadcast(&b->changed);
  }
  pthread_mutex_unlock(&b->lock);
  return NULL;
}

/* Signals are for the threads of the application. */
static bool start(SofaBackground *b) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  b->started = pthread_create(&b->thread, NULL, serve, b) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return b->started;
}

void sofa_background_begin(SofaBackground *b, void (*work)(void *data), void *data) {
  sofa_background_wait(b);
  if (!b->started && !start(b)) {
    work(data);
    return;
  }
  pthread_mutex_lock(&b->lock);
  b->work = work;
  b->data = data;
  pthread_cond_broadcast(&b->changed);
  pthread_mutex_unlock(&b->lock);
}

void sofa_background_wait(SofaBackground *b) {
  pthread_mutex_lock(&b->lock);
  while (b->work) pthread_cond_wait(&b->changed, &b->lock);
  pthread_mutex_unlock(&b->lock);
}

void sofa_background_destroy(SofaContext *ctx, SofaBackground **background) {
  SofaBackground *b = *background;
  *background = NULL;
  if (!b) return;
  sofa_background_wait(b);
  pthread_mutex_lock(&b->lock);
  b->end = true;
  pthread_cond_broadcast(&b->changed);
  pthread_mutex_unlock(&b->lock);
  if (b->started) pthread_join(b->thread, NULL);
  pthread_cond_destroy(&b->changed);
  pthread_mutex_destroy(&b->lock);
  sofa_free(ctx, b);
}
