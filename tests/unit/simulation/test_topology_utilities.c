/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components that look after topologies: removal outside a box and by list, checks, orientation of
 * triangles; grids by the width of their cells; states that mappings move. */
#include "tests/support/topology_edits.h"

#include <math.h>

#include "components/topology/mesh_topology.h"

/* 3 x 3 points in [0, 2]^2, two triangles per square */
#define POINTS_9 "0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0 0 2 0 1 2 0 2 2 0"
#define TRIANGLES_8 "0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 7"
#define SHEET_8 TRIANGLE_SET(POINTS_9, TRIANGLES_8) "<MechanicalObject name='state'/>"

static SofaTopology *mesh_of(SceneRun *run) {
  return (SofaTopology *)scene_run_object(run, "/mesh");
}

/* Reports of a scene that may fail at init. */
static void expect_failure(const char *scene, const char *expected) {
  SceneRun run = {.quiet = true};
  char text[6000];
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.01'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s"
           "</Node>",
           scene);
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, expected)) fail_msg("expected '%s', found: %s", expected, run.all);
  scene_run_close(&run);
}

/* ---- TopologyBoundingTrasher ---- */

static void what_leaves_the_box_goes(void **state) {
  (void)state;
  static const char *const places[] = {"position='@state.position'", ""};
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    char text[2000];
    // centres of the triangles 2, 3 and 6, 7 are at x > 1
    snprintf(text, sizeof text, SHEET_8 "<TopologyBoundingTrasher box='0 0 -1 1 2 1' %s/>",
             places[i]);
    open_changing(&run, text);
    assert_int_equal(mesh_of(&run)->mesh.triangles.n, 8);
    scene_run_steps(&run, 1);
    assert_int_equal(mesh_of(&run)->mesh.triangles.n, 4);
    assert_int_equal(mesh_of(&run)->n_points, 6);
    assert_int_equal(scene_run_state(&run, "/state")->position.n, 6);
    // the others move out in the running scene
    SofaState *s = scene_run_state(&run, "/state");
    for (size_t k = 0; k < s->position.n; k++) s->position.data[3 * k + 2] = 2;
    sofa_state_touch(s);
    scene_run_steps(&run, 1);
    assert_int_equal(mesh_of(&run)->mesh.triangles.n, 0);
    assert_int_equal(mesh_of(&run)->mesh.edges.n, 0);
    scene_run_close(&run);
  }
  expect_failure(SHEET_8 "<TopologyBoundingTrasher box='1 0 0 0 1 1'/>", "it holds nothing");
  expect_failure(SHEET_8 "<TopologyBoundingTrasher box='1 0 0'/>", "3 numbers, expected 6");
  expect_failure(SHEET_8 "<TopologyBoundingTrasher position='0 0 0'/>",
                 "triangle 0 has the point 1: there is no position for it");
  expect_failure("<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                 "<TopologyBoundingTrasher/>",
                 "MeshTopology 'mesh' cannot change: expected a ...SetTopologyContainer");
}

/* ---- TopologyChecker ---- */

static void faults_are_found(void **state) {
  (void)state;
  SceneRun run;
  open_changing(&run, SHEET_8 "<TopologyChecker eachStep='1'/>");
  const Edit edits[MOST_EDITS] = {
      {"/mesh", SOFA_ELEMENT_TRIANGLE, false, 2, {0, 3}, SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS}};
  carry_out(&run, "checked", edits);
  scene_run_steps(&run, 1);
  scene_run_close(&run);
  open_changing(&run, CUBES "<TopologyChecker/>");
  scene_run_close(&run);
  open_changing(&run, TETRAS "<TopologyChecker/>");
  scene_run_close(&run);
  expect_failure(TRIANGLE_SET(POINTS_9, "0 1 4 3 3 4") "<TopologyChecker/>",
                 "triangle 1 of 'mesh' has a point twice");
  expect_failure("<TriangleSetTopologyContainer name='mesh' position='" POINTS_9
                 "' triangles='0 1 4' edges='0 1 1 4'/><TopologyChecker/>",
                 "triangle 0 of 'mesh' has an edge that is not listed");
}

