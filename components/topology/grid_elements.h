/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Element lists of grids of nx x ny x nz points, x fastest. */
#ifndef SOFA_TOPOLOGY_GRID_ELEMENTS_H
#define SOFA_TOPOLOGY_GRID_ELEMENTS_H

#include "topology/mesh_slice.h"

typedef struct SofaGridLists {
  bool hexas, quads, triangles, edges;
} SofaGridLists;

/* Fills the wanted lists, empty on entry. n: at least 1 each. Edges are those of the triangles when
 * there are any, else the lines along x, y and z. */
SofaErr sofa_grid_elements(SofaContext *ctx, const int n[3], const SofaGridLists *lists,
                           SofaMesh *mesh);

/* The hexahedra of all. */
size_t sofa_grid_n_hexas(const int n[3], const SofaGridLists *lists);
/* Called by all processes: the runs of this one, without the points, in *out, which is empty on
 * entry. */
SofaErr sofa_grid_slice(SofaContext *ctx, const int n[3], const SofaGridLists *lists,
                        SofaMeshSlice *out);

#endif
