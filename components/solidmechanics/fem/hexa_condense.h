/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Static condensation of the fine cells in a hexahedron to its eight corners. Source: M. Nesme, P.
 * G. Kry, L. Jerabkova, F. Faure, Preserving topology and elasticity for embedded deformable
 * models, SIGGRAPH 2009. */
#ifndef SOFA_FEM_HEXA_CONDENSE_H
#define SOFA_FEM_HEXA_CONDENSE_H

#include "base/context.h"

typedef struct HexaFineCell {
  int at[3];              /* in the lattice of n_side^3 cells */
  const uint32_t *points; /* its 8 corners: equal numbers at the same place are one point */
  double k[576];          /* stiffness, N/m */
  double m[192];          /* mass of points a and b along x, y, z: 3 (8 a + b), kg */
  double weight[576];     /* out: row 3 corner + axis, columns 3 corner of the hexahedron + axis */
} HexaFineCell;

typedef struct HexaCondensation {
  int n_side;        /* cells along an edge */
  bool join;         /* all points at one place are one */
  bool inverse;      /* quirk: with the inverse of a system of all points' displacements */
  bool complete;     /* weights between different axes, too, and to all corners */
  double k[576];     /* out: stiffness of the hexahedron; 0 before */
  double m[192];     /* out: its mass, as above; 0 before */
  size_t n_unsolved; /* counts hexahedra whose fine points hang loose: these get weights of place */
} HexaCondensation;

/* Fine points go where the forces on them vanish when the corners are displaced. Cells that are not
 * listed are rigid. Stiffness and mass use these weights between equal axes and from the corners of
 * the edge or face that a point is on, with sum 1. Calls LAPACK (components/linearsolver). */
SofaErr hexa_condense(SofaContext *ctx, HexaFineCell *cells, size_t n, HexaCondensation *out);

#endif
