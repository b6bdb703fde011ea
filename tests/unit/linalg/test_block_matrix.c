/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block matrices: random assemblies against dense ones, replay, discard, products, failing memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#include "../base/failing_allocator.h"
#include "dense.h"
#include "math/kernels.h"
#include "math/scalar_columns.h"
#include "math/sparse_product.h"
#include "numerics/krylov/assembled.h"
#include "object/factory.h"

#define N_CALLS 400

typedef struct Call {
  uint32_t row, column;
  double block[36];
} Call;

static SofaContext *context(FailingAllocator *a) {
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {
      .allocate = a ? failing_allocate : NULL, .allocate_user = a, .sink = quiet_sink};
  sofa_context_create(&options, &ctx);
  return ctx;
}

static void random_calls(uint64_t *seed, size_t rows, size_t columns, Call *calls) {
  for (size_t c = 0; c < N_CALLS; c++) {
    calls[c].row = random_below(seed, (uint32_t)rows);
    calls[c].column = random_below(seed, (uint32_t)columns);
    for (int e = 0; e < 36; e++) calls[c].block[e] = random_real(seed);
  }
}

static size_t first_of(const uint8_t *sizes, size_t i) {
  size_t first = 0;
  for (size_t k = 0; k < i; k++) first += sizes[k];
  return first;
}

static SofaErr assemble(SofaBlockMatrix *m, const Call *calls, size_t n, double factor) {
  sofa_block_matrix_begin(m);
  for (size_t c = 0; c < n; c++)
    sofa_block_matrix_add(m, calls[c].row, calls[c].column, calls[c].block, factor);
  return sofa_block_matrix_end(m);
}

static Dense assemble_dense(const uint8_t *rs, size_t rows, const uint8_t *cs, size_t columns,
                            const Call *calls, size_t n, double factor) {
  Dense d = dense_new(first_of(rs, rows), first_of(cs, columns));
  for (size_t c = 0; c < n; c++) {
    const size_t i = first_of(rs, calls[c].row), j = first_of(cs, calls[c].column);
    const unsigned nr = rs[calls[c].row], nc = cs[calls[c].column];
    for (unsigned r = 0; r < nr; r++)
      for (unsigned k = 0; k < nc; k++)
        *dense_at(&d, i + r, j + k) += factor * calls[c].block[r * nc + k];
  }
  return d;
}

static void check_assembly(SofaBlockMatrix *m, const uint8_t *rs, size_t rows, const uint8_t *cs,
                           size_t columns, const Call *calls, size_t n) {
  Dense expected = assemble_dense(rs, rows, cs, columns, calls, n, 0.5), got = dense_of(m);
  assert_true(dense_difference(&expected, &got) < 1e-14);

  /* the product, on one and on several threads */
  uint64_t seed = 7;
  double *x = calloc(expected.columns + 1, 8), *y = calloc(expected.rows + 1, 8);
  double *z = calloc(expected.rows + 1, 8), *y2 = calloc(expected.rows + 1, 8);
  for (size_t j = 0; j < expected.columns; j++) x[j] = random_real(&seed);
  dense_times(&expected, x, z);
  sofa_block_matrix_multiply(m, x, y, 1);
  sofa_block_matrix_multiply(m, x, y2, 2);
  for (size_t i = 0; i < expected.rows; i++) assert_true(fabs(y[i] - z[i]) < 1e-12);
  assert_memory_equal(y, y2, expected.rows * sizeof *y);
  free(x), free(y), free(y2), free(z), free(expected.a), free(got.a);
}

static void fill_sizes(uint8_t *sizes, size_t n, int kind) {
  static const uint8_t mixed[] = {3, 6, 1, 2, 3};
  for (size_t i = 0; i < n; i++) sizes[i] = kind ? (uint8_t)kind : mixed[i % 5];
}

