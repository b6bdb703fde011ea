/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereROI, TransformEngine and IndexValueMapper in scenes. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "object/data_graph.h"

#define SCENE(objects) "<Node name='root'><DefaultAnimationLoop/>" objects "</Node>"

static void scene_is_refused(const char *text, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("'%s' does not say '%s'", run.last, words);
  scene_run_close(&run);
}

static void indices_are(SceneRun *run, const char *path, const char *name, const uint32_t *v,
                        size_t n) {
  SofaObject *object = scene_run_object(run, path);
  const SofaIndices *list = sofa_field_value(object, sofa_class_field(object->klass, name));
  assert_int_equal(list->n, n);
  for (size_t i = 0; i < n; i++) assert_int_equal(list->data[i], v[i]);
}

static void spheres_select_with_their_surface(void **state) {
  static const uint32_t points[] = {0, 1, 4}, out[] = {2, 3}, edges[] = {0};
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<MechanicalObject position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0'/>"
                       "<MeshTopology edges='0 1 1 2 2 3 3 4'/>"
                       "<SphereROI name='two' centers='0 0 0 4 0 0.5' radii='1 0.5'/>"
                       "<SphereROI name='one' centers='0 0 0 4 0 0' radii='1' computeEdges='0'/>"),
                 NULL);
  indices_are(&run, "/two", "indices", points, 3);
  indices_are(&run, "/two", "indicesOut", out, 2);
  indices_are(&run, "/two", "edgeIndices", edges, 1);
  indices_are(&run, "/one", "indices", (const uint32_t[]){0, 1, 3, 4}, 4);
  indices_are(&run, "/one", "edgeIndices", NULL, 0);
  scene_run_close(&run);
}

static void wrong_spheres_are_refused(void **state) {
#define ROI(attributes) SCENE("<MechanicalObject position='0 0 0'/><SphereROI " attributes "/>")
  (void)state;
  scene_is_refused(ROI("radii='1'"), "no center");
  scene_is_refused(ROI("centers='0 0 0 1 1 1'"), "0 radii for 2 centers");
  scene_is_refused(ROI("centers='0 0 0 1 1 1 2 2 2' radii='1 2'"), "2 radii for 3 centers");
  scene_is_refused(ROI("centers='0 0 0' radii='-1'"), "entry 0: -1, expected >= 0");
  scene_is_refused(ROI("centers='0 0 0' radii='1' triAngle='10'"), "needs a direction");
}

/* ---- TransformEngine ---- */

/* The first position of a state. */
static void position_is(SceneRun *run, const char *path, const double *wanted, int n) {
  const SofaState *s = scene_run_state(run, path);
  for (int i = 0; i < n; i++) assert_true(fabs(s->position.data[i] - wanted[i]) < 1e-14);
}

static void transformation_and_its_inverse(void **state) {
  static const char scene[] =
      SCENE("<TransformEngine name='t' input_position='1 2 3' scale='2 1 1' rotation='0 0 90' "
            "quaternion='1 0 0 0' translation='0 0 1'/>"
            "<TransformEngine name='u' input_position='@t.output_position' scale='2 1 1' "
            "rotation='0 0 90' quaternion='1 0 0 0' translation='0 0 1' inverse='1'/>"
            "<MechanicalObject name='a' position='@t.output_position'/>"
            "<MechanicalObject name='b' position='@u.output_position'/>");
  SceneRun run;
  (void)state;
  // scaled 2 2 3, turned about z -2 2 3, half a turn about x -2 -2 -3, moved -2 -2 -2
  scene_run_open(&run, scene, NULL);
  position_is(&run, "/a", (const double[]){-2, -2, -2}, 3);
  position_is(&run, "/b", (const double[]){1, 2, 3}, 3);
  scene_run_close(&run);
}

static void frames_are_turned_in_place(void **state) {
  static const char scene[] =
      SCENE("<TransformEngine name='t' template='Rigid3d' input_position='1 0 0 0 0 0 1' "
            "rotation='0 0 90'/>"
            "<MechanicalObject name='a' template='Rigid3d' position='@t.output_position'/>"
            "<TransformEngine name='u' template='Rigid2d' input_position='1 0 0.5' "
            "rotation='0 0 90'/>"
            "<MechanicalObject name='b' template='Rigid2d' position='@u.output_position'/>");
  const double half = sqrt(0.5), quarter = acos(-1.0) / 2;
  SceneRun run;
  (void)state;
  scene_run_open(&run, scene, NULL);
  position_is(&run, "/a", (const double[]){0, 1, 0, 0, 0, half, half}, 7);
  position_is(&run, "/b", (const double[]){0, 1, 0.5 + quarter}, 3);
  scene_run_close(&run);
}

static void transformations_without_inverse_are_refused(void **state) {
  (void)state;
  scene_is_refused(SCENE("<TransformEngine input_position='1 2 3' scale='1 0 1' inverse='1'/>"),
                   "no inverse");
  scene_is_refused(SCENE("<TransformEngine input_position='1 2 3' quaternion='0 0 0 0'/>"),
                   "not a rotation");
}

/* ---- IndexValueMapper ---- */

static void chosen_entries_get_the_value(void **state) {
  static const double wanted[] = {7, 2, 3, 5, 5, 7, 9};
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<IndexValueMapper name='a' inputValues='1 2 3' indices='0 5' value='7' "
                       "defaultValue='5'/><IndexValueMapper name='b' "
                       "inputValues='@a.outputValues' indices='6' value='9'/>"),
                 NULL);
  SofaObject *object = scene_run_object(&run, "/b");
  assert_int_equal(sofa_data_update(object), SOFA_OK);
  const SofaReals *out = sofa_field_value(object, sofa_class_field(object->klass, "outputValues"));
  assert_int_equal(out->n, 7);
  assert_memory_equal(out->data, wanted, sizeof wanted);
  scene_run_close(&run);
  scene_is_refused(SCENE("<IndexValueMapper indices='4000000000'/>"),
                   "expected in [0, 2147483646]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spheres_select_with_their_surface),
      cmocka_unit_test(wrong_spheres_are_refused),
      cmocka_unit_test(transformation_and_its_inverse),
      cmocka_unit_test(frames_are_turned_in_place),
      cmocka_unit_test(transformations_without_inverse_are_refused),
      cmocka_unit_test(chosen_entries_get_the_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
