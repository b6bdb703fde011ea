/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data between the processes of MPI that run a scene together: of SofaProcessOps. Messages longer
 * than the integers of MPI count go in pieces. Errors of MPI are reported. */
#ifndef SOFAPETSC_PETSC_PROCESS_H
#define SOFAPETSC_PETSC_PROCESS_H

#include <sofa.h>

#include "object/process.h"

SofaErr petsc_collect(SofaContext *ctx, size_t n, const void *mine, void *all);
SofaErr petsc_gather(SofaContext *ctx, int root, const size_t *n, const void *mine, void *all);
SofaErr petsc_spread(SofaContext *ctx, int root, size_t n, void *data);
SofaErr petsc_exchange(SofaContext *ctx, const SofaExchange *exchange);

#endif
