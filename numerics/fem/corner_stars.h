/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a continuous function with one value per corner couples: the star of a corner is the points
 * of all elements around it. A quantity d_a(x) of each corner that is a sum over these elements has
 * a row of gradients b_ai by the points i of its star. The second derivative of a function of these
 * quantities has the blocks c_a b_ai b_aj^T. */
#ifndef SOFA_NUMERICS_FEM_CORNER_STARS_H
#define SOFA_NUMERICS_FEM_CORNER_STARS_H

#include "numerics/fem/element_pairs.h"

SOFA_BEGIN_DECLS

/* A place is a point in the star of a corner; those of a corner follow each other, their points
 * ascend. All arrays are owned. All-zero: empty. */
typedef struct SofaCornerStars {
  size_t n, n_places, n_points, n_elements;
  unsigned n_nodes, n_corners; /* of an element; its corners are its first nodes */
  uint32_t *corner;            /* n_elements x n_corners: numbers below n */
  uint32_t *around_start;      /* n + 1 */
  uint32_t *around;            /* element * n_corners + corner of it, ascending */
  size_t *start;               /* n + 1: places of a corner */
  uint32_t *point, *of;        /* of each place: its point and its corner */
  uint32_t *place;             /* n_elements x n_corners x n_nodes */
  size_t *row_start, *row;     /* of each point: its places, ascending; n_points + 1 */
  size_t *slot_start;          /* of each place: where its slots begin; n_places + 1 */
  uint32_t *slot;              /* pairs of a place with itself, then with those behind it */
  SofaElementPairs pairs;      /* all pairs of points in a star, with those of the elements */
} SofaCornerStars;

/* elements: those of the mesh with all their nodes, points below n_points. */
SofaErr sofa_corner_stars_create(SofaContext *ctx, SofaElements elements, unsigned n_corners,
                                 size_t n_points, SofaCornerStars *out);
void sofa_corner_stars_free(SofaContext *ctx, SofaCornerStars *stars);
/* blocks (9 per pair) += c_a b_ai b_aj^T of all corners. c: n; row: n_places x 3. Results do not
 * depend on the threads. */
void sofa_corner_stars_add(const SofaCornerStars *stars, const SofaContext *ctx, const double *c,
                           const double *row, double *blocks);

SOFA_END_DECLS

#endif
