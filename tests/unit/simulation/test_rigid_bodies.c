/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rigid bodies in space: inertia in body axes and gyroscopic torques, in every ODE solver, against
 * a reference integration of Euler's equations. */
#include "tests/unit/simulation/integrators.h"

#include "math/quaternion.h"
#include "tests/support/gpl_parts.h"

/* A body with the principal moments 1, 2, 3 kg m^2, in axes turned within the body; a force of
 * (0, -10, 0) N at a point of the body, which is held at its centre. */
static const double in_body[9] = {1.25, 0.4330127018922193, 0, 0.4330127018922193, 1.75, 0, 0, 0,
                                  3},
                    arm[3] = {0.2, -0.4, 0.1}, weight[3] = {0, -10, 0},
                    start_q[4] = {0.1, -0.3, 0.2, 0.9273618495495704},
                    start_w[3] = {0.6, 1.9, -0.8};

static const char scene[] =
    "<Node name='root' dt='%.17g' gravity='0 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MechanicalObject name='state' template='Rigid3' position='0 0 0 %.17g %.17g %.17g %.17g' "
    "velocity='0 0 0 %.17g %.17g %.17g'/>%s"
    "<PartialFixedProjectiveConstraint indices='0' fixedDirections='1 1 1 0 0 0'/>%s</Node></Node>";
static const char uniform[] = "<UniformMass name='mass' vertexMass='1 1 [1.25 0.4330127018922193 "
                              "0,0.4330127018922193 1.75 0,0 0 3]'/>",
                  diagonal[] =
                      "<DiagonalMass name='mass' template='Rigid3d,Rigid3d' vertexMass='2 1 "
                      "[0.625 0.21650635094610965 0,0.21650635094610965 0.875 0,0 0 1.5]'/>",
                  shared[] = "<UniformMass name='mass' vertexMass='1 1 [0.25 0.4330127018922193 "
                             "0,0.4330127018922193 0.75 0,0 0 2]'/>"
                             "<UniformMass name='rest' vertexMass='1 1 [1 0 0,0 1 0,0 0 1]'/>",
                  loaded[] = "<Node name='weight'><MechanicalObject name='points' "
                             "position='0.2 -0.4 0.1'/>"
                             "<ConstantForceField forces='0 -10 0' indices='0'/>"
                             "<RigidMapping geometricStiffness='Exact'/></Node>";

/* ---- the reference ---- */

typedef struct Body {
  double q[4], w[3];
} Body;

static void world_inertia(const double *q, double *inertia) {
  double r[9], product[9];
  sofa_quat_to_matrix(q, r);
  sofa_mat3_mul(r, in_body, product);
  sofa_mat3_mul_nt(product, r, inertia);
}

static void momentum_of(const Body *b, double *l) {
  double inertia[9];
  world_inertia(b->q, inertia);
  sofa_mat3_apply(inertia, b->w, l);
}

/* q' = 1/2 w q, I w' = r x F - w x I w */
static void rate(const Body *b, bool load, Body *d) {
  double inertia[9], l[3], t[3], r[3], half[4] = {0.5 * b->w[0], 0.5 * b->w[1], 0.5 * b->w[2], 0};
  sofa_quat_multiply(half, b->q, d->q);
  momentum_of(b, l);
  sofa_vec3_cross(l, b->w, t);
  sofa_quat_rotate(b->q, arm, r);
  sofa_vec3_cross(r, weight, half);
  if (load) sofa_vec3_add(t, half, t);
  world_inertia(b->q, inertia);
  assert_true(sofa_mat3_inverse(inertia, inertia, NULL));
  sofa_mat3_apply(inertia, t, d->w);
}

static Body moved(const Body *b, double h, const Body *d) {
  Body r;
  for (int k = 0; k < 4; k++) r.q[k] = b->q[k] + h * d->q[k];
  for (int k = 0; k < 3; k++) r.w[k] = b->w[k] + h * d->w[k];
  return r;
}

/* The classical method of Runge and Kutta with small steps, on quaternions. */
static Body reference(const Body *start, bool load, double span) {
  const int n = (int)(span * 20000) + 1;
  const double h = span / n;
  Body b = *start;
  for (int i = 0; i < n; i++) {
    Body k[4], at = b;
    for (int s = 0; s < 4; s++) {
      rate(&at, load, &k[s]);
      at = moved(&b, s == 2 ? h : h / 2, &k[s]);
    }
    for (int s = 0; s < 4; s++) b = moved(&b, h / (s % 3 ? 3 : 6), &k[s]);
  }
  return b;
}

