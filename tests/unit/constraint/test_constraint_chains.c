/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of constraints through chains of mappings: J of the independent states is the derivative of
 * the violations by their free velocities, with free motions that are mapped with J of the start.
 */
#include "behavior/mapping.h"
#include "simulation/constraint_rows.h"
#include "tests/support/contact_touch.h"
#include "tests/unit/constraint/rows_test.h"

#define ROOT(more)                                                                                 \
  "<Node name='root'><FreeMotionAnimationLoop/><BlockGaussSeidelConstraintSolver/>" more "</Node>"
#define STATE(kind, x) "<MechanicalObject name='s' template='" kind "' position='" x "'/>"
#define BODY(below)                                                                                \
  "<Node name='body'>" STATE("Rigid3d", "0.3 0.2 0.1 0.48 0 0.6 0.64") below "</Node>"
#define GRID(below)                                                                                \
  "<Node name='grid'><RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"                     \
  "<MechanicalObject name='s'/>" below "</Node>"
#define ARM(below)                                                                                 \
  "<Node name='arm'>" STATE("Vec3d", "1 0 0 0 2 0 0 0 3") "<RigidMapping/>" below "</Node>"
#define CHOSEN(indices, below)                                                                     \
  "<Node name='chosen'><MechanicalObject name='s'/><SubsetMapping indices='" indices "'/>" below   \
  "</Node>"
#define INSIDE(below)                                                                              \
  "<Node name='inside'>" STATE("Vec3d", "0.2 0.3 0.4 0.7 0.1 0.9") "<BarycentricMapping/>" below   \
                                                                   "</Node>"
#define FREE "<Node name='free'>" STATE("Vec3d", "2 1 0 0 1 3") "</Node>"
#define JOIN(a, b, more)                                                                           \
  "<BilateralLagrangianConstraint object1='@" a "' object2='@" b "' " more "/>"

static const char *const scenes[] = {
    ROOT(BODY(ARM("")) FREE JOIN("body/arm/s", "free/s", "first_point='2 0' second_point='0 1'")),
    ROOT(BODY(ARM(CHOSEN("2 1", ""))) GRID(INSIDE(""))
             JOIN("body/arm/chosen/s", "grid/inside/s", "first_point='0 1' second_point='1 1'")),
    ROOT(GRID(INSIDE(CHOSEN("1 0", "")))
             JOIN("grid/inside/chosen/s", "grid/s", "first_point='0' second_point='3'")),
    ROOT(BODY(ARM("<FixedLagrangianConstraint indices='1'/>"))),
    ROOT("<Node name='body'>" STATE("Rigid3d", "0.3 0.2 0.1 0 0 0 1") "<Node name='below'>" STATE(
        "Rigid3d", "1 0 0 0 0 0 1") "<RigidMapping/><FixedLagrangianConstraint indices='0'/></Node>"
                                    "</Node>"),
    ROOT(BODY(ARM("")) GRID(INSIDE("")) "<SlidingLagrangianConstraint object1='@body/arm/s' "
                                        "object2='@grid/inside/s' axis_2='1'/>"),
    ROOT("<Node name='free'><MeshTopology edges='0 1'/>" STATE(
        "Vec3d", "2 1 0 0 1 3") "<Node name='length'><MechanicalObject name='s' template='Vec1d'/>"
                                "<DistanceMapping topology='@../'/><UniformLagrangianConstraint/>"
                                "</Node></Node>"),
#define TOUCH(response)                                                                            \
  ROOT("<CollisionResponse name='r' response='" response                                           \
       "'/>" BODY("<Node name='arm'><MeshTopology triangles='0 1 2'/>" STATE(                      \
           "Vec3d",                                                                                \
           "1 0 0 0 2 0 0 0 3") "<RigidMapping/><TriangleCollisionModel name='p'/></Node>")        \
           GRID(INSIDE("<PointCollisionModel name='q'/>")))
    TOUCH("FrictionContactConstraint"),
    TOUCH("StickContactConstraint"),
};

