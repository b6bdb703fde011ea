/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Neighbours of points along edges. */
#ifndef SOFA_NUMERICS_SPATIAL_NEIGHBOURS_H
#define SOFA_NUMERICS_SPATIAL_NEIGHBOURS_H

#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* For each of n points the other ends of its edges, in the order of the edges. The edges name
 * points below n. Free with sofa_around_free. */
SofaErr sofa_neighbours_make(SofaContext *ctx, const SofaEdges *edges, size_t n, SofaAround *out);

SOFA_END_DECLS

#endif
