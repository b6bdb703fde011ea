/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of force fields: what an ellipsoid is carried by and what it pushes back, points of
 * constant forces, materials that are read again, and edges that are too short to bend. */
#include <math.h>

#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g, not %.17g", value, expected);
}

/* ---- InteractionEllipsoidForceField ---- */

/* Speeds of two points and of the frame after the step that begins at rest; all masses are 1. */
static void speeds_at(const char *frame, const char *fields, double *points, double *body) {
  char text[1500];
  SceneRun run;
  snprintf(text, sizeof text,
           "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><EulerExplicitSolver/>"
           "<Node name='a'><MechanicalObject name='s' position='0.5 0.3 -0.2 0.1 -0.4 0.3'/>"
           "<UniformMass vertexMass='1'/></Node><Node name='b'><MechanicalObject name='s' "
           "template='Rigid3d' position='%s'/><UniformMass vertexMass='1 1 1 0 0 0 1 0 0 0 1'/>"
           "</Node><InteractionEllipsoidForceField object1='@a/s' object2='@b/s' "
           "center='0.2 0 0.1' %s/></Node>",
           frame, fields);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  memcpy(points, scene_run_state(&run, "/a/s")->velocity.data, 6 * sizeof *points);
  memcpy(body, scene_run_state(&run, "/b/s")->velocity.data, 3 * sizeof *body);
  scene_run_close(&run);
}

/* A turn q about z with the cosine 0.28 and the sine 0.96, and p = (0.1, 0.2, 0); -R^T p of the
 * inverse is (-0.22, 0.04, 0). */
#define FRAME "0.1 0.2 0 0 0 0.6 0.8"
#define INVERSE "-0.22 0.04 0 0 0 -0.6 0.8"

static void frames_of_ellipsoids(void **state) {
  static const char *const pairs[][2] = {{FRAME, INVERSE}, {INVERSE, FRAME}};
  static const char *const shapes[] = {"vradius='1.5 2 1.2' stiffness='80'",
                                       "vradius='0.1 0.2 0.15' stiffness='-80'"};
  char fields[200];
  double given[6], inverted[6], other[3], body[3];
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(pairs) * SOFA_COUNT(shapes); i++) {
    const char *const *frames = pairs[i % 2], *shape = shapes[i / 2];
    double size = 0;
    speeds_at(frames[0], shape, given, body);
    snprintf(fields, sizeof fields, "%s object2_invert='1'", shape);
    speeds_at(frames[1], fields, inverted, other);
    for (int k = 0; k < 6; k++) near(inverted[k], given[k], 1e-14), size += fabs(given[k]);
    assert_true(size > 0.01);
    for (int k = 0; k < 3; k++) near(body[k], -given[k] - given[3 + k], 1e-15);
    snprintf(fields, sizeof fields, "%s object2_forces='0'", shape);
    speeds_at(frames[0], fields, inverted, other);
    for (int k = 0; k < 6; k++) assert_true(inverted[k] == given[k]);
    for (int k = 0; k < 3; k++) assert_true(other[k] == 0);
  }
}

/* ---- ConstantForceField ---- */

/* Forces of a point that is named twice add up; numbers may count from the last point. */
static void points_of_constant_forces(void **state) {
  static const struct {
    const char *fields;
    double f[9];
  } rows[] = {
      {"indices='0 0 1' forces='1 0 0 0 2 0 0 0 4'", {1, 2, 0, 0, 0, 4}},
      {"indices='0 0 1' forces='1 0 0 0 2 0 0 0 4' indexFromEnd='1'", {0, 0, 0, 0, 0, 4, 1, 2, 0}},
      {"indices='0 0 1' totalForce='6 0 0' indexFromEnd='1'", {0, 0, 0, 2, 0, 0, 4}},
      {"forces='1 0 0 0 2 0 0 0 4' indexFromEnd='1'", {0, 0, 4, 0, 2, 0, 1}},
      {"totalForce='6 0 3'", {2, 0, 1, 2, 0, 1, 2, 0, 1}}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    char text[700];
    double f[9] = {0};
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MechanicalObject position='0 0 0 1 0 0 2 0 0'/>"
             "<ConstantForceField name='ff' %s/></Node>",
             rows[i].fields);
    scene_run_open(&run, text, NULL);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
    assert_int_equal(ff_force(ff, &params, ff->state[0]->position.data, NULL, f), SOFA_OK);
    for (int k = 0; k < 9; k++) near(f[k], rows[i].f[k], 1e-15);
    scene_run_close(&run);
  }
}

