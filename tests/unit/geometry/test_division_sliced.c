/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Meshes that no process has whole: records between processes, values of others, the division,
 * which is that of the whole mesh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "object/process_mail.h"
#include "tests/support/whole_division.c"
#include "tests/unit/base/failing_allocator.h"
#include "tests/unit/geometry/sliced_mesh.h"
#include "tests/unit/simulation/processes.h"
#include "topology/division.h"

#define CHECK(condition)                                                                           \
  if (!(condition)) return fprintf(stderr, "%s:%d\n", __FILE__, __LINE__), SOFA_ERR_ARGUMENT

static SofaErr in_context(ThreadProcess *process, SofaErr (*run)(SofaContext *ctx)) {
  SofaContext *ctx = NULL;
  SOFA_TRY(sofa_context_create_bare(NULL, &ctx));
  SofaErr err = thread_join(process, ctx);
  if (err == SOFA_OK) err = run(ctx);
  sofa_context_destroy(&ctx);
  return err;
}

/* ---- records ---- */

typedef struct Letter {
  int from, to, i;
} Letter;

/* 11 + r letters of process r: in the order of the ranks, or mixed; none to some. */
static SofaErr write_letters(SofaContext *ctx, bool sorted, Letter *letters, uint32_t *rank) {
  const int n = sofa_process_count(ctx), r = sofa_process_rank(ctx), count = 11 + r;
  for (int i = 0; i < count; i++) {
    const int to = sorted ? i * n / count : (i * 5 + r) % n;
    rank[i] = (uint32_t)(to == 1 && n > 3 ? 0 : to);
    if (sorted && i && rank[i] < rank[i - 1]) rank[i] = rank[i - 1];
    letters[i] = (Letter){r, (int)rank[i], i};
  }
  return SOFA_OK;
}

static SofaErr pass_letters(SofaContext *ctx, bool sorted) {
  const int n = sofa_process_count(ctx), r = sofa_process_rank(ctx);
  Letter letters[11 + MOST_PROCESSES];
  uint32_t rank[11 + MOST_PROCESSES];
  int answers[64 * MOST_PROCESSES], back[11 + MOST_PROCESSES];
  SofaMail mail;
  SOFA_TRY(write_letters(ctx, sorted, letters, rank));
  SOFA_TRY(sofa_process_mail(ctx, sizeof *letters, (size_t)(11 + r), rank, letters, &mail));
  const Letter *got = mail.records;
  CHECK(mail.from[n] == mail.n && mail.n < SOFA_COUNT(answers));
  for (int s = 0; s < n; s++)
    for (size_t i = mail.from[s]; i < mail.from[s + 1]; i++) {
      CHECK(got[i].from == s && got[i].to == r);
      CHECK(i == mail.from[s] || got[i].i > got[i - 1].i);
      answers[i] = 100 * s + got[i].i;
    }
  SOFA_TRY(sofa_process_answer(ctx, &mail, sizeof *answers, answers, back));
  for (int i = 0; i < 11 + r; i++) CHECK(back[i] == 100 * r + i);
  sofa_mail_free(ctx, &mail);
  return SOFA_OK;
}

static SofaErr run_letters(SofaContext *ctx) {
  SofaMail none;
  SOFA_TRY(pass_letters(ctx, true));
  SOFA_TRY(pass_letters(ctx, false));
  SOFA_TRY(sofa_process_mail(ctx, 4, 0, NULL, NULL, &none));
  CHECK(none.n == 0);
  SOFA_TRY(sofa_process_answer(ctx, &none, 4, NULL, NULL));
  sofa_mail_free(ctx, &none);
  return SOFA_OK;
}

static SofaErr letters_process(ThreadProcess *process, void *user) {
  (void)user;
  return in_context(process, run_letters);
}

static void letters(void **state) {
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++)
    assert_int_equal(threads_run(n, letters_process, NULL), SOFA_OK);
}

static void runs(void **state) {
  (void)state;
  for (size_t n = 1; n < 40; n++)
    for (int p = 1; p <= 9; p++)
      for (size_t i = 0; i < n; i++) {
        const int r = (int)sofa_slice_rank(n, i, p);
        assert_true(r < p && sofa_slice_begin(n, r, p) <= i && i < sofa_slice_begin(n, r + 1, p));
      }
}

/* ---- values ---- */

