/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings of meshes that are divided among processes: outputs and forces are those of one process,
 * and so is what is refused. Small meshes: test_divided.c has whole scenes. */
#include "tests/unit/scene/scene_test.h"
#include "tests/unit/simulation/processes.h"

#include <math.h>

#include "behavior/mapping.h"
#include "behavior/state_division.h"
#include "components/builtins.h"
#include "scene/builder.h"
#include "simulation/simulation.h"

/* ---- a bar of tetrahedra ---- */

enum { CELLS = 6, N_POINTS = 4 * (CELLS + 1) };

/* back: the elements begin at the end of the bar. */
static void write_bar(const char *path, bool back) {
  static const int tetras[6][4] = {{0, 1, 3, 7}, {0, 1, 7, 5}, {0, 5, 7, 4},
                                   {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}};
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", N_POINTS);
  for (int i = 0; i < N_POINTS; i++)
    fprintf(out, "%d %g %g %g\n", i + 1, 0.1 * (i / 4), 0.1 * (i % 2), 0.1 * (i / 2 % 2));
  fprintf(out, "$EndNodes\n$Elements\n%d\n", 6 * CELLS);
  for (int t = 0; t < 6 * CELLS; t++) {
    const int cell = back ? CELLS - 1 - t / 6 : t / 6;
    fprintf(out, "%d 4 2 1 1", t + 1);
    for (int v = 0; v < 4; v++) {
      const int c = tetras[t % 6][v];
      fprintf(out, " %d", 1 + 4 * (cell + (c & 1)) + (c >> 1 & 1) + 2 * (c >> 2));
    }
    fprintf(out, "\n");
  }
  fprintf(out, "$EndElements\n");
  assert_int_equal(fclose(out), 0);
}

/* ---- runs ---- */

enum { MOST_NUMBERS = 400 };

typedef struct Run {
  const char *scene;
  bool keep_going;
  double out[MOST_NUMBERS], force[MOST_NUMBERS]; /* of process 0; of the whole mesh */
  size_t n_out, n_force;
  char messages[1 << 13]; /* of the process that fails, else of process 0 */
} Run;

static SofaObject *object_at(SofaSimulation *s, const char *path) {
  return sofa_resolve_path(s->root, path, &(SofaPathRule){.strict = true});
}

/* Positions of the output, and what a force on it is on the input. The input is stretched first. */
static SofaErr take(SofaSimulation *s, int rank, Run *run) {
  SofaMapping *map = (SofaMapping *)object_at(s, "/body/m/map");
  SofaState *in = (SofaState *)object_at(s, "/body/dofs"), *out = map->out;
  const SofaDivision *division = sofa_state_division(in);
  const size_t n = out->position.n * out->position.width, n_in = in->position.n * 3;
  double whole[MOST_NUMBERS] = {0}, force[MOST_NUMBERS], back[MOST_NUMBERS] = {0};
  double *const inputs[2] = {back, back + n_in};
  for (size_t i = 0; i < n_in; i++) in->position.data[i] *= 1 + 0.3 * (double)(i % 3);
  for (size_t i = 0; i < n; i++) force[i] = 1 + (double)(i % 7);
  SOFA_TRY(sofa_mapping_update(map));
  SofaPoint at;
  SOFA_TRY(sofa_mapping_point(map, &at));
  SOFA_TRY(sofa_mapping_apply_jt(map, &at, force, inputs));
  // each process adds the forces of its rows, also to copies of points of others
  if (division) SOFA_TRY(sofa_division_sum(s->root->object.ctx, division, 3, back));
  if (division) SOFA_TRY(sofa_division_gather(s->root->object.ctx, division, 0, 3, back, whole));
  else memcpy(whole, back, n_in * sizeof *whole);
  if (rank > 0) return SOFA_OK;
  run->n_out = n;
  run->n_force = 3 * sofa_state_n_whole(in);
  memcpy(run->out, out->position.data, n * sizeof *run->out);
  memcpy(run->force, whole, run->n_force * sizeof *run->force);
  return SOFA_OK;
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Run *run = user;
  SofaSimulation *s = NULL;
  Bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  bench_open(b, run->keep_going);
  SofaErr err = sofa_register_builtins(b->ctx);
  if (err == SOFA_OK) err = thread_join(process, b->ctx);
  if (err == SOFA_OK) err = sofa_simulation_load_text(b->ctx, run->scene, &s);
  if (err == SOFA_OK) err = sofa_simulation_init(s);
  if (err == SOFA_OK) err = take(s, process->rank, run);
  sofa_simulation_destroy(&s);
  pthread_mutex_lock(&process->all->mutex);
  if (!run->messages[0] && (process->rank == 0 || err != SOFA_OK) && err != SOFA_ERR_IO)
    snprintf(run->messages, sizeof run->messages, "%.*s", (int)sizeof run->messages - 1,
             b->messages);
  pthread_mutex_unlock(&process->all->mutex);
  bench_close(b);
  free(b);
  return err;
}

