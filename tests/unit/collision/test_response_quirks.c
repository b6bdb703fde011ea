/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Penalty contacts with bodies that other solvers move, and lever arms: csofa and SOFA. */
#include <math.h>

#include "tests/support/contact_touch.h"

#define PIPELINE                                                                                   \
  "<Node name='root' gravity='0 0 0' dt='0.01'><DefaultAnimationLoop/><CollisionPipeline/>"        \
  "<BruteForceBroadPhase/><BVHNarrowPhase/>"                                                       \
  "<MinProximityIntersection alarmDistance='0.5' contactDistance='0.2'/>"                          \
  "<CollisionResponse response='PenalityContactForceField'/>"

/* Velocity along z of the one point of a body after a step. */
static double velocity(const char *scene, const char *quirk, const char *path) {
  SceneRun run;
  const SofaContextOptions options = {.quirk_words = quirk};
  scene_run_open(&run, scene, &options);
  scene_run_steps(&run, 1);
  const double v = scene_run_state(&run, path)->velocity.data[2];
  scene_run_close(&run);
  return v;
}

static void check(double value, double expected) {
  if (!(fabs(value - expected) < 1e-12)) fail_msg("%.15g, expected %.15g", value, expected);
}

/* The floor's solver runs first. The point then meets the floor where it is, or where it was. */
static void start_places(void **state) {
  (void)state;
  static const char scene[] = PIPELINE
      "<Node name='floor'><EulerExplicitSolver/>"
      "<MeshTopology position='-4 -4 0 4 -4 0 0 4 0' triangles='0 1 2'/>"
      "<MechanicalObject position='-4 -4 0 4 -4 0 0 4 0' velocity='0 0 1 0 0 1 0 0 "
      "1'/><UniformMass vertexMass='1'/>"
      "<TriangleCollisionModel simulated='0'/></Node>"
      "<Node name='ball'><EulerExplicitSolver/><MechanicalObject name='s' position='0 0 0.15'/>"
      "<UniformMass vertexMass='1'/><PointCollisionModel/></Node></Node>";
  check(velocity(scene, NULL, "/ball/s"), 0.01 * 500 * 0.06);
  check(velocity(scene, "contact-start-places", "/ball/s"), 0.01 * 500 * 0.05);
}

/* (m + h^2 k) v = h (k 0.05 + h k w) with the other point's velocity w, or with 0. */
static void outside_velocity(void **state) {
  (void)state;
  static const char scene[] =
      PIPELINE "<Node name='floor'><MechanicalObject position='0 0 0' velocity='0 0 1'/>"
               "<PointCollisionModel simulated='0'/></Node>"
               "<Node name='ball'><EulerImplicitSolver/><SparseLDLSolver/>"
               "<MechanicalObject name='s' position='0 0 0.15'/><UniformMass vertexMass='1'/>"
               "<PointCollisionModel/></Node></Node>";
  check(velocity(scene, NULL, "/ball/s"), 0.01 * 25 / 1.05);
  check(velocity(scene, "contact-outside-velocity", "/ball/s"), 0.01 * 30 / 1.05);
}

/* The system of a triangle above a point: assembled and matrix-free solvers agree. */
#define TRIANGLE(solver)                                                                           \
  PIPELINE                                                                                         \
  "<Node name='floor'><MechanicalObject position='9 9 9 0 0 0'/>"                                  \
  "<PointCollisionModel simulated='0'/></Node><Node name='sheet'><EulerImplicitSolver/>" solver    \
  "<MeshTopology position='-1 -1 0.15 4 -1 0.15 0 4 0.15' triangles='0 1 2'/>"                     \
  "<MechanicalObject name='s'/><UniformMass "                                                      \
  "vertexMass='1'/><TriangleCollisionModel/></Node></Node>"

static void outside_blocks(void **state) {
  (void)state;
  static const char direct[] = TRIANGLE("<SparseLDLSolver/>");
  static const char iterative[] =
      TRIANGLE("<CGLinearSolver iterations='50' tolerance='1e-15' threshold='1e-30'/>");
  const double v = velocity(iterative, NULL, "/sheet/s");
  assert_true(v > 0.01);
  check(velocity(direct, NULL, "/sheet/s"), v);
  check(velocity(iterative, "contact-outside-blocks", "/sheet/s"), v);
  assert_true(fabs(velocity(direct, "contact-outside-blocks", "/sheet/s") - v) > 1e-4);
}

/* A point below a triangle with a solver of its own: how that one solves is nothing to the point,
 * with quirks or without. (In SOFA the point's conjugate gradient reads the last search direction
 * of the triangle's.) */
