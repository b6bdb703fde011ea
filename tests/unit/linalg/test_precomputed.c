/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inverses that are kept: files that are read again to the bit, files that are not what they should
 * be, one inverse for several components. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "components/builtins.h"
#include "scene/checkpoint.h"
#include "tests/unit/base/failing_allocator.h"
#include "tests/support/gpl_parts.h"

/* ---- runs with a log ---- */

typedef struct Run {
  SofaContext *ctx;
  SofaSimulation *simulation;
  char log[6000];
  int n_warnings;
} Run;

static void sink(void *user, const SofaMessage *m) {
  Run *run = user;
  const size_t used = strlen(run->log);
  run->n_warnings += m->severity >= SOFA_WARNING;
  snprintf(run->log + used, sizeof run->log - used, "%s\n", m->text);
}

static SofaErr try_run(Run *run, const char *scene, int steps, SofaContextOptions options) {
  memset(run, 0, sizeof *run);
  options.sink = sink;
  options.sink_user = run;
  SofaErr err = sofa_context_create(&options, &run->ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(run->ctx);
  if (err == SOFA_OK) err = sofa_simulation_load_text(run->ctx, scene, &run->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run->simulation);
  for (int i = 0; i < steps && err == SOFA_OK; i++) err = sofa_simulation_step(run->simulation, 0);
  return err;
}
static void close_run(Run *run) {
  sofa_simulation_destroy(&run->simulation);
  sofa_context_destroy(&run->ctx);
}

static const SofaState *state_at(const Run *run, const char *path) {
  SofaObject *state =
      sofa_resolve_path(run->simulation->root, path, &(SofaPathRule){.strict = true});
  assert_non_null(state);
  return (const SofaState *)state;
}

/* Runs, compares with *x (taken when empty), and looks for words in the log. */
static void expect_run(const char *scene, const char *path, SofaReals *x, const char *said,
                       int warnings) {
  Run run;
  const SofaErr err = try_run(&run, scene, 5, (SofaContextOptions){0});
  if (err != SOFA_OK) fail_msg("%s", run.log);
  const SofaState *s = state_at(&run, path);
  const size_t n = 3 * sofa_state_size(s);
  if (x->n == 0) {
    x->data = malloc(n * sizeof *x->data);
    x->n = n;
    memcpy(x->data, s->position.data, n * sizeof *x->data);
  }
  assert_int_equal(n, x->n);
  assert_memory_equal(s->position.data, x->data, n * sizeof *x->data);
  if (!strstr(run.log, said)) fail_msg("'%s' is not in '%s'", said, run.log);
  if (run.n_warnings != warnings) fail_msg("%d warnings: %s", run.n_warnings, run.log);
  close_run(&run);
}

/* ---- scenes ---- */

#define BODY(solver, n, young)                                                                     \
  "<EulerImplicitSolver/>" solver "<RegularGridTopology n='" n "' min='0 0 0' max='2 2 5'/>"       \
  "<MechanicalObject name='state'/><UniformMass totalMass='10'/>"                                  \
  "<HexahedronFEMForceField name='fem' method='large' youngModulus='" young                        \
  "' poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 1 2'/>"
#define ROOT(dt, content)                                                                          \
  "<Node name='root' dt='" dt "' gravity='0 -10 0'><DefaultAnimationLoop/>"                        \
  "<DefaultVisualManagerLoop/>" content "</Node>"
#define SCENE(...) SCENE_OF(__VA_ARGS__)
#define SCENE_OF(solver, n, young, dt)                                                             \
  ROOT(dt, "<Node name='body'>" BODY(solver, n, young) "</Node>")
#define DIRECT(fields) "<PrecomputedLinearSolver printLog='1' " fields "/>"
#define WARP(fields)                                                                               \
  "<PCGLinearSolver iterations='200' tolerance='1e-20' preconditioner='@p'/>"                      \
  "<PrecomputedWarpPreconditioner name='p' printLog='1' " fields "/>"

#define SMALL "2 2 3", "4000"
#define LARGE "5 5 8", "4000"
static const char *const kinds[][3] = {
    /* scene, the same without a file, name of the file */
    {SCENE(DIRECT(""), SMALL, "0.02"), SCENE(DIRECT("use_file='0'"), SMALL, "0.02"),
     "body-36-0.02.inverse"},
    {SCENE(DIRECT(""), LARGE, "0.02"), SCENE(DIRECT("use_file='0'"), LARGE, "0.02"),
     "body-600-0.02.inverse"},
    {SCENE(WARP(""), SMALL, "0.02"), SCENE(WARP("use_file='0'"), SMALL, "0.02"),
     "body-36-0.02.inverse"},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static bool is_there(const char *path) {
  return access(path, F_OK) == 0;
}

/* ---- bytes of a file ---- */

typedef struct Bytes {
  char *data;
  size_t n;
} Bytes;

static Bytes read_bytes(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  Bytes b = {malloc(1 << 22), 0};
  b.n = fread(b.data, 1, 1 << 22, file);
  fclose(file);
  return b;
}
static void write_bytes(const char *path, const char *data, size_t n) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  fclose(file);
}

/* ---- tests ---- */

/* Written once, read by the next run, with the very motion of a run without. */
static void a_file_is_read_again(void **state) {
  (void)state;
  for (int k = 0; k < N_KINDS; k++) {
    SofaReals x = {0};
    unlink(kinds[k][2]);
    expect_run(kinds[k][1], "/body/state", &x, "", 0);
    assert_false(is_there(kinds[k][2]));
    expect_run(kinds[k][0], "/body/state", &x, "inverse written to", 0);
    const Bytes first = read_bytes(kinds[k][2]);
    expect_run(kinds[k][0], "/body/state", &x, "inverse read from", 0);
    const Bytes second = read_bytes(kinds[k][2]);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.data, second.data, first.n);
    free(first.data), free(second.data), free(x.data);
    unlink(kinds[k][2]);
  }
}

