/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces at the end of a step, and the reactions of constraints: M a - f in the directions that
 * their projections take. The acceleration is that of the step, (v_end - v_begin) / h; it is 0 in
 * equilibria. */
#include "simulation/reactions_impl.h"

#include "simulation/gyroscopic.h"
#include "simulation/vectors.h"

static double end_of_step(const SofaMechanics *m) {
  return m->h > 0 ? m->begin + m->h : m->node->time;
}

SofaErr sofa_mech_find_force(SofaState *state) {
  SofaMechanics *m = state->mechanics;
  const SofaMechParams p = sofa_mech_params(m->h, end_of_step(m), 0, 0, 0);
  SofaMechPoint at = sofa_mech_point(m, m->x, m->v, p.time);
  return sofa_mech_compute_force(m, &p, &at, m->f);
}

/* r = M a - f of the independent states; a is scratch. */
static SofaErr imbalance(SofaMechanics *m, double *a, double *r) {
  const SofaMechParams p = sofa_mech_params(m->h, end_of_step(m), 0, 0, 0);
  const SofaMechParams mass = sofa_mech_params(m->h, p.time, 1, 0, 0);
  SofaMechPoint at = sofa_mech_point(m, m->x, m->v, p.time);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &at, a));
  if (!m->statics) SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &at, m->v, 0, a));
  sofa_vec_lincomb(sofa_all_v(m), SOFA_TERMS({-1, a}), r);
  if (m->statics || !(m->h > 0)) return SOFA_OK;
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({1 / m->h, m->v}, {-1 / m->h, m->v_good}), a);
  at.f = NULL;
  SOFA_TRY(sofa_mech_propagate_dx(m, &at, a));
  return sofa_mech_add_mbk(m, &mass, &at, a, r);
}

/* The part of r that belongs to a state; zeros where the state has no rows of its own. */
static SofaErr take(const SofaMechanics *m, const SofaState *s, const double *r, SofaCoords *out) {
  const unsigned deriv = sofa_state_kind_info(s->object.kind)->deriv;
  const bool ours = s->mechanics == m && !s->mapped;
  out->width = deriv;
  SOFA_TRY(sofa_coords_resize(m->ctx, out, s->position.n));
  for (size_t k = 0; k < out->n * deriv; k++) out->data[k] = ours ? r[s->v_offset + k] : 0;
  return SOFA_OK;
}

/* Constraints take their part of M a - f one after the other, as solvers project. */
SofaErr sofa_mech_find_reactions(SofaProjective *c) {
  SofaMechanics *m = c->state->mechanics;
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  SofaMechParams p = sofa_mech_params(m->h, m->h > 0 ? m->begin : m->node->time, 0, 0, 0);
  SofaErr err = SOFA_ERR_MEMORY;
  if (!(m->h > 0)) p.until = p.from;
  double *before = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *r = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  if (!before || !r) goto done;
  SOFA_GO(err, done, imbalance(m, before, r));
  sofa_vec_zero(sofa_mapped_v(m), r);
  for (size_t i = 0; i < m->n_constraints; i++) {
    sofa_vec_copy(sofa_all_v(m), r, before);
    SOFA_GO(err, done, sofa_mech_project_one(m, m->constraints[i], &p, r));
    if (m->constraints[i] == c) break;
  }
  sofa_vec_lincomb(sofa_all_v(m), SOFA_TERMS({1, before}, {-1, r}), before);
  SOFA_GO(err, done, take(m, c->state, before, &c->reactions));
  if (c->second) err = take(m, c->second, before, &c->second_reactions);
done:
  sofa_scratch_release(m->ctx, mark);
  return err;
}