/* ---- runs ---- */

static void open_body(SceneRun *run, const char *solver, const char *mass, const Body *b, double dt,
                      bool load) {
  char text[4000];
  snprintf(text, sizeof text, scene, dt, solver, b->q[0], b->q[1], b->q[2], b->q[3], b->w[0],
           b->w[1], b->w[2], mass, load ? loaded : "");
  scene_run_open(run, text, NULL);
}

static Body body_of(SceneRun *run) {
  const SofaState *s = scene_run_state(run, "/body/state");
  Body b;
  memcpy(b.q, s->position.data + 3, sizeof b.q);
  memcpy(b.w, s->velocity.data + 3, sizeof b.w);
  return b;
}

static Body start(void) {
  Body b;
  memcpy(b.q, start_q, sizeof b.q);
  memcpy(b.w, start_w, sizeof b.w);
  return b;
}

static double distance(const Body *a, const Body *b, bool velocity) {
  double x[7] = {0}, y[7] = {0}, d[6];
  memcpy(x + 3, a->q, sizeof a->q);
  memcpy(y + 3, b->q, sizeof b->q);
  sofa_rigid3_difference(x, y, d);
  const double turn = sofa_vec3_norm(d + 3);
  return velocity ? hypot(turn, sofa_vec3_distance(a->w, b->w)) : turn;
}

/* The solver with a linear solver for matrices that are not symmetric, which the load makes. */
static void with_lu(const char *solver, char *to, size_t size) {
  static const char *const symmetric[] = {LDL, LDLT}, *const other[] = {"<EigenSparseLU/>",
                                                                        "<LUSolver/>"};
  snprintf(to, size, "%s", solver);
  for (int k = 0; k < 2; k++) {
    const char *at = strstr(solver, symmetric[k]);
    if (at)
      snprintf(to, size, "%.*s%s%s", (int)(at - solver), solver, other[k],
               at + strlen(symmetric[k]));
  }
}

static Body run_of(const char *xml, const char *mass, int n, bool load, double span) {
  SceneRun run;
  char solver[1000];
  snprintf(solver, sizeof solver, "%s", xml);
  if (load) with_lu(xml, solver, sizeof solver);
  const Body first = start();
  open_body(&run, solver, mass, &first, span / n, load);
  scene_run_steps(&run, n);
  const Body last = body_of(&run);
  scene_run_close(&run);
  return last;
}

static const double span = 0.8;

static const struct {
  const char *xml;
  int order, n;   /* the order to measure between n and 2 n steps */
  bool conserves; /* angular momentum to the tolerance of its equations */
} cases[] = {
    {"<EulerImplicitSolver/>" LDL, 1, 800, false},
    {"<EulerImplicitSolver/><CGLinearSolver iterations='50' tolerance='1e-14' threshold='1e-14'/>",
     1, 800, false},
    {"<EulerImplicitSolver trapezoidalScheme='1'/>" LDL, 2, 200, false},
    {"<EulerImplicitSolver trapezoidalScheme='1'/><CGLinearSolver iterations='50' "
     "tolerance='1e-14' "
     "threshold='1e-20'/>",
     2, 200, false},
    {"<EulerExplicitSolver/>", 1, 800, false},
    {"<EulerExplicitSolver symplectic='0'/>", 1, 800, false},
    {"<CentralDifferenceSolver/>", 1, 800, false},
    {"<RungeKutta2Solver/>", 2, 200, false},
    {"<RungeKutta4Solver/>", 4, 60, false},
    {"<NewmarkImplicitSolver/>" LDL, 2, 200, false},
    {"<BackwardEulerODESolver " CARIBOU "/>" LDLT, 1, 800, false},
    {VARIATIONAL, 2, 200, true},
    {"<VariationalSymplecticSolver explicitIntegration='1'/>" LDL, 1, 800, true},
    {BDF(1), 1, 800, false},
    {BDF(2), 2, 400, false},
    {BDF(3), 3, 200, false},
    {BDF(4), 4, 160, false},
    {BDF(5), 5, 80, false},
    {BDF(6), 6, 60, false},
    {"<BDFIntegrationScheme/>" LDL, 2, 400, false},
    {"<DampVelocitySolver/>", 0, 0, false}, /* no integrator */
};
enum { N_CASES = sizeof cases / sizeof *cases };

