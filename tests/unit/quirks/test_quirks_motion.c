/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quirks of solvers, projective constraints and loads, each alone. */
#include "tests/support/quirk_cases.h"

/* One step of a falling or moving point in closed form. */
static void solvers(void **state) {
  static const QuirkCase cases[] = {
      /* x = h (0 + v') / 2, or h v' */
      {"trapezoidal-position",
       QUIRK_SCENE("-10",
                   "<EulerImplicitSolver trapezoidalScheme='1'/><CGLinearSolver "
                   "iterations='9' tolerance='1e-14' threshold='1e-30'/>" QUIRK_POINT("0 0 0")),
       1, "/state", "position", 1, -0.05, -0.1, 1e-12},
      /* (1 + h r) dv = - h r v, or no damping */
      {"component-rayleigh",
       QUIRK_SCENE("0",
                   QUIRK_CG "<MechanicalObject name='state' position='0 0 0' velocity='1 0 0'/>"
                            "<UniformMass vertexMass='1' rayleighMass='1'/>"),
       1, "/state", "velocity", 0, 1 - 0.1 / 1.1, 1, 1e-12},
      /* |M (v' - v) - h f|^2 is 0; |h f|^2 */
      {"euler-residual",
       QUIRK_SCENE("-10",
                   "<EulerImplicitSolver name='solver' computeResidual='1'/><CGLinearSolver "
                   "iterations='9' tolerance='1e-14' threshold='1e-30'/>" QUIRK_POINT("0 0 0")),
       1, "/solver", "residual", 0, 0, 1, 1e-12},
      /* a dashpot: a' (1 + h/2) = - v - (h/2) a, a = - v; SOFA adds - v to the right-hand side */
      {"newmark-damping",
       QUIRK_SCENE("0", "<NewmarkImplicitSolver gamma='0.5' beta='0.25'/><CGLinearSolver "
                        "iterations='9' tolerance='1e-14' threshold='1e-30'/>"
                        "<MechanicalObject name='state' position='0 0 0' velocity='1 0 0'/>"
                        "<UniformMass vertexMass='1'/>"
                        "<DiagonalVelocityDampingForceField dampingCoefficient='1 1 1'/>"),
       1, "/state", "velocity", 0, 1 - 0.05 * (1 + 0.95 / 1.05), 1 - 0.05 * (1 + 1.95 / 1.05),
       1e-9},
      /* which of the thresholds of Newton's method the old attribute sets */
      {"static-old-threshold",
       QUIRK_SCENE("0",
                   "<StaticSolver "
                   "relative_residual_tolerance_threshold='0.5'/><SparseLDLSolver/>" QUIRK_POINT(
                       "0 0 0") "<RestShapeSpringsForceField stiffness='10'/>"),
       1, "/newtonSolver", "relativeInitialStoppingThreshold", 0, 0.5, 1e-5, 1e-12},
      /* one iteration with a line search of several trials: the last one alone moves the point */
      {"bdf-line-search",
       QUIRK_SCENE("0",
                   "<BDFOdeSolver order='1'/><NewtonRaphsonSolver maxNbIterationsNewton='1' "
                   "maxNbIterationsLineSearch='8' "
                   "warnWhenDiverge='0'/><SparseLDLSolver/><MechanicalObject name='state' "
                   "position='0.2 0 0' rest_position='0 0 0'/><UniformMass vertexMass='0.001'/>"
                   "<PolynomialRestShapeSpringsForceField points='0' polynomialStiffness='0 0 100' "
                   "polynomialDegree='3' initialLength='1'/><ConstantForceField indices='0' "
                   "forces='50 0 0'/>"),
       1, "/state", "position", 0, 0.672330354808, 15.4326539426, 1e-9},
      /* a state whose node holds a mapping to a surface falls, or stands still */
      {"mapping-slot",
       QUIRK_SCENE("-10", QUIRK_CG "<Node name='b'>" QUIRK_POINT(
                              "0 0 0") "<Node name='v'><OglModel name='s' position='0 0 0'/></Node>"
                                       "<IdentityMapping input='@state' output='@v/s'/></Node>"),
       1, "/b/state", "velocity", 1, -1, 0, 1e-9},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

#define QUIRK_AFFINE                                                                               \
  "<AffineMovementProjectiveConstraint indices='0' endConstraintTime='0.05' "                      \
  "quaternion='0 0 1 1'/>"

/* All corners turn about z. */
#define QUIRK_PATCH                                                                                \
  "<PatchTestMovementProjectiveConstraint indices='0' endConstraintTime='0.2' "                    \
  "cornerPoints='0 0 0 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 0 1 0 1 0 0 0 0 1' "                        \
  "cornerMovements='0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1'/>"

static void constraints(void **state) {
  static const QuirkCase cases[] = {
      /* at init and in the step: all of the way, or half of it twice */
      {"attach-half-way",
       QUIRK_SCENE(
           "0",
           QUIRK_CG "<Node name='a'>" QUIRK_POINT("0 0 0") "</Node><Node name='b'>" QUIRK_POINT(
               "2 0 0") "</Node><AttachProjectiveConstraint object1='@a/state' object2='@b/state' "
                        "indices1='0' indices2='0'/>"),
       1, "/b/state", "position", 0, 0, 0.5, 1e-12},
      /* the first point: h f / m, or h f */
      {"attach-matrix",
       QUIRK_SCENE(
           "-10", QUIRK_DIRECT
           "<Node name='a'><MechanicalObject name='state' position='0 0 0'/><UniformMass "
           "vertexMass='2'/></Node><Node name='b'>" QUIRK_POINT(
               "0 0 0") "</Node><AttachProjectiveConstraint object1='@a/state' object2='@b/state' "
                        "indices1='0' indices2='0'/>"),
       1, "/a/state", "velocity", 1, -1, -2, 1e-9},
      {"fixed-translation",
       QUIRK_SCENE("0",
                   QUIRK_CG QUIRK_FRAMES(
                       "0 0 0 0 0 0 1") "<ConstantForceField indices='0' forces='0 0 0 0 0 2'/>"
                                        "<FixedTranslationProjectiveConstraint indices='0'/>"),
       1, "/state", "velocity", 5, 0.2, 0, 1e-9},
      /* r - d (d.r) / |d|^2, or r - d (d.r) with |d| = 2 */
      {"fixed-plane-direction",
       QUIRK_SCENE("-10",
                   "<EulerExplicitSolver/>" QUIRK_POINT(
                       "0 0 0") "<FixedPlaneProjectiveConstraint direction='0 2 0' indices='0'/>"),
       1, "/state", "velocity", 1, 0, 3, 1e-9},
      {"duplicate-indices",
       QUIRK_SCENE("-10", "<EulerExplicitSolver/>" QUIRK_POINT(
                              "0 0 0 1 0 0") "<PlaneProjectiveConstraint origin='0 0 0' normal='0 "
                                             "1 0' indices='0 0 1'/>"),
       1, "/state", "velocity", 4, 0, -1, 1e-9},
      /* the points move at v = 1 m/s once a step, or also at initialisation */
      {"velocity-start",
       QUIRK_SCENE("0",
                   QUIRK_CG QUIRK_POINT("0 0 0") "<LinearVelocityProjectiveConstraint indices='0' "
                                                 "keyTimes='0 5' velocities='1 0 0 1 0 0'/>"),
       1, "/state", "position", 0, 0.1, 0.2, 1e-9},
      {"velocity-coordinates",
       QUIRK_SCENE("-10", QUIRK_CG QUIRK_POINT(
                              "0 0 0") "<LinearVelocityProjectiveConstraint indices='0' "
                                       "coordinates='0' keyTimes='0 5' velocities='1 0 0 1 0 0'/>"),
       1, "/state", "velocity", 1, -1, 0, 1e-9},
      {"partial-movement-velocity",
       QUIRK_SCENE("-10",
                   QUIRK_CG QUIRK_POINT(
                       "0 0 0") "<PartialLinearMovementProjectiveConstraint indices='0' "
                                "keyTimes='0 5' movements='0 0 0 5 0 0' movedDirections='1 0 0'/>"),
       1, "/state", "velocity", 1, -1, 0, 1e-9},
      /* before the movement: h f / m, or h f */
      {"inactive-movement",
       QUIRK_SCENE("-10", QUIRK_DIRECT
                   "<MechanicalObject name='state' position='0 0 0'/><UniformMass vertexMass='2'/>"
                   "<LinearMovementProjectiveConstraint indices='0' keyTimes='5 6' movements='0 0 "
                   "0 1 0 0'/>"),
       1, "/state", "velocity", 1, -1, -2, 1e-9},
      /* the velocity along the parabola's base, of the second point */
      {"parabolic-velocity",
       QUIRK_SCENE("0", QUIRK_CG QUIRK_POINT(
                            "0 0 0 0 0 0") "<ParabolicProjectiveConstraint indices='0 1' P1='0 0 "
                                           "0' P2='1 2 0' P3='2 0 0' BeginTime='0' EndTime='1'/>"),
       1, "/state", "velocity", 3, 2, 0, 1e-9},
      /* half way in 2 s: dx/ds ds/du / 2 = 1.5 * 1.5 / 2, or dx/ds */
      {"hermite-velocity",
       QUIRK_SCENE(
           "0",
           QUIRK_CG QUIRK_POINT(
               "0 0 0") "<HermiteSplineProjectiveConstraint indices='0' X0='0 0 0' dX0='1 0 0' "
                        "X1='1 1 0' dX1='1 0 0' SX0='0 0' SX1='0 0' BeginTime='0' EndTime='2'/>"),
       10, "/state", "velocity", 1, 1.125, 1.5, 1e-9},
      /* a bone at 1 m/s of an animation that runs at double speed */
      {"skeleton-speed",
       QUIRK_SCENE("0",
                   QUIRK_CG QUIRK_FRAMES(
                       "0 0 0 0 0 0 1") "<SkeletalMotionProjectiveConstraint bones='[0]' "
                                        "animationSpeed='2' joints='[Parent -1 "
                                        "Channels 2 0 0 0 0 0 0 1  4 0 0 0 0 0 1 Times 2 0 4 "
                                        "PreviousMotion 0 0 0 0 0 0 1 "
                                        "NextMotion 0 0 0 0 0 0 1 LocalRigid 0 0 0 0 0 0 1]'/>"),
       2, "/state", "velocity", 0, 2, 1, 1e-9},
      /* a frame turned about x: the map's turn about z comes after it, or before it */
      {"affine-turn",
       QUIRK_SCENE("0", QUIRK_CG QUIRK_FRAMES("0 0 0 0.7071067811865476 0 0 0.7071067811865476")
                            QUIRK_AFFINE),
       1, "/state", "position", 4, 0.5, -0.5, 1e-9},
      /* half of a turn of 1 rad of a frame turned about x, sqrt(1/2) cos(1/4), or no turn at all */
      {"patch-frames",
       QUIRK_SCENE("0", QUIRK_CG QUIRK_FRAMES("0.5 0.5 0 0.7071067811865476 0 0 0.7071067811865476")
                            QUIRK_PATCH),
       1, "/state", "position", 3, 0.6851245437674768, 0, 1e-9},
      /* of A = {{1.1, -0.1}, {-0.1, 1.1}} only the free point's entry counts, or all */
      {"unprojected-matrix",
       QUIRK_SCENE(
           "-10",
           QUIRK_DIRECT QUIRK_POINT(
               "0 0 0 0 1 0") "<SpringForceField spring='0 1 10 0 1'/>"
                              "<OscillatorProjectiveConstraint oscillators='0 0 0 0 0 0 0 1 0'/>"),
       1, "/state", "velocity", 4, -1 / 1.1, -1.1 / 1.2, 1e-9},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

static void loads(void **state) {
  static const QuirkCase cases[] = {
      /* behind the last key: 2 N, or without the factor */
      {"linear-force-end",
       QUIRK_SCENE("0", QUIRK_CG QUIRK_POINT("0 0 0") "<LinearForceField points='0' force='2' "
                                                      "times='-2 -1' forces='0 0 0 1 0 0'/>"),
       1, "/state", "velocity", 0, 0.2, 0.1, 1e-9},
      /* outside, at a distance of 1 m: - c v, or + c v */
      {"bilateral-damping",
       QUIRK_SCENE(
           "0", "<EulerExplicitSolver/><MechanicalObject name='state' position='0 1 0' velocity='1 "
                "0 0'/>"
                "<UniformMass vertexMass='1'/>"
                "<PlaneForceField normal='0 1 0' d='0' stiffness='0' damping='1' bilateral='1'/>"),
       1, "/state", "velocity", 0, 0.9, 1.1, 1e-9},
      /* dF/dx = - k / r, or + k / (2 r) at half the radius: dv = h F / (1 - h^2 dF/dx) */
      {"ellipsoid-tangent",
       QUIRK_SCENE("0",
                   QUIRK_CG QUIRK_POINT("0.5 0 0") "<EllipsoidForceField center='0 0 0' vradius='1 "
                                                   "1 1' stiffness='10' damping='0'/>"),
       1, "/state", "velocity", 0, 0.5 / 1.1, 0.5 / 0.95, 1e-9},
      /* 3 N/m on an edge of 1 m; the topology's first edge has 2 m */
      {"edge-pressure",
       QUIRK_SCENE("0",
                   "<EulerExplicitSolver/><MeshTopology position='0 0 0 2 0 0 2 1 0 0 1 0' "
                   "edges='0 1 1 2 2 3 3 0'/>"
                   "<MechanicalObject name='state'/><UniformMass vertexMass='1'/>"
                   "<EdgePressureForceField edgeIndices='1' p_intensity='3' binormal='0 0 1'/>"),
       1, "/state", "velocity", 3, -0.15, -0.3, 1e-9},
      /* 1 Pa, or 1, 2, 3 and 4 Pa at the four evaluations of a step */
      {"pressure-pulse",
       QUIRK_SCENE(
           "0", "<RungeKutta4Solver/><MeshTopology position='0 0 0 2 0 0 0 3 0' triangles='0 1 2'/>"
                "<MechanicalObject name='state'/><UniformMass vertexMass='1'/>"
                "<SurfacePressureForceField pulseMode='1' pressureLowerBound='1' pressure='9' "
                "pressureSpeed='10'/>"),
       1, "/state", "velocity", 2, 0.1, 0.25, 1e-9},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solvers), cmocka_unit_test(constraints),
                                     cmocka_unit_test(loads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
