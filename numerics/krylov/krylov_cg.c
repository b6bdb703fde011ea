/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conjugate gradients. */
#include "numerics/krylov/krylov_cg.h"

#include "simulation/vectors.h"

/* z = P^-1 r; without a preconditioner rho is r.r and z is not made. */
static SofaErr precondition(const SofaCg *cg, double *z, SofaCgState *state) {
  const SofaPreconditioner *p = &cg->preconditioner;
  state->rho = state->rr;
  if (!p->apply) return SOFA_OK;
  SOFA_TRY(p->apply(p->user, cg->r, z));
  state->rho = sofa_vec_dot(cg->space, cg->r, z);
  if (cg->observer.curvature) cg->observer.curvature(cg->observer.user, true, state->rho, cg->r, z);
  return SOFA_OK;
}

/* The first direction is P^-1 r. */
static SofaErr begin(const SofaCg *cg, SofaCgState *state) {
  if (!cg->preconditioner.apply) sofa_vec_copy(cg->space, cg->r, cg->p);
  return precondition(cg, cg->p, state);
}

/* p = P^-1 r + (rho / last) p, where q holds P^-1 r. */
static void turn(const SofaCg *cg, double ratio) {
  sofa_vec_xpay(cg->space, cg->preconditioner.apply ? cg->q : cg->r, ratio, cg->p);
}

/* *flat: nothing was done, because of the direction. */
static SofaErr step(const SofaCg *cg, double *x, SofaCgState *state, bool *flat) {
  const SofaCgVectors vectors = {.x = x, .r = cg->r, .p = cg->p, .q = cg->q};
  SOFA_TRY(cg->a.apply(cg->a.user, cg->p, cg->q));
  const double curvature = state->curvature = sofa_vec_dot(cg->space, cg->p, cg->q);
  *flat = curvature == 0 || (cg->rule.flat && cg->rule.flat(cg->rule.user, state));
  if (*flat) return SOFA_OK;
  if (cg->observer.curvature)
    cg->observer.curvature(cg->observer.user, false, curvature, cg->p, cg->q);
  state->rr = sofa_vec_cg_update(cg->space, state->rho / curvature, &vectors);
  state->iteration++;
  return precondition(cg, cg->q, state);
}

SofaErr sofa_krylov_cg(const SofaCg *cg, double *x, double rr, SofaCgState *end) {
  SofaCgState *state = end;
  bool flat = false;
  *state = (SofaCgState){.rr = rr};
  SOFA_TRY(begin(cg, state));
  for (double last = 0; !flat;) {
    if (cg->observer.iteration) SOFA_TRY(cg->observer.iteration(cg->observer.user, state));
    if (state->iteration >= cg->rule.iterations) return SOFA_OK;
    if (cg->rule.converged(cg->rule.user, state)) break;
    if (state->iteration > 0) turn(cg, state->rho / last);
    last = state->rho;
    SOFA_TRY(step(cg, x, state, &flat));
  }
  state->stopped = true;
  return SOFA_OK;
}
