/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exponential orthotropic material of heart muscle (Costa, Holmes, McCulloch: Modelling
 * cardiac mechanical properties in three dimensions, 2001), fibre, sheet and normal along x, y, z.
 *
 *   Q = sum b_ij E_ij^2,  Q' = J^(-4/3) Q,  W = a / 2 (exp Q' - 1) + k0 (J L - J + 1)
 *   S = a J^(-4/3) exp(Q') T + k0 J L Ci,  T = b E - 2/3 Q Ci (b E entry by entry)
 *   D = a J^(-4/3) exp(Q') (2 J^(-4/3) T x T - 4/3 (bE x Ci + Ci x bE) + b + 4/3 Q (2/3 Ci x Ci
 *       + Ci . Ci)) + k0 J ((1 + L) Ci x Ci - 2 L Ci . Ci) */
#include <math.h>
#include <string.h>
#include "numerics/material/material.h"
#include "numerics/material/tensor.h"

enum { A, K0, BFF, BFS, BSS, BFN, BSN, BNN };

/* Entries of b in the order of tensors. */
static const int place[6] = {BFF, BSS, BNN, BFS, BSN, BFN};

/* bE and Q. */
static double quadratic(const double *p, const SofaDeformation *x, double *be) {
  double q = 0;
  for (int i = 0; i < 6; i++) {
    const double e = 0.5 * (i < 3 ? x->c[i] - 1 : x->c[i]);
    be[i] = p[place[i]] * e;
    q += (i < 3 ? 1 : 2) * e * be[i];
  }
  return q;
}

static double costa_energy(const double *p, const SofaDeformation *x) {
  double be[6];
  const double q = quadratic(p, x, be);
  return p[A] / 2 * expm1(exp(-4.0 / 3 * x->l) * q) + p[K0] * (x->j * x->l - (x->j - 1));
}

/* What a further term of D needs. */
typedef struct CostaTerms {
  double be[6], q, g, scale;
} CostaTerms;

/* k: k0 in the last term of D. */
static void stress_with(const double *p, double k, const SofaDeformation *x, double *s, double *d,
                        CostaTerms *c) {
  double t[6], v[6];
  const double q = quadratic(p, x, c->be), g = exp(-4.0 / 3 * x->l), jl = x->j * x->l;
  const double scale = p[A] * g * exp(g * q), *ci = x->ci, *be = c->be;
  c->q = q, c->g = g, c->scale = scale;
  for (int i = 0; i < 6; i++) {
    t[i] = be[i] - 2.0 / 3 * q * ci[i];
    s[i] = scale * t[i] + p[K0] * jl * ci[i];
  }
  if (!d) return;

  const double square = scale * 8.0 / 9 * q + p[K0] * (x->j + jl); // of Ci x Ci
  for (int i = 0; i < 6; i++) v[i] = 0.5 * square * ci[i] - 4.0 / 3 * scale * be[i];
  memset(d, 0, 36 * sizeof *d);
  sofa_add_symmetric_product(v, ci, d);
  sofa_add_product(2 * scale * g, t, t, d);
  for (int i = 0; i < 6; i++) d[7 * i] += scale * p[place[i]] * (i < 3 ? 1 : 0.5);
  sofa_add_inverse_square(4.0 / 3 * scale * q - 2 * k * jl, ci, d);
}

static void costa_stress(const double *p, const SofaDeformation *x, double *s, double *d) {
  CostaTerms terms;
  stress_with(p, p[K0], x, s, d, &terms);
}

void sofa_costa_unscaled(const double *p, const SofaDeformation *x, double *s, double *d) {
  CostaTerms terms;
  stress_with(p, 1, x, s, d, &terms);
}

void sofa_costa_unsymmetric(const double *p, const SofaDeformation *x, double *s, double *d) {
  CostaTerms c;
  stress_with(p, 1, x, s, d, &c);
  if (d) sofa_add_product(-4.0 / 3 * c.scale * c.g * (c.q * c.q - c.q), c.be, x->ci, d);
}

/* k0 (J L - J + 1) */
static void costa_dilatation(const double *p, double j, double u[3]) {
  const double l = log(j);
  u[0] = p[K0] * (j * l - (j - 1));
  u[1] = p[K0] * l;
  u[2] = p[K0] / j;
}

const SofaHyperMaterial sofa_costa = {.name = "Costa",
                                      .n_parameters = 8,
                                      .parameter = {{"a", "Pa", 0, false},
                                                    {"k0", "Pa", 0, false},
                                                    {"bff", "1", 0, false},
                                                    {"bfs", "1", 0, false},
                                                    {"bss", "1", 0, false},
                                                    {"bfn", "1", 0, false},
                                                    {"bsn", "1", 0, false},
                                                    {"bnn", "1", 0, false}},
                                      .log = true,
                                      .dilatation = costa_dilatation,
                                      .energy = costa_energy,
                                      .stress = costa_stress};
