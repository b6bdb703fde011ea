/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronFEMForceFieldAndMass, for the class that makes its matrices of finer cells. */
#ifndef SOFA_FEM_HEXAHEDRON_FEM_FORCE_FIELD_AND_MASS_H
#define SOFA_FEM_HEXAHEDRON_FEM_FORCE_FIELD_AND_MASS_H

#include "components/solidmechanics/fem/HexahedronFEMForceField.h"
#include "numerics/mass/hexa_mass.h"

typedef struct HexahedronFEMForceFieldAndMass {
  HexahedronFEMForceField hexa;
  SofaHexaMass m;
} HexahedronFEMForceFieldAndMass;

extern const SofaClass sofa_HexahedronFEMForceFieldAndMass_class;

#endif