/* ---- TetrahedronFEMForceField ---- */

/* Young's modulus is doubled between two steps: forces follow where it is read again. */
static void materials_are_read_again(void **state) {
  (void)state;
  for (int update = 0; update < 2; update++) {
    char text[900];
    SceneRun run;
    double before[12] = {0}, after[12] = {0}, size = 0;
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MechanicalObject name='s' position='0 0 0 1.1 0 0 0 1 "
             "0.1 0 0 1' rest_position='0 0 0 1 0 0 0 1 0 0 0 1'/>"
             "<MeshTopology tetrahedra='0 1 2 3'/><TetrahedronFEMForceField name='ff' "
             "method='small' youngModulus='1000' poissonRatio='0.3' updateStiffness='%d'/></Node>",
             update);
    scene_run_open(&run, text, NULL);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
    const double *x = scene_run_state(&run, "/s")->position.data;
    const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
    scene_run_steps(&run, 1);
    assert_int_equal(ff_force(ff, &params, x, NULL, before), SOFA_OK);
    SofaReals *young =
        sofa_field_value(&ff->object, sofa_class_field(ff->object.klass, "youngModulus"));
    assert_int_equal(young->n, 1);
    young->data[0] = 2000;
    scene_run_steps(&run, 1);
    assert_int_equal(ff_force(ff, &params, x, NULL, after), SOFA_OK);
    for (int k = 0; k < 12; k++) near(after[k], (1 + update) * before[k], 1e-12);
    for (int k = 0; k < 12; k++) size += fabs(before[k]);
    assert_true(size > 10);
    scene_run_close(&run);
  }
}

/* ---- FastTriangularBendingSprings ---- */

/* Two triangles whose edge and whose opposite points are 1 and 2 m apart, or 2 and 1 m. */
static void short_edges_do_not_bend(void **state) {
  static const struct {
    const char *triangles, *least;
    bool acts;
  } rows[] = {{"0 1 2 1 0 3", "0.9", true}, {"0 1 2 1 0 3", "1.1", false},
              {"2 3 1 3 2 0", "0.9", true}, {"2 3 1 3 2 0", "1.1", false},
              {"0 1 2 1 0 3", "1", false},  {"2 3 1 3 2 0", "1", false}};
  static const double bent[12] = {0, 0, 0, 1, 0, 0, 0.5, 1, 0.2, 0.5, -1, 0.1};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    char text[900];
    double energy = 0;
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MechanicalObject position='0 0 0 1 0 0 0.5 1 0 0.5 -1 "
             "0'/><MeshTopology triangles='%s'/><FastTriangularBendingSprings name='ff' "
             "bendingStiffness='3' minDistValidity='%s'/></Node>",
             rows[i].triangles, rows[i].least);
    scene_run_open(&run, text, NULL);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
    assert_int_equal(ff_energy(ff, &(SofaMechParams){0}, bent, &energy), SOFA_OK);
    if ((energy > 0) != rows[i].acts || energy < 0)
      fail_msg("%s, %s: %g", rows[i].triangles, rows[i].least, energy);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_of_ellipsoids), cmocka_unit_test(points_of_constant_forces),
      cmocka_unit_test(materials_are_read_again), cmocka_unit_test(short_edges_do_not_bend)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
