/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cholesky factors by fronts: those of CHOLMOD's own numeric factorization, the same bits on any
 * number of threads and for avx2 and avx512, and the same column where it is not definite. */
#include <cholmod.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/kernels.h"
#include "numerics/direct/cholmod_impl.h"
#include "object/factory.h"
#include "tests/support/scene_run.h"

/* A grid of points with 3 dofs each; each is tied to its neighbours, diagonals included. */
typedef struct Grid {
  int n[3];
  double diagonal;
} Grid;

/* Too small for threads, and far above that; a chain, whose fronts are small; points alone. */
static const Grid grids[] = {
    {{5, 5, 9}, 40}, {{12, 12, 12}, 40}, {{1, 1, 200}, 40}, {{40, 1, 40}, 40}, {{1, 1, 1}, 3}};

typedef struct Problem {
  cholmod_common common;
  cholmod_sparse *a;
  cholmod_factor *l;
  SofaScalarColumns columns; /* views of a */
} Problem;

static double entry(size_t i, size_t j) {
  return 0.9 * sin((double)(i * 31 + j * 17 % 101)) + 0.2 * cos((double)(i * j % 977));
}

static cholmod_sparse *make_matrix(const Grid *g, cholmod_common *c) {
  const int nx = g->n[0], ny = g->n[1], nz = g->n[2];
  const size_t n = 3 * (size_t)(nx * ny * nz);
  cholmod_triplet *t = cholmod_allocate_triplet(n, n, n * 42, -1, CHOLMOD_REAL, c);
  int *row = t->i, *column = t->j;
  double *x = t->x;
  for (int p = 0; p < nx * ny * nz; p++) {
    for (int q = 0; q <= p; q++) {
      const int dx = p % nx - q % nx, dy = p / nx % ny - q / nx % ny,
                dz = p / nx / ny - q / nx / ny;
      if (abs(dx) > 1 || abs(dy) > 1 || abs(dz) > 1) continue;
      for (int k = 0; k < 9; k++) {
        const int i = 3 * p + k / 3, j = 3 * q + k % 3;
        if (j > i) continue;
        row[t->nnz] = i;
        column[t->nnz] = j;
        x[t->nnz++] = i == j ? g->diagonal + entry((size_t)i, 3) : entry((size_t)i, (size_t)j);
      }
    }
  }
  cholmod_sparse *a = cholmod_triplet_to_sparse(t, 0, c);
  cholmod_free_triplet(&t, c);
  return a;
}

/* The reordered lower triangle, so that the factor's permutation is the identity. */
static void open_problem(Problem *p, const Grid *grid) {
  cholmod_common *c = &p->common;
  cholmod_start(c);
  c->supernodal = CHOLMOD_SUPERNODAL;
  c->print = 0;
  c->quick_return_if_not_posdef = 1;
  cholmod_sparse *a = make_matrix(grid, c);
  c->nmethods = 1;
  c->method[0].ordering = CHOLMOD_AMD;
  cholmod_factor *l = cholmod_analyze(a, c);
  cholmod_sparse *whole = cholmod_copy(a, 0, 1, c);
  cholmod_sparse *turned =
      cholmod_submatrix(whole, l->Perm, (int)l->n, l->Perm, (int)l->n, 1, 1, c);
  p->a = cholmod_copy(turned, -1, 1, c);
  cholmod_sort(p->a, c);
  cholmod_free_sparse(&a, c);
  cholmod_free_sparse(&whole, c);
  cholmod_free_sparse(&turned, c);
  cholmod_free_factor(&l, c);
  c->method[0].ordering = CHOLMOD_NATURAL;
  c->postorder = 0;
  p->l = cholmod_analyze(p->a, c);
  p->columns =
      (SofaScalarColumns){.n = p->a->nrow,
                          .n_entries = cholmod_nnz(p->a, c) > 0 ? (size_t)cholmod_nnz(p->a, c) : 0,
                          .start = p->a->p,
                          .row = p->a->i,
                          .value = p->a->x};
}

static void close_problem(Problem *p) {
  cholmod_free_sparse(&p->a, &p->common);
  cholmod_free_factor(&p->l, &p->common);
  cholmod_finish(&p->common);
}

