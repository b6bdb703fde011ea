/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Step limiters with a toy: a floor at z = 0 with the energy -k ln z, which no guess of a solver
 * may pass. The places of rest are k / (m g); every solver with Newton iterations finds them, from
 * guesses far below the floor. */
#include <math.h>

#include "base/abi.h"
#include "scene/builder.h"
#include "simulation/convergence.h"
#include "tests/support/scene_run.h"

typedef struct Floor {
  SofaForceField force_field;
  double stiffness;
  bool softens; /* halves the stiffness once, at the second taken guess */
  double wave; /* J, of another energy, wave cos(5 z), which has no second derivative of one sign */
  bool descends; /* was a tangent asked for that descends? */
  int begun, taken, asked;
  double lowest;     /* of all positions at which forces were asked for */
  double lowest_end; /* of the positions that were taken */
  double ahead;      /* the most that was asked for */
  double start[6]; /* position and velocity of the first point at the beginning of the last step */
} Floor;

static const SofaField fields[] = {
    SOFA_FIELD(Floor, stiffness, "stiffness", "1", "J", "k of the energy"),
    SOFA_FIELD(Floor, softens, "softens", "0", "", "halves k at the second guess"),
    SOFA_FIELD(Floor, wave, "wave", "0", "J", "of the energy wave cos(5 z)"),
};

static size_t n_points(const Floor *f) {
  return f->force_field.state[0]->position.n;
}

static SofaErr construct(SofaObject *object) {
  ((Floor *)object)->lowest = ((Floor *)object)->lowest_end = INFINITY;
  return SOFA_OK;
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                         double *const *f) {
  Floor *floor = (Floor *)ff;
  (void)p;
  for (size_t i = 0; i < n_points(floor); i++) {
    const double z = at->x[0][3 * i + 2];
    floor->lowest = fmin(floor->lowest, z);
    f[0][3 * i + 2] += floor->stiffness / z + 5 * floor->wave * sin(5 * z);
  }
  return SOFA_OK;
}

static double slope(Floor *floor, const SofaMechParams *p, double z) {
  const double k = 25 * floor->wave * cos(5 * z) - floor->stiffness / (z * z);
  floor->descends = floor->descends || p->descends;
  return p->descends ? fmin(k, 0) : k;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                          const double *const *dx, double *const *df) {
  Floor *floor = (Floor *)ff;
  for (size_t i = 0; i < n_points(floor); i++) {
    const double z = at->x[0][3 * i + 2];
    df[0][3 * i + 2] += sofa_kfactor(ff, p) * slope(floor, p, z) * dx[0][3 * i + 2];
  }
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                     const SofaTangent *tangent) {
  Floor *floor = (Floor *)ff;
  for (uint32_t i = 0; i < n_points(floor); i++) {
    const double z = at->x[0][3 * i + 2];
    double block[9] = {0};
    block[8] = slope(floor, p, z);
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

static SofaErr energy(SofaForceField *ff, const SofaMechParams *p, const SofaPoint *at,
                      double *out) {
  const Floor *floor = (const Floor *)ff;
  (void)p;
  *out = 0;
  for (size_t i = 0; i < n_points(floor); i++) {
    const double z = at->x[0][3 * i + 2];
    *out += floor->wave * cos(5 * z);
    if (floor->stiffness != 0) *out -= floor->stiffness * log(z);
  }
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .potential_energy = energy,
                                      .tangent_is_dforce = true};

static void states(const SofaObject *object, SofaState *const **list, size_t *n) {
  const Floor *floor = (const Floor *)object;
  *list = floor->force_field.state;
  *n = 1;
}

static SofaErr begin(SofaObject *object, const SofaStepStart *start) {
  Floor *floor = (Floor *)object;
  assert_true(start->at.n == 1 && start->dt > 0);
  floor->begun++;
  memcpy(floor->start, start->at.x[0], 3 * sizeof *floor->start);
  memcpy(floor->start + 3, start->at.v[0], 3 * sizeof *floor->start);
  return SOFA_OK;
}

/* A point may go nine tenths of its way to the floor. */
static SofaErr limit(SofaObject *object, const double *const *from, const double *const *to,
                     double *share) {
  Floor *floor = (Floor *)object;
  floor->asked++;
  *share = 1;
  for (size_t i = 0; i < n_points(floor); i++) {
    const double z0 = from[0][3 * i + 2], z1 = to[0][3 * i + 2];
    assert_true(z0 > 0);
    if (z1 <= 0) *share = fmin(*share, 0.9 * z0 / (z0 - z1));
  }
  return SOFA_OK;
}

static SofaErr taken(SofaObject *object, const SofaPoint *at, bool *changed) {
  Floor *floor = (Floor *)object;
  for (size_t i = 0; i < n_points(floor); i++)
    floor->lowest_end = fmin(floor->lowest_end, at->x[0][3 * i + 2]);
  *changed = floor->softens && ++floor->taken == 2;
  if (*changed) floor->stiffness /= 2;
  return SOFA_OK;
}

static const SofaStepLimiterOps limiter_ops = {
    .states = states, .begin = begin, .limit = limit, .taken = taken};

/* Without stiffness its forces are the same everywhere. */
static void look_ahead(SofaObject *object, double ahead) {
  Floor *floor = (Floor *)object;
  floor->ahead = fmax(floor->ahead, ahead);
}

static const SofaStepLimiterOps far_ops = {
    .states = states, .begin = begin, .limit = limit, .taken = taken, .look_ahead = look_ahead};

static const char *const templates[] = {"Vec3d", NULL};
static const SofaClass floor_class = {
    .name = "Floor",
    .module = "tests",
    .category = "ForceField",
    .help = "A floor that nothing passes.",
    .base = &sofa_force_field_class,
    .size = sizeof(Floor),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_STEP_LIMITER, &limiter_ops})};
