/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of linear mappings. */
#ifndef TESTS_SUPPORT_MAPPING_CASES_LINEAR_H
#define TESTS_SUPPORT_MAPPING_CASES_LINEAR_H

#include "tests/support/conform_mapping.h"

#define MAP_BEGIN                                                                                  \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
#define MAP_END "</Node></Node></Node>"

/* ---- IdentityMapping ---- */

#define IDENTITY(in, out, x, v)                                                                    \
  MAP_BEGIN "<MechanicalObject template='" in "' position='" x "' velocity='" v "'/>"              \
            "<Node name='copy'><MechanicalObject template='" out "'/><IdentityMapping/>" MAP_END
#define TWO_FRAMES "1 2 3 0 0 0 1 -1 0 2 0.5 0.5 0.5 0.5"

/* ---- SubsetMapping ---- */

#define SUBSET(kind, x, places, how)                                                               \
  MAP_BEGIN "<MechanicalObject template='" kind "' position='" x "'/>"                             \
            "<Node name='some'><MechanicalObject template='" kind "' " places "/>"                 \
            "<SubsetMapping " how "/>" MAP_END
#define FOUR_POINTS "0 0 0 1 0 0 0 1 0 0 0 1"

#define MERGE(in, x0, x1, out, pairs)                                                              \
  MAP_BEGIN "<MechanicalObject template='" in "' position='" x0 "'/>"                              \
            "<Node name='second'><MechanicalObject template='" in "' position='" x1 "'/>"          \
            "<Node name='merged'><MechanicalObject template='" out "'/>"                           \
            "<SubsetMultiMapping template='" in "," out "' input='@../../ @../' output='@./' "     \
            "indexPairs='" pairs "'/></Node>" MAP_END

/* ---- several inputs ---- */

#define STATE(kind, x) "<MechanicalObject template='" kind "' position='" x "'/>"
/* Two states, each with a mass, and a third that depends on both. */
#define TWO_STATES(kind0, x0, kind1, x1, out, mapping)                                             \
  MAP_BEGIN STATE(kind0, x0) "<UniformMass totalMass='3'/><Node name='second'>" STATE(             \
      kind1,                                                                                       \
      x1) "<UniformMass totalMass='2'/><Node name='merged'><MechanicalObject template='" out       \
          "'/>" mapping "</Node>" MAP_END
#define OF_BOTH " input='@../../ @../' output='@./' "
#define OF_TWO_KINDS " input1='@../../' input2='@../' output='@./' "

#define TO_NUMBERS(kind, x, mapping)                                                               \
  MAP_BEGIN STATE(kind,                                                                            \
                  x) "<Node name='numbers'><MechanicalObject template='Vec1d'/>" mapping MAP_END

/* ---- BarycentricMapping ---- */

/* Points inside, on a vertex, on a face and outside of the unit cube. */
#define PLACES "0.3 0.2 0.1  0 0 0  1 0.5 0.25  -0.5 0.2 1.4  0.9 0.8 0.7"
#define BARYCENTRIC(topology, x, out)                                                              \
  MAP_BEGIN topology "<MechanicalObject template='Vec3d' position='" x "'/>"                       \
                     "<Node name='points'>" out "<BarycentricMapping/>" MAP_END
#define CUBE "0 0 0 1 0 0 1.1 1 0 0 1 0 0 0 1 1 0 1 1 1.1 1 0 1 1"
#define CUBE_SIDES "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7"
#define COMPOSITE(how)                                                                             \
  MAP_BEGIN "<SparseGridTopology n='3 3 2' nbVirtualFinerLevels='2' position='" CUBE               \
            "' quads='" CUBE_SIDES                                                                 \
            "'/><MechanicalObject/><HexahedronCompositeFEMForceFieldAndMass "                      \
            "nbVirtualFinerLevels='1' youngModulus='5000' poissonRatio='0.3' " how                 \
            "/><Node name='points'>" AT_PLACES "<HexahedronCompositeFEMMapping/>" MAP_END
#define AT_PLACES "<MechanicalObject template='Vec3d' position='" PLACES "'/>"
#define FRAMES                                                                                     \
  "<MechanicalObject template='Rigid3d' position='0.3 0.2 0.1 0 0 0 1 0.5 1.5 0.2 0 0.6 0 0.8'/>"
#define SIX_TETRAS "tetrahedra='0 5 1 6 0 1 3 6 1 3 6 2 6 3 0 7 6 7 0 5 7 5 4 0'"

/* ---- CaribouBarycentricMapping ---- */

/* Elements of a kind with points inside, on a corner, on an edge; the nodes of second order are
 * moved from the middle, so that elements are curved. */
