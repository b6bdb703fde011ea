/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CaribouBarycentricMapping in a grid of many elements: a point in the middle of each, of each face
 * and of each edge is the mean of the corners around it, wherever these go. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/mapping.h"
#include "tests/unit/math/random.h"

enum { NX = 7, NY = 6, NZ = 5, MOST_TEXT = 60000 };

/* Points at half steps that are not all whole. */
static size_t write_points(char *text, int (*at)[3]) {
  size_t n = 0, used = 0;
  for (int k = 0; k < 2 * NZ - 1; k++)
    for (int j = 0; j < 2 * NY - 1; j++)
      for (int i = 0; i < 2 * NX - 1; i++) {
        if (i % 2 + j % 2 + k % 2 == 0) continue;
        used +=
            (size_t)snprintf(text + used, MOST_TEXT - used, "%g %g %g ", i / 2., j / 2., k / 2.);
        assert_true(used < MOST_TEXT);
        at[n][0] = i, at[n][1] = j, at[n][2] = k;
        n++;
      }
  return n;
}

static void mean(const double *x, const int at[3], double out[3]) {
  int n = 0;
  memset(out, 0, 3 * sizeof *out);
  for (int k = at[2] / 2; k <= (at[2] + 1) / 2; k++)
    for (int j = at[1] / 2; j <= (at[1] + 1) / 2; j++)
      for (int i = at[0] / 2; i <= (at[0] + 1) / 2; i++, n++)
        for (int c = 0; c < 3; c++) out[c] += x[3 * (i + NX * (j + NY * k)) + c];
  for (int c = 0; c < 3; c++) out[c] /= n;
}

/* `place`: of both states. */
static void means_of_corners(const char *place) {
  static char points[MOST_TEXT], scene[MOST_TEXT + 1000];
  static int at[(2 * NX) * (2 * NY) * (2 * NZ)][3];
  const size_t n = write_points(points, at);
  Random random = {.state = 3};
  SceneRun run;
  snprintf(scene, sizeof scene,
           "<Node name='root'><RequiredPlugin name='p' pluginName='SofaCaribou'/>"
           "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
           "<RegularGridTopology name='grid' n='%d %d %d' min='0 0 0' max='%d %d %d'/>"
           "<MechanicalObject name='state' %s/>"
           "<CaribouTopology name='solid' template='Hexahedron' indices='@grid.hexahedra'/>"
           "<Node name='points'><MechanicalObject name='state' position='%s' %s/>"
           "<CaribouBarycentricMapping name='map'/></Node></Node></Node>",
           NX, NY, NZ, NX - 1, NY - 1, NZ - 1, place, points, place);
  scene_run_open(&run, scene, NULL);
  SofaState *in = scene_run_state(&run, "/body/state");
  const SofaState *out = scene_run_state(&run, "/body/points/state");
  assert_int_equal(in->position.n, NX * NY * NZ);
  assert_int_equal(out->position.n, n);
  for (int round = 0; round < 2; round++) {
    for (size_t i = 0; i < n; i++) {
      double expected[3];
      mean(in->position.data, at[i], expected);
      for (size_t c = 0; c < 3; c++)
        if (!(fabs(out->position.data[3 * i + c] - expected[c]) < 1e-12))
          fail_msg("point %zu: %g, expected %g", i, out->position.data[3 * i + c], expected[c]);
    }
    for (size_t i = 0; i < 3 * in->position.n; i++) in->position.data[i] = random_real(&random);
    assert_int_equal(sofa_mapping_update((SofaMapping *)scene_run_object(&run, "/body/points/map")),
                     SOFA_OK);
  }
  scene_run_close(&run);
}

/* Turned, too: the last corner of an element is not its greatest in any coordinate. */
static void points_are_means_of_corners(void **state) {
  (void)state;
  means_of_corners("");
  means_of_corners("rotation='0 0 180' translation='-40 -20 5'");
  means_of_corners("rotation='180 0 90' translation='3 90 40'");
}

