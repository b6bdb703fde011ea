/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexahedra that are voxels of a regular grid: where each is in the grid, kept through topological
 * changes. */
#ifndef SOFA_TOPOLOGY_VOXEL_NUMBERS_H
#define SOFA_TOPOLOGY_VOXEL_NUMBERS_H

#include "change/topology_change.h"

enum { SOFA_NO_VOXEL = UINT32_MAX }; /* a hexahedron that came later */

/* Checks the resolution, and that there is one number of the grid for each hexahedron. */
SofaErr sofa_voxel_numbers_check(const SofaTopology *topology, const SofaInts3 *resolution,
                                 const SofaIndices *numbers);
/* Follows changes of the hexahedra of the topology: inserted ones are not voxels. *concerned (may
 * be NULL) tells whether there was one. */
SofaErr sofa_voxel_numbers_follow(SofaTopology *topology, const SofaTopologyChange *change,
                                  SofaIndices *numbers, bool *concerned);

#endif
