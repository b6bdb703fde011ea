/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of springs. After the cases of finite elements, whose scenes it uses. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_SPRING_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_SPRING_H

#include "tests/support/force_field_cases_solidmechanics.h"

enum {
  /* springs with a tension at rest */
  CASE_SPRING = CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_BALANCED,
  /* between frames: exact at rest */
  CASE_FRAMES = CONFORM_FD_AT_REST | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_REST
};

/* 3 x 3 x 1 points: quads, triangles and edges in a plane */
#define CASE_SHEET(force_field)                                                                    \
  CASE_SCENE("<RegularGridTopology n='4 3 1' min='0 0 0' max='2 1.6 0'/>"                          \
             "<MechanicalObject name='state'/>" force_field)

/* two quads */
#define CASE_QUADS(force_field)                                                                    \
  CASE_SCENE("<MeshTopology position='0 0 0 0 1 0.1 1 0.1 0 1.1 0.9 0.2 2 1.2 0 2.1 0 0.1' "       \
             "quads='0 2 3 1 2 5 4 3'/>"                                                           \
             "<MechanicalObject name='state'/>" force_field)

/* two frames each, turned */
#define FRAME_A "0 0 0 0 0 0 1"
#define FRAME_B                                                                                    \
  "0.1 0.2 0.3 0.18257418583505536 0.3651483716701107 0.5477225575051661 0.7302967433402214"
#define CASE_FRAMES_AT(first, second, force_field) TWO_STATES("Rigid3d", first, second, force_field)
#define ONE_STATE_FRAMES(positions, force_field)                                                   \
  CASE_SCENE("<MechanicalObject name='state' template='Rigid3d' position='" positions              \
             "'/>" force_field)
#define OF_TWO "object1='@a/s' object2='@b/s' "

