/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing of files: temporary names, renaming, the folder that a scene is confined to. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/files.h"
#include "base/provenance.h"

#define NOWHERE "/dev/null"
enum { ANYBODY_MAY_WRITE = S_IWUSR | S_IWGRP | S_IWOTH, MAX_NAMES = 100 };

struct SofaOutput {
  SofaContext *ctx;
  SofaOutputSpec spec;
  char *path;      /* owned */
  char *temporary; /* owned; NULL: `path` is written to as it is */
  char *cut;       /* owned; NAME.cut in the folder, where there is a temporary name */
  int folder;      /* descriptor, -1 */
  FILE *plain;     /* one of the two */
  gzFile packed;
  int packed_fd;    /* that of `packed` */
  bool member_open; /* something was packed since it was settled */
  const char *end;  /* static; NULL: none */
  uint64_t n;       /* bytes written, before compression */
  bool written;     /* there is something to complete */
  bool lost;
};

static void report(SofaContext *ctx, const SofaOutputSpec *spec, const char *why) {
  if (spec->report) spec->report(spec->user, spec->path, why);
  else
    sofa_message(ctx, SOFA_ERROR, &(SofaOrigin){.file = spec->path}, "cannot write %s: %s",
                 spec->what ? spec->what : "the file", why);
}

static const char *text_of(int code) {
  return code ? strerror(code) : "the write failed";
}

SofaErr sofa_output_lose(SofaOutput *file, const char *why) {
  if (file->lost) return SOFA_ERR_IO;
  file->lost = true;
  file->ctx->n_lost_outputs++;
  if (why) report(file->ctx, &file->spec, why);
  return SOFA_ERR_IO;
}

/* ---- what may be written ---- */

/* Is the open folder that of outputs or below it? */
static bool is_inside(const SofaContext *ctx, int folder, const char *path) {
  char here[PATH_MAX], there[PATH_MAX];
  struct stat named, opened;
  const char *top = ctx->output_folder ? ctx->output_folder : ".";
  if (!realpath(top, here) || !realpath(path, there)) return false;
  // the path may have changed since it was opened
  if (stat(there, &named) != 0 || fstat(folder, &opened) != 0) return false;
  if (named.st_dev != opened.st_dev || named.st_ino != opened.st_ino) return false;
  const size_t n = strlen(here);
  return strncmp(here, there, n) == 0 && (n == 1 || there[n] == '/' || !there[n]);
}

static bool may_write(int folder, const char *name, const struct stat *info) {
  return (info->st_mode & ANYBODY_MAY_WRITE) && faccessat(folder, name, W_OK, 0) == 0;
}

/* Why a file may not be written. */
typedef struct Why {
  char text[256];
} Why;

static bool refuse(Why *why, const char *text) {
  snprintf(why->text, sizeof why->text, "%s", text);
  return false;
}

static bool refuse_folder(Why *why, const char *before, const char *folder, const char *behind) {
  snprintf(why->text, sizeof why->text, "%s '%.200s'%s", before, folder, behind);
  return false;
}

/* May there be a file of this name in the open folder? *as_is: without a temporary name. */
static bool may_be_in(int folder, const SofaOutputSpec *spec, bool *as_is, Why *why) {
  const char *name = sofa_path_name(spec->path);
  struct stat info;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT || refuse(why, strerror(errno));
  if (S_ISDIR(info.st_mode)) return refuse(why, "it is a folder");
  if (S_ISREG(info.st_mode))
    return may_write(folder, name, &info) || refuse(why, "the file may not be written");
  const bool system = strncmp(spec->path, "/dev/", 5) == 0 || strncmp(spec->path, "/proc/", 6) == 0;
  if (S_ISLNK(info.st_mode) && !system) return true;
  *as_is = !spec->of_scene;
  return *as_is || refuse(why, "it is not a regular file");
}

