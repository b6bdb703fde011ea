/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ogden's material with a single term (Ogden 1972), of the principal stretches.
 *
 *   g = J^(-alpha1/3), P = C^(alpha1/2 - 1), t = tr C^(alpha1/2), T = P - t/3 Ci
 *   W = mu1 / alpha1^2 (g t - 3) + k0 L^2 / 2
 *   S = mu1 / alpha1 g T + k0 L Ci
 *   D = mu1 / alpha1 g (dP/dE - alpha1/3 (P x Ci + Ci x P) + alpha1 t/9 Ci x Ci + 2/3 t Ci . Ci)
 *     + k0 (Ci x Ci - 2 L Ci . Ci) */
#include <math.h>
#include <string.h>
#include "numerics/material/material.h"
#include "numerics/material/tensor.h"
#include "math/polar.h"

enum { MU1, ALPHA1, K0 };

/* Principal squares of stretches, ascending; columns of v are their directions. */
static void principal(const SofaDeformation *x, double *values, double *v) {
  const double *c = x->c;
  const double full[9] = {c[0], c[3], c[5], c[3], c[1], c[4], c[5], c[4], c[2]};
  sofa_eigen3(full, values, v);
}

/* Symmetric part of n_i n_j^T. */
static void dyad(const double *v, int i, int j, double *g) {
  static const unsigned char pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  for (int k = 0; k < 6; k++) {
    const int a = 3 * pair[k][0], b = 3 * pair[k][1];
    g[k] = 0.5 * (v[a + i] * v[b + j] + v[a + j] * v[b + i]);
  }
}

/* (a^m - b^m) / (a - b) for a given power b^m, without cancellation; its limit for a = b. */
static double divided_power(double a, double b, double m, double power) {
  const double step = (a - b) / b;
  if (fabs(step) < 1e-150) return m * power / b;
  return power * expm1(m * log1p(step)) / (a - b);
}

static double ogden_energy(const double *p, const SofaDeformation *x) {
  double values[3], v[9], sum = 0;
  principal(x, values, v);
  // each term minus 1: exact near rest
  for (int i = 0; i < 3; i++) sum += expm1(p[ALPHA1] / 2 * log(values[i]) - p[ALPHA1] / 3 * x->l);
  return p[MU1] / (p[ALPHA1] * p[ALPHA1]) * sum + 0.5 * p[K0] * x->l * x->l;
}

/* r += scale dP/dE; power: the principal values of P. */
static void add_power_derivative(double scale, double m, const double *values, const double *power,
                                 const double *v, double *r) {
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      double g[6];
      dyad(v, i, j, g);
      const double slope = divided_power(values[j], values[i], m, power[i]);
      sofa_add_product((i == j ? 2 : 4) * scale * slope, g, g, r);
    }
  }
}

static void ogden_stress(const double *p, const SofaDeformation *x, double *s, double *d) {
  const double alpha = p[ALPHA1], k0 = p[K0], m = alpha / 2 - 1, *ci = x->ci;
  const double scale = p[MU1] / alpha;
  double values[3], v[9], power[3], gp[6] = {0}, t = 0; // all powers with their factor g
  principal(x, values, v);
  for (int i = 0; i < 3; i++) {
    double n[6];
    power[i] = exp(m * log(values[i]) - alpha / 3 * x->l);
    dyad(v, i, i, n);
    t += power[i] * values[i];
    for (int k = 0; k < 6; k++) gp[k] += power[i] * n[k];
  }
  for (int k = 0; k < 6; k++) s[k] = scale * (gp[k] - t / 3 * ci[k]) + k0 * x->l * ci[k];
  if (!d) return;

  double w[6];
  for (int k = 0; k < 6; k++)
    w[k] = -alpha / 3 * scale * gp[k] + 0.5 * (scale * alpha * t / 9 + k0) * ci[k];
  memset(d, 0, 36 * sizeof *d);
  sofa_add_symmetric_product(w, ci, d);
  sofa_add_inverse_square(2.0 / 3 * scale * t - 2 * k0 * x->l, ci, d);
  add_power_derivative(scale, m, values, power, v, d);
}

/* k0 L^2 / 2 */
static void ogden_dilatation(const double *p, double j, double u[3]) {
  const double l = log(j);
  u[0] = p[K0] / 2 * l * l;
  u[1] = p[K0] * l / j;
  u[2] = p[K0] * (1 - l) / (j * j);
}

const SofaHyperMaterial sofa_ogden = {.name = "Ogden",
                                      .n_parameters = 3,
                                      .parameter = {{"mu1", "Pa", 0, false},
                                                    {"alpha1", "1", -INFINITY, true},
                                                    {"k0", "Pa", 0, false}},
                                      .log = true,
                                      .dilatation = ogden_dilatation,
                                      .energy = ogden_energy,
                                      .stress = ogden_stress};
