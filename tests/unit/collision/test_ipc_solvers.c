/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IncrementalPotentialContact below solvers that iterate for it alone: without a contact the step
 * is that of their scheme, with one no surfaces meet and the contact carries the weight. */
#include "tests/unit/collision/ipc_scenes.h"

#include "scene/builder.h"
#include "simulation/convergence.h"

#define BLOCK                                                                                      \
  "<UniformMass totalMass='1'/><HexahedronFEMForceField method='small' youngModulus='1e4' "        \
  "poissonRatio='0.3'/>"

typedef struct Solver {
  const char *free, *limited; /* without a contact, with it */
} Solver;
/* a damped and an undamped one of each */
static const Solver solvers[] = {
    {"<NewmarkImplicitSolver/>", "<NewmarkImplicitSolver/>"},
    {"<NewmarkImplicitSolver gamma='0.7' beta='0.4' rayleighMass='2'/>",
     "<NewmarkImplicitSolver gamma='0.7' beta='0.4' rayleighMass='2'/>"},
    {"<VariationalSymplecticSolver newtonError='1e-12' steps='20'/>",
     "<VariationalSymplecticSolver/>"},
    {"<VariationalSymplecticSolver newtonError='1e-12' steps='20' rayleighMass='2'/>",
     "<VariationalSymplecticSolver rayleighMass='2'/>"},
};

/* A velocity that bends the block. */
static void push(SceneRun *run) {
  SofaState *s = scene_run_state(run, "/all/body/state");
  for (size_t i = 0; i < 27; i++) s->velocity.data[3 * i] = 0.1 * s->position.data[3 * i + 2];
}

/* A block of 0.5 m above z = 0. */
static void write_drop(IpcText *text, const char *solver, double height, double dt,
                       const char *contact) {
  ipc_open(text);
  ipc_head(text->file, &(IpcScene){.dt = dt,
                                   .gravity = "0 0 -10",
                                   .solver = solver,
                                   .accuracy = 1e-8,
                                   .iterations = 200,
                                   .contact = contact});
  ipc_block(text->file, "body", (const int[]){3, 3, 3}, (const double[]){0, 0, height},
            (const double[]){0.5, 0.5, height + 0.5}, BLOCK);
  const IpcSheet plane = {2, 2, {-1, -1, 0}, {{3, 0, 0}, {0, 3, 0}}};
  ipc_sheet(text->file, "plane", &plane,
            "<UniformMass totalMass='1'/><FixedProjectiveConstraint fixAll='1'/>");
  fputs("</Node></Node>", text->file);
  fclose(text->file);
}

/* Puts words of the same length into the scene. */
static void replace(IpcText *text, const char *from, const char *to) {
  char *at = strstr(text->data, from);
  assert_non_null(at);
  assert_int_equal(strlen(from), strlen(to));
  memcpy(at, to, strlen(to));
}

/* Puts a part behind a part of the scene. */
static void ipc_add(IpcText *text, const char *behind, const char *part) {
  const size_t at = (size_t)(strstr(text->data, behind) - text->data) + strlen(behind);
  char *data = malloc(strlen(text->data) + strlen(part) + 1);
  assert_non_null(data);
  memcpy(data, text->data, at);
  strcpy(data + at, part);
  strcat(data, text->data + at);
  free(text->data);
  text->data = data;
}

/* With the contact, or without. */
static void open_drop(SceneRun *run, const char *solver, double height, int threads, bool contact) {
  IpcText text;
  write_drop(&text, solver, height, 0.02, "dhat='0.01'");
  char *from = strstr(text.data, "<IncrementalPotentialContact");
  if (!contact) memcpy(from, "<!--", 4), memcpy(strchr(from, '>') - 2, "-->", 3);
  ipc_run(run, &text, &(IpcRunRule){.threads = threads});
  push(run);
  free(text.data);
}

static void free_flights(void **state) {
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++) {
    SceneRun run[2];
    for (int c = 0; c < 2; c++) {
      open_drop(&run[c], c ? solvers[k].limited : solvers[k].free, 2, 1, c);
      scene_run_steps(&run[c], 10);
    }
    const SofaState *a = scene_run_state(&run[0], "/all/body/state");
    const SofaState *b = scene_run_state(&run[1], "/all/body/state");
    for (size_t i = 0; i < 81; i++) {
      const double d = fabs(a->position.data[i] - b->position.data[i]);
      const double dv = fabs(a->velocity.data[i] - b->velocity.data[i]);
      if (!(d < 1e-10 && dv < 1e-8)) fail_msg("%s: %g m, %g m/s", solvers[k].limited, d, dv);
    }
    for (int c = 0; c < 2; c++) scene_run_close(&run[c]);
  }
}

