/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every mapping of the factory against the conformance suite. */
#include "tests/support/conform_mapping.c"
#include "tests/support/mapping_cases_linear.h"
#include "tests/support/mapping_cases_rigid.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void one_case(void **state) {
  conform_mapping(*state);
}

static void every_class_has_a_case(void **state) {
  (void)state;
  const MappingCase *const lists[] = {linear_mapping_cases, rigid_mapping_cases};
  const size_t sizes[] = {COUNT(linear_mapping_cases), COUNT(rigid_mapping_cases)};
  conform_mappings_complete(lists, sizes, COUNT(lists));
}

static struct CMUnitTest test_of(const MappingCase *c, char *name, size_t size) {
  snprintf(name, size, "%s, %s", c->klass, c->what);
  return (struct CMUnitTest){name, one_case, NULL, NULL, (void *)(uintptr_t)c};
}

int main(void) {
  enum { LINEAR = COUNT(linear_mapping_cases), N = LINEAR + COUNT(rigid_mapping_cases) };
  struct CMUnitTest tests[N + 1] = {cmocka_unit_test(every_class_has_a_case)};
  static char names[N][200];
  for (size_t k = 0; k < N; k++) {
    const MappingCase *c = k < LINEAR ? &linear_mapping_cases[k] : &rigid_mapping_cases[k - LINEAR];
    tests[k + 1] = test_of(c, names[k], sizeof *names);
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
