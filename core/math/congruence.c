/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* L^T K R added to a block matrix. The scalar rows of L and R that belong to one point of K are
 * kept as dense blocks, one for each point of the target that they meet: T = K R by block rows of
 * K, then L^T T by block rows of the target. Here the patterns are made; see
 * congruence_kernels_impl.c for the values. */
#include "base/team.h"
#include "math/congruence_kernels_impl.h"
#include "math/isa.h"
#include "math/sparse_pattern.h"

static const uint32_t DROPPED = UINT32_MAX; /* of a column that leaves the target */
static const size_t NOWHERE = SIZE_MAX;     /* the place of its entries */

SOFA_LIST(size_t, Places);

/* A Jacobian cut by the points of K on one side and of the target on the other. */
typedef struct CutJacobian {
  SofaIndices start, column; /* blocks of each block row of K; block columns of the target */
  Places base;               /* see SofaPaddedBlocks */
  Places place;              /* in `value`, of each scalar entry, or NOWHERE */
  SofaReals value;
  unsigned width;
} CutJacobian;

/* One side of the target, and the points of K that the rows of a Jacobian belong to. */
typedef struct Cut {
  size_t n;               /* block rows of the Jacobian */
  const uint32_t *scalar; /* n + 1 */
  size_t n_target;
  const uint32_t *target_scalar; /* n_target + 1 */
  size_t first;                  /* scalar of the target where column 0 of the Jacobian goes */
} Cut;

struct SofaCongruence {
  SofaContext *ctx;
  /* what the patterns were made for */
  SofaPatternCopy left, right;
  uint64_t k_version;
  size_t row, column, n_k_rows;
  SofaIndices count; /* 0, 1, 2 .. and ones: the identity */
  SofaReals one;
  CutJacobian cut_left, cut_right;
  bool shared; /* cut_right serves both sides */
  /* see SofaCongruenceWork; T has block columns t_column */
  SofaIndices t_start, t_column, t_slot, t_first;
  Places t_base;
  SofaReals t_value;
  SofaIndices lt_start, lt_row, lt_block, slot, slot_first;
  size_t first_row, n_rows;
  unsigned size;
  SofaIndices block_start, block_column;
  Places value_at;
  size_t widest; /* reals of the padded blocks of a result row, at most */
  SofaReals row_value, block_value;
  SofaIndices mark;    /* of block columns: place + 1 in the list that is made */
  SofaIndices located; /* block of the target of a column of a Jacobian, or DROPPED */
};

SofaErr sofa_congruence_create(SofaContext *ctx, SofaCongruence **out) {
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  (*out)->ctx = ctx;
  return SOFA_OK;
}

static void free_cut(SofaContext *ctx, CutJacobian *j) {
  sofa_list_free(ctx, &j->start);
  sofa_list_free(ctx, &j->column);
  sofa_list_free(ctx, &j->base);
  sofa_list_free(ctx, &j->place);
  sofa_list_free(ctx, &j->value);
}

void sofa_congruence_destroy(SofaCongruence **congruence) {
  SofaCongruence *c = *congruence;
  if (!c) return;
  sofa_pattern_free(c->ctx, &c->left);
  sofa_pattern_free(c->ctx, &c->right);
  free_cut(c->ctx, &c->cut_left);
  free_cut(c->ctx, &c->cut_right);
  SofaIndices *lists[] = {&c->count,  &c->t_start,  &c->t_column, &c->t_slot,      &c->lt_start,
                          &c->lt_row, &c->lt_block, &c->slot,     &c->block_start, &c->block_column,
                          &c->mark,   &c->located,  &c->t_first,  &c->slot_first};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(c->ctx, lists[i]);
  SofaReals *reals[] = {&c->one, &c->t_value, &c->row_value, &c->block_value};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) sofa_list_free(c->ctx, reals[i]);
  sofa_list_free(c->ctx, &c->t_base);
  sofa_list_free(c->ctx, &c->value_at);
  sofa_free(c->ctx, c);
  *congruence = NULL;
}

/* ---- Jacobians ---- */

/* A Jacobian, or, where it is NULL, the identity of n rows. */
static SofaErr view(SofaCongruence *c, const SofaCsr *j, size_t n, SofaCsr *out) {
  if (j) {
    *out = *j;
    return SOFA_OK;
  }
  const size_t known = c->one.n;
  if (n > known) {
    SOFA_TRY(SOFA_RESIZE(c->ctx, &c->count, n + 1));
    for (size_t i = known; i <= n; i++) c->count.data[i] = (uint32_t)i;
    SOFA_TRY(SOFA_RESIZE(c->ctx, &c->one, n));
    for (size_t i = known; i < n; i++) c->one.data[i] = 1;
  }
  *out = (SofaCsr){n, n, c->count.data, c->count.data, c->one.data};
  return SOFA_OK;
}

