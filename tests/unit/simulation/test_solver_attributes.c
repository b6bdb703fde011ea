/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every attribute of EulerImplicitSolver, VariationalSymplecticSolver, BackwardEulerODESolver and
 * StaticODESolver does what it says on a small scene, and bad values are refused in words. */
#include "tests/unit/simulation/integrators.h"

#include <unistd.h>

typedef enum Effect {
  MOVES,  /* another motion than without */
  STAYS,  /* the same, bit by bit, without a word */
  TOLD,   /* the same, but a warning says `words` */
  REFUSED /* the scene is not run: an error says `words` */
} Effect;

typedef struct Row {
  const char *attributes;
  Effect effect;
  const char *words;
  const char *beside; /* attributes of both runs */
} Row;

#define NUMBER "expected a number"
#define NEGATIVE "expected >= 0"
static const Row euler[] = {
    {"rayleighStiffness='0.1'", MOVES, NULL, ""},
    {"rayleighStiffness='-0.1'", REFUSED, "'rayleighStiffness': -0.1, " NEGATIVE, ""},
    {"rayleighStiffness='nan'", REFUSED, NUMBER, ""},
    {"rayleighMass='0.5'", MOVES, NULL, ""},
    {"rayleighMass='-1'", REFUSED, "'rayleighMass': -1, " NEGATIVE, ""},
    {"vdamping='2'", MOVES, NULL, ""},
    {"vdamping='-2'", REFUSED, "'vdamping': -2, " NEGATIVE, ""},
    {"vdamping='much'", REFUSED, NUMBER, ""},
    {"firstOrder='1'", MOVES, NULL, ""},
    {"firstOrder='yes'", REFUSED, "expected 0, 1, true or false", ""},
    {"trapezoidalScheme='1'", MOVES, NULL, ""},
    {"computeResidual='1'", STAYS, NULL, ""},
    {"linearSolver='@rough'", MOVES, NULL, ""},
    {"linearSolver='@nowhere'", REFUSED, "nothing was found", ""},
    {"linearSolver='@state'", REFUSED, "expected a linear solver", ""},
    {"solveConstraint='1'", STAYS, NULL, ""},
};
static const Row variational[] = {
    {"newtonError='1e-9'", MOVES, NULL, "steps='9'"},
    {"newtonError='-1'", REFUSED, "'newtonError': -1, " NEGATIVE, ""},
    {"newtonError='nan'", REFUSED, NUMBER, ""},
    {"steps='1'", MOVES, "not converged", "newtonError='1e-12'"},
    {"steps='0'", REFUSED, "'steps': 0, expected >= 1", ""},
    {"steps='-1'", REFUSED, "'steps': -1", ""},
    {"steps='-3'", REFUSED, "out of range", ""},
    {"rayleighStiffness='0.1'", MOVES, NULL, ""},
    {"rayleighStiffness='-1'", REFUSED, NEGATIVE, ""},
    {"rayleighStiffness='0.1'", TOLD, "no effect with explicitIntegration",
     "explicitIntegration='1'"},
    {"rayleighMass='0.5'", MOVES, NULL, ""},
    {"rayleighMass='0.5'", MOVES, NULL, "explicitIntegration='1'"},
    {"rayleighMass='-1'", REFUSED, NEGATIVE, ""},
    {"explicitIntegration='1'", MOVES, NULL, ""},
    {"computeHamiltonian='0'", STAYS, NULL, ""},
    {"useIncrementalPotentialEnergy='0'", STAYS, NULL, ""},
    {"saveEnergyInFile='1' file='energy.csv'", STAYS, NULL, ""},
    {"saveEnergyInFile='1'", TOLD, "without a name in 'file'", ""},
    {"saveEnergyInFile='1' file='no/such/folder.csv'", REFUSED, "there is no folder", ""},
    {"linearSolver='@rough'", MOVES, NULL, ""},
    {"linearSolver='@nowhere'", REFUSED, "nothing was found", ""},
};
/* Where the static solution begins at the equilibrium, no ratio of residuals can fall. */
#define RESTS "absolute_residual_tolerance_threshold='1e-9'"
#define CARIBOU_ROWS                                                                               \
  {"newton_iterations='1'", MOVES, "not converged after 1 iterations", ""},                        \
      {"newton_iterations='0'", REFUSED, "expected >= 1", ""},                                     \
      {"newton_iterations='-1'", REFUSED, "'newton_iterations': -1", ""},                          \
      {"newton_iterations='1.5'", REFUSED, "expected an integer", ""},                             \
      {"correction_tolerance_threshold='0.9'", MOVES, NULL, ""},                                   \
      {"correction_tolerance_threshold='nan'", REFUSED, NUMBER, ""},                               \
      {"residual_tolerance_threshold='1e6'", MOVES, NULL, ""},                                     \
      {"residual_tolerance_threshold='small'", REFUSED, NUMBER, ""},                               \
      {"absolute_residual_tolerance_threshold='1e9'", MOVES, NULL, ""},                            \
      {"pattern_analysis_strategy='NEVER'", STAYS, NULL, RESTS},                                   \
      {"pattern_analysis_strategy='BEGINNING_OF_THE_SIMULATION'", STAYS, NULL, RESTS},             \
      {"pattern_analysis_strategy='BEGINNING_OF_THE_TIME_STEP'", STAYS, NULL, RESTS},              \
      {"pattern_analysis_strategy='ALWAYS'", STAYS, NULL, RESTS},                                  \
      {"pattern_analysis_strategy='SOMETIMES'", REFUSED, "'BEGINNING_OF_THE_TIME_STEP' or", ""},   \
      {"linear_solver='@other'", MOVES, NULL, RESTS},                                              \
      {"linear_solver='@nowhere'", REFUSED, "nothing was found", ""}, {                            \
    "linear_solver='@grid'", REFUSED, "expected a linear solver", ""                               \
  }
