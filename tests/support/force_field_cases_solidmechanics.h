/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of finite elements and springs. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_SOLIDMECHANICS_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_SOLIDMECHANICS_H

#include "tests/support/conform_forcefield.h"

#define CASE_SCENE(body)                                                                           \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<Node name='body'>" body "</Node></Node>"

/* 5 x 5 x 4 points: 48 hexahedra, 288 tetrahedra; edges 0.5, 0.4 and 0.6 */
#define CASE_GRID(force_field)                                                                     \
  CASE_SCENE("<RegularGridTopology name='grid' n='5 5 4' min='0 0 0' max='2 1.6 1.8'/>"            \
             "<MechanicalObject name='state'/>" force_field)

/* two tetrahedra and their edges, irregular */
#define CASE_TETRAS(force_field)                                                                   \
  CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2 0.9 1.1 1.3' "       \
             "tetrahedra='0 1 2 3 1 2 3 4'/>"                                                      \
             "<MechanicalObject name='state'/>" force_field)

/* a distorted hexahedron */
#define CASE_HEXA(force_field)                                                                     \
  CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 1 0.9 0.1 0.1 1.2 0 "                        \
             "0 0.1 1.3 1 0 0.9 1.2 1 1 -0.1 1 1.1' hexahedra='0 1 2 3 4 5 6 7'/>"                 \
             "<MechanicalObject name='state'/>" force_field)

/* three triangles in space, irregular */
#define CASE_TRIANGLES(force_field)                                                                \
  CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.9 1.1 0.5 0.1 -0.8 0.3' "      \
             "triangles='0 1 2 1 3 2 1 0 4'/>"                                                     \
             "<MechanicalObject name='state'/>" force_field)
#define TRIANGLE_FEM(klass, attributes)                                                            \
  "<" klass " youngModulus='5000 700 900' poissonRatio='0.3 0.45 0' " attributes "/>"

#define CASE_GRID_TETRAS(force_field)                                                              \
  CASE_SCENE("<RegularGridTopology name='grid' n='5 5 4' min='0 0 0' max='2 1.6 1.8'/>"            \
             "<MechanicalObject name='state'/><Node name='tetras'>"                                \
             "<TetrahedronSetTopologyContainer name='t'/><TetrahedronSetTopologyModifier/>"        \
             "<Hexa2TetraTopologicalMapping input='@../grid' output='@t'/>" force_field "</Node>")
/* two prisms, two pyramids; a folded surface of triangles and quads; all irregular */
#define CASE_PRISMS(force_field)                                                                   \
  CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.1 1 1 0 1.2 0 1 0.9 "      \
             "1.2 1.1 0.1 1 1.1 1' prisms='0 1 2 3 4 5 1 6 2 4 7 5'/>"                             \
             "<MechanicalObject name='state'/>" force_field)
#define CASE_PYRAMIDS(force_field)                                                                 \
  CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 1 0.9 0.1 0.1 1.2 0 0.4 0.5 1.1 "            \
             "0.6 0.4 -0.9' pyramids='0 1 2 3 4 0 3 2 1 5'/>"                                      \
             "<MechanicalObject name='state'/>" force_field)
#define CASE_SURFACE(force_field)                                                                  \
  CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 1 0.9 0 0.1 1.2 0 2 0 0.6 2.1 1 0.5' "       \
             "triangles='0 1 2 0 2 3 1 4 2' quads='0 1 2 3 1 4 5 2' edges='0 1 1 2 2 3 1 4'/>"     \
             "<MechanicalObject name='state'/>" force_field)
#define CASE_PLANE(force_field)                                                                    \
  CASE_SCENE("<MeshTopology position='0 0 0 1.1 0.1 0 1 0.9 0 0.1 1.2 0 2 0 0 2.1 1 0' "           \
             "triangles='0 1 2 0 2 3 1 4 2' quads='0 1 2 3 1 4 5 2' edges='0 1 1 2 2 3 1 4'/>"     \
             "<MechanicalObject name='state' template='Vec2' "                                     \
             "position='0 0 1.1 0.1 1 0.9 0.1 1.2 2 0 2.1 1'/>" force_field)
