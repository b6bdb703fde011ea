/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which elements of a batch share a stiffness, and their places.
 *
 * Matrices that many elements have are found in one pass (J. Misra, D. Gries, Science of Computer
 * Programming 2, 1982): an element counts for the candidate that it equals, or becomes one, or
 * takes one off all counts. A second pass counts. Then elements of a kind are gathered in groups,
 * but not over more than a block of elements, so that neighbours stay near in memory. */
#include <math.h>
#include <string.h>
#include "base/bytes.h"
#include "numerics/fem/element_batch.h"

enum { BLOCK_GROUPS = 64, NO_KIND = 0, BINS = SOFA_ELEMENT_KINDS + 1 };

typedef struct Comparison {
  SofaElementBatch *b;
  size_t size; /* reals of a matrix */
  double most[SOFA_ELEMENT_KINDS];
  size_t count[SOFA_ELEMENT_KINDS];
  size_t latest;   /* kind that matched last */
  uint8_t *kind;   /* n: of each lane, from 1 */
  uint32_t *order; /* the old lane of each new one; those beyond the last element repeat it */
} Comparison;

/* ---- kinds ---- */

static double *kind_of(const Comparison *c, size_t kind) {
  return c->b->kinds + c->size * kind;
}

static bool equals(const Comparison *c, size_t lane, size_t kind) {
  const double(*k)[SOFA_LANES] = (const double(*)[SOFA_LANES])c->b->k + lane / SOFA_LANES * c->size;
  const double *other = kind_of(c, kind), bound = 1e-12 * c->most[kind];
  for (size_t i = 0; i < c->size; i++)
    if (!(fabs(k[i][lane % SOFA_LANES] - other[i]) <= bound)) return false;
  return true;
}

/* The kind of a lane, or n_kinds. */
static size_t find(Comparison *c, size_t lane) {
  const size_t n = c->b->n_kinds;
  if (c->latest < n && equals(c, lane, c->latest)) return c->latest;
  for (size_t i = 0; i < n; i++) {
    if (i == c->latest || !equals(c, lane, i)) continue;
    return c->latest = i;
  }
  return n;
}

static void set_kind(Comparison *c, size_t kind, size_t lane) {
  double *to = kind_of(c, kind);
  c->most[kind] = 0;
  c->count[kind] = 1;
  for (size_t i = 0; i < c->size; i++) {
    to[i] = c->b->k[lane / SOFA_LANES * c->size + i][lane % SOFA_LANES];
    c->most[kind] = fmax(c->most[kind], fabs(to[i]));
  }
}

static void find_candidates(Comparison *c) {
  SofaElementBatch *b = c->b;
  for (size_t lane = 0; lane < b->n; lane++) {
    const size_t found = find(c, lane);
    size_t free = 0;
    if (found < b->n_kinds) {
      c->count[found]++;
      continue;
    }
    while (free < b->n_kinds && c->count[free]) free++;
    if (free < SOFA_ELEMENT_KINDS) {
      set_kind(c, free, lane);
      if (free == b->n_kinds) b->n_kinds++;
      continue;
    }
    for (size_t i = 0; i < b->n_kinds; i++) c->count[i]--;
  }
}

/* Kinds of less than a group's elements are forgotten, unless they are all that there are. */
static void count_kinds(Comparison *c) {
  SofaElementBatch *b = c->b;
  const size_t least = b->n < SOFA_LANES ? b->n : (size_t)SOFA_LANES;
  uint8_t number[BINS] = {NO_KIND};
  size_t kept = 0;
  memset(c->count, 0, sizeof c->count);
  for (size_t lane = 0; lane < b->n; lane++) {
    const size_t found = find(c, lane);
    c->kind[lane] = found < b->n_kinds ? (uint8_t)(found + 1) : NO_KIND;
    if (found < b->n_kinds) c->count[found]++;
  }
  for (size_t i = 0; i < b->n_kinds; i++) {
    if (c->count[i] < least) continue;
    sofa_move(kind_of(c, kept), kind_of(c, i), c->size * sizeof *b->kinds);
    number[i + 1] = (uint8_t)++kept;
  }
  b->n_kinds = kept;
  for (size_t lane = 0; lane < b->n; lane++) c->kind[lane] = number[c->kind[lane]];
}

