/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances of pairs, compiled once per instruction set with KERNELS_ISA naming it: the foot on the
 * plane or the lines where it is inside, else the least of the distances of points and edges.
 * Nothing is fused, so that all sets have the same bits. */
#include "numerics/contact/pair_kernels_impl.h"

#include <math.h>

#include "numerics/fem/lanes_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

#define NARROW 1e-12 /* square of the sine of an angle below which there is no normal */

static inline void lanes_sub(const Lanes *a, const Lanes *b, Lanes *r) {
  for (int k = 0; k < 3; k++) r[k] = a[k] - b[k];
}
static inline Lanes product(const Lanes *a, const Lanes *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline void cross(const Lanes *a, const Lanes *b, Lanes *r) {
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}
static inline Lanes least(Lanes a, Lanes b) {
  return lanes_select(lanes_less(a, b), a, b);
}

/* from a point to the segment at a along u, r = point - a; without a length 0 / 0 becomes 0 */
static inline Lanes to_segment(const Lanes *r, const Lanes *u) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  Lanes t = product(r, u) / product(u, u), d[3];
  t = lanes_select(lanes_less(zero, t), t, zero);
  t = lanes_select(lanes_less(t, one), t, one);
  for (int k = 0; k < 3; k++) d[k] = r[k] - t * u[k];
  return product(d, d);
}

/* All bits where n = u x v is a direction, and a, b and rest are not negative. */
static inline LaneBits inside(const Lanes *u, const Lanes *v, Lanes n2, const Lanes abc[3]) {
  const Lanes zero = lanes_set(0);
  LaneBits bits = lanes_less(lanes_set(NARROW) * (product(u, u) * product(v, v)), n2);
  for (int k = 0; k < 3; k++) bits &= ~lanes_less(abc[k], zero);
  return bits;
}

static inline void load(const SofaPairGroup *g, int first, Lanes x[4][3]) {
  for (int p = 0; p < 4; p++) {
    for (int k = 0; k < 3; k++) x[p][k] = lanes_load(g->x[p][k] + first);
  }
}

static inline Lanes point_triangle_lanes(Lanes x[4][3]) {
  Lanes r[3], s[3], u[3], v[3], w[3], n[3], m[3], abc[3];
  lanes_sub(x[0], x[1], r);
  lanes_sub(x[0], x[2], s);
  lanes_sub(x[2], x[1], u);
  lanes_sub(x[3], x[1], v);
  lanes_sub(x[3], x[2], w);
  cross(u, v, n);
  const Lanes n2 = product(n, n), h = product(r, n);
  cross(r, v, m);
  abc[0] = product(m, n);
  cross(u, r, m);
  abc[1] = product(m, n);
  abc[2] = n2 - abc[0] - abc[1];
  const Lanes edges = least(least(to_segment(r, u), to_segment(r, v)), to_segment(s, w));
  return lanes_select(inside(u, v, n2, abc), h * h / n2, edges);
}

static inline Lanes edge_edge_lanes(Lanes x[4][3]) {
  Lanes u[3], v[3], w[3], n[3], m[3], r[3], abc[3];
  lanes_sub(x[1], x[0], u);
  lanes_sub(x[3], x[2], v);
  lanes_sub(x[2], x[0], w);
  cross(u, v, n);
  const Lanes n2 = product(n, n), h = product(w, n);
  cross(w, v, m);
  abc[0] = product(m, n);
  cross(w, u, m);
  abc[1] = product(m, n);
  abc[2] = n2 - lanes_select(lanes_less(abc[0], abc[1]), abc[1], abc[0]);
  Lanes ends = to_segment(w, u);
  lanes_sub(x[3], x[0], r);
  ends = least(ends, to_segment(r, u));
  lanes_sub(x[0], x[2], r);
  ends = least(ends, to_segment(r, v));
  lanes_sub(x[1], x[2], r);
  ends = least(ends, to_segment(r, v));
  return lanes_select(inside(u, v, n2, abc), h * h / n2, ends);
}

static void point_triangle(const SofaPairGroup *groups, size_t n, double *d2) {
  for (size_t g = 0; g < n; g++) {
    for (int l = 0; l < SOFA_PAIR_GROUP; l += LANES) {
      Lanes x[4][3];
      load(&groups[g], l, x);
      lanes_store(d2 + SOFA_PAIR_GROUP * g + l, point_triangle_lanes(x));
    }
  }
}
static void edge_edge(const SofaPairGroup *groups, size_t n, double *d2) {
  for (size_t g = 0; g < n; g++) {
    for (int l = 0; l < SOFA_PAIR_GROUP; l += LANES) {
      Lanes x[4][3];
      load(&groups[g], l, x);
      lanes_store(d2 + SOFA_PAIR_GROUP * g + l, edge_edge_lanes(x));
    }
  }
}

/* A coordinate that is not a number makes the size infinite. */
static inline Lanes extent_lanes(Lanes x[4][3]) {
  const Lanes zero = lanes_set(0), infinite = lanes_set(INFINITY);
  Lanes most = zero;
  for (int p = 1; p < 4; p++)
    for (int k = 0; k < 3; k++) {
      const Lanes d = x[p][k] - x[0][k], size = lanes_select(lanes_less(d, zero), -d, d);
      most = lanes_select(lanes_less(size, most), most,
                          lanes_select(lanes_less(size, infinite), size, infinite));
    }
  return most;
}
static void extent(const SofaPairGroup *groups, size_t n, double *size) {
  for (size_t g = 0; g < n; g++) {
    for (int l = 0; l < SOFA_PAIR_GROUP; l += LANES) {
      Lanes x[4][3];
      load(&groups[g], l, x);
      lanes_store(size + SOFA_PAIR_GROUP * g + l, extent_lanes(x));
    }
  }
}

const SofaPairKernels CAT(sofa_pair_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .point_triangle = point_triangle,
    .edge_edge = edge_edge,
    .extent = extent,
};
