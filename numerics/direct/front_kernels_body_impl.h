/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of fronts, compiled once per instruction set with KERNELS_ISA naming it, and for each
 * type of reals. The source that includes it says what a register of them is: Lanes, LANES,
 * lanes_load and so on, real_madd, real_sqrt; lanes_load_first and, with MASKED,
 * lanes_store_first, of the first n <= LANES, the others are 0. */
#include <string.h>

#include "base/bytes.h"
#include "numerics/direct/front_kernels_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

enum {
  PART_ROWS = LANES == 16 ? 1 : 2,               /* registers of rows that are worked on together */
  PART_WIDTH = FRONT_VECTOR_BYTES == 64 ? 8 : 4, /* columns of them: as the registers suffice */
  PART = PART_ROWS * LANES,                      /* rows of a part */
  DEPTH = 256,                                   /* columns subtracted from a tile at a time */
};

static inline int min_int(int a, int b) {
  return a < b ? a : b;
}

/* c - a b; a difference has the bits of a sum with the negative. */
static inline Lanes lanes_minus(Lanes a, Lanes b, Lanes c) {
#ifdef __FMA__
  return lanes_madd(-a, b, c);
#else
  return c - a * b;
#endif
}

static inline FrontReal *group_of(const Front *f, int group) {
  return f->panel + (size_t)group * (size_t)f->columns * FRONT_ROWS;
}

/* Rows of the panel from the place of a column on. */
static inline const FrontReal *place_of(const Front *f, int place) {
  return group_of(f, place / FRONT_ROWS) + place % FRONT_ROWS;
}

/* ---- products ---- */

/* A tile: its columns are ld apart; fresh: it is taken to be zero. */
typedef struct Tile {
  FrontReal *c;
  size_t ld;
  bool fresh;
} Tile;

/* c -= a b^T over `depth` columns that are 16 apart, for some registers of rows and some columns,
 * both constants. */
