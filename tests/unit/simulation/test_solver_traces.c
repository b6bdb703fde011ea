/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every ODE solver with each of its attributes on some small scenes: the iterations, messages,
 * output fields and states of three steps are those of solver_traces.txt. A trace that changes on
 * purpose is recorded again: CSOFA_RECORD=FILE writes what was found. The closed forms and orders
 * of the other tests say that the recorded numbers are right. */
#include "tests/unit/simulation/integrators.h"
#include "tests/support/trace.h"

#include "simulation/convergence.h"

enum { MOST_TEXT = 2000000 };

/* ---- scenes ---- */

#define HEAD                                                                                       \
  "<Node name='root' dt='0.05' gravity='0.5 -4 1'>" PLUGIN                                         \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s"

/* A cable with dampers, of whose forces only iterations have the derivative, a point that is moved
 * and one that is held. */
static const char cable[] = HEAD
    "<MechanicalObject name='state' position='0 0 0  1 0 0  2 0.1 0  3 0 0.2' "
    "velocity='0 0 0  0.3 0 1  0 2 0  0 0 0'/><UniformMass vertexMass='0.5'/>"
    "<StiffSpringForceField spring='0 1 80 0.7 0.9  1 2 60 0.5 1  2 3 90 0.4 1.1'/>"
    "<UniformVelocityDampingForceField dampingCoefficient='0.4' implicit='0'/>"
    "<FixedProjectiveConstraint indices='0'/>"
    "<LinearMovementProjectiveConstraint indices='3' keyTimes='0 1' movements='0 0 0 0.5 0 1'/>"
    "</Node>";
/* Frames with springs and Rayleigh factors of their own. */
static const char frames[] = HEAD
    "<MechanicalObject name='state' template='Rigid3d' "
    "position='0 0 0 0.1 0.2 0.3 0.927  3 1 0 0.5 0.5 0.5 0.5' "
    "velocity='1 0 2 0.3 2 -1  0 0 0 3 0.1 0.2' rest_position='0.1 0 0 0 0 0 1  3 1 0.2 0 0 0 1'/>"
    "<UniformMass vertexMass='2 1 [1 0.1 0, 0.1 2 0.2, 0 0.2 3]' rayleighMass='0.1'/>"
    "<RestShapeSpringsForceField stiffness='20' angularStiffness='9' rayleighStiffness='0.02'/>"
    "</Node>";
/* A spring below a linear mapping. */
static const char mapped[] = HEAD
    "<MechanicalObject name='state' position='0 0 0  1 0 0  2 0.1 0' velocity='1 0 0 0 1 0 0 0 2'/>"
    "<UniformMass vertexMass='0.5' separateGravity='1'/><RestShapeSpringsForceField "
    "stiffness='40'/><Node name='below'><MechanicalObject name='state'/>"
    "<SubsetMapping indices='2 0'/><SpringForceField spring='0 1 30 0.3 1'/></Node></Node>";
/* Masses that frames carry. */
static const char carried[] =
    HEAD "<MechanicalObject name='state' template='Rigid3d' "
         "position='0 0 0 0.1 0.2 0.3 0.927  3 1 0 0.5 0.5 0.5 0.5' "
         "velocity='1 0 2 0.3 2 -1  0 0 0 3 0.1 0.2'/><UniformMass vertexMass='2 1 [1 0 0,0 2 0,0 "
         "0 3]'/>"
         "<RestShapeSpringsForceField stiffness='20' angularStiffness='9'/><Node name='below'>"
         "<MechanicalObject name='state' position='1 0 0  0 2 1'/><RigidMapping "
         "rigidIndexPerPoint='0 1'/>"
         "<UniformMass vertexMass='0.3'/></Node></Node>";
/* A mass that is not diagonal. */
static const char elements[] =
    HEAD "<MeshTopology name='mesh' position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' "
         "tetrahedra='0 1 2 3 1 2 3 4'/><MechanicalObject name='state' position='@mesh.position' "
         "velocity='0 0 0 0 1 0 0 0 1 0.5 0 0 1 1 1'/><MeshMatrixMass massDensity='2'/>"
         "<TetrahedronFEMForceField youngModulus='50' poissonRatio='0.3'/>"
         "<FixedProjectiveConstraint indices='0 1 2'/></Node>";

typedef struct Scene {
  const char *name, *text;
} Scene;

static const Scene scenes[] = {{"cable", cable},
                               {"frames", frames},
                               {"mapped", mapped},
                               {"carried", carried},
                               {"elements", elements}};

/* ---- solvers ---- */

