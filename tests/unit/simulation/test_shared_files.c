/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that several processes write and read at the same time: runs of one file, recorded states
 * and saved states of a mesh that is divided among them. */
#include "tests/unit/scene/scene_test.h"
#include "tests/unit/simulation/processes.h"

#include <math.h>
#include <sys/stat.h>
#include <zlib.h>

#include "behavior/state_division.h"
#include "components/builtins.h"
#include "object/shared_output.h"
#include "scene/checkpoint.h"
#include "scene/edit.h"
#include "simulation/simulation.h"

static char folder[] = "/tmp/csofa-shared-XXXXXX";

/* ---- files ---- */

static const char *in_folder(char out[200], const char *name) {
  snprintf(out, 200, "%s/%s", folder, name);
  return out;
}

static bool exists(const char *name) {
  char path[200];
  struct stat info;
  return lstat(in_folder(path, name), &info) == 0;
}

/* The content, unpacked, with a NUL; the caller frees. */
static char *content(const char *name, size_t *n) {
  char path[200];
  const size_t most = 1 << 24;
  char *bytes = malloc(most);
  gzFile in = gzopen(in_folder(path, name), "rb");
  if (!in) fail_msg("no file %s", name);
  const int got = gzread(in, bytes, (unsigned)most - 1);
  assert_true(got >= 0);
  assert_int_equal(gzclose(in), Z_OK);
  bytes[got] = '\0';
  *n = (size_t)got;
  return bytes;
}

static void put_file(const char *name, const char *bytes, size_t n) {
  char path[200];
  FILE *out = fopen(in_folder(path, name), "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, n, out), n);
  assert_int_equal(fclose(out), 0);
}

static void same_content(const char *one, const char *other) {
  size_t n, m;
  char *a = content(one, &n), *b = content(other, &m);
  if (n != m || memcmp(a, b, n) != 0) fail_msg("%s and %s differ", one, other);
  free(a);
  free(b);
}

/* ---- runs of one file ---- */

enum { N_WRITES = 3, MOST_TEXT = 1 << 17 };

typedef struct Writing {
  const char *name;
  bool replace; /* somebody puts another file in the place of the temporary one */
  bool dropped; /* on all processes */
  char messages[MOST_PROCESSES][600];
  uint64_t written;
} Writing;

/* What process r writes in turn `turn`: nothing, a little, or more than buffers hold. */
static size_t run_text(int r, int turn, char *out) {
  size_t n = 0;
  const int lines = turn == 1 ? r % 2 : turn == 2 ? 700 * (r + 1) : 1;
  for (int i = 0; i < lines; i++)
    n += (size_t)snprintf(out + n, MOST_TEXT - n, "%d %d %d of a run\n", turn, r, i);
  return n;
}

static void put_another_file(const SofaOutput *file) {
  const char *temporary = sofa_output_temporary(file);
  char away[300];
  snprintf(away, sizeof away, "%s.away", temporary);
  if (rename(temporary, away) == 0) put_file("other", "x", 1);
  assert_int_equal(symlink("other", temporary), 0);
}

static SofaErr write_all(SofaContext *ctx, int rank, SofaOutput *file, Writing *w) {
  SofaSharedOutput shared = {.output = file};
  char *text = malloc(MOST_TEXT);
  SofaErr err = SOFA_OK;
  if (w->replace && rank == 0) put_another_file(file);
  for (int turn = 0; turn < N_WRITES && err == SOFA_OK; turn++)
    err = sofa_shared_output_write(ctx, &shared, text, run_text(rank, turn, text));
  sofa_shared_output_end(ctx, &shared);
  if (rank == 0) w->written = sofa_output_written(file);
  free(text);
  return err;
}

static SofaErr write_process(ThreadProcess *process, void *user) {
  Writing *w = user;
  Bench *b = calloc(1, sizeof *b);
  SofaOutput *file = NULL;
  char path[200];
  const SofaOutputSpec spec = {.path = in_folder(path, w->name),
                               .what = "the runs",
                               .gzip = true,
                               .provenance = SOFA_REMARK_NONE};
  bench_open(b, false);
  SofaErr err = process->all->n > 1 ? thread_join(process, b->ctx) : SOFA_OK;
  b->ctx->discard_outputs = process->rank > 0 || w->dropped;
  if (err == SOFA_OK) err = sofa_output_open(b->ctx, &spec, &file);
  if (err == SOFA_OK) sofa_output_end(file, "# end\n");
  if (err == SOFA_OK) err = write_all(b->ctx, process->rank, file, w);
  const SofaErr closed = sofa_output_close(&file);
  snprintf(w->messages[process->rank], sizeof w->messages[0], "%.599s", b->messages);
  bench_close(b);
  free(b);
  return err == SOFA_OK ? closed : err;
}

static size_t expected_text(int n, char *out) {
  size_t length = 0;
  for (int turn = 0; turn < N_WRITES; turn++)
    for (int r = 0; r < n; r++) length += run_text(r, turn, out + length);
  return length;
}

static void runs_of_a_file(void **state) {
  static const char *const names[] = {"runs.txt", "runs.gz"};
  char *text = malloc(MOST_PROCESSES * MOST_TEXT);
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++)
    for (int k = 0; k < 2; k++) {
      Writing w = {.name = names[k]};
      size_t length;
      assert_int_equal(threads_run(n, write_process, &w), SOFA_OK);
      char *found = content(names[k], &length);
      const size_t expected = expected_text(n, text);
      assert_int_equal(w.written, expected);
      memcpy(text + expected, "# end\n", 7);
      assert_string_equal(found, text);
      assert_int_equal(length, expected + 6);
      free(found);
    }
  free(text);
}

