/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of the vectors that elements give their nodes, by several threads. The bits are those of one
 * thread that adds element by element.
 *
 * Each thread has a share of the points, which are consecutive. First the elements with nodes in
 * several shares put their vectors to places of their own. Then each share goes through its
 * elements in their order: those with all nodes in it add to them, of the others it takes what they
 * have put for its nodes. Where points are numbered so that many elements are in several shares,
 * all elements put their vectors to places, and each point adds those that it gets. */
#ifndef SOFA_NUMERICS_FEM_ELEMENT_SUMS_H
#define SOFA_NUMERICS_FEM_ELEMENT_SUMS_H

#include "base/array.h"
#include "topology/topology.h"

SOFA_BEGIN_DECLS

/* The vectors of an element. */
typedef enum SofaSumKind {
  SOFA_SUM_EACH,    /* one for each node */
  SOFA_SUM_SHARED,  /* one that all nodes get */
  SOFA_SUM_OPPOSITE /* one that the first of two nodes gets, and the second one's minus */
} SofaSumKind;

typedef struct SofaSummed {
  SofaElements elements; /* with points below n_points */
  size_t n_points;
  unsigned states; /* 1, or 2: point i is point i / 2 of the state i % 2 */
  unsigned width;  /* reals of a vector, up to 6 */
  SofaSumKind kind;
  size_t least; /* elements: fewer are left to one thread */
} SofaSummed;

/* Elements begin .. end - 1 and where their vectors are put, counted in elements;
 * SOFA_SUM_AT_ONCE: they are added at once. */
typedef struct SofaSumRun {
  uint32_t begin, end, part;
} SofaSumRun;
#define SOFA_SUM_AT_ONCE UINT32_MAX
typedef struct SofaSumRuns {
  SofaSumRun *data;
  size_t n, capacity;
} SofaSumRuns;

/* The runs of a share go up to last_run, its points up to last_point; both from those of the share
 * before on. */
typedef struct SofaSumShare {
  size_t last_run, last_point;
} SofaSumShare;

/* All arrays are owned. All-zero: one thread adds. */
typedef struct SofaElementSums {
  const SofaContext *ctx;
  SofaSummed of; /* elements.v: of those that put vectors to places; NULL: of none */
  size_t n_shares;
  SofaSumShare *shares; /* NULL: all elements put their vectors to places */
  SofaSumRuns put, runs;
  uint32_t *v;             /* of the elements in places */
  uint32_t *start, *place; /* without shares: the vectors that points get, their numbers times two;
                              odd ones are taken off */
  double *parts;           /* the vectors of elements in places */
} SofaElementSums;

/* Where kernels give the vectors of their elements: they are added to those of points, or, unless
 * parts is NULL, put to parts, one after the other. */
typedef struct SofaVectorsTo {
  double *f, *parts;
} SofaVectorsTo;

/* Leaves *out all-zero where one thread adds: the context has no other, or there are too few
 * elements. */
SofaErr sofa_element_sums_create(SofaContext *ctx, const SofaSummed *of, SofaElementSums *out);
void sofa_element_sums_free(SofaContext *ctx, SofaElementSums *sums);

/* Adds the vectors of the elements begin .. end - 1 to their points, or, unless parts is NULL, puts
 * them to parts, one after the other. begin is a multiple of SOFA_LANES, end is one or the number
 * of elements. */
typedef void (*SofaGiveVectors)(void *user, size_t begin, size_t end, double *parts);

/* Has the vectors of all n elements added to the points; f: vectors of the states' points. sums
 * NULL, or of another number of elements: one thread adds. */
void sofa_element_sums_run(const SofaElementSums *sums, size_t n, SofaGiveVectors give, void *user,
                           double *const *f);

SOFA_END_DECLS

#endif
