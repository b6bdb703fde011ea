/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recorded topological changes: a scene without the changes, which plays the record back, is the
 * recorded one at every step, with what depends on its elements and points. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

#define SCENE                                                                                      \
  "<Node name='root' dt='0.01' gravity='0 -10 3'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver rayleighStiffness='0.02' "    \
  "rayleighMass='0.1'/><SparseLDLSolver/>%s%s</Node></Node>"

/* 3 x 3 points, two triangles per square */
#define SHEET                                                                                      \
  "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0 "       \
  "0 2 0 1 2 0 2 2 0' triangles='0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 7'/>"               \
  "<TriangleSetTopologyModifier name='modifier'/><MechanicalObject name='state'/>"                 \
  "<DiagonalMass name='mass' massDensity='2'/><FixedProjectiveConstraint indices='3 6'/>"          \
  "<TriangularFEMForceField youngModulus='300' poissonRatio='0.3'/>"                               \
  "<TrianglePressureForceField triangleList='0 4 7' pressure='0 0 2'/>"                            \
  "<Node name='edges'><EdgeSetTopologyContainer name='border'/><EdgeSetTopologyModifier/>"         \
  "<Triangle2EdgeTopologicalMapping input='@../mesh' output='@border'/></Node>"

/* the second one is cut open along its middle */
static const char *const changes[] = {
    "T= 0.03\n REMOVE= 2\n2 5\nT= 0.05\n ADD= PointsInTriangle 1\n1 0.25 0.5\n ADD= Triangles 1\n"
    "0 1 7\nT= 0.08\n REMOVE= 1\n0\n",
    "T= 0.03\n INCISE= 2\n1.2 0.4 0 1.3 1.7 0\nT= 0.07\n REMOVE= 1\n3\n"};

static void write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static char *read_text(const char *path) {
  static char text[100000];
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  const size_t n = fread(text, 1, sizeof text - 1, in);
  text[n] = '\0';
  fclose(in);
  return text;
}

typedef struct Files {
  char script[40], record[40];
} Files;

static void make_file(char *path) {
  strcpy(path, "/tmp/csofa-topology-XXXXXX");
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
}

static int make_files(void **state) {
  Files *f = calloc(1, sizeof *f);
  assert_non_null(f);
  make_file(f->script);
  make_file(f->record);
  *state = f;
  return 0;
}

static int remove_files(void **state) {
  Files *f = *state;
  unlink(f->script);
  unlink(f->record);
  free(f);
  return 0;
}

static void open_with(SceneRun *run, const char *parts, const SofaContextOptions *options) {
  char text[6000];
  snprintf(text, sizeof text, SCENE, SHEET, parts);
  scene_run_open(run, text, options);
}

static void same_elements(SofaTopology *a, SofaTopology *b, int step) {
  assert_int_equal(a->n_points, b->n_points);
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements x = sofa_mesh_elements(&a->mesh, (SofaElementKind)kind);
    const SofaElements y = sofa_mesh_elements(&b->mesh, (SofaElementKind)kind);
    if (x.n != y.n) fail_msg("step %d: %zu of kind %d, expected %zu", step, x.n, kind, y.n);
    if (x.n) assert_memory_equal(x.v, y.v, x.n * x.width * sizeof *x.v);
  }
}

static SofaTopology *mesh_of(SceneRun *run, const char *path) {
  return (SofaTopology *)scene_run_object(run, path);
}

static void play_back(const Files *f, const char *script) {
  SceneRun recorded, played;
  char parts[600];
  write_text(f->script, script);
  // the recorder stands behind the changes, so that a block has those of its step
  snprintf(parts, sizeof parts,
           "<TopologicalChangeProcessor filename='%s'/><WriteTopology filename='%s' "
           "writeShellContainers='1'/>",
           f->script, f->record);
  open_with(&recorded, parts, NULL);
  scene_run_steps(&recorded, 12);
  scene_run_close(&recorded);
  snprintf(parts, sizeof parts, "<TopologicalChangeProcessor filename='%s'/>", f->script);
  open_with(&recorded, parts, NULL);
  snprintf(parts, sizeof parts, "<ReadTopology filename='%s'/>", f->record);
  open_with(&played, parts, NULL);
  for (int step = 0; step < 12; step++) {
    scene_run_steps(&recorded, 1);
    scene_run_steps(&played, 1);
    same_elements(mesh_of(&played, "/body/mesh"), mesh_of(&recorded, "/body/mesh"), step);
    same_elements(mesh_of(&played, "/body/edges/border"), mesh_of(&recorded, "/body/edges/border"),
                  step);
    const SofaState *a = scene_run_state(&played, "/body/state");
    const SofaState *b = scene_run_state(&recorded, "/body/state");
    assert_int_equal(a->position.n, b->position.n);
    for (size_t i = 0; i < 3 * a->position.n; i++)
      if (!(fabs(a->position.data[i] - b->position.data[i]) < 1e-12))
        fail_msg("step %d: point %zu is off by %g", step, i / 3,
                 a->position.data[i] - b->position.data[i]);
  }
  scene_run_close(&recorded);
  scene_run_close(&played);
}

