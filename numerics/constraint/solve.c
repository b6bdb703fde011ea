/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beginning and the end of a solve, and the error of a sweep. */
#include "numerics/constraint/laws.h"
#include "numerics/constraint/solve_impl.h"

void sofa_constraint_solve_free(SofaContext *ctx, SofaConstraintSolve *s) {
  SofaReals *reals[] = {&s->part,
                        &s->work,
                        &s->d,
                        &s->before,
                        &s->matrix,
                        &s->lapack,
                        &s->report.errors,
                        &s->report.forces,
                        &s->report.block_errors,
                        &s->report.violations};
  SofaIndices *indices[] = {&s->part_at, &s->work_at, &s->known_at, &s->known_by, &s->order};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) sofa_list_free(ctx, reals[i]);
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) sofa_list_free(ctx, indices[i]);
  for (unsigned i = 0; i < SOFA_CONSTRAINT_VECTORS; i++) sofa_list_free(ctx, &s->vector[i]);
  sofa_list_free(ctx, &s->pivots);
}

SofaErr sofa_constraint_take_vectors(SofaConstraintSolve *s, unsigned n_vectors) {
  for (unsigned i = 0; i < n_vectors; i++)
    SOFA_TRY(SOFA_RESIZE(s->problem->ctx, &s->vector[i], s->problem->n));
  return SOFA_OK;
}

/* ---- begin ---- */

/* Places of the blocks' own parts and of their laws' work. */
static SofaErr place_blocks(SofaConstraintSolve *s) {
  const SofaConstraintProblem *p = s->problem;
  size_t part = 0, work = 0, most = 1;
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->part_at, p->blocks.n));
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->work_at, p->blocks.n));
  for (size_t k = 0; k < p->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    s->part_at.data[k] = (uint32_t)part;
    s->work_at.data[k] = (uint32_t)work;
    part += (size_t)b->n * b->n;
    if (b->law->work_size) work += b->law->work_size(b->n);
    if (b->n > most) most = b->n;
    if (part > UINT32_MAX || work > UINT32_MAX) return SOFA_ERR_MEMORY;
  }
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->part, part));
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->work, work));
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->before, most));
  return SOFA_RESIZE(p->ctx, &s->d, most);
}

static void copy_parts(SofaConstraintSolve *s) {
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    double *part = part_of(s, k);
    for (uint32_t i = 0; i < b->n; i++)
      sofa_copy(part + (size_t)i * b->n, w_row(s->problem, b->first + i) + b->first,
                b->n * sizeof *part);
  }
}

/* The multipliers of the last step, or pass; rows without compliance have 0. */
static void start_multipliers(SofaConstraintSolve *s) {
  double *lambda = s->problem->lambda.data;
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    if (b->memory && !s->method.cold && s->problem->pass == SOFA_PASS_MOTION)
      sofa_copy(lambda + b->first, b->memory, b->n * sizeof *lambda);
    for (uint32_t i = 0; i < b->n && !s->method.without_w; i++)
      if (!(part_of(s, k)[i * (b->n + 1)] > 0)) lambda[b->first + i] = 0;
  }
}

static void clear_report(SofaConstraintReport *r) {
  r->iterations = 0;
  r->error = r->residual[0] = r->residual[1] = 0;
  r->converged = false;
  r->errors.n = r->block_errors.n = r->forces.n = r->violations.n = 0;
}

SofaErr sofa_constraint_solve_begin(SofaConstraintSolve *s, SofaConstraintProblem *problem) {
  const SofaConstraintMethod *m = &s->method;
  s->problem = problem;
  clear_report(&s->report);
  s->limit = m->tolerance * (m->scale_tolerance && !m->all_verified ? problem->n : 1);
  SOFA_TRY(place_blocks(s));
  if (m->without_w) {
    start_multipliers(s);
    SOFA_TRY(sofa_constraint_unbuilt_start(s));
  } else {
    if (m->regularization > 0 && problem->pass != SOFA_PASS_EXPANSION) // W has it already
      SOFA_TRY(sofa_constraint_regularize(s));
    copy_parts(s);
    start_multipliers(s);
  }
  for (size_t k = 0; k < problem->blocks.n; k++)
    if (block_of(s, k)->law->begin)
      block_of(s, k)->law->begin(block_of(s, k), part_of(s, k), work_of(s, k));
  return SOFA_OK;
}

/* ---- visits ---- */

void sofa_constraint_block_violation(const SofaConstraintSolve *s, size_t k, double *d) {
  const SofaConstraintProblem *p = s->problem;
  const SofaConstraintBlock *b = block_of(s, k);
  for (uint32_t i = 0; i < b->n; i++)
    d[i] = p->violation.data[b->first + i] + dot(p, w_row(p, b->first + i), p->lambda.data);
}

