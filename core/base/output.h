/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that the program writes. A file is written under a temporary name in the same folder,
 * NAME.part, and renamed when it is complete: a reader of NAME sees the old or the new content. A
 * file that cannot be written is removed and counted in the context. A run that is killed leaves
 * NAME.part; the next one keeps it as NAME.cut until its own file is complete. A link that has the
 * name is replaced, not followed. Relative paths are relative to the context's output folder. */
#ifndef SOFA_BASE_OUTPUT_H
#define SOFA_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>
#include "base/array.h"
#include "base/context.h"

SOFA_BEGIN_DECLS

/* Where the line of base/provenance.h stands. */
typedef enum SofaRemark {
  SOFA_REMARK_BESIDE, /* in a file of its own, NAME.provenance */
  SOFA_REMARK_HASH,   /* "# line" before the content */
  SOFA_REMARK_XML,    /* a comment behind the first line of the content */
  SOFA_REMARK_NONE    /* the writer puts it, or the file is not an output of a run */
} SofaRemark;
/* That of a text file with such a name. */
SofaRemark sofa_remark_of(const char *path);

typedef struct SofaOutputSpec {
  const char *path; /* copied */
  const char *what; /* "the states", for messages; static text */
  /* Reports the one failure of a file. NULL: a message about the file with `what`. */
  void (*report)(void *user, const char *path, const char *why);
  void *user;
  bool of_scene; /* the scene gave the name: a regular file, with `sandbox` below this folder */
  bool gzip;     /* compressed when the path ends with ".gz" */
  bool empty;    /* the file is completed even if nothing was written */
  bool media;    /* the temporary name keeps the extension: NAME.part.mp4 */
  bool piece;    /* of several processes each writes its own */
  SofaRemark provenance;
} SofaOutputSpec;

typedef struct SofaOutput SofaOutput;

/* May the file be created or replaced? Otherwise reports why. */
SofaErr sofa_output_check(SofaContext *ctx, const SofaOutputSpec *spec);
/* Begins the file. Devices, FIFOs and links of /dev that the user named are written to as they are.
 */
SofaErr sofa_output_open(SofaContext *ctx, const SofaOutputSpec *spec, SofaOutput **out);
SofaErr sofa_output_write(SofaOutput *file, const char *bytes, size_t n);
/* Hands all that was written to the system, so that it can be read under the temporary name. */
SofaErr sofa_output_flush(SofaOutput *file);
/* Empties the file. Not for compressed files. */
SofaErr sofa_output_rewind(SofaOutput *file);
bool sofa_output_is_packed(const SofaOutput *file); /* is it compressed? */
/* Bytes that were written so far, before compression. */
uint64_t sofa_output_written(const SofaOutput *file);
/* For a run that goes on from a saved state, after which n bytes had been written: the content
 * becomes the first n bytes of the file that has the name now, or of the one that a killed run
 * left. *found: there was one with so many bytes; otherwise the content stays. */
SofaErr sofa_output_continue(SofaOutput *file, uint64_t n, bool *found);
/* The stream, for libraries that write on their own. Not for compressed files. */
FILE *sofa_output_stream(SofaOutput *file);
/* Static text for the end of the file: a file without it was cut. Not for files without text. */
void sofa_output_end(SofaOutput *file, const char *end);
/* The name that is written to. */
const char *sofa_output_temporary(const SofaOutput *file);
/* For a file of which other processes write runs (object/shared_output.h). */
/* How: SOFA_RUNS_NONE: what is written is dropped; SOFA_RUNS_PASSED: it has no places, as a device;
 * SOFA_RUNS_PLACED: at their places in the file of the temporary name. */
typedef enum SofaOutputRuns { SOFA_RUNS_NONE, SOFA_RUNS_PASSED, SOFA_RUNS_PLACED } SofaOutputRuns;
SofaOutputRuns sofa_output_runs(const SofaOutput *file);
/* The system has all that was written; a compressed file has a whole number of members. *at: its
 * length, where it has places. */
SofaErr sofa_output_settle(SofaOutput *file, uint64_t *at);
/* Others have written n_placed bytes behind that, which are n of the content. */
SofaErr sofa_output_skip(SofaOutput *file, uint64_t n_placed, uint64_t n);
/* Appends the bytes as a member of a compressed file. */
SofaErr sofa_output_pack(SofaContext *ctx, const char *bytes, size_t n, SofaText *out);

/* Marks the file as lost and reports it, once; NULL: another process has. */
SofaErr sofa_output_lose(SofaOutput *file, const char *why);
/* Completes the file: it gets its name. One that failed, or that nothing was written to, is
 * removed. NULL-safe; *file becomes NULL. Returns the first failure. */
SofaErr sofa_output_close(SofaOutput **file);
/* The file will not be needed: it is removed without a message. NULL-safe. */
void sofa_output_discard(SofaOutput **file);

/* Writes a whole file. */
SofaErr sofa_output_whole(SofaContext *ctx, const SofaOutputSpec *spec, const char *bytes,
                          size_t n);

SOFA_END_DECLS

#endif