static void dropped_runs(void **state) {
  Writing w = {.name = "dropped", .dropped = true};
  (void)state;
  assert_int_equal(threads_run(3, write_process, &w), SOFA_OK);
  assert_false(exists("dropped"));
}

/* A process that does not see the file of the first one ends all; a link is not followed. */
static void another_file(void **state) {
  Writing w = {.name = "replaced", .replace = true};
  size_t n;
  (void)state;
  assert_int_equal(threads_run(3, write_process, &w), SOFA_ERR_IO);
  assert_false(exists("replaced"));
  for (int r = 1; r < 3; r++)
    if (!strstr(w.messages[r], "replaced:0: error: cannot write the runs: "))
      fail_msg("process %d says '%s'", r, w.messages[r]);
  char *other = content("other", &n);
  assert_string_equal(other, "x");
  free(other);
}

/* ---- scenes ---- */

/* The motion has the same bits on any number of processes: no point knows of another one. */
#define FALLING                                                                                    \
  "<Node gravity='0.3 -9.81 0.01' dt='0.01'><RequiredPlugin pluginName='Sofa.Component'/>"         \
  "<DefaultAnimationLoop/><Node name='body'><EulerExplicitSolver/>"                                \
  "<RegularGridTopology name='grid' n='6 3 4' min='0 0 0' max='0.7 0.2 0.31'/>"
#define STATE "<MechanicalObject name='dofs'/>"
#define MASS "<UniformMass vertexMass='0.125'/>"
enum { N_POINTS = 6 * 3 * 4, N_STEPS = 3 };

typedef struct Run {
  const char *scene;
  int steps;
  SofaErr (*change)(SofaSimulation *s, int rank); /* first, or NULL */
  int before;                                     /* steps before a state is restored */
  const char *restore, *save;                     /* files of the folder, or NULL */
  bool show;                                      /* positions of the last step */
  double x[3 * N_POINTS], v[3 * N_POINTS];
  double numbers[2]; /* of a CompareState */
  char messages[MOST_PROCESSES][1 << 12];
} Run;

static SofaErr take_lists(SofaSimulation *s, int rank, Run *run) {
  const SofaState *state = (const SofaState *)sofa_resolve_path(s->root, "/body/dofs", NULL);
  const SofaDivision *division = sofa_state_division(state);
  if (sofa_state_n_whole(state) != N_POINTS) return SOFA_ERR_RANGE;
  if (!division) {
    memcpy(run->x, state->position.data, sizeof run->x);
    memcpy(run->v, state->velocity.data, sizeof run->v);
    return SOFA_OK;
  }
  (void)rank;
  SOFA_TRY(sofa_division_gather(s->ctx, division, 0, 3, state->position.data, run->x));
  return sofa_division_gather(s->ctx, division, 0, 3, state->velocity.data, run->v);
}

