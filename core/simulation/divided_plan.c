/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbering of blocks over all processes, sums over borders and reductions. */
#include "simulation/divided_plan.h"

#include "simulation/vectors.h"

/* ---- the plan ---- */

static bool any_divided(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_main; i++)
    if (sofa_state_division(m->states[i])) return true;
  return false;
}

/* Points of the state that this process owns: the first ones. */
static size_t owned_points(const SofaState *s) {
  if (!sofa_state_division(s)) return sofa_process_rank(s->object.ctx) == 0 ? s->position.n : 0;
  return sofa_state_n_owned(s);
}

static SofaErr mark_owned(SofaMechanics *m, SofaDividedPlan *d, uint64_t *n_scalars) {
  size_t block = 0;
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const size_t n = owned_points(s), deriv = sofa_state_kind_info(s->object.kind)->deriv;
    const bool partial = sofa_state_division(s) != NULL;
    const SofaOwnedRun run = {s->v_offset, n * deriv};
    for (size_t k = 0; k < s->position.n; k++, block++) {
      d->owned.data[block] = k < n;
      d->partial.data[block] = partial;
    }
    d->n_owned += (uint32_t)n;
    *n_scalars += n * deriv;
    const SofaOwnedRun coords = {s->x_offset, n * sofa_state_kind_info(s->object.kind)->coord};
    if (n) SOFA_TRY(SOFA_APPEND(m->ctx, &d->runs, &run));
    if (n) SOFA_TRY(SOFA_APPEND(m->ctx, &d->coord_runs, &coords));
  }
  return SOFA_OK;
}

