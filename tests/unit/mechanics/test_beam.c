/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Beams against closed forms of slender beams, and their derivatives against differences of their
 * energy. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "math/quaternion.h"
#include "math/vec.h"
#include "numerics/fem/beam_element.h"
#include "simulation/convergence.h"

/* ---- scenes ---- */

typedef struct Beam {
  SceneRun run;
  const SofaState *state;
  int n, most; /* elements; iterations of the step with most */
} Beam;

static void note(void *user, const SofaConvergenceRow *row) {
  Beam *b = user;
  if (row->kind == SOFA_CONVERGENCE_NEWTON && (int)row->iteration > b->most)
    b->most = (int)row->iteration;
}

/* Points at x(s) of n elements, held at the first, with a load at the last in equal increments. */
static void bend(Beam *b, int n, const char *positions, const char *beam, const double *load,
                 int steps) {
  static char text[20000];
  char edges[2000] = "";
  SofaConvergence observer = {.row = note, .user = b};
  for (int i = 0; i < n; i++)
    snprintf(edges + strlen(edges), sizeof edges - strlen(edges), "%d %d ", i, i + 1);
  int used = snprintf(
      text, sizeof text,
      "<Node name='root' dt='1' gravity='0 0 0'><DefaultAnimationLoop/><StaticSolver/>"
      "<NewtonRaphsonSolver maxNbIterationsNewton='40' relativeInitialStoppingThreshold='0' "
      "relativeSuccessiveStoppingThreshold='0' absoluteResidualStoppingThreshold='%g'/>"
      "<SparseLDLSolver/><MeshTopology edges='%s'/>"
      "<MechanicalObject name='state' template='Rigid3d' position='%s'/>"
      "<%s/>"
      "<FixedProjectiveConstraint indices='0'/><LinearForceField points='%d' times='1 %d' forces='",
      1e-9 * hypot(hypot(load[1], load[2]), load[5]) + 1e-11, edges, positions, beam, n,
      steps > 1 ? steps : 2);
  for (int k = 0; k < 12; k++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%.17g ",
                     load[k % 6] / (k < 6 ? steps : 1));
  snprintf(text + used, sizeof text - (size_t)used, "'/></Node>");
  b->n = n;
  b->most = 0;
  scene_run_open(&b->run, text, NULL);
  b->state = scene_run_state(&b->run, "/state");
  sofa_convergence_observe(b->run.ctx, &observer);
  scene_run_steps(&b->run, steps);
  sofa_convergence_observe(b->run.ctx, NULL);
  assert_int_equal(b->run.n_problems, 0);
}

static void close_beam(Beam *b) {
  scene_run_close(&b->run);
}

static const double *end_of(const Beam *b) {
  return b->state->position.data + 7 * b->n;
}

/* Along x, frames of the world. */
static const char *along_x(int n, double length) {
  static char text[5000];
  int used = 0;
  for (int i = 0; i <= n; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "%.17g 0 0 0 0 0 1 ", length * i / n);
  return text;
}

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.12g, expected %.12g (difference %.3g)", value, expected, value - expected);
}

#define CUBIC "BeamFEMForceField name='beam' radius='0.1' "
#define EXACT "GeometricallyExactBeamForceField name='beam' radius='0.1' "
/* E = 100, G = 50 */
#define SECTION "youngModulus='100' poissonRatio='0' A='300' Iy='0.02' Iz='0.01' J='0.015' "

/* ---- small displacements ---- */

#define SHEARED SECTION "shearAreaY='250' shearAreaZ='250'"

static void bends_shears_and_twists_by_its_section(void **state) {
  (void)state;
  static const char *const shear[] = {"", "shear='1' shearAreaY='0.3' shearAreaZ='0.6'"};
  for (int k = 0; k < 2; k++) {
    char beam[300];
    Beam b;
    const double f = 1e-6, load[6] = {0, f, f, f, 0, 0}, l = 2; /* N, N m */
    snprintf(beam, sizeof beam, CUBIC SECTION "%s", shear[k]);
    bend(&b, 2, along_x(2, l), beam, load, 1);
    const double *x = end_of(&b);
    // cubic exact: F L^3 / (3 E I) + F L / (G As); E Iz = 1, E Iy = 2, G J = 0.75
    near(x[1] / f, l * l * l / 3 + (k ? l / (50 * 0.3) : 0), 1e-5);
    near(x[2] / f, l * l * l / 6 + (k ? l / (50 * 0.6) : 0), 1e-5);
    near(2 * x[3] / f, l / 0.75, 1e-5);
    near(2 * x[5] / f, l * l / 2, 1e-5);
    near(2 * x[4] / f, -l * l / 4, 1e-5);
    close_beam(&b);
  }
}

