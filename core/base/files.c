/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* File search along the data paths, reading of whole files, path arithmetic. */
#include "base/files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>
#include "base/array.h"
#include "base/provenance.h"

bool sofa_is_file(const char *path) {
  struct stat info;
  return path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool sofa_is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool sofa_is_absolute(const char *path) {
  return path && path[0] == '/';
}

const char *sofa_path_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char *sofa_path_extension(const char *path) {
  const char *name = sofa_path_name(path);
  const char *dot = strrchr(name, '.');
  return dot && dot != name ? dot + 1 : "";
}

char *sofa_path_folder(SofaContext *ctx, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return sofa_strdup(ctx, ".");
  return sofa_strndup(ctx, path, slash == path ? 1 : (size_t)(slash - path));
}

char *sofa_path_join(SofaContext *ctx, const char *folder, const char *name) {
  if (!folder || !*folder || strcmp(folder, ".") == 0 || sofa_is_absolute(name)) {
    return sofa_strdup(ctx, name);
  }
  const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
  return sofa_format(ctx, "%s%s%s", folder, slash, name);
}

SofaErr sofa_make_folder(SofaContext *ctx, const char *path) {
  SofaErr err = SOFA_OK;
  char *part = sofa_strdup(ctx, path);
  if (!part) return SOFA_ERR_MEMORY;
  for (char *end = part + (*part == '/'); *part && err == SOFA_OK; end++) {
    const char kept = *(end += strcspn(end, "/"));
    *end = '\0';
    if (mkdir(part, 0777) != 0 && !sofa_is_folder(part))
      err = sofa_fail(ctx, SOFA_ERR_IO, &(SofaOrigin){.file = part}, "cannot make this folder: %s",
                      strerror(errno));
    *end = kept;
    if (!kept) break;
  }
  sofa_free(ctx, part);
  return err;
}

/* *out is NULL with SOFA_OK when there is no such file. */
static SofaErr try_file(SofaContext *ctx, const char *folder, const char *name, char **out) {
  char *path = sofa_path_join(ctx, folder, name);
  if (!path) return SOFA_ERR_MEMORY;
  if (sofa_is_file(path)) *out = path;
  else sofa_free(ctx, path);
  return SOFA_OK;
}

SofaErr sofa_find_file(SofaContext *ctx, const char *folder, const char *name, char **out) {
  *out = NULL;
  if (!name || !*name) return SOFA_ERR_NOT_FOUND;
  SOFA_TRY(try_file(ctx, folder, name, out));
  const size_t n = sofa_is_absolute(name) ? 0 : ctx->n_data_paths;
  for (size_t i = 0; i < n && !*out; i++) SOFA_TRY(try_file(ctx, ctx->data_paths[i], name, out));
  return *out ? SOFA_OK : SOFA_ERR_NOT_FOUND;
}

/* ---- reading ---- */

static size_t first_capacity(const char *path, size_t max_size) {
  struct stat info;
  size_t n = 4096;
  if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
    n = (size_t)info.st_size + 2;
  }
  return max_size && n > max_size + 2 ? max_size + 2 : n;
}

/* Appends what the stream holds to text, up to one byte more than max_size. */
static SofaErr read_stream(SofaContext *ctx, const SofaOrigin *where, gzFile in, size_t max_size,
                           SofaText *text) {
  for (;;) {
    // room for one more byte and the NUL
    if (text->capacity - text->n < 2) {
      SOFA_TRY(sofa_list_reserve(ctx, text, 1, text->capacity + text->capacity / 2 + 2));
    }
    size_t room = text->capacity - text->n - 1;
    if (room > (size_t)1 << 30) room = (size_t)1 << 30;
    const int got = gzread(in, text->data + text->n, (unsigned)room);
    if (got < 0) {
      int code = 0;
      const char *why = gzerror(in, &code);
      return sofa_fail(ctx, SOFA_ERR_IO, where, "cannot read the file: %s",
                       code == Z_ERRNO ? strerror(errno) : why);
    }
    if (got == 0) return SOFA_OK;
    text->n += (size_t)got;
    if (max_size && text->n > max_size) {
      return sofa_fail(ctx, SOFA_ERR_RANGE, where, "the file holds more than %zu bytes", max_size);
    }
  }
}

/* Devices such as /dev/zero have no end. */
static bool is_device(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode));
}

SofaErr sofa_read_file(SofaContext *ctx, const char *path, size_t max_size, char **bytes,
                       size_t *size) {
  const SofaOrigin where = {.file = path};
  SofaErr err = SOFA_OK;
  SofaText text = {0};
  *bytes = NULL;
  *size = 0;
  if (is_device(path)) return sofa_fail(ctx, SOFA_ERR_IO, &where, "this is a device, not a file");
  errno = 0;
  gzFile in = gzopen(path, "rb");
  if (!in) {
    const int code = errno ? errno : ENOMEM;
    return sofa_fail(ctx, code == ENOENT ? SOFA_ERR_NOT_FOUND : SOFA_ERR_IO, &where,
                     "cannot open the file: %s", strerror(code));
  }
  SOFA_GO(err, done, SOFA_RESERVE(ctx, &text, first_capacity(path, max_size)));
  SOFA_GO(err, done, read_stream(ctx, &where, in, max_size, &text));
done:
  // a compressed stream cut short shows only here
  if (gzclose(in) != Z_OK && !err) {
    err = sofa_fail(ctx, SOFA_ERR_IO, &where, "cannot read the file: it is incomplete");
  }
  if (!err) err = sofa_provenance_file(ctx, path, text.data, text.n);
  if (err) {
    sofa_list_free(ctx, &text);
    return err;
  }
  text.data[text.n] = '\0';
  *bytes = text.data;
  *size = text.n;
  return SOFA_OK;
}
