/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/detection/exact_tests.h"

#include "base/bytes.h"
#include "base/team.h"

enum {
  PIECE = 128,        /* pairs */
  THREADS_FROM = 1024 /* pairs from which on threads are worth while */
};

void exact_tests_free(SofaContext *ctx, ExactTests *t) {
  for (size_t i = 0; i < t->found.n; i++) sofa_list_free(ctx, &t->found.data[i]);
  sofa_list_free(ctx, &t->found);
  sofa_list_free(ctx, &t->pairs);
  sofa_list_free(ctx, &t->tests);
  sofa_list_free(ctx, &t->pieces);
}

void exact_tests_begin(ExactTests *t) {
  t->pairs.n = t->tests.n = 0;
}

/* Pairs [begin, end) of a test. */
static SofaErr find(const ExactTests *t, const SofaIntersection *method, const ExactTest *test,
                    size_t begin, size_t end, SofaDetections *out) {
  return test->rule->find(method, test->first, test->second, t->pairs.data + begin, end - begin,
                          out);
}

SofaErr exact_tests_add(SofaContext *ctx, ExactTests *t, const PairFilter *filter, size_t begin,
                        SofaDetections *out) {
  const ExactTest test = {filter->rule, filter->first->model, filter->second->model, out, begin,
                          t->pairs.n};
  if (begin == t->pairs.n) return SOFA_OK;
  if (ctx->threads > 1) return SOFA_APPEND(ctx, &t->tests, &test);
  t->pairs.n = begin;
  return find(t, filter->method, &test, begin, test.end, out);
}

/* ---- threads ---- */

static SofaErr make_pieces(SofaContext *ctx, ExactTests *t) {
  size_t n = 0;
  for (size_t i = 0; i < t->tests.n; i++)
    n += (t->tests.data[i].end - t->tests.data[i].begin + PIECE - 1) / PIECE;
  if (n > t->pieces.capacity) SOFA_TRY(SOFA_RESERVE(ctx, &t->pieces, 2 * n));
  t->pieces.n = 0;
  for (size_t i = 0; i < t->tests.n; i++) {
    const ExactTest *test = &t->tests.data[i];
    for (size_t begin = test->begin; begin < test->end; begin += PIECE) {
      const size_t end = begin + PIECE < test->end ? begin + PIECE : test->end;
      t->pieces.data[t->pieces.n++] = (ExactPiece){.test = i, .begin = begin, .end = end};
    }
  }
  return SOFA_OK;
}

/* Pieces [first, last), in one thread. */
static SofaErr test_pieces(ExactTests *t, const SofaIntersection *method, size_t first, size_t last,
                           SofaDetections *found) {
  found->n = 0;
  for (size_t i = first; i < last; i++) {
    ExactPiece *piece = &t->pieces.data[i];
    piece->found_begin = found->n;
    SOFA_TRY(find(t, method, &t->tests.data[piece->test], piece->begin, piece->end, found));
    piece->found_end = found->n;
  }
  return SOFA_OK;
}

/* First piece of a thread out of n. */
static size_t first_of(const ExactTests *t, size_t thread, size_t n) {
  return t->pieces.n * thread / n;
}

/* Room for the next detection: a step that finds no more than this one does not allocate when a
 * thread's share is at most four times the mean. */
static SofaErr reserve_found(SofaContext *ctx, ExactTests *t, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += t->found.data[i].n;
  const size_t most = n > 4 ? 4 * sum / n + 16 : sum + 16;
  for (size_t i = 0; i < n; i++) {
    SofaDetections *found = &t->found.data[i];
    if (found->capacity < most) SOFA_TRY(SOFA_RESERVE(ctx, found, most + most / 2));
  }
  return SOFA_OK;
}

/* Appends what the threads found to the lists of the tests, in the order of the pieces. */
static SofaErr join_found(SofaContext *ctx, ExactTests *t, size_t n) {
  size_t i = 0;
  for (size_t thread = 0; thread < n; thread++) {
    for (; i < first_of(t, thread + 1, n); i++) {
      const ExactPiece *piece = &t->pieces.data[i];
      SofaDetections *out = t->tests.data[piece->test].out;
      const size_t count = piece->found_end - piece->found_begin;
      if (out->capacity - out->n < count)
        SOFA_TRY(SOFA_RESERVE(ctx, out, out->n + out->n / 2 + count));
      if (count)
        sofa_copy(out->data + out->n, t->found.data[thread].data + piece->found_begin,
                  count * sizeof *out->data);
      out->n += count;
    }
  }
  return SOFA_OK;
}

/* With no pairs `find` brings up to date what it reads. */
static SofaErr prepare(const ExactTests *t, const SofaIntersection *method) {
  for (size_t i = 0; i < t->tests.n; i++) {
    const ExactTest *test = &t->tests.data[i];
    SOFA_TRY(find(t, method, test, test->begin, test->begin, test->out));
  }
  return SOFA_OK;
}

/* Each piece of the job has a row of pieces. */
typedef struct Rows {
  ExactTests *t;
  const SofaIntersection *method;
  size_t n;
} Rows;

static SofaErr test_row(void *user, size_t i) {
  const Rows *r = user;
  return test_pieces(r->t, r->method, first_of(r->t, i, r->n), first_of(r->t, i + 1, r->n),
                     &r->t->found.data[i]);
}

static SofaErr test_on_threads(SofaContext *ctx, ExactTests *t, const SofaIntersection *method) {
  const size_t n = (size_t)ctx->threads;
  Rows rows = {.t = t, .method = method, .n = n};
  SOFA_TRY(make_pieces(ctx, t));
  SOFA_TRY(prepare(t, method));
  if (t->found.n < n) SOFA_TRY(SOFA_RESIZE(ctx, &t->found, n));
  SOFA_TRY(sofa_team_try(ctx, n, test_row, &rows));
  SOFA_TRY(reserve_found(ctx, t, n));
  return join_found(ctx, t, n);
}

SofaErr exact_tests_end(SofaContext *ctx, ExactTests *t, const SofaIntersection *method) {
  if (t->tests.n && t->pairs.n >= THREADS_FROM) return test_on_threads(ctx, t, method);
  for (size_t i = 0; i < t->tests.n; i++) {
    const ExactTest *test = &t->tests.data[i];
    SOFA_TRY(find(t, method, test, test->begin, test->end, test->out));
  }
  return SOFA_OK;
}
