/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* WriteState, ReadState, CompareState: which instants are written, the exact text, the round trip,
 * and files that must not be touched. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "object/event.h"
#include "scene/checkpoint.h"

/* Steps without a solver: the state stands still, time goes on. */
static void open_body(SceneRun *run, const char *body) {
  char text[4000];
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<Node name='body'>%s</Node></Node>",
           body);
  scene_run_open(run, text, NULL);
}

typedef struct Folder {
  char path[64], file[100], before[1024];
} Folder;

static int enter(void **state) {
  static Folder folder;
  strcpy(folder.path, "/tmp/csofa-playback-XXXXXX");
  if (!getcwd(folder.before, sizeof folder.before) || !mkdtemp(folder.path)) return -1;
  snprintf(folder.file, sizeof folder.file, "%s/out.txt", folder.path);
  *state = &folder;
  return chdir(folder.path);
}

static int leave(void **state) {
  Folder *folder = *state;
  static const char *const names[] = {"out.txt", "out.txt.gz", "in.txt"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    chmod(names[i], 0600);
    unlink(names[i]);
  }
  return chdir(folder->before) || rmdir(folder->path);
}

static void write_file(const char *name, const char *text) {
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void expect_file(const char *name, const char *expected) {
  SofaContext *ctx = NULL;
  char *text = NULL;
  size_t size = 0;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_read_file(ctx, name, 0, &text, &size), SOFA_OK);
  assert_string_equal(text, expected);
  sofa_free(ctx, text);
  sofa_context_destroy(&ctx);
}

/* Between the lines that show that the recording is complete. */
#define RECORDING(text) "# csofa recording\n" text "# end\n"

static void record(const char *attributes, int steps) {
  char body[1000];
  SceneRun run;
  snprintf(body, sizeof body,
           "<MechanicalObject position='1 2 3 0.1234567 1e-9 1e10' "
           "velocity='1 0 0 0 2.5 0'/><WriteState %s/>",
           attributes);
  open_body(&run, body);
  scene_run_steps(&run, steps);
  scene_run_close(&run);
}

static void text_of_a_block(void **state) {
  (void)state;
  record("filename='out.txt' writeX0='1' writeV='1' writeF='1' time='0'", 3);
  expect_file("out.txt", RECORDING("T= 0\n"
                                   "  X= 1 2 3 0.123457 1e-09 1e+10\n"
                                   "  X0= 1 2 3 0.123457 1e-09 1e+10\n"
                                   "  V= 1 0 0 0 2.5 0\n"
                                   "  F= 0 0 0 0 0 0\n"));
}

static void compressed(void **state) {
  (void)state;
  record("filename='out.txt.gz' writeX='0' writeV='1' writeF='1' time='0'", 3);
  expect_file("out.txt.gz", RECORDING("T= 0\n  V= 1 0 0 0 2.5 0\n"));
  FILE *file = fopen("out.txt.gz", "rb");
  assert_non_null(file);
  assert_int_equal(fgetc(file), 0x1f);
  fclose(file);
}

static void instants(void **state) {
  (void)state;
  record("filename='out.txt' writeX='0'", 3);
  expect_file("out.txt", RECORDING("T= 0\nT= 0.1\nT= 0.2\n"));
  record("filename='out.txt' writeX='0' period='0.2' time='0'", 6);
  expect_file("out.txt", RECORDING("T= 0\nT= 0.2\nT= 0.4\n"));
  record("filename='out.txt' writeX='0' time='0.1 0.35'", 8);
  expect_file("out.txt", RECORDING("T= 0.1\nT= 0.4\n"));
}

/* stopAt ends the recording at the first look at which the kinetic energy is that of the look
 * before; without a mass there is none. */