/* The ring of the radii, with Cowper's shear areas. */
static void the_default_section_is_a_ring(void **state) {
  (void)state;
  static const char *const sections[] = {"", "radiusInner='0.05'", "shear='1'",
                                         "radiusInner='0.05' shear='1'"};
  for (int k = 0; k < 4; k++) {
    char beam[300];
    Beam b;
    const double f = 1e-6, load[6] = {0, f, 0, 0, 0, 0}, nu = 0.25, m2 = k % 2 ? 0.25 : 0;
    const double pi = acos(-1.0), r2 = 0.01, i2 = m2 * r2, inertia = pi * (r2 * r2 - i2 * i2) / 4;
    const double s = (1 + m2) * (1 + m2);
    const double kappa = 6 * (1 + nu) * s / ((7 + 6 * nu) * s + (20 + 12 * nu) * m2);
    const double g = 1e4 / 2.5, tip = 1 / (3e4 * inertia);
    snprintf(beam, sizeof beam, CUBIC "youngModulus='1e4' poissonRatio='0.25' %s", sections[k]);
    bend(&b, 1, along_x(1, 1), beam, load, 1);
    near(end_of(&b)[1] / f, tip + (k < 2 ? 0 : 1 / (kappa * g * pi * (r2 - i2))), 1e-5 * tip);
    close_beam(&b);
  }
}

/* ---- moments ---- */

/* M = phi E I / L bends a beam to an arc of the angle phi. */
static void end_moment_makes_a_circle(void **state) {
  (void)state;
  const double pi = acos(-1.0);
  double error[2];
  for (int k = 0; k < 2; k++) {
    Beam b;
    const int n = k ? 16 : 8;
    const double load[6] = {0, 0, 0, 0, 0, pi};
    bend(&b, n, along_x(n, 1), CUBIC SECTION, load, 8);
    const double *x = end_of(&b), radius = 1 / pi;
    assert_true(b.most <= 6);
    // the angle is exact
    near(x[5], 1, 1e-9);
    error[k] = hypot(x[0], x[1] - 2 * radius);
    close_beam(&b);
  }
  assert_true(error[1] < 3e-3 && error[0] / error[1] > 3.8);
  Beam b;
  const double load[6] = {0, 0, 0, 0, 0, 2 * pi};
  bend(&b, 16, along_x(16, 1), CUBIC SECTION, load, 16);
  near(end_of(&b)[0], 0, 1e-9); // closed
  near(end_of(&b)[1], 0, 1e-9);
  close_beam(&b);
}

/* The strains of a geometrically exact beam are those of its middle: pure bending leaves its chord
 * as long as it was, and n beams are n sides of a regular polygon. */
static void exact_beams_roll_up_to_a_polygon(void **state) {
  (void)state;
  const double pi = acos(-1.0), load[6] = {0, 0, 0, 0, 0, pi}, twice[6] = {0, 0, 0, 0, 0, 2 * pi};
  Beam b;
  bend(&b, 8, along_x(8, 1), EXACT SHEARED, load, 8);
  near(end_of(&b)[5], 1, 1e-9);
  near(end_of(&b)[0], 0, 1e-9);
  near(end_of(&b)[1], 1. / 8 / sin(pi / 16), 1e-9);
  close_beam(&b);
  bend(&b, 16, along_x(16, 1), EXACT SHEARED, twice, 16);
  near(end_of(&b)[0], 0, 1e-9); // closed
  near(end_of(&b)[1], 0, 1e-9);
  close_beam(&b);
}

/* Twice as long, and sheared by half of the length: one dead load is linear in the strains of a
 * beam that cannot turn. */
static void exact_beams_stretch(void **state) {
  (void)state;
  Beam b;
  const double load[6] = {300 * 100, 0, 0, 0, 0, 0};
  bend(&b, 3, along_x(3, 1), EXACT SHEARED, load, 1);
  for (int i = 0; i <= 3; i++) near(b.state->position.data[7 * i], 2 * i / 3., 1e-9);
  close_beam(&b);
}

