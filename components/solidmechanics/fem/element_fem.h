/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What LinearSmallStrainFEMForceField and CorotationalFEMForceField share: isotropic elements of
 * the shape that the template names, with the rotation that is asked for. Tetrahedra are computed
 * by their own batch, whose stiffness needs no matrix; the other shapes with a dense one. */
#ifndef SOFA_FEM_ELEMENT_FEM_H
#define SOFA_FEM_ELEMENT_FEM_H

#include "components/solidmechanics/fem/linear_corners.h"
#include "components/solidmechanics/fem/tetra_fem.h"
#include "numerics/fem/edge_matrix.h"

typedef enum SofaElementRotation {
  SOFA_ROTATION_IDENTITY,
  SOFA_ROTATION_EDGES, /* triangles, tetrahedra, hexahedra: the frame of two edges */
  SOFA_ROTATION_POLAR, /* polar factor of H; of what spans no volume, the closest rotation */
  SOFA_ROTATION_STABLE /* the rotation closest to H */
} SofaElementRotation;

typedef struct SofaElementFem {
  SofaTetraFem tetra;
  SofaLink elements; /* NULL: those of the topology */
  SofaShape shape;
  SofaElementRotation rotation;
  SofaElementBatch dense;    /* of all shapes but tetrahedra */
  SofaEdgeMatrix edges;      /* of triangles and quads in space with fixed frames; else empty */
  SofaOption dilatation;     /* of solids, see `dilatations` */
  SofaLinearCorners corners; /* of a continuous one; its batch has the part of the shear alone */
  char *plane_state;         /* of triangles and quads */
  /* without an effect on the numbers but the last */
  char *scheduler, *force_strategy, *derivative_strategy;
  SofaReals stiffness; /* output: matrices of the elements */
  int n_threads;
  double element_space;
} SofaElementFem;

extern const SofaClass sofa_element_fem_class; /* abstract */

/* Makes the elements again with fem->rotation. */
SofaErr sofa_element_fem_make(SofaElementFem *fem);

extern const SofaForceFieldOps sofa_element_fem_ops;

#endif