static void recording_stops(void **state) {
  static const char *const expected[2] = {"T= 0\nT= 0.1\nT= 0.2\nT= 0.3\n",
                                          "T= 0\nT= 0.1\nT= 0.2\nT= 0.3\nT= 0.4\nT= 0.5\n"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    char body[1000], file[200];
    SceneRun run;
    snprintf(body, sizeof body,
             "<MechanicalObject position='1 2 3' velocity='1 0 0'/>%s<WriteState "
             "filename='out.txt' writeX='0' stopAt='0.1' keperiod='0.25'/>",
             k ? "" : "<EulerExplicitSolver/><UniformMass totalMass='2' separateGravity='0'/>");
    char text[2000];
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><Node name='body'>%s</Node></Node>",
             body);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 6);
    scene_run_close(&run);
    snprintf(file, sizeof file, "# csofa recording\n%s# end\n", expected[k]);
    expect_file("out.txt", file);
  }
}

static void read_back(void **state) {
  (void)state;
  write_file("in.txt", "T= 0\n  X= 1 0 0 2 0 0\n  V= 0 0 0 0 0 1\nT= 0.2\n  X= 5 0 0 6 0 0\n"
                       "T= 0.4\n  X= 7 0 0 8 0 0\n");
  SceneRun run;
  char body[400];
  const Folder *folder = *state;
  snprintf(body, sizeof body,
           "<MechanicalObject name='state' position='0 0 0 0 0 0'/>"
           "<ReadState filename='%s/in.txt' scalePos='2' rotation='0 0 90' translation='0 0 1'/>",
           folder->path);
  open_body(&run, body);
  const SofaState *s = scene_run_state(&run, "/body/state");
  /* the first block is there before the first step; rest positions are not affected */
  assert_true(fabs(s->position.data[1] - 2) < 1e-12 && fabs(s->position.data[0]) < 1e-12);
  assert_true(s->position.data[2] == 1 && s->velocity.data[5] == 1);
  assert_true(s->rest_position.data[1] == 0);
  scene_run_steps(&run, 2);
  assert_true(fabs(s->position.data[1] - 2) < 1e-12);
  scene_run_steps(&run, 1);
  assert_true(fabs(s->position.data[1] - 10) < 1e-12);
  scene_run_close(&run);
}

/* Each angle alone turns what is read. */
static void angles_turn(void **state) {
  static const char *const angles[] = {"90 0 0", "0 90 0", "0 0 90"};
  static const double turned[3][3] = {{1, -3, 2}, {3, 2, -1}, {-2, 1, 3}};
  const Folder *folder = *state;
  write_file("in.txt", "T= 0\n  X= 1 2 3\n");
  for (int k = 0; k < 3; k++) {
    char body[400];
    SceneRun run;
    snprintf(body, sizeof body,
             "<MechanicalObject name='state' position='0 0 0'/>"
             "<ReadState filename='%s/in.txt' rotation='%s'/>",
             folder->path, angles[k]);
    open_body(&run, body);
    const double *x = scene_run_state(&run, "/body/state")->position.data;
    for (int c = 0; c < 3; c++) assert_true(fabs(x[c] - turned[k][c]) < 1e-12);
    scene_run_close(&run);
  }
}

static void loop(void **state) {
  (void)state;
  write_file("in.txt", "T= 0\n  X= 1 0 0\nT= 0.1\n  X= 2 0 0\nT= 0.2\n  X= 3 0 0\n");
  SceneRun run;
  char body[400];
  const Folder *folder = *state;
  snprintf(body, sizeof body,
           "<MechanicalObject name='state' position='0 0 0'/>"
           "<ReadState filename='%s/in.txt' loop='1'/>",
           folder->path);
  open_body(&run, body);
  const SofaState *s = scene_run_state(&run, "/body/state");
  scene_run_steps(&run, 12);
  const double x = s->position.data[0];
  assert_true(x == 1 || x == 2 || x == 3);
  scene_run_close(&run);
  /* steps over many rounds of 0.2 s: the place in the last one at the beginning of each step */
  open_body(&run, body);
  s = scene_run_state(&run, "/body/state");
  static const double steps[] = {2.05, 0.1, 7.8, 0.1}, places[] = {1, 1, 2, 2};
  for (int k = 0; k < 4; k++) {
    assert_int_equal(sofa_simulation_step(run.simulation, steps[k]), SOFA_OK);
    assert_true(s->position.data[0] == places[k]);
  }
  scene_run_close(&run);
  /* files whose rounds take no time, or next to none, do not hang: no block, times that run back */
  static const char *const files[] = {"\n",
                                      "T= 0\n  X= 1 0 0\n",
                                      "T= 1\n  X= 1 0 0\nT= 0\n  X= 2 0 0\n",
                                      "T= 0\n  X= 1 0 0\nT= 0.1\n  X= 2 0 0\nT= -3\n  X= 3 0 0\n",
                                      "T= 0\n  X= 1 0 0\nT= 1e-300\n  X= 2 0 0\n",
                                      "T= 0\n  X= 1 0 0\nT= 1e-12\n  X= 2 0 0\n"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    write_file("in.txt", files[i]);
    open_body(&run, body);
    scene_run_steps(&run, 12);
    assert_true(i == 0 || scene_run_state(&run, "/body/state")->position.data[0] > 0);
    scene_run_close(&run);
  }
}

