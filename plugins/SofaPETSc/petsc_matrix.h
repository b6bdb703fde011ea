/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An assembled matrix of csofa as a matrix of PETSc on one process. The pattern is made when it
 * changed; values go from slot to slot in one pass, without a search. */
#ifndef SOFAPETSC_PETSC_MATRIX_H
#define SOFAPETSC_PETSC_MATRIX_H

#include <petscmat.h>

#include <sofa.h>

typedef enum PetscStorage {
  PETSC_STORAGE_ROWS,   /* MATSEQAIJ: scalar rows, of any blocks */
  PETSC_STORAGE_BLOCKS, /* MATSEQBAIJ: all blocks have one size */
  PETSC_STORAGE_UPPER   /* MATSEQSBAIJ: the same, of a symmetric matrix: its upper half */
} PetscStorage;

SOFA_LIST(PetscInt, PetscInts);

/* Begins as zeros. */
typedef struct PetscMatrix {
  Mat mat; /* over start, column and values; NULL: there is none */
  PetscStorage storage;
  PetscInts start, column; /* owned */
  SofaReals values;        /* owned */
  uint64_t pattern_version, value_version;
} PetscMatrix;

void petsc_matrix_free(SofaContext *ctx, PetscMatrix *matrix);
/* Makes the pattern; no values. Reported for the owner. */
SofaErr petsc_matrix_shape(const SofaObject *owner, PetscMatrix *matrix, const SofaBlockRows *rows,
                           PetscStorage storage);
/* In a section of calls: makes the matrix of the last shape, or gives it the values, which it tells
 * PETSc. */
PetscErrorCode petsc_matrix_fill(PetscMatrix *matrix, const SofaBlockRows *rows);

#endif
