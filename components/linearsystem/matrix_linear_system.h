/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MatrixLinearSystem, for classes based on it. */
#ifndef LINEARSYSTEM_MATRIX_LINEAR_SYSTEM_H
#define LINEARSYSTEM_MATRIX_LINEAR_SYSTEM_H

#include "behavior/linear_system.h"
#include "numerics/assembly/assembly.h"

typedef struct MatrixLinearSystem {
  SofaLinearSystem system;
  bool stiffness, mass, damping, geometric_stiffness, constraints, mapped;
  bool check_indices, parallel_assembly;
  SofaAssembly *assembly;   /* owned */
  const SofaAssembly *like; /* during a build: of all parts without constraints; else NULL */
} MatrixLinearSystem;

extern const SofaClass sofa_MatrixLinearSystem_class;
extern const SofaLinearSystemOps matrix_linear_system_ops;

#endif