static const ForceFieldCase spring_cases[] = {
    {"RepulsiveSpringForceField", "one short, one long",
     CASE_TETRAS("<RepulsiveSpringForceField spring='0 1 100 2 0.7 1 2 50 0 3 2 4 70 1 2.5'/>"),
     CASE_SPRING, 0},
    {"RegularGridSpringForceField", "Vec3",
     CASE_GRID("<RegularGridSpringForceField stiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"RegularGridSpringForceField", "lines and a listed spring",
     CASE_GRID("<RegularGridSpringForceField linesStiffness='100' quadsStiffness='0' "
               "quadsDamping='0' cubesStiffness='0' cubesDamping='0' spring='0 40 30 1 2'/>"),
     CASE_SPRING, 0.02},
    {"QuadBendingSprings", "Vec3", CASE_QUADS("<QuadBendingSprings stiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"TriangleBendingSprings", "Vec3", CASE_SHEET("<TriangleBendingSprings stiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"TriangularBendingSprings", "Vec3", CASE_SHEET("<TriangularBendingSprings stiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"QuadularBendingSprings", "Vec3", CASE_QUADS("<QuadularBendingSprings stiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"FastTriangularBendingSprings", "Vec3",
     CASE_SHEET("<FastTriangularBendingSprings bendingStiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"TriangularQuadraticSpringsForceField", "irregular",
     CASE_TRIANGLES("<TriangularQuadraticSpringsForceField youngModulus='5000' "
                    "poissonRatio='0.4' dampingRatio='0.3'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.1},
    {"TriangularQuadraticSpringsForceField", "edges alone",
     CASE_TRIANGLES("<TriangularQuadraticSpringsForceField useAngularSprings='0'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.1},
    {"TriangularBiquadraticSpringsForceField", "irregular",
     CASE_TRIANGLES("<TriangularBiquadraticSpringsForceField youngModulus='5000' "
                    "poissonRatio='0.9' compressible='0' dampingRatio='0.3'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.1},
    {"TriangularBiquadraticSpringsForceField", "edges alone",
     CASE_TRIANGLES("<TriangularBiquadraticSpringsForceField useAngularSprings='0' "
                    "dampingRatio='0.3'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.1},
    {"TriangularBiquadraticSpringsForceField", "compressed",
     CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 1.3 1.2 -0.2' "
                "triangles='0 1 2 1 3 2'/><MechanicalObject name='state' position='0 0 0 0.8 0.1 "
                "0.1 0.2 0.5 0.2 0.9 0.8 -0.1' rest_position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 1.3 1.2 "
                "-0.2'/><TriangularBiquadraticSpringsForceField youngModulus='5000'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.3},
    {"RestShapeSpringsForceField", "Vec3, some points and directions",
     CASE_TETRAS("<RestShapeSpringsForceField points='3 1' stiffness='100 50' "
                 "activeDirections='1 0 1'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_REST, 0},
    {"RestShapeSpringsForceField", "Vec3, external",
     CASE_SCENE("<MechanicalObject name='t' position='0 0 1 1 1 1 2 0 0'/><Node name='b'>"
                "<MechanicalObject position='0 0 0 1 0 0'/>"
                "<RestShapeSpringsForceField external_rest_shape='@../t' external_points='2 0' "
                "points='0 1'/></Node>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY, 0},
    {"RestShapeSpringsForceField", "Vec1",
     CASE_SCENE("<MechanicalObject template='Vec1d' position='0 1 2'/>"
                "<RestShapeSpringsForceField stiffness='10'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_REST, 0},
    {"RestShapeSpringsForceField", "Rigid3",
     ONE_STATE_FRAMES(FRAME_A " " FRAME_B,
                      "<RestShapeSpringsForceField stiffness='10 20' angularStiffness='3 4'/>"),
     CASE_FRAMES | CONFORM_ENERGY, 0},
    {"PolynomialRestShapeSpringsForceField", "two polynomials",
     CASE_TETRAS("<PolynomialRestShapeSpringsForceField points='0 3' polynomialStiffness='10 20 5' "
                 "polynomialDegree='2 1' initialLength='0.5' smoothShift='0.1' smoothScale='7'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC, 0.2},
    {"PolynomialSpringsForceField", "pulling only",
     CASE_TETRAS("<PolynomialSpringsForceField firstObjectPoints='0 1 2' "
                 "secondObjectPoints='1 2 4' polynomialStiffness='10 20 5' polynomialDegree='3' "
                 "computeZeroLength='0' zeroLength='0.8 2.5 1'/>"),
     CASE_SPRING, 0},
    {"PolynomialSpringsForceField", "compressible, two states, a polynomial each",
     TWO_STATES("Vec3d", "0 0 0 1 0 0", "0.1 1 0 1 1.2 0",
                "<PolynomialSpringsForceField " OF_TWO "polynomialStiffness='10 20 5' "
                "polynomialDegree='1 2' computeZeroLength='0' zeroLength='0.7 1.6' "
                "compressible='1'/>"),
     CASE_SPRING, 0},
    {"VectorSpringForceField", "edges",
     CASE_TETRAS("<VectorSpringForceField stiffness='10' useTopology='1'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"VectorSpringForceField", "pairs of two states",
     TWO_STATES("Vec3d", "0 0 0 1 0 0", "0.1 1 0 1 1.2 0",
                "<VectorSpringForceField " OF_TWO "stiffness='10' viscosity='3'/>"),
     CASE_SPRING, 0},
    {"AngularSpringForceField", "a chain",
     ONE_STATE_FRAMES(FRAME_A " 1 0 0 0 0 0 1 2 0 0 0 0 0 1",
                      "<AngularSpringForceField indices='0 1 2' angularStiffness='10 20 30'/>"),
     CONFORM_K | CONFORM_SYMMETRIC | CONFORM_REST, 0},
    {"FrameSpringForceField", "two states, arms",
     CASE_FRAMES_AT(FRAME_A, "0.4 0.1 0 0 0 0 1",
                    "<FrameSpringForceField " OF_TWO "spring='BEGIN_SPRING 0 0 KS_T 100 KS_R 10 "
                    "KD 1 VEC1 0.3 0.1 0 VEC2 -0.1 0 0 END_SPRING'/>"),
     CONFORM_FD_AT_REST | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY, 0},
    {"FrameSpringForceField", "turned against each other",
     CASE_FRAMES_AT(FRAME_A, FRAME_B,
                    "<FrameSpringForceField " OF_TWO "spring='BEGIN_SPRING 0 0 KS_T 100 KS_R 10 "
                    "KD 2 VEC1 0.3 0.1 0 VEC2 -0.1 0 0.7 END_SPRING'/>"),
     CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY, 0},
    {"JointSpringForceField", "blocked",
     CASE_FRAMES_AT(FRAME_B, FRAME_B,
                    "<JointSpringForceField " OF_TWO "spring='BEGIN_SPRING 0 0 "
                    "FREE_AXIS 0 1 0 0 0 0 KS_T 3 100 KS_R 2 50 KD 1 END_SPRING'/>"),
     CASE_FRAMES, 0},
    {"JointSpringForceField", "pivot",
     CASE_FRAMES_AT(FRAME_B, FRAME_B,
                    "<JointSpringForceField " OF_TWO "spring='BEGIN_SPRING 0 0 "
                    "FREE_AXIS 0 0 0 0 1 0 KS_T 3 100 KS_R 2 50 R_LIM_Y -1 1 END_SPRING'/>"),
     CASE_FRAMES, 0},
    {"JointSpringForceField", "ball, one state",
     ONE_STATE_FRAMES(FRAME_B " " FRAME_B,
                      "<JointSpringForceField spring='BEGIN_SPRING 0 1 KS_T 3 100 KS_R 2 50 KD 3 "
                      "R_LIM_X -1 1 R_LIM_Z 0 0 END_SPRING'/>"),
     CASE_FRAMES, 0},
    {"GearSpringForceField", "on their own",
     CASE_FRAMES_AT(FRAME_A, FRAME_B,
                    "<GearSpringForceField " OF_TWO "spring='BEGIN_SPRING 0 0 0 0 AXIS 0 2 "
                    "KS_T 100 KS_R 20 50 KD 1 RATIO 2 END_SPRING'/>"),
     CASE_FRAMES, 0},
    {"GearSpringForceField", "on parents",
     CASE_FRAMES_AT(FRAME_A " " FRAME_A, FRAME_B " " FRAME_B,
                    "<GearSpringForceField " OF_TWO "spring='BEGIN_SPRING 0 1 0 1 AXIS 1 2 "
                    "KS_T 100 KS_R 20 50 KD 1 RATIO -0.5 END_SPRING'/>"),
     CONFORM_K | CONFORM_SYMMETRIC | CONFORM_REST, 0},
};

#endif
