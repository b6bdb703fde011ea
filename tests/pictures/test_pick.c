/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of picking by rays, and of springs at what was picked, on meshes made by hand. */
#include "../support/scene_run.h"

#include <math.h>

#include "viewer/pull.h"

/* A body with given elements and no forces; %s: elements. */
#define BODY                                                                                       \
  "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"                            \
  "<Node name='a'><EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-14' "       \
  "threshold='1e-30'/>%s</Node></Node>"

static void open_scene(SceneRun *run, const char *format, const char *body) {
  char text[4000];
  snprintf(text, sizeof text, format, body);
  scene_run_open(run, text, NULL);
}

static PickHit pick(SceneRun *run, const double *origin, const double *direction, unsigned what) {
  PickRay ray = {.what = what};
  PickHit hit;
  memcpy(ray.origin, origin, sizeof ray.origin);
  memcpy(ray.direction, direction, sizeof ray.direction);
  assert_int_equal(pick_ray(run->simulation->root, &ray, &hit), SOFA_OK);
  return hit;
}

static PickHit pick_down(SceneRun *run, double x, double y) {
  return pick(run, (double[]){x, y, 10}, (double[]){0, 0, -2}, PICK_ALL);
}

/* What is said of the place fits its points and weights. */
static void check_place(const PickHit *hit, double x, double y, double z) {
  const double at[3] = {x, y, z};
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double p = 0;
    for (int i = 0; i < 3; i++)
      p += hit->weights[i] *
           hit->state->position.data[hit->points[i] * hit->state->position.width + (size_t)k];
    assert_true(fabs(p - at[k]) < 1e-12);
    assert_true(fabs(hit->position[k] - at[k]) < 1e-12);
    sum += hit->weights[k];
  }
  assert_true(fabs(sum - 1) < 1e-12);
  assert_true(fabs(hit->distance - (10 - z)) < 1e-12);
}

/* ---- each kind of element ---- */

static void every_kind(void **state) {
  (void)state;
  static const struct {
    SofaElementKind kind;
    const char *text;
    double z; /* of the upper side */
  } rows[] = {
      {SOFA_ELEMENT_TRIANGLE, "position='0 0 0 4 0 0 0 4 0' triangles='0 1 2'", 0},
      {SOFA_ELEMENT_QUAD, "position='0 0 1 4 0 1 4 4 1 0 4 1' quads='0 1 2 3'", 1},
      {SOFA_ELEMENT_TETRA, "position='0 0 2 4 0 2 0 4 2 0 0 0' tetrahedra='0 2 1 3'", 2},
      {SOFA_ELEMENT_PYRAMID, "position='0 0 2 4 0 2 4 4 2 0 4 2 2 2 -1' pyramids='0 3 2 1 4'", 2},
      {SOFA_ELEMENT_PRISM, "position='0 0 0 4 0 0 0 4 0 0 0 3 4 0 3 0 4 3' prisms='0 1 2 3 4 5'",
       3},
      {SOFA_ELEMENT_HEXA,
       "position='0 0 0 4 0 0 4 4 0 0 4 0 0 0 1 4 0 1 4 4 1 0 4 1' hexahedra='0 1 2 3 4 5 6 7'", 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char body[1000];
    SceneRun run;
    snprintf(body, sizeof body,
             "<MeshTopology name='mesh' %s/><MechanicalObject name='state'/>"
             "<UniformMass totalMass='1'/>",
             rows[i].text);
    open_scene(&run, BODY, body);
    const PickHit hit = pick_down(&run, 0.7, 0.9);
    assert_ptr_equal(hit.state, scene_run_state(&run, "/a/state"));
    assert_ptr_equal(hit.topology, scene_run_object(&run, "/a/mesh"));
    assert_int_equal(hit.kind, rows[i].kind);
    assert_int_equal(hit.element, 0);
    assert_true(fabs(hit.normal[2] - 1) < 1e-12);
    check_place(&hit, 0.7, 0.9, rows[i].z);
    assert_null(pick_down(&run, -0.5, 0.5).state);
    scene_run_close(&run);
  }
}

/* From all sides a ray to the middle of an element of a grid meets its outside, and its element is
 * one at that side. */
static void all_sides(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, BODY,
             "<RegularGridTopology name='grid' n='4 5 6' min='0 0 0' max='3 4 5'/>"
             "<MechanicalObject name='state'/><UniformMass totalMass='1'/>");
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2) {
      double origin[3] = {1.4, 1.4, 1.4}, direction[3] = {0, 0, 0};
      const int n[3] = {3, 4, 5};
      origin[axis] = side * 20;
      direction[axis] = -side;
      const PickHit hit = pick(&run, origin, direction, PICK_BODIES);
      size_t at[3] = {1, 1, 1};
      at[axis] = side < 0 ? 0 : (size_t)n[axis] - 1;
      assert_int_equal(hit.kind, SOFA_ELEMENT_HEXA);
      assert_int_equal(hit.element, at[0] + 3 * (at[1] + 4 * at[2]));
      assert_true(fabs(hit.normal[axis] - side) < 1e-12);
    }
  // where it moved to counts, not where it was
  double *x = scene_run_state(&run, "/a/state")->position.data;
  for (size_t i = 0; i < 120; i++) x[3 * i + 2] += 2;
  const PickHit hit = pick_down(&run, 1.4, 1.4);
  check_place(&hit, 1.4, 1.4, 7);
  scene_run_close(&run);
}

