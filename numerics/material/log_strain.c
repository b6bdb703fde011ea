/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Spectral form of laws of the logarithmic strain; formulas in log_strain.h. */
#include "numerics/material/log_strain.h"

#include <math.h>
#include "math/polar.h"
#include "math/vec.h"
#include "numerics/material/tensor.h"

/* r = sym(a b^T) */
static void dyad(const double *a, const double *b, double *r) {
  static const unsigned char pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  for (int k = 0; k < 6; k++) {
    const int i = pair[k][0], j = pair[k][1];
    r[k] = 0.5 * (a[i] * b[j] + a[j] * b[i]);
  }
}

void sofa_log_strain(const double *f, const double *h, SofaLogStrain *out) {
  const double g[9] = {1 + h[0], h[3], h[5], h[3], 1 + h[1], h[4], h[5], h[4], 1 + h[2]};
  double fg[9], b[9], values[3], v[9], inverse[9], det;
  sofa_mat3_mul(f, g, fg);
  sofa_mat3_mul_nt(fg, f, b);
  sofa_eigen3(b, values, v);
  (void)sofa_mat3_inverse(f, inverse, &det); // the caller has seen that det F is not 0
  for (int a = 0; a < 3; a++) {
    const double n[3] = {v[a], v[3 + a], v[6 + a]};
    sofa_mat3_apply(inverse, n, out->n[a]);
    out->e[a] = 0.5 * log(values[a]);
  }
  out->trace = out->e[0] + out->e[1] + out->e[2];
  for (int a = 0; a < 3; a++) out->dev[a] = out->e[a] - out->trace / 3;
  out->norm = sofa_vec3_norm(out->dev);
}

/* u / tanh u */
static double u_over_tanh(double u) {
  return fabs(u) < 1e-4 ? 1 + u * u / 3 : u / tanh(u);
}

static void add_tangent(const SofaLogStrain *x, const SofaLogResponse *r, const double *t,
                        double m[3][6], double *d) {
  const double scale = x->norm > 0 ? 1 / x->norm : 0;
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) {
      const double along = scale * scale * x->dev[a] * x->dev[b];
      const double c = r->bulk - r->k / 3 + (r->slope - r->k) * along;
      sofa_add_product(c + (a == b ? r->k - 2 * t[a] : 0), m[a], m[b], d);
    }
    for (int b = a + 1; b < 3; b++) {
      double mixed[6];
      dyad(x->n[a], x->n[b], mixed);
      // with t_a - t_b = k (e_a - e_b) the quotient has no cancellation
      const double g = r->k / 2 * u_over_tanh(x->e[a] - x->e[b]) - (t[a] + t[b]) / 2;
      sofa_add_product(4 * g, mixed, mixed, d);
    }
  }
}

void sofa_log_add_stress(const SofaLogStrain *x, const SofaLogResponse *r, double *s, double *d) {
  double m[3][6], t[3];
  for (int a = 0; a < 3; a++) {
    t[a] = r->pressure + r->k * x->dev[a];
    dyad(x->n[a], x->n[a], m[a]);
    for (int k = 0; k < 6; k++) s[k] += t[a] * m[a][k];
  }
  if (d) add_tangent(x, r, t, m, d);
}

void sofa_log_history(const SofaLogStrain *x, const double *e, double *history) {
  for (int k = 0; k < 6; k++) history[k] = k < 3 ? -1 : 0;
  for (int a = 0; a < 3; a++) {
    double m[6];
    dyad(x->n[a], x->n[a], m);
    for (int k = 0; k < 6; k++) history[k] += exp(2 * e[a]) * m[k];
  }
}
