/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building of the levels, and the cycle over them. */
#include "numerics/krylov/multigrid_impl.h"

#include <math.h>

#include "base/team.h"

/* The polynomials damp eigenvalues from this part of the largest one on. */
static const double damped_part = 1.0 / 20;

SofaErr sofa_multigrid_create(SofaContext *ctx, SofaMultigrid **out) {
  *out = (SofaMultigrid *)sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  (*out)->ctx = ctx;
  return SOFA_OK;
}

static void level_free(SofaContext *ctx, Level *l) {
  void *lists[] = {&l->near, &l->inverse, &l->from, &l->entry, &l->row,
                   &l->x,    &l->b,       &l->r,    &l->d,     &l->ad};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) sofa_list_free(ctx, lists[i]);
  sofa_blocks_free(ctx, &l->own);
  sofa_blocks_free(ctx, &l->p);
  *l = (Level){.largest = 0};
}

static void clear(SofaMultigrid *mg) {
  for (size_t i = 0; i < LEVELS_MAX; i++) level_free(mg->ctx, &mg->level[i]);
  sofa_list_free(mg->ctx, &mg->factor);
  mg->n_levels = 0;
}

void sofa_multigrid_destroy(SofaMultigrid **multigrid) {
  SofaMultigrid *mg = *multigrid;
  if (!mg) return;
  clear(mg);
  sofa_free(mg->ctx, mg);
  *multigrid = NULL;
}

/* ---- products ---- */

/* Rows that a thread takes at once: of matrices, and of vectors alone. */
enum { MATRIX_GRAIN = 64, VECTOR_GRAIN = 1024 };

/* A loop over rows of a level. */
typedef struct Rows {
  const SofaMultigrid *mg;
  const Level *level;
  const double *from;
  double factor[2];
  double *to;
} Rows;

static void for_rows(const Rows *rows, size_t n, size_t grain, SofaTeamRange work) {
  sofa_team_for(rows->mg->ctx, n, grain, work, (void *)(uintptr_t)rows);
}

/* Of all levels but the first. */
static void multiply_rows(void *user, size_t begin, size_t end) {
  const Rows *rows = user;
  const LevelMatrix *a = &rows->level->a;
  for (size_t i = begin; i < end; i++) {
    double sum[MODES] = {0};
    for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++)
      sofa_add_rows(MODES, a->value + (size_t)MODES * MODES * k,
                    rows->from + (size_t)MODES * a->column[k], sum);
    sofa_copy(rows->to + MODES * i, sum, sizeof sum);
  }
}

void sofa_multigrid_multiply(const SofaMultigrid *mg, const Level *level, const double *x,
                             double *y) {
  const Rows rows = {.mg = mg, .level = level, .from = x, .to = y};
  if (level == mg->level) sofa_block_matrix_multiply(mg->matrix, x, y, mg->ctx->threads);
  else for_rows(&rows, level->a.n, MATRIX_GRAIN, multiply_rows);
}

#define INLINED static inline __attribute__((always_inline)) void

/* d = a d + b D^-1 r, x += d */
INLINED step_range(const Rows *rows, unsigned size, size_t begin, size_t end) {
  const Level *l = rows->level;
  for (size_t i = begin; i < end; i++) {
    const double *r = l->r.data + size * i, *inverse = l->inverse.data + (size_t)size * size * i;
    double z[MODES] = {0}, *d = l->d.data + size * i;
    // symmetric: its rows are its columns
    for (unsigned m = 0; m < size; m++)
      for (unsigned e = 0; e < size; e++) z[e] += r[m] * inverse[size * m + e];
    for (unsigned e = 0; e < size; e++) {
      d[e] = rows->factor[0] * d[e] + rows->factor[1] * z[e];
      rows->to[size * i + e] += d[e];
    }
  }
}

static void step_rows(void *user, size_t begin, size_t end) {
  const Rows *rows = user;
  if (rows->level->a.size == FINE) step_range(rows, FINE, begin, end);
  else step_range(rows, MODES, begin, end);
}

static void step(const SofaMultigrid *mg, const Level *l, double a, double b, double *x) {
  const Rows rows = {.mg = mg, .level = l, .factor = {a, b}, .to = x};
  for_rows(&rows, l->a.n, VECTOR_GRAIN, step_rows);
}

