/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances of all types in bars whose fields are known; targets from the grid, zones, files. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

#include "object/data_graph.h"

/* A bar of 4 x 1 x 1 hexahedra, 0.25 m each; stiffness from soft to stiff. */
#define BAR                                                                                        \
  "<RegularGridTopology name='cells' n='5 2 2' min='0 0 0' max='1 0.2 0.2'/>"                      \
  "<MechanicalObject name='targets' position='0 0 0 1 0 0'/>"
#define SCENE(engine)                                                                              \
  "<Node name='root'><DefaultAnimationLoop/>" BAR                                                  \
  "<Distances name='d' hexaContainerPath='cells' targetPath='targets' " engine "/></Node>"
/* all points of an end are in a zone: the field depends on x alone */
#define ZONES "zonesFramePair='7 0 9 1' "

static const double *distances(SceneRun *run, size_t n) {
  const SofaObject *object = scene_run_object(run, "/d");
  const SofaReals *list = sofa_field_value(object, sofa_class_field(object->klass, "distances"));
  assert_int_equal(list->n, n);
  return list->data;
}

static void close_to(double value, double wanted) {
  if (!(fabs(value - wanted) < 1e-12)) fail_msg("%.17g is not %.17g", value, wanted);
}

static void harmonic_on_a_bar_is_linear(void **state) {
  SceneRun run;
  (void)state;
  // the first and last hexahedron are the zones of the targets; between them u is linear
  scene_run_open(
      &run, SCENE("d_distanceType='Harmonic' harmonicMaxValue='10' " ZONES "voxelValues='7 0 0 9'"),
      NULL);
  const double *u = distances(&run, 40), wanted[5] = {0, 0, 5, 10, 10};
  for (int i = 0; i < 20; i++) {
    close_to(u[i], wanted[i % 5]);
    close_to(u[20 + i], 10 - wanted[i % 5]);
  }
  scene_run_close(&run);
}

static void stiff_parts_conduct_better(void **state) {
  SceneRun run;
  (void)state;
  // conductivities 1 and 6 in series: drops of 6/7 and 1/7
  scene_run_open(&run,
                 SCENE("d_distanceType='Harmonic with Stiffness' harmonicMaxValue='7' "
                       "zonesFramePair='7 0 9 1' voxelValues='7 0 255 9'"),
                 NULL);
  const double *u = distances(&run, 40), wanted[5] = {0, 0, 6, 7, 7};
  for (int i = 0; i < 20; i++) close_to(u[i], wanted[i % 5]);
  scene_run_close(&run);
}

static void harmonic_without_zones_has_its_bounds(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run, SCENE("d_distanceType='1'"), NULL);
  const double *u = distances(&run, 40);
  assert_true(u[0] == 0 && u[4] == 100 && u[24] == 0 && u[20] == 100);
  for (int i = 0; i < 20; i++) {
    assert_true(u[i] >= 0 && u[i] <= 100);
    // the two functions mirror each other, and so does the bar
    close_to(u[i] + u[20 + i], 100);
    close_to(u[i], 100 - u[i / 5 * 5 + 4 - i % 5]);
  }
  scene_run_close(&run);
}

static void ways_through_stiff_voxels_are_longer(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run, SCENE("d_distanceType='Stiffness Diffusion' voxelValues='0 51 255 0'"),
                 NULL);
  // factors 1, 2, 6, 1
  const double *u = distances(&run, 40), wanted[5] = {0, 0.25, 0.75, 2.25, 2.5};
  for (int i = 0; i < 5; i++) close_to(u[i], wanted[i]);
  scene_run_close(&run);
}

