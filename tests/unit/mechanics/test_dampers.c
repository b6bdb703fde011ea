/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every force field whose force depends on velocities: it takes energy, implicit solvers stay
 * stable with it however strong it is, and VariationalSymplecticSolver keeps its order. The force
 * fields are those of the conformance cases, of which each class has one. */
#include "tests/support/conform_forcefield.c"
#include "tests/support/force_field_cases.h"
#include "tests/support/gpl_parts.h"

/* ---- the cases whose force depends on velocities ---- */

/* f(x, v) - f(x, 0) at a shaken state for random velocities v; its size. */
static double damping_force(Model *m, double *v, double *f) {
  double *x = reals(m->nx), *still = reals(m->nv);
  shaken(m, x);
  random_direction(m, v);
  model_moving_force(m, x, v, f);
  model_force(m, x, still);
  for (size_t i = 0; i < m->nv; i++) f[i] -= still[i];
  const double size = norm(m->nv, f) - 1e-12 * norm(m->nv, still);
  free(x), free(still);
  return size;
}

static bool depends_on_velocity(Model *m) {
  double *v = reals(m->nv), *f = reals(m->nv);
  const double size = damping_force(m, v, f);
  free(v), free(f);
  return size > 0;
}

typedef void Check(const ForceFieldCase *c);

/* Masses have forces of velocity that do no work: gyroscopic torques. */
static bool is_mass(const ForceFieldCase *c) {
  for (size_t k = 0; k < COUNT(mass_cases); k++)
    if (c == &mass_cases[k]) return true;
  return false;
}

/* Runs the check for all such cases; returns how many there are. */
static int for_all(Check *check) {
  int n = 0;
  for (size_t list = 0; list < COUNT(force_field_lists); list++) {
    for (size_t k = 0; k < force_field_list_sizes[list]; k++) {
      const ForceFieldCase *c = &force_field_lists[list][k];
      Model m;
      if (is_mass(c)) continue;
      model_open(&m, c, NULL);
      const bool depends = depends_on_velocity(&m);
      model_close(&m);
      if (!depends) continue;
      check(c);
      n++;
    }
  }
  return n;
}

/* ---- power ---- */

/* The point alone is braked, whatever its frame does. */
static bool brakes_one_side(const ForceFieldCase *c) {
  return strcmp(c->klass, "InteractionEllipsoidForceField") == 0;
}

static void takes_power(const ForceFieldCase *c) {
  Model m;
  if (brakes_one_side(c)) return;
  model_open(&m, c, NULL);
  double *v = reals(m.nv), *f = reals(m.nv);
  for (int turn = 0; turn < 20; turn++) {
    double power = 0, size = 0;
    memset(f, 0, m.nv * sizeof *f);
    damping_force(&m, v, f);
    for (size_t i = 0; i < m.nv; i++) power += f[i] * v[i], size += fabs(f[i] * v[i]);
    require(&m, "power of the damping", power, 1e-12 * size);
  }
  free(v), free(f);
  model_close(&m);
}

static void dampers_take_energy(void **state) {
  (void)state;
  assert_in_range(for_all(takes_power), 25, 100);
}

/* ---- motion ----
 *
 * The scene of a case with a solver, and a mass at each state. */
static void moving_scene(const ForceFieldCase *c, const char *solver, double mass, char *text,
                         size_t size) {
  static const char loop[] = "<DefaultVisualManagerLoop/>", tag[] = "<MechanicalObject";
  const char *from = c->scene, *at = strstr(from, loop);
  size_t n = 0;
  assert_non_null(at);
  at += strlen(loop);
  n += (size_t)snprintf(text + n, size - n, "%.*s%s", (int)(at - from), from, solver);
  for (from = at; (at = strstr(from, tag)) != NULL; from = at) {
    const char *end = strstr(at, "/>"), *rigid = strstr(at, "Rigid3");
    assert_non_null(end);
    n += (size_t)snprintf(text + n, size - n, "%.*s<UniformMass vertexMass='%.17g%s'/>",
                          (int)(end + 2 - from), from, mass,
                          rigid && rigid < end ? " 1 [1 0 0,0 1 0,0 0 1]" : "");
    at = end + 2;
  }
  n += (size_t)snprintf(text + n, size - n, "%s", from);
  assert_true(n < size);
}

