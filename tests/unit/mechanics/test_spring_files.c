/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of springs: what joints and gears write, the constant forces joints read, and springs of
 * Xsp files. */
#include "tests/support/force_at.h"
#include "tests/support/scene_memory.h"

#include <math.h>
#include <unistd.h>

#define IDENTITY "0 0 0 0 0 0 1 "
/* 0.5 along x, turned by 0.2 about x */
#define TILTED "0.5 0 0 0.09983341664682815 0 0 0.99500416527802577 "

static const SofaContextOptions quirks = {.quirks = true, .keep_going = true};

static char folder[] = "/tmp/csofa-springs-XXXXXX";
static char written[100], given[100];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(written, sizeof written, "%s/out.txt", folder);
  snprintf(given, sizeof given, "%s/in.txt", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  (void)unlink(written);
  (void)unlink(given);
  return rmdir(folder);
}

static void give(const char *text) {
  FILE *file = fopen(given, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static const char *found(void) {
  static char text[8000];
  FILE *file = fopen(written, "r");
  assert_non_null(file);
  const size_t n = fread(text, 1, sizeof text - 1, file);
  text[n] = 0;
  fclose(file);
  return text;
}

static size_t count(const char *text, const char *word) {
  size_t n = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) n++;
  return n;
}

/* A scene of frames without a solver, so that nothing moves. */
static void open_frames(SceneRun *run, const char *kind, const char *fields, const char *springs,
                        const SofaContextOptions *options) {
  char text[3000];
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<MechanicalObject name='s' template='Rigid3d' position='" IDENTITY TILTED
           "' velocity='0 0 0 0 0 0 0 2 0 0 0 0'/><%s name='ff' %s spring='%s'/></Node>",
           kind, fields, springs);
  scene_run_open(run, text, options);
}

static void evaluate(SceneRun *run, double *f) {
  SofaForceField *ff = (SofaForceField *)scene_run_object(run, "/ff");
  const SofaMechParams p = sofa_mech_params(0.1, ff->object.node->time, 0, 0, 1);
  const double *x = ff->state[0]->position.data, *v = ff->state[0]->velocity.data;
  for (int i = 0; i < 12; i++) f[i] = 0;
  assert_int_equal(ff_force(ff, &p, x, v, f), SOFA_OK);
}

/* ---- what is written ---- */

#define JOINT "BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 0 0 0 KS_T 0 10 KS_R 0 20 KD 3 END_SPRING "

/* A text is there n times, with a number behind it that is right to rounding. */
static void count_near(const char *text, const char *what, double number, int n) {
  int found_some = 0;
  for (const char *at = text; (at = strstr(at, what)) != NULL; found_some++) {
    at += strlen(what);
    assert_true(fabs(strtod(at, NULL) - number) <= 1e-15 * number);
  }
  assert_int_equal(found_some, n);
}

static void joints_are_written(void **state) {
  (void)state;
  SceneRun run;
  char fields[300];
  snprintf(fields, sizeof fields, "outfile='%s'", written);
  open_frames(&run, "JointSpringForceField", fields, JOINT JOINT, NULL);
  scene_run_steps(&run, 2);
  const uint64_t before = run.ctx->n_allocations;
  scene_run_steps(&run, 1);
  assert_int_equal(run.ctx->n_allocations, before);
  scene_run_close(&run);
  const char *text = found();
  assert_int_equal(count(text, "T= "), 6);
  assert_int_equal(count(text, "T= 0\n  Xrel= 0.5 0 0 "), 2);
  count_near(text, "  Vrel= 0 2 0 0 0 0\n  Frel= 5 0 0 ", 4, 6);
  count_near(text, "  Fdamp= 0 6 0 0 0 0\n  F= 5 6 0 ", 4, 6);
}

/* The first record is due when a period has passed. */
static void periods_and_last_records(void **state) {
  (void)state;
  for (int reinit = 0; reinit < 2; reinit++) {
    SceneRun run;
    char fields[300];
    snprintf(fields, sizeof fields, "filename='%s' period='0.25' reinit='%d'", written, reinit);
    open_frames(&run, "GearSpringForceField", fields,
                "BEGIN_SPRING 0 1 0 1 AXIS 0 0 KS_R 10 20 RATIO 3 END_SPRING", NULL);
    scene_run_steps(&run, 10);
    scene_run_close(&run);
    const char *text = found();
    assert_int_equal(count(text, "T= "), reinit ? 1 : 3);
    assert_int_equal(count(text, "T= 0.3"), reinit ? 0 : 1);
    assert_non_null(strstr(text, "  Angles= 0.2"));
    assert_non_null(strstr(text, "  F= -8"));
  }
}