/* coarse = P^T r */
INLINED restrict_range(const Rows *rows, unsigned size, size_t begin, size_t end) {
  const Level *fine = rows->level;
  const Blocks *p = &fine->p;
  for (size_t j = begin; j < end; j++) {
    double sum[MODES] = {0};
    for (uint32_t k = fine->from.data[j]; k < fine->from.data[j + 1]; k++)
      sofa_add_rows(size, p->value.data + (size_t)size * MODES * fine->entry.data[k],
                    fine->r.data + (size_t)size * fine->row.data[k], sum);
    sofa_copy(rows->to + MODES * j, sum, sizeof sum);
  }
}

static void restrict_rows(void *user, size_t begin, size_t end) {
  const Rows *rows = user;
  if (rows->level->a.size == FINE) restrict_range(rows, FINE, begin, end);
  else restrict_range(rows, MODES, begin, end);
}

/* x += P coarse */
INLINED prolong_range(const Rows *rows, unsigned size, size_t begin, size_t end) {
  const Blocks *p = &rows->level->p;
  for (size_t i = begin; i < end; i++) {
    Pair sum[MODES] = {{0}};
    for (uint32_t k = p->start.data[i]; k < p->start.data[i + 1]; k++) {
      const Pair *from = (const Pair *)(rows->from + (size_t)MODES * p->column.data[k]);
      for (unsigned e = 0; e < size; e++) {
        const Pair *row = (const Pair *)(p->value.data + MODES * ((size_t)size * k + e));
        for (int j = 0; j < PAIRS; j++) sum[e] += row[j] * from[j];
      }
    }
    for (unsigned e = 0; e < size; e++) rows->to[size * i + e] += sum[e][0] + sum[e][1];
  }
}

static void prolong_rows(void *user, size_t begin, size_t end) {
  const Rows *rows = user;
  if (rows->level->a.size == FINE) prolong_range(rows, FINE, begin, end);
  else prolong_range(rows, MODES, begin, end);
}

/* ---- the cycle ---- */

static size_t size_of(const Level *l) {
  return l->a.n * l->a.size;
}

static void subtract_range(void *user, size_t begin, size_t end) {
  const Rows *rows = user;
  rows->mg->ctx->kernels->axpy(end - begin, -1, rows->from + begin, rows->to + begin);
}

/* r -= A x */
static void subtract_product(const SofaMultigrid *mg, Level *l, const double *x) {
  const Rows rows = {.mg = mg, .level = l, .from = l->ad.data, .to = l->r.data};
  sofa_multigrid_multiply(mg, l, x, l->ad.data);
  for_rows(&rows, size_of(l), (size_t)MODES * VECTOR_GRAIN, subtract_range);
}

/* The Chebyshev iteration (Saad: Iterative methods for sparse linear systems, algorithm 12.1) on
 * x; r is b - A x before and, with `last`, behind it. */
static void smooth(const SofaMultigrid *mg, Level *l, bool last, double *x) {
  const double high = l->largest, low = damped_part * high;
  const double middle = 0.5 * (high + low), half = 0.5 * (high - low), sigma = middle / half;
  double rho = 1 / sigma;
  sofa_zero(l->d.data, size_of(l) * sizeof *l->d.data);
  step(mg, l, 0, 1 / middle, x);
  for (unsigned k = 1; k < mg->options.degree; k++) {
    const double next = 1 / (2 * sigma - rho);
    subtract_product(mg, l, l->d.data);
    step(mg, l, next * rho, 2 * next / half, x);
    rho = next;
  }
  if (last) subtract_product(mg, l, l->d.data);
}

/* x = (L L^T)^-1 b on the last level. */
static void solve_last(const SofaMultigrid *mg, const Level *l, const double *b, double *x) {
  const size_t n = size_of(l);
  const double *f = mg->factor.data;
  for (size_t i = 0; i < n; i++) {
    double sum = b[i];
    for (size_t k = 0; k < i; k++) sum -= f[n * i + k] * x[k];
    x[i] = sum / f[n * i + i];
  }
  for (size_t i = n; i-- > 0;) {
    x[i] /= f[n * i + i];
    for (size_t k = 0; k < i; k++) x[k] -= f[n * i + k] * x[i];
  }
}

/* x = one cycle for A x = b from zero. */
static void cycle(SofaMultigrid *mg, size_t index, const double *b, double *x) {
  Level *l = &mg->level[index], *next = l + 1;
  const Rows down = {.mg = mg, .level = l, .to = next->b.data};
  const Rows up = {.mg = mg, .level = l, .from = next->x.data, .to = x};
  const size_t n = size_of(l);
  if (index + 1 == mg->n_levels && mg->factor.n) {
    solve_last(mg, l, b, x);
    return;
  }
  sofa_zero(x, n * sizeof *x);
  sofa_copy(l->r.data, b, n * sizeof *b);
  if (index + 1 == mg->n_levels) {
    smooth(mg, l, false, x);
    return;
  }
  smooth(mg, l, true, x);
  for_rows(&down, l->p.n_columns, MATRIX_GRAIN, restrict_rows);
  cycle(mg, index + 1, next->b.data, next->x.data);
  for_rows(&up, l->p.n_rows, MATRIX_GRAIN, prolong_rows);
  sofa_copy(l->r.data, b, n * sizeof *b);
  subtract_product(mg, l, x);
  smooth(mg, l, false, x);
}