static SofaErr run_values(SofaContext *ctx) {
  enum { WHOLE = 23, ASKED = 40 };
  const int n = sofa_process_count(ctx), r = sofa_process_rank(ctx);
  const size_t first = sofa_slice_begin(WHOLE, r, n);
  double own[WHOLE], got[ASKED];
  uint32_t numbers[ASKED];
  const SofaSliceRun run = {WHOLE, sizeof *own, own};
  SofaSliceValues values;
  for (size_t i = first; i < sofa_slice_begin(WHOLE, r + 1, n); i++)
    own[i - first] = 3.5 * (double)i;
  for (uint32_t i = 0; i < ASKED; i++) numbers[i] = (i * i + (uint32_t)r) % WHOLE;
  SOFA_TRY(sofa_slice_fetch(ctx, &run, ASKED, numbers, got));
  for (int i = 0; i < ASKED; i++) CHECK(got[i] == 3.5 * numbers[i]);
  SOFA_TRY(sofa_slice_values(ctx, &run, ASKED, numbers, &values));
  for (int i = 0; i < ASKED; i++)
    CHECK(*(const double *)sofa_slice_value(&values, numbers[i]) == 3.5 * numbers[i]);
  sofa_slice_values_free(ctx, &values);
  return SOFA_OK;
}

static SofaErr values_process(ThreadProcess *process, void *user) {
  (void)user;
  return in_context(process, run_values);
}

static void values(void **state) {
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++)
    assert_int_equal(threads_run(n, values_process, NULL), SOFA_OK);
}

/* ---- the division ---- */

/* Parts of the volume elements of the slice: those of the whole mesh. */
static SofaErr find_parts(SofaContext *ctx, const SofaMesh *mesh, const SofaMeshSlice *slice,
                          uint32_t *part) {
  SofaMeshSlice all = {.mesh = *mesh, .n_whole[SOFA_ELEMENT_POINT] = mesh->position.n};
  SofaVec3s centres = {0};
  SofaProcesses *processes = ctx->processes;
  ctx->processes = NULL; /* centres of all of it */
  SofaErr err = sofa_mesh_slice_centres(ctx, &all, &centres);
  ctx->processes = processes;
  uint32_t *whole = sofa_alloc(ctx, centres.n, sizeof *whole);
  if (err == SOFA_OK)
    err = whole_bisect(ctx, centres.n, centres.data->v, (uint32_t)sofa_process_count(ctx), whole);
  size_t before = 0, at = 0;
  for (int v = 0; v < SOFA_N_VOLUME_KINDS; v++) {
    const SofaElementKind kind = sofa_volume_kinds[v];
    const size_t n = sofa_mesh_elements(&slice->mesh, kind).n;
    sofa_copy(part + at, whole + before + slice->first[kind], n * sizeof *part);
    at += n;
    before += sofa_mesh_elements(mesh, kind).n;
  }
  sofa_free(ctx, whole);
  sofa_list_free(ctx, &centres);
  return err;
}

static bool same_list(const SofaIndices *a, const SofaIndices *b) {
  return a->n == b->n && sofa_compare(a->data, b->data, a->n * sizeof *a->data) == 0;
}

static SofaErr check_same(const SofaDivision *a, const SofaDivision *b) {
  CHECK(a->n_whole == b->n_whole && a->n == b->n && a->n_owned == b->n_owned);
  CHECK(same_list(&a->number, &b->number) && same_list(&a->owner, &b->owner));
  CHECK(same_list(&a->neighbours, &b->neighbours) && same_list(&a->start, &b->start));
  CHECK(same_list(&a->shared, &b->shared) && same_list(&a->border, &b->border));
  for (int k = 0; k < SOFA_N_ELEMENT_KINDS; k++) {
    CHECK(same_list(&a->elements[k], &b->elements[k]));
    CHECK(a->n_whole_elements[k] == b->n_whole_elements[k]);
  }
  return SOFA_OK;
}

static SofaErr divide(SofaContext *ctx, bool mixed) {
  const SofaPlace place = {sofa_process_rank(ctx), sofa_process_count(ctx)};
  SofaMesh mesh = {0}, local = {0};
  SofaMeshSlice slice = {0};
  SofaDivision whole = {0}, sliced = {0};
  SofaVec3s centres = {0};
  SOFA_TRY(sliced_make(ctx, mixed, &mesh));
  SOFA_TRY(sliced_cut(ctx, &mesh, &slice));
  uint32_t *part = sofa_alloc(ctx, sofa_mesh_slice_n_volumes(&slice), sizeof *part);
  SOFA_TRY(find_parts(ctx, &mesh, &slice, part));
  SOFA_TRY(sofa_mesh_slice_centres(ctx, &slice, &centres));
  CHECK(centres.n == sofa_mesh_slice_n_volumes(&slice));
  SOFA_TRY(whole_division_make(ctx, &mesh, &place, &whole));
  SOFA_TRY(whole_division_cut(ctx, &whole, &mesh));
  SOFA_TRY(sofa_division_make_sliced(ctx, &slice, part, &sliced, &local));
  SOFA_TRY(check_same(&whole, &sliced));
  CHECK(sliced_equal(&mesh, &local));
  CHECK(place.n == 1 || whole.neighbours.n > 0);
  sofa_division_free(ctx, &whole);
  sofa_division_free(ctx, &sliced);
  sofa_mesh_free(ctx, &mesh);
  sofa_mesh_free(ctx, &local);
  sofa_list_free(ctx, &centres);
  sofa_free(ctx, part);
  return SOFA_OK;
}

