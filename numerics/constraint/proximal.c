/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Proximal points for redundant contacts with friction (Rockafellar, Monotone operators and the
 * proximal point algorithm, 1976). Coulomb's law is a projection on second-order cones K,
 *
 *   lambda = P_K(lambda - R (d + s)),   s_n = friction |d_t|
 *
 * (De Saxce and Feng, The bipotential method, 1998), and for a given s a convex problem. An
 * iteration takes s of the last forces lambda_0 and solves y = P_K(lambda_0 - R (W y + d_free + s))
 * by a semismooth Newton method: (I + R P' W) is never singular, and its steps decrease the convex
 *
 *   y W y / 2 + sum of |P_K|^2 / (2 R).
 *
 * R grows from iteration to iteration. Solutions of Coulomb's law are fixed points; the caller ends
 * them by Newton's method on the natural map. */
#include "base/bytes.h"
#include "numerics/constraint/laws.h"
#include "numerics/constraint/newton_impl.h"
#include "numerics/direct/blas_threads.h"
#include "numerics/direct/lapack_impl.h"

enum { STEPS = 50, TRIALS = 20 };

/* A block's law as a projection. */
typedef enum Cone { NO_CONE, ALL_FORCES, PUSHES, FRICTION } Cone;

static Cone cone_of(const SofaConstraintBlock *b) {
  if (b->least != 0) return NO_CONE;
  if (b->law == &sofa_law_bilateral) return ALL_FORCES;
  if (b->n == 1 && (b->law == &sofa_law_unilateral || b->law == &sofa_law_augmented)) return PUSHES;
  const bool rubs = b->law == &sofa_law_friction || b->law == &sofa_law_friction_exact ||
                    b->law == &sofa_law_augmented;
  return b->n == 3 && rubs ? FRICTION : NO_CONE;
}

bool newton_has_cones(const SofaConstraintSolve *s) {
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    if (cone_of(b) == NO_CONE) return false;
    for (uint32_t i = 0; i < b->n; i++)
      if (!(part_of(s, k)[i * (b->n + 1)] > 0)) return false;
  }
  return true;
}

/* P of z on the cone |z_t| <= mu z_n; p_z: its derivative, row major. */
static void project_cone(double mu, const double z[3], double p[3], double p_z[9]) {
  const double size = hypot(z[1], z[2]);
  sofa_zero(p, 3 * sizeof *p);
  sofa_zero(p_z, 9 * sizeof *p_z);
  if (size <= mu * z[0]) {
    sofa_copy(p, z, 3 * sizeof *p);
    p_z[0] = p_z[4] = p_z[8] = 1;
    return;
  }
  if (mu * size <= -z[0]) return;
  const double along[3] = {1, mu * z[1] / size, mu * z[2] / size};
  const double normal = (z[0] + mu * size) / (1 + mu * mu), bend = mu * normal / size;
  for (int i = 0; i < 3; i++) {
    p[i] = normal * along[i];
    for (int j = 0; j < 3; j++) {
      p_z[3 * i + j] = along[i] * along[j] / (1 + mu * mu);
      if (i && j) p_z[3 * i + j] += bend * ((i == j) - z[i] * z[j] / (size * size));
    }
  }
}

/* P and its derivative of a block of n rows. */
static void project(const SofaConstraintBlock *b, const double *z, double *p, double *p_z) {
  if (cone_of(b) == FRICTION) {
    project_cone(b->friction, z, p, p_z);
    return;
  }
  const bool all = cone_of(b) == ALL_FORCES;
  sofa_zero(p_z, (size_t)b->n * b->n * sizeof *p_z);
  for (uint32_t i = 0; i < b->n; i++) {
    p[i] = all || z[i] > 0 ? z[i] : 0;
    p_z[i * (b->n + 1)] = all || z[i] > 0;
  }
}

/* The problem of an iteration; vectors of n reals. */
typedef struct Proximal {
  SofaConstraintSolve *s;
  double *from, *shift;    /* lambda_0, s */
  double *p, *step, *base; /* P, the change of y, y before it */
  double *slopes;          /* P' of all blocks, where part_at says */
  double grow;             /* R = grow n / trace(w) */
} Proximal;

static double r_of(const Proximal *x, size_t k) {
  return x->grow * sofa_law_rho(block_of(x->s, k)->n, part_of(x->s, k));
}

