/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The family of ODE solvers on systems with known solutions: orders of convergence, conserved
 * quantities, equilibria, refusals. */
#include "tests/support/scene_memory.h"
#include "tests/unit/simulation/integrators.h"

#include "components/odesolver/NewtonRaphsonSolver.h"
#include "numerics/time/bdf.h"
#include "scene/edit.h"
#include "simulation/convergence.h"

/* x(t) = 1 + 0.1 cos(omega t), omega^2 = k / m = 50. */
static const char oscillator[] =
    "<Node name='root' dt='%.17g' gravity='0 0 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MeshTopology position='0 0 0 1 0 0' edges='0 1'/>"
    "<MechanicalObject name='state' position='0 0 0 1.1 0 0' rest_position='0 0 0 1 0 0'/>"
    "<UniformMass vertexMass='2'/>"
    "<MeshSpringForceField stiffness='100' damping='0'/>"
    "<FixedProjectiveConstraint indices='0'/></Node></Node>";

static double end_position(const char *solver, double dt, int n, double *velocity) {
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, oscillator, dt, solver);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  const SofaState *s = scene_run_state(&run, "/body/state");
  const double x = s->position.data[3];
  if (velocity) *velocity = s->velocity.data[3];
  scene_run_close(&run);
  return x;
}

static double error(const char *solver, int n) {
  const double t = 0.4;
  return fabs(end_position(solver, t / n, n, NULL) - (1 + 0.1 * cos(sqrt(50) * t)));
}

static void assert_order(const char *solver, int n, double order) {
  const double measured = log2(error(solver, n) / error(solver, 2 * n));
  if (fabs(measured - order) > 0.12) fail_msg("%s: order %g, expected %g", solver, measured, order);
}

#define NEWTON                                                                                     \
  "<NewtonRaphsonSolver maxNbIterationsNewton='20' relativeSuccessiveStoppingThreshold='0' "       \
  "relativeInitialStoppingThreshold='0' absoluteResidualStoppingThreshold='1e-12'/>"

static void orders(void **state) {
  (void)state;
  assert_order("<EulerExplicitSolver symplectic='0'/>", 400, 1);
  assert_order("<EulerExplicitSolver/>", 400, 1);
  assert_order("<RungeKutta2Solver/>", 100, 2);
  assert_order("<RungeKutta4Solver/>", 50, 4);
  assert_order("<NewmarkImplicitSolver/><SparseLDLSolver/>", 100, 2);
  assert_order("<VariationalSymplecticSolver newtonError='1e-14' steps='20'/><SparseLDLSolver/>",
               100, 2);
  assert_order("<BDFOdeSolver order='1'/>" NEWTON "<SparseLDLSolver/>", 400, 1);
  assert_order("<BDFOdeSolver order='2'/>" NEWTON "<SparseLDLSolver/>", 200, 2);
}

/* The formulas differentiate polynomials up to their order exactly, also on uneven samples. */
static void bdf_formulas_are_exact_for_polynomials(void **state) {
  (void)state;
  const double t[7] = {0, 0.1, 0.25, 0.3, 0.5, 0.55, 0.7};
  for (int order = 1; order <= SOFA_BDF_MAX_ORDER; order++) {
    double a[SOFA_BDF_MAX_ORDER + 1], b;
    sofa_bdf_coefficients(order, t, a, &b);
    for (int degree = 0; degree <= order; degree++) {
      double sum = 0;
      for (int j = 0; j <= order; j++) sum += a[j] * pow(t[j], degree);
      const double h = t[order] - t[order - 1];
      const double slope = degree ? degree * pow(t[order], degree - 1) : 0;
      assert_true(fabs(sum - h * b * slope) < 1e-12);
    }
  }
}

static double energy(const char *solver, int n) {
  double v, x = end_position(solver, 0.02, n, &v);
  return 0.5 * 100 * (x - 1) * (x - 1) + 0.5 * 2 * v * v;
}

/* Average acceleration conserves the energy of a linear system exactly. */
static void newmark_conserves_energy(void **state) {
  (void)state;
  const double e0 = 0.5 * 100 * 0.01;
  assert_true(fabs(energy("<NewmarkImplicitSolver/><SparseLDLSolver/>", 1000) - e0) < 1e-9 * e0);
}

