/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block Lanczos with full orthogonalisation and thick restarts: the basis grows by the residuals of
 * the Ritz vectors that have not converged. */
#include "numerics/modes/eigenpairs.h"

#include <math.h>

#include "base/bytes.h"
#include "base/array.h"
#include "math/kernels.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/direct/lapack_impl.h"

enum { BLOCK = 6, ROUNDS = 400 };

typedef struct Basis {
  const SofaEigenProblem *problem;
  size_t n, m, most, wanted; /* rows; vectors, at most; wanted pairs */
  double *q, *bq, *aq;       /* vectors, B and A times them; n reals each */
  double *t, *values;        /* Ritz vectors and values */
  double *before;            /* Ritz values of the round before */
  int *stays;                /* rounds since a value has changed */
  double *work, *turned;
  uint64_t bits; /* of pseudo-random numbers */
} Basis;

static double dot(const Basis *b, const double *x, const double *y) {
  const SofaContext *ctx = b->problem->ctx;
  return ctx->kernels->dot(b->n, x, y);
}

static void axpy(const Basis *b, double a, const double *x, double *y) {
  for (size_t i = 0; i < b->n; i++) y[i] += a * x[i];
}

/* ---- the basis ---- */

/* Adds the part of x that is B-orthogonal to the basis; *added false: there is none. x is lost. */
static SofaErr add(Basis *b, double *x, bool *added) {
  double *q = b->q + b->m * b->n, *bq = b->bq + b->m * b->n, *aq = b->aq + b->m * b->n;
  *added = false;
  b->problem->weigh(b->problem->user, x, bq);
  const double before = dot(b, x, bq);
  if (!(before > 0) || !isfinite(before)) return SOFA_OK;
  for (int pass = 0; pass < 3; pass++)
    for (size_t k = 0; k < b->m; k++) axpy(b, -dot(b, b->bq + k * b->n, x), b->q + k * b->n, x);
  b->problem->weigh(b->problem->user, x, bq);
  const double square = dot(b, x, bq);
  if (!(square > 1e-24 * before)) return SOFA_OK;
  const double scale = 1 / sqrt(square);
  for (size_t i = 0; i < b->n; i++) q[i] = scale * x[i], bq[i] *= scale;
  SOFA_TRY(b->problem->apply(b->problem->user, q, aq));
  b->m++;
  *added = true;
  return SOFA_OK;
}

/* A vector in the range of A, without a pattern. */
static SofaErr add_random(Basis *b, bool *added) {
  double *x = b->turned;
  for (size_t i = 0; i < b->n; i++) {
    b->bits = b->bits * 6364136223846793005u + 1442695040888963407u;
    x[i] = (double)(b->bits >> 11) / 9007199254740992.0 - 0.5;
  }
  SOFA_TRY(b->problem->apply(b->problem->user, x, b->work));
  return add(b, b->work, added);
}

/* vectors = vectors T, in place. */
static void turn(Basis *b, double *vectors) {
  const int n = (int)b->n, m = (int)b->m;
  const double one = 1, zero = 0;
  dgemm_("N", "N", &n, &m, &m, &one, vectors, &n, b->t, &m, &zero, b->turned, &n, 1, 1);
  sofa_copy(vectors, b->turned, b->n * b->m * sizeof *vectors);
}

static void swap_columns(Basis *b, size_t i, size_t k) {
  const double value = b->values[i];
  b->values[i] = b->values[k];
  b->values[k] = value;
  for (size_t r = 0; r < b->m; r++) {
    const double entry = b->t[i * b->m + r];
    b->t[i * b->m + r] = b->t[k * b->m + r];
    b->t[k * b->m + r] = entry;
  }
}

/* The basis becomes the Ritz vectors, by descending values. */
static SofaErr rotate(Basis *b) {
  const int n = (int)b->n, m = (int)b->m, room = (int)(3 * b->most + 1);
  const double one = 1, zero = 0;
  int info = 0;
  dgemm_("T", "N", &m, &m, &n, &one, b->bq, &n, b->aq, &n, &zero, b->t, &m, 1, 1);
  for (size_t i = 0; i < b->m; i++)
    for (size_t k = 0; k < i; k++)
      b->t[i * b->m + k] = b->t[k * b->m + i] = (b->t[i * b->m + k] + b->t[k * b->m + i]) / 2;
  dsyev_("V", "U", &m, b->t, &m, b->values, b->work, &room, &info, 1, 1);
  if (info != 0) return SOFA_ERR_NOT_CONVERGED;
  for (size_t i = 0; i < b->m / 2; i++) swap_columns(b, i, b->m - 1 - i);
  turn(b, b->q);
  turn(b, b->bq);
  turn(b, b->aq);
  return SOFA_OK;
}

/* |A q - value q| is small against |value q|, or against roundings of the largest value; or, where
 * roundings of A are larger, it is not large and the value, whose error is that of its square,
 * stays.
 */
