/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear systems: the operator A = m M + b B + k K of an ODE solver, matrix-free or assembled,
 * projective constraints applied. */
#ifndef SOFA_BEHAVIOR_LINEAR_SYSTEM_H
#define SOFA_BEHAVIOR_LINEAR_SYSTEM_H

#include "behavior/params.h"
#include "math/block_matrix.h"
#include "object/node.h"

typedef struct SofaMechanics SofaMechanics; /* simulation/mechanics.h */

typedef struct SofaLinearSystem {
  SofaObject object;
  SofaMechanics *mechanics; /* of the last build; borrowed */
  SofaMechParams params;    /* factors of the last build */
} SofaLinearSystem;

extern const SofaClass sofa_linear_system_class; /* abstract */

typedef struct SofaLinearSystemOps {
  /* required: prepares the operator for these factors at the current state */
  SofaErr (*build)(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params);
  /* required: q = P A p over the main part (n_v reals each; p's mapped part is scratch) */
  SofaErr (*apply)(SofaLinearSystem *system, double *p, double *q);
  /* optional: the assembled matrix with constraints applied; NULL op or result: matrix-free */
  SofaBlockMatrix *(*matrix)(SofaLinearSystem *system);
} SofaLinearSystemOps;

static inline const SofaLinearSystemOps *sofa_linear_system_ops(const SofaLinearSystem *s) {
  return (const SofaLinearSystemOps *)sofa_ops(&s->object, SOFA_LINEAR_SYSTEM);
}

#endif