/* What the header tells: where its parts stand, and the words of the warning. */
static void files_of_something_else(void **state) {
  (void)state;
  static const struct {
    size_t at;
    const char *said;
  } parts[] = {{8, "another version of the format"},
               {12, "another byte order"},
               {16, "a matrix of another size"},
               {24, "another time step"},
               {32, "another matrix"},
               {40, "is damaged"},
               {48, "is damaged"},
               {600, "is damaged"}};
  for (int k = 0; k < N_KINDS; k++) {
    SofaReals x = {0};
    expect_run(kinds[k][0], "/body/state", &x, "inverse written to", 0);
    const Bytes good = read_bytes(kinds[k][2]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
      Bytes bad = read_bytes(kinds[k][2]);
      bad.data[parts[i].at] ^= 1;
      write_bytes(kinds[k][2], bad.data, bad.n);
      free(bad.data);
      expect_run(kinds[k][0], "/body/state", &x, parts[i].said, 1);

      /* it was replaced */
      bad = read_bytes(kinds[k][2]);
      assert_true(bad.n == good.n && !memcmp(bad.data, good.data, good.n));
      free(bad.data);
    }
    for (size_t n = 8; n < good.n; n += n < 60 ? 7 : 1 + good.n / 5) {
      write_bytes(kinds[k][2], good.data, n);
      expect_run(kinds[k][0], "/body/state", &x, n < 48 ? "is cut off" : "is damaged", 1);
    }
    free(good.data), free(x.data);
    unlink(kinds[k][2]);
  }
}

