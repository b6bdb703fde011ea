/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quirks of elements, springs and mappings, each alone. */
#include "behavior/rotation_finder.h"
#include "tests/support/quirk_cases.h"

#define EXPLICIT "<EulerExplicitSolver/>"
#define HELD_FRAME(second) QUIRK_FRAMES("0 0 0 0 0 0 1 " second)

static void springs(void **state) {
  static const QuirkCase cases[] = {
      /* at rest at 1 m, and 2 m apart: h k 1 m, or at rest where it starts */
      {"joint-rest",
       QUIRK_SCENE(
           "0",
           EXPLICIT HELD_FRAME(
               "2 0 0 0 0 0 1") "<JointSpringForceField spring='BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 0 "
                                "0 0 KS_T 0 10 KS_R 0 0 KD 0 REST_T 1 0 0 END_SPRING'/>"),
       1, "/state", "velocity", 6, -1, 0, 1e-9},
      /* turned by 0.2 about y after a right angle about x: back about y, or about the first frame's
         -z */
      {"frame-springs",
       QUIRK_SCENE(
           "0",
           EXPLICIT QUIRK_FRAMES(
               "0 0 0 0.70710678118654752 0 0 0.70710678118654752 0 0 0 0.70357420 0.070592886 "
               "-0.070592886 0.70357420") "<FrameSpringForceField spring='BEGIN_SPRING 0 1 KS_T 0 "
                                          "KS_R 10 KD 0 VEC1 0 0 0 VEC2 0 0 0 END_SPRING'/>"),
       1, "/state", "velocity", 10, -0.2, 0, 1e-6},
      /* 2 m apart with a stiffness of 0.1 N/m: a (1 + 2 h^2 k) = h f; or the product has another
         sign and no factor: a (1 - 2 k) = h f */
      {"frame-springs",
       QUIRK_SCENE(
           "0",
           QUIRK_CG HELD_FRAME(
               "2 0 0 0 0 0 1") "<FrameSpringForceField spring='BEGIN_SPRING 0 1 KS_T 0.1 KS_R 0 "
                                "KD 0 VEC1 0 0 0 VEC2 0 0 0 END_SPRING'/>"),
       1, "/state", "velocity", 0, 0.02 / 1.002, 0.025, 1e-9},
      /* by 0.2 back, or by 2 pi - 0.2 on */
      {"angular-springs",
       QUIRK_SCENE(
           "0",
           EXPLICIT HELD_FRAME(
               "0 0 0 0 0 -0.099833416646828155 -0.99500416527802582") "<AngularSpringForceField "
                                                                       "indices='0 1' "
                                                                       "angularStiffness='10'/>"),
       1, "/state", "velocity", 11, -0.2, 6.0831853071795862, 1e-6},
      /* a gear whose parent tilts */
      {"gear-angle",
       QUIRK_SCENE("0", EXPLICIT "<MechanicalObject name='state' template='Rigid3d' position='0 0 "
                                 "0 0 0 0 1 0 0 0 0 0 0 1 2 0 0 0 0 0 1 2 0 0 0 0 0 1' velocity='0 "
                                 "0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0'/>"
                                 "<UniformMass vertexMass='1 1 [1 0 0 0 1 0 0 0 1]'/>"
                                 "<GearSpringForceField spring='BEGIN_SPRING 0 1 2 3 AXIS 2 2 KS_T "
                                 "0 KS_R 10 0 KD 0 RATIO 2 END_SPRING'/>"),
       2, "/state", "velocity", 23, 0, -0.05, 1e-9},
      /* pressed together by half: without force and tangent; (1 + h^2 k) v = - h g */
      {"polynomial-tangent",
       QUIRK_SCENE("-10",
                   QUIRK_CG "<Node name='a'>" QUIRK_POINT(
                       "0 0 0") "<FixedProjectiveConstraint indices='0'/></Node><Node "
                                "name='b'><MechanicalObject name='state' position='0 -0.5 "
                                "0'/><UniformMass vertexMass='1'/></Node>"
                                "<PolynomialSpringsForceField object1='@a/state' "
                                "object2='@b/state' polynomialStiffness='10' polynomialDegree='1' "
                                "computeZeroLength='0' zeroLength='1'/>"),
       1, "/b/state", "velocity", 1, -1, -1 / 1.1, 1e-9},
      /* a slack spring has no energy, or k d^2 / 2 */
      {"idle-spring-energy",
       QUIRK_SCENE(
           "0", "<VariationalSymplecticSolver name='solver' explicitIntegration='1'/>" QUIRK_POINT(
                    "0 0 0 1 0 0") "<SpringForceField springsIndices1='0' springsIndices2='1' "
                                   "lengths='3' stiffness='10' damping='0' elongationOnly='1'/>"),
       1, "/solver", "hamiltonianEnergy", 0, 0, 20, 1e-9},
      /* an edge that comes, stretched by 1 m: h k, or a damper */
      {"vector-spring-new",
       QUIRK_SCENE("0", EXPLICIT
                   "<EdgeSetTopologyContainer name='t' edges='0 1' position='0 0 0 1 0 0 2 0 "
                   "0'/><EdgeSetTopologyModifier/>"
                   "<MechanicalObject name='state' position='0 0 0 1 0 0 3 0 0' rest_position='0 0 "
                   "0 1 0 0 2 0 0'/><UniformMass vertexMass='1'/>"
                   "<TopologicalChangeProcessor "
                   "filename='tests/unit/quirks/edge_changes.txt'/><VectorSpringForceField "
                   "useTopology='1' stiffness='10' viscosity='0'/>"),
       2, "/state", "velocity", 6, -1, 0, 1e-9},
      /* compressed membrane of quadratic springs, pulled */
      {"triangular-springs-tangent",
       QUIRK_SCENE(
           "-10", QUIRK_CG
           "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject "
           "name='state' rest_position='0 0 0 1 0 0 0 1 0' position='0 0 0 0.8 0 0 0 0.8 "
           "0'/><UniformMass vertexMass='1'/>"
           "<FixedProjectiveConstraint indices='0 1'/><TriangularQuadraticSpringsForceField "
           "youngModulus='100' poissonRatio='0.3' useAngularSprings='1'/>"),
       1, "/state", "velocity", 7, 0.276595744681, 0.240663627138, 1e-9},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

static void elements(void **state) {
  static const QuirkCase cases[] = {
      /* of the beam along z the frames' x axes are across it: its load in the first step */
      {"beam-frame", "scenes/fem/beams.scn", 60, "/across/state", "position", 71, -0.0033333,
       -0.00025833, 2e-6},
      {"fem-mass-gravity",
       QUIRK_SCENE("-10", QUIRK_CG "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 "
                                   "1'/><MechanicalObject name='state'/>"
                                   "<NodalMassDensity property='1'/><FEMMass "
                                   "template='Vec3,Hexahedron' separateGravity='1'/>"),
       1, "/state", "velocity", 1, -1, -2, 1e-6},
      {"triangular-tensor-matrix", "scenes/tensormass/tensor_masses.scn", 1, "/membrane/state",
       "position", 78, 2.01666262906, 269.857142857, 1e-8},
      /* a rhombus pulled along x; explicit: h f / m */
      {"hexahedral-stiffness",
       QUIRK_SCENE("0", EXPLICIT "<MeshTopology hexahedra='0 1 2 3 4 5 6 7' position='0 0 0 1 0 0 "
                                 "1.5 1 0 0.5 1 0 0 0 1 1 0 1 1.5 1 1 0.5 1 1'/>"
                                 "<MechanicalObject name='state' rest_position='0 0 0 1 0 0 1.5 1 "
                                 "0 0.5 1 0 0 0 1 1 0 1 1.5 1 1 0.5 1 1' position='0 0 0 1.1 0 0 "
                                 "1.6 1 0 0.5 1 0 0 0 1 1.1 0 1 1.6 1 1 0.5 1 1'/>"
                                 "<UniformMass vertexMass='1'/><HexahedralFEMForceField "
                                 "youngModulus='100' poissonRatio='0' method='large'/>"),
       1, "/state", "velocity", 0, 0.21875, 0.12422599875, 1e-9},
      {"hexahedral-rotation", "scenes/fem/HexahedralFEMForceField.scn", 50, "/beam/state",
       "position", 25, -0.175476084384, -0.155610511666, 1e-9},
      {"hexa-assembled-mass",
       QUIRK_SCENE("0", QUIRK_DIRECT
                   "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject "
                   "name='state'/>"
                   "<HexahedronFEMForceFieldAndMass youngModulus='0.000001' poissonRatio='0' "
                   "density='8' lumpedMass='1'/><ConstantForceField indices='0' forces='1 0 0'/>"),
       1, "/state", "velocity", 0, 0.1, 0.8, 1e-6},
      {"tetra-von-mises-frames",
       QUIRK_SCENE(
           "0", EXPLICIT
           "<MeshTopology tetrahedra='0 1 2 3' position='0 0 0 0.6 0.8 0 -0.8 0.6 0 0 0 "
           "1'/><MechanicalObject name='state' position='0 0 0 0.66 0.88 0 -0.8 0.6 0 0 0 1' "
           "rest_position='0 0 0 0.6 0.8 0 -0.8 0.6 0 0 0 1'/><UniformMass vertexMass='1e9'/>"
           "<TetrahedronFEMForceField name='fem' youngModulus='100' poissonRatio='0' "
           "method='large' computeVonMisesStress='1'/>"),
       1, "/fem", "vonMisesPerElement", 0, 10, 9.16515138707, 1e-6},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

static void mappings(void **state) {
  static const QuirkCase cases[] = {
      /* a force on the first circle acts on the first frame, or on the second one, too */
      {"tubular-sums",
       QUIRK_SCENE("0", EXPLICIT QUIRK_FRAMES(
                            "0 0 0 0 0 0 1 1 0 0 0 0 0 1") "<Node name='p'><MechanicalObject "
                                                           "name='points'/><TubularMapping "
                                                           "nbPointsOnEachCircle='4' "
                                                           "radius='0.1'/><ConstantForceField "
                                                           "indices='0' forces='1 0 0'/></Node>"),
       1, "/state", "velocity", 6, 0, 0.1, 1e-9},
      /* and so does its torque, 0.1 N m about -z */
      {"tubular-sums",
       QUIRK_SCENE("0", EXPLICIT QUIRK_FRAMES(
                            "0 0 0 0 0 0 1 1 0 0 0 0 0 1") "<Node name='p'><MechanicalObject "
                                                           "name='points'/><TubularMapping "
                                                           "nbPointsOnEachCircle='4' "
                                                           "radius='0.1'/><ConstantForceField "
                                                           "indices='0' forces='1 0 0'/></Node>"),
       1, "/state", "velocity", 11, 0, -0.01, 1e-9},
      /* lines (0, 2) and (1, 2): a point in the middle of the first, and a force on it moves frame
         1, or not */
      {"line-neighbours",
       QUIRK_SCENE(
           "0", EXPLICIT "<MeshTopology edges='0 2 1 2'/>" QUIRK_FRAMES(
                    "0 0 0 0 0 0 1 2 0 0 0 0 0 1 1 0 0 0 0 0 1") "<Node name='p'><MechanicalObject "
                                                                 "name='points' position='0.9 0.3 "
                                                                 "0'/><LineSetSkinningMapping/"
                                                                 "><ConstantForceField indices='0' "
                                                                 "forces='0 0 1'/></Node>"),
       1, "/state", "velocity", 8, 0.0301764279397, 0, 1e-9},
      {"barycentric-turn", "scenes/mapping/BarycentricMapping_frames.scn", 20, "/body/state",
       "position", 14, 0.0135731458024, 4.7413312313908e-06, 1e-9},
      {"rigid-stabilized",
       QUIRK_SCENE("-10",
                   QUIRK_CG QUIRK_FRAMES(
                       "0 0 0 0 0 0 1") "<FixedTranslationProjectiveConstraint indices='0'/>"
                                        "<Node name='p'><MechanicalObject name='points' "
                                        "position='1 1 0'/><RigidMapping "
                                        "geometricStiffness='Stabilized'/><ConstantForceField "
                                        "indices='0' forces='50 20 0'/></Node>"),
       3, "/state", "velocity", 5, -1.25885501213, -1.73046416025, 1e-9},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

/* Rounding errors of an inverse of entries 1 and 1e12: they are there, and below 1e-7. */
static void inverses(void **state) {
  static const QuirkCase c = {
      .word = "composite-inverse",
      .scene = QUIRK_SCENE(
          "-1",
          "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='1' "
          "warnWhenDiverge='0'/><SparseLDLSolver/>"
          "<SparseGridMultipleTopology n='3 2 2' nbVirtualFinerLevels='2' finestConnectivity='0' "
          "computeRamifications='0' fillWeighted='0' fileTopologies='tests/unit/quirks/fork.obj' "
          "stiffnessCoefs='1' massCoefs='1'/><MechanicalObject name='state'/>"
          "<HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='2' finestToCoarse='1' "
          "method='polar' youngModulus='1' poissonRatio='0.3' density='0.001'/><BoxROI name='b' "
          "box='-9 -9 -9 0.1 9 9'/><FixedProjectiveConstraint indices='@b.indices'/>"),
      .steps = 1,
      .object = "/state",
      .field = "position",
      .index = 13};
  (void)state;
  const double without = quirk_run(&c, NULL), apart = fabs(quirk_run(&c, c.word) - without);
  assert_true(apart > 0 && apart < 1e-7 * fabs(without));
}

/* A cube turned by a right angle about z: each point by R, or by the mean of the identity and of
 * R^T. */
static void node_rotations(void **state) {
  const char *const scene = QUIRK_SCENE(
      "0", QUIRK_DIRECT "<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/><MechanicalObject "
                        "name='state' rest_position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 "
                        "1' position='0 0 0 0 1 0 -1 0 0 -1 1 0 0 0 1 0 1 1 -1 0 1 -1 1 1'/>"
                        "<UniformMass vertexMass='1'/><HexahedronFEMForceField name='fem' "
                        "method='large' youngModulus='100' poissonRatio='0.3'/>");
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    const SofaContextOptions options = {.quirk_words = quirk ? "hexa-node-rotations" : NULL};
    SceneRun run = {.quiet = true};
    double r[9 * 8];
    scene_run_context(&run, &options);
    assert_int_equal(sofa_simulation_load_text(run.ctx, scene, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    scene_run_steps(&run, 1);
    SofaObject *fem = scene_run_object(&run, "/fem");
    assert_int_equal(sofa_rotation_finder_ops(fem)->rotations(fem, r), SOFA_OK);
    assert_true(fabs(r[3] - (quirk ? -sqrt(0.5) : 1)) < 1e-9);
    scene_run_close(&run);
  }
}

/* Conjugate gradients use the products, whatever is assembled: the quirk changes nothing. */
static void products_of_hexa_masses(void **state) {
  static const char *const bodies[] = {
      "<HexahedronFEMForceFieldAndMass youngModulus='1e-6' poissonRatio='0' density='8' "
      "lumpedMass='1'/>",
      "<HexahedralFEMForceFieldAndMass youngModulus='1e-6' poissonRatio='0' density='8' "
      "lumpedMass='1'/>",
      "<HexahedralFEMForceFieldAndMass youngModulus='1e-6' poissonRatio='0' density='8'/>"};
  static const char *const solvers[] = {QUIRK_CG, QUIRK_DIRECT};
  (void)state;
  for (size_t i = 0; i < 6; i++) {
    char text[1500];
    const QuirkCase c = {.word = "hexa-assembled-mass",
                         .scene = text,
                         .steps = 1,
                         .object = "/state",
                         .field = "velocity"};
    snprintf(text, sizeof text,
             QUIRK_SCENE("0", "%s<RegularGridTopology n='2 2 2' min='0 0 0' max='1 1 1'/>"
                              "<MechanicalObject name='state'/>%s"
                              "<ConstantForceField indices='0' forces='1 0 0'/>"),
             solvers[i % 2], bodies[i / 2]);
    const double off = fabs(quirk_run(&c, c.word) - quirk_run(&c, NULL));
    if (i % 2 ? off < 1e-3 : off > 1e-9) fail_msg("%s: %g", text, off);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(springs),        cmocka_unit_test(elements),
      cmocka_unit_test(mappings),       cmocka_unit_test(inverses),
      cmocka_unit_test(node_rotations), cmocka_unit_test(products_of_hexa_masses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
