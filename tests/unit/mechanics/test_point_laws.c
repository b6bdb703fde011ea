/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Laws of points: stress and tangent against differences of the potential from any history, and
 * closed forms: relaxation, radial return in cycles, fibres, active stress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include <math.h>
#include "math/vec.h"
#include "numerics/material/point_law.h"

typedef struct Law {
  const char *what;
  SofaPointLaw law;
  const void *user;
  size_t n_history;
} Law;

static const double moduli[] = {300, 120}, times[] = {0.3, 2};
static const SofaViscoelasticLaw viscous = {{&sofa_neo_hookean, {340, 3100}}, 2, moduli, times};
static const SofaPlasticLaw plastic = {400, 900, 20, 70, 45, 12};
static const double directions[2][3] = {{1, 2, 0.4}, {-2, 1, 0.1}};
static const SofaFibreLaw fibres = {300, 500, 2, 0.1, 2000, {{directions, 1}, {directions + 1, 1}}};
static const double activation[] = {0.6}, key_times[] = {0, 1, 3}, key_values[] = {0, 2, 1};
static const SofaActiveLaw active = {
    {&sofa_ogden, {1500, 5, 5000}}, 250, {directions, 1}, activation, 1, key_times, key_values, 3};
static const Law laws[] = {
    {"viscoelastic", sofa_point_viscoelastic, &viscous, 12},
    {"plastic", sofa_point_plastic, &plastic, SOFA_PLASTIC_HISTORY},
    {"fibres", sofa_point_fibres, &fibres, 0},
    {"active", sofa_point_active, &active, 0},
};
enum { N_LAWS = sizeof laws / sizeof *laws };

static void evaluate(const Law *law, const double *f, double dt, double time, const double *history,
                     SofaPointResult *out) {
  SofaDeformation x;
  memcpy(x.f, f, sizeof x.f);
  assert_true(sofa_deformation(&sofa_point_domain, &x));
  law->law(&(SofaPointArgs){law->user, &x, history, 0, dt, time}, out);
}

static void near(const char *what, double value, double expected, double tolerance) {
  if (fabs(value - expected) <= tolerance) return;
  fail_msg("%s: %.12g, expected %.12g", what, value, expected);
}

/* ---- derivatives ---- */

/* F^-1 P^T with P the differences of the potential. */
static void stress_by_differences(const Law *law, const double *f, const double *history,
                                  double *p) {
  const double h = 1e-6;
  for (int k = 0; k < 9; k++) {
    SofaPointResult up = {.d = NULL}, down = {.d = NULL};
    double moved[9];
    memcpy(moved, f, sizeof moved);
    moved[k] += h;
    evaluate(law, moved, 0.1, 0.5, history, &up);
    moved[k] -= 2 * h;
    evaluate(law, moved, 0.1, 0.5, history, &down);
    p[k] = (up.potential - down.potential) / (2 * h);
  }
}