static void random_assemblies(void **state) {
  (void)state;
  SofaContext *ctx = context(NULL);
  uint64_t seed = 42;
  Call *calls = calloc(N_CALLS, sizeof *calls);
  static const int kinds[] = {0, 1, 2, 3, 6};
  for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++) {
    for (int square = 0; square < 2; square++) {
      enum { ROWS = 23, COLUMNS = 31 };
      const size_t columns = square ? ROWS : COLUMNS;
      uint8_t rs[ROWS], cs[COLUMNS];
      fill_sizes(rs, ROWS, kinds[t]);
      fill_sizes(cs, columns, kinds[t]);
      SofaBlockMatrix *m = NULL;
      assert_int_equal(sofa_block_matrix_create(ctx, ROWS, rs, columns, cs, &m), SOFA_OK);
      random_calls(&seed, ROWS, columns, calls);
      SofaBlockRows rows;

      /* record, replay with other values, fewer calls, more calls, another order */
      for (int pass = 0; pass < 6; pass++) {
        const size_t n = pass == 2 ? N_CALLS / 2 : N_CALLS;
        if (pass == 1) calls[5].block[0] += 1;
        if (pass == 4) calls[N_CALLS / 2].row = (calls[N_CALLS / 2].row + 1) % ROWS;
        if (pass == 5) {
          const Call swap = calls[3];
          calls[3] = calls[9];
          calls[9] = swap;
        }
        sofa_block_matrix_rows(m, &rows);
        const uint64_t before = rows.pattern_version, value = rows.value_version;
        const uint64_t allocations = ctx->n_allocations;
        assert_int_equal(assemble(m, calls, n, 0.5), SOFA_OK);
        sofa_block_matrix_rows(m, &rows);
        if (pass == 1) assert_int_equal(ctx->n_allocations, allocations);
        if (pass == 1 || pass == 5) assert_int_equal(rows.pattern_version, before);
        assert_true(rows.value_version > value);
        check_assembly(m, rs, ROWS, cs, columns, calls, n);
      }
      sofa_block_matrix_destroy(&m);
    }
  }
  free(calls);
  sofa_context_destroy(&ctx);
}

static void discards(void **state) {
  (void)state;
  SofaContext *ctx = context(NULL);
  uint64_t seed = 3;
  Call *calls = calloc(N_CALLS, sizeof *calls);
  for (int kind = 0; kind <= 3; kind += 3) {
    uint8_t sizes[20], mask[120] = {0};
    fill_sizes(sizes, 20, kind);
    SofaBlockMatrix *m = NULL;
    assert_int_equal(sofa_block_matrix_create(ctx, 20, sizes, 20, sizes, &m), SOFA_OK);
    random_calls(&seed, 20, 20, calls);
    assert_int_equal(assemble(m, calls, N_CALLS, 1), SOFA_OK);
    Dense expected = dense_of(m);
    for (size_t i = 0; i < expected.rows; i += 1 + i % 7) mask[i] = 1;
    sofa_block_matrix_discard(m, mask);
    for (size_t i = 0; i < expected.rows; i++)
      for (size_t j = 0; j < expected.rows; j++)
        if (mask[i] || mask[j]) *dense_at(&expected, i, j) = i == j;
    Dense got = dense_of(m);
    assert_true(dense_difference(&expected, &got) == 0);
    free(expected.a), free(got.a);
    sofa_block_matrix_destroy(&m);
  }
  free(calls);
  sofa_context_destroy(&ctx);
}

/* Entry (r, c) of the matrix, or of the identity behind its end. */
static double padded(Dense *a, size_t r, size_t c) {
  return r < a->rows && c < a->rows ? *dense_at(a, r, c) : r == c;
}

/* Blocks of a band against the dense matrix, of blocks of all sizes. */
static void bands(void **state) {
  enum { ROWS = 20 };
  static const int kinds[] = {0, 1, 2, 3, 6};
  SofaContext *ctx = context(NULL);
  uint64_t seed = 11;
  Call *calls = calloc(N_CALLS, sizeof *calls);
  double *band = calloc(6 * ROWS * 12, sizeof *band);
  (void)state;
  for (size_t t = 0; t < 10; t++) {
    const size_t size = t % 2 ? 3 : 6;
    uint8_t sizes[ROWS];
    fill_sizes(sizes, ROWS, kinds[t / 2]);
    SofaBlockMatrix *m = NULL;
    SofaBlockRows rows;
    assert_int_equal(sofa_block_matrix_create(ctx, ROWS, sizes, ROWS, sizes, &m), SOFA_OK);
    random_calls(&seed, ROWS, ROWS, calls);
    assert_int_equal(assemble(m, calls, N_CALLS / 4, 1), SOFA_OK);
    Dense dense = dense_of(m);
    sofa_block_matrix_rows(m, &rows);
    const size_t n_blocks = (dense.rows + size - 1) / size;
    for (int beside = -1; beside < 2; beside++) {
      for (size_t i = 0; i < n_blocks * size * size; i++) band[i] = NAN;
      sofa_assembled_band(&rows, size, beside, band);
      for (size_t i = 0; i < n_blocks * size * size; i++) {
        const size_t r = i / size, c = r / size * size + i % size;
        const bool outside = (beside < 0 && r < size) || (beside > 0 && r / size + 1 == n_blocks);
        const size_t column = c + (size_t)beside * size;
        assert_true(band[i] == (outside ? 0 : padded(&dense, r, column)));
      }
    }
    free(dense.a);
    sofa_block_matrix_destroy(&m);
  }
  free(band), free(calls);
  sofa_context_destroy(&ctx);
}

