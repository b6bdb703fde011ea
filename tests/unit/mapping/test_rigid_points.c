/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where RigidMapping puts its points, in space and in the plane: x = t + R p of local points p, and
 * with globalToLocalCoords the places that the scene gives, which then follow their frames. */
#include "tests/support/scene_run.h"

#include <math.h>

/* frames at (1, 2, 0) turned by a right angle about z, and at (0, 0, 5); then at (2, 2, 0) turned
 * by two right angles, and at (0, 1, 5) */
#define FRAMES "1 2 0 0 0 0.70710678118654752 0.70710678118654752  0 0 5 0 0 0 1"
#define MOVED                                                                                      \
  { 2, 2, 0, 0, 0, 1, 0, 0, 1, 5, 0, 0, 0, 1 }
/* the same in the plane: x y angle */
#define PLANE "1 2 1.5707963267948966  0 5 0"
#define PLANE_MOVED                                                                                \
  { 2, 2, 3.1415926535897931, 1, 5, 0 }

static const double moved3[14] = MOVED, moved2[6] = PLANE_MOVED;

static const struct {
  const char *kind, *frames, *points, *how;
  size_t width, n;
  double x[6], after[6];
} cases[] = {
    {"Rigid3d",
     FRAMES,
     "1 0 0.5 0 3 0",
     "rigidIndexPerPoint='0 1'",
     3,
     2,
     {1, 3, 0.5, 0, 3, 5},
     {1, 2, 0.5, 0, 4, 5}},
    {"Rigid3d",
     FRAMES,
     "1 0 0.5 0 3 0",
     "index='1'",
     3,
     2,
     {1, 0, 5.5, 0, 3, 5},
     {1, 1, 5.5, 0, 4, 5}},
    {"Rigid3d",
     FRAMES,
     "1 0 0.5 0 3 0",
     "rigidIndexPerPoint='0 1' globalToLocalCoords='1'",
     3,
     2,
     {1, 0, 0.5, 0, 3, 0},
     {4, 2, 0.5, 0, 4, 0}},
    {"Rigid2d", PLANE, "1 0 0 3", "rigidIndexPerPoint='0 1'", 2, 2, {1, 3, 0, 8}, {1, 2, 1, 8}},
    {"Rigid2d", PLANE, "1 0.5 0 3", "index='0'", 2, 2, {0.5, 3, -2, 2}, {1, 1.5, 2, -1}},
    {"Rigid2d",
     PLANE,
     "1 0 0.5 3",
     "rigidIndexPerPoint='0 1' globalToLocalCoords='1'",
     2,
     2,
     {1, 0, 0.5, 3},
     {4, 2, 1.5, 3}},
};

static void expect(SceneRun *run, const char *how, const double *expected, size_t n) {
  const SofaState *s = scene_run_state(run, "/m/points");
  assert_int_equal(s->position.n * s->position.width, n);
  for (size_t k = 0; k < n; k++)
    if (!(fabs(s->position.data[k] - expected[k]) < 1e-12))
      fail_msg("%s: real %zu is %.12g, expected %.12g", how, k, s->position.data[k], expected[k]);
}

static void places(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    char text[1500];
    SceneRun run;
    const bool plane = cases[i].width == 2;
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><MechanicalObject name='frames' template='%s' "
             "position='%s'/><Node name='m'><MechanicalObject name='points' template='Vec%zud' "
             "position='%s'/><RigidMapping %s/></Node></Node>",
             cases[i].kind, cases[i].frames, cases[i].width, cases[i].points, cases[i].how);
    scene_run_open(&run, text, NULL);
    expect(&run, cases[i].how, cases[i].x, cases[i].n * cases[i].width);
    SofaState *frames = scene_run_state(&run, "/frames");
    memcpy(frames->position.data, plane ? moved2 : moved3, plane ? sizeof moved2 : sizeof moved3);
    scene_run_steps(&run, 1);
    expect(&run, cases[i].how, cases[i].after, cases[i].n * cases[i].width);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
