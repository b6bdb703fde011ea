/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronCompositeFEMForceFieldAndMass, for the mapping that goes by its weights. */
#ifndef SOFA_FEM_HEXAHEDRON_COMPOSITE_H
#define SOFA_FEM_HEXAHEDRON_COMPOSITE_H

#include "components/solidmechanics/fem/NonUniformHexahedronFEMForceFieldAndMass.h"

typedef struct HexahedronComposite {
  NonUniform nonuniform;
  bool finest_to_coarse, complete, use_ramification;
  int homogenization_method, draw_type, draw_color;
  double draw_size;
  /* state */
  double *weights; /* of each cell of the finest level, 24 x 24: displacements of its corners by
                      those of the hexahedron's; NULL without finer levels */
  size_t n_weights;
  size_t n_unsolved;
} HexahedronComposite;

extern const SofaClass sofa_HexahedronCompositeFEMForceFieldAndMass_class;

#endif
