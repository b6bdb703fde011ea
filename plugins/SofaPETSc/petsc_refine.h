/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The same bits from direct methods on several processes. MUMPS and SuperLU_DIST add in the order
 * in which messages arrive: the last digits of their solutions differ from run to run. Corrections
 * by the same factor, from residuals in three times the digits, end in the solution of the system
 * that the matrix and the right-hand side are, to about 34 digits; rounded, it does not depend on
 * the factor any more. */
#ifndef SOFAPETSC_PETSC_REFINE_H
#define SOFAPETSC_PETSC_REFINE_H

#include <petscksp.h>
#include <petscsf.h>

#include <sofa.h>

/* Begins as zeros; owned. A number is the sum of three, of which each is below the rounding of the
 * one before. */
typedef struct PetscRefine {
  PetscSF others;         /* rows of other processes that the columns of this one's rows name */
  Vec correction;         /* NULL: there is nothing to refine */
  SofaReals own[3];       /* the solution: of this process's rows, */
  SofaReals others_of[3]; /* and of the others */
  double first, last;     /* largest entries of the solution, of the last correction */
} PetscRefine;

void petsc_refine_free(SofaContext *ctx, PetscRefine *refine);
/* In a section of calls: for the pattern of a MATMPIAIJ. */
PetscErrorCode petsc_refine_shape(SofaContext *ctx, PetscRefine *refine, Mat mat);
/* What is refined; all borrowed. */
typedef struct PetscSolved {
  PC pc; /* of a factor of mat */
  Mat mat;
  Vec b, x, r; /* r: work space */
} PetscSolved;

/* In a section of calls: x is a solution by the factor, and becomes that which follows from mat and
 * b alone. *done false: the corrections do not become smaller, and x is as it was. */
PetscErrorCode petsc_refine(PetscRefine *refine, const PetscSolved *solved, bool *done);

#endif