/* Opens the scene in motion: shaken, with velocities of the given size. */
static void open_motion(Model *m, const ForceFieldCase *moving, double h, double speed) {
  model_open(m, moving, NULL);
  double *x = reals(m->nx), *d = reals(m->nv);
  shaken(m, x);
  random_direction(m, d);
  for (int k = 0; k < m->n_states; k++) {
    SofaState *s = m->state[k];
    memcpy(s->position.data, x + m->x_at[k], s->position.n * s->position.width * sizeof *x);
    for (size_t i = 0; i < s->velocity.n * s->velocity.width; i++)
      s->velocity.data[i] = speed * d[m->v_at[k] + i];
  }
  m->run.simulation->root->dt = h;
  free(x), free(d);
}

static void take_positions(const Model *m, double *x) {
  for (int k = 0; k < m->n_states; k++)
    memcpy(x + m->x_at[k], m->state[k]->position.data,
           m->state[k]->position.n * m->state[k]->position.width * sizeof *x);
}

/* Positions after n steps within the time `span`; the caller frees them. */
static double *positions_after(const ForceFieldCase *moving, double span, int n, size_t *size) {
  Model m;
  open_motion(&m, moving, span / n, 1);
  double *x = reals(m.nx);
  scene_run_steps(&m.run, n);
  take_positions(&m, x);
  *size = m.nx;
  model_close(&m);
  return x;
}

#define VARIATIONAL_EXACT                                                                          \
  "<VariationalSymplecticSolver newtonError='1e-14' steps='200' computeHamiltonian='0'/>"          \
  "<EigenSparseLU/>"

static void keeps_order(const ForceFieldCase *c) {
  char text[6000];
  const ForceFieldCase moving = {c->klass, c->what, text, c->checks, c->shake};
  const double span = 0.004;
  double *x[3];
  size_t n = 0;
  moving_scene(c, VARIATIONAL_EXACT, 1, text, sizeof text);
  for (int k = 0; k < 3; k++) x[k] = positions_after(&moving, span, 8 << k, &n);
  const double coarse = difference(n, x[0], x[1]), fine = difference(n, x[1], x[2]);
  if (coarse > 1e-13 && fabs(log2(coarse / fine) - 2) > 0.3)
    fail_msg("%s %s: differences %g and %g, order %g", c->klass, c->what, coarse, fine,
             log2(coarse / fine));
  for (int k = 0; k < 3; k++) free(x[k]);
}

static void variational_solver_keeps_its_order(void **state) {
  (void)state;
  if (lacks_gpl_part(VARIATIONAL_EXACT)) skip();
  for_all(keeps_order);
}

/* ---- strong damping ---- */

static void stays_bounded(const ForceFieldCase *c, const char *solver) {
  if (lacks_gpl_part(solver)) return;
  char text[6000];
  const ForceFieldCase moving = {c->klass, c->what, text, c->checks, 1e-3};
  Model m;
  moving_scene(c, solver, 0.01, text, sizeof text);
  open_motion(&m, &moving, 0.01, 0.1);
  double *start = reals(m.nx), *x = reals(m.nx);
  take_positions(&m, start);
  scene_run_steps(&m.run, 300);
  take_positions(&m, x);
  require(&m, "way in 3 s", difference(m.nx, x, start), 1000);
  free(start), free(x);
  model_close(&m);
}

/* One linearisation. */
static void euler_bounded(const ForceFieldCase *c) {
  if (c->checks & CONFORM_LATE) return;
  stays_bounded(c, "<EulerImplicitSolver/><EigenSparseLU/>");
}
/* Newton needs the exact tangent: cones and carried ellipsoids leave parts of dF/dx out. */
static void variational_bounded(const ForceFieldCase *c) {
  if (!(c->checks & (CONFORM_FD | CONFORM_FD_AT_REST))) return;
  stays_bounded(c, "<VariationalSymplecticSolver newtonError='1e-10' steps='50'/><EigenSparseLU/>");
}

