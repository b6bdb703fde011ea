/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The division of a mesh among processes. Elements are divided; a point belongs to every part that
 * has one of its elements, and its owner is the lowest of them. What the parts add up at their
 * copies of a point is summed in the order of the parts, so that all copies get the same bits. */
#ifndef SOFA_NUMERICS_DISTRIBUTED_MESH_PARTS_H
#define SOFA_NUMERICS_DISTRIBUTED_MESH_PARTS_H

#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* part[i] < n_parts of each of n places (3 reals each; centres of elements) by recursive bisection
 * across the longest side of their box; equal coordinates by their rank. The sizes of the parts
 * differ by one at most. n_parts >= 1. */
SofaErr sofa_bisect_places(SofaContext *ctx, size_t n, const double *places, uint32_t n_parts,
                           uint32_t *part);

/* Lists of elements over the same points, their parts one behind the other: list after list. */
typedef struct SofaDividedMesh {
  const SofaElements *lists; /* borrowed */
  size_t n_lists, n_points;
  const uint32_t *part; /* of each element; borrowed */
  uint32_t n_parts;
} SofaDividedMesh;

SOFA_LIST(uint8_t, SofaMarks);

/* What one part has, and what it shares. Begins as zeros. All lists are owned. */
typedef struct SofaMeshPart {
  uint32_t rank;
  SofaIndices elements;      /* its elements: ranks among those of all lists, ascending */
  SofaIndices points;        /* global number of each local point, ascending */
  SofaMarks owned;           /* per local point */
  SofaIndices neighbours;    /* other parts with a point of this one, ascending */
  SofaIndices start, shared; /* local points that neighbour k shares: shared[start[k]] to
                                shared[start[k + 1] - 1], ascending; in this order on both sides */
  SofaIndices border;        /* local points that any neighbour shares, ascending */
} SofaMeshPart;

/* The part of the rank. Points without elements belong to part 0. */
SofaErr sofa_mesh_part_make(SofaContext *ctx, const SofaDividedMesh *mesh, uint32_t rank,
                            SofaMeshPart *out);
void sofa_mesh_part_free(SofaContext *ctx, SofaMeshPart *part);
/* Local number of a point, SOFA_NO_ELEMENT: the part does not have it. */
uint32_t sofa_mesh_part_local(const SofaMeshPart *part, uint32_t point);

/* Values per point, `width` reals each. */
/* out = the values of the shared points, neighbour after neighbour: what is sent to each. */
void sofa_mesh_part_pack(const SofaMeshPart *part, size_t width, const double *values, double *out);
/* values += what the neighbours sent for the shared points, summed in the order of the ranks. own:
 * work space, `width` reals per point of the border. */
void sofa_mesh_part_sum(const SofaMeshPart *part, size_t width, const double *received, double *own,
                        double *values);

SOFA_END_DECLS

#endif