/* Nothing of an assembly stays for the next one: not where a call comes first, where the record
 * ends early or is left, nor in a block without a call. */
static void nothing_is_left(void **state) {
  (void)state;
  static const int kinds[] = {3, 0};
  SofaContext *ctx = context(NULL);
  const uint8_t mask[30] = {[12] = 1};
  for (size_t t = 0; t < 2; t++) {
    // block (4, 4) has no call
    static const uint32_t at[6][2] = {{0, 0}, {0, 1}, {1, 0}, {0, 1}, {2, 3}, {3, 3}};
    static const size_t made[] = {6, 6, 2, 6, 6, 0, 6};
    Call calls[6], bad[6];
    uint8_t sizes[5];
    SofaBlockMatrix *m = NULL;
    fill_sizes(sizes, 5, kinds[t]);
    for (size_t c = 0; c < 6; c++) {
      calls[c] = (Call){.row = at[c][0], .column = at[c][1]};
      for (size_t e = 0; e < 36; e++) calls[c].block[e] = e == c ? -0.0 : 1. + (double)(c + 2 * e);
      bad[c] = calls[c];
      for (size_t e = 0; e < 36; e++) bad[c].block[e] = NAN;
    }
    assert_int_equal(sofa_block_matrix_create(ctx, 5, sizes, 5, sizes, &m), SOFA_OK);
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
      assert_int_equal(assemble(m, bad, 6, 1), SOFA_OK);
      sofa_block_matrix_discard(m, mask);
      if (k == 4) calls[1].column = bad[1].column = 2;
      assert_int_equal(assemble(m, calls, made[k], 0.5), SOFA_OK);
      check_assembly(m, sizes, 5, sizes, 5, calls, made[k]);
      assert_false(signbit(sofa_block_matrix_entry(m, 0, 0)));
      assert_true(sofa_block_matrix_entry(m, first_of(sizes, 4), first_of(sizes, 4)) == 0);
    }
    sofa_block_matrix_destroy(&m);
  }
  sofa_context_destroy(&ctx);
}

/* Entry of the reordered columns, 0 where there is none. */
static double column_entry(const SofaScalarColumns *s, int i, int j) {
  for (int k = s->start[j]; k < s->start[j + 1]; k++) {
    if (k > s->start[j]) assert_true(s->row[k] > s->row[k - 1]);
    if (s->row[k] == i) return s->value[k];
  }
  return 0;
}

