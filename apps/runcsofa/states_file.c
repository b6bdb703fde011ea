/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing of states files. */
#include "states_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"
#include "behavior/state.h"

struct StatesFile {
  SofaContext *ctx;
  char *path;
  FILE *plain; /* one of the two */
  gzFile compressed;
  SofaText line; /* what is collected before a write */
  SofaErr err;   /* of the first write that failed: it was reported */
};

static bool ends_with(const char *text, const char *end) {
  const size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static SofaErr failed(StatesFile *file, const char *what) {
  if (file->err != SOFA_OK) return file->err;
  const SofaOrigin origin = {.file = file->path};
  file->err = sofa_fail(file->ctx, SOFA_ERR_IO, &origin, "cannot write the states: %s", what);
  return file->err;
}

static const char *why(int code) {
  return code ? strerror(code) : "the write failed";
}

static SofaErr flush(StatesFile *file) {
  size_t done = 0;
  errno = 0;
  while (done < file->line.n) {
    const size_t n = file->line.n - done < 1 << 20 ? file->line.n - done : 1 << 20;
    const char *from = file->line.data + done;
    const bool ok = file->plain ? fwrite(from, 1, n, file->plain) == n
                                : gzwrite(file->compressed, from, (unsigned)n) == (int)n;
    if (!ok) return failed(file, why(errno));
    done += n;
  }
  file->line.n = 0;
  return SOFA_OK;
}

SofaErr states_file_open(SofaContext *ctx, const char *path, StatesFile **out) {
  *out = NULL;
  StatesFile *file = sofa_alloc(ctx, 1, sizeof *file);
  if (!file) return SOFA_ERR_MEMORY;
  file->ctx = ctx;
  file->path = sofa_strdup(ctx, path);
  if (!file->path) {
    sofa_free(ctx, file);
    return SOFA_ERR_MEMORY;
  }
  errno = 0;
  if (ends_with(path, ".gz")) file->compressed = gzopen(path, "wb");
  else file->plain = fopen(path, "w");
  if (!file->plain && !file->compressed) {
    const SofaErr err = failed(file, why(errno ? errno : ENOMEM));
    sofa_free(ctx, file->path);
    sofa_free(ctx, file);
    return err;
  }
  *out = file;
  return SOFA_OK;
}

/* "x 0.1 0.2 ..." */
static SofaErr write_reals(StatesFile *file, char letter, const SofaCoords *list, size_t n) {
  SOFA_TRY(sofa_text_append(file->ctx, &file->line, &letter, 1));
  for (size_t i = 0; i < n; i++) {
    char number[40] = " ";
    const double value = i < list->n * list->width ? list->data[i] : 0;
    const size_t length = 1 + sofa_print_real(number + 1, value, 17);
    SOFA_TRY(sofa_text_append(file->ctx, &file->line, number, length));
    if (file->line.n > 1 << 16) SOFA_TRY(flush(file));
  }
  return sofa_text_append(file->ctx, &file->line, "\n", 1);
}

static SofaErr write_state(StatesFile *file, const SofaState *state) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const size_t n = state->position.n;
  char *path = sofa_object_path(&state->object);
  if (!path) return SOFA_ERR_MEMORY;
  const SofaErr err = sofa_text_printf(file->ctx, &file->line, "state %s n %zu dim %u vdim %u\n",
                                       path, n, kind->coord, kind->deriv);
  sofa_free(file->ctx, path);
  if (err != SOFA_OK) return err;
  SOFA_TRY(write_reals(file, 'x', &state->position, n * kind->coord));
  return write_reals(file, 'v', &state->velocity, n * kind->deriv);
}

SofaErr states_file_write(StatesFile *file, SofaSimulation *simulation, uint64_t step) {
  SofaErr err = file->err;
  SofaObjects states = {0};
  char time[32];
  if (err != SOFA_OK) return err;
  SOFA_GO(err, done, sofa_simulation_states(simulation, &states));
  sofa_print_real(time, simulation->root->time, 17);
  SOFA_GO(err, done,
          sofa_text_printf(file->ctx, &file->line, "step %llu time %s\n", (unsigned long long)step,
                           time));
  for (size_t i = 0; i < states.n; i++)
    SOFA_GO(err, done, write_state(file, (const SofaState *)states.data[i]));
  err = flush(file);
  if (err == SOFA_OK && file->plain && fflush(file->plain) != 0) err = failed(file, why(errno));
done:
  sofa_list_free(file->ctx, &states);
  return err;
}

SofaErr states_file_close(StatesFile **pfile) {
  StatesFile *file = *pfile;
  if (!file) return SOFA_OK;
  *pfile = NULL;
  errno = 0;
  if (file->plain && fclose(file->plain) != 0) failed(file, why(errno));
  if (file->compressed && gzclose(file->compressed) != Z_OK) failed(file, why(errno));
  const SofaErr err = file->err;
  sofa_list_free(file->ctx, &file->line);
  sofa_free(file->ctx, file->path);
  sofa_free(file->ctx, file);
  return err;
}
