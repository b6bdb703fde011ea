/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Directions of fibres in TriangularAnisotropicFEMForceField: fibres and triangle that turn
 * together have forces that turn; round fibres are straight ones across the arm from their centre;
 * and the law of an element along and across its fibres. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>

static const double degree = 3.14159265358979323846 / 180;
static const double corners[6] = {0, 0, 1.2, 0.1, 0.3, 0.9};
static const double moves[6] = {0.01, -0.02, 0.03, 0.01, -0.015, 0.02};

/* (x, y) turned by an angle, for each of three points. */
static void turn(double angle, const double *in, double *out) {
  const double c = cos(angle), s = sin(angle);
  for (int k = 0; k < 6; k += 2) {
    const double x = in[k], y = in[k + 1];
    out[k] = c * x - s * y;
    out[k + 1] = s * x + c * y;
  }
}

/* Forces in the plane at `rest` + `moved`. */
static void forces(const char *fibres, const double *rest, const double *moved, double f[6]) {
  char text[1500];
  SceneRun run;
  double x[9] = {0}, all[9] = {0};
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  snprintf(text, sizeof text,
           "<Node gravity='0 0 0'><DefaultAnimationLoop/><MeshTopology triangles='0 1 2' "
           "position='%.17g %.17g 0 %.17g %.17g 0 %.17g %.17g 0'/><MechanicalObject/>"
           "<TriangularAnisotropicFEMForceField name='ff' youngModulus='1000' poissonRatio='0.3' "
           "transverseYoungModulus='200' %s/></Node>",
           rest[0], rest[1], rest[2], rest[3], rest[4], rest[5], fibres);
  scene_run_open(&run, text, NULL);
  for (int k = 0; k < 6; k++) x[k / 2 * 3 + k % 2] = rest[k] + moved[k];
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  assert_int_equal(ff_force(ff, &p, x, NULL, all), SOFA_OK);
  for (int k = 0; k < 6; k++) f[k] = all[k / 2 * 3 + k % 2];
  scene_run_close(&run);
}

static void expect_same(const char *what, const double *a, const double *b) {
  double size = 0;
  for (int k = 0; k < 6; k++) size = fmax(size, fabs(b[k]));
  for (int k = 0; k < 6; k++)
    if (!(fabs(a[k] - b[k]) < 1e-10 * size))
      fail_msg("%s: force %d is %.12g, expected %.12g", what, k, a[k], b[k]);
}

static void fibres_turn_with_the_triangle(void **state) {
  static const double angles[] = {0, 30, 90, 137, -60};
  double plain[6], expected[6], found[6], rest[6], moved[6];
  (void)state;
  forces("fiberAngle='20'", corners, moves, plain);
  for (size_t i = 0; i < SOFA_COUNT(angles); i++) {
    char fibres[60];
    turn(angles[i] * degree, corners, rest);
    turn(angles[i] * degree, moves, moved);
    turn(angles[i] * degree, plain, expected);
    snprintf(fibres, sizeof fibres, "fiberAngle='%g'", 20 + angles[i]);
    forces(fibres, rest, moved, found);
    expect_same(fibres, found, expected);
  }
}

static void round_fibres_stand_across_the_arm(void **state) {
  static const double centers[3][2] = {{-1, -2}, {3, 0.4}, {0.5, 4}};
  double expected[6], found[6];
  (void)state;
  for (int i = 0; i < 3; i++) {
    char fibres[100];
    const double x = (corners[0] + corners[2] + corners[4]) / 3 - centers[i][0];
    const double y = (corners[1] + corners[3] + corners[5]) / 3 - centers[i][1];
    snprintf(fibres, sizeof fibres, "fiberAngle='%.17g'", 90 + atan2(y, x) / degree);
    forces(fibres, corners, moves, expected);
    snprintf(fibres, sizeof fibres, "fiberCenter='%g %g 0'", centers[i][0], centers[i][1]);
    forces(fibres, corners, moves, found);
    expect_same(fibres, found, expected);
  }
}

/* A triangle with legs of 1 m along x and y, stretched along x: the forces on the leg along y are
 * half its length times sigma_x = q e. Along the fibres q = E / (1 - nu nu_t), across them
 * E_t / (1 - nu nu_t), where nu_t = nu E_t / E. */
static void along_and_across(void **state) {
  static const double right[6] = {0, 0, 1, 0, 0, 1};
  const double strain = 1e-6, moved[6] = {0, 0, strain, 0, 0, 0};
  const double scale = 1 - 0.3 * 0.3 * 200 / 1000;
  (void)state;
  for (int across = 0; across < 2; across++) {
    double f[6];
    forces(across ? "fiberAngle='90'" : "fiberAngle='0'", right, moved, f);
    const double stress = (across ? 200 : 1000) / scale * strain;
    if (!(fabs(f[2] + stress / 2) < 1e-4 * stress))
      fail_msg("across %d: %.12g, expected %.12g", across, f[2], -stress / 2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fibres_turn_with_the_triangle),
      cmocka_unit_test(round_fibres_stand_across_the_arm),
      cmocka_unit_test(along_and_across),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