static void cells_of_voronoi(void **state) {
  static const char *const names[] = {"Voronoi", "Vorono\xC3\xAF", "3"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    char scene[800];
    SceneRun run;
    snprintf(scene, sizeof scene, SCENE("d_distanceType='%s'"), names[k]);
    scene_run_open(&run, scene, NULL);
    // the middle is as near to both and belongs to the first
    const double *u = distances(&run, 40);
    const double wanted[2][5] = {{0, 0.25, 0.5, INFINITY, INFINITY},
                                 {INFINITY, INFINITY, INFINITY, 0.25, 0}};
    for (int t = 0; t < 2; t++)
      for (int i = 0; i < 5; i++) {
        if (isinf(wanted[t][i])) assert_true(isinf(u[20 * t + i]));
        else close_to(u[20 * t + i], wanted[t][i]);
      }
    scene_run_close(&run);
  }
}

static void targets_from_the_grid(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run, SCENE("initTarget='1' initTargetStep='2' offset='0 0 3'"), NULL);
  const SofaState *targets = scene_run_state(&run, "/targets");
  assert_int_equal(targets->position.n, 2);
  const double wanted[6] = {0.125, 0.1, 3.1, 0.625, 0.1, 3.1};
  for (int i = 0; i < 6; i++) {
    close_to(targets->position.data[i], wanted[i]);
    close_to(targets->rest_position.data[i], wanted[i]);
  }
  (void)distances(&run, 40);
  scene_run_close(&run);
}

static void files_are_read_as_long_as_they_fit(void **state) {
  static const char *const scenes[] = {SCENE("filename='kept'"), SCENE("filename='kept'"),
                                       SCENE("filename='kept' offset='0.1 0 0'")};
  char folder[] = "/tmp/distances-XXXXXX", here[1000];
  (void)state;
  assert_non_null(getcwd(here, sizeof here));
  assert_non_null(mkdtemp(folder));
  assert_int_equal(chdir(folder), 0);
  for (int k = 0; k < 3; k++) {
    SceneRun run = {.quiet = true};
    scene_run_context(&run, NULL);
    run.quiet = true;
    assert_int_equal(sofa_simulation_load_text(run.ctx, scenes[k], &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    close_to(distances(&run, 40)[1], k == 0 ? 0.25 : k == 1 ? 0.5 : 0.35);
    assert_int_equal(run.n_problems, k == 2);
    if (k == 2) assert_non_null(strstr(run.last, "distances of something else"));
    scene_run_close(&run);
    // another number in the file shows that it is read
    FILE *file = fopen("keptGeodesical", "r+");
    assert_non_null(file);
    char text[4000] = {0};
    const size_t n = fread(text, 1, sizeof text - 1, file);
    char *number = strstr(text, "0.25");
    if (k == 0) {
      assert_non_null(number);
      memcpy(number, "0.50", 4);
      rewind(file);
      assert_int_equal(fwrite(text, 1, n, file), n);
    }
    fclose(file);
  }
  assert_int_equal(unlink("keptGeodesical"), 0);
  assert_int_equal(chdir(here), 0);
  assert_int_equal(rmdir(folder), 0);
}

static void is_refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, words)) fail_msg("'%s' does not say '%s'", run.all, words);
  scene_run_close(&run);
}

static void bad_values_are_refused(void **state) {
  (void)state;
  is_refused(SCENE("d_distanceType='Manhattan'"), "'Manhattan' is not one of Geodesic");
  is_refused(SCENE("d_distanceType='2'"), "0 values for 4 hexahedra");
  is_refused(SCENE("d_distanceType='2' voxelValues='0 0 0 256'"), "must be 0 to 255");
  is_refused(SCENE("d_distanceType='1' harmonicMaxValue='0'"), "expected > 0");
  is_refused(SCENE("d_distanceType='1' zonesFramePair='7'"), "two per zone");
  is_refused(SCENE("d_distanceType='1' zonesFramePair='7 2' voxelValues='7 0 0 0'"),
             "names target 2; there are 2 targets");
  is_refused(SCENE("initTarget='1' initTargetStep='0'"), "expected >= 1");
  is_refused(SCENE("filename='/nowhere/kept'"), "there is no folder '/nowhere'");
}