static void scalar_columns(void **state) {
  (void)state;
  SofaContext *ctx = context(NULL);
  uint64_t seed = 5;
  Call *calls = calloc(N_CALLS, sizeof *calls);
  for (int kind = 0; kind <= 3; kind += 3) {
    uint8_t sizes[15];
    fill_sizes(sizes, 15, kind);
    SofaBlockMatrix *m = NULL;
    assert_int_equal(sofa_block_matrix_create(ctx, 15, sizes, 15, sizes, &m), SOFA_OK);
    random_calls(&seed, 15, 15, calls);
    assert_int_equal(assemble(m, calls, 100, 1), SOFA_OK);
    Dense d = dense_of(m);
    const int n = (int)d.rows;

    /* a permutation and its inverse as rank */
    int *order = calloc(d.rows, sizeof *order), *rank = calloc(d.rows, sizeof *rank);
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
      const int j = (int)random_below(&seed, (uint32_t)i + 1), swap = order[i];
      order[i] = order[j];
      order[j] = swap;
    }
    for (int i = 0; i < n; i++) rank[order[i]] = i;
    for (int part = SOFA_COLUMNS_ALL; part <= SOFA_COLUMNS_UPPER; part++) {
      for (int with = 0; with < 3; with++) { /* nothing, order, order and rank */
        SofaScalarColumns s = {0};
        assert_int_equal(sofa_scalar_columns_build(ctx, m, (SofaColumnsPart)part,
                                                   with ? order : NULL, with == 2 ? rank : NULL,
                                                   &s),
                         SOFA_OK);
        for (int i = 0; i < n; i++) {
          for (int j = 0; j < n; j++) {
            int r = with ? order[i] : i, c = with ? order[j] : j;
            const int below = with == 2 ? rank[r] >= rank[c] : r >= c;
            const bool there =
                part == SOFA_COLUMNS_ALL || (part == SOFA_COLUMNS_LOWER ? i >= j : i <= j);
            double expected = there ? *dense_at(&d, (size_t)r, (size_t)c) : 0;
            if (there && part != SOFA_COLUMNS_ALL && !below)
              expected = *dense_at(&d, (size_t)c, (size_t)r);
            assert_true(column_entry(&s, i, j) == expected);
          }
        }
        sofa_scalar_columns_free(ctx, &s);
      }
    }
    free(order), free(rank), free(d.a);
    sofa_block_matrix_destroy(&m);
  }
  free(calls);
  sofa_context_destroy(&ctx);
}

/* ---- sparse products ---- */

typedef struct Csr {
  uint32_t *start, *column;
  double *value;
  SofaCsr view;
} Csr;

static Csr random_csr(uint64_t *seed, size_t rows, size_t columns, uint32_t per_row) {
  Csr c = {calloc(rows + 1, 4), calloc(rows * per_row + 1, 4), calloc(rows * per_row + 1, 8), {0}};
  uint32_t n = 0;
  for (size_t i = 0; i < rows; i++) {
    const uint32_t first = random_below(seed, (uint32_t)columns);
    for (uint32_t k = 0; k < per_row && k < columns; k++) {
      c.column[n] = (uint32_t)((first + k * 5) % columns);
      bool twice = false;
      for (uint32_t e = c.start[i]; e < n; e++) twice |= c.column[e] == c.column[n];
      c.value[n] = random_real(seed);
      n += !twice;
    }
    c.start[i + 1] = n;
  }
  c.view = (SofaCsr){rows, columns, c.start, c.column, c.value};
  return c;
}
static void free_csr(Csr *c) {
  free(c->start), free(c->column), free(c->value);
}

static Dense dense_of_csr(const SofaCsr *a) {
  Dense d = dense_new(a->n_rows, a->n_columns);
  for (size_t i = 0; i < a->n_rows; i++)
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++)
      *dense_at(&d, i, a->column[k]) += a->value[k];
  return d;
}
static void add_product(Dense *to, Dense *a, Dense *b) {
  for (size_t i = 0; i < a->rows; i++)
    for (size_t k = 0; k < a->columns; k++)
      for (size_t j = 0; j < b->columns; j++)
        *dense_at(to, i, j) += *dense_at(a, i, k) * *dense_at(b, k, j);
}

static void sums_of_products(void **state) {
  (void)state;
  SofaContext *ctx = context(NULL);
  uint64_t seed = 11;
  SofaCsrSum *sum = NULL;
  assert_int_equal(sofa_csr_sum_create(ctx, &sum), SOFA_OK);
  for (int pass = 0; pass < 3; pass++) {
    Csr a1 = random_csr(&seed, 20, 12, 3), b1 = random_csr(&seed, 12, 9, 2);
    Csr a2 = random_csr(&seed, 20, 9, 4);
    const SofaCsr *left[] = {&a1.view, &a2.view}, *right[] = {&b1.view, NULL};
    SofaCsr out;
    for (int again = 0; again < 2; again++) {
      const uint64_t allocations = ctx->n_allocations;
      a1.value[0] += 1;
      assert_int_equal(sofa_csr_sum_compute(sum, 2, left, right, &out), SOFA_OK);
      if (again) assert_int_equal(ctx->n_allocations, allocations);
      Dense x = dense_of_csr(&a1.view), y = dense_of_csr(&b1.view),
            expected = dense_of_csr(&a2.view);
      add_product(&expected, &x, &y);
      Dense got = dense_of_csr(&out);
      assert_true(dense_difference(&expected, &got) < 1e-14);
      free(x.a), free(y.a), free(expected.a), free(got.a);
    }
    free_csr(&a1), free_csr(&b1), free_csr(&a2);
  }
  sofa_csr_sum_destroy(&sum);
  sofa_context_destroy(&ctx);
}

