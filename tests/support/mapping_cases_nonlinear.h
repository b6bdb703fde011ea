/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of mappings to distances, areas and the like. */
#ifndef TESTS_SUPPORT_MAPPING_CASES_NONLINEAR_H
#define TESTS_SUPPORT_MAPPING_CASES_NONLINEAR_H

#include "tests/support/mapping_cases_linear.h"

#define MEASURE(kind, x, elements, mapping)                                                        \
  MAP_BEGIN "<MeshTopology name='mesh' " elements "/>"                                             \
            "<MechanicalObject template='" kind "' position='" x "'/><Node name='measure'>"        \
            "<MechanicalObject template='Vec1d'/>" mapping MAP_END
#define BETWEEN(kind, x0, x1, how)                                                                 \
  TWO_STATES(kind, x0, kind, x1, "Vec1d",                                                          \
             "<EdgeSetTopologyContainer name='lines' edges='0 1 1 2 3 0'/>"                        \
             "<DistanceMultiMapping template='" kind ",Vec1d' topology='@lines'" OF_BOTH how "/>")
#define LINES "edges='0 1 1 2 3 0'"
#define SPREAD "0 0 0 1 0 0.2 0.1 1 0 -0.3 0.2 1.1"
#define SPREAD_FRAMES "0 0 0 0 0 0 1 1 0 0.2 0 0 0.6 0.8 0.1 1 0 0.5 0.5 0.5 0.5"

/* ---- ArticulatedSystemMapping ---- */

#define CENTER(parent, child, joints) CENTER_BY("0", parent, child, joints)
#define CENTER_BY(process, parent, child, joints)                                                  \
  "<Node><ArticulationCenter articulationProcess='" process "' parentIndex='" parent               \
  "' childIndex='" child "' posOnParent='0.3 0.1 0' posOnChild='-0.2 0.4 0.1'/><Node>" joints      \
  "</Node></Node>"
#define TURN(index, axis)                                                                          \
  "<Articulation articulationIndex='" index "' rotation='1' axis='" axis "'/>"
#define SLIDE(index, axis)                                                                         \
  "<Articulation articulationIndex='" index "' translation='1' axis='" axis "'/>"
/* two branches, the second with a screw whose value is used in the first, too */
#define ARTICULATED(ground, input2)                                                                \
  "<Node name='root'><RequiredPlugin pluginName='ArticulatedSystemPlugin'/>"                       \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"                           \
  "<MechanicalObject template='Vec1' position='0.3 -0.7 0.5 0.2'/>" ground                         \
  "<Node name='frames'><MechanicalObject template='Rigid3' position='1 0 0 0 0 0 1 0 0 0 0 0 0 1 " \
  "0 0 0 0 0 0 1 0 0 0 0 0 0 1'/><ArticulatedSystemMapping input1='@../' " input2                  \
  " output='@./'/></Node><ArticulatedHierarchyContainer/>" CENTER(                                 \
      "0", "1", TURN("0", "0 0 1") TURN("1", "1 1 0"))                                             \
      CENTER("1", "2", SLIDE("2", "0 2 0") TURN("3", "0 1 1")) CENTER(                             \
          "0", "3",                                                                                \
          "<Articulation articulationIndex='3' rotation='1' translation='1'/>") "</Node></Node>"

#define TOGETHER(values)                                                                           \
  "<Node name='root'><RequiredPlugin pluginName='ArticulatedSystemPlugin'/>"                       \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"                           \
  "<MechanicalObject template='Vec1' position='" values "'/><Node name='ground'>"                  \
  "<MechanicalObject template='Rigid3' position='1 2 3 0.5 0.5 0.5 0.5'/><UniformMass "            \
  "totalMass='1'/></Node><Node name='frames'><MechanicalObject template='Rigid3' position='"       \
  "1 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1'/><ArticulatedSystemMapping input1='@../' "           \
  "input2='@../ground' output='@./'/></Node><ArticulatedHierarchyContainer/>" CENTER_BY(           \
      "1", "0", "1", TURN("0", "0 0 1") SLIDE("2", "0 2 0") TURN("1", "1 1 0"))                    \
      CENTER_BY("2", "1", "2",                                                                     \
                TURN("3", "0 1 1") SLIDE("0", "1 0 0") TURN("2", "1 0 0")) "</Node></Node>"

