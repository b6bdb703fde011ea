/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of triangles under pressure, compiled once per instruction set with KERNELS_ISA naming
 * it: a triangle in each lane. */
#include "numerics/fem/face_kernels.h"

#include <string.h>

#include "numerics/fem/lane_block_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

typedef uint32_t Corners[3];

/* Those of the triangles from `at` on; in the last register, lanes behind the last triangle repeat
 * it in `tail`. */
static inline const Corners *whole_register(const Corners *v, size_t at, size_t n, Corners *tail) {
  if (at + LANES <= n) return v + at;
  for (size_t l = 0; l < LANES; l++)
    memcpy(tail[l], v[at + l < n ? at + l : n - 1], sizeof tail[l]);
  return (const Corners *)tail;
}

/* Where row 0 of triangle k begins. */
static inline size_t face_at(size_t k) {
  return k / SOFA_LANES * SOFA_LANES * SOFA_FACE_ROWS + k % SOFA_LANES;
}

/* b - a and c - a. */
ALWAYS void edges_of(const Corners *v, const double *x, Lanes *ab, Lanes *ac) {
  load_differences(3, &v[0][0], x, &v[0][1], x, ab);
  load_differences(3, &v[0][0], x, &v[0][2], x, ac);
}

/* Adds a vector to all corners. */
ALWAYS void push(const uint32_t *v, const double *xy, double z, double *f) {
  const Two r = *(const Two *)(const void *)xy;
  for (int c = 0; c < 3; c++) add_three(r, z, f + 3 * (size_t)v[c]);
}

static inline void scatter_block(const Block *block, const Corners *v, size_t count, double *f) {
  size_t l = 0;
  for (; l + 1 < count; l += 2) {
    push(v[l], block->even + l, block->z[l], f);
    push(v[l + 1], block->odd + l, block->z[l + 1], f);
  }
  if (l < count) push(v[l], block->even + l, block->z[l], f);
}

static void force(const Corners *v, size_t n, double part, const double *x, double *f,
                  double *kept) {
  const Lanes scale = lanes_set(part);
  for (size_t begin = 0; begin < n; begin += BLOCK) {
    const size_t count = n - begin < BLOCK ? n - begin : BLOCK;
    Block block;
    Corners tail[LANES];
    for (size_t k = 0; k < count; k += LANES) {
      Lanes ab[3], ac[3], normal[3];
      edges_of(whole_register(v, begin + k, n, tail), x, ab, ac);
      lanes_cross(ab, ac, normal);
      for (int i = 0; i < 3; i++) normal[i] = scale * normal[i];
      put(k, normal, &block);
      for (int i = 0; kept && i < 3; i++) {
        lanes_store(kept + face_at(begin + k) + i * SOFA_LANES, scale * ab[i]);
        lanes_store(kept + face_at(begin + k) + (3 + i) * SOFA_LANES, scale * ac[i]);
      }
    }
    scatter_block(&block, v + begin, count, f);
  }
}

static void product(const Corners *v, size_t n, double k, const double *kept, const double *dx,
                    double *df) {
  const Lanes scale = lanes_set(k);
  for (size_t begin = 0; begin < n; begin += BLOCK) {
    const size_t count = n - begin < BLOCK ? n - begin : BLOCK;
    Block block;
    Corners tail[LANES];
    for (size_t at = 0; at < count; at += LANES) {
      Lanes ab[3], ac[3], dab[3], dac[3], one[3], other[3];
      edges_of(whole_register(v, begin + at, n, tail), dx, dab, dac);
      for (int i = 0; i < 3; i++) {
        ab[i] = lanes_load(kept + face_at(begin + at) + i * SOFA_LANES);
        ac[i] = lanes_load(kept + face_at(begin + at) + (3 + i) * SOFA_LANES);
      }
      lanes_cross(ab, dac, one);
      lanes_cross(ac, dab, other);
      for (int i = 0; i < 3; i++) one[i] = scale * (one[i] - other[i]);
      put(at, one, &block);
    }
    scatter_block(&block, v + begin, count, df);
  }
}

const SofaFaceKernels CAT(sofa_face_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .product = product,
};