static void count_iterations(void *user, const SofaConvergenceRow *row) {
  int *n = user;
  *n += row->kind == SOFA_CONVERGENCE_NEWTON && row->iteration > 0;
}

/* A torque has no potential: the search cannot go by the energy. */
static void torques(void **state) {
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++) {
    SceneRun run[2];
    for (int c = 0; c < 2; c++) {
      IpcText text;
      write_drop(&text, c ? solvers[k].limited : solvers[k].free, 2, 0.02, "dhat='0.01'");
      char *from = strstr(text.data, "<IncrementalPotentialContact");
      if (!c) memcpy(from, "<!--", 4), memcpy(strchr(from, '>') - 2, "-->", 3);
      ipc_add(&text, "<UniformMass totalMass='1'/>",
              "<TorsionForceField indices='0 1 2 3 4 5 6 7 8' torque='4' axis='0 0 1' origin='0.25 "
              "0.25 0'/>");
      replace(&text, "<SparseLDLSolver/>", "<EigenSparseLU/>  ");
      ipc_run(&run[c], &text, &(IpcRunRule){.threads = 1});
      free(text.data);
      int n = 0;
      const SofaConvergence observer = {count_iterations, &n};
      sofa_convergence_observe(run[c].ctx, &observer);
      scene_run_steps(&run[c], 5);
      if (n > 2 * 5) fail_msg("%s: %d iterations in 5 steps", solvers[k].limited, n);
    }
    const double *a = scene_run_state(&run[0], "/all/body/state")->position.data;
    const double *b = scene_run_state(&run[1], "/all/body/state")->position.data;
    assert_true(hypot(a[0] - 0, a[1] - 0) > 1e-3);
    for (size_t i = 0; i < 81; i++)
      if (!(fabs(a[i] - b[i]) < 1e-8))
        fail_msg("%s: %g m, expected %g m", solvers[k].limited, b[i], a[i]);
    for (int c = 0; c < 2; c++) scene_run_close(&run[c]);
  }
}

/* A linear body needs one iteration, and in csofa's own solvers one that sees it, however short the
 * step is: the search compares energies with the work in their own unit. */
static void short_steps(void **state) {
  static const char *const short_solvers[] = {
      "<BDFOdeSolver/>", "<NewmarkImplicitSolver/>", "<VariationalSymplecticSolver/>",
      ("<BackwardEulerODESolver newton_iterations='200' correction_tolerance_threshold='1e-6' "
       "residual_tolerance_threshold='1e-6'/><LDLTSolver/>")};
  enum { STEPS = 5 };
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(short_solvers); k++)
    for (int decade = 2; decade < 7; decade += 2) {
      IpcText text;
      SceneRun run;
      int n = 0;
      const SofaConvergence observer = {count_iterations, &n};
      write_drop(&text, short_solvers[k], 2, pow(10, -decade), "dhat='0.01'");
      // no energy of gravity whose roundings hide the others
      replace(&text, "gravity='0 0 -10'", "gravity='0 0 000'");
      scene_run_open(&run, text.data, NULL);
      free(text.data);
      sofa_convergence_observe(run.ctx, &observer);
      push(&run);
      scene_run_steps(&run, STEPS);
      if (n > (k < 3 ? 2 : 1) * STEPS)
        fail_msg("%s, 1e-%d s: %d iterations in %d steps", short_solvers[k], decade, n, STEPS);
      scene_run_close(&run);
    }
}

/* Dampers whose derivative one linearisation leaves out have it in iterations. */
static void dampers(void **state) {
  enum { STEPS = 5 };
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++) {
    IpcText text;
    SceneRun run;
    int n = 0;
    const SofaConvergence observer = {count_iterations, &n};
    write_drop(&text, solvers[k].limited, 2, 0.02, "dhat='0.01'");
    ipc_add(&text, "<UniformMass totalMass='1'/>",
            "<UniformVelocityDampingForceField dampingCoefficient='3' implicit='0'/>");
    scene_run_open(&run, text.data, NULL);
    free(text.data);
    sofa_convergence_observe(run.ctx, &observer);
    push(&run);
    scene_run_steps(&run, STEPS);
    if (n > 3 * STEPS) fail_msg("%s: %d iterations in %d steps", solvers[k].limited, n, STEPS);
    scene_run_close(&run);
  }
}

static double carried(SceneRun *run) {
  const SofaObject *contact = scene_run_object(run, "/all/contact");
  const SofaVec3s *forces =
      sofa_field_value(contact, sofa_class_field(contact->klass, "contactForces"));
  double sum = 0;
  for (size_t i = 0; i < forces->n; i++) sum += fabs(forces->data[i].v[2]);
  return sum;
}

