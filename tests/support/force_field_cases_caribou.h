/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of the force fields of the plugin SofaCaribou. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_CARIBOU_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_CARIBOU_H

#include "tests/support/force_field_cases_hyperelastic.h"
#include "tests/support/force_field_cases_solidmechanics.h"

/* 5 x 4 x 4 points, 36 hexahedra or 216 tetrahedra */
#define CARIBOU_SCENE(content)                                                                     \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                                             \
  "<Node name='body'><RegularGridTopology name='grid' n='5 4 4' min='0 0 0' max='2 1.5 1.6'/>"     \
  "<MechanicalObject name='state'/>" content "</Node></Node>"

#define CARIBOU_HEXAS(material)                                                                    \
  CARIBOU_SCENE("<" material "Material young_modulus='900' poisson_ratio='0.4'/>"                  \
                "<CaribouTopology name='hexas' template='Hexahedron' "                             \
                "indices='@grid.hexahedra'/>"                                                      \
                "<HyperelasticForcefield topology='@hexas'/>")

#define CARIBOU_TETRAS(material)                                                                   \
  CARIBOU_SCENE("<Node name='tetras'><TetrahedronSetTopologyContainer name='tetras'/>"             \
                "<TetrahedronSetTopologyModifier/>"                                                \
                "<Hexa2TetraTopologicalMapping input='@../grid' output='@tetras' swapping='1'/>"   \
                "<" material "Material young_modulus='900' poisson_ratio='0.4'/>"                  \
                "<HyperelasticForcefield topology='@tetras'/></Node>")

/* Elements of a kind beside each other, the nodes of second order moved from the middle:
 * `field` of QuadraticMesh, from a list `of` first order; curved by the field of places. */
#define CARIBOU_QUADRATIC_OF(name_of, field, lists, content)                                       \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/><Node name='body'>"                           \
  "<QuadraticMesh name='mesh' " lists "/><MechanicalObject name='state' position='@mesh.nodes'/>"  \
  "<CaribouTopology name='solid' template='" name_of "' indices='@mesh." field "'/>" content       \
  "</Node></Node>"
#define CARIBOU_POINTS                                                                             \
  "position='0 0 0  1 .1 0  1.1 1 .1  0 .9 0  0 .1 1  1.2 0 .9  1 1.1 1  .1 1 1.2  2 0 .1  "       \
  "2.1 1 0  2 .1 1  2.2 1.1 1.1  .5 .6 2'"
#define CARIBOU_LISTS_HEXA CARIBOU_POINTS " hexahedra='0 1 2 3 4 5 6 7  10 8 1 5 11 9 2 6'"
#define CARIBOU_LISTS_TETRA CARIBOU_POINTS " tetrahedra='0 1 2 5  1 8 2 5  2 8 9 6'"
#define CARIBOU_LISTS_PRISM CARIBOU_POINTS " prisms='0 1 2 4 5 6  0 2 3 4 6 7  1 8 9 5 10 11'"
#define CARIBOU_LISTS_PYRAMID CARIBOU_POINTS " pyramids='4 5 6 7 12  0 3 2 1 6'"
#define CARIBOU_SECOND(name_of, field, lists, material)                                            \
  CARIBOU_QUADRATIC_OF(name_of, field, lists,                                                      \
                       "<" material "Material young_modulus='900' poisson_ratio='0.4'/>"           \
                       "<HyperelasticForcefield topology='@solid'/>")
#define CARIBOU_FIRST(name_of, list, material)                                                     \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                                             \
  "<MechanicalObject name='state' " CARIBOU_POINTS "/>"                                            \
  "<" material "Material young_modulus='900' poisson_ratio='0.4'/>"                                \
  "<CaribouTopology template='" name_of "' indices='" list "'/><HyperelasticForcefield/></Node>"

