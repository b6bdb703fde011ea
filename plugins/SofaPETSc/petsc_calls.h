/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sections of code that call PETSc for an object. In a section PETSc reads the options of the
 * object alone, its errors are kept instead of printed, and BLAS runs on one thread. */
#ifndef SOFAPETSC_PETSC_CALLS_H
#define SOFAPETSC_PETSC_CALLS_H

#include <petscsys.h>

#include <sofa.h>

#include "numerics/direct/blas_threads.h"
#include "object/process.h"

/* The first error of a section, in PETSc's words. */
typedef struct PetscCalls {
  SofaBlasThreads blas;
  bool handled; /* the handler and the options were pushed, in this order */
  bool offered;
  char message[400]; /* "" : there was none */
  char function[64]; /* of PETSc, that found it */
} PetscCalls;

/* Starts PETSc, and MPI where the process has not, at the first call in the process, for this
 * process alone: PETSC_COMM_WORLD is then MPI_COMM_SELF. They end with the process. Options of the
 * environment, of files and of the command line are not read. */
SofaErr petsc_start(SofaContext *ctx);
/* of SofaProcessOps: the same for all processes that were started together; their end */
SofaErr petsc_join(SofaContext *ctx, SofaPlace *place);
void petsc_end(int status);

/* options: of the object; NULL: none. Every begin is followed by an end, also after an error. */
PetscErrorCode petsc_calls_begin(PetscCalls *calls, PetscOptions options);
/* `code` as an error of csofa; it is reported for the owner as "WHAT: PETSc: ... (FUNCTION)". */
SofaErr petsc_calls_end(PetscCalls *calls, PetscErrorCode code, const SofaObject *owner,
                        const char *what);
/* The same of calls for no object, such as those for all processes. */
SofaErr petsc_calls_end_alone(PetscCalls *calls, PetscErrorCode code, SofaContext *ctx,
                              const char *what);

/* Refuses, for the field, options that write files, open windows or connections, or run other code,
 * and text that is not a list of options. A trusted scene (--trust-scene) may do the former. */
SofaErr petsc_options_check(const SofaObject *owner, const char *field, const char *text);
/* The options of the text, in a section of calls, and one that sums coarse matrices of several
 * processes in a fixed order, unless the text has it: by default the order is that of messages. */
PetscErrorCode petsc_options_fill(PetscOptions options, const char *text);
/* Refuses options that PETSc did not look at, by their names. */
SofaErr petsc_options_check_used(const SofaObject *owner, const char *field, PetscOptions options);

#endif