/* Starts a marker over n block columns. */
static SofaErr clear_marks(SofaCongruence *c, size_t n) {
  c->mark.n = 0;
  return SOFA_RESIZE(c->ctx, &c->mark, n);
}

/* The place in `columns` of a block column, which is appended unless the row that began at `first`
 * has it. */
static SofaErr take_column(SofaCongruence *c, SofaIndices *columns, size_t first, uint32_t column) {
  if (c->mark.data[column] > first) return SOFA_OK;
  SOFA_TRY(SOFA_APPEND(c->ctx, columns, &column));
  c->mark.data[column] = (uint32_t)columns->n;
  return SOFA_OK;
}

/* Which block of the target each column of a Jacobian lies in. */
static SofaErr locate_columns(SofaCongruence *c, const Cut *cut, size_t n_columns) {
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->located, n_columns));
  size_t block = 0;
  for (size_t j = 0; j < n_columns; j++) {
    const size_t scalar = cut->first + j;
    while (block < cut->n_target && cut->target_scalar[block + 1] <= scalar) block++;
    c->located.data[j] = block < cut->n_target ? (uint32_t)block : DROPPED;
  }
  return SOFA_OK;
}

/* The blocks of all block rows, and the width of their rows. */
static SofaErr list_cut(SofaCongruence *c, const Cut *cut, const SofaCsr *j, CutJacobian *out) {
  SOFA_TRY(clear_marks(c, cut->n_target));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &out->start, cut->n + 1));
  out->column.n = 0;
  out->width = 4;
  for (size_t i = 0; i < cut->n; i++) {
    const size_t first = out->column.n;
    out->start.data[i] = (uint32_t)first;
    for (uint32_t e = j->start[cut->scalar[i]]; e < j->start[cut->scalar[i + 1]]; e++) {
      const uint32_t block = c->located.data[j->column[e]];
      if (block == DROPPED) continue;
      SOFA_TRY(take_column(c, &out->column, first, block));
      if (cut->target_scalar[block + 1] - cut->target_scalar[block] > 4) out->width = 8;
    }
  }
  out->start.data[cut->n] = (uint32_t)out->column.n;
  return SOFA_OK;
}

/* Where the entries of scalar row `row`, which is row r of block row i, stand. */
static void place_row(const SofaCongruence *c, const Cut *cut, const SofaCsr *j, size_t i,
                      uint32_t row, CutJacobian *out) {
  const size_t d = cut->scalar[i + 1] - cut->scalar[i], r = row - cut->scalar[i];
  for (uint32_t e = j->start[row]; e < j->start[row + 1]; e++) {
    const uint32_t block = c->located.data[j->column[e]];
    out->place.data[e] = NOWHERE;
    if (block == DROPPED) continue;
    const size_t local = c->mark.data[block] - 1 - out->start.data[i];
    const size_t offset = cut->first + j->column[e] - cut->target_scalar[block];
    out->place.data[e] = out->base.data[i] + (local * d + r) * out->width + offset;
  }
}

static void take_values(const SofaCsr *j, CutJacobian *to) {
  for (size_t e = 0; e < to->place.n; e++)
    if (to->place.data[e] != NOWHERE) to->value.data[to->place.data[e]] = j->value[e];
}

static SofaErr cut_jacobian(SofaCongruence *c, const Cut *cut, const SofaCsr *j, CutJacobian *out) {
  SOFA_TRY(locate_columns(c, cut, j->n_columns));
  SOFA_TRY(list_cut(c, cut, j, out));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &out->base, cut->n + 1));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &out->place, j->start[cut->scalar[cut->n]]));
  size_t values = 0;
  for (size_t i = 0; i < cut->n; i++) {
    out->base.data[i] = values;
    const uint32_t first = out->start.data[i], end = out->start.data[i + 1];
    for (uint32_t b = first; b < end; b++) c->mark.data[out->column.data[b]] = b + 1;
    for (uint32_t r = cut->scalar[i]; r < cut->scalar[i + 1]; r++) place_row(c, cut, j, i, r, out);
    values += (size_t)(end - first) * (cut->scalar[i + 1] - cut->scalar[i]) * out->width;
  }
  out->base.data[cut->n] = values;
  out->value.n = 0; /* zeros stay where no entry is */
  SOFA_TRY(SOFA_RESIZE(c->ctx, &out->value, values));
  take_values(j, out);
  return SOFA_OK;
}

