/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of divided states in the order of the whole mesh. */
#include "behavior/whole_list.h"

#include <math.h>

#include "object/process.h"

SofaErr sofa_whole_list(const SofaState *state, const SofaCoords *list, SofaCoords *room,
                        const SofaCoords **out) {
  SofaContext *ctx = state->object.ctx;
  const SofaDivision *division = sofa_state_division(state);
  *out = list;
  // a list that has no values, such as rest positions that were not given, has none anywhere
  if (!division || list->n != division->n) return SOFA_OK;
  *out = room;
  room->width = list->width;
  SOFA_TRY(sofa_coords_resize(ctx, room, sofa_process_rank(ctx) == 0 ? division->n_whole : 0));
  return sofa_division_gather(ctx, division, 0, list->width, list->data, room->data);
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
