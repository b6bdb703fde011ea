/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rotated blocks of hexahedra whose stiffness has the symmetry of a box: mirrored_kinds.h has the
 * formulas. A register holds entries of a block of one element. */
#ifndef SOFA_NUMERICS_FEM_MIRRORED_BLOCKS_H
#define SOFA_NUMERICS_FEM_MIRRORED_BLOCKS_H

#include "numerics/fem/lane_points_impl.h"
#include "numerics/fem/mirrored_kinds.h"

enum { HEAD_PARTS = 8 / LANES };

/* The first 8 of the 9 entries of a block; the last one is its tail. */
typedef struct Head {
  Lanes part[HEAD_PARTS];
} Head;

ALWAYS Head head_product(Head a, Head b) {
  for (int k = 0; k < HEAD_PARTS; k++) a.part[k] = a.part[k] * b.part[k];
  return a;
}
ALWAYS Head head_sum(Head a, Head b) {
  for (int k = 0; k < HEAD_PARTS; k++) a.part[k] = a.part[k] + b.part[k];
  return a;
}
ALWAYS Head head_difference(Head a, Head b) {
  for (int k = 0; k < HEAD_PARTS; k++) a.part[k] = a.part[k] - b.part[k];
  return a;
}
ALWAYS Head head_scaled(double f, Head a) {
  for (int k = 0; k < HEAD_PARTS; k++) a.part[k] = lanes_set(f) * a.part[k];
  return a;
}
/* f a + b */
ALWAYS Head head_madd(double f, Head a, Head b) {
  for (int k = 0; k < HEAD_PARTS; k++) b.part[k] = lanes_madd(lanes_set(f), a.part[k], b.part[k]);
  return b;
}
ALWAYS Head head_load(const double *p) {
  Head a;
  for (int k = 0; k < HEAD_PARTS; k++) a.part[k] = lanes_load(p + k * LANES);
  return a;
}
ALWAYS void head_store(double *p, Head a) {
  for (int k = 0; k < HEAD_PARTS; k++) lanes_store(p + k * LANES, a.part[k]);
}

/* Rows of R for the entries of a block: of row m, down[m] has the entry of the block's row and
 * across[m] that of its column. */
#if defined(__AVX512F__)
ALWAYS void spread_rotation(const double *r, Head *down, Head *across) {
  const __m512d from[3] = {_mm512_loadu_pd(r), _mm512_loadu_pd(r), _mm512_loadu_pd(r + 1)};
  const __m512i rows = _mm512_setr_epi64(0, 0, 0, 1, 1, 1, 2, 2);
  const __m512i columns = _mm512_setr_epi64(0, 1, 2, 0, 1, 2, 0, 1);
  for (int m = 0; m < 3; m++) {
    const __m512i first = _mm512_set1_epi64(m == 2 ? 5 : 3 * m);
    down[m].part[0] = _mm512_permutexvar_pd(_mm512_add_epi64(rows, first), from[m]);
    across[m].part[0] = _mm512_permutexvar_pd(_mm512_add_epi64(columns, first), from[m]);
  }
}
/* The transpose's head. */
ALWAYS Head head_transposed(Head a) {
  a.part[0] = _mm512_permutexvar_pd(_mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5), a.part[0]);
  return a;
}
#else
ALWAYS void spread_rotation(const double *r, Head *down, Head *across) {
  for (int m = 0; m < 3; m++) {
    double d[8], a[8];
    for (int e = 0; e < 8; e++) {
      d[e] = r[3 * m + e / 3];
      a[e] = r[3 * m + e % 3];
    }
    down[m] = head_load(d);
    across[m] = head_load(a);
  }
}
ALWAYS Head head_transposed(Head a) {
  double from[8], to[8];
  head_store(from, a);
  for (int e = 0; e < 8; e++) to[e] = from[3 * (e % 3) + e / 3];
  return head_load(to);
}
#endif

/* Products of the rows of R, and the tails of the blocks of all classes by their signs. */
typedef struct MirroredTurn {
  Head square[3];       /* of a row with itself */
  Head even[3], odd[3]; /* sum and difference of those of rows 01, 12 and 20 */
  double tail[4][8];
} MirroredTurn;

/* The tails of all classes, class by class in lanes. */
ALWAYS void mirrored_tails(const double *rows, const double *r, double (*tail)[8]) {
  Head c[SOFA_MIRROR_ROWS];
  for (int k = 0; k < SOFA_MIRROR_ROWS; k++) c[k] = head_load(rows + SOFA_MIRROR_CLASSES * k);
  const double x = r[2], y = r[5], z = r[8];
  const Head own = head_madd(z * z, c[2], head_madd(y * y, c[1], head_scaled(x * x, c[0])));
  const Head plus = head_madd(2 * x * y, c[6], own), minus = head_madd(-2 * x * y, c[6], own);
  const Head two = head_scaled(2 * y * z, c[7]);
  const Head up = head_madd(2 * z * x, c[8], two), down = head_madd(-2 * z * x, c[8], two);
  head_store(tail[0], head_sum(plus, up));
  head_store(tail[1], head_difference(plus, up));
  head_store(tail[2], head_sum(minus, down));
  head_store(tail[3], head_difference(minus, down));
}

