/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The file of a checkpoint: what is refused, and what a class adds to it. The scenes of the project
 * are restored by tests/checkpoint. */
#include "tests/support/scene_run.h"

#include <unistd.h>

#include "base/abi.h"
#include "base/checksum.h"
#include "behavior/loader.h"
#include "object/factory.h"
#include "object/checkpoint.h"
#include "scene/builder.h"
#include "scene/checkpoint.h"
#include "scene/reader.h"
#include "simulation/mechanics.h"
#include "tests/unit/base/failing_allocator.h"
#include "tests/unit/collision/sheet_scene.h"

#define BODY                                                                                       \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><EulerImplicitSolver/>"                       \
  "<CGLinearSolver name='cg' iterations='50' tolerance='1e-12' threshold='1e-12'/>"                \
  "<MechanicalObject name='state' position='0 0 0  1 0 0  2 0 0'/><UniformMass totalMass='3'/>"    \
  "<MeshTopology edges='0 1 1 2'/><MeshSpringForceField stiffness='100'/>"
#define SCENE "<Node name='root' dt='0.01'>" BODY "</Node>"
#define HEAVIER "<Node name='root' dt='0.01' gravity='0 -20 0'>" BODY "</Node>"

typedef struct Bytes {
  char *data;
  size_t n;
} Bytes;

/* Of a run of 5 steps. The lengths of lists and texts do not depend on values. */
static Bytes save(const char *scene) {
  SceneRun run;
  SofaText text = {0};
  Bytes out = {0};
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 5);
  assert_int_equal(sofa_checkpoint_write(run.simulation, &text), SOFA_OK);
  out.data = malloc(text.n);
  assert_non_null(out.data);
  memcpy(out.data, text.data, text.n);
  out.n = text.n;
  sofa_list_free(run.ctx, &text);
  scene_run_close(&run);
  return out;
}

/* The checksum of the changed bytes is made again: a hostile file has a right one. */
static void sign(Bytes *b) {
  const uint64_t length = b->n - 32;
  const uint64_t sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, b->data + 32, b->n - 32);
  memcpy(b->data + 16, &length, sizeof length);
  memcpy(b->data + 24, &sum, sizeof sum);
}

/* Restoring in a new simulation fails with this text in the message, and nothing has changed. */
static void refused(const char *scene, const SofaContextOptions *options, Bytes b,
                    const char *message) {
  SceneRun run = {.quiet = true};
  SofaText before = {0}, after = {0};
  scene_run_context(&run, options);
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_int_equal(sofa_checkpoint_print(run.simulation, &before), SOFA_OK);
  assert_int_not_equal(sofa_checkpoint_read(run.simulation, "state", b.data, b.n), SOFA_OK);
  if (!strstr(run.all, message)) fail_msg("'%s' is not in '%s'", message, run.all);
  assert_int_equal(sofa_checkpoint_print(run.simulation, &after), SOFA_OK);
  assert_string_equal(before.data, after.data);
  scene_run_steps(&run, 1);
  sofa_list_free(run.ctx, &before);
  sofa_list_free(run.ctx, &after);
  scene_run_close(&run);
}

static void mismatches(void **unused) {
  Bytes b = save(SCENE);
  (void)unused;
  refused(HEAVIER, NULL, b, "the scene (its elements or its meshes)");
  refused(SCENE, &(SofaContextOptions){.quirks = true}, b, "the quirks: 'none', now 'all'");
  refused(SCENE, &(SofaContextOptions){.keep_going = true}, b, "--keep-going: 'off', now 'on'");
  refused(SCENE, NULL, (Bytes){b.data, b.n - 1}, "the file is cut");
  refused(SCENE, NULL, (Bytes){b.data, 10}, "no saved state");
  refused(SCENE, NULL, (Bytes){b.data, 0}, "no saved state");
  b.data[b.n / 2] = (char)(b.data[b.n / 2] ^ 1);
  refused(SCENE, NULL, b, "its checksum is wrong");
  b.data[12] = 7;
  refused(SCENE, NULL, b, "version 7 of its format, this program reads version 4");
  b.data[8] = 9;
  refused(SCENE, NULL, b, "another byte order");
  free(b.data);
}

