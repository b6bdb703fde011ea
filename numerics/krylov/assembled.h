/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading the assembled matrix of a linear solver's system. */
#ifndef SOFA_NUMERICS_KRYLOV_ASSEMBLED_H
#define SOFA_NUMERICS_KRYLOV_ASSEMBLED_H

#include "behavior/linear_solver.h"

SOFA_BEGIN_DECLS

/* The matrix of the solver's system. Fails when the system is matrix-free. */
SofaErr sofa_assembled_rows(const SofaLinearSolver *solver, const SofaBlockMatrix **matrix,
                            SofaBlockRows *rows);

/* With printLog: the size, and that BLAS is held at one thread. Once for each matrix. */
void sofa_assembled_log_blas(const SofaLinearSolver *solver, size_t n_rows);

/* Most rows of a dense matrix: its entries are counted with an int in LAPACK. */
enum { DENSE_ROWS_MAX = 40000 };

/* Fails when the matrix has too many rows for a dense solver. */
SofaErr sofa_assembled_check_dense(const SofaLinearSolver *solver, const SofaBlockRows *rows);

/* a = the matrix, dense, column major, n_scalar_rows squared reals. */
void sofa_assembled_dense(const SofaBlockRows *rows, double *a);

/* Refuses a matrix with an entry that is not finite, naming its row. */
SofaErr sofa_assembled_check_finite(const SofaLinearSolver *solver, const SofaBlockRows *rows);

/* After a solve with an assembled matrix: is x finite? Otherwise reports whether b, the matrix or a
 * singularity is the reason. */
SofaErr sofa_assembled_check_solution(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                      const double *b, const double *x);

/* For factors whose pivots do not show that the matrix is singular to rounding: a useless
 * solution, |b - A x| > 1e-3 |b|, is refused; with keep_going it is reported once. */
SofaErr sofa_assembled_check_residual(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                      const double *b, const double *x, bool *told);

/* The same of n solutions, one behind the other: sofa_assembled_check_solution; and, in the second,
 * sofa_assembled_check_residual, too. */
SofaErr sofa_assembled_check_solutions(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                       size_t n, const double *b, const double *x);
SofaErr sofa_assembled_check_residuals(const SofaLinearSolver *solver, const SofaBlockRows *rows,
                                       size_t n, const double *b, const double *x, bool *told);

/* Scalar diagonal, n_scalar_rows reals. */
void sofa_assembled_diagonal(const SofaBlockRows *rows, double *d);

/* Blocks of `size` scalars along the diagonal, d + size^2 i row major for block i, over all
 * multiples of size; beyond the end of the matrix they are those of the identity. `beside` blocks:
 * -1, 0 or 1 takes the block left of, on, or right of the diagonal (out of the matrix: 0). */
void sofa_assembled_band(const SofaBlockRows *rows, size_t size, int beside, double *d);

SOFA_END_DECLS

#endif