static bool has_case(const char *name) {
  for (int i = 0; i < N_CASES; i++)
    if (starts_with_tag(cases[i].xml, name)) return true;
  return false;
}

static void every_solver_has_a_case(void **state) {
  (void)state;
  assert_all_solvers_have_cases(has_case);
}

static int check_order(const char *what, int i, double e, double half) {
  const double order = log2(e / half);
  fprintf(stderr, "%-9s %-60.60s %9.2e %9.2e order %.2f\n", what, cases[i].xml, e, half, order);
  return !(order > cases[i].order - 0.25);
}

/* Orientation and angular velocity against the reference. */
static int orders(const char *what, bool load) {
  const Body first = start(), exact = reference(&first, load, span);
  int failures = 0;
  for (int i = 0; i < N_CASES; i++) {
    if (!cases[i].n) continue;
    const Body a = run_of(cases[i].xml, uniform, cases[i].n, load, span);
    const Body b = run_of(cases[i].xml, uniform, 2 * cases[i].n, load, span);
    failures += check_order(what, i, distance(&a, &exact, true), distance(&b, &exact, true));
  }
  return failures;
}

static void orders_of_a_free_body(void **state) {
  (void)state;
  assert_int_equal(orders("free", false), 0);
}

static void orders_of_a_heavy_top(void **state) {
  (void)state;
  if (lacks_gpl_part("EigenSparseLU")) skip();
  assert_int_equal(orders("heavy", true), 0);
}

static double drift(const Body *b) {
  const Body first = start();
  double now[3], then[3];
  momentum_of(b, now);
  momentum_of(&first, then);
  return sofa_vec3_distance(now, then) / sofa_vec3_norm(then);
}

/* The angular momentum of a free body about its centre. */
static void angular_momentum_is_kept(void **state) {
  int failures = 0;
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    if (!cases[i].n) continue;
    const Body a = run_of(cases[i].xml, uniform, cases[i].n, false, span);
    const Body b = run_of(cases[i].xml, uniform, 2 * cases[i].n, false, span);
    if (!cases[i].conserves) failures += check_order("momentum", i, drift(&a), drift(&b));
    else if (drift(&a) > 1e-12) {
      failures++;
      fprintf(stderr, "%s: angular momentum drifts by %g\n", cases[i].xml, drift(&a));
    }
  }
  assert_int_equal(failures, 0);
}

/* Whatever its Newton iterations leave: the default stops at a change of 1 % of the positions. */
static void coarse_newton_keeps_angular_momentum(void **state) {
  (void)state;
  for (int load = 0; load < 2; load++) {
    const Body b =
        run_of("<VariationalSymplecticSolver/>" LDL, load ? shared : uniform, 20, false, 4);
    assert_true(drift(&b) < 1e-12);
  }
}

/* Spins that no step resolves: the energy of the free body stays. */
static void fast_spins_are_bounded(void **state) {
  static const char *const solvers[] = {("<EulerImplicitSolver/>" LDL), "<EulerExplicitSolver/>",
                                        "<CentralDifferenceSolver/>"};
  static const double spins[] = {50, 400, 3000, 1e6};
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      Body b = start();
      double momentum[3];
      SceneRun run;
      for (int c = 0; c < 3; c++) b.w[c] *= spins[k];
      momentum_of(&b, momentum);
      const double first = sofa_vec3_dot(momentum, b.w);
      open_body(&run, solvers[i], uniform, &b, 0.01, false);
      scene_run_steps(&run, 300);
      const Body last = body_of(&run);
      momentum_of(&last, momentum);
      const double ratio = sofa_vec3_dot(momentum, last.w) / first;
      if (!(fabs(ratio - 1) < 1e-8))
        fail_msg("%s, %g: the energy is %g of the first", solvers[i], spins[k], ratio);
      scene_run_close(&run);
    }
}