#define DAMPED " rayleighMass='0.3' rayleighStiffness='0.04'"
#define BY_MASS " rayleighMass='0.3'"
#define BY_STIFFNESS " rayleighStiffness='0.04'"
#define FIRST_NEWTON(attributes)                                                                   \
  "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='6' " attributes "/>" LDL

static const char *const solvers[] = {
    "<EulerImplicitSolver name='ode' computeResidual='1'/>" LDL,
    "<EulerImplicitSolver name='ode'" DAMPED "/>" LDL,
    "<EulerImplicitSolver name='ode'" BY_MASS "/>" LDL,
    "<EulerImplicitSolver name='ode'" BY_STIFFNESS "/>" LDL,
    "<EulerImplicitSolver name='ode' trapezoidalScheme='1' computeResidual='1'/>" LDL,
    "<EulerImplicitSolver name='ode' trapezoidalScheme='1'" DAMPED "/>" LDL,
    "<EulerImplicitSolver name='ode' firstOrder='1' computeResidual='1'/>" LDL,
    "<EulerImplicitSolver name='ode' vdamping='2' printLog='1'/>" LDL,
    "<EulerExplicitSolver name='ode'/>",
    "<EulerExplicitSolver name='ode'/>" LDL,
    "<EulerExplicitSolver name='ode' symplectic='0'/>" LDL,
    "<CentralDifferenceSolver name='ode'/>",
    "<CentralDifferenceSolver name='ode' rayleighMass='2'/>",
    "<RungeKutta2Solver name='ode'/>",
    "<RungeKutta4Solver name='ode'/>",
    "<NewmarkImplicitSolver name='ode'/>" LDL,
    "<NewmarkImplicitSolver name='ode'" DAMPED "/>" LDL,
    "<NewmarkImplicitSolver name='ode'" BY_MASS "/>" LDL,
    "<NewmarkImplicitSolver name='ode'" BY_STIFFNESS "/>" LDL,
    "<NewmarkImplicitSolver name='ode' gamma='0.7' beta='0.4' vdamping='2'/>" LDL,
    "<NewmarkImplicitSolver name='ode' beta='0'/>" LDL,
    "<BackwardEulerODESolver name='ode' " CARIBOU "/>" LDLT,
    "<BackwardEulerODESolver name='ode' newton_iterations='4' rayleigh_mass='0.3' "
    "rayleigh_stiffness='0.04' residual_tolerance_threshold='1e-3' "
    "correction_tolerance_threshold='1e-3'/>" LDLT,
    "<BackwardEulerODESolver name='ode' newton_iterations='2' rayleigh_mass='0.3' " CARIBOU
    "/>" LDLT,
    "<BackwardEulerODESolver name='ode' newton_iterations='2' rayleigh_stiffness='0.04' " CARIBOU
    "/>" LDLT,
    "<VariationalSymplecticSolver name='ode'" BY_MASS "/>" LDL,
    "<VariationalSymplecticSolver name='ode'" BY_STIFFNESS "/>" LDL,
    "<VariationalSymplecticSolver name='ode'/>" LDL,
    "<VariationalSymplecticSolver name='ode' newtonError='1e-4' steps='9'/>" LDL,
    "<VariationalSymplecticSolver name='ode' newtonError='1e-12' steps='3'/>" LDL,
    "<VariationalSymplecticSolver name='ode' steps='9' newtonError='1e-9'" DAMPED "/>" LDL,
    "<VariationalSymplecticSolver name='ode' useIncrementalPotentialEnergy='0'/>" LDL,
    "<VariationalSymplecticSolver name='ode' useIncrementalPotentialEnergy='1'/>" LDL,
    "<VariationalSymplecticSolver name='ode' explicitIntegration='1'/>" LDL,
    "<VariationalSymplecticSolver name='ode' explicitIntegration='1' "
    "useIncrementalPotentialEnergy='1' rayleighMass='0.3'/>" LDL,
    "<VariationalSymplecticSolver name='ode' computeHamiltonian='0'/>" LDL,
    "<BDFOdeSolver name='ode'/>" FIRST_NEWTON(""),
    "<BDFOdeSolver name='ode' order='2'/>" FIRST_NEWTON(""),
    "<BDFOdeSolver name='ode' order='3'" DAMPED "/>" FIRST_NEWTON(""),
    "<BDFOdeSolver name='ode' order='2'" BY_MASS "/>" FIRST_NEWTON(""),
    "<BDFOdeSolver name='ode' order='2'" BY_STIFFNESS "/>" FIRST_NEWTON(""),
    "<BDFOdeSolver name='ode'" DAMPED "/>" FIRST_NEWTON("maxNbIterationsLineSearch='5'"),
    "<BDFOdeSolver name='ode'/>" FIRST_NEWTON("relativeSuccessiveStoppingThreshold='0.1' "
                                              "relativeInitialStoppingThreshold='0'"),
    "<BDFOdeSolver name='ode'/>" FIRST_NEWTON("relativeInitialStoppingThreshold='0.1'"),
    "<BDFOdeSolver name='ode'/>" FIRST_NEWTON("relativeInitialStoppingThreshold='0' "
                                              "relativeSuccessiveStoppingThreshold='0'"),
    "<BDFOdeSolver name='ode'/>" FIRST_NEWTON("absoluteResidualStoppingThreshold='0.5'"),
    "<BDFOdeSolver name='ode'/>" FIRST_NEWTON("relativeEstimateDifferenceThreshold='0.1'"),
    "<BDFOdeSolver name='ode'/>" FIRST_NEWTON("absoluteEstimateDifferenceThreshold='0.1'"),
    "<BDFOdeSolver name='ode'/><NewtonRaphsonSolver name='newton' "
    "updateStateWhenDiverged='0'/>" LDL,
    "<BDFOdeSolver name='ode'/><NewtonRaphsonSolver name='newton' warnWhenDiverge='0'/>" LDL,
    "<BDFIntegrationScheme name='ode'/>" LDL,
    "<BDFIntegrationScheme name='ode' order='1'/>" FIRST_NEWTON(""),
    "<StaticSolver name='ode'/>" FIRST_NEWTON(""),
    "<StaticSolver name='ode'/>" FIRST_NEWTON("maxNbIterationsLineSearch='5' "
                                              "lineSearchCoefficient='0.3'"),
    "<StaticSolver name='ode'/>" FIRST_NEWTON("relativeInitialStoppingThreshold='0.2'"),
    "<StaticSolver name='ode'/>" FIRST_NEWTON("relativeSuccessiveStoppingThreshold='0.2'"),
    "<StaticSolver name='ode'/>" FIRST_NEWTON("absoluteResidualStoppingThreshold='0.2'"),
    "<StaticSolver name='ode'/>" FIRST_NEWTON("relativeEstimateDifferenceThreshold='0.1'"),
    "<StaticSolver name='ode'/>" FIRST_NEWTON("absoluteEstimateDifferenceThreshold='0.1'"),
    "<StaticSolver name='ode'/><NewtonRaphsonSolver name='newton' "
    "updateStateWhenDiverged='0'/>" LDL,
    "<StaticSolver name='ode' newton_iterations='3'/>" LDL,
    "<PathFollowingSolver name='ode' loadIncrement='0.5' tolerance='1e-10'/>" LDL,
    "<StaticODESolver name='ode' newton_iterations='4'/>" LDLT,
    "<LegacyStaticODESolver name='ode' newton_iterations='4'/>" LDLT,
    "<DampVelocitySolver name='damp' rate='3'/><EulerImplicitSolver name='ode'/>" LDL,
    "<EulerImplicitSolver name='ode'/><DampVelocitySolver threshold='0.5'/>" LDL,
};