static void full(const double *s, double *m) {
  const double v[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
  memcpy(m, v, sizeof v);
}

static void check_stress(const Law *law, const double *f, const double *history) {
  SofaPointResult r = {.d = NULL};
  double s[9], p[9], numeric[9];
  evaluate(law, f, 0.1, 0.5, history, &r);
  full(r.s, s);
  sofa_mat3_mul(f, s, p);
  stress_by_differences(law, f, history, numeric);
  for (int k = 0; k < 9; k++) near(law->what, p[k], numeric[k], 2e-6 * 1000);
}

/* dS of a move of F against D dE. */
static void check_tangent(const Law *law, const double *f, const double *history) {
  const double h = 1e-6;
  double d[36];
  SofaPointResult r = {.d = d};
  evaluate(law, f, 0.1, 0.5, history, &r);
  for (int k = 0; k < 9; k++) {
    SofaPointResult up = {.d = NULL}, down = {.d = NULL};
    double moved[9], change[9] = {0}, e[9], de[6];
    memcpy(moved, f, sizeof moved);
    moved[k] += h;
    evaluate(law, moved, 0.1, 0.5, history, &up);
    moved[k] -= 2 * h;
    evaluate(law, moved, 0.1, 0.5, history, &down);
    change[k] = 1;
    sofa_mat3_mul_tn(f, change, e);
    const double values[6] = {e[0], e[4], e[8], e[1] + e[3], e[5] + e[7], e[2] + e[6]};
    memcpy(de, values, sizeof de);
    for (int i = 0; i < 6; i++) {
      double sum = 0;
      for (int j = 0; j < 6; j++) sum += d[6 * i + j] * de[j];
      near(law->what, sum, (up.s[i] - down.s[i]) / (2 * h), 2e-6 * 10000);
    }
  }
}

/* From the start, and from the history of a first large step. */
static void derivatives(void **state) {
  (void)state;
  static const double first[9] = {1.2, 0.1, -0.05, 0.02, 0.9, 0.07, 0.1, -0.04, 1.05},
                      second[9] = {1.1, -0.2, 0.05, 0.12, 1.1, 0.1, -0.1, 0.04, 0.85},
                      rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (size_t i = 0; i < N_LAWS; i++) {
    double history[SOFA_POINT_MAX_HISTORY] = {0}, next[SOFA_POINT_MAX_HISTORY] = {0};
    SofaPointResult r = {.history = next};
    check_stress(&laws[i], first, history);
    check_tangent(&laws[i], first, history);
    evaluate(&laws[i], first, 0.1, 0.5, history, &r);
    check_stress(&laws[i], second, next);
    check_tangent(&laws[i], second, next);
    if (laws[i].law != sofa_point_fibres) check_tangent(&laws[i], rest, next);
  }
}

/* The stored energy after a step is that at no time from the new history. */
static void energies(void **state) {
  (void)state;
  static const double f[9] = {1.2, 0.1, -0.05, 0.02, 0.9, 0.07, 0.1, -0.04, 1.05};
  for (size_t i = 0; i < 2; i++) {
    double history[SOFA_POINT_MAX_HISTORY] = {0}, next[SOFA_POINT_MAX_HISTORY] = {0};
    SofaPointResult first = {.history = next}, held = {.d = NULL}, none = {.d = NULL};
    evaluate(&laws[i], f, 0.1, 0, history, &first);
    evaluate(&laws[i], f, 0, 0, next, &held);
    evaluate(&laws[i], f, 0, 0, history, &none);
    assert_true(first.dissipated > 0);
    near("no further dissipation", held.dissipated, 0, 1e-10);
    for (int k = 0; k < 6; k++) near("the stress stays", held.s[k], first.s[k], 1e-9);
    if (laws[i].law == sofa_point_viscoelastic)
      near("stored and dissipated", held.potential + first.dissipated, none.potential, 1e-9);
    else near("stored and dissipated", held.potential + first.dissipated, first.potential, 1e-9);
  }
}

/* ---- closed forms ---- */

static double kirchhoff(const SofaPointResult *r, const double *f, int i) {
  double s[9], fs[9], t[9];
  full(r->s, s);
  sofa_mat3_mul(f, s, fs);
  sofa_mat3_mul_nt(fs, f, t);
  return t[4 * i];
}

/* At a held isochoric stretch the deviator of a branch is 2 G ln(l) exp(-t / tau) 3/2 in t1 - t2.
 */
static void relaxation(void **state) {
  (void)state;
  const double l = 1.3, f[9] = {l, 0, 0, 0, 1 / sqrt(l), 0, 0, 0, 1 / sqrt(l)};
  double history[12] = {0}, next[12];
  for (int i = 1; i <= 20; i++) {
    SofaPointResult r = {.history = next};
    const double t = 0.1 * i;
    evaluate(&laws[0], f, 0.1, 0, history, &r);
    memcpy(history, next, sizeof history);
    double expected = 340 * (l * l - 1 / l);
    for (int b = 0; b < 2; b++) expected += 3 * moduli[b] * log(l) * exp(-t / times[b]);
    near("relaxed", kirchhoff(&r, f, 0) - kirchhoff(&r, f, 1), expected, 1e-10 * expected);
  }
}

/* Isochoric stretches: t1 - t2 = 3 mu (e - ep), and with linear hardening alone the plastic strain
 * of a cycle is known: yield at |t1 - t2| = y0 + H a. */
static void cycles(void **state) {
  (void)state;
  const SofaPlasticLaw linear = {400, 900, 20, 70, 20, 0};
  const Law law = {"cycles", sofa_point_plastic, &linear, 7};
  const double path[] = {0.01, 0.05, 0.1, 0.03, -0.08, -0.15, 0.02, 0.2};
  double history[7] = {0}, next[7], ep = 0, a = 0;
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    const double l = exp(path[i]), f[9] = {l, 0, 0, 0, 1 / sqrt(l), 0, 0, 0, 1 / sqrt(l)};
    SofaPointResult r = {.history = next};
    evaluate(&law, f, 0.1, 0, history, &r);
    memcpy(history, next, sizeof history);
    const double trial = 3 * linear.mu * (path[i] - ep), excess = fabs(trial) - (20 + 70 * a);
    const double grown = excess > 0 ? excess / (3 * linear.mu + 70) : 0;
    ep += copysign(grown, trial);
    a += grown;
    near("stress", kirchhoff(&r, f, 0) - kirchhoff(&r, f, 1), 3 * linear.mu * (path[i] - ep),
         1e-10 * 100);
    near("accumulated", history[6], a, 1e-13);
    near("dissipated", r.dissipated, 20 * grown + 35 * (a * a - (a - grown) * (a - grown)), 1e-11);
  }
  assert_true(a > 0.3);
}