/* ---- list_Out ---- */

static void listed_points_take_triangles_along(void **state) {
  (void)state;
  SceneRun run;
  open_changing(&run,
                "<TriangleSetTopologyContainer name='mesh' position='" POINTS_9
                "' triangles='" TRIANGLES_8 "'/><TriangleSetTopologyModifier name='modifier'/>"
                "<MechanicalObject name='state'/>");
  assert_int_equal(mesh_of(&run)->mesh.triangles.n, 8);
  SofaObject *modifier = scene_run_object(&run, "/modifier");
  assert_int_equal(sofa_field_set_text(modifier, "list_Out", "8", 0), SOFA_OK);
  assert_int_equal(mesh_of(&run)->mesh.triangles.n, 6);
  assert_int_equal(scene_run_state(&run, "/state")->position.n, 8);
  scene_run_close(&run);
}

/* ---- orientation ---- */

/* Two triangles that share an edge run through it in opposite directions. */
static bool agree(SofaTopology *t) {
  for (size_t i = 0; i < t->mesh.triangles.n; i++)
    for (size_t k = i + 1; k < t->mesh.triangles.n; k++)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          const uint32_t *p = t->mesh.triangles.data[i].v, *q = t->mesh.triangles.data[k].v;
          if (p[a] == q[b] && p[(a + 1) % 3] == q[(b + 1) % 3]) return false;
        }
  return true;
}

static double volume(const SofaTopology *t) {
  double sum = 0;
  for (size_t i = 0; i < t->mesh.triangles.n; i++) {
    double p[3][3];
    for (int k = 0; k < 3; k++) sofa_topology_point(t, t->mesh.triangles.data[i].v[k], p[k]);
    sum += (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) -
            p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
            p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
           6;
  }
  return sum;
}

#define ORIENT(more) "<TriangleSetGeometryAlgorithms recomputeTrianglesOrientation='1' " more "/>"

static void triangles_agree(void **state) {
  (void)state;
  static const char *const mixed = "0 4 1 0 4 3 1 2 5 1 4 5 3 4 7 3 6 7 4 5 8 4 7 8";
  SceneRun run;
  char text[2000];
  for (int quirks = 0; quirks < 2; quirks++) {
    for (int flip = 0; flip < 2; flip++) {
      const SofaContextOptions options = {.quirks = quirks == 1};
      snprintf(text, sizeof text,
               "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
               "<TriangleSetTopologyContainer name='mesh' position='" POINTS_9
               "' triangles='%s'/><MechanicalObject/>" ORIENT("flipNormals='%d'") "</Node>",
               mixed, flip);
      scene_run_open(&run, text, &options);
      assert_true(agree(mesh_of(&run)));
      assert_int_equal(mesh_of(&run)->mesh.triangles.data[0].v[1], flip ? 1 : 4);
      scene_run_close(&run);
    }
    // a closed surface: SOFA turns its far side inside out
    const SofaContextOptions options = {.quirks = quirks == 1};
    scene_run_open(&run,
                   "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                   "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' "
                   "triangles='0 2 1 0 3 1 0 3 2 1 2 3'/><MechanicalObject/>" ORIENT("") "</Node>",
                   &options);
    assert_int_equal(agree(mesh_of(&run)), !quirks);
    if (!quirks) assert_true(fabs(volume(mesh_of(&run)) - 1. / 6) < 1e-12);
    scene_run_close(&run);
  }
}