/* P and P' of y = problem->lambda; the convex function. */
static double evaluate(const Proximal *x) {
  const SofaConstraintSolve *s = x->s;
  double value = 0;
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    const double r = r_of(x, k), *y = s->problem->lambda.data + b->first;
    double *d = x->step + b->first;
    sofa_constraint_block_violation(s, k, d);
    for (uint32_t i = 0; i < b->n; i++) {
      const size_t row = b->first + i;
      value += y[i] * (d[i] - s->problem->violation.data[row]) / 2;
      d[i] = x->from[row] - r * (d[i] + x->shift[row]);
    }
    project(b, d, x->p + b->first, x->slopes + s->part_at.data[k]);
    for (uint32_t i = 0; i < b->n; i++) value += x->p[b->first + i] * x->p[b->first + i] / (2 * r);
  }
  return value;
}

/* I + R P' W, column major. */
static void fill_matrix(const Proximal *x) {
  const SofaConstraintProblem *p = x->s->problem;
  const size_t n = p->n;
  for (size_t c = 0; c < n; c++)
    for (size_t k = 0; k < p->blocks.n; k++) {
      const SofaConstraintBlock *b = block_of(x->s, k);
      const double r = r_of(x, k), *slope = x->slopes + x->s->part_at.data[k];
      const double *w = p->w.data + c * n + b->first;
      for (uint32_t i = 0; i < b->n; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < b->n; j++) sum += slope[i * b->n + j] * w[j];
        x->s->matrix.data[c * n + b->first + i] = r * sum + (b->first + i == c);
      }
    }
}

static bool find_step(const Proximal *x) {
  SofaConstraintSolve *s = x->s;
  const int n = (int)s->problem->n, one = 1;
  int info = 0;
  fill_matrix(x);
  for (int i = 0; i < n; i++) x->step[i] = x->p[i] - s->problem->lambda.data[i];
  const SofaBlasThreads saved = sofa_blas_threads_begin(1);
  dgesv_(&n, &one, s->matrix.data, &n, s->pivots.data, x->step, &n, &info);
  sofa_blas_threads_end(saved);
  for (int i = 0; i < n; i++)
    if (!isfinite(x->step[i])) info = 1;
  return info == 0;
}

/* (y - P) W step: the slope of the function along the step. */
static double slope_along(const Proximal *x) {
  const SofaConstraintProblem *p = x->s->problem;
  double slope = 0;
  for (size_t i = 0; i < p->n; i++)
    slope += (p->lambda.data[i] - x->p[i]) * dot(p, w_row(p, i), x->step);
  return slope;
}

/* The longest of the trial steps that decreases the function. */
static void search_line(const Proximal *x, double before) {
  double *y = x->s->problem->lambda.data, *const step = vector_of(x->s, 2);
  const size_t n = x->s->problem->n;
  const double slope = slope_along(x);
  sofa_copy(x->base, y, n * sizeof *y);
  sofa_copy(step, x->step, n * sizeof *step);
  double t = 1;
  for (int trial = 0; trial < TRIALS; trial++, t /= 2) {
    for (size_t i = 0; i < n; i++) y[i] = x->base[i] + t * step[i];
    if (evaluate(x) <= before + 1e-4 * t * slope + 1e-14 * fabs(before)) return;
  }
}

/* |y - P| and |y| */
static bool is_solved(const Proximal *x) {
  const SofaConstraintProblem *p = x->s->problem;
  double sum = 0, size = 0;
  for (size_t i = 0; i < p->n; i++) {
    const double r = p->lambda.data[i] - x->p[i];
    sum += r * r;
    size += x->p[i] * x->p[i];
  }
  return sum <= 1e-26 * size;
}

/* s of the current forces, by their violations. */
static void find_shift(const Proximal *x) {
  const SofaConstraintSolve *s = x->s;
  for (size_t k = 0; k < s->problem->blocks.n; k++) {
    const SofaConstraintBlock *b = block_of(s, k);
    double *shift = x->shift + b->first;
    sofa_constraint_block_violation(s, k, shift);
    const double slides = cone_of(b) == FRICTION ? b->friction * hypot(shift[1], shift[2]) : 0;
    sofa_zero(shift, b->n * sizeof *shift);
    shift[0] = slides;
  }
}

SofaErr newton_proximal(SofaConstraintSolve *s, double grow) {
  SofaContext *ctx = s->problem->ctx;
  const size_t n = s->problem->n;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *room = SOFA_SCRATCH(ctx, double, 5 * n + s->part.n + 1);
  if (!room) return SOFA_ERR_MEMORY;
  const Proximal x = {s,   room, room + n, room + 2 * n, room + 3 * n, room + 4 * n, room + 5 * n,
                      grow};
  sofa_copy(x.from, s->problem->lambda.data, n * sizeof *x.from);
  find_shift(&x);
  double value = evaluate(&x);
  for (int i = 0; i < STEPS && !is_solved(&x) && find_step(&x); i++) {
    search_line(&x, value);
    value = evaluate(&x);
  }
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}