/* skewed hexahedra of different shapes, in two kinds of order */
#define CARIBOU_SKEWED(material)                                                                   \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                                             \
  "<MechanicalObject name='state' position='0 0 0  1 .1 0  1.1 1 .1  0 .9 0  0 .1 1  1.2 0 .9  "   \
  "1 1.1 1  .1 1 1.2  2 0 .1  2.1 1 0  2 .1 1  2.2 1.1 1.1'/>"                                     \
  "<" material "Material young_modulus='900' poisson_ratio='0.4'/>"                                \
  "<CaribouTopology template='Hexahedron' indices='0 1 2 3 4 5 6 7  10 8 1 5 11 9 2 6'/>"          \
  "<HyperelasticForcefield/></Node>"

enum { CARIBOU_SOLID = CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES };

/* elements are about 0.5 m: moves by 0.04 m strain them by up to a fifth */
#define CARIBOU_CASES(material)                                                                    \
  {"HyperelasticForcefield", "hexahedra " material, CARIBOU_HEXAS(material), CARIBOU_SOLID, 0.04}, \
      {"HyperelasticForcefield", "skewed hexahedra " material, CARIBOU_SKEWED(material),           \
       CARIBOU_SOLID, 0.04},                                                                       \
  {                                                                                                \
    "HyperelasticForcefield", "tetrahedra " material, CARIBOU_TETRAS(material), CARIBOU_SOLID,     \
        0.04                                                                                       \
  }

#define CARIBOU_CASE(what, scene)                                                                  \
  { "HyperelasticForcefield", what, scene, CARIBOU_SOLID, 0.02 }
#define CARIBOU_MORE_CASES(material)                                                               \
  CARIBOU_CASE("hexahedra of 20 nodes " material,                                                  \
               CARIBOU_SECOND("Hexahedron20", "hexahedra20", CARIBOU_LISTS_HEXA, material)),       \
      CARIBOU_CASE("hexahedra of 27 nodes " material,                                              \
                   CARIBOU_SECOND("Hexahedron27", "hexahedra27",                                   \
                                  CARIBOU_LISTS_HEXA " centers='1'", material)),                   \
      CARIBOU_CASE(                                                                                \
          "tetrahedra of 10 nodes " material,                                                      \
          CARIBOU_SECOND("Tetrahedron10", "tetrahedra10", CARIBOU_LISTS_TETRA, material)),         \
      CARIBOU_CASE("prisms of 15 nodes " material,                                                 \
                   CARIBOU_SECOND("Prism15", "prisms15", CARIBOU_LISTS_PRISM, material)),          \
      CARIBOU_CASE("pyramids of 13 nodes " material,                                               \
                   CARIBOU_SECOND("Pyramid13", "pyramids13", CARIBOU_LISTS_PYRAMID, material)),    \
      CARIBOU_CASE("prisms " material,                                                             \
                   CARIBOU_FIRST("Prism", "0 1 2 4 5 6  0 2 3 4 6 7", material)),                  \
      CARIBOU_CASE("pyramids " material,                                                           \
                   CARIBOU_FIRST("Pyramid", "4 5 6 7 12  0 3 2 1 6", material))

#define CARIBOU_LOAD(name_of, field, lists)                                                        \
  {                                                                                                \
    "TractionForcefield", name_of,                                                                 \
        CARIBOU_QUADRATIC_OF(name_of, field, lists, "<TractionForcefield traction='3 -2 1'/>"),    \
        CONFORM_FD | CONFORM_K | CONFORM_ENERGY, 0                                                 \
  }

/* The same with one change of volume per element, or a linear one. */
#define CARIBOU_DILATED(name_of, field, lists, dilatation)                                         \
  CARIBOU_QUADRATIC_OF(name_of, field, lists,                                                      \
                       "<NeoHookeanMaterial young_modulus='900' poisson_ratio='0.49'/>"            \
                       "<HyperelasticForcefield topology='@solid' dilatation='" dilatation "'/>")
#define CARIBOU_DILATED_FIRST(name_of, list)                                                       \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                                             \
  "<MechanicalObject name='state' " CARIBOU_POINTS "/>"                                            \
  "<NeoHookeanMaterial young_modulus='900' poisson_ratio='0.49'/>"                                 \
  "<CaribouTopology template='" name_of "' indices='" list "'/>"                                   \
  "<HyperelasticForcefield dilatation='mean'/></Node>"
