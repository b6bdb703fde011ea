/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Minimal residuals. */
#include "numerics/krylov/krylov_minres.h"

#include <float.h>

/* State of the recurrences; names of the paper. y is the next Lanczos vector times beta, r the one
 * before, w the search directions from the oldest to the newest. */
typedef struct Recurrence {
  double beta, old_beta, alpha, dbar, epsln, phibar, cs, sn, tnorm2, gmax, gmin, root;
  double *r, *y, *v, *w[3];
} Recurrence;

static Recurrence begin(const SofaMinres *s, double norm) {
  Recurrence q = {.beta = norm, .phibar = norm, .cs = -1, .gmin = DBL_MAX};
  q.y = s->work[0];
  q.r = s->work[1];
  q.v = s->work[2];
  for (int i = 0; i < 3; i++) {
    q.w[i] = s->work[3 + i];
    sofa_vec_zero(s->space, q.w[i]);
  }
  return q;
}

/* v = y / beta; the next y = A v - (beta / old beta) r - (alpha / beta) y. */
static SofaErr lanczos(const SofaMinres *s, Recurrence *q, bool first) {
  sofa_vec_zero(s->space, q->v);
  sofa_vec_axpy(s->space, 1 / q->beta, q->y, q->v);

  /* the oldest direction is no longer needed: its place receives A v */
  double *next = q->w[0];
  SOFA_TRY(s->a.apply(s->a.user, q->v, next));
  if (!first) sofa_vec_axpy(s->space, -q->beta / q->old_beta, q->r, next);
  q->alpha = sofa_vec_dot(s->space, q->v, next);
  sofa_vec_axpy(s->space, -q->alpha / q->beta, q->y, next);
  q->w[0] = q->r;
  q->r = q->y;
  q->y = next;
  q->old_beta = q->beta;
  q->beta = sofa_vec_norm(s->space, next);
  q->tnorm2 += q->alpha * q->alpha + q->old_beta * q->old_beta + q->beta * q->beta;
  return SOFA_OK;
}

/* Rotates the new column of the tridiagonal matrix and moves x along the new direction. */
static void advance(const SofaMinres *s, Recurrence *q, double *x) {
  const double old_epsln = q->epsln, delta = q->cs * q->dbar + q->sn * q->alpha;
  const double gbar = q->sn * q->dbar - q->cs * q->alpha;
  q->epsln = q->sn * q->beta;
  q->dbar = -q->cs * q->beta;
  q->root = hypot(gbar, q->dbar);
  const double gamma = fmax(hypot(gbar, q->beta), DBL_EPSILON);
  q->cs = gbar / gamma;
  q->sn = q->beta / gamma;
  const double phi = q->cs * q->phibar;
  q->phibar *= q->sn;
  q->gmax = fmax(q->gmax, gamma);
  q->gmin = fmin(q->gmin, gamma);

  double *w = q->w[0];
  sofa_vec_waxpy(s->space, q->v, -old_epsln, q->w[1], w);
  sofa_vec_axpy(s->space, -delta, q->w[2], w);
  sofa_vec_scale(s->space, 1 / gamma, w);
  sofa_vec_axpy(s->space, phi, w, x);
  q->w[0] = q->w[1];
  q->w[1] = q->w[2];
  q->w[2] = w;
}

/* What rounding allows is reached, or the rule holds. */
static bool finished(const SofaMinres *s, const Recurrence *q, const double *x,
                     SofaMinresState *state) {
  state->a_norm = sqrt(q->tnorm2);
  state->x_norm = sofa_vec_norm(s->space, x);
  state->image = q->root;
  return state->residual / (state->a_norm * state->x_norm) <= 0 || q->root / state->a_norm <= 0 ||
         q->gmax / q->gmin >= 0.1 / DBL_EPSILON ||
         state->a_norm * DBL_EPSILON * state->x_norm >= state->start ||
         s->rule.converged(s->rule.user, state);
}

SofaErr sofa_krylov_minres(const SofaMinres *s, double *x, double norm, SofaMinresState *state) {
  Recurrence q = begin(s, norm);
  *state = (SofaMinresState){.residual = norm, .start = norm};
  while (state->iteration < s->rule.iterations && !state->stopped) {
    SOFA_TRY(lanczos(s, &q, state->iteration == 0));
    advance(s, &q, x);
    state->iteration++;
    state->residual = q.phibar;
    if (s->observer.iteration) SOFA_TRY(s->observer.iteration(s->observer.user, state));

    /* A is a multiple of the identity; or one of the rules holds */
    const bool multiple = state->iteration == 1 && q.beta / norm < 10 * DBL_EPSILON;
    state->stopped = multiple || finished(s, &q, x, state);
  }
  return SOFA_OK;
}