/* SOFA writes at each evaluation and lets the first of several springs have the period. */
static void quirks_write_at_each_call(void **state) {
  (void)state;
  SceneRun run;
  char fields[300];
  double f[12];
  snprintf(fields, sizeof fields, "outfile='%s'", written);
  open_frames(&run, "JointSpringForceField", fields, JOINT JOINT, &quirks);
  for (int i = 0; i < 3; i++) evaluate(&run, f);
  scene_run_close(&run);
  assert_int_equal(count(found(), "T= "), 6);
}

/* ---- constant forces ---- */

static void joints_read_constant_forces(void **state) {
  (void)state;
  SceneRun run;
  char fields[300];
  double f[12];
  give("1 2 3 4 5 6\n\n10 20 30 40 50 60\n");
  snprintf(fields, sizeof fields, "infile='%s'", given);
#define FREE " FREE_AXIS 1 1 1 1 1 1 END_SPRING "
  open_frames(&run, "JointSpringForceField", fields,
              "BEGIN_SPRING 0 1" FREE "BEGIN_SPRING 0 1" FREE "BEGIN_SPRING 0 1" FREE, NULL);
  for (int call = 0; call < 2; call++) {
    evaluate(&run, f);
    for (int i = 0; i < 6; i++) {
      assert_true(fabs(f[i] - 12 * (i + 1)) < 1e-12);
      assert_true(fabs(f[6 + i] + 12 * (i + 1)) < 1e-12);
    }
  }
  scene_run_close(&run);
  /* SOFA goes on line by line; blank ones, also behind the last one, are zeros */
  const double expected[5] = {1, 0, 10, 0, 1};
  open_frames(&run, "JointSpringForceField", fields, "BEGIN_SPRING 0 1" FREE, &quirks);
  for (int call = 0; call < 5; call++) {
    evaluate(&run, f);
    assert_true(fabs(f[0] - expected[call]) < 1e-12);
  }
  scene_run_close(&run);
}

/* ---- springs of Xsp files ---- */

#define PAIR(fields)                                                                               \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                           \
  "<MechanicalObject name='s' position='0 0 0 1 0 0 3 0 0'/><VectorSpringForceField name='ff' "    \
  "stiffness='7' viscosity='0' " fields "/></Node>"

static void open_springs(SceneRun *run, const char *format, const char *path) {
  char text[1000];
  snprintf(text, sizeof text, format, path);
  scene_run_open(run, text, NULL);
}

static void springs_come_from_files(void **state) {
  (void)state;
  SceneRun run;
  double f[12];
#define MASSES                                                                                     \
  "numm 3\nmass 1 s 0 0 0 0 0 0 1 0\nmass 2 s 1 0 0 0 0 0 1 0\nmass 3 s 3 0 0 0 0 0 1 0\n"
  give("Xsp 4.0\n" MASSES "nums 2\nlspg 1 1 2 10 0 1 0.5 0 0\nlspg 2 2 3 20 0 -1 1 0 1\n");
  open_springs(&run, PAIR("filename='%s'"), given);
  evaluate(&run, f);
  /* 10 (1 - 0.5) from 0 to 1; 20 / 2 ((2 0 0) - (1 0 1)) from 1 to 2 */
  const double expected[9] = {5, 0, 0, -5 + 10, 0, -10, -10, 0, 10};
  for (int i = 0; i < 9; i++) assert_true(fabs(f[i] - expected[i]) < 1e-12);
  scene_run_close(&run);

  give("Xsp 3.0\n" MASSES "lspg 1 1 3 10 0 1\n");
  open_springs(&run, PAIR("filename='%s'"), given);
  evaluate(&run, f);
  assert_true(fabs(f[0] - 30) < 1e-12 && fabs(f[6] + 30) < 1e-12 && fabs(f[3]) < 1e-12);
  scene_run_close(&run);
}

/* Stiffness, damping and rest vector of each edge. */
static void springs_of_a_list(void **state) {
  (void)state;
  SceneRun run;
  double f[12];
  scene_run_open(&run,
                 "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                 "<MeshTopology position='0 0 0 1 0 0 3 0 0' edges='0 1 1 2'/><MechanicalObject "
                 "name='s'/><VectorSpringForceField name='ff' useTopology='1' "
                 "springs='10 0 1 2 3  20 0 -1 4 5'/></Node>",
                 NULL);
  evaluate(&run, f);
  const double expected[9] = {0, -20, -30, 60, -80 + 20, -100 + 30, -60, 80, 100};
  for (int i = 0; i < 9; i++) assert_true(fabs(f[i] - expected[i]) < 1e-12);
  scene_run_close(&run);
}

