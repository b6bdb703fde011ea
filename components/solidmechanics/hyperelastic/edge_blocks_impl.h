/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blocks of edges, registers of lanes, added to those of pairs of points; for sources that are
 * compiled once per instruction set. */
#ifndef SOFA_EDGE_BLOCKS_H
#define SOFA_EDGE_BLOCKS_H

#include "numerics/fem/lane_points_impl.h"
#include "numerics/fem/late_blocks.h"

#if defined(__AVX2__)
/* A block without its last real. */
typedef struct Head {
  Lanes part[8 / LANES];
} Head;

/* Eight rows of lanes to the blocks of each lane. */
ALWAYS void heads_of(const Lanes *rows, Head *heads) {
#if defined(__AVX512F__)
  Lanes t[8];
  transpose_eight(rows, t);
  for (int l = 0; l < LANES; l++) heads[l].part[0] = t[l];
#else
  for (int k = 0; k < 2; k++) {
    Lanes t[4];
    transpose_four(rows + 4 * k, t);
    for (int l = 0; l < LANES; l++) heads[l].part[k] = t[l];
  }
#endif
}

#if defined(__AVX512F__)
/* Adds it, or its transpose, to what is there, or puts it; without a branch. */
ALWAYS void add_head(const Head *block, double last, uint32_t place, double *to) {
  const __m512i turned = _mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5);
  const __mmask8 turn = (__mmask8)(0 - (place & SOFA_PLACE_TURNED));
  const __mmask8 keep = (__mmask8)((place >> 1 & 1) - 1);
  const Lanes head = _mm512_mask_permutexvar_pd(block->part[0], turn, turned, block->part[0]);
  lanes_store(to, _mm512_maskz_loadu_pd(keep, to) + head);
  const __m128d before = _mm_maskz_load_sd(keep, to + 8);
  to[8] = before[0] + last;
}
#else
ALWAYS void add_head(const Head *block, double last, uint32_t place, double *to) {
  static const int64_t turned[2] = {0, -1}, keep[2] = {-1, 0};
  const __m256d turn = (__m256d)_mm256_set1_epi64x(turned[place & SOFA_PLACE_TURNED]);
  const __m256d old = (__m256d)_mm256_set1_epi64x(keep[place >> 1 & 1]);
  const Lanes a = block->part[0], b = block->part[1];
  const Lanes low = _mm256_permute4x64_pd(_mm256_blend_pd(a, b, 4), 0x6c);
  const Lanes high = _mm256_permute4x64_pd(_mm256_blend_pd(b, a, 4), 0x6c);
  lanes_store(to, _mm256_and_pd(old, lanes_load(to)) + _mm256_blendv_pd(a, low, turn));
  lanes_store(to + 4, _mm256_and_pd(old, lanes_load(to + 4)) + _mm256_blendv_pd(b, high, turn));
  to[8] = _mm_and_pd(_mm256_castpd256_pd128(old), _mm_load_sd(to + 8))[0] + last;
}
#endif
#endif

/* Adds the blocks of the first n lanes of an edge, 9 registers, to those at their places. Inlined
 * with n = LANES where all count. */
ALWAYS void add_edge_blocks(const Lanes *block, const uint32_t *place, size_t n, double *blocks) {
  double last[LANES];
#if defined(__AVX2__)
  Head heads[LANES];
  heads_of(block, heads);
  lanes_store(last, block[8]);
#pragma GCC unroll 8
  for (size_t l = 0; l < n; l++)
    add_head(heads + l, last[l], place[l], blocks + 9 * (size_t)(place[l] >> SOFA_PLACE_SHIFT));
#else
  for (size_t k = 0; k < 9; k++) {
    lanes_store(last, block[k]);
    for (size_t l = 0; l < n; l++) {
      const size_t to = place[l] & SOFA_PLACE_TURNED ? 3 * (k % 3) + k / 3 : k;
      double *at = blocks + 9 * (size_t)(place[l] >> SOFA_PLACE_SHIFT) + to;
      *at = (place[l] & SOFA_PLACE_FIRST ? 0 : *at) + last[l];
    }
  }
#endif
}

#endif
