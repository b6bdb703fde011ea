/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the text and binary readers of Gmsh files: numbering of nodes, elements, groups. */
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
/* The kind of the corners of a type; false: its elements are left out. */
bool sofa_gmsh_kind(int64_t type, SofaElementKind *kind, bool *first_order);
/* Appends node `number`. */
SofaErr sofa_gmsh_add_node(SofaGmshBuild *b, int64_t number, const double x[3]);
/* Appends an element of a known type with its node numbers as in the file. */
SofaErr sofa_gmsh_add_element(SofaGmshBuild *b, int64_t type, int64_t tag, const int64_t *numbers);

/* The number of nodes of an element type that the file names; an unknown type is an error. */
SofaErr sofa_gmsh_read_type(SofaGmshBuild *b, int64_t type, unsigned *n_nodes);

/* How the text form or the binary form of the file is read. Versions: 10, 20, 30, 40, 41. The
 * cursor is behind the line of the section's name, or at a block of version 4. */
typedef struct SofaGmshForm {
  /* sections before version 4 */
  SofaErr (*nodes)(SofaGmshBuild *b, int version);
  SofaErr (*elements)(SofaGmshBuild *b, int version);
  /* since version 4: the header of a section, and its blocks. An element block adds to *total. */
  SofaErr (*header4)(SofaGmshBuild *b, int version, size_t *n_blocks, size_t *n);
  SofaErr (*node_block4)(SofaGmshBuild *b, int version, size_t limit);
  SofaErr (*element_block4)(SofaGmshBuild *b, int version, size_t *total);
} SofaGmshForm;
extern const SofaGmshForm sofa_gmsh_binary_form;
SofaErr sofa_gmsh_binary_order(SofaGmshBuild *b); /* the integer 1 behind $MeshFormat's line */

#endif