/* ---- cases ---- */

static const char *folder_path;

typedef struct Case {
  const char *name, *mesh, *parts; /* of the node m, with the mapping "map" */
  const char *words;               /* in the message; NULL: none */
  bool refused, keep_going;
} Case;

#define BAR                                                                                        \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh'/><MeshTopology src='@loader'/>"             \
  "<MechanicalObject name='dofs' src='@loader'/><BoxROI name='some' box='0.05 -1 -1 1 0.05 1' "    \
  "drawBoxes='0'/><UniformMass totalMass='1'/>"
/* coordinates are whole numbers, so that distances are equal */
#define WIDE                                                                                       \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh' scale='10'/><MeshTopology src='@loader'/>"  \
  "<MechanicalObject name='dofs' src='@loader'/><UniformMass totalMass='1'/>"
#define BACK                                                                                       \
  "<MeshGmshLoader name='loader' filename='%s/back.msh'/><MeshTopology src='@loader'/>"            \
  "<MechanicalObject name='dofs' src='@loader'/><UniformMass totalMass='1'/>"
#define SET                                                                                        \
  "<MeshGmshLoader name='loader' filename='%s/bar.msh'/><TetrahedronSetTopologyContainer "         \
  "src='@loader'/>"                                                                                \
  "<TetrahedronSetGeometryAlgorithms/><MechanicalObject name='dofs' src='@loader'/>"               \
  "<UniformMass totalMass='1'/>"
#define GRID                                                                                       \
  "<RegularGridTopology name='grid' n='7 2 2' max='0.6 0.1 0.1'/><MechanicalObject name='dofs' "   \
  "translation='0 0.5 0.3'/><UniformMass totalMass='1'/><!-- %s -->"
#define POINTS(places) "<MechanicalObject position='" places "'/>"
#define INSIDE "0.55 0.03 0.07 0.33 0.05 0.02 0.02 0.01 0.08 0.1 0.1 0.1 0.3 0 0.05"

