/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vector operations: long vectors in pieces on the context's team. */
#include "simulation/vectors.h"

#include <assert.h>

#include "base/team.h"
#include "simulation/divided_plan.h"

/* A piece is a power of two of the chunks of math/kernels.h. The sum of a piece is then a node of
 * the tree in which the kernels add all chunks, as long as these are not gathered in segments. */
enum { CHUNK = 1024, PIECE = 4 * CHUNK, MOST_PIECES = 64, MOST_SEGMENTS = 256 };

typedef struct Job {
  const SofaKernels *kernels;
  size_t n;
  double a;
  const double *x, *y;
  double *z, *w;
  const SofaLincomb *terms;
  size_t unit;  /* of a reduction: entries with a sum of their own */
  double *sums; /* up to MOST_SEGMENTS */
} Job;

static Job job_of(SofaSpace s) {
  return (Job){.kernels = s.ctx->kernels, .n = s.n};
}

/* ---- entry by entry ---- */

static void zero_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->zero(end - begin, job->z + begin);
}

void sofa_vec_zero(SofaSpace s, double *x) {
  Job job = job_of(s);
  job.z = x + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, zero_range, &job);
}

static void copy_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->copy(end - begin, job->x + begin, job->z + begin);
}

void sofa_vec_copy(SofaSpace s, const double *x, double *y) {
  Job job = job_of(s);
  if (x == y) return;
  job.x = x + s.first;
  job.z = y + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, copy_range, &job);
}

static void scale_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->scale(end - begin, job->a, job->z + begin);
}

void sofa_vec_scale(SofaSpace s, double a, double *x) {
  Job job = job_of(s);
  job.a = a;
  job.z = x + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, scale_range, &job);
}

static void axpy_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->axpy(end - begin, job->a, job->x + begin, job->z + begin);
}

void sofa_vec_axpy(SofaSpace s, double a, const double *x, double *y) {
  Job job = job_of(s);
  job.a = a;
  job.x = x + s.first;
  job.z = y + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, axpy_range, &job);
}

static void xpay_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->xpay(end - begin, job->x + begin, job->a, job->z + begin);
}

void sofa_vec_xpay(SofaSpace s, const double *x, double b, double *y) {
  Job job = job_of(s);
  job.a = b;
  job.x = x + s.first;
  job.z = y + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, xpay_range, &job);
}

static void waxpy_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->waxpy(end - begin, job->x + begin, job->a, job->y + begin, job->z + begin);
}

void sofa_vec_waxpy(SofaSpace s, const double *x, double a, const double *y, double *z) {
  Job job = job_of(s);
  job.a = a;
  job.x = x + s.first;
  job.y = y + s.first;
  job.z = z + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, waxpy_range, &job);
}

static void multiply_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  job->kernels->multiply(end - begin, job->x + begin, job->y + begin, job->z + begin);
}

void sofa_vec_multiply(SofaSpace s, const double *x, const double *y, double *z) {
  Job job = job_of(s);
  job.x = x + s.first;
  job.y = y + s.first;
  job.z = z + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, multiply_range, &job);
}

static void lincomb_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  const double *x[SOFA_TERMS_MAX];
  SofaLincomb sum = *job->terms;
  for (int k = 0; k < sum.n_terms; k++) x[k] = sum.x[k] + begin;
  sum.x = x;
  job->kernels->lincomb(end - begin, &sum, job->z + begin);
}

static void combine(SofaSpace s, size_t n_terms, const SofaTerm *terms, bool add, double *y) {
  double a[SOFA_TERMS_MAX];
  const double *x[SOFA_TERMS_MAX];
  Job job = job_of(s);
  assert(n_terms >= 1 && n_terms <= SOFA_TERMS_MAX);
  for (size_t k = 0; k < n_terms; k++) {
    a[k] = terms[k].a;
    x[k] = terms[k].x + s.first;
  }
  const SofaLincomb sum = {.n_terms = (int)n_terms, .add = add, .a = a, .x = x};
  job.terms = &sum;
  job.z = y + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, lincomb_range, &job);
}

void sofa_vec_lincomb(SofaSpace s, size_t n_terms, const SofaTerm *terms, double *y) {
  combine(s, n_terms, terms, false, y);
}

void sofa_vec_add_lincomb(SofaSpace s, size_t n_terms, const SofaTerm *terms, double *y) {
  combine(s, n_terms, terms, true, y);
}

static void quotient_range(void *user, size_t begin, size_t end) {
  const Job *job = user;
  for (size_t i = begin; i < end; i++) job->z[i] += job->x[i] / job->a;
}

void sofa_vec_add_quotient(SofaSpace s, const double *x, double d, double *y) {
  Job job = job_of(s);
  job.a = d;
  job.x = x + s.first;
  job.z = y + s.first;
  sofa_team_for(s.ctx, s.n, PIECE, quotient_range, &job);
}

