/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What finite elements tell about themselves: strain and stress of uniform deformations, matrices
 * of elements, masses, forces of beams. */
#include "tests/support/scene_run.h"

#include <math.h>

/* The unit cube, stretched by 1.1 along x and 0.95 along y, sheared by 0.02 in the strain; then
 * turned by a quarter about z and moved. */
#define CUBE "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"
#define TETRAHEDRA "0 1 2 6 0 2 3 6 0 5 1 6 0 3 7 6 0 7 4 6 0 4 5 6"
static const double stretch[9] = {1.1, 0.02, 0, 0.02, 0.95, 0, 0, 0, 1};

/* Positions of n points of the cube, deformed; turned: and rotated. */
static void deformed(char *out, size_t size, size_t n, bool turned) {
  static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  size_t at = 0;
  for (size_t i = 0; i < n; i++) {
    double p[3] = {0, 0, 0};
    for (int k = 0; k < 9; k++) p[k / 3] += stretch[k] * cube[i][k % 3];
    const double x = turned ? 3 - p[1] : p[0], y = turned ? 1 + p[0] : p[1];
    at += (size_t)snprintf(out + at, size - at, "%.17g %.17g %.17g ", x, y, p[2]);
  }
}

static const void *output(SceneRun *run, const char *path, const char *name) {
  SofaObject *object = scene_run_object(run, path);
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_non_null(field);
  assert_int_equal(sofa_field_compute(object, field), SOFA_OK);
  return sofa_field_value(object, field);
}

typedef struct Case {
  const char *topology, *force_field;
  size_t n_points, n_elements;
  bool turned;
  int law_dim; /* 3, or 2 in plane stress */
} Case;

static void check(const Case *c) {
  char positions[1000], scene[3000];
  SceneRun run;
  deformed(positions, sizeof positions, c->n_points, c->turned);
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><MeshTopology name='t' position='" CUBE
           "' %s/><MechanicalObject name='s' rest_position='@t.position' position='%s'/>"
           "<%s name='f' youngModulus='1000' poissonRatio='0.25'/></Node>",
           c->topology, positions, c->force_field);
  scene_run_open(&run, scene, NULL);
  const SofaVec6s *strain = output(&run, "/f", "elementStrain");
  const SofaVec6s *stress = output(&run, "/f", "elementStress");
  assert_int_equal(strain->n, c->n_elements);
  assert_int_equal(stress->n, c->n_elements);
  const double wanted[6] = {0.1, -0.05, 0, 0.02, 0, 0}, mu = 400;
  const double lambda = 1000 * 0.25 / (1.25 * (1 - (c->law_dim - 1) * 0.25));
  for (size_t e = 0; e < c->n_elements; e++)
    for (int k = 0; k < 6; k++) {
      const bool normal = k < (c->law_dim == 2 ? 2 : 3);
      const double s = 2 * mu * wanted[k] + (normal ? lambda * 0.05 : 0);
      if (fabs(strain->data[e].v[k] - wanted[k]) > 1e-12)
        fail_msg("%s: strain %d of element %zu is %g", c->force_field, k, e, strain->data[e].v[k]);
      if (fabs(stress->data[e].v[k] - s) > 1e-9)
        fail_msg("%s: stress %d is %g, not %g", c->force_field, k, stress->data[e].v[k], s);
    }
  scene_run_close(&run);
}

#define TETRA_MESH "tetrahedra='" TETRAHEDRA "'"
#define HEXA_MESH "hexahedra='0 1 2 3 4 5 6 7'"