static void compare(void **state) {
  const Folder *folder = *state;
  char text[1000];
  write_file("in.txt", "T= 0\n  X= 1 0 0 2 0 0\nT= 0.1\n  X= 1 0 0 2 0.6 0\n");
  snprintf(text, sizeof text,
           "<MechanicalObject name='state' position='0 0 0 0 0 0'/>"
           "<CompareState name='compare' filename='%s/in.txt'/>",
           folder->path);
  SceneRun run;
  open_body(&run, text);
  const SofaState *s = scene_run_state(&run, "/body/state");
  assert_true(s->position.data[0] == 1 && s->position.data[3] == 2);
  scene_run_steps(&run, 4);
  assert_true(s->position.data[4] == 0);
  scene_run_close(&run);
}

typedef struct Heard {
  char text[1000];
} Heard;

static void hear(void *user, const SofaMessage *m) {
  Heard *h = user;
  const size_t n = strlen(h->text);
  if (m->severity == SOFA_INFO && m->origin.path && strncmp(m->origin.path, "/body/", 6) == 0)
    snprintf(h->text + n, sizeof h->text - n, "%s\n", m->text);
}

/* What an object says in some steps. */
static void steps_heard(const char *body, int steps, Heard *heard) {
  char text[2000];
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  const SofaContextOptions options = {.sink = hear, .sink_user = heard};
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<Node name='body'>%s</Node></Node>",
           body);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(ctx, text, &simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(simulation), SOFA_OK);
  heard->text[0] = '\0';
  for (int i = 0; i < steps; i++) assert_int_equal(sofa_simulation_step(simulation, 0), SOFA_OK);
  assert_int_equal(sofa_simulation_reset(simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_step(simulation, 0), SOFA_OK);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

/* Means over the numbers, sums over the steps, a share for each of the two points; a reset begins
 * again. */
static void errors_are_summed_up(void **state) {
  const Folder *folder = *state;
  char body[1000];
  Heard heard;
  write_file("in.txt", "T= 0\n  X= 1 0 0 2 0 0\n  V= 0 0 3 0 0 0\n"
                       "T= 0.1\n  X= 1 0 0 2 0.6 0\n  V= 0 0 -3 0 0 0\nT= 0.2\n  X= 0 0 0 2 0 0\n");
  snprintf(body, sizeof body,
           "<MechanicalObject name='state' position='0 0 0 0 0 0'/>"
           "<CompareState name='compare' printLog='1' filename='%s/in.txt'/>",
           folder->path);
  steps_heard(body, 3, &heard);
  assert_string_equal(heard.text,
                      "t = 0.1 s: mean error 1.1, total so far 1.1, per point 0.55\n"
                      "t = 0.2 s: mean error 0.166667, total so far 1.26667, per point 0.633333\n"
                      "t = 0 s: mean error 0, total so far 0, per point 0\n");
  snprintf(body, sizeof body,
           "<MechanicalObject name='state' position='0 0 0 0 0 0'/>"
           "<CompareState name='compare' printLog='1' shift='0.1' filename='%s/in.txt'/>",
           folder->path);
  steps_heard(body, 2, &heard);
  assert_string_equal(heard.text,
                      "t = 0.1 s: mean error 0.266667, total so far 0.266667, per point 0.133333\n"
                      "t = 0 s: mean error 0, total so far 0, per point 0\n");
}

/* An edge, a triangle and a tetrahedron that differ; then an edge, where the block has no
 * tetrahedra; then no block. */
static void differing_elements_are_summed_up(void **state) {
  static const char *const said[] = {"t = 0 s: 3 elements differ, 3 so far\n"
                                     "t = 0.1 s: 1 elements differ, 4 so far\n"
                                     "t = 0 s: 3 elements differ, 3 so far\n",
                                     "t = 0 s: 1 elements differ, 1 so far\n"};
  const Folder *folder = *state;
  char body[1000];
  Heard heard;
  write_file("in.txt", "T= 0\n  Edges= 2\n0 4 1 2\n  Triangles= 2\n0 1 2 1 2 3\n  Quads= 0\n\n"
                       "  Tetrahedra= 2\n0 1 2 3 1 2 3 4\n  Hexahedra= 0\n\n"
                       "T= 0.1\n  Edges= 2\n4 0 1 3\n  Triangles= 3\n0 1 2 1 2 3 0 1 4\n"
                       "  Quads= 0\n\n  Tetrahedra= 0\n\n  Hexahedra= 0\n\n");
  for (int k = 0; k < 2; k++) {
    snprintf(body, sizeof body,
             "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' edges='0 4 1 3' triangles='0 "
             "1 2 1 2 3 0 1 4' tetrahedra='0 1 2 3'/><CompareTopology printLog='1' shift='%s' "
             "filename='%s/in.txt'/>",
             k ? "0.1" : "0", folder->path);
    steps_heard(body, 3, &heard);
    if (k) heard.text[strlen(said[1])] = '\0';
    assert_string_equal(heard.text, said[k]);
  }
}

/* With an interval of 0.3 s: time shifted by 0.25 s has the blocks of 0.2, then of 0.35, 0.65 and
 * 0.95 s; time shifted by 0.95 s has passed three intervals, which are read one per step. */
static void intervals_and_shifts(void **state) {
  static const char *const shifts[2] = {"0.25", "0.95"};
  static const char *const expected[2] = {"2 2 3 3 3 6 6 6 9 ", "9 9 10 11 12 12 12 15 15 "};
  const Folder *folder = *state;
  char body[400], text[1000] = "";
  for (int k = 0; k < 18; k++)
    snprintf(text + strlen(text), sizeof text - strlen(text), "T= %g\n  X= %d 0 0\n", 0.1 * k, k);
  write_file("in.txt", text);
  for (int i = 0; i < 2; i++) {
    char seen[200] = "";
    SceneRun run;
    snprintf(body, sizeof body,
             "<MechanicalObject name='state' position='0 0 0'/>"
             "<ReadState filename='%s/in.txt' interval='0.3' shift='%s'/>",
             folder->path, shifts[i]);
    open_body(&run, body);
    const SofaState *s = scene_run_state(&run, "/body/state");
    for (int k = 0; k < 9; k++) {
      snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%g ", s->position.data[0]);
      scene_run_steps(&run, 1);
    }
    assert_string_equal(seen, expected[i]);
    scene_run_close(&run);
  }
}

/* What constraints of the state say stands above what is read, before the step uses it: the spring
 * to the moved point has its force from there. */
static void constraints_stay(void **state) {
  const Folder *folder = *state;
  char body[800];
  SceneRun run;
  write_file("in.txt", "T= 0.1\n  X= 5 0 0 1 0 0\n");
  snprintf(body, sizeof body,
           "<EulerExplicitSolver/><MechanicalObject name='state' position='0 0 0 1 0 0'/>"
           "<UniformMass totalMass='2'/><SpringForceField spring='0 1 10 0 1'/>"
           "<LinearMovementProjectiveConstraint indices='0' keyTimes='0 1' "
           "movements='0 0 0 0 0 1'/><ReadState filename='%s/in.txt'/>",
           folder->path);
  open_body(&run, body);
  run.simulation->root->gravity = (SofaVec3){{0, 0, 0}};
  scene_run_steps(&run, 2);
  const double *v = scene_run_state(&run, "/body/state")->velocity.data;
  const double length = sqrt(1.01), factor = 0.1 * 10 * (length - 1) / length;
  assert_true(fabs(v[3] + factor) < 1e-12 && fabs(v[5] - 0.1 * factor) < 1e-12);
  scene_run_close(&run);
}

/* A constraint acts on what is read until its endTime. */
static void constraints_end(void **state) {
  static const struct {
    const char *end;
    bool acts;
  } rows[] = {{"-1", true}, {"0", false}, {"0.05", false}, {"0.1", false}, {"0.15", true}};
  const Folder *folder = *state;
  write_file("in.txt", "T= 0.1\n  X= 5 0 0 1 0 0\n");
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    char body[800];
    SceneRun run;
    snprintf(body, sizeof body,
             "<EulerExplicitSolver/><MechanicalObject name='state' position='0 0 0 1 0 0'/>"
             "<UniformMass totalMass='2'/><SpringForceField spring='0 1 10 0 1'/>"
             "<LinearMovementProjectiveConstraint indices='0' endTime='%s' keyTimes='0 1' "
             "movements='0 0 0 0 0 1'/><ReadState filename='%s/in.txt'/>",
             rows[i].end, folder->path);
    open_body(&run, body);
    run.simulation->root->gravity = (SofaVec3){{0, 0, 0}};
    scene_run_steps(&run, 2);
    const double length = sqrt(1.01);
    const double expected = rows[i].acts ? -0.1 * 10 * (length - 1) / length : 0.1 * 10 * (4 - 1);
    const double found = scene_run_state(&run, "/body/state")->velocity.data[3];
    if (fabs(found - expected) > 1e-12)
      fail_msg("endTime %s: %g, expected %g", rows[i].end, found, expected);
    scene_run_close(&run);
  }
}

