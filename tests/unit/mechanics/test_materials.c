/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic materials: stress and tangent against differences of the energy density, the state
 * at rest, closed forms of simple deformations, invariance under rotations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include <float.h>
#include "numerics/material/isotropic_lanes_impl.h"
#include "numerics/material/solid_points.h"
#include "math/quaternion.h"
#include "math/vec.h"

/* Stress sigma_12 of simple shear g; sigma_11 - sigma_22 of the isochoric stretch l along x. */
typedef double ClosedForm(const double *p, double a);

typedef struct MaterialCase {
  const SofaHyperMaterial *material;
  double p[SOFA_HYPER_MAX_PARAMETERS];
  ClosedForm *shear, *stretch;
  bool isotropic;
} MaterialCase;

/* ---- closed forms; both deformations have J = 1 ---- */

/* 2 (W_1 + W_2) g and 2 (l^2 - 1/l) (W_1 + W_2 / l) (Holzapfel 2000, section 6.5) */
static double shear_of(double w1, double w2, double g) {
  return 2 * (w1 + w2) * g;
}
static double stretch_of(double w1, double w2, double l) {
  return 2 * (l * l - 1 / l) * (w1 + w2 / l);
}
static double i1_of_shear(double g) {
  return 3 + g * g;
}
static double i1_of_stretch(double l) {
  return l * l + 2 / l;
}

static double arruda_w1(const double *p, double i1) {
  // of the article: 1/2 + I1/(10 N) + 11 I1^2/(350 N^2) + 19 I1^3/(1750 N^3) + 519 I1^4/(134750
  // N^4)
  const double x = i1 / p[SOFA_HYPER_LINKS];
  return p[0] * (1.0 / 2 + x / 10 + 11 * x * x / 350 + 19 * x * x * x / 1750 +
                 519 * x * x * x * x / 134750);
}
static double arruda_shear(const double *p, double g) {
  return shear_of(arruda_w1(p, i1_of_shear(g)), 0, g);
}
static double arruda_stretch(const double *p, double l) {
  return stretch_of(arruda_w1(p, i1_of_stretch(l)), 0, l);
}
static double neo_shear(const double *p, double g) {
  return p[0] * g;
}
static double neo_stretch(const double *p, double l) {
  return p[0] * (l * l - 1 / l);
}
static double mooney_shear(const double *p, double g) {
  return shear_of(p[0], p[1], g);
}
static double mooney_stretch(const double *p, double l) {
  return stretch_of(p[0], p[1], l);
}
static double veronda_shear(const double *p, double g) {
  return shear_of(p[0] * p[1] * exp(p[1] * g * g), -p[0] * p[1] / 2, g);
}
static double veronda_stretch(const double *p, double l) {
  return stretch_of(p[0] * p[1] * exp(p[1] * (i1_of_stretch(l) - 3)), -p[0] * p[1] / 2, l);
}
static double stvk_shear(const double *p, double g) {
  return p[0] * g + (p[1] / 2 + p[0]) * g * g * g;
}
static double stvk_stretch(const double *p, double l) {
  const double e1 = (l * l - 1) / 2, e2 = (1 / l - 1) / 2, pressure = p[1] * (e1 + 2 * e2);
  return l * l * (pressure + 2 * p[0] * e1) - (pressure + 2 * p[0] * e2) / l;
}
static double ogden_shear(const double *p, double g) {
  const double l = (g + sqrt(g * g + 4)) / 2;
  return p[0] / p[1] * (pow(l, p[1]) - pow(l, -p[1])) / (l + 1 / l);
}
static double ogden_stretch(const double *p, double l) {
  return p[0] / p[1] * (pow(l, p[1]) - pow(l, -p[1] / 2));
}
/* dW/dg of W = a/2 (exp(bfs g^2/2 + bss g^4/4) - 1) */
static double costa_shear(const double *p, double g) {
  const double q = p[3] * g * g / 2 + p[4] * g * g * g * g / 4;
  return p[0] / 2 * exp(q) * (p[3] * g + p[4] * g * g * g);
}