static SofaErr find_firsts(SofaMechanics *m, SofaDividedPlan *d, uint64_t n_scalars) {
  const size_t n = (size_t)sofa_process_count(m->ctx);
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const uint64_t mine[2] = {d->n_owned, n_scalars};
  SofaErr err = SOFA_ERR_MEMORY;
  uint64_t *all = SOFA_SCRATCH(m->ctx, uint64_t, 2 * n), sum[2] = {0, 0};
  if (!all) goto done;
  SOFA_GO(err, done, sofa_process_collect(m->ctx, sizeof mine, mine, all));
  SOFA_GO(err, done, SOFA_RESIZE(m->ctx, &d->first_of, n + 1));
  SOFA_GO(err, done, SOFA_RESIZE(m->ctx, &d->first_scalar, n + 1));
  for (size_t r = 0; r < n; r++) {
    sum[0] += all[2 * r];
    sum[1] += all[2 * r + 1];
    d->first_of.data[r + 1] = (uint32_t)sum[0];
    d->first_scalar.data[r + 1] = (uint32_t)sum[1];
  }
  d->first = d->first_of.data[sofa_process_rank(m->ctx)];
  if (sum[1] >= UINT32_MAX)
    err = sofa_object_fail(&m->node->object, SOFA_ERR_RANGE,
                           "%llu unknowns are more than the numbers of rows can hold",
                           (unsigned long long)sum[1]);
done:
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* Numbers of the blocks of a state, as reals. Owners number their own, the others get them. */
static SofaErr number_state(SofaMechanics *m, const SofaState *s, uint32_t *next, double *number) {
  const SofaDivision *division = sofa_state_division(s);
  const size_t n = owned_points(s);
  for (size_t k = 0; k < n; k++) number[k] = (*next)++;
  if (division) return sofa_division_copy(m->ctx, division, 1, number);
  return sofa_process_spread(m->ctx, 0, s->position.n * sizeof *number, number);
}

static SofaErr number_blocks(SofaMechanics *m, SofaDividedPlan *d) {
  uint32_t next = d->first;
  for (size_t i = 0, block = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
    double *number = SOFA_SCRATCH(m->ctx, double, s->position.n + 1);
    const SofaErr err = number ? number_state(m, s, &next, number) : SOFA_ERR_MEMORY;
    for (size_t k = 0; err == SOFA_OK && k < s->position.n; k++)
      d->block.data[block++] = (uint32_t)number[k];
    sofa_scratch_release(m->ctx, mark);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

SofaErr sofa_divided_plan_create(SofaMechanics *m) {
  uint64_t n_scalars = 0;
  if (!m->ctx->processes || !any_divided(m)) return SOFA_OK;
  /* steps do not follow the links again */
  for (size_t i = 0; i < m->n_states; i++)
    m->states[i]->division = sofa_state_division(m->states[i]);
  SofaDividedPlan *d = m->divided = sofa_alloc(m->ctx, 1, sizeof *d);
  if (!d) return SOFA_ERR_MEMORY;
  d->n_blocks = sofa_mech_n_blocks(m);
  d->n_v_main = m->n_v_main;
  SOFA_TRY(SOFA_RESIZE(m->ctx, &d->owned, d->n_blocks));
  SOFA_TRY(SOFA_RESIZE(m->ctx, &d->partial, d->n_blocks));
  SOFA_TRY(SOFA_RESIZE(m->ctx, &d->block, d->n_blocks));
  SOFA_TRY(mark_owned(m, d, &n_scalars));
  SOFA_TRY(find_firsts(m, d, n_scalars));
  d->work = sofa_alloc(m->ctx, m->n_v_main + 1, sizeof *d->work);
  return d->work ? number_blocks(m, d) : SOFA_ERR_MEMORY;
}

void sofa_divided_plan_destroy(SofaMechanics *m) {
  SofaDividedPlan *d = m->divided;
  if (!d) return;
  sofa_list_free(m->ctx, &d->owned);
  sofa_list_free(m->ctx, &d->partial);
  sofa_list_free(m->ctx, &d->block);
  sofa_list_free(m->ctx, &d->first_of);
  sofa_list_free(m->ctx, &d->first_scalar);
  sofa_list_free(m->ctx, &d->runs);
  sofa_list_free(m->ctx, &d->coord_runs);
  sofa_free(m->ctx, d->work);
  sofa_free(m->ctx, d);
  m->divided = NULL;
}

/* ---- vectors ---- */

void sofa_divided_open(const SofaMechanics *m, double *deriv) {
  for (size_t i = 0; m->divided && i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaDivision *d = sofa_state_division(s);
    if (!d) continue;
    const size_t width = sofa_state_kind_info(s->object.kind)->deriv;
    sofa_zero(deriv + s->v_offset + d->n_owned * width,
              (d->n - d->n_owned) * width * sizeof *deriv);
  }
}

typedef SofaErr (*OverBorder)(SofaContext *ctx, const SofaDivision *division, size_t width,
                              double *values);

static SofaErr over_borders(SofaMechanics *m, OverBorder what, double *deriv) {
  for (size_t i = 0; m->divided && i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaDivision *d = sofa_state_division(s);
    if (d)
      SOFA_TRY(what(m->ctx, d, sofa_state_kind_info(s->object.kind)->deriv, deriv + s->v_offset));
  }
  return SOFA_OK;
}

SofaErr sofa_divided_sum(SofaMechanics *m, double *deriv) {
  return over_borders(m, sofa_division_sum, deriv);
}

SofaErr sofa_divided_copy(SofaMechanics *m, double *deriv) {
  return over_borders(m, sofa_division_copy, deriv);
}

/* ---- reductions ---- */

static double total(SofaSpace s, double mine) {
  SofaContext *ctx = (SofaContext *)(uintptr_t)s.ctx;
  return sofa_process_sum(ctx, 1, &mine) == SOFA_OK ? mine : (double)NAN;
}

static SofaSpace of_this_process(SofaSpace s) {
  return (SofaSpace){s.ctx, s.first, s.n, NULL};
}

double sofa_divided_dot(SofaSpace s, const double *x, const double *y) {
  /* coord vectors of as many reals have the layout of deriv vectors */
  const SofaOwnedRuns *runs =
      s.n == s.divided->n_v_main ? &s.divided->runs : &s.divided->coord_runs;
  double sum = 0;
  for (size_t i = 0; i < runs->n; i++) {
    const SofaOwnedRun *r = &runs->data[i];
    sum += sofa_vec_dot((SofaSpace){s.ctx, r->first, r->n, NULL}, x, y);
  }
  return total(s, sum);
}

double sofa_divided_max_norm(SofaSpace s, const double *x) {
  SofaContext *ctx = (SofaContext *)(uintptr_t)s.ctx;
  double most = sofa_vec_max_norm(of_this_process(s), x);
  return sofa_process_max(ctx, 1, &most) == SOFA_OK ? most : (double)NAN;
}

double sofa_divided_cg_update(SofaSpace s, double a, const SofaCgVectors *v) {
  sofa_vec_cg_update(of_this_process(s), a, v);
  return sofa_divided_dot(s, v->r, v->r);
}
