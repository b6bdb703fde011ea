/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that read the first scenes of a program at the same time, each in a context of its own.
 * What the XML library makes at first use is made once: otherwise a sanitizer finds what the slower
 * ones lost. */
#include "scene_test.h"

#include <pthread.h>
#include <sys/wait.h>

#include "components/builtins.h"
#include "simulation/simulation.h"

enum { THREADS = 8, PROGRAMS = 12 };

static const char scene[] = "<?xml version='1.0' encoding='ISO-8859-1'?><Node name='root' dt='0.5'>"
                            "<Node name='&lt;child&gt;'/></Node>";

static pthread_barrier_t together;

/* NULL when the scene was read. */
static void *read_scene(void *user) {
  Bench *b = user;
  SofaSimulation *s = NULL;
  bench_open(b, false);
  SofaErr err = sofa_register_builtins(b->ctx);
  pthread_barrier_wait(&together);
  if (err == SOFA_OK) err = sofa_simulation_load_text(b->ctx, scene, &s);
  sofa_simulation_destroy(&s);
  if (err != SOFA_OK) fputs(b->messages, stderr);
  bench_close(b);
  return err == SOFA_OK ? NULL : b;
}

/* A program of threads; what it loses is looked for at its end. */
static int program(void) {
  static Bench benches[THREADS];
  pthread_t threads[THREADS];
  int failures = 0;
  pthread_barrier_init(&together, NULL, THREADS);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, read_scene, &benches[i]) != 0) return 2;
  for (int i = 0; i < THREADS; i++) {
    void *failed = NULL;
    pthread_join(threads[i], &failed);
    failures += failed != NULL;
  }
  pthread_barrier_destroy(&together);
  return failures != 0;
}

static void first_scenes_at_the_same_time(void **state) {
  (void)state;
  for (int i = 0; i < PROGRAMS; i++) {
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) exit(program());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(first_scenes_at_the_same_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