static const SofaClass far_class = {
    .name = "FarFloor",
    .module = "tests",
    .category = "ForceField",
    .help = "A floor without forces.",
    .base = &sofa_force_field_class,
    .size = sizeof(Floor),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_STEP_LIMITER, &far_ops})};
static const SofaClass *const classes[] = {&floor_class, &far_class, NULL};
static const SofaModule module = {
    .abi = SOFA_ABI, .name = "tests", .version = "1", .classes = classes};

/* ---- scenes ---- */

#define NEWTON "<NewtonRaphsonSolver maxNbIterationsNewton='60'/><SparseLDLSolver/>"
#define CARIBOU                                                                                    \
  " newton_iterations='60' residual_tolerance_threshold='1e-10' "                                  \
  "correction_tolerance_threshold='-1'/><LDLTSolver/>"
/* Two masses of 1 kg, both 0.1 m above the floor in the end. */
#define SCENE(solver, content)                                                                     \
  "<Node name='root' dt='0.5' gravity='0 0 -10'><RequiredPlugin name='SofaCaribou'/>"              \
  "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>" solver                                      \
  "<MechanicalObject name='state' position='0 0 5  1 0 1'/>"                                       \
  "<UniformMass vertexMass='1'/>"                                                                  \
  "<PartialFixedProjectiveConstraint indices='0 1' fixedDirections='1 1 0'/>" content "</Node>"
#define FLOOR "<Floor name='floor'/>"

static SofaErr load(SceneRun *run, const char *text, bool quiet) {
  run->quiet = quiet;
  scene_run_context(run, NULL);
  assert_int_equal(sofa_factory_register(run->ctx, &module), SOFA_OK);
  const SofaErr err = sofa_simulation_load_text(run->ctx, text, &run->simulation);
  return err == SOFA_OK ? sofa_simulation_init(run->simulation) : err;
}

static void expect_rest(const char *text, int steps, double tolerance) {
  SceneRun run;
  assert_int_equal(load(&run, text, false), SOFA_OK);
  scene_run_steps(&run, steps);
  const Floor *floor = (const Floor *)scene_run_object(&run, "/floor");
  const SofaState *s = scene_run_state(&run, "/state");
  for (int i = 0; i < 2; i++) {
    if (!(fabs(s->position.data[3 * i + 2] - 0.1) <= tolerance))
      fail_msg("point %d is at %g", i, s->position.data[3 * i + 2]);
  }
  assert_true(floor->lowest > 0 && floor->lowest_end > 0);
  assert_true(floor->begun >= steps && floor->asked > steps);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
}

static void equilibria(void **state) {
  (void)state;
  expect_rest(SCENE("<StaticSolver/>" NEWTON, FLOOR), 1, 1e-6);
  expect_rest(SCENE("<StaticODESolver" CARIBOU, FLOOR), 1, 1e-6);
  expect_rest(SCENE("<LegacyStaticODESolver" CARIBOU, FLOOR), 1, 1e-6);
}

