/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on vectors against plain loops, on all instruction sets and numbers of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "simulation/vectors.h"

enum { MOST = 70000 };
static const size_t sizes[] = {0, 1, 7, 1000, MOST};
static const char *const sets[] = {"baseline", "avx2", "avx512"};

typedef struct Vectors {
  double *x[3], *y, *z;
} Vectors;

static double number(size_t k) {
  return (double)((k * 7919 + 13) % 10007) / 777 - 6;
}

static void fill(Vectors *v) {
  for (size_t k = 0; k < MOST; k++) {
    for (size_t i = 0; i < 3; i++) v->x[i][k] = number(k + 1000 * i);
    v->y[k] = v->z[k] = number(3 * k);
  }
}

static void open_vectors(Vectors *v) {
  for (int i = 0; i < 3; i++) v->x[i] = malloc((MOST + 1) * sizeof(double));
  v->y = malloc((MOST + 1) * sizeof(double));
  v->z = malloc((MOST + 1) * sizeof(double));
}

static void close_vectors(Vectors *v) {
  for (int i = 0; i < 3; i++) free(v->x[i]);
  free(v->y), free(v->z);
}

/* A context of each instruction set that there is, with 1 and 3 threads. */
typedef void (*Check)(SofaSpace space, Vectors *v);
static void on_all(Check check) {
  Vectors v;
  open_vectors(&v);
  for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
    SofaContext *ctx = NULL;
    if (!sofa_kernels_select(sets[s])) continue;
    assert_int_equal(sofa_context_create(&(SofaContextOptions){0}, &ctx), SOFA_OK);
    ctx->kernels = sofa_kernels_select(sets[s]);
    for (ctx->threads = 1; ctx->threads <= 3; ctx->threads += 2)
      for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill(&v);
        check(sofa_space(ctx, sizes[i]), &v);
      }
    sofa_context_destroy(&ctx);
  }
  close_vectors(&v);
}

static void check_sums(SofaSpace s, Vectors *v) {
  const double a = 0.3, b = -1.7, c = 1e-3;
  for (size_t n_terms = 1; n_terms <= 3; n_terms++) {
    const SofaTerm terms[] = {{a, v->x[0]}, {b, v->x[1]}, {c, v->x[2]}};
    for (int add = 0; add < 2; add++) {
      if (add) sofa_vec_add_lincomb(s, n_terms, terms, v->y);
      else sofa_vec_lincomb(s, n_terms, terms, v->y);
      for (size_t k = 0; k < s.n; k++) {
        /* the same operations, kept apart from each other */
        volatile double sum = a * v->x[0][k], product = b * v->x[1][k];
        if (n_terms > 1) sum = sum + product;
        product = c * v->x[2][k];
        if (n_terms > 2) sum = sum + product;
        v->z[k] = add ? v->z[k] + sum : sum;
      }
      assert_memory_equal(v->y, v->z, MOST * sizeof *v->y);
    }
  }

  /* in place */
  sofa_vec_lincomb(s, SOFA_TERMS({0.5, v->y}, {2, v->x[1]}), v->y);
  for (size_t k = 0; k < s.n; k++) v->z[k] = 0.5 * v->z[k] + 2 * v->x[1][k];
  assert_memory_equal(v->y, v->z, MOST * sizeof *v->y);
  sofa_vec_add_quotient(s, v->x[0], 0.7, v->y);
  for (size_t k = 0; k < s.n; k++) v->z[k] += v->x[0][k] / 0.7;
  assert_memory_equal(v->y, v->z, MOST * sizeof *v->y);
}

static void sums(void **state) {
  (void)state;
  on_all(check_sums);
}

static void check_parts(SofaSpace s, Vectors *v) {
  if (s.n < 1000) return;
  s.first = 100;
  s.n -= 300;
  sofa_vec_copy(s, v->x[0], v->y);
  memcpy(v->z + s.first, v->x[0] + s.first, s.n * sizeof *v->z);
  assert_memory_equal(v->y, v->z, MOST * sizeof *v->y);
  sofa_vec_copy(s, v->y, v->y);
  sofa_vec_scale(s, 3, v->y);
  sofa_vec_add(s, -2, v->x[1], v->y);
  for (size_t k = 100; k < 100 + s.n; k++) v->z[k] = 3 * v->z[k] - 2 * v->x[1][k];
  assert_memory_equal(v->y, v->z, MOST * sizeof *v->y);
  assert_int_equal(sofa_vec_first_bad(s, v->y), s.n);
  v->y[99] = NAN;
  assert_int_equal(sofa_vec_first_bad(s, v->y), s.n);
  v->y[105] = INFINITY;
  assert_int_equal(sofa_vec_first_bad(s, v->y), 5);
  sofa_vec_zero(s, v->y);
  assert_true(isnan(v->y[99]) && v->y[100] == 0 && v->y[99 + s.n] == 0 && v->y[100 + s.n] != 0);
  v->x[2][150] = -40;
  assert_true(sofa_vec_max_norm(s, v->x[2]) == 40);
  v->x[2][99] = 1e9;
  assert_true(sofa_vec_dot(s, v->x[2], v->x[2]) < 1e8);
  assert_true(sofa_vec_norm(s, v->x[2]) == sqrt(sofa_vec_dot(s, v->x[2], v->x[2])));
}

static void parts(void **state) {
  (void)state;
  on_all(check_parts);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums), cmocka_unit_test(parts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
