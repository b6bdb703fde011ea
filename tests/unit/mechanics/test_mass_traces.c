/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every mass with all its attributes, good and bad ones, edits of a running scene and topological
 * changes: the messages, fields, forces, products and energies are those of mass_traces.txt. The
 * other tests of masses say that the recorded numbers are right. A trace that changes on purpose is
 * recorded again: CSOFA_RECORD=FILE writes what was found. */
#include "tests/support/force_at.h"
#include "tests/support/topology_edits.h"

#include <ctype.h>
#include <math.h>
#include <unistd.h>

#include "behavior/mass.h"
#include "math/block_matrix.h"
#include "object/event.h"
#include "scene/edit.h"
#include "tests/support/trace.h"

enum { MOST_TEXT = 1000000, MOST_LAST = 10000, MOST = 200, MOST_ROWS = 40 };

/* ---- scenes ---- */

#define TETRA                                                                                      \
  "<MeshTopology name='mesh' position='0 0 0 2 0 0 0 3 0 0.5 0 4' tetrahedra='0 1 2 3'/>"          \
  "<MechanicalObject name='state'/>"
#define FLAT                                                                                       \
  "<MeshTopology name='mesh' position='0 0 0 2 0 0 0 3 0 1 1 0' tetrahedra='0 1 2 3'/>"            \
  "<MechanicalObject name='state'/>"
#define TRIANGLES                                                                                  \
  "<MeshTopology name='mesh' position='0 0 0 2 0 0 0 1 0 2 1 0.5' triangles='0 1 2 1 3 2'/>"       \
  "<MechanicalObject name='state'/>"
#define HEXA                                                                                       \
  "<MeshTopology name='mesh' position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 3 2 0 3 2 1 3 0 1 3.5' "        \
  "hexahedra='0 1 2 3 4 5 6 7'/><MechanicalObject name='state'/>"
#define WARPED                                                                                     \
  "<MeshTopology name='mesh' position='0 0 0 2 0 0.7 2.1 1.3 0 0 1 0.4' quads='0 1 2 3'/>"         \
  "<MechanicalObject name='state'/>"
#define MOVED                                                                                      \
  "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"            \
  "<MechanicalObject name='state' position='0 0 0 2 0 0 0 2 0 0 0 2' rest_position='0 0 0 1 0 0 "  \
  "0 1 0 0 0 1'/>"
#define LINE_POINTS                                                                                \
  "<MeshTopology name='mesh' position='0 0 0 1 0 0 3 0 0 6 0 0' edges='0 1 1 2 2 3'/>"             \
  "<MechanicalObject name='state'/>"
#define TURNED                                                                                     \
  "<MechanicalObject name='state' template='Rigid3d' "                                             \
  "position='0 0 0 0 0 0 1  1 2 3 0.5 0.5 0.5 0.5  0 1 0 0.1 0.7 -0.5 0.5'/>"
#define PLANAR "<MechanicalObject name='state' template='Rigid2d' position='0 0 0 1 2 0.5'/>"
#define KIND(kind, x) "<MechanicalObject name='state' template='" kind "' position='" x "'/>"
#define BELOW(kind, x, mass)                                                                       \
  TETRA "<Node name='below'>" KIND(kind, x) "<" mass " name='mass' topology='@../mesh'/></Node>"
#define DENSITY(values) "<NodalMassDensity name='density' property='" values "'/>"
#define SOFT "name='mass' youngModulus='0' poissonRatio='0.3' "
#define SPARSE(levels)                                                                             \
  "<SparseGridTopology name='mesh' n='3 3 3' nbVirtualFinerLevels='" levels "' "                   \
  "position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 1 2 0 1 2 1 1 0 1 1' "                                    \
  "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject name='state'/>"

/* A scene and what is done with it: "field=value" edits and makes again, "-e 0" and "+e 0 1 2 3"
 * remove and insert an element of the topology, "-p 1" and "+p 2 0" points, "step" makes one. */
typedef struct Row {
  const char *body;
  const char *acts[8];
} Row;

