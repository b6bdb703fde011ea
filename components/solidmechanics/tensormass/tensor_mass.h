/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of tensor-mass models: linear elasticity with one 3 x 3 tensor per edge.
 *
 * For an edge from point 0 to point 1, u = (x1 - X1) - (x0 - X0): f0 -= T u, f1 += T^T u, where T
 * is the sum of the stiffness blocks K_01 of the elements around the edge (Cotin, Delingette,
 * Ayache: A hybrid elastic model for real-time cutting, deformations and force feedback, 2000). */
#ifndef SOFA_TENSOR_MASS_H
#define SOFA_TENSOR_MASS_H

#include "behavior/force_field.h"
#include "numerics/fem/edge_matrix.h"
#include "numerics/fem/element_results.h"
#include "topology/topology.h"

typedef struct SofaTensorMass {
  SofaForceField force_field;
  char *edge_info;
  double poisson, young;
  SofaLink topology;
  SofaTopology *mesh; /* resolved at init */
  SofaEdgeMatrix matrix;
  uint32_t revision;
  SofaElementKind kind; /* of the elements; set by sofa_tensor_mass_make */
  SofaElementResults results;
} SofaTensorMass;

/* Abstract: fields, checks of the material, operations. Derived classes call sofa_tensor_mass_make
 * in init, with add_force of their own that calls init again when the topology has changed. */
extern const SofaClass sofa_tensor_mass_class;

/* Stiffness blocks of one element at rest positions p (n_nodes x 3, m). blocks: for each edge of
 * the element in the order of the numbering tables, block K_lk of its local nodes l =
 * nodes[edge][1], k = nodes[edge][0]. false: degenerate. */
typedef bool (*SofaTensorBlocks)(const SofaTensorMass *t, const double *p, double (*blocks)[9]);

/* nodes: local nodes of each local edge. */
SofaErr sofa_tensor_mass_make(SofaTensorMass *t, SofaElementKind kind, unsigned n_edges,
                              const uint8_t (*nodes)[2], SofaTensorBlocks blocks);

SofaErr sofa_tensor_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *const *f);
SofaErr sofa_tensor_mass_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *dx,
                                    double *const *df);
SofaErr sofa_tensor_mass_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent);
bool sofa_tensor_mass_constant(const SofaForceField *ff);
/* Stresses of the elements (tensor_results.c). */
extern const SofaElementResultsOps sofa_tensor_mass_results;
SofaErr sofa_tensor_mass_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                          const SofaPoint *at, double *energy);

#endif
