/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a binary Gmsh file has its nodes and elements. */
#ifndef SOFA_NUMERICS_IO_GMSH_SCAN_H
#define SOFA_NUMERICS_IO_GMSH_SCAN_H

#include "base/file_part.h"
#include "topology/topology.h"

/* Nodes, or elements of one type, that follow each other in the file. */
typedef struct SofaGmshBlock {
  uint64_t at;       /* byte of the first one; of the first number in version 4 */
  uint64_t first, n; /* rank of the first one among the nodes, or among the elements of its kind */
  uint64_t points;   /* nodes of version 4: byte of the coordinates of the first one */
  uint32_t step;     /* bytes of a record; nodes of version 4: of the coordinates of one */
  SofaElementKind kind;
  unsigned n_nodes, n_tags; /* of an element; tags in version 2 */
  int64_t entity;           /* of the elements in version 4 */
} SofaGmshBlock;
SOFA_LIST(SofaGmshBlock, SofaGmshBlocks);

typedef struct SofaGmshScan {
  const SofaPartFile *file;
  int version;        /* 20 or 41 */
  bool swap;          /* the file has the other byte order */
  unsigned data_size; /* 4 or 8: bytes of reals in version 2, of counts and tags in version 4 */
  uint64_t n[SOFA_N_ELEMENT_KINDS]; /* nodes, elements */
  SofaGmshBlocks nodes, elements;
  bool has_slices;   /* there are few blocks, and elements of first order alone */
  uint64_t left_out; /* bit per element type announced as left out */
} SofaGmshScan;

/* Could the file be one of versions 2 and 4.1 in binary form? */
bool sofa_gmsh_may_scan(const char *bytes, size_t n);
/* Reads what stands in front of the blocks alone. Every block is within the file. */
SofaErr sofa_gmsh_scan(const SofaPartFile *file, SofaGmshScan *out);
void sofa_gmsh_scan_free(SofaContext *ctx, SofaGmshScan *scan);
/* A number of 4 or 8 bytes. */
int64_t sofa_gmsh_int(const SofaGmshScan *scan, const char *bytes, unsigned size);
double sofa_gmsh_real(const SofaGmshScan *scan, const char *bytes, unsigned size);

#endif