/* What csofa did not write stays as it is. */
static void files_of_others_are_kept(void **state) {
  (void)state;
  SofaReals x = {0};
  expect_run(kinds[0][1], "/body/state", &x, "", 0);
  for (int i = 0; i < 2; i++) {
    const char *text = i ? "my own notes" : "";
    write_bytes(kinds[0][2], text, strlen(text));
    expect_run(kinds[0][0], "/body/state", &x, "is not an inverse written by csofa", 1);
    const Bytes left = read_bytes(kinds[0][2]);
    assert_int_equal(left.n, strlen(text));
    free(left.data);
    unlink(kinds[0][2]);
  }
  assert_int_equal(mkdir(kinds[0][2], 0777), 0);
  expect_run(kinds[0][0], "/body/state", &x, "cannot be read", 1);
  rmdir(kinds[0][2]);
  free(x.data);
}

/* Another stiffness, another ordering: the old inverse is not used. */
static void stale_files(void **state) {
  (void)state;
  SofaReals soft = {0}, stiff = {0};
  const char *const other = SCENE(DIRECT(""), "2 2 3", "9000", "0.02");
  expect_run(kinds[0][0], "/body/state", &soft, "inverse written to", 0);
  expect_run(SCENE(DIRECT("use_file='0'"), "2 2 3", "9000", "0.02"), "/body/state", &stiff, "", 0);
  expect_run(other, "/body/state", &stiff, "is the inverse of another matrix", 1);
  expect_run(other, "/body/state", &stiff, "inverse read from", 0);
  expect_run(kinds[0][0], "/body/state", &soft, "is the inverse of another matrix", 1);
  SofaReals ordered = {0};
  expect_run(SCENE("<NaturalOrderingMethod/>" DIRECT(""), SMALL, "0.02"), "/body/state", &ordered,
             "is the inverse of another matrix", 1);

  /* another time step has a file of its own */
  SofaReals slow = {0};
  expect_run(SCENE(DIRECT(""), SMALL, "0.05"), "/body/state", &slow, "inverse written to", 0);
  assert_true(is_there("body-36-0.05.inverse") && is_there("body-36-0.02.inverse"));
  free(soft.data), free(stiff.data), free(ordered.data), free(slow.data);
  unlink("body-36-0.02.inverse"), unlink("body-36-0.05.inverse");
}

/* Contents that no factor has, with a checksum that holds: found, or harmless. */
static void damaged_contents(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int k = 0; k < 2; k++) {
    SofaReals x = {0};
    expect_run(kinds[k][0], "/body/state", &x, "inverse written to", 0);
    const Bytes good = read_bytes(kinds[k][2]);
    int found = 0, tries = k ? 60 : 200;
    for (int i = 0; i < tries; i++) {
      Bytes bad = {malloc(good.n), good.n};
      memcpy(bad.data, good.data, good.n);
      const size_t ints = 48 + 48 + 4 * (k ? 3 * 600 : 3 * 36);
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      const size_t at = 48 + 4 * ((seed >> 33) % ((ints - 48) / 4));
      const uint32_t wrong = i % 3 == 0 ? UINT32_MAX : i % 3 == 1 ? 1u << 30 : (uint32_t)i;
      memcpy(bad.data + at, &wrong, sizeof wrong);
      const uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, bad.data + 48, bad.n - 48);
      memcpy(bad.data + 40, &sum, sizeof sum);
      write_bytes(kinds[k][2], bad.data, bad.n);
      free(bad.data);
      Run run;
      try_run(&run, kinds[k][0], 1, (SofaContextOptions){0});
      found += strstr(run.log, "is damaged") != NULL;
      close_run(&run);
    }
    if (found < tries / 2) fail_msg("%d of %d were found", found, tries);
    free(good.data), free(x.data);
    unlink(kinds[k][2]);
  }
}

#define TWO(fields, young, other)                                                                  \
  ROOT("0.02",                                                                                     \
       "<Node name='a'><Node name='body'>" BODY(                                                   \
           WARP(fields), "2 2 3",                                                                  \
           young) "</Node></Node><Node name='b'><Node name='body'>" BODY(WARP(fields), "2 2 3",    \
                                                                         other) "</Node></Node>")

