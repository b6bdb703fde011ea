/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Materials whose energy density is a function W(I1, I2, L) of the invariants, linear in I2.
 *
 * With subscripts for derivatives and B = I1 I - C (that of I2),
 *   S = 2 (W_1 I + W_2 B) + W_L Ci,
 *   D = 4 W_11 I x I + 4 W_2 (I x I - Id) + 2 W_1L (I x Ci + Ci x I) + 2 W_2L (B x Ci + Ci x B)
 *     + W_LL Ci x Ci - 2 W_L (Ci . Ci),   (Ci . Ci) dE = Ci dE Ci
 * (Holzapfel: Nonlinear Solid Mechanics, 2000, section 6.6, with L in the place of J). The laws in
 * isotropic_laws_impl.h give W and these derivatives. */
#include <math.h>
#include <string.h>
#include "numerics/material/isotropic_laws_impl.h"
#include "numerics/material/tensor.h"

typedef SofaHyperDerivatives Derivatives;

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
#define MATERIAL_FUNCTIONS(material, of_l, of_i2)                                                  \
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

SOFA_ISOTROPIC_LAWS(MATERIAL_FUNCTIONS)

/* ---- dilatations ---- */

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

/* (lambda + mu) / 2 (J - 1)^2 */
static void stable_neo_hookean_dilatation(const double *p, double j, double u[3]) {
  const double bulk = p[1] + p[0], d = j - 1;
  u[0] = bulk / 2 * d * d;
  u[1] = bulk * d;
  u[2] = bulk;
}

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
