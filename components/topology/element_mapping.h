/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the topological mappings share: their demands on the topologies, and taking the border. */
#ifndef SOFA_TOPOLOGY_ELEMENT_MAPPING_H
#define SOFA_TOPOLOGY_ELEMENT_MAPPING_H

#include "behavior/topological_mapping.h"

/* Fails unless the largest elements of the input are of kind `from`, the output is a container of
 * `to` and a modifier of class `modifier` is visible from it. SOFA_ELEMENT_POINT: any input. */
SofaErr sofa_mapping_needs(const SofaTopologicalMapping *mapping, SofaElementKind from,
                           SofaElementKind to, const SofaClass *modifier);

/* Appends to the output the elements of kind `border` (edges, triangles, quads) of the input that
 * exactly one element of kind `volume` has, in the input's order. flip: reversed. */
SofaErr sofa_map_border(SofaTopologicalMapping *mapping, SofaElementKind border,
                        SofaElementKind volume, bool flip);

/* A field "flipNormals" of T's member flip_normals. */
#define SOFA_ROW_FLIP_NORMALS(T)                                                                   \
  SOFA_FIELD(T, flip_normals, "flipNormals", "0", "",                                              \
             "Reverses the elements, so that their normals point inwards.", )

#endif