/* ---- places ---- */

/* The order that gathers elements of a kind, within blocks. */
static void make_order(Comparison *c) {
  const size_t n = c->b->n, block = BLOCK_GROUPS * SOFA_LANES;
  uint32_t bins[BINS][SOFA_LANES];
  size_t at = 0;
  for (size_t begin = 0; begin < n; begin += block) {
    const size_t end = n - begin < block ? n : begin + block;
    size_t filled[BINS] = {0}, left[BINS] = {0};
    for (size_t lane = begin; lane < end; lane++) {
      const size_t bin = c->kind[lane];
      bins[bin][filled[bin]++] = (uint32_t)lane;
      if (filled[bin] < SOFA_LANES) continue;
      memcpy(c->order + at, bins[bin], sizeof bins[bin]);
      at += SOFA_LANES;
      filled[bin] = 0;
    }
    // what is left, in order
    for (size_t lane = begin; lane < end; lane++) {
      const size_t bin = c->kind[lane];
      if (left[bin] == filled[bin] || bins[bin][left[bin]] != lane) continue;
      c->order[at++] = (uint32_t)lane;
      left[bin]++;
    }
  }
  for (; at < c->b->n_groups * SOFA_LANES; at++) c->order[at] = c->order[n - 1];
}

/* The kind of all elements of a group. */
static uint8_t group_kind(const Comparison *c, size_t group, const uint32_t *order) {
  const size_t begin = group * SOFA_LANES, left = c->b->n - begin;
  const size_t end = begin + (left < SOFA_LANES ? left : SOFA_LANES);
  const uint8_t first = c->kind[order ? order[begin] : begin];
  for (size_t lane = begin + 1; lane < end; lane++)
    if (c->kind[order ? order[lane] : lane] != first) return NO_KIND;
  return first;
}

static size_t shared_groups(const Comparison *c, const uint32_t *order) {
  size_t n = 0;
  for (size_t g = 0; g < c->b->n_groups; g++) n += group_kind(c, g, order) != NO_KIND;
  return n;
}

/* Lanes of rows change their places; room: for a block of groups. */
static void move_reals(const Comparison *c, double (*rows)[SOFA_LANES], size_t width,
                       double (*room)[SOFA_LANES]) {
  for (size_t begin = 0; rows && begin < c->b->n_groups; begin += BLOCK_GROUPS) {
    const size_t left = c->b->n_groups - begin, n = left < BLOCK_GROUPS ? left : BLOCK_GROUPS;
    sofa_copy(room, rows + begin * width, n * width * sizeof *room);
    for (size_t to = 0; to < n * SOFA_LANES; to++) {
      const size_t from = c->order[begin * SOFA_LANES + to] - begin * SOFA_LANES;
      for (size_t r = 0; r < width; r++)
        rows[(begin + to / SOFA_LANES) * width + r][to % SOFA_LANES] =
            room[from / SOFA_LANES * width + r][from % SOFA_LANES];
    }
  }
}

/* The points of the elements: in `vertices`, then in lanes. */
static void move_points(const Comparison *c) {
  SofaElementBatch *b = c->b;
  for (size_t to = 0; to < b->n_groups * SOFA_LANES; to++)
    for (size_t k = 0; k < b->n_nodes; k++)
      b->v[to / SOFA_LANES * b->n_nodes + k][to % SOFA_LANES] =
          b->vertices[c->order[to] * b->n_nodes + k];
  for (size_t lane = 0; lane < b->n; lane++)
    for (size_t k = 0; k < b->n_nodes; k++)
      b->vertices[lane * b->n_nodes + k] =
          b->v[lane / SOFA_LANES * b->n_nodes + k][lane % SOFA_LANES];
}

static SofaErr move_places(SofaContext *ctx, const Comparison *c) {
  SofaElementBatch *b = c->b;
  uint32_t *place = sofa_alloc(ctx, b->n, sizeof *place), *to = sofa_alloc(ctx, b->n, sizeof *to);
  if (!place || !to) {
    sofa_free(ctx, place);
    sofa_free(ctx, to);
    return SOFA_ERR_MEMORY;
  }
  for (size_t lane = 0; lane < b->n; lane++) to[c->order[lane]] = (uint32_t)lane;
  for (size_t e = 0; e < b->n; e++) place[e] = to[sofa_element_batch_lane(b, e)];
  sofa_free(ctx, to);
  sofa_free(ctx, b->place);
  b->place = place;
  return SOFA_OK;
}

