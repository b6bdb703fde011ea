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

/* Gives the vectors of the triangles from `first` on. */
static inline void give_block(const Block *block, const Corners *v, size_t first, size_t count,
                              SofaVectorsTo to) {
  if (!to.parts) {
    scatter_block(block, v + first, count, to.f);
    return;
  }
  double *part = to.parts + 3 * first;
  for (size_t l = 0; l < count; l++, part += 3) {
    const double *xy = (l % 2 ? block->odd : block->even) + (l & ~(size_t)1);
    part[0] = xy[0];
    part[1] = xy[1];
    part[2] = block->z[l];
  }
}

/* Triangles of a register: b - a, c - a, n. */
typedef struct Faces {
  Lanes ab[3], ac[3], normal[3];
} Faces;

static inline Faces faces_of(const Corners *v, const double *x) {
  Faces of;
  edges_of(v, x, of.ab, of.ac);
  lanes_cross(of.ab, of.ac, of.normal);
  return of;
}

/* Puts the vectors part n to `at` of a block and keeps part (b - a) and part (c - a) unless kept is
 * NULL. */
static inline void put_forces(Lanes part, const Faces *of, size_t at, Block *block, double *kept) {
  Lanes r[3];
  for (int i = 0; i < 3; i++) r[i] = part * of->normal[i];
  put(at, r, block);
  for (int i = 0; kept && i < 3; i++) {
    lanes_store(kept + i * SOFA_LANES, part * of->ab[i]);
    lanes_store(kept + (3 + i) * SOFA_LANES, part * of->ac[i]);
  }
}

static void force(const Corners *v, size_t n, double part, const double *x, SofaVectorsTo to,
                  double *kept) {
  for (size_t begin = 0; begin < n; begin += BLOCK) {
    const size_t count = n - begin < BLOCK ? n - begin : BLOCK;
    Block block;
    Corners tail[LANES];
    for (size_t k = 0; k < count; k += LANES) {
      const Faces of = faces_of(whole_register(v, begin + k, n, tail), x);
      put_forces(lanes_set(part), &of, k, &block, kept ? kept + face_at(begin + k) : NULL);
    }
    give_block(&block, v, begin, count, to);
  }
}

static void product(const Corners *v, size_t n, double k, const double *kept, const double *dx,
                    SofaVectorsTo to) {
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
    give_block(&block, v, begin, count, to);
  }
}

enum { PARTS = SOFA_LANES / LANES }; /* registers of SOFA_LANES sums */

/* Sums of (a - origin).n and of |n|. */
typedef struct Sums {
  Lanes volume[PARTS], area[PARTS];
} Sums;

static inline void add_measures(const Corners *v, const SofaSurface *s, const Lanes *normal,
                                size_t part, Sums *sums) {
  static const Corners first[LANES] = {{0}};
  Lanes a[3];
  load_differences(3, &first[0][0], s->origin, &v[0][0], s->x, a);
  sums->volume[part] = sums->volume[part] + lanes_dot3(a, normal);
  sums->area[part] = sums->area[part] + lanes_sqrt(lanes_dot3(normal, normal));
}

static double sum_of(const Lanes *parts) {
  double lanes[SOFA_LANES], sum = 0;
  for (int p = 0; p < PARTS; p++) lanes_store(lanes + p * LANES, parts[p]);
  for (int l = 0; l < SOFA_LANES; l++) sum += lanes[l];
  return sum;
}

/* The triangles from `at` on; points stand in for those behind the last one. */
static inline const Corners *register_or_points(const SofaSurface *s, size_t at, Corners *tail) {
  if (at + LANES <= s->n) return s->v + at;
  for (size_t l = 0; l < LANES; l++)
    for (int c = 0; c < 3; c++) tail[l][c] = at + l < s->n ? s->v[at + l][c] : s->v[0][0];
  return (const Corners *)tail;
}

static double surface(const SofaSurface *s, double part, double *f, double *kept, double *area) {
  Sums sums;
  for (int p = 0; p < PARTS; p++) sums.volume[p] = sums.area[p] = lanes_set(0);
  for (size_t begin = 0; begin < s->n; begin += BLOCK) {
    const size_t count = s->n - begin < BLOCK ? s->n - begin : BLOCK;
    Block block;
    Corners tail[LANES];
    for (size_t k = 0; k < count; k += LANES) {
      const Corners *v = register_or_points(s, begin + k, tail);
      const Faces of = faces_of(v, s->x);
      add_measures(v, s, of.normal, k / LANES % PARTS, &sums);
      if (f) put_forces(lanes_set(part), &of, k, &block, kept + face_at(begin + k));
    }
    if (f) scatter_block(&block, s->v + begin, count, f);
  }
  *area = sum_of(sums.area) / 2;
  return sum_of(sums.volume) / 6;
}

const SofaFaceKernels CAT(sofa_face_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .product = product,
    .surface = surface,
};