static bool may_be_in_path(const SofaContext *ctx, const SofaOutputSpec *spec, const char *path,
                           int *folder, Why *why) {
  struct stat info;
  *folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (*folder < 0 && (errno == ENOENT || errno == ENOTDIR))
    return refuse_folder(why, "there is no folder", path, "");
  if (*folder < 0 || fstat(*folder, &info) != 0) return refuse(why, strerror(errno));
  if (spec->of_scene && ctx->sandbox && !is_inside(ctx, *folder, path))
    return refuse(why, "with --sandbox a scene writes only below the output folder");
  // a device needs no place for a temporary file
  if (strncmp(spec->path, "/dev/", 5) == 0) return true;
  return may_write(*folder, ".", &info) ||
         refuse_folder(why, "folder", path, " may not be written");
}

/* Opens the folder; *as_is: the file is written without a temporary name. */
static bool may_be_written(SofaContext *ctx, const SofaOutputSpec *spec, int *folder, bool *as_is,
                           Why *why) {
  *as_is = false;
  if (!*sofa_path_name(spec->path)) return refuse(why, "it is not the name of a file");
  char *path = sofa_path_folder(ctx, spec->path);
  if (!path) return refuse(why, "out of memory");
  const bool may = may_be_in_path(ctx, spec, path, folder, why);
  sofa_free(ctx, path);
  return may && may_be_in(*folder, spec, as_is, why);
}

/* The path that a relative one means; the caller frees. */
static char *full_path(SofaContext *ctx, const char *path) {
  const bool here = !ctx->output_folder || path[0] == '/' || !path[0];
  return here ? sofa_strdup(ctx, path) : sofa_path_join(ctx, ctx->output_folder, path);
}

SofaErr sofa_output_check(SofaContext *ctx, const SofaOutputSpec *given) {
  int folder = -1;
  bool as_is;
  Why why;
  SofaOutputSpec spec = *given;
  char *path = full_path(ctx, given->path);
  if (!path) return SOFA_ERR_MEMORY;
  spec.path = path;
  const bool may = may_be_written(ctx, &spec, &folder, &as_is, &why);
  if (folder >= 0) close(folder);
  if (!may) report(ctx, &spec, why.text);
  sofa_free(ctx, path);
  return may ? SOFA_OK : SOFA_ERR_IO;
}

/* ---- temporary names ---- */

/* NAME.part, NAME.2.part, ..., or NAME.part.mp4; the caller frees. */
static char *temporary_name(const SofaOutput *file, int number) {
  char count[16] = "";
  const char *extension = file->spec.media ? sofa_path_extension(file->path) : "";
  if (number > 1) snprintf(count, sizeof count, ".%d", number);
  return sofa_format(file->ctx, "%s%s.part%s%s", file->path, count, *extension ? "." : "",
                     extension);
}

/* Is it a link, or a file that no run is writing? */
static bool is_abandoned(int folder, const char *name) {
  struct stat info;
  const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return errno == ELOOP;
  const bool is =
      fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return is;
}

static bool size_in(int folder, const char *name, off_t *size) {
  struct stat info;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
    return false;
  *size = info.st_size;
  return true;
}

/* What a killed run left is kept while it is longer than what an earlier one left. */
static void set_aside(int folder, const char *name, const char *cut) {
  off_t size = 0, before = 0;
  const bool longer = size_in(folder, name, &size) && size > 0 &&
                      (!size_in(folder, cut, &before) || size >= before);
  if (!longer || renameat(folder, name, folder, cut) != 0) unlinkat(folder, name, 0);
}

static int create(int folder, const char *name, const char *cut) {
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = openat(folder, name, flags, 0666);
  if (fd < 0 && errno == EEXIST) {
    if (is_abandoned(folder, name)) set_aside(folder, name, cut);
    fd = openat(folder, name, flags, 0666);
  }
  return fd;
}

