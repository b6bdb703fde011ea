/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on vectors: the only way in which solvers touch the reals of a plan's vectors. Their
 * sums have the fixed shape of math/kernels.h, so that results do not depend on the number of
 * threads. Here, and nowhere else, dof numbers are offsets in memory. */
#ifndef SOFA_SIMULATION_VECTORS_H
#define SOFA_SIMULATION_VECTORS_H

#include <math.h>

#include "math/kernels.h"
#include "simulation/mechanics.h"

SOFA_BEGIN_DECLS

/* The part of a vector that an operation works on: n reals from `first` on. */
typedef struct SofaSpace {
  const SofaContext *ctx;
  size_t first, n;
  const struct SofaDividedPlan
      *divided; /* reductions are those of all processes; NULL: of this one */
} SofaSpace;

static inline SofaSpace sofa_space(const SofaContext *ctx, size_t n) {
  return (SofaSpace){ctx, 0, n, NULL};
}

/* Deriv and coord vectors of a plan: all of it, the independent states, the mapped states. */
static inline SofaSpace sofa_all_v(const SofaMechanics *m) {
  return (SofaSpace){m->ctx, 0, m->n_v, NULL};
}
static inline SofaSpace sofa_main_v(const SofaMechanics *m) {
  return (SofaSpace){m->ctx, 0, m->n_v_main, m->divided};
}
static inline SofaSpace sofa_mapped_v(const SofaMechanics *m) {
  return (SofaSpace){m->ctx, m->n_v_main, m->n_v - m->n_v_main, NULL};
}
static inline SofaSpace sofa_all_x(const SofaMechanics *m) {
  return (SofaSpace){m->ctx, 0, m->n_x, NULL};
}
static inline SofaSpace sofa_main_x(const SofaMechanics *m) {
  return (SofaSpace){m->ctx, 0, m->n_x_main, m->divided};
}
static inline SofaSpace sofa_mapped_x(const SofaMechanics *m) {
  return (SofaSpace){m->ctx, m->n_x_main, m->n_x - m->n_x_main, NULL};
}

/* ---- entry by entry; vectors do not overlap unless a comment says that they may ---- */

/* x = 0 */
static inline void sofa_vec_zero(SofaSpace s, double *x) {
  s.ctx->kernels->zero(s.ctx->threads, s.n, x + s.first);
}
/* y = x; y may be x */
static inline void sofa_vec_copy(SofaSpace s, const double *x, double *y) {
  if (x != y) s.ctx->kernels->copy(s.ctx->threads, s.n, x + s.first, y + s.first);
}
/* x = a x */
static inline void sofa_vec_scale(SofaSpace s, double a, double *x) {
  s.ctx->kernels->scale(s.ctx->threads, s.n, a, x + s.first);
}
/* y += a x; where the instruction set fuses a product and a sum, this one and the next two do */
static inline void sofa_vec_axpy(SofaSpace s, double a, const double *x, double *y) {
  s.ctx->kernels->axpy(s.ctx->threads, s.n, a, x + s.first, y + s.first);
}
/* y = x + b y */
static inline void sofa_vec_xpay(SofaSpace s, const double *x, double b, double *y) {
  s.ctx->kernels->xpay(s.ctx->threads, s.n, x + s.first, b, y + s.first);
}
/* z = x + a y; z may be x or y */
static inline void sofa_vec_waxpy(SofaSpace s, const double *x, double a, const double *y,
                                  double *z) {
  s.ctx->kernels->waxpy(s.ctx->threads, s.n, x + s.first, a, y + s.first, z + s.first);
}
/* z = x y; z may be x or y */
static inline void sofa_vec_multiply(SofaSpace s, const double *x, const double *y, double *z) {
  s.ctx->kernels->multiply(s.ctx->threads, s.n, x + s.first, y + s.first, z + s.first);
}

/* A term a x of a linear combination. */
typedef struct SofaTerm {
  double a;
  const double *x;
} SofaTerm;
enum { SOFA_TERMS_MAX = 3 };

/* y = the sum of the terms, or y += it; every product and sum is rounded, from left to right, the
 * same on all instruction sets. 1 to SOFA_TERMS_MAX terms; y may be one of their vectors. */
void sofa_vec_lincomb(SofaSpace s, size_t n_terms, const SofaTerm *terms, double *y);
void sofa_vec_add_lincomb(SofaSpace s, size_t n_terms, const SofaTerm *terms, double *y);
#define SOFA_TERMS(...) SOFA_LENGTH_OF(SofaTerm, __VA_ARGS__), SOFA_ARRAY(SofaTerm, __VA_ARGS__)
/* y += a x, product and sum rounded */
static inline void sofa_vec_add(SofaSpace s, double a, const double *x, double *y) {
  const SofaTerm term = {a, x};
  sofa_vec_add_lincomb(s, 1, &term, y);
}
/* y += x / d */
void sofa_vec_add_quotient(SofaSpace s, const double *x, double d, double *y);

/* ---- reductions ---- */

/* Over all processes: NaN where they cannot speak to each other any more, which is reported. */
double sofa_divided_dot(SofaSpace s, const double *x, const double *y);
double sofa_divided_max_norm(SofaSpace s, const double *x);
double sofa_divided_cg_update(SofaSpace s, double a, const SofaCgVectors *v);

static inline double sofa_vec_dot(SofaSpace s, const double *x, const double *y) {
  if (s.divided) return sofa_divided_dot(s, x, y);
  return s.ctx->kernels->dot(s.ctx->threads, s.n, x + s.first, y + s.first);
}
static inline double sofa_vec_norm(SofaSpace s, const double *x) {
  return sqrt(sofa_vec_dot(s, x, x));
}
/* 0 if empty, NaN if any is */
static inline double sofa_vec_max_norm(SofaSpace s, const double *x) {
  if (s.divided) return sofa_divided_max_norm(s, x);
  return s.ctx->kernels->max_abs(s.ctx->threads, s.n, x + s.first);
}
/* Dof of the first entry that is not finite; n: there is none. */
size_t sofa_vec_first_bad(SofaSpace s, const double *x);
/* A step of conjugate gradients: x += a p, r -= a q; returns r.r. */
static inline double sofa_vec_cg_update(SofaSpace s, double a, const SofaCgVectors *v) {
  if (s.divided) return sofa_divided_cg_update(s, a, v);
  const SofaCgVectors at = {v->x + s.first, v->r + s.first, v->p + s.first, v->q + s.first};
  return s.ctx->kernels->cg_update(s.ctx->threads, s.n, a, &at);
}

SOFA_END_DECLS

#endif