/* Backward Euler damps: in the end all is at rest. Mass proportional damping is in the potential of
 * BDF; without one, as here with dampers in Caribou's solver, the residual is searched. */
static void motions(void **state) {
  (void)state;
  expect_rest(SCENE("<BDFOdeSolver/>" NEWTON, FLOOR), 150, 1e-3);
  expect_rest(SCENE("<BDFOdeSolver order='2' rayleighMass='3'/>" NEWTON, FLOOR), 80, 1e-3);
  expect_rest(
      SCENE("<NewmarkImplicitSolver gamma='0.8' beta='0.5' rayleighMass='3'/>" NEWTON, FLOOR), 60,
      1e-3);
  expect_rest(SCENE("<BackwardEulerODESolver" CARIBOU, FLOOR), 150, 1e-3);
  expect_rest(SCENE("<BackwardEulerODESolver rayleigh_mass='3'" CARIBOU, FLOOR), 80, 1e-3);
}

/* A limiter that changes its forces between guesses: the solver goes on with the new ones. */
static void changed_forces(void **state) {
  SceneRun run;
  (void)state;
  assert_int_equal(
      load(&run, SCENE("<StaticSolver/>" NEWTON, "<Floor name='floor' softens='1'/>"), false),
      SOFA_OK);
  scene_run_steps(&run, 1);
  assert_true(fabs(scene_run_state(&run, "/state")->position.data[2] - 0.05) < 1e-6);
  scene_run_close(&run);
}

/* Each limiter gets the positions and velocities of its own state among those of the solver. */
static void own_states(void **state) {
#define FALLING_BODY(name, x, v)                                                                   \
  "<Node name='" name "'><MechanicalObject name='state' position='" x "' velocity='" v "'/>"       \
  "<UniformMass vertexMass='1'/>" FLOOR "</Node>"
  static const char text[] =
      "<Node name='root' dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><BDFOdeSolver/>" NEWTON FALLING_BODY(
          "a", "1 2 500  0 0 600", "0 0 0  0 0 0") FALLING_BODY("b", "3 4 700", "0.25 0.5 -1")
          FALLING_BODY("c", "5 6 800", "4 3 2") "</Node>";
  static const double expected[2][6] = {{3, 4, 700, 0.25, 0.5, -1}, {5, 6, 800, 4, 3, 2}};
  static const char *const paths[] = {"/b/floor", "/c/floor"};
  (void)state;
  for (int moved = 0; moved < 2; moved++) {
    SceneRun run;
    assert_int_equal(load(&run, text, false), SOFA_OK);
    scene_run_steps(&run, 1 + moved);
    for (int i = 0; i < 2; i++) {
      const Floor *floor = (const Floor *)scene_run_object(&run, paths[i]);
      // the first guess has moved on with the velocity, which the floor hardly changes up there
      for (int k = 0; k < 6; k++) {
        const double v = expected[i][3 + k % 3],
                     x = expected[i][k] + (k < 3 ? 0.01 * moved * v : 0);
        if (!(fabs(floor->start[k] - x) < 0.011 * fabs(v) + 1e-3))
          fail_msg("%s, step %d, real %d: %g, expected %g", paths[i], moved, k, floor->start[k], x);
      }
    }
    scene_run_close(&run);
  }
}

/* A moved point that would pass the floor is an error; one that stops above is not. */
static void imposed_motions(void **state) {
  static const char *const scenes[] = {
      SCENE("<StaticSolver/>" NEWTON, FLOOR "<LinearMovementProjectiveConstraint indices='1' "
                                            "keyTimes='0 1' movements='0 0 0 0 0 -1.8'/>"),
      SCENE("<BDFOdeSolver/>" NEWTON, FLOOR "<LinearMovementProjectiveConstraint indices='1' "
                                            "keyTimes='0 1' movements='0 0 0 0 0 -1.8'/>")};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    SceneRun run;
    assert_int_equal(load(&run, scenes[i], true), SOFA_OK);
    assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
    assert_int_not_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
    assert_non_null(strstr(run.all, "constraints move their points too far at once: only 0.1"));
    scene_run_close(&run);
  }
}