/* target(row + i, column + j) += factor (L^T K R)(i, j), dropping what leaves the target */
static void congruence_dense(Dense *target, const SofaCsr *l, SofaBlockMatrix *k, const SofaCsr *r,
                             double factor, size_t row, size_t column) {
  Dense kd = dense_of(k);
  for (size_t i = 0; i < kd.rows; i++) {
    for (size_t j = 0; j < kd.columns; j++) {
      const double v = factor * *dense_at(&kd, i, j);
      for (uint32_t a = l ? l->start[i] : 0; a < (l ? l->start[i + 1] : 1); a++) {
        for (uint32_t b = r ? r->start[j] : 0; b < (r ? r->start[j + 1] : 1); b++) {
          const size_t ti = row + (l ? l->column[a] : i), tj = column + (r ? r->column[b] : j);
          if (ti < target->rows && tj < target->columns)
            *dense_at(target, ti, tj) += v * (l ? l->value[a] : 1) * (r ? r->value[b] : 1);
        }
      }
    }
  }
  free(kd.a);
}

static void congruences(void **state) {
  (void)state;
  SofaContext *ctx = context(NULL);
  uint64_t seed = 13;
  Call *calls = calloc(N_CALLS, sizeof *calls);
  uint8_t ks[12], ts[18];
  fill_sizes(ks, 12, 3);
  fill_sizes(ts, 18, 0);
  for (int shape = 0; shape < 8; shape++) {
    SofaBlockMatrix *k = NULL, *target = NULL;
    SofaCongruence *c = NULL;
    assert_int_equal(sofa_block_matrix_create(ctx, 12, ks, 12, ks, &k), SOFA_OK);
    assert_int_equal(sofa_block_matrix_create(ctx, 18, ts, 18, ts, &target), SOFA_OK);
    assert_int_equal(sofa_congruence_create(ctx, &c), SOFA_OK);
    Csr l = random_csr(&seed, 36, 17, 3), r = random_csr(&seed, 36, 21, 4);
    const SofaCsr *left = shape & 1 ? &l.view : NULL, *right = shape & 2 ? &r.view : NULL;
    const size_t row = shape & 4 ? 30 : 7, column = shape & 4 ? 2 : 11; /* also past the end */
    random_calls(&seed, 12, 12, calls);
    for (int pass = 0; pass < 4; pass++) {
      assert_int_equal(assemble(k, calls, pass == 3 ? 30 : 60, 1), SOFA_OK);
      l.value[0] += 0.25;
      const uint64_t allocations = ctx->n_allocations;
      sofa_block_matrix_begin(target);
      const SofaCongruenceProduct product = {.left = left, .right = right, .k = k, .factor = -2};
      assert_int_equal(sofa_congruence_add(c, &product, target, row, column), SOFA_OK);
      if (pass == 2) sofa_congruence_add_again(c, target);
      assert_int_equal(sofa_block_matrix_end(target), SOFA_OK);
      if (pass == 1) assert_int_equal(ctx->n_allocations, allocations);
      Dense got = dense_of(target), expected = dense_new(got.rows, got.columns);
      congruence_dense(&expected, left, k, right, pass == 2 ? -4 : -2, row, column);
      assert_true(dense_difference(&expected, &got) < 1e-13);
      free(got.a), free(expected.a);
    }
    free_csr(&l), free_csr(&r);
    sofa_congruence_destroy(&c);
    sofa_block_matrix_destroy(&k);
    sofa_block_matrix_destroy(&target);
  }
  free(calls);
  sofa_context_destroy(&ctx);
}

