/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses and strains of points: the mean of the elements around a point by their volume at rest,
 * in every kind of element. */
#include "tests/support/scene_run.h"

#include <math.h>

/* Two tetrahedra of 1/6 and 1/3 m^3 with a common face, the tip of the second one moved. */
#define SCENE(force_field)                                                                         \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 0.5 0.5 -2' "                       \
  "tetrahedra='0 1 2 3 0 2 1 4'/>"                                                                 \
  "<MechanicalObject name='state' rest_position='0 0 0 1 0 0 0 1 0 0 0 1 0.5 0.5 -2' "             \
  "position='0 0 0 1 0 0 0 1 0 0.1 0 1 0.5 0.7 -2.2'/>" force_field "</Node>"

static const char *const scenes[] = {
    SCENE("<TetrahedronFEMForceField name='fem' youngModulus='900' poissonRatio='0.3'/>"),
    SCENE("<TetrahedralCorotationalFEMForceField name='fem' youngModulus='900' "
          "poissonRatio='0.3'/>"),
    SCENE("<CorotationalFEMForceField template='Vec3d,Tetrahedron' name='fem' youngModulus='900' "
          "poissonRatio='0.3'/>"),
    SCENE("<TetrahedronHyperelasticityFEMForceField name='fem' materialName='NeoHookean' "
          "ParameterSet='340 500'/>"),
    SCENE("<J2PlasticMaterial name='law' yieldStress='900'/>"
          "<TetrahedronHyperelasticityFEMForceField name='fem' material='@law'/>"),
};

static const double (*tensors(SceneRun *run, const char *name, size_t n))[6] {
  SofaObject *object = scene_run_object(run, "/fem");
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_non_null(field);
  assert_int_equal(sofa_field_refresh(object, field), SOFA_OK);
  const SofaVec6s *list = sofa_field_value(object, field);
  assert_int_equal(list->n, n);
  return (const double(*)[6])list->data;
}

static void check(SceneRun *run, const char *element, const char *node) {
  const double(*e)[6] = tensors(run, element, 2), (*p)[6] = tensors(run, node, 5);
  double most = 0;
  for (int k = 0; k < 6; k++) {
    const double mean = (e[0][k] + 2 * e[1][k]) / 3;
    const double expected[5] = {mean, mean, mean, e[0][k], e[1][k]};
    most = fmax(most, fabs(e[0][k] - e[1][k]));
    for (int i = 0; i < 5; i++)
      if (!(fabs(p[i][k] - expected[i]) <= 1e-12 * (1 + fabs(expected[i]))))
        fail_msg("%s of point %d, %d: %.15g, expected %.15g", node, i, k, p[i][k], expected[i]);
  }
  assert_true(most > 0.01); // else the means would say nothing
}

static void means_by_volume(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    SceneRun run;
    scene_run_open(&run, scenes[i], NULL);
    check(&run, "elementStress", "nodeStress");
    check(&run, "elementStrain", "nodeStrain");
    scene_run_close(&run);
  }
}

/* The principal stresses have the invariants of the stress, and descend. */
static void principal_stresses(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    SceneRun run;
    scene_run_open(&run, scenes[i], NULL);
    const double(*s)[6] = tensors(&run, "elementStress", 2);
    SofaObject *object = scene_run_object(&run, "/fem");
    const SofaField *field = sofa_class_field(object->klass, "principalStressPerElement");
    assert_int_equal(sofa_field_refresh(object, field), SOFA_OK);
    const SofaVec3s *list = sofa_field_value(object, field);
    assert_int_equal(list->n, 2);
    for (int e = 0; e < 2; e++) {
      const double *p = list->data[e].v, *t = s[e];
      const double square =
          t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + 2 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]);
      assert_true(p[0] >= p[1] && p[1] >= p[2]);
      assert_true(fabs(p[0] + p[1] + p[2] - t[0] - t[1] - t[2]) < 1e-10 * sqrt(square));
      assert_true(fabs(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - square) < 1e-10 * square);
    }
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(means_by_volume),
                                     cmocka_unit_test(principal_stresses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
