/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constraint problems that are filled by hand, without a scene. */
#ifndef TESTS_UNIT_CONSTRAINT_SOLVER_PROBLEM_H
#define TESTS_UNIT_CONSTRAINT_SOLVER_PROBLEM_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "object/factory.h"
#include "numerics/constraint/laws.h"
#include "numerics/constraint/solve.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

typedef struct Bench {
  SofaContext *ctx;
  SofaConstraintProblem problem;
  SofaConstraintSolve solve;
} Bench;

static inline void bench_open(Bench *b) {
  memset(b, 0, sizeof *b);
  assert_int_equal(sofa_context_create(&(SofaContextOptions){0}, &b->ctx), SOFA_OK);
  b->problem.ctx = b->ctx;
  b->solve.method = (SofaConstraintMethod){SOFA_CONSTRAINT_METHOD_DEFAULT};
}

static inline void bench_close(Bench *b) {
  sofa_constraint_solve_free(b->ctx, &b->solve);
  sofa_constraint_problem_free(&b->problem);
  sofa_context_destroy(&b->ctx);
}

/* Empties the problem and adds n_blocks equal blocks. */
static inline void bench_blocks(Bench *b, const SofaConstraintBlock *block, size_t n_blocks) {
  uint32_t first;
  sofa_constraint_problem_clear(&b->problem);
  for (size_t i = 0; i < n_blocks; i++)
    assert_int_equal(sofa_constraint_block(&b->problem, block, &first), SOFA_OK);
  const size_t n = b->problem.n;
  assert_int_equal(SOFA_RESIZE(b->ctx, &b->problem.violation, n), SOFA_OK);
  assert_int_equal(SOFA_RESIZE(b->ctx, &b->problem.lambda, n), SOFA_OK);
  assert_int_equal(SOFA_RESIZE(b->ctx, &b->problem.w, n * n), SOFA_OK);
  for (size_t i = 0; i < n; i++) b->problem.violation.data[i] = b->problem.lambda.data[i] = 0;
  for (size_t i = 0; i < n * n; i++) b->problem.w.data[i] = 0;
}

static inline void bench_fill(Bench *b, const double *w, const double *free) {
  memcpy(b->problem.w.data, w, b->problem.w.n * sizeof *w);
  memcpy(b->problem.violation.data, free, b->problem.violation.n * sizeof *free);
}

typedef SofaErr (*Method)(SofaConstraintSolve *s);
static inline void bench_solve(Bench *b, Method method) {
  memset(b->problem.lambda.data, 0, b->problem.n * sizeof(double));
  assert_int_equal(sofa_constraint_solve_begin(&b->solve, &b->problem), SOFA_OK);
  assert_int_equal(method(&b->solve), SOFA_OK);
  assert_int_equal(sofa_constraint_solve_end(&b->solve), SOFA_OK);
}

static inline void bench_assert(const Bench *b, const double *lambda, double tolerance) {
  for (uint32_t i = 0; i < b->problem.n; i++)
    if (!(fabs(b->problem.lambda.data[i] - lambda[i]) <= tolerance))
      fail_msg("lambda[%u] is %.15g, not %.15g", i, b->problem.lambda.data[i], lambda[i]);
}

static inline double bench_random(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed / 2147483648.0 - 1;
}

/* W = G G^T of n x rank random numbers, and random violations. */
static inline void bench_randomize(Bench *b, size_t rank, uint32_t *seed) {
  const size_t n = b->problem.n;
  double g[64][64];
  assert_true(n <= 64 && rank <= 64);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < rank; k++) g[i][k] = bench_random(seed);
  for (size_t i = 0; i < n; i++) {
    b->problem.violation.data[i] = bench_random(seed);
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < rank; k++) sum += g[i][k] * g[j][k];
      b->problem.w.data[j * n + i] = sum;
    }
  }
}

#endif
