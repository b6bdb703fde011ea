/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/krylov/symmetry.h"

#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "math/isa.h"
#include "numerics/krylov/symmetry_kernels_impl.h"

/* Entries (row, column) and (column, row) of which the first is `value`, the second `across`. */
typedef struct EntryPair {
  size_t row, column;
  double value, across;
} EntryPair;

void sofa_symmetry_free(SofaContext *ctx, SofaSymmetryCheck *check) {
  sofa_list_free(ctx, &check->pairs);
  check->matrix = NULL;
}

/* ---- pairs of blocks ---- */

static SofaErr add_pair(SofaContext *ctx, SofaMirrorPairs *pairs, size_t row, uint32_t block,
                        uint32_t across) {
  const SofaMirrorPair pair = {(uint32_t)row, block, across};
  return SOFA_APPEND(ctx, pairs, &pair);
}

/* Walks the blocks above the diagonal by rows; those below it come in the same order in each of
 * their rows, where cursor is at the next one. Blocks on the diagonal, whose sums have other bits
 * than their transposes, come behind the others. */
static SofaErr list_pairs(SofaContext *ctx, const SofaBlockRows *rows, uint32_t *cursor,
                          SofaMirrorPairs *pairs) {
  for (size_t i = 0; i < rows->n_rows; i++) cursor[i] = rows->start[i];
  for (uint32_t i = 0; i < rows->n_rows; i++) {
    /* what was not met from above has nothing across */
    for (; cursor[i] < rows->diagonal[i]; cursor[i]++)
      SOFA_TRY(add_pair(ctx, pairs, i, cursor[i], SOFA_NOT_THERE));
    for (uint32_t k = rows->diagonal[i] + 1; k < rows->start[i + 1]; k++) {
      const uint32_t j = rows->column[k];
      for (; rows->column[cursor[j]] < i; cursor[j]++)
        SOFA_TRY(add_pair(ctx, pairs, j, cursor[j], SOFA_NOT_THERE));
      const bool met = rows->column[cursor[j]] == i;
      SOFA_TRY(add_pair(ctx, pairs, i, k, met ? cursor[j] : SOFA_NOT_THERE));
      cursor[j] += met;
    }
  }
  for (size_t i = 0; i < rows->n_rows; i++)
    SOFA_TRY(add_pair(ctx, pairs, i, rows->diagonal[i], rows->diagonal[i]));
  return SOFA_OK;
}

