/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of ODE solvers in parts: the free motion taken over is a step to the bit, and a correction
 * moves the end of the step as a force in it does. An ODE solver without a case fails the test. */
#include "integrators.h"

#include "base/profiler.h"
#include "simulation/schedule.h"
#include "simulation/vectors.h"

#define DT 0.02
#define RAYLEIGH "rayleighStiffness='0.02' rayleighMass='0.3'"

/* What J^T lambda is for a force F through the step. */
typedef enum Unit { FORCE, IMPULSE, OF_FORMULA } Unit;

typedef struct Case {
  const char *name, *xml;
  Unit unit;
  bool parts;   /* it can do its steps in parts */
  bool free;    /* compared without springs, whose forces its factors leave out */
  bool coupled; /* with a mass below a mapping, which is not diagonal */
  const char *quirk;
} Case;

static const Case cases[] = {
    {"EulerImplicitSolver", "<EulerImplicitSolver name='s' " RAYLEIGH "/>" LDL, IMPULSE, true,
     false, false, NULL},
    {"EulerImplicitSolver",
     "<EulerImplicitSolver name='s' " RAYLEIGH " trapezoidalScheme='1'/>" LDL, IMPULSE, true, false,
     false, NULL},
    {"EulerImplicitSolver", "<EulerImplicitSolver name='s' firstOrder='1'/>" LDL, FORCE, true,
     false, false, NULL},
    {"NewmarkImplicitSolver",
     "<NewmarkImplicitSolver name='s' " RAYLEIGH " gamma='0.6' beta='0.3'/>" LDL, FORCE, true,
     false, false, NULL},
    {"VariationalSymplecticSolver",
     "<VariationalSymplecticSolver name='s' " RAYLEIGH " newtonError='1e-15' steps='30'/>" LDL,
     FORCE, true, false, false, NULL},
    {"VariationalSymplecticSolver",
     "<VariationalSymplecticSolver name='s' rayleighMass='0.3' explicitIntegration='1'/>", FORCE,
     true, false, false, NULL},
    {"VariationalSymplecticSolver",
     "<VariationalSymplecticSolver name='s' " RAYLEIGH " newtonError='1e-15' steps='30'/>" LDL,
     FORCE, true, false, false, "variational-damping"},
    {"BDFOdeSolver", "<BDFOdeSolver name='s' order='1' " RAYLEIGH "/>" EXACT_NEWTON LDL, OF_FORMULA,
     true, false, false, NULL},
    {"BDFOdeSolver", "<BDFOdeSolver name='s' order='2' " RAYLEIGH "/>" EXACT_NEWTON LDL, OF_FORMULA,
     true, false, false, NULL},
    {"BDFIntegrationScheme",
     "<BDFIntegrationScheme name='s' order='2' " RAYLEIGH "/>" EXACT_NEWTON LDL, OF_FORMULA, true,
     false, false, NULL},
    {"StaticSolver", "<StaticSolver name='s'/>" EXACT_NEWTON LDL, FORCE, true, false, false, NULL},
    {"StaticEquilibriumIntegrationScheme",
     "<StaticEquilibriumIntegrationScheme name='s' maxNbIterationsNewton='20' "
     "residueThreshold='1e-24'/>" LDL,
     FORCE, true, false, false, NULL},
    {"EulerExplicitSolver", "<EulerExplicitSolver name='s'/>", FORCE, true, false, false, NULL},
    {"EulerExplicitSolver", "<EulerExplicitSolver name='s' symplectic='0'/>", FORCE, true, false,
     false, NULL},
    {"EulerExplicitSolver", "<EulerExplicitSolver name='s'/>" LDL, FORCE, true, false, true, NULL},
    {"CentralDifferenceSolver", "<CentralDifferenceSolver name='s' rayleighMass='0.3'/>", FORCE,
     true, false, false, NULL},
    {"RungeKutta2Solver", "<RungeKutta2Solver name='s'/>", FORCE, true, true, false, NULL},
    {"RungeKutta4Solver", "<RungeKutta4Solver name='s'/>", FORCE, true, true, false, NULL},
    {"BackwardEulerODESolver",
     "<BackwardEulerODESolver name='s' rayleigh_stiffness='0.02' " CARIBOU "/>" LDLT, FORCE, true,
     false, false, NULL},
    {"StaticODESolver", "<StaticODESolver name='s' " CARIBOU "/>" LDLT, FORCE, true, false, false,
     NULL},
    {"LegacyStaticODESolver", "<LegacyStaticODESolver name='s' newton_iterations='5'/>" LDLT, FORCE,
     true, false, false, NULL},
    {"PathFollowingSolver", "<PathFollowingSolver name='s'/>" LDL, FORCE, false, false, false,
     NULL},
    {"DampVelocitySolver", "<DampVelocitySolver name='s'/>", FORCE, false, false, false, NULL},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void every_solver(void **state) {
  (void)state;
  SceneRun run = {0};
  const SofaOrigin origin = {.emitter = "test"};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_plugin_load(run.ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    const SofaOdeSolverOps *ops = sofa_class_ops(klass, SOFA_ODE_SOLVER);
    bool found = false;
    if (!ops || klass->abstract) continue;
    for (size_t k = 0; k < N_CASES; k++) {
      if (strcmp(cases[k].name, klass->name) != 0) continue;
      found = true;
      assert_int_equal(ops->factors != NULL, cases[k].parts);
    }
    if (!found) fail_msg("%s has no case in this test", klass->name);
  }
  scene_run_close(&run);
}

/* ---- the scene: points that springs hold at rest positions, one fixed, some mapped ---- */

static const char body[] =
    "<Node name='root' dt='0.02' gravity='0 -9.81 0'>" PLUGIN "<DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<MechanicalObject name='state' position='0 0 0  1 0 0  2 0.1 0  3 0 0.2  4 0 0' "
    "velocity='0 0 0  0.1 0 0  0 0.2 0  0 0 -0.3  0.1 0.1 0'/>"
    "<UniformMass totalMass='2.5'/>%s"
    "<FixedProjectiveConstraint indices='0'/>"
    "<Node name='mapped'><MechanicalObject name='some'/><SubsetMapping indices='1 3'/>"
    "<ConstantForceField indices='0 1' forces='0.3 0.1 0  0 0.2 0.1'/>%s</Node></Node></Node>";

typedef struct Body {
  SceneRun run;
  SofaState *state, *mapped;
  SofaOdeSolver *solver;
  SofaMechanics *m;
  SofaSchedule *schedule;
  double *force, *c; /* of the plan */
} Body;

static void open_body(Body *b, const Case *c, bool springs) {
  static const char rest[] = "<RestShapeSpringsForceField points='0 1 2 3 4' stiffness='40'/>";
  char text[3000];
  memset(b, 0, sizeof *b);
  snprintf(text, sizeof text, body, c->xml, springs ? rest : "",
           c->coupled ? "<UniformMass totalMass='1.5'/>" : "");
  b->run.quiet = c->quirk != NULL;
  const SofaContextOptions options = {.quirk_words = c->quirk};
  scene_run_open(&b->run, text, &options);
  b->state = scene_run_state(&b->run, "/body/state");
  b->mapped = scene_run_state(&b->run, "/body/mapped/some");
  b->solver = (SofaOdeSolver *)scene_run_object(&b->run, "/body/s");
  assert_int_equal(sofa_schedule_create(b->run.simulation->root, &b->schedule), SOFA_OK);
}

static void close_body(Body *b) {
  sofa_schedule_destroy(&b->schedule);
  scene_run_close(&b->run);
}

static void end_step(Body *b) {
  SofaNode *root = b->run.simulation->root;
  const SofaMechParams p = sofa_mech_params(DT, b->solver->object.node->time, 0, 0, 0);
  const SofaMechPoint at = sofa_mech_point(b->m, b->m->x, b->m->v, p.time);
  assert_int_equal(sofa_mech_accept(b->m, &p, &at), SOFA_OK);
  assert_int_equal(sofa_schedule_project(b->schedule, DT), SOFA_OK);
  sofa_schedule_clear_external_forces(b->schedule);
  root->time += DT;
  assert_int_equal(sofa_schedule_update_context(b->schedule), SOFA_OK);
  b->run.ctx->step++;
}

static void whole_step(Body *b) {
  assert_int_equal(sofa_ode_solver_prepare(b->solver, &b->m), SOFA_OK);
  assert_int_equal(sofa_ode_solver_step(b->solver, b->m, DT), SOFA_OK);
  end_step(b);
}

static void same_bits(const char *what, const SofaCoords *a, const SofaCoords *b) {
  assert_int_equal(a->n, b->n);
  if (memcmp(a->data, b->data, a->n * a->width * sizeof *a->data) != 0)
    fail_msg("%s: the bits differ", what);
}

/* The free motion leaves positions and velocities, and is the step. */
static void free_motion_is_the_step(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++) {
    if (!cases[i].parts) continue;
    Body a, b;
    open_body(&a, &cases[i], true);
    open_body(&b, &cases[i], true);
    for (int step = 0; step < 4; step++) {
      SofaCoords *kept[] = {&b.state->position, &b.state->velocity};
      double before[2][15];
      scene_run_steps(&a.run, 1);
      for (int k = 0; k < 2; k++) memcpy(before[k], kept[k]->data, sizeof before[k]);
      assert_int_equal(sofa_ode_solver_prepare(b.solver, &b.m), SOFA_OK);
      assert_int_equal(sofa_ode_solver_free_motion(b.solver, b.m, DT), SOFA_OK);
      for (int k = 0; k < 2; k++) assert_memory_equal(before[k], kept[k]->data, sizeof before[k]);
      assert_int_equal(b.state->free_position.n, 5);
      assert_ptr_equal(b.state->free_velocity.data, b.m->v_free + b.state->v_offset);
      sofa_ode_solver_take_over(b.m);
      end_step(&b);
      same_bits(cases[i].xml, &a.state->position, &b.state->position);
      same_bits(cases[i].xml, &a.state->velocity, &b.state->velocity);
      same_bits(cases[i].xml, &a.mapped->position, &b.mapped->position);
      same_bits(cases[i].xml, &a.mapped->velocity, &b.mapped->velocity);
    }
    close_body(&a);
    close_body(&b);
  }
}

