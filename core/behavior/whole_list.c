/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of divided states in the order of the whole mesh. */
#include "behavior/whole_list.h"

#include <math.h>

#include "behavior/force_field.h"
#include "object/process_mail.h"

SofaErr sofa_run_of_list(const SofaState *state, const SofaCoords *list, SofaCoords *room,
                         const SofaCoords **out) {
  SofaContext *ctx = state->object.ctx;
  const SofaDivision *division = sofa_state_division(state);
  // a list that has no values, such as rest positions that were not given, has none anywhere
  const bool divided = division && list->n == division->n;
  *out = divided || sofa_process_rank(ctx) > 0 ? room : list;
  room->width = list->width;
  room->n = 0;
  if (!divided) return SOFA_OK;
  SOFA_TRY(sofa_coords_resize(ctx, room, sofa_run_length(ctx, division, SOFA_ELEMENT_POINT)));
  return sofa_run_of_rows(ctx, division, SOFA_ELEMENT_POINT, list->width * sizeof *list->data,
                          list->data, room->data);
}

const SofaDivision *sofa_object_division(const SofaObject *object, const SofaField *field) {
  if (!object->ctx->processes || !object->node) return NULL;
  if (sofa_implements(object, SOFA_STATE)) return sofa_state_division((const SofaState *)object);
  if (sofa_implements(object, SOFA_TOPOLOGY))
    return sofa_topology_division((const SofaTopology *)object);
  const SofaDivision *division = field ? sofa_field_division(object, field) : NULL;
  const SofaState *state = sofa_node_state(object->node);
  if (sofa_implements(object, SOFA_FORCE_FIELD) && ((const SofaForceField *)object)->state[0])
    state = ((const SofaForceField *)object)->state[0];
  return division ? division : state ? sofa_state_division(state) : NULL;
}

size_t sofa_division_n_local(const SofaDivision *division, SofaElementKind kind) {
  return kind == SOFA_ELEMENT_POINT ? division->n : division->elements[kind].n;
}

size_t sofa_division_n_whole(const SofaDivision *division, SofaElementKind kind) {
  return kind == SOFA_ELEMENT_POINT ? division->n_whole : division->n_whole_elements[kind];
}

uint32_t sofa_division_number(const SofaDivision *division, SofaElementKind kind, size_t local) {
  return (kind == SOFA_ELEMENT_POINT ? &division->number : &division->elements[kind])->data[local];
}

/* Rows of each process, and their numbers, one process behind the other. */
typedef struct Arrived {
  size_t n, *n_rows, *n_bytes; /* rows of all, of each; bytes of each */
  SofaIndices numbers;
  SofaText rows;
} Arrived;

static SofaErr make_room(SofaContext *ctx, size_t n_own, size_t size, Arrived *a) {
  const size_t n_processes = (size_t)sofa_process_count(ctx);
  a->n_rows = SOFA_SCRATCH(ctx, size_t, 2 * n_processes);
  if (!a->n_rows) return SOFA_ERR_MEMORY;
  a->n_bytes = a->n_rows + n_processes;
  SOFA_TRY(sofa_process_collect(ctx, sizeof n_own, &n_own, a->n_rows));
  for (size_t r = 0; r < n_processes; r++) a->n += a->n_rows[r];
  if (sofa_process_rank(ctx) > 0) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(ctx, &a->numbers, a->n));
  return SOFA_RESIZE(ctx, &a->rows, a->n * size);
}

static SofaErr gather_parts(SofaContext *ctx, Arrived *a, size_t size, const uint32_t *numbers,
                            const void *rows) {
  const int n = sofa_process_count(ctx);
  for (int r = 0; r < n; r++) a->n_bytes[r] = a->n_rows[r] * sizeof *numbers;
  SOFA_TRY(sofa_process_gather(ctx, 0, a->n_bytes, numbers, a->numbers.data));
  for (int r = 0; r < n; r++) a->n_bytes[r] = a->n_rows[r] * size;
  return sofa_process_gather(ctx, 0, a->n_bytes, rows, a->rows.data);
}