static const Row backward[] = {
    CARIBOU_ROWS,
    {"absolute_residual_tolerance_threshold='-1'", STAYS, NULL, ""},
    {"rayleigh_stiffness='0.1'", MOVES, NULL, ""},
    {"rayleigh_stiffness='-0.1'", REFUSED, "'rayleigh_stiffness': -0.1, " NEGATIVE, ""},
    {"rayleigh_mass='0.5'", MOVES, NULL, ""},
    {"rayleigh_mass='-0.5'", REFUSED, "'rayleigh_mass': -0.5, " NEGATIVE, ""},
};
static const Row equilibrium[] = {
    CARIBOU_ROWS,
    {"absolute_residual_tolerance_threshold='-1'", TOLD, "not converged after 20 iterations", ""},
};

static const struct {
  const char *name, *attributes, *linear;
  const Row *rows;
  size_t n;
} solvers[] = {
    {"EulerImplicitSolver", "",
     "<SparseLDLSolver name='ls'/><CGLinearSolver name='rough' tolerance='1e-3' threshold='0'/>",
     euler, sizeof euler / sizeof *euler},
    {"VariationalSymplecticSolver", "",
     "<SparseLDLSolver name='ls'/><CGLinearSolver name='rough' tolerance='1e-3' threshold='0'/>",
     variational, sizeof variational / sizeof *variational},
    {"BackwardEulerODESolver", "newton_iterations='20'",
     "<LDLTSolver name='ls'/><LLTSolver name='other'/>", backward,
     sizeof backward / sizeof *backward},
    {"StaticODESolver", "newton_iterations='20'",
     "<LDLTSolver name='ls'/><LLTSolver name='other'/>", equilibrium,
     sizeof equilibrium / sizeof *equilibrium},
};
enum { N_SOLVERS = sizeof solvers / sizeof *solvers };

/* A beam that bends a lot. `attributes` go before those the solver has anyway, where they are not
 * repeated. */