/* The file keeps the permissions of the one that it will replace. */
static void keep_mode(const SofaOutput *file, int fd) {
  struct stat info;
  if (fstatat(file->folder, sofa_path_name(file->path), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      S_ISREG(info.st_mode))
    (void)!fchmod(fd, info.st_mode & 0777);
}

static int create_temporary(SofaOutput *file) {
  int fd = -1;
  file->cut = sofa_format(file->ctx, "%s.cut", sofa_path_name(file->path));
  if (!file->cut) {
    errno = ENOMEM;
    return -1;
  }
  for (int i = 1; i <= MAX_NAMES && fd < 0; i++) {
    sofa_free(file->ctx, file->temporary);
    file->temporary = temporary_name(file, i);
    if (!file->temporary) errno = ENOMEM;
    else fd = create(file->folder, sofa_path_name(file->temporary), file->cut);
    if (fd < 0 && errno != EEXIST) break;
  }
  if (fd < 0) return -1;
  flock(fd, LOCK_EX | LOCK_NB);
  keep_mode(file, fd);
  return fd;
}

/* ---- life ---- */

static bool is_dropped(const SofaOutput *file) {
  return file->ctx->discard_outputs && !(file->ctx->processes && file->spec.piece);
}

static void release(SofaOutput **out) {
  SofaOutput *file = *out;
  if (file->folder >= 0) close(file->folder);
  sofa_free(file->ctx, file->path);
  sofa_free(file->ctx, file->temporary);
  sofa_free(file->ctx, file->cut);
  sofa_free(file->ctx, file);
  *out = NULL;
}

/* Opens what is written to; -1: see errno. */
static int open_written(SofaOutput *file, bool as_is) {
  const int flags = O_WRONLY | O_CLOEXEC;
  if (is_dropped(file)) return open(NOWHERE, flags);
  return as_is ? open(file->path, flags | O_TRUNC | O_NOCTTY) : create_temporary(file);
}

/* Rows of numbers at zlib's level 4 are 7 % larger than at its default 6, and take a third of the
 * time. */
#define PACKED_MODE "wb4"
enum { PACKED_LEVEL = 4 };

static bool begin(SofaOutput *file, Why *why) {
  bool as_is;
  if (!may_be_written(file->ctx, &file->spec, &file->folder, &as_is, why)) return false;
  errno = 0;
  const int fd = open_written(file, as_is);
  if (fd < 0) return refuse(why, text_of(errno));
  const bool packed = file->spec.gzip && strcmp(sofa_path_extension(file->path), "gz") == 0;
  if (packed) file->packed = gzdopen(fd, PACKED_MODE);
  else file->plain = fdopen(fd, "wb");
  file->packed_fd = fd;
  if (file->plain || file->packed) return true;
  close(fd);
  if (file->temporary) unlinkat(file->folder, sofa_path_name(file->temporary), 0);
  return refuse(why, text_of(ENOMEM));
}

/* Opens the file of a full path. */
static SofaErr open_full(SofaContext *ctx, const SofaOutputSpec *spec, SofaOutput **out) {
  Why why;
  *out = NULL;
  SofaOutput *file = sofa_alloc(ctx, 1, sizeof *file);
  if (!file) return SOFA_ERR_MEMORY;
  *file = (SofaOutput){.ctx = ctx, .spec = *spec, .folder = -1, .written = spec->empty};
  file->path = sofa_strdup(ctx, spec->path);
  file->spec.path = file->path;
  if (file->path && begin(file, &why)) {
    *out = file;
    return SOFA_OK;
  }
  if (file->path) report(ctx, &file->spec, why.text);
  const SofaErr err = file->path ? SOFA_ERR_IO : SOFA_ERR_MEMORY;
  release(&file);
  return err;
}

SofaErr sofa_output_open(SofaContext *ctx, const SofaOutputSpec *spec, SofaOutput **out) {
  SofaOutputSpec full = *spec;
  char *path = full_path(ctx, spec->path);
  *out = NULL;
  full.path = path;
  const SofaErr err = path ? open_full(ctx, &full, out) : SOFA_ERR_MEMORY;
  sofa_free(ctx, path);
  return err;
}

FILE *sofa_output_stream(SofaOutput *file) {
  file->written = true;
  return file->plain;
}

bool sofa_output_is_packed(const SofaOutput *file) {
  return file->packed != NULL;
}

void sofa_output_end(SofaOutput *file, const char *end) {
  file->end = end;
}

static SofaErr put_bytes(SofaOutput *file, const char *bytes, size_t n) {
  const size_t largest = (size_t)1 << 20;
  if (file->lost) return SOFA_ERR_IO;
  file->written |= n > 0;
  file->n += n;
  errno = 0;
  while (n > 0) {
    const size_t part = n < largest ? n : largest;
    const bool good = file->plain ? fwrite(bytes, 1, part, file->plain) == part
                                  : gzwrite(file->packed, bytes, (unsigned)part) == (int)part;
    if (!good) return sofa_output_lose(file, text_of(errno));
    file->member_open = file->packed != NULL;
    bytes += part;
    n -= part;
  }
  return SOFA_OK;
}

const char *sofa_output_temporary(const SofaOutput *file) {
  if (is_dropped(file)) return NOWHERE;
  return file->temporary ? file->temporary : file->path;
}

/* ---- provenance ---- */

SofaRemark sofa_remark_of(const char *path) {
  static const char *const hash[] = {"obj", "mtl"};
  static const char *const xml[] = {"vtu", "pvtu", "vtp", "vti", "vts", "pvd", "scn", "xml"};
  const char *extension = sofa_path_extension(path);
  for (size_t i = 0; i < sizeof hash / sizeof *hash; i++)
    if (strcmp(extension, hash[i]) == 0) return SOFA_REMARK_HASH;
  for (size_t i = 0; i < sizeof xml / sizeof *xml; i++)
    if (strcmp(extension, xml[i]) == 0) return SOFA_REMARK_XML;
  return SOFA_REMARK_BESIDE;
}

/* Writes the remark that stands before the bytes, or behind the first line of them. Returns how
 * many bytes were written. */
static size_t write_remark(SofaOutput *file, const char *bytes, size_t n) {
  const char *line = sofa_provenance(file->ctx);
  const bool xml = file->spec.provenance == SOFA_REMARK_XML;
  const char *behind = xml ? memchr(bytes, '\n', n) : NULL;
  const size_t head = behind ? (size_t)(behind + 1 - bytes) : 0;
  const bool inside = xml || file->spec.provenance == SOFA_REMARK_HASH;
  if (file->n > 0 || !line || !inside || (xml && !behind)) return 0;
  put_bytes(file, bytes, head);
  put_bytes(file, xml ? "<!-- " : "# ", xml ? 5 : 2);
  put_bytes(file, line, strlen(line));
  put_bytes(file, xml ? " -->\n" : "\n", xml ? 5 : 1);
  return head;
}

/* A link or a file in the place of NAME.provenance is replaced, as any output. */
static SofaErr write_beside(const SofaOutput *file) {
  const char *line = sofa_provenance(file->ctx);
  if (!line || file->spec.provenance != SOFA_REMARK_BESIDE || is_dropped(file)) return SOFA_OK;
  char *path = sofa_format(file->ctx, "%s.provenance", file->path);
  char *text = sofa_format(file->ctx, "%s\n", line);
  const SofaOutputSpec spec = {.path = path,
                               .what = "the provenance",
                               .of_scene = file->spec.of_scene,
                               .provenance = SOFA_REMARK_NONE};
  SofaOutput *beside = NULL;
  SofaErr err = path && text ? open_full(file->ctx, &spec, &beside) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) {
    sofa_output_write(beside, text, strlen(text));
    err = sofa_output_close(&beside);
  } else file->ctx->n_lost_outputs++;
  sofa_free(file->ctx, path);
  sofa_free(file->ctx, text);
  return err;
}

