/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Semismooth Newton method on the natural maps r of all blocks:
 *
 *   (A + B (W + eta D)) delta = -r,    A = dr/dlambda, B = dr/dd,
 *
 * D: the diagonal of W; eta makes redundant rows solvable: the forces of their null space stay, as
 * in a proximal step. Where full steps and the line search fail, proximal points go before
 * (proximal.c); where these fail, too, or a law is not a cone, larger eta do, each step
 * from the forces lambda_0 of the last one: d + eta D (lambda - lambda_0) has forces that are easy
 * to find, and they lead to those of eta = 0. Blocks are measured by r^2 / rho, an energy, so that
 * light and heavy bodies count alike; a residual is relative to the same sum of lambda and of rho
 * times the terms of d, d_free and W_ij lambda_j, whose rounding no iteration removes. */
#include "base/bytes.h"
#include "numerics/constraint/laws.h"
#include "numerics/constraint/newton_impl.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/direct/lapack_impl.h"

#define PROXIMAL 1e-9

enum { FIRST_SWEEPS = 10, MORE_SWEEPS = 200, TRIALS = 12, FULL_STEPS = 25 };
/* Proximal points, how often Newton's method follows one, and its steps. */
enum { POINTS = 200, PERIOD = 5, POINT_STEPS = 10 };

/* Vectors of n reals. */
typedef struct Newton {
  double *d, *r, *delta, *base, *best, *from;
  double eta;        /* of the problem that is solved, from lambda_0 = `from` */
  double size;       /* sqrt of the sum of r^2 / rho */
  double reference;  /* of lambda and rho times the terms of d */
  double best_ratio; /* smallest relative residual, of `best` */
  double scale;      /* of rho */
  int tries;         /* of the continuation */
  bool smooth;       /* every law has a natural map */
} Newton;

static double ratio_of(const Newton *m) {
  return m->size == 0 ? 0 : m->size / m->reference;
}

/* r of a block without compliance is its lambda. */
static void residual_of(SofaConstraintSolve *s, Newton *m, size_t k, double rho) {
  const SofaConstraintBlock *b = block_of(s, k);
  const double *lambda = s->problem->lambda.data + b->first;
  if (!(rho > 0)) {
    sofa_copy(m->r + b->first, lambda, b->n * sizeof *lambda);
    return;
  }
  sofa_copy(s->d.data, m->d + b->first, b->n * sizeof *lambda);
  sofa_law_residual(
      b, rho, lambda,
      &(SofaLawVisit){
          .w = part_of(s, k), .work = work_of(s, k), .d = s->d.data, .r = m->r + b->first});
  for (uint32_t i = 0; i < b->n; i++)
    if (!(part_of(s, k)[i * (b->n + 1)] > 0)) m->r[b->first + i] = lambda[i];
}

/* The size of the numbers that r of a row is made of. */
static double size_of_terms(const SofaConstraintProblem *p, uint32_t row, double rho) {
  double terms = fabs(p->violation.data[row]);
  for (uint32_t j = 0; j < p->n; j++) terms += fabs(w_row(p, row)[j] * p->lambda.data[j]);
  return fmax(fabs(p->lambda.data[row]), rho * terms);
}

/* d, r and their sizes under problem->lambda. */
static void evaluate(SofaConstraintSolve *s, Newton *m) {
  const SofaConstraintProblem *p = s->problem;
  double sum = 0, reference = 0;
  for (size_t k = 0; k < p->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    const double rho = m->scale * sofa_law_rho(b->n, part_of(s, k));
    sofa_constraint_block_violation(s, k, m->d + b->first);
    for (uint32_t i = b->first; i < b->first + b->n && m->eta > 0; i++)
      m->d[i] += m->eta * p->w.data[i * ((size_t)p->n + 1)] * (p->lambda.data[i] - m->from[i]);
    residual_of(s, m, k, rho);
    if (!(rho > 0)) continue;
    for (uint32_t i = b->first; i < b->first + b->n; i++) {
      const double largest = size_of_terms(p, i, rho);
      sum += m->r[i] * m->r[i] / rho;
      reference += largest * largest / rho;
    }
  }
  m->size = sqrt(sum);
  m->reference = sqrt(reference);
  if (m->eta == 0 && m->scale == 1 && ratio_of(m) < m->best_ratio) {
    m->best_ratio = ratio_of(m);
    sofa_copy(m->best, p->lambda.data, p->n * sizeof *m->best);
  }
}

/* ---- a step ---- */

/* Rows of a block in the matrix, column major: A + B (W + eta D). */
static void fill_rows(SofaConstraintSolve *s, const Newton *m, size_t k, const double *by_lambda,
                      const double *by_d) {
  const SofaConstraintProblem *p = s->problem;
  const SofaConstraintBlock *b = block_of(s, k);
  const size_t n = p->n;
  for (size_t c = 0; c < n; c++) {
    const double *w = p->w.data + c * n + b->first;
    double *out = s->matrix.data + c * n + b->first;
    for (uint32_t i = 0; i < b->n; i++) {
      out[i] = 0;
      for (uint32_t j = 0; j < b->n; j++) {
        const bool diagonal = b->first + j == c;
        out[i] += by_d[i * b->n + j] * w[j] * (diagonal ? 1 + PROXIMAL + m->eta : 1);
        if (diagonal) out[i] += by_lambda[i * b->n + j];
      }
    }
  }
}

