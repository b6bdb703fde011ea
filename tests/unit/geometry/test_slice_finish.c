/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is derived from a mesh in slices is what is derived from the whole: the same elements with
 * the same numbers, the same bits of normals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "tests/unit/base/failing_allocator.h"
#include "tests/unit/geometry/sliced_mesh.h"
#include "tests/unit/simulation/processes.h"
#include "topology/mesh_finish.h"
#include "topology/slice_finish.h"

#define CHECK(condition)                                                                           \
  if (!(condition)) return fprintf(stderr, "%s:%d\n", __FILE__, __LINE__), SOFA_ERR_ARGUMENT

typedef struct Way {
  bool mixed, triangulate, flip, subelements;
} Way;

static SofaErr check_slice(SofaContext *ctx, const SofaMesh *whole, const SofaMeshSlice *slice) {
  SofaMeshSlice expected = {0};
  SOFA_TRY(sliced_cut(ctx, whole, &expected));
  CHECK(sofa_compare(expected.n_whole, slice->n_whole, sizeof slice->n_whole) == 0);
  CHECK(sofa_compare(expected.first, slice->first, sizeof slice->first) == 0);
  CHECK(sliced_equal(&expected.mesh, &slice->mesh));
  sofa_mesh_slice_free(ctx, &expected);
  return SOFA_OK;
}

static SofaErr check_normals(SofaContext *ctx, const SofaMesh *mesh, const SofaMeshSlice *slice) {
  SofaVec3s whole = {0}, mine = {0};
  SOFA_TRY(sofa_mesh_normals(ctx, mesh, &whole));
  SOFA_TRY(sofa_mesh_slice_normals(ctx, slice, &mine));
  CHECK(mine.n == slice->mesh.position.n);
  CHECK(sofa_compare(mine.data, whole.data + slice->first[SOFA_ELEMENT_POINT],
                     mine.n * sizeof *mine.data) == 0);
  sofa_list_free(ctx, &whole);
  sofa_list_free(ctx, &mine);
  return SOFA_OK;
}

static SofaErr finish(SofaContext *ctx, const Way *way) {
  SofaMesh mesh = {0};
  SofaMeshSlice slice = {0};
  SOFA_TRY(sliced_make(ctx, way->mixed, &mesh));
  SOFA_TRY(sliced_cut(ctx, &mesh, &slice));
  const size_t n_edges = mesh.edges.n;
  if (way->triangulate) {
    SOFA_TRY(sofa_mesh_triangulate(ctx, &mesh, way->flip));
    SOFA_TRY(sofa_mesh_slice_triangulate(ctx, &slice, way->flip));
    SOFA_TRY(check_slice(ctx, &mesh, &slice));
  }
  if (way->subelements) {
    SOFA_TRY(sofa_mesh_add_subelements(ctx, &mesh));
    SOFA_TRY(sofa_mesh_slice_add_subelements(ctx, &slice));
    CHECK(mesh.edges.n > n_edges);
    SOFA_TRY(check_slice(ctx, &mesh, &slice));
  }
  SOFA_TRY(check_normals(ctx, &mesh, &slice));
  sofa_mesh_free(ctx, &mesh);
  sofa_mesh_slice_free(ctx, &slice);
  return SOFA_OK;
}

static SofaErr finish_all(ThreadProcess *process, void *user) {
  static const Way ways[] = {{.subelements = true},
                             {.mixed = true, .subelements = true},
                             {.triangulate = true},
                             {.mixed = true, .triangulate = true, .flip = true},
                             {.mixed = true, .triangulate = true, .subelements = true}};
  SofaContext *ctx = NULL;
  (void)user;
  SOFA_TRY(sofa_context_create_bare(NULL, &ctx));
  SofaErr err = thread_join(process, ctx);
  for (size_t i = 0; i < SOFA_COUNT(ways) && err == SOFA_OK; i++) err = finish(ctx, &ways[i]);
  sofa_context_destroy(&ctx);
  return err;
}

static void same_lists(void **state) {
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++)
    assert_int_equal(threads_run(n, finish_all, NULL), SOFA_OK);
}

static SofaErr derive(SofaContext *ctx, SofaMeshSlice *slice, SofaVec3s *normals) {
  SOFA_TRY(sofa_mesh_slice_triangulate(ctx, slice, true));
  SOFA_TRY(sofa_mesh_slice_add_subelements(ctx, slice));
  return sofa_mesh_slice_normals(ctx, slice, normals);
}

static void lack_of_memory(void **state) {
  (void)state;
  bool done = false;
  for (uint64_t n = 1; !done; n++) {
    FailingAllocator allocator = {0};
    const SofaContextOptions options = {
        .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
    SofaContext *ctx = NULL;
    SofaMesh mesh = {0};
    SofaMeshSlice slice = {0};
    SofaVec3s normals = {0};
    assert_int_equal(sofa_context_create_bare(&options, &ctx), SOFA_OK);
    assert_int_equal(sliced_make(ctx, true, &mesh), SOFA_OK);
    assert_int_equal(sliced_cut(ctx, &mesh, &slice), SOFA_OK);
    allocator.fail_at = allocator.calls + n;
    const SofaErr err = derive(ctx, &slice, &normals);
    done = allocator.calls < allocator.fail_at;
    assert_int_equal(err, done ? SOFA_OK : SOFA_ERR_MEMORY);
    sofa_mesh_free(ctx, &mesh);
    sofa_mesh_slice_free(ctx, &slice);
    sofa_list_free(ctx, &normals);
    sofa_context_destroy(&ctx);
    assert_int_equal(allocator.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_lists),
                                     cmocka_unit_test(lack_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