SofaErr sofa_output_write(SofaOutput *file, const char *bytes, size_t n) {
  const size_t head = n > 0 ? write_remark(file, bytes, n) : 0;
  return put_bytes(file, bytes + head, n - head);
}

SofaErr sofa_output_flush(SofaOutput *file) {
  errno = 0;
  if (!file->lost && file->plain && fflush(file->plain) != 0)
    sofa_output_lose(file, text_of(errno));
  return file->lost ? SOFA_ERR_IO : SOFA_OK;
}

SofaErr sofa_output_rewind(SofaOutput *file) {
  if (file->lost) return SOFA_ERR_IO;
  if (is_dropped(file)) return SOFA_OK;
  file->n = 0;
  errno = 0;
  if (file->plain && fseek(file->plain, 0, SEEK_SET) == 0 && ftruncate(fileno(file->plain), 0) == 0)
    return SOFA_OK;
  return sofa_output_lose(file, text_of(errno));
}

/* ---- runs of other processes ---- */

SofaOutputRuns sofa_output_runs(const SofaOutput *file) {
  if (is_dropped(file)) return SOFA_RUNS_NONE;
  return file->temporary ? SOFA_RUNS_PLACED : SOFA_RUNS_PASSED;
}

SofaErr sofa_output_settle(SofaOutput *file, uint64_t *at) {
  *at = 0;
  SOFA_TRY(sofa_output_flush(file));
  errno = 0;
  if (file->member_open && gzflush(file->packed, Z_FINISH) != Z_OK)
    return sofa_output_lose(file, text_of(errno));
  file->member_open = false;
  if (sofa_output_runs(file) != SOFA_RUNS_PLACED) return SOFA_OK;
  const off_t place = file->plain ? ftello(file->plain) : lseek(file->packed_fd, 0, SEEK_CUR);
  if (place < 0) return sofa_output_lose(file, text_of(errno));
  *at = (uint64_t)place;
  return SOFA_OK;
}

