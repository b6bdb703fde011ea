/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The energy densities W(I1, I2, L) of the built-in materials and their derivatives, written once
 * for numbers of a type Real: double, or with SOFA_LAWS_IN_LANES the lanes of kernels. Operators
 * and constants are those of both; multiply-add is not fused. */
#ifndef SOFA_NUMERICS_MATERIAL_ISOTROPIC_LAWS_H
#define SOFA_NUMERICS_MATERIAL_ISOTROPIC_LAWS_H

#include <math.h>
#include "numerics/material/material.h"

#ifdef SOFA_LAWS_IN_LANES
#include "numerics/fem/lane_functions_impl.h"

typedef Lanes Real;
/* What laws read of a SofaDeformation, and SofaHyperDerivatives. */
typedef struct LawDeformation {
  Real c[6], j, l, i1, i2;
} LawDeformation;
typedef struct LawDerivatives {
  Real w, w1, w2, wl, w11, w1l, w2l, wll;
} LawDerivatives;

static inline Real real_set(double a) {
  return lanes_set(a);
}
static inline Real real_exp(Real a) {
  return lanes_exp(a);
}
static inline Real real_expm1(Real a) {
  return a * lanes_expm1_ratio(a);
}
#else
typedef double Real;
typedef SofaDeformation LawDeformation;
typedef SofaHyperDerivatives LawDerivatives;

static inline Real real_set(double a) {
  return a;
}
static inline Real real_exp(Real a) {
  return exp(a);
}
static inline Real real_expm1(Real a) {
  return expm1(a);
}
#endif

/* Each law(p, x, w) sets what is not 0 of derivatives that are 0. X(law, L, I2) is done with each:
 * does W depend on L, and on I2? */
#define SOFA_ISOTROPIC_LAWS(X)                                                                     \
  X(arruda_boyce, true, false)                                                                     \
  X(mooney_rivlin, true, true)                                                                     \
  X(veronda_westman, true, true)                                                                   \
  X(st_venant_kirchhoff, false, true)                                                              \
  X(neo_hookean, true, false)                                                                      \
  X(stable_neo_hookean, true, false)

/* ---- laws of the isochoric invariants ---- */

/* psi(I1', I2') + k0 L^2 / 2 with I1' = J^(-2/3) I1, I2' = J^(-4/3) I2 and psi linear in I2'. */
typedef struct Isochoric {
  Real psi, psi1, psi11, psi2;
} Isochoric;

/* J^(-2/3) */
static inline Real isochoric_scale(const LawDeformation *x) {
  return real_exp(-2.0 / 3 * x->l);
}

static inline void isochoric(const Isochoric *f, Real a, double k0, const LawDeformation *x,
                             LawDerivatives *w) {
  const double third = 1.0 / 3;
  const Real i1 = a * x->i1, b = a * a, i2 = b * x->i2;
  w->w = f->psi + 0.5 * k0 * x->l * x->l;
  w->w1 = a * f->psi1;
  w->w2 = b * f->psi2;
  w->w11 = b * f->psi11;
  w->w1l = -2 * third * a * (f->psi1 + i1 * f->psi11);
  w->w2l = -4 * third * b * f->psi2;
  w->wl = -2 * third * (i1 * f->psi1 + 2.0 * i2 * f->psi2) + k0 * x->l;
  w->wll = 4 * third * third * (i1 * f->psi1 + i1 * i1 * f->psi11 + 4.0 * i2 * f->psi2) + k0;
}

/* W = mu sum_n c_n / N^(n-1) (I1'^n - 3^n) + k0 L^2 / 2: the first five terms of the eight-chain
 * model with N links (Arruda, Boyce 1993). */
