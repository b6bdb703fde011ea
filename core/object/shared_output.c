/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of one file: their places follow from their lengths, which all processes tell each other. */
#include "object/shared_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the first process says of the file. */
typedef struct Told {
  uint64_t runs, packs, number; /* of the file in its file system */
  char path[PATH_MAX];
} Told;

/* What each process says of a write. */
typedef struct Run {
  uint64_t failed, n, n_placed; /* bytes of the content; bytes in the file */
  uint64_t at;                  /* of the first process: the end of what it wrote */
} Run;

static SofaErr tell(const SofaSharedOutput *file, Told *told) {
  struct stat info;
  told->runs = sofa_output_runs(file->output);
  told->packs = sofa_output_is_packed(file->output);
  if (told->runs != SOFA_RUNS_PLACED) return SOFA_OK;
  if (snprintf(told->path, sizeof told->path, "%s", sofa_output_temporary(file->output)) >=
      (int)sizeof told->path)
    return sofa_output_lose(file->output, strerror(ENAMETOOLONG));
  if (lstat(told->path, &info) != 0) return sofa_output_lose(file->output, strerror(errno));
  told->number = (uint64_t)info.st_ino; /* devices have other numbers on other machines */
  return SOFA_OK;
}

/* Is it the file that the first process has made? */
static bool is_told(int descriptor, const Told *told) {
  struct stat info;
  return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) &&
         (uint64_t)info.st_ino == told->number;
}

static SofaErr open_told(SofaSharedOutput *file, const Told *told) {
  file->descriptor = open(told->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file->descriptor >= 0 && is_told(file->descriptor, told)) return SOFA_OK;
  return sofa_output_lose(
      file->output, file->descriptor < 0 && errno != ENOENT
                        ? strerror(errno)
                        : "the file that the first process has begun is not there: the processes "
                          "need a common file system");
}

/* The first process has made the file, the others open it. *own: the failure of this one. */
static SofaErr join(SofaContext *ctx, SofaSharedOutput *file, SofaErr *own) {
  const bool first = sofa_process_rank(ctx) == 0;
  Told told = {0};
  if (first) *own = tell(file, &told);
  SOFA_TRY(sofa_process_spread(ctx, 0, sizeof told, &told));
  told.path[sizeof told.path - 1] = '\0';
  file->descriptor = -1;
  file->joined = true;
  file->runs = (SofaOutputRuns)told.runs;
  file->packs = told.packs && file->runs == SOFA_RUNS_PLACED;
  if (!first && file->runs == SOFA_RUNS_PLACED) *own = open_told(file, &told);
  return SOFA_OK;
}

/* What this process has to say of its bytes; the first one writes its own. */
static SofaErr begin_write(SofaContext *ctx, SofaSharedOutput *file, const char *bytes, size_t n,
                           Run *run) {
  run->n = n;
  file->packed.n = 0;
  if (sofa_process_rank(ctx) == 0) {
    run->n = 0;
    SOFA_TRY(sofa_output_write(file->output, bytes, n));
    return sofa_output_settle(file->output, &run->at);
  }
  if (file->packs) SOFA_TRY(sofa_output_pack(ctx, bytes, n, &file->packed));
  run->n_placed = file->packs ? file->packed.n : n;
  return SOFA_OK;
}

/* Any failure is one of all: reported by those that had it. */
static SofaErr agree(SofaSharedOutput *file, const Run *runs, int n, SofaErr err) {
  if (err != SOFA_OK) {
    sofa_output_lose(file->output, NULL);
    return err;
  }
  for (int r = 0; r < n; r++)
    if (runs[r].failed) return sofa_output_lose(file->output, NULL);
  return SOFA_OK;
}

