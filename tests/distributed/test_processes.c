/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What processes of MPI send each other, and the rows of a divided matrix, on any number of
 * processes: mpirun -n N test_processes. Built with messages of a few bytes at most, so that they
 * go in pieces. Every process compares with what it computes alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "components/builtins.h"
#include "petsc_calls.h"
#include "petsc_divided.h"
#include "petsc_process.h"
#include "sofa.h"

enum { N_SEGMENTS = 13, N_POINTS = N_SEGMENTS + 1, N_BYTES = 501, N_ROWS = 3 * N_POINTS + 6 };

typedef struct Test {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaPlace place;
  int n_failures;
} Test;

static void check(Test *t, bool good, const char *what) {
  if (good) return;
  t->n_failures++;
  fprintf(stderr, "process %d of %d: FAILED: %s\n", t->place.rank, t->place.n, what);
}

/* ---- messages ---- */

static unsigned char byte_of(int from, int to, size_t i) {
  return (unsigned char)(31 * from + 7 * to + (int)(i % 251));
}

static void fill(unsigned char *bytes, int from, int to, size_t n) {
  for (size_t i = 0; i < n; i++) bytes[i] = byte_of(from, to, i);
}

static bool is_filled(const unsigned char *bytes, int from, int to, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (bytes[i] != byte_of(from, to, i)) return false;
  return true;
}

static void test_collect(Test *t) {
  const size_t sizes[] = {0, 3, 64, N_BYTES};
  unsigned char mine[N_BYTES], *all = sofa_alloc(t->ctx, (size_t)t->place.n, N_BYTES);
  for (size_t s = 0; s < SOFA_COUNT(sizes); s++) {
    const size_t n = sizes[s];
    fill(mine, t->place.rank, 0, n);
    check(t, sofa_process_collect(t->ctx, n, mine, all) == SOFA_OK, "collect");
    for (int r = 0; r < t->place.n; r++)
      check(t, is_filled(all + (size_t)r * n, r, 0, n), "what was collected");
  }
  sofa_free(t->ctx, all);
}

static void test_gather(Test *t) {
  size_t n[64], total = 0;
  const int root = t->place.n - 1;
  for (int r = 0; r < t->place.n; r++) total += n[r] = (size_t)(r * 67 % N_BYTES);
  unsigned char mine[N_BYTES], *all = sofa_alloc(t->ctx, total, 1), *at = all;
  fill(mine, t->place.rank, 1, n[t->place.rank]);
  check(t,
        sofa_process_gather(t->ctx, root, n, mine, t->place.rank == root ? all : NULL) == SOFA_OK,
        "gather");
  for (int r = 0; r < t->place.n && t->place.rank == root; at += n[r], r++)
    check(t, is_filled(at, r, 1, n[r]), "what was gathered");
  sofa_free(t->ctx, all);
}

static void test_spread(Test *t) {
  unsigned char data[N_BYTES];
  for (int root = 0; root < t->place.n; root++) {
    memset(data, 0, sizeof data);
    if (t->place.rank == root) fill(data, root, 2, N_BYTES);
    check(t, sofa_process_spread(t->ctx, root, N_BYTES, data) == SOFA_OK, "spread");
    check(t, is_filled(data, root, 2, N_BYTES), "what was spread");
  }
}

static size_t exchanged(int from, int to) {
  return (size_t)(from * 3 + to * 5) * 17 % N_BYTES; /* some are 0 */
}

static void test_exchange(Test *t) {
  uint32_t neighbours[64];
  size_t n_send[64], n_receive[64], n = 0, sent = 0, received = 0;
  unsigned char *send = sofa_alloc(t->ctx, 64, N_BYTES), *receive = sofa_alloc(t->ctx, 64, N_BYTES);
  for (int r = 0; r < t->place.n; r++) {
    if (r == t->place.rank) continue;
    neighbours[n] = (uint32_t)r;
    n_send[n] = exchanged(t->place.rank, r);
    n_receive[n] = exchanged(r, t->place.rank);
    fill(send + sent, t->place.rank, r, n_send[n]);
    sent += n_send[n++];
  }
  const SofaExchange e = {n, neighbours, n_send, n_receive, send, receive};
  check(t, sofa_process_exchange(t->ctx, &e) == SOFA_OK, "exchange");
  for (size_t k = 0; k < n; received += n_receive[k++])
    check(t, is_filled(receive + received, (int)neighbours[k], t->place.rank, n_receive[k]),
          "what was exchanged");
  sofa_free(t->ctx, send);
  sofa_free(t->ctx, receive);
}