#define CASE_LINE(force_field)                                                                     \
  CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 3 0 0' edges='0 1 1 2'/>"                        \
             "<MechanicalObject name='state' template='Vec1d' position='0 1 3'/>" force_field)

#define TETRAHEDRAL(attributes)                                                                    \
  "<TetrahedralCorotationalFEMForceField youngModulus='5000 700' poissonRatio='0.3' " attributes   \
  "/>"
#define FAST(method)                                                                               \
  "<FastTetrahedralCorotationalForceField youngModulus='5000' poissonRatio='0.3' method='" method  \
  "'/>"
#define HEXAHEDRAL(method)                                                                         \
  "<HexahedralFEMForceField youngModulus='5000' poissonRatio='0.3' method='" method "'/>"
/* a box whose surface cells are half filled */
#define CASE_SPARSE(how, force_field)                                                              \
  CASE_SCENE("<SparseGridTopology n='3 3 3' " how                                                  \
             " position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 1 2 0 1 2 1 1 0 1 1' "                        \
             "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/>"                           \
             "<MechanicalObject name='state'/>" force_field)
/* condensed elements resist turning a little: points of an edge follow its two ends only */
#define CONFORM_COMPOSITE (CONFORM_COROTATIONAL & ~CONFORM_FD_AT_REST)
#define COMPOSITE(levels, method, how)                                                             \
  "<HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='" levels "' method='" method     \
  "' youngModulus='5000' poissonRatio='0.3' " how "/>"
#define LINEAR(template)                                                                           \
  "<LinearSmallStrainFEMForceField template='" template "' youngModulus='5000 700' "               \
                                                        "poissonRatio='0.3'/>"
#define COROTATIONAL(template, rotation)                                                           \
  "<CorotationalFEMForceField template='" template "' rotationMethod='" rotation                   \
                                                   "' youngModulus='5000 700' "                    \
                                                   "poissonRatio='0.3'/>"
#define CONFORM_ON_SURFACE                                                                         \
  (CONFORM_K | CONFORM_SYMMETRIC | CONFORM_REST | CONFORM_ROTATES | CONFORM_BALANCED)

#define TETRA_FEM(attributes)                                                                      \
  "<TetrahedronFEMForceField youngModulus='5000' poissonRatio='0.3' " attributes "/>"
#define HEXA_FEM(attributes)                                                                       \
  "<HexahedronFEMForceField youngModulus='5000' poissonRatio='0.3' " attributes "/>"

#define STATE_NODE(node, template, points)                                                         \
  "<Node name='" node "'><MechanicalObject name='s' template='" template "' position='" points     \
                                                                         "'/></Node>"
#define TWO_STATES(template, first, second, force_field)                                           \
  CASE_SCENE(STATE_NODE("a", template, first) STATE_NODE("b", template, second) force_field)

#define CONFORM_DIFFUSION (CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY)
#define DIFFUSION(kind, x, how)                                                                    \
  CASE_SCENE("<MeshTopology name='mesh' position='0 0 0 1 0 0 0.2 1 0 0 0.3 1' "                   \
             "tetrahedra='0 1 2 3'/><MechanicalObject name='places' tags='meca' "                  \
             "position='0 0 0 1 0 0 0.2 1 0 0 0.3 1'/><Node><MechanicalObject name='state' "       \
             "template='" kind "' position='" x                                                    \
             "'/><TetrahedronDiffusionFEMForceField template='" kind "' " how "/></Node>")

/* the second derivative of the energy: differences of torques are not symmetric */
#define CONFORM_BEAM                                                                               \
  (CONFORM_FD_AT_REST | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_REST | CONFORM_ENERGY)

/* with the derivative of the rotation: exact everywhere, no torque */
#define CONFORM_EXACT (CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES)

