/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on vectors: the only way in which solvers touch the reals of a plan's vectors. Their
 * sums have the fixed shape of math/kernels.h, so that results do not depend on the number of
 * threads. The context's team shares long vectors: each thread has the same part of vectors of the
 * same length in every operation, which stays in its cache. Here, and nowhere else, dof numbers are
 * offsets in memory. */
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
void sofa_vec_zero(SofaSpace s, double *x);
/* y = x; y may be x */
void sofa_vec_copy(SofaSpace s, const double *x, double *y);
/* x = a x */
void sofa_vec_scale(SofaSpace s, double a, double *x);
/* y += a x; where the instruction set fuses a product and a sum, this one and the next two do */
void sofa_vec_axpy(SofaSpace s, double a, const double *x, double *y);
/* y = x + b y */
void sofa_vec_xpay(SofaSpace s, const double *x, double b, double *y);
/* z = x + a y; z may be x or y */
void sofa_vec_waxpy(SofaSpace s, const double *x, double a, const double *y, double *z);
/* z = x y; z may be x or y */
void sofa_vec_multiply(SofaSpace s, const double *x, const double *y, double *z);

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

/* In a divided space over all processes: NaN where they cannot speak to each other any more, which
 * is reported. */
double sofa_vec_dot(SofaSpace s, const double *x, const double *y);
static inline double sofa_vec_norm(SofaSpace s, const double *x) {
  return sqrt(sofa_vec_dot(s, x, x));
}
/* 0 if empty, NaN if any is */
double sofa_vec_max_norm(SofaSpace s, const double *x);
/* Dof of the first entry that is not finite; n: there is none. */
size_t sofa_vec_first_bad(SofaSpace s, const double *x);
/* A step of conjugate gradients: x += a p, r -= a q; returns r.r. */
double sofa_vec_cg_update(SofaSpace s, double a, const SofaCgVectors *v);

SOFA_END_DECLS

#endif
