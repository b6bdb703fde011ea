/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VonMisesStress: stresses at the nodes of each element from those of its quadrature points. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "draw/draw.h"

#define BEGIN "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"

static const SofaReals *stresses(SceneRun *run, const char *path) {
  SofaObject *object = scene_run_object(run, path);
  const SofaField *field = sofa_class_field(object->klass, "nodalStress");
  assert_int_equal(sofa_field_refresh(object, field), SOFA_OK);
  return sofa_field_value(object, field);
}

static void is_near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-10 * (1 + fabs(expected))))
    fail_msg("%.15g, expected %.15g", value, expected);
}

/* A unit cube with u_x = x y / 10, without Poisson's effect, and its stresses. */
#define SHEARED_CUBE                                                                               \
  BEGIN "<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' "                \
        "hexahedra='0 1 2 3 4 5 6 7'/>"                                                            \
        "<MechanicalObject rest_position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' "       \
        "position='0 0 0 1 0 0 1.1 1 0 0 1 0 0 0 1 1 0 1 1.1 1 1 0 1 1'/>"                         \
        "<LinearSmallStrainFEMForceField template='Vec3d,Hexahedron' youngModulus='100' "          \
        "poissonRatio='0'/><VonMisesStress name='stress'"

/* xx = E y / 10 and xy = E x / 20 are in the space of the shape functions, so that the nodes have
 * them. */
static void linear_stress(void **state) {
  (void)state;
  static const char scene[] = SHEARED_CUBE "/></Node>";
  static const double xy[8][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 1}, {0, 1}};
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  const SofaReals *s = stresses(&run, "/stress");
  assert_int_equal(s->n, 8);
  for (size_t i = 0; i < 8; i++) {
    const double xx = 10 * xy[i][1], shear = 5 * xy[i][0];
    is_near(s->data[i], sqrt(xx * xx + 3 * shear * shear));
  }
  scene_run_close(&run);
}

/* One quadrature point says one stress: each element has its own, neighbours do not share it. */
static void constant_stress(void **state) {
  (void)state;
  static const char scene[] = BEGIN
      "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1' tetrahedra='0 1 2 3 0 2 1 4'/>"
      "<MechanicalObject rest_position='0 0 0 1 0 0 0 1 0 0 0 1 0 0 -1' "
      "position='0 0 0 1 0 0 0 1 0 0 0 1.2 0 0 -1.5'/>"
      "<CorotationalFEMForceField name='other' template='Vec3d,Tetrahedron' youngModulus='1' "
      "poissonRatio='0'/>"
      "<LinearSmallStrainFEMForceField name='fem' template='Vec3d,Tetrahedron' youngModulus='100' "
      "poissonRatio='0'/><VonMisesStress name='stress' template='Vec3,Tetrahedron' "
      "stressEvaluator='@fem'/></Node>";
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  const SofaReals *s = stresses(&run, "/stress");
  assert_int_equal(s->n, 8);
  for (size_t i = 0; i < 8; i++) is_near(s->data[i], i < 4 ? 20 : 50);
  scene_run_close(&run);
}

/* The faces of an element, each with the colours of its corners: black where it is not stressed. */
static void drawing(void **state) {
  (void)state;
  static const char scene[] = SHEARED_CUBE " colorMap='black white'/></Node>";
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  SofaObject *object = scene_run_object(&run, "/stress");
  SofaDisplayFlags flags = {{0}};
  SofaDrawList list = {.ctx = run.ctx};
  const SofaDrawArgs args = {.list = &list, .flags = &flags};
  const SofaDrawOps *ops = sofa_ops(object, SOFA_DRAW);
  flags.value[SOFA_DISPLAY_VISUAL_MODELS] = -1;
  ops->draw(object, &args);
  const SofaDrawVertices *triangles = &list.vertices[SOFA_LAYER_SCENE][SOFA_DRAW_TRIANGLES];
  assert_int_equal(triangles->n, 0);
  flags.value[SOFA_DISPLAY_VISUAL_MODELS] = 1;
  ops->draw(object, &args);
  assert_int_equal(triangles->n, 6 * 2 * 3);
  double darkest = 255;
  for (size_t i = 0; i < triangles->n; i++) {
    const SofaDrawVertex *v = &triangles->data[i];
    if (v->p[0] > 1.05f) assert_true(v->rgba[0] > 100);
    darkest = fmin(darkest, v->rgba[0]);
  }
  assert_true(darkest < 10);
  sofa_draw_free(&list);
  scene_run_close(&run);
}

static void without_force_field(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx,
                                             BEGIN "<MechanicalObject/><VonMisesStress/></Node>",
                                             &run.simulation),
                   SOFA_OK);
  assert_int_not_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_non_null(strstr(run.all, "stressEvaluator"));
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(linear_stress),
                                     cmocka_unit_test(constant_stress), cmocka_unit_test(drawing),
                                     cmocka_unit_test(without_force_field)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