/* ---- reductions ---- */

static bool in_pieces(SofaSpace s) {
  return s.ctx->threads > 1 && s.n > PIECE;
}

/* Pairs, then pairs of pairs. Where pieces are parts of the tree, the last one may be shorter: it
 * then comes first. */
static double add_sums(const double *sums, size_t full, bool rest) {
  double partial[10]; // [k]: of 2^k sums, where the count so far has the bit k
  double sum = rest ? sums[full] : 0;
  for (size_t i = 0; i < full; i++) {
    double one = sums[i];
    int k = 0;
    for (size_t bits = i; bits & 1; bits >>= 1) one = partial[k++] + one;
    partial[k] = one;
  }
  int k = 0;
  for (size_t bits = full; bits; bits >>= 1, k++)
    if (bits & 1) sum = partial[k] + sum;
  return sum;
}

/* The sum of what `work` writes into the job's sums, one for each of its units. */
static double reduce(SofaSpace s, Job *job, SofaTeamRange work) {
  double sums[MOST_SEGMENTS];
  const bool segments = s.n > (size_t)PIECE * MOST_PIECES;
  const size_t n_chunks = (s.n + CHUNK - 1) / CHUNK;
  const size_t per_segment = (n_chunks + MOST_SEGMENTS - 1) / MOST_SEGMENTS;
  job->sums = sums;
  job->unit = segments ? per_segment * CHUNK : PIECE;
  const size_t n = (s.n + job->unit - 1) / job->unit;
  const size_t grain = job->unit < PIECE ? PIECE / job->unit : 1;
  sofa_team_for(s.ctx, n, grain, work, job);
  const bool rest = !segments && s.n % PIECE != 0;
  return add_sums(sums, n - rest, rest);
}

static size_t unit_length(const Job *job, size_t unit) {
  const size_t left = job->n - unit * job->unit;
  return left < job->unit ? left : job->unit;
}

static void dot_range(void *user, size_t begin, size_t end) {
  Job *job = user;
  for (size_t u = begin; u < end; u++) {
    const size_t at = u * job->unit;
    job->sums[u] = job->kernels->dot(unit_length(job, u), job->x + at, job->y + at);
  }
}

double sofa_vec_dot(SofaSpace s, const double *x, const double *y) {
  if (s.divided) return sofa_divided_dot(s, x, y);
  if (!in_pieces(s)) return s.ctx->kernels->dot(s.n, x + s.first, y + s.first);
  Job job = job_of(s);
  job.x = x + s.first;
  job.y = y + s.first;
  return reduce(s, &job, dot_range);
}

static void cg_range(void *user, size_t begin, size_t end) {
  Job *job = user;
  for (size_t u = begin; u < end; u++) {
    const size_t at = u * job->unit;
    const SofaCgVectors v = {
        .x = job->z + at, .r = job->w + at, .p = job->x + at, .q = job->y + at};
    job->sums[u] = job->kernels->cg_update(unit_length(job, u), job->a, &v);
  }
}

double sofa_vec_cg_update(SofaSpace s, double a, const SofaCgVectors *v) {
  if (s.divided) return sofa_divided_cg_update(s, a, v);
  const SofaCgVectors at = {v->x + s.first, v->r + s.first, v->p + s.first, v->q + s.first};
  if (!in_pieces(s)) return s.ctx->kernels->cg_update(s.n, a, &at);
  Job job = job_of(s);
  job.a = a;
  job.x = at.p;
  job.y = at.q;
  job.z = at.x;
  job.w = at.r;
  return reduce(s, &job, cg_range);
}

static void max_range(void *user, size_t begin, size_t end) {
  Job *job = user;
  for (size_t u = begin; u < end; u++)
    job->sums[u] = job->kernels->max_abs(unit_length(job, u), job->x + u * job->unit);
}

double sofa_vec_max_norm(SofaSpace s, const double *x) {
  if (s.divided) return sofa_divided_max_norm(s, x);
  if (!in_pieces(s)) return s.ctx->kernels->max_abs(s.n, x + s.first);
  double most[MOST_SEGMENTS];
  Job job = job_of(s);
  const size_t per_unit = (s.n + MOST_SEGMENTS - 1) / MOST_SEGMENTS;
  job.x = x + s.first;
  job.sums = most;
  job.unit = per_unit < PIECE ? PIECE : per_unit;
  const size_t n = (s.n + job.unit - 1) / job.unit;
  sofa_team_for(s.ctx, n, 1, max_range, &job);
  return s.ctx->kernels->max_abs(n, most);
}

size_t sofa_vec_first_bad(SofaSpace s, const double *x) {
  size_t i = 0;
  while (i < s.n && isfinite(x[s.first + i])) i++;
  return i;
}
