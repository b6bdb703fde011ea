/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line search of NewtonRaphsonSolver where loads lead past a limit point: a shallow arch of
 * corotational hexahedra with the exact tangent snaps through. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "simulation/convergence.h"

enum { CELLS = 40, STEPS = 30 };

/* Steps whose last iteration did not converge, iterations of all, and how often they began again.
 */
typedef struct Count {
  int unconverged, iterations, again;
  uint64_t step;
  bool diverged;
} Count;

static void count(void *user, const SofaConvergenceRow *row) {
  Count *c = user;
  if (row->kind != SOFA_CONVERGENCE_NEWTON) return;
  c->iterations += row->iteration > 0;
  c->again += row->iteration == 0 && row->step == c->step;
  c->unconverged += row->step != c->step && c->diverged;
  c->step = row->step;
  c->diverged = strncmp(row->reason, "Diverged", 8) == 0;
}

static const char *positions(double span, double rise) {
  static char text[60000];
  const double radius = (span * span / 4 + rise * rise) / (2 * rise),
               half = asin(span / 2 / radius);
  size_t used = 0;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 2; j++)
      for (int i = 0; i <= CELLS; i++) {
        const double r = radius - 0.025 + 0.025 * k, turn = -half + 2 * half * i / CELLS;
        used += (size_t)snprintf(text + used, sizeof text - used, "%.17g %.17g %.17g ",
                                 r * sin(turn), 0.1 * j, r * cos(turn) - (radius - rise));
      }
  return text;
}

/* Loads the crown of an arch, fixed at both ends, in equal increments; *end: its last height. */
static Count press(const char *newton, const char *words, double load, double *end) {
  static char text[100000];
  const SofaContextOptions options = {.quirk_words = words};
  SceneRun run = {.quiet = true};
  Count c = {0};
  const SofaConvergence observer = {count, &c};
  const int row = CELLS + 1, crown = CELLS / 2 + 2 * 2 * row;
  snprintf(text, sizeof text,
           "<Node name='root' dt='1' gravity='0 0 0'><DefaultAnimationLoop/><StaticSolver/>"
           "<NewtonRaphsonSolver name='newton' maxNbIterationsNewton='50' "
           "absoluteResidualStoppingThreshold='1e-8' relativeInitialStoppingThreshold='0' "
           "relativeSuccessiveStoppingThreshold='0' %s/><SparseLDLSolver/>"
           "<RegularGridTopology name='grid' n='%d 2 3' min='0 0 0' max='1 1 1'/>"
           "<MechanicalObject name='state' position='%s'/>"
           "<HexahedronFEMForceField method='polar' consistent='1' youngModulus='1e6' "
           "poissonRatio='0.3'/>"
           "<BoxROI name='ends' box='-2 -1 -1 -0.9999 1 1 0.9999 -1 -1 2 1 1'/>"
           "<FixedProjectiveConstraint indices='@ends.indices'/><LinearForceField points='%d %d' "
           "times='0 %d' forces='0 0 %.17g 0 0 %.17g'/></Node>",
           newton, CELLS + 1, positions(2.05, 0.3), crown, crown + row, STEPS - 1,
           -load / STEPS / 2, -load / 2);
  scene_run_context(&run, &options);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  sofa_convergence_observe(run.ctx, &observer);
  scene_run_steps(&run, STEPS);
  sofa_convergence_observe(run.ctx, NULL);
  c.unconverged += c.diverged;
  *end = scene_run_state(&run, "/state")->position.data[3 * crown + 2];
  // what did not converge is said
  assert_true((run.n_problems > 0) == (c.unconverged > 0) || *newton);
  scene_run_close(&run);
  return c;
}