/* Borders and corners are met: no ray slips through between elements. */
static void no_gaps(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, BODY,
             "<RegularGridTopology name='grid' n='8 8 1' min='0 0 0' max='0.7 0.7 0'/>"
             "<MechanicalObject name='state'/><UniformMass totalMass='1'/>");
  for (int i = 1; i < 140; i++)
    for (int j = 1; j < 140; j++) {
      const PickHit hit = pick_down(&run, i * 0.005, j * 0.005);
      assert_non_null(hit.state);
      assert_int_equal(hit.kind, SOFA_ELEMENT_QUAD);
    }
  scene_run_close(&run);
}

/* ---- nearer ones, visual models ---- */

static const char two[] =
    "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
    "<Node name='a'><EulerImplicitSolver/><CGLinearSolver iterations='100' tolerance='1e-14' "
    "threshold='1e-30'/>"
    "<MeshTopology name='mesh' position='0 0 0 4 0 0 0 4 0 0 0 4' tetrahedra='0 1 2 3'/>"
    "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"
    "<Node name='v'><OglModel name='look' position='0.5 0.5 3.5 1.5 0.5 3.5 0.5 1.5 3.5' "
    "triangles='0 1 2'/><BarycentricMapping/></Node></Node>"
    "<OglModel name='wall' position='-9 -9 -3 9 -9 -3 9 9 -3 -9 9 -3' quads='0 1 2 3'/>%s</Node>";

static bool not_look(void *user, const SofaObject *object) {
  (void)user;
  return strcmp(object->name, "look") != 0;
}

static void nearest_counts(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, two, "");
  PickHit hit = pick_down(&run, 0.3, 0.5);
  assert_string_equal(hit.state->object.name, "state"); // the tilted face
  check_place(&hit, 0.3, 0.5, 3.2);
  hit = pick_down(&run, 0.9, 0.7);
  assert_string_equal(hit.state->object.name, "look");
  assert_null(hit.topology);
  check_place(&hit, 0.9, 0.7, 3.5);
  hit = pick_down(&run, -1, 2);
  assert_string_equal(hit.state->object.name, "wall");
  assert_int_equal(hit.kind, SOFA_ELEMENT_QUAD);
  // only one sort, only what is wanted, only what is beyond a distance
  hit = pick(&run, (double[]){0.9, 0.7, 10}, (double[]){0, 0, -1}, PICK_BODIES);
  assert_string_equal(hit.state->object.name, "state");
  const PickRay ray = {.origin = {0.9, 0.7, 10},
                       .direction = {0, 0, -1},
                       .least = 7.9,
                       .what = PICK_VISUALS,
                       .wants = not_look};
  assert_int_equal(pick_ray(run.simulation->root, &ray, &hit), SOFA_OK);
  assert_string_equal(hit.state->object.name, "wall");
  scene_run_close(&run);
}

/* ---- anchors ---- */

static void anchor_of_mapped_surface(void **state) {
  (void)state;
  SceneRun run;
  PickAnchor anchor;
  double place[3];
  open_scene(&run, two, "");
  PickHit hit = pick_down(&run, 0.9, 0.7);
  assert_int_equal(pick_anchor(&hit, &anchor), SOFA_OK);
  assert_ptr_equal(anchor.state, scene_run_state(&run, "/a/state"));
  assert_int_equal(anchor.n, 4);
  assert_true(pick_anchor_place(&anchor, place));
  for (int k = 0; k < 3; k++) assert_true(fabs(place[k] - hit.position[k]) < 1e-9);
  // a surface that nothing moves has none
  hit = pick_down(&run, -1, 2);
  assert_int_equal(pick_anchor(&hit, &anchor), SOFA_OK);
  assert_null(anchor.state);
  assert_false(pick_anchor_place(&anchor, place));
  scene_run_close(&run);
}

