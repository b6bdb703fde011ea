/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of constraint blocks. Formulas: Gauss-Seidel visits, each row's W from the block. Rows
 * without compliance (w_ii = 0) have multiplier 0. Contacts: lambda_n >= least, which is 0 but in
 * an expansion; lambda_n - least and d_n are complementary. */
#ifndef NUMERICS_CONSTRAINT_LAWS_H
#define NUMERICS_CONSTRAINT_LAWS_H

#include "behavior/lagrangian.h"

SOFA_BEGIN_DECLS

/* d = 0: lambda -= relaxation w^-1 d; one row by its diagonal, three by cofactors, others by a
 * pivoted L D L^T, as are three whose determinant is of rounding size. */
extern const SofaConstraintLaw sofa_law_bilateral;
/* d >= 0, lambda >= 0, d lambda = 0; one row. */
extern const SofaConstraintLaw sofa_law_unilateral;
/* The same for the first of three rows, and Coulomb friction for the two others:
 * |lambda_t| <= friction lambda_n. */
extern const SofaConstraintLaw sofa_law_friction;
/* Three rows: the same, where visits find lambda_t exactly, whatever the compliances along the two
 * rows; their directions may be scaled (ellipses). Six: rows 3 and 4 roll, row 5 spins, with
 * |(lambda_3, lambda_4)| <= rolling lambda_n and |lambda_5| <= spinning lambda_n. */
extern const SofaConstraintLaw sofa_law_friction_exact;
/* The same by an augmented Lagrangian of `epsilon`: lambda is the projection of lambda - epsilon d
 * on the admissible forces; one row, which is visited as unilateral, or three. */
extern const SofaConstraintLaw sofa_law_augmented;
/* low <= d <= high; one row. */
extern const SofaConstraintLaw sofa_law_stopper;

/* SOFA's: three rows with |det w| <= 2.2e-16, whatever their unit, keep lambda. */
extern const SofaConstraintLaw sofa_law_bilateral_guarded;
/* SOFA's: a sliding contact's lambda_t moves against d_t and may leave the cone. */
extern const SofaConstraintLaw sofa_law_augmented_open;

/* The natural map of a block without derivatives, also for laws without one (a visit, `work`: see
 * SofaConstraintLaw). d may be changed. rho: see sofa_law_rho. */
typedef struct SofaLawVisit {
  const double *w, *work;
  double *d, *r;
} SofaLawVisit;
void sofa_law_residual(const SofaConstraintBlock *b, double rho, const double *lambda,
                       const SofaLawVisit *visit);
/* A factor for natural maps: n over the trace of w; 0: no row has compliance. */
double sofa_law_rho(size_t n, const double *w);

SOFA_END_DECLS

#endif