static SofaPaddedBlocks padded(const CutJacobian *j) {
  return (SofaPaddedBlocks){j->start.data, j->base.data, j->value.data, j->width};
}

/* ---- patterns of the products ---- */

/* The blocks of row i of T and where each product goes. */
static SofaErr list_t_row(SofaCongruence *c, const SofaBlockRows *k, size_t i) {
  const CutJacobian *right = &c->cut_right;
  const size_t first = c->t_column.n;
  for (uint32_t b = k->start[i]; b < k->start[i + 1]; b++) {
    const uint32_t j = k->column[b];
    for (uint32_t e = right->start.data[j]; e < right->start.data[j + 1]; e++) {
      const uint32_t column = right->column.data[e];
      SOFA_TRY(take_column(c, &c->t_column, first, column));
      const uint32_t local = c->mark.data[column] - 1 - (uint32_t)first;
      SOFA_TRY(SOFA_APPEND(c->ctx, &c->t_slot, &local));
    }
  }
  return SOFA_OK;
}

static SofaErr list_t(SofaCongruence *c, const SofaBlockRows *k, size_t n_target_columns) {
  SOFA_TRY(clear_marks(c, n_target_columns));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->t_start, k->n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->t_base, k->n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->t_first, k->n_rows));
  c->t_column.n = c->t_slot.n = 0;
  size_t values = 0;
  for (size_t i = 0; i < k->n_rows; i++) {
    const size_t first = c->t_column.n;
    c->t_start.data[i] = (uint32_t)first;
    c->t_base.data[i] = values;
    c->t_first.data[i] = (uint32_t)c->t_slot.n;
    SOFA_TRY(list_t_row(c, k, i));
    const size_t d = k->row_scalar[i + 1] - k->row_scalar[i];
    values += (c->t_column.n - first) * d * c->cut_right.width;
  }
  c->t_start.data[k->n_rows] = (uint32_t)c->t_column.n;
  c->t_base.data[k->n_rows] = values;
  return SOFA_RESIZE(c->ctx, &c->t_value, values);
}

/* Block rows of the target that the result reaches. */
static void find_result_rows(SofaCongruence *c, size_t n_scalars, const SofaBlockRows *target) {
  size_t row = 0;
  while (row < target->n_rows && target->row_scalar[row + 1] <= c->row) row++;
  c->first_row = row;
  while (row < target->n_rows && target->row_scalar[row] < c->row + n_scalars) row++;
  c->n_rows = row - c->first_row;
}

/* The blocks of L by their columns. */
static SofaErr transpose_left(SofaCongruence *c, const CutJacobian *left) {
  c->lt_start.n = 0;
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->lt_start, c->n_rows + 2));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->lt_row, left->column.n));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->lt_block, left->column.n));

  /* counts stand two further on, so that filling moves each start to its place */
  uint32_t *start = c->lt_start.data;
  for (size_t b = 0; b < left->column.n; b++) start[left->column.data[b] - c->first_row + 2]++;
  for (size_t p = 0; p < c->n_rows; p++) start[p + 2] += start[p + 1];
  for (uint32_t i = 0; i + 1 < left->start.n; i++) {
    for (uint32_t b = left->start.data[i]; b < left->start.data[i + 1]; b++) {
      const uint32_t at = start[left->column.data[b] - c->first_row + 1]++;
      c->lt_row.data[at] = i;
      c->lt_block.data[at] = b;
    }
  }
  return SOFA_OK;
}

/* The blocks of result row p and where each product goes. */
static SofaErr list_result_row(SofaCongruence *c, size_t p) {
  const size_t first = c->block_column.n;
  for (uint32_t l = c->lt_start.data[p]; l < c->lt_start.data[p + 1]; l++) {
    const uint32_t i = c->lt_row.data[l];
    for (uint32_t e = c->t_start.data[i]; e < c->t_start.data[i + 1]; e++) {
      const uint32_t column = c->t_column.data[e];
      SOFA_TRY(take_column(c, &c->block_column, first, column));
      const uint32_t local = c->mark.data[column] - 1 - (uint32_t)first;
      SOFA_TRY(SOFA_APPEND(c->ctx, &c->slot, &local));
    }
  }
  return SOFA_OK;
}