/* A spring of some 2000 rad/s holds a body that spins; the step of 0.01 s does not resolve it. */
static void stiff_springs_do_not_pump_energy(void **state) {
  static const char *const solvers[] = {"<EulerImplicitSolver/>" LDL,
                                        "<EulerImplicitSolver trapezoidalScheme='1'/>" LDL,
                                        "<NewmarkImplicitSolver/>" LDL, VARIATIONAL};
  (void)state;
  for (int i = 0; i < 4; i++) {
    char text[2000];
    SceneRun run;
    double first = 0, largest = 0;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><Node name='body'>%s<MechanicalObject name='state' "
             "template='Rigid3' velocity='0 0 0 3 20 5'/>"
             "<UniformMass name='mass' vertexMass='1 1 [1 0.1 0,0.1 2 0.2,0 0.2 3]'/>"
             "<RestShapeSpringsForceField points='0' stiffness='1e4' angularStiffness='1e7'/>"
             "</Node></Node>",
             solvers[i]);
    scene_run_open(&run, text, NULL);
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/body/mass");
    const SofaState *s = scene_run_state(&run, "/body/state");
    for (int n = 0; n < 1000; n++) {
      const double now =
          sofa_mass_ops(mass)->kinetic_energy(mass, sofa_mass_x(mass), s->velocity.data);
      if (n == 0) first = now;
      largest = fmax(largest, now);
      scene_run_steps(&run, 1);
    }
    if (!(largest < 1.1 * first))
      fail_msg("%s: the kinetic energy grows from %g to %g", solvers[i], first, largest);
    scene_run_close(&run);
  }
}

/* ---- the body ---- */

/* The first acceleration of a body that is turned: M(q), kinetic energy and momentum are those of
 * the turned inertia, with every mass. */
static void masses_turn(void **state) {
  static const char *const masses[] = {uniform, diagonal, shared};
  const Body b = start();
  double momentum[3];
  (void)state;
  momentum_of(&b, momentum);
  for (int i = 0; i < 3; i++) {
    SceneRun run;
    double mv[6] = {0}, energy = 0;
    open_body(&run, "<EulerExplicitSolver/>", masses[i], &b, 1e-6, true);
    const SofaState *s = scene_run_state(&run, "/body/state");
    for (int k = 0; k < (i == 2 ? 2 : 1); k++) {
      SofaMass *mass = (SofaMass *)scene_run_object(&run, k ? "/body/rest" : "/body/mass");
      const SofaMassOps *ops = sofa_mass_ops(mass);
      assert_int_equal(ops->add_mdx(mass, sofa_mass_x(mass), s->velocity.data, mv, 1), SOFA_OK);
      energy += ops->kinetic_energy(mass, sofa_mass_x(mass), s->velocity.data);
    }
    assert_true(sofa_vec3_distance(mv + 3, momentum) < 1e-13);
    assert_true(fabs(energy - 0.5 * sofa_vec3_dot(momentum, b.w)) < 1e-13);

    Body rates;
    rate(&b, true, &rates);
    scene_run_steps(&run, 1);
    const Body next = body_of(&run);
    for (int k = 0; k < 3; k++) assert_true(fabs((next.w[k] - b.w[k]) / 1e-6 - rates.w[k]) < 1e-4);
    scene_run_close(&run);
  }
}

/* Accelerations are those of the products, for every class and any inertia. */
static void accelerations_invert_products(void **state) {
  static const char *const inertias[] = {"2 0.3 -0.4,0.3 3 0.5,-0.4 0.5 4", "1 0 0.2,0 2 0,0.2 0 3",
                                         "1 0 0,0 2 -0.6,0 -0.6 3", "5 1 0,1 4 0,0 0 6"};
  static const char *const masses[] = {
      "<UniformMass name='mass' vertexMass='1.5 1 [%s]'/>",
      "<DiagonalMass name='mass' template='Rigid3d,Rigid3d' vertexMass='1.5 1 [%s]'/>"};
  const double f[6] = {1, -2, 3, 0.7, -0.4, 0.9};
  const SofaContextOptions quirks = {.quirks = true};
  (void)state;
  for (int k = 0; k < 16; k++) {
    char mass_text[400];
    SceneRun run;
    double a[6] = {0}, back[6] = {0};
    const Body b = start();
    snprintf(mass_text, sizeof mass_text, masses[k % 2], inertias[k / 2 % 4]);
    char text[4000];
    snprintf(text, sizeof text, scene, 0.01, "<EulerExplicitSolver/>", b.q[0], b.q[1], b.q[2],
             b.q[3], b.w[0], b.w[1], b.w[2], mass_text, "");
    scene_run_open(&run, text, k < 8 ? NULL : &quirks);
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/body/mass");
    const SofaMassOps *ops = sofa_mass_ops(mass);
    assert_int_equal(ops->acc_from_f(mass, sofa_mass_x(mass), f, a), SOFA_OK);
    assert_int_equal(ops->add_mdx(mass, sofa_mass_x(mass), a, back, 1), SOFA_OK);
    for (int c = 0; c < 6; c++)
      if (!(fabs(back[c] - f[c]) < 1e-13)) fail_msg("%s: %d: %g", mass_text, c, back[c]);
    scene_run_close(&run);
  }
}