static void snap_through_of_an_arch(void **state) {
  (void)state;
  static const char *const searches[] = {"", "maxNbIterationsLineSearch='2'",
                                         "maxNbIterationsLineSearch='10'"};
  double end[4];
  for (int i = 0; i < 3; i++) {
    const Count c = press(searches[i], NULL, 60, &end[i]);
    assert_true(c.unconverged == 0 && c.iterations < 200);
    assert_true(end[i] < -0.2 && fabs(end[i] - end[0]) < 1e-9);
  }
  // by the residual alone it is worse than none
  const Count c = press(searches[2], "residual-search", 60, &end[3]);
  assert_true(c.unconverged > 0);
}

/* Other loads pass the limit point elsewhere, and some need the search there: all end at an
 * equilibrium. */
static void a_search_is_never_worse_than_none(void **state) {
  (void)state;
  static const double loads[] = {75, 76, 77, 83, 84};
  int without = 0, with = 0, again = 0;
  for (size_t n = 0; n < sizeof loads / sizeof *loads; n++) {
    double end[2];
    const Count none = press("", NULL, loads[n], &end[0]);
    const Count ten = press("maxNbIterationsLineSearch='10'", NULL, loads[n], &end[1]);
    without += none.unconverged;
    with += ten.unconverged;
    again += ten.again;
    assert_true(ten.unconverged <= none.unconverged);
    // a step that needs no search is the same
    if (!ten.again) assert_true(ten.iterations == none.iterations && end[0] == end[1]);
  }
  assert_true(without > 0 && with == 0 && again > 0);
}

/* Of the searches of a run that fail the first one is a warning; a reset begins another run. */
static void the_first_failure_is_a_warning(void **state) {
  static const char scene[] =
      "<Node name='root' dt='0.05' gravity='0.5 -4 1'><DefaultAnimationLoop/>"
      "<DefaultVisualManagerLoop/><StaticSolver/><NewtonRaphsonSolver maxNbIterationsNewton='6' "
      "maxNbIterationsLineSearch='5' lineSearchCoefficient='0.3' warnWhenDiverge='0'/>"
      "<SparseLDLSolver/><MechanicalObject name='state' position='0 0 0  1 0 0  2 0.1 0  3 0 0.2'/>"
      "<UniformMass vertexMass='0.5'/>"
      "<StiffSpringForceField spring='0 1 80 0.7 0.9  1 2 60 0.5 1  2 3 90 0.4 1.1'/>"
      "<FixedProjectiveConstraint indices='0'/>"
      "<LinearMovementProjectiveConstraint indices='3' keyTimes='0 1' movements='0 0 0 0.5 0 1'/>"
      "</Node>";
  SceneRun run;
  double start[12];
  (void)state;
  scene_run_open(&run, scene, NULL);
  run.quiet = true;
  SofaState *s = scene_run_state(&run, "/state");
  memcpy(start, s->position.data, sizeof start);
  for (int k = 0; k < 4; k++) {
    memcpy(s->position.data, start, sizeof start);
    scene_run_steps(&run, 1);
    assert_int_equal(run.n_problems, 1 + k / 2);
    assert_non_null(strstr(run.last, "a line search did not reduce"));
    if (k == 1) assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
  }
  scene_run_close(&run);
}

/* No trials are one, which the field then says. */
static void no_trials_are_one(void **state) {
  SceneRun run = {.quiet = true};
  (void)state;
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx,
                                             "<Node><DefaultAnimationLoop/><NewtonRaphsonSolver "
                                             "name='n' maxNbIterationsLineSearch='0'/></Node>",
                                             &run.simulation),
                   SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_int_equal(run.n_problems, 1);
  assert_non_null(strstr(run.last, "0, 1 is used"));
  const SofaObject *newton = scene_run_object(&run, "/n");
  SofaText text = {0};
  assert_int_equal(
      sofa_field_print(newton, sofa_class_field(newton->klass, "maxNbIterationsLineSearch"), &text),
      SOFA_OK);
  assert_string_equal(text.data, "1");
  sofa_list_free(run.ctx, &text);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snap_through_of_an_arch),
      cmocka_unit_test(a_search_is_never_worse_than_none),
      cmocka_unit_test(the_first_failure_is_a_warning),
      cmocka_unit_test(no_trials_are_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