/* ---- sampling along edges ---- */

enum { POINTS = 60, EXTRA = 60, CHOSEN = 12 };

/* A random graph: a tree and some edges more. */
typedef struct Graph {
  double x[POINTS][3], way[POINTS][POINTS];
  char positions[60 * POINTS], edges[20 * (POINTS + EXTRA)];
} Graph;

static void join(Graph *g, int a, int b) {
  double d[3];
  for (int k = 0; k < 3; k++) d[k] = g->x[a][k] - g->x[b][k];
  if (a == b) return;
  g->way[a][b] = g->way[b][a] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const size_t used = strlen(g->edges);
  snprintf(g->edges + used, sizeof g->edges - used, "%d %d ", a, b);
}

/* All ways by Floyd and Warshall's method. */
static void make_graph(Graph *g, uint32_t seed) {
  memset(g, 0, sizeof *g);
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < POINTS; j++) g->way[i][j] = i == j ? 0 : INFINITY;
  for (int i = 0; i < POINTS; i++) {
    for (int k = 0; k < 3; k++) {
      seed = seed * 1664525u + 1013904223u;
      g->x[i][k] = (double)(seed >> 12) / 1024;
    }
    const size_t used = strlen(g->positions);
    snprintf(g->positions + used, sizeof g->positions - used, "%.17g %.17g %.17g ", g->x[i][0],
             g->x[i][1], g->x[i][2]);
    if (i) join(g, i, (int)((seed >> 5) % (uint32_t)i));
  }
  for (int e = 0; e < EXTRA; e++) {
    seed = seed * 1664525u + 1013904223u;
    join(g, (int)((seed >> 8) % POINTS), (int)((seed >> 18) % POINTS));
  }
  for (int k = 0; k < POINTS; k++)
    for (int i = 0; i < POINTS; i++)
      for (int j = 0; j < POINTS; j++)
        g->way[i][j] = fmin(g->way[i][j], g->way[i][k] + g->way[k][j]);
}

/* Each point that is chosen is the farthest one from those before it; the first one is 0. */
static void samples_are_farthest(void **state) {
  static Graph g;
  (void)state;
  for (uint32_t seed = 1; seed <= 5; seed++) {
    SceneRun run;
    static char text[sizeof g.positions + sizeof g.edges + 300];
    make_graph(&g, seed);
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MeshSampler name='m' number='%d' maxIter='0' "
             "position='%s' edges='%s'/></Node>",
             CHOSEN, g.positions, g.edges);
    scene_run_open(&run, text, NULL);
    SofaObject *m = scene_run_object(&run, "/m");
    assert_int_equal(sofa_data_update(m), SOFA_OK);
    const SofaIndices *chosen = sofa_field_value(m, sofa_class_field(m->klass, "outputIndices"));
    assert_int_equal(chosen->n, CHOSEN);
    assert_int_equal(chosen->data[0], 0);
    for (size_t n = 1; n < CHOSEN; n++) {
      double least[POINTS], most = 0;
      for (int i = 0; i < POINTS; i++) {
        least[i] = INFINITY;
        for (size_t j = 0; j < n; j++) least[i] = fmin(least[i], g.way[i][chosen->data[j]]);
        most = fmax(most, least[i]);
      }
      assert_true(least[chosen->data[n]] > most * (1 - 1e-12));
    }
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples_are_farthest),
      cmocka_unit_test(harmonic_on_a_bar_is_linear),
      cmocka_unit_test(stiff_parts_conduct_better),
      cmocka_unit_test(harmonic_without_zones_has_its_bounds),
      cmocka_unit_test(ways_through_stiff_voxels_are_longer),
      cmocka_unit_test(cells_of_voronoi),
      cmocka_unit_test(targets_from_the_grid),
      cmocka_unit_test(files_are_read_as_long_as_they_fit),
      cmocka_unit_test(bad_values_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
