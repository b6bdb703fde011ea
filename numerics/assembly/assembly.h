/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembly of m M + b B + k K of a plan into one block matrix over its main states; components at
 * mapped states go through J^T (.) J. */
#ifndef SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_H
#define SOFA_NUMERICS_ASSEMBLY_ASSEMBLY_H

#include "simulation/mechanics.h"

SOFA_BEGIN_DECLS

typedef struct SofaAssembly SofaAssembly;

/* Quirks of the owner of an assembly: its class lists the rows. */
enum {
  SOFA_QUIRK_CROSS_PAIR_BLOCKS = 1 << 24,
  SOFA_QUIRK_KEPT_MAPPED_MASS = 1 << 25,
  SOFA_QUIRK_MAPPED_CONSTRAINT = 1 << 26,
  SOFA_QUIRK_ENDED_CONSTRAINT = 1 << 27
};
#define SOFA_QUIRK_ASSEMBLY_ROW                                                                    \
  {SOFA_QUIRK_CROSS_PAIR_BLOCKS, "cross-pair-blocks",                                              \
   "MatrixLinearSystem adds spurious blocks for interactions with mapped states",                  \
   "test_linear_systems.cross_pairs"},                                                             \
      {SOFA_QUIRK_KEPT_MAPPED_MASS, "kept-mapped-mass",                                            \
       "MatrixLinearSystem keeps masses under linear mappings, factor included, from the second "  \
       "build",                                                                                    \
       "test_linear_systems.kept_masses"},                                                         \
      {SOFA_QUIRK_MAPPED_CONSTRAINT, "mapped-constraint",                                          \
       "in assembled systems a constraint of a mapped state fixes dofs of the first main state",   \
       "test_linear_systems.constraints"},                                                         \
  {                                                                                                \
    SOFA_QUIRK_ENDED_CONSTRAINT, "ended-constraint",                                               \
        "in assembled systems constraints fix their dofs also after endTime",                      \
        "test_linear_systems.constraints"                                                          \
  }

typedef struct SofaAssemblyParts {
  bool stiffness, mass, damping, geometric_stiffness; /* what is added */
  bool mapped;                                        /* components at mapped states too */
  bool constraints; /* dofs that projective constraints discard: row and column 0, diagonal 1 */
  const SofaAssembly *like; /* optional: its last build, at the same point with the same parameters,
                               is of all these parts, without constraints: it is copied where that
                               gives the same bits */
} SofaAssemblyParts;

/* owner: named in messages; borrowed. */
SofaErr sofa_assembly_create(const SofaObject *owner, SofaAssembly **out);
void sofa_assembly_destroy(SofaAssembly **assembly);

/* Assembles at the point. No allocation once the plan and the patterns are known. */
SofaErr sofa_assembly_build(SofaAssembly *assembly, SofaMechanics *m, const SofaMechParams *params,
                            const SofaMechPoint *at, const SofaAssemblyParts *parts);
/* The matrix of the last build; NULL before. Borrowed, valid until the next build. */
SofaBlockMatrix *sofa_assembly_matrix(const SofaAssembly *assembly);

/* Prepares the product; *symmetric: the matrix was found symmetric; false: not known. */
SofaErr sofa_assembly_symmetric(SofaAssembly *assembly, bool *symmetric);
/* y = A x with the matrix of the last build, in the faster of two forms. */
SofaErr sofa_assembly_apply(SofaAssembly *assembly, const double *x, double *y);

/* Is the assembled matrix the operator of sofa_mech_add_mbk, and does it pay to assemble it for an
 * iterative solver? */
bool sofa_assembly_is_operator(const SofaMechanics *m, const SofaMechParams *params);
/* Is the matrix of all components the same, with the same factors, until one of them is edited? */
bool sofa_assembly_is_constant(const SofaMechanics *m);

SOFA_END_DECLS

#endif
