/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of the nodes of a Gmsh file that several processes read in runs. All functions are called
 * by all processes. */
#ifndef SOFA_NUMERICS_IO_GMSH_TAGS_H
#define SOFA_NUMERICS_IO_GMSH_TAGS_H

#include "base/file_part.h"
#include "topology/topology.h"
#include "topology/tuple_map.h"

SOFA_LIST(int64_t, SofaGmshNumbers);

/* Each process knows the nodes of some numbers. */
typedef struct SofaGmshTags {
  const SofaPartFile *file;
  bool consecutive; /* the numbers are `first` and those behind, in the order of the nodes */
  int64_t first;
  uint64_t n_nodes;
  SofaTupleMap known;
} SofaGmshTags;

/* numbers: of the nodes of this process, from node number `begin` on. A number that is given twice
 * is an error. `first` and n_nodes are set. */
SofaErr sofa_gmsh_tags_make(SofaGmshTags *tags, size_t begin, const SofaGmshNumbers *numbers);
/* Nodes of numbers that elements of a kind have: those of the whole mesh, in `out`. */
SofaErr sofa_gmsh_tags_find(const SofaGmshTags *tags, SofaElementKind kind,
                            const SofaGmshNumbers *numbers, uint32_t *out);
void sofa_gmsh_tags_free(SofaContext *ctx, SofaGmshTags *tags);

#endif