static inline void arruda_boyce(const double *p, const LawDeformation *x, LawDerivatives *w) {
  static const double c[5] = {0.5, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
  double links = 1, three = 1; // N^(n - 1), 3^n
  const double mu = p[0];
  const Real a = isochoric_scale(x), i1 = a * x->i1;
  Isochoric f = {real_set(0), real_set(0), real_set(0), real_set(0)};
  Real power = real_set(1), before = real_set(0); // i1^(n - 1), i1^(n - 2)
  for (int n = 1; n <= 5; n++) {
    const double m = mu * c[n - 1] / links;
    links *= p[SOFA_HYPER_LINKS];
    three *= 3;
    f.psi += m * (power * i1 - three);
    f.psi1 += m * n * power;
    f.psi11 += m * n * (n - 1) * before;
    before = power;
    power *= i1;
  }
  isochoric(&f, a, p[1], x, w);
}

/* W = c1 (I1' - 3) + c2 (I2' - 3) + k0 L^2 / 2 */
static inline void mooney_rivlin(const double *p, const LawDeformation *x, LawDerivatives *w) {
  const Real a = isochoric_scale(x);
  const Isochoric f = {.psi = p[0] * (a * x->i1 - 3.0) + p[1] * (a * a * x->i2 - 3.0),
                       .psi1 = real_set(p[0]),
                       .psi11 = real_set(0),
                       .psi2 = real_set(p[1])};
  isochoric(&f, a, p[2], x, w);
}

/* W = c1 (exp(c2 (I1' - 3)) - 1) - c1 c2 / 2 (I2' - 3) + k0 L^2 / 2 (Veronda, Westmann 1970) */
static inline void veronda_westman(const double *p, const LawDeformation *x, LawDerivatives *w) {
  const double c1 = p[0], c2 = p[1], half = 0.5 * c1 * c2;
  const Real a = isochoric_scale(x), y = c2 * (a * x->i1 - 3.0), e = c1 * real_exp(y);
  const Isochoric f = {.psi = c1 * real_expm1(y) - half * (a * a * x->i2 - 3.0),
                       .psi1 = c2 * e,
                       .psi11 = c2 * c2 * e,
                       .psi2 = real_set(-half)};
  isochoric(&f, a, p[2], x, w);
}

/* ---- laws of the invariants ---- */

/* W = lambda / 2 (tr E)^2 + mu tr E^2 */
static inline void st_venant_kirchhoff(const double *p, const LawDeformation *x,
                                       LawDerivatives *w) {
  const double mu = p[0], lambda = p[1];
  const Real t = x->i1 - 3.0;
  Real e2 = real_set(0); // 4 tr E^2
  for (int i = 0; i < 6; i++) {
    const Real e = x->c[i] - (i < 3 ? 1.0 : 0.0);
    e2 += (i < 3 ? 1.0 : 2.0) * e * e;
  }
  w->w = lambda / 8 * t * t + mu / 4 * e2;
  w->w1 = lambda / 4 * t + mu / 2 * (x->i1 - 1.0);
  w->w2 = real_set(-mu / 2);
  w->w11 = real_set(lambda / 4 + mu / 2);
}

/* W = mu / 2 (I1 - 3) - mu L + lambda / 2 L^2 */
static inline void neo_hookean(const double *p, const LawDeformation *x, LawDerivatives *w) {
  const double mu = p[0], lambda = p[1];
  w->w = mu / 2 * (x->i1 - 3.0) - mu * x->l + lambda / 2 * x->l * x->l;
  w->w1 = real_set(mu / 2);
  w->wl = lambda * x->l - mu;
  w->wll = real_set(lambda);
}

/* W = mu / 2 (I1 - 3) - mu (J - 1) + (lambda + mu) / 2 (J - 1)^2 (Smith, de Goes, Kim: Stable
 * Neo-Hookean flesh simulation, 2018, equation 13 without its last term) */
static inline void stable_neo_hookean(const double *p, const LawDeformation *x, LawDerivatives *w) {
  const double mu = p[0], bulk = p[1] + mu;
  const Real j = x->j, d = j - 1.0;
  w->w = mu / 2 * (x->i1 - 3.0) - mu * d + bulk / 2 * d * d;
  w->w1 = real_set(mu / 2);
  w->wl = j * (bulk * d - mu);
  w->wll = j * (bulk * (2.0 * j - 1.0) - mu);
}

#endif