static const ForceFieldCase solidmechanics_cases[] = {
    {"TetrahedronFEMForceField", "polar, consistent",
     CASE_GRID(TETRA_FEM("method='polar' consistent='1'")), CONFORM_EXACT, 0},
    {"TetrahedronFEMForceField", "svd, consistent, irregular",
     CASE_TETRAS(TETRA_FEM("method='svd' consistent='1' localStiffnessFactor='1 2'")),
     CONFORM_EXACT, 0},
    {"ParallelTetrahedronFEMForceField", "polar, consistent",
     CASE_TETRAS("<ParallelTetrahedronFEMForceField youngModulus='5000' poissonRatio='0.3' "
                 "method='polar' consistent='1'/>"),
     CONFORM_EXACT, 0},
    {"TetrahedralCorotationalFEMForceField", "polar, consistent",
     CASE_GRID_TETRAS(TETRAHEDRAL("method='polar' consistent='1'")), CONFORM_EXACT, 0},
    {"FastTetrahedralCorotationalForceField", "polar, consistent",
     CASE_TETRAS(FAST("polar' consistent='1")), CONFORM_EXACT, 0},
    {"HexahedronFEMForceField", "polar, consistent",
     CASE_GRID(HEXA_FEM("method='polar' consistent='1'")), CONFORM_EXACT, 0},
    {"HexahedronFEMForceField", "polar, consistent, distorted",
     CASE_HEXA(HEXA_FEM("method='polar' consistent='1'")), CONFORM_EXACT, 0.1},
    {"ParallelHexahedronFEMForceField", "polar, consistent",
     CASE_HEXA("<ParallelHexahedronFEMForceField youngModulus='5000' poissonRatio='0.3' "
               "method='polar' consistent='1'/>"),
     CONFORM_EXACT, 0},
    {"HexahedronFEMForceFieldAndMass", "polar, consistent",
     CASE_HEXA("<HexahedronFEMForceFieldAndMass youngModulus='5000' poissonRatio='0.3' "
               "method='polar' consistent='1'/>"),
     CONFORM_EXACT, 0},
    {"HexahedralFEMForceField", "polar, consistent, distorted",
     CASE_HEXA(HEXAHEDRAL("polar' consistent='1")), CONFORM_EXACT, 0.1},
    {"CorotationalFEMForceField", "tetrahedra, consistent",
     CASE_GRID_TETRAS(COROTATIONAL("Vec3,Tetrahedron", "' consistent='1")), CONFORM_EXACT, 0},
    {"CorotationalFEMForceField", "tetrahedra, polar, consistent",
     CASE_TETRAS(COROTATIONAL("Vec3,Tetrahedron", "polar' consistent='1")), CONFORM_EXACT, 0},
    {"CorotationalFEMForceField", "hexahedra, polar, consistent",
     CASE_GRID(COROTATIONAL("Vec3,Hexahedron", "polar' consistent='1")), CONFORM_EXACT, 0},
    {"CorotationalFEMForceField", "hexahedron, consistent",
     CASE_HEXA(COROTATIONAL("Vec3,Hexahedron", "' consistent='1")), CONFORM_EXACT, 0.1},
    {"CorotationalFEMForceField", "prism, consistent",
     CASE_PRISMS(COROTATIONAL("Vec3,Prism", "' consistent='1")), CONFORM_EXACT, 0},
    {"CorotationalFEMForceField", "pyramid, consistent",
     CASE_PYRAMIDS(COROTATIONAL("Vec3,Pyramid", "' consistent='1")), CONFORM_EXACT, 0},
    {"CorotationalFEMForceField", "triangle, consistent",
     CASE_SURFACE(COROTATIONAL("Vec3,Triangle", "' consistent='1")), CONFORM_EXACT, 0},
    {"CorotationalFEMForceField", "quad, consistent",
     CASE_SURFACE(COROTATIONAL("Vec3,Quad", "' consistent='1")), CONFORM_EXACT, 0},
    {"HexahedralFEMForceFieldAndMass", "polar, consistent",
     CASE_HEXA("<HexahedralFEMForceFieldAndMass youngModulus='5000' poissonRatio='0.3' "
               "method='polar' consistent='1'/>"),
     CONFORM_EXACT, 0},
    {"TetrahedronFEMForceField", "small", CASE_GRID(TETRA_FEM("method='small'")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"TetrahedronFEMForceField", "large", CASE_GRID(TETRA_FEM("method='large'")),
     CONFORM_COROTATIONAL, 0},
    {"TetrahedronFEMForceField", "polar", CASE_GRID(TETRA_FEM("method='polar'")),
     CONFORM_COROTATIONAL, 0},
    {"TetrahedronFEMForceField", "svd", CASE_GRID(TETRA_FEM("method='svd'")), CONFORM_COROTATIONAL,
     0},
    {"TetrahedronFEMForceField", "large, shape of the moment",
     CASE_GRID(TETRA_FEM("method='large' updateStiffnessMatrix='1'")), CONFORM_COROTATIONAL, 0},
    {"TetrahedronFEMForceField", "polar, shape of the moment",
     CASE_GRID(TETRA_FEM("method='polar' updateStiffnessMatrix='1'")), CONFORM_COROTATIONAL, 0},
    {"TetrahedronFEMForceField", "large, irregular, two materials",
     CASE_TETRAS("<TetrahedronFEMForceField youngModulus='5000 700' poissonRatio='0.3 0.45' "
                 "localStiffnessFactor='1 2'/>"),
     CONFORM_COROTATIONAL, 0},
    {"TetrahedronFEMForceField", "polar with computeGlobalMatrix",
     CASE_TETRAS(TETRA_FEM("method='polar' computeGlobalMatrix='1'")), CONFORM_COROTATIONAL, 0},
    {"HexahedronFEMForceField", "large", CASE_GRID(HEXA_FEM("method='large'")),
     CONFORM_COROTATIONAL, 0},
    {"HexahedronFEMForceField", "polar", CASE_GRID(HEXA_FEM("method='polar'")),
     CONFORM_COROTATIONAL, 0},
    {"HexahedronFEMForceField", "small", CASE_GRID(HEXA_FEM("method='small'")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"HexahedronFEMForceField", "polar, distorted", CASE_HEXA(HEXA_FEM("method='polar'")),
     CONFORM_COROTATIONAL, 0},
    {"HexahedronFEMForceField", "large, shape of the moment",
     CASE_HEXA(HEXA_FEM("updateStiffnessMatrix='1'")), CONFORM_COROTATIONAL, 0},
    {"TriangularFEMForceField", "large",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangularFEMForceField", "method='large'")),
     CONFORM_COROTATIONAL, 0},
    {"TriangularFEMForceField", "small",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangularFEMForceField", "method='small'")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"TriangularFEMForceField", "large, own rest shape",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject/>"
                "<TriangularFEMForceField youngModulus='5000' poissonRatio='0.3' "
                "rotatedInitialElements='0 0 0 1.1 0 0 0 1.2 0' "
                "initialTransformation='1 0 0 0 1 0 0 0 1'/>"),
     CONFORM_K | CONFORM_SYMMETRIC | CONFORM_BALANCED, 0},
    {"TriangleFEMForceField", "large, plane strain",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangleFEMForceField", "planeStrain='1' thickness='0.3'")),
     CONFORM_COROTATIONAL, 0},
    {"TriangleFEMForceField", "large, quads",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 1 1 0.2 0.1 1 0' quads='0 1 2 3'/>"
                "<MechanicalObject/>"
                "<TriangleFEMForceField youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"TriangleFEMForceField", "small",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangleFEMForceField", "method='small' thickness='0.3'")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"TriangularFEMForceFieldOptim", "large",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangularFEMForceFieldOptim", "")), CONFORM_COROTATIONAL, 0},
    {"TriangularFEMForceFieldOptim", "stretched at rest",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangularFEMForceFieldOptim", "restScale='0.97'")),
     CONFORM_K | CONFORM_SYMMETRIC | CONFORM_BALANCED, 0},
    {"TetrahedralCorotationalFEMForceField", "small",
     CASE_GRID_TETRAS(TETRAHEDRAL("method='small'")), CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"TetrahedralCorotationalFEMForceField", "large",
     CASE_GRID_TETRAS(TETRAHEDRAL("method='large'")), CONFORM_COROTATIONAL, 0},
    {"TetrahedralCorotationalFEMForceField", "polar", CASE_TETRAS(TETRAHEDRAL("method='polar'")),
     CONFORM_COROTATIONAL, 0},
    {"TetrahedralCorotationalFEMForceField", "polar with computeGlobalMatrix",
     CASE_TETRAS(TETRAHEDRAL("method='polar' computeGlobalMatrix='1'")), CONFORM_COROTATIONAL, 0},
    {"TetrahedralCorotationalFEMForceField", "large, shape of the moment",
     CASE_TETRAS(TETRAHEDRAL("updateStiffnessMatrix='1' localStiffnessFactor='1 2'")),
     CONFORM_COROTATIONAL, 0},
    {"FastTetrahedralCorotationalForceField", "qr", CASE_GRID_TETRAS(FAST("qr")),
     CONFORM_COROTATIONAL, 0},
    {"FastTetrahedralCorotationalForceField", "polar", CASE_GRID_TETRAS(FAST("polar")),
     CONFORM_COROTATIONAL, 0},
    {"FastTetrahedralCorotationalForceField", "polar2", CASE_TETRAS(FAST("polar2")),
     CONFORM_COROTATIONAL, 0},
    {"FastTetrahedralCorotationalForceField", "none", CASE_TETRAS(FAST("none")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"HexahedralFEMForceField", "large", CASE_GRID(HEXAHEDRAL("large")), CONFORM_COROTATIONAL, 0},
    {"HexahedralFEMForceField", "polar, distorted", CASE_HEXA(HEXAHEDRAL("polar")),
     CONFORM_COROTATIONAL, 0},
    {"HexahedronFEMForceFieldAndMass", "large",
     CASE_HEXA("<HexahedronFEMForceFieldAndMass youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"ParallelHexahedronFEMForceField", "large",
     CASE_HEXA("<ParallelHexahedronFEMForceField youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"ParallelTetrahedronFEMForceField", "large",
     CASE_TETRAS("<ParallelTetrahedronFEMForceField youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"HexahedronFEMForceField", "sparse grid",
     CASE_SPARSE("", "<HexahedronFEMForceField youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"NonUniformHexahedronFEMForceFieldAndMass", "two finer levels",
     CASE_SPARSE("nbVirtualFinerLevels='2'",
                 "<NonUniformHexahedronFEMForceFieldAndMass nbVirtualFinerLevels='2' "
                 "youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"HexahedronCompositeFEMForceFieldAndMass", "without finer levels",
     CASE_SPARSE("", COMPOSITE("0", "large", "")), CONFORM_COROTATIONAL, 0},
    {"HexahedronCompositeFEMForceFieldAndMass", "level by level",
     CASE_SPARSE("nbVirtualFinerLevels='2'", COMPOSITE("2", "polar", "")), CONFORM_COMPOSITE, 0},
    {"HexahedronCompositeFEMForceFieldAndMass", "at once, with void cells",
     CASE_SPARSE("nbVirtualFinerLevels='2' min='-0.3 -0.2 0' max='2.2 1.4 1'",
                 COMPOSITE("2", "large", "finestToCoarse='1'")),
     CONFORM_COMPOSITE, 0},
    {"NonUniformHexahedralFEMForceFieldAndMass", "voxels",
     CASE_SCENE("<MultilevelHexahedronSetTopologyContainer resolution='2 1 1' "
                "idxInRegularGrid='0 1' hexahedra='0 1 4 3 6 7 10 9 1 2 5 4 7 8 11 10' "
                "position='0 0 0 1 0 0 2 0 0 0 1 0 1 1 0 2 1 0 0 0 1 1 0 1 2 0 1 0 1 1 1 1 1 2 1 "
                "1'/><MechanicalObject name='state'/><NonUniformHexahedralFEMForceFieldAndMass "
                "youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"HexahedralFEMForceFieldAndMass", "large",
     CASE_HEXA("<HexahedralFEMForceFieldAndMass youngModulus='5000' poissonRatio='0.3'/>"),
     CONFORM_COROTATIONAL, 0},
    {"LinearSmallStrainFEMForceField", "tetrahedron", CASE_TETRAS(LINEAR("Vec3,Tetrahedron")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "hexahedron", CASE_HEXA(LINEAR("Vec3,Hexahedron")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "prism", CASE_PRISMS(LINEAR("Vec3,Prism")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "pyramid", CASE_PYRAMIDS(LINEAR("Vec3,Pyramid")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "triangle", CASE_SURFACE(LINEAR("Vec3,Triangle")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "quad", CASE_SURFACE(LINEAR("Vec3,Quad")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "edge", CASE_SURFACE(LINEAR("Vec3,Edge")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "triangle in a plane", CASE_PLANE(LINEAR("Vec2,Triangle")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "quad in a plane", CASE_PLANE(LINEAR("Vec2,Quad")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "edge in a plane", CASE_PLANE(LINEAR("Vec2,Edge")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"LinearSmallStrainFEMForceField", "edge on a line", CASE_LINE(LINEAR("Vec1,Edge")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"CorotationalFEMForceField", "tetrahedron, triangle",
     CASE_TETRAS(COROTATIONAL("Vec3,Tetrahedron", "triangle")), CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "tetrahedron, polar",
     CASE_TETRAS(COROTATIONAL("Vec3,Tetrahedron", "polar")), CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "tetrahedra, stable polar",
     CASE_GRID_TETRAS(COROTATIONAL("Vec3,Tetrahedron", "stable_polar")), CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "tetrahedron, identity",
     CASE_TETRAS(COROTATIONAL("Vec3,Tetrahedron", "identity")), CONFORM_ELASTIC | CONFORM_ENERGY,
     0},
    {"CorotationalFEMForceField", "hexahedra, default",
     CASE_GRID(COROTATIONAL("Vec3,Hexahedron", "")), CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "hexahedra, polar",
     CASE_GRID(COROTATIONAL("Vec3,Hexahedron", "polar")), CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "hexahedron, stable polar",
     CASE_HEXA(COROTATIONAL("Vec3,Hexahedron", "stable_polar")), CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "prism", CASE_PRISMS(COROTATIONAL("Vec3,Prism", "")),
     CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "prism, polar", CASE_PRISMS(COROTATIONAL("Vec3,Prism", "polar")),
     CONFORM_COROTATIONAL, 0},
    {"CorotationalFEMForceField", "pyramid", CASE_PYRAMIDS(COROTATIONAL("Vec3,Pyramid", "")),
     CONFORM_COROTATIONAL, 0},
    /* the law of a surface in space resists shear through its thickness, which infinitesimal
       rotations cause, too: the tangent without the derivative of R is not exact even at rest */
    {"CorotationalFEMForceField", "triangle", CASE_SURFACE(COROTATIONAL("Vec3,Triangle", "")),
     CONFORM_ON_SURFACE, 0},
    {"CorotationalFEMForceField", "triangle, stable polar",
     CASE_SURFACE(COROTATIONAL("Vec3,Triangle", "stable_polar")), CONFORM_ON_SURFACE, 0},
    {"CorotationalFEMForceField", "quad, polar", CASE_SURFACE(COROTATIONAL("Vec3,Quad", "polar")),
     CONFORM_ON_SURFACE, 0},
    {"CorotationalFEMForceField", "edge", CASE_SURFACE(COROTATIONAL("Vec3,Edge", "")),
     CONFORM_ON_SURFACE, 0},
    {"CorotationalFEMForceField", "triangle in a plane",
     CASE_PLANE(COROTATIONAL("Vec2,Triangle", "")),
     CONFORM_COROTATIONAL & ~(unsigned)CONFORM_ROTATES, 0},
    {"CorotationalFEMForceField", "quad in a plane", CASE_PLANE(COROTATIONAL("Vec2,Quad", "polar")),
     CONFORM_COROTATIONAL & ~(unsigned)CONFORM_ROTATES, 0},
    {"BeamFEMForceField", "any section, in shear",
     CASE_SCENE("<MeshTopology position='0 0 0 -1 0 0 -2 2 1' edges='0 1 2 1'/>"
                "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 -1 0 0 0 0 0.6 0.8 "
                "-2 2 1 0.6 0 0 0.8'/><BeamFEMForceField radius='0.1' youngModulus='2e6' "
                "poissonRatio='0.3' A='0.03' Iy='3e-4' Iz='7e-5' J='2e-4' shear='1' "
                "shearAreaY='0.02' shearAreaZ='0.01'/>"),
     CONFORM_BEAM, 0.3},
    {"BeamFEMForceField", "along x",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 3 0 0' edges='0 1 1 2'/>"
                "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 "
                "3 0 0 0 0 0 1'/><BeamFEMForceField radius='0.1' radiusInner='0.05' "
                "youngModulus='2e6 1e6' poissonRatio='0.3'/>"),
     CONFORM_BEAM, 0},
    {"BeamFEMForceField", "any direction, one of two edges",
     CASE_SCENE("<MeshTopology position='0 0 0 -1 0 0 -2 2 1' edges='0 1 2 1'/>"
                "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 -1 0 0 0 0 0.6 0.8 "
                "-2 2 1 0.6 0 0 0.8'/><BeamFEMForceField radius='0.1' youngModulus='2e6' "
                "poissonRatio='0.3' listSegment='1'/>"),
     CONFORM_BEAM, 0},
    {"GeometricallyExactBeamForceField", "any section",
     CASE_SCENE("<MeshTopology position='0 0 0 -1 0 0 -2 2 1' edges='0 1 2 1'/>"
                "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 -1 0 0 0 0 0.6 0.8 "
                "-2 2 1 0.6 0 0 0.8'/><GeometricallyExactBeamForceField radius='0.1' "
                "youngModulus='2e6' poissonRatio='0.3' A='0.03' Iy='3e-4' Iz='7e-5' J='2e-4' "
                "shearAreaY='0.02' shearAreaZ='0.01'/>"),
     CONFORM_BEAM, 0.3},
    {"GeometricallyExactBeamForceField", "rings along x",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 3 0 0' edges='0 1 1 2'/>"
                "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 "
                "3 0 0 0 0 0 1'/><GeometricallyExactBeamForceField radius='0.1' "
                "radiusInner='0.05' youngModulus='2e6 1e6' poissonRatio='0.3'/>"),
     CONFORM_BEAM, 0},
    {"ShellQuadFEMForceField", "curved, turned frames",
     CASE_SCENE(
         "<MeshTopology position='0 0 0 1 0 0 1 2 0.2 0 2 0.1 2 0 -0.4 2.2 1.8 0' quads='0 1 2 3 "
         "2 1 4 5'/><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0.6 "
         "0.8 1 2 0.2 0.6 0 0 0.8 0 2 0.1 0 0 0 1 2 0 -0.4 0 0.6 0 0.8 2.2 1.8 0 0 0 0 1'/>"
         "<ShellQuadFEMForceField youngModulus='5000 700' poissonRatio='0.3' "
         "thickness='0.1'/>"),
     CONFORM_BEAM, 0.3},
    {"ShellQuadFEMForceField", "folded",
     CASE_SCENE(
         "<MeshTopology position='0 0 0 1 0 0 1 2 0 0 2 0.05 1 0 1 1 2 1' quads='0 1 2 3 "
         "2 1 4 5'/><MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 "
         "1 1 2 0 0 0 0 1 0 2 0.05 0 0 0 1 1 0 1 0 0 0 1 1 2 1 0 0 0 1'/>"
         "<ShellQuadFEMForceField youngModulus='5000' poissonRatio='0.3' thickness='0.05'/>"),
     CONFORM_BEAM, 0},
    {"ShellTriangleFEMForceField", "curved, given normals",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 1 2 0.2 0 2 0.1' triangles='0 1 2 0 2 3'/>"
                "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0.6 0.8 "
                "1 2 0.2 0.6 0 0 0.8 0 2 0.1 0 0 0 1'/><ShellTriangleFEMForceField "
                "youngModulus='5000 700' poissonRatio='0.3' thickness='0.1' "
                "normals='0 0 1 0.1 0 1 0 0.1 -1 0 0 2'/>"),
     CONFORM_BEAM, 0.3},
    {"TetrahedralTensorMassForceField", "irregular",
     CASE_TETRAS("<TetrahedralTensorMassForceField youngModulus='5000' poissonRatio='0.4'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"TriangularTensorMassForceField", "irregular",
     CASE_TRIANGLES("<TriangularTensorMassForceField youngModulus='5000' poissonRatio='0.4'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"QuadBendingFEMForceField", "two planes",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 1 2 0 0 2 0 1 0 1.5 1 2 1.5' "
                "quads='0 1 2 3 2 1 4 5'/><MechanicalObject/>"
                "<QuadBendingFEMForceField youngModulus='5000 700' poissonRatio='0.3 0.5' "
                "thickness='0.1'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"TriangularAnisotropicFEMForceField", "straight fibres",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangularAnisotropicFEMForceField",
                                 "transverseYoungModulus='500 700 90' fiberAngle='30'")),
     CONFORM_COROTATIONAL, 0},
    {"TriangularAnisotropicFEMForceField", "round fibres, small",
     CASE_TRIANGLES(TRIANGLE_FEM("TriangularAnisotropicFEMForceField",
                                 "transverseYoungModulus='500' fiberCenter='3 2 1' "
                                 "method='small'")),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"MeshSpringForceField", "Vec3", CASE_GRID("<MeshSpringForceField stiffness='300'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"ParallelMeshSpringForceField", "Vec3",
     CASE_GRID("<ParallelMeshSpringForceField stiffness='300'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.02},
    {"MeshSpringForceField", "tetrahedra",
     CASE_TETRAS("<MeshSpringForceField tetrasStiffness='100' tetrasDamping='2'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0},
    {"MeshSpringForceField", "Vec2",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' quads='0 1 2 3'/>"
                "<MechanicalObject template='Vec2d' position='0 0 1 0 1 1 0 1'/>"
                "<MeshSpringForceField stiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"MeshSpringForceField", "Vec1",
     CASE_SCENE("<MeshTopology position='0 0 0 1 0 0 3 0 0' edges='0 1 1 2'/>"
                "<MechanicalObject template='Vec1d' position='0 1 3'/>"
                "<MeshSpringForceField stiffness='100'/>"),
     CONFORM_ELASTIC | CONFORM_ENERGY, 0},
    {"SpringForceField", "Vec3, one state, prestressed",
     CASE_TETRAS("<SpringForceField spring='0 1 100 2 0.7 1 2 50 0 1.4 2 4 70 1 1'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_BALANCED, 0},
    {"ParallelSpringForceField", "Vec3, one state, prestressed",
     CASE_TETRAS("<ParallelSpringForceField spring='0 1 100 2 0.7 1 2 50 0 1.4 2 4 70 1 1'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_BALANCED, 0},
    {"SpringForceField", "Vec3, two states",
     TWO_STATES("Vec3d", "0 0 0 1 0 0", "0.1 1 0 1 1.2 0 3 3 3",
                "<SpringForceField object1='@a/s' object2='@b/s' indices1='0 1 1' "
                "indices2='0 1 2' stiffness='100 50' length='1 0.5 2'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_BALANCED, 0},
    {"SpringForceField", "Rigid3, two states",
     TWO_STATES("Rigid3d", "0 0 0 0 0 0 1", "1 1 0.3 0 0 0 1",
                "<SpringForceField object1='@a/s' object2='@b/s' spring='0 0 100 0 0.5'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_BALANCED, 0},
    {"SpringForceField", "Vec6",
     CASE_SCENE("<MechanicalObject template='Vec6d' position='0 0 0 0 0 0 1 1 0 0.2 0 0.1'/>"
                "<SpringForceField spring='0 1 100 0 0.5'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_BALANCED, 0},
    {"TetrahedronDiffusionFEMForceField", "a number", DIFFUSION("Vec1d", "4 1 2 0.5", ""),
     CONFORM_DIFFUSION, 0},
    {"TetrahedronDiffusionFEMForceField", "two numbers, along a direction",
     DIFFUSION("Vec2d", "4 1 2 0.5 0 1 1 0",
               "tetraDiffusionCoefficient='2' anisotropyRatio='3' "
               "transverseAnisotropyArray='1 2 0'"),
     CONFORM_DIFFUSION, 0},
};

#endif