static SofaErr update_pairs(SofaContext *ctx, const SofaBlockMatrix *matrix,
                            const SofaBlockRows *rows, SofaSymmetryCheck *check) {
  SofaErr err = SOFA_OK;
  if (check->matrix == matrix && check->pattern_version == rows->pattern_version) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint32_t *cursor = SOFA_SCRATCH(ctx, uint32_t, rows->n_rows + 1);
  check->matrix = NULL;
  check->value_version = 0;
  check->pairs.n = 0;
  if (!cursor) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  SOFA_GO(err, done, SOFA_RESERVE(ctx, &check->pairs, rows->start[rows->n_rows]));
  SOFA_GO(err, done, list_pairs(ctx, rows, cursor, &check->pairs));
  check->matrix = matrix;
  check->pattern_version = rows->pattern_version;
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- values ---- */

static double diagonal_entry(const SofaBlockRows *rows, size_t block, size_t r) {
  const size_t size = rows->row_scalar[block + 1] - rows->row_scalar[block];
  return fabs(sofa_block_values(rows, rows->diagonal[block])[r * (size + 1)]);
}

/* The test of `mirrored` by the sizes of both entries alone, of blocks of rows x columns reals,
 * which are constants of the caller where blocks are common. */
static inline bool close_entries(const double *v, const double *across, size_t rows, size_t columns,
                                 double within) {
  unsigned apart = 0;
#pragma GCC unroll 6
  for (size_t r = 0; r < rows; r++) {
#pragma GCC unroll 6
    for (size_t c = 0; c < columns; c++) {
      const double a = v[columns * r + c], b = across[rows * c + r], d = fabs(a - b);
      apart |= (unsigned)(d > within * fabs(a)) & (unsigned)(d > within * fabs(b));
    }
  }
  return apart == 0;
}

static bool close_blocks(const double *v, const double *across, size_t rows, size_t columns,
                         double within) {
  if (rows == 3 && columns == 3) return close_entries(v, across, 3, 3, within);
  if (rows == 2 && columns == 2) return close_entries(v, across, 2, 2, within);
  if (rows == 6 && columns == 6) return close_entries(v, across, 6, 6, within);
  return close_entries(v, across, rows, columns, within);
}

/* Is a block the transpose of that across? The measure of an entry is the geometric mean of its two
 * diagonals, which no choice of units changes. A NaN is not an asymmetry. */
static bool mirrored(const SofaBlockRows *rows, const SofaMirrorPair *pair, double within,
                     EntryPair *bad) {
  const size_t i = pair->row, j = rows->column[pair->block];
  const size_t nr = rows->row_scalar[i + 1] - rows->row_scalar[i];
  const size_t nc = rows->column_scalar[j + 1] - rows->column_scalar[j];
  const double *v = sofa_block_values(rows, pair->block);
  const bool there = pair->across != SOFA_NOT_THERE;
  const double *across = there ? sofa_block_values(rows, pair->across) : NULL;
  if (across && close_blocks(v, across, nr, nc, within)) return true;
  for (size_t r = 0; r < nr; r++) {
    for (size_t c = 0; c < nc; c++) {
      const double a = v[r * nc + c], b = across ? across[c * nr + r] : 0, apart = fabs(a - b);
      if (!(apart > within * fmax(fabs(a), fabs(b)))) continue;
      if (!(apart > within * sqrt(diagonal_entry(rows, i, r) * diagonal_entry(rows, j, c))))
        continue;
      *bad = (EntryPair){rows->row_scalar[i] + r, rows->column_scalar[j] + c, a, b};
      return false;
    }
  }
  return true;
}

/* Most blocks beside the diagonal have the very bits. */
static bool is_symmetric(const SofaContext *ctx, const SofaBlockRows *rows,
                         const SofaMirrorPairs *pairs, double within) {
  EntryPair bad;
  static SofaMirrored3 *const variants[] = SOFA_VARIANTS(sofa_mirrored3);
  SofaMirrored3 *mirrored3 = variants[sofa_isa(ctx)];
  for (size_t p = 0; p < pairs->n;) {
    if (rows->uniform == 3) p += mirrored3(rows->values, pairs->n - p, pairs->data + p);
    for (size_t e = 0; e < SOFA_MIRROR_BATCH && p < pairs->n; e++, p++)
      if (!mirrored(rows, &pairs->data[p], within, &bad)) return false;
  }
  return true;
}

/* By rows, then by columns. */
static EntryPair first_bad(const SofaBlockRows *rows, const SofaMirrorPairs *pairs, double within) {
  EntryPair first = {.row = SIZE_MAX}, bad;
  for (size_t p = 0; p < pairs->n; p++) {
    if (mirrored(rows, &pairs->data[p], within, &bad)) continue;
    if (bad.row < first.row || (bad.row == first.row && bad.column < first.column)) first = bad;
  }
  return first;
}

/* ---- solvers ---- */

static SofaErr report_asymmetry(const SofaLinearSolver *solver, const EntryPair *bad,
                                const char *instead, SofaSymmetryCheck *check) {
  SofaContext *ctx = solver->object.ctx;
  char what[240], a[32], b[32];
  sofa_print_real(a, bad->value, 6);
  sofa_print_real(b, bad->across, 6);
  if (sofa_quirk(&solver->object, SOFA_QUIRK_ASYMMETRIC_MATRIX) || ctx->keep_going) {
    check->told = true;
    sofa_object_message(&solver->object, SOFA_WARNING,
                        "the matrix is not symmetric: entry (%zu, %zu) is %s, its mirror %s; %s",
                        bad->row, bad->column, a, b, instead);
    return SOFA_OK;
  }
  snprintf(what, sizeof what,
           "the matrix is not symmetric: entry (%zu, %zu) is %s, its mirror %s; EigenSparseLU "
           "takes such matrices. The row stands",
           bad->row, bad->column, a, b);
  return sofa_linear_solver_fail_at(solver, SOFA_ERR_ARGUMENT, bad->row, what);
}

SofaErr sofa_symmetry_find(SofaContext *ctx, const SofaBlockMatrix *matrix,
                           const SofaBlockRows *rows, SofaSymmetryCheck *check, bool *symmetric) {
  *symmetric = false;
  if (!rows->diagonal) return SOFA_OK;
  SOFA_TRY(update_pairs(ctx, matrix, rows, check));
  *symmetric = is_symmetric(ctx, rows, &check->pairs, 1e-15);
  return SOFA_OK;
}

SofaErr sofa_symmetry_check(const SofaLinearSolver *solver, const SofaBlockMatrix *matrix,
                            const SofaBlockRows *rows, const char *instead,
                            SofaSymmetryCheck *check) {
  const double within = 1e-8;
  SofaContext *ctx = solver->object.ctx;
  if (check->told) return SOFA_OK;
  if (check->matrix == matrix && check->value_version == rows->value_version) return SOFA_OK;
  SOFA_TRY(update_pairs(ctx, matrix, rows, check));
  if (!is_symmetric(ctx, rows, &check->pairs, within)) {
    const EntryPair bad = first_bad(rows, &check->pairs, within);
    return report_asymmetry(solver, &bad, instead, check);
  }
  check->value_version = rows->value_version;
  return SOFA_OK;
}