/* Solvers that do not iterate say which ones do. */
static void refused_solvers(void **state) {
  static const char *const solvers[] = {"<EulerImplicitSolver/><SparseLDLSolver/>",
                                        "<EulerExplicitSolver/>",
                                        "<NewmarkImplicitSolver beta='0'/><SparseLDLSolver/>",
                                        "<RungeKutta4Solver/>",
                                        "<VariationalSymplecticSolver explicitIntegration='1'/>",
                                        ("<BDFOdeSolver order='3'/>" NEWTON)};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++) {
    char text[2000];
    SceneRun run;
    snprintf(text, sizeof text, SCENE("%s", FLOOR), solvers[i]);
    assert_int_equal(load(&run, text, true), SOFA_OK);
    assert_int_equal(sofa_scene_check_ready(run.simulation), SOFA_ERR_UNSUPPORTED);
    assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_ERR_UNSUPPORTED);
    assert_non_null(strstr(run.all, "cannot heed the Floor '/floor' below it"));
    assert_non_null(strstr(run.all, "StaticSolver, BDFOdeSolver"));
    scene_run_close(&run);
  }
}

/* A solver that takes forces elsewhere needs a limiter that knows them there. */
static void limiters_without_a_look_ahead(void **state) {
  SceneRun run;
  (void)state;
  assert_int_equal(load(&run, SCENE("<VariationalSymplecticSolver/>" NEWTON, FLOOR), true),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(run.all, "the Floor 'floor' limits the steps, and knows no forces"));
  scene_run_close(&run);
}

/* ---- a limiter that never limits ---- */

/* A linear body with every kind of damping, a mapped spring and a moved point; %s: the attributes
 * of the solver; the limiter: nothing, or one without a force that everything stays far away from.
 */
#define LINEAR_SCENE                                                                               \
  "<Node name='root' dt='0.05' gravity='0 1 -3'><DefaultAnimationLoop/>"                           \
  "<DefaultVisualManagerLoop/><%s/><NewtonRaphsonSolver name='newton' maxNbIterationsNewton='60' " \
  "relativeInitialStoppingThreshold='1e-13' absoluteResidualStoppingThreshold='1e-13'/>"           \
  "<SparseLDLSolver/><MechanicalObject name='state' position='0 0 5  1 0 6  0 2 7  3 0 9' "        \
  "velocity='1 0 0  0 2 1  0 0 -1  0 0 0'/><UniformMass vertexMass='2' rayleighMass='0.1'/>"       \
  "<RestShapeSpringsForceField points='0 1 2' stiffness='90 50 70' rayleighStiffness='0.02'/>"     \
  "<LinearMovementProjectiveConstraint indices='3' keyTimes='0 1' movements='0 0 0 0.5 0 1'/>%s"   \
  "<Node name='below'><MechanicalObject name='state'/><SubsetMapping indices='2 1'/>"              \
  "<RestShapeSpringsForceField points='0' stiffness='30'/></Node></Node>"

/* The state at the end; returns what the solver asked the limiter to look ahead. */
static double run_linear(const char *solver, const char *limiter, double out[24]) {
  char text[3000];
  SceneRun run;
  assert_true(snprintf(text, sizeof text, LINEAR_SCENE, solver, limiter) < (int)sizeof text);
  assert_int_equal(load(&run, text, false), SOFA_OK);
  scene_run_steps(&run, 12);
  const SofaState *s = scene_run_state(&run, "/state");
  memcpy(out, s->position.data, 12 * sizeof *out);
  memcpy(out + 12, s->velocity.data, 12 * sizeof *out);
  assert_int_equal(run.n_problems, 0);
  // the matrix is exact: one iteration, and one that finds roundings
  const SofaObject *newton = scene_run_object(&run, "/newton");
  const SofaReals *graph =
      sofa_field_value(newton, sofa_class_field(newton->klass, "residualGraph"));
  assert_true(!*limiter || (graph->n >= 2 && graph->n <= 3));
  const double ahead = *limiter ? ((const Floor *)scene_run_object(&run, "/floor"))->ahead : 0;
  scene_run_close(&run);
  return ahead;
}

/* The iterations of a limited step solve the equations of the plain step: they have the same
 * solution where the forces are linear. */