static const char rigid[] =
    "<MechanicalObject name='state' template='Rigid3d' position='1 0 0 0 0 0.38268343236508978 "
    "0.92387953251128674'/><UniformMass name='mass' vertexMass='1 1 1 0 0 0 1 0 0 0 1'/>"
    "<Node name='v'><OglModel name='look' position='-1 -1 0.5 1 -1 0.5 0 1 0.5' "
    "triangles='0 1 2'/><RigidMapping input='@..' output='@look'/></Node>";

static void anchor_in_rigid_frame(void **state) {
  (void)state;
  SceneRun run;
  PickAnchor anchor;
  Pull pull = {0};
  double place[3];
  open_scene(&run, BODY, rigid);
  const PickHit hit = pick_down(&run, 1.2, 0.1);
  assert_string_equal(hit.state->object.name, "look");
  assert_int_equal(pick_anchor(&hit, &anchor), SOFA_OK);
  assert_ptr_equal(anchor.state, scene_run_state(&run, "/a/state"));
  assert_int_equal(anchor.n, 1);
  assert_true(pick_anchor_place(&anchor, place));
  for (int k = 0; k < 3; k++) assert_true(fabs(place[k] - hit.position[k]) < 1e-12);
  // a spring at the arm turns the body until the place is where the mouse holds it
  assert_int_equal(pull_begin(&pull, run.simulation, &anchor, 5, 100), SOFA_OK);
  SofaCamera camera;
  sofa_camera_init(&camera);
  const double target[3] = {1.2, 0.6, 0.5}, from[3] = {1.2, 0.6, 5.5}, up[3] = {0, 1, 0};
  sofa_camera_place(&camera, from, target, up);
  pull_move(&pull, &camera, (SofaViewport){100, 100}, 50, 50);
  scene_run_steps(&run, 3000);
  assert_true(pick_anchor_place(&anchor, place));
  assert_true(fabs(place[1] - 0.6) < 0.02);
  const double *x = scene_run_state(&run, "/a/state")->position.data;
  assert_true(fabs(x[5] - 0.38268343236508978) > 1e-3); // it turned
  pull_end(&pull);
  scene_run_close(&run);
}

#define JOINT_SCENE(flag, correction, body)                                                        \
  "<Node name='root' dt='0.01' gravity='0 -10 0'>"                                                 \
  "<FreeMotionAnimationLoop solveVelocityConstraintFirst='" flag "'/>"                             \
  "<NonsmoothNewtonConstraintSolver/><ConstraintAttachButtonSetting button='Left'/>"               \
  "<DefaultVisualManagerLoop/><Node name='a'><EulerImplicitSolver rayleighMass='0.5'/>"            \
  "<SparseLDLSolver template='CompressedRowSparseMatrixMat3x3d'/>" body correction                 \
  "</Node></Node>"
#define JOINT_FACE                                                                                 \
  "<MeshTopology name='mesh' position='0 0 0 4 0 0 0 4 0 0 0 4' tetrahedra='0 1 2 3'/>"            \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"                                   \
  "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>"

/* A joint holds the place where the mouse is, whatever the weight. */
static void holds_by_a_joint(void **state) {
  (void)state;
  static const char *const scenes[] = {
      JOINT_SCENE("0", "<LinearSolverConstraintCorrection/>", JOINT_FACE),
      JOINT_SCENE("1", "<LinearSolverConstraintCorrection/>", JOINT_FACE),
      JOINT_SCENE("0", "<UncoupledConstraintCorrection/>",
                  "<MechanicalObject name='state' template='Rigid3d' position='0 0 0 0 0 0 1'/>"
                  "<UniformMass vertexMass='1 1 1 0 0 0 1 0 0 0 1'/><Node name='v'>"
                  "<OglModel name='look' position='-1 -1 2 3 -1 2 0 3 2' triangles='0 1 2'/>"
                  "<RigidMapping input='@..' output='@look'/></Node>")};
  for (int k = 0; k < 3; k++) {
    SceneRun run;
    PickAnchor anchor;
    Pull pull = {0};
    double place[3];
    scene_run_open(&run, scenes[k], NULL);
    const PickHit hit = pick_down(&run, 0.8, 0.8);
    assert_int_equal(pick_anchor(&hit, &anchor), SOFA_OK);
    assert_int_equal(pull_begin(&pull, run.simulation, &anchor, 5, 200), SOFA_OK);
    assert_true(pull.joint);
    SofaCamera camera;
    sofa_camera_init(&camera);
    const double target[3] = {1, 0.9, 2.1}, from[3] = {1, 0.9, 7.1}, up[3] = {0, 1, 0};
    sofa_camera_place(&camera, from, target, up);
    pull_move(&pull, &camera, (SofaViewport){100, 100}, 50, 50);
    scene_run_steps(&run, 2000);
    assert_true(pick_anchor_place(&anchor, place));
    for (int c = 0; c < 3; c++) assert_true(fabs(place[c] - target[c]) < 1e-5);
    pull_end(&pull);
    scene_run_steps(&run, 20);
    assert_true(pick_anchor_place(&anchor, place));
    assert_true(place[1] < target[1] - 0.01); // it falls
    scene_run_close(&run);
  }
}

