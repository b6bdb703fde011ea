/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every force field of the factory, masses among them, against the conformance suite. */
#include "tests/support/conform_forcefield.c"
#include "tests/support/force_field_cases_mass.h"
#include "tests/support/force_field_cases_solidmechanics.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void one_case(void **state) {
  conform_force_field(*state);
}

static void every_class_has_a_case(void **state) {
  (void)state;
  const ForceFieldCase *const lists[] = {solidmechanics_cases, mass_cases};
  const size_t sizes[] = {COUNT(solidmechanics_cases), COUNT(mass_cases)};
  conform_force_fields_complete(lists, sizes, COUNT(lists));
}

static struct CMUnitTest test_of(const ForceFieldCase *c, char *name, size_t size) {
  snprintf(name, size, "%s, %s", c->klass, c->what);
  return (struct CMUnitTest){name, one_case, NULL, NULL, (void *)(uintptr_t)c};
}

int main(void) {
  enum { N = COUNT(solidmechanics_cases) + COUNT(mass_cases) };
  struct CMUnitTest tests[N + 1] = {cmocka_unit_test(every_class_has_a_case)};
  static char names[N][200];
  size_t n = 0;
  for (size_t k = 0; k < COUNT(solidmechanics_cases); k++, n++)
    tests[n + 1] = test_of(&solidmechanics_cases[k], names[n], sizeof *names);
  for (size_t k = 0; k < COUNT(mass_cases); k++, n++)
    tests[n + 1] = test_of(&mass_cases[k], names[n], sizeof *names);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
