/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of files. */
#include "base/file_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/checksum.h"

enum { PIECE = 1 << 16 };

SofaErr sofa_part_fail(const SofaPartFile *file, SofaErr err, uint64_t at, const char *format,
                       ...) {
  char with_byte[256];
  va_list args;
  va_start(args, format);
  snprintf(with_byte, sizeof with_byte, "byte %llu: %s", (unsigned long long)at, format);
  sofa_message_va(file->ctx, SOFA_ERROR, &file->origin, with_byte, args);
  va_end(args);
  return err;
}

SofaErr sofa_part_open(SofaContext *ctx, const SofaOrigin *origin, SofaPartFile *out) {
  struct stat info;
  *out = (SofaPartFile){.ctx = ctx, .origin = *origin};
  out->descriptor = open(origin->file, O_RDONLY | O_CLOEXEC);
  if (out->descriptor < 0)
    return sofa_fail(ctx, errno == ENOENT ? SOFA_ERR_NOT_FOUND : SOFA_ERR_IO, origin,
                     "cannot open the file: %s", strerror(errno));
  if (fstat(out->descriptor, &info) != 0) {
    sofa_part_close(out);
    return sofa_fail(ctx, SOFA_ERR_IO, origin, "cannot open the file: %s", strerror(errno));
  }
  out->size = (uint64_t)info.st_size;
  return SOFA_OK;
}

void sofa_part_close(SofaPartFile *file) {
  if (file->ctx && file->descriptor >= 0) close(file->descriptor);
  *file = (SofaPartFile){.descriptor = -1};
}

SofaErr sofa_part_read(const SofaPartFile *file, uint64_t at, size_t n, void *out) {
  char *to = out;
  while (n) {
    const ssize_t got = pread(file->descriptor, to, n, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return sofa_part_fail(file, SOFA_ERR_IO, at, "cannot read the file: %s", strerror(errno));
    if (got == 0) return sofa_part_fail(file, SOFA_ERR_IO, at, "the file ends here: it was cut");
    to += got;
    at += (uint64_t)got;
    n -= (size_t)got;
  }
  return SOFA_OK;
}

SofaErr sofa_part_checksum(const SofaPartFile *file, uint64_t first, uint64_t end, uint64_t *sum) {
  char bytes[PIECE];
  for (uint64_t at = first; at < end; at += PIECE) {
    const size_t n = end - at < PIECE ? (size_t)(end - at) : PIECE;
    SOFA_TRY(sofa_part_read(file, at, n, bytes));
    *sum = sofa_checksum(*sum, bytes, n);
  }
  return SOFA_OK;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/* Does text stand at bytes + i as the first word of a line? */
static bool is_line(const char *bytes, size_t i, size_t n, size_t length) {
  if (i + length >= n || (unsigned char)bytes[i + length] > ' ') return false;
  while (i > 0 && is_blank(bytes[i - 1])) i--;
  return i > 0 && bytes[i - 1] == '\n';
}

SofaErr sofa_part_find_line(const SofaPartFile *file, uint64_t at, const char *text,
                            uint64_t *found) {
  enum { OVERLAP = 64 }; /* blanks in front of the text, the text */
  const size_t length = strlen(text);
  char bytes[PIECE];
  *found = UINT64_MAX;
  if (at) at--; /* the line end in front of the first line */
  for (; at < file->size; at += PIECE - OVERLAP) {
    const size_t n = file->size - at < PIECE ? (size_t)(file->size - at) : PIECE;
    SOFA_TRY(sofa_part_read(file, at, n, bytes));
    for (char *place = bytes; (place = memmem(place, n - (size_t)(place - bytes), text, length));
         place++) {
      const size_t i = (size_t)(place - bytes);
      if (!is_line(bytes, i, n, length)) continue;
      const char *newline = memchr(place, '\n', n - i);
      *found = at + (newline ? (size_t)(newline - bytes) + 1 : i + length);
      return SOFA_OK;
    }
  }
  return SOFA_OK;
}