static SofaErr run_scene(SofaContext *ctx, int rank, Run *run) {
  SofaSimulation *s = NULL;
  SofaErr err = SOFA_OK;
  char path[200];
  SOFA_GO(err, done, sofa_simulation_load_text(ctx, run->scene, &s));
  SOFA_GO(err, done, sofa_simulation_init(s));
  if (ctx->n_messages[SOFA_ERROR]) SOFA_GO(err, done, SOFA_ERR_SCENE);
  if (run->change) SOFA_GO(err, done, run->change(s, rank));
  for (int i = 0; i < run->before; i++) SOFA_GO(err, done, sofa_simulation_step(s, 0));
  if (run->restore) SOFA_GO(err, done, sofa_checkpoint_restore(s, in_folder(path, run->restore)));
  for (int i = 0; i < run->steps; i++) SOFA_GO(err, done, sofa_simulation_step(s, 0));
  if (run->save) SOFA_GO(err, done, sofa_checkpoint_check(s));
  if (run->save) SOFA_GO(err, done, sofa_checkpoint_save(s, in_folder(path, run->save)));
  err = take_lists(s, rank, run);
done:
  sofa_simulation_destroy(&s);
  return err;
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Run *run = user;
  Bench *b = calloc(1, sizeof *b);
  bench_open(b, false);
  b->ctx->discard_outputs = process->rank > 0;
  SofaErr err = sofa_register_builtins(b->ctx);
  if (err == SOFA_OK && process->all->n > 1) err = thread_join(process, b->ctx);
  if (err == SOFA_OK) err = run_scene(b->ctx, process->rank, run);
  snprintf(run->messages[process->rank], sizeof run->messages[0], "%.4000s", b->messages);
  bench_close(b);
  free(b);
  return err;
}

/* All processes must end with `expected`. */
static void run_on(int n, Run *run, SofaErr expected) {
  const SofaErr err = threads_run(n, run_process, run);
  if (err != expected)
    fail_msg("%d processes: %s\n%s\n%s", n, sofa_err_text(err), run->messages[0], run->messages[1]);
}

/* ---- recorded states ---- */

static const char *writing_scene(char *out, size_t size, const char *name) {
  snprintf(out, size,
           FALLING STATE MASS "<WriteState filename='%s/%s' writeX='1' writeX0='1' writeV='1' "
                              "writeF='1'/></Node></Node>",
           folder, name);
  return out;
}

/* The same bytes on any number of processes. */
static void written_states(void **state) {
  static const char *const names[][2] = {{"one.txt", "many.txt"}, {"one.gz", "many.gz"}};
  char scene[2000];
  (void)state;
  for (int k = 0; k < 2; k++) {
    Run one = {.scene = writing_scene(scene, sizeof scene, names[k][0]), .steps = N_STEPS};
    size_t n;
    run_on(1, &one, SOFA_OK);
    char *text = content(names[k][0], &n);
    assert_true(n > 1000 && strstr(text, "\n# end\n"));
    free(text);
    for (int processes = 2; processes <= 5; processes++) {
      Run many = {.scene = writing_scene(scene, sizeof scene, names[k][1]), .steps = N_STEPS};
      run_on(processes, &many, SOFA_OK);
      same_content(names[k][0], names[k][1]);
    }
  }
}