/* The variational integrator's energy error stays bounded, with the period of the motion. */
static void variational_energy_is_bounded(void **state) {
  (void)state;
  char text[2000];
  SceneRun run;
  double most = 0;
  snprintf(text, sizeof text, oscillator, 0.02,
           "<VariationalSymplecticSolver newtonError='1e-13' steps='10'/><SparseLDLSolver/>");
  scene_run_open(&run, text, NULL);
  for (int i = 0; i < 20000; i++) {
    scene_run_steps(&run, 1);
    const SofaState *s = scene_run_state(&run, "/body/state");
    const double x = s->position.data[3] - 1;
    if (fabs(x) > most) most = fabs(x);
  }
  scene_run_close(&run);
  assert_true(fabs(most - 0.1) < 2e-4); /* the amplitude neither grows nor decays */
}

#define CARIBOU_CG "<ConjugateGradientSolver residual_tolerance_threshold='1e-14'/>"
/* Hanging mass: k (x - 1) = m g. */
static const char *const statics[] = {
    ("<StaticSolver/>" NEWTON LDL),
    ("<StaticEquilibriumIntegrationScheme residueThreshold='1e-24'/>" LDL),
    ("<StaticODESolver " CARIBOU "/>" LDLT),
    ("<StaticODESolver " CARIBOU "/>" CARIBOU_CG),
    ("<LegacyStaticODESolver newton_iterations='20' correction_tolerance_threshold='1e-14'/>" LDL),
    ("<PathFollowingSolver initialLoadFactor='1' loadIncrement='0'/>" LDL)};

static void hang(const char *solver, SceneRun *run) {
  char text[2000];
  snprintf(text, sizeof text, oscillator, 0.01, solver);
  char *gravity = strstr(text, "gravity='0 0 0'");
  memcpy(gravity, "gravity='5 0 0'", 15);
  scene_run_open(run, text, NULL);
  scene_run_steps(run, 1);
}

static void static_equilibrium(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof statics / sizeof *statics; i++) {
    SceneRun run;
    hang(statics[i], &run);
    const SofaState *s = scene_run_state(&run, "/body/state");
    if (!(fabs(s->position.data[3] - (1 + 2 * 5 / 100.)) < 1e-12))
      fail_msg("%s: %.17g", statics[i], s->position.data[3]);
    assert_true(s->velocity.data[3] == 0);
    scene_run_close(&run);
  }
  for (int i = 0; static_solvers[i]; i++) {
    bool found = false;
    for (size_t k = 0; k < sizeof statics / sizeof *statics; k++)
      found |= starts_with_tag(statics[k], static_solvers[i]);
    if (!found) fail_msg("%s has no row", static_solvers[i]);
  }
}

static void status_of_newton(void **state) {
  (void)state;
  SceneRun run;
  hang(statics[0], &run);
  const SofaObject *newton = scene_run_object(&run, "/body/NewtonRaphsonSolver1");
  SofaText status = {0};
  assert_int_equal(sofa_field_print(newton, sofa_class_field(newton->klass, "status"), &status),
                   SOFA_OK);
  assert_non_null(strstr(status.data, "Converged"));
  sofa_list_free(run.ctx, &status);
  scene_run_close(&run);
}

/* updateStateWhenDiverged="0": where it did not converge nothing moves, but in SOFA's way. */
typedef struct Solves {
  int n;
} Solves;

static void count_solves(void *user, const SofaConvergenceRow *row) {
  if (row->kind == SOFA_CONVERGENCE_LINEAR) ((Solves *)user)->n++;
}

static void states_of_diverged_runs(void **state) {
  (void)state;
#define SHORT(update)                                                                              \
  "<NewtonRaphsonSolver maxNbIterationsNewton='1' relativeSuccessiveStoppingThreshold='0' "        \
  "relativeInitialStoppingThreshold='0' absoluteResidualStoppingThreshold='1e-300' "               \
  "warnWhenDiverge='0' updateStateWhenDiverged='" update "'/>"
  static const char *const solvers[][2] = {
      {"<StaticSolver/>" SHORT("0") LDL, "<StaticSolver/>" SHORT("1") LDL},
      {"<BDFOdeSolver order='1'/>" SHORT("0") LDL, "<BDFOdeSolver order='1'/>" SHORT("1") LDL},
      {"<BDFOdeSolver order='3'/>" SHORT("0") LDL, "<BDFOdeSolver order='3'/>" SHORT("1") LDL}};
  for (size_t k = 0; k < 3; k++) {
    for (int way = 0; way < 3; way++) { /* kept back; moved; kept back, with the quirk */
      char text[2000];
      SceneRun run;
      const SofaContextOptions options = {.quirks = way == 2};
      /* a turning spring, so that one iteration is not enough */
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.02' gravity='0 -20 0'><DefaultAnimationLoop/>"
               "<DefaultVisualManagerLoop/><Node name='body'>%s"
               "<MeshTopology position='0 0 0 1 0 0 0.5 1 0' edges='0 1 1 2'/>"
               "<MechanicalObject name='state' position='0 0 0 1.2 0.1 0 0.5 1 0' "
               "rest_position='0 0 0 1 0 0 0.5 1 0'/><UniformMass vertexMass='2'/>"
               "<MeshSpringForceField stiffness='100' damping='0'/>"
               "<FixedProjectiveConstraint indices='0 2'/></Node></Node>",
               solvers[k][way == 1]);
      scene_run_open(&run, text, &options);
      scene_run_steps(&run, 1);
      const double *x = scene_run_state(&run, "/body/state")->position.data;
      const double *v = scene_run_state(&run, "/body/state")->velocity.data;
      const bool moved = x[3] != 1.2 || x[4] != 0.1 || v[3] != 0 || v[4] != 0;
      if (moved != (way > 0)) fail_msg("%s, quirks %d", solvers[k][way == 1], way == 2);
      scene_run_close(&run);
    }
  }
}