static const MappingCase nonlinear_mapping_cases[] = {
    {"DistanceMapping", "exact",
     MEASURE("Vec3d", SPREAD, LINES, "<DistanceMapping geometricStiffness='Exact'/>")},
    {"DistanceMapping", "stabilized",
     MEASURE("Vec3d", SPREAD, LINES, "<DistanceMapping topology='@../mesh' restLengths='1 2 3'/>")},
    {"DistanceMapping", "frames",
     MEASURE("Rigid3d", SPREAD_FRAMES, "edges='0 1 2 1'",
             "<DistanceMapping geometricStiffness='1' computeDistance='1'/>")},
    {"DistanceMultiMapping", "exact",
     BETWEEN("Vec3d", SPREAD, "1 1 1 2 1 0.3",
             "geometricStiffness='Exact' computeDistance='1' indexPairs='0 0 1 1 0 3 1 0'")},
    {"DistanceMultiMapping", "stabilized",
     BETWEEN("Vec3d", SPREAD, "1 1 1 2 1 0.3", "restLengths='1 2 3' indexPairs='0 0 1 1 0 3 1 0'")},
    {"DistanceMultiMapping", "frames",
     BETWEEN("Rigid3d", SPREAD_FRAMES, "1 1 1 0 0 0 1",
             "geometricStiffness='Exact' indexPairs='0 0 1 0 0 2 0 1'")},
    {"DistanceFromTargetMapping", "exact",
     MEASURE("Vec3d", SPREAD, "",
             "<DistanceFromTargetMapping geometricStiffness='Exact' indices='2 0' "
             "targetPositions='1 1 1 0 0 2'/>")},
    {"DistanceFromTargetMapping", "stabilized",
     MEASURE("Vec3d", SPREAD, "",
             "<DistanceFromTargetMapping targetPositions='1 1 1 0 0 2' restLengths='0.5'/>")},
    {"DistanceFromTargetMapping", "numbers",
     MEASURE("Vec1d", "1 -0.5 2", "",
             "<DistanceFromTargetMapping geometricStiffness='1' targetPositions='2 3'/>")},
    {"DistanceFromTargetMapping", "frames",
     MEASURE("Rigid3d", SPREAD_FRAMES, "",
             "<DistanceFromTargetMapping geometricStiffness='1' indices='1' "
             "targetPositions='1 1 1 0 0 0 1'/>")},
    {"SquareDistanceMapping", "exact",
     MEASURE("Vec3d", SPREAD, LINES, "<SquareDistanceMapping geometricStiffness='Exact'/>")},
    {"SquareDistanceMapping", "stabilized",
     MEASURE("Vec3d", SPREAD, LINES, "<SquareDistanceMapping/>")},
    {"SquareDistanceMapping", "frames",
     MEASURE("Rigid3d", SPREAD_FRAMES, "edges='0 1 2 1'",
             "<SquareDistanceMapping geometricStiffness='1'/>")},
    {"SquareMapping", "exact", MEASURE("Vec1d", "1 -0.5 2", LINES, "<SquareMapping/>")},
    {"AreaMapping", "exact",
     MEASURE("Vec3d", SPREAD, "triangles='0 1 2 1 3 2'",
             "<AreaMapping geometricStiffness='Exact'/>")},
    {"AreaMapping", "stabilized",
     MEASURE("Vec3d", SPREAD, "triangles='0 1 2 1 3 2 2 0 3'", "<AreaMapping/>")},
    {"VolumeMapping", "exact",
     MEASURE("Vec3d", SPREAD " 1 1 1", "tetrahedra='0 1 2 3 1 4 2 3'",
             "<VolumeMapping geometricStiffness='Exact'/>")},
    {"VolumeMapping", "stabilized",
     MEASURE("Vec3d", SPREAD " 1 1 1", "tetrahedra='0 1 2 3 1 4 2 3'", "<VolumeMapping/>")},
    {"ArticulatedSystemMapping", "a tree that nothing carries", ARTICULATED("", "")},
    {"ArticulatedSystemMapping", "joints that act together", TOGETHER("0.3 -0.7 0.5 0.2")},
    {"ArticulatedSystemMapping", "joints that act together, hardly turned",
     TOGETHER("0.001 0.002 -0.001 0")},
    {"ArticulatedSystemMapping", "joints that act together, not turned", TOGETHER("0 0 0 0")},
    {"ArticulatedSystemMapping", "joints that act together, turned more than once",
     TOGETHER("7.3 -5.7 0.5 8.2")},
    {"ArticulatedSystemMapping", "a tree on a frame",
     ARTICULATED("<Node name='ground'><MechanicalObject template='Rigid3' position='"
                 "9 9 9 0 0 0 1 1 2 3 0.5 0.5 0.5 0.5'/><UniformMass totalMass='1'/></Node>",
                 "input2='@../ground'")},
};

#endif