/* Rows without compliance ask for lambda = 0. */
static void hold_row(const SofaConstraintSolve *s, size_t row) {
  const size_t n = s->problem->n;
  for (size_t c = 0; c < n; c++) s->matrix.data[c * n + row] = c == row;
}

static SofaErr fill_matrix(SofaConstraintSolve *s, Newton *m) {
  SofaContext *ctx = s->problem->ctx;
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    const double rho = m->scale * sofa_law_rho(b->n, part_of(s, k));
    const size_t size = (size_t)b->n * b->n;
    const SofaScratchMark mark = sofa_scratch_mark(ctx);
    double *slopes = SOFA_SCRATCH(ctx, double, 2 * size);
    if (!slopes) return SOFA_ERR_MEMORY;
    sofa_zero(slopes, 2 * size * sizeof *slopes);
    if (rho > 0)
      b->law->natural(b, &(SofaNaturalMap){.rho = rho,
                                           .d = m->d + b->first,
                                           .lambda = s->problem->lambda.data + b->first,
                                           .r = s->d.data,
                                           .by_lambda = slopes,
                                           .by_d = slopes + size});
    fill_rows(s, m, k, slopes, slopes + size);
    for (uint32_t i = 0; i < b->n; i++)
      if (!(part_of(s, k)[i * (b->n + 1)] > 0)) hold_row(s, b->first + i);
    sofa_scratch_release(ctx, mark);
  }
  return SOFA_OK;
}

/* Finds delta; *ok: it is finite. */
static SofaErr find_step(SofaConstraintSolve *s, Newton *m, bool *ok) {
  const int n = (int)s->problem->n, one = 1;
  int info = 0;
  SOFA_TRY(fill_matrix(s, m));
  for (int i = 0; i < n; i++) m->delta[i] = -m->r[i];
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  dgesv_(&n, &one, s->matrix.data, &n, s->pivots.data, m->delta, &n, &info);
  sofa_blas_threads_end(saved);
  *ok = info == 0;
  for (int i = 0; i < n; i++) *ok &= isfinite(m->delta[i]) != 0;
  return SOFA_OK;
}

/* lambda = base + t delta */
static void move(SofaConstraintSolve *s, Newton *m, double t) {
  for (size_t i = 0; i < s->problem->n; i++)
    s->problem->lambda.data[i] = m->base[i] + t * m->delta[i];
  evaluate(s, m);
}

/* Takes the longest of the trial steps that decreases the residual; false: none does, and lambda is
 * as before. */
static bool search_line(SofaConstraintSolve *s, Newton *m) {
  const double before = m->size;
  double t = 1;
  sofa_copy(m->base, s->problem->lambda.data, s->problem->n * sizeof *m->base);
  for (int trial = 0; trial < TRIALS; trial++, t /= 2) {
    move(s, m, t);
    if (m->size <= (1 - 1e-3 * t) * before) return true;
  }
  sofa_copy(s->problem->lambda.data, m->base, s->problem->n * sizeof *m->base);
  return false;
}

/* ---- the iteration ---- */

static SofaErr sweeps(SofaConstraintSolve *s, Newton *m, int n) {
  Sweep sweep;
  for (int i = 0; i < n; i++) SOFA_TRY(sofa_constraint_sweep(s, &sweep));
  evaluate(s, m);
  return SOFA_OK;
}

static SofaErr record(SofaConstraintSolve *s, const Newton *m) {
  const Sweep sweep = {.error = ratio_of(m)};
  SOFA_TRY(sofa_constraint_record(s, &sweep));
  s->report.converged = m->eta == 0 && sweep.error <= s->method.tolerance;
  return SOFA_OK;
}

/* Full steps, each with the active rows of the last: they end after few where they converge at all,
 * though the residual may grow at first. While eta > 0 shorter ones that decrease it come first. */
static SofaErr full_steps(SofaConstraintSolve *s, Newton *m, int most) {
  for (int i = 0; i < most && ratio_of(m) > s->method.tolerance; i++) {
    bool ok = false;
    SOFA_TRY(find_step(s, m, &ok));
    if (!ok) return SOFA_OK;
    if (!(m->eta > 0 && search_line(s, m))) {
      sofa_copy(m->base, s->problem->lambda.data, s->problem->n * sizeof *m->base);
      move(s, m, 1);
    }
    SOFA_TRY(record(s, m));
  }
  return SOFA_OK;
}

/* The forces with the smallest residual so far; without any, the current ones. */
static void take_best(SofaConstraintSolve *s, Newton *m) {
  if (!isfinite(m->best_ratio)) return;
  sofa_copy(s->problem->lambda.data, m->best, s->problem->n * sizeof *m->best);
  evaluate(s, m);
}