static void test_sums(Test *t) {
  double sums[2] = {0.1 * (t->place.rank + 1), 1e-17}, sum = 0, most[2] = {t->place.rank, -1};
  bool same = true;
  const int rank = t->place.rank, seven = 7;
  for (int r = 0; r < t->place.n; r++) sum += 0.1 * (r + 1);
  check(t, sofa_process_sum(t->ctx, 2, sums) == SOFA_OK && sums[0] == sum, "sum");
  check(t, sofa_process_max(t->ctx, 2, most) == SOFA_OK && most[0] == t->place.n - 1, "max");
  check(t, sofa_process_same(t->ctx, sizeof seven, &seven, &same) == SOFA_OK && same, "same");
  check(t, sofa_process_same(t->ctx, sizeof rank, &rank, &same) == SOFA_OK, "compare");
  check(t, same == (t->place.n == 1), "different");
}

/* ---- a chain of points whose segments are divided, and a frame that all have ---- */

typedef struct Chain {
  int begin, end;       /* segments of this process */
  int points[N_POINTS]; /* of the whole chain, of each local one */
  SofaBlockMatrix *matrix;
  SofaBlockRows rows;
  SofaDividedPlan plan;
  uint32_t scalar[N_POINTS + 1];
} Chain;

static int begin_of(const SofaPlace *place, int rank) {
  return N_SEGMENTS * rank / place->n;
}

/* Own points of a process: that of the end of each segment; the first also has the beginning. */
static uint32_t n_owned(const SofaPlace *place, int rank) {
  return (uint32_t)(begin_of(place, rank + 1) - begin_of(place, rank) + (rank == 0));
}

static void segment_block(int segment, double scale, double block[9]) {
  for (int e = 0; e < 9; e++) block[e] = scale * (0.1 * segment + 1.0 / (e + 3));
}

static void add_segment(SofaBlockMatrix *m, uint32_t a, uint32_t b, const double block[9]) {
  double t[9];
  for (int e = 0; e < 9; e++) t[e] = block[e % 3 * 3 + e / 3];
  sofa_block_matrix_add(m, a, a, block, 1);
  sofa_block_matrix_add(m, a, b, block, -1);
  sofa_block_matrix_add(m, b, a, t, -1);
  sofa_block_matrix_add(m, b, b, t, 1);
}

/* Own points first, by their numbers; then the copy; then the frame. */
static void list_points(const Test *t, Chain *c) {
  int n = 0;
  c->begin = begin_of(&t->place, t->place.rank);
  c->end = begin_of(&t->place, t->place.rank + 1);
  for (int p = c->begin + (t->place.rank > 0); p <= c->end && c->end > c->begin; p++)
    c->points[n++] = p;
  if (t->place.rank > 0 && c->end > c->begin) c->points[n++] = c->begin;
}

static uint32_t local_of(const Chain *c, size_t n, int point) {
  for (uint32_t i = 0; i < n; i++)
    if (c->points[i] == point) return i;
  return UINT32_MAX;
}

/* Scalars of the point before which the own ones of each process begin; the frame is behind the
 * points of the first process. */
static uint32_t scalar_of(const Test *t, int point) {
  const int first = begin_of(&t->place, 1);
  return (uint32_t)(3 * point + (point > first ? 6 : 0));
}

static void fill_matrix(const Test *t, Chain *c, double scale) {
  const size_t n = c->plan.n_blocks - 1;
  double block[9], frame[36];
  sofa_block_matrix_begin(c->matrix);
  for (int s = c->begin; s < c->end; s++) {
    segment_block(s, scale, block);
    add_segment(c->matrix, local_of(c, n, s), local_of(c, n, s + 1), block);
  }
  for (int e = 0; e < 36; e++) frame[e] = scale * (e % 7 ? 0.25 : 4);
  sofa_block_matrix_add(c->matrix, (uint32_t)n, (uint32_t)n, frame, 1);
  check((Test *)(uintptr_t)t, sofa_block_matrix_end(c->matrix) == SOFA_OK, "assembly");
  sofa_block_matrix_rows(c->matrix, &c->rows);
}

