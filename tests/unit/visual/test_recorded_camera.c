/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RecordedCamera: where it stands and looks at a time. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "components/visual/base_camera.h"

#define CAMERA(attributes)                                                                         \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><RecordedCamera "           \
  "name='camera' " attributes "/></Node>"
#define PATH "startTime='0' endTime='4' cameraPositions='0 0 0 2 0 0 2 4 0' "
#define TURNS "0 0 0 1 0 0.70710678118654752 0 0.70710678118654752 "

/* Where the camera of a scene is at a time. */
static bool camera_at(const char *scene, double time, SofaCamera *out) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  sofa_camera_init(out);
  const bool moves =
      sofa_base_camera_record((const BaseCamera *)scene_run_object(&run, "/camera"), time, out);
  scene_run_close(&run);
  return moves;
}

static void are_near(size_t n, const double *a, const double *b) {
  for (size_t k = 0; k < n; k++)
    if (!(fabs(a[k] - b[k]) < 1e-12)) fail_msg("entry %zu is %g, expected %g", k, a[k], b[k]);
}

/* A quarter of the circle about y leads from z to x. The path begins again after its end. */
static void goes_round(void **state) {
  (void)state;
  static const char scene[] =
      CAMERA("rotationMode='1' startTime='1' endTime='3' rotationCenter='0 3 0' "
             "rotationStartPoint='0 3 7' rotationLookAt='0 0 1' rotationAxis='0 1 0'");
  static const struct {
    double time, at[3];
  } places[] = {
      {0, {0, 3, 7}}, {1, {0, 3, 7}}, {1.5, {7, 3, 0}}, {2, {0, 3, -7}}, {3.5, {7, 3, 0}}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    SofaCamera camera;
    assert_true(camera_at(scene, places[i].time, &camera));
    are_near(3, camera.position, places[i].at);
    are_near(3, camera.look_at, (double[]){0, 0, 1});
  }
}

/* Each piece takes the same time. */
static void goes_along(void **state) {
  (void)state;
  static const char scene[] = CAMERA(PATH "translationMode='1'");
  SofaCamera camera;
  assert_true(camera_at(scene, 1, &camera));
  are_near(3, camera.position, (double[]){1, 0, 0});
  are_near(3, camera.look_at, (double[]){2, 0, 0});
  assert_true(camera_at(scene, 3, &camera));
  are_near(3, camera.position, (double[]){2, 2, 0});
  are_near(3, camera.look_at, (double[]){2, 4, 0});
}

/* Between two orientations it turns at a constant rate; it looks along its -z. */
static void navigates(void **state) {
  (void)state;
  static const char scene[] =
      CAMERA(PATH "navigationMode='1' cameraOrientations='" TURNS "0 1 0 0'");
  const double eighth = acos(-1.0) / 8, half = sqrt(0.5);
  SofaCamera camera;
  assert_true(camera_at(scene, 1, &camera));
  const double away = camera.distance;
  are_near(3, camera.position, (double[]){1, 0, 0});
  are_near(4, camera.orientation, (double[]){0, sin(eighth), 0, cos(eighth)});
  are_near(3, camera.look_at, (double[]){1 - half * away, 0, -half * away});
  // half way from 90 to 180 degrees
  assert_true(camera_at(scene, 3, &camera));
  are_near(3, camera.position, (double[]){2, 2, 0});
  are_near(4, camera.orientation, (double[]){0, sin(3 * eighth), 0, cos(3 * eighth)});
}

static void paths_that_do_not_move(void **state) {
  (void)state;
  SofaCamera camera;
  assert_false(camera_at(CAMERA(PATH), 1, &camera));
  assert_false(camera_at(CAMERA("translationMode='1' cameraPositions='1 2 3'"), 1, &camera));
}

static void orientations_belong_to_positions(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(
                       run.ctx, CAMERA(PATH "navigationMode='1' cameraOrientations='" TURNS "'"),
                       &run.simulation),
                   SOFA_OK);
  assert_int_not_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_non_null(strstr(run.all, "8 numbers, expected 4 per position: 12"));
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(goes_round),
      cmocka_unit_test(goes_along),
      cmocka_unit_test(navigates),
      cmocka_unit_test(paths_that_do_not_move),
      cmocka_unit_test(orientations_belong_to_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
