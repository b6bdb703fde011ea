/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing of states files. */
#include "states_file.h"

#include "base/text.h"
#include "behavior/whole_list.h"
#include "object/shared_output.h"

struct StatesFile {
  SofaContext *ctx;
  SofaOutput *output;
  SofaSharedOutput shared; /* the same of several processes */
  SofaText line;           /* what is collected before a write */
  SofaCoords run;          /* work space for a divided state */
};

/* By all processes: what each has collected, in the order of the ranks. */
static SofaErr flush(StatesFile *file) {
  const size_t n = file->line.n;
  file->line.n = 0;
  return sofa_shared_output_write(file->ctx, &file->shared, file->line.data, n);
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
  file->shared.output = file->output;
  *out = file;
  return SOFA_OK;
}

/* The first process writes its text before that of the others. */
static SofaErr write_line(StatesFile *file) {
  const size_t n = file->line.n;
  file->line.n = 0;
  return sofa_output_write(file->output, file->line.data, n);
}

static SofaErr write_reals(StatesFile *file, const SofaCoords *list, size_t n) {
  const bool first = sofa_process_rank(file->ctx) == 0;
  for (size_t i = 0; i < n; i++) {
    char number[40] = " ";
    const double value = i < list->n * list->width ? list->data[i] : 0;
    const size_t length = 1 + sofa_print_real(number + 1, value, 17);
    SOFA_TRY(sofa_text_append(file->ctx, &file->line, number, length));
    if (file->line.n > 1 << 16 && first) SOFA_TRY(write_line(file));
  }
  return SOFA_OK;
}

/* "x 0.1 0.2 ...": positions or velocities, n reals. Each process writes its run of a divided
 * state; the first one writes what stands between. */
static SofaErr write_list(StatesFile *file, const SofaState *state, char letter, size_t n) {
  const SofaCoords *part = letter == 'x' ? &state->position : &state->velocity, *list = NULL;
  const bool first = sofa_process_rank(file->ctx) == 0;
  const bool divided = sofa_state_division(state) != NULL;
  SOFA_TRY(sofa_run_of_list(state, part, &file->run, &list));
  if (first) SOFA_TRY(sofa_text_append(file->ctx, &file->line, &letter, 1));
  if (list == &file->run) n = list->n * list->width;
  SOFA_TRY(write_reals(file, list, n));
  if (divided) SOFA_TRY(flush(file));
  return first ? sofa_text_append(file->ctx, &file->line, "\n", 1) : SOFA_OK;
}

static SofaErr write_head(StatesFile *file, const SofaState *state, size_t n) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  if (sofa_process_rank(file->ctx) > 0) return SOFA_OK;
  char *path = sofa_object_path(&state->object);
  if (!path) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_text_append(file->ctx, &file->line, "state ", 6);
  if (err == SOFA_OK) err = sofa_text_escaped(file->ctx, &file->line, path);
  if (err == SOFA_OK)
    err = sofa_text_printf(file->ctx, &file->line, " n %zu dim %u vdim %u\n", n, kind->coord,
                           kind->deriv);
  sofa_free(file->ctx, path);
  return err;
}

static SofaErr write_state(StatesFile *file, const SofaState *state) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
  const size_t n = sofa_state_n_whole(state);
  SOFA_TRY(write_head(file, state, n));
  SOFA_TRY(write_list(file, state, 'x', n * kind->coord));
  return write_list(file, state, 'v', n * kind->deriv);
}

SofaErr states_file_write(StatesFile *file, SofaSimulation *simulation, uint64_t step) {
  SofaErr err = SOFA_OK;
  SofaObjects states = {0};
  char time[32];
  SOFA_GO(err, done, sofa_simulation_states(simulation, &states));
  sofa_print_real(time, simulation->root->time, 17);
  if (sofa_process_rank(file->ctx) == 0)
    SOFA_GO(err, done,
            sofa_text_printf(file->ctx, &file->line, "step %llu time %s\n",
                             (unsigned long long)step, time));
  for (size_t i = 0; i < states.n; i++)
    SOFA_GO(err, done, write_state(file, (const SofaState *)states.data[i]));
  err = flush(file);
done:
  sofa_list_free(file->ctx, &states);
  return err;
}

SofaErr states_file_close(StatesFile **pfile) {
  StatesFile *file = *pfile;
  if (!file) return SOFA_OK;
  *pfile = NULL;
  sofa_shared_output_end(file->ctx, &file->shared);
  const SofaErr err = sofa_output_close(&file->output);
  sofa_list_free(file->ctx, &file->line);
  sofa_coords_free(file->ctx, &file->run);
  sofa_free(file->ctx, file);
  return err;
}
