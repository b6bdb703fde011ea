/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lagrangian constraints on meshes that lose points: their rows are those of the scene that should
 * come out. */
#include "change/topology_change.h"
#include "tests/unit/constraint/rows_test.h"

#define ROOT(more)                                                                                 \
  "<Node name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>" more "</Node>"
#define BODY(name, kind, points, positions)                                                        \
  "<Node name='" name "'><PointSetTopologyContainer name='mesh' position='" points                 \
  "'/><PointSetTopologyModifier/><MechanicalObject name='s' template='" kind                       \
  "' position='" positions "'/></Node>"
#define POINTS(name, positions) BODY(name, "Vec3d", positions, positions)
#define FIVE "0 0 0 1 0 0 2 0 0 3 0 1 4 1 0"
#define FOUR "0 0 0 4 1 0 2 0 0 3 0 1"
#define LINKS "object1='@a/s' object2='@b/s'"

typedef struct ChangeCase {
  const char *before, *after; /* point 1 of a is removed, its place is that of point 4 */
} ChangeCase;

static const ChangeCase cases[] = {
    {ROOT(POINTS("a", FIVE) POINTS("b", FIVE) "<BilateralLagrangianConstraint " LINKS
                                              " first_point='4 1 0' second_point='2 1 0' "
                                              "rest_vector='1 0 0 2 0 0 3 0 0'/>"),
     ROOT(POINTS("a", FOUR) POINTS("b", FIVE) "<BilateralLagrangianConstraint " LINKS
                                              " first_point='1 0' second_point='2 0' "
                                              "rest_vector='1 0 0 3 0 0'/>")},
    {ROOT(POINTS("b", FIVE) POINTS("a", FIVE) "<BilateralLagrangianConstraint object1='@b/s' "
                                              "object2='@a/s' first_point='1 1 0' second_point='1 "
                                              "4 0' topology2='@a/mesh'/>"),
     ROOT(POINTS("b", FIVE) POINTS("a", FOUR) "<BilateralLagrangianConstraint object1='@b/s' "
                                              "object2='@a/s' first_point='1 0' second_point='1 "
                                              "0'/>")},
    {ROOT(POINTS("a", FIVE) "<FixedLagrangianConstraint mstate='@a/s' indices='4 1 0'/>"),
     ROOT(POINTS("a", FOUR) "<FixedLagrangianConstraint mstate='@a/s' indices='1 0'/>")},
    {ROOT(POINTS("a", FIVE) "<FixedLagrangianConstraint mstate='@a/s' fixAll='1'/>"),
     ROOT(POINTS("a", FOUR) "<FixedLagrangianConstraint mstate='@a/s' fixAll='1'/>")},
    {ROOT(POINTS("b", FIVE) POINTS("a", FIVE) "<SlidingLagrangianConstraint object1='@b/s' "
                                              "object2='@a/s' sliding_point='3' axis_2='4'/>"),
     ROOT(POINTS("b", FIVE) POINTS("a", FOUR) "<SlidingLagrangianConstraint object1='@b/s' "
                                              "object2='@a/s' sliding_point='3' axis_2='1'/>")},
    {ROOT(BODY("a", "Vec1d", FIVE,
               "1 2 3 4 5") "<StopperLagrangianConstraint mstate='@a/s' index='4'/>"),
     ROOT(BODY("a", "Vec1d", FOUR,
               "1 5 3 4") "<StopperLagrangianConstraint mstate='@a/s' index='1'/>")},
    {ROOT(BODY("a", "Vec1d", FIVE, "1 2 3 4 5") "<UniformLagrangianConstraint mstate='@a/s'/>"),
     ROOT(BODY("a", "Vec1d", FOUR, "1 5 3 4") "<UniformLagrangianConstraint mstate='@a/s'/>")},
};

static SofaErr remove_point(Rows *r, uint32_t point) {
  SofaTopologyEdit edit;
  SofaTopology *mesh = (SofaTopology *)scene_run_object(&r->run, "/a/mesh");
  assert_int_equal(sofa_topology_edit_begin(r->run.simulation->root, &edit), SOFA_OK);
  const SofaErr err = sofa_topology_remove(&edit, mesh, SOFA_ELEMENT_POINT, &point, 1, 0);
  const SofaErr ended = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err != SOFA_OK ? err : ended;
}

static void check_same(const Rows *a, const Rows *b, const char *what) {
  if (a->problem.n != b->problem.n)
    fail_msg("%s: %u rows, expected %u", what, a->problem.n, b->problem.n);
  for (uint32_t row = 0; row < a->problem.n; row++) {
    assert_true(fabs(a->problem.violation.data[row] - b->problem.violation.data[row]) <= 1e-14);
    for (size_t i = 0; i < a->problem.states.n; i++)
      for (uint32_t column = 0; column < 15; column++)
        if (rows_entry(&a->problem.states.data[i], row, column) !=
            rows_entry(&b->problem.states.data[i], row, column))
          fail_msg("%s: state %zu, row %u, column %u", what, i, row, column);
  }
}

static void points_are_removed(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    Rows r, expected;
    rows_open(&r, cases[i].before, NULL);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
    if (i == 0) r.problem.blocks.data[2].memory[0] = 7;
    assert_int_equal(remove_point(&r, 1), SOFA_OK);
    rows_build(&r, SOFA_CONSTRAIN_POSITIONS, 0.1);
    rows_open(&expected, cases[i].after, NULL);
    rows_build(&expected, SOFA_CONSTRAIN_POSITIONS, 0.1);
    check_same(&r, &expected, cases[i].before);
    if (i == 0) assert_true(r.problem.blocks.data[1].memory[0] == 7);
    rows_close(&expected);
    rows_close(&r);
  }
}

/* Constraints whose only point is removed say so. */
static void the_point_is_removed(void **state) {
  (void)state;
  static const char *const scenes[] = {
      ROOT(POINTS("a", FIVE) POINTS("b", FIVE) "<SlidingLagrangianConstraint " LINKS
                                               " sliding_point='1' axis_2='4'/>"),
      ROOT(BODY("a", "Vec1d", FIVE,
                "1 2 3 4 5") "<StopperLagrangianConstraint mstate='@a/s' index='1'/>")};
  for (size_t i = 0; i < SOFA_COUNT(scenes); i++) {
    Rows r;
    rows_open(&r, scenes[i], NULL);
    r.run.quiet = true;
    assert_int_not_equal(remove_point(&r, 1), SOFA_OK);
    assert_non_null(strstr(r.run.all, "was removed"));
    rows_close(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(points_are_removed),
                                     cmocka_unit_test(the_point_is_removed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
