/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Materials with a history as parts of a scene: wrong values, resets, threads, topological changes,
 * and the outputs of elements. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/state.h"

#define VISCOUS(more)                                                                              \
  "<ViscoelasticMaterial name='law' materialName='NeoHookean' ParameterSet='3000 5000' "           \
  "branchModuli='2000 900' relaxationTimes='0.05 2' " more "/>"
#define PLASTIC(more)                                                                              \
  "<J2PlasticMaterial name='law' youngModulus='8000' yieldStress='60' "                            \
  "hardeningModulus='300' " more "/>"
/* a beam of 216 tetrahedra under its weight */
#define BEAM(material)                                                                             \
  "<Node name='root' gravity='0 0 -10' dt='0.02'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/><EulerImplicitSolver/><SparseLDLSolver/>"                            \
  "<Node name='body'><RegularGridTopology name='grid' n='5 4 4' min='0 0 0' max='2 1.5 1.6'/>"     \
  "<MechanicalObject name='state'/><UniformMass totalMass='30'/>"                                  \
  "<FixedProjectiveConstraint indices='0 5 10 15 20 25 30 35'/>"                                   \
  "<Node name='tetras'><TetrahedronSetTopologyContainer name='tetras'/>"                           \
  "<Hexa2TetraTopologicalMapping input='@../grid' output='@tetras'/>" material                     \
  "<TetrahedronHyperelasticityFEMForceField name='fem' material='@law'/></Node></Node></Node>"

/* ---- wrong values ---- */

static void refused(const char *material, const char *word, const char *other) {
  char scene[3000];
  SceneRun run = {.quiet = true};
  snprintf(scene, sizeof scene, BEAM("%s"), material);
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, word)) fail_msg("'%s' is not in: %s", word, run.last);
  if (!strstr(run.last, other)) fail_msg("'%s' is not in: %s", other, run.last);
  scene_run_close(&run);
}

static void wrong_values(void **state) {
  (void)state;
  refused("<ViscoelasticMaterial name='law' materialName='NeoHookean' ParameterSet='3 5' "
          "branchModuli='2 9' relaxationTimes='1'/>",
          "relaxationTimes", "1 times given for 2 branchModuli");
  refused("<ViscoelasticMaterial name='law' materialName='NeoHookean' ParameterSet='3' "
          "branchModuli='2' relaxationTimes='1'/>",
          "ParameterSet", "takes 2");
  refused("<J2PlasticMaterial name='law' yieldStress='60' saturationStress='50'/>",
          "saturationStress", "softening is not supported yet");
  refused("<HolzapfelGasserOgdenMaterial name='law' fibres='1 0 0  0 1 0'/>", "values for 2",
          "there are 216");
  refused("<HolzapfelGasserOgdenMaterial name='law' fibres='0 0 0'/>", "fibres", "no direction");
  refused("<HolzapfelGasserOgdenMaterial name='law'/>", "fibres", "there are no fibres");
  refused("<HolzapfelGasserOgdenMaterial name='law' fibres='1 0 0  0 1 0' "
          "fibres2='0 0 1  0 1 0  1 0 0'/>",
          "fibres2", "3 directions given, but 2 of the first family");
  refused("<HolzapfelGasserOgdenMaterial name='law' fibres='1 0 0  0 1 0' "
          "fibres2='0 0 1  0 1 0'/>",
          "values for 2", "there are 216");
  refused("<HolzapfelGasserOgdenMaterial name='law' fibres='1 0 0' fibres2='0 0 1  0 1 0'/>",
          "values for 2", "there are 216");
  refused("<MuscleMaterial name='law' materialName='NeoHookean' ParameterSet='3 5' "
          "fibres='1 0 0  0 1 0' activation='1 1 1'/>",
          "activation", "3 values given for 2 fibres");
  refused("<MuscleMaterial name='law' materialName='NeoHookean' ParameterSet='3 5' fibres='1 0 0' "
          "keyTimes='0 2 1' keyValues='0 1 2'/>",
          "keyTimes", "is not after");
  refused("<MuscleMaterial name='law' materialName='NeoHookean' ParameterSet='3 5' fibres='1 0 0' "
          "keyTimes='0 2'/>",
          "keyValues", "0 values given for 2");
}

/* ---- history ---- */

static void steps(SceneRun *run, int n) {
  for (int i = 0; i < n; i++) assert_int_equal(sofa_simulation_step(run->simulation, 0), SOFA_OK);
}

static double real_of(SceneRun *run, const char *path, const char *name) {
  SofaObject *object = scene_run_object(run, path);
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_int_equal(sofa_field_refresh(object, field), SOFA_OK);
  return *(const double *)sofa_field_value(object, field);
}

