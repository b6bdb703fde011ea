/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of mappings of frames. */
#ifndef TESTS_SUPPORT_MAPPING_CASES_RIGID_H
#define TESTS_SUPPORT_MAPPING_CASES_RIGID_H

#include "tests/support/mapping_cases_linear.h"

#define FRAMES_TO(in, x, out, child, mapping)                                                      \
  MAP_BEGIN "<MechanicalObject template='" in "' position='" x "'/>"                               \
            "<Node name='fixed'><MechanicalObject template='" out "' " child "/>" mapping MAP_END
#define TWO_TURNED "1 2 3 0 0.6 0 0.8 1 -1 0 0.5 0.5 0.5 0.5"
#define FOUR_FRAMES "0 0 0 0 0 0 1 1 0.1 0 0 0.6 0 0.8 2 0 0 0.5 0.5 0.5 0.5 3 0 0.2 0 0 0 1"
#define THREE_POINTS "position='1 0 0 0.2 0.5 -1 0 0 1'"
#define RIGID(how)                                                                                 \
  FRAMES_TO("Rigid3d", TWO_TURNED, "Vec3d", THREE_POINTS, "<RigidMapping " how "/>")

static const MappingCase rigid_mapping_cases[] = {
    {"RigidMapping", "points", RIGID("geometricStiffness='Exact'")},
    {"RigidMapping", "points of two frames",
     RIGID("rigidIndexPerPoint='0 1 1' geometricStiffness='1'")},
    {"RigidMapping", "stabilized", RIGID("index='1' geometricStiffness='Stabilized'")},
    {"RigidMapping", "world", RIGID("globalToLocalCoords='1' indexFromEnd='1'")},
    {"RigidMapping", "given points", RIGID("initialPoints='1 2 3 0.5 0 -1'")},
    {"RigidMapping", "rest positions",
     FRAMES_TO("Rigid3d", TWO_TURNED, "Vec3d", THREE_POINTS " rest_position='1 2 3 4 5 6 7 8 9'",
               "<RigidMapping useX0='1'/>")},
    {"RigidMapping", "frames",
     FRAMES_TO("Rigid3d", TWO_TURNED, "Rigid3d", "position='1 0 0 0 0 0.6 0.8'",
               "<RigidMapping index='1' geometricStiffness='Exact'/>")},
    {"RigidMapping", "frames from the world",
     FRAMES_TO("Rigid3d", TWO_TURNED, "Rigid3d", "position='1 0 0 0 0 0.6 0.8'",
               "<RigidMapping globalToLocalCoords='1'/>")},
    {"RigidMapping", "plane",
     FRAMES_TO("Rigid2d", "1 2 0.5 3 4 -1", "Vec2d", "position='1 0 0.5 2'",
               "<RigidMapping index='1'/>")},

    {"SkinningMapping", "nearest frames",
     FRAMES_TO("Rigid3d", FOUR_FRAMES, "Vec3d", THREE_POINTS, "<SkinningMapping nbRef='3'/>")},
    {"SkinningMapping", "more frames than there are",
     FRAMES_TO("Rigid3d", TWO_TURNED, "Vec3d", THREE_POINTS,
               "<SkinningMapping initPos='1 2 3 0 0 0' computeWeightsFromPosition='1'/>")},
    {"SkinningMapping", "given weights",
     FRAMES_TO("Rigid3d", FOUR_FRAMES, "Vec3d", THREE_POINTS,
               "<SkinningMapping indices='[ 0 , 2 ] [ 1 ] [ 3 , 0 , 1 ]' weight='[ 0.25 , 0.75 ] [ "
               "1 ] [ 0.5 , 0.25 , 0.25 ]'/>")},
    {"TubularMapping", "circles",
     FRAMES_TO("Rigid3d", FOUR_FRAMES, "Vec3d", "",
               "<TubularMapping nbPointsOnEachCircle='3' radius='0.5'/>")},
    {"TubularMapping", "peak",
     FRAMES_TO("Rigid3d", FOUR_FRAMES, "Vec3d", "",
               "<TubularMapping nbPointsOnEachCircle='3' radius='0.5' peak='-2'/>")},
    {"BeamLinearMapping", "beam coordinates",
     FRAMES_TO("Rigid3d", FOUR_FRAMES, "Vec3d", "position='0.2 0.1 0 1.7 0 0.3 3.1 0 0 -1 0 0'",
               "<BeamLinearMapping/>")},
    {"BeamLinearMapping", "world coordinates",
     FRAMES_TO("Rigid3d", FOUR_FRAMES, "Vec3d", "position='0.2 0.1 0 1.7 0 0.3 3.1 0 0 -1 0 0'",
               "<BeamLinearMapping localCoord='0'/>")},
    {"BeamLinearMapping_mt", "beam coordinates",
     FRAMES_TO("Rigid3d", FOUR_FRAMES, "Vec3d", "position='0.2 0.1 0 1.7 0 0.3 3.1 0 0 -1 0 0'",
               "<BeamLinearMapping_mt/>")},
    {"LineSetSkinningMapping", "all lines",
     FRAMES_TO("Rigid3d", FOUR_FRAMES "'/><MeshTopology edges='0 1 1 2 3 2", "Vec3d", THREE_POINTS,
               "<LineSetSkinningMapping/>")},
    {"LineSetSkinningMapping", "two lines",
     FRAMES_TO("Rigid3d", FOUR_FRAMES "'/><MeshTopology edges='0 1 0 2 3 2", "Vec3d",
               "position='1 0 0.5 0.2 0.5 -1 0 0 1'",
               "<LineSetSkinningMapping numberInfluencedLines='2' neighborhoodLevel='1' "
               "weightCoef='2'/>")},
    {"CenterOfMassMapping", "frames",
     FRAMES_TO("Rigid3d", FOUR_FRAMES "'/><UniformMass totalMass='3", "Vec3d", "",
               "<CenterOfMassMapping/>")},
    {"CenterOfMassMapping", "plane",
     FRAMES_TO("Rigid2d", "1 2 0.5 3 4 -1'/><UniformMass totalMass='3", "Vec2d", "",
               "<CenterOfMassMapping/>")},
};

#endif