/* ---- corrections ---- */

static const double force[15] = {1, 2, 3, -1, 0.5, 0.7, 2, -3, 1, 0.1, 0.2, 0.3, 4, -2, 0};

static double unit_of(const Case *c, const SofaOdeFactors *f) {
  return c->unit == FORCE ? 1 : c->unit == IMPULSE ? DT : f->position;
}

/* c = A^-1 J^T lambda for a force through the step */
static void find_correction(Body *b, const Case *c) {
  SofaMechanics *m = b->m;
  const SofaMechParams p = sofa_mech_params(DT, 0, 0, 0, 0);
  SofaOdeFactors f;
  double *side = NULL;
  assert_int_equal(sofa_ode_solver_factors(b->solver, DT, &f), SOFA_OK);
  assert_int_equal(sofa_mechanics_deriv(m, &side), SOFA_OK);
  assert_int_equal(sofa_mechanics_deriv(m, &b->c), SOFA_OK);
  for (size_t k = 0; k < 15; k++) side[k] = unit_of(c, &f) * force[k];
  assert_int_equal(sofa_mech_project_response(m, &p, side), SOFA_OK);
  if (f.linear_solver) {
    assert_int_equal(sofa_linear_solver_solve(f.linear_solver, side, b->c), SOFA_OK);
    return;
  }
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, 0);
  assert_int_equal(sofa_mech_acc_from_f(m, &at, side, b->c), SOFA_OK);
  assert_int_equal(sofa_mech_project_response(m, &p, b->c), SOFA_OK);
}