/* Moments 1, 2, 3 about x, y, z: a torque about x of a body turned by 90 degrees about z acts on
 * the moment 2. */
static void a_quarter_turn(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
                 "<EulerImplicitSolver/>" LDL "<MechanicalObject name='state' template='Rigid3' "
                 "position='0 0 0 0 0 0.7071067811865476 0.7071067811865476'/>"
                 "<UniformMass vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/>"
                 "<ConstantForceField indices='0' forces='0 0 0 4 0 0'/></Node>",
                 NULL);
  scene_run_steps(&run, 1);
  assert_true(fabs(scene_run_state(&run, "/state")->velocity.data[3] - 0.02) < 1e-14);
  scene_run_close(&run);
}

/* A body on a hinge along z, which is not a principal axis, keeps its spin. */
static void a_hinge_keeps_its_spin(void **state) {
  int failures = 0;
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    char text[3000];
    SceneRun run;
    if (!cases[i].n) continue;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.02' gravity='0 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><Node name='body'>%s"
             "<MechanicalObject name='state' template='Rigid3' velocity='0 0 0 0 0 3'/>"
             "<UniformMass vertexMass='1 1 [1 0.1 0.4,0.1 2 0.3,0.4 0.3 3]'/>"
             "<PartialFixedProjectiveConstraint indices='0' fixedDirections='1 1 1 1 1 0'/>"
             "</Node></Node>",
             cases[i].xml);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 50);
    const double *v = scene_run_state(&run, "/body/state")->velocity.data;
    if (!(fabs(v[5] - 3) < 1e-9) || v[3] != 0 || v[4] != 0) {
      failures++;
      fprintf(stderr, "hinge, %.60s: spin %g %g %.15g\n", cases[i].xml, v[3], v[4], v[5]);
    }
    scene_run_close(&run);
  }
  assert_int_equal(failures, 0);
}

/* The hinge holds the body against w x I w, whose direction turns with the body. */
static void a_hinge_has_the_gyroscopic_torque(void **state) {
  SceneRun run;
  double momentum[3], torque[3];
  const double held[3] = {1.2, 0.9, 9}, spin[3] = {0, 0, 3};
  (void)state;
  scene_run_open(&run,
                 "<Node name='root' dt='1e-5' gravity='0 0 0'><DefaultAnimationLoop/>"
                 "<EulerImplicitSolver/>" LDL "<MechanicalObject name='state' template='Rigid3' "
                 "velocity='0 0 0 0 0 3'/>"
                 "<UniformMass vertexMass='1 1 [1 0.1 0.4,0.1 2 0.3,0.4 0.3 3]'/>"
                 "<PartialFixedProjectiveConstraint name='hinge' indices='0' "
                 "fixedDirections='1 1 1 1 1 0'/></Node>",
                 NULL);
  scene_run_steps(&run, 20);
  SofaObject *hinge = scene_run_object(&run, "/hinge");
  const SofaField *field = sofa_class_field(hinge->klass, "reactions");
  assert_int_equal(sofa_field_compute(hinge, field), SOFA_OK);
  sofa_quat_rotate(scene_run_state(&run, "/state")->position.data + 3, held, momentum);
  sofa_vec3_cross(spin, momentum, torque);
  const double *r = ((SofaProjective *)hinge)->reactions.data;
  if (!(hypot(r[3] - torque[0], r[4] - torque[1]) < 1e-3))
    fail_msg("torque %g %g instead of %g %g", r[3], r[4], torque[0], torque[1]);
  scene_run_close(&run);
}