/* A hanging body of a millimetre with loads of 1e-7 N: the loads say what is small, in newton or
 * not. SOFA's 1e-5 N accepts the start. */
static void small_bodies(void **state) {
  (void)state;
  static const char *const solvers[] = {"<StaticSolver/>", "<BDFOdeSolver order='1'/>"};
  for (size_t k = 0; k < 2; k++) {
    double y[2], start = 0;
    for (int quirk = 0; quirk < 2; quirk++) {
      char text[2000];
      SceneRun run;
      const SofaContextOptions options = {.quirk_words = quirk ? "newton-absolute-residual" : NULL};
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/>"
               "<DefaultVisualManagerLoop/><Node name='body'>%s"
               "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='20'/>" LDL
               "<RegularGridTopology n='3 2 2' min='0 0 0' max='0.002 0.001 0.001'/>"
               "<MechanicalObject name='state'/><UniformMass totalMass='1e-8'/>"
               "<HexahedronFEMForceField youngModulus='100' poissonRatio='0.3'/>"
               "<FixedProjectiveConstraint indices='0 3 6 9'/></Node></Node>",
               solvers[k]);
      scene_run_open(&run, text, &options);
      const double *x = scene_run_state(&run, "/body/state")->position.data;
      start = x[7];
      scene_run_steps(&run, 3);
      x = scene_run_state(&run, "/body/state")->position.data;
      y[quirk] = x[7] - start;
      scene_run_close(&run);
    }
    assert_true(y[0] < -1e-9); /* hangs */
    if (k == 0) assert_true(y[1] == 0);
  }
}

/* Without a load there is nothing to do: the state stays, to the bit. */
static void rest_needs_no_iteration(void **state) {
  (void)state;
  static const char *const solvers[] = {
      "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='50' "
      "absoluteResidualStoppingThreshold='0' relativeInitialStoppingThreshold='1e-12' "
      "relativeSuccessiveStoppingThreshold='0'/>" LDL,
      "<BDFOdeSolver order='2'/><NewtonRaphsonSolver maxNbIterationsNewton='50' "
      "absoluteResidualStoppingThreshold='0' relativeInitialStoppingThreshold='1e-12' "
      "relativeSuccessiveStoppingThreshold='0'/>" LDL,
      "<VariationalSymplecticSolver steps='50' newtonError='0' computeHamiltonian='0'/>" LDL,
      "<StaticODESolver newton_iterations='50' absolute_residual_tolerance_threshold='0' "
      "residual_tolerance_threshold='1e-12' correction_tolerance_threshold='0'/><LDLTSolver/>",
      "<LegacyStaticODESolver newton_iterations='50' residual_tolerance_threshold='1e-12' "
      "correction_tolerance_threshold='0'/><LDLTSolver/>",
      "<BackwardEulerODESolver newton_iterations='50' absolute_residual_tolerance_threshold='0' "
      "residual_tolerance_threshold='1e-12' correction_tolerance_threshold='0'/><LDLTSolver/>"};
  static const char *const fields[] = {
      "<MeshSpringForceField stiffness='100' damping='0'/>",
      "<HexahedronFEMForceField youngModulus='1e5' poissonRatio='0.3' method='polar'/>",
      "<HexahedronFEMForceField youngModulus='1e5' poissonRatio='0.3' method='large'/>"};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++)
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      char text[2000];
      SceneRun run;
      Solves solves = {0};
      const SofaOrigin origin = {.emitter = "test"};
      memset(&run, 0, sizeof run);
      scene_run_context(&run, NULL);
      assert_int_equal(sofa_plugin_load(run.ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
               "<DefaultVisualManagerLoop/><Node name='body'>%s"
               "<RegularGridTopology n='3 2 2' min='0.1 0 0' max='0.3 0.1 0.1'/>"
               "<MechanicalObject name='state'/><UniformMass totalMass='1'/>%s"
               "<FixedProjectiveConstraint indices='0 3 6 9'/></Node></Node>",
               solvers[k], fields[f]);
      assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
      assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
      const SofaConvergence observer = {count_solves, &solves};
      sofa_convergence_observe(run.ctx, &observer);
      scene_run_steps(&run, 2);
      if (run.n_problems || solves.n)
        fail_msg("%s\n%s: %d solves", solvers[k], fields[f], solves.n);
      scene_run_close(&run);
    }
}