/* Blocks at 0, 0.01, .. of positions and velocities, which no run of the scene has. */
static void write_states(const char *name, int blocks, size_t n_points) {
  char *text = malloc(1 << 20);
  size_t n = (size_t)snprintf(text, 100, "# csofa recording\n");
  for (int b = 0; b < blocks; b++) {
    n += (size_t)snprintf(text + n, 100, "T= %g\n  X=", 0.01 * b);
    for (size_t i = 0; i < 3 * n_points; i++)
      n += (size_t)snprintf(text + n, 100, " %.6g", sin((double)i + b + 1));
    n += (size_t)snprintf(text + n, 100, "\n  V=");
    for (size_t i = 0; i < 3 * n_points; i++)
      n += (size_t)snprintf(text + n, 100, b % 2 ? "\t%.6g" : " %.6g", cos((double)i + 2 * b));
    n += (size_t)snprintf(text + n, 100, b % 2 ? " \r\n" : "\n");
  }
  n += (size_t)snprintf(text + n, 100, "# end\n");
  put_file(name, text, n);
  free(text);
}

static const char *reading_scene(char *out, size_t size, const char *reader) {
  snprintf(out, size, FALLING "%s</Node></Node>", reader);
  return out;
}

/* Positions and velocities of 1 and of 2 to 5 processes have the same bits. */
static void check_reading(const char *reader, int steps) {
  char scene[2000];
  Run one = {.scene = reading_scene(scene, sizeof scene, reader), .steps = steps};
  run_on(1, &one, SOFA_OK);
  assert_true(one.x[0] != 0);
  for (int n = 2; n <= 5; n++) {
    Run many = {.scene = scene, .steps = steps};
    run_on(n, &many, SOFA_OK);
    if (memcmp(one.x, many.x, sizeof one.x) != 0 || memcmp(one.v, many.v, sizeof one.v) != 0)
      fail_msg("%s\non %d processes: %.17g, of one %.17g", scene, n, many.x[0], one.x[0]);
  }
}

static void read_states(void **state) {
  static const char *const options[] = {"", "loop='1'", "interval='0.02'", "shift='0.01' loop='1'",
                                        "scalePos='2' rotation='0 30 90' translation='1 2 3'"};
  char reader[1000];
  (void)state;
  write_states("in.txt", 3, N_POINTS);
  for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
    snprintf(reader, sizeof reader, STATE "<ReadState filename='%s/in.txt' %s/>", folder,
             options[k]);
    for (int steps = 0; steps <= 8; steps += 4) check_reading(reader, steps);
    // before its state
    snprintf(reader, sizeof reader, "<ReadState filename='%s/in.txt' %s/>" STATE, folder,
             options[k]);
    check_reading(reader, 2);
  }
}

/* Of a run that was killed the last block is left out. */
static void cut_states(void **state) {
  char reader[1000];
  size_t n;
  (void)state;
  write_states("whole.txt", 3, N_POINTS);
  char *text = content("whole.txt", &n);
  put_file("cut.txt", text, n - 40);
  free(text);
  snprintf(reader, sizeof reader, STATE "<ReadState filename='%s/cut.txt'/>", folder);
  check_reading(reader, 4);
}

static void wrong_states(void **state) {
  char reader[1000], scene[2000];
  (void)state;
  write_states("few.txt", 3, N_POINTS - 1);
  snprintf(reader, sizeof reader, STATE "<ReadState filename='%s/few.txt'/>", folder);
  Run run = {.scene = reading_scene(scene, sizeof scene, reader)};
  run_on(3, &run, SOFA_ERR_SCENE);
  if (!strstr(run.messages[0],
              "few.txt:3: error: X= has 213 numbers, the state has 72 points with 3 each"))
    fail_msg("%s", run.messages[0]);
  const char *bad = "T= 0\n  X= 1 2 x 4\n";
  put_file("bad.txt", bad, strlen(bad));
  snprintf(reader, sizeof reader, STATE "<ReadState filename='%s/bad.txt'/>", folder);
  reading_scene(scene, sizeof scene, reader);
  run_on(2, &run, SOFA_ERR_SCENE);
  assert_non_null(strstr(run.messages[0], "bad.txt:2: error: X= has 4 numbers"));
}