/* Newton's iterations leave out how inertia turns; springs that are stiff do not slow them down. */
static void newton_converges_with_stiff_springs(void **state) {
  static const double stiffness[] = {0, 1e2, 1e4, 1e7};
  static const char *const linear[] = {LDL, "<EigenSparseLU/>",
                                       "<CGLinearSolver iterations='100' "
                                       "tolerance='1e-15' "
                                       "threshold='1e-40'/>"};
  (void)state;
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) {
      char text[2000];
      SceneRun run;
      if (lacks_gpl_part(linear[k])) continue;
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
               "<BDFOdeSolver order='2'/><NewtonRaphsonSolver maxNbIterationsNewton='15' "
               "relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='1e-12'/>"
               "%s<MechanicalObject name='state' template='Rigid3' velocity='0 0 0 2 20 6'/>"
               "<UniformMass vertexMass='1 1 [1 0.1 0,0.1 2 0.2,0 0.2 3]'/>"
               "<RestShapeSpringsForceField points='0' stiffness='%g' angularStiffness='%g'/>"
               "</Node>",
               linear[k], stiffness[i], stiffness[i]);
      scene_run_open(&run, text, NULL);
      scene_run_steps(&run, 10);
      if (run.n_problems) fail_msg("%s, stiffness %g: %s", linear[k], stiffness[i], run.last);
      scene_run_close(&run);
    }
}

/* ---- Euler's top ---- */

static const char top[] =
    "<Node name='root' dt='0.01' gravity='0 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MechanicalObject name='state' template='Rigid3' velocity='0 0 0 %.17g %.17g %.17g'/>"
    "<UniformMass vertexMass='1 1 [1 0 0,0 2 0,0 0 3]'/></Node></Node>";

/* The least of the direction cosines between the axis `k` of the body and its direction at the
 * start, over 20 s; *energy: the largest relative change. */
static double least_cosine(const char *solver, int k, double *energy) {
  char text[3000];
  double w[3] = {0.02, 0.02, 0.02}, least = 1, first = 0;
  SceneRun run;
  w[k] = 3;
  for (int c = 0; c < 3; c++) first += 0.5 * (c + 1) * w[c] * w[c];
  snprintf(text, sizeof text, top, solver, w[0], w[1], w[2]);
  scene_run_open(&run, text, NULL);
  const SofaState *s = scene_run_state(&run, "/body/state");
  *energy = 0;
  for (int i = 0; i < 2000; i++) {
    double axis[3] = {0}, spin[3], now = 0;
    scene_run_steps(&run, 1);
    axis[k] = 1;
    sofa_quat_rotate(s->position.data + 3, axis, axis);
    if (axis[k] < least) least = axis[k];
    sofa_quat_rotate_inverse(s->position.data + 3, s->velocity.data + 3, spin);
    for (int c = 0; c < 3; c++) now += 0.5 * (c + 1) * spin[c] * spin[c];
    *energy = fmax(*energy, fabs(now / first - 1));
  }
  scene_run_close(&run);
  return least;
}

/* Rotation about the axes of the least and the greatest moment is stable, about the middle one it
 * is not: the body flips over (Dzhanibekov). Energy of free bodies: see the solvers. */
static void the_three_axes(void **state) {
  static const struct {
    const char *xml;
    double energy;
  } solvers[] = {
      {"<EulerImplicitSolver/>" LDL, 1e-11},
      {"<EulerImplicitSolver trapezoidalScheme='1'/>" LDL, 2e-3},
      {"<EulerExplicitSolver/>", 1e-11},
      {"<CentralDifferenceSolver/>", 1e-11},
      {"<NewmarkImplicitSolver/>" LDL, 2e-3},
      {"<RungeKutta4Solver/>", 1e-6},
      {VARIATIONAL, 2e-3},
  };
  (void)state;
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++)
    for (int k = 0; k < 3; k++) {
      double energy = 0;
      const double least = least_cosine(solvers[i].xml, k, &energy);
      if (k == 1 ? least > -0.99 : least < 0.99)
        fail_msg("%s, axis %d: cosine %g", solvers[i].xml, k, least);
      if (!(energy < solvers[i].energy))
        fail_msg("%s, axis %d: energy changes by %g", solvers[i].xml, k, energy);
    }
}