#define CARIBOU_HEXAS_OF(m)                                                                        \
  CARIBOU_SCENE("<" m "/>"                                                                         \
                "<CaribouTopology name='hexas' template='Hexahedron' "                             \
                "indices='@grid.hexahedra'/>"                                                      \
                "<HyperelasticForcefield topology='@hexas'/>")
#define CARIBOU_OF_MATERIAL(what, m, checks)                                                       \
  { "HyperelasticForcefield", what, CARIBOU_HEXAS_OF(m), checks, 0.04 }

/* The mean change of volume in the whole deformation gradient. */
#define CARIBOU_BAR(name_of, field, lists, m)                                                      \
  CARIBOU_QUADRATIC_OF(name_of, field, lists,                                                      \
                       "<" m "/><HyperelasticForcefield topology='@solid' dilatation='bar'/>")
#define CARIBOU_BAR_FIRST(name_of, list, m)                                                        \
  "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                                             \
  "<MechanicalObject name='state' " CARIBOU_POINTS "/><" m "/>"                                    \
  "<CaribouTopology template='" name_of "' indices='" list "'/>"                                   \
  "<HyperelasticForcefield dilatation='bar'/></Node>"
#define CARIBOU_BAR_HEXA "0 1 2 3 4 5 6 7  10 8 1 5 11 9 2 6"
#define CARIBOU_BAR_NEO "NeoHookeanMaterial young_modulus='900' poisson_ratio='0.49'"
#define CARIBOU_BAR_SVK "SaintVenantKirchhoffMaterial young_modulus='900' poisson_ratio='0.3'"

/* Elements of second order in the force fields of csofa itself. */
#define SECOND_LINEAR(class, name_of, field, lists, how)                                           \
  CARIBOU_QUADRATIC_OF(name_of, field, lists,                                                      \
                       "<" class " template='Vec3d," name_of "' elements='@solid' "                \
                                 "youngModulus='5000 700' poissonRatio='0.3' " how "/>")
#define SECOND_CASES(name_of, field, lists)                                                        \
  {"LinearSmallStrainFEMForceField", "elements of another object, " name_of,                       \
   SECOND_LINEAR("LinearSmallStrainFEMForceField", name_of, field, lists, ""),                     \
   CONFORM_ELASTIC | CONFORM_ENERGY, 0},                                                           \
      {"CorotationalFEMForceField", "elements of another object, " name_of,                        \
       SECOND_LINEAR("CorotationalFEMForceField", name_of, field, lists, ""),                      \
       CONFORM_COROTATIONAL, 0},                                                                   \
      {"CorotationalFEMForceField", "elements of another object, " name_of ", consistent",         \
       SECOND_LINEAR("CorotationalFEMForceField", name_of, field, lists,                           \
                     "rotationMethod='polar' consistent='1'"),                                     \
       CONFORM_EXACT, 0},                                                                          \
      SECOND_HYPER(name_of, field, lists, "TetrahedronHyperelasticityFEMForceField",               \
                   "materialName='MooneyRivlin' ParameterSet='150 100 900'"),                      \
      SECOND_HYPER(name_of, field, lists, "StandardTetrahedralFEMForceField",                      \
                   "materialName='NeoHookean' ParameterSet='300 900'")
#define SECOND_HYPER(name_of, field, lists, class, law)                                            \
  {                                                                                                \
    class, "elements of another object, " name_of,                                                 \
        CARIBOU_QUADRATIC_OF(name_of, field, lists, "<" class " elements='@solid' " law "/>"),     \
        CARIBOU_SOLID, 0.02                                                                        \
  }
/* With another measure of the change of volume. */
#define SECOND_HYPER_OF(class, what, name_of, field, lists, law)                                   \
  {                                                                                                \
    class, what " in elements of another object, " name_of,                                        \
        CARIBOU_QUADRATIC_OF(name_of, field, lists, "<" class " elements='@solid' " law "/>"),     \
        CARIBOU_SOLID, 0.02                                                                        \
  }
#define CONTINUOUS_HYPER(material, numbers)                                                        \
  SECOND_HYPER_OF("TetrahedronHyperelasticityFEMForceField", "continuous dilatation, " material,   \
                  "Tetrahedron10", "tetrahedra10", CARIBOU_LISTS_TETRA,                            \
                  "materialName='" material "' ParameterSet='" numbers                             \
                  "' dilatation='continuous'")
