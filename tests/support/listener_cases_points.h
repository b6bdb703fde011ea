/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of loads, masses and constraints on points and frames that go and come. After the cases of
 * listener_cases.h, whose scenes they use. */
#ifndef TESTS_SUPPORT_LISTENER_CASES_POINTS_H
#define TESTS_SUPPORT_LISTENER_CASES_POINTS_H

#include "tests/support/listener_cases.h"

/* of five points the second goes, whose place the last one takes; a copy of the first one comes */
#define POINT_PAIR(before, after)                                                                  \
  ROOT(POINTS("a", FIVE, before)), ROOT(POINTS("a", FOUR_AND_ONE, after)), {                       \
    REMOVE_POINTS("a", 1, 1), COPY_POINTS("a", 1, 0)                                               \
  }
/* the same of four frames */
#define FRAMES_PAIR(before, after)                                                                 \
  ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3), before)),                            \
      ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_3, FRAME_2) FRAME_0, after)), {                       \
    REMOVE_POINTS("a", 1, 1), COPY_POINTS("a", 1, 0)                                               \
  }
/* a constraint or load on listed points, which says nothing of each */
#define LISTED(klass, what, list, fields)                                                          \
  {                                                                                                \
    klass, what,                                                                                   \
        POINT_PAIR("<" klass " " list "='0 1 4 3' " fields "/>",                                   \
                   "<" klass " " list "='0 3 1' " fields "/>"),                                    \
        0                                                                                          \
  }
/* one on listed frames */
#define LISTED_FRAMES(klass, what, fields)                                                         \
  {                                                                                                \
    klass, what,                                                                                   \
        FRAMES_PAIR("<" klass " indices='0 1 3 2' " fields "/>",                                   \
                    "<" klass " indices='0 2 1' " fields "/>"),                                    \
        0                                                                                          \
  }
/* one on all points */
#define ON_ALL(klass, what, fields)                                                                \
  { klass, what, POINT_PAIR("<" klass " " fields "/>", "<" klass " " fields "/>"), 0 }