/* The name of an attribute, its value, the name of an element, and what is below what: each alone
 * makes another scene; white space does not. */
static void other_elements(void **unused) {
#define WITH(text)                                                                                 \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" text "</Node>"
  static const char *const scenes[] = {
      WITH("<Node name='a'><MechanicalObject name='s' scale='2'/></Node><Node name='b'/>"),
      WITH("<Node  name='a'> <MechanicalObject  name='s'  scale='2' /></Node><Node name='b'/>"),
      WITH("<Node name='a'><MechanicalObject name='s' rx='2'/></Node><Node name='b'/>"),
      WITH("<Node name='a'><MechanicalObject name='s' scale='3'/></Node><Node name='b'/>"),
      WITH("<Node name='a'/><Node name='b'><MechanicalObject name='s' scale='2'/></Node>"),
      WITH("<Node name='a'><MechanicalObject name='s' scale='2'/><Node name='b'/></Node>"),
      WITH("<Node name='a'><PointSetTopologyContainer name='s'/></Node><Node name='b'/>"),
      WITH("<Node name='a'><PointSetTopologyModifier name='s'/></Node><Node name='b'/>"),
  };
  uint64_t sums[SOFA_COUNT(scenes)];
  (void)unused;
  for (size_t k = 0; k < SOFA_COUNT(scenes); k++) {
    SceneRun run = {.quiet = false};
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scenes[k], &run.simulation), SOFA_OK);
    sums[k] = run.simulation->scene_sum;
    for (size_t i = 0; i < k; i++)
      if ((sums[i] == sums[k]) != (k == 1)) fail_msg("%zu and %zu: the same or not", i, k);
    scene_run_close(&run);
  }
}

static void write_mesh(const char *path, int last) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 %d\n3 0 1 2\n", last);
  fclose(file);
}

/* The meshes of loaders count, in every node. */
static void other_meshes(void **unused) {
  char folder[] = "/tmp/csofa-meshes-XXXXXX", scene[1000], path[3][60];
  (void)unused;
  assert_non_null(mkdtemp(folder));
  for (int k = 0; k < 3; k++) {
    snprintf(path[k], sizeof path[k], "%s/%d.off", folder, k);
    write_mesh(path[k], 0);
  }
  snprintf(scene, sizeof scene,
           "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<MeshOffLoader name='a' filename='%s'/><Node name='b'><MeshOffLoader name='a' "
           "filename='%s'/></Node><Node name='c'><MechanicalObject position='@a.position'/>"
           "<MeshOffLoader name='a' filename='%s'/></Node></Node>",
           path[0], path[1], path[2]);
  Bytes b = save(scene);
  for (int k = 0; k < 3; k++) {
    write_mesh(path[k], 1);
    refused(scene, NULL, b, "the scene (its elements or its meshes)");
    write_mesh(path[k], 0);
  }
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  assert_int_equal(sofa_checkpoint_read(run.simulation, "state", b.data, b.n), SOFA_OK);
  scene_run_close(&run);
  for (int k = 0; k < 3; k++) unlink(path[k]);
  rmdir(folder);
  free(b.data);
}

