/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of the force fields of the plugin SofaCaribou. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_CARIBOU_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_CARIBOU_H

#include "tests/support/force_field_cases_hyperelastic.h"

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

#define CARIBOU_HEXAS_OF(m)                                                                        \
  CARIBOU_SCENE("<" m "/>"                                                                         \
                "<CaribouTopology name='hexas' template='Hexahedron' "                             \
                "indices='@grid.hexahedra'/>"                                                      \
                "<HyperelasticForcefield topology='@hexas'/>")
#define CARIBOU_OF_MATERIAL(what, m, checks)                                                       \
  { "HyperelasticForcefield", what, CARIBOU_HEXAS_OF(m), checks, 0.04 }

static const ForceFieldCase caribou_cases[] = {
    CARIBOU_CASES("SaintVenantKirchhoff"),
    CARIBOU_CASES("NeoHookean"),
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
