/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of hyperelastic tetrahedra: every material in both classes. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_HYPERELASTIC_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_HYPERELASTIC_H

#include "tests/support/conform_forcefield.h"

/* 5 x 4 x 4 points, 216 tetrahedra */
#define HYPER_BODY(content)                                                                        \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<Node name='body'><RegularGridTopology name='grid' n='5 4 4' min='0 0 0' max='2 1.5 1.6'/>"     \
  "<MechanicalObject name='state'/>"                                                               \
  "<Node name='tetras'><TetrahedronSetTopologyContainer name='tetras'/>"                           \
  "<TetrahedronSetTopologyModifier/>"                                                              \
  "<Hexa2TetraTopologicalMapping input='@../grid' output='@tetras' swapping='1'/>" content         \
  "</Node></Node></Node>"
#define HYPER_SCENE(klass, material, parameters)                                                   \
  HYPER_BODY("<" klass " materialName='" material "' ParameterSet='" parameters "'/>")

/* Elements are about 0.5 m: moves by 0.04 m strain them by up to a fifth. */
#define HYPER_CASE(klass, material, parameters)                                                    \
  {                                                                                                \
    klass, material, HYPER_SCENE(klass, material, parameters),                                     \
        CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.04                                   \
  }

#define HYPER_CASES(klass)                                                                         \
  HYPER_CASE(klass, "ArrudaBoyce", "340 3100"),                                                    \
      HYPER_CASE(klass, "ArrudaBoyce", "340 3100' chainLinks='3"),                                 \
      HYPER_CASE(klass, "StVenantKirchhoff", "340 3100"),                                          \
      HYPER_CASE(klass, "NeoHookean", "340 3100"),                                                 \
      HYPER_CASE(klass, "MooneyRivlin", "500 70 1700"),                                            \
      HYPER_CASE(klass, "VerondaWestman", "300 0.8 1700"),                                         \
      HYPER_CASE(klass, "Costa", "200 900 3 2 1 1.5 0.5 2.5"),                                     \
      HYPER_CASE(klass, "Ogden", "1500 5 5000"), HYPER_CASE(klass, "StableNeoHookean", "340 3100")

/* A linked material; m holds its element. */
#define HYPER_OF_MATERIAL(what, m)                                                                 \
  {                                                                                                \
    "TetrahedronHyperelasticityFEMForceField", what,                                               \
        HYPER_BODY("<" m " name='law'/>"                                                           \
                   "<TetrahedronHyperelasticityFEMForceField material='@law'/>"),                  \
        CONFORM_ELASTIC | CONFORM_ENERGY | CONFORM_ROTATES, 0.04                                   \
  }

/* The laws of points: also in SofaCaribou's elements. The case moves elements by strains of up to a
 * fifth: the plastic one flows. */
#define POINT_VISCOUS                                                                              \
  "ViscoelasticMaterial materialName='NeoHookean' ParameterSet='340 3100' "                        \
  "branchModuli='200 100' relaxationTimes='0.02 3'"
#define POINT_PLASTIC                                                                              \
  "J2PlasticMaterial youngModulus='900' poissonRatio='0.3' yieldStress='20' "                      \
  "hardeningModulus='60' saturationStress='50' saturationRate='9'"
#define POINT_FIBRES                                                                               \
  "HolzapfelGasserOgdenMaterial c='300' k1='500' k2='2' kappa='0.1' k0='2000' "                    \
  "fibres='1 2 0.3' fibres2='-1 2 0'"
#define POINT_MUSCLE                                                                               \
  "MuscleMaterial materialName='MooneyRivlin' ParameterSet='500 70 1700' activeStress='300' "      \
  "fibres='1 0.2 0' activation='0'"
#define POINT_ENERGY "StrainEnergyMaterial materialName='Ogden' ParameterSet='1500 5 5000'"

static const ForceFieldCase hyperelastic_cases[] = {
    HYPER_CASES("TetrahedronHyperelasticityFEMForceField"),
    HYPER_CASES("StandardTetrahedralFEMForceField"),
    HYPER_OF_MATERIAL("viscoelastic", POINT_VISCOUS),
    HYPER_OF_MATERIAL("plastic", POINT_PLASTIC),
    HYPER_OF_MATERIAL("fibres", POINT_FIBRES),
    HYPER_OF_MATERIAL("muscle at rest", POINT_MUSCLE),
    HYPER_OF_MATERIAL("energy", POINT_ENERGY),
};

#endif