/* J^T K J at block 2 of a target of 8 blocks, with one J that reaches past the last of them. */
static Dense points_congruence(const char *isa, uint8_t k_size, uint8_t size) {
  SofaContext *ctx = context(NULL);
  uint64_t seed = 17;
  uint8_t ks[12], ts[8];
  Call *calls = calloc(N_CALLS, sizeof *calls);
  SofaBlockMatrix *k = NULL, *target = NULL;
  SofaCongruence *c = NULL;
  ctx->kernels = sofa_kernels_select(isa);
  if (!ctx->kernels) ctx->kernels = sofa_kernels_select("baseline");
  fill_sizes(ks, 12, k_size);
  fill_sizes(ts, 8, size);
  assert_int_equal(sofa_block_matrix_create(ctx, 12, ks, 12, ks, &k), SOFA_OK);
  assert_int_equal(sofa_block_matrix_create(ctx, 8, ts, 8, ts, &target), SOFA_OK);
  assert_int_equal(sofa_congruence_create(ctx, &c), SOFA_OK);
  Csr j = random_csr(&seed, 12u * k_size, 7u * size, 3);
  random_calls(&seed, 12, 12, calls);
  assert_int_equal(assemble(k, calls, 60, 1), SOFA_OK);
  const SofaCongruenceProduct product = {.left = &j.view, .right = &j.view, .k = k, .factor = 3};
  const size_t row = 2u * size;
  for (int pass = 0; pass < 2; pass++) {
    j.value[1] += 0.5;
    sofa_block_matrix_begin(target);
    assert_int_equal(sofa_congruence_add(c, &product, target, row, row), SOFA_OK);
    assert_int_equal(sofa_block_matrix_end(target), SOFA_OK);
  }
  Dense got = dense_of(target), expected = dense_new(got.rows, got.columns);
  congruence_dense(&expected, &j.view, k, &j.view, 3, row, row);
  assert_true(dense_difference(&expected, &got) < 1e-13);
  free(expected.a), free(calls);
  free_csr(&j);
  sofa_congruence_destroy(&c);
  sofa_block_matrix_destroy(&k);
  sofa_block_matrix_destroy(&target);
  sofa_context_destroy(&ctx);
  return got;
}

/* Points and frames have loops of their own. */
static void congruences_of_points(void **state) {
  (void)state;
  static const uint8_t sizes[] = {1, 2, 3, 6};
  for (int k = 0; k < 4; k++) {
    for (int t = 0; t < 4; t++) {
      Dense wide = points_congruence("avx512", sizes[k], sizes[t]);
      Dense half = points_congruence("avx2", sizes[k], sizes[t]);
      Dense plain = points_congruence("baseline", sizes[k], sizes[t]);
      if (sofa_kernels_select("avx512"))
        assert_memory_equal(wide.a, half.a, wide.rows * wide.columns * sizeof *wide.a);
      free(wide.a), free(half.a), free(plain.a);
    }
  }
}

/* The reals of J^T K J with enough products for pieces, on `threads` threads. */
static double *many_products(int threads, size_t *n) {
  enum { POINTS = 400, TARGETS = 150 };
  SofaContext *ctx = context(NULL);
  uint64_t seed = 5;
  uint8_t sizes[POINTS];
  SofaBlockMatrix *k = NULL, *target = NULL;
  SofaCongruence *c = NULL;
  SofaBlockRows rows;
  ctx->threads = threads;
  fill_sizes(sizes, POINTS, 3);
  assert_int_equal(sofa_block_matrix_create(ctx, POINTS, sizes, POINTS, sizes, &k), SOFA_OK);
  assert_int_equal(sofa_block_matrix_create(ctx, TARGETS, sizes, TARGETS, sizes, &target), SOFA_OK);
  assert_int_equal(sofa_congruence_create(ctx, &c), SOFA_OK);
  Csr j = random_csr(&seed, 3 * POINTS, 3 * TARGETS, 3);
  sofa_block_matrix_begin(k);
  for (uint32_t i = 0; i < POINTS; i++) {
    double block[9];
    for (int e = 0; e < 9; e++) block[e] = sin(i + 7.0 * e);
    for (uint32_t b = i; b < i + 3 && b < POINTS; b++) sofa_block_matrix_add(k, i, b, block, 1);
  }
  assert_int_equal(sofa_block_matrix_end(k), SOFA_OK);
  const SofaCongruenceProduct product = {.left = &j.view, .right = &j.view, .k = k, .factor = 3};
  sofa_block_matrix_begin(target);
  assert_int_equal(sofa_congruence_add(c, &product, target, 0, 0), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(target), SOFA_OK);
  sofa_block_matrix_rows(target, &rows);
  *n = 9 * (size_t)rows.start[rows.n_rows];
  double *values = malloc(*n * sizeof *values);
  memcpy(values, rows.values, *n * sizeof *values);
  free_csr(&j);
  sofa_congruence_destroy(&c);
  sofa_block_matrix_destroy(&k);
  sofa_block_matrix_destroy(&target);
  sofa_context_destroy(&ctx);
  return values;
}