ALWAYS void add_block(Head block, double tail, double *to) {
  head_store(to, head_sum(head_load(to), block));
  to[8] += tail;
}

/* Adds the transpose of a block, or both: few pairs have it, hence not inlined 36 times. */
static __attribute__((noinline)) void add_turned_head(const Head *block, double tail, unsigned turn,
                                                      double *to) {
  if (turn == SOFA_PAIR_BOTH) add_block(*block, tail, to);
  add_block(head_transposed(*block), tail, to);
}

/* Adds a block or its transpose, or both, to the place of its slot. */
ALWAYS void add_head(Head block, double tail, uint32_t slot, LanePlaces *places) {
  double *to = place_of(places, slot);
  if ((slot & 3) == SOFA_PAIR_STRAIGHT) add_block(block, tail, to);
  else add_turned_head(&block, tail, slot & 3, to);
}

/* An element and the class that is added; d and m are constants after inlining. */
typedef struct MirroredClass {
  const MirroredTurn *turn;
  Head sum[4]; /* by their signs */
  const uint32_t *slot;
  size_t d;
} MirroredClass;

/* The block of a class whose first node is m. */
ALWAYS void mirrored_node(const MirroredClass *c, size_t m, LanePlaces *places) {
  const size_t corner = sofa_mirror_corner(m), n = sofa_mirror_corner(corner ^ c->d);
  const size_t sign = sofa_mirror_sign(corner);
  if (n < m) return;
  add_head(c->sum[sign], c->turn->tail[sign][c->d], c->slot[sofa_mirror_pair(m, n)], places);
}

/* The blocks of a class. */
ALWAYS void mirrored_class(const MirroredTurn *t, const double *rows, size_t d,
                           const uint32_t *slot, LanePlaces *places) {
  const double *c = rows + d;
  const Head a = sofa_mirror_odd(d, 0, 1) ? t->odd[0] : t->even[0];
  const Head b = sofa_mirror_odd(d, 1, 2) ? t->odd[1] : t->even[1];
  const Head e = sofa_mirror_odd(d, 2, 0) ? t->odd[2] : t->even[2];
  const Head own = head_madd(c[16], t->square[2],
                             head_madd(c[8], t->square[1], head_scaled(c[0], t->square[0])));
  const Head plus = head_madd(c[24], a, own), minus = head_madd(-c[24], a, own);
  const Head two = head_scaled(c[32], b);
  const Head up = head_madd(c[40], e, two), down = head_madd(-c[40], e, two);
  const MirroredClass of = {t,
                            {head_sum(plus, up), head_difference(plus, up), head_sum(minus, down),
                             head_difference(minus, down)},
                            slot,
                            d};
  mirrored_node(&of, 0, places);
  mirrored_node(&of, 1, places);
  mirrored_node(&of, 2, places);
  mirrored_node(&of, 3, places);
  mirrored_node(&of, 4, places);
  mirrored_node(&of, 5, places);
  mirrored_node(&of, 6, places);
  mirrored_node(&of, 7, places);
}

/* All blocks of an element with the frame R. */
ALWAYS void mirrored_element(const double *rows, const double *r, const uint32_t *slot,
                             LanePlaces *places) {
  MirroredTurn t;
  Head down[3], across[3];
  spread_rotation(r, down, across);
  for (int k = 0; k < 3; k++) {
    const int l = (k + 1) % 3;
    const Head one = head_product(down[k], across[l]), other = head_product(down[l], across[k]);
    t.square[k] = head_product(down[k], across[k]);
    t.even[k] = head_sum(one, other);
    t.odd[k] = head_difference(one, other);
  }
  mirrored_tails(rows, r, t.tail);
  mirrored_class(&t, rows, 0, slot, places);
  mirrored_class(&t, rows, 1, slot, places);
  mirrored_class(&t, rows, 2, slot, places);
  mirrored_class(&t, rows, 3, slot, places);
  mirrored_class(&t, rows, 4, slot, places);
  mirrored_class(&t, rows, 5, slot, places);
  mirrored_class(&t, rows, 6, slot, places);
  mirrored_class(&t, rows, 7, slot, places);
}

/* R of the elements of a group, or its transpose for turned blocks. */
static inline void group_rotations(const SofaElementBatch *b, size_t g, double (*r)[9]) {
  const double(*from)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->rotation + 9 * g);
  for (size_t k = 0; k < 9; k++) {
    const size_t at = b->turned_blocks ? 3 * (k % 3) + k / 3 : k;
    for (size_t l = 0; l < SOFA_LANES; l++) r[l][k] = from[at][l];
  }
}

static void mirrored_group(const SofaElementBatch *b, size_t g, const double *rows,
                           LanePlaces *places) {
  double r[SOFA_LANES][9];
  const size_t count = lanes_in_group(b->n, g);
  const uint32_t *slot = b->pairs.slot + g * SOFA_LANES * SOFA_MIRROR_PAIRS;
  LanePlaces own = *places;
  group_rotations(b, g, r);
  for (size_t l = 0; l < count; l++)
    mirrored_element(rows, r[l], slot + l * SOFA_MIRROR_PAIRS, &own);
  *places = own;
}

#endif
