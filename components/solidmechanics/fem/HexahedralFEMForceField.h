/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedralFEMForceField, for the class that adds a mass to it. */
#ifndef SOFA_FEM_HEXAHEDRAL_FEM_FORCE_FIELD_H
#define SOFA_FEM_HEXAHEDRAL_FEM_FORCE_FIELD_H

#include "components/solidmechanics/fem/polar_frame.h"
#include "numerics/fem/element_batch.h"
#include "numerics/fem/linear_fem.h"

typedef struct HexahedralFEMForceField {
  SofaLinearFem fem;
  char *method;
  char *hexahedron_info;
  bool consistent;
  SofaElementBatch batch;
  uint32_t revision; /* of the topology that batch was made of */
} HexahedralFEMForceField;

extern const SofaClass sofa_HexahedralFEMForceField_class;

/* The elastic forces. */
SofaErr hexahedral_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f);
SofaErr hexahedral_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df);
SofaErr hexahedral_fem_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent);
SofaErr hexahedral_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *energy);
const SofaApproximation *hexahedral_fem_approximation(const SofaForceField *ff);

#endif
