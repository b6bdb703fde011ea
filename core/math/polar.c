/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polar, singular value and eigenvalue decompositions of 3x3 matrices. */
#include "math/polar.h"

#include <float.h>
#include <math.h>
#include "math/vec.h"

/* ---- Newton's iteration ---- */

static double max2(double a, double b) {
  return a > b ? a : b;
}

/* Largest sum of absolute values of a row, and of a column. */
static double norm_inf(const double *m) {
  double r[3];
  for (int i = 0; i < 3; i++) r[i] = fabs(m[3 * i]) + fabs(m[3 * i + 1]) + fabs(m[3 * i + 2]);
  return max2(max2(r[0], r[1]), r[2]);
}

static double norm_one(const double *m) {
  double c[3];
  for (int i = 0; i < 3; i++) c[i] = fabs(m[i]) + fabs(m[3 + i]) + fabs(m[6 + i]);
  return max2(max2(c[0], c[1]), c[2]);
}

/* S = Q^T A, made exactly symmetric. */
static void stretch(const double *q, const double *a, double *s) {
  double m[9];
  sofa_mat3_mul_tn(q, a, m);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) s[3 * i + j] = 0.5 * (m[3 * i + j] + m[3 * j + i]);
  }
}

/* One step M := g/2 M + 1/(2 g) M^-T with g = sqrt(|M^-1| / |M|), norms being the geometric mean of
 * 1- and infinity-norm. Sets *done at convergence; false when M is singular. */
static bool newton_step(double *m, bool *done) {
  double c[9], next[9], change[9];
  sofa_mat3_cofactors(m, c);
  const double det = sofa_vec3_dot(m, c);
  if (!(det < 0 || det > 0)) return false;
  const double ratio = norm_one(c) * norm_inf(c) / (norm_one(m) * norm_inf(m));
  const double g = sqrt(sqrt(ratio) / fabs(det));
  for (int i = 0; i < 9; i++) {
    next[i] = 0.5 * g * m[i] + 0.5 / (g * det) * c[i];
    change[i] = m[i] - next[i];
  }
  sofa_mat3_copy(next, m);
  // quadratic: a last change of 1e-8 leaves an error of 1e-16
  *done = norm_one(change) <= 1e-8 * norm_one(next);
  return true;
}

/* The rotation of a matrix far from singular ones and from reflections, by the step
 * M := (M + M^-T) / 2; false when it is not far. With singular values whose mean square is 1 and
 * whose product is above 1/2 none is below 1/3, and half a dozen steps are enough. */
static bool rotation_of(const double *f, double *q) {
  double m[9], c[9], square = 0, change = 1;
  for (int i = 0; i < 9; i++) square += f[i] * f[i];
  const double scale = sqrt(3 / square);
  for (int i = 0; i < 9; i++) m[i] = scale * f[i];
  for (int step = 0; step < 10 && change > 1e-18; step++) {
    sofa_mat3_cofactors(m, c);
    const double det = sofa_vec3_dot(m, c), half = 0.5 / det;
    if (!(det > 0.5)) return false;
    change = 0;
    for (int i = 0; i < 9; i++) {
      const double next = 0.5 * m[i] + half * c[i];
      change += (next - m[i]) * (next - m[i]);
      m[i] = next;
    }
  }
  sofa_mat3_copy(m, q);
  return change <= 1e-18;
}

bool sofa_polar(const double *a, double *q, double *s) {
  double m[9], input[9];
  bool done = false, ok = true;
  sofa_mat3_copy(a, input);
  if (rotation_of(input, q)) {
    done = true;
  } else {
    sofa_mat3_transpose(input, m);
    for (int i = 0; i < 100 && ok && !done; i++) ok = newton_step(m, &done);
    sofa_mat3_transpose(m, q);
  }
  if (s) stretch(q, input, s);
  return done;
}

/* ---- singular values ---- */

static void get_column(const double *m, int j, double *v) {
  sofa_vec3_set(v, m[j], m[3 + j], m[6 + j]);
}

static void set_column(double *m, int j, const double *v) {
  for (int i = 0; i < 3; i++) m[3 * i + j] = v[i];
}

/* Columns (p, q) := (c p - s q, s p + c q). */
static void turn_columns(double *m, int p, int q, double c, double s) {
  for (int i = 0; i < 9; i += 3) {
    const double x = m[i + p], y = m[i + q];
    m[i + p] = c * x - s * y;
    m[i + q] = s * x + c * y;
  }
}

/* Tangent of the smaller angle that annihilates the off-diagonal entry of [[a, b], [b, d]]
 * (Golub, Van Loan: Matrix Computations, 8.5.2). */
static double jacobi_tangent(double a, double b, double d) {
  const double z = (d - a) / (2 * b);
  return copysign(1, z) / (fabs(z) + sqrt(1 + z * z));
}

/* Makes columns p and q of A = F V orthogonal. False when they are already. */
static bool orthogonalize(double *a, double *v, int p, int q) {
  double x[3], y[3];
  get_column(a, p, x);
  get_column(a, q, y);
  const double xx = sofa_vec3_norm2(x), yy = sofa_vec3_norm2(y), xy = sofa_vec3_dot(x, y);
  if (!(fabs(xy) > 2 * DBL_EPSILON * sqrt(xx) * sqrt(yy))) return false;
  const double t = jacobi_tangent(xx, xy, yy);
  const double c = 1 / sqrt(1 + t * t);
  turn_columns(a, p, q, c, c * t);
  turn_columns(v, p, q, c, c * t);
  return true;
}