/* Of a spring whose length is the distance 13 of its points the values are those of unit length. */
static void values_of_unit_length(void **state) {
  static const double along[3] = {3, -4, 12}, rate[3] = {0.5, -1, 2};
  (void)state;
  SceneRun run;
  double f[12];
  give("Xsp 4.0\nnumm 2\nmass 1 s 1 2 3 0 0 0 1 0\nmass 2 s 4 -2 15 0 0 0 1 0\n"
       "nums 1\nlspg 1 1 2 26 39 -1 0 0 0\n");
  open_springs(&run,
               "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
               "<MechanicalObject name='s' position='1 2 3 4 -2 15' velocity='0 0 0 0.5 -1 2'/>"
               "<VectorSpringForceField name='ff' filename='%s'/></Node>",
               given);
  evaluate(&run, f);
  for (int k = 0; k < 3; k++) {
    assert_true(fabs(f[k] - (2 * along[k] + 3 * rate[k])) < 1e-12);
    assert_true(fabs(f[3 + k] + f[k]) < 1e-12);
  }
  scene_run_close(&run);
}

/* ---- mistakes ---- */

static void refuse(const char *text, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, words)) fail_msg("expected \"%s\" in \"%s\"", words, run.all);
  scene_run_close(&run);
}

static void refuse_file(const char *format, const char *path, const char *words) {
  char text[1000];
  snprintf(text, sizeof text, format, path);
  refuse(text, words);
}

#define JOINT_SCENE(fields)                                                                        \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><MechanicalObject "         \
  "name='s' template='Rigid3d' position='" IDENTITY TILTED                                         \
  "'/><JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 END_SPRING' " fields "/></Node>"

static void mistakes_are_refused(void **state) {
  (void)state;
  give("1 2 3 4 5\n6\n");
  refuse_file(JOINT_SCENE("infile='%s'"), given, "expected 6 numbers");
  give("1 2 3 4 5 6 7\n");
  refuse_file(JOINT_SCENE("infile='%s'"), given, "expected 6 numbers");
  give("\n");
  refuse_file(JOINT_SCENE("infile='%s'"), given, "has no forces");
  refuse(JOINT_SCENE("infile='/tmp/no-such-file-of-csofa'"), "not found");
  refuse(JOINT_SCENE("outfile='/tmp/no-such-folder-of-csofa/out'"), "there is no folder");
  refuse(JOINT_SCENE("period='-1'"), "expected >= 0");
  refuse_file(JOINT_SCENE("outfile='%s.gz' reinit='1'"), written, "not supported yet");
  give("Xsp 3.0\nmass 1 s 0 0 0 0 0 0 1 0\nmass 2 s 0 0 0 0 0 0 1 0\nlspg 1 1 2 -5 0 1\n");
  refuse_file(PAIR("filename='%s'"), given, "value 0 is -5");
  give("Xsp 3.0\nmass 1 s 0 0 0 0 0 0 1 0\nmass 2 s 0 0 0 0 0 0 1 0\nlspg 1 1 9 5 0 1\n");
  refuse_file(PAIR("filename='%s'"), given, "point");
  refuse_file(PAIR("filename='%s' springs='1 2 3 4 5'"), given, "is set together with filename");
  refuse(PAIR("springs='1 2 3 4 5'"), "5 (stiffness, damping, rest vector) for each of 3 springs");
  refuse(PAIR("springs='1 2 3 4 5 -1 0 0 0 0 1 0 0 0 0'"), "value 0 is -1");
  (void)snprintf(written + strlen(written), 4, ".gz");
  (void)unlink(written);
  written[strlen(written) - 3] = 0;
}

static void memory_may_run_out(void **state) {
  (void)state;
  char text[3000];
  give("1 2 3 4 5 6\n");
  snprintf(text, sizeof text, JOINT_SCENE("infile='%s' outfile='%s'"), given, written);
  scene_without_memory(text);
  give("Xsp 4.0\n" MASSES "lspg 1 1 2 10 0 1 0.5 0 0\n");
  snprintf(text, sizeof text, PAIR("filename='%s'"), given);
  scene_without_memory(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_are_written),        cmocka_unit_test(periods_and_last_records),
      cmocka_unit_test(quirks_write_at_each_call), cmocka_unit_test(joints_read_constant_forces),
      cmocka_unit_test(springs_of_a_list),         cmocka_unit_test(values_of_unit_length),
      cmocka_unit_test(springs_come_from_files),   cmocka_unit_test(mistakes_are_refused),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
