/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of constraint blocks: bilateral, unilateral, stopper. */
#include "numerics/constraint/laws.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "numerics/constraint/pivoted_ldl_impl.h"

/* ---- bilateral ---- */

static size_t bilateral_size(size_t n) {
  return n == 1 ? 0 : n == 3 ? 9 : sofa_pivoted_ldl_size(n);
}

/* Row-major cofactors of w over its determinant, which is returned. */
static double invert3(const double *w, double *inverse) {
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 3; j++) {
      const unsigned a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inverse[3 * i + j] = w[3 * a + c] * w[3 * b + d] - w[3 * a + d] * w[3 * b + c];
    }
  const double det = w[0] * inverse[0] + w[1] * inverse[3] + w[2] * inverse[6];
  for (unsigned k = 0; k < 9; k++) inverse[k] /= det;
  return det;
}

/* The inverse of what is left of w without its pivots of rounding size. */
static void invert_semidefinite(const double *w, double *inverse) {
  double f[12];
  sofa_pivoted_ldl(3, w, f);
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned j = 0; j < 3; j++) inverse[3 * i + j] = i == j;
    sofa_pivoted_ldl_solve(3, f, inverse + (size_t)3 * i);
  }
}

static void bilateral_begin(const SofaConstraintBlock *b, const double *w, double *work) {
  if (b->n == 1) return;
  if (b->n != 3) {
    sofa_pivoted_ldl(b->n, w, work);
    return;
  }
  const double scale = fabs(w[0] * w[4] * w[8]);
  if (!(fabs(invert3(w, work)) > 16 * DBL_EPSILON * scale)) invert_semidefinite(w, work);
}

static void guarded_begin(const SofaConstraintBlock *b, const double *w, double *work) {
  if (b->n != 3) bilateral_begin(b, w, work);
  else if (!(fabs(invert3(w, work)) > DBL_EPSILON)) memset(work, 0, 9 * sizeof *work);
}

static void bilateral_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                              double *d, double *lambda) {
  if (b->n == 1) {
    lambda[0] = w[0] > 0 ? lambda[0] - b->relaxation * d[0] / w[0] : 0;
  } else if (b->n == 3) {
    for (unsigned i = 0; i < 3; i++)
      for (unsigned j = 0; j < 3; j++) lambda[i] -= d[j] * work[3 * i + j] * b->relaxation;
  } else {
    sofa_pivoted_ldl_solve(b->n, work, d);
    for (uint32_t i = 0; i < b->n; i++) lambda[i] -= b->relaxation * d[i];
  }
}

/* r = rho d: every force is admissible. */
static void bilateral_natural(const SofaConstraintBlock *b, const SofaNaturalMap *m) {
  for (uint32_t i = 0; i < b->n; i++) m->r[i] = m->rho * m->d[i];
  if (!m->by_d) return;
  sofa_zero(m->by_lambda, sizeof(double) * b->n * b->n);
  sofa_zero(m->by_d, sizeof(double) * b->n * b->n);
  for (uint32_t i = 0; i < b->n; i++) m->by_d[i * b->n + i] = m->rho;
}

const SofaConstraintLaw sofa_law_bilateral = {.name = "bilateral",
                                              .work_size = bilateral_size,
                                              .begin = bilateral_begin,
                                              .resolve = bilateral_resolve,
                                              .natural = bilateral_natural},
                        sofa_law_bilateral_guarded = {.name = "bilateral, guarded",
                                                      .work_size = bilateral_size,
                                                      .begin = guarded_begin,
                                                      .resolve = bilateral_resolve,
                                                      .natural = bilateral_natural};

/* ---- one row ---- */

static void unilateral_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                               double *d, double *lambda) {
  (void)work;
  lambda[0] = w[0] > 0 ? fmax(lambda[0] - d[0] / w[0], b->least) : 0;
}

/* The derivative of a row: r = lambda (free) or a function of d alone. */
static void one_row_slope(const SofaNaturalMap *m, bool is_free) {
  if (!m->by_d) return;
  m->by_lambda[0] = is_free ? 1 : 0;
  m->by_d[0] = is_free ? 0 : m->rho;
}

static void unilateral_natural(const SofaConstraintBlock *b, const SofaNaturalMap *m) {
  const bool is_free = m->lambda[0] - m->rho * m->d[0] <= b->least;
  m->r[0] = is_free ? m->lambda[0] - b->least : m->rho * m->d[0];
  one_row_slope(m, is_free);
}

const SofaConstraintLaw sofa_law_unilateral = {
    .name = "unilateral", .resolve = unilateral_resolve, .natural = unilateral_natural};

static void stopper_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                            double *d, double *lambda) {
  (void)work;
  const double e = d[0] - w[0] * lambda[0];
  lambda[0] = 0;
  if (!(w[0] > 0)) return;
  if (e > b->high) lambda[0] = (b->high - e) / w[0];
  else if (e < b->low) lambda[0] = (b->low - e) / w[0];
}

/* d is the projection of d - lambda / rho on the interval. */
static void stopper_natural(const SofaConstraintBlock *b, const SofaNaturalMap *m) {
  const double e = m->d[0] - m->lambda[0] / m->rho;
  const bool is_free = e >= b->low && e <= b->high;
  m->r[0] = is_free ? m->lambda[0] : m->rho * (m->d[0] - (e < b->low ? b->low : b->high));
  one_row_slope(m, is_free);
}

const SofaConstraintLaw sofa_law_stopper = {
    .name = "stopper", .resolve = stopper_resolve, .natural = stopper_natural};

/* ---- all laws ---- */

double sofa_law_rho(size_t n, const double *w) {
  double trace = 0;
  for (size_t i = 0; i < n; i++) trace += w[i * n + i];
  return trace > 0 ? (double)n / trace : 0;
}

void sofa_law_residual(const SofaConstraintBlock *b, double rho, const double *lambda,
                       const SofaLawVisit *visit) {
  if (b->law->natural) {
    b->law->natural(b,
                    &(SofaNaturalMap){.rho = rho, .d = visit->d, .lambda = lambda, .r = visit->r});
    return;
  }
  sofa_copy(visit->r, lambda, b->n * sizeof *lambda);
  b->law->resolve(b, visit->w, visit->work, visit->d, visit->r);
  for (uint32_t i = 0; i < b->n; i++) visit->r[i] = lambda[i] - visit->r[i];
}
