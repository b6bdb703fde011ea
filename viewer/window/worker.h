/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that does one job at a time, so that the window stays alive while the scene is loaded or
 * makes a long step. While a job runs, the scene and its context belong to the worker; between
 * jobs, to the thread of the window. */
#ifndef VIEWER_WINDOW_WORKER_H
#define VIEWER_WINDOW_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef void (*WorkerJob)(void *user);

typedef struct Worker {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  WorkerJob job;        /* NULL: idle */
  void *user;           /* of the jobs */
  void (*notify)(void); /* called in the worker when a job is done */
  bool running, quit;
  atomic_bool hurry; /* jobs with parts end after the part they are at */
} Worker;

bool worker_start(Worker *worker, void *user, void (*notify)(void));
/* Only when it is idle. */
void worker_give(Worker *worker, WorkerJob job);
bool worker_idle(Worker *worker);
/* Asks it to hurry, and waits for the end of its job. */
void worker_wait(Worker *worker);
void worker_stop(Worker *worker); /* waits; harmless when it was never started */

#endif
