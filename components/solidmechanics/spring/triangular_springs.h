/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Membranes of triangles as springs along edges and between them (Delingette, "Triangular springs
 * for modeling nonlinear membranes", 2008): base of the quadratic and the biquadratic springs.
 *
 * Of each edge q = l - L, or l^2 - L^2 for the biquadratic ones. With edge j opposite to vertex j
 * and (j, k, l) cyclic, energy sum_j (k_j / 2 q_j^2 + gamma_j q_k q_l), or half of it for the
 * biquadratic ones, which is the one of St. Venant and Kirchhoff in plane stress, thickness 1.
 *
 * With damping q + damping dq/dt takes the place of q in the forces. */
#ifndef SOFA_TRIANGULAR_SPRINGS_H
#define SOFA_TRIANGULAR_SPRINGS_H

#include "behavior/force_field.h"
#include "numerics/fem/edge_assembly.h"
#include "numerics/fem/membrane_kernels.h"
#include "topology/topology.h"

typedef struct SofaTriangularSprings {
  SofaForceField force_field;
  double poisson, young, damping;
  bool angular;
  char *triangle_info, *edge_info;
  SofaVec3s initial_points;
  SofaLink topology;
  bool compressible;     /* biquadratic: triangles resist being compressed */
  double regularization; /* not used */
  /* set by construct of the class */
  bool squares; /* biquadratic */
  /* state */
  SofaTopology *mesh;
  uint32_t revision; /* of the mesh that the triangles were made of */
  size_t n;          /* triangles */
  struct {
    SofaMembraneGroup *data;
    size_t n, capacity;
  } groups;
  SofaElementSums sums;
  SofaEdgeAssembly *edges; /* made by the first assembly */
  SofaVec3s normals;       /* of the triangles, the last ones that they were not flat with */
  bool told;               /* that a triangle has flipped */
  bool sofas_tangent;      /* quirk */
  bool sofas_rate;         /* quirk: the rate of the biquadratic springs */
} SofaTriangularSprings;

extern const SofaClass sofa_triangular_springs_class; /* abstract: all but the kind of q */

#endif
