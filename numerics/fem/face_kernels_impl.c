/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of triangles under pressure, compiled once per instruction set with KERNELS_ISA naming
 * it: a triangle in each lane. */
#include "numerics/fem/face_kernels.h"

#include <string.h>

#include "numerics/fem/row_sums_impl.h"

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
  Three rows[2][LANES];
  for (int l = 0; l < LANES; l++) {
    const Three a = three_load(x + 3 * (size_t)v[l][0]);
    rows[0][l] = three_sub(three_load(x + 3 * (size_t)v[l][1]), a);
    rows[1][l] = three_sub(three_load(x + 3 * (size_t)v[l][2]), a);
  }
  columns_of_rows(rows[0], ab);
  columns_of_rows(rows[1], ac);
}

/* Gives the vectors of n triangles v to all their corners, or to the parts of these triangles. */
ALWAYS void give_rows(const Corners *v, size_t n, const Three *rows, double *f, double *parts) {
  if (parts) {
    for (size_t l = 0; l < n; l++) three_store(rows[l], parts + 3 * l);
    return;
  }
  for (size_t l = 0; l < n; l++)
    for (int c = 0; c < 3; c++) three_add(rows[l], f + 3 * (size_t)v[l][c]);
}

/* The same of the last register. */
static __attribute__((noinline)) void give_last(const Corners *v, size_t n, const Three *rows,
                                                double *f, double *parts) {
  give_rows(v, n, rows, f, parts);
}

/* Gives the vectors r of a register's triangles v, of which `left` are there. */
ALWAYS void give(const Corners *v, size_t left, const Lanes *r, double *f, double *parts) {
  Three rows[LANES];
  rows_of(r, rows);
  if (left >= LANES) {
    give_rows(v, LANES, rows, f, parts);
  } else {
    Three last[LANES];
    for (int l = 0; l < LANES; l++) last[l] = rows[l];
    give_last(v, left, last, f, parts);
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

/* The vectors part n; keeps part (b - a) and part (c - a) unless kept is NULL. */
static inline void forces_of(Lanes part, const Faces *of, double *kept, Lanes *r) {
  for (int i = 0; i < 3; i++) r[i] = part * of->normal[i];
  for (int i = 0; kept && i < 3; i++) {
    lanes_store(kept + i * SOFA_LANES, part * of->ab[i]);
    lanes_store(kept + (3 + i) * SOFA_LANES, part * of->ac[i]);
  }
}

static void force(const Corners *v, size_t n, double part, const double *x, SofaVectorsTo to,
                  double *kept) {
  double *const f = to.f, *const parts = to.parts;
  for (size_t k = 0; k < n; k += LANES) {
    Corners tail[LANES];
    Lanes r[3];
    const Corners *corners = whole_register(v, k, n, tail);
    const Faces of = faces_of(corners, x);
    forces_of(lanes_set(part), &of, kept ? kept + face_at(k) : NULL, r);
    give(corners, n - k, r, f, parts ? parts + 3 * k : NULL);
  }
}

static void product(const Corners *v, size_t n, double factor, const double *kept, const double *dx,
                    SofaVectorsTo to) {
  const Lanes scale = lanes_set(factor);
  double *const f = to.f, *const parts = to.parts;
  for (size_t k = 0; k < n; k += LANES) {
    Corners tail[LANES];
    Lanes ab[3], ac[3], dab[3], dac[3], one[3], other[3];
    const Corners *corners = whole_register(v, k, n, tail);
    edges_of(corners, dx, dab, dac);
    for (int i = 0; i < 3; i++) {
      ab[i] = lanes_load(kept + face_at(k) + i * SOFA_LANES);
      ac[i] = lanes_load(kept + face_at(k) + (3 + i) * SOFA_LANES);
    }
    lanes_cross(ab, dac, one);
    lanes_cross(ac, dab, other);
    for (int i = 0; i < 3; i++) one[i] = scale * (one[i] - other[i]);
    give(corners, n - k, one, f, parts ? parts + 3 * k : NULL);
  }
}

/* [w] of lanes: w x v = [w] v. */
static inline void put_cross(const Lanes *w, double *to) {
  const Lanes zero = lanes_set(0);
  const Lanes rows[9] = {zero, -w[2], w[1], w[2], zero, -w[0], -w[1], w[0], zero};
  put_nine(rows, 27, to);
}

static void blocks(size_t begin, size_t end, double factor, const double *kept, double *to) {
  const Lanes scale = lanes_set(factor), half = lanes_set(0.5);
  for (size_t k = begin; k < end; k += LANES, to += 27 * LANES) {
    Lanes w[3][3];
    for (int i = 0; i < 3; i++) {
      const Lanes ab = scale * lanes_load(kept + face_at(k) + i * SOFA_LANES);
      const Lanes ac = scale * lanes_load(kept + face_at(k) + (3 + i) * SOFA_LANES);
      w[0][i] = half * ab - ac;
      w[1][i] = half * (ab + ac);
      w[2][i] = half * ac - ab;
    }
    for (int edge = 0; edge < 3; edge++) put_cross(w[edge], to + 9 * edge);
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
  for (size_t k = 0; k < s->n; k += LANES) {
    Corners tail[LANES];
    Lanes r[3];
    const Corners *v = register_or_points(s, k, tail);
    const Faces of = faces_of(v, s->x);
    add_measures(v, s, of.normal, k / LANES % PARTS, &sums);
    if (!f) continue;
    forces_of(lanes_set(part), &of, kept + face_at(k), r);
    give(v, s->n - k, r, f, NULL);
  }
  *area = sum_of(sums.area) / 2;
  return sum_of(sums.volume) / 6;
}

const SofaFaceKernels CAT(sofa_face_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .product = product,
    .blocks = blocks,
    .surface = surface,
};
