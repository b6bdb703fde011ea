/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedronFEMForceField, for the class of its name for several threads. */
#ifndef SOFA_FEM_TETRAHEDRON_FEM_FORCE_FIELD_H
#define SOFA_FEM_TETRAHEDRON_FEM_FORCE_FIELD_H

#include "components/solidmechanics/fem/tetra_fem.h"

typedef struct TetrahedronFEMForceField {
  SofaTetraFem tetra;
  SofaVec3s initial_points;
  char *method;
  SofaReals local_stiffness_factor;
  bool update_stiffness_matrix, compute_global_matrix, update_stiffness;
  SofaTetraPlasticity plasticity;
  SofaReals plastic;  /* 6 per tetrahedron */
  bool keeps_plastic; /* while the elements are made again for a topological change */
  int compute_von_mises;
  SofaColors von_mises_colors;
  /* drawing */
  char *gather_point, *gather_size, *color_map;
  bool draw_heterogeneous, show_per_node, show_per_node_map, show_per_element;
  double alpha, gap_scale;
  /* state */
  SofaTetraFull full;
  bool built;
  bool forceless; /* quirk: this combination of fields gives no force */
} TetrahedronFEMForceField;

extern const SofaClass sofa_TetrahedronFEMForceField_class;

#endif