static inline void subtract_registers(const Tile *tile, const FrontReal *a, const FrontReal *b,
                                      int depth, int registers, int width) {
  FrontReal *c = tile->c;
  const size_t ld = tile->ld;
  Lanes sum[PART_WIDTH][PART_ROWS];
#pragma GCC unroll 8
  for (int j = 0; j < width; j++)
#pragma GCC unroll 2
    for (int i = 0; i < registers; i++)
      sum[j][i] = tile->fresh ? lanes_set(0) : lanes_load(c + (size_t)j * ld + i * LANES);
  for (int k = 0; k < depth; k++, a += FRONT_ROWS, b += FRONT_ROWS) {
    Lanes row[PART_ROWS];
#pragma GCC unroll 2
    for (int i = 0; i < registers; i++) row[i] = lanes_load(a + i * LANES);
#pragma GCC unroll 8
    for (int j = 0; j < width; j++) {
      const Lanes column = lanes_set(b[j]);
#pragma GCC unroll 2
      for (int i = 0; i < registers; i++) sum[j][i] = lanes_minus(row[i], column, sum[j][i]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < width; j++)
#pragma GCC unroll 2
    for (int i = 0; i < registers; i++) lanes_store(c + (size_t)j * ld + i * LANES, sum[j][i]);
}

static void subtract_part(const Tile *tile, const FrontReal *a, const FrontReal *b, int depth) {
  subtract_registers(tile, a, b, depth, PART_ROWS, PART_WIDTH);
}

/* The same for a tile of 16 rows and 8 columns. */
static inline void subtract_tile(Tile tile, const FrontReal *a, const FrontReal *b, int depth) {
  for (int i = 0; i < FRONT_ROWS; i += PART) {
    for (int j = 0; j < FRONT_WIDTH; j += PART_WIDTH) {
      const Tile part = {tile.c + (size_t)j * tile.ld + i, tile.ld, tile.fresh};
      subtract_part(&part, a + i, b + j, depth);
    }
  }
}

/* Columns 8 to 15 of a group on the diagonal: from row 8 on, where registers are not longer. */
static void subtract_corner(Tile tile, const FrontReal *a, const FrontReal *b, int depth) {
  enum { FIRST = LANES == 16 ? 0 : FRONT_WIDTH, REGISTERS = LANES < 8 ? PART_ROWS : 1 };
  for (int i = FIRST; i < FRONT_ROWS; i += REGISTERS * LANES) {
    for (int j = 0; j < FRONT_WIDTH; j += PART_WIDTH) {
      const Tile part = {tile.c + (size_t)j * tile.ld + i, tile.ld, tile.fresh};
      subtract_registers(&part, a + i, b + j, depth, REGISTERS, PART_WIDTH);
    }
  }
}

/* ---- a tile of the panel ---- */

/* Columns up to the next multiple of the width of a tile. */
static inline int width_at(const Front *f, int column) {
  return FRONT_WIDTH - (f->pad + column) % FRONT_WIDTH;
}

/* What earlier columns subtract. */
static inline void reduce_tile(const Front *f, int group, int column) {
  FrontReal *rows = group_of(f, group);
  if (column > 0)
    subtract_tile((Tile){rows + (size_t)column * FRONT_ROWS, FRONT_ROWS, false}, rows,
                  place_of(f, f->pad + column), column);
}

/* X L^T = C for 16 rows of C; the width is a constant where it is called. Entry (j, k) of L is
 * l[16 k + j]. */
static inline void solve_tile(FrontReal *c, const FrontReal *l, const FrontReal *inverse,
                              int width) {
  for (int i = 0; i < FRONT_ROWS; i += LANES) {
    Lanes x[FRONT_WIDTH];
#pragma GCC unroll 8
    for (int j = 0; j < width; j++) {
      Lanes sum = lanes_load(c + j * FRONT_ROWS + i);
#pragma GCC unroll 8
      for (int k = 0; k < j; k++) sum = lanes_minus(x[k], lanes_set(l[k * FRONT_ROWS + j]), sum);
      x[j] = sum * lanes_set(inverse[j]);
      lanes_store(c + j * FRONT_ROWS + i, x[j]);
    }
  }
}

static void solve_narrow_tile(FrontReal *c, const FrontReal *l, const FrontReal *inverse,
                              int width) {
  switch (width) {
  case 1:
    solve_tile(c, l, inverse, 1);
    break;
  case 2:
    solve_tile(c, l, inverse, 2);
    break;
  case 3:
    solve_tile(c, l, inverse, 3);
    break;
  case 4:
    solve_tile(c, l, inverse, 4);
    break;
  case 5:
    solve_tile(c, l, inverse, 5);
    break;
  case 6:
    solve_tile(c, l, inverse, 6);
    break;
  default:
    solve_tile(c, l, inverse, 7);
    break;
  }
}

static inline void finish_tile(const Front *f, int group, int column, const FrontReal *l,
                               int width) {
  FrontReal *c = group_of(f, group) + (size_t)column * FRONT_ROWS;
  const FrontReal *inverse = f->inverse + column;
  if (width == FRONT_WIDTH) solve_tile(c, l, inverse, FRONT_WIDTH);
  else solve_narrow_tile(c, l, inverse, width);
}

/* Where the block on the diagonal begins. */
static inline FrontReal *block_of(const Front *f, int column) {
  const int place = f->pad + column;
  return group_of(f, place / FRONT_ROWS) + (size_t)column * FRONT_ROWS + place % FRONT_ROWS;
}

/* The lower triangle of a block on the diagonal, columns behind `width` those of the identity. */
static inline void load_block(const FrontReal *a, int width,
                              FrontReal c[FRONT_WIDTH][FRONT_WIDTH]) {
  for (int j = 0; j < FRONT_WIDTH; j++)
    for (int i = j; i < FRONT_WIDTH; i++)
      c[j][i] = i < width ? a[j * FRONT_ROWS + i] : i == j ? 1 : 0;
}

/* Column j of c becomes that of L times its pivot's root, for a chain of one division a column:
 * roots are taken when all pivots are known. -1, or the column that fails. */
static inline int eliminate_block(FrontReal c[FRONT_WIDTH][FRONT_WIDTH]) {
#pragma GCC unroll 8
  for (int j = 0; j < FRONT_WIDTH; j++) {
    if (!(c[j][j] > 0)) return j;
    const FrontReal inverse = 1 / c[j][j];
#pragma GCC unroll 8
    for (int k = j + 1; k < FRONT_WIDTH; k++) {
      const FrontReal factor = -(c[j][k] * inverse);
#pragma GCC unroll 8
      for (int i = k; i < FRONT_WIDTH; i++) c[k][i] = real_madd(factor, c[j][i], c[k][i]);
    }
  }
  return -1;
}

/* Cholesky factor l of a block on the diagonal: -1, or the column that fails. */
static int factor_block(const FrontReal *a, int width, FrontReal *inverse, FrontReal *l) {
  FrontReal c[FRONT_WIDTH][FRONT_WIDTH], root[FRONT_WIDTH], of_root[FRONT_WIDTH];
  load_block(a, width, c);
  const int bad = eliminate_block(c);
  if (bad >= 0) return bad;
  for (int j = 0; j < FRONT_WIDTH; j++) root[j] = real_sqrt(c[j][j]);
  for (int j = 0; j < FRONT_WIDTH; j++) of_root[j] = 1 / root[j];
  for (int j = 0; j < width; j++) {
    inverse[j] = of_root[j];
    l[j * FRONT_ROWS + j] = root[j];
    for (int i = j + 1; i < FRONT_WIDTH; i++) l[j * FRONT_ROWS + i] = c[j][i] * of_root[j];
  }
  return -1;
}

/* The group of rows that has the diagonal of a tile's columns. */
static int diagonal_tile(const Front *f, int column, int width) {
  FrontReal l[FRONT_WIDTH * FRONT_ROWS];
  FrontReal *a = block_of(f, column);
  const int group = (f->pad + column) / FRONT_ROWS;
  reduce_tile(f, group, column);
  const int bad = factor_block(a, width, f->inverse + column, l);
  if (bad >= 0) return column + bad;
  finish_tile(f, group, column, l, width); /* rows of the group below the block */
  for (int j = 0; j < width; j++)
    for (int i = j; i < width; i++) a[j * FRONT_ROWS + i] = l[j * FRONT_ROWS + i];
  return -1;
}

static int diagonal(const Front *f, int begin, int end) {
  const int last = (f->pad + end - 1) / FRONT_ROWS;
  for (int column = begin, width = 0; column < end; column += width) {
    width = width_at(f, column);
    const int bad = diagonal_tile(f, column, width);
    if (bad >= 0) return bad;
    for (int g = (f->pad + column) / FRONT_ROWS + 1; g <= last; g++) {
      reduce_tile(f, g, column);
      finish_tile(f, g, column, block_of(f, column), width);
    }
  }
  return -1;
}

static void below(const Front *f, int begin, int end, int group, int group_end) {
  for (; group < group_end; group++) {
    for (int column = begin, width = 0; column < end; column += width) {
      width = width_at(f, column);
      reduce_tile(f, group, column);
      finish_tile(f, group, column, block_of(f, column), width);
    }
  }
}

/* ---- the update ---- */

/* The group on the diagonal of the update comes first. */
static void update(const Front *f, int column_group) {
  const int first = (f->pad + f->columns) / FRONT_ROWS;
  const int left = f->rows + f->pad - column_group * FRONT_ROWS; /* columns that there are */
  const size_t column = (size_t)(column_group - first) * FRONT_ROWS;
  const size_t ld = front_update_ld(f->ld, column);
  FrontReal *c = f->update + front_update_place(f->ld, column, column);
  for (int k = 0; k < f->columns; k += DEPTH) {
    const int depth = min_int(DEPTH, f->columns - k);
    const FrontReal *b = group_of(f, column_group) + (size_t)k * FRONT_ROWS;
    for (int g = column_group; g < f->n_groups; g++) {
      const FrontReal *a = group_of(f, g) + (size_t)k * FRONT_ROWS;
      Tile tile = {c + (size_t)(g - column_group) * FRONT_ROWS, ld, f->fresh && k == 0};
      subtract_tile(tile, a, b, depth);
      tile.c += FRONT_WIDTH * ld;
      if (left <= FRONT_WIDTH) continue;
      if (g == column_group) subtract_corner(tile, a, b + FRONT_WIDTH, depth);
      else subtract_tile(tile, a, b + FRONT_WIDTH, depth);
    }
  }
}

/* ---- children ---- */

static inline void add_run(FrontReal *restrict to, const FrontReal *restrict from, int n) {
  int i = 0;
  for (; i + LANES <= n; i += LANES) lanes_store(to + i, lanes_load(to + i) + lanes_load(from + i));
#ifdef MASKED /* runs are short: three dofs of a point, or some of them */
  const Lanes sum = lanes_load_first(to + i, n - i) + lanes_load_first(from + i, n - i);
  lanes_store_first(to + i, n - i, sum);
#else
  for (; i < n; i++) to[i] += from[i];
#endif
}

/* Consecutive columns of a child, those of one run that are one group in the child and in the
 * parent. */
typedef struct ColumnBlock {
  const FrontReal *from; /* row `first` of the first column */
  size_t from_ld;        /* from one to the next, here and in the parent */
  FrontReal *to;
  size_t to_ld;
  int first, n; /* rows of the child's update */
} ColumnBlock;

/* Columns of a block up to the end of its group and run, and of the panel. */
static int columns_together(const Front *f, const FrontChild *child, const FrontRun *run, int j,
                            int end) {
  const int to = child->to[j], in_group = FRONT_ROWS - j % FRONT_ROWS;
  const int in_parent =
      to < f->columns ? f->columns - to : FRONT_ROWS - (to - f->columns) % FRONT_ROWS;
  return min_int(min_int(in_group, in_parent), min_int(run->from + run->n, end) - j);
}

static inline void add_rows(const ColumnBlock *b, FrontReal *to, const FrontReal *from, int n) {
  for (int c = 0; c < b->n; c++)
    add_run(to + (size_t)c * b->to_ld, from + (size_t)c * b->from_ld, n);
}

/* Rows place, place + 1, ... of columns of the panel. */
static inline void add_places(const Front *f, const ColumnBlock *b, int place,
                              const FrontReal *from, int n) {
  while (n > 0) {
    const int lane = place % FRONT_ROWS, part = min_int(n, FRONT_ROWS - lane);
    add_rows(b, b->to + (size_t)(place / FRONT_ROWS) * (size_t)f->columns * FRONT_ROWS + lane, from,
             part);
    place += part;
    from += part;
    n -= part;
  }
}

/* The rows of the columns themselves, from the diagonal on. */
static void add_diagonal(const Front *f, const ColumnBlock *b, int to, int end) {
  for (int c = 0; c < b->n; c++) {
    const ColumnBlock column = {.to = b->to + (size_t)c * b->to_ld, .n = 1};
    const FrontReal *from = b->from + (size_t)c * (b->from_ld + 1);
    const int n = end - b->first - c;
    if (to < f->columns) add_places(f, &column, to + c + f->pad, from, n);
    else add_run(column.to + c, from, n);
  }
}

/* The rows of the runs behind that of the columns, which ends with row `end`. */
static void add_below(const Front *f, const FrontChild *child, const ColumnBlock *b, int to,
                      int end, const FrontRun *run) {
  for (; end < child->rows; end = run->from + run->n, run++) {
    const FrontReal *from = b->from + (end - b->first);
    if (to < f->columns) add_places(f, b, run->to + f->pad, from, run->n);
    else add_rows(b, b->to + (run->to - to), from, run->n);
  }
}

static void add(const Front *f, const FrontChild *child, int begin, int end) {
  const FrontRun *run = child->run;
  for (int j = begin, n = 0; j < end; j += n) {
    while (run->from + run->n <= j) run++;
    n = columns_together(f, child, run, j, end);
    const int to = child->to[j];
    const size_t column = (size_t)(to - f->columns);
    const size_t from = front_update_place(child->ld, (size_t)j, (size_t)j);
    ColumnBlock block = {.from = child->update + from,
                         .from_ld = front_update_ld(child->ld, (size_t)j),
                         .first = j,
                         .n = n};
    if (to < f->columns) {
      block.to = f->panel + (size_t)to * FRONT_ROWS;
      block.to_ld = FRONT_ROWS;
    } else {
      block.to = f->update + front_update_place(f->ld, column, column);
      block.to_ld = front_update_ld(f->ld, column);
    }
    add_diagonal(f, &block, to, run->from + run->n);
    add_below(f, child, &block, to, run->from + run->n, run + 1);
  }
}

/* Fewer reals than a group has. */
static inline void copy_few(FrontReal *to, const FrontReal *from, int n) {
#ifdef MASKED
  int i = 0;
  for (; i + LANES <= n; i += LANES) lanes_store(to + i, lanes_load(from + i));
  lanes_store_first(to + i, n - i, lanes_load_first(from + i, n - i));
#else
  sofa_copy(to, from, (size_t)n * sizeof *to);
#endif
}

static void store(const Front *f, FrontReal *l, int begin, int end_column) {
  l += (size_t)begin * (size_t)f->rows;
  for (int k = begin; k < end_column; k++) {
    const FrontReal *from = f->panel + (size_t)k * FRONT_ROWS;
    for (int place = f->pad, end = f->pad + f->rows; place < end;) {
      const int lane = place % FRONT_ROWS, n = min_int(FRONT_ROWS - lane, end - place);
      const FrontReal *rows = from + (size_t)(place / FRONT_ROWS) * (size_t)f->columns * FRONT_ROWS;
      if (n == FRONT_ROWS) memcpy(l, rows, FRONT_ROWS * sizeof *l);
      else copy_few(l, rows + lane, n);
      l += n;
      place += n;
    }
  }
}

/* ---- solutions ---- */

enum { SOLVED = 4 }; /* columns that go through the rows together */

/* Calls f(rows, n, ...) with a constant n, 1 to 4. */
#define WITH_COLUMNS(f, rows, n, ...)                                                              \
  do {                                                                                             \
    if ((n) == 4) f(rows, 4, __VA_ARGS__);                                                         \
    else if ((n) == 3) f(rows, 3, __VA_ARGS__);                                                    \
    else if ((n) == 2) f(rows, 2, __VA_ARGS__);                                                    \
    else f(rows, 1, __VA_ARGS__);                                                                  \
  } while (0)

/* to -= sum of `n` columns of L, ld apart, times x. */
static inline void subtract_columns(int rows, int n, const FrontReal *l, size_t ld,
                                    const FrontReal *x, FrontReal *to) {
  Lanes factor[SOLVED];
  int i = 0;
#pragma GCC unroll 4
  for (int c = 0; c < n; c++) factor[c] = lanes_set(-x[c]);
  for (; i + LANES <= rows; i += LANES) {
    Lanes sum = lanes_load(to + i);
#pragma GCC unroll 4
    for (int c = 0; c < n; c++)
      sum = lanes_madd(lanes_load(l + (size_t)c * ld + (size_t)i), factor[c], sum);
    lanes_store(to + i, sum);
  }
#ifdef MASKED
  Lanes last = lanes_load_first(to + i, rows - i);
#pragma GCC unroll 4
  for (int c = 0; c < n; c++)
    last = lanes_madd(lanes_load_first(l + (size_t)c * ld + (size_t)i, rows - i), factor[c], last);
  lanes_store_first(to + i, rows - i, last);
#else
  for (; i < rows; i++)
#pragma GCC unroll 4
    for (int c = 0; c < n; c++) to[i] = real_madd(l[(size_t)c * ld + (size_t)i], -x[c], to[i]);
#endif
}

static void subtract(int columns, int rows, int stride, const FrontReal *l, const FrontReal *w,
                     FrontReal *to) {
  const size_t ld = (size_t)stride;
  for (int k = 0; k < columns; k += SOLVED, l += SOLVED * ld)
    WITH_COLUMNS(subtract_columns, rows, min_int(SOLVED, columns - k), l, ld, w + k, to);
}

/* Reciprocals of the diagonal: the divisions wait for nothing. */
static inline void invert_diagonal(int n, const FrontReal *block, size_t ld, FrontReal *inverse) {
  for (int c = 0; c < n; c++) inverse[c] = 1 / block[(size_t)c * (ld + 1)];
}

/* A block of columns, from its diagonal on, and the `rows` rows below it. */
static inline void forward_block(int rows, int n, const FrontReal *block, size_t ld, FrontReal *w) {
  FrontReal inverse[SOLVED], x[SOLVED];
  invert_diagonal(n, block, ld, inverse);
#pragma GCC unroll 4
  for (int c = 0; c < n; c++) {
    FrontReal v = w[c];
#pragma GCC unroll 4
    for (int b = 0; b < c; b++) v = real_madd(-x[b], block[(size_t)b * ld + (size_t)c], v);
    w[c] = x[c] = v * inverse[c];
  }
  subtract_columns(rows, n, block + n, ld, x, w + n);
}

static void forward(int columns, int rows, int stride, const FrontReal *l, FrontReal *w) {
  const size_t ld = (size_t)stride;
  for (int k = 0; k < columns; k += SOLVED) {
    const int n = min_int(SOLVED, columns - k);
    WITH_COLUMNS(forward_block, rows - k - n, n, l + (size_t)k * (ld + 1), ld, w + k);
  }
}

/* As many sums as a register of 64 bytes has, whatever the length of a register. */
enum { SUMMED = 64 / sizeof(FrontReal), SUMS = SUMMED / LANES };

/* In pairs, those that are farthest apart first. */
static inline FrontReal add_up(const Lanes *sum) {
  FrontReal s[SUMMED];
  for (int i = 0; i < SUMS; i++) lanes_store(s + i * LANES, sum[i]);
  for (int half = SUMMED / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) s[i] += s[i + half];
  return s[0];
}

static inline void add_up_all(int n, Lanes sum[SOLVED][SUMS], FrontReal *sums) {
#ifdef ADD_UP_FOUR
  const __m256d zero = _mm256_setzero_pd();
  add_up_four(halves(sum[0]), n > 1 ? halves(sum[1]) : zero, n > 2 ? halves(sum[2]) : zero,
              n > 3 ? halves(sum[3]) : zero, sums);
#else
  for (int c = 0; c < n; c++) sums[c] = add_up(sum[c]);
#endif
}

/* x_c -= column c of L . w, of n columns that are ld apart. */
static inline void subtract_products(int rows, int n, const FrontReal *l, size_t ld,
                                     const FrontReal *w, FrontReal *x) {
  Lanes sum[SOLVED][SUMS];
  FrontReal sums[SOLVED];
  int i = 0;
#pragma GCC unroll 4
  for (int c = 0; c < n; c++)
#pragma GCC unroll 4
    for (int s = 0; s < SUMS; s++) sum[c][s] = lanes_set(0);
  for (; i + SUMMED <= rows; i += SUMMED)
#pragma GCC unroll 4
    for (int c = 0; c < n; c++)
#pragma GCC unroll 4
      for (int s = 0; s < SUMS; s++)
        sum[c][s] = lanes_madd(lanes_load(l + (size_t)c * ld + (size_t)(i + s * LANES)),
                               lanes_load(w + i + s * LANES), sum[c][s]);
#pragma GCC unroll 4
  for (int s = 0; s < SUMS; s++, i += LANES) {
    const int left = min_int(rows - i, LANES);
    if (left <= 0) break;
    const Lanes part = lanes_load_first(w + i, left);
#pragma GCC unroll 4
    for (int c = 0; c < n; c++)
      sum[c][s] =
          lanes_madd(lanes_load_first(l + (size_t)c * ld + (size_t)i, left), part, sum[c][s]);
  }
  add_up_all(n, sum, sums);
#pragma GCC unroll 4
  for (int c = 0; c < n; c++) x[c] -= sums[c];
}

static void products(int columns, int rows, int stride, const FrontReal *l, const FrontReal *w,
                     FrontReal *x) {
  const size_t ld = (size_t)stride;
  for (int k = 0; k < columns; k += SOLVED, l += SOLVED * ld)
    WITH_COLUMNS(subtract_products, rows, min_int(SOLVED, columns - k), l, ld, w, x + k);
}

static inline void backward_block(int rows, int n, const FrontReal *block, size_t ld,
                                  FrontReal *w) {
  FrontReal inverse[SOLVED];
  invert_diagonal(n, block, ld, inverse);
  subtract_products(rows, n, block + n, ld, w + n, w);
#pragma GCC unroll 4
  for (int c = n - 1; c >= 0; c--) {
    FrontReal v = w[c];
#pragma GCC unroll 4
    for (int b = c + 1; b < n; b++) v = real_madd(-block[(size_t)c * ld + (size_t)b], w[b], v);
    w[c] = v * inverse[c];
  }
}

static void backward(int columns, int rows, int stride, const FrontReal *l, FrontReal *w) {
  const size_t ld = (size_t)stride;
  for (int k = (columns - 1) / SOLVED * SOLVED; k >= 0; k -= SOLVED) {
    const int n = min_int(SOLVED, columns - k);
    WITH_COLUMNS(backward_block, rows - k - n, n, l + (size_t)k * (ld + 1), ld, w + k);
  }
}

#define KERNELS FRONT_NAME(KERNELS_ISA)
extern const FrontKernels KERNELS;
const FrontKernels KERNELS = {.diagonal = diagonal,
                              .below = below,
                              .update = update,
                              .add = add,
                              .store = store,
                              .forward = forward,
                              .backward = backward,
                              .subtract = subtract,
                              .products = products};
