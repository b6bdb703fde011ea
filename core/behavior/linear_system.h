/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear systems: the operator A = m M + b B + k K of an ODE solver, matrix-free or assembled,
 * projective constraints applied. */
#ifndef SOFA_BEHAVIOR_LINEAR_SYSTEM_H
#define SOFA_BEHAVIOR_LINEAR_SYSTEM_H

#include "behavior/params.h"
#include "behavior/point.h"
#include "math/block_matrix.h"
#include "object/node.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_linear_system_interface;
#define SOFA_LINEAR_SYSTEM (&sofa_linear_system_interface)

typedef struct SofaMechanics SofaMechanics; /* simulation/mechanics.h */

typedef struct SofaLinearSystem {
  SofaObject object;
  const struct SofaLinearSystemOps *ops; /* of the class */
  SofaVec2 matrix_size;                  /* rows and columns of the last build, scalars */
  bool enable_assembly, factorization_invalidation;
  SofaMechanics *mechanics; /* of the last build; borrowed */
  SofaMechParams params;    /* factors of the last build */
  SofaMechPoint at;         /* point of the last build; its vectors are borrowed */
  int last_iterations;      /* of the last solution that followed a build, by an iterative solver;
                               -1: none was made */
  bool fresh;               /* built, and not solved with since */
  SofaObject *solver;       /* the linear solver that took this system; only compared */
} SofaLinearSystem;

extern const SofaClass sofa_linear_system_class; /* abstract */

typedef struct SofaLinearSystemOps {
  /* required: prepares the operator for these factors at the point */
  SofaErr (*build)(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                   const SofaMechPoint *at);
  /* required: q = P A p over the main part (n_v reals each; p's mapped part is scratch); the
   * vectors of the point are still valid */
  SofaErr (*apply)(SofaLinearSystem *system, double *p, double *q);
  /* optional: the assembled matrix with constraints applied; NULL op or result: matrix-free */
  SofaBlockMatrix *(*matrix)(SofaLinearSystem *system);
  /* optional: prepares `apply`; *symmetric: it found the matrix symmetric; false: the matrix is
   * not symmetric, or that is not known */
  SofaErr (*symmetric)(SofaLinearSystem *system, bool *symmetric);
} SofaLinearSystemOps;

static inline const SofaLinearSystemOps *sofa_linear_system_ops(const SofaLinearSystem *s) {
  return s->ops;
}

/* Builds; with enableAssembly="false" the last build is kept. */
SofaErr sofa_linear_system_build(SofaLinearSystem *system, SofaMechanics *m,
                                 const SofaMechParams *params, const SofaMechPoint *at);
/* An iterative solver has made a solution: its iterations count for the next build. */
void sofa_linear_system_solved(SofaLinearSystem *system, int iterations);
/* The assembled matrix, or NULL. */
SofaBlockMatrix *sofa_linear_system_matrix(SofaLinearSystem *system);

/* A class creates matrix-free systems when this is among its templates. */
#define SOFA_MATRIX_FREE_TEMPLATE "GraphScattered"
/* The templates of assembled systems, as rows of a list; the kind of storage they name in SOFA
 * never changes the mathematics. */
#define SOFA_ASSEMBLED_TEMPLATES                                                                   \
  "CompressedRowSparseMatrixd", "CompressedRowSparseMatrixMat2x2d",                                \
      "CompressedRowSparseMatrixMat3x3d", "CompressedRowSparseMatrixMat4x4d",                      \
      "CompressedRowSparseMatrixMat6x6d", "CompressedRowSparseMatrixMat8x8d", "FullMatrix",        \
      "SparseMatrix"

SOFA_END_DECLS

#endif