/* The file that is loaded goes on, and its rank must be one of the sequence. */
static void sequence_of_files(void **unused) {
  static const char scene[] =
      "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
      "<OffSequenceLoader name='l' filename='scenes/io/sheet01.off' nbOfFiles='3' "
      "stepDuration='0.2'/></Node>";
  SceneRun run;
  SofaText text = {0};
  (void)unused;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 3);
  assert_int_equal(sofa_checkpoint_write(run.simulation, &text), SOFA_OK);
  Bytes b = {text.data, text.n};
  const SofaObject *l = scene_run_object(&run, "/l");
  const SofaVec3s *x = sofa_field_value(l, sofa_class_field(l->klass, "position"));
  const SofaVec3 then = x->data[x->n - 1];
  for (int k = 0; k < 2; k++) {
    SceneRun other;
    scene_run_open(&other, scene, NULL);
    l = scene_run_object(&other, "/l");
    x = sofa_field_value(l, sofa_class_field(l->klass, "position"));
    assert_int_equal(sofa_checkpoint_read(other.simulation, "state", b.data, b.n), SOFA_OK);
    assert_memory_equal(&x->data[x->n - 1], &then, sizeof then);
    // the next file comes when its time has come
    scene_run_steps(&other, k ? 1 : 3);
    assert_int_equal(memcmp(&x->data[x->n - 1], &then, sizeof then) == 0, k == 1);
    scene_run_close(&other);
  }
  // the last number of the file is the rank
  for (size_t at = b.n; at-- > 32;) {
    if (b.data[at] != 1) continue;
    for (char rank = 2; rank < 5; rank++) {
      SceneRun other = {.quiet = true};
      b.data[at] = rank;
      sign(&b);
      scene_run_context(&other, NULL);
      assert_int_equal(sofa_simulation_load_text(other.ctx, scene, &other.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(other.simulation), SOFA_OK);
      const SofaErr err = sofa_checkpoint_read(other.simulation, "state", b.data, b.n);
      assert_int_equal(err == SOFA_OK, rank == 2);
      if (err != SOFA_OK) assert_non_null(strstr(other.all, "cannot be read"));
      scene_run_close(&other);
    }
    break;
  }
  sofa_list_free(run.ctx, &text);
  scene_run_close(&run);
}

/* All that the plan of the root's solver keeps, and what is handed out after it. */
static void same_plans(const SceneRun *one, const SceneRun *two) {
  const SofaMechanics *a = one->simulation->root->mechanics, *b = two->simulation->root->mechanics;
  assert_non_null(a);
  assert_non_null(b);
  assert_true(a->begin == b->begin && a->h == b->h && a->statics == b->statics);
  assert_int_equal(a->x_taken != NULL, b->x_taken != NULL);
  if (a->x_taken) assert_memory_equal(a->x_taken, b->x_taken, a->n_x * sizeof *a->x_taken);
  assert_int_equal(sofa_mechanics_n_vectors(a), sofa_mechanics_n_vectors(b));
  for (size_t i = 0; i < sofa_mechanics_n_vectors(a); i++) {
    size_t n, m;
    const double *v = sofa_mechanics_vector(a, i, &n), *w = sofa_mechanics_vector(b, i, &m);
    assert_int_equal(n, m);
    assert_memory_equal(v, w, n * sizeof *v);
  }
}

static void open_with_solver(SceneRun *run, const char *solver) {
  char scene[1500];
  snprintf(scene, sizeof scene,
           "<Node name='root' dt='0.02' gravity='0 -9.81 1'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/>%s<SparseLDLSolver/><MechanicalObject name='state' "
           "position='0 0 0 1 0 0 2 0 0'/><UniformMass totalMass='3'/>"
           "<FixedProjectiveConstraint name='fixed' indices='0'/><MeshTopology edges='0 1 1 2'/>"
           "<RestShapeSpringsForceField points='1 2' stiffness='3000 2000'/>"
           "<MeshSpringForceField stiffness='1000' damping='2'/></Node>",
           solver);
  scene_run_open(run, scene, NULL);
}

/* The plan of every kind of solver is that of the saved run before the next step, and after it. */
static void plans_after_restoring(void **unused) {
  static const char *const solvers[] = {
      "<EulerImplicitSolver rayleighMass='0.3'/>",
      "<NewmarkImplicitSolver/>",
      "<BDFOdeSolver order='3'/><NewtonRaphsonSolver/>",
      "<VariationalSymplecticSolver/>",
      "<CentralDifferenceSolver/>",
      "<EulerExplicitSolver/>",
      "<RungeKutta4Solver/>",
      "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='20'/>"};
  (void)unused;
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++) {
    SceneRun run, other;
    SofaText text = {0};
    open_with_solver(&run, solvers[k]);
    scene_run_steps(&run, 4);
    assert_int_equal(sofa_checkpoint_write(run.simulation, &text), SOFA_OK);
    open_with_solver(&other, solvers[k]);
    assert_int_equal(sofa_checkpoint_read(other.simulation, "state", text.data, text.n), SOFA_OK);
    same_plans(&run, &other);
    scene_run_steps(&run, 1);
    scene_run_steps(&other, 1);
    same_plans(&run, &other);
    const SofaState *x = scene_run_state(&run, "/state"), *y = scene_run_state(&other, "/state");
    assert_memory_equal(x->position.data, y->position.data, 9 * sizeof(double));
    assert_memory_equal(x->velocity.data, y->velocity.data, 9 * sizeof(double));
    scene_run_close(&other);
    sofa_list_free(run.ctx, &text);
    scene_run_close(&run);
  }
}

