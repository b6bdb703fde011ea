/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures every ODE solver: its order in h, the energy of a free body it integrates, its cost.
 *
 * usage: csofa_integrators [STEPS]      one JSON object on stdout; STEPS of the long run, 100000
 *
 * order: errors of x and v after 0.5 s of a mass between two springs, for n and 2 n steps, against
 * RungeKutta4Solver with 20000. energy: of 27 points joined by springs that turn and stretch, over
 * that of the start. cost: processor time of a step of a cantilever of 1 024 hexahedra. */
#include <sofa.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "behavior/ode_solver.h"
#include "components/builtins.h"
#include "object/factory.h"

#define NEWTON                                                                                     \
  "<NewtonRaphsonSolver maxNbIterationsNewton='30' relativeSuccessiveStoppingThreshold='0' "       \
  "relativeInitialStoppingThreshold='0' absoluteResidualStoppingThreshold='1e-13' "                \
  "absoluteEstimateDifferenceThreshold='1e-11' warnWhenDiverge='0'/>"
#define LDL "<SparseLDLSolver/>"
#define VARIATIONAL "newtonError='1e-12' steps='10' useIncrementalPotentialEnergy='0'"

static const struct {
  const char *name, *options, *attributes, *more;
  int n; /* steps of the coarser run of the order; 0: no integrator */
} solvers[] = {
    {"EulerImplicitSolver", "", "", LDL, 800},
    {"EulerImplicitSolver", "trapezoidalScheme", "trapezoidalScheme='1'", LDL, 100},
    {"NewmarkImplicitSolver", "", "", LDL, 100},
    {"NewmarkImplicitSolver", "gamma 0.6, beta 0.3", "gamma='0.6' beta='0.3'", LDL, 800},
    {"VariationalSymplecticSolver", "", VARIATIONAL, LDL, 100},
    {"VariationalSymplecticSolver", "explicitIntegration", "explicitIntegration='1'", LDL, 400},
    {"BDFOdeSolver", "order 1", "order='1'", NEWTON LDL, 800},
    {"BDFOdeSolver", "order 2", "order='2'", NEWTON LDL, 400},
    {"BDFOdeSolver", "order 3", "order='3'", NEWTON LDL, 200},
    {"BDFOdeSolver", "order 4", "order='4'", NEWTON LDL, 160},
    {"BDFOdeSolver", "order 5", "order='5'", NEWTON LDL, 80},
    {"BDFOdeSolver", "order 6", "order='6'", NEWTON LDL, 60},
    {"EulerExplicitSolver", "", "", "", 400},
    {"EulerExplicitSolver", "symplectic off", "symplectic='0'", "", 400},
    {"CentralDifferenceSolver", "", "", "", 400},
    {"RungeKutta2Solver", "", "", "", 100},
    {"RungeKutta4Solver", "", "", "", 50},
    {"DampVelocitySolver", "", "", "", 0},
    {"StaticSolver", "", "", "", 0},
    {"PathFollowingSolver", "", "", "", 0},
    {"StaticEquilibriumIntegrationScheme", "", "", "", 0},
};
enum { N_SOLVERS = sizeof solvers / sizeof *solvers, TENTHS = 10 };

typedef struct Run {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaState *state;
  SofaObject *ode;
  char said[400]; /* last error */
} Run;

