/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vector operations on the team have the bits of those on one thread, for lengths around the bounds
 * of pieces and chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "object/factory.h"
#include "simulation/vectors.h"

enum { FIRST = 3, LONGEST = 3 * 262144 + 5000 };

static const size_t lengths[] = {0,      1,      4095,   4096,   4097,   6804,   8192,
                                 8193,   12287,  12288,  40961,  56316,  65536,  131072,
                                 131071, 200000, 69632,  69633,  20480,  28673,  262143,
                                 262144, 262145, 300000, 524288, 524289, LONGEST};

typedef struct Vectors {
  double *p, *q, *x, *r;
} Vectors;

static double *random_vector(uint64_t *seed, size_t n) {
  double *v = malloc((FIRST + n + 1) * sizeof *v);
  assert_non_null(v);
  for (size_t i = 0; i < FIRST + n + 1; i++) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    v[i] = (double)(int64_t)*seed * 0x1p-63;
  }
  return v;
}

static void make(Vectors *v, size_t n) {
  uint64_t seed = 7;
  v->p = random_vector(&seed, n);
  v->q = random_vector(&seed, n);
  v->x = random_vector(&seed, n);
  v->r = random_vector(&seed, n);
}

static void free_vectors(Vectors *v) {
  free(v->p), free(v->q), free(v->x), free(v->r);
}

static void check(const SofaContext *one, const SofaContext *many, size_t n) {
  const SofaSpace a = {one, FIRST, n, NULL}, b = {many, FIRST, n, NULL};
  const size_t bytes = (FIRST + n + 1) * sizeof(double);
  Vectors u, v;
  make(&u, n);
  make(&v, n);
  const SofaCgVectors cg_u = {.x = u.x, .r = u.r, .p = u.p, .q = u.q};
  const SofaCgVectors cg_v = {.x = v.x, .r = v.r, .p = v.p, .q = v.q};
  const double dots[2] = {sofa_vec_dot(a, u.p, u.q), sofa_vec_dot(b, v.p, v.q)};
  const double squares[2] = {sofa_vec_cg_update(a, 0.7, &cg_u), sofa_vec_cg_update(b, 0.7, &cg_v)};
  for (int which = 0; which < 2; which++) {
    const SofaSpace space = which ? b : a;
    Vectors *w = which ? &v : &u;
    sofa_vec_xpay(space, w->r, -0.3, w->p);
    sofa_vec_waxpy(space, w->x, 0.2, w->p, w->q);
    sofa_vec_axpy(space, 1.7, w->q, w->r);
    sofa_vec_scale(space, 1.1, w->r);
    sofa_vec_multiply(space, w->r, w->p, w->x);
    sofa_vec_add_quotient(space, w->p, 3, w->x);
    sofa_vec_add_lincomb(space, SOFA_TERMS({0.1, w->x}, {0.3, w->p}, {0.7, w->q}), w->r);
    sofa_vec_copy(space, w->r, w->q);
    sofa_vec_zero(sofa_space(space.ctx, n < 10 ? n : 10), w->p);
  }
  const double most[2] = {sofa_vec_max_norm(a, u.q), sofa_vec_max_norm(b, v.q)};
  assert_memory_equal(&most[0], &most[1], sizeof *most);
  assert_memory_equal(&dots[0], &dots[1], sizeof *dots);
  assert_memory_equal(&squares[0], &squares[1], sizeof *squares);
  assert_memory_equal(u.x, v.x, bytes);
  assert_memory_equal(u.r, v.r, bytes);
  assert_memory_equal(u.p, v.p, bytes);
  assert_memory_equal(u.q, v.q, bytes);
  free_vectors(&u);
  free_vectors(&v);
}

static void same_bits(void **state) {
  static const char *const sets[] = {"baseline", "auto"};
  (void)state;
  for (int set = 0; set < 2; set++) {
    for (int threads = 2; threads <= 4; threads++) {
      SofaContextOptions options = {.threads = 1, .isa = sets[set]};
      SofaContext *one = NULL, *many = NULL;
      assert_int_equal(sofa_context_create(&options, &one), SOFA_OK);
      options.threads = threads;
      assert_int_equal(sofa_context_create(&options, &many), SOFA_OK);
      for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) check(one, many, lengths[i]);
      sofa_context_destroy(&one);
      sofa_context_destroy(&many);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