/* Mean over the time after the landing: impulses of the contact balance the weight. */
static void landings(void **state) {
  enum { STEPS = 300, LANDED = 100 };
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++) {
    SceneRun run;
    double mean = 0, least = INFINITY;
    open_drop(&run, solvers[k].limited, 0.1, 1, true);
    for (int i = 0; i < STEPS; i++) {
      scene_run_steps(&run, 1);
      assert_int_equal(ipc_count_meetings(&run), 0);
      const double *x = scene_run_state(&run, "/all/body/state")->position.data;
      for (size_t p = 0; p < 27; p++) assert_true(x[3 * p + 2] > 0);
      if (i >= LANDED) mean += carried(&run) / (STEPS - LANDED);
      least = fmin(least, ipc_number(&run, "smallestDistance"));
    }
    assert_true(least < 0.01);
    if (!(fabs(mean - 10) < 0.5)) fail_msg("%s: %g N of 10 N", solvers[k].limited, mean);
    scene_run_close(&run);
  }
}

/* After a reset, and with several threads: the same bits. */
static void equal_bits(void **state) {
  enum { STEPS = 15 };
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++) {
    double first[162], again[162];
    for (int threads = 1; threads <= 3; threads++) {
      SceneRun run;
      open_drop(&run, solvers[k].limited, 0.05, threads, true);
      for (int turn = 0; turn < 2; turn++) {
        scene_run_steps(&run, STEPS);
        double *to = threads == 1 && turn == 0 ? first : again;
        const SofaState *s = scene_run_state(&run, "/all/body/state");
        memcpy(to, s->position.data, 81 * sizeof *to);
        memcpy(to + 81, s->velocity.data, 81 * sizeof *to);
        assert_true(ipc_number(&run, "smallestDistance") < 0.01);
        if (to == again && memcmp(first, again, sizeof first))
          fail_msg("%s: other bits, %d threads", solvers[k].limited, threads);
        assert_int_equal(sofa_simulation_reset(run.simulation), SOFA_OK);
        push(&run);
      }
      scene_run_close(&run);
    }
  }
}

static double ipc_solver_energy(SceneRun *run) {
  SofaObject *solver = scene_run_object(run, "/all/VariationalSymplecticSolver1");
  const SofaField *field = sofa_class_field(solver->klass, "hamiltonianEnergy");
  assert_int_equal(sofa_field_compute(solver, field), SOFA_OK);
  return *(const double *)sofa_field_value(solver, field);
}

/* With iterations enough the next step moves what the last one has restored. */
static void converge(SceneRun *run, double start, const char *solver) {
  SofaObject *newton = scene_run_object(run, "/all/newton");
  assert_int_equal(sofa_field_set_text(newton, "maxNbIterationsNewton", "200", 0), SOFA_OK);
  scene_run_steps(run, 1);
  if (scene_run_state(run, "/all/body/state")->position.data[2] == start)
    fail_msg("%s: nothing moves", solver);
}

/* updateStateWhenDiverged="0": a step whose iterations do not end moves nothing, and the next one
 * begins as it did. */
static void diverged_steps(void **state) {
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(solvers); k++)
    for (int update = 0; update < 2; update++) {
      IpcText text;
      SceneRun run;
      double start[162];
      write_drop(&text, solvers[k].limited, 0.004, 0.02, "dhat='0.01'");
      replace(&text, "Newton='200'", "Newton='001'");
      if (!update) replace(&text, "warnWhenLineSearchFails='0'", "updateStateWhenDiverged='0'");
      scene_run_open(&run, text.data, NULL);
      free(text.data);
      push(&run);
      run.quiet = true;
      const SofaState *s = scene_run_state(&run, "/all/body/state");
      memcpy(start, s->position.data, 81 * sizeof *start);
      memcpy(start + 81, s->velocity.data, 81 * sizeof *start);
      scene_run_steps(&run, 3);
      const bool stays = !memcmp(start, s->position.data, 81 * sizeof *start) &&
                         !memcmp(start + 81, s->velocity.data, 81 * sizeof *start);
      if (stays == update) fail_msg("%s: update %d, stays %d", solvers[k].limited, update, stays);
      if (!update) converge(&run, start[2], solvers[k].limited);
      scene_run_close(&run);
    }
}

