/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solutions with a factor in single precision, as accurate as with one in double precision: the
 * factor is the preconditioner of conjugate gradients in double precision (Carson and Higham,
 * Accelerating the solution of linear systems by iterative refinement in three precisions, SIAM J.
 * Sci. Comput. 40, 2018, with conjugate gradients for GMRES), restarted from the true residual.
 * One sweep is a solution by the factor, which takes a residual to about 1e-7 times the condition
 * number of it. Their number is bounded. */
#include <float.h>
#include <math.h>

#include "base/bytes.h"
#include "numerics/direct/cholmod_impl.h"

/* Of solutions of double precision: |b - A x| <= ACCURACY |b|, or no more than the product A x is
 * rounded. */
#define ACCURACY 1e-12
#define ROUNDING (4 * DBL_EPSILON)

enum { SWEEPS = 12 }; /* most; a factor in double precision costs less than more of them */

/* ---- memory ---- */

void cholmod_single_free(SofaContext *ctx, SingleWork *w) {
  SofaReals *lists[] = {&w->x, &w->r, &w->z, &w->p, &w->q};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(ctx, lists[i]);
  sofa_list_free(ctx, &w->y);
  sofa_list_free(ctx, &w->first);
}

/* Have columns j to j + 2 the same rows from j + 2 on, as those of a point have? */
static bool is_triple(const SofaScalarColumns *a, size_t j) {
  if (j + 3 > a->n) return false;
  const int *start = a->start + j, n = start[3] - start[2];
  const size_t bytes = (size_t)n * sizeof *a->row;
  return start[1] - start[0] == n + 2 && start[2] - start[1] == n + 1 &&
         a->row[start[0] + 1] == (int)j + 1 &&
         sofa_compare(a->row + start[0] + 2, a->row + start[2], bytes) == 0 &&
         sofa_compare(a->row + start[1] + 1, a->row + start[2], bytes) == 0;
}

static SofaErr find_triples(SofaContext *ctx, const SofaScalarColumns *a, SofaInts *first) {
  first->n = 0;
  SOFA_TRY(SOFA_RESERVE(ctx, first, a->n + 1));
  for (size_t j = 0; j < a->n; j += is_triple(a, j) ? 3 : 1) first->data[first->n++] = (int)j;
  first->data[first->n] = (int)a->n;
  return SOFA_OK;
}

SofaErr cholmod_single_reserve(SofaCholmodSolver *s, const Factor *f) {
  SingleWork *w = &s->refined;
  const size_t n = f->columns.n;
  SOFA_TRY(find_triples(s->ctx, &f->columns, &w->first));
  SofaReals *lists[] = {&w->x, &w->r, &w->z, &w->p, &w->q};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    SOFA_TRY(SOFA_RESERVE(s->ctx, lists[i], n + 1));
  return SOFA_RESERVE(s->ctx, &w->y, n + 1);
}

/* ---- the factor ---- */

/* A power of 2 that brings a number between 1 and 2. */
static double scale_of(double x) {
  int exponent = 0;
  if (!(x > 0) || !isfinite(x)) return 1;
  frexp(x, &exponent);
  return ldexp(1, exponent < -1000 ? 1001 : exponent > 1000 ? -999 : 1 - exponent);
}

/* The first entry of each column is on the diagonal. */
static double largest_diagonal(const SofaScalarColumns *a) {
  double most = 0;
  for (size_t j = 0; j < a->n; j++) most = fmax(most, a->value[a->start[j]]);
  return most;
}

void cholmod_single_factorise(Factor *f) {
  f->scale = scale_of(largest_diagonal(&f->columns));
  sofa_fronts_factorise_single(f->fronts, f->columns.value, f->scale, f->single.data, &f->l->minor);
}