static void one_inverse_for_several(void **state) {
  (void)state;
  SofaReals x = {0};
  expect_run(TWO("use_file='0' share_matrix='0'", "4000", "4000"), "/b/body/state", &x, "", 0);
  expect_run(TWO("use_file='0'", "4000", "4000"), "/b/body/state", &x,
             "shares the inverse of '/a/body/p'", 0);
  expect_run(TWO("use_file='0'", "4000", "4000"), "/a/body/state", &x, "", 0);
  Run run;
  assert_int_equal(try_run(&run, TWO("use_file='0' share_matrix='0'", "4000", "4000"), 2,
                           (SofaContextOptions){0}),
                   SOFA_OK);
  assert_null(strstr(run.log, "shares"));
  close_run(&run);

  /* another matrix is not shared, whatever the name of its file */
  SofaReals y = {0};
  expect_run(TWO("use_file='0' share_matrix='0'", "4000", "9000"), "/b/body/state", &y, "", 0);
  assert_int_equal(try_run(&run, TWO("use_file='0'", "4000", "9000"), 5, (SofaContextOptions){0}),
                   SOFA_OK);
  assert_null(strstr(run.log, "shares"));
  assert_memory_equal(state_at(&run, "/b/body/state")->position.data, y.data, y.n * sizeof *y.data);
  close_run(&run);

  /* together with a file: the first reads it, the second shares */
  expect_run(TWO("", "4000", "4000"), "/b/body/state", &x, "inverse written to", 0);
  expect_run(TWO("", "4000", "4000"), "/b/body/state", &x, "shares the inverse of", 0);
  expect_run(TWO("", "4000", "4000"), "/b/body/state", &x, "inverse read from", 0);
  free(x.data), free(y.data);
  unlink("body-36-0.02.inverse");
}

/* The one who shares goes on when the other leaves. */
static void the_maker_may_leave(void **state) {
  (void)state;
  Run run[2];
  for (int k = 0; k < 2; k++) {
    assert_int_equal(try_run(&run[k],
                             k ? TWO("use_file='0'", "4000", "4000")
                               : TWO("use_file='0' share_matrix='0'", "4000", "4000"),
                             2, (SofaContextOptions){0}),
                     SOFA_OK);
    SofaNode *a = sofa_node_child(run[k].simulation->root, "a");
    sofa_node_destroy(&a);
    for (int i = 0; i < 3; i++)
      assert_int_equal(sofa_simulation_step(run[k].simulation, 0), SOFA_OK);
  }
  const SofaState *own = state_at(&run[0], "/b/body/state");
  const SofaState *shared = state_at(&run[1], "/b/body/state");
  assert_memory_equal(own->position.data, shared->position.data,
                      3 * sofa_state_size(own) * sizeof *own->position.data);
  close_run(&run[0]), close_run(&run[1]);
}

/* linearSolver: how the inverse is made. */
static void made_as_another_solver(void **state) {
  (void)state;
  static const char *const solvers[] = {
      WARP("use_file='0'"),
      WARP("use_file='0' linearSolver='@llt'") "<CholmodSupernodalLLT name='llt'/>",
      WARP("use_file='0' linearSolver='@llt'") "<EigenSimplicialLLT name='llt'/>",
      WARP("use_file='0' linearSolver='@lu'") "<EigenSparseLU name='lu'/>"};
  SofaReals x[4] = {{0}};
  if (lacks_gpl_part(solvers[3])) skip();
  for (int k = 0; k < 4; k++) {
    char text[3000];
    snprintf(text, sizeof text,
             ROOT("0.02", "<Node name='body'>" BODY("%s", "5 5 8", "4000") "</Node>"), solvers[k]);
    expect_run(text, "/body/state", &x[k], k == 3 ? "no inverse can be taken" : "", k == 3);
  }
  assert_memory_equal(x[0].data, x[3].data, x[0].n * sizeof(double));
  for (int k = 1; k < 4; k++)
    for (size_t i = 0; i < x[0].n; i++) assert_true(fabs(x[k].data[i] - x[0].data[i]) < 1e-7);
  for (int k = 0; k < 4; k++) free(x[k].data);

  /* an inverse that was made another way is another one */
  SofaReals y[2] = {{0}};
  expect_run(kinds[2][0], "/body/state", &y[0], "inverse written to", 0);
  expect_run(SCENE(WARP("linearSolver='@llt'") "<EigenSimplicialLLT name='llt'/>", SMALL, "0.02"),
             "/body/state", &y[1], "is the inverse of another matrix", 1);
  free(y[0].data), free(y[1].data);
  unlink(kinds[2][2]);
}

