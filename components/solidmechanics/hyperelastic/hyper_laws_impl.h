/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses and their derivatives of the materials that are not functions of the invariants, in
 * lanes; ogden.c and costa.c have the formulas. */
#ifndef SOFA_HYPER_LAWS_H
#define SOFA_HYPER_LAWS_H

#include "numerics/fem/lane_functions_impl.h"
#include "numerics/material/material.h"

/* Of lanes: C, its inverse, det F and its logarithm; S and, if asked for, the rows of the upper
 * triangle of D. */
typedef struct LawPoint {
  const double *p;
  Lanes c[6], ci[6], j, l, s[6], d[21];
  bool derivative, unscaled; /* of SofaHyperInvariants */
} LawPoint;

static const uint8_t law_pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};

/* C, J and C^-1 from F: with the cofactors K of F, K^T K / J^2. */
static inline void law_deform(const Lanes *f, LawPoint *x) {
  Lanes cofactor[9];
  lanes_cofactors(f, cofactor);
  x->j = lanes_dot3(f + 6, cofactor + 6);
  const Lanes scale = lanes_set(1) / (x->j * x->j);
  for (int k = 0; k < 6; k++) {
    const Lanes *a = f + law_pair[k][0], *b = f + law_pair[k][1];
    const Lanes *u = cofactor + law_pair[k][0], *w = cofactor + law_pair[k][1];
    x->c[k] = lanes_madd(a[6], b[6], lanes_madd(a[3], b[3], a[0] * b[0]));
    x->ci[k] = scale * lanes_madd(u[6], w[6], lanes_madd(u[3], w[3], u[0] * w[0]));
  }
}

/* D += factor a a^T */
static inline void law_add_square(Lanes factor, const Lanes *a, Lanes *d) {
  for (int i = 0; i < 6; i++) {
    const Lanes scaled = factor * a[i];
    for (int k = i; k < 6; k++, d++) *d = lanes_madd(scaled, a[k], *d);
  }
}

/* D = a Ci^T + Ci a^T + factor (Ci dE Ci as a function of dE) */
static inline void law_begin(const Lanes *a, Lanes factor, LawPoint *x) {
  static const uint8_t at[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  const Lanes *ci = x->ci, half = lanes_set(0.5) * factor;
  Lanes m[9], *d = x->d;
  for (int k = 0; k < 9; k++) m[k] = ci[at[k]];
  for (int i = 0; i < 6; i++) {
    const Lanes *u = m + 3 * law_pair[i][0], *w = m + 3 * law_pair[i][1];
    for (int k = i; k < 6; k++, d++) {
      const int p = law_pair[k][0], q = law_pair[k][1];
      const Lanes square = lanes_madd(u[p], w[q], u[q] * w[p]);
      *d = lanes_madd(half, square, lanes_madd(a[i], ci[k], ci[i] * a[k]));
    }
  }
}

/* ---- Ogden ---- */

/* Principal squares of stretches, their logarithms, powers and directions. */
typedef struct Principal {
  Lanes value[3], log[3], power[3], v[3][3];
} Principal;

/* Symmetric part of n_i n_j^T. */
static inline void law_dyad(const Principal *r, int i, int j, Lanes *g) {
  const Lanes half = lanes_set(0.5);
  for (int k = 0; k < 6; k++) {
    const Lanes *a = r->v[law_pair[k][0]], *b = r->v[law_pair[k][1]];
    g[k] = half * lanes_madd(a[i], b[j], a[j] * b[i]);
  }
}

/* The divided difference of powers m of the principal values i and j over power[i]. */
static inline Lanes law_divided_power(Lanes m, const Principal *r, int i, int j) {
  if (i == j) return m / r->value[i];
  const Lanes slope = lanes_log_slope(r->value[j], r->value[i], r->log[j], r->log[i]);
  return m * slope * lanes_expm1_ratio(m * slope * (r->value[j] - r->value[i]));
}

/* D += scale dP/dE */
static inline void law_add_powers(Lanes scale, Lanes m, const Principal *r, Lanes *d) {
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      Lanes g[6];
      law_dyad(r, i, j, g);
      const Lanes slope = law_divided_power(m, r, i, j);
      law_add_square(lanes_set(i == j ? 2 : 4) * scale * slope * r->power[i], g, d);
    }
  }
}

/* J^(-alpha1/3) C^m and the trace of its product with C, without directions: with A = C - mean I
 * and the values f of mean + gap and mean +- half, C^m is M I + K A + G (A^2 - half^2 I), which
 * interpolates them. Where values are near each other the errors of K and G are large, and small
 * what they are factors of. A negative power is one of C^-1: errors are relative to the largest
 * value, which must be that of the largest number. */