/* The process that has its point sees what is no number. */
static void bad_number(void **state) {
  char reader[1000], scene[2000];
  size_t n;
  (void)state;
  write_states("number.txt", 2, N_POINTS);
  char *text = content("number.txt", &n);
  *strrchr(text, '.') = 'x';
  put_file("number.txt", text, n);
  free(text);
  snprintf(reader, sizeof reader, STATE "<ReadState filename='%s/number.txt'/>", folder);
  Run run = {.scene = reading_scene(scene, sizeof scene, reader)};
  run_on(2, &run, SOFA_ERR_SCENE);
  if (!strstr(run.messages[1], "number.txt:7: error: expected a number"))
    fail_msg("%s", run.messages[1]);
}

/* The word behind `label` in the last message with it. */
static double last_number(const char *messages, const char *label) {
  const char *found = NULL;
  for (const char *at = messages; (at = strstr(at, label)) != NULL; at++) found = at;
  if (!found) fail_msg("no '%s' in %s", label, messages);
  return strtod(found + strlen(label), NULL);
}

static void compared_states(void **state) {
  char reader[1000], scene[2000];
  (void)state;
  write_states("compare.txt", 4, N_POINTS);
  snprintf(reader, sizeof reader,
           STATE MASS "<CompareState filename='%s/compare.txt' printLog='1'/>", folder);
  reading_scene(scene, sizeof scene, reader);
  Run one = {.scene = scene, .steps = 3};
  run_on(1, &one, SOFA_OK);
  const double total = last_number(one.messages[0], "total so far "),
               by_point = last_number(one.messages[0], "per point ");
  assert_true(total > 0.1);
  for (int n = 2; n <= 4; n++) {
    Run many = {.scene = scene, .steps = 3};
    run_on(n, &many, SOFA_OK);
    for (int r = 0; r < n; r++) {
      assert_true(fabs(last_number(many.messages[r], "total so far ") - total) < 1e-5 * total);
      assert_true(fabs(last_number(many.messages[r], "per point ") - by_point) < 1e-5 * by_point);
    }
  }
}

/* ---- pieces of a mesh ---- */

