/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a plugin starts once for a process and ends with it, such as MPI; and processes that run a
 * scene together. A class of the plugin implements the interface; there is no object of it. */
#ifndef SOFA_OBJECT_PROCESS_H
#define SOFA_OBJECT_PROCESS_H

#include "object/object.h"

SOFA_BEGIN_DECLS

extern const SofaInterface sofa_process_interface;
#define SOFA_PROCESS (&sofa_process_interface)

/* A process among those that run a scene together: rank of n. */
typedef struct SofaPlace {
  int rank, n;
} SofaPlace;

typedef struct SofaProcessOps {
  /* required: starts for all processes that were started together, before any object uses it */
  SofaErr (*join)(SofaContext *ctx, SofaPlace *place);
  /* required: ends what was started, if it was; nothing of it is in use. With a status that is not
   * 0 the other processes of join are ended, too, whatever they do. */
  void (*end)(int status);
} SofaProcessOps;

/* Joins by the first class with the interface. */
SofaErr sofa_process_join(SofaContext *ctx, SofaPlace *place);
/* For programs that end without the usual handlers: ends what all plugins of the context started.
 */
void sofa_process_end(SofaContext *ctx, int status);

SOFA_END_DECLS

#endif
