/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RotationMatrixSystem, as WarpPreconditioner reads it. */
#ifndef LINEARSOLVER_ROTATION_MATRIX_SYSTEM_H
#define LINEARSOLVER_ROTATION_MATRIX_SYSTEM_H

#include "behavior/linear_system.h"

typedef struct RotationMatrixSystem {
  SofaLinearSystem system;
  SofaLink main_system, rotation_finder;
  uint32_t rate;   /* builds between two builds of the main system */
  uint64_t serial; /* of the plan of the main system */
  uint32_t since;  /* builds since */
  bool identity;   /* R is the identity since the last build */
  /* 3x3 row major for every three rows: R, and from rest to the build of the main system; rows
   * without a finder's point have the identity */
  SofaReals rotations, built;
  SofaReals side; /* of a product, in the frames of the matrix */
} RotationMatrixSystem;

extern const SofaClass sofa_RotationMatrixSystem_class;

#endif