static inline Lanes law_power(const LawPoint *x, double m, Lanes shift, Lanes *power) {
  static const uint8_t at[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  const bool inverse = m < 0;
  const Lanes *c = inverse ? x->ci : x->c, exponent = lanes_set(fabs(m));
  const LaneSpectrum s = lanes_spectrum(c);
  const Lanes one = lanes_set(1), half = lanes_set(0.5), zero = lanes_set(0);
  const Lanes value[3] = {s.mean + s.gap, s.mean + s.half, s.mean - s.half};
  Lanes f[3], a[9];
  for (int i = 0; i < 3; i++) f[i] = lanes_exp(exponent * lanes_log(value[i]) - shift);
  const Lanes middle = half * (f[1] + f[2]);
  // the divided difference of the inner two, or the derivative
  const LaneBits near = lanes_less(s.half, lanes_set(1e-6) * s.mean);
  const Lanes slope = lanes_select(near, exponent * middle, half * (f[1] - f[2])) /
                      lanes_select(near, s.mean, s.half);
  const Lanes below = lanes_madd(s.gap, s.gap, -(s.half * s.half));
  const LaneBits apart = lanes_less(zero, below);
  const Lanes bend = lanes_select(apart, lanes_madd(slope, -s.gap, f[0] - middle), zero) /
                     lanes_select(apart, below, one);
  for (int k = 0; k < 9; k++) a[k] = c[at[k]];
  for (int k = 0; k < 9; k += 4) a[k] = a[k] - s.mean;
  for (int k = 0; k < 6; k++) {
    const Lanes *u = a + 3 * law_pair[k][0], *w = a + 3 * law_pair[k][1];
    Lanes square = lanes_dot3(u, w);
    if (k < 3) square = lanes_madd(s.half, -s.half, square);
    const Lanes rest = lanes_madd(bend, square, slope * a[3 * law_pair[k][0] + law_pair[k][1]]);
    power[k] = rest + (k < 3 ? middle : zero);
  }
  if (inverse) return f[0] / value[0] + f[1] / value[1] + f[2] / value[2];
  return lanes_dot3(f, value);
}

/* Principal values, gp = J^(-alpha1/3) C^m and the trace of its product with C. */
static inline Lanes law_principal(const LawPoint *x, Lanes m, Lanes shift, Principal *r,
                                  Lanes *gp) {
  Lanes a[3][3], t = lanes_set(0);
  for (int k = 0; k < 6; k++) {
    a[law_pair[k][0]][law_pair[k][1]] = a[law_pair[k][1]][law_pair[k][0]] = x->c[k];
    gp[k] = lanes_set(0);
  }
  lanes_eigen(a, r->v);
  for (int i = 0; i < 3; i++) {
    Lanes n[6];
    r->value[i] = a[i][i];
    r->log[i] = lanes_log(r->value[i]);
    r->power[i] = lanes_exp(m * r->log[i] - shift);
    law_dyad(r, i, i, n);
    t = lanes_madd(r->power[i], r->value[i], t);
    for (int k = 0; k < 6; k++) gp[k] = lanes_madd(r->power[i], n[k], gp[k]);
  }
  return t;
}

static inline void law_ogden(LawPoint *x) {
  enum { MU1, ALPHA1, K0 };
  const double alpha = x->p[ALPHA1];
  const double power = alpha / 2 - 1;
  const Lanes m = lanes_set(power), k0 = lanes_set(x->p[K0]), scale = lanes_set(x->p[MU1] / alpha),
              third = lanes_set(alpha / 3);
  Lanes gp[6], w[6];
  Principal r;
  const Lanes shift = third * x->l;
  const Lanes t =
      x->derivative ? law_principal(x, m, shift, &r, gp) : law_power(x, power, shift, gp);
  for (int k = 0; k < 6; k++)
    x->s[k] = lanes_madd(scale, gp[k] - t * lanes_set(1.0 / 3) * x->ci[k], k0 * x->l * x->ci[k]);
  if (!x->derivative) return;
  const Lanes square = lanes_set(0.5) * lanes_madd(scale * t, lanes_set(alpha / 9), k0);
  for (int k = 0; k < 6; k++) w[k] = lanes_madd(square, x->ci[k], -(third * scale * gp[k]));
  law_begin(w, lanes_set(2.0 / 3) * scale * t - (k0 + k0) * x->l, x);
  law_add_powers(scale, m, &r, x->d);
}

/* ---- Costa ---- */

static inline void law_costa(LawPoint *x) {
  enum { A, K0, BFF, BFS, BSS, BFN, BSN, BNN };
  static const uint8_t place[6] = {BFF, BSS, BNN, BFS, BSN, BFN};
  static const uint8_t own[6] = {0, 6, 11, 15, 18, 20}; // diagonal of D
  const Lanes k0 = lanes_set(x->p[K0]), jl = x->j * x->l, *ci = x->ci;
  Lanes be[6], t[6], w[6], q = lanes_set(0);
  for (int i = 0; i < 6; i++) {
    const Lanes e = lanes_set(0.5) * (x->c[i] - lanes_set(i < 3));
    be[i] = lanes_set(x->p[place[i]]) * e;
    q = lanes_madd(lanes_set(i < 3 ? 1 : 2) * e, be[i], q);
  }
  const Lanes g = lanes_exp(lanes_set(-4.0 / 3) * x->l);
  const Lanes scale = lanes_set(x->p[A]) * g * lanes_exp(g * q);
  for (int i = 0; i < 6; i++) {
    t[i] = be[i] - lanes_set(2.0 / 3) * q * ci[i];
    x->s[i] = lanes_madd(scale, t[i], k0 * jl * ci[i]);
  }
  if (!x->derivative) return;
  const Lanes last = x->unscaled ? lanes_set(1) : k0;
  const Lanes square = lanes_madd(scale * lanes_set(8.0 / 9), q, k0 * (x->j + jl));
  for (int i = 0; i < 6; i++)
    w[i] = lanes_madd(lanes_set(0.5) * square, ci[i], -(lanes_set(4.0 / 3) * scale * be[i]));
  law_begin(w, lanes_set(4.0 / 3) * scale * q - (last + last) * jl, x);
  law_add_square((scale + scale) * g, t, x->d);
  for (int i = 0; i < 6; i++)
    x->d[own[i]] = lanes_madd(scale, lanes_set(x->p[place[i]] * (i < 3 ? 1 : 0.5)), x->d[own[i]]);
}

static inline void law_respond(const SofaHyperMaterial *material, LawPoint *x) {
  if (material == &sofa_ogden) law_ogden(x);
  else law_costa(x);
}

#endif
