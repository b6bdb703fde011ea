/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every force field, built in or of SofaCaribou, masses among them, against the conformance suite.
 * An argument selects the cases whose name it matches: test_force_field_conformance 'Plane*' */
#include "tests/support/conform_forcefield.c"
#include "tests/support/force_field_cases.h"

static void one_case(void **state) {
  conform_force_field(*state);
}

#define ADD(cases) +COUNT(cases)

static void every_class_has_a_case(void **state) {
  (void)state;
  conform_force_fields_complete(force_field_lists, force_field_list_sizes,
                                COUNT(force_field_lists));
}

int main(int argc, char **argv) {
  enum { N = 0 FORCE_FIELD_LISTS(ADD) };
  struct CMUnitTest tests[N + 1] = {cmocka_unit_test(every_class_has_a_case)};
  static char names[N][200];
  size_t n = 0;
  for (size_t list = 0; list < COUNT(force_field_lists); list++) {
    for (size_t k = 0; k < force_field_list_sizes[list]; k++, n++) {
      const ForceFieldCase *c = &force_field_lists[list][k];
      snprintf(names[n], sizeof *names, "%s, %s", c->klass, c->what);
      tests[n + 1] = (struct CMUnitTest){names[n], one_case, NULL, NULL, (void *)(uintptr_t)c};
    }
  }
  if (argc > 1) cmocka_set_test_filter(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
