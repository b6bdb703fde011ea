/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of vector areas and their lengths, compiled once per instruction set with KERNELS_ISA
 * naming it. Nothing is fused: the bits are the same in each. */
#include <math.h>
#include <stdbool.h>

#include "numerics/spatial/vertex_normals_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* (b - a) x (c - a) */
static inline void vector_area(const double *a, const double *b, const double *c, double *n) {
  const double u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  const double w[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  n[0] = u[1] * w[2] - u[2] * w[1];
  n[1] = u[2] * w[0] - u[0] * w[2];
  n[2] = u[0] * w[1] - u[1] * w[0];
}

static inline void add(const double *n, double *to) {
  const double sum[3] = {to[0] + n[0], to[1] + n[1], to[2] + n[2]};
  to[0] = sum[0];
  to[1] = sum[1];
  to[2] = sum[2];
}

static inline bool exist(const uint32_t *v, int n, size_t n_points) {
  bool all = true;
  for (int i = 0; i < n; i++) all &= v[i] < n_points;
  return all;
}

static inline void add_triangle(const SofaFaces *f, size_t i, double *normals) {
  const uint32_t *v = f->triangles + 3 * i;
  double n[3];
  if (!exist(v, 3, f->n_points)) return;
  vector_area(f->x + 3 * (size_t)v[0], f->x + 3 * (size_t)v[1], f->x + 3 * (size_t)v[2], n);
  for (int k = 0; k < 3; k++) add(n, normals + 3 * (size_t)v[k]);
}

static inline void add_quad(const SofaFaces *f, size_t i, double *normals) {
  const uint32_t *v = f->quads + 4 * i;
  if (!exist(v, 4, f->n_points)) return;
  for (int k = 0; k < 4; k++) {
    double n[3];
    vector_area(f->x + 3 * (size_t)v[k], f->x + 3 * (size_t)v[(k + 1) % 4],
                f->x + 3 * (size_t)v[(k + 3) % 4], n);
    add(n, normals + 3 * (size_t)v[k]);
  }
}

/* Neighbours in the list share points: each of their sums would wait for the one before. Hence
 * four parts of the list are gone through side by side. */
static void areas(const SofaFaces *f, double *normals) {
  const size_t quarter = f->n_triangles / 4;
  for (size_t i = 0; i < quarter; i++)
    for (size_t k = 0; k < 4; k++) add_triangle(f, i + k * quarter, normals);
  for (size_t i = 4 * quarter; i < f->n_triangles; i++) add_triangle(f, i, normals);
  for (size_t i = 0; i < f->n_quads; i++) add_quad(f, i, normals);
}

static inline double length(const double *n) {
  return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static void normalize(double *normals, size_t n) {
  enum { GROUP = 8 }; /* lengths and divisions of so many vectors are computed at once */
  size_t i = 0;
  for (; i + GROUP <= n; i += GROUP) {
    double *v = normals + 3 * i, lengths[GROUP], by[3 * GROUP];
    for (int k = 0; k < GROUP; k++) lengths[k] = length(v + 3 * k);
    for (int k = 0; k < 3 * GROUP; k++) by[k] = lengths[k / 3] > 0 ? lengths[k / 3] : 1;
    for (int k = 0; k < 3 * GROUP; k++) v[k] /= by[k];
  }
  for (; i < n; i++) {
    double *v = normals + 3 * i;
    const double by = length(v);
    for (int k = 0; by > 0 && k < 3; k++) v[k] /= by;
  }
}

const NormalKernels CAT(normal_kernels_, KERNELS_ISA) = {areas, normalize};
