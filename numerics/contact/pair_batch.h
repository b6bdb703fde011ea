/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Squared distances of many pairs at once, to leave out those that are too far before closest.h
 * looks at the rest. Compiled once per instruction set; all of them give the same bits. */
#ifndef SOFA_NUMERICS_CONTACT_PAIR_BATCH_H
#define SOFA_NUMERICS_CONTACT_PAIR_BATCH_H

#include <stddef.h>
#include "base/api.h"
#include "base/context.h"

SOFA_BEGIN_DECLS

enum { SOFA_PAIR_GROUP = 8 };

/* Point p, coordinate k of pair i of a group: x[p][k][i]; the points are in the order of closest.h.
 * Unused pairs of a group hold any finite numbers. */
typedef struct SofaPairGroup {
  double x[4][3][SOFA_PAIR_GROUP];
} SofaPairGroup;

/* d2: SOFA_PAIR_GROUP numbers per group. Distances are those of sofa_closest_point_triangle and
 * sofa_closest_segments up to a few roundings of the largest difference of coordinates, and up to
 * 1e-6 of it where two edges of the triangle, or the segments, are at an angle below 1e-6.
 * Magnitudes from 1e-70 to 1e70. */
typedef struct SofaPairKernels {
  const char *name; /* as of SofaKernels */
  void (*point_triangle)(const SofaPairGroup *groups, size_t n, double *d2);
  void (*edge_edge)(const SofaPairGroup *groups, size_t n, double *d2);
  /* The largest difference of a coordinate to that of the first point. */
  void (*extent)(const SofaPairGroup *groups, size_t n, double *size);
} SofaPairKernels;

/* Those of the instruction set that the context chose. */
const SofaPairKernels *sofa_pair_kernels(const SofaContext *ctx);

SOFA_END_DECLS

#endif
