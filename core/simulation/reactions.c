/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces at the end of a step, and the reactions of constraints: M a - f in the directions that
 * their projections take. The acceleration is that of the step, (v_end - v_begin) / h; it is 0 in
 * equilibria. */
#include "simulation/reactions_impl.h"

#include "simulation/gyroscopic.h"
#include "simulation/schedule.h"
#include "simulation/vectors.h"

static double end_of_step(const SofaMechanics *m) {
  return m->h > 0 ? m->begin + m->h : m->node->time;
}

/* ---- interactions above the solvers ---- */

/* Where an interaction adds its forces: into f, or, on states of other plans, into scratch memory.
 * *ours: it acts on a state of the plan. */
static SofaErr places_of(const SofaMechanics *m, const SofaForceField *ff, double *f, double **to,
                         bool *ours) {
  for (size_t k = 0; k < ff->n_states && ff->state[k]; k++) {
    const SofaState *s = ff->state[k];
    const size_t n = s->position.n * sofa_state_kind_info(s->object.kind)->deriv;
    const bool inside = s->mechanics == m;
    to[k] = inside ? f + s->v_offset : SOFA_SCRATCH(m->ctx, double, n + 1);
    if (!to[k]) return SOFA_ERR_MEMORY;
    *ours |= inside;
  }
  return SOFA_OK;
}

static SofaErr add_interaction(SofaMechanics *m, SofaForceField *ff, const SofaMechParams *p,
                               double *f, bool *any) {
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  double **to = SOFA_SCRATCH(m->ctx, double *, ff->n_states + 1);
  bool ours = false;
  SofaErr err = to ? sofa_force_field_check_states(ff) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = places_of(m, ff, f, to, &ours);
  if (err == SOFA_OK && ours) err = sofa_interaction_add_force(ff, p, to);
  *any |= ours;
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* f += the forces of interactions above the solvers, whose external forces ended with the step. */
static SofaErr add_interactions(SofaMechanics *m, const SofaMechParams *p, const SofaMechPoint *at,
                                double *f) {
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  SofaObjects list = {0};
  bool any = false;
  SofaErr err = SOFA_ERR_MEMORY;
  double *g = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  if (!g) goto done;
  sofa_vec_zero(sofa_all_v(m), g);
  SOFA_GO(err, done, sofa_solve_order(sofa_node_root(m->node), &list));
  for (size_t i = 0; i < list.n; i++)
    if (!sofa_implements(list.data[i], SOFA_ODE_SOLVER))
      SOFA_GO(err, done, add_interaction(m, (SofaForceField *)list.data[i], p, g, &any));
  err = SOFA_OK;
  if (!any) goto done;
  SOFA_GO(err, done, sofa_mech_pull_back(m, at, g));
  sofa_vec_add(sofa_all_v(m), 1, g, f);
done:
  sofa_list_free(m->ctx, &list);
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* ---- forces and reactions ---- */

static SofaErr forces_at(SofaMechanics *m, const SofaMechParams *p, SofaMechPoint *at, double *f) {
  SOFA_TRY(sofa_mech_compute_force(m, p, at, f));
  return add_interactions(m, p, at, f);
}

SofaErr sofa_mech_find_force(SofaState *state) {
  SofaMechanics *m = state->mechanics;
  const SofaMechParams p = sofa_mech_params(0, end_of_step(m), 0, 0, 0);
  SofaMechPoint at = sofa_mech_point(m, m->x, m->v, p.time);
  return forces_at(m, &p, &at, m->f);
}

/* r = M a - f of the independent states; a is scratch. */
static SofaErr imbalance(SofaMechanics *m, double *a, double *r) {
  const SofaMechParams p = sofa_mech_params(0, end_of_step(m), 0, 0, 0);
  const SofaMechParams mass = sofa_mech_params(m->h, p.time, 1, 0, 0);
  SofaMechPoint at = sofa_mech_point(m, m->x, m->v, p.time);
  SOFA_TRY(forces_at(m, &p, &at, a));
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
