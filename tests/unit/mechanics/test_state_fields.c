/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a MechanicalObject puts its points: scale, rotation and translation of the positions at
 * rest and of those at the start, by their vectors and by the attributes of old, for each kind. */
#include <math.h>

#include "tests/support/scene_run.h"

typedef struct Case {
  const char *attributes;
  size_t n; /* reals of the point */
  double rest[7], start[7];
} Case;

#define VEC3 "template='Vec3d' position='1 2 3' "
#define VEC2 "template='Vec2d' position='1 2' "
#define RIGID3 "template='Rigid3d' position='1 2 3 0 0 0 1' "
#define RIGID2 "template='Rigid2d' position='1 2 0.5' "
#define H 0.70710678118654752

static const Case cases[] = {
    {VEC3, 3, {1, 2, 3}, {1, 2, 3}},
    {VEC3 "scale3d='2 3 4'", 3, {2, 6, 12}, {2, 6, 12}},
    {VEC3 "translation='5 6 7'", 3, {6, 8, 10}, {6, 8, 10}},
    {VEC3 "rotation='0 0 90'", 3, {-2, 1, 3}, {-2, 1, 3}},
    /* the scale first, then the rotation, then the translation */
    {VEC3 "scale3d='2 1 1' rotation='0 0 90' translation='5 0 0'", 3, {3, 2, 3}, {3, 2, 3}},
    /* turns about x, then y, then z */
    {VEC3 "rotation='90 90 0'", 3, {2, -3, -1}, {2, -3, -1}},
    {VEC3 "translation2='5 6 7'", 3, {1, 2, 3}, {6, 8, 10}},
    {VEC3 "rotation2='0 0 90'", 3, {1, 2, 3}, {-2, 1, 3}},
    {VEC3 "rotation2='0 0 90' translation2='5 6 7' translation='1 0 0'", 3, {2, 2, 3}, {3, 8, 10}},
    {VEC3 "restScale='3'", 3, {3, 6, 9}, {1, 2, 3}},
    {VEC3 "restScale='3' translation='1 0 0' translation2='0 1 0'", 3, {6, 6, 9}, {2, 3, 3}},
    {VEC3 "rest_position='7 8 9' translation='1 0 0'", 3, {7, 8, 9}, {2, 2, 3}},
    /* the attributes of old */
    {VEC3 "scale='2'", 3, {2, 4, 6}, {2, 4, 6}},
    {VEC3 "sx='2'", 3, {2, 2, 3}, {2, 2, 3}},
    {VEC3 "sy='2' sz='3'", 3, {1, 4, 9}, {1, 4, 9}},
    {VEC3 "dx='5'", 3, {6, 2, 3}, {6, 2, 3}},
    {VEC3 "dy='6' dz='7'", 3, {1, 8, 10}, {1, 8, 10}},
    {VEC3 "rx='90'", 3, {1, -3, 2}, {1, -3, 2}},
    {VEC3 "ry='90'", 3, {3, 2, -1}, {3, 2, -1}},
    {VEC3 "rz='90'", 3, {-2, 1, 3}, {-2, 1, 3}},
    {VEC3 "dx2='5' dy2='6' dz2='7'", 3, {1, 2, 3}, {6, 8, 10}},
    {VEC3 "rx2='90'", 3, {1, 2, 3}, {1, -3, 2}},
    {VEC3 "ry2='90'", 3, {1, 2, 3}, {3, 2, -1}},
    {VEC3 "rz2='90'", 3, {1, 2, 3}, {-2, 1, 3}},
    /* other kinds: the orientation of a frame turns, too, that of a plane does not */
    {VEC2 "scale3d='2 3 9' translation='5 6 9'", 2, {7, 12}, {7, 12}},
    {VEC2 "rotation='0 0 90'", 2, {-2, 1}, {-2, 1}},
    {VEC2 "translation2='5 6 9'", 2, {1, 2}, {6, 8}},
    {RIGID3 "rotation='0 0 90'", 7, {-2, 1, 3, 0, 0, H, H}, {-2, 1, 3, 0, 0, H, H}},
    {RIGID3 "rotation2='0 0 90'", 7, {1, 2, 3, 0, 0, 0, 1}, {-2, 1, 3, 0, 0, H, H}},
    {RIGID3 "translation2='5 6 7' scale3d='2 1 1'",
     7,
     {2, 2, 3, 0, 0, 0, 1},
     {7, 8, 10, 0, 0, 0, 1}},
    {RIGID3 "restScale='2'", 7, {2, 4, 6, 0, 0, 0, 1}, {1, 2, 3, 0, 0, 0, 1}},
    {RIGID2 "rotation='0 0 90' translation='5 6 7'", 3, {3, 7, 0.5}, {3, 7, 0.5}},
};

static void near(const Case *c, const char *what, const SofaCoords *list, const double *expected) {
  assert_int_equal(list->n, 1);
  assert_int_equal(list->width, c->n);
  for (size_t k = 0; k < c->n; k++)
    if (!(fabs(list->data[k] - expected[k]) < 1e-14))
      fail_msg("%s: %s: real %zu is %.17g, not %g", c->attributes, what, k, list->data[k],
               expected[k]);
}

/* After steps a reset restores the positions and the velocities of the start. */
static void points_stand_where_they_are_put(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    const Case *c = &cases[i];
    char text[600];
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node dt='0.1' gravity='1 2 3'><DefaultAnimationLoop/><EulerExplicitSolver/>"
             "<MechanicalObject name='s' %s/><UniformMass totalMass='1'/></Node>",
             c->attributes);
    scene_run_open(&run, text, NULL);
    const SofaState *s = scene_run_state(&run, "/s");
    near(c, "rest", &s->rest_position, c->rest);
    near(c, "start", &s->position, c->start);
    scene_run_steps(&run, 2);
    assert_true(fabs(s->position.data[0] - c->start[0]) > 0.01 && s->velocity.data[0] > 0);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    near(c, "after a reset", &s->position, c->start);
    for (size_t k = 0; k < s->velocity.width; k++) assert_true(s->velocity.data[k] == 0);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_stand_where_they_are_put)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
