/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Orders of solid elements by a manufactured solution: the displacement of the unit cube is given
 * by a smooth function, its body force follows from the law of the material, the surface is held.
 * The error of the displacement falls with the size of the elements to the power p + 1, that of its
 * gradient to the power p. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "tests/support/manufactured_solid.h"

/* ---- the solution ---- */

static void displacement(const double *x, double *u) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    u[i] = 0.08 * sin(2 * x[i] + 0.3) * cos(1.5 * x[j]) * exp(0.7 * x[k]);
  }
}

/* F, from its formula */
static void deformation(const double *x, double *f) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double e = 0.08 * exp(0.7 * x[k]), s = sin(2 * x[i] + 0.3), c = cos(1.5 * x[j]);
    f[3 * i + i] = 1 + e * 2 * cos(2 * x[i] + 0.3) * c;
    f[3 * i + j] = e * s * -1.5 * sin(1.5 * x[j]);
    f[3 * i + k] = e * 0.7 * s * c;
  }
}

static const double mu = 1, lambda = 1.5;

/* P of Saint Venant-Kirchhoff: F (lambda tr E I + 2 mu E). */
static void stress_of_strain(const double *f, double *p) {
  double c[9], s[9];
  sofa_mat3_mul_tn(f, f, c);
  const double trace = 0.5 * (sofa_mat3_trace(c) - 3);
  for (int k = 0; k < 9; k++) s[k] = mu * (c[k] - (k % 4 == 0)) + (k % 4 == 0 ? lambda * trace : 0);
  sofa_mat3_mul(f, s, p);
}

/* P of the neo-Hookean material: mu F + (lambda ln J - mu) F^-T. */
static void stress_of_split(const double *f, double *p) {
  const double j = sofa_mat3_det(f), factor = (lambda * log(j) - mu) / j;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
      p[3 * i + k] =
          mu * f[3 * i + k] + factor * (f[3 * a + c] * f[3 * b + d] - f[3 * a + d] * f[3 * b + c]);
    }
}

#define SOLUTION displacement, deformation
static const Law laws[] = {
    {"Saint Venant-Kirchhoff",
     {.material = &sofa_st_venant_kirchhoff, .p = {mu, lambda}},
     stress_of_strain,
     SOLUTION},
    {"neo-Hookean", {.material = &sofa_neo_hookean, .p = {mu, lambda}}, stress_of_split, SOLUTION}};

/* All others, whose stress is tested against their energy elsewhere: the stress of a law and the
 * body force that belongs to it are of the same law. */
static const double fibre[1][3] = {{1, 0.4, 0.2}}, other_fibre[1][3] = {{0.1, 1, -0.3}};
static const double branch_moduli[2] = {0.6, 0.3}, branch_times[2] = {0.5, 2}, activation[1] = {1};
static const SofaViscoelasticLaw viscous = {
    {&sofa_neo_hookean, {mu, lambda}}, 2, branch_moduli, branch_times};
static const SofaPlasticLaw plastic = {
    .mu = mu, .bulk = 2, .yield = 0.01, .hardening = 0.5, .saturation = 0.01};
static const SofaFibreLaw fibres = {.c = mu,
                                    .k1 = 0.5,
                                    .k2 = 0.3,
                                    .kappa = 1. / 3, // no kink where fibres begin to stretch
                                    .k0 = 2,
                                    .family = {{fibre, 1}, {other_fibre, 1}}};
static const SofaActiveLaw active = {.energy = {&sofa_neo_hookean, {mu, lambda}},
                                     .stress = 0.3,
                                     .fibres = {fibre, 1},
                                     .activation = activation,
                                     .n_activation = 1};
static const SofaEnergyLaw energy = {&sofa_mooney_rivlin, {0.3, 0.2, 2}};

#define BY_POINTS(law, data, numbers)                                                              \
  {                                                                                                \
    .material = &sofa_point_domain, .point = (law), .user = (data), .n_history = (numbers),        \
    .dt = 0.4                                                                                      \
  }
static const Law others[] = {
    {"Arruda-Boyce", {.material = &sofa_arruda_boyce, .p = {mu, 2}}, NULL, SOLUTION},
    {"Mooney-Rivlin", {.material = &sofa_mooney_rivlin, .p = {0.3, 0.2, 2}}, NULL, SOLUTION},
    {"Veronda-Westman", {.material = &sofa_veronda_westman, .p = {0.5, 1, 2}}, NULL, SOLUTION},
    {"Costa", {.material = &sofa_costa, .p = {1, 2, 3, 1.2, 0.8, 0.7, 2.5, 0.6}}, NULL, SOLUTION},
    {"Ogden", {.material = &sofa_ogden, .p = {2, mu, 3}}, NULL, SOLUTION},
    {"stable neo-Hookean",
     {.material = &sofa_stable_neo_hookean, .p = {mu, lambda}},
     NULL,
     SOLUTION},
    {"an energy, by points", BY_POINTS(sofa_point_energy, &energy, 0), NULL, SOLUTION},
    {"viscoelastic", BY_POINTS(sofa_point_viscoelastic, &viscous, 12), NULL, SOLUTION},
    {"plastic", BY_POINTS(sofa_point_plastic, &plastic, SOFA_PLASTIC_HISTORY), NULL, SOLUTION},
    {"fibres", BY_POINTS(sofa_point_fibres, &fibres, 0), NULL, SOLUTION},
    {"muscle", BY_POINTS(sofa_point_active, &active, 0), NULL, SOLUTION},
};

