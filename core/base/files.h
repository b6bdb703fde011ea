/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files: search along the data paths, whole-file reading (plain or gzip), writing. */
#ifndef SOFA_BASE_FILES_H
#define SOFA_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include "base/context.h"

SOFA_BEGIN_DECLS

/* Resolves `name` as SOFA does: relative to `folder` (may be NULL), absolute names as they are,
 * then each data path. *out (owned by the caller) is NULL with SOFA_ERR_NOT_FOUND when there is no
 * such file; nothing is reported. */
SofaErr sofa_find_file(SofaContext *ctx, const char *folder, const char *name, char **out);

/* Reads a file, gunzipping when it is gzip. *bytes gets a NUL after its *size bytes; caller frees.
 * Refuses more than max_size bytes after decompression (0: no limit). Failures are reported. */
SofaErr sofa_read_file(SofaContext *ctx, const char *path, size_t max_size, char **bytes,
                       size_t *size);

/* A file in memory, for readers. */
typedef struct SofaFileBytes {
  const SofaOrigin *origin; /* the file, for messages, which name the line; may be NULL */
  const char *bytes;        /* a NUL follows the bytes of a file on disk */
  size_t size;
} SofaFileBytes;

/* Makes a folder with those above it that do not exist; what cannot be made is reported. */
SofaErr sofa_make_folder(SofaContext *ctx, const char *path);
bool sofa_is_file(const char *path);
bool sofa_is_folder(const char *path);
bool sofa_is_absolute(const char *path);
char *sofa_path_folder(SofaContext *ctx, const char *path); /* "." when there is none; owned */
char *sofa_path_join(SofaContext *ctx, const char *folder, const char *name); /* owned */
const char *sofa_path_name(const char *path);      /* part after the last '/' */
const char *sofa_path_extension(const char *path); /* after the last '.', "" if none */

SOFA_END_DECLS

#endif
