/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of mechanical loads. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_MECHANICALLOAD_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_MECHANICALLOAD_H

#include "tests/support/conform_forcefield.h"

#define LOAD_SCENE(body)                                                                           \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<Node name='body'>" body "</Node></Node>"
/* a closed surface: the faces of a tetrahedron, outwards; and a quad beside it */
#define LOAD_FACES(load)                                                                           \
  LOAD_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2 2 0 0 2 1 0' "       \
             "triangles='0 2 1 0 1 3 1 2 3 0 3 2' quads='1 4 5 2' edges='0 1 1 2 3 0'/>"           \
             "<MechanicalObject/>" load)
/* points around the origin, 0.3 to 0.8 away from it */
#define LOAD_POINTS(load)                                                                          \
  LOAD_SCENE("<MechanicalObject position='0.5 0.3 -0.2 -0.3 0.4 0.1 0.1 -0.6 0.4'/>" load)
#define LOAD_RIGIDS(load)                                                                          \
  LOAD_SCENE("<MechanicalObject template='Rigid3d' position='0.5 0.3 -0.2 0 0 0 1 "                \
             "-0.3 0.4 0.1 0 0 0.6 0.8'/>" load)

#define LOAD_EXACT (CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC)

static const ForceFieldCase mechanicalload_cases[] = {
    {"ConstantForceField", "Vec3", LOAD_POINTS("<ConstantForceField totalForce='1 2 3'/>"),
     CONFORM_FD | CONFORM_ENERGY, 0},
    {"ConstantForceField", "Rigid3",
     LOAD_RIGIDS("<ConstantForceField indices='1 0' forces='1 2 3 4 5 6'/>"), CONFORM_FD, 0},
    {"LinearForceField", "Vec3",
     LOAD_POINTS("<LinearForceField points='0 2 2' force='2' times='-1 1' "
                 "forces='0 0 0 2 4 6'/>"),
     CONFORM_FD | CONFORM_ENERGY, 0},
    {"LinearForceField", "Rigid3",
     LOAD_RIGIDS("<LinearForceField points='1' times='-1 1' forces='0 0 0 1 1 1 2 4 6 1 0 1'/>"),
     CONFORM_FD, 0},
    {"PlaneForceField", "Vec3",
     LOAD_POINTS("<PlaneForceField normal='0.6 0 0.8' d='2' stiffness='30' damping='2'/>"),
     LOAD_EXACT | CONFORM_ENERGY, 0},
    {"PlaneForceField", "limited",
     LOAD_POINTS("<PlaneForceField d='2' stiffness='0' damping='2' maxForce='0.5'/>"), CONFORM_K,
     0},
    {"PlaneForceField", "Rigid3, bilateral",
     LOAD_RIGIDS("<PlaneForceField normal='0 0.6 0.8' d='-2' bilateral='1'/>"),
     LOAD_EXACT | CONFORM_ENERGY, 0},
    {"PlaneForceField", "Rigid3, limited",
     LOAD_RIGIDS("<PlaneForceField normal='0 0.6 0.8' d='2' stiffness='0' damping='2' "
                 "maxForce='0.5' bilateral='1'/>"),
     CONFORM_K, 0},
    {"PlaneForceField", "Vec6, range",
     LOAD_SCENE("<MechanicalObject template='Vec6d' position='1 2 3 4 5 6 0 0 0 0 0 0'/>"
                "<PlaneForceField normal='1 0 0 0 0 1' d='40' localRange='1 -1'/>"),
     LOAD_EXACT | CONFORM_ENERGY, 0},
    {"PlaneForceField", "no contact", LOAD_POINTS("<PlaneForceField d='-2'/>"),
     LOAD_EXACT | CONFORM_IDLE, 0},
    {"SphereForceField", "Vec3", LOAD_POINTS("<SphereForceField radius='1.5' stiffness='70'/>"),
     LOAD_EXACT | CONFORM_ENERGY, 0},
    {"SphereForceField", "Vec2, bilateral",
     LOAD_SCENE("<MechanicalObject template='Vec2d' position='0.5 0.3 -0.3 0.4'/>"
                "<SphereForceField radius='0.2' bilateral='1' center='0.1 0'/>"),
     LOAD_EXACT | CONFORM_ENERGY, 0},
    {"EllipsoidForceField", "from inside",
     LOAD_POINTS("<EllipsoidForceField vradius='1.5 2 1.2' stiffness='90'/>"),
     CONFORM_FD | CONFORM_K, 0},
    {"EllipsoidForceField", "from outside",
     LOAD_POINTS("<EllipsoidForceField vradius='0.1 0.2 0.15' center='0 0 0.05' "
                 "stiffness='-90'/>"),
     CONFORM_FD | CONFORM_K, 0},
    /* the derivative of the direction is left out of the tangent */
    {"ConicalForceField", "cap, side and tip",
     LOAD_POINTS("<ConicalForceField coneCenter='0 0 0.1' coneHeight='0 0 0.5' coneAngle='10'/>"),
     CONFORM_K | CONFORM_SYMMETRIC, 0},
    /* frames turn without their ellipsoids in the tangent: exact for point motions alone */
    {"InteractionEllipsoidForceField", "two ellipsoids",
     LOAD_SCENE("<Node name='a'><MechanicalObject name='s' position='0.5 0.3 -0.2 0.1 -0.4 0.3'/>"
                "</Node><Node name='b'><MechanicalObject name='s' template='Rigid3d' "
                "position='0.1 0.2 0 0 0 0.6 0.8'/></Node>"
                "<InteractionEllipsoidForceField object1='@a/s' object2='@b/s' "
                "center='0 0 0 0.3 0 0' vradius='1.5 2 1.2 1.4 2 1.3'/>"),
     CONFORM_K, 0},
    {"EdgePressureForceField", "vector",
     LOAD_FACES("<EdgePressureForceField edgeIndices='0' edges='4 5' pressure='1 2 3'/>"),
     CONFORM_FD | CONFORM_ENERGY, 0},
    {"EdgePressureForceField", "intensity",
     LOAD_FACES("<EdgePressureForceField edgeIndices='1 2' p_intensity='2 3' binormal='0 0 1'/>"),
     0, 0},
    {"EdgePressureForceField", "intensity towards the triangle",
     LOAD_FACES("<EdgePressureForceField edgeIndices='1' p_intensity='2'/>"), 0, 0},
    {"TrianglePressureForceField", "vector",
     LOAD_FACES("<TrianglePressureForceField triangleList='0 2 2' pressure='1 2 3'/>"),
     CONFORM_FD | CONFORM_ENERGY, 0},
    {"TrianglePressureForceField", "stress",
     LOAD_FACES("<TrianglePressureForceField triangleList='0 2' useConstantForce='0' "
                "cauchyStress='1 2 3 2 4 5 3 5 6'/>"),
     0, 0},
    {"QuadPressureForceField", "vector",
     LOAD_FACES("<QuadPressureForceField quadList='0' pressure='1 2 3'/>"),
     CONFORM_FD | CONFORM_ENERGY, 0},
    {"SurfacePressureForceField", "triangles",
     LOAD_FACES("<SurfacePressureForceField pressure='7' triangleIndices='0 2'/>"
                "<SphereForceField radius='0.01'/>"),
     CONFORM_K, 0},
    {"SurfacePressureForceField", "triangles, closed",
     LOAD_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2' "
                "triangles='0 2 1 0 1 3 1 2 3 0 3 2'/><MechanicalObject/>"
                "<SurfacePressureForceField pressure='7'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_BALANCED | CONFORM_ENERGY, 0},
    /* the change of the pressure is not in the tangent */
    {"SurfacePressureForceField", "triangles, closed, by volume",
     LOAD_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2' "
                "triangles='0 2 1 0 1 3 1 2 3 0 3 2'/><MechanicalObject/>"
                "<SurfacePressureForceField pressure='7' volumeConservationMode='1' "
                "defaultVolume='0.3'/>"),
     CONFORM_K | CONFORM_SYMMETRIC | CONFORM_BALANCED | CONFORM_ENERGY, 0},
    {"SurfacePressureForceField", "Rigid3",
     LOAD_SCENE("<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/>"
                "<MechanicalObject template='Rigid3d' "
                "position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 0 1 0 0 0 0 1'/>"
                "<SurfacePressureForceField pressure='7'/>"),
     CONFORM_FD | CONFORM_K, 0},
    {"TaitSurfacePressureForceField", "gamma 5",
     LOAD_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2' "
                "triangles='0 2 1 0 1 3 1 2 3 0 3 2'/><MechanicalObject/>"
                "<TaitSurfacePressureForceField p0='3' B='10' gamma='5'/>"),
     CONFORM_FD | CONFORM_DENSE_K | CONFORM_SYMMETRIC | CONFORM_BALANCED | CONFORM_ENERGY, 0.02},
    {"TaitSurfacePressureForceField", "gamma -1",
     LOAD_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2' "
                "triangles='0 2 1 0 1 3 1 2 3 0 3 2'/><MechanicalObject/>"
                "<TaitSurfacePressureForceField p0='3' B='-10' gamma='-1'/>"),
     CONFORM_FD | CONFORM_DENSE_K | CONFORM_SYMMETRIC | CONFORM_BALANCED | CONFORM_ENERGY, 0.02},
    {"TaitSurfacePressureForceField", "gamma 1, quads",
     LOAD_SCENE("<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1' "
                "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject/>"
                "<TaitSurfacePressureForceField p0='3' B='10' gamma='1'/>"),
     CONFORM_FD | CONFORM_DENSE_K | CONFORM_SYMMETRIC | CONFORM_BALANCED | CONFORM_ENERGY, 0.02},
    {"TorsionForceField", "Vec3",
     LOAD_POINTS("<TorsionForceField indices='0 2' torque='3' axis='1 2 2' origin='0.1 0.2 0.3'/>"),
     CONFORM_FD | CONFORM_K, 0},
    {"TorsionForceField", "Rigid3",
     LOAD_RIGIDS("<TorsionForceField indices='0 1' torque='3' axis='1 2 2'/>"),
     CONFORM_FD | CONFORM_K, 0},
    {"OscillatingTorsionPressureForceField", "faces",
     LOAD_FACES("<OscillatingTorsionPressureForceField triangleList='0 2' moment='3' "
                "axis='1 2 2'/>"),
     0, 0},
    {"UniformVelocityDampingForceField", "explicit",
     LOAD_POINTS("<UniformVelocityDampingForceField dampingCoefficient='9'/>"),
     CONFORM_FD | CONFORM_LATE, 0},
    {"UniformVelocityDampingForceField", "implicit",
     LOAD_RIGIDS("<UniformVelocityDampingForceField dampingCoefficient='0.3' implicit='1'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC, 0},
    {"DiagonalVelocityDampingForceField", "Vec3",
     LOAD_POINTS("<DiagonalVelocityDampingForceField dampingCoefficient='0.3 0.1 0 1 2 3'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC, 0},
};

#endif