/* A copy of the positions; the caller frees it. */
static double *positions(SceneRun *run, size_t *n) {
  const SofaState *state = (const SofaState *)scene_run_object(run, "/body/state");
  *n = state->position.n * state->position.width;
  double *copy = malloc(*n * sizeof *copy);
  assert_non_null(copy);
  memcpy(copy, state->position.data, *n * sizeof *copy);
  return copy;
}

static const char *const scenes[] = {BEAM(VISCOUS("")), BEAM(PLASTIC(""))};

/* A reset forgets the history: the second run has the bits of the first. */
static void resets(void **state) {
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    SceneRun run;
    size_t n;
    scene_run_open(&run, scenes[i], NULL);
    steps(&run, 12);
    double *first = positions(&run, &n);
    const double lost = real_of(&run, "/body/tetras/fem", "dissipatedEnergy");
    assert_true(lost > 0);
    assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
    assert_true(real_of(&run, "/body/tetras/fem", "dissipatedEnergy") == 0);
    steps(&run, 12);
    double *second = positions(&run, &n);
    assert_memory_equal(first, second, n * sizeof *first);
    assert_true(real_of(&run, "/body/tetras/fem", "dissipatedEnergy") == lost);
    free(first);
    free(second);
    scene_run_close(&run);
  }
}

static void threads(void **state) {
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    double *found[2];
    size_t n = 0;
    for (int k = 0; k < 2; k++) {
      const SofaContextOptions options = {.threads = k ? 3 : 1};
      SceneRun run;
      scene_run_open(&run, scenes[i], &options);
      steps(&run, 8);
      found[k] = positions(&run, &n);
      scene_run_close(&run);
    }
    assert_memory_equal(found[0], found[1], n * sizeof *found[0]);
    free(found[0]);
    free(found[1]);
  }
}

/* A value for each element is the same as one for all where they are equal. */
static void values_per_element(void **state) {
  (void)state;
  char list[1000] = "", scene[4000];
  double *found[2];
  size_t n = 0;
  for (int k = 0; k < 216; k++) strcat(list, "0.5 ");
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    snprintf(scene, sizeof scene,
             BEAM("<MuscleMaterial name='law' materialName='NeoHookean' ParameterSet='3000 5000' "
                  "activeStress='200' fibres='1 1 0' activation='%s'/>"),
             k ? list : "0.5");
    scene_run_open(&run, scene, NULL);
    steps(&run, 5);
    found[k] = positions(&run, &n);
    scene_run_close(&run);
  }
  assert_memory_equal(found[0], found[1], n * sizeof *found[0]);
  free(found[0]);
  free(found[1]);
}

/* Keys scale the activation: twice a half is a whole one, and not a half. */
static void keys_scale_the_activation(void **state) {
  (void)state;
  static const char *const given[] = {"1'", "0.5' keyTimes='0 1' keyValues='2 2'", "0.5'"};
  char scene[4000];
  double *found[3];
  size_t n = 0;
  for (int k = 0; k < 3; k++) {
    SceneRun run;
    snprintf(scene, sizeof scene,
             BEAM("<MuscleMaterial name='law' materialName='NeoHookean' ParameterSet='3000 5000' "
                  "activeStress='200' fibres='1 1 0' activation='%s/>"),
             given[k]);
    scene_run_open(&run, scene, NULL);
    steps(&run, 2);
    found[k] = positions(&run, &n);
    scene_run_close(&run);
  }
  assert_memory_equal(found[0], found[1], n * sizeof *found[0]);
  assert_memory_not_equal(found[1], found[2], n * sizeof *found[0]);
  for (int k = 0; k < 3; k++) free(found[k]);
}

/* Energies that are read do not move the history: an observed run has the bits of another. */
static void reading_changes_nothing(void **state) {
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    SceneRun run;
    size_t n;
    double *found[2], kinetic, potential;
    for (int k = 0; k < 2; k++) {
      scene_run_open(&run, scenes[i], NULL);
      for (int step = 0; step < 8; step++) {
        steps(&run, 1);
        if (!k) continue;
        assert_int_equal(sofa_simulation_energies(run.simulation, &kinetic, &potential), SOFA_OK);
        assert_int_equal(sofa_scene_dissipated(run.simulation->root, &kinetic), SOFA_OK);
        assert_true(kinetic >= 0 && isfinite(potential));
      }
      found[k] = positions(&run, &n);
      scene_run_close(&run);
    }
    assert_memory_equal(found[0], found[1], n * sizeof *found[0]);
    free(found[0]);
    free(found[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_values),
                                     cmocka_unit_test(resets),
                                     cmocka_unit_test(threads),
                                     cmocka_unit_test(values_per_element),
                                     cmocka_unit_test(keys_scale_the_activation),
                                     cmocka_unit_test(reading_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
