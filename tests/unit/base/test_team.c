/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Jobs in pieces: every piece is done once, on any number of threads, also in a forked process and
 * where the threads sleep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/context.h"
#include "base/team.h"
#include "object/factory.h"

enum { MOST_PIECES = 300 };

typedef struct Job {
  unsigned seed;
  unsigned times[MOST_PIECES]; /* that a piece was done */
  uint64_t values[MOST_PIECES];
} Job;

static void do_piece(void *user, size_t piece) {
  Job *job = user;
  uint64_t value = job->seed + piece;
  for (int i = 0; i < 200; i++) value = value * 6364136223846793005u + 1442695040888963407u;
  job->times[piece]++;
  job->values[piece] = value;
}

static bool job_is_right(SofaContext *ctx, size_t n, unsigned seed) {
  Job job = {.seed = seed}, alone = {.seed = seed};
  sofa_team_run(ctx, n, do_piece, &job);
  for (size_t i = 0; i < n; i++) do_piece(&alone, i);
  for (size_t i = 0; i < MOST_PIECES; i++)
    if (job.times[i] != (i < n) || job.values[i] != alone.values[i]) return false;
  return true;
}

static SofaContext *make_context(int threads) {
  const SofaContextOptions options = {.threads = threads};
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  return ctx;
}

static void every_piece_once(void **state) {
  (void)state;
  for (int threads = 1; threads <= 5; threads++) {
    SofaContext *ctx = make_context(threads);
    for (unsigned k = 0; k < 400; k++) assert_true(job_is_right(ctx, k % MOST_PIECES, k));
    sofa_context_destroy(&ctx);
  }
}

static void threads_wake_again(void **state) {
  const struct timespec pause = {0, 3000000};
  SofaContext *ctx = make_context(3);
  (void)state;
  for (unsigned k = 0; k < 30; k++) {
    assert_true(job_is_right(ctx, 40, k));
    nanosleep(&pause, NULL); // long enough for them to fall asleep
  }
  sofa_context_destroy(&ctx);
}

static void threads_of_two_contexts(void **state) {
  SofaContext *a = make_context(2), *b = make_context(4);
  (void)state;
  for (unsigned k = 0; k < 100; k++) {
    assert_true(job_is_right(a, 17, k));
    assert_true(job_is_right(b, 33, k));
  }
  sofa_context_destroy(&a);
  for (unsigned k = 0; k < 100; k++) assert_true(job_is_right(b, 33, k));
  sofa_context_destroy(&b);
}

/* The threads are not in the new process: the caller does all pieces. */
static void forked_process(void **state) {
  SofaContext *ctx = make_context(3);
  int status = 1;
  (void)state;
  assert_true(job_is_right(ctx, 20, 1));
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    bool right = true;
    for (unsigned k = 0; k < 50; k++) right &= job_is_right(ctx, 50, k);
    sofa_context_destroy(&ctx);
    _exit(right ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_true(job_is_right(ctx, 20, 2));
  sofa_context_destroy(&ctx);
}

/* Piece 7 fails when the job has its seed; the others are done all the same. */
static SofaErr try_piece(void *user, size_t piece) {
  const Job *job = user;
  do_piece(user, piece);
  return job->seed == 7 && piece == 7 ? SOFA_ERR_GEOMETRY : SOFA_OK;
}

static void errors_of_pieces(void **state) {
  (void)state;
  for (int threads = 1; threads < 4; threads++) {
    SofaContext *ctx = make_context(threads);
    Job fails = {.seed = 7}, succeeds = {.seed = 8};
    assert_int_equal(sofa_team_try(ctx, 20, try_piece, &fails), SOFA_ERR_GEOMETRY);
    for (size_t i = 0; i < 20; i++) assert_int_equal(fails.times[i], 1);
    assert_int_equal(sofa_team_try(ctx, 20, try_piece, &succeeds), SOFA_OK);
    assert_int_equal(sofa_team_try(ctx, 0, try_piece, &fails), SOFA_OK);
    sofa_context_destroy(&ctx);
  }
}

SOFA_LIST(size_t, Numbers);

typedef struct Shared {
  SofaContext *ctx;
  Numbers all;
  volatile int inside; /* threads between lock and unlock */
  int most;
} Shared;

/* Appends its number to a list that all pieces have. */
static SofaErr append_piece(void *user, size_t piece) {
  Shared *s = user;
  sofa_team_lock(s->ctx);
  s->inside++;
  const SofaErr err = SOFA_APPEND(s->ctx, &s->all, &piece);
  for (volatile int i = 0; i < 100; i++) continue;
  if (s->inside > s->most) s->most = s->inside;
  s->inside--;
  sofa_team_unlock(s->ctx);
  return err;
}

static void one_thread_has_the_context(void **state) {
  enum { N = 20000 };
  (void)state;
  for (int threads = 1; threads < 5; threads++) {
    Shared s = {.ctx = make_context(threads)};
    double sum = 0;
    assert_int_equal(sofa_team_try(s.ctx, N, append_piece, &s), SOFA_OK);
    assert_int_equal(s.all.n, N);
    for (size_t i = 0; i < N; i++) sum += (double)s.all.data[i];
    assert_true(sum == 0.5 * N * (N - 1));
    assert_int_equal(s.most, 1);
    sofa_list_free(s.ctx, &s.all);
    sofa_context_destroy(&s.ctx);
  }
}

static void costs_nothing_between_jobs(void **state) {
  struct timespec begin, end, pause = {0, 200000000};
  SofaContext *ctx = make_context(3);
  (void)state;
  assert_true(job_is_right(ctx, 20, 1));
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  nanosleep(&pause, NULL);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  const double used =
      (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
  assert_true(used < 0.02); // threads that went on looking would use 0.4 s
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_piece_once),           cmocka_unit_test(threads_wake_again),
      cmocka_unit_test(threads_of_two_contexts),    cmocka_unit_test(forked_process),
      cmocka_unit_test(costs_nothing_between_jobs), cmocka_unit_test(errors_of_pieces),
      cmocka_unit_test(one_thread_has_the_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
