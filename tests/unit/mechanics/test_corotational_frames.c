/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames of CorotationalFEMForceField on a tetrahedron against closed forms. Positions are
 * x = Q A X + t of the rest positions X. Where A makes the decomposed matrix, H = sum (x - c)
 * (X - C)^T or the gradient F, symmetric but for Q, the frame is Q, and the forces are those of
 * small strains: f = -V Q sigma grad N with the strain sym(A) - 1. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "math/vec.h"

static const double rest[4][3] = {{0, 0, 0}, {2, 0.1, 0.3}, {0.4, 1.3, -0.2}, {0.1, 0.5, 0.9}};
static const double young = 500, poisson = 0.3;

typedef struct Case {
  const char *method;
  bool consistent; /* the frame is that of F, else of H */
  bool inverted;   /* the symmetric matrix has a negative eigenvalue, its smallest by size */
  double sign;     /* of the third axis of the frame: a polar factor is then a reflection */
} Case;

static const Case cases[] = {
    {"polar", false, false, 1},        {"polar", true, false, 1},
    {"stable_polar", false, false, 1}, {"stable_polar", true, false, 1},
    {"polar", false, true, -1},        {"polar", true, true, -1},
    {"stable_polar", false, true, 1},  {"stable_polar", true, true, 1},
};

/* The determinant. */
static double invert(const double m[9], double out[9]) {
  double det = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      out[3 * i + j] = m[3 * a + c] * m[3 * b + d] - m[3 * a + d] * m[3 * b + c];
    }
  for (int i = 0; i < 3; i++) det += m[i] * out[3 * i];
  for (int i = 0; i < 9; i++) out[i] /= det;
  return det;
}

/* sum (X - C) (X - C)^T */
static void moments(double c[9]) {
  double mean[3] = {0};
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < 3; i++) mean[i] += rest[n][i] / 4;
  memset(c, 0, 9 * sizeof *c);
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) c[3 * i + j] += (rest[n][i] - mean[i]) * (rest[n][j] - mean[j]);
}

/* A, such that what is decomposed is Q times a symmetric matrix. */
static void deformation(const Case *k, double a[9]) {
  static const double upright[9] = {1.2, 0.05, 0.1, 0.05, 0.9, -0.08, 0.1, -0.08, 1.1};
  static const double inverted[9] = {1.2, 0, 0, 0, 1.1, 0, 0, 0, -0.5};
  const double *s = k->inverted ? inverted : upright;
  double c[9], inverse[9];
  memcpy(a, s, 9 * sizeof *a);
  if (k->consistent) return;
  moments(c);
  invert(c, inverse);
  sofa_mat3_mul(s, inverse, a);
}

/* Gradients of the shape functions at rest; the volume. */
static double gradients(double g[4][3]) {
  double edges[9], inverse[9];
  for (int n = 0; n < 3; n++)
    for (int i = 0; i < 3; i++) edges[3 * n + i] = rest[n + 1][i] - rest[0][i];
  const double det = invert(edges, inverse);
  for (int i = 0; i < 3; i++) {
    for (int n = 0; n < 3; n++) g[n + 1][i] = inverse[3 * i + n];
    g[0][i] = -g[1][i] - g[2][i] - g[3][i];
  }
  return det / 6;
}

/* The forces in the frame R = Q diag(1, 1, sign), in which the deformation is diag(1, 1, sign) A.
 */
static void expected(const Case *k, const double q[9], const double a[9], double f[4][3]) {
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const double mu = young / (2 * (1 + poisson)), sign[3] = {1, 1, k->sign};
  double g[4][3], stress[9], turned[9], trace = 0;
  const double volume = gradients(g);
  for (int i = 0; i < 3; i++) trace += sign[i] * a[4 * i] - 1;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      stress[3 * i + j] = mu * (sign[i] * a[3 * i + j] + sign[j] * a[3 * j + i]) +
                          (i == j ? lambda * trace - 2 * mu : 0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) stress[3 * i + j] *= sign[i];
  sofa_mat3_mul(q, stress, turned);
  for (int n = 0; n < 4; n++)
    for (int i = 0; i < 3; i++) {
      f[n][i] = 0;
      for (int j = 0; j < 3; j++) f[n][i] -= volume * turned[3 * i + j] * g[n][j];
    }
}

static void forces(const Case *k, const double *x, double f[4][3]) {
  char text[1500];
  SceneRun run;
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  snprintf(text, sizeof text,
           "<Node gravity='0 0 0'><DefaultAnimationLoop/><MeshTopology name='t' tetrahedra='0 1 2 "
           "3' position='0 0 0 2 0.1 0.3 0.4 1.3 -0.2 0.1 0.5 0.9'/><MechanicalObject/>"
           "<CorotationalFEMForceField name='ff' template='Vec3d,Tetrahedron' rotationMethod='%s' "
           "consistent='%d' youngModulus='%g' poissonRatio='%g'/></Node>",
           k->method, k->consistent, young, poisson);
  scene_run_open(&run, text, NULL);
  memset(f, 0, 12 * sizeof(double));
  assert_int_equal(ff_force((SofaForceField *)scene_run_object(&run, "/ff"), &p, x, NULL, f[0]),
                   SOFA_OK);
  scene_run_close(&run);
}

static void turned_and_inverted(void **state) {
  /* a turn by about 2 rad */
  static const double q[9] = {-0.28, 0.96, 0, -0.576, -0.168, 0.8, 0.768, 0.224, 0.6};
  (void)state;
  for (const Case *k = cases; k < cases + SOFA_COUNT(cases); k++) {
    double a[9], qa[9], x[12], f[4][3], e[4][3], size = 0, off = 0;
    deformation(k, a);
    sofa_mat3_mul(q, a, qa);
    for (int n = 0; n < 4; n++)
      for (int i = 0; i < 3; i++) {
        x[3 * n + i] = 0.7 * (i + 1);
        for (int j = 0; j < 3; j++) x[3 * n + i] += qa[3 * i + j] * rest[n][j];
      }
    forces(k, x, f);
    expected(k, q, a, e);
    for (int i = 0; i < 12; i++) {
      size = fmax(size, fabs(e[i / 3][i % 3]));
      off = fmax(off, fabs(f[i / 3][i % 3] - e[i / 3][i % 3]));
    }
    if (!(off < 1e-9 * size))
      fail_msg("%s, consistent %d, inverted %d: off by %g of %g", k->method, k->consistent,
               k->inverted, off, size);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(turned_and_inverted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