static void corrected_step(Body *b, const Case *c) {
  assert_int_equal(sofa_ode_solver_prepare(b->solver, &b->m), SOFA_OK);
  assert_int_equal(sofa_ode_solver_free_motion(b->solver, b->m, DT), SOFA_OK);
  find_correction(b, c);
  assert_int_equal(sofa_ode_solver_correct(b->solver, b->m, DT, b->c), SOFA_OK);
  end_step(b);
}

static void pushed_step(Body *b) {
  assert_int_equal(sofa_coords_resize(b->run.ctx, &b->state->external_force, 5), SOFA_OK);
  memcpy(b->state->external_force.data, force, sizeof force);
  whole_step(b);
}

static double apart(const SofaCoords *a, const SofaCoords *b) {
  double worst = 0;
  for (size_t k = 0; k < a->n * a->width; k++) worst = fmax(worst, fabs(a->data[k] - b->data[k]));
  return worst;
}

/* Also one step later: what the solver remembers was corrected, too. */
static void correction_is_a_force(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++) {
    const Case *c = &cases[i];
    if (!c->parts) continue;
    Body with, without, a;
    open_body(&a, c, !c->free);
    open_body(&with, c, !c->free);
    open_body(&without, c, !c->free);
    for (int step = 0; step < 3; step++) whole_step(&a), whole_step(&with), whole_step(&without);
    pushed_step(&a);
    corrected_step(&with, c);
    whole_step(&without);
    for (int later = 0; later < 2; later++) {
      const double x = apart(&a.state->position, &with.state->position);
      const double v = apart(&a.state->velocity, &with.state->velocity);
      const double effect = apart(&a.state->position, &without.state->position) +
                            apart(&a.state->velocity, &without.state->velocity);
      if (!(x < 1e-11 && v < 1e-9) || (later == 0 && !(effect > 1e-4)))
        fail_msg("%s, %d steps later: %g and %g apart; the force moves by %g", c->xml, later, x, v,
                 effect);
      whole_step(&a), whole_step(&with), whole_step(&without);
    }
    close_body(&a), close_body(&with), close_body(&without);
  }
}

