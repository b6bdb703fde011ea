/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exact tests of pairs of elements: `find` of the rules of an intersection method.
 *
 * On several threads the pairs of all models wait until the last ones are known. Then they are
 * divided into pieces of a fixed size, and each thread tests a row of pieces. The detections of the
 * pieces are joined in the order of the pairs, so that the bits do not depend on threads. */
#ifndef COMPONENTS_COLLISION_EXACT_TESTS_H
#define COMPONENTS_COLLISION_EXACT_TESTS_H

#include "components/collision/detection/pair_filter.h"

/* Pairs of elements of two models. */
typedef struct ExactTest {
  const SofaIntersectionRule *rule;
  const SofaCollisionModel *first, *second;
  SofaDetections *out;
  size_t begin, end; /* in the list of pairs */
} ExactTest;
SOFA_LIST(ExactTest, ExactTestList);

/* Pairs [begin, end) of one test, and their detections in the list of a thread. */
typedef struct ExactPiece {
  size_t test, begin, end;
  size_t found_begin, found_end;
} ExactPiece;
SOFA_LIST(ExactPiece, ExactPieces);
SOFA_LIST(SofaDetections, DetectionLists);

typedef struct ExactTests {
  SofaElementPairs pairs; /* that wait */
  ExactTestList tests;
  ExactPieces pieces;
  DetectionLists found; /* of each thread */
} ExactTests;

void exact_tests_free(SofaContext *ctx, ExactTests *t);
void exact_tests_begin(ExactTests *t);
/* Takes the pairs of two models that the filter put at the end of the list: tests them now, or
 * later where there are threads. The detections are appended to `out`. */
SofaErr exact_tests_add(SofaContext *ctx, ExactTests *t, const PairFilter *filter, size_t begin,
                        SofaDetections *out);
/* Tests the pairs that wait. */
SofaErr exact_tests_end(SofaContext *ctx, ExactTests *t, const SofaIntersection *method);

#endif