static Errors run(SofaShape shape, SofaDilatation dilatation, const Law *law, int n) {
  return run_and_look(shape, dilatation, law, n, NULL, NULL);
}

static void check_order(SofaShape shape, const Law *law, int n) {
  const SofaShapeInfo *info = sofa_shape_info(shape);
  const Errors coarse = run(shape, SOFA_DILATATION_FULL, law, n),
               fine = run(shape, SOFA_DILATATION_FULL, law, 2 * n);
  const double value = log2(coarse.value / fine.value), slope = log2(coarse.slope / fine.slope);
  if (!(value >= info->order + 1 - 0.2)) fail_msg("%s, %s: order %g", info->name, law->name, value);
  if (!(slope >= info->order - 0.1))
    fail_msg("%s, %s: order of the gradient %g", info->name, law->name, slope);
}

static void orders(void **state) {
  const SofaShape shape = (SofaShape)(uintptr_t)*state;
  const int n = sofa_shape_info(shape)->order == 1 ? 4 : 3;
  for (size_t k = 0; k < SOFA_COUNT(laws); k++) check_order(shape, &laws[k], n);
  for (size_t k = 0; k < SOFA_COUNT(others); k++) check_order(shape, &others[k], n - 1);
}

/* A change of volume that is constant in each element is of first order, a linear one of second. */
static void orders_of_dilatations(void **state) {
  static const struct {
    SofaShape shape;
    SofaDilatation dilatation;
    int n;
    double value, slope; /* orders */
  } cases[] = {{SOFA_SHAPE_HEXA, SOFA_DILATATION_MEAN, 4, 2, 1},
               {SOFA_SHAPE_PRISM, SOFA_DILATATION_MEAN, 4, 2, 1},
               {SOFA_SHAPE_PYRAMID, SOFA_DILATATION_MEAN, 4, 2, 1},
               {SOFA_SHAPE_TETRA10, SOFA_DILATATION_MEAN, 3, 2, 1},
               {SOFA_SHAPE_PYRAMID13, SOFA_DILATATION_MEAN, 3, 2, 1},
               {SOFA_SHAPE_PRISM15, SOFA_DILATATION_MEAN, 5, 2, 1},
               {SOFA_SHAPE_HEXA20, SOFA_DILATATION_MEAN, 6, 2, 1},
               {SOFA_SHAPE_HEXA27, SOFA_DILATATION_LINEAR, 3, 3, 2},
               {SOFA_SHAPE_HEXA, SOFA_DILATATION_BAR, 4, 2, 1},
               {SOFA_SHAPE_PRISM, SOFA_DILATATION_BAR, 4, 2, 1},
               {SOFA_SHAPE_PYRAMID, SOFA_DILATATION_BAR, 4, 2, 1}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    const Errors coarse = run(cases[i].shape, cases[i].dilatation, &laws[1], cases[i].n),
                 fine = run(cases[i].shape, cases[i].dilatation, &laws[1], 2 * cases[i].n);
    const double value = log2(coarse.value / fine.value), slope = log2(coarse.slope / fine.slope);
    if (!(value >= cases[i].value - 0.2)) fail_msg("case %zu: order %g", i, value);
    if (!(slope >= cases[i].slope - 0.1)) fail_msg("case %zu: order of the gradient %g", i, slope);
  }
}

#define ORDERS(name, shape)                                                                        \
  { name, orders, NULL, NULL, (void *)(uintptr_t)(shape) }

int main(void) {
  const struct CMUnitTest tests[] = {
      ORDERS("tetrahedra", SOFA_SHAPE_TETRA),
      ORDERS("pyramids", SOFA_SHAPE_PYRAMID),
      ORDERS("prisms", SOFA_SHAPE_PRISM),
      ORDERS("hexahedra", SOFA_SHAPE_HEXA),
      ORDERS("tetrahedra of 10 nodes", SOFA_SHAPE_TETRA10),
      ORDERS("pyramids of 13 nodes", SOFA_SHAPE_PYRAMID13),
      ORDERS("prisms of 15 nodes", SOFA_SHAPE_PRISM15),
      ORDERS("hexahedra of 20 nodes", SOFA_SHAPE_HEXA20),
      ORDERS("hexahedra of 27 nodes", SOFA_SHAPE_HEXA27),
      cmocka_unit_test(orders_of_dilatations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