/* The factor on `threads` threads with an instruction set (NULL: the best); freed by the caller. */
static double *factor(const Problem *p, int threads, const char *isa, size_t *minor) {
  SofaContext *ctx = NULL;
  SofaFronts *fronts = NULL;
  const SofaSupernodes nodes = cholmod_supernodes(p->l);
  double *l = calloc(p->l->xsize + 1, sizeof *l);
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  ctx->threads = threads;
  ctx->kernels = sofa_kernels_select(isa);
  assert_int_equal(sofa_fronts_plan(ctx, &nodes, &p->columns, &fronts), SOFA_OK);
  assert_int_equal(sofa_fronts_reserve(fronts, threads, false), SOFA_OK);
  for (int again = 0; again < 2; again++) /* nothing of the first is left in the second */
    sofa_fronts_factorise(fronts, p->columns.value, l, minor);
  sofa_fronts_destroy(ctx, &fronts);
  sofa_context_destroy(&ctx);
  return l;
}

/* Calls f with each entry of L on and below the diagonal. */
static double largest_difference(const cholmod_factor *l, const double *a, const double *b) {
  const int *super = l->super, *pi = l->pi, *px = l->px;
  double most = 0;
  for (size_t s = 0; s < l->nsuper; s++) {
    const int rows = pi[s + 1] - pi[s], columns = super[s + 1] - super[s];
    for (int c = 0; c < columns; c++)
      for (int r = c; r < rows; r++)
        most = fmax(most, fabs(a[px[s] + c * rows + r] - b[px[s] + c * rows + r]));
  }
  return most;
}

static void as_cholmod(void **state) {
  (void)state;
  for (size_t g = 0; g < SOFA_COUNT(grids); g++) {
    Problem p;
    size_t minor = 0;
    open_problem(&p, &grids[g]);
    double *l = factor(&p, 1, NULL, &minor);
    assert_int_equal(minor, p.a->nrow);
    assert_true(cholmod_factorize(p.a, p.l, &p.common));
    assert_true(p.l->is_super);
    assert_true(largest_difference(p.l, l, p.l->x) < 1e-12);
    free(l);
    close_problem(&p);
  }
}

static void same_bits(void **state) {
  (void)state;
  static const char *const isas[] = {"avx2", "avx512"};
  for (size_t g = 0; g < SOFA_COUNT(grids); g++) {
    Problem p;
    size_t minor = 0;
    open_problem(&p, &grids[g]);
    double *first = factor(&p, 1, NULL, &minor), *baseline = factor(&p, 1, "baseline", &minor);
    assert_true(largest_difference(p.l, first, baseline) < 1e-12);
    for (int threads = 2; threads < 5; threads++) {
      double *l = factor(&p, threads, NULL, &minor);
      assert_true(largest_difference(p.l, l, first) == 0);
      free(l);
    }
    for (size_t i = 0; i < SOFA_COUNT(isas); i++) {
      if (!sofa_kernels_select(isas[i])) continue; /* not on this processor */
      double *l = factor(&p, 1, isas[i], &minor);
      assert_true(largest_difference(p.l, l, first) == 0);
      free(l);
    }
    free(first);
    free(baseline);
    close_problem(&p);
  }
}

/* A pivot that is negative, zero or no number ends the factorization at its column. */
static void not_definite(void **state) {
  (void)state;
  static const double pivots[] = {-1, 0, NAN};
  for (size_t g = 0; g < 4; g++) {
    Problem p;
    open_problem(&p, &grids[g]);
    const size_t column = p.a->nrow * 2 / 3;
    double *diagonal = &p.columns.value[p.columns.start[column]];
    for (size_t k = 0; k < SOFA_COUNT(pivots); k++) {
      *diagonal = pivots[k];
      for (int threads = 1; threads < 4; threads++) {
        size_t minor = 0;
        free(factor(&p, threads, NULL, &minor));
        assert_int_equal(minor, column);
      }
    }
    close_problem(&p);
  }
}

/* y = the solution on `threads` threads with an instruction set (NULL: the best). */
static void solve(const Problem *p, int threads, const char *isa, const double *l, double *y) {
  SofaContext *ctx = NULL;
  SofaSupernodeSolver *solver = NULL;
  const SofaSupernodes nodes = cholmod_supernodes(p->l);
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  ctx->threads = threads;
  ctx->kernels = sofa_kernels_select(isa);
  for (int again = 0; again < 2; again++)
    assert_int_equal(sofa_supernode_solver_plan(ctx, &nodes, &solver), SOFA_OK);
  sofa_supernode_solver_apply(solver, l, y);
  sofa_supernode_solver_destroy(ctx, &solver);
  sofa_context_destroy(&ctx);
}

/* y = A x */
static void multiply(Problem *p, double *x, double *y) {
  const size_t n = p->a->nrow;
  cholmod_dense b = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = y, .xtype = CHOLMOD_REAL};
  cholmod_dense v = b;
  v.x = x;
  assert_true(cholmod_sdmult(p->a, 0, (double[]){1, 0}, (double[]){0, 0}, &v, &b, &p->common));
}

