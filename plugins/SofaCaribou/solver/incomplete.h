/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incomplete L D L^T factors without fill, as preconditioners of conjugate gradients. */
#ifndef CARIBOU_SOLVER_INCOMPLETE_H
#define CARIBOU_SOLVER_INCOMPLETE_H

#include "math/scalar_columns.h"

/* All-zero: empty. */
typedef struct CaribouIncomplete {
  SofaScalarColumns matrix; /* lower triangle */
  double *value;            /* unit L below, D on the diagonal, in the pattern of `matrix` */
  double *scale;            /* n: S of S A S, S A S has the diagonal 1 */
  double shift;             /* added to that diagonal */
} CaribouIncomplete;

void caribou_incomplete_free(SofaContext *ctx, CaribouIncomplete *f);
/* Factorises S A S + shift I, the lower triangle of A read. positive: the shift grows from 0 over
 * 1e-3, doubled each time, until all pivots are positive (Lin and More, 1999); else a pivot of 0 is
 * SOFA_ERR_SINGULAR (not reported; *row tells which). */
SofaErr caribou_incomplete_factorise(SofaContext *ctx, const SofaBlockMatrix *a, bool positive,
                                     CaribouIncomplete *f, size_t *row);
/* z = S (L D L^T)^-1 S r; z may not be r */
void caribou_incomplete_apply(const CaribouIncomplete *f, const double *r, double *z);

#endif