static SofaErr run_division(SofaContext *ctx) {
  SOFA_TRY(divide(ctx, false));
  return divide(ctx, true);
}

static SofaErr division_process(ThreadProcess *process, void *user) {
  (void)user;
  return in_context(process, run_division);
}

static void division(void **state) {
  (void)state;
  for (int n = 1; n <= MOST_PROCESSES; n++)
    assert_int_equal(threads_run(n, division_process, NULL), SOFA_OK);
}

/* Elements of second order, some with corners of a tetrahedron, others of any points. */
enum { N_SECOND = 20 };

static uint32_t second_order_point(uint32_t element, uint32_t node) {
  return (element * 10 + node * 7) % SLICED_POINTS;
}

static SofaErr add_second_order(SofaContext *ctx, SofaMeshSlice *slice) {
  const SofaTetras *tetras = &slice->mesh.tetrahedra;
  for (uint32_t e = 0; e < N_SECOND; e++)
    for (uint32_t k = 0; k < 10; k++) {
      uint32_t v = second_order_point(e, k);
      if (e % 2 && k < 4) v = tetras->data[e].v[k];
      SOFA_TRY(SOFA_APPEND(ctx, &slice->quadratic[SOFA_TETRAHEDRA10], &v));
      if (k < 3) SOFA_TRY(SOFA_APPEND(ctx, &slice->quadratic[SOFA_EDGES3], &v));
    }
  return SOFA_OK;
}

/* On one process all are there, in their order. */
static void check_second_order(const SofaDivision *d, const SofaMeshSlice *slice) {
  const SofaIndices *list = &slice->quadratic[SOFA_TETRAHEDRA10];
  assert_int_equal(list->n, 10 * N_SECOND);
  assert_int_equal(slice->quadratic[SOFA_EDGES3].n, 3 * N_SECOND);
  for (uint32_t i = 0; i < list->n; i++)
    if (i / 10 % 2 == 0 || i % 10 >= 4)
      assert_int_equal(d->number.data[list->data[i]], second_order_point(i / 10, i % 10));
}

static void lack_of_memory(void **state) {
  (void)state;
  bool done = false;
  for (uint64_t n = 1; !done; n++) {
    FailingAllocator allocator = {0};
    const SofaContextOptions options = {
        .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
    SofaContext *ctx = NULL;
    SofaDivision d = {0};
    SofaMesh mesh = {0}, local = {0};
    SofaMeshSlice slice = {0};
    assert_int_equal(sofa_context_create_bare(&options, &ctx), SOFA_OK);
    assert_int_equal(sliced_make(ctx, true, &mesh), SOFA_OK);
    assert_int_equal(sliced_cut(ctx, &mesh, &slice), SOFA_OK);
    assert_int_equal(add_second_order(ctx, &slice), SOFA_OK);
    uint32_t *part = sofa_alloc(ctx, sofa_mesh_slice_n_volumes(&slice), sizeof *part);
    allocator.fail_at = allocator.calls + n;
    const SofaErr err = sofa_division_make_sliced(ctx, &slice, part, &d, &local);
    done = allocator.calls < allocator.fail_at;
    assert_int_equal(err, done ? SOFA_OK : SOFA_ERR_MEMORY);
    if (done) check_second_order(&d, &slice);
    sofa_mesh_slice_free(ctx, &slice);
    sofa_division_free(ctx, &d);
    sofa_mesh_free(ctx, &mesh);
    sofa_mesh_free(ctx, &local);
    sofa_free(ctx, part);
    sofa_context_destroy(&ctx);
    assert_int_equal(allocator.live, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(letters),  cmocka_unit_test(runs),           cmocka_unit_test(values),
      cmocka_unit_test(division), cmocka_unit_test(lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
