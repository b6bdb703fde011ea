/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of J: from mapped states to independent ones, without held directions. */
#include "simulation/constraint_rows.h"

#include "behavior/constraint_entries_impl.h"

/* ---- mappings ---- */

/* entries_in += entries_out J */
static SofaErr multiply(SofaContext *ctx, const SofaConstraintEntries *rows, const SofaJacobian *j,
                        SofaConstraintEntries *out) {
  for (size_t i = 0; i < rows->n; i++) {
    const SofaConstraintEntry *e = &rows->data[i];
    for (uint32_t k = j->start[e->column]; k < j->start[e->column + 1]; k++) {
      const double value = e->value * j->value[k];
      if (value != 0) SOFA_TRY(sofa_constraint_entries_add(ctx, out, e->row, j->column[k], value));
    }
  }
  return SOFA_OK;
}

static SofaErr hand_up(SofaMapping *map, SofaConstraintProblem *p) {
  const SofaConstrainedState *out = sofa_constrained_state(p, map->out);
  const SofaScratchMark mark = sofa_scratch_mark(p->ctx);
  SofaErr err = SOFA_OK;
  SofaPoint at;
  if (!out || !out->entries.n) return SOFA_OK;
  SOFA_GO(err, done, sofa_mapping_point(map, &at));
  for (size_t k = 0; k < map->n_inputs; k++) {
    SofaConstrainedState *in = sofa_constrained_state(p, map->inputs[k]);
    SofaJacobian j;
    if (!in) continue;
    SOFA_GO(err, done, sofa_mapping_jacobian(map, &at, k, &j));
    SOFA_GO(err, done, multiply(p->ctx, &out->entries, &j, &in->entries));
  }
done:
  sofa_scratch_release(p->ctx, mark);
  return err;
}

/* ---- projective constraints ---- */

/* Removes entries of masked dofs. */
static void drop(SofaConstraintEntries *entries, const uint8_t *mask) {
  size_t n = 0;
  for (size_t i = 0; i < entries->n; i++)
    if (!mask[entries->data[i].column]) entries->data[n++] = entries->data[i];
  entries->n = n;
}

/* row P for the entries of one point: those there are become the ones of the columns of P. */
static SofaErr project_point(SofaContext *ctx, SofaConstraintEntries *entries,
                             const SofaBlockProjection *p, unsigned deriv) {
  const size_t n = entries->n;
  const uint32_t first = p->row * deriv;
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    const SofaConstraintEntry e = entries->data[i];
    if (e.column < first || e.column >= first + p->size) continue;
    for (unsigned c = 0; c < p->size; c++) {
      const SofaConstraintEntry one = {e.row, first + c,
                                       e.value * p->p[(e.column - first) * p->size + c]};
      SOFA_TRY(SOFA_APPEND(ctx, entries, &one));
    }
  }
  for (size_t i = 0; i < entries->n; i++) {
    const uint32_t column = entries->data[i].column;
    if (i < n && column >= first && column < first + p->size) continue;
    entries->data[kept++] = entries->data[i];
  }
  entries->n = kept;
  return SOFA_OK;
}

static SofaErr filter(SofaConstraintProblem *p, const SofaState *state, const SofaDiscard *held) {
  SofaConstrainedState *s = held->n ? sofa_constrained_state(p, state) : NULL;
  if (!s) return SOFA_OK;
  drop(&s->entries, held->mask);
  for (size_t i = 0; i < held->projections->n; i++)
    SOFA_TRY(project_point(p->ctx, &s->entries, &held->projections->data[i],
                           sofa_state_kind_info(state->object.kind)->deriv));
  return SOFA_OK;
}

/* What a constraint holds of a state; n 0 where the state has no rows of its own. */
static SofaDiscard held_of(const SofaConstraintProblem *p, const SofaState *state,
                           SofaBlockProjections *projections) {
  const SofaConstrainedState *s = state ? sofa_constrained_state(p, state) : NULL;
  const size_t n =
      state ? sofa_state_kind_info(state->object.kind)->deriv * sofa_state_size(state) : 0;
  uint8_t *mask = SOFA_SCRATCH(p->ctx, uint8_t, n + 1);
  if (mask) sofa_zero(mask, n + 1);
  const bool has_rows = s && s->entries.n && !state->mapped;
  return (SofaDiscard){.mask = mask, .n = has_rows ? n : 0, .projections = projections};
}

static SofaErr hold(SofaConstraintProblem *p, SofaProjective *c) {
  const SofaMechParams params = sofa_mech_params(p->dt, p->time, 0, 0, 0);
  const SofaProjectiveOps *ops = sofa_projective_ops(c);
  const SofaScratchMark mark = sofa_scratch_mark(p->ctx);
  SofaErr err = SOFA_OK;
  p->projections[0].n = p->projections[1].n = 0;
  SofaDiscard first = held_of(p, c->state, &p->projections[0]);
  SofaDiscard second = held_of(p, c->second, &p->projections[1]);
  SOFA_GO(err, done, first.mask && second.mask ? SOFA_OK : SOFA_ERR_MEMORY);
  if (!first.n && !second.n) goto done;
  SOFA_GO(err, done,
          ops->pair ? ops->pair->discard(c, &params, &first, &second)
                    : ops->discard(c, &params, &first));
  SOFA_GO(err, done, filter(p, c->state, &first));
  if (c->second) SOFA_GO(err, done, filter(p, c->second, &second));
done:
  sofa_scratch_release(p->ctx, mark);
  return err;
}

static bool holds(const SofaProjective *c, double time) {
  return c->state && sofa_projective_has_discard(c) && (c->end_time < 0 || c->end_time > time);
}

/* ---- all ---- */

SofaErr sofa_constraint_rows_finish(const SofaSchedule *s, SofaConstraintProblem *p,
                                    bool keeps_held) {
  for (size_t i = s->mappings.n; i-- > 0;) SOFA_TRY(hand_up((SofaMapping *)s->mappings.data[i], p));
  for (size_t i = 0; i < s->constraints.n && !keeps_held; i++) {
    SofaProjective *c = (SofaProjective *)s->constraints.data[i];
    if (holds(c, p->time)) SOFA_TRY(hold(p, c));
  }
  for (size_t i = 0; i < p->states.n; i++)
    SOFA_TRY(sofa_constrained_state_close(p, &p->states.data[i]));
  return SOFA_OK;
}
