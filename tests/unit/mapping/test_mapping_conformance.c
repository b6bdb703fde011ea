/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every mapping of the factory against the conformance suite. */
#include "tests/support/conform_mapping.c"
#include "tests/support/mapping_cases_linear.h"
#include "tests/support/mapping_cases_nonlinear.h"
#include "tests/support/mapping_cases_rigid.h"
#include "tests/support/scene_memory.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { N_LISTS = 3 };
static const MappingCase *const lists[N_LISTS] = {linear_mapping_cases, rigid_mapping_cases,
                                                  nonlinear_mapping_cases};
static const size_t sizes[N_LISTS] = {COUNT(linear_mapping_cases), COUNT(rigid_mapping_cases),
                                      COUNT(nonlinear_mapping_cases)};
enum {
  N = COUNT(linear_mapping_cases) + COUNT(rigid_mapping_cases) + COUNT(nonlinear_mapping_cases)
};

static void one_case(void **state) {
  conform_mapping(*state);
}

static void cases_survive_lack_of_memory(void **state) {
  (void)state;
  for (size_t l = 0; l < N_LISTS; l++)
    for (size_t k = 0; k < sizes[l]; k++) scene_without_memory(lists[l][k].scene);
}

static void every_class_has_a_case(void **state) {
  (void)state;
  conform_mappings_complete(lists, sizes, N_LISTS);
}

static struct CMUnitTest test_of(const MappingCase *c, char *name, size_t size) {
  snprintf(name, size, "%s, %s", c->klass, c->what);
  return (struct CMUnitTest){name, one_case, NULL, NULL, (void *)(uintptr_t)c};
}

int main(void) {
  struct CMUnitTest tests[N + 2] = {cmocka_unit_test(every_class_has_a_case),
                                    cmocka_unit_test(cases_survive_lack_of_memory)};
  static char names[N][200];
  size_t at = 0;
  for (size_t l = 0; l < N_LISTS; l++)
    for (size_t k = 0; k < sizes[l]; k++, at++)
      tests[at + 2] = test_of(&lists[l][k], names[at], sizeof *names);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