static void strong_dampers_are_stable(void **state) {
  (void)state;
  for_all(euler_bounded);
  for_all(variational_bounded);
}

/* ---- quirks ---- */

#define QUICK_SCENE(h, body)                                                                       \
  "<Node name='root' dt='" h "' gravity='0 0 0'><DefaultAnimationLoop/>"                           \
  "<DefaultVisualManagerLoop/>" body "</Node>"

static double after(const char *scene, const char *words, int steps, bool velocity, int index) {
  const SofaContextOptions options = {.quirk_words = words};
  SceneRun run;
  scene_run_open(&run, scene, words ? &options : NULL);
  scene_run_steps(&run, steps);
  const SofaState *s = scene_run_state(&run, "/state");
  const double value = (velocity ? s->velocity : s->position).data[index];
  scene_run_close(&run);
  return value;
}

/* h c / m = 5 along a spring, 10 in the plane. */
static void quirk_leaves_the_derivative_out(void **state) {
  (void)state;
  static const char spring[] = QUICK_SCENE(
      "0.01", "<EulerImplicitSolver/><EigenSparseLU/><MechanicalObject name='state' "
              "position='0 0 0 1.1 0 0'/><UniformMass vertexMass='0.01'/><SpringForceField "
              "spring='0 1 10 5 1'/><FixedProjectiveConstraint indices='0'/>");
  static const char plane[] =
      QUICK_SCENE("0.01", "<EulerImplicitSolver/><EigenSparseLU/><MechanicalObject name='state' "
                          "position='0 -0.1 0' velocity='1 0 0'/><UniformMass vertexMass='0.01'/>"
                          "<PlaneForceField stiffness='1' damping='100'/>");
  if (lacks_gpl_part(spring)) skip();
  assert_true(fabs(after(spring, NULL, 200, false, 3) - 1) < 0.05);
  assert_true(fabs(after(spring, "spring-damping-matrix", 8, false, 3) - 1) > 10);
  assert_true(fabs(after(plane, NULL, 200, false, 0)) < 0.01);
  assert_true(fabs(after(plane, "load-damping-matrix", 8, false, 0)) > 1000);
}

/* A right triangle with sides of 2 m at its right angle, E = mu = 1000 N/m; one corner moves along
 * its side. k = 93.75 and 31.25 along the edges that it lengthens, each with a rate 2 dv.dp = 4
 * instead of dv.dp / l^2 = 1/2 and 1/4. */
static void rate_of_squared_lengths(void **state) {
  (void)state;
  static const char scene[] = QUICK_SCENE(
      "0.1",
      "<EulerExplicitSolver/><MeshTopology position='0 0 0 2 0 0 0 2 0' triangles='0 1 2'/>"
      "<MechanicalObject name='state' position='0 0 0 2 0 0 0 2 0' velocity='0 0 0 1 0 0 0 0 0'/>"
      "<UniformMass vertexMass='1'/><TriangularBiquadraticSpringsForceField "
      "youngModulus='1000' poissonRatio='0' useAngularSprings='0' dampingRatio='0.01'/>");
  assert_true(fabs(after(scene, NULL, 1, true, 3) - (1 - 0.1 * 2 * 0.04 * 125)) < 1e-12);
  assert_true(fabs(after(scene, "biquadratic-damping", 1, true, 3) -
                   (1 - 0.1 * 2 * (0.005 * 93.75 + 0.0025 * 31.25))) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dampers_take_energy),
      cmocka_unit_test(variational_solver_keeps_its_order),
      cmocka_unit_test(strong_dampers_are_stable),
      cmocka_unit_test(quirk_leaves_the_derivative_out),
      cmocka_unit_test(rate_of_squared_lengths),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