static void uniform_deformations(void **state) {
  static const Case cases[] = {
      {TETRA_MESH, "TetrahedronFEMForceField method='large'", 8, 6, true, 3},
      {TETRA_MESH, "TetrahedronFEMForceField method='small'", 8, 6, false, 3},
      {TETRA_MESH, "TetrahedralCorotationalFEMForceField", 8, 6, true, 3},
      {TETRA_MESH, "FastTetrahedralCorotationalForceField", 8, 6, true, 3},
      {HEXA_MESH, "HexahedronFEMForceField", 8, 1, true, 3},
      {HEXA_MESH, "HexahedronFEMForceField method='small'", 8, 1, false, 3},
      {HEXA_MESH, "HexahedralFEMForceField", 8, 1, true, 3},
      {HEXA_MESH, "CorotationalFEMForceField template='Vec3d,Hexahedron'", 8, 1, true, 3},
      {HEXA_MESH, "LinearSmallStrainFEMForceField template='Vec3d,Hexahedron'", 8, 1, false, 3},
      {TETRA_MESH, "CorotationalFEMForceField template='Vec3d,Tetrahedron'", 8, 6, true, 3},
      // x is along the first edge
      {"triangles='0 1 2'", "TriangularFEMForceField", 8, 1, true, 2},
      {"triangles='0 1 2'", "TriangleFEMForceField", 8, 1, true, 2},
      {"triangles='0 1 2'", "TriangularFEMForceFieldOptim", 8, 1, true, 2},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(&cases[i]);
}

/* A rigid motion and a translation do no work: rows of the matrices sum up to zero. */
static void matrices_of_elements(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root'><DefaultAnimationLoop/><MeshTopology position='" CUBE
                 "' hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject/>"
                 "<HexahedronFEMForceFieldAndMass name='a' youngModulus='1000' poissonRatio='0.3' "
                 "density='3'/><HexahedralFEMForceFieldAndMass name='b' youngModulus='1000' "
                 "poissonRatio='0.3' density='3'/>"
                 "<LinearSmallStrainFEMForceField name='c' template='Vec3d,Hexahedron' "
                 "youngModulus='1000' poissonRatio='0.3'/></Node>",
                 NULL);
  const SofaReals *k[2] = {output(&run, "/a", "stiffnessMatrices"),
                           output(&run, "/c", "elementStiffness")};
  for (int m = 0; m < 2; m++) {
    assert_int_equal(k[m]->n, 576);
    for (int row = 0; row < 24; row++) {
      double sum[3] = {0, 0, 0};
      for (int c = 0; c < 24; c++) sum[c % 3] += k[m]->data[24 * row + c];
      for (int c = 0; c < 3; c++) assert_true(fabs(sum[c]) < 1e-9);
      for (int c = 0; c < 24; c++) {
        assert_true(fabs(k[m]->data[24 * row + c] - k[m]->data[24 * c + row]) < 1e-9);
        assert_true(fabs(k[0]->data[24 * row + c] - k[1]->data[24 * row + c]) < 1e-9);
      }
    }
  }
  static const char *const paths[] = {"/a", "/b"};
  for (int m = 0; m < 2; m++) {
    const SofaReals *mass = output(&run, paths[m], "massMatrices");
    double sum = 0;
    assert_int_equal(mass->n, 576);
    for (int i = 0; i < 576; i++) sum += mass->data[i];
    assert_true(fabs(sum - 9) < 1e-12);
  }
  const SofaReals *total = output(&run, "/b", "totalMass");
  assert_true(total->n == 1 && fabs(total->data[0] - 3) < 1e-12);
  const SofaReals *points = output(&run, "/b", "particleMasses");
  const SofaVec3s *lumped = output(&run, "/b", "lumpedMasses");
  assert_int_equal(points->n, 8);
  for (int i = 0; i < 8; i++)
    assert_true(fabs(points->data[i] - 0.375) < 1e-12 &&
                fabs(lumped->data[i].v[2] - 0.375) < 1e-12);
  scene_run_close(&run);
}

static void largest_principal_stress(void **state) {
  SceneRun run;
  (void)state;
  // E / (1 - nu^2) (0.1 + nu 0) along x, which is the larger one
  scene_run_open(
      &run,
      "<Node name='root'><DefaultAnimationLoop/><MeshTopology triangles='0 1 2'/>"
      "<MechanicalObject rest_position='0 0 0 1 0 0 0 1 0' position='0 0 0 1.1 0 0 0 1 0'/>"
      "<TriangularFEMForceFieldOptim name='f' youngModulus='1000' poissonRatio='0.25'/>"
      "</Node>",
      NULL);
  const double *most = output(&run, "/f", "stressMaxValue");
  assert_true(fabs(*most - 1000 / (1 - 0.0625) * 0.1) < 1e-9);
  scene_run_close(&run);
}