#define CARIBOU_MAP(name_of, field, lists, at)                                                     \
  "<Node name='root'><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"                  \
  "<DefaultVisualManagerLoop/><Node name='body'>"                                                  \
  "<QuadraticMesh name='mesh' position='0 0 0  1 .1 0  1.1 1 .1  0 .9 0  0 .1 1  1.2 0 .9  "       \
  "1 1.1 1  .1 1 1.2  2 0 .1  2.1 1 0  2 .1 1  2.2 1.1 1.1  .5 .6 2' " lists "/>"                  \
  "<BlockMap name='map' position='@mesh.nodes' corners='0 0 0 1 0.1 0 1.1 1 0 0 1 0.1 0 0.1 1 "    \
  "1.2 0 1 1 1.1 1.2 0 1 1'/><MechanicalObject name='state' position='@map.points'/>"              \
  "<CaribouTopology name='solid' template='" name_of "' indices='@mesh." field "'/>"               \
  "<Node name='points'><MechanicalObject position='" at "'/><CaribouBarycentricMapping/>" MAP_END
#define CARIBOU_INSIDE "0.33 0.38 0.25  0 0 0  0.3 0.3 0.2"

static const MappingCase linear_mapping_cases[] = {
    {"CaribouBarycentricMapping", "hexahedra of 20 nodes",
     CARIBOU_MAP("Hexahedron20", "hexahedra20", "hexahedra='0 1 2 3 4 5 6 7'", CARIBOU_INSIDE)},
    {"CaribouBarycentricMapping", "hexahedra of 27 nodes",
     CARIBOU_MAP("Hexahedron27", "hexahedra27", "centers='1' hexahedra='0 1 2 3 4 5 6 7'",
                 CARIBOU_INSIDE)},
    {"CaribouBarycentricMapping", "tetrahedra of 10 nodes",
     CARIBOU_MAP("Tetrahedron10", "tetrahedra10", "tetrahedra='0 1 2 5  1 8 2 5'",
                 "0 0 0  0.38 0.28 0.13  0.4 0.3 0.15")},
    {"CaribouBarycentricMapping", "prisms of 15 nodes",
     CARIBOU_MAP("Prism15", "prisms15", "prisms='0 1 2 4 5 6  0 2 3 4 6 7'", CARIBOU_INSIDE)},
    {"CaribouBarycentricMapping", "pyramids of 13 nodes",
     CARIBOU_MAP("Pyramid13", "pyramids13", "pyramids='0 3 2 1 6'", "0 0 0  0.25 0.55 0.1")},

    {"IdentityMapping", "Vec3,Vec3", IDENTITY("Vec3d", "Vec3d", "0 1 2 3 4 5", "1 0 2 0 1 3")},
    {"IdentityMapping", "Vec1,Vec1", IDENTITY("Vec1d", "Vec1d", "0 1 2", "3 4 5")},
    {"IdentityMapping", "Vec2,Vec2", IDENTITY("Vec2d", "Vec2d", "0 1 2 3", "3 4 5 6")},
    {"IdentityMapping", "Vec6,Vec6",
     IDENTITY("Vec6d", "Vec6d", "0 1 2 3 4 5 6 7 8 9 1 2", "1 2 3 4 5 6 6 5 4 3 2 1")},
    {"IdentityMapping", "Vec6,Vec3",
     IDENTITY("Vec6d", "Vec3d", "0 1 2 3 4 5 6 7 8 9 1 2", "1 2 3 4 5 6 6 5 4 3 2 1")},
    {"IdentityMapping", "Rigid3,Rigid3",
     IDENTITY("Rigid3d", "Rigid3d", TWO_FRAMES, "1 2 3 4 5 6 6 5 4 3 2 1")},
    {"IdentityMapping", "Rigid3,Vec3",
     IDENTITY("Rigid3d", "Vec3d", TWO_FRAMES, "1 2 3 4 5 6 6 5 4 3 2 1")},
    {"IdentityMapping", "Rigid2,Rigid2",
     IDENTITY("Rigid2d", "Rigid2d", "1 2 0.5 3 4 -1", "1 2 3 4 5 6")},
    {"IdentityMapping", "Rigid2,Vec2",
     IDENTITY("Rigid2d", "Vec2d", "1 2 0.5 3 4 -1", "1 2 3 4 5 6")},

    {"SubsetMapping", "indices", SUBSET("Vec3d", FOUR_POINTS, "", "indices='2 0 2'")},
    {"SubsetMapping", "range", SUBSET("Vec3d", FOUR_POINTS, "", "first='1' last='2'")},
    {"SubsetMapping", "places",
     SUBSET("Vec3d", FOUR_POINTS, "position='1 0 0 0 0 1 9 9 9'", "ignoreNotFound='1'")},
    {"SubsetMapping", "Vec1", SUBSET("Vec1d", "0 1 3", "", "indices='2 0'")},
    {"SubsetMapping", "Rigid3", SUBSET("Rigid3d", TWO_FRAMES, "", "indices='1'")},

    {"SubsetMultiMapping", "Vec3",
     MERGE("Vec3d", FOUR_POINTS, "0 0 5 1 0 5", "Vec3d", "0 1 1 0 0 3 1 0")},
    {"SubsetMultiMapping", "origins of frames",
     MERGE("Rigid3d", TWO_FRAMES, TWO_FRAMES, "Vec3d", "0 1 1 0")},
    {"SubsetMultiMapping", "frames",
     MERGE("Rigid3d", TWO_FRAMES, TWO_FRAMES, "Rigid3d", "1 1 1 0 0 0")},

    {"IdentityMultiMapping", "Vec3",
     TWO_STATES("Vec3d", FOUR_POINTS, "Vec3d", "0 0 5 1 0 5", "Vec3d",
                "<IdentityMultiMapping template='Vec3d,Vec3d'" OF_BOTH "/>")},
    {"IdentityMultiMapping", "frames",
     TWO_STATES("Rigid3d", TWO_FRAMES, "Rigid3d", TWO_FRAMES, "Rigid3d",
                "<IdentityMultiMapping template='Rigid3d,Rigid3d'" OF_BOTH "/>")},
    {"CenterOfMassMultiMapping", "points",
     TWO_STATES("Vec3d", FOUR_POINTS, "Vec3d", "0 0 5 1 0 5", "Vec3d",
                "<CenterOfMassMultiMapping template='Vec3d,Vec3d'" OF_BOTH "/>")},
    {"CenterOfMassMultiMapping", "frames",
     TWO_STATES("Rigid3d", TWO_FRAMES, "Rigid3d", TWO_FRAMES, "Vec3d",
                "<CenterOfMassMultiMapping template='Rigid3d,Vec3d'" OF_BOTH "/>")},
    {"CenterOfMassMultiMapping", "a frame",
     TWO_STATES("Rigid3d", TWO_FRAMES, "Rigid3d", TWO_FRAMES,
                "Rigid3d' position='0 0 0 0 0.6 0 0.8",
                "<CenterOfMassMultiMapping template='Rigid3d,Rigid3d'" OF_BOTH "/>")},
    {"CenterOfMassMulti2Mapping", "points and frames",
     TWO_STATES("Vec3d", FOUR_POINTS, "Rigid3d", TWO_FRAMES, "Vec3d",
                "<CenterOfMassMulti2Mapping" OF_TWO_KINDS "/>")},
    {"DeformableOnRigidFrameMapping", "points in a frame",
     TWO_STATES("Vec3d", FOUR_POINTS, "Rigid3d", TWO_FRAMES, "Vec3d",
                "<DeformableOnRigidFrameMapping" OF_TWO_KINDS "index='0' indexFromEnd='1'/>")},
    {"DeformableOnRigidFrameMapping", "points shared among frames",
     TWO_STATES("Vec3d", FOUR_POINTS, "Rigid3d", TWO_FRAMES, "Vec3d",
                "<DeformableOnRigidFrameMapping" OF_TWO_KINDS "repartition='1 3'/>")},
    {"DistanceToPlaneMapping", "Vec3",
     TO_NUMBERS("Vec3d", FOUR_POINTS,
                "<DistanceToPlaneMapping planeNormal='1 2 -1' planePoint='0 0.5 1'/>")},
    {"DistanceToPlaneMapping", "Vec2",
     TO_NUMBERS("Vec2d", "1 2 3 4", "<DistanceToPlaneMapping planeNormal='1 2'/>")},
    {"DistanceToPlaneMapping", "Vec6",
     TO_NUMBERS("Vec6d", "1 2 3 4 5 6", "<DistanceToPlaneMapping planeNormal='1 2 0 1 0 1'/>")},
    {"DistanceToPlaneMapping", "Rigid2",
     TO_NUMBERS("Rigid2d", "1 2 3 4 5 6", "<DistanceToPlaneMapping planeNormal='1 2'/>")},
    {"DistanceToPlaneMapping", "Rigid3",
     TO_NUMBERS("Rigid3d", TWO_FRAMES,
                "<DistanceToPlaneMapping planeNormal='0 0 2' planePoint='1 1 1'/>")},
    {"Mesh2PointMechanicalMapping", "points of all kinds",
     MAP_BEGIN "<MeshTopology name='mesh' hexahedra='0 1 2 3 4 5 6 7' tetrahedra='0 1 3 4' "
               "position='" CUBE "'/><MechanicalObject position='" CUBE "'/><Node name='points'>"
               "<PointSetTopologyContainer name='made'/><Mesh2PointTopologicalMapping "
               "input='@../mesh' output='@made' pointBaryCoords='0 0 0 0.1 0.2 0.3' "
               "edgeBaryCoords='0.25 0 0' triangleBaryCoords='0.2 0.3 0' quadBaryCoords='0.1 0.6 "
               "0' tetraBaryCoords='0.1 0.2 0.3' hexaBaryCoords='0.5 0.25 0.75'/>"
               "<MechanicalObject/><Mesh2PointMechanicalMapping/>" MAP_END},
    {"SimpleTesselatedTetraMechanicalMapping", "points and middles",
     MAP_BEGIN "<TetrahedronSetTopologyContainer name='mesh' " SIX_TETRAS " position='" CUBE
               "'/><MechanicalObject position='" CUBE
               "'/><Node name='fine'><TetrahedronSetTopologyContainer name='made'/>"
               "<SimpleTesselatedTetraTopologicalMapping input='@../mesh' output='@made'/>"
               "<MechanicalObject/><SimpleTesselatedTetraMechanicalMapping/>" MAP_END},
    {"VoidMapping", "points below frames",
     MAP_BEGIN STATE("Rigid3d", TWO_FRAMES) "<Node name='apart'>" STATE(
         "Vec3d", FOUR_POINTS) "<VoidMapping/>" MAP_END},

    {"BarycentricMapping", "grid",
     MAP_BEGIN "<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
               "<Node name='points'>" AT_PLACES "<BarycentricMapping/>" MAP_END},
    {"BarycentricMapping", "sparse grid",
     MAP_BEGIN "<SparseGridTopology n='3 3 3' position='" CUBE "' quads='" CUBE_SIDES
               "'/><MechanicalObject/><Node name='points'>" AT_PLACES
               "<BarycentricMapping/>" MAP_END},
    {"BarycentricMapping", "sparse grid with branches",
     MAP_BEGIN "<SparseGridRamificationTopology n='3 3 3' nbVirtualFinerLevels='1' position='" CUBE
               "' quads='" CUBE_SIDES "'/><MechanicalObject/><Node name='points'>" AT_PLACES
               "<BarycentricMapping/>" MAP_END},
    {"HexahedronCompositeFEMMapping", "between hexahedra", COMPOSITE("")},
    {"HexahedronCompositeFEMMapping", "complete interpolation",
     COMPOSITE("completeInterpolation='1'")},
    {"HexahedronCompositeFEMMapping", "polar frames", COMPOSITE("method='polar'")},
    {"HexahedronCompositeFEMMapping", "frames that do not turn", COMPOSITE("method='small'")},
    {"BarycentricMapping", "mesh of tetrahedra",
     BARYCENTRIC("<MeshTopology " SIX_TETRAS "/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "mesh of a hexahedron and a tetrahedron",
     BARYCENTRIC("<MeshTopology hexahedra='0 1 2 3 4 5 6 7' tetrahedra='0 1 3 4'/>", CUBE,
                 AT_PLACES)},
    {"BarycentricMapping", "mesh of a triangle and a quad",
     BARYCENTRIC("<MeshTopology triangles='0 1 2' quads='4 5 6 7'/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "mesh of edges",
     BARYCENTRIC("<MeshTopology edges='0 1 1 2 3 7'/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "set of tetrahedra",
     BARYCENTRIC("<TetrahedronSetTopologyContainer " SIX_TETRAS "/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "set of hexahedra",
     BARYCENTRIC("<HexahedronSetTopologyContainer hexahedra='0 1 2 3 4 5 6 7'/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "set of triangles",
     BARYCENTRIC("<TriangleSetTopologyContainer triangles='0 1 2 0 2 3 4 6 5'/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "set of quads",
     BARYCENTRIC("<QuadSetTopologyContainer quads='0 1 2 3 4 5 6 7'/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "element with a repeated vertex",
     BARYCENTRIC("<MeshTopology hexahedra='0 1 2 3 4 5 6 6'/>", CUBE, AT_PLACES)},
    {"BarycentricMapping", "frames that turn with tetrahedra",
     BARYCENTRIC("<TetrahedronSetTopologyContainer " SIX_TETRAS "/>", CUBE, FRAMES)},
    {"BarycentricMapping", "frames that turn with hexahedra",
     BARYCENTRIC("<HexahedronSetTopologyContainer hexahedra='0 1 2 3 4 5 6 7'/>", CUBE, FRAMES)},
    {"BarycentricMapping", "frames on triangles",
     BARYCENTRIC("<TriangleSetTopologyContainer triangles='0 1 2 0 2 3 4 6 5'/>", CUBE, FRAMES)},
    {"BarycentricMapping", "frames in a mesh",
     BARYCENTRIC("<MeshTopology " SIX_TETRAS "/>", CUBE, FRAMES)},
};

#endif
