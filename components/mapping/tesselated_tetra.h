/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimpleTesselatedTetraTopologicalMapping, for the mechanical mapping that follows it. */
#ifndef SOFA_MAPPING_TESSELATED_TETRA_H
#define SOFA_MAPPING_TESSELATED_TETRA_H

#include "change/topological_mapping.h"

/* The output's points are those of the input, then the middles of its edges. */
typedef struct SofaTesselatedTetra {
  SofaTopologicalMapping mapping;
  SofaHexas made;                    /* the 8 tetrahedra of each tetrahedron */
  SofaIndices source;                /* tetrahedron of each made one */
  SofaIndices from_point, from_edge; /* points of the output */
  SofaInts point_source;             /* point + 1, or - edge - 1 */
} SofaTesselatedTetra;

extern const SofaClass sofa_SimpleTesselatedTetraTopologicalMapping_class;

#endif