static void make_plan(Test *t, Chain *c) {
  SofaDividedPlan *p = &c->plan;
  uint32_t first = 0, scalar = 0;
  const size_t n_local = (size_t)(c->end - c->begin) + (c->end > c->begin);
  p->n_blocks = n_local + 1;
  for (int r = 0; r <= t->place.n; r++) {
    SOFA_APPEND(t->ctx, &p->first_of, &first);
    SOFA_APPEND(t->ctx, &p->first_scalar, &scalar);
    if (r == t->place.n) continue;
    first += n_owned(&t->place, r) + (r == 0);
    scalar += 3 * n_owned(&t->place, r) + (r == 0 ? 6 : 0);
  }
  p->first = p->first_of.data[t->place.rank];
  p->n_owned = n_owned(&t->place, t->place.rank) + (t->place.rank == 0);
  for (size_t i = 0; i < p->n_blocks; i++) {
    const bool frame = i == n_local;
    const uint8_t partial = !frame;
    const uint8_t owned = frame ? t->place.rank == 0 : i < n_owned(&t->place, t->place.rank);
    const uint32_t before = (uint32_t)begin_of(&t->place, 1) + 1; /* points of process 0 */
    const uint32_t point = frame ? before : (uint32_t)c->points[i];
    const uint32_t block = frame ? before : point + (point >= before);
    c->scalar[i] = frame ? 3 * before : scalar_of(t, c->points[i]);
    SOFA_APPEND(t->ctx, &p->partial, &partial);
    SOFA_APPEND(t->ctx, &p->owned, &owned);
    SOFA_APPEND(t->ctx, &p->block, &block);
  }
}

static void make_chain(Test *t, Chain *c) {
  uint8_t sizes[N_POINTS + 1];
  *c = (Chain){0};
  list_points(t, c);
  make_plan(t, c);
  for (size_t i = 0; i < c->plan.n_blocks; i++) sizes[i] = i + 1 == c->plan.n_blocks ? 6 : 3;
  check(t,
        sofa_block_matrix_create(t->ctx, c->plan.n_blocks, sizes, c->plan.n_blocks, sizes,
                                 &c->matrix) == SOFA_OK,
        "matrix");
}

static void free_chain(Test *t, Chain *c) {
  sofa_block_matrix_destroy(&c->matrix);
  sofa_list_free(t->ctx, &c->plan.first_of);
  sofa_list_free(t->ctx, &c->plan.first_scalar);
  sofa_list_free(t->ctx, &c->plan.partial);
  sofa_list_free(t->ctx, &c->plan.owned);
  sofa_list_free(t->ctx, &c->plan.block);
}

/* The whole matrix. */
static void fill_dense(const Test *t, double scale, double (*a)[N_ROWS]) {
  const uint32_t frame = 3 * ((uint32_t)begin_of(&t->place, 1) + 1);
  memset(a, 0, sizeof(double[N_ROWS][N_ROWS]));
  for (int s = 0; s < N_SEGMENTS; s++) {
    double block[9];
    const uint32_t p = scalar_of(t, s), q = scalar_of(t, s + 1);
    segment_block(s, scale, block);
    for (uint32_t r = 0; r < 3; r++)
      for (uint32_t k = 0; k < 3; k++) {
        a[p + r][p + k] += block[3 * r + k];
        a[p + r][q + k] -= block[3 * r + k];
        a[q + r][p + k] -= block[3 * k + r];
        a[q + r][q + k] += block[3 * k + r];
      }
  }
  for (uint32_t e = 0; e < 36; e++) a[frame + e / 6][frame + e % 6] = scale * (e % 7 ? 0.25 : 4);
}