/* A pivot that is not far above the rounding of its entry of the matrix is lost. */
bool cholmod_single_has_pivots(const Factor *f) {
  const int *super = f->l->super, *pi = f->l->pi, *px = f->l->px;
  const SofaScalarColumns *a = &f->columns;
  for (size_t s = 0; s < f->l->nsuper; s++) {
    const size_t rows = (size_t)(pi[s + 1] - pi[s]);
    const float *x = f->single.data + px[s];
    for (int j = super[s]; j < super[s + 1]; j++, x += rows + 1) {
      const double pivot = (double)*x * (double)*x;
      if (!(pivot > 8 * (double)FLT_EPSILON * f->scale * a->value[a->start[j]])) return false;
    }
  }
  return true;
}

/* ---- products ---- */

static void add_column(const SofaScalarColumns *a, int j, const double *x, double *restrict y) {
  const int *row = a->row;
  const double xj = x[j];
  double sum = a->value[a->start[j]] * xj;
  for (int e = a->start[j] + 1; e < a->start[j + 1]; e++) {
    sum += a->value[e] * x[row[e]];
    y[row[e]] += a->value[e] * xj;
  }
  y[j] += sum;
}

static void add_triple(const SofaScalarColumns *a, int j, const double *x, double *restrict y) {
  const double *u = a->value + a->start[j], *v = a->value + a->start[j + 1],
               *w = a->value + a->start[j + 2];
  const int *row = a->row + a->start[j + 2], n = a->start[j + 3] - a->start[j + 2];
  const double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2];
  double y0 = u[0] * x0 + u[1] * x1, y1 = u[1] * x0 + v[0] * x1, y2 = 0;
  for (int e = 0; e < n; e++) {
    const double xi = x[row[e]];
    y0 += u[e + 2] * xi;
    y1 += v[e + 1] * xi;
    y2 += w[e] * xi;
    y[row[e]] += (u[e + 2] * x0 + v[e + 1] * x1) + (e > 0 ? w[e] * x2 : 0);
  }
  y[j] += y0;
  y[j + 1] += y1;
  y[j + 2] += y2;
}

/* y = A x of the half that the factor is of. */
static void multiply(const SofaScalarColumns *a, const SofaInts *first, const double *x,
                     double *restrict y) {
  sofa_zero(y, a->n * sizeof *y);
  for (size_t k = 0; k < first->n; k++) {
    const int j = first->data[k];
    if (first->data[k + 1] == j + 3) add_triple(a, j, x, y);
    else add_column(a, j, x, y);
  }
}

/* y = |A| |x| + |b| */
static void add_sizes(const SofaScalarColumns *a, const double *x, const double *b, double *y) {
  for (size_t j = 0; j < a->n; j++) y[j] = fabs(b[j]);
  for (size_t j = 0; j < a->n; j++) {
    y[j] += fabs(a->value[a->start[j]] * x[j]);
    for (int e = a->start[j] + 1; e < a->start[j + 1]; e++) {
      y[j] += fabs(a->value[e] * x[a->row[e]]);
      y[a->row[e]] += fabs(a->value[e] * x[j]);
    }
  }
}

/* ---- one right-hand side ---- */

/* A solution at work, in the order of elimination. */
typedef struct Refinement {
  SofaCholmodSolver *s;
  const Factor *f;
  size_t n;
  const double *b; /* scaled: its largest entry is between 1 and 2 */
  double norm;     /* |b| */
  double *x, *r, *z, *p, *q;
  int left; /* sweeps */
} Refinement;

static double dot(const Refinement *at, const double *a, const double *b) {
  return at->s->ctx->kernels->dot(at->n, a, b);
}

static double norm_of(const Refinement *at, const double *a) {
  return sqrt(dot(at, a, a));
}

