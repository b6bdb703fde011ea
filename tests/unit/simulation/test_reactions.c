/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces, places and reactions of a recorded state belong to the same time. */
#include "tests/support/scene_run.h"

#include <math.h>
#include <unistd.h>

#include "behavior/ode_solver.h"
#include "behavior/projective.h"

/* A bar of 4 x 2 x 2 points, held at x = 0; the last points (3 7 11 15) are free for a second
 * constraint. */
static const char bar[] =
    "<Node name='root' dt='0.1' gravity='0 -10 1'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>%s"
    "<RegularGridTopology name='grid' n='4 2 2' min='0 0 0' max='3 1 1'/>"
    "<MechanicalObject name='state'/><UniformMass totalMass='2'/>"
    "<HexahedronFEMForceField method='small' youngModulus='2000' poissonRatio='0.3'/>"
    "<FixedProjectiveConstraint name='fixed' indices='0 4 8 12'/>%s</Node></Node>";

#define STATIC                                                                                     \
  "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='20' "                                \
  "absoluteResidualStoppingThreshold='1e-11'/><SparseLDLSolver/>"
#define ENDS "indices='3 7 11 15' "

/* Classes that hold or move points; moves: the places of these change with time. */
static const struct {
  const char *name, *fields;
  bool moves, curved;
} cases[] = {
    {"AffineMovementProjectiveConstraint",
     ENDS "beginConstraintTime='0' endConstraintTime='1' translation='0.2 0.1 0'", true, false},
    {"AttachProjectiveConstraint",
     "object1='@state' object2='@state' indices1='3 7' indices2='11 15' twoWay='1' "
     "positionFactor='0' velocityFactor='0' responseFactor='1'",
     false, true},
    {"DirectionProjectiveConstraint", ENDS "direction='1 -1 0'", false, false},
    {"FixedPlaneProjectiveConstraint", "direction='1 0 0' dmin='2.5' dmax='3.5'", false, false},
    {"FixedProjectiveConstraint", ENDS, false, false},
    {"HermiteSplineProjectiveConstraint",
     "indices='3' X0='3 0 0' dX0='0.1 0 0' X1='3.1 0.1 0' dX1='0.1 0 0' SX0='0 0' SX1='0 0' "
     "BeginTime='0' EndTime='1'",
     true, true},
    {"LineProjectiveConstraint", "indices='3' origin='3 0 0' direction='1 -1 0'", false, false},
    {"LinearMovementProjectiveConstraint",
     ENDS "keyTimes='0 0.5 1' movements='0 0 0  0.1 0 0  0.1 0.2 0'", true, false},
    {"LinearVelocityProjectiveConstraint", ENDS "keyTimes='0 1' velocities='0.1 0 0  0.1 0 0'",
     false, false},
    {"OscillatorProjectiveConstraint", "oscillators='3  3 0 0  0.1 0.05 0  2 0'", true, true},
    {"ParabolicProjectiveConstraint",
     "indices='3' P1='3 0 0' P2='3.05 0.1 0' P3='3.1 0 0' BeginTime='0' EndTime='1'", true, true},
    {"PartialFixedProjectiveConstraint", ENDS "fixedDirections='1 0 1'", false, false},
    {"PartialLinearMovementProjectiveConstraint",
     ENDS "keyTimes='0 1' movements='0 0 0  0.2 0.1 0' movedDirections='1 0 1'", true, false},
    {"PatchTestMovementProjectiveConstraint",
     ENDS "beginConstraintTime='0' endConstraintTime='1' cornerPoints='0 0 0  4 0 0  4 2 0  0 2 0' "
          "cornerMovements='0 0 0  0.1 0.1 0  0.1 0 0  0 0 0'",
     true, false},
    {"PlaneProjectiveConstraint", "indices='3' origin='3 0 0' normal='1 1 0'", false, false},
    {"PointProjectiveConstraint", "indices='3' point='3 0 0'", false, false},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void open_bar(SceneRun *run, const char *solver, const char *constraint, const char *words) {
  char text[4000];
  const SofaOrigin origin = {.emitter = "test"};
  memset(run, 0, sizeof *run);
  scene_run_context(run, &(SofaContextOptions){.quirk_words = words});
  assert_int_equal(sofa_plugin_load(run->ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  snprintf(text, sizeof text, bar, solver, constraint);
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

static void open_case(SceneRun *run, const char *solver, size_t k, const char *words) {
  char constraint[1000];
  snprintf(constraint, sizeof constraint, "<%s name='second' %s/>", cases[k].name, cases[k].fields);
  open_bar(run, solver, constraint, words);
}

/* The value of a field, as a reader takes it. */
static const SofaCoords *read_field(SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  if (!field) return NULL;
  assert_int_equal(sofa_field_compute(object, field), SOFA_OK);
  return sofa_field_value(object, field);
}

static void add_sum(const SofaCoords *list, double sum[3]) {
  for (size_t i = 0; list && i < list->n; i++)
    for (int c = 0; c < 3; c++) sum[c] += list->data[3 * i + (size_t)c];
}

static void add_reactions(SceneRun *run, const char *path, double sum[3]) {
  SofaObject *object = scene_run_object(run, path);
  add_sum(read_field(object, "reactions"), sum);
  add_sum(read_field(object, "reactions2"), sum);
}

/* ---- reactions ---- */

static void every_class_has_reactions(void **state) {
  (void)state;
  /* rigid frames: below; targets of PositionBasedDynamics hold nothing in a solution */
  static const char *const others[] = {
      "FixedRotationProjectiveConstraint", "FixedTranslationProjectiveConstraint",
      "SkeletalMotionProjectiveConstraint", "PositionBasedDynamicsProjectiveConstraint"};
  SceneRun run;
  open_bar(&run, STATIC, "", NULL);
  for (size_t i = 0; i < sofa_factory_n_classes(run.ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(run.ctx, i);
    bool listed = false;
    if (klass->abstract || !sofa_class_ops(klass, SOFA_PROJECTIVE)) continue;
    for (size_t k = 0; k < N_CASES; k++) listed |= strcmp(cases[k].name, klass->name) == 0;
    for (size_t k = 0; k < 4; k++) listed |= strcmp(others[k], klass->name) == 0;
    const SofaField *field = sofa_class_field(klass, "reactions");
    if (!listed || !field || !(field->flags & SOFA_FIELD_LAZY)) fail_msg("%s", klass->name);
  }
  scene_run_close(&run);
}

/* Reactions and weight are in balance; dynamics: together they accelerate the masses. */
static void check_balance(const char *solver, size_t k, bool dynamics, double tolerance) {
  SceneRun run;
  double before[48], sum[3] = {0, -20, 2}, size = 22;
  open_case(&run, solver, k, NULL);
  scene_run_steps(&run, 2);
  const SofaState *s = scene_run_state(&run, "/body/state");
  memcpy(before, s->velocity.data, sizeof before);
  scene_run_steps(&run, 1);
  add_reactions(&run, "/body/fixed", sum);
  for (int c = 0; c < 3; c++) size += fabs(sum[c]);
  add_reactions(&run, "/body/second", sum);
  for (size_t i = 0; dynamics && i < 48; i++)
    sum[i % 3] -= 2.0 / 16 * (s->velocity.data[i] - before[i]) / 0.1;
  for (int c = 0; c < 3; c++)
    if (!(fabs(sum[c]) < tolerance * size))
      fail_msg("%s, %s: %g of %g", cases[k].name, dynamics ? "dynamics" : "statics", sum[c], size);
  scene_run_close(&run);
}

static void reactions_balance_loads(void **state) {
  (void)state;
  for (size_t k = 0; k < N_CASES; k++) {
    check_balance(STATIC, k, false, 1e-9);
    if (!cases[k].curved) check_balance("<EulerImplicitSolver/><SparseLDLSolver/>", k, true, 1e-9);
  }
}

/* The column of CSVRecorder is the sum of the constraints. */
static void reactions_are_recorded(void **state) {
  (void)state;
  SceneRun run;
  char text[500], path[] = "/tmp/csofa_reactions_XXXXXX", line[1000];
  const int file = mkstemp(path);
  int rows = 0;
  assert_true(file >= 0);
  snprintf(text, sizeof text,
           "<PartialFixedProjectiveConstraint indices='3 7 11 15' fixedDirections='0 1 1'/>"
           "<CSVRecorder filename='%s' columns='reaction'/>",
           path);
  open_bar(&run, STATIC, text, NULL);
  scene_run_steps(&run, 2);
  scene_run_close(&run);
  close(file);
  FILE *table = fopen(path, "r"); // the recorder has replaced the file
  assert_non_null(table);
  assert_non_null(fgets(line, sizeof line, table));
  assert_non_null(strstr(line, "rx[0] [N],ry[0] [N],rz[0] [N],rx[1]"));
  while (fgets(line, sizeof line, table)) {
    double sum[3] = {0, 0, 0};
    char *at = strchr(line, ',');
    for (int k = 0; k < 48 && at; k++) sum[k % 3] += strtod(at + 1, &at);
    const bool start = strtod(line, NULL) == 0;
    assert_true(start ||
                (fabs(sum[0]) < 1e-9 && fabs(sum[1] - 20) < 1e-8 && fabs(sum[2] + 2) < 1e-8));
    rows++;
  }
  assert_int_equal(rows, 3);
  fclose(table);
  remove(path);
}

/* A turning frame: a force at one end of a held frame gives its force and torque. */
static void reactions_of_frames(void **state) {
  (void)state;
  static const char scene[] =
      "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='body'>" STATIC
      "<MechanicalObject name='state' template='Rigid3d' position='0 0 0 0 0 0 1'/>"
      "<RestShapeSpringsForceField points='0' stiffness='100' angularStiffness='10'/>"
      "<ConstantForceField indices='0' forces='1 2 3 0 0 5'/>"
      "<FixedRotationProjectiveConstraint name='turn' FixedZRotation='1'/>"
      "<PartialFixedProjectiveConstraint name='fixed' indices='0' fixedDirections='1 0 0 0 0 0'/>"
      "</Node></Node>";
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 1);
  const SofaCoords *f = read_field(scene_run_object(&run, "/body/fixed"), "reactions");
  assert_int_equal(f->width, 6);
  assert_true(fabs(f->data[0] + 1) < 1e-12 && f->data[1] == 0 && f->data[5] == 0);
  scene_run_close(&run);
}

/* ---- times ---- */

/* A second step with SOFA's times is where the first one is without. */
static void movements_end_with_the_step(void **state) {
  (void)state;
  for (size_t k = 0; k < N_CASES; k++) {
    SceneRun run;
    double place[3];
    if (!cases[k].moves) continue;
    print_message("%s\n", cases[k].name);
    open_case(&run, STATIC, k, NULL);
    const SofaState *s = scene_run_state(&run, "/body/state");
    memcpy(place, s->position.data + 9, sizeof place);
    scene_run_steps(&run, 6);
    bool moved = false;
    for (int c = 0; c < 3; c++) moved |= place[c] != s->position.data[9 + c];
    memcpy(place, s->position.data + 9, sizeof place);
    scene_run_close(&run);

    open_case(&run, "<EulerImplicitSolver/><SparseLDLSolver/>", k, "late-movement");
    scene_run_steps(&run, 6);
    s = scene_run_state(&run, "/body/state");
    bool late = false;
    for (int c = 0; c < 3; c++) late |= fabs(place[c] - s->position.data[9 + c]) > 1e-6;
    scene_run_steps(&run, 1);
    for (int c = 0; c < 3; c++)
      if (strcmp(cases[k].name, "PartialLinearMovementProjectiveConstraint") != 0 || c != 1)
        if (fabs(place[c] - s->position.data[9 + c]) > 1e-9)
          fail_msg("%s: %g, not %g", cases[k].name, s->position.data[9 + c], place[c]);
    if (!moved || !late) fail_msg("%s does not move", cases[k].name);
    scene_run_close(&run);
  }
}

/* A movement ends at its last key, also where the step ends there to rounding. */
static void movements_reach_their_last_key(void **state) {
  (void)state;
  SceneRun run;
  open_bar(&run, STATIC,
           "<LinearMovementProjectiveConstraint indices='3 7 11 15' keyTimes='0 0.3' "
           "movements='0 0 0  0.3 0 0'/>",
           NULL);
  scene_run_steps(&run, 3);
  const SofaState *s = scene_run_state(&run, "/body/state");
  assert_true(fabs(s->position.data[9] - 3.3) < 1e-12);
  scene_run_steps(&run, 1);
  assert_true(fabs(s->position.data[9] - 3) < 0.1); /* let go */
  scene_run_close(&run);
}

/* The largest force of a point that nothing holds. */
static double free_force(SceneRun *run) {
  double most = 0;
  const SofaCoords *f = read_field(scene_run_object(run, "/body/state"), "force");
  for (size_t i = 0; i < f->n; i++)
    for (size_t c = 0; i % 4 != 0 && i % 4 != 3 && c < 3; c++)
      most = fmax(most, fabs(f->data[3 * i + c]));
  return most;
}

/* Moved ends, and a load that grows with time. */
static void static_steps_end_in_equilibrium(void **state) {
  (void)state;
  static const char *const solvers[][2] = {
      {STATIC, "late-movement,static-late-motion"},
      {"<StaticODESolver newton_iterations='5' absolute_residual_tolerance_threshold='1e-11' "
       "correction_tolerance_threshold='0' residual_tolerance_threshold='1e-12'/><LDLTSolver/>",
       "late-movement,caribou-static-late-motion"},
      {"<LegacyStaticODESolver newton_iterations='5' correction_tolerance_threshold='0' "
       "residual_tolerance_threshold='1e-12'/><LDLTSolver/>",
       "late-movement,caribou-static-late-motion"}};
  for (size_t k = 0; k < 3; k++)
    for (int quirk = 0; quirk < 2; quirk++) {
      SceneRun run;
      open_bar(&run, solvers[k][0],
               "<LinearMovementProjectiveConstraint indices='3 7 11 15' keyTimes='0 1' "
               "movements='0 0 0  0.3 0 0'/>"
               "<LinearForceField points='5' times='0 1' forces='0 0 0  10 20 30'/>",
               quirk ? solvers[k][1] : NULL);
      for (int step = 0; step < 3; step++) {
        scene_run_steps(&run, 1);
        const double force = free_force(&run);
        if (quirk ? !(force > 1) : !(force < 1e-8)) fail_msg("%s: %g N", solvers[k][0], force);
      }
      scene_run_close(&run);
    }
}

/* m a = f(x, v) at the end of a backward Euler step. */
static void forces_of_the_recorded_state(void **state) {
  (void)state;
  static const char scene[] =
      "<Node name='root' dt='0.1' gravity='0 0 0'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><Node name='body'><EulerImplicitSolver/><SparseLDLSolver/>"
      "<MechanicalObject name='state' position='1 0 0' rest_position='0 0 0'/>"
      "<UniformMass totalMass='2'/><RestShapeSpringsForceField points='0' stiffness='5'/>"
      "<CSVRecorder name='table' filename='%s' columns='position force'/></Node></Node>";
  for (int quirk = 0; quirk < 2; quirk++) {
    SceneRun run;
    char text[2000], path[] = "/tmp/csofa_forces_XXXXXX", line[400];
    double time, x[3], f[3];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(text, sizeof text, scene, path);
    scene_run_open(&run, text, &(SofaContextOptions){.quirk_words = quirk ? "late-forces" : NULL});
    scene_run_steps(&run, 3);
    const SofaState *s = scene_run_state(&run, "/body/state");
    const double place = s->position.data[0];
    const SofaCoords *force = read_field(scene_run_object(&run, "/body/state"), "force");
    assert_true(quirk ? fabs(force->data[0] + 5 * place) > 0.1
                      : fabs(force->data[0] + 5 * place) < 1e-12);
    scene_run_close(&run);

    close(file);
    FILE *table = fopen(path, "r"); // the recorder has replaced the file
    assert_non_null(table);
    while (fgets(line, sizeof line, table))
      if (sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &time, x, x + 1, x + 2, f, f + 1, f + 2) ==
              7 &&
          time > 0)
        assert_true((fabs(f[0] + 5 * x[0]) < 1e-9) == !quirk);
    fclose(table);
    remove(path);
  }
}

/* Reading forces and reactions does not change the motion. */
static void reading_changes_nothing(void **state) {
  (void)state;
#define LDL "<SparseLDLSolver/>"
  static const char *const solvers[] = {
      STATIC,
      "<EulerExplicitSolver/>",
      "<EulerImplicitSolver trapezoidalScheme='1'/>" LDL,
      "<NewmarkImplicitSolver/>" LDL,
      "<BDFOdeSolver order='3'/><NewtonRaphsonSolver warnWhenDiverge='0'/>" LDL,
      "<VariationalSymplecticSolver/>" LDL,
      "<VariationalSymplecticSolver explicitIntegration='1'/>",
      "<RungeKutta2Solver/>",
      "<RungeKutta4Solver/>",
      "<CentralDifferenceSolver/>",
      "<BackwardEulerODESolver newton_iterations='5'/>"
      "<LDLTSolver/>"};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    double end[2][48];
    for (int reads = 0; reads < 2; reads++) {
      SceneRun run;
      memset(&run, 0, sizeof run);
      open_bar(&run, solvers[k], "", NULL);
      run.quiet = true;
      run.simulation->root->dt = 0.01;
      for (int step = 0; step < 10; step++) {
        scene_run_steps(&run, 1);
        if (!reads) continue;
        (void)read_field(scene_run_object(&run, "/body/state"), "force");
        (void)read_field(scene_run_object(&run, "/body/fixed"), "reactions");
      }
      memcpy(end[reads], scene_run_state(&run, "/body/state")->position.data, sizeof end[reads]);
      scene_run_close(&run);
    }
    if (memcmp(end[0], end[1], sizeof end[0]) != 0) fail_msg("%s", solvers[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_class_has_reactions),
      cmocka_unit_test(reactions_balance_loads),
      cmocka_unit_test(reactions_are_recorded),
      cmocka_unit_test(reactions_of_frames),
      cmocka_unit_test(movements_end_with_the_step),
      cmocka_unit_test(movements_reach_their_last_key),
      cmocka_unit_test(static_steps_end_in_equilibrium),
      cmocka_unit_test(forces_of_the_recorded_state),
      cmocka_unit_test(reading_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
