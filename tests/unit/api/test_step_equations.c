/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A step as equations, for every solver that has them: the residual of each formula at any guess,
 * the state at its end, and the root, which is what the solver's own step finds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <csofa/csofa.h>

/* A held point and a free one of mass m with a spring k to its rest position (1, 0, 0), the weight
 * and a force of 10 t along x. */
static const char scene_text[] =
    "<Node name='root' dt='0.1' gravity='1 -10 3'><RequiredPlugin name='SofaCaribou'/>"
    "<DefaultAnimationLoop/><Node name='body'>%s"
    "<NewtonRaphsonSolver maxNbIterationsNewton='9' absoluteResidualStoppingThreshold='1e-13'/>%s"
    "<MechanicalObject name='state' rest_position='0 0 0  1 0 0' position='0 0 0  1.3 0.2 -0.1' "
    "velocity='0 0 0  0.5 -2 1'/><UniformMass vertexMass='2'%s/>"
    "<RestShapeSpringsForceField stiffness='100'%s/><FixedProjectiveConstraint indices='0'/>"
    "<LinearForceField points='1' force='1' times='0 1' forces='0 0 0 10 0 0'/></Node></Node>";
static const double m = 2, k = 100, h = 0.1, r_m = 0.7, r_k = 0.03;
static const double gravity[3] = {1, -10, 3}, rest[3] = {1, 0, 0};
#define RAYLEIGH " rayleighMass='0.7' rayleighStiffness='0.03' "
/* the rest of these factors, those of the components */
#define PART " rayleighMass='0.3' rayleighStiffness='0.01' "
#define OWN_MASS " rayleighMass='0.4'"
#define OWN_STIFFNESS " rayleighStiffness='0.02'"
#define CARIBOU                                                                                    \
  " newton_iterations='9' residual_tolerance_threshold='-1' "                                      \
  "correction_tolerance_threshold='-1' absolute_residual_tolerance_threshold='1e-13' "
#define LDL "<SparseLDLSolver/>"
#define LDLT "<LDLTSolver/>"

static double force(double x, double t, int c) {
  return -k * (x - rest[c]) + m * gravity[c] + (c == 0 ? 10 * t : 0);
}

/* ---- residuals of a component at the guess s, and the ends ---- */

typedef struct Formula {
  double (*residual)(double x, double v, double t, double s, int c);
  void (*end)(double *x, double *v, double s);
} Formula;

static double euler(double x, double v, double t, double s, int c) {
  return h * (force(x, t, c) - (h + r_k) * k * v - r_m * m * v) -
         ((1 + h * r_m) * m + h * (h + r_k) * k) * s;
}
static double trapezoidal(double x, double v, double t, double s, int c) {
  const double g = h / 2;
  return h * (force(x, t, c) - (g + r_k) * k * v - r_m * m * v) -
         ((1 + g * r_m) * m + g * (g + r_k) * k) * s;
}
static double diffusion(double x, double v, double t, double s, int c) {
  (void)v;
  return force(x, t, c) - (m + h * k) * s;
}
static double backward(double x, double v, double t, double s, int c) {
  v += s;
  return h * (force(x + h * v, t, c) - r_m * m * v - r_k * k * v) - m * s;
}
static double of_acceleration(double x, double v, double t, double s, int c) {
  v += h * s;
  return force(x + h * v, t, c) - r_m * m * v - r_k * k * v - m * s;
}
static double equilibrium(double x, double v, double t, double s, int c) {
  (void)v;
  return force(x + s, t + h, c);
}

static void by_velocity(double *x, double *v, double s) {
  *v += s;
  *x += h * *v;
}
static void by_mean(double *x, double *v, double s) {
  *x += h * (*v + s / 2);
  *v += s;
}
static void decaying(double *x, double *v, double s) {
  by_velocity(x, v, s);
  *v *= exp(-h * 0.9);
}
static void as_velocity(double *x, double *v, double s) {
  *v = s;
  *x += h * s;
}
static void by_acceleration(double *x, double *v, double s) {
  by_velocity(x, v, h * s);
}
static void by_move(double *x, double *v, double s) {
  (void)v;
  *x += s;
}

