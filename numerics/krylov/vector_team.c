/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/team.h"
#include "numerics/krylov/vector_team_impl.h"

/* A piece is a power of two of the chunks of math/kernels.h. The sum of a piece is then a node of
 * the tree in which the kernels add all chunks, as long as these are not gathered in segments. */
enum { PIECE = 4096, MOST_PIECES = 64 };

typedef struct Job {
  const SofaKernels *kernels;
  size_t n;
  double a;
  const double *p, *q;
  double *x, *r;
  double sums[MOST_PIECES];
} Job;

static size_t n_pieces(size_t n) {
  return (n + PIECE - 1) / PIECE;
}

static bool in_pieces(SofaSpace space) {
  return space.ctx->threads > 1 && !space.divided && space.n > PIECE &&
         space.n <= (size_t)PIECE * MOST_PIECES;
}

static size_t length(const Job *job, size_t piece) {
  return piece * PIECE + PIECE < job->n ? PIECE : job->n - piece * PIECE;
}

static void run(SofaSpace space, Job *job, SofaTeamWork work) {
  // the team is not part of what the context means
  sofa_team_run((SofaContext *)(uintptr_t)space.ctx, n_pieces(job->n), work, job);
}

/* As the kernels add chunks: pairs, then pairs of pairs. The rest comes first; the last piece may
 * be shorter and is part of it. */
static double total(const Job *job) {
  const size_t full = job->n / PIECE;
  double partial[8]; // [k]: of 2^k pieces, where the count so far has the bit k
  double sum = full < n_pieces(job->n) ? job->sums[full] : 0;
  for (size_t i = 0; i < full; i++) {
    double one = job->sums[i];
    int k = 0;
    for (size_t bits = i; bits & 1; bits >>= 1) one = partial[k++] + one;
    partial[k] = one;
  }
  int k = 0;
  for (size_t bits = full; bits; bits >>= 1, k++)
    if (bits & 1) sum = partial[k] + sum;
  return sum;
}

static void dot_piece(void *user, size_t piece) {
  Job *job = user;
  const size_t at = piece * PIECE;
  job->sums[piece] = job->kernels->dot(1, length(job, piece), job->p + at, job->q + at);
}

double team_vec_dot(SofaSpace space, const double *x, const double *y) {
  if (!in_pieces(space)) return sofa_vec_dot(space, x, y);
  Job job = {
      .kernels = space.ctx->kernels, .n = space.n, .p = x + space.first, .q = y + space.first};
  run(space, &job, dot_piece);
  return total(&job);
}

static void xpay_piece(void *user, size_t piece) {
  const Job *job = user;
  const size_t at = piece * PIECE;
  job->kernels->xpay(1, length(job, piece), job->p + at, job->a, job->x + at);
}

void team_vec_xpay(SofaSpace space, const double *x, double b, double *y) {
  if (!in_pieces(space)) {
    sofa_vec_xpay(space, x, b, y);
    return;
  }
  Job job = {.kernels = space.ctx->kernels,
             .n = space.n,
             .a = b,
             .p = x + space.first,
             .x = y + space.first};
  run(space, &job, xpay_piece);
}

static void update_piece(void *user, size_t piece) {
  Job *job = user;
  const size_t at = piece * PIECE;
  const SofaCgVectors v = {.x = job->x + at, .r = job->r + at, .p = job->p + at, .q = job->q + at};
  job->sums[piece] = job->kernels->cg_update(1, length(job, piece), job->a, &v);
}

double team_vec_cg_update(SofaSpace space, double a, const SofaCgVectors *v) {
  if (!in_pieces(space)) return sofa_vec_cg_update(space, a, v);
  Job job = {.kernels = space.ctx->kernels,
             .n = space.n,
             .a = a,
             .p = v->p + space.first,
             .q = v->q + space.first,
             .x = v->x + space.first,
             .r = v->r + space.first};
  run(space, &job, update_piece);
  return total(&job);
}
