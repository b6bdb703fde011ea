/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Expansions: arrays of doubles, smallest first, no zeros, whose exact sum is the value; n = 0 is
 * zero. The operations are those of Shewchuk 1997, sections 2.4 to 2.8; they keep expansions
 * strongly nonoverlapping. The file must be compiled without fusing and without excess precision.
 */
#include "numerics/contact/exact.h"

#include <float.h>
#include <math.h>

_Static_assert(FLT_EVAL_METHOD == 0, "expansions need arithmetic in double");

#define HALF_ULP 0x1p-53
#define BOUND_2D ((3 + 16 * HALF_ULP) * HALF_ULP)
#define BOUND_3D ((7 + 56 * HALF_ULP) * HALF_ULP)

/* x + y = a + b, x rounded */
static inline double two_sum(double a, double b, double *y) {
  const double x = a + b, bv = x - a, av = x - bv;
  *y = (a - av) + (b - bv);
  return x;
}
/* the same when |a| >= |b| */
static inline double fast_two_sum(double a, double b, double *y) {
  const double x = a + b;
  *y = b - (x - a);
  return x;
}
/* a = high + low of 26 bits each (Veltkamp) */
static inline double split(double a, double *low) {
  const double c = 0x8000001p0 * a, high = c - (c - a);
  *low = a - high;
  return high;
}
/* x + y = a b, x rounded (Dekker) */
static inline double two_product(double a, double b, double *y) {
  double al, bl;
  const double x = a * b, ah = split(a, &al), bh = split(b, &bl);
  *y = al * bl - (((x - ah * bh) - al * bh) - ah * bl);
  return x;
}

static inline int push(double *h, int n, double x) {
  if (x != 0) h[n++] = x;
  return n;
}
/* h = a - b, up to 2 */
static int difference(double a, double b, double *h) {
  double low;
  const double high = two_sum(a, -b, &low);
  return push(h, push(h, 0, low), high);
}
/* h = e + f, up to m + n; h is neither */
static int expansion_sum(int m, const double *e, int n, const double *f, double *h) {
  int i = 0, j = 0, count = 0;
  double q = 0, low;
  for (int k = 0; k < m + n; k++) {
    const bool first = j == n || (i < m && fabs(e[i]) < fabs(f[j]));
    const double next = first ? e[i++] : f[j++];
    q = k == 1 ? fast_two_sum(next, q, &low) : two_sum(q, next, &low);
    count = push(h, count, low);
  }
  return push(h, count, q);
}
/* h = b e, up to 2 m */
static int expansion_scale(int m, const double *e, double b, double *h) {
  int count = 0;
  double q = 0, low;
  for (int k = 0; k < m; k++) {
    double tail;
    const double high = two_product(e[k], b, &tail);
    q = two_sum(q, tail, &low);
    count = push(h, count, low);
    q = fast_two_sum(high, q, &low);
    count = push(h, count, low);
  }
  return push(h, count, q);
}
/* h = e (f[0] + f[1]), m up to 16, n up to 2; up to 2 m n */
static int expansion_product(int m, const double *e, int n, const double *f, double *h) {
  double low[32], high[32];
  const int l = n > 0 ? expansion_scale(m, e, f[0], low) : 0;
  const int k = n > 1 ? expansion_scale(m, e, f[1], high) : 0;
  return expansion_sum(l, low, k, high, h);
}
static int expansion_sign(int n, const double *e) {
  return n == 0 ? 0 : (e[n - 1] > 0) - (e[n - 1] < 0);
}

/* a coordinate difference without rounding */
typedef struct Term {
  double e[2];
  int n;
} Term;

static Term term(double a, double b) {
  Term t;
  t.n = difference(a, b, t.e);
  return t;
}
/* h = a b - c d, up to 16 */
static int minor_of(const Term *a, const Term *b, const Term *c, const Term *d, double *h) {
  double ab[8], cd[8];
  const int m = expansion_product(a->n, a->e, b->n, b->e, ab);
  const int n = expansion_product(c->n, c->e, d->n, d->e, cd);
  for (int k = 0; k < n; k++) cd[k] = -cd[k];
  return expansion_sum(m, ab, n, cd, h);
}

static int orient2d_exact(const double *a, const double *b, const double *c) {
  const Term ux = term(b[0], a[0]), uy = term(b[1], a[1]);
  const Term vx = term(c[0], a[0]), vy = term(c[1], a[1]);
  double h[16];
  return expansion_sign(minor_of(&ux, &vy, &uy, &vx, h), h);
}

int sofa_orient2d(const double *a, const double *b, const double *c) {
  const double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
  const double det = left - right, bound = BOUND_2D * (fabs(left) + fabs(right));
  if (det > bound) return 1;
  if (-det > bound) return -1;
  return orient2d_exact(a, b, c);
}

static int orient3d_exact(const double *a, const double *b, const double *c, const double *d) {
  Term u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) {
    u[k] = term(b[k], a[k]);
    v[k] = term(c[k], a[k]);
    w[k] = term(d[k], a[k]);
  }
  double minor[16], part[64], sum[2][192];
  int n = 0;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const int m = minor_of(&v[i], &w[j], &v[j], &w[i], minor);
    const int l = expansion_product(m, minor, u[k].n, u[k].e, part);
    n = expansion_sum(n, sum[k & 1], l, part, sum[(k + 1) & 1]);
  }
  return expansion_sign(n, sum[1]);
}

int sofa_orient3d(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    w[k] = d[k] - a[k];
  }
  double det = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const double left = v[i] * w[j], right = v[j] * w[i];
    det += u[k] * (left - right);
    size += fabs(u[k]) * (fabs(left) + fabs(right));
  }
  const double bound = BOUND_3D * size;
  if (det > bound) return 1;
  if (-det > bound) return -1;
  return orient3d_exact(a, b, c, d);
}