static bool has_converged(const Basis *b, size_t i) {
  const double *q = b->q + i * b->n, *aq = b->aq + i * b->n;
  double square = 0;
  for (size_t k = 0; k < b->n; k++) {
    const double r = aq[k] - b->values[i] * q[k];
    square += r * r;
  }
  const double value = fabs(b->values[i]), size = sqrt(dot(b, q, q));
  const double limit = fmax(1e-10 * value, 1e-13 * fabs(b->values[0]));
  if (sqrt(square) <= limit * size) return true;
  return b->stays[i] >= 2 && sqrt(square) <= 1e-5 * value * size;
}

static void note_values(Basis *b) {
  for (size_t i = 0; i < b->m; i++) {
    const bool stays = fabs(b->values[i] - b->before[i]) <= 1e-13 * fabs(b->values[i]);
    b->stays[i] = stays ? b->stays[i] + 1 : 0;
    b->before[i] = b->values[i];
  }
}

/* Adds residuals of the first vectors that have not converged; *open: their number among the
 * wanted ones. */
static SofaErr expand(Basis *b, size_t *open, bool *grown) {
  const size_t m = b->m, candidates = m < b->wanted + BLOCK ? m : b->wanted + BLOCK;
  size_t taken = 0;
  *open = 0;
  *grown = false;
  for (size_t i = 0; i < candidates && taken < BLOCK && b->m < b->most; i++) {
    bool added;
    if (has_converged(b, i)) continue;
    *open += i < b->wanted;
    if (i >= b->wanted && *open == 0) break;
    for (size_t k = 0; k < b->n; k++)
      b->work[k] = b->aq[i * b->n + k] - b->values[i] * b->q[i * b->n + k];
    SOFA_TRY(add(b, b->work, &added));
    taken++;
    *grown |= added;
  }
  return SOFA_OK;
}

static SofaErr add_randoms(Basis *b, bool *grown) {
  *grown = false;
  for (int k = 0; k < BLOCK && b->m < b->most; k++) {
    bool added;
    SOFA_TRY(add_random(b, &added));
    *grown |= added;
  }
  return SOFA_OK;
}

static void restart(Basis *b) {
  if (b->m + BLOCK > b->most && b->m > b->wanted + BLOCK) b->m = b->wanted + BLOCK;
}

/* Are the wanted values those of the check before, to rounding? */
static bool same_values(const Basis *b, double *before) {
  bool same = true;
  for (size_t i = 0; i < b->wanted && i < b->m; i++) {
    same = same &&
           fabs(b->values[i] - before[i]) <= 1e-8 * fabs(b->values[i]) + 1e-13 * fabs(b->values[0]);
    before[i] = b->values[i];
  }
  return same;
}

/* When all have converged, new random vectors show whether one was missing. */
static SofaErr iterate(Basis *b, double *before) {
  bool grown = true;
  SOFA_TRY(add_randoms(b, &grown));
  for (int round = 0; round < ROUNDS && grown; round++) {
    size_t open = 0;
    SOFA_TRY(rotate(b));
    note_values(b);
    restart(b);
    SOFA_TRY(expand(b, &open, &grown));
    if (open > 0 && grown) continue;
    if (open == 0 && same_values(b, before)) return SOFA_OK;
    SOFA_TRY(add_randoms(b, &grown));
  }
  return grown ? SOFA_ERR_NOT_CONVERGED : SOFA_OK; // without growth the basis is the whole range
}

/* ---- all ---- */

static SofaErr make_room(Basis *b) {
  SofaContext *ctx = b->problem->ctx;
  const size_t size = b->n * b->most + 1;
  double **const blocks[] = {&b->q, &b->bq, &b->aq, &b->turned};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    if (!(*blocks[i] = sofa_alloc(ctx, size, sizeof(double)))) return SOFA_ERR_MEMORY;
  b->t = sofa_alloc(ctx, b->most * b->most, sizeof *b->t);
  b->values = sofa_alloc(ctx, 3 * b->most, sizeof *b->values);
  b->stays = sofa_alloc(ctx, b->most, sizeof *b->stays);
  b->work = sofa_alloc(ctx, b->n + 3 * b->most + 1, sizeof *b->work);
  return b->t && b->values && b->stays && b->work ? SOFA_OK : SOFA_ERR_MEMORY;
}

static void free_room(Basis *b) {
  double *const blocks[] = {b->q, b->bq, b->aq, b->turned, b->t, b->values, b->work};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) sofa_free(b->problem->ctx, blocks[i]);
  sofa_free(b->problem->ctx, b->stays);
}

SofaErr sofa_eigenpairs(const SofaEigenProblem *problem, size_t wanted, double *values,
                        double *vectors, size_t *found) {
  Basis b = {.problem = problem, .n = problem->n, .wanted = wanted, .bits = 0x9e3779b97f4a7c15u};
  b.most = 2 * wanted + 6 * BLOCK;
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  SofaErr err = make_room(&b);
  *found = 0;
  b.before = b.values ? b.values + b.most : NULL;
  if (err == SOFA_OK) err = iterate(&b, b.values + 2 * b.most);
  if (err == SOFA_OK) {
    *found = b.m < wanted ? b.m : wanted;
    sofa_copy(values, b.values, *found * sizeof *values);
    sofa_copy(vectors, b.q, *found * b.n * sizeof *vectors);
  }
  sofa_blas_threads_end(saved);
  free_room(&b);
  return err;
}
