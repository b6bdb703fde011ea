/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The compliance h A^-1 of one state that PrecomputedConstraintCorrection keeps, from a file or
 * computed with the linear system of the first step. */
#ifndef LAGRANGIAN_CORRECTION_PRECOMPUTED_COMPLIANCE_H
#define LAGRANGIAN_CORRECTION_PRECOMPUTED_COMPLIANCE_H

#include "components/constraint/lagrangian/correction/correction.h"

/* Corrections of one scene can share it. */
typedef struct PrecomputedCompliance {
  size_t n_users;
  size_t n;       /* scalar derivs of the state */
  double value[]; /* n x n, row major */
} PrecomputedCompliance;

/* NULL: out of memory, or n x n is too large. */
PrecomputedCompliance *precomputed_compliance_create(SofaContext *ctx, size_t n);
void precomputed_compliance_drop(SofaContext *ctx, PrecomputedCompliance *p);

/* Fills it from a file of n x n doubles, row major. */
SofaErr precomputed_compliance_read(const SofaObject *object, const char *path,
                                    PrecomputedCompliance *p);
/* Fills it with dt A^-1, A as it is after the free motion of a step. */
SofaErr precomputed_compliance_compute(const StateCorrection *c, double dt,
                                       PrecomputedCompliance *p);

#endif
