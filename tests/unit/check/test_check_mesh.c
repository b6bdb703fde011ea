/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The check of meshes finds what is wrong, and nothing else. */
#include <math.h>

#include "numerics/check/check.h"
#include "tests/support/scene_run.h"

#define SCENE(body)                                                                                \
  "<Node name='root' gravity='0 -9.81 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" body  \
  "</Node>"
#define MESH(points, elements)                                                                     \
  SCENE("<MeshTopology name='mesh' position='" points "' " elements "/>")
#define FIVE "0 0 0  1 0 0  0 1 0  0 0 1  1 1 1"

/* Number of findings whose text has the words, and which have the verdict. */
static size_t count(const SofaCheckReport *report, SofaCheckVerdict verdict, const char *words) {
  size_t n = 0;
  for (size_t i = 0; i < report->findings.n; i++)
    n += report->findings.data[i].verdict == verdict &&
         strstr(report->findings.data[i].text, words) != NULL;
  return n;
}

/* The report of a scene has the words in a finding of this verdict; wrong, warnings: all of them.
 */
static void expect(const char *scene, SofaCheckVerdict verdict, const char *words, size_t wrong,
                   size_t warnings) {
  SceneRun run;
  SofaText text = {0};
  scene_run_open(&run, scene, NULL);
  SofaCheckReport report = {.ctx = run.ctx};
  assert_int_equal(sofa_check_mesh(run.simulation, &report), SOFA_OK);
  assert_int_equal(sofa_check_print(&report, &text), SOFA_OK);
  if (count(&report, verdict, words) != 1 || report.n_wrong != wrong ||
      report.n_warnings != warnings)
    fail_msg("'%s' is not in, or there is more:\n%s", words, text.data);
  sofa_list_free(run.ctx, &text);
  sofa_check_report_free(&report);
  scene_run_close(&run);
}

static void sound_meshes(void **state) {
  (void)state;
  expect(MESH(FIVE, "tetrahedra='0 1 2 3 1 2 3 4'"), SOFA_CHECK_OK, "2 tetrahedra", 0, 0);
  expect(SCENE("<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/>"), SOFA_CHECK_OK,
         "1 x 1 x 1 m, mean edge 0.5", 0, 0);
  expect(SCENE("<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/>"), SOFA_CHECK_OK,
         "worst shape 1 ", 0, 0);
  // det 1, mean square of the distances 3/2: (2/3)^(3/2) / (1/sqrt 2)
  expect(MESH("0 0 0  1 0 0  0 1 0  0 0 1", "tetrahedra='0 1 2 3'"), SOFA_CHECK_OK,
         "worst shape 0.77 (tetrahedron 0)", 0, 0);
  expect(MESH("0 0 0  1 0 0  0.5 0.8660254037844386 0", "triangles='0 1 2'"), SOFA_CHECK_OK,
         "open surface: 3 edges of one face; worst shape 1 (triangle 0)", 0, 0);
}

static void elements(void **state) {
  (void)state;
  expect(MESH(FIVE, "tetrahedra='0 1 2 3 2 1 3 4'"), SOFA_CHECK_WRONG,
         "1 of 2 tetrahedra: inverted: its corners are in the opposite order: 1 at (0 1 0)", 1, 0);
  expect(MESH("0 0 0  1 0 0  0 1 0  1 1 0", "tetrahedra='0 1 2 3'"), SOFA_CHECK_WRONG,
         "1 of 1 tetrahedra: flat", 1, 0);
  expect(MESH(FIVE, "tetrahedra='0 1 2 3 1 2 3 4 3 2 1 0 '"), SOFA_CHECK_WARNING,
         "1 of 3 tetrahedra: has the same points as another one: 2 at", 0, 2);
  expect(MESH("0 0 0  1 0 0  2 0 0", "triangles='0 1 2'"), SOFA_CHECK_WARNING,
         "1 of 1 triangles: flat", 0, 1);
}

/* Thin elements are told, faces of solids are not measured for themselves. */
static void shapes(void **state) {
  (void)state;
  expect(MESH("0 0 0  1 0 0  0 1 0  0 0 0.005", "tetrahedra='0 1 2 3'"), SOFA_CHECK_WARNING,
         "1 of 1 tetrahedra: badly shaped: its shape is below 0.01 of the best: 0 at (0 0 0)", 0,
         1);
  expect(MESH("0 0 0  1 0 0  0 1 0  0 0 0.02", "tetrahedra='0 1 2 3'"), SOFA_CHECK_OK,
         "worst shape 0.028", 0, 0);
  expect(MESH("0 0 0  1 0 0  0.5 0.002 0", "triangles='0 1 2'"), SOFA_CHECK_WARNING,
         "1 of 1 triangles: badly shaped", 0, 1);
  expect(MESH("0 0 0  1 0 0  0.5 0.002 0  0.5 0.001 5", "tetrahedra='0 1 2 3' triangles='0 1 2'"),
         SOFA_CHECK_WARNING, "1 of 1 tetrahedra: badly shaped", 0, 1);
}