static const Case cases[] = {
    {"points in a mesh", BAR, POINTS(INSIDE) "<BarycentricMapping name='map'/>", NULL, 0, 0},
    {"points in a mesh, its end first", BACK, POINTS(INSIDE) "<BarycentricMapping name='map'/>",
     NULL, 0, 0},
    {"points around a mesh", BAR,
     POINTS("0.7 0.2 0 0.31 -0.2 0.3 -1 0 0") "<BarycentricMapping name='map'/>", NULL, 0, 0},
    {"points in a set", SET, POINTS(INSIDE) "<BarycentricMapping name='map'/>", NULL, 0, 0},
    {"points in a grid", GRID, POINTS(INSIDE) "<BarycentricMapping name='map'/>", NULL, 0, 0},
    {"points around a grid", GRID,
     POINTS("0.25 0.05 0.05 0.7 0.2 0 0.31 0.05 0.3") "<BarycentricMapping name='map'/>",
     "2 of 3 points are outside of all elements", 0, 0},
    {"points far away", BAR, POINTS("0.1 0.1 0.1 1e300 0 0") "<BarycentricMapping name='map'/>",
     "point 1 of the output belongs to no element", 1, 0},
    {"points in elements that are made", GRID,
     "<TetrahedronSetTopologyContainer name='cut'/><TetrahedronSetTopologyModifier/>"
     "<Hexa2TetraTopologicalMapping input='@../grid' output='@cut'/>" POINTS(
         "0.55 0.53 0.37 0.33 0.55 0.32") "<BarycentricMapping name='map' input_topology='@cut'/>",
     NULL, 0, 0},
    {"frames in a mesh", SET,
     "<MechanicalObject template='Rigid3d' position='0.3 0 0 0 0 0 1'/><BarycentricMapping "
     "name='map'/>",
     "frames that follow a mesh", 1, 0},
    {"a subset by numbers", BAR,
     "<MechanicalObject/><SubsetMapping name='map' indices='27 3 3 12 20 0'/>", NULL, 0, 0},
    {"a subset by wrong numbers", BAR,
     "<MechanicalObject/><SubsetMapping name='map' indices='3 28'/>",
     "entry 1 is 28: the input has the points 0 to 27 on all processes", 1, 0},
    {"a subset by a selection", BAR,
     "<MechanicalObject/><SubsetMapping name='map' indices='@../some.indices'/>", NULL, 0, 0},
    {"a subset by a range", BAR,
     "<MechanicalObject/><SubsetMapping name='map' first='3' last='17'/>", NULL, 0, 0},
    {"a subset by its begin", BAR, "<MechanicalObject/><SubsetMapping name='map' first='9'/>", NULL,
     0, 0},
    {"a subset by its end", BAR, "<MechanicalObject/><SubsetMapping name='map' last='11'/>", NULL,
     0, 0},
    {"a subset by wrong ends", BAR,
     "<MechanicalObject/><SubsetMapping name='map' first='28' last='28'/>", NULL, 0, 0},
    {"a subset by places", BAR,
     POINTS("0.6 0.1 0.1 0.3 0.1 0.100001 0 0 0 0.2 0 0") "<SubsetMapping name='map'/>", NULL, 0,
     0},
    {"a subset by near places", BAR,
     POINTS("0.56 0.1 0.1 0.26 0.04 0 0.05 0.05 0.05") "<SubsetMapping name='map' radius='0.15'/>",
     NULL, 0, 0},
    {"a subset by places between points", WIDE,
     POINTS(
         "0.5 0.5 0.5 1.5 0.5 0.5 2.5 0.5 0.5 3.5 0.5 0.5 4.5 0.5 0.5 5.5 0.5 0.5") "<SubsetMapping"
                                                                                    " name='map' "
                                                                                    "radius='2'/>",
     NULL, 0, 0},
    {"points on sides of elements", WIDE,
     POINTS(
         "1 0.5 0.5 2 0.5 0.5 3 0.5 0.5 4 0.5 0.5 5 0.5 0.5 1.5 0 0 3.5 0 0 2 0 0 4 0 0") "<Barycen"
                                                                                          "tricMapp"
                                                                                          "ing "
                                                                                          "name='"
                                                                                          "map'/>",
     NULL, 0, 0},
    {"a subset by places that are not there", BAR,
     POINTS("5 0 0 0.2 0 0") "<SubsetMapping name='map' ignoreNotFound='1'/>", NULL, 0, 0},
    {"a subset by wrong places", BAR, POINTS("0.2 0 0 5 0 0 6 0 0") "<SubsetMapping name='map'/>",
     "no input point is within 'radius' (1e-05 m) of output point 1", 1, 0},
    {"a subset by wrong places, going on", BAR,
     POINTS("0.2 0 0 5 0 0") "<SubsetMapping name='map'/>",
     "no input point is within 'radius' (1e-05 m) of output point 1", 0, 1},
    {"a subset of several states", BAR,
     "<Node name='other'><MechanicalObject name='p' position='0.5 0.5 0 0.6 0.5 0'/></Node>"
     "<MechanicalObject/><SubsetMultiMapping name='map' input='@../dofs @other/p' "
     "indexPairs='0 27 1 1 0 3 0 20 1 0 0 3'/>",
     NULL, 0, 0},
    {"a subset of several states, wrong", BAR,
     "<Node name='other'><MechanicalObject name='p' position='0.5 0.5 0 0.6 0.5 0'/></Node>"
     "<MechanicalObject/><SubsetMultiMapping name='map' input='@../dofs @other/p' "
     "indexPairs='0 27 0 28'/>",
     "pair 1 is point 28 of input 0", 1, 0},
};

