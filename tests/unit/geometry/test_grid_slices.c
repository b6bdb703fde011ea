/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grids that are made in slices have the elements and numbers of the whole grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "components/topology/grid_elements.h"
#include "tests/unit/geometry/sliced_mesh.h"
#include "tests/unit/simulation/processes.h"

#define CHECK(condition)                                                                           \
  if (!(condition)) return fprintf(stderr, "%s:%d\n", __FILE__, __LINE__), SOFA_ERR_ARGUMENT

static SofaErr compare(SofaContext *ctx, const int n[3], const SofaGridLists *lists) {
  SofaMesh whole = {0};
  SofaMeshSlice slice = {0}, expected = {0};
  SOFA_TRY(sofa_grid_elements(ctx, n, lists, &whole));
  CHECK(whole.hexahedra.n == sofa_grid_n_hexas(n, lists));
  SOFA_TRY(sofa_grid_slice(ctx, n, lists, &slice));
  SOFA_TRY(SOFA_RESIZE(ctx, &whole.position, (size_t)(n[0] * n[1] * n[2])));
  SOFA_TRY(sliced_cut(ctx, &whole, &expected));
  sofa_list_free(ctx, &expected.mesh.position);
  CHECK(sofa_compare(expected.n_whole, slice.n_whole, sizeof slice.n_whole) == 0);
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++)
    CHECK(expected.first[k] == slice.first[k] || !slice.n_whole[k]);
  CHECK(sliced_equal(&expected.mesh, &slice.mesh));
  sofa_mesh_free(ctx, &whole);
  sofa_mesh_slice_free(ctx, &slice);
  sofa_mesh_slice_free(ctx, &expected);
  return SOFA_OK;
}

static SofaErr compare_all(ThreadProcess *process, void *user) {
  static const int sizes[][3] = {{4, 3, 5}, {2, 2, 2}, {7, 1, 3}, {1, 1, 6},
                                 {1, 1, 1}, {1, 5, 4}, {9, 2, 2}};
  SofaContext *ctx = NULL;
  SofaErr err;
  (void)user;
  SOFA_TRY(sofa_context_create_bare(NULL, &ctx));
  err = thread_join(process, ctx);
  for (size_t i = 0; i < SOFA_COUNT(sizes); i++)
    for (int k = 0; k < 16 && err == SOFA_OK; k++)
      err = compare(ctx, sizes[i], &(SofaGridLists){k & 1, k & 2, k & 4, k & 8});
  sofa_context_destroy(&ctx);
  return err;
}

static void slices(void **state) {
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++)
    assert_int_equal(threads_run(n, compare_all, NULL), SOFA_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slices)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