static void damping_of_velocities(void **state) {
  (void)state;
  double free_v, damped_v;
  end_position("<EulerExplicitSolver/>", 0.01, 1, &free_v);
  end_position("<EulerExplicitSolver/><DampVelocitySolver rate='3'/>", 0.01, 1, &damped_v);
  assert_true(fabs(damped_v - free_v * exp(-0.03)) < 1e-15);
  end_position("<EulerExplicitSolver/><DampVelocitySolver threshold='10'/>", 0.01, 1, &damped_v);
  assert_true(damped_v == 0);
}

static void refused(const char *solver, const char *message) {
  char text[2000];
  SceneRun run = {.quiet = true};
  snprintf(text, sizeof text, oscillator, 0.01, solver);
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, message)) fail_msg("%s: '%s'", solver, run.all);
  scene_run_close(&run);
}

/* One warning, and the step is made. */
static void warns(const char *solver, const char *message) {
  char text[2000];
  SceneRun run = {.quiet = true};
  snprintf(text, sizeof text, oscillator, 0.01, solver);
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
  if (run.n_problems != 1 || !strstr(run.all, message)) fail_msg("%s: '%s'", solver, run.all);
  scene_run_close(&run);
}

static void warnings(void **state) {
  (void)state;
  warns("<BDFOdeSolver order='0'/>" NEWTON "<SparseLDLSolver/>", "order 0: 1 is used");
  warns("<StaticSolver/><NewtonRaphsonSolver maxNbIterationsLineSearch='0'/><SparseLDLSolver/>",
        "'maxNbIterationsLineSearch': 0, 1 is used");
  warns("<VariationalSymplecticSolver explicitIntegration='1' rayleighStiffness='0.1'/>",
        "rayleighStiffness has no effect with explicitIntegration");
  warns("<VariationalSymplecticSolver explicitIntegration='1' saveEnergyInFile='1'/>",
        "saveEnergyInFile without a name in 'file'");
}

typedef struct Infos {
  char text[2000];
} Infos;

static void hear_infos(void *user, const SofaMessage *m) {
  Infos *heard = user;
  const size_t n = strlen(heard->text);
  if (m->severity == SOFA_INFO && m->origin.path && strncmp(m->origin.path, "/body/", 6) == 0)
    snprintf(heard->text + n, sizeof heard->text - n, "%s\n", m->text);
}

static void step_hearing(const char *solver, Infos *heard) {
  char text[2000];
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  const SofaContextOptions options = {.sink = hear_infos, .sink_user = heard};
  heard->text[0] = '\0';
  snprintf(text, sizeof text, oscillator, 0.01, solver);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(ctx, text, &simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_step(simulation, 0), SOFA_OK);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
}

/* Solvers speak with printLog alone. */
static void print_log(void **state) {
  (void)state;
  static const struct {
    const char *quiet, *loud, *text;
  } rows[] = {
      {"<EulerImplicitSolver/>" LDL, "<EulerImplicitSolver printLog='1'/>" LDL, "t = 0 s: |b| "},
      {"<EulerImplicitSolver/><CGLinearSolver iterations='9' tolerance='1e-12' threshold='1e-30'/>",
       "<EulerImplicitSolver printLog='1'/><CGLinearSolver iterations='9' tolerance='1e-12' "
       "threshold='1e-30'/>",
       " linear iterations, |r|/|b| "},
      {"<EulerImplicitSolver computeResidual='1'/>" LDL,
       "<EulerImplicitSolver computeResidual='1' printLog='1'/>" LDL, "residual "},
      {"<StaticSolver/>" NEWTON LDL,
       "<StaticSolver/><NewtonRaphsonSolver printLog='1' maxNbIterationsNewton='9'/>" LDL,
       "Newton 1: "},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    Infos heard;
    step_hearing(rows[k].quiet, &heard);
    if (heard.text[0]) fail_msg("%s says '%s'", rows[k].quiet, heard.text);
    step_hearing(rows[k].loud, &heard);
    if (!strstr(heard.text, rows[k].text)) fail_msg("%s says '%s'", rows[k].loud, heard.text);
  }
}

