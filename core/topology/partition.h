/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The part of each volume element, found by processes of which none has the whole mesh. All
 * functions are called by all processes. There are as many parts as processes. The parts are the
 * same in every run. Slices of different meshes are an error. */
#ifndef SOFA_TOPOLOGY_PARTITION_H
#define SOFA_TOPOLOGY_PARTITION_H

#include "topology/dual_graph.h"
#include "topology/mesh_slice.h"

SOFA_BEGIN_DECLS

/* part[i] of volume element i of the slice. By bisection; by the graph: the parts that the
 * processes find for it, unless one is empty, or 1.05 times as large as the mean, or those of
 * bisection have no more faces between them. */
SofaErr sofa_partition(SofaContext *ctx, const SofaMeshSlice *slice, SofaPartition method,
                       uint32_t *part);

/* By recursive bisection of the centres of all volume elements across the longest side of their
 * box; equal coordinates by their numbers. The sizes of the parts differ by one at most. */
SofaErr sofa_bisect_slices(SofaContext *ctx, const SofaMeshSlice *slice, uint32_t *part);

SOFA_END_DECLS

#endif
