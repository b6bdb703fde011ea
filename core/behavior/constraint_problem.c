/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of a step's constraints, by states. */
#include "behavior/lagrangian.h"

#include "behavior/constraint_entries_impl.h"

/* ---- states ---- */

static void state_free(SofaContext *ctx, SofaConstrainedState *s) {
  SofaIndices *indices[] = {&s->start, &s->column, &s->number};
  SofaReals *reals[] = {&s->value, &s->force, &s->motion};
  sofa_list_free(ctx, &s->entries);
  for (size_t i = 0; i < SOFA_COUNT(indices); i++) sofa_list_free(ctx, indices[i]);
  for (size_t i = 0; i < SOFA_COUNT(reals); i++) sofa_list_free(ctx, reals[i]);
}

void sofa_constraint_problem_clear(SofaConstraintProblem *p) {
  for (size_t i = 0; i < p->states.n; i++) state_free(p->ctx, &p->states.data[i]);
  p->states.n = p->slots.n = p->blocks.n = 0;
  p->n = 0;
}

void sofa_constraint_problem_free(SofaConstraintProblem *p) {
  if (!p->ctx) return;
  sofa_constraint_problem_clear(p);
  SofaReals *reals[] = {&p->violation, &p->lambda, &p->w};
  for (size_t i = 0; i < SOFA_COUNT(reals); i++) sofa_list_free(p->ctx, reals[i]);
  sofa_list_free(p->ctx, &p->blocks);
  sofa_list_free(p->ctx, &p->states);
  sofa_list_free(p->ctx, &p->slots);
  for (int k = 0; k < 2; k++) sofa_list_free(p->ctx, &p->projections[k]);
  sofa_free(p->ctx, p->corrections);
  p->corrections = NULL;
  p->n_corrections = 0;
}

/* The slot of the state, or the free one where it belongs; slots hold places + 1. */
static size_t slot_of(const SofaConstraintProblem *p, const SofaState *state) {
  size_t slot = (size_t)(((uintptr_t)state >> 4) * 2654435761u) & (p->slots.n - 1);
  while (p->slots.data[slot] && p->states.data[p->slots.data[slot] - 1].state != state)
    slot = (slot + 1) & (p->slots.n - 1);
  return slot;
}

static SofaErr grow_slots(SofaConstraintProblem *p) {
  size_t n = 16;
  while (n < 4 * p->states.n) n *= 2;
  SOFA_TRY(SOFA_RESIZE(p->ctx, &p->slots, n));
  for (size_t i = 0; i < n; i++) p->slots.data[i] = 0;
  for (size_t i = 0; i < p->states.n; i++)
    p->slots.data[slot_of(p, p->states.data[i].state)] = (uint32_t)i + 1;
  return SOFA_OK;
}

SofaErr sofa_constraint_problem_add_state(SofaConstraintProblem *p, SofaState *state) {
  const SofaConstrainedState one = {.state = state};
  SOFA_TRY(SOFA_APPEND(p->ctx, &p->states, &one));
  if (p->slots.n < 2 * p->states.n) return grow_slots(p);
  p->slots.data[slot_of(p, state)] = (uint32_t)p->states.n;
  return SOFA_OK;
}

SofaConstrainedState *sofa_constrained_state(const SofaConstraintProblem *p,
                                             const SofaState *state) {
  if (!p->slots.n) return NULL;
  const uint32_t place = p->slots.data[slot_of(p, state)];
  return place ? &p->states.data[place - 1] : NULL;
}

/* ---- rows ---- */

SofaErr sofa_constraint_block(SofaConstraintProblem *p, const SofaConstraintBlock *block,
                              uint32_t *first) {
  SofaConstraintBlock one = *block;
  if (one.n > UINT32_MAX - p->n) return SOFA_ERR_MEMORY;
  one.first = *first = p->n;
  one.owner = p->owner;
  SOFA_TRY(SOFA_APPEND(p->ctx, &p->blocks, &one));
  p->n += one.n;
  return SOFA_OK;
}

SofaErr sofa_constraint_entry(SofaConstraintProblem *p, const SofaState *state, uint32_t row,
                              size_t point, const double *value) {
  SofaConstrainedState *s = sofa_constrained_state(p, state);
  if (!s) return SOFA_OK; // a state that no loop moves: a fixed place in space
  const unsigned deriv = sofa_state_kind_info(state->object.kind)->deriv;
  for (unsigned c = 0; c < deriv; c++) {
    const uint32_t column = (uint32_t)(point * deriv + c);
    if (value[c] != 0)
      SOFA_TRY(sofa_constraint_entries_add(p->ctx, &s->entries, row, column, value[c]));
  }
  return SOFA_OK;
}

