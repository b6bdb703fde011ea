/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of processes that read a mesh in slices, and that write its states: a share of what one
 * needs, at any time. */
#include "tests/unit/scene/scene_test.h"

#include <malloc.h>

#include "components/builtins.h"
#include "scene/checkpoint.h"
#include "simulation/simulation.h"
#include "tests/unit/geometry/slice_files.h"
#include "tests/unit/simulation/processes.h"

enum { SIDE = 24, CUBES = SIDE * SIDE * SIDE, N_POINTS = (SIDE + 1) * (SIDE + 1) * (SIDE + 1) };
enum { N_TETRAS = 6 * CUBES };

/* Bytes that a context holds now, and held at most. */
typedef struct Meter {
  size_t now, most;
} Meter;

static void *metered(void *user, void *block, size_t size) {
  Meter *m = user;
  m->now -= block ? malloc_usable_size(block) : 0;
  if (!size) {
    free(block);
    return NULL;
  }
  void *result = realloc(block, size);
  const void *held = result ? result : block;
  m->now += held ? malloc_usable_size((void *)(uintptr_t)held) : 0;
  if (m->now > m->most) m->most = m->now;
  return result;
}

static void quiet(void *user, const SofaMessage *message) {
  (void)user;
  if (message->severity >= SOFA_ERROR) fprintf(stderr, "%s\n", message->text);
}

typedef struct Run {
  const char *mesh; /* XML of what gives the points */
  size_t most;      /* bytes of the largest process beyond those of a scene without a mesh */
} Run;

static size_t measure(SofaErr (*join)(SofaContext *ctx, void *user), void *user, const char *mesh,
                      SofaErr *err) {
  Meter meter = {0};
  const SofaContextOptions options = {.allocate = metered, .allocate_user = &meter, .sink = quiet};
  SofaContext *ctx = NULL;
  SofaSimulation *s = NULL;
  char scene[800];
  snprintf(scene, sizeof scene,
           "<Node><RequiredPlugin pluginName='Sofa.Component'/><DefaultAnimationLoop/><Node>%s"
           "<MechanicalObject position='@mesh.position'/></Node></Node>",
           mesh);
  *err = sofa_context_create(&options, &ctx);
  if (*err == SOFA_OK) *err = sofa_register_builtins(ctx);
  if (*err == SOFA_OK && join) *err = join(ctx, user);
  const size_t before = meter.now;
  meter.most = before;
  if (*err == SOFA_OK) *err = sofa_simulation_load_text(ctx, scene, &s);
  if (*err == SOFA_OK) *err = sofa_simulation_init(s);
  sofa_simulation_destroy(&s);
  sofa_context_destroy(&ctx);
  return meter.most - before;
}

static SofaErr join_thread(SofaContext *ctx, void *user) {
  return thread_join((ThreadProcess *)user, ctx);
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Run *run = user;
  SofaErr err;
  const size_t most = measure(join_thread, process, run->mesh, &err);
  pthread_mutex_lock(&process->all->mutex);
  if (most > run->most) run->most = most;
  pthread_mutex_unlock(&process->all->mutex);
  return err;
}

/* The largest of n processes per tetrahedron or hexahedron of its part. */
static double bytes_per_element(int n, const char *mesh, size_t n_elements) {
  Run run = {.mesh = mesh};
  assert_int_equal(threads_run(n, run_process, &run), SOFA_OK);
  print_message("%d processes: %.0f bytes per element of a part\n", n,
                (double)run.most * n / (double)n_elements);
  return (double)run.most * n / (double)n_elements;
}

/* However many processes: each needs at most `most` bytes per element of its part, and one that has
 * the mesh whole does. */
static void check(const char *mesh, size_t n_elements, double most) {
  SofaErr err;
  const double one = (double)measure(NULL, NULL, mesh, &err) / (double)n_elements;
  assert_int_equal(err, SOFA_OK);
  print_message("one process: %.0f bytes per element\n", one);
  assert_true(one < most);
  for (int n = 2; n <= 6; n += 2) assert_true(bytes_per_element(n, mesh, n_elements) < most);
}

static uint32_t corner(uint32_t cube, uint32_t k) {
  const uint32_t n = SIDE + 1, x = cube % SIDE + (k & 1), y = cube / SIDE % SIDE + (k >> 1 & 1),
                 z = cube / SIDE / SIDE + (k >> 2);
  return x + n * (y + n * z);
}

