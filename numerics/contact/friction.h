/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smooth lagged friction of pairs of elements: Li et al., Incremental Potential Contact, 2020. The
 * force of contact, the tangent plane and the weights of the points are those of an earlier state,
 * so that friction has an energy of the displacement since the beginning of the step. Below the
 * displacement eps the force rises from 0 to its limit with a continuous derivative. */
#ifndef SOFA_NUMERICS_CONTACT_FRICTION_H
#define SOFA_NUMERICS_CONTACT_FRICTION_H

#include "numerics/contact/barrier.h"

SOFA_BEGIN_DECLS

/* f0(y) of y >= 0: y, and y^2 / eps - y^3 / (3 eps^2) + eps / 3 below eps; m */
double sofa_friction_f0(double y, double eps);
/* its derivative: 1, and 2 y / eps - (y / eps)^2 below eps */
double sofa_friction_f1(double y, double eps);
/* f1(y) / y, also at y = 0; 1/m */
double sofa_friction_f1_over_y(double y, double eps);

typedef struct SofaFrictionPair {
  double weight[4];     /* relative displacement: sum of weight times displacement of the points */
  double tangent[2][3]; /* orthonormal, orthogonal to the direction of contact */
  double load;          /* force of contact, 0 or more, N */
} SofaFrictionPair;

/* Friction data of the barrier's pair at x; false: no contact, out is not written. */
bool sofa_friction_lag(SofaPairKind kind, const double *x, const SofaBarrierRule *rule,
                       SofaFrictionPair *out);

typedef struct SofaFrictionRule {
  double mu;  /* coefficient of friction */
  double eps; /* displacement per step up to which points stick, above 0, m */
} SofaFrictionRule;

/* mu load f0(|u|) with u the tangential part of the relative displacement of n points moved by dx
 * (n = sofa_pair_points). The Hessian is positive semidefinite. */
void sofa_friction_pair(const SofaFrictionPair *pair, const SofaFrictionRule *rule, unsigned n,
                        const double *dx, SofaPairTerm *out);

SOFA_END_DECLS

#endif
