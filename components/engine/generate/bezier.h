/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Control points of rational Bezier triangles and tetrahedra, shared by neighbouring elements. */
#ifndef SOFA_ENGINE_GENERATE_BEZIER_H
#define SOFA_ENGINE_GENERATE_BEZIER_H

#include "base/array.h"
#include "object/type.h"

#define SOFA_BEZIER_MOST_DEGREE 20

typedef struct SofaBezier {
  SofaContext *ctx;
  uint32_t degree;          /* at least 2 */
  const uint32_t *elements; /* n_elements x n_corners points */
  size_t n_elements;
  unsigned n_corners;  /* 3 or 4 */
  SofaVec3s *points;   /* the corners on entry; control points are appended: those of edges, of
                          faces (tetrahedra), of the inside, each in order of the elements */
  SofaReals *weights;  /* of all points */
  SofaBools *rational; /* of each element: has an edge that is not straight */
  const void *user;
  /* The middle control point of edge a b of degree 2 and its weight as (w x, w), both ends having
   * weight 1. False: the edge is straight, with (x_a + x_b) / 2 and weight 1. */
  bool (*edge)(const void *user, uint32_t a, uint32_t b, double h[4]);
  /* NULL, or other control points of edges (n 2) and faces (n 3): multi-index i, sum `degree`.
   * False: those of degree 2, elevated. */
  bool (*control)(const void *user, const uint32_t *v, unsigned n, const uint32_t *i, double h[4]);
} SofaBezier;

SofaErr sofa_bezier_make(const SofaBezier *b);

/* Control point i (its sum is the degree) of a Bezier form of lower degree `from` with n corners,
 * whose control points are given by `form` (multi-index j, sum `from`): elevation of the degree. */
typedef void (*SofaBezierForm)(const void *user, const uint32_t *j, double h[4]);
void sofa_bezier_elevate(SofaBezierForm form, const void *user, uint32_t from, unsigned n,
                         const uint32_t *i, double h[4]);

#endif
