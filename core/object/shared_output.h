/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file of which each of several processes writes a run, at the same time, at its place in one
 * file: the processes need a common file system. The first process has the file as any output
 * (base/output.h), the others have one that is dropped. */
#ifndef SOFA_OBJECT_SHARED_OUTPUT_H
#define SOFA_OBJECT_SHARED_OUTPUT_H

#include "base/output.h"
#include "object/process.h"

SOFA_BEGIN_DECLS

typedef struct SofaSharedOutput {
  SofaOutput *output; /* borrowed */
  /* set by the first write */
  bool joined, packs;
  SofaOutputRuns runs;
  int descriptor; /* on the others than the first process, where `joined` */
  SofaText packed;
} SofaSharedOutput;

/* Called by all processes: the file gets the n bytes of each, in the order of the ranks. In a
 * compressed file those of each are members of their own. When it returns all bytes can be read
 * under the temporary name. A failure of one process is one of all; the process reports it. On one
 * process alone it is sofa_output_write and _flush. */
SofaErr sofa_shared_output_write(SofaContext *ctx, SofaSharedOutput *file, const char *bytes,
                                 size_t n);
/* Frees what the writes took; the output stays. */
void sofa_shared_output_end(SofaContext *ctx, SofaSharedOutput *file);

SOFA_END_DECLS

#endif