/* `solveConstraint` says that it does nothing where there is no constraint solver, and only there.
 */
static void solvers_of_constraints(void **state) {
  (void)state;
  static const char *const solvers[] = {
      "<EulerImplicitSolver printLog='1'/>" LDL,
      "<EulerImplicitSolver printLog='1' solveConstraint='1'/>" LDL,
      "<EulerImplicitSolver printLog='1' solveConstraint='1'/>" LDL
      "<BlockGaussSeidelConstraintSolver/>",
      "<EulerImplicitSolver printLog='1' solveConstraint='1'/>" LDL
      "<Node><BlockGaussSeidelConstraintSolver/></Node>"};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    Infos heard;
    step_hearing(solvers[k], &heard);
    assert_true((strstr(heard.text, "there is no constraint solver") != NULL) == (k == 1));
  }
}

static void refusals(void **state) {
  (void)state;
  refused("<BDFOdeSolver order='7'/>" NEWTON "<SparseLDLSolver/>", "expected in [0, 6]");
  refused("<BDFOdeSolver/><SparseLDLSolver/>", "no NewtonRaphsonSolver");
  refused("<NewmarkImplicitSolver gamma='2'/><SparseLDLSolver/>", "expected in [0, 1]");
  refused("<NewmarkImplicitSolver/>", "no linear solver");
  refused("<StaticSolver/>", "no linear solver");
  refused("<VariationalSymplecticSolver/>", "no linear solver");
  refused("<VariationalSymplecticSolver steps='0'/><SparseLDLSolver/>", "expected >= 1");
}

