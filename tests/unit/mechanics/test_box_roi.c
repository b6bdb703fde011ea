/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BoxROI: borders, reversed and oriented boxes, elements, the order of objects, updates; and
 * FixedProjectiveConstraint, the usual reader of its indices. */
#include "tests/support/scene_run.h"

#include "behavior/projective.h"
#include "object/data_graph.h"

/* 3 x 3 x 4 points, spacing 1 0.5 1 */
#define GRID                                                                                       \
  "<RegularGridTopology name='grid' n='3 3 4' min='0 0 0' max='2 1 3'/>"                           \
  "<MechanicalObject name='state'/>"

static void open_body(SceneRun *run, const char *body) {
  char text[4000];
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<Node name='body'>%s</Node></Node>",
           body);
  scene_run_open(run, text, NULL);
}

/* Does the field, printed, read like this? */
static void expect(SceneRun *run, const char *path, const char *name, const char *expected) {
  SofaObject *object = scene_run_object(run, path);
  const SofaField *field = sofa_class_field(object->klass, name);
  SofaText text = {0};
  assert_non_null(field);
  assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
  const char *found = text.n ? text.data : "";
  if (strcmp(found, expected) != 0)
    fail_msg("%s.%s is '%s', expected '%s'", path, name, found, expected);
  sofa_list_free(run->ctx, &text);
}

static void borders_belong_to_the_box(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run, GRID "<BoxROI name='roi' box='0 0 0 1 1 0'/>"
                       "<BoxROI name='reversed' box='1 1 0 0 0 0'/>"
                       "<BoxROI name='two' box='0 0 0 0 0 0  2 1 3 2 1 3'/>"
                       "<BoxROI name='default'/>");
  expect(&run, "/body/roi", "indices", "0 1 3 4 6 7");
  expect(&run, "/body/reversed", "indices", "0 1 3 4 6 7");
  expect(&run, "/body/two", "indices", "0 35");
  expect(&run, "/body/default", "indices", "0 1 3 4 6 7 9 10 12 13 15 16");
  expect(&run, "/body/roi", "nbIndices", "6");
  expect(&run, "/body/two", "pointsInROI", "0 0 0 2 1 3");
  scene_run_close(&run);
}

/* Four edges and two quads of hexahedra: inside with all vertices, or with the centroid. */
static void elements(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run,
            "<MeshTopology name='mesh' position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0' "
            "edges='0 1 1 2 3 4 4 5' triangles='0 1 3 1 4 3 1 2 4 2 5 4'/>"
            "<MechanicalObject name='state'/>"
            "<BoxROI name='strict' box='0 0 0 1 1 0'/>"
            "<BoxROI name='loose' box='0 0 0 1.5 1 0' strict='0'/>"
            "<BoxROI name='points' box='0 0 0 1 1 0' computeEdges='0' computeTriangles='0'/>");
  expect(&run, "/body/strict", "edgeIndices", "0 2");
  expect(&run, "/body/strict", "edgesInROI", "0 1 3 4");
  expect(&run, "/body/strict", "edgesOutROI", "1 2 4 5");
  expect(&run, "/body/strict", "triangleIndices", "0 1");
  expect(&run, "/body/strict", "triangleOutIndices", "2 3");
  expect(&run, "/body/strict", "indicesOut", "2 5");
  expect(&run, "/body/loose", "edgeIndices", "0 1 2 3");
  expect(&run, "/body/loose", "triangleIndices", "0 1 2");
  expect(&run, "/body/points", "edgeIndices", "");
  expect(&run, "/body/points", "triangleIndices", "");
  scene_run_close(&run);
}

/* The unit square in the plane x + z = 0, 0.2 thick. */
static void set(SceneRun *run, const char *path, const char *name, const char *text) {
  SofaObject *object = scene_run_object(run, path);
  assert_int_equal(sofa_field_set_text(object, name, text, 0), SOFA_OK);
  assert_int_equal(sofa_data_update(object), SOFA_OK);
}

/* Points that move and stay on their sides, points that change sides, other elements, options. */
static void selections_follow_their_inputs(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run,
            "<MechanicalObject name='state'/>"
            "<BoxROI name='box' box='0 0 0 1 1 0' edges='0 1 1 2' position='0 0 0 1 0 0 2 0 0'/>"
            "<SphereROI name='sphere' centers='0 0 0' radii='1' direction='1 0 0' "
            "edgeAngle='30' edges='0 1' position='0 0 0 0.5 0 0'/>");
  expect(&run, "/body/box", "edgeIndices", "0");
  set(&run, "/body/box", "position", "0 0.5 0 0.5 0 0 3 0 0");
  expect(&run, "/body/box", "edgeIndices", "0");
  expect(&run, "/body/box", "pointsInROI", "0 0.5 0 0.5 0 0");
  expect(&run, "/body/box", "pointsOutROI", "3 0 0");
  set(&run, "/body/box", "position", "4 0.5 0 0.5 0 0 1 0 0");
  expect(&run, "/body/box", "indices", "1 2");
  expect(&run, "/body/box", "edgeIndices", "1");
  set(&run, "/body/box", "edges", "1 2 2 1 0 1");
  expect(&run, "/body/box", "edgeIndices", "0 1");
  set(&run, "/body/box", "computeEdges", "0");
  expect(&run, "/body/box", "edgeIndices", "");
  expect(&run, "/body/sphere", "edgeIndices", "0");
  set(&run, "/body/sphere", "position", "0 0 0 0 0.5 0");
  expect(&run, "/body/sphere", "edgeIndices", "");
  set(&run, "/body/sphere", "edgeAngle", "0");
  expect(&run, "/body/sphere", "edgeIndices", "0");
  set(&run, "/body/sphere", "edgeAngle", "30");
  expect(&run, "/body/sphere", "edgeIndices", "");
  scene_run_close(&run);
}

