/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The near-null space of an elastic body: its motions as a rigid body, which multigrid methods need
 * on their coarse levels. */
#ifndef SOFAPETSC_PETSC_MODES_H
#define SOFAPETSC_PETSC_MODES_H

#include "petsc_matrix.h"

typedef enum PetscModes {
  PETSC_MODES_NONE,
  PETSC_MODES_REST,    /* about the points at rest; a state without: its positions */
  PETSC_MODES_POSITION /* about the positions of the last build */
} PetscModes;

/* Are all main states of a kind that has such modes, of points in the plane or in space? */
bool petsc_modes_known(const SofaMechanics *m);
/* In a section of calls: gives the modes of all main states to a matrix of their plan. `at` is the
 * point of the last build. */
PetscErrorCode petsc_modes_set(const SofaMechanics *m, const SofaMechPoint *at, PetscModes modes,
                               const PetscMatrix *matrix);

#endif