/* Velocities shrink by exp(-rate h) in every state; points slower than the threshold stop. */
static void damped_velocities(void **state) {
  (void)state;
  const double factor = exp(-2 * 0.1);
  const double v[2][6] = {{0.3 / factor, 0, 0.39 / factor, 0.3 / factor, 0.41 / factor, 0},
                          {0.1 / factor, 0.2 / factor, 0.46 / factor, 0, 0.49 / factor, 0}};
  const double expected[2][6] = {{0, 0, 0, 0.3, 0.41, 0}, {0.1, 0.2, 0.46, 0, 0, 0}};
  SceneRun run;
  char text[2000];
  size_t n = 0;
  n += (size_t)snprintf(text, sizeof text,
                        "<Node dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
                        "<DefaultVisualManagerLoop/><EulerExplicitSolver/>"
                        "<DampVelocitySolver rate='2' threshold='0.5'/>");
  for (int k = 0; k < 2; k++) {
    n += (size_t)snprintf(text + n, sizeof text - n,
                          "<Node name='n%d'><MechanicalObject name='s' position='1 2 3 4 5 6' "
                          "velocity='",
                          k);
    for (int i = 0; i < 6; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%.17g ", v[k][i]);
    n += (size_t)snprintf(text + n, sizeof text - n, "'/><UniformMass vertexMass='1'/></Node>");
  }
  snprintf(text + n, sizeof text - n, "</Node>");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  for (int k = 0; k < 2; k++) {
    const SofaState *s = scene_run_state(&run, k ? "/n1/s" : "/n0/s");
    for (int i = 0; i < 6; i++) assert_true(fabs(s->velocity.data[i] - expected[k][i]) < 1e-15);
  }
  scene_run_close(&run);
}

/* Each older attribute of StaticSolver is that of NewtonRaphsonSolver. */
static void older_attributes(void **state) {
  (void)state;
  static const struct {
    const char *old, *now, *value;
  } rows[] = {
      {"newton_iterations", "maxNbIterationsNewton", "7"},
      {"absolute_correction_tolerance_threshold", "absoluteEstimateDifferenceThreshold", "0.125"},
      {"relative_correction_tolerance_threshold", "relativeEstimateDifferenceThreshold", "0.25"},
      {"absolute_residual_tolerance_threshold", "absoluteResidualStoppingThreshold", "0.5"},
      {"relative_residual_tolerance_threshold", "relativeInitialStoppingThreshold", "0.0625"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char solver[200], text[2000];
    SceneRun run = {.quiet = true};
    snprintf(solver, sizeof solver, "<StaticSolver %s='%s'/>" LDL, rows[k].old, rows[k].value);
    snprintf(text, sizeof text, oscillator, 0.01, solver);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    const SofaObject *newton = scene_run_object(&run, "/body/newtonSolver");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      SofaText value = {0};
      const SofaField *field = sofa_class_field(newton->klass, rows[i].now);
      assert_int_equal(sofa_field_print(newton, field, &value), SOFA_OK);
      if ((strcmp(value.data, rows[i].value) == 0) != (i == k))
        fail_msg("%s: %s is %s", solver, rows[i].now, value.data);
      sofa_list_free(run.ctx, &value);
    }
    scene_run_close(&run);
  }
}

/* A mass of 1 kg, and one of 2 kg below a mapping: together they fall with g. */
static SofaErr fall_with_child(const char *solver, const char *quirks, SceneRun *run, double *v) {
  char text[2000];
  const SofaContextOptions options = {.quirk_words = quirks};
  run->quiet = true;
  snprintf(text, sizeof text,
           "<Node dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s"
           "<MechanicalObject name='s'/><UniformMass totalMass='1'/><Node name='below'>"
           "<MechanicalObject/><IdentityMapping/><UniformMass totalMass='2'/></Node></Node>",
           solver);
  scene_run_context(run, &options);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
  const SofaErr err = sofa_simulation_step(run->simulation, 0);
  *v = scene_run_state(run, "/s")->velocity.data[1];
  return err;
}

/* Explicit solvers that divide by masses refuse it, or with the quirk have its weight alone. */
static void masses_below_mappings(void **state) {
  (void)state;
  static const struct {
    const char *solver;
    bool divides;
  } rows[] = {{"<CentralDifferenceSolver/>", true},
              {"<RungeKutta2Solver/>", true},
              {"<RungeKutta4Solver/>", true},
              {"<VariationalSymplecticSolver explicitIntegration='1'/>", true},
              {"<EulerExplicitSolver/>" LDL, false},
              {"<EulerImplicitSolver/>" LDL, false},
              {"<NewmarkImplicitSolver/>" LDL, false}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    for (int quirk = 0; quirk < 1 + rows[k].divides; quirk++) {
      SceneRun run = {0};
      double v = 0;
      const SofaErr err =
          fall_with_child(rows[k].solver, quirk ? "mass-below-mapping" : NULL, &run, &v);
      if (rows[k].divides && !quirk) {
        if (err == SOFA_OK || !strstr(run.all, "is below a mapping"))
          fail_msg("%s: %s", rows[k].solver, run.all);
      } else if (err != SOFA_OK || !(fabs(v - (quirk ? -3 : -1)) < 1e-9)) {
        fail_msg("%s: v = %g %s", rows[k].solver, v, run.all);
      }
      scene_run_close(&run);
    }
  }
}

/* ---- names of newer versions of SOFA ---- */

#define HANGING                                                                                    \
  "<Node name='root' dt='0.01' gravity='0 -10 0'><DefaultAnimationLoop/><Node name='body'>%s" LDL  \
  "<RegularGridTopology n='3 2 2' min='0 0 0' max='0.2 0.1 0.1'/>"                                 \
  "<MechanicalObject name='state'/><UniformMass totalMass='1'/>"                                   \
  "<HexahedronFEMForceField youngModulus='%g' poissonRatio='0.3' method='large'/>"                 \
  "<FixedProjectiveConstraint indices='0 3 6 9'/></Node></Node>"

static double hangs_softly(const char *solver, double young, int steps) {
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, HANGING, solver, young);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, steps);
  const double y = scene_run_state(&run, "/body/state")->position.data[7];
  scene_run_close(&run);
  return y;
}

static double hangs(const char *solver, int steps) {
  return hangs_softly(solver, 2e4, steps);
}

