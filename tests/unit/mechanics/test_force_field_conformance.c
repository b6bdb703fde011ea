/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every force field, built in or of SofaCaribou, masses among them, against the conformance suite.
 */
#include "tests/support/conform_forcefield.c"
#include "tests/support/force_field_cases_caribou.h"
#include "tests/support/force_field_cases_hyperelastic.h"
#include "tests/support/force_field_cases_mass.h"
#include "tests/support/force_field_cases_mechanicalload.h"
#include "tests/support/force_field_cases_solidmechanics.h"
#include "tests/support/force_field_cases_spring.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void one_case(void **state) {
  conform_force_field(*state);
}

/* One row per header of cases. */
#define LISTS(X)                                                                                   \
  X(caribou_cases)                                                                                 \
  X(hyperelastic_cases)                                                                            \
  X(mass_cases)                                                                                    \
  X(mechanicalload_cases)                                                                          \
  X(solidmechanics_cases)                                                                          \
  X(spring_cases)

#define LIST(cases) cases,
#define SIZE(cases) COUNT(cases),
#define ADD(cases) +COUNT(cases)
static const ForceFieldCase *const lists[] = {LISTS(LIST)};
static const size_t sizes[] = {LISTS(SIZE)};

static void every_class_has_a_case(void **state) {
  (void)state;
  conform_force_fields_complete(lists, sizes, COUNT(lists));
}

int main(void) {
  enum { N = 0 LISTS(ADD) };
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