static SofaErr reorder(SofaContext *ctx, Comparison *c) {
  SofaElementBatch *b = c->b;
  const size_t rows = (size_t)b->n_nodes * b->dim, square = (size_t)b->dim * b->dim;
  double(*room)[SOFA_LANES] = sofa_alloc(ctx, BLOCK_GROUPS * c->size, sizeof *room);
  SofaErr err = room ? move_places(ctx, c) : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) {
    move_points(c);
    move_reals(c, b->q, rows, room);
    move_reals(c, b->k, c->size, room);
    move_reals(c, b->rotation, square, room);
    move_reals(c, b->arm, rows, room);
  }
  sofa_free(ctx, room);
  return err;
}

/* ---- the batch ---- */

/* Gives a kind the exact symmetry of a box where it has it. */
static void find_mirrors(SofaElementBatch *b, size_t kind) {
  double *blocks[SOFA_MIRROR_PAIRS], *packed = b->kinds + 9 * SOFA_MIRROR_PAIRS * kind;
  b->mirrored[kind] = false;
  // exact batches have more than R^T K R
  if (b->shape != SOFA_SHAPE_HEXA || b->dim != 3 || b->turn) return;
  for (size_t p = 0; p < SOFA_MIRROR_PAIRS; p++)
    blocks[p] = packed + 9 * (p < 8 ? SOFA_MIRROR_PAIRS - 8 + p : p - 8);
  b->mirrored[kind] = sofa_mirror_kind(blocks, b->mirror + SOFA_MIRROR_SIZE * kind);
  if (b->mirrored[kind])
    sofa_mirror_waves((const double *const *)blocks, b->waves + SOFA_MIRROR_WAVES * kind);
}

/* The groups' kinds. Blocks are added element by element where most have the symmetry of a box. */
static void share(const Comparison *c, const uint32_t *order) {
  SofaElementBatch *b = c->b;
  size_t n = 0;
  for (size_t i = 0; i < b->n_kinds; i++) find_mirrors(b, i);
  for (size_t g = 0; g < b->n_groups; g++) {
    const size_t kind = b->kind[g] = group_kind(c, g, order);
    if (kind == NO_KIND) continue;
    n += b->mirrored[kind - 1];
    for (size_t e = 0; e < c->size; e++)
      for (size_t l = 0; l < SOFA_LANES; l++)
        b->k[g * c->size + e][l] = b->kinds[c->size * (kind - 1) + e];
  }
  b->in_order = 2 * n > b->n_groups;
  sofa_mirror_order(b->order);
}

SofaErr sofa_element_batch_compare(SofaContext *ctx, SofaElementBatch *b) {
  Comparison c = {.b = b, .size = (size_t)b->n_pairs * b->dim * b->dim};
  const bool before = b->in_order;
  const int threads = b->blocks ? ctx->threads : 1;
  SofaErr err = SOFA_ERR_MEMORY;
  b->n_kinds = 0;
  c.kind = sofa_alloc(ctx, b->n, sizeof *c.kind);
  c.order = sofa_alloc(ctx, b->n_groups * SOFA_LANES, sizeof *c.order);
  if (!c.kind || !c.order) goto done;
  find_candidates(&c);
  count_kinds(&c);
  make_order(&c);
  // a few groups more do not pay for making the pairs again
  const bool moves = shared_groups(&c, c.order) > shared_groups(&c, NULL) + b->n_groups / 8;
  err = moves ? reorder(ctx, &c) : SOFA_OK;
  if (err != SOFA_OK) goto done;
  share(&c, moves ? c.order : NULL);
  if (moves) err = sofa_element_batch_connect(ctx, b, threads);
  else if (b->in_order != before) err = sofa_element_batch_late(ctx, b, threads);
done:
  sofa_free(ctx, c.kind);
  sofa_free(ctx, c.order);
  return err;
}
