/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values and meshes that force fields refuse, each with its message; with keep_going the rest of
 * the scene is made and runs a step. */
#include "tests/support/scene_run.h"

#define TRIANGLE "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
#define TETRA "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"
#define FLAT "<MeshTopology position='0 0 0 1 0 0 0 1 0 1 1 0' tetrahedra='0 1 2 3'/>"
#define STATE "<MechanicalObject name='s'/>"
#define FRAMES "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
#define MATERIAL " youngModulus='100' poissonRatio='0.3'/>"
/* two states, of two points and of one */
#define PAIR                                                                                       \
  "<Node name='a'><MechanicalObject name='s' position='0 0 0 1 0 0'/></Node>"                      \
  "<Node name='b'><MechanicalObject name='s' position='0 0 0'/></Node>"

static const struct {
  const char *body, *message;
} refused[] = {
    {"<MeshTopology position='0 0 0 1 0 0'/>" FRAMES "<BeamFEMForceField radius='0.1'" MATERIAL,
     "the topology has no edges"},
    {TRIANGLE STATE "<TriangularAnisotropicFEMForceField fiberCenter='0 0 0 1 1 1' "
                    "transverseYoungModulus='50'" MATERIAL,
     "field 'fiberCenter': has 2 points, expected one"},
    {TRIANGLE STATE "<TriangularFEMForceFieldOptim method='small'" MATERIAL,
     "field 'method': is 'small', expected 'large'"},
    {TETRA STATE
     "<CorotationalFEMForceField template='Vec3d,Tetrahedron' planeState='strain'" MATERIAL,
     "field 'planeState'"},
    {TETRA STATE
     "<TetrahedralCorotationalFEMForceField method='small' computeVonMisesStress='1'" MATERIAL,
     "field 'computeVonMisesStress': needs a method other than 'small'"},
    {TETRA STATE "<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' "
                 "ParameterSet='-100 300'/>",
     "(value 0) is -100, expected"},
    {FLAT "<MechanicalObject name='places' tags='meca'/><Node><MechanicalObject "
          "template='Vec1d' position='0 0 0 0'/><TetrahedronDiffusionFEMForceField "
          "constantDiffusionCoefficient='1' tagMechanics='meca'/></Node>",
     "tetrahedron 0 has no volume"},
    {"<EulerExplicitSolver/><MechanicalObject position='0 0 0 0 0 0'/><UniformMass "
     "totalMass='1'/><PolynomialSpringsForceField "
     "firstObjectPoints='0' secondObjectPoints='1' polynomialStiffness='1' polynomialDegree='1'/>",
     "coincide, so that there is no rest length"},
    {PAIR "<VectorSpringForceField object1='@a' object2='@b'/>",
     "object1 has 2 points, object2 only 1: points of the same number are joined"},
    {PAIR "<Node><MeshTopology position='0 0 0 1 0 0' edges='0 1'/><VectorSpringForceField "
          "object1='@../a' object2='@../b' useTopology='1'/></Node>",
     "edge 0 of the topology has vertex 1, but the states have 2 and 1 points"},
    {FRAMES "<JointSpringForceField spring='0 1'/>",
     "field 'spring': expected BEGIN_SPRING for spring 0, found '0'"},
    {FRAMES "<JointSpringForceField spring='BEGIN_SPRING 0 1 END_SPRING 7'/>",
     "expected BEGIN_SPRING for spring 1, found '7'"},
    {FRAMES "<JointSpringForceField spring='BEGIN_SPRING 0 1 END_SPRING BEGIN_SPRING 2 1 "
            "END_SPRING'/>",
     "spring 1: frame 2 does not exist, object1 has 2 frames"},
    {FRAMES "<GearSpringForceField spring='BEGIN_SPRING 0 0 1 5 RATIO 1 END_SPRING'/>",
     "spring 0: frame 5 does not exist, object2 has 2 frames"},
    {FRAMES "<JointSpringForceField spring='BEGIN_SPRING 0 1 KD 3'/>",
     "spring 0 has no END_SPRING"},
    {"<Node name='r'><MechanicalObject name='f' template='Rigid3d'/></Node>" STATE
     "<RestShapeSpringsForceField external_rest_shape='@r/f' stiffness='3'/>",
     "field 'external_rest_shape'"},
    {"<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
     "<Node><MechanicalObject position='0 0 0'/><TaitSurfacePressureForceField "
     "topology='@../MeshTopology1' p0='1' B='1' gamma='1' injectedVolume='0'/></Node>",
     "triangle 0 1 2: the state has 1 points only"},
    {"<MeshTopology position='0 0 0 1 0 0 2 0 0 3 0 0' edges='0 1 1 2 2 3'/>" STATE
     "<EdgePressureForceField edgeIndices='0 1 2' p_intensity='1 2' binormal='0 0 1'/>",
     "field 'p_intensity': has 2 numbers, expected 1 or one for each of the 3 edges"},
    {"<MeshTopology position='0 0 0 1 0 0' edges='0 1'/><Node><MechanicalObject "
     "position='0 0 0'/><EdgePressureForceField topology='@../MeshTopology1' edges='0 1' "
     "pressure='0 0 1'/></Node>",
     "edge 0 1: the state has 1 points only"},
};

static SofaErr load(SceneRun *run, const char *body, bool keep_going) {
  char text[2000];
  const SofaContextOptions options = {.keep_going = keep_going};
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>", body);
  *run = (SceneRun){.quiet = true};
  scene_run_context(run, &options);
  SofaErr err = sofa_simulation_load_text(run->ctx, text, &run->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run->simulation);
  return err;
}

static void refused_with_a_message(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < SOFA_COUNT(refused); i++) {
    SceneRun run;
    SofaErr err = load(&run, refused[i].body, false);
    if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
    const bool good = err != SOFA_OK && strstr(run.all, refused[i].message) && *refused[i].message;
    if (!good) print_error("%s: %s, '%s'\n", refused[i].body, sofa_err_text(err), run.all);
    wrong += !good;
    scene_run_close(&run);
    if (load(&run, refused[i].body, true) == SOFA_OK)
      assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
    scene_run_close(&run);
  }
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refused_with_a_message)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