static const MaterialCase cases[] = {
    {&sofa_arruda_boyce, {340, 3100, 8}, arruda_shear, arruda_stretch, true},
    {&sofa_arruda_boyce, {340, 3100, 3}, arruda_shear, arruda_stretch, true},
    {&sofa_st_venant_kirchhoff, {340, 3100}, stvk_shear, stvk_stretch, true},
    {&sofa_neo_hookean, {340, 3100}, neo_shear, neo_stretch, true},
    {&sofa_mooney_rivlin, {500, 700, 1500}, mooney_shear, mooney_stretch, true},
    {&sofa_veronda_westman, {120, 0.8, 1500}, veronda_shear, veronda_stretch, true},
    {&sofa_costa, {20, 900, 3, 2, 1, 1.5, 0.5, 2.5}, costa_shear, NULL, false},
    {&sofa_ogden, {1500, 5, 5000}, ogden_shear, ogden_stretch, true},
    {&sofa_ogden, {700, -3, 2000}, ogden_shear, ogden_stretch, true},
    {&sofa_ogden, {700, 2, 2000}, ogden_shear, ogden_stretch, true},
    {&sofa_stable_neo_hookean, {340, 3100}, neo_shear, neo_stretch, true},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void require(const MaterialCase *c, const char *what, double value, double limit) {
  if (value <= limit) return;
  fail_msg("%s: %s: %.3e, at most %.3e", c->material->name, what, value, limit);
}

static double largest(const double *a, size_t n) {
  double m = 0;
  for (size_t i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
  return m;
}

/* The deformation with F^T F = C and F upper triangular with positive diagonal. */
static SofaDeformation deformation_of_c(const MaterialCase *c, const double *m) {
  SofaDeformation x = {.f = {0}};
  double *f = x.f;
  f[0] = sqrt(m[0]);
  f[1] = m[3] / f[0];
  f[2] = m[5] / f[0];
  f[4] = sqrt(m[1] - f[1] * f[1]);
  f[5] = (m[4] - f[1] * f[2]) / f[4];
  f[8] = sqrt(m[2] - f[2] * f[2] - f[5] * f[5]);
  assert_true(sofa_deformation(c->material, &x));
  return x;
}

static SofaDeformation deformation(const MaterialCase *c, const double *f) {
  SofaDeformation x = {.f = {0}};
  memcpy(x.f, f, sizeof x.f);
  assert_true(sofa_deformation(c->material, &x));
  return x;
}

static double energy(const MaterialCase *c, const SofaDeformation *x) {
  return c->material->energy(c->p, x);
}
static void stress(const MaterialCase *c, const SofaDeformation *x, double *s, double *d) {
  c->material->stress(c->p, x, s, d);
}

/* Right Cauchy-Green tensors: moderate, large, with equal eigenvalues, nearly equal, at rest. */
static const double strains[][6] = {{1.1, 0.9, 1.2, 0.05, -0.1, 0.07},
                                    {2.5, 0.6, 1.3, 0.4, -0.2, 0.6},
                                    {0.8, 0.8, 1.7, 0, 0, 0},
                                    {1.3, 1.3, 1.3, 0, 0, 0},
                                    {1.2, 1.2 + 1e-9, 0.7, 1e-10, 0, 1e-8},
                                    {1, 1, 1, 0, 0, 0}};
enum { N_STRAINS = sizeof strains / sizeof *strains };

/* E -> E + h in entry i; twice for a shear entry, which stands for two */
static SofaDeformation moved(const MaterialCase *c, const double *from, int i, double h) {
  double m[6];
  memcpy(m, from, sizeof m);
  m[i] += i < 3 ? 2 * h : h;
  return deformation_of_c(c, m);
}

static void derivatives(void **state) {
  (void)state;
  const double h = 1e-5;
  for (int k = 0; k < N_CASES; k++) {
    const MaterialCase *c = &cases[k];
    for (int n = 0; n < N_STRAINS; n++) {
      double s[6], d[36], quotient[6], error[36];
      SofaDeformation x = deformation_of_c(c, strains[n]);
      stress(c, &x, s, d);
      for (int i = 0; i < 6; i++) {
        double plus[6], minus[6];
        const SofaDeformation a = moved(c, strains[n], i, h), b = moved(c, strains[n], i, -h);
        quotient[i] = (energy(c, &a) - energy(c, &b)) / (2 * h) - s[i];
        stress(c, &a, plus, NULL);
        stress(c, &b, minus, NULL);
        for (int j = 0; j < 6; j++)
          error[6 * j + i] = (plus[j] - minus[j]) / (2 * h) - d[6 * j + i];
      }
      const double scale = largest(d, 36);
      require(c, "stress against differences of the energy", largest(quotient, 6), 1e-7 * scale);
      require(c, "tangent against differences of the stress", largest(error, 36), 1e-7 * scale);
      for (int i = 0; i < 36; i++) error[i] = d[i] - d[6 * (i % 6) + i / 6];
      require(c, "symmetry of the tangent", largest(error, 36), 1e-13 * scale);
    }
  }
}

static void no_stress_at_rest(void **state) {
  (void)state;
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int k = 0; k < N_CASES; k++) {
    double s[6], d[36];
    SofaDeformation x = deformation(&cases[k], identity);
    stress(&cases[k], &x, s, d);
    require(&cases[k], "stress at rest", largest(s, 6), 1e-15 * largest(d, 36));
    require(&cases[k], "energy at rest", fabs(energy(&cases[k], &x)), 1e-15 * largest(d, 36));
  }
}

/* J sigma = F S F^T */
static void cauchy(const MaterialCase *c, const double *f, double *sigma) {
  double s[6];
  SofaDeformation x = deformation(c, f);
  stress(c, &x, s, NULL);
  const double full[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
  sofa_mat3_mul(f, full, sigma);
  sofa_mat3_mul_nt(sigma, f, sigma);
}

static void closed_forms(void **state) {
  (void)state;
  static const double values[] = {0.01, 0.3, 0.8};
  for (int k = 0; k < N_CASES; k++) {
    const MaterialCase *c = &cases[k];
    for (int n = 0; n < 3; n++) {
      const double g = values[n], l = 1 + values[n];
      const double shear[9] = {1, g, 0, 0, 1, 0, 0, 0, 1};
      const double stretch[9] = {l, 0, 0, 0, 1 / sqrt(l), 0, 0, 0, 1 / sqrt(l)};
      double sigma[9];
      cauchy(c, shear, sigma);
      const double wanted = c->shear(c->p, g);
      require(c, "simple shear", fabs(sigma[1] / wanted - 1), 1e-12);
      if (!c->stretch) continue;
      cauchy(c, stretch, sigma);
      require(c, "stretch", fabs((sigma[0] - sigma[4]) / c->stretch(c->p, l) - 1), 1e-12);
      require(c, "stretch, across", fabs(sigma[4] - sigma[8]), 1e-12 * fabs(sigma[0]));
    }
  }
}

/* W(R F) = W(F), S(R F) = S(F); for isotropic materials W(F R) = W(F), S(F R) = R^T S R. */
static void rotations(void **state) {
  (void)state;
  static const double f[9] = {1.2, 0.1, -0.2, 0.05, 0.9, 0.3, -0.1, 0.2, 1.1};
  double q[4] = {0.3, -0.5, 0.2, 0.7}, r[9], before[9], after[9];
  double length = 0;
  for (int i = 0; i < 4; i++) length += q[i] * q[i];
  for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
  sofa_quat_to_matrix(q, r);
  for (int k = 0; k < N_CASES; k++) {
    const MaterialCase *c = &cases[k];
    double turned[9], s[6], t[6];
    SofaDeformation x = deformation(c, f);
    stress(c, &x, s, NULL);
    sofa_mat3_mul(r, f, turned);
    SofaDeformation y = deformation(c, turned);
    stress(c, &y, t, NULL);
    const double scale = largest(s, 6);
    for (int i = 0; i < 6; i++) t[i] -= s[i];
    require(c, "stress of a turned body", largest(t, 6), 1e-12 * scale);
    require(c, "energy of a turned body", fabs(energy(c, &x) - energy(c, &y)), 1e-12 * scale);
    if (!c->isotropic) continue;
    // the Cauchy stress does not see a rotation of the material
    sofa_mat3_mul(f, r, turned);
    cauchy(c, f, before);
    cauchy(c, turned, after);
    for (int i = 0; i < 9; i++) after[i] -= before[i];
    require(c, "stress of a turned material", largest(after, 9), 1e-12 * largest(before, 9));
  }
}

static void undefined_where_inverted(void **state) {
  (void)state;
  for (int k = 0; k < N_CASES; k++) {
    const SofaHyperMaterial *m = cases[k].material;
    SofaDeformation mirrored = {.f = {1, 0, 0, 0, 1, 0, 0, 0, -0.5}};
    SofaDeformation flat = {.f = {1, 0, 0, 0, 1, 0, 0, 0, 0}};
    SofaDeformation unknown = {.f = {1, 0, 0, 0, 1, 0, 0, 0, NAN}};
    assert_int_equal(sofa_deformation(m, &mirrored), m->inverts);
    assert_false(sofa_deformation(m, &flat));
    assert_false(sofa_deformation(m, &unknown));
    if (!m->inverts) continue;
    // what is defined there is the derivative there as well
    const double h = 1e-6;
    double s[6];
    SofaDeformation plus = mirrored, minus = mirrored;
    plus.f[8] += h;
    minus.f[8] -= h;
    assert_true(sofa_deformation(m, &plus) && sofa_deformation(m, &minus));
    m->stress(cases[k].p, &mirrored, s, NULL);
    const double slope = (energy(&cases[k], &plus) - energy(&cases[k], &minus)) / (2 * h);
    require(&cases[k], "stress of a mirrored body", fabs(slope - mirrored.f[8] * s[2]),
            1e-6 * fabs(slope));
  }
}

/* A law that gives its derivatives alone has the stress that follows from them. */
static void stress_of_derivatives(void **state) {
  static const uint32_t vertices[4] = {0, 1, 2, 3};
  static const double rest[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const double x[12] = {0, 0, 0, 1.2, 0.1, 0, -0.2, 0.9, 0.15, 0.05, 0, 1.1};
  const SofaElementMesh mesh = {.shape = SOFA_SHAPE_TETRA,
                                .dim = 3,
                                .vertices = vertices,
                                .n = 1,
                                .rest = rest,
                                .n_points = 4};
  SofaContext *ctx;
  SofaSolidBatch batch;
  (void)state;
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  const SofaObject object = {.ctx = ctx};
  assert_int_equal(sofa_solid_batch_create(&object, &mesh, 1, &batch), SOFA_OK);
  for (int k = 0; k < N_CASES; k++) {
    const MaterialCase *c = &cases[k];
    SofaHyperMaterial bare = *c->material;
    SofaSolidLaw law = {.material = &bare};
    SofaPointResult result = {.d = NULL};
    SofaDeformation d;
    double s[6];
    if (!bare.derivatives) continue;
    bare.stress = NULL;
    memcpy(law.p, c->p, sizeof c->p);
    assert_true(sofa_solid_point_at(&batch, &law, (SofaSolidPlace){0, 0}, x, &d, &result));
    stress(c, &d, s, NULL);
    for (int i = 0; i < 6; i++)
      require(c, "stress of the derivatives", fabs(result.s[i] - s[i]), 1e-12 * largest(s, 6));
  }
  sofa_solid_batch_free(ctx, &batch);
  sofa_context_destroy(&ctx);
}

/* The derivatives of a law in lanes are those of the scalar law to a few units in the last place of
 * the largest number that they are sums of. */
static void compare_derivatives(const MaterialCase *c, LawDeformation *x,
                                const SofaDeformation *single) {
  LawDerivatives lanes;
  law_derivatives(c->material, c->p, x, &lanes);
  const Lanes all[7] = {lanes.w1, lanes.w2, lanes.wl, lanes.w11, lanes.w1l, lanes.w2l, lanes.wll};
  for (int l = 0; l < LANES; l++) {
    SofaHyperDerivatives w;
    c->material->derivatives(c->p, &single[l], &w);
    const double expected[7] = {w.w1, w.w2, w.wl, w.w11, w.w1l, w.w2l, w.wll};
    const double size = fmax(largest(expected, 7), largest(c->p, c->material->n_parameters));
    for (int k = 0; k < 7; k++)
      require(c, "law in lanes", fabs(all[k][l] - expected[k]), 16 * DBL_EPSILON * size);
  }
}

/* A deformation in lanes from single ones. */
static LawDeformation in_lanes(const SofaDeformation *single) {
  LawDeformation x;
  for (int l = 0; l < LANES; l++) {
    for (int k = 0; k < 6; k++) x.c[k][l] = single[l].c[k];
    x.j[l] = single[l].j;
    x.i1[l] = single[l].i1;
    x.i2[l] = single[l].i2;
  }
  return x;
}

/* Also of a material that has no law in lanes, whose derivatives are asked for one by one. */
static void laws_in_lanes(void **state) {
  static const double scale[] = {0.25, 1, 4};
  (void)state;
  for (int k = 0; k < 3 * N_CASES * N_STRAINS; k++) {
    const MaterialCase *c = &cases[k % N_CASES];
    const SofaHyperMaterial unknown = *c->material;
    MaterialCase other = *c;
    SofaDeformation single[LANES];
    other.material = &unknown;
    if (!unknown.derivatives) continue;
    for (int l = 0; l < LANES; l++) {
      double m[6];
      for (int i = 0; i < 6; i++)
        m[i] = scale[k / (N_CASES * N_STRAINS)] * strains[(k / N_CASES + l) % N_STRAINS][i];
      single[l] = deformation_of_c(c, m);
    }
    LawDeformation x = in_lanes(single);
    compare_derivatives(c, &x, single);
    compare_derivatives(&other, &x, single);
  }
}

/* The tangent of Costa with SOFA's two departures, written out. */
static void costa_quirks(void **state) {
  (void)state;
  const MaterialCase *c = cases;
  while (c->material != &sofa_costa) c++;
  double s[6], d[36], e[36];
  SofaDeformation x = deformation_of_c(c, strains[1]);
  stress(c, &x, s, d);
  sofa_costa_unscaled(c->p, &x, s, e);
  // entry xx, xx of Ci . Ci is Ci_xx^2
  const double missing = -2 * x.j * x.l * (1 - c->p[1]) * x.ci[0] * x.ci[0];
  assert_true(fabs(e[0] - d[0] - missing) < 1e-10 * fabs(d[0]));
  memcpy(d, e, sizeof d);
  sofa_costa_unsymmetric(c->p, &x, s, e);
  // row xy, column zz of bE x Ci changes, its mirror image does not
  assert_true(fabs(e[6 * 3 + 2] - d[6 * 3 + 2]) > 1e-3 * fabs(d[6 * 3 + 2]));
  double q = 0;
  for (int i = 0; i < 6; i++) {
    static const int place[6] = {2, 4, 7, 3, 6, 5};
    const double strain = (i < 3 ? x.c[i] - 1 : x.c[i]) / 2;
    q += (i < 3 ? 1 : 2) * c->p[place[i]] * strain * strain;
  }
  const double g = pow(x.j, -4.0 / 3), be = c->p[3] * x.c[3] / 2;
  const double change = -4.0 / 3 * c->p[0] * g * g * exp(g * q) * (q * q - q) * be * x.ci[2];
  assert_true(fabs(e[6 * 3 + 2] - d[6 * 3 + 2] - change) < 1e-10 * fabs(d[6 * 3 + 2]));
}

static void names(void **state) {
  (void)state;
  size_t n = 0;
  for (; sofa_hyper_material_names[n]; n++) {
    const SofaHyperMaterial *m = sofa_hyper_material_find(sofa_hyper_material_names[n]);
    assert_non_null(m);
    for (size_t i = 0; i < SOFA_HYPER_MAX_PARAMETERS; i++)
      assert_int_equal(m->parameter[i].name != NULL, i < m->n_parameters);
  }
  assert_int_equal(n, 8);
  assert_null(sofa_hyper_material_find("Jelly"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives),
                                     cmocka_unit_test(no_stress_at_rest),
                                     cmocka_unit_test(closed_forms),
                                     cmocka_unit_test(rotations),
                                     cmocka_unit_test(undefined_where_inverted),
                                     cmocka_unit_test(stress_of_derivatives),
                                     cmocka_unit_test(laws_in_lanes),
                                     cmocka_unit_test(costa_quirks),
                                     cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