/* Constraints act on the state that is read, when it is read: neither on others nor at other steps.
 * The spring has its force from the place that was set between two steps. */
static void other_constraints_wait(void **state) {
  static const char points[] =
      "<MechanicalObject name='state' position='0 0 0 1 0 0'/><UniformMass totalMass='2'/>"
      "<SpringForceField spring='0 1 10 0 1'/><LinearMovementProjectiveConstraint indices='0' "
      "keyTimes='0 1' movements='0 0 0 0 0 0'/>";
  const Folder *folder = *state;
  write_file("in.txt", "T= 0.1\n  X= 5 0 0 1 0 0\n");
  for (int k = 0; k < 2; k++) {
    char text[1500];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><EulerExplicitSolver/><Node name='one'>%s"
             "<ReadState filename='%s/in.txt'/></Node><Node name='two'>%s</Node></Node>",
             points, folder->path, points);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, k ? 2 : 1);
    SofaState *s = scene_run_state(&run, k ? "/one/state" : "/two/state");
    s->position.data[0] = 3;
    scene_run_steps(&run, 1);
    assert_true(fabs(s->velocity.data[3] - 0.1 * 10 * (2 - 1)) < 1e-12);
    scene_run_close(&run);
  }
}

/* A point of another state that is attached to one that is read follows before the step uses it. */
static void attached_points_follow(void **state) {
  const Folder *folder = *state;
  char text[1500];
  SceneRun run;
  write_file("in.txt", "T= 0.1\n  X= 5 0 0\n");
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><EulerExplicitSolver/><Node name='one'>"
           "<MechanicalObject name='state' position='0 0 0'/><UniformMass totalMass='1'/>"
           "<ReadState filename='%s/in.txt'/></Node><Node name='two'>"
           "<MechanicalObject name='state' position='0 0 0 1 0 0'/><UniformMass totalMass='2'/>"
           "<SpringForceField spring='0 1 10 0 1'/></Node><AttachProjectiveConstraint "
           "object1='@one/state' object2='@two/state' indices1='0' indices2='0'/></Node>",
           folder->path);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 2);
  const double v = scene_run_state(&run, "/two/state")->velocity.data[3];
  if (fabs(v - 0.1 * 10 * (4 - 1)) > 1e-12) fail_msg("%g", v);
  scene_run_close(&run);
}

