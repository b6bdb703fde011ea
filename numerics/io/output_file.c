/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing files: permission check, plain or gzip text, atomic replacement. */
#include "numerics/io/output_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/files.h"

struct SofaOutputFile {
  const SofaObject *object; /* the object that writes, for messages */
  char *path;
  FILE *plain;
  gzFile packed;
  bool failed;
};

enum { ANYBODY_MAY_WRITE = S_IWUSR | S_IWGRP | S_IWOTH };

SofaErr sofa_output_file_check(const SofaObject *object, const char *field, const char *path) {
  struct stat info;
  char *folder = sofa_path_folder(object->ctx, path);
  SofaErr err = SOFA_OK;
  if (!folder) return SOFA_ERR_MEMORY;
  if (stat(path, &info) == 0) {
    if (!S_ISREG(info.st_mode) || !(info.st_mode & ANYBODY_MAY_WRITE) || access(path, W_OK) != 0)
      err = sofa_field_fail(object, field, SOFA_ERR_IO, "'%s' may not be written", path);
  } else if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode)) {
    err = sofa_field_fail(object, field, SOFA_ERR_IO, "there is no folder '%s'", folder);
  } else if (!(info.st_mode & ANYBODY_MAY_WRITE) || access(folder, W_OK) != 0) {
    err = sofa_field_fail(object, field, SOFA_ERR_IO, "folder '%s' may not be written", folder);
  }
  sofa_free(object->ctx, folder);
  return err;
}

SofaErr sofa_output_file_open(const SofaObject *object, const char *field, const char *path,
                              SofaOutputFile **out) {
  SofaContext *ctx = object->ctx;
  *out = NULL;
  SOFA_TRY(sofa_output_file_check(object, field, path));
  SofaOutputFile *file = sofa_alloc(ctx, 1, sizeof *file);
  if (!file) return SOFA_ERR_MEMORY;
  file->object = object;
  file->path = sofa_strdup(ctx, path);
  if (!file->path) {
    sofa_free(ctx, file);
    return SOFA_ERR_MEMORY;
  }
  if (!strcmp(sofa_path_extension(path), "gz")) file->packed = gzopen(path, "wb");
  else file->plain = fopen(path, "wb");
  if (!file->packed && !file->plain) {
    const SofaErr err =
        sofa_field_fail(object, field, SOFA_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
    sofa_free(ctx, file->path);
    sofa_free(ctx, file);
    return err;
  }
  *out = file;
  return SOFA_OK;
}

SofaErr sofa_output_file_write(SofaOutputFile *file, const char *bytes, size_t n) {
  bool good;
  if (file->packed) {
    good = gzwrite(file->packed, bytes, (unsigned)n) == (int)n;
  } else {
    good = fwrite(bytes, 1, n, file->plain) == n && fflush(file->plain) == 0;
  }
  if (good) return SOFA_OK;
  file->failed = true;
  return sofa_object_fail(file->object, SOFA_ERR_IO, "writing '%s' failed", file->path);
}

SofaErr sofa_output_file_rewind(SofaOutputFile *file) {
  if (file->packed)
    return sofa_object_unsupported(file->object, "writing a compressed file again at every step");
  if (fseek(file->plain, 0, SEEK_SET) == 0 && ftruncate(fileno(file->plain), 0) == 0)
    return SOFA_OK;
  file->failed = true;
  return sofa_object_fail(file->object, SOFA_ERR_IO, "writing '%s' failed", file->path);
}

void sofa_output_file_close(SofaOutputFile **out) {
  SofaOutputFile *file = *out;
  if (!file) return;
  SofaContext *ctx = file->object->ctx;
  const bool good = file->packed ? gzclose(file->packed) == Z_OK : fclose(file->plain) == 0;
  if (!good && !file->failed)
    sofa_object_message(file->object, SOFA_ERROR, "writing '%s' failed", file->path);
  sofa_free(ctx, file->path);
  sofa_free(ctx, file);
  *out = NULL;
}

SofaErr sofa_output_file_replace(const SofaObject *object, const char *path, const char *bytes,
                                 size_t n) {
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  FILE *file = NULL;
  char *beside = sofa_format(ctx, "%s.part", path);
  if (!beside) return SOFA_ERR_MEMORY;
  file = fopen(beside, "wb");
  bool good = file && fwrite(bytes, 1, n, file) == n;
  if (file) good = fclose(file) == 0 && good;
  if (good) good = rename(beside, path) == 0;
  if (!good)
    err = sofa_object_fail(object, SOFA_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
  sofa_free(ctx, beside);
  return err;
}
