/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The data of MeshMatrixMass, which its files share. */
#ifndef COMPONENTS_MASS_MESH_MATRIX_MASS_H
#define COMPONENTS_MASS_MESH_MATRIX_MASS_H

#include "behavior/mass.h"
#include "change/topology_change.h"
#include "numerics/mass/measure.h"

typedef struct MeshMatrixMass {
  SofaMass mass;
  SofaReals density;     /* one value, or one per element */
  double total_mass;     /* kg */
  SofaReals vertex_mass; /* M_ii per point, kg; lumped: M_ii / lumping coefficient */
  SofaReals edge_mass;   /* M_ij per edge of the topology, kg */
  bool on_rest, lumping, print_mass, show_center;
  double axis_size;
  char *graph;
  SofaLink topology, geometry_state, elements;
  SofaMassCell cell;       /* the elements that carry the mass, */
  SofaElementKind element; /* and their kind */
  double uniform;          /* density in use, when it is one for all */
  double coefficient;      /* sum of a row of M over M_ii, unless row_sum has it */
  bool coupled;            /* M couples all points of an element: entries are not those of edges */
  SofaReals row_sum;       /* of M, kg, or with lumping the diagonal; of coupled ones only */
  SofaIndices start, column; /* couplings in compressed rows, both ways */
  SofaReals value;           /* M_ij of each */
  SofaReals divisor;         /* lumped masses of all processes; empty where none is divided */
  bool rows_stale;           /* the couplings are older than the entries */
  bool at_rest;              /* the entries are measured at rest, */
  bool by_element;           /* with the densities of the list */
  bool remake;               /* the modification in progress needs all entries measured again */
  bool started, density_given, total_given, vertex_given, edge_given, was_lumping;
} MeshMatrixMass;

/* The entries of all elements; density: NULL stands for 1 everywhere. */
SofaErr mesh_matrix_integrate(MeshMatrixMass *m, const SofaMassGeometry *g, const SofaEdges *edges,
                              const SofaReals *density);
/* The kind of the elements that carry the mass. */
void mesh_matrix_set_cell(MeshMatrixMass *m, SofaMassCell cell);
/* Sum of all entries of M per coordinate, kg: every coupling counts twice. */
double mesh_matrix_sum(const MeshMatrixMass *m);

extern const SofaTopologyListenerOps mesh_matrix_listener;

#endif