/* Three triangles around an edge, or a strip with one side, cannot agree. */
static void what_has_one_side_is_reported(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  assert_int_equal(
      sofa_simulation_load_text(
          run.ctx,
          "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
          "<TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 0 -1 0' "
          "triangles='0 1 2 0 1 3 0 1 4'/><MechanicalObject/>" ORIENT("") "</Node>",
          &run.simulation),
      SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_non_null(strstr(run.last, "cannot all agree"));
  scene_run_close(&run);
}

/* ---- grids ---- */

static void cells_have_a_width(void **state) {
  (void)state;
  static const size_t points[2] = {4 * 3 * 2, 4 * 3 * 2};
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run;
    const SofaContextOptions options = {.quirks = quirks == 1};
    scene_run_open(&run,
                   "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                   "<RegularGridTopology name='mesh' min='1 0 0' max='2.4 1 0.5' "
                   "cellWidth='0.5'/><MechanicalObject name='state'/></Node>",
                   &options);
    const SofaState *s = scene_run_state(&run, "/state");
    assert_int_equal(s->position.n, points[quirks]);
    const double expected[3] = {quirks ? 1 + 3 * 1.4 : 2.5, quirks ? 2 : 1, 0.5};
    for (size_t k = 0; k < 3; k++)
      assert_true(fabs(s->position.data[3 * (s->position.n - 1) + k] - expected[k]) < 1e-12);
    scene_run_close(&run);
  }
  expect_failure("<RegularGridTopology cellWidth='-1'/>", "expected >= 0");
}

static void grids_have_texture_coordinates(void **state) {
  (void)state;
  SceneRun run;
  open_changing(&run, "<RegularGridTopology name='mesh' n='3 1 5' createTexCoords='1'/>");
  const SofaMeshTopology *flat = (const SofaMeshTopology *)scene_run_object(&run, "/mesh");
  assert_int_equal(flat->uv.n, 15);
  for (size_t i = 0; i < 15; i++) {
    assert_true(fabs(flat->uv.data[i].v[0] - (double)(i % 3) / 2) < 1e-12);
    assert_true(fabs(flat->uv.data[i].v[1] - (double)(i / 3) / 4) < 1e-12);
  }
  scene_run_close(&run);
  open_changing(&run, "<RegularGridTopology name='mesh' n='3 3 3' createTexCoords='1'/>");
  const SofaMeshTopology *solid = (const SofaMeshTopology *)scene_run_object(&run, "/mesh");
  assert_int_equal(solid->uv.n, 27);
  for (size_t i = 0; i < 27; i++)
    for (int k = 0; k < 2; k++) assert_in_range(10 * solid->uv.data[i].v[k], 0, 10);
  scene_run_close(&run);
}

/* ---- MappedObject ---- */

static void mapped_objects_move(void **state) {
  (void)state;
  SceneRun run;
  open_changing(&run, BODY(LINE, FRAMES "<EulerImplicitSolver/><CGLinearSolver iterations='10' "
                                        "tolerance='1e-9' threshold='1e-9'/>"
                                        "<LinearMovementProjectiveConstraint indices='4' "
                                        "keyTimes='0 1' movements='0 0 0 0 0 0 1 0 0 0 0 0'/>"
                                        "<Node name='m'><MappedObject name='marks' "
                                        "template='Vec3d' position='0 1 0 1 2 3'/><RigidMapping "
                                        "rigidIndexPerPoint='4 0'/></Node><Node name='copy'>"
                                        "<MappedObject name='copy'/>"
                                        "<IdentityMapping template='Rigid3d,Vec3d'/></Node>"));
  const SofaState *marks = scene_run_state(&run, "/body/m/marks");
  const SofaState *copy = scene_run_state(&run, "/body/copy/copy");
  const SofaState *frames = scene_run_state(&run, "/body/points");
  assert_int_equal(copy->position.n, 5);
  scene_run_steps(&run, 3);
  assert_true(frames->position.data[28] > 4.01);
  assert_true(fabs(marks->position.data[0] - frames->position.data[28]) < 1e-12);
  assert_true(fabs(copy->position.data[12] - frames->position.data[28]) < 1e-12);
  const Edit edits[MOST_EDITS] = {EDGE_GOES};
  carry_out(&run, "marks", edits);
  assert_int_equal(marks->position.n, 1);
  assert_int_equal(copy->position.n, 4);
  scene_run_steps(&run, 3);
  assert_true(frames->position.data[0] > 4.04);
  assert_true(fabs(marks->position.data[0] - frames->position.data[0]) < 1e-12);
  assert_true(fabs(copy->position.data[0] - frames->position.data[0]) < 1e-12);
  scene_run_close(&run);
}