static void played_back_is_as_recorded(void **state) {
  for (int i = 0; i < 2; i++) play_back(*state, changes[i]);
}

/* Without the lines of changes, as in files of SOFA: the elements are set all the same. */
static void elements_alone_are_set(void **state) {
  const Files *f = *state;
  SceneRun run;
  char parts[1000];
  write_text(f->record, "T= 0\n  Triangles= 8\n0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 7\n"
                        "T= 0.02\n  Edges= 5\n0 1 1 4 4 0 4 3 3 0\n  Triangles= 2\n0 1 4 0 4 3\n"
                        "T= 0.03\n  Edges= 6\n0 1 1 4 4 0 4 3 3 0 3 9\n  Triangles= 3\n0 1 4 4 3 0 "
                        "0 3 9\nT= 0.04\n");
  snprintf(
      parts, sizeof parts,
      "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
      "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0 "
      "0 2 0 1 2 0 2 2 0' triangles='0 1 4'/><TriangleSetTopologyModifier/>"
      "<MechanicalObject name='state'/><ReadTopology filename='%s' loop='1'/></Node>",
      f->record);
  scene_run_open(&run, parts, NULL);
  SofaTopology *mesh = mesh_of(&run, "/mesh");
  // the file begins again when its last time has come
  static const size_t expected[] = {8, 8, 2, 3, 8, 8, 2, 3, 8};
  for (size_t step = 0; step < sizeof expected / sizeof *expected; step++) {
    scene_run_steps(&run, 1);
    assert_int_equal(mesh->mesh.triangles.n, expected[step]);
    if (step == 2) assert_int_equal(mesh->mesh.edges.n, 5);
  }
  assert_int_equal(mesh->n_points, 10);
  assert_int_equal(scene_run_state(&run, "/state")->position.n, 10);
  scene_run_close(&run);
}

/* Block k, of 0.1 k s, has k + 1 edges. Every 0.3 s, time shifted by 0.25 s: the blocks of 0.35,
 * 0.65 and 0.95 s. A reset begins again. */
static void intervals_and_shifts(void **state) {
  static const size_t expected[] = {1, 4, 4, 4, 7, 7, 7, 10, 10};
  const Files *f = *state;
  char parts[1000], text[2000] = "";
  SceneRun run;
  for (int k = 0; k < 12; k++) {
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, sizeof text - n, "T= %g\n  Edges= %d\n", 0.1 * k, k + 1);
    for (int e = 0; e <= k; e++) n += (size_t)snprintf(text + n, sizeof text - n, "0 %d ", e + 1);
    snprintf(text + n, sizeof text - n, "\n");
  }
  write_text(f->record, text);
  snprintf(parts, sizeof parts,
           "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<EdgeSetTopologyContainer name='mesh' edges='0 1' position='0 0 0 1 0 0 2 0 0 3 0 0 "
           "4 0 0 5 0 0 6 0 0 7 0 0 8 0 0 9 0 0 10 0 0 11 0 0 12 0 0'/><EdgeSetTopologyModifier/>"
           "<MechanicalObject name='state'/><ReadTopology filename='%s' interval='0.3' "
           "shift='0.25'/></Node>",
           f->record);
  scene_run_open(&run, parts, NULL);
  for (int round = 0; round < 2; round++) {
    for (size_t step = 0; step < sizeof expected / sizeof *expected; step++) {
      scene_run_steps(&run, 1);
      const size_t n = mesh_of(&run, "/mesh")->mesh.edges.n;
      // a reset leaves the topology as it is, until the first block comes
      if (round == 0 || step > 0) assert_int_equal(n, expected[step]);
    }
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  }
  scene_run_close(&run);
}

/* Steps much shorter or longer than a second: a block is read at the step whose time it has, which
 * is written with 6 digits. */