static void the_same_motion_without_limits(void **state) {
  static const char damping[] = " rayleighStiffness='0.03' rayleighMass='0.2'";
  static const char *const solvers[] = {
      "NewmarkImplicitSolver",
      "NewmarkImplicitSolver gamma='0.7' beta='0.4'",
      "NewmarkImplicitSolver gamma='0.6' beta='0.3' vdamping='0.5'",
      "VariationalSymplecticSolver newtonError='1e-13' steps='9'",
      "BDFOdeSolver",
      "BDFOdeSolver order='2'",
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++)
    for (int damped = 0; damped < 2; damped++) {
      char solver[300];
      double plain[24], limited[24];
      snprintf(solver, sizeof solver, "%s%s", solvers[i], damped ? damping : "");
      run_linear(solver, "", plain);
      const double ahead = run_linear(solver, "<FarFloor name='floor' stiffness='0'/>", limited);
      // from the midpoint, from the end; BDF has no other place than the end
      assert_true(ahead == (solver[0] == 'V' ? 2 : solver[0] == 'N'));
      for (int k = 0; k < 24; k++)
        if (!(fabs(plain[k] - limited[k]) <= 1e-9))
          fail_msg("%s: entry %d is %.12g, with a limiter %.12g", solver, k, plain[k], limited[k]);
    }
}

/* ---- records ---- */

static void note(void *user, const SofaConvergenceRow *row) {
  double *most = user;
  if (row->kind == SOFA_CONVERGENCE_NEWTON) *most = fmax(*most, row->correction);
}

/* The corrections of a falling point are those of its velocity, from the one at unchanged
 * positions: g h; for Newmark g h gamma / (2 beta), the rest comes from the acceleration before;
 * the variational scheme solves for the middle of the step. */
static void corrections_are_of_velocities(void **state) {
  static const struct {
    const char *solver;
    double correction;
  } cases[] = {
      {"NewmarkImplicitSolver gamma='0.5' beta='0.25'", 0.2},
      {"NewmarkImplicitSolver gamma='0.75' beta='0.5'", 0.15},
      {"VariationalSymplecticSolver newtonError='1e-13' steps='9'", 0.1},
      {"BDFOdeSolver", 0.2},
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    char text[1500];
    double most = 0;
    const SofaConvergence observer = {.row = note, .user = &most};
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.02' gravity='0 0 -10'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/><%s/>" NEWTON
             "<MechanicalObject name='state' position='0 0 500'/><UniformMass vertexMass='3'/>"
             "<FarFloor name='floor' stiffness='0'/></Node>",
             cases[i].solver);
    assert_int_equal(load(&run, text, false), SOFA_OK);
    sofa_convergence_observe(run.ctx, &observer);
    scene_run_steps(&run, 1);
    if (!(fabs(most - cases[i].correction) < 1e-12))
      fail_msg("%s: %.17g, expected %.17g", cases[i].solver, most, cases[i].correction);
    scene_run_close(&run);
  }
}

/* The residual before the first iteration of a step. */
static void note_first(void *user, const SofaConvergenceRow *row) {
  double *first = user;
  if (row->kind == SOFA_CONVERGENCE_NEWTON && row->iteration == 0) *first = row->residual;
}

/* A guess that nothing forbids is the one of a step without limits: the solver begins with the same
 * residual. A guess through the floor is replaced by the positions of the start, where backward
 * Euler has the velocity 0: |R| = |f + m v_0 / h|, times h where the unknown is a velocity. */
static void first_guesses(void **state) {
  static const struct {
    const char *solver;
    double factor;
  } cases[] = {{"<BDFOdeSolver/>" NEWTON, 0.1},
               {"<BackwardEulerODESolver newton_iterations='9'/><LDLTSolver/>", 1}};
  static const double heights[] = {50, 0.2};
  (void)state;
  for (size_t i = 0; i < 2 * SOFA_COUNT(cases); i++) {
    const bool allowed = i < SOFA_COUNT(cases);
    const double m = 2, k = 0.3, g = 10, v = 3, h = 0.1;
    const double factor = cases[i % 2].factor, z = heights[!allowed];
    double first[2] = {0};
    for (int limited = !allowed; limited < 2; limited++) {
      char text[1500];
      const SofaConvergence observer = {.row = note_first, .user = &first[limited]};
      SceneRun run;
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.1' gravity='0 0 -10'><RequiredPlugin name='SofaCaribou'/>"
               "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s"
               "<MechanicalObject name='state' position='0 0 %g' velocity='0 0 -3'/>"
               "<UniformMass vertexMass='2'/><RestShapeSpringsForceField stiffness='40'/>%s</Node>",
               cases[i % 2].solver, z,
               !limited  ? ""
               : allowed ? "<FarFloor stiffness='0'/>"
                         : "<Floor stiffness='0.3'/>");
      assert_int_equal(load(&run, text, true), SOFA_OK);
      sofa_convergence_observe(run.ctx, &observer);
      scene_run_steps(&run, 1);
      scene_run_close(&run);
    }
    const double expected = allowed ? first[0] : factor * fabs(k / z - m * g - m * v / h);
    if (!(fabs(first[1] - expected) < 1e-9 * expected))
      fail_msg("%s: |R| = %.12g, expected %.12g", cases[i % 2].solver, first[1], expected);
  }
}

