/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StickContactForceField: forces, how long springs last, keepAlive. */
#include <math.h>

#include "tests/unit/collision/response_test.h"

#define STICK(params, a, b)                                                                        \
  SCENE("<CollisionResponse name='r' response='StickContactForceField' responseParams='" params    \
        "'/>",                                                                                     \
        a, b)

/* The force on point 0 of the first state. */
static void force(Hand *h, double out[3]) {
  SofaForceField *ff = contact_find(h->run.simulation->root, "p-q");
  const SofaMechParams params = {0};
  const SofaScratchMark mark = sofa_scratch_mark(h->run.ctx);
  SofaPoint at;
  double f[2][6] = {{0}};
  double *to[2] = {f[0], f[1]};
  assert_int_equal(sofa_force_field_state_point(ff, 0, &at), SOFA_OK);
  assert_int_equal(sofa_force_field_add_force(ff, &params, &at, to), SOFA_OK);
  sofa_scratch_release(h->run.ctx, mark);
  memcpy(out, f[0], 3 * sizeof *out);
  for (int k = 0; k < 6; k++) assert_true(f[0][k] == -f[1][k]);
}

static void check_force(Hand *h, double x, double z) {
  double f[3];
  force(h, f);
  if (!(fabs(f[0] - x) < 1e-12 && f[1] == 0 && fabs(f[2] - z) < 1e-12))
    fail_msg("%g %g %g", f[0], f[1], f[2]);
}

/* Moves the second body, and the detection with it. */
static void move(Hand *h, double x) {
  h->model[1]->state->position.data[0] = x;
  h->found.point[1][0] = x;
}

static void open_stick(Hand *h, const char *params, const char *quirks) {
  char scene[1000];
  snprintf(scene, sizeof scene,
           STICK("%s",
                 "<PointCollisionModel name='p' contactStiffness='7' "
                 "contactFriction='2'/>",
                 "<PointCollisionModel name='q' contactStiffness='5' "
                 "contactFriction='1'/>"),
           params);
  hand_open(h, scene, quirks);
  touch(h, "01");
}

/* Stiffness and damping are the sums of both models'. */
static void forces(void **state) {
  (void)state;
  Hand h;
  open_stick(&h, "", NULL);
  check_force(&h, 0, 0);
  move(&h, 0.3);
  check_force(&h, 12 * 0.3, 0);
  h.model[1]->state->velocity.data[2] = 2;
  check_force(&h, 12 * 0.3, 3 * 2);
  scene_run_close(&h.run);
}

/* A spring lasts as long as its id is found. In SOFA each detection makes it again, at rest. */
static void springs_last(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Hand h;
    open_stick(&h, "keepAlive=0", quirk ? "stick-remade" : NULL);
    move(&h, 0.3);
    touch(&h, "01");
    check_force(&h, quirk ? 0 : 12 * 0.3, 0);
    h.found.id = 9;
    touch(&h, "01");
    check_force(&h, 0, 0);
    move(&h, 0.5);
    check_force(&h, 12 * 0.2, 0);
    touch(&h, "");
    check_force(&h, 0, 0);
    scene_run_close(&h.run);
  }
}

/* With keepAlive, the default, the last springs stay; new detections replace them. */
static void keep_alive(void **state) {
  (void)state;
  Hand h;
  open_stick(&h, "", NULL);
  touch(&h, "");
  move(&h, 0.3);
  check_force(&h, 12 * 0.3, 0);
  h.found.id = 9;
  touch(&h, "01");
  check_force(&h, 0, 0);
  assert_int_equal(sofa_simulation_reset(h.run.simulation), SOFA_OK);
  move(&h, 0.3);
  check_force(&h, 0, 0);
  scene_run_close(&h.run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces),
      cmocka_unit_test(springs_last),
      cmocka_unit_test(keep_alive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