static void oriented_box(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run, "<MechanicalObject name='state' position='0.5 0.5 -0.5  0.5 0.5 -0.3  "
                  "0.5 0.5 -0.7  1.1 0.5 -1.1  0.99 0.99 -0.99  0.5 -0.1 -0.5'/>"
                  "<BoxROI name='roi' orientedBox='0 0 0 1 0 -1 1 1 -1 0.2'/>");
  expect(&run, "/body/roi", "indices", "0 4");
  scene_run_close(&run);
}

static void kinds(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run, "<MechanicalObject name='state' template='Vec2d' position='0 0 5 5 0.5 1'/>"
                  "<BoxROI name='roi' box='0 0 7 1 1 8'/>");
  expect(&run, "/body/roi", "indices", "0 2");
  scene_run_close(&run);
  open_body(&run, "<MechanicalObject name='state' template='Rigid3d' "
                  "position='0 0 0 0 0 0 1 0.5 0.5 0.5 0 0 0 1 3 0 0 0 0 0 1'/>"
                  "<BoxROI name='roi' box='0 0 0 1 1 1'/>");
  expect(&run, "/body/roi", "indices", "0 1");
  expect(&run, "/body/roi", "pointsOutROI", "3 0 0 0 0 0 1");
  scene_run_close(&run);
}

/* A box that stands before its state is evaluated again once the positions are there. */
static void before_the_state(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run, "<RegularGridTopology name='grid' n='3 3 4' min='0 0 0' max='2 1 3'/>"
                  "<MechanicalObject name='state'/>"
                  "<Node name='child'><BoxROI name='roi' box='0 0 0 1 1 0'/></Node>"
                  "<FixedProjectiveConstraint name='fixed' indices='@child/roi.indices'/>");
  expect(&run, "/body/child/roi", "indices", "0 1 3 4 6 7");
  expect(&run, "/body/fixed", "indices", "0 1 3 4 6 7");
  scene_run_close(&run);
}

/* ---- fixed points ---- */

static void fixed_operations(void **state) {
  (void)state;
  SceneRun run;
  open_body(&run,
            "<MechanicalObject name='state' position='0 0 0 1 0 0 2 0 0'/>"
            "<FixedProjectiveConstraint name='some' indices='2 0'/>"
            "<FixedProjectiveConstraint name='all' fixAll='1' activate_projectVelocity='1'/>");
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
  SofaProjective *some = (SofaProjective *)scene_run_object(&run, "/body/some");
  SofaProjective *all = (SofaProjective *)scene_run_object(&run, "/body/all");
  double r[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  assert_int_equal(sofa_projective_ops(some)->velocity(some, &params, r), SOFA_OK);
  assert_true(r[0] == 1 && r[8] == 9);
  assert_int_equal(sofa_projective_ops(some)->response(some, &params, r), SOFA_OK);
  assert_true(r[0] == 0 && r[3] == 4 && r[5] == 6 && r[8] == 0);
  assert_null(sofa_projective_ops(some)->position);

  uint8_t mask[9] = {0};
  SofaDiscard discard = {.mask = mask, .n = 9};
  assert_int_equal(sofa_projective_ops(some)->discard(some, &params, &discard), SOFA_OK);
  assert_true(mask[0] && !mask[3] && !mask[5] && mask[6] && mask[8]);
  assert_int_equal(sofa_projective_ops(all)->discard(all, &params, &discard), SOFA_OK);
  assert_true(mask[4]);
  assert_int_equal(sofa_projective_ops(all)->velocity(all, &params, r), SOFA_OK);
  for (int k = 0; k < 9; k++) assert_true(r[k] == 0);
  scene_run_close(&run);
}

static void bad_indices(void **state) {
  (void)state;
  static const char text[] = "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                             "<MechanicalObject name='state' position='0 0 0 1 0 0 2 0 0'/>"
                             "<FixedProjectiveConstraint name='fixed' indices='7 0 9 1 2'/></Node>";
  for (int keep_going = 0; keep_going < 2; keep_going++) {
    SceneRun run = {.quiet = true};
    const SofaContextOptions options = {.keep_going = keep_going};
    scene_run_context(&run, &options);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    const SofaErr err = sofa_simulation_init(run.simulation);
    assert_int_equal(err, keep_going ? SOFA_OK : SOFA_ERR_SCENE);
    assert_non_null(strstr(run.last, "index 7 is not a point of the state"));
    /* the last entry takes the place of one that is left out */
    if (keep_going) expect(&run, "/fixed", "indices", "2 0 1");
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(borders_belong_to_the_box),
      cmocka_unit_test(elements),
      cmocka_unit_test(selections_follow_their_inputs),
      cmocka_unit_test(oriented_box),
      cmocka_unit_test(kinds),
      cmocka_unit_test(before_the_state),
      cmocka_unit_test(fixed_operations),
      cmocka_unit_test(bad_indices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