/* The rules of the scheme are those of a NewtonRaphsonSolver, to the bit. */
static void rules_of_the_static_scheme(void **state) {
  (void)state;
#define OFF "relativeSuccessiveStoppingThreshold='0' relativeInitialStoppingThreshold='0' "
  static const char *const pairs[][2] = {
      {"<StaticEquilibriumIntegrationScheme/>",
       "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='10' " OFF
       "absoluteResidualStoppingThreshold='3.1622776601683795e-5' maxNbIterationsLineSearch='2'/>"},
      {"<StaticEquilibriumIntegrationScheme maxNbIterationsNewton='2'/>",
       "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='2' " OFF
       "absoluteResidualStoppingThreshold='3.1622776601683795e-5' maxNbIterationsLineSearch='2'/>"},
      {"<StaticEquilibriumIntegrationScheme maxNbIterationsNewton='20' residueThreshold='0.25' "
       "maxNbIterationsLineSearch='4' lineSearchReductionRate='0.25'/>",
       "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='20' " OFF
       "absoluteResidualStoppingThreshold='0.5' maxNbIterationsLineSearch='5' "
       "lineSearchCoefficient='0.75'/>"}};
  double y[3];
  for (size_t k = 0; k < 3; k++) {
    y[k] = hangs(pairs[k][0], 1);
    const double expected = hangs(pairs[k][1], 1);
    if (y[k] != expected) fail_msg("%s: %.17g, expected %.17g", pairs[k][0], y[k], expected);
  }
  assert_true(y[0] < -1e-4);                 // it hangs
  assert_true(y[1] != y[0] && y[2] != y[0]); // the rules matter
  // a full step and so many reductions: each number has another motion where Newton overshoots
  double reduced[3];
  for (int k = 0; k < 3; k++) {
    char scheme[200], newton[300];
    snprintf(scheme, sizeof scheme,
             "<StaticEquilibriumIntegrationScheme maxNbIterationsNewton='3' "
             "maxNbIterationsLineSearch='%d'/>",
             k);
    snprintf(newton, sizeof newton,
             "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='3' " OFF
             "absoluteResidualStoppingThreshold='3.1622776601683795e-5' "
             "maxNbIterationsLineSearch='%d'/>",
             k + 1);
    reduced[k] = hangs_softly(scheme, 2000, 1);
    assert_true(reduced[k] == hangs_softly(newton, 2000, 1));
  }
  assert_true(reduced[0] != reduced[1] && reduced[1] != reduced[2]);
  // and each rate of reduction
  for (int k = 0; k < 3; k++) {
    char scheme[200], newton[300];
    const double rate = 0.3 + 0.2 * k;
    snprintf(scheme, sizeof scheme,
             "<StaticEquilibriumIntegrationScheme maxNbIterationsNewton='3' "
             "maxNbIterationsLineSearch='2' lineSearchReductionRate='%.17g'/>",
             rate);
    snprintf(newton, sizeof newton,
             "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='3' " OFF
             "absoluteResidualStoppingThreshold='3.1622776601683795e-5' "
             "maxNbIterationsLineSearch='3' lineSearchCoefficient='%.17g'/>",
             1 - rate);
    reduced[k] = hangs_softly(scheme, 2000, 1);
    assert_true(reduced[k] == hangs_softly(newton, 2000, 1));
  }
  assert_true(reduced[0] != reduced[1] && reduced[1] != reduced[2]);
  // the residual in N, whatever the loads are: each bound ends at another iteration
  for (int k = 0; k < 6; k++) {
    char scheme[200], newton[300];
    const double bound = pow(10, 1 - 2 * k);
    snprintf(scheme, sizeof scheme,
             "<StaticEquilibriumIntegrationScheme maxNbIterationsNewton='30' "
             "residueThreshold='%.17g'/>",
             bound * bound);
    snprintf(newton, sizeof newton,
             "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='30' " OFF
             "absoluteResidualStoppingThreshold='%.17g' maxNbIterationsLineSearch='2'/>",
             bound);
    assert_true(hangs_softly(scheme, 2000, 1) == hangs_softly(newton, 2000, 1));
  }
  // a NewtonRaphsonSolver of the node belongs to others
  assert_true(hangs("<StaticEquilibriumIntegrationScheme/>"
                    "<NewtonRaphsonSolver name='other' maxNbIterationsNewton='1'/>",
                    1) == y[0]);
}

static void fields_of_the_static_scheme(void **state) {
  (void)state;
  static const char *const refused[][2] = {
      {"<StaticEquilibriumIntegrationScheme newtonStepSize='2'/>",
       "field 'newtonStepSize': 2 is not supported yet"},
      {"<NewtonRaphsonSolver name='n'/><StaticEquilibriumIntegrationScheme newtonSolver='@n'/>",
       "field 'newtonSolver': this scheme has stopping rules of its own"}};
  for (size_t k = 0; k < 2; k++) {
    char text[2000];
    SceneRun run = {.quiet = true};
    snprintf(text, sizeof text, HANGING, refused[k][0], 2e4);
    scene_run_context(&run, NULL);
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_not_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    if (!strstr(run.all, refused[k][1])) fail_msg("%s: %s", refused[k][0], run.all);
    scene_run_close(&run);
  }
  // a change between steps
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, HANGING,
           "<StaticEquilibriumIntegrationScheme name='s' maxNbIterationsNewton='1'/>", 2e4);
  scene_run_open(&run, text, NULL);
  SofaObject *scheme = scene_run_object(&run, "/body/s");
  const NewtonRaphsonSolver *newton =
      (NewtonRaphsonSolver *)scene_run_object(&run, "/body/newtonSolver");
  assert_int_equal(newton->criteria.iterations, 1);
  assert_int_equal(sofa_edit(&scheme, "maxNbIterationsNewton", "7"), SOFA_OK);
  assert_int_equal(newton->criteria.iterations, 7);
  scene_run_close(&run);
}

