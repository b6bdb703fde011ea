/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Materials whose energy density is a function W(I1, I2, L) of the invariants, linear in I2.
 *
 * With subscripts for derivatives and B = I1 I - C (that of I2),
 *   S = 2 (W_1 I + W_2 B) + W_L Ci,
 *   D = 4 W_11 I x I + 4 W_2 (I x I - Id) + 2 W_1L (I x Ci + Ci x I) + 2 W_2L (B x Ci + Ci x B)
 *     + W_LL Ci x Ci - 2 W_L (Ci . Ci),   (Ci . Ci) dE = Ci dE Ci
 * (Holzapfel: Nonlinear Solid Mechanics, 2000, section 6.6, with L in the place of J). A material
 * gives W and these derivatives. */
#include <math.h>
#include <string.h>
#include "numerics/material/material.h"
#include "numerics/material/tensor.h"

typedef SofaHyperDerivatives Derivatives;
typedef void Law(const double *p, const SofaDeformation *x, Derivatives *w);

static inline void stress_of(const Derivatives *w, const SofaDeformation *x, double *s, double *d) {
  const double *c = x->c, *ci = x->ci;
  const double b[6] = {x->i1 - c[0], x->i1 - c[1], x->i1 - c[2], -c[3], -c[4], -c[5]};
  for (int i = 0; i < 6; i++) s[i] = 2 * ((i < 3 ? w->w1 : 0) + w->w2 * b[i]) + w->wl * ci[i];
  if (!d) return;

  // all products with Ci at once
  double v[6];
  for (int i = 0; i < 6; i++)
    v[i] = 2 * ((i < 3 ? w->w1l : 0) + w->w2l * b[i]) + 0.5 * w->wll * ci[i];
  memset(d, 0, 36 * sizeof *d);
  sofa_add_symmetric_product(v, ci, d);
  sofa_add_inverse_square(-2 * w->wl, ci, d);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) d[6 * i + k] += 4 * (w->w11 + w->w2);
    d[7 * i] -= 4 * w->w2;
    d[7 * (i + 3)] -= 2 * w->w2;
  }
}

/* Functions of a material from its law, which is inlined into all. */
#define MATERIAL_FUNCTIONS(material)                                                               \
  static double material##_energy(const double *p, const SofaDeformation *x) {                     \
    Derivatives w = {0};                                                                           \
    material(p, x, &w);                                                                            \
    return w.w;                                                                                    \
  }                                                                                                \
  static void material##_derivatives(const double *p, const SofaDeformation *x, Derivatives *w) {  \
    *w = (Derivatives){0};                                                                         \
    material(p, x, w);                                                                             \
  }                                                                                                \
  static void material##_stress(const double *p, const SofaDeformation *x, double *s, double *d) { \
    Derivatives w = {0};                                                                           \
    material(p, x, &w);                                                                            \
    stress_of(&w, x, s, d);                                                                        \
  }

/* ---- laws of the isochoric invariants ---- */

/* psi(I1', I2') + k0 L^2 / 2 with I1' = J^(-2/3) I1, I2' = J^(-4/3) I2 and psi linear in I2'. */
typedef struct Isochoric {
  double psi, psi1, psi11, psi2;
} Isochoric;

static inline void isochoric(const Isochoric *f, double a, double k0, const SofaDeformation *x,
                             Derivatives *w) {
  const double i1 = a * x->i1, b = a * a, i2 = b * x->i2, third = 1.0 / 3;
  w->w = f->psi + 0.5 * k0 * x->l * x->l;
  w->w1 = a * f->psi1;
  w->w2 = b * f->psi2;
  w->w11 = b * f->psi11;
  w->w1l = -2 * third * a * (f->psi1 + i1 * f->psi11);
  w->w2l = -4 * third * b * f->psi2;
  w->wl = -2 * third * (i1 * f->psi1 + 2 * i2 * f->psi2) + k0 * x->l;
  w->wll = 4 * third * third * (i1 * f->psi1 + i1 * i1 * f->psi11 + 4 * i2 * f->psi2) + k0;
}

