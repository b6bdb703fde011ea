/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedralFEMForceFieldAndMass, for the class on voxels. */
#ifndef SOFA_FEM_HEXAHEDRAL_FEM_FORCE_FIELD_AND_MASS_H
#define SOFA_FEM_HEXAHEDRAL_FEM_FORCE_FIELD_AND_MASS_H

#include "components/solidmechanics/fem/HexahedralFEMForceField.h"
#include "numerics/mass/hexa_mass.h"

typedef struct HexahedralFEMForceFieldAndMass {
  HexahedralFEMForceField hexa;
  SofaHexaMass m;
  SofaReals total_mass, particle_masses;
  SofaVec3s lumped_masses;
} HexahedralFEMForceFieldAndMass;

extern const SofaClass sofa_HexahedralFEMForceFieldAndMass_class;

#endif