/* ---- the matrix alone ---- */

/* The system that a solver assembles is that of its motion: the scene is linear. */
static void assembled_as_in_the_step(void **state) {
  (void)state;
  size_t n_solvers = 0;
  for (size_t i = 0; i < N_CASES; i++) {
    Body b;
    SofaOdeFactors f;
    double *c[2] = {NULL};
    // the first steps of order 2 are extrapolated from smaller ones
    if (!cases[i].parts || strstr(cases[i].xml, "order='2'")) continue;
    open_body(&b, &cases[i], true);
    const SofaOdeSolverOps *ops = sofa_ode_solver_ops(b.solver);
    assert_int_equal(sofa_ode_solver_prepare(b.solver, &b.m), SOFA_OK);
    assert_int_equal(sofa_ode_solver_factors(b.solver, DT, &f), SOFA_OK);
    for (int k = 0; k < 2 && f.linear_solver && ops->assemble; k++) {
      const SofaMechParams p = sofa_mech_params(DT, 0, 0, 0, 0);
      double *side = NULL;
      assert_int_equal(sofa_mechanics_deriv(b.m, &side), SOFA_OK);
      assert_int_equal(sofa_mechanics_deriv(b.m, &c[k]), SOFA_OK);
      if (k) assert_int_equal(sofa_ode_solver_free_motion(b.solver, b.m, DT), SOFA_OK);
      else assert_int_equal(ops->assemble(b.solver, b.m, DT), SOFA_OK);
      assert_int_equal(sofa_ode_solver_factors(b.solver, DT, &f), SOFA_OK);
      memcpy(side, force, sizeof force);
      assert_int_equal(sofa_mech_project_response(b.m, &p, side), SOFA_OK);
      assert_int_equal(sofa_linear_solver_solve(f.linear_solver, side, c[k]), SOFA_OK);
    }
    for (size_t k = 3; k < 15 && c[1]; k++)
      if (!(fabs(c[0][k] - c[1][k]) <= 1e-10 * fabs(c[1][k])))
        fail_msg("%s: %g after assemble, %g after the motion", cases[i].xml, c[0][k], c[1][k]);
    n_solvers += c[1] != NULL;
    close_body(&b);
  }
  assert_true(n_solvers > 5);
}

/* The level of a timer; -1: there is none. */
static int level_of(SofaContext *ctx, const char *name) {
  const SofaTimerRow *rows;
  const size_t n = sofa_profiler_rows(ctx, &rows);
  for (size_t k = 0; k < n; k++)
    if (strcmp(rows[k].name, name) == 0) return rows[k].level - rows[0].level;
  return -1;
}