/* StVenantKirchhoff: S = 2 mu E + lambda tr E I, sigma = F S F^T / J; turned by a quarter. */
static void hyperelastic_stress(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root'><DefaultAnimationLoop/><MeshTopology position='0 0 0 1 0 0 0 1 "
                 "0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject rest_position='0 0 0 1 0 0 0 1 "
                 "0 0 0 1' position='0 0 0 0 1.2 0 -1 0 0 0 0 1'/>"
                 "<TetrahedronHyperelasticityFEMForceField name='f' "
                 "materialName='StVenantKirchhoff' ParameterSet='3 5'/></Node>",
                 NULL);
  const SofaVec6s *strain = output(&run, "/f", "elementStrain");
  const SofaVec6s *stress = output(&run, "/f", "elementStress");
  assert_true(strain->n == 1 && stress->n == 1);
  const double e = (1.44 - 1) / 2, s[2] = {(2 * 3 + 5) * e, 5 * e};
  const double wanted[6] = {s[1] / 1.2, s[0] * 1.2, s[1] / 1.2, 0, 0, 0};
  for (int k = 0; k < 6; k++) {
    assert_true(fabs(strain->data[0].v[k] - (k == 0 ? e : 0)) < 1e-12);
    assert_true(fabs(stress->data[0].v[k] - wanted[k]) < 1e-12);
  }
  scene_run_close(&run);
}

/* A beam that is pulled: E A / L u at both ends. */
static void forces_of_beams(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(
      &run,
      "<Node name='root'><DefaultAnimationLoop/><MeshTopology edges='0 1'/>"
      "<MechanicalObject template='Rigid3d' rest_position='0 0 0 0 0 0 1 2 0 0 0 0 0 1' "
      "position='0 0 0 0 0 0 1 2.01 0 0 0 0 0 1'/><BeamFEMForceField name='f' radius='0.1' "
      "youngModulus='1000' poissonRatio='0.3'/></Node>",
      NULL);
  const SofaReals *f = output(&run, "/f", "beamsData");
  assert_int_equal(f->n, 12);
  const double axial = 1000 * acos(-1.0) * 0.01 / 2 * 0.01;
  for (int k = 0; k < 12; k++) {
    const double wanted = k == 0 ? -axial : k == 6 ? axial : 0;
    assert_true(fabs(f->data[k] - wanted) < 1e-12);
  }
  scene_run_close(&run);
}

/* The von Mises stresses of a stretched cube with the method 'small', which has none of its own;
 * with keep_going the scene runs although it asks for them. */
static double mises_of_small(bool asked) {
  const SofaContextOptions options = {.keep_going = true};
  char positions[1000], scene[3000];
  SceneRun run = {.quiet = true};
  deformed(positions, sizeof positions, 8, true);
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><MeshTopology name='t' position='" CUBE
           "' " TETRA_MESH
           "/><MechanicalObject name='s' rest_position='@t.position' position='%s'/>"
           "<TetrahedralCorotationalFEMForceField name='f' method='small' youngModulus='1000' "
           "poissonRatio='0.25' computeVonMisesStress='%d'/></Node>",
           positions, asked);
  scene_run_context(&run, &options);
  assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  const SofaReals *mises = output(&run, "/f", "vonMisesPerElement");
  assert_int_equal(mises->n, 6);
  const double result = mises->data[0];
  assert_false(*(const bool *)output(&run, "/f", "computeVonMisesStress"));
  scene_run_close(&run);
  return result;
}

static void own_stresses_of_small_are_left_out(void **state) {
  (void)state;
  const double mises = mises_of_small(false);
  assert_true(mises > 0 && mises_of_small(true) == mises);
}

/* A state that is linked to a lazy output has its value at the end of the step. */
static void others_are_linked_to_stress(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>"
                 "<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-12' "
                 "threshold='1e-20'/><MeshTopology position='" CUBE
                 "' hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject/><UniformMass totalMass='1'/>"
                 "<HexahedronFEMForceField name='f' youngModulus='1000' poissonRatio='0.3'/>"
                 "<FixedProjectiveConstraint indices='0 1 4 5'/>"
                 "<Node name='c'><MechanicalObject name='m' template='Vec6d' "
                 "position='@../f.elementStress'/></Node></Node>",
                 NULL);
  double before[6] = {0};
  for (int i = 0; i < 3; i++) {
    scene_run_steps(&run, 1);
    const SofaState *m = scene_run_state(&run, "/c/m");
    assert_int_equal(m->position.n, 1);
    const SofaVec6s *stress = output(&run, "/f", "elementStress");
    assert_memory_equal(m->position.data, stress->data[0].v, sizeof before);
    assert_true(stress->n == 1 && stress->data[0].v[3] != before[3]);
    memcpy(before, stress->data[0].v, sizeof before);
  }
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uniform_deformations),
      cmocka_unit_test(matrices_of_elements),
      cmocka_unit_test(largest_principal_stress),
      cmocka_unit_test(hyperelastic_stress),
      cmocka_unit_test(forces_of_beams),
      cmocka_unit_test(others_are_linked_to_stress),
      cmocka_unit_test(own_stresses_of_small_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