/* Free velocities of mapped states, and free positions x + dt v. */
static void map_free(Rows *r, const SofaSchedule *s) {
  for (size_t i = 0; i < s->mappings.n; i++) {
    SofaMapping *map = (SofaMapping *)s->mappings.data[i];
    const double *v[] = {map->inputs[0]->free_velocity.data};
    const SofaScratchMark mark = sofa_scratch_mark(r->run.ctx);
    SofaPoint at;
    assert_int_equal(map->n_inputs, 1);
    assert_int_equal(sofa_mapping_point(map, &at), SOFA_OK);
    assert_int_equal(sofa_mapping_apply_j(map, &at, v, map->out->free_velocity.data), SOFA_OK);
    sofa_scratch_release(r->run.ctx, mark);
  }
  for (size_t i = 0; i < r->problem.states.n && r->problem.order == SOFA_CONSTRAIN_POSITIONS; i++) {
    SofaState *state = r->problem.states.data[i].state;
    sofa_state_integrate(state->object.kind, state->position.n, r->problem.dt,
                         state->free_velocity.data, state->free_position.data);
  }
}

/* J of an independent state at (row, column). */
static double entry(const SofaConstrainedState *s, uint32_t row, uint32_t column) {
  double sum = 0;
  for (size_t r = 0; r < s->j.n_rows; r++)
    for (uint32_t k = s->j.start[r]; k < s->j.start[r + 1] && s->j.number[r] == row; k++)
      if (s->j.column[k] == column) sum += s->j.value[k];
  return sum;
}

static void check_column(Rows *r, const SofaSchedule *schedule, const SofaConstrainedState *s,
                         uint32_t column, const char *what) {
  const double by = 1e-5;
  const double unit = r->problem.order == SOFA_CONSTRAIN_POSITIONS ? r->problem.dt : 1;
  double d[2][64];
  for (int side = 0; side < 2; side++) {
    rows_stay(r);
    s->state->free_velocity.data[column] += side ? by : -by;
    map_free(r, schedule);
    rows_violations(r, d[side]);
  }
  for (uint32_t row = 0; row < r->problem.n; row++) {
    const double found = (d[1][row] - d[0][row]) / (2 * by * unit), j = entry(s, row, column);
    if (!(fabs(found - j) < 1e-7))
      fail_msg("%s: row %u, column %u: J is %g, the difference quotient %g", what, row, column, j,
               found);
  }
}

static void chains(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(scenes); i++)
    for (int order = 0; order < 2; order++) {
      Rows r;
      SofaSchedule *schedule;
      size_t n_independent = 0;
      rows_open(&r, scenes[i], NULL);
      contact_touch_all(&r.run);
      rows_build(&r, order ? SOFA_CONSTRAIN_VELOCITIES : SOFA_CONSTRAIN_POSITIONS, 0.1);
      assert_int_equal(sofa_schedule_create(r.run.simulation->root, &schedule), SOFA_OK);
      assert_true(schedule->mappings.n > 0 && r.problem.n > 0 && r.problem.n <= 64);
      assert_int_equal(sofa_constraint_rows_finish(schedule, &r.problem, false), SOFA_OK);
      for (size_t k = 0; k < r.problem.states.n; k++) {
        const SofaConstrainedState *s = &r.problem.states.data[k];
        const unsigned deriv = sofa_state_kind_info(s->state->object.kind)->deriv;
        bool mapped = false;
        for (size_t m = 0; m < schedule->mappings.n; m++)
          mapped |= ((SofaMapping *)schedule->mappings.data[m])->out == s->state;
        if (mapped) continue;
        n_independent++;
        for (uint32_t column = 0; column < deriv * sofa_state_size(s->state); column++)
          check_column(&r, schedule, s, column, scenes[i]);
      }
      assert_true(n_independent > 0);
      sofa_schedule_destroy(&schedule);
      rows_close(&r);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(chains)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