/* Each timer of a step begins and ends once: none stays open, and none of the caller is closed. */
static void timers_end(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++) {
    Body b;
    open_body(&b, &cases[i], true);
    sofa_profiler_enable(b.run.ctx, true);
    sofa_timer_begin(b.run.ctx, "around");
    scene_run_steps(&b.run, 2);
    sofa_timer_begin(b.run.ctx, "within");
    sofa_timer_end(b.run.ctx);
    sofa_timer_end(b.run.ctx);
    sofa_timer_begin(b.run.ctx, "behind");
    sofa_timer_end(b.run.ctx);
    if (level_of(b.run.ctx, "around") != 0 || level_of(b.run.ctx, "within") != 1 ||
        level_of(b.run.ctx, "behind") != 0)
      fail_msg("%s: a timer does not begin or end", cases[i].xml);
    close_body(&b);
  }
}

/* ---- gravity apart ---- */

/* Solvers that do not act on separateGravity: no gravity acts, as in SOFA. */
static bool leaves_gravity_out(const char *name) {
  return strstr(name, "Static") || strcmp(name, "VariationalSymplecticSolver") == 0 ||
         strncmp(name, "BDF", 3) == 0 || strcmp(name, "BackwardEulerODESolver") == 0;
}

/* A free point with separateGravity gains g h in each step of the other solvers. */
static void separate_gravity(void **state) {
  (void)state;
  size_t n_solvers = 0;
  for (size_t i = 0; i < N_CASES; i++) {
    char text[2000];
    SceneRun run;
    if (!cases[i].parts || leaves_gravity_out(cases[i].name)) continue;
    if (i && strcmp(cases[i].name, cases[i - 1].name) == 0) continue;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.02' gravity='1 -10 0'>" PLUGIN "<DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><Node name='body'><%s/>" EXACT_NEWTON LDL
             "<MechanicalObject name='state' position='1 2 3' velocity='0 1 2'/>"
             "<UniformMass totalMass='2' separateGravity='1'/></Node></Node>",
             cases[i].name);
    scene_run_open(&run, text, NULL);
    scene_run_steps(&run, 5);
    const double *v = scene_run_state(&run, "/body/state")->velocity.data;
    if (!(fabs(v[0] - 0.1) < 1e-12 && fabs(v[1]) < 1e-12 && fabs(v[2] - 2) < 1e-12))
      fail_msg("%s: velocity %.15g %.15g %.15g", cases[i].name, v[0], v[1], v[2]);
    scene_run_close(&run);
    n_solvers++;
  }
  assert_int_equal(n_solvers, 6);
}

/* ---- without parts ---- */

static void refusal(void **state) {
  (void)state;
  for (size_t i = 0; i < N_CASES; i++) {
    Body b;
    SofaOdeFactors f;
    if (cases[i].parts) continue;
    open_body(&b, &cases[i], true);
    b.run.quiet = true;
    assert_int_equal(sofa_ode_solver_prepare(b.solver, &b.m), SOFA_OK);
    assert_int_equal(sofa_ode_solver_free_motion(b.solver, b.m, DT), SOFA_ERR_UNSUPPORTED);
    assert_non_null(strstr(b.run.last, "is not supported yet"));
    assert_int_equal(sofa_ode_solver_factors(b.solver, DT, &f), SOFA_ERR_UNSUPPORTED);
    assert_int_equal(b.state->free_position.n, 0);
    close_body(&b);
  }
}

/* ---- the free vectors ---- */

