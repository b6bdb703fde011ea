/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of a graph, by PT-Scotch: of SofaProcessOps. */
#ifndef SOFAPETSC_PETSC_PARTITION_H
#define SOFAPETSC_PETSC_PARTITION_H

#include <petscconf.h>

#include <sofa.h>

#include "object/process.h"

SofaErr petsc_partition(SofaContext *ctx, const SofaGraph *graph, uint32_t *part);

/* A PETSc that was built without PT-Scotch has no such function. */
#ifdef PETSC_HAVE_PTSCOTCH
#define PETSC_PARTITION petsc_partition
#else
#define PETSC_PARTITION NULL
#endif

#endif