SofaErr sofa_gather_rows(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind,
                         size_t size, const void *rows, void *whole) {
  const SofaIndices *numbers =
      kind == SOFA_ELEMENT_POINT ? &division->number : &division->elements[kind];
  const size_t n_own = kind == SOFA_ELEMENT_POINT ? division->n_owned : numbers->n;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Arrived a = {0};
  SofaErr err = make_room(ctx, n_own, size, &a);
  if (err == SOFA_OK) err = gather_parts(ctx, &a, size, numbers->data, rows);
  for (size_t i = 0; i < a.numbers.n && err == SOFA_OK; i++)
    sofa_copy((char *)whole + a.numbers.data[i] * size, a.rows.data + i * size, size);
  sofa_list_free(ctx, &a.numbers);
  sofa_list_free(ctx, &a.rows);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- runs ---- */

size_t sofa_run_length(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind) {
  const size_t n = sofa_division_n_whole(division, kind);
  const int rank = sofa_process_rank(ctx), n_processes = sofa_process_count(ctx);
  return sofa_slice_begin(n, rank + 1, n_processes) - sofa_slice_begin(n, rank, n_processes);
}

/* Rows of this process's run. */
typedef struct OwnRun {
  size_t begin, n, size;
  char *rows;
} OwnRun;

/* The rows that have arrived, at their places. */
static SofaErr put_arrived(SofaContext *ctx, const SofaMail *numbers, const SofaMail *rows,
                           const OwnRun *run) {
  const uint32_t *number = numbers->records;
  for (size_t i = 0; i < numbers->n; i++) {
    if (number[i] < run->begin || number[i] - run->begin >= run->n)
      return sofa_fail(ctx, SOFA_ERR_RANGE, NULL, "a row of a divided mesh is on a wrong process");
    sofa_copy(run->rows + (number[i] - run->begin) * run->size,
              (const char *)rows->records + i * run->size, run->size);
  }
  return SOFA_OK;
}

/* Numbers and rows go to the processes of the runs. An edge may be on several processes: with equal
 * rows. */
SofaErr sofa_run_of_rows(SofaContext *ctx, const SofaDivision *division, SofaElementKind kind,
                         size_t size, const void *rows, void *run) {
  const SofaIndices *own =
      kind == SOFA_ELEMENT_POINT ? &division->number : &division->elements[kind];
  const size_t n_own = kind == SOFA_ELEMENT_POINT ? division->n_owned : own->n;
  const size_t n_whole = sofa_division_n_whole(division, kind);
  const int n_processes = sofa_process_count(ctx);
  const OwnRun to = {.begin = sofa_slice_begin(n_whole, sofa_process_rank(ctx), n_processes),
                     .n = sofa_run_length(ctx, division, kind),
                     .size = size,
                     .rows = run};
  SofaMail numbers = {0}, values = {0};
  SofaErr err = SOFA_OK;
  uint32_t *rank = sofa_alloc(ctx, n_own, sizeof *rank);
  if (!rank) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n_own; i++) rank[i] = sofa_slice_rank(n_whole, own->data[i], n_processes);
  sofa_zero(run, to.n * size);
  SOFA_GO(err, done, sofa_process_mail(ctx, sizeof *own->data, n_own, rank, own->data, &numbers));
  SOFA_GO(err, done, sofa_process_mail(ctx, size, n_own, rank, rows, &values));
  err = put_arrived(ctx, &numbers, &values, &to);
done:
  sofa_mail_free(ctx, &numbers);
  sofa_mail_free(ctx, &values);
  sofa_free(ctx, rank);
  return err;
}

SofaErr sofa_share_values(SofaContext *ctx, size_t n, const bool *have, double *values) {
  if (!ctx->processes) {
    for (size_t i = 0; i < n; i++)
      if (!have[i]) values[i] = NAN;
    return SOFA_OK;
  }
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *sums = SOFA_SCRATCH(ctx, double, 2 * n + 1);
  if (!sums) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    sums[i] = have[i] ? values[i] : 0;
    sums[n + i] = have[i];
  }
  const SofaErr err = sofa_process_sum(ctx, 2 * n, sums);
  for (size_t i = 0; i < n && err == SOFA_OK; i++) values[i] = sums[n + i] > 0 ? sums[i] : NAN;
  sofa_scratch_release(ctx, mark);
  return err;
}
