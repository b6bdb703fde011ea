/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that components write (base/output.h): relative names belong to the current directory,
 * never to the data paths, and a file without write permission is not replaced, whoever runs the
 * program. During the run the file has the name NAME.part. */
#ifndef SOFA_NUMERICS_IO_OUTPUT_FILE_H
#define SOFA_NUMERICS_IO_OUTPUT_FILE_H

#include "object/checkpoint.h"

SOFA_BEGIN_DECLS

/* May `path` be created or overwritten? Otherwise reports why, naming the field. */
SofaErr sofa_output_file_check(const SofaObject *object, const char *field, const char *path);

/* A text file, gzip-compressed when its name ends with ".gz". */
typedef struct SofaOutputFile SofaOutputFile;
SofaErr sofa_output_file_open(const SofaObject *object, const char *field, const char *path,
                              SofaOutputFile **out);
/* Each of several processes writes its run (object/shared_output.h). Before the first write. */
void sofa_output_file_share(SofaOutputFile *file);
/* Of a shared file called by all processes: it gets the bytes of each, in the order of the ranks.
 */
SofaErr sofa_output_file_write(SofaOutputFile *file, const char *bytes, size_t n);
/* Empties the file: the next text is written at its beginning. Not for compressed files. */
SofaErr sofa_output_file_rewind(SofaOutputFile *file);
/* NULL-safe; *file becomes NULL. The file gets its name, unless nothing was written. Reports when
 * the last bytes could not be written. */
void sofa_output_file_close(SofaOutputFile **file);

/* The text that completes the file, static: a file without it was cut. */
void sofa_output_file_end(SofaOutputFile *file, const char *end);

/* Bytes so far. */
uint64_t sofa_output_file_written(const SofaOutputFile *file);
/* For checkpoints: how much was written; a restored run goes on behind that, in the file that is
 * there. Without such a file, or with a compressed one that has begun, a warning says that the file
 * has the steps of this run only. `file` may be NULL. */
void sofa_output_file_save(const SofaOutputFile *file, SofaCheckpointWriter *to);
SofaErr sofa_output_file_restore(SofaOutputFile *file, SofaCheckpointReader *from);

/* Writes a whole file. */
SofaErr sofa_output_file_replace(const SofaObject *object, const char *path, const char *bytes,
                                 size_t n);
/* The same of each of several processes, which have paths of their own. */
SofaErr sofa_output_file_replace_piece(const SofaObject *object, const char *path,
                                       const char *bytes, size_t n);

SOFA_END_DECLS

#endif
