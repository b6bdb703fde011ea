/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conjugate residuals of the scaled compliance, for bilateral constraints. */
#include "numerics/constraint/solve_impl.h"

typedef struct Residuals {
  double *scale; /* D^-1/2; 0 for rows without compliance */
  double *r, *mr, *p, *mp;
  double r_mr;
} Residuals;

/* y = D^-1/2 W D^-1/2 x; `work`: n */
static void multiply(const SofaConstraintProblem *p, const Residuals *c, const double *x,
                     double *work, double *y) {
  for (size_t i = 0; i < p->n; i++) work[i] = c->scale[i] * x[i];
  for (size_t i = 0; i < p->n; i++) y[i] = c->scale[i] * dot(p, w_row(p, i), work);
}

/* The error of the residuals: of each block, in the unit of d; or of the row with the number of the
 * iteration, as often as the block has rows. */
static double error_of(const SofaConstraintSolve *s, const Residuals *c, uint32_t iteration) {
  double error = 0;
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    double sum = 0;
    if (s->method.error_of_number) {
      sum = b->n * c->r[iteration] * c->r[iteration];
    } else {
      for (uint32_t i = b->first; i < b->first + b->n; i++) {
        const double d = c->scale[i] > 0 ? c->r[i] / c->scale[i] : 0;
        sum += d * d;
      }
    }
    error += sqrt(sum);
  }
  return error;
}

static void start(SofaConstraintSolve *s, Residuals *c) {
  const SofaConstraintProblem *p = s->problem;
  for (size_t i = 0; i < p->n; i++) {
    const double w = p->w.data[i * (p->n + 1)];
    c->scale[i] = w > 0 ? 1 / sqrt(w) : 0;
    c->r[i] = c->p[i] = -c->scale[i] * p->violation.data[i];
    p->lambda.data[i] = 0;
  }
  multiply(p, c, c->r, vector_of(s, 5), c->mr);
  sofa_copy(c->mp, c->mr, p->n * sizeof *c->mp);
  c->r_mr = dot(p, c->r, c->mr);
}

static void iterate(SofaConstraintSolve *s, Residuals *c) {
  const SofaConstraintProblem *p = s->problem;
  const double square = dot(p, c->mp, c->mp);
  const double alpha = square > 0 ? c->r_mr / square : 0;
  for (size_t i = 0; i < p->n; i++) {
    p->lambda.data[i] += alpha * c->p[i];
    c->r[i] -= alpha * c->mp[i];
  }
  multiply(p, c, c->r, vector_of(s, 5), c->mr);
  const double r_mr = dot(p, c->r, c->mr), beta = c->r_mr > 0 ? r_mr / c->r_mr : 0;
  c->r_mr = r_mr;
  for (size_t i = 0; i < p->n; i++) {
    c->p[i] = c->r[i] + beta * c->p[i];
    c->mp[i] = c->mr[i] + beta * c->mp[i];
  }
}

/* lambda in its own unit, and back. */
static void scale(const SofaConstraintSolve *s, const Residuals *c, bool back) {
  double *lambda = s->problem->lambda.data;
  for (size_t i = 0; i < s->problem->n; i++)
    if (c->scale[i] > 0) lambda[i] = back ? lambda[i] / c->scale[i] : lambda[i] * c->scale[i];
}

SofaErr sofa_constraint_conjugate_residual(SofaConstraintSolve *s) {
  const uint32_t n = s->problem->n, given = (uint32_t)s->method.max_iterations;
  const uint32_t most = given < n ? given : n;
  SOFA_TRY(sofa_constraint_take_vectors(s, SOFA_CONSTRAINT_VECTORS));
  Residuals c = {.scale = vector_of(s, 0),
                 .r = vector_of(s, 1),
                 .mr = vector_of(s, 2),
                 .p = vector_of(s, 3),
                 .mp = vector_of(s, 4)};
  start(s, &c);
  for (uint32_t i = 0; i < most; i++) {
    iterate(s, &c);
    const Sweep sweep = {.error = error_of(s, &c, i)};
    if (s->method.record) scale(s, &c, false);
    SOFA_TRY(sofa_constraint_record(s, &sweep));
    if (s->method.record) scale(s, &c, true);
    s->report.converged = sweep.error < s->limit;
    if (s->report.converged && i > 0) break;
  }
  scale(s, &c, false);
  return SOFA_OK;
}
