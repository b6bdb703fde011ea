/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of a SofaCholmodSolver. */
#ifndef SOFA_NUMERICS_DIRECT_CHOLMOD_IMPL_H
#define SOFA_NUMERICS_DIRECT_CHOLMOD_IMPL_H

#include <cholmod.h>

#include "numerics/direct/cholmod_solver.h"
#include "math/scalar_columns.h"

/* A symbolic factor with the reordered matrix it belongs to. */
typedef struct Factor {
  cholmod_factor *l;
  int *order; /* row of A that is eliminated as number k */
  SofaScalarColumns columns;
  double *factored;         /* columns.n_entries values of the last factorization that succeeded */
  bool complete;            /* `factored` and l belong together */
  uint64_t pattern_version; /* 0: none */
} Factor;

struct SofaCholmodSolver {
  SofaContext *ctx;
  uint32_t owners;
  SofaCholmodKind kind;
  cholmod_common common;
  Factor best;        /* supernodal L L^T, or simplicial when that is as good */
  Factor indefinite;  /* simplicial L D L^T, made when the best one met an indefinite matrix */
  const Factor *used; /* by the last factorization */
  const SofaBlockMatrix *matrix;
  uint64_t value_version; /* of the last factorization; 0: none */
  bool doubtful;          /* a pivot is nearly rounding: solutions are checked */
  double *y;              /* reordered right-hand sides and solutions, y_columns of them */
  size_t y_columns;
  cholmod_dense *work; /* of the supernodal solve */
  SofaCholmodCounts counts;
};

void cholmod_factor_free(SofaCholmodSolver *s, Factor *f);
/* Room for solutions of n rows. */
SofaErr cholmod_make_room(SofaCholmodSolver *s, size_t n);
/* x = A^-1 b for n right-hand sides with the factor used last. */
SofaErr cholmod_solve_with_factor(SofaCholmodSolver *s, size_t n, const double *b, double *x);
/* Reports the failure in CHOLMOD's status. */
SofaErr cholmod_report(const SofaCholmodSolver *s);

#endif
