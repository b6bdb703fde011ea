/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of nodes in Gmsh files that several processes read: consecutive ones are counted,
 * others are looked up; the nodes are the same. */
#include "tests/unit/scene/scene_test.h"
#include "tests/unit/simulation/processes.h"

#include "numerics/io/gmsh_tags_impl.h"

enum { N = 12 };

typedef struct Case {
  const char *name;
  int64_t numbers[N];
  bool consecutive;
} Case;

static const Case cases[] = {
    {"from 1", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, true},
    {"from 0", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, true},
    {"from below 0", {-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6}, true},
    {"large",
     {5000000001, 5000000002, 5000000003, 5000000004, 5000000005, 5000000006, 5000000007,
      5000000008, 5000000009, 5000000010, 5000000011, 5000000012},
     true},
    {"the last ones swapped", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 11}, false},
    {"two swapped", {1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12}, false},
    {"backwards", {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, false},
    {"with a gap", {1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13}, false},
    {"apart", {4294967297, 1, 8589934593, 2, 3, 1000, -7, 0, 77, 4294967298, 5, 9}, false},
};

typedef struct Shared {
  const Case *c;
  int64_t absent; /* asked for, unless 0 */
  char messages[2000];
} Shared;

static SofaErr ask(const SofaGmshTags *tags, int rank, const Shared *shared) {
  int64_t numbers[2 * N];
  uint32_t out[2 * N];
  size_t n = 0;
  for (int i = 2 * N - 1; i >= 0; i--) numbers[n++] = shared->c->numbers[i % N];
  // the last process asks for nothing
  if (rank == MOST_PROCESSES - 1) n = 0;
  const SofaGmshNumbers all = {numbers, n, n};
  SOFA_TRY(sofa_gmsh_tags_find(tags, SOFA_ELEMENT_TETRA, &all, out));
  for (size_t i = 0; i < n; i++)
    if (out[i] != (2 * N - 1 - i) % N) return SOFA_ERR_RANGE;
  return SOFA_OK;
}

static SofaErr ask_for(const SofaGmshTags *tags, int64_t number) {
  int64_t numbers[2] = {number, number};
  uint32_t out[2];
  return sofa_gmsh_tags_find(tags, SOFA_ELEMENT_TETRA, &(SofaGmshNumbers){numbers, 2, 2}, out);
}

static SofaErr number_nodes(SofaContext *ctx, const ThreadProcess *process, Shared *shared) {
  const size_t size = (size_t)process->all->n, rank = (size_t)process->rank;
  const size_t begin = N * rank / size, end = N * (rank + 1) / size;
  SofaPartFile file = {.ctx = ctx, .origin = {.file = "nodes.msh"}};
  SofaGmshTags tags = {.file = &file, .first = shared->c->numbers[0], .n_nodes = N};
  int64_t own[N];
  memcpy(own, shared->c->numbers + begin, (end - begin) * sizeof *own);
  SofaErr err = sofa_gmsh_tags_make(&tags, begin, &(SofaGmshNumbers){own, end - begin, N});
  if (err == SOFA_OK &&
      (tags.consecutive != shared->c->consecutive || (tags.consecutive && tags.known.n)))
    err = SOFA_ERR_ARGUMENT;
  if (err == SOFA_OK) err = ask(&tags, process->rank, shared);
  if (err == SOFA_OK && shared->absent) err = ask_for(&tags, shared->absent);
  sofa_gmsh_tags_free(ctx, &tags);
  return err;
}

static SofaErr run_process(ThreadProcess *process, void *user) {
  Shared *shared = user;
  Bench *b = calloc(1, sizeof *b);
  bench_open(b, false);
  SofaErr err = process->all->n > 1 ? thread_join(process, b->ctx) : SOFA_OK;
  if (err == SOFA_OK) err = number_nodes(b->ctx, process, shared);
  if (process->rank == 0)
    snprintf(shared->messages, sizeof shared->messages, "%.1900s", b->messages);
  bench_close(b);
  free(b);
  return err;
}

static void nodes_are_found(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    for (int n = 1; n <= MOST_PROCESSES; n++) {
      Shared shared = {.c = &cases[i]};
      const SofaErr err = threads_run(n, run_process, &shared);
      if (err != SOFA_OK)
        fail_msg("%s, %d processes: %s %s", cases[i].name, n, sofa_err_text(err), shared.messages);
    }
}

static void absent_nodes_are_errors(void **state) {
  static const int64_t absent[][2] = {{0, -1}, {0, 13}, {1, 12}, {2, -6}, {2, 7},  {3, 5000000000},
                                      {3, 1},  {4, 13}, {6, -1}, {7, 7},  {8, -8}, {8, 4294967299}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(absent); i++)
    for (int n = 1; n <= 3; n++) {
      char expected[100];
      Shared shared = {.c = &cases[absent[i][0]], .absent = absent[i][1]};
      assert_int_equal(threads_run(n, run_process, &shared), SOFA_ERR_RANGE);
      snprintf(expected, sizeof expected,
               "nodes.msh:0: error: tetrahedron names node %lld, which the file does not have\n",
               (long long)absent[i][1]);
      assert_string_equal(shared.messages, expected);
    }
}

static void numbers_that_are_given_twice(void **state) {
  static const Case twice[] = {{"", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11}, false},
                               {"", {1, 2, 3, 4, 5, 11, 7, 8, 9, 10, 11, 12}, false},
                               {"", {11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, false}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(twice); i++) {
    Shared shared = {.c = &twice[i]};
    assert_int_equal(threads_run(1, run_process, &shared), SOFA_ERR_PARSE);
    assert_string_equal(shared.messages, "nodes.msh:0: error: node 11 is given twice\n");
    for (int n = 2; n <= 4; n++)
      assert_int_not_equal(threads_run(n, run_process, &shared), SOFA_OK);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_are_found),
                                     cmocka_unit_test(absent_nodes_are_errors),
                                     cmocka_unit_test(numbers_that_are_given_twice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
