/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element lists of grids of nx x ny x nz points, x fastest. */
#ifndef SOFA_TOPOLOGY_GRID_ELEMENTS_H
#define SOFA_TOPOLOGY_GRID_ELEMENTS_H

#include "topology/topology.h"

typedef struct SofaGridLists {
  bool hexas, quads, triangles, edges;
} SofaGridLists;

/* Fills the wanted lists, empty on entry. n: at least 1 each. Edges are those of the triangles when
 * there are any, else the lines along x, y and z. */
SofaErr sofa_grid_elements(SofaContext *ctx, const int n[3], const SofaGridLists *lists,
                           SofaMesh *mesh);

#endif
