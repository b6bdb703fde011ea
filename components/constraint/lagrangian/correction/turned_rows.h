/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of constraints on a state in the axes that its points had before they turned. */
#ifndef LAGRANGIAN_CORRECTION_TURNED_ROWS_H
#define LAGRANGIAN_CORRECTION_TURNED_ROWS_H

#include "behavior/lagrangian.h"

typedef struct TurnedRows {
  SofaSparseRows j;
  SofaIndices start, column; /* memory of j where points have turned */
  SofaReals value;
} TurnedRows;

void turned_rows_free(SofaContext *ctx, TurnedRows *rows);
/* rows = those of j (NULL: none) turned back, J R. rotations: 3 x 3, row major, of each point of 3
 * reals; NULL: nothing has turned, and the memory of j is borrowed. */
SofaErr turned_rows_make(TurnedRows *rows, SofaContext *ctx, const SofaSparseRows *j,
                         const double *rotations);
/* x = R x, or R^T x, for n reals of points; rotations NULL: x stays. */
void turn_points(const double *rotations, bool back, size_t n, double *x);

#endif
