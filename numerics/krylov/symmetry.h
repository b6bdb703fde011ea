/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is an assembled matrix symmetric? For solvers that take no other. */
#ifndef SOFA_NUMERICS_KRYLOV_SYMMETRY_H
#define SOFA_NUMERICS_KRYLOV_SYMMETRY_H

#include "behavior/linear_solver.h"

SOFA_BEGIN_DECLS

/* Block `block`, of block row `row`, and the one across the diagonal (SOFA_NOT_THERE: zero). */
typedef struct SofaMirrorPair {
  uint32_t row, block, across;
} SofaMirrorPair;
#define SOFA_NOT_THERE UINT32_MAX
SOFA_LIST(SofaMirrorPair, SofaMirrorPairs);

/* What a solver knows of its matrix. All-zero: nothing. Owned, sofa_symmetry_free. */
typedef struct SofaSymmetryCheck {
  SofaMirrorPairs pairs; /* of the pattern */
  const SofaBlockMatrix *matrix;
  uint64_t pattern_version;
  uint64_t value_version; /* of the last one found symmetric */
  bool told;
} SofaSymmetryCheck;

void sofa_symmetry_free(SofaContext *ctx, SofaSymmetryCheck *check);

enum { SOFA_QUIRK_ASYMMETRIC_MATRIX = 1 << 24 };
#define SOFA_QUIRK_ASYMMETRIC_MATRIX_ROW                                                           \
  {                                                                                                \
    SOFA_QUIRK_ASYMMETRIC_MATRIX, "asymmetric-matrix",                                             \
        "solvers for symmetric systems take a matrix that is not: direct ones read one half of "   \
        "it",                                                                                      \
        "test_direct_solvers.halves"                                                               \
  }

/* Refuses a matrix that is not symmetric, naming the first pair of entries that differ by more than
 * rounding. With the quirk asymmetric-matrix, and with keep_going, it is a warning, once, that ends
 * with `instead`: what the solver does with the matrix. */
SofaErr sofa_symmetry_check(const SofaLinearSolver *solver, const SofaBlockMatrix *matrix,
                            const SofaBlockRows *rows, const char *instead,
                            SofaSymmetryCheck *check);
/* Is the matrix symmetric to rounding (1e-15 of the diagonals)? */
SofaErr sofa_symmetry_find(SofaContext *ctx, const SofaBlockMatrix *matrix,
                           const SofaBlockRows *rows, SofaSymmetryCheck *check, bool *symmetric);
#define SYMMETRY_HALF "one half of it is used"

SOFA_END_DECLS

#endif