static bool has_case(const char *name) {
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++)
    if (starts_with_tag(solvers[i], name)) return true;
  return false;
}

static void every_solver_has_a_case(void **state) {
  (void)state;
  assert_all_solvers_have_cases(has_case);
}

/* ---- traces ---- */

typedef struct Tracer {
  char *text;
  size_t n, most;
  double first; /* residual of the iterations of a step */
} Tracer;

static void __attribute__((format(printf, 2, 3))) add(Tracer *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  t->n += (size_t)vsnprintf(t->text + t->n, t->most - t->n, format, list);
  va_end(list);
  assert_true(t->n < t->most);
}

/* Numbers of rounding errors are 0. */
static void add_numbers(Tracer *t, const char *name, const double *x, size_t n) {
  add(t, "  %s", name);
  for (size_t i = 0; i < n; i++) add(t, " %.5g", fabs(x[i]) < 1e-9 ? 0 : x[i]);
  add(t, "\n");
}

/* Messages of the solvers; they name numbers of rounding errors, too: they end where those begin.
 */
static void sink(void *user, const SofaMessage *message) {
  const size_t n = strcspn(message->text, "|");
  const bool info = message->severity < SOFA_WARNING;
  if (info && (!message->origin.path || strstr(message->text, "Newton"))) return;
  if (strcmp(sofa_severity_text(message->severity), "deprecated") == 0) return;
  add(user, "  %s: %.*s\n", sofa_severity_text(message->severity), (int)n, message->text);
}