/* The reactions of a held point, which are computed when they are read. */
static void copy_reactions(SceneRun *run, double out[9]) {
  SofaObject *fixed = scene_run_object(run, "/fixed");
  const SofaField *field = sofa_class_field(fixed->klass, "reactions");
  assert_int_equal(sofa_field_compute(fixed, field), SOFA_OK);
  const SofaCoords *f = sofa_field_value(fixed, field);
  assert_int_equal(f->n * f->width, 9);
  memcpy(out, f->data, 9 * sizeof *out);
}

/* What is computed from the last step is the same after restoring: of a step of motion, and of a
 * static solution. */
static void reactions_after_restoring(void **unused) {
  static const char *const solvers[] = {
      "EulerImplicitSolver rayleighMass='0.3'",
      "StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='20'"};
  (void)unused;
  for (int k = 0; k < 2; k++) {
    char scene[1500];
    double then[9], now[9];
    SceneRun run, other;
    SofaText text = {0};
    snprintf(scene, sizeof scene,
             "<Node name='root' dt='0.02' gravity='0 -9.81 1'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><%s/><SparseLDLSolver/><MechanicalObject name='state' "
             "position='0 0 0 1 0 0 2 0 0'/><UniformMass totalMass='3'/>"
             "<FixedProjectiveConstraint name='fixed' indices='0'/><MeshTopology edges='0 1 1 2'/>"
             "<RestShapeSpringsForceField points='1 2' stiffness='3000 2000'/>"
             "<MeshSpringForceField stiffness='1000' damping='2'/></Node>",
             solvers[k]);
    scene_run_open(&run, scene, NULL);
    scene_run_steps(&run, 4);
    assert_int_equal(sofa_checkpoint_write(run.simulation, &text), SOFA_OK);
    copy_reactions(&run, then);
    assert_true(then[0] != 0 || then[1] != 0 || then[2] != 0);
    scene_run_open(&other, scene, NULL);
    assert_int_equal(sofa_checkpoint_read(other.simulation, "state", text.data, text.n), SOFA_OK);
    copy_reactions(&other, now);
    assert_memory_equal(now, then, sizeof now);
    scene_run_close(&other);
    sofa_list_free(run.ctx, &text);
    scene_run_close(&run);
  }
}

/* A sheet falls on one that does not move, whose boxes are computed once: it meets it after
 * restoring too. */
static void models_at_rest(void **unused) {
  static const char *const phases[] = {"<BVHNarrowPhase/>", "<DirectSAPNarrowPhase/>"};
  enum { N = 3 * 81 };
  (void)unused;
  for (size_t k = 0; k < SOFA_COUNT(phases); k++) {
    char scene[8000];
    SceneRun run, other;
    SofaText text = {0};
    sheet_scene(scene, sizeof scene, phases[k], "NewProximityIntersection", SHEET_IMPLICIT);
    scene_run_open(&run, scene, NULL);
    scene_run_steps(&run, 8);
    assert_int_equal(sofa_checkpoint_write(run.simulation, &text), SOFA_OK);
    scene_run_open(&other, scene, NULL);
    assert_int_equal(sofa_checkpoint_read(other.simulation, "state", text.data, text.n), SOFA_OK);
    scene_run_steps(&run, 5);
    scene_run_steps(&other, 5);
    const SofaState *x = scene_run_state(&run, "/high/state");
    const SofaState *y = scene_run_state(&other, "/high/state");
    assert_int_equal(x->position.n, N / 3);
    assert_memory_equal(x->position.data, y->position.data, N * sizeof(double));
    scene_run_close(&other);
    sofa_list_free(run.ctx, &text);
    scene_run_close(&run);
  }
}

typedef SofaErr Operation(SofaSimulation *s, Bytes *b);

static SofaErr write_it(SofaSimulation *s, Bytes *b) {
  SofaText text = {0};
  const SofaErr err = sofa_checkpoint_write(s, &text);
  (void)b;
  sofa_list_free(s->ctx, &text);
  return err;
}