void sofa_multigrid_apply(SofaMultigrid *mg, const double *b, double *x) {
  // the product with the matrix reads one real behind the end of its vector
  Level *l = &mg->level[0];
  if (mg->n_levels == 0) return;
  cycle(mg, 0, b, l->x.data);
  sofa_copy(x, l->x.data, size_of(l) * sizeof *x);
}

/* ---- building ---- */

/* Does scalar row e of block row i have entries beside its diagonal? */
static bool is_coupled(const LevelMatrix *a, size_t i, unsigned e) {
  for (uint32_t k = a->start[i]; k < a->start[i + 1]; k++)
    for (unsigned c = 0; c < a->size; c++)
      if (a->value[((size_t)a->size * k + e) * a->size + c] != 0 && !(a->column[k] == i && c == e))
        return true;
  return false;
}

/* Translations and rotations about the middle of the points, in units of their extent. Fixed
 * unknowns do not move. */
static SofaErr rigid_modes(SofaContext *ctx, const double *points, Level *l) {
  const size_t n = l->a.n;
  double middle[3] = {0}, extent = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &l->near, n * FINE * MODES));
  for (size_t i = 0; i < 3 * n; i++) middle[i % 3] += points[i] / (double)n;
  for (size_t i = 0; i < 3 * n; i++) extent = fmax(extent, fabs(points[i] - middle[i % 3]));
  const double unit = extent > 0 ? 1 / extent : 0;
  for (size_t i = 0; i < n; i++) {
    const double x = unit * (points[3 * i] - middle[0]), y = unit * (points[3 * i + 1] - middle[1]),
                 z = unit * (points[3 * i + 2] - middle[2]);
    const double rows[FINE][MODES] = {
        {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}, {0, 0, 1, y, -x, 0}};
    for (unsigned e = 0; e < FINE; e++)
      if (is_coupled(&l->a, i, e))
        sofa_copy(l->near.data + MODES * (FINE * i + e), rows[e], sizeof rows[e]);
  }
  return SOFA_OK;
}

static SofaErr take_vectors(SofaContext *ctx, Level *l) {
  SofaReals *lists[] = {&l->x, &l->b, &l->r, &l->d, &l->ad};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    SOFA_TRY(SOFA_RESERVE(ctx, lists[i], size_of(l) + 1));
    SOFA_TRY(SOFA_RESIZE(ctx, lists[i], size_of(l)));
  }
  return SOFA_OK;
}

/* The largest eigenvalue of D^-1 A by the power method from numbers of a fixed sequence, and a few
 * percent more. */
static void find_largest(const SofaMultigrid *mg, Level *l) {
  enum { ITERATIONS = 12 };
  static const double more = 1.1;
  const size_t n = size_of(l);
  const SofaKernels *kernels = mg->ctx->kernels;
  uint32_t seed = 1;
  for (size_t i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    l->r.data[i] = (double)(seed >> 8) / (1 << 24) - 0.5;
  }
  l->largest = 1;
  for (int k = 0; k < ITERATIONS; k++) {
    // d = D^-1 r; the quotient d.A d / d.D d, and d.D d = d.r
    sofa_zero(l->d.data, n * sizeof *l->d.data);
    step(mg, l, 0, 1, l->x.data);
    sofa_multigrid_multiply(mg, l, l->d.data, l->ad.data);
    const double top = kernels->dot(n, l->d.data, l->ad.data),
                 bottom = kernels->dot(n, l->d.data, l->r.data);
    if (!(top > 0) || !(bottom > 0)) break;
    l->largest = more * top / bottom;
    for (size_t i = 0; i < n; i++) l->r.data[i] = l->ad.data[i] / sqrt(top);
  }
}