static SofaErr run_scene(size_t which, const char *attributes, const char *beside, SceneRun *run) {
  char text[3000];
  const char *own = solvers[which].attributes;
  if (strstr(attributes, "newton_iterations")) own = "";
  const bool named = strstr(attributes, "linear_solver") != NULL;
  snprintf(text, sizeof text,
           "<Node name='root' gravity='0 -10 0' dt='0.02'>" PLUGIN "<DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='a'><%s name='ode' %s %s %s %s/>%s"
           "<RegularGridTopology name='grid' n='3 3 4' min='0 0 0' max='1 1 2'/>"
           "<MechanicalObject name='state'/><UniformMass totalMass='3'/>"
           "<HexahedronFEMForceField youngModulus='1000' poissonRatio='0.3' method='large'/>"
           "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/></Node></Node>",
           solvers[which].name, attributes, beside, own,
           which >= 2 && !named ? "linear_solver='@ls'" : "", solvers[which].linear);
  memset(run, 0, sizeof *run);
  run->quiet = true;
  scene_run_context(run, NULL);
  SofaErr err = sofa_simulation_load_text(run->ctx, text, &run->simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run->simulation);
  return err;
}

static SofaErr steps(SceneRun *run, double *x) {
  SofaErr err = SOFA_OK;
  for (int i = 0; i < 5 && err == SOFA_OK; i++) err = sofa_simulation_step(run->simulation, 0);
  const SofaState *s = scene_run_state(run, "/a/state");
  assert_int_equal(sofa_state_size(s), 36);
  memcpy(x, s->position.data, 108 * sizeof *x);
  return err;
}