/* z = (L L^T)^-1 r; residuals become small, and single precision has a short range. */
static void precondition(Refinement *at, double size) {
  const Factor *f = at->f;
  float *y = at->s->refined.y.data;
  const double scale = scale_of(size), back = f->scale / scale;
  for (size_t i = 0; i < at->n; i++) y[i] = (float)(scale * at->r[i]);
  sofa_supernode_solver_apply_single(f->solver, f->single.data, y);
  for (size_t i = 0; i < at->n; i++) at->z[i] = back * (double)y[i];
  at->left--;
  at->s->counts.sweeps++;
}

/* Conjugate gradients from the residual r of x on, until it is at most `target` or sweeps are used
 * up. The direction is turned by z . (r' - r), because the preconditioner is rounded. */
static void iterate(Refinement *at, double target) {
  const SofaKernels *k = at->s->ctx->kernels;
  double size = norm_of(at, at->r);
  precondition(at, size);
  k->copy(at->n, at->z, at->p);
  double rho = dot(at, at->r, at->z);
  for (;;) {
    multiply(&at->f->columns, &at->s->refined.first, at->p, at->q);
    const double curvature = dot(at, at->p, at->q);
    if (!(curvature > 0)) return;
    const double alpha = rho / curvature;
    k->axpy(at->n, alpha, at->p, at->x);
    k->axpy(at->n, -alpha, at->q, at->r);
    size = norm_of(at, at->r);
    if (!(size > target) || at->left == 0) return;
    precondition(at, size);
    const double turn = -alpha * dot(at, at->z, at->q) / rho;
    rho = dot(at, at->r, at->z);
    k->xpay(at->n, at->z, turn, at->p);
  }
}

/* r = b - A x */
static double find_residual(Refinement *at) {
  multiply(&at->f->columns, &at->s->refined.first, at->x, at->q);
  at->s->ctx->kernels->waxpy(at->n, at->b, -1, at->q, at->r);
  return norm_of(at, at->r);
}

static bool is_rounding(Refinement *at, double size) {
  add_sizes(&at->f->columns, at->x, at->b, at->q);
  return size <= ROUNDING * norm_of(at, at->q);
}

/* Restarted where the recurrence of the residual was better than the residual. */
static bool refine(Refinement *at) {
  const double target = ACCURACY * at->norm;
  double size = at->norm, last = INFINITY;
  sofa_zero(at->x, at->n * sizeof *at->x);
  at->s->ctx->kernels->copy(at->n, at->b, at->r);
  while (at->left > 0 && size < 0.5 * last) {
    last = size;
    iterate(at, 0.9 * target);
    size = find_residual(at);
    if (size <= target || is_rounding(at, size)) return true;
  }
  return false;
}

static bool solve_one(SofaCholmodSolver *s, const double *b, double *x) {
  const SingleWork *w = &s->refined;
  const Factor *f = &s->best;
  const size_t n = f->l->n;
  const double scale = scale_of(s->ctx->kernels->max_abs(n, b));
  Refinement at = {.s = s,
                   .f = f,
                   .n = n,
                   .b = s->y,
                   .x = w->x.data,
                   .r = w->r.data,
                   .z = w->z.data,
                   .p = w->p.data,
                   .q = w->q.data,
                   .left = SWEEPS};
  for (size_t k = 0; k < n; k++) s->y[k] = scale * b[f->order[k]];
  at.norm = norm_of(&at, at.b);
  const bool any = at.norm > 0 && isfinite(at.norm);
  const bool reached = any && refine(&at);
  if (any && !reached) return false;
  for (size_t k = 0; k < n; k++) x[f->order[k]] = any ? at.x[k] / scale : at.norm;
  return true;
}

/* A right-hand side that is not finite has no solution, which the caller reports. */
SofaErr cholmod_single_solve(SofaCholmodSolver *s, size_t n, const double *b, double *x,
                             bool *reached) {
  const size_t rows = s->best.l->n;
  *reached = true;
  s->counts.solves += n;
  for (size_t k = 0; k < n && *reached; k++) *reached = solve_one(s, b + k * rows, x + k * rows);
  return SOFA_OK;
}
