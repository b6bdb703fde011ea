/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gauss-Seidel without W: the corrections give displacements and take forces. */
#include "numerics/constraint/solve_impl.h"

static const SofaConstraintCorrectionOps *ops_of(const SofaConstraintCorrection *c) {
  return c->ops;
}

/* Which corrections know which blocks. */
static SofaErr find_known(SofaConstraintSolve *s) {
  const SofaConstraintProblem *p = s->problem;
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->known_at, p->blocks.n + 1));
  SOFA_TRY(SOFA_RESERVE(p->ctx, &s->known_by, 2 * p->blocks.n));
  s->known_by.n = 0;
  for (size_t k = 0; k < p->blocks.n; k++) {
    s->known_at.data[k] = (uint32_t)s->known_by.n;
    for (uint32_t c = 0; c < p->n_corrections; c++)
      if (ops_of(p->corrections[c])->knows(p->corrections[c], p, block_of(s, k)))
        SOFA_TRY(SOFA_APPEND(p->ctx, &s->known_by, &c));
  }
  s->known_at.data[p->blocks.n] = (uint32_t)s->known_by.n;
  return SOFA_OK;
}

static SofaErr find_order(SofaConstraintSolve *s) {
  const SofaConstraintProblem *p = s->problem;
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->order, p->blocks.n));
  for (uint32_t k = 0; k < p->blocks.n; k++) s->order.data[k] = k;
  for (size_t c = 0; c < p->n_corrections && !s->method.in_order; c++)
    if (ops_of(p->corrections[c])->reorder)
      SOFA_TRY(ops_of(p->corrections[c])->reorder(p->corrections[c], p, s->order.data));
  return SOFA_OK;
}

static SofaErr start_corrections(SofaConstraintSolve *s, double **parts) {
  const SofaConstraintProblem *p = s->problem;
  sofa_zero(s->part.data, s->part.n * sizeof *s->part.data);
  for (size_t k = 0; k < p->blocks.n; k++) parts[k] = part_of(s, k);
  for (size_t c = 0; c < p->n_corrections; c++) {
    SofaConstraintCorrection *correction = p->corrections[c];
    const SofaConstraintCorrectionOps *ops = ops_of(correction);
    if (!ops->start || !ops->knows || !ops->add_displacement || !ops->add_force)
      return sofa_object_fail(&correction->object, SOFA_ERR_UNSUPPORTED,
                              "this correction cannot serve a solver that does not form the "
                              "compliance matrix: take another constraint solver");
    SOFA_TRY(ops->start(correction, p, parts, p->lambda.data));
  }
  return SOFA_OK;
}

SofaErr sofa_constraint_unbuilt_start(SofaConstraintSolve *s) {
  SofaContext *ctx = s->problem->ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_OK;
  double **parts = SOFA_SCRATCH(ctx, double *, s->problem->blocks.n + 1);
  SOFA_GO(err, done, parts ? SOFA_OK : SOFA_ERR_MEMORY);
  SOFA_GO(err, done, start_corrections(s, parts));
  SOFA_GO(err, done, find_known(s));
  SOFA_GO(err, done, find_order(s));
  for (size_t k = 0; k < s->problem->blocks.n; k++)
    for (uint32_t i = 0; i < block_of(s, k)->n; i++)
      part_of(s, k)[i * (block_of(s, k)->n + 1)] += s->method.regularization;
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

void sofa_constraint_unbuilt_violation(const SofaConstraintSolve *s, size_t k, double *d) {
  const SofaConstraintProblem *p = s->problem;
  const SofaConstraintBlock *b = block_of(s, k);
  sofa_copy(d, p->violation.data + b->first, b->n * sizeof *d);
  for (uint32_t i = s->known_at.data[k]; i < s->known_at.data[k + 1]; i++) {
    const SofaConstraintCorrection *c = p->corrections[s->known_by.data[i]];
    ops_of(c)->add_displacement(c, p, b, d);
  }
}

static void add_force(SofaConstraintSolve *s, size_t k, const double *change) {
  const SofaConstraintProblem *p = s->problem;
  for (uint32_t i = s->known_at.data[k]; i < s->known_at.data[k + 1]; i++) {
    SofaConstraintCorrection *c = p->corrections[s->known_by.data[i]];
    ops_of(c)->add_force(c, p, block_of(s, k), change);
  }
}

/* Hands the change of block k from `before` to the corrections. */
static void tell(SofaConstraintSolve *s, size_t k, const double *before) {
  const SofaConstraintBlock *b = block_of(s, k);
  const double *lambda = s->problem->lambda.data + b->first;
  bool any = false;
  for (uint32_t i = 0; i < b->n; i++) {
    any |= before[i] != 0 || lambda[i] != 0;
    s->d.data[i] = lambda[i] - before[i];
  }
  if (any) add_force(s, k, s->d.data);
}

/* lambda = sor lambda + (1 - sor) last */
static void mix(SofaConstraintSolve *s, const double *last) {
  const double sor = s->method.sor;
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    double *lambda = s->problem->lambda.data + b->first;
    sofa_copy(s->before.data, lambda, b->n * sizeof *lambda);
    for (uint32_t i = 0; i < b->n; i++)
      lambda[i] = sor * lambda[i] + (1 - sor) * last[b->first + i];
    if (!s->method.untold_mixing) tell(s, k, s->before.data);
  }
}

static SofaErr unbuilt_sweep(SofaConstraintSolve *s, Sweep *sweep) {
  *sweep = (Sweep){0, true};
  for (size_t i = 0; i < s->problem->blocks.n; i++) {
    const size_t k = s->order.data[i];
    const double before = sweep->error;
    sofa_constraint_unbuilt_violation(s, k, s->d.data);
    for (uint32_t j = 0; j < block_of(s, k)->n && s->method.record; j++)
      SOFA_TRY(SOFA_APPEND(s->problem->ctx, &s->report.violations, &s->d.data[j]));
    sofa_constraint_visit(s, k);
    sofa_constraint_measure(s, k, sweep);
    tell(s, k, s->before.data);
    const double error = sweep->error - before;
    if (s->method.record) SOFA_TRY(SOFA_APPEND(s->problem->ctx, &s->report.block_errors, &error));
  }
  return SOFA_OK;
}

SofaErr sofa_constraint_unbuilt(SofaConstraintSolve *s) {
  SOFA_TRY(sofa_constraint_take_vectors(s, 1));
  for (int i = 0; i < s->method.max_iterations && !s->report.converged; i++) {
    Sweep sweep;
    sofa_copy(vector_of(s, 0), s->problem->lambda.data, s->problem->n * sizeof(double));
    SOFA_TRY(unbuilt_sweep(s, &sweep));
    if (s->method.sor != 1) mix(s, vector_of(s, 0));
    SOFA_TRY(sofa_constraint_record(s, &sweep));
  }
  return SOFA_OK;
}
