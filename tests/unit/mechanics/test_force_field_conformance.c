/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every force field of the factory, masses among them, against the conformance suite. */
#include "tests/support/conform_forcefield.c"
#include "tests/support/force_field_cases_mass.h"
#include "tests/support/force_field_cases_mechanicalload.h"
#include "tests/support/force_field_cases_solidmechanics.h"
#include "tests/support/force_field_cases_spring.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void one_case(void **state) {
  conform_force_field(*state);
}

static const ForceFieldCase *const lists[] = {solidmechanics_cases, mass_cases,
                                              mechanicalload_cases, spring_cases};
static const size_t sizes[] = {COUNT(solidmechanics_cases), COUNT(mass_cases),
                               COUNT(mechanicalload_cases), COUNT(spring_cases)};

static void every_class_has_a_case(void **state) {
  (void)state;
  conform_force_fields_complete(lists, sizes, COUNT(lists));
}

int main(void) {
  enum {
    N = COUNT(solidmechanics_cases) + COUNT(mass_cases) + COUNT(mechanicalload_cases) +
        COUNT(spring_cases)
  };
  struct CMUnitTest tests[N + 1] = {cmocka_unit_test(every_class_has_a_case)};
  static char names[N][200];
  size_t n = 0;
  for (size_t list = 0; list < COUNT(lists); list++) {
    for (size_t k = 0; k < sizes[list]; k++, n++) {
      const ForceFieldCase *c = &lists[list][k];
      snprintf(names[n], sizeof *names, "%s, %s", c->klass, c->what);
      tests[n + 1] = (struct CMUnitTest){names[n], one_case, NULL, NULL, (void *)(uintptr_t)c};
    }
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