static SofaErr print_it(SofaSimulation *s, Bytes *b) {
  SofaText text = {0};
  const SofaErr err = sofa_checkpoint_print(s, &text);
  (void)b;
  sofa_list_free(s->ctx, &text);
  return err;
}

static SofaErr read_it(SofaSimulation *s, Bytes *b) {
  return sofa_checkpoint_read(s, "state", b->data, b->n);
}

/* Allocation number k fails, for each k: that is an error, and nothing is left. */
static void lack_of_memory(void **unused) {
  static Operation *const operations[] = {write_it, print_it, read_it};
  Bytes b = save(SCENE);
  (void)unused;
  for (size_t i = 0; i < SOFA_COUNT(operations); i++) {
    SofaErr err = SOFA_ERR_MEMORY;
    for (uint64_t k = 1; err != SOFA_OK; k++) {
      FailingAllocator allocator = {0};
      SceneRun run = {.quiet = true};
      scene_run_context(
          &run, &(SofaContextOptions){.allocate = failing_allocate, .allocate_user = &allocator});
      assert_int_equal(sofa_simulation_load_text(run.ctx, SCENE, &run.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
      allocator.fail_at = allocator.calls + k;
      err = operations[i](run.simulation, &b);
      assert_true((err == SOFA_OK) == (allocator.calls < allocator.fail_at));
      allocator.fail_at = 0;
      scene_run_close(&run);
      if (allocator.live) fail_msg("%zu: allocation %d leaves something", i, (int)k);
    }
  }
  free(b.data);
}

/* Any change of any byte, with a right checksum: an error or another state that makes steps, but no
 * crash, and no access outside of the file. */
static void hostile(void **unused) {
  const Bytes b = save(SCENE);
  (void)unused;
  for (size_t at = 32; at < b.n; at += at < 600 ? 3 : 41) {
    SceneRun run = {.quiet = true};
    Bytes bad = {malloc(b.n), b.n};
    assert_non_null(bad.data);
    memcpy(bad.data, b.data, b.n);
    bad.data[at] = (char)(bad.data[at] ^ (at % 2 ? 0x7f : 0x04));
    if (at % 5 == 0) bad.n = at + 1;
    sign(&bad);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, SCENE, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    const SofaErr err = sofa_checkpoint_read(run.simulation, "state", bad.data, bad.n);
    if (err != SOFA_OK) assert_true(run.n_problems > 0 || run.simulation->failure == err);
    else (void)sofa_simulation_step(run.simulation, 0);
    scene_run_close(&run);
    free(bad.data);
  }
  free(b.data);
}

/* A switch is 0 or 1, an option one of its words. */
static void no_values(void **unused) {
  static const char scene[] = "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                              "<MechanicalObject position='0 0 0'/></Node>";
  size_t refused_files = 0;
  (void)unused;
  const Bytes b = save(scene);
  for (size_t at = 32; at < b.n; at++) {
    if (b.data[at] != 1) continue;
    SceneRun run = {.quiet = true};
    Bytes bad = {malloc(b.n), b.n};
    assert_non_null(bad.data);
    memcpy(bad.data, b.data, b.n);
    bad.data[at] = 2;
    sign(&bad);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    refused_files += sofa_checkpoint_read(run.simulation, "state", bad.data, bad.n) != SOFA_OK;
    scene_run_close(&run);
    free(bad.data);
  }
  free(b.data);
  assert_true(refused_files > 0);
}

/* In a simulation that has run already, again and again. */
static void goes_back(void **unused) {
  SceneRun run;
  SofaText state = {0};
  double end[9];
  (void)unused;
  scene_run_open(&run, SCENE, NULL);
  scene_run_steps(&run, 5);
  assert_int_equal(sofa_checkpoint_write(run.simulation, &state), SOFA_OK);
  scene_run_steps(&run, 7);
  const SofaState *s = scene_run_state(&run, "/state");
  memcpy(end, s->position.data, sizeof end);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(sofa_checkpoint_read(run.simulation, "state", state.data, state.n), SOFA_OK);
    assert_int_equal(run.simulation->steps, 5);
    scene_run_steps(&run, 7);
    assert_memory_equal(end, s->position.data, sizeof end);
  }
  assert_int_equal(run.n_problems, 0);
  sofa_list_free(run.ctx, &state);
  scene_run_close(&run);
}

#define CUT                                                                                        \
  "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                 \
  "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 1 0' "                  \
  "triangles='0 1 2 1 3 2'/><TriangleSetTopologyModifier/>"                                        \
  "<EulerExplicitSolver/><MechanicalObject name='state'/><UniformMass totalMass='1'/>"             \
  "<TopologicalChangeProcessor useDataInputs='1' timeToRemove='0.05' "                             \
  "trianglesToRemove='0'/></Node>"

/* A topology that has changed since is not changed back: nothing happens. */
static void changed_since(void **unused) {
  SceneRun run, fresh;
  SofaText early = {0}, late = {0};
  (void)unused;
  scene_run_open(&run, CUT, NULL);
  scene_run_steps(&run, 3);
  assert_int_equal(sofa_checkpoint_write(run.simulation, &early), SOFA_OK);
  scene_run_steps(&run, 7);
  const SofaState *s = scene_run_state(&run, "/state");
  const double y = s->position.data[1];
  assert_int_equal(s->position.n, 3);
  assert_int_equal(sofa_checkpoint_write(run.simulation, &late), SOFA_OK);
  run.quiet = true;
  assert_int_equal(sofa_checkpoint_read(run.simulation, "state", early.data, early.n),
                   SOFA_ERR_SCENE);
  assert_non_null(strstr(run.last, "have changed in another way"));
  assert_true(s->position.n == 3 && s->position.data[1] == y && run.simulation->steps == 10);

  scene_run_open(&fresh, CUT, NULL);
  assert_int_equal(sofa_checkpoint_read(fresh.simulation, "state", late.data, late.n), SOFA_OK);
  s = scene_run_state(&fresh, "/state");
  assert_true(s->position.n == 3 && s->position.data[1] == y);
  sofa_list_free(run.ctx, &early);
  sofa_list_free(run.ctx, &late);
  scene_run_close(&run);
  scene_run_close(&fresh);
}

static void before_init(void **unused) {
  SceneRun run = {.quiet = true};
  SofaText state = {0};
  (void)unused;
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, SCENE, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_checkpoint_write(run.simulation, &state), SOFA_ERR_SCENE);
  assert_non_null(strstr(run.last, "after the initialisation"));
  sofa_list_free(run.ctx, &state);
  scene_run_close(&run);
}