static SofaErr list_blocks(SofaCongruence *c, const SofaBlockRows *target) {
  SOFA_TRY(clear_marks(c, target->n_columns));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->block_start, c->n_rows + 1));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->slot_first, c->n_rows));
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->value_at, c->n_rows));
  c->block_column.n = c->slot.n = c->widest = 0;
  size_t values = 0;
  for (size_t p = 0; p < c->n_rows; p++) {
    const size_t first = c->block_column.n, row = c->first_row + p;
    c->block_start.data[p] = (uint32_t)first;
    c->slot_first.data[p] = (uint32_t)c->slot.n;
    c->value_at.data[p] = values;
    SOFA_TRY(list_result_row(c, p));
    const size_t size = target->row_scalar[row + 1] - target->row_scalar[row];
    const size_t padded_row = (c->block_column.n - first) * size * c->cut_right.width;
    if (padded_row > c->widest) c->widest = padded_row;
    for (size_t b = first; b < c->block_column.n; b++) {
      const uint32_t j = c->block_column.data[b];
      values += size * (target->column_scalar[j + 1] - target->column_scalar[j]);
    }
  }
  c->block_start.data[c->n_rows] = (uint32_t)c->block_column.n;
  return SOFA_RESIZE(c->ctx, &c->block_value, values);
}

/* The common size of all blocks of the target that the result reaches, or 0. */
static unsigned common_size(const SofaCongruence *c, const SofaBlockRows *target) {
  const uint32_t *row = target->row_scalar + c->first_row;
  const unsigned size = c->n_rows ? row[1] - row[0] : 0;
  for (size_t p = 0; p < c->n_rows; p++)
    if (row[p + 1] - row[p] != size) return 0;
  for (size_t b = 0; b < c->t_column.n; b++) {
    const uint32_t *column = target->column_scalar + c->t_column.data[b];
    if (column[1] - column[0] != size) return 0;
  }
  return size;
}

static SofaErr make_patterns(SofaCongruence *c, const SofaCongruenceProduct *product,
                             const SofaBlockRows *k, const SofaBlockRows *target) {
  SofaCsr left, right;
  c->right.known = false;
  c->block_start.n = c->n_rows = 0;
  SOFA_TRY(sofa_pattern_keep(c->ctx, &c->left, product->left));
  SOFA_TRY(view(c, product->right, k->n_scalar_columns, &right));
  const Cut columns = {k->n_columns, k->column_scalar, target->n_columns, target->column_scalar,
                       c->column};
  SOFA_TRY(cut_jacobian(c, &columns, &right, &c->cut_right));
  SOFA_TRY(view(c, product->left, k->n_scalar_rows, &left));
  const Cut rows = {k->n_rows, k->row_scalar, target->n_rows, target->row_scalar, c->row};
  c->shared =
      product->left == product->right && c->row == c->column && k->diagonal && target->diagonal;
  if (!c->shared) SOFA_TRY(cut_jacobian(c, &rows, &left, &c->cut_left));
  SOFA_TRY(list_t(c, k, target->n_columns));
  find_result_rows(c, left.n_columns, target);
  c->size = common_size(c, target);
  SOFA_TRY(transpose_left(c, c->shared ? &c->cut_right : &c->cut_left));
  SOFA_TRY(list_blocks(c, target));
  SOFA_TRY(sofa_pattern_keep(c->ctx, &c->right, product->right));
  c->k_version = k->pattern_version;
  c->n_k_rows = k->n_scalar_rows;
  return SOFA_OK;
}

/* ---- values ---- */

/* Products of blocks that are worth a piece, and pieces at most. */
enum { PIECE_PRODUCTS = 1000, MOST_PIECES = 64 };

/* Rows of a piece, of n with so many products. */
static size_t grain_of(size_t n, size_t products) {
  const size_t least = (n + MOST_PIECES - 1) / MOST_PIECES;
  const size_t rows = products > PIECE_PRODUCTS ? n * PIECE_PRODUCTS / products : n;
  return rows > least ? rows : least > 0 ? least : 1;
}

typedef struct Computing {
  const SofaCongruenceKernels *kernels;
  SofaCongruenceWork work;
  double *room; /* of each piece */
  size_t widest, grain;
} Computing;

static void compute_t(void *user, size_t begin, size_t end) {
  const Computing *c = user;
  c->kernels->t(&c->work, begin, end);
}

static void compute_result(void *user, size_t begin, size_t end) {
  const Computing *c = user;
  c->kernels->result(&c->work, begin, end, c->room + begin / c->grain * c->widest);
}

