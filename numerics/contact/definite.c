/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Of n up to 12 everything is on the stack. */
#include "numerics/contact/definite.h"
#include "base/bytes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = SOFA_DEFINITE_MOST, SWEEPS = 60 };

/* w: the matrix; rows of q: eigenvectors; beyond n all are 0, so that loops have MOST turns */
typedef struct Work {
  double w[MOST][MOST], q[MOST][MOST];
  double d[MOST], e[MOST]; /* diagonal; e[k] couples k and k + 1 */
  int n;
} Work;

/* The reflection I - 2 v v^T / (v^T v) that makes column k below its first entry zero; returns 2 /
 * (v^T v), 0 when nothing is to be done. */
static double reflector(const Work *s, int k, double *v) {
  double below = 0;
  for (int i = k + 2; i < s->n; i++) below += s->w[i][k] * s->w[i][k];
  if (below == 0) return 0;
  const double first = s->w[k + 1][k], norm = sqrt(below + first * first);
  for (int i = 0; i < s->n; i++) v[i] = i > k ? s->w[i][k] : 0;
  v[k + 1] += first < 0 ? -norm : norm;
  return 2 / (below + v[k + 1] * v[k + 1]);
}
/* w <- H w H and q <- H q in the rows from `first` on, before which v is 0; the rows before are not
 * read again. */
static void reflect(Work *s, int first, const double *restrict v, double f) {
  double p[MOST] = {0}, qv[MOST] = {0}, pv = 0;
  for (int i = first; i < s->n; i++) {
    const double fv = f * v[i];
    for (int j = 0; j < MOST; j++) p[j] += fv * s->w[i][j];
    for (int j = 0; j < MOST; j++) qv[j] += fv * s->q[i][j];
  }
  for (int i = first; i < s->n; i++) pv += p[i] * v[i];
  for (int j = 0; j < MOST; j++) p[j] -= 0.5 * f * pv * v[j];
  for (int i = first; i < s->n; i++) {
    const double vi = v[i], pi = p[i];
    for (int j = 0; j < MOST; j++) s->w[i][j] -= vi * p[j] + pi * v[j];
    for (int j = 0; j < MOST; j++) s->q[i][j] -= vi * qv[j];
  }
}
static void tridiagonal(Work *s) {
  double v[MOST] = {0};
  for (int k = 0; k < s->n - 2; k++) {
    const double f = reflector(s, k, v);
    if (f > 0) reflect(s, k + 1, v, f);
  }
  for (int k = 0; k < s->n; k++) {
    s->d[k] = s->w[k][k];
    s->e[k] = k + 1 < s->n ? s->w[k + 1][k] : 0;
  }
}

static inline void rotate(double *restrict a, double *restrict b, double cosine, double sine) {
  for (int k = 0; k < MOST; k++) {
    const double x = a[k], y = b[k];
    b[k] = sine * x + cosine * y;
    a[k] = cosine * x - sine * y;
  }
}

/* One QL step on rows l .. m: rotations from the bottom up chase the entry that the shift makes. */
static void ql_step(Work *s, int l, int m) {
  const double half = (s->d[l + 1] - s->d[l]) / (2 * s->e[l]), r = sqrt(half * half + 1);
  double g = s->d[m] - s->d[l] + s->e[l] / (half + (half < 0 ? -r : r));
  double sine = 1, cosine = 1, p = 0;
  for (int i = m - 1; i >= l; i--) {
    const double f = sine * s->e[i], b = cosine * s->e[i], length = sqrt(f * f + g * g);
    s->e[i + 1] = length;
    if (length == 0) { /* the matrix falls into parts */
      s->d[i + 1] -= p;
      s->e[m] = 0;
      return;
    }
    sine = f / length;
    cosine = g / length;
    const double middle = s->d[i + 1] - p, t = (s->d[i] - middle) * sine + 2 * cosine * b;
    p = sine * t;
    s->d[i + 1] = middle + p;
    g = cosine * t - b;
    rotate(s->q[i], s->q[i + 1], cosine, sine);
  }
  s->d[l] -= p;
  s->e[l] = g;
  s->e[m] = 0;
}
/* First row from l on that does not couple with the next. */
static int uncoupled(const Work *s, int l) {
  int m = l;
  while (m < s->n - 1) {
    const double size = fabs(s->d[m]) + fabs(s->d[m + 1]);
    if (size + fabs(s->e[m]) == size) break;
    m++;
  }
  return m;
}

static bool eigen(Work *s) {
  tridiagonal(s);
  for (int l = 0; l < s->n; l++) {
    int left = SWEEPS;
    for (int m = uncoupled(s, l); m != l; m = uncoupled(s, l)) {
      if (left-- == 0) return false;
      ql_step(s, l, m);
    }
  }
  return true;
}

/* a divided by its largest magnitude, which is returned; negative: not finite. Subnormal ones count
 * as 0. */
static double work_start(Work *s, int n, const double *a) {
  double most = 0;
  for (int k = 0; k < n * n; k++) {
    const double size = fabs(a[k]);
    if (!(size <= DBL_MAX)) return -1;
    most = size > most ? size : most;
  }
  memset(s, 0, sizeof *s);
  s->n = n;
  const double unit = most > DBL_MIN ? 1 / most : 0;
  for (int k = 0; k < n * n; k++) {
    s->w[k / n][k % n] = unit * a[k];
    s->q[k / n][k % n] = k / n == k % n;
  }
  return most;
}

bool sofa_symmetric_eigen(int n, const double *a, double *values, double *q) {
  Work s;
  const double scale = work_start(&s, n, a);
  if (scale < 0 || !eigen(&s)) return false;
  for (int k = 0; k < n * n; k++) q[k] = s.q[k / n][k % n];
  for (int k = 0; k < n; k++) values[k] = scale * s.d[k];
  return true;
}

/* Are all eigenvalues of a above -1e-14 of its largest entry? By the pivots of L D L^T of
 * a + 1e-14 most I; false, too, where roundings hide it, or an entry is not finite. */
static bool is_definite(int n, const double *a) {
  double l[MOST * MOST], most = 0;
  for (int k = 0; k < n * n; k++) most = fabs(a[k]) > most ? fabs(a[k]) : most;
  sofa_copy(l, a, (size_t)(n * n) * sizeof *l);
  for (int k = 0; k < n; k++) {
    double *row = l + n * k;
    const double pivot = row[k] + 1e-14 * most;
    if (!(pivot > 0 && pivot <= DBL_MAX)) return false;
    for (int i = k + 1; i < n; i++) {
      const double f = l[n * i + k] / pivot;
      for (int j = k + 1; j < n; j++) l[n * i + j] -= f * row[j];
    }
  }
  return true;
}

bool sofa_make_definite(int n, double *a) {
  Work s;
  if (is_definite(n, a)) return true;
  const double scale = work_start(&s, n, a);
  if (scale < 0 || !eigen(&s)) return false;
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(s.d[k]));
  for (int k = 0; k < n; k++) {
    if (s.d[k] >= -1e-14 * most) continue;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) a[n * i + j] -= scale * s.d[k] * (s.q[k][i] * s.q[k][j]);
    }
  }
  return true;
}
