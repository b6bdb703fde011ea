/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NonUniformHexahedronFEMForceFieldAndMass, for the class that condenses its finer cells. */
#ifndef SOFA_FEM_NON_UNIFORM_H
#define SOFA_FEM_NON_UNIFORM_H

#include "components/solidmechanics/fem/HexahedronFEMForceFieldAndMass.h"
#include "components/topology/sparse_topology.h"

/* Stiffness and mass of a hexahedron. */
typedef struct NonUniformMatrices {
  double k[576], m[64];
} NonUniformMatrices;

typedef struct NonUniform {
  HexahedronFEMForceFieldAndMass base;
  int n_finer;
  bool use_mass;
  double total_mass;
  /* state */
  const SofaSparseTopology *grid;
  size_t finest; /* level of the grid that the matrices are made of */
  bool mass_by_stiffness;
  NonUniformMatrices cell;              /* of a full cell of that level */
  SofaErr (*make)(struct NonUniform *); /* fills the matrices of all elements; set by the class */
} NonUniform;

extern const SofaClass sofa_NonUniformHexahedronFEMForceFieldAndMass_class;

/* Steps from the first corner of a cell to its eight. */
extern const uint8_t nonuniform_steps[8][3];
/* Adds the matrices of hexahedron h of the finest level. */
void nonuniform_add_cell(const NonUniform *f, uint32_t h, NonUniformMatrices *out);

#endif