/* Not there until asked for; they outlive the plan; states without a solver have them, too. */
static void free_vectors(void **state) {
  (void)state;
  Body b;
  open_body(&b, &cases[0], true);
  assert_int_equal(b.state->free_position.n, 0);
  assert_int_equal(sofa_state_want_free(b.state), SOFA_OK); /* no plan yet */
  assert_int_equal(b.state->free_position.n, 5);
  same_bits("copy", &b.state->free_position, &b.state->position);
  b.state->free_position.data[4] = 7;
  whole_step(&b);
  assert_true(b.state->free_position.view && b.state->free_position.data[4] == 7);
  assert_int_equal(b.mapped->free_velocity.n, 2);

  /* a new plan */
  b.state->free_velocity.data[1] = 8;
  sofa_node_drop_mechanics(b.solver->object.node);
  assert_false(b.state->free_position.view);
  assert_true(b.state->free_position.data[4] == 7 && b.state->free_velocity.data[1] == 8);
  whole_step(&b);
  assert_true(b.state->free_position.view && b.state->free_velocity.data[1] == 8);
  const SofaCoords *field =
      sofa_field_value(&b.state->object, sofa_class_field(b.state->object.klass, "free_position"));
  assert_ptr_equal(field, &b.state->free_position);
  close_body(&b);
}

/* A point that a solver moves, with a damper. */
#define ONE_POINT                                                                                  \
  "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/><Node name='body'><%s name='s'/>" EXACT_NEWTON LDL                   \
  "<MechanicalObject name='state' position='1 2 3' velocity='0 1 2'/><UniformMass totalMass='2'/>" \
  "<UniformVelocityDampingForceField dampingCoefficient='3'/></Node></Node>"

static void factors_of_quirks(void **state) {
  (void)state;
  static const struct {
    const char *name;
    double position, velocity;
  } all[] = {{"NewmarkImplicitSolver", 0.02, 1},    {"RungeKutta2Solver", 0, 0.01},
             {"RungeKutta4Solver", 0, 0.01},        {"BDFOdeSolver", 0, 0},
             {"VariationalSymplecticSolver", 0, 0}, {"EulerImplicitSolver", 0.02, 1}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char text[1500];
    SceneRun run;
    SofaMechanics *m = NULL;
    SofaOdeFactors f;
    const SofaContextOptions options = {.quirks = true};
    snprintf(text, sizeof text, ONE_POINT, all[i].name);
    scene_run_open(&run, text, &options);
    SofaOdeSolver *solver = (SofaOdeSolver *)scene_run_object(&run, "/body/s");
    assert_int_equal(sofa_ode_solver_prepare(solver, &m), SOFA_OK);
    assert_int_equal(sofa_ode_solver_factors(solver, 0.02, &f), SOFA_OK);
    if (fabs(f.position - all[i].position) > 1e-15 || fabs(f.velocity - all[i].velocity) > 1e-15)
      fail_msg("%s: %g %g", all[i].name, f.position, f.velocity);
    scene_run_close(&run);
  }
}

/* v changes between two free motions: forces are those of the new one, with the quirk of the free
 * motion before. */
static void forces_of_the_free_motion(void **state) {
  (void)state;
  static const char *const names[] = {"EulerExplicitSolver", "CentralDifferenceSolver"};
  for (int k = 0; k < 4; k++) {
    char text[1500];
    SceneRun run;
    SofaMechanics *m = NULL;
    const SofaContextOptions options = {.quirks = k % 2};
    snprintf(text, sizeof text, ONE_POINT, names[k / 2]);
    scene_run_open(&run, text, &options);
    SofaOdeSolver *solver = (SofaOdeSolver *)scene_run_object(&run, "/body/s");
    assert_int_equal(sofa_ode_solver_prepare(solver, &m), SOFA_OK);
    assert_int_equal(sofa_ode_solver_free_motion(solver, m, 0.02), SOFA_OK);
    const double before = m->v_free[2];
    m->v[2] = 10;
    assert_int_equal(sofa_ode_solver_free_motion(solver, m, 0.02), SOFA_OK);
    const double expected = 10 - 0.02 * 3 / 2. * (k % 2 ? before : 10);
    assert_true(fabs(m->v_free[2] - expected) < 1e-13);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factors_of_quirks),
      cmocka_unit_test(forces_of_the_free_motion),
      cmocka_unit_test(every_solver),
      cmocka_unit_test(free_motion_is_the_step),
      cmocka_unit_test(correction_is_a_force),
      cmocka_unit_test(refusal),
      cmocka_unit_test(free_vectors),
      cmocka_unit_test(assembled_as_in_the_step),
      cmocka_unit_test(timers_end),
      cmocka_unit_test(separate_gravity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
