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

#include "numerics/krylov/vector_team_impl.h"
#include "object/factory.h"

enum { FIRST = 3, LONGEST = 262144 + 5000 };

static const size_t lengths[] = {0,     1,     4095,  4096,  4097,   6804,   8192,   8193,
                                 12287, 12288, 40961, 56316, 65536,  131072, 131071, 200000,
                                 69632, 69633, 20480, 28673, 262143, 262144, 262145, LONGEST};

typedef struct Vectors {
  double *p, *q, *x, *r;
} Vectors;

static double *random_vector(uint64_t *seed) {
  double *v = malloc((FIRST + LONGEST) * sizeof *v);
  assert_non_null(v);
  for (size_t i = 0; i < FIRST + LONGEST; i++) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    v[i] = (double)(int64_t)*seed * 0x1p-63;
  }
  return v;
}

static void make(Vectors *v) {
  uint64_t seed = 7;
  v->p = random_vector(&seed);
  v->q = random_vector(&seed);
  v->x = random_vector(&seed);
  v->r = random_vector(&seed);
}

static void free_vectors(Vectors *v) {
  free(v->p), free(v->q), free(v->x), free(v->r);
}

static void check(const SofaContext *one, const SofaContext *many, size_t n) {
  const SofaSpace a = {one, FIRST, n}, b = {many, FIRST, n};
  const size_t bytes = (FIRST + LONGEST) * sizeof(double);
  Vectors u, v;
  make(&u);
  make(&v);
  const SofaCgVectors cg_u = {.x = u.x, .r = u.r, .p = u.p, .q = u.q};
  const SofaCgVectors cg_v = {.x = v.x, .r = v.r, .p = v.p, .q = v.q};
  const double dots[2] = {sofa_vec_dot(a, u.p, u.q), team_vec_dot(b, v.p, v.q)};
  const double squares[2] = {sofa_vec_cg_update(a, 0.7, &cg_u), team_vec_cg_update(b, 0.7, &cg_v)};
  sofa_vec_xpay(a, u.r, -0.3, u.p);
  team_vec_xpay(b, v.r, -0.3, v.p);
  assert_memory_equal(&dots[0], &dots[1], sizeof *dots);
  assert_memory_equal(&squares[0], &squares[1], sizeof *squares);
  assert_memory_equal(u.x, v.x, bytes);
  assert_memory_equal(u.r, v.r, bytes);
  assert_memory_equal(u.p, v.p, bytes);
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
