/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numeric kernels: right, the same bits for any thread count and alignment, and between sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "math/isa.h"
#include "random.h"
#include "tests/support/skipped.h"

#define MOST 300007
static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 1023, 1024, 1025, 16384, 16385, 99999, MOST};
static const char *const names[] = {"baseline", "avx2", "avx512"};

typedef struct Data {
  double *x, *y, *z, *w, *a, *b;
} Data;

static double *vector(Random *r) {
  // odd alignment is made by adding to the pointer
  double *x = malloc((MOST + 8) * sizeof *x);
  for (size_t i = 0; i < MOST + 8; i++) x[i] = random_real(r);
  return x;
}

static int setup(void **state) {
  Random r = {23};
  Data *d = malloc(sizeof *d);
  *d = (Data){vector(&r), vector(&r), vector(&r), vector(&r), vector(&r), vector(&r)};
  *state = d;
  return 0;
}

static int teardown(void **state) {
  Data *d = *state;
  double *all[] = {d->x, d->y, d->z, d->w, d->a, d->b};
  for (int i = 0; i < 6; i++) free(all[i]);
  free(d);
  return 0;
}

static bool same(const double *a, const double *b, size_t n) {
  return memcmp(a, b, n * sizeof *a) == 0;
}

static void selection(void **state) {
  (void)state;
  const SofaKernels *best = sofa_kernels_select(NULL);
  assert_non_null(best);
  assert_ptr_equal(sofa_kernels_select("auto"), best);
  assert_string_equal(sofa_kernels_select("baseline")->name, "baseline");
  assert_ptr_equal(sofa_kernels_select(best->name), best);
  assert_null(sofa_kernels_select("altivec"));
  assert_null(sofa_kernels_select(""));
}

/* Entry-by-entry kernels against plain loops, to the last place or a fused one. */
static void check_entries(const SofaKernels *k, const Data *d, size_t n) {
  const double f = 0.37;
  memcpy(d->a, d->y, n * sizeof(double));
  k->axpy(n, f, d->x, d->a);
  for (size_t i = 0; i < n; i++) assert_true(fabs(d->a[i] - (d->y[i] + f * d->x[i])) < 4e-16);
  memcpy(d->a, d->y, n * sizeof(double));
  k->xpay(n, d->x, f, d->a);
  for (size_t i = 0; i < n; i++) assert_true(fabs(d->a[i] - (d->x[i] + f * d->y[i])) < 4e-16);
  k->waxpy(n, d->x, f, d->y, d->b);
  assert_true(same(d->a, d->b, n));
  k->copy(n, d->x, d->a);
  assert_true(same(d->a, d->x, n));
  k->waxpy(n, d->a, f, d->y, d->a);
  assert_true(same(d->a, d->b, n));
  k->multiply(n, d->x, d->y, d->a);
  for (size_t i = 0; i < n; i++) assert_true(d->a[i] == d->x[i] * d->y[i]);
  k->scale(n, f, d->b);
  k->zero(n, d->a);
  for (size_t i = 0; i < n; i++) assert_true(d->a[i] == 0);
  double m = 0;
  for (size_t i = 0; i < n; i++) m = fmax(m, fabs(d->x[i]));
  assert_true(k->max_abs(n, d->x) == m);
}

static void check_dot(const SofaKernels *k, const Data *d, size_t n) {
  long double exact = 0;
  for (size_t i = 0; i < n; i++) exact += (long double)d->x[i] * d->y[i];
  const double one = k->dot(n, d->x, d->y);
  assert_true(fabsl((long double)one - exact) <= 1e-16L * (long double)(n + 1));
  // at another alignment
  for (size_t shift = 1; shift < 8; shift++) {
    memcpy(d->a + shift, d->x, n * sizeof(double));
    memcpy(d->b + 2 * shift % 8, d->y, n * sizeof(double));
    const double moved = k->dot(n, d->a + shift, d->b + 2 * shift % 8);
    assert_true(same(&one, &moved, 1));
  }
}

static void check_cg(const SofaKernels *k, const Data *d, size_t n) {
  const double f = -0.81;
  double *x = malloc((n + 1) * sizeof(double)), *r = malloc((n + 1) * sizeof(double));
  memcpy(d->a, d->x, n * sizeof(double));
  memcpy(d->b, d->y, n * sizeof(double));
  const SofaCgVectors vectors = {.x = d->a, .r = d->b, .p = d->z, .q = d->w};
  const double rr = k->cg_update(n, f, &vectors);
  // the same bits as the three kernels it stands for
  const double separate = k->dot(n, d->b, d->b);
  assert_true(same(&separate, &rr, 1));
  memcpy(x, d->x, n * sizeof(double));
  k->axpy(n, f, d->z, x);
  assert_true(same(d->a, x, n));
  memcpy(r, d->y, n * sizeof(double));
  k->axpy(n, -f, d->w, r);
  assert_true(same(d->b, r, n));
  free(x);
  free(r);
}

