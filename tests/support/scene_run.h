/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests that run a scene given as text: any warning or error fails the test unless allowed, and
 * so do accesses behind the end of a block of memory and blocks that are not freed. */
#ifndef TESTS_SUPPORT_SCENE_RUN_H
#define TESTS_SUPPORT_SCENE_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "sofa.h"
#include "components/builtins.h"
#include "tests/support/fence_allocator.h"

typedef struct SceneRun {
  SofaContext *ctx;
  FenceAllocator fences; /* of the context, unless its options bring an allocator */
  SofaSimulation *simulation;
  bool quiet;      /* keep messages to itself (for expected errors) */
  char last[1000]; /* last warning or error */
  char all[4000];  /* the first of them, one per line */
  int n_problems;  /* warnings and errors */
} SceneRun;

static inline void scene_run_sink(void *user, const SofaMessage *m) {
  SceneRun *run = user;
  if (m->severity < SOFA_WARNING) return;
  run->n_problems++;
  if (!m->origin.path && m->origin.file)
    snprintf(run->last, sizeof run->last, "%s:%d: %s", m->origin.file, m->origin.line, m->text);
  else
    snprintf(run->last, sizeof run->last, "%s: %s", m->origin.path ? m->origin.path : "", m->text);
  const size_t used = strlen(run->all);
  snprintf(run->all + used, sizeof run->all - used, "%s\n", run->last);
  if (!run->quiet) fprintf(stderr, "%s: %s\n", sofa_severity_text(m->severity), run->last);
}

static inline void scene_run_context(SceneRun *run, const SofaContextOptions *options) {
  SofaContextOptions o = options ? *options : (SofaContextOptions){0};
  const bool quiet = run->quiet;
  memset(run, 0, sizeof *run);
  run->quiet = quiet;
  o.sink = scene_run_sink;
  o.sink_user = run;
  if (!o.allocate) {
    o.allocate = fence_allocate;
    o.allocate_user = &run->fences;
  }
  assert_int_equal(sofa_context_create(&o, &run->ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(run->ctx), SOFA_OK);
}

/* Loads and initialises; fails the test on any problem. */
static inline void scene_run_open(SceneRun *run, const char *text,
                                  const SofaContextOptions *options) {
  memset(run, 0, sizeof *run);
  scene_run_context(run, options);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  assert_int_equal(run->n_problems, 0);
}

static inline void scene_run_steps(SceneRun *run, int n) {
  for (int i = 0; i < n; i++) assert_int_equal(sofa_simulation_step(run->simulation, 0), SOFA_OK);
}

/* The object at an absolute path such as "/body/state". */
static inline SofaObject *scene_run_object(SceneRun *run, const char *path) {
  SofaObject *object =
      sofa_resolve_path(run->simulation->root, path, &(SofaPathRule){.strict = true});
  if (!object) fail_msg("there is no object %s", path);
  return object;
}
static inline SofaState *scene_run_state(SceneRun *run, const char *path) {
  return (SofaState *)scene_run_object(run, path);
}

static inline void scene_run_close(SceneRun *run) {
  sofa_simulation_destroy(&run->simulation);
  sofa_context_destroy(&run->ctx);
  assert_int_equal(run->fences.live, 0);
}

#endif