/* The same of solvers whose plain step has no iterations: |f - M a| at the end of the way of the
 * velocity, and at its middle without a change of the velocity. A spring of 40 N/m is at rest. */
static void guesses_by_velocity(void **state) {
  static const struct {
    const char *solver;
    double residual;
  } cases[] = {{"<NewmarkImplicitSolver/>", 2 * 10 - 40 * 0.3 + 2 * 10},
               {"<VariationalSymplecticSolver/>", 2 * 10 - 40 * 0.15}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    char text[1500];
    double first = 0;
    const SofaConvergence observer = {.row = note_first, .user = &first};
    SceneRun run;
    snprintf(text, sizeof text,
             "<Node name='root' dt='0.1' gravity='0 0 -10'><DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/>%s" NEWTON
             "<MechanicalObject name='state' position='0 0 50' velocity='0 0 -3'/>"
             "<UniformMass vertexMass='2'/><RestShapeSpringsForceField stiffness='40'/>"
             "<FarFloor stiffness='0'/></Node>",
             cases[i].solver);
    assert_int_equal(load(&run, text, true), SOFA_OK);
    sofa_convergence_observe(run.ctx, &observer);
    scene_run_steps(&run, 1);
    if (!(fabs(first - cases[i].residual) < 1e-9))
      fail_msg("%s: |R| = %.12g, expected %.12g", cases[i].solver, first, cases[i].residual);
    scene_run_close(&run);
  }
}

/* ---- the potential of a step ---- */

typedef struct Counts {
  int rows, most;
} Counts;

static void count(void *user, const SofaConvergenceRow *row) {
  Counts *counts = user;
  if (row->kind != SOFA_CONVERGENCE_NEWTON) return;
  counts->rows = row->iteration == 0 ? 0 : counts->rows + 1;
  if (counts->rows > counts->most) counts->most = counts->rows;
}

/* The iterations minimise the energy of the step, the barrier's and that of the inertia, which is
 * strictly convex: with the right energy no whole step near the minimum is refused, and Newton's
 * iteration is quadratic. Masses fall on the floor, bounce and rest; small steps, where the inertia
 * is large, and large ones. */
static void whole_steps_near_the_end(void **state) {
  static const char *const solvers[] = {
      "<BDFOdeSolver/>",
      "<BDFOdeSolver rayleighMass='8'/>",
      "<BDFOdeSolver order='2'/>",
      "<BDFOdeSolver order='2' rayleighMass='8'/>",
      "<NewmarkImplicitSolver/>",
      "<NewmarkImplicitSolver rayleighMass='8'/>",
      "<NewmarkImplicitSolver gamma='0.8' beta='0.4' rayleighMass='8'/>",
      "<BackwardEulerODESolver newton_iterations='60' residual_tolerance_threshold='-1' "
      "correction_tolerance_threshold='-1' absolute_residual_tolerance_threshold='1e-10'/>"
      "<LDLTSolver/>",
  };
  static const double steps[] = {0.01, 0.05, 0.3};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++)
    for (int j = 0; j < 3; j++) {
      char text[1500];
      Counts counts = {0};
      const SofaConvergence observer = {.row = count, .user = &counts};
      SceneRun run;
      snprintf(text, sizeof text,
               "<Node name='root' dt='%g' gravity='0 0 -10'><RequiredPlugin name='SofaCaribou'/>"
               "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s"
               "<NewtonRaphsonSolver maxNbIterationsNewton='60' "
               "relativeInitialStoppingThreshold='0' relativeSuccessiveStoppingThreshold='0' "
               "absoluteResidualStoppingThreshold='1e-10'/>%s"
               "<MechanicalObject name='state' position='0 0 0.5  1 0 0.2' velocity='0 0 -3  0 0 "
               "-1'/><UniformMass vertexMass='2'/><Floor name='floor' stiffness='0.1'/></Node>",
               steps[j], solvers[i], strstr(solvers[i], "LDLT") ? "" : "<SparseLDLSolver/>");
      assert_int_equal(load(&run, text, false), SOFA_OK);
      sofa_convergence_observe(run.ctx, &observer);
      scene_run_steps(&run, 60);
      if (counts.most > 13) fail_msg("%s, dt %g: %d residuals", solvers[i], steps[j], counts.most);
      scene_run_close(&run);
    }
}