static void solutions(void **state) {
  (void)state;
  for (size_t g = 0; g < SOFA_COUNT(grids); g++) {
    Problem p;
    size_t minor = 0;
    open_problem(&p, &grids[g]);
    const size_t n = p.a->nrow;
    double *l = factor(&p, 1, NULL, &minor), *x = calloc(4 * n, sizeof *x);
    double *b = x + n, *first = x + 2 * n, *y = x + 3 * n;
    for (size_t i = 0; i < n; i++) x[i] = sin(1 + (double)i);
    multiply(&p, x, b);
    memcpy(first, b, n * sizeof *b);
    solve(&p, 1, NULL, l, first);
    for (size_t i = 0; i < n; i++) assert_true(fabs(first[i] - x[i]) < 1e-12);
    for (int threads = 2; threads < 5; threads++) {
      memcpy(y, b, n * sizeof *b);
      solve(&p, threads, NULL, l, y);
      assert_memory_equal(y, first, n * sizeof *y);
    }
    memcpy(y, b, n * sizeof *b);
    solve(&p, 2, "baseline", l, y);
    for (size_t i = 0; i < n; i++) assert_true(fabs(y[i] - x[i]) < 1e-12);
    free(l);
    free(x);
    close_problem(&p);
  }
}

/* Rows that no tree has: each node subtracts from rows of its own. */
static void any_rows(void **state) {
  (void)state;
  enum { NODES = 600, BELOW = 400, ROWS = 1 + BELOW };
  int super[NODES + 1], start[NODES + 1], value[NODES + 1],
      *row = calloc(NODES * ROWS, sizeof *row);
  double *l = calloc(NODES * ROWS, sizeof *l), x[NODES], y[NODES];
  SofaContext *ctx = NULL;
  SofaSupernodeSolver *solver = NULL;
  super[0] = start[0] = value[0] = 0;
  for (int k = 0, at = 0; k < NODES; k++) {
    row[at] = k;
    l[at++] = 2;
    for (int r = k + 1; r < NODES && at < start[k] + ROWS; r++)
      if (r == k + 1 || (r * 7 + k * 3) % 4 > 0) row[at] = r, l[at++] = 0.003 * cos(r + 5 * k);
    super[k + 1] = k + 1;
    start[k + 1] = value[k + 1] = at;
    x[k] = sin(k);
  }
  const SofaSupernodes nodes = {
      .n = NODES, .super = super, .row_start = start, .value_start = value, .row = row};
  double half[NODES] = {0}; /* L^T x, then y = L L^T x */
  memset(y, 0, sizeof y);
  for (int k = 0; k < NODES; k++)
    for (int e = start[k]; e < start[k + 1]; e++) half[k] += l[e] * x[row[e]];
  for (int k = 0; k < NODES; k++)
    for (int e = start[k]; e < start[k + 1]; e++) y[row[e]] += l[e] * half[k];
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_supernode_solver_plan(ctx, &nodes, &solver), SOFA_OK);
  sofa_supernode_solver_apply(solver, l, y);
  for (int k = 0; k < NODES; k++) assert_true(fabs(y[k] - x[k]) < 1e-12);
  sofa_supernode_solver_destroy(ctx, &solver);
  sofa_context_destroy(&ctx);
  free(row);
  free(l);
}

/* ---- in single precision ---- */

/* As factor, of 2^-3 times the matrix. */
static float *factor_single(const Problem *p, int threads, const char *isa, size_t *minor) {
  SofaContext *ctx = NULL;
  SofaFronts *fronts = NULL;
  const SofaSupernodes nodes = cholmod_supernodes(p->l);
  float *l = calloc(p->l->xsize + 1, sizeof *l);
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  ctx->threads = threads;
  ctx->kernels = sofa_kernels_select(isa);
  assert_int_equal(sofa_fronts_plan(ctx, &nodes, &p->columns, &fronts), SOFA_OK);
  /* the memory of double precision serves before */
  assert_int_equal(sofa_fronts_reserve(fronts, threads, false), SOFA_OK);
  assert_int_equal(sofa_fronts_reserve(fronts, threads, true), SOFA_OK);
  for (int again = 0; again < 2; again++)
    sofa_fronts_factorise_single(fronts, p->columns.value, 0.125, l, minor);
  sofa_fronts_destroy(ctx, &fronts);
  sofa_context_destroy(&ctx);
  return l;
}

