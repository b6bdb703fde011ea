/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the topological mappings share: their demands on the topologies, taking the border and
 * keeping it when elements go or come. */
#ifndef SOFA_TOPOLOGY_ELEMENT_MAPPING_H
#define SOFA_TOPOLOGY_ELEMENT_MAPPING_H

#include "change/topological_mapping.h"
#include "change/topology_change.h"

/* Fails unless the largest elements of the input are of kind `from`, the output is a container of
 * `to` and a modifier of class `modifier` is visible from it. SOFA_ELEMENT_POINT: any input. */
SofaErr sofa_mapping_needs(const SofaTopologicalMapping *mapping, SofaElementKind from,
                           SofaElementKind to, const SofaClass *modifier);

/* A mapping that takes the border elements (edges, triangles, quads) that only one element of kind
 * `volume` has. The first member of such mappings. */
typedef struct SofaBorderMapping {
  SofaTopologicalMapping mapping;
  SofaElementKind border, volume;
  bool flip;          /* reverse the elements */
  bool no_new;        /* make no elements where volumes go or come */
  bool no_initial;    /* begin with none */
  bool one_by_one;    /* elements leave the output in the order of the input's numbers */
  SofaIndices global; /* border element of the input, per element of the output */
  SofaIndices local;  /* the inverse; SOFA_NO_ELEMENT: not in the output */
} SofaBorderMapping;

extern const SofaClass sofa_border_mapping_class; /* abstract; ops map and follow */

/* Points of the output are inserted and removed with those of the input. */
SofaErr sofa_mapping_follow_points(SofaTopologicalMapping *mapping,
                                   const SofaTopologyChange *change);

/* Elements i of the input whose elements of the output are per i ... per i + per - 1 go, one after
 * the other, each with the faces and edges that nothing else has. */
SofaErr sofa_mapping_blocks_go(SofaTopologicalMapping *mapping, const SofaTopologyChange *change,
                               SofaElementKind kind, uint32_t per);
/* Elements of the input come: each makes n / width elements of the output's kind, of the vertices
 * that the pattern of n corners names. */
SofaErr sofa_mapping_blocks_come(SofaTopologicalMapping *mapping, const SofaTopologyChange *change,
                                 SofaElementKind kind, const uint8_t *pattern, size_t n);
/* A listener for mappings whose output has the points of the input, for use in `follow`: points,
 * then blocks of elements of `kind` made of elements of `from`. */
SofaErr sofa_mapping_follow_blocks(SofaTopologicalMapping *mapping,
                                   const SofaTopologyChange *change, SofaElementKind from,
                                   SofaElementKind kind, const uint8_t *pattern, size_t n);

/* A field "flipNormals" of a border mapping. */
#define SOFA_ROW_FLIP_NORMALS                                                                      \
  SOFA_FIELD(SofaBorderMapping, flip, "flipNormals", "0", "",                                      \
             "Reverses the elements, so that their normals point inwards.", )

#endif