static SofaErr run_on(int n, const Case *c, Run *run) {
  char mesh[1000], scene[4000];
  snprintf(mesh, sizeof mesh, c->mesh, folder_path);
  snprintf(scene, sizeof scene,
           "<Node name='root'><RequiredPlugin pluginName='Sofa.Component'/><DefaultAnimationLoop/>"
           "<Node name='body'>%s<Node name='m'>%s</Node></Node></Node>",
           mesh, c->parts);
  *run = (Run){.scene = scene, .keep_going = c->keep_going};
  return threads_run(n, run_process, run);
}

static void same(const Case *c, int n_processes, const char *what, const double *a, size_t n,
                 const double *b, size_t n_b) {
  if (n != n_b)
    fail_msg("%s, %d processes: %zu %s, expected %zu", c->name, n_processes, n, what, n_b);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) < 1e-12))
      fail_msg("%s, %d processes: %s %zu is %g, expected %g", c->name, n_processes, what, i, a[i],
               b[i]);
}

/* Does the text say a second time what begins like the words? */
static bool says_again(const char *text, const char *words) {
  char begin[20];
  snprintf(begin, sizeof begin, "%s", words);
  const char *first = strstr(text, begin);
  return first && strstr(first + 1, begin);
}

static void as_on_one_process(void **state) {
  const Case *c = *state;
  static Run one, several;
  const SofaErr err = run_on(1, c, &one);
  if (!c->refused && err != SOFA_OK) fail_msg("%s: %s", c->name, one.messages);
  for (int n = 2; n <= 4; n++) {
    const bool good = run_on(n, c, &several) == SOFA_OK;
    if (good == c->refused || (c->words && !strstr(several.messages, c->words)))
      fail_msg("%s, %d processes: %s: %s", c->name, n, good ? "runs" : "fails", several.messages);
    if (c->refused && says_again(several.messages, c->words))
      fail_msg("%s, %d processes: more than one error: %s", c->name, n, several.messages);
    if (c->refused) continue;
    same(c, n, "position", several.out, several.n_out, one.out, one.n_out);
    same(c, n, "force", several.force, several.n_force, one.force, one.n_force);
  }
}

int main(void) {
  enum { N = sizeof cases / sizeof *cases };
  struct CMUnitTest tests[N];
  static char folder[] = "/tmp/csofa-mappings-XXXXXX", path[2][64];
  if (!mkdtemp(folder)) return 1;
  folder_path = folder;
  for (int back = 0; back < 2; back++) {
    snprintf(path[back], sizeof *path, "%s/%s.msh", folder, back ? "back" : "bar");
    write_bar(path[back], back);
  }
  for (size_t i = 0; i < N; i++)
    tests[i] = (struct CMUnitTest){cases[i].name, as_on_one_process, NULL, NULL,
                                   (void *)(uintptr_t)&cases[i]};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  for (int back = 0; back < 2; back++) remove(path[back]);
  remove(folder);
  return failed;
}