#define LINEAR_DILATED(class, name_of, field, lists, how, checks)                                  \
  {                                                                                                \
    class, how " in elements of another object, " name_of,                                         \
        SECOND_LINEAR(class, name_of, field, lists, how), checks, 0                                \
  }
#define SECOND_SURFACE(name_of, field, lists)                                                      \
  {"LinearSmallStrainFEMForceField", "elements of another object, " name_of,                       \
   SECOND_LINEAR("LinearSmallStrainFEMForceField", name_of, field, lists, ""),                     \
   CONFORM_ELASTIC | CONFORM_ENERGY, 0},                                                           \
  {                                                                                                \
    "CorotationalFEMForceField", "elements of another object, " name_of,                           \
        SECOND_LINEAR("CorotationalFEMForceField", name_of, field, lists, ""), CONFORM_ON_SURFACE, \
        0                                                                                          \
  }

static const ForceFieldCase caribou_cases[] = {
    SECOND_CASES("Tetrahedron10", "tetrahedra10", CARIBOU_LISTS_TETRA),
    SECOND_CASES("Hexahedron20", "hexahedra20", CARIBOU_LISTS_HEXA),
    SECOND_CASES("Hexahedron27", "hexahedra27", CARIBOU_LISTS_HEXA " centers='1'"),
    SECOND_CASES("Prism15", "prisms15", CARIBOU_LISTS_PRISM),
    SECOND_CASES("Pyramid13", "pyramids13", CARIBOU_LISTS_PYRAMID),
    SECOND_SURFACE("Triangle6", "triangles6", CARIBOU_POINTS " triangles='0 1 2  0 2 3'"),
    SECOND_SURFACE("Quad8", "quads8", CARIBOU_POINTS " quads='0 1 2 3  1 8 9 2'"),
    SECOND_SURFACE("Quad9", "quads9", CARIBOU_POINTS " centers='1' quads='0 1 2 3  1 8 9 2'"),
    {"TetrahedronHyperelasticityFEMForceField", "plastic hexahedra of another object",
     CARIBOU_SCENE("<CaribouTopology name='hexas' template='Hexahedron' "
                   "indices='@grid.hexahedra'/><" POINT_PLASTIC " name='material'/>"
                   "<TetrahedronHyperelasticityFEMForceField elements='@hexas' "
                   "material='@material'/>"),
     CARIBOU_SOLID, 0.04},
    CARIBOU_CASES("SaintVenantKirchhoff"),
    CARIBOU_CASES("NeoHookean"),
    CARIBOU_MORE_CASES("SaintVenantKirchhoff"),
    CARIBOU_MORE_CASES("NeoHookean"),
    CARIBOU_CASE("hexahedra, mean dilatation",
                 CARIBOU_DILATED_FIRST("Hexahedron", "0 1 2 3 4 5 6 7  10 8 1 5 11 9 2 6")),
    CARIBOU_CASE("prisms, mean dilatation",
                 CARIBOU_DILATED_FIRST("Prism", "0 1 2 4 5 6  0 2 3 4 6 7")),
    CARIBOU_CASE("pyramids, mean dilatation",
                 CARIBOU_DILATED_FIRST("Pyramid", "4 5 6 7 12  0 3 2 1 6")),
    CARIBOU_CASE("tetrahedra of 10 nodes, mean dilatation",
                 CARIBOU_DILATED("Tetrahedron10", "tetrahedra10", CARIBOU_LISTS_TETRA, "mean")),
    CARIBOU_CASE(
        "tetrahedra of 10 nodes, continuous dilatation",
        CARIBOU_DILATED("Tetrahedron10", "tetrahedra10", CARIBOU_LISTS_TETRA, "continuous")),
    CONTINUOUS_HYPER("NeoHookean", "300 9000"),
    CONTINUOUS_HYPER("StableNeoHookean", "300 9000"),
    CONTINUOUS_HYPER("MooneyRivlin", "150 100 9000"),
    CONTINUOUS_HYPER("ArrudaBoyce", "300 9000"),
    CONTINUOUS_HYPER("VerondaWestman", "150 1.2 9000"),
    CONTINUOUS_HYPER("Ogden", "600 3 9000"),
    CONTINUOUS_HYPER("Costa", "80 9000 2 1 1.5 0.8 1.2 0.7"),
    SECOND_HYPER_OF("TetrahedronHyperelasticityFEMForceField", "mean dilatation", "Prism15",
                    "prisms15", CARIBOU_LISTS_PRISM,
                    "materialName='NeoHookean' ParameterSet='300 9000' dilatation='mean'"),
    SECOND_HYPER_OF("StandardTetrahedralFEMForceField", "F-bar", "Hexahedron20", "hexahedra20",
                    CARIBOU_LISTS_HEXA,
                    "materialName='MooneyRivlin' ParameterSet='150 100 9000' dilatation='bar'"),
    LINEAR_DILATED("LinearSmallStrainFEMForceField", "Tetrahedron10", "tetrahedra10",
                   CARIBOU_LISTS_TETRA, "dilatation='continuous'",
                   CONFORM_ELASTIC | CONFORM_ENERGY),
    LINEAR_DILATED("LinearSmallStrainFEMForceField", "Hexahedron20", "hexahedra20",
                   CARIBOU_LISTS_HEXA, "dilatation='mean'", CONFORM_ELASTIC | CONFORM_ENERGY),
    LINEAR_DILATED("LinearSmallStrainFEMForceField", "Tetrahedron10", "tetrahedra10",
                   CARIBOU_LISTS_TETRA, "dilatation='mean'", CONFORM_ELASTIC | CONFORM_ENERGY),
    LINEAR_DILATED("CorotationalFEMForceField", "Prism15", "prisms15", CARIBOU_LISTS_PRISM,
                   "dilatation='mean' rotationMethod='polar' consistent='1'", CONFORM_EXACT),
    CARIBOU_CASE("hexahedra of 20 nodes, mean dilatation",
                 CARIBOU_DILATED("Hexahedron20", "hexahedra20", CARIBOU_LISTS_HEXA, "mean")),
    CARIBOU_CASE("hexahedra of 27 nodes, linear dilatation",
                 CARIBOU_DILATED("Hexahedron27", "hexahedra27", CARIBOU_LISTS_HEXA " centers='1'",
                                 "linear")),
    CARIBOU_CASE("prisms of 15 nodes, mean dilatation",
                 CARIBOU_DILATED("Prism15", "prisms15", CARIBOU_LISTS_PRISM, "mean")),
    CARIBOU_CASE("pyramids of 13 nodes, mean dilatation",
                 CARIBOU_DILATED("Pyramid13", "pyramids13", CARIBOU_LISTS_PYRAMID, "mean")),
    CARIBOU_CASE("hexahedra, F-bar",
                 CARIBOU_BAR_FIRST("Hexahedron", CARIBOU_BAR_HEXA, CARIBOU_BAR_NEO)),
    CARIBOU_CASE("hexahedra, F-bar, Saint Venant-Kirchhoff",
                 CARIBOU_BAR_FIRST("Hexahedron", CARIBOU_BAR_HEXA, CARIBOU_BAR_SVK)),
    CARIBOU_CASE("viscoelastic hexahedra, F-bar",
                 CARIBOU_BAR_FIRST("Hexahedron", CARIBOU_BAR_HEXA, POINT_VISCOUS)),
    CARIBOU_CASE("plastic hexahedra, F-bar",
                 CARIBOU_BAR_FIRST("Hexahedron", CARIBOU_BAR_HEXA, POINT_PLASTIC)),
    CARIBOU_CASE("hexahedra with fibres, F-bar",
                 CARIBOU_BAR_FIRST("Hexahedron", CARIBOU_BAR_HEXA, POINT_FIBRES)),
    CARIBOU_CASE("prisms, F-bar",
                 CARIBOU_BAR_FIRST("Prism", "0 1 2 4 5 6  0 2 3 4 6 7", CARIBOU_BAR_NEO)),
    CARIBOU_CASE("pyramids, F-bar",
                 CARIBOU_BAR_FIRST("Pyramid", "4 5 6 7 12  0 3 2 1 6", CARIBOU_BAR_NEO)),
    CARIBOU_CASE(
        "tetrahedra of 10 nodes, F-bar",
        CARIBOU_BAR("Tetrahedron10", "tetrahedra10", CARIBOU_LISTS_TETRA, CARIBOU_BAR_NEO)),
    CARIBOU_CASE("hexahedra of 20 nodes, F-bar",
                 CARIBOU_BAR("Hexahedron20", "hexahedra20", CARIBOU_LISTS_HEXA, CARIBOU_BAR_NEO)),
    CARIBOU_CASE("hexahedra of 27 nodes, F-bar",
                 CARIBOU_BAR("Hexahedron27", "hexahedra27", CARIBOU_LISTS_HEXA " centers='1'",
                             CARIBOU_BAR_NEO)),
    CARIBOU_CASE("prisms of 15 nodes, F-bar",
                 CARIBOU_BAR("Prism15", "prisms15", CARIBOU_LISTS_PRISM, CARIBOU_BAR_NEO)),
    CARIBOU_CASE("pyramids of 13 nodes, F-bar",
                 CARIBOU_BAR("Pyramid13", "pyramids13", CARIBOU_LISTS_PYRAMID, CARIBOU_BAR_NEO)),
    CARIBOU_LOAD("Triangle6", "triangles6", CARIBOU_POINTS " triangles='0 1 2  0 2 3'"),
    CARIBOU_LOAD("Quad8", "quads8", CARIBOU_POINTS " quads='0 1 2 3  1 8 9 2'"),
    CARIBOU_LOAD("Quad9", "quads9", CARIBOU_POINTS " centers='1' quads='0 1 2 3  1 8 9 2'"),
    {"TractionForcefield", "quads in the plane",
     "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"
     "<DefaultVisualManagerLoop/><MechanicalObject name='state' template='Vec2d' "
     "position='0 0 1 0 1 1 0 1'/><CaribouTopology template='Quad_2D' indices='0 1 2 3'/>"
     "<TractionForcefield template='Quad_2D' traction='3 -2'/></Node>",
     CONFORM_FD | CONFORM_K | CONFORM_ENERGY, 0},
    {"CaribouMass", "tetrahedra of 10 nodes",
     CARIBOU_QUADRATIC_OF("Tetrahedron10", "tetrahedra10", CARIBOU_LISTS_TETRA,
                          "<CaribouMass density='3'/>"),
     CONFORM_FD | CONFORM_IDLE, 0},
    {"CaribouMass", "hexahedra",
     CARIBOU_SCENE("<CaribouTopology template='Hexahedron' indices='@grid.hexahedra'/>"
                   "<CaribouMass density='3'/>"),
     CONFORM_FD | CONFORM_IDLE, 0},
    {"TractionForcefield", "quads",
     CARIBOU_SCENE("<CaribouTopology template='Quad' indices='0 1 6 5 1 2 7 6'/>"
                   "<TractionForcefield traction='3 -2 1'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_ENERGY, 0},
    {"TractionForcefield", "triangles",
     CARIBOU_SCENE("<CaribouTopology template='Triangle' indices='0 1 6 0 6 5'/>"
                   "<TractionForcefield traction='3 -2 1'/>"),
     CONFORM_FD | CONFORM_K | CONFORM_ENERGY, 0},
    CARIBOU_OF_MATERIAL("viscoelastic hexahedra", POINT_VISCOUS, CARIBOU_SOLID),
    CARIBOU_OF_MATERIAL("plastic hexahedra", POINT_PLASTIC, CARIBOU_SOLID),
    CARIBOU_OF_MATERIAL("hexahedra with fibres", POINT_FIBRES, CARIBOU_SOLID),
    CARIBOU_OF_MATERIAL("hexahedra of muscle",
                        "MuscleMaterial materialName='Ogden' ParameterSet='1500 5 5000' "
                        "activeStress='300' fibres='1 0.2 0' activation='0.7'",
                        CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY |
                            CONFORM_BALANCED),
    CARIBOU_OF_MATERIAL("hexahedra of an energy", POINT_ENERGY, CARIBOU_SOLID),
};

#endif