static SofaErr write_at(SofaSharedOutput *file, const char *bytes, size_t n, uint64_t at) {
  while (n) {
    const ssize_t done = pwrite(file->descriptor, bytes, n, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return sofa_output_lose(file->output, strerror(done < 0 ? errno : ENOSPC));
    bytes += done;
    at += (uint64_t)done;
    n -= (size_t)done;
  }
  return SOFA_OK;
}

/* At the place behind the runs of lower ranks. */
static SofaErr write_placed(SofaContext *ctx, SofaSharedOutput *file, const char *bytes,
                            const Run *runs) {
  const int rank = sofa_process_rank(ctx), n = sofa_process_count(ctx);
  uint64_t at = runs[0].at, total = 0, content = 0;
  for (int r = 1; r < rank; r++) at += runs[r].n_placed;
  for (int r = 1; r < n; r++) total += runs[r].n_placed;
  for (int r = 1; r < n; r++) content += runs[r].n;
  if (rank == 0) return sofa_output_skip(file->output, total, content);
  return write_at(file, file->packs ? file->packed.data : bytes, runs[rank].n_placed, at);
}

/* To the first process, one after the other. */
static SofaErr pass_on(SofaContext *ctx, SofaSharedOutput *file, const char *bytes, const Run *runs,
                       SofaErr *own) {
  const bool first = sofa_process_rank(ctx) == 0;
  const size_t n = (size_t)sofa_process_count(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  size_t *lengths = SOFA_SCRATCH(ctx, size_t, n);
  SofaErr err = lengths ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t r = 1; r < n && err == SOFA_OK; r++) {
    for (size_t k = 0; k < n; k++) lengths[k] = k == r ? runs[k].n : 0;
    err = SOFA_RESIZE(ctx, &file->packed, first ? runs[r].n : 0);
    if (err == SOFA_OK) err = sofa_process_gather(ctx, 0, lengths, bytes, file->packed.data);
    if (err == SOFA_OK && first && *own == SOFA_OK)
      *own = sofa_output_write(file->output, file->packed.data, file->packed.n);
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr write_runs(SofaContext *ctx, SofaSharedOutput *file, const char *bytes,
                          const Run *runs, SofaErr *own) {
  uint64_t at;
  if (file->runs == SOFA_RUNS_PLACED) *own = write_placed(ctx, file, bytes, runs);
  if (file->runs != SOFA_RUNS_PASSED) return SOFA_OK;
  SOFA_TRY(pass_on(ctx, file, bytes, runs, own));
  if (sofa_process_rank(ctx) == 0 && *own == SOFA_OK) *own = sofa_output_settle(file->output, &at);
  return SOFA_OK;
}

/* By all processes: `runs` has room for each. */
static SofaErr write_together(SofaContext *ctx, SofaSharedOutput *file, const char *bytes, size_t n,
                              Run *runs) {
  const int n_processes = sofa_process_count(ctx);
  Run run = {0};
  SofaErr own = SOFA_OK;
  if (!file->joined) SOFA_TRY(join(ctx, file, &own));
  if (own == SOFA_OK) own = begin_write(ctx, file, bytes, n, &run);
  run.failed = own != SOFA_OK;
  SOFA_TRY(sofa_process_collect(ctx, sizeof run, &run, runs));
  SOFA_TRY(agree(file, runs, n_processes, own));
  SOFA_TRY(write_runs(ctx, file, bytes, runs, &own));
  run.failed = own != SOFA_OK;
  SOFA_TRY(sofa_process_collect(ctx, sizeof run, &run, runs));
  return agree(file, runs, n_processes, own);
}

SofaErr sofa_shared_output_write(SofaContext *ctx, SofaSharedOutput *file, const char *bytes,
                                 size_t n) {
  if (!ctx->processes) {
    SOFA_TRY(sofa_output_write(file->output, bytes, n));
    return sofa_output_flush(file->output);
  }
  Run *runs = sofa_alloc(ctx, (size_t)sofa_process_count(ctx), sizeof *runs);
  const SofaErr err = runs ? write_together(ctx, file, bytes, n, runs) : SOFA_ERR_MEMORY;
  sofa_free(ctx, runs);
  return err;
}

void sofa_shared_output_end(SofaContext *ctx, SofaSharedOutput *file) {
  if (file->joined && file->descriptor >= 0) close(file->descriptor);
  sofa_list_free(ctx, &file->packed);
  *file = (SofaSharedOutput){0};
}