static void make_cubes(SofaMesh *mesh) {
  static const uint8_t ring[7] = {1, 3, 2, 6, 4, 5, 1};
  const uint32_t n = SIDE + 1;
  mesh->position.data = calloc(N_POINTS, sizeof(SofaVec3));
  mesh->tetrahedra.data = calloc(N_TETRAS, sizeof(SofaTetra));
  mesh->position.n = N_POINTS;
  mesh->tetrahedra.n = N_TETRAS;
  for (uint32_t i = 0; i < N_POINTS; i++)
    mesh->position.data[i] = (SofaVec3){{i % n, i / n % n, i / n / n}};
  for (uint32_t c = 0; c < CUBES; c++)
    for (uint32_t t = 0; t < 6; t++)
      mesh->tetrahedra.data[6 * c + t] =
          (SofaTetra){{corner(c, 0), corner(c, ring[t]), corner(c, ring[t + 1]), corner(c, 7)}};
}

static void of_a_file(void **state) {
  static const FileWay way = {"", 20, false, 8, 1, 1, 1, false, false};
  char path[] = "/tmp/csofa-memory-XXXXXX", text[200];
  SofaMesh mesh = {0};
  (void)state;
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  make_cubes(&mesh);
  assert_true(write_binary_gmsh(path, &way, &mesh));
  free(mesh.position.data);
  free(mesh.tetrahedra.data);
  snprintf(text, sizeof text, "<MeshGmshLoader name='mesh' filename='%s'/>", path);
  check(text, N_TETRAS, 285);
  remove(path);
}

static void of_a_grid(void **state) {
  (void)state;
  check("<RegularGridTopology name='mesh' n='41 41 41'/>", 64000, 1175);
}

/* ---- files of states ---- */

enum { GRID_SIDE = 41, N_GRID = GRID_SIDE * GRID_SIDE * GRID_SIDE };

typedef struct Outputs {
  char folder[64];
  size_t states, saved, restored; /* bytes of the largest process, beyond what it holds before */
} Outputs;

static SofaErr use(SofaContext *ctx, Meter *meter, const Outputs *o, Outputs *most) {
  SofaSimulation *s = NULL;
  char scene[800], path[100];
  SofaErr err;
  snprintf(path, sizeof path, "%s/a.state", o->folder);
  snprintf(scene, sizeof scene,
           "<Node><RequiredPlugin pluginName='Sofa.Component'/><DefaultAnimationLoop/><Node>"
           "<RegularGridTopology name='mesh' n='%d %d %d'/><MechanicalObject name='dofs'/>"
           "<WriteState filename='%s/w.txt' writeV='1' writeX0='1'/></Node></Node>",
           GRID_SIDE, GRID_SIDE, GRID_SIDE, o->folder);
  SOFA_GO(err, done, sofa_simulation_load_text(ctx, scene, &s));
  SOFA_GO(err, done, sofa_simulation_init(s));
  size_t before = meter->most = meter->now;
  SOFA_GO(err, done, sofa_simulation_step(s, 0));
  most->states = meter->most - before;
  before = meter->most = meter->now;
  SOFA_GO(err, done, sofa_checkpoint_save(s, path));
  most->saved = meter->most - before;
  before = meter->most = meter->now;
  SOFA_GO(err, done, sofa_checkpoint_restore(s, path));
  most->restored = meter->most - before;
done:
  sofa_simulation_destroy(&s);
  return err;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static SofaErr use_process(ThreadProcess *process, void *user) {
  Outputs *o = user, most = {.states = 0};
  Meter meter = {0};
  const SofaContextOptions options = {.allocate = metered, .allocate_user = &meter, .sink = quiet};
  SofaContext *ctx = NULL;
  SofaErr err = sofa_context_create(&options, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  if (err == SOFA_OK) err = thread_join(process, ctx);
  ctx->discard_outputs = process->rank > 0;
  if (err == SOFA_OK) err = use(ctx, &meter, o, &most);
  sofa_context_destroy(&ctx);
  pthread_mutex_lock(&process->all->mutex);
  o->states = larger(o->states, most.states);
  o->saved = larger(o->saved, most.saved);
  o->restored = larger(o->restored, most.restored);
  pthread_mutex_unlock(&process->all->mutex);
  return err;
}

/* Bytes per point of a run, of the largest process: as much on any number of processes. */
static void of_states(void **state) {
  (void)state;
  for (int n = 2; n <= 6; n += 2) {
    Outputs o = {.folder = "/tmp/csofa-memory-XXXXXX"};
    char command[100];
    assert_non_null(mkdtemp(o.folder));
    assert_int_equal(threads_run(n, use_process, &o), SOFA_OK);
    snprintf(command, sizeof command, "rm -rf %s", o.folder);
    assert_int_equal(system(command), 0);
    const double run = (double)N_GRID / n, states = (double)o.states / run,
                 saved = (double)o.saved / run, restored = (double)o.restored / run;
    print_message("%d processes, bytes per point of a run: %.0f for WriteState, %.0f to save, %.0f "
                  "to restore\n",
                  n, states, saved, restored);
    assert_true(states < 110 && saved < 330 && restored < 140);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(of_a_file), cmocka_unit_test(of_a_grid),
                                     cmocka_unit_test(of_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
