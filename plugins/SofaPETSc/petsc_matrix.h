/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An assembled matrix of csofa as a matrix of PETSc. The pattern is made when it changed; values go
 * from slot to slot in one pass, without a search. On several processes (PETSC_COMM_WORLD) either
 * all have the whole matrix of csofa, and each gives PETSc its share of the block rows; or each has
 * partial values of its part (petsc_divided.h). */
#ifndef SOFAPETSC_PETSC_MATRIX_H
#define SOFAPETSC_PETSC_MATRIX_H

#include <petscmat.h>

#include <sofa.h>

#include "petsc_divided.h"

typedef enum PetscStorage {
  PETSC_STORAGE_ROWS,   /* MATSEQAIJ: scalar rows, of any blocks */
  PETSC_STORAGE_BLOCKS, /* MATSEQBAIJ: all blocks have one size */
  PETSC_STORAGE_UPPER   /* MATSEQSBAIJ: the same, of a symmetric matrix: its upper half */
} PetscStorage;

/* Begins as zeros. */
typedef struct PetscMatrix {
  Mat mat; /* over start, column and values; NULL: there is none */
  PetscStorage storage;
  PetscInts start, column; /* owned */
  SofaReals values;        /* owned */
  uint64_t pattern_version, value_version;
  size_t first, last; /* block rows of this process: first to last - 1 */
  int first_scalar, n_scalars;
  int rank, n_processes;
  uint64_t sum, summed_version; /* of csofa's matrix, to compare processes by; not on one */
  SofaInts counts, offsets;     /* owned; scalar rows of each process; empty on one */
  bool is_divided;
  PetscDivided divided;
} PetscMatrix;

void petsc_matrix_free(SofaContext *ctx, PetscMatrix *matrix);
/* Makes the pattern; no values. Reported for the owner. */
SofaErr petsc_matrix_shape(const SofaObject *owner, PetscMatrix *matrix, const SofaBlockRows *rows,
                           PetscStorage storage);
/* The same of the part of this process; called by all. scalar: as of petsc_divided_shape. Its
 * values are sent with petsc_divided_fill, before they are filled in. */
SofaErr petsc_matrix_shape_divided(const SofaObject *owner, PetscMatrix *matrix,
                                   const SofaBlockRows *rows, const SofaDividedPlan *plan,
                                   const uint32_t *scalar, PetscStorage storage);
/* In a section of calls: makes the matrix of the last shape, or gives it the values, which it tells
 * PETSc. */
PetscErrorCode petsc_matrix_fill(PetscMatrix *matrix, const SofaBlockRows *rows);

/* In a section of calls: a vector of the matrix's rows of this process, without memory of its own
 * (own false): VecPlaceArray gives it some. */
PetscErrorCode petsc_matrix_vector(const PetscMatrix *matrix, bool own, Vec *out);
/* All processes get the rows of all others in x, which holds those of this one. */
PetscErrorCode petsc_matrix_gather(const PetscMatrix *matrix, double *x);
/* Have all processes the same rows and the same right-hand side b? Asked by all of them. */
PetscErrorCode petsc_matrix_agree(PetscMatrix *matrix, const SofaBlockRows *rows, const double *b,
                                  bool *same);

#endif