/* A point beside a corner is not at the corner, in elements of any size. */
static void small_elements(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root'><RequiredPlugin name='p' pluginName='SofaCaribou'/>"
                 "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
                 "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1e-6 1e-6 1e-6'/>"
                 "<MechanicalObject name='state'/>"
                 "<CaribouTopology name='solid' template='Hexahedron' indices='@grid.hexahedra'/>"
                 "<Node name='points'><MechanicalObject name='state' position='5e-13 0 0'/>"
                 "<CaribouBarycentricMapping name='map'/></Node></Node></Node>",
                 NULL);
  SofaState *in = scene_run_state(&run, "/body/state");
  const double *x = scene_run_state(&run, "/body/points/state")->position.data;
  assert_true(fabs(x[0] - 5e-13) < 1e-17);
  in->position.data[3] = 2e-6; // the corner at its side
  assert_int_equal(sofa_mapping_update((SofaMapping *)scene_run_object(&run, "/body/points/map")),
                   SOFA_OK);
  assert_true(fabs(x[0] - 1e-12) < 1e-17);
  scene_run_close(&run);
}

/* A point is in an element up to 1e-8 beyond its sides, in reference coordinates. */
static void points_at_sides(void **state) {
  static const char *const places[2] = {"2.000000009", "2.000000012"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    char scene[2000];
    SceneRun run = {.quiet = k};
    snprintf(scene, sizeof scene,
             "<Node name='root'><RequiredPlugin name='p' pluginName='SofaCaribou'/>"
             "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
             "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='2 2 2'/>"
             "<MechanicalObject name='state'/>"
             "<CaribouTopology name='solid' template='Hexahedron' indices='@grid.hexahedra'/>"
             "<Node name='points'><MechanicalObject name='state' position='%s 1 1'/>"
             "<CaribouBarycentricMapping name='map'/></Node></Node></Node>",
             places[k]);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    run.quiet = k;
    assert_true((sofa_simulation_init(run.simulation) == SOFA_OK) == !k);
    if (k) assert_non_null(strstr(run.all, "1 points of the output 'state' are in no element"));
    scene_run_close(&run);
  }
}

/* The elements may stand with the mapping; the node of its input then has none. */
static void elements_beside_the_mapping(void **state) {
  static const char scene[] =
      "<Node name='root'><RequiredPlugin name='p' pluginName='SofaCaribou'/>"
      "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
      "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='2 2 2'/>"
      "<MechanicalObject name='state'/><UniformMass totalMass='1'/><VisualStyle/>"
      "<BoxROI name='a' box='0 0 0 1 1 1'/><BoxROI name='b' box='0 0 0 1 1 1'/>"
      "<BoxROI name='c' box='0 0 0 1 1 1'/><BoxROI name='d' box='0 0 0 1 1 1'/>"
      "<Node name='points'><MechanicalObject name='state' position='0.5 1 1'/>"
      "<CaribouTopology name='solid' template='Hexahedron' indices='@../grid.hexahedra' "
      "position='@../grid.position'/><CaribouBarycentricMapping name='map'/></Node></Node></Node>";
  SceneRun run;
  (void)state;
  scene_run_open(&run, scene, NULL);
  // as many as the list has room for
  assert_int_equal(scene_run_state(&run, "/body/state")->object.node->objects.n, 8);
  SofaState *in = scene_run_state(&run, "/body/state");
  for (size_t i = 0; i < in->position.n; i++) in->position.data[3 * i] *= 3;
  assert_int_equal(sofa_mapping_update((SofaMapping *)scene_run_object(&run, "/body/points/map")),
                   SOFA_OK);
  assert_true(fabs(scene_run_state(&run, "/body/points/state")->position.data[0] - 1.5) < 1e-12);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_means_of_corners), cmocka_unit_test(points_at_sides),
      cmocka_unit_test(elements_beside_the_mapping), cmocka_unit_test(small_elements)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