static void compare(Test *t, const PetscDivided *d, Mat mat, double (*a)[N_ROWS]) {
  PetscInt begin = 0, end = 0, n_rows = 0, n_columns = 0;
  MatGetOwnershipRange(mat, &begin, &end);
  MatGetSize(mat, &n_rows, &n_columns);
  check(t, n_rows == N_ROWS && n_columns == N_ROWS, "rows of the whole matrix");
  check(t, end - begin == (PetscInt)d->start.n - 1, "own rows");
  double most = 0;
  for (PetscInt i = begin; i < end; i++)
    for (PetscInt j = 0; j < N_ROWS; j++) {
      PetscScalar value = NAN;
      MatGetValues(mat, 1, &i, 1, &j, &value);
      most = fmax(most, fabs(value - a[i][j]));
    }
  check(t, most < 1e-14, "entries");
}

static void test_vectors(Test *t, const Chain *c, const PetscDivided *d) {
  double local[N_ROWS], own[N_ROWS], back[N_ROWS] = {0};
  for (size_t i = 0; i < c->rows.n_rows; i++)
    for (uint32_t s = c->rows.row_scalar[i]; s < c->rows.row_scalar[i + 1]; s++)
      local[s] = c->scalar[i] + (s - c->rows.row_scalar[i]);
  petsc_divided_pack(d, &c->rows, local, own);
  for (size_t s = 0; s + 1 < d->start.n; s++)
    check(t, own[s] == c->plan.first_scalar.data[t->place.rank] + (double)s, "a packed entry");
  check(t, d->in_place && d->all_in_place, "own rows beside each other");
  check(t, memcmp(own, local + d->begin, (d->start.n - 1) * sizeof *own) == 0, "their place");
  petsc_divided_unpack(d, &c->rows, own, back);
  for (size_t i = 0; i < c->rows.n_rows; i++)
    for (uint32_t s = c->rows.row_scalar[i]; s < c->rows.row_scalar[i + 1]; s++)
      check(t, back[s] == (c->plan.owned.data[i] ? local[s] : 0), "an unpacked entry");
}

static void test_matrix(Test *t) {
  static double a[N_ROWS][N_ROWS];
  Chain c;
  PetscDivided d = {0};
  Mat mat = NULL;
  make_chain(t, &c);
  fill_matrix(t, &c, 1);
  const SofaObject *owner = &t->simulation->root->object;
  check(t, petsc_divided_shape(owner, &d, &c.plan, &c.rows, c.scalar) == SOFA_OK, "shape");
  check(t, petsc_divided_fill(t->ctx, &d, &c.rows) == SOFA_OK, "fill");
  check(t, petsc_divided_make(&d, &mat) == 0, "make");
  fill_dense(t, 1, a);
  compare(t, &d, mat, a);
  test_vectors(t, &c, &d);

  /* new values in the same places */
  fill_matrix(t, &c, 3);
  check(t, petsc_divided_fill(t->ctx, &d, &c.rows) == SOFA_OK, "fill again");
  MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);
  fill_dense(t, 3, a);
  compare(t, &d, mat, a);
  MatDestroy(&mat);
  petsc_divided_free(t->ctx, &d);
  free_chain(t, &c);
}

static const SofaProcessOps ops = {.join = petsc_join,
                                   .end = petsc_end,
                                   .collect = petsc_collect,
                                   .gather = petsc_gather,
                                   .spread = petsc_spread,
                                   .exchange = petsc_exchange};

int main(void) {
  Test t = {0};
  if (sofa_context_create(NULL, &t.ctx) != SOFA_OK) return 1;
  if (sofa_register_builtins(t.ctx) != SOFA_OK) return 1;
  if (petsc_join(t.ctx, &t.place) != SOFA_OK) return 1;
  check(&t, sofa_process_set(t.ctx, &t.place, &ops, NULL) == SOFA_OK, "set");
  check(&t, sofa_simulation_load_text(t.ctx, "<Node/>", &t.simulation) == SOFA_OK, "a scene");
  test_collect(&t);
  test_gather(&t);
  test_spread(&t);
  test_exchange(&t);
  test_sums(&t);
  test_matrix(&t);
  sofa_simulation_destroy(&t.simulation);
  sofa_context_destroy(&t.ctx);
  if (t.place.rank == 0 && !t.n_failures) printf("%d processes: all tests passed\n", t.place.n);
  fflush(stdout);
  petsc_end(t.n_failures != 0);
  return t.n_failures != 0;
}
