/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The worker thread of the window. */
#include "viewer/window/worker.h"

static void *work(void *argument) {
  Worker *w = argument;
  pthread_mutex_lock(&w->mutex);
  while (!w->quit) {
    if (!w->job) {
      pthread_cond_wait(&w->wake, &w->mutex);
      continue;
    }
    pthread_mutex_unlock(&w->mutex);
    w->job(w->user);
    pthread_mutex_lock(&w->mutex);
    w->job = NULL;
    pthread_cond_broadcast(&w->wake);
    w->notify();
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

bool worker_start(Worker *worker, void *user, void (*notify)(void)) {
  worker->user = user;
  worker->notify = notify;
  pthread_mutex_init(&worker->mutex, NULL);
  pthread_cond_init(&worker->wake, NULL);
  worker->running = pthread_create(&worker->thread, NULL, work, worker) == 0;
  return worker->running;
}

void worker_give(Worker *worker, WorkerJob job) {
  atomic_store(&worker->hurry, false);
  pthread_mutex_lock(&worker->mutex);
  worker->job = job;
  pthread_cond_broadcast(&worker->wake);
  pthread_mutex_unlock(&worker->mutex);
}

bool worker_idle(Worker *worker) {
  pthread_mutex_lock(&worker->mutex);
  const bool idle = worker->job == NULL;
  pthread_mutex_unlock(&worker->mutex);
  return idle;
}

void worker_wait(Worker *worker) {
  if (!worker->running) return;
  atomic_store(&worker->hurry, true);
  pthread_mutex_lock(&worker->mutex);
  while (worker->job) pthread_cond_wait(&worker->wake, &worker->mutex);
  pthread_mutex_unlock(&worker->mutex);
}

void worker_stop(Worker *worker) {
  if (!worker->running) return;
  worker_wait(worker);
  pthread_mutex_lock(&worker->mutex);
  worker->quit = true;
  pthread_cond_broadcast(&worker->wake);
  pthread_mutex_unlock(&worker->mutex);
  pthread_join(worker->thread, NULL);
  pthread_cond_destroy(&worker->wake);
  pthread_mutex_destroy(&worker->mutex);
  worker->running = false;
}
