/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points and elements of a mesh that is divided among processes, for files that the first process
 * writes: there in the order of the whole mesh; on the others the lists become empty. */
#ifndef SOFA_COMPONENTS_IO_WHOLE_MESH_H
#define SOFA_COMPONENTS_IO_WHOLE_MESH_H

#include "behavior/whole_list.h"

/* Called by all processes; x: 3 reals per local point. */
SofaErr whole_mesh_points(SofaContext *ctx, const SofaDivision *division, const double *x,
                          SofaReals *out);

/* Elements by local points. division: that of the points. */
typedef struct PartOfCells {
  const SofaDivision *division;
  const SofaDivision *cells; /* of the elements; NULL: a topology has made them of its part, some
                                are on several processes */
  SofaElementKind kind;
  SofaElements list;
} PartOfCells;

/* Called by all processes: list.width numbers of points in the whole mesh per element. Those that
 * topologies have made are there once, by ascending numbers of their points; width <= 4. */
SofaErr whole_mesh_cells(SofaContext *ctx, const PartOfCells *part, SofaIndices *out);

#endif