static void sink(void *user, const SofaMessage *m) {
  Run *run = user;
  if (m->severity < SOFA_ERROR || run->said[0]) return;
  snprintf(run->said, sizeof run->said, "%s", m->text);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* ---- scenes ---- */

static const char springs[] = "<MechanicalObject name='state' position='0 0 0 1.2 0.9 0 2 0.3 0' "
                              "velocity='0 0 0 0.5 1 0 0 0 0'/><UniformMass vertexMass='2'/>"
                              "<SpringForceField spring='0 1 60 0 1.4 1 2 70 0 1.2'/>"
                              "<FixedProjectiveConstraint indices='0 2'/>";
static const char body[] = "<RegularGridTopology name='grid' n='3 3 3' min='-1 -1 -1' max='1 1 1'/>"
                           "<MechanicalObject name='state'/><UniformMass vertexMass='0.5'/>"
                           "<MeshSpringForceField stiffness='200' damping='0'/>";
static const char beam[] = "<RegularGridTopology name='grid' n='9 9 17' min='0 0 0' max='1 1 2'/>"
                           "<MechanicalObject name='state'/><UniformMass totalMass='2000'/>"
                           "<HexahedronFEMForceField method='large' youngModulus='1e6' "
                           "poissonRatio='0.3'/><BoxROI name='box' box='-1 -1 -1 2 2 0.001'/>"
                           "<FixedProjectiveConstraint indices='@box.indices'/>";

static SofaErr open_run(Run *run, size_t s, const char *what, double dt, double gravity) {
  char text[3000];
  const SofaContextOptions options = {.threads = 1, .sink = sink, .sink_user = run};
  snprintf(text, sizeof text,
           "<Node name='root' dt='%.17g' gravity='0 %g 0'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><Node name='body'><%s name='ode' %s/>%s%s</Node></Node>",
           dt, gravity, solvers[s].name, solvers[s].attributes, solvers[s].more, what);
  SOFA_TRY(sofa_context_create(&options, &run->ctx));
  SOFA_TRY(sofa_register_builtins(run->ctx));
  SOFA_TRY(sofa_simulation_load_text(run->ctx, text, &run->simulation));
  SOFA_TRY(sofa_simulation_init(run->simulation));
  SofaNode *root = run->simulation->root;
  run->state = (SofaState *)sofa_resolve_path(root, "/body/state", &(SofaPathRule){.strict = true});
  run->ode = sofa_resolve_path(root, "/body/ode", &(SofaPathRule){.strict = true});
  return run->state && run->ode ? SOFA_OK : SOFA_ERR_NOT_FOUND;
}

static void close_run(Run *run) {
  if (!run->ctx) return;
  sofa_simulation_destroy(&run->simulation);
  sofa_context_destroy(&run->ctx);
}

static SofaErr steps(Run *run, long n) {
  for (long i = 0; i < n; i++) SOFA_TRY(sofa_simulation_step(run->simulation, 0));
  return SOFA_OK;
}

static bool is_variational(size_t s) {
  return strcmp(solvers[s].attributes, VARIATIONAL) == 0;
}

/* ---- order ---- */

static SofaErr end_state(size_t s, int n, double *z) {
  Run run = {0};
  SofaErr err = open_run(&run, s, springs, 0.5 / n, -3);
  if (err == SOFA_OK) err = steps(&run, n);
  for (int k = 0; k < 2 && err == SOFA_OK; k++) {
    z[k] = run.state->position.data[3 + k];
    z[2 + k] = is_variational(s) ? 0 : run.state->velocity.data[3 + k];
  }
  if (err != SOFA_OK) fprintf(stderr, "csofa_integrators: %s: %s\n", solvers[s].name, run.said);
  close_run(&run);
  return err;
}

/* The variational solver's velocities are those of the middle of the step: positions only. */
static SofaErr print_order(size_t s, const double *exact) {
  double e[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    double z[4];
    SOFA_TRY(end_state(s, solvers[s].n * (i + 1), z));
    for (int k = 0; k < (is_variational(s) ? 2 : 4); k++) e[i] = hypot(e[i], z[k] - exact[k]);
  }
  printf("\"steps\": %d, \"errors\": [%.4g, %.4g], \"order\": %.3f", solvers[s].n, e[0], e[1],
         log2(e[0] / e[1]));
  return SOFA_OK;
}

/* ---- energy ---- */

static void push(Run *run) {
  static const double omega[3] = {0.3, 0.8, -0.5};
  SofaState *s = run->state;
  for (size_t i = 0; i < s->position.n; i++) {
    const double *x = s->position.data + 3 * i;
    for (int k = 0; k < 3; k++) {
      const int l = (k + 1) % 3, n = (k + 2) % 3;
      s->velocity.data[3 * i + (size_t)k] =
          omega[l] * x[n] - omega[n] * x[l] + 0.3 * (k + 1) * x[k] * x[l];
    }
  }
}

/* Of the end of the step; the variational solver knows its own. */
static SofaErr find_energy(Run *run, size_t s, double *energy) {
  double kinetic = 0, potential = 0;
  SOFA_TRY(sofa_simulation_energies(run->simulation, &kinetic, &potential));
  *energy = kinetic + potential;
  if (!is_variational(s) || run->simulation->root->time == 0) return SOFA_OK;
  const SofaField *field = sofa_class_field(run->ode->klass, "hamiltonianEnergy");
  SofaText text = {0};
  SOFA_TRY(sofa_field_refresh(run->ode, field));
  SOFA_TRY(sofa_field_print(run->ode, field, &text));
  *energy = strtod(text.data, NULL);
  sofa_list_free(run->ctx, &text);
  return SOFA_OK;
}

/* Smallest and largest energy, over that of the start, in each of `parts` parts of n steps. A run
 * that grows without bound ends early: *done parts. */
static SofaErr energies(size_t s, long n, int parts, double *low, double *high, int *done) {
  Run run = {0};
  double start = 0, energy = 0;
  *done = 0;
  SofaErr err = open_run(&run, s, body, 0.02, 0);
  if (err == SOFA_OK) push(&run);
  if (err == SOFA_OK) err = steps(&run, 0);
  for (long i = 0; i < n && err == SOFA_OK; i++) {
    if (i == 0) {
      err = find_energy(&run, s, &start);
      if (err != SOFA_OK) break;
    }
    if (sofa_simulation_step(run.simulation, 0) != SOFA_OK) break;
    err = find_energy(&run, s, &energy);
    const int part = (int)(i * parts / n);
    const double ratio = energy / start;
    if (!(ratio < 1e6)) break;
    if (part >= *done) low[part] = high[part] = ratio;
    *done = part + 1;
    low[part] = fmin(low[part], ratio);
    high[part] = fmax(high[part], ratio);
  }
  close_run(&run);
  return err;
}

static void print_series(const char *name, const double *values, int n) {
  printf("\"%s\": [", name);
  for (int i = 0; i < n; i++) printf("%s%.7g", i ? ", " : "", values[i]);
  printf("]");
}

static SofaErr print_energy(size_t s, long n, int parts) {
  double low[200], high[200];
  int done = 0;
  SOFA_TRY(energies(s, n, parts, low, high, &done));
  printf("{\"steps\": %ld, \"parts\": %d, ", n, parts);
  print_series("low", low, done);
  printf(", ");
  print_series("high", high, done);
  printf("}");
  return SOFA_OK;
}

/* ---- cost ---- */

/* The best of 10 steps after 6, which start formulas and analyse matrices. */
static SofaErr find_cost(size_t s, double *us) {
  Run run = {0};
  SofaErr err = open_run(&run, s, beam, 1e-3, -9.81);
  if (err == SOFA_OK) err = steps(&run, 6);
  *us = INFINITY;
  for (int i = 0; i < 10 && err == SOFA_OK; i++) {
    const double begin = now();
    err = steps(&run, 1);
    *us = fmin(*us, now() - begin);
  }
  if (err != SOFA_OK) fprintf(stderr, "csofa_integrators: %s: %s\n", solvers[s].name, run.said);
  close_run(&run);
  return err;
}

/* ---- output ---- */

static SofaErr print_solver(size_t s, const double *exact, bool comma) {
  double us = 0;
  printf("%s\n  {\"name\": \"%s\", \"options\": \"%s\"", comma ? "," : "", solvers[s].name,
         solvers[s].options);
  if (solvers[s].n) {
    printf(", ");
    SOFA_TRY(print_order(s, exact));
    printf(", \"energy\": ");
    SOFA_TRY(print_energy(s, 10000, TENTHS));
    SOFA_TRY(find_cost(s, &us));
    printf(", \"step_us\": %.1f", us);
  }
  printf("}");
  fflush(stdout);
  return SOFA_OK;
}

/* Every ODE solver of the factory must be in the table. */
static SofaErr check_table(void) {
  SofaContext *ctx = NULL;
  SofaErr err = sofa_context_create(NULL, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  for (size_t i = 0; err == SOFA_OK && i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    size_t s = 0;
    while (s < N_SOLVERS && strcmp(solvers[s].name, klass->name) != 0) s++;
    if (!sofa_class_ops(klass, SOFA_ODE_SOLVER) || s < N_SOLVERS) continue;
    fprintf(stderr, "csofa_integrators: %s is not in the table\n", klass->name);
    err = SOFA_ERR_NOT_FOUND;
  }
  sofa_context_destroy(&ctx);
  return err;
}

static SofaErr print_all(long n) {
  double exact[4];
  SOFA_TRY(check_table());
  for (size_t s = 0; s < N_SOLVERS; s++)
    if (strcmp(solvers[s].name, "RungeKutta4Solver") == 0) SOFA_TRY(end_state(s, 20000, exact));
  printf("{\"version\": \"%s\", \"dt\": 0.02, \"solvers\": [", CSOFA_VERSION);
  for (size_t s = 0; s < N_SOLVERS; s++) SOFA_TRY(print_solver(s, exact, s > 0));
  printf("],\n \"long\": [");
  bool comma = false;
  for (size_t s = 0; s < N_SOLVERS; s++) {
    if (!is_variational(s) && s != 0) continue;
    printf("%s\n  {\"name\": \"%s\", \"energy\": ", comma ? "," : "", solvers[s].name);
    SOFA_TRY(print_energy(s, n, 200));
    printf("}");
    comma = true;
  }
  printf("\n]}\n");
  return SOFA_OK;
}

int main(int argc, char **argv) {
  const long n = argc == 2 ? strtol(argv[1], NULL, 10) : 100000;
  if (argc > 2 || n < 200) {
    fputs("usage: csofa_integrators [STEPS]      STEPS >= 200\n", stderr);
    return 2;
  }
  const SofaErr err = print_all(n);
  if (err != SOFA_OK) fprintf(stderr, "csofa_integrators: %s\n", sofa_err_text(err));
  return err != SOFA_OK;
}