typedef struct FirstResiduals {
  int n;
  double most; /* |1 - |r|/|b|| */
} FirstResiduals;

static void note_linear(void *user, const SofaConvergenceRow *row) {
  FirstResiduals *first = user;
  if (row->kind != SOFA_CONVERGENCE_ITERATION || row->iteration > 0) return;
  first->n++;
  first->most = fmax(first->most, fabs(1 - row->relative_residual));
}

/* Iterations of a linear solver begin at no correction, not at the one before. */
static void corrections_begin_at_zero(void **state) {
  static const char *const solvers[] = {"<BDFOdeSolver/>", "<NewmarkImplicitSolver/>",
                                        "<VariationalSymplecticSolver/>"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++) {
    char text[2000];
    FirstResiduals first = {0};
    const SofaConvergence observer = {.row = note_linear, .user = &first};
    SceneRun run;
    snprintf(text, sizeof text,
             SCENE("%s<NewtonRaphsonSolver maxNbIterationsNewton='60'/><PCGLinearSolver "
                   "iterations='50' tolerance='1e-24'/>",
                   "<FarFloor name='floor' stiffness='0' wave='0.1'/>"
                   "<RestShapeSpringsForceField stiffness='40'/>"),
             solvers[i]);
    assert_int_equal(load(&run, text, true), SOFA_OK);
    sofa_convergence_observe(run.ctx, &observer);
    scene_run_steps(&run, 3);
    if (!(first.n > 6 && first.most < 1e-12))
      fail_msg("%s: %d, %g", solvers[i], first.n, first.most);
    scene_run_close(&run);
  }
}

/* Where searches along the exact tangent shorten steps, every solver asks for the tangent that
 * descends; not where no step is shortened. */
static void tangents_that_descend(void **state) {
  static const char *const solvers[] = {
      "<StaticSolver/>" NEWTON,          "<BDFOdeSolver/>" NEWTON,
      "<NewmarkImplicitSolver/>" NEWTON, "<VariationalSymplecticSolver/>" NEWTON,
      "<StaticODESolver" CARIBOU,        "<LegacyStaticODESolver" CARIBOU,
      "<BackwardEulerODESolver" CARIBOU,
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++) {
    int n = 0;
    for (int wave = 0; wave < 60; wave += 6) {
      char text[2000];
      SceneRun run;
      snprintf(text, sizeof text,
               SCENE("%s", "<RestShapeSpringsForceField stiffness='40'/>"
                           "<FarFloor name='floor' stiffness='0' wave='%d'/>"),
               solvers[i], wave);
      assert_int_equal(load(&run, text, true), SOFA_OK);
      for (int k = 0; k < 3; k++) (void)sofa_simulation_step(run.simulation, 0);
      const Floor *floor = (const Floor *)scene_run_object(&run, "/floor");
      assert_false(wave == 0 && floor->descends);
      n += floor->descends;
      scene_run_close(&run);
    }
    if (n == 0) fail_msg("%s never asks for it", solvers[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guesses_by_velocity),
      cmocka_unit_test(first_guesses),
      cmocka_unit_test(whole_steps_near_the_end),
      cmocka_unit_test(equilibria),
      cmocka_unit_test(motions),
      cmocka_unit_test(changed_forces),
      cmocka_unit_test(corrections_are_of_velocities),
      cmocka_unit_test(own_states),
      cmocka_unit_test(imposed_motions),
      cmocka_unit_test(refused_solvers),
      cmocka_unit_test(limiters_without_a_look_ahead),
      cmocka_unit_test(the_same_motion_without_limits),
      cmocka_unit_test(tangents_that_descend),
      cmocka_unit_test(corrections_begin_at_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
