/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The quirks of Lagrangian constraint models. */
#include "tests/unit/constraint/rows_test.h"

#define ONE(kind, x, constraint)                                                                   \
  "<Node "                                                                                         \
  "name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/><MechanicalObject "    \
  "name='s' template='" kind "' position='" x "'/>" constraint "</Node>"
#define STATE(rows) scene_run_state(&(rows)->run, "/s")

/* d of row 0 of each class, free velocity 3 of its first dof, dt 0.5. */
static void velocity_order(void **state) {
  (void)state;
  static const struct {
    const char *scene;
    double right, sofa;
  } cases[] = {
      {ONE("Rigid3d", "2 0 0 0 0 0 1 1 0 0 0 0 0 1",
           "<BilateralLagrangianConstraint first_point='1' second_point='0'/>"),
       3 + 1 / 0.5, 1},
      {ONE("Vec3d", "2 0 0", "<FixedLagrangianConstraint indices='0'/>"), 3, 0},
      {ONE("Vec3d", "0 2 0 0 0 0 4 0 0", "<SlidingLagrangianConstraint axis_1='1' axis_2='2'/>"), 4,
       2},
      {ONE("Vec1d", "2", "<StopperLagrangianConstraint/>"), 3 + 2 / 0.5, 2},
  };
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    for (int quirk = 0; quirk < 2; quirk++) {
      Rows r;
      rows_open(&r, cases[i].scene, quirk ? "joints-without-velocities" : NULL);
      rows_build(&r, SOFA_CONSTRAIN_VELOCITIES, 0.5);
      STATE(&r)->free_velocity.data[0] = 3;
      rows_violations(&r, r.problem.violation.data);
      if (fabs(r.problem.violation.data[0] - (quirk ? cases[i].sofa : cases[i].right)) > 1e-12)
        fail_msg("%s: %g", cases[i].scene, r.problem.violation.data[0]);
      rows_close(&r);
    }
}

#define PAIR(more)                                                                                 \
  ONE("Vec3d", "0 0 0 1 0 0",                                                                      \
      "<BilateralLagrangianConstraint first_point='0' second_point='1' " more "/>")

static void rest_velocity(void **state) {
  (void)state;
  static const double right[] = {(1 - 0.25) / 0.5, 0, 0}, sofa[] = {(1 + 0.25) / 0.5, 0, 0};
  for (int quirk = 0; quirk < 2; quirk++) {
    Rows r;
    rows_open(&r, PAIR("rest_vector='0.25 0 0'"),
              quirk ? "joint-rest-velocity,joints-without-velocities" : NULL);
    rows_build(&r, SOFA_CONSTRAIN_VELOCITIES, 0.5);
    rows_expect(&r, quirk ? sofa : right, 3, 1e-12);
    rows_close(&r);
  }
}

static void load(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Rows r;
    rows_open(&r, PAIR("load='0.5'"), quirk ? "joint-load" : NULL);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.5);
    assert_true(r.problem.blocks.data[0].relaxation == (quirk ? 0.5 : 1));
    rows_close(&r);
  }
}

static void always_active(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Rows r;
    rows_open(&r,
              ONE("Rigid3d", "2 0 0 0 0 0 1 1 0 0 0 0 0 1",
                  "<BilateralLagrangianConstraint first_point='1' second_point='0' activate='0'/>"),
              quirk ? "joint-always-active" : NULL);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.5);
    assert_int_equal(r.problem.n, quirk ? 6 : 0);
    rows_close(&r);
  }
}

/* W = 1e-7 I: its determinant is 1e-21. */
static void joint_guard(void **state) {
  (void)state;
  const double w[9] = {1e-7, 0, 0, 0, 1e-7, 0, 0, 0, 1e-7};
  for (int quirk = 0; quirk < 2; quirk++) {
    Rows r;
    double work[9], lambda[3] = {0}, d[3];
    rows_open(&r, PAIR(""), quirk ? "joint-guard" : NULL);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.5);
    const SofaConstraintBlock *b = &r.problem.blocks.data[0];
    memcpy(d, r.problem.violation.data, sizeof d);
    assert_true(b->law->work_size(3) <= 9);
    b->law->begin(b, w, work);
    b->law->resolve(b, w, work, d, lambda);
    assert_true(fabs(lambda[0] - (quirk ? 0 : -1e7)) <= 1e-5);
    rows_close(&r);
  }
}

/* Turned from rest by 0.4 about x, then by 0.6 about z. */
static void fixed_angles(void **state) {
  (void)state;
  static const double right[] = {0, 0, 0, 0.387864151329, 0.11998044193, 0.591882102083};
  static const double sofa[] = {0, 0, 0, 0.4, 0, 0.6};
  for (int quirk = 0; quirk < 2; quirk++) {
    Rows r;
    rows_open(&r, ONE("Rigid3d", "0 0 0 0 0 0 1", "<FixedLagrangianConstraint indices='0'/>"),
              quirk ? "fixed-angles" : NULL);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.5);
    double *q = STATE(&r)->free_position.data + 3;
    q[0] = cos(0.3) * sin(0.2);
    q[1] = sin(0.3) * sin(0.2);
    q[2] = sin(0.3) * cos(0.2);
    q[3] = cos(0.3) * cos(0.2);
    rows_violations(&r, r.problem.violation.data);
    rows_expect(&r, quirk ? sofa : right, 6, 1e-11);
    rows_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocity_order), cmocka_unit_test(rest_velocity),
      cmocka_unit_test(load),           cmocka_unit_test(always_active),
      cmocka_unit_test(joint_guard),    cmocka_unit_test(fixed_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