static void short_and_long_steps(void **state) {
  static const double steps[] = {1e-5, 300};
  const Files *f = *state;
  for (size_t i = 0; i < SOFA_COUNT(steps); i++) {
    char parts[1000], text[1000] = "";
    SceneRun run;
    for (int k = 0; k < 5; k++) {
      size_t n = strlen(text);
      n += (size_t)snprintf(text + n, sizeof text - n, "T= %g\n  Edges= %d\n", steps[i] * k, k + 1);
      for (int e = 0; e <= k; e++) n += (size_t)snprintf(text + n, sizeof text - n, "0 %d ", e + 1);
      snprintf(text + n, sizeof text - n, "\n");
    }
    write_text(f->record, text);
    snprintf(parts, sizeof parts,
             "<Node name='root' dt='%g'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<EdgeSetTopologyContainer name='mesh' edges='0 1' position='0 0 0 1 0 0 2 0 0 3 0 0 "
             "4 0 0 5 0 0'/><EdgeSetTopologyModifier/><MechanicalObject name='state'/>"
             "<ReadTopology filename='%s'/></Node>",
             steps[i], f->record);
    scene_run_open(&run, parts, NULL);
    for (size_t k = 0; k < 4; k++) {
      scene_run_steps(&run, 1);
      assert_int_equal(mesh_of(&run, "/mesh")->mesh.edges.n, k + 1);
    }
    scene_run_close(&run);
  }
}

/* A mesh that cannot change plays a record of its own elements, and refuses any other. */
static void fixed_meshes_play_their_own_record(void **state) {
  static const char changed[] = "T= 0\n  Removed Triangles= 1\n1\n  Added Triangles= 1\n2 1 3\n"
                                "  Triangles= 2\n0 1 2 2 1 3\n";
  static const char *const records[] = {"T= 0\n  Triangles= 2\n0 1 2 2 1 3\n",
                                        "T= 0\n  Triangles= 2\n0 1 2 2 1 0\n",
                                        "T= 0\n  Triangles= 1\n0 1 2\n", changed};
  const Files *f = *state;
  for (int k = 0; k < 4; k++) {
    SceneRun run;
    char text[1000];
    write_text(f->record, records[k]);
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
             "<MeshTopology position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 2 1 3'/>"
             "<ReadTopology filename='%s'/></Node>",
             f->record);
    scene_run_open(&run, text, NULL);
    run.quiet = true;
    const SofaErr err = sofa_simulation_step(run.simulation, 0);
    assert_true((err == SOFA_OK) == (k == 0));
    if (k) assert_non_null(strstr(run.all, "which cannot change"));
    scene_run_close(&run);
  }
}

static void sofa_changes_nothing(void **state) {
  const Files *f = *state;
  SceneRun run;
  char parts[600];
  const SofaContextOptions options = {.quirks = true};
  write_text(f->record, "T= 0\n  Triangles= 1\n0 1 4\n");
  snprintf(parts, sizeof parts, "<ReadTopology filename='%s'/>", f->record);
  open_with(&run, parts, &options);
  scene_run_steps(&run, 2);
  assert_int_equal(mesh_of(&run, "/body/mesh")->mesh.triangles.n, 8);
  scene_run_close(&run);
}

static void neighbourhoods_are_written(void **state) {
  const Files *f = *state;
  SceneRun run;
  char parts[600], text[6000];
  snprintf(parts, sizeof parts, "<WriteTopology filename='%s' writeShellContainers='1'/>",
           f->record);
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<TriangleSetTopologyContainer position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2 2 1 "
           "3'/>%s</Node>",
           parts);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  scene_run_close(&run);
  const char *written = read_text(f->record);
  const char *const lines[] = {"  TrianglesAroundPoint= 4\n1 0 2 0 1 2 0 1 1 1 \n",
                               "  EdgesInTriangle= 2\n", "  TrianglesAroundEdge= 5\n"};
  for (int i = 0; i < 3; i++)
    if (!strstr(written, lines[i])) fail_msg("'%s' is not in\n%s", lines[i], written);
}

/* ---- errors ---- */

typedef struct Bad {
  const char *text, *expected;
} Bad;

static const Bad bad[] = {
    {"T= 0\n  Triangles= 2\n0 1 4 0 4\n", "entry 6 of 6 of the block at t = 0 s is missing"},
    {"T= 0\n  Triangles= 1\n0 1 1\n", "it has point 1 twice"},
    {"T= 0\n  Removed Triangles= 1\n9\n  Triangles= 1\n0 1 4\n", "triangle 9 cannot be removed"},
    {"T= 0\n  Removed Points= 1\n0\n  Triangles= 1\n0 1 4\n", "point 0 cannot be removed"},
    {"T= 0\n  Added Points= 1\n1 70 1\n  Triangles= 1\n0 1 4\n", "entry 1 of 1"},
    {"T= 0\n  Added Triangles= 1\n0 1 7\n  Parts= 1\n8\n  Triangles= 1\n0 1 4\n",
     "it is a part of 8, there are 8"},
    {"T= 0\n  Added Triangles= 6148914691236517206\n0 1 4\n  Triangles= 1\n0 1 4\n", "entry 4 of"},
    {"T= 0\n  Triangles= 1\n0 1 4294967294\n", "elements name point 4294967294: there are 9"},
    {"T= 0\n  Added Triangles= 1\n0 1 7\n  Parts= 1\n\n  Triangles= 1\n0 1 4\n", "entry 1 of 1"},
};