/* Rows of three runs, of which one is empty, at places 2, 0 and 1. */
typedef struct RunCase {
  SofaRowRun run[3];
  SofaRunRows rows;
} RunCase;

static void open_runs(RunCase *c, const Data *d, size_t n, int n_rows) {
  const uint32_t first = (uint32_t)(n / 3), second = (uint32_t)(n - n / 3);
  c->run[0] = (SofaRowRun){1, first, 2};
  c->run[1] = (SofaRowRun){first + 2, 0, 0};
  c->run[2] = (SofaRowRun){first + 3, second, 2 + 3 * first};
  c->rows = (SofaRunRows){c->run, 3, n_rows, {2, 0, 1}, d->x};
}

static long double product_of_rows(const RunCase *c, int r, int s) {
  long double exact = 0;
  for (int i = 0; i < 3; i++) {
    const double *a = sofa_run_values(c->rows.value, &c->run[i], c->rows.place[r]);
    const double *b = sofa_run_values(c->rows.value, &c->run[i], c->rows.place[s]);
    for (uint32_t e = 0; e < c->run[i].n; e++) exact += (long double)a[e] * b[e];
  }
  return exact;
}

static void check_gram(const SofaKernels *k, const RunCase *c, size_t n) {
  const int n_rows = c->rows.n;
  double gram[9];
  k->gram_rows(&c->rows, gram);
  for (int r = 0; r < n_rows; r++)
    for (int s = 0; s < n_rows; s++) {
      const long double exact = product_of_rows(c, r, s);
      assert_true(fabsl((long double)gram[r * n_rows + s] - exact) <=
                  1e-15L * (long double)(n + 1));
      assert_true(same(&gram[r * n_rows + s], &gram[s * n_rows + r], 1));
    }
}

static void check_rows(const SofaKernels *k, const Data *d, size_t n, int n_rows) {
  static const double a[] = {0.7, -1.3, 2.1};
  RunCase c;
  double out[3];
  open_runs(&c, d, n, n_rows);
  memcpy(d->a, d->y, (n + 4) * sizeof(double));
  memcpy(d->b, d->y, (n + 4) * sizeof(double));
  k->dot_rows(&c.rows, d->y, out);
  k->axpy_rows(&c.rows, a, d->a);
  for (int r = 0; r < n_rows; r++) {
    long double exact = 0;
    for (int i = 0; i < 3; i++) {
      const double *value = sofa_run_values(c.rows.value, &c.run[i], c.rows.place[r]);
      for (uint32_t e = 0; e < c.run[i].n; e++, value++) {
        exact += (long double)*value * d->y[c.run[i].column + e];
        d->b[c.run[i].column + e] += a[r] * *value;
      }
    }
    assert_true(fabsl((long double)out[r] - exact) <= 1e-15L * (long double)(n + 1));
  }
  check_gram(k, &c, n);
  for (size_t i = 0; i < n + 4; i++) assert_true(fabs(d->a[i] - d->b[i]) <= 1e-14);
}

static void rows_of_runs(void **state) {
  const Data *d = *state;
  static const size_t lengths[] = {0, 1, 3, 8, 25, 100, 999};
  for (size_t s = 0; s < sizeof names / sizeof *names; s++) {
    const SofaKernels *k = sofa_kernels_select(names[s]);
    for (size_t i = 0; k && i < sizeof lengths / sizeof *lengths; i++)
      for (int n = 1; n <= 3; n++) check_rows(k, d, lengths[i], n);
  }
}

static void vectors(void **state) {
  const Data *d = *state;
  for (size_t s = 0; s < sizeof names / sizeof *names; s++) {
    const SofaKernels *k = sofa_kernels_select(names[s]);
    if (!k) {
      NOTE_SKIPPED("this processor has no %s\n", names[s]);
      continue;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      check_entries(k, d, sizes[i]);
      check_dot(k, d, sizes[i]);
      check_cg(k, d, sizes[i]);
    }
    // NaN is not lost
    const double nan[5] = {1, 2, NAN, 3, -INFINITY};
    assert_true(isnan(k->max_abs(5, nan)));
    assert_true(k->max_abs(2, nan + 3) == INFINITY);
  }
}