/* The work of a soft contact is its change of energy, up to the size of the steps. */
static void works(void **state) {
  enum { STEPS = 120 };
  (void)state;
  double energy[2][STEPS], most = 0;
  for (int way = 0; way < 2; way++) {
    IpcText text;
    SceneRun run;
    write_drop(&text,
               way ? "<VariationalSymplecticSolver useIncrementalPotentialEnergy='1'/>"
                   : "<VariationalSymplecticSolver useIncrementalPotentialEnergy='0'/>",
               0.06, 0.0005, "dhat='0.05' stiffness='1e5'");
    ipc_run(&run, &text, &(IpcRunRule){.threads = 1});
    free(text.data);
    SofaState *s = scene_run_state(&run, "/all/body/state");
    for (size_t i = 0; i < 27; i++) s->velocity.data[3 * i + 2] = -1;
    for (int i = 0; i < STEPS; i++) {
      scene_run_steps(&run, 1);
      energy[way][i] = ipc_solver_energy(&run);
    }
    scene_run_close(&run);
  }
  for (int i = 0; i < STEPS; i++) most = fmax(most, fabs(energy[1][i] - energy[0][i]));
  if (!(most < 0.03)) fail_msg("%g J", most);
}

static void expect_refusal(const char *solver, const char *more, const char *message) {
  IpcText text;
  SceneRun run = {.quiet = true};
  ipc_open(&text);
  fprintf(text.file,
          "<Node name='root' dt='0.01'><RequiredPlugin pluginName='IncrementalPotentialContact'/>"
          "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s<SparseLDLSolver/>"
          "<IncrementalPotentialContact name='contact' dhat='0.01'/>%s</Node>",
          solver, more);
  fclose(text.file);
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text.data, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_int_not_equal(sofa_simulation_step(run.simulation, 0), SOFA_OK);
  if (!strstr(run.all, message)) fail_msg("the message is '%s'", run.all);
  ipc_close(&run, &text);
}

#define NEWTON "<NewtonRaphsonSolver/>"
#define FREE                                                                                       \
  "<Node><MeshTopology position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/><MechanicalObject/>"      \
  "<UniformMass totalMass='1'/><TriangleCollisionModel/></Node>"
#define FRAME                                                                                      \
  "<Node><MechanicalObject template='Rigid3d'/><UniformMass totalMass='1'/><Node><MeshTopology "   \
  "position='0 0 0  1 0 0  0 1 0' triangles='0 1 2'/><MechanicalObject/>"                          \
  "<TriangleCollisionModel/><RigidMapping/></Node></Node>"

/* What cannot be promised is refused. */
static void refusals(void **state) {
  (void)state;
  expect_refusal("<NewmarkImplicitSolver/>", FREE, "a NewtonRaphsonSolver in the node must give");
  expect_refusal("<VariationalSymplecticSolver/>", FREE,
                 "a NewtonRaphsonSolver in the node must give");
  expect_refusal("<NewmarkImplicitSolver/>" NEWTON, FRAME,
                 "NewmarkImplicitSolver cannot limit those of states with rotations");
  expect_refusal("<VariationalSymplecticSolver/>" NEWTON, FRAME,
                 "cannot limit those of rotations and of mappings that are not linear");
  expect_refusal("<NewmarkImplicitSolver beta='0'/>" NEWTON, FREE, "cannot heed the");
  expect_refusal("<VariationalSymplecticSolver explicitIntegration='1'/>" NEWTON, FREE,
                 "cannot heed the");
}

/* A factor of the solver is reported, one of a force field is not, and lets the body land. */
static void rayleigh_factors(void **state) {
  static const char *const dampers[] = {"<BDFOdeSolver rayleighStiffness='0.01'/>",
                                        "<NewmarkImplicitSolver rayleighStiffness='0.01'/>"};
  (void)state;
  for (size_t k = 0; k < 2 * SOFA_COUNT(dampers); k++) {
    IpcText text;
    SceneRun run;
    const bool own = k % 2;
    write_drop(&text, own ? "<BDFOdeSolver/>" : dampers[k / 2], 0.02, 0.02, "dhat='0.01'");
    if (own) ipc_add(&text, "poissonRatio='0.3'", " rayleighStiffness='0.01'");
    scene_run_open(&run, text.data, NULL);
    free(text.data);
    run.quiet = true;
    assert_int_equal(sofa_scene_check_ready(run.simulation), SOFA_OK);
    assert_int_equal(strstr(run.all, "give the rayleighStiffness to the force fields") != NULL,
                     !own);
    if (own) scene_run_steps(&run, 20);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_flights),     cmocka_unit_test(torques),  cmocka_unit_test(short_steps),
      cmocka_unit_test(dampers),          cmocka_unit_test(landings), cmocka_unit_test(equal_bits),
      cmocka_unit_test(diverged_steps),   cmocka_unit_test(works),    cmocka_unit_test(refusals),
      cmocka_unit_test(rayleigh_factors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