static void see(void *user, const SofaConvergenceRow *row) {
  Tracer *t = user;
  if (row->kind != SOFA_CONVERGENCE_NEWTON) return;
  if (row->iteration == 0) t->first = row->residual;
  const bool rounded = row->residual < 1e-6 * t->first || isnan(row->residual);
  const double numbers[] = {rounded ? 0 : row->residual, row->iteration ? row->correction : 0};
  add(t, "  %u%s", row->iteration, row->reason[0] ? " " : "");
  add(t, "%s", row->reason);
  add_numbers(t, "", numbers, fabs(numbers[1]) > 1e-6 ? 2 : 1);
}

/* Numbers that are roundings of the first one are 0. */
static void add_reals(Tracer *t, const char *name, const SofaReals *list) {
  double numbers[64];
  const size_t n = list->n < SOFA_COUNT(numbers) ? list->n : SOFA_COUNT(numbers);
  for (size_t i = 0; i < n; i++)
    numbers[i] = fabs(list->data[i]) < 1e-6 * fabs(list->data[0]) ? 0 : list->data[i];
  add_numbers(t, name, numbers, n);
}

/* What a component computed, but for the time that it took. */
static void add_outputs(Tracer *t, SofaObject *object) {
  const SofaClass *klass = object->klass;
  for (size_t i = 0; i < klass->n_fields; i++) {
    const SofaField *field = &klass->fields[i];
    SofaText text = {0};
    if (!(field->flags & SOFA_FIELD_OUTPUT) || strstr(field->name, "Graph") ||
        strstr(field->name, "times"))
      continue;
    assert_int_equal(sofa_field_compute(object, field), SOFA_OK);
    assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
    char *end;
    const double value = strtod(text.data ? text.data : "", &end);
    if (end != text.data && text.n && !*end) add_numbers(t, field->name, &value, 1);
    else if (field->type == &sofa_type_reals)
      add_reals(t, field->name, sofa_field_value(object, field));
    else add(t, "  %s %s\n", field->name, text.n ? text.data : "");
    sofa_list_free(object->ctx, &text);
  }
}

static void add_state(Tracer *t, SofaSimulation *simulation, const char *path) {
  const SofaPathRule rule = {.strict = true};
  const SofaState *s = (const SofaState *)sofa_resolve_path(simulation->root, path, &rule);
  if (!s) return;
  add_numbers(t, "x", s->position.data, s->position.n * s->position.width);
  add_numbers(t, "v", s->velocity.data, s->velocity.n * s->velocity.width);
}

static void run_steps(Tracer *t, const char *scene, const char *solver, bool quirks) {
  char text[4000];
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.quirks = quirks};
  const SofaConvergence observer = {see, t};
  assert_true(snprintf(text, sizeof text, scene, solver) < (int)sizeof text);
  scene_run_context(&run, &options);
  run.ctx->sink = sink;
  run.ctx->sink_user = t;
  sofa_convergence_observe(run.ctx, &observer);
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  for (int i = 0; i < 3 && err == SOFA_OK; i++) err = sofa_simulation_step(run.simulation, 0);
  if (err != SOFA_OK) add(t, "  %s\n", sofa_err_text(err));
  const SofaNode *root = run.simulation ? run.simulation->root : NULL;
  for (size_t i = 0; root && i < root->objects.n; i++)
    if (sofa_implements(root->objects.data[i], SOFA_ODE_SOLVER) ||
        strcmp(root->objects.data[i]->name, "newton") == 0)
      add_outputs(t, root->objects.data[i]);
  if (root) add_state(t, run.simulation, "/state");
  if (root) add_state(t, run.simulation, "/below/state");
  run.ctx->sink = scene_run_sink;
  run.ctx->sink_user = &run;
  scene_run_close(&run);
}

/* With quirks only where that differs. */
static void trace(Tracer *t, const char *solver, const Scene *scene) {
  static char text[2][MOST_TEXT / 10];
  for (int quirks = 0; quirks < 2; quirks++) {
    Tracer one = {.text = text[quirks], .most = sizeof text[quirks]};
    run_steps(&one, scene->text, solver, quirks == 1);
    if (quirks == 0 || strcmp(text[0], text[1]) != 0)
      add(t, "%s%s: %s\n%s", scene->name, quirks ? " with quirks" : "", solver, text[quirks]);
  }
}

static void as_recorded(void **state) {
  static char found[MOST_TEXT];
  Tracer t = {.text = found, .most = sizeof found};
  (void)state;
  add(&t, "# SPDX-License-Identifier: LGPL-2.1-or-later\n");
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++)
    for (size_t k = 0; k < SOFA_COUNT(scenes); k++) trace(&t, solvers[i], &scenes[k]);
  trace_check(&(Trace){found, t.n, sizeof found}, "tests/unit/simulation/solver_traces.txt");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_has_a_case),
      cmocka_unit_test(as_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