/* The best element of each kind has a shape of 1. */
static void best_shapes(void **state) {
  (void)state;
#define TRIANGLE_AT(z) "0 0 " z " 1 0 " z " 0.5 0.8660254037844386 " z " "
#define SQUARE_AT(z) "0 0 " z " 1 0 " z " 1 1 " z " 0 1 " z " "
  static const char *const best[] = {
      MESH(TRIANGLE_AT("0"), "triangles='0 1 2'"),
      MESH(SQUARE_AT("0"), "quads='0 1 2 3'"),
      MESH(TRIANGLE_AT("0") "0.5 0.28867513459481287 0.816496580927726", "tetrahedra='0 1 2 3'"),
      MESH(SQUARE_AT("0") "0.5 0.5 0.7071067811865475", "pyramids='0 1 2 3 4'"),
      MESH(TRIANGLE_AT("0") TRIANGLE_AT("1"), "prisms='0 1 2 3 4 5'"),
      MESH(SQUARE_AT("0") SQUARE_AT("1"), "hexahedra='0 1 2 3 4 5 6 7'")};
  for (size_t i = 0; i < SOFA_COUNT(best); i++)
    expect(best[i], SOFA_CHECK_OK, "worst shape 1 ", 0, 0);
  // a leaning prism: the squares of the distances add up to 21.5, not 21; (21/21.5)^(3/2)
  expect(MESH("0 0 0 1 0 0 0.75 0.8660254037844386 0 0 0 1 1 0 1 0.75 0.8660254037844386 1",
              "prisms='0 1 2 3 4 5'"),
         SOFA_CHECK_OK, "worst shape 0.97 (", 0, 0);
}

static void points(void **state) {
  (void)state;
  expect(SCENE("<TetrahedronSetTopologyContainer position='" FIVE "  7 7 7' "
               "tetrahedra='0 1 2 3 1 2 3 4'/>"),
         SOFA_CHECK_WARNING, "1 of 6 points: no element has it: 5 at (7 7 7)", 0, 1);
  expect(MESH("0 0 0  1 0 0  0 1 0  0 0 1  1 0 0", "tetrahedra='0 1 2 3' edges='3 4'"),
         SOFA_CHECK_WARNING, "1 of 5 points: is at the place of another one: 4 at (1 0 0)", 0, 1);
}

static void surfaces(void **state) {
  (void)state;
  expect(MESH(FIVE, "triangles='0 1 2 0 1 3 0 1 4'"), SOFA_CHECK_WARNING,
         "1 edges belong to more than two faces", 0, 1);
  expect(MESH(FIVE, "triangles='0 1 2 1 2 4 0 2 3'"), SOFA_CHECK_WARNING,
         "1 edges have faces of opposite orientation", 0, 1);
  expect(MESH(FIVE " 1 1 2", "tetrahedra='0 1 2 3 1 2 3 4 1 2 3 5'"), SOFA_CHECK_WARNING,
         "1 faces belong to more than two elements", 0, 1);
}

static void not_finite(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 SCENE("<MeshTopology position='" FIVE "' tetrahedra='0 1 2 3 1 2 3 4'/>"
                       "<MechanicalObject name='state'/>"),
                 NULL);
  SofaCheckReport report = {.ctx = run.ctx};
  scene_run_state(&run, "/state")->position.data[7] = NAN;
  assert_int_equal(sofa_check_mesh(run.simulation, &report), SOFA_OK);
  assert_int_equal(count(&report, SOFA_CHECK_WRONG, "the position of point 2 is not finite"), 1);
  assert_int_equal(report.findings.n, 1);
  sofa_check_report_free(&report);
  scene_run_close(&run);
}

#define BLOCK(size, young)                                                                         \
  SCENE("<RegularGridTopology name='grid' n='3 3 3' min='0 0 0' max='" size "'/>"                  \
        "<MechanicalObject/><UniformMass totalMass='2'/>"                                          \
        "<HexahedronFEMForceField youngModulus='" young "' poissonRatio='0.3'/>")

static void units(void **state) {
  (void)state;
  expect(BLOCK("0.1 0.1 0.1", "10000"), SOFA_CHECK_OK, "27 points", 0, 0);
  expect(BLOCK("100 100 100", "10000"), SOFA_CHECK_WARNING, "is the mesh in millimetres?", 0, 1);
  expect(BLOCK("0.1 0.1 0.1", "10"), SOFA_CHECK_WARNING, "above Young's modulus", 0, 1);
  // 2 kg with 9.81 m/s^2 on 0.01 m^2: 1962 Pa
  expect(BLOCK("0.1 0.1 0.1", "1961"), SOFA_CHECK_WARNING, "the weight of 19.6 N", 0, 1);
  expect(BLOCK("0.1 0.1 0.1", "1963"), SOFA_CHECK_OK, "27 points", 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_meshes), cmocka_unit_test(elements),    cmocka_unit_test(shapes),
      cmocka_unit_test(points),       cmocka_unit_test(surfaces),    cmocka_unit_test(not_finite),
      cmocka_unit_test(units),        cmocka_unit_test(best_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