void sofa_constraint_visit(SofaConstraintSolve *s, size_t k) {
  const SofaConstraintBlock *b = block_of(s, k);
  double *lambda = s->problem->lambda.data + b->first;
  sofa_copy(s->before.data, lambda, b->n * sizeof *lambda);
  b->law->resolve(b, part_of(s, k), work_of(s, k), s->d.data, lambda);
}

/* Did the last visit leave the forces of the block as they were? Open contacts mostly do. */
static bool is_unchanged(const SofaConstraintSolve *s, size_t k) {
  const SofaConstraintBlock *b = block_of(s, k);
  const double *lambda = s->problem->lambda.data + b->first;
  uint32_t i = 0;
  while (i < b->n && lambda[i] == s->before.data[i]) i++;
  return i == b->n;
}

/* Error of the lines; *verified: are all below the limit? */
static double error_of_lines(const SofaConstraintSolve *s, size_t k, bool *verified) {
  const SofaConstraintBlock *b = block_of(s, k);
  const double *w = part_of(s, k), *lambda = s->problem->lambda.data + b->first;
  double error = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    double sum = 0;
    for (uint32_t j = 0; j < b->n; j++) {
      const double part = w[i * b->n + j] * (lambda[j] - s->before.data[j]);
      sum += part * part;
    }
    const double own = sqrt(sum);
    error += own;
    if (!(own <= s->limit)) *verified = false;
  }
  return error;
}

static double error_of_block(const SofaConstraintSolve *s, size_t k) {
  const SofaConstraintBlock *b = block_of(s, k);
  const double *w = part_of(s, k), *lambda = s->problem->lambda.data + b->first;
  double error = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    double sum = 0;
    for (uint32_t j = 0; j < b->n; j++) sum += w[i * b->n + j] * (lambda[j] - s->before.data[j]);
    error += sum * sum;
  }
  return sqrt(error);
}

void sofa_constraint_measure(SofaConstraintSolve *s, size_t k, Sweep *sweep) {
  const SofaConstraintBlock *b = block_of(s, k);
  bool verified = true;
  if (s->limit >= 0 && is_unchanged(s, k)) return; // an error of 0
  double error =
      s->method.norm == SOFA_NORM_BLOCK ? error_of_block(s, k) : error_of_lines(s, k, &verified);
  if (b->tolerance > 0) {
    verified = error <= b->tolerance;
    error *= s->limit / b->tolerance;
  }
  sweep->error += error;
  if (!verified) sweep->verified = false;
}

bool sofa_constraint_ends(const SofaConstraintSolve *s, const Sweep *sweep) {
  return s->method.all_verified ? sweep->verified : sweep->error < s->limit;
}

static SofaErr append(SofaContext *ctx, SofaReals *list, size_t n, const double *values) {
  for (size_t i = 0; i < n; i++) SOFA_TRY(SOFA_APPEND(ctx, list, &values[i]));
  return SOFA_OK;
}

SofaErr sofa_constraint_record(SofaConstraintSolve *s, const Sweep *sweep) {
  SofaConstraintReport *r = &s->report;
  r->iterations++;
  r->error = sweep->error;
  r->converged = sofa_constraint_ends(s, sweep);
  if (!s->method.record) return SOFA_OK;
  SOFA_TRY(SOFA_APPEND(s->problem->ctx, &r->errors, &r->error));
  return append(s->problem->ctx, &r->forces, s->problem->n, s->problem->lambda.data);
}

/* ---- end ---- */

static double larger(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

/* The largest |r| of a block, in both units. */
static void measure_solution(SofaConstraintSolve *s) {
  double *residual = s->report.residual;
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    const double rho = sofa_law_rho(b->n, part_of(s, k));
    double sum = 0;
    if (!(rho > 0)) continue;
    if (s->method.without_w) sofa_constraint_unbuilt_violation(s, k, s->d.data);
    else sofa_constraint_block_violation(s, k, s->d.data);
    sofa_law_residual(
        b, rho, s->problem->lambda.data + b->first,
        &(SofaLawVisit){
            .w = part_of(s, k), .work = work_of(s, k), .d = s->d.data, .r = s->before.data});
    for (uint32_t i = 0; i < b->n; i++) // rows without compliance cannot be satisfied
      if (part_of(s, k)[i * (b->n + 1)] > 0) sum += s->before.data[i] * s->before.data[i];
    residual[0] = larger(residual[0], sqrt(sum));
    residual[1] = larger(residual[1], sqrt(sum) / rho);
  }
}

SofaErr sofa_constraint_solve_end(SofaConstraintSolve *s) {
  measure_solution(s);
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    if (b->memory && s->problem->pass != SOFA_PASS_POSITIONS)
      sofa_copy(b->memory, s->problem->lambda.data + b->first, b->n * sizeof *b->memory);
  }
  return SOFA_OK;
}