#define BELOW(solver)                                                                              \
  PIPELINE                                                                                         \
  "<Node name='sheet'><EulerImplicitSolver/>" solver                                               \
  "<MeshTopology position='-1 -1 0.15 4 -1 0.15 0 4 0.15' triangles='0 1 2' edges='0 1 1 2 2 0'/>" \
  "<MechanicalObject position='-1 -1 0.15 4 -1 0.15 0 4 0.15' velocity='0 0 -1 0 0 0 0 0 "         \
  "-2'/><UniformMass vertexMass='1'/>"                                                             \
  "<MeshSpringForceField stiffness='100' damping='1'/>"                                            \
  "<TriangleCollisionModel simulated='0'/></Node>"                                                 \
  "<Node name='ball'><EulerImplicitSolver/>" SEARCH                                                \
  "<MechanicalObject name='s' position='0 0 0'/><UniformMass vertexMass='1'/>"                     \
  "<PointCollisionModel/></Node></Node>"
#define SEARCH "<CGLinearSolver iterations='50' tolerance='1e-15' threshold='1e-30'/>"

static void outside_search(void **state) {
  (void)state;
  static const char *const quirks[] = {NULL, "contact-outside-velocity", "contact-outside-blocks"};
  for (size_t k = 0; k < SOFA_COUNT(quirks); k++) {
    const double v = velocity(BELOW("<SparseLDLSolver/>"), quirks[k], "/ball/s");
    assert_true(v < -0.01);
    check(velocity(BELOW(SEARCH), quirks[k], "/ball/s"), v);
  }
}

/* ---- lever arms ---- */

/* The torque on the frame that its turning adds, and what it should be: (w x rho) x F. */
static void turn_of_arm(const char *quirk, double torque[3], double expected[3]) {
  SceneRun run;
  const SofaContextOptions options = {.quirk_words = quirk};
  scene_run_open(&run,
                 "<Node><DefaultAnimationLoop/>"
                 "<CollisionResponse response='PenalityContactForceField'/>"
                 "<Node><MechanicalObject template='Rigid3d' position='0 0 0 0.5 0.5 0.5 0.5'/>"
                 "<SphereCollisionModel name='ball' radius='0.4'/></Node><Node>"
                 "<MechanicalObject position='0.3 0.5 1'/><PointCollisionModel name='point'/>"
                 "</Node></Node>",
                 &options);
  contact_touch_all(&run);
  SofaForceField *ff = contact_find(run.simulation->root, "ball-point");
  const SofaMechParams params = {.k = 1};
  const double moves[6] = {0, 0, 0, 0.3, -0.2, 0.5}, none[3] = {0};
  const double *dx[2] = {moves, none};
  double df[2][6] = {{0}}, along[3];
  double *to[2] = {df[0], df[1]};
  SofaContactReports rows = {0};
  SofaPoint at;
  assert_int_equal(sofa_force_field_state_point(ff, 0, &at), SOFA_OK);
  assert_int_equal(sofa_force_field_add_dforce(ff, &params, &at, dx, to), SOFA_OK);
  const SofaContactOps *ops = sofa_ops(&ff->object, SOFA_CONTACT);
  assert_int_equal(ops->report(&ff->object, &rows), SOFA_OK);
  assert_int_equal(rows.n, 1);
  const double *rho = rows.data[0].point[0];
  double moved[3], force[3];
  sofa_vec3_cross(moves + 3, rho, moved);
  sofa_vec3_scale(-1, rows.data[0].force, force);
  sofa_vec3_cross(moved, force, expected);
  /* the rest is the torque of the force that changes */
  sofa_vec3_cross(rho, df[0], along);
  sofa_vec3_sub(df[0] + 3, along, torque);
  sofa_list_free(run.ctx, &rows);
  scene_run_close(&run);
}

static void lever_arms(void **state) {
  (void)state;
  double torque[3], expected[3];
  turn_of_arm(NULL, torque, expected);
  assert_true(sofa_vec3_norm(expected) > 1);
  assert_true(sofa_vec3_distance(torque, expected) < 1e-12 * sofa_vec3_norm(expected));
  turn_of_arm("contact-arms", torque, expected);
  assert_true(sofa_vec3_norm(torque) < 1e-12 * sofa_vec3_norm(expected));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(start_places),   cmocka_unit_test(outside_velocity),
      cmocka_unit_test(outside_blocks), cmocka_unit_test(outside_search),
      cmocka_unit_test(lever_arms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
