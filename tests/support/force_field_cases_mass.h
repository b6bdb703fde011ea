/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of masses as force fields: gravity is constant, so it has no derivative. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_MASS_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_MASS_H

#include "tests/support/conform_forcefield.h"

#define CASE_MASS(mass)                                                                            \
  "<Node name='root' gravity='0.3 -9.81 1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"     \
  "<Node name='body'><MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"      \
  "<MechanicalObject/>" mass "</Node></Node>"

static const ForceFieldCase mass_cases[] = {
    {"UniformMass", "Vec3", CASE_MASS("<UniformMass totalMass='3'/>"), CONFORM_FD, 0},
    {"DiagonalMass", "Vec3", CASE_MASS("<DiagonalMass massDensity='3'/>"), CONFORM_FD, 0},
    {"MeshMatrixMass", "Vec3", CASE_MASS("<MeshMatrixMass massDensity='3'/>"), CONFORM_FD, 0},
    {"FEMMass", "Vec3",
     CASE_MASS("<NodalMassDensity property='3'/><FEMMass template='Vec3,Tetrahedron'/>"),
     CONFORM_FD, 0},
};

#endif
