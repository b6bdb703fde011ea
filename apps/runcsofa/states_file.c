/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing of states files. */
#include "states_file.h"

#include "base/output.h"
#include "base/text.h"
#include "behavior/whole_list.h"
#include "object/process.h"

struct StatesFile {
  SofaContext *ctx;
  SofaOutput *output;
  SofaText line;    /* what is collected before a write */
  SofaCoords whole; /* work space for a divided state */
};

static SofaErr flush(StatesFile *file) {
  const size_t n = file->line.n;
  file->line.n = 0;
  return sofa_output_write(file->output, file->line.data, n);
}

SofaErr states_file_open(SofaContext *ctx, const char *path, StatesFile **out) {
  const SofaOutputSpec spec = {.path = path, .what = "the states", .gzip = true, .empty = true};
  *out = NULL;
  StatesFile *file = sofa_alloc(ctx, 1, sizeof *file);
  if (!file) return SOFA_ERR_MEMORY;
  file->ctx = ctx;
  const SofaErr err = sofa_output_open(ctx, &spec, &file->output);
  if (err != SOFA_OK) {
    sofa_free(ctx, file);
    return err;
  }
  sofa_output_end(file->output, "# end\n");
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

/* Positions or velocities of the whole mesh, by the first process. */
static SofaErr write_list(StatesFile *file, const SofaState *state, char letter, size_t n) {
  const SofaCoords *part = letter == 'x' ? &state->position : &state->velocity, *list = NULL;
  SOFA_TRY(sofa_whole_list(state, part, &file->whole, &list));
  return write_reals(file, letter, list, sofa_process_rank(file->ctx) == 0 ? n : 0);
}

static SofaErr write_state(StatesFile *file, const SofaState *state) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  char *path = sofa_object_path(&state->object);
  if (!path) return SOFA_ERR_MEMORY;
  const size_t n = sofa_state_n_whole(state);
  SofaErr err = sofa_text_append(file->ctx, &file->line, "state ", 6);
  if (err == SOFA_OK) err = sofa_text_escaped(file->ctx, &file->line, path);
  if (err == SOFA_OK)
    err = sofa_text_printf(file->ctx, &file->line, " n %zu dim %u vdim %u\n", n, kind->coord,
                           kind->deriv);
  sofa_free(file->ctx, path);
  if (err != SOFA_OK) return err;
  SOFA_TRY(write_list(file, state, 'x', n * kind->coord));
  return write_list(file, state, 'v', n * kind->deriv);
}

SofaErr states_file_write(StatesFile *file, SofaSimulation *simulation, uint64_t step) {
  SofaErr err = SOFA_OK;
  SofaObjects states = {0};
  char time[32];
  SOFA_GO(err, done, sofa_simulation_states(simulation, &states));
  sofa_print_real(time, simulation->root->time, 17);
  SOFA_GO(err, done,
          sofa_text_printf(file->ctx, &file->line, "step %llu time %s\n", (unsigned long long)step,
                           time));
  for (size_t i = 0; i < states.n; i++)
    SOFA_GO(err, done, write_state(file, (const SofaState *)states.data[i]));
  err = flush(file);
  if (err == SOFA_OK) err = sofa_output_flush(file->output);
done:
  sofa_list_free(file->ctx, &states);
  return err;
}

SofaErr states_file_close(StatesFile **pfile) {
  StatesFile *file = *pfile;
  if (!file) return SOFA_OK;
  *pfile = NULL;
  const SofaErr err = sofa_output_close(&file->output);
  sofa_list_free(file->ctx, &file->line);
  sofa_coords_free(file->ctx, &file->whole);
  sofa_free(file->ctx, file);
  return err;
}
