/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes of the elements of collision models: those of a motion hold the boxes of its begin and of
 * its end and are no larger. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/collision_model.h"

#define POINTS                                                                                     \
  "<MeshTopology position='0 0 0 1 0.2 0.3 0.1 2 -0.4 0.5 0.6 1.7' edges='0 1 1 2' "               \
  "triangles='0 1 2 1 2 3' tetrahedra='0 1 2 3'/><MechanicalObject name='state'/>"
#define FRAMES                                                                                     \
  "<MechanicalObject name='state' template='Rigid3d' position='1 2 3 0 0 0 1 -1 0.5 2 0.5 0.5 "    \
  "0.5 0.5 0.3 0.2 0.1 0.6 0 0 0.8'/>"
#define SCENE(state, model)                                                                        \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" state "<" model           \
  " name='model' contactDistance='0.05'/></Node>"
#define CYLINDERS                                                                                  \
  SCENE(FRAMES, "CylinderCollisionModel radii='0.5 0.2' heights='1 3' defaultRadius='0.1'")

enum { MOST = 64 };

static const SofaCollisionModel *open_model(SceneRun *run, const char *scene) {
  scene_run_open(run, scene, NULL);
  SofaCollisionModel *m = (SofaCollisionModel *)scene_run_object(run, "/model");
  assert_int_equal(m->ops->update(m), SOFA_OK);
  return m;
}

/* Each coordinate on a way of its own; frames turn, too. */
static void place_later(const SofaCoords *x, double *to) {
  static const double turned[4] = {0.48, 0.64, 0, 0.6};
  for (size_t k = 0; k < x->n * x->width; k++)
    to[k] = x->data[k] + 0.1 * (double)(k % 5) - 0.3 * (double)(k % 3 == 1);
  for (size_t i = 0; x->width == 7 && i < x->n; i++) memcpy(to + 7 * i + 3, turned, sizeof turned);
}

static void check_model(const SofaCollisionModel *m) {
  SofaCoords *x = &m->state->position;
  const size_t size = x->n * x->width * sizeof(double);
  double now[6 * MOST], end[6 * MOST], both[6 * MOST], later[7 * MOST], before[7 * MOST];
  assert_true(m->n > 0 && m->n <= MOST);
  place_later(x, later);
  memcpy(before, x->data, size);
  sofa_collision_boxes(m, NULL, now);
  sofa_collision_boxes(m, later, both);
  memcpy(x->data, later, size);
  sofa_collision_boxes(m, NULL, end);
  memcpy(x->data, before, size);
  for (size_t i = 0; i < 6 * m->n; i++) {
    const double expected = i % 6 < 3 ? fmin(now[i], end[i]) : fmax(now[i], end[i]);
    if (!(fabs(both[i] - expected) < 1e-14))
      fail_msg("%s: entry %zu is %g, expected %g", m->object.klass->name, i, both[i], expected);
  }
}

static void motions_have_the_boxes_of_both_ends(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE(POINTS, "PointCollisionModel"),
      SCENE(POINTS, "LineCollisionModel"),
      SCENE(POINTS, "TriangleCollisionModel"),
      SCENE(POINTS, "SphereCollisionModel radius='0.3'"),
      SCENE(POINTS, "TetrahedronCollisionModel"),
      CYLINDERS,
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    SceneRun run;
    check_model(open_model(&run, scenes[i]));
    scene_run_close(&run);
  }
}

/* Of a cylinder of radius r and height h along y: r, h / 2, r and the contact distance; turned to
 * the axis z: r, r, h / 2. */
static void boxes_of_cylinders(void **state) {
  (void)state;
  SceneRun run;
  double boxes[6 * MOST];
  const SofaCollisionModel *m = open_model(&run, CYLINDERS);
  static const double reach[2][3] = {{0.55, 0.55, 0.55}, {0.25, 0.25, 1.55}};
  static const double center[2][3] = {{1, 2, 3}, {-1, 0.5, 2}};
  sofa_collision_boxes(m, NULL, boxes);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(boxes[6 * i + k] - (center[i][k] - reach[i][k])) < 1e-12);
      assert_true(fabs(boxes[6 * i + 3 + k] - (center[i][k] + reach[i][k])) < 1e-12);
    }
  scene_run_close(&run);
}

/* The same of a cylinder along another axis: h / 2 |a_k| + r sqrt(1 - a_k^2) along each direction.
 */
static void axes_of_cylinders(void **state) {
  static const struct {
    const char *axis;
    double reach[3]; /* of r = 0.5, h = 3 and 0.05 */
  } rows[] = {{"1 0 0", {1.55, 0.55, 0.55}},
              {"0 0 2", {0.55, 0.55, 1.55}},
              {"3 4 0", {0.05 + 0.6 * 1.5 + 0.8 * 0.5, 0.05 + 0.8 * 1.5 + 0.6 * 0.5, 0.55}}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    SceneRun run;
    char text[500];
    double box[6];
    snprintf(text, sizeof text,
             SCENE("<MechanicalObject name='state' template='Rigid3d' position='1 2 3 0 0 0 1'/>",
                   "CylinderCollisionModel radii='0.5' heights='3' defaultLocalAxis='%s'"),
             rows[i].axis);
    sofa_collision_boxes(open_model(&run, text), NULL, box);
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(box[k] - (k + 1 - rows[i].reach[k])) < 1e-12);
      assert_true(fabs(box[3 + k] - (k + 1 + rows[i].reach[k])) < 1e-12);
    }
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(motions_have_the_boxes_of_both_ends),
      cmocka_unit_test(boxes_of_cylinders),
      cmocka_unit_test(axes_of_cylinders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