static void bad_records_are_refused(void **state) {
  const Files *f = *state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    SceneRun run;
    char parts[600];
    write_text(f->record, bad[i].text);
    snprintf(parts, sizeof parts, "<ReadTopology filename='%s'/>", f->record);
    open_with(&run, parts, NULL);
    run.quiet = true;
    assert_int_not_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
    if (!strstr(run.all, bad[i].expected))
      fail_msg("expected '%s', found: %s", bad[i].expected, run.all);
    scene_run_close(&run);
  }
}

/* ---- scripts that begin again ---- */

static void scripts_go_round(void **state) {
  const Files *f = *state;
  SceneRun run;
  char parts[600];
  // one triangle less and one more, every 0.04 s
  write_text(f->script, "T= 0.01\n REMOVE= 1\n7\nT= 0.03\n ADD= Triangles 1\n4 8 7\nT= 0.04\n");
  snprintf(parts, sizeof parts,
           "<TopologicalChangeProcessor filename='%s' loop='1' shift='0.001'/>", f->script);
  open_with(&run, parts, NULL);
  for (int step = 0; step < 40; step++) {
    scene_run_steps(&run, 1);
    const size_t n = mesh_of(&run, "/body/mesh")->mesh.triangles.n;
    if (n != (step % 4 == 1 || step % 4 == 2 ? 7 : 8)) fail_msg("step %d: %zu triangles", step, n);
  }
  scene_run_close(&run);
}

/* A recorded incision, twice: its points go before it begins again. */
static void records_go_round(void **state) {
  const Files *f = *state;
  SceneRun run;
  char parts[600];
  write_text(f->script, changes[1]);
  snprintf(parts, sizeof parts,
           "<TopologicalChangeProcessor filename='%s'/><WriteTopology filename='%s'/>", f->script,
           f->record);
  open_with(&run, parts, NULL);
  scene_run_steps(&run, 12);
  const size_t most = mesh_of(&run, "/body/mesh")->n_points;
  scene_run_close(&run);
  snprintf(parts, sizeof parts, "<ReadTopology filename='%s' loop='1'/>", f->record);
  open_with(&run, parts, NULL);
  int begun = 0;
  bool cut = false;
  for (int step = 0; step < 40; step++) {
    scene_run_steps(&run, 1);
    const SofaTopology *mesh = mesh_of(&run, "/body/mesh");
    assert_true(mesh->n_points >= 9 && mesh->n_points <= most);
    assert_int_equal(scene_run_state(&run, "/body/state")->position.n, mesh->n_points);
    begun += cut && mesh->n_points == 9;
    cut = mesh->n_points > 9;
  }
  assert_true(most > 9 && begun >= 2);
  scene_run_close(&run);
}

/* A point that no element has stays when the file begins again. */
static void lone_points_stay(void **state) {
  const Files *f = *state;
  SceneRun run;
  char parts[600];
  write_text(f->record, "T= 0\n  Triangles= 1\n0 1 2\nT= 0.02\n  Triangles= 1\n0 1 4\nT= 0.03\n");
  snprintf(parts, sizeof parts,
           "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' "
           "triangles='0 1 2'/><TriangleSetTopologyModifier/><MechanicalObject name='state'/>"
           "<ReadTopology filename='%s' loop='1'/></Node>",
           f->record);
  scene_run_open(&run, parts, NULL);
  const SofaTopology *mesh = mesh_of(&run, "/mesh");
  bool added = false;
  for (int step = 0; step < 9; step++) {
    scene_run_steps(&run, 1);
    assert_true(mesh->n_points == 4 || mesh->n_points == 5);
    added = added || mesh->n_points == 5;
  }
  assert_true(added);
  scene_run_close(&run);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, make_files, remove_files)
  const struct CMUnitTest tests[] = {
      TEST(played_back_is_as_recorded), TEST(elements_alone_are_set),
      TEST(sofa_changes_nothing),       TEST(fixed_meshes_play_their_own_record),
      TEST(neighbourhoods_are_written), TEST(bad_records_are_refused),
      TEST(scripts_go_round),           TEST(records_go_round),
      TEST(lone_points_stay),           TEST(intervals_and_shifts),
      TEST(short_and_long_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
