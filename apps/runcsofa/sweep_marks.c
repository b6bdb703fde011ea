/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders of variants and the marks of finished ones. */
#include "sweep_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/files.h"
#include "base/output.h"

static uint64_t add_text(uint64_t sum, const char *text) {
  return sofa_checksum(sum, text, strlen(text) + 1);
}

/* Options that change where a sweep runs, not what it computes; their values follow them. */
static bool is_own(const char *word, bool *takes_value) {
  static const char *const names[] = {"--sweep-only", "--out", "--jobs", "--log", "--formatting"};
  if (strncmp(word, "--hideProgressBar", 6) == 0 || strncmp(word, "--colors", 8) == 0) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t n = strlen(names[i]);
    if (strncmp(word, names[i], n) != 0 || (word[n] && word[n] != '=')) continue;
    *takes_value = !word[n];
    return true;
  }
  return false;
}

static SofaErr make_stamp(Sweep *sweep) {
  const RunOptions *o = sweep->options;
  char *bytes = NULL;
  size_t size = 0;
  uint64_t sum = add_text(SOFA_CHECKSUM_BEGIN, CSOFA_VERSION);
  SOFA_TRY(sofa_read_file(sweep->ctx, o->scene, 0, &bytes, &size));
  sum = sofa_checksum(sum, bytes, size);
  sofa_free(sweep->ctx, bytes);
  for (int i = 1; i < o->argc; i++) {
    bool takes_value = false;
    if (is_own(o->argv[i], &takes_value)) i += takes_value;
    else sum = add_text(sum, o->argv[i]);
  }
  for (size_t i = 0; i < sweep->variants.n * sweep->variants.n_settings; i++)
    sum = add_text(sum, sweep->variants.values[i]);
  sweep->stamp = sum;
  return SOFA_OK;
}

SofaErr sweep_open(SofaContext *ctx, const RunOptions *options, Sweep *out) {
  *out = (Sweep){.ctx = ctx, .options = options, .folder = options->out ? options->out : "sweep"};
  SOFA_TRY(variants_read(ctx, &options->sweep, &out->variants));
  return make_stamp(out);
}

void sweep_close(Sweep *sweep) {
  variants_free(sweep->ctx, &sweep->variants);
}

char *sweep_folder(const Sweep *sweep, size_t variant) {
  int digits = 4;
  for (size_t n = sweep->variants.n / 10000; n > 0; n /= 10) digits++;
  return sofa_format(sweep->ctx, "%s/%0*zu", sweep->folder, digits, variant);
}

static char *mark_path(const Sweep *sweep, size_t variant) {
  char *folder = sweep_folder(sweep, variant);
  char *path = folder ? sofa_path_join(sweep->ctx, folder, "finished.txt") : NULL;
  sofa_free(sweep->ctx, folder);
  return path;
}

static SofaErr read_mark(const Sweep *sweep, const char *path, int *status) {
  unsigned long long stamp = 0;
  char *bytes = NULL;
  size_t size = 0;
  SOFA_TRY(sofa_read_file(sweep->ctx, path, 4096, &bytes, &size));
  const bool good = sscanf(bytes, "status %d sweep %llx", status, &stamp) == 2;
  sofa_free(sweep->ctx, bytes);
  if (good && stamp == sweep->stamp) return SOFA_OK;
  return sofa_fail(sweep->ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.file = path},
                   "the folder has a result of another sweep, scene, version or other options: "
                   "remove it, or choose another folder with --out");
}

SofaErr sweep_read_mark(const Sweep *sweep, size_t variant, bool *finished, int *status) {
  char *path = mark_path(sweep, variant);
  if (!path) return SOFA_ERR_MEMORY;
  *finished = sofa_is_file(path);
  const SofaErr err = *finished ? read_mark(sweep, path, status) : SOFA_OK;
  sofa_free(sweep->ctx, path);
  return err;
}

SofaErr sweep_write_mark(const Sweep *sweep, size_t variant, int status) {
  char text[64];
  char *path = mark_path(sweep, variant);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaOutputSpec spec = {.path = path, .what = "the mark of a finished variant"};
  const int n = snprintf(text, sizeof text, "status %d sweep %llx\n", status,
                         (unsigned long long)sweep->stamp);
  const SofaErr err = sofa_output_whole(sweep->ctx, &spec, text, (size_t)n);
  sofa_free(sweep->ctx, path);
  return err;
}