/* Events that come before the first step, or after a constraint has gone: what is read is not
 * spread. */
static void events_between_steps(void **state) {
  static const SofaEvent begin = {.type = SOFA_EVENT_ANIMATE_BEGIN};
  const Folder *folder = *state;
  char body[1000];
  SceneRun run;
  write_file("in.txt", "T= 0\n  X= 5 0 0\nT= 0.1\n  X= 6 0 0\n");
  snprintf(body, sizeof body,
           "<MechanicalObject name='state' position='0 0 0'/>"
           "<Node name='held'><LinearMovementProjectiveConstraint name='hold' indices='0' "
           "keyTimes='0 1' movements='0 0 0 0 0 1'/></Node><ReadState filename='%s/in.txt'/>"
           "<Node name='mapped'><MechanicalObject name='state'/><IdentityMapping/></Node>",
           folder->path);
  open_body(&run, body);
  SofaState *s = scene_run_state(&run, "/body/state");
  assert_int_equal(sofa_send_event(run.simulation->root, &begin), SOFA_OK);
  assert_true(s->position.data[0] == 5);
  scene_run_steps(&run, 1);
  SofaNode *held = scene_run_object(&run, "/body/held/hold")->node;
  sofa_node_destroy(&held);
  assert_int_equal(sofa_send_event(run.simulation->root, &begin), SOFA_OK);
  assert_true(s->position.data[0] == 6);
  assert_true(scene_run_state(&run, "/body/mapped/state")->position.data[0] != 6);
  scene_run_steps(&run, 1);
  assert_true(scene_run_state(&run, "/body/mapped/state")->position.data[0] == 6);
  scene_run_close(&run);
}