static void congruences_on_threads(void **state) {
  (void)state;
  size_t n = 0, other = 0;
  double *one = many_products(1, &n);
  for (int threads = 2; threads < 5; threads++) {
    double *several = many_products(threads, &other);
    assert_int_equal(other, n);
    assert_memory_equal(several, one, n * sizeof *one);
    free(several);
  }
  free(one);
}

/* ---- failures ---- */

static SofaErr whole_life(SofaContext *ctx, const Call *calls, const SofaCsr *j) {
  uint8_t sizes[12];
  SofaBlockMatrix *m = NULL, *target = NULL;
  SofaCongruence *c = NULL;
  SofaScalarColumns s = {0};
  SofaErr err = SOFA_OK;
  fill_sizes(sizes, 12, 3);
  SOFA_GO(err, done, sofa_block_matrix_create(ctx, 12, sizes, 12, sizes, &m));
  SOFA_GO(err, done, assemble(m, calls, 50, 1));
  SOFA_GO(err, done, assemble(m, calls, 80, 1));
  SOFA_GO(err, done, sofa_scalar_columns_build(ctx, m, SOFA_COLUMNS_LOWER, NULL, NULL, &s));
  SOFA_GO(err, done, sofa_block_matrix_create(ctx, 12, sizes, 12, sizes, &target));
  SOFA_GO(err, done, sofa_congruence_create(ctx, &c));
  sofa_block_matrix_begin(target);
  const SofaCongruenceProduct product = {.left = j, .right = j, .k = m, .factor = 1};
  SOFA_GO(err, done, sofa_congruence_add(c, &product, target, 0, 0));
  SOFA_GO(err, done, sofa_block_matrix_end(target));
done:
  /* whatever failed, the matrix can be assembled again once there is memory */
  ((FailingAllocator *)ctx->allocate_user)->fail_at = 0;
  if (m) {
    assert_int_equal(assemble(m, calls, 70, 0.5), SOFA_OK);
    fill_sizes(sizes, 12, 3);
    check_assembly(m, sizes, 12, sizes, 12, calls, 70);
  }
  sofa_scalar_columns_free(ctx, &s);
  sofa_congruence_destroy(&c);
  sofa_block_matrix_destroy(&m);
  sofa_block_matrix_destroy(&target);
  return err;
}

static void failing_memory(void **state) {
  (void)state;
  uint64_t seed = 17;
  Call *calls = calloc(N_CALLS, sizeof *calls);
  random_calls(&seed, 12, 12, calls);
  Csr j = random_csr(&seed, 36, 20, 3);
  FailingAllocator a = {0};
  SofaContext *ctx = context(&a);
  const int64_t live = a.live;
  SofaErr err = SOFA_ERR_MEMORY;
  for (uint64_t n = 1; err != SOFA_OK; n++) {
    a.fail_at = a.calls + n;
    err = whole_life(ctx, calls, &j.view);
    assert_true(err == SOFA_OK || err == SOFA_ERR_MEMORY);
    assert_true(n < 1000);
    assert_int_equal(a.live, live);
  }
  free_csr(&j);
  free(calls);
  sofa_context_destroy(&ctx);
  assert_int_equal(a.live, 0);
}

static void wrong_indices(void **state) {
  (void)state;
  SofaContext *ctx = context(NULL);
  SofaBlockMatrix *m = NULL;
  const uint8_t sizes[] = {3, 3}, wrong[] = {3, 7};
  const Call calls[] = {{0, 0, {1}}, {0, 2, {1}}};
  assert_int_equal(sofa_block_matrix_create(ctx, 2, wrong, 2, sizes, &m), SOFA_ERR_ARGUMENT);
  assert_int_equal(sofa_block_matrix_create(ctx, 2, sizes, 2, sizes, &m), SOFA_OK);
  assert_int_equal(assemble(m, calls, 2, 1), SOFA_ERR_RANGE);
  assert_int_equal(assemble(m, calls, 1, 1), SOFA_OK);
  assert_true(sofa_block_matrix_entry(m, 0, 0) == 1);
  sofa_block_matrix_destroy(&m);
  sofa_context_destroy(&ctx);
}