static void check_row(size_t which, const Row *row) {
  double x[108], without[108];
  SceneRun run;
  SofaErr err = run_scene(which, row->attributes, row->beside, &run);
#define EXPECT(condition)                                                                          \
  if (!(condition))                                                                                \
  fail_msg("%s %s %s: %s, said: %s", solvers[which].name, row->attributes, row->beside,            \
           #condition, run.all)
  EXPECT((err != SOFA_OK) == (row->effect == REFUSED));
  if (err == SOFA_OK) err = steps(&run, x);
  EXPECT((err != SOFA_OK) == (row->effect == REFUSED));
  EXPECT(!row->words || strstr(run.all, row->words));
  EXPECT((run.n_problems > 0) == (row->words != NULL));
  scene_run_close(&run);
  if (row->effect == REFUSED) return;
  assert_int_equal(run_scene(which, "", row->beside, &run), SOFA_OK);
  assert_int_equal(steps(&run, without), SOFA_OK);
  EXPECT((memcmp(x, without, sizeof x) != 0) == (row->effect == MOVES));
  scene_run_close(&run);
}

static void every_row(void **state) {
  (void)state;
  for (size_t s = 0; s < N_SOLVERS; s++)
    for (size_t i = 0; i < solvers[s].n; i++) check_row(s, &solvers[s].rows[i]);
}

/* Every field of the classes is in a row, but outputs and those said to be without effect. */
static void every_field_has_a_row(void **state) {
  (void)state;
  SceneRun run = {0};
  const SofaOrigin origin = {.emitter = "test"};
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_plugin_load(run.ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
  for (size_t s = 0; s < N_SOLVERS; s++) {
    const SofaClass *klass = sofa_factory_find(run.ctx, solvers[s].name, NULL);
    for (const SofaClass *k = klass; k != &sofa_ode_solver_class; k = k->base) {
      for (size_t i = 0; i < k->n_fields; i++) {
        const SofaField *field = &k->fields[i];
        bool found = field->flags & (SOFA_FIELD_OUTPUT | SOFA_FIELD_NO_EFFECT);
        for (size_t r = 0; r < solvers[s].n; r++)
          found |= strstr(solvers[s].rows[r].attributes, field->name) != NULL;
        if (!found) fail_msg("%s: %s has no row", klass->name, field->name);
      }
    }
  }
  scene_run_close(&run);
}

/* ---- outputs ---- */

static double real_of(SceneRun *run, const char *name) {
  SofaObject *ode = scene_run_object(run, "/a/ode");
  const SofaField *field = sofa_class_field(ode->klass, name);
  assert_int_equal(sofa_field_compute(ode, field), SOFA_OK);
  return *(const double *)sofa_field_value(ode, field);
}

static void residual_of_euler(void **state) {
  (void)state;
  for (int compute = 0; compute < 2; compute++) {
    SceneRun run;
    double x[108];
    assert_int_equal(run_scene(0, compute ? "computeResidual='1'" : "", "", &run), SOFA_OK);
    assert_int_equal(steps(&run, x), SOFA_OK);
    const double residual = real_of(&run, "residual");
    assert_true(compute ? residual > 0 && residual < 1e-3 : residual > 1e300);
    scene_run_close(&run);
  }
}

/* The energies of both forms, summed up or asked for, in the output and in the file; the output of
 * the start is the weight times height, which is lost to motion alone. */
static void energies(void **state) {
  (void)state;
  static const char *const ways[] = {"", "useIncrementalPotentialEnergy='0'",
                                     "explicitIntegration='1'",
                                     "explicitIntegration='1' useIncrementalPotentialEnergy='0'"};
  for (int k = 0; k < 4; k++) {
    for (int compute = 0; compute < 2; compute++) {
      SceneRun run;
      double x[108];
      unlink("energy.csv");
      assert_int_equal(run_scene(1, ways[k],
                                 compute
                                     ? "saveEnergyInFile='1' file='energy.csv' newtonError='1e-9'"
                                     : "saveEnergyInFile='1' file='energy.csv' "
                                       "newtonError='1e-9' computeHamiltonian='0'",
                                 &run),
                       SOFA_OK);
      assert_int_equal(steps(&run, x), SOFA_OK);
      const double h = real_of(&run, "hamiltonianEnergy");
      scene_run_close(&run);
      double time = 0, kinetic = 0, potential = 0, sum = 0;
      char line[200];
      int n = 0;
      FILE *file = fopen("energy.csv", "r");
      assert_non_null(file);
      assert_non_null(fgets(line, sizeof line, file));
      while (fgets(line, sizeof line, file) &&
             sscanf(line, "%lf,%lf,%lf,%lf", &time, &kinetic, &potential, &sum) == 4)
        n++;
      fclose(file);
      assert_int_equal(n, 5);
      assert_true(fabs(sum - h) < 1e-4 && fabs(kinetic + potential - sum) < 1e-3 && kinetic > 0);
      /* 3 kg, 10 m/s^2, 0.5 m; the step is nearly too large for the explicit form */
      if (!(fabs(sum - 15) < (k < 2 ? 0.6 : 3))) fail_msg("%s: %g", ways[k], sum);
      unlink("energy.csv");
    }
  }
}

/* A file that nothing is written to is not touched. */
static void files_are_not_lost(void **state) {
  (void)state;
  SceneRun run;
  double x[108];
  FILE *file = fopen("energy.csv", "w");
  fputs("mine", file);
  fclose(file);
  assert_int_equal(run_scene(1, "file='energy.csv'", "", &run), SOFA_OK);
  assert_int_equal(steps(&run, x), SOFA_OK);
  scene_run_close(&run);
  char line[20] = "";
  file = fopen("energy.csv", "r");
  assert_non_null(fgets(line, sizeof line, file));
  fclose(file);
  assert_string_equal(line, "mine");
  unlink("energy.csv");
}

/* What the strategies are for. */
static void analyses_of_the_strategies(void **state) {
  (void)state;
  static const char *const words[] = {"NEVER", "BEGINNING_OF_THE_SIMULATION",
                                      "BEGINNING_OF_THE_TIME_STEP", "ALWAYS"};
  for (size_t which = 2; which < 4; which++) {
    uint32_t analyses[4];
    for (int k = 0; k < 4; k++) {
      SceneRun run;
      char text[100];
      double x[108];
      snprintf(text, sizeof text, "pattern_analysis_strategy='%s'", words[k]);
      assert_int_equal(run_scene(which, text, "", &run), SOFA_OK);
      assert_int_equal(steps(&run, x), SOFA_OK);
      const SofaObject *ls = scene_run_object(&run, "/a/ls");
      analyses[k] =
          *(const uint32_t *)sofa_field_value(ls, sofa_class_field(ls->klass, "analyses"));
      scene_run_close(&run);
    }
    assert_int_equal(analyses[0], 1);
    assert_int_equal(analyses[1], 1);
    assert_true(analyses[2] > 1 && analyses[2] <= 5 && analyses[3] > analyses[2]);
  }
}

/* With keep_going a bad value is told and used, as in SOFA. */
static void bad_values_of_runs_that_go_on(void **state) {
  (void)state;
  char text[1000];
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.keep_going = true};
  scene_run_context(&run, &options);
  snprintf(text, sizeof text,
           "<Node name='root' gravity='0 -10 0' dt='0.02'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><EulerImplicitSolver vdamping='-2'/><CGLinearSolver/>"
           "<MechanicalObject name='state'/><UniformMass totalMass='1'/></Node>");
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_non_null(strstr(run.all, "vdamping"));
  scene_run_steps(&run, 1);
  const SofaState *s = scene_run_state(&run, "/state");
  assert_true(fabs(s->velocity.data[1] + 0.2 * exp(0.04)) < 1e-12);
  scene_run_close(&run);
}

/* Rows of iterations are not made room for where nobody will make them. */
static void more_iterations_than_memory(void **state) {
  (void)state;
  static const char *const texts[] = {
      "<StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='4000000000'/><SparseLDLSolver/>",
      "<StaticODESolver newton_iterations='4000000000'/><LDLTSolver/>",
      "<EulerImplicitSolver/><CGLinearSolver iterations='4000000000' tolerance='1e-9'/>",
      "<EulerImplicitSolver/><PCGLinearSolver iterations='4000000000' tolerance='1e-9'/>",
      "<EulerImplicitSolver/><MinResLinearSolver iterations='4000000000' tolerance='1e-9'/>",
      "<StaticODESolver/><ConjugateGradientSolver maximum_number_of_iterations='4000000000'/>"};
  static const char *const counts[] = {"'maxNbIterationsNewton': -1",
                                       "'newton_iterations': -1",
                                       "'iterations': -1",
                                       "'iterations': -1",
                                       "'iterations': -1",
                                       "'maximum_number_of_iterations': -1"};
  for (int k = 0; k < 12; k++) {
    char text[1500];
    SceneRun run = {.quiet = true};
    scene_run_context(&run, NULL);
    snprintf(text, sizeof text,
             "<Node name='root' gravity='0 -10 0' dt='0.02'>" PLUGIN "<DefaultAnimationLoop/>"
             "<DefaultVisualManagerLoop/>%s<MechanicalObject position='0 0 0 1 1 1'/>"
             "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='50'/></Node>",
             texts[k / 2]);
    if (k % 2) memcpy(strstr(text, "4000000000"), "-1        ", 10);
    SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
    if ((err != SOFA_OK) != k % 2) fail_msg("%s: %s", texts[k / 2], run.all);
    if (k % 2) assert_non_null(strstr(run.all, counts[k / 2]));
    scene_run_close(&run);
  }
}

/* The Newton solver that a StaticSolver makes stands where the StaticSolver does. */
static void place_of_a_solver_that_was_made(void **state) {
  SceneRun run;
  FILE *file = fopen("static.scn", "w");
  (void)state;
  assert_non_null(file);
  fputs("<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>\n<CGLinearSolver/>\n"
        "<StaticSolver name='static' newton_iterations='5'/>\n<MechanicalObject position='0 0 0'/>"
        "<UniformMass totalMass='1'/><RestShapeSpringsForceField stiffness='50'/></Node>\n",
        file);
  fclose(file);
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load(run.ctx, "static.scn", &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  const SofaObject *newton = scene_run_object(&run, "/newtonSolver");
  assert_int_equal(newton->line, 3);
  assert_non_null(strstr(newton->file, "static.scn"));
  scene_run_close(&run);
  unlink("static.scn");
}

int main(void) {
  char folder[] = "/tmp/csofa-attributes-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row),
      cmocka_unit_test(every_field_has_a_row),
      cmocka_unit_test(residual_of_euler),
      cmocka_unit_test(energies),
      cmocka_unit_test(files_are_not_lost),
      cmocka_unit_test(analyses_of_the_strategies),
      cmocka_unit_test(bad_values_of_runs_that_go_on),
      cmocka_unit_test(more_iterations_than_memory),
      cmocka_unit_test(place_of_a_solver_that_was_made),
  };
  const int failures = cmocka_run_group_tests(tests, NULL, NULL);
  unlink("energy.csv");
  return chdir("/") != 0 || rmdir(folder) != 0 || failures;
}