/* ---- what a class adds ---- */

typedef struct Kept {
  SofaObject object;
  double value[2];
  SofaReals list;
  SofaCoords coords;
  char *text;
  const char *place;
  size_t n;
  double *block;
  int written; /* by the functions */
  bool locked;
} Kept;

static SofaErr kept_construct(SofaObject *object) {
  Kept *k = (Kept *)object;
  k->text = sofa_strdup(object->ctx, "one two three");
  k->n = 3;
  k->block = sofa_alloc(object->ctx, 3, sizeof *k->block);
  k->coords.width = 3;
  return k->text && k->block ? SOFA_OK : SOFA_ERR_MEMORY;
}
static void kept_destroy(SofaObject *object) {
  Kept *k = (Kept *)object;
  sofa_list_free(object->ctx, &k->list);
  sofa_coords_free(object->ctx, &k->coords);
  sofa_free(object->ctx, k->text);
  sofa_free(object->ctx, k->block);
}
static SofaErr kept_save(const SofaObject *object, SofaCheckpointWriter *to) {
  sofa_checkpoint_put_uint(to, (uint64_t)((const Kept *)object)->written);
  sofa_checkpoint_put_object(to, &object->node->object);
  sofa_checkpoint_put_text(to, "text");
  sofa_checkpoint_put_text(to, NULL);
  return SOFA_OK;
}
static SofaErr kept_restore(SofaObject *object, SofaCheckpointReader *from) {
  ((Kept *)object)->written = (int)sofa_checkpoint_get_uint(from);
  if (sofa_checkpoint_get_object(from) != &object->node->object) sofa_checkpoint_misread(from);
  const char *text = sofa_checkpoint_get_text(from);
  if (!text || strcmp(text, "text") != 0) sofa_checkpoint_misread(from);
  if (sofa_checkpoint_get_text(from)) sofa_checkpoint_misread(from);
  return SOFA_OK;
}
static const char *kept_refuses(const SofaObject *object) {
  return ((const Kept *)object)->locked ? "it is locked" : NULL;
}