enum { N_POINTS = 30, N_PAIRS = 100 };

/* The calls that pairs stand for. */
static size_t calls_of(const SofaBlockPairs *pairs, Call *calls) {
  size_t n = 0;
  for (size_t p = 0; p < pairs->n; p++) {
    const uint32_t i = pairs->row[p], j = pairs->column[p];
    const double *block = pairs->blocks + 9 * p;
    calls[n].row = pairs->first_row + i;
    calls[n].column = pairs->first_column + j;
    memcpy(calls[n++].block, block, 9 * sizeof *block);
    if (i == j) continue;
    calls[n].row = pairs->first_row + j;
    calls[n].column = pairs->first_column + i;
    for (int e = 0; e < 9; e++) calls[n].block[e] = block[3 * (e % 3) + e / 3];
    n++;
  }
  return n;
}

static void require_equal_values(const SofaBlockMatrix *a, const SofaBlockMatrix *b) {
  SofaBlockRows one, other;
  sofa_block_matrix_rows(a, &one);
  sofa_block_matrix_rows(b, &other);
  const size_t n = one.start[one.n_rows];
  assert_int_equal(n, other.start[other.n_rows]);
  assert_memory_equal(one.column, other.column, n * sizeof *one.column);
  assert_memory_equal(one.values, other.values, 9 * n * sizeof *one.values);
}

/* Pairs are their calls, to the bit: recorded, replayed, and where they leave the record. */
static void pairs_are_calls(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  for (size_t s = 0; s < 3; s++) {
    SofaContext *ctx = context(NULL);
    SofaBlockMatrix *m[2] = {NULL, NULL};
    uint8_t sizes[N_POINTS];
    uint32_t row[N_PAIRS], column[N_PAIRS];
    double blocks[9 * N_PAIRS];
    Call *calls = calloc(2 * N_PAIRS, sizeof *calls);
    uint64_t seed = 7;
    memset(sizes, 3, sizeof sizes);
    if (!sofa_kernels_select(isas[s])) goto next;
    ctx->kernels = sofa_kernels_select(isas[s]);
    for (int k = 0; k < 2; k++)
      assert_int_equal(sofa_block_matrix_create(ctx, N_POINTS, sizes, N_POINTS, sizes, &m[k]),
                       SOFA_OK);
    for (size_t p = 0; p < N_PAIRS; p++) {
      row[p] = random_below(&seed, 20);
      column[p] = p % 4 ? random_below(&seed, 20) : row[p];
    }
    for (int round = 0; round < 5; round++) {
      SofaBlockPairs pairs = {N_PAIRS, row, column, blocks, 7, 3, 1 + random_real(&seed), false};
      for (size_t e = 0; e < 9 * N_PAIRS; e++) blocks[e] = random_real(&seed);
      if (round == 3) column[60] = (column[60] + 1) % 20;
      const size_t n = calls_of(&pairs, calls);
      assert_int_equal(assemble(m[0], calls, n, pairs.factor), SOFA_OK);
      sofa_block_matrix_begin(m[1]);
      sofa_block_matrix_add_pairs(m[1], &pairs);
      assert_int_equal(sofa_block_matrix_end(m[1]), SOFA_OK);
      require_equal_values(m[0], m[1]);
    }
  next:
    for (int k = 0; k < 2; k++) sofa_block_matrix_destroy(&m[k]);
    free(calls);
    sofa_context_destroy(&ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_assemblies),
      cmocka_unit_test(discards),
      cmocka_unit_test(scalar_columns),
      cmocka_unit_test(sums_of_products),
      cmocka_unit_test(congruences),
      cmocka_unit_test(congruences_of_points),
      cmocka_unit_test(congruences_on_threads),
      cmocka_unit_test(failing_memory),
      cmocka_unit_test(wrong_indices),
      cmocka_unit_test(pairs_are_calls),
      cmocka_unit_test(nothing_is_left),
      cmocka_unit_test(bands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