/* Every kind of set against baseline; the two that fuse must agree to the last bit. */
static void sets_agree(void **state) {
  const Data *d = *state;
  const SofaKernels *base = sofa_kernels_select("baseline");
  const SofaKernels *a = sofa_kernels_select("avx2"), *b = sofa_kernels_select("avx512");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t n = sizes[i];
    const double reference = base->dot(n, d->x, d->y);
    const double va = a ? a->dot(n, d->x, d->y) : reference;
    assert_true(fabs(va - reference) <= 1e-15 * (double)(n + 1));
    if (!a || !b) continue;
    for (int rows = 1; rows <= 3 && n < 2000; rows++) {
      RunCase c;
      double of_a[3], of_b[3];
      open_runs(&c, d, n, rows);
      a->dot_rows(&c.rows, d->y, of_a);
      b->dot_rows(&c.rows, d->y, of_b);
      assert_true(same(of_a, of_b, (size_t)rows));
      double gram_a[9], gram_b[9];
      a->gram_rows(&c.rows, gram_a);
      b->gram_rows(&c.rows, gram_b);
      assert_true(same(gram_a, gram_b, (size_t)(rows * rows)));
    }
    const double vb = b->dot(n, d->x, d->y);
    assert_true(same(&va, &vb, 1));
  }
}

/* ---- block rows ---- */

typedef struct Matrix {
  SofaBlockCsr3 csr;
  uint32_t *row_ptr, *col;
  double *values;
} Matrix;

/* n rows with 0 to 40 blocks each, columns in any order. The arrays have exactly the size needed,
 * so that sanitizers see a read behind them. */
static Matrix random_matrix(Random *r, size_t n) {
  Matrix m = {.row_ptr = malloc((n + 1) * sizeof(uint32_t))};
  m.row_ptr[0] = 0;
  for (size_t i = 0; i < n; i++) {
    m.row_ptr[i + 1] = m.row_ptr[i] + (uint32_t)(fabs(random_real(r)) * 40);
  }
  const size_t blocks = m.row_ptr[n];
  m.col = malloc((blocks + !blocks) * sizeof(uint32_t));
  m.values = malloc((9 * blocks + !blocks) * sizeof(double));
  for (size_t k = 0; k < blocks; k++) {
    m.col[k] = (uint32_t)(fabs(random_real(r)) * (double)n) % (uint32_t)n;
    random_reals(r, 9, m.values + 9 * k);
  }
  m.csr = (SofaBlockCsr3){n, m.row_ptr, m.col, m.values};
  return m;
}

static void reference_product(const Matrix *m, size_t n, const double *x, double *y) {
  for (size_t i = 0; i < n; i++) {
    for (size_t a = 0; a < 3; a++) {
      double sum = 0;
      for (size_t k = m->row_ptr[i]; k < m->row_ptr[i + 1]; k++) {
        for (size_t b = 0; b < 3; b++) sum += m->values[9 * k + 3 * a + b] * x[3 * m->col[k] + b];
      }
      y[3 * i + a] = sum;
    }
  }
}

static void check_product(const SofaKernels *k, Random *r, size_t n) {
  Matrix m = random_matrix(r, n);
  double *x = malloc(3 * n * sizeof *x), *y = malloc(3 * n * sizeof *y);
  double *w = malloc(3 * n * sizeof *w);
  random_reals(r, (int)(3 * n), x);
  reference_product(&m, n, x, w);
  k->spmv3(&m.csr, x, y);
  for (size_t i = 0; i < 3 * n; i++) assert_true(fabs(y[i] - w[i]) < 1e-13);
  free(x);
  free(y);
  free(w);
  free(m.row_ptr);
  free(m.col);
  free(m.values);
}

static void block_rows(void **state) {
  (void)state;
  static const size_t rows[] = {1, 2, 3, 50, 1023, 3000};
  for (size_t s = 0; s < sizeof names / sizeof *names; s++) {
    const SofaKernels *k = sofa_kernels_select(names[s]);
    Random r = {29};
    for (size_t i = 0; k && i < sizeof rows / sizeof *rows; i++) check_product(k, &r, rows[i]);
  }
  const uint32_t none = 0;
  const SofaBlockCsr3 empty = {0, &none, NULL, NULL};
  sofa_kernels_select(NULL)->spmv3(&empty, NULL, NULL);
}

/* Of a list of variants that of the context's instruction set is chosen. */
static void variants_of_a_context(void **state) {
  (void)state;
  static const SofaKernels *const variants[] = SOFA_VARIANTS(&sofa_kernels);
  const SofaContext none = {.kernels = NULL};
  assert_string_equal(variants[sofa_isa(&none)]->name, "baseline");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const SofaContext ctx = {.kernels = sofa_kernels_select(names[i])};
    if (ctx.kernels) assert_string_equal(variants[sofa_isa(&ctx)]->name, names[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(selection),    cmocka_unit_test(vectors),
      cmocka_unit_test(sets_agree),   cmocka_unit_test(block_rows),
      cmocka_unit_test(rows_of_runs), cmocka_unit_test(variants_of_a_context)};
  return with_skipped(cmocka_run_group_tests(tests, setup, teardown));
}