static SofaErr compute(SofaCongruence *c, double factor, const SofaBlockRows *k,
                       const SofaBlockRows *target) {
  static const SofaCongruenceKernels *const variants[] = SOFA_VARIANTS(&sofa_congruence_kernels);
  const SofaPaddedBlocks right = padded(&c->cut_right);
  const size_t grain = grain_of(c->n_rows, c->slot.n);
  SOFA_TRY(SOFA_RESIZE(c->ctx, &c->row_value, (c->n_rows / grain + 1) * c->widest));
  Computing computing = {
      .kernels = variants[sofa_isa(c->ctx)],
      .work = {.k = k,
               .factor = factor,
               .left = c->shared ? right : padded(&c->cut_left),
               .right = right,
               .t = {c->t_start.data, c->t_base.data, c->t_value.data, right.width},
               .t_slot = c->t_slot.data,
               .t_first = c->t_first.data,
               .target = target,
               .size = c->size,
               .first_row = c->first_row,
               .n_rows = c->n_rows,
               .lt_start = c->lt_start.data,
               .lt_row = c->lt_row.data,
               .lt_block = c->lt_block.data,
               .slot = c->slot.data,
               .first = c->slot_first.data,
               .block_start = c->block_start.data,
               .block_column = c->block_column.data,
               .value = c->block_value.data,
               .value_at = c->value_at.data},
      .room = c->row_value.data,
      .widest = c->widest,
      .grain = grain};
  sofa_team_for(c->ctx, k->n_rows, grain_of(k->n_rows, c->t_slot.n), compute_t, &computing);
  sofa_team_for(c->ctx, c->n_rows, grain, compute_result, &computing);
  return SOFA_OK;
}

/* Adds the blocks where they follow the target's record, without a look at each one's size. */
static bool add_run(const SofaCongruence *c, const SofaBlockRows *t, SofaBlockMatrix *target) {
  const unsigned u = t->uniform;
  const size_t n = c->block_column.n;
  SofaBlockRun run;
  if (u == 0 || !sofa_block_matrix_begin_run(target, u, n, &run)) return false;
  for (size_t p = 0; p < c->n_rows; p++)
    for (uint32_t b = c->block_start.data[p]; b < c->block_start.data[p + 1]; b++)
      if (!sofa_block_run_expects(&run, b, (uint32_t)(c->first_row + p), c->block_column.data[b]))
        return false;
  for (size_t b = 0; b < n; b++) {
    const size_t k = run.blocks[b] & SOFA_BLOCK_NUMBER;
    sofa_block_put(run.blocks[b], u * u, c->block_value.data + u * u * b, 1,
                   run.values + u * u * k);
  }
  sofa_block_matrix_end_run(target, n);
  return true;
}

void sofa_congruence_add_again(SofaCongruence *c, SofaBlockMatrix *target) {
  SofaBlockRows t;
  sofa_block_matrix_rows(target, &t);
  if (add_run(c, &t, target)) return;
  const double *value = c->block_value.data;
  for (size_t p = 0; p < c->n_rows; p++) {
    const size_t row = c->first_row + p;
    const size_t size = t.row_scalar[row + 1] - t.row_scalar[row];
    for (uint32_t b = c->block_start.data[p]; b < c->block_start.data[p + 1]; b++) {
      const uint32_t j = c->block_column.data[b];
      sofa_block_matrix_add(target, (uint32_t)row, j, value, 1);
      value += size * (t.column_scalar[j + 1] - t.column_scalar[j]);
    }
  }
}

static bool known(const SofaCongruence *c, const SofaCongruenceProduct *product,
                  const SofaBlockRows *k) {
  return c->k_version == k->pattern_version && c->n_k_rows == k->n_scalar_rows &&
         (!c->shared || product->left == product->right) &&
         sofa_pattern_same(&c->left, product->left) && sofa_pattern_same(&c->right, product->right);
}

SofaErr sofa_congruence_add(SofaCongruence *c, const SofaCongruenceProduct *product,
                            SofaBlockMatrix *target, size_t row, size_t column) {
  SofaBlockRows k_rows, t_rows;
  sofa_block_matrix_rows(product->k, &k_rows);
  sofa_block_matrix_rows(target, &t_rows);
  if (c->row != row || c->column != column || !known(c, product, &k_rows)) {
    c->row = row;
    c->column = column;
    const SofaErr err = make_patterns(c, product, &k_rows, &t_rows);
    if (err != SOFA_OK) {
      c->left.known = c->right.known = false;
      c->n_rows = c->block_column.n = 0;
      return err;
    }
  }
  if (product->right) take_values(product->right, &c->cut_right);
  if (product->left && !c->shared) take_values(product->left, &c->cut_left);
  SOFA_TRY(compute(c, product->factor, &k_rows, &t_rows));
  sofa_congruence_add_again(c, target);
  return SOFA_OK;
}
