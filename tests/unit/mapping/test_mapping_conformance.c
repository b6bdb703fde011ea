/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every mapping of the factory against the conformance suite; and made again, as after a change of
 * what it is made of. */
#include "tests/support/conform_mapping.c"
#include "tests/support/mapping_cases.h"
#include "tests/unit/base/failing_allocator.h"

enum {
  N = COUNT(linear_mapping_cases) + COUNT(rigid_mapping_cases) + COUNT(nonlinear_mapping_cases)
};

static void one_case(void **state) {
  conform_mapping(*state);
}

/* ---- made again ---- */

/* What it makes of the positions of the inputs, of velocities and of forces. */
static double *answer_of(MappedModel *m, double *const *x, size_t *n) {
  double *a, *f[MOST_INPUTS];
  *n = m->out_nx + m->out_nv;
  for (size_t k = 0; k < m->n_in; k++) *n += m->nv[k];
  a = new_reals(*n);
  const SofaPoint at = point_at(m, x);
  do_apply(m, &at, a);
  do_apply_j(m, &at, a + m->out_nx);
  f[0] = a + m->out_nx + m->out_nv;
  for (size_t k = 1; k < m->n_in; k++) f[k] = f[k - 1] + m->nv[k - 1];
  assert_int_equal(sofa_mapping_apply_jt(m->map, &at, m->out_f, f), SOFA_OK);
  return a;
}

/* Setup with the output at the same positions each time. */
static SofaErr make_again(MappedModel *m, const double *positions) {
  memcpy(m->map->out->position.data, positions, m->out_nx * sizeof *positions);
  return sofa_mapping_start(m->map);
}

static void same_answer(MappedModel *m, const double *expected) {
  size_t n;
  double *a = answer_of(m, m->x[0], &n);
  for (size_t i = 0; i < n; i++) mapped_expect(m, a[i], expected[i], 0, "made again");
  free(a);
}

/* Each request for memory fails, and those after it unless allocator->once. */
static void make_without_memory(MappedModel *m, FailingAllocator *allocator,
                                const double *positions) {
  for (uint64_t fail_at = 1;; fail_at++) {
    allocator->fail_at = allocator->calls + fail_at;
    const SofaErr err = make_again(m, positions);
    if (err == SOFA_OK && allocator->calls < allocator->fail_at) break;
    if (err != SOFA_ERR_MEMORY)
      fail_msg("%s, %s: request %d for memory fails, error %d", m->c->klass, m->c->what,
               (int)fail_at, (int)err);
  }
  allocator->fail_at = 0;
}

/* Nothing is left of the data before, also when memory ran out on the way. */
static void made_again_is_as_made(void **state) {
  FailingAllocator allocator = {0};
  const SofaContextOptions options = {.allocate = failing_allocate, .allocate_user = &allocator};
  MappedModel m;
  size_t n;
  mapped_open_with(&m, *state, &options);
  double *positions = new_reals(m.out_nx);
  memcpy(positions, m.map->out->position.data, m.out_nx * sizeof *positions);
  assert_int_equal(make_again(&m, positions), SOFA_OK);
  double *expected = answer_of(&m, m.x[0], &n);
  assert_int_equal(make_again(&m, positions), SOFA_OK);
  same_answer(&m, expected);
  m.run.quiet = true;
  make_without_memory(&m, &allocator, positions);
  allocator.once = true;
  make_without_memory(&m, &allocator, positions);
  same_answer(&m, expected);
  free(positions), free(expected);
  mapped_close(&m);
  assert_int_equal(allocator.live, 0);
}

static void every_class_has_a_case(void **state) {
  (void)state;
  conform_mappings_complete(mapping_lists, mapping_list_sizes, N_LISTS);
}

static struct CMUnitTest test_of(const MappingCase *c, bool again, char *name, size_t size) {
  snprintf(name, size, "%s, %s%s", c->klass, c->what, again ? ", made again" : "");
  return (struct CMUnitTest){name, again ? made_again_is_as_made : one_case, NULL, NULL,
                             (void *)(uintptr_t)c};
}

int main(void) {
  struct CMUnitTest tests[2 * N + 1] = {cmocka_unit_test(every_class_has_a_case)};
  static char names[2 * N][200];
  size_t at = 0;
  for (int again = 0; again < 2; again++)
    for (size_t l = 0; l < N_LISTS; l++)
      for (size_t k = 0; k < mapping_list_sizes[l]; k++, at++)
        tests[at + 1] = test_of(&mapping_lists[l][k], again, names[at], sizeof *names);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
