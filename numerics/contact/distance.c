/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances are functions of up to 3 differences of points: r between the parts, u and v in them.
 * With h = r . (u x v) and the Gram determinants G(a, b) = |a|^2 |b|^2 - (a . b)^2 = |a x b|^2 the
 * squares are |r|^2, G(r, u) / |u|^2 and h^2 / G(u, v). */
#include "numerics/contact/distance.h"

#include <stdbool.h>
#include <stdint.h>

#include "math/vec.h"
enum { SIDE = 9 }; /* of a Local: 3 vectors */

/* a function of r, u and v */
typedef struct Local {
  double value, g[SIDE], h[SIDE][SIDE];
} Local;

unsigned sofa_pair_points(SofaPairKind kind) {
  static const uint8_t points[] = {2, 3, 4, 4};
  return points[kind];
}

/* ---- regions ---- */

static bool parallel(const double *x) {
  double u[3], v[3], n[3];
  sofa_vec3_sub(x + 3, x, u);
  sofa_vec3_sub(x + 9, x + 6, v);
  sofa_vec3_cross(u, v, n);
  return !(sofa_vec3_norm2(n) > 0);
}

/* The closest of the four ends and the other edge. */
static unsigned region_of_ends(const double *x) {
  double least = INFINITY;
  unsigned region = 0;
  for (int k = 0; k < 4; k++) {
    const double *other = k < 2 ? x + 6 : x;
    SofaClosest c;
    sofa_closest_point_segment(x + 3 * k, other, other + 3, &c);
    if (!(c.d2 < least)) continue;
    least = c.d2;
    region = 1U << k | c.region >> 1 << (k < 2 ? 2 : 0);
  }
  return region;
}

void sofa_pair_closest(SofaPairKind kind, const double *x, SofaClosest *out) {
  const double *const p[4] = {x, x + 3, x + 6, x + 9};
  switch (kind) {
  case SOFA_PAIR_POINT_POINT:
    sofa_closest_points(p[0], p[1], out);
    break;
  case SOFA_PAIR_POINT_EDGE:
    sofa_closest_point_segment(p[0], p[1], p[2], out);
    break;
  case SOFA_PAIR_POINT_TRIANGLE:
    sofa_closest_point_triangle(p[0], p + 1, out);
    break;
  default:
    sofa_closest_segments(p, p + 2, out);
  }
}

unsigned sofa_pair_region(SofaPairKind kind, const double *x, double *d2) {
  SofaClosest c;
  sofa_pair_closest(kind, x, &c);
  *d2 = c.d2;
  const bool lines = kind == SOFA_PAIR_EDGE_EDGE && c.region == 15;
  return lines && parallel(x) ? region_of_ends(x) : c.region;
}

/* ---- functions of r, u and v ---- */

/* Adds f a b^T to a block of 3 x 3; a, b NULL: f I. */
static void add_block(Local *l, int i, int j, double f, const double *const ab[2]) {
  for (int k = 0; k < 9; k++) {
    const double value = ab ? ab[0][k / 3] * ab[1][k % 3] : (double)(k % 4 == 0);
    l->h[3 * i + k / 3][3 * j + k % 3] += f * value;
  }
}
/* Adds the transposes of blocks i j to blocks j i. */
static void mirror(Local *l) {
  for (int i = 0; i < SIDE; i++) {
    for (int j = 0; j < i; j++) l->h[i][j] = l->h[j][i];
  }
}

/* G(a, b) of vectors i and j > i */
static void gram(const double *const x[3], int i, int j, Local *l) {
  const double *a = x[i], *b = x[j];
  const double aa = sofa_vec3_norm2(a), bb = sofa_vec3_norm2(b), ab = sofa_vec3_dot(a, b);
  double n[3];
  memset(l, 0, sizeof *l);
  sofa_vec3_cross(a, b, n);
  l->value = sofa_vec3_norm2(n);
  for (int k = 0; k < 3; k++) {
    l->g[3 * i + k] = 2 * (bb * a[k] - ab * b[k]);
    l->g[3 * j + k] = 2 * (aa * b[k] - ab * a[k]);
  }
  add_block(l, i, i, 2 * bb, NULL);
  add_block(l, i, i, -2, (const double *const[2]){b, b});
  add_block(l, j, j, 2 * aa, NULL);
  add_block(l, j, j, -2, (const double *const[2]){a, a});
  add_block(l, i, j, -2 * ab, NULL);
  add_block(l, i, j, 4, (const double *const[2]){a, b});
  add_block(l, i, j, -2, (const double *const[2]){b, a});
  mirror(l);
}

/* Adds f [w]x, the matrix of w x, to a block. */
static void add_cross(Local *l, int i, int j, double f, const double *w) {
  for (int k = 0; k < 3; k++) {
    const int n = (k + 1) % 3, m = (k + 2) % 3;
    l->h[3 * i + n][3 * j + m] -= f * w[k];
    l->h[3 * i + m][3 * j + n] += f * w[k];
  }
}

/* h^2 with h = r . (u x v) */
static void volume2(const double *const x[3], Local *l) {
  memset(l, 0, sizeof *l);
  double g[SIDE];
  for (int k = 0; k < 3; k++) sofa_vec3_cross(x[(k + 1) % 3], x[(k + 2) % 3], g + 3 * k);
  const double h = sofa_vec3_dot(x[0], g);
  l->value = h * h;
  add_cross(l, 0, 1, -2 * h, x[2]);
  add_cross(l, 0, 2, 2 * h, x[1]);
  add_cross(l, 1, 2, -2 * h, x[0]);
  mirror(l);
  for (int i = 0; i < SIDE; i++) {
    l->g[i] = 2 * h * g[i];
    for (int j = 0; j < SIDE; j++) l->h[i][j] += 2 * g[i] * g[j];
  }
}