static void exact_beams_are_not_rigid_in_shear(void **state) {
  (void)state;
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(
      run.ctx,
      "<Node name='root'><DefaultAnimationLoop/><MeshTopology position='0 0 0 1 0 0' edges='0 1'/>"
      "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
      "<" EXACT "youngModulus='1' poissonRatio='0' shear='0'/></Node>",
      &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  assert_non_null(strstr(run.all, "'shear': is off, but a geometrically exact beam"));
  scene_run_close(&run);
}

static void torsion_is_even(void **state) {
  (void)state;
  Beam b;
  const double load[6] = {0, 0, 0, 2, 0, 0};
  bend(&b, 4, along_x(4, 1), CUBIC SECTION, load, 1);
  for (int i = 0; i <= 4; i++) {
    const double *x = b.state->position.data + 7 * i, half = 2 / 0.75 * i / 4 / 2;
    near(x[3], sin(half), 1e-9);
    near(x[6], cos(half), 1e-9);
    near(x[0], i / 4., 1e-9);
  }
  close_beam(&b);
}

/* ---- elastica ---- */

/* theta'' = -k cos(theta) on (0, 1) from theta(0) = 0 with theta'(0) = slope: end values of theta',
 * x, y. */
static void shoot(double k, double slope, double *end) {
  const int n = 4000;
  const double h = 1. / n;
  double y[4] = {0, slope, 0, 0};
  for (int i = 0; i < n; i++) {
    double d[4][4], at[4];
    static const double step[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; s++) {
      for (int c = 0; c < 4; c++) at[c] = y[c] + (s ? step[s] * h * d[s - 1][c] : 0);
      d[s][0] = at[1];
      d[s][1] = -k * cos(at[0]);
      d[s][2] = cos(at[0]);
      d[s][3] = sin(at[0]);
    }
    for (int c = 0; c < 4; c++) y[c] += h / 6 * (d[0][c] + 2 * d[1][c] + 2 * d[2][c] + d[3][c]);
  }
  memcpy(end, y, sizeof y);
}

static void elastica(double k, double *end) {
  double low = 0, high = sqrt(2 * k) + 1;
  for (int i = 0; i < 100; i++) {
    const double middle = (low + high) / 2;
    shoot(k, middle, end);
    if (end[1] > 0) high = middle;
    else low = middle;
  }
}

static void elastica_of(const char *beam, double order, double least) {
  /* F L^2 / (E I); deflection and shortening over L: K. Mattiasson, Int. J. Numer. Meth. Eng. 17,
   * 1981 */
  static const double table[][3] = {
      {1, 0.30172, 0.05643}, {4, 0.66996, 0.32894}, {10, 0.81061, 0.55500}};
  for (size_t r = 0; r < sizeof table / sizeof *table; r++) {
    double end[4], error[3];
    const double k = table[r][0], load[6] = {0, k, 0, 0, 0, 0};
    elastica(k, end);
    near(end[3], table[r][1], 6e-6);
    near(1 - end[2], table[r][2], 6e-6);
    for (int i = 0; i < 3; i++) {
      Beam b;
      const int n = 4 << i;
      bend(&b, n, along_x(n, 1), beam, load, (int)k * 2);
      const double *x = end_of(&b);
      error[i] = hypot(x[0] - end[2], x[1] - end[3]);
      assert_true(b.most <= 6);
      close_beam(&b);
    }
    // the rest is the beam's stretch, which the elastica has not
    assert_true(error[0] / error[1] > order && error[1] / error[2] > least && error[2] < 2e-3);
  }
}

static void end_load_makes_the_elastica(void **state) {
  (void)state;
  elastica_of(CUBIC SECTION, 3.5, 2.5);
  elastica_of(EXACT SHEARED, 3.5, 3);
}

/* ---- space ---- */

/* A bend of 45 degrees with radius 100 and a square section of 1 under an end load across its
 * plane (K. J. Bathe, S. Bolourchi, Int. J. Numer. Meth. Eng. 14, 1979). */
static void bathe(const char *klass, int n, double *tip, int *most) {
  char beam[300];
  static char positions[5000];
  const double angle = acos(-1.0) / 4, load[6] = {0, 0, 600, 0, 0, 0};
  Beam b;
  int used = 0;
  for (int i = 0; i <= n; i++)
    used += snprintf(positions + used, sizeof positions - (size_t)used, "%.17g %.17g 0 0 0 0 1 ",
                     100 * (1 - cos(angle * i / n)), 100 * sin(angle * i / n));
  snprintf(beam, sizeof beam,
           "%s youngModulus='1e7' poissonRatio='0' A='1' Iy='0.083333333333333333' "
           "Iz='0.083333333333333333' J='0.1406'",
           klass);
  bend(&b, n, positions, beam, load, 12);
  sofa_vec3_copy(end_of(&b), tip);
  *most = b.most;
  close_beam(&b);
}

static void bend_of_45_degrees_with(const char *klass, const double *published, double within) {
  double tip[3][3];
  int most;
  for (int i = 0; i < 3; i++) {
    bathe(klass, 8 << i, tip[i], &most);
    assert_true(most <= 6);
  }
  for (int c = 0; c < 3; c++) {
    near(tip[2][c], published[c], within);
    near((tip[0][c] - tip[1][c]) / (tip[1][c] - tip[2][c]), 4, 0.3); // second order by itself
  }
}

static void bend_of_45_degrees(void **state) {
  (void)state;
  // A. Cardona, M. Geradin, Int. J. Numer. Meth. Eng. 26, 1988
  static const double published[3] = {15.55, 47.04, 53.50};
  bend_of_45_degrees_with(CUBIC, published, 0.15);
  bend_of_45_degrees_with(EXACT "shearAreaY='1' shearAreaZ='1'", published, 0.15);
}

/* ---- derivatives ---- */

/* Energy of ends moved by h d along rotation vectors. */
static double energy_of(const SofaBeam *beam, const double *x, const double *d, double h) {
  double moved[14];
  SofaBeamPose pose;
  memcpy(moved, x, sizeof moved);
  for (int k = 0; k < 2; k++) {
    const double *w = d + 6 * k + 3, angle = h * sofa_vec3_norm(w);
    double q[4] = {0, 0, 0, cos(angle / 2)};
    sofa_vec3_axpy(h, d + 6 * k, moved + 7 * k);
    sofa_vec3_axpy(sin(angle / 2) / sofa_vec3_norm(w), w, q);
    sofa_quat_multiply(q, x + 7 * k + 3, moved + 7 * k + 3);
  }
  sofa_beam_pose(beam, moved, moved + 7, &pose);
  return sofa_beam_energy(beam, &pose);
}

/* d . H d against second differences, for enough random d to fix H, at small and large turns. */
static void second_derivatives_of(bool exact) {
  static const double turns[] = {0, 0.01, 0.2, 0.7, 2.5};
  const SofaBeamSection section = {
      .young = 100, .shear = 40, .area = 3, .iy = 2, .iz = 1, .j = 1.5, .shear_y = 1, .shear_z = 2};
  const double rest[14] = {0, 0, 0, 0, 0, 0, 1, 1, 0.5, 0.2, 0.6, 0, 0, 0.8};
  SofaBeam beam;
  uint32_t seed = 3;
  assert_true((exact ? sofa_beam_make_exact : sofa_beam_make)(&section, rest, rest + 7, &beam));
  for (size_t t = 0; t < sizeof turns / sizeof *turns; t++) {
    double x[14], q[4], k[144], g[12];
    SofaBeamPose pose;
    const double axis[3] = {0.36, -0.48, 0.8};
    memcpy(x, rest, sizeof x);
    sofa_vec3_axpy(0.3 * turns[t], axis, x + 7);
    for (int i = 0; i < 3; i++) q[i] = axis[i] * sin(turns[t] / 2);
    q[3] = cos(turns[t] / 2);
    sofa_quat_multiply(q, rest + 10, x + 10);
    sofa_beam_pose(&beam, x, x + 7, &pose);
    sofa_beam_gradient(&pose, g);
    sofa_beam_hessian(&beam, &pose, k);
    for (int n = 0; n < 100; n++) {
      double d[12], slope = 0, curve = 0, size = 0;
      for (int i = 0; i < 12; i++) {
        seed = seed * 1664525u + 1013904223u;
        d[i] = (double)(seed >> 8) / (1 << 23) - 1;
        slope += g[i] * d[i];
      }
      for (int i = 0; i < 144; i++) {
        curve += d[i / 12] * k[i] * d[i % 12];
        size += fabs(d[i / 12] * k[i] * d[i % 12]);
      }
      const double h = 1e-4, plus = energy_of(&beam, x, d, h), minus = energy_of(&beam, x, d, -h);
      const double middle = energy_of(&beam, x, d, 0);
      near((plus - minus) / (2 * h), slope, 1e-6 * size);
      near((plus - 2 * middle + minus) / (h * h), curve, 1e-6 * size);
    }
  }
}

static void second_derivatives(void **state) {
  (void)state;
  second_derivatives_of(false);
  second_derivatives_of(true);
}

/* A rigid motion leaves the energy and the load of a deformed beam as they are. */
static void exact_beams_are_objective(void **state) {
  (void)state;
  const SofaBeamSection section = {
      .young = 100, .shear = 40, .area = 3, .iy = 2, .iz = 1, .j = 1.5, .shear_y = 1, .shear_z = 2};
  double x[14] = {0, 0, 0, 0, 0, 0, 1, 1, 0.5, 0.2, 0.6, 0, 0, 0.8}, y[14];
  const double motion[7] = {3, -2, 1, 0.5, -0.5, 0.1, 0.7};
  SofaBeam beam;
  SofaBeamPose now, moved;
  double turn[7];
  memcpy(turn, motion, sizeof turn);
  const double size = sqrt(0.25 + 0.25 + 0.01 + 0.49);
  for (int i = 3; i < 7; i++) turn[i] /= size;
  assert_true(sofa_beam_make_exact(&section, x, x + 7, &beam));
  sofa_rigid3_multiply(turn, x, y);
  sofa_rigid3_multiply(turn, x + 7, y + 7);
  sofa_beam_pose(&beam, y, y + 7, &moved);
  near(sofa_beam_energy(&beam, &moved), 0, 1e-25);
  x[7] = 2.5;
  x[8] = -1;
  sofa_beam_pose(&beam, x, x + 7, &now);
  sofa_rigid3_multiply(turn, x + 7, y + 7);
  sofa_beam_pose(&beam, y, y + 7, &moved);
  assert_true(sofa_beam_energy(&beam, &now) > 1);
  near(sofa_beam_energy(&beam, &moved), sofa_beam_energy(&beam, &now), 1e-12);
  for (int i = 0; i < 12; i++) near(moved.load[i], now.load[i], 1e-11);
}

/* ---- the quirk ---- */

/* A stretched and twisted beam: E A u^2 / (2 L) + G J t^2 / (2 L), whichever frame is the body's.
 */
static void energy_in_the_frame_of_a_point(void **state) {
  static const double u = 0.01, turn = 0.3, length = 2;
  static const char *const words[] = {NULL, "beam-frame"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    const SofaContextOptions options = {.quirk_words = words[k]};
    const SofaMechParams params = {.k = 1};
    SceneRun run;
    double energy = NAN;
    scene_run_open(&run,
                   "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                   "<MeshTopology edges='0 1'/><MechanicalObject name='state' template='Rigid3d' "
                   "position='0 0 0 0 0 0 1 2 0 0 0 0 0 1'/><" CUBIC SECTION "/></Node>",
                   &options);
    SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/beam");
    double x[14];
    memcpy(x, ff->state[0]->position.data, sizeof x);
    x[7] += u;
    x[10] = sin(turn / 2);
    x[13] = cos(turn / 2);
    const double *at_x = x, *at_v = ff->state[0]->velocity.data;
    const SofaPoint at = {.x = &at_x, .v = &at_v, .n = 1, .id = sofa_point_id(run.ctx)};
    assert_int_equal(sofa_force_field_potential_energy(ff, &params, &at, &energy), SOFA_OK);
    near(energy, (100 * 300 * u * u + 50 * 0.015 * turn * turn) / (2 * length), 1e-9);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bends_shears_and_twists_by_its_section),
      cmocka_unit_test(the_default_section_is_a_ring),
      cmocka_unit_test(end_moment_makes_a_circle),
      cmocka_unit_test(exact_beams_roll_up_to_a_polygon),
      cmocka_unit_test(exact_beams_stretch),
      cmocka_unit_test(exact_beams_are_objective),
      cmocka_unit_test(exact_beams_are_not_rigid_in_shear),
      cmocka_unit_test(torsion_is_even),
      cmocka_unit_test(end_load_makes_the_elastica),
      cmocka_unit_test(bend_of_45_degrees),
      cmocka_unit_test(second_derivatives),
      cmocka_unit_test(energy_in_the_frame_of_a_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
