/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembly of m M + b B + k K of a plan into one block matrix over its main states; components at
 * mapped states go through J^T (.) J. */
#ifndef SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_H
#define SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_H

#include "simulation/mechanics.h"

#pragma GCC visibility push(default)

typedef struct SofaAssembly SofaAssembly;

typedef struct SofaAssemblyParts {
  bool stiffness, mass, damping, geometric_stiffness; /* what is added */
  bool mapped;                                        /* components at mapped states too */
  bool constraints; /* dofs that projective constraints discard: row and column 0, diagonal 1 */
} SofaAssemblyParts;

/* owner: named in messages; borrowed. */
SofaErr sofa_assembly_create(const SofaObject *owner, SofaAssembly **out);
void sofa_assembly_destroy(SofaAssembly **assembly);

/* Assembles at the point. No allocation once the plan and the patterns are known. */
SofaErr sofa_assembly_build(SofaAssembly *assembly, SofaMechanics *m, const SofaMechParams *params,
                            const SofaMechPoint *at, const SofaAssemblyParts *parts);
/* The matrix of the last build; NULL before. Borrowed, valid until the next build. */
SofaBlockMatrix *sofa_assembly_matrix(const SofaAssembly *assembly);

/* Prepares the product; *symmetric: the matrix was found to be so, else it may be. */
SofaErr sofa_assembly_symmetric(SofaAssembly *assembly, bool *symmetric);
/* y = A x with the matrix of the last build, in the faster of two forms. */
SofaErr sofa_assembly_apply(SofaAssembly *assembly, const double *x, double *y);

/* Is the assembled matrix the operator of sofa_mech_add_mbk, and does it pay to assemble it for an
 * iterative solver? */
bool sofa_assembly_is_operator(const SofaMechanics *m, const SofaMechParams *params);

#pragma GCC visibility pop

#endif