static const struct {
  const char *solver, *linear_solver;
  Formula formula;
  int order, linear, own;
} cases[] = {
    {"<EulerImplicitSolver" RAYLEIGH "/>", LDL, {euler, by_velocity}, 1, 1, 0},
    {"<EulerImplicitSolver" PART "/>", LDL, {euler, by_velocity}, 1, 1, 1},
    {"<EulerImplicitSolver vdamping='0.9'" RAYLEIGH "/>", LDL, {euler, decaying}, 1, 1, 0},
    {"<EulerImplicitSolver trapezoidalScheme='1'" RAYLEIGH "/>",
     LDL,
     {trapezoidal, by_mean},
     1,
     1,
     0},
    {"<EulerImplicitSolver trapezoidalScheme='1'" PART "/>", LDL, {trapezoidal, by_mean}, 1, 1, 1},
    {"<EulerImplicitSolver firstOrder='1'/>", LDL, {diffusion, as_velocity}, 1, 1, 0},
    {"<BDFOdeSolver" RAYLEIGH "/>", LDL, {backward, by_velocity}, 1, 0, 0},
    {"<BDFOdeSolver" PART "/>", LDL, {backward, by_velocity}, 1, 0, 1},
    {"<BackwardEulerODESolver rayleigh_mass='0.7' rayleigh_stiffness='0.03'" CARIBOU "/>",
     LDLT,
     {of_acceleration, by_acceleration},
     2,
     0,
     0},
    {"<BackwardEulerODESolver rayleigh_mass='0.3' rayleigh_stiffness='0.01'" CARIBOU "/>",
     LDLT,
     {of_acceleration, by_acceleration},
     2,
     0,
     1},
    {"<StaticSolver/>", LDL, {equilibrium, by_move}, 0, 0, 0},
    {"<StaticODESolver" CARIBOU "/>", LDLT, {equilibrium, by_move}, 0, 0, 0},
    {"<LegacyStaticODESolver newton_iterations='9'/>", LDL, {equilibrium, by_move}, 0, 0, 0},
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* ---- scenes ---- */

static void hear(void *user, int severity, const char *text, const char *file, int line,
                 const char *path, const char *emitter) {
  (void)user, (void)severity, (void)text, (void)file, (void)line, (void)path, (void)emitter;
}

typedef struct Fixture {
  CsofaContext *csofa;
  CsofaScene *scene;
  CsofaEquations *e;
} Fixture;

static void open_case(Fixture *f, int i) {
  char text[2000];
  *f = (Fixture){0};
  snprintf(text, sizeof text, scene_text, cases[i].solver, cases[i].linear_solver,
           cases[i].own ? OWN_MASS : "", cases[i].own ? OWN_STIFFNESS : "");
  assert_int_equal(csofa_create(NULL, &f->csofa), CSOFA_OK);
  csofa_on_message(f->csofa, hear, NULL);
  if (csofa_load_text(f->csofa, text, NULL, &f->scene) != CSOFA_OK ||
      csofa_equations(f->scene, csofa_find(f->scene, 0, "/body/state"), &f->e) != CSOFA_OK)
    fail_msg("%s: %s", cases[i].solver, csofa_last_error(f->csofa));
}

static void close_case(Fixture *f) {
  csofa_free_equations(f->e);
  csofa_destroy(f->csofa);
}

static void assert_near(int i, const char *what, const double *values, const double *expected,
                        size_t n) {
  for (size_t j = 0; j < n; j++)
    if (!(fabs(values[j] - expected[j]) <= 1e-10 * (1 + fabs(expected[j]))))
      fail_msg("%s, %s %zu: %.15g, expected %.15g", cases[i].solver, what, j, values[j],
               expected[j]);
}

static const double x0[6] = {0, 0, 0, 1.2, -0.4, 0.7}, v0[6] = {0, 0, 0, 0.3, 1.5, -0.8};
static const double t0 = 0.4;

static void expected_residual(int i, double t, const double *x, const double *v, const double *s,
                              double r[6]) {
  for (int c = 0; c < 3; c++) {
    r[c] = -s[c]; /* held */
    r[3 + c] = cases[i].formula.residual(x[3 + c], v[3 + c], t, s[3 + c], c);
  }
}

static void residuals_and_ends(void **state) {
  static const double guesses[3][6] = {{0}, {1, -2, 0.5, 0.3, 0.2, -0.1}, {-3, 0, 0, 7, -0.4, 2}};
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    Fixture f;
    open_case(&f, i);
    assert_int_equal(csofa_equations_order(f.e), cases[i].order);
    assert_int_equal(csofa_equations_are_linear(f.e), cases[i].linear);
    assert_int_equal(csofa_equations_begin(f.e, t0, x0, v0), CSOFA_OK);
    for (int g = 0; g < 3; g++) {
      double r[6], expected[6], x[6], v[6], s[6], end_x[6], end_v[6];
      expected_residual(i, t0, x0, v0, guesses[g], expected);
      for (int again = 0; again < 2; again++) {
        assert_int_equal(csofa_equations_residual(f.e, guesses[g], r), CSOFA_OK);
        assert_near(i, "residual", r, expected, 6);
      }
      memcpy(s, guesses[g], sizeof s);
      s[0] = s[1] = s[2] = 0;
      assert_int_equal(csofa_equations_end(f.e, s, x, v), CSOFA_OK);
      memcpy(end_x, x0, sizeof x0);
      memcpy(end_v, v0, sizeof v0);
      for (int c = 3; c < 6; c++) cases[i].formula.end(&end_x[c], &end_v[c], s[c]);
      assert_near(i, "position", x, end_x, 6);
      assert_near(i, "velocity", v, end_v, 6);
    }
    close_case(&f);
  }
}

