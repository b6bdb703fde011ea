/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every mapping of the factory against the conformance suite. */
#include "tests/support/conform_mapping.c"
#include "tests/support/mapping_cases.h"

enum {
  N = COUNT(linear_mapping_cases) + COUNT(rigid_mapping_cases) + COUNT(nonlinear_mapping_cases)
};

static void one_case(void **state) {
  conform_mapping(*state);
}

static void every_class_has_a_case(void **state) {
  (void)state;
  conform_mappings_complete(mapping_lists, mapping_list_sizes, N_LISTS);
}

static struct CMUnitTest test_of(const MappingCase *c, char *name, size_t size) {
  snprintf(name, size, "%s, %s", c->klass, c->what);
  return (struct CMUnitTest){name, one_case, NULL, NULL, (void *)(uintptr_t)c};
}

int main(void) {
  struct CMUnitTest tests[N + 1] = {cmocka_unit_test(every_class_has_a_case)};
  static char names[N][200];
  size_t at = 0;
  for (size_t l = 0; l < N_LISTS; l++)
    for (size_t k = 0; k < mapping_list_sizes[l]; k++, at++)
      tests[at + 1] = test_of(&mapping_lists[l][k], names[at], sizeof *names);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