/* Each process writes its piece, the first one the list of them, with the fields of each piece. */
static void written_pieces(void **state) {
  static const char head[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PUnstructuredGrid\" ";
  static const char fields[] =
      "  <PUnstructuredGrid GhostLevel=\"0\">\n"
      "    <PPointData>\n"
      "      <PDataArray type=\"Float64\" Name=\"v&amp;\" NumberOfComponents=\"3\"/>\n"
      "      <PDataArray type=\"Float64\" Name=\"x\" NumberOfComponents=\"3\"/>\n"
      "    </PPointData>\n"
      "    <PPoints>\n"
      "      <PDataArray type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"/>\n"
      "    </PPoints>\n";
  char scene[2000], expected[2000], name[100];
  (void)state;
  snprintf(scene, sizeof scene,
           FALLING STATE MASS "<VTKExporter filename='%s/mesh&lt;' edges='0' hexas='1' "
                              "pointsDataFields='v&amp;=dofs.velocity x=dofs.position' "
                              "exportEveryNumberOfSteps='2'/></Node></Node>",
           folder);
  for (int n = 2; n <= 3; n++) {
    Run run = {.scene = scene, .steps = 2};
    size_t size, at;
    run_on(n, &run, SOFA_OK);
    char *list = content("mesh<_00000.pvtu", &size), *begin = strstr(list, "  <PUnstr");
    assert_ptr_equal(strstr(list, head), list);
    assert_non_null(begin);
    at = (size_t)snprintf(expected, sizeof expected, "%s", fields);
    for (int r = 0; r < n; r++) {
      snprintf(name, sizeof name, "mesh<_00000_p%d.vtu", r);
      if (!exists(name)) fail_msg("no %s", name);
      at += (size_t)snprintf(expected + at, sizeof expected - at,
                             "    <Piece Source=\"mesh&lt;_00000_p%d.vtu\"/>\n", r);
    }
    snprintf(expected + at, sizeof expected - at, "  </PUnstructuredGrid>\n</VTKFile>\n");
    assert_string_equal(begin, expected);
    free(list);
  }
}

/* ---- saved states ---- */

static const char saved_scene[] = FALLING STATE MASS "</Node></Node>";

/* The file is the same whoever writes it, and any number of processes goes on from it. */
static void saved_states(void **state) {
  Run whole = {.scene = saved_scene, .steps = 4},
      two = {.scene = saved_scene, .steps = 2, .save = "two.state"};
  (void)state;
  run_on(1, &whole, SOFA_OK);
  run_on(2, &two, SOFA_OK);
  for (int n = 3; n <= 5; n++) {
    Run more = {.scene = saved_scene, .steps = 2, .save = "more.state"};
    run_on(n, &more, SOFA_OK);
    same_content("two.state", "more.state");
  }
  for (int n = 1; n <= 5; n++) {
    Run rest = {.scene = saved_scene, .steps = 2, .restore = "two.state"};
    run_on(n, &rest, SOFA_OK);
    assert_memory_equal(whole.x, rest.x, sizeof whole.x);
    assert_memory_equal(whole.v, rest.v, sizeof whole.v);
  }
}

/* Readers go on where they were, in files of which each process has other rows. */
static void saved_readers(void **state) {
  char reader[1000], scene[2000];
  (void)state;
  write_states("in.txt", 3, N_POINTS);
  snprintf(reader, sizeof reader, STATE "<ReadState filename='%s/in.txt' loop='1'/>", folder);
  reading_scene(scene, sizeof scene, reader);
  Run whole = {.scene = scene, .steps = 7};
  Run first = {.scene = scene, .steps = 4, .save = "reader.state"};
  run_on(1, &whole, SOFA_OK);
  run_on(3, &first, SOFA_OK);
  for (int n = 1; n <= 4; n++) {
    Run rest = {.scene = scene, .steps = 3, .restore = "reader.state"};
    run_on(n, &rest, SOFA_OK);
    assert_memory_equal(whole.x, rest.x, sizeof whole.x);
  }
}

/* A file that has become shorter lacks the line of the reader. */
static void shorter_files(void **state) {
  char reader[1000], scene[2000];
  (void)state;
  snprintf(reader, sizeof reader, STATE "<ReadState name='read' filename='%s/shorter.txt'/>",
           folder);
  reading_scene(scene, sizeof scene, reader);
  for (int n = 1; n <= 2; n++) {
    Run first = {.scene = scene, .steps = 4, .save = "shorter.state"};
    Run rest = {.scene = scene, .restore = "shorter.state"};
    write_states("shorter.txt", 3, N_POINTS);
    run_on(n, &first, SOFA_OK);
    write_states("shorter.txt", 2, N_POINTS);
    run_on(n, &rest, SOFA_ERR_PARSE);
    if (n == 1 && !strstr(rest.messages[0], "the values of ReadState 'read' cannot be read"))
      fail_msg("%s", rest.messages[0]);
  }
}

static SofaErr edit(SofaSimulation *s, const char *path, const char *field, const char *text) {
  SofaObject *object = sofa_resolve_path(s->root, path, NULL);
  return object ? sofa_edit(&object, field, text) : SOFA_ERR_NOT_FOUND;
}

static SofaErr damp(SofaSimulation *s, int rank) {
  (void)rank;
  return edit(s, "/body/drag", "dampingCoefficient", "50");
}

/* A constant matrix that is kept from step to step has the restored values. */
static void restored_constants(void **state) {
  static const char scene[] =
      "<Node gravity='0.3 -9.81 0.01' dt='0.01'><RequiredPlugin pluginName='Sofa.Component'/>"
      "<DefaultAnimationLoop/><Node name='body'><EulerImplicitSolver/><CGLinearSolver "
      "iterations='100' tolerance='1e-14' "
      "threshold='1e-40'/><RegularGridTopology name='grid' n='6 3 4' min='0 0 0' max='0.7 0.2 "
      "0.31'/>" STATE MASS "<UniformVelocityDampingForceField name='drag' implicit='1' "
      "dampingCoefficient='1'/></Node></Node>";
  (void)state;
  for (int n = 1; n <= 3; n++) {
    Run whole = {.scene = scene, .steps = 4}, other = {.scene = scene, .change = damp, .steps = 4};
    Run first = {.scene = scene, .steps = 2, .save = "drag.state"};
    Run rest = {.scene = scene, .change = damp, .before = 2, .steps = 2, .restore = "drag.state"};
    run_on(n, &whole, SOFA_OK);
    run_on(n, &other, SOFA_OK);
    run_on(n, &first, SOFA_OK);
    run_on(n, &rest, SOFA_OK);
    assert_true(fabs(whole.v[1] - other.v[1]) > 0.1);
    assert_memory_equal(whole.x, rest.x, sizeof whole.x);
    assert_memory_equal(whole.v, rest.v, sizeof whole.v);
  }
}

static SofaErr shift(SofaSimulation *s, int rank) {
  return edit(s, "/body/read", "shift", rank ? "0.02" : "0.01");
}

/* A value of its own that each process has is neither saved nor lost without a word. */
static void differing_values(void **state) {
  char reader[1000], scene[2000];
  (void)state;
  write_states("in.txt", 3, N_POINTS);
  snprintf(reader, sizeof reader, STATE "<ReadState name='read' filename='%s/in.txt'/>", folder);
  reading_scene(scene, sizeof scene, reader);
  Run field = {.scene = scene, .change = shift, .save = "shift.state"};
  Run rest = {.scene = scene, .restore = "shift.state"};
  run_on(2, &field, SOFA_OK);
  run_on(2, &rest, SOFA_ERR_UNSUPPORTED);
  if (!strstr(rest.messages[0], "a divided mesh: 'shift' has changed in the run"))
    fail_msg("%s", rest.messages[0]);
  Run hidden = {.scene = scene, .change = shift, .steps = 1, .save = "shift.state"};
  run_on(2, &hidden, SOFA_ERR_UNSUPPORTED);
  if (!strstr(hidden.messages[0], "'data' is that of a part of a mesh, and has no rows of it"))
    fail_msg("%s", hidden.messages[0]);
}

/* A byte of the points, of the values before, of a head; files that are cut or longer. */
static void broken_saved_states(void **state) {
  size_t n;
  (void)state;
  Run two = {.scene = saved_scene, .steps = 2, .save = "good.state"};
  run_on(2, &two, SOFA_OK);
  char *bytes = content("good.state", &n);
  const size_t places[] = {n - 1, n - 9, n - 3000, n / 2, 200, 40, 33, 25, 17, 13, 3};
  for (size_t k = 0; k < sizeof places / sizeof *places; k++)
    for (int processes = 1; processes <= 3; processes += 2) {
      Run rest = {.scene = saved_scene, .restore = "bad.state"};
      bytes[places[k]] ^= 4;
      put_file("bad.state", bytes, n);
      bytes[places[k]] ^= 4;
      const SofaErr err = threads_run(processes, run_process, &rest);
      if (err != SOFA_ERR_PARSE && err != SOFA_ERR_UNSUPPORTED)
        fail_msg("byte %zu on %d: %s", places[k], processes, sofa_err_text(err));
      if (!strstr(rest.messages[0], "bad.state:0: error: "))
        fail_msg("byte %zu on %d: %s", places[k], processes, rest.messages[0]);
    }
  const size_t lengths[] = {0, 7, 31, 32, 55, 100, n / 2, n - 1, n + 1};
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    Run rest = {.scene = saved_scene, .restore = "bad.state"};
    put_file("bad.state", bytes, lengths[k]);
    run_on(3, &rest, SOFA_ERR_PARSE);
  }
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_of_a_file),   cmocka_unit_test(dropped_runs),
      cmocka_unit_test(another_file),     cmocka_unit_test(written_states),
      cmocka_unit_test(read_states),      cmocka_unit_test(cut_states),
      cmocka_unit_test(wrong_states),     cmocka_unit_test(bad_number),
      cmocka_unit_test(compared_states),  cmocka_unit_test(written_pieces),
      cmocka_unit_test(saved_states),     cmocka_unit_test(saved_readers),
      cmocka_unit_test(shorter_files),    cmocka_unit_test(restored_constants),
      cmocka_unit_test(differing_values), cmocka_unit_test(broken_saved_states),
  };
  if (!mkdtemp(folder)) return 1;
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) == 0 ? failed : 1;
}