/* Swaps columns p and q, one negated: V stays a rotation. */
static void swap_columns(double *m, int p, int q) {
  turn_columns(m, p, q, 0, 1);
}

/* A unit vector across the unit vector u, as near to w as there is one. */
static void any_across(const double *u, const double *w, double *r) {
  double t[3];
  sofa_vec3_copy(w, t);
  sofa_vec3_axpy(-sofa_vec3_dot(u, t), u, t);
  if (sofa_vec3_norm(t) < 0.1) {
    // w is along u: take the axis that is least so
    const int k = fabs(u[0]) < 0.6 ? 0 : fabs(u[1]) < 0.6 ? 1 : 2;
    sofa_vec3_set(t, k == 0, k == 1, k == 2);
    sofa_vec3_axpy(-sofa_vec3_dot(u, t), u, t);
  }
  sofa_vec3_normalize(t);
  sofa_vec3_copy(t, r);
}

/* U from A = U diag(s), columns sorted: the two longest give it, the third is their product. */
static void left_vectors(const double *a, const double *v, double *u, double *s) {
  double x[3], y[3], z[3];
  get_column(a, 0, x);
  get_column(a, 1, y);
  get_column(a, 2, z);
  if (!(sofa_vec3_norm(x) > 0)) {
    sofa_mat3_copy(v, u);
    sofa_vec3_set(s, 0, 0, 0);
    return;
  }
  s[0] = sofa_vec3_normalize(x);
  s[1] = sofa_vec3_normalize(y);
  if (s[1] > 0) {
    // orthogonal up to rounding already; once more for the last bit
    sofa_vec3_axpy(-sofa_vec3_dot(x, y), x, y);
    sofa_vec3_normalize(y);
  } else {
    double w[3];
    get_column(v, 1, w);
    any_across(x, w, y);
  }
  set_column(u, 0, x);
  set_column(u, 1, y);
  sofa_vec3_cross(x, y, x);
  set_column(u, 2, x);
  s[2] = sofa_vec3_dot(x, z);
}

static double column_norm2(const double *m, int j) {
  double x[3];
  get_column(m, j, x);
  return sofa_vec3_norm2(x);
}

void sofa_svd3(const double *f, double *u, double *s, double *v) {
  double a[9], vv[9], largest = 0;
  // scaled so that no square overflows or vanishes
  for (int i = 0; i < 9; i++) largest = max2(largest, fabs(f[i]));
  int exponent = 0;
  frexp(largest, &exponent);
  for (int i = 0; i < 9; i++) a[i] = ldexp(f[i], -exponent);
  sofa_mat3_identity(vv);
  bool more = true;
  for (int sweep = 0; sweep < 32 && more; sweep++) {
    more = orthogonalize(a, vv, 0, 1);
    more = orthogonalize(a, vv, 0, 2) || more;
    more = orthogonalize(a, vv, 1, 2) || more;
  }
  // longest first
  static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (int k = 0; k < 3; k++) {
    const int p = pairs[k][0], q = pairs[k][1];
    if (column_norm2(a, p) >= column_norm2(a, q)) continue;
    swap_columns(a, p, q);
    swap_columns(vv, p, q);
  }
  left_vectors(a, vv, u, s);
  for (int i = 0; i < 3; i++) s[i] = ldexp(s[i], exponent);
  sofa_mat3_copy(vv, v);
}

void sofa_polar_stable(const double *f, double *q, double *s) {
  double u[9], v[9], sigma[3], input[9];
  sofa_mat3_copy(f, input);
  if (!rotation_of(input, q)) {
    sofa_svd3(input, u, sigma, v);
    sofa_mat3_mul_nt(u, v, q);
  }
  if (s) stretch(q, input, s);
}

/* ---- eigenvalues ---- */

/* M := J^T M J that annihilates entry (p, q); V := V J. False when it is negligible already. */
static bool annihilate(double *m, double *v, int p, int q) {
  const double b = m[3 * p + q];
  if (!(fabs(b) > 0x1p-60 * (fabs(m[4 * p]) + fabs(m[4 * q])))) return false;
  const double t = jacobi_tangent(m[4 * p], b, m[4 * q]);
  const double c = 1 / sqrt(1 + t * t), s = c * t;
  turn_columns(m, p, q, c, s);
  for (int j = 0; j < 3; j++) {
    const double x = m[3 * p + j], y = m[3 * q + j];
    m[3 * p + j] = c * x - s * y;
    m[3 * q + j] = s * x + c * y;
  }
  m[3 * p + q] = m[3 * q + p] = 0;
  turn_columns(v, p, q, c, s);
  return true;
}

void sofa_eigen3(const double *a, double *values, double *v) {
  double m[9] = {a[0], a[1], a[2], a[1], a[4], a[5], a[2], a[5], a[8]}, vv[9];
  sofa_mat3_identity(vv);
  bool more = true;
  for (int sweep = 0; sweep < 32 && more; sweep++) {
    more = annihilate(m, vv, 0, 1);
    more = annihilate(m, vv, 0, 2) || more;
    more = annihilate(m, vv, 1, 2) || more;
  }
  double d[3] = {m[0], m[4], m[8]};
  static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 1}};
  for (int k = 0; k < 3; k++) {
    const int p = pairs[k][0], q = pairs[k][1];
    if (d[p] <= d[q]) continue;
    const double swap = d[p];
    d[p] = d[q];
    d[q] = swap;
    swap_columns(vv, p, q);
  }
  sofa_vec3_copy(d, values);
  sofa_mat3_copy(vv, v);
}
