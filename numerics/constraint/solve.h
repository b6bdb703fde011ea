/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Methods that find the multipliers of a constraint problem. A solve is
 *
 *   sofa_constraint_solve_begin  ->  a method  ->  sofa_constraint_solve_end
 *
 * W is symmetric: its columns are read as rows. */
#ifndef SOFA_NUMERICS_CONSTRAINT_SOLVE_H
#define SOFA_NUMERICS_CONSTRAINT_SOLVE_H

#include "behavior/lagrangian.h"

SOFA_BEGIN_DECLS

/* The error of a block that a visit changes by D, of the unit of d; that of a sweep is the sum. */
typedef enum SofaConstraintNorm {
  SOFA_NORM_LINES, /* of its rows l: the sum of |(W_lm D_m)_m| */
  SOFA_NORM_BLOCK  /* |w D| */
} SofaConstraintNorm;

typedef struct SofaConstraintMethod {
  int max_iterations;
  double tolerance;     /* a solve ends when the error falls below it */
  bool scale_tolerance; /* times the number of rows */
  bool all_verified;    /* when the error of every row falls below it, unscaled */
  SofaConstraintNorm norm;
  double sor;            /* over-relaxation of sweeps; 1: none */
  double regularization; /* added to W_ii; 0: none */
  bool by_svd;           /* only to rows that belong to the null space of W: */
  double null_value;     /* singular values below this times the largest one, */
  double null_vector;    /* and a part of their vectors above this */
  bool without_w;        /* the corrections are asked instead */
  bool in_order;         /* without W: blocks are visited in the order of their rows */
  bool cold;             /* blocks' memory is not read; lambda is kept as it is */
  bool record;           /* lists of the report */
  /* as SOFA does: */
  bool untold_mixing;     /* without W: corrections do not get what over-relaxation changes */
  bool last_extrapolated; /* conjugate gradients: a solve that does not converge ends with an
                             extrapolation; it ends, too, when lambda changes by less than the
                             tolerance */
  bool error_of_number;   /* conjugate residuals: the error is that of row k in iteration k */
} SofaConstraintMethod;
#define SOFA_CONSTRAINT_METHOD_DEFAULT                                                             \
  .max_iterations = 1000, .tolerance = 1e-3, .scale_tolerance = true, .sor = 1,                    \
  .null_value = 0.01, .null_vector = 0.001

typedef struct SofaConstraintReport {
  uint32_t iterations;
  double error; /* of the last iteration */
  bool converged;
  /* Natural map r (see SofaNaturalMap) of the solution, the largest |r| of a block: in the unit of
   * lambda, and |r| / rho in the unit of d, with rho = n / trace(w) of the block. */
  double residual[2];
  SofaReals errors;             /* of the iterations */
  SofaReals block_errors;       /* blocks after blocks */
  SofaReals forces, violations; /* n per sweep: lambda after it, d as the visits found it */
} SofaConstraintReport;

enum { SOFA_CONSTRAINT_VECTORS = 6 };
/* Begins as zeros; memory is kept from solve to solve. */
typedef struct SofaConstraintSolve {
  SofaConstraintMethod method;
  SofaConstraintReport report;
  SofaConstraintProblem *problem;
  const void *owner;            /* of the caller */
  double limit;                 /* the tolerance, scaled */
  SofaIndices part_at, work_at; /* per block, places in the next two */
  SofaReals part, work;         /* own parts of W, n x n, row major; of the laws */
  SofaReals d, before;          /* of a block */
  double *kept;                 /* violations of all rows that sweeps keep; NULL: computed */
  SofaReals vector[SOFA_CONSTRAINT_VECTORS], matrix, lapack;
  SofaInts pivots;
  SofaIndices known_at, known_by; /* without W: the corrections that know each block */
  SofaIndices order;
} SofaConstraintSolve;

void sofa_constraint_solve_free(SofaContext *ctx, SofaConstraintSolve *s);
/* Takes the problem: own parts of the blocks, multipliers of the last step; prepares the laws. */
SofaErr sofa_constraint_solve_begin(SofaConstraintSolve *s, SofaConstraintProblem *problem);
/* Keeps the multipliers in the blocks' memory; measures the solution. */
SofaErr sofa_constraint_solve_end(SofaConstraintSolve *s);

/* By W or, with method.without_w, by the corrections. */
SofaErr sofa_constraint_gauss_seidel(SofaConstraintSolve *s);
/* Gauss-Seidel over the displacements that the corrections give (method.without_w). */
SofaErr sofa_constraint_unbuilt(SofaConstraintSolve *s);
/* Nonsmooth nonlinear conjugate gradients (Silcowitz, Niebe and Erleben, 2010). */
SofaErr sofa_constraint_nncg(SofaConstraintSolve *s);

typedef struct SofaJacobiOptions {
  bool spectral; /* displacements are scaled by factor min(1, 1.8 / R), R: the largest squared
                    eigenvalue of W */
  double factor;
  bool conjugate; /* iteration i of m goes on by min(1, (i/m)^speed) of its last change */
  double speed;
} SofaJacobiOptions;
SofaErr sofa_constraint_jacobi(SofaConstraintSolve *s, const SofaJacobiOptions *options);

/* Conjugate residuals of D^-1/2 W D^-1/2, D: the diagonal (Saad, Iterative Methods for Sparse
 * Linear Systems, 2003, 6.8). Every block is bilateral for it. */
SofaErr sofa_constraint_conjugate_residual(SofaConstraintSolve *s);

/* Semismooth Newton method on the natural maps of all blocks (Alart and Curnier, 1991), with a line
 * search on their sum of squares; where it does not decrease, Gauss-Seidel sweeps go on. The
 * tolerance is relative: see newton.c. Errors of the report are relative residuals. */
SofaErr sofa_constraint_newton(SofaConstraintSolve *s);

SOFA_END_DECLS

#endif