/* The largest difference to the factor in double precision; NULL: to that in single precision. */
static double largest_of_single(const cholmod_factor *l, const float *a, const double *b,
                                const float *c) {
  const int *super = l->super, *pi = l->pi, *px = l->px;
  double most = 0;
  for (size_t s = 0; s < l->nsuper; s++) {
    const int rows = pi[s + 1] - pi[s], columns = super[s + 1] - super[s];
    for (int k = 0; k < columns * rows; k++) {
      const int at = px[s] + k;
      if (k % rows < k / rows) continue; /* above the diagonal */
      most = fmax(most, fabs((double)a[at] - (b ? b[at] * sqrt(0.125) : (double)c[at])));
    }
  }
  return most;
}

static void single_factors(void **state) {
  (void)state;
  static const char *const isas[] = {"avx2", "avx512"};
  for (size_t g = 0; g < SOFA_COUNT(grids); g++) {
    Problem p;
    size_t minor = 0;
    open_problem(&p, &grids[g]);
    double *exact = factor(&p, 1, NULL, &minor);
    float *first = factor_single(&p, 1, NULL, &minor);
    float *baseline = factor_single(&p, 1, "baseline", &minor);
    assert_int_equal(minor, p.a->nrow);
    assert_true(largest_of_single(p.l, first, exact, NULL) < 1e-5);
    assert_true(largest_of_single(p.l, first, exact, NULL) > 0);
    assert_true(largest_of_single(p.l, baseline, exact, NULL) < 1e-5);
    for (int threads = 2; threads < 5; threads++) {
      float *l = factor_single(&p, threads, NULL, &minor);
      assert_true(largest_of_single(p.l, l, NULL, first) == 0);
      free(l);
    }
    for (size_t i = 0; i < SOFA_COUNT(isas); i++) {
      if (!sofa_kernels_select(isas[i])) continue; /* not on this processor */
      float *l = factor_single(&p, 1, isas[i], &minor);
      assert_true(largest_of_single(p.l, l, NULL, first) == 0);
      free(l);
    }
    double *diagonal = &p.columns.value[p.columns.start[p.a->nrow / 2]];
    *diagonal = -1;
    free(factor_single(&p, 2, NULL, &minor));
    assert_int_equal(minor, p.a->nrow / 2);
    free(exact), free(first), free(baseline);
    close_problem(&p);
  }
}

static void solve_single(const Problem *p, int threads, const char *isa, const float *l, float *y) {
  SofaContext *ctx = NULL;
  SofaSupernodeSolver *solver = NULL;
  const SofaSupernodes nodes = cholmod_supernodes(p->l);
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  ctx->threads = threads;
  ctx->kernels = sofa_kernels_select(isa);
  assert_int_equal(sofa_supernode_solver_plan(ctx, &nodes, &solver), SOFA_OK);
  sofa_supernode_solver_apply_single(solver, l, y);
  sofa_supernode_solver_destroy(ctx, &solver);
  sofa_context_destroy(&ctx);
}

/* L L^T x of every instruction set; avx2 and avx512 have the same bits. */
static void single_solutions(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  for (size_t g = 0; g < SOFA_COUNT(grids); g++) {
    Problem p;
    size_t minor = 0;
    open_problem(&p, &grids[g]);
    const size_t n = p.a->nrow;
    double *l = factor(&p, 1, NULL, &minor), *x = calloc(n, sizeof *x);
    float *of_single = factor_single(&p, 1, NULL, &minor), *y = calloc(4 * n, sizeof *y);
    for (size_t k = 0; k < n; k++) x[k] = sin(1 + (double)k);
    solve(&p, 1, NULL, l, x);
    for (size_t i = 0; i < SOFA_COUNT(isas); i++) {
      if (!sofa_kernels_select(isas[i])) continue;
      float *z = y + i * n, *again = y + 3 * n;
      for (size_t k = 0; k < n; k++) z[k] = again[k] = (float)sin(1 + (double)k);
      solve_single(&p, 1, isas[i], of_single, z);
      for (size_t k = 0; k < n; k++) assert_true(fabs(0.125 * (double)z[k] - x[k]) < 1e-5);
      solve_single(&p, 3, isas[i], of_single, again);
      assert_memory_equal(again, z, n * sizeof *z);
    }
    if (sofa_kernels_select("avx512")) assert_memory_equal(y + n, y + 2 * n, n * sizeof *y);
    free(l), free(x), free(of_single), free(y);
    close_problem(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_cholmod),      cmocka_unit_test(same_bits),
      cmocka_unit_test(not_definite),    cmocka_unit_test(solutions),
      cmocka_unit_test(any_rows),        cmocka_unit_test(single_factors),
      cmocka_unit_test(single_solutions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
