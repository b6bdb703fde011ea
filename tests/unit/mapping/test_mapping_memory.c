/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The scenes of the conformance suite of mappings when requests for memory fail. */
#include "tests/support/mapping_cases.h"
#include "tests/support/scene_memory.h"

static void cases_survive_lack_of_memory(void **state) {
  (void)state;
  for (size_t l = 0; l < N_LISTS; l++)
    for (size_t k = 0; k < mapping_list_sizes[l]; k++)
      scene_without_memory(mapping_lists[l][k].scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cases_survive_lack_of_memory)};
  return cmocka_run_group_tests_name("mapping_memory", tests, NULL, NULL);
}
