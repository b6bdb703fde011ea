/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the text and binary readers of Gmsh files share: numbering of nodes, elements, groups. */
#ifndef SOFA_NUMERICS_IO_GMSH_BUILD_H
#define SOFA_NUMERICS_IO_GMSH_BUILD_H

#include "behavior/loader.h"
#include "topology/tuple_map.h"
#include "numerics/io/mesh_text.h"

enum { SOFA_GMSH_MAX_NODES = 125 }; /* of one element of a known type */

typedef struct SofaGmshBuild {
  SofaMeshText text;
  SofaMeshData *out;
  bool swap;          /* the binary file has the other byte order */
  unsigned data_size; /* of a binary file, 4 or 8: bytes of reals; since 4.1 of counts and tags */
  bool unique_mid_edges; /* quadratic edges once per mesh (version 4), else once per element */
  /* node numbers: consecutive from `first`, or any, in `nodes` */
  bool consecutive;
  int64_t first;
  SofaTupleMap nodes, group_ids, mid_edges;
  uint64_t left_out; /* bit per element type announced as left out */
} SofaGmshBuild;

void sofa_gmsh_build_free(SofaGmshBuild *b);
/* Number of nodes of an element type, 0 when it is unknown. */
unsigned sofa_gmsh_type_nodes(int64_t type);
/* Appends node `number`. */
SofaErr sofa_gmsh_add_node(SofaGmshBuild *b, int64_t number, const double x[3]);
/* Appends an element of a known type with its node numbers as in the file. */
SofaErr sofa_gmsh_add_element(SofaGmshBuild *b, int64_t type, int64_t tag, const int64_t *numbers);

/* Binary parts (gmsh_binary.c), version 20, 30, 40 or 41: `at` stands behind the line of the
 * section's name. */
SofaErr sofa_gmsh_binary_order(SofaGmshBuild *b); /* the integer 1 behind $MeshFormat's line */
SofaErr sofa_gmsh_binary_nodes(SofaGmshBuild *b, int version);
SofaErr sofa_gmsh_binary_elements(SofaGmshBuild *b, int version);

#endif