/* The places of entries by row, those of a row in the order they were added: place[start[r]] ... */
static void sort_by_row(const SofaConstraintProblem *p, const SofaConstrainedState *s,
                        uint32_t *start, uint32_t *place) {
  for (uint32_t r = 0; r <= p->n; r++) start[r] = 0;
  for (size_t i = 0; i < s->entries.n; i++) start[s->entries.data[i].row + 1]++;
  for (uint32_t r = 0; r < p->n; r++) start[r + 1] += start[r];
  for (size_t i = 0; i < s->entries.n; i++) place[start[s->entries.data[i].row]++] = (uint32_t)i;
  for (uint32_t r = p->n; r > 0; r--) start[r] = start[r - 1];
  start[0] = 0;
}

/* Adds an entry to the last row of j, which begins at `first`; there is room. place[c]: the place +
 * 1 where column c was put last, 0: nowhere yet. */
static inline void add_entry(SofaConstrainedState *s, size_t first, const SofaConstraintEntry *e,
                             uint32_t *place) {
  const size_t at = place[e->column];
  if (at > first) {
    s->value.data[at - 1] += e->value;
    return;
  }
  s->column.data[s->column.n++] = e->column;
  s->value.data[s->value.n++] = e->value;
  place[e->column] = (uint32_t)s->column.n;
}

/* Columns of the last row ascend. */
static void sort_row(SofaConstrainedState *s, size_t first) {
  uint32_t *column = s->column.data;
  double *value = s->value.data;
  for (size_t k = first + 1; k < s->column.n; k++) {
    const uint32_t c = column[k];
    const double v = value[k];
    size_t at = k;
    for (; at > first && column[at - 1] > c; at--) {
      column[at] = column[at - 1];
      value[at] = value[at - 1];
    }
    column[at] = c;
    value[at] = v;
  }
}

/* Room for all entries, and for more at a time, as lists grow. */
static SofaErr reserve(SofaContext *ctx, SofaConstrainedState *s) {
  const size_t n = s->entries.n;
  if (n > s->column.capacity) SOFA_TRY(SOFA_RESERVE(ctx, &s->column, n + n / 2));
  return n > s->value.capacity ? SOFA_RESERVE(ctx, &s->value, n + n / 2) : SOFA_OK;
}

/* The entries of row r are those at order[start[r]] to order[start[r + 1] - 1]. */
static SofaErr fill(SofaConstraintProblem *p, SofaConstrainedState *s, const uint32_t *start,
                    const uint32_t *order, uint32_t *place) {
  s->start.n = s->column.n = s->number.n = s->value.n = 0;
  SOFA_TRY(reserve(p->ctx, s));
  for (uint32_t r = 0; r < p->n; r++) {
    if (start[r] == start[r + 1]) continue;
    const uint32_t first = (uint32_t)s->column.n;
    SOFA_TRY(SOFA_APPEND(p->ctx, &s->start, &first));
    SOFA_TRY(SOFA_APPEND(p->ctx, &s->number, &r));
    for (uint32_t k = start[r]; k < start[r + 1]; k++)
      add_entry(s, first, &s->entries.data[order[k]], place);
    sort_row(s, first);
  }
  const uint32_t end = (uint32_t)s->column.n;
  return SOFA_APPEND(p->ctx, &s->start, &end);
}

SofaErr sofa_constrained_state_close(SofaConstraintProblem *p, SofaConstrainedState *s) {
  const SofaScratchMark mark = sofa_scratch_mark(p->ctx);
  uint32_t *start = SOFA_SCRATCH(p->ctx, uint32_t, (size_t)p->n + 2);
  uint32_t *order = SOFA_SCRATCH(p->ctx, uint32_t, s->entries.n + 1);
  const size_t n_columns =
      sofa_state_kind_info(s->state->object.kind)->deriv * sofa_state_size(s->state);
  uint32_t *place = s->entries.n ? SOFA_SCRATCH(p->ctx, uint32_t, n_columns) : NULL;
  SofaErr err = SOFA_OK;
  SOFA_GO(err, done, start && order && (place || !s->entries.n) ? SOFA_OK : SOFA_ERR_MEMORY);
  if (place) sofa_zero(place, n_columns * sizeof *place);
  sort_by_row(p, s, start, order);
  SOFA_GO(err, done, fill(p, s, start, order, place));
  s->j =
      (SofaSparseRows){s->number.n, s->start.data, s->column.data, s->value.data, s->number.data};
done:
  sofa_scratch_release(p->ctx, mark);
  return err;
}

SofaErr sofa_constraint_compliance(SofaConstraintProblem *p, double *w) {
  sofa_zero(w, (size_t)p->n * p->n * sizeof *w);
  for (size_t i = 0; i < p->n_corrections; i++) {
    SofaConstraintCorrection *c = p->corrections[i];
    SOFA_TRY(c->ops->add_compliance(c, p, w));
  }
  return SOFA_OK;
}
