/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of which parts are read. */
#ifndef SOFA_BASE_FILE_PART_H
#define SOFA_BASE_FILE_PART_H

#include <stddef.h>
#include <stdint.h>
#include "base/context.h"

SOFA_BEGIN_DECLS

typedef struct SofaPartFile {
  SofaContext *ctx;
  SofaOrigin origin; /* for messages; borrowed */
  uint64_t size;     /* bytes */
  int descriptor;
} SofaPartFile;

/* origin->file is the path. Failures are reported. */
SofaErr sofa_part_open(SofaContext *ctx, const SofaOrigin *origin, SofaPartFile *out);
void sofa_part_close(SofaPartFile *file);
/* n bytes from byte `at` on. */
SofaErr sofa_part_read(const SofaPartFile *file, uint64_t at, size_t n, void *out);
/* *sum, of the bytes before `first`, becomes that of the bytes before `end` (base/checksum.h);
 * first: a multiple of 8. */
SofaErr sofa_part_checksum(const SofaPartFile *file, uint64_t first, uint64_t end, uint64_t *sum);
/* Where text stands at the beginning of a line, from byte `at` on, with white space behind it:
 * *found is the byte behind the line, or UINT64_MAX. */
SofaErr sofa_part_find_line(const SofaPartFile *file, uint64_t at, const char *text,
                            uint64_t *found);
/* Reports an error at a byte. */
SofaErr sofa_part_fail(const SofaPartFile *file, SofaErr err, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

SOFA_END_DECLS

#endif
