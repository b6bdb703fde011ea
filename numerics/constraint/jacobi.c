/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block Jacobi with two ways of damping, and the eigenvalues of W. */
#include "numerics/constraint/solve_impl.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/direct/lapack_impl.h"

SofaErr sofa_constraint_eigenvalues(SofaConstraintSolve *s, bool vectors) {
  const SofaConstraintProblem *p = s->problem;
  const char *const job = vectors ? "V" : "N";
  const int n = (int)p->n, query = -1;
  double size = 0;
  int info = 0;
  if (p->n > 46000) return SOFA_ERR_RANGE; // n * n is an int in LAPACK
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->vector[0], p->n));
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->matrix, (size_t)p->n * p->n));
  sofa_copy(s->matrix.data, p->w.data, (size_t)p->n * p->n * sizeof(double));
  dsyev_(job, "U", &n, s->matrix.data, &n, vector_of(s, 0), &size, &query, &info, 1, 1);
  const int n_work = (int)size;
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->lapack, (size_t)n_work));
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  dsyev_(job, "U", &n, s->matrix.data, &n, vector_of(s, 0), s->lapack.data, &n_work, &info, 1, 1);
  sofa_blas_threads_end(saved);
  return info == 0 ? SOFA_OK : SOFA_ERR_SINGULAR;
}

/* Rows of the null space: their part of the vectors of small singular values. */
static void add_to_null_space(SofaConstraintSolve *s) {
  const SofaConstraintProblem *p = s->problem;
  const double *value = vector_of(s, 0), *v = s->matrix.data;
  const double largest = fmax(fabs(value[0]), fabs(value[p->n - 1]));
  for (size_t j = 0; j < p->n; j++) {
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
      if (fabs(value[i]) < s->method.null_value * largest) sum += v[i * p->n + j] * v[i * p->n + j];
    if (sqrt(sum) > s->method.null_vector) p->w.data[j * (p->n + 1)] += s->method.regularization;
  }
}

SofaErr sofa_constraint_regularize(SofaConstraintSolve *s) {
  SofaConstraintProblem *p = s->problem;
  if (s->method.by_svd) {
    SOFA_TRY(sofa_constraint_eigenvalues(s, true));
    add_to_null_space(s);
    return SOFA_OK;
  }
  for (size_t i = 0; i < p->n; i++) p->w.data[i * (p->n + 1)] += s->method.regularization;
  return SOFA_OK;
}

/* ---- iterations ---- */

typedef struct Jacobi {
  double rho, beta;               /* of the displacements; of the last change */
  double *change, *last, *d, *dc; /* n */
} Jacobi;

static SofaErr spectral_factor(SofaConstraintSolve *s, const SofaJacobiOptions *o, double *rho) {
  *rho = 1;
  if (!o->spectral) return SOFA_OK;
  SOFA_TRY(sofa_constraint_eigenvalues(s, false));
  const double *value = vector_of(s, 0);
  const double largest = fmax(fabs(value[0]), fabs(value[s->problem->n - 1]));
  *rho = o->factor * fmin(1, 1.8 / (largest * largest));
  return SOFA_OK;
}

/* |W Delta| over the rows of block k, with the changes known so far: of a block's rows together. */
static double error_of(const SofaConstraintSolve *s, const Jacobi *j, size_t k) {
  const SofaConstraintBlock *b = block_of(s, k);
  double sum = 0;
  for (uint32_t i = 0; i < b->n; i++) {
    const double *w = w_row(s->problem, b->first + i);
    for (uint32_t c = 0; c < s->problem->n; c++) sum += w[c] * j->change[c] * (w[c] * j->change[c]);
  }
  return sqrt(sum);
}

static void visit(SofaConstraintSolve *s, const Jacobi *j, size_t k) {
  const SofaConstraintBlock *b = block_of(s, k);
  double *lambda = s->problem->lambda.data;
  sofa_copy(s->d.data, j->dc + b->first, b->n * sizeof *lambda);
  sofa_constraint_visit(s, k);
  for (uint32_t i = b->first; i < b->first + b->n; i++) {
    lambda[i] += j->beta * j->change[i];
    j->change[i] = lambda[i] - j->last[i];
    j->last[i] = lambda[i];
  }
}

static SofaErr iterate(SofaConstraintSolve *s, Jacobi *j, Sweep *sweep) {
  SofaConstraintProblem *p = s->problem;
  *sweep = (Sweep){0, true};
  for (size_t i = 0; i < p->n; i++) {
    j->d[i] += dot(p, w_row(p, i), j->change);
    j->dc[i] = j->rho * j->d[i];
  }
  for (size_t k = 0; k < p->blocks.n; k++) {
    visit(s, j, k);
    const double error = error_of(s, j, k);
    sweep->error += error;
    if (!(error <= s->limit)) sweep->verified = false;
    if (s->method.record) SOFA_TRY(SOFA_APPEND(p->ctx, &s->report.block_errors, &error));
  }
  return SOFA_OK;
}

SofaErr sofa_constraint_jacobi(SofaConstraintSolve *s, const SofaJacobiOptions *options) {
  const int most = s->method.max_iterations;
  Jacobi j = {0};
  SOFA_TRY(sofa_constraint_take_vectors(s, 5));
  SOFA_TRY(spectral_factor(s, options, &j.rho));
  j.change = vector_of(s, 1), j.last = vector_of(s, 2);
  j.d = vector_of(s, 3), j.dc = vector_of(s, 4);
  for (size_t i = 0; i < s->problem->n; i++) {
    j.change[i] = j.last[i] = 0;
    j.d[i] = s->problem->violation.data[i];
  }
  for (int i = 0; i < most; i++) {
    Sweep sweep;
    const double part = (double)((float)i / (float)most);
    j.beta = options->conjugate ? fmin(1, pow(part, options->speed)) : 0;
    SOFA_TRY(iterate(s, &j, &sweep));
    SOFA_TRY(sofa_constraint_record(s, &sweep));
    if (s->report.converged && (i > 0 || s->method.all_verified)) return SOFA_OK;
    s->report.converged = false;
  }
  return SOFA_OK;
}
