/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Length, area or volume of the elements of a topology, and the geometry masses are made from. */
#ifndef SOFA_NUMERICS_MASS_MEASURE_H
#define SOFA_NUMERICS_MASS_MEASURE_H

#include "behavior/state.h"
#include "numerics/fem/finite_element.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* The elements that carry mass: those of highest dimension, cells before faces before edges. */
typedef enum SofaMassCell {
  MASS_HEXA,
  MASS_TETRA,
  MASS_QUAD,
  MASS_TRIANGLE,
  MASS_EDGE,
  MASS_N_CELLS
} SofaMassCell;

SofaElementKind sofa_mass_cell_kind(SofaMassCell cell); /* not of MASS_N_CELLS */
SofaShape sofa_mass_cell_shape(SofaMassCell cell);

/* SOFA: quads are measured as two triangles, hexahedra as six tetrahedra. */
enum { SOFA_QUIRK_MASS_MEASURE = 1 << 27 };
#define SOFA_QUIRK_MASS_MEASURE_ROW                                                                \
  {                                                                                                \
    SOFA_QUIRK_MASS_MEASURE, "mass-measure",                                                       \
        "masses measure a quad as two triangles and a hexahedron as six tetrahedra",               \
        "test_element_masses.quirk_of_the_measure"                                                 \
  }

typedef struct SofaMassGeometry {
  SofaMassCell cell; /* MASS_N_CELLS: there are no elements, on no process */
  size_t n_elements;
  unsigned n_vertices;      /* per element */
  const uint32_t *vertices; /* n_elements * n_vertices; borrowed from the topology */
  const double *x;          /* positions; borrowed from the state */
  size_t n_points;
  unsigned coord, space; /* reals per position; leading ones that are a point in space */
  bool split;            /* the quirk above */
} SofaMassGeometry;

/* Finds the elements of the topology and the positions (rest or current) of the state. A vertex
 * that is not a point of the state is reported against `object`, whose class may list the quirk. */
SofaErr sofa_mass_geometry(const SofaObject *object, SofaTopology *topology, const SofaState *state,
                           bool rest, SofaMassGeometry *out);
/* The same without a check of all vertices, for changes of a checked mesh. */
void sofa_mass_geometry_unchecked(const SofaObject *object, SofaTopology *topology,
                                  const SofaState *state, bool rest, SofaMassGeometry *out);

/* Positions of the vertices of element e, n_vertices x 3; 0 for axes that the state does not have.
 */
void sofa_mass_element_points(const SofaMassGeometry *geometry, size_t e, double *p);
/* Measure of element e: length, area or volume, >= 0, by integration over the bilinear quad and the
 * trilinear hexahedron. */
double sofa_mass_measure(const SofaMassGeometry *geometry, size_t e);
/* The factor of entries that belong to density 1 and sum up to `sum`, on all processes, so that
 * they sum up to `total`. An error of the field totalMass where elements without size are to have
 * a mass. */
SofaErr sofa_mass_factor(const SofaObject *object, const SofaMassGeometry *geometry, double total,
                         double sum, double *factor);

SOFA_END_DECLS

#endif
