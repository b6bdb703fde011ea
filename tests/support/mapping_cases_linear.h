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

/* ---- BarycentricMapping ---- */

/* Points inside, on a vertex, on a face and outside of the unit cube. */
#define PLACES "0.3 0.2 0.1  0 0 0  1 0.5 0.25  -0.5 0.2 1.4  0.9 0.8 0.7"
#define BARYCENTRIC(topology, x, out)                                                              \
  MAP_BEGIN topology "<MechanicalObject template='Vec3d' position='" x "'/>"                       \
                     "<Node name='points'>" out "<BarycentricMapping/>" MAP_END
#define CUBE "0 0 0 1 0 0 1.1 1 0 0 1 0 0 0 1 1 0 1 1 1.1 1 0 1 1"
#define AT_PLACES "<MechanicalObject template='Vec3d' position='" PLACES "'/>"
#define FRAMES                                                                                     \
  "<MechanicalObject template='Rigid3d' position='0.3 0.2 0.1 0 0 0 1 0.5 1.5 0.2 0 0.6 0 0.8'/>"
#define SIX_TETRAS "tetrahedra='0 5 1 6 0 1 3 6 1 3 6 2 6 3 0 7 6 7 0 5 7 5 4 0'"

static const MappingCase linear_mapping_cases[] = {
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

    {"BarycentricMapping", "grid",
     MAP_BEGIN "<RegularGridTopology n='3 3 3' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
               "<Node name='points'>" AT_PLACES "<BarycentricMapping/>" MAP_END},
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
    {"BarycentricMapping", "frames in a mesh",
     BARYCENTRIC("<MeshTopology " SIX_TETRAS "/>", CUBE, FRAMES)},
};

#endif