/* The spring's force is the gradient of its energy and is balanced: the same sum on a tetrahedron's
 * corners as at the place. */
static void pulls_at_a_face(void **state) {
  (void)state;
  SceneRun run;
  PickAnchor anchor;
  Pull pull = {0};
  double place[3];
  open_scene(&run, BODY,
             "<MeshTopology name='mesh' position='0 0 0 4 0 0 0 4 0 0 0 4' "
             "tetrahedra='0 1 2 3'/><MechanicalObject name='state'/><UniformMass totalMass='1'/>"
             "<TetrahedronFEMForceField youngModulus='1000' poissonRatio='0.3'/>");
  const PickHit hit = pick_down(&run, 0.8, 0.8);
  assert_int_equal(pick_anchor(&hit, &anchor), SOFA_OK);
  assert_int_equal(anchor.n, 3);
  assert_int_equal(pull_begin(&pull, run.simulation, &anchor, 5, 200), SOFA_OK);
  SofaCamera camera;
  sofa_camera_init(&camera);
  const double target[3] = {2, 0.8, 2.4}, from[3] = {2, 0.8, 7.4}, up[3] = {0, 1, 0};
  sofa_camera_place(&camera, from, target, up);
  pull_move(&pull, &camera, (SofaViewport){100, 100}, 50, 50);
  scene_run_steps(&run, 2000);
  assert_true(pick_anchor_place(&anchor, place));
  for (int k = 0; k < 3; k++) assert_true(fabs(place[k] - target[k]) < 0.02);
  pull_end(&pull);
  scene_run_steps(&run, 1);
  scene_run_close(&run);
}

/* Balls of collision models, on points and on frames: the nearer side, and an anchor that moves
 * with the point or the frame. */
static void balls(void **state) {
  (void)state;
  for (int frames = 0; frames < 2; frames++) {
    SceneRun run;
    open_scene(&run, BODY,
               frames ? "<MechanicalObject name='s' template='Rigid3' "
                        "position='9 9 9 0 0 0 1  1 2 0 0 0 0 1'/>"
                        "<SphereCollisionModel template='Rigid3' radius='0.5' listRadius='0.1'/>"
                      : "<MechanicalObject name='s' position='9 9 9 1 2 0'/>"
                        "<SphereCollisionModel radius='0.5' listRadius='0.1'/>");
    const PickHit hit = pick_down(&run, 1.3, 2);
    assert_ptr_equal(hit.state, scene_run_state(&run, "/a/s"));
    assert_int_equal(hit.kind, SOFA_ELEMENT_POINT);
    assert_int_equal(hit.element, 1);
    assert_true(fabs(hit.position[2] - 0.4) < 1e-12 && fabs(hit.distance - 9.6) < 1e-12);
    assert_true(fabs(hit.normal[0] - 0.6) < 1e-12 && fabs(hit.normal[2] - 0.8) < 1e-12);
    assert_int_equal(pick_point(&hit), 1);
    assert_null(pick_down(&run, 1.51, 2).state);
    assert_null(pick(&run, (double[]){1.3, 2, -10}, (double[]){0, 0, -2}, PICK_ALL).state);
    PickAnchor anchor;
    double place[3];
    assert_int_equal(pick_anchor(&hit, &anchor), SOFA_OK);
    assert_true(pick_anchor_place(&anchor, place));
    assert_true(fabs(place[2] - (frames ? 0.4 : 0)) < 1e-12);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind),
      cmocka_unit_test(all_sides),
      cmocka_unit_test(no_gaps),
      cmocka_unit_test(nearest_counts),
      cmocka_unit_test(anchor_of_mapped_surface),
      cmocka_unit_test(anchor_in_rigid_frame),
      cmocka_unit_test(pulls_at_a_face),
      cmocka_unit_test(holds_by_a_joint),
      cmocka_unit_test(balls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