/* A reader that could not begin leaves everything as it is. */
static void readers_without_a_text_do_nothing(void **state) {
  static const char *const readers[] = {"ReadState", "CompareState", "ReadTopology",
                                        "CompareTopology"};
  static const char *const files[] = {NULL, "nothing\n", "", "T= 0\n  X= 1 1 1 nan\n"};
  const Folder *folder = *state;
  for (size_t i = 0; i < SOFA_COUNT(readers); i++)
    for (size_t k = 0; k < SOFA_COUNT(files); k++) {
      const SofaContextOptions options = {.keep_going = true};
      char text[1000];
      SceneRun run = {.quiet = true};
      unlink("in.txt");
      if (files[k]) write_file("in.txt", files[k]);
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
               "<MeshTopology name='mesh' position='0 0 0 1 0 0' edges='0 1'/>"
               "<MechanicalObject name='state'/><%s filename='%s/in.txt'/></Node>",
               readers[i], folder->path);
      scene_run_context(&run, &options);
      assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
      scene_run_steps(&run, 2);
      assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
      scene_run_steps(&run, 2);
      const SofaState *s = scene_run_state(&run, "/state");
      assert_true(s->position.n == 2 && s->position.data[3] == 1 && s->position.data[0] == 0);
      scene_run_close(&run);
    }
}

/* A run that goes on from a saved state writes behind what was written then; without that file it
 * says so. */
static void recordings_go_on(void **state) {
  static const char body[] =
      "<MechanicalObject position='1 2 3'/><WriteState filename='out.txt' writeX='0'/>";
  (void)state;
  for (int there = 0; there < 2; there++) {
    SceneRun run;
    SofaText saved = {0};
    open_body(&run, body);
    scene_run_steps(&run, 3);
    assert_int_equal(sofa_checkpoint_write(run.simulation, &saved), SOFA_OK);
    scene_run_steps(&run, 1);
    SofaContext *ctx = run.ctx;
    sofa_simulation_destroy(&run.simulation);
    if (!there) unlink("out.txt");
    SceneRun next;
    open_body(&next, body);
    next.quiet = true;
    assert_int_equal(sofa_checkpoint_read(next.simulation, "state", saved.data, saved.n), SOFA_OK);
    assert_int_equal(next.n_problems, !there);
    if (!there) assert_non_null(strstr(next.last, "the file of the saved run is not there"));
    scene_run_steps(&next, 2);
    scene_run_close(&next);
    expect_file("out.txt", there ? RECORDING("T= 0\nT= 0.1\nT= 0.2\nT= 0.3\nT= 0.4\n")
                                 : RECORDING("T= 0.3\nT= 0.4\n"));
    sofa_list_free(ctx, &saved);
    scene_run_close(&run);
  }
}

