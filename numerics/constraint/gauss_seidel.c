/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Projected Gauss-Seidel sweeps over the blocks, and conjugate gradients made of them. */
#include "numerics/constraint/solve_impl.h"

/* Sweeps after which the kept violations are computed again from the forces. */
enum { REFRESH = 32 };

/* ---- sweeps ---- */

/* The violations of all rows under the current forces, from the rows that have one. */
static void refresh(SofaConstraintSolve *s) {
  const SofaConstraintProblem *p = s->problem;
  sofa_copy(s->kept, p->violation.data, p->n * sizeof *s->kept);
  for (size_t i = 0; i < p->n; i++)
    if (p->lambda.data[i] != 0)
      p->ctx->kernels->axpy(p->n, p->lambda.data[i], w_row(p, i), s->kept);
}

/* Blocks whose forces do not change, such as open contacts, cost nothing. */
static void push(SofaConstraintSolve *s, size_t k) {
  const SofaConstraintProblem *p = s->problem;
  const SofaConstraintBlock *b = block_of(s, k);
  for (uint32_t i = 0; i < b->n; i++) {
    const double change = p->lambda.data[b->first + i] - s->before.data[i];
    if (change != 0) p->ctx->kernels->axpy(p->n, change, w_row(p, b->first + i), s->kept);
  }
}

static void take_violation(SofaConstraintSolve *s, size_t k) {
  const SofaConstraintBlock *b = block_of(s, k);
  if (!s->kept) sofa_constraint_block_violation(s, k, s->d.data);
  else sofa_copy(s->d.data, s->kept + b->first, b->n * sizeof *s->kept);
}

static SofaErr record_violation(SofaConstraintSolve *s, size_t k) {
  for (uint32_t i = 0; i < block_of(s, k)->n; i++)
    SOFA_TRY(SOFA_APPEND(s->problem->ctx, &s->report.violations, &s->d.data[i]));
  return SOFA_OK;
}

SofaErr sofa_constraint_sweep(SofaConstraintSolve *s, Sweep *sweep) {
  *sweep = (Sweep){0, true};
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const double before = sweep->error;
    take_violation(s, k);
    if (s->method.record) SOFA_TRY(record_violation(s, k));
    sofa_constraint_visit(s, k);
    sofa_constraint_measure(s, k, sweep);
    if (s->kept) push(s, k);
    const double error = sweep->error - before;
    if (s->method.record) SOFA_TRY(SOFA_APPEND(s->problem->ctx, &s->report.block_errors, &error));
  }
  return SOFA_OK;
}

/* Over-relaxation changes all forces after each sweep: then violations are computed at each visit.
 */
SofaErr sofa_constraint_gauss_seidel(SofaConstraintSolve *s) {
  const double sor = s->method.sor;
  const size_t n = s->problem->n;
  SofaErr err = SOFA_OK;
  if (s->method.without_w) return sofa_constraint_unbuilt(s);
  SOFA_TRY(sofa_constraint_take_vectors(s, 2));
  double *lambda = s->problem->lambda.data, *last = vector_of(s, 0);
  s->kept = sor == 1 ? vector_of(s, 1) : NULL;
  for (int i = 0; i < s->method.max_iterations && !s->report.converged; i++) {
    Sweep sweep;
    if (s->kept && i % REFRESH == 0) refresh(s);
    sofa_copy(last, lambda, n * sizeof *last);
    SOFA_GO(err, done, sofa_constraint_sweep(s, &sweep));
    for (size_t k = 0; k < n && sor != 1; k++) lambda[k] = sor * lambda[k] + (1 - sor) * last[k];
    SOFA_GO(err, done, sofa_constraint_record(s, &sweep));
  }
done:
  s->kept = NULL;
  return err;
}

/* ---- conjugate gradients ---- */

/* p is the direction; the gradient of a sweep is minus its change. */
typedef struct Gradient {
  double *last, *p;
  double square; /* |gradient|^2 of the last sweep */
} Gradient;

/* A sweep, and the square of its change. */
static SofaErr change(SofaConstraintSolve *s, Gradient *g, Sweep *sweep, double *square) {
  const size_t n = s->problem->n;
  sofa_copy(g->last, s->problem->lambda.data, n * sizeof *g->last);
  SOFA_TRY(sofa_constraint_sweep(s, sweep));
  *square = 0;
  for (size_t k = 0; k < n; k++) {
    g->last[k] = s->problem->lambda.data[k] - g->last[k];
    *square += g->last[k] * g->last[k];
  }
  return SOFA_OK;
}

static void extrapolate(SofaConstraintSolve *s, Gradient *g, double square) {
  const double beta = g->square > 0 ? square / g->square : 2;
  for (size_t k = 0; k < s->problem->n; k++) {
    if (beta > 1) {
      g->p[k] = 0;
      continue;
    }
    s->problem->lambda.data[k] += beta * g->p[k];
    g->p[k] = beta * g->p[k] + g->last[k];
  }
  g->square = square;
}

/* The extrapolation is no admissible force: a solve ends with a sweep. */
SofaErr sofa_constraint_nncg(SofaConstraintSolve *s) {
  const int most = s->method.max_iterations;
  const bool extrapolated = s->method.last_extrapolated;
  Sweep sweep;
  double square = 0;
  SOFA_TRY(sofa_constraint_take_vectors(s, 2));
  Gradient g = {.last = vector_of(s, 0), .p = vector_of(s, 1)};
  if (most < 1) return SOFA_OK;
  SOFA_TRY(change(s, &g, &sweep, &g.square));
  sofa_copy(g.p, g.last, s->problem->n * sizeof *g.p);
  s->report.iterations = 1;
  s->report.error = sweep.error;
  for (int i = 1; i < most; i++) {
    SOFA_TRY(change(s, &g, &sweep, &square));
    SOFA_TRY(sofa_constraint_record(s, &sweep));
    const bool stalls = extrapolated && sqrt(square) < s->limit;
    if (s->report.converged || (i + 1 == most && !extrapolated)) return SOFA_OK;
    extrapolate(s, &g, square);
    if (stalls) return SOFA_OK;
  }
  return SOFA_OK;
}