/* ---- copies, recorders ---- */

static void same_lists(SofaTopology *a, SofaTopology *b) {
  assert_int_equal(a->n_points, b->n_points);
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const SofaElements x = sofa_mesh_elements(&a->mesh, (SofaElementKind)kind);
    const SofaElements y = sofa_mesh_elements(&b->mesh, (SofaElementKind)kind);
    assert_int_equal(x.n, y.n);
    if (x.n) assert_memory_equal(x.v, y.v, x.n * x.width * sizeof *x.v);
  }
}

/* Topologies with linked lists, and what acts on them, follow the first one. */
static void copies_change_with_it(void **state) {
  (void)state;
  static const char *const copies[] = {
      "<MeshTopology name='copy' position='@../mesh.position' triangles='@../mesh.triangles'/>",
      "<TriangleSetTopologyContainer name='copy' src='@../mesh'/><TriangleSetTopologyModifier/>"};
  static const char *const states[] = {"<MechanicalObject name='points'/><IdentityMapping/>",
                                       "<MechanicalObject name='points'/>"};
  for (int i = 0; i < 4; i++) {
    SceneRun run;
    char text[3000];
    snprintf(text, sizeof text,
             "<Node name='body'>" SHEET
             "<MechanicalObject name='points'/><UniformMass vertexMass='1'/>"
             "<Node name='m'>%s%s<MeshSpringForceField stiffness='10'/></Node>"
             "</Node>",
             copies[i % 2], states[i / 2]);
    open_changing(&run, text);
    SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, "/body/mesh");
    SofaTopology *copy = (SofaTopology *)scene_run_object(&run, "/body/m/copy");
    const SofaState *points = scene_run_state(&run, "/body/m/points");
    const Edit edits[2][MOST_EDITS] = {{TRIANGLE_GOES}, {TRIANGLE_COMES}};
    static const Edit twice[MOST_EDITS] = {{"/body/mesh",
                                            SOFA_ELEMENT_TRIANGLE,
                                            false,
                                            1,
                                            {0},
                                            SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS}};
    same_lists(copy, mesh);
    carry_out(&run, "copy", edits[i % 2]);
    same_lists(copy, mesh);
    assert_int_equal(points->position.n, mesh->n_points);
    scene_run_steps(&run, 1);
    carry_out(&run, "copy again", twice);
    same_lists(copy, mesh);
    assert_int_equal(points->position.n, mesh->n_points);
    scene_run_steps(&run, 1);
    scene_run_close(&run);
  }
}

/* A topology of points alone has no elements that could be outside. */
static void points_alone_stay(void **state) {
  (void)state;
  SceneRun run;
  open_changing(&run, "<PointSetTopologyContainer name='mesh' position='9 9 9 0 0 0'/>"
                      "<PointSetTopologyModifier/><MechanicalObject name='state'/>"
                      "<TopologyBoundingTrasher box='-1 -1 -1 1 1 1'/>");
  scene_run_steps(&run, 2);
  assert_int_equal(mesh_of(&run)->n_points, 2);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_leaves_the_box_goes),
      cmocka_unit_test(points_alone_stay),
      cmocka_unit_test(faults_are_found),
      cmocka_unit_test(listed_points_take_triangles_along),
      cmocka_unit_test(triangles_agree),
      cmocka_unit_test(what_has_one_side_is_reported),
      cmocka_unit_test(cells_have_a_width),
      cmocka_unit_test(grids_have_texture_coordinates),
      cmocka_unit_test(mapped_objects_move),
      cmocka_unit_test(copies_change_with_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