/* After a reset the instants are those of the start again; a file has what was written before, too.
 */
static void instants_begin_again(void **state) {
  static const struct {
    const char *fields, *once, *again;
  } rows[] = {{"time='0 0.2'", "T= 0\nT= 0.2\n", "T= 0\nT= 0.2\nT= 0\nT= 0.2\n"},
              {"time='0.1' period='0.2'", "T= 0.1\nT= 0.3\n", "T= 0.1\nT= 0.3\nT= 0.1\nT= 0.3\n"}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++)
    for (int again = 0; again < 2; again++) {
      SceneRun run;
      char body[300], expected[200];
      snprintf(body, sizeof body,
               "<MechanicalObject position='1 2 3'/><WriteState filename='out.txt' writeX='0' %s/>",
               rows[i].fields);
      open_body(&run, body);
      scene_run_steps(&run, 4);
      if (again) {
        assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
        scene_run_steps(&run, 4);
      }
      scene_run_close(&run);
      snprintf(expected, sizeof expected, RECORDING("%s"), again ? rows[i].again : rows[i].once);
      expect_file("out.txt", expected);
    }
}

/* ---- files that stay as they are ---- */

static SofaErr load(SceneRun *run, const char *body, bool keep_going) {
  char text[2000];
  const SofaContextOptions options = {.keep_going = keep_going};
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<Node name='body'>%s</Node></Node>",
           body);
  memset(run, 0, sizeof *run);
  run->quiet = true;
  scene_run_context(run, &options);
  SofaErr err = sofa_simulation_load_text(run->ctx, text, &run->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run->simulation);
  return err;
}

/* Whoever runs the program, also root. */
static void a_protected_file_is_not_written(void **state) {
  (void)state;
  static const char body[] = "<MechanicalObject/><WriteState filename='out.txt'/>";
  SceneRun run;
  write_file("out.txt", "precious");
  chmod("out.txt", 0444);
  assert_int_not_equal(load(&run, body, false), SOFA_OK);
  assert_non_null(strstr(run.last, "may not be written"));
  scene_run_close(&run);
  assert_int_equal(load(&run, body, true), SOFA_OK);
  scene_run_steps(&run, 2);
  scene_run_close(&run);
  expect_file("out.txt", "precious");
}

static void no_folder_no_file(void **state) {
  (void)state;
  SceneRun run;
  assert_int_not_equal(
      load(&run, "<MechanicalObject/><WriteState filename='missing/out.txt'/>", false), SOFA_OK);
  assert_non_null(strstr(run.last, "no folder 'missing'"));
  scene_run_close(&run);
  assert_int_not_equal(load(&run, "<MechanicalObject/><ReadState filename='nil.txt'/>", false),
                       SOFA_OK);
  assert_non_null(strstr(run.last, "nil.txt"));
  scene_run_close(&run);
}

static void another_number_of_points(void **state) {
  const Folder *folder = *state;
  char body[400];
  SceneRun run;
  write_file("in.txt", "T= 0\n  X= 1 0 0 2 0 0\n");
  snprintf(body, sizeof body,
           "<MechanicalObject position='0 0 0 1 1 1 2 2 2'/><ReadState filename='%s/in.txt'/>",
           folder->path);
  assert_int_not_equal(load(&run, body, false), SOFA_OK);
  assert_non_null(strstr(run.last, "has 2 positions, the state has 3 points"));
  scene_run_close(&run);
}