/* The solver's own step ends at the root; residuals that are asked for between its steps change
 * neither the steps nor what they tell. */
static void roots_are_steps(void **state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    Fixture f;
    double x[6], v[6], s[6], r[6], end_x[6], end_v[6], told[6];
    open_case(&f, i);
    assert_int_equal(csofa_equations_state(f.e, end_x, end_v, told), CSOFA_OK);
    for (int step = 0; step < 3; step++) {
      memcpy(x, end_x, sizeof x);
      memcpy(v, end_v, sizeof v);
      assert_int_equal(csofa_step(f.scene, 1), CSOFA_OK);
      assert_int_equal(csofa_equations_state(f.e, end_x, end_v, s), CSOFA_OK);
      if (cases[i].order == 0)
        for (int c = 0; c < 6; c++) s[c] = end_x[c] - x[c];
      assert_int_equal(csofa_equations_begin(f.e, step * h, x, v), CSOFA_OK);
      assert_int_equal(csofa_equations_residual(f.e, s, r), CSOFA_OK);
      assert_near(i, "residual at the root", r, (const double[6]){0}, 6);
      double root[6] = {0}, zero[6] = {0}, one[6] = {0, 0, 0, 1, 1, 1}, at_0[6], at_1[6];
      expected_residual(i, step * h, x, v, zero, at_0);
      expected_residual(i, step * h, x, v, one, at_1);
      for (int c = 3; c < 6; c++) root[c] = at_0[c] / (at_0[c] - at_1[c]); /* all are linear here */
      assert_near(i, "root", s, root, 6);
      assert_int_equal(csofa_equations_end(f.e, s, x, v), CSOFA_OK);
      assert_near(i, "position", x, end_x, 6);
      assert_near(i, "velocity", v, end_v, 6);
      assert_int_equal(csofa_equations_state(f.e, end_x, end_v, told), CSOFA_OK);
      assert_near(i, "position that stays", end_x, x, 6);
      if (cases[i].order > 0) assert_near(i, "solution that stays", told, s, 6);
      assert_int_equal(csofa_equations_begin(f.e, t0, x0, v0), CSOFA_OK);
      assert_int_equal(csofa_equations_residual(f.e, root, r), CSOFA_OK);
      assert_int_equal(csofa_equations_state(f.e, at_0, at_1, told), CSOFA_OK);
      if (cases[i].order > 0) assert_near(i, "solution after other residuals", told, s, 6);
    }
    close_case(&f);
  }
}

/* A step of higher order needs the ones before. */
static void refused(void **state) {
  (void)state;
  char text[2000];
  CsofaContext *csofa = NULL;
  CsofaScene *scene = NULL;
  CsofaEquations *e = NULL;
  snprintf(text, sizeof text, scene_text, "<BDFOdeSolver order='2'/>", LDL, "", "");
  assert_int_equal(csofa_create(NULL, &csofa), CSOFA_OK);
  csofa_on_message(csofa, hear, NULL);
  assert_int_equal(csofa_load_text(csofa, text, NULL, &scene), CSOFA_OK);
  assert_int_equal(csofa_equations(scene, csofa_find(scene, 0, "/body/state"), &e),
                   CSOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(csofa_last_error(csofa), "a step of order 2 and more depends on"));
  csofa_destroy(csofa);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(residuals_and_ends),
                                     cmocka_unit_test(roots_are_steps), cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
