/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PrecomputedMatrixSystem, as PrecomputedWarpPreconditioner reads it. */
#ifndef LINEARSOLVER_PRECOMPUTED_MATRIX_SYSTEM_H
#define LINEARSOLVER_PRECOMPUTED_MATRIX_SYSTEM_H

#include "behavior/linear_system.h"
#include "numerics/assembly/assembly.h"

typedef struct PrecomputedMatrixSystem {
  SofaLinearSystem system;
  SofaAssembly *assembly; /* owned */
  uint64_t serial;        /* of the plan that was assembled; 0: none */
  uint64_t builds;        /* asked for */
} PrecomputedMatrixSystem;

extern const SofaClass sofa_PrecomputedMatrixSystem_class;

#endif