static void broken_recordings_are_refused(void **state) {
  static const char *const files[][2] = {
      {"nothing\n", "expected T=, X=, X0=, V= or F=, found 'nothing'"},
      {"T= 0\n  X= 0 0 nan\n", "expected a number, found 'nan'"},
      {"T= 0\n  X= 0 0 1e999\n", "expected a number"},
      {"T= 0\n  X= 0 0\n", "X= has 2 numbers, 3 are a point"},
      {"T= 0\n  V= 0 0 0 0\n", "V= has 4 numbers, 3 are a point"},
      {"T= 0 1\n", "T= has 2 numbers, expected 1"},
      {"  X= 0 0 0\nT= 0\n", "X= comes before the first T="},
  };
  const Folder *folder = *state;
  char body[400];
  snprintf(body, sizeof body,
           "<MechanicalObject name='state' position='0 0 0'/><ReadState filename='%s/in.txt'/>",
           folder->path);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    SceneRun run;
    write_file("in.txt", files[i][0]);
    assert_int_not_equal(load(&run, body, false), SOFA_OK);
    if (!strstr(run.last, files[i][1])) fail_msg("'%s' does not say '%s'", run.last, files[i][1]);
    scene_run_close(&run);
  }
  // what an interrupted recording leaves is read to its last complete block
  SceneRun run;
  write_file("in.txt", "T= 0\n  X= 1 0 0\nT= 0.1\n  X= 2 0");
  assert_int_equal(load(&run, body, false), SOFA_OK);
  assert_non_null(strstr(run.last, "the last block is not complete"));
  scene_run_steps(&run, 3);
  assert_true(scene_run_state(&run, "/body/state")->position.data[0] == 1);
  scene_run_close(&run);
}

/* A recording of csofa without its last line was cut; one of SOFA has none. */
static void a_cut_recording_warns(void **state) {
  static const struct {
    const char *text;
    bool cut;
  } files[] = {{RECORDING("T= 0\n  X= 1 0 0\n"), false},
               {"# csofa recording\nT= 0\n  X= 1 0 0\n", true},
               {"# csofa recording\n", true},
               {"T= 0\n  X= 1 0 0\n", false}};
  const Folder *folder = *state;
  char body[400];
  snprintf(body, sizeof body,
           "<MechanicalObject name='state' position='0 0 0'/><ReadState filename='%s/in.txt'/>",
           folder->path);
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    SceneRun run;
    write_file("in.txt", files[i].text);
    assert_int_equal(load(&run, body, false), SOFA_OK);
    assert_int_equal(strstr(run.last, "is cut off") != NULL, files[i].cut);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_cut_recording_warns, enter, leave),
      cmocka_unit_test_setup_teardown(broken_recordings_are_refused, enter, leave),
      cmocka_unit_test_setup_teardown(errors_are_summed_up, enter, leave),
      cmocka_unit_test_setup_teardown(differing_elements_are_summed_up, enter, leave),
      cmocka_unit_test_setup_teardown(recording_stops, enter, leave),
      cmocka_unit_test_setup_teardown(intervals_and_shifts, enter, leave),
      cmocka_unit_test_setup_teardown(constraints_stay, enter, leave),
      cmocka_unit_test_setup_teardown(constraints_end, enter, leave),
      cmocka_unit_test_setup_teardown(other_constraints_wait, enter, leave),
      cmocka_unit_test_setup_teardown(attached_points_follow, enter, leave),
      cmocka_unit_test_setup_teardown(events_between_steps, enter, leave),
      cmocka_unit_test_setup_teardown(readers_without_a_text_do_nothing, enter, leave),
      cmocka_unit_test_setup_teardown(text_of_a_block, enter, leave),
      cmocka_unit_test_setup_teardown(compressed, enter, leave),
      cmocka_unit_test_setup_teardown(instants, enter, leave),
      cmocka_unit_test_setup_teardown(read_back, enter, leave),
      cmocka_unit_test_setup_teardown(angles_turn, enter, leave),
      cmocka_unit_test_setup_teardown(loop, enter, leave),
      cmocka_unit_test_setup_teardown(compare, enter, leave),
      cmocka_unit_test_setup_teardown(a_protected_file_is_not_written, enter, leave),
      cmocka_unit_test_setup_teardown(no_folder_no_file, enter, leave),
      cmocka_unit_test_setup_teardown(another_number_of_points, enter, leave),
      cmocka_unit_test_setup_teardown(recordings_go_on, enter, leave),
      cmocka_unit_test_setup_teardown(instants_begin_again, enter, leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