static void square(const double *const x[3], int i, Local *l) {
  memset(l, 0, sizeof *l);
  l->value = sofa_vec3_norm2(x[i]);
  for (int k = 0; k < 3; k++) l->g[3 * i + k] = 2 * x[i][k];
  add_block(l, i, i, 2, NULL);
}

/* a / b */
static void divide(Local *a, const Local *b) {
  a->value /= b->value;
  for (int i = 0; i < SIDE; i++) a->g[i] = (a->g[i] - a->value * b->g[i]) / b->value;
  for (int i = 0; i < SIDE; i++) {
    for (int j = 0; j < SIDE; j++) {
      const double mixed = a->g[i] * b->g[j] + b->g[i] * a->g[j];
      a->h[i][j] = (a->h[i][j] - mixed - a->value * b->h[i][j]) / b->value;
    }
  }
}

/* ---- points ---- */

/* the vectors of a Local: point `to` minus point `from` */
typedef struct Stencil {
  int n, from[3], to[3];
} Stencil;

static Stencil stencil_of(const int *a, int na, const int *b, int nb) {
  Stencil s = {.n = na + nb - 1, .from = {b[0]}, .to = {a[0]}};
  if (na == 2) {
    s.from[1] = a[0];
    s.to[1] = a[1];
  }
  for (int k = 1; k < nb; k++) {
    s.from[na == 2 ? 2 : k] = b[0];
    s.to[na == 2 ? 2 : k] = b[k];
  }
  return s;
}

static Stencil stencil_of_region(SofaPairKind kind, unsigned region) {
  const int points = (int)sofa_pair_points(kind), first = kind == SOFA_PAIR_EDGE_EDGE ? 2 : 1;
  int a[2] = {0}, b[3] = {0}, na = 0, nb = 0;
  for (int k = 0; k < points; k++) {
    if (!(region >> k & 1)) continue;
    if (k < first) a[na++] = k;
    else b[nb++] = k;
  }
  return stencil_of(a, na, b, nb);
}

static void local_at(const Stencil *s, const double *x, double v[3][3]) {
  for (int j = 0; j < s->n; j++) sofa_vec3_sub(x + 3 * s->to[j], x + 3 * s->from[j], v[j]);
}

/* Adds block i j of the vectors to those of the points. */
static void scatter_block(const Stencil *s, const Local *l, int ij, SofaPairTerm *out, int side) {
  const int i = ij / s->n, j = ij % s->n;
  const int rows[2] = {s->to[i], s->from[i]}, columns[2] = {s->to[j], s->from[j]};
  for (int k = 0; k < 4; k++) {
    const double sign = k == 0 || k == 3 ? 1 : -1;
    double *block = out->hessian + 3 * rows[k / 2] * side + 3 * columns[k % 2];
    for (int m = 0; m < 9; m++)
      block[m / 3 * side + m % 3] += sign * l->h[3 * i + m / 3][3 * j + m % 3];
  }
}
static void scatter(const Stencil *s, const Local *l, unsigned points, SofaPairTerm *out) {
  const int side = 3 * (int)points;
  out->value = l->value;
  memset(out->gradient, 0, sizeof out->gradient);
  memset(out->hessian, 0, sizeof out->hessian);
  for (int j = 0; j < s->n; j++) {
    sofa_vec3_axpy(1, l->g + 3 * j, out->gradient + 3 * s->to[j]);
    sofa_vec3_axpy(-1, l->g + 3 * j, out->gradient + 3 * s->from[j]);
  }
  for (int ij = 0; ij < s->n * s->n; ij++) scatter_block(s, l, ij, out, side);
}

void sofa_pair_distance2(SofaPairKind kind, unsigned region, const double *x, SofaPairTerm *out) {
  const Stencil s = stencil_of_region(kind, region);
  double v[3][3];
  local_at(&s, x, v);
  const double *const p[3] = {v[0], v[1], v[2]};
  Local a, b;
  if (s.n == 1) {
    square(p, 0, &a);
  } else if (s.n == 2) {
    gram(p, 0, 1, &a);
    square(p, 1, &b);
    divide(&a, &b);
  } else {
    volume2(p, &a);
    gram(p, 1, 2, &b);
    divide(&a, &b);
  }
  scatter(&s, &a, sofa_pair_points(kind), out);
}

/* ---- mollifier ---- */

double sofa_edge_threshold(const double *rest) {
  double u[3], v[3];
  sofa_vec3_sub(rest + 3, rest, u);
  sofa_vec3_sub(rest + 9, rest + 6, v);
  return 1e-3 * sofa_vec3_norm2(u) * sofa_vec3_norm2(v);
}

void sofa_edge_mollifier(const double *x, double threshold, SofaPairTerm *out) {
  const Stencil s = {.n = 2, .from = {0, 2}, .to = {1, 3}};
  double v[3][3];
  local_at(&s, x, v);
  const double *const p[3] = {v[0], v[1], NULL};
  Local l;
  gram(p, 0, 1, &l);
  if (!(l.value < threshold)) {
    memset(out, 0, sizeof *out);
    out->value = 1;
    return;
  }
  const double c = l.value / threshold, slope = 2 * (1 - c) / threshold;
  const double bend = -2 / (threshold * threshold);
  l.value = c * (2 - c);
  for (int i = 0; i < SIDE; i++) {
    for (int j = 0; j < SIDE; j++) l.h[i][j] = slope * l.h[i][j] + bend * l.g[i] * l.g[j];
  }
  for (int i = 0; i < SIDE; i++) l.g[i] *= slope;
  scatter(&s, &l, 4, out);
}
