/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Length, area or volume of the elements of a topology, and the geometry masses are made from. */
#ifndef SOFA_NUMERICS_MASS_MEASURE_H
#define SOFA_NUMERICS_MASS_MEASURE_H

#include "behavior/state.h"
#include "topology/topology.h"

/* The elements that carry mass: those of highest dimension, cells before faces before edges. */
typedef enum MassCell {
  MASS_HEXA,
  MASS_TETRA,
  MASS_QUAD,
  MASS_TRIANGLE,
  MASS_EDGE,
  MASS_N_CELLS
} MassCell;

SofaElementKind mass_cell_kind(MassCell cell); /* not of MASS_N_CELLS */

typedef struct MassGeometry {
  MassCell cell; /* MASS_N_CELLS: there are no elements */
  size_t n_elements;
  unsigned n_vertices;      /* per element */
  const uint32_t *vertices; /* n_elements * n_vertices; borrowed from the topology */
  const double *x;          /* positions; borrowed from the state */
  size_t n_points;
  unsigned coord, space; /* reals per position; leading ones that are a point in space */
} MassGeometry;

/* Finds the elements of the topology and the positions (rest or current) of the state. A vertex
 * that is no point of the state is reported against `object`. */
SofaErr mass_geometry(const SofaObject *object, SofaTopology *topology, const SofaState *state,
                      bool rest, MassGeometry *out);
/* The same without a look at all vertices, for changes of a checked mesh. */
void mass_geometry_unchecked(SofaTopology *topology, const SofaState *state, bool rest,
                             MassGeometry *out);

/* Measure of element e: length, area or volume, >= 0. A quad is two triangles (0 1 2) (0 2 3), a
 * hexahedron six tetrahedra. */
double mass_measure(const MassGeometry *geometry, size_t e);

#endif