static const Row rows[] = {
    /* one mass for all */
    {TETRA "<UniformMass name='mass' totalMass='8'/>",
     {"totalMass=4", "vertexMass=3", "totalMass=-2", "indices=1 3", "separateGravity=1"}},
    {TETRA "<UniformMass name='mass' vertexMass='3'/>",
     {"vertexMass=5", "indices=0 2", "indices=9", "vertexMass=-1", "step"}},
    {TETRA "<UniformMass name='mass' vertexMass='3' totalMass='5'/>", {"step"}},
    {TETRA "<UniformMass name='mass'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='-1'/>", {"step"}},
    {TETRA "<UniformMass name='mass' vertexMass='-1'/>", {"vertexMass=2"}},
    {TETRA "<UniformMass name='mass' vertexMass='0'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' indices='3 1'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='0 0'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='0 1'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='0 2'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='1 2'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='2 2' indices='0 1'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='1 3'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='-1 2'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' localRange='1'/>", {NULL}},
    {TETRA "<UniformMass name='mass' totalMass='3' filename='none.rigid'/>", {NULL}},
    {TURNED "<UniformMass name='mass' totalMass='3' filename='none.rigid'/>", {NULL}},
    {TURNED "<UniformMass name='mass' filename='@FILE'/>", {"vertexMass=3 1 1 0 0 0 1 0 0 0 1"}},
    {TURNED "<UniformMass name='mass' filename='@FILE' totalMass='12'/>", {NULL}},
    {TURNED "<UniformMass name='mass' filename='@PART' totalMass='12'/>", {NULL}},
    {TURNED "<UniformMass name='mass' vertexMass='2 1 [0.1 0.01 0, 0.01 2 0.3, 0 0.3 3]'/>",
     {"indices=2 1", "totalMass=5", "vertexMass=2 1 [2 0 0, 0 2 0, 0 0 2]", "step"}},
    {TURNED "<UniformMass name='mass' vertexMass='2 1 [1 2 0, 2 4 0, 0 0 1]'/>", {NULL}},
    {TURNED "<UniformMass name='mass' totalMass='6'/>", {"step"}},
    {TURNED "<UniformMass name='mass' totalMass='-6'/>", {"step"}},
    {PLANAR "<UniformMass name='mass' vertexMass='2 1 0.5'/>", {"indices=1", "step"}},
    {PLANAR "<UniformMass name='mass' vertexMass='2 1 0'/>", {NULL}},
    {PLANAR "<UniformMass name='mass' totalMass='6'/>", {NULL}},
    {KIND("Vec1d", "1 2 4") "<UniformMass name='mass' totalMass='6'/>", {"indices=1"}},
    {KIND("Vec2d", "1 2 4 5") "<UniformMass name='mass' totalMass='6'/>", {"indices=1"}},
    {KIND("Vec6d", "1 2 4 5 7 8 1 1 2 2 3 3") "<UniformMass name='mass' vertexMass='6'/>",
     {"indices=1"}},
    /* one for each */
    {TETRA "<DiagonalMass name='mass' totalMass='8'/>",
     {"totalMass=4", "massDensity=3", "vertexMass=1 2 3", "separateGravity=1"}},
    {TETRA "<DiagonalMass name='mass' massDensity='3'/>",
     {"totalMass=9", "massDensity=2", "vertexMass=1 2 3", "massDensity=-2", "step"}},
    {TETRA "<DiagonalMass name='mass' vertexMass='1 2 3'/>",
     {"totalMass=9", "vertexMass=4 5 6 7", "vertexMass=1 2 3 4 5", "vertexMass=1 -2 1", "step"}},
    {TETRA "<DiagonalMass name='mass'/>", {"step"}},
    {TETRA "<DiagonalMass name='mass' totalMass='8' massDensity='3'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' totalMass='8' vertexMass='1 2 3 4'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' massDensity='3' vertexMass='1 2 3 4'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' totalMass='8' massDensity='3' vertexMass='1 2 3 4'/>",
     {NULL}},
    {TETRA "<DiagonalMass name='mass' totalMass='-8'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' massDensity='-8'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' massDensity='0'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' vertexMass='1 -8'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' vertexMass=''/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' vertexMass='1 2 3 4 5'/>", {NULL}},
    {FLAT "<DiagonalMass name='mass' totalMass='8'/>", {NULL}},
    {FLAT "<DiagonalMass name='mass' vertexMass='1 2'/>", {NULL}},
    {MOVED "<DiagonalMass name='mass' massDensity='6'/>", {"computeMassOnRest=0"}},
    {MOVED "<DiagonalMass name='mass' massDensity='6' computeMassOnRest='0'/>", {NULL}},
    {HEXA "<DiagonalMass name='mass' totalMass='6'/>", {"step"}},
    {WARPED "<DiagonalMass name='mass' massDensity='3'/>", {"step"}},
    {WARPED "<MeshMatrixMass name='mass' massDensity='3'/>", {NULL}},
    {LINE_POINTS "<DiagonalMass name='mass' massDensity='2'/>", {"step"}},
    {"<MechanicalObject name='state' position='0 0 0'/><DiagonalMass name='mass'/>", {NULL}},
    {"<MeshTopology name='mesh' position='0 0 0'/><MechanicalObject name='state'/>"
     "<DiagonalMass name='mass'/>",
     {NULL}},
    {BELOW("Vec1d", "1 2 3 4", "DiagonalMass template='Vec1d,Vec3d' massDensity='3'"), {NULL}},
    {BELOW("Vec2d", "1 2 3 4 5 6", "DiagonalMass template='Vec2d,Vec3d' massDensity='3'"), {NULL}},
    {BELOW("Vec3d", "1 2 3 4 5 6 7 8 9 0 1 2 5 5 5",
           "DiagonalMass massDensity='3' geometryState='@../state'"),
     {NULL}},
    {"<Node name='up'><MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1' "
     "tetrahedra='0 1 2 3'/></Node>" KIND(
         "Vec3d", "0 0 0 1 0 0 0 1 0 0 0 1") "<DiagonalMass name='mass' massDensity='3' "
                                             "topology='@up/mesh'/>",
     {NULL}},
    {TETRA "<DiagonalMass name='mass' filename='@XSP4'/>", {"step", "totalMass=5"}},
    {TETRA "<DiagonalMass name='mass' filename='@XSP2'/>", {NULL}},
    {TETRA "<DiagonalMass name='mass' filename='none.xsp'/>", {NULL}},
    {TURNED "<DiagonalMass name='mass' filename='@XSP2'/>", {NULL}},
    {TURNED "<DiagonalMass name='mass' totalMass='2'/>", {NULL}},
    {TURNED "<DiagonalMass name='mass' vertexMass='2 1 1 0 0 0 1 0 0 0 1'/>", {NULL}},
    {TURNED "<DiagonalMass name='mass' vertexMass='1 1 1 0 0 0 1 0 0 0 1  2 1 1 0 0 0 2 0 0 0 3  "
            "3 1 4 0.1 0 0.1 4 0 0 0 4'/>",
     {"vertexMass=1 1 1 0 0 0 1 0 0 0 1  2 1 1 0 0 0 1 0 0 0 1  3 1 4 0 0 0 4 0 0 0 4",
      "vertexMass=1 1 1 0 0 0 1 0 0 0 1", "vertexMass=-1 1 1 0 0 0 1 0 0 0 1", "step"}},
    {PLANAR "<DiagonalMass name='mass' template='Rigid2d,Rigid2d' vertexMass='2 1 0.5 3 1 0.7'/>",
     {"step"}},
    {PLANAR "<DiagonalMass name='mass' template='Rigid2d,Rigid3d' vertexMass='2 1 0.5 3 1 0'/>",
     {"step"}},
    /* matrices */
    {TETRA "<MeshMatrixMass name='mass' totalMass='8'/>",
     {"totalMass=4", "massDensity=3", "vertexMass=1 2 3", "lumping=1", "separateGravity=1"}},
    {TETRA "<MeshMatrixMass name='mass' massDensity='3'/>",
     {"totalMass=9", "massDensity=2", "massDensity=1 2", "massDensity=-2", "step"}},
    {TETRA "<MeshMatrixMass name='mass' vertexMass='1 2 3 4' edgeMass='0.1 0.2 0.3 0.4 0.5 0.6'/>",
     {"totalMass=9", "vertexMass=4 5 6 7", "edgeMass=0 0 0 0 0 1", "edgeMass=1", "step"}},
    {TETRA "<MeshMatrixMass name='mass' printMass='1' massDensity='6'/>",
     {"step", "printMass=0", "step"}},
    {TETRA "<MeshMatrixMass name='mass' printMass='1' massDensity='6' lumping='1'/>", {"step"}},
    {TETRA "<MeshMatrixMass name='mass'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' totalMass='8' massDensity='3'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' totalMass='-8'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' massDensity='-8'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' massDensity='0'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' massDensity=''/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' vertexMass='1 2 3 4'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' vertexMass='1 2 3 4' lumping='1'/>",
     {"vertexMass=4 5 6 7", "vertexMass=-1 0 0 0", "lumping=0", "step"}},
    {TETRA "<MeshMatrixMass name='mass' vertexMass='1 2 3' lumping='1'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' vertexMass='1 2 3 -4' lumping='1'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' vertexMass='1 2 3 4' edgeMass='0.1 0.2'/>", {NULL}},
    {TETRA "<MeshMatrixMass name='mass' edgeMass='0.1 0.2'/>", {NULL}},
    {FLAT "<MeshMatrixMass name='mass' totalMass='8'/>", {NULL}},
    {MOVED "<MeshMatrixMass name='mass' massDensity='6'/>", {NULL}},
    {MOVED "<MeshMatrixMass name='mass' massDensity='6' computeMassOnRest='1'/>", {NULL}},
    {TRIANGLES "<MeshMatrixMass name='mass' massDensity='3 5'/>",
     {"massDensity=2", "massDensity=1 2 3", "massDensity=1 -2", "step"}},
    {TRIANGLES "<MeshMatrixMass name='mass' totalMass='3' lumping='1'/>", {"step"}},
    {HEXA "<MeshMatrixMass name='mass' totalMass='6'/>", {"totalMass=3", "step"}},
    {HEXA "<MeshMatrixMass name='mass' massDensity='6' lumping='1'/>",
     {"massDensity=3", "totalMass=2", "step"}},
    {HEXA "<MeshMatrixMass name='mass' lumping='1' vertexMass='1 2 3 4 5 6 7 8'/>", {"step"}},
    {LINE_POINTS "<MeshMatrixMass name='mass' massDensity='2'/>", {"step"}},
    {LINE_POINTS "<MeshMatrixMass name='mass' massDensity='2' lumping='1'/>", {"step"}},
    {BELOW("Vec1d", "1 2 3 4", "MeshMatrixMass template='Vec1d,Vec3d' massDensity='3'"), {NULL}},
    {BELOW("Vec2d", "1 2 3 4 5 6 7 8",
           "MeshMatrixMass lumping='1' template='Vec2d,Vec3d' massDensity='3'"),
     {NULL}},
    {BELOW("Vec3d", "1 2 3 4 5 6", "MeshMatrixMass massDensity='3'"), {NULL}},
    {"<MechanicalObject name='state' position='0 0 0'/><MeshMatrixMass name='mass'/>", {NULL}},
    {"<MeshTopology name='mesh' position='0 0 0'/><MechanicalObject name='state'/>"
     "<MeshMatrixMass name='mass'/>",
     {NULL}},
    {"<TetrahedronSetTopologyContainer name='mesh' position='0 0 0 2 0 0 0 3 0 0 0 4' "
     "tetrahedra='0 1 2 3' edges='0 1 0 2 0 3 1 2 1 3'/><MechanicalObject name='state'/>"
     "<MeshMatrixMass name='mass' massDensity='1'/>",
     {NULL}},
    {TETRA "<CaribouTopology name='solid' template='Tetrahedron' indices='0 1 2 3'/>"
           "<MeshMatrixMass name='mass' massDensity='2' elements='@solid'/>",
     {"massDensity=1", "step"}},
    {TETRA "<CaribouTopology name='solid' template='Tetrahedron' indices='0 1 2 3'/>"
           "<MeshMatrixMass name='mass' totalMass='2' lumping='1' elements='@solid'/>",
     {"totalMass=1", "step"}},
    {TETRA "<CaribouTopology name='solid' template='Tetrahedron' indices='0 1 2 3'/>"
           "<MeshMatrixMass name='mass' vertexMass='2' elements='@solid'/>",
     {NULL}},
    {TETRA "<CaribouTopology name='solid' template='Tetrahedron' indices='0 1 2 3'/>"
           "<MeshMatrixMass name='mass' edgeMass='2' elements='@solid'/>",
     {NULL}},
    /* finite elements */
    {TETRA DENSITY("2 3") "<FEMMass name='mass' template='Vec3,Tetrahedron'/>",
     {"separateGravity=1", "lumped=1", "step"}},
    {TETRA DENSITY("2 3") "<FEMMass name='mass' template='Vec3,Tetrahedron' lumped='1'/>",
     {"separateGravity=1", "lumped=0", "step"}},
    {TETRA DENSITY("0") "<FEMMass name='mass' template='Vec3,Tetrahedron' lumped='1'/>", {NULL}},
    {TETRA DENSITY("") "<FEMMass name='mass' template='Vec3,Tetrahedron'/>", {NULL}},
    {TETRA DENSITY("-2") "<FEMMass name='mass' template='Vec3,Tetrahedron'/>", {NULL}},
    {TETRA "<FEMMass name='mass' template='Vec3,Tetrahedron'/>", {NULL}},
    {TETRA DENSITY("2") "<FEMMass name='mass' template='Vec3,Tetrahedron10'/>", {NULL}},
    {TETRA DENSITY("2") "<FEMMass name='mass' template='Vec3,Hexahedron'/>", {NULL}},
    {KIND("Vec3d", "0 0 0") DENSITY("2") "<FEMMass name='mass' template='Vec3,Hexahedron'/>",
     {NULL}},
    {TETRA DENSITY("2") "<CaribouTopology name='solid' template='Tetrahedron' indices='0 1 2 3'/>"
                        "<FEMMass name='mass' template='Vec3,Tetrahedron' elements='@solid'/>",
     {NULL}},
    {TETRA "<CaribouMass name='mass' topology='@mesh' density='3' template='Tetrahedron'/>",
     {"density=2", "lumped=1", "separateGravity=1", "density=-1", "step"}},
    {TETRA "<CaribouMass name='mass' topology='@mesh' lumped='1' template='Tetrahedron'/>",
     {"density=2", "lumped=0", "step"}},
    {HEXA "<HexahedronFEMForceFieldAndMass density='3' " SOFT "/>",
     {"density=2", "lumpedMass=1", "separateGravity=1", "density=-1", "step"}},
    {HEXA "<HexahedronFEMForceFieldAndMass density='3' lumpedMass='1' " SOFT "/>",
     {"density=2", "step"}},
    {HEXA "<HexahedralFEMForceFieldAndMass density='3' " SOFT "/>", {"density=2", "step"}},
    {HEXA "<HexahedralFEMForceFieldAndMass density='3' lumpedMass='1' " SOFT "/>", {"step"}},
    {SPARSE(
         "2") "<NonUniformHexahedronFEMForceFieldAndMass density='3' nbVirtualFinerLevels='2' " SOFT
              "/>",
     {NULL}},
    {SPARSE("2") "<HexahedronCompositeFEMForceFieldAndMass density='3' lumpedMass='1' "
                 "nbVirtualFinerLevels='2' name='mass' youngModulus='5' poissonRatio='0.3'/>",
     {NULL}},
    /* topological changes */
    {TETRAS "<MechanicalObject name='state'/><UniformMass name='mass' totalMass='12'/>",
     {"-e 0", "+p 1 2", "-p 2 0"}},
    {TETRAS "<MechanicalObject name='state'/><UniformMass name='mass' totalMass='12' "
            "preserveTotalMass='1'/>",
     {"-e 0", "+p 1 2", "-p 2 0"}},
    {TETRAS "<MechanicalObject name='state'/><UniformMass name='mass' totalMass='12' "
            "indices='0 2 5' preserveTotalMass='1'/>",
     {"-e 0", "+p 1 2", "-p 2 0"}},
    {TETRAS "<MechanicalObject name='state'/><DiagonalMass name='mass' massDensity='6'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "-e 1", "+e 0 3 1 2", "-p 2 0", "step"}},
    {TETRAS "<MechanicalObject name='state'/><DiagonalMass name='mass' vertexMass='1 2 3 4'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "-e 1"}},
    {TETRAS "<MechanicalObject name='state'/><MeshMatrixMass name='mass' massDensity='6'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "-e 1", "+e 0 3 1 2", "-e 0", "-e 0", "step"}},
    {TETRAS "<MechanicalObject name='state'/><MeshMatrixMass name='mass' massDensity='6 5 4' "
            "computeMassOnRest='1'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "-e 1", "+e 0 3 1 2", "-e 0", "massDensity=2", "step"}},
    {TETRAS "<MechanicalObject name='state'/><MeshMatrixMass name='mass' totalMass='6' "
            "computeMassOnRest='1' lumping='1'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "-e 1", "+e 0 3 1 2", "-e 0", "totalMass=2", "step"}},
    {TETRAS "<MechanicalObject name='state'/><MeshMatrixMass name='mass' "
            "vertexMass='1 2 3 4 5 6' lumping='1'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "-e 1", "-p 2 0"}},
    {SHEET "<MechanicalObject name='state'/><MeshMatrixMass name='mass' massDensity='1 2 3 4' "
           "computeMassOnRest='1'/>",
     {"-e 2", "+p 1 2", "+e 0 1 3", "-e 0", "step"}},
    {SHEET "<MechanicalObject name='state'/><DiagonalMass name='mass' totalMass='6'/>",
     {"-e 2", "+p 1 2", "+e 0 1 3", "-e 0", "step"}},
    {SQUARES "<MechanicalObject name='state'/><MeshMatrixMass name='mass' massDensity='3'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "step"}},
    {SQUARES "<MechanicalObject name='state'/><DiagonalMass name='mass' massDensity='3'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "step"}},
    {CUBES "<MechanicalObject name='state'/><MeshMatrixMass name='mass' massDensity='3 4' "
           "computeMassOnRest='1'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3 4 5 6 7", "-e 0", "step"}},
    {CUBES "<MechanicalObject name='state'/><DiagonalMass name='mass' massDensity='3'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3 4 5 6 7", "-e 0", "step"}},
    {CUBES "<MechanicalObject name='state'/><HexahedronFEMForceFieldAndMass density='3' " SOFT "/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3 4 5 6 7", "step"}},
    {LINE "<MechanicalObject name='state'/><MeshMatrixMass name='mass' massDensity='3' "
          "computeMassOnRest='1'/>",
     {"-e 0", "+p 1 2", "+e 0 2", "step"}},
    {LINE "<MechanicalObject name='state'/><DiagonalMass name='mass' massDensity='3'/>",
     {"-e 0", "+p 1 2", "+e 0 2", "step"}},
    {TETRAS "<MechanicalObject name='state'/>" DENSITY(
         "1 2 3 4 5 6") "<FEMMass name='mass' template='Vec3,Tetrahedron'/>",
     {"-e 0", "+p 1 2", "+e 0 1 2 3", "step"}},
    /* gravity apart */
    {TETRA "<UniformMass name='mass' totalMass='8' separateGravity='1'/>", {"step"}},
    {TETRA "<DiagonalMass name='mass' totalMass='8' separateGravity='1'/>", {"step"}},
    {TETRA "<MeshMatrixMass name='mass' totalMass='8' separateGravity='1'/>", {"step"}},
    {TETRA "<CaribouMass name='mass' topology='@mesh' template='Tetrahedron' "
           "separateGravity='1'/>",
     {"step"}},
    {HEXA "<HexahedronFEMForceFieldAndMass density='3' separateGravity='1' " SOFT "/>", {"step"}},
    {"<TetrahedronSetTopologyContainer name='mesh'/><TetrahedronSetTopologyModifier/>"
     "<MechanicalObject name='state'/><DiagonalMass name='mass' massDensity='3'/>",
     {"step"}},
};

/* ---- what is found ---- */

/* Numbers of rounding errors are 0. */
static void add_numbers(Trace *t, const char *name, const double *x, size_t n) {
  trace_add(t, "  %s", name);
  for (size_t i = 0; i < n; i++) trace_add(t, " %.6g", fabs(x[i]) < 1e-9 ? 0 : x[i]);
  trace_add(t, "\n");
}

/* Text with the numbers in it rounded. */
static void add_text(Trace *t, const char *name, const char *text) {
  trace_add(t, "  %s ", name);
  for (const char *at = text; *at;) {
    char *end = NULL;
    const bool begins = at == text || strchr(" ,[", at[-1]);
    const double value = begins && !isalpha((unsigned char)*at) ? strtod(at, &end) : 0;
    if (!end || end == at) trace_add(t, "%c", *at++);
    else trace_add(t, "%.6g", fabs(value) < 1e-9 ? 0 : value), at = end;
  }
  trace_add(t, "\n");
}

static void add_fields(Trace *t, SofaObject *object) {
  for (size_t i = 0; i < object->klass->n_fields; i++) {
    const SofaField *field = &object->klass->fields[i];
    SofaText text = {0};
    if (field->flags & (SOFA_FIELD_DISPLAY | SOFA_FIELD_NO_EFFECT)) continue;
    if (strstr("massMatrices youngModulus filename", field->name)) continue;
    if (field->flags & SOFA_FIELD_OUTPUT) (void)sofa_field_compute(object, field);
    (void)sofa_field_print(object, field, &text);
    if (text.n) add_text(t, field->name, text.data);
    sofa_list_free(object->ctx, &text);
  }
}

/* Where its product is not that of add_mdx. */
static void add_matrix(Trace *t, SofaContext *ctx, SofaMass *mass, const double *dx,
                       const double *mdx, unsigned deriv) {
  const size_t n = sofa_state_size(mass->force_field.state[0]);
  double product[MOST] = {0}, most = 0;
  uint8_t blocks[MOST];
  SofaBlockMatrix *matrix = NULL;
  memset(blocks, (int)deriv, n);
  assert_int_equal(sofa_block_matrix_create(ctx, n, blocks, n, blocks, &matrix), SOFA_OK);
  sofa_block_matrix_begin(matrix);
  const SofaTangentPair pair = {.matrix = matrix};
  const SofaTangent tangent = {.pairs = &pair, .n = 1, .factor = 1.5};
  assert_int_equal(sofa_mass_ops(mass)->add_m(mass, sofa_mass_x(mass), &tangent), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  sofa_block_matrix_multiply(matrix, dx, product, 1);
  for (size_t k = 0; k < n * deriv; k++) most = fmax(most, fabs(product[k] - mdx[k]));
  if (!(most < 1e-12)) add_numbers(t, "matrix", product, n * deriv);
  sofa_block_matrix_destroy(&matrix);
}

static void add_operations(Trace *t, SofaContext *ctx, SofaMass *mass) {
  const SofaMassOps *ops = sofa_mass_ops(mass);
  const SofaState *s = mass->force_field.state[0];
  const SofaStateKindInfo *kind = sofa_state_kind_info(s->object.kind);
  const size_t n = sofa_state_size(s), size = n * kind->deriv;
  const double *x = s->position.data, *g = mass->force_field.object.node->gravity.v;
  double dx[MOST], to[MOST] = {0}, inertia[9 * MOST_ROWS] = {0};
  assert_true(size <= MOST && n <= MOST_ROWS);
  for (size_t i = 0; i < size; i++) dx[i] = sin(1.7 * (double)i + 0.3);
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
  if (ff_force(&mass->force_field, &params, x, NULL, to) == SOFA_OK)
    add_numbers(t, "force", to, size);
  memset(to, 0, sizeof to);
  if (ops->add_mdx(mass, x, dx, to, 1.5) == SOFA_OK) add_numbers(t, "product", to, size);
  add_matrix(t, ctx, mass, dx, to, kind->deriv);
  const double energies[] = {ops->kinetic_energy(mass, x, dx), ops->potential_energy(mass, x, g),
                             ops->total_mass(mass)};
  add_numbers(t, "position", x, n * kind->coord);
  add_numbers(t, ops->is_diagonal(mass) ? "diagonal, energies" : "energies", energies, 3);
  memset(to, 0, sizeof to);
  if (ops->acc_from_f(mass, x, dx, to) == SOFA_OK) add_numbers(t, "acceleration", to, size);
  if (s->object.kind == SOFA_RIGID3 && ops->add_inertia) {
    ops->add_inertia(mass, x, inertia);
    add_numbers(t, mass->turns ? "turns, inertia" : "inertia", inertia, 9 * n);
  }
}

/* Of the mass, or of a file that it reads. */
static void sink(void *user, const SofaMessage *message) {
  const char *path = message->origin.path;
  if (path && !strstr(path, "/mass") && !strstr(path, "/density")) return;
  if (message->severity >= SOFA_WARNING || strstr(message->text, "mean of the diagonal"))
    trace_add(user, "  %s: %s\n", sofa_severity_text(message->severity), message->text);
}

/* ---- acts ---- */

static SofaElementKind kind_of(const SofaTopology *topology) {
  const SofaMesh *m = &topology->mesh;
  return m->hexahedra.n    ? SOFA_ELEMENT_HEXA
         : m->tetrahedra.n ? SOFA_ELEMENT_TETRA
         : m->quads.n      ? SOFA_ELEMENT_QUAD
         : m->triangles.n  ? SOFA_ELEMENT_TRIANGLE
                           : SOFA_ELEMENT_EDGE;
}

static SofaErr change(SceneRun *run, const char *act, SofaElementKind kind) {
  Edit edit[MOST_EDITS] = {{"/body/mesh",
                            act[1] == 'p' ? SOFA_ELEMENT_POINT : kind,
                            act[0] == '+',
                            0,
                            {0},
                            SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS}};
  uint32_t n = 0;
  for (char *end = (char *)(uintptr_t)act + 2; *end; n++)
    edit->numbers[n] = (uint32_t)strtoul(end, &end, 10);
  edit->n = !edit->come ? n : edit->kind == SOFA_ELEMENT_POINT ? n / 2 : 1;
  return try_edits(run->simulation, edit);
}

static SofaErr act_on(SceneRun *run, SofaObject **mass, const char *act, SofaElementKind kind) {
  char name[40];
  const char *value = strchr(act, '=');
  if (strcmp(act, "step") == 0) return sofa_simulation_step(run->simulation, 0);
  if (!value) return change(run, act, kind);
  snprintf(name, sizeof name, "%.*s", (int)(value - act), act);
  return sofa_edit(mass, name, value + 1);
}

/* ---- files ---- */

typedef struct File {
  const char *word, *suffix, *text;
  char path[40];
} File;

static File files[] = {
    {"@FILE", ".rigid", "title\ninrt 0.2 0 0 0 0.3 0 0 0 0.4\nvertexMass 2.5 volm 0.1\n", ""},
    {"@PART", ".rigid", "title\nvolm 0.1\n", ""},
    {"@XSP4", ".xsp",
     "Xsp 4.0\nnumm 4\nmass 1 s 0 0 0 0 0 0 1 0\nmass 2 s 1 0 0 0 0 0 2 0\n"
     "mass 3 s 0 1 0 0 0 0 0.5 0\nmass 4 s 0 0 1 0 0 0 3 0\n",
     ""},
    {"@XSP2", ".xsp", "Xsp 4.0\nnumm 2\nmass 1 s 0 0 0 0 0 0 1 0\nmass 2 s 1 0 0 0 0 0 2 0\n", ""},
};

static void write_files(void) {
  for (size_t i = 0; i < SOFA_COUNT(files); i++) {
    File *f = &files[i];
    snprintf(f->path, sizeof f->path, "/tmp/csofa-mass-XXXXXX%s", f->suffix);
    const int file = mkstemps(f->path, (int)strlen(f->suffix));
    assert_int_equal(write(file, f->text, strlen(f->text)), strlen(f->text));
    close(file);
  }
}

static const File *file_of(const char *text) {
  for (size_t i = 0; i < SOFA_COUNT(files); i++)
    if (strstr(text, files[i].word)) return &files[i];
  return NULL;
}

static void write_scene(const char *body, char *text, size_t most) {
  const File *file = file_of(body);
  const char *at = file ? strstr(body, file->word) : body;
  snprintf(text, most,
           "<Node name='root' dt='0.1' gravity='0.93712347 -10.1312367 3.0712389'><RequiredPlugin "
           "name='SofaCaribou'/>"
           "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"
           "<EulerImplicitSolver/><SparseLDLSolver/>%.*s%s%s</Node></Node>",
           (int)(at - body), body, file ? file->path : "", at + (file ? strlen(file->word) : 0));
}

/* ---- traces ---- */

/* All about a mass, unless it is that of `last`. */
static void add_mass(Trace *t, SofaObject *mass, char *last) {
  static char text[MOST_LAST];
  Trace now = {.text = text, .most = sizeof text};
  text[0] = 0;
  add_fields(&now, mass);
  add_operations(&now, mass->ctx, (SofaMass *)mass);
  if (strcmp(text, last) == 0) trace_add(t, "  as before\n");
  else trace_add(t, "%s", text);
  memcpy(last, text, now.n + 1);
}

static void run_row(Trace *t, const Row *row, const SofaContextOptions *options) {
  char text[3000], last[MOST_LAST] = "";
  SceneRun run = {.quiet = true};
  write_scene(row->body, text, sizeof text);
  scene_run_context(&run, options);
  run.ctx->sink = sink;
  run.ctx->sink_user = t;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err != SOFA_OK) trace_add(t, "  %s\n", sofa_err_text(err));
  const char *path = strstr(row->body, "<Node name='below'>") ? "/body/below/mass" : "/body/mass";
  SofaObject *mass = err == SOFA_OK ? sofa_resolve_path(run.simulation->root, path,
                                                        &(SofaPathRule){.strict = true})
                                    : NULL;
  for (size_t i = 0; mass && i <= SOFA_COUNT(row->acts); i++) {
    add_mass(t, mass, last);
    if (i == SOFA_COUNT(row->acts) || !row->acts[i]) break;
    trace_add(t, " %s\n", row->acts[i]);
    const SofaTopology *mesh = (SofaTopology *)sofa_resolve_path(run.simulation->root, "/body/mesh",
                                                                 &(SofaPathRule){.strict = true});
    err = act_on(&run, &mass, row->acts[i], mesh ? kind_of(mesh) : SOFA_ELEMENT_POINT);
    if (err != SOFA_OK) trace_add(t, "  %s\n", sofa_err_text(err));
  }
  run.ctx->sink = scene_run_sink;
  run.ctx->sink_user = &run;
  scene_run_close(&run);
}

/* With keep_going and with quirks only where that differs. A file has its word as its name. */
static void trace(Trace *t, const Row *row) {
  static const SofaContextOptions options[] = {{0}, {.keep_going = true}, {.quirks = true}};
  static const char *const names[] = {"", ", keep going", ", quirks"};
  static char text[3][MOST_TEXT / 10];
  const File *file = file_of(row->body);
  for (int i = 0; i < 3; i++) {
    Trace one = {.text = text[i], .most = sizeof text[i]};
    text[i][0] = 0;
    run_row(&one, row, &options[i]);
    for (char *at = text[i]; file && (at = strstr(at, file->path));)
      memset(at, '*', strlen(file->path));
    if (!i || strcmp(text[0], text[i]) != 0) trace_add(t, "%s%s\n%s", row->body, names[i], text[i]);
  }
}

static void as_recorded(void **state) {
  static char found[MOST_TEXT];
  Trace t = {.text = found, .most = sizeof found};
  (void)state;
  write_files();
  trace_add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) trace(&t, &rows[i]);
  for (size_t i = 0; i < SOFA_COUNT(files); i++) unlink(files[i].path);
  trace_check(&t, "tests/unit/mechanics/mass_traces.txt");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(as_recorded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
