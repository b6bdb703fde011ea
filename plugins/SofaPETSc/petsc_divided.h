/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of a plan whose states are divided: each process has partial values of its own points
 * and of copies of others. Entries of rows of other processes are sent to these. What is sent
 * where, and the place of what arrives, is found once for a pattern. A row's entries are added in
 * the order of the ranks. */
#ifndef SOFAPETSC_PETSC_DIVIDED_H
#define SOFAPETSC_PETSC_DIVIDED_H

#include <petscmat.h>

#include <sofa.h>

#include "simulation/divided_plan.h"

SOFA_LIST(PetscInt, PetscInts);
SOFA_LIST(size_t, PetscSizes);

/* A block in the values: its scalar row r begins at values[at + r * stride]. */
typedef struct PetscSlot {
  uint32_t at, stride;
  uint16_t n_rows, n_columns; /* 0: the block is not of this process */
} PetscSlot;
SOFA_LIST(PetscSlot, PetscSlots);

/* Begins as zeros; all lists are owned. */
typedef struct PetscDivided {
  int rank, n_processes;
  uint64_t n_all_scalars;
  SofaIndices owned;            /* local block of each own block row */
  SofaIndices neighbours;       /* ranks that send or get entries, ascending */
  PetscSizes n_send, n_receive; /* bytes of values, per neighbour */
  SofaIndices sent, sent_size;  /* local blocks and their values, neighbour after neighbour */
  SofaReals out, in;            /* the values of the former; those that arrive */
  PetscSlots mine, received;    /* of each local block; of each that arrives */
  size_t n_diagonal;            /* values in columns of this process; the others follow */
  PetscInts start, column;      /* scalar rows of the former; columns from this process's first */
  PetscInts far_start, far_column; /* of the others; columns among all */
  SofaReals values;
  bool in_place;     /* the own rows of a vector are beside each other, from local[begin] on, */
  bool all_in_place; /* on all processes */
  size_t begin;
} PetscDivided;

void petsc_divided_free(SofaContext *ctx, PetscDivided *d);
/* Called by all processes when the pattern changed on one of them. scalar: number of the first
 * scalar of each local block among those of all processes. */
SofaErr petsc_divided_shape(const SofaObject *owner, PetscDivided *d, const SofaDividedPlan *plan,
                            const SofaBlockRows *rows, const uint32_t *scalar);
/* Called by all processes: the values of this process's rows. No search, no allocation. */
SofaErr petsc_divided_fill(SofaContext *ctx, PetscDivided *d, const SofaBlockRows *rows);
/* In a section of calls: the matrix over the values. Its columns are PETSc's from then on. */
PetscErrorCode petsc_divided_make(PetscDivided *d, Mat *out);

/* The entries of this process's rows of a vector of local blocks, and back: a copy, which needs not
 * be made where they are in_place. */
void petsc_divided_pack(const PetscDivided *d, const SofaBlockRows *rows, const double *local,
                        double *own);
void petsc_divided_unpack(const PetscDivided *d, const SofaBlockRows *rows, const double *own,
                          double *local);

#endif