/* Problems with eta from 0.1 on, then with 0. A try that fails is followed by others, with eta that
 * falls more slowly, another rho, or forces that start from 0: redundant contacts with friction
 * have no path that always leads to a solution. */
static SofaErr continuation(SofaConstraintSolve *s, Newton *m) {
  static const double shrinks[] = {0.02, 0.2, 0.5, 0.1}, scales[] = {1, 10, 0.1, 3, 0.3};
  const double shrink = shrinks[m->tries % 4];
  m->scale = scales[m->tries++ % 5];
  for (m->eta = 0.1; m->eta > 1e-9; m->eta *= shrink) {
    sofa_copy(m->from, s->problem->lambda.data, s->problem->n * sizeof *m->from);
    evaluate(s, m);
    SOFA_TRY(full_steps(s, m, FULL_STEPS));
  }
  m->eta = 0;
  evaluate(s, m);
  SOFA_TRY(full_steps(s, m, FULL_STEPS));
  m->scale = 1;
  evaluate(s, m);
  return full_steps(s, m, FULL_STEPS);
}

/* lambda - r is P_K(lambda - rho d): forces end in their cones, not next to them. */
static void admit(SofaConstraintSolve *s, const Newton *m) {
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    double *lambda = s->problem->lambda.data + b->first;
    const bool contact = b->law == &sofa_law_unilateral || b->law == &sofa_law_friction ||
                         b->law == &sofa_law_friction_exact || b->law == &sofa_law_augmented;
    for (uint32_t i = 0; i < b->n && contact; i++) lambda[i] -= m->r[b->first + i];
  }
}

/* Proximal points from forces of 0; Newton's method ends near a solution. */
static SofaErr proximal_points(SofaConstraintSolve *s, Newton *m) {
  const size_t size = s->problem->n * sizeof(double);
  double grow = 10;
  sofa_zero(s->problem->lambda.data, size);
  for (int i = 1; i <= POINTS && (int)s->report.iterations < s->method.max_iterations; i++) {
    SOFA_TRY(newton_proximal(s, grow));
    evaluate(s, m);
    SOFA_TRY(record(s, m));
    grow = fmin(2 * grow, 1e6);
    sofa_copy(m->from, s->problem->lambda.data, size);
    if (i % PERIOD == 0) SOFA_TRY(full_steps(s, m, POINT_STEPS));
    if (s->report.converged) return SOFA_OK;
    sofa_copy(s->problem->lambda.data, m->from, size);
  }
  evaluate(s, m);
  return SOFA_OK;
}

static SofaErr iterate(SofaConstraintSolve *s, Newton *m) {
  bool ok = m->smooth;
  if (ok) SOFA_TRY(find_step(s, m, &ok));
  if (ok && search_line(s, m)) return record(s, m);
  take_best(s, m);
  if (m->tries == 0 && m->smooth && newton_has_cones(s)) {
    m->tries++;
    return proximal_points(s, m);
  }
  if (m->tries % 2) sofa_zero(s->problem->lambda.data, s->problem->n * sizeof(double));
  SOFA_TRY(sweeps(s, m, MORE_SWEEPS));
  SOFA_TRY(record(s, m));
  return m->smooth ? continuation(s, m) : SOFA_OK;
}

static SofaErr prepare(SofaConstraintSolve *s, Newton *m) {
  SofaContext *ctx = s->problem->ctx;
  const size_t n = s->problem->n;
  SOFA_TRY(sofa_constraint_take_vectors(s, 6));
  if (n > 46000) return SOFA_ERR_RANGE; // n * n is an int in LAPACK
  SOFA_TRY(SOFA_RESIZE(ctx, &s->matrix, n * n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->pivots, n));
  *m = (Newton){.d = vector_of(s, 0),
                .r = vector_of(s, 1),
                .delta = vector_of(s, 2),
                .base = vector_of(s, 3),
                .best = vector_of(s, 4),
                .from = vector_of(s, 5),
                .best_ratio = INFINITY,
                .scale = 1,
                .smooth = true};
  for (size_t k = 0; k < s->problem->blocks.n; k++)
    m->smooth &= block_of(s, k)->law->natural != NULL;
  return SOFA_OK;
}

SofaErr sofa_constraint_newton(SofaConstraintSolve *s) {
  Newton m;
  SOFA_TRY(prepare(s, &m));
  SOFA_TRY(sweeps(s, &m, FIRST_SWEEPS));
  SOFA_TRY(record(s, &m));
  if (m.smooth) SOFA_TRY(full_steps(s, &m, FULL_STEPS));
  if (!s->report.converged) take_best(s, &m);
  while ((int)s->report.iterations < s->method.max_iterations && !s->report.converged &&
         isfinite(m.size))
    SOFA_TRY(iterate(s, &m));
  if (isfinite(m.best_ratio) && m.best_ratio < ratio_of(&m)) {
    sofa_copy(s->problem->lambda.data, m.best, s->problem->n * sizeof *m.best);
    s->report.error = m.best_ratio;
    evaluate(s, &m);
  }
  if (isfinite(m.size)) admit(s, &m);
  return SOFA_OK;
}