/* The time of the flip, when the axis has turned over halfway, against the reference. */
static void the_flip_is_on_time(void **state) {
  static const char *const solvers[] = {"<EulerImplicitSolver/>" LDL, "<RungeKutta4Solver/>",
                                        "<NewmarkImplicitSolver/>" LDL, VARIATIONAL, BDF(2)};
  (void)state;
  /* moments 1, 2, 3 in their own axes: Euler's equations by the method of Runge and Kutta */
  double w[3] = {0.02, 3, 0.02}, expected = 0;
  const double h = 1e-4;
  for (; w[1] > 0; expected += h) {
    double k[4][3], y[3] = {w[0], w[1], w[2]};
    for (int s = 0; s < 4; s++) {
      k[s][0] = -y[1] * y[2], k[s][1] = y[2] * y[0], k[s][2] = -y[0] * y[1] / 3;
      for (int c = 0; c < 3; c++) y[c] = w[c] + h * (s == 2 ? 1 : 0.5) * k[s][c];
    }
    for (int c = 0; c < 3; c++) w[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
  }
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    char text[3000];
    double spin[3] = {0, 1, 0}, time = 0;
    SceneRun run;
    snprintf(text, sizeof text, top, solvers[i], 0.02, 3., 0.02);
    scene_run_open(&run, text, NULL);
    const SofaState *s = scene_run_state(&run, "/body/state");
    for (; spin[1] > 0 && time < 20; time += 0.01) {
      scene_run_steps(&run, 1);
      sofa_quat_rotate_inverse(s->position.data + 3, s->velocity.data + 3, spin);
    }
    if (fabs(time - expected) > 0.03)
      fail_msg("%s: flips after %g s, expected %g", solvers[i], time, expected);
    scene_run_close(&run);
  }
}

/* ---- quirks ---- */

static void open_quirky(SceneRun *run, const char *solver, double dt,
                        const SofaContextOptions *options) {
  char text[4000];
  const Body b = start();
  snprintf(text, sizeof text, scene, dt, solver, b.q[0], b.q[1], b.q[2], b.q[3], b.w[0], b.w[1],
           b.w[2], uniform, "");
  scene_run_open(run, text, options);
}

/* As in SOFA a free body keeps its angular velocity whatever its inertia. */
static void quirk_keeps_world_axes(void **state) {
  const SofaContextOptions options = {.quirks = true};
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    SceneRun run;
    if (!cases[i].n) continue;
    open_quirky(&run, cases[i].xml, 0.01, &options);
    scene_run_steps(&run, 40);
    const Body b = body_of(&run);
    scene_run_close(&run);
    if (!(sofa_vec3_distance(b.w, start_w) < 1e-12))
      fail_msg("%s: %g %g %g", cases[i].xml, b.w[0], b.w[1], b.w[2]);
  }
}

/* SOFA's slopes, one after the other, leave an error of second order. */
static void quirk_of_rk4(void **state) {
  const SofaContextOptions options = {.quirk_words = "rk4-rotations"};
  const Body first = start(), exact = reference(&first, false, span);
  double e[2];
  (void)state;
  for (int k = 0; k < 2; k++) {
    SceneRun run;
    const int n = k ? 120 : 60;
    open_quirky(&run, "<RungeKutta4Solver/>", span / n, &options);
    scene_run_steps(&run, n);
    const Body last = body_of(&run);
    e[k] = distance(&last, &exact, true);
    scene_run_close(&run);
  }
  assert_true(fabs(log2(e[0] / e[1]) - 2) < 0.25);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_has_a_case),
      cmocka_unit_test(orders_of_a_free_body),
      cmocka_unit_test(orders_of_a_heavy_top),
      cmocka_unit_test(angular_momentum_is_kept),
      cmocka_unit_test(coarse_newton_keeps_angular_momentum),
      cmocka_unit_test(fast_spins_are_bounded),
      cmocka_unit_test(stiff_springs_do_not_pump_energy),
      cmocka_unit_test(masses_turn),
      cmocka_unit_test(accelerations_invert_products),
      cmocka_unit_test(a_quarter_turn),
      cmocka_unit_test(a_hinge_keeps_its_spin),
      cmocka_unit_test(a_hinge_has_the_gyroscopic_torque),
      cmocka_unit_test(newton_converges_with_stiff_springs),
      cmocka_unit_test(the_three_axes),
      cmocka_unit_test(the_flip_is_on_time),
      cmocka_unit_test(quirk_keeps_world_axes),
      cmocka_unit_test(quirk_of_rk4),
  };
  return with_skipped(cmocka_run_group_tests(tests, NULL, NULL));
}
