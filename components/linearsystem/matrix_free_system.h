/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MatrixFreeSystem, for classes based on it. */
#ifndef LINEARSYSTEM_MATRIX_FREE_SYSTEM_H
#define LINEARSYSTEM_MATRIX_FREE_SYSTEM_H

#include "behavior/linear_system.h"
#include "numerics/assembly/assembly.h"

typedef struct MatrixFreeSystem {
  SofaLinearSystem system;
  SofaAssembly *assembly; /* owned */
  bool assembled;         /* by the last build */
} MatrixFreeSystem;

extern const SofaClass sofa_MatrixFreeSystem_class;

/* The functions of SofaLinearSystemOps. */
SofaErr matrix_free_build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                          const SofaMechPoint *at);
SofaErr matrix_free_apply(SofaLinearSystem *system, double *p, double *q);

/* A matrix-free system that also builds the system of a preconditioner. */
typedef struct PreconditionedMatrixFreeSystem {
  MatrixFreeSystem base;
  SofaLink preconditioner_system; /* given, or by the PCG solver */
  uint32_t rate;                  /* builds between two builds of the preconditioner's system */
  uint64_t serial;                /* of the plan the preconditioner's system was built for */
  uint32_t since;                 /* builds since */
} PreconditionedMatrixFreeSystem;

extern const SofaClass sofa_PreconditionedMatrixFreeSystem_class;

#endif