static void static_scheme_without_memory(void **state) {
  (void)state;
  char text[2000];
  snprintf(text, sizeof text, HANGING, "<StaticEquilibriumIntegrationScheme/>", 2e4);
  scene_runs_without_memory("StaticEquilibriumIntegrationScheme", text, 1, 20);
}

static void newer_names(void **state) {
  (void)state;
  static const char *const names[][2] = {
      {"EulerImplicitIntegrationScheme", "EulerImplicitSolver"},
      {"NewmarkIntegrationScheme", "NewmarkImplicitSolver"},
      {"EulerExplicitIntegrationScheme", "EulerExplicitSolver"},
      {"RungeKutta2IntegrationScheme", "RungeKutta2Solver"},
      {"RungeKutta4IntegrationScheme", "RungeKutta4Solver"},
      {"CentralDifferenceIntegrationScheme", "CentralDifferenceSolver"}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    double x[2];
    for (int i = 0; i < 2; i++) {
      char solver[100];
      snprintf(solver, sizeof solver, "<%s/>%s", names[k][i], k < 2 ? LDL : "");
      x[i] = end_position(solver, 0.01, 10, NULL);
    }
    if (x[0] != x[1]) fail_msg("%s: %.17g, expected %.17g", names[k][0], x[0], x[1]);
  }
}

/* ---- starts of linear solves ---- */

static void see_start(void *user, const SofaConvergenceRow *row) {
  int *n = user;
  if (row->kind != SOFA_CONVERGENCE_ITERATION || row->iteration > 0) return;
  if (fabs(row->relative_residual - 1) > 1e-12)
    fail_msg("solve %d begins at |r|/|b| = %g", *n, row->relative_residual);
  ++*n;
}

/* A correction of Newton's is not near the one before, which is longer by far: BDFOdeSolver's
 * linear solves begin at 0, |r| = |b|, with solvers that begin where they are told, too. */
static void corrections_begin_at_zero(void **state) {
  (void)state;
  SceneRun run;
  int n = 0;
  const SofaConvergence observer = {.row = see_start, .user = &n};
  scene_run_open(&run,
                 "<Node name='root' dt='0.1' gravity='0 -10 0'><DefaultAnimationLoop/>"
                 "<BDFOdeSolver/><NewtonRaphsonSolver maxNbIterationsNewton='4' "
                 "warnWhenDiverge='0' relativeInitialStoppingThreshold='0' "
                 "relativeSuccessiveStoppingThreshold='0' absoluteResidualStoppingThreshold='0'/>"
                 "<CGLinearSolver warmStart='1' iterations='50' tolerance='1e-12' threshold='0'/>"
                 "<MeshTopology position='0 0 0 1 0 0 2 0 0' lines='0 1 1 2'/>"
                 "<MechanicalObject/><UniformMass vertexMass='1'/><MeshSpringForceField "
                 "linesStiffness='200'/><FixedProjectiveConstraint indices='0'/></Node>",
                 NULL);
  sofa_convergence_observe(run.ctx, &observer);
  scene_run_steps(&run, 2);
  assert_int_equal(n, 8);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_of_the_static_scheme),
      cmocka_unit_test(fields_of_the_static_scheme),
      cmocka_unit_test(static_scheme_without_memory),
      cmocka_unit_test(newer_names),
      cmocka_unit_test(damped_velocities),
      cmocka_unit_test(orders),
      cmocka_unit_test(bdf_formulas_are_exact_for_polynomials),
      cmocka_unit_test(newmark_conserves_energy),
      cmocka_unit_test(variational_energy_is_bounded),
      cmocka_unit_test(static_equilibrium),
      cmocka_unit_test(status_of_newton),
      cmocka_unit_test(states_of_diverged_runs),
      cmocka_unit_test(small_bodies),
      cmocka_unit_test(rest_needs_no_iteration),
      cmocka_unit_test(damping_of_velocities),
      cmocka_unit_test(refusals),
      cmocka_unit_test(warnings),
      cmocka_unit_test(print_log),
      cmocka_unit_test(solvers_of_constraints),
      cmocka_unit_test(masses_below_mappings),
      cmocka_unit_test(older_attributes),
      cmocka_unit_test(corrections_begin_at_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
