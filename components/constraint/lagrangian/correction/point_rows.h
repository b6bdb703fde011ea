/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of constraints by points, and the compliance between them when the points of a state are
 * independent: W_ik = sum over points of J_ip C_p J_kp^T. */
#ifndef LAGRANGIAN_CORRECTION_POINT_ROWS_H
#define LAGRANGIAN_CORRECTION_POINT_ROWS_H

#include "behavior/lagrangian.h"

enum { POINT_WIDTH = 6 };

/* What a row has at a point. */
typedef struct PointRow {
  uint32_t row, point;
  double value[POINT_WIDTH], image[POINT_WIDTH]; /* J_ip; C_p J_ip^T */
} PointRow;
SOFA_LIST(PointRow, PointRowList);

/* y = C_p r, derivs of a point */
typedef struct PointCompliance {
  void (*apply)(const void *user, size_t point, const double *r, double *y);
  const void *user;
} PointCompliance;

typedef struct PointRows {
  unsigned width;                    /* reals of a deriv */
  size_t n_rows;                     /* rows of the state */
  PointRowList parts;                /* by rows, then by points */
  SofaIndices start;                 /* n_rows + 1: of each row in parts */
  SofaIndices by_point, point_start; /* parts by points, those of a point by rows */
  SofaIndices number;                /* of each row among those of the problem */
} PointRows;

void point_rows_free(SofaContext *ctx, PointRows *rows);
/* s NULL: no rows */
SofaErr point_rows_make(PointRows *rows, const SofaState *state, const SofaConstrainedState *s,
                        const PointCompliance *compliance);
/* w (n x n) += factor W; each symmetric pair of entries is computed once */
void point_rows_add(const PointRows *rows, double factor, size_t n, double *w);
/* W between two rows of the state */
double point_rows_pair(const PointRows *rows, uint32_t i, uint32_t k);
/* J_i y for derivs y of the state */
double point_rows_times(const PointRows *rows, uint32_t i, const double *y);

#endif