/* The law with saturation returns to its yield surface. */
static void saturation(void **state) {
  (void)state;
  const double l = 1.5, f[9] = {l, 0, 0, 0, 1 / sqrt(l), 0, 0, 0, 1 / sqrt(l)};
  double history[7] = {0}, next[7];
  SofaPointResult r = {.history = next};
  evaluate(&laws[1], f, 0.1, 0, history, &r);
  const double y = 20 + 70 * next[6] + 25 * (1 - exp(-12 * next[6]));
  near("on the surface", kirchhoff(&r, f, 0) - kirchhoff(&r, f, 1), y, 1e-10 * y);
}

/* Both families along x, stretch l: t1 - t2 = c (l^2 - 1/l) + 2 k1 E exp(k2 E^2) (2 kappa (l^2 -
 * 1/l)
 * + 2 (1 - 3 kappa) l^2), E = kappa (l^2 + 2/l - 3) + (1 - 3 kappa)(l^2 - 1). */
static void fibre_stretch(void **state) {
  (void)state;
  static const double along[1][3] = {{2, 0, 0}};
  const SofaFibreLaw tissue = {300, 500, 2, 0.1, 2000, {{along, 1}, {along, 1}}};
  const Law law = {"fibres", sofa_point_fibres, &tissue, 0};
  for (int i = 0; i < 2; i++) {
    const double l = i ? 0.8 : 1.2, f[9] = {l, 0, 0, 0, 1 / sqrt(l), 0, 0, 0, 1 / sqrt(l)};
    SofaPointResult r = {.d = NULL};
    evaluate(&law, f, 0, 0, NULL, &r);
    const double pull = l * l - 1 / l, e = 0.1 * (l * l + 2 / l - 3) + 0.7 * (l * l - 1);
    const double bears =
        e > 0 ? 2 * 500 * e * exp(2 * e * e) * (2 * 0.1 * pull + 2 * 0.7 * l * l) : 0;
    near("stretch", kirchhoff(&r, f, 0) - kirchhoff(&r, f, 1), 300 * pull + bears, 1e-9);
  }
}

static void active_stress(void **state) {
  (void)state;
  const double f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double at[] = {-1, 0, 0.5, 1, 2, 3, 9}, factor[] = {0, 0, 1, 2, 1.5, 1, 1};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    SofaPointResult r = {.d = NULL};
    evaluate(&laws[3], f, 0, at[i], NULL, &r);
    const double trace = r.s[0] + r.s[1] + r.s[2];
    near("isometric", trace, 250 * 0.6 * factor[i], 1e-9);
    near("direction", r.s[3], trace * 2 / (1 + 4 + 0.16), 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives),  cmocka_unit_test(energies),   cmocka_unit_test(relaxation),
      cmocka_unit_test(cycles),       cmocka_unit_test(saturation), cmocka_unit_test(fibre_stretch),
      cmocka_unit_test(active_stress)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