/* zlib writes where the descriptor stands. */
SofaErr sofa_output_skip(SofaOutput *file, uint64_t n_placed, uint64_t n) {
  if (file->lost) return SOFA_ERR_IO;
  file->n += n;
  file->written |= n > 0;
  errno = 0;
  const bool moved = sofa_output_runs(file) != SOFA_RUNS_PLACED ||
                     (file->plain ? fseeko(file->plain, (off_t)n_placed, SEEK_CUR) == 0
                                  : lseek(file->packed_fd, (off_t)n_placed, SEEK_CUR) >= 0);
  return moved ? SOFA_OK : sofa_output_lose(file, text_of(errno));
}

SofaErr sofa_output_pack(SofaContext *ctx, const char *bytes, size_t n, SofaText *out) {
  enum { GZIP = 15 + 16, MEMORY = 8, PIECE = 1 << 16, LARGEST = 1 << 30 };
  z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes};
  SofaErr err = SOFA_OK;
  int state = Z_OK;
  if (!n) return SOFA_OK;
  if (deflateInit2(&z, PACKED_LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
    return SOFA_ERR_MEMORY;
  while (state == Z_OK && err == SOFA_OK) {
    char packed[PIECE];
    const size_t part = n < LARGEST ? n : LARGEST;
    if (!z.avail_in) {
      z.avail_in = (uInt)part;
      n -= part;
    }
    z.next_out = (Bytef *)packed;
    z.avail_out = sizeof packed;
    state = deflate(&z, n ? Z_NO_FLUSH : Z_FINISH);
    err = sofa_text_append(ctx, out, packed, sizeof packed - z.avail_out);
  }
  deflateEnd(&z);
  return err == SOFA_OK && state != Z_STREAM_END ? SOFA_ERR_MEMORY : err;
}

/* ---- going on ---- */

uint64_t sofa_output_written(const SofaOutput *file) {
  return file->n;
}

/* Copies n bytes of a file, which may be compressed, or only counts them (to NULL). */
static bool copy_bytes(SofaOutput *to, const char *path, uint64_t n) {
  char bytes[4096];
  gzFile from = gzopen(path, "rb");
  bool good = from != NULL;
  while (good && n > 0) {
    const unsigned part = n < sizeof bytes ? (unsigned)n : (unsigned)sizeof bytes;
    good = gzread(from, bytes, part) == (int)part && (!to || put_bytes(to, bytes, part) == SOFA_OK);
    n -= part;
  }
  if (from) gzclose(from);
  return good;
}

/* The name of a file with n bytes at least: of a killed run, or the complete one. Caller frees. */
static char *longer_file(const SofaOutput *file, uint64_t n) {
  for (int i = 0; i < 2; i++) {
    char *path = sofa_format(file->ctx, "%s%s", file->path, i ? "" : ".cut");
    if (!path || copy_bytes(NULL, path, n)) return path;
    sofa_free(file->ctx, path);
  }
  return NULL;
}

SofaErr sofa_output_continue(SofaOutput *file, uint64_t n, bool *found) {
  *found = false;
  if (file->lost) return SOFA_OK;
  if (is_dropped(file)) {
    *found = true;
    file->n = n;
    return SOFA_OK;
  }
  if (!file->temporary) return SOFA_OK;
  if (file->packed && file->n > 0) return SOFA_OK; // it cannot begin again
  char *path = longer_file(file, n);
  if (!path) return SOFA_OK;
  SofaErr err = file->packed ? SOFA_OK : sofa_output_rewind(file);
  if (err == SOFA_OK) *found = copy_bytes(file, path, n);
  if (err == SOFA_OK && !*found)
    err = sofa_output_lose(file, "the file that it goes on from changed");
  sofa_free(file->ctx, path);
  return err == SOFA_OK ? sofa_output_flush(file) : err;
}

/* Closes the stream; what it kept back may fail only now. */
static void close_stream(SofaOutput *file) {
  errno = 0;
  bool good = !file->plain || !ferror(file->plain);
  if (file->plain) good = fclose(file->plain) == 0 && good;
  if (file->packed) good = gzclose(file->packed) == Z_OK && good;
  if (!good) sofa_output_lose(file, text_of(errno));
}

SofaErr sofa_output_close(SofaOutput **out) {
  SofaOutput *file = *out;
  if (!file) return SOFA_OK;
  if (file->end && file->written && !file->lost) put_bytes(file, file->end, strlen(file->end));
  close_stream(file);
  if (file->temporary) {
    const char *from = sofa_path_name(file->temporary), *to = sofa_path_name(file->path);
    if (file->written && !file->lost && renameat(file->folder, from, file->folder, to) != 0)
      sofa_output_lose(file, text_of(errno));
    if (!file->written || file->lost) unlinkat(file->folder, from, 0);
    else unlinkat(file->folder, file->cut, 0);
  }
  SofaErr err = file->lost ? SOFA_ERR_IO : SOFA_OK;
  if (err == SOFA_OK && file->written && file->temporary) err = write_beside(file);
  release(out);
  return err;
}

void sofa_output_discard(SofaOutput **out) {
  if (!*out) return;
  (*out)->lost = true; /* nothing is reported */
  sofa_output_close(out);
}

SofaErr sofa_output_whole(SofaContext *ctx, const SofaOutputSpec *spec, const char *bytes,
                          size_t n) {
  SofaOutput *file = NULL;
  const SofaErr err = sofa_output_open(ctx, spec, &file);
  ctx->n_lost_outputs += err != SOFA_OK;
  if (err != SOFA_OK) return err;
  file->written = true;
  sofa_output_write(file, bytes, n);
  return sofa_output_close(&file);
}