static const ListenerCase listener_cases_points[] = {
    LISTED("FixedProjectiveConstraint", "listed points", "indices", ""),
    ON_ALL("FixedProjectiveConstraint", "all points", "fixAll='1'"),
    LISTED("PartialFixedProjectiveConstraint", "listed points", "indices",
           "fixedDirections='1 0 1' projectVelocity='1'"),
    LISTED("FixedPlaneProjectiveConstraint", "listed points", "indices", "direction='1 2 0'"),
    LISTED("LineProjectiveConstraint", "listed points", "indices",
           "direction='1 2 3' origin='0 1 0'"),
    LISTED("PlaneProjectiveConstraint", "listed points", "indices", "normal='1 2 3'"),
    LISTED("DirectionProjectiveConstraint", "listed points", "indices", "direction='1 2 3'"),
    LISTED("PointProjectiveConstraint", "listed points", "indices", "point='0.5 0.4 0.3'"),
    LISTED("LinearMovementProjectiveConstraint", "listed points", "indices",
           "keyTimes='0 1' movements='0 0 0 1 2 3'"),
    LISTED("PartialLinearMovementProjectiveConstraint", "listed points", "indices",
           "keyTimes='0 1' movements='0 0 0 1 2 3' movedDirections='0 1 1'"),
    LISTED("LinearVelocityProjectiveConstraint", "listed points", "indices",
           "keyTimes='0 1' velocities='0 0 0 1 2 3'"),
    LISTED("ParabolicProjectiveConstraint", "listed points", "indices",
           "P1='0 0 0' P2='0.5 0.5 0' P3='1 0 0' EndTime='0.3'"),
    LISTED("HermiteSplineProjectiveConstraint", "listed points", "indices",
           "X0='0 0 0' dX0='0 1 0' X1='1 0 0' dX1='0 -1 0' EndTime='0.3'"),
    LISTED("AffineMovementProjectiveConstraint", "listed points", "indices",
           "endConstraintTime='0.3' rotation='0 -1 0 1 0 0 0 0 1' translation='0.1 0 0'"),
    LISTED("PatchTestMovementProjectiveConstraint", "listed points", "indices",
           "endConstraintTime='0.3' cornerPoints='0 -1 0 4 -1 0 4 1 0 0 1 0' "
           "cornerMovements='0 0 0 0.1 0 0 0.2 0.1 0 0 0.1 0'"),
    LISTED_FRAMES("FixedTranslationProjectiveConstraint", "listed frames", ""),
    {"FixedRotationProjectiveConstraint", "frames that come",
     FRAMES_PAIR("<FixedRotationProjectiveConstraint FixedXRotation='1' FixedZRotation='1'/>",
                 "<FixedRotationProjectiveConstraint FixedXRotation='1' FixedZRotation='1'/>"),
     0},
    {"OscillatorProjectiveConstraint", "a point of its own",
     POINT_PAIR("<OscillatorProjectiveConstraint oscillators='0 0 0 0 0 0.1 0 20 0.5 1 1 1 1 0 0 "
                "0.1 9 0 4 2 2 2 0.3 0 0 10 1'/>",
                "<OscillatorProjectiveConstraint oscillators='0 0 0 0 0 0.1 0 20 0.5 1 2 2 2 0.3 0 "
                "0 10 1'/>"),
     0},
    {"PositionBasedDynamicsProjectiveConstraint",
     "a target for each",
     ROOT(POINTS("a", FIVE,
                 "<PositionBasedDynamicsProjectiveConstraint stiffness='0.5' position='0 0 0 1 1 "
                 "1 2 2 2 3 3 3 4 4 4'/>")),
     ROOT(POINTS("a", FOUR,
                 "<PositionBasedDynamicsProjectiveConstraint stiffness='0.5' position='0 0 0 4 4 "
                 "4 2 2 2 3 3 3'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    LISTED("LinearForceField", "listed points", "points", "times='0 1' forces='1 2 3 4 5 6'"),
    LISTED("TorsionForceField", "listed points", "indices", "torque='2' axis='1 2 3'"),
    {"DiagonalVelocityDampingForceField",
     "a coefficient of each",
     ROOT(POINTS("a", FIVE,
                 "<DiagonalVelocityDampingForceField dampingCoefficient='1 0 0 2 0 0 3 0 0 4 0 0 5 "
                 "0 0'/>")),
     ROOT(POINTS("a", FOUR,
                 "<DiagonalVelocityDampingForceField dampingCoefficient='1 0 0 5 0 0 3 0 0 4 0 "
                 "0'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    ON_ALL("UniformVelocityDampingForceField", "all points", "dampingCoefficient='2'"),
    ON_ALL("PlaneForceField", "all points", "normal='0 0 1' d='2' stiffness='10'"),
    ON_ALL("SphereForceField", "all points", "center='0 0 0' radius='3' stiffness='10'"),
    ON_ALL("EllipsoidForceField", "all points", "center='0 0 0' vradius='3 2 1' stiffness='-10'"),
    ON_ALL("ConicalForceField", "all points",
           "coneCenter='-1 0 0' coneHeight='2 0 0' coneAngle='20' stiffness='10'"),
    {"UniformMass", "points",
     POINT_PAIR("<UniformMass vertexMass='2'/>", "<UniformMass vertexMass='2'/>"), -1},
    {"UniformMass", "frames",
     FRAMES_PAIR("<UniformMass vertexMass='2 1 [1 0 0 0 2 0 0 0 3]'/>",
                 "<UniformMass vertexMass='2 1 [1 0 0 0 2 0 0 0 3]'/>"),
     -1},
    {"RepulsiveSpringForceField", "short springs",
     POINT_PAIR("<RepulsiveSpringForceField spring='0 1 10 1 5 2 4 20 1 5 0 3 30 1 5'/>",
                "<RepulsiveSpringForceField spring='2 1 20 1 5 0 3 30 1 5'/>"),
     0},
    {"RegularGridSpringForceField",
     "listed springs beside a mesh",
     ROOT(
         "<Node name='a'><PointSetTopologyContainer name='mesh' position='" FIVE
         "'/><PointSetTopologyModifier name='modifier'/><RegularGridTopology name='grid' n='5 1 1' "
         "min='0 0 0' max='4 0 0'/><MechanicalObject name='state' "
         "position='" FIVE "'/></Node><RegularGridSpringForceField" OF_A
         "linesStiffness='10' linesDamping='1' spring='0 4 30 1 2'/>"),
     ROOT(POINTS("a", FOUR, "") "<SpringForceField" OF_A
                                "spring='0 1 30 1 2 2 3 10 1 1 3 1 10 1 1'/>"),
     {REMOVE_POINTS("a", 1, 1)},
     0},
};

#endif