static void memory_may_fail(void **state) {
  (void)state;
  const char *const scene = TWO("", "4000", "4000");
  for (int reads = 0; reads < 2; reads++) {
    bool done = false;
    for (uint64_t fail_at = 1; !done; fail_at += fail_at / 60 + 1) {
      FailingAllocator allocator = {.fail_at = fail_at};
      Run run;
      if (!reads) unlink("body-36-0.02.inverse");
      const SofaErr err =
          try_run(&run, scene, 1,
                  (SofaContextOptions){.allocate = failing_allocate, .allocate_user = &allocator});
      done = allocator.calls < fail_at;
      if (done) assert_int_equal(err, SOFA_OK);
      else if (err == SOFA_OK && !run.n_warnings) fail_msg("request %d", (int)fail_at);
      close_run(&run);
      assert_int_equal(allocator.live, 0);
    }
  }
  unlink("body-36-0.02.inverse");
}

/* ---- checkpoints ---- */

#define BAR                                                                                        \
  "<Node dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><EulerImplicitSolver/>"                \
  "<PrecomputedLinearSolver use_file='0'/><RegularGridTopology n='2 2 4' min='0 0 0' max='1 1 "    \
  "3'/>"                                                                                           \
  "<MechanicalObject name='s'/><UniformMass totalMass='1'/><FixedProjectiveConstraint "            \
  "indices='0 1 2 3'/><TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/></Node>"

static void steps_of(SceneRun *run, double dt, double *x) {
  for (int i = 0; i < 3; i++) assert_int_equal(sofa_simulation_step(run->simulation, dt), SOFA_OK);
  memcpy(x, scene_run_state(run, "/s")->position.data, 48 * sizeof *x);
}

/* The state before the first step has no matrix: the first one after it is that of its own dt. */
static void begins_again_without_a_matrix(void **state) {
  SceneRun run;
  SofaText saved = {0};
  double expected[48], other[48], x[48];
  (void)state;
  scene_run_open(&run, BAR, NULL);
  steps_of(&run, 0.05, expected);
  scene_run_close(&run);
  scene_run_open(&run, BAR, NULL);
  assert_int_equal(scene_run_state(&run, "/s")->position.n, 16);
  assert_int_equal(sofa_checkpoint_write(run.simulation, &saved), SOFA_OK);
  steps_of(&run, 0.01, other);
  assert_int_equal(sofa_checkpoint_read(run.simulation, "saved", saved.data, saved.n), SOFA_OK);
  steps_of(&run, 0.05, x);
  assert_memory_equal(x, expected, sizeof x);
  sofa_list_free(run.ctx, &saved);
  scene_run_close(&run);
}

int main(void) {
  char folder[] = "/tmp/csofa-precomputed-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(begins_again_without_a_matrix),
      cmocka_unit_test(a_file_is_read_again),
      cmocka_unit_test(files_of_something_else),
      cmocka_unit_test(files_of_others_are_kept),
      cmocka_unit_test(stale_files),
      cmocka_unit_test(damaged_contents),
      cmocka_unit_test(one_inverse_for_several),
      cmocka_unit_test(made_as_another_solver),
      cmocka_unit_test(the_maker_may_leave),
      cmocka_unit_test(memory_may_fail),
  };
  const int failures = cmocka_run_group_tests(tests, NULL, NULL);
  return with_skipped(rmdir(folder) == 0 ? failures : failures + 1);
}
