/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bodies that nothing connects move as each of them does alone: with every ODE solver, several in a
 * state and several states, frames and points. */
#include "tests/unit/simulation/integrators.h"

static const char *const solvers[] = {
    "<EulerImplicitSolver/>" LDL,
    "<EulerImplicitSolver trapezoidalScheme='1'/>" LDL,
    "<EulerImplicitSolver rayleighMass='0.3' rayleighStiffness='0.01' vdamping='0.2'/>" LDL,
    "<EulerImplicitSolver firstOrder='1'/>" LDL,
    "<EulerExplicitSolver/>",
    "<EulerExplicitSolver symplectic='0'/>",
    "<CentralDifferenceSolver rayleighMass='0.3'/>",
    "<CentralDifferenceSolver/>",
    "<RungeKutta2Solver/>",
    "<RungeKutta4Solver/>",
    "<NewmarkImplicitSolver/>" LDL,
    "<NewmarkImplicitSolver rayleighMass='0.3' rayleighStiffness='0.01' gamma='0.7' "
    "beta='0.4'/>" LDL,
    "<BackwardEulerODESolver " CARIBOU "/>" LDLT,
    VARIATIONAL,
    "<VariationalSymplecticSolver newtonError='1e-15' steps='30' rayleighMass='0.3' "
    "rayleighStiffness='0.01'/>" LDL,
    "<VariationalSymplecticSolver explicitIntegration='1' rayleighMass='0.3'/>" LDL,
    BDF(1),
    BDF(2),
    "<BDFOdeSolver order='2' rayleighMass='0.3' rayleighStiffness='0.01'/>" EXACT_NEWTON LDL,
    BDF(3),
    "<BDFIntegrationScheme/>" LDL,
    "<DampVelocitySolver threshold='0.5'/><EulerImplicitSolver/>" LDL,
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

/* ---- bodies ---- */

enum { N_BODIES = 4 };

typedef struct Kind {
  const char *name;
  int width, deriv;
  const char *position[N_BODIES], *velocity[N_BODIES], *rest[N_BODIES];
  const char *mass;
} Kind;

static const Kind kinds[] = {
    {"Rigid3d",
     7,
     6,
     {"0 0 0 0.1 0.2 0.3 0.927", "3 1 0 0.5 0.5 0.5 0.5", "1 5 2 0 0 0 1", "7 7 7 0.6 0 0.8 0"},
     {"1 0 2 0.3 2 -1", "0 0 0 3 0.1 0.2", "0.2 0.1 -1 0 0 0", "0.1 0 0.1 -1 0.5 2"},
     {"0.1 0 0 0 0 0 1", "3 1 0.2 0.5 0.5 0.5 0.5", "1 5 2 0 0.6 0 0.8", "7 7 7 0.6 0 0.8 0"},
     "<UniformMass vertexMass='2 1 [1 0.1 0, 0.1 2 0.2, 0 0.2 3]'/>"},
    {"Vec3d",
     3,
     3,
     {"0 0 0", "3 1 0", "1 5 2", "7 7 7"},
     {"1 0 2", "0 0 0", "0.2 0.1 -1", "0.1 0 0.1"},
     {"0.1 0 0", "3 1 0.2", "1 5 2", "7 6 7"},
     "<UniformMass vertexMass='2'/>"},
};

static void join(char *to, size_t size, const char *const *list, size_t first, size_t n) {
  *to = 0;
  for (size_t i = first; i < first + n; i++) {
    const size_t used = strlen(to);
    assert_true(snprintf(to + used, size - used, "%s ", list[i]) < (int)(size - used));
  }
}

/* Bodies `first` to `first` + n of a state in a node of their own. */
static void add_bodies(char *text, size_t size, const Kind *kind, size_t first, size_t n) {
  char x[400], v[400], rest[400];
  const size_t used = strlen(text);
  join(x, sizeof x, kind->position, first, n);
  join(v, sizeof v, kind->velocity, first, n);
  join(rest, sizeof rest, kind->rest, first, n);
  const int length = snprintf(
      text + used, size - used,
      "<Node name='n%zu'><MechanicalObject name='state' template='%s' position='%s' velocity='%s' "
      "rest_position='%s'/>%s<RestShapeSpringsForceField stiffness='20' "
      "angularStiffness='%d'/></Node>",
      first, kind->name, x, v, rest, kind->mass, kind->width == 7 ? 9 : 0);
  assert_true(length > 0 && (size_t)length < size - used);
}

static void take(SceneRun *run, const Kind *kind, size_t first, size_t n, double *out) {
  char path[40];
  const size_t width = (size_t)(kind->width + kind->deriv);
  snprintf(path, sizeof path, "/n%zu/state", first);
  const SofaState *s = scene_run_state(run, path);
  for (size_t i = 0; i < n; i++) {
    double *to = out + (first + i) * width;
    memcpy(to, s->position.data + i * (size_t)kind->width, (size_t)kind->width * sizeof *to);
    memcpy(to + kind->width, s->velocity.data + i * (size_t)kind->deriv,
           (size_t)kind->deriv * sizeof *to);
  }
}

/* Positions and velocities of bodies in `n_states` states of `each` after some steps. */
static void move(const char *solver, const Kind *kind, size_t first, size_t n_states, size_t each,
                 double *out) {
  static char text[8000];
  SceneRun run;
  snprintf(text, sizeof text,
           "<Node name='root' dt='0.02' gravity='0.5 -1 0.2'>" PLUGIN
           "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s",
           solver);
  for (size_t i = 0; i < n_states; i++) add_bodies(text, sizeof text, kind, first + i * each, each);
  strcat(text, "</Node>");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 7);
  for (size_t i = 0; i < n_states; i++) take(&run, kind, first + i * each, each, out);
  scene_run_close(&run);
}

static int compare(const char *solver, const Kind *kind, const char *how, const double *a,
                   const double *b) {
  for (int k = 0; k < N_BODIES * (kind->width + kind->deriv); k++)
    if (!(fabs(a[k] - b[k]) <= 1e-9)) {
      fprintf(stderr, "%s, %s, %s: entry %d is %.12g, alone %.12g\n", solver, kind->name, how, k,
              a[k], b[k]);
      return 1;
    }
  return 0;
}

static void as_alone(void **state) {
  int failed = 0;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++)
    for (size_t k = 0; k < SOFA_COUNT(kinds); k++) {
      double alone[N_BODIES * 13], together[N_BODIES * 13];
      for (size_t one = 0; one < N_BODIES; one++) move(solvers[i], &kinds[k], one, 1, 1, alone);
      move(solvers[i], &kinds[k], 0, 1, N_BODIES, together);
      failed += compare(solvers[i], &kinds[k], "in a state", together, alone);
      move(solvers[i], &kinds[k], 0, 2, N_BODIES / 2, together);
      failed += compare(solvers[i], &kinds[k], "in two states", together, alone);
    }
  assert_int_equal(failed, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_has_a_case),
      cmocka_unit_test(as_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
