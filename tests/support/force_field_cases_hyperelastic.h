/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of hyperelastic tetrahedra: every material in both classes. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_HYPERELASTIC_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_HYPERELASTIC_H

#include "tests/support/conform_forcefield.h"

/* 5 x 4 x 4 points, 216 tetrahedra */
#define HYPER_SCENE(klass, material, parameters)                                                   \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<Node name='body'><RegularGridTopology name='grid' n='5 4 4' min='0 0 0' max='2 1.5 1.6'/>"     \
  "<MechanicalObject name='state'/>"                                                               \
  "<Node name='tetras'><TetrahedronSetTopologyContainer name='tetras'/>"                           \
  "<TetrahedronSetTopologyModifier/>"                                                              \
  "<Hexa2TetraTopologicalMapping input='@../grid' output='@tetras' swapping='1'/>"                 \
  "<" klass " materialName='" material "' ParameterSet='" parameters "'/></Node></Node></Node>"

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

static const ForceFieldCase hyperelastic_cases[] = {
    HYPER_CASES("TetrahedronHyperelasticityFEMForceField"),
    HYPER_CASES("StandardTetrahedralFEMForceField"),
};

#endif