static const SofaKeptMember kept_rows[] = {
    SOFA_KEEP(Kept, value),          SOFA_KEEP_LIST(Kept, list),
    SOFA_KEEP_TYPED(Kept, coords),   SOFA_KEEP_PLACE(Kept, place, text),
    SOFA_KEEP_BLOCK(Kept, block, n),
};
static const SofaCheckpointOps kept_checkpoint = {
    .save = kept_save, .restore = kept_restore, .refuses = kept_refuses};
static const SofaClass kept_class = {.name = "Kept",
                                     .size = sizeof(Kept),
                                     .module = "test",
                                     .category = "Test",
                                     .help = "Has members that a checkpoint keeps.",
                                     .base = &sofa_object_class,
                                     .construct = kept_construct,
                                     .destroy = kept_destroy,
                                     SOFA_KEEPS(kept_rows),
                                     .checkpoint = &kept_checkpoint};

static Kept *open_kept(SceneRun *run) {
  SofaObject *object = NULL;
  scene_run_context(run, NULL);
  assert_int_equal(sofa_simulation_load_text(run->ctx, SCENE, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_object_create(run->simulation->root, &kept_class, "kept", NULL, &object),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  return (Kept *)object;
}

static void rows(void **unused) {
  SceneRun first = {.quiet = true}, second = {.quiet = true};
  SofaText state = {0};
  (void)unused;
  Kept *a = open_kept(&first);
  a->value[1] = -0.0;
  a->written = 7;
  a->place = a->text + 4;
  a->block[2] = 0.1;
  assert_int_equal(SOFA_RESIZE(first.ctx, &a->list, 4), SOFA_OK);
  a->list.data[3] = 1e-310;
  assert_int_equal(sofa_coords_resize(first.ctx, &a->coords, 2), SOFA_OK);
  a->coords.data[5] = 3;
  assert_int_equal(sofa_checkpoint_write(first.simulation, &state), SOFA_OK);
  const Kept *b = open_kept(&second);
  assert_int_equal(sofa_checkpoint_read(second.simulation, "state", state.data, state.n), SOFA_OK);
  assert_memory_equal(a->value, b->value, sizeof a->value);
  assert_int_equal(b->written, 7);
  assert_string_equal(b->place, "two three");
  assert_true(b->place == b->text + 4);
  assert_true(b->block[2] == 0.1);
  assert_int_equal(b->list.n, 4);
  assert_true(b->list.data[3] == 1e-310);
  assert_int_equal(b->coords.n, 2);
  assert_true(b->coords.data[5] == 3);
  // what is printed tells them, too
  SofaText one = {0}, two = {0};
  assert_int_equal(sofa_checkpoint_print(first.simulation, &one), SOFA_OK);
  a->written = 8;
  assert_int_equal(sofa_checkpoint_print(first.simulation, &two), SOFA_OK);
  assert_string_not_equal(one.data, two.data);
  sofa_list_free(first.ctx, &one);
  sofa_list_free(first.ctx, &two);
  a->locked = true;
  assert_int_equal(sofa_checkpoint_write(first.simulation, &state), SOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(first.last, "it is locked"));
  sofa_list_free(first.ctx, &state);
  scene_run_close(&first);
  scene_run_close(&second);
}

/* ---- a loader with a link ---- */

typedef struct Linked {
  SofaMeshLoader loader;
  SofaLink other;
} Linked;

static SofaErr linked_make(SofaMeshLoader *loader) {
  const SofaVec3 p = {{1, 2, 3}};
  return SOFA_APPEND(loader->object.ctx, &loader->data.mesh.position, &p);
}

static const SofaLoaderOps linked_ops = {.make = linked_make};
static const SofaField linked_fields[] = {
    SOFA_FIELD(Linked, other, "other", NULL, "", "another object"),
};
static const SofaClass linked_class = {.name = "Linked",
                                       .size = sizeof(Linked),
                                       .module = "test",
                                       .category = "Test",
                                       .help = "A loader with a link.",
                                       .base = &sofa_mesh_loader_class,
                                       SOFA_FIELDS(linked_fields),
                                       SOFA_IMPLEMENTS({SOFA_LOADER, &linked_ops})};
/* Makes a scene as its file says: a mesh, the name of a state, a link to it. */
static SofaErr made_read(SofaSimulation *simulation, const char *path) {
  char words[3][100];
  SofaObject *object = NULL;
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  for (int k = 0; k < 3; k++) assert_int_equal(fscanf(file, "%99s", words[k]), 1);
  fclose(file);
  SofaNode *root = simulation->root;
  SOFA_TRY(sofa_scene_add_object(root, "MechanicalObject",
                                 (const char *const[]){"name", words[1], NULL}, &object));
  SOFA_TRY(sofa_scene_add_object(root, "MeshOffLoader",
                                 (const char *const[]){"filename", words[0], NULL}, &object));
  SOFA_TRY(sofa_scene_add_object(root, "Linked", (const char *const[]){"other", words[2], NULL},
                                 &object));
  assert_non_null(((Linked *)object)->other.target);
  return SOFA_OK;
}

static const char *const made_extensions[] = {"made", NULL};
static const SofaSceneReaderOps made_ops = {.extensions = made_extensions, .read = made_read};
static const SofaClass made_class = {.name = "Made",
                                     .size = sizeof(SofaObject),
                                     .module = "test",
                                     .category = "Test",
                                     .help = "Reads scenes of three words.",
                                     .base = &sofa_object_class,
                                     SOFA_IMPLEMENTS({SOFA_SCENE_READER, &made_ops})};
static const SofaClass *const linked_classes[] = {&linked_class, &made_class, NULL};
static const SofaModule linked_module = {
    .abi = SOFA_ABI, .name = "linked", .version = "1", .classes = linked_classes};

static uint64_t sum_of(const char *mesh, const char *state, const char *link) {
  SceneRun run = {.quiet = false};
  char path[] = "/tmp/csofa-scene-XXXXXX.made";
  const int file = mkstemps(path, 5);
  assert_true(file >= 0);
  dprintf(file, "%s %s %s", mesh, state, link);
  close(file);
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_factory_register(run.ctx, &linked_module), SOFA_OK);
  assert_int_equal(sofa_simulation_load(run.ctx, path, &run.simulation), SOFA_OK);
  const uint64_t sum = run.simulation->scene_sum;
  scene_run_close(&run);
  unlink(path);
  return sum;
}

/* Meshes decide whether a scene is the same; the names of their files and of linked objects do
 * not. */
static void meshes_of_programs(void **unused) {
  char folder[] = "/tmp/csofa-meshes-XXXXXX", path[3][60];
  (void)unused;
  assert_non_null(mkdtemp(folder));
  for (int k = 0; k < 3; k++) {
    snprintf(path[k], sizeof path[k], "%s/%d.off", folder, k);
    write_mesh(path[k], k / 2);
  }
  const uint64_t sum = sum_of(path[0], "a", "@a");
  assert_true(sum == sum_of(path[0], "a", "@a"));
  assert_true(sum == sum_of(path[1], "a", "@a"));
  assert_true(sum == sum_of(path[0], "b", "@b"));
  assert_true(sum != sum_of(path[2], "a", "@a"));
  for (int k = 0; k < 3; k++) unlink(path[k]);
  rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mismatches),
      cmocka_unit_test(other_elements),
      cmocka_unit_test(other_meshes),
      cmocka_unit_test(reactions_after_restoring),
      cmocka_unit_test(plans_after_restoring),
      cmocka_unit_test(models_at_rest),
      cmocka_unit_test(sequence_of_files),
      cmocka_unit_test(lack_of_memory),
      cmocka_unit_test(hostile),
      cmocka_unit_test(no_values),
      cmocka_unit_test(goes_back),
      cmocka_unit_test(rows),
      cmocka_unit_test(meshes_of_programs),
      cmocka_unit_test(before_init),
      cmocka_unit_test(changed_since),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