/* k0 L^2 / 2 */
static void log_dilatation(double k0, double j, double u[3]) {
  const double l = log(j);
  u[0] = k0 / 2 * l * l;
  u[1] = k0 * l / j;
  u[2] = k0 * (1 - l) / (j * j);
}
static void second_dilatation(const double *p, double j, double u[3]) {
  log_dilatation(p[1], j, u);
}
static void third_dilatation(const double *p, double j, double u[3]) {
  log_dilatation(p[2], j, u);
}

/* W = mu sum_n c_n / N^(n-1) (I1'^n - 3^n) + k0 L^2 / 2: the first five terms of the eight-chain
 * model with N links (Arruda, Boyce 1993). */
static inline void arruda_boyce(const double *p, const SofaDeformation *x, Derivatives *w) {
  static const double c[5] = {0.5, 1.0 / 20, 11.0 / 1050, 19.0 / 7000, 519.0 / 673750};
  double links = 1; // N^(n - 1)
  const double mu = p[0], a = exp(-2.0 / 3 * x->l), i1 = a * x->i1;
  Isochoric f = {0};
  double power = 1, three = 1; // i1^(n - 1), 3^n
  double before = 0;           // i1^(n - 2)
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
static inline void mooney_rivlin(const double *p, const SofaDeformation *x, Derivatives *w) {
  const double a = exp(-2.0 / 3 * x->l);
  const Isochoric f = {
      .psi = p[0] * (a * x->i1 - 3) + p[1] * (a * a * x->i2 - 3), .psi1 = p[0], .psi2 = p[1]};
  isochoric(&f, a, p[2], x, w);
}

/* W = c1 (exp(c2 (I1' - 3)) - 1) - c1 c2 / 2 (I2' - 3) + k0 L^2 / 2 (Veronda, Westmann 1970) */
static inline void veronda_westman(const double *p, const SofaDeformation *x, Derivatives *w) {
  const double c1 = p[0], c2 = p[1], a = exp(-2.0 / 3 * x->l), y = c2 * (a * x->i1 - 3);
  const double e = c1 * exp(y);
  const Isochoric f = {.psi = c1 * expm1(y) - 0.5 * c1 * c2 * (a * a * x->i2 - 3),
                       .psi1 = c2 * e,
                       .psi11 = c2 * c2 * e,
                       .psi2 = -0.5 * c1 * c2};
  isochoric(&f, a, p[2], x, w);
}

/* ---- laws of the invariants ---- */

/* W = lambda / 2 (tr E)^2 + mu tr E^2 */
static inline void st_venant_kirchhoff(const double *p, const SofaDeformation *x, Derivatives *w) {
  const double mu = p[0], lambda = p[1], t = x->i1 - 3;
  double e2 = 0; // 4 tr E^2
  for (int i = 0; i < 6; i++) {
    const double e = i < 3 ? x->c[i] - 1 : x->c[i];
    e2 += (i < 3 ? 1 : 2) * e * e;
  }
  w->w = lambda / 8 * t * t + mu / 4 * e2;
  w->w1 = lambda / 4 * t + mu / 2 * (x->i1 - 1);
  w->w2 = -mu / 2;
  w->w11 = lambda / 4 + mu / 2;
}

/* W = mu / 2 (I1 - 3) - mu L + lambda / 2 L^2 */
static inline void neo_hookean(const double *p, const SofaDeformation *x, Derivatives *w) {
  const double mu = p[0], lambda = p[1];
  w->w = mu / 2 * (x->i1 - 3) - mu * x->l + lambda / 2 * x->l * x->l;
  w->w1 = mu / 2;
  w->wl = lambda * x->l - mu;
  w->wll = lambda;
}

/* (lambda + mu) / 2 (J - 1)^2 */
static void stable_neo_hookean_dilatation(const double *p, double j, double u[3]) {
  const double bulk = p[1] + p[0], d = j - 1;
  u[0] = bulk / 2 * d * d;
  u[1] = bulk * d;
  u[2] = bulk;
}

/* W = mu / 2 (I1 - 3) - mu (J - 1) + (lambda + mu) / 2 (J - 1)^2 (Smith, de Goes, Kim: Stable
 * Neo-Hookean flesh simulation, 2018, equation 13 without its last term) */
static inline void stable_neo_hookean(const double *p, const SofaDeformation *x, Derivatives *w) {
  const double mu = p[0], bulk = p[1] + mu, j = x->j, d = j - 1;
  w->w = mu / 2 * (x->i1 - 3) - mu * d + bulk / 2 * d * d;
  w->w1 = mu / 2;
  w->wl = j * (bulk * d - mu);
  w->wll = j * (bulk * (2 * j - 1) - mu);
}

MATERIAL_FUNCTIONS(arruda_boyce)
MATERIAL_FUNCTIONS(mooney_rivlin)
MATERIAL_FUNCTIONS(veronda_westman)
MATERIAL_FUNCTIONS(st_venant_kirchhoff)
MATERIAL_FUNCTIONS(neo_hookean)
MATERIAL_FUNCTIONS(stable_neo_hookean)

#define FUNCTIONS(material)                                                                        \
  .energy = material##_energy, .stress = material##_stress, .derivatives = material##_derivatives

const SofaHyperMaterial sofa_arruda_boyce = {
    .name = "ArrudaBoyce",
    .n_parameters = 2,
    .parameter = {{"mu", "Pa", 0, false}, {"k0", "Pa", 0, false}},
    .log = true,
    .dilatation = second_dilatation,
    FUNCTIONS(arruda_boyce)};

const SofaHyperMaterial sofa_mooney_rivlin = {.name = "MooneyRivlin",
                                              .n_parameters = 3,
                                              .parameter = {{"c1", "Pa", -INFINITY, false},
                                                            {"c2", "Pa", -INFINITY, false},
                                                            {"k0", "Pa", 0, false}},
                                              .log = true,
                                              .dilatation = third_dilatation,
                                              FUNCTIONS(mooney_rivlin)};

const SofaHyperMaterial sofa_veronda_westman = {
    .name = "VerondaWestman",
    .n_parameters = 3,
    .parameter = {{"c1", "Pa", 0, false}, {"c2", "1", 0, false}, {"k0", "Pa", 0, false}},
    .log = true,
    .dilatation = third_dilatation,
    FUNCTIONS(veronda_westman)};

const SofaHyperMaterial sofa_st_venant_kirchhoff = {
    .name = "StVenantKirchhoff",
    .n_parameters = 2,
    .parameter = {{"mu", "Pa", 0, false}, {"lambda", "Pa", -INFINITY, false}},
    .inverts = true,
    .form = SOFA_HYPER_STRAIN,
    FUNCTIONS(st_venant_kirchhoff)};

const SofaHyperMaterial sofa_neo_hookean = {
    .name = "NeoHookean",
    .n_parameters = 2,
    .parameter = {{"mu", "Pa", 0, false}, {"lambda", "Pa", -INFINITY, false}},
    .log = true,
    .form = SOFA_HYPER_SPLIT,
    .dilatation = second_dilatation, /* lambda / 2 L^2 */
    FUNCTIONS(neo_hookean)};

const SofaHyperMaterial sofa_stable_neo_hookean = {
    .name = "StableNeoHookean",
    .n_parameters = 2,
    .parameter = {{"mu", "Pa", 0, false}, {"lambda", "Pa", -INFINITY, false}},
    .inverts = true,
    .form = SOFA_HYPER_SPLIT,
    .dilatation = stable_neo_hookean_dilatation,
    FUNCTIONS(stable_neo_hookean)};