/* The dense factor of the last level; *row as in the header. */
static SofaErr factorise_last(SofaMultigrid *mg, size_t *row) {
  const Level *l = &mg->level[mg->n_levels - 1];
  const size_t n = size_of(l), size = l->a.size;
  SOFA_TRY(SOFA_RESIZE(mg->ctx, &mg->factor, n * n));
  double *f = mg->factor.data;
  const bool by_rows = l == mg->level; // blocks of the other levels are stored by columns
  for (size_t i = 0; i < l->a.n; i++)
    for (uint32_t k = l->a.start[i]; k < l->a.start[i + 1]; k++)
      for (size_t e = 0; e < size * size; e++) {
        const size_t major = e / size, minor = e % size;
        const size_t r = by_rows ? major : minor, c = by_rows ? minor : major;
        f[n * (size * i + r) + size * l->a.column[k] + c] = l->a.value[size * size * k + e];
      }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j <= i; j++) {
      double sum = 0; // of the products of two rows
      for (size_t k = 0; k < j; k++) sum += f[n * i + k] * f[n * j + k];
      const double left = f[n * i + j] - sum;
      if (i == j && !(left > 0)) {
        *row = mg->n_levels == 1 ? i : 0;
        return SOFA_ERR_SINGULAR;
      }
      f[n * i + j] = i == j ? sqrt(left) : left / f[n * j + j];
    }
  }
  return SOFA_OK;
}

/* The prolongation of a level and the next level. *stalled: there are no fewer unknowns there. */
static SofaErr coarsen(SofaMultigrid *mg, Level *l, bool *stalled) {
  SofaContext *ctx = mg->ctx;
  Level *next = l + 1;
  SofaIndices aggregate = {0};
  Blocks p0 = {.n_rows = 0};
  size_t n = 0;
  SofaErr err;
  SOFA_GO(err, done, sofa_multigrid_aggregate(ctx, &l->a, mg->options.strength, &aggregate, &n));
  *stalled = n == 0 || n * MODES >= size_of(l);
  if (*stalled) goto done;
  SOFA_GO(err, done, sofa_multigrid_tentative(ctx, l, &aggregate, n, &p0, &next->near));
  SOFA_GO(err, done, sofa_multigrid_smooth(ctx, l, 4 / (3 * l->largest), &p0, &l->p));
  SOFA_GO(err, done, sofa_multigrid_transpose(ctx, l));
  SOFA_GO(err, done, sofa_multigrid_product(ctx, l, &next->own));
  next->a = (LevelMatrix){next->own.n_rows, MODES, next->own.start.data, next->own.column.data,
                          next->own.value.data};
done:
  sofa_list_free(ctx, &aggregate);
  sofa_blocks_free(ctx, &p0);
  sofa_list_free(ctx, &l->near);
  return err;
}

enum { DIRECT_MAX = 4 }; /* unknowns of a level that cannot become smaller, over `coarsest` */

static SofaErr build_levels(SofaMultigrid *mg, size_t *row) {
  bool stalled = false;
  for (mg->n_levels = 1;; mg->n_levels++) {
    Level *l = &mg->level[mg->n_levels - 1];
    SOFA_TRY(take_vectors(mg->ctx, l));
    SOFA_TRY(sofa_multigrid_invert(mg->ctx, l, row));
    if (size_of(l) <= mg->options.coarsest || mg->n_levels == LEVELS_MAX) break;
    find_largest(mg, l);
    SOFA_TRY(coarsen(mg, l, &stalled));
    if (stalled) break;
  }
  // a large level without coupling is smoothed alone
  const bool large = size_of(&mg->level[mg->n_levels - 1]) > DIRECT_MAX * mg->options.coarsest;
  return large ? SOFA_OK : factorise_last(mg, row);
}

SofaErr sofa_multigrid_build(SofaMultigrid *mg, const SofaBlockMatrix *matrix, const double *points,
                             const SofaMultigridOptions *options, size_t *row) {
  SofaBlockRows rows;
  sofa_block_matrix_rows(matrix, &rows);
  clear(mg);
  *row = 0;
  if (rows.n_rows == 0) return SOFA_OK;
  mg->matrix = matrix;
  mg->options = *options;
  mg->level[0].a = (LevelMatrix){rows.n_rows, rows.uniform, rows.start, rows.column, rows.values};
  SofaErr err = rigid_modes(mg->ctx, points, &mg->level[0]);
  if (err == SOFA_OK) err = build_levels(mg, row);
  if (err != SOFA_OK) clear(mg);
  return err;
}

size_t sofa_multigrid_n_levels(const SofaMultigrid *mg) {
  return mg->n_levels;
}

double sofa_multigrid_complexity(const SofaMultigrid *mg) {
  double sum = 0, first = 1;
  for (size_t i = 0; i < mg->n_levels; i++) {
    const LevelMatrix *a = &mg->level[i].a;
    const double entries = (double)a->start[a->n] * a->size * a->size;
    if (i == 0) first = entries;
    sum += entries;
  }
  return sum / first;
}
