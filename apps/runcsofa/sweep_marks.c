/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Folders of variants and the marks of finished ones. */
#include "sweep_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/files.h"
#include "base/output.h"
#include "base/provenance.h"

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
  for (size_t i = 0; i < sweep->found.n; i++) sofa_free(sweep->ctx, sweep->found.data[i].path);
  sofa_list_free(sweep->ctx, &sweep->found);
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

/* ---- files that a variant was made of ---- */

static bool is_below(const char *path, const char *folder) {
  const size_t n = strlen(folder);
  return strncmp(path, folder, n) == 0 && path[n] == '/';
}

SofaErr sweep_note_inputs(SofaContext *ctx, const SofaContext *run, SweepVariant *variant) {
  const SofaInputs *inputs = sofa_provenance_inputs(run);
  for (size_t i = 0; i < inputs->n; i++) {
    const SofaInput *input = &inputs->data[i];
    // what the variant itself writes is another file when it has ended
    if (is_below(input->path, variant->options.out) || strchr(input->path, '\n')) continue;
    SOFA_TRY(sofa_text_printf(ctx, &variant->inputs, "file %016llx %s\n",
                              (unsigned long long)input->sum, input->path));
  }
  return SOFA_OK;
}

/* The checksum that the file has now; each is read once. A file that cannot be read is reported. */
static SofaErr find_sum(Sweep *sweep, const char *path, uint64_t *sum) {
  SofaContext *ctx = sweep->ctx;
  char *bytes = NULL;
  size_t size = 0;
  for (size_t i = 0; i < sweep->found.n; i++) {
    *sum = sweep->found.data[i].sum;
    if (strcmp(sweep->found.data[i].path, path) == 0) return SOFA_OK;
  }
  SOFA_TRY(sofa_read_file(ctx, path, 0, &bytes, &size));
  *sum = sofa_checksum(SOFA_CHECKSUM_BEGIN, bytes, size);
  sofa_free(ctx, bytes);
  SofaInput input = {sofa_strdup(ctx, path), *sum};
  const SofaErr err = input.path ? SOFA_APPEND(ctx, &sweep->found, &input) : SOFA_ERR_MEMORY;
  if (err != SOFA_OK) sofa_free(ctx, input.path);
  return err;
}

/* Lines of a mark: "file SUM PATH". */
static SofaErr check_inputs(Sweep *sweep, const char *mark, char *lines) {
  static const char word[] = "file ";
  for (char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    char *path = NULL;
    uint64_t sum = 0;
    *end = '\0';
    if (strncmp(line, word, sizeof word - 1) != 0) continue;
    const uint64_t noted = strtoull(line + sizeof word - 1, &path, 16);
    if (*path == ' ') path++;
    if (find_sum(sweep, path, &sum) == SOFA_OK && sum == noted) continue;
    return sofa_fail(sweep->ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.file = mark},
                     "the folder has a result with another '%s': remove it, or choose another "
                     "folder with --out",
                     path);
  }
  return SOFA_OK;
}

/* ---- marks ---- */

static SofaErr check_mark(Sweep *sweep, const char *path, char *text, int *status) {
  unsigned long long stamp = 0;
  char *behind = strchr(text, '\n');
  if (behind && sscanf(text, "status %d sweep %llx", status, &stamp) == 2 && stamp == sweep->stamp)
    return check_inputs(sweep, path, behind + 1);
  return sofa_fail(sweep->ctx, SOFA_ERR_ARGUMENT, &(SofaOrigin){.file = path},
                   "the folder has a result of another sweep, scene, version or other options: "
                   "remove it, or choose another folder with --out");
}

static SofaErr read_mark(Sweep *sweep, const char *path, int *status) {
  char *bytes = NULL;
  size_t size = 0;
  SOFA_TRY(sofa_read_file(sweep->ctx, path, 1 << 24, &bytes, &size));
  const SofaErr err = check_mark(sweep, path, bytes, status);
  sofa_free(sweep->ctx, bytes);
  return err;
}

SofaErr sweep_read_mark(Sweep *sweep, size_t variant, bool *finished, int *status) {
  char *path = mark_path(sweep, variant);
  if (!path) return SOFA_ERR_MEMORY;
  *finished = sofa_is_file(path);
  const SofaErr err = *finished ? read_mark(sweep, path, status) : SOFA_OK;
  sofa_free(sweep->ctx, path);
  return err;
}

SofaErr sweep_write_mark(const Sweep *sweep, size_t variant, int status, const SofaText *inputs) {
  SofaContext *ctx = sweep->ctx;
  SofaText text = {0};
  char *path = mark_path(sweep, variant);
  const SofaOutputSpec spec = {
      .path = path, .what = "the mark of a finished variant", .provenance = SOFA_REMARK_NONE};
  SofaErr err = path ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK)
    err = sofa_text_printf(ctx, &text, "status %d sweep %llx\n", status,
                           (unsigned long long)sweep->stamp);
  if (err == SOFA_OK && inputs && inputs->n)
    err = sofa_text_append(ctx, &text, inputs->data, inputs->n);
  if (err == SOFA_OK) err = sofa_output_whole(ctx, &spec, text.data, text.n);
  sofa_list_free(ctx, &text);
  sofa_free(ctx, path);
  return err;
}
